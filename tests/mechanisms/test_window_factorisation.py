"""Weights of a window's combinations: the series that they are, and a bound on the noise that is checked."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import factorisation
from dpmatrix.mechanisms.streams.factorisation import (
    WEIGHT_BITS,
    WindowFactorisation,
    least_gain,
    left_over,
    reciprocal,
    root_weights,
)

UNIT = 2**WEIGHT_BITS


def exact_product(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    found = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            found[i + j] += a * b
    return found


@pytest.mark.parametrize("leaves", [1, 2, 3, 7, 50])
def test_the_weights_are_the_root_of_a_window(leaves: int) -> None:
    bands = 60
    root = [Fraction(value) for value in root_weights(leaves, bands).tolist()]
    square = exact_product(root, root)[:bands]
    for place, value in enumerate(square):
        assert abs(value - (1 if place < leaves else 0)) < Fraction(1, 10**12)


def test_weights_are_rounded_to_integers_and_zeros_at_the_end_are_dropped() -> None:
    found = WindowFactorisation(2, 3)
    assert found.weights.tolist() == [UNIT, UNIT // 2, -UNIT // 8]
    assert found.weights.dtype == np.int64
    assert not found.weights.flags.writeable
    assert found.squared_norm == UNIT**2 + UNIT**2 // 4 + UNIT**2 // 64
    assert found.total == UNIT + UNIT // 2 + UNIT // 8
    assert WindowFactorisation(1, 8).weights.tolist() == [UNIT]
    assert found == WindowFactorisation(2, 3) != WindowFactorisation(2, 4)
    assert repr(found) == "WindowFactorisation(leaves=2, bands=3)"


@pytest.mark.parametrize(("leaves", "bands"), [(1, 1), (2, 3), (3, 2), (16, 24), (50, 50), (100, 150), (100, 20)])
def test_the_gain_bounds_the_noise_of_all_windows_and_is_nearly_met(leaves: int, bands: int) -> None:
    found = WindowFactorisation(leaves, bands)
    weights = [Fraction(weight, UNIT) for weight in found.weights.tolist()]
    windows, terms = [], []
    for t in range(3 * leaves):
        known = sum((weight * terms[t - k] for k, weight in enumerate(weights) if 0 < k <= t), Fraction(0))
        terms.append(Fraction(float((1 - known) / weights[0])) if t == 0 else Fraction(float(-known / weights[0])))
        windows.append(sum(terms[max(0, t - leaves + 1) : t + 1], Fraction(0)))
    expected = np.cumsum([float(value) ** 2 for value in windows])
    assert np.allclose(found.gains(3 * leaves), expected, rtol=1e-9)
    late = found.gains(200 * (leaves + bands))
    assert np.all(np.diff(late) >= 0)
    assert late[-1] <= found.gain <= late[-1] * (1 + 1e-5)


def test_more_bands_are_nearer_to_the_least_noise() -> None:
    excesses = [WindowFactorisation(100, bands).excess for bands in (25, 50, 100, 150, 400)]
    assert excesses == sorted(excesses, reverse=True)
    assert excesses[-1] > 1
    assert [round(value, 2) for value in excesses] == [1.4, 1.22, 1.15, 1.02, 1.0]
    assert WindowFactorisation(1, 1).excess == pytest.approx(1, abs=2e-6)


@pytest.mark.parametrize("leaves", [1, 3, 11, 101, 1001])
def test_the_least_gain_is_a_sum_of_tangents_where_the_window_is_odd(leaves: int) -> None:
    k = np.arange(1, leaves // 2 + 1)
    mean = 1 / leaves + 2 / np.pi * np.sum(np.tan(np.pi * k / leaves) / k)
    assert least_gain(leaves) == pytest.approx(mean**2, rel=1e-12)


def test_the_least_gain_of_two_and_of_large_windows() -> None:
    assert least_gain(2) == pytest.approx((4 / np.pi) ** 2, rel=1e-14)
    slopes = [least_gain(2 * size) ** 0.5 - least_gain(size) ** 0.5 for size in (1000, 100_000)]
    assert slopes == pytest.approx([4 / np.pi**2 * np.log(2)] * 2, rel=1e-6)


def test_what_is_left_over_is_exact() -> None:
    rng = np.random.default_rng(5)
    for size, terms in ((1, 1), (3, 8), (40, 100)):
        weights = [UNIT, *(int(value) for value in rng.integers(-(2**16), 2**16, size - 1))]
        quotient = [int(value) for value in rng.integers(-(2**48), 2**48, terms)]
        exact = exact_product([Fraction(w, UNIT) for w in weights], [Fraction(q, 2**48) for q in quotient])
        exact[0] -= 1
        assert left_over(weights, quotient) == sum(abs(value) for value in exact)
    assert left_over([UNIT], [2**48]) == 0
    half = np.rint(reciprocal(np.array([1.0, 0.5]), 40) * 2.0**48).astype(int).tolist()
    assert left_over([UNIT, UNIT // 2], half) == Fraction(1, 2**40), "the term after the last one"


def test_weights_whose_noise_adds_up_for_ever_are_refused(monkeypatch) -> None:
    """1 - 2 x has a zero in the disc, and 1 - x one on its edge, whose quotient has as many terms as are taken."""
    with pytest.raises(InvalidParameterError, match="not shown to stay bounded"):
        reciprocal(np.array([1.0, -2.0]), 1 << 10)
    for weights in ([1.0, -2.0], [1.0, -1.0]):
        monkeypatch.setattr(factorisation, "root_weights", lambda *_, weights=weights: np.array(weights))
        monkeypatch.setattr(factorisation, "LONGEST_SERIES", 1 << 10)
        found = WindowFactorisation(3, 2)
        with pytest.raises(InvalidParameterError, match="not shown to stay bounded") as caught:
            _ = found.gain
        assert caught.value.parameter == "bands"
        assert caught.value.remedy.startswith("pass another number")


def test_a_quotient_whose_sums_are_large_is_not_rounded(monkeypatch) -> None:
    """1/(1 - x + x^2/2^14) is bounded, but its sums pass 2^12; (1 - x)(1 + x) leaves sums of one."""
    monkeypatch.setattr(factorisation, "root_weights", lambda *_: np.array([1.0, -1.0, 2.0**-14]))
    with pytest.raises(InvalidParameterError, match="bounded"):
        _ = WindowFactorisation(3, 2).gain


def test_limits_are_those_of_the_documentation() -> None:
    assert (Fraction(1, 2**20), 2.0**12) == (factorisation.STABLE, factorisation.LARGEST_TERM)
    assert (factorisation.MOST_LEAVES, factorisation.MOST_BANDS) == (2**20, 8)
    assert (factorisation.WEIGHT_BITS, factorisation.QUOTIENT_BITS, factorisation.LONGEST_SERIES) == (16, 48, 2**24)


@pytest.mark.parametrize(
    ("leaves", "bands", "parameter"),
    [(0, 1, "leaves"), (1, 0, "bands"), (2**20 + 1, 1, "leaves"), (1, 9, "bands"), (3, 25, "bands")],
)
def test_sizes_out_of_range_are_refused(leaves: int, bands: int, parameter: str) -> None:
    assert len(WindowFactorisation(2**20, 1).weights) == 1
    assert len(WindowFactorisation(3, 24).weights) == 24
    with pytest.raises(InvalidParameterError) as caught:
        WindowFactorisation(leaves, bands)
    assert caught.value.parameter == parameter
    assert str(leaves if parameter == "leaves" else bands) in caught.value.problem
    assert caught.value.remedy.startswith("pass")


@pytest.mark.parametrize("count", [0, 2**24 + 1])
def test_a_count_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(InvalidParameterError, match="count"):
        WindowFactorisation(2, 3).gains(count)
