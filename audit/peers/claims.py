"""All claims that the same noise makes, for an auditor that tries others than the one that a mechanism states.

A claim needs an amount of noise, by the rule by which the mechanism is calibrated; the greater the amount, the stronger
the claim. Delta-Siege calls that the guarantee, and refutes a mechanism by any claim that needs no more noise than it
has. What is refuted there need not be the stated claim: a rule may promise more elsewhere than there.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from attrs import field, frozen

STEPS, FEW_STEPS = 900, 90
"""Numbers of deltas that Delta-Siege tries, of noise on a number and of noise on counts."""


@frozen
class Claims:
    """The claims of one amount of noise.

    Attributes
    ----------
    needed
        Maps epsilon > 0 and delta to the noise that they need; non-increasing in both.
    epsilon_at
        Maps a delta to the least epsilon that is claimed with it; None if there is none.
    steps
        Number of deltas to try.
    """

    needed: Callable[[float, float], float]
    epsilon_at: Callable[[float], float | None]
    steps: int = field(default=STEPS)


def pure(epsilon: float) -> Claims:
    """Return the claims of a mechanism with delta = 0: the one that it states."""
    return Claims(lambda other, _: 1 / other, lambda delta: None if delta else epsilon)


def classic(deviation: float) -> Claims:
    """Return the claims of normal noise by the textbook's rule, which is for epsilon up to 1; for a shift by 1."""

    def needed(epsilon: float, delta: float) -> float:
        return math.sqrt(2 * math.log(1.25 / delta)) / epsilon if delta > 0 else math.inf

    def epsilon_at(delta: float) -> float | None:
        if delta <= 0:
            return None
        found = math.sqrt(2 * math.log(1.25 / delta)) / deviation
        return found if found <= 1 else None

    return Claims(needed, epsilon_at)


def least(delta_of: Callable[[float, float], float], noise: float, most: float, steps: int = STEPS) -> Claims:
    """Return the claims that hold, where the delta of a noise at an epsilon is known.

    Parameters
    ----------
    delta_of
        Maps noise and epsilon to the least delta; decreasing in both.
    noise
        Of the mechanism.
    most
        More noise than any that is asked for; an epsilon that needs more counts as needing this.
    steps
        As in `Claims`.
    """

    def needed(epsilon: float, delta: float) -> float:
        if delta <= 0:
            return math.inf
        return 0.0 if delta >= 1 else crossing(lambda tried: delta_of(tried, epsilon) - delta, 1e-3, most)

    def epsilon_at(delta: float) -> float | None:
        if not 0 < delta < 1:
            return None
        return crossing(lambda epsilon: delta_of(noise, epsilon) - delta, 0.0, 50.0)

    return Claims(needed, epsilon_at, steps)


def crossing(function: Callable[[float], float], low: float, high: float, relative: float = 1e-9) -> float:
    """Return where a decreasing function is no longer positive, or an end of the interval."""
    if function(low) <= 0:
        return low
    while high - low > relative * high:
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return high


def normal_delta(deviation: float, epsilon: float) -> float:
    """Return the least delta at which normal noise hides a shift by 1."""
    above, below = (math.erfc((epsilon * deviation - side / (2 * deviation)) / math.sqrt(2)) / 2 for side in (1, -1))
    return above - math.exp(epsilon) * below


def integer_delta(variance: float, epsilon: float, reach: int = 60) -> float:
    """Return the least delta at which discrete normal noise hides a shift by 1."""
    places = np.arange(-reach, reach + 2)
    weights = np.exp(-(places**2) / (2 * variance))
    chances = weights / weights.sum()
    return float(np.maximum(0.0, chances[:-1] - math.exp(epsilon) * chances[1:]).sum())


ORDERS = 1 + np.logspace(-2, 4, 400)


def concentrated_delta(noise: float, epsilon: float) -> float:
    """Return a delta that concentrated privacy with rho = 1 over the noise gives, by Canonne, Kamath and Steinke."""
    exponents = (ORDERS - 1) * (ORDERS / noise - epsilon) + ORDERS * np.log1p(-1 / ORDERS) - np.log(ORDERS - 1)
    return math.exp(min(0.0, float(exponents.min())))
