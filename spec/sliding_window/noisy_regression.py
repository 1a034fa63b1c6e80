"""What Theorem 8 becomes: the regression that is best for a near second moment with a ridge, and its cost."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Repair, Statement
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import identity
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag, scaled
from dpmatrix.spec.sliding_window.private_window import within_bound


@attrs.frozen
class NoisyRegression:
    """The second moment of a window (A_W, B_W), a published matrix near it, and two solutions.

    Parameters
    ----------
    window, published
        K = (A_W B_W)'(A_W B_W) and C~, symmetric, of order d + p.
    chosen, other
        X~ and X, d x p.
    bound
        zeta, a bound on the norm of C~ - K.
    """

    window: fmpq_mat
    published: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    bound: Exact


def stacked(solution: fmpq_mat) -> fmpq_mat:
    """``(X; -I)``, (d + p) x p."""
    return fmpq_mat([*solution.tolist(), *(-identity(solution.ncols())).tolist()])


def regression_cost(moment: fmpq_mat, solution: fmpq_mat) -> fmpq:
    """``Tr((X; -I)' M (X; -I))``: |A X - B|_F^2 when M is the second moment of (A, B)."""
    ends = stacked(solution)
    square = ends.transpose() * moment * ends
    return sum((square[k, k] for k in range(square.nrows())), fmpq(0))


def ridged(p: NoisyRegression) -> fmpq_mat:
    """``C~ + zeta I``."""
    return p.published + scaled(p.bound, identity(p.published.nrows()))


def noisy_regression_margin(p: NoisyRegression) -> arb:
    """``|A_W X - B_W|^2 + 2 zeta (|X|_F^2 + p) - |A_W X~ - B_W|^2``."""
    size = regression_cost(identity(p.window.nrows()), p.other)
    extra = 2 * rational(p.bound) * size
    return arb(regression_cost(p.window, p.other) + extra - regression_cost(p.window, p.chosen))


def shapes_margin(p: NoisyRegression) -> arb:
    """0 when K and C~ are symmetric, of order d + p, and X~ and X d x p."""
    features, responses = p.chosen.nrows(), p.chosen.ncols()
    alike = (p.other.nrows(), p.other.ncols()) == (features, responses)
    return flag(alike and are_symmetric((p.window, p.published), features + responses))


def fitting(p: NoisyRegression) -> bool:
    """Whether all shapes fit, without which no cost is defined."""
    return bool(shapes_margin(p) >= 0)


def noise_margin(p: NoisyRegression) -> arb:
    """Non-negative exactly when C~ - K has norm at most zeta."""
    return within_bound(p.published - p.window, p.bound) if fitting(p) else arb(-1)


def chosen_margin(p: NoisyRegression) -> arb:
    """Cost of X less that of X~, both under C~ + zeta I."""
    if not fitting(p):
        return arb(-1)
    return arb(regression_cost(ridged(p), p.other) - regression_cost(ridged(p), p.chosen))


NEAR_REGRESSION = Repair(
    "rows (a, b) of norm at most 1, one replaced by zero; C~ is the window as a signed sum of sums over blocks of 1, "
    "2, 4, ..., 2^h rows with the Gaussian noise of theorem-4's repair, of order d + p; X~ is the best for C~ + zeta "
    "I; no factor 1/(1-eta), and 2 zeta (|X|_F^2 + p), in which the length of the other solution stands",
    Statement(
        "wherever the noise of the window has norm at most zeta, the X~ with the least Tr(Y'(C~ + zeta)Y), Y = (X; "
        "-I), has |A_W X~ - B_W|_F^2 <= |A_W X - B_W|_F^2 + 2 zeta (|X|_F^2 + p) for every X",
        noisy_regression_margin,
        given=(
            exceeds("K and C~ are symmetric, of order d + p, and X~ and X d x p", shapes_margin, strict=False),
            exceeds("|C~ - K| <= zeta", noise_margin, strict=False),
            exceeds("X~ costs no more than X under C~ + zeta I", chosen_margin, strict=False),
        ),
    ),
)
