"""Definition 2: principal components under constraints, and what is least among all projections of one rank."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.spectra import diagonal, disagreement, eigenvalues, identity, projector, trace
from dpmatrix.spec.sliding_window.loewner import flag, gram


@attrs.frozen
class ProjectionPoint:
    """A W x d rational matrix A and a square rational matrix P."""

    data: fmpq_mat
    projection: fmpq_mat


def printed_difference_margin(p: ProjectionPoint) -> arb:
    """Minus the distance of the shape of A from that of XP, X of the order of P: A - XP exists exactly at zero."""
    order = p.projection.nrows()
    return -arb(abs(p.data.nrows() - order) + abs(p.data.ncols() - order))


def right_cost(data: fmpq_mat, projection: fmpq_mat) -> fmpq:
    """``|A - AP|_F^2``, exactly."""
    return trace(gram(data - data * projection))


def left_cost(data: fmpq_mat, projection: fmpq_mat) -> fmpq:
    """``|A - PA|_F^2``, exactly."""
    return trace(gram(data - projection * data))


def least_cost_margin(p: ProjectionPoint) -> arb:
    """|A - AP|_F^2 minus the sum of all but the k largest eigenvalues of A'A, k the rank of P."""
    values = eigenvalues(gram(p.data))
    return arb(right_cost(p.data, p.projection)) - sum(values[p.projection.rank() :], arb(0))


def acts_on_columns_margin(p: ProjectionPoint) -> arb:
    """Zero exactly when P is d x d."""
    return -arb(abs(p.projection.nrows() - p.data.ncols()) + abs(p.projection.ncols() - p.data.ncols()))


def projection_margin(p: ProjectionPoint) -> arb:
    """Zero exactly when P is square, symmetric and P^2 = P."""
    square = p.projection
    if square.nrows() != square.ncols():
        return flag(holds=False)
    return disagreement(square * square, square) + disagreement(square.transpose(), square)


@attrs.frozen
class LeadingPoint:
    """A = diag(scales) Q' with an orthogonal Q, and k: A'A has the eigenvectors Q and the squared scales."""

    frame: fmpq_mat
    scales: tuple[Exact, ...]
    rank: int


def attained_margin(p: LeadingPoint) -> arb:
    """Minus the distance of |A - AP|_F^2, P onto the first k columns of Q, from the sum of the other squared scales."""
    data = diagonal(p.scales) * p.frame.transpose()
    tail = sum((rational(scale) ** 2 for scale in p.scales[p.rank :]), fmpq(0))
    return arb(-abs(right_cost(data, projector(p.frame, p.rank)) - tail))


def leading_margin(p: LeadingPoint) -> arb:
    """0 when Q is orthogonal, the scales do not increase and are not negative, and 1 <= k <= d."""
    order = len(p.scales)
    if (p.frame.nrows(), p.frame.ncols()) != (order, order) or not 1 <= p.rank <= order:
        return flag(holds=False)
    scales = [rational(scale) for scale in (*p.scales, 0)]
    sorted_down = all(larger >= smaller for larger, smaller in pairwise(scales))
    return flag(sorted_down).min(disagreement(p.frame * p.frame.transpose(), identity(order)))


RIGHT_SHAPE = Condition("P is d x d", acts_on_columns_margin)
PROJECTION = Condition("P is an orthogonal projection", projection_margin)

DEFINITION_2 = Claim(
    id="sliding-window.definition-2",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 2",
        "find P in Pi with |A - PA|_F <= (1+eta) min_{X in Pi} |A - XP|_F + tau with probability 1 - beta; for all "
        "rank-k projections this is principal component analysis",
    ),
    statement=Statement(
        "for A of shape W x d and projections X and P of one order, whatever it is, A - XP exists",
        printed_difference_margin,
        given=(PROJECTION,),
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "Cost |A_W - A_W P|_F with P in Pi, against the least |A_W - A_W X|_F over X in Pi; tau, beta and the "
        "relation of neighbours are given; one-shot privacy."
    ),
    because=(
        "A is W x d and XP is square, so that A - XP does not exist unless W = d, whatever order the projections have; "
        "|A - XP| should be |A - AX|, and for d x d projections |A - PA| should be |A - AP|. The introduction has it "
        "right. tau and beta are not introduced, and A is A_W."
    ),
    repair=Repair(
        "|A - AP|_F and |A - AX|_F",
        Statement(
            "no projection of rank k has |A - AP|_F^2 below the sum of all but the k largest eigenvalues of A'A",
            least_cost_margin,
            given=(RIGHT_SHAPE, PROJECTION),
        ),
    ),
    steps=(
        Step(
            "attained",
            Statement(
                "the projection onto the k leading eigenvectors of A'A costs exactly that sum",
                attained_margin,
                given=(Condition("Q is orthogonal, scales fall to 0 or more, 1 <= k <= d", leading_margin),),
            ),
            defect=None,
            note="So the least cost over all projections of rank k is the sum.",
        ),
    ),
)
