"""`compression`: Assumption 1, on exact rational matrices."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.eigenvalue_assumption import EigenvalueAssumption
from proofs_checks.compression.covariance_pairs import INDEFINITE, SKEW, UNIT, WIDE, drawn_pairs, spectrum
from proofs_checks.exact_matrices import correlated

assumption_1 = cite("compression.assumption-1@72e884af")

ENTRIES = random.Random(20090119)


def shrinking(smallness, floor) -> EigenvalueAssumption:
    """Two columns with correlations 1 - eta and 1 - eta - eta^3; eta = min(s, floor, 1)/2."""
    eta = min(Fraction(str(smallness)), Fraction(str(floor)), Fraction(1)) / 2
    return EigenvalueAssumption(correlated(1 - eta), correlated(1 - eta - eta**3), Fraction(1, 2), smallness, floor)


def assumptions() -> list[EigenvalueAssumption]:
    return [
        EigenvalueAssumption(p.first, p.second, Fraction(1, 9 + i), Fraction(1, 3), Fraction(1, 7 + i))
        for i, p in enumerate(drawn_pairs(ENTRIES))
    ]


MILD = EigenvalueAssumption(
    correlated(Fraction(1, 4)), correlated(Fraction(1, 5)), Fraction(3, 4), Fraction(1, 8), Fraction(1, 9)
)
OUTSIDE_ASSUMPTION = {
    "the covariances are symmetric": attrs.evolve(MILD, first=SKEW, second=SKEW),
    "Sigma_1 is positive definite": attrs.evolve(MILD, first=INDEFINITE),
    "Sigma_j is positive definite": attrs.evolve(MILD, second=INDEFINITE),
    "the columns are normalised as in (4)": attrs.evolve(MILD, second=WIDE),
    "c_min > 0": attrs.evolve(MILD, c_min=0),
    "1/lambda_max(Sigma_1) >= C_min": attrs.evolve(MILD, c_min=Fraction(81, 100)),
    "||Gamma||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 18)),
    "||Delta||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 21)),
}


def assert_assumption(statement) -> None:
    """Check every hypothesis, and that the bounds are where they should be: 1/lambda_max = 4/5, ||Delta|| = 1/20."""
    bind_hypotheses(statement, MILD, OUTSIDE_ASSUMPTION)
    assert statement.applies(attrs.evolve(MILD, c_min=Fraction(79, 100))) is Truth.TRUE
    # Gamma has the eigenvalues 5/4 - 4/3 = -1/12 and 5/6 - 4/5 = 1/30.
    assert statement.applies(attrs.evolve(MILD, smallness=Fraction(1, 13))) is Truth.FALSE
    assert statement.applies(attrs.evolve(MILD, smallness=Fraction(1, 11))) is Truth.TRUE
    assert statement.applies(EigenvalueAssumption(UNIT, UNIT, 1, 0, 1)) is Truth.TRUE, "each bound attained"
    stretched = EigenvalueAssumption(
        correlated(Fraction(-1, 4)), correlated(Fraction(-1, 5)), Fraction(1, 2), Fraction(1, 13), 1
    )
    assert statement.applies(stretched) is Truth.FALSE
    large = correlated(Fraction(1, 4)), correlated(Fraction(-1, 4))
    assert statement.applies(EigenvalueAssumption(*large, Fraction(1, 2), Fraction(51, 100), 1)) is Truth.FALSE
    assert not statement.strict


EVERY = "C_min = 1/2: every s and floor by the family, which is run from 10^-12 to 10^12"


@assumption_1.refutes(grade="derived", region=EVERY)
def test_assumption_1_does_not_keep_matrices_from_being_singular(statement) -> None:
    """Sigma_1 has the eigenvalues eta and 2 - eta, Sigma_j eta + eta^3 and 2 - eta - eta^3, for the same vectors.

    So 1/lambda_max(Sigma_1) > 1/2, ||Delta|| = eta^3, and Gamma has the eigenvalues -eta/(1 + eta^2) (1) and eta^3/((2
    - eta)(2 - eta - eta^3)) < eta^3 (2): both norms are at most eta <= s/2. lambda_min(Sigma_j) <= 5 eta/4 < floor.
    """
    eta = sympy.Symbol("eta", positive=True)
    first, second = (sympy.Matrix([[1, x], [x, 1]]) for x in (1 - eta, 1 - eta - eta**3))
    assert set(first.eigenvals()) == {eta, 2 - eta}
    turned, minus, plus = second.inv() - first.inv(), sympy.Matrix([1, -1]), sympy.Matrix([1, 1])
    along = eta**3 / ((2 - eta) * (2 - eta - eta**3))
    assert sympy.simplify(turned * minus + eta / (1 + eta**2) * minus) == sympy.zeros(2, 1), "(1)"
    assert sympy.simplify(turned * plus - along * plus) == sympy.zeros(2, 1), "(2)"
    statement.refute(shrinking)
    bind_formula(statement, assumptions(), lambda p: spectrum(p.second)[0] - real(p.floor))
    assert_assumption(statement)


@assumption_1.refutes("eigenvalue-conditions", grade="derived", region=EVERY)
def test_assumption_1_does_not_keep_eigenvalues_of_one_order(statement) -> None:
    """The same family: lambda_min(Sigma_1) = eta <= floor/2, and ||Sigma_1|| = 2 - eta > 1."""
    statement.refute(shrinking)
    bind_formula(statement, assumptions(), lambda p: spectrum(p.first)[0] - real(p.floor) * spectrum(p.first)[-1])
    assert_assumption(statement)


REPAIRED_OUTSIDE = {
    name: OUTSIDE_ASSUMPTION[name] for name in ("the covariances are symmetric", "||Delta||_2 <= s")
} | {
    "lambda_min(Sigma_1) >= C_min": attrs.evolve(MILD, c_min=Fraction(76, 100)),
}


@assumption_1.supports_repair(
    grade="derived", region="every p: Lemma 3.3 and ||Delta||_2 <= s; bound at 24 pairs, p <= 4"
)
def test_with_a_lower_bound_the_matrices_stay_away_from_being_singular(statement) -> None:
    """lambda_min(Sigma_j) >= lambda_min(Sigma_1) - ||Delta||_2 >= C_min - s."""
    near = [attrs.evolve(MILD, second=correlated(Fraction(k, 72)), smallness=Fraction(k, 64)) for k in range(10, 40, 2)]
    points = assumptions() + near
    bind_formula(statement, points, lambda p: spectrum(p.second)[0] - real(p.c_min) + real(p.smallness))
    met = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert met
    for p in met:
        assert statement.at(p) is Truth.TRUE
    bind_hypotheses(statement, MILD, REPAIRED_OUTSIDE)
    assert statement.applies(attrs.evolve(MILD, c_min=Fraction(74, 100))) is Truth.TRUE
    assert statement.applies(attrs.evolve(MILD, second=WIDE, smallness=2)) is Truth.TRUE, "normalised or not"
    assert statement.at(EigenvalueAssumption(UNIT, UNIT, 1, 0, 1)) is Truth.TRUE, "each bound attained"
    assert not statement.strict


@assumption_1.controls("+repair", grade="interval", region="the lower bound dropped; C_min - s/2 in place of C_min - s")
def test_without_the_lower_bound_the_repair_fails(statement) -> None:
    free = statement.without("lambda_min(Sigma_1) >= C_min")
    assert free.at(attrs.evolve(shrinking(Fraction(1, 8), Fraction(1, 4)), c_min=Fraction(1, 2))) is Truth.FALSE
    tight = EigenvalueAssumption(
        correlated(Fraction(1, 4)), correlated(Fraction(3, 8)), Fraction(3, 4), Fraction(1, 8), 1
    )
    assert statement.at(attrs.evolve(tight, smallness=Fraction(13, 100))) is Truth.TRUE
    half = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, smallness=p.smallness / 2)))
    assert half.at(attrs.evolve(tight, smallness=Fraction(13, 100))) is Truth.FALSE
