"""What theorems 7 and 16 become: a projection computed from the private window of theorem-4, its privacy and its cost.

C~ is the signed sum of the window's noisy dyadic sums, as in `private_window`: A_W'A_W + N with |N| <= zeta outside an
event of probability beta, which no projection enters.
"""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.conditions import exceeds
from dpmatrix.spec.sliding_window.loewner import flag
from dpmatrix.spec.sliding_window.private_window import WINDOW, PrivateWindow, release_slack, within_bound
from dpmatrix.spec.sliding_window.projection_costs import SAME_RANK, cost
from dpmatrix.spec.wishart.spectra import disagreement


@attrs.frozen
class PrivateChoice(PrivateWindow):
    """A release and one window of it, and a projection chosen by the published sum.

    Parameters
    ----------
    window, published
        A_W'A_W and C~, symmetric, d x d.
    chosen, other
        Orthogonal projections of one rank k: the chosen one, and any other.
    gamma
        The cost of the chosen one, as a norm, is at most gamma times that of the other one under C~.
    """

    window: fmpq_mat
    published: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    gamma: Exact = 1


def cost_margin(p: PrivateChoice) -> arb:
    """gamma^2 cost(X) + (1 + gamma^2)(d - k) zeta - cost(P), the costs those of A_W."""
    factor = rational(p.gamma) ** 2
    extra = (1 + factor) * (p.dimension - p.chosen.rank()) * rational(p.bound)
    return arb(factor * cost(p.window, p.other) + extra - cost(p.window, p.chosen))


def approximate_margin(p: PrivateChoice) -> arb:
    """Slack of the release: promise, cover and probability; and, up to noise zeta, of the cost."""
    near, slack = within_bound(p.published - p.window, p.bound), release_slack(p)
    if near < 0:
        return slack
    return slack.min(cost_margin(p)) if near >= 0 else arb("nan")


def best_margin(p: PrivateChoice) -> arb:
    """The same with gamma = 1."""
    return approximate_margin(attrs.evolve(p, gamma=1))


def chosen_margin(p: PrivateChoice) -> arb:
    """gamma^2 Tr((I - X) C~) - Tr((I - P) C~)."""
    return arb(rational(p.gamma) ** 2 * cost(p.published, p.other) - cost(p.published, p.chosen))


def best_chosen_margin(p: PrivateChoice) -> arb:
    """Tr((I - P) C~) - Tr((I - X~) C~)."""
    return chosen_margin(attrs.evolve(p, gamma=1))


def moments_margin(p: PrivateChoice) -> arb:
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
    "with s, q and zeta of theorem-4's repair, all sums together, and all that is computed from them, are (eps, delta)"
    "-DP; with probability at least 1 - beta, for all projections of rank k at once, "
)
