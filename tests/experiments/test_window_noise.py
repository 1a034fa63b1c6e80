"""The figure of windows: how many dyadic sums a window has, and its lines."""

from __future__ import annotations

from fractions import Fraction
from itertools import count

import pytest

from dpmatrix.experiments.window_noise import (
    BOUND,
    DYADIC,
    FEW,
    LINES,
    USUAL,
    WORST,
    dyadic_sums,
    times_one_release,
    window_noise_figure,
)
from dpmatrix.mechanisms.streams import WindowParameters, dyadic
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.factorisation import WindowFactorisation, least_gain
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

PROMISE = PrivacyGuarantee(1, Fraction(1, 10), Adjacency.ADD_REMOVE_ONE)


def noises(value: int) -> int:
    """Count the digits, to base 4 and from -1 to 2, that are not zero."""
    found = 0
    while value:
        digit = (value + 1) % 4 - 1
        found += digit != 0
        value = (value - digit) // 4
    return found


@pytest.mark.parametrize("leaves", [1, 2, 3, 5, 8, 13])
def test_dyadic_sums_are_those_that_the_window_draws(leaves: int, monkeypatch) -> None:
    """Each noise is a power of four, so that a difference tells which of them are in it."""
    numbers = count()
    monkeypatch.setattr(dyadic, "noise_triangle", lambda *_: [4 ** next(numbers)])
    sums = DyadicSums.begin(WindowParameters(1, leaves, PROMISE), SeededEntropy(1))
    block = 1 << (leaves - 1).bit_length()
    totals = [0]
    for _ in range(4 * block):
        sums.close_leaf(SeededEntropy(1))
        totals.append(sums.total[0])
    found = [noises(totals[end] - totals[end - leaves]) for end in range(2 * block, 3 * block)]
    assert dyadic_sums(leaves) == (pytest.approx(sum(found) / block), max(found))


def test_noises_of_known_differences() -> None:
    assert [noises(value) for value in (0, 1, 4**9, 4**9 - 4**3, 4**3 - 4**9 - 1, 2 * 4**5)] == [0, 1, 1, 2, 3, 1]


def test_a_line_for_each_way_and_the_bound_below_all() -> None:
    told: list[tuple[int, int]] = []
    found = window_noise_figure(lambda done, total: told.append((done, total)), windows=(1, 2, 5, 20))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert found.columns == ("W", *LINES)
    assert [series.label for series in found.series] == list(LINES)
    for row in found.rows:
        cells = dict(zip(found.columns, row, strict=True))
        assert cells[BOUND] <= cells[USUAL] <= cells[FEW] * (1 + 1e-6)
        assert cells[FEW] <= cells[DYADIC] * (1 + 2e-6)
        assert cells[DYADIC] <= cells[WORST]


def test_numbers_are_those_of_the_factorisation() -> None:
    found = times_one_release(20)
    factorisation = WindowFactorisation(20, 30)
    assert found[USUAL] == pytest.approx(factorisation.gain * factorisation.squared_norm / 4.0**16, rel=1e-12)
    assert found[BOUND] == least_gain(20)
    assert found[DYADIC] / found[USUAL] == pytest.approx(6.8, abs=0.05)
