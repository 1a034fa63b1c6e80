"""`wishart.theorem-5`: which of the two noises is smaller, and from where on."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.noise_comparison import (
    FromSomeDimension,
    NoiseChoice,
    laplace_choice,
    private_choice,
    ratio,
    wishart_choice,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.wishart.expected_noise_norms import (
    DIFFERENCE,
    WISHART,
    check_laplace_expectation,
    check_norm_bounds,
    d_,
    e_,
    falls_with_d,
    n_,
)

theorem_5 = cite("wishart.theorem-5@b853dce7")

ENTRYWISE, NUCLEAR, CONSTANT = sympy.symbols("entrywise nuclear constant", positive=True)
ROOT = sympy.sqrt(d_)
LAPLACE, WISHART_SIZE = ROOT * ENTRYWISE / e_, NUCLEAR / (2 * e_)
"""The lower bound of the Laplace norm, and the unit of the Wishart norm."""


def choice(wishart_from: sympy.Expr, laplace_to: sympy.Expr, *, most: bool) -> sympy.Expr:
    """Return the margin of a choice: by how much at most, or, for W_1 - W_2, at least, the other noise is larger."""
    one, private = (2 * d_, WISHART), (sympy.sqrt(2) * d_, DIFFERENCE)
    laplace, wishart = (LAPLACE, 15 * LAPLACE), [bound * WISHART_SIZE for bound in (one if most else private)]
    low, high = (1, 0) if most else (0, 1)
    return sympy.Piecewise(
        (laplace[low] - wishart[high], wishart_from),
        (wishart[low] - laplace[high], laplace_to),
        (sympy.nan, True),
    )


def settings(
    dimension: int,
    entrywise: Number,
    nuclear: Number,
    epsilon: Number,
    records: int = 1,
    constant: Number = 1,
) -> NoiseChoice:
    """Return a point at which what its statement does not speak of is 1."""
    return NoiseChoice(dimension, entrywise, nuclear, epsilon, records, constant)


CHOICE_INSIDE = settings(100, 100, 1, 1, 1, 1)
CHOICE_OUTSIDE = {
    "dimension >= 1, an integer": {"dimension": 0},
    "entrywise > 0": {"entrywise": 0},
    "nuclear > 0": {"nuclear": 0},
    "epsilon > 0": {"epsilon": 0},
}
WITH_RECORDS = {"constant > 0": {"constant": 0}, "records >= 1, an integer": {"records": 0}}


def check_choice(statement, more: dict[str, dict[str, object]]) -> None:
    """Ask for each hypothesis on its own; the point inside has the least number of records."""
    outside = {says: attrs.evolve(CHOICE_INSIDE, **change) for says, change in (CHOICE_OUTSIDE | more).items()}
    bind_hypotheses(statement, CHOICE_INSIDE, outside)


def flat_choice(constant: Number) -> NoiseChoice:
    """Choose records with s entries 1/sqrt(s), s = K sqrt(d) log d rounded down a little, d = 10^(2j), j large."""
    share = rational(constant)
    j = max(3, int(4 / share) + 1)
    while 2 * share * 10**j * 2 * j * fmpq(2303, 1000) > 10 ** (2 * j):  # no room for two disjoint supports
        j += 1
    entries = share * 10**j * 2 * j * fmpq(2302, 1000)
    s = int(entries.p) // int(entries.q)
    return settings(10 ** (2 * j), 2 * s, 2, 1, constant=constant)


def against(constant: Number) -> NoiseChoice:
    """Choose a point at which the constant fails: one changed diagonal entry for small ones, else flat records."""
    return settings(1024, 1, 1, 1, constant=constant) if rational(constant) < fmpq(1, 250) else flat_choice(constant)


@theorem_5.refutes(
    grade="derived",
    region="every K > 0, by the docstring: d = 1024 for K < 1/250, flat records from some d on for the others; "
    "executed: K = 10^-12, .., 10^12, and for K = 1 d = 100, 10^4, 54321, 10^6, 10^9",
)
def test_laplace_is_not_better_below_the_printed_level(statement) -> None:
    """Records with s entries 1/sqrt(s): max ||Delta||_{1,1} = 2s, max ||Delta||_* = 2, both at disjoint supports.

    E ||L|| >= 2 s sqrt(d)/eps >= (2 sqrt(d) log d - 2) sqrt(d)/eps, E ||W|| <= ((sqrt(d) + sqrt(d + 1))^2 + 1)/eps.
    Divided by d, 2 log d - 2/sqrt(d) increases, the other decreases; at d = 100 the first is larger by 4. There is
    room for two supports, as sqrt(d) - 2 log d increases from d = 16 on and is positive at d = 100. With
    s = floor(K sqrt(d) log d) the first is 2 K log d - 2/sqrt(d), which grows without bound.

    For K < 1/250 the other half fails as well: Delta = t e_1 e_1' has the ratio 1, above K sqrt(1024) log 1024 = 222 K,
    and E ||L|| <= 15 sqrt(1024) t/eps = 480 t/eps is below E ||W|| >= 1024 t/eps.
    """
    statement.refute(against)
    assert 32 * arb(1024).log() < 222
    check_norm_bounds()
    first, second = (sympy.Matrix([int(i // 2 == block) for i in range(4)]) / sympy.sqrt(2) for block in (0, 1))
    change = first * first.T - second * second.T
    assert sum(abs(entry) for entry in change) == 4
    assert change.eigenvals() == {1: 1, -1: 1, 0: 2}
    least = 100
    advantage = 2 * sympy.log(d_) - 2 / sympy.sqrt(d_)
    assert all(term.is_positive for term in sympy.expand(sympy.diff(advantage, d_)).as_ordered_terms())
    assert falls_with_d(WISHART)
    bound = sympy.expand(WISHART / d_).subs(d_, least)
    assert (advantage.subs(d_, least) - bound).evalf(30) > 4
    room = sympy.sqrt(d_) - 2 * sympy.log(d_)
    assert sympy.solve(sympy.diff(room, d_), d_) == [16]
    assert room.subs(d_, least).evalf(30) > 0
    theorem_5.tells("<= {below} d / epsilon for every d >= {}", bound, least)
    for d in (100, 10**4, 54321, 10**6, 10**9):
        s = int(sympy.floor(sympy.sqrt(d) * sympy.log(d)))
        assert 2 * s <= d, "room for two disjoint supports"
        for epsilon in (Fraction(1, 100), 1, 8):
            point = settings(d, 2 * s, 2, epsilon)
            assert statement.conclusion(point) is Truth.FALSE
            above = attrs.evolve(point, entrywise=2 * s + 2)
            assert statement.conclusion(above) is Truth.UNDECIDED, "above it Wishart is chosen"
            assert statement.margin(above) > 0
    ratio, level = ENTRYWISE / NUCLEAR, CONSTANT * ROOT * sympy.log(d_)
    bind_expression(statement, choice(ratio > level, ratio <= level, most=True))
    level_sizes = settings(1, 1, 15, 1)
    assert statement.conclusion(level_sizes) is Truth.UNDECIDED, "15 against 15"
    theorem_5.tells("Without n it holds with the constant {}", laplace_choice(level_sizes).high)
    check_choice(statement, {"constant > 0": {"constant": 0}})


@theorem_5.supports_repair(
    grade="derived",
    region="every d >= 1, all sensitivities, by the docstring; the norms are enclosed by `check_norm_bounds` and "
    "`check_laplace_expectation`",
)
@theorem_5.controls(
    "+repair",
    grade="interval",
    region="d = 9, ratio 9, and d = 484, ratio 1: the two choices exchanged; undecided between the thresholds; ratio "
    "above d",
)
def test_the_threshold_is_of_order_root_d(statement) -> None:
    """In units of c = nuclear/(2 eps): sqrt(d) b = 2 ratio sqrt(d), so at least 6 d, where d >= ratio >= 3 sqrt(d).

    So d >= 9, and ((sqrt(d) + sqrt(d + 1) + 1/2)^2 + 1)/d, which falls with d, is below 6 there (1). And at most
    15 sqrt(d) b = 30 ratio sqrt(d) <= (30/22) d < sqrt(2) d for a ratio of at most sqrt(d)/22 (2).

    W_1 - W_2 is private: its density is proportional to the integral of exp(-tr(M + 2V)/(2c)) over V > 0, M + V > 0.
    With P >= 0 in M + P, and U = V or V + P, it changes by a factor between exp(-tr(P)/(2c)) and exp(tr(P)/(2c)). For
    Delta = P - N the loss is at most (tr P + tr N)/(2c) = ||Delta||_*/(2c).
    """
    check_norm_bounds()
    check_laplace_expectation()
    assert falls_with_d(DIFFERENCE)
    assert (6 - sympy.expand(DIFFERENCE / d_).subs(d_, 9)).evalf(30) > 0, "(1)"
    assert (sympy.sqrt(2) - sympy.Rational(30, 22)).evalf(30) > 0, "(2)"
    for at_d in (1, 9, 484):
        within = [(2 * d_ - sympy.sqrt(2) * d_), DIFFERENCE - WISHART]
        assert all(gap.subs(d_, at_d).evalf(30) > 0 for gap in within), "the bounds of one Wishart matrix lie between"
    wide = [
        settings(d, ratio * nuclear, nuclear, e)
        for d, ratio in ((9, 9), (10, 10), (90, 29), (484, 1), (10**4, 3), (10**6, 10**4))
        for nuclear, e in ((2, 1), (1, Fraction(1, 9)), (Fraction(1, 4), 3), (9, 9))
    ]
    share = ENTRYWISE / NUCLEAR
    bind_expression(statement, choice(share >= 3 * ROOT, share <= ROOT / 22, most=False))
    assert all(statement.at(p) is Truth.TRUE for p in wide)
    least = [sympy.solve(level, d_)[0] for level in (3 * ROOT - d_, ROOT / 22 - 1)]
    theorem_5.tells("the first case needs d >= {} and the second d >= {}", *least)
    between, most = "the ratio is outside (sqrt(d) / 22, 3 sqrt(d))", "||Delta||_{1,1} <= d ||Delta||_*"
    middle = settings(100, 1, 1, 1)
    for undecided in (middle, settings(100, 29, 1, 1), settings(484, 101, 100, 1)):
        assert statement.applies(undecided) is Truth.FALSE
        assert statement.without(between).at(undecided) is Truth.UNDECIDED
    small = settings(1, 3, 1, 1)
    assert statement.applies(small) is Truth.FALSE
    assert statement.without(most).at(small) is Truth.FALSE
    for edge in (settings(9, 9, 1, 1), settings(100, 30, 1, 1), settings(484, 1, 1, 1)):
        assert statement.applies(edge) is Truth.TRUE
    check_choice(statement.without(between), {most: {"entrywise": 101}})

    def exchanged(p: NoiseChoice) -> arb:
        one, other = laplace_choice(p), private_choice(p)
        return other.low - one.high if ratio(p) >= 3 * arb(p.dimension).sqrt() else one.low - other.high

    for p in (settings(9, 18, 2, 1), settings(484, 1, 1, 1)):
        assert statement.nudged(margin=exchanged).at(p) is Truth.FALSE
    for p in wide:
        one, private = wishart_choice(p), private_choice(p)
        assert private.low < one.low
        assert one.high < private.high


@theorem_5.refutes("divided-by-n-twice", grade="derived", region="every K, as soon as n > K: K = 10^-12, .., 10^12")
def test_the_change_is_divided_by_n_already(statement) -> None:
    """sqrt(d) b > K sqrt(d) b / n for n > K, in every dimension and at every epsilon."""
    bind_expression(statement, LAPLACE * (CONSTANT / n_ - 1))

    def many_records(constant: Number) -> NoiseChoice:
        n = int(rational(constant)) + 1
        return settings(5, Fraction(2, n), Fraction(2, n), 1, n, constant)

    statement.refute(many_records)
    assert statement.conclusion(settings(4, 1, 1, 1)) is Truth.UNDECIDED, "n = K = 1: equality"
    check_choice(statement, WITH_RECORDS)


@theorem_5.supports(
    "wishart-noise-of-order",
    grade="derived",
    region="every d >= 2, n, epsilon and change, by the docstring; its factor in d checked; the norms as in the repair",
)
@theorem_5.controls("wishart-noise-of-order", grade="interval", region="d = 2, K = 1")
def test_the_wishart_noise_is_of_the_stated_order(statement) -> None:
    """In units of max ||Delta||_* d / (n eps): E ||W|| <= ((sqrt(d) + sqrt(d + 1))^2 + 1)/(2d), which falls with d.

    At d = 2 it is less than 4 log 2 (1), and log d grows. At K = 1 and d = 2 even 2 d c is larger (2).
    """
    check_norm_bounds()
    assert falls_with_d(WISHART)
    assert (4 * sympy.log(2) - WISHART.subs(d_, 2) / 4).evalf(30) > 0, "(1)"
    assert arb(2).log() < 1, "(2)"
    bind_expression(statement, NUCLEAR * (CONSTANT * d_ * sympy.log(d_) - WISHART / 2) / (n_ * e_))
    for d in (2, 3, 5, 100, 10**6):
        for nuclear, e in ((2, 1), (1, Fraction(1, 9)), (Fraction(1, 4), 3)):
            assert statement.at(settings(d, 1, nuclear, e, 4, 4)) is Truth.TRUE
    inside = settings(2, 1, 2, 1, 1, 4)
    assert statement.exhibiting(attrs.evolve(inside, constant=1)) == inside
    assert statement.exhibits(constant=1).at(attrs.evolve(inside, constant=1)) is Truth.FALSE
    outside = {
        "dimension >= 2, an integer": {"dimension": 1},
        "nuclear > 0": {"nuclear": 0},
        "epsilon > 0": {"epsilon": 0},
        "records >= 1, an integer": {"records": 0},
        "constant > 0": {"constant": 0},
    }
    bind_hypotheses(statement, inside, {says: attrs.evolve(inside, **change) for says, change in outside.items()})
    assert statement.conclusion(attrs.evolve(inside, dimension=1)) is Truth.FALSE, "log 1 = 0"


@theorem_5.supports(
    "scale-of-order", grade="symbolic", region="every d, n, epsilon and max ||Delta||_* <= 2: an expression"
)
@theorem_5.controls("scale-of-order", grade="symbolic", region="max ||Delta||_* = 2, K = 1; max ||Delta||_* = 21/10")
def test_the_scale_is_of_the_stated_order(statement) -> None:
    """3/(2 n eps) - K x/(n eps) = (3/4) (2 - x)/(n eps) at K = 3/4, with x the largest ||Delta||_*."""
    bind_expression(statement, (sympy.Rational(3, 2) - CONSTANT * NUCLEAR) / (n_ * e_))
    k = sympy.Rational(3, 4)
    assert sympy.expand(sympy.Rational(3, 2) - k * NUCLEAR - k * (2 - NUCLEAR)) == 0
    share = fmpq(3, 4)
    for d, nuclear, e, n in ((1, 1, 1, 1), (5, Fraction(3, 2), Fraction(1, 3), 7), (9, Fraction(1, 5), 4, 100)):
        assert statement.at(settings(d, 2, nuclear, e, n, share)) is Truth.TRUE
    attained = settings(5, 2, 2, 1, 4, share)
    assert statement.margin(attained).contains(0)
    assert statement.at(attained) is Truth.TRUE, "equality"
    assert statement.exhibiting(attrs.evolve(attained, constant=1)) == attained
    assert statement.exhibits(constant=1).at(attrs.evolve(attained, constant=1)) is Truth.FALSE
    larger = "max ||Delta||_* <= 2"
    wide = attrs.evolve(attained, nuclear=Fraction(21, 10))
    assert statement.without(larger).at(wide) is Truth.FALSE
    inside = attrs.evolve(CHOICE_INSIDE, constant=share)
    for point in (inside, attained):
        more = CHOICE_OUTSIDE | WITH_RECORDS | {larger: {"nuclear": Fraction(21, 10)}}
        bind_hypotheses(statement, point, {says: attrs.evolve(point, **change) for says, change in more.items()})


@theorem_5.supports(
    "less-noise",
    grade="derived",
    region="every d >= 11, n and epsilon, by the docstring; its factor in d checked; the norms as in the repair",
)
@theorem_5.supports(
    "private-noise",
    grade="derived",
    region="every d >= 7, n and epsilon, by the docstring; its factor in d checked; the norms as in the repair",
)
@theorem_5.controls("less-noise", grade="interval", region="from d = 10 on, as far as the bounds tell")
@theorem_5.controls("private-noise", grade="interval", region="from d = 6 on, as far as the bounds tell")
def test_wishart_noise_is_less_from_some_dimension_on(statements) -> None:
    """In units of d/(n eps): E ||L|| >= 2 sqrt(d), and the bounds of E ||W|| and E ||W_1 - W_2|| fall with d.

    At d = 1, E|Lap(b)| = b = 2/(n eps) is less than E W = 2c = 3/(n eps).
    """
    check_norm_bounds()
    three_halves = sympy.Rational(3, 2)
    scale_of_difference = sympy.Piecewise((1, d_ > 1), (sympy.Rational(1, 2), True))
    for name, least, size, scale in (
        ("less-noise", 11, WISHART, three_halves),
        ("private-noise", 7, DIFFERENCE, scale_of_difference),
    ):
        statement = statements[f"wishart.theorem-5/{name}"]
        assert falls_with_d(size)
        slack = 2 * sympy.sqrt(d_) - scale.subs(d_, least) * size / d_
        assert slack.subs(d_, least).evalf(30) > 0
        bind_expression(statement, (2 * sympy.sqrt(d_) * d_ - scale * size) / (n_ * e_))
        check_from_dimension(statement, least)
    scale, z = sympy.symbols("b z", positive=True)
    assert sympy.integrate(z * sympy.exp(-z / scale) / scale, (z, 0, sympy.oo)) == scale


def check_from_dimension(statement, least: int) -> None:
    """Check that the bounds tell from this dimension on, and not from the one before."""
    for d in (least, least + 1, 150, 900, 10**6):
        for n, e in ((1, Fraction(1, 3)), (7, 4)):
            assert statement.at(FromSomeDimension(d, n, e, least)) is Truth.TRUE
    inside = FromSomeDimension(least, 1, 1, least)
    assert statement.exhibiting(attrs.evolve(inside, threshold=1)) == inside
    before = FromSomeDimension(least - 1, 1, 1, least - 1)
    assert statement.exhibits(threshold=least - 1).at(before) is Truth.FALSE
    outside = {
        "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
        "records >= 1, an integer": attrs.evolve(inside, records=0),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
        "d >= threshold": attrs.evolve(inside, dimension=least - 1),
    }
    bind_hypotheses(statement, inside, outside)
