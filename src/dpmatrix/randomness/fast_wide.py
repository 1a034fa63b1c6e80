r"""Integers of a law too wide for one word, drawn as quotient, residue and sign, and why their law is exact.

The weight is ``f(y) = exp(-e(|y|))``, ``e(m) = linear m + quadratic m**2``, over all integers. With ``w = 2**k`` let a
proposal be three independent draws: a quotient Q >= 0 with probability proportional to ``f(Q w)``, a residue R uniform
in [0, w), and a fair sign. It is kept with probability ``exp(-x)``, ``x = e(Q w + R) - e(Q w) = R (linear + quadratic
(2 Q w + R)) >= 0``, unless it is "minus zero". So the magnitude ``Q w + R`` is kept with either sign with probability
proportional to ``f(Q w) exp(-x) = f(Q w + R)``. The magnitudes run once through the integers >= 0, and zero keeps one
of its two signs. Proposals that are refused are replaced by fresh ones: the law is f, normalised.

*The decision.* A real U, uniform in (0, 1), keeps the proposal if ``U < exp(-x)``. Its first `LANE_BITS` digits are
drawn at once. If they are not all one, ``U <= 1 - 2**-16``; and where ``Q <= certain``, ``x <= w linear + (2 Q + 1)
w**2 quadratic <= 2**-16``, so that ``U <= 1 - x <= exp(-x)``, whatever the other digits are: the proposal is kept, by
comparisons of integers alone. `is_below` decides the others, one in ``2**16`` or so, as for the ideal U. The quotient
is drawn by `RectangleSampler`, with its proof; nothing else here uses a floating-point number.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_discrete import GAUSSIAN_FINENESS, LAPLACE_FINENESS, block_bits
from dpmatrix.randomness.fast_rectangles import CHUNK, RectangleSampler, check_same_process, take_words
from dpmatrix.randomness.fast_tables import Integers, Layout, Weight, Words
from dpmatrix.randomness.fast_threshold import Threshold, is_below

AnyIntegers: TypeAlias = npt.NDArray[Any]
"""64-bit integers, or Python integers where one of them does not fit."""

QUOTIENT_BITS = 30
"""The quotients of a wide law have a scale from ``2**30`` to ``2**31``."""
LANE_BITS = 16
_FIRST_RESIDUE_BITS = 64 - LANE_BITS - 1
"""The first word holds, from the highest bit down, the digits of U, the sign, and as much of the residue."""
_WORD_BITS = 64
_LANE_OF_ONES = np.uint64(((1 << LANE_BITS) - 1) << (_WORD_BITS - LANE_BITS))


@frozen(eq=False)
class WideSampler:
    """Draws integers with probability proportional to a weight on both sides of zero.

    Parameters
    ----------
    weight
        The law.
    layout
        How a word of the quotient is cut, for the weight ``f(Q w)``.
    residue_bits
        k, at least zero. Which k is taken changes the cost, never the law.
    """

    weight: Weight
    layout: Layout
    residue_bits: int
    quotients: RectangleSampler = field(init=False)
    certain: int = field(init=False)

    @quotients.default
    def _build(self) -> RectangleSampler:
        width = 1 << self.residue_bits
        return RectangleSampler(
            Weight(self.weight.linear * width, self.weight.quadratic * width**2, two_sided=False), self.layout
        )

    @certain.default
    def _last_certain_quotient(self) -> int:
        """Give the largest Q for which the bound on x is at most ``2**-LANE_BITS``; below zero if there is none."""
        linear, quadratic = self.quotients.weight.linear, self.quotients.weight.quadratic
        room = Fraction(1, 1 << LANE_BITS) - linear
        if room < 0:
            return -1
        most = (1 << _WORD_BITS - 1) - 1
        return most if quadratic == 0 else min((room / quadratic - 1) // 2, most)

    def draw(self, count: int, entropy: Entropy) -> AnyIntegers:
        """Draw independent variates, shape (count,).

        Raises
        ------
        EntropyError
            If the entropy fails or runs short, or the process is forked in the middle.
        OutOfRangeError
            If a quotient does not fit 64 bits.
        """
        identity = process_identity()
        parts: list[AnyIntegers] = [np.empty(0, np.int64)]
        for start in range(0, count, CHUNK):
            values, refused = self._attempt(min(CHUNK, count - start), entropy)
            while len(refused):
                again, still = self._attempt(len(refused), entropy)
                values = values.astype(np.result_type(values, again), copy=False)
                values[refused] = again
                refused = refused[still]
            parts.append(values)
        check_same_process(identity)
        return np.concatenate(parts)

    def _attempt(self, count: int, entropy: Entropy) -> tuple[AnyIntegers, npt.NDArray[np.intp]]:
        """Make proposals, and give the positions of those that are refused."""
        quotients = self.quotients.draw((count,), entropy)
        words = take_words(entropy, count)
        magnitudes = self._magnitudes(quotients, words, entropy)
        negative = (words >> np.uint64(_FIRST_RESIDUE_BITS) & np.uint64(1)).view(np.int64)
        refused = (magnitudes == 0) & (negative == 1)
        doubtful = words >= _LANE_OF_ONES
        if int(quotients.max()) > self.certain:
            doubtful |= quotients > self.certain
        for index in np.flatnonzero(doubtful):
            threshold = self.threshold(int(quotients[index]), int(magnitudes[index]))
            lane = int(words[index]) >> (_WORD_BITS - LANE_BITS)
            refused[index] |= not is_below(threshold, lane, LANE_BITS, entropy)
        # In two's complement this is minus the magnitude where the sign is one.
        magnitudes ^= -negative
        magnitudes += negative
        return magnitudes, np.flatnonzero(refused)

    def threshold(self, quotient: int, magnitude: int) -> Threshold:
        """Give the probability ``exp(-x)`` with which a magnitude with this quotient is kept."""
        least = quotient << self.residue_bits
        return Threshold(Fraction(1), self.weight.exponent(magnitude) - self.weight.exponent(least))

    def _magnitudes(self, quotients: Integers, words: Words, entropy: Entropy) -> AnyIntegers:
        first = min(self.residue_bits, _FIRST_RESIDUE_BITS)
        residues = (words & np.uint64((1 << first) - 1)).view(np.int64)
        largest = int(quotients.max())
        if self.residue_bits == first and largest.bit_length() + first < _WORD_BITS:
            residues += quotients << first
            return residues
        magnitudes: AnyIntegers = (quotients.astype(object) << first) + residues.astype(object)
        for start in range(first, self.residue_bits, _WORD_BITS):
            bits = min(_WORD_BITS, self.residue_bits - start)
            more = take_words(entropy, len(quotients)) >> np.uint64(_WORD_BITS - bits)
            magnitudes = (magnitudes << bits) + more.astype(object)
        return magnitudes


def wide_laplace(scale: Fraction, count: int, entropy: Entropy) -> AnyIntegers:
    """Draw independent k with probability proportional to ``exp(-|k| / scale)``, for a large scale.

    Parameters
    ----------
    scale
        At least one; from ``2**QUOTIENT_BITS`` on there is a residue to draw.
    count
        How many.
    entropy
        Source of the words.

    Raises
    ------
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    OutOfRangeError
        If a quotient does not fit 64 bits: probability below ``exp(-2**32)`` for each.
    """
    return laplace_sampler(scale, _residue_bits(scale.numerator // scale.denominator)).draw(count, entropy)


def wide_gaussian(variance: Fraction, count: int, entropy: Entropy) -> AnyIntegers:
    """Draw independent k with probability proportional to ``exp(-k**2 / (2 variance))``, for a large variance.

    Parameters and errors are those of `wide_laplace`, with a variance in place of the scale.
    """
    return gaussian_sampler(variance, _residue_bits(isqrt(variance.numerator // variance.denominator))).draw(
        count, entropy
    )


@lru_cache(maxsize=32)
def laplace_sampler(scale: Fraction, residue_bits: int) -> WideSampler:
    """Build the sampler of a discrete Laplace law."""
    longest = (scale.numerator // scale.denominator >> residue_bits) // LAPLACE_FINENESS
    return WideSampler(Weight(1 / scale, Fraction(0)), Layout(block_bits(longest)), residue_bits)


@lru_cache(maxsize=32)
def gaussian_sampler(variance: Fraction, residue_bits: int) -> WideSampler:
    """Build the sampler of a discrete Gaussian law."""
    longest = (isqrt(variance.numerator // variance.denominator) >> residue_bits) // GAUSSIAN_FINENESS
    return WideSampler(Weight(Fraction(0), 1 / (2 * variance)), Layout(block_bits(longest)), residue_bits)


def _residue_bits(width: int) -> int:
    return max(width.bit_length() - 1 - QUOTIENT_BITS, 0)
