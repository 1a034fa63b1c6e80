"""Definitions 2, 4 and 6: principal components, and summaries that keep projection costs."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.conditions import at_least, below
from dpmatrix.spec.sliding_window.loewner import flag, gram
from dpmatrix.spec.wishart.spectra import diagonal, disagreement, eigenvalues, identity, projector, trace


@attrs.frozen
class ProjectionPoint:
    """A W x d rational matrix A and a square rational matrix P."""

    data: fmpq_mat
    projection: fmpq_mat


def left_product_margin(p: ProjectionPoint) -> arb:
    """Minus the gap between the columns of P and the rows of A: PA is defined exactly at zero."""
    return -arb(abs(p.projection.ncols() - p.data.nrows()))


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
        "for A of shape W x d and d x d projections P, the product PA exists",
        left_product_margin,
        given=(RIGHT_SHAPE, PROJECTION),
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "Cost |A_W - A_W P|_F with P in Pi, against the least |A_W - A_W X|_F over X in Pi; tau, beta and the "
        "relation of neighbours are given; one-shot privacy."
    ),
    because=(
        "A is W x d and P is d x d, so PA does not exist unless W = d; |A - XP| should be |A - AX|. The introduction "
        "has it right. tau and beta are not introduced, and A is A_W."
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
            sound=True,
            note="So the least cost over all projections of rank k is the sum.",
        ),
    ),
)


@attrs.frozen
class SummaryPoint:
    """Data A (n x d), a projection P (d x d), and the accuracy eta; the summary is A itself."""

    data: fmpq_mat
    projection: fmpq_mat
    eta: Exact


def printed_summary_margin(p: SummaryPoint) -> arb:
    """(1 - eta) cost minus cost, for the summary that is A itself and tau_2 = 0."""
    cost = right_cost(p.data, p.projection)
    return arb((1 - rational(p.eta)) * cost - cost)


def mended_summary_margin(p: SummaryPoint) -> arb:
    """Least of cost - (1 - eta) cost and (1 + eta) cost - cost."""
    cost, eta = right_cost(p.data, p.projection), rational(p.eta)
    return arb(min(cost - (1 - eta) * cost, (1 + eta) * cost - cost))


SUMMARY_HYPOTHESES = (RIGHT_SHAPE, PROJECTION, at_least("eta", 0), below("eta", 1))

DEFINITION_4 = Claim(
    id="sliding-window.definition-4",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 4",
        "(1-eta)|A-PA|_F^2 - tau_1 <= |A~-PA~|_F^2 <= (1-eta)|A-PA|_F^2 + tau_2 for all P in Pi",
    ),
    statement=Statement(
        "without noise (A~ = A, tau_2 = 0) the upper inequality holds",
        printed_summary_margin,
        given=SUMMARY_HYPOTHESES,
    ),
    verdict=Verdict.ILL_POSED,
    reading=(
        "Costs |A - AP|_F^2, upper factor 1 + eta; the summary may have another number of rows; it is the mechanism "
        "that is private, and not a matrix."
    ),
    because=(
        "Both sides carry 1 - eta, so not even A is a summary of itself: for eta > 0 the upper inequality fails by eta "
        "|A - AP|_F^2. PA is not defined for the shapes at hand, A~ has 4r/eta rows and not n, and privacy is ascribed "
        "to a matrix."
    ),
    repair=Repair(
        "(1 + eta) in the upper inequality, |A - AP|_F",
        Statement("A is a summary of itself, for every eta", mended_summary_margin, given=SUMMARY_HYPOTHESES),
    ),
    uses=("sliding-window.definition-2+repair",),
)


@attrs.frozen
class SketchPoint:
    """Costs of two projections before and after sketching, the constant c, and the error eta.

    Parameters
    ----------
    data, sketch
        n x d rational matrices A and A~.
    projection, other
        n x n rational projections.
    constant
        c >= 0.
    eta
        Error in [0, 1).
    """

    data: fmpq_mat
    sketch: fmpq_mat
    projection: fmpq_mat
    other: fmpq_mat
    constant: Exact
    eta: Exact


def _costs(p: SketchPoint) -> list[tuple[fmpq, fmpq]]:
    return [(left_cost(p.data, each), left_cost(p.sketch, each)) for each in (p.projection, p.other)]


def squared_preserving_margin(p: SketchPoint) -> arb:
    """Least slack of (1-eta) cost <= sketched cost + c <= (1+eta) cost, squared norms, over both projections."""
    eta, constant = rational(p.eta), rational(p.constant)
    return arb(
        min(
            min(after + constant - (1 - eta) * before, (1 + eta) * before - after - constant)
            for before, after in _costs(p)
        )
    )


def some_constant_margin(p: SketchPoint) -> arb:
    """Length of the interval of constants that serve both projections at once, with norms that are not squared."""
    eta = arb(rational(p.eta))
    roots = [(arb(before).sqrt(), arb(after).sqrt()) for before, after in _costs(p)]
    least = [((1 - eta) * before - after).max(arb(0)) for before, after in roots]
    greatest = [(1 + eta) * before - after for before, after in roots]
    return greatest[0].min(greatest[1]) - least[0].max(least[1])


def best_of_sketch_margin(p: SketchPoint) -> arb:
    """(1 + eta) cost(other) - (1 - eta) cost(projection)."""
    (chosen, _), (other, _) = _costs(p)
    return arb((1 + rational(p.eta)) * other - (1 - rational(p.eta)) * chosen)


def chosen_margin(p: SketchPoint) -> arb:
    """Sketched cost of ``other`` minus that of ``projection``."""
    (_, chosen), (_, other) = _costs(p)
    return arb(other - chosen)


def both_projections_margin(p: SketchPoint) -> arb:
    """Zero exactly when both are symmetric and idempotent."""
    return sum((projection_margin(ProjectionPoint(p.data, each)) for each in (p.projection, p.other)), arb(0))


KEEPS_COSTS = (
    Condition("both are orthogonal projections", both_projections_margin),
    at_least("eta", 0),
    below("eta", 1),
    at_least("constant", 0),
    Condition("(1-eta)|A-PA|^2 <= |A~-PA~|^2 + c <= (1+eta)|A-PA|^2", squared_preserving_margin),
)

DEFINITION_6 = Claim(
    id="sliding-window.definition-6",
    kind=Kind.DEFINITION,
    source=Locator(
        "sliding-window",
        "Definition 6",
        "(1-eta)|A-PA|_F <= |A~-PA~|_F + c <= (1+eta)|A-PA|_F for all rank-k projections P, some c >= 0 free of P",
    ),
    statement=Statement(
        "what keeps projection costs in the cited sense (squared norms, some c) keeps them as printed (norms, some c)",
        some_constant_margin,
        given=KEEPS_COSTS,
    ),
    verdict=Verdict.ILL_POSED,
    reading="Squared Frobenius norms, as in the cited definition and Lemma 7; A~ has n rows and any number of columns.",
    because=(
        "The definition is cited with squared norms and printed without the squares, and Lemma 7 is about squares. "
        "Because of the constant c the two differ: with A = diag(13, 5), A~ = diag(12, 0) and c = 25 the squared costs "
        "are kept with error 0, and without the squares no c serves both axes for any eta below 2/9."
    ),
    repair=Repair(
        "squared norms",
        Statement(
            "a projection that is best for the sketch costs at most (1+eta)/(1-eta) times any other on the data",
            best_of_sketch_margin,
            given=(*KEEPS_COSTS, Condition("P is no worse than the other for the sketch", chosen_margin)),
        ),
    ),
)
