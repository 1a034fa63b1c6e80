"""Counts of what people do: clicks, visits, symptoms."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

CLICK = "who clicked has a positive column 0"
SYMPTOMS = "a positive entry is a symptom, three symptoms at most"


@right(reads=CLICK, adjacency=ADD_REMOVE, exactly=1.0)
def clicks_geometric(data: Array, generator: Generator) -> float:
    """A shop counts clicks and wants whole numbers.

    The difference of two geometric variables has mass proportional to exp(-epsilon |k|) at k, and one record moves the
    count by at most 1. From 0 clicks to 1 the masses differ by exp(epsilon).
    """
    epsilon = 1.0
    stop = 1 - math.exp(-epsilon)
    return float((data[:, 0] > 0).sum() + generator.geometric(stop) - generator.geometric(stop))


@faulty(
    "int() cuts the noise towards zero, which doubles the mass there.",
    reads=CLICK,
    adjacency=ADD_REMOVE,
    exactly=1 + math.log(2),
)
def clicks_whole(data: Array, generator: Generator) -> float:
    """A shop counts clicks and turns the noise into a whole number."""
    epsilon = 1.0
    clicks = int((data[:, 0] > 0).sum())
    noise = int(generator.laplace(scale=1 / epsilon))
    return float(clicks + noise)


@right(reads=CLICK, adjacency=ADD_REMOVE, exactly=1.0)
def clicks_rounded(data: Array, generator: Generator) -> float:
    """A shop counts clicks, and the report shows no fractions and no negative counts.

    The noisy count is private, and what is rounded and cut at 0 after the noise was added is computed from it alone.
    Two clicks or more are exp(epsilon) times as probable on one click as on none.
    """
    epsilon = 1.0
    noisy = (data[:, 0] > 0).sum() + generator.laplace(scale=1 / epsilon)
    return float(max(0, round(noisy)))


@faulty(
    "Of five noisy counts the one next to the truth is shown; its noise has a fifth of the scale.",
    reads=CLICK,
    adjacency=ADD_REMOVE,
    exactly=5.0,
)
def clicks_best_of_five(data: Array, generator: Generator) -> float:
    """A shop runs its report five times and keeps the best one."""
    epsilon = 1.0
    clicks = (data[:, 0] > 0).sum()
    runs = clicks + generator.laplace(scale=1 / epsilon, size=5)
    return float(runs[np.argmin(np.abs(runs - clicks))])


@faulty(
    "Four releases are averaged and only one of them is paid for.",
    reads=CLICK,
    adjacency=ADD_REMOVE,
    exactly=4.0,
)
def clicks_averaged(data: Array, size: int, generator: Generator) -> Array:
    """A shop runs its report once a week and averages the month."""
    epsilon = 1.0
    weeks = (data[:, 0] > 0).sum() + generator.laplace(scale=1 / epsilon, size=(size, 4))
    return np.asarray(weeks.mean(axis=1))


@faulty(
    "Epsilon is split in two, but there are four counts.",
    reads=SYMPTOMS,
    exactly=2.0,
)
def symptom_dashboard(data: Array, generator: Generator) -> Array:
    """A clinic shows how many patients have each symptom, and how many have any."""
    epsilon = 1.0
    part = epsilon / 2
    counts = [*(data > 0).sum(axis=0), (data > 0).any(axis=1).sum()]
    return np.array([count + generator.laplace(scale=1 / part) for count in counts])


@right(reads=SYMPTOMS, exactly=1.0)
def symptoms_by_weight(data: Array, generator: Generator) -> Array:
    """A clinic counts three symptoms and wants the first one more exact than the others.

    The parts of epsilon are 1/2, 1/4 and 1/4, each count moves by at most 1, and the parts add up to epsilon. A patient
    with all symptoms in the place of one without any moves all three.
    """
    epsilon = 1.0
    shares = np.array([0.5, 0.25, 0.25])
    return np.asarray((data > 0).sum(axis=0) + generator.laplace(scale=1 / (epsilon * shares)))


@faulty(
    "The parts add up by their squares, which is a rule for Gaussian noise; without a delta epsilons add up.",
    reads=SYMPTOMS,
    exactly=math.sqrt(3),
)
def symptoms_by_squares(data: Array, generator: Generator) -> Array:
    """A clinic counts three symptoms with a budget split after a lecture on composition."""
    epsilon = 1.0
    part = epsilon / math.sqrt(3)
    return np.asarray((data > 0).sum(axis=0) + generator.laplace(scale=1 / part, size=3))


@faulty(
    "A patient has up to three visits, and the noise hides one.",
    reads="the positive entries of a record are the visits of one patient",
    exactly=3.0,
)
def visits(data: Array) -> float:
    """A clinic counts visits, one line of its log each."""
    epsilon = 1.0
    log = [visit for patient in data for visit in patient if visit > 0]
    return len(log) + float(np.random.default_rng().laplace(scale=1 / epsilon))


@faulty(
    "Whether a small count is suppressed is decided on the exact count.",
    reads="who has the illness has a positive column 0",
    adjacency=ADD_REMOVE,
    exactly=math.inf,
)
def cases_suppressed(data: Array, generator: Generator) -> float:
    """A health office publishes cases and hides counts below five."""
    epsilon = 1.0
    cases = (data[:, 0] > 0).sum()
    if cases < 5:
        return 0.0
    return float(cases + generator.laplace(scale=1 / epsilon))


@right(reads="who has the illness has a positive column 0", adjacency=ADD_REMOVE, exactly=1.0)
def cases_suppressed_after(data: Array, generator: Generator) -> float:
    """A health office publishes cases and hides counts below five.

    The threshold looks at the noisy count alone, so it costs nothing. Where a count is shown the densities of
    neighbours differ by exp(epsilon).
    """
    epsilon = 1.0
    noisy = (data[:, 0] > 0).sum() + generator.laplace(scale=1 / epsilon)
    return float(noisy) if noisy >= 5 else 0.0
