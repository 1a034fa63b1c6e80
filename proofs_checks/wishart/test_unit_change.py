"""Definition 5 of `wishart`: what another neighbouring relation does to the scale of the noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.unit_change import UnitChange
from proofs_checks.near_optimal.conditions import bind_condition

definition_5 = cite("wishart.definition-5@fba03cdb")

SIGNS = [UnitChange(signs) for d in (1, 2, 3, 4) for signs in product((1, -1), repeat=d)]
GIVEN = "the eigenvalues are 1 or -1"
OTHERS = [UnitChange((1, Fraction(a, 3), Fraction(b, 2))) for a in range(-4, 5) for b in (-1, 1, 3)]


@definition_5.supports(
    "unit-change", grade="derived", region="every d: the norms of a matrix with these eigenvalues; 30 of them"
)
@definition_5.controls("unit-change", grade="symbolic", region="eigenvalues 1 and 1/3; an eigenvalue of 3/2")
def test_a_unit_change_can_have_every_eigenvalue_of_modulus_one(statement) -> None:
    """The spectral norm of a symmetric matrix is the largest modulus of an eigenvalue, the nuclear norm their sum."""
    assert all(statement.at(p) is Truth.TRUE for p in SIGNS)
    bind(statement, [(p, Fraction(0)) for p in SIGNS])

    def formula(p: UnitChange) -> Fraction:
        sizes = [abs(Fraction(value)) for value in p.eigenvalues]
        return min(-abs(max(sizes) - 1), -abs(sum(sizes) - len(sizes)) / 3)

    bind(statement, [(p, formula(p)) for p in OTHERS])
    flat, wide = UnitChange((1, Fraction(1, 3))), UnitChange((1, Fraction(3, 2), -1))
    bind_hypotheses(statement, SIGNS[3], {GIVEN: flat})
    for other in (flat, wide):
        assert statement.without(GIVEN).at(other) is Truth.FALSE
    far = [(p, -max(abs(Fraction(value) ** 2 - 1) for value in p.eigenvalues)) for p in OTHERS]
    bind_condition(statement, GIVEN, [*far, (UnitChange(()), -1)])
    assert not statement.strict
