"""The dyadic sums of two neighbouring streams, by the evidence's own formulas: no evidence by itself."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.spec.sliding_window import released_sums
from dpmatrix.spec.sliding_window.dyadic_release import deviation
from dpmatrix.spec.sliding_window.released_sums import ReleasedStreams
from proofs_checks.sliding_window.dyadic_noise import check_guarantee, shift

MILLIONTH = Fraction(1, 10**6)


UNIT = (fmpq(3, 5), fmpq(4, 5))


def stream(time: int, height: int, epsilon=1, delta=MILLIONTH, row=UNIT) -> ReleasedStreams:
    """Five rows in the plane, some long; one row is present or absent."""
    rows = [[7, fmpq(1, 2)], [0, 1], [fmpq(-2, 3), 2], [1, 1], [0, 30]]
    rows[time - 1] = list(row)
    return ReleasedStreams(fmpq_mat(rows), time, height, epsilon, delta)


START = stream(3, 2)
ROW = "the row has norm at most 1"
OUTSIDE = {
    "time >= 1, an integer": attrs.evolve(START, time=0),
    "time <= T": attrs.evolve(START, time=6),
    ROW: stream(3, 2, row=(1, fmpq(1, 100))),
    "height >= 0, an integer": attrs.evolve(START, height=-1),
    "epsilon > 0": attrs.evolve(START, epsilon=0),
    "delta > 0": attrs.evolve(START, delta=0),
    "delta < 1": attrs.evolve(START, delta=1),
}


def spare_by_hand(p: ReleasedStreams):
    """Delta minus the profile of a normal law moved by mu times the norm of the triangle of a'a, a of length 1."""
    a, b = (real(p.rows[p.time - 1, column]) for column in range(2))
    moved = shift(p) * mpmath.sqrt(a**4 + (a * b) ** 2 + b**4)
    epsilon = real(p.epsilon)
    profile = mpmath.ncdf(moved / 2 - epsilon / moved) - mpmath.exp(epsilon) * mpmath.ncdf(-moved / 2 - epsilon / moved)
    return real(p.delta) - profile


def spare_at_a_tenth(p: ReleasedStreams):
    """Delta minus the profile of sums that differ by the root of 1/10 in all."""
    moved, epsilon = shift(p) * mpmath.sqrt(real(fmpq(1, 10)) / (p.height + 1)), real(p.epsilon)
    profile = mpmath.ncdf(moved / 2 - epsilon / moved) - mpmath.exp(epsilon) * mpmath.ncdf(-moved / 2 - epsilon / moved)
    return real(p.delta) - profile


def check_released(statement: Statement) -> None:
    """Check the joint law for streams in the plane, its closed form, and its hypotheses.

    One row of norm at most 1 enters h + 1 sums, one of each length, and changes each by a'a. The triangle of a'a has
    norm at most |a|^2, so all sums together change by at most sqrt(h + 1) = mu s; the rest is `check_guarantee`.
    """
    check_guarantee()
    points = [
        stream(time, height, epsilon, delta, row)
        for time, height, (epsilon, delta), row in product(
            (1, 4, 5),
            (0, 1, 3),
            ((1, MILLIONTH), (8, Fraction(1, 3)), (Fraction(1, 10), MILLIONTH)),
            ((1, 0), (fmpq(3, 5), fmpq(-4, 5))),
        )
    ]
    with mpmath.workdps(60):
        bind_formula(statement, points, spare_by_hand)
    for p in (*points, stream(2, 2, row=(0, 0)), stream(2, 2, row=(fmpq(1, 3), fmpq(1, 5)))):
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    for inside in (START, stream(1, 0)):
        bind_hypotheses(statement, inside, OUTSIDE)
    (norm,) = (condition for condition in statement.given if condition.says == ROW)
    for time in (0, 6):
        assert norm.at(attrs.evolve(START, time=time)) is Truth.FALSE, "no row has this time"
    near = redefined(statement, released_sums, "squared_shift", lambda _: fmpq(1, 10))
    coarse = stream(3, 0, Fraction(1, 10), Fraction(9, 10))
    expected = spare_at_a_tenth(coarse)
    assert abs(near.margin(coarse) - arb(str(expected))) < arb(10) ** -12, "any distance counts"
    assert near.margin(coarse) < fmpq(899, 1000)


def check_noise_is_needed(statement: Statement) -> None:
    """Check that half the noise does not do, and that a longer row needs more."""
    line = ReleasedStreams(fmpq_mat([[0], [1], [3]]), 2, 1, 1, MILLIONTH)
    assert statement.at(line) is Truth.TRUE

    def quieter(p):
        return deviation(p) / 2

    assert redefined(statement, released_sums, "deviation", quieter).at(line) is Truth.FALSE
    assert statement.without(ROW).at(attrs.evolve(line, rows=fmpq_mat([[0], [2], [3]]))) is Truth.FALSE
