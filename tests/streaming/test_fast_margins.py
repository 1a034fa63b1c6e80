"""What the fast histogram leaves to floats: its margins, its bounds on witnesses, and how often it asks."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq_mat

from dpmatrix.streaming import FastSpectralHistogram, SpectralHistogram, truncated
from dpmatrix.streaming import fast_histogram as fast_module

UNIT = Fraction(1, 2**53)


def rationals(matrix: fmpq_mat) -> list[list[Fraction]]:
    return [[Fraction(int(x.p), int(x.q)) for x in line] for line in matrix.tolist()]


def trace(matrix: fmpq_mat) -> Fraction:
    lines = rationals(matrix)
    return sum((lines[i][i] for i in range(len(lines))), Fraction(0))


def promised_margin(fast: FastSpectralHistogram, i: int, p: int) -> Fraction:
    """Compute 8 (d + 8) u S from the exact matrices, in units of 4**-b."""
    held = fast.checkpoints
    size = held[i].matrix.nrows()
    return 8 * (size + 8) * UNIT * (trace(held[i].matrix) + trace(held[p].matrix)) * 4**fast._bits


@pytest.mark.parametrize("floor", [0, Fraction(1, 3), 5])
@pytest.mark.parametrize("dimension", [1, 2, 7])
@pytest.mark.parametrize("bits", [0, 2])
def test_what_is_factorised_lies_below_the_difference_by_the_margin(floor, dimension, bits, monkeypatch) -> None:
    """Row a twice, eta a half: the difference is eta f I, small beside the margin's own digits."""
    seen: list[np.ndarray] = []
    plain = np.linalg.cholesky

    def watched(gap: np.ndarray) -> np.ndarray:
        seen.append(gap.copy())
        return plain(gap)

    fast = FastSpectralHistogram(dimension, 9, Fraction(1, 2), floor, coordinate_bits=bits)
    row = np.arange(1.0, dimension + 1)
    fast.observe([row, row])
    monkeypatch.setattr(np.linalg, "cholesky", watched)
    assert fast._close(0, 1)
    old, new = (rationals(one.matrix) for one in fast.checkpoints)
    margin = promised_margin(fast, 0, 1)
    [gap] = seen
    for i in range(dimension):
        for j in range(dimension):
            exact = (new[i][j] - old[i][j] / 2) * 4**bits
            if i == j:
                assert float(exact - Fraction(gap[i, i])) == pytest.approx(float(margin), rel=1e-2)
            else:
                assert gap[i, j] == exact


def on_a_line(excess: Fraction) -> FastSpectralHistogram:
    """Make two checkpoints, 2 and 1, whose difference in question is ``2 eta - 1``, so many margins."""
    eta = Fraction(1, 2) + excess * (8 * 9 * UNIT * 3) / 2
    fast = FastSpectralHistogram(1, 9, eta, coordinate_bits=0)
    fast.observe([[1.0], [1.0]])
    return fast


@pytest.mark.parametrize("excess", [-3, Fraction(-13, 10)])
def test_a_vector_shows_what_is_not_close_by_more_than_the_margin(excess) -> None:
    fast = on_a_line(Fraction(excess))
    fast._growth[:] = np.inf
    assert not fast._close(0, 1)
    assert fast.exact_decisions == 0
    assert abs(fast._witness[0, 0]) == 1
    assert fast._growth[0] == pytest.approx(float((excess + 1) * promised_margin(fast, 0, 1)), rel=0.05)


@pytest.mark.parametrize(("excess", "close"), [(Fraction(-7, 10), False), (0, True), (Fraction(7, 10), True)])
def test_what_lies_within_the_margin_is_decided_exactly(excess, close) -> None:
    fast = on_a_line(Fraction(excess))
    fast._growth[0] = -1.0
    assert fast._close(0, 1) is close
    assert fast.exact_decisions == 1
    assert fast._growth[0] == np.inf, "nothing shows it, so it is asked again"
    assert fast._close(0, 1) is close
    assert fast.exact_decisions == 2


@pytest.mark.parametrize("excess", [Fraction(13, 10), 3])
def test_floats_decide_what_is_close_by_more_than_the_margin(excess) -> None:
    fast = on_a_line(Fraction(excess))
    assert fast._close(0, 1)
    assert fast.exact_decisions == 0


@pytest.mark.parametrize("size", [2, 5])
def test_a_witness_is_the_worst_direction(size) -> None:
    """The older matrix is longer along the last axis alone: there the difference is 1 + f - 3/4 (5 + f)."""
    fast = FastSpectralHistogram(size, 9, Fraction(1, 4), 1, coordinate_bits=1)
    last = np.eye(size)[-1]
    fast.observe([2 * last, last])
    assert not fast._close(0, 1)
    assert fast._witness[0] == pytest.approx(last * fast._witness[0, -1])
    assert fast._growth[0] == pytest.approx(4 * (2 - 0.75 * 6))


@pytest.mark.parametrize("eta", [Fraction(1, 3), Fraction(1, 10), Fraction(5, 7)])
@pytest.mark.parametrize("size", [1, 3])
def test_what_a_witness_shows_grows_by_no_less_than_exactly(size, eta) -> None:
    """After each leaf the bound is at least the sum in rationals, and above it by a small part of the growth."""
    generator = np.random.default_rng(size)
    for leaf in (1, 3):
        fast = FastSpectralHistogram(size, 9 * leaf, eta, 1, leaf=leaf, coordinate_bits=3)
        for _ in range(40):
            block = truncated(generator.uniform(-2, 2, (leaf, size)), 3)
            fast.observe(block)
            witness = generator.normal(size=size)
            witness /= np.linalg.norm(witness)
            fast._witness[0], fast._growth[0] = witness, -1000.0
            before = Fraction(-1000)
            block = truncated(generator.uniform(-2, 2, (leaf, size)), 3)
            fast._grow(block * 8, float(np.square(block * 8).sum()))
            exact = sum(
                (sum((Fraction(v) * Fraction(x) for v, x in zip(witness, row * 8, strict=True)), Fraction(0)) ** 2
                 for row in block),
                Fraction(0),
            )  # fmt: skip
            after = Fraction(fast._growth[0])
            assert before + eta * exact <= after
            assert after <= before + eta * exact + Fraction(1, 10**9)


def test_a_bound_at_zero_grows_by_the_error_of_its_products() -> None:
    """At right angles the product is zero; what is added is eta (2 (d + 1) u |a|)^2."""
    for size, length in ((2, 4.0), (6, 1024.0)):
        fast = FastSpectralHistogram(size, 9, Fraction(1, 2), coordinate_bits=0)
        fast.observe(np.zeros((1, size)))
        fast._witness[0], fast._growth[0] = np.eye(size)[0], 0.0
        fast._grow(length * np.eye(size)[1:2], length**2)
        off = 2 * (size + 1) * 2.0**-53 * length
        assert fast._growth[0] == pytest.approx(off**2 / 2, rel=1e-6, abs=0)
        fast._witness[0], fast._growth[0] = np.eye(size)[0], 0.0
        fast._grow(length * np.eye(size)[:1], length**2)
        assert Fraction(fast._growth[0]) >= (Fraction(length) + Fraction(off)) ** 2 / 2


def test_a_product_as_large_as_its_error_still_counts() -> None:
    """The second coordinate of the witness is 6u, the error that two dimensions allow for a row of length one."""
    fast = FastSpectralHistogram(2, 9, Fraction(1, 2), coordinate_bits=0)
    fast.observe(np.zeros((1, 2)))
    fast._witness[0], fast._growth[0] = (1.0, 6 * 2.0**-53), 0.0
    fast._grow(np.array([[0.0, 1.0]]), 1.0)
    assert Fraction(fast._growth[0]) >= (6 * UNIT) ** 2 / 2


def test_a_longer_stream_outgrows_every_array(monkeypatch) -> None:
    """More than sixteen checkpoints at once, with growth by one place at a time from two places."""
    fast, exact = (one(2, 300, Fraction(1, 20), 1) for one in (FastSpectralHistogram, SpectralHistogram))
    fast._witness, fast._growth = np.zeros((2, 2)), np.full(2, np.inf)
    rows = truncated(np.random.default_rng(8).uniform(-0.7, 0.7, size=(70, 2)), 14)
    sizes = []
    monkeypatch.setattr(fast_module, "precedes", None)
    for row in rows:
        fast.observe(row[None])
        exact.observe([Fraction(entry) for entry in row])
        assert fast.checkpoints == exact.checkpoints
        sizes.append(len(fast._growth))
    assert len(fast.stamps) > 16
    assert all(later in (size, 2 * size) for size, later in pairwise(sizes))
    assert fast._growth.shape == (sizes[-1],)
    assert fast._witness.shape == (sizes[-1], 2)


class Counted(FastSpectralHistogram):
    """Notes how often it asks whether a pair is close, and does not ask for ever."""

    asked = 0

    def _close(self, i: int, p: int) -> bool:
        self.asked += 1
        assert self.asked <= 2 * len(self._before) + 2
        return super()._close(i, p)


def test_with_a_row_each_checkpoint_is_asked_about_or_deleted_once() -> None:
    counted, exact = Counted(2, 12, Fraction(1, 3), 1), SpectralHistogram(2, 12, Fraction(1, 3), 1)
    for row in truncated(np.random.default_rng(9).uniform(-0.7, 0.7, size=(30, 2)), 14):
        counted.asked = 0
        counted.observe(row[None])
        exact.observe([Fraction(entry) for entry in row])
        assert counted.checkpoints == exact.checkpoints


@pytest.mark.parametrize("excess", [Fraction(-7, 10), Fraction(7, 10)])
def test_what_rationals_decide_is_asked_once_for_each_row(excess) -> None:
    """The first and the third checkpoint are 2 and 1, closer to a tie than the margin; then a scan goes on."""
    eta = Fraction(1, 2) + excess * (8 * 9 * UNIT * 3) / 2
    fast, exact = Counted(1, 9, eta, coordinate_bits=0), SpectralHistogram(1, 9, eta)
    for row in (1, 0, 1, 0, 0):
        fast.asked = 0
        fast.observe([[row]])
        exact.observe([row])
        assert fast.checkpoints == exact.checkpoints
    assert fast.exact_decisions > 0
    assert (2 in fast.stamps) == (excess < 0)
