"""PPCA one direction at a time, each in the orthogonal complement of those before."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import fmpq, fmpq_mat, fmpz_mat

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.input_perturbation import publish
from dpmatrix.mechanisms.partitions import Blocks
from dpmatrix.mechanisms.ppca import ExponentialPca
from dpmatrix.mechanisms.protocol import IntegerMatrix, Release
from dpmatrix.randomness.bingham import BinghamSampler, ScaledIntegers
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import Entropy, SystemEntropy


def reflection(integers: fmpz_mat) -> fmpq_mat:
    """Return a rational orthogonal matrix whose first column points along a column of integers, nearly.

    With t the column and s the integer root of t't, it is the reflection in ``w = t + sign(t_1) s e_1``, which would
    take e_1 to the line of t exactly if s were its length; the column is off by about 1/s. It is orthogonal whatever
    s is.

    Raises
    ------
    InvalidParameterError
        If the column is zero.
    """
    axis, sign = mirror(integers)
    size = axis.nrows()
    outer = fmpq_mat(axis * axis.transpose()) * fmpq(2, (axis.transpose() * axis)[0, 0])
    identity = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    # The reflection takes e_1 to minus the sign times the direction.
    return (outer - identity) * sign


def mirror(integers: fmpz_mat) -> tuple[fmpz_mat, int]:
    """Return the column w and the sign of `reflection`, which is ``sign (2 w w' / w'w - I)``; raises as it does."""
    if not any(int(entry) for entry in integers.entries()):
        raise InvalidParameterError("integers", "they are all zero", "pass a direction")
    axis = fmpz_mat(integers)
    sign = -1 if axis[0, 0] < 0 else 1
    axis[0, 0] += sign * isqrt(int((integers.transpose() * integers)[0, 0]))
    return axis, sign


def turned_within(matrix: ScaledIntegers, axis: fmpz_mat) -> ScaledIntegers:
    r"""Reflect a symmetric matrix N in w from both sides, and leave out its first row and column.

    With :math:`q = w'w` and :math:`s = w'Nw`, :math:`q^2 (2ww'/q - I) N (2ww'/q - I)` is :math:`q^2 N - wz' - zw'`,
    :math:`z = 2 (q N w - s w)`: integers, without a product of two matrices.
    """
    size = axis.nrows()
    square, image = (axis.transpose() * axis)[0, 0], matrix.integers * axis
    form = (axis.transpose() * image)[0, 0]
    below = axis.entries()[1:]
    other = [2 * (square * x - form * w) for x, w in zip(image.entries()[1:], below, strict=True)]
    left = fmpz_mat(size - 1, 2, [entry for pair in zip(below, other, strict=True) for entry in pair])
    right = fmpz_mat(2, size - 1, [*other, *below])
    entries = matrix.integers.entries()
    rest = [entry for row in range(1, size) for entry in entries[row * size + 1 : (row + 1) * size]]
    integers = fmpz_mat(size - 1, size - 1, rest) * square**2 - left * right
    return ScaledIntegers(integers, matrix.unit / square**2)


@implements("near-optimal.theorem-6@bf9f5d3e")
@frozen
class SequentialPpca(ExponentialPca):
    r"""PPCA for k > 1, one direction at a time: (epsilon, 0)-differentially private. Not the law of Algorithm 2.

    With :math:`m = \min(k, d - 1)`, step j draws a unit vector z with density proportional to
    :math:`e^{z' Q' B Q z}`, where B has the weight of epsilon / m in place of epsilon and Q is an orthonormal basis,
    d x (d - j + 1), of the complement of the directions before. The next direction is that of Q z, and a last one,
    where one dimension is left, is free.

    *Proof.* Let t be the correct rounding of z to the public grid. Given the t of the steps before, Q is a fixed
    matrix: `reflection` makes from t a rational orthogonal matrix, whose first column gives the direction and whose
    other columns give the next Q, in exact arithmetic. Hence the records Q'x have norm at most r, and step j is one
    draw of `Ppca` for k = 1 from them, (epsilon / m, 0)-differentially private whatever the t before were. By
    adaptive composition all t together are (epsilon, 0)-differentially private, and the release is a function of
    them.

    The columns are orthonormal up to the grid, and within about the grid of the ideal draws. The score range is that
    of `Ppca` at every step, so a step in the plane pays as much as any; steps are not charged for their rank.

    See `ExponentialPca` for the parameters.
    """

    name: ClassVar[str] = "sequential PPCA"

    def steps(self, dimension: int) -> int:
        """Return the number of draws that look at the data, for records of length d.

        Raises
        ------
        InvalidParameterError
            If k > d.
        """
        if self.rank > dimension:
            raise InvalidParameterError("rank", f"{self.rank} exceeds d = {dimension}", "pass a rank of at most d")
        return min(self.rank, dimension - 1)

    def release(self, data: npt.ArrayLike, *, entropy: Entropy | None = None) -> Release:
        """Publish k directions: integers of shape (d, k), times the grid.

        Raises
        ------
        InvalidParameterError
            If the data are malformed, a record is too long and may not be clipped, or k > d.
        """
        return self.release_blocks(*self.blocks_of(data), entropy=entropy)

    def release_blocks(self, blocks: Blocks, dimension: int, *, entropy: Entropy | None = None) -> Release:
        """Publish directions for records that come in blocks, in memory for one block; else as `release`."""
        source = SystemEntropy() if entropy is None else entropy
        steps = self.steps(dimension)
        # In one dimension there is no step; the records are read and judged all the same.
        exponent = ScaledIntegers.of(self.exponent(blocks, dimension) / max(steps, 1))
        mirrors = drawn_mirrors(exponent, steps, self.grid, source)
        columns = [direction(mirrors, dimension, place) for place in range(self.rank)]
        integers = np.array(
            [[_nearest(entry, self.grid) for entry in column.entries()] for column in columns], dtype=object
        )
        return publish(self.name, self, integers.T, self.grid, self.guarantee, source)


def drawn_mirrors(exponent: ScaledIntegers, steps: int, grid: Fraction, entropy: Entropy) -> list[tuple[fmpz_mat, int]]:
    """Draw ``steps`` directions, each in the complement of those before, as the reflections that take e_1 to them.

    Parameters
    ----------
    exponent
        Exponent of each step, in the whole space.
    steps
        How many.
    grid
        Spacing to which the coordinates are rounded.
    entropy
        Source of the digits.
    """
    mirrors = []
    for step in range(steps):
        size = exponent.integers.nrows()
        rounded: IntegerMatrix = round_to_grid(BinghamSampler(exponent).draw(entropy), grid)
        mirrors.append(mirror(fmpz_mat(size, 1, rounded.tolist())))
        if step + 1 < steps:
            exponent = turned_within(exponent, mirrors[-1][0])
    return mirrors


def direction(mirrors: list[tuple[fmpz_mat, int]], dimension: int, place: int) -> fmpq_mat:
    """Return a column of the product of the reflections, each of which leaves the coordinates before its own."""
    column = [fmpq(int(i == place)) for i in range(dimension)]
    for step in reversed(range(min(place + 1, len(mirrors)))):
        axis, sign = mirrors[step]
        # Its first coordinate is place ``step``.
        own = fmpq_mat(dimension - step, 1, column[step:])
        exact = fmpq_mat(axis)
        share = 2 * (exact.transpose() * own)[0, 0] / (exact.transpose() * exact)[0, 0]
        column[step:] = ((exact * share - own) * sign).entries()
    return fmpq_mat(dimension, 1, column)


def _nearest(value: fmpq, grid: Fraction) -> int:
    return int((value * fmpq(grid.denominator, grid.numerator) + fmpq(1, 2)).floor())
