"""Gaussian noise, with a delta or without one."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import Array, faulty, right
from audit.strangers.truth import gaussian_epsilon

CHANGE = "column 0 is a change between -1 and 1"
ROWS = "records are points of the unit ball"
CLASSIC = math.sqrt(2 * math.log(1.25 / 1e-5))


@faulty("Normal noise has no pure epsilon: its tails are too thin.", reads=CHANGE, exactly=math.inf)
def normal_total(data: Array, generator: Generator) -> float:
    """A physicist adds up changes and takes the noise that physicists take."""
    epsilon = 1.0
    return float(data[:, 0].sum() + generator.normal(scale=2 / epsilon))


@faulty("The noise is that for delta = 0.05, and the delta is forgotten in the claim.", reads=CHANGE, exactly=math.inf)
def total_without_delta(data: Array, generator: Generator) -> float:
    """A consultant takes over a formula and tells the customer its epsilon."""
    epsilon, delta = 1.0, 0.05
    scale = 2 * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    return float(data[:, 0].sum() + generator.normal(scale=scale))


@faulty(
    "The variance is passed for the standard deviation, and for a mean it is the smaller of the two.",
    reads=CHANGE,
    delta=1e-5,
    exactly=gaussian_epsilon(0.1, (0.1 * CLASSIC) ** 2, 1e-5),
)
def mean_change(data: Array, generator: Generator) -> float:
    """A bank publishes the mean change of its accounts with a noise given by its variance."""
    epsilon, delta = 1.0, 1e-5
    sensitivity = 2 / len(data)
    variance = (sensitivity / epsilon) ** 2 * 2 * math.log(1.25 / delta)
    return float(data[:, 0].mean() + generator.normal(0, variance))


@faulty(
    "The factor with the logarithm of delta is missing.",
    reads=CHANGE,
    delta=1e-5,
    exactly=gaussian_epsilon(2.0, 2.0, 1e-5),
)
def total_change(data: Array, size: int, generator: Generator) -> Array:
    """A bank publishes the total change of its accounts for epsilon = 1 and delta = 1e-5."""
    epsilon = 1.0
    return np.asarray(data[:, 0].sum() + generator.normal(scale=2 / epsilon, size=size))


@faulty(
    "The sensitivity 1 is that for a record more or less; one record for another moves X'X by the root of 2.",
    reads=ROWS,
    delta=1e-5,
    exactly=gaussian_epsilon(math.sqrt(2), CLASSIC, 1e-5),
)
def covariance(data: Array, generator: Generator) -> Array:
    """A statistician publishes X'X with symmetric Gaussian noise, of a fixed number of records."""
    epsilon, delta = 1.0, 1e-5
    scale = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    noise = np.triu(generator.normal(scale=scale, size=(3, 3)))
    return np.asarray(data.T @ data + noise + np.triu(noise, 1).T)


@right(reads=ROWS, delta=1e-5)
def covariance_replaced(data: Array, generator: Generator) -> Array:
    """A statistician publishes X'X with symmetric Gaussian noise, of a fixed number of records.

    The Frobenius norm of xx' - yy' is at most the root of 2, and that of its upper triangle no more. The classic scale
    for it suffices at epsilon = 1, as the exact formula of normal noise shows.
    """
    epsilon, delta = 1.0, 1e-5
    scale = math.sqrt(2) * math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    noise = np.triu(generator.normal(scale=scale, size=(3, 3)))
    return np.asarray(data.T @ data + noise + np.triu(noise, 1).T)


@right(reads=ROWS, delta=0.01, exactly=1.0)
def sums_with_exact_scale(data: Array, generator: Generator) -> Array:
    """A statistician publishes three sums, each with the noise of a single one.

    One record moves the vector of sums by at most 2 in the Euclidean norm, and normal noise only knows that norm. The
    scale is the least one for epsilon and delta: the formula is exact, and its root is rounded up.
    """
    epsilon, delta, low, high = 1.0, 0.01, 0.1, 100.0
    for _ in range(50):
        middle = (low + high) / 2
        shift = 2 / middle
        tails = [math.erfc((epsilon / shift - side * shift / 2) / math.sqrt(2)) / 2 for side in (1, -1)]
        low, high = (low, middle) if tails[0] - math.exp(epsilon) * tails[1] <= delta else (middle, high)
    return np.asarray(data.sum(axis=0) + generator.normal(scale=high, size=3))


@faulty(
    "Six releases, each with all of epsilon and delta, are claimed to be one.",
    reads=ROWS,
    delta=0.01,
    exactly=gaussian_epsilon(math.sqrt(6), math.sqrt(2 * math.log(1.25 / 0.01)), 0.01),
)
def accounts_up_and_down(data: Array, generator: Generator) -> Array:
    """A bank publishes how many accounts rose and how many fell, in each of three months."""
    epsilon, delta = 1.0, 0.01
    scale = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
    counts = np.concatenate([(data > 0).sum(axis=0), (data < 0).sum(axis=0)])
    return np.array([count + generator.normal(scale=scale) for count in counts])
