"""`compression`: Proposition C.1 and Lemma C.2, step by step."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.conditions import equality
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.compression import log_determinants
from dpmatrix.spec.compression.covariances import CovariancePair
from dpmatrix.spec.compression.eigenvalue_assumption import EigenvalueAssumption
from dpmatrix.spec.compression.log_determinants import OneOrder, PathPoint
from dpmatrix.spec.compression.log_determinants import remainder as closed_form
from proofs_checks.compression.covariance_pairs import (
    BENT,
    DEFINITE,
    INDEFINITE,
    NEAR,
    SKEW,
    UNIT,
    WIDE,
    bounds,
    frobenius,
    gamma,
    middle,
    norm,
    relative,
    remainder,
    sheared,
    spectrum,
)
from proofs_checks.compression.drawn_outputs import PAIRS
from proofs_checks.exact_matrices import correlated, diagonal
from proofs_checks.steps import by_step

proposition_c_1 = cite("compression.proposition-c-1@97bb50a4")
lemma_c_2 = cite("compression.lemma-c-2@bb06296d")

SCALED = CovariancePair(fmpq_mat([[2, 0], [0, 2]]), fmpq_mat([[3, 0], [0, 3]]))
CLOSE = "||Sigma_1|| ||Gamma|| < 1"
FAR = CovariancePair(UNIT, fmpq_mat([[fmpq(1, 2), 0], [0, 1]]))
"""Gamma = diag(1, 0): x is exactly 1."""


def assert_definite(statement, more=None) -> None:
    bind_hypotheses(statement, NEAR, DEFINITE | (more or {}))
    bind_hypotheses(statement, SCALED, DEFINITE | (more or {}))


@proposition_c_1.supports(
    grade="derived",
    region="every p and positive definite pair: the docstring's derivation; the integral enclosed at 18 pairs of "
    "numbers and six pairs of p = 2, 3",
)
def test_proposition_c_1(statement) -> None:
    """Let g be the eigenvalues of S Gamma S, S the root of Sigma_1; I + S Gamma S = S Theta_2 S is positive definite.

    vec(G)'(B (x) B)vec(G) = tr(G B G B) for symmetric B (1), and B = (Theta_1 + v Gamma)^-1 = S (I + v S Gamma S)^-1
    S, so the integrand is the sum of (1 - v) g^2/(1 + v g)^2, whose integral is g - log(1 + g) (2), as
    w = 1 + g > 0. tr(Gamma Sigma_1) = sum g and ln|Theta_2| - ln|Theta_1| = sum log(1 + g).
    """
    g11, g12, g22, b11, b12, b22 = sympy.symbols("g11 g12 g22 b11 b12 b22", real=True)
    change, factor = sympy.Matrix([[g11, g12], [g12, g22]]), sympy.Matrix([[b11, b12], [b12, b22]])
    vector = sympy.Matrix([change[0, 0], change[1, 0], change[0, 1], change[1, 1]])
    quadratic = (vector.T * sympy.kronecker_product(factor, factor) * vector)[0]
    assert sympy.expand(quadratic - (change * factor * change * factor).trace()) == 0, "(1)"
    v = sympy.Symbol("v", nonnegative=True)
    g = sympy.Symbol("w", positive=True) - 1
    primitive = -(1 + g) / (1 + v * g) - sympy.log(1 + v * g)
    assert sympy.simplify(sympy.diff(primitive, v) - (1 - v) * g**2 / (1 + v * g) ** 2) == 0, "(2)"
    assert sympy.simplify(primitive.subs(v, 1) - primitive.subs(v, 0) - (g - sympy.log(1 + g))) == 0, "(2)"
    ones = [CovariancePair(fmpq_mat([[a]]), fmpq_mat([[b]])) for a in (1, 2, 5) for b in (1, 3, 4, 7, 9, 11)]
    bind(statement, ((p, fmpq(0)) for p in [*ones, *PAIRS[:2]]))
    for p in PAIRS[2:6]:
        margin = statement.margin(p)
        assert abs(margin) < arb(2) ** -40
        assert not margin < 0
    for inside in (NEAR, CovariancePair(UNIT * 2, UNIT * 3)):
        bind_hypotheses(statement, inside, DEFINITE)
    assert not statement.strict


@proposition_c_1.controls(grade="interval", region="p = 1: tr(Gamma Sigma_1) counted twice; -Delta for Gamma")
def test_another_expansion_is_noticed(statement) -> None:
    p = CovariancePair(fmpq_mat([[1]]), fmpq_mat([[2]]))
    assert statement.at(p) is not Truth.FALSE
    twice = redefined(statement, log_determinants, "trace", lambda m: 2 * trace(m))
    assert twice.at(p) is Truth.FALSE
    assert abs(twice.formula(p) + fmpq(1, 2)) < arb(2) ** -30, "Gamma = -1/2"
    other = redefined(statement, log_determinants, "inverse_difference", lambda point: point.second - point.first)
    assert other.at(p) is Truth.FALSE, "Delta for Gamma"


def lower(p) -> mpmath.mpf:
    least, change = spectrum(p.first)[0], gamma(p)
    return remainder(p) - frobenius(change) ** 2 * least**2 / (2 * (1 + least * norm(change)) ** 2)


def upper(p) -> mpmath.mpf:
    top, change = norm(p.first), gamma(p)
    return frobenius(change) ** 2 * top**2 / (2 * (1 - top * norm(change)) ** 2) - remainder(p)


EVERY = "every p: the docstring's derivation; bound at 22 pairs, p <= 3"


@lemma_c_2.supports_repair(grade="derived", region=EVERY)
def test_lemma_c_2(statement) -> None:
    """A = int (1 - v) vec(G)'(B (x) B)vec(G) dv with eigenvalues mu_i mu_j of B (x) B, mu those of B(v).

    mu_i mu_j lies between 1/||Theta_1 + v G||^2 and 1/lambda_min(Theta_1 + v G)^2, and int (1 - v) dv = 1/2 (1). The
    norm is at most ||Theta_1|| + ||G|| = (1 + l ||G||)/l, l = lambda_min(Sigma_1) (2); lambda_min(Theta_1 + v G) is at
    least 1/||Sigma_1|| - ||G|| = (1 - x)/||Sigma_1|| > 0 (3).
    """
    v, least, g, top = sympy.symbols("v l g S", positive=True)
    assert sympy.integrate(1 - v, (v, 0, 1)) == sympy.Rational(1, 2), "(1)"
    assert sympy.simplify(1 / (2 * (1 / least + g) ** 2) - least**2 / (2 * (1 + least * g) ** 2)) == 0, "(2)"
    assert sympy.simplify((1 / top - g) - (1 - top * g) / top) == 0, "(3)"
    # Where Sigma_2 is the larger one, the upper bound is the closer one.
    larger = [CovariancePair(UNIT * k, UNIT * (k + 1)) for k in (2, 5, 100)]
    bind_formula(statement, [*PAIRS, *larger], lambda p: min(lower(p), upper(p)))
    for p in PAIRS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    assert_definite(statement, {CLOSE: FAR})
    assert statement.applies(CovariancePair(UNIT, fmpq_mat([[fmpq(20, 39), 0], [0, 1]]))) is Truth.TRUE, "x = 19/20"
    assert not statement.strict


@lemma_c_2.controls("+repair", grade="interval", region="multiples of I: nearly equal; x >= 1")
def test_lemma_c_2_is_nearly_sharp(statement) -> None:
    """For small Gamma both bounds tend to ||Gamma||_F^2 lambda^2 / 2; beyond x = 1 the upper one is false."""
    p = CovariancePair(fmpq_mat([[100, 0], [0, 100]]), fmpq_mat([[101, 0], [0, 101]]))
    assert statement.at(p) is Truth.TRUE
    tenth = redefined(statement, log_determinants, "remainder", lambda p: closed_form(p) * fmpq(9, 10))
    assert tenth.at(p) is Truth.FALSE, "nine tenths of A"
    apart = CovariancePair(UNIT, fmpq_mat([[fmpq(1, 100), 0], [0, fmpq(1, 100)]]))
    assert statement.without(CLOSE).at(apart) is Truth.FALSE, "x = 99: A = 189 and the bound is 1.02"


def shrinking(smallness) -> EigenvalueAssumption:
    """Set eta = 1/k^2 and a change of eta^(3/2) = 1/k^3 <= s/2 with k >= 2: the middle term is about 2 k."""
    k = 2
    while 2 * Fraction(1, k**3) > Fraction(str(smallness)):
        k *= 2
    eta, t = Fraction(1, k * k), Fraction(1, k**3)
    first, second = correlated(1 - eta, 0, 0, 0, 0, 0), correlated(1 - eta, 0, 0, 0, 0, t)
    return EigenvalueAssumption(first, second, Fraction(1, 2), smallness, 1)


MILD = EigenvalueAssumption(
    correlated(Fraction(1, 4)), correlated(Fraction(1, 5)), Fraction(3, 4), Fraction(1, 8), Fraction(1, 9)
)


@lemma_c_2.refutes(grade="derived", region="C_min = 1/2: every s by eta = 1/k^2; run from 10^-12 to 10^12")
def test_the_middle_term_is_not_small_under_assumption_1(statement) -> None:
    """Delta has norm t = 1/k^3, both least eigenvalues are eta = 1/k^2 and ||Sigma_1|| = 2 - eta.

    So the middle term is (2 - eta) t/eta^2 = 2 k - 1/k > 1, while ||Gamma|| = t/(1 - t) <= 2 t <= s.
    """
    k = sympy.Symbol("k", positive=True)
    assert sympy.simplify((2 - 1 / k**2) / k**3 * k**4 - (2 * k - 1 / k)) == 0
    statement.refute(shrinking)
    points = [EigenvalueAssumption(p.first, p.second, Fraction(1, 9), 1, 1) for p in PAIRS]
    bind_formula(statement, points, lambda p: 1 - middle(p))
    bind_hypotheses(
        statement,
        MILD,
        {
            "the covariances are symmetric": attrs.evolve(MILD, first=SKEW, second=SKEW),
            "Sigma_1 is positive definite": attrs.evolve(MILD, first=INDEFINITE),
            "Sigma_j is positive definite": attrs.evolve(MILD, second=INDEFINITE),
            "the columns are normalised as in (4)": attrs.evolve(MILD, second=WIDE),
            "c_min > 0": attrs.evolve(MILD, c_min=0),
            "1/lambda_max(Sigma_1) >= C_min": attrs.evolve(MILD, c_min=Fraction(81, 100)),
            "||Gamma||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 18)),
            "||Delta||_2 <= s": attrs.evolve(MILD, smallness=Fraction(1, 21)),
        },
    )
    assert not statement.strict


@lemma_c_2.supports("first-inequality", grade="derived", region=EVERY)
@lemma_c_2.supports("lower-spectrum", grade="derived", region=EVERY)
@lemma_c_2.supports("norm-of-the-sum", grade="derived", region=EVERY)
@lemma_c_2.supports("lower-bound-rewritten", grade="derived", region=EVERY)
@lemma_c_2.supports("upper-spectrum", grade="derived", region=EVERY)
@lemma_c_2.supports("supremum", grade="derived", region=EVERY)
def test_the_lines_of_the_proof_of_lemma_c_2(statements) -> None:
    """Each line on its own; the suprema over v are attained at the ends (convex norm, concave least eigenvalue).

    First display: ||Gamma|| = ||Theta_2 Delta Theta_1|| <= ||Delta||/(l_1 l_2). Spectra: as in the repaired lemma.
    Norm: the triangle inequality with v <= 1. Supremum: lambda_min(Theta_1 + v Gamma) >= (1 - x)/||Sigma_1||.
    """
    names = by_step(statements)
    formulas = {
        "first-inequality": lambda p: middle(p) - relative(p),
        "lower-spectrum": lambda p: remainder(p) - frobenius(gamma(p)) ** 2 / (2 * bounds(p)[0] ** 2),
        "norm-of-the-sum": lambda p: 1 / spectrum(p.first)[0] + norm(gamma(p)) - bounds(p)[0],
        "lower-bound-rewritten": lambda _: mpmath.mpf(0),
        "upper-spectrum": lambda p: frobenius(gamma(p)) ** 2 / (2 * bounds(p)[1] ** 2) - remainder(p),
        "supremum": lambda p: norm(p.first) / (1 - relative(p)) - 1 / bounds(p)[1],
    }
    assert set(formulas) == set(names)
    more = {
        "upper-spectrum": {"the covariances are symmetric": CovariancePair(sheared(1000), BENT)},
        "supremum": {
            CLOSE: FAR,
            "Sigma_1 is positive definite": CovariancePair(diagonal([1, -10]), diagonal([1, 10])),
        },
    }
    for name, statement in names.items():
        bind_formula(statement, PAIRS, formulas[name])
        assert_definite(statement, more.get(name))
        assert not statement.strict
        for p in PAIRS:
            if statement.applies(p) is Truth.TRUE:
                assert statement.at(p) is not Truth.FALSE
    whole = redefined(names["lower-bound-rewritten"], log_determinants, "equality", lambda a, b: equality(2 * a, b))
    assert whole.at(PAIRS[0]) is Truth.FALSE, "without the 2 on the left"
    bind_formula(whole, PAIRS, lambda p: -1 / (2 * (1 / spectrum(p.first)[0] + norm(gamma(p))) ** 2))


@lemma_c_2.supports("least-eigenvalue-on-the-path", grade="derived", region=EVERY + ", v in [0, 1]")
def test_the_path_stays_positive_definite(statement) -> None:
    """Weyl: lambda_min(Theta_1 + v Gamma) >= lambda_min(Theta_1) - v ||Gamma|| = (1 - v x)/||Sigma_1||, and v x < 1."""
    points = [PathPoint(p.first, p.second, place=Fraction(i % 5, 4)) for i, p in enumerate(PAIRS)]

    def formula(p: PathPoint) -> mpmath.mpf:
        least = spectrum(real_matrix(p.first) ** -1 + gamma(p) * real(p.place))[0]
        bound = (1 - real(p.place) * relative(p)) / norm(p.first)
        return min(least - bound, bound)

    bind_formula(statement, points, formula)
    for p in points:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is not Truth.FALSE
    inside = PathPoint(NEAR.first, NEAR.second, place=1)
    outside = {
        name: PathPoint(p.first, p.second, place=Fraction(1, 2)) for name, p in (DEFINITE | {CLOSE: FAR}).items()
    }
    outside |= {
        "place >= 0": attrs.evolve(inside, place=Fraction(-1, 9)),
        "place <= 1": attrs.evolve(inside, place=Fraction(10, 9)),
    }
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, attrs.evolve(inside, place=0), outside)
    assert not statement.strict


@lemma_c_2.supports("one-order", grade="derived", region="every p, K, s with K s < 1; bound at 22 pairs")
def test_eigenvalues_of_one_order_make_the_middle_term_small(statement) -> None:
    """Under (4) ||Sigma_1|| >= 1, so l_1 >= 1/K; l_2 >= l_1 - s by Lemma 3.3; ||Sigma_1||/l_1 <= K.

    So the middle term is at most s K/(1/K - s) = K^2 s/(1 - K s).
    """
    k, s = sympy.symbols("K s", positive=True)
    assert sympy.simplify(s * k / (1 / k - s) - k**2 * s / (1 - k * s)) == 0
    points = [OneOrder(p.first, p.second, order=5, smallness=Fraction(1, 6 + i % 3)) for i, p in enumerate(PAIRS)]

    def formula(p: OneOrder) -> mpmath.mpf:
        order, small = real(p.order), real(p.smallness)
        return order**2 * small / (1 - order * small) - middle(p)

    bind_formula(statement, points, formula)
    met = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert met
    for p in met:
        assert statement.at(p) is Truth.TRUE
    inside = OneOrder(correlated(Fraction(1, 4)), correlated(Fraction(1, 5)), order=2, smallness=Fraction(1, 10))
    outside = {name: OneOrder(p.first, p.second, order=2, smallness=1) for name, p in DEFINITE.items()} | {
        "the columns are normalised as in (4)": attrs.evolve(inside, second=WIDE),
        "||Sigma_1|| <= K lambda_min(Sigma_1)": attrs.evolve(inside, order=Fraction(16, 10)),
        "||Delta||_2 <= s": attrs.evolve(inside, smallness=Fraction(1, 21)),
        "K s < 1": attrs.evolve(inside, smallness=Fraction(1, 2)),
        "order > 0": attrs.evolve(inside, order=0),
    }
    bind_hypotheses(statement, inside, outside)
    # Without symmetry ||Delta|| = 1/100 takes lambda_min(Sigma_j) to 1/10; without (4) ||Sigma_1|| may be below 1.
    skew = OneOrder(sheared(Fraction(8099, 100)), sheared(81, Fraction(1, 100)), order=2, smallness=Fraction(11, 1000))
    tiny = OneOrder(UNIT / 2, UNIT / 1000, order=Fraction(3, 2), smallness=Fraction(1, 2))
    telling = {"the covariances are symmetric": skew, "the columns are normalised as in (4)": tiny}
    bind_hypotheses(statement, inside, outside | telling)
    assert statement.at(OneOrder(UNIT, UNIT, order=1, smallness=0)) is Truth.TRUE, "each bound attained"
    assert statement.applies(attrs.evolve(inside, order=Fraction(17, 10))) is Truth.TRUE, "5/4 <= K 3/4"
    assert statement.applies(attrs.evolve(inside, smallness=Fraction(1, 19))) is Truth.TRUE
    assert statement.applies(attrs.evolve(inside, smallness=Fraction(49, 100))) is Truth.TRUE
    assert not statement.strict
