"""True privacy of the specimens, in floating point: from profiles, closed forms and quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from flint import arb

from audit.zoo.specimen import Truth
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.exact import Exact, Real, fraction
from dpmatrix.privacy.profiles.protocol import PrivacyProfile

_STEPS = 60
_PANEL_NODES = 24
_REACH = 60.0


def as_float(value: Real) -> float:
    """Return the float nearest to a number, or one within an ulp of a ball's upper end."""
    return float(value.upper()) if isinstance(value, arb) else float(fraction(value))


def ratio_truth(sensitivity: Real, scale: float) -> Truth:
    """Return the truth of Laplace noise, which is (s/b, 0)-private and no better."""
    return Truth(as_float(sensitivity) / scale)


def certain_truth(delta: float, *, exact: bool = True) -> Truth:
    """Return the truth where an event of positive probability is impossible on a neighbour, with the least delta."""
    return Truth(math.inf, delta, exact)


def least_epsilon(delta_at: Callable[[float], float], delta: float) -> float:
    """Invert a non-increasing profile by bisection; infinite if a thousand is not enough."""
    low, high = 0.0, 1.0
    while delta_at(high) > delta:
        low, high = high, 2 * high
        if high > 1000:
            return math.inf
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if delta_at(middle) <= delta else (middle, high)
    return high


def profile_truth(profile: PrivacyProfile, epsilon: Exact, delta: Exact, *, exact: bool = True) -> Truth:
    """Return the truth of a mechanism whose profile is known exactly."""

    def delta_at(at: float) -> float:
        return float(profile.delta(at).mid())

    slack = float(fraction(delta))
    return Truth(least_epsilon(delta_at, slack), delta_at(float(fraction(epsilon))), exact)


def quadrature(breaks: tuple[float, ...], reach: float = _REACH) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on panels over [-reach, reach].

    Panels are half a unit wide near zero, so that kinks at multiples of one half fall on their ends, and end at
    ``breaks`` too.
    """
    inner = np.arange(-12.0, 12.01, 0.5)
    outer = np.geomspace(12.0, reach, 24)
    ends = np.unique(np.concatenate([-outer, inner, outer, np.asarray(breaks, dtype=np.float64)]))
    points, weights = np.polynomial.legendre.leggauss(_PANEL_NODES)
    half, middle = np.diff(ends) / 2, (ends[1:] + ends[:-1]) / 2
    return (middle[:, None] + half[:, None] * points).ravel(), (half[:, None] * weights).ravel()


def laplace_density(points: FloatArray, scale: float) -> FloatArray:
    """Return the density of Laplace noise."""
    return np.asarray(np.exp(-np.abs(points) / scale) / (2 * scale))


def laplace_survival(points: FloatArray, scale: float) -> FloatArray:
    """Return the probability that Laplace noise exceeds a point."""
    tail = np.exp(-np.abs(points) / scale) / 2
    return np.where(points >= 0, tail, 1.0 - tail)


def finite_truth(laws: list[FloatArray], epsilon: float, *, exact: bool = True) -> Truth:
    """Return the truth at delta = 0 of finitely many laws on the same finitely many outcomes, all neighbours.

    Parameters
    ----------
    laws
        Shape (k,) each: probabilities.
    epsilon
        The claim.
    exact
        As in `Truth`.
    """
    table = np.array(laws)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(table)
        losses = logs[:, None] - logs[None, :]
    losses[np.isnan(losses)] = 0.0
    excess = np.maximum(table[:, None] - math.exp(epsilon) * table[None, :], 0.0).sum(axis=2)
    return Truth(float(losses.max()), float(excess.max()), exact)
