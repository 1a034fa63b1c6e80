"""`wishart.nuclear-norm-bound`: closed form, bound over the whole unit ball, and the sharp constant."""

from __future__ import annotations

from fractions import Fraction

import sympy

from dpmatrix.claims import Statement, Truth, bind_hypotheses, certify, interval
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.sensitivity import RecordPair
from dpmatrix.tracing import bind_expression

nuclear_norm_bound = cite("wishart.nuclear-norm-bound@6836a52d")

WHOLE = RecordPair(interval(0, 1), interval(0, 1), interval(-1, 1))
EVERYWHERE = "every |v|^2, |w|^2 in [0, 1] and <v, w>, the three numbers of the closed form"
NOT_A_PAIR = {
    "v_squared >= 0": RecordPair(Fraction(-1, 9), 0, 0),
    "w_squared >= 0": RecordPair(0, Fraction(-1, 9), 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), Fraction(-5, 9)),
}
LONG = {"v_squared <= 1": RecordPair(Fraction(10, 9), 0, 0), "w_squared <= 1": RecordPair(0, Fraction(10, 9), 0)}
a, b, s = sympy.symbols("v_squared w_squared inner", nonnegative=True)
x = sympy.Symbol("x")


def assert_hypotheses(statement: Statement, outside: dict[str, RecordPair]) -> None:
    """Check that the hypotheses are these, and met by zero and by parallel unit records."""
    for inside in (RecordPair(0, 0, 0), RecordPair(1, 1, -1)):
        bind_hypotheses(statement, inside, outside)


def test_closed_form_of_the_nuclear_norm() -> None:
    """The non-zero eigenvalues of vv' - ww' are those of its 2 x 2 Gram form, for symbolic records."""
    gram = sympy.Matrix([[a, s], [-s, -b]])
    first, second = sympy.roots(gram.charpoly(x).as_expr(), x)
    assert sympy.simplify((first - second) ** 2 - ((a + b) ** 2 - 4 * s**2)) == 0
    assert sympy.simplify(first * second + (a * b - s**2)) == 0, "opposite signs, so the norm is the difference"


@nuclear_norm_bound.supports(grade="interval", region=EVERYWHERE)
def test_bound_holds_on_the_whole_domain(statement) -> None:
    assert certify(statement, WHOLE).answer is Truth.TRUE
    bind_expression(statement, 3 - sympy.sqrt((a + b) ** 2 - 4 * s**2))
    assert_hypotheses(statement, NOT_A_PAIR | LONG)
    assert not statement.strict


@nuclear_norm_bound.supports("singular-values", grade="derived", region=EVERYWHERE)
def test_first_step(statement) -> None:
    """The sum is a + b + max(a, b) >= a + b >= sqrt((a + b)^2 - 4 s^2)."""
    bind_expression(statement, a + b + sympy.Max(a, b) - sympy.sqrt((a + b) ** 2 - 4 * s**2))
    assert sympy.simplify((a + b) ** 2 - ((a + b) ** 2 - 4 * s**2)) == 4 * s**2
    assert_hypotheses(statement, NOT_A_PAIR)
    assert statement.at(RecordPair(0, 0, 0)) is Truth.TRUE, "equality is attained"


@nuclear_norm_bound.supports("three-maxima", grade="symbolic", region=EVERYWHERE)
def test_second_step(statement) -> None:
    """3 max(a, b) - (a + b + max(a, b)) = |a - b|."""
    bind_expression(statement, sympy.Abs(a - b))
    assert sympy.Abs(a - b).is_nonnegative
    assert_hypotheses(statement, {})
    assert statement.at(RecordPair(1, 1, 0)) is Truth.TRUE, "equality is attained"


@nuclear_norm_bound.supports("unit-ball", grade="symbolic", region=EVERYWHERE)
def test_third_step(statement) -> None:
    """3 - 3 max(a, b) >= 0 says that both squared norms are at most 1."""
    bind_expression(statement, 3 - 3 * sympy.Max(a, b))
    rest = sympy.Symbol("rest", nonnegative=True)
    assert all((3 - 3 * value).subs(value, 1 - rest).is_nonnegative for value in (a, b)), "the larger is a or b"
    assert_hypotheses(statement, LONG)
    assert statement.at(RecordPair(1, 0, 0)) is Truth.TRUE, "equality is attained"


@nuclear_norm_bound.controls(grade="interval", region="orthogonal unit records")
def test_bound_fails_below_the_sharp_constant(statement) -> None:
    """The supremum is 2, so the same check with 2 - 1/128 in place of 3 must find a counterexample."""
    assert statement.margin(RecordPair(0, 0, 0)) == 3
    sharp = statement.nudged(lambda margin: margin - 1)
    assert sharp.at(RecordPair(1, 1, 0)) is not Truth.FALSE, "2 is attained, not exceeded"
    too_small = statement.nudged(lambda margin: margin - 1 - 2**-7)
    assert too_small.at(RecordPair(1, 1, 0)) is Truth.FALSE
    assert certify(too_small, WHOLE, budget=2000).answer is not Truth.TRUE
