"""Noise on lattices of every fineness: tiny scales, ordinary ones, and those beyond 2^40, each by a sampler of its own.

Which sampler draws depends on the public scale. Releases of zero records on lattices from the coarsest to fine ones
have the mean size and the mean square that the exact law has, computed here by summing it: no mean of 4,100 independent
numbers is more than eight of its standard deviations off. The seeds are fixed, so that no luck is left. The controls
are the laws of three quarters and of four thirds of the scale. Where bits are secret, 820 numbers come again with
probability below 1e-100, since the likeliest number has a probability below 3/4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpmatrix.mechanisms import AnalyzeGauss, LaplaceInputPerturbation
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

ADDED = Adjacency.ADD_REMOVE_ONE
COLUMNS, RELEASES = 40, 5
MECHANISMS: dict[str, Callable[..., Any]] = {
    "laplace": LaplaceInputPerturbation,
    "gaussian": lambda epsilon, *given, **more: AnalyzeGauss(epsilon, *given, delta=Fraction(1, 4), **more),
}
SETTINGS = [
    (Fraction(epsilon), bits)
    for epsilon, bits in ((1, 0), (1, 6), (1, 19), (1, 40), (60, 0), (60, 1), (60, 6), (60, 17), (2000, 1), (2000, 6))
]


def probability(name: str, parameter: float, k: np.ndarray) -> np.ndarray:
    """Return the exact law, up to a factor."""
    return np.exp(-np.abs(k) / parameter) if name == "laplace" else np.exp(-(k**2) / (2 * parameter))


def expected(name: str, parameter: float) -> tuple[float, float, float, float]:
    """Return the means of the size and of the square, and the standard deviations of both, of one number."""
    scale = parameter if name == "laplace" else math.sqrt(parameter)
    # Beyond a thousand the law and its density agree to a millionth.
    step = 1 if scale < 1000 else scale / 1000
    k = step * np.arange(-math.ceil(60 * scale / step) - 60, math.ceil(60 * scale / step) + 61)
    weight = probability(name, parameter, k)
    weight /= weight.sum()
    first, second, fourth = (float(weight @ np.abs(k) ** power) for power in (1, 2, 4))
    return first, second, math.sqrt(max(second - first**2, 0)), math.sqrt(max(fourth - second**2, 0))


def drawn(mechanism: Any, seed: int | None) -> np.ndarray:
    entropy = None if seed is None else SeededEntropy(seed)
    integers = mechanism.release(np.zeros((1, COLUMNS)), entropy=entropy).integers
    return integers[np.triu_indices(COLUMNS)].astype(float)


def far(name: str, numbers: np.ndarray, parameter: float) -> bool:
    """Whether a mean is more than eight of its standard deviations from that of a law."""
    first, second, one, two = expected(name, parameter)
    root = math.sqrt(len(numbers))
    size, square = abs(np.abs(numbers).mean() - first), abs((numbers**2).mean() - second)
    return bool(size > 8 * one / root + 1e-9 * first or square > 8 * two / root + 1e-9 * second)


@pytest.mark.parametrize(("epsilon", "bits"), SETTINGS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_the_noise_on_a_lattice_of_any_fineness_has_the_exact_law(name: str, epsilon: Fraction, bits: int) -> None:
    mechanism = MECHANISMS[name](epsilon, ADDED, coordinate_bits=bits)
    noise = mechanism.noise_scale if name == "laplace" else mechanism.noise_variance
    parameter = float(noise(COLUMNS))
    numbers = np.concatenate([drawn(mechanism, seed) for seed in range(RELEASES)])
    assert not far(name, numbers, parameter)
    # Of a tiny scale nearly every number is zero, whatever the scale.
    if np.count_nonzero(numbers) > len(numbers) / 4:
        for factor in (Fraction(3, 4), Fraction(4, 3)):
            assert far(name, numbers, parameter * float(factor if name == "laplace" else factor**2)), "control"
        assert not np.array_equal(drawn(mechanism, None), drawn(mechanism, None)), "noise is drawn anew"
        assert abs(numbers.mean()) <= 8 * math.sqrt(expected(name, parameter)[1] / len(numbers))
