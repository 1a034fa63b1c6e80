"""Integers under a hat of rectangles are what their words make of them, and all words together make the law.

Every word of a few bits is proposed once, followed by zeros or by ones: the weight of an integer lies between what both
keep and what one of them keeps. Then words are read once more with thresholds of hundreds of digits, also words whose
reals are as near to the threshold as they can be. Nothing is statistical.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from audit.released.rectangles import CHUNK, PLACES, Rectangles, scaled
from dpmatrix.errors import EntropyError, OutOfRangeError
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace, geometric
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight


def sampler(linear: Fraction, quadratic: Fraction, two_sided: bool, *cut: int, **settings: Any) -> RectangleSampler:
    """Build a sampler of a law whose words are cut as is told: block, word, slot, and the tail's beginning."""
    block_bits, word_bits, slot_bits, cutoff = cut
    layout = Layout(block_bits, word_bits=word_bits, slot_bits=slot_bits, cutoff=Fraction(cutoff))
    return RectangleSampler(Weight(linear, quadratic, two_sided), layout, **settings)


SMALL: dict[str, tuple[Fraction, Fraction, bool, int, int, int, int]] = {
    "laplace": (Fraction(1, 4), Fraction(0), True, 1, 12, 5, 4),
    "narrow-laplace": (Fraction(2), Fraction(0), True, 0, 10, 4, 4),
    "long-blocks": (Fraction(2, 21), Fraction(0), True, 2, 13, 5, 4),
    "longest-blocks": (Fraction(1, 8), Fraction(0), True, 2, 13, 6, 4),
    "geometric": (Fraction(1, 5), Fraction(0), False, 1, 11, 4, 4),
    "gaussian": (Fraction(0), Fraction(1, 320), True, 1, 13, 6, 3),
    "narrow-gaussian": (Fraction(0), Fraction(15), True, 0, 8, 3, 9),
    "both": (Fraction(1, 30), Fraction(1, 600), True, 1, 13, 6, 4),
    "both-on-one-side": (Fraction(1, 30), Fraction(1, 300), False, 0, 13, 6, 5),
}


class AllWords(SeededEntropy):
    """A source that gives each word of some bits once, and then digits of a seed, or zeros or ones."""

    def __init__(self, bits: int, then: int | None = None) -> None:
        super().__init__(bits)
        self.word_bits, self.then, self.given = bits, then, 0

    def words(self, count: int) -> Any:
        """Give the next words, with ones where nobody should look."""
        found: np.ndarray = np.arange(self.given, self.given + count, dtype=np.uint64)
        self.given += count
        assert self.given <= 2**self.word_bits
        below = np.uint64(64 - self.word_bits)
        return (found << below) | ((np.uint64(1) << below) - np.uint64(1))

    def bits(self, count: int) -> int:
        """Give further digits of a real, or other bits."""
        if self.then is None or count != 64:
            return super().bits(count)
        return self.then * ((1 << count) - 1)


@pytest.mark.parametrize("settings", [{}, {"margin": 2.0**-3}, {"shortcuts": False}], ids=["plain", "coarse", "slow"])
@pytest.mark.parametrize("name", SMALL)
def test_all_words_together_keep_the_law(name: str, settings: dict[str, Any]) -> None:
    """Each integer with the same multiple of its weight, of which one word of each slot may be open."""
    made = sampler(*SMALL[name], **settings)
    cut, size = made.layout, 2**made.layout.word_bits
    known = Rectangles.of(made)
    kept = []
    for then in (1, 0):
        values = np.full(size, 99, np.int64)
        refused = made.attempt(values, AllWords(cut.word_bits, then))
        kept.append(Counter(np.delete(values, refused).tolist()))
    whole = Fraction(size * 2**64, 2**cut.slot_bits * 2**cut.block_bits * made.tables.unit)
    inner = [value for value in {*kept[0], *kept[1]} if -made.tables.reach <= value < made.tables.reach]
    assert sorted(inner) == list(range(-known.reach if known.two_sided else 0, known.reach))
    for value in inner:
        mass = scaled(whole, known.exponent(value))
        block = next(block for block in known.blocks if block.start <= value < block.start + known.length)
        assert kept[0][value] <= kept[1][value] <= kept[0][value] + block.owned
        assert kept[0][value] << PLACES <= mass + 1
        assert kept[1][value] << PLACES >= mass


@pytest.mark.parametrize("settings", [{}, {"margin": 2.0**-3}, {"shortcuts": False}], ids=["plain", "coarse", "slow"])
@pytest.mark.parametrize("name", SMALL)
def test_each_word_is_kept_or_refused_as_its_real_is(name: str, settings: dict[str, Any]) -> None:
    """Value by value, with those of the tail; both readings have read equally many bits."""
    made = sampler(*SMALL[name], **settings)
    bits = made.layout.word_bits
    known, first, second = Rectangles.of(made), AllWords(bits), AllWords(bits)
    values = np.full(2**bits, 99, np.int64)
    refused = set(made.attempt(values, first).tolist())
    for word, value in enumerate(values.tolist()):
        named, kept = known.judge(word, second)
        assert kept is (word not in refused)
        assert named == value or not kept
    assert first.bits(64) == second.bits(64)


# Words of a seed


LAWS: dict[str, tuple[Any, Fraction, Weight, int]] = {
    f"{draw.__name__}-{parameter}": (draw, parameter, weight, block_bits)
    for draw, parameter, weight, block_bits in [
        (geometric, Fraction(1000, 3), Weight(Fraction(3, 1000), Fraction(0), two_sided=False), 5),
        (geometric, Fraction(1, 1000), Weight(Fraction(1000), Fraction(0), two_sided=False), 0),
        (geometric, Fraction(2**40), Weight(Fraction(1, 2**40), Fraction(0), two_sided=False), 37),
        (discrete_laplace, Fraction(1, 1000), Weight(Fraction(1000), Fraction(0)), 0),
        (discrete_laplace, Fraction(10), Weight(Fraction(1, 10), Fraction(0)), 0),
        (discrete_laplace, Fraction(64), Weight(Fraction(1, 64), Fraction(0)), 3),
        (discrete_laplace, Fraction(127, 2), Weight(Fraction(2, 127), Fraction(0)), 2),
        (discrete_laplace, Fraction(10**6, 7), Weight(Fraction(7, 10**6), Fraction(0)), 14),
        (discrete_laplace, Fraction(2**40), Weight(Fraction(1, 2**40), Fraction(0)), 37),
        (discrete_gaussian, Fraction(1, 10**6), Weight(Fraction(0), Fraction(10**6, 2)), 0),
        (discrete_gaussian, Fraction(100), Weight(Fraction(0), Fraction(1, 200)), 0),
        (discrete_gaussian, Fraction(32**2), Weight(Fraction(0), Fraction(1, 2 * 32**2)), 1),
        (discrete_gaussian, Fraction(128**2), Weight(Fraction(0), Fraction(1, 2 * 128**2)), 3),
        (discrete_gaussian, Fraction(128**2 - 1), Weight(Fraction(0), Fraction(1, 2 * 128**2 - 2)), 2),
        (discrete_gaussian, Fraction(10**12, 7), Weight(Fraction(0), Fraction(7, 2 * 10**12)), 14),
        (discrete_gaussian, Fraction(2**80), Weight(Fraction(0), Fraction(1, 2**81)), 36),
    ]
}


@cache
def table_of(weight: Weight, block_bits: int) -> RectangleSampler:
    """Build tables of a law for words of 64 bits, of which 12 name a slot and the tail begins at 16."""
    return RectangleSampler(weight, Layout(block_bits, word_bits=64, slot_bits=12, cutoff=Fraction(16)))


@pytest.mark.parametrize("name", LAWS)
def test_integers_are_made_of_words_of_their_source(name: str) -> None:
    """A few thousand of them, in an array of two dimensions."""
    draw, parameter, weight, block_bits = LAWS[name]
    first, second = SeededEntropy(5), SeededEntropy(5)
    found = draw(parameter, (500, 3), first)
    assert (found.shape, found.dtype) == ((500, 3), np.dtype(np.int64))
    assert found.ravel().tolist() == Rectangles.of(table_of(weight, block_bits)).draw(1500, second)
    assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize("settings", [{}, {"margin": 2.0**-3}, {"shortcuts": False}], ids=["plain", "coarse", "slow"])
@pytest.mark.parametrize("name", ["laplace", "narrow-laplace", "geometric", "gaussian", "both"])
def test_a_draw_replaces_what_it_refuses(name: str, settings: dict[str, Any]) -> None:
    """The tail begins early, so that words of all kinds are frequent; none is drawn twice or left out."""
    linear, quadratic, two_sided, block_bits, _, slot_bits, cutoff = SMALL[name]
    for word_bits in (64, 63, 20):
        made = sampler(linear, quadratic, two_sided, block_bits, word_bits, slot_bits, cutoff, **settings)
        first, second = SeededEntropy(word_bits), SeededEntropy(word_bits)
        assert made.draw((700,), first).tolist() == Rectangles.of(made).draw(700, second)
        assert first.bits(64) == second.bits(64)


def test_words_come_in_chunks() -> None:
    """More variates than a chunk has words are drawn, and more than one chunk of them is settled."""
    made = sampler(Fraction(2), Fraction(0), True, 0, 64, 5, 3, shortcuts=False)
    first, second = SeededEntropy(9), SeededEntropy(9)
    for size in (0, 1, CHUNK + 3):
        assert made.draw((size,), first).tolist() == Rectangles.of(made).draw(size, second)
        assert first.bits(64) == second.bits(64)


class Told(SeededEntropy):
    """A source of told words, and then of those of a seed."""

    def __init__(self, told: list[int], seed: int = 3) -> None:
        super().__init__(seed)
        self.told = told

    def words(self, count: int) -> Any:
        """Give the told words first."""
        here, self.told = self.told[:count], self.told[count:]
        return np.concatenate([np.array(here, np.uint64), super().words(count - len(here))])


@pytest.mark.parametrize("settings", [{}, {"margin": 2.0**-10}, {"shortcuts": False}], ids=["plain", "coarse", "slow"])
@pytest.mark.parametrize(
    "made",
    [
        (Fraction(1, 128), Fraction(0), True, 6, 64, 8, 7),
        (Fraction(0), Fraction(1, 8192), True, 3, 64, 8, 5),
        (Fraction(1, 10), Fraction(0), True, 0, 64, 12, 16),
        (Fraction(1, 3), Fraction(1, 50), False, 0, 64, 12, 9),
        (Fraction(1, 2**40), Fraction(0), False, 37, 64, 12, 16),
    ],
    ids=["steep-blocks", "gaussian", "integers", "both", "few-digits"],
)
def test_reals_as_near_to_their_threshold_as_they_can_be_are_decided_as_they_are(
    made: tuple[Any, ...], settings: dict[str, Any]
) -> None:
    """Their cells hold it, are beside it, or are about as far from it as floats are trusted."""
    built = sampler(*made, **settings)
    known, words = Rectangles.of(built), []
    for block in known.blocks[:: max(len(known.blocks) // 30, 1)]:
        for place in {0, known.length // 3, known.length - 1}:
            edge = known.share(block, block.start + place) >> (PLACES - known.digits)
            far = {int(known.length and 2.0 ** (known.digits - 30) * part) for part in (0.3, 0.9, 1.1, 3)}
            for step in {0, 1, 2, *far}:
                words += [
                    (block.first << known.digits | digits) << known.block_bits | place
                    for digits in (edge - step, edge + step)
                    if 0 <= digits < 2**known.digits
                ]
    first, second = Told(words), SeededEntropy(3)
    values = np.full(len(words), 99, np.int64)
    refused = set(built.attempt(values, first).tolist())
    for place, word in enumerate(words):
        value, kept = known.judge(word, second)
        assert kept is (place not in refused)
        assert value == values[place] or not kept
    assert first.bits(64) == second.bits(64)
    assert 0 < len(refused) < len(words)


def test_the_estimate_is_as_near_as_is_proved() -> None:
    """Where the exponent grows by a half within a block, at a distance of less than 2**-31."""
    for made in (
        (Fraction(1, 128), Fraction(0), True, 6, 64, 8, 7),
        (Fraction(0), Fraction(1, 8192), True, 3, 64, 8, 5),
    ):
        built = sampler(*made)
        known = Rectangles.of(built)
        slots = np.array([block.first for block in known.blocks])
        for place in range(known.length):
            values = np.array([block.start + place for block in known.blocks])
            for block, value, found in zip(known.blocks, values.tolist(), built.estimate(slots, values), strict=True):
                exact = Fraction(known.share(block, value), 2**PLACES)
                assert abs(Fraction(float(found)) - exact) < Fraction(1, 2**31)


# Limits


def test_a_margin_is_no_less_than_what_is_proved() -> None:
    assert sampler(*SMALL["laplace"]).margin == 2.0**-30
    assert sampler(*SMALL["laplace"], margin=2.0**-30).margin == 2.0**-30
    for wrong in (2.0**-30 * (1 - 2.0**-50), 2.0**-31, 0.0, float("nan")):
        with pytest.raises(ValueError, match="not proved"):
            sampler(*SMALL["laplace"], margin=wrong)


def test_tables_follow_from_the_law_alone() -> None:
    """They cannot be given, and floats and bounds are used where nothing else is said."""
    made = sampler(*SMALL["laplace"])
    assert (made.shortcuts, made.largest) == (True, 2**63 - 1)
    with pytest.raises(TypeError, match="tables"):
        sampler(*SMALL["laplace"], tables=made.tables)


@pytest.mark.parametrize("name", ["narrow-laplace", "geometric", "gaussian"])
def test_a_variate_beyond_the_largest_is_an_error_and_the_largest_is_none(name: str) -> None:
    """Words of the tail whose real is as small as can be, on both sides."""
    linear, quadratic, two_sided, block_bits, _, slot_bits, cutoff = SMALL[name]
    law, tail = (
        (linear, quadratic, two_sided, block_bits, 64, slot_bits, cutoff),
        (2**slot_bits - 1) << (64 - slot_bits),
    )
    known, seen = Rectangles.of(sampler(*law)), set()
    for seed in range(30):
        value, _ = known.judge(tail, Told([], seed))
        seen.add(value)
        found = np.empty(1, np.int64)
        sampler(*law, largest=abs(value)).attempt(found, Told([tail], seed))
        assert found[0] == value
        with pytest.raises(OutOfRangeError):
            sampler(*law, largest=abs(value) - 1).attempt(found, Told([tail], seed))
    assert len(seen) > 2
    assert (min(seen) < 0) is two_sided


@pytest.mark.parametrize("refused", [0, 1, 999, 1000])
def test_a_source_has_a_thousand_rounds_to_give_a_word_that_is_kept(refused: int) -> None:
    """The words of ones are of the tail, which refuses them; that of zeros names zero and is kept."""
    source = Told([2**64 - 1] * refused + [0] * 10)
    if refused < 1000:
        assert sampler(*SMALL["laplace"]).draw((1,), source).tolist() == [0]
    else:
        with pytest.raises(EntropyError, match="seed 3 gave no word that is kept in 1000 rounds"):
            sampler(*SMALL["laplace"]).draw((1,), source)
