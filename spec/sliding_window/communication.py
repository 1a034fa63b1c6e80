"""Theorem 13: the communication that augmented indexing needs."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, ball
from dpmatrix.spec.conditions import exceeds, positive, whole


def binary_entropy(probability: arb) -> arb:
    """``-p log2 p - (1 - p) log2(1 - p)`` for 0 < p < 1."""
    rest = 1 - probability
    return -(probability * probability.log() + rest * rest.log()) / arb(2).log()


@attrs.frozen
class IndexPoint:
    """N = 2^b: Bob sends the b bits of his index to Alice, who answers x_ind with certainty; and a constant c."""

    exponent: int
    constant: Exact


def index_sent_margin(p: IndexPoint) -> arb:
    """``b - c 2^b``."""
    return arb(p.exponent) - ball(p.constant) * arb(2) ** p.exponent


@attrs.frozen
class Protocol:
    """A deterministic one-way protocol for N bits, as a table of messages and Bob's answers.

    Parameters
    ----------
    length
        N.
    messages
        Alice's message for each string, in lexicographic order, from 0 to 2^b - 1.
    sent
        b.
    """

    length: int
    messages: tuple[int, ...]
    sent: int


def best_success(p: Protocol) -> fmpq:
    """Largest average probability, over a uniform string and index, with which Bob can be right."""
    wins = 0
    for place in range(p.length):
        counts: dict[tuple[int, int], list[int]] = {}
        for string, message in enumerate(p.messages):
            known = string & ((1 << (p.length - place - 1)) - 1)
            bit = (string >> (p.length - place - 1)) & 1
            counts.setdefault((message, known), [0, 0])[bit] += 1
        wins += sum(max(each) for each in counts.values())
    return fmpq(wins, p.length * 2**p.length)


def protocol_margin(p: Protocol) -> arb:
    """``b - N (1 - H(1 - s))`` with the best s that the messages allow, H(0) = 0."""
    success = best_success(p)
    entropy = arb(0) if success == 1 else binary_entropy(1 - arb(success))
    return arb(p.sent) - p.length * (1 - entropy)


def message_margin(p: Protocol) -> arb:
    """Zero exactly when there are 2^N messages, each below 2^b."""
    outside = sum(not 0 <= message < 2**p.sent for message in p.messages)
    return -arb(outside + abs(len(p.messages) - 2**p.length))


THEOREM_13 = Claim(
    id="sliding-window.theorem-13",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "sliding-window",
        "Theorem 13",
        "AIND with probability 2/3 in one-way communication (Alice to Bob or Bob to Alice) needs Omega(N) bits",
    ),
    statement=Statement(
        "the b bits by which Bob names one of N = 2^b places to Alice are at least c N",
        index_sent_margin,
        given=(whole("exponent", 1), positive("constant")),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="x and the index are uniform; success is on average over both; Omega(N) with a constant c for all N.",
    because=(
        "From Bob to Alice log2 N bits suffice: he sends the index, she has the answer; for every c > 0 some N = 2^b "
        "has b < cN. From Alice to Bob the theorem is true with the constant 1 - H(1/3) = 0.0817: m bits carry at most "
        "m bits of information, which is sum_i I(x_i; M | x_{i+1..N}) >= N (1 - H(1 - s)), by the chain rule, Fano's "
        "inequality and concavity."
    ),
    repair=Repair(
        "messages from Alice to Bob only, with the constant 1 - H(1/3)",
        Statement(
            "b bits from Alice let Bob succeed with probability s only if b >= N (1 - H(1 - s))",
            protocol_margin,
            given=(
                whole("length", 1),
                whole("sent", 0),
                exceeds("2^N messages of b bits", message_margin, strict=False),
            ),
        ),
    ),
    uses=("sliding-window.definition-7",),
)
