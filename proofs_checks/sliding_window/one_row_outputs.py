"""The output of Algorithm 2 for a stream of one row, by the evidence's own formulas: no evidence by itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath

from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.spec.sliding_window.one_row_output import OneRowOutput

BLIND = OneRowOutput(1, Fraction(1, 4), 17, 1, Fraction(1, 10**6), 1, 1, Fraction(9, 10))
"""Sixteen rows in seventeen dimensions; the data have rank 1, as r has."""
ONE_ROW_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(BLIND, rank=0),
    "dimension >= 1, an integer": attrs.evolve(BLIND, dimension=0),
    "eta > 0": attrs.evolve(BLIND, eta=0),
    "eta < 1": attrs.evolve(BLIND, eta=1),
    "4r/eta is an integer": attrs.evolve(BLIND, eta=Fraction(3, 10)),
    "epsilon > 0": attrs.evolve(BLIND, epsilon=0),
    "delta > 0": attrs.evolve(BLIND, delta=0),
    "delta < 1": attrs.evolve(BLIND, delta=1),
    "constant > 0": attrs.evolve(BLIND, constant=0),
    "row >= 0": attrs.evolve(BLIND, row=-1),
}


def whole_above(constant) -> int:
    """Give the least positive integer that is not below a number."""
    value = rational(constant)
    return max(1, -int((-value).floor()))


def small_outputs():
    """Give streams of one row in one dimension."""
    for rank, eta, epsilon, row, constant in product(
        (1, 2), (Fraction(1, 4), Fraction(1, 3)), (Fraction(1, 2), 3), (0, 50), (1, 300)
    ):
        yield OneRowOutput(rank, eta, 1, epsilon, Fraction(1, 50), row, constant, Fraction(1, 3))


def ridge(p: OneRowOutput):
    """sigma^2."""
    log = mpmath.log(4 / real(p.delta))
    return ((16 * mpmath.sqrt(p.rank * log) + log) / real(p.epsilon)) ** 2


def by_hand(p: OneRowOutput, low, high):
    """Probability that (sigma^2 + M^2) chi^2_m/m is between two values."""
    with mpmath.workdps(60):
        half = mpmath.mpf(2 * p.rank) / real(p.eta)
        ends = [max(mpmath.mpf(0), half * end / (ridge(p) + real(p.row) ** 2)) for end in (low, high)]
        return mpmath.gammainc(half, *ends, regularized=True) if ends[0] < ends[1] else mpmath.mpf(0)


def lemma_2_ends(p: OneRowOutput, power: int):
    """Both bounds of Lemma 2, or of Theorem 3 with the power 2."""
    with mpmath.workdps(60):
        e, window = real(p.eta), real(p.row) ** 2
        extra = real(p.constant) * p.rank * mpmath.log(real(p.delta)) ** 2 / real(p.epsilon) ** 2
        return (1 - e / 4) * (window + extra), (1 + e / 4) ** power / (1 - e) * window + extra
