"""Section 1.2: principal components from a spectral approximation, and the rank of projected sketches."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, ball, rational, square
from dpmatrix.spec.common.conditions import below, positive, whole
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
    """A window, and a sketch of it that is projected to k/eta dimensions.

    Parameters
    ----------
    window
        A_W, W x d.
    target
        k.
    eta
        eta in (0, 1/2).
    """

    window: fmpq_mat
    target: int
    eta: Exact


def projected_margin(p: ProjectedSketch) -> arb:
    """``k/eta`` minus the rank of A_W.

    M'M >= (1 - eta/4) A_W'A_W for some M of rank k/eta at most exactly if this is not negative: where M u = 0, A_W u
    is 0 as well.
    """
    return arb(p.target / rational(p.eta) - p.window.rank())


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
        defect=None,
        note="sigma^2 is at least 256 r log(4/delta)/eps^2. sigma^2 alone, without the factors, moves no component.",
    ),
    Step(
        "projected-moments",
        Statement(
            "sketches that are projected to k/eta dimensions can keep the approximate property: some M of rank k/eta "
            "at most, as pi(A~_1) is, has M'M >= (1 - eta/4) S_1 for some S_1 >= A_W'A_W",
            projected_margin,
            given=(whole("target", 1), positive("eta"), below("eta", rational(1) / 2)),
        ),
        defect=Defect.REMARK,
        note="None does, on whichever side A~ is projected, where A_W has rank above k/eta: some direction is lost.",
    ),
)
