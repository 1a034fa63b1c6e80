"""Definitions 3 and 4: differential privacy with and without delta (section 2)."""

from __future__ import annotations

from itertools import product

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, positive


@attrs.frozen
class TwoLaws:
    """What an algorithm with finitely many outputs does on two data sets that differ in one record.

    Parameters
    ----------
    first, second
        Probabilities of the outputs.
    exponential
        The number e^epsilon.
    """

    first: tuple[Exact, ...]
    second: tuple[Exact, ...]
    exponential: Exact


def events(p: TwoLaws) -> list[tuple[fmpq, fmpq]]:
    """``P(S)`` and ``Q(S)`` for every set S of outputs, the empty one included."""
    pairs = [(rational(a), rational(b)) for a, b in zip(p.first, p.second, strict=True)]
    chosen = product((False, True), repeat=len(pairs))
    return [
        (
            sum((a for (a, _), inside in zip(pairs, event, strict=True) if inside), fmpq(0)),
            sum((b for (_, b), inside in zip(pairs, event, strict=True) if inside), fmpq(0)),
        )
        for event in chosen
    ]


def ratio_at_most(above: fmpq, under: fmpq, bound: fmpq) -> bool:
    """Whether ``above/under <= bound``, with 0/0 read as 1 and a positive number over 0 as infinite."""
    if under == 0:
        return bool(above == 0 and bound >= 1)
    return bool(above / under <= bound)


def supremum_at_most(p: TwoLaws) -> bool:
    """Whether the supremum of Definition 3, over all sets of outputs, is at most e^eps."""
    bound = rational(p.exponential)
    return all(ratio_at_most(above, under, bound) for above, under in events(p))


def pointwise(p: TwoLaws) -> bool:
    """Whether no output is more than e^eps times as probable."""
    bound = rational(p.exponential)
    return all(rational(a) <= bound * rational(b) for a, b in zip(p.first, p.second, strict=True))


def definition_3_margin(p: TwoLaws) -> arb:
    """0 when the supremum and the outputs one by one agree about the two laws, -1 when they do not."""
    return -arb(int(supremum_at_most(p) != pointwise(p)))


def largest_excess(p: TwoLaws) -> fmpq:
    """The least delta with ``P(S) <= e^eps Q(S) + delta`` for every set S of outputs."""
    bound = rational(p.exponential)
    return max(above - bound * under for above, under in events(p))


def hockey_stick(p: TwoLaws) -> fmpq:
    """``sum max(0, p - e^eps q)`` over the outputs."""
    bound, zero = rational(p.exponential), fmpq(0)
    excesses = (rational(a) - bound * rational(b) for a, b in zip(p.first, p.second, strict=True))
    return sum((max(zero, excess) for excess in excesses), zero)


def definition_4_margin(p: TwoLaws) -> arb:
    """The least delta is the sum of the excesses of the outputs."""
    return equality(arb(largest_excess(p) - hockey_stick(p)), arb(0))


def length_margin(p: TwoLaws) -> arb:
    """Minus the difference of the numbers of probabilities."""
    return arb(-abs(len(p.first) - len(p.second)))


def mass_margin(p: TwoLaws) -> arb:
    """Least probability."""
    return arb(min((rational(value) for value in (*p.first, *p.second)), default=fmpq(-1)))


def sum_margin(p: TwoLaws) -> arb:
    """Minus the larger distance of a law's total from 1."""
    totals = [sum((rational(value) for value in law), fmpq(0)) for law in (p.first, p.second)]
    return -arb(max(abs(total - 1) for total in totals))


@attrs.frozen
class PrivateLaws(TwoLaws):
    """The same, with the delta of a guarantee."""

    delta: Exact


def excess_margin(p: PrivateLaws) -> arb:
    """``delta`` minus the largest ``P(S) - e^eps Q(S)``."""
    return arb(rational(p.delta) - largest_excess(p))


@attrs.frozen
class LargerPair(PrivateLaws):
    """The same, with another e^epsilon and another delta."""

    other_exponential: Exact
    other_delta: Exact


def larger_exponential_margin(p: LargerPair) -> arb:
    """``e^eps' - e^eps``."""
    return arb(rational(p.other_exponential) - rational(p.exponential))


def larger_delta_margin(p: LargerPair) -> arb:
    """``delta' - delta``."""
    return arb(rational(p.other_delta) - rational(p.delta))


def larger_pair_margin(p: LargerPair) -> arb:
    """``delta'`` minus the largest ``P(S) - e^eps' Q(S)``."""
    return arb(rational(p.other_delta) - largest_excess(TwoLaws(p.first, p.second, p.other_exponential)))


def failure_margin(p: PrivateLaws) -> arb:
    """The least of ``delta - F(all)``, ``e^eps q - g`` and ``g`` over the outputs: g = min(p, e^eps q), f = p - g."""
    pairs = [(rational(a), rational(p.exponential) * rational(b)) for a, b in zip(p.first, p.second, strict=True)]
    kept = [min(a, bound) for a, bound in pairs]
    failed = sum((a - g for (a, _), g in zip(pairs, kept, strict=True)), fmpq(0))
    within = (bound - g for (_, bound), g in zip(pairs, kept, strict=True))
    return arb(min(rational(p.delta) - failed, *within, *kept))


@attrs.frozen
class ChosenRank(TwoLaws):
    """The laws of a k that is chosen from the data, and of the subspace for each k.

    Parameters
    ----------
    first_subspaces, second_subspaces
        For each k, the probabilities of the subspaces of dimension k, given that k is chosen.
    """

    first_subspaces: tuple[tuple[Exact, ...], ...]
    second_subspaces: tuple[tuple[Exact, ...], ...]


def joint(ranks: tuple[Exact, ...], subspaces: tuple[tuple[Exact, ...], ...]) -> tuple[Exact, ...]:
    """The probabilities of the subspaces of all dimensions."""
    return tuple(rational(k) * rational(share) for k, row in zip(ranks, subspaces, strict=True) for share in row)


def subspace_excess(p: ChosenRank) -> arb:
    """The largest ``P(S) - e^eps Q(S)`` over the sets S of subspaces."""
    laws = (joint(p.first, p.first_subspaces), joint(p.second, p.second_subspaces))
    return arb(largest_excess(TwoLaws(*laws, p.exponential)))


def rank_excess(p: ChosenRank) -> arb:
    """The largest ``p_k - e^eps q_k``."""
    bound = rational(p.exponential)
    return arb(max(rational(a) - bound * rational(b) for a, b in zip(p.first, p.second, strict=True)))


def given_rank_margin(p: ChosenRank) -> arb:
    """Minus the largest distance from 1 of what the subspaces of one dimension have together."""
    totals = [sum((rational(share) for share in row), fmpq(0)) for row in (*p.first_subspaces, *p.second_subspaces)]
    return -arb(max(abs(total - 1) for total in totals))


def same_subspaces_margin(p: ChosenRank) -> arb:
    """0 when for each k there are as many subspaces under both laws, -1 when there are not."""
    return -arb(int([len(row) for row in p.first_subspaces] != [len(row) for row in p.second_subspaces]))


SAME_OUTPUTS = Condition("P and Q are of the same outputs", length_margin)
LAWS = (
    SAME_OUTPUTS,
    Condition("the probabilities are at least 0", mass_margin),
    Condition("the probabilities of each data set sum to 1", sum_margin),
)

PROMISED = Condition("P(S) <= e^eps Q(S) + delta for every S", excess_margin)

DEFINITION_3 = Claim(
    id="near-optimal.definition-3",
    kind=Kind.DEFINITION,
    source=Locator(
        "near-optimal",
        "Definition 3",
        "sup over S, and over D, D' differing in a single entry, of mu(S|D)/mu(S|D') <= e^eps; 0/0 is 1",
    ),
    statement=Statement(
        "the supremum of P(S)/Q(S) over all sets S of outputs, with 0/0 = 1, is at most e^eps exactly when no output "
        "is more than e^eps times as probable",
        definition_3_margin,
        given=(*LAWS, positive("exponential")),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "Sums keep p <= e^eps q, and single outputs are sets. The convention 0/0 = 1 does no harm: it matters for "
        "e^eps < 1 only, where S = everything violates either form, so that no range is needed for eps. An 'entry' of "
        "the data set is one of its members x_i, the value of one individual, as the introduction says; the proofs "
        "replace a whole column of X and keep n. The data set is called a set, yet section 3.3 and the lower bounds "
        "repeat records: a sequence is meant. A single coordinate of X would be another relation."
    ),
    reading=(
        "Replace-one adjacency: sequences of n records, n public, that differ in exactly one record; records have "
        "Euclidean norm at most 1, as section 2 assumes. Evaluated for algorithms with finitely many outputs; the "
        "proof is for all, with densities in place of probabilities."
    ),
    steps=(
        Step(
            "choice-of-k",
            Statement(
                "where some k is more than e^eps times as probable, some set of subspaces is as well, however the "
                "subspace is drawn for given k",
                subspace_excess,
                given=(
                    Condition("for each k both laws are of the same subspaces", same_subspaces_margin),
                    Condition("the subspaces of each dimension sum to 1", given_rank_margin),
                    Condition("p_k > e^eps q_k for some k", rank_excess, strict=True),
                ),
                strict=True,
            ),
            defect=None,
            note="The number of columns shows k: where k is not chosen privately, the subspace is not private.",
        ),
    ),
)

DEFINITION_4 = Claim(
    id="near-optimal.definition-4",
    kind=Kind.DEFINITION,
    source=Locator("near-optimal", "Definition 4", "P(A(D) in S) <= e^eps P(A(D') in S) + delta"),
    statement=Statement(
        "the least delta with P(S) <= e^eps Q(S) + delta for all sets S of outputs is the sum of max(0, p - e^eps q) "
        "over the outputs",
        definition_4_margin,
        given=(SAME_OUTPUTS,),
    ),
    verdict=Verdict.WELL_POSED,
    because=(
        "The largest excess is that of the set of all outputs with p > e^eps q. So the definition has a meaning for "
        "every real delta: below 0 no algorithm meets it, as S may be empty, and from 1 on every algorithm does."
    ),
    reading=(
        "Adjacency as in Definition 3. Evaluated for algorithms with finitely many outputs; the proof is for all, with "
        "densities in place of probabilities."
    ),
    steps=(
        Step(
            "larger-pair",
            Statement(
                "two laws that are (eps, delta)-close are (eps', delta')-close for eps' >= eps and delta' >= delta",
                larger_pair_margin,
                given=(
                    SAME_OUTPUTS,
                    Condition("the probabilities are at least 0", mass_margin),
                    PROMISED,
                    Condition("eps' >= eps", larger_exponential_margin),
                    Condition("delta' >= delta", larger_delta_margin),
                ),
            ),
            defect=None,
            note="With delta = 0 and eps' = eps: epsilon-privacy is the stronger of the two guarantees.",
        ),
        Step(
            "delta-as-chance-of-failure",
            Statement(
                "delta bounds the probability of failure: if P and Q are (eps, delta)-close, then P = G + F with "
                "0 <= G <= e^eps Q everywhere and failures F >= 0 of at most delta in all",
                failure_margin,
                given=(
                    SAME_OUTPUTS,
                    Condition("the probabilities are at least 0", mass_margin),
                    positive("exponential"),
                    PROMISED,
                ),
            ),
            defect=None,
            note=(
                "It is not the chance that the privacy loss exceeds eps, which may be larger: 1/2 at delta = 1/8. The "
                "proof of Theorem 5 bounds that chance, which is enough."
            ),
        ),
    ),
    uses=("near-optimal.definition-3",),
)
