"""The informal Theorem 1 of `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.informal_error import InformalAnswers
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.guarantees import CONFUSION, DELTA, EPSILON

theorem_4 = cite("sliding-window.theorem-4@96953597")
conjecture_1 = cite("sliding-window.conjecture-1@4cb866d5")

MILLIONTH = Fraction(1, 10**6)
SMALL, LARGE = Fraction(1, 50), Fraction(49, 50)
TENTH = Fraction(1, 10)
LONG = InformalAnswers(1, 1, TENTH, Fraction(1, 101), 10, 1)
GUARANTEE = {
    "dimension >= 1, an integer": {"dimension": 0},
    "epsilon > 0": {"epsilon": 0},
    "delta > 0": {"delta": 0},
    "delta < 1": {"delta": 1},
}


@theorem_4.refutes(
    "informal-error",
    grade="derived",
    region="d = 1, eps = 1, delta = 1/10: every algorithm and every c, by M = 3 + 29 c^2, eta = 1/(M^2 + 1); M = 10",
)
def test_no_private_answer_is_right_for_both_rows(statement) -> None:
    """S, the answers right for M e_1 alone: Pr[S | M] >= 1 - beta, and Pr[S | M+1] <= beta, as S is wrong there.

    The right answers for M end below M^2 + 1 + x, x = nu log nu, and those for M + 1 begin above (M + 1)^2 - 4 - x, as
    eta M^2 < 1 and eta (M + 1)^2 <= 4 for M >= 1: they are disjoint for 2M > 4 + 2x. At d = eps = 1, delta = 1/10
    nu^2 < 29 c^2, and x < nu^2 as log nu < nu; M = 3 + 29 c^2 is enough. For c = 1 x is 8.84, and M = 10 is.
    """

    def long_row(constant):
        row = 3 + 29 * rational(constant) ** 2
        return attrs.evolve(LONG, constant=constant, row=row, eta=1 / (row**2 + 1))

    statement.refute(long_row)
    assert arb(10).log() ** 4 < 29
    assert statement.at(LONG) is Truth.FALSE
    nu = arb(10).log() ** 2
    assert abs(nu * nu.log() - arb("8.84")) < arb("0.005")
    m = sympy.symbols("m", nonnegative=True)
    assert sympy.factor(4 * ((m + 1) ** 2 + 1) - (m + 2) ** 2) == 3 * m**2 + 4 * m + 4, "M = m + 1"
    for d, epsilon, constant in product((1, 3), (Fraction(1, 3), Fraction(1, 2), 1), (1, 6, 100)):
        size = constant * d * 6 / Fraction(epsilon) ** 2
        row = 3 + int(size * 20) + 1  # log nu < 20
        point = attrs.evolve(LONG, dimension=d, epsilon=epsilon, constant=constant, row=row, eta=Fraction(1, row**2))
        assert statement.at(point) is Truth.FALSE
        assert statement.at(attrs.evolve(point, failure=Fraction(1, 100))) is Truth.FALSE
        assert statement.at(attrs.evolve(point, failure=Fraction(1, 2))) is Truth.TRUE, "a coin may be private"
        assert statement.at(attrs.evolve(point, eta=Fraction(1, 2))) is Truth.TRUE, "coarse answers overlap"
        assert statement.at(attrs.evolve(point, row=0)) is Truth.TRUE, "and so do short rows"
    dimension, bend, row, constant = sympy.symbols("dimension eta row constant")
    nu = constant * dimension * sympy.log(DELTA) ** 2 / EPSILON**2
    overlap = (1 + bend) * row**2 - (1 - bend) * (row + 1) ** 2 + 2 * nu * sympy.log(nu)
    bind_expression(statement, sympy.Max(overlap, CONFUSION), points=[LONG])
    assert not statement.strict
    assert LONG.failure == 0, "the theorem's bounds always hold"
    outside = GUARANTEE | {
        "eta > 0": {"eta": 0},
        "eta < 1": {"eta": 1},
        "row >= 0": {"row": -SMALL},
        "failure >= 0": {"failure": -SMALL},
    }
    for inside in (LONG, attrs.evolve(LONG, row=0, epsilon=SMALL, eta=LARGE), attrs.evolve(LONG, delta=LARGE)):
        bind_hypotheses(statement, inside, {says: attrs.evolve(LONG, **change) for says, change in outside.items()})
