"""Lemma 9: what is computed from a private output is as private (appendix B)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import ball
from dpmatrix.spec.common.conditions import exceeds, positive


@attrs.frozen
class Processing:
    """Output laws P and Q of a mechanism on neighbours, and a channel applied to the output.

    Row i of the channel is the law of h at output i: all its mass at one place when h is a function. ``exponential``
    stands for e^eps.
    """

    first: tuple[fmpq, ...]
    second: tuple[fmpq, ...]
    channel: tuple[tuple[fmpq, ...], ...]
    exponential: fmpq
    delta: fmpq


def processed(law: tuple[fmpq, ...], channel: tuple[tuple[fmpq, ...], ...]) -> tuple[fmpq, ...]:
    """Law of what the channel makes of an output."""
    results = len(channel[0])
    return tuple(sum((p * row[j] for p, row in zip(law, channel, strict=True)), start=fmpq(0)) for j in range(results))


def large_loss_probability(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """``P(P(v) > E Q(v))``: the probability under P that the privacy loss exceeds epsilon."""
    return sum((p for p, q in zip(first, second, strict=True) if p > exponential * q), start=fmpq(0))


def excess(first: tuple[fmpq, ...], second: tuple[fmpq, ...], exponential: fmpq) -> fmpq:
    """``sum max(0, P - E Q)``, the largest P(S) - E Q(S)."""
    return sum((max(fmpq(0), p - exponential * q) for p, q in zip(first, second, strict=True)), start=fmpq(0))


def loss_before(p: Processing) -> arb:
    """``delta - P(loss > eps)`` for the mechanism itself, the worse of both directions."""
    one_way = large_loss_probability(p.first, p.second, p.exponential)
    other_way = large_loss_probability(p.second, p.first, p.exponential)
    return ball(p.delta - max(one_way, other_way))


def after(p: Processing) -> Processing:
    """The two laws of what the channel makes of the output, in place of those of the output."""
    return attrs.evolve(p, first=processed(p.first, p.channel), second=processed(p.second, p.channel))


def excess_before(p: Processing) -> arb:
    """``delta - sum max(0, P - E Q)`` for the mechanism itself, the worse of both directions."""
    return ball(p.delta - max(excess(p.first, p.second, p.exponential), excess(p.second, p.first, p.exponential)))


def excess_after(p: Processing) -> arb:
    """``delta - sum max(0, P - E Q)`` for what the channel makes of the output."""
    return excess_before(after(p))


def _law_margin(law: tuple[fmpq, ...]) -> fmpq:
    return min(min(law), -abs(sum(law, start=fmpq(0)) - 1))


def laws_margin(p: Processing) -> arb:
    """Nonnegative when P and Q are laws: no negative entry, sum 1."""
    return ball(min(_law_margin(p.first), _law_margin(p.second)))


def channel_margin(p: Processing) -> arb:
    """Nonnegative when every row of the channel is a law, so that h looks at nothing but the output."""
    return ball(min(_law_margin(row) for row in p.channel))


LAWS = exceeds("P and Q are probability laws", laws_margin, strict=False)
CHANNEL = exceeds("h sees the output alone, and returns something", channel_margin, strict=False)

TAIL_OF_THE_LOSS = Step(
    "tail-of-the-loss",
    Statement(
        "Pr[L <= eps] >= 1 - delta is enough for privacy: if the privacy loss exceeds eps with probability at most "
        "delta, no event exceeds e^eps times its probability on the neighbour by more than delta",
        excess_before,
        given=(
            LAWS,
            positive("exponential"),
            exceeds("the loss exceeds eps with probability at most delta", loss_before, strict=False),
        ),
    ),
    defect=None,
    note="Appendix B calls it a way to define privacy, and uses it as a sufficient condition. It is a stronger one.",
)
"""A step of definition-1: what appendix B offers as an easy form of it."""

LEMMA_9 = Claim(
    id="sliding-window.lemma-9",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "Lemma 9",
        "M (eps, delta)-DP and h any function, then h(M(D)) is also (eps, delta)-DP for the same set of tasks",
    ),
    statement=Statement(
        "if no event exceeds e^eps times its probability on the neighbour by more than delta, none does after h",
        excess_after,
        given=(
            LAWS,
            CHANNEL,
            positive("exponential"),
            exceeds("sum max(0, P - E Q) <= delta", excess_before, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "(eps, delta)-privacy as in Definition 1, by events; h is measurable, may have randomness of its own, and does "
        "not look at the data again. 'The same set of tasks' says nothing."
    ),
    because=(
        "It holds for randomised h too: max(0, x + y) <= max(0, x) + max(0, y), and the rows of a channel sum to 1. "
        "No proof is printed."
    ),
)
