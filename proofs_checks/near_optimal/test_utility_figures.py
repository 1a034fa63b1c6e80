"""`near-optimal.figure-5`: what of it can be decided exactly."""

from __future__ import annotations

from fractions import Fraction

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.utility_figures import SyntheticRecord

figure_5 = cite("near-optimal.figure-5@f73ee5cb")


@figure_5.refutes(grade="derived", region="a record of norm 3 at epsilon = 1/10, by the docstring's bound on the loss")
def test_gaussian_records_are_too_long(statement):
    """Replace x by w, orthogonal and of the same norm r: n tr V'(A' - A)V = |V'w|^2 - |V'x|^2 runs over [-r^2, r^2].

    Both densities integrate to 1, so the log-ratio is eps/2 times that less a constant: it varies by eps r^2, and its
    modulus reaches eps r^2 / 2 somewhere, which exceeds eps for r^2 > 2.
    """
    points = [SyntheticRecord(Fraction(r, 3), Fraction(e, 7)) for r in range(1, 8) for e in (1, 4, 9)]
    bind(statement, [(p, p.epsilon - p.epsilon * p.norm**2 / 2) for p in points])
    assert statement.at(SyntheticRecord(3, Fraction(1, 10))) is Truth.FALSE
    assert statement.at(SyntheticRecord(1, Fraction(1, 10))) is Truth.TRUE
    bind_hypotheses(
        statement, SyntheticRecord(1, 1), {"norm > 0": SyntheticRecord(0, 1), "epsilon > 0": SyntheticRecord(1, 0)}
    )
