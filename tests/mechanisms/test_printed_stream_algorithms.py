"""Algorithms of `compression` and `sliding-window`, line by line, and the code: for one draw, one output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import attrs
import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import Truth
from dpmatrix.errors import RefusedError
from dpmatrix.exact import precision, rational
from dpmatrix.experiments.sketched_window import SketchedWindow
from dpmatrix.mechanisms import GaussianCompression, PrincipalProjection, SparseProjection, TruncatedCompression
from dpmatrix.mechanisms import compression as compression_mechanisms
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.spec.compression import algorithms as compression
from dpmatrix.spec.sliding_window import algorithms as sliding_window
from dpmatrix.spec.sliding_window import sketched_stream, wishart_stream
from dpmatrix.spec.sliding_window.algorithms import Checkpoint, Ending
from dpmatrix.streaming import Ending as Found
from dpmatrix.streaming import SpectralHistogram, precedes, printed_update, thin

REFUTED = "compression.corollary-3-7"


class KeptNormals(LazyNormals):
    """Remembers every array of variates that was made."""

    made: list[LazyNormals] = []  # noqa: RUF012 - emptied before each use

    def __init__(self, shape: tuple[int, ...], entropy: Entropy) -> None:
        super().__init__(shape, entropy)
        self.made.append(self)


@pytest.fixture
def normal(monkeypatch: pytest.MonkeyPatch) -> Callable[[fmpq, int], Sequence[arb]]:
    """Let mechanisms keep what they draw, and give that out again, with the variance that is asked for."""
    monkeypatch.setattr(compression_mechanisms, "LazyNormals", KeptNormals)
    KeptNormals.made.clear()

    def source(variance: fmpq, count: int) -> Sequence[arb]:
        drawn = KeptNormals.made.pop(0)
        assert np.prod(drawn.shape) == count
        drawn.refine(100, range(count))
        return [arb(variance).sqrt() * draw for draw in drawn.enclose(range(count))]

    return source


def exact(data: np.ndarray) -> fmpq_mat:
    return fmpq_mat([[rational(entry) for entry in row] for row in data.tolist()])


@pytest.mark.parametrize("seed", range(8))
def test_compression(seed: int, normal) -> None:
    records, columns = 3 + seed % 4, 1 + seed % 3
    data = np.random.default_rng(seed).normal(size=(records, columns))
    rows = 1 + seed % records
    release = GaussianCompression(rows, acknowledge=REFUTED).release(data, entropy=SeededEntropy(seed))
    with precision(200):
        found = compression.transformation_repaired(exact(data), rows, normal, release.grid)
    assert found == fmpz_mat(release.integers.tolist())
    assert KeptNormals.made == []


@pytest.mark.parametrize(("correlation", "attempts"), [(0.0, 1), (-0.06, 6), (-0.5, 2)])
def test_truncation_throws_away_what_the_lines_throw_away(correlation: float, attempts: int, normal) -> None:
    """The columns are nearly one; the reference is so far from them that all, some, or no draws are kept."""
    generator = np.random.default_rng(5)
    column = generator.normal(size=134)
    data = np.stack([column, column + generator.normal(size=134) / 10], axis=1)
    reference = np.array([[1, correlation], [correlation, 1]])
    mechanism = TruncatedCompression(
        134, acknowledge=REFUTED, reference=reference, delta_max=0, attempts=attempts, grid=Fraction(1, 2**20)
    )
    try:
        release = mechanism.release(data, entropy=SeededEntropy(3))
    except RefusedError:
        release = None
    drawn = len(KeptNormals.made)
    with precision(200):
        found = compression.procedure_4_1_repaired(
            exact(data), 134, mechanism.reference, 0, normal, attempts, mechanism.grid
        )
    assert KeptNormals.made == [], "as many draws as the mechanism made"
    assert found == (None if release is None else fmpz_mat(release.integers.tolist()))
    assert {0.0: drawn == 1, -0.06: 1 < drawn < 6, -0.5: release is None}[correlation]


def test_what_cannot_be_compressed_is_refused() -> None:
    zeros = fmpq_mat([[1, 0], [1, 0]])
    for data, rows in ((zeros, 1), (fmpq_mat([[1]]), 2)):
        with pytest.raises(ValueError, match="cannot be compressed"):
            compression.admitted(data, rows)
    one = fmpq_mat([[1], [0]])

    def ones(variance: fmpq, count: int) -> list[arb]:
        assert variance == fmpq(1, 2)
        return [arb(variance).sqrt()] * count

    assert compression.transformation(one, 1, ones).overlaps(arb_mat([[1]]))
    draws = iter([9, 9, 1])
    found = compression.procedure_4_1(one, 1, fmpq_mat([[1]]), 0, lambda _, count: [arb(next(draws))] * count)
    assert float(found[0, 0]) == pytest.approx(2**0.5), "two draws were thrown away"
    wide = arb_mat([[arb(0, 100)]])
    with pytest.raises(ValueError, match="either side"):
        compression.kept(one, wide, fmpq_mat([[1]]), 0)


def checkpoints_of(rows: np.ndarray) -> list[Checkpoint]:
    """Gram matrices of all suffixes of a stream, which are in order."""
    whole = [exact(rows[start:].T @ rows[start:]) for start in range(len(rows))]
    return [Checkpoint(matrix, stamp) for stamp, matrix in enumerate(whole, start=1)]


@pytest.mark.parametrize("seed", range(10))
def test_update(seed: int) -> None:
    rows = np.random.default_rng(seed).integers(-2, 3, size=(2 + seed, 1 + seed % 2)).astype(float)
    held, eta = checkpoints_of(rows), Fraction(1, 2 + seed % 3)

    def close(i: int, p: int) -> bool:
        return precedes((1 - rational(eta)) * held[i].matrix, held[p].matrix) is Truth.TRUE

    repaired = sliding_window.algorithm_6_repaired(held, eta)
    assert repaired == [held[place] for place in thin(len(held), close)]
    printed = sliding_window.algorithm_6(held, eta)
    trace = printed_update(len(held), lambda i, p: close(i - 1, p - 1))
    endings = {Found.UNDEFINED: Ending.UNDEFINED, Found.ENDLESS: Ending.ENDLESS}
    assert printed == endings.get(trace.ending, [held[number - 1] for number in trace.checkpoints])
    assert isinstance(printed, list) == (len(held) <= 2)
    # Of sketches that are the rows themselves the Gram matrices are these, and eta is twice as large.
    sketches = [Checkpoint(exact(rows[start:]), start + 1) for start in range(len(rows))]
    kept = sliding_window.algorithm_1_repaired(sketches, 2 * eta)
    assert isinstance(repaired, list)
    assert isinstance(kept, list)
    assert [one.stamp for one in kept] == [one.stamp for one in repaired]
    assert all(one in sketches for one in kept)
    assert isinstance(sliding_window.algorithm_1(sketches, 2 * eta), Ending) == isinstance(printed, Ending)


def test_both_ways_in_which_the_printed_update_fails() -> None:
    ones = checkpoints_of(np.array([[1.0], [0.0], [0.0], [1.0]]))
    assert sliding_window.algorithm_6(ones, Fraction(2, 3)) is Ending.ENDLESS
    assert sliding_window.algorithm_6(checkpoints_of(np.ones((3, 1))), Fraction(1, 10)) is Ending.UNDEFINED
    assert sliding_window.algorithm_1(checkpoints_of(np.ones((1, 1))), Fraction(1, 10)) == checkpoints_of(
        np.ones((1, 1))
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_histogram_is_update_after_every_row(seed: int) -> None:
    window, eta, dimension = 4 + seed, Fraction(1, 2), 1 + seed % 2
    rows = np.random.default_rng(seed).integers(-2, 3, size=(14, dimension)).astype(float)
    histogram = SpectralHistogram(dimension, window, eta, 1)
    held: list[Checkpoint] = []
    floor = fmpq_mat([[int(i == j) for j in range(dimension)] for i in range(dimension)])
    for time, row in enumerate(rows, start=1):
        histogram.observe(row.tolist())
        outer = exact(row[None, :]).transpose() * exact(row[None, :])
        held = [attrs.evolve(one, matrix=one.matrix + outer) for one in held] + [Checkpoint(floor + outer, time)]
        if len(held) > 1 and held[1].stamp <= time - window + 1:
            held = held[1:]
        found = sliding_window.algorithm_6_repaired(held, eta)
        assert isinstance(found, list)
        held = found
        assert [(one.stamp, one.matrix) for one in histogram.checkpoints] == [(one.stamp, one.matrix) for one in held]


@pytest.mark.parametrize("window", [1, 3, 8])
def test_the_private_window_publishes_the_repaired_sum(window: int) -> None:
    """The noise of the lines is what the noisy sums of the window have beyond the exact ones; its stamps are theirs."""
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.REPLACE_ONE)
    parameters = WindowParameters(2, window, guarantee, coordinate_bits=8)
    stream = SlidingWindowGram(parameters, entropy=SeededEntropy(window))
    rows = np.random.default_rng(window).integers(-2, 3, size=(20, 2)) / 4
    noise: list[fmpq_mat] = []
    stamps: list[int] = []
    deleted: list[tuple[int, int]] = []
    for time in range(1, len(rows) + 1):
        stream.add(rows[time - 1 : time])
        a, b, c = stream.memory[:3]
        exactly = fmpq_mat(lattice_gram(rows[:time], 8).tolist())
        noise.append((fmpq_mat([[a, b], [b, c]]) - exactly) / 4**8)
        stamps = [*stamps, time]
        if len(stamps) > 1 and stamps[1] <= time - window + 1:
            stamps = stamps[1:]
        deleted += [(time, stamp) for stamp in stamps if stamp not in stream.stamps]
        stamps = [stamp for stamp in stamps if stamp in stream.stamps]
        run = wishart_stream.NoisyStream(exact(rows[:time]), tuple(noise), window, tuple(deleted))
        assert wishart_stream.spared_margin(run) == 0
        release = stream.publish()
        assert sliding_window.algorithm_8_repaired(run) == fmpq_mat(release.integers.tolist()) * rational(release.grid)
        assert (*stamps, time + 1) == stream.stamps
    assert any(entry != 0 for entry in noise[-1].entries())
    assert deleted or window < 8


@pytest.mark.parametrize("window", [2, 3, 5])
def test_the_window_of_sketches_holds_what_the_repaired_lines_hold(window: int) -> None:
    generator = np.random.default_rng(window)
    rows, coins, base = (generator.integers(-3, 4, size=shape) for shape in ((12, 2), (12, 3), (3, 2)))
    run = sketched_stream.SketchedStream(*(fmpq_mat(one.tolist()) for one in (rows, base, coins)), 5, window)
    implemented, held = SketchedWindow(5 * base, window), []
    for time in range(1, 13):
        implemented = implemented.add(rows[time - 1], coins[time - 1])
        held = sliding_window.algorithm_3_repaired(run, held, time)
        stored = [(pair.stamp, fmpq_mat(pair.sketch.tolist())) for pair in implemented.held]
        assert stored == [(pair.stamp, pair.sketch) for pair in held]
    assert sliding_window.algorithm_2_repaired(run) == fmpq_mat(implemented.output.tolist())


def test_the_printed_streams_keep_one_row() -> None:
    """Rows 1, 1 with W = 2: the first checkpoint, which is the output, never receives the second row."""
    sketched = sketched_stream.SketchedStream(fmpq_mat([[1], [1]]), fmpq_mat([[1]]), fmpq_mat([[2], [3]]), 5, 2)
    assert sliding_window.algorithm_2(sketched) == fmpq_mat([[7]])
    assert sliding_window.algorithm_2_repaired(sketched) == fmpq_mat([[10]])
    held = sliding_window.algorithm_3(sketched, [], 1)
    assert sliding_window.algorithm_3(sketched, held, 2)[0].sketch == fmpq_mat([[7]])
    assert sliding_window.algorithm_3_repaired(sketched, held, 2)[0].sketch == fmpq_mat([[10]])
    noisy = wishart_stream.NoisyStream(fmpq_mat([[1], [1]]), (fmpq_mat([[4]]), fmpq_mat([[4]])), 2)
    assert sliding_window.algorithm_8(noisy) == fmpq_mat([[5]])
    assert sliding_window.algorithm_8_repaired(noisy) == fmpq_mat([[6]])
    assert sliding_window.algorithm_7(noisy, [], 1) == [wishart_stream.NoisyCheckpoint(1, fmpq_mat([[5]]))]


def as_release(matrix: fmpq_mat) -> Release:
    """Make a release of a matrix of integers."""
    integers = np.array([[int(entry.p) for entry in row] for row in matrix.tolist()], dtype=object)
    return Release(
        integers=integers,
        grid=Fraction(1),
        guarantee=None,
        mechanism="lines",
        adjacency=Adjacency.REPLACE_ONE,
        entropy="given draws",
    )


def test_components_of_a_window() -> None:
    """The code computes eigenvectors in floating point; the sparse ones are among finitely many here, s = k = 1."""
    rows = fmpq_mat([[3, 1, 0], [-1, 2, 1], [0, 1, -2], [2, 0, 1]])
    noise = tuple(fmpq_mat([[t, 1, 0], [1, -t, 2], [0, 2, 1]]) for t in range(4))
    run = wishart_stream.NoisyStream(rows, noise, 3)
    release = as_release(sliding_window.algorithm_8_repaired(run))
    for k in (1, 2, 3):
        exactly = np.array([float(entry) for entry in sliding_window.algorithm_4_repaired(run, k).entries()])
        assert np.abs(PrincipalProjection(k)(release).ravel() - exactly).max() < 2.0**-40
    axes = [fmpq_mat([[int(i == j == axis) for j in range(3)] for i in range(3)]) for axis in range(3)]
    found = sliding_window.algorithm_5_repaired(run, axes)
    assert np.array_equal(SparseProjection(1, 1)(release), np.array(found.tolist(), dtype=float))
    sketched = sketched_stream.SketchedStream(
        fmpq_mat([[3, 0], [0, 1]]), fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[1, 0], [0, 1]]), 1, 2
    )
    sketch = sliding_window.algorithm_2(sketched)
    assert sketch == fmpq_mat([[4, 0], [0, 2]])
    assert sliding_window.algorithm_4(sketched, 1).overlaps(arb_mat([[1, 0], [0, 0]]))
    first, second = fmpq_mat([[1, 0], [0, 0]]), fmpq_mat([[0, 0], [0, 1]])
    assert sliding_window.algorithm_5(sketched, [second, first]) == first
