"""Draws of integers keep what their words keep, replace what these refuse, and end, or are an error.

Words of a seed are read once more, one by one, with thresholds of hundreds of digits; then words of all kinds stand in
several chunks. What is larger than may be returned, or what another process began, is not returned.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from audit.released.rectangles import CHUNK, PLACES, SMALL, AllWords, Rectangles, Told, sampler
from dpmatrix.errors import EntropyError, InvalidParameterError, OutOfRangeError
from dpmatrix.randomness.entropy import SeededEntropy, process_identity
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace, geometric
from dpmatrix.randomness.fast_rectangles import RectangleSampler, check_same_process
from dpmatrix.randomness.fast_tables import Layout, Weight

LAWS: dict[str, tuple[Any, Fraction, Weight, int]] = {
    f"{draw.__name__}-{parameter}": (draw, parameter, weight, block_bits)
    for draw, parameter, weight, block_bits in [
        (geometric, Fraction(1000, 3), Weight(Fraction(3, 1000), Fraction(0), two_sided=False), 5),
        (geometric, Fraction(1, 1000), Weight(Fraction(1000), Fraction(0), two_sided=False), 0),
        (geometric, Fraction(2**40), Weight(Fraction(1, 2**40), Fraction(0), two_sided=False), 37),
        (discrete_laplace, Fraction(1, 1000), Weight(Fraction(1000), Fraction(0)), 0),
        (discrete_laplace, Fraction(10), Weight(Fraction(1, 10), Fraction(0)), 0),
        (discrete_laplace, Fraction(64), Weight(Fraction(1, 64), Fraction(0)), 3),
        (discrete_laplace, Fraction(127, 2), Weight(Fraction(2, 127), Fraction(0)), 2),
        (discrete_laplace, Fraction(10**6, 7), Weight(Fraction(7, 10**6), Fraction(0)), 14),
        (discrete_laplace, Fraction(2**40), Weight(Fraction(1, 2**40), Fraction(0)), 37),
        (discrete_gaussian, Fraction(1, 10**6), Weight(Fraction(0), Fraction(10**6, 2)), 0),
        (discrete_gaussian, Fraction(100), Weight(Fraction(0), Fraction(1, 200)), 0),
        (discrete_gaussian, Fraction(32**2), Weight(Fraction(0), Fraction(1, 2 * 32**2)), 1),
        (discrete_gaussian, Fraction(128**2), Weight(Fraction(0), Fraction(1, 2 * 128**2)), 3),
        (discrete_gaussian, Fraction(128**2 - 1), Weight(Fraction(0), Fraction(1, 2 * 128**2 - 2)), 2),
        (discrete_gaussian, Fraction(10**12, 7), Weight(Fraction(0), Fraction(7, 2 * 10**12)), 14),
        (discrete_gaussian, Fraction(2**80), Weight(Fraction(0), Fraction(1, 2**81)), 36),
    ]
}


@cache
def table_of(weight: Weight, block_bits: int) -> RectangleSampler:
    """Build tables of a law for words of 64 bits, of which 12 name a slot and the tail begins at 16."""
    return RectangleSampler(weight, Layout(block_bits, word_bits=64, slot_bits=12, cutoff=Fraction(16)))


@pytest.mark.parametrize("name", LAWS)
def test_integers_are_made_of_words_of_their_source(name: str) -> None:
    """A few thousand of them, in an array of two dimensions."""
    draw, parameter, weight, block_bits = LAWS[name]
    first, second = SeededEntropy(5), SeededEntropy(5)
    found = draw(parameter, (500, 3), first)
    assert (found.shape, found.dtype) == ((500, 3), np.dtype(np.int64))
    assert found.ravel().tolist() == Rectangles.of(table_of(weight, block_bits)).draw(1500, second)
    assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize("settings", [{}, {"margin": 2.0**-3}, {"shortcuts": False}], ids=["plain", "coarse", "slow"])
@pytest.mark.parametrize("name", ["laplace", "narrow-laplace", "geometric", "gaussian", "both"])
def test_a_draw_replaces_what_it_refuses(name: str, settings: dict[str, Any]) -> None:
    """The tail begins early, so that words of all kinds are frequent; none is drawn twice or left out."""
    linear, quadratic, two_sided, block_bits, _, slot_bits, cutoff = SMALL[name]
    for word_bits in (64, 63, 20):
        made = sampler(linear, quadratic, two_sided, block_bits, word_bits, slot_bits, cutoff, **settings)
        first, second = SeededEntropy(word_bits), SeededEntropy(word_bits)
        assert made.draw((700,), first).tolist() == Rectangles.of(made).draw(700, second)
        assert first.bits(64) == second.bits(64)


def test_words_come_in_chunks_and_each_entry_keeps_its_own() -> None:
    """In three chunks are words that bounds keep, words that floats keep, and words of the tail, which are refused."""
    made = sampler(*SMALL["laplace"][:4], 64, *SMALL["laplace"][5:])
    known, size = Rectangles.of(made), 2 * CHUNK + 5
    kinds, places = np.random.default_rng(1).integers(0, [[5], [len(known.slots)]], (2, size))
    words = np.uint64(2**64 - 1) - np.arange(size, dtype=np.uint64)
    named = np.array([block.start for block in known.slots])[places]
    sure = np.array([slot << 59 for slot in range(len(known.slots))], np.uint64)
    floats = np.array(
        [
            (slot << known.digits | (known.share(block, block.start) >> (PLACES - known.digits)) - 2**40) << 1
            for slot, block in enumerate(known.slots)
        ],
        np.uint64,
    )
    words[kinds == 1], words[kinds == 2] = sure[places[kinds == 1]], floats[places[kinds == 2]]
    values, source = np.full(size, 99, np.int64), Told(words.tolist())
    refused = made.attempt(values, source)
    assert source.sizes == [CHUNK, CHUNK, 5]
    assert np.array_equal(refused, np.flatnonzero((kinds != 1) & (kinds != 2)))
    assert np.array_equal(np.delete(values, refused), np.delete(named, refused))
    first, second = (Told(words[::step].tolist()) for step in (1, 1))
    drawn, again = made.draw((size,), first), np.full(size, 99, np.int64)
    left = np.arange(size)
    while len(left):
        part = again[left]
        still = made.attempt(part, second)
        again[left], left = part, left[still]
    assert np.array_equal(drawn, again)
    assert first.sizes == second.sizes


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_shortcuts_leave_only_what_bounds_do_not_keep(name: str) -> None:
    """Without them every word is left to balls."""
    words = AllWords(SMALL[name][4]).words(2**10) >> np.uint64(64 - SMALL[name][4])
    values = np.empty(2**10, np.int64)
    slow, plain = sampler(*SMALL[name], shortcuts=False), sampler(*SMALL[name])
    assert slow.propose(words, values).tolist() == list(range(2**10))
    slots = [word >> (plain.layout.word_bits - plain.layout.slot_bits) for word in words.tolist()]
    left = [place for place, slot in enumerate(slots) if words[place] >= plain.tables.sure[slot]]
    assert plain.propose(words, values).tolist() == left
    assert 0 < len(left) < 2**10


def test_a_draw_of_another_process_is_not_finished() -> None:
    check_same_process(process_identity())
    with pytest.raises(EntropyError, match="forked"):
        check_same_process((1, 2))


# Limits


def test_a_margin_is_no_less_than_what_is_proved() -> None:
    assert sampler(*SMALL["laplace"]).margin == 2.0**-30
    assert sampler(*SMALL["laplace"], margin=2.0**-30).margin == 2.0**-30
    for wrong in (2.0**-30 * (1 - 2.0**-50), 2.0**-31, 0.0, float("nan")):
        with pytest.raises(ValueError, match="not proved"):
            sampler(*SMALL["laplace"], margin=wrong)


def test_tables_follow_from_the_law_alone() -> None:
    """They cannot be given, and floats and bounds are used where nothing else is said."""
    made = sampler(*SMALL["laplace"])
    assert (made.shortcuts, made.largest) == (True, 2**63 - 1)
    with pytest.raises(TypeError, match="tables"):
        sampler(*SMALL["laplace"], tables=made.tables)


@pytest.mark.parametrize("name", ["narrow-laplace", "geometric", "gaussian"])
def test_a_variate_beyond_the_largest_is_an_error_and_the_largest_is_none(name: str) -> None:
    """Words of the tail whose real is as small as can be, on both sides."""
    linear, quadratic, two_sided, block_bits, _, slot_bits, cutoff = SMALL[name]
    law, tail = (
        (linear, quadratic, two_sided, block_bits, 64, slot_bits, cutoff),
        (2**slot_bits - 1) << (64 - slot_bits),
    )
    known, seen = Rectangles.of(sampler(*law)), set()
    for seed in range(30):
        value, _ = known.judge(tail, Told([], seed))
        seen.add(value)
        found = np.empty(1, np.int64)
        sampler(*law, largest=abs(value)).attempt(found, Told([tail], seed))
        assert found[0] == value
        with pytest.raises(OutOfRangeError):
            sampler(*law, largest=abs(value) - 1).attempt(found, Told([tail], seed))
    assert len(seen) > 2
    assert (min(seen) < 0) is two_sided


@pytest.mark.parametrize("refused", [0, 1, 999, 1000])
def test_a_source_has_a_thousand_rounds_to_give_a_word_that_is_kept(refused: int) -> None:
    """The words of ones are of the tail, which refuses them; that of zeros names zero and is kept."""
    source = Told([2**64 - 1] * refused + [0] * 10)
    if refused < 1000:
        assert sampler(*SMALL["laplace"]).draw((1,), source).tolist() == [0]
    else:
        with pytest.raises(EntropyError, match="seed 3 gave no word that is kept in 1000 rounds"):
            sampler(*SMALL["laplace"]).draw((1,), source)


@pytest.mark.parametrize(
    ("draw", "least", "most"),
    [
        (geometric, Fraction(1, 1000), Fraction(2**40)),
        (discrete_laplace, Fraction(1, 1000), Fraction(2**40)),
        (discrete_gaussian, Fraction(1, 10**6), Fraction(2**80)),
    ],
)
def test_a_parameter_has_bounds(draw: Any, least: Fraction, most: Fraction) -> None:
    """The bounds themselves are allowed, and nothing beyond."""
    for parameter in (least, most):
        assert draw(parameter, 2, SeededEntropy(1)).shape == (2,)
    for wrong in (least * Fraction(999_999, 10**6), most * Fraction(1_000_001, 10**6), Fraction(0), -least, -most):
        with pytest.raises(InvalidParameterError):
            draw(wrong, 2, SeededEntropy(1))
