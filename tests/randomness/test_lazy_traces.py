"""Pairs of matrices with coupled traces: their law, and their floats against their balls."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from scipy.stats import gamma

from dpmatrix.errors import EntropyError, InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness import fast_rectangles
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy import LazyNormals
from dpmatrix.randomness.lazy_traces import CoupledTraces, LazyPart


@pytest.mark.parametrize("dimension", [1, 2, 5, 20])
def test_floats_and_balls_enclose_the_same_reals(dimension: int) -> None:
    entropy = SeededEntropy(dimension)
    for _ in range(5):
        parts = CoupledTraces(dimension, entropy).parts()
        entries = range(dimension * dimension)
        for part in parts:
            balls = part.approximate()
            part.refine(300, entries)
            with precision(320):
                exact = part.enclose(entries)
            centres, radii = balls.center.ravel().tolist(), balls.radius.ravel().tolist()
            for ball, centre, radius in zip(exact, centres, radii, strict=True):
                assert ball.rad() < 1e-70
                assert abs(ball - centre) < radius
            assert max(radii) < 1e-9


def test_the_pair_is_made_of_two_wishart_matrices_an_exponential_variate_and_a_coin() -> None:
    """From the digits of the same source: the larger part is M W1/tr W1, the other one M e^(-E/D) W2/tr W2."""
    orders = set()
    for seed in range(8):
        pair, entropy = CoupledTraces(3, SeededEntropy(seed)), SeededEntropy(seed)
        first, second = (factor @ factor.T for factor in LazyNormals((2, 3, 4), entropy).approximate().center)
        exponential = -np.log((entropy.bits(64) + 0.5) / 2.0**64)
        coin = entropy.bits(1)
        larger = (np.trace(first) + np.trace(second)) / 2
        expected = [first * larger / np.trace(first), second * larger * np.exp(-exponential / 6) / np.trace(second)]
        found = [part.approximate().center for part in pair.parts()]
        assert np.allclose(found, expected[::-1] if coin else expected, rtol=1e-12)
        orders.add(coin)
    assert orders == {0, 1}, "either may be the first"


@pytest.mark.parametrize(("dimension", "power", "accepted"), [(2, 3, True), (3, 6, True), (2, 4, False)])
def test_traces_have_their_law(cdf_radius, cdf_distance, dimension: int, power: int, accepted: bool) -> None:
    """The larger one is gamma of shape d (d + 1), the quotient a power of a uniform variate; P has either, by a coin.

    Error probabilities are those of the radius. The control: the power 4 for 3 is 0.1055 away, the radius below 0.045.
    """
    entropy, size = SystemEntropy(), 6_000
    traces = np.array(
        [
            [np.trace(part.approximate().center) for part in CoupledTraces(dimension, entropy).parts()]
            for _ in range(size)
        ]
    )
    radius = cdf_radius(size)
    larger, smaller = traces.max(axis=1), traces.min(axis=1)
    assert cdf_distance(larger, gamma(dimension * (dimension + 1)).cdf) <= radius
    assert bool(cdf_distance((smaller / larger) ** power, lambda x: np.clip(x, 0, 1)) <= radius) is accepted
    # a fair coin, off by 0.05 of 6000 tosses with probability below 2 exp(-2 * 6000 * 0.05^2) < 1e-12
    assert abs(np.mean(traces[:, 0] > traces[:, 1]) - 0.5) < 0.05


def test_rounding_does_not_depend_on_the_filter() -> None:
    for seed in range(4):
        with_floats, without = (
            round_to_grid(CoupledTraces(3, SeededEntropy(seed)).parts()[0], Fraction(1, 2**40), filtered=filtered)
            for filtered in (True, False)
        )
        assert (with_floats == without).all()


def test_nothing_is_drawn_for_no_entries() -> None:
    pair, untouched = CoupledTraces(2, SeededEntropy(1)), CoupledTraces(2, SeededEntropy(1))
    pair.parts()[0].refine(500, [])
    with precision(100):
        first, second = (one.parts()[0].enclose([0])[0] for one in (pair, untouched))
    assert first.rad() == second.rad() > arb(2) ** -80


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParameterError, match=r"^dimension: "):
        CoupledTraces(0, SeededEntropy(1))
    pair = CoupledTraces(2, SeededEntropy(1))
    for place in (-1, 2):
        with pytest.raises(InvalidParameterError, match=r"^place: "):
            LazyPart(pair, place)
    seen = CoupledTraces(2, SeededEntropy(1))
    for part in seen.parts():
        part.approximate()
    monkeypatch.setattr(fast_rectangles, "process_identity", lambda: ("another", 1))
    for part in (*pair.parts(), *seen.parts()):
        with pytest.raises(EntropyError):
            part.approximate()
        with pytest.raises(EntropyError):
            part.enclose([0])
