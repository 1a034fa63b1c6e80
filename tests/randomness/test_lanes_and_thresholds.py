"""Lanes and thresholds: how many words and digits a decision takes, where it asks, and what a bracket holds."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_bernoulli, fast_threshold
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.fast_bernoulli import below_threshold, bernoulli, bernoulli_exp, decide_lanes
from dpmatrix.randomness.fast_rectangles import CHUNK
from dpmatrix.randomness.fast_threshold import GUARD_BITS, Threshold, is_below


class Counting(SeededEntropy):
    """Counts the words and the digits that are asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.counted: list[int] = []
        self.digits: list[int] = []

    def words(self, count: int) -> np.ndarray:
        """Give words, counted."""
        self.counted.append(count)
        return super().words(count)

    def bits(self, count: int) -> int:
        """Give digits, counted."""
        self.digits.append(count)
        return super().bits(count)


@pytest.mark.parametrize("lane_bits", [8, 16, 32, 64])
@pytest.mark.parametrize("more", [0, 1, 3])
def test_lanes_are_those_of_the_words_one_after_the_other(lane_bits: int, more: int) -> None:
    """A half is decided by the highest bit of a lane; a last word is read in part, and no word is drawn in vain."""
    per_word = 64 // lane_bits
    size = per_word * CHUNK + more
    entropy, same = Counting(1), SeededEntropy(1)
    found = below_threshold(Threshold(Fraction(1, 2)), size, entropy, lane_bits)
    words = same.words(CHUNK + -(-more // per_word))
    assert (found == (words.view(f"u{lane_bits // 8}")[:size] >> (lane_bits - 1) == 0)).all()
    assert found.shape == (size,)
    assert entropy.counted == [CHUNK, *([-(-more // per_word)] if more else [])]
    assert entropy.digits == []


def test_lanes_have_16_digits_where_nothing_else_is_said() -> None:
    entropy, same = Counting(2), SeededEntropy(2)
    found = bernoulli(Fraction(1, 2), (3, 5), entropy)
    assert found.ravel().tolist() == [lane < 2**15 for lane in same.words(4).view("u2")[:15].tolist()]
    assert found.shape == (3, 5)
    assert entropy.counted == [4]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("numerator", [0, 1, 2, 3, 255, 508, 509, 510, 511, 512])
def test_digits_are_asked_for_where_the_threshold_is_within_a_lane(monkeypatch, dtype, numerator: int) -> None:
    """All lanes below it are kept and all above are not, without a question; one lane at most is asked about."""
    bits = 8 * np.dtype(dtype).itemsize
    probability = Fraction(numerator, 512)
    threshold, source = Threshold(probability / 2 ** (bits - 8) if numerator < 255 else probability), SeededEntropy(3)
    asked: list[int] = []

    def ask(given: Threshold, lane: int, width: int, entropy: Entropy) -> bool:
        assert (given, width, entropy) == (threshold, bits, source)
        asked.append(lane)
        return True

    monkeypatch.setattr(fast_bernoulli, "is_below", ask)
    lanes = np.arange(2**bits, dtype=dtype)
    kept = decide_lanes(lanes, threshold, source)
    edge = threshold.factor * 2**bits
    assert asked == ([] if edge.denominator == 1 else [floor(edge)])
    assert kept.dtype == np.bool_
    assert kept.tolist() == [lane < edge for lane in range(2**bits)]


def test_lanes_beside_one_are_asked_about_to_the_last() -> None:
    """A probability so near to one that its bracket ends beyond the lanes."""
    for probability in (Fraction(10**6 - 1, 10**6), Fraction(2**70 - 1, 2**70)):
        entropy = Counting(4)
        kept = decide_lanes(np.array([0, 254, 255], np.uint8), Threshold(probability), entropy)
        assert kept.tolist() == [True] * 3
        assert len(entropy.digits) >= 1


@pytest.mark.parametrize("wrong", [Fraction(3, 2), 1 + Fraction(1, 10**9), -Fraction(1, 10**9), 2])
def test_a_probability_is_no_more_than_one(wrong: Fraction) -> None:
    with pytest.raises(InvalidParameterError, match="probability"):
        bernoulli(wrong, 3, SeededEntropy(0))


@pytest.mark.parametrize("draw", [bernoulli, bernoulli_exp])
def test_booleans_are_made_of_the_source(draw: Callable[..., np.ndarray]) -> None:
    first, again, other = (draw(Fraction(1, 3), 200, SeededEntropy(seed)).tolist() for seed in (1, 1, 2))
    assert first == again != other
    # Digits beyond the lanes come from it as well: of a million lanes, some hold the threshold.
    entropy = Counting(5)
    draw(Fraction(1, 3), 1_000_000, entropy)
    assert len(entropy.digits) >= 1


class Always:
    """A bracket that leaves everything open, or is a half from so many bits on."""

    def __init__(self, narrow: int | None = None) -> None:
        self.narrow, self.asked = narrow, []

    def bracket(self, bits: int) -> tuple[int, int]:
        """Give everything, or a half."""
        self.asked.append(bits)
        return (0, 1 << bits) if self.narrow is None or bits < self.narrow else (1 << bits - 1, 1 << bits - 1)


@pytest.mark.parametrize(("most", "last"), [(256, 256), (255, 192), (64, 64)])
def test_digits_are_drawn_up_to_the_most_and_no_further(monkeypatch, most: int, last: int) -> None:
    monkeypatch.setattr(fast_threshold, "MOST_BITS", most)
    entropy, threshold = Counting(6), Always()
    with pytest.raises(UndecidedError, match=f"at {last} bits"):
        is_below(threshold, 5, 64, entropy)
    assert threshold.asked == [bits + GUARD_BITS for bits in range(64, last + 1, 64)]
    assert set(entropy.digits) == {64}


@pytest.mark.parametrize("seed", range(6))
def test_further_digits_continue_the_known_ones(seed: int) -> None:
    """The threshold is that of the digits which follow, seen at 300 bits: one more than all of them is above it."""
    same = SeededEntropy(seed)
    digits = 3
    for _ in range(3):
        digits = digits << 64 | same.bits(64)
    bits = 8 + 3 * 64

    class Edge:
        def __init__(self, numerator: int) -> None:
            self.exactly = Fraction(numerator, 2**bits)

        def bracket(self, asked: int) -> tuple[int, int]:
            scaled = self.exactly * 2**asked
            return floor(scaled), -floor(-scaled)

    for numerator, below in ((digits, False), (digits + 1, True), (digits - 1, False), (digits + 2, True)):
        assert is_below(Edge(numerator), 3, 8, SeededEntropy(seed)) is below


@pytest.mark.parametrize("bits", [1, 16, 200, 1000])
@pytest.mark.parametrize(
    "threshold",
    [
        Threshold(Fraction(3, 7)),
        Threshold(Fraction(3, 8), Fraction(0), Fraction(2)),
        Threshold(Fraction(3, 7), Fraction(5, 3)),
        Threshold(Fraction(1), Fraction(1)),
        Threshold(Fraction(2, 9), Fraction(-1, 3), Fraction(1, 10**9)),
        Threshold(Fraction(10**30, 7), Fraction(70), Fraction(3)),
    ],
)
def test_a_bracket_is_narrow_and_holds_the_number(threshold: Threshold, bits: int) -> None:
    """The formula in balls of 3000 bits, written otherwise: with the quotient of two exponentials."""
    lower, upper = threshold.bracket(bits)
    with precision(3000):
        exact = arb(fmpq(threshold.factor.numerator, threshold.factor.denominator))
        exact /= arb(fmpq(threshold.exponent.numerator, threshold.exponent.denominator)).exp()
        if threshold.decay is not None:
            rate = arb(fmpq(threshold.decay.numerator, threshold.decay.denominator))
            exact *= rate.exp() / (rate.exp() - 1)
        scaled = exact * arb(2) ** bits
        assert arb(lower) - arb(2) ** -900 <= scaled
        assert scaled <= arb(upper) + arb(2) ** -900
    assert 0 <= lower <= upper <= lower + (1 if threshold.exponent == 0 and threshold.decay is None else 2)


@pytest.mark.parametrize("scripted", [[(0, 9), (0, 3), (2, 3)], [(3, 6), (5, 7)], [(5, 7)], [(0, 0)]])
def test_a_bracket_that_another_thread_made_wide_is_computed_again(monkeypatch, scripted) -> None:
    """Until its ends are two apart at most, and then it is taken."""
    left = list(scripted)
    monkeypatch.setattr(Threshold, "_computed", lambda *_: left.pop(0))
    assert Threshold(Fraction(1), Fraction(1)).bracket(10) == scripted[-1]
    assert left == []


@pytest.mark.parametrize("exponent", [Fraction(10**6), Fraction(2**40)])
def test_the_bracket_of_a_large_number_is_an_integer_that_is_written_out(exponent: Fraction) -> None:
    """A million bits and a number above one: its floor is that of the fraction."""
    lower, upper = Threshold(Fraction(5, 3)).bracket(100)
    assert (lower, upper) == (5 * 2**100 // 3, 5 * 2**100 // 3 + 1)
    large = Threshold(Fraction(exponent), Fraction(1, 10**6)).bracket(3000)
    with precision(4000):
        scaled = arb(int(exponent)) * (-arb(fmpq(1, 10**6))).exp() * arb(2) ** 3000
        assert arb(large[0]) <= scaled <= arb(large[1])
    assert large[1] - large[0] <= 2


@pytest.mark.parametrize("lane", range(90, 102))
def test_a_cell_beside_the_threshold_needs_no_digit(lane: int) -> None:
    """Three eighths are 96 of 256: the cell that ends there is below it, and the one that begins there is not."""
    entropy = Counting(8)
    assert is_below(Threshold(Fraction(3, 8)), lane, 8, entropy) is (lane < 96)
    assert entropy.digits == []


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exponent", [-200, -5, -1, 0, 1, 7, 200])
@pytest.mark.parametrize("mantissa", [0, 1, 3, -1, -3, 2**70 + 1, -(2**70) - 1])
def test_a_float_of_any_length_is_rounded_down(mantissa: int, exponent: int, sign: int) -> None:
    with precision(300):
        assert fast_threshold._floor(arb((mantissa, exponent)), sign) == floor(
            sign * mantissa * Fraction(2) ** exponent
        )
