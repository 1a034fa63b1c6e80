"""Matrices of independent normal variates times their own transposes, as lazily refined reals."""

from __future__ import annotations

from functools import cached_property

from flint import arb, arb_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_rectangles import check_same_process
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import Indices, LazyNormals


class StandardWisharts:
    """Independent variates W = A A' of W_d(m, I), drawn together: each A has m standard normal columns of length d.

    For m near d and up to some hundred columns this is quicker than Bartlett's decomposition, which draws half
    as many normal variates and chi-square variates besides; beyond, it is a little slower.

    Parameters
    ----------
    count
        How many matrices, at least 1.
    dimension
        d >= 1.
    degrees
        m >= 1.
    entropy
        Source of the digits.

    Raises
    ------
    InvalidParameterError
        If a number is below 1.
    EntropyError
        If the entropy fails or runs short.
    """

    def __init__(self, count: int, dimension: int, degrees: int, entropy: Entropy) -> None:
        for name, value in (("count", count), ("dimension", dimension), ("degrees", degrees)):
            if value < 1:
                raise InvalidParameterError(name, f"{value} is below 1", "pass a positive integer")
        self.normals = LazyNormals((count, dimension, degrees), entropy)
        self._process = process_identity()

    def parts(self) -> tuple[StandardWishart, ...]:
        """Return the matrices, each of shape (d, d)."""
        return tuple(StandardWishart(self, place) for place in range(self.normals.shape[0]))

    def approximations(self) -> tuple[FloatBalls, ...]:
        """Enclose the matrices in floating point.

        Raises
        ------
        EntropyError
            In a child of the process that drew them.
        """
        check_same_process(self._process)
        return self._approximations

    @cached_property
    def _approximations(self) -> tuple[FloatBalls, ...]:
        factors = self.normals.approximate()
        places = range(self.normals.shape[0])
        return tuple(FloatBalls(factors.center[place], factors.radius[place]).gram() for place in places)


class StandardWishart:
    """One of some Wishart matrices that are drawn together.

    Parameters
    ----------
    together
        All of them.
    place
        Which one, from 0.
    """

    def __init__(self, together: StandardWisharts, place: int) -> None:
        _, self._dimension, self._degrees = together.normals.shape
        self.shape = (self._dimension, self._dimension)
        self._together, self._place = together, place

    def approximate(self) -> FloatBalls:
        """Enclose W in floating point."""
        return self._together.approximations()[self._place]

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        normals = self._together.normals
        normals.refine(bits, [index for row in self._rows(entries) for index in self._row(row)])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        normals = self._together.normals
        factor = {row: arb_mat([normals.enclose(self._row(row))]) for row in self._rows(entries)}
        places = (divmod(index, self._dimension) for index in entries)
        return [(factor[row] * factor[column].transpose())[0, 0] for row, column in places]

    def trace(self) -> arb:
        """Enclose tr W at the working precision: the sum of the squares of all entries of A."""
        rows = [self._together.normals.enclose(self._row(row)) for row in range(self._dimension)]
        whole = arb_mat([[entry for row in rows for entry in row]])
        return (whole * whole.transpose())[0, 0]

    def _rows(self, entries: Indices) -> list[int]:
        return sorted({row for index in entries for row in divmod(index, self._dimension)})

    def _row(self, row: int) -> range:
        start = (self._place * self._dimension + row) * self._degrees
        return range(start, start + self._degrees)
