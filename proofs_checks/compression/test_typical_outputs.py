"""`compression`: typical outputs tell nearly equal columns apart, a step of Theorem 3.5."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import typical_outputs
from dpmatrix.spec.compression.typical_outputs import NearlyEqualColumns
from proofs_checks.compression.nearly_singular import MOST, most_rows, nearly_singular

theorem_3_5 = cite("compression.theorem-3-5@a966aa12")

POINTS = [
    NearlyEqualColumns(rows, eta, eta * ratio)
    for rows, eta, ratio in product((1, 7, 400), (Fraction(1, 1000), Fraction(1, 2)), (Fraction(1, 9), 1, 5, 40))
]
OUTSIDE = {
    "rows >= 1, an integer": attrs.evolve(POINTS[0], rows=0),
    "eta > 0": attrs.evolve(POINTS[0], eta=0),
    "change > 0": attrs.evolve(POINTS[0], change=0),
}


def formula(p: NearlyEqualColumns) -> mpmath.mpf:
    half, r = mpmath.mpf(p.rows) / 2, real(p.change) / real(p.eta)
    place = half * (1 + r / 2)
    errors = (
        mpmath.gammainc(half, place, mpmath.inf, regularized=True),
        mpmath.gammainc(half, 0, place / (1 + r), regularized=True),
    )
    return 8 * ((1 + r) / r) ** 2 / p.rows - max(errors)


@theorem_3_5.supports(
    "typical-outputs", grade="derived", region="every m, eta and t > 0: Chebyshev's inequality; bound at 24 points"
)
def test_typical_outputs_tell_nearly_equal_columns(statement, record_property) -> None:
    """Y_1 - Y_2 has m independent entries of variance 2 eta, or 2 (eta + t): |Y_1 - Y_2|^2/(2 eta) is Q or (1 + r) Q.

    Q = chi^2_m has mean m and variance 2m. Q > m (1 + r/2) has a probability of at most 2m/(m r/2)^2 = 8/(m r^2), and
    (1 + r) Q <= m (1 + r/2) asks Q <= m - m r/(2 (1 + r)): at most 8 (1 + r)^2/(m r^2) (1). With eta^2 = t/s, t =
    sqrt(ln 2/n)/2 but for a constant, and m near s^2 n/(16 (ln n)^2), m r^2 = m s t is of order s^3 sqrt(n)/(ln n)^2.
    """
    m, r = sympy.symbols("m r", positive=True)
    assert sympy.simplify(m - m * r / (2 * (1 + r)) - m * (1 + r / 2) / (1 + r)) == 0
    assert sympy.simplify(2 * m / (m * r / (2 * (1 + r))) ** 2 - 8 * (1 + r) ** 2 / (m * r**2)) == 0, "(1)"
    bind_formula(statement, POINTS, formula)
    for p in POINTS:
        assert statement.at(p) is Truth.TRUE
    for point in (*POINTS[:2], POINTS[-1]):
        bind_hypotheses(statement, point, OUTSIDE)
    bounds = []
    for smallness, power in MOST:
        p = nearly_singular(smallness, power, most_rows(smallness, power))
        eta, t = 1 - p.first[0, 1], p.first[0, 1] - p.second[0, 1]
        bounds.append(typical_outputs.chebyshev_bound(NearlyEqualColumns(p.rows, eta, t)))
    assert bounds[1] < bounds[0] / 10**4
    assert bounds[2] < 1e-4
    theorem_3_5.tells("At s = 1/4 and n = 10^20 that is {}", bounds[0])
    record_property("detail", "; ".join(x.str(2, radius=False) for x in bounds))
    assert not statement.strict


@theorem_3_5.controls(
    "typical-outputs", grade="interval", region="m = 400, r = 1/9: a hundredth of the bound, and m^2 for m in it"
)
def test_typical_outputs_need_their_rows(statement) -> None:
    few = NearlyEqualColumns(400, Fraction(1, 1000), Fraction(1, 9000))
    assert statement.at(few) is Truth.TRUE
    whole = typical_outputs.chebyshev_bound
    for less in (lambda p: whole(p) / 100, lambda p: whole(p) / p.rows):
        changed = statement.nudged(margin=lambda p, less=less: less(p) - typical_outputs.larger_error(p))
        assert changed.at(few) is Truth.FALSE
