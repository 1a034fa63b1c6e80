"""The examples of dp-recorder: Cebere, Erb, Desfontaines, Bellet and Fitzsimons (2026).

Its repository is ObliviousAI/dp-recorder. Each example is a few lines that stand for what its authors found in
libraries: smartnoise-synth, dpmm, diffprivlib, synthcity and Opacus. Data and parameters are those of the tests of the
repository, where the claim is epsilon 1. They find the faults from inside, by a replay on the neighbour that looks at
what noise is added to; here the outputs alone are shown.

A number that is missing is NaN there. Here the mechanism takes `MISSING` for it, since data sets hold finite numbers.
Lists whose lengths differ are filled up with marks.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.published.above_threshold import NOT_ASKED
from audit.published.mechanisms import last_column
from audit.published.record import ADD_REMOVE, REPLACE, FloatArray, Input, Published, Truth
from dpmatrix.auditing import Target

EPSILON, BOUND, UNIT, MOST_CLASSES = 1.0, 5.0, 1.0, 3
FEATURES, DEGREE = 5, 5
MISSING = 1e6


def _numbers(name: str, data: list[float], neighbour: list[float]) -> tuple[Input, ...]:
    sides = [np.array(side, dtype=np.float64).reshape(-1, 1) for side in (data, neighbour)]
    return (Input(name, *sides),)


OUTSIDE = _numbers("a number within the bounds becomes one far outside", [1.0, -2.0, 3.0], [1.0, -2.0, 100.0])
OF_THREE = _numbers("one of three leaves", [0.5] * 3, [0.5] * 2)
RARE = _numbers("the only one of a class leaves", [0.0, 1.0, 2.0, 0.0], [0.0, 1.0, 0.0])
UNKNOWN = _numbers("a number becomes a missing one", [1.0, 2.0], [1.0, MISSING])
ZEROS = _numbers("a one joins a hundred zeros", [0.0] * 100, [0.0] * 100 + [1.0])
ONES = _numbers("one of two leaves", [1.0, 1.0], [1.0])
BITS = _numbers("a one leaves", [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0])


def _noisy(value: float | FloatArray, scale: float, size: int, generator: np.random.Generator) -> FloatArray:
    return np.asarray(value + generator.laplace(scale=scale, size=size), dtype=np.float64)


def total(scale: float) -> Target:
    """Add Laplace noise to the sum of the numbers as they are."""
    return lambda data, size, generator: _noisy(float(np.sum(data)), scale, size, generator)


def clipped_total(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Clip numbers, of which one may be missing, and add Laplace noise to their sum."""
    clipped = np.clip(np.where(data == MISSING, np.nan, data), -BOUND, BOUND)
    return _noisy(float(np.sum(clipped)), BOUND / EPSILON, size, generator)


def mean(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Divide a noisy sum by the exact number of records."""
    clipped = np.clip(data, -UNIT, UNIT)
    return _noisy(float(np.sum(clipped)), UNIT / EPSILON, size, generator) / len(data)


def class_counts(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Release a noisy count of each class that there is, with an equal part of epsilon for each."""
    output = np.full((size, MOST_CLASSES), NOT_ASKED)
    _, counts = np.unique(data, return_counts=True)
    for place, number in enumerate(counts):
        output[:, place] = _noisy(float(number), len(counts) / EPSILON, size, generator)
    return output


def sum_and_count(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Release a noisy sum and a noisy count, with all of epsilon for each."""
    values = (float(np.sum(data)), float(len(data)))
    return np.stack([_noisy(value, UNIT / EPSILON, size, generator) for value in values], axis=1)


def count(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Release a noisy count of the ones."""
    return _noisy(float(np.count_nonzero(data == 1.0)), 1 / EPSILON, size, generator)


def _infinite(how: str) -> Truth:
    return Truth(math.inf, exact=True, how=how)


_closed = "closed form: the shifts over their scale"
_of = partial(Published, epsilon=EPSILON, relation=ADD_REMOVE, domain="numbers")

RECORDS = (
    _of(
        name="dp-recorder/sum-not-clipped",
        source="Cebere et al. 2026, test_sensitivity_miscalibration: smartnoise-synth, dpmm and diffprivlib",
        summary="a sum with Laplace noise for numbers clipped to [-5, 5]",
        fault="the sum is of the numbers before they are clipped",
        relation=REPLACE,
        inputs=OUTSIDE,
        mechanism=total(BOUND / EPSILON),
        truth=lambda: Truth(97 / (BOUND / EPSILON), exact=True, how=_closed),
    ),
    _of(
        name="dp-recorder/mean-by-the-size",
        source="Cebere et al. 2026, test_buggy_private_mean: synthcity",
        summary="the mean of numbers clipped to [-1, 1]: their sum with Laplace noise, by their number",
        fault="the number of records is used as if it were public, and scales the noise",
        inputs=OF_THREE,
        mechanism=mean,
        truth=lambda: _infinite("closed form: tails of unequal scales, whose ratio has no bound"),
    ),
    _of(
        name="dp-recorder/classes-from-the-data",
        source="Cebere et al. 2026, test_domain_inference: diffprivlib and dpmm",
        summary="counts of all classes with Laplace noise",
        fault="the classes are those that the data have",
        inputs=RARE,
        mechanism=class_counts,
        # Where a class is missing this is a mark.
        compact=last_column,
        truth=lambda: _infinite("a list of three counts is impossible where there are two classes"),
    ),
    _of(
        name="dp-recorder/missing-number",
        source="Cebere et al. 2026, test_nan_injection: smartnoise-synth, dpmm, synthcity, Opacus and diffprivlib",
        summary="the sum of numbers clipped to [-5, 5], with Laplace noise",
        fault="a missing number is not clipped, and makes the sum a missing one",
        relation=REPLACE,
        domain=f"numbers, of which {MISSING:g} stands for a missing one",
        inputs=UNKNOWN,
        mechanism=clipped_total,
        truth=lambda: _infinite("a number is impossible where a missing one is added"),
    ),
    _of(
        name="dp-recorder/budget-spent-twice",
        source="Cebere et al. 2026, test_double_spending",
        summary="a sum and a count with Laplace noise",
        fault="each of the two has noise for all of epsilon",
        domain="numbers between 0 and 1",
        inputs=ZEROS,
        mechanism=sum_and_count,
        truth=lambda: Truth(2 / (UNIT / EPSILON), exact=True, how=_closed),
    ),
    _of(
        name="dp-recorder/no-noise",
        source="Cebere et al. 2026, test_noise_miscalibration: PrivBayes of synthcity",
        summary="a sum with Laplace noise for a sensitivity of number of features less degree",
        fault="the two are equal, so that there is no noise",
        domain="numbers between 0 and 1",
        inputs=ONES,
        mechanism=total((FEATURES - DEGREE) / EPSILON),
        truth=lambda: _infinite("the exact sums differ"),
    ),
    _of(
        name="dp-recorder/count",
        source="Cebere et al. 2026, test_correct_mechanism",
        summary="a count of ones with Laplace noise",
        domain="bits",
        inputs=BITS,
        mechanism=count,
        truth=lambda: Truth(1 / (1 / EPSILON), exact=True, how=_closed),
    ),
)
