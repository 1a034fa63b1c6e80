"""Float noise of PyDP (python-dp 1.1.5): Laplace noise keeps its promise in every bit, Gaussian noise does not.

PyDP wraps Google's differential-privacy library in C++. That draws noise as an integer times a power of two, rounds the
value to a multiple of the same power and adds. The sum is private in every bit where the noise is exact. The integers
of Laplace noise are of about 40 bits. Those of Gaussian noise are of up to 57 and more (``kBinomialBound``, in
``cc/algorithms/distributions.cc``), and ``SampleBinomial`` returns them as a ``double``, which has 53: the low bits of
a large one are gone. So a sum near zero has its last bit set half of the time if the value is 0, and never if it is 1,
since noise near -1 has no such bit. It is the attack of Haney et al. (2022, arXiv 2207.13793), on the sampler itself.

PyDP's own words are that its algorithms use Laplace noise only; Gaussian noise is offered as ``GaussianMechanism``, and
PipelineDP, which was not audited here, takes its Gaussian noise from it. Google's document on secure noise says what
the construction is for. Not found in the issues of PyDP, PipelineDP and google/differential-privacy when searched on
2026-11-30; number 126 of the last is about sums of floats before the noise.

A violation is certified, and an alarm rung, with probability at most 1e-9 each. The direct test counts 20,000 outputs:
an event of probability 0.053 happens fewer than 700 times with probability below 1e-12.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from pydp.algorithms.laplacian import BoundedSum
from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism
from scipy.stats import binom, norm

from dpmatrix.auditing import adversarial_centres

CAUSE = "cc/algorithms/distributions.cc of google/differential-privacy, SampleBinomial returns 57 bits as a double"
DELTA = 1e-5
PAIRS = [pair for pair in adversarial_centres(1.0) if abs(pair.data) <= 8][:4]


def test_laplace_noise_gives_nothing_away(audited_low_bits) -> None:
    mechanism = LaplaceMechanism(1.0, 1.0)

    def target(centre: float, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([mechanism.add_noise(float(centre)) for _ in range(size)])

    result = audited_low_bits(target, PAIRS, epsilon=1)
    assert not result.leaks
    assert not result.violated


def test_bounded_sums_give_nothing_away(audited_low_bits) -> None:
    mechanism = BoundedSum(epsilon=1.0, lower_bound=-1.0, upper_bound=1.0, dtype="float")

    def target(centre: float, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([mechanism.quick_result([float(centre)]) for _ in range(size)])

    result = audited_low_bits(target, [pair for pair in PAIRS if abs(pair.data) <= 1], epsilon=1)
    assert not result.leaks
    assert not result.violated


def test_gaussian_noise_gives_the_input_away(audited_low_bits) -> None:
    mechanism = GaussianMechanism(1.0, DELTA, 1.0)

    def target(centre: float, size: int, _: np.random.Generator) -> np.ndarray:
        return np.array([mechanism.add_noise(float(centre)) for _ in range(size)])

    result = audited_low_bits(target, PAIRS, epsilon=1, delta=DELTA, cause=CAUSE)
    assert result.leaks
    assert result.violated
    assert result.delta_lower_bound > 0.03


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_the_last_bit_of_gaussian_noise_says_which_value_it_was(value: float) -> None:
    """At 1e-5 and epsilon one the grid is 2**-54: half of what is below one half in size is odd on it, at value 0."""
    mechanism = GaussianMechanism(1.0, DELTA, 1.0)
    grid = 2.0 ** math.ceil(math.log2(2 * mechanism.std / 2.0**57))
    assert grid == 2.0**-54
    outputs = np.array([mechanism.add_noise(value) for _ in range(20_000)])
    odd = int(np.sum(np.abs(outputs / grid) % 2 == 1))
    probability = (norm.cdf(0.5 / mechanism.std) - norm.cdf(-0.5 / mechanism.std)) / 2
    assert probability == pytest.approx(0.053, abs=5e-4)
    assert binom.cdf(699, 20_000, probability) < 1e-12
    assert odd >= 700 if value == 0 else odd == 0
