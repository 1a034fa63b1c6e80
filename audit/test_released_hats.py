"""Tables of rectangles are what the weight says of each block, and hats that are too low or too many are refused.

A hat below the weight, a bound that keeps what lies above its threshold, or a tail that fills more than its slot would
make another law. Every entry is computed once more with hundreds of digits. Nothing is statistical.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import ctx

from audit.released.rectangles import PLACES, Rectangles, scaled
from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.fast_discrete import block_bits
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Weight, _smallest_unit, build_tables, tail_threshold
from dpmatrix.randomness.fast_threshold import Threshold


def law(linear: Fraction, quadratic: Fraction, two_sided: bool, *cut: Any) -> tuple[Weight, Layout]:
    """Return a law and how its words are cut: block, word, slot, and the tail's beginning."""
    block, word, slot, cutoff = cut
    return Weight(linear, quadratic, two_sided), Layout(block, word_bits=word, slot_bits=slot, cutoff=Fraction(cutoff))


LAWS: dict[str, tuple[Weight, Layout]] = {
    "laplace": law(Fraction(1, 4), Fraction(0), True, 1, 12, 5, 4),
    "narrow-laplace": law(Fraction(2), Fraction(0), True, 0, 10, 4, 4),
    "long-blocks": law(Fraction(2, 21), Fraction(0), True, 2, 14, 5, 4),
    "geometric": law(Fraction(1, 5), Fraction(0), False, 1, 11, 4, 4),
    "gaussian": law(Fraction(0), Fraction(1, 320), True, 1, 14, 6, 3),
    "narrow-gaussian": law(Fraction(0), Fraction(15), True, 0, 8, 3, 9),
    "both": law(Fraction(1, 30), Fraction(1, 600), True, 1, 18, 7, 6),
    "both-on-one-side": law(Fraction(1, 30), Fraction(1, 300), False, 0, 16, 6, 5),
    "words": law(Fraction(7, 10**6), Fraction(0), True, 14, 64, 12, 16),
    "gaussian-words": law(Fraction(0), Fraction(7, 2 * 10**12), True, 14, 64, 12, 16),
    "geometric-words": law(Fraction(3, 1000), Fraction(0), False, 5, 64, 12, 16),
}


def edging(side: int) -> tuple[Weight, Layout]:
    """Return a law of which the threshold of one is hardly above or below a number that the digits of a word tell."""
    weight, layout = law(Fraction(1, 3), Fraction(0), False, 0, 64, 5, 4)
    known = Rectangles.of(RectangleSampler(weight, layout))
    block = known.blocks[1]
    cells = known.share(block, 1) >> (PLACES - known.digits)
    target = Fraction(cells * block.owned * known.unit, 2 ** (64 + known.digits)) + Fraction(side, 2**130)
    with mpmath.workprec(PLACES):
        rate = -mpmath.log(mpmath.mpf(target.numerator) / target.denominator)
        linear = Fraction(int(mpmath.floor(rate * 2**400)), 2**400)
    return Weight(linear, Fraction(0), two_sided=False), layout


LAWS |= {"hardly-above": edging(1), "hardly-below": edging(-1)}


@pytest.mark.parametrize("side", [1, -1])
def test_control_a_threshold_is_nearer_to_an_end_of_a_cell_than_a_bracket_is_wide(side: int) -> None:
    weight, layout = edging(side)
    known = Rectangles.of(RectangleSampler(weight, layout))
    beyond = (side * known.share(known.blocks[1], 1)) % 2 ** (PLACES - known.digits)
    assert 0 < beyond < 2 ** (PLACES - 128)


@pytest.mark.parametrize("name", LAWS)
def test_every_entry_of_a_table_is_that_of_its_block(name: str) -> None:
    """Hats, bounds of digits, and what floats begin with, slot by slot; what no block owns is nothing."""
    weight, layout = LAWS[name]
    made = RectangleSampler(weight, layout)
    known, tables = Rectangles.of(made), made.tables
    every = 2**layout.slot_bits
    assert (tables.reach, tables.tail_slot, tables.tail_scale) == (known.reach, every - 1, 1 / known.slope)
    kinds = {name: getattr(tables, name).dtype.kind for name in ("base", "near", "sure", "high", "ratio", "slope")}
    assert kinds == {"base": "i", "near": "i", "sure": "u", "high": "u", "ratio": "f", "slope": "f"}
    for block in known.blocks:
        height = block.owned * tables.unit
        edges = [scaled(Fraction(2**64, height), known.exponent(end)) for end in (block.near, block.far)]
        assert edges[0] <= 2**PLACES, "the hat is above the weight"
        low, high = edges[1] >> (PLACES - known.digits), -(-edges[0] >> (PLACES - known.digits))
        slope = float(weight.linear + 2 * weight.quadratic * block.near)
        for slot in range(block.first, block.first + block.owned):
            assert (tables.base[slot], tables.near[slot], tables.height[slot]) == (block.start, block.near, height)
            assert tables.sure[slot] == (slot << known.digits | low) << layout.block_bits
            assert tables.high[slot] == high
            assert tables.slope[slot] == slope
            assert abs(Fraction(float(tables.ratio[slot])) - Fraction(edges[0], 2**PLACES)) <= Fraction(1, 2**53)
    for table in (tables.base, tables.sure, tables.near, tables.ratio, tables.slope, np.array(tables.height, float)):
        assert len(table) == every
        assert not table[len(known.slots) :].any()
    assert not tables.high[len(known.slots) : -1].any()
    assert tables.high[-1] == known.tail_bound <= 2**known.digits


@pytest.mark.parametrize("name", LAWS)
def test_a_proposal_of_the_tail_is_kept_with_its_share_of_a_slot(name: str) -> None:
    """Its probability times that with which it is kept is the weight over the area; none is above the bound."""
    weight, layout = LAWS[name]
    tables, length = build_tables(weight, layout), 2**layout.block_bits
    slope = weight.linear + 2 * weight.quadratic * tables.reach
    sides = [1, -1] if weight.two_sided else [1]
    for excess, side in itertools.product((0, 1, 2, 7, 1000), sides):
        value = tables.reach + excess if side == 1 else -tables.reach - excess - 1
        kept = tail_threshold(weight, tables, length, excess, value)
        share = scaled(kept.factor, kept.exponent, kept.decay)
        proposed = 2**PLACES - scaled(Fraction(1), slope)
        proposed = proposed * scaled(Fraction(1, len(sides)), slope * excess) >> PLACES
        magnitude = abs(value)
        exponent = weight.linear * magnitude + weight.quadratic * magnitude**2
        expected = scaled(Fraction(2**64, length * tables.unit), exponent)
        assert abs((share * proposed >> PLACES) - expected) < 2**20
        assert share >> (PLACES - layout.digit_bits) <= tables.high[-1]


@pytest.mark.parametrize("name", LAWS)
def test_no_slot_is_wasted(name: str) -> None:
    """With a unit that is a little smaller, the blocks would have more slots than there are."""
    weight, layout = LAWS[name]
    known = Rectangles.of(RectangleSampler(weight, layout))
    smaller = known.unit * (1 - Fraction(1, 10**5))
    tops = [Fraction(scaled(Fraction(2**64), known.exponent(block.near)), 2**PLACES) for block in known.blocks]
    assert sum(max(-(-top // smaller), 1) for top in tops) > 2**layout.slot_bits - 1


class Heights(list[int]):
    """Heights that are not looked at without end."""

    looks = 0

    def __iter__(self) -> Iterator[int]:
        """Count, and look."""
        self.looks += 1
        assert self.looks < 3000, "the search does not end"
        return super().__iter__()


@pytest.mark.parametrize("slots", [3, 4, 7, 50, 1000])
@pytest.mark.parametrize(
    "tops",
    [
        [2**64 - 1] * 3,
        [2**64, 2**60 + 1, 2**53 + 1],
        [2**64],
        [1, 1, 1],
        [2**80 + 2**27 - 1] * 3,
        [2**90 + 2**37 - 1] * 2,
    ],
)
def test_a_unit_fits_whatever_floats_make_of_the_heights(tops: list[int], slots: int) -> None:
    """Heights of more digits than a float has are counted in integers, and the unit is nearly the least that fits."""
    unit = _smallest_unit(Heights(tops), slots)
    assert sum(-(-top // unit) for top in tops) <= slots
    smaller = unit - unit // 10**5 - 3
    assert smaller <= 0 or sum(-(-top // smaller) for top in tops) > slots


# What is refused


def refused(weight: Weight, layout: Layout) -> str:
    """Return which parameter is refused, if one is."""
    try:
        build_tables(weight, layout)
    except InvalidParameterError as error:
        return str(error.parameter)
    return ""


@pytest.mark.parametrize("two_sided", [True, False])
def test_there_are_fewer_blocks_than_slots(two_sided: bool) -> None:
    for blocks in (6, 8, 14, 16, 18):
        cutoff = blocks // 2 if two_sided else blocks
        for slot_bits in (3, 4):
            cut = law(Fraction(1), Fraction(0), two_sided, 0, 24, slot_bits, cutoff)
            assert refused(*cut) == ("" if blocks < 2**slot_bits else "slot_bits")
    assert refused(*law(Fraction(1), Fraction(0), False, 0, 24, 3, 7)) == ""


@pytest.mark.parametrize(
    ("exponents", "block", "cutoff", "word"),
    [
        ((Fraction(1, 4), Fraction(0)), 1, 6, ""),
        ((Fraction(100, 399), Fraction(0)), 1, 6, "block_bits"),
        ((Fraction(1, 8), Fraction(0)), 2, 6, ""),
        ((Fraction(1, 7), Fraction(0)), 2, 6, "block_bits"),
        ((Fraction(9), Fraction(0)), 0, 6, ""),
        ((Fraction(0), Fraction(1, 312)), 1, 5, ""),
        ((Fraction(0), Fraction(1, 312)), 1, Fraction(26, 5), "block_bits"),
        ((Fraction(1, 200), Fraction(1, 330)), 1, 5, ""),
        ((Fraction(1, 10), Fraction(1, 320)), 1, 8, "block_bits"),
    ],
)
def test_the_exponent_grows_by_a_half_within_a_block_at_most(
    exponents: tuple[Fraction, Fraction], block: int, cutoff: Fraction, word: str
) -> None:
    """It grows most in the last block; a block of one integer has no other to grow to."""
    weight, layout = law(*exponents, True, block, 30, 8, cutoff)
    assert refused(weight, layout) == word
    end = Rectangles(*exponents, True, block, 30, 8, Fraction(cutoff), 2**60).reach
    most = weight.linear * 2**block + weight.quadratic * (end**2 - (end - 2**block) ** 2)
    assert (block > 0 and most > Fraction(1, 2)) is bool(word)


def test_a_word_has_one_digit_at_least() -> None:
    for word_bits, parameter in ((3, "word_bits"), (4, "word_bits"), (5, ""), (6, "")):
        assert refused(*law(Fraction(2), Fraction(0), False, 0, word_bits, 4, 6)) == parameter


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(4, 5), Fraction(1, 2)])
@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("digits", [1, 2, 6])
def test_a_tail_fits_its_slot_or_is_refused(rate: Fraction, two_sided: bool, digits: int) -> None:
    """What would be kept of the tail with a probability above one, be it below two or not, is not drawn at all."""
    seen = set()
    for percent in range(40, 700, 20):
        weight, layout = law(rate, Fraction(0), two_sided, 0, 5 + digits, 5, Fraction(percent, 100))
        known = Rectangles(rate, Fraction(0), two_sided, 0, 5 + digits, 5, layout.cutoff, 1)
        values = [*range(known.reach), *range(-known.reach if two_sided else 0, 0)]
        if len(values) > 31:
            continue
        unit = _smallest_unit([-(-scaled(Fraction(2**64), known.exponent(value)) >> PLACES) for value in values], 31)
        made = Rectangles(rate, Fraction(0), two_sided, 0, 5 + digits, 5, layout.cutoff, unit)
        share = made.tail_share(0, made.reach)
        assert refused(weight, layout) == ("" if share <= 2**PLACES else "cutoff")
        seen.add(-(-share // 2**PLACES))
    assert 1 in seen
    assert max(seen) > 1


class Spoiling(Fraction):
    """A rational under which other threads change the precision of balls while it is used."""

    bits = 53

    def __neg__(self) -> Fraction:
        """Negate, meanwhile."""
        ctx.prec = self.bits
        return -Fraction(self)


class Spoilt(Weight):
    """A weight of such rationals."""

    def exponent(self, magnitude: int) -> Fraction:
        """Give the exponent, at any time."""
        found = super().exponent(magnitude)
        return Spoiling(found) if found else found


def test_tables_of_a_precision_that_was_changed_meanwhile_are_not_made() -> None:
    """Brackets that are three apart tell of it; those that are two apart are as wide as brackets may be."""
    layout, widths = Layout(0, word_bits=20, slot_bits=6, cutoff=Fraction(5)), set()
    try:
        for Spoiling.bits in range(126, 133):
            for rate in (Fraction(1, 3), Fraction(1)):
                weight = Spoilt(rate, Fraction(0), two_sided=False)
                end = next(value for value in itertools.count(1) if value * rate >= 5)
                with precision(64):
                    brackets = [Threshold(Fraction(1), weight.exponent(value)).bracket(128) for value in range(end)]
                widest = max(high - low for low, high in brackets)
                widths.add(widest)
                with precision(64):
                    if widest > 2:
                        with pytest.raises(UndecidedError):
                            build_tables(weight, layout)
                    else:
                        build_tables(weight, layout)
    finally:
        Spoiling.bits = 53
    assert {2, 3} <= widths


# What the laws of the library are cut into


def test_words_are_cut_as_is_stated_where_nothing_else_is_said() -> None:
    layout = Layout(5)
    assert (layout.word_bits, layout.slot_bits, layout.cutoff, layout.digit_bits) == (64, 12, 16, 47)
    weight = Weight(Fraction(1, 3), Fraction(1, 7))
    assert weight.two_sided
    assert weight.exponent(5) == Fraction(5, 3) + Fraction(25, 7)
    assert [block_bits(longest) for longest in (0, 1, 2, 3, 4, 7, 8, 1023, 1024)] == [0, 0, 1, 1, 2, 2, 3, 9, 10]


def test_tables_are_told_apart_as_objects() -> None:
    one, other = (RectangleSampler(*LAWS["geometric"]) for _ in range(2))
    assert len({one, other}) == len({one.tables, other.tables}) == 2
