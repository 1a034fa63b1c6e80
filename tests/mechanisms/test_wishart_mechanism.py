"""The printed Wishart mechanism: it runs, it is what the document prints, and it is not private."""

from __future__ import annotations

import math
from fractions import Fraction

import attrs
import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from scipy.stats import chi2

from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms import Mechanism, WishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy_grams import StandardWisharts

TAKEN_NOTE = "wishart.theorem-4"


@pytest.mark.parametrize("acknowledge", [None, "yes", "wishart.theorem-3"])
def test_construction_needs_the_acknowledgement(acknowledge):
    with pytest.raises(NotPrivateError, match=r"wishart\.theorem-4 is refuted.*0\.283"):
        WishartMechanism(1, acknowledge=acknowledge)


def test_releases_carry_no_guarantee():
    mechanism = WishartMechanism(1, acknowledge=TAKEN_NOTE)
    release = mechanism.release([[0.5, 0.5]], entropy=SystemEntropy())
    assert mechanism.guarantee is None
    assert release.guarantee is None
    assert not release.private
    assert isinstance(mechanism, Mechanism)


def test_printed_scale_is_the_documents():
    assert WishartMechanism(Fraction(1, 4), acknowledge=TAKEN_NOTE).noise_scale(10) == Fraction(3, 5)
    assert WishartMechanism(1, acknowledge=TAKEN_NOTE, norm_bound=2).noise_scale(1) == 6
    with pytest.raises(InvalidParameterError, match="calibration"):
        WishartMechanism(1, calibration="tight", acknowledge=TAKEN_NOTE)


def middles(uniforms, count):
    """Give the middles of the cells of the first 64 digits."""
    return [mpmath.mpf(2 * int(word) + 1) / 2**65 for word in uniforms.words()[:count]]


def box_muller(normals, count):
    """Transform the digits of normals with mpmath."""
    values = []
    for u, v in zip(middles(normals.radial, None), middles(normals.angular, None), strict=True):
        radius = mpmath.sqrt(-2 * mpmath.log(u))
        values += [radius * mpmath.cos(2 * mpmath.pi * v), radius * mpmath.sin(2 * mpmath.pi * v)]
    return values[:count]


def test_release_is_the_correct_rounding_of_the_ideal_output():
    # 64 digits place an entry within 1e-15; that one of 45 lies so near a boundary has probability below 1e-6 per
    # grid step of 2**-24, and these seeds are fixed.
    mechanism = WishartMechanism(Fraction(1, 3), acknowledge=TAKEN_NOTE)
    data = np.array([[0.3, -0.7, 0.1], [0.1, 0.2, 0.9]])
    for seed in range(5):
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        twin = StandardWisharts(1, 3, 4, SeededEntropy(seed))
        with mpmath.workprec(500):
            normals = box_muller(twin.normals, 12)
            factor = mpmath.matrix([normals[:4], normals[4:8], normals[8:]])
            records = mpmath.matrix(data.tolist())
            # c = 3 / (2 n epsilon) with n = 2, epsilon = 1/3.
            ideal = records.T * records / 2 + factor * factor.T * mpmath.mpf(9) / 4
            expected = [
                int(mpmath.nint(ideal[i, j] * release.grid.denominator / release.grid.numerator))
                for i in range(3)
                for j in range(3)
            ]
        assert release.integers.ravel().tolist() == expected


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.75, False)])
def test_trace_of_released_noise_is_chi_square(cdf_radius, cdf_distance, factor, accepted):
    # tr W / c has d (d + 1) = 6 degrees of freedom; at 3/4 the laws are 0.18 apart, the radius is 0.09.
    mechanism = WishartMechanism(1, acknowledge=TAKEN_NOTE)
    entropy = SystemEntropy()
    data = [[0.5, 0.5]] * 4
    noise = [np.trace(mechanism.release(data, entropy=entropy).to_numpy()) - 0.5 for _ in range(3000)]
    scaled = factor * np.array(noise) / float(mechanism.noise_scale(4))
    assert (cdf_distance(scaled, chi2(6).cdf) <= cdf_radius(3000) + 1e-6) is accepted


@pytest.mark.parametrize(("factor", "accepted"), [(1.0, True), (0.75, False)])
def test_simulated_noise_is_wishart_in_every_direction(cdf_radius, cdf_distance, factor, accepted):
    # u'Wu / c is chi-square with d + 1 degrees of freedom for a unit vector u.
    mechanism = WishartMechanism(2, acknowledge=TAKEN_NOTE)
    outputs = mechanism.simulate(np.zeros((5, 3)), 40_000, np.random.default_rng(3))
    for direction in np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0, 0.6, -0.8]]):
        values = np.einsum("nij,i,j->n", outputs, direction, direction) / float(mechanism.noise_scale(5))
        assert (cdf_distance(factor * values, chi2(4).cdf) <= cdf_radius(values.size)) is accepted


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_outputs_leave_the_neighbours_support_at_the_certified_rate(dimension):
    # Hoeffding: error 1e-9. The rate does not depend on d; exp(-epsilon / 2) in place of exp(-epsilon / 3) is rejected.
    epsilon, size = 1.0, 50_000
    radius = math.sqrt(math.log(2e9) / (2 * size))
    mechanism = WishartMechanism(epsilon, acknowledge=TAKEN_NOTE)
    data, neighbour = np.zeros((2, 3, dimension))
    data[0, 0] = 1.0
    outputs = mechanism.simulate(neighbour, size, np.random.default_rng(4))
    outside = np.mean(np.linalg.eigvalsh(outputs - data.T @ data / 3)[:, 0] < 0)
    assert abs(outside - -math.expm1(-epsilon / 3)) <= radius
    assert abs(outside - -math.expm1(-epsilon / 2)) > radius


def encloses(loss, value):
    """Tell whether a narrow ball contains a rational."""
    return loss.contains(value) and float(loss.rad()) < 1e-14


def test_loss_is_infinite_outside_the_support_and_a_difference_of_traces_inside():
    mechanism = WishartMechanism(1, acknowledge=TAKEN_NOTE)
    data, neighbour = [[1.0, 0.0]], [[0.0, 0.0]]
    assert encloses(mechanism.log_density_ratio(data, neighbour, [[2.0, 0.0], [0.0, 1.0]]), fmpq(1, 3))
    assert mechanism.log_density_ratio(data, neighbour, [[0.5, 0.0], [0.0, 1.0]]) == arb("-inf")
    assert mechanism.log_density_ratio(neighbour, data, [[0.5, 0.0], [0.0, 1.0]]) == arb("inf")
    # The boundary is decided exactly.
    above = [[math.nextafter(1.0, 2.0), 0.0], [0.0, 1.0]]
    assert encloses(mechanism.log_density_ratio(data, neighbour, above), fmpq(1, 3))
    assert mechanism.log_density_ratio(data, neighbour, np.eye(2)) == arb("-inf")
    with pytest.raises(InvalidParameterError, match="output"):
        mechanism.log_density_ratio(data, neighbour, -np.eye(2))


def test_add_remove_uses_the_fixed_divisor():
    mechanism = WishartMechanism(1, Adjacency.ADD_REMOVE_ONE, acknowledge=TAKEN_NOTE, divisor=10)
    loss = mechanism.log_density_ratio(np.eye(2), np.eye(2)[:1], 5 * np.eye(2))
    # tr A - tr A' = 1/10, c = 3/20.
    assert encloses(loss, fmpq(1, 3))


def test_parameters_are_passed_by_name_and_checked_before_the_acknowledgement():
    for name in ("calibration", "acknowledge"):
        assert attrs.fields_dict(WishartMechanism)[name].kw_only
    with pytest.raises(InvalidParameterError, match=r"^epsilon: "):
        WishartMechanism(0)
    with pytest.raises(NotPrivateError):
        WishartMechanism(1)


def test_a_release_draws_from_the_system_unless_told_otherwise():
    mechanism = WishartMechanism(1, acknowledge=TAKEN_NOTE)
    first, second = (mechanism.release(np.eye(3)) for _ in range(2))
    assert first != second
    assert first.entropy == SystemEntropy().description != SeededEntropy(1).description


def test_simulated_outputs_are_the_second_moment_plus_noise_that_does_not_depend_on_it():
    mechanism = WishartMechanism(1, acknowledge=TAKEN_NOTE)
    data = np.array([[0.5, -0.25], [0.25, 0.125], [0.5, 0.5]])
    outputs, noise = (mechanism.simulate(records, 5, np.random.default_rng(1)) for records in (data, 0 * data))
    assert outputs - noise == pytest.approx(np.broadcast_to(data.T @ data / 3, (5, 2, 2)), abs=1e-12)
