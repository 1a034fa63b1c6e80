"""MOD-SULQ and SULQ on the lattice: calibration, exact privacy of the integers, post-processing, bad data."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import Mechanism, ModSulq, Release, Sulq, principal_components
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy

BOTH = list(Adjacency)
KINDS = [ModSulq, Sulq]
DELTA = Fraction(1, 1000)


def printed(kind, d, epsilon, delta):
    """Compute the documents' deviation on X'X."""
    epsilon, delta = mpmath.mpf(epsilon), mpmath.mpf(delta.numerator) / delta.denominator
    if kind is Sulq:
        return mpmath.sqrt(8) * d * mpmath.log(d / delta) / epsilon
    root = mpmath.sqrt(2 * mpmath.log((d * d + d) / (delta * 2 * mpmath.sqrt(2 * mpmath.pi))))
    return (d + 1) / epsilon * root + 1 / mpmath.sqrt(epsilon)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dimension", [1, 2, 7])
@pytest.mark.parametrize("epsilon", [0.25, 2])
def test_printed_noise_is_the_documents_rounded_up(kind, dimension, epsilon):
    mechanism = kind(epsilon, calibration="printed", delta=DELTA, coordinate_bits=6, norm_bound=Fraction(3, 2))
    deviation = mpmath.sqrt(mpmath.mpf(1) * mechanism.noise_variance(dimension).numerator)
    deviation /= mpmath.sqrt(mechanism.noise_variance(dimension).denominator)
    wanted = printed(kind, dimension, epsilon, DELTA) * mpmath.mpf(9) / 4 * 4**6
    assert -1e-12 * wanted < deviation - wanted <= 2.0**-31
    assert kind(epsilon, delta=DELTA, coordinate_bits=6).noise_variance(dimension) < mechanism.noise_variance(dimension)


def test_printed_noise_without_a_value_or_a_certificate_is_refused():
    with pytest.raises(InvalidParameterError, match="imaginary"):
        ModSulq(1, calibration="printed", delta=Fraction(1, 2)).noise_variance(1)
    assert ModSulq(1, calibration="printed", delta=Fraction(1, 2)).noise_variance(2) > 0
    # near-optimal.sulq is refuted at d = 2, delta = 1/2 and epsilon = 100.
    with pytest.raises(InvalidParameterError, match="not certified"):
        Sulq(100, calibration="printed", delta=Fraction(1, 2)).release([[0.5, 0.5]])
    assert Sulq(100, delta=Fraction(1, 2)).release([[0.5, 0.5]]).private


def delta_between(mechanism, change, epsilon, reach):
    """Sum the excess of the discrete law over e^epsilon times itself shifted, in floating point, over a box."""
    variance = float(mechanism.noise_variance(2))
    axis = np.arange(-reach, reach + 1)
    total, log_ratio = np.ones(1), np.zeros(1)
    for shift in change:
        mass = np.exp(-(axis**2) / (2 * variance))
        total = np.multiply.outer(total, mass / mass.sum()).ravel()
        log_ratio = np.add.outer(log_ratio, ((axis - shift) ** 2 - axis**2) / (2 * variance)).ravel()
    return float((total * np.maximum(0, 1 - np.exp(epsilon - log_ratio))).sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("adjacency", "change"), [(BOTH[0], (1, 0, -1)), (BOTH[1], (1, 0, 0))])
def test_delta_of_the_integers_is_the_guaranteed_one(kind, adjacency, change):
    mechanism = kind(Fraction(1, 2), adjacency, delta=Fraction(1, 50), coordinate_bits=0)
    # e_1 against e_2, or against nothing, in units of the grid; an entry that is not changed sees the same noise.
    found = delta_between(mechanism, change, 0.5, 40)
    assert 0.018 < found <= 0.02
    # Control: three quarters of the deviation.
    assert delta_between(_quieter(kind)(0.5, adjacency, delta=Fraction(1, 50), coordinate_bits=0), change, 0.5, 40) > (
        0.025
    )


def _quieter(kind):
    class Quieter(kind):
        def noise_variance(self, dimension):
            return super().noise_variance(dimension) * 9 / 16

    return Quieter


@pytest.mark.parametrize("kind", KINDS)
def test_losses_are_differences_of_squared_distances(kind):
    mechanism = kind(1, delta=DELTA, divisor=1, coordinate_bits=2)
    data, neighbour = [[0.5, 0.5]], [[0.5, -0.5]]
    variance = mechanism.noise_variance(2)
    # Off the diagonal 1/4 against -1/4, in units of 1/16; once in the triangle, twice in the square.
    twice = 1 if kind is ModSulq else 2
    assert mechanism.log_mass_ratio(data, neighbour, [[7, 3], [3, 9]]) == twice * (7**2 - 1) / (2 * variance)
    ratio = mechanism.log_density_ratio(data, neighbour, [[9.0, 0.25], [0.25, 3.0]])
    assert ratio.contains(arb(twice * 64 * variance.denominator) / (2 * variance.numerator))
    if kind is ModSulq:
        with pytest.raises(InvalidParameterError, match="symmetric"):
            mechanism.log_mass_ratio(data, neighbour, [[1, 2], [3, 4]])
    with pytest.raises(InvalidParameterError, match="shape"):
        mechanism.log_mass_ratio(data, neighbour, [[1, 2, 3]])
    with pytest.raises(InvalidParameterError, match="not an integer"):
        mechanism.log_mass_ratio(data, neighbour, [[0.5, 2], [2, 4]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("calibration", ["tight", "printed"])
def test_a_release_is_the_gram_matrix_plus_noise_of_its_variance(kind, calibration, cdf_radius):
    mechanism = kind(1, calibration=calibration, delta=DELTA)
    data = np.full((3, 20), 0.125)
    releases = [mechanism.release(data) for _ in range(12)]
    assert isinstance(mechanism, Mechanism)
    assert all(release.guarantee == PrivacyGuarantee(1, DELTA, Adjacency.REPLACE_ONE) for release in releases)
    assert all(release.grid == Fraction(1, 3 * 4**20) for release in releases)
    places = np.triu_indices(20) if kind is ModSulq else np.indices((20, 20)).reshape(2, -1)
    gram = lattice_gram(data, 20)
    noise = np.concatenate([(release.integers - gram)[places[0], places[1]].astype(float) for release in releases])
    noise = np.sort(noise / math.sqrt(mechanism.noise_variance(20)))
    exact = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in noise])
    ranks = np.arange(len(noise) + 1) / len(noise)
    assert max(np.abs(exact - ranks[1:]).max(), np.abs(exact - ranks[:-1]).max()) <= cdf_radius(len(noise)) + 1e-6
    symmetric = all((release.integers == release.integers.T).all() for release in releases)
    assert symmetric is (kind is ModSulq)
    assert np.isfinite(mechanism.simulate(data, 4, np.random.default_rng(1))).all()


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_and_blocks(kind):
    data = np.array([[0.5, 0.25], [-0.5, 0.5], [0.0, 1.0]])
    mechanism = kind(1, delta=DELTA)
    first, second = (mechanism.release(data, entropy=SeededEntropy(4)) for _ in range(2))
    assert first == second
    assert not first.private
    if kind is ModSulq:
        blocks = [data[2:], data[:0], data[:2]]
        assert mechanism.release_blocks(blocks, 2, entropy=SeededEntropy(4)) == first


def released(matrix) -> Release:
    return Release(
        integers=np.array(matrix, dtype=object),
        grid=Fraction(1),
        guarantee=None,
        mechanism="none",
        adjacency=Adjacency.REPLACE_ONE,
        entropy="none",
    )


def test_principal_components_are_those_of_the_greatest_eigenvalues():
    # By modulus the first would be e_2.
    components = principal_components(released([[3, 0, 0], [0, -(10**400), 0], [0, 0, 10**399]]), 2)
    assert np.abs(components.value).round(12).tolist() == [[0, 1], [0, 0], [1, 0]]
    assert components.guarantee is None
    equal = principal_components(released([[2, 0], [0, 2]]), 2).value
    assert np.allclose(equal.T @ equal, np.eye(2))
    assert np.isfinite(principal_components(released([[0]]), 1).value).all()


@pytest.mark.parametrize(
    ("rank", "matrix"), [(0, [[1]]), (2, [[1]]), (1.5, [[1]]), (1, [[1, 2], [3, 4]]), (1, [[1, 2]])]
)
def test_components_that_do_not_exist_are_refused(rank, matrix):
    with pytest.raises(InvalidParameterError):
        principal_components(released(matrix), rank)


def test_components_of_a_private_release_keep_its_guarantee():
    release = ModSulq(1, delta=DELTA).release(np.eye(3))
    components = principal_components(release, 3)
    assert components.guarantee == release.guarantee is not None
    assert components.trace == ("TopEigenvectors(rank=3)",)


@pytest.mark.parametrize("delta", [0, 1, -0.1, float("nan")])
def test_delta_must_be_inside_the_unit_interval(delta):
    with pytest.raises(InvalidParameterError, match="delta"):
        ModSulq(1, delta=delta)


@pytest.mark.parametrize(
    "data", [[[2.0, 0.0]], [[np.nan, 0.0]], np.zeros((0, 2)), [[1j, 0]], [0.5], [["a", "b"]], [[0.5], [0.5, 0.5]]]
)
@pytest.mark.parametrize("kind", KINDS)
def test_bad_data_are_refused(kind, data):
    with pytest.raises(InvalidParameterError):
        kind(1, delta=DELTA, over_norm="reject").release(data)


def test_a_long_record_is_clipped():
    assert ModSulq(1, delta=DELTA).release([[2.0, 0.0]]).private


@pytest.mark.parametrize(
    "data",
    [[[0.5]], [[0.25, 0.5, -0.5]], np.zeros((4, 3)), np.full((1000, 5), 0.25), np.eye(6), np.eye(2)[[0, 1] * 50]],
    ids=["d=1", "n=1", "zero", "constant", "all eigenvalues equal", "two equal"],
)
def test_degenerate_data_have_components_of_every_rank(data):
    release = ModSulq(1, delta=DELTA).release(data)
    assert release.private
    for rank in range(1, np.shape(data)[1] + 1):
        frame = principal_components(release, rank).value
        assert np.allclose(frame.T @ frame, np.eye(rank))
