"""Laws too wide for a word, read as quotient, residue and sign, one proposal at a time."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from audit.released.rectangles import CHUNK, Rectangles, is_below, scaled
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_wide import WideSampler, gaussian_sampler, laplace_sampler

SIGN = 47
"""The sign is this bit of the first word; the digits of the real are above it, and the residue is below."""


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
