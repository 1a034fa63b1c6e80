"""`near-optimal.figure-5`: what of it can be decided exactly."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.utility_figures import SyntheticRecord, score_of

figure_5 = cite("near-optimal.figure-5@ae8a918d")


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
