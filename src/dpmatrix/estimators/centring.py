"""A private mean out of the same release, by a constant column beside the records.

Each record x, shortened to the bound B, becomes (x, c). That is a function of the record alone, so neighbours stay
neighbours, and its norm is at most the root of ``B**2 + c**2``. What is published are the noisy second moments of these
longer records, and nothing else. Those with the constant are c times the mean; the covariance matrix follows.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.eigenvectors import falling_variances, leading, oriented
from dpmatrix.mechanisms.protocol import FloatArray, Release
from dpmatrix.mechanisms.records import OverNorm, bounded_records
from dpmatrix.privacy.adjacency import Adjacency

_DIGITS = 8
"""Binary digits of the constant: it is on the grid that records are cut to, twenty digits below the bound."""
_ROOT_DIGITS = 20


@frozen
class Centring:
    """The constant column for records of length d and norm at most B.

    Attributes
    ----------
    bound
        B.
    constant
        c, near ``B (2 / (1 + (1 + 4 d)**(1/2)))**(1/2)``. If the noise of every entry has the standard deviation ``s
        (B**2 + c**2)``, the expected square error of the covariance matrix is about ``s**2 (B**2 + c**2)**2 (d**2 + 2 d
        |m|**2 / c**2)``, where m is the mean less the public point. Of all c that one makes it least for ``|m| = B``.
    """

    bound: Fraction
    constant: float

    @classmethod
    def of(cls, bound: Fraction, dimension: int) -> Centring:
        """Choose the constant.

        Parameters
        ----------
        bound
            B, between 2**-400 and 2**400, as mechanisms take it.
        dimension
            d.
        """
        share = math.sqrt(2 / (1 + math.sqrt(1 + 4 * dimension)))
        mantissa, exponent = math.frexp(float(bound) * share)
        return cls(bound, math.ldexp(round(math.ldexp(mantissa, _DIGITS)), exponent - _DIGITS))

    def norm_bound(self) -> Fraction:
        """Return the root of ``B**2 + c**2``, rounded up to a few digits, which bounds the norm of a longer record."""
        unit = Fraction(2) ** (math.frexp(float(self.bound))[1] - _ROOT_DIGITS)
        square = (self.bound**2 + Fraction(self.constant) ** 2) / unit**2
        return (math.isqrt(math.ceil(square) - 1) + 1) * unit

    def extend(self, points: FloatArray, over_norm: OverNorm) -> FloatArray:
        """Shorten records less the public point to the bound, or refuse them, and put the constant beside them.

        Parameters
        ----------
        points
            Shape (n, d).
        over_norm
            As for `DPSecondMoment`.

        Returns
        -------
        ndarray
            Shape (n, d + 1).

        Raises
        ------
        InvalidParameterError
            If a record is too long, and is not to be shortened.
        """
        bounded = bounded_records(points, self.bound, over_norm)
        return np.column_stack([bounded, np.full(len(bounded), self.constant)])

    def read(self, release: Release) -> Centred:
        """Compute the mean and the covariance matrix from the published moments: post-processing."""
        moments = release.to_numpy()
        mean = moments[-1, :-1] / self.constant
        about = moments[:-1, :-1]
        return Centred(mean, about, about - np.outer(mean, mean))

    def error(self, off_diagonal: float, dimension: int) -> float:
        """Bound what centring adds to the expected Frobenius norm of the error of the covariance matrix.

        The mean m is read with an error e, d entries of the noise over c. Then ``m m'`` becomes ``(m + e)(m + e)'``,
        whose difference has a norm of at most ``2 |m| |e| + |e|**2``; and ``|m| <= B``.
        """
        deviation = math.sqrt(dimension) * off_diagonal / self.constant
        return 2 * float(self.bound) * deviation + deviation**2


@frozen
class Centred:
    """What a release with a constant column says.

    Attributes
    ----------
    mean
        Shape (d,): the mean of the records less the public point, without bias.
    second_moment
        Shape (d, d): about the public point, without bias.
    covariance
        Shape (d, d): the second moment less the outer product of the mean with itself. Symmetric, perhaps indefinite;
        the noise of the mean makes it too small on average, by the covariance matrix of that noise.
    """

    mean: FloatArray
    second_moment: FloatArray
    covariance: FloatArray

    def components(self, rank: int) -> FloatArray:
        """Return the leading eigenvectors of the covariance matrix as rows, shape (k, d), signed as everywhere."""
        return oriented(leading(self.covariance, rank).T)

    def variances(self) -> FloatArray:
        """Return the eigenvalues of the covariance matrix in falling order, not below zero."""
        return falling_variances(self.covariance)


def refuse_unless_counted(adjacency: Adjacency, divisor: int | None) -> None:
    """Make sure that the number of records is public, and divides the moments.

    Raises
    ------
    InvalidParameterError
        If it is not.
    """
    if adjacency is not Adjacency.REPLACE_ONE:
        problem = "it divides by the number of records, which is a secret under 'add-remove-one'"
        raise InvalidParameterError("centred", problem, "pass adjacency='replace-one', or a public mean")
    if divisor is not None:
        problem = "it divides by the number of records, and a divisor is given"
        raise InvalidParameterError("centred", problem, "leave out divisor")
