"""A pair of neighbouring data sets, checked without rounding, and what tells the two apart."""

from __future__ import annotations

import numpy as np
from attrs import field, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.unit_ball import inside_unit_ball
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

_SAME_DIRECTION = 1e-9


def data_set(value: object) -> FloatArray:
    """Return a read-only copy of a data set of shape (n, d), n >= 0, d >= 1, with every record in the unit ball.

    Raises
    ------
    InvalidParameterError
        If the shape is wrong, an entry is not a finite real number, or a record's norm exceeds one.
    """
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        raise InvalidParameterError("data", f"it holds values of type {array.dtype}", "pass real numbers")
    result = np.array(array, dtype=np.float64)
    if result.ndim != 2 or result.shape[1] == 0:
        raise InvalidParameterError("data", f"its shape is {result.shape}", "pass (n, d), one record a row")
    if not np.all(np.isfinite(result)):
        raise InvalidParameterError("data", "an entry is not finite", "pass finite numbers")
    for index, record in enumerate(result):
        if not inside_unit_ball(record):
            raise InvalidParameterError("data", f"record {index} has norm above one", "clip it with the unit ball")
    result.flags.writeable = False
    return result


def _is_one_record_less(longer: FloatArray, shorter: FloatArray) -> bool:
    """Tell whether deleting one row of the longer data set, whose length is right, gives the shorter."""
    different = np.flatnonzero(np.any(longer[:-1] != shorter, axis=1))
    first = int(different[0]) if different.size else len(shorter)
    return bool(np.array_equal(longer[first + 1 :], shorter[first:]))


@frozen(eq=False)
class NeighbouringPair:
    """Two data sets that a differentially private algorithm must not tell apart.

    Attributes
    ----------
    name
        What the pair is, in words.
    adjacency
        The relation that makes them neighbours; records are compared by position.
    data, neighbour
        Read-only, one record of norm at most one a row. Under ``REPLACE_ONE`` both have shape (n, d) and differ in
        at most one row. Under ``ADD_REMOVE_ONE`` either one has a row more than the other, or a row of one is zero in
        the other, which is how a removal reads where n is public.
    """

    name: str
    adjacency: Adjacency
    data: FloatArray = field(converter=data_set)
    neighbour: FloatArray = field(converter=data_set)

    def __attrs_post_init__(self) -> None:
        if not self._adjacent():
            problem = f"the data sets are not neighbours under {self.adjacency.name}"
            raise InvalidParameterError("neighbour", problem, "change one record as the adjacency relation says")

    def _adjacent(self) -> bool:
        longer, shorter = sorted((self.data, self.neighbour), key=len, reverse=True)
        if longer.shape[1] != shorter.shape[1]:
            return False
        if len(longer) != len(shorter):
            grown = self.adjacency is Adjacency.ADD_REMOVE_ONE and len(longer) == len(shorter) + 1
            return grown and _is_one_record_less(longer, shorter)
        rows = np.flatnonzero(np.any(longer != shorter, axis=1))
        if self.adjacency is Adjacency.ADD_REMOVE_ONE and len(rows) == 1:
            return not (np.any(longer[rows]) and np.any(shorter[rows]))
        return len(rows) <= 1

    def changed_records(self) -> tuple[FloatArray, ...]:
        """Return the non-zero records, of shape (d,), that only one of the two data sets holds at its place."""
        if len(self.data) == len(self.neighbour):
            rows = np.flatnonzero(np.any(self.data != self.neighbour, axis=1))
            records = [data[row] for row in rows for data in (self.data, self.neighbour)]
        else:
            longer, shorter = sorted((self.data, self.neighbour), key=len, reverse=True)
            different = np.flatnonzero(np.any(longer[:-1] != shorter, axis=1))
            records = [longer[int(different[0]) if different.size else len(shorter)]]
        return tuple(record for record in records if np.any(record))

    def has_negative_entries(self) -> bool:
        """Tell whether some entry of a data set is below zero."""
        return any(bool(np.any(side < 0)) for side in (self.data, self.neighbour))

    def directions(self) -> tuple[tuple[str, FloatArray], ...]:
        """Return named unit vectors, of shape (d,), along which the two data sets differ.

        These are the changed records themselves, and the eigenvectors of the difference of the two Gram matrices.
        """
        named = [("a changed record", record / np.linalg.norm(record)) for record in self.changed_records()]
        difference = self.data.T @ self.data - self.neighbour.T @ self.neighbour
        eigenvalues, eigenvectors = np.linalg.eigh(difference)
        rounding = 1e-12 * float(np.max(np.abs(eigenvalues)))
        telling = eigenvectors[:, np.abs(eigenvalues) > max(rounding, 1e-12)].T
        named.extend(("an eigenvector of the difference of the Gram matrices", vector) for vector in telling)
        distinct: list[tuple[str, FloatArray]] = []
        for name, vector in named:
            if all(abs(float(vector @ other)) < 1.0 - _SAME_DIRECTION for _, other in distinct):
                distinct.append((name, vector))
        return tuple(distinct)
