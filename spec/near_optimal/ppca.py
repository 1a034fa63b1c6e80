"""Theorem 6: PPCA, the exponential mechanism for a k-dimensional subspace, is epsilon-DP (sections 3 and 4.1)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Exact, ball, nonnegative_root, rational
from dpmatrix.privacy.bingham import log_bingham_constant
from dpmatrix.spec.common.conditions import positive, whole
from dpmatrix.spec.near_optimal.ppca_proof import PROOF, SAME_SHAPE, Neighbours, changed_columns


def one_record_margin(p: Neighbours) -> arb:
    """One minus the number of columns that differ."""
    return arb(1 - len(changed_columns(p)))


def norm_margin(p: Neighbours) -> arb:
    """One minus the largest squared norm of a column."""
    grams = [matrix.transpose() * matrix for matrix in (p.data, p.neighbour)]
    return arb(1 - max(gram[j, j] for gram in grams for j in range(gram.nrows())))


@attrs.frozen
class PpcaNeighbours(Neighbours):
    """The same with the number k of columns of V, and epsilon."""

    rank: int
    epsilon: Exact


def log_normaliser(exponent: fmpq_mat, rank: int) -> arb:
    """``log E exp(tr V'BV)`` for the uniform law of V: for k = 1, d - 1 and d; otherwise not a number.

    For k = d - 1, V leaves out one direction u, and tr V'BV = tr B - u'Bu.
    """
    size = exponent.nrows()
    trace = arb(sum((exponent[i, i] for i in range(size)), fmpq(0)))
    if rank == size:
        return trace
    if rank == 1:
        return log_bingham_constant(exponent)
    return trace + log_bingham_constant(-exponent) if rank == size - 1 else arb.nan()


def worst_loss(p: PpcaNeighbours) -> arb:
    """The largest log-ratio of the densities ``exp((eps/2) tr V'XX'V)`` over V, with their normalisers.

    XX' - X'X'' has one eigenvalue of either sign at most, and zeros: the sum of the k largest is the largest one for
    k < d, from the trace of the matrix and that of its square, and the trace for k = d.
    """
    half = rational(p.epsilon) / 2
    before, after = p.data * p.data.transpose(), p.neighbour * p.neighbour.transpose()
    change = before - after
    traces = [sum((m[i, i] for i in range(m.nrows())), fmpq(0)) for m in (change, change * change)]
    top = (arb(traces[0]) + nonnegative_root(arb(2 * traces[1] - traces[0] * traces[0]))) / 2
    gained = top if p.rank < change.nrows() else arb(traces[0])
    return half * gained - log_normaliser(before * half, p.rank) + log_normaliser(after * half, p.rank)


def promised(p: PpcaNeighbours) -> arb:
    """``eps``."""
    return ball(p.epsilon)


def columns_margin(p: PpcaNeighbours) -> arb:
    """``d - k``."""
    return arb(p.data.nrows() - p.rank)


NEIGHBOURS = (
    SAME_SHAPE,
    Condition("they differ in at most one record", one_record_margin),
    Condition("records have norm at most 1", norm_margin),
    whole("rank", 1),
    Condition("k <= d", columns_margin),
    positive("epsilon"),
)


THEOREM_6 = Claim(
    id="near-optimal.theorem-6",
    kind=Kind.PRIVACY,
    source=Locator("near-optimal", "Theorem 6", "PPCA, V ~ BMF_k(n (eps/2) A), is eps-DP"),
    statement=Statement.of_law(
        "sampling V with density proportional to exp(n (epsilon/2) tr V'AV) is epsilon-differentially private",
        worst_loss,
        at_most=promised,
        given=NEIGHBOURS,
        probability=False,
    ),
    verdict=Verdict.HOLDS_PROOF_REPAIRED,
    reading=(
        "Records of norm at most 1, as section 2 assumes and Algorithm 2 does not repeat; replace-one adjacency with n "
        "public. The density is with respect to the uniform probability on d x k matrices with orthonormal columns. "
        "The loss is the largest over all V, and enclosed for k = 1, d - 1 and d, thus for all k up to d = 3; the "
        "proof is for every k. Exact samples: a Markov chain within total variation delta of this law gives (eps, (1 + "
        "e^eps) delta), not the (eps, delta) of section 7."
    ),
    because=(
        "The printed proof is for k = 1 only. For every k, |V'x|^2 lies in [0, |x|^2], so the score n tr V'AV changes"
        " by at most 1; over V its change takes values in an interval whose length is the nuclear norm of vv' - ww' "
        "(0 for k = d), at most 2. The log-ratio of the densities moves within eps/2 times that interval, and 0 lies "
        "in it since both have integral 1: the loss is at most eps.\n\n"
        "No pair of data sets attains it: e_1 replaced by "
        "e_2 costs eps/2 at n = 1, and where the other records are e_1 the loss tends to eps as n grows. The range of"
        " the loss, not only its modulus, is at most eps, so that the profile is better than that of an arbitrary "
        "eps-DP mechanism; when a record appears or disappears the range is at most eps/2."
    ),
    steps=PROOF,
    uses=("near-optimal.definition-3",),
)
