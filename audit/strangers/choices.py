"""Choices: the best price, the favourite clinic, the most frequent symptom, the top two."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

CLINIC = "the sign of column 0 says which of two clinics a patient prefers"
SYMPTOMS = "a positive entry is a symptom, three symptoms at most"
HOUR = "column 0 falls into one of ten equal bins between -1 and 1, the hours; a record of zeros made no visit"
PRODUCT = "column 0 below -1/3, between, or above 1/3 is one of three products"


@right(reads="column 0 is what a customer would pay, -1 and 1 standing for 0 and 1")
def best_price(data: Array, generator: Generator) -> float:
    """A shop picks one of ten prices by the revenue that it would bring, with probability ~ exp(epsilon revenue).

    There is no factor 2: if a customer would pay more, all revenues rise together, by at most 1. So each weight and the
    sum of weights grow by a factor between 1 and exp(epsilon), and so does no quotient by more.
    """
    epsilon = 1.0
    prices = np.arange(1, 11) / 10
    values = (1 + data[:, 0]) / 2
    revenue = np.array([price * (values >= price).sum() for price in prices])
    weights = np.exp(epsilon * (revenue - revenue.max()))
    return float(generator.choice(prices, p=weights / weights.sum()))


@faulty(
    "The factor 2 of the exponential mechanism is missing: one count rises while the other falls.",
    reads=CLINIC,
    exactly=math.log((1 + math.exp(20)) / (1 + math.exp(18))),
)
def favourite_clinic(data: Array, generator: Generator) -> float:
    """A health insurance asks its members for the better clinic and draws the answer."""
    epsilon = 1.0
    votes = np.array([(data[:, 0] <= 0).sum(), (data[:, 0] > 0).sum()])
    weights = np.exp(epsilon * (votes - votes.max()))
    return float(generator.choice(2, p=weights / weights.sum()))


@right(reads=CLINIC, exactly=math.log((1 + math.exp(10)) / (1 + math.exp(9))))
def favourite_clinic_halved(data: Array, generator: Generator) -> float:
    """A health insurance asks its members for the better clinic and draws the answer.

    A vote has sensitivity 1 and the exponent is halved: a weight and the sum change by exp(epsilon / 2) each. At 20
    votes to 0 less than 1e-4 of epsilon is left.
    """
    epsilon = 1.0
    votes = np.array([(data[:, 0] <= 0).sum(), (data[:, 0] > 0).sum()])
    weights = np.exp(epsilon * (votes - votes.max()) / 2)
    return float(generator.choice(2, p=weights / weights.sum()))


@faulty(
    "A record is worth up to 3 euros, and the exponent has the sensitivity of a vote.",
    reads="the sign of column 0 is the charity, its absolute value the donation in units of 3 euros",
    exactly=math.log((1 + math.exp(30)) / (1 + math.exp(27))),
)
def favourite_charity(data: Array, generator: Generator) -> float:
    """A firm draws the charity to which its staff gives most."""
    epsilon, sensitivity = 1.0, 1.0
    euros = 3 * np.abs(data[:, 0])
    given = np.array([euros[data[:, 0] <= 0].sum(), euros[data[:, 0] > 0].sum()])
    weights = np.exp(epsilon * (given - given.max()) / (2 * sensitivity))
    return float(generator.choice(2, p=weights / weights.sum()))


@right(reads=SYMPTOMS, adjacency=ADD_REMOVE)
def main_symptom(data: Array) -> float:
    """A clinic names its most frequent symptom.

    A patient more raises some counts by 1 and lowers none. Shifting the noise of the winner by 1 makes up for it in
    either direction, so the scale 1 / epsilon suffices for the index of the largest noisy count.
    """
    epsilon = 1.0
    generator = np.random.default_rng()
    counts = (data > 0).sum(axis=0)
    return float(np.argmax(counts + generator.laplace(scale=1 / epsilon, size=3)))


@faulty(
    "The largest noisy count is printed beside its index, with the noise that chose it.",
    reads=SYMPTOMS,
    adjacency=ADD_REMOVE,
    exactly=3.0,
)
def main_symptom_and_count(data: Array) -> Array:
    """A clinic names its most frequent symptom and says how frequent it is."""
    epsilon = 1.0
    generator = np.random.default_rng()
    noisy = (data > 0).sum(axis=0) + generator.laplace(scale=1 / epsilon, size=3)
    return np.array([np.argmax(noisy), noisy.max()])


@right(reads=HOUR, adjacency=ADD_REMOVE)
def busiest_hour(data: Array, generator: Generator) -> float:
    """A library looks for its busiest hour with whole numbers as noise; of equal hours the first one wins.

    One visit raises one count by 1. The tie rule is fixed, so that an hour wins if its noise reaches a whole number
    that the others fix; that number moves by at most 1, and the geometric tails by exp(epsilon).
    """
    epsilon = 1.0
    visited = data[np.any(data != 0, axis=1), 0]
    counts, _ = np.histogram(visited, bins=10, range=(-1, 1))
    stop = 1 - math.exp(-epsilon)
    noisy = counts + generator.geometric(stop, size=10) - generator.geometric(stop, size=10)
    return float(np.argmax(noisy))


@faulty(
    "Ties of noisy counts are broken by the true ones, which moves the bar by 2 where it may move by 1.",
    reads=HOUR,
    adjacency=ADD_REMOVE,
    at_least=1.99,
)
def busiest_hour_ties(data: Array, generator: Generator) -> float:
    """A library looks for its busiest hour with whole numbers as noise, and takes the truly busier one of equals."""
    epsilon = 1.0
    visited = data[np.any(data != 0, axis=1), 0]
    counts, _ = np.histogram(visited, bins=10, range=(-1, 1))
    stop = 1 - math.exp(-epsilon)
    noisy = counts + generator.geometric(stop, size=10) - generator.geometric(stop, size=10)
    return float(max(range(10), key=lambda hour: (noisy[hour], counts[hour])))


@faulty("Two choices are made and one is paid for.", reads=PRODUCT, exactly=1.499863)
def top_two(data: Array, generator: Generator) -> Array:
    """A shop names its two best products in their order, by Gumbel noise on the counts."""
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=3, range=(-1, 1))
    noisy = counts + generator.gumbel(scale=2 / epsilon, size=3)
    return np.argsort(-noisy)[:2].astype(float)


@right(reads=PRODUCT)
def top_two_paid(data: Array, generator: Generator) -> Array:
    """A shop names its two best products in their order, by Gumbel noise on the counts.

    The order of noisy counts is that of two draws of the exponential mechanism without replacement, and the scale
    4 / epsilon pays epsilon / 2 for each.
    """
    epsilon = 1.0
    counts, _ = np.histogram(data[:, 0], bins=3, range=(-1, 1))
    noisy = counts + generator.gumbel(scale=4 / epsilon, size=3)
    return np.argsort(-noisy)[:2].astype(float)
