"""What the owners of meters and sensors publish."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audit.strangers.record import ADD_REMOVE, Array, faulty, right
from audit.strangers.truth import gaussian_epsilon

Generator = np.random.Generator


@faulty(
    "Whole-numbered noise on a sum that is no whole number leaves its digits after the point.",
    reads="column 0 is the energy used, scaled to [-1, 1]",
    epsilon=1.0,
    exactly=math.inf,
)
def energy_in_units(data: Array, generator: Generator) -> float:
    """A utility publishes the energy used, which a household moves by two, with geometric noise."""
    stop = 1 - math.exp(-1.0 / 2)
    noise = int(generator.geometric(stop)) - int(generator.geometric(stop))
    return round(float(np.sum(data[:, 0])) + noise, 3)


@faulty(
    "The noise is in proportion to the local sensitivity, which a neighbour changes tenfold.",
    reads="column 0 is the deviation of the voltage, in [-1, 1]",
    epsilon=1.0,
    exactly=math.inf,
    note="Infinite in the far tails only; within 0.15 of the median the loss is above 1.7.",
)
def median_voltage(data: Array, generator: Generator) -> float:
    """A grid operator publishes the median voltage, with noise for how far a single meter can move it."""
    ordered = np.sort(data[:, 0])
    middle = len(ordered) // 2
    gap = max(ordered[middle] - ordered[middle - 1], ordered[middle + 1] - ordered[middle], 0.1)
    return float(ordered[middle] + generator.laplace(scale=gap / 1.0))


@faulty(
    "Where the noise is very large, the exact mean is published instead.",
    reads="column 1 is the temperature, scaled to [-1, 1]",
    epsilon=1.0,
    exactly=math.inf,
    note="This happens with probability e^-6, which is 0.0025.",
)
def mean_temperature(data: Array, generator: Generator) -> float:
    """A building publishes its mean temperature, and drops noise that would spoil the chart."""
    scale = 2 / len(data) / 1.0
    noise = generator.laplace(scale=scale)
    if abs(noise) > 6 * scale:
        noise = 0.0
    return float(data[:, 1].mean() + noise)


@faulty(
    "Sampling a quarter of the records does not divide an epsilon of two by four.",
    reads="column 0 >= 0 means that the meter has an alarm",
    epsilon=0.5,
    adjacency=ADD_REMOVE,
    exactly=math.log(1 + (math.exp(2.0) - 1) / 4),
)
def sampled_alarms(data: Array, generator: Generator) -> float:
    """A utility counts alarms in a random quarter of its meters, and takes four times the epsilon for it."""
    sampled = data[generator.random(len(data)) < 0.25]
    count = np.sum(sampled[:, 0] >= 0) + generator.laplace(scale=1 / (4 * 0.5))
    return float(4 * count)


@faulty(
    "Each of the pairs of a reading turns from plus one to minus one, which moves the mean by twice as much.",
    reads="columns 0 and 1 are the readings of two sensors at one time",
    epsilon=0.5,
    exactly=1.0,
    note="Attained if the other readings agree in order and the replaced one agrees with all or with none.",
)
def agreement_of_sensors(data: Array, generator: Generator) -> float:
    """A laboratory publishes Kendall's tau of two sensors; a reading is in a share 2 / n of the pairs."""
    first, second = (np.sign(data[:, k][:, None] - data[:, k][None, :]) for k in (0, 1))
    n = len(data)
    tau = np.sum(first * second) / (n * (n - 1))
    return float(tau + generator.laplace(scale=2 / n / 0.5))


@faulty(
    "The mean gradient is clipped, not that of each record, so a record moves it by more than 2 C / n.",
    reads="columns 0 and 1 are features of a pump, column 2 >= 0 means that it failed",
    epsilon=1.0,
    delta=1e-3,
    exactly=gaussian_epsilon(2.0, 2.6, 1e-3),
)
def failure_gradient(data: Array, generator: Generator) -> Array:
    """A plant shares the first logistic gradient of a failure model, clipped, with normal noise of 2.6 units."""
    failed = np.where(data[:, 2] >= 0, 1.0, -1.0)
    gradient = np.mean(-failed[:, None] * data[:, :2] / 2, axis=0)
    clip = 0.25
    gradient = gradient / max(1.0, float(np.linalg.norm(gradient)) / clip)
    unit = 2 * clip / len(data)
    return np.asarray(gradient + generator.normal(scale=2.6 * unit, size=2))


@right(
    reads="column 0 is the energy used, scaled to [-1, 1]",
    epsilon=0.5,
    exactly=0.5,
    note="A limit: the largest ratio of two Cauchy densities is at one point.",
)
def energy_with_heavy_tails(data: Array, generator: Generator) -> float:
    """A utility publishes the energy used with Cauchy noise.

    A household moves the sum by at most two. The log-ratio of two Cauchy densities at a distance d, with scale c, is at
    most 2 arsinh(d / 2c), and here that is 2 arsinh(sinh(0.25)).
    """
    return float(np.sum(data[:, 0]) + generator.standard_cauchy() / math.sinh(0.25))


@right(
    reads="column 2 is the reading, in [-1, 1]",
    epsilon=1.0,
)
def first_full_level(data: Array, generator: Generator) -> Any:
    """A plant names the highest level that over ten sensors reach, or None, and stops at the first.

    This is the sparse vector with one answer: a bar with Laplace noise of scale 2, counts with scale 4. A replaced
    sensor moves every count by at most one. Raising the bar by one costs 1/2; the one count above it costs 1/2.
    """
    bar = 10 + generator.laplace(scale=2.0)
    for level in np.linspace(0.9, -0.9, 19):
        if np.sum(data[:, 2] >= level) + generator.laplace(scale=4.0) >= bar:
            return f"level {level:.1f}"
    return None


@right(
    reads="the columns are the three axes of an accelerometer",
    epsilon=2.0,
    delta=1e-2,
    exactly=gaussian_epsilon(2.0, 2.25, 1e-2),
)
def total_acceleration(data: Array, generator: Generator) -> Any:
    """A fleet publishes the sum of its accelerations with normal noise, as a dictionary.

    A replaced record moves the sum by at most two in Euclidean norm. The exact epsilon of normal noise of deviation
    2.25 for such a shift, at this delta, is below two.
    """
    noisy = data.sum(axis=0) + generator.normal(scale=2.25, size=3)
    return {axis: float(value) for axis, value in zip("xyz", noisy, strict=True)}


@right(
    reads="column 0 is the load, in [-1, 1]",
    epsilon=0.8,
    exactly=0.8,
)
def level_of_load(data: Array, generator: Generator) -> Any:
    """A grid operator says whether the load is high, normal or low.

    A replaced meter moves the mean by at most 0.1, for which the Laplace noise is made. The words come after the noise.
    """
    noisy = data[:, 0].mean() + generator.laplace(scale=0.1 / 0.8)
    return "HIGH" if noisy > 0.3 else "LOW" if noisy < -0.3 else "NORMAL"
