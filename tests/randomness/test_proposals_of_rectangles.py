"""Proposals under the hat of rectangles: what the float filter leaves open, and which words and digits are read."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import EntropyError
from dpmatrix.randomness import fast_discrete, fast_rectangles
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.fast_rectangles import CHUNK, MARGIN, MOST_ROUNDS, RectangleSampler, take_words
from dpmatrix.randomness.fast_tables import Layout, Weight

LAPLACE = (Weight(Fraction(1, 4), Fraction(0)), Layout(0, slot_bits=6, cutoff=Fraction(5)))
"""A law whose tail begins early, so that all kinds of words are frequent."""


def samplers() -> dict[str, RectangleSampler]:
    return {
        "Laplace, early tail": RectangleSampler(*LAPLACE),
        "Laplace, 10**6 / 7": fast_discrete._exponential_sampler(Fraction(10**6, 7), two_sided=True),
        "Gaussian, 10**12 / 7": fast_discrete._gaussian_sampler(Fraction(10**12, 7)),
    }


class Read(SeededEntropy):
    """Notes the numbers of words and digits that are read."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.sizes: list[int] = []
        self.digits: list[int] = []

    def words(self, count: int) -> np.ndarray:
        """Give words, noted."""
        self.sizes.append(count)
        return super().words(count)

    def bits(self, count: int) -> int:
        """Give digits, noted."""
        self.digits.append(count)
        return super().bits(count)


@pytest.mark.parametrize("margin", [MARGIN, 2.0**-10, 2.0**-3])
@pytest.mark.parametrize("name", samplers())
def test_floats_decide_at_a_distance_of_the_margin_at_least(name: str, margin: float) -> None:
    """Of each word that they decide, the cell of digits is beyond the exact threshold by the margin, less their error.

    The bounds for a whole block decide others, nearer to it. What is as far as that is decided, and not left open.
    """
    sampler = RectangleSampler(samplers()[name].weight, samplers()[name].layout, margin)
    cut, tables = sampler.layout, sampler.tables
    words, values = SeededEntropy(11).words(6000), np.empty(6000, np.int64)
    sampler.propose(words, values)
    slots = (words >> np.uint64(64 - cut.slot_bits)).astype(np.int64)
    digits = words >> np.uint64(cut.block_bits) & np.uint64(2**cut.digit_bits - 1)
    kept, ambiguous = sampler._float_filter(slots, digits, values)
    assert not (kept & ambiguous).any()
    error, cell = Fraction(1, 2**31), Fraction(1, 2**cut.digit_bits)
    seen = {"kept": 0, "refused": 0, "open": 0}
    for place in range(len(words)):
        slot, digit = int(slots[place]), int(digits[place])
        if slot == tables.tail_slot:
            assert not kept[place]
            assert bool(ambiguous[place]) is (digit < int(tables.high[slot]))
            continue
        low, high = sampler.threshold(slot, int(values[place])).bracket(100)
        edge, below = Fraction(low + high, 2**101), digit * cell
        if kept[place]:
            seen["kept"] += 1
            assert below + cell <= edge - Fraction(margin) + error
        elif ambiguous[place]:
            seen["open"] += 1
            assert edge - Fraction(margin) - error < below + cell
            assert below < edge + Fraction(margin) + error
            assert digit < int(tables.high[slot])
        else:
            seen["refused"] += 1
            assert below >= edge + Fraction(margin) - error or digit >= int(tables.high[slot])
    assert seen["kept"] > 100
    assert margin < 0.1 or seen["open"] > 100
    assert seen["refused"] > 0


@pytest.mark.parametrize("name", samplers())
@pytest.mark.parametrize("count", [1, CHUNK, CHUNK + 1, 2 * CHUNK + 5])
def test_each_entry_has_a_word_and_each_refused_one_another(name: str, count: int) -> None:
    """Words are read in chunks, and then as many as were refused, until there are none."""
    sampler, entropy, again = samplers()[name], Read(12), SeededEntropy(12)
    drawn = sampler.draw((count,), entropy)
    assert drawn.shape == (count,)
    assert drawn.dtype == np.int64
    first = [min(CHUNK, count - start) for start in range(0, count, CHUNK)]
    assert entropy.sizes[: len(first)] == first
    assert entropy.sizes[len(first) :] == sorted(entropy.sizes[len(first) :], reverse=True)
    values = np.empty(count, np.int64)
    refused = sampler.attempt(values, again)
    assert len(refused) == (entropy.sizes[len(first)] if len(entropy.sizes) > len(first) else 0)
    # What was kept at first stays where it is, and what was refused is replaced by later ones in their order.
    stays = np.ones(count, bool)
    stays[refused] = False
    assert (drawn[stays] == values[stays]).all()
    while len(refused):
        more = np.empty(len(refused), np.int64)
        still = sampler.attempt(more, again)
        values[refused] = more
        refused = refused[still]
    assert (drawn == values).all()
    assert entropy.bits(64) == again.bits(64)


@pytest.mark.parametrize("count", [1, 300, CHUNK + 700])
def test_an_attempt_settles_what_it_proposes(count: int) -> None:
    """One proposal after the other, by the two steps that are tested word by word, from the same words and digits."""
    sampler, entropy, same = RectangleSampler(*LAPLACE), SeededEntropy(13), SeededEntropy(13)
    values = np.full(count, 99, np.int64)
    refused = sampler.attempt(values, entropy)
    words = np.concatenate([same.words(min(CHUNK, count - start)) for start in range(0, count, CHUNK)])
    expected = np.empty(count, np.int64)
    undecided = sampler.propose(words, expected)
    kept = np.empty(len(undecided), bool)
    for place, index in enumerate(undecided.tolist()):
        value = expected[index : index + 1]
        kept[place] = sampler.settle(words[index : index + 1], value, same)[0]
    assert (values == expected).all()
    assert refused.tolist() == undecided[~kept].tolist()
    assert entropy.bits(64) == same.bits(64)
    assert refused.dtype == np.int64


@pytest.mark.parametrize("word_bits", [10, 30, 63])
def test_a_short_word_is_made_of_the_highest_bits(word_bits: int) -> None:
    sampler = RectangleSampler(LAPLACE[0], Layout(0, word_bits=word_bits, slot_bits=6, cutoff=Fraction(5)))
    seen: list[list[int]] = []

    def propose(words: np.ndarray, values: np.ndarray) -> np.ndarray:
        seen.append(words.tolist())
        values[:] = 0
        return np.empty(0, np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RectangleSampler, "propose", lambda _, words, values: propose(words, values))
        sampler.draw((50,), SeededEntropy(14))
    assert seen == [[word >> 64 - word_bits for word in SeededEntropy(14).words(50).tolist()]]


@pytest.mark.parametrize("failing", [0, 1, MOST_ROUNDS - 1, MOST_ROUNDS])
def test_rounds_are_counted(monkeypatch, failing: int) -> None:
    """So many rounds may keep nothing before one keeps the rest."""
    rounds: list[int] = []

    def attempt(_: RectangleSampler, values: np.ndarray, entropy: Entropy) -> np.ndarray:
        assert entropy is source
        rounds.append(len(values))
        values[:] = len(rounds)
        return np.arange(len(values)) if len(rounds) <= failing else np.empty(0, np.int64)

    source = SeededEntropy(15)
    monkeypatch.setattr(RectangleSampler, "attempt", attempt)
    sampler = RectangleSampler(*LAPLACE)
    if failing < MOST_ROUNDS:
        assert sampler.draw((3,), source).tolist() == [failing + 1] * 3
    else:
        with pytest.raises(EntropyError, match=f"seed 15 gave no word that is kept in {MOST_ROUNDS} rounds"):
            sampler.draw((3,), source)


@pytest.mark.parametrize("known", ["below", "at"])
def test_a_tail_asks_for_a_proposal_only_where_one_may_be_kept(monkeypatch, known: str) -> None:
    sampler = RectangleSampler(*LAPLACE)
    bound = int(sampler.tables.high[sampler.tables.tail_slot])
    asked: list[Fraction] = []
    monkeypatch.setattr(fast_rectangles, "geometric", lambda scale, _: asked.append(scale) or 2)
    value, threshold = sampler._tail(bound - (known == "below"), SeededEntropy(16))
    if known == "at":
        assert asked == []
        assert (value, threshold.bracket(10)) == (0, (0, 0))
    else:
        assert asked == [sampler.tables.tail_scale]
        assert value in (sampler.tables.reach + 2, -sampler.tables.reach - 3)
        assert threshold.bracket(10)[1] > 0


@pytest.mark.parametrize("shortcuts", [True, False])
def test_every_digit_is_of_the_source(monkeypatch, shortcuts: bool) -> None:
    """The decisions, the tail and the words have one source, and no other."""
    sampler, source, asked = RectangleSampler(*LAPLACE, shortcuts=shortcuts), SeededEntropy(17), set()
    for name in ("take_words", "geometric", "is_below"):
        genuine: Callable[..., object] = getattr(fast_rectangles, name)

        def step(*given: object, name: str = name, genuine: Callable[..., object] = genuine) -> object:
            assert any(one is source for one in given)
            asked.add(name)
            return genuine(*given)

        monkeypatch.setattr(fast_rectangles, name, step)
    sampler.draw((3000,), source)
    assert asked == {"take_words", "geometric", "is_below"}


def test_a_largest_variate_is_drawn_and_the_next_one_is_not(monkeypatch) -> None:
    sampler = RectangleSampler(*LAPLACE, largest=40)
    reach = sampler.tables.reach
    for negative in (False, True):
        for magnitude, fits in ((40, True), (41, False)):
            excess = magnitude - reach - negative
            monkeypatch.setattr(fast_rectangles, "geometric", lambda *_, excess=excess: excess)
            side = type("Side", (), {"bits": lambda *_, negative=negative: int(negative)})()
            if fits:
                assert sampler._tail(0, side)[0] == (-magnitude if negative else magnitude)
            else:
                with pytest.raises(fast_rectangles.OutOfRangeError, match="magnitude 41 is above 40"):
                    sampler._tail(0, side)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 9])
def test_words_that_are_all_the_same_are_refused_where_that_is_no_chance(count: int) -> None:
    class Stuck(SeededEntropy):
        def words(self, count: int) -> np.ndarray:
            return np.full(count, 7, np.uint64)

    if count < 4:
        assert take_words(Stuck(1), count).tolist() == [7] * count
    else:
        with pytest.raises(EntropyError, match="seed 1 gave one and the same word"):
            take_words(Stuck(1), count)


def test_what_follows_from_the_law_is_not_given() -> None:
    sampler = RectangleSampler(*LAPLACE)
    assert (sampler.margin, sampler.shortcuts, sampler.largest) == (2.0**-30, True, 2**63 - 1)
    with pytest.raises(TypeError, match="tables"):
        RectangleSampler(*LAPLACE, tables=sampler.tables)
    assert sampler == sampler
    assert len({sampler, RectangleSampler(*LAPLACE)}) == 2


@pytest.mark.parametrize("shortcuts", [True, False])
def test_shortcuts_are_taken_where_they_are_wanted_alone(monkeypatch, shortcuts: bool) -> None:
    """Without them every word is left undecided, and no float is asked; with them few words are, and floats decide."""
    sampler, asked = RectangleSampler(*LAPLACE, shortcuts=shortcuts), []
    words, values = SeededEntropy(18).words(500), np.empty(500, np.int64)
    undecided = sampler.propose(words, values)
    assert undecided.tolist() == list(range(500)) or shortcuts
    assert (len(undecided) < 400) is shortcuts
    genuine = RectangleSampler._float_filter
    monkeypatch.setattr(RectangleSampler, "_float_filter", lambda *given: asked.append(1) or genuine(*given))
    kept = sampler.settle(words[undecided], values[undecided], SeededEntropy(19))
    assert kept.dtype == np.bool_
    assert bool(asked) is shortcuts


def test_a_slot_that_nobody_owns_keeps_nothing() -> None:
    sampler = RectangleSampler(*LAPLACE)
    free = [slot for slot, height in enumerate(sampler.tables.height) if not height]
    assert sampler.tables.tail_slot in free
    for slot in free:
        assert sampler.threshold(slot, 0).bracket(10) == (0, 0)


def test_the_estimate_is_as_close_as_proved_where_the_exponent_grows_by_a_half() -> None:
    """Blocks of 64 at a scale of 128: a term less would err by about 2**-28 at their far ends, and 2**-31 is proved."""
    sampler = RectangleSampler(Weight(Fraction(1, 128), Fraction(0)), Layout(6, slot_bits=8, cutoff=Fraction(7)))
    slots = np.flatnonzero(np.array(sampler.tables.height))
    near, far = slots[sampler.tables.base[slots] >= 0], slots[sampler.tables.base[slots] < 0]
    for chosen, offset in ((near, 63), (near, 0), (far, 0), (far, 40)):
        values = sampler.tables.base[chosen] + offset
        for slot, value, found in zip(chosen, values, sampler.estimate(chosen, values), strict=True):
            low, high = sampler.threshold(int(slot), int(value)).bracket(80)
            assert abs(Fraction(float(found)) - Fraction(low + high, 2**81)) < Fraction(1, 2**31)
