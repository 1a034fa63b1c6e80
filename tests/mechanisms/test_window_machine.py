"""The private window under a machine that knows every draw of noise: sums, stamps and memory after every step.

Each draw of noise is replaced by a power of a number that no sum of rows reaches, so the digits of any number in memory
say which draws it holds, how often, and what rows beside them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from attrs import evolve
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters, resume, suspend
from dpmatrix.mechanisms.streams import dyadic as dyadic_module
from dpmatrix.mechanisms.streams import histogram as histogram_module
from dpmatrix.mechanisms.streams import parameters as parameters_module
from dpmatrix.mechanisms.streams import state as state_module
from dpmatrix.mechanisms.streams import window as window_module
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import updated
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
LONG = bool(os.environ.get("DPMATRIX_LONG"))
EXAMPLES, STEPS = (1000, 150) if LONG else (150, 100)
BITS = 1
"""Coordinates are multiples of a half."""
DIGIT = 32
BASE = 1 << DIGIT
"""Beyond twice the sum of all squares of a run, in quarters."""

CALIBRATED = lru_cache(maxsize=None)(parameters_module.calibrate_discrete_gaussian)


class NumberedNoise:
    """The n-th draw is BASE**n in the first entry."""

    def __init__(self) -> None:
        self.drawn = 0

    def __call__(self, parameters: WindowParameters, _entropy: object) -> list[int]:
        """Draw."""
        self.drawn += 1
        return [BASE**self.drawn] + [0] * (parameters.entries - 1)


def digits(number: int) -> tuple[int, dict[int, int]]:
    """Take a number apart: what rows it holds, and how often it holds each draw."""
    count = number.bit_length() // DIGIT + 2
    # Half a digit everywhere makes all of them positive.
    shifted = number + int.from_bytes((BASE // 2).to_bytes(DIGIT // 8, "little") * count, "little")
    found = np.frombuffer(shifted.to_bytes(count * DIGIT // 8, "little"), dtype="<u4").astype(np.int64) - BASE // 2
    return int(found[0]), {int(place): int(found[place]) for place in np.flatnonzero(found[1:]) + 1}


def rows_alone(total: list[int], before: list[int], _parameters: WindowParameters) -> np.ndarray:
    """Stand in for the matrix of a difference: compare the rows, and leave out this machine's noise."""
    return np.array([[digits(total[0] - before[0])[0] / 4**BITS]])


class Window(RuleBasedStateMachine):
    """Feed a private window in one dimension; suspend it; compare all that it publishes and holds with the rows."""

    steps = 0
    faults: tuple[tuple[object, str, object], ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.noise = NumberedNoise()
        self.window: SlidingWindowGram | None = None
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(dyadic_module, "noise_triangle", self.noise)
        self.patch.setattr(histogram_module, "real_matrix", rows_alone)
        self.patch.setattr(parameters_module, "calibrate_discrete_gaussian", CALIBRATED)
        self.patch.setattr(state_module.os, "fsync", lambda _handle: None)
        for place, name, fault in self.faults:
            self.patch.setattr(place, name, fault)
        # Thousands of digits: this machine's noise is longer than any real one.
        self.most_digits = sys.get_int_max_str_digits()
        sys.set_int_max_str_digits(0)
        self.folder = tempfile.TemporaryDirectory()

    def teardown(self) -> None:
        """Put the true noise back."""
        self.patch.undo()
        sys.set_int_max_str_digits(self.most_digits)
        self.folder.cleanup()

    @initialize(leaves=st.integers(1, 9), leaf=st.integers(1, 3), slack=st.sampled_from([0.0, 0.5, 3.0]))
    def start(self, leaves: int, leaf: int, slack: float) -> None:
        """Choose the parameters; the slack is small, as this machine's noise counts for nothing in a comparison."""
        promised = WindowParameters(1, leaves * leaf, PROMISE, leaf=leaf, coordinate_bits=BITS)
        self.parameters = evolve(promised, tolerance=Fraction(slack) / Fraction(promised.error_scale))
        self.window = SlidingWindowGram(self.parameters, entropy=SeededEntropy(1))
        self.rows: list[int] = []

    def feed(self, halves: list[int]) -> None:
        """Add rows, given in halves."""
        self.rows += [value * value for value in halves]
        self.window.add(np.array(halves, dtype=float).reshape(-1, 1) / 2)

    @rule(halves=st.lists(st.integers(-2, 2), max_size=4))
    def some_rows(self, halves: list[int]) -> None:
        """Feed rows at random."""
        self.feed(halves)

    @rule(times=st.integers(1, 6), value=st.sampled_from([0, 1, 2]))
    def repeat(self, times: int, value: int) -> None:
        """Feed one row many times: silence, or the loudest."""
        self.feed([value] * times)

    @precondition(lambda self: self.window is not None and self.window.time % 3 == 2)
    @rule()
    def interrupt(self) -> None:
        """Suspend the window and go on from its file."""
        path = Path(self.folder.name) / "window"
        suspend(self.window, path)
        drawn = self.noise.drawn
        self.window = resume(path, entropy=SeededEntropy(2))
        assert self.noise.drawn == drawn, "going on draws no noise"

    @invariant()
    def publishes_the_sum_from_its_stamp(self) -> None:
        """Decode the output: rows from the first stamp to the last complete leaf, at most 2h + 1 draws, once each."""
        type(self).steps += 1
        if self.window is None:
            return
        leaf, window = self.parameters.leaf, self.parameters.window
        seen = len(self.rows) // leaf * leaf
        first, *others = self.window.stamps
        begin = max(1, seen - window + 1)
        assert self.window.time == len(self.rows)
        assert first <= begin < min(others, default=begin + 1), "the first stamp alone covers the window's beginning"
        assert list(self.window.stamps) == sorted(set(self.window.stamps))
        rows, draws = digits(int(self.window.publish().integers[0, 0]))
        assert rows == sum(self.rows[first - 1 : seen])
        assert set(draws.values()) <= {-1, 1}
        assert len(draws) <= 2 * self.parameters.height + 1

    @invariant()
    def holds_no_exact_sum(self) -> None:
        """Decode the memory: whatever holds rows holds noise, and each draw stands in one sum under way at most."""
        if self.window is None:
            return
        sums = self.window._sums
        assert all(digits(value)[1] or not digits(value)[0] for value in self.window.memory)
        opened = [part[1][0] for part in sums.parts if part is not None]
        under_way = [digits(value)[1] for value in opened]
        assert all(list(found.values()) == [1] for found in under_way)
        assert len({next(iter(found)) for found in under_way}) == len(under_way)
        place = sums.leaf % (1 << self.parameters.height)
        for size, part in enumerate(sums.parts):
            if part is not None:
                begin = (sums.leaf - place + (place >> size << size)) * self.parameters.leaf
                assert digits(part[1][0])[0] == sum(self.rows[begin:])

    @invariant()
    def enters_few_sums(self) -> None:
        """Count the sums under way: a row is added to at most h + 1."""
        if self.window is not None:
            assert sum(part is not None for part in self.window._sums.parts) <= self.parameters.height + 1

    @invariant()
    def is_small(self) -> None:
        """Bound the checkpoints: two stretches of one block are apart by a factor, and few blocks are in reach."""
        if self.window is not None:
            assert len(self.window.stamps) <= self.parameters.leaves + 2


ONLY_GENERATE = {"deadline": None, "database": None, "phases": [Phase.generate], "report_multiple_bugs": False}


def test_ten_thousand_steps_keep_the_invariants() -> None:
    """`DPMATRIX_LONG=1` takes a hundred thousand."""
    machine = type("Counted", (Window,), {"steps": 0})
    thorough = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, **ONLY_GENERATE)
    while machine.steps < (100_000 if LONG else 10_000):  # a run may end after few steps; each takes one at least
        run_state_machine_as_test(machine, settings=thorough)


def expires_late(held, total, leaf, parameters):
    return updated(held, total, leaf - 1, parameters)


def expires_early(held, total, leaf, parameters):
    return updated(held, total, leaf + 1, parameters)


def leaves_out_the_first(self, change, count):
    """Add a row to the sums 2, 3, ... under way, as Algorithms 3 and 7 are printed."""
    kept = self.parts[0]
    ADD(self, change, count)
    self.parts[0] = kept


def leaves_out_the_last(self, change, count):
    kept = self.parts[-1]
    ADD(self, change, count)
    self.parts[-1] = kept


def adds_twice(self, change, count):
    ADD(self, change, count)
    before = self.rows
    if self.rows == count:
        ADD(self, change, 0)
    self.rows = before


def draws_again(self, entropy):
    """Open a sum at every leaf, also where one is under way."""
    self.parts[-1] = None
    OPEN(self, entropy)
    if self.parts[-1] is None:
        self.parts[-1] = (self.total, dyadic_module.noise_triangle(self.parameters, entropy))


def without_noise(self, entropy):
    OPEN(self, entropy)
    if self.parts[0] is not None:
        self.parts[0] = (self.parts[0][0], [0] * self.parameters.entries)


def shares_noise(self, entropy):
    OPEN(self, entropy)
    formed = [size for size, part in enumerate(self.parts) if part is not None]
    if len(formed) > 1 and self.leaf % 2 == 0:
        self.parts[formed[1]] = (self.parts[formed[1]][0], self.parts[formed[0]][1])


ADD, OPEN = DyadicSums.add, DyadicSums.open_parts


@pytest.mark.parametrize(
    "fault",
    [
        (window_module, "updated", expires_late),
        (window_module, "updated", expires_early),
        (DyadicSums, "add", leaves_out_the_first),
        (DyadicSums, "add", leaves_out_the_last),
        (DyadicSums, "add", adds_twice),
        (DyadicSums, "open_parts", draws_again),
        (DyadicSums, "open_parts", without_noise),
        (DyadicSums, "open_parts", shares_noise),
    ],
    ids=lambda fault: fault[2].__name__,
)
def test_planted_mistakes_are_caught(fault) -> None:
    machine = type("Faulty", (Window,), {"faults": (fault,)})
    thorough = settings(max_examples=60, stateful_step_count=20, derandomize=True, **ONLY_GENERATE)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=thorough)
