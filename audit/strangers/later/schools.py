"""What schools, surveys and statistical offices publish."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

Generator = np.random.Generator

CLUBS = ["chess", "choir", "drama", "robots"]


def members(data: Array) -> Array:
    """Count the pupils of each club."""
    club = 2 * (data[:, 0] >= 0) + (data[:, 1] >= 0)
    return np.bincount(club, minlength=4).astype(float)


@faulty(
    "The noisy sum is divided by the exact number of pupils, which a pupil changes as well.",
    reads="column 0 is the mark, in [-1, 1]",
    epsilon=0.25,
    adjacency=ADD_REMOVE,
    exactly=0.25 * 1.9 + math.log(20 / 19),
    note="The limit is near 0.9, for nineteen marks of one with and without a mark of minus one.",
)
def mean_by_head_count(data: Array, generator: Generator) -> float:
    """A teacher publishes the mean mark: the sum, which a pupil moves by one, gets noise before the division."""
    total = np.sum(data[:, 0]) + generator.laplace(scale=1 / 0.25)
    return float(np.clip(total / len(data), -1, 1))


@faulty(
    "The exponential mechanism lacks the factor two, though its normaliser changes as well.",
    reads="column 0 is the mark, in [-1, 1]",
    epsilon=0.5,
    at_least=0.97,
    note="Special: half of the class has the lowest mark, and the next pupil is just above.",
)
def median_mark(data: Array, generator: Generator) -> Any:
    """A school draws a median mark from a grid, by how far each mark is from the middle rank."""
    grid = np.linspace(-1, 1, 41)
    rank = np.sum(data[:, 0][:, None] < grid[None, :] - 1e-9, axis=0)
    weight = np.exp(-0.5 * np.abs(rank - len(data) / 2))
    return f"median mark {generator.choice(grid, p=weight / weight.sum()):.2f}"


@faulty(
    "A pupil who is replaced leaves one club and joins another, so two counts move.",
    reads="the signs of columns 0 and 1 are the club of the pupil",
    epsilon=0.3,
    exactly=0.6,
)
def club_members(data: Array, generator: Generator) -> Any:
    """A school publishes the members of each club; every pupil is counted once, so the noise is for one."""
    noisy = members(data) + generator.laplace(scale=1 / 0.3, size=4)
    return {club: round(float(count), 3) for club, count in zip(CLUBS, noisy, strict=True)}


@faulty(
    "One draw of noise is added to all three means, so their differences are exact.",
    reads="the columns are marks in three subjects, in [-1, 1]",
    epsilon=1.0,
    exactly=math.inf,
)
def three_subjects(data: Array, generator: Generator) -> Array:
    """A school publishes its mean marks in three subjects, with noise for all of them together."""
    sensitivity = 3 * 2 / len(data)
    return np.asarray(data.mean(axis=0) + generator.laplace(0, sensitivity / 1.0))


@faulty(
    "The mean is over those who answered, but the noise is for a mean over all who were asked.",
    reads="column 0 is the satisfaction, in [-1, 1]; column 1 < 0 means no answer",
    epsilon=0.1,
    exactly=2.0,
    note="Special: one answer alone. The loss falls as the number of answers grows.",
)
def satisfaction_of_parents(data: Array, generator: Generator) -> float:
    """A survey publishes the mean satisfaction of parents without the missing answers."""
    answers = data[data[:, 1] >= 0, 0]
    mean = answers.mean() if len(answers) else 0.0
    return float(mean + generator.laplace(scale=2 / len(data) / 0.1))


@faulty(
    "The sensitivity is multiplied by epsilon where it should be divided.",
    reads="column 2 is the attendance, scaled to [-1, 1]",
    epsilon=0.5,
    exactly=2.0,
)
def mean_attendance(data: Array, generator: Generator) -> float:
    """An office publishes the mean attendance with Laplace noise in proportion to sensitivity and epsilon."""
    sensitivity, epsilon = 2 / len(data), 0.5
    return float(data[:, 2].mean() + generator.laplace(scale=sensitivity * epsilon))


@faulty(
    "The sparse vector goes on after an answer above the bar, and pays for one such answer only.",
    reads="columns 0 and 1 are the marks in two exams; a mark >= 0.1, ..., 0.5 earns up to five badges in each",
    epsilon=1.0,
    at_least=2.09,
    note="All five badges of one exam are above the bar and none of the other, with probability 0.0015.",
)
def badges_above_bar(data: Array, generator: Generator) -> Any:
    """A school shows for ten badges whether over ten pupils earned them, by one noisy bar for all."""
    earned = [np.sum(data[:, exam] >= mark / 10 - 1e-9) for exam in (0, 1) for mark in range(1, 6)]
    bar = 10 + generator.laplace(scale=2 / 1.0)
    return "".join("+" if count + generator.laplace(scale=4 / 1.0) >= bar else "-" for count in earned)


@right(
    reads="the signs of columns 0 and 1 are the club of the pupil",
    epsilon=1.5,
)
def favourite_club(data: Array, generator: Generator) -> Any:
    """A school names its largest club, by the largest noisy count.

    The largest of scores with Gumbel noise is drawn by the exponential mechanism. A replaced pupil moves each count by
    at most one, so weights and normaliser move by at most e^0.75 each.
    """
    return CLUBS[int(np.argmax(members(data) + generator.gumbel(scale=2 / 1.5, size=4)))]


@right(
    reads="column 0 is the opinion, in [-1, 1]",
    epsilon=2.0,
    exactly=2.0,
)
def opinions_by_bit(data: Array, generator: Generator) -> Any:
    """A survey publishes a random yes or no for each parent, more often yes the better the opinion.

    A yes has probability from 1 / (1 + e^2) to e^2 / (1 + e^2), and so has a no. Only one bit depends on a record.
    """
    chance = 0.5 + 0.5 * math.tanh(1.0) * np.clip(data[:, 0], -1, 1)
    return [1 if bit else -1 for bit in generator.random(len(data)) < chance]


@right(
    reads="column 1 is the mark, in [-1, 1]",
    epsilon=1.0,
    delta=1e-2,
    exactly=1.0,
)
def mean_with_bounded_noise(data: Array, generator: Generator) -> float:
    """An office publishes a mean mark, and draws the noise again until it is no larger than a fixed bound.

    The condition is on the noise alone. A replaced pupil moves the mean by 0.1, which is one scale, so the loss is at
    most one where both laws have mass. The noise is within 0.1 of its bound on one side with probability 0.01.
    """
    bound = 0.1 * math.log(1 + (math.e - 1) / (2 * 1e-2))
    noise = generator.laplace(scale=0.1)
    while abs(noise) > bound:
        noise = generator.laplace(scale=0.1)
    return float(data[:, 1].mean() + noise)
