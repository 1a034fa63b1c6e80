"""`wishart.table-1`: the sizes of the noises in the table, as printed and as repaired."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.noise_norms import laplace_norm
from dpmatrix.spec.wishart.noise_table import (
    TableRows,
    delta_slacks,
    least,
    printed_deviations,
    repaired_deviations,
    size_slacks,
)
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

table_1 = cite("wishart.table-1@6000fa03")

ROWS = [
    TableRows(d, n, e, delta, k)
    for d in (2, 3, 10, 500, 10**6)
    for n, e, delta, k in (
        (1, 1, Fraction(1, 10), 1),
        (9, Fraction(1, 3), Fraction(1, 10**6), Fraction(1, 2)),
        (100, Fraction(1, 20), Fraction(99, 100), 5),
        (3, Fraction(4, 5), Fraction(1, 3), Fraction(1, 50)),
    )
]


def profile(epsilon: sympy.Rational, shift: sympy.Expr) -> sympy.Expr:
    """Phi(shift/2 - eps/shift) - e^eps Phi(-shift/2 - eps/shift)."""
    near, far = ((epsilon / shift + sign * shift / 2) / sympy.sqrt(2) for sign in (-1, 1))
    return (sympy.erfc(near) - sympy.exp(epsilon) * sympy.erfc(far)) / 2


def guarantee(p: TableRows) -> tuple:
    return tuple(sympy.Rational(value) for value in (p.dimension, p.records, p.epsilon, p.delta, p.constant))


def printed_rows(p: TableRows) -> list[sympy.Expr]:
    """Deviations of the two rows with a delta, n eps = 1."""
    d, _, _, _, constant = guarantee(p)
    return [constant * d * sympy.sqrt(sympy.log(d)), constant]


def repaired_rows(p: TableRows) -> list[sympy.Expr]:
    d, _, _, delta, _ = guarantee(p)
    return [2 * v * sympy.sqrt(sympy.log(sympy.Rational(5, 4) * v / delta)) for v in (d, 1)]


def printed_table(p: TableRows) -> sympy.Expr:
    _, _, epsilon, delta, _ = guarantee(p)
    shifts = [sympy.sqrt(2) * epsilon / deviation for deviation in printed_rows(p)]
    gaussian = [delta - profile(epsilon, shift).evalf(60) for shift in shifts]
    return min([sympy.exp(-epsilon / 3).evalf(60) - 1, *gaussian])


def table_sizes(p: TableRows) -> list[sympy.Expr]:
    """Return norm.low - low size and high size - norm.high for each row of the corrected table, n eps = 1."""
    d, _, _, delta, _ = guarantee(p)
    log, root, half = sympy.log, sympy.sqrt(d), sympy.Rational(3, 2)
    narrow, wide = sympy.sqrt(log(sympy.Rational(5, 4) / delta)), d * sympy.sqrt(log(sympy.Rational(5, 4) * d / delta))
    low, high = 2 * sympy.sqrt(2 * d / sympy.pi), 4 * (root + 1 / sympy.sqrt(sympy.pi))
    return [
        *(2 * d * root - d * root, 31 * d * root - 30 * d * root),
        *(low * wide - root * wide, 6 * root * wide - high * wide),
        *(3 * d - 2 * d, 9 * d - half * WISHART.subs(d_, d)),
        *(low * narrow - root * narrow, 6 * root * narrow - high * narrow),
        *(sympy.sqrt(2) * d - d, 8 * d - DIFFERENCE.subs(d_, d)),
    ]


def repaired_table(p: TableRows) -> sympy.Expr:
    _, n, epsilon, delta, _ = guarantee(p)
    profiles = [profile(epsilon, sympy.sqrt(2) * epsilon / deviation).evalf(60) for deviation in repaired_rows(p)]
    d = p.dimension
    loss = (1 if d == 1 else sympy.sqrt((d + 2) ** 2 + d**2 - d % 2) / 2) * epsilon / (2 * d)
    sizes = [(size / (n * epsilon)).evalf(60) for size in table_sizes(p)]
    return min([*sizes, (epsilon - loss).evalf(60), *(delta - value for value in profiles)])


GUARANTEE_OUTSIDE = {
    "dimension >= 2, an integer": {"dimension": 1},
    "records >= 1, an integer": {"records": 0},
    "epsilon > 0": {"epsilon": 0},
    "delta > 0": {"delta": 0},
    "delta < 1": {"delta": 1},
}


def check_guarantee(statement, more: dict[str, dict[str, object]]) -> None:
    inside = TableRows(2, 1, 1, Fraction(1, 10), 1)
    bind_hypotheses(
        statement, inside, {says: attrs.evolve(inside, **change) for says, change in (GUARANTEE_OUTSIDE | more).items()}
    )


def check_delta_slacks(deviations, printed: Callable[[TableRows], list[sympy.Expr]]) -> None:
    """Each Gaussian row on its own: the smallest slack alone would hide the others."""
    with precision(256):
        for p in ROWS:
            for slack, deviation in zip(delta_slacks(p, deviations(p)), printed(p), strict=True):
                _, _, epsilon, delta, _ = guarantee(p)
                expected = delta - profile(epsilon, sympy.sqrt(2) * epsilon / deviation).evalf(60)
                assert abs(slack - arb(str(expected))) < arb(10) ** -40


@table_1.refutes(
    grade="derived",
    region="every delta and constant, by the Wishart row: `wishart.theorem-4`; three delta with 13 constants, 20 rows",
)
def test_printed_table(statement) -> None:
    """The Wishart row is not private whatever the constants are, as 1 - exp(-1/(2nc)) = 1 - exp(-eps/3) > 0.

    The other rows are no part of the refutation: at delta = 1/3 and eps = 1 a constant of 10 is enough for both. That
    it cannot be free of delta is seen at delta = 10^-9, where a constant of 1 fails.
    """
    scale = sympy.Rational(3, 2) / (n_ * e_)
    assert sympy.simplify(1 / (2 * n_ * scale) - e_ / 3) == 0
    bind(statement, [(p, printed_table(p)) for p in ROWS])
    check_delta_slacks(printed_deviations, printed_rows)
    assert [int(least([arb(x) for x in order]).unique_fmpz()) for order in itertools.permutations((1, 2, 3))] == [1] * 6
    assert all(statement.conclusion(p) is Truth.FALSE for p in ROWS)
    for delta in (Fraction(1, 10**9), Fraction(1, 3), Fraction(99, 100)):
        statement.refute(lambda constant, delta=delta: TableRows(2, 1, 1, delta, constant))
    small, large = TableRows(5, 7, 1, Fraction(1, 10**9), 1), TableRows(5, 7, 1, Fraction(1, 3), 10)
    for p, enough in ((small, False), (large, True)):
        assert all(slack > 0 for slack in delta_slacks(p, printed_deviations(p))) is enough
    check_guarantee(statement, {"constant > 0": {"constant": 0}})


@table_1.supports_repair(grade="derived", region="every d >= 2, n, eps <= 1, delta in (0, 1)")
@table_1.controls("+repair", grade="interval", region="d = 2, n = 1, delta = 1/10, epsilon = 20")
def test_repaired_table(statement) -> None:
    """The enclosures of the norms, row by row, hold the stated constants for all d >= 2; delta is that of Theorem 2.

    Laplace: sqrt(d) b = 2 d sqrt(d)/(n eps) and 15 times it. Gaussian, in sqrt(d) deviations: 2 sqrt(2/pi) >= 1, and
    4 + 4/sqrt(pi d) <= 6. Wishart: 3 d, and (3/2) ((sqrt(d) + sqrt(d + 1))^2 + 1) <= 9 d. The difference at its scale
    1/(n eps): sqrt(2) d, and (sqrt(d) + sqrt(d + 1) + 1/2)^2 + 1 <= 8 d; it is private by Theorem 4, repaired. The
    narrow deviation is sqrt(2 log(1.25/delta)) sqrt(2)/(n eps), that of Theorem 2 in its repaired form; the wide is
    larger.
    """
    check_norm_bounds()
    check_laplace_expectation()
    two_root = 2 * sympy.sqrt(2 / sympy.pi)
    assert two_root.evalf(30) > 1
    assert (4 + 4 / sympy.sqrt(2 * sympy.pi)).evalf(30) < 6
    for size, scale, most in ((WISHART, sympy.Rational(3, 2), 9), (DIFFERENCE, 1, 8)):
        assert falls_with_d(size)
        assert (most - scale * size.subs(d_, 2) / 2).evalf(30) > 0
    for p in ROWS:
        sides, root = laplace_norm(p.dimension, arb(1)), arb(p.dimension).sqrt()
        assert abs(sides.low - root) < arb(10) ** -9
        assert abs(sides.high - 15 * root) < arb(10) ** -9
        narrow = (2 * (arb("1.25") / ball(p.delta)).log()).sqrt() * arb(2).sqrt() / (p.records * ball(p.epsilon))
        assert abs(repaired_deviations(p)[1] / narrow - 1) < arb(10) ** -9
    level = sympy.Symbol("level", positive=True)
    assert sympy.simplify(sympy.sqrt(2 * level) * sympy.sqrt(2) - 2 * sympy.sqrt(level)) == 0
    bind(statement, [(p, repaired_table(p)) for p in ROWS])
    check_delta_slacks(repaired_deviations, repaired_rows)
    with precision(256):
        for p in ROWS:
            for slack, expected in zip(size_slacks(p), table_sizes(p), strict=True):
                scaled = slack * p.records * ball(p.epsilon)
                assert abs(scaled - arb(str(expected.evalf(60)))) < (1 + abs(scaled)) * arb(10) ** -40
    assert all(statement.at(p) is Truth.TRUE for p in ROWS)
    check_guarantee(statement, {"epsilon <= 1": {"epsilon": Fraction(11, 10)}})
    assert statement.without("epsilon <= 1").at(TableRows(2, 1, 20, Fraction(1, 10), 1)) is Truth.FALSE
