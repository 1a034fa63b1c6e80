"""What hospitals and health offices publish."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

Generator = np.random.Generator


@faulty(
    "The random answers are true half of the time, so the true answer is kept more often than the claim allows.",
    reads="column 0 >= 0 means that the patient smokes",
    epsilon=1.0,
    exactly=math.log(1 + 2 * math.e),
)
def smokers_by_coin(data: Array, generator: Generator) -> Any:
    """A ward lets a coin decide whether each patient tells the truth, and prints the twenty answers."""
    truth = data[:, 0] >= 0
    honest = generator.random(len(data)) < math.exp(1.0) / (1 + math.exp(1.0))
    coin = generator.random(len(data)) < 0.5
    return ["smoker" if answer else "non-smoker" for answer in np.where(honest, truth, coin)]


@faulty(
    "Drawing again until the count is plausible divides by a probability that depends on the count.",
    reads="column 0 >= 0 means that the patient was readmitted",
    epsilon=0.2,
    exactly=0.2 + math.log((2 - math.exp(-0.2) - math.exp(-3.8)) / (1 - math.exp(-4))),
    note="The loss is attained at an end of the range, by counts of none and one, or of all and all but one.",
)
def plausible_readmissions(data: Array, generator: Generator) -> float:
    """A clinic publishes how many patients came back, and draws again until the number is possible."""
    count = float(np.sum(data[:, 0] >= 0))
    while True:
        noisy = count + generator.laplace(scale=1 / 0.2)
        if 0 <= noisy <= len(data):
            return float(noisy)


@faulty(
    "The groups overlap, so parallel composition does not hold and the three losses add.",
    reads="column 0 >= 0 means over sixty, column 1 >= 0 a smoker, column 2 >= 0 a diabetic",
    epsilon=0.4,
    exactly=1.2,
)
def risk_groups(data: Array, generator: Generator) -> Any:
    """A health office counts its risk groups, each with the whole budget as groups compose in parallel."""
    groups = {"over 60": data[:, 0] >= 0, "smokers": data[:, 1] >= 0, "diabetics": data[:, 2] >= 0}
    return {name: float(np.sum(group) + generator.laplace(scale=1 / 0.4)) for name, group in groups.items()}


@faulty(
    "The bar for rare codes lacks the one by which the first patient raises the count.",
    reads="column 0, rounded to one digit, is the code of the diagnosis",
    epsilon=2.0,
    delta=1e-3,
    adjacency=ADD_REMOVE,
    exactly=math.inf,
    note="A code that one patient alone has is shown with probability e^2 / 2000, which is 0.0037.",
)
def rare_diagnoses(data: Array, generator: Generator) -> Any:
    """A registry lists the diagnoses that occur, and hides the rare ones so that delta covers them."""
    bar = math.log(1 / 1e-3) / 2.0
    listed = {}
    for code, count in zip(*np.unique(np.round(data[:, 0], 1) + 0.0, return_counts=True), strict=True):
        noisy = count + generator.laplace(scale=1 / 2.0)
        if noisy > bar:
            listed[f"{code:.1f}"] = round(noisy)
    return listed


@faulty(
    "One more patient makes up to twenty more pairs, not one.",
    reads="column 2, rounded to one digit, is the bay in which the patient lies",
    epsilon=0.1,
    adjacency=ADD_REMOVE,
    exactly=2.0,
)
def contacts_in_bays(data: Array, generator: Generator) -> float:
    """An infection team joins the list of patients with itself and counts the pairs who share a bay."""
    bays = np.round(data[:, 2], 1)
    pairs = np.sum(np.triu(bays[:, None] == bays[None, :], 1))
    return float(pairs + generator.laplace(scale=1 / 0.1))


@faulty(
    "The noise takes the mean square of the dose for 0.2, which nothing guarantees.",
    reads="column 0 is the dose and column 1 the response, both scaled to [-1, 1]",
    epsilon=0.5,
    at_least=1.95,
    note="Special: nineteen patients with small doses, and one with a large dose or a small one.",
)
def dose_slope(data: Array, generator: Generator) -> float:
    """A trial publishes the slope of response on dose; a patient moves its numerator by one in twenty."""
    dose, response = data[:, 0], data[:, 1]
    slope = np.mean(dose * response) / (np.mean(dose**2) + 0.05)
    sensitivity = 1 / len(data) / 0.2
    return float(slope + generator.laplace(scale=sensitivity / 0.5))


@faulty(
    "Whether it refuses to answer depends on the exact size of the cohort.",
    reads="column 0 is the change in blood pressure, column 1 >= 0 means that the patient was treated",
    epsilon=1.0,
    delta=1e-5,
    exactly=math.inf,
    note="It raises an error on four treated patients, and never on five.",
)
def small_cohort_mean(data: Array, generator: Generator) -> float:
    """A trial publishes the mean change of at least five treated patients, which one patient moves by 0.4."""
    treated = data[data[:, 1] >= 0, 0]
    if len(treated) < 5:
        raise ValueError("cohort too small to report")
    return float(treated.mean() + generator.laplace(scale=0.4))


@right(
    reads="column 0 >= 0 means that the admission was an emergency",
    epsilon=0.7,
    exactly=0.7,
)
def emergency_admissions(data: Array, generator: Generator) -> int:
    """A hospital publishes its emergencies with two-sided geometric noise, clipped to what is possible.

    One patient moves the count by one, and a step of one changes the probability of no noise by more than e^0.7.
    Clipping to fixed bounds comes after the noise.
    """
    stop = 1 - math.exp(-0.7)
    noise = int(generator.geometric(stop)) - int(generator.geometric(stop))
    return int(np.clip(int(np.sum(data[:, 0] >= 0)) + noise, 0, len(data)))


@right(
    reads="column 0 is the blood pressure, column 1 >= 0 means that the patient was treated",
    epsilon=1.0,
    exactly=1.0,
)
def treated_rank_sum(data: Array, generator: Generator) -> float:
    """A trial publishes the sum of the ranks of the treated patients, with noise for a change by n.

    Everything that depends on one patient is its rank if treated, plus one for each treated patient above it.
    If treated this is one, one for each other treated patient and one for each control below, so at most n.
    If a control it is from zero to n - 1. So a replacement moves the sum by at most n.
    """
    pressure, treated = data[:, 0], data[:, 1] >= 0
    below = np.sum(pressure[None, :] < pressure[:, None], axis=1)
    ties = np.sum(pressure[None, :] == pressure[:, None], axis=1) - 1
    rank_sum = np.sum((1 + below + ties / 2)[treated])
    return float(rank_sum + generator.laplace(scale=len(data)))


@right(
    reads="column 0, rounded to one digit, is the code of the diagnosis",
    epsilon=1.0,
    delta=1e-2,
    adjacency=ADD_REMOVE,
    exactly=1 + 2 * math.log(0.99),
)
def frequent_diagnoses(data: Array, generator: Generator) -> Any:
    """A registry lists the diagnoses that occur often, with their noisy counts.

    One patient changes the count of one code by one. Where both counts are positive, Laplace noise has the loss one.
    Where one count is zero the code is shown with probability at most 0.01, which is the delta.
    """
    bar = 1 + math.log(1 / (2 * 1e-2))
    codes, counts = np.unique(np.round(data[:, 0], 1) + 0.0, return_counts=True)
    noisy = counts + generator.laplace(scale=1.0, size=len(counts))
    return {f"{code:.1f}": float(count) for code, count in zip(codes, noisy, strict=True) if count > bar}
