"""PPCA of every rank and shape, step by step: each draw has its share of epsilon, and sees what the others left.

Nothing is statistical: from the same bits the directions are those of the sampler, at exponents that are computed here
from the records, in the complement of what was published before. The controls take another share.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.errors import InvalidParameterError, TooSlowError
from dpmatrix.mechanisms import Ppca, SequentialPpca
from dpmatrix.mechanisms.sequential_ppca import reflection
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

RELATIONS = (Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE)
SHAPES = [(rank, dimension) for dimension in (1, 2, 3, 5) for rank in range(1, dimension + 1)]


def records_of(dimension: int) -> np.ndarray:
    """Return records on a lattice of eighths, of norms up to twice the bound of two."""
    return np.random.default_rng(dimension).integers(-9, 10, (12, dimension)) / 8.0


def exponent_of(data: np.ndarray, epsilon: Fraction, adjacency: Adjacency, bound: int) -> fmpq_mat:
    """Return B of the statement: epsilon X'X over the range of the score, for records within the bound."""
    assert (np.linalg.norm(data, axis=1) <= bound).all()
    both = adjacency is Adjacency.REPLACE_ONE and data.shape[1] > 1
    weight = fmpq(epsilon.numerator, epsilon.denominator) / (bound**2 * (2 if both else 1))
    gram = 64 * data.T @ data
    return fmpq_mat(len(gram), len(gram), [fmpq(int(entry), 64) for entry in gram.ravel()]) * weight


def floats(matrix: fmpq_mat) -> np.ndarray:
    return np.array([[int(entry.p) / int(entry.q) for entry in row] for row in matrix.tolist()])


def drawn(exponent: fmpq_mat, rank: int, share: int, grid: Fraction, seed: int) -> np.ndarray:
    """Draw the directions as the statement describes them, each at so large a share of the exponent."""
    dimension, entropy = exponent.nrows(), SeededEntropy(seed)
    basis = fmpq_mat(dimension, dimension, [fmpq(int(i == j)) for i in range(dimension) for j in range(dimension)])
    columns = []
    for step in range(min(rank, dimension - 1)):
        inner = basis.transpose() * exponent * basis * fmpq(1, share)
        integers = round_to_grid(BinghamSampler(inner).draw(entropy), grid)
        turned = basis * reflection(fmpz_mat(dimension - step, 1, [int(entry) for entry in integers]))
        columns.append(floats(turned)[:, 0])
        kept = [turned[i, j] for i in range(dimension) for j in range(1, dimension - step)]
        basis = fmpq_mat(dimension, dimension - step - 1, kept)
    if rank == dimension:
        columns.append(floats(basis)[:, 0])
    return np.column_stack(columns)


@pytest.mark.parametrize(("rank", "dimension"), SHAPES)
@pytest.mark.parametrize("adjacency", RELATIONS)
def test_every_step_has_its_share_and_the_complement_of_those_before(
    adjacency: Adjacency, rank: int, dimension: int
) -> None:
    data, steps = records_of(dimension), min(rank, dimension - 1)
    controls = []
    for epsilon, seed in product((Fraction(1, 3), Fraction(40)), range(3)):
        mechanism = SequentialPpca(epsilon, adjacency, rank=rank, norm_bound=3)
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        assert (release.guarantee, release.grid) == (None, Fraction(1, 2**40))
        found = release.to_numpy()
        assert found.shape == (dimension, rank)
        assert np.allclose(found.T @ found, np.eye(rank), rtol=0, atol=1e-9)
        exponent = exponent_of(data, epsilon, adjacency, 3)
        expected = drawn(exponent, rank, max(steps, 1), release.grid, seed)
        # Where one dimension is left its sign is free.
        signs = np.where((expected * found).sum(axis=0) < 0, -1, 1) if rank == dimension else np.ones(rank)
        assert np.allclose(expected * signs, found, rtol=0, atol=1e-9)
        controls.append(np.allclose(drawn(exponent, rank, steps + 1, release.grid, seed), found, rtol=0, atol=1e-9))
        assert mechanism.release(data).guarantee == mechanism.guarantee
    assert dimension == 1 or not all(controls)


@pytest.mark.parametrize(("rank", "dimension"), [(1, 1), (1, 3), (1, 5), (2, 3), (2, 4), (2, 2)])
@pytest.mark.parametrize("adjacency", RELATIONS)
def test_directions_and_projectors_are_the_samplers(adjacency: Adjacency, rank: int, dimension: int) -> None:
    data = records_of(dimension)
    controls = []
    for seed in range(2):
        mechanism = Ppca(Fraction(2), adjacency, rank=rank, norm_bound=3)
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        exponent = exponent_of(data, Fraction(2), adjacency, 3)
        for factor in (1, 2):
            sampler = BinghamSampler(exponent * factor) if rank == 1 else MatrixBinghamSampler(exponent * factor, rank)
            expected = round_to_grid(sampler.draw(SeededEntropy(seed)), Fraction(1, 2**40)).reshape(dimension, -1)
            if factor == 1:
                assert release.integers.tolist() == expected.tolist()
            else:
                controls.append(release.integers.tolist() == expected.tolist())
        assert mechanism.release(data).guarantee == mechanism.guarantee
    assert dimension in (1, rank) or not all(controls)


@pytest.mark.parametrize("kind", [Ppca, SequentialPpca])
def test_public_numbers_that_make_no_sense_are_refused(kind: Any) -> None:
    for bad in (0, -1, 1.5, True):
        with pytest.raises(InvalidParameterError):
            kind(1, rank=bad)
    for bad in (15, 513, True, 20.0):
        with pytest.raises(InvalidParameterError):
            kind(1, direction_bits=bad)
    for bits in (16, 512):
        assert kind(1, direction_bits=bits).release([[0.5, 0.5]]).grid == Fraction(1, 2**bits)
    for rank, data in ((3, [[0.5, 0.5]]), (2, [[0.5]])):
        with pytest.raises(InvalidParameterError):
            kind(1, rank=rank).release(data)


def test_draws_that_are_too_slow_are_refused_where_a_limit_was_asked_for() -> None:
    """And not otherwise: whether there is a refusal would depend on the records."""
    data = np.zeros((40, 3))
    data[:, 0] = 1
    limited = Ppca(1, rank=2, most_proposals=1)
    with pytest.raises(TooSlowError):
        [limited.release(data) for _ in range(200)]
    for bad in (0, -1, 1.5, True):
        with pytest.raises(InvalidParameterError):
            Ppca(1, rank=2, most_proposals=bad)
    assert Ppca(1, rank=2).release(data).private
