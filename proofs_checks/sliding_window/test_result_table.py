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
from dpmatrix.spec.sliding_window.table_entries import TableSetting, quotients
from dpmatrix.tracing import bind_expression
from proofs_checks.steps import by_step

table_1 = cite("sliding-window.table-1@ef8d6803")

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
    return sympy.Min(C * table - theorem, C * theorem - table)


def check(statement, formula, more) -> None:
    bind_expression(statement, formula, points=[MOST, LEAST])
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE | more)


def twice(factor) -> int:
    """2c, rounded up."""
    return int((2 * rational(factor)).ceil())


@table_1.refutes(grade="derived", region="every factor: r = 2c")
def test_the_table_is_not_what_the_theorems_state(statement) -> None:
    """Every factor c: row 1 has r^2 for r, and r = 2c, rounded up."""
    statement.refute(lambda factor: attrs.evolve(BASE, rank=twice(factor), factor=factor))
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
    assert len(places) == 7, "an entry that never decides is bound by its own step"
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE)


CELLS = {
    "spectral-error": ((0, 1),),
    "spectral-space": ((1, 1),),
    "components-error": ((0, 2),),
    "constrained-error": ((0, 3),),
    "components-space": ((1, 2), (1, 3)),
    "regression-error": ((0, 4),),
    "variance-error": ((0, 5),),
}


@table_1.refutes("spectral-error", grade="derived", region="every factor c: r = 2c")
@table_1.refutes("spectral-space", grade="derived", region="every factor c: eta = 1/(2c + 4)")
@table_1.refutes("components-error", grade="derived", region="every factor c: beta = 2^(-4 - 16 c^2)")
@table_1.refutes("constrained-error", grade="derived", region="every factor c: beta = 2^(-4 - 16 c^2)")
@table_1.refutes("components-space", grade="derived", region="every factor c: eta = 1/(2c + 4)")
@table_1.refutes("regression-error", grade="derived", region="every factor c: eps = 1/(2c)")
@table_1.refutes("variance-error", grade="derived", region="every factor c: eps = 1/(2c); for large d as well")
def test_eight_entries_differ(statements) -> None:
    """Every factor c: the quotient of an entry and the theorem's is a power of a parameter, which outgrows c.

    It is r in the first error, 1/eta in the first space, and (k'/k)^2/eta >= 1/eta in the next two. In rows 2 and 3 the
    error has sqrt(k'/k) at least, k = 2, and k' > log(1/beta) > 2 (1 + 4 c^2). In rows 4 and 5 the theorems have tau >=
    14 log(4/delta)/eps^2 where the table has d log(1/delta)/eps, for d = 50 and delta = 10^-6 less by 1/eps, once d^2
    is left aside; and log tau > 5.
    """
    by_name = by_step(statements)
    assert by_name.keys() == CELLS.keys()
    families = {
        "spectral-error": lambda c: {"rank": twice(c)},
        "spectral-space": lambda c: {"eta": Fraction(1, 4 + twice(c))},
        "components-space": lambda c: {"eta": Fraction(1, 4 + twice(c))},
        "components-error": lambda c: {"failure": arb((1, -4 * (1 + twice(c) ** 2)))},
        "constrained-error": lambda c: {"failure": arb((1, -4 * (1 + twice(c) ** 2)))},
        "regression-error": lambda c: {"epsilon": Fraction(1, 1 + twice(c))},
        "variance-error": lambda c: {"epsilon": Fraction(1, 1 + twice(c))},
    }
    assert families.keys() == by_name.keys()
    for name, change in families.items():
        by_name[name].refute(lambda factor, change=change: attrs.evolve(BASE, factor=factor, **change(factor)))
    for factor in (8, 100, 10**6):
        wide = attrs.evolve(BASE, factor=factor, dimension=10**3 * factor**2)
        assert by_name["variance-error"].at(wide) is Truth.FALSE
    for name in ("spectral-error", "spectral-space", "constrained-error", "components-error"):
        assert by_name[name].at(attrs.evolve(BASE, rank=2, factor=11)) is Truth.TRUE
    for tenths, answer in ((1259, Truth.TRUE), (1261, Truth.FALSE)):
        rare = attrs.evolve(BASE, failure=(arb(-tenths) / 10).exp())
        assert by_name["constrained-error"].at(rare) is answer, "k' = 64 k, at log(1/beta) = 126, is a factor of 8"
    for name, cells in CELLS.items():
        check(by_name[name], sympy.Min(*(slack(*cell) for cell in cells)), {})


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
    for place, other in ((0, arb(BASE.rank)), (1, module.quotients(BASE)[2]), (2, arb(1))):

        def changed(p: TableSetting, place=place, other=other):
            entries = quotients(p)
            return (*entries[:place], other, *entries[place + 1 :])

        assert redefined(statement, module, "quotients", changed).at(BASE) is Truth.FALSE
