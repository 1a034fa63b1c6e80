"""Wishart profiles against simulated matrices: events decided by determinants, bounds by Clopper and Pearson.

Every interval below fails with probability at most 1e-10, and about twenty are drawn. A control is decided
with at least that confidence: the gap that it looks for exceeds the widest interval that `DRAWS` can give.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta

from dpmatrix.privacy import Adjacency, Direction, WishartProfile

DRAWS = 200_000
ERROR = 1e-10
REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE


def interval(hits):
    """Clopper-Pearson interval for a probability, of joint error `ERROR` / 2."""
    each = ERROR / 4
    lower = beta.ppf(each, hits, DRAWS - hits + 1) if hits else 0.0
    upper = beta.isf(each, hits + 1, DRAWS - hits) if hits < DRAWS else 1.0
    return float(lower), float(upper)


def log_density(matrices, record, degrees, scale):
    """Logarithm of the density of vv' + W up to a constant; minus infinity off its support."""
    shifted = matrices - np.outer(record, record)
    inside = np.linalg.eigvalsh(shifted)[:, 0] > 0
    size = len(record)
    with np.errstate(divide="ignore"):
        logarithm = np.linalg.slogdet(shifted)[1]
    value = (degrees - size - 1) / 2 * logarithm - np.trace(shifted, axis1=1, axis2=2) / (2 * scale)
    return np.where(inside, value, -np.inf)


def noise(size, degrees, scale, generator):
    normal = generator.normal(scale=np.sqrt(scale), size=(DRAWS, degrees, size))
    return normal.transpose(0, 2, 1) @ normal


def divergence_bounds(first, second, degrees, scale, epsilon, seed):
    """Interval for the divergence of vv' + W from ww' + W, of joint error `ERROR`."""
    generator = np.random.default_rng(seed)
    intervals = []
    for record in (first, second):
        released = noise(len(first), degrees, scale, generator) + np.outer(record, record)
        one, other = (log_density(released, v, degrees, scale) for v in (first, second))
        # Where neither density lives rounding has decided; such draws count for neither.
        intervals.append(interval(int(np.count_nonzero((one > other + epsilon) & np.isfinite(one)))))
    (low, high), (low_other, high_other) = intervals
    return low - np.exp(epsilon) * high_other, high - np.exp(epsilon) * low_other


@pytest.mark.parametrize("direction", Direction)
@pytest.mark.parametrize(("size", "degrees", "epsilon"), [(2, 4, 0.25), (3, 5, 0.1), (3, 4, 0.25)])
def test_one_record_in_any_dimension(size, degrees, epsilon, direction):
    record = np.full(size, size**-0.5)
    pair = (record, np.zeros(size))
    if direction is Direction.ABSENT_AGAINST_PRESENT:
        pair = pair[::-1]
    low, high = divergence_bounds(*pair, degrees, 0.5, epsilon, 17 + size + degrees)
    profile = WishartProfile(size, degrees, Fraction(1, 2), adjacency=ADD_REMOVE)
    assert low <= float(profile.hockey_stick(epsilon, direction)) <= high
    # Control: with a quarter of the noise gone the profile leaves the interval.
    quieter = WishartProfile(size, degrees, Fraction(3, 8), adjacency=ADD_REMOVE)
    assert float(quieter.hockey_stick(epsilon, direction)) > high


@pytest.mark.parametrize("angle", [0.4, np.pi / 2])
@pytest.mark.parametrize(("degrees", "epsilon"), [(3, 0.0), (3, 0.3), (5, 0.2)])
def test_replacing_one_record_stays_below_the_bound(degrees, epsilon, angle):
    first, second = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
    low, _ = divergence_bounds(first, second, degrees, 0.5, epsilon, 29)
    assert low <= float(WishartProfile(2, degrees, Fraction(1, 2)).delta(epsilon).upper())


def test_control_replacing_at_right_angles_exceeds_the_bound_of_louder_noise():
    """Power: the simulated pair is told apart better than a bound for noise three times as loud allows."""
    low, _ = divergence_bounds(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 5, 0.5, 0.2, 29)
    assert low > float(WishartProfile(2, 5, Fraction(3, 2)).delta(0.2).upper())


def test_replacing_at_right_angles_exceeds_one_record():
    """One record is not the worst for m > d + 1: two tell data sets apart better, so an interval is honest."""
    low, _ = divergence_bounds(np.array([1.0, 0.0]), np.array([0.0, 1.0]), 12, 0.5, 0.2, 31)
    assert low > float(WishartProfile(2, 12, Fraction(1, 2), adjacency=ADD_REMOVE).delta(0.2).upper())
