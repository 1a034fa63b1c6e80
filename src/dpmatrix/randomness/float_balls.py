"""Arrays of real numbers in floating point, each known to lie within a proved distance of its centre.

A `FloatBalls` stands for real numbers ``x`` with ``|x - center| <= radius``, entry by entry. Every operation returns an
array of the same kind that contains the exact result for all such ``x``. A radius may be infinite, and one that is not
a number says the same: nothing is known.

*Rounding.* Let ``u = 2**-53``. IEEE operations on doubles, rounded to nearest, satisfy ``fl(a o b) = (a o b)(1 + d) +
t`` with ``|d| <= u`` and ``|t| <= TINY = 2**-1022``; t covers results below the normal range, also where a processor
flushes them to zero. A sum of n products, in any order and with or without fused multiplication and addition, differs
from the exact one by at most ``n u / (1 - n u)`` times the sum of the absolute products, and ``n TINY``. That is what
is assumed of the matrix product that numpy calls: that it forms each entry by additions and multiplications of its n
terms, in whatever order (no algorithm of Strassen's kind). A radius is itself computed in floats from terms that are
not negative, so `_enlarged` makes it an upper bound again: k roundings lose a factor of at least ``(1 - u)**k``, which
``1 + (k + 8) 2**-52`` restores, for ``k < 2**40``.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import arb, fmpq

FloatArray: TypeAlias = npt.NDArray[np.float64]

UNIT = 2.0**-53
TINY = 2.0**-1022
SHORTEST_BLOCK = 64
"""Longer sums of products are split in about as many blocks as a block has terms, so that they round less often."""


def _enlarged(radius: FloatArray, roundings: int) -> FloatArray:
    return np.asarray(radius * (1 + (roundings + 8) * 2.0**-52) + (roundings + 1) * TINY)


def _same_shape(balls: FloatBalls, _attribute: object, value: FloatArray) -> None:
    if value.shape != balls.center.shape:
        raise ValueError(f"radii of shape {value.shape} for centres of shape {balls.center.shape}")


@frozen(eq=False)
class FloatBalls:
    """Real numbers near floats.

    Attributes
    ----------
    center
        Any shape.
    radius
        Same shape; at least 0, infinite, or NaN, which counts as infinite.
    """

    center: FloatArray
    radius: FloatArray = field(validator=_same_shape)

    @classmethod
    def exactly(cls, values: npt.ArrayLike) -> FloatBalls:
        """Take floats for the numbers that they are."""
        center = np.asarray(values, dtype=np.float64)
        return cls(center, np.zeros_like(center))

    @classmethod
    def unknown(cls, shape: tuple[int, ...]) -> FloatBalls:
        """Say nothing about an array of numbers."""
        return cls(np.zeros(shape), np.full(shape, np.inf))

    @classmethod
    def enclosing(cls, balls: Sequence[arb], shape: tuple[int, ...]) -> FloatBalls:
        """Enclose balls of arbitrary precision, row by row."""
        centers = np.array([float(ball.mid()) for ball in balls], dtype=np.float64)
        # A conversion may round down, which the enlargement makes good.
        radii = [_distance(ball, center) for ball, center in zip(balls, centers.tolist(), strict=True)]
        return cls(centers.reshape(shape), _enlarged(np.array(radii, dtype=np.float64), 1).reshape(shape))

    @classmethod
    def of_rationals(cls, values: Sequence[fmpq], shape: tuple[int, ...]) -> FloatBalls:
        """Enclose rational numbers, row by row: a quotient of Python integers is the nearest float."""
        center = np.array([_nearest(value) for value in values], dtype=np.float64).reshape(shape)
        with np.errstate(all="ignore"):
            return cls(center, _enlarged(UNIT * np.abs(center), 1))

    @classmethod
    def of_quotients(cls, numerators: Sequence[int], denominator: int, shape: tuple[int, ...]) -> FloatBalls:
        """Enclose rationals of a common denominator as `of_rationals` does, whether or not they are reduced."""
        try:
            center = np.array([numerator / denominator for numerator in numerators], dtype=np.float64).reshape(shape)
        except OverflowError:
            return cls.of_rationals([fmpq(numerator, denominator) for numerator in numerators], shape)
        return cls(center, _enlarged(UNIT * np.abs(center), 1))

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self.center.shape

    @property
    def transposed(self) -> FloatBalls:
        """The transposed matrix."""
        return FloatBalls(self.center.T, self.radius.T)

    def __add__(self, other: FloatBalls) -> FloatBalls:
        """Add entry by entry."""
        with np.errstate(all="ignore"):
            center = self.center + other.center
            return FloatBalls(center, _enlarged(self.radius + other.radius + UNIT * np.abs(center), 3))

    def __neg__(self) -> FloatBalls:
        """Negate."""
        return FloatBalls(-self.center, self.radius)

    def __sub__(self, other: FloatBalls) -> FloatBalls:
        """Subtract entry by entry."""
        return self + -other

    def __mul__(self, other: FloatBalls) -> FloatBalls:
        """Multiply entry by entry.

        ``|x y - a b| <= |a| s + r (|b| + s)`` for ``x`` within r of a and ``y`` within s of b.
        """
        with np.errstate(all="ignore"):
            center = self.center * other.center
            spread = np.abs(self.center) * other.radius + self.radius * (np.abs(other.center) + other.radius)
            return FloatBalls(center, _enlarged(spread + UNIT * np.abs(center) + TINY, 6))

    def __truediv__(self, other: FloatBalls) -> FloatBalls:
        """Divide entry by entry.

        For ``x`` within r of a and ``y`` within ``s <= |b| / 2`` of b, ``|x/y - a/b| <= (r + |a/b| s) / (|b| - s)``,
        which is at most ``2 (r + |a/b| s) / |b|``. Where the denominator's ball is wider, nothing is said.
        """
        with np.errstate(all="ignore"):
            center = self.center / other.center
            size = np.abs(other.center)
            spread = 2 * (self.radius + np.abs(center) * other.radius) / size + UNIT * np.abs(center) + TINY
            radius = _enlarged(np.where(other.radius <= size / 2, spread, np.inf), 7)
            return FloatBalls(np.where(np.isfinite(radius), center, 0.0), radius)

    def __matmul__(self, other: FloatBalls) -> FloatBalls:
        """Multiply matrices of shapes (p, n) and (n, q).

        The sum runs over the terms of a block, and then over the blocks, so that a term takes part in at most k
        roundings, as many as a block has terms and as there are blocks. With ``w >= k u / (1 - k u)`` the error is at
        most ``(r + w |a|) |b| + (|a| + r) s`` summed over the terms, and ``n TINY``.
        """
        terms = self.center.shape[1]
        block = max(SHORTEST_BLOCK, isqrt(terms))
        starts = range(0, terms, block)
        roundings = min(terms, block) + len(starts) + 1
        # Enough for 1 / (1 - k u) up to k = 2**30.
        relative = roundings * UNIT * (1 + 2.0**-20)
        center = np.zeros((self.shape[0], other.shape[1]))
        radius = np.zeros_like(center)
        with np.errstate(all="ignore"):
            for start in starts:
                part = slice(start, start + block)
                left, right = self.center[:, part], other.center[part]
                size, spread = np.abs(left), self.radius[:, part]
                center += left @ right
                radius += (spread + relative * size) @ np.abs(right)
                if other.radius[part].any():
                    radius += (size + spread) @ other.radius[part]
            return FloatBalls(center, _enlarged(radius, 3 * roundings) + 4 * terms * TINY)

    def gram(self) -> FloatBalls:
        """Multiply a matrix of shape (p, n) with its transpose; cheaper than the product of two, and wider.

        For ``x`` within r of row a and ``y`` within s of row b, ``|x'y - a'b| <= |r| |b| + |a| |s| + |r| |s|`` in
        Euclidean norms (Cauchy-Schwarz), and the rounding of a sum as in the product of two matrices adds at most ``w
        |a| |b|``. With ``p_i = |r_i| + w |a_i| / 2`` and ``q_i = |a_i| + |r_i|`` all of it is at most ``p_i q_j + q_i
        p_j``. A square that underflows is made good by what is added under the root. Rows that begin with zeros are
        left out of the products of those columns, which changes nothing.
        """
        terms = self.shape[1]
        block = max(SHORTEST_BLOCK, isqrt(terms))
        starts = range(0, terms, block)
        roundings = min(terms, block) + len(starts) + 1
        center = np.zeros((self.shape[0],) * 2)
        with np.errstate(all="ignore"):
            for start in starts:
                part = self.center[:, start : start + block]
                first = int(np.argmax(part.any(axis=1)))
                rows = part[first:]
                center[first:, first:] += rows @ rows.T
            lengths, errors = (
                _enlarged(np.sqrt(np.einsum("ij,ij->i", part, part) + 4 * terms * TINY), terms + 4)
                for part in (self.center, self.radius)
            )
            both = np.multiply.outer(errors + roundings * UNIT * (0.5 + 2.0**-20) * lengths, lengths + errors)
            return FloatBalls(center, _enlarged(both + both.T, 10) + 4 * terms * TINY)

    def square_root(self) -> FloatBalls:
        """Take roots of numbers that are known not to be negative.

        For ``|x - a| <= r <= a / 2``, ``|sqrt(x) - sqrt(a)| = |x - a| / (sqrt(x) + sqrt(a)) <= r / (1.7 sqrt(a))``.
        Where the ball is wider, nothing is said.
        """
        with np.errstate(all="ignore"):
            center = np.sqrt(np.maximum(self.center, 0.0))
            narrow = self.radius <= self.center / 2
            radius = np.where(narrow, 0.6 * (self.radius / center) + UNIT * center, np.inf)
            return FloatBalls(center, _enlarged(radius, 5))

    def total(self) -> FloatBalls:
        """Add all numbers of a vector; shape ()."""
        count = self.center.size
        with np.errstate(all="ignore"):
            radius = np.sum(self.radius) + 2 * count * UNIT * np.sum(np.abs(self.center))
            return FloatBalls(np.asarray(np.sum(self.center)), _enlarged(np.asarray(radius), 2 * count + 4))

    def totals(self, starts: npt.NDArray[np.intp]) -> FloatBalls:
        """Add the numbers of a vector from each start to the next one, or to the end; starts strictly increase."""
        longest = int(np.diff(starts, append=self.center.size).max())
        with np.errstate(all="ignore"):
            sizes = np.add.reduceat(np.abs(self.center), starts)
            radius = np.add.reduceat(self.radius, starts) + 2 * longest * UNIT * sizes
            return FloatBalls(np.add.reduceat(self.center, starts), _enlarged(radius, 2 * longest + 4))

    def reshaped(self, *shape: int) -> FloatBalls:
        """Give the same numbers another shape, row by row."""
        return FloatBalls(self.center.reshape(shape), self.radius.reshape(shape))

    def with_entries(self, indices: Sequence[int], values: FloatBalls) -> FloatBalls:
        """Put other numbers in the place of entries of a vector."""
        center, radius = self.center.copy(), self.radius.copy()
        center[list(indices)], radius[list(indices)] = values.center, values.radius
        return FloatBalls(center, radius)

    def taken(self, indices: npt.NDArray[np.intp]) -> FloatBalls:
        """Take entries of a vector."""
        return FloatBalls(self.center[indices], self.radius[indices])


def _nearest(value: fmpq) -> float:
    """Round to the nearest float; infinite beyond the largest."""
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return float("inf")


def _distance(ball: arb, center: float) -> float:
    """Bound from above how far the numbers of a ball are from a float; infinite when nothing is known."""
    if not ball.is_finite() or not np.isfinite(center):
        return float("inf")
    return float((ball - arb(center)).abs_upper())
