"""The vectorised rejection sampler under a hat of rectangles, and why its law is exact.

A word gives a slot, the first k digits V of a uniform real U in (0, 1), and a position in a block: independent fields
of bits. Slot and position name an integer y of block b, each pair with probability ``1 / (2**slot_bits n)``; ``c_b``
slots name y. It is kept if ``U < f(y) / h_b``, with ``h_b = c_b unit / 2**64``. So one word keeps y with probability

    ``c_b / (2**slot_bits n) * f(y) 2**64 / (c_b unit) = f(y) / (2**slot_bits V)``,    ``V = n unit / 2**64``,

the same multiple of f(y) in every block, and in the tail too (`tail_threshold`). Words that are not kept are replaced
by fresh ones, so the law is f, normalised. It remains that ``U < f(y) / h_b`` is always decided as for the ideal U.
Three filters decide it, each only when every continuation of the digits agrees; V stands for ``[V, V + 1] / 2**k``:

1. ``V < low`` keeps and ``V >= high`` refuses: integer bounds for the whole block, proved in `build_tables`.
2. ``g = ratio * P(x)`` in floats, `MARGIN` away from either end of V's cell; see below.
3. `is_below`: ball arithmetic, and fresh digits appended to V if its cell holds the threshold.

Error of the second filter, with ``u = 2**-53``. Let ``o = |y| - near``, an integer in [0, n], exact in float, and
``x = o (slope + quadratic o)``, at most 1/2 by `build_tables`. All terms are positive and the two coefficients have
relative error u, so four roundings in a row give ``x' = x (1 + d)``, ``|d| <= 4.01 u``, and
``|exp(-x') - exp(-x)| <= 2.01 u``. P is the Taylor polynomial of degree 9: it differs from ``exp(-x')`` by at most
``x'**10 / 10! <= 2**-31.7`` (alternating series). Horner's rule with 10 rounded coefficients below 1 on ``x' <= 0.51``
errs by at most ``2 * 10 u / (1 - 0.51) < 2**-47``. The ratio is at most 1 with relative error 1.01 u, and the product
adds u. Together ``|g - f(y)/h_b| <= 2**-31.7 + 2**-47 + 5 u < 2**-31``. The cell's ends ``V 2**-k``, ``(V + 1) 2**-k``
are exact floats (k <= 52), and ``g +- MARGIN`` is rounded by at most 2 u. So ``MARGIN = 2**-30`` is safe. Only
additions, multiplications and comparisons of IEEE doubles are used, rounded to nearest; no library logarithm is.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, prod

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.errors import EntropyError, OutOfRangeError
from dpmatrix.randomness.discrete import geometric
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_tables import (
    Floats,
    Integers,
    Layout,
    Tables,
    Weight,
    Words,
    build_tables,
    tail_threshold,
)
from dpmatrix.randomness.fast_threshold import Threshold, is_below
from dpmatrix.randomness.source_health import is_constant

CHUNK = 1 << 14
DEGREE = 9
MARGIN = 2.0**-30
MOST_ROUNDS = 1000
LARGEST = 2**63 - 1

_COEFFICIENTS = [(-1) ** power / factorial(power) for power in range(DEGREE, -1, -1)]


def take_words(entropy: Entropy, count: int) -> Words:
    """Draw words and check that they are as many as were asked for.

    Raises
    ------
    EntropyError
        If the source gives something else than ``count`` unsigned 64-bit words, or one word all the time.
    """
    words: object = entropy.words(count)
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.shape != (count,):
        raise EntropyError(f"{entropy.description} did not give {count} words of 64 bits")
    if is_constant(words):
        raise EntropyError(f"{entropy.description} gave one and the same word again and again: it is stuck")
    return words


def check_same_process(identity: tuple[int, int]) -> None:
    """Refuse to finish a draw that was begun in another process.

    Raises
    ------
    EntropyError
        In a child that was forked while the words of its parent were in use.
    """
    if process_identity() != identity:
        raise EntropyError("the process was forked in the middle of a draw, whose words the parent also has")


@frozen(eq=False)
class RectangleSampler:
    """Draws integers with probability proportional to a weight.

    Parameters
    ----------
    weight, layout
        The law, and the cut of a word.
    margin
        Distance at which the float filter decides, at least `MARGIN`. A larger one changes the cost, never the law.
    shortcuts
        Whether the first two filters are used. Without them every proposal is evaluated in balls.
    largest
        Largest magnitude that may be returned.
    """

    weight: Weight
    layout: Layout
    margin: float = field(default=MARGIN)
    shortcuts: bool = True
    largest: int = LARGEST
    tables: Tables = field(init=False)

    @margin.validator
    def _check_margin(self, _attribute: object, value: float) -> None:
        if not value >= MARGIN:
            raise ValueError(f"a margin of {value} is not proved")

    @tables.default
    def _build(self) -> Tables:
        return build_tables(self.weight, self.layout)

    def draw(self, shape: tuple[int, ...], entropy: Entropy) -> Integers:
        """Draw an array of independent variates.

        Raises
        ------
        EntropyError
            If the entropy fails, runs short, keeps no word in `MOST_ROUNDS` rounds, or the process is forked meanwhile.
        OutOfRangeError
            If a variate is larger than ``largest``.
        """
        identity = process_identity()
        values = np.empty(prod(shape), np.int64)
        refused = self.attempt(values, entropy)
        for _ in range(MOST_ROUNDS):
            if not len(refused):
                check_same_process(identity)
                return values.reshape(shape)
            again = np.empty(len(refused), np.int64)
            still = self.attempt(again, entropy)
            values[refused] = again
            refused = refused[still]
        raise EntropyError(f"{entropy.description} gave no word that is kept in {MOST_ROUNDS} rounds")

    def attempt(self, values: Integers, entropy: Entropy) -> Integers:
        """Fill an array with one proposal for each entry and give the positions of those that are refused."""
        surplus = np.uint64(64 - self.layout.word_bits)
        positions, left = [np.empty(0, np.int64)], [np.empty(0, np.uint64)]
        for start in range(0, len(values), CHUNK):
            part = values[start : start + CHUNK]
            words = take_words(entropy, len(part))
            if surplus:
                words = words >> surplus
            undecided = self.propose(words, part)
            positions.append(undecided + start)
            left.append(words[undecided])
        open_positions, open_words = np.concatenate(positions), np.concatenate(left)
        refused = [np.empty(0, np.int64)]
        for start in range(0, len(open_positions), CHUNK):
            here = open_positions[start : start + CHUNK]
            proposals = values[here]
            kept = self.settle(open_words[start : start + CHUNK], proposals, entropy)
            values[here] = proposals
            refused.append(here[~kept])
        return np.concatenate(refused)

    def propose(self, words: Words, values: Integers) -> Integers:
        """Write the integers that the words name, and give the positions that the first filter does not keep."""
        slots = (words >> np.uint64(self.layout.word_bits - self.layout.slot_bits)).view(np.int64)
        # Every slot is within the tables, so that clipping changes nothing; it spares a check and a copy.
        np.take(self.tables.base, slots, out=values, mode="clip")
        values += (words & np.uint64((1 << self.layout.block_bits) - 1)).view(np.int64)
        if not self.shortcuts:
            return np.arange(len(words))
        return np.flatnonzero(words >= self.tables.sure.take(slots, mode="clip"))

    def settle(self, words: Words, values: Integers, entropy: Entropy) -> npt.NDArray[np.bool_]:
        """Decide which proposals are kept, and write the values of those in the tail."""
        slots = (words >> np.uint64(self.layout.word_bits - self.layout.slot_bits)).view(np.int64)
        digits = (words >> np.uint64(self.layout.block_bits)) & np.uint64((1 << self.layout.digit_bits) - 1)
        kept = np.zeros(len(words), np.bool_)
        ambiguous = np.ones(len(words), np.bool_)
        if self.shortcuts:
            kept, ambiguous = self._float_filter(slots, digits, values)
        for index in np.flatnonzero(ambiguous):
            slot, known = int(slots[index]), int(digits[index])
            if slot == self.tables.tail_slot:
                value, threshold = self._tail(known, entropy)
                values[index] = value
            else:
                threshold = self.threshold(slot, int(values[index]))
            kept[index] = is_below(threshold, known, self.layout.digit_bits, entropy)
        return kept

    def threshold(self, slot: int, value: int) -> Threshold:
        """Give the probability ``f(value) / h_b`` with which a proposal from a block's slot is kept."""
        height = self.tables.height[slot]
        if height == 0:
            return Threshold(Fraction(0))
        return Threshold(Fraction(1 << 64, height), self.weight.exponent(abs(value)))

    def estimate(self, slots: Integers, values: Integers) -> Floats:
        """Evaluate ``f(value) / h_b`` in floats, for slots of blocks; the error bound is proved at the top."""
        offset = (np.abs(values) - self.tables.near.take(slots)).astype(np.float64)
        x = offset * (self.tables.slope.take(slots) + float(self.weight.quadratic) * offset)
        g = np.full(len(x), _COEFFICIENTS[0])
        for coefficient in _COEFFICIENTS[1:]:
            g *= x
            g += coefficient
        return g * self.tables.ratio.take(slots)

    def _float_filter(
        self, slots: Integers, digits: Words, values: Integers
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        tables = self.tables
        g = self.estimate(slots, values)
        step = 2.0**-self.layout.digit_bits
        below = digits.astype(np.float64) * step
        in_block = slots != tables.tail_slot
        kept = in_block & (below + step <= g - self.margin)
        refused = (digits >= tables.high.take(slots)) | (in_block & (below >= g + self.margin))
        return kept, ~(kept | refused)

    def _tail(self, known: int, entropy: Entropy) -> tuple[int, Threshold]:
        length = 1 << self.layout.block_bits
        # The bound holds for the whole tail, so that a word that it refuses needs no proposal.
        if known >= int(self.tables.high[self.tables.tail_slot]):
            return 0, Threshold(Fraction(0))
        negative = self.weight.two_sided and entropy.bits(1) == 1
        excess = geometric(self.tables.tail_scale, entropy)
        value = -(self.tables.reach + 1 + excess) if negative else self.tables.reach + excess
        if abs(value) > self.largest:
            raise OutOfRangeError(f"a variate of magnitude {abs(value)} is above {self.largest}")
        return value, tail_threshold(self.weight, self.tables, length, excess, value)
