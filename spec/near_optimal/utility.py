"""Definitions 1 and 2: the top-k subspace and a close approximation; what q_F is in terms of q_A (section 2)."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.conditions import equality


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


def ordered_margin(p: CapturedEnergy) -> arb:
    """The least of the differences of successive eigenvalues and the last eigenvalue."""
    values = [*(rational(value) for value in p.eigenvalues), fmpq(0)]
    return arb(min(a - b for a, b in pairwise(values)))


def distinct_margin(p: CapturedEnergy) -> arb:
    """The least difference of two of the first k eigenvalues; for k = 1, l_1 against zero."""
    values = [rational(value) for value in p.eigenvalues[: p.rank]]
    return arb(min((a - b for a, b in pairwise(values)), default=values[0]))


def gap_margin(p: CapturedEnergy) -> arb:
    """``Delta_k = l_k - l_{k+1}``, with 0 after the last eigenvalue."""
    values = [*(rational(value) for value in p.eigenvalues), fmpq(0)]
    return arb(values[p.rank - 1] - values[p.rank])


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
    Condition("l_1 >= ... >= l_d >= 0", ordered_margin),
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
        given=(*SUBSPACE, Condition("l_1, ..., l_k distinct", distinct_margin, strict=True)),
        strict=True,
    ),
    verdict=Verdict.ILL_POSED,
    because=(
        "The eigenvalues 2, 1, 1 with k = 2: the first two are distinct, and the spans of v_1, v_2 and of v_1, v_3 "
        "capture the same. What is needed is a gap after the k-th eigenvalue, and nothing among the first k. The "
        "columns of V_k are determined, up to sign, when the first k eigenvalues are distinct as well; any rotation of "
        "them spans the same subspace, so (3) has more maximisers than one. Delta_d is not defined. Algorithm 1 "
        "applies the definition to A + N, which is not positive semidefinite: there the largest eigenvalues count."
    ),
    reading="k < d; the subspace is the span of the columns of V_k.",
    repair=Repair(
        "Delta_k = l_k - l_{k+1} > 0",
        Statement(
            "where l_k > l_{k+1}, every other k-dimensional subspace captures less of A",
            energy_margin,
            given=(*SUBSPACE, Condition("l_k > l_{k+1}", gap_margin, strict=True)),
            strict=True,
        ),
    ),
)


@attrs.frozen
class TopEigenvectors:
    """A = diag(first, second) with its top eigenvector e_1, and another unit vector (cosine, sine)."""

    first: Exact
    second: Exact
    cosine: Exact
    sine: Exact


def closeness_margin(p: TopEigenvectors) -> arb:
    """``q_A(e_1)`` is the same for v_1 = e_1 and for v_1 = (cosine, sine)."""
    return equality(arb(1), abs(arb(rational(p.cosine))))


def spectrum_margin(p: TopEigenvectors) -> arb:
    """The least of first - second, second and 1 - first - second."""
    first, second = rational(p.first), rational(p.second)
    return arb(min(first - second, second, 1 - first - second))


def unit_margin(p: TopEigenvectors) -> arb:
    """``cosine^2 + sine^2 = 1``."""
    cosine, sine = rational(p.cosine), rational(p.sine)
    return equality(arb(cosine * cosine + sine * sine - 1), arb(0))


def eigenvector_margin(p: TopEigenvectors) -> arb:
    """``A (cosine, sine) = first (cosine, sine)``, that is (second - first) sine = 0."""
    return equality(arb((rational(p.second) - rational(p.first)) * rational(p.sine)), arb(0))


def eigengap_margin(p: TopEigenvectors) -> arb:
    """``first - second``."""
    return arb(rational(p.first) - rational(p.second))


TOP = (
    Condition("first >= second >= 0, first + second <= 1", spectrum_margin),
    Condition("(cosine, sine) has norm 1", unit_margin),
    Condition("(cosine, sine) is a top eigenvector", eigenvector_margin),
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
        "q_A is well defined. Theorem 7, whose n depends on the eigenvalues, speaks of data sets with a given gap."
    ),
    reading="Two dimensions stand for the plane of two candidates for v_1; the data sets have eigengap Delta > 0.",
    repair=Repair(
        "for all data sets with eigengap Delta > 0",
        Statement(
            "where the eigengap is positive, q_A does not depend on the choice of v_1",
            closeness_margin,
            given=(*TOP, Condition("first > second", eigengap_margin, strict=True)),
        ),
    ),
)


@attrs.frozen
class Decomposition:
    """Eigenvectors, the columns of an orthogonal rational d x d matrix V, eigenvalues, and an output of length d."""

    vectors: fmpq_mat
    eigenvalues: tuple[Exact, ...]
    output: tuple[Exact, ...]


def _inner(p: Decomposition, i: int) -> fmpq:
    return sum((p.vectors[j, i] * rational(entry) for j, entry in enumerate(p.output)), fmpq(0))


def identity_margin(p: Decomposition) -> arb:
    """``tr(v'Av) = l_1 <v, v_1>^2 + sum_{i>=2} l_i <v, v_i>^2`` with A = V diag(l) V'."""
    d = len(p.eigenvalues)
    diagonal = fmpq_mat(d, d, [rational(p.eigenvalues[i]) if i == j else fmpq(0) for i in range(d) for j in range(d)])
    column = fmpq_mat(d, 1, [rational(entry) for entry in p.output])
    energy = (column.transpose() * p.vectors * diagonal * p.vectors.transpose() * column)[0, 0]
    first = rational(p.eigenvalues[0]) * _inner(p, 0) ** 2
    others = sum((rational(p.eigenvalues[i]) * _inner(p, i) ** 2 for i in range(1, d)), fmpq(0))
    return equality(arb(energy - first - others), arb(0))


def orthogonal_margin(p: Decomposition) -> arb:
    """Minus the largest entry of V'V - I."""
    d = len(p.eigenvalues)
    gram = p.vectors.transpose() * p.vectors
    return -arb(max(abs(gram[i, j] - int(i == j)) for i in range(d) for j in range(d)))


UTILITY_IDENTITY = Claim(
    id="near-optimal.utility-identity",
    kind=Kind.LEMMA,
    source=Locator("near-optimal", "section 2, after (4)", "q_F(v) = l_1 q_A(v)^2 + sum_{i=2}^d l_i <v, v_i>^2"),
    statement=Statement(
        "q_F(v) = l_1 q_A(v)^2 + sum_{i>=2} l_i <v, v_i>^2",
        identity_margin,
        given=(Condition("V is orthogonal", orthogonal_margin),),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "A = V diag(l) V' and the coordinates of v in the basis of eigenvectors. This is q_F of (3); the proof of "
        "Theorem 7 writes the same symbol for n v'Av and, in (7) and (8), for n (eps/2) v'Av."
    ),
)
