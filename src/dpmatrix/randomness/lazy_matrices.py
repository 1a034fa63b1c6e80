"""Random matrices made of lazily refined reals: chi-square variates, Wishart matrices, products with given data."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.lazy import Indices, LazyExponentials, LazyNormals, LazyReals
from dpmatrix.randomness.lazy_entries import LazyRationals


class LazyChiSquares:
    """Independent chi-square variates, one for each number of degrees of freedom.

    Twice a sum of k exponential variates of mean one has 2 k degrees of freedom; a square of a normal variate adds one.

    Parameters
    ----------
    degrees
        Degrees of freedom, each a positive integer.
    entropy
        Source of the digits.

    Raises
    ------
    InvalidParameterError
        If a number of degrees is not a positive integer.
    """

    def __init__(self, degrees: tuple[int, ...], entropy: Entropy) -> None:
        if not all(degree >= 1 and degree == int(degree) for degree in degrees):
            raise InvalidParameterError("degrees", f"{degrees} are not all at least 1", "pass positive integers")
        self.shape = (len(degrees),)
        halves = [degree // 2 for degree in degrees]
        ends = np.cumsum([0, *halves]).tolist()
        self._own = [range(start, end) for start, end in pairwise(ends)]
        odd = [index for index, degree in enumerate(degrees) if degree % 2]
        self._normal_of = {index: position for position, index in enumerate(odd)}
        self.exponentials = LazyExponentials((ends[-1],), entropy)
        self.normals = LazyNormals((len(odd),), entropy)

    def approximate(self) -> FloatBalls:
        """Enclose all variates in floating point."""
        exponentials, normals = self.exponentials.approximate(), self.normals.approximate()
        squares = normals * normals
        total = FloatBalls.exactly(np.zeros(self.shape))
        halves = [index for index, own in enumerate(self._own) if own]
        if halves:
            sums = exponentials.totals(np.array([self._own[index].start for index in halves]))
            total = total.with_entries(halves, sums + sums)
        odd = list(self._normal_of)
        return total.with_entries(odd, total.taken(np.array(odd, dtype=np.intp)) + squares)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these variates are known."""
        self.exponentials.refine(bits, [own for index in entries for own in self._own[index]])
        self.normals.refine(bits, [self._normal_of[index] for index in entries if index in self._normal_of])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these variates."""
        values = []
        for index in entries:
            total = 2 * sum(self.exponentials.enclose(self._own[index]), arb(0))
            if index in self._normal_of:
                (normal,) = self.normals.enclose([self._normal_of[index]])
                total += abs(normal) * abs(normal)
            values.append(total)
        return values


class LazyWishart:
    """A variate W = c A A' of W_d(m, c I), by Bartlett's decomposition.

    A is lower triangular with independent entries: normal variates below the diagonal, and on it, in row i = 0, ...,
    d - 1, the root of a chi-square variate with m - i degrees of freedom (Bartlett 1933; Muirhead 1982, Theorem
    3.2.14).

    Parameters
    ----------
    dimension
        d >= 1.
    degrees
        m >= d, an integer.
    scale
        c, positive.
    entropy
        Source of the digits.

    Raises
    ------
    InvalidParameterError
        If m < d, d < 1, or c <= 0.
    """

    def __init__(self, dimension: int, degrees: int, scale: Fraction, entropy: Entropy) -> None:
        if dimension < 1:
            raise InvalidParameterError("dimension", f"{dimension} is below 1", "pass a positive integer")
        if degrees < dimension:
            raise InvalidParameterError("degrees", f"{degrees} is below {dimension}", "pass at least the dimension")
        if scale <= 0:
            raise InvalidParameterError("scale", f"{scale} is not positive", "pass a positive rational scale")
        self.shape = (dimension, dimension)
        self.scale = scale
        self.squares = LazyChiSquares(tuple(degrees - row for row in range(dimension)), entropy)
        self.below = LazyNormals((dimension * (dimension - 1) // 2,), entropy)

    def approximate(self) -> FloatBalls:
        """Enclose W in floating point."""
        size = self.shape[0]
        diagonal, below = self.squares.approximate().square_root(), self.below.approximate()
        factor = FloatBalls.exactly(np.zeros(self.shape))
        for target, on, under in zip(
            (factor.center, factor.radius),
            (diagonal.center, diagonal.radius),
            (below.center, below.radius),
            strict=True,
        ):
            target[np.arange(size), np.arange(size)] = on
            target[np.tril_indices(size, -1)] = under
        product = factor.gram()
        if self.scale == 1:
            return product
        scale = FloatBalls.enclosing([arb(fmpq(self.scale.numerator, self.scale.denominator))], (1, 1))
        return product * FloatBalls(*(np.broadcast_to(part, self.shape) for part in (scale.center, scale.radius)))

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        rows = self._rows(entries)
        self.squares.refine(bits, rows)
        self.below.refine(bits, [index for row in rows for index in self._below(row)])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        rows = self._rows(entries)
        factor = {}
        for row, square in zip(rows, self.squares.enclose(rows), strict=True):
            factor[row] = [*self.below.enclose(self._below(row)), square.sqrt()]
        scale = fmpq(self.scale.numerator, self.scale.denominator)
        values = []
        for index in entries:
            first, second = (factor[row] for row in divmod(index, self.shape[0]))
            # The shorter row ends at its diagonal; beyond it the factor is zero.
            values.append(sum((a * b for a, b in zip(first, second, strict=False)), arb(0)) * scale)
        return values

    def trace(self) -> arb:
        """Enclose tr W at the working precision: c times the sum of all squares of A."""
        squares = self.squares.enclose(range(self.shape[0]))
        below = self.below.enclose(range(self.below.shape[0]))
        total = sum((entry * entry for entry in below), sum(squares, arb(0)))
        return total * fmpq(self.scale.numerator, self.scale.denominator)

    def _rows(self, entries: Indices) -> list[int]:
        return sorted({row for index in entries for row in divmod(index, self.shape[0])})

    @staticmethod
    def _below(row: int) -> range:
        return range(row * (row - 1) // 2, row * (row + 1) // 2)


class LazyProduct:
    """The product of a matrix of independent standard normal variates, shape (r, n), with given data, shape (n, d).

    Parameters
    ----------
    normals
        Shape (r, n).
    data
        Shape (n, d), finite floats, each taken for the number that it is.

    Raises
    ------
    InvalidParameterError
        If the shapes do not fit, or the data hold NaN or an infinity.
    """

    def __init__(self, normals: LazyNormals, data: FloatArray) -> None:
        if data.ndim != 2 or len(normals.shape) != 2 or len(data) != normals.shape[1]:
            problem = f"shape {data.shape} does not follow {normals.shape}"
            raise InvalidParameterError("data", problem, "pass one row for each column of the normal matrix")
        if not np.isfinite(data).all():
            raise InvalidParameterError("data", "they hold NaN or an infinity", "pass finite floats")
        self.normals = normals
        self.data = np.array(data, dtype=np.float64)
        self.shape = (normals.shape[0], data.shape[1])

    def approximate(self) -> FloatBalls:
        """Enclose the product in floating point."""
        return self.normals.approximate() @ FloatBalls.exactly(self.data)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        self.normals.refine(bits, [index for row in self._rows(entries) for index in self._row(row)])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        rows = self._rows(entries)
        columns = sorted({index % self.shape[1] for index in entries})
        terms = self.normals.shape[1]
        left = arb_mat(len(rows), terms, self.normals.enclose([index for row in rows for index in self._row(row)]))
        right = arb_mat(terms, len(columns), [arb(value) for value in self.data[:, columns].ravel().tolist()])
        product = left * right
        row_of = {row: position for position, row in enumerate(rows)}
        column_of = {column: position for position, column in enumerate(columns)}
        return [product[row_of[index // self.shape[1]], column_of[index % self.shape[1]]] for index in entries]

    def _rows(self, entries: Indices) -> list[int]:
        return sorted({index // self.shape[1] for index in entries})

    def _row(self, row: int) -> range:
        return range(row * self.normals.shape[1], (row + 1) * self.normals.shape[1])


class LazySum:
    """A fixed matrix, plus and minus random ones of its shape.

    Parameters
    ----------
    fixed
        Shape (p, q): rational numbers, or reals of which everything is known.
    added, subtracted
        Random reals of the same shape.
    """

    def __init__(
        self,
        fixed: fmpq_mat | LazyReals,
        added: tuple[LazyReals, ...] = (),
        subtracted: tuple[LazyReals, ...] = (),
    ) -> None:
        first = LazyRationals(fixed) if isinstance(fixed, fmpq_mat) else fixed
        self.shape = first.shape
        if any(reals.shape != self.shape for reals in (*added, *subtracted)):
            raise InvalidParameterError("added", f"a term is not of shape {self.shape}", "pass matrices of one shape")
        self.added, self.subtracted = (first, *added), subtracted

    def approximate(self) -> FloatBalls:
        """Enclose the sum in floating point."""
        first, *added = self.added
        total = first.approximate()
        for reals in added:
            total = total + reals.approximate()
        for reals in self.subtracted:
            total = total - reals.approximate()
        return total

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        for reals in (*self.added, *self.subtracted):
            reals.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        totals = [arb(0)] * len(entries)
        for reals in self.added:
            totals = [total + value for total, value in zip(totals, reals.enclose(entries), strict=True)]
        for reals in self.subtracted:
            totals = [total - value for total, value in zip(totals, reals.enclose(entries), strict=True)]
        return totals
