"""Booleans are what all lanes of a word together make of them, and each is made of a lane that no other one has.

Every lane of 16 bits is drawn once, followed by zeros or by ones: what both make True and what one of them does are the
two ends between which the probability lies, one lane apart at most. Then words of a seed are read once more, lane by
lane, with exponentials that mpmath computes. Nothing is statistical.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_bernoulli import below_threshold, bernoulli, bernoulli_exp, decide_lanes
from dpmatrix.randomness.fast_rectangles import CHUNK
from dpmatrix.randomness.fast_threshold import Threshold

PROBABILITIES = [
    Fraction(0),
    Fraction(1),
    Fraction(3, 8),
    Fraction(1, 3),
    Fraction(5, 7),
    Fraction(1, 2**16),
    Fraction(2**16 - 1, 2**16),
    Fraction(1, 10**9),
    1 - Fraction(1, 10**9),
    1 - Fraction(1, 10**5),
]
RATES = [Fraction(0), Fraction(1, 10**9), Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(11), Fraction(40)]


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workprec(300):
        yield


class AllLanes:
    """A source that gives each lane of some width once, and whatever is asked for after that."""

    private, description = False, "all lanes"

    def __init__(self, width: int, then: int) -> None:
        self.width, self.then, self.asked = width, then, 0

    def words(self, count: int) -> Any:
        """Give the lanes, in some order."""
        lanes: np.ndarray = np.arange(2**self.width, dtype=f"u{self.width // 8}")
        assert count == len(lanes) * self.width // 64
        return (lanes * 5 + 3).astype(lanes.dtype).view(np.uint64)

    def bits(self, count: int) -> int:
        """Give zeros or ones."""
        self.asked += 1
        return self.then * ((1 << count) - 1)


def ends(draw: Callable[[Any], np.ndarray], width: int) -> tuple[int, int]:
    """Return how many lanes are True whatever follows, and how many are True if zeros follow."""
    found = []
    for then in (1, 0):
        source = AllLanes(width, then)
        drawn = draw(source)
        assert (drawn.shape, drawn.dtype) == ((2**width,), np.dtype(bool))
        assert source.asked <= 1, "one lane holds the probability"
        found.append(int(drawn.sum()))
    return found[0], found[1]


@pytest.mark.parametrize("probability", PROBABILITIES)
@pytest.mark.parametrize("width", [8, 16])
def test_a_rational_probability_lies_between_what_all_lanes_decide(probability: Fraction, width: int) -> None:
    """A probability that lanes decide alone is exact."""
    low, high = ends(lambda source: below_threshold(Threshold(probability), 2**width, source, width), width)
    assert low == probability * 2**width // 1
    assert high == -(-(probability * 2**width) // 1)
    if width == 16:
        assert ends(lambda source: bernoulli(probability, 2**16, source), 16) == (low, high)


@pytest.mark.parametrize("rate", RATES)
def test_an_exponential_lies_between_what_all_lanes_decide(rate: Fraction) -> None:
    exact = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator) * 2**16
    low, high = ends(lambda source: bernoulli_exp(rate, 2**16, source), 16)
    assert low == int(mpmath.floor(exact))
    assert high == int(mpmath.ceil(exact))


class Counted(SeededEntropy):
    """Bits of a seed, with the numbers of words and of further digits that were asked for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.sizes: list[int] = []
        self.digits: list[int] = []

    def words(self, count: int) -> Any:
        """Give words."""
        self.sizes.append(count)
        return super().words(count)

    def bits(self, count: int) -> int:
        """Give digits."""
        self.digits.append(count)
        return super().bits(count)


def reading(probability: Any, size: int, width: int, source: SeededEntropy) -> list[bool]:
    """Read lane after lane, and digits where a lane holds the probability, from words that come in chunks."""
    per_word, found = 64 // width, []
    for start in range(0, size, per_word * CHUNK):
        here = min(per_word * CHUNK, size - start)
        words = source.words(-(-here // per_word)).tolist()
        for place in range(here):
            lane, bits = words[place // per_word] >> width * (place % per_word) & (1 << width) - 1, width
            while lane < probability * 2**bits < lane + 1:
                lane, bits = lane << 64 | source.bits(64), bits + 64
            found.append(lane + 1 <= probability * 2**bits)
    return found


@pytest.mark.parametrize("width", [8, 16, 32, 64])
@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 2**12)])
def test_each_boolean_is_made_of_the_next_lane(width: int, rate: Fraction) -> None:
    """Of every width, which changes how many words are read and digits are asked for."""
    exact = mpmath.exp(-mpmath.mpf(rate.numerator) / rate.denominator)
    for size in (0, 1, 5, 1000):
        first, second = Counted(size), Counted(size)
        found = below_threshold(Threshold(Fraction(1), rate), size, first, width)
        assert found.tolist() == reading(exact, size, width, second)
        assert (first.sizes, first.digits) == (second.sizes, second.digits)
        assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize("draw", [bernoulli, bernoulli_exp])
def test_lanes_have_sixteen_bits_and_words_come_in_chunks(draw: Callable[..., np.ndarray]) -> None:
    """One more lane than a chunk of words has, in two dimensions: it is drawn as if it were drawn alone."""
    first, second, size = Counted(3), Counted(3), 4 * CHUNK + 1
    found = draw(Fraction(1, 2), (size, 1), first)
    assert found.shape == (size, 1)
    assert first.sizes == [CHUNK, 1]
    parts = [draw(Fraction(1, 2), size - 1, second), draw(Fraction(1, 2), 1, second)]
    assert np.array_equal(found.ravel(), np.concatenate(parts))
    lanes = SeededEntropy(3).words(CHUNK).view(np.uint16)
    share = 0.5 if draw is bernoulli else math.exp(-0.5)
    away = lanes != math.floor(share * 2**16)
    assert np.array_equal(found[:-1, 0][away], lanes[away] < share * 2**16)
    assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize(
    "threshold", [Threshold(1 - Fraction(1, 3 * 2**70)), Threshold(Fraction(1)), Threshold(Fraction(1, 3))]
)
def test_lanes_are_decided_by_booleans(threshold: Threshold) -> None:
    found = decide_lanes(np.array([0, 77], np.uint8), threshold, SeededEntropy(1))
    assert found.dtype == np.dtype(bool)
    assert found.tolist() == [True, 256 * threshold.factor > 77]


@pytest.mark.parametrize(
    "draw",
    [
        lambda source: bernoulli(Fraction(-1, 10**9), 3, source),
        lambda source: bernoulli(1 + Fraction(1, 10**9), 3, source),
        lambda source: bernoulli(Fraction(3, 2), 3, source),
        lambda source: bernoulli_exp(Fraction(-1, 10**9), 3, source),
        lambda source: bernoulli(Fraction(1, 2), -1, source),
        lambda source: bernoulli_exp(Fraction(1, 2), (2, -1), source),
    ],
)
def test_what_is_no_probability_or_no_shape_is_not_drawn(draw: Callable[[Any], object]) -> None:
    with pytest.raises(InvalidParameterError):
        draw(SeededEntropy(1))


@pytest.mark.parametrize("draw", [bernoulli, bernoulli_exp])
def test_a_source_of_too_few_words_is_an_error(draw: Callable[..., object]) -> None:
    class Short(SeededEntropy):
        def words(self, count: int) -> Any:
            return super().words(count)[:-1]

    with pytest.raises(EntropyError):
        draw(Fraction(1, 2), 9, Short(1))
