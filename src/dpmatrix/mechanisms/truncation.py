"""What truncation to a lattice costs, exactly and at most."""

from __future__ import annotations

import math
from enum import Enum
from fractions import Fraction

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction, whole_number
from dpmatrix.mechanisms.lattice import coordinate_bits_of
from dpmatrix.privacy.domains import dimension_of

_ROOT_BITS = 64


class MatrixNorm(Enum):
    """How far apart two symmetric matrices are."""

    ENTRY = "entry"
    """Largest absolute difference of two entries."""
    FROBENIUS = "frobenius"
    """Square root of the sum of all squared differences."""
    OPERATOR = "operator"
    """Largest absolute eigenvalue of the difference."""


def truncation_bound(
    dimension: int,
    coordinate_bits: int,
    norm_bound: Exact = 1,
    *,
    records: int = 1,
    divisor: int = 1,
    norm: MatrixNorm = MatrixNorm.OPERATOR,
) -> Fraction:
    r"""Bound the change of X'X / divisor when every coordinate is truncated towards zero to a multiple of 2**-b.

    With h = 2**-b, r the norm bound and n the number of records it is ``n T (2 r - T) / divisor``, where T is
    ``min(h, r)`` for entries, and ``min(h sqrt(d), r)``, rounded up by less than ``h 2**-64``, for the Frobenius and
    the operator norm. So it is below ``2**(1 - b) r n / divisor``, times ``sqrt(d)`` for the two norms. Truncation
    alone is meant, not the noise.

    *Proof.* By the triangle inequality one record x will do. Let k be its truncation and D the length of
    ``t = x - k``. Coordinates of t have the sign of those of x and are no longer, so ``D**2 <= x't <= |x| D``, and
    ``D <= min(h sqrt(d), |x|)``. With ``y = x - t/2`` the change is ``xx' - kk' = yt' + ty'``, whose squared Frobenius
    norm is ``2 |y|**2 D**2 + 2 (y't)**2``. In terms of p = x't this is
    ``2 D**2 (|x|**2 - p + D**2/4) + 2 (p - D**2/2)**2``, convex in p, so it is greatest at an end: at ``p = |x| D`` it
    is ``(D (2|x| - D))**2``, and at ``p = D**2`` it is ``2 D**2 |x|**2 - D**4``, less by ``2 D**2 (|x| - D)**2``. And
    ``D (2|x| - D)`` increases with D up to |x| and with \|x\|. The operator norm is at most the Frobenius norm. A
    diagonal entry is the case d = 1. An entry off the diagonal is at most ``2**-1/2`` times the Frobenius norm for the
    two coordinates, ``S (2 r - S)`` with ``S = min(h sqrt(2), r)``; since ``S / sqrt(2) <= T <= S``, it is at most
    ``T (2 r - T)``. Records with equal coordinates just below a multiple of h come arbitrarily close to all three
    bounds when ``r / (h sqrt(d))`` is large.

    Parameters
    ----------
    dimension
        Length d >= 1 of a record.
    coordinate_bits
        b, in [0, 512].
    norm_bound
        r, at least zero.
    records
        n, at least zero.
    divisor
        Positive integer.
    norm
        How the change is measured.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """
    size, bits = dimension_of(dimension), coordinate_bits_of(coordinate_bits)
    bound = fraction(norm_bound, "norm_bound")
    if bound < 0:
        raise InvalidParameterError("norm_bound", f"{norm_bound} is negative", "pass a bound of at least 0")
    if not isinstance(norm, MatrixNorm):
        raise InvalidParameterError("norm", f"{norm!r} is no choice of a norm", "pass a member of MatrixNorm")
    root = Fraction(1) if norm is MatrixNorm.ENTRY else _root_above(size)
    longest: Fraction = min(root / 2**bits, bound)
    share = Fraction(whole_number(records, "records"), dimension_of(divisor, "divisor"))
    return share * longest * (2 * bound - longest)


def _root_above(number: int) -> Fraction:
    return Fraction(math.isqrt((number << 2 * _ROOT_BITS) - 1) + 1, 1 << _ROOT_BITS)
