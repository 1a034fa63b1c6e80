"""Pairs of data sets that somebody hands over, at their own size, as pairs of the unit ball and a norm bound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from attrs import frozen
from numpy.typing import ArrayLike

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.neighbours import distinct
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.pairs.unit_ball import inside_unit_ball
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.privacy.adjacency import Adjacency

MOST_PAIRS = 24
"""How many pairs are made of one data set, unless more are asked for."""


@frozen(eq=False)
class OwnPairs:
    """Pairs as an audit takes them.

    Attributes
    ----------
    pairs
        The data sets divided by the norm bound.
    norm_bound
        A power of two that no record exceeds: the mechanism is given ``norm_bound`` times the pairs, which are the
        data sets that were handed over, bit for bit.
    """

    pairs: tuple[NeighbouringPair, ...]
    norm_bound: float


def own_pairs(data_sets: Iterable[tuple[str, ArrayLike, ArrayLike]], adjacency: Adjacency) -> OwnPairs:
    """Take pairs of data sets as they are.

    Parameters
    ----------
    data_sets
        For each pair its name, the data and the neighbour, of shapes (n, d), n >= 0, and of one d; one without records
        may be an empty list.
    adjacency
        What makes them neighbours, the records compared by position.

    Raises
    ------
    InvalidParameterError
        If there is no pair, a data set is no table of finite numbers, two differ in d, two are no neighbours or the
        same, or the numbers differ so much in size that they cannot be scaled without rounding.
    """
    named = [(name, _table(data, name), _table(other, name)) for name, data, other in data_sets]
    if not named:
        raise InvalidParameterError("pairs", "there is none", "give at least one pair")
    sides = [side for _, data, other in named for side in (data, other)]
    widths = {side.shape[1] for side in sides if side.size}
    if len(widths) != 1:
        problem = (
            "no record has a number" if not widths else f"records have {' and '.join(map(str, sorted(widths)))} numbers"
        )
        raise InvalidParameterError("pairs", problem, "give records of one length")
    (width,) = widths
    bound = _power_of_two_above(sides)
    found = []
    for name, data, other in named:
        first, second = (_scaled(side.reshape(len(side), width), bound, name) for side in (data, other))
        if np.array_equal(first, second):
            raise InvalidParameterError("pairs", f"both data sets of {name} are the same", "change one record")
        found.append(NeighbouringPair(name, adjacency, first, second))
    return OwnPairs(tuple(found), bound)


def pairs_of_data(
    data: ArrayLike, adjacency: Adjacency, *, zero_rows: bool = False, most: int = MOST_PAIRS
) -> OwnPairs:
    """Make pairs of one data set, with no record but those that it has.

    By add/remove a record leaves; by replace-one it becomes a copy of the one that is farthest from it, or of the
    nearest other one. The records that do so are the least and the greatest in each column first, then others, evenly
    over the rows.

    Parameters
    ----------
    data
        Shape (n, d), n >= 1.
    adjacency
        Relation between neighbours.
    zero_rows
        Whether a record that leaves is replaced by zeros, for mechanisms that take n for public.
    most
        Number of pairs at most.

    Raises
    ------
    InvalidParameterError
        As for `own_pairs`; if there is no record, or by replace-one all are the same.
    """
    table = _table(data, "the data")
    if len(table) == 0 or table.shape[1] == 0:
        raise InvalidParameterError("data", "it has no record", "give at least one")
    most = positive_integer(most, "most")
    pairs: list[tuple[str, ArrayLike, ArrayLike]] = []
    for row in _telling_rows(table):
        if adjacency is Adjacency.ADD_REMOVE_ONE:
            if not zero_rows:
                pairs.append((f"record {row} leaves", table, np.delete(table, row, axis=0)))
            elif np.any(table[row]):
                pairs.append((f"record {row} becomes zero", table, _with_row(table, row, np.zeros(table.shape[1]))))
            continue
        distances = np.linalg.norm(table - table[row], axis=1)
        others = np.flatnonzero(distances)
        if others.size:
            for other, word in (
                (others[np.argmax(distances[others])], "farthest"),
                (others[np.argmin(distances[others])], "nearest"),
            ):
                words = f"record {row} becomes a copy of record {other}, the {word}"
                pairs.append((words, table, _with_row(table, row, table[other])))
    if not pairs:
        raise InvalidParameterError("data", "no record of it can change into another one of it", "give other records")
    own = own_pairs(pairs, adjacency)
    return OwnPairs(distinct(own.pairs)[:most], own.norm_bound)


def _with_row(table: FloatArray, row: int, record: FloatArray) -> FloatArray:
    changed = table.copy()
    changed[row] = record
    return changed


def _telling_rows(table: FloatArray) -> list[int]:
    ends = [int(row) for find in (np.argmax, np.argmin) for row in find(table, axis=0)]
    evenly = np.linspace(0, len(table) - 1, min(len(table), 2 * MOST_PAIRS)).astype(int).tolist()
    return list(dict.fromkeys([*ends, *evenly]))


def _table(value: ArrayLike, name: str) -> FloatArray:
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise InvalidParameterError("pairs", f"a data set of {name} is no table", "give rows of one length") from error
    if array.ndim == 1 and array.size == 0:
        array = np.zeros((0, 0))
    if array.dtype.kind not in "biuf":
        raise InvalidParameterError("pairs", f"a data set of {name} holds something else than numbers", "give numbers")
    if array.ndim != 2:
        raise InvalidParameterError("pairs", f"a data set of {name} has shape {array.shape}", "give one record a row")
    table = array.astype(np.float64)
    if not np.all(np.isfinite(table)):
        raise InvalidParameterError("pairs", f"a number in {name} is not finite", "give finite numbers")
    if array.dtype.kind in "iu" and not np.array_equal(table.astype(array.dtype), array):
        raise InvalidParameterError("pairs", f"an integer in {name} is no float", "give integers below 2^53")
    return table


def _power_of_two_above(sides: Sequence[FloatArray]) -> float:
    largest = max((float(np.max(np.abs(side))) for side in sides if side.size), default=0.0)
    if largest == 0:
        return 1.0
    for exponent in range(int(np.frexp(largest)[1]), np.finfo(np.float64).maxexp):
        bound = 2.0**exponent
        if all(inside_unit_ball(record / bound) for side in sides for record in side):
            return bound
    raise InvalidParameterError("pairs", "the norm of a record is no float", "give smaller numbers")


def _scaled(side: FloatArray, bound: float, name: str) -> FloatArray:
    with np.errstate(under="ignore"):
        scaled: FloatArray = side / bound
    if not np.array_equal(scaled * bound, side):
        problem = f"numbers in {name} differ too much in size to be scaled without rounding"
        raise InvalidParameterError("pairs", problem, "give zero for what is as small as that")
    return scaled
