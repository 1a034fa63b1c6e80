"""Section 1.2: principal components from a spectral approximation, and second moments of projected sketches."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, exceeds, positive, whole
from dpmatrix.spec.sliding_window.approximation import ApproximationPoint, approximation_margin
from dpmatrix.spec.sliding_window.loewner import gram
from dpmatrix.spec.sliding_window.sketch_privacy import floor


@attrs.frozen
class NaiveChoice:
    """Parameters of Algorithm 3: r, eta and the guarantee."""

    rank: int
    eta: Exact
    epsilon: Exact
    delta: Exact


def linear_loss(p: NaiveChoice) -> arb:
    """``b = 384 eta r log(4/delta) / epsilon^2``, linear in r."""
    return 384 * ball(p.eta) * p.rank * (4 / ball(p.delta)).log() / square(ball(p.epsilon))


def naive_choice_margin(p: NaiveChoice) -> arb:
    """Largest variance of S~ that is allowed where A_W'A_W has 0, minus the least where it has b.

    The bounds are (1 - eta/4)(A_W'A_W + sigma^2) and (1 + eta/4)/(1 - eta)(A_W'A_W + sigma^2), those of lemma-2's step
    on-the-event.
    """
    eta, ridge = ball(p.eta), square(floor(p.rank, p.epsilon, p.delta))
    return (1 + eta / 4) / (1 - eta) * ridge - (1 - eta / 4) * (linear_loss(p) + ridge)


@attrs.frozen
class ProjectedSketch:
    """A window, its sketch, and a projection of the sketch to k/eta dimensions.

    Parameters
    ----------
    window, sketch, projection
        A_W (W x d), A~ (m x d) and P (k/eta x m).
    target
        k.
    eta
        eta in (0, 1).
    """

    window: fmpq_mat
    sketch: fmpq_mat
    projection: fmpq_mat
    target: int
    eta: Exact


def near_margin(p: ProjectedSketch, sketch: fmpq_mat) -> arb:
    """(4): the second moment of a sketch is within the factors 1 +- eta/4 of A_W'A_W."""
    return approximation_margin(ApproximationPoint(gram(p.window), gram(sketch), rational(p.eta) / 4))


def projected_margin(p: ProjectedSketch) -> arb:
    """(4) for P A~."""
    return near_margin(p, p.projection * p.sketch)


def sketched_margin(p: ProjectedSketch) -> arb:
    """(4) for A~."""
    return near_margin(p, p.sketch)


def projected_rows_margin(p: ProjectedSketch) -> arb:
    """Zero exactly when P has k/eta rows."""
    return arb(-abs(rational(p.eta) * p.projection.nrows() - p.target))


NAIVE_COMPONENTS = (
    Step(
        "linear-in-rank",
        Statement(
            "the bounds of a spectral approximation with sigma^2 let the best projection for it lose an amount linear "
            "in r: for A_W'A_W = diag(b, 0), b = 384 eta r log(4/delta)/eps^2, they allow an S~ that has the variances "
            "of both axes equal, so that a projection best for S~ costs b, and the least is 0",
            naive_choice_margin,
            given=(
                whole("rank", 1),
                positive("eta"),
                below("eta", 1),
                positive("epsilon"),
                positive("delta"),
                below("delta", 1),
            ),
            strict=True,
        ),
        sound=True,
        note="sigma^2 is at least 256 r log(4/delta)/eps^2. sigma^2 alone, without the factors, moves no component.",
    ),
    Step(
        "projected-moments",
        Statement(
            "the second moments of sketches that are projected to k/eta dimensions keep the approximate property: with "
            "(4) for A~'A~ it holds for A~'P'PA~",
            projected_margin,
            given=(
                whole("target", 1),
                positive("eta"),
                below("eta", 1),
                exceeds("P has k/eta rows", projected_rows_margin, strict=False),
                Condition("(4): A~'A~ is an eta/4 approximation of A_W'A_W", sketched_margin),
            ),
        ),
        sound=False,
        note="No projection does, where A_W has rank above k/eta: some direction of it is lost.",
    ),
)
