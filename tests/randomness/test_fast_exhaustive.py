"""The vectorised samplers, word by word: all words of a small size, with every ambiguous one counted and resolved."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_bernoulli import decide_lanes
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight
from dpmatrix.randomness.fast_threshold import Threshold, is_below

MORE = 64


@pytest.fixture(autouse=True)
def _narrow_balls():
    with precision(300):
        yield


class OutOfDigitsError(Exception):
    """More digits are asked for than the script has."""


class Continuation:
    """Gives one continuation of 64 digits, or none."""

    def __init__(self, digits=None):
        self.digits = digits

    def bits(self, count):
        """Give the digits once."""
        if self.digits is None:
            raise OutOfDigitsError
        digits, self.digits = self.digits, None
        assert count == MORE
        return digits


def decided_share(threshold, known, bits):
    """Bisect the continuations of a cell: the exact share that is certainly below, and the share left open.

    The answer is monotone in the digits, so that the 2**64 continuations are three runs: True, open, False.
    """

    def answer(digits):
        try:
            return is_below(threshold, known, bits, Continuation(digits))
        except OutOfDigitsError:
            return None

    def first(condition):
        low, high = 0, 1 << MORE
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if condition(answer(middle)) else (middle + 1, high)
        return low

    true, false = first(lambda reply: reply is not True), first(lambda reply: reply is False)
    return Fraction(true, 1 << MORE), Fraction(false - true, 1 << MORE)


def ball(value):
    return arb(fmpq(value.numerator, value.denominator))


def certainly_within(value, low, high):
    """Whether a ball is certainly within a closed interval of rationals."""
    return bool(ball(low) <= value) and bool(value <= ball(high))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize(
    "probability", [Fraction(0), Fraction(1), Fraction(3, 8), Fraction(1, 3), Fraction(5, 7), Fraction(1, 10**6)]
)
def test_bernoulli_over_all_lanes_has_its_probability(dtype, probability):
    check_lanes(dtype, Threshold(probability), lambda: ball(probability), probability)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("rate", [Fraction(1, 100), Fraction(1), Fraction(40)])
def test_bernoulli_exp_over_all_lanes_has_its_probability(dtype, rate):
    check_lanes(dtype, Threshold(Fraction(1), rate), lambda: (-ball(rate)).exp())


def check_lanes(dtype, threshold, value, exact=None):
    bits = 8 * np.dtype(dtype).itemsize
    low = open_share = Fraction(0)
    ambiguous = 0
    for lane in range(1 << bits):
        try:
            low += Fraction(int(decide_lanes(np.array([lane], dtype), threshold, Continuation())[0]), 1 << bits)
        except OutOfDigitsError:
            ambiguous += 1
            true, left = decided_share(threshold, lane, bits)
            low += true / (1 << bits)
            open_share += left / (1 << bits)
    assert ambiguous == (exact is None or (exact * 2**bits).denominator > 1)
    assert open_share <= Fraction(1, 1 << (bits + MORE))
    if exact is None:
        assert certainly_within(value(), low, low + open_share)
    else:
        assert low <= exact <= low + open_share


class Wide:
    """A bracket of a half that is useless below 200 bits and then narrow."""

    def bracket(self, bits):
        """Give everything, or the half."""
        return (0, 1 << bits) if bits < 200 else (1 << bits - 1, 1 << bits - 1)


@pytest.mark.parametrize(("known", "below"), [(0, True), (1, True), (127, True), (128, False), (255, False)])
def test_nothing_is_decided_within_a_wide_bracket(known, below):
    # 8 known digits and a guard of 64 make 72, then 136, then 200 bits: two continuations are asked for.
    entropy = SeededEntropy(1)
    assert is_below(Wide(), known, 8, entropy) is below
    reference = SeededEntropy(1)
    assert [reference.bits(64) for _ in range(2)]
    assert entropy.bits(64) == reference.bits(64)


def layout(word_bits, slot_bits, block_bits, cutoff):
    return Layout(block_bits=block_bits, word_bits=word_bits, slot_bits=slot_bits, cutoff=Fraction(cutoff))


CASES = {
    "Laplace 4": (Weight(Fraction(1, 4), Fraction(0)), layout(12, 5, 1, 4)),
    "Laplace 1/2": (Weight(Fraction(2), Fraction(0)), layout(10, 4, 0, 4)),
    "Laplace 21/2, long blocks": (Weight(Fraction(2, 21), Fraction(0)), layout(14, 5, 2, 4)),
    "geometric 5": (Weight(Fraction(1, 5), Fraction(0), two_sided=False), layout(11, 4, 1, 4)),
    "Gaussian, variance 1": (Weight(Fraction(0), Fraction(1, 2)), layout(10, 4, 0, 6)),
    "Gaussian, variance 160": (Weight(Fraction(0), Fraction(1, 320)), layout(14, 6, 1, 3)),
    "Gaussian, variance 1/30": (Weight(Fraction(0), Fraction(15)), layout(8, 3, 0, 9)),
}


def enumerate_words(sampler):
    """Classify every word: integer named, number kept, and the ambiguous ones; the tail's words apart."""
    size = 1 << sampler.layout.word_bits
    words, values = np.arange(size, dtype=np.uint64), np.empty(size, np.int64)
    undecided = set(sampler.propose(words, values).tolist())
    slots = words >> np.uint64(sampler.layout.word_bits - sampler.layout.slot_bits)
    named, kept, ambiguous = defaultdict(int), defaultdict(int), defaultdict(list)
    tail = []
    for word in range(size):
        slot, value = int(slots[word]), int(values[word])
        if slot == sampler.tables.tail_slot:
            tail.append(word)
            continue
        if sampler.tables.height[slot] == 0:
            assert word in undecided
            assert not sampler.settle(words[word : word + 1], values[word : word + 1], Continuation())[0]
            continue
        named[value, slot] += 1
        if word not in undecided:
            kept[value] += 1
            continue
        try:
            kept[value] += int(sampler.settle(words[word : word + 1], values[word : word + 1], Continuation())[0])
        except OutOfDigitsError:
            ambiguous[value].append(word)
    return named, kept, ambiguous, tail


@pytest.mark.parametrize("margin", [2.0**-30, 2.0**-3])
@pytest.mark.parametrize("name", CASES)
def test_all_words_together_have_the_exact_law(name, margin):
    weight, cut = CASES[name]
    sampler = RectangleSampler(weight, cut, margin)
    tables, size, length = sampler.tables, 1 << cut.word_bits, 1 << cut.block_bits
    named, kept, ambiguous, tail = enumerate_words(sampler)
    assert len(tail) == size >> cut.slot_bits
    assert {value for value, _ in named} == set(range(-tables.reach * weight.two_sided, tables.reach))
    # The mass of y in units of one word, divided by f(y), is the same exact rational for every y, tail included.
    common = Fraction(size << 64, (1 << cut.slot_bits) * length * tables.unit)
    shares = defaultdict(Fraction)
    for (value, slot), count in named.items():
        shares[value] += Fraction(count << 64, tables.height[slot])
    assert set(shares.values()) == {common}
    digit_mask = (1 << cut.digit_bits) - 1
    for value in shares:
        owned = sum(1 for named_value, _ in named if named_value == value)
        # At most one cell of each slot holds the threshold.
        assert len(ambiguous[value]) <= owned
        low, open_share = Fraction(kept[value]), Fraction(0)
        for word in ambiguous[value]:
            slot = word >> (cut.word_bits - cut.slot_bits)
            digits = word >> cut.block_bits & digit_mask
            true, left = decided_share(sampler.threshold(slot, value), digits, cut.digit_bits)
            low += true
            open_share += left
        assert open_share <= Fraction(owned, 1 << MORE)
        mass = ball(common) * (-ball(weight.exponent(abs(value)))).exp()
        assert certainly_within(mass, low, low + open_share) or (weight.exponent(abs(value)) == 0 and low == common)


def test_control_another_scale_is_excluded():
    # The same enumeration, judged with a scale that is one per cent larger.
    weight, cut = CASES["Laplace 4"]
    sampler = RectangleSampler(weight, cut)
    _, kept, ambiguous, _ = enumerate_words(sampler)
    wrong = Weight(weight.linear * Fraction(100, 101), Fraction(0))
    size, length = 1 << cut.word_bits, 1 << cut.block_bits
    common = Fraction(size << 64, (1 << cut.slot_bits) * length * sampler.tables.unit)
    excluded = [
        value
        for value in kept
        if not certainly_within(
            ball(common) * (-ball(wrong.exponent(abs(value)))).exp(),
            Fraction(kept[value]),
            Fraction(kept[value] + len(ambiguous[value])),
        )
    ]
    assert excluded


@pytest.mark.parametrize("name", CASES)
def test_the_tail_keeps_the_same_multiple_of_the_weight(name):
    """Each kept share times the probability of its proposal is f(y) over the slot's area, certified."""
    weight, cut = CASES[name]
    sampler = RectangleSampler(weight, cut)
    tables, length = sampler.tables, 1 << cut.block_bits
    sides = [False, True] if weight.two_sided else [False]
    area = Fraction(length * tables.unit, 1 << 64)
    rate = 1 / tables.tail_scale
    for excess in range(6):
        for negative in sides:
            value = -(tables.reach + 1 + excess) if negative else tables.reach + excess
            known, threshold = scripted_tail(sampler, negative, excess)
            assert known == value
            low, high = threshold.bracket(100)
            assert 0 <= low <= high <= 1 << 100
            ratio = ball(Fraction(low + high, 2 << 100)) + arb(0, 2.0**-98)
            proposal = (1 - (-ball(rate)).exp()) * (-ball(rate * excess)).exp() / len(sides)
            mass = ball(1 / area) * (-ball(weight.exponent(abs(value)))).exp()
            assert ratio.overlaps(mass / proposal)
            # The bound with which a word of the tail's slot is refused without a proposal holds for this one.
            assert ratio * (1 << cut.digit_bits) <= int(tables.high[tables.tail_slot]) + 2.0**-60


def scripted_tail(sampler, negative, excess):
    class Side:
        def bits(self, count):
            assert count == 1
            return int(negative)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpmatrix.randomness.fast_rectangles.geometric", lambda *_: excess)
        return sampler._tail(0, Side())
