"""The data of Figure 1 of `near-optimal`: the bound (21) on the correlation of MOD-SULQ, and what it reaches."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb

from dpmatrix.claims import Truth
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, precision
from dpmatrix.spec.near_optimal.noise import ModSulq, printed_deviation
from dpmatrix.spec.near_optimal.sulq_bound import SETTING
from dpmatrix.spec.near_optimal.sulq_curve import curve

FloatArray = npt.NDArray[np.float64]

BITS = 192


@frozen
class CurvePoint:
    """A point of Figure 1.

    Attributes
    ----------
    dimension, records, epsilon, delta
        Where.
    deviation
        The noise beta of (5).
    bound
        The right side of (21), enclosed.
    """

    dimension: int
    records: int
    epsilon: Real
    delta: Real
    deviation: arb
    bound: arb


def correlation_bound(dimension: int, records: int, epsilon: Real, delta: Real) -> CurvePoint:
    """Compute the right side of (21), minimised over Phi.

    Raises
    ------
    InvalidParameterError
        If the dimension is below 2, there is no record, epsilon is not positive or delta not between 0 and 1.
    """
    point = ModSulq(dimension, records, epsilon, delta)
    for condition in SETTING:
        if condition.at(point) is not Truth.TRUE:
            raise InvalidParameterError("point", f"{condition.says} fails at {point}", "see `near-optimal.theorem-15`")
    with precision(BITS):
        return CurvePoint(dimension, records, epsilon, delta, printed_deviation(point), curve(point))


def figure_1(
    dimensions: Iterable[int], epsilons: Iterable[Real], records: Iterable[int], delta: Real
) -> tuple[CurvePoint, ...]:
    """Compute one panel for each dimension and one curve for each epsilon, in this order."""
    places = product(tuple(dimensions), tuple(epsilons), tuple(records))
    return tuple(correlation_bound(d, n, epsilon, delta) for d, epsilon, n in places)


def symmetric_noise(dimension: int, deviation: float, count: int, generator: np.random.Generator) -> FloatArray:
    """Draw ``count`` symmetric matrices, shape (count, d, d), normal and independent on and above the diagonal."""
    upper = np.triu(generator.standard_normal((count, dimension, dimension)) * deviation)
    noise: FloatArray = upper + np.swapaxes(np.triu(upper, 1), 1, 2)
    return noise


def top_correlations(matrices: FloatArray, direction: FloatArray) -> FloatArray:
    """Compute ``|<v^, v>|`` for the top eigenvector v^ of each matrix and a unit vector v."""
    top = np.linalg.eigh(matrices)[1][:, :, -1]
    correlations: FloatArray = np.abs(top @ direction)
    return correlations


def simulate_mod_sulq(
    moment: FloatArray, direction: FloatArray, deviation: float, count: int, generator: np.random.Generator
) -> FloatArray:
    """Simulate the correlations that MOD-SULQ reaches on a second-moment matrix; a simulation, not a release."""
    matrices = moment + symmetric_noise(len(moment), deviation, count, generator)
    return top_correlations(matrices, direction)
