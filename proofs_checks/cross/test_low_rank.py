"""Lower bounds for low-rank approximation in `wishart` and in `sliding-window`, compared and repaired."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.cross_adjacency import ChangedRow, moved_by_one
from dpmatrix.spec.cross_low_rank import PrivateError, error_constant, release_noise
from dpmatrix.tracing import bind_expression

low_rank_lower_bounds = cite("cross.low-rank-lower-bounds@c26559bc")

MILLIONTH = Fraction(1, 10**6)
HALF = Fraction(1, 2)
INSIDE = PrivateError(2, 2, Fraction(1, 50), Fraction(49, 50), Fraction(1, 50))
SETTING = {
    "dimension >= 2, an integer": attrs.evolve(INSIDE, dimension=1),
    "rank >= 1, an integer": attrs.evolve(INSIDE, rank=0),
    "k <= d": attrs.evolve(INSIDE, rank=3),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
    "constant > 0": attrs.evolve(INSIDE, constant=0),
}


def at_least(value: fmpq) -> int:
    """Return the least dimension that is at least this, and at least 2."""
    return max(2, int(value.ceil()))


k, d, e, delta, c, z = sympy.symbols("rank dimension epsilon delta constant z", positive=True)
POSITIVE_ROOT = (z + sympy.sqrt(z**2 + 2 * e)) / (2 * e)
DEVIATION = POSITIVE_ROOT.subs(z, sympy.sqrt(-2 * sympy.log(delta)))
"""The positive root of eps s^2 - z s - 1/2, z = sqrt(2 log(1/delta))."""
NOISE = 4 * DEVIATION * sympy.sqrt(d * sympy.log(9) + sympy.log(d))
"""The bound on the norm of the noise that a net of 9^d points gives with probability 1 - 1/d."""
SECOND = c * sympy.sqrt(k * d)


def check_errors(statement, formula) -> None:
    bind_expression(statement, formula)
    assert not statement.strict
    for inside in (INSIDE, PrivateError(9, 1, 3, Fraction(1, 50), 2)):
        bind_hypotheses(statement, inside, SETTING)


@low_rank_lower_bounds.refutes(
    grade="derived", region="eps = 1, delta = 10^-6, k = 1: c from 1e-12 to 1e12 by machine; every c by growing d"
)
def test_rows_of_the_unit_ball_cost_less(statement) -> None:
    """The top-k space P of A'A + N: Tr(P A'A) >= Tr(P* A'A) - Tr((P* - P)N) >= Tr(P* A'A) - 2k|N|, P* the best.

    So |A - AP|_F^2 <= |A - AP*|_F^2 + 2k|N|, and sqrt(x + y) <= sqrt(x) + sqrt(y). |N| and the privacy of the release
    are those of the repaired theorem-15 of sliding-window, with probability 1 - 1/d. sqrt(2 * 4 * 6 * 1.61) d^(1/4) <
    9 d^(1/4) <= c d^(1/2) from d = (9/c)^4 on.
    """
    statement.refute(lambda constant: PrivateError(at_least((9 / rational(constant)) ** 4), 1, 1, MILLIONTH, constant))
    level = (2 * arb(10**6).log()).sqrt()
    assert (level + (level**2 + 2).sqrt()) / 2 < 6
    assert (arb(9).log() + arb(-1).exp()).sqrt() < arb("1.61"), "(log d)/d is at most 1/e"
    assert (2 * 4 * 6 * arb("1.61")).sqrt() < 9
    wide = PrivateError(at_least((900 / rational(1)) ** 4), 5, 1, MILLIONTH, Fraction(1, 100))
    assert statement.conclusion(wide) is Truth.FALSE, "for other ranks as well"
    assert statement.margin(wide) < -100, "by how much"
    assert statement.at(PrivateError(10, 1, 1, MILLIONTH, 1)) is Truth.UNDECIDED, "an upper bound proves nothing"
    check_errors(statement, sympy.sqrt(2 * k * NOISE) - SECOND)


@low_rank_lower_bounds.refutes(
    "second-for-every-epsilon", grade="derived", region="every c: eps = 200/c^2, 200 for c > 1, delta = 10^-6"
)
def test_rows_with_little_noise_cost_little(statement) -> None:
    """A + E has rank at most k, so AP = (A + E)P - EP and A - AP = -E(I - P); E|E|_F^2 = s^2 kd, and s < 1 at
    eps = 200, s < c at eps = 200/c^2 for c <= 1.
    """  # noqa: D205
    assert sympy.expand(e * POSITIVE_ROOT**2 - z * POSITIVE_ROOT - HALF) == 0
    statement.refute(
        lambda constant: PrivateError(50, 5, 200 / min(rational(constant), fmpq(1)) ** 2, MILLIONTH, constant)
    )
    check_errors(statement, DEVIATION * sympy.sqrt(k * d) - SECOND)


def with_a_delta(dimension: int, epsilon, share) -> PrivateError:
    """Choose C."""
    return PrivateError(dimension, 1, epsilon, share, error_constant(share))


ERRORS = [with_a_delta(*p) for p in product((2, 3, 50, 10**6), (Fraction(1, 10), 1), (MILLIONTH, HALF))]
ONE_AT_MOST = "epsilon <= 1"


@low_rank_lower_bounds.supports(
    "error-with-a-delta", grade="derived", region="every d >= 2, eps <= 1 and delta: the docstring; 16 points"
)
def test_a_delta_buys_an_error_below_the_dimension(statement) -> None:
    """S eps = (z + sqrt(z^2 + 2 eps))/2 grows with eps, and is (z + sqrt(z^2 + 2))/2 at eps = 1. log d <= d/2 for
    d >= 1, as log d - d/2 is largest at d = 2: 2|N| <= 8 s sqrt(d (log 9 + 1/2)) (1).
    """  # noqa: D205
    assert sympy.simplify(2 * e * POSITIVE_ROOT - z - sympy.sqrt(z**2 + 2 * e)) == 0
    x = sympy.Symbol("x", positive=True)
    assert sympy.solve(sympy.diff(sympy.log(x) - x / 2, x), x) == [2]
    assert arb(2).log() < 1
    chosen = 4 * (z + sympy.sqrt(z**2 + 2)) * sympy.sqrt(sympy.log(9) + HALF)
    bound = 8 * POSITIVE_ROOT.subs(e, 1) * sympy.sqrt(d * (sympy.log(9) + HALF))
    assert sympy.simplify(bound - chosen * sympy.sqrt(d)) == 0, "(1)"
    bind_expression(statement, c * sympy.sqrt(d) / e - 2 * NOISE)
    for p in ERRORS:
        level = sympy.sqrt(-2 * sympy.log(sympy.Rational(p.delta)))
        assert abs(float(p.constant) / float(chosen.subs(z, level)) - 1) < 1e-12, "C"
        assert statement.at(p) is Truth.TRUE
    inside = with_a_delta(2, HALF, HALF)
    outside = {says: SETTING[says] for says in ("dimension >= 2, an integer", "epsilon > 0", "delta > 0", "delta < 1")}
    bind_hypotheses(statement, inside, outside | {ONE_AT_MOST: attrs.evolve(inside, epsilon=2)})
    assert not statement.strict


@low_rank_lower_bounds.controls("error-with-a-delta", grade="interval", region="nine tenths of C; eps = 100")
def test_the_error_with_a_delta_needs_its_constant(statement) -> None:
    """At d = 2, eps = 1 the bound is 0.97 of C sqrt(d); at large eps the noise falls like eps^(-1/2) only."""

    def less(delta) -> arb:
        return error_constant(delta) * 9 / 10

    plane = with_a_delta(2, 1, HALF)
    share = 2 * release_noise(plane) / (error_constant(HALF) * arb(2).sqrt())
    assert abs(share - arb("0.97")) < arb("0.005")
    assert statement.exhibits(constant=less).at(PrivateError(2, 1, 1, HALF, less(HALF))) is Truth.FALSE
    assert statement.without(ONE_AT_MOST).at(with_a_delta(2, 100, HALF)) is Truth.FALSE


@low_rank_lower_bounds.supports("two-moves", grade="derived", region="every pair: |x - 0| = |x|; 36 by 8 pairs exactly")
def test_a_replaced_row_is_two_moves(statement) -> None:
    rows = [(Fraction(a, 5), Fraction(b, 5)) for a, b in product(range(-5, 6, 2), repeat=2)]
    pairs = [ChangedRow(x, y) for x in rows for y in rows[::5]]
    moved = [(p, 1 - max(p.x[0] ** 2 + p.x[1] ** 2, p.y[0] ** 2 + p.y[1] ** 2)) for p in pairs]
    bind(statement, moved)
    assert all(statement.at(p) is Truth.TRUE for p, value in moved if value >= 0)
    at_the_edge = ChangedRow((1, 0), (0, 1))
    assert statement.at(at_the_edge) is Truth.TRUE
    assert moved_by_one(ChangedRow(at_the_edge.x, (0, 0))), "a move of length 1 is allowed"
    bind_hypotheses(
        statement, ChangedRow((1, 0), (-1, 0)), {"|x| <= 1 and |y| <= 1": ChangedRow((1, Fraction(1, 50)), (0, 0))}
    )
    assert statement.applies(ChangedRow((0, 0), (1, 1))) is Truth.FALSE
    assert not statement.strict
