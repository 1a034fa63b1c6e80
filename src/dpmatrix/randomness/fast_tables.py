"""Hats of rectangles over the integers, built from certified brackets of a weight.

The weight is ``f(y) = exp(-linear |y| - quadratic y**2)``. Integers up to a reach R are cut into blocks of ``n = 2**s``
neighbours; the rest is the tail. ``2**slot_bits`` equally likely slots share the same area ``V = n unit / 2**64``; a
block b owns ``c_b`` of them, so that its hat has the height ``h_b = c_b unit / 2**64``, a rational number, chosen
with ``h_b >= f`` on the block by integer comparison with an upper bracket of f. Nothing is normalised: an irrational
number enters only through the ratio ``f(y) / h_b``, which a uniform real is compared with.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.randomness.fast_threshold import Threshold

BRACKET_BITS = 128
UNIT_BITS = 64
LARGEST_INCREMENT = Fraction(1, 2)

Integers = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


@frozen
class Weight:
    """The weight ``exp(-linear |y| - quadratic y**2)`` on all integers, or on those that are not negative."""

    linear: Fraction
    quadratic: Fraction
    two_sided: bool = True

    def exponent(self, magnitude: int) -> Fraction:
        """Give ``-log f`` at an integer of this magnitude."""
        return magnitude * (self.linear + self.quadratic * magnitude)


@frozen
class Layout:
    """How a word is cut: ``slot | digits of the uniform real | position in the block``, from the highest bit down.

    Parameters
    ----------
    block_bits
        ``s``, where blocks have ``2**s`` integers.
    word_bits, slot_bits
        Size of the word and of its first field.
    cutoff
        The tail begins where ``-log f`` reaches this number.
    """

    block_bits: int
    word_bits: int = 64
    slot_bits: int = 12
    cutoff: Fraction = Fraction(16)

    @property
    def digit_bits(self) -> int:
        """Number of known digits of the uniform real."""
        return self.word_bits - self.slot_bits - self.block_bits


@frozen(eq=False)
class Tables:
    """One entry for each slot; see `build_tables`.

    ``sure`` is compared with the whole word: below it, the digits are below ``low``, and every integer of the block
    accepts. ``high`` is compared with the digits: at or above it, every integer of the block refuses. ``near`` is a
    magnitude from which the block's exponents are counted, ``ratio`` is ``f(near) / h_b`` and ``slope`` the derivative
    there, both rounded to the nearest float.
    """

    base: Integers
    sure: Words
    high: Words
    near: Integers
    ratio: Floats
    slope: Floats
    height: list[int]
    """``c_b * unit``; 0 in the tail's slot and in slots that nobody owns."""
    unit: int
    reach: int
    tail_slot: int
    tail_scale: Fraction


def build_tables(weight: Weight, layout: Layout) -> Tables:
    """Build the tables of a weight.

    Blocks are ``[j n, (j + 1) n)`` and, on two sides, ``[-(j + 1) n, -j n)``; for n > 1 the magnitudes of both lie
    between ``near = j n`` and ``far = (j + 1) n``, and for n = 1 near and far are the magnitude itself. f falls with
    the magnitude, so that ``low <= 2**k f(far)/h_b <= 2**k f(y)/h_b <= 2**k f(near)/h_b <= high`` for the k digits of
    the layout; the outer two inequalities are integer divisions of brackets, rounded down and up.

    Raises
    ------
    InvalidParameterError
        If the layout has too few slots, or blocks so long that the exponent grows by more than 1/2 within one.
    UndecidedError
        If another thread changed the precision of ball arithmetic meanwhile; no table is made.
    """
    length, digits = 1 << layout.block_bits, layout.digit_bits
    count = 1
    while weight.exponent(count * length) < layout.cutoff:
        count += 1
    reach = count * length
    slope = weight.linear + 2 * weight.quadratic * reach
    increment = weight.exponent(reach) - weight.exponent(reach - length)
    _check_layout(layout, count * (1 + weight.two_sided), length, increment)
    pad = length if length > 1 else 0
    blocks = [(j * length, j * length, j * length + pad) for j in range(count)]
    if weight.two_sided:
        blocks += [(-(j + 1) * length, j * length + (not pad), (j + 1) * length) for j in range(count)]
    magnitudes = {magnitude for _, near, far in blocks for magnitude in (near, far)}
    brackets = {m: Threshold(Fraction(1), weight.exponent(m)).bracket(BRACKET_BITS) for m in magnitudes}
    if any(upper - lower > 2 for lower, upper in brackets.values()):
        # The precision is one number for all threads, and the tables are kept.
        raise UndecidedError("another thread changed the precision of ball arithmetic; draw again")
    tops = [-(-brackets[near][1] >> (BRACKET_BITS - UNIT_BITS)) for _, near, _ in blocks]
    unit = _smallest_unit(tops, (1 << layout.slot_bits) - 1)
    slots = 1 << layout.slot_bits
    tables = Tables(
        base=np.zeros(slots, np.int64),
        sure=np.zeros(slots, np.uint64),
        high=np.zeros(slots, np.uint64),
        near=np.zeros(slots, np.int64),
        ratio=np.zeros(slots),
        slope=np.zeros(slots),
        height=[0] * slots,
        unit=unit,
        reach=reach,
        tail_slot=slots - 1,
        tail_scale=1 / slope,
    )
    first = 0
    for (start, near, far), top in zip(blocks, tops, strict=True):
        owned = -(-top // unit)
        height = owned * unit
        scaled = height << (BRACKET_BITS - UNIT_BITS)
        low = (brackets[far][0] << digits) // scaled
        mine = slice(first, first + owned)
        tables.base[mine] = start
        tables.near[mine] = near
        tables.ratio[mine] = brackets[near][0] / scaled
        tables.slope[mine] = float(weight.linear + 2 * weight.quadratic * near)
        tables.high[mine] = min(-(-(brackets[near][1] << digits) // scaled), 1 << digits)
        tables.sure[mine] = _words_below(first, owned, low, layout)
        tables.height[mine] = [height] * owned
        first += owned
    tables.high[tables.tail_slot] = _tail_bound(weight, tables, layout)
    return tables


def tail_threshold(weight: Weight, tables: Tables, length: int, excess: int, value: int) -> Threshold:
    """Give the probability with which a proposal of the tail is kept.

    A proposal has a fair side (if there are two) and a geometric excess of scale ``t = tail_scale`` over the reach: its
    probability within the slot is ``(1 - exp(-1/t)) exp(-excess/t) / sides``. The slot has the area ``V``, so the kept
    share is ``f(value)`` over V times that probability. It is largest where the excess is 0 on the positive side, since
    ``1/t`` is the slope of the exponent at the reach, and the exponent is convex.
    """
    sides = 1 + weight.two_sided
    rate = 1 / tables.tail_scale
    factor = Fraction(sides << UNIT_BITS, length * tables.unit)
    return Threshold(factor, weight.exponent(abs(value)) - excess * rate, rate)


def _tail_bound(weight: Weight, tables: Tables, layout: Layout) -> int:
    largest = tail_threshold(weight, tables, 1 << layout.block_bits, 0, tables.reach)
    _, upper = largest.bracket(layout.digit_bits)
    if upper > 1 << layout.digit_bits:
        raise InvalidParameterError("cutoff", "the tail does not fit its slot", "let the tail begin further out")
    return upper


def _words_below(first: int, owned: int, low: int, layout: Layout) -> Words:
    slots = np.arange(first, first + owned, dtype=np.uint64)
    shift = np.uint64(layout.word_bits - layout.slot_bits)
    return (slots << shift) + np.uint64(low << layout.block_bits)


def _check_layout(layout: Layout, blocks: int, length: int, increment: Fraction) -> None:
    if blocks >= 1 << layout.slot_bits:
        raise InvalidParameterError("slot_bits", f"{blocks} blocks for fewer slots", "take longer blocks or more slots")
    if length > 1 and increment > LARGEST_INCREMENT:
        raise InvalidParameterError("block_bits", "the weight falls too far within a block", "take shorter blocks")
    if layout.digit_bits < 1:
        raise InvalidParameterError("word_bits", "no bits are left for the uniform real", "take a longer word")


def _smallest_unit(tops: list[int], slots: int) -> int:
    """Find a small unit with ``sum(ceil(top / unit)) <= slots``; any such unit gives the same law."""
    weights = np.array([float(top) for top in tops])
    lowest, highest = float(weights.sum()) / slots, float(weights.max())
    for _ in range(40):
        middle = (lowest + highest) / 2
        fits = float(np.ceil(weights / middle).sum()) <= slots
        lowest, highest = (lowest, middle) if fits else (middle, highest)
    unit = int(highest) + 1
    while sum(-(-top // unit) for top in tops) > slots:
        unit += (unit >> 20) + 1
    return unit
