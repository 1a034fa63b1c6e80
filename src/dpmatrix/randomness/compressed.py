"""Random matrices of a Gaussian compression: a product with normalised columns, and its slack inside a box."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.randomness.float_balls import FloatArray, FloatBalls
from dpmatrix.randomness.lazy import Indices, LazyNormals
from dpmatrix.randomness.lazy_matrices import LazyProduct


class LazyNormalisedProduct:
    """The product of standard normal variates, shape (m, n), with data of shape (n, p) whose columns have norm one.

    Parameters
    ----------
    normals
        Shape (m, n).
    data
        Shape (n, p), finite floats.
    squared_norms
        Squared norms of the columns of the data, exact and positive.
    """

    def __init__(self, normals: LazyNormals, data: FloatArray, squared_norms: tuple[fmpq, ...]) -> None:
        self.product = LazyProduct(normals, data)
        self.squared_norms = squared_norms
        self.shape = self.product.shape

    def approximate(self) -> FloatBalls:
        """Enclose the product in floating point."""
        scale = FloatBalls.enclosing([1 / arb(square).sqrt() for square in self.squared_norms], (1, self.shape[1]))
        wide = (np.broadcast_to(part, self.shape) for part in (scale.center, scale.radius))
        return self.product.approximate() * FloatBalls(*wide)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these entries are known."""
        self.product.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        norms = [arb(square).sqrt() for square in self.squared_norms]
        values = self.product.enclose(entries)
        return [value / norms[index % self.shape[1]] for index, value in zip(entries, values, strict=True)]


class LazyBoxSlack:
    """Slack of ``Y'Y / m`` inside a box: radius minus, and plus, its difference from the centre; shape (2, p, p).

    Parameters
    ----------
    output
        Y, shape (m, p).
    centre
        Shape (p, p).
    radius
        Encloses the half-width of the box at the working precision.
    """

    def __init__(self, output: LazyNormalisedProduct, centre: fmpq_mat, radius: Callable[[], arb]) -> None:
        self.output, self.centre, self.radius = output, centre, radius
        self.shape = (2, centre.nrows(), centre.nrows())

    def approximate(self) -> FloatBalls:
        """Enclose all slacks in floating point."""
        rows, size = self.output.shape
        values = self.output.approximate()
        count = FloatBalls.exactly(np.full((size, size), float(rows)))
        centre = FloatBalls.enclosing([arb(entry) for entry in self.centre.entries()], (size, size))
        radius = FloatBalls.enclosing([self.radius()] * size**2, (size, size))
        difference = (values.transposed @ values) / count - centre
        both = (radius - difference, radius + difference)
        return FloatBalls(*(np.stack([getattr(part, what) for part in both]) for what in ("center", "radius")))

    def refine(self, bits: int, entries: Indices) -> None:  # noqa: ARG002
        """Make sure that ``bits`` digits of everything are known."""
        self.output.refine(bits, range(self.output.shape[0] * self.output.shape[1]))

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these slacks."""
        rows, size = self.output.shape
        values = arb_mat(rows, size, self.output.enclose(range(rows * size)))
        gram, radius = values.transpose() * values, self.radius()
        found = []
        for index in entries:
            side, place = divmod(index, size * size)
            j, k = divmod(place, size)
            difference = gram[j, k] / rows - arb(self.centre[j, k])
            found.append(radius + difference if side else radius - difference)
        return found
