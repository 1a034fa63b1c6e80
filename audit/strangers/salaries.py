"""Sums and means of what people earn and work."""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator

from audit.strangers.record import ADD_REMOVE, Array, faulty, right

SALARY = "column 0 is a salary, -1 and 1 stand for 0 and 100 000"
BONUS = "column 0 is a bonus as a share of the salary, of which a quarter either way is allowed"


@faulty("The sensitivity of a mean is used for a sum.", reads=SALARY, exactly=20.0)
def payroll_total(data: Array, generator: Generator) -> float:
    """A payroll office publishes the total of its salaries."""
    epsilon = 1.0
    salaries = 50_000 * (1 + data[:, 0])
    sensitivity = 100_000 / len(salaries)
    return float(salaries.sum() + generator.laplace(scale=sensitivity / epsilon))


@right(reads=SALARY, exactly=1.0)
def mean_salary(data: Array, generator: Generator) -> float:
    """A payroll office publishes its mean salary.

    The number of records is public, and one salary moves the mean by at most 100 000 / n. From 0 to 100 000 it moves by
    that much, so that nothing is left over.
    """
    epsilon = 1.0
    salaries = 50_000 * (1 + data[:, 0])
    return float(salaries.mean() + generator.laplace(scale=100_000 / (len(salaries) * epsilon)))


@faulty("The range is read off the data, so the scale of the noise gives it away.", reads=SALARY, exactly=math.inf)
def average_age(data: Array, generator: Generator) -> float:
    """An analyst of staff records wants the average age and does not know the range of ages."""
    epsilon = 1.0
    ages = 45 + 20 * data[:, 0]
    low, high = ages.min(), ages.max()
    return float(ages.mean() + generator.laplace(scale=(high - low) / (len(ages) * epsilon)))


@faulty("The mean is clipped in the place of each bonus.", reads=BONUS, exactly=4.0)
def bonus_clipped_late(data: Array, generator: Generator) -> float:
    """A works council asks for the mean bonus, with outliers cut off."""
    epsilon, low, high = 1.0, -0.25, 0.25
    mean = np.clip(data[:, 0].mean(), low, high)
    return float(mean + generator.laplace(scale=(high - low) / (len(data) * epsilon)))


@right(reads=BONUS, exactly=1.0)
def bonus_clipped_early(data: Array, generator: Generator) -> float:
    """A works council asks for the mean bonus, with outliers cut off.

    Each bonus is clipped to an interval of length 1/2 before the mean is taken, so one record moves it by 1/(2n). From
    one end to the other it moves by that much.
    """
    epsilon, low, high = 1.0, -0.25, 0.25
    mean = np.clip(data[:, 0], low, high).mean()
    return float(mean + generator.laplace(scale=(high - low) / (len(data) * epsilon)))


@faulty(
    "Hours are said to lie between 20 and 60, but nothing clips them to that.",
    reads="column 0 is a working week, -1 and 1 stand for 0 and 80 hours",
    exactly=2.0,
)
def hours_worked(data: Array, generator: Generator) -> float:
    """A union adds up the working week of its members."""
    epsilon, shortest, longest = 1.0, 20.0, 60.0
    hours = 40 + 40 * data[:, 0]
    return float(hours.sum() + generator.laplace(scale=(longest - shortest) / epsilon))


@faulty(
    "The scale of the noise is epsilon over the sensitivity, upside down.",
    reads="who worked overtime has a positive column 0",
    epsilon=0.5,
    exactly=2.0,
)
def overtime(data: Array, generator: Generator) -> float:
    """A foreman counts who worked overtime."""
    epsilon, sensitivity = 0.5, 1.0
    return float((data[:, 0] > 0).sum() + generator.laplace(scale=epsilon / sensitivity))


@faulty(
    "1/epsilon is taken for the standard deviation of the noise, not for its scale.",
    reads="column 0 is a bill, -1 and 1 stand for nothing and the maximum",
    exactly=math.sqrt(2),
)
def expenses(data: Array, generator: Generator) -> float:
    """An accountant adds up travel expenses, each between 0 and 1, with noise given by its standard deviation."""
    epsilon = 1.0
    deviation = 1 / epsilon
    bills = (1 + data[:, 0]) / 2
    return float(bills.sum() + generator.laplace(scale=deviation / math.sqrt(2)))


@faulty(
    "One draw of noise is added to both sums, and their difference is exact.",
    reads="women have a positive column 1; column 0 is pay between 0 and 1, as (1 + x) / 2",
    exactly=math.inf,
)
def pay_gap(data: Array, generator: Generator) -> Array:
    """An equality officer compares the pay of women with that of men."""
    epsilon = 1.0
    pay, women = (1 + data[:, 0]) / 2, data[:, 1] > 0
    noise = generator.laplace(scale=2 / epsilon)
    return np.array([pay[women].sum() + noise, pay[~women].sum() + noise])


@right(reads="the absolute value of column 0 is a tip between 0 and 1", adjacency=ADD_REMOVE)
def mean_tip(data: Array, generator: Generator) -> float:
    """A restaurant publishes its mean tip; how many tables there were is private too.

    Half of epsilon pays for the total, which one record moves by at most 1, and half for the number. The quotient of
    the two noisy numbers, with the bound on the divisor, is computed from them alone.
    """
    epsilon = 1.0
    total = np.abs(data[:, 0]).sum() + generator.laplace(scale=2 / epsilon)
    count = len(data) + generator.laplace(scale=2 / epsilon)
    return float(total / max(1.0, count))


@faulty(
    "All of epsilon is spent on the total, and all of it once more on the count.",
    reads="the absolute value of column 0 is a tip between 0 and 1",
    adjacency=ADD_REMOVE,
    exactly=2.0,
)
def tips_and_tables(data: Array, generator: Generator) -> Array:
    """A restaurant publishes the total of its tips and the number of its tables."""
    epsilon = 1.0
    total = np.abs(data[:, 0]).sum() + generator.laplace(scale=1 / epsilon)
    count = len(data) + generator.laplace(scale=1 / epsilon)
    return np.array([total, count])


@faulty(
    "The number of records is taken for public although records come and go; mean and scale both depend on it.",
    reads="column 0 is a change of pay between -1 and 1",
    adjacency=ADD_REMOVE,
    exactly=math.inf,
)
def mean_raise(data: Array, generator: Generator) -> float:
    """A newspaper prints the mean raise of those who sent theirs in."""
    epsilon = 1.0
    count = len(data)
    return float(data[:, 0].sum() / count + generator.laplace(scale=1 / (count * epsilon)))


@faulty(
    "The total is kept in 16 bits and wraps around, so that one cent can move it by 65 535.",
    reads="column 0 is a balance in units of 10 000 cents",
    exactly=65_535 / 20_000,
)
def balance_in_cents(data: Array, generator: Generator) -> float:
    """A bank's embedded till adds up balances of at most 100 either way, in cents."""
    epsilon = 1.0
    cents = np.round(data[:, 0] * 10_000).astype(np.int16)
    total = cents.sum(dtype=np.int16)
    return float(total + generator.laplace(scale=20_000 / epsilon))


@faulty("The seed is fixed, so the noise is a constant that anybody can subtract.", reads=SALARY, exactly=math.inf)
def reproducible_mean(data: Array) -> float:
    """A researcher publishes a mean salary and wants her notebook to be reproducible."""
    epsilon = 1.0
    generator = np.random.default_rng(2024)
    salaries = (1 + data[:, 0]) / 2
    return float(salaries.mean() + generator.laplace(scale=1 / (len(salaries) * epsilon)))
