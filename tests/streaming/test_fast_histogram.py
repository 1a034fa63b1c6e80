"""The fast spectral histogram against the exact one: the same stamps and the same matrices after every row."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.errors import InvalidParameterError
from dpmatrix.streaming import FastSpectralHistogram, SpectralHistogram, truncated
from dpmatrix.streaming import fast_histogram as fast_module

COORDINATES = st.integers(-4, 4).map(lambda quarters: quarters / 4)
BITS = 2


@st.composite
def streams(draw):
    dimension = draw(st.integers(1, 4))
    pieces = draw(st.lists(st.tuples(st.lists(COORDINATES, min_size=dimension, max_size=dimension), st.integers(1, 9))))
    rows = [row for row, times in pieces for _ in range(times)]
    return np.array(rows, dtype=float).reshape(-1, dimension)


@settings(max_examples=150, deadline=None)
@given(
    rows=streams(),
    window=st.integers(1, 12),
    eta=st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)]),
    floor=st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(3)]),
)
def test_it_keeps_what_the_exact_one_keeps(rows, window, eta, floor) -> None:
    """Repeated rows make ties, which floats leave undecided, and a floor of zero makes singular matrices."""
    exact = SpectralHistogram(rows.shape[1], window, eta, floor)
    fast = FastSpectralHistogram(rows.shape[1], window, eta, floor, coordinate_bits=BITS)
    for row in rows:
        exact.observe([Fraction(entry) for entry in row])
        fast.observe(row[None])
        assert fast.checkpoints == exact.checkpoints
        assert fast.time == exact.time


@pytest.mark.parametrize("floor", [0, Fraction(1, 2), 4])
def test_it_keeps_what_the_exact_one_keeps_on_a_longer_stream(floor) -> None:
    """300 rows in five dimensions whose energy wanders: witnesses live through many rows."""
    generator = np.random.default_rng(1)
    scale = np.exp(np.cumsum(generator.normal(scale=0.05, size=(300, 5)), axis=0))
    rows = generator.normal(size=(300, 5)) * scale
    rows = truncated(rows / (np.linalg.norm(rows, axis=1)[:, None] * 1.01), 6)
    exact = SpectralHistogram(5, 90, Fraction(1, 4), floor)
    fast = FastSpectralHistogram(5, 90, Fraction(1, 4), floor, coordinate_bits=6)
    for row in rows:
        exact.observe([Fraction(entry) for entry in row])
        fast.observe(row[None])
        assert fast.stamps == tuple(checkpoint.stamp for checkpoint in exact.checkpoints)
    assert fast.checkpoints == exact.checkpoints
    assert fast.exact_decisions < 60
    kept = fast.approximation
    assert kept == pytest.approx(np.array([[float(Fraction(int(x.p), int(x.q))) for x in line] for line in
                                           exact.approximation.tolist()]), abs=1e-12)  # fmt: skip


def test_ties_are_decided_exactly() -> None:
    """One direction, eta = 1/2, no floor: (1 - eta) K_i = K_p whenever half the rows lie between."""
    exact, fast = SpectralHistogram(1, 64, Fraction(1, 2)), FastSpectralHistogram(1, 64, Fraction(1, 2))
    for _ in range(200):
        exact.observe([1])
        fast.observe([[1.0]])
        assert fast.checkpoints == exact.checkpoints
    assert fast.exact_decisions > 10


@pytest.mark.parametrize(("leaf", "chunk"), [(1, 7), (5, 10), (20, 20)])
def test_leaves_are_windows_of_their_own(leaf: int, chunk: int) -> None:
    """The property holds among the leaves, and the first matrix approximates the window at the end of each."""
    generator = np.random.default_rng(2)
    rows = truncated(generator.uniform(-0.5, 0.5, size=(700, 3)), 10)
    window, eta, floor = 100, Fraction(1, 3), Fraction(1, 2)
    fast = FastSpectralHistogram(3, window, eta, floor, leaf=leaf, coordinate_bits=10)
    for start in range(0, 700, chunk):
        fast.observe(rows[start : start + chunk])
        judge = SpectralHistogram(3, window // leaf, eta, floor)
        judge._time = fast.time // leaf
        judge._checkpoints = [type(held)((held.stamp - 1) // leaf + 1, held.matrix) for held in fast.checkpoints]
        judge.check()
        seen = rows[max(0, fast.time - window) : fast.time]
        exact = seen.T @ seen + float(floor) * np.eye(3)
        assert np.linalg.eigvalsh(fast.approximation - exact)[0] > -1e-9
        assert np.linalg.eigvalsh(exact - (1 - float(eta)) * fast.approximation)[0] > -1e-9
        first = rows[fast.stamps[0] - 1 : fast.time]
        assert fast.matrix(0) == pytest.approx(first.T @ first + float(floor) * np.eye(3), abs=1e-12)


def test_a_moved_origin_changes_nothing(monkeypatch) -> None:
    rows = truncated(np.random.default_rng(3).uniform(-1, 1, size=(300, 2)), 4)
    plain = FastSpectralHistogram(2, 20, Fraction(1, 4), 1, coordinate_bits=4)
    moved = FastSpectralHistogram(2, 20, Fraction(1, 4), 1, coordinate_bits=4)
    for row in rows:
        plain.observe(row[None])
        with monkeypatch.context() as patch:
            patch.setattr(fast_module, "_EXACT_BELOW", 4.0**4 * 2 * 50)
            moved.observe(row[None])
        assert moved.checkpoints == plain.checkpoints
    assert np.trace(moved._total) < np.trace(plain._total)


def test_a_faulty_witness_would_be_noticed(monkeypatch) -> None:
    """Without the growth of witnesses the fast histogram keeps checkpoints that the exact one deletes."""
    monkeypatch.setattr(FastSpectralHistogram, "_grow", lambda *_: None)
    exact, fast = SpectralHistogram(2, 50, Fraction(1, 4), 1), FastSpectralHistogram(2, 50, Fraction(1, 4), 1)
    fast._witness, fast._growth = np.zeros((99, 2)), np.full(99, math.inf)
    rows = truncated(np.random.default_rng(4).uniform(-0.7, 0.7, size=(60, 2)), 14)
    for row in rows:
        exact.observe([Fraction(entry) for entry in row])
        fast.observe(row[None])
    assert len(fast.stamps) > len(exact.checkpoints)


def test_truncation_makes_no_row_longer() -> None:
    rows = np.random.default_rng(5).normal(size=(100, 4))
    short = truncated(rows, 3)
    assert (np.abs(short) <= np.abs(rows)).all()
    assert (np.abs(short - rows) < 1 / 8).all()
    assert (short * 8 == np.rint(short * 8)).all()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"dimension": 0}, "dimension"),
        ({"window": 0}, "window"),
        ({"leaf": 5}, "leaf"),
        ({"leaf": 0}, "leaf"),
        ({"eta": 1}, "eta"),
        ({"eta": 0}, "eta"),
        ({"floor": -1}, "floor"),
        ({"coordinate_bits": 25}, "coordinate_bits"),
        ({"coordinate_bits": True}, "coordinate_bits"),
    ],
)
def test_refuses_parameters_outside_their_domain(change, name) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        FastSpectralHistogram(**({"dimension": 2, "window": 12, "eta": Fraction(1, 2)} | change))
    assert caught.value.parameter == name


def test_refused_rows_change_nothing() -> None:
    fast = FastSpectralHistogram(2, 4, Fraction(1, 2), leaf=2, coordinate_bits=4)
    fast.observe([[1, 0], [0, 0.5]])
    before = fast.checkpoints
    bad = (
        [[1.0, 0.0]],
        [[1.0], [0.5]],
        [[math.nan, 0.0], [0.0, 0.0]],
        [[math.inf, 0.0], [0.0, 0.0]],
        [[1.0, 0.0], [0.0, 0.3]],
        [[2.0**26, 0.0], [0.0, 0.0]],
        [[1e300, 0.0], [0.0, 0.0]],
        [["x", 0.0], [0.0, 0.0]],
        [1.0, 0.0],
        [[1.0, 0.0], [0.5]],
    )
    for rows in bad:
        with pytest.raises(InvalidParameterError):
            fast.observe(rows)
    assert fast.checkpoints == before
    fast.observe(np.zeros((0, 2)))
    assert fast.time == 2
    assert fast.stored_numbers == 4 * 2 + 4
    assert FastSpectralHistogram(2, 4, Fraction(1, 2), 3).approximation.tolist() == [[3.0, 0.0], [0.0, 3.0]]
    assert before[0].matrix == fmpq_mat([[fmpq(1), 0], [0, fmpq(1, 4)]])
