"""`near-optimal.figure-5`: what of it can be decided exactly."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.data_sets import Eigenvalues
from dpmatrix.spec.near_optimal.utility_figures import COVARIANCE, SyntheticRecord, score_of

figure_5 = cite("near-optimal.figure-5@8c9ef97f")


OUTSIDE = {"norm > 0": SyntheticRecord(0, 1), "epsilon > 0": SyntheticRecord(1, 0)}


@figure_5.refutes(grade="interval", region="a record of norm 3 at epsilon = 1/10, others zero; the loss at one output")
def test_gaussian_records_are_too_long(statement):
    """At V = (e_2, e_3) tr V'XX'V is 0 for the record r e_1 and r^2 for r e_2; the normalisers agree by a rotation.

    So the loss there is eps r^2 / 2, which exceeds eps for r^2 > 2.
    """
    points = [SyntheticRecord(Fraction(r, 3), Fraction(e, 7)) for r in range(1, 8) for e in (1, 4, 9)]
    bind(statement, [(p, p.epsilon - p.epsilon * p.norm**2 / 2) for p in points])
    assert [score_of(SyntheticRecord(3, 1), along) for along in (0, 1, 2, 3)] == [0, 4.5, 4.5, 0]
    assert statement.at(SyntheticRecord(3, Fraction(1, 10))) is Truth.FALSE
    assert statement.at(SyntheticRecord(1, Fraction(1, 10))) is Truth.TRUE
    bind_hypotheses(statement, SyntheticRecord(1, 1), OUTSIDE)
    assert statement.law is not None


PRINTED_COVARIANCE = ("0.5", "0.30", "0.04", "0.03", "0.02", "0.01", "0.004", "0.003", "0.001", "0.001")


def spectrum(values, rank: int) -> Eigenvalues:
    return Eigenvalues(tuple(Fraction(value, 20) for value in values), rank)


@figure_5.supports("most-of-the-trace", grade="symbolic", region="the ten printed eigenvalues, exactly")
def test_two_eigenvalues_hold_most_of_the_trace(statement):
    """0.8 of 0.909, which is between 0.88 and 0.89."""
    assert statement.data == (COVARIANCE,)
    assert Eigenvalues(tuple(fmpq(*Fraction(one).as_integer_ratio()) for one in PRINTED_COVARIANCE), 2) == COVARIANCE
    assert statement.at(COVARIANCE) is Truth.TRUE
    share = Fraction(800, 909)
    assert Fraction(88, 100) < share < Fraction(89, 100)
    points = [spectrum((a, b, c, 1), k) for a in (12, 8) for b in (4, 2) for c in (2, 1) for k in (1, 2, 3)]
    values = [(p, sum(p.values[: p.rank]) - sum(p.values) / 2) for p in points]
    bind(statement.elsewhere(), values)
    outside = {
        "1 <= k <= d": Eigenvalues(COVARIANCE.values, 11),
        "l_1 >= ... >= l_d >= 0": spectrum((1, 2), 1),
        "tr A <= 1": spectrum((20, 1), 1),
    }
    bind_hypotheses(statement, COVARIANCE, outside)
    assert statement.strict


@figure_5.controls("most-of-the-trace", grade="symbolic", region="one eigenvalue of two that are equal")
def test_half_of_the_trace_is_not_most_of_it(statement):
    assert statement.elsewhere().at(spectrum((5, 5), 1)) is Truth.FALSE
