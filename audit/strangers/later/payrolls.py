"""What payroll offices and controllers publish."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, REPLACE, Array, faulty, right
from audit.strangers.truth import gaussian_epsilon

GAP_NOISE = 2 / 5 * math.sqrt(2 * math.log(1.25 / 1e-5))
PROJECTS = {"depot": (-1.0, 0.3), "tunnel": (-0.3, 1.0), "harbour": (-0.6, 0.6)}


@faulty(
    "Whether a band has five people is decided on the true count, and one person makes the difference.",
    reads="column 0 is the seniority, in four bands; column 1 is the salary, scaled to [-1, 1]",
    epsilon=1.0,
    adjacency=REPLACE,
    exactly=math.inf,
)
def bands_with_five_people(data: Array, generator: Generator) -> dict[str, float]:
    """A payroll office publishes the mean salary of each seniority band, and leaves out bands below five people.

    With at least five people in a band, one salary moves the mean by at most 2 / 5.
    """
    bands = np.digitize(data[:, 0], [-0.5, 0.0, 0.5])
    published = {}
    for band, name in enumerate(["junior", "regular", "senior", "lead"]):
        salaries = data[bands == band, 1]
        if len(salaries) >= 5:
            published[name] = float(salaries.mean() + generator.laplace(scale=2 / 5 / 1.0))
    return published


@faulty(
    "An employee has a row for each project of the join, so that one adds three times the hours that the noise is for.",
    reads="the absolute value of column 0 is the hours of an employee; column 2 is the day of the booking",
    epsilon=0.5,
    adjacency=ADD_REMOVE,
    exactly=1.5,
)
def hours_joined_with_projects(data: Array, generator: Generator) -> float:
    """A controller publishes the hours of all employees, joined with the projects that run on the day."""
    joined = [
        (name, abs(hours)) for hours, _, day in data for name, (start, end) in PROJECTS.items() if start <= day <= end
    ]
    return float(sum(hours for _, hours in joined) + generator.laplace(scale=1 / 0.5))


@faulty(
    "The noise is for groups of five; a group of one has a mean that moves by 2.",
    reads="column 0 above 0 says that the person is a man; column 1 is the salary, scaled to [-1, 1]",
    epsilon=1.0,
    delta=1e-5,
    adjacency=REPLACE,
    exactly=gaussian_epsilon(2.0, GAP_NOISE, 1e-5),
)
def pay_gap_of_groups_of_five(data: Array, generator: Generator) -> float:
    """A firm publishes the pay gap, and reckons with five people in each group, as there always are."""
    men, women = data[data[:, 0] > 0, 1], data[data[:, 0] <= 0, 1]
    gap = men.sum() / max(len(men), 1) - women.sum() / max(len(women), 1)
    return float(gap + generator.normal(scale=GAP_NOISE))


@faulty(
    "The chance of the truth is that for two answers, and there are three.",
    reads="column 2 is the wish, in three classes cut at -1/3 and 1/3",
    epsilon=1.5,
    adjacency=REPLACE,
    exactly=1.5 + math.log(2),
)
def benefit_wishes_of_three(data: Array, generator: Generator) -> list[str]:
    """A staff office publishes the wished benefit of every employee, after randomised response."""
    names = ["pension", "bicycle", "childcare"]
    truth = math.exp(1.5) / (1 + math.exp(1.5))
    answers = []
    for wish in np.digitize(data[:, 2], [-1 / 3, 1 / 3]):
        others = [name for index, name in enumerate(names) if index != wish]
        answers.append(names[wish] if generator.random() < truth else others[generator.integers(2)])
    return answers


@faulty(
    "Noise is drawn again until the total is positive, which is more often needed for a small total.",
    reads="the absolute value of column 1 is the claimed expenses, scaled to [0, 1]",
    epsilon=0.8,
    adjacency=ADD_REMOVE,
    exactly=0.8 + math.log(2 - math.exp(-0.8)),
    note="The figure is a limit: an output just above 0, with the first total at 0 and the second at 1.",
)
def expenses_until_positive(data: Array, generator: Generator) -> float:
    """A treasurer publishes the total of the expense claims, which must not look negative."""
    total = np.abs(data[:, 1]).sum()
    while True:
        noisy = total + generator.laplace(scale=1 / 0.8)
        if noisy > 0:
            return float(noisy)


@faulty(
    "In one run of a hundred the highest salary is published as it is.",
    reads="column 1 is the salary, scaled to [-1, 1]",
    epsilon=1.0,
    delta=1e-3,
    adjacency=REPLACE,
    exactly=math.inf,
    note="The event has probability 0.01.",
)
def payroll_with_spot_check(data: Array, generator: Generator) -> dict[str, float | None]:
    """A payroll office publishes the noisy total; now and then the auditors check the top salary against it."""
    published: dict[str, float | None] = {"total": float(data[:, 1].sum() + generator.laplace(scale=2.0)), "top": None}
    if generator.random() < 0.01:
        published["top"] = float(data[:, 1].max())
    return published


@right(
    reads="column 0 >= 0 says that the person got a bonus",
    epsilon=0.5,
    adjacency=REPLACE,
    exactly=0.5,
)
def bonuses_in_whole_people(data: Array) -> int:
    """A personnel office publishes how many got a bonus, a whole number between nobody and everybody.

    The difference of two geometric numbers has probabilities in proportion to exp(-0.5 |k|), and the count moves by at
    most 1. The limits are taken after the noise, from the public number of people.
    """
    generator = np.random.default_rng()
    chance = 1 - math.exp(-0.5)
    noisy = int((data[:, 0] >= 0).sum() + generator.geometric(chance) - generator.geometric(chance))
    return min(max(noisy, 0), len(data))


@right(
    reads="column 1 is the salary, scaled to [-1, 1], in four brackets",
    epsilon=1.0,
    adjacency=REPLACE,
    exactly=1.0,
)
def salary_brackets_rounded(data: Array, generator: Generator) -> Array:
    """A statistics office publishes a histogram of the salaries in whole people, none below zero.

    Replacing a person moves two counts by 1, for which Laplace noise of scale 2 is right. Rounding and cutting at zero
    come after the noise and look at nothing else.
    """
    counts = np.histogram(data[:, 1], bins=[-1.01, -0.5, 0.0, 0.5, 1.01])[0]
    return np.maximum(np.round(counts + generator.laplace(scale=2.0, size=4)), 0.0)


@right(
    reads="column 0 is the tax class, in five classes",
    epsilon=2.0,
    adjacency=REPLACE,
    note="Near the claim, but not quite: one class holds nearly everybody.",
)
def most_common_tax_class(data: Array, generator: Generator) -> str:
    """A payroll office publishes the most common tax class.

    This is the exponential mechanism: a count moves by at most 1, and the weight is exp(epsilon count / 2). The weight
    of a class and the sum of all weights each move by a factor of at most exp(epsilon / 2).
    """
    counts = np.bincount(np.digitize(data[:, 0], [-0.6, -0.2, 0.2, 0.6]), minlength=5)
    weights = np.exp(2.0 * counts / 2)
    return str(generator.choice(["I", "II", "III", "IV", "V"], p=weights / weights.sum()))


@right(
    reads="column 1 is the salary, scaled to [-1, 1]",
    epsilon=0.7,
    adjacency=REPLACE,
)
def median_salary_on_a_grid(data: Array, generator: Generator) -> float:
    """A union publishes the median salary, one of 21 round numbers.

    Replacing a salary moves the numbers below and above a candidate by at most 1 each, so half their difference by at
    most 1. The exponential mechanism with exp(-0.7 distance / 2) is right for a distance that moves by at most 1.
    """
    grid = np.linspace(-1, 1, 21)
    below, above = (data[:, 1, None] < grid).sum(axis=0), (data[:, 1, None] > grid).sum(axis=0)
    weights = np.exp(-0.7 * np.abs(below - above) / 2 / 2)
    return float(generator.choice(grid, p=weights / weights.sum()))
