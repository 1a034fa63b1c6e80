"""Definitions 1 and 2: the top-k subspace and a close approximation; what q_F is in terms of q_A (section 2)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality
from dpmatrix.spec.near_optimal.eigenvectors import EIGENVECTORS_STEP


@attrs.frozen
class CapturedEnergy:
    """Eigenvalues l_1 >= ... >= l_d of A, and a k-dimensional subspace through its weights |V'v_i|^2."""

    eigenvalues: tuple[Exact, ...]
    weights: tuple[Exact, ...]
    rank: int


def energy_margin(p: CapturedEnergy) -> arb:
    """``l_1 + ... + l_k - tr V'AV``, tr V'AV = sum l_i |V'v_i|^2."""
    values = [rational(value) for value in p.eigenvalues]
    captured = sum((a * rational(w) for a, w in zip(values, p.weights, strict=True)), fmpq(0))
    return arb(sum(values[: p.rank], fmpq(0)) - captured)


def rank_margin(p: CapturedEnergy) -> arb:
    """The smaller of ``k - 1`` and ``d - 1 - k``."""
    return arb(min(p.rank - 1, len(p.eigenvalues) - 1 - p.rank))


def length_margin(p: CapturedEnergy) -> arb:
    """Minus the difference of the numbers of eigenvalues and weights."""
    return arb(-abs(len(p.eigenvalues) - len(p.weights)))


def ordered_margin(p: CapturedEnergy) -> arb:
    """The least difference of successive eigenvalues."""
    values = [rational(value) for value in p.eigenvalues]
    return arb(min((a - b for a, b in pairwise(values)), default=fmpq(-1)))


def semidefinite_margin(p: CapturedEnergy) -> arb:
    """The least eigenvalue."""
    return arb(min((rational(value) for value in p.eigenvalues), default=fmpq(-1)))


def distinct_margin(p: CapturedEnergy) -> arb:
    """The least difference of two of the first k eigenvalues; 1 for k = 1, where there are no two."""
    values = [rational(value) for value in p.eigenvalues[: p.rank]]
    return arb(min((a - b for a, b in pairwise(values)), default=fmpq(1)))


def gap_margin(p: CapturedEnergy) -> arb:
    """``Delta_k = l_k - l_{k+1}``."""
    return arb(rational(p.eigenvalues[p.rank - 1]) - rational(p.eigenvalues[p.rank]))


def weight_margin(p: CapturedEnergy) -> arb:
    """The least distance of a weight from outside [0, 1]."""
    weights = [rational(w) for w in p.weights]
    return arb(min(min(w, 1 - w) for w in weights))


def weight_sum_margin(p: CapturedEnergy) -> arb:
    """The weights sum to k."""
    return equality(arb(sum((rational(w) for w in p.weights), fmpq(0)) - p.rank), arb(0))


def outside_margin(p: CapturedEnergy) -> arb:
    """``|V'v_{k+1}|^2 + ... + |V'v_d|^2``, which is 0 for the span of v_1, ..., v_k alone."""
    return arb(sum((rational(w) for w in p.weights[p.rank :]), fmpq(0)))


SUBSPACE = (
    Condition("1 <= k < d", rank_margin),
    Condition("one weight for each eigenvalue", length_margin),
    Condition("l_1 >= ... >= l_d", ordered_margin),
    Condition("0 <= |V'v_i|^2 <= 1", weight_margin),
    Condition("sum |V'v_i|^2 = k", weight_sum_margin),
    Condition("V does not span v_1, ..., v_k", outside_margin, strict=True),
)

DEFINITION_1 = Claim(
    id="near-optimal.definition-1",
    kind=Kind.DEFINITION,
    source=Locator(
        "near-optimal",
        "Definition 1",
        "A positive semidefinite, first k eigenvalues distinct; V_k(A) = [v_1 ... v_k] is the top-k PCA subspace",
    ),
    statement=Statement(
        "where the first k eigenvalues are distinct, every other subspace captures less of A: V_k is determined",
        energy_margin,
        given=(
            *SUBSPACE,
            Condition("A is positive semidefinite", semidefinite_margin),
            Condition("l_1, ..., l_k distinct", distinct_margin, strict=True),
        ),
        strict=True,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "The eigenvalues 2, 1, 1 with k = 2: the first two are distinct, and the spans of v_1, v_2 and of v_1, v_3 "
        "capture the same. What is needed is a gap after the k-th eigenvalue, and nothing among the first k. The "
        "columns of V_k are determined, up to sign, when the first k eigenvalues are distinct as well; any rotation of "
        "them spans the same subspace, so (3) has more maximisers than one. Delta_d is not defined. Algorithm 1 "
        "applies the definition to A + N, which is not positive semidefinite: there the largest eigenvalues count, and "
        "the repair holds for them as well."
    ),
    reading=(
        "k < d; the subspace is the span of the columns of V_k. Another subspace counts through the squared norms of "
        "the projections of v_1, ..., v_d onto it, which lie in [0, 1] and sum to k."
    ),
    repair=Repair(
        "Delta_k = l_k - l_{k+1} > 0, for every symmetric A",
        Statement(
            "where l_k > l_{k+1}, every other k-dimensional subspace captures less of A",
            energy_margin,
            given=(*SUBSPACE, Condition("l_k > l_{k+1}", gap_margin, strict=True)),
            strict=True,
        ),
    ),
    steps=(EIGENVECTORS_STEP,),
)


@attrs.frozen
class Decomposition:
    """A symmetric matrix A with its eigenvectors and eigenvalues, and an output.

    Parameters
    ----------
    matrix
        A, shape (d, d).
    vectors
        The eigenvectors v_1, ..., v_d in columns.
    eigenvalues
        l_1, ..., l_d.
    output
        The vector v of length d.
    """

    matrix: fmpq_mat
    vectors: fmpq_mat
    eigenvalues: tuple[Exact, ...]
    output: tuple[Exact, ...]


def _inner(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> fmpq:
    return sum((rational(a) * rational(b) for a, b in zip(x, y, strict=True)), fmpq(0))


def eigenvector(p: Decomposition, i: int) -> tuple[Exact, ...]:
    """``v_i``, from 0 on."""
    return tuple(p.vectors[j, i] for j in range(p.vectors.nrows()))


def identity_margin(p: Decomposition) -> arb:
    """``tr(v'Av) = l_1 <v, v_1>^2 + sum_{i>=2} l_i <v, v_i>^2``."""
    d = len(p.eigenvalues)
    column = fmpq_mat(d, 1, [rational(entry) for entry in p.output])
    energy = (column.transpose() * p.matrix * column)[0, 0]
    squares = [_inner(p.output, eigenvector(p, i)) ** 2 for i in range(d)]
    first = rational(p.eigenvalues[0]) * squares[0]
    others = sum((rational(p.eigenvalues[i]) * squares[i] for i in range(1, d)), fmpq(0))
    return equality(arb(energy - first - others), arb(0))


def shape_margin(p: Decomposition) -> arb:
    """``d - 1`` where A and V are d x d and there are d eigenvalues and d coordinates, else -1."""
    d = len(p.eigenvalues)
    sizes = {p.matrix.nrows(), p.matrix.ncols(), p.vectors.nrows(), p.vectors.ncols(), len(p.output)}
    return arb(d - 1 if sizes == {d} else -1)


def _largest_entry(matrix: fmpq_mat) -> fmpq:
    return max((abs(entry) for entry in matrix.entries()), default=fmpq(0))


def orthogonal_margin(p: Decomposition) -> arb:
    """Minus the largest entry of V'V - I."""
    d = p.vectors.ncols()
    identity = fmpq_mat(d, d, [fmpq(int(i == j)) for i in range(d) for j in range(d)])
    return -arb(_largest_entry(p.vectors.transpose() * p.vectors - identity))


def eigenvectors_margin(p: Decomposition) -> arb:
    """Minus the largest entry of AV - V diag(l)."""
    d = len(p.eigenvalues)
    values = [rational(p.eigenvalues[i]) if i == j else fmpq(0) for i in range(d) for j in range(d)]
    return -arb(_largest_entry(p.matrix * p.vectors - p.vectors * fmpq_mat(d, d, values)))


DECOMPOSED = (
    Condition("A and V have shape (d, d), and the output has d coordinates", shape_margin),
    Condition("V is orthogonal", orthogonal_margin),
    Condition("A v_i = l_i v_i", eigenvectors_margin),
)

UTILITY_IDENTITY = Claim(
    id="near-optimal.utility-identity",
    kind=Kind.LEMMA,
    source=Locator("near-optimal", "section 2, after (4)", "q_F(v) = l_1 q_A(v)^2 + sum_{i=2}^d l_i <v, v_i>^2"),
    statement=Statement(
        "q_F(v) = l_1 q_A(v)^2 + sum_{i>=2} l_i <v, v_i>^2",
        identity_margin,
        given=DECOMPOSED,
    ),
    verdict=Verdict.HOLDS,
    because=(
        "AV = V diag(l) and VV' = I give A = V diag(l) V', and q_F is the sum over the coordinates of v in the basis "
        "of eigenvectors. This is q_F of (3); the proof of Theorem 7 writes the same symbol for n v'Av and, in (7) and "
        "(8), for n (eps/2) v'Av."
    ),
)


@attrs.frozen
class OtherTop(Decomposition):
    """The same with another vector that may serve as v_1."""

    other: tuple[Exact, ...]


def closeness_margin(p: OtherTop) -> arb:
    """``q_A`` of the output is the same for v_1 and for the other vector."""
    return equality(arb(abs(_inner(p.output, eigenvector(p, 0))) - abs(_inner(p.output, p.other))), arb(0))


def spectrum_margin(p: Decomposition) -> arb:
    """The least difference of successive eigenvalues."""
    values = [rational(value) for value in p.eigenvalues]
    return arb(min((a - b for a, b in pairwise(values)), default=fmpq(0)))


def unit_margin(p: OtherTop) -> arb:
    """Minus ``||u|^2 - 1|`` for the other vector u."""
    return -arb(abs(_inner(p.other, p.other) - 1))


def top_margin(p: OtherTop) -> arb:
    """Minus the largest entry of A u - l_1 u for the other vector u."""
    column = fmpq_mat(len(p.other), 1, [rational(entry) for entry in p.other])
    return -arb(_largest_entry(p.matrix * column - column * rational(p.eigenvalues[0])))


def eigengap_margin(p: Decomposition) -> arb:
    """``l_1 - l_2``; 1 for d = 1, where there is no second one."""
    values = [rational(value) for value in p.eigenvalues[:2]]
    return arb(values[0] - values[1] if len(values) == 2 else fmpq(1))


TOP = (
    *DECOMPOSED,
    Condition("l_1 >= ... >= l_d", spectrum_margin),
    Condition("the other vector has norm 1", unit_margin),
    Condition("it is an eigenvector for l_1", top_margin),
)

DEFINITION_2 = Claim(
    id="near-optimal.definition-2",
    kind=Kind.DEFINITION,
    source=Locator(
        "near-optimal",
        "Definition 2",
        "for all data sets D of n points P(q_A(A(D)) >= rho) >= 1 - eta, q_A = |<., v_1>|",
    ),
    statement=Statement(
        "q_A is a function of data set and output: two top eigenvectors of one A give one value",
        closeness_margin,
        given=TOP,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "'All data sets' includes those without an eigengap. For the records e_1 and e_2, A = I/2 has the top "
        "eigenvectors e_1 and e_2, and the output e_1 has q_A = 1 or 0. With an eigengap v_1 is unique up to sign and "
        "q_A is well defined. Theorem 7, whose n depends on the eigenvalues, speaks of data sets with a given gap. A "
        "value of q_A at ties would not save 'all data sets' for private algorithms: by Theorem 8 as repaired some "
        "data set with an eigengap below d/(n eps) has E q_A <= 1 - (1-phi)/16, whatever n is."
    ),
    reading=(
        "A class of data sets takes the place of 'all data sets', such as those with given l_1 and Delta in Theorem 7; "
        "each has an eigengap. What is judged is that q_A has a value; closeness is then a statement on probabilities."
    ),
    repair=Repair(
        "for all data sets of a class in which every one has an eigengap Delta > 0",
        Statement(
            "where the eigengap is positive, q_A does not depend on the choice of v_1",
            closeness_margin,
            given=(*TOP, Condition("l_1 > l_2", eigengap_margin, strict=True)),
        ),
    ),
)
