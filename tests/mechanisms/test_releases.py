"""What every release says about itself."""

from __future__ import annotations

import time
from fractions import Fraction

import attrs
import numpy as np
import pytest

from dpmatrix.mechanisms import LaplaceInputPerturbation, Release, SymmetrisedWishartMechanism, WishartMechanism
from dpmatrix.mechanisms.wishart_noise import public_grid
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy

PRIVATE = [
    kind(1, adjacency) for kind in (LaplaceInputPerturbation, SymmetrisedWishartMechanism) for adjacency in Adjacency
]
ALL = [*PRIVATE, WishartMechanism(1, acknowledge="wishart.theorem-4")]
DATA = np.array([[0.5, 0.25], [-0.5, 0.5]])


every_mechanism = pytest.mark.parametrize(
    "mechanism", ALL, ids=lambda mechanism: f"{mechanism.name}, {mechanism.adjacency.value}"
)


@every_mechanism
def test_a_seeded_release_is_never_private(mechanism):
    release = mechanism.release(DATA, entropy=SeededEntropy(1))
    assert not release.private
    assert release.guarantee is None
    assert release.entropy == "seed 1"


@every_mechanism
def test_equal_seeds_give_equal_releases(mechanism):
    first, second, other = (mechanism.release(DATA, entropy=SeededEntropy(seed)) for seed in (1, 1, 2))
    assert first == second
    assert first != other


@every_mechanism
def test_system_releases_differ_and_are_symmetric_integers(mechanism):
    first, second = mechanism.release(DATA), mechanism.release(DATA)
    assert first != second
    assert (first.integers == first.integers.T).all()
    assert all(type(entry) is int for entry in first.integers.flat)
    assert first.entropy == SystemEntropy.description
    assert first.private is (mechanism.guarantee is not None)


@every_mechanism
def test_grid_depends_on_the_number_of_records_at_most(mechanism):
    assert mechanism.release(DATA).grid == mechanism.release(np.zeros((2, 2))).grid


@every_mechanism
def test_twenty_dimensions_take_well_under_a_second(mechanism):
    data = np.full((50, 20), 0.125)
    start = time.perf_counter()
    mechanism.release(data)
    assert time.perf_counter() - start < 1


@every_mechanism
@pytest.mark.parametrize(("offset", "accepted"), [(0.0, True), (0.5, False)])
def test_mean_of_simulated_outputs_is_the_second_moment_plus_the_mean_noise(mechanism, offset, accepted):
    # Median of means: a mean of 4000 is off by 4 standard errors with probability at most 1/16 (Chebyshev), so the
    # median of 100 such means with probability below 2**100 * 16**-50 = 2**-100. The control is off by 14 or more.
    divisor = 2 if mechanism.adjacency is Adjacency.REPLACE_ONE else 1
    expected = DATA.T @ DATA / divisor + offset
    if isinstance(mechanism, LaplaceInputPerturbation):
        deviation = np.sqrt(2) * float(mechanism.noise_scale(2) * mechanism.grid_for(DATA))
    elif isinstance(mechanism, WishartMechanism):
        # A diagonal entry is c times a chi-square variate with three degrees of freedom.
        deviation = np.sqrt(6) * float(mechanism.noise_scale(2))
        expected = expected + 3 * float(mechanism.noise_scale(2)) * np.eye(2)
    else:
        deviation = np.sqrt(12) * float(mechanism.noise_scale(2, divisor))
    outputs = mechanism.simulate(DATA, 400_000, np.random.default_rng(8))
    medians = np.median(outputs.reshape(100, 4000, 2, 2).mean(axis=1), axis=0)
    assert bool((np.abs(medians - expected) <= 4 * deviation / np.sqrt(4000)).all()) is accepted


@pytest.mark.parametrize("mechanism", PRIVATE, ids=lambda mechanism: f"{mechanism.name}, {mechanism.adjacency.value}")
def test_guarantee_names_epsilon_and_adjacency(mechanism):
    release = mechanism.release(DATA)
    assert release.guarantee == mechanism.guarantee
    assert release.guarantee.epsilon == 1
    assert release.guarantee.is_pure
    assert release.guarantee.adjacency is mechanism.adjacency is release.adjacency


def make_release(integers, grid):
    return Release(
        integers=np.array(integers, dtype=object),
        grid=grid,
        guarantee=None,
        mechanism="none",
        adjacency=Adjacency.REPLACE_ONE,
        entropy="none",
    )


def test_floats_are_correctly_rounded_also_when_the_integers_are_not_floats():
    release = make_release([[10**30 + 1, 3], [3, 1]], Fraction(1, 3 * 10**30))
    assert release.to_numpy().tolist() == [
        [1 / 3, float(Fraction(1, 10**30))],
        [float(Fraction(1, 10**30)), float(Fraction(1, 3 * 10**30))],
    ]


def test_a_release_cannot_be_changed():
    integers = np.array([[1]], dtype=object)
    release = make_release(integers, Fraction(1))
    integers[0, 0] = 5
    assert release.integers[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        release.integers[0, 0] = 2
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        release.grid = Fraction(2)


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(3), Fraction(1, 3), Fraction(10**9), Fraction(7, 10**12)])
@pytest.mark.parametrize(
    ("dimension", "bits"), [(1, 24), (15, 24), (16, 22), (31, 22), (32, 20), (800, 12), (10**6, 12)]
)
def test_public_grid_is_a_power_of_two_below_the_scale(scale, dimension, bits):
    grid = public_grid(scale, dimension)
    assert 2**bits <= scale / grid <= 2 ** (bits + 2)
    assert Fraction(2) ** round(np.log2(float(grid))) == grid
