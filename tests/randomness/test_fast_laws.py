"""The vectorised samplers against their laws: every frequency, and the distribution function at large scales.

`DPMATRIX_LONG=1` takes 1e8 draws for each law. Frequencies are bounded by Chernoff's inequality in its exact form,
``P(n KL(observed, p) > log(2 K / error)) <= error`` over K cells. Beside it stands the chi-square test of the cells
with at least 100 expected draws; its level of 1e-13 is asymptotic, which leaves it two orders of magnitude to err.
"""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import erf, xlogy
from scipy.stats import chi2

from dpmatrix.randomness import fast_discrete
from dpmatrix.randomness.entropy import SystemEntropy
from dpmatrix.randomness.fast_bernoulli import bernoulli, bernoulli_exp
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight

SIZE = 100_000_000 if os.environ.get("DPMATRIX_LONG") else 1_000_000
BATCH = 1_000_000
ERROR = 1e-11
"""Bound on the error of one comparison; there are fewer than 80, so that the module errs with less than 1e-9."""
CONTINUITY = 1e-6
"""Above the distance between a discrete law of scale 2**30 or more and its continuous limit."""


def exponent(law, scale):
    return (lambda k: k**2 / (2 * scale**2)) if law == "discrete_gaussian" else (lambda k: np.abs(k) / scale)


def masses(law, scale):
    """Compute cells with masses above 1e-4, and the one or two tails beside them."""
    reach = math.ceil(45 * scale) + 2
    support = np.arange(0 if law == "geometric" else -reach, reach + 1)
    weights = np.exp(-exponent(law, scale)(support.astype(float)))
    weights /= math.fsum(weights)
    inner = support[weights > 1e-4]
    low, high = int(inner[0]), int(inner[-1])
    inside = (support >= low) & (support <= high)
    return low, high, np.concatenate([[weights[support < low].sum()], weights[inside], [weights[support > high].sum()]])


def histogram(law, parameter, low, high, size):
    counts = np.zeros(high - low + 3, np.int64)
    entropy = SystemEntropy()
    for _ in range(size // BATCH):
        draws = getattr(fast_discrete, law)(parameter, BATCH, entropy)
        counts += np.bincount(np.clip(draws, low - 1, high + 1) - (low - 1), minlength=len(counts))
    return counts


def largest_divergence(counts, law):
    """Compute the largest ``n KL`` of a cell's frequency from its mass; infinite if a cell of mass zero was hit."""
    size, shares = counts.sum(), counts / counts.sum()
    with np.errstate(divide="ignore"):
        inside, outside = xlogy(shares, shares / law), xlogy(1 - shares, (1 - shares) / (1 - law))
    return float(np.max(size * (inside + outside)))


SCALES = [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(10), Fraction(101, 3)]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("law", ["geometric", "discrete_laplace", "discrete_gaussian"])
def test_every_frequency(law, scale):
    low, high, expected = masses(law, float(scale))
    counts = histogram(law, scale**2 if law == "discrete_gaussian" else scale, low, high, SIZE)
    cells = expected > 1e-300
    assert counts[~cells].sum() == 0
    counts, expected = counts[cells], expected[cells]
    if len(expected) > 1:
        assert largest_divergence(counts, expected) <= math.log(2 * len(expected) / ERROR)
        large = SIZE * expected >= 100
        statistic = float((((counts - SIZE * expected) ** 2 / (SIZE * expected))[large]).sum())
        assert chi2.sf(statistic, max(int(large.sum()) - 1, 1)) >= ERROR / 100


@pytest.mark.parametrize("law", ["geometric", "discrete_laplace", "discrete_gaussian"])
def test_control_two_per_cent_of_scale_are_seen(law):
    # The mass beyond 10 differs by more than 0.007, which is 29 standard deviations; the bound is at 8:
    # missed with probability below 1e-90.
    low, high, expected = masses(law, 10.2)
    counts = histogram(law, Fraction(100) if law == "discrete_gaussian" else Fraction(10), low, high, 4_000_000)
    lumped = np.abs(np.arange(low - 1, high + 2)) > 10
    shares = np.array([counts[lumped].sum(), counts[~lumped].sum()])
    mass = np.array([expected[lumped].sum(), expected[~lumped].sum()])
    assert largest_divergence(shares, mass) > math.log(2 * len(expected) / ERROR)


def cdf(law, scale):
    if law == "discrete_gaussian":
        return lambda values: (1 + erf(values / (math.sqrt(2) * scale))) / 2
    if law == "geometric":
        return lambda values: -np.expm1(-values / scale)
    return lambda values: np.where(values < 0, 0.5 * np.exp(-np.abs(values) / scale), 1 - 0.5 * np.exp(-values / scale))


def distance(draws, law, scale):
    values = np.sort(draws.astype(np.float64))
    exact = cdf(law, scale)(values)
    ranks = np.arange(len(values) + 1) / len(values)
    return float(max(np.max(np.abs(exact - ranks[1:])), np.max(np.abs(exact - ranks[:-1]))))


@pytest.mark.parametrize("scale", [Fraction(2**30), Fraction(2**40), Fraction(2**40 - 1, 3)])
@pytest.mark.parametrize("law", ["geometric", "discrete_laplace", "discrete_gaussian"])
def test_distribution_function_at_a_large_scale(law, scale):
    # Massart: the empirical CDF is further away with probability at most ERROR.
    size = min(SIZE, 4_000_000)
    draws = getattr(fast_discrete, law)(scale**2 if law == "discrete_gaussian" else scale, size, SystemEntropy())
    assert distance(draws, law, float(scale)) <= math.sqrt(math.log(2 / ERROR) / (2 * size)) + CONTINUITY


@pytest.mark.parametrize("law", ["geometric", "discrete_laplace", "discrete_gaussian"])
def test_control_five_per_cent_of_a_large_scale_are_seen(law):
    # The laws are 0.0092 or more apart; twice the radius is 0.0072 at 1e6 draws: missed with probability below 1e-11.
    scale = Fraction(2**40)
    draws = getattr(fast_discrete, law)(scale**2 if law == "discrete_gaussian" else scale, 1_000_000, SystemEntropy())
    assert distance(draws, law, 1.05 * float(scale)) > math.sqrt(math.log(2 / ERROR) / 2_000_000) + CONTINUITY


@pytest.mark.parametrize("law", ["discrete_laplace", "discrete_gaussian"])
def test_low_bits_are_uniform_at_a_large_scale(law):
    # The parity and the next 7 bits of a law of scale 2**36 are uniform to 2**-28; Hoeffding, 8 events.
    scale = Fraction(2**36 + 1)
    draws = getattr(fast_discrete, law)(scale**2 if law == "discrete_gaussian" else scale, 1_000_000, SystemEntropy())
    radius = math.sqrt(math.log(16 / ERROR) / 2_000_000) + 2.0**-28
    assert all(abs(np.mean(draws >> position & 1) - 0.5) <= radius for position in range(8))


@pytest.mark.parametrize(
    ("draw", "parameter", "expected"),
    [
        (bernoulli, Fraction(1, 3), 1 / 3),
        (bernoulli, Fraction(1, 10**6), 1e-6),
        (bernoulli_exp, Fraction(1, 2), math.exp(-0.5)),
        (bernoulli_exp, Fraction(7), math.exp(-7)),
    ],
)
def test_bernoulli_frequency(draw, parameter, expected):
    count = sum(int(draw(parameter, BATCH, SystemEntropy()).sum()) for _ in range(SIZE // BATCH))
    assert largest_divergence(np.array([count, SIZE - count]), np.array([expected, 1 - expected])) <= math.log(
        4 / ERROR
    )


def test_control_bernoulli_of_another_probability_is_seen():
    # 0.36 against 1/3 at 1e6 draws: 56 standard deviations.
    count = int(bernoulli(Fraction(36, 100), BATCH, SystemEntropy()).sum())
    assert largest_divergence(np.array([count, BATCH - count]), np.array([1 / 3, 2 / 3])) > math.log(4 / ERROR)


@pytest.mark.parametrize("law", ["discrete_laplace", "discrete_gaussian"])
def test_the_tail_goes_on_with_its_law(law):
    """The scalar path of the tail, in a layout where it begins early. Massart, as above."""
    size, scale = 40_000, 3 if law == "discrete_laplace" else 4
    laplace = Weight(Fraction(1, scale), Fraction(0))
    gaussian = Weight(Fraction(0), Fraction(1, 2 * scale**2))
    weight, cutoff = (laplace, 4) if law == "discrete_laplace" else (gaussian, 3)
    sampler = RectangleSampler(weight, Layout(block_bits=0, slot_bits=5, cutoff=Fraction(cutoff)))
    draws = sampler.draw((size,), SystemEntropy())
    support = np.arange(-300, 301)
    weights = np.exp(-exponent(law, scale)(support.astype(float)))
    distribution = np.cumsum(weights) / weights.sum()
    observed = np.searchsorted(np.sort(draws), support, side="right") / size
    assert np.max(np.abs(observed - distribution)) <= math.sqrt(math.log(2 / ERROR) / (2 * size))
    # The tail's mass is above 1 per cent: 400 draws are expected, fewer than 200 have probability below 1e-24.
    assert np.sum((draws >= sampler.tables.reach) | (draws < -sampler.tables.reach)) >= 200
