"""The exponential mechanism for principal components, recomputed: weight, exponent, draws, loss."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.special import ive

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import Ppca, SequentialPpca
from dpmatrix.mechanisms.ppca import subspace_sampler
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
RECORDS = np.random.default_rng(4).uniform(-0.5, 0.5, (9, 3))
SETTINGS = list(
    product((Fraction(1, 4), Fraction(7)), (ADDED, REPLACED), ("tight", "printed"), (Fraction(1), Fraction(5, 3)))
)


def weight_of(epsilon, adjacency, calibration, bound, dimension) -> Fraction:
    """Epsilon over the range of a score of one record, which replacing one doubles where there are two directions."""
    doubled = calibration == "printed" or (adjacency is REPLACED and dimension > 1)
    return epsilon / ((2 if doubled else 1) * bound**2)


def exponent_of(records: np.ndarray, bits: int, weight: Fraction) -> fmpq_mat:
    """Multiply X'X of the truncated records by the weight, in rationals."""
    rows = [[Fraction(int(value * 2**bits), 2**bits) for value in row] for row in records.tolist()]
    places = range(records.shape[1])
    entries = [[weight * sum((row[i] * row[j] for row in rows), Fraction(0)) for j in places] for i in places]
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in entries])


@pytest.mark.parametrize("kind", [Ppca, SequentialPpca])
def test_defaults_are_public_parameters(kind) -> None:
    mechanism = kind(1)
    assert (mechanism.calibration, mechanism.rank, mechanism.adjacency) == ("tight", 1, REPLACED)
    assert (mechanism.coordinate_bits, mechanism.direction_bits) == (20, 40)
    assert mechanism.grid == Fraction(1, 2**40)
    assert kind(3, ADDED).guarantee == PrivacyGuarantee(3, 0, ADDED)
    with pytest.raises(TypeError):
        kind(1, ADDED, "tight", 2)
    for bits in (16, 512):
        assert kind(1, direction_bits=bits).grid == Fraction(1, 2**bits)


def test_the_limit_of_proposals_is_passed_by_name() -> None:
    assert Ppca(1).most_proposals is None
    assert Ppca(1, most_proposals=7).most_proposals == 7
    assert (Ppca.name, SequentialPpca.name != Ppca.name) == ("PPCA", True)
    with pytest.raises(TypeError):
        Ppca(1, ADDED, "tight", 7)


@pytest.mark.parametrize("kind", [Ppca, SequentialPpca])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("calibration", value) for value in ("loose", None)),
        *(("rank", value) for value in (0, -1, 1.0, True)),
        *(("coordinate_bits", value) for value in (-1, 513, 2.0, True)),
        *(("direction_bits", value) for value in (15, 513, 16.0, True, "20")),
    ],
)
def test_parameters_out_of_their_domain_are_refused_by_name(kind, name, value) -> None:
    with pytest.raises(InvalidParameterError, match=name):
        kind(1, **{name: value})


@pytest.mark.parametrize("value", [0, -3, 1.5, True])
def test_a_limit_of_proposals_is_a_positive_integer(value) -> None:
    with pytest.raises(InvalidParameterError, match="most_proposals"):
        Ppca(1, most_proposals=value)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_weights_and_exponents_are_those_of_the_score(dimension) -> None:
    records = RECORDS[:, :dimension]
    for (epsilon, adjacency, calibration, bound), bits in product(SETTINGS, (0, 3, 20)):
        mechanism = Ppca(epsilon, adjacency, calibration, norm_bound=bound, coordinate_bits=bits)
        weight = weight_of(epsilon, adjacency, calibration, bound, dimension)
        assert mechanism.weight(dimension) == weight
        exponent = exponent_of(records, bits, weight)
        assert mechanism.exponent([records[:4], records[4:]], dimension) == exponent


@pytest.mark.parametrize(
    ("rank", "adjacency", "bits"), [(1, ADDED, 16), (1, REPLACED, 45), (2, REPLACED, 16), (3, ADDED, 45)]
)
def test_a_release_is_a_rounded_draw_from_its_exponent(rank, adjacency, bits) -> None:
    mechanism = Ppca(2, adjacency, rank=rank, direction_bits=bits, coordinate_bits=6)
    exponent = exponent_of(RECORDS, 6, weight_of(Fraction(2), adjacency, "tight", Fraction(1), 3))
    sampler = BinghamSampler(exponent) if rank == 1 else MatrixBinghamSampler(exponent, rank)
    drawn = round_to_grid(sampler.draw(SeededEntropy(rank)), Fraction(1, 2**bits))
    release = mechanism.release(RECORDS, entropy=SeededEntropy(rank))
    assert release.integers.tolist() == np.reshape(drawn, (3, 1 if rank == 1 else 3)).tolist()
    assert release.grid == Fraction(1, 2**bits)
    assert (release.mechanism, release.adjacency, release.guarantee) == ("PPCA", adjacency, None)
    parts = [mechanism.partial_gram([part], 3) for part in (RECORDS[:2], RECORDS[2:2], RECORDS[2:])]
    assert mechanism.release_blocks(parts, 3, entropy=SeededEntropy(rank)) == release
    assert mechanism.release(RECORDS).guarantee == mechanism.guarantee


def test_samplers_are_those_of_the_rank() -> None:
    matrix = exponent_of(RECORDS, 20, Fraction(1))
    assert isinstance(subspace_sampler(matrix, 1), BinghamSampler)
    for rank in (2, 3):
        assert isinstance(subspace_sampler(matrix, rank), MatrixBinghamSampler)
    with pytest.raises(InvalidParameterError, match="4 exceeds d = 3"):
        subspace_sampler(matrix, 4)


def test_data_are_one_block_and_none_only_where_their_number_is_secret() -> None:
    blocks, dimension = Ppca(1).blocks_of(RECORDS.tolist())
    assert dimension == 3
    assert [block.tolist() for block in blocks] == [RECORDS.tolist()]
    assert Ppca(1, ADDED).blocks_of(np.zeros((0, 4)))[1] == 4
    with pytest.raises(InvalidParameterError):
        Ppca(1).blocks_of(np.zeros((0, 4)))


def log_constant(matrix: fmpq_mat) -> float:
    """Compute the log of the mean of exp(v'Bv) over the circle: e^((a + b)/2) I_0((a - b)/2), eigenvalues a, b."""
    values = np.linalg.eigvalsh([[int(x.p) / int(x.q) for x in row] for row in matrix.tolist()])
    half = (values[1] - values[0]) / 2
    return float(values.sum() / 2 + half + np.log(ive(0, half)))


def test_losses_are_differences_of_log_densities() -> None:
    data, neighbour = RECORDS[:, :2] * 1.3, RECORDS[:, :2] * 1.3
    neighbour[0] = [0.9, -0.2]
    for (epsilon, adjacency, calibration, bound), bits in product(SETTINGS, (1, 20)):
        mechanism = Ppca(epsilon, adjacency, calibration, norm_bound=bound, coordinate_bits=bits)
        weight = weight_of(epsilon, adjacency, calibration, bound, 2)
        before, after = (exponent_of(records, bits, weight) for records in (data, neighbour))
        for output in ([[0.6], [0.8]], [[-3], [1]], [[0], [5]]):
            vector = np.array(output, dtype=float).ravel()
            difference = np.array([[float(arb(entry)) for entry in row] for row in (before - after).tolist()])
            exact = vector @ difference @ vector / (vector @ vector) - log_constant(before) + log_constant(after)
            assert abs(float(mechanism.log_density_ratio(data, neighbour, output)) - exact) < 1e-9
            assert abs(exact) <= epsilon * (2 if adjacency is ADDED and calibration == "tight" else 1)


def test_simulations_are_columns_and_follow_the_generator() -> None:
    mechanism = Ppca(1)
    draws = [mechanism.simulate(RECORDS, 4, np.random.default_rng(seed)) for seed in (*range(8), 0)]
    assert all(draw.shape == (4, 3, 1) for draw in draws)
    assert all(np.allclose(np.linalg.norm(draw, axis=1), 1) for draw in draws)
    assert (draws[0] == draws[8]).all()
    assert len({draw.tobytes() for draw in draws}) == 8
    for use in (
        lambda m: m.simulate(RECORDS, 1, np.random.default_rng(0)),
        lambda m: m.log_density_ratio(*[RECORDS] * 3),
    ):
        with pytest.raises(InvalidParameterError, match="2 is not 1"):
            use(Ppca(1, rank=2))
