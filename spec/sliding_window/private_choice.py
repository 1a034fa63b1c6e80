"""What theorem 16 becomes: the best projection for the private window of theorem-4, its privacy and its cost.

C~ is the signed sum of the window's noisy dyadic sums, as in `private_window`: A_W'A_W + N with |N| <= zeta outside an
event of probability beta, which no projection enters.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.noisy_choice import best_cost_slack
from dpmatrix.spec.sliding_window.private_window import WINDOW, PrivateWindow, within_bound
from dpmatrix.spec.sliding_window.projection_costs import SAME_RANK, cost
from dpmatrix.spec.sliding_window.published_windows import window_slack


@attrs.frozen
class BestChoice(PrivateWindow):
    """A release and one window of it, and a projection chosen by the published sum.

    Parameters
    ----------
    window, published
        A_W'A_W and C~, symmetric, d x d.
    chosen, other
        Orthogonal projections of one rank k: the chosen one, and any other.
    """

    window: fmpq_mat
    published: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat


def best_margin(p: BestChoice) -> arb:
    """Slack of the guarantee, of the cover and of the probability itself; and, up to noise zeta, of the cost."""
    slack = window_slack(p)
    if within_bound(p.published - p.window, p.bound) < 0:
        return slack
    return slack.min(best_cost_slack(p.window, p.chosen, p.other, p.bound))


def best_chosen_margin(p: BestChoice) -> arb:
    """Tr((I - P) C~) - Tr((I - X~) C~)."""
    return arb(cost(p.published, p.other) - cost(p.published, p.chosen))


def moments_margin(p: BestChoice) -> arb:
    """0 when A_W'A_W and C~ are symmetric and d x d."""
    if {(each.nrows(), each.ncols()) for each in (p.window, p.published)} != {(p.dimension, p.dimension)}:
        return flag(holds=False)
    return disagreement(p.window, p.window.transpose()) + disagreement(p.published, p.published.transpose())


_COMMON = (*WINDOW, exceeds("A_W'A_W and C~ are symmetric, d x d", moments_margin, strict=False), SAME_RANK)
BEST_CHOICE = (*_COMMON, exceeds("Tr((I - X~) C~) <= Tr((I - P) C~)", best_chosen_margin, strict=False))

CHANGE = (
    "rows of norm at most 1, one replaced by zero; C~ is the window's signed sum of dyadic sums with the Gaussian "
    "noise of theorem-4's repair, and the projection is computed from C~; no factor 1 +- eta"
)
PRIVATE = (
    "with s = sqrt(h+1) (z + sqrt(z^2 + 2 eps))/(2 eps), z = sqrt(2 log(1/delta)), q <= 2h + 1 the number of sums of "
    "the window and zeta = 4 s sqrt(q (d log 9 + log(2/beta))), all sums together, and all that is computed from them, "
    "are (eps, delta)-DP; with probability at least 1 - beta, for all projections of rank k at once, "
)
