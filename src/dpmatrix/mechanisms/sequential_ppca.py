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
from dpmatrix.randomness.bingham import BinghamSampler
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
    size = integers.nrows()
    if not any(int(entry) for entry in integers.entries()):
        raise InvalidParameterError("integers", "they are all zero", "pass a direction")
    axis = fmpq_mat(integers)
    sign = -1 if axis[0, 0] < 0 else 1
    axis[0, 0] += sign * isqrt(int((integers.transpose() * integers)[0, 0]))
    square = (axis.transpose() * axis)[0, 0]
    outer = axis * axis.transpose() * (2 / square)
    identity = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    # The reflection takes e_1 to minus the sign times the direction.
    return (outer - identity) * sign


@implements("near-optimal.theorem-6@5c3dfa87")
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
            If the data are malformed, a record is too long, or k > d.
        """
        return self.release_blocks(*self.blocks_of(data), entropy=entropy)

    def release_blocks(self, blocks: Blocks, dimension: int, *, entropy: Entropy | None = None) -> Release:
        """Publish directions for records that come in blocks, in memory for one block; else as `release`."""
        source = SystemEntropy() if entropy is None else entropy
        steps = self.steps(dimension)
        frame = _frame(self.exponent(blocks, dimension), steps, self.grid, source)
        columns = [frame[i, j] for i in range(dimension) for j in range(self.rank)]
        integers = np.array([_nearest(entry, self.grid) for entry in columns], dtype=object)
        return publish(self.name, self, integers.reshape(dimension, self.rank), self.grid, self.guarantee, source)


def _frame(exponent: fmpq_mat, steps: int, grid: Fraction, entropy: Entropy) -> fmpq_mat:
    """Draw ``steps`` directions, each with its share of the exponent, and complete them to an orthogonal matrix."""
    size = exponent.nrows()
    frame = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    for step in range(steps):
        basis = _columns(frame, step)
        inner = basis.transpose() * exponent * basis * fmpq(1, steps)
        rounded: IntegerMatrix = round_to_grid(BinghamSampler(inner).draw(entropy), grid)
        turned = basis * reflection(fmpz_mat(size - step, 1, [int(entry) for entry in rounded]))
        for i in range(size):
            for j in range(size - step):
                frame[i, step + j] = turned[i, j]
    return frame


def _columns(matrix: fmpq_mat, start: int) -> fmpq_mat:
    size = matrix.nrows()
    return fmpq_mat(size, size - start, [matrix[i, j] for i in range(size) for j in range(start, size)])


def _nearest(value: fmpq, grid: Fraction) -> int:
    return int((value * fmpq(grid.denominator, grid.numerator) + fmpq(1, 2)).floor())
