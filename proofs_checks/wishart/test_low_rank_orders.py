"""`wishart.theorem-9` beside the bounds that it is compared with."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.low_rank_orders import QuotedErrors
from dpmatrix.tracing import bind_expression

theorem_9 = cite("wishart.theorem-9@1f2a618f")

QUOTED = {
    "dimension >= 2, an integer": {"dimension": 1},
    "rank >= 1, an integer": {"rank": 0},
    "k <= d": {"dimension": 2, "rank": 3},
    "epsilon > 0": {"epsilon": 0},
    "constant > 0": {"constant": 0},
}
d_, k_, e_, constant_ = sympy.symbols("dimension rank epsilon constant", positive=True)


@theorem_9.supports(
    "less-than-the-cubed-rank", grade="derived", region="every d, k and epsilon with k^3 > log d: K = 1 is enough"
)
def test_the_logarithm_is_less_than_the_cubed_rank(statement) -> None:
    """K k^3 d/eps - d log(d)/eps = (d/eps) (K k^3 - log d), which is positive for K = 1 under the hypothesis."""
    bind_expression(statement, (d_ / e_) * (constant_ * k_**3 - sympy.log(d_)))
    points = [(2, 1), (7, 2), (2980, 2), (1000, 3), (10**11, 3), (50, 50)]
    assert all(statement.at(QuotedErrors(d, k, e, 1)) is Truth.TRUE for d, k in points for e in (Fraction(1, 9), 4))
    assert statement.exhibiting(QuotedErrors(2, 1, 1, 9)) == QuotedErrors(2, 1, 1, 1)
    less = statement.exhibits(constant=Fraction(19, 20))
    assert less.at(QuotedErrors(2, 1, 1, Fraction(19, 20))) is Truth.TRUE
    assert less.at(QuotedErrors(2900, 2, 1, Fraction(19, 20))) is Truth.FALSE, "log 2900 = 7.97, k^3 = 8"
    inside = QuotedErrors(2, 1, Fraction(1, 9), 1)
    small_rank = {"k^3 > log d": {"dimension": 3}}
    outside = {says: attrs.evolve(inside, **change) for says, change in (QUOTED | small_rank).items()}
    bind_hypotheses(statement, inside, outside)
    assert statement.without("k^3 > log d").at(QuotedErrors(3, 1, 1, 1)) is Truth.FALSE
    assert statement.applies(QuotedErrors(3000, 2, 1, 1)) is Truth.FALSE, "k^3 = 8, log 3000 = 8.006"


@theorem_9.supports(
    "less-than-the-power-method", grade="derived", region="every d >= 2, k >= 1 and epsilon: K = 1.45 is enough"
)
@theorem_9.controls("less-than-the-power-method", grade="interval", region="d = 2, k = 1, K = 1.44")
def test_the_logarithm_is_less_than_its_square(statement) -> None:
    """K k^(3/2) log d >= K log 2 > 1 for K = 1.45: the quotient of the bounds increases with k and with d."""
    bind_expression(statement, (d_ * sympy.log(d_) / e_) * (constant_ * sympy.sqrt(k_**3) * sympy.log(d_) - 1))
    enough = Fraction(29, 20)
    assert arb("1.45") * arb(2).log() > 1
    points = [(2, 1), (3, 1), (2, 2), (7, 5), (10**9, 3)]
    assert all(
        statement.at(QuotedErrors(d, k, e, enough)) is Truth.TRUE for d, k in points for e in (Fraction(1, 9), 4)
    )
    assert rational(statement.exhibiting(QuotedErrors(2, 1, 1, 9)).constant) == rational(enough)
    for constant in (1, Fraction(36, 25)):
        assert statement.exhibits(constant=constant).at(QuotedErrors(2, 1, 1, constant)) is Truth.FALSE
    inside = QuotedErrors(2, 2, Fraction(1, 9), enough)
    bind_hypotheses(statement, inside, {says: attrs.evolve(inside, **change) for says, change in QUOTED.items()})
    assert statement.applies(QuotedErrors(2, 1, 1, enough)) is Truth.TRUE
