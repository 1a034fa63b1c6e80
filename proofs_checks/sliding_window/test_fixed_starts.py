"""Theorem 4 of `sliding-window`: a window from totals that are held at multiples of g alone."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.fixed_starts import FixedStarts, first_row, held_time

theorem_4 = cite("sliding-window.theorem-4@96953597")

HALF = Fraction(1, 2)
SHAPES, EARLY = "a row, and a symmetric noise", "rows before the window of norm at most 1"
EVENT = "the noise of R(T) - R(s) has norm at most zeta"


def on_a_line(rows, window, spacing, noise=0, bound=HALF) -> FixedStarts:
    column = fmpq_mat([[rational(each)] for each in rows])
    return FixedStarts(column, fmpq_mat([[rational(noise)]]), window, spacing, bound)


def slack(p: FixedStarts) -> Fraction:
    """Compute the margin for numbers: 1 is the largest slack of an order of matrices."""
    squares = [Fraction(str(each)) ** 2 for each in p.rows.entries()]
    before = max(0, len(squares) - p.window)
    start = before - before % p.spacing
    extra, noise, zeta = sum(squares[start:before], Fraction(0)), Fraction(str(p.noise[0, 0])), Fraction(p.bound)
    held = sum(start <= time <= len(squares) for time in range(0, len(squares) + 1, p.spacing))
    slacks = (extra + noise + zeta, p.spacing - 1 + zeta - extra - noise)
    return min(*(min(Fraction(1), one) for one in slacks), Fraction(p.window, p.spacing) + 2 - held)


FULL = on_a_line((1,) * 7, 4, 4)
OUTSIDE = {
    "spacing >= 1, an integer": attrs.evolve(FULL, spacing=0),
    SHAPES: attrs.evolve(FULL, noise=fmpq_mat(2, 2)),
    EARLY: on_a_line((1, 1, 2, 1, 1, 1, 1), 4, 4),
    EVENT: attrs.evolve(FULL, noise=fmpq_mat([[1]])),
}


@theorem_4.supports("fixed-starts", grade="derived", region="every stream, d, W, g, T, noise and zeta: the docstring")
def test_a_window_from_held_totals(statement) -> None:
    """R(T) - R(s) holds the window and fewer than g rows before it: b = max(0, T - W) is less than s + g.

    Each adds a'a between 0 and |a|^2 <= 1, so 0 <= R(T) - R(s) - N - K_W <= g - 1, and -zeta <= N <= zeta. Multiples of
    g from s = g floor(b/g) to T are floor(T/g) - floor(b/g) + 1 < (T - b)/g + 2 <= W/g + 2.
    """
    values = []
    for window, spacing, length, noise in product((1, 4, 5), (1, 3, 4), (1, 6, 11), (0, HALF, Fraction(-1, 3))):
        rows = [(1, HALF, 0, 1, 1, Fraction(1, 3), 1, 1, 1, 0, 1)[time] for time in range(length)]
        values.append((on_a_line(rows, window, spacing, noise), slack(on_a_line(rows, window, spacing, noise))))
    values += [(p, slack(p)) for p in (on_a_line((3, 1, 5), 2, 2, 9), on_a_line((1, 3, 5), 1, 2, -4))]
    short = on_a_line((1,), 2, 1, 0, 3)
    values.insert(0, (short, slack(short)))
    bind(statement, values)
    assert first_row(short) == held_time(short) == 0, "fewer rows than the window has"
    assert all(statement.at(p) is Truth.TRUE for p, _ in values[:-2])
    plane = [[1, 0], [fmpq(3, 5), fmpq(4, 5)], [0, 1], [fmpq(-4, 5), fmpq(3, 5)], [7, 1], [1, 30], [0, 9]]
    noises = (fmpq_mat([[fmpq(1, 3), fmpq(1, 5)], [fmpq(1, 5), fmpq(-1, 4)]]), fmpq_mat(2, 2))
    for window, spacing, noise in product((1, 3), (1, 2, 4), noises):
        assert statement.at(FixedStarts(fmpq_mat(plane[: 4 + window]), noise, window, spacing, HALF)) is Truth.TRUE
    assert not statement.strict
    for inside in (FULL, on_a_line((1,), 1, 1, 0, 0)):
        bind_hypotheses(statement, inside, OUTSIDE)
    for wrong in ({"rows": fmpq_mat(0, 1)}, {"noise": fmpq_mat([[1, 2]])}):
        assert statement.applies(attrs.evolve(FULL, **wrong)) is Truth.FALSE
    for place, long in product(range(3), (2, Fraction(51, 50))):
        rows = [long if time == place else 1 for time in range(7)]
        assert statement.applies(on_a_line(rows, 4, 4)) is Truth.FALSE, "each row before the window counts"


@theorem_4.controls("fixed-starts", grade="interval", region="g - 2 for g - 1; a longer row; more noise")
def test_a_smaller_error_of_held_totals_is_noticed(statement) -> None:
    exact = on_a_line((1,) * 7, 4, 4, 0, 0)
    assert statement.at(exact) is Truth.TRUE
    assert statement.margin(exact) == 0, "three rows before the window"
    assert statement.without(EARLY).at(on_a_line((1, 1, 2, 1, 1, 1, 1), 4, 4)) is Truth.FALSE
    for noise in (1, -4):
        assert statement.without(EVENT).at(attrs.evolve(FULL, noise=fmpq_mat([[noise]]))) is Truth.FALSE

    def two_less(p: FixedStarts) -> arb:
        """Room of K_W + g - 2 + zeta for rows of length 1."""
        return arb(p.spacing - 2 + rational(p.bound) - first_row(p) % p.spacing)

    assert two_less(attrs.evolve(exact, spacing=3)) == 1
    assert statement.nudged(margin=two_less).at(exact) is Truth.FALSE
