"""What Update keeps, for one call and along a stream: Lemmas 1 and 10."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.conditions import at_least, below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.histograms import (
    Histogram,
    close,
    has_approximate_property,
    has_property,
    printed_item_2,
    raised,
)
from dpmatrix.spec.sliding_window.loewner import between, flag, precedes, precedes_margin, scaled
from dpmatrix.spec.sliding_window.updates import survivors
from dpmatrix.spec.wishart.spectra import eigenvalues, nonnegative_spectrum


@attrs.frozen
class Checkpoints:
    """Stamped symmetric matrices, and eta."""

    stamps: tuple[int, ...]
    matrices: tuple[fmpq_mat, ...]
    eta: Exact


def updated(p: Checkpoints, drop: Exact) -> Histogram:
    """Output of Update with factor 1 - drop, as repaired; no window is known to it."""
    kept = survivors(len(p.matrices), lambda i, other: close(p.matrices, i, other, drop))
    matrices = tuple(p.matrices[i - 1] for i in kept)
    return Histogram(p.matrices[0], 1, tuple(p.stamps[i - 1] for i in kept), matrices, p.eta, matrices)


def printed_lemma_margin(p: Checkpoints) -> arb:
    """0 exactly when the output of Algorithm 6 has item 2 of Definition 8 as printed."""
    after = updated(p, p.eta)
    return flag(printed_item_2(after, after.matrices, p.eta))


def printed_approximate_lemma_margin(p: Checkpoints) -> arb:
    """0 exactly when the output of Algorithm 1 on exact matrices has item 2 of Definition 3 as printed."""
    half = rational(p.eta) / 2
    after = updated(p, half)
    return flag(printed_item_2(after, after.matrices, half))


def ordered_margin(p: Checkpoints) -> arb:
    """0 exactly when K(1) >= ... >= K(l) >= 0."""
    chain = [*p.matrices, p.matrices[-1] - p.matrices[-1]]
    return flag(all(precedes(chain[i + 1], chain[i]) for i in range(len(p.matrices))))


def increasing_margin(p: Checkpoints) -> arb:
    """Least gap between stamps, minus 1."""
    return arb(min((p.stamps[i + 1] - p.stamps[i] for i in range(len(p.stamps) - 1)), default=1) - 1)


@attrs.frozen
class StreamRun:
    """A stream of T rows, a window, eta, a floor f, and approximations of the Gram matrices.

    Parameters
    ----------
    rows
        T x d.
    window, eta, floor
        W, eta and f; every Gram matrix carries f I.
    approximations
        For each time t and stamp s <= t, in lexicographic order, the S~ that stands for the rows s, ..., t; empty for
        the exact matrices.
    """

    rows: fmpq_mat
    window: int
    eta: Exact
    floor: Exact = 0
    approximations: tuple[fmpq_mat, ...] = ()


def suffixes(p: StreamRun, time: int, stamps: list[int]) -> tuple[fmpq_mat, ...]:
    """Gram matrices of the rows s, ..., time, plus the floor, for each stamp s."""
    return tuple(raised(between(p.rows, stamp, time), p.floor) for stamp in stamps)


def seen(p: StreamRun, time: int, stamps: list[int]) -> tuple[fmpq_mat, ...]:
    """The matrices that Update compares."""
    if not p.approximations:
        return suffixes(p, time, stamps)
    return tuple(p.approximations[time * (time - 1) // 2 + stamp - 1] for stamp in stamps)


def maintained(p: StreamRun, drop: Exact) -> list[int]:
    """Stamps after every row: insert the new stamp, expire, Update with factor 1 - drop.

    Expiry removes t_1 when t_2 <= T - W + 1; Algorithms 3 and 7 print t_2 < T - W + 1, which keeps a row that
    left the window.
    """
    stamps: list[int] = []
    for time in range(1, p.rows.nrows() + 1):
        stamps.append(time)
        if len(stamps) > 1 and stamps[1] <= time - p.window + 1:
            del stamps[0]
        stamps = _thinned(stamps, seen(p, time, stamps), drop)
    return stamps


def _thinned(stamps: list[int], matrices: tuple[fmpq_mat, ...], drop: Exact) -> list[int]:
    return [stamps[i - 1] for i in survivors(len(stamps), lambda i, other: close(matrices, i, other, drop))]


def structure(p: StreamRun, drop: Exact) -> Histogram:
    """The data structure after the last row."""
    total, stamps = p.rows.nrows(), maintained(p, drop)
    exact = suffixes(p, total, stamps)
    return Histogram(p.rows, p.window, tuple(stamps), exact, p.eta, seen(p, total, stamps), p.floor)


def count_margin(p: StreamRun) -> arb:
    """3 + 2 log(det K_1 / det K_l) / -log(1 - eta) - l."""
    after = structure(p, p.eta)
    ratio = arb(after.matrices[0].det() / after.matrices[-1].det())
    return 3 + 2 * ratio.log() / -arb(1 - rational(p.eta)).log() - len(after.matrices)


def kept_property_margin(p: StreamRun) -> arb:
    """The count's margin where the property holds, and -1 elsewhere."""
    return count_margin(p) if has_property(structure(p, p.eta)) else flag(holds=False)


def kept_approximate_property_margin(p: StreamRun) -> arb:
    """0 exactly when Algorithm 1 keeps the approximate property as read, along the stream."""
    return flag(has_approximate_property(structure(p, rational(p.eta) / 2)))


def every_approximation_margin(p: StreamRun) -> arb:
    """Least margin of (4) over all times and stamps."""
    quarter, least = rational(p.eta) / 4, arb(1)
    for time in range(1, p.rows.nrows() + 1):
        stamps = list(range(1, time + 1))
        for exact, near in zip(suffixes(p, time, stamps), seen(p, time, stamps), strict=True):
            least = least.min(precedes_margin(scaled(1 - quarter, exact), near))
            least = least.min(precedes_margin(near, scaled(1 + quarter, exact)))
    return least


def survivors_close_margin(p: StreamRun) -> arb:
    """0 exactly when consecutive survivors of Algorithm 1 are close with factor 1 - eta/2."""
    half = rational(p.eta) / 2
    after = structure(p, half)
    return flag(all(close(after.approximations, i, i + 1, half) for i in range(1, len(after.stamps))))


RUN = (whole("window", 1), positive("eta"), below("eta", 1))
ORDERED = (
    exceeds("stamps increase", increasing_margin, strict=False),
    Condition("K(1) >= ... >= K(l) >= 0", ordered_margin),
    positive("eta"),
    below("eta", 1),
)

LEMMA_10 = Claim(
    id="sliding-window.lemma-10",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "Lemma 10",
        "if K(1) >= ... >= K(l) >= 0, the output of Update satisfies the spectral histogram property",
    ),
    statement=Statement(
        "for ordered input, the output of Algorithm 6 has item 2 of Definition 8", printed_lemma_margin, given=ORDERED
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="Algorithm 6 as repaired; item 3 speaks of a window that Update does not see.",
    because=(
        "As printed three equal matrices with stamps 1, 2, 3 refute it: p <= l - 1 leaves the last triple untested. "
        "And one call cannot bring closeness about where stamps are far apart. Along a stream it does hold. Two "
        "survivors with a gap were close when what lay between was deleted, and adding a'a to both sides keeps (1 - "
        "eta)K <= K'; without a deletion they are adjacent. Maximality of j gives non-closeness for i <= l - 3, "
        "because the smaller of two is no closer. K' <= K and (1 - eta)K not<= K' force det K' < (1 - eta) det K, so "
        "with a floor f, l <= 3 + 2 log(det K_1/det K_l)/-log(1 - eta), which is O((d/eta) log(1 + W/f)) for rows of "
        "norm 1."
    ),
    repair=Repair(
        "the property as read, along a stream that starts empty, with expiry at t_2 <= T - W + 1; and a count",
        Statement(
            "after every row the structure has the property, and l <= 3 + 2 log(det K_1/det K_l)/-log(1 - eta)",
            kept_property_margin,
            given=(*RUN, positive("floor")),
        ),
    ),
    uses=("sliding-window.definition-8+repair", "sliding-window.algorithm-6+repair"),
)


@attrs.frozen
class ChainPoint:
    """L(j), L(j+1), and the approximations of both."""

    first: fmpq_mat
    second: fmpq_mat
    first_near: fmpq_mat
    second_near: fmpq_mat
    eta: Exact


def strict_margin(p: ChainPoint) -> arb:
    """Least eigenvalue of ((1-eta/2)(1-eta/4)/(1+eta/4) - (1-eta)) L(j): positive where the printed relation holds."""
    eta = rational(p.eta)
    factor = (1 - eta / 2) * (1 - eta / 4) / (1 + eta / 4) - (1 - eta)
    return eigenvalues(scaled(factor, p.first))[-1]


def into_approximation_margin(p: ChainPoint) -> arb:
    """(1-eta/2)(1-eta/4)/(1+eta/4) L(j) <= (1-eta/2)/(1+eta/4) L~(j)."""
    eta = rational(p.eta)
    outer = (1 - eta / 2) / (1 + eta / 4)
    return precedes_margin(scaled(outer * (1 - eta / 4), p.first), scaled(outer, p.first_near))


def across_margin(p: ChainPoint) -> arb:
    """(1-eta/2)/(1+eta/4) L~(j) <= L~(j+1)/(1+eta/4)."""
    eta = rational(p.eta)
    return precedes_margin(
        scaled((1 - eta / 2) / (1 + eta / 4), p.first_near), scaled(1 / (1 + eta / 4), p.second_near)
    )


def out_of_approximation_margin(p: ChainPoint) -> arb:
    """L~(j+1)/(1+eta/4) <= L(j+1)."""
    return precedes_margin(scaled(1 / (1 + rational(p.eta) / 4), p.second_near), p.second)


def first_quarter_margin(p: ChainPoint) -> arb:
    """(1 - eta/4) L(j) <= L~(j)."""
    return precedes_margin(scaled(1 - rational(p.eta) / 4, p.first), p.first_near)


def second_quarter_margin(p: ChainPoint) -> arb:
    """L~(j+1) <= (1 + eta/4) L(j+1)."""
    return precedes_margin(p.second_near, scaled(1 + rational(p.eta) / 4, p.second))


def update_relation_margin(p: ChainPoint) -> arb:
    """(1 - eta/2) L~(j) <= L~(j+1)."""
    return precedes_margin(scaled(1 - rational(p.eta) / 2, p.first_near), p.second_near)


def semidefinite_margin(p: ChainPoint) -> arb:
    """Non-negative exactly when L(j) is positive semidefinite."""
    return nonnegative_spectrum(p.first)


@attrs.frozen
class DropPoint:
    """Two positive semidefinite matrices, large and small, and eta."""

    large: fmpq_mat
    small: fmpq_mat
    eta: Exact


def singular_drop_margin(p: DropPoint) -> arb:
    """Largest of (1 - eta/2) s_k(large) - s_k(small) over k."""
    factor = 1 - rational(p.eta) / 2
    gaps = [factor * a - b for a, b in zip(eigenvalues(p.large), eigenvalues(p.small), strict=True)]
    largest = gaps[0]
    for gap in gaps[1:]:
        largest = largest.max(gap)
    return largest


def not_close_margin(p: DropPoint) -> arb:
    """0 exactly when (1 - eta/2) large does not precede small, although small precedes large, both non-negative."""
    apart = not precedes(scaled(1 - rational(p.eta) / 2, p.large), p.small)
    return flag(apart and precedes(p.small, p.large) and precedes(p.small - p.small, p.small))


ETA = (positive("eta"), below("eta", 1))
FIRST = Condition("(1 - eta/4) L(j) <= L~(j)", first_quarter_margin)
SECOND = Condition("L~(j+1) <= (1 + eta/4) L(j+1)", second_quarter_margin)
RELATION = Condition("(1 - eta/2) L~(j) <= L~(j+1)", update_relation_margin)
APPROXIMATIONS = Condition("(4) at every time, for every stamp", every_approximation_margin)

LEMMA_1 = Claim(
    id="sliding-window.lemma-1",
    kind=Kind.LEMMA,
    source=Locator(
        "sliding-window",
        "Lemma 1",
        "if S_l'S_l <= ... <= S_1'S_1, the output of Update-Approx satisfies the eta-approximate spectral histogram "
        "property",
    ),
    statement=Statement(
        "for ordered input, exact approximations included, the output of Algorithm 1 has item 2 of Definition 3",
        printed_approximate_lemma_margin,
        given=ORDERED,
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    reading="Algorithm 1 as repaired; (4) holds at every time for every stamp, by hypothesis.",
    because=(
        "Refuted like Lemma 10, by three equal matrices. The proof takes the relation of consecutive survivors from "
        "'the update rule' at the present time, where it may fail: for adjacent stamps always, for others because "
        "sketches are no longer close after further rows. What is true: at the time of the deletion the chain leads "
        "from S~ to the exact S, and for exact matrices closeness survives. No order among the S~ is needed. The step "
        "from 'not <=' to a singular value is false even for ordered matrices; determinants replace it for exact "
        "matrices. For approximations they give only a factor 1 - (eta^2/8)/(1 - eta/4) for each two checkpoints, so "
        "l = O((d/eta) log W) is not proved for them."
    ),
    repair=Repair(
        "the property as read, along a stream that starts empty, under (4) at every time",
        Statement(
            "after every row the structure has the approximate property",
            kept_approximate_property_margin,
            given=(*RUN, at_least("floor", 0), APPROXIMATIONS),
        ),
    ),
    steps=(
        Step(
            "update-rule",
            Statement(
                "by the update rule (1 - eta/2) L~(j) <= L~(j+1)",
                survivors_close_margin,
                given=(*RUN, at_least("floor", 0), APPROXIMATIONS),
            ),
            sound=False,
            note="Not for adjacent stamps, and not at later times.",
        ),
        Step(
            "strict-factor",
            Statement(
                "(1 - eta) L(j) < (1 - eta/2)(1 - eta/4)/(1 + eta/4) L(j)",
                strict_margin,
                given=(*ETA, Condition("L(j) >= 0", semidefinite_margin)),
                strict=True,
            ),
            sound=False,
            note="'<' between matrices means positive definite; for a singular L(j) it is '<='.",
        ),
        Step(
            "into-approximation",
            Statement(
                "(1-eta/2)(1-eta/4)/(1+eta/4) L(j) <= (1-eta/2)/(1+eta/4) L~(j)",
                into_approximation_margin,
                given=(*ETA, FIRST),
            ),
            sound=True,
        ),
        Step(
            "across",
            Statement("(1-eta/2)/(1+eta/4) L~(j) <= L~(j+1)/(1+eta/4)", across_margin, given=(*ETA, RELATION)),
            sound=True,
        ),
        Step(
            "out-of-approximation",
            Statement("L~(j+1)/(1+eta/4) <= L(j+1)", out_of_approximation_margin, given=(*ETA, SECOND)),
            sound=True,
        ),
        Step(
            "singular-value",
            Statement(
                "if (1 - eta/2) L~(j) does not precede L~(j+2), some singular value drops by the factor 1 - eta/2",
                singular_drop_margin,
                given=(*ETA, Condition("0 <= small <= large, not close", not_close_margin)),
                strict=True,
            ),
            sound=False,
            note="Two eigenvalues can share the drop; the determinant falls by the factor.",
        ),
    ),
    uses=("sliding-window.proposition-10", "sliding-window.definition-3+repair", "sliding-window.algorithm-1+repair"),
)
