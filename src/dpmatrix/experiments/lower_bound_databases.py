"""The databases of `near-optimal.theorem-8` as records, to run a mechanism on them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.experiments.sphere_packings import SpherePacking
from dpmatrix.spec.near_optimal.databases import (
    FIRST,
    Copies,
    FirstFamily,
    SecondFamily,
    entries,
    first_database,
    second_database,
    top_eigenvalue,
)

FloatArray = npt.NDArray[np.float64]

_SHRINK = 1.0 - 2.0**-40
"""Keeps every norm at most 1 in exact arithmetic, whatever the last division rounded."""


def records_of(points: tuple[Copies, ...]) -> FloatArray:
    """Write a database out, one record a row: shape (n, d), rounded, every norm at most 1."""
    rows = []
    for copies in points:
        row = np.array([float(rational(value)) for value in copies.direction]) * float(rational(copies.scale)) ** 0.5
        rows.append(np.tile(row, (copies.number, 1)))
    records: FloatArray = np.vstack(rows) * _SHRINK
    return records


def first_eigenvector(family: FirstFamily) -> FloatArray:
    """Compute the top eigenvector, along ``b y + (lambda - a) w``, with length 1."""
    a, b, _ = entries(family)
    slope = float(top_eigenvalue(family) - a)
    vector = np.array([*(slope * float(rational(value)) for value in family.w), float(b)])
    unit: FloatArray = vector / np.linalg.norm(vector)
    return unit


def first_databases(
    packing: SpherePacking, records: int, moved: int, gap: Fraction, side: Fraction
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Give, for each line of a packing, the records of the first family and their top eigenvector.

    The lines are rounded to floats; the family's conditions are checked exactly for the first coordinate vector.

    Raises
    ------
    InvalidParameterError
        If n, n beta, the gap and the side do not belong together.
    """
    axis = (1, *(0 for _ in range(packing.directions.shape[1] - 1)))
    model = FirstFamily(records, moved, gap, side, axis)
    for condition in FIRST:
        if not condition.margin(model) >= 0:
            raise InvalidParameterError("family", f"{condition.says} fails", "see `near-optimal.theorem-8`")
    for line in packing.vectors:
        family = FirstFamily(records, moved, gap, side, tuple(line.tolist()))
        yield records_of(first_database(family)), first_eigenvector(family)


def second_databases(
    packing: SpherePacking, records: int, moved: int, gap: Fraction
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Give, for each line of a packing, the records of the second family and their top eigenvector, the line."""
    for line in packing.vectors:
        yield records_of(second_database(SecondFamily(records, moved, gap, tuple(line.tolist())))), line
