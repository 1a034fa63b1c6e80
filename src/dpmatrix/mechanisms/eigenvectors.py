"""Principal components of a noisy matrix: post-processing in floating point."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.protocol import FloatArray, PostProcessed, Release


def _rank(value: object) -> int:
    return positive_integer(value, "rank")


def scaled_matrix(release: Release) -> FloatArray:
    """Divide a released symmetric matrix by its largest entry in modulus: same eigenvectors, entries within binary64.

    Raises
    ------
    InvalidParameterError
        If the release is not a symmetric matrix.
    """
    integers = release.integers
    dimension = len(integers)
    if integers.shape != (dimension, dimension) or not (integers == integers.T).all():
        raise InvalidParameterError("release", "it is not a symmetric matrix", "take its symmetric part first")
    largest = max(1, *(abs(int(entry)) for entry in integers.flat))
    return np.array([[int(entry) / largest for entry in row] for row in integers])


def leading(matrix: FloatArray, rank: int) -> FloatArray:
    """Compute unit eigenvectors of the greatest eigenvalues, in falling order, shape (d, k)."""
    return np.ascontiguousarray(np.linalg.eigh(matrix)[1][:, ::-1][:, :rank])


def falling_variances(matrix: FloatArray) -> FloatArray:
    """Compute the eigenvalues in falling order, not below zero, shape (d,)."""
    return np.asarray(np.maximum(np.linalg.eigvalsh(matrix)[::-1], 0.0))


@frozen
class TopEigenvectors:
    """Unit eigenvectors of the k greatest eigenvalues of a released symmetric matrix, in falling order.

    Parameters
    ----------
    rank
        k, from 1 to d. Eigenvalues are ordered by value and not by modulus, since noise makes some of them negative.

    Raises
    ------
    InvalidParameterError
        If the rank is no positive integer.
    """

    rank: int = field(converter=_rank)

    def __call__(self, release: Release) -> FloatArray:
        """Compute them, shape (d, k).

        Where eigenvalues are equal any orthonormal basis is an answer, and signs are arbitrary.

        Raises
        ------
        InvalidParameterError
            If k > d, or the release is not a symmetric matrix.
        """
        matrix = scaled_matrix(release)
        if self.rank > len(matrix):
            raise InvalidParameterError("rank", f"{self.rank} exceeds d = {len(matrix)}", "pass a rank of at most d")
        return leading(matrix, self.rank)


def principal_components(release: Release, rank: int) -> PostProcessed[FloatArray]:
    """Make the top-k eigenvectors of a release, with the guarantee that they inherit; see `TopEigenvectors`."""
    return release.apply(TopEigenvectors(rank))


def oriented(rows: FloatArray) -> FloatArray:
    """Turn directions, the rows of an array, so that in each the coordinate of largest modulus is positive."""
    largest = np.take_along_axis(rows, np.abs(rows).argmax(axis=1)[:, None], axis=1)
    return np.ascontiguousarray(np.where(largest < 0, -rows, rows))
