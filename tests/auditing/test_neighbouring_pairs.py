"""Records, pairs and families: exact norms, true adjacency, and the kinds that they guarantee."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.auditing import NeighbouringPair, neighbouring_pairs, neighbours_of
from dpmatrix.auditing.pairs.neighbours import l1_extremal_records
from dpmatrix.auditing.pairs.strategies import adjacent_data_sets, unit_ball_records
from dpmatrix.auditing.pairs.unit_ball import inside_unit_ball, pulled_into_unit_ball, squared_norm, unit_record
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Entries, l1_sensitivity
from dpmatrix.privacy.adjacency import Adjacency

REPRODUCIBLE = settings(derandomize=True, database=None, deadline=None, max_examples=150)
CASES = list(product([1, 2, 5, 20], [1, 2, 7], list(Adjacency), [False, True]))


def exact_squared_norm(record: np.ndarray) -> Fraction:
    return sum((Fraction(*entry.as_integer_ratio()) ** 2 for entry in record.tolist()), Fraction(0))


def ids(pairs: tuple[NeighbouringPair, ...]) -> set[tuple[bytes, bytes]]:
    return {(pair.data.tobytes(), pair.neighbour.tobytes()) for pair in pairs}


@pytest.mark.parametrize(("dimension", "records", "adjacency", "delete_rows"), CASES)
def test_families_are_neighbours_in_the_unit_ball(
    dimension: int, records: int, adjacency: Adjacency, delete_rows: bool
) -> None:
    pairs = neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows)
    assert pairs
    assert ids(pairs) == ids(neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows))
    assert len(ids(pairs)) == len(pairs)
    for pair in pairs:
        assert pair.data.shape == (records, dimension)
        for record in np.vstack([pair.data, pair.neighbour]):
            assert exact_squared_norm(record) <= 1
        if adjacency is Adjacency.REPLACE_ONE:
            assert np.any(pair.data != pair.neighbour, axis=1).sum() == 1
        elif delete_rows:
            assert np.array_equal(pair.neighbour, pair.data[:-1])
        else:
            assert not pair.neighbour[-1].any()
        assert not pair.data.flags.writeable


def test_families_hold_the_guaranteed_kinds() -> None:
    pairs = neighbouring_pairs(6, 4, Adjacency.REPLACE_ONE)
    changes = [(pair.data[-1], pair.neighbour[-1]) for pair in pairs]
    assert any(not w.any() for _, w in changes)
    assert any(v @ w == 0 and v.any() and w.any() for v, w in changes)
    assert any(np.array_equal(v, -w) for v, w in changes)
    assert any(np.allclose(v / 2, w) for v, w in changes)
    assert any(0 < v @ v < 0.9 and 0 < w @ w < 0.9 for v, w in changes)
    assert any(np.ptp(np.abs(v)) < 1e-15 and np.ptp(v) > 0 for v, _ in changes)
    ranks = {int(np.linalg.matrix_rank(pair.data[:-1])) for pair in pairs}
    assert {0, 1, 3} <= ranks


@pytest.mark.parametrize("dimension", [2, 3, 5, 8, 13, 20])
@pytest.mark.parametrize("entries", list(Entries))
def test_l1_records_attain_the_sensitivity_under_replacement(dimension: int, entries: Entries) -> None:
    upper = entries is Entries.UPPER_TRIANGLE
    first, second = l1_extremal_records(dimension, upper_triangle=upper)
    moved = np.abs(np.outer(first, first) - np.outer(second, second))
    total = float(np.triu(moved).sum() if upper else moved.sum())
    assert total == pytest.approx(float(l1_sensitivity(dimension, Adjacency.REPLACE_ONE, entries)), rel=1e-12)


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("delete_rows", [False, True])
def test_neighbours_of_real_data_change_one_real_record(adjacency: Adjacency, delete_rows: bool) -> None:
    generator = np.random.default_rng(5)
    base = np.stack([pulled_into_unit_ball(row) for row in generator.normal(size=(12, 4)) * [0.5, 0.4, 0.3, 0.01]])
    pairs = neighbours_of(base, adjacency, delete_rows=delete_rows)
    weakest = np.linalg.eigh(base.T @ base)[1][:, 0]
    found = np.array([[abs(record @ weakest) for record in pair.changed_records()][:1] for pair in pairs])
    assert found.max() > 1 - 1e-12
    assert any(np.isin(base, pair.data).all() for pair in pairs)
    for pair in pairs:
        untouched = [row for row in base.tolist() if row in pair.data.tolist()]
        assert len(untouched) >= len(base) - 1


def test_neighbours_of_refuses_data_outside_the_ball_or_without_records() -> None:
    for bad in (np.zeros((0, 3)), np.full((2, 2), 0.9), np.array([[np.nan]]), np.zeros(3), np.zeros((2, 2)) * 1j):
        with pytest.raises(InvalidParameterError):
            neighbours_of(bad, Adjacency.REPLACE_ONE)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None])
def test_sizes_that_are_not_positive_integers_are_refused(bad: object) -> None:
    with pytest.raises(InvalidParameterError):
        neighbouring_pairs(bad, 1, Adjacency.REPLACE_ONE)
    with pytest.raises(InvalidParameterError):
        neighbouring_pairs(1, bad, Adjacency.REPLACE_ONE)


def test_pairs_that_are_not_neighbours_are_refused() -> None:
    two, three = np.eye(2), np.vstack([np.eye(2), [[0.5, 0.5]]])
    wrong = [
        (Adjacency.REPLACE_ONE, two, -two),
        (Adjacency.REPLACE_ONE, three, two),
        (Adjacency.REPLACE_ONE, np.eye(3), two),
        (Adjacency.ADD_REMOVE_ONE, three, three[::-1][:2] * 0.5),
        (Adjacency.ADD_REMOVE_ONE, two, np.array([[1.0, 0.0], [1.0, 0.0]])),
        (Adjacency.ADD_REMOVE_ONE, three, two[:1]),
    ]
    for adjacency, data, neighbour in wrong:
        with pytest.raises(InvalidParameterError):
            NeighbouringPair("wrong", adjacency, data, neighbour)


def test_a_row_may_leave_from_anywhere() -> None:
    data = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.0]])
    for row in range(4):
        pair = NeighbouringPair("gone", Adjacency.ADD_REMOVE_ONE, data, np.delete(data, row, axis=0))
        assert np.array_equal(pair.changed_records()[0], data[row])
        swapped = NeighbouringPair("back", Adjacency.ADD_REMOVE_ONE, pair.neighbour, pair.data)
        assert np.array_equal(swapped.changed_records()[0], data[row])


def test_directions_span_the_difference_of_the_gram_matrices() -> None:
    for pair in neighbouring_pairs(5, 3, Adjacency.REPLACE_ONE):
        vectors = np.stack([vector for _, vector in pair.directions()])
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0)
        difference = pair.data.T @ pair.data - pair.neighbour.T @ pair.neighbour
        projector = np.linalg.pinv(vectors) @ vectors
        assert np.allclose(projector @ difference, difference, atol=1e-9)


def test_the_ball_is_decided_without_rounding() -> None:
    just_in = np.array([0.6, 0.8])
    assert squared_norm(just_in) == exact_squared_norm(just_in)
    # 0.6 and 0.8 round so that the exact sum of squares exceeds one although floats add up to one.
    assert float(just_in @ just_in) == 1.0
    assert inside_unit_ball(just_in) == (exact_squared_norm(just_in) <= 1)
    flips = 0
    for dimension in range(2, 60):
        naive = np.ones(dimension) / np.linalg.norm(np.ones(dimension))
        flips += exact_squared_norm(naive) > 1
        assert exact_squared_norm(unit_record(np.ones(dimension))) <= 1
    assert flips > 5, "naive normalisation leaves the ball for many dimensions, or this test shows nothing"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8).map(np.array))
@REPRODUCIBLE
def test_pulling_in_is_exact_and_idempotent(record: np.ndarray) -> None:
    pulled = pulled_into_unit_ball(record)
    assert exact_squared_norm(pulled) <= 1
    assert np.array_equal(pulled, pulled_into_unit_ball(pulled))
    if exact_squared_norm(record) <= 1:
        assert np.array_equal(pulled, record)
    else:
        assert exact_squared_norm(pulled) > 1 - Fraction(1, 10**14)


@pytest.mark.parametrize("bad", [[], [np.nan], [np.inf, 1.0], [[1.0]]])
def test_records_that_are_not_finite_vectors_are_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidParameterError):
        pulled_into_unit_ball(np.array(bad))
    with pytest.raises(InvalidParameterError):
        unit_record(np.array(bad))
    with pytest.raises(InvalidParameterError):
        unit_record(np.zeros(2))


@given(st.integers(1, 6).flatmap(unit_ball_records))
@REPRODUCIBLE
def test_drawn_records_are_in_the_ball(record: np.ndarray) -> None:
    assert exact_squared_norm(record) <= 1


def test_drawn_records_reach_the_bound_and_stay_an_ulp_inside() -> None:
    seen = {"at the bound": 0, "near the bound": 0, "tiny": 0, "interior": 0, "zero": 0}

    @given(unit_ball_records(3))
    @settings(REPRODUCIBLE, max_examples=400)
    def collect(record: np.ndarray) -> None:
        size = exact_squared_norm(record)
        largest = int(np.argmax(np.abs(record)))
        grown = record.copy()
        grown[largest] = np.nextafter(grown[largest], np.copysign(2.0, grown[largest]))
        seen["zero"] += size == 0
        seen["tiny"] += 0 < size < Fraction(1, 2**1900)
        seen["interior"] += Fraction(1, 100) < size < Fraction(99, 100)
        seen["near the bound"] += 1 - Fraction(1, 2**50) < size <= 1
        seen["at the bound"] += exact_squared_norm(grown) > 1

    collect()
    assert min(seen.values()) >= 3, seen


@given(
    st.tuples(st.integers(1, 3), st.integers(1, 4), st.sampled_from(Adjacency), st.booleans()).flatmap(
        lambda case: adjacent_data_sets(case[0], case[1], case[2], delete_rows=case[3])
    )
)
@REPRODUCIBLE
def test_drawn_pairs_are_neighbours(pair: NeighbouringPair) -> None:
    longer, shorter = sorted((pair.data, pair.neighbour), key=len, reverse=True)
    rebuilt = [np.delete(longer, row, axis=0) for row in range(len(longer))]
    if len(longer) == len(shorter):
        assert any(np.array_equal(np.delete(shorter, row, axis=0), rest) for row, rest in enumerate(rebuilt))
    else:
        assert any(np.array_equal(shorter, rest) for rest in rebuilt)
