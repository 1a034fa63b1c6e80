"""Noise that is computed from fixed words, one number at a time, and what the low bits of its sum with a number show.

The words are the output of a hash function, so that a truth depends on no generator. The formulas are written here
anew, with Python's own functions, apart from the batches of the mechanisms.

For every noise s that is a double, the rounded sum 1 + s is a multiple of 2^-53 wherever it lies between -1/2 and 1/2:
then s lies between -3/2 and -1/2, so it is such a multiple itself, and the sum is exact. Noise on the number 0 comes
out as it is. So an output between -1/2 and 1/2 that is no multiple of 2^-53 is possible on a 0, and impossible on a 1.
Of single precision the same holds with 2^-24. Outputs of this kind are the precision-based attack of Haney,
Desfontaines, Hartman, Shrestha and Hay (2022).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import shake_256
from itertools import count
from typing import TypeAlias

import numpy as np

from audit.published.record import Truth
from audit.published.ziggurat import ACCEPTED, BASE, DENSITIES, LAYERS, WIDTHS
from dpmatrix.auditing.certify.confidence import lower_confidence_bound

Words: TypeAlias = Iterator[int]
Noise: TypeAlias = Callable[[Words], float]
BITS = 64
DRAWS = 16_000
FAILURE_PROBABILITY = 1e-9
_BLOCK = 4096


def fixed_words(label: str) -> Words:
    """Yield words of 64 bits: the output of SHAKE-256 on the label and the number of a block."""
    for block in count():
        digest = shake_256(f"{label}/{block}".encode()).digest(_BLOCK)
        for place in range(0, _BLOCK, BITS // 8):
            yield int.from_bytes(digest[place : place + BITS // 8], "big")


def uniform(words: Words, bits: int) -> float:
    """Return a multiple of 2^-bits in [0, 1)."""
    return math.ldexp(next(words) >> (BITS - bits), -bits)


def _sign(words: Words) -> float:
    return 1.0 if next(words) >> (BITS - 1) else -1.0


@cache
def laplace(scale: float, bits: int) -> Noise:
    """Take the logarithm of a uniform number and a sign."""
    return lambda words: scale * (_sign(words) * -math.log(1.0 - uniform(words, bits)))


@cache
def laplace_of_four(scale: float, bits: int = 53) -> Noise:
    """Take four uniform numbers: the sum of two products of a logarithm and a cosine is a Laplace variate."""

    def part(words: Words) -> float:
        return math.log(1.0 - uniform(words, bits)) * math.cos(math.pi * uniform(words, bits))

    return lambda words: -scale * (part(words) + part(words))


@cache
def dense_laplace(scale: float) -> Noise:
    """Take the logarithm of a uniform number below 1/2 with 53 digits of its own, or of what it lacks to 1."""

    def noise(words: Words) -> float:
        mantissa, halvings = 1.0 + uniform(words, 52), 2
        while next(words) >> (BITS - 1):
            halvings += 1
        low = math.ldexp(mantissa, -halvings)
        size = -math.log1p(-low) if next(words) >> (BITS - 1) else -math.log(low)
        return scale * (_sign(words) * size)

    return noise


@cache
def box_muller(deviation: float, bits: int) -> Noise:
    """Return the first of the two numbers of Box and Muller."""

    def noise(words: Words) -> float:
        radius = math.sqrt(-2.0 * math.log(uniform(words, bits) or math.ulp(0.0)))
        return deviation * radius * math.cos(2.0 * math.pi * uniform(words, bits))

    return noise


@cache
def polar(deviation: float, bits: int) -> Noise:
    """Return the first of the two numbers of Marsaglia's polar method."""

    def noise(words: Words) -> float:
        while True:
            first, second = (2.0 * uniform(words, bits) - 1.0 for _ in range(2))
            square = first * first + second * second
            if 0.0 < square < 1.0:
                return deviation * first * math.sqrt(-2.0 * math.log(square) / square)

    return noise


@cache
def ziggurat(deviation: float, bits: int) -> Noise:
    """Return what a ziggurat of 256 layers makes of a layer, a uniform number and a sign."""

    def tail(words: Words) -> float:
        while True:
            over = -math.log(uniform(words, bits) or math.ulp(0.0)) / BASE
            if -2.0 * math.log(uniform(words, bits) or math.ulp(0.0)) > over * over:
                return BASE + over

    def magnitude(words: Words) -> float:
        while True:
            layer, share = next(words) % LAYERS, uniform(words, bits)
            number = share * float(WIDTHS[layer])
            if share < ACCEPTED[layer]:
                return number
            if layer == 0:
                return tail(words)
            height = DENSITIES[layer] + uniform(words, bits) * (DENSITIES[layer - 1] - DENSITIES[layer])
            if height < math.exp(-0.5 * number * number):
                return number

    return lambda words: deviation * (_sign(words) * magnitude(words))


@cache
def two_normals(deviation: float, bits: int = 53) -> Noise:
    """Add two normal numbers and divide by the root of 2."""
    part = polar(1.0, bits)
    return lambda words: deviation * ((part(words) + part(words)) / math.sqrt(2.0))


@cache
def four_singles(deviation: float, bits: int = 24) -> Noise:
    """Add four normal numbers in single precision and take half, each by Box and Muller in single precision."""
    scale, two, turn = np.float32(deviation), np.float32(2.0), np.float32(2.0 * math.pi)

    def normal(words: Words) -> np.float32:
        radius = np.sqrt(-two * np.log(np.float32(1.0) - np.float32(uniform(words, bits))))
        return np.float32(radius * np.cos(turn * np.float32(uniform(words, bits))) * scale)

    def noise(words: Words) -> float:
        total = np.float32(0.0)
        for _ in range(4):
            total = np.float32(total + normal(words))
        return float(total / two)

    return noise


def is_fine(number: float, *, single: bool = False) -> bool:
    """Tell whether a number is an output on a 0 that is impossible on a 1."""
    return abs(number) < 0.5 and math.fmod(number, 2.0 ** -(24 if single else 53)) != 0.0


@cache
def finer(noise: Noise, delta: float, *, single: bool = False) -> Truth:
    """Return the truth of noise on the numbers 0 and 1: infinite where such outputs have a mass above delta on the 0.

    The mass is certified from draws of fixed words, but for the failure probability.
    """
    words = fixed_words("dpmatrix")
    hits = sum(is_fine(noise(words), single=single) for _ in range(DRAWS))
    proved = lower_confidence_bound(hits, DRAWS, FAILURE_PROBABILITY) > delta
    grid = "2^-24" if single else "2^-53"
    how = (
        f"outputs below 1/2 that are no multiple of {grid} are impossible on a 1, by the rounding of a sum; on a 0 "
        f"their mass is above delta, counted on {DRAWS:,} draws of fixed words"
    )
    return Truth(math.inf if proved else 0.0, exact=proved, how=how)
