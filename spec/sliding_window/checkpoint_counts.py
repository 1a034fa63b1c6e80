"""How many checkpoints a spectral histogram needs and keeps, and what they take (section 5, appendices C and D.1)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Chosen, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_most, below, exceeds, positive, whole
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, least, precedes, precedes_margin, scaled


@attrs.frozen
class GrowingStream:
    """A stream of W rows on one axis, seen at T = W, and time stamps of a histogram over it.

    The rows from t on add up to K(t) = (1 - eta)^-e in squared length, e the smaller of W - t and n - 1: the first
    W - n rows are zero.

    Parameters
    ----------
    window, number
        W and n.
    eta
        Accuracy.
    stamps
        Time stamps.
    """

    window: int
    number: int
    eta: Exact
    stamps: tuple[int, ...]


def exponent(p: GrowingStream, stamp: int) -> int:
    """The e of K(t)."""
    return min(p.window - stamp, p.number - 1)


def asked(p: GrowingStream) -> arb:
    """``log(W) / eta``."""
    return arb(p.window).log() / ball(p.eta)


def needed_margin(p: GrowingStream) -> arb:
    """Smaller of the number of stamps minus ``log(W)/eta`` and the logarithm of W^2 minus that of the largest K."""
    largest = -(p.number - 1) * (1 - ball(p.eta)).log()
    return (len(p.stamps) - asked(p)).min(2 * arb(p.window).log() - largest)


def enough_margin(p: GrowingStream) -> arb:
    """``n - log(W)/eta``."""
    return p.number - asked(p)


def no_more_margin(p: GrowingStream) -> arb:
    """``log(W)/eta + 1 - n``."""
    return asked(p) + 1 - p.number


def stamps_margin(p: GrowingStream) -> arb:
    """0 when stamps rise from 1 at least and W - n + 1 at most to W, each next one adjacent or (1 - eta)-close."""
    ends = bool(p.stamps) and 1 <= p.stamps[0] <= p.window - p.number + 1 and p.stamps[-1] == p.window
    steps = all(
        one < other and (other == one + 1 or exponent(p, one) - exponent(p, other) <= 1)
        for one, other in pairwise(p.stamps)
    )
    return flag(ends and steps)


@attrs.frozen
class OrderedCheckpoints:
    """Matrices K(1), ..., K(l), eta, W and the power b of a spectrum between 1 and W^b, and a constant c."""

    matrices: tuple[fmpq_mat, ...]
    eta: Exact
    window: int
    power: int
    constant: Exact


def kept_margin(p: OrderedCheckpoints) -> arb:
    """``c b (d / eta) log W - l``."""
    dimension = p.matrices[0].nrows()
    return ball(p.constant) * p.power * dimension / ball(p.eta) * arb(p.window).log() - len(p.matrices)


def order_margin(p: OrderedCheckpoints) -> arb:
    """0 when all are symmetric of one order and K(1) >= K(2) >= ... >= K(l)."""
    fits = are_symmetric(p.matrices, p.matrices[0].nrows())
    return flag(fits and all(precedes(later, earlier) for earlier, later in pairwise(p.matrices)))


def apart_margin(p: OrderedCheckpoints) -> arb:
    """0 when (1 - eta) K(i) <= K(i+2) for no i <= l - 3."""
    drop = 1 - rational(p.eta)
    pairs = zip(p.matrices, p.matrices[2:-1], strict=False)
    return flag(not any(precedes(scaled(drop, one), other) for one, other in pairs))


def spectrum_margin(p: OrderedCheckpoints) -> arb:
    """Non-negative exactly when all are between I and W^b I."""
    unit = identity(p.matrices[0].nrows())
    top = scaled(fmpq(p.window) ** p.power, unit)
    return least([precedes_margin(unit, each).min(precedes_margin(each, top)) for each in p.matrices])


@attrs.frozen
class Trees:
    """W, d, eta, the checkpoints l of a sub-window, and a constant c."""

    window: int
    dimension: int
    eta: Exact
    checkpoints: int
    constant: Exact


def unit_count(p: Trees) -> arb:
    """``(d / eta) log W``."""
    return p.dimension / ball(p.eta) * arb(p.window).log()


def trees_margin(p: Trees) -> arb:
    """``c (d^3/eta) sqrt(W) log W`` minus d^2 numbers for each of the 2l - 1 nodes of sqrt(W) trees."""
    trees = arb(p.window).sqrt() * p.dimension**2
    return trees * (ball(p.constant) * unit_count(p) - (2 * p.checkpoints - 1))


def leaves_margin(p: Trees) -> arb:
    """``(d / eta) log W - l``."""
    return unit_count(p) - p.checkpoints


NEEDED_CHECKPOINTS = Step(
    "needed-checkpoints",
    Statement(
        "on the stream with K(t) = (1 - eta)^-(W-t) over its last n rows, n = log(W)/eta rounded up, no K exceeds W^2, "
        "and stamps of which each next one is adjacent or (1 - eta)-close are log(W)/eta at least",
        needed_margin,
        given=(
            whole("window", 2),
            whole("number", 1),
            positive("eta"),
            at_most("eta", fmpq(1, 2)),
            exceeds("n >= log(W)/eta", enough_margin, strict=False),
            exceeds("n < log(W)/eta + 1", no_more_margin),
            exceeds("stamps rise to W, the first at most W - n + 1, adjacent or close", stamps_margin, strict=False),
        ),
    ),
    defect=None,
    note="The first stamp is at most W - n + 1, so log(W)/eta is at most W.",
)
ORDERED_CHECKPOINTS = Step(
    "checkpoints",
    Statement(
        "there is a constant c with which l matrices K(1) >= ... >= K(l) between I and W^b I, of which no K(i+2), i <= "
        "l - 3, is (1 - eta)-close to K(i), are at most c b (d/eta) log W",
        kept_margin,
        given=(
            whole("window", 2),
            whole("power", 1),
            positive("eta"),
            below("eta", 1),
            exceeds("K(1) >= ... >= K(l), symmetric", order_margin, strict=False),
            exceeds("no K(i) and K(i+2), i <= l - 3, are close", apart_margin, strict=False),
            exceeds("all K(i) are between I and W^b I", spectrum_margin, strict=False),
        ),
        exists=(Chosen("constant", exhibited=7),),
    ),
    defect=None,
    note="Lines 12 to 14 of Algorithm 7 leave matrices in order, where the loop of line 9 begins at 1: each survivor "
    "was above every later one when that was the newest. The reason is the determinant, not single singular values.",
)
TREES_SPACE = Step(
    "space",
    Statement(
        "there is a constant c with which sqrt(W) trees over at most (d/eta) log W checkpoints each, a d x d matrix at "
        "a node, take at most c (d^3/eta) sqrt(W) log W numbers",
        trees_margin,
        given=(
            whole("window", 2),
            whole("dimension", 1),
            positive("eta"),
            below("eta", 1),
            whole("checkpoints", 1),
            exceeds("l <= (d/eta) log W", leaves_margin, strict=False),
        ),
        exists=(Chosen("constant", exhibited=2),),
    ),
    defect=None,
    note="The number of checkpoints is theorem-14's, up to its constant.",
)
