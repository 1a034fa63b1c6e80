"""Packings of the sphere, built: families of directions, with a certificate of their pairwise inner products.

A direction is a vector of integers, so that the squared cosine of two of them is a rational number. The members of
`random_packing` are those of the proof of `near-optimal.lemma-18`; `greedy_packing` is the family that cannot grow of
`near-optimal.lemma-11`, or the part of it that was asked for.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt
from attrs import frozen

from dpmatrix.errors import InvalidParameterError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

GRID = 1 << 16
"""Normal variates are rounded to multiples of 1/GRID: inner products stay below 2^53 up to dimension 1000."""

_NEAR = 1e-9


@frozen(eq=False)
class SpherePacking:
    """Directions that meet pairwise at an angle whose cosine is at most ``phi``.

    Attributes
    ----------
    directions
        Integers, shape (K, d), one direction a row.
    phi
        The bound that was asked for.
    largest_square
        The largest squared cosine of two members, exact; 0 for fewer than two members.
    """

    directions: IntArray
    phi: Fraction
    largest_square: Fraction

    def __len__(self) -> int:
        """Count the members."""
        return len(self.directions)

    @property
    def vectors(self) -> FloatArray:
        """The members as unit vectors, shape (K, d), rounded to floats."""
        floats = self.directions.astype(np.float64)
        unit: FloatArray = floats / np.linalg.norm(floats, axis=1, keepdims=True)
        return unit


def largest_square(directions: IntArray) -> Fraction:
    """Largest squared cosine of two directions: floats choose the candidates, integers decide."""
    if len(directions) < 2:
        return Fraction(0)
    rows = directions.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = np.abs(rows @ rows.T)
    cosines[np.tril_indices(len(rows))] = -1
    best = Fraction(0)
    for i, j in np.argwhere(cosines >= cosines.max() - _NEAR).tolist():
        x, y = ([int(entry) for entry in directions[k]] for k in (i, j))
        inner, first, second = (sum(a * b for a, b in zip(*pair, strict=True)) for pair in ((x, y), (x, x), (y, y)))
        best = max(best, Fraction(inner * inner, first * second))
    return best


def _checked(dimension: int, phi: Fraction) -> None:
    if dimension < 1:
        raise InvalidParameterError("dimension", f"{dimension} is not positive", "pass at least 1")
    if not 0 < phi < 1:
        raise InvalidParameterError("phi", f"{phi} is not between 0 and 1", "pass a Fraction between them")


def _directions(dimension: int, count: int, generator: np.random.Generator) -> IntArray:
    """Draw directions whose law is near the uniform one; none is zero."""
    drawn = np.rint(generator.standard_normal((count, dimension)) * GRID).astype(np.int64)
    drawn[~drawn.any(axis=1), 0] = 1
    return drawn


def certified(directions: IntArray, phi: Fraction) -> SpherePacking:
    """Check a family, exactly.

    Raises
    ------
    InvalidParameterError
        If two members meet at a cosine above ``phi``, or phi is not between 0 and 1.
    """
    _checked(directions.shape[1], phi)
    largest = largest_square(directions)
    if largest > phi * phi:
        raise InvalidParameterError("directions", f"two of them have squared cosine {largest}", "drop one of them")
    return SpherePacking(directions, phi, largest)


def random_packing(dimension: int, phi: Fraction, draws: int, generator: np.random.Generator) -> SpherePacking:
    """Draw directions and drop each that is close to an earlier draw, as in the proof of `near-optimal.lemma-18`.

    Parameters
    ----------
    dimension
        Length d of a vector.
    phi
        Largest cosine that is kept, between 0 and 1.
    draws
        The number N of the lemma.
    generator
        Source of the draws; a construction is no release.

    Raises
    ------
    InvalidParameterError
        If the dimension is not positive or phi not between 0 and 1.
    """
    _checked(dimension, phi)
    drawn = _directions(dimension, draws, generator)
    rows = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    close = np.triu(np.abs(rows @ rows.T) > float(phi) - _NEAR, 1).any(axis=0)
    return certified(drawn[~close], phi)


def greedy_packing(
    dimension: int, phi: Fraction, size: int, generator: np.random.Generator, *, most: int = 1_000_000
) -> SpherePacking:
    """Draw directions and keep each that is far from those kept, until there are ``size`` of them.

    Raises
    ------
    InvalidParameterError
        If the dimension or phi is out of range, or ``most`` draws do not suffice.
    """
    _checked(dimension, phi)
    kept = np.zeros((size, dimension), dtype=np.int64)
    rows, count, bar = np.zeros((size, dimension)), 0, float(phi) - _NEAR
    for _ in range(most):
        if count == size:
            return certified(kept, phi)
        candidate = _directions(dimension, 1, generator)[0]
        row = candidate / np.linalg.norm(candidate)
        if not (np.abs(rows[:count] @ row) > bar).any():
            kept[count], rows[count], count = candidate, row, count + 1
    raise InvalidParameterError("size", f"{count} of {size} members after {most} draws", "ask for fewer members")


def orthonormal_packing(dimension: int) -> SpherePacking:
    """Take the coordinate vectors: d members, pairwise orthogonal."""
    return certified(np.eye(dimension, dtype=np.int64), Fraction(1, 2))
