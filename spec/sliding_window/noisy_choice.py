"""What Theorems 6 and 7 become: a projection chosen by a second moment with little noise, and its cost."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least, exceeds
from dpmatrix.spec.sliding_window.loewner import are_symmetric, flag
from dpmatrix.spec.sliding_window.private_window import within_bound
from dpmatrix.spec.sliding_window.projection_costs import SAME_RANK, cost


@attrs.frozen
class NoisyChoice:
    """A published matrix near A_W'A_W, and a projection chosen by it.

    Parameters
    ----------
    window, published
        A_W'A_W and C~, symmetric, d x d.
    chosen, other
        Orthogonal projections of one rank k: the chosen one, and any other.
    bound
        zeta, a bound on the norm of C~ - A_W'A_W.
    gamma
        The cost of the chosen one, as a norm, is at most gamma times that of the other one under C~.
    """

    window: fmpq_mat
    published: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    bound: Exact
    gamma: Exact = 1


def noisy_cost_margin(p: NoisyChoice) -> arb:
    """gamma^2 cost(X) + ((gamma^2 - 1)(d - k) + 2 min(k, d - k)) zeta - cost(P), the costs those of A_W."""
    factor, k, d = rational(p.gamma) ** 2, p.chosen.rank(), p.window.nrows()
    extra = ((factor - 1) * (d - k) + 2 * min(k, d - k)) * rational(p.bound)
    return arb(factor * cost(p.window, p.other) + extra - cost(p.window, p.chosen))


def best_cost_slack(window: fmpq_mat, chosen: fmpq_mat, other: fmpq_mat, bound: Exact) -> arb:
    """cost(X) + 2 min(k, d - k) zeta - cost(P), the costs those of A_W."""
    k, d = chosen.rank(), window.nrows()
    return arb(cost(window, other) + 2 * min(k, d - k) * rational(bound) - cost(window, chosen))


def best_cost_margin(p: NoisyChoice) -> arb:
    """`best_cost_slack` of a choice."""
    return best_cost_slack(p.window, p.chosen, p.other, p.bound)


def best_margin(p: NoisyChoice) -> arb:
    """Tr((I - X) C~) - Tr((I - P) C~)."""
    return arb(cost(p.published, p.other) - cost(p.published, p.chosen))


def preferred_margin(p: NoisyChoice) -> arb:
    """gamma^2 Tr((I - X) C~) - Tr((I - P) C~)."""
    return arb(rational(p.gamma) ** 2 * cost(p.published, p.other) - cost(p.published, p.chosen))


def noise_margin(p: NoisyChoice) -> arb:
    """Non-negative exactly when C~ - A_W'A_W has norm at most zeta."""
    return within_bound(p.published - p.window, p.bound)


def moments_margin(p: NoisyChoice) -> arb:
    """0 when A_W'A_W and C~ are symmetric, of one order."""
    return flag(are_symmetric((p.window, p.published), p.window.nrows()))


NEAR = (
    exceeds("A_W'A_W and C~ are symmetric, d x d", moments_margin, strict=False),
    SAME_RANK,
    exceeds("|C~ - A_W'A_W| <= zeta", noise_margin, strict=False),
)
BEST_CHOICE = (*NEAR, exceeds("Tr((I - P) C~) <= Tr((I - X) C~)", best_margin, strict=False))
NOISY_CHOICE = (
    *NEAR,
    at_least("gamma", 1),
    exceeds("Tr((I - P) C~) <= gamma^2 Tr((I - X) C~)", preferred_margin, strict=False),
)
