"""Definition 1: the privacy of one output, and of a sequence of outputs (section 1.1)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, below, positive
from dpmatrix.spec.sliding_window.post_processing import TAIL_OF_THE_LOSS
from dpmatrix.spec.sliding_window.sampled_rows import SAMPLED_ROWS


@attrs.frozen
class TwoReleases:
    """Joint laws of two successive outputs, each from a finite set, on two neighbouring streams; E = e^epsilon.

    Parameters
    ----------
    first, second
        Rational matrices of one shape; entry (i, j) is the probability of output i, then j.
    exponential
        The number e^epsilon.
    """

    first: fmpq_mat
    second: fmpq_mat
    exponential: Exact


def _excess(first: list[fmpq], second: list[fmpq], exponential: fmpq) -> fmpq:
    return sum((max(fmpq(0), a - exponential * b) for a, b in zip(first, second, strict=True)), fmpq(0))


def joint_divergence(p: TwoReleases) -> fmpq:
    """``sum max(0, p - E q)`` over pairs of outputs: the least delta of the sequence."""
    return _excess(p.first.entries(), p.second.entries(), rational(p.exponential))


def single_divergence(p: TwoReleases) -> fmpq:
    """Largest ``sum max(0, p - E q)`` of one output by itself."""
    factor = rational(p.exponential)
    sums = [[[sum(line, fmpq(0)) for line in law.tolist()] for law in (p.first, p.second)]]
    sums.append([[sum(line, fmpq(0)) for line in law.transpose().tolist()] for law in (p.first, p.second)])
    return max(_excess(one, other, factor) for one, other in sums)


def marginal_margin(p: TwoReleases) -> arb:
    """Divergence of the sequence minus the largest of a single output."""
    return arb(joint_divergence(p) - single_divergence(p))


@attrs.frozen
class KeyBit:
    """Two successive outputs that are masked by one key bit, which is 1 with the given chance; E = e^epsilon."""

    chance: Exact
    exponential: Exact


def masked(p: KeyBit) -> TwoReleases:
    """The streams (0, 0) and (0, 1): output T is the parity of the first T bits and of the key."""
    one, zero = rational(p.chance), 1 - rational(p.chance)
    return TwoReleases(fmpq_mat([[zero, 0], [0, one]]), fmpq_mat([[0, zero], [one, 0]]), p.exponential)


def masked_margin(p: KeyBit) -> arb:
    """`marginal_margin` of the masked outputs."""
    return marginal_margin(masked(p))


def laws_margin(*laws: Sequence[fmpq]) -> arb:
    """Least probability, or minus the error of a total."""
    error = max(abs(sum(law, fmpq(0)) - 1) for law in laws)
    return arb(min(min(law) for law in laws) if error == 0 else -error)


def are_laws_margin(p: TwoReleases) -> arb:
    """Least probability of two outputs, or minus the error of a total."""
    return laws_margin(p.first.entries(), p.second.entries())


LAWS = Condition("both are probability laws", are_laws_margin)


@attrs.frozen
class OneOutput:
    """Laws of the output at one time T, from a finite set, on two neighbouring streams; E = e^epsilon.

    Parameters
    ----------
    first, second
        Probability of each output.
    exponential
        The number e^epsilon.
    """

    first: tuple[fmpq, ...]
    second: tuple[fmpq, ...]
    exponential: Exact


def largest_event(p: OneOutput) -> fmpq:
    """Largest ``P(S) - E Q(S)``, every event tried."""
    gaps = [one - rational(p.exponential) * other for one, other in zip(p.first, p.second, strict=True)]
    events = product((False, True), repeat=len(gaps))
    return max(sum((gap for gap, inside in zip(gaps, event, strict=True) if inside), fmpq(0)) for event in events)


def event_margin(p: OneOutput) -> arb:
    """Minus the distance of the largest event from ``sum max(0, P - E Q)``."""
    return arb(-abs(largest_event(p) - _excess([*p.first], [*p.second], rational(p.exponential))))


def output_laws_margin(p: OneOutput) -> arb:
    """Least probability of one output, or minus the error of a total."""
    return laws_margin(p.first, p.second)


DEFINITION_1 = Claim(
    id="sliding-window.definition-1",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 1",
        "eps >= 0, delta in [0, 1]: for any T, Pr[M(A_T) in S] <= exp(eps) Pr[M(A'_T) in S] + delta for all measurable "
        "S; the guarantee is for the entire stream, even if the data has expired",
    ),
    statement=Statement(
        "at each T the condition over all events is one number: the largest P(S) - e^eps Q(S) is sum max(0, P - e^eps "
        "Q), for outputs from a finite set",
        event_margin,
        given=(Condition("both are probability laws", output_laws_margin), at_least("exponential", 1)),
    ),
    verdict=Verdict.WELL_POSED,
    reading=(
        "One-shot privacy: the output at one public time T, for A_T the whole T x d stream, so that expired rows "
        "count. The algorithm R of the definition is its M. The statement is of the two laws of one output, in one "
        "order of the neighbours: it says that the condition over all events is a condition on one number."
    ),
    because=(
        "The best event is {P > e^eps Q}, so the condition is that one sum is at most delta. A_T is the stream up to "
        "T and not the window, which is what 'even if the data has expired' says.\n\n"
        "It does not speak of several times,"
        " of the time stamps or of the stored state: with bits masked by one key bit (output T is the parity of the "
        "first T bits and the key) each output is a fair coin, (0, 0)-private, and two outputs reveal the second bit,"
        " delta = 1. Appendix D, which publishes at every time, needs the joint law of all outputs in place of "
        "M(A_T). The tail of the loss is a sufficient "
        "condition, as appendix B uses it."
    ),
    steps=(
        Step(
            "sequence",
            Statement(
                "two outputs that are masked by one key bit tell more together than either by itself, whatever the "
                "chance of the key bit",
                masked_margin,
                given=(positive("chance"), below("chance", 1), at_least("exponential", 1)),
                strict=True,
            ),
            defect=None,
            note="With a fair key bit each is a fair coin for both streams. The definition guarantees each output by "
            "itself; appendix D asks for the sequence.",
        ),
        Step(
            "each-output",
            Statement(
                "the divergence of a sequence of outputs is at least that of each output",
                marginal_margin,
                given=(LAWS, at_least("exponential", 1)),
            ),
            defect=None,
            note="So a guarantee for all that is seen covers each part of it.",
        ),
        TAIL_OF_THE_LOSS,
        SAMPLED_ROWS,
    ),
)
