"""A window by factorisation: exact but for its noise, which is that of the weights, and used once."""

from __future__ import annotations

import copy
import pickle
import threading
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import EntropyError, InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.streams import BandedWindowGram, BandedWindowParameters, banded_window
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import gaussian_integers
from tests.forks import in_a_fork

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
PROMISE = PrivacyGuarantee(1, Fraction(1, 10), ADDED)
SMALL = BandedWindowParameters(2, 12, PROMISE, leaf=3)
FINE = 2.0**banded_window.FINE_BITS


def unit_rows(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, dimension))
    return rows / np.linalg.norm(rows, axis=1)[:, None] / 1.001


def true_window(rows: np.ndarray, parameters: BandedWindowParameters) -> np.ndarray:
    """Sum the last whole leaves, in units of the lattice."""
    end = len(rows) - len(rows) % parameters.leaf
    begin = max(0, end - parameters.window)
    return lattice_gram(rows[begin:end].reshape(-1, parameters.dimension), parameters.coordinate_bits)


def test_defaults_are_those_of_the_documentation() -> None:
    found = BandedWindowParameters(2, 12, PROMISE)
    assert (found.leaf, found.bands, found.coordinate_bits, found.over_norm) == (1, None, 14, "clip")
    assert (found.leaves, found.factorisation.bands) == (12, 18)
    assert BandedWindowParameters(2, 9, PROMISE, leaf=3).factorisation.bands == 5
    assert BandedWindowParameters(2, 9, PROMISE, bands=4).factorisation.bands == 4
    for count in range(1, 5):
        with pytest.raises(TypeError, match="positional"):
            BandedWindowParameters(2, 12, PROMISE, *(1, None, 14, "clip")[:count])


@pytest.mark.parametrize(
    ("change", "parameter", "words"),
    [
        ({"dimension": 0}, "dimension", "0"),
        ({"window": 0}, "window", "0"),
        ({"window": 2.0}, "window", "2.0"),
        ({"leaf": 0}, "leaf", "0"),
        ({"leaf": 5}, "leaf", "5 does not divide the window"),
        ({"bands": 0}, "bands", "0"),
        ({"coordinate_bits": -1}, "coordinate_bits", "out of range"),
        ({"coordinate_bits": 23}, "coordinate_bits", "may not fit 64 bits"),
        ({"coordinate_bits": 22, "leaf": 12}, "coordinate_bits", "of 12 rows of 22 bits may not fit"),
        ({"over_norm": "ignore"}, "over_norm", r"pass one of \('reject', 'clip'\)"),
        ({"guarantee": PrivacyGuarantee(1, 0, ADDED)}, "guarantee", "never meets delta = 0"),
    ],
)
def test_what_is_out_of_its_domain_is_refused_by_name(change: dict[str, Any], parameter: str, words: str) -> None:
    good: dict[str, Any] = {"dimension": 2, "window": 12, "guarantee": PROMISE}
    assert BandedWindowParameters(**good).leaves == 12
    with pytest.raises(InvalidParameterError, match=words) as caught:
        BandedWindowParameters(**{**good, **change})
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("dimension", "adjacency", "factor"),
    [(1, ADDED, 1), (1, REPLACED, 1), (3, ADDED, 1), (2, REPLACED, 2), (3, REPLACED, 2)],
)
def test_the_noise_is_the_least_for_all_that_a_row_changes(dimension: int, adjacency: Adjacency, factor: int) -> None:
    promise = PrivacyGuarantee(1, Fraction(1, 10), adjacency)
    found = BandedWindowParameters(dimension, 8, promise, leaf=2, coordinate_bits=5)
    weights = found.factorisation.weights.tolist()
    square = factor * sum(weight**2 for weight in weights) * 16**5
    coordinates = len(weights) * dimension * (dimension + 1) // 2
    assert len(weights) == 6
    assert found.squared_sensitivity == square
    assert found.coordinates == coordinates
    assert found.variance == calibrate_discrete_gaussian(square, promise, coordinates)
    assert found.profile == DiscreteGaussianProfile(square, found.variance, coordinates)
    units = 2.0**16 * 4.0**5
    assert found.deviation == pytest.approx(float(found.variance) ** 0.5 * found.factorisation.gain**0.5 / units)


def test_combinations_are_64_bit_integers_as_long_as_they_fit() -> None:
    """The largest sum is leaf 4^bits times the sum of the weights: below 2^62 it is taken."""
    finest = BandedWindowParameters(1, 1, PROMISE, coordinate_bits=22)
    assert finest.factorisation.total << 44 == 2**60
    stream = BandedWindowGram(finest, entropy=SeededEntropy(1))
    assert stream._sums.dtype == np.int64
    with pytest.raises(InvalidParameterError, match="64 bits"):
        BandedWindowParameters(1, 1, PROMISE, coordinate_bits=23)
    assert BandedWindowParameters(1, 3, PROMISE, coordinate_bits=22, leaf=3, bands=1).leaf == 3
    with pytest.raises(InvalidParameterError, match="64 bits"):
        BandedWindowParameters(1, 4, PROMISE, coordinate_bits=22, leaf=4, bands=1)


@pytest.mark.parametrize(
    ("window", "leaf", "bands"), [(1, 1, None), (4, 1, None), (4, 2, 1), (12, 3, None), (6, 1, 20), (9, 1, 9)]
)
def test_without_noise_every_window_is_the_sum_of_its_rows(
    window: int, leaf: int, bands: int | None, monkeypatch
) -> None:
    monkeypatch.setattr(banded_window, "gaussian_integers", lambda _, count, __: np.zeros(count, dtype=np.int64))
    parameters = BandedWindowParameters(3, window, PROMISE, leaf=leaf, bands=bands)
    rows, stream, seen = unit_rows(40, 3), BandedWindowGram(parameters), 0
    for step in (0, 1, 2, 5, 1, 7, 3, 1, 1, 1, 18):
        stream.add(rows[seen : seen + step])
        seen += step
        assert stream.time == seen
        release = stream.publish()
        found = np.array(release.integers / FINE, dtype=float)
        assert release.grid == Fraction(1, 4**14 * 2**banded_window.FINE_BITS)
        assert np.allclose(found, true_window(rows[:seen], parameters).astype(float), rtol=0, atol=1e-3)


def test_a_window_is_its_rows_and_the_noise_of_the_weights() -> None:
    parameters = BandedWindowParameters(2, 4, PROMISE, coordinate_bits=8)
    rows, stream, source = unit_rows(30, 2), BandedWindowGram(parameters, entropy=SeededEntropy(3)), SeededEntropy(3)
    weights = parameters.factorisation.weights / 2.0**16
    drawn = np.array([gaussian_integers(parameters.variance, 3, source) for _ in rows]) / 2.0**16
    filtered: list[np.ndarray] = []
    for t, noise in enumerate(drawn):
        known = sum((weights[k] * filtered[t - k] for k in range(1, min(t + 1, len(weights)))), np.zeros(3))
        filtered.append(noise - known)
        stream.add(rows[t : t + 1])
        expected = true_window(rows[: t + 1], parameters)[np.triu_indices(2)].astype(float)
        expected += np.sum(filtered[max(0, t - 3) :], axis=0)
        release = stream.publish()
        assert np.allclose(np.array(release.integers[np.triu_indices(2)] / FINE, dtype=float), expected, atol=1e-2)
        assert np.array_equal(release.integers, release.integers.T)


def test_what_is_published_does_not_depend_on_how_rows_come_or_on_how_often_it_is() -> None:
    rows = unit_rows(25, 2)
    first, second = (BandedWindowGram(SMALL, entropy=SeededEntropy(8)) for _ in range(2))
    first.add(rows)
    for row in rows:
        second.add(row[None, :])
        second.publish()
    assert first.publish() == second.publish() == second.publish()
    assert first.publish().adjacency is ADDED
    assert first.publish().mechanism == "private window by factorisation"


def test_the_guarantee_needs_secret_bits() -> None:
    assert BandedWindowGram(SMALL).guarantee == PROMISE
    assert BandedWindowGram(SMALL).publish().guarantee == PROMISE
    seeded = BandedWindowGram(SMALL, entropy=SeededEntropy(1))
    assert seeded.guarantee is None
    assert seeded.publish().guarantee is None
    assert seeded.entropy.description == seeded.publish().entropy


def test_long_rows_are_clipped_or_refused_and_nothing_is_lost() -> None:
    clipped = BandedWindowGram(SMALL, entropy=SeededEntropy(8))
    clipped.add([[3.0, 4.0]] * 3)
    short = BandedWindowGram(SMALL, entropy=SeededEntropy(8))
    short.add([[0.6, 0.8]] * 3)
    assert np.allclose(clipped.publish().to_numpy(), short.publish().to_numpy(), atol=1e-3)
    strict = BandedWindowGram(
        BandedWindowParameters(2, 12, PROMISE, leaf=3, over_norm="reject"), entropy=SeededEntropy(8)
    )
    for bad in ([[0.6, 0.8], [3.0, 4.0]], [[0.5, float("nan")]], [[0.5]], [["a", "b"]]):
        with pytest.raises(InvalidParameterError) as caught:
            strict.add(bad)
        assert caught.value.parameter == "rows"
    assert strict.time == 0
    short = BandedWindowGram(SMALL, entropy=SeededEntropy(8))
    for stream in (strict, short):
        stream.add([[0.5, 0.5]] * 3)
    assert strict.publish() == short.publish()


def test_a_fork_a_copy_and_a_pickle_are_refused() -> None:
    window = BandedWindowGram(SMALL)
    window.add(unit_rows(4, 2))
    assert in_a_fork(lambda: window.add(unit_rows(3, 2))).startswith("SingleUseError")
    assert in_a_fork(window.publish).startswith("SingleUseError")
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(SingleUseError):
            duplicate(window)
    second = BandedWindowGram.__new__(BandedWindowGram)
    second.__dict__.update(window.__dict__)
    for use in (second.publish, lambda: second.add(unit_rows(1, 2))):
        with pytest.raises(SingleUseError):
            use()
    window.publish()


def test_rows_that_use_the_window_are_refused() -> None:
    window = BandedWindowGram(SMALL)

    class Rows:
        def __array__(self, *_: Any, **__: Any) -> np.ndarray:
            window.add(unit_rows(1, 2))
            return unit_rows(1, 2)

    with pytest.raises(SingleUseError):
        window.add(Rows())
    assert window.time == 0


class Failing(SeededEntropy):
    """Gives out when it is asked."""

    def words(self, count: int) -> np.ndarray:
        """Fail."""
        raise EntropyError(f"the bits ran out: {count} words are asked for")


def test_after_an_interruption_nothing_is_published() -> None:
    window = BandedWindowGram(SMALL, entropy=Failing(1))
    with pytest.raises(EntropyError):
        window.add(unit_rows(3, 2))
    for use in (window.publish, lambda: window.add(unit_rows(1, 2))):
        with pytest.raises(SingleUseError, match="interrupted"):
            use()


def test_threads_take_turns() -> None:
    window = BandedWindowGram(SMALL, entropy=SeededEntropy(2))
    row = unit_rows(1, 2)
    threads = [threading.Thread(target=lambda: [window.add(row) for _ in range(30)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    one = BandedWindowGram(SMALL, entropy=SeededEntropy(2))
    one.add(np.repeat(row, 120, axis=0))
    assert window.time == 120
    assert window.publish() == one.publish()
