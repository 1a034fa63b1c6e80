"""Section 1: rows chosen by leverage scores, what one row changes there, and rows that have left the window."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Condition, Range, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, exceeds, whole
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import between, flag, gram, row, squared_norm


def leverage(member: fmpq_mat, rows: fmpq_mat) -> fmpq:
    """``a (A'A)^-1 a'`` of a row a of A; A has full column rank."""
    return (member * gram(rows).inv() * member.transpose())[0, 0]


def stacked(rows: fmpq_mat, added: fmpq_mat) -> fmpq_mat:
    """Return the rows with one more below."""
    return fmpq_mat([*rows.tolist(), *added.tolist()])


@attrs.frozen
class NewRow:
    """Rows of A, n x d, one of them, and a row that is added.

    Parameters
    ----------
    rows
        A.
    place
        Number of the row whose score is asked, counted from 1.
    added
        The new row, 1 x d.
    gap
        A number g in (0, 1).
    """

    rows: fmpq_mat
    place: int
    added: fmpq_mat
    gap: Exact


def score_change_margin(p: NewRow) -> arb:
    """1 - g, minus the change of the score."""
    member = row(p.rows, p.place)
    return arb(1 - rational(p.gap) - abs(leverage(member, p.rows) - leverage(member, stacked(p.rows, p.added))))


def added_norm_margin(p: NewRow) -> arb:
    """``1 - |a|^2`` for the new row."""
    return arb(1 - squared_norm(p.added))


def full_rank_margin(p: NewRow | SampledRow) -> arb:
    """Zero exactly when A has full column rank."""
    return arb(p.rows.rank() - p.rows.ncols())


def place_margin(p: NewRow | SampledRow) -> arb:
    """``n`` minus the number of the row."""
    return arb(p.rows.nrows() - p.place)


@attrs.frozen
class SampledRow:
    """A stream and one of its rows, which is kept with probability min(1, s l), l its leverage score.

    Parameters
    ----------
    rows
        A, n x d.
    place
        Number of the row, counted from 1.
    oversampling
        s >= 1.
    constant
        c.
    """

    rows: fmpq_mat
    place: int
    oversampling: Exact
    constant: Exact


def chance(score: fmpq, oversampling: Exact) -> fmpq:
    """``min(1, s l)``."""
    return min(fmpq(1), rational(oversampling) * score)


def sampled_part_margin(p: SampledRow) -> arb:
    """``c - |a|^2/p``: the norm of a'a/p, which the sampled matrix gains when the row is there and is kept."""
    member = row(p.rows, p.place)
    return ball(p.constant) - arb(squared_norm(member) / chance(leverage(member, p.rows), p.oversampling))


def member_norm_margin(p: SampledRow) -> arb:
    """``1 - |a|^2`` for the row."""
    return arb(1 - squared_norm(row(p.rows, p.place)))


@attrs.frozen
class OnlineRow:
    """Earlier rows A, n x d of rank d, and two values a and b of the next row, 1 x d.

    Parameters
    ----------
    earlier, first, second
        A, a and b.
    oversampling
        s >= 1.
    constant
        c.
    """

    earlier: fmpq_mat
    first: fmpq_mat
    second: fmpq_mat
    oversampling: Exact
    constant: Exact


def online_chance(p: OnlineRow, member: fmpq_mat) -> fmpq:
    """``min(1, s l)``, l the score of the row among the earlier rows and itself."""
    return chance(leverage(member, stacked(p.earlier, member)), p.oversampling)


def lipschitz_margin(p: OnlineRow) -> arb:
    """C |a - b| minus the difference of the chances."""
    distance = arb(squared_norm(p.first - p.second)).sqrt()
    return ball(p.constant) * distance - arb(abs(online_chance(p, p.first) - online_chance(p, p.second)))


def earlier_rank_margin(p: OnlineRow) -> arb:
    """Zero exactly when the earlier rows have full column rank."""
    return arb(p.earlier.rank() - p.earlier.ncols())


@attrs.frozen
class SummedStreams:
    """Two streams of T rows each, T x d, and the size of the window."""

    rows: fmpq_mat
    other: fmpq_mat
    window: int


def window_from_sum_margin(p: SummedStreams) -> arb:
    """Minus the distance of the second moments of both windows."""
    total = p.rows.nrows()
    start = total - p.window + 1
    return disagreement(between(p.rows, start, total), between(p.other, start, total))


def same_sum_margin(p: SummedStreams) -> arb:
    """Zero exactly when both streams have one length and one second moment of all their rows."""
    if p.rows.nrows() != p.other.nrows():
        return flag(holds=False)
    return disagreement(gram(p.rows), gram(p.other))


FULL_RANK = exceeds("A has full column rank", full_rank_margin, strict=False)
PLACE = exceeds("there is such a row", place_margin, strict=False)

ROW_SAMPLING = (
    Step(
        "leverage-scores",
        Statement(
            "there is a g in (0, 1) with which a new row of norm at most 1 "
            "changes the score of no other row by more than 1 - g",
            score_change_margin,
            given=(
                whole("place", 1),
                PLACE,
                FULL_RANK,
                exceeds("the new row has norm at most 1", added_norm_margin, strict=False),
            ),
            exists=(Chosen("gap", range=Range.SHARE),),
        ),
        sound=False,
        note="As the document says: by any amount below 1. Scores are between 0 and 1, so their sensitivity is their "
        "whole range.",
    ),
    Step(
        "sampled-moment",
        Statement(
            "for every oversampling s there is a constant c with which a row of norm at most 1, kept with probability "
            "min(1, s l) and divided by it, adds at most c to the norm of the sampled second moment",
            sampled_part_margin,
            given=(
                whole("place", 1),
                PLACE,
                FULL_RANK,
                exceeds("the row has norm at most 1", member_norm_margin, strict=False),
                at_least("oversampling", 1),
            ),
            exists=(Chosen("constant", after=("oversampling",)),),
        ),
        sound=False,
        note="As the document says: a'a/p has the norm of A'A over s where d = 1.",
    ),
    Step(
        "online-chances",
        Statement(
            "for every oversampling s there is a constant c with which the chance min(1, s l) of a row, l its online "
            "leverage score, changes by at most c |a - b| from the row a to the row b",
            lipschitz_margin,
            given=(
                exceeds("the earlier rows have full column rank", earlier_rank_margin, strict=False),
                at_least("oversampling", 1),
            ),
            exists=(Chosen("constant", after=("oversampling",)),),
        ),
        sound=False,
        note="As the document says: not Lipschitz. Short earlier rows make it as steep as one likes.",
    ),
    Step(
        "expired-rows",
        Statement(
            "the sum of a_t'a_t over all rows so far determines the sum over the window",
            window_from_sum_margin,
            given=(
                whole("window", 1),
                Condition("A'A is the same for both streams, of one length", same_sum_margin),
            ),
        ),
        sound=False,
        note="As the document says: what has expired cannot be taken out again.",
    ),
)
