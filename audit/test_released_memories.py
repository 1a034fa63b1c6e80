"""What a window holds is used by one object in one process: forks, copies, a second taking, an interruption.

Two windows that go on with the same noise publish differences of rows alone. So each attack on the memory has to end
with an error; the control beside it is the one window that goes on. Nothing is statistical but that noise is not zero.
"""

from __future__ import annotations

import copy
import os
import pickle
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve

from audit.released.windows import GUARANTEE, ROW, SMALL, begun
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.randomness import discrete
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy


def refused_in_a_fork(act: Callable[[], object]) -> bool:
    child = os.fork()
    if child == 0:
        try:
            act()
        except SingleUseError:
            os._exit(7)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


@pytest.mark.parametrize("bits", [8, 21, 30, 40])
def test_noise_on_a_lattice_of_any_fineness_is_the_samplers(bits: int) -> None:
    """On a fine one the variance is beyond 2^80, and the numbers are those of the reference, drawn anew."""
    parameters = WindowParameters(2, 2, GUARANTEE, coordinate_bits=bits)
    assert (parameters.variance > 2**80) is (bits > 8)

    def published(window: SlidingWindowGram) -> list[int]:
        window.add([[0.0, 0.0]])
        integers = window.publish().integers
        return [integers[0, 0], integers[1, 0], integers[1, 1]]

    found = published(SlidingWindowGram(parameters, entropy=SeededEntropy(5)))
    if bits > 8:
        entropy = SeededEntropy(5)
        assert found == [discrete.discrete_gaussian(parameters.variance, entropy) for _ in range(3)]
    secret = [published(SlidingWindowGram(parameters)) for _ in range(2)]
    assert secret[0] != secret[1]
    assert all(found), "noise of zero has probability below 2^-20"


ACTS: dict[str, Callable[[SlidingWindowGram], object]] = {
    "add": lambda window: window.add(ROW),
    "publish": lambda window: window.publish(),
    "hand over": lambda window: window.hand_over(),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_window_in_a_fork_or_in_a_second_object_is_used_no_more(act: str) -> None:
    window = begun()
    assert refused_in_a_fork(lambda: ACTS[act](window))
    twin = object.__new__(SlidingWindowGram)
    twin.__dict__.update(window.__dict__)
    with pytest.raises(SingleUseError):
        ACTS[act](twin)
    ACTS[act](window)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_window_and_what_it_hands_over_are_not_copied(duplicate: Callable[[object], object]) -> None:
    window = begun()
    with pytest.raises(SingleUseError):
        duplicate(window)
    memory = window.hand_over()
    with pytest.raises(SingleUseError):
        duplicate(memory.sums)
    SlidingWindowGram(SMALL, memory=memory).publish()


@pytest.mark.parametrize("again", [lambda memory: memory, copy.copy, evolve])
def test_a_memory_is_taken_once_and_in_one_process(again: Callable[[object], object]) -> None:
    window = begun()
    memory = window.hand_over()
    assert refused_in_a_fork(lambda: SlidingWindowGram(SMALL, memory=memory))
    other = SlidingWindowGram(SMALL, memory=memory)
    for use in (window.take_back, window.publish, lambda: SlidingWindowGram(SMALL, memory=again(memory))):
        with pytest.raises(SingleUseError):
            use()
    other.publish()
    alone = begun()
    alone.hand_over()
    alone.take_back()
    alone.publish()


def test_a_memory_keeps_its_parameters() -> None:
    """With less noise promised than was drawn, or more."""
    memory = begun().hand_over()
    for epsilon in (Fraction(1, 2), Fraction(2)):
        with pytest.raises(InvalidParameterError):
            SlidingWindowGram(evolve(SMALL, guarantee=evolve(GUARANTEE, epsilon=epsilon)), memory=memory)
    SlidingWindowGram(SMALL, memory=memory).publish()


class Failing(SystemEntropy):
    """Bits that end with an error when they are asked for again."""

    failing = False

    def words(self, count: int) -> np.ndarray:
        """Draw, or fail."""
        if self.failing:
            raise OSError(5, "input/output error")
        return super().words(count)


def test_a_window_that_was_interrupted_goes_on_no_more() -> None:
    """An error in the middle leaves sums of which some have a row that others have not."""
    source = Failing()
    window = SlidingWindowGram(SMALL, entropy=source)
    source.failing = True
    with pytest.raises(OSError, match="input"):
        window.add(ROW * 6)
    source.failing = False
    for act in ACTS.values():
        with pytest.raises(SingleUseError):
            act(window)
