"""The hat of rectangles as its pages describe it, read word by word with numbers that mpmath computes.

Blocks, slots and shares follow from the weight alone, and every real is compared with its threshold to hundreds of
digits. Only the unit of area is taken from the library, since any unit that fits gives the same law.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import mpmath
import numpy as np
from attrs import frozen

from dpmatrix.randomness.discrete import geometric
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight

PLACES = 900
"""Binary digits to which thresholds are known here."""
CHUNK = 2**14
"""So many words are read at a time."""


@lru_cache(maxsize=2**15)
def scaled(factor: Fraction, exponent: Fraction, decay: Fraction | None = None) -> int:
    """Return ``factor exp(-exponent) / (1 - exp(-decay))`` in units of ``2**-PLACES``, rounded down."""
    with mpmath.workprec(PLACES + 200):
        value = mpmath.mpf(factor.numerator) / factor.denominator
        if exponent:
            value *= mpmath.exp(-mpmath.mpf(exponent.numerator) / exponent.denominator)
        if decay is not None:
            value /= -mpmath.expm1(-mpmath.mpf(decay.numerator) / decay.denominator)
        return int(mpmath.floor(value * mpmath.mpf(2) ** PLACES))


def is_below(edge: int, known: int, bits: int, source: Any) -> bool:
    """Return whether a real with these first digits is below an edge, and read 64 digits more where that is open."""
    while True:
        if (known + 1) << (PLACES - bits) <= edge:
            return True
        if known << (PLACES - bits) >= edge:
            return False
        known, bits = known << 64 | source.bits(64), bits + 64


@frozen
class Block:
    """Neighbours that share a height, and the first and the number of their slots."""

    start: int
    near: int
    far: int
    first: int
    owned: int


@frozen
class Rectangles:
    """A law of weight ``exp(-linear |y| - quadratic y**2)`` and how words of it are cut.

    Parameters
    ----------
    linear, quadratic, two_sided
        The weight, on all integers or on those that are not negative.
    block_bits, word_bits, slot_bits
        A word is a slot, digits of a real, and a place in a block of so many bits.
    cutoff
        Where the exponent reaches it, the tail begins.
    unit
        The area of a slot is this, times the length of a block, in units of ``2**-64``.
    """

    linear: Fraction
    quadratic: Fraction
    two_sided: bool
    block_bits: int
    word_bits: int
    slot_bits: int
    cutoff: Fraction
    unit: int

    @classmethod
    def of(cls, sampler: Any) -> Rectangles:
        """Read the law of a sampler."""
        weight, layout = sampler.weight, sampler.layout
        return cls(
            weight.linear,
            weight.quadratic,
            weight.two_sided,
            layout.block_bits,
            layout.word_bits,
            layout.slot_bits,
            layout.cutoff,
            sampler.tables.unit,
        )

    @property
    def length(self) -> int:
        """Integers in a block."""
        return int(2**self.block_bits)

    @property
    def digits(self) -> int:
        """Digits of a real in a word."""
        return self.word_bits - self.slot_bits - self.block_bits

    def exponent(self, value: int) -> Fraction:
        """Return minus the logarithm of the weight."""
        return self.linear * abs(value) + self.quadratic * value * value

    @cached_property
    def reach(self) -> int:
        """Where the tail begins."""
        ends = itertools.count(self.length, self.length)
        return next(end for end in ends if self.exponent(end) >= self.cutoff)

    @cached_property
    def blocks(self) -> list[Block]:
        """The blocks, from zero up and then from minus one down; a hat is the least that is above the weight."""
        starts = [*range(0, self.reach, self.length)]
        if self.two_sided:
            starts += [-start - self.length for start in starts]
        found, first = [], 0
        for start in starts:
            ends = [start] if self.length == 1 else [start, start + self.length]
            near, far = min(map(abs, ends)), max(map(abs, ends))
            top = -(-scaled(Fraction(1), self.exponent(near)) >> (PLACES - 64))
            owned = -(-top // self.unit)
            found.append(Block(start, near, far, first, owned))
            first += owned
        assert first < 2**self.slot_bits, "a slot is left for the tail"
        return found

    @cached_property
    def slots(self) -> list[Block]:
        """The block of each slot that has one."""
        return [block for block in self.blocks for _ in range(block.owned)]

    @cached_property
    def _shares(self) -> dict[tuple[int, int], int]:
        return {}

    @cached_property
    def slope(self) -> Fraction:
        """Slope of the exponent where the tail begins."""
        return self.linear + 2 * self.quadratic * self.reach

    def share(self, block: Block, value: int) -> int:
        """Return with which probability an integer of a block is kept, in units of ``2**-PLACES``."""
        key = (block.owned, abs(value))
        if key not in self._shares:
            self._shares[key] = scaled(Fraction(2**64, block.owned * self.unit), self.exponent(value))
        return self._shares[key]

    def tail_share(self, excess: int, value: int) -> int:
        """Return with which probability a proposal of the tail is kept: of a geometric excess and a fair side."""
        factor = Fraction((2 if self.two_sided else 1) * 2**64, self.length * self.unit)
        return scaled(factor, self.exponent(value) - excess * self.slope, self.slope)

    @cached_property
    def tail_bound(self) -> int:
        """Digits from which on the tail keeps nothing."""
        return -(-self.tail_share(0, self.reach) >> (PLACES - self.digits))

    def judge(self, word: int, source: Any) -> tuple[int, bool]:
        """Return the integer that a word names, and whether it is kept."""
        slot = word >> (self.word_bits - self.slot_bits)
        known = word >> self.block_bits & 2**self.digits - 1
        if slot == 2**self.slot_bits - 1:
            return self._judge_tail(known, source)
        if slot >= len(self.slots):
            return 0, False
        block = self.slots[slot]
        value = block.start + word % self.length
        return value, is_below(self.share(block, value), known, self.digits, source)

    def _judge_tail(self, known: int, source: Any) -> tuple[int, bool]:
        if known >= self.tail_bound:
            return 0, False
        negative = self.two_sided and source.bits(1) == 1
        excess = geometric(1 / self.slope, source)
        value = -self.reach - 1 - excess if negative else self.reach + excess
        return value, is_below(self.tail_share(excess, value), known, self.digits, source)

    def draw(self, count: int, source: Any) -> list[int]:
        """Read words for all variates, and then for those that were refused, until there are none."""
        found, left = [0] * count, [*range(count)]
        while left:
            words: list[int] = []
            for start in range(0, len(left), CHUNK):
                words += source.words(min(CHUNK, len(left) - start)).tolist()
            left = [*self._refused(left, words, found, source)]
        return found

    def _refused(self, places: list[int], words: list[int], found: list[int], source: Any) -> Iterator[int]:
        for place, word in zip(places, words, strict=True):
            found[place], kept = self.judge(word >> (64 - self.word_bits), source)
            if not kept:
                yield place


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


class Told(SeededEntropy):
    """A source of told words, and then of those of a seed."""

    def __init__(self, told: list[int], seed: int = 3) -> None:
        super().__init__(seed)
        self.told, self.sizes = told, []

    def words(self, count: int) -> Any:
        """Give the told words first."""
        self.sizes.append(count)
        here, self.told = self.told[:count], self.told[count:]
        return np.concatenate([np.array(here, np.uint64), super().words(count - len(here))])
