"""`compression`: the total variation of compressed neighbours in the binary game, a step of Theorem D.2."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import real_matrix
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import binary_distance
from dpmatrix.spec.compression.binary_distance import total_variation
from dpmatrix.spec.compression.binary_loss import GamePair
from proofs_checks.compression.covariance_pairs import INDEFINITE, UNIT, gamma, norm, sheared, spectrum
from proofs_checks.compression.sign_pairs import (
    CHANGE,
    INSIDE,
    MASSES,
    TIGHT,
    game,
    isqrt_of_root_log,
)
from proofs_checks.exact_matrices import correlated

theorem_d_2 = cite("compression.theorem-d-2@8a523f97")

GAME = "Sigma_1 - Sigma_2 = (xx' - yy')/n for rows of signs"
OUTSIDE = {
    "Sigma_1 is positive definite": attrs.evolve(INSIDE, records=1, first=INDEFINITE, second=UNIT),
    "Sigma_j is positive definite": attrs.evolve(INSIDE, records=1, first=UNIT, second=correlated(-2)),
    "the covariances are symmetric": attrs.evolve(INSIDE, first=sheared(10**4), second=sheared(10**4) - CHANGE),
    GAME: attrs.evolve(INSIDE, second=correlated(Fraction(1, 2))),
    "records >= 1, an integer": attrs.evolve(INSIDE, records=0),
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
}
ALMOST_EQUAL = [game(10**power, isqrt_of_root_log(power)) for power in (6, 9, 12)]
"""The neighbours of the refutation, whose loss over (12) grows."""
MANY = game(10**6, 5 * 10**5, rows=10**4)
"""Orthogonal columns, where the bound on the total variation is nearly the upper end."""


def ends(p: GamePair) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Compute 1 - b and sqrt(1 - b^2) from the eigenvalues of Sigma_2^-1 Sigma_1, b the affinity of the laws."""
    root = mpmath.cholesky(real_matrix(p.second)) ** -1
    ratios = spectrum(root * real_matrix(p.first) * root.T)
    exponent = sum(mpmath.log(mpmath.cosh(mpmath.log(r) / 2)) for r in ratios) * p.rows / 2
    return -mpmath.expm1(-exponent), mpmath.sqrt(-mpmath.expm1(-2 * exponent))


def bound(p: GamePair) -> mpmath.mpf:
    return mpmath.sqrt(mpmath.mpf(p.rows * p.first.nrows()) / p.records * norm(gamma(p))) / 2


@theorem_d_2.supports(
    "rare-outputs",
    grade="derived",
    region="every p, n, m and pair of neighbours with definite covariances: the docstring; both ends bound at 25 pairs",
)
def test_compressed_neighbours_are_close_in_total_variation(statement, record_property) -> None:
    """Let e^(2u) be the eigenvalues of Sigma_2^-1 Sigma_1. Each gives a row the affinity 1/sqrt(cosh u) (1).

    So b, that of m rows, has -2 ln b = m sum ln cosh u = (m/2) sum ln(1 + sinh^2 u) <= (m/2) sum sinh^2 u, and tr(Gamma
    Delta) is the sum of (e^(2u) - 1)(1 - e^(-2u)) = 4 sinh^2 u (2). The total variation is at most sqrt(1 - b^2)
    (Cauchy's inequality; Le Cam), and 1 - b^2 <= -2 ln b <= (m/8) tr(Gamma Delta) = (m/(8n)) (x'Gamma x - y'Gamma y) <=
    m p ||Gamma||/(4n). With p <= s sqrt(n/m) and ||Gamma|| <= s that is at most s^3/4.
    """
    u = sympy.Symbol("u", real=True)
    ratio = sympy.exp(2 * u)
    assert sympy.simplify((ratio / ((1 + ratio) / 2) ** 2 - 1 / sympy.cosh(u) ** 2).rewrite(sympy.exp)) == 0, "(1)"
    assert sympy.simplify(((ratio - 1) * (1 - 1 / ratio) - 4 * sympy.sinh(u) ** 2).rewrite(sympy.exp)) == 0, "(2)"
    with mpmath.workdps(90), precision(400):
        for p in [*TIGHT, MANY, *ALMOST_EQUAL]:
            low, high = ends(p)
            margin = statement.formula(p)
            for end, value in ((margin.upper(), low), (margin.lower(), high)):
                assert abs(end - arb(mpmath.nstr(bound(p) - value, 60))) < arb(2) ** -26 * arb(mpmath.nstr(high, 40))
        for p in [*TIGHT, INSIDE, MANY, *ALMOST_EQUAL]:
            assert statement.at(p) is Truth.TRUE
    distances = [binary_distance.distance_bound(p) for p in ALMOST_EQUAL]
    assert distances[0] > distances[1] > distances[2], "while the loss grows"
    theorem_d_2.tells("(rare-outputs), {} at the n = 10^6 above", distances[0])
    record_property("detail", "; ".join(x.str(2, radius=False) for x in distances))
    for point in (INSIDE, MANY, attrs.evolve(INSIDE, rows=1, records=10**4, **MASSES)):
        bind_hypotheses(statement, point, OUTSIDE)
    one = attrs.evolve(INSIDE, records=1, second=INSIDE.first, flipped=INSIDE.row)
    assert statement.applies(one) is Truth.TRUE, "n = 1"
    assert not statement.strict


@theorem_d_2.controls(
    "rare-outputs",
    grade="interval",
    region="p = 2: a covariance of nobody's neighbour; 1/20 in place of 1/2 at n = 10^6, m = 10^11; a sheared pair",
)
def test_what_is_no_neighbour_is_far_away(statement) -> None:
    for says in (GAME, "the covariances are symmetric"):
        assert statement.without(says).at(OUTSIDE[says]) is Truth.FALSE, says
    many = attrs.evolve(MANY, rows=10**11)
    assert statement.at(many) is Truth.TRUE
    tenth = statement.nudged(margin=lambda p: binary_distance.distance_bound(p) / 10 - total_variation(p))
    assert tenth.at(many) is Truth.FALSE
