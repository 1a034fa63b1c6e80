"""Tables of rectangles, slot by slot, are what their definition says: computed again in balls, from the law alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from math import ceil

import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_discrete, fast_tables
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Layout, Tables, Weight, build_tables, tail_threshold
from dpmatrix.randomness.fast_threshold import Threshold


def layout(word_bits: int, slot_bits: int, block_bits: int, cutoff: int) -> Layout:
    return Layout(block_bits=block_bits, word_bits=word_bits, slot_bits=slot_bits, cutoff=Fraction(cutoff))


def made(sampler: RectangleSampler) -> tuple[Weight, Layout]:
    return sampler.weight, sampler.layout


CASES: dict[str, tuple[Weight, Layout]] = {
    "Laplace 4, cut at a block": (Weight(Fraction(1, 4), Fraction(0)), layout(12, 5, 1, 4)),
    "Laplace 1/2, cut at an integer": (Weight(Fraction(2), Fraction(0)), layout(10, 4, 0, 4)),
    "Laplace 21/2, long blocks": (Weight(Fraction(2, 21), Fraction(0)), layout(14, 5, 2, 4)),
    "geometric 5": (Weight(Fraction(1, 5), Fraction(0), two_sided=False), layout(11, 4, 1, 4)),
    "Gaussian, variance 160": (Weight(Fraction(0), Fraction(1, 320)), layout(14, 6, 1, 3)),
    "Gaussian, variance 1/30": (Weight(Fraction(0), Fraction(15)), layout(8, 3, 0, 9)),
    "both terms": (Weight(Fraction(1, 30), Fraction(1, 600)), layout(18, 7, 1, 6)),
    "both terms on one side": (Weight(Fraction(1, 30), Fraction(1, 300), two_sided=False), layout(16, 6, 0, 5)),
    "Laplace 1/1000": made(fast_discrete._exponential_sampler(Fraction(1, 1000), two_sided=True)),
    "Laplace 10**6 / 7": made(fast_discrete._exponential_sampler(Fraction(10**6, 7), two_sided=True)),
    "geometric 1000 / 3": made(fast_discrete._exponential_sampler(Fraction(1000, 3), two_sided=False)),
    "Gaussian 10**12 / 7": made(fast_discrete._gaussian_sampler(Fraction(10**12, 7))),
}


def ball(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def exponent(weight: Weight, magnitude: int) -> Fraction:
    return weight.linear * magnitude + weight.quadratic * magnitude**2


def blocks_of(weight: Weight, cut: Layout) -> Iterator[range]:
    """Give the blocks: from zero up to the reach, and then, on two sides, from minus one down to its negative."""
    length = 2**cut.block_bits
    count = 1
    while exponent(weight, count * length) < cut.cutoff:
        count += 1
    yield from (range(j * length, (j + 1) * length) for j in range(count))
    if weight.two_sided:
        yield from (range(-(j + 1) * length, -j * length) for j in range(count))


def owners(tables: Tables) -> list[tuple[int, int, int]]:
    """Give the base of each block with its first slot and the number of its slots, which stand side by side."""
    found, slot = [], 0
    owned = [(int(base), height) for base, height in zip(tables.base, tables.height, strict=True) if height]
    for (base, _), group in groupby(owned):
        size = len(list(group))
        found.append((base, slot, size))
        slot += size
    assert all(not height for height in tables.height[slot:])
    return found


@pytest.mark.parametrize("name", CASES)
def test_every_slot_is_what_the_definition_says(name: str) -> None:
    """Bases, heights, bounds and derivatives of each block, from the weight at its ends."""
    weight, cut = CASES[name]
    tables = build_tables(weight, cut)
    length, digits, slots = 2**cut.block_bits, cut.word_bits - cut.slot_bits - cut.block_bits, 2**cut.slot_bits
    blocks = list(blocks_of(weight, cut))
    assert tables.reach == max(block.stop for block in blocks)
    assert [base for base, _, _ in owners(tables)] == [block.start for block in blocks]
    shift = cut.word_bits - cut.slot_bits
    with precision(400):
        for block, (_, first, owned) in zip(blocks, owners(tables), strict=True):
            magnitudes = [abs(block[0]), abs(block[-1])] if length == 1 else [abs(block.start), abs(block.stop)]
            near, far = min(magnitudes), max(magnitudes)
            height = owned * tables.unit
            top, low_end = ((-ball(exponent(weight, m))).exp() * ball(Fraction(2**64, height)) for m in (near, far))
            # The least number of slots that lifts the hat above the weight, whose bracket is a unit wide at most.
            assert top <= 1
            assert top * height + 1 > height - tables.unit
            lows = [int(tables.sure[slot]) - (slot << shift) for slot in range(first, first + owned)]
            (low,), (high,) = set(lows), {int(bound) for bound in tables.high[first : first + owned]}
            assert low % length == 0
            scaled = low_end * arb(2) ** digits
            assert low // length - arb(2) ** -40 <= scaled
            assert scaled < low // length + 1 + arb(2) ** -40
            scaled = top * arb(2) ** digits
            assert scaled <= high + arb(2) ** -40
            assert high - 1 - arb(2) ** -40 < scaled
            assert high <= 2**digits
            for slot in (first, first + owned - 1):
                assert tables.height[slot] == height
                assert tables.near[slot] == near
                assert abs(arb(float(tables.ratio[slot])) - top) <= arb(2) ** -53
                assert float(tables.slope[slot]) == float(weight.linear + 2 * weight.quadratic * near)
            assert set(tables.height[first : first + owned]) == {height}
            for table in (tables.near, tables.ratio, tables.slope):
                assert len(set(table[first : first + owned].tolist())) == 1
        every = sum(owned for _, _, owned in owners(tables))
        assert every <= slots - 1
        check_the_tail(weight, cut, tables, every)


def check_the_tail(weight: Weight, cut: Layout, tables: Tables, every: int) -> None:
    """See that the last slot is the tail's, and that all from those that are owned up to it are nobody's."""
    length, digits = 2**cut.block_bits, cut.word_bits - cut.slot_bits - cut.block_bits
    assert tables.tail_slot == 2**cut.slot_bits - 1
    for table in (tables.base, tables.sure, tables.near, tables.ratio, tables.slope, np.array(tables.height)):
        assert len(table) == 2**cut.slot_bits
        assert not table[every:].any()
    assert not tables.high[every : tables.tail_slot].any()
    rate = weight.linear + 2 * weight.quadratic * tables.reach
    assert tables.tail_scale == 1 / rate
    # The share of the tail's slot that is kept at its first integer: f over area and probability of the proposal.
    sides = 2 if weight.two_sided else 1
    kept = (-ball(exponent(weight, tables.reach))).exp() * sides
    kept /= ball(Fraction(length * tables.unit, 2**64)) * (1 - (-ball(rate)).exp())
    high = int(tables.high[tables.tail_slot])
    assert kept * arb(2) ** digits <= high <= 2**digits
    assert high - 2 <= kept * arb(2) ** digits


@pytest.mark.parametrize("name", CASES)
def test_the_unit_is_nearly_the_smallest(name: str) -> None:
    """With a unit that is smaller by a part in a hundred thousand, the blocks would own more slots than there are."""
    weight, cut = CASES[name]
    unit = build_tables(weight, cut).unit
    with precision(200):
        tops = [
            2**64
            * (
                -ball(exponent(weight, min(abs(block.start), abs(block.stop) if len(block) > 1 else abs(block[-1]))))
            ).exp()
            for block in blocks_of(weight, cut)
        ]
    smaller = Fraction(unit) * (1 - Fraction(1, 10**5))
    assert sum(max(ceil(float(top) / float(smaller)), 1) for top in tops) > 2**cut.slot_bits - 1


def test_a_unit_that_floats_found_too_small_is_enlarged(monkeypatch) -> None:
    """Tops beyond the digits of a float: their ceilings are counted in integers, and the unit grows until they fit."""
    for tops in ([2**64 - 1] * 3, [2**64, 2**60 + 1, 2**53 + 1], [10**19 + 1] * 7, [2**64], [1, 1, 1]):
        for slots in (len(tops), len(tops) + 1, 50):
            unit = fast_tables._smallest_unit(tops, slots)
            assert sum(-(-top // unit) for top in tops) <= slots
            smaller = max(unit - unit // 10**5 - 2, 1)
            assert unit <= 2 or sum(-(-top // smaller) for top in tops) > slots
    # Floats that find far too little are made good as well.
    monkeypatch.setattr(fast_tables.np, "ceil", lambda values: values * 0)
    unit = fast_tables._smallest_unit([2**30, 2**30], 100)
    assert 2 * -(-(2**30) // unit) <= 100


@pytest.mark.parametrize("two_sided", [True, False])
def test_the_numbers_of_blocks_and_of_slots_are_compared(two_sided: bool) -> None:
    """Eight blocks need a slot each, and the tail one more: nine of eight is too many, and of sixteen it is not."""
    weight = Weight(Fraction(1), Fraction(0), two_sided)
    cutoff = 4 if two_sided else 8
    assert len(list(blocks_of(weight, layout(20, 4, 0, cutoff)))) == 8
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, layout(20, 3, 0, cutoff))
    assert caught.value.parameter == "slot_bits"
    assert build_tables(weight, layout(20, 4, 0, cutoff)).reach == cutoff
    # Seven blocks and the tail are as many as there are slots.
    single = Weight(Fraction(1), Fraction(0), two_sided=False)
    assert build_tables(single, layout(20, 3, 0, 7)).reach == 7


@pytest.mark.parametrize(
    ("scale", "block_bits", "fits"),
    [(4, 1, True), (8, 2, True), (Fraction(399, 100), 1, False), (3, 1, False), (Fraction(1, 9), 0, True)],
)
def test_the_exponent_grows_by_a_half_within_a_block_at_most(scale, block_bits: int, fits: bool) -> None:
    weight, cut = Weight(1 / Fraction(scale), Fraction(0)), layout(20, 7, block_bits, 6)
    if fits:
        build_tables(weight, cut)
        return
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, cut)
    assert caught.value.parameter == "block_bits"


def test_the_exponent_of_a_gaussian_grows_most_in_its_last_block() -> None:
    """The block at the reach decides: up to 40 it grows by 156 / 312, and up to 42 by 164 / 312."""
    weight = Weight(Fraction(0), Fraction(1, 312))
    assert build_tables(weight, layout(24, 6, 1, 5)).reach == 40
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, Layout(1, 24, 6, Fraction(52, 10)))
    assert caught.value.parameter == "block_bits"


def test_one_digit_is_enough_and_none_is_not() -> None:
    weight = Weight(Fraction(2), Fraction(0), two_sided=False)
    tables = build_tables(weight, layout(5, 4, 0, 6))
    assert set(tables.high.tolist()) <= {0, 1, 2}
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, layout(4, 4, 0, 6))
    assert caught.value.parameter == "word_bits"


def test_a_tail_that_fills_its_slot_is_allowed_and_one_that_does_not_fit_is_not() -> None:
    """With a single digit the bound is the whole slot as soon as more than a half of it is kept."""
    outcomes = set()
    for percent in range(40, 700, 20):
        weight, cut = Weight(Fraction(1), Fraction(0), two_sided=False), Layout(0, 5, 4, Fraction(percent, 100))
        try:
            bound = int(build_tables(weight, cut).high[15])
        except InvalidParameterError:
            outcomes.add("refused")
        else:
            outcomes.add(bound)
    assert outcomes == {"refused", 1, 2}


def test_brackets_that_are_two_apart_are_taken_and_wider_ones_are_not(monkeypatch) -> None:
    """A bracket that another thread spoilt: three units are too many."""
    genuine = Threshold.bracket

    def widened(by: int):
        def bracket(self: Threshold, bits: int) -> tuple[int, int]:
            lower, upper = genuine(self, bits)
            return (lower, lower + by) if bits == fast_tables.BRACKET_BITS else (lower, upper)

        return bracket

    weight, cut = CASES["geometric 5"]
    monkeypatch.setattr(Threshold, "bracket", widened(2))
    build_tables(weight, cut)
    monkeypatch.setattr(Threshold, "bracket", widened(3))
    with pytest.raises(UndecidedError, match="precision"):
        build_tables(weight, cut)


def test_a_word_is_cut_as_it_is_stated() -> None:
    """A word of 64 bits, of which 12 name the slot; the tail begins at 16."""
    cut = Layout(5)
    assert (cut.word_bits, cut.slot_bits, cut.cutoff) == (64, 12, 16)
    assert cut.digit_bits == 64 - 12 - 5
    weight = Weight(Fraction(1, 3), Fraction(1, 7))
    assert weight.two_sided
    assert weight.exponent(5) == Fraction(5, 3) + Fraction(25, 7)


def test_tables_are_told_apart_as_objects() -> None:
    weight, cut = CASES["geometric 5"]
    one, other = build_tables(weight, cut), build_tables(weight, cut)
    assert one == one
    assert len({one, other}) == 2


def test_tables_hold_integers_and_floats_of_64_bits() -> None:
    tables = build_tables(*CASES["geometric 5"])
    kinds = {name: str(getattr(tables, name).dtype) for name in ("base", "near", "sure", "high", "ratio", "slope")}
    assert kinds == {
        "base": "int64",
        "near": "int64",
        "sure": "uint64",
        "high": "uint64",
        "ratio": "float64",
        "slope": "float64",
    }


@pytest.mark.parametrize("block_bits", [0, 1])
def test_digits_are_sure_by_the_lower_end_of_a_bracket_and_refused_by_the_upper(monkeypatch, block_bits: int) -> None:
    """Brackets so coarse that their ends, which are two apart, differ in the digits; a hat is above the upper end."""
    monkeypatch.setattr(fast_tables, "BRACKET_BITS", 64)
    genuine, wide = Threshold.bracket, {}

    def bracket(self: Threshold, bits: int) -> tuple[int, int]:
        lower, upper = genuine(self, bits)
        if bits == 64:
            lower, upper = wide[self.exponent] = (max(lower - 1, 0), max(lower - 1, 0) + 2)
        return lower, upper

    monkeypatch.setattr(Threshold, "bracket", bracket)
    weight, cut = Weight(Fraction(1, 5), Fraction(0)), Layout(block_bits, 64, 7, Fraction(8))
    tables, digits = build_tables(weight, cut), cut.digit_bits
    apart = set()
    for block, (_, first, owned) in zip(blocks_of(weight, cut), owners(tables), strict=True):
        ends = [block[0], block[-1]] if len(block) == 1 else [block.start, block.stop]
        near, far = sorted(map(abs, ends))
        height = owned * tables.unit
        assert height >= wide[exponent(weight, near)][1]
        low, other = ((end << digits) // height for end in wide[exponent(weight, far)])
        apart.add(low < other)
        assert int(tables.sure[first]) == (first << digits + block_bits) + (low << block_bits)
        assert int(tables.high[first]) == ceil(Fraction(wide[exponent(weight, near)][1] << digits, height))
    assert True in apart


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("excess", [0, 1, 7])
def test_a_proposal_of_the_tail_is_kept_with_its_share_of_the_slot(name: str, excess: int) -> None:
    """Probability of the proposal times what is kept is the weight over the area, on either side."""
    weight, cut = CASES[name]
    tables, length = build_tables(weight, cut), 2**cut.block_bits
    rate = weight.linear + 2 * weight.quadratic * tables.reach
    sides = 2 if weight.two_sided else 1
    for value in (tables.reach + excess, -tables.reach - excess - 1):
        kept = tail_threshold(weight, tables, length, excess, value)
        with precision(200):
            share = ball(kept.factor) * (-ball(kept.exponent)).exp()
            if kept.decay is not None:
                share /= 1 - (-ball(kept.decay)).exp()
            proposed = (1 - (-ball(rate)).exp()) * (-ball(rate * excess)).exp() / sides
            area = ball(Fraction(length * tables.unit, 2**64))
            expected = (-ball(exponent(weight, abs(value)))).exp() / area
            assert (share * proposed / expected - 1).contains(0)
            assert not (share * proposed / expected - 1 - arb(2) ** -100).contains(0)


def test_a_tail_of_less_than_two_slots_does_not_fit_into_one() -> None:
    weight, cut = Weight(Fraction(4, 5), Fraction(0), two_sided=False), Layout(0, 5, 4, Fraction(12, 5))
    with pytest.raises(InvalidParameterError) as caught:
        build_tables(weight, cut)
    assert caught.value.parameter == "cutoff"
    # Three blocks, of which 15 slots are made: the slot's share is between one and two.
    tops = [2.0**64 * math.exp(-0.8 * k) for k in range(3)]
    unit = fast_tables._smallest_unit([ceil(top) for top in tops], 15)
    assert 1 < math.exp(-2.4) * 2.0**64 / unit / (1 - math.exp(-0.8)) < 2


class CountedTops(list[int]):
    """Numbers that are not looked at without end."""

    looks = 0

    def __iter__(self) -> Iterator[int]:
        self.looks += 1
        assert self.looks < 3000, "the search does not end"
        return super().__iter__()


@pytest.mark.parametrize("most", [2**12, 2**12 + 7, 2**13 - 1])
def test_a_unit_is_enlarged_one_by_one_until_the_slots_suffice(monkeypatch, most: int) -> None:
    """Floats that find everything small enough begin with the mean; the first unit that fits is taken."""
    monkeypatch.setattr(fast_tables.np, "ceil", lambda values: values * 0)
    for ones in (1, 2, 3):
        tops = [most] + [1] * ones
        least = next(unit for unit in range(1, most + 2) if sum(-(-top // unit) for top in tops) <= 10)
        assert fast_tables._smallest_unit(CountedTops(tops), 10) == least


def test_a_large_unit_is_enlarged_by_a_millionth(monkeypatch) -> None:
    """From the mean up to the largest, which is 2^-14 of it away, and hardly beyond."""
    monkeypatch.setattr(fast_tables.np, "ceil", lambda values: values * 0)
    most = 2**60 + 2**46
    found = fast_tables._smallest_unit(CountedTops([most] + [2**60] * 6), 7)
    assert most <= found <= most * (1 + Fraction(1, 2**20))
