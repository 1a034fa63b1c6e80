"""Algorithm 2, line by line: the deviation that the noisy gap sets, and the output."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Condition, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational, square
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import repaired_deviation
from dpmatrix.spec.analyze_gauss.points import same
from dpmatrix.spec.analyze_gauss.subspace_privacy import PROMISE, RelatedGap, deviation_factor, laplace_scale, offset
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement, identity, projector, trace


@attrs.frozen
class RecoveryRun(RelatedGap):
    """One run of an implementation; ``gap`` is the noisy gap that it published.

    Parameters
    ----------
    variance
        Variance of each entry of the noise on the projector, on and above the diagonal; None if it was withheld.
    gap_scale
        Scale of the Laplace noise on the gap, in units of A'A.
    rounding
        How far above the offset the projector may still be withheld, because of roundings.
    """

    variance: Real | None
    gap_scale: Exact
    rounding: Exact


def run_margin(p: RecoveryRun) -> arb:
    """Non-negative when nothing is released up to the offset, and with enough noise on the gap and above it."""
    above = ball(p.gap) - offset(p.epsilon, p.delta)
    if p.variance is None:
        return ball(p.rounding) - above
    least = deviation_factor(p.adjacency) * repaired_deviation(p.epsilon, p.delta) / above
    return above.min(ball(p.variance) - square(least)).min(ball(p.gap_scale) - laplace_scale(p.epsilon))


def rounding_margin(p: RecoveryRun) -> arb:
    """Smaller of the rounding and a thousandth minus it."""
    return ball(p.rounding).min(ball(fmpq(1, 1000)) - ball(p.rounding))


@attrs.frozen
class RowsOrColumns:
    """Orthonormal eigenvectors as the columns of an n x n rational matrix, and a rank."""

    frame: fmpq_mat
    k: int


def row_matrix_margin(p: RowsOrColumns) -> arb:
    """Zero when Vhat_k Vhat_k', Vhat_k with eigenvectors as rows, is the projector onto their span."""
    order = p.frame.nrows()
    rows = fmpq_mat(p.frame.transpose().tolist()[: p.k])
    product = rows * rows.transpose()
    if product.nrows() != order:
        return arb(-abs(product.nrows() - order))
    return disagreement(product, projector(p.frame, p.k))


def column_matrix_margin(p: RowsOrColumns) -> arb:
    """Zero when Vhat_k Vhat_k', eigenvectors as columns, is a projector of rank k."""
    found = projector(p.frame, p.k)
    return disagreement(found * found, found) + same(trace(found), rational(p.k))


def orthonormal_margin(p: RowsOrColumns) -> arb:
    """Zero exactly when the frame is orthogonal."""
    return disagreement(p.frame.transpose() * p.frame, identity(p.frame.nrows()))


def rank_margin(p: RowsOrColumns) -> arb:
    """``n - k``."""
    return arb(p.frame.nrows() - p.k)


FRAME = (
    Condition("the eigenvectors are orthonormal", orthonormal_margin),
    whole("k", 1),
    Condition("k <= n", rank_margin),
)

ALGORITHM_2 = Claim(
    id="analyze-gauss.algorithm-2",
    kind=Kind.ALGORITHM,
    source=Locator(
        "analyze-gauss",
        "Algorithm 2",
        "dhat = |lambda_k| - |lambda_{k+1}| + Lap(2/eps); V_k V_k^T + E, E of variance "
        "Delta^2/(d - 2(1 + log(1/delta)/eps))^2; output Vhat_k Vhat_k^T of the top k eigenvectors",
    ),
    statement=Statement(
        "the output Vhat_k Vhat_k', eigenvectors as rows, is the projector onto their span",
        row_matrix_margin,
        given=FRAME,
    ),
    verdict=Verdict.EXECUTABLE_WITH_REPAIR,
    reading=(
        "d is the noisy gap of line 2: with the true gap the scale of the noise would be a function of the data that "
        "is not private, and line 2 idle. 'The upper triangle' includes the diagonal, as in Algorithm 1. 1 <= k < n. "
        "Judged here is what the lines compute; whether the noise suffices is `analyze-gauss.subspace-privacy`."
    ),
    because=(
        "As printed line 5 takes the eigenvectors as rows, and the output Vhat_k Vhat_k' is I_k, whatever the data.\n\n"
        "Changed lines: (1) rows of norm at most 1. (2) d is dhat. (3) nothing but dhat is released unless it exceeds "
        "the offset 2 (1 + log(1/delta)/epsilon): the square hides the sign of the bracket, so that a gap near zero, "
        "whose subspace one row can turn by 90 degrees, gets noise Delta/offset. (4) sqrt(2) times the standard "
        "deviation where a row is replaced, and Delta' of the repaired Algorithm 1, which is more than Delta for large "
        "epsilon only. (5) Vhat_k has the eigenvectors of What, not of Vhat, as columns. (6) the release is on "
        "lattices: discrete Laplace noise on the gap and discrete Gaussian noise on the projector, both rounded by "
        "fixed rules with proved errors, which are added to the sensitivities.\n\n"
        "A gap of zero has no subspace; there the release refuses, up to probability delta/2, in which a fixed matrix "
        "takes its place."
    ),
    repair=Repair(
        "release the projector only above the offset; Delta' of the repaired Algorithm 1, and sqrt(2) times it where a "
        "row is replaced; columns",
        Statement(
            "a run withholds the projector up to the offset, and adds noise of standard deviation f Delta'/(dhat - "
            "offset) above it",
            run_margin,
            instance=True,
            given=(
                *PROMISE,
                exceeds("the rounding is at most 1/1000, and not negative", rounding_margin, strict=False),
            ),
        ),
    ),
    steps=(
        Step(
            "column-matrix",
            Statement(
                "with the eigenvectors as columns it is a projector of rank k", column_matrix_margin, given=FRAME
            ),
            defect=None,
            note="what line 3 says of V_k",
        ),
    ),
)
