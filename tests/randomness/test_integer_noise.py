"""Discrete Laplace noise of any scale: the law is exact on every method, and the methods are the ones intended."""

from __future__ import annotations

import math
import os
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness import integer_noise
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import (
    discrete_gaussian_noise,
    discrete_laplace_noise,
    gaussian_integers,
    laplace_integers,
)

LARGE = Fraction(2**47) * Fraction(4, 3)


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
    ("scale", "method"),
    [
        (Fraction(1, 10**9), "tiny"),
        (Fraction(1, 1000), "fast"),
        (Fraction(2**40), "fast"),
        (Fraction(2**40) + Fraction(1, 3), "wide"),
        (10.0**140, "wide"),
    ],
)
def test_every_scale_has_its_method(monkeypatch, scale, method):
    used = set()

    def spy(module, attribute, name):
        original = getattr(module, attribute)
        monkeypatch.setattr(module, attribute, lambda *arguments: used.add(name) or original(*arguments))

    for law in ("laplace", "gaussian"):
        spy(integer_noise.fast_wide, f"wide_{law}", "wide")
        spy(integer_noise.fast_discrete, f"discrete_{law}", "fast")
        spy(integer_noise.fast_tiny, f"tiny_{law}", "tiny")
    assert len(discrete_laplace_noise(scale, 5, SystemEntropy())) == 5
    assert used == {method}
    used.clear()
    assert len(discrete_gaussian_noise(Fraction(scale) ** 2, 5, SystemEntropy())) == 5
    assert used == {method}


def test_arrays_and_lists_hold_the_same_numbers():
    for scale in (Fraction(1, 10**9), 1, LARGE, Fraction(2**80)):
        array = laplace_integers(scale, 20, SeededEntropy(1))
        assert array.tolist() == discrete_laplace_noise(scale, 20, SeededEntropy(1))
        assert array.dtype == (np.int64 if scale < 2**60 else object)
        array = gaussian_integers(scale**2, 20, SeededEntropy(1))
        assert array.tolist() == discrete_gaussian_noise(scale**2, 20, SeededEntropy(1))


class Counting(SeededEntropy):
    """Counts what is asked for."""

    asked = 0

    def words(self, count):
        """Give words, counted."""
        self.asked += count
        return super().words(count)


@pytest.mark.parametrize("scale", [Fraction(1, 10**9), Fraction(1, 1000), 1, 2**40, LARGE, Fraction(2**80)])
@pytest.mark.parametrize(
    ("draw", "power"),
    [(laplace_integers, 1), (discrete_laplace_noise, 1), (gaussian_integers, 2), (discrete_gaussian_noise, 2)],
)
def test_noise_is_made_of_the_source_that_is_given(draw, power, scale):
    """Every number costs a word of it, one source gives the same numbers again, and another one others."""
    one, again, other = Counting(1), Counting(1), Counting(2)
    found, same, others = (list(draw(scale**power, 40, entropy)) for entropy in (one, again, other))
    assert one.asked == again.asked >= 10
    assert found == same
    assert (found != others) is (scale >= 1)
    # The sources stand where the draws left them.
    assert one.bits(64) == again.bits(64)


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


class ForkingEntropy(SystemEntropy):
    """Forks at the second request for words."""

    def __init__(self):
        super().__init__()
        self.calls, self.child = 0, None

    def words(self, count):
        """Give words, forking first at the second call."""
        self.calls += 1
        if self.calls == 2:
            self.child = os.fork()
        return super().words(count)


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
