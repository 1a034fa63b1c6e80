"""Theorem 4 of `sliding-window`: the noise that its repair needs where a row becomes another one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import replaced_row as module
from dpmatrix.spec.sliding_window.dyadic_release import deviation
from dpmatrix.spec.sliding_window.released_sums import squared_distance
from dpmatrix.spec.sliding_window.replaced_row import ReplacedRow, replaced
from proofs_checks.sliding_window.dyadic_noise import check_guarantee, shift

theorem_4 = cite("sliding-window.theorem-4@96953597")

MILLIONTH = Fraction(1, 10**6)
TURNED = ((fmpq(24, 25), fmpq(7, 25)), (fmpq(7, 25), fmpq(24, 25)))
"""Unit rows at an angle of 57 degrees, at a distance below 1."""
LARGE = 10**6
"""An epsilon at which the noise is close to what it has to be."""


def streams(pair, time=3, height=2, epsilon=1, delta=MILLIONTH) -> ReplacedRow:
    """Five rows in the plane, some long; one of them becomes another one."""
    rows = [[7, fmpq(1, 2)], [0, 1], [fmpq(-2, 3), 2], [1, 1], [0, 30]]
    rows[time - 1] = list(pair[0])
    return ReplacedRow(fmpq_mat(rows), time, height, epsilon, delta, fmpq_mat([list(pair[1])]))


def spare(p: ReplacedRow) -> mpmath.mpf:
    """Delta minus the profile of a normal law: moved by mu/sqrt(3/2) times the norm of the triangle of a'a - b'b."""
    (a, b), (c, d) = ([real(x) for x in pair] for pair in (p.rows.tolist()[p.time - 1], p.other.tolist()[0]))
    changed = mpmath.sqrt((a * a - c * c) ** 2 + (a * b - c * d) ** 2 + (b * b - d * d) ** 2)
    moved, epsilon = shift(p) * changed / mpmath.sqrt(mpmath.mpf(3) / 2), real(p.epsilon)
    profile = mpmath.ncdf(moved / 2 - epsilon / moved) - mpmath.exp(epsilon) * mpmath.ncdf(-moved / 2 - epsilon / moved)
    return real(p.delta) - profile


START = streams(TURNED)
TENTH = streams(((fmpq(11, 20), 0), (fmpq(9, 20), 0)), 3, 9, Fraction(1, 1000), Fraction(99, 100))
OTHER, CHANGE = "the other row has norm at most 1", "the rows differ by at most 1"
OUTSIDE = {
    "time >= 1, an integer": attrs.evolve(START, time=0),
    "time <= T": attrs.evolve(START, time=6),
    "the row has norm at most 1": streams(((2, 0), (1, 0))),
    "height >= 0, an integer": attrs.evolve(START, height=-1),
    "epsilon > 0": attrs.evolve(START, epsilon=0),
    "delta > 0": attrs.evolve(START, delta=0),
    "delta < 1": attrs.evolve(START, delta=1),
    OTHER: streams(((1, 0), (fmpq(101, 100), 0))),
    CHANGE: streams(((1, 0), (fmpq(-1, 100), 0))),
}


def check_change() -> None:
    """With p = |a|^2, q = |b|^2, c = ab' the squared Frobenius norm of a'a - b'b is p^2 + q^2 - 2c^2.

    It is at most 3/2: if p + q <= 1, at most (p + q)^2. Else |a - b|^2 = p + q - 2c <= 1 gives c >= (p + q - 1)/2 >= 0,
    and 3/2 - p^2 - q^2 + (p + q - 1)^2/2 = u + v - (u - v)^2/2 >= (u + v) (1 - (u + v)/2) >= 0 for u = 1 - p, v = 1 - q
    in [0, 1]. Without |a - b| <= 1 it is at most 2, for unit rows as well. The triangle has at most this norm.
    """
    a, b = sympy.symbols("a0:3", real=True), sympy.symbols("b0:3", real=True)
    p, q, c = (sum(x * y for x, y in zip(one, two, strict=True)) for one, two in ((a, a), (b, b), (a, b)))
    entries = [(i, j, a[i] * a[j] - b[i] * b[j]) for i in range(3) for j in range(3)]
    assert sympy.expand(sum(e**2 for _, _, e in entries) - (p**2 + q**2 - 2 * c**2)) == 0
    assert sympy.expand(sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) - (p + q - 2 * c)) == 0
    u, v = sympy.symbols("u v")
    left = sympy.Rational(3, 2) - (1 - u) ** 2 - (1 - v) ** 2 + (1 - u - v) ** 2 / 2
    assert sympy.expand(left - (u + v - (u - v) ** 2 / 2)) == 0
    assert sympy.expand((u + v) ** 2 - (u - v) ** 2 - 4 * u * v) == 0, "|u - v| <= u + v"


@theorem_4.supports(
    "replaced-row", grade="derived", region="every stream, pair of rows, h, epsilon, delta: `check_change`"
)
def test_the_released_sums_hide_which_row_it_was(statement) -> None:
    """A row enters h + 1 sums, and the change of each has norm sqrt(3/2) at most; the rest is `check_guarantee`.

    Noise sqrt(3/2) s hides a change of sqrt(3/2) sqrt(h + 1) as noise s hides one of sqrt(h + 1).
    """
    check_guarantee()
    check_change()
    pairs = (TURNED, ((1, 0), (0, 0)), ((fmpq(-1, 2), fmpq(1, 3)), (fmpq(1, 5), fmpq(-1, 4))))
    points = [
        streams(pair, time, height, epsilon, delta)
        for pair, time, height, (epsilon, delta) in product(
            pairs, (1, 4), (0, 3), ((1, MILLIONTH), (8, Fraction(1, 3)), (Fraction(1, 10), MILLIONTH))
        )
    ]
    with mpmath.workdps(60):
        bind_formula(statement, [*points, TENTH], spare)
    assert squared_distance(TENTH, replaced(TENTH)) == fmpq(1, 10), "ten sums, each moved by 1/10"
    for p in (*points, streams(((1, 0), (1, 0))), streams(TURNED, epsilon=LARGE)):
        assert statement.at(p) is Truth.TRUE
    assert not statement.strict
    for inside in (START, streams(((0, 1), (0, 0)), 1, 0), streams(TURNED, 5), TENTH):
        bind_hypotheses(statement, inside, OUTSIDE)
    for says in (OTHER, CHANGE):
        (condition,) = (each for each in statement.given if each.says == says)
        assert condition.at(attrs.evolve(START, other=fmpq_mat([[0]]))) is Truth.FALSE, "no row of two entries"
        assert condition.at(attrs.evolve(START, other=fmpq_mat(2, 2))) is Truth.FALSE
    (condition,) = (each for each in statement.given if each.says == CHANGE)
    for time in (0, 6):
        assert condition.at(attrs.evolve(START, time=time)) is Truth.FALSE, "no row has this time"


@theorem_4.controls(
    "replaced-row", grade="interval", region="sqrt(7/5) and 1 for sqrt(3/2); longer rows; rows far apart, at eps = 10^6"
)
def test_less_noise_for_a_replaced_row_is_noticed(statement) -> None:
    sharp = streams(TURNED, height=0, epsilon=LARGE)
    assert statement.at(sharp) is Truth.TRUE

    def quieter(share: fmpq):
        """S that makes sqrt(3/2) s the root of the share times s."""
        return lambda p: deviation(p) * (2 * arb(share) / 3).sqrt()

    for share in (fmpq(7, 5), fmpq(1)):
        assert redefined(statement, module, "deviation", quieter(share)).at(sharp) is Truth.FALSE
    far = attrs.evolve(sharp, other=fmpq_mat([[fmpq(7, 25), fmpq(-24, 25)]]))
    assert statement.without(CHANGE).at(far) is Truth.FALSE
    long = streams(((1, 0), (fmpq(3, 2), fmpq(1, 2))), height=0, epsilon=LARGE)
    assert statement.without(OTHER).at(long) is Truth.FALSE
    assert statement.without("the row has norm at most 1").at(streams(((2, 0), (1, 0)), 3, 0, LARGE)) is Truth.FALSE
