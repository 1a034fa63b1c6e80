"""The exact samplers against their laws at large scales, where the tree is too wide to enumerate."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import laplace, norm

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.discrete import bernoulli, bernoulli_exp, discrete_gaussian, discrete_laplace, uniform_below
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

SIZE = 20_000
CONTINUITY = 1e-6
"""Above the distance between a discrete law of scale 2**30 and its continuous limit."""


def test_discrete_laplace_at_a_large_scale(cdf_radius, cdf_distance):
    scale = Fraction(2**40 + 1, 3)
    entropy = SystemEntropy()
    draws = [discrete_laplace(scale, entropy) for _ in range(SIZE)]
    assert cdf_distance(draws, laplace(scale=float(scale)).cdf) <= cdf_radius(SIZE) + CONTINUITY


@pytest.mark.parametrize("factor", [Fraction(3, 4), Fraction(4, 3)])
def test_control_a_wrong_laplace_scale_is_rejected(cdf_radius, cdf_distance, factor):
    # The two laws are 0.0527 apart and the radius is 0.0245: not rejected with probability below 1e-13.
    scale = Fraction(2**40 + 1, 3)
    entropy = SystemEntropy()
    draws = [discrete_laplace(factor * scale, entropy) for _ in range(SIZE)]
    assert cdf_distance(draws, laplace(scale=float(scale)).cdf) > cdf_radius(SIZE) + CONTINUITY


@pytest.mark.parametrize(("factor", "accepted"), [(1, True), (Fraction(9, 16), False)])
def test_discrete_gaussian_at_a_large_variance(cdf_radius, cdf_distance, factor, accepted):
    # At 3/4 of the standard deviation the laws are 0.069 apart.
    variance = Fraction(2**70, 7)
    entropy = SystemEntropy()
    draws = [discrete_gaussian(factor * variance, entropy) for _ in range(SIZE)]
    reached = cdf_distance(draws, norm(scale=math.sqrt(variance)).cdf)
    assert (reached <= cdf_radius(SIZE) + CONTINUITY) is accepted


def test_small_scale_tail_is_geometric(cdf_radius):
    scale = Fraction(5, 2)
    entropy = SeededEntropy(11)
    draws = np.array([discrete_laplace(scale, entropy) for _ in range(4000)])
    ratio = np.exp(-2 / 5)
    for value in range(-6, 7):
        tail = ratio**value / (1 + ratio) if value > 0 else 1 - ratio ** (1 - value) / (1 + ratio)
        assert abs(np.mean(draws >= value) - tail) <= cdf_radius(4000)


@pytest.mark.parametrize(
    ("call", "parameter"),
    [
        (lambda e: uniform_below(0, e), "bound"),
        (lambda e: bernoulli(Fraction(3, 2), e), "probability"),
        (lambda e: bernoulli(Fraction(-1, 2), e), "probability"),
        (lambda e: bernoulli_exp(Fraction(-1, 9), e), "rate"),
        (lambda e: discrete_laplace(Fraction(0), e), "scale"),
        (lambda e: discrete_gaussian(Fraction(-1), e), "variance"),
        (lambda e: discrete_gaussian(Fraction(0), e), "variance"),
    ],
)
def test_parameters_outside_their_domain_are_refused(call, parameter):
    with pytest.raises(InvalidParameterError, match=parameter):
        call(SeededEntropy(0))
