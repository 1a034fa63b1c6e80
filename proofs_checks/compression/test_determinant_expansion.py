"""`compression`: Proposition C.1, the logarithm of a ratio of determinants as an integral."""

from __future__ import annotations

import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import trace
from dpmatrix.spec.compression import log_determinants
from dpmatrix.spec.compression.covariances import CovariancePair
from proofs_checks.compression.covariance_pairs import DEFINITE, NEAR, UNIT
from proofs_checks.compression.drawn_outputs import PAIRS

proposition_c_1 = cite("compression.proposition-c-1@97bb50a4")


@proposition_c_1.supports(
    grade="derived",
    region="every p and positive definite pair: the docstring's derivation; the integral enclosed at 20 points, p <= 3",
)
def test_proposition_c_1(statement) -> None:
    """Let g be the eigenvalues of S Gamma S, S the root of Sigma_1; I + S Gamma S = S Theta_2 S is positive definite.

    vec(G)'(B (x) B)vec(G) = tr(G B G B) for symmetric B (1), and B = (Theta_1 + v Gamma)^-1 = S (I + v S Gamma S)^-1
    S, so the integrand is the sum of (1 - v) g^2/(1 + v g)^2, whose integral is g - log(1 + g) (2). tr(Gamma Sigma_1)
    = sum g and ln|Theta_2| - ln|Theta_1| = sum log(1 + g).
    """
    g11, g12, g22, b11, b12, b22 = sympy.symbols("g11 g12 g22 b11 b12 b22", real=True)
    change, factor = sympy.Matrix([[g11, g12], [g12, g22]]), sympy.Matrix([[b11, b12], [b12, b22]])
    vector = sympy.Matrix([change[0, 0], change[1, 0], change[0, 1], change[1, 1]])
    quadratic = (vector.T * sympy.kronecker_product(factor, factor) * vector)[0]
    assert sympy.expand(quadratic - (change * factor * change * factor).trace()) == 0, "(1)"
    v = sympy.Symbol("v", nonnegative=True)
    g = sympy.Symbol("g", positive=True)
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
