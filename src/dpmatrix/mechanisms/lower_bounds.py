"""What every mechanism of a pure guarantee adds to second moments, at least: `beyond.least-noise`."""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb, fmpq

from dpmatrix.exact import Exact, fraction, positive_integer, precision, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.domains import positive

STRETCHES = tuple(Fraction(2) ** (power // 8) * (8 + power % 8) / 8 for power in range(-160, 81))
"""From 2**-20 to 2**10, each at most an eighth more than the one before; the bound holds for each."""
BITS = 128
"""Working precision."""


def least_squared_error(
    epsilon: Exact, dimension: int, adjacency: Adjacency = Adjacency.REPLACE_ONE, *, divisor: int = 1
) -> Fraction:
    """Return a number that no (epsilon, 0)-private mechanism's mean squared Frobenius error is below.

    The error is that of X'X over the divisor, for the data set of records in the unit ball that is worst for the
    mechanism, among those of every size. As epsilon tends to zero, epsilon**2 times the bound tends to
    ``((d - 1)**2 (d + 2)**2 / q + 2) / d``, or to 2 d if that is more; q is 1 for a replaced record, and 4 for one
    added or removed. Source: `beyond.least-noise`.

    Parameters
    ----------
    epsilon
        Greater than zero.
    dimension
        d >= 1.
    adjacency
        The neighbouring relation.
    divisor
        The public number by which X'X is divided, at least 1.

    Raises
    ------
    InvalidParameterError
        If a number is out of its range.
    """
    exact = positive(epsilon, "epsilon").lower
    d = positive_integer(dimension, "dimension")
    square = positive_integer(divisor, "divisor") ** 2
    at_once = 1 if adjacency is Adjacency.REPLACE_ONE else 2
    with precision(BITS):
        eps = arb(exact)
        left, gone = (-eps).exp(), (-eps).expm1()
        entry = left * (1 + left) / gone**2
        found = lower(d * entry)
        s = arb(rational(max(STRETCHES, key=lambda stretch: _promise(d, float(eps.mid()), at_once, stretch))))
        reach = (_free(d) * s.log1p() / eps - at_once) / s
        risen = eps * s * reach
        if reach > 0 and risen - eps * (at_once * (d - 2)) > (1 + risen / 2).log():
            found = max(found, lower((entry + (2 * reach / at_once) ** 2) / d))
    return found / square


def _free(dimension: int) -> int:
    """Dimension of the symmetric matrices of trace zero."""
    return dimension * (dimension + 1) // 2 - 1


def _promise(dimension: int, epsilon: float, at_once: int, stretch: Fraction) -> float:
    """Return the reach in floating point where it counts, by which the stretch is chosen: nothing else rests on it."""
    risen = _free(dimension) * math.log1p(stretch) - at_once * epsilon
    if risen - epsilon * at_once * (dimension - 2) <= math.log1p(max(risen, 0) / 2):
        return 0.0
    return risen / float(stretch)


def lower(value: arb) -> Fraction:
    """Return the lower end of a ball."""
    mantissa, exponent = value.lower().man_exp()
    return fraction(fmpq(mantissa) * fmpq(2) ** int(exponent))
