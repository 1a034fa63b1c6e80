"""The spectral histogram along adversarial streams: invariants after every row, planted mistakes, and its size."""

from __future__ import annotations

import math
import os
from fractions import Fraction
from itertools import product

import attrs
import pytest
from flint import fmpq, fmpq_mat
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

from dpmatrix.claims import Truth
from dpmatrix.errors import InvalidParameterError
from dpmatrix.streaming import Checkpoint, SpectralHistogram, checkpoint_bound, precedes, thin

LONG = bool(os.environ.get("DPMATRIX_LONG"))
EXAMPLES, STEPS = (1000, 150) if LONG else (150, 100)
ENTRIES = st.sampled_from([-1, 0, 1, Fraction(1, 2), Fraction(-3, 5), Fraction(4, 5)])


class Stream(RuleBasedStateMachine):
    """Feed rows that an adversary would choose: repeats, new directions, zeros, sudden giants, slow decay."""

    build = SpectralHistogram
    steps = 0

    @initialize(
        dimension=st.integers(1, 3),
        window=st.integers(1, 9),
        eta=st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]),
        floor=st.sampled_from([Fraction(0), Fraction(1, 100), Fraction(3)]),
    )
    def start(self, dimension, window, eta, floor) -> None:
        """Choose the parameters."""
        self.histogram = self.build(dimension, window, eta, floor)
        self.rows: list[list[Fraction]] = []
        self.dimension, self.window, self.eta, self.floor = dimension, window, eta, floor
        self.largest = 1

    def feed(self, row) -> None:
        """Observe a row and remember it."""
        self.rows.append([Fraction(entry) for entry in row])
        self.histogram.observe(self.rows[-1])

    @rule(data=st.data())
    def any_row(self, data) -> None:
        """Feed entries at random."""
        self.feed([data.draw(ENTRIES) for _ in range(self.dimension)])

    @rule(place=st.integers(0, 2), size=st.sampled_from([1, Fraction(1, 3), 7]))
    def axis(self, place, size) -> None:
        """Feed a multiple of an axis."""
        self.feed([size if j == place % self.dimension else 0 for j in range(self.dimension)])

    @rule(times=st.integers(1, 5))
    def silence(self, times) -> None:
        """Feed zero rows."""
        for _ in range(times):
            self.feed([0] * self.dimension)

    @precondition(lambda self: self.rows)
    @rule(times=st.integers(1, 4), shrink=st.sampled_from([1, Fraction(9, 10), Fraction(1, 10)]))
    def repeat(self, times, shrink) -> None:
        """Feed the last row again, perhaps smaller."""
        for _ in range(times):
            self.feed([shrink * entry for entry in self.rows[-1]])

    def exact(self) -> fmpq_mat:
        """Return A_W'A_W + f I."""
        kept = self.rows[max(0, len(self.rows) - self.window) :]
        size = range(self.dimension)
        return fmpq_mat(
            [
                [
                    _rational(sum((row[i] * row[j] for row in kept), Fraction(0)) + (self.floor if i == j else 0))
                    for j in size
                ]
                for i in size
            ]
        )

    @invariant()
    def approximates_the_window(self) -> None:
        """Compare the first matrix with the window."""
        type(self).steps += 1
        if not hasattr(self, "histogram"):
            return
        inside, kept = self.exact(), self.histogram.approximation
        assert precedes(_rational(1 - self.eta) * kept, inside) is Truth.TRUE
        assert precedes(inside, kept) is Truth.TRUE

    @invariant()
    def has_the_property(self) -> None:
        """Check the whole property."""
        if hasattr(self, "histogram"):
            self.histogram.check()
            assert self.histogram.time == len(self.rows)

    @invariant()
    def is_small(self) -> None:
        """Compare the count with its bound."""
        if not hasattr(self, "histogram") or not self.floor or not self.rows:
            return
        held = self.histogram.checkpoints
        ratio = Fraction(*_parts(held[0].matrix.det() / held[-1].matrix.det()))
        assert len(held) <= 3 + 2 * math.log(ratio) / -math.log1p(-float(self.eta)) + 1e-9


def _rational(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def _parts(value: fmpq) -> tuple[int, int]:
    return int(value.p), int(value.q)


ONLY_GENERATE = {"deadline": None, "database": None, "phases": [Phase.generate], "report_multiple_bugs": False}


def test_ten_thousand_steps_keep_the_invariants() -> None:
    """`DPMATRIX_LONG=1` takes a hundred thousand."""
    machine = type("Counted", (Stream,), {"steps": 0})
    thorough = settings(max_examples=EXAMPLES, stateful_step_count=STEPS, **ONLY_GENERATE)
    run_state_machine_as_test(machine, settings=thorough)
    assert machine.steps >= (100_000 if LONG else 10_000)


class LateExpiry(SpectralHistogram):
    """Expire at t_2 < T - W + 1, as Algorithms 3 and 7 are printed."""

    def observe(self, row) -> None:
        """Observe a row, wrongly."""
        self._window += 1  # t_2 <= T - (W + 1) + 1
        super().observe(row)
        self._window -= 1


class EarlyExpiry(SpectralHistogram):
    """Expire at t_2 <= T - W + 2."""

    def observe(self, row) -> None:
        """Observe a row, wrongly."""
        self._window -= 1
        super().observe(row)
        self._window += 1


class SkipsTheFirst(SpectralHistogram):
    """Update the checkpoints 2, ..., l only, as Algorithms 3 and 7 are printed."""

    def observe(self, row) -> None:
        """Observe a row, wrongly."""
        before = self.checkpoints[:1]
        super().observe(row)
        if before and self._checkpoints[0].stamp == before[0].stamp:
            self._checkpoints[0] = before[0]


class DeletesTheNewest(SpectralHistogram):
    """Let p range up to l + 1, so that the newest checkpoint can go."""

    def observe(self, row) -> None:
        """Observe a row, wrongly."""
        super().observe(row)
        if len(self._checkpoints) > 2:
            del self._checkpoints[-2]


class AddsTwice(SpectralHistogram):
    """Add the row to its own new checkpoint as well."""

    def observe(self, row) -> None:
        """Observe a row, wrongly."""
        super().observe(row)
        last = self._checkpoints[-1]
        vector = fmpq_mat([[_rational(Fraction(entry)) for entry in row]])
        self._checkpoints[-1] = attrs.evolve(last, matrix=last.matrix + vector.transpose() * vector)


@pytest.mark.parametrize("faulty", [LateExpiry, EarlyExpiry, SkipsTheFirst, DeletesTheNewest, AddsTwice])
def test_planted_mistakes_are_caught(faulty) -> None:
    machine = type("Faulty", (Stream,), {"build": faulty})
    thorough = settings(max_examples=60, stateful_step_count=15, derandomize=True, **ONLY_GENERATE)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(machine, settings=thorough)


def test_ten_thousand_rows_stay_within_the_bound() -> None:
    """One adversarial stream of 10 000 rows: energy moves between directions, so that checkpoints differ."""
    eta, floor, window = Fraction(1, 4), 1, 512
    histogram, most = SpectralHistogram(2, window, eta, floor), 0
    for time in range(10_000):
        phase = (time // 97) % 4
        histogram.observe([(1, 0), (0, 1), (Fraction(1, 2), Fraction(-1, 2)), (0, 0)][phase])
        most = max(most, len(histogram.checkpoints))
        if time % 500 == 499:
            histogram.check()
    assert 10 < most <= checkpoint_bound(2, window, float(eta), floor)


def test_memory_grows_like_the_logarithm_of_the_window() -> None:
    """Unit rows in one direction: the count after W rows is about 2 log(W)/-log(1 - eta)."""
    counts = []
    for window in (10, 100, 1000):
        histogram = SpectralHistogram(1, window, Fraction(1, 2), 1)
        for _ in range(2 * window):
            histogram.observe([1])
        counts.append(len(histogram.checkpoints))
        assert counts[-1] <= checkpoint_bound(1, window, 0.5, 1)
    assert counts[0] < counts[1] < counts[2] < counts[0] + 2 * 2 * math.log2(100)


def test_a_stream_shorter_than_its_window_is_complete() -> None:
    histogram = SpectralHistogram(2, 50, Fraction(1, 3))
    assert histogram.approximation == fmpq_mat(2, 2)
    for _ in range(5):
        histogram.observe([1, 2])
    assert histogram.approximation == 5 * fmpq_mat([[1, 2], [2, 4]])
    assert histogram.checkpoints[0].stamp == 1


def test_thinning_ordered_checkpoints_needs_few_comparisons() -> None:
    """For every pattern of reach that an ordered sequence can have, both scans agree; the short one asks 2 l times."""
    for count in range(7):
        for reach in product(range(count), repeat=min(count, 4)):
            table = [max(i, r) for i, r in enumerate(reach)] + list(range(4, count))
            far = [max(table[: i + 1]) for i in range(len(table))]
            asked = []

            def close(i: int, p: int, far=far, asked=asked) -> bool:
                asked.append((i, p))
                return p <= far[i]

            short = thin(count, close, ordered=True)
            assert len(asked) <= 2 * count
            assert short == thin(count, close)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((0, 1, Fraction(1, 2)), "dimension"),
        ((1, 0, Fraction(1, 2)), "window"),
        ((1, True, Fraction(1, 2)), "window"),
        ((1, 1, 0), "eta"),
        ((1, 1, 1), "eta"),
        ((1, 1, math.nan), "eta"),
        ((1, 1, Fraction(1, 2), -1), "floor"),
        ((1, 1, Fraction(1, 2), math.nan), "floor"),
    ],
)
def test_refuses_parameters_outside_their_domain(arguments, name) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        SpectralHistogram(*arguments)
    assert caught.value.parameter == name


def test_a_refused_row_changes_nothing() -> None:
    histogram = SpectralHistogram(2, 3, Fraction(1, 2))
    histogram.observe([1, 2])
    before = histogram.checkpoints
    for row in ([1], [1, math.inf], [1, 2, 3]):
        with pytest.raises(InvalidParameterError) as caught:
            histogram.observe(row)
        assert caught.value.parameter == "row"
    assert histogram.checkpoints == before
    assert histogram.time == 1
    assert before == (Checkpoint(1, fmpq_mat([[1, 2], [2, 4]])),)
