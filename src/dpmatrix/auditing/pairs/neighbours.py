"""Families of neighbouring data sets on which private algorithms tend to break; no randomness but a fixed seed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair, data_set
from dpmatrix.auditing.pairs.unit_ball import unit_record
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.privacy.adjacency import Adjacency

Change: TypeAlias = tuple[str, FloatArray, FloatArray]

_SEED = 20160212
_SMALL_ANGLE = 0.1
_ASCENT_STEPS = 50


def l1_extremal_records(dimension: int, *, upper_triangle: bool) -> tuple[FloatArray, FloatArray]:
    """Find unit records v, w for which ``vv' - ww'`` has a locally greatest entrywise l1 norm.

    Alternating ascent from fixed starts: for fixed signs the best v and w are the extreme eigenvectors of the sign
    matrix, and for fixed records the best signs are those of the entries; the norm never decreases.

    Parameters
    ----------
    dimension
        d >= 1.
    upper_triangle
        Count each pair of equal off-diagonal entries once instead of twice.

    Returns
    -------
    tuple of ndarray
        Two records of shape (d,).
    """
    weights = np.full((dimension, dimension), 0.5 if upper_triangle else 1.0)
    np.fill_diagonal(weights, 1.0)
    generator = np.random.default_rng(_SEED)
    best, records = -1.0, (_basis(dimension, 0), _basis(dimension, dimension - 1))
    two_blocks = np.ones((dimension, dimension))
    two_blocks[(dimension + 1) // 2 :, (dimension + 1) // 2 :] = -1.0
    for signs in (two_blocks, *np.sign(generator.standard_normal((4, dimension, dimension)))):
        signs = np.triu(signs) + np.triu(signs, 1).T
        for _ in range(_ASCENT_STEPS):
            eigenvectors = np.linalg.eigh(weights * signs)[1]
            first, second = eigenvectors[:, -1], eigenvectors[:, 0]
            difference = np.outer(first, first) - np.outer(second, second)
            signs = np.sign(difference)
            value = float(np.sum(weights * np.abs(difference)))
            if value > best:
                best, records = value, (first, second)
    return unit_record(records[0]), unit_record(records[1])


def _basis(dimension: int, index: int) -> FloatArray:
    record = np.zeros(dimension)
    record[index] = 1.0
    return record


def _changes(dimension: int) -> tuple[Change, ...]:
    """List (name, record, replacement); a replacement of zero also serves for removal."""
    generator = np.random.default_rng(_SEED)
    first, last, zero = _basis(dimension, 0), _basis(dimension, dimension - 1), np.zeros(dimension)
    flat = unit_record(np.ones(dimension))
    alternating = unit_record(np.where(np.arange(dimension) % 2 == 0, 1.0, -1.0))
    half = unit_record(np.where(np.arange(dimension) < (dimension + 1) // 2, 1.0, 0.0))
    random, other = (unit_record(generator.standard_normal(dimension)) for _ in range(2))
    tilted = unit_record(np.cos(_SMALL_ANGLE) * first + np.sin(_SMALL_ANGLE) * last)
    changes = [
        ("the first basis vector and zero", first, zero),
        ("the last basis vector and zero", last, zero),
        ("the flat vector and zero", flat, zero),
        ("the vector of alternating signs and zero", alternating, zero),
        ("a flat vector on half of the coordinates and zero", half, zero),
        ("a random unit vector and zero", random, zero),
        ("a short random vector and zero", random / 2, zero),
        ("orthogonal basis vectors", first, last),
        ("flat and alternating signs", flat, alternating),
        ("opposite basis vectors", first, -first),
        ("opposite flat vectors", flat, -flat),
        ("aligned vectors of length one and one half", flat, flat / 2),
        ("basis vectors a small angle apart", first, tilted),
        ("two random unit vectors", random, other),
        ("two random vectors inside the ball", random * 0.5, other * 0.3),
    ]
    for upper_triangle, words in ((True, "upper triangle"), (False, "whole matrix")):
        record, replacement = l1_extremal_records(dimension, upper_triangle=upper_triangle)
        changes.append((f"the records that move the {words} most in l1", record, replacement))
    return tuple(changes)


def _rests(dimension: int, records: int) -> tuple[tuple[str, FloatArray], ...]:
    """List (name, the other n - 1 records): nothing there, rank deficient, interior and of full rank."""
    if records == 1:
        return (("no other record", np.zeros((0, dimension))),)
    others = records - 1
    flat = np.tile(unit_record(np.ones(dimension)), (others, 1))
    spread = np.eye(dimension)[np.arange(others) % dimension]
    return (
        ("zeros elsewhere", np.zeros((others, dimension))),
        ("one direction elsewhere", flat),
        ("every direction elsewhere", spread * 0.75),
    )


def _pair(
    name: str, adjacency: Adjacency, rest: FloatArray, change: Change, *, delete_rows: bool
) -> NeighbouringPair | None:
    """Append the two versions of one record to the rest; nothing where the adjacency has no such change."""
    _, record, replacement = change
    if adjacency is Adjacency.ADD_REMOVE_ONE and np.any(replacement):
        return None
    data, neighbour = np.vstack([rest, record]), np.vstack([rest, replacement])
    deleted = delete_rows and adjacency is Adjacency.ADD_REMOVE_ONE
    words = f"{name}; the row is deleted" if deleted else name
    return NeighbouringPair(words, adjacency, data, rest if deleted else neighbour)


def distinct(pairs: Iterable[NeighbouringPair | None]) -> tuple[NeighbouringPair, ...]:
    """Drop pairs that are absent, trivial, or the same as an earlier one."""
    unique: dict[tuple[bytes, bytes], NeighbouringPair] = {}
    for pair in pairs:
        if pair is not None and not np.array_equal(pair.data, pair.neighbour):
            unique.setdefault((pair.data.tobytes(), pair.neighbour.tobytes()), pair)
    return tuple(unique.values())


def neighbouring_pairs(
    dimension: int, records: int, adjacency: Adjacency, *, delete_rows: bool = False
) -> tuple[NeighbouringPair, ...]:
    """Build the adversarial pairs of a given size.

    Parameters
    ----------
    dimension
        d >= 1, the length of a record.
    records
        n >= 1, the size of the larger data set.
    adjacency
        The relation between the two.
    delete_rows
        Under ``ADD_REMOVE_ONE``, whether a removed record takes its row along (n - 1 rows are left, none if n = 1) or
        leaves a zero record, which suits mechanisms that take n for public.

    Returns
    -------
    tuple of NeighbouringPair
        Distinct pairs, always the same for the same arguments. With the other records zero every change of record is
        tried; with other records that are not zero, a few.

    Raises
    ------
    InvalidParameterError
        If the dimension or the number of records is not a positive integer.
    """
    dimension, records = positive_integer(dimension, "dimension"), positive_integer(records, "records")
    changes = _changes(dimension)
    tried = [
        (f"{change[0]}; {rest_name}", rest, change)
        for position, (rest_name, rest) in enumerate(_rests(dimension, records))
        for change in (changes if position == 0 else changes[1:9:2])
    ]
    return distinct([_pair(name, adjacency, rest, change, delete_rows=delete_rows) for name, rest, change in tried])


def neighbours_of(base: FloatArray, adjacency: Adjacency, *, delete_rows: bool = False) -> tuple[NeighbouringPair, ...]:
    """Build adversarial pairs on top of a real data set, whose last and longest records are changed in turn.

    Parameters
    ----------
    base
        Shape (n, d), n >= 1; every record in the unit ball.
    adjacency
        Under ``ADD_REMOVE_ONE`` a real record, or an adversarial one in its place, leaves or joins.
    delete_rows
        As for `neighbouring_pairs`.

    Raises
    ------
    InvalidParameterError
        If the data set is empty or not in the unit ball.
    """
    data = data_set(base)
    if len(data) == 0:
        raise InvalidParameterError("base", "it has no record", "pass at least one record")
    dimension = data.shape[1]
    eigenvectors = np.linalg.eigh(data.T @ data)[1]
    weakest = ("the weakest eigendirection", unit_record(eigenvectors[:, 0]))
    strongest = ("the strongest eigendirection", unit_record(eigenvectors[:, -1]))
    flat = ("the flat vector", unit_record(np.ones(dimension)))
    zero = ("zero", np.zeros(dimension))
    longest = int(np.argmax(np.sum(data * data, axis=1)))
    pairs = []
    for row in dict.fromkeys((len(data) - 1, longest)):
        rest, real = np.delete(data, row, axis=0), (f"real record {row}", data[row])
        replacements = [(real, other) for other in (zero, weakest, strongest, flat)]
        for (name, record), (other_name, other) in [*replacements, (weakest, zero), (weakest, strongest), (flat, zero)]:
            words = f"the place of real record {row} holds {name} or {other_name}"
            pairs.append(_pair(words, adjacency, rest, (words, record, other), delete_rows=delete_rows))
    return distinct(pairs)
