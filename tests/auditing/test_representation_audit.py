"""The representation audit flags float noise of every make, keeps quiet on exact lattices, and knows its power.

Each alarm on a private target has probability at most 1e-9. What is flagged has an event of probability at least 1/100
on one input and none, or a negligible one, on the other; `ENOUGH` bounds the chance that its count is too small.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dpmatrix.auditing import (
    CentrePair,
    EventCounts,
    RepresentationTarget,
    adversarial_centres,
    audit_representation,
    neighbouring_pairs,
    violation_is_certified,
)
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_discrete import discrete_gaussian, discrete_laplace

UNIT = CentrePair("zero and one", 0.0, 1.0)
BIT = CentrePair("zero and one", 0, 1)
TRAINING, CONFIRMATION = 20_000, 80_000
ERROR = 1e-9


def run(target: RepresentationTarget, pairs=None, *, epsilon=1, training=TRAINING, confirmation=CONFIRMATION, **others):
    pairs = adversarial_centres(1.0) if pairs is None else pairs
    others.setdefault("generator", 1)
    return audit_representation(target, pairs, epsilon=epsilon, training=training, confirmation=confirmation, **others)


def box_muller(size: int, generator: np.random.Generator) -> np.ndarray:
    radius = np.sqrt(-2.0 * np.log1p(-generator.random(size)))
    return radius * np.cos(2.0 * np.pi * generator.random(size))


def polar(size: int, generator: np.random.Generator) -> np.ndarray:
    first, second = 2.0 * generator.random((2, 4 * size + 100)) - 1.0
    square = first**2 + second**2
    kept = (square < 1.0) & (square > 0.0)
    return (first[kept] * np.sqrt(-2.0 * np.log(square[kept]) / square[kept]))[:size]


def sum_of_uniforms(size: int, generator: np.random.Generator) -> np.ndarray:
    return generator.random((12, size)).sum(axis=0) - 6.0


def inverse_laplace(size: int, generator: np.random.Generator) -> np.ndarray:
    uniform = generator.random(size) - 0.5
    return -np.sign(uniform) * np.log1p(-2.0 * np.abs(uniform))


def difference_of_exponentials(size: int, generator: np.random.Generator) -> np.ndarray:
    return generator.exponential(size=size) - generator.exponential(size=size)


FLOAT_NOISES = {
    "ziggurat": (lambda size, generator: 4.0 * generator.normal(size=size), 1e-5),
    "Box-Muller": (lambda size, generator: 4.0 * box_muller(size, generator), 1e-5),
    "polar": (lambda size, generator: 4.0 * polar(size, generator), 1e-5),
    "sum of uniforms": (lambda size, generator: 4.0 * sum_of_uniforms(size, generator), 1e-5),
    "Laplace": (lambda size, generator: generator.laplace(size=size), 0),
    "inverse Laplace": (inverse_laplace, 0),
    "difference of exponentials": (difference_of_exponentials, 0),
}


def test_so_many_outputs_are_enough() -> None:
    """An event of probability 1/100 against none is certified, at both margins, but for 1e-9."""
    least = 400
    assert binom.cdf(least - 1, CONFIRMATION, 0.01) < ERROR
    counts = EventCounts(least, CONFIRMATION, 0, CONFIRMATION)
    assert violation_is_certified(counts, epsilon=1, delta=1e-5, failure_probability=ERROR / 2)


@pytest.mark.parametrize("name", FLOAT_NOISES)
def test_noise_added_in_floating_point_is_flagged_blindly(name: str) -> None:
    noise, delta = FLOAT_NOISES[name]
    result = run(lambda centre, size, generator: centre + noise(size, generator), delta=delta)
    assert result.leaks
    assert result.violated
    assert result.delta_lower_bound > 0.01
    assert result.share_lower_bound > 1.25 * result.other_share_upper_bound
    assert "significant set bit" in result.event or "bits" in result.event
    assert result.training_samples == 2 * TRAINING * len(adversarial_centres(1.0))


@pytest.mark.parametrize("scale", [1e-12, 0.1, 1e9])
def test_units_do_not_matter(scale: float) -> None:
    result = run(
        lambda centre, size, generator: centre + generator.laplace(scale=scale, size=size), adversarial_centres(scale)
    )
    assert result.leaks
    assert result.delta_lower_bound > 0.1


def test_floats_of_half_width_are_flagged() -> None:
    def target(centre: float, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.float32(centre) + generator.laplace(size=size).astype(np.float32)

    assert run(target).leaks


def test_vectors_and_matrices_are_flagged() -> None:
    """The float simulation of a mechanism leaks, where its release does not."""
    pairs = neighbouring_pairs(3, 1, Adjacency.REPLACE_ONE)[:1]
    result = run(LaplaceInputPerturbation(1).simulate, pairs, training=5000, confirmation=20_000)
    assert result.leaks
    assert "coordinate" in result.event

    def one_of_three(centre: float, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.array([0.0, centre, 5.0]) + generator.laplace(size=(size, 3))

    assert run(one_of_three, [UNIT]).leaks


def test_integers_of_any_width_are_flagged() -> None:
    """Noise on a coarser grid than the data: the low bits are the data."""

    def target(centre: int, size: int, generator: np.random.Generator) -> list[int]:
        return [centre + 2**70 + 16 * int(noise) for noise in generator.integers(-(2**30), 2**30, size)]

    result = run(target, [CentrePair("three and five", 3, 5)], training=1000, confirmation=2000)
    assert result.leaks
    assert result.delta_lower_bound > 0.2


LATTICES = {
    "Laplace 2**14": (lambda size, entropy: discrete_laplace(2**14, size, entropy), Fraction(1, 2**14)),
    "Laplace 2**30 + 1": (lambda size, entropy: discrete_laplace(2**30 + 1, size, entropy), Fraction(1, 2**30 + 1)),
    "Laplace 5 / 3": (lambda size, entropy: discrete_laplace(Fraction(5, 3), size, entropy), Fraction(3, 5)),
}


@pytest.mark.parametrize("steps", [1, 2**12])
@pytest.mark.parametrize("name", LATTICES)
def test_exact_laplace_noise_on_a_lattice_raises_no_alarm(name: str, steps: int) -> None:
    """Claimed is no more than what the shift costs: one over the scale for each step of the lattice."""
    noise, cost = LATTICES[name]
    entropy = SeededEntropy(7)
    for far in (0, 3, 2**20, 2**40 + 1, -(2**53) + 1):
        pair = CentrePair("a shift", far, far + steps)
        result = run(
            lambda centre, size, _: centre + noise(size, entropy),
            [pair],
            epsilon=cost * steps,
            confirmation=10**5,
        )
        assert not result.leaks
        assert not result.violated


def gaussian_delta(deviation: int, shift: int, epsilon: float) -> float:
    """Sum the privacy profile of the discrete Gaussian; 1e-9 is far above the rounding of the sums."""
    support = np.arange(-12 * deviation, 12 * deviation + 1)
    weights = np.exp(-(support**2) / (2 * deviation**2))
    losses = (2 * support * shift + shift**2) / (2 * deviation**2)
    return float(np.sum(np.maximum(0.0, 1.0 - np.exp(epsilon - losses)) * weights) / np.sum(weights)) + 1e-9


@pytest.mark.parametrize("shift", [1, 2**14])
def test_exact_gaussian_noise_on_a_lattice_raises_no_alarm(shift: int) -> None:
    deviation, entropy = 2**16, SeededEntropy(8)
    epsilon = Fraction(shift, deviation)
    result = run(
        lambda centre, size, _: centre + discrete_gaussian(deviation**2, size, entropy),
        [CentrePair("a shift", 5, 5 + shift)],
        epsilon=epsilon,
        delta=gaussian_delta(deviation, shift, float(epsilon)),
        confirmation=10**6,
    )
    assert not result.leaks
    assert not result.violated


def test_a_grid_without_low_bits_has_nothing_to_give_away() -> None:
    result = run(lambda centre, size, generator: centre + generator.integers(-9, 9, size), [BIT])
    assert not result.leaks
    assert result.counts is None
    assert result.detectable is None
    assert "no low bits" in result.event


def test_too_little_noise_is_no_leak_of_the_representation() -> None:
    """Half of the noise that the claim takes, on a grid: `audit` refutes it, and the low bits are innocent.

    Within one binade and with windows ten bits below the spread, ratios of conditional probabilities stay below 1.02,
    so that a ratio of 5/4 is certified with probability below 1e-9.
    """
    for seed in range(5):
        result = run(
            lambda centre, size, generator: np.rint((centre + generator.laplace(scale=0.5, size=size)) * 2**30) / 2**30,
            [UNIT],
            generator=seed,
        )
        assert not result.leaks


def test_atoms_of_truncation_are_no_leak_of_the_representation() -> None:
    """Half of the noise, truncated: the two ends are outputs with few set bits, and still say nothing of low bits."""

    def target(centre: float, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.clip(np.rint((centre + generator.laplace(scale=0.5, size=size)) * 2**30) / 2**30, -1.0, 1.0)

    assert not run(target, [UNIT]).leaks


def coarse_value(size: int, generator: np.random.Generator) -> np.ndarray:
    """Draw even integers of one binade, whatever the input."""
    return 2 * generator.integers(2**19, 2**20, size)


def leaking_bit(probability: float) -> RepresentationTarget:
    """Set the low bit with this probability on one input, and never on the other."""

    def target(centre: int, size: int, generator: np.random.Generator) -> np.ndarray:
        return coarse_value(size, generator) + (centre == 1) * (generator.random(size) < probability)

    return target


SMALL = {"training": 4000, "confirmation": 10_000}


def test_a_leak_is_caught_with_the_predicted_power() -> None:
    """A leak of the stated size is caught with probability 0.99; at 0.97, fewer than 81 of 100 have one below 1e-9."""
    probability = run(leaking_bit(0.1), [BIT], **SMALL).detectable.smallest_leak
    assert 0.001 < probability < 0.02
    least = 81
    assert binom.cdf(least - 1, 100, 0.97) < ERROR
    caught = sum(run(leaking_bit(probability), [BIT], generator=seed, **SMALL).leaks for seed in range(100))
    assert caught >= least


def test_a_leak_far_below_the_stated_size_is_not_claimed() -> None:
    """What would be needed for a certificate, and how improbable that is for 50 leaks of a twentieth of the size."""
    size, runs = SMALL["confirmation"], 50
    probability = run(leaking_bit(0.1), [BIT], **SMALL).detectable.smallest_leak / 20
    needed = next(
        hits
        for hits in range(size)
        if violation_is_certified(EventCounts(hits, size, 0, size), epsilon=1, delta=0, failure_probability=ERROR / 2)
    )
    assert runs * binom.sf(needed - 1, size, probability) < ERROR
    for seed in range(runs):
        assert not run(leaking_bit(probability), [BIT], generator=seed, **SMALL).leaks


def answered_bit(epsilon: float) -> RepresentationTarget:
    """Answer with the true low bit at odds exp(epsilon): exactly (epsilon, 0)-differentially private."""
    truth = math.exp(epsilon) / (1.0 + math.exp(epsilon))

    def target(centre: int, size: int, generator: np.random.Generator) -> np.ndarray:
        lie = generator.random(size) >= truth
        return coarse_value(size, generator) + (centre ^ lie)

    return target


def test_low_bits_that_tell_just_what_is_claimed_raise_alarms_as_rarely_as_stated() -> None:
    """At failure probability 1/5 more than 80 alarms among 200 have probability below 1e-9; just beyond, all alarm."""
    most = 80
    assert binom.sf(most, 200, 0.2) < ERROR
    sizes = {"training": 400, "confirmation": 1000, "failure_probability": 0.2}
    alarms = sum(run(answered_bit(1.0), [BIT], generator=seed, **sizes).leaks for seed in range(200))
    assert alarms <= most
    beyond = run(answered_bit(1.0), [BIT], epsilon=Fraction(9, 10))
    assert beyond.leaks
    assert not run(answered_bit(1.0), [BIT]).leaks
    assert 0 < beyond.delta_lower_bound < math.exp(1) / (1 + math.exp(1)) - math.exp(0.9) / (1 + math.exp(1))


def test_delta_of_the_claim_counts() -> None:
    """A leak of probability 0.1 is what (1, 0.1) allows; (1, 0.08) does not."""
    assert not run(leaking_bit(0.1), [BIT], delta=0.1).violated
    assert run(leaking_bit(0.1), [BIT], delta=0.08).leaks


def test_the_result_says_where_it_was_found() -> None:
    result = run(leaking_bit(0.5), [BIT], training=1000, confirmation=5000)
    assert result.direction == "neighbour"
    assert result.event.endswith("likelier on the neighbour")
    assert "2**20 and 2**21" in result.event
    assert result.pair is BIT
    assert result.counts.trials == 5000
    assert result.counts.other_hits == 0
    assert 0.4 < result.counts.hits / 5000 < 0.6
    assert result.cell_counts.trials == 5000
    swapped = run(leaking_bit(0.5), [CentrePair("one and zero", 1, 0)], training=1000, confirmation=5000)
    assert swapped.direction == "data"


@pytest.mark.parametrize(
    ("changed", "parameter"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"failure_probability": 0}, "failure_probability"),
        ({"training": 99}, "training"),
        ({"training": 0}, "training"),
        ({"confirmation": 0}, "confirmation"),
        ({"confirmation": 2.5}, "confirmation"),
        ({"pairs": []}, "pairs"),
    ],
)
def test_parameters_out_of_their_domain_are_refused(changed: dict[str, object], parameter: str) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        run(leaking_bit(0.5), **({"pairs": [BIT], "training": 200, "confirmation": 200} | changed))
    assert caught.value.parameter == parameter


def test_outputs_of_several_shapes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="coordinates"):
        run(lambda centre, size, generator: generator.random((size, 1 + centre)), [BIT], training=200)
