"""Table 1 of `sliding-window`: entry by entry against the theorems that it cites."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import result_table as module
from dpmatrix.spec.sliding_window import table_entries
from dpmatrix.spec.sliding_window.result_table import at_fixed_failure
from dpmatrix.spec.sliding_window.table_entries import TableSetting, quotients
from dpmatrix.tracing import bind_expression
from proofs_checks.steps import by_step

table_1 = cite("sliding-window.table-1@d40bca4c")

MILLIONTH = Fraction(1, 10**6)
BASE = TableSetting(1000, 50, 5, 2, Fraction(1, 10), 1, MILLIONTH, Fraction(1, 2))
POINTS = [
    TableSetting(w, d, r, k, eta, epsilon, delta, beta, factor)
    for (w, d, r), (k, eta), (epsilon, delta, beta, factor) in product(
        ((2, 2, 1), (1000, 60, 7)),
        ((1, Fraction(1, 5)), (9, Fraction(1, 100))),
        (
            (1, MILLIONTH, Fraction(1, 3), 8),
            (Fraction(1, 9), Fraction(9, 10), MILLIONTH, 11),
            (7, Fraction(1, 40), Fraction(8, 9), 9),
            (90, MILLIONTH, Fraction(1, 7), 20),
            (Fraction(1, 2), Fraction(1, 3), Fraction(1, 99), 31),
        ),
    )
]
HIGH, EVEN = Fraction(6, 25), Fraction(49, 50)
DECIDED = [
    TableSetting(2, 2, 7, 1, HIGH, 7, MILLIONTH, EVEN, 4),
    TableSetting(3, 9, 2, 1, HIGH, 7, MILLIONTH, EVEN, 8),
    TableSetting(3, 3, 2, 1, HIGH, 1, Fraction(9, 10), EVEN, 1),
    TableSetting(2, 60, 7, 1, HIGH, 7, MILLIONTH, EVEN, 4),
    TableSetting(2, 9, 7, 1, HIGH, 90, MILLIONTH, EVEN, 1),
    TableSetting(3, 60, 1, 1, HIGH, 90, Fraction(1, 3), EVEN, 1),
]
"""Points at which other entries than those of rows 2 and 3 have the least slack."""
LEAST = TableSetting(2, 2, 1, 1, Fraction(1, 50), Fraction(1, 50), Fraction(1, 50), Fraction(1, 50), 8)
MOST = attrs.evolve(LEAST, eta=Fraction(6, 25), delta=Fraction(49, 50), failure=Fraction(49, 50))
OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(BASE, window=1),
    "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1),
    "rank >= 1, an integer": attrs.evolve(BASE, rank=0),
    "target >= 1, an integer": attrs.evolve(BASE, target=0),
    "eta > 0": attrs.evolve(BASE, eta=0),
    "eta < 1/4": attrs.evolve(BASE, eta=Fraction(1, 4)),
    "epsilon > 0": attrs.evolve(BASE, epsilon=0),
    "delta > 0": attrs.evolve(BASE, delta=0),
    "delta < 1": attrs.evolve(BASE, delta=1),
    "failure > 0": attrs.evolve(BASE, failure=0),
    "failure < 1": attrs.evolve(BASE, failure=1),
}
SMALL = {"epsilon <= 1": attrs.evolve(BASE, epsilon=Fraction(51, 50))}


FIELDS = sympy.symbols("window dimension rank target eta epsilon delta failure factor", positive=True)
W, D, R, K, ETA, EPSILON, DELTA, BETA, C = FIELDS
LEVEL, WIDE, TAU = sympy.log(1 / DELTA), K + sympy.log(1 / BETA), D + 14 / EPSILON**2 * sympy.log(4 / DELTA)
COMPONENTS, LINEAR = sympy.sqrt(K * D) * LEVEL / EPSILON, D * (D + LEVEL / EPSILON)
PRINTED = (
    ((R * LEVEL / EPSILON) ** 2, COMPONENTS, COMPONENTS, LINEAR, LINEAR),
    tuple(space * sympy.log(W) for space in (R**2 * D / ETA, *[D * K**2 / ETA**3] * 2, *[D**3 / ETA] * 2)),
)
"""The ten entries as printed: errors, then spaces."""
SKETCHED = D * WIDE**2 / ETA**4
STATED = (
    (
        R * LEVEL**2 / EPSILON**2,
        LEVEL / EPSILON * sympy.sqrt(D * sympy.log(D) * WIDE),
        LEVEL / EPSILON * sympy.sqrt(WIDE * D),
        (TAU + 1) ** 2 * sympy.log(TAU + 1) / EPSILON,
        TAU * sympy.log(TAU),
    ),
    tuple(space * sympy.log(W) for space in (D * R**2 / ETA**2, SKETCHED, SKETCHED, (D + 1) ** 3 / ETA, D**3 / ETA)),
)
"""The ten entries of the theorems: errors, then spaces."""


def slack(column: int, row: int) -> sympy.Expr:
    table, theorem = PRINTED[column][row - 1], STATED[column][row - 1]
    return C * table - theorem


def check(statement, formula, more) -> None:
    bind_expression(statement, formula, points=[MOST, LEAST])
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE | more)


def twice(factor) -> int:
    """2c, rounded up."""
    return int((2 * rational(factor)).ceil())


@table_1.refutes(grade="derived", region="every factor c: eta = 1/(2c + 4)")
def test_the_table_is_not_what_the_theorems_state(statement) -> None:
    """Every factor c: row 1 has eta for eta^2 in the space, and eta = 1/(4 + 2c), rounded down."""
    statement.refute(lambda factor: attrs.evolve(BASE, eta=Fraction(1, 4 + twice(factor)), factor=factor))
    cells = [slack(*cell) for cell in product((0, 1), range(1, 6))]
    least = sympy.lambdify(FIELDS, cells, "mpmath")
    places = set()
    with mpmath.workdps(60):
        values = []
        for p in (*POINTS, *DECIDED):
            slacks = least(*map(real, attrs.astuple(p)))
            places.add(slacks.index(min(slacks)))
            values.append((p, min(slacks)))
        bind(statement, values)
    assert len(places) == 6, "an entry that never decides is bound by its own step"
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE)


CELLS = {
    "spectral-space": ((1, 1),),
    "regression-error": ((0, 4),),
    "variance-error": ((0, 5),),
}


@table_1.refutes("spectral-space", grade="derived", region="every factor c: eta = 1/(2c + 4)")
@table_1.refutes("regression-error", grade="derived", region="every factor c: eps = 1/(2c)")
@table_1.refutes("variance-error", grade="derived", region="every factor c: eps = 1/(2c)")
def test_three_entries_are_below_the_theorems(statements) -> None:
    """Every factor c: the quotient of an entry and the theorem's is a power of a parameter, which outgrows c.

    It is 1/eta in the first space. In rows 4 and 5 the theorems have tau >= 14 log(4/delta)/eps^2 where the table has d
    log(1/delta)/eps, for d = 50 and delta = 10^-6 less by 1/eps, once d^2 is left aside; and log tau > 5.
    """
    by_name = by_step(statements)
    assert by_name.keys() == CELLS.keys()
    families = {
        "spectral-space": lambda c: {"eta": Fraction(1, 4 + twice(c))},
        "regression-error": lambda c: {"epsilon": Fraction(1, 1 + twice(c))},
        "variance-error": lambda c: {"epsilon": Fraction(1, 1 + twice(c))},
    }
    assert families.keys() == by_name.keys()
    for name, change in families.items():
        by_name[name].refute(lambda factor, change=change: attrs.evolve(BASE, factor=factor, **change(factor)))
    assert by_name["spectral-space"].at(attrs.evolve(BASE, factor=11)) is Truth.TRUE
    for name, cells in CELLS.items():
        check(by_name[name], sympy.Min(*(slack(*cell) for cell in cells)), {})


@table_1.supports("spectral-error", grade="derived", region="every parameter: r^2 >= r")
@table_1.supports("constrained-error", grade="derived", region="every parameter: k' <= k (1 + log(1/beta))")
@table_1.supports("components-space", grade="derived", region="every parameter: k'/k >= 1 and 1/eta >= 1")
def test_three_entries_cover_the_theorems(statements) -> None:
    """Between k and k (1 + log(1/beta)) is k', as k >= 1; r >= 1 and eta < 1."""
    by_name = by_step(statements)
    k, log = sympy.symbols("k log", positive=True)
    assert sympy.expand(k * (1 + log) - (k + log) - (k - 1) * log) == 0
    spectral, constrained, space = (
        by_name[f"{name}"] for name in ("spectral-error", "constrained-error", "components-space")
    )
    check(spectral, slack(0, 1), {})
    check(constrained, slack(0, 3), {})
    check(space, STATED[1][1] - PRINTED[1][1], {})
    for p in (*POINTS, *DECIDED, BASE):
        assert spectral.at(attrs.evolve(p, rank=2, factor=1)) is Truth.TRUE
        wide = attrs.evolve(p, target=2, factor=at_fixed_failure(p.failure))
        assert constrained.at(wide) is Truth.TRUE
        assert space.at(p) is Truth.TRUE
    for tenths, answer in ((1259, Truth.TRUE), (1261, Truth.FALSE)):
        rare = attrs.evolve(BASE, failure=(arb(-tenths) / 10).exp(), factor=8)
        assert constrained.exhibits(factor=8).at(rare) is answer, "k' = 64 k, at log(1/beta) = 126, is a factor of 8"


@table_1.controls("spectral-error", grade="interval", region="r = 2: a third of the table's entry")
@table_1.controls("constrained-error", grade="interval", region="k = 1: 999/1000 of the factor")
@table_1.controls("components-space", grade="interval", region="five times the table's entry at eta = 6/25")
def test_smaller_entries_are_noticed(statements) -> None:
    by_name = by_step(statements)
    two = attrs.evolve(BASE, rank=2, factor=1)
    spectral, constrained, space = (
        by_name[name] for name in ("spectral-error", "constrained-error", "components-space")
    )
    assert spectral.at(two) is Truth.TRUE
    assert rational(spectral.exhibiting(BASE).factor) == 1
    assert BASE.factor == 8, "where no factor is named"
    third = Fraction(1, 3)
    assert spectral.exhibits(factor=third).at(attrs.evolve(two, factor=third)) is Truth.FALSE
    factor = at_fixed_failure(BASE.failure)
    assert constrained.at(attrs.evolve(BASE, factor=factor)) is Truth.TRUE
    less = factor * 999 / 1000
    one = attrs.evolve(BASE, target=1, factor=less)
    assert constrained.exhibits(factor=less).at(one) is Truth.FALSE

    def five(p: TableSetting):
        return module.components_above(p) - 4 * table_entries.printed_spaces(p)[1]

    assert space.at(MOST) is Truth.TRUE
    assert space.nudged(margin=five).at(MOST) is Truth.FALSE


@table_1.supports("cubic-space", grade="derived", region="every d >= 2: (1 + 1/d)^3 <= 27/8 < 4")
@table_1.supports("regression-above", grade="derived", region="every d, delta and eps <= 1: derivation below")
@table_1.supports("variance-above", grade="derived", region="every d, delta and eps <= 1: derivation below")
@table_1.supports(
    "sketch-noise",
    grade="derived",
    region="every r, eps, delta: (16x + y)^2 <= 2 (256 x^2 + y^2) with log(4/delta) > 1",
)
def test_what_remains_of_the_rows(statements) -> None:
    """For eps <= 1: tau >= d + log(1/delta)/eps, as 14 log(4/delta)/eps^2 >= log(1/delta)/eps, and log tau >= 1.

    Then d tau log tau >= d tau >= d (d + log(1/delta)/eps), and (tau + 1)^2 log(tau + 1)/eps >= tau d at least as well.
    The noise: with x = sqrt(r l), y = l = log(4/delta) >= 1 and r >= 1 both x^2 and y^2 are at most r l^2.
    """
    by_name = by_step(statements)
    x, y = sympy.symbols("x y", positive=True)
    assert sympy.expand(2 * (256 * x**2 + y**2) - (16 * x + y) ** 2) == sympy.expand((16 * x - y) ** 2)
    assert 2 * (256 + 1) == 514
    assert arb(4).log() > 1, "delta < 1"
    assert 2 + 14 * arb(4).log() > arb(1).exp(), "log tau > 1 for eps <= 1"
    assert Fraction(3, 2) ** 3 < 4, "and (1 + 1/d)^3 falls with d"
    check(by_name["cubic-space"], sympy.Min(slack(1, 4), slack(1, 5)), {})
    some = [attrs.evolve(p, epsilon=Fraction(k, 4)) for p in POINTS[:10] for k in (1, 3)]
    level = sympy.log(4 / DELTA)
    sigma = (16 * sympy.sqrt(R * level) + level) / EPSILON
    formulas = {
        "regression-above": STATED[0][3] - PRINTED[0][3],
        "variance-above": D * STATED[0][4] - PRINTED[0][4],
        "sketch-noise": 514 * R * (level / EPSILON) ** 2 - sigma**2,
    }
    for name, more in (("regression-above", SMALL), ("variance-above", SMALL), ("sketch-noise", {})):
        check(by_name[name], formulas[name], more)
        bind_hypotheses(by_name[name], attrs.evolve(LEAST, epsilon=1), OUTSIDE | more)
    for name, statement in by_name.items():
        found = [p for p in [*some, *POINTS] if statement.applies(p) is Truth.TRUE]
        found = [attrs.evolve(p, factor=4) for p in found] if name == "cubic-space" else found
        assert all(statement.at(p) is Truth.TRUE for p in found)


@table_1.controls("cubic-space", grade="interval", region="d = 2: the factor 3 for 4")
def test_a_smaller_factor_is_too_small(statement) -> None:
    point = attrs.evolve(BASE, dimension=2, factor=3)
    assert statement.at(attrs.evolve(point, factor=4)) is Truth.TRUE
    assert statement.exhibits(factor=3).at(point) is Truth.FALSE
    assert rational(statement.exhibiting(BASE).factor) == 4, "the least integer"


@table_1.supports_repair(grade="symbolic", region="all parameters: eight quotients of the printed formulas, simplified")
def test_the_theorems_state_multiples(statement) -> None:
    names = "r d k eta e level wide log"
    r, d, k, eta, e, level, wide, log = sympy.symbols(names, positive=True)
    table = [
        (r * level / e) ** 2,
        sympy.sqrt(k * d) * level / e,
        sympy.sqrt(k * d) * level / e,
        r**2 * d / eta * log,
        d * k**2 / eta**3 * log,
        d * k**2 / eta**3 * log,
        d**3 / eta * log,
        d**3 / eta * log,
    ]
    theorems = [
        r * level**2 / e**2,
        level / e * sympy.sqrt(d * sympy.log(d) * wide),
        sympy.sqrt(wide * d) * level / e,
        d * r**2 / eta**2 * log,
        d * (wide / eta) ** 2 / eta**2 * log,
        d * (wide / eta) ** 2 / eta**2 * log,
        (d + 1) ** 3 / eta * log,
        d**3 / eta * log,
    ]
    factors = [
        1 / r,
        sympy.sqrt(sympy.log(d) * wide / k),
        sympy.sqrt(wide / k),
        1 / eta,
        (wide / k) ** 2 / eta,
        (wide / k) ** 2 / eta,
        (1 + 1 / d) ** 3,
        1,
    ]
    for theorem, entry, factor in zip(theorems, table, factors, strict=True):
        assert sympy.simplify(theorem**2 - (factor * entry) ** 2) == 0, "both sides are positive"
    check(statement, sympy.Integer(0), {})


@table_1.controls("+repair", grade="interval", region="r for 1/r; no log d; k for k'")
def test_other_quotients_are_noticed(statement) -> None:
    """The margin is minus the table's entry times what the quotient is off by."""
    root = sympy.sqrt(WIDE / K)
    changes = (
        (lambda p: arb(p.rank), R - 1 / R),
        (lambda p: quotients(p)[2], root * (sympy.sqrt(sympy.log(D)) - 1)),
        (lambda _: arb(1), root - 1),
    )
    for place, (other, gap) in enumerate(changes):

        def changed(p: TableSetting, place=place, other=other):
            entries = quotients(p)
            return (*entries[:place], other(p), *entries[place + 1 :])

        wrong = redefined(statement, module, "quotients", changed)
        assert wrong.at(BASE) is Truth.FALSE
        formula = sympy.lambdify(FIELDS, -abs(PRINTED[0][place] * gap), "mpmath")
        with mpmath.workdps(60):
            bind(wrong, [(p, mpmath.nstr(formula(*map(real, attrs.astuple(p))), 50)) for p in POINTS])
