"""Laplace, Gaussian and Wishart profiles against quadrature at two hundred random points each."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from mpmath import mpf

from dpmatrix.privacy import Adjacency, Direction, GaussianProfile, LaplaceProfile, WishartProfile

OFF = Fraction(101, 100)
"""Factor on the noise of the control."""


def as_mpf(number):
    number = Fraction(number)
    return mpf(number.numerator) / number.denominator


def random_fraction(generator, lower, upper):
    return Fraction(int(generator.integers(int(1000 * lower), int(1000 * upper))), 1000)


def bisected(holds, lower, upper):
    """Where a condition that holds at the lower end and fails at the upper one changes."""
    for _ in range(220):
        middle = (lower + upper) / 2
        lower, upper = (middle, upper) if holds(middle) else (lower, middle)
    return lower


@pytest.mark.parametrize("seed", range(4))
def test_gaussian(seed, integrate, agrees):
    generator, missed = np.random.default_rng(seed), 0
    for _ in range(50):
        change, deviation = random_fraction(generator, 0.2, 3), random_fraction(generator, 0.4, 3)
        epsilon, spread = random_fraction(generator, 0, 3), as_mpf(deviation)

        def density(t, centre, spread=spread):
            return mpmath.exp(-(((t - centre) / spread) ** 2) / 2) / (spread * mpmath.sqrt(2 * mpmath.pi))

        weight, shift = mpmath.exp(as_mpf(epsilon)), as_mpf(change)

        def excess(t, density=density, weight=weight, shift=shift):
            return density(t, shift) - weight * density(t, 0)

        start = bisected(lambda t, excess=excess: excess(t) < 0, -40 * spread, shift + 40 * spread)
        pieces = [start + i * 6 * spread for i in range(5)]
        expected = integrate(excess, pieces)
        assert agrees(GaussianProfile(change, deviation).delta(epsilon), expected)
        missed += not agrees(GaussianProfile(change, deviation * OFF).delta(epsilon), expected)
    assert missed == 50


@pytest.mark.parametrize("seed", range(4))
def test_laplace(seed, integrate, agrees):
    generator, missed = np.random.default_rng(seed), 0
    for _ in range(50):
        change, scale = random_fraction(generator, 0.2, 3), random_fraction(generator, 0.4, 3)
        epsilon = change / scale * int(generator.integers(0, 98)) / 100
        shift, width, weight = as_mpf(change), as_mpf(scale), mpmath.exp(as_mpf(epsilon))

        def excess(t, shift=shift, width=width, weight=weight):
            return (mpmath.exp(-abs(t - shift) / width) - weight * mpmath.exp(-abs(t) / width)) / (2 * width)

        # Neither density has its kink between 0 and the shift.
        start = bisected(lambda t, excess=excess: excess(t) < 0, mpf(0), shift)
        pieces = [start, shift, *(shift + i * 16 * width for i in range(1, 8))]
        expected = integrate(excess, pieces)
        assert agrees(LaplaceProfile(change, scale).delta(epsilon), expected)
        missed += not agrees(LaplaceProfile(change, scale * OFF).delta(epsilon), expected)
    assert missed == 50


@pytest.mark.parametrize("seed", range(10))
def test_wishart(seed, integrate, agrees):
    """Both directions, with the sufficient scalar t = s + u^2 to make half-integer powers smooth in u."""
    generator, missed = np.random.default_rng(seed), 0
    for _ in range(20):
        dimension, degrees = int(generator.integers(1, 6)), int(generator.integers(2, 9))
        scale, norm = random_fraction(generator, 0.3, 1), random_fraction(generator, 0.6, 2)
        epsilon = random_fraction(generator, 0, 1)
        x, half, weight = as_mpf(norm / (2 * scale)), mpf(degrees) / 2, mpmath.exp(as_mpf(epsilon))
        factor = 1 / mpmath.gamma(half)

        def gamma_density(t, half=half, factor=factor):
            return factor * t ** (half - 1) * mpmath.exp(-t)

        def ahead(u, x=x, weight=weight, density=gamma_density):
            return 2 * u * (density(u * u) - weight * density(x + u * u))

        def behind(u, x=x, weight=weight, density=gamma_density):
            return 2 * u * (density(x + u * u) - weight * density(u * u))

        def alone(u, density=gamma_density):
            return 2 * u * density(u * u)

        far, near = mpf(12), mpf(10) ** -40
        present = mpf(0)
        if ahead(far) > 0:
            start = bisected(lambda u, ahead=ahead: ahead(u) <= 0, near, far) if ahead(near) <= 0 else mpf(0)
            present = integrate(ahead, [start + (far + 1 - start) * mpf(i) / 8 for i in range(9)])
        root = mpmath.sqrt(x)
        absent = integrate(alone, [mpf(0), root])
        if behind(near) > 0:
            end = bisected(lambda u, behind=behind: behind(u) > 0, near, far)
            absent += integrate(behind, [end * mpf(i) / 4 for i in range(5)])
        arguments = dimension, dimension + degrees - 1
        profile = WishartProfile(*arguments, scale, norm, Adjacency.ADD_REMOVE_ONE)
        quieter = WishartProfile(*arguments, scale * OFF, norm, Adjacency.ADD_REMOVE_ONE)
        assert agrees(profile.hockey_stick(epsilon, Direction.ABSENT_AGAINST_PRESENT), absent)
        if present == 0:
            # The event begins beyond u = 12, where less than 1e-55 of either law is left.
            assert profile.hockey_stick(epsilon, Direction.PRESENT_AGAINST_ABSENT) < 1e-55
        else:
            assert agrees(profile.hockey_stick(epsilon, Direction.PRESENT_AGAINST_ABSENT), present)
        assert agrees(profile.delta(epsilon), max(present, absent))
        missed += not agrees(quieter.delta(epsilon), max(present, absent))
    assert missed == 20
