"""Hypothesis strategies for records in the unit ball and for neighbouring data sets."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.pairs.unit_ball import inside_unit_ball, pulled_into_unit_ball, unit_record
from dpmatrix.privacy.adjacency import Adjacency

_TINY = 2.0**-1000
_HUGE = 2.0**1000


def _vectors(dimension: int, bound: float) -> st.SearchStrategy[FloatArray]:
    entries = st.floats(min_value=-bound, max_value=bound, allow_nan=False, allow_infinity=False)
    return st.lists(entries, min_size=dimension, max_size=dimension).map(np.array)


def _directions(dimension: int, bound: float) -> st.SearchStrategy[FloatArray]:
    """Draw vectors that are certainly not zero."""
    index = st.integers(0, dimension - 1)
    return st.builds(_with_a_nonzero_entry, _vectors(dimension, bound), index, st.just(bound))


def _with_a_nonzero_entry(vector: FloatArray, index: int, value: float) -> FloatArray:
    if not np.any(vector):
        vector[index] = value
    return vector


def _one_ulp_inside(record: FloatArray) -> FloatArray:
    largest = int(np.argmax(np.abs(record)))
    result = record.copy()
    result[largest] = np.nextafter(result[largest], 0.0)
    return result


def _pushed_to_the_bound(record: FloatArray) -> FloatArray:
    """Grow the largest entry an ulp at a time while the exact norm stays at most one."""
    result = record.copy()
    largest = int(np.argmax(np.abs(result)))
    while True:
        grown = result.copy()
        grown[largest] = np.nextafter(grown[largest], np.copysign(2.0, grown[largest]))
        if not inside_unit_ball(grown):
            return result
        result = grown


def _basis_record(dimension: int, index: int, sign: float) -> FloatArray:
    record = np.zeros(dimension)
    record[index] = sign
    return record


def unit_ball_records(dimension: int) -> st.SearchStrategy[FloatArray]:
    """Draw records of shape (d,) of exact norm at most one.

    Kinds: interior points; unit vectors from directions of moderate, tiny and huge entries; vectors at the last float
    below the norm bound and one ulp inside it; flat sign vectors; signed basis vectors; tiny records; zero.
    """
    moderate = _directions(dimension, 1.0).map(unit_record)
    signs = st.lists(st.sampled_from([-1.0, 1.0]), min_size=dimension, max_size=dimension).map(np.array)
    basis = st.builds(_basis_record, st.just(dimension), st.integers(0, dimension - 1), st.sampled_from([-1.0, 1.0]))
    return st.one_of(
        st.just(np.zeros(dimension)).map(np.copy),
        basis,
        signs.map(unit_record),
        moderate,
        moderate.map(_pushed_to_the_bound),
        moderate.map(_one_ulp_inside),
        _directions(dimension, _TINY).map(unit_record),
        _directions(dimension, _HUGE).map(unit_record),
        _vectors(dimension, 1.0).map(pulled_into_unit_ball),
        _vectors(dimension, _TINY),
    )


def _assembled(
    rest: list[FloatArray], record: FloatArray, replacement: FloatArray | None, row: int, adjacency: Adjacency
) -> NeighbouringPair:
    others = np.array(rest).reshape(len(rest), record.size)
    data = np.insert(others, row, record, axis=0)
    neighbour = others if replacement is None else np.insert(others, row, replacement, axis=0)
    return NeighbouringPair("drawn at random", adjacency, data, neighbour)


def adjacent_data_sets(
    dimension: int, records: int, adjacency: Adjacency, *, delete_rows: bool = False
) -> st.SearchStrategy[NeighbouringPair]:
    """Draw neighbouring data sets, the larger of ``records`` >= 1 rows of length ``dimension`` >= 1.

    ``delete_rows`` says, under ``ADD_REMOVE_ONE``, whether a removed record takes its row along or leaves zeros.
    """
    record = unit_ball_records(dimension)
    rest = st.lists(record, min_size=records - 1, max_size=records - 1)
    row = st.integers(0, records - 1)
    replacement: st.SearchStrategy[FloatArray | None] = record
    if adjacency is Adjacency.ADD_REMOVE_ONE:
        replacement = st.none() if delete_rows else st.just(np.zeros(dimension))
    return st.builds(_assembled, rest, record, replacement, row, st.just(adjacency))
