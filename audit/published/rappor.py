"""RAPPOR: Erlingsson, Pihur and Korolova (2014), steps 1 to 3, with the hash function that DP-Sniper takes.

That is MurmurHash3 of 32 bits (Appleby), of the decimal number as text, as a signed integer modulo the filter's size.
"""

from __future__ import annotations

import math

import numpy as np

from audit.published.record import FloatArray
from dpmatrix.auditing import Target

FILTER, HASHES = 20, 4
_MASK = 2**32 - 1


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> (32 - by)) & _MASK


def _scrambled(word: int) -> int:
    return _rotated(word * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK


def murmur3(text: bytes, seed: int) -> int:
    """Return the unsigned 32-bit hash of a text."""
    state, whole = seed, len(text) // 4 * 4
    for start in range(0, whole, 4):
        state ^= _scrambled(int.from_bytes(text[start : start + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE6546B64) & _MASK
    if whole < len(text):
        state ^= _scrambled(int.from_bytes(text[whole:], "little"))
    state ^= len(text)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        state = (state ^ state >> shift) * factor & _MASK
    return state ^ state >> 16


def bloom_filter(value: float) -> FloatArray:
    """Return the filter of an integer, shape (20,), of zeros and ones."""
    bits = np.zeros(FILTER)
    for seed in range(HASHES):
        unsigned = murmur3(str(int(value)).encode(), seed)
        bits[(unsigned - 2**32 if unsigned >= 2**31 else unsigned) % FILTER] = 1.0
    return bits


def different_bits(value: float, other: float) -> int:
    """Count the bits in which two filters differ."""
    return int(np.sum(bloom_filter(value) != bloom_filter(other)))


def rappor(permanent: float, zero: float, one: float) -> Target:
    """Randomise the filter of an integer.

    Each bit becomes 0 or 1, with probability ``permanent`` / 2 each, or stays. A bit that is then 1 is released as 1
    with probability ``one``, and one that is 0 with probability ``zero``.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        drawn = generator.random((size, FILTER))
        bits = np.where(drawn < permanent / 2, 1.0, np.where(drawn < permanent, 0.0, bloom_filter(data[0, 0])))
        return (generator.random((size, FILTER)) < np.where(bits == 1, one, zero)).astype(np.float64)

    return target


def bit_loss(permanent: float, zero: float, one: float) -> float:
    """Return the loss of one bit; the parameters are symmetric, so that 0 and 1 lose the same."""
    chances = [permanent / 2 * (zero + one) + (1 - permanent) * stays for stays in (one, zero)]
    return max(math.log(chances[0] / chances[1]), math.log((1 - chances[1]) / (1 - chances[0])))
