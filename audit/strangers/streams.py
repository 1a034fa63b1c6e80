"""Answers over time: alarms, running totals, retries, iterations."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import Array, faulty, right

SENSORS = "six queries: the numbers of positive and of negative entries in each of three columns"
DAYS = "the records are days in their order, and column 0 is a turnover, -1 and 1 standing for 0 and 1"
TURNOVER = "column 0 is a turnover, -1 and 1 standing for 0 and 1"


def _queries(data: Array) -> Array:
    return np.concatenate([(data > 0).sum(axis=0), (data < 0).sum(axis=0)]).astype(float)


@right(reads=SENSORS)
def first_alarm(data: Array, generator: Generator) -> float:
    """A plant says which of six counts is the first above ten (6 for none).

    This is the textbook's sparse vector with one answer: half of epsilon for the threshold at sensitivity 1, half for
    the answer that ends it at sensitivity 2, hence the scale 4 / epsilon.
    """
    epsilon = 1.0
    threshold = 10 + generator.laplace(scale=2 / epsilon)
    for i, count in enumerate(_queries(data)):
        if count + generator.laplace(scale=4 / epsilon) >= threshold:
            return float(i)
    return 6.0


@right(reads=SENSORS)
def two_alarms(data: Array, generator: Generator) -> Array:
    """A plant says which two of six counts are the first above ten, as a vector of flags.

    The textbook's sparse vector runs twice with epsilon / 2 each: after an alarm the threshold is drawn afresh, and
    after the second alarm nothing is asked any more.
    """
    epsilon = 1.0
    flags = np.zeros(6)
    threshold = 10 + generator.laplace(scale=4 / epsilon)
    for i, count in enumerate(_queries(data)):
        if count + generator.laplace(scale=8 / epsilon) >= threshold:
            flags[i] = 1
            threshold = 10 + generator.laplace(scale=4 / epsilon)
            if flags.sum() == 2:
                break
    return flags


@faulty(
    "It goes on after an alarm, with the same noisy threshold and nothing more to pay.", reads=SENSORS, at_least=2.34
)
def all_alarms(data: Array, generator: Generator) -> Array:
    """A plant says which of six counts are above ten, as a vector of flags."""
    epsilon = 1.0
    threshold = 10 + generator.laplace(scale=2 / epsilon)
    noise = generator.laplace(scale=2 / epsilon, size=6)
    return np.asarray((_queries(data) + noise >= threshold).astype(float))


@faulty("Only the threshold is noisy, so the order of the exact counts shows.", reads=SENSORS, exactly=math.inf)
def exact_alarms(data: Array, generator: Generator) -> Array:
    """A plant compares six exact counts with one noisy threshold."""
    epsilon = 1.0
    threshold = 10 + generator.laplace(scale=1 / epsilon)
    return np.asarray((_queries(data) >= threshold).astype(float))


@faulty("Each total gets noise for one day, but a day is part of all later totals.", reads=DAYS, exactly=20.0)
def running_total(data: Array, generator: Generator) -> Array:
    """A shop publishes its running total, one number a day."""
    epsilon = 1.0
    totals = np.cumsum((1 + data[:, 0]) / 2)
    return np.asarray(totals + generator.laplace(scale=1 / epsilon, size=len(totals)))


@right(reads=DAYS, exactly=1.0)
def running_total_of_noisy_days(data: Array, generator: Generator) -> Array:
    """A shop publishes its running total, one number a day, and adds up what is noisy already.

    The noisy days are private, since one record is in one of them alone and moves it by at most 1. Sums of them cost
    nothing more, however many there are.
    """
    epsilon = 1.0
    days = (1 + data[:, 0]) / 2
    return np.asarray(np.cumsum(days + generator.laplace(scale=1 / epsilon, size=len(days))))


@faulty(
    "What is plausible is decided around the true mean, whose neighbourhood shows.", reads=TURNOVER, exactly=math.inf
)
def retry_until_close(data: Array, generator: Generator) -> float:
    """A shop publishes its mean turnover and draws again as long as the answer is too far off."""
    epsilon = 1.0
    scale = 1 / (len(data) * epsilon)
    mean = ((1 + data[:, 0]) / 2).mean()
    while True:
        noisy = mean + generator.laplace(scale=scale)
        if abs(noisy - mean) <= 2 * scale:
            return float(noisy)


@faulty(
    "The probability of a second draw depends on the mean, which the scale does not pay for.",
    reads=TURNOVER,
    exactly=1 + math.log(((1 - math.exp(-1) / 2) - math.exp(-19) / 2) / ((1 - math.exp(-20)) / 2)),
)
def retry_until_possible(data: Array, generator: Generator) -> float:
    """A shop publishes its mean turnover and draws again as long as it is not between 0 and 1."""
    epsilon = 1.0
    mean = ((1 + data[:, 0]) / 2).mean()
    while True:
        noisy = mean + generator.laplace(scale=1 / (len(data) * epsilon))
        if 0 <= noisy <= 1:
            return float(noisy)


@faulty("Each of five steps spends all of epsilon, and all steps are shown.", reads=TURNOVER, exactly=5.0)
def training_curve(data: Array, generator: Generator) -> Array:
    """A student fits a mean by gradient descent and plots the five iterates."""
    epsilon, weight = 1.0, 0.5
    values = (1 + data[:, 0]) / 2
    curve = []
    for _ in range(5):
        gradient = (weight - values).mean() + generator.laplace(scale=1 / (len(values) * epsilon))
        weight -= 0.5 * gradient
        curve.append(weight)
    return np.array(curve)


@right(reads=TURNOVER, exactly=1.0)
def last_iterate(data: Array, generator: Generator) -> float:
    """A student fits a mean by gradient descent with the learning rate 1 and publishes where it ends.

    A step with this rate forgets the weight before it, so only the last noisy mean is shown. Its noise is for 1/n, by
    which one record can move it.
    """
    epsilon, weight = 1.0, 0.5
    values = (1 + data[:, 0]) / 2
    for _ in range(5):
        gradient = (weight - values).mean() + generator.laplace(scale=1 / (len(values) * epsilon))
        weight -= gradient
    return float(weight)
