"""`compression`: a bound on the remainder A for which nothing need be small, a step of Lemma C.2."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import remainders
from dpmatrix.spec.compression.covariances import CovariancePair
from proofs_checks.compression.covariance_pairs import (
    ALMOST_SINGULAR,
    DEFINITE,
    NEAR,
    UNIT,
    frobenius,
    remainder,
    sheared,
    spectrum,
)
from proofs_checks.compression.drawn_outputs import PAIRS
from proofs_checks.exact_matrices import correlated, diagonal

lemma_c_2 = cite("compression.lemma-c-2@bb06296d")

FAR = [
    CovariancePair(ALMOST_SINGULAR, UNIT),
    CovariancePair(UNIT, ALMOST_SINGULAR),
    CovariancePair(UNIT, UNIT * fmpq(1, 1000)),
    CovariancePair(UNIT, UNIT * 1000),
]
"""x = ||Sigma_1|| ||Gamma|| is 1 and far more."""


@lemma_c_2.supports("by-delta", grade="derived", region="every definite pair: the docstring; bound at 22 pairs")
def test_the_remainder_by_delta(statement) -> None:
    """Let 1 + g be the eigenvalues of Theta_2^(1/2) Sigma_1 Theta_2^(1/2): A is the sum of g - ln(1 + g).

    ln(1 + g) >= g/(1 + g) (1), so A is at most the sum of g^2/(1 + g), which is tr(Theta_2 Delta Theta_1 Delta) (2),
    the squared Frobenius norm of Theta_2^(1/2) Delta Theta_1^(1/2), at most ||Theta_2|| ||Theta_1|| ||Delta||_F^2.
    """
    g = sympy.Symbol("g", positive=True)
    gain = sympy.log(1 + g) - g / (1 + g)
    assert gain.subs(g, 0) == 0
    assert sympy.simplify(gain.diff(g) - g / (1 + g) ** 2) == 0, "(1): falls before 0 and rises after it"
    assert sympy.simplify(g * (1 - 1 / (1 + g)) - g**2 / (1 + g)) == 0, "(2): Theta_2 Delta is I - Theta_2 Sigma_2"

    def formula(p: CovariancePair) -> mpmath.mpf:
        least = spectrum(p.first)[0] * spectrum(p.second)[0]
        return frobenius(p.first - p.second) ** 2 / least - remainder(p)

    points = [*PAIRS, *FAR]
    bind_formula(statement, points, formula)
    for p in points:
        assert statement.at(p) is Truth.TRUE
    minus = CovariancePair(diagonal([-1, -1]), diagonal([-1, -Fraction(1, 2)]))
    telling = {
        "the covariances are symmetric": CovariancePair(sheared(1000), sheared(1000, Fraction(-1, 4000))),
        "Sigma_1 is positive definite": CovariancePair(correlated(2), UNIT),
        "Sigma_j is positive definite": CovariancePair(UNIT, correlated(2)),
    }
    for point in (NEAR, *FAR):
        bind_hypotheses(statement, point, DEFINITE)
        bind_hypotheses(statement, point, telling)
    assert statement.applies(minus) is Truth.FALSE
    assert not statement.strict


@lemma_c_2.controls("by-delta", grade="interval", region="p = 2: a quarter of the bound; a sheared pair")
def test_the_remainder_is_quadratic_in_delta(statement) -> None:
    """For Sigma_j near Sigma_1 = I A is nearly ||Delta||_F^2/2."""
    near = CovariancePair(UNIT, correlated(Fraction(1, 100)))
    assert statement.at(near) is Truth.TRUE
    whole = remainders.frobenius_norm
    quarter = redefined(statement, remainders, "frobenius_norm", lambda matrix: whole(matrix) * fmpq(1, 2))
    assert quarter.at(near) is Truth.FALSE
    skew = CovariancePair(sheared(1000), sheared(1000, Fraction(-1, 4000)))
    assert statement.without("the covariances are symmetric").at(skew) is Truth.FALSE
