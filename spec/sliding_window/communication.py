"""Theorem 13: the communication that augmented indexing needs."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Kind, Locator, Statement, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole


def binary_entropy(probability: arb) -> arb:
    """``-p log2 p - (1 - p) log2(1 - p)`` for 0 < p < 1."""
    rest = 1 - probability
    return -(probability * probability.log() + rest * rest.log()) / arb(2).log()


@attrs.frozen
class Protocol:
    """A deterministic one-way protocol for N bits, as a table of messages and Bob's answers.

    Parameters
    ----------
    length
        N.
    messages
        Alice's message for each string, in lexicographic order, from 0 to 2^b - 1; none when Bob sends.
    sent
        b.
    from_alice
        Who sends. When Bob does, he hears nothing, whatever he sends.
    """

    length: int
    messages: tuple[int, ...]
    sent: int
    from_alice: bool = True


def best_success(p: Protocol) -> fmpq:
    """Largest average probability, over a uniform string and index, with which Bob can be right."""
    wins = 0
    for place in range(p.length):
        counts: dict[tuple[int, int], list[int]] = {}
        for string in range(2**p.length):
            message = p.messages[string] if p.from_alice else 0
            known = string & ((1 << (p.length - place - 1)) - 1)
            bit = (string >> (p.length - place - 1)) & 1
            counts.setdefault((message, known), [0, 0])[bit] += 1
        wins += sum(max(each) for each in counts.values())
    return fmpq(wins, p.length * 2**p.length)


def protocol_margin(p: Protocol) -> arb:
    """``b - N (1 - H(1 - s))`` with the best s that the messages allow, H(0) = 0 and H(1/2) = 1."""
    success = best_success(p)
    ends = {fmpq(1): arb(0), fmpq(1, 2): arb(1)}
    entropy = ends[success] if success in ends else binary_entropy(1 - arb(success))
    return arb(p.sent) - p.length * (1 - entropy)


def message_margin(p: Protocol) -> arb:
    """Zero exactly when Alice has 2^N messages, each below 2^b, or none because Bob sends."""
    outside = sum(not 0 <= message < 2**p.sent for message in p.messages)
    return -arb(outside + abs(len(p.messages) - (2**p.length if p.from_alice else 0)))


THEOREM_13 = Claim(
    id="sliding-window.theorem-13",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "sliding-window",
        "Theorem 13",
        "AIND with probability 2/3 in one-way communication (Alice to Bob or Bob to Alice) needs Omega(N) bits",
    ),
    statement=Statement(
        "b bits, sent by Alice or by Bob, let Bob succeed with probability s only if b >= N (1 - H(1 - s)), which is "
        "0.0817 N at s = 2/3",
        protocol_margin,
        given=(
            whole("length", 1),
            whole("sent", 0),
            exceeds("2^N messages of b bits if Alice sends, none if Bob does", message_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "Bob answers, in both directions: 'the goal of Bob is to output x_ind' (Definition 7). x and the index are "
        "uniform; success is on average over both; Omega(N) with the constant 1 - H(1/3)."
    ),
    because=(
        "From Alice to Bob: m bits carry at most m bits of information, which is sum_i I(x_i; M | x_{i+1..N}) >= N (1 "
        "- H(1 - s)), by the chain rule, Fano's inequality and concavity; 1 - H(1/3) = 0.0817. From Bob to Alice the "
        "bound is empty: Bob hears nothing, is right with probability 1/2 (definition-7), and no number of bits gives "
        "2/3. It would be false if whoever receives the message were to answer: Bob sends the log2 N bits of his index "
        "and Alice has the bit. The document's reduction uses messages from Alice only."
    ),
    uses=("sliding-window.definition-7",),
)
