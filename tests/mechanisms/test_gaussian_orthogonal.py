"""Symmetric Gaussian noise: its numbers, their privacy, its variance, and the exactness of a release."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    GaussianOrthogonal,
    Mechanism,
    Sulq,
    gaussian_orthogonal,
    least_squared_error_under,
)
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.calibration import meets
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
DELTA = Fraction(1, 1000)
DATA = np.array([[0.5, -0.25], [0.3, 0.7], [-0.125, 0.1]])
both = pytest.mark.parametrize("adjacency", [REPLACE, ADD])


def made(adjacency: Adjacency = REPLACE, epsilon: Any = 1, **more: Any) -> GaussianOrthogonal:
    return GaussianOrthogonal(epsilon, adjacency, **{"delta": DELTA, **more})


def noise_of(numbers: list[int], d: int, adjacency: Adjacency) -> list[list[Fraction]]:
    """Write the noise out in entries."""
    square = [[Fraction(numbers[i * d + j]) for j in range(d)] for i in range(d)]
    found = [[(square[i][j] + square[j][i]) / 2 for j in range(d)] for i in range(d)]
    if adjacency is REPLACE:
        mean = (sum(square[i][i] for i in range(d)) + numbers[d * d]) / (d + 1)
        for i in range(d):
            found[i][i] -= mean
    return found


def count(d: int, adjacency: Adjacency) -> int:
    return d * d + 1 if adjacency is REPLACE else d * d


@both
def test_what_is_built(adjacency: Adjacency) -> None:
    mechanism = made(adjacency)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.guarantee == PrivacyGuarantee(1, DELTA, adjacency)
    assert (mechanism.norm_bound, mechanism.over_norm, mechanism.divisor) == (1, "clip", None)
    assert (mechanism.coordinate_bits, mechanism.calibration) == (20, "tight")
    assert mechanism.name == "Gaussian orthogonal mechanism"
    assert mechanism.replaces is (adjacency is REPLACE)
    assert [one.target for one in Implementation.of(GaussianOrthogonal).citations] == ["beyond.gaussian-orthogonal"]


def test_the_default_relation_is_a_replaced_record() -> None:
    assert GaussianOrthogonal(1, delta=DELTA).adjacency is REPLACE


@both
@pytest.mark.parametrize("data", [DATA, DATA[:1], DATA[:0], DATA[:, :1], np.zeros((2, 3)), np.eye(5)])
@pytest.mark.parametrize("bound", [Fraction(1), Fraction(64)])
def test_a_release_is_the_matrix_of_the_truncated_records_plus_the_noise_of_its_bits(
    adjacency: Adjacency, data: np.ndarray, bound: Fraction
) -> None:
    mechanism = made(adjacency, coordinate_bits=6, norm_bound=bound)
    d = data.shape[1]
    if not len(data) and adjacency is REPLACE:
        for call in (mechanism.release, lambda data: mechanism.release_blocks([data], d)):
            with pytest.raises(InvalidParameterError, match=r"empty|no record"):
                call(data)
        return
    gram = lattice_gram(data, 6)
    numbers = discrete_gaussian_noise(mechanism.noise_variance(d), count(d, adjacency), SeededEntropy(3))
    noise = noise_of(numbers, d, adjacency)
    divisor = len(data) if adjacency is REPLACE else 1
    release = mechanism.release(data, entropy=SeededEntropy(3))
    assert release.grid == Fraction(1, divisor * 4**6 * (2 * (d + 1) if adjacency is REPLACE else 2))
    assert release.grid == mechanism.grid_at(d, divisor)
    for i, j in itertools.product(range(d), repeat=2):
        assert release.integers[i, j] * release.grid == (int(gram[i, j]) + noise[i][j]) / (divisor * 4**6)
    assert (release.integers == release.integers.T).all()
    assert (release.mechanism, release.adjacency, release.guarantee) == (mechanism.name, adjacency, None)
    for blocks in ([data], [data[1:], data[:0], data[:1]], [mechanism.partial_gram([data], d)]):
        assert mechanism.release_blocks(blocks, d, entropy=SeededEntropy(3)) == release


@both
def test_noise_and_sums_beyond_64_bits_are_exact(adjacency: Adjacency) -> None:
    """On fine lattices the noise does not fit 64 bits, nor do the sums, nor their multiples."""
    for bits in (13, 14, 15, 16, 29, 30, 31, 40, 200):
        mechanism = made(adjacency, coordinate_bits=bits)
        data = np.full((3, 4), 0.5)
        gram = lattice_gram(data, bits)
        numbers = discrete_gaussian_noise(mechanism.noise_variance(4), count(4, adjacency), SeededEntropy(2))
        noise = noise_of(numbers, 4, adjacency)
        release = mechanism.release(data, entropy=SeededEntropy(2))
        unit = Fraction(1, (3 if adjacency is REPLACE else 1) * 4**bits)
        for i, j in itertools.product(range(4), repeat=2):
            assert release.integers[i, j] * release.grid == (int(gram[i, j]) + noise[i][j]) * unit


@pytest.mark.parametrize("factor", [1, 2, 10])
def test_integers_are_of_64_bits_as_long_as_their_multiples_fit(factor: int) -> None:
    edge = (2**63 - 1) // factor
    for largest in (edge, -edge):
        found = gaussian_orthogonal._widened(np.array([1, largest, 0]), factor)
        assert found.dtype == np.int64
        assert found.tolist() == [1, largest, 0]
    for largest in (edge + 1, -edge - 1):
        found = gaussian_orthogonal._widened(np.array([1, largest, 0]), factor)
        assert found.dtype == object
        assert found.tolist() == [1, largest, 0]


@both
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_the_longest_numbers_are_combined_exactly(
    monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency, dimension: int
) -> None:
    """One number on the diagonal against all others, and all alike: an entry of 4 d times one, and twice their sum."""
    for largest, sign, wide in itertools.product(
        (2**63 // (4 * dimension), (2**63 - 1) // (4 * dimension)), (1, -1), (False, True)
    ):
        for others in (1, -1):
            numbers = np.full(count(dimension, adjacency), others * largest)
            numbers[0] = sign * largest
            numbers = numbers.astype(object) if wide else numbers
            monkeypatch.setattr(gaussian_orthogonal, "gaussian_integers", lambda *_, numbers=numbers: numbers)
            release = made(adjacency, coordinate_bits=0).release(np.zeros((1, dimension)))
            noise = noise_of(numbers.tolist(), dimension, adjacency)
            for i, j in itertools.product(range(dimension), repeat=2):
                assert release.integers[i, j] * release.grid == noise[i][j]


@both
@pytest.mark.parametrize("dimension", [1, 2, 7])
@pytest.mark.parametrize(("bound", "bits"), [(Fraction(1), 0), (Fraction(7, 3), 3), (Fraction(1, 3), 20)])
def test_the_variance_is_the_least_that_is_certified(
    adjacency: Adjacency, dimension: int, bound: Fraction, bits: int
) -> None:
    """For twice the square of the greatest square of a norm on the lattice, or once; less by 3 % would not do."""
    mechanism = made(adjacency, norm_bound=bound, coordinate_bits=bits)
    largest = math.floor(bound**2 * 4**bits)
    square = (2 if adjacency is REPLACE else 1) * largest**2
    variance, size = mechanism.noise_variance(dimension), count(dimension, adjacency)
    assert meets(DiscreteGaussianProfile(square, variance, size), mechanism.guarantee)
    assert not meets(DiscreteGaussianProfile(square, variance * Fraction(97, 100) ** 2, size), mechanism.guarantee)


@both
def test_the_certificate_counts_every_number(monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency) -> None:
    asked = []

    def least(*given: Any) -> Fraction:
        asked.append(given)
        return Fraction(7)

    monkeypatch.setattr(gaussian_orthogonal, "least_variance", least)
    for dimension in (1, 2, 5):
        mechanism = made(adjacency, coordinate_bits=1, norm_bound=Fraction(3, 2))
        assert mechanism.noise_variance(dimension) == 7
        square = 2 * 9**2 if adjacency is REPLACE else 9**2
        assert asked[-1] == (square, mechanism.guarantee, count(dimension, adjacency))
    for bits, norm_bound, square in ((0, Fraction(1, 2), 1), (0, Fraction(1), 2 if adjacency is REPLACE else 1)):
        made(adjacency, coordinate_bits=bits, norm_bound=norm_bound).noise_variance(3)
        assert asked[-1][0] == square


@both
def test_a_lattice_on_which_no_record_counts_has_noise_all_the_same(adjacency: Adjacency) -> None:
    mechanism = made(adjacency, norm_bound=Fraction(1, 8), coordinate_bits=2)
    assert mechanism.noise_variance(3) > 0
    assert mechanism.release([[0.125, 0.0, 0.0]]).private
    wrong: Any
    for wrong in (0, -1, 1.5):
        for ask in (mechanism.noise_variance, mechanism.moments, lambda d: mechanism.mean_squared_error(d, 1)):
            with pytest.raises(InvalidParameterError, match="dimension"):
                ask(wrong)


ROWS = st.lists(st.integers(-9, 9), min_size=3, max_size=3)


@settings(max_examples=200, deadline=None)
@given(x=ROWS, y=ROWS, size=st.integers(1, 3), adjacency=st.sampled_from(Adjacency))
def test_truncated_records_change_the_numbers_by_no_more_than_the_noise_is_for(
    x: list[int], y: list[int], size: int, adjacency: Adjacency
) -> None:
    """On a lattice of one digit, in a ball whose square is on no lattice: all records are clipped and truncated."""
    mechanism = made(adjacency, norm_bound=Fraction(5, 2) + Fraction(1, 7), coordinate_bits=1)
    largest = math.floor((Fraction(5, 2) + Fraction(1, 7)) ** 2 * 4)
    first, second = (mechanism.read(np.array([row[:size]]) / 3) for row in (x, y))
    change = lattice_gram(first, 1) - (lattice_gram(second, 1) if adjacency is REPLACE else 0)
    extra = -int(np.trace(change)) if adjacency is REPLACE else 0
    square = int((change**2).sum()) + extra**2
    assert square <= (2 if adjacency is REPLACE else 1) * largest**2
    assert int(np.trace(lattice_gram(first, 1))) <= largest


def test_the_greatest_change_is_met() -> None:
    """Orthogonal records, and one beside none, for a replaced record; any of unit length for one added or removed."""
    for first, second in (([1, 0], [0, 1]), ([1, 0], [0, 0]), ([0.6, 0.8], [-0.8, 0.6])):
        change = lattice_gram([first], 20) - lattice_gram([second], 20)
        square = int((change**2).sum()) + int(np.trace(change)) ** 2
        assert 2 * 16**20 * (1 - 2.0**-17) < square <= 2 * 16**20


def delta_between(mechanism: GaussianOrthogonal, change: tuple[int, ...], epsilon: float, reach: int) -> float:
    """Sum the excess of the discrete law over e^epsilon times itself shifted, over a box of numbers."""
    variance = float(mechanism.noise_variance(2))
    axis = np.arange(-reach, reach + 1)
    total, log_ratio = np.ones(1), np.zeros(1)
    for shift in change:
        mass = np.exp(-(axis**2) / (2 * variance))
        total = np.multiply.outer(total, mass / mass.sum()).ravel()
        log_ratio = np.add.outer(log_ratio, ((axis - shift) ** 2 - axis**2) / (2 * variance)).ravel()
    return float((total * np.maximum(0, 1 - np.exp(epsilon - log_ratio))).sum())


class Quieter(GaussianOrthogonal):
    """Three quarters of the deviation."""

    def noise_variance(self, dimension: int) -> Fraction:
        """Return less than the guarantee needs."""
        return super().noise_variance(dimension) * 9 / 16


@pytest.mark.parametrize(("adjacency", "change"), [(REPLACE, (1, -1)), (REPLACE, (1, -1, 0)), (ADD, (1, 0, 0))])
def test_delta_of_the_numbers_is_the_guaranteed_one(adjacency: Adjacency, change: tuple[int, ...]) -> None:
    """e_1 against e_2, or against nothing (entry and last number), in units of the lattice; other numbers stay."""
    asked = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 50), "coordinate_bits": 0}
    found = delta_between(made(adjacency, **asked), change, 0.5, 40)
    assert 0.018 < found <= 0.02
    quieter = Quieter(Fraction(1, 2), adjacency, delta=Fraction(1, 50), coordinate_bits=0)
    assert delta_between(quieter, change, 0.5, 40) > 0.025, "control: three quarters of the deviation"


@both
def test_the_total_variance_is_that_of_the_claim(adjacency: Adjacency) -> None:
    """Less than that of noise of one variance, and than the symmetric part of as many numbers without the last."""
    for d in (1, 2, 5, 10, 50):
        mechanism, copied, full = (kind(1, adjacency, delta=DELTA) for kind in (GaussianOrthogonal, AnalyzeGauss, Sulq))
        numbers = mechanism.noise_variance(d)
        if adjacency is REPLACE:
            total = Fraction(d * (d * d + 2 * d - 1), 2 * (d + 1))
            least = Fraction(d * (d * d + 2 * d - 1), d + 1)
        else:
            total, least = Fraction(d * (d + 1), 2), Fraction(d * (d + 1), 2)
        moments = mechanism.moments(d)
        assert (moments.dimension, moments.frobenius) == (d, total)
        for divisor in (1, 7):
            found = mechanism.mean_squared_error(d, divisor)
            assert found == total * numbers * Fraction(1, divisor * 4**20) ** 2
        error = float(mechanism.mean_squared_error(d, 1)) * 16.0**20
        assert error < float(copied.noise_variance(d)) * d * d * (1.03 if d == 1 else 0.8)
        assert error <= float(full.noise_variance(d)) * d * (d + 1) / 2 * 1.02
        one = least_squared_error_under(mechanism.guarantee, d) / least
        assert error / 16.0**20 / float(least) < 11 * float(one), "as many times the bound as one number has"


@both
def test_the_noise_has_its_moments(adjacency: Adjacency) -> None:
    """40,000 draws of d = 3. A mean of squares deviates by four parts in a hundred with a probability below 1e-6."""
    mechanism = made(adjacency, coordinate_bits=3, divisor=5)
    drawn = mechanism.simulate(np.zeros((5, 3)), 40_000, np.random.default_rng(8))
    assert drawn.shape == (40_000, 3, 3)
    unit = math.sqrt(mechanism.noise_variance(3)) / (5 * 4**3)
    noise, moments = drawn / unit, mechanism.moments(3)
    assert np.array_equal(noise, np.swapaxes(noise, 1, 2))
    for found, stated in (
        ((noise**2).sum(axis=(1, 2)), moments.frobenius),
        (np.trace(noise, axis1=1, axis2=2) ** 2, moments.trace),
        (noise[:, 0, 2] ** 2, moments.off_diagonal),
        (noise[:, 1, 1] ** 2, moments.diagonal),
    ):
        assert stated is not None
        assert float(found.mean()) == pytest.approx(float(stated), rel=0.04)
    assert mechanism.simulate(DATA, 2, np.random.default_rng(1)).mean() != 0


@both
def test_a_simulation_is_the_second_moment_plus_float_noise(adjacency: Adjacency) -> None:
    mechanism = made(adjacency, coordinate_bits=3)
    found = mechanism.simulate(DATA, 4, np.random.default_rng(5))
    deviation = math.sqrt(mechanism.noise_variance(2))
    numbers = np.random.default_rng(5).normal(scale=deviation, size=(4, count(2, adjacency)))
    divisor = 3 if adjacency is REPLACE else 1
    for row, matrix in zip(numbers, found, strict=True):
        expected = (row[:4].reshape(2, 2) + row[:4].reshape(2, 2).T) / 2
        if adjacency is REPLACE:
            expected -= (row[0] + row[3] + row[4]) / 3 * np.eye(2)
        expected = (expected / 4**3 + DATA.T @ DATA) / divisor
        assert np.allclose(matrix, expected, rtol=1e-13, atol=1e-13)


@both
def test_a_release_has_noise_of_its_variance(adjacency: Adjacency, cdf_radius: Any) -> None:
    """Entries beside the diagonal are sums of two, so normal up to the lattice; and bits are drawn anew."""
    mechanism = made(adjacency)
    data = np.full((3, 20), 0.125)
    releases = [mechanism.release(data) for _ in range(20)]
    assert {release.guarantee for release in releases} == {PrivacyGuarantee(1, DELTA, adjacency)}
    assert {release.entropy for release in releases} == {SystemEntropy.description}
    divisor = 3 if adjacency is REPLACE else 1
    places = np.triu_indices(20, 1)
    entries = np.concatenate([(one.to_numpy() * divisor - data.T @ data)[places] for one in releases])
    deviation = math.sqrt(mechanism.noise_variance(20) / 2) / 4**20
    found = np.sort(entries / deviation)
    exact = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in found])
    ranks = np.arange(len(found) + 1) / len(found)
    assert max(np.abs(exact - ranks[1:]).max(), np.abs(exact - ranks[:-1]).max()) <= cdf_radius(len(found)) + 1e-6
    assert len({str(one.integers.tolist()) for one in releases}) == len(releases)


@both
def test_the_loss_is_that_of_the_numbers(adjacency: Adjacency) -> None:
    """The loss at an output is that of the noisy numbers with the least noise that gives it."""
    mechanism = made(adjacency, divisor=1, coordinate_bits=2)
    data, neighbour = np.array([[0.5, 0.5]]), np.array([[0.5, -0.25]])
    output = np.array([[1.0, 0.25], [0.25, -0.5]])
    weight = mechanism.noise_variance(2) / Fraction(16) ** 2
    squares = []
    for one in (data, neighbour):
        noise = output - one.T @ one
        square = Fraction(float((noise**2).sum()))
        squares.append(square + (Fraction(float(np.trace(noise))) ** 2 if adjacency is REPLACE else 0))
    expected = (squares[1] - squares[0]) / (2 * weight)
    found = mechanism.log_density_ratio(data, neighbour, output)
    assert found.overlaps(arb(fmpq(expected.numerator, expected.denominator)))
    assert float(found) == pytest.approx(float(expected), rel=1e-12)
    with pytest.raises(InvalidParameterError, match="symmetric"):
        mechanism.log_density_ratio(data, neighbour, [[0.0, 1.0], [0.0, 0.0]])
    with pytest.raises(InvalidParameterError, match=r"^neighbour"):
        mechanism.log_density_ratio(data, np.eye(3), output)


@both
def test_the_loss_is_the_logarithm_of_the_density(adjacency: Adjacency) -> None:
    """By the covariance of the noise, computed from what each drawn number adds, on the diagonal and above it."""
    mechanism = made(adjacency, divisor=3, coordinate_bits=4)
    d, variance = 3, float(mechanism.noise_variance(3)) / (3 * 4**4) ** 2
    rows, columns = np.triu_indices(d)
    numbers = np.eye(count(d, adjacency))
    noises = [np.array(noise_of(list(map(int, one)), d, adjacency), dtype=float) for one in numbers]
    adds = np.array([noise[rows, columns] for noise in noises])
    inverse = np.linalg.inv(adds.T @ adds * variance)
    rng = np.random.default_rng(2)
    for _ in range(5):
        data, neighbour = (rng.integers(-4, 5, size=(3, d)) / 16 for _ in range(2))
        output = rng.integers(-9, 10, size=(d, d)) / 8
        output = output + output.T
        rests = [(output - one.T @ one / 3)[rows, columns] for one in (data, neighbour)]
        expected = (rests[1] @ inverse @ rests[1] - rests[0] @ inverse @ rests[0]) / 2
        assert float(mechanism.log_density_ratio(data, neighbour, output)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("delta", [0, 1, -0.1, float("nan"), None])
def test_delta_must_be_inside_the_unit_interval(delta: Any) -> None:
    with pytest.raises(InvalidParameterError, match="delta"):
        GaussianOrthogonal(1, delta=delta)


@both
def test_a_mechanism_with_noise_is_changed_only_to_parameters_of_their_domains(adjacency: Adjacency) -> None:
    mechanism = made(adjacency)
    assert mechanism.noise_variance(2) > 0
    for name, wrong in (
        *(("delta", one) for one in (0, 1, None)),
        *(("coordinate_bits", one) for one in (-1, 513, 1.5)),
    ):
        with pytest.raises(InvalidParameterError, match=f"^{name}: "):
            evolve(mechanism, **{name: wrong})
    anything: Any = GaussianOrthogonal
    with pytest.raises(TypeError):
        anything(1, adjacency, 20, delta=DELTA)


def test_other_parameters_are_refused() -> None:
    kind: Any = GaussianOrthogonal
    with pytest.raises(TypeError):
        kind(1, REPLACE, DELTA)
    with pytest.raises(TypeError):
        kind(1, REPLACE, 20, delta=DELTA)
    for wrong in (-1, 513, True, 2.0):
        with pytest.raises(InvalidParameterError, match=r"^coordinate_bits: "):
            made(coordinate_bits=wrong)
    for name, value in (("epsilon", 0), ("norm_bound", 0), ("over_norm", "keep"), ("divisor", 0)):
        with pytest.raises(InvalidParameterError):
            made(**{name: value})


@both
@pytest.mark.parametrize("data", [[[2.0, 0.0]], [[np.nan, 0.0]], [[1j, 0]], [0.5], [["a", "b"]], [[0.5], [0.5, 0.5]]])
def test_bad_data_are_refused(adjacency: Adjacency, data: Any) -> None:
    mechanism = made(adjacency, over_norm="reject")
    with pytest.raises(InvalidParameterError):
        mechanism.release(data)
    assert made(adjacency).release([[2.0, 0.0]]).private, "control: a longer record is clipped"


def test_a_large_matrix_is_released() -> None:
    release = made().release(np.eye(150))
    assert release.integers.shape == (150, 150)
    assert release.private
    assert np.isfinite(release.to_numpy()).all()
