"""Integers of laws too wide for a word are a quotient, a residue and a sign, each of bits that nothing else is made of.

Words of a source are read once more as the proof says it, one proposal at a time, with thresholds of hundreds of
digits; also words whose lanes are nearly all ones, which alone leave anything to decide. Nothing is statistical.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
import pytest

from audit.released.rectangles import CHUNK, Rectangles, is_below, scaled
from dpmatrix.errors import EntropyError
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_wide import (
    WideSampler,
    gaussian_sampler,
    laplace_sampler,
    wide_gaussian,
    wide_laplace,
)

SIGN = 47
"""The sign is this bit of the first word; the digits of the real are above it, and the residue is below."""
MOST = 2**63 - 1


class Wide:
    """A law of weight ``exp(-linear |y| - quadratic y**2)`` of which so many bits are a residue."""

    def __init__(self, linear: Fraction, quadratic: Fraction, bits: int, block: int, unit: int) -> None:
        self.linear, self.quadratic, self.bits = linear, quadratic, bits
        width = 2**bits
        self.quotients = Rectangles(linear * width, quadratic * width**2, False, block, 64, 12, Fraction(16), unit)

    def proposals(self, count: int, source: Any) -> list[tuple[int, bool]]:
        """Read quotients, words and further digits of residues, and whether each proposal is kept."""
        quotients = self.quotients.draw(count, source)
        words = source.words(count).tolist()
        residues = [word % 2 ** min(self.bits, SIGN) for word in words]
        have = min(self.bits, SIGN)
        while have < self.bits:
            more = min(64, self.bits - have)
            fresh = source.words(count).tolist()
            residues = [old << more | word >> (64 - more) for old, word in zip(residues, fresh, strict=True)]
            have += more
        found = []
        for quotient, word, residue in zip(quotients, words, residues, strict=True):
            # The exponent of the magnitude less that of the quotient's first one.
            gained = residue * (self.linear + self.quadratic * (2 * quotient * 2**self.bits + residue))
            value, negative = quotient * 2**self.bits + residue, word >> SIGN & 1
            kept = is_below(scaled(Fraction(1), gained), word >> (SIGN + 1), 63 - SIGN, source)
            found.append((-value if negative else value, kept and not (negative and value == 0)))
        return found

    def draw(self, count: int, source: Any) -> list[int]:
        """Read chunk after chunk, of which what was refused is replaced until nothing is."""
        drawn = []
        for start in range(0, count, CHUNK):
            part = self.proposals(min(CHUNK, count - start), source)
            while places := [place for place, (_, kept) in enumerate(part) if not kept]:
                for place, again in zip(places, self.proposals(len(places), source), strict=True):
                    part[place] = again
            drawn += [value for value, _ in part]
        return drawn


class Lanes(SeededEntropy):
    """A source of which many words begin with ones, or nearly."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.other = SeededEntropy(seed + 1)

    def words(self, count: int) -> Any:
        """Give words."""
        found, coins = super().words(count), self.other.words(count)
        lanes = (np.uint64(2**16 - 1) - (coins >> np.uint64(62))) << np.uint64(48)
        return np.where(coins & np.uint64(1), lanes | (found & np.uint64(2**48 - 1)), found)


MAKERS: dict[str, tuple[Callable[..., WideSampler], Callable[[Fraction], tuple[Fraction, Fraction]]]] = {
    "laplace": (laplace_sampler, lambda scale: (1 / scale, Fraction(0))),
    "gaussian": (gaussian_sampler, lambda variance: (Fraction(0), 1 / (2 * variance))),
}
CASES: dict[str, tuple[str, Fraction, int, int]] = {
    "narrow-laplace": ("laplace", Fraction(33, 8), 2, 0),
    "no-residue": ("laplace", Fraction(7, 2), 0, 0),
    "a-few-bits": ("laplace", Fraction(2**20), 3, 14),
    "just-certain": ("laplace", Fraction(2**22), 6, 13),
    "hardly-certain": ("laplace", Fraction(2**22 - 1), 6, 12),
    "one-word": ("laplace", Fraction(2**75), 47, 25),
    "a-bit-more": ("laplace", Fraction(2**75), 48, 24),
    "a-word-and-a-part": ("laplace", Fraction(2**75), 70, 2),
    "long-and-short": ("laplace", Fraction(2**63), 47, 13),
    "two-words": ("laplace", Fraction(2**140, 7), 47 + 64, 23),
    "three-words": ("laplace", Fraction(2**180, 7), 48 + 64 + 40, 22),
    "narrow-gaussian": ("gaussian", Fraction(40), 2, 0),
    "gaussian": ("gaussian", Fraction(2**30, 7), 3, 6),
    "certain-up-to-the-deviation": ("gaussian", Fraction(2**44), 6, 12),
    "gaussian-words": ("gaussian", Fraction(2**150), 70, 1),
}
"""A law, how many bits of a variate are its residue, and the logarithm of the length of its blocks of quotients."""


def known(name: str) -> tuple[WideSampler, Wide]:
    """Return a sampler, and the reading of its law."""
    maker, parameter, bits, block = CASES[name]
    make, weights = MAKERS[maker]
    made = make(parameter, bits)
    return made, Wide(*weights(parameter), bits, block, made.quotients.tables.unit)


@pytest.mark.parametrize("kind", [SeededEntropy, Lanes])
@pytest.mark.parametrize("name", CASES)
def test_the_same_words_give_the_same_integers(name: str, kind: type[SeededEntropy]) -> None:
    """Words of a seed, and such whose lanes are nearly all ones; both readings have read equally many bits."""
    made, reading = known(name)
    for seed, count in ((1, 200), (2, 1), (3, 0), (4, 2)):
        first, second = kind(seed), kind(seed)
        found = made.draw(count, first)
        assert found.shape == (count,)
        assert found.tolist() == reading.draw(count, second)
        assert first.bits(64) == second.bits(64)
        assert first.words(1)[0] == second.words(1)[0]


def test_words_come_in_chunks() -> None:
    """What is drawn beyond a chunk is drawn as if it were drawn alone."""
    made = laplace_sampler(Fraction(2**41), 10)
    first, second = SeededEntropy(3), SeededEntropy(3)
    found = made.draw(CHUNK + 2, first)
    assert found.dtype == np.dtype(np.int64)
    assert found.tolist() == [*made.draw(CHUNK, second).tolist(), *made.draw(2, second).tolist()]
    assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize("start", range(0, 80, 16))
def test_a_refused_integer_may_be_replaced_by_a_longer_one(start: int) -> None:
    """One of 64 bits by one that does not fit them, where one is drawn at a time."""
    made, reading = known("long-and-short")
    for seed in range(start, start + 16):
        first, second = Lanes(seed), Lanes(seed)
        assert made.draw(1, first).tolist() == reading.draw(1, second)


class Ones:
    """A source of told words, whose further digits are ones."""

    private, description = False, "ones"

    def __init__(self, *words: int) -> None:
        self.told = list(words)

    def words(self, count: int) -> Any:
        """Give the next words."""
        return np.array([self.told.pop(0) for _ in range(count)], np.uint64)

    def bits(self, count: int) -> int:
        """Give ones."""
        return (1 << count) - 1


@pytest.mark.parametrize("more", [2**64 - 1, 2**63])
def test_a_lane_of_ones_is_decided_whatever_follows_it(more: int) -> None:
    """The rest of its word is zero, and the residue, which the next word completes, is not: here it is refused."""
    made, _ = known("a-word-and-a-part")
    source = Ones(0, (2**16 - 1) << 48, more, 0, 5, 5 << 41)
    assert made.draw(1, source).tolist() == [(5 << 23) + 5]
    assert source.told == []


def test_control_another_law_makes_other_integers_of_the_same_words() -> None:
    made, _ = known("narrow-gaussian")
    other = Wide(Fraction(0), Fraction(1, 82), 2, 0, 2**60)
    assert made.draw(300, SeededEntropy(1)).tolist() != other.draw(300, SeededEntropy(1))


# Which quotients are certain


@pytest.mark.parametrize(
    ("scale", "bits"),
    [
        (Fraction(2**22), 6),
        (Fraction(2**40, 3), 6),
        (Fraction(2**40, 3), 13),
        (Fraction(2**30), 0),
        (Fraction(2**17, 5), 1),
        (Fraction(2**8), 0),
        (Fraction(13, 2), 1),
    ],
)
def test_a_quotient_is_certain_where_no_residue_costs_more_than_a_lane(scale: Fraction, bits: int) -> None:
    """The bound on what a residue costs, of the last certain quotient and the next; a Laplace law has none or all."""
    width = 2**bits
    made = gaussian_sampler(scale**2, bits)
    lane, quadratic = Fraction(1, 2**16), 1 / (2 * scale**2)
    bounds = [(2 * quotient + 1) * width**2 * quadratic for quotient in (made.certain, made.certain + 1)]
    assert bounds[0] <= lane < bounds[1]
    made = laplace_sampler(scale, bits)
    assert made.certain == MOST if width / scale <= lane else made.certain < 0


def test_a_quotient_beyond_64_bits_is_not_certain() -> None:
    """A law so wide that the bound allows it."""
    assert gaussian_sampler(Fraction(2**100), 1).certain == MOST


@pytest.mark.parametrize("scale", [Fraction(2**22), Fraction(2**22) - Fraction(1, 9), Fraction(2**22) + Fraction(1, 9)])
def test_a_laplace_law_is_certain_everywhere_or_nowhere(scale: Fraction) -> None:
    """With 2**6 residues the most that one costs is 2**6 / scale."""
    made = laplace_sampler(scale, 6)
    assert (made.certain == MOST) is (scale >= 2**22)
    assert (made.certain < 0) is (scale < 2**22)


@pytest.mark.parametrize("first", [0, 1, 11, 47])
def test_a_magnitude_is_what_it_is_however_large_its_quotient(first: int) -> None:
    """Up to the last one that fits 64 bits with its sign it is an integer of the machine."""
    made = laplace_sampler(Fraction(2 ** (first + 10)), first)
    for quotients in ([0, 1], [2 ** (63 - first) - 1, 3], [2 ** (63 - first), 3], [2**62, 2**62 + 1], [MOST, 0]):
        if max(quotients) > MOST:
            continue
        words = np.array([2**64 - 1, 5], np.uint64)
        found = made._magnitudes(np.array(quotients), words, SeededEntropy(1))
        assert found.tolist() == [
            quotient * 2**first + word % 2**first for quotient, word in zip(quotients, words.tolist(), strict=True)
        ]
        assert (found.dtype == np.dtype(np.int64)) is (max(quotients) < 2 ** (63 - first))


# What a law of some width is cut into


@pytest.mark.parametrize(
    "width",
    [Fraction(1), Fraction(2**30), Fraction(2**31) - 1, Fraction(2**31), Fraction(2**90, 1001), Fraction(10**40)],
)
@pytest.mark.parametrize("name", MAKERS)
def test_quotients_have_a_scale_from_two_to_the_thirty_on(name: str, width: Fraction) -> None:
    """Or that of the law where it is less; the integers are those of a sampler that is made so."""
    bits = next(bits for bits in itertools.count() if width < 2 ** (31 + bits))
    make, weights = MAKERS[name]
    draw, parameter = (wide_laplace, width) if name == "laplace" else (wide_gaussian, width**2)
    longest = isqrt(int(width**2 / 4**bits)) // (8 if name == "laplace" else 16)
    made = make(parameter, bits)
    assert 2**made.layout.block_bits <= max(longest, 1) < 2 ** (made.layout.block_bits + 1)
    reading = Wide(*weights(parameter), bits, max(longest.bit_length() - 1, 0), made.quotients.tables.unit)
    first, second = SeededEntropy(6), SeededEntropy(6)
    assert draw(parameter, 40, first).tolist() == reading.draw(40, second)
    assert first.bits(64) == second.bits(64)


def test_what_follows_from_the_law_is_not_given() -> None:
    made = laplace_sampler(Fraction(2**40), 8)
    for name in ("quotients", "certain"):
        with pytest.raises(TypeError, match=name):
            WideSampler(made.weight, made.layout, 8, **{name: getattr(made, name)})
    assert len({made, WideSampler(made.weight, made.layout, 8)}) == 2


@pytest.mark.parametrize("draw", [wide_laplace, wide_gaussian])
def test_a_source_of_too_few_words_is_an_error(draw: Callable[..., object]) -> None:
    class Short(SeededEntropy):
        def words(self, count: int) -> Any:
            return super().words(count)[:-1]

    with pytest.raises(EntropyError):
        draw(Fraction(2**90), 3, Short(1))
