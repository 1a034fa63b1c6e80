"""Neighbours that are the worst for mechanisms with a known weakness."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.neighbours import l1_extremal_records
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.pairs.unit_ball import unit_record
from dpmatrix.privacy.adjacency import Adjacency

Pairs = Callable[[], tuple[NeighbouringPair, ...]]


def basis(dimension: int, index: int) -> FloatArray:
    """Return a basis vector."""
    return np.asarray(np.eye(dimension)[index])


def pattern(bits: FloatArray) -> FloatArray:
    """Return the unit record that is positive where a bit is set; the zero record if none is."""
    return unit_record(bits) if np.any(bits) else np.zeros(len(bits))


def one_record(name: str, first: FloatArray, second: FloatArray) -> NeighbouringPair:
    """Make a replace-one pair of two versions of the only record."""
    return NeighbouringPair(name, Adjacency.REPLACE_ONE, first[None], second[None])


def answer_patterns(length: int) -> Pairs:
    """Make the patterns of query answers of the StatDP auditor, by records that are positive at chosen coordinates."""

    def pairs() -> tuple[NeighbouringPair, ...]:
        ones, zeros = np.ones(length), np.zeros(length)
        first, last = basis(length, 0), basis(length, length - 1)
        half = np.where(np.arange(length) < length // 2, 1.0, 0.0)
        named = (
            ("all answers rise", zeros, ones),
            ("one rises", zeros, first),
            ("one rises and the rest fall", ones - first, first),
            ("the last rises and the rest fall", ones - last, last),
            ("half rise and half fall", ones - half, half),
            ("half rise", zeros, half),
            ("the rest falls", ones, first),
        )
        return tuple(one_record(name, pattern(before), pattern(after)) for name, before, after in named)

    return pairs


def deleted_extremal_record(dimension: int, records: int) -> Pairs:
    """Delete a record where the others are all the one that moves the upper triangle of the mean most in l1."""

    def pairs() -> tuple[NeighbouringPair, ...]:
        first, second = l1_extremal_records(dimension, upper_triangle=True)
        made = []
        for record, other in ((first, second), (second, first)):
            rest = np.tile(other, (records - 1, 1))
            name = "the others are the opposite extreme"
            made.append(NeighbouringPair(name, Adjacency.ADD_REMOVE_ONE, np.vstack([rest, record]), rest))
        return tuple(made)

    return pairs
