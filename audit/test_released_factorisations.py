"""The weights of the window of the least noise and the bounds that are stated with it, computed anew by fractions.

A row changes as many combinations as there are weights, so a weight that the sum of squares does not know would cost
more than is guaranteed. And the deviation that is stated for a window is a bound at all times: it is held against the
windows themselves, one after the other. Nothing is statistical.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import BandedWindowParameters
from dpmatrix.mechanisms.streams.factorisation import (
    LARGEST_TERM,
    LONGEST_SERIES,
    MOST_BANDS,
    MOST_LEAVES,
    STABLE,
    WindowFactorisation,
    least_gain,
    left_over,
    reciprocal,
    root_weights,
)
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee

UNIT = 2**16
SHAPES = ((1, 1), (1, 8), (2, 1), (2, 3), (2, 16), (3, 2), (3, 24), (5, 7), (8, 12), (16, 16), (20, 70), (33, 50))
"""Leaves of a window, and leaves of a combination."""


def root(leaves: int, bands: int) -> list[Fraction]:
    """Expand the root of 1 + x + ... + x^(W - 1) by its binomial series: (1 - x^W)^(1/2) (1 - x)^(-1/2)."""
    fast, slow = [Fraction(1)], [Fraction(1)]
    for k in range(1, bands):
        slow.append(slow[-1] * (2 * k - 1) / (2 * k))
        fast.append(-fast[-1] * (Fraction(1, 2) - (k - 1)) / k)
    return [
        sum((fast[turn] * slow[place - turn * leaves] for turn in range(place // leaves + 1)), Fraction(0))
        for place in range(bands)
    ]


@pytest.mark.parametrize(("leaves", "bands"), SHAPES)
def test_weights_are_the_nearest_integers_of_the_root(leaves: int, bands: int) -> None:
    """Each is the integer nearest to 2^16 times its term, and zeros at the end alone are left out."""
    exact = root(leaves, bands)
    assert np.allclose(root_weights(leaves, bands), [float(term) for term in exact], rtol=0, atol=1e-14)
    found = WindowFactorisation(leaves, bands)
    weights = found.weights.tolist()
    expected = [round(UNIT * term) for term in exact]
    while not expected[-1]:
        expected.pop()
    assert weights == expected
    assert weights[0] == UNIT
    assert all(type(weight) is int for weight in weights)
    assert found.squared_norm == sum(weight**2 for weight in expected)
    assert found.total == sum(abs(weight) for weight in expected)
    assert not found.weights.flags.writeable


@pytest.mark.parametrize("leaves", [1, 2, 3, 4, 100])
def test_as_many_leaves_are_combined_as_are_asked_for(leaves: int) -> None:
    """For a short window, so that no weight of a row's last combinations is rounded to zero."""
    for bands in range(1, min(MOST_BANDS * leaves, 12) + 1):
        found = WindowFactorisation(leaves, bands)
        assert len(found.weights) == (1 if leaves == 1 else bands)
        again = WindowFactorisation(leaves, bands)
        assert found == again
        assert found.weights.tolist() == again.weights.tolist()
    assert WindowFactorisation(3, 4) != WindowFactorisation(3, 5)
    assert WindowFactorisation(3, 4) != WindowFactorisation(4, 4)
    assert repr(WindowFactorisation(3, 4)) == "WindowFactorisation(leaves=3, bands=4)"


@pytest.mark.parametrize(
    ("leaves", "bands", "parameter"),
    [
        *((0, 1, "leaves"), (-1, 1, "leaves"), (True, 1, "leaves"), (2.0, 1, "leaves"), (2**20 + 1, 1, "leaves")),
        *((1, 0, "bands"), (2, -1, "bands"), (2, True, "bands"), (2, 3.0, "bands"), (1, 9, "bands"), (3, 25, "bands")),
    ],
)
def test_sizes_for_which_nothing_is_shown_are_refused(leaves: int, bands: int, parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        WindowFactorisation(leaves, bands)
    assert caught.value.parameter == parameter
    assert WindowFactorisation(MOST_LEAVES, 1).weights.tolist() == [UNIT], "control"
    assert len(WindowFactorisation(3, 24).weights) == 24, "control"


def convolved(first: list[Fraction], second: list[Fraction]) -> list[Fraction]:
    found = [Fraction(0)] * (len(first) + len(second) - 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            found[i + j] += a * b
    return found


def test_what_a_quotient_leaves_over_is_exact() -> None:
    generator = np.random.default_rng(5)
    for size, terms in ((1, 1), (2, 1), (3, 8), (40, 50)):
        weights = [UNIT, *(int(value) for value in generator.integers(-(2**16), 2**16, size - 1))]
        quotient = [int(value) for value in generator.integers(-(2**48), 2**48, terms)]
        exact = convolved([Fraction(w, UNIT) for w in weights], [Fraction(q, 2**48) for q in quotient])
        exact[0] -= 1
        assert left_over(weights, quotient) == sum(abs(value) for value in exact)
    assert left_over([UNIT], [2**48]) == 0


@pytest.mark.parametrize("weights", [[1.0], [1.0, 0.5], [1.0, 0.5, -0.125], [1.0, -0.75, 0.5, 0.25], [1.0, 0.0, 0.9]])
@pytest.mark.parametrize("terms", [1, 2, 3, 5, 16, 17, 40])
def test_a_reciprocal_is_that_of_the_recurrence(weights: list[float], terms: int) -> None:
    expected = [1.0]
    for place in range(1, terms):
        expected.append(-sum(w * expected[place - k] for k, w in enumerate(weights) if 0 < k <= place))
    found = reciprocal(np.array(weights), terms)
    assert found.shape == (terms,)
    assert np.allclose(found, expected, rtol=0, atol=1e-12)


def windows(found: WindowFactorisation, count: int) -> list[Fraction]:
    """Return the noise of windows after 1, ..., count leaves: the terms of a/c, rounded where they grow long."""
    weights = [Fraction(weight, UNIT) for weight in found.weights.tolist()]
    terms: list[Fraction] = []
    for t in range(count):
        known = sum((weight * terms[t - k] for k, weight in enumerate(weights) if 0 < k <= t), Fraction(0))
        terms.append(Fraction(round((int(t == 0) - known) * 2**100), 2**100))
    return [sum(terms[max(0, t - found.leaves + 1) : t + 1], Fraction(0)) for t in range(count)]


@pytest.mark.parametrize(("leaves", "bands"), [(1, 1), (2, 3), (3, 2), (4, 1), (5, 7), (8, 12), (16, 16)])
def test_the_noise_of_windows_is_that_of_the_quotient_and_below_its_bound(leaves: int, bands: int) -> None:
    """At first from fractions, much later from floats; the bound is met but for a few millionths."""
    found = WindowFactorisation(leaves, bands)
    count = 6 * leaves + 5
    expected = list(accumulate(term**2 for term in windows(found, count)))
    assert np.allclose(found.gains(count), np.array(expected, dtype=float), rtol=1e-10)
    late = float(found.gains(400 * (leaves + bands))[-1])
    assert expected[-1] < Fraction(found.gain)
    assert late * (1 + 5e-7) <= found.gain <= late * (1 + 5e-6)


def test_a_bound_counts_what_its_quotient_leaves_over() -> None:
    """For three leaves in pairs the quotient ends with 2^-20 left over, so that its norm is divided by 1 - 2^-20."""
    found = WindowFactorisation(3, 2)
    terms = [Fraction(-1, 2) ** k for k in range(20)]
    assert (
        sum(abs(term) for term in convolved([Fraction(1), Fraction(1, 2)], terms)[1:]) == STABLE == Fraction(1, 2**20)
    )
    square = sum(term**2 for term in convolved([Fraction(1)] * 3, terms))
    bound = square / (1 - STABLE) ** 2
    assert bound < Fraction(found.gain) <= bound * (1 + Fraction(1, 2**19))
    assert Fraction(found.gain) >= bound * (1 + Fraction(1, 2**20) - Fraction(1, 2**45))


@pytest.mark.parametrize(
    "weights", [[1.0, -2.0], [1.0, -1.0], [1.0, -1.0, 2.0**-14], [1.0, 3.0], [1.0, -1.99, 0.9901], [1.0, 0.0, -1.0]]
)
def test_noise_that_is_not_shown_to_stay_bounded_has_no_bound(weights: list[float]) -> None:
    """1 - 2x has a zero in the disc, 1 - x one on its edge, and the third is bounded, with sums beyond 2^12."""
    found = WindowFactorisation(3, 2)
    object.__setattr__(found, "weights", np.rint(UNIT * np.array(weights)).astype(np.int64))
    with pytest.raises(InvalidParameterError, match="bounded") as caught:
        _ = found.gain
    assert caught.value.parameter == "bands"
    assert LARGEST_TERM == 2.0**12


def test_terms_that_grow_end_a_series() -> None:
    for ratio in (2.0, 1.5, 1.1):
        with pytest.raises(InvalidParameterError, match="bounded"):
            reciprocal(np.array([1.0, -ratio]), 1 << 10)
    assert reciprocal(np.array([1.0, -1.01]), 1 << 8)[-1] == pytest.approx(1.01**255), "control"


@pytest.mark.parametrize("count", [0, -1, True, 2.0, 2**24 + 1])
def test_a_number_of_leaves_that_is_out_of_range_is_refused(count: int) -> None:
    with pytest.raises(InvalidParameterError, match="count"):
        WindowFactorisation(2, 3).gains(count)
    assert LONGEST_SERIES == 2**24


@pytest.mark.parametrize("leaves", [1, 3, 5, 11, 101, 1001])
def test_the_least_gain_of_an_odd_window_is_a_sum_of_tangents(leaves: int) -> None:
    k = np.arange(1, leaves // 2 + 1)
    mean = 1 / leaves + 2 / np.pi * np.sum(np.tan(np.pi * k / leaves) / k)
    assert least_gain(leaves) == pytest.approx(mean**2, rel=1e-12)


def test_the_least_gain_of_two_leaves_and_its_growth() -> None:
    assert least_gain(2) == pytest.approx((4 / np.pi) ** 2, rel=1e-14)
    slopes = [least_gain(2 * size) ** 0.5 - least_gain(size) ** 0.5 for size in (1000, 20_000)]
    assert slopes == pytest.approx([4 / np.pi**2 * np.log(2)] * 2, rel=1e-6)
    for wrong in (0, -3, True, 2.0):
        with pytest.raises(InvalidParameterError, match="leaves"):
            least_gain(wrong)


@pytest.mark.parametrize(("leaves", "bands"), [(1, 1), (3, 2), (8, 12), (33, 50), (33, 9)])
def test_the_excess_is_the_gain_at_equal_privacy_over_the_least(leaves: int, bands: int) -> None:
    found = WindowFactorisation(leaves, bands)
    assert found.excess == pytest.approx(found.gain * found.squared_norm / UNIT**2 / least_gain(leaves), rel=1e-12)
    assert found.excess > 1


@pytest.mark.parametrize("bits", [0, 3, 14])
def test_the_deviation_that_is_stated_is_that_of_the_weights_and_of_the_noise(bits: int) -> None:
    promise = PrivacyGuarantee(1, Fraction(1, 10**4), Adjacency.ADD_REMOVE_ONE)
    for leaf, window in ((1, 4), (3, 15)):
        found = BandedWindowParameters(2, window, promise, leaf=leaf, coordinate_bits=bits)
        largest = float(found.factorisation.gains(3000)[-1])
        stated = math.sqrt(float(found.variance) * largest) / UNIT / 4**bits
        assert stated < found.deviation <= stated * (1 + 5e-6)
