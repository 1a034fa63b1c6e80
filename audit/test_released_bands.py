"""The sliding window of the least noise: its weights and its noise recomputed, and its outputs from known bits.

A row enters as many combinations as there are weights, so the noise is for the sum of their squares, and no combination
may outgrow 64 bits. From known bits every published window is computed here from the rows and the numbers of the
sampler, by fractions, over several turns of all rings. Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from audit.released.settings import ADDED, REPLACED
from audit.released.subjects import SecretSeed
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.streams import BandedWindowGram, BandedWindowParameters, banded_window
from dpmatrix.mechanisms.streams.factorisation import WindowFactorisation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.integer_noise import gaussian_integers

DELTA = Fraction(1, 10**6)
RELATIONS = (REPLACED, ADDED)
SHAPES = ((1, None), (1, 1), (2, None), (2, 1), (3, 3), (3, 2), (4, 9), (5, None), (8, 40), (33, None))
"""Leaves of a window, and leaves of a combination."""


def exact_weights(leaves: int, bands: int) -> list[Fraction]:
    """Expand the root of 1 + x + ... + x^(W - 1), one term after the other, times 2^16."""
    terms: list[Fraction] = []
    for place in range(bands):
        known = sum((terms[i] * terms[place - i] for i in range(1, place)), Fraction(0))
        terms.append(Fraction(1) if place == 0 else (Fraction(int(place < leaves)) - known) / 2)
    return [term * 2**16 for term in terms]


def weights_of(leaves: int, bands: int | None) -> list[int]:
    """Return the weights of a combination."""
    found: list[int] = WindowFactorisation(leaves, (3 * leaves + 1) // 2 if bands is None else bands).weights.tolist()
    return found


@pytest.mark.parametrize(("leaves", "bands"), SHAPES)
def test_weights_are_those_of_the_root_and_their_squares_are_summed(leaves: int, bands: int | None) -> None:
    count = (3 * leaves + 1) // 2 if bands is None else bands
    found = WindowFactorisation(leaves, count)
    weights = found.weights.tolist()
    expected = exact_weights(leaves, count)
    padded = weights + [0] * (count - len(weights))
    assert all(abs(one - other) <= Fraction(5001, 10000) for one, other in zip(padded, expected, strict=True))
    assert found.squared_norm == sum(weight**2 for weight in weights)
    assert found.total == sum(abs(weight) for weight in weights)
    with pytest.raises(ValueError, match="read-only"):
        found.weights[0] = 1


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_noise_is_for_all_combinations_that_a_row_enters(dimension: int, adjacency: Adjacency) -> None:
    """On coarse lattices and finer ones; the control is the noise for eleven tenths of epsilon."""
    for (leaves, bands), bits, epsilon in zip(SHAPES[::2], (0, 3, 0, 10, 14), (1, 7, 20, 3, 1), strict=True):
        promise = PrivacyGuarantee(epsilon, Fraction(1, 4) if bits == 0 else DELTA, adjacency)
        options: dict[str, Any] = {"bands": bands, "coordinate_bits": bits}
        parameters = BandedWindowParameters(dimension, leaves, promise, **options)
        weights = weights_of(leaves, bands)
        changes = 2 if adjacency is REPLACED and dimension > 1 else 1
        square = sum(weight**2 for weight in weights) * changes * 16**bits
        coordinates = len(weights) * dimension * (dimension + 1) // 2

        assert meets(DiscreteGaussianProfile(square, parameters.variance, coordinates), promise)
        assert parameters.profile == DiscreteGaussianProfile(square, parameters.variance, coordinates)
        louder = BandedWindowParameters(
            dimension, leaves, evolve(promise, epsilon=promise.epsilon * Fraction(11, 10)), **options
        )
        assert not meets(DiscreteGaussianProfile(square, louder.variance, coordinates), promise), "control"


def windows(rows: np.ndarray, parameters: BandedWindowParameters, seed: int) -> list[list[list[Fraction]]]:
    """Compute what is published after each leaf, in units of one, from exact sums and the numbers of the sampler."""
    bits, leaf, dimension = parameters.coordinate_bits, parameters.leaf, parameters.dimension
    leaves = parameters.window // leaf
    weights = weights_of(leaves, parameters.bands)
    upper = np.triu_indices(dimension)
    source = SeededEntropy(seed)
    cut = np.trunc(np.ldexp(rows, bits)).astype(np.int64).astype(object)
    sums: list[np.ndarray] = []
    estimates: list[np.ndarray] = []
    published = []
    for start in range(0, len(rows) - leaf + 1, leaf):
        part = cut[start : start + leaf]
        sums.append((part.T @ part)[upper])
        pairs = list(zip(weights, sums[::-1], strict=False))
        noise = gaussian_integers(parameters.variance, len(upper[0]), source)
        noisy = [sum(w * int(g[k]) for w, g in pairs) + int(noise[k]) for k in range(len(upper[0]))]
        later = list(zip(weights[1:], estimates[::-1], strict=False))
        estimates.append(
            np.array([(Fraction(y) - sum(w * x[k] for w, x in later)) / weights[0] for k, y in enumerate(noisy)])
        )
        total = sum(estimates[-leaves:], np.zeros(len(upper[0]), dtype=object))
        whole = np.zeros((dimension, dimension), dtype=object)
        whole[upper] = whole.T[upper] = total
        published.append((whole / 4**bits).tolist())
    return published


def near(found: Any, expected: Sequence[Sequence[Fraction]]) -> bool:
    """Whether a release is what is expected, but for the rounding of floats."""
    values = np.array([[float(entry * found.grid) for entry in row] for row in found.integers.tolist()])
    return bool(np.allclose(values, np.array(expected, dtype=float), rtol=1e-11, atol=1e-11))


@pytest.mark.parametrize(
    ("window", "leaf", "bands", "dimension", "bits"),
    [
        (1, 1, None, 2, 14),
        (2, 1, 1, 1, 0),
        (2, 1, None, 2, 8),
        (6, 2, None, 3, 14),
        (6, 3, 7, 2, 10),
        (4, 1, 2, 2, 14),
        (3, 1, 11, 1, 20),
        (12, 4, None, 2, 14),
    ],
)
def test_every_window_is_computed_from_rows_and_numbers_of_the_sampler(
    window: int, leaf: int, bands: int | None, dimension: int, bits: int
) -> None:
    """Rows come in pieces of all sizes, some of them longer than one; what is published in a leaf is as before it."""
    promise = PrivacyGuarantee(8, DELTA, ADDED)
    parameters = BandedWindowParameters(dimension, window, promise, leaf=leaf, bands=bands, coordinate_bits=bits)
    generator = np.random.default_rng(window)
    rows = generator.uniform(-1, 1, (40 * leaf, dimension)) / dimension
    given = rows.copy()
    along = np.zeros(dimension)
    along[0] = 1.0
    rows[5], given[5] = along, 7 * along
    expected = windows(rows, parameters, window)
    running = BandedWindowGram(parameters, entropy=SecretSeed(window))
    assert not running.publish().integers.any(), "nothing was read"
    time = 0
    while time < len(rows):
        count = min(int(generator.integers(0, 2 * leaf + 2)), len(rows) - time)
        running.add(given[time : time + count])
        time += count
        assert running.time == time
        if time >= leaf:
            release = running.publish()
            assert near(release, expected[time // leaf - 1])
            assert release.guarantee == running.guarantee == promise
            assert release.grid == Fraction(1, 4**bits * 2**32)
    assert not near(running.publish(), expected[0]), "control"
    again = BandedWindowGram(parameters, entropy=SeededEntropy(window))
    again.add(given)
    assert again.publish().integers.tolist() == running.publish().integers.tolist()
    assert again.guarantee is again.publish().guarantee is None, "the bits are known"


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
def test_parameters_for_which_nothing_is_shown_are_refused(adjacency: Adjacency) -> None:
    promise = PrivacyGuarantee(1, DELTA, adjacency)

    def built(window: Any = 4, guarantee: PrivacyGuarantee = promise, **more: Any) -> BandedWindowParameters:
        return BandedWindowParameters(2, window, guarantee, **more)

    assert built().leaves == 4
    for window in (0, -2, True, 2.0, "4"):
        with pytest.raises(InvalidParameterError):
            built(window)
    for leaf in (0, -1, 3, 8, True, 1.0):
        with pytest.raises(InvalidParameterError):
            built(leaf=leaf)
    for bands in (0, -1, 33, True, 2.5):
        with pytest.raises(InvalidParameterError):
            built(bands=bands)
    with pytest.raises(InvalidParameterError):
        built(guarantee=PrivacyGuarantee(1, 0, adjacency))
    for bits in (-1, 513, True, 14.0, np.int64(40)):
        with pytest.raises(InvalidParameterError):
            built(coordinate_bits=bits)
    for dimension in (0, -1, True, 2.0):
        with pytest.raises(InvalidParameterError):
            BandedWindowParameters(dimension, 4, promise)
    for over_norm in ("keep", None, True):
        with pytest.raises(InvalidParameterError):
            built(over_norm=over_norm)


@pytest.mark.parametrize(("leaf", "bands"), [(1, 1), (4, None), (1000, 3)])
def test_combinations_that_might_outgrow_64_bits_are_refused_and_others_are_exact(
    monkeypatch: pytest.MonkeyPatch, leaf: int, bands: int | None
) -> None:
    """A leaf of records along one axis is the largest sum there is; no bit of a combination is lost before noise."""
    seen: list[int] = []
    add = banded_window.integer_sum

    def watched(combined: np.ndarray, noise: np.ndarray) -> np.ndarray:
        seen.append(combined.tolist()[0])
        return add(combined, noise)

    monkeypatch.setattr(banded_window, "integer_sum", watched)
    promise = PrivacyGuarantee(1, DELTA, ADDED)
    total = sum(map(abs, weights_of(2, bands)))
    fits = [bits for bits in range(30) if leaf * total * 4**bits < 2**62]
    last = BandedWindowParameters(1, 2 * leaf, promise, leaf=leaf, bands=bands, coordinate_bits=fits[-1])
    with pytest.raises(InvalidParameterError, match="64 bits"):
        BandedWindowParameters(1, 2 * leaf, promise, leaf=leaf, bands=bands, coordinate_bits=fits[-1] + 1)
    rows = np.ones((4 * leaf, 1))
    rows[0] = 1 - 2.0 ** -fits[-1]
    running = BandedWindowGram(last, entropy=SeededEntropy(1))
    running.add(rows)
    assert near(running.publish(), windows(rows, last, 1)[-1])
    full = leaf * 4 ** fits[-1]
    sums = [full - 4 ** fits[-1] + (2 ** fits[-1] - 1) ** 2, full, full, full]
    weights = weights_of(2, bands)
    assert seen == [sum(w * sums[t - k] for k, w in enumerate(weights) if k <= t) for t in range(4)]
    assert all(isinstance(value, int) for value in seen)


@pytest.mark.parametrize("moment", ["noise", "sum"])
def test_a_window_that_was_interrupted_publishes_nothing_more(monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """A row might be in one combination and not in the next, or noise be drawn again for one and the same sum."""
    parameters = BandedWindowParameters(2, 4, PrivacyGuarantee(1, DELTA, ADDED), leaf=2)
    running = BandedWindowGram(parameters)
    running.add([[0.5, 0.5]] * 3)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(banded_window, {"noise": "gaussian_integers", "sum": "lattice_gram"}[moment], interrupted)
        with pytest.raises(KeyboardInterrupt):
            running.add([[0.5, 0.5]])
    for use in (running.publish, lambda: running.add([[0.5, 0.5]])):
        with pytest.raises(SingleUseError, match="interrupted"):
            use()


def test_rows_that_are_refused_are_not_read() -> None:
    """All rows of a call, or none; the window goes on."""
    parameters = BandedWindowParameters(2, 2, PrivacyGuarantee(1, DELTA, ADDED), over_norm="reject", coordinate_bits=8)
    rows = np.array([[0.5, 0.5], [0.25, -0.5], [1.0, 0.0]])
    running = BandedWindowGram(parameters, entropy=SeededEntropy(5))
    running.add(rows[:2])
    for bad in ([[0.5, 0.5], [1.0, 2.0**-40]], [[0.5, float("nan")]], [[0.5]], [[0.5, 0.5, 0.0]], [0.5, 0.5]):
        with pytest.raises(InvalidParameterError):
            running.add(bad)
        assert running.time == 2
    running.add(rows[:0])
    running.add(rows[2:])
    assert near(running.publish(), windows(rows, parameters, 5)[-1])
