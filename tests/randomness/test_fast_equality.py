"""The vectorised samplers against slow exact evaluations of the same bits. `DPMATRIX_LONG=1` takes a million draws."""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness import discrete, fast_discrete
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_bernoulli import below_threshold, bernoulli, bernoulli_exp
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_threshold import Threshold

SIZE = 1_000_000 if os.environ.get("DPMATRIX_LONG") else 20_000
COARSE = 2.0**-3

SAMPLERS = {
    "Laplace, 1/1000": lambda: fast_discrete._exponential_sampler(Fraction(1, 1000), two_sided=True),
    "Laplace, 10": lambda: fast_discrete._exponential_sampler(Fraction(10), two_sided=True),
    "Laplace, 10**6 / 7": lambda: fast_discrete._exponential_sampler(Fraction(10**6, 7), two_sided=True),
    "Laplace, 2**40": lambda: fast_discrete._exponential_sampler(Fraction(2**40), two_sided=True),
    "geometric, 1000 / 3": lambda: fast_discrete._exponential_sampler(Fraction(1000, 3), two_sided=False),
    "Gaussian, 1/10**6": lambda: fast_discrete._gaussian_sampler(Fraction(1, 10**6)),
    "Gaussian, 100": lambda: fast_discrete._gaussian_sampler(Fraction(100)),
    "Gaussian, 10**12 / 7": lambda: fast_discrete._gaussian_sampler(Fraction(10**12, 7)),
    "Gaussian, 2**80": lambda: fast_discrete._gaussian_sampler(Fraction(2**80)),
}


class CountingEntropy(SeededEntropy):
    """Counts the single draws: the digits that ambiguous words needed."""

    single = 0

    def bits(self, count):
        """Count one draw."""
        self.single += 1
        return super().bits(count)


def ball(value):
    return arb(fmpq(value.numerator, value.denominator))


class Oracle:
    """Reads words one at a time, from the definition of the fields and the hat's heights alone."""

    def __init__(self, sampler):
        self.weight, self.layout, self.tables = sampler.weight, sampler.layout, sampler.tables

    def judge(self, word):
        """Give the integer that a word names, and whether it is kept: True, False, or None if more digits matter."""
        cut = self.layout
        slot = word >> (64 - cut.slot_bits)
        digits = word >> cut.block_bits & (1 << cut.digit_bits) - 1
        value = int(self.tables.base[slot]) + (word & (1 << cut.block_bits) - 1)
        height = self.tables.height[slot]
        if slot == self.tables.tail_slot:
            return value, False if digits >= int(self.tables.high[slot]) else None
        if height == 0:
            return value, False
        magnitude = abs(value)
        exponent = magnitude * self.weight.linear + magnitude**2 * self.weight.quadratic
        if exponent == 0:
            # Rationals are compared as such: equality is possible.
            edge = Fraction(1 << 64 + cut.digit_bits, height)
            return value, True if digits + 1 <= edge else False if digits >= edge else None
        kept = (-ball(exponent)).exp() * ball(Fraction(1 << 64 + cut.digit_bits, height))
        return value, True if digits + 1 <= kept else False if digits >= kept else None


@pytest.mark.parametrize("name", SAMPLERS)
def test_every_filter_agrees_with_balls_on_the_same_words(name):
    sampler = SAMPLERS[name]()
    oracle = Oracle(sampler)
    words = SeededEntropy(31).words(4000 if SIZE < 10**6 else 10**6)
    values = np.empty(len(words), np.int64)
    undecided = sampler.propose(words, values)
    kept = np.ones(len(words), np.bool_)
    proposals = values[undecided]
    kept[undecided] = sampler.settle(words[undecided], proposals, SeededEntropy(32))
    open_words = 0
    with precision(200):
        for word, value, accepted in zip(words.tolist(), values.tolist(), kept.tolist(), strict=True):
            named, verdict = oracle.judge(word)
            open_words += verdict is None
            assert named == value
            assert verdict is None or verdict == accepted
    # Most words must have been judged: 2**-12 of them are the tail's, a few more are truly ambiguous.
    assert open_words <= len(words) / 100


@pytest.mark.parametrize("name", SAMPLERS)
def test_all_ball_evaluation_of_the_same_bits_gives_the_same_array(name):
    fast = SAMPLERS[name]()
    slow = RectangleSampler(fast.weight, fast.layout, shortcuts=False)
    entropy, again = CountingEntropy(5), CountingEntropy(5)
    assert np.array_equal(fast.draw((SIZE // 4,), entropy), slow.draw((SIZE // 4,), again))
    # Both needed the same further digits, and stand at the same place of the stream.
    assert entropy.single == again.single
    assert entropy.bits(64) == again.bits(64)


@pytest.mark.parametrize(
    "name", ["Laplace, 10**6 / 7", "Laplace, 2**40", "Gaussian, 10**12 / 7", "geometric, 1000 / 3"]
)
def test_a_coarse_filter_gives_the_same_array(name):
    fast = SAMPLERS[name]()
    coarse = RectangleSampler(fast.weight, fast.layout, margin=COARSE)
    words, values = SeededEntropy(6).words(10_000), np.empty(10_000, np.int64)
    undecided = coarse.propose(words, values)
    slots = (words[undecided] >> np.uint64(52)).view(np.int64)
    digits = words[undecided] >> np.uint64(fast.layout.block_bits) & np.uint64((1 << fast.layout.digit_bits) - 1)
    _, ambiguous = coarse._float_filter(slots, digits, values[undecided])
    # The coarse filter leaves much to the balls, so that their path is exercised.
    assert ambiguous.sum() >= 300
    assert np.array_equal(fast.draw((SIZE,), SeededEntropy(7)), coarse.draw((SIZE,), SeededEntropy(7)))


def test_control_a_filter_without_margin_would_be_seen(monkeypatch):
    # A polynomial that is wrong by 1e-3 keeps words that balls refuse.
    monkeypatch.setattr("dpmatrix.randomness.fast_rectangles._COEFFICIENTS", [0.0] * 9 + [1.0])
    fast = SAMPLERS["Gaussian, 10**12 / 7"]()
    exact = RectangleSampler(fast.weight, fast.layout, shortcuts=False)
    assert not np.array_equal(fast.draw((20_000,), SeededEntropy(5)), exact.draw((20_000,), SeededEntropy(5)))


def test_the_margin_cannot_be_less_than_what_is_proved():
    fast = SAMPLERS["Gaussian, 100"]()
    for margin in (2.0**-31, 0.0, float("nan")):
        with pytest.raises(ValueError, match="not proved"):
            RectangleSampler(fast.weight, fast.layout, margin=margin)


def largest_error_of_the_estimate():
    """Compare the float estimate with balls at both ends and a third of every 8th slot, and of the furthest."""
    worst = 0.0
    for name in ("Laplace, 2**40", "Gaussian, 2**80", "Gaussian, 10**12 / 7"):
        sampler = SAMPLERS[name]()
        tables, length = sampler.tables, 1 << sampler.layout.block_bits
        owned = np.flatnonzero(np.array(tables.height))
        furthest = owned[np.argmax(tables.near[owned])]
        slots = np.append(owned[::8], furthest)
        for offset in (0, 1, length // 3, length - 1):
            values = tables.base[slots] + offset
            for slot, value, estimate in zip(
                slots.tolist(), values.tolist(), sampler.estimate(slots, values).tolist(), strict=True
            ):
                low, high = sampler.threshold(slot, value).bracket(80)
                worst = max(worst, abs(Fraction(estimate) - Fraction(low + high, 2**81)))
    return worst


def test_the_float_filter_is_as_close_as_proved():
    assert largest_error_of_the_estimate() < 2.0**-31


def test_control_a_polynomial_of_half_the_degree_is_not(monkeypatch):
    from dpmatrix.randomness.fast_rectangles import _COEFFICIENTS

    monkeypatch.setattr("dpmatrix.randomness.fast_rectangles._COEFFICIENTS", _COEFFICIENTS[5:])
    assert largest_error_of_the_estimate() > 2.0**-20


@pytest.mark.parametrize("lane_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("threshold", [Threshold(Fraction(1, 3)), Threshold(Fraction(1), Fraction(1, 2))])
def test_lanes_agree_with_balls_on_the_same_bits(lane_bits, threshold):
    size = 4000
    drawn = below_threshold(threshold, size, SeededEntropy(8), lane_bits)
    lanes = SeededEntropy(8).words(-(-size * lane_bits // 64)).view(f"u{lane_bits // 8}")[:size]
    with precision(200):
        edge = ball(threshold.factor) * (-ball(threshold.exponent)).exp() * 2**lane_bits
        for lane, below in zip(lanes.tolist(), drawn.tolist(), strict=True):
            if lane + 1 <= edge:
                assert below
            elif lane >= edge:
                assert not below


@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(1, 2), Fraction(7, 3), Fraction(10)])
@pytest.mark.parametrize("law", ["geometric", "discrete_laplace", "discrete_gaussian"])
def test_fast_and_reference_twins_share_their_law(law, scale):
    # Hoeffding: the two empirical frequencies of 60 events are each within the radius; error below 1e-10 in all.
    size, events = 3000, range(-30, 30)
    parameter = scale**2 if law == "discrete_gaussian" else scale
    fast = getattr(fast_discrete, law)(parameter, 100 * size, SeededEntropy(1))
    entropy = SeededEntropy(2)
    reference = np.array([getattr(discrete, law)(parameter, entropy) for _ in range(size)])
    radius = sum(np.sqrt(np.log(4 * 60 * 12 / 1e-10) / (2 * count)) for count in (size, 100 * size))
    for event in events:
        assert abs(np.mean(fast <= event) - np.mean(reference <= event)) <= radius


def test_bernoulli_twins_share_their_probability():
    # As above: 4 frequencies, error below 1e-10.
    size = 4000
    radius = sum(np.sqrt(np.log(8 / 1e-10) / (2 * count)) for count in (size, 100 * size))
    entropy = SeededEntropy(3)
    for fast, slow, parameter in (
        (bernoulli, discrete.bernoulli, Fraction(2, 7)),
        (bernoulli_exp, discrete.bernoulli_exp, Fraction(3, 2)),
    ):
        share = np.mean([slow(parameter, entropy) for _ in range(size)])
        assert abs(np.mean(fast(parameter, 100 * size, SeededEntropy(4))) - share) <= radius
