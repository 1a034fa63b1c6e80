"""Projections of least cost: against exact enumeration, against random rivals, and on a private window."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import (
    NonNegativeProjection,
    PrincipalProjection,
    Release,
    SparseProjection,
    principal_components,
    principal_projections,
)
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window.constrained_pca import NonNegative, Sparse, best_sparse, non_negative_margin

PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)


def release_of(values) -> Release:
    return Release(
        integers=np.array(values, dtype=object),
        grid=Fraction(1, 2),
        guarantee=PROMISE,
        mechanism="toy",
        adjacency=Adjacency.ADD_REMOVE_ONE,
        entropy="none",
    )


def random_matrix(dimension: int, seed: int) -> np.ndarray:
    half = np.random.default_rng(seed).integers(-9, 10, size=(dimension, dimension))
    return half + half.T


def gain(projection: np.ndarray, matrix: np.ndarray) -> float:
    return float(np.trace(projection @ matrix))


def assert_projection(projection: np.ndarray, rank: int) -> None:
    assert np.allclose(projection, projection.T, atol=1e-12)
    assert np.allclose(projection @ projection, projection, atol=1e-12)
    assert round(float(np.trace(projection))) == rank


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_the_principal_projection_keeps_most(seed: int, rank: int) -> None:
    matrix = random_matrix(4, seed)
    found = release_of(matrix).apply(PrincipalProjection(rank))
    assert_projection(found.value, rank)
    assert np.isclose(gain(found.value, matrix), np.sort(np.linalg.eigvalsh(matrix))[-rank:].sum())
    basis = principal_components(release_of(matrix), rank).value
    assert np.allclose(found.value, basis @ basis.T)
    assert found.guarantee is PROMISE


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("rank", "size"), [(1, 1), (1, 2), (2, 3), (3, 3), (2, 5)])
def test_sparse_projections_are_the_exact_best(seed: int, rank: int, size: int) -> None:
    matrix = random_matrix(5, seed)
    projection = release_of(matrix).apply(SparseProjection(rank, size)).value
    assert_projection(projection, rank)
    assert np.count_nonzero(np.abs(projection).sum(axis=1)) <= size
    anything = diagonal([int(place < rank) for place in range(5)])
    best = best_sparse(Sparse(fmpq_mat(matrix.tolist()), anything, size))
    assert np.isclose(gain(projection, matrix), float(best.mid()), rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_non_negative_projections_are_the_exact_best(seed: int, rank: int) -> None:
    matrix = random_matrix(4, seed)
    projection = release_of(matrix).apply(NonNegativeProjection(rank)).value
    assert_projection(projection, rank)
    assert (projection >= 0).all()
    axes = [[int(i == j) for j in range(rank)] for i in range(4)]
    slack = non_negative_margin(NonNegative(fmpq_mat(matrix.tolist()), fmpq_mat(axes)))
    assert np.isclose(gain(projection, matrix), float(slack.mid()) + np.trace(matrix[:rank, :rank]), rtol=1e-10)


def test_no_random_non_negative_vector_does_better() -> None:
    matrix = random_matrix(7, 11)
    best = gain(release_of(matrix).apply(NonNegativeProjection(1)).value, matrix)
    generator = np.random.default_rng(2)
    for _ in range(5000):
        vector = np.abs(generator.normal(size=7)) * (generator.random(7) < 0.6)
        if vector.any():
            assert vector @ matrix @ vector <= (best + 1e-9) * (vector @ vector) or best < 0


def test_ties_and_zero_are_answered() -> None:
    for values in (np.eye(3, dtype=int), np.zeros((3, 3), dtype=int), np.full((3, 3), 7)):
        for function in (PrincipalProjection(2), SparseProjection(2, 2), NonNegativeProjection(2)):
            assert_projection(release_of(values).apply(function).value, 2)


def test_planted_constraints_are_found() -> None:
    """A strong pair of coordinates with equal signs, and a stronger one with opposite signs."""
    matrix = np.zeros((5, 5), dtype=int).astype(object)
    matrix[0, 1] = matrix[1, 0] = 10**30
    matrix[2, 3] = matrix[3, 2] = -2 * 10**30
    pair = np.zeros((5, 5))
    pair[:2, :2] = 0.5
    opposite = np.zeros((5, 5))
    opposite[2:4, 2:4] = [[0.5, -0.5], [-0.5, 0.5]]
    assert np.allclose(release_of(matrix).apply(NonNegativeProjection(1)).value, pair)
    assert np.allclose(release_of(matrix).apply(SparseProjection(1, 2)).value, opposite)
    assert np.allclose(release_of(matrix).apply(PrincipalProjection(2)).value, pair + opposite)


@pytest.mark.parametrize("function", [PrincipalProjection(1), SparseProjection(1, 2), NonNegativeProjection(1)])
def test_a_private_window_keeps_its_guarantee_and_its_bound(function) -> None:
    """The cost is at most that of any rival plus (d - k)(a + b), with the errors a and b of the published matrix.

    The second moments are nearly diagonal, about 320, 1300 and 5000. Another answer on top needs an error above 900 in
    spectral norm, over 40 deviations of an entry: the squared Frobenius norm is at most twice a chi-square with six
    degrees, so the probability is below 1e-50.
    """
    window = SlidingWindowGram(WindowParameters(3, 32_768, PROMISE, leaf=4096))
    rows = np.random.default_rng(5).normal(size=(36_864, 3)) * [0.1, 0.2, 0.4]
    rows /= 1.001 * np.maximum(1, np.linalg.norm(rows, axis=1))[:, None]
    window.add(rows)
    release = window.publish()
    found = release.apply(function)
    assert found.guarantee is PROMISE
    assert np.argmax(np.diag(found.value)) == 2
    published, recent = release.to_numpy(), rows[-32_768:]
    exact = recent.T @ recent
    errors = [np.linalg.eigvalsh(exact - published)[-1], np.linalg.eigvalsh(published - exact)[-1]]
    for axis in range(3):
        rival = np.diag([float(place == axis) for place in range(3)])
        cost, other = (np.trace(exact) - gain(each, exact) for each in (found.value, rival))
        assert cost <= other + 2 * sum(errors) + 1e-6


@pytest.mark.parametrize("rank", [0, -1, 1.5, True, "2", None])
def test_a_rank_is_a_positive_integer(rank) -> None:
    for build in (PrincipalProjection, NonNegativeProjection, lambda value: SparseProjection(value, 9)):
        with pytest.raises(InvalidParameterError, match="rank"):
            build(rank)


@pytest.mark.parametrize("function", [PrincipalProjection(4), SparseProjection(4, 4), NonNegativeProjection(4)])
def test_a_rank_above_the_dimension_is_refused(function) -> None:
    with pytest.raises(InvalidParameterError, match="exceeds d = 3"):
        release_of(np.eye(3, dtype=int)).apply(function)


def test_sizes_are_checked() -> None:
    for size in (0, 1.0, False):
        with pytest.raises(InvalidParameterError, match="size"):
            SparseProjection(1, size)
    with pytest.raises(InvalidParameterError, match="below the rank"):
        SparseProjection(3, 2)
    with pytest.raises(InvalidParameterError, match="exceeds d"):
        release_of(np.eye(3, dtype=int)).apply(SparseProjection(1, 4))
    with pytest.raises(InvalidParameterError, match="supports"):
        release_of(np.eye(40, dtype=int)).apply(SparseProjection(1, 20))
    with pytest.raises(InvalidParameterError, match="too many"):
        release_of(np.eye(13, dtype=int)).apply(NonNegativeProjection(1))


@pytest.mark.parametrize("function", [PrincipalProjection(1), SparseProjection(1, 1), NonNegativeProjection(1)])
def test_other_releases_are_refused(function) -> None:
    for values in ([[1, 2], [3, 4]], [[1, 2, 3], [2, 1, 3]]):
        with pytest.raises(InvalidParameterError, match="not a symmetric"):
            release_of(values).apply(function)


def test_ranks_and_sizes_outside_their_domains_are_refused_by_name() -> None:
    for wrong in (0, -1, 1.5):
        for function in (PrincipalProjection, NonNegativeProjection, lambda rank: SparseProjection(rank, 9)):
            with pytest.raises(InvalidParameterError) as caught:
                function(wrong)
            assert caught.value.parameter == "rank"
        with pytest.raises(InvalidParameterError) as caught:
            SparseProjection(1, wrong)
        assert caught.value.parameter == "size"
    with pytest.raises(InvalidParameterError, match=r"^size: 1 is below the rank 2; pass a size >= rank$"):
        SparseProjection(2, 1)
    release = release_of(np.eye(3, dtype=int))
    for function in (PrincipalProjection(4), NonNegativeProjection(4), SparseProjection(4, 4)):
        with pytest.raises(InvalidParameterError, match=r"^rank: 4 exceeds d = 3; pass a rank of at most d$"):
            release.apply(function)
    with pytest.raises(InvalidParameterError, match=r"^size: 4 exceeds d = 3; pass a size of at most d$"):
        release.apply(SparseProjection(3, 4))
    for function in (PrincipalProjection(3), NonNegativeProjection(3), SparseProjection(3, 3)):
        assert np.allclose(release.apply(function).value, np.eye(3))


def test_supports_and_coordinates_have_a_limit(monkeypatch) -> None:
    with pytest.raises(
        InvalidParameterError, match=r"^size: there are 352716 supports of 10 among 21; keep them within 200000$"
    ):
        release_of(np.eye(21, dtype=int)).apply(SparseProjection(1, 10))
    with pytest.raises(
        InvalidParameterError, match=r"^release: 3\*\*13 pairs of supports are too many; keep d within 12$"
    ):
        release_of(np.eye(13, dtype=int)).apply(NonNegativeProjection(1))
    monkeypatch.setattr(principal_projections, "MOST_SUPPORTS", 10)
    monkeypatch.setattr(principal_projections, "MOST_COORDINATES", 5)
    release = release_of(np.eye(5, dtype=int))
    for function in (SparseProjection(1, 2), SparseProjection(1, 3), NonNegativeProjection(1)):
        assert_projection(release.apply(function).value, 1)
    monkeypatch.setattr(principal_projections, "MOST_SUPPORTS", 9)
    monkeypatch.setattr(principal_projections, "MOST_COORDINATES", 4)
    for function in (SparseProjection(1, 2), SparseProjection(1, 3), NonNegativeProjection(1)):
        with pytest.raises(InvalidParameterError):
            release.apply(function)


def test_of_equally_good_supports_one_is_always_taken() -> None:
    """The first one where each is tried in turn; the one with the latest coordinates where families are searched."""
    release = release_of(np.eye(3, dtype=int))
    assert release.apply(SparseProjection(1, 1)).value.tolist() == np.diag([1.0, 0.0, 0.0]).tolist()
    assert release.apply(NonNegativeProjection(1)).value.tolist() == np.diag([0.0, 0.0, 1.0]).tolist()
    assert release.apply(NonNegativeProjection(2)).value.tolist() == np.diag([0.0, 1.0, 1.0]).tolist()
    corners = np.zeros((4, 4), dtype=int)
    corners[0, 3] = corners[3, 0] = 1
    half = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 2, 0], [1, 0, 0, 1]]) / 2
    assert np.allclose(release_of(corners).apply(NonNegativeProjection(2)).value, half)


def test_one_coordinate_is_projected_on_itself() -> None:
    for function in (PrincipalProjection(1), SparseProjection(1, 1), NonNegativeProjection(1)):
        assert release_of([[-3]]).apply(function).value.tolist() == [[1.0]]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("rank", [1, 2, 3, 5])
def test_the_best_disjoint_supports_are_found_by_trying_all(seed: int, rank: int) -> None:
    """Each support of five coordinates has its best positive vector; families of disjoint ones are listed."""
    matrix = random_matrix(5, seed) - 20 * (seed % 2) * np.eye(5, dtype=int)
    values = {}
    for size in range(1, 6):
        for support in combinations(range(5), size):
            found, vectors = np.linalg.eigh(matrix[np.ix_(support, support)].astype(float))
            positive = [value for value, column in zip(found, vectors.T, strict=True) if abs(column.sum()) > 0
                        and (np.sign(column) == np.sign(column[0])).all()]  # fmt: skip
            values.update({support: max(positive)} if positive else {})
    best = max(
        sum(values[support] for support in family)
        for family in combinations(values, rank)
        if len(set().union(*family)) == sum(map(len, family))
    )
    projection = release_of(matrix).apply(NonNegativeProjection(rank)).value
    assert_projection(projection, rank)
    assert gain(projection, matrix) == pytest.approx(best, rel=1e-10)
