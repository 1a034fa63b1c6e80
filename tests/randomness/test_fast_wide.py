"""Wide and tiny laws: the decision is that of the ideal real, and the law is exact where every branch is frequent."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq
from scipy.stats import laplace, norm

from dpmatrix.errors import EntropyError, OutOfRangeError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_tiny, fast_wide
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_threshold import Threshold
from dpmatrix.randomness.fast_tiny import tiny_gaussian, tiny_laplace
from dpmatrix.randomness.fast_wide import LANE_BITS, gaussian_sampler, laplace_sampler, wide_gaussian, wide_laplace

LANES = 1 << LANE_BITS
SMALL = {
    "Laplace 33/8": (laplace_sampler, Fraction(33, 8), 2, 1),
    "Laplace 4": (laplace_sampler, Fraction(4), 2, 1),
    "Laplace 7/2, no residue": (laplace_sampler, Fraction(7, 2), 0, 1),
    "Gaussian 40": (gaussian_sampler, Fraction(40), 2, 2),
    "Gaussian 7/2": (gaussian_sampler, Fraction(7, 2), 1, 2),
}


def distance(values, parameter, power) -> float:
    """Compute the Kolmogorov distance from the law of weight exp(-|k| / t), or exp(-k**2 / (2 v)) for power 2."""
    points = np.arange(-400, 401)
    mass = np.exp(-(np.abs(points) ** power) / (power * float(parameter)))
    ranks = np.searchsorted(np.sort(values), points, side="right") / len(values)
    return float(np.max(np.abs(np.cumsum(mass) / mass.sum() - ranks)))


@pytest.mark.parametrize("name", SMALL)
def test_a_small_law_comes_out_of_every_branch(cdf_radius, name):
    make, parameter, bits, power = SMALL[name]
    sampler = make(parameter, bits)
    # No quotient is certain, so that the exact decision is asked about every proposal.
    assert sampler.certain < 0
    values = sampler.draw(20_000, SystemEntropy())
    assert distance(values, parameter, power) <= cdf_radius(len(values))
    # Control: three tenths of the parameter.
    values = make(parameter * Fraction(3, 10), max(bits - 2, 0)).draw(20_000, SystemEntropy())
    assert distance(values, parameter, power) > cdf_radius(len(values))


@pytest.mark.parametrize("name", ["Laplace 33/8", "Gaussian 40"])
def test_control_without_the_refusals_the_law_is_another_one(cdf_radius, monkeypatch, name):
    make, parameter, bits, power = SMALL[name]
    monkeypatch.setattr(fast_wide, "is_below", lambda *_: True)
    values = make.__wrapped__(parameter, bits).draw(100_000, SystemEntropy())
    assert distance(values, parameter, power) > 2 * cdf_radius(len(values))


class Quotients:
    """Gives one quotient, as often as it is asked for."""

    def __init__(self, quotient):
        self.quotient = quotient

    def draw(self, shape, _entropy):
        """Give the quotient."""
        return np.full(shape, self.quotient, np.int64)


class Script:
    """Gives the words that it was told, and no bits."""

    def __init__(self, words):
        self.given = words

    def words(self, count):
        """Give the words once."""
        assert count == len(self.given)
        return self.given

    def bits(self, _count):
        """Refuse: whoever asks has not decided."""
        raise LookupError


@pytest.mark.parametrize("residue", [0, 1, 31, 63])
@pytest.mark.parametrize("place", [0, 1, "half", "last"])
@pytest.mark.parametrize("make", [laplace_sampler, gaussian_sampler])
def test_every_lane_but_that_of_ones_is_certain(make, place, residue):
    """All 65,536 lanes: 65,535 keep the proposal without a further bit, and the ideal probability allows each."""
    width = Fraction(2**40, 3)
    sampler = make.__wrapped__(width if make is laplace_sampler else width**2, 6)
    # A quotient beyond the last certain one is 2**16 scales away; the Laplace law has none.
    last = min(sampler.certain, 2**50)
    assert last > 2**40
    quotient = {0: 0, 1: 1, "half": last // 2, "last": last}[place]
    object.__setattr__(sampler, "quotients", Quotients(quotient))
    magnitude = quotient * 64 + residue
    lanes = np.arange(LANES, dtype=np.uint64) << np.uint64(64 - LANE_BITS)
    values, refused = sampler._attempt(LANES - 1, Script(lanes[:-1] + np.uint64(residue)))
    assert (values == magnitude).all()
    assert not len(refused)
    weight = sampler.weight
    x = weight.exponent(magnitude) - weight.exponent(quotient * 64)
    assert 0 <= x <= Fraction(1, LANES)
    threshold = sampler.threshold(quotient, magnitude)
    assert threshold == Threshold(Fraction(1), x)
    with precision(200):
        assert (1 - arb(fmpq(1, LANES))) <= (-arb(fmpq(x.numerator, x.denominator))).exp() or x == 0
    # The lane of ones is asked about, unless nothing can refuse it.
    if x:
        with pytest.raises(LookupError):
            sampler._attempt(1, Script(lanes[-1:] + np.uint64(residue)))
    # The sign is the bit below the lane, and "minus zero" is refused.
    values, refused = sampler._attempt(1, Script(np.array([(1 << 47) + residue], np.uint64)))
    assert values.tolist() == [-magnitude]
    assert len(refused) == (magnitude == 0)


def test_beyond_the_last_certain_quotient_every_lane_is_asked_about():
    sampler = gaussian_sampler.__wrapped__(Fraction(2**80, 9), 6)
    lane = np.array([1 << 63], np.uint64)
    for quotient, asked in ((sampler.certain, 0), (sampler.certain + 1, 1)):
        object.__setattr__(sampler, "quotients", Quotients(quotient))
        calls = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fast_wide, "is_below", lambda *found, calls=calls: calls.append(found) or False)
            _, refused = sampler._attempt(1, Script(lane))
        assert len(calls) == len(refused) == asked


def test_the_last_certain_quotient_is_the_last():
    sampler = gaussian_sampler(Fraction(2**80, 9), 6)

    def bound(quotient):
        return (2 * quotient + 1) * 64**2 * sampler.weight.quadratic

    assert bound(sampler.certain) <= Fraction(1, LANES) < bound(sampler.certain + 1)


@pytest.mark.parametrize("scale", [Fraction(2**38, 3), Fraction(2**47) * Fraction(4, 3), Fraction(2**600, 3)])
@pytest.mark.parametrize(("factor", "accepted"), [(1, True), (Fraction(3, 4), False)])
def test_wide_laws_are_near_their_continuous_limits(cdf_radius, scale, factor, accepted):
    size, entropy = 50_000, SystemEntropy()
    bits = max((scale.numerator // scale.denominator).bit_length() - 31, 8)
    for make, limit, parameter in (
        (laplace_sampler, laplace, factor * scale),
        (gaussian_sampler, norm, (factor * scale) ** 2),
    ):
        values = make(parameter, bits).draw(size, entropy)
        assert values.dtype == (np.int64 if scale < 2**60 else object)
        scaled = np.sort((values / float(scale)) if scale < 2**60 else [float(value / scale) for value in values])
        exact, ranks = limit.cdf(scaled), np.arange(size + 1) / size
        reached = max(np.max(np.abs(exact - ranks[1:])), np.max(np.abs(exact - ranks[:-1])))
        assert bool(reached <= cdf_radius(size) + 1e-6) is accepted


@pytest.mark.parametrize("bits", [8, 46, 47, 48, 111, 112, 300])
def test_every_digit_of_a_residue_is_even(cdf_radius, bits):
    # A residue of the first word, of a part of it, and of one or several words more.
    scale, size = Fraction(2 ** (bits + 30)) * Fraction(4, 3), 4000
    values = laplace_sampler(scale, bits).draw(size, SystemEntropy()).astype(object)
    digits = np.array([[value >> place & 1 for place in range(bits)] for value in values.tolist()])
    assert np.abs(digits.mean(axis=0) - 0.5).max() <= cdf_radius(size)
    assert len({tuple(column) for column in digits.T.tolist()}) == bits
    # Control: an even number has an even last digit.
    assert abs(np.mean([2 * value & 1 for value in values.tolist()]) - 0.5) > cdf_radius(size)


def test_what_does_not_fit_64_bits_is_made_of_python_integers():
    values = wide_laplace(Fraction(2**70), 100, SeededEntropy(1))
    assert all(type(value) is int for value in values)
    assert max(map(abs, values.tolist())) > 2**63
    # A quotient that leaves no room for its residue.
    sampler = laplace_sampler.__wrapped__(Fraction(2**41), 11)
    for quotient, fits in ((2**52 - 1, True), (2**52, False)):
        object.__setattr__(sampler, "quotients", Quotients(quotient))
        values, _ = sampler._attempt(1, Script(np.array([2047], np.uint64)))
        assert values.tolist() == [quotient * 2048 + 2047]
        assert (values.dtype == np.int64) is fits


def test_a_redraw_of_another_type_keeps_every_value(monkeypatch):
    sampler = laplace_sampler.__wrapped__(Fraction(2**41), 11)
    rounds = iter(
        [
            (np.array([1, 2], np.int64), np.array([1])),
            (np.array([2**70], object), np.array([], np.int64)),
        ]
    )
    monkeypatch.setattr(fast_wide.WideSampler, "_attempt", lambda *_: next(rounds))
    assert sampler.draw(2, SeededEntropy(1)).tolist() == [1, 2**70]


def test_a_source_of_too_few_words_is_an_error():
    class Short(SeededEntropy):
        def words(self, count):
            return super().words(count)[:-1]

    with pytest.raises(EntropyError, match="words"):
        wide_gaussian(Fraction(2**90), 3, Short(1))


@pytest.mark.parametrize(
    ("draw", "parameter", "power"),
    [
        (tiny_laplace, Fraction(1, 2), 1),
        (tiny_laplace, Fraction(4, 3), 1),
        (tiny_gaussian, Fraction(1, 5), 2),
        (tiny_gaussian, Fraction(2, 3), 2),
    ],
)
def test_tiny_laws_are_exact_where_every_branch_is_frequent(cdf_radius, draw, parameter, power):
    values = draw(parameter, 10_000, SystemEntropy())
    assert distance(values, parameter, power) <= cdf_radius(len(values))
    # Control: a third of the parameter.
    values = draw(parameter / 3, 10_000, SystemEntropy())
    assert distance(values, parameter, power) > cdf_radius(len(values))


@pytest.mark.parametrize("size", [1, 3])
def test_tiny_noise_is_zero_but_for_one_in_a_googol(size):
    for scale in (Fraction(1, 1001), Fraction(1, 2**300)):
        assert tiny_laplace(scale, size, SystemEntropy()).tolist() == [0] * size
        assert tiny_gaussian(scale**2, size, SystemEntropy()).tolist() == [0] * size


def test_a_tiny_variate_that_does_not_fit_is_an_error(monkeypatch):
    monkeypatch.setattr(fast_tiny.discrete, "geometric", lambda *_: 2**63 - 1)
    with pytest.raises(OutOfRangeError, match="magnitude"):
        tiny_laplace(Fraction(2), 100, SeededEntropy(1))


@pytest.mark.parametrize("exponent", [2**20, 2**200])
def test_the_bracket_of_a_number_near_zero_is_not_below_it(exponent):
    assert Threshold(Fraction(1), Fraction(exponent)).bracket(16) == (0, 1)


def test_a_wide_law_has_its_moments():
    """A sum of 200,000 squares is within four per cent of its mean: eight deviations for the Laplace law, or more."""
    for values, expected in (
        (wide_laplace(Fraction(2**43), 200_000, SystemEntropy()), 2 * 4.0**43),
        (wide_gaussian(Fraction(2**86), 200_000, SystemEntropy()), 4.0**43),
    ):
        found = math.fsum((values.astype(float) ** 2).tolist()) / len(values)
        assert abs(found / expected - 1) < 0.04
