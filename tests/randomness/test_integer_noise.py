"""Discrete Laplace noise of any scale: the law is exact on every road, and the roads are the ones intended."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness import integer_noise
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import (
    discrete_gaussian_noise,
    discrete_laplace_noise,
    wide_gaussian,
    wide_laplace,
)

LARGE = Fraction(2**47) * Fraction(4, 3)


def distance_to_discrete_laplace(values, scale) -> float:
    """Compute the Kolmogorov distance of draws from the discrete Laplace law."""
    ratio = math.exp(-1 / scale)
    points = np.arange(min(values), max(values) + 1)
    tail = np.exp(-np.abs(points) / scale) / (1 + ratio)
    exact = np.where(points < 0, tail, 1 - tail * ratio)
    ranks = np.searchsorted(np.sort(values), points, side="right") / len(values)
    return float(np.max(np.abs(exact - ranks)))


@pytest.mark.parametrize(("scale", "bits"), [(Fraction(33, 8), 2), (Fraction(4), 2), (Fraction(7, 2), 0)])
def test_the_wide_road_has_the_law_where_every_branch_is_frequent(cdf_radius, scale, bits):
    values = np.array(wide_laplace(scale, 40_000, SystemEntropy(), bits))
    assert distance_to_discrete_laplace(values, float(scale)) <= cdf_radius(len(values))
    # Control: six tenths of the noise.
    values = np.array(wide_laplace(scale * Fraction(6, 10), 40_000, SystemEntropy(), max(bits - 1, 0)))
    assert distance_to_discrete_laplace(values, float(scale)) > 2 * cdf_radius(len(values))


def test_control_without_the_refusals_the_law_is_another_one(cdf_radius, monkeypatch):
    monkeypatch.setattr(integer_noise, "_kept", lambda *_: True)
    # Nothing is refused but "minus zero", so 150,000 are quick. The laws are 0.0287 apart, and the radius is 0.0089.
    values = np.array(wide_laplace(Fraction(33, 8), 150_000, SystemEntropy(), 2))
    assert distance_to_discrete_laplace(values, 33 / 8) > 2 * cdf_radius(len(values))


@pytest.mark.parametrize("residue", [0, 1, 2, 3])
def test_a_residue_is_kept_with_probability_exp_of_its_share(monkeypatch, residue):
    """Walk the tree of trials to depth 12; what is left is below 1/12!."""
    scale, width = Fraction(33, 8), 4
    kept = 1 - width / scale
    for length in range(1, 13):
        for outcomes in product((True, False), repeat=length):
            if outcomes[:-1] != (True,) * (length - 1) or outcomes[-1]:
                continue
            weight, left = width / scale, list(outcomes)

            def scripted(probability, _entropy, left=left):
                nonlocal weight
                outcome = left.pop(0)
                weight *= probability if outcome else 1 - probability
                return outcome

            monkeypatch.setattr(integer_noise.discrete, "bernoulli", scripted)
            if integer_noise._kept(residue, width, scale, SeededEntropy(0)):
                kept += weight
            assert not left
    assert abs(float(kept) - math.exp(-residue / scale)) < 1 / math.factorial(12) + 1e-15


@pytest.mark.parametrize("scale", [LARGE, Fraction(2**600, 3)])
def test_large_scales_have_the_law_and_even_low_digits(cdf_radius, scale):
    # The lattice step is below 2**-40 of the scale, so the continuous law serves; error 1e-10 for each comparison.
    values = discrete_laplace_noise(scale, 50_000, SystemEntropy())
    assert all(type(value) is int for value in values)
    for factor, accepted in ((1, True), (Fraction(3, 4), False)):
        scaled = np.sort([float(factor * value / scale) for value in values])
        exact = np.where(scaled < 0, 0.5 * np.exp(-np.abs(scaled)), 1 - 0.5 * np.exp(-np.abs(scaled)))
        ranks = np.arange(len(scaled) + 1) / len(scaled)
        distance = max(np.max(np.abs(exact - ranks[1:])), np.max(np.abs(exact - ranks[:-1])))
        assert bool(distance <= cdf_radius(len(scaled)) + 1e-9) is accepted
    # Control for the digits: those of even numbers are not even.
    for factor, accepted in ((1, True), (2, False)):
        counts = np.bincount([factor * value % 16 for value in values], minlength=16)
        spread = np.max(np.abs(np.cumsum(counts) / len(values) - np.arange(1, 17) / 16))
        assert bool(spread <= cdf_radius(len(values)) + 1e-9) is accepted


@pytest.mark.parametrize(
    ("scale", "road"),
    [
        (Fraction(1, 10**9), "reference"),
        (Fraction(1, 1000), "fast"),
        (Fraction(2**40), "fast"),
        (Fraction(2**40) + Fraction(1, 3), "wide"),
        (10.0**300, "wide"),
    ],
)
def test_every_scale_has_its_road(monkeypatch, scale, road):
    used = set()

    def spy(module, attribute, name):
        original = getattr(module, attribute)
        monkeypatch.setattr(module, attribute, lambda *arguments: used.add(name) or original(*arguments))

    spy(integer_noise, "wide_laplace", "wide")
    spy(integer_noise.fast_discrete, "discrete_laplace", "fast")
    spy(integer_noise.discrete, "discrete_laplace", "reference")
    assert len(discrete_laplace_noise(scale, 5, SystemEntropy())) == 5
    # The wide road may ask the reference to begin again.
    assert used - ({"reference"} if road == "wide" else set()) == {road}


def test_none_are_drawn_when_none_are_asked_for():
    for scale in (Fraction(1, 10**9), 1, LARGE):
        assert discrete_laplace_noise(scale, 0, SystemEntropy()) == []


@pytest.mark.parametrize("scale", [0, -1, 0.0, math.inf, math.nan, "1", None, 1j])
def test_scales_that_are_not_positive_rationals_are_refused(scale):
    with pytest.raises(InvalidParameterError, match="scale"):
        discrete_laplace_noise(scale, 3, SystemEntropy())


@pytest.mark.parametrize("count", [-1, 1.5, None])
def test_counts_that_are_none_are_refused(count):
    with pytest.raises(InvalidParameterError, match="shape"):
        discrete_laplace_noise(1, count, SystemEntropy())


@pytest.mark.parametrize("word", [-1, 2**100, None, 0.5])
def test_bits_that_are_none_are_an_error(word):
    class Broken(SeededEntropy):
        def bits(self, _count):
            return word

    with pytest.raises(EntropyError, match="bits"):
        discrete_laplace_noise(LARGE, 3, Broken(1))


class ForkingEntropy(SystemEntropy):
    """Forks at the fifth request for bits."""

    def __init__(self):
        super().__init__()
        self.calls, self.child = 0, None

    def bits(self, count):
        """Give bits, forking first at the fifth call."""
        self.calls += 1
        if self.calls == 5:
            self.child = os.fork()
        return super().bits(count)


@pytest.mark.parametrize("scale", [Fraction(1, 10**6), LARGE])
def test_a_child_forked_in_the_middle_gets_an_error(scale):
    entropy, status = ForkingEntropy(), 3
    try:
        values = discrete_laplace_noise(scale, 20, entropy)
        status = 1
    except EntropyError as error:
        status = 0 if "forked" in str(error) else 2
    except BaseException:
        status = 2
    if entropy.child == 0:
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(entropy.child, 0)[1]) == 0
    assert status == 1
    assert len(values) == 20


def distance_to_discrete_gaussian(values, variance) -> float:
    """Compute the Kolmogorov distance of draws from the discrete Gaussian law."""
    points = np.arange(-200, 201)
    mass = np.exp(-(points**2) / (2 * variance))
    ranks = np.searchsorted(np.sort(values), points, side="right") / len(values)
    return float(np.max(np.abs(np.cumsum(mass) / mass.sum() - ranks)))


@pytest.mark.parametrize("variance", [Fraction(7, 2), Fraction(40)])
def test_the_wide_gaussian_road_has_the_law(cdf_radius, variance):
    values = np.array(wide_gaussian(variance, 20_000, SystemEntropy()))
    assert distance_to_discrete_gaussian(values, float(variance)) <= cdf_radius(len(values))
    # Control: six tenths of the variance.
    values = np.array(wide_gaussian(variance * Fraction(6, 10), 20_000, SystemEntropy()))
    assert distance_to_discrete_gaussian(values, float(variance)) > cdf_radius(len(values))


@pytest.mark.parametrize("variance", [Fraction(1, 10**7), Fraction(1, 3), Fraction(10**7), Fraction(2**85, 3)])
def test_gaussian_noise_of_every_size_has_its_variance(variance):
    # A chi-square variate with 4000 degrees of freedom is off by a quarter with probability below 1e-26.
    values = discrete_gaussian_noise(variance, 4000, SystemEntropy())
    assert all(type(value) is int for value in values)
    found = sum(value * value for value in values) / (4000 * variance)
    expected = 1 if variance > 1 else 0 if variance < Fraction(1, 4) else 0.985
    assert abs(found - expected) < 0.25


@pytest.mark.parametrize("wrong", [0, -1, float("nan")])
def test_gaussian_noise_needs_a_variance(wrong):
    with pytest.raises(InvalidParameterError, match="variance"):
        discrete_gaussian_noise(wrong, 3, SystemEntropy())


@pytest.mark.parametrize(
    ("draw", "count", "limit", "share", "allowed"),
    [
        (lambda count, bits: discrete_laplace_noise(2**60, count, bits), 120_000, 17 * 2**59, math.exp(-8.5), (3, 60)),
        (
            lambda count, bits: discrete_gaussian_noise(2**120, count, bits),
            300_000,
            4 * 2**60,
            math.erfc(4 / math.sqrt(2)),
            (1, 55),
        ),
    ],
    ids=["laplace", "gaussian"],
)
def test_the_tail_of_wide_noise_is_not_cut(draw, count, limit, share, allowed) -> None:
    """Beyond 8.5 scales, or 4 standard deviations, as many as the law has: a cut there is an infinite privacy loss.

    A Poisson variate of mean 24 lies outside 3 to 60, or one of mean 19 outside 1 to 55, with probability below 1e-8;
    the seed is fixed. The control is what a cut would leave, none.
    """
    expected = count * share
    least, most = allowed
    assert least < expected < most
    values = np.array(draw(count, SeededEntropy(2026)), dtype=object)
    beyond = int((abs(values) > limit).sum())
    assert least <= beyond <= most
    assert not least <= int((np.minimum(abs(values), limit) > limit).sum()) <= most, "control"
