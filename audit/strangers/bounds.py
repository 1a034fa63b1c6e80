"""Medians, missing values, private bounds, and samples of the data."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import Array, faulty, right

RENT = "column 0 is a rent, -1 and 1 standing for 0 and 1"
SCORE = "a positive column 0 is a score, and any other is missing"
E = math.e


@faulty("A median can move by half of the range with one record, not by the range over n.", reads=RENT, exactly=10.0)
def median_rent(data: Array, generator: Generator) -> float:
    """A city publishes its median rent."""
    epsilon = 1.0
    rents = (1 + data[:, 0]) / 2
    return float(np.median(rents) + generator.laplace(scale=1 / (len(rents) * epsilon)))


@right(reads=RENT)
def median_rent_drawn(data: Array, generator: Generator) -> float:
    """A city publishes its median rent from a list of nine, drawn with probability ~ exp(-epsilon |rank error| / 2).

    One rent changes the number of rents below any candidate by at most 1, and so its utility. The exponent has the
    factor 1/2 that the sum of weights needs.
    """
    epsilon = 1.0
    rents = (1 + data[:, 0]) / 2
    candidates = np.arange(1, 10) / 10
    below = (rents[:, None] < candidates).sum(axis=0)
    utility = -np.abs(below - len(rents) / 2)
    weights = np.exp(epsilon * (utility - utility.max()) / 2)
    return float(generator.choice(candidates, p=weights / weights.sum()))


@faulty(
    "The noise has the local sensitivity of these data for its scale, which is no secret then and may be 0.",
    reads=RENT,
    exactly=math.inf,
)
def median_rent_local(data: Array, generator: Generator) -> float:
    """A city publishes its median rent with no more noise than these data need."""
    epsilon = 1.0
    rents = np.sort((1 + data[:, 0]) / 2)
    middle = len(rents) // 2
    local = max(rents[middle + 1] - rents[middle - 1], rents[middle] - rents[middle - 2]) / 2
    return float(np.median(rents) + generator.laplace(scale=local / epsilon))


@faulty("The bounds are percentiles of the data, and so is the scale of the noise.", reads=RENT, exactly=math.inf)
def winsorised_rent(data: Array, generator: Generator) -> float:
    """A city publishes its mean rent with the ends cut off at the 10th and the 90th percentile."""
    epsilon = 1.0
    rents = (1 + data[:, 0]) / 2
    low, high = np.percentile(rents, [10, 90])
    mean = np.clip(rents, low, high).mean()
    return float(mean + generator.laplace(scale=(high - low) / (len(rents) * epsilon)))


@right(reads="the absolute value of column 0 is a rent between 0 and 1")
def rent_below_private_bound(data: Array, generator: Generator) -> float:
    """A city publishes its mean rent, clipped to a bound that it draws from the data first.

    The bound costs epsilon / 2: the number of rents above a candidate moves by at most 1, and the exponent has its
    factor 1/2. Whatever it is, the mean of rents clipped to it moves by bound / n, and costs the other half.
    """
    epsilon = 1.0
    rents = np.abs(data[:, 0])
    candidates = np.array([0.25, 0.5, 0.75, 1.0])
    utility = -np.abs((rents[:, None] > candidates).sum(axis=0) - 2)
    weights = np.exp((epsilon / 2) * (utility - utility.max()) / 2)
    bound = generator.choice(candidates, p=weights / weights.sum())
    return float(np.minimum(rents, bound).mean() + generator.laplace(scale=bound / (len(rents) * epsilon / 2)))


@faulty(
    "How many answered is exact, in the divisor and in the scale, and nobody's answers get no noise.",
    reads=SCORE,
    exactly=math.inf,
)
def score_of_those_who_answered(data: Array, generator: Generator) -> float:
    """A hotel publishes the mean score of the guests who left one."""
    epsilon = 1.0
    scores = data[data[:, 0] > 0, 0]
    if len(scores) == 0:
        return 0.0
    return float(scores.mean() + generator.laplace(scale=1 / (len(scores) * epsilon)))


@faulty(
    "The value for the gaps is an exact mean, so that one score is counted up to twenty times.",
    reads=SCORE,
    exactly=20.0,
)
def score_with_gaps_filled(data: Array, generator: Generator) -> float:
    """A hotel adds up scores between 0 and 1 and fills the gaps with the mean of the others."""
    epsilon = 1.0
    given = data[:, 0] > 0
    fill = data[given, 0].mean() if given.any() else 0.0
    scores = np.where(given, data[:, 0], fill)
    return float(scores.sum() + generator.laplace(scale=1 / epsilon))


@right(reads=SCORE, exactly=1.0)
def score_with_gaps_at_zero(data: Array, generator: Generator) -> float:
    """A hotel publishes the mean score of all its guests and counts a missing one as 0.

    The number of guests is public, and each of them contributes between 0 and 1, missing or not. From a gap to 1 the
    mean moves by 1/n, which the scale pays for.
    """
    epsilon = 1.0
    scores = np.where(data[:, 0] > 0, data[:, 0], 0.0)
    return float(scores.mean() + generator.laplace(scale=1 / (len(scores) * epsilon)))


@faulty(
    "Amplification by sampling is claimed for the first half of the file, which is no random sample.",
    reads=RENT,
    exactly=math.log(1 + 2 * (E - 1)),
)
def first_half(data: Array, generator: Generator) -> float:
    """A city saves work and adds up the rents in the first half of its file."""
    epsilon, rate = 1.0, 0.5
    inner = math.log(1 + (math.exp(epsilon) - 1) / rate)
    sample = (1 + data[: int(rate * len(data)), 0]) / 2
    return float(sample.sum() + generator.laplace(scale=1 / inner))


@right(reads=RENT, exactly=1.0)
def random_half(data: Array, generator: Generator) -> float:
    """A city saves work and adds up the rents in a random half of its file.

    A record is in a sample without replacement with probability 1/2, so that an inner epsilon of log(1 + 2 (e - 1))
    becomes log(1 + (exp(inner) - 1) / 2) = 1. If all other rents are 0 the tails lose all of it.
    """
    epsilon, rate = 1.0, 0.5
    inner = math.log(1 + (math.exp(epsilon) - 1) / rate)
    chosen = generator.permutation(len(data))[: int(rate * len(data))]
    sample = (1 + data[chosen, 0]) / 2
    return float(sample.sum() + generator.laplace(scale=1 / inner))


@faulty("A bootstrap sample may hold a record more than once.", reads=RENT, at_least=20 * math.log(1 + (E - 1) / 20))
def bootstrap_total(data: Array, generator: Generator) -> float:
    """A city adds up the rents of a bootstrap sample of its file."""
    epsilon = 1.0
    sample = (1 + generator.choice(data[:, 0], size=len(data))) / 2
    return float(sample.sum() + generator.laplace(scale=1 / epsilon))


@faulty("The answer is rounded to steps that are read off the data, and the steps show.", reads=RENT, exactly=math.inf)
def rounded_rent(data: Array, generator: Generator) -> float:
    """A city publishes its mean rent, rounded to a fiftieth of the range of its rents."""
    epsilon = 1.0
    rents = (1 + data[:, 0]) / 2
    noisy = rents.mean() + generator.laplace(scale=1 / (len(rents) * epsilon))
    step = np.ptp(rents) / 50
    return float(round(noisy / step) * step) if step > 0 else float(noisy)
