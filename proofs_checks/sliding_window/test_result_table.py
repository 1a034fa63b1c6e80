"""Table 1 of `sliding-window`: entry by entry against the theorems that it cites."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.table_entries import TableSetting
from proofs_checks.steps import by_step

table_1 = cite("sliding-window.table-1@4b0285e1")

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
LEAST = TableSetting(2, 2, 1, 1, Fraction(1, 50), Fraction(1, 50), Fraction(1, 50), Fraction(1, 50), 8)
MOST = attrs.evolve(LEAST, eta=Fraction(6, 25), delta=Fraction(49, 50), failure=Fraction(49, 50))
OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(BASE, window=1),
    "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1),
    "rank >= 1, an integer": attrs.evolve(BASE, rank=0),
    "target >= 1, an integer": attrs.evolve(BASE, target=0),
    "eta > 0": attrs.evolve(BASE, eta=0),
    "eta < 1/4": attrs.evolve(BASE, eta=Fraction(26, 100)),
    "epsilon > 0": attrs.evolve(BASE, epsilon=0),
    "delta > 0": attrs.evolve(BASE, delta=0),
    "delta < 1": attrs.evolve(BASE, delta=1),
    "failure > 0": attrs.evolve(BASE, failure=0),
    "failure < 1": attrs.evolve(BASE, failure=1),
}
FACTOR = {"factor >= 8": attrs.evolve(BASE, factor=Fraction(79, 10))}
SMALL = {"epsilon <= 1": attrs.evolve(BASE, epsilon=Fraction(51, 50))}


def printed(p: TableSetting):
    """Return the ten entries as printed: errors, then spaces."""
    r, d, k, e, eta = p.rank, p.dimension, p.target, real(p.epsilon), real(p.eta)
    log_delta, log_w = mpmath.log(1 / real(p.delta)), mpmath.log(p.window)
    components, linear = mpmath.sqrt(k * d) * log_delta / e, d * (d + log_delta / e)
    errors = [(r * log_delta / e) ** 2, components, components, linear, linear]
    spaces = [r**2 * d / eta, d * k**2 / eta**3, d * k**2 / eta**3, d**3 / eta, d**3 / eta]
    return errors, [space * log_w for space in spaces]


def stated(p: TableSetting):
    """Return the ten entries of the theorems: errors, then spaces."""
    r, d, e, eta = p.rank, p.dimension, real(p.epsilon), real(p.eta)
    log_delta, log_w = mpmath.log(1 / real(p.delta)), mpmath.log(p.window)
    wide = p.target + mpmath.log(1 / real(p.failure))
    tau = d + 14 / e**2 * mpmath.log(4 / real(p.delta))
    errors = [
        r * log_delta**2 / e**2,
        log_delta / e * mpmath.sqrt(d * mpmath.log(d) * wide),
        mpmath.sqrt(wide * d) * log_delta / e,
        (tau + 1) ** 2 * mpmath.log(tau + 1) / e,
        tau * mpmath.log(tau),
    ]
    spaces = [d * r**2 / eta**2, d * wide**2 / eta**4, d * wide**2 / eta**4, (d + 1) ** 3 / eta, d**3 / eta]
    return errors, [space * log_w for space in spaces]


def slack(p: TableSetting, column: int, row: int):
    table, theorem, factor = printed(p)[column][row - 1], stated(p)[column][row - 1], real(p.factor)
    return min(factor * table - theorem, factor * theorem - table)


def check(statement, formula, more) -> None:
    bind_formula(statement, [p for p in POINTS if statement.applies(p) is Truth.TRUE], formula)
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE | more)


@table_1.refutes(grade="derived", region="every factor: r = 2c, and every other row")
def test_the_table_is_not_what_the_theorems_state(statement) -> None:
    for factor in (8, 100, 10**6):
        assert statement.at(attrs.evolve(BASE, rank=2 * factor, factor=factor)) is Truth.FALSE
    with mpmath.workdps(60):
        cells = list(product((0, 1), range(1, 6)))
        bind(statement, ((p, min(slack(p, column, row) for column, row in cells)) for p in POINTS))
    assert not statement.strict
    for inside in (LEAST, MOST):
        bind_hypotheses(statement, inside, OUTSIDE | FACTOR)


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
@table_1.refutes("spectral-space", grade="derived", region="every factor c: eta = 1/(2c)")
@table_1.refutes(
    "components-error", grade="derived", region="c = 8, 100, every factor c: beta = exp(-4 c^2 k), rounded"
)
@table_1.refutes(
    "constrained-error", grade="derived", region="c = 8, 100, every factor c: beta = exp(-4 c^2 k), rounded"
)
@table_1.refutes("components-space", grade="derived", region="every factor c: eta = 1/(2c)")
@table_1.refutes("regression-error", grade="derived", region="every factor c: eps = 1/c")
@table_1.refutes("variance-error", grade="derived", region="every factor c: eps = 1/c; for large d as well")
def test_eight_entries_differ(statements) -> None:
    by_name = by_step(statements)
    assert by_name.keys() == CELLS.keys()
    for factor in (8, 100, 10**6):
        point = attrs.evolve(BASE, factor=factor)
        assert by_name["spectral-error"].at(attrs.evolve(point, rank=2 * factor)) is Truth.FALSE
        fine = attrs.evolve(point, eta=Fraction(1, 2 * factor))
        assert by_name["spectral-space"].at(fine) is Truth.FALSE
        assert by_name["components-space"].at(fine) is Truth.FALSE
        private = attrs.evolve(point, epsilon=Fraction(1, factor))
        assert by_name["regression-error"].at(private) is Truth.FALSE
        assert by_name["variance-error"].at(private) is Truth.FALSE
        assert by_name["variance-error"].at(attrs.evolve(point, dimension=10**3 * factor**2)) is Truth.FALSE
    for factor in (8, 100):
        sure = attrs.evolve(BASE, factor=factor, failure=Fraction(1, 2 ** (12 * factor**2)))
        assert by_name["components-error"].at(sure) is Truth.FALSE
        assert by_name["constrained-error"].at(sure) is Truth.FALSE
    for name in ("spectral-error", "spectral-space", "constrained-error", "components-error"):
        assert by_name[name].at(attrs.evolve(BASE, rank=2, factor=11)) is Truth.TRUE
    for name, cells in CELLS.items():
        check(by_name[name], lambda p, cells=cells: min(slack(p, *cell) for cell in cells), FACTOR)


@table_1.supports("cubic-space", grade="derived", region="every d: 1 + 1/d <= 2, c >= 8")
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
    x, y, d = sympy.symbols("x y d", positive=True)
    assert sympy.expand(2 * (256 * x**2 + y**2) - (16 * x + y) ** 2) == sympy.expand((16 * x - y) ** 2)
    assert 2 * (256 + 1) == 514
    assert arb(4).log() > 1, "delta < 1"
    assert 2 + 14 * arb(4).log() > arb(1).exp(), "log tau > 1 for eps <= 1"
    assert sympy.expand((2 * d) ** 3 - (d + 1) ** 3 - (d - 1) * (7 * d**2 + 4 * d + 1)) == 0
    check(by_name["cubic-space"], lambda p: min(slack(p, 1, 4), slack(p, 1, 5)), FACTOR)
    some = [attrs.evolve(p, epsilon=Fraction(k, 4)) for p in POINTS[:10] for k in (1, 3)]
    with mpmath.workdps(60):
        bind(by_name["regression-above"], ((p, stated(p)[0][3] - printed(p)[0][3]) for p in some))
        bind(by_name["variance-above"], ((p, p.dimension * stated(p)[0][4] - printed(p)[0][4]) for p in some))
        for p in POINTS:
            level = mpmath.log(4 / real(p.delta))
            sigma = (16 * mpmath.sqrt(p.rank * level) + level) / real(p.epsilon)
            bind(
                by_name["sketch-noise"],
                [(p, 514 * p.rank * (level / real(p.epsilon)) ** 2 - sigma**2)],
                least=1,
            )
    for name, more in (("regression-above", SMALL), ("variance-above", SMALL), ("sketch-noise", {})):
        for inside in (LEAST, MOST, attrs.evolve(LEAST, epsilon=1)):
            bind_hypotheses(by_name[name], inside, OUTSIDE | more)
        assert not by_name[name].strict
    for statement in by_name.values():
        assert all(statement.at(p) is Truth.TRUE for p in [*some, *POINTS] if statement.applies(p) is Truth.TRUE)


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
    check(statement, lambda _: 0, {})


@table_1.controls("+repair", grade="interval", region="a margin lower by 10^-6")
def test_another_entry_is_noticed(statement) -> None:
    """A table with entries changed by 1 in 10^6 is another table."""
    assert statement.nudged(lambda margin: margin - arb(1) / 10**6).at(BASE) is Truth.FALSE
