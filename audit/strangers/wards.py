"""Histograms and groups: patients on wards, customers in classes."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

WARD = "column 0 falls into one of four equal bins between -1 and 1, the wards"
PRESENT = WARD + "; a record of zeros is on no ward"


@right(reads=WARD, exactly=1.0)
def ward_histogram(data: Array, generator: Generator) -> Array:
    """A hospital publishes the number of patients on each ward, of a fixed number of patients.

    A patient on another ward changes two counts by 1 each, which the scale 2 / epsilon pays for, and nothing is left.
    """
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=4, range=(-1, 1))
    return np.asarray(counts + generator.laplace(scale=2 / epsilon, size=4))


@faulty("The scale is right for patients who come or go, but here they change wards.", reads=WARD, exactly=2.0)
def ward_histogram_of_patients(data: Array, generator: Generator) -> Array:
    """A hospital publishes the number of patients on each ward, of a fixed number of patients."""
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=4, range=(-1, 1))
    return np.asarray(counts + generator.laplace(scale=1 / epsilon, size=4))


@right(
    reads=WARD,
    adjacency=ADD_REMOVE,
    exactly=1.0,
    note="Right where a removed record takes its row along. Zeros that it leaves count on a ward, and lose 2.",
)
def ward_histogram_open(data: Array, generator: Generator) -> Array:
    """A hospital publishes the number of patients on each ward; patients come and go.

    A patient more changes one count by 1, which the scale 1 / epsilon pays for, and nothing is left.
    """
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=4, range=(-1, 1))
    return np.asarray(counts + generator.laplace(scale=1 / epsilon, size=4))


@right(reads=PRESENT, adjacency=ADD_REMOVE, exactly=1.0)
def ward_histogram_present(data: Array, generator: Generator) -> Array:
    """A hospital publishes the number of patients on each ward and skips empty records.

    A patient more, or an empty record filled, changes one count by 1, which the scale 1 / epsilon pays for.
    """
    epsilon = 1.0
    present = data[np.any(data != 0, axis=1)]
    counts, _ = np.histogram(present[:, 0], bins=4, range=(-1, 1))
    return np.asarray(counts + generator.laplace(scale=1 / epsilon, size=4))


@faulty(
    "Wards without patients get no noise, so a count that is not zero shows that somebody is there.",
    reads=PRESENT,
    adjacency=ADD_REMOVE,
    exactly=math.inf,
)
def wards_in_use(data: Array, generator: Generator) -> Array:
    """A hospital publishes counts from a dictionary of the wards that occur."""
    epsilon = 1.0
    counts: dict[int, int] = {}
    for record in data:
        if np.any(record):
            ward = min(int(2 * (1 + record[0])), 3)
            counts[ward] = counts.get(ward, 0) + 1
    noisy = {ward: count + generator.laplace(scale=1 / epsilon) for ward, count in counts.items()}
    return np.array([noisy.get(ward, 0.0) for ward in range(4)])


@right(reads=WARD)
def ward_shares(data: Array, generator: Generator) -> Array:
    """A hospital publishes the share of its patients on each ward.

    The noisy counts are private at the scale 2 / epsilon. Cutting them at 0 and dividing by their own sum takes nothing
    but them.
    """
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=4, range=(-1, 1))
    noisy = np.maximum(counts + generator.laplace(scale=2 / epsilon, size=4), 0)
    return np.asarray(noisy / max(noisy.sum(), 1.0))


@faulty("The bins lie between the least and the largest value of the data.", reads="column 0 is an age", exactly=20.0)
def age_pyramid(data: Array, generator: Generator) -> Array:
    """A city draws its pyramid of ages with three bars and leaves the edges of the bins to numpy."""
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=3)
    return np.asarray(counts + generator.laplace(scale=2 / epsilon, size=3))


@faulty(
    "Noise is cached by the true count: equal counts get equal answers, and others do not.",
    reads=WARD,
    exactly=math.inf,
)
def ward_histogram_cached(data: Array, generator: Generator) -> Array:
    """A hospital's dashboard caches answers so that nobody can average the noise away."""
    epsilon = 1.0
    cache: dict[int, float] = {}

    def answer(count: int) -> float:
        if count not in cache:
            cache[count] = count + float(generator.laplace(scale=2 / epsilon))
        return cache[count]

    counts, _ = np.histogram(data[:, 0], bins=4, range=(-1, 1))
    return np.array([answer(int(count)) for count in counts])


@right(reads=PRESENT, adjacency=ADD_REMOVE, delta=0.01)
def rare_wards(data: Array, generator: Generator) -> Array:
    """A hospital publishes counts of the wards that occur, and drops the small ones.

    One patient changes one count. Where it is positive on both sides, epsilon is lost; where it is 0 on one side it is
    1 on the other, and passes the threshold 1 + log(1 / (2 delta)) / epsilon with probability delta.
    """
    epsilon, delta = 1.0, 0.01
    threshold = 1 + math.log(1 / (2 * delta)) / epsilon
    present = data[np.any(data != 0, axis=1)]
    counts, _ = np.histogram(present[:, 0], bins=4, range=(-1, 1))
    noisy = np.where(counts > 0, counts + generator.laplace(scale=1 / epsilon, size=4), 0)
    return np.asarray(np.where(noisy > threshold, noisy, 0))


@faulty(
    "The threshold is 1 and knows nothing of delta: a single patient is shown every second time.",
    reads=PRESENT,
    adjacency=ADD_REMOVE,
    delta=0.01,
    exactly=math.inf,
)
def rare_wards_dropped(data: Array, generator: Generator) -> Array:
    """A hospital publishes counts of the wards that occur, and drops what is no patient at all."""
    epsilon = 1.0
    present = data[np.any(data != 0, axis=1)]
    counts, _ = np.histogram(present[:, 0], bins=4, range=(-1, 1))
    noisy = np.where(counts > 0, counts + generator.laplace(scale=1 / epsilon, size=4), 0)
    return np.asarray(np.where(noisy > 1, noisy, 0))


@faulty(
    "The size of a group is exact, in the divisor and in the scale, and an empty group gets no noise.",
    reads="the sign of column 1 is the group, and column 0 is what was spent, -1 and 1 standing for 0 and 1",
    exactly=math.inf,
)
def spending_by_group(data: Array, generator: Generator) -> Array:
    """A shop compares what its two groups of customers spend on average."""
    epsilon = 1.0
    means = []
    for member in (data[:, 1] > 0, data[:, 1] <= 0):
        size = int(member.sum())
        spent = (1 + data[member, 0]) / 2
        means.append(spent.mean() + generator.laplace(scale=2 / (size * epsilon)) if size else 0.0)
    return np.array(means)


@faulty(
    "One record has up to 19 partners, and the noise hides one pair.",
    reads=WARD,
    exactly=19.0,
)
def contacts(data: Array, generator: Generator) -> float:
    """An epidemiologist joins patients with themselves by ward and counts the pairs."""
    epsilon = 1.0
    wards = np.minimum(2 * (1 + data[:, 0]), 3).astype(int)
    pairs = sum(int((wards[:i] == ward).sum()) for i, ward in enumerate(wards))
    return float(pairs + generator.laplace(scale=1 / epsilon))


@right(reads=WARD, exactly=1.0)
def wards_occupied(data: Array, generator: Generator) -> float:
    """A hospital counts how many wards have a patient at all.

    A patient who changes wards empties one at most and opens one at most, so that the number changes by at most 1.
    """
    epsilon = 1.0
    wards = {min(int(2 * (1 + value)), 3) for value in data[:, 0]}
    return float(len(wards) + generator.laplace(scale=1 / epsilon))
