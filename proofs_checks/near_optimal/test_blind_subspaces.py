"""Theorem 8 of `near-optimal`: how many records are needed for other k."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.blind_subspaces import Blind

theorem_8 = cite("near-optimal.theorem-8@9569f819")

HALF = Fraction(1, 2)
SPECTRA = ((HALF, Fraction(1, 4), Fraction(1, 8)), (Fraction(9, 10), 0), (Fraction(1, 5),) * 4)
POINTS = [
    Blind(values, k, share)
    for values in SPECTRA
    for k in range(1, len(values) + 1)
    for share in (HALF, Fraction(9, 10), Fraction(1, 10))
]


@theorem_8.refutes("for-every-k", grade="symbolic", region="k = d: the only subspace; equal eigenvalues, k = 1")
def test_without_a_look_at_the_data(statement) -> None:
    """For uniform V the mean of VV' is (k/d) 1: it is the same in every basis, and its trace is k."""
    a, b, c = sympy.symbols("a b c")
    # Invariant under a swap and a change of signs of the coordinates: a multiple of the unit matrix.
    mean, swap, sign = sympy.Matrix([[a, b], [b, c]]), sympy.Matrix([[0, 1], [1, 0]]), sympy.diag(1, -1)
    solved = sympy.solve([*(swap * mean * swap - mean), *(sign * mean * sign - mean), a + c - 1], [a, b, c], dict=True)
    assert solved == [{a: sympy.Rational(1, 2), b: 0, c: sympy.Rational(1, 2)}]
    for p in POINTS:
        blind = p.rank == len(p.values) or len(set(p.values)) == 1
        if blind and p.share * len(p.values) <= p.rank:
            assert statement.at(p) is Truth.FALSE
    assert statement.at(Blind(SPECTRA[0], 3, Fraction(9, 10))) is Truth.FALSE
    assert statement.at(Blind(SPECTRA[0], 1, Fraction(9, 10))) is Truth.TRUE
    formula = [(p, p.share * sum(p.values[: p.rank]) - Fraction(p.rank, len(p.values)) * sum(p.values)) for p in POINTS]
    bind(statement, formula)
    inside = POINTS[0]
    outside = {
        "1 <= k <= d": attrs.evolve(inside, rank=4),
        "l_1 >= ... >= l_d >= 0": attrs.evolve(inside, values=SPECTRA[0][::-1]),
        "tr A <= 1": attrs.evolve(inside, values=(1, HALF, 0)),
        "share > 0": attrs.evolve(inside, share=0),
        "share < 1": attrs.evolve(inside, share=1),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.strict
