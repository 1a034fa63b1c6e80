"""Integers of laws too wide for a word are a quotient, a residue and a sign, each of bits that nothing else is made of.

Words of a source are read once more as the proof says it, one proposal at a time, with thresholds of hundreds of
digits; also words whose lanes are nearly all ones, which alone leave anything to decide. Nothing is statistical.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.released.rectangles import CHUNK
from audit.released.wide import CASES, Lanes, Wide, known
from dpmatrix.errors import EntropyError
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_wide import laplace_sampler, wide_gaussian, wide_laplace


@pytest.mark.parametrize("kind", [SeededEntropy, Lanes])
@pytest.mark.parametrize("name", CASES)
def test_the_same_words_give_the_same_integers(name: str, kind: type[SeededEntropy]) -> None:
    """Words of a seed, and such whose lanes are nearly all ones; both readings have read equally many bits."""
    made, reading = known(name)
    for seed, count in ((1, 200), (2, 1), (3, 0), (4, 2)):
        first, second = kind(seed), kind(seed)
        found = made.draw(count, first)
        assert found.shape == (count,)
        assert found.tolist() == reading.draw(count, second)
        assert first.bits(64) == second.bits(64)
        assert first.words(1)[0] == second.words(1)[0]


def test_words_come_in_chunks() -> None:
    """What is drawn beyond a chunk is drawn as if it were drawn alone."""
    made = laplace_sampler(Fraction(2**41), 10)
    first, second = SeededEntropy(3), SeededEntropy(3)
    found = made.draw(CHUNK + 2, first)
    assert found.dtype == np.dtype(np.int64)
    assert np.array_equal(found, np.concatenate([made.draw(CHUNK, second), made.draw(2, second)]))
    assert first.bits(64) == second.bits(64)


@pytest.mark.parametrize("start", range(0, 80, 16))
def test_a_refused_integer_may_be_replaced_by_a_longer_one(start: int) -> None:
    """One of 64 bits by one that does not fit them, where one is drawn at a time."""
    made, reading = known("long-and-short")
    for seed in range(start, start + 16):
        first, second = Lanes(seed), Lanes(seed)
        assert made.draw(1, first).tolist() == reading.draw(1, second)


class Ones:
    """A source of told words, whose further digits are ones."""

    private, description = False, "ones"

    def __init__(self, *words: int) -> None:
        self.told = list(words)

    def words(self, count: int) -> Any:
        """Give the next words."""
        return np.array([self.told.pop(0) for _ in range(count)], np.uint64)

    def bits(self, count: int) -> int:
        """Give ones."""
        return (1 << count) - 1


@pytest.mark.parametrize("more", [2**64 - 1, 2**63])
def test_a_lane_of_ones_is_decided_whatever_follows_it(more: int) -> None:
    """The rest of its word is zero, and the residue, which the next word completes, is not: here it is refused."""
    made = laplace_sampler(Fraction(2**86), 70)
    assert made.certain > 0
    source = Ones(0, (2**16 - 1) << 48, more, 0, 5, 5 << 41)
    assert made.draw(1, source).tolist() == [(5 << 23) + 5]
    assert source.told == []


def test_control_another_law_makes_other_integers_of_the_same_words() -> None:
    made, _ = known("narrow-gaussian")
    other = Wide(Fraction(0), Fraction(1, 82), 2, 0, 2**60)
    assert made.draw(300, SeededEntropy(1)).tolist() != other.draw(300, SeededEntropy(1))


class ForkingLast(SeededEntropy):
    """A source under which the process is forked when it has given words so many times."""

    def __init__(self, at: int) -> None:
        super().__init__(1)
        self.at, self.times, self.child = at, 0, -1

    def words(self, count: int) -> Any:
        """Give words, maybe to two processes."""
        found, self.times = super().words(count), self.times + 1
        if self.times == self.at:
            self.child = os.fork()
        return found


@pytest.mark.parametrize(
    "draw", [lambda e: wide_laplace(Fraction(2**50), 1, e), lambda e: wide_gaussian(Fraction(9**90), 2, e)]
)
def test_a_child_does_not_finish_a_draw_whose_last_words_its_parent_has(draw: Callable[[Any], object]) -> None:
    """The quotients were drawn before the process was forked."""
    draw(source := ForkingLast(0))
    source = ForkingLast(source.times)
    try:
        draw(source)
    except EntropyError:
        if source.child == 0:
            os._exit(7)
        raise
    finally:
        if source.child == 0:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(source.child, 0)[1]) == 7


@pytest.mark.parametrize("draw", [wide_laplace, wide_gaussian])
def test_a_source_of_too_few_words_is_an_error(draw: Callable[..., object]) -> None:
    class Short(SeededEntropy):
        def words(self, count: int) -> Any:
            return super().words(count)[:-1]

    with pytest.raises(EntropyError):
        draw(Fraction(2**90), 3, Short(1))
