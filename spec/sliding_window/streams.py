"""Streams, windows and neighbours: equation (1), the set N and Definition 1 (section 1.1)."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, whole
from dpmatrix.spec.common.spectra import disagreement, spectral_norm
from dpmatrix.spec.sliding_window.loewner import between, flag, gram, row, squared_norm, zeros
from dpmatrix.spec.sliding_window.post_processing import TAIL_OF_THE_LOSS


@attrs.frozen
class StreamPoint:
    """The first T rows of a stream and a window size.

    Parameters
    ----------
    rows
        T x d rational matrix, T >= 1.
    window
        Size W >= 1.
    """

    rows: fmpq_mat
    window: int


def window_matrix(p: StreamPoint) -> fmpq_mat:
    """``A_W(T)`` as (1) prints it: zero rows below a stream that is shorter than the window."""
    total, width = p.rows.nrows(), p.rows.ncols()
    rows = p.rows.tolist()
    if total <= p.window:
        return fmpq_mat(rows + zeros(p.window - total, width).tolist()) if total < p.window else p.rows
    return fmpq_mat(rows[total - p.window :])


def window_margin(p: StreamPoint) -> arb:
    """Zero exactly when A_W'A_W is the sum of a_t'a_t over the last min(T, W) rows, and A_W has W rows."""
    built = window_matrix(p)
    total = p.rows.nrows()
    right_shape = built.nrows() == p.window and built.ncols() == p.rows.ncols()
    return disagreement(gram(built), between(p.rows, total - p.window + 1, total)) + flag(right_shape)


@attrs.frozen
class StreamPair:
    """Two streams of T rows each, as T x d rational matrices."""

    rows: fmpq_mat
    other: fmpq_mat


def in_set_n(difference: fmpq_mat) -> bool:
    """Whether some row has norm at most 1 and all other rows are zero."""
    norms = [squared_norm(row(difference, number)) for number in range(1, difference.nrows() + 1)]
    return any(norm <= 1 and all(other == 0 for j, other in enumerate(norms) if j != i) for i, norm in enumerate(norms))


def neighbours(p: StreamPair) -> bool:
    """Whether the first T rows of two streams differ by a member of N, for every T."""
    rows = (p.rows - p.other).tolist()
    return all(in_set_n(fmpq_mat(rows[:time])) for time in range(1, len(rows) + 1))


def one_short_change(p: StreamPair) -> bool:
    """Whether the streams differ in at most one row, and there by a vector of norm at most 1."""
    difference = p.rows - p.other
    norms = [squared_norm(row(difference, number)) for number in range(1, difference.nrows() + 1)]
    return sum(norm != 0 for norm in norms) <= 1 and all(norm <= 1 for norm in norms)


def neighbours_margin(p: StreamPair) -> arb:
    """0 when the printed relation and "at most one row differs, by norm at most 1" agree about a pair."""
    return flag(neighbours(p) == one_short_change(p))


def are_neighbours_margin(p: StreamPair) -> arb:
    """0 exactly for neighbouring streams."""
    return flag(neighbours(p))


def singular_value_margin(p: StreamPair) -> arb:
    """1 minus the largest singular value of A - A'; -1 when the rank exceeds 1."""
    difference = p.rows - p.other
    return 1 - spectral_norm(difference) if difference.rank() <= 1 else flag(holds=False)


def gram_change_margin(p: StreamPair) -> arb:
    """1 minus the spectral norm of A'A minus that of its neighbour."""
    return 1 - spectral_norm(gram(p.rows) - gram(p.other))


ARE_NEIGHBOURS = Condition("A - A' is in N", are_neighbours_margin)

NEIGHBOURS = Claim(
    id="sliding-window.neighbours",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "section 1.1, (1)",
        "A_W(T) = (a_1; ...; a_T; 0) if T <= W, else (a_{T-W+1}; ...; a_T); neighbours: A_T - A'_T in N at any T, "
        "N = {B : |B[i:]| <= 1 for some i, B[j:] = 0 for j != i}",
    ),
    statement=Statement(
        "streams are neighbours exactly if at most one row differs, and there by a vector of norm at most 1",
        neighbours_margin,
    ),
    verdict=Verdict.WELL_POSED,
    reading=(
        "'at any T' means at every T; a stream is its own neighbour, as B = 0 is in N; neighbours have one length, as "
        "A_T - A'_T has to exist."
    ),
    because=(
        "The relation is event-level, symmetric, and says nothing about the length of a row. So A'A can change by any "
        "amount: a row (M) that becomes (M + 1) changes it by 2M + 1. Every guarantee that is calibrated to one row "
        "of norm 1 present or absent changes A'A by at most 1 and is silent here; the document passes from one "
        "relation to the other after Theorem 12."
    ),
    steps=(
        Step(
            "window",
            Statement(
                "A_W(T)'A_W(T) is the sum of a_t'a_t over the last min(T, W) rows",
                window_margin,
                given=(whole("window", 1),),
            ),
            sound=True,
        ),
        Step(
            "rank-one",
            Statement(
                "A - A' has rank at most 1 and singular value at most 1",
                singular_value_margin,
                given=(ARE_NEIGHBOURS,),
            ),
            sound=True,
            note="The document says 'singular value 1' after Theorem 12; N holds all lengths up to 1.",
        ),
        Step(
            "gram-change",
            Statement(
                "A'A changes by at most 1 in spectral norm, as when a unit row is present or absent",
                gram_change_margin,
                given=(ARE_NEIGHBOURS,),
            ),
            sound=False,
            note="True when a row of norm at most 1 is replaced by zero; 2M + 1 for a row of norm M that grows by 1.",
        ),
    ),
)


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


def sequence_margin(p: TwoReleases) -> arb:
    """Largest divergence of a single output minus that of the sequence."""
    return arb(single_divergence(p) - joint_divergence(p))


def marginal_margin(p: TwoReleases) -> arb:
    """Divergence of the sequence minus the largest of a single output."""
    return arb(joint_divergence(p) - single_divergence(p))


def are_laws_margin(p: TwoReleases) -> arb:
    """Least probability, or minus the error of a total."""
    least = min((*p.first.entries(), *p.second.entries()))
    totals = [abs(sum(law.entries(), fmpq(0)) - 1) for law in (p.first, p.second)]
    return arb(least if max(totals) == 0 else -max(totals))


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
    """Least probability, or minus the error of a total."""
    totals = [abs(sum(law, fmpq(0)) - 1) for law in (p.first, p.second)]
    return arb(min((*p.first, *p.second)) if max(totals) == 0 else -max(totals))


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
        "order of the neighbours: it says that the condition over all events is a condition on one number, and 'E' is "
        "e^eps."
    ),
    because=(
        "The best event is {P > e^eps Q}, so the condition is that one sum is at most delta. A_T is the stream up to "
        "T and not the window, which is what 'even if the data has expired' says. It does not speak of several times,"
        " of the time stamps or of the stored state: with bits masked by one key bit (output T is the parity of the "
        "first T bits and the key) each output is a fair coin, (0, 0)-private, and two outputs reveal the second bit,"
        " delta = 1. Appendix D, which publishes at every time, needs the joint law of all outputs in place of "
        "M(A_T). The tail of the loss, by which appendix B defines privacy once more, is another condition: (1/10, "
        "4/10, 5/10) against (0, 2/10, 8/10) have a loss above ln 2 with probability 1/10; with the first two outputs"
        " merged it is ln(5/2) with probability 1/2."
    ),
    steps=(
        Step(
            "sequence",
            Statement(
                "what holds of the output at each T by itself holds of the sequence of outputs",
                sequence_margin,
                given=(LAWS, at_least("exponential", 1)),
            ),
            sound=False,
            note="Appendix D asks for the sequence; the definition guarantees each output by itself.",
        ),
        Step(
            "each-output",
            Statement(
                "the divergence of a sequence of outputs is at least that of each output",
                marginal_margin,
                given=(LAWS, at_least("exponential", 1)),
            ),
            sound=True,
            note="So a guarantee for all that is seen covers each part of it.",
        ),
        TAIL_OF_THE_LOSS,
    ),
)
