"""Lemma 12: no private mechanism serves K nearby databases well on average (section 4.3)."""

from __future__ import annotations

from itertools import combinations, permutations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import equality, positive, whole

Vector = tuple[Exact, ...]


@attrs.frozen
class PrivateFamily:
    """A mechanism on K databases, with finitely many outputs.

    Parameters
    ----------
    eigenvectors
        The top eigenvectors u_1, ..., u_K.
    outputs
        The unit vectors that may be published.
    probabilities
        Row i: the law of the output on database i.
    epsilon
        Privacy parameter.
    distance
        The largest number of points in which two of the databases differ.
    """

    eigenvectors: tuple[Vector, ...]
    outputs: tuple[Vector, ...]
    probabilities: tuple[Vector, ...]
    epsilon: Real
    distance: int


def inner(x: Vector, y: Vector) -> fmpq:
    """``<x, y>``."""
    return sum((rational(a) * rational(b) for a, b in zip(x, y, strict=True)), fmpq(0))


def size(p: PrivateFamily) -> int:
    """``K``."""
    return len(p.eigenvectors)


def largest_correlation(p: PrivateFamily) -> fmpq:
    """``max |<u_i, u_j>|`` over i != j."""
    return max(abs(inner(x, y)) for x, y in combinations(p.eigenvectors, 2))


def total_correlation(p: PrivateFamily) -> fmpq:
    """``E|<A(D_1), u_1>| + ... + E|<A(D_K), u_K>|``."""
    return sum(
        (
            rational(probability) * abs(inner(output, u))
            for u, row in zip(p.eigenvectors, p.probabilities, strict=True)
            for output, probability in zip(p.outputs, row, strict=True)
        ),
        fmpq(0),
    )


def bound(p: PrivateFamily, share: fmpq) -> fmpq:
    """``K (1 - share (1 - max |<u_i, u_j>|))``."""
    return size(p) * (1 - share * (1 - largest_correlation(p)))


def lemma_12_margin(p: PrivateFamily) -> arb:
    """``K (1 - (1 - max)/16)`` minus the sum of the expected correlations."""
    return arb(bound(p, fmpq(1, 16)) - total_correlation(p))


def square_distance(x: Vector, u: Vector) -> fmpq:
    """``min(|x - u|^2, |x + u|^2)``."""
    return min(sum((d * d for d in _combined(x, u, sign)), fmpq(0)) for sign in (1, -1))


def _combined(x: Vector, u: Vector, sign: int) -> list[fmpq]:
    return [rational(a) - sign * rational(b) for a, b in zip(x, u, strict=True)]


def square_separation(p: PrivateFamily) -> fmpq:
    """``t^2``: the least squared distance of two of the lines."""
    return min(square_distance(x, y) for x, y in combinations(p.eigenvectors, 2))


def hits(p: PrivateFamily) -> list[list[fmpq]]:
    """Row i, column j: ``P(A(D_i) in G_j)``, G_j the open double cap of radius t/2 around u_j."""
    quarter = square_separation(p) / 4
    inside = [[square_distance(x, u) < quarter for x in p.outputs] for u in p.eigenvectors]
    return [
        [sum((rational(q) for q, hit in zip(row, cap, strict=True) if hit), fmpq(0)) for cap in inside]
        for row in p.probabilities
    ]


def total_miss(p: PrivateFamily) -> fmpq:
    """``P(A(D_1) not in G_1) + ... + P(A(D_K) not in G_K)``."""
    return sum((1 - row[i] for i, row in enumerate(hits(p))), fmpq(0))


def total_square_distance(p: PrivateFamily) -> fmpq:
    """Sum of the ``E min(|A(D_i) - u_i|^2, |A(D_i) + u_i|^2)``."""
    return sum(
        (
            rational(q) * square_distance(x, u)
            for u, row in zip(p.eigenvectors, p.probabilities, strict=True)
            for x, q in zip(p.outputs, row, strict=True)
        ),
        fmpq(0),
    )


def disjoint_margin(p: PrivateFamily) -> arb:
    """Least ``P(A(D_i) not in G_i) - sum_(j != i) P(A(D_i) in G_j)``."""
    return arb(min(1 - sum(row, fmpq(0)) for row in hits(p)))


def group_margin(p: PrivateFamily) -> arb:
    """Least ``P(A(D_i) in G_j) - P(A(D_j) in G_j)/(K-1)``."""
    found = hits(p)
    return arb(min(found[i][j] - found[j][j] / (size(p) - 1) for i, j in permutations(range(size(p)), 2)))


def inequality_13_margin(p: PrivateFamily) -> arb:
    """``P(A(D_1) not in G_1) + ... - (K-1)/2``."""
    return arb(total_miss(p) - fmpq(size(p) - 1, 2))


def markov_margin(p: PrivateFamily) -> arb:
    """Sum of the mean squared distances minus the sum of the ``P(A(D_i) not in G_i) t^2/4``."""
    return arb(total_square_distance(p) - total_miss(p) * square_separation(p) / 4)


def by_inequality_13_margin(p: PrivateFamily) -> arb:
    """``sum P(A(D_i) not in G_i) t^2/4 - (K-1) t^2/8``."""
    t_square = square_separation(p)
    return arb(total_miss(p) * t_square / 4 - (size(p) - 1) * t_square / 8)


def as_inner_products_margin(p: PrivateFamily) -> arb:
    """The printed inequality of inner products is that of norms: both sides are equal, rewritten."""
    left = total_square_distance(p) - (2 * size(p) - 2 * total_correlation(p))
    right = square_separation(p) - (2 - 2 * largest_correlation(p))
    return equality(arb(max(abs(left), abs(right))), arb(0))


def constant_margin(p: PrivateFamily) -> arb:
    """``K (1 - (1 - max)/16) - K (1 - (1/8) ((K-1)/K) (1 - max))``."""
    return arb(bound(p, fmpq(1, 16)) - bound(p, fmpq(1, 8) * fmpq(size(p) - 1, size(p))))


def size_margin(p: PrivateFamily) -> arb:
    """``K - 2``."""
    return arb(size(p) - 2)


def shape_margin(p: PrivateFamily) -> arb:
    """0 for K laws on the outputs and vectors of one length, else -1."""
    lengths = {len(vector) for vector in (*p.eigenvectors, *p.outputs)}
    fits = len(p.probabilities) == size(p) and {len(row) for row in p.probabilities} == {len(p.outputs)}
    return arb(0 if fits and len(lengths) == 1 else -1)


def unit_margin(p: PrivateFamily) -> arb:
    """Minus the largest ``||v|^2 - 1|`` of an eigenvector or output."""
    return -arb(max(abs(inner(x, x) - 1) for x in (*p.eigenvectors, *p.outputs)))


def mass_margin(p: PrivateFamily) -> arb:
    """Least probability."""
    return arb(min(rational(q) for row in p.probabilities for q in row))


def sum_margin(p: PrivateFamily) -> arb:
    """Minus the largest distance of a row's sum from 1."""
    return -arb(max(abs(sum((rational(q) for q in row), fmpq(0)) - 1) for row in p.probabilities))


def privacy_margin(p: PrivateFamily) -> arb:
    """Least ``exp(m eps) P(A(D_j) = x) - P(A(D_i) = x)``, m the distance."""
    factor = (p.distance * ball(p.epsilon)).exp()
    least = arb("inf")
    for first, second in permutations(p.probabilities, 2):
        for likely, other in zip(first, second, strict=True):
            least = least.min(factor * ball(other) - ball(likely))
    return least


def distance_margin(p: PrivateFamily) -> arb:
    """``ln(K-1)/eps - m``."""
    return arb(size(p) - 1).log() / ball(p.epsilon) - p.distance


LAWS = (
    Condition("K laws on the outputs, vectors of one length", shape_margin),
    Condition("K >= 2", size_margin),
    Condition("eigenvectors and outputs have norm 1", unit_margin),
    Condition("the probabilities are at least 0", mass_margin),
    Condition("the probabilities of each database sum to 1", sum_margin),
)
PRIVATE = (
    *LAWS,
    positive("epsilon"),
    whole("distance", 0),
    Condition("the laws of two databases are private at their distance", privacy_margin),
    Condition("two databases differ in at most ln(K-1)/eps points", distance_margin),
)

LEMMA_12 = Claim(
    id="near-optimal.lemma-12",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "near-optimal",
        "Lemma 12",
        "K databases that differ in at most ln(K-1)/eps points: sum E|<A(D_i), u_i>| <= K (1 - (1 - max "
        "|<u_i, u_j>|)/16)",
    ),
    statement=Statement(
        "sum_i E|<A(D_i), u_i>| <= K (1 - (1 - max_(i != j) |<u_i, u_j>|)/16)", lemma_12_margin, given=PRIVATE
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "K >= 2; 'max_i' is over i != j; any two of the databases differ in at most so many points; outputs have norm "
        "1. Only the top eigenvectors of the databases and the laws of the output enter; that the laws of two "
        "databases are within exp(m eps) of each other, m the number of points in which they differ, follows from "
        "Definition 3 by m replacements. Evaluated for mechanisms with finitely many outputs; the proof is for all."
    ),
    because=(
        "Double caps of half the least distance t are disjoint, and by group privacy cap j has on database i at least "
        "1/(K-1) of its probability on database j. So the probabilities x_i of missing the right cap satisfy sum x_i "
        ">= sum (1 - x_j), hence sum x_i >= K/2: more than (13) asks for, and without a contradiction. Each miss costs "
        "t^2/8 of correlation. The constant 1/16 may therefore be 1/8."
    ),
    steps=(
        Step(
            "disjoint",
            Statement(
                "P(A(D_i) not in G_i) >= sum_(j != i) P(A(D_i) in G_j): the caps are disjoint",
                disjoint_margin,
                given=LAWS,
            ),
            defect=None,
        ),
        Step(
            "group-privacy",
            Statement("P(A(D_i) in G_j) >= P(A(D_j) in G_j)/(K-1)", group_margin, given=PRIVATE),
            defect=None,
        ),
        Step(
            "inequality-13",
            Statement("(13): sum P(A(D_i) not in G_i) >= (K-1)/2", inequality_13_margin, given=PRIVATE),
            defect=None,
            note="K/2 is true.",
        ),
        Step(
            "markov",
            Statement(
                "sum E min(|A(D_i) - u_i|^2, |A(D_i) + u_i|^2) >= sum P(A(D_i) not in G_i) t^2/4",
                markov_margin,
                given=LAWS,
            ),
            defect=None,
        ),
        Step(
            "by-inequality-13",
            Statement("sum P(A(D_i) not in G_i) t^2/4 >= (K-1) t^2/8", by_inequality_13_margin, given=PRIVATE),
            defect=None,
        ),
        Step(
            "as-inner-products",
            Statement(
                "the norms are 2K - 2 sum E|<A(D_i), u_i>| and t^2 = 2 - 2 max |<u_i, u_j>|",
                as_inner_products_margin,
                given=LAWS,
            ),
            defect=None,
        ),
        Step(
            "constant-1-16",
            Statement("K (1 - ((K-1)/K) (1 - max)/8) <= K (1 - (1 - max)/16)", constant_margin, given=LAWS),
            defect=None,
        ),
    ),
    uses=("near-optimal.definition-3",),
)
