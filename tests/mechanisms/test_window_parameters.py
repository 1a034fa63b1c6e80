"""What a private sliding window computes from its public parameters, and how it thins its checkpoints out."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import WindowParameters
from dpmatrix.mechanisms.streams import dyadic as dyadic_module
from dpmatrix.mechanisms.streams.dyadic import DyadicSums, noise_triangle, triangle_of
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint, difference, is_close, real_matrix, updated
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
PROMISE = PrivacyGuarantee(1, Fraction(1, 10), ADDED)


def test_defaults_are_those_of_the_documentation() -> None:
    found = WindowParameters(2, 12, PROMISE)
    assert (found.leaf, found.coordinate_bits, found.over_norm) == (1, 14, "clip")
    assert (found.eta, found.tolerance) == (Fraction(1, 4), Fraction(1, 3))
    assert WindowParameters(2, 12, PROMISE, eta=0.5, tolerance=0).eta == Fraction(1, 2)
    for count in range(1, 6):
        with pytest.raises(TypeError, match="positional"):
            WindowParameters(2, 12, PROMISE, *(1, 14, Fraction(1, 4), Fraction(1, 3), "clip")[:count])


@pytest.mark.parametrize(
    ("change", "parameter", "words"),
    [
        ({"dimension": 0}, "dimension", "0"),
        ({"window": 0}, "window", "0"),
        ({"window": 2.0}, "window", "2.0"),
        ({"leaf": 0}, "leaf", "0"),
        ({"leaf": 1.0}, "leaf", "1.0"),
        ({"leaf": 5}, "leaf", "5 does not divide the window"),
        ({"coordinate_bits": -1}, "coordinate_bits", "out of range"),
        ({"eta": 0}, "eta", r"0 is not in \(0, 1\)"),
        ({"eta": 1}, "eta", r"1 is not in \(0, 1\)"),
        ({"eta": 2}, "eta", "2 is not in"),
        ({"eta": -1}, "eta", "-1 is not in"),
        ({"tolerance": Fraction(-1, 9)}, "tolerance", "-1/9 is negative"),
        ({"over_norm": "ignore"}, "over_norm", r"pass one of \('reject', 'clip'\)"),
        ({"guarantee": PrivacyGuarantee(1, 0, ADDED)}, "guarantee", "never meets delta = 0"),
    ],
    ids=repr,
)
def test_what_is_out_of_its_domain_is_refused_by_name(change: dict[str, Any], parameter: str, words: str) -> None:
    good: dict[str, Any] = {"dimension": 2, "window": 12, "guarantee": PROMISE}
    assert WindowParameters(**good).leaves == 12
    with pytest.raises(InvalidParameterError, match=words) as caught:
        WindowParameters(**{**good, **change})
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("relation", [ADDED, REPLACED])
@pytest.mark.parametrize(
    ("dimension", "window", "leaf", "bits"),
    [(1, 1, 1, 0), (1, 6, 2, 3), (2, 1, 1, 1), (2, 8, 1, 2), (3, 45, 5, 0), (4, 17, 1, 14)],
)
def test_noise_and_scales_are_those_of_all_sums_together(
    relation: Adjacency, dimension: int, window: int, leaf: int, bits: int
) -> None:
    promise = PrivacyGuarantee(Fraction(3, 2), Fraction(1, 10), relation)
    eta, tolerance = Fraction(2, 5), Fraction(3, 7)
    parameters = WindowParameters(
        dimension, window, promise, leaf=leaf, coordinate_bits=bits, eta=eta, tolerance=tolerance
    )
    leaves = window // leaf
    sums = next(height for height in range(20) if 2**height >= leaves) + 1
    entries = sum(1 for i in range(dimension) for j in range(dimension) if j <= i)
    square = sums * 2 ** (4 * bits) * (2 if relation is REPLACED and dimension > 1 else 1)
    assert (parameters.leaves, parameters.height, parameters.entries) == (leaves, sums - 1, entries)
    assert parameters.squared_sensitivity == square
    variance = calibrate_discrete_gaussian(square, promise, sums * entries)
    assert parameters.variance == variance
    assert parameters.profile == DiscreteGaussianProfile(square, variance, sums * entries)
    deviation = math.sqrt(variance) / 2 ** (2 * bits)
    assert parameters.deviation == pytest.approx(deviation, rel=1e-12)
    scale = math.sqrt(2 * sums - 1) * deviation * (2 * math.sqrt(dimension) + 6)
    assert parameters.error_scale == pytest.approx(scale, rel=1e-12)
    assert parameters.slack == pytest.approx(3 / 7 * scale, rel=1e-12)


def test_the_triangle_of_a_matrix_and_its_differences() -> None:
    matrix = np.array([[1, 20, 30], [2, 3, 60], [4, 5, 6]])
    assert triangle_of(matrix) == [1, 2, 3, 4, 5, 6]
    assert all(type(value) is int for value in triangle_of(matrix))
    before = [0, 1, 0, 10, 0, 2]
    assert difference([1, 2, 3, 4, 5, 6], before, 3) == [[1, 1, -6], [1, 3, 5], [-6, 5, 4]]
    parameters = WindowParameters(3, 8, PROMISE, coordinate_bits=2)
    found = real_matrix([1, 2, 3, 4, 5, 6], before, parameters)
    assert found.dtype == np.float64
    assert (found == np.array([[1, 1, -6], [1, 3, 5], [-6, 5, 4]]) / 16).all()
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        real_matrix([1, 2], [3], WindowParameters(1, 8, PROMISE))
    assert real_matrix([2**80], [0], WindowParameters(1, 8, PROMISE, coordinate_bits=40)) == [[1.0]]


def test_sums_are_close_where_the_older_one_is_not_much_larger_in_any_direction() -> None:
    parameters = WindowParameters(2, 8, PROMISE, eta=Fraction(1, 3), coordinate_bits=0)
    slack = parameters.slack
    turn = np.array([[3.0, -4.0], [4.0, 3.0]]) / 5
    newer = turn @ np.diag([7.0, 5.0]) @ turn.T
    for first, second in ((-1e-9, -1e-9), (-1e-9, 1e-6), (1e-6, -1e-9), (-100, -1e-9), (-1e-9, 50.0)):
        bound = turn @ np.diag([7.0 + slack + first, 5.0 + slack + second]) @ turn.T
        older = bound / (1 - 1 / 3)
        before = older.copy(), newer.copy()
        assert is_close(older, newer, parameters) is (first < 0 and second < 0)
        assert (older == before[0]).all()
        assert (newer == before[1]).all()


def checkpoints(begins: dict[int, int]) -> tuple[WindowCheckpoint, ...]:
    return tuple(WindowCheckpoint(leaf, [before]) for leaf, before in begins.items())


@pytest.mark.parametrize(
    ("leaf", "held", "kept"),
    [
        # Sums from 0, 1, 2 and 3 of a total of 100: one is deleted where the next but one has more than half.
        (4, {0: 0, 1: 10, 2: 20, 3: 60}, [0, 2, 3]),
        (4, {0: 0, 1: 50, 2: 60, 3: 61}, [0, 1, 3]),
        (4, {0: 0, 1: 10, 2: 20, 3: 30}, [0, 3]),
        (4, {0: 0, 1: 30, 2: 50, 3: 75}, [0, 1, 2, 3]),
        (3, {0: 0, 1: 10, 2: 20}, [0, 2]),
        # What is compared next is the one that was kept with the ones after what was deleted.
        (4, {0: 0, 1: 20, 2: 40, 3: 55}, [0, 2, 3]),
        (4, {0: 0, 1: 55, 2: 60, 3: 70, 4: 79}, [0, 1, 3, 4]),
        (4, {0: 0, 1: 20, 2: 40, 3: 55, 4: 69}, [0, 2, 4]),
        (2, {0: 0, 1: 10}, [0, 1]),
        (0, {0: 0}, [0]),
        # Four leaves are in the window: those that the second of all begins too are given up.
        (5, {0: 0, 2: 90, 3: 96, 4: 98}, [0, 2, 3, 4]),
        (6, {0: 0, 2: 90, 3: 96, 4: 98}, [2, 3, 4]),
        (7, {0: 0, 2: 10, 3: 20, 6: 90}, [3, 6]),
        (9, {0: 0, 1: 1}, [1]),
        (9, {3: 0}, [3]),
        # A block of four leaves begins at 4, at 8 and so on: it is kept.
        (7, {3: 0, 4: 1, 5: 2, 6: 3}, [3, 4, 6]),
        (11, {7: 0, 8: 1, 9: 2, 10: 3}, [7, 8, 10]),
        (9, {5: 0, 6: 1, 7: 2, 8: 3}, [5, 8]),
    ],
)
def test_checkpoints_expire_and_are_thinned_out(leaf: int, held: dict[int, int], kept: list[int]) -> None:
    parameters = WindowParameters(1, 4, PROMISE, eta=Fraction(1, 2), tolerance=0, coordinate_bits=0)
    before = checkpoints(held)
    found = updated(before, [100], leaf, parameters)
    assert [pair.leaf for pair in found] == kept
    assert all(pair in before for pair in found)


def test_noise_is_drawn_in_one_way_up_to_a_scale_and_in_another_beyond(monkeypatch) -> None:
    asked: list[Any] = []

    def fast(variance: Fraction, count: int, entropy: object) -> np.ndarray:
        asked.append((variance, count, entropy))
        return np.arange(count)

    def slow(variance: Fraction, entropy: object) -> int:
        asked.append((variance, entropy))
        return 7

    source = SeededEntropy(1)

    monkeypatch.setattr(dyadic_module, "fast_discrete", SimpleNamespace(LARGEST_SCALE=3, discrete_gaussian=fast))
    monkeypatch.setattr(dyadic_module, "discrete", SimpleNamespace(discrete_gaussian=slow))
    for variance in (Fraction(1, 2), Fraction(9)):
        parameters: Any = SimpleNamespace(variance=variance, entries=3)
        assert noise_triangle(parameters, source) == [0, 1, 2]
    parameters = SimpleNamespace(variance=Fraction(91, 10), entries=3)
    assert noise_triangle(parameters, source) == [7, 7, 7]
    assert asked == [(Fraction(1, 2), 3, source), (Fraction(9), 3, source), *[(Fraction(91, 10), source)] * 3]


@pytest.mark.parametrize("window", [1, 2, 3, 8])
def test_a_total_holds_the_noise_of_the_fewest_parts_and_every_row_once(monkeypatch, window: int) -> None:
    """The noise of each part is a power of its own, so that a total tells which parts are in it."""
    drawn: list[int] = []

    def tokens(_parameters: WindowParameters, _entropy: object) -> list[int]:
        drawn.append(len(drawn))
        return [10 ** (6 + drawn[-1])]

    monkeypatch.setattr(dyadic_module, "noise_triangle", tokens)
    parameters = WindowParameters(1, window, PROMISE, leaf=1)
    block = 1 << parameters.height
    sums = DyadicSums.begin(parameters, SeededEntropy(1))
    assert (sums.leaf, sums.rows, sums.total) == (0, 0, [0])
    assert len(sums.parts) == parameters.height + 1
    earlier: set[int] = set()
    for leaf in range(1, 3 * block + 1):
        sums.add([leaf], 1)
        assert sums.rows == 1
        sums.close_leaf(SeededEntropy(1))
        assert (sums.leaf, sums.rows) == (leaf, 0)
        (total,) = sums.total
        assert total % 10**6 == leaf * (leaf + 1) // 2
        parts = {place for place, digit in enumerate(reversed(str(total // 10**6))) if digit == "1"}
        assert set(str(total // 10**6)) <= {"0", "1"}
        assert len(parts) == leaf // block + (leaf % block).bit_count()
        # Between two totals of one block all that is not theirs together ends or begins there.
        assert max(parts) <= len(drawn)
        earlier |= parts
        formed = [size == parameters.height or (leaf >> size) % 2 == 0 for size in range(parameters.height + 1)]
        assert [part is not None for part in sums.parts] == formed
    # Every part but those under way was used.
    assert len(drawn) - len(earlier) == sum(part is not None for part in sums.parts)


class Holder:
    """What holds sums."""


def test_sums_are_themselves_alone_and_held_by_one() -> None:
    parameters = WindowParameters(1, 4, PROMISE)
    sums, others = (DyadicSums.begin(parameters, SeededEntropy(1)) for _ in range(2))
    assert sums.parts == others.parts
    assert sums != others
    assert len({sums, others}) == 2
    with pytest.raises(TypeError, match="holder"):
        DyadicSums(parameters, holder=None)
    with pytest.raises(TypeError, match="positional"):
        DyadicSums(parameters, 0, 0, [0], [], None)
    one, another = Holder(), Holder()
    sums.take(one)
    for refused in (lambda: sums.take(another), lambda: sums.give(another), lambda: sums.check_held_by(another)):
        with pytest.raises(SingleUseError, match="its noise must not be used twice"):
            refused()
    sums.check_held_by(one)
    sums.give(one)
    for refused in (lambda: sums.give(one), lambda: sums.check_held_by(one)):
        with pytest.raises(SingleUseError, match="this window was suspended"):
            refused()
    sums.take(another)


def test_rows_of_another_length_and_parts_that_are_missing_are_refused() -> None:
    sums = DyadicSums.begin(WindowParameters(1, 4, PROMISE, leaf=2), SeededEntropy(1))
    with pytest.raises(ValueError, match="argument 2 is longer"):
        sums.add([1, 2], 1)
    sums.add([1], 1)
    sums.add([1], 2)
    assert sums.rows == 3
    sums.parts[0] = None
    with pytest.raises(AssertionError, match="the part that ends here was not formed"):
        sums.close_leaf(SeededEntropy(1))
