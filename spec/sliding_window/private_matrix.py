"""Definition 4 calls a matrix private: whether a matrix can be so, whatever mechanism publishes it."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational
from dpmatrix.spec.common.conditions import at_least, below, exceeds
from dpmatrix.spec.sliding_window.post_processing import excess

Laws = tuple[tuple[fmpq, ...], tuple[fmpq, ...]]


@attrs.frozen
class TwoPublishers:
    """Two mechanisms with finitely many matrices as outputs, of which the first is A~.

    Parameters
    ----------
    private, other
        For each mechanism the laws of its output on a stream and on a neighbour.
    exponential, delta
        e^epsilon and delta.
    """

    private: Laws
    other: Laws
    exponential: Exact
    delta: Exact


def slack(laws: Laws, p: TwoPublishers) -> arb:
    """Delta minus the largest P(S) - e^epsilon Q(S), the worse of both orders."""
    first, second = laws
    factor = rational(p.exponential)
    return ball(rational(p.delta) - max(excess(first, second, factor), excess(second, first, factor)))


def other_margin(p: TwoPublishers) -> arb:
    """`slack` of the other mechanism."""
    return slack(p.other, p)


def private_margin(p: TwoPublishers) -> arb:
    """`slack` of the mechanism that is private."""
    return slack(p.private, p)


def publishes_margin(p: TwoPublishers) -> arb:
    """Non-negative exactly when both have laws and publish A~ on the stream with probability one."""
    laws = [*p.private, *p.other]
    if len({len(law) for law in laws}) != 1 or not p.private[0]:
        return arb(-1)
    proper = min(min(*law, -abs(sum(law, fmpq(0)) - 1)) for law in laws)
    return ball(min(proper, p.private[0][0] - 1, p.other[0][0] - 1))


PRIVATE_MATRIX = Step(
    "private-matrix",
    Statement(
        "a matrix is (eps, delta)-private or not: of two mechanisms that publish A~ on a stream with probability one, "
        "with one the other is private as well",
        other_margin,
        given=(
            exceeds("both publish A~ on the stream", publishes_margin, strict=False),
            at_least("exponential", 1),
            at_least("delta", 0),
            below("delta", 1),
            exceeds("the first is (eps, delta)-private", private_margin, strict=False),
        ),
    ),
    defect=Defect.SLIP,
    note="A mechanism is private, as Definition 1 has it, and a matrix is not.",
)
