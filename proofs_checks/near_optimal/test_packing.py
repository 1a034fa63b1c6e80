"""Lemmas 11, 17 and 18 of `near-optimal`: packings of the sphere."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import floor

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, decimals, real
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import packing
from dpmatrix.spec.near_optimal.packing import Collision, Draws, HalfLost, Survivors, cap_bound, cap_chance
from dpmatrix.spec.near_optimal.packing_number import Lines, covering_share, packing_share, simple_count
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.formulas import cap

lemma_17 = cite("near-optimal.lemma-17@1dacecd3")
lemma_11 = cite("near-optimal.lemma-11@223f4a74")
lemma_18 = cite("near-optimal.lemma-18@41f6f961")

LINES = [Lines(d, Fraction(k, 20)) for d in (1, 2, 3, 6, 40) for k in (8, 9, 12, 15, 19)]
HALF = Fraction(1, 2)
DIMENSION, PHI, PLACE = sympy.symbols("dimension phi place")
CAP_BOUND = (1 - PHI**2) ** ((DIMENSION - 1) / 2)
CAP = sympy.Piecewise(
    (sympy.Rational(1, 2), sympy.Eq(DIMENSION, 1)),
    (sympy.betainc_regularized((DIMENSION - 1) / 2, sympy.Rational(1, 2), 0, 1 - PHI**2) / 2, True),
)


def psi(p) -> mpmath.mpf:
    return (1 - real(p.phi) ** 2) ** (mpmath.mpf(p.dimension - 1) / 2)


def enclosed(statement, points, function) -> None:
    """Check both ends of ``1 - function(p)/M``, which encloses a number because the largest size M is not known."""
    for p in points:
        with mpmath.workdps(60), precision(200):
            phi, asked = real(p.phi), function(p)
            shares = [2 * cap(p.dimension, c) for c in (phi, mpmath.sqrt((1 + phi) / 2))]
            low, high = sorted(arb(mpmath.nstr(1 - asked * share, 50)) for share in shares)
            statement.conclusion(p)
            margin = statement.margin(p)
            allowed = arb("1e-8") * (1 + abs(low) + abs(high))
            assert abs(margin.lower() - low) < allowed, p
            assert abs(margin.upper() - high) < allowed, p


def sphere_outside(inside, *, least: str = "phi > 0") -> dict:
    return {
        "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
        least: attrs.evolve(inside, phi=Fraction(-1, 10)),
        "phi < 1": attrs.evolve(inside, phi=1),
    }


def check_sphere(statement: Statement, inside, more: dict, *, strict: bool = False) -> None:
    """Check the hypotheses, and that phi may lie below the printed end (2 pi d)^(-1/2) of its range."""
    bind_hypotheses(statement, inside, sphere_outside(inside) | more)
    assert statement.strict is strict
    edge = next(given for given in statement.given if given.says == "phi > 0")
    assert edge.at(attrs.evolve(inside, dimension=1, phi=Fraction(1, 10**6))) is Truth.TRUE
    assert edge.strict


@lemma_17.supports(
    grade="derived", region="every d and 0 <= phi < 1: derivation in the docstring, its identities machine-checked"
)
def test_half_of_the_bound_of_a_cap_suffices(statement) -> None:
    """P = F(x)/2 with x = 1 - phi^2, a = (d-1)/2, F(x) the integral of u^(a-1) (1-u)^(-1/2)/B(a, 1/2) up to x.

    With u = x v, F(x)/x^a is the integral of v^(a-1) (1-x v)^(-1/2)/B over [0, 1] (1). It increases with x (2) and is 1
    at x = 1, the integral of a density. So P <= x^a/2 for d >= 2; for d = 1 P = 1/2 and x^a = 1.
    """
    a, u, v, x = sympy.symbols("a u v x", positive=True)
    density = u ** (a - 1) / sympy.sqrt(1 - u)
    scaled = sympy.expand_power_base(density.subs(u, x * v) * x / x**a, force=True)
    assert sympy.simplify(scaled - v ** (a - 1) / sympy.sqrt(1 - x * v)) == 0, "(1)"
    slope = sympy.diff(1 / sympy.sqrt(1 - x * v), x)
    assert sympy.simplify(slope - v / (2 * (1 - x * v) ** sympy.Rational(3, 2))) == 0, "(2)"
    bind_formula(statement, LINES, lambda p: psi(p) - cap(p.dimension, real(p.phi)))
    bind_expression(statement, CAP_BOUND - CAP)
    assert all(statement.at(p) is Truth.TRUE for p in LINES)
    half = statement.nudged(margin=lambda p: cap_bound(p) / 2 - cap_chance(p))
    assert all(half.at(p) is Truth.TRUE or half.is_equality(p) for p in LINES)
    low = [Lines(d, Fraction(k, 100)) for d in (1, 2, 7, 300) for k in (0, 1, 5)]
    assert all(statement.at(p) is Truth.TRUE for p in low), "below the printed range as well"
    bind_hypotheses(statement, Lines(1, HALF), sphere_outside(Lines(1, HALF), least="phi >= 0"))
    assert not statement.strict


@lemma_17.controls(grade="interval", region="d = 1, 2 and 3: 9/20 of the bound, a steeper exponent, phi below 0")
def test_less_than_half_or_a_larger_exponent_fails(statement) -> None:
    """For d = 1 the probability is half the bound; d (d-1)/2 times 11/10 in the exponent fails near phi = 1."""
    less = statement.nudged(margin=lambda p: cap_bound(p) * fmpq(9, 20) - cap_chance(p))
    assert less.at(Lines(1, Fraction(9, 10))) is Truth.FALSE
    obtuse = Lines(3, Fraction(-4, 5))
    assert cap_bound(obtuse) < arb(1) / 2, "and more than half of the sphere has <U, u> >= -4/5"
    assert statement.applies(obtuse) is Truth.FALSE
    near = Lines(2, 1 - Fraction(1, 10**20))
    steeper = statement.nudged(margin=lambda p: cap_bound(p) ** fmpq(11, 10) - cap_chance(p))
    assert statement.at(near) is Truth.TRUE
    assert steeper.at(near) is Truth.FALSE


@lemma_11.supports(
    grade="derived",
    region="every d and 0 < phi < 1: covering argument in the docstring, its arithmetic machine-checked",
)
def test_families_that_cannot_grow_are_large(statement) -> None:
    """Take unit vectors with all |<mu, nu>| < phi until none can be added (the caps below bound their number).

    Each v then has |<v, mu>| >= phi for a member: N closed double caps of measure 2 P <= 2 psi cover the sphere, so N
    >= 1/(2 psi) = 4 K > K. In the other direction open double caps of half the least angle t are disjoint, and
    cos(t/2)^2 = (1 + cos t)/2 (1): the two counts enclose the largest family.
    """
    t, y = sympy.symbols("t psi", positive=True)
    assert sympy.simplify(sympy.cos(t / 2) ** 2 - (1 + sympy.cos(t)) / 2) == 0, "(1)"
    assert 1 / (2 * y) / (1 / (8 * y)) == 4
    enclosed(statement, LINES, lambda p: 1 / (8 * psi(p)))
    assert all(statement.at(p) is Truth.TRUE for p in LINES)
    assert statement.at(Lines(1000, Fraction(1, 10))) is Truth.TRUE
    check_sphere(statement, Lines(3, Fraction(1, 2)), {})
    assert statement.applies(Lines(1, HALF)) is Truth.TRUE


@lemma_11.controls(grade="interval", region="d = 2 and 3")
def test_too_many_lines_are_refused(statement) -> None:
    """40 K lines of the plane, or 100 K lines of R^3, would need more than the whole sphere."""
    for point, factor in ((Lines(2, Fraction(3, 4)), 40), (Lines(3, Fraction(9, 10)), 100)):
        assert statement.at(point) is Truth.TRUE
        more = statement.nudged(lambda margin, factor=factor: 1 - factor * (1 - margin))
        assert more.at(point) is Truth.FALSE


def halves(points):
    return [HalfLost(p.dimension, p.phi, loss) for p, loss in product(points, (HALF, Fraction(1, 5)))]


def draws_number(p) -> mpmath.mpf:
    return 1 + real(p.loss) * mpmath.log(2) / psi(p)


LITTLE = HalfLost(3, Fraction(469, 500), HALF)


def lost_twice(p) -> mpmath.mpf:
    """Compute what Lemma 18 gives with the largest whole N below the solution of (28)."""
    return mpmath.floor((1 - real(p.loss)) * (mpmath.ceil(draws_number(p)) - 1))


@lemma_11.supports("count-by-lemma-18", grade="derived", region="every d, phi and 0 < t < 1: the docstring; 26 points")
def test_lemma_18_gives_the_whole_part_of_the_count(statement) -> None:
    """The largest whole N below 1 + t log 2/psi is at least t log 2/psi, and (N-1) psi < t log 2 is (28). With log 2 >
    1/2 (1-t) N >= t (1-t)/(2 psi), and the whole part of a number does not fall as the number grows.
    """  # noqa: D205
    assert sympy.log(2) > HALF
    points = [*halves(LINES), LITTLE]
    for p in points:
        assert statement.at(p) is Truth.TRUE
        assert mpmath.ceil(draws_number(p)) - 1 >= draws_number(p) - 1
    bind_formula(
        statement, points, lambda p: lost_twice(p) - mpmath.floor(real(p.loss) * (1 - real(p.loss)) / (2 * psi(p)))
    )
    check_sphere(
        statement, LITTLE, {"loss > 0": attrs.evolve(LITTLE, loss=0), "loss < 1": attrs.evolve(LITTLE, loss=1)}
    )
    assert statement.applies(attrs.evolve(LITTLE, loss=Fraction(1, 20))) is Truth.TRUE


@lemma_11.controls("count-by-lemma-18", grade="interval", region="d = 3, phi = 0.938, t = 1/2: one vector more")
def test_lemma_18_gives_no_more_than_the_whole_part(statement) -> None:
    """K = 1.04 and N = 3: one vector, which is the whole part."""
    assert abs(simple_count(LITTLE) - arb("1.04")) < arb("0.005")
    assert packing.printed_draws(LITTLE).floor() == 3
    assert statement.margin(LITTLE) == 0
    assert statement.nudged(lambda margin: margin - 1).at(LITTLE) is Truth.FALSE


@lemma_11.supports(
    "lower-bound-for-draws", grade="derived", region="every d, phi and t >= 0: the docstring; bound as an expression"
)
@lemma_11.supports("half-of-the-draws-lost", grade="symbolic", region="every d and phi < 1: an identity")
def test_arithmetic_of_the_simple_packing(statements) -> None:
    """1 + t (log 2 - 1/2)/psi > 0 because log 2 > 1/2, and t (1-t)/2 = 1/8 at t = 1/2.

    K = exp((d-1) log(1/sqrt(1-phi^2)))/8 = 1/(8 psi).
    """
    exceeds, setting = (
        statements[f"near-optimal.lemma-11/{name}"] for name in ("lower-bound-for-draws", "half-of-the-draws-lost")
    )
    assert sympy.log(2) > HALF
    t, d, phi = sympy.symbols("t d phi", positive=True)
    assert (t * (1 - t) / 2).subs(t, sympy.Rational(1, 2)) == sympy.Rational(1, 8)
    power = sympy.exp((d - 1) * sympy.log(1 / sympy.sqrt(1 - phi**2))) * (1 - phi**2) ** ((d - 1) / 2)
    numeric = [power.subs({d: 3 + k, phi: sympy.Rational(k + 1, 9)}).evalf(40) - 1 for k in range(6)]
    assert all(abs(value) < sympy.Rational(1, 10**30) for value in numeric)
    assert sympy.simplify(sympy.expand_log(sympy.log(power), force=True)) == 0
    part = (1 - phi**2) ** ((d - 1) / 2)
    fields = {"dimension": d, "phi": phi, "loss": t}
    bind_expression(exceeds, 1 + t * (sympy.log(2) - sympy.Rational(1, 2)) / part, fields=fields)
    bind_expression(setting, sympy.Integer(0))
    check_sphere(exceeds, LITTLE, {"loss >= 0": attrs.evolve(LITTLE, loss=Fraction(-1, 20))}, strict=True)
    assert exceeds.applies(attrs.evolve(LITTLE, loss=0)) is Truth.TRUE
    check_sphere(setting, LITTLE, {})


DRAWS = [
    Draws(d, Fraction(k, 20), n, loss)
    for d, k in ((1, 10), (2, 8), (3, 15), (8, 14), (40, 12))
    for n, loss in ((1, HALF), (2, Fraction(1, 10)), (7, HALF), (30, Fraction(4, 5)), (200, Fraction(6, 5)))
]


def room(p) -> mpmath.mpf:
    return p.draws * real(p.loss) * mpmath.log(2) - p.draws * (p.draws - 1) * psi(p)


INSIDE_28 = Draws(3, Fraction(19, 20), 3, HALF)
OUTSIDE_28 = {
    "draws >= 1, an integer": attrs.evolve(INSIDE_28, draws=0),
    "-N t log 2 + N (N-1) psi < 0": attrs.evolve(INSIDE_28, draws=30),
}


def check_28(statement: Statement, *, strict: bool = False) -> None:
    check_sphere(statement, INSIDE_28, OUTSIDE_28, strict=strict)
    condition = next(given for given in statement.given if "log 2" in given.says)
    bind_formula(Statement(condition.says, condition.margin), DRAWS, room)
    assert condition.strict
    assert statement.applies(attrs.evolve(INSIDE_28, draws=1)) is Truth.TRUE


@lemma_18.supports(
    grade="derived",
    region="every d, phi, N and t with (28): derivation in the docstring, its estimates machine-checked",
)
def test_lemma_18_asks_for_less_than_a_family_that_cannot_grow(statement) -> None:
    """The largest family has at least max(1, 1/(2 psi)) members by Lemma 17, and t > (N-1) psi/log 2 >= 0 by (28).

    For N = 1 floor((1-t) N) <= 0. For N >= 2 and t < 1, 1/(2 psi) > (N-1)/(2 t log 2), and (N-1)/N >= 1/2 (1) exceeds
    (log 2)/2 >= 2 t (1-t) log 2 (2), so that 1/(2 psi) > N (1-t). For t >= 1 no vector is asked for.
    """
    n, t = sympy.symbols("n t", positive=True)
    assert sympy.simplify((n - 1) / n - sympy.Rational(1, 2) - (n - 2) / (2 * n)) == 0, "(1)"
    assert sympy.expand(sympy.Rational(1, 2) - 2 * t * (1 - t) - 2 * (t - sympy.Rational(1, 2)) ** 2) == 0, "(2)"
    assert sympy.log(2) < 1
    enclosed(statement, DRAWS, lambda p: floor((1 - p.loss) * p.draws))
    held = [p for p in DRAWS if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 8
    assert all(statement.at(p) is Truth.TRUE for p in held)
    check_28(statement)


@lemma_18.controls(grade="interval", region="d = 2, phi = 2/5")
def test_lemma_18_needs_its_condition(statement) -> None:
    """Without (28), 100 of 200 lines of the plane would be pairwise more than 66 degrees apart."""
    crowded = Draws(2, Fraction(2, 5), 200, HALF)
    assert statement.applies(crowded) is Truth.FALSE
    assert statement.without("-N t log 2 + N (N-1) psi < 0").at(crowded) is Truth.FALSE
    assert packing.kept(crowded) == 100
    assert (arb(2) / 5).acos() * 180 / arb.pi() > 66
    assert packing_share(crowded) > arb(1) / 3, "two such lines at the most"
    assert covering_share(crowded) < arb(3) / 4


COLLISIONS = [Collision(p.dimension, p.phi, i) for p in LINES for i in (1, 2, 9)]
SURVIVORS = [
    Survivors(n, loss, close)
    for n, close in ((1, 0), (5, 2), (8, 3), (100, 49), (30, 7))
    for loss in (HALF, Fraction(2, 3), Fraction(1, 4), Fraction(3, 2))
]


@lemma_18.supports("conditional", grade="derived", region="every d, phi and i, by Lemma 17")
@lemma_18.supports("sum", grade="derived", region="every N: the sum of 2 (i-1) by summation; bound at N = 1 to 24")
@lemma_18.supports(
    "positive-probability", grade="derived", region="every point with (28): exp(x) < 1 for x < 0; bound at 25 points"
)
@lemma_18.supports("survivors", grade="derived", region="every N and t: the docstring; bound at 20 points")
def test_lines_of_the_random_packing(statements) -> None:
    """2 (i-1) psi - 2 (i-1) P >= 0 by Lemma 17; the sum of 2 (i-1) is N (N-1); exp(x) < 1 for x < 0.

    If c <= t N draws are close to an earlier one, N - c >= (1-t) N >= floor((1-t) N) are not.
    """
    names = ("conditional", "sum", "positive-probability", "survivors")
    conditional, sums, positive, survivors = (statements[f"near-optimal.lemma-18/{name}"] for name in names)
    i, n = sympy.symbols("i n", integer=True, positive=True)
    assert sympy.expand(sympy.summation(2 * (i - 1), (i, 1, n)) - n * (n - 1)) == 0
    pairs = decimals(COLLISIONS, lambda p: 2 * (p.place - 1) * (psi(p) - cap(p.dimension, real(p.phi))))
    bind(conditional, pairs)
    bind_expression(conditional, 2 * (PLACE - 1) * (CAP_BOUND - CAP))
    assert conditional.at(Collision(3, HALF, 5)) is Truth.TRUE
    check_sphere(conditional, Collision(3, HALF, 1), {"place >= 1, an integer": Collision(3, HALF, 0)})
    bind(sums, [(Draws(1, HALF, k, HALF), Fraction(0)) for k in range(1, 25)])
    assert sums.at(DRAWS[3]) is Truth.TRUE
    bind_hypotheses(sums, Draws(1, HALF, 1, HALF), {"draws >= 1, an integer": Draws(1, HALF, 0, HALF)})
    bind_formula(positive, DRAWS, lambda p: 1 - mpmath.exp(-room(p)))
    draws, loss, close = sympy.symbols("draws loss close")
    bind_expression(positive, 1 - 2 ** (-draws * loss) * sympy.exp(draws * (draws - 1) * CAP_BOUND))
    assert positive.at(INSIDE_28) is Truth.TRUE
    check_28(positive, strict=True)
    bind(survivors, [(p, Fraction(p.draws - p.close - floor((1 - p.loss) * p.draws))) for p in SURVIVORS])
    bind_expression(survivors, draws - close - sympy.floor((1 - loss) * draws))
    inside = Survivors(1, HALF, 0)
    outside = {
        "draws >= 1, an integer": Survivors(0, HALF, 0),
        "close >= 0, an integer": Survivors(5, HALF, -1),
        "f_1 + ... + f_N <= t N": Survivors(5, HALF, 3),
    }
    bind_hypotheses(survivors, inside, outside)
    assert survivors.at(Survivors(8, HALF, 4)) is Truth.TRUE
    share = survivors.given[-1]
    assert not share.strict
    bind(Statement(share.says, share.margin), [(p, p.loss * p.draws - p.close) for p in SURVIVORS])
    assert not survivors.strict
    assert not sums.strict


@lemma_18.controls("sum", grade="symbolic", region="N = 1 to 24: 2 i for 2 (i-1), exactly 2 N too much")
def test_counting_the_draw_itself_is_no_equation(statement) -> None:
    """The sum of 2 i up to N is N (N+1), which is N (N-1) and 2 N."""
    more = redefined(statement, packing, "collisions", lambda p: arb(sum(2 * i for i in range(1, p.draws + 1))))
    draws = [Draws(1, HALF, k, HALF) for k in range(1, 25)]
    bind(more, [(p, Fraction(-2 * p.draws)) for p in draws])
    assert all(more.at(p) is Truth.FALSE for p in draws)


@lemma_11.controls("half-of-the-draws-lost", grade="interval", region="25 points: 1/9 for the 1/8 of K")
def test_a_ninth_is_not_what_half_of_the_draws_leave(statement) -> None:
    """1/(8 psi) exceeds 1/(9 psi) by 1/(72 psi)."""
    count = packing.simple_count
    fewer = redefined(statement, packing, "simple_count", lambda p: count(p) * fmpq(8, 9))
    bind_formula(fewer, LINES, lambda p: -1 / (72 * psi(p)))
    assert all(fewer.at(p) is Truth.FALSE for p in LINES)
