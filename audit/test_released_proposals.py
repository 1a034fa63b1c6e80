"""Integers under a hat of rectangles are what their words make of them, and all words together make the law.

Every word of a few bits is proposed once, followed by zeros or by ones: the weight of an integer lies between what both
keep and what one of them keeps. Then words are read once more with thresholds of hundreds of digits, also words whose
reals are as near to the threshold as they can be. Nothing is statistical.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.released.rectangles import PLACES, SMALL, AllWords, Rectangles, Told, sampler, scaled
from dpmatrix.randomness.entropy import SeededEntropy


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
