"""Table 2 of `sliding-window`: the rows in one measure, and the bounds on space against the theorems."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import ceil, log10

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import component_table
from dpmatrix.spec.sliding_window.component_table import ComponentSetting
from dpmatrix.spec.sliding_window.noisy_moment import NoisyRelease
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.misled_choices import DEAR, E_1, FREE, NO_PROJECTION, SEEN_ALIKE, SKEW_NOISE
from proofs_checks.steps import by_step

table_2 = cite("sliding-window.table-2@482f0dc0")

MILLIONTH = Fraction(1, 10**6)
BASE = ComponentSetting(1000, 100, 5, Fraction(1, 10), 1, MILLIONTH)
LEAST = ComponentSetting(2, 3, 1, Fraction(1, 50), Fraction(1, 50), Fraction(1, 3))
MOST = ComponentSetting(9, 3, 3, Fraction(49, 50), Fraction(1, 2), Fraction(49, 50), 2)
POINTS = [
    ComponentSetting(w, d, k, eta, epsilon, Fraction(1, 3), factor)
    for (w, d), (k, eta), epsilon, factor in product(
        ((2, 3), (1000, 60)),
        ((1, Fraction(1, 5)), (3, Fraction(9, 10))),
        (Fraction(1, 9), 1, 7, 90),
        (1, Fraction(11, 3)),
    )
]
OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(BASE, window=1),
    "dimension >= 3, an integer": attrs.evolve(BASE, dimension=2),
    "target >= 1, an integer": attrs.evolve(BASE, target=0),
    "k <= d": attrs.evolve(BASE, target=101),
    "eta > 0": attrs.evolve(BASE, eta=0),
    "eta < 1": attrs.evolve(BASE, eta=1),
    "epsilon > 0": attrs.evolve(BASE, epsilon=0),
    "delta > 0": attrs.evolve(BASE, delta=0),
    "delta < 1": attrs.evolve(BASE, delta=1),
    "delta >= d^(-log d)": attrs.evolve(LEAST, delta=Fraction(29, 100)),
}


WINDOW, DIMENSION, TARGET, ETA, EPSILON, DELTA, FACTOR = sympy.symbols(
    "window dimension target eta epsilon delta factor"
)
FAR = sympy.sqrt(2 * sympy.log(1 / DELTA))
SCALE = (FAR + sympy.sqrt(FAR**2 + 2 * EPSILON)) / (2 * EPSILON)
GAUSSIAN = sympy.sqrt(2 * TARGET * 4 * SCALE * sympy.sqrt(DIMENSION * sympy.log(9) + sympy.log(DIMENSION)))
"""sqrt(2k) times the root of the noise's norm."""


def check(statement, formula, more=None) -> None:
    bind_expression(statement, formula)
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE | (more or {}))


@table_2.refutes(
    grade="derived",
    region="k = 5, eps = 1, delta = d^(-log d), rounded up: every c by d = 10^(4n + 9), n >= 2 log10 c",
)
def test_a_gaussian_release_of_static_data_costs_less(statement) -> None:
    """The cost of the top-k space of A'A + N is sqrt(2k|N|) beyond the least: see cross.low-rank-lower-bounds.

    Every c: by the repair that is at most sqrt(28 k sqrt(d) log d), and sqrt(kd) exceeds c times this where sqrt(d) >
    28 c^2 log d: d = 10^(4n + 9) has sqrt(d) > 31000 * 10^(2n), and 28 log d < 65 (4n + 9) is less than 31000 * 10^n,
    which is at most 31000 * 10^(2n)/c^2 for 10^n >= c^2.
    """

    def wide(factor):
        size = max(0, ceil(2 * log10(float(factor))))
        power = 4 * size + 9
        delta = Fraction(1, 2 ** int((power * 2.3) ** 2))  # log 10^n > 2.3 n, and log 2 < 1
        return ComponentSetting(1000, 10**power, 5, Fraction(1, 10), 1, delta, factor)

    assert (arb(10) ** 9).sqrt() > 31_000
    assert 28 * arb(10).log() < 65
    assert 65 * 9 < 31_000, "and from n to n + 1 the left is at most doubled"
    statement.refute(wide)
    for factor, power in ((1, 7), (10, 12), (100, 17)):
        for target, epsilon in product((1, 5), (1, Fraction(1, 10))):
            delta = Fraction(1, 2 ** int((power * 2.3) ** 2))  # log 10^n > 2.3 n, and log 2 < 1
            point = ComponentSetting(1000, 10**power, target, Fraction(1, 10), epsilon, delta, factor)
            assert statement.at(point) is Truth.FALSE
    assert BASE.factor == 1
    assert statement.at(BASE) is Truth.TRUE, "in 100 dimensions the noise is the larger one"
    assert sympy.simplify(EPSILON * SCALE - 1 / (2 * SCALE) - FAR) == 0, "the root of eps s^2 - z s - 1/2"
    check(statement, FACTOR * GAUSSIAN - sympy.sqrt(TARGET * DIMENSION) / EPSILON)


@table_2.supports_repair(
    grade="derived",
    region="every d >= 3, k, eps <= 1, delta >= d^(-log d): derivation in the docstring, its constants checked",
)
def test_the_second_row_in_the_measure_of_the_last(statement) -> None:
    """|A - AP|_F <= |A - AP*|_F + sqrt(2k|N|), and |N| <= 4 s sqrt(d log 9 + log d), as in the repaired theorem-15.

    z = sqrt(2 log(1/delta)) <= sqrt(2) log d, and s <= z/eps + 1/sqrt(2 eps) <= (sqrt(2) + 1/sqrt(2)) log d/eps, since
    eps <= 1 and log d >= 1. With log d <= d/e the norm is at most 4 (3/sqrt(2)) sqrt(log 9 + 1/e) sqrt(d) log d/eps,
    below 14 sqrt(d) log d/eps.
    """
    d, z, e = sympy.symbols("d z e", positive=True)
    assert sympy.solve(sympy.diff(d / sympy.E - sympy.log(d), d), d) == [sympy.E], "d/e - log d is least, 0, at e"
    assert sympy.simplify((2 * z + sympy.sqrt(2 * e)) / (2 * e) - z / e - 1 / sympy.sqrt(2 * e)) == 0
    assert arb(3).log() > 1
    assert 4 * 3 / arb(2).sqrt() * (arb(9).log() + 1 / arb(1).exp()).sqrt() < 14
    more = {"epsilon <= 1": attrs.evolve(BASE, epsilon=Fraction(51, 50))}
    some = [attrs.evolve(p, epsilon=Fraction(k, 7)) for p in POINTS[::8] for k in (1, 2, 3, 5, 7)]
    simple = sympy.sqrt(28 * TARGET * sympy.sqrt(DIMENSION) * sympy.log(DIMENSION) / EPSILON)
    check(statement, simple - GAUSSIAN, more)
    bind_hypotheses(statement, attrs.evolve(LEAST, epsilon=1), OUTSIDE | more)
    assert all(statement.at(p) is Truth.TRUE for p in (*some, LEAST, MOST, BASE))


@table_2.controls("+repair", grade="interval", region="epsilon = 10^4; 7 for 28")
def test_a_large_epsilon_is_noticed(statement) -> None:
    large = attrs.evolve(LEAST, epsilon=10**4)
    assert statement.applies(large) is Truth.FALSE
    assert statement.without("epsilon <= 1").at(large) is Truth.FALSE
    tight = ComponentSetting(2, 10**9, 1, Fraction(1, 2), 1, Fraction(1, 2**429))
    assert statement.at(tight) is Truth.TRUE

    def quarter(p: ComponentSetting):
        return component_table.simple_cost(p) / 2 - component_table.gaussian_cost(p)

    assert statement.nudged(margin=quarter).at(tight) is Truth.FALSE, "7 for 28"


def space(k: int, eta: int) -> sympy.Expr:
    """Return d k^i log W / eta^j."""
    return DIMENSION * TARGET**k * sympy.log(WINDOW) / ETA**eta


def at_least_one(factor) -> int:
    """c, rounded up."""
    return int(rational(factor).ceil())


@table_2.supports("errors-in-order", grade="derived", region="every parameter with eps <= 1: 1/eps >= 1")
@table_2.supports("space-of-theorem-19", grade="derived", region="every parameter with W >= d")
@table_2.supports("space-of-theorem-3", grade="derived", region="every parameter: 1/eta >= 1")
@table_2.refutes("smaller-space", grade="derived", region="every c: k = 2c, d the least number above k log W/eta^3")
@table_2.supports("spaces-in-order", grade="derived", region="every parameter: k/eta^2 >= 1")
def test_rows_against_each_other_and_against_theorems(statements) -> None:
    """The last: c d k^2/eta^3 - d k/eta = (d k/eta)(c k/eta^2 - 1), and c = 1, k >= 1 > eta.

    The first three are the quotients 1/eps, W/d and 1/eta, each at least 1. Every c of "smaller-space": with d = 48c
    for k log W/eta^3 <= d the quotient is k log W/(eta^3 d) times k.
    """
    by_name = by_step(statements)

    def wide(factor):  # log 20 < 3, and 3 * 2c * 8 <= 48c
        size = at_least_one(factor)
        return attrs.evolve(BASE, window=20, target=2 * size, eta=Fraction(1, 2), dimension=48 * size, factor=factor)

    by_name["smaller-space"].refute(wide)
    d, k, c, eta = sympy.symbols("d k c eta", positive=True)
    assert sympy.simplify(c * d * k**2 / eta**3 - d * k / eta - d * k / eta * (c * k / eta**2 - 1)) == 0
    assert all(by_name["spaces-in-order"].at(attrs.evolve(p, factor=1)) is Truth.TRUE for p in (*POINTS, LEAST, MOST))
    ordered = by_name["errors-in-order"]
    bind_expression(ordered, (FACTOR / EPSILON - 1) * sympy.sqrt(TARGET * DIMENSION))
    small = {
        "dimension >= 1, an integer": attrs.evolve(BASE, dimension=0),
        "target >= 1, an integer": attrs.evolve(BASE, target=0),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "epsilon <= 1": attrs.evolve(BASE, epsilon=Fraction(51, 50)),
    }
    for inside in (LEAST, MOST, attrs.evolve(LEAST, epsilon=1), attrs.evolve(LEAST, dimension=1)):
        bind_hypotheses(ordered, inside, small)
    assert not ordered.strict
    some = [attrs.evolve(p, epsilon=Fraction(e, 7), factor=1) for p in POINTS[::8] for e in (1, 2, 3, 5)]
    assert all(ordered.at(p) is Truth.TRUE for p in some)
    for one in ("errors-in-order", "spaces-in-order", "space-of-theorem-19"):
        assert by_name[one].exhibiting(MOST).factor == 1
    ordered = by_name["spaces-in-order"]
    bind_expression(ordered, FACTOR * space(2, 3) - space(1, 1))
    spaces = {says: point for says, point in OUTSIDE.items() if says.split()[0] in ("window", "eta")}
    spaces["dimension >= 1, an integer"] = attrs.evolve(BASE, dimension=-1)
    spaces["target >= 1, an integer"] = attrs.evolve(BASE, target=fmpq(1, 2), eta=Fraction(49, 50))
    longer = {"W >= d": attrs.evolve(BASE, window=99)}
    bounded, sketched = by_name["space-of-theorem-19"], by_name["space-of-theorem-3"]
    for inside in (LEAST, MOST, attrs.evolve(LEAST, dimension=1)):
        bind_hypotheses(ordered, inside, spaces)
        bind_hypotheses(sketched, inside, spaces)
    for inside in (MOST, attrs.evolve(LEAST, dimension=2), attrs.evolve(LEAST, dimension=1)):
        bind_hypotheses(bounded, inside, spaces | longer)
    for each in (bounded, sketched):
        found = [p for p in (*POINTS, BASE, MOST) if each.applies(p) is Truth.TRUE]
        assert all(each.at(attrs.evolve(p, factor=1)) is Truth.TRUE for p in found)
        assert not each.strict
    assert ordered.applies(attrs.evolve(BASE, dimension=0)) is Truth.FALSE
    assert ordered.applies(attrs.evolve(BASE, target=0)) is Truth.FALSE
    assert not ordered.strict
    bind_expression(bounded, (FACTOR * WINDOW - DIMENSION) * space(1, 1) / DIMENSION)
    bind_expression(sketched, space(2, 4) - space(2, 3))
    smaller = by_name["smaller-space"]
    bind_expression(smaller, FACTOR * DIMENSION**2 - space(2, 3))
    premise = "k log W/eta^3 <= d"
    wide = ComponentSetting(2, 45, 1, Fraction(1, 4), 1, Fraction(1, 2))  # 64 log 2 = 44.4
    moved = {says: attrs.evolve(wide, **{field: getattr(point, field)}) for says, point, field in fields()}
    moved["delta >= d^(-log d)"] = attrs.evolve(wide, delta=MILLIONTH**2)
    bind_hypotheses(smaller, wide, moved | {premise: attrs.evolve(wide, dimension=44)})
    for inside in (attrs.evolve(wide, target=3, dimension=134), attrs.evolve(wide, eta=Fraction(49, 50), dimension=3)):
        assert smaller.applies(inside) is Truth.TRUE
    assert smaller.applies(attrs.evolve(wide, target=3, dimension=133)) is Truth.FALSE
    assert not smaller.strict


def fields():
    """Yield each hypothesis of the table on one field, with the point that violates it, and the field."""
    names = ("window", "dimension", "target", "eta", "epsilon", "delta")
    for says, point in OUTSIDE.items():
        if says.split()[0] in names and "^" not in says:
            yield says, point, says.split()[0]
    yield "k <= d", attrs.evolve(BASE, target=46), "target"


@table_2.controls("errors-in-order", grade="interval", region="eps = 2; half the factor at eps = 1")
@table_2.controls("space-of-theorem-19", grade="interval", region="W < d; half the factor at W = d")
@table_2.controls("space-of-theorem-3", grade="interval", region="half of the theorem's space at eta = 49/50")
def test_the_rows_are_in_order_under_their_hypotheses_only(statements) -> None:
    by_name = by_step(statements)
    small, long = by_name["errors-in-order"], by_name["space-of-theorem-19"]
    assert small.at(BASE) is not Truth.FALSE
    assert small.exhibits(factor=Fraction(1, 2)).at(attrs.evolve(BASE, factor=Fraction(1, 2))) is Truth.FALSE
    assert small.without("epsilon <= 1").at(attrs.evolve(BASE, epsilon=2)) is Truth.FALSE
    even = attrs.evolve(BASE, window=100)
    assert long.at(even) is not Truth.FALSE
    assert long.exhibits(factor=Fraction(1, 2)).at(attrs.evolve(even, factor=Fraction(1, 2))) is Truth.FALSE
    assert long.without("W >= d").at(attrs.evolve(BASE, window=99)) is Truth.FALSE
    sketched = by_name["space-of-theorem-3"]
    assert sketched.at(MOST) is Truth.TRUE

    def half(p: ComponentSetting):
        return component_table.theorem_3_margin(p) - component_table.upper_space(p)

    assert sketched.nudged(margin=half).at(MOST) is Truth.FALSE


WRONG_AXIS = NoisyRelease(diagonal((3, 1)), diagonal((-1, 1)), line(0, 1), line(1, 0), 1)
"""The noise prefers the wrong axis: equality."""


@table_2.supports(
    "cost-of-noise",
    grade="derived",
    region="every d, k, A, N: a sum of three terms that are not negative; the identity checked for d = 3",
)
def test_noise_costs_at_most_twice_its_norm_in_every_direction(statement) -> None:
    """2kb + cost(P*) - cost(P) = Tr(P(b - N)) + Tr(P*(b + N)) + Tr((P - P*)(A'A + N)), as Tr P = Tr P* = k.

    Tr(PX) >= 0 for X = B'B, as it is |BP|_F^2; so |N| <= b makes the first two non-negative, and the choice the third.
    The root: |A - AP|_F <= sqrt(x^2 + 2k|N|) <= x + sqrt(2k|N|).
    """
    moments, noise, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "mnpx"
    )
    b, unit = sympy.symbols("b"), sympy.eye(3)
    margin = (chosen.trace() + other.trace()) * b + ((unit - other) * moments - (unit - chosen) * moments).trace()
    parts = (chosen * (b * unit - noise)).trace() + (other * (b * unit + noise)).trace()
    assert sympy.expand(margin - parts - ((chosen - other) * (moments + noise)).trace()) == 0
    x, y = sympy.symbols("x y", nonnegative=True)
    assert sympy.expand((x + y) ** 2 - x**2 - y**2 - 2 * x * y) == 0
    values = []
    for (a, b), (u, v), (e, f), bound in product(
        ((6, 2), (1, 5)), ((1, 0), (1, 3), (2, -1)), ((0, 1), (1, 1)), (Fraction(1, 3), 2)
    ):
        p = NoisyRelease(fmpq_mat([[a, 1], [1, b]]), diagonal((0, 0)), line(u, v), line(e, f), bound)
        kept = [Fraction(a * s * s + 2 * s * t + b * t * t, s * s + t * t) for s, t in ((u, v), (e, f))]
        values.append((p, 2 * bound + kept[0] - kept[1]))
    plane = NoisyRelease(
        diagonal((3, 2, 1)), diagonal((-1, 0, 1)), diagonal((0, 1, 1)), diagonal((1, 1, 0)), Fraction(5, 4)
    )
    values.append((plane, Fraction(3)))
    bind(statement, values)
    for p in (WRONG_AXIS, plane):
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    misled = {
        "A'A and N are symmetric": NoisyRelease(SEEN_ALIKE, SKEW_NOISE, DEAR, FREE, 1),
        "both are orthogonal projections of rank k": NoisyRelease(
            diagonal((1, 2)), diagonal((1, -1)), NO_PROJECTION, E_1, 1
        ),
    }
    for says, p in misled.items():
        assert statement.without(says).at(p) is Truth.FALSE
    bind_hypotheses(
        statement,
        WRONG_AXIS,
        {
            **misled,
            "|N| <= bound": attrs.evolve(WRONG_AXIS, bound=Fraction(99, 100)),
            "P is no worse than P* for A'A + N": attrs.evolve(WRONG_AXIS, window=diagonal((4, 1))),
        },
    )
    lopsided = attrs.evolve(WRONG_AXIS, window=fmpq_mat([[3, 1], [0, 1]]))
    assert statement.applies(lopsided) is Truth.FALSE
    for wrong in ({"chosen": diagonal((0, 2))}, {"other": identity(2)}, {"noise": fmpq_mat([[-1, 1], [0, 1]])}):
        assert statement.applies(attrs.evolve(WRONG_AXIS, **wrong)) is Truth.FALSE
    shifted = attrs.evolve(WRONG_AXIS, noise=diagonal((-1, fmpq(101, 100))))
    assert statement.applies(shifted) is Truth.FALSE, "from above"


@table_2.controls("cost-of-noise", grade="symbolic", region="the norm once; no bound")
def test_once_the_norm_is_not_enough(statement) -> None:
    assert statement.at(WRONG_AXIS) is Truth.TRUE

    def once(p: NoisyRelease):
        return statement.formula(p) - p.chosen.rank() * arb(rational(p.bound))

    assert statement.nudged(margin=once).at(WRONG_AXIS) is Truth.FALSE
    loud = attrs.evolve(WRONG_AXIS, noise=diagonal((-2, 2)), window=diagonal((5, 1)))
    assert statement.without("|N| <= bound").at(loud) is Truth.FALSE
