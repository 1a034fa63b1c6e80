"""The transformation of `compression`: what its output tells of the data."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.told_by_moment import TwoOutputs, told
from proofs_checks.exact_matrices import cayley
from proofs_checks.near_optimal.conditions import bind_condition

transformation = cite("compression.transformation@3cdb536d")

OUTPUT = fmpq_mat([[1, 2], [0, 1], [-1, 3]])
FIRST, SECOND = fmpq_mat([[1, fmpq(1, 2)], [fmpq(1, 2), 1]]), fmpq_mat([[1, fmpq(-1, 3)], [fmpq(-1, 3), 1]])
TURNED = [
    TwoOutputs(OUTPUT, cayley(fmpq_mat([[0, a, b], [0, 0, fmpq(1, 2)], [0, 0, 0]])) * OUTPUT, FIRST, SECOND)
    for a in (1, 2, fmpq(-1, 3))
    for b in (0, 3)
]
OTHERS = [
    TwoOutputs(OUTPUT, OUTPUT * fmpq(k, 4) + fmpq_mat([[0, j], [j, 0], [0, 0]]), FIRST, SECOND)
    for k in (1, 4, 7, -3)
    for j in (0, 1, 2, 3, -1)
]
MOMENT, DIFFER = "the outputs have one second moment", "the outputs differ"


def half_trace(p: TwoOutputs, output: fmpq_mat) -> Fraction:
    """``tr (S_2^-1 - S_1^-1) Y'Y / 2``, through the second moment."""
    a, b, y = (
        sympy.Matrix(x.nrows(), x.ncols(), [sympy.Rational(int(e.p), int(e.q)) for e in x.entries()])
        for x in (p.first, p.second, output)
    )
    value = ((b.inv() - a.inv()) * y.T * y).trace() / 2
    return Fraction(int(value.p), int(value.q))


@transformation.refutes(
    "more-informative", grade="derived", region="every m, p and databases: the docstring; six pairs of outputs exactly"
)
def test_the_second_moment_tells_everything(statement) -> None:
    """The density of Phi X at Y is proportional to exp(-tr S^-1 Y'Y/2), whose factor depends on S alone.

    So the ratio for two databases depends on Y through Y'Y. Outputs with one second moment are turned into each other
    by an orthogonal matrix, which changes the law of Phi for no X.
    """
    for p in TURNED:
        assert statement.at(p) is Truth.FALSE
        assert told(p, p.output) != 0
    bind(statement, [(p, abs(half_trace(p, p.output) - half_trace(p, p.other))) for p in OTHERS])
    inside = TURNED[0]
    bind_hypotheses(statement, inside, {MOMENT: OTHERS[0], DIFFER: attrs.evolve(inside, other=OUTPUT)})
    assert statement.without(MOMENT).at(OTHERS[1]) is Truth.TRUE
    shifted = [TwoOutputs(OUTPUT, OUTPUT + fmpq_mat([[0, 0], [k, 0], [0, 0]]), FIRST, SECOND) for k in range(20)]
    bind_condition(statement, DIFFER, [(p, k * k) for k, p in enumerate(shifted)], strict=True)
    bind_condition(statement, MOMENT, [(p, -(k * k + 2 * k)) for k, p in enumerate(shifted)])
    assert statement.strict
