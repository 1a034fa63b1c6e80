"""What noise on a second moment costs the projection that is best for the sum: the second row of Table 2."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds
from dpmatrix.spec.common.spectra import disagreement
from dpmatrix.spec.sliding_window.private_window import within_bound
from dpmatrix.spec.sliding_window.projection_costs import SAME_RANK, cost


@attrs.frozen
class NoisyRelease:
    """A second moment, its noise, the projection chosen by their sum, and another one.

    Parameters
    ----------
    window, noise
        A'A and N, symmetric, d x d.
    chosen, other
        Orthogonal projections P and P* of one rank k.
    bound
        A bound on |N|.
    """

    window: fmpq_mat
    noise: fmpq_mat
    chosen: fmpq_mat
    other: fmpq_mat
    bound: Exact


def cost_of_noise(p: NoisyRelease) -> arb:
    """``2 k |N| + |A - AP*|_F^2 - |A - AP|_F^2``, with the bound for |N|."""
    extra = 2 * p.chosen.rank() * rational(p.bound)
    return arb(extra + cost(p.window, p.other) - cost(p.window, p.chosen))


def symmetric_release(p: NoisyRelease) -> arb:
    """0 when A'A and N are symmetric."""
    return disagreement(p.window, p.window.transpose()) + disagreement(p.noise, p.noise.transpose())


def bounded_noise(p: NoisyRelease) -> arb:
    """Non-negative exactly when |N| is at most the bound."""
    return within_bound(p.noise, p.bound)


def chosen_by_release(p: NoisyRelease) -> arb:
    """``Tr(P (A'A + N)) - Tr(P* (A'A + N))``."""
    published = p.window + p.noise
    return arb(cost(published, p.other) - cost(published, p.chosen))


NOISY = (
    exceeds("A'A and N are symmetric", symmetric_release, strict=False),
    SAME_RANK,
    exceeds("|N| <= bound", bounded_noise, strict=False),
    exceeds("P is no worse than P* for A'A + N", chosen_by_release, strict=False),
)
