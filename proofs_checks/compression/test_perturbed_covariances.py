"""`compression`: Delta_max, Proposition 3.1 and Lemma 3.3, on exact rational matrices."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.compression import perturbed_covariances
from dpmatrix.spec.compression.covariances import CovariancePair, NearbyPair, least_eigenvalue, operator_norm
from dpmatrix.spec.compression.perturbed_covariances import DatabaseFamily, OneMatrix
from proofs_checks.compression.covariance_pairs import (
    NEAR,
    UNIT,
    assert_definite,
    drawn_pairs,
    frobenius,
    gamma,
    norm,
    outside,
    sheared,
    spectrum,
)
from proofs_checks.exact_matrices import correlated, diagonal

delta_max = cite("compression.delta-max@265826c8")
proposition_3_1 = cite("compression.proposition-3-1@2c9c925a")
lemma_3_3 = cite("compression.lemma-3-3@f9719689")

ENTRIES = random.Random(20090119)
HALF = Fraction(1, 2)


def family(*values, centre=0) -> DatabaseFamily:
    return DatabaseFamily(tuple(correlated(value) for value in values), correlated(centre))


def drawn_families() -> list[DatabaseFamily]:
    return [
        family(Fraction(i, 9), Fraction(-i, 7), Fraction(j, 8), centre=Fraction(j, 20))
        for i in range(-2, 3)
        for j in range(-2, 3)
    ]


def delta_max_formula(covariances, centre) -> fmpq:
    return 2 * max(max(abs(x) for x in (matrix - centre).entries()) for matrix in covariances)


@delta_max.supports(
    grade="derived", region="every family of matrices: the triangle inequality; bound at 25 families of p = 2"
)
def test_delta_max_bounds_the_pairwise_distances(statement) -> None:
    """|s_i - s_j| <= |s_i - c| + |c - s_j| <= 2 max_k |s_k - c|, entry by entry."""
    values = []
    for p in [*drawn_families(), family(Fraction(1, 3), centre=Fraction(1, 7))]:
        pairs = [max(abs(x) for x in (a - b).entries()) for a in p.covariances for b in p.covariances]
        values.append((p, delta_max_formula(p.covariances, p.centre) - max(pairs)))
        assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    s, c, t = sympy.symbols("s c t", real=True)
    assert sympy.expand((s - c) + (c - t) - (s - t)) == 0
    assert statement.given == ()
    assert not statement.strict
    assert statement.at(family(Fraction(1, 2), Fraction(-1, 2))) is Truth.TRUE, "attained: Sigma* half-way"


@delta_max.controls(grade="symbolic", region="p = 2, Sigma* half-way: (5) without its factor 2")
def test_half_of_delta_max_is_too_small(statement) -> None:
    half_way = family(Fraction(1, 2), Fraction(-1, 2))
    whole = perturbed_covariances.delta_max
    halved = redefined(statement, perturbed_covariances, "delta_max", lambda *point: whole(*point) / 2)
    assert statement.at(half_way) is Truth.TRUE
    assert halved.at(half_way) is Truth.FALSE


def first_bound(p: NearbyPair) -> mpmath.mpf:
    return p.first.nrows() * real(p.delta_max) - frobenius(p.first - p.second)


def second_bound(p: CovariancePair) -> mpmath.mpf:
    inverses = real_matrix(p.second) ** -1 - real_matrix(p.first) ** -1
    change = mpmath.sqrt(sum(x**2 for x in inverses))
    return frobenius(p.first - p.second) / (spectrum(p.first)[0] * spectrum(p.second)[0]) - change


SCALED = NearbyPair(fmpq_mat([[2, 0], [0, 2]]), UNIT, 1)
"""Multiples of the identity: (8) is an equality."""
EVERY_P = "every p: the docstring's derivation; bound at 24 pairs, p <= 4, its 2 x 2 case symbolically"


HYPOTHESES = (
    "the covariances are symmetric",
    "Sigma_1 is positive definite",
    "Sigma_j is positive definite",
    "max |Delta_jk| <= Delta_max",
)


@proposition_3_1.supports(grade="derived", region=EVERY_P)
@proposition_3_1.supports("frobenius-norm", grade="derived", region=EVERY_P)
@proposition_3_1.supports("inverse", grade="derived", region=EVERY_P)
@proposition_3_1.supports("gamma", grade="derived", region=EVERY_P)
def test_proposition_3_1(statements) -> None:
    """(7) has p^2 squares of at most Delta_max^2; (8) is a product of three matrices.

    Gamma = Sigma_j^-1 Delta Sigma_1^-1 because S^-1 (T - S) T^-1 = S^-1 - T^-1; in eigenbases U of Sigma_j and V of
    Sigma_1, ||Gamma||_F^2 = sum (U'Delta V)_ik^2 / (mu_i lambda_k)^2 <= ||U'Delta V||_F^2 / (mu_min lambda_min)^2, and
    U, V keep the Frobenius norm.
    """
    a, b, c, d = sympy.symbols("a b c d", real=True)
    mu, nu, lam, kap = sympy.symbols("mu nu lambda kappa", positive=True)
    turn = sympy.Matrix([[3, -4], [4, 3]]) / 5
    other = sympy.Matrix([[5, -12], [12, 5]]) / 13
    inner = sympy.Matrix([[a, b], [c, d]])
    whole = turn * sympy.diag(1 / mu, 1 / nu) * inner * sympy.diag(1 / lam, 1 / kap) * other.T
    squares = (a / mu / lam) ** 2 + (b / mu / kap) ** 2 + (c / nu / lam) ** 2 + (d / nu / kap) ** 2
    assert sympy.expand((whole.T * whole).trace() - squares) == 0
    whole_claim = statements["compression.proposition-3-1"]
    bind_formula(whole_claim, drawn_pairs(ENTRIES), lambda p: min(first_bound(p), second_bound(p)))
    bind_hypotheses(whole_claim, NEAR, outside(*HYPOTHESES))
    skew = NearbyPair(sheared(10), sheared(10, Fraction(1, 100)), Fraction(1, 100))
    bind_hypotheses(whole_claim, NEAR, outside(*HYPOTHESES) | {"the covariances are symmetric": skew})
    first = statements["compression.proposition-3-1/frobenius-norm"]
    bind_formula(first, drawn_pairs(ENTRIES), first_bound)
    bind_hypotheses(first, NEAR, outside("max |Delta_jk| <= Delta_max"))
    second = statements["compression.proposition-3-1/inverse"]
    bind_formula(second, drawn_pairs(ENTRIES), second_bound)
    assert_definite(second)
    identity = statements["compression.proposition-3-1/gamma"]
    bind(identity, [(p, fmpq(0)) for p in drawn_pairs(ENTRIES)])
    assert identity.at(SCALED) is Truth.TRUE
    turned = redefined(identity, perturbed_covariances, "difference", lambda p: p.second - p.first)
    assert turned.at(SCALED) is Truth.FALSE, "Delta with the other sign"
    bind_formula(turned, drawn_pairs(ENTRIES), lambda p: -2 * sum(map(abs, gamma(p))))
    assert_definite(identity)
    for p in drawn_pairs(ENTRIES):
        for statement in (whole_claim, first, second, identity):
            assert statement.at(p) is Truth.TRUE
    assert second.at(SCALED) is not Truth.FALSE, "equality"
    assert not any(statement.strict for statement in statements.values())
    flat = NearbyPair(UNIT, UNIT, 0)
    assert whole_claim.at(flat) is Truth.TRUE


@proposition_3_1.controls(
    grade="interval", region="p = 11, all correlations 1/100: 0.9 p for p; multiples of I: 0.9 for 1 in (8)"
)
def test_proposition_3_1_fails_with_smaller_constants(statements) -> None:
    """The sharp constant of (7) is sqrt(p (p - 1)) = 10.49 at p = 11, so 0.9 p fails."""
    statement = statements["compression.proposition-3-1"]
    size = 11
    assert abs(arb(size * (size - 1)).sqrt() - arb("10.49")) < arb("0.005")
    assert arb("0.9") * size < arb(size * (size - 1)).sqrt()
    flat = correlated(*[Fraction(1, 100)] * (size * (size - 1) // 2))
    point = NearbyPair(flat, correlated(*[0] * (size * (size - 1) // 2)), Fraction(1, 100))
    assert statement.at(point) is Truth.TRUE
    shorter = redefined(
        statement, perturbed_covariances, "frobenius_norm", lambda m: frobenius_norm(m) * arb(fmpq(10, 9))
    )
    assert shorter.at(point) is Truth.FALSE
    above = redefined(
        statement, perturbed_covariances, "least_eigenvalue", lambda m: least_eigenvalue(m) * arb(fmpq(10, 9))
    )
    assert above.at(SCALED) is Truth.FALSE
    assert statement.without("max |Delta_jk| <= Delta_max").at(attrs.evolve(point, delta_max=0)) is Truth.FALSE


@lemma_3_3.supports(grade="derived", region="every p: the docstring's derivation; bound at 24 pairs, p <= 4")
def test_lemma_3_3(statement) -> None:
    """For a unit eigenvector u of the least eigenvalue of Sigma_j: u'Sigma_j u = u'Sigma_1 u - u'Delta u.

    The first term is at least lambda_min(Sigma_1), and |u'Delta u| <= ||Delta||_2.
    """
    u, v, a, b, c = sympy.symbols("u v a b c", real=True)
    x, y, z = sympy.symbols("x y z", real=True)
    unit = sympy.Matrix([u, v])
    first, second = sympy.Matrix([[a, b], [b, c]]), sympy.Matrix([[x, y], [y, z]])
    forms = [(unit.T * m * unit)[0] for m in (first, second, first - second)]
    assert sympy.expand(forms[1] - (forms[0] - forms[2])) == 0
    bind_formula(
        statement,
        drawn_pairs(ENTRIES),
        lambda p: spectrum(p.second)[0] - spectrum(p.first)[0] + norm(p.first - p.second),
    )
    for p in drawn_pairs(ENTRIES):
        assert statement.at(p) is not Truth.FALSE
    bind_hypotheses(statement, NEAR, outside("the covariances are symmetric"))
    assert statement.at(CovariancePair(UNIT, fmpq_mat([[-1, 0], [0, 5]]))) is Truth.TRUE, "definite or not, near or far"
    assert statement.at(CovariancePair(UNIT, UNIT)) is Truth.TRUE
    assert not statement.strict


@lemma_3_3.controls(grade="interval", region="p = 2, equality: 9/10 of ||Delta||_2")
def test_lemma_3_3_is_sharp(statement) -> None:
    sharp = CovariancePair(UNIT, fmpq_mat([[1, 0], [0, fmpq(1, 2)]]))
    assert statement.at(sharp) is Truth.TRUE
    less = redefined(statement, perturbed_covariances, "operator_norm", lambda m: operator_norm(m) * arb(fmpq(9, 10)))
    assert less.at(sharp) is Truth.FALSE


@delta_max.refutes(
    "largest-eigenvalue-is-the-norm",
    grade="derived",
    region="every symmetric matrix of which -||M||_2 alone is an eigenvalue; diag(0, -x), and I less correlations",
)
def test_the_norm_may_belong_to_the_least_eigenvalue(statement) -> None:
    """diag(0, -x) has lambda_max = 0 and norm x; -r (J - I), I less the correlations r, has -2r and r twice."""
    r = sympy.Symbol("r", positive=True)
    spectrum_of_delta = (-r * (sympy.ones(3) - sympy.eye(3))).eigenvals()
    assert spectrum_of_delta == {-2 * r: 1, r: 2}
    values = []
    for k in range(1, 21):
        share = Fraction(k, 22)
        point = OneMatrix(correlated(0, 0, 0) - correlated(share, share, share))
        assert statement.at(point) is Truth.FALSE
        values.append((point, fmpq(-k, 22)))
        values.append((OneMatrix(diagonal([0, -share])), fmpq(-k, 22)))
    bind(statement, values)
    smallest = OneMatrix(diagonal([0, -1]))
    assert statement.at(smallest) is Truth.FALSE
    assert statement.margin(smallest) == -1
    for semidefinite in (diagonal([1, 0]), correlated(HALF, HALF, HALF), -values[0][0].matrix):
        assert statement.at(OneMatrix(semidefinite)) is not Truth.FALSE, "the largest eigenvalue is the norm"
    symmetric = "M is symmetric"
    bind_hypotheses(statement, smallest, {symmetric: OneMatrix(fmpq_mat([[0, fmpq(1, 9)], [0, -1]]))})
    bind_hypotheses(statement, smallest, {symmetric: OneMatrix(fmpq_mat([[0, -1]]))})
