"""Audits of the representation: what the low bits of an output give away, found from outputs alone.

Noise added in floating point is flagged at 100,000 outputs a side; exact noise on a lattice passes at 10,000,000, at
the least epsilon that it guarantees. Every audit is wrong with probability at most 1e-9. An event of probability 1/10
against none is certified even at 3000 outputs, the fewest here, but for 1e-20. These are no evidence for a claim of the
documents, which speak of real numbers.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.auditing import CentrePair, adversarial_centres, audit_representation, neighbouring_pairs
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace

TRAINING, FLAGGED, PASSED = 20_000, 80_000, 10_000_000
DEVIATION = 2**20


def numpy_laplace(centre: float, size: int, generator: np.random.Generator) -> np.ndarray:
    return centre + generator.laplace(scale=1.0, size=size)


def numpy_gaussian(centre: float, size: int, generator: np.random.Generator) -> np.ndarray:
    return centre + generator.normal(scale=4.0, size=size)


@pytest.mark.parametrize(("target", "delta"), [(numpy_laplace, 0), (numpy_gaussian, 1e-4)])
def test_float_noise_gives_the_input_away(note_representation, failure_probability, target, delta) -> None:
    """Laplace noise of scale 1 should be (1, 0)-private; Gaussian noise of deviation 4, (1, 4e-5)-private."""
    result = audit_representation(
        target,
        adversarial_centres(1.0),
        epsilon=1,
        delta=delta,
        training=TRAINING,
        confirmation=FLAGGED,
        failure_probability=failure_probability,
        generator=2012,
    )
    note_representation(result)
    assert result.leaks
    assert result.delta_lower_bound > 0.1


@pytest.mark.parametrize(("scale", "shift"), [(2**14, 1), (2**30 + 1, 2**30 + 1), (2**40, 2**20)])
def test_exact_laplace_noise_gives_nothing_away(note_representation, failure_probability, scale, shift) -> None:
    entropy = SystemEntropy()
    pairs = [pair for pair in adversarial_centres(shift) if abs(pair.data) < 2**61 and pair.distance == shift]
    result = audit_representation(
        lambda centre, size, _: centre + discrete_laplace(scale, size, entropy),
        pairs,
        epsilon=Fraction(shift, scale),
        training=TRAINING,
        confirmation=PASSED,
        failure_probability=failure_probability,
        generator=1,
    )
    note_representation(result)
    assert not result.leaks
    assert not result.violated


def test_exact_gaussian_noise_gives_nothing_away(note_representation, failure_probability) -> None:
    """A shift by s costs, at epsilon = s / sigma, the mass beyond the point where the loss passes epsilon."""
    entropy, shift = SystemEntropy(), DEVIATION // 4
    epsilon = shift / DEVIATION
    support = np.arange(-10 * DEVIATION, 10 * DEVIATION + 1)
    weights = np.exp(-0.5 * (support / DEVIATION) ** 2)
    excess = -np.expm1(epsilon - (support * shift + shift**2 / 2) / DEVIATION**2)
    # The sums are rounded by far less than what is added.
    delta = float(np.sum(np.maximum(excess, 0.0) * weights) / np.sum(weights)) + 1e-9
    result = audit_representation(
        lambda centre, size, _: centre + discrete_gaussian(DEVIATION**2, size, entropy),
        [CentrePair("a shift", 12345, 12345 + shift)],
        epsilon=epsilon,
        delta=delta,
        training=TRAINING,
        confirmation=PASSED,
        failure_probability=failure_probability,
        generator=1,
    )
    note_representation(result)
    assert not result.leaks
    assert not result.violated


def test_laplace_input_perturbation_gives_nothing_away(note_representation, failure_probability) -> None:
    """Its law, drawn by the vectorised sampler of the same law: the lattice matrix of the records plus its noise."""
    mechanism, entropy = LaplaceInputPerturbation(1, coordinate_bits=18), SystemEntropy()
    upper = np.triu_indices(2)

    def target(data: np.ndarray, size: int, _: np.random.Generator) -> np.ndarray:
        # Truncation towards zero to 18 bits; the sums fit a word, and the scale fits the sampler.
        coordinates = np.trunc(np.ldexp(data, mechanism.coordinate_bits)).astype(np.int64)
        return (coordinates.T @ coordinates)[upper] + discrete_laplace(mechanism.noise_scale(2), (size, 3), entropy)

    result = audit_representation(
        target,
        neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)[::6],
        epsilon=1,
        training=TRAINING // 2,
        confirmation=PASSED // 3,
        failure_probability=failure_probability,
        generator=1,
    )
    note_representation(result, (mechanism, "low bits of outputs of its law, drawn in bulk, d = 2"))
    assert not result.leaks
    assert not result.violated


@pytest.mark.parametrize("method", ["simulate", "release"])
def test_the_release_is_safe_where_the_simulation_is_not(note_representation, failure_probability, method: str) -> None:
    """Both are the same mechanism to a mathematician; the floats of the one give a record away, as it warns."""
    mechanism = LaplaceInputPerturbation(1)

    def release(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        entropy = SeededEntropy(int(generator.integers(2**62)))
        return np.stack([mechanism.release(data, entropy=entropy).to_numpy() for _ in range(size)])

    result = audit_representation(
        mechanism.simulate if method == "simulate" else release,
        neighbouring_pairs(2, 2, Adjacency.REPLACE_ONE)[:1],
        epsilon=1,
        training=500,
        confirmation=3000,
        failure_probability=failure_probability,
        generator=1,
    )
    seen = "the release" if method == "release" else "the simulation in floats, which is no release"
    note_representation(result, (mechanism, f"low bits of {seen}, d = 2"), control=method == "simulate")
    assert result.leaks == (method == "simulate")
    assert result.violated == (method == "simulate")
