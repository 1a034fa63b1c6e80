"""Bounds from below on the privacy losses that an accountant has to cover, in ball arithmetic but for the last."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dp_accounting.pld import privacy_loss_distribution
from flint import arb

from dpmatrix.privacy import DiscreteGaussianProfile, GaussianProfile, LaplaceProfile

SPACING = 1e-3


def gaussian(epsilon: float, deviation: Fraction) -> float:
    """Return the delta of Gaussian noise for sensitivity one; of k releases, with the deviation over sqrt(k)."""
    return float(GaussianProfile(1, deviation).delta(max(epsilon, 0.0)).lower())


def laplace(epsilon: float, scale: float) -> float:
    """Return the delta of Laplace noise for sensitivity one."""
    return float(LaplaceProfile(1, scale).delta(max(epsilon, 0.0)).lower())


def discrete_gaussian(epsilon: float, scale: float) -> float:
    """Return the delta of discrete Gaussian noise for sensitivity one, in one dimension."""
    return float(DiscreteGaussianProfile(1, scale**2).delta(max(epsilon, 0.0)).lower())


def responses(epsilon: float, truth: arb, count: int) -> float:
    """Return the delta of so many randomised responses together, each true with a probability above one half.

    The number of true answers tells all. Of each number that has more than the threshold the whole excess counts; one
    that is left out for being too near the threshold makes the sum smaller.
    """
    lie, factor = 1 - truth, arb(max(epsilon, 0.0)).exp()
    total = arb(0)
    for true in range(count + 1):
        excess = truth**true * lie ** (count - true) - factor * truth ** (count - true) * lie**true
        if excess > 0:
            total += math.comb(count, true) * excess
    return float(total.lower())


def subsampled_gaussian(deviation: float, rate: float, steps: int) -> Callable[[float], float]:
    """Return delta as a function of epsilon, of Poisson-subsampled Gaussian noise, a record added or removed.

    It is the optimistic estimate of dp-accounting: certified but for the floats that it computes with.
    """
    loss = privacy_loss_distribution.from_gaussian_mechanism(
        deviation,
        pessimistic_estimate=False,
        value_discretization_interval=SPACING,
        sampling_prob=rate,
        use_connect_dots=False,
    )
    return loss.self_compose(steps).get_delta_for_epsilon
