"""Projections of rank k of least cost Tr((I - P) C) for a released C: any, with few rows, or non-negative."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from attrs import field, frozen

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.mechanisms.eigenvectors import scaled_matrix
from dpmatrix.mechanisms.protocol import FloatArray, Release

MOST_SUPPORTS = 200_000
MOST_COORDINATES = 12


def _rank(value: object) -> int:
    return positive_integer(value, "rank")


def _size(value: object) -> int:
    return positive_integer(value, "size")


def _checked(release: Release, rank: int) -> FloatArray:
    matrix = scaled_matrix(release)
    if rank > len(matrix):
        raise InvalidParameterError("rank", f"{rank} exceeds d = {len(matrix)}", "pass a rank of at most d")
    return matrix


def _onto(columns: FloatArray) -> FloatArray:
    projection: FloatArray = columns @ columns.T
    return projection


@implements("sliding-window.algorithm-4+repair@bf2db6aa")
@frozen
class PrincipalProjection:
    """The projection onto the first k eigenvectors of a released symmetric matrix, whatever the signs.

    A function of the release alone, so it keeps the guarantee: ``window.publish().apply(PrincipalProjection(2))``.

    Parameters
    ----------
    rank
        k, from 1 to d.

    Raises
    ------
    InvalidParameterError
        If the rank is no positive integer.
    """

    rank: int = field(converter=_rank)

    def __call__(self, release: Release) -> FloatArray:
        """Compute it, shape (d, d).

        Raises
        ------
        InvalidParameterError
            If k > d, or the release is not a symmetric matrix.
        """
        _, vectors = np.linalg.eigh(_checked(release, self.rank))
        return _onto(vectors[:, len(vectors) - self.rank :])


@implements("sliding-window.algorithm-5+repair@ce4131fa")
@frozen
class SparseProjection:
    """The projection of rank k with at most s non-zero rows of least cost, by trying all supports.

    Parameters
    ----------
    rank
        k, at least 1.
    size
        s, from k to d.

    Raises
    ------
    InvalidParameterError
        If one of them is no positive integer, or s < k.
    """

    rank: int = field(converter=_rank)
    size: int = field(converter=_size)

    def __attrs_post_init__(self) -> None:
        if self.size < self.rank:
            raise InvalidParameterError("size", f"{self.size} is below the rank {self.rank}", "pass a size >= rank")

    def __call__(self, release: Release) -> FloatArray:
        """Compute it, shape (d, d).

        Raises
        ------
        InvalidParameterError
            If s > d, there are too many supports, or the release is not a symmetric matrix.
        """
        matrix = _checked(release, self.rank)
        dimension = len(matrix)
        if self.size > dimension:
            raise InvalidParameterError("size", f"{self.size} exceeds d = {dimension}", "pass a size of at most d")
        if math.comb(dimension, self.size) > MOST_SUPPORTS:
            problem = f"there are {math.comb(dimension, self.size)} supports of {self.size} among {dimension}"
            raise InvalidParameterError("size", problem, f"keep them within {MOST_SUPPORTS}")
        best, answer = -math.inf, np.zeros((dimension, self.rank))
        for support in combinations(range(dimension), self.size):
            values, vectors = np.linalg.eigh(matrix[np.ix_(support, support)])
            value = float(values[self.size - self.rank :].sum())
            if value > best:
                best, answer = value, np.zeros((dimension, self.rank))
                answer[list(support)] = vectors[:, self.size - self.rank :]
        return _onto(answer)


@implements("sliding-window.algorithm-5/non-negative@ce4131fa")
@frozen
class NonNegativeProjection:
    """The projection of rank k with a non-negative orthonormal basis of least cost, by trying all supports.

    Non-negative vectors are orthogonal exactly if their supports are disjoint, and the best one with a given support is
    an eigenvector of that principal submatrix, or has a smaller support.

    Parameters
    ----------
    rank
        k, from 1 to d.

    Raises
    ------
    InvalidParameterError
        If the rank is no positive integer.
    """

    rank: int = field(converter=_rank)

    def __call__(self, release: Release) -> FloatArray:
        """Compute it, shape (d, d), entries at least 0.

        Raises
        ------
        InvalidParameterError
            If k > d, d > 12, or the release is not a symmetric matrix.
        """
        matrix = _checked(release, self.rank)
        dimension = len(matrix)
        if dimension > MOST_COORDINATES:
            problem = f"3**{dimension} pairs of supports are too many"
            raise InvalidParameterError("release", problem, f"keep d within {MOST_COORDINATES}")
        values = [-math.inf] * (1 << dimension)
        vectors: dict[int, FloatArray] = {}
        for support in range(1, 1 << dimension):
            places = [place for place in range(dimension) if support >> place & 1]
            found = _positive_eigenvector(matrix[np.ix_(places, places)])
            if found is not None:
                values[support], inside = found
                vectors[support] = np.zeros(dimension)
                vectors[support][places] = inside
        family = _best_family(values, dimension, self.rank)
        return _onto(np.column_stack([vectors[support] for support in family]))


def _positive_eigenvector(matrix: FloatArray) -> tuple[float, FloatArray] | None:
    values, columns = np.linalg.eigh(matrix)
    for value, column in zip(values[::-1], columns.T[::-1], strict=True):
        if (column > 0).all() or (column < 0).all():
            return float(value), np.abs(column)
    return None


def _best_family(values: list[float], dimension: int, rank: int) -> list[int]:
    """Choose disjoint supports with the greatest sum of values.

    The best j supports inside a set are the best choice of one subset and of j - 1 supports inside the rest.
    """
    whole = (1 << dimension) - 1
    totals = [0.0] * (whole + 1)
    choices: list[list[int]] = []
    for _ in range(rank):
        following, chosen = [-math.inf] * (whole + 1), [0] * (whole + 1)
        for available in range(1, whole + 1):
            support = available
            while support:
                total = values[support] + totals[available ^ support]
                if total > following[available]:
                    following[available], chosen[available] = total, support
                support = (support - 1) & available
        totals = following
        choices.append(chosen)
    family, available = [], whole
    for chosen in reversed(choices):
        family.append(chosen[available])
        available ^= chosen[available]
    return family
