"""Section 1: rows chosen by leverage scores, what one row changes there, and rows that have left the window."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, positive, whole
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.sliding_window.loewner import between, flag, gram, row, squared_norm, zeros


def leverage(member: fmpq_mat, rows: fmpq_mat) -> fmpq:
    """``a (A'A)^-1 a'`` of a row a of A; A has full column rank."""
    return (member * gram(rows).inv() * member.transpose())[0, 0]


def stacked(rows: fmpq_mat, added: fmpq_mat) -> fmpq_mat:
    """Return the rows with one more below."""
    return fmpq_mat([*rows.tolist(), *added.tolist()])


def number(value: fmpq | int) -> fmpq_mat:
    """Return a row of one entry."""
    return fmpq_mat([[value]])


@attrs.frozen
class ShortRow:
    """The row g/2 of one entry, alone so far, to which the row 1 is added.

    Parameters
    ----------
    gap
        A number g.
    """

    gap: Exact


def score_change_margin(p: ShortRow) -> arb:
    """Change of the score of g/2, minus 1 - g."""
    short = number(rational(p.gap) / 2)
    change = abs(leverage(short, short) - leverage(short, stacked(short, number(1))))
    return arb(change - (1 - rational(p.gap)))


@attrs.frozen
class SampledRow:
    """The rows 1 and s (1 + c) of one entry; a row is kept with probability min(1, s l), l its leverage score.

    Parameters
    ----------
    oversampling
        s.
    constant
        c.
    """

    oversampling: Exact
    constant: Exact


def chance(score: fmpq, oversampling: Exact) -> fmpq:
    """``min(1, s l)``."""
    return min(fmpq(1), rational(oversampling) * score)


def sampled_part_margin(p: SampledRow) -> arb:
    """``|a|^2/p - c`` for the row a = 1: a'a/p is what the sampled matrix gains when a is there and is kept."""
    rows = stacked(number(1), number(rational(p.oversampling) * (1 + rational(p.constant))))
    member = row(rows, 1)
    return arb(squared_norm(member) / chance(leverage(member, rows), p.oversampling)) - ball(p.constant)


@attrs.frozen
class OnlineRow:
    """An earlier row x = 1/(2 + c^2) of one entry, behind which the next row is x or 0.

    Parameters
    ----------
    oversampling
        s >= 1.
    constant
        c.
    """

    oversampling: Exact
    constant: Exact


def online_chance(earlier: fmpq_mat, member: fmpq_mat, oversampling: Exact) -> fmpq:
    """``min(1, s l)``, l the score of the row among the earlier rows and itself."""
    return chance(leverage(member, stacked(earlier, member)), oversampling)


def steepness_margin(p: OnlineRow) -> arb:
    """Difference of the chances of x and 0, minus ``c |x - 0|``."""
    x = 1 / (2 + rational(p.constant) ** 2)
    kept, never = (online_chance(number(x), number(member), p.oversampling) for member in (x, 0))
    return arb(abs(kept - never) - rational(p.constant) * abs(x))


@attrs.frozen
class MovedRow:
    """A row b, 1 x d, which is the first or the last of W + 1 rows, the others being zero, and the window's size W."""

    row: fmpq_mat
    window: int


def moved_window_margin(p: MovedRow) -> arb:
    """Frobenius norm of the difference of both windows' moments if the moments of all rows agree, and -1 elsewhere."""
    width = p.row.ncols()
    rest = zeros(p.window, width).tolist()
    first, last = fmpq_mat([*p.row.tolist(), *rest]), fmpq_mat([*rest, *p.row.tolist()])
    if gram(first) != gram(last):
        return flag(holds=False)
    return frobenius_norm(between(first, 2, p.window + 1) - between(last, 2, p.window + 1))


def row_margin(p: MovedRow) -> arb:
    """``|b|^2``."""
    return arb(squared_norm(p.row))


ROW_SAMPLING = (
    Step(
        "leverage-scores",
        Statement(
            "for every g > 0, a new row 1 changes the score of the row g/2, which was alone, by more than 1 - g",
            score_change_margin,
            given=(positive("gap"),),
            strict=True,
        ),
        defect=None,
        note="As the document says: by any amount below 1. Scores are between 0 and 1, so their sensitivity is their "
        "whole range.",
    ),
    Step(
        "sampled-moment",
        Statement(
            "for every oversampling s > 0 and every c: of the rows 1 and s (1 + c), the row 1, kept with probability "
            "min(1, s l) and divided by it, adds more than c to the norm of the sampled second moment",
            sampled_part_margin,
            given=(positive("oversampling"),),
            strict=True,
        ),
        defect=None,
        note="As the document says: no constant bounds what a row of norm 1 adds.",
    ),
    Step(
        "online-chances",
        Statement(
            "for every oversampling s >= 1 and every c: behind the row x = 1/(2 + c^2), the chance min(1, s l) of a "
            "row, l its online leverage score, changes by more than c |x| from the row x to the row 0",
            steepness_margin,
            given=(at_least("oversampling", 1),),
            strict=True,
        ),
        defect=None,
        note="As the document says: not Lipschitz. Short earlier rows make it as steep as one likes.",
    ),
    Step(
        "expired-rows",
        Statement(
            "for W >= 1 and b != 0, the streams of W + 1 rows b, 0, ..., 0 and 0, ..., 0, b have the same A'A, and "
            "windows with different moments, 0 and b'b",
            moved_window_margin,
            given=(whole("window", 1), exceeds("b is not zero", row_margin)),
            strict=True,
        ),
        defect=None,
        note="As the document says: what has expired cannot be taken out again.",
    ),
)
"""Rows chosen by leverage scores in `sliding-window`, and rows that have left the window."""
