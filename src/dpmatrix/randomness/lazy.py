"""Random real numbers whose digits are drawn when they are needed, and the rounding of functions of them.

A uniform variate is an infinite sequence of fair bits. At any moment finitely many are known, and the variate is known
to lie in a dyadic interval; more bits narrow the interval and never contradict it (Karney 2016). Functions of such
variates are evaluated in balls, so that the ideal real number is always inside. `round_to_grid` draws bits until the
nearest grid point of that ideal number is certain: what it returns is a function of the ideal output alone.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Protocol

import numpy as np
import numpy.typing as npt
from flint import arb, arb_mat, fmpq

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import Entropy

GUARD_BITS = 32
FIRST_BITS = 128
MOST_BITS = 1 << 20


class Refinable(Protocol):
    """Random reals of which more digits can be drawn."""

    def refine(self, bits: int) -> None:
        """Make sure that at least ``bits`` binary digits of every variate are known."""
        ...


class LazyUniforms:
    """Independent uniform variates on (0, 1), refined together.

    Parameters
    ----------
    shape
        Shape of the array of variates.
    entropy
        Source of the digits.
    """

    def __init__(self, shape: tuple[int, ...], entropy: Entropy) -> None:
        if not shape or min(shape) < 0:
            raise InvalidParameterError("shape", f"{shape} is not the shape of an array", "pass sizes of at least 0")
        self.shape = shape
        self.known_bits = 0
        self._entropy = entropy
        self._digits = [0] * prod(shape)

    def refine(self, bits: int) -> None:
        """Make sure that at least ``bits`` binary digits of every variate are known."""
        more = bits - self.known_bits
        if more <= 0:
            return
        self._digits = [(known << more) | self._entropy.bits(more) for known in self._digits]
        self.known_bits = bits

    def digits(self) -> list[int]:
        """Give the known digits: variate i lies in ``[k, k + 1] / 2**known_bits`` for k the i-th entry, row by row."""
        return list(self._digits)

    def enclosures(self) -> list[arb]:
        """Enclose each variate in a ball, row by row."""
        exponent = -self.known_bits - 1
        radius = arb((1, exponent))
        return [arb(arb((2 * known + 1, exponent)), radius) for known in self._digits]


class LazyNormals:
    """Independent standard normal variates, exact by Box and Muller's transform of lazily refined uniforms.

    ``sqrt(-2 log U)`` times the cosine and the sine of ``2 pi V`` are two independent standard normals. The transform
    is applied to the ideal uniforms, through balls, so the law is exactly normal. A ball that still touches U = 0 or
    U = 1 gives an indeterminate value, which more digits cure: the two end points have probability zero.
    """

    def __init__(self, shape: tuple[int, int], entropy: Entropy) -> None:
        self.shape = shape
        pairs = (prod(shape) + 1) // 2
        self._radial = LazyUniforms((pairs,), entropy)
        self._angular = LazyUniforms((pairs,), entropy)

    def refine(self, bits: int) -> None:
        """Make sure that at least ``bits`` binary digits of every underlying uniform are known."""
        self._radial.refine(bits)
        self._angular.refine(bits)

    def uniforms(self) -> tuple[LazyUniforms, LazyUniforms]:
        """Give the uniforms U and V; pair i makes the entries 2 i (cosine) and 2 i + 1 (sine), row by row."""
        return self._radial, self._angular

    def enclosures(self) -> arb_mat:
        """Enclose the matrix of variates at the working precision."""
        entries: list[arb] = []
        for radial, angular in zip(self._radial.enclosures(), self._angular.enclosures(), strict=True):
            radius = (-2 * radial.log()).sqrt()
            sine, cosine = (2 * angular).sin_cos_pi()
            entries += (radius * cosine, radius * sine)
        return arb_mat(*self.shape, entries[: prod(self.shape)])


class LazyExponentials:
    """Independent exponential variates of mean one: ``-log U`` of lazily refined uniforms."""

    def __init__(self, shape: tuple[int, int], entropy: Entropy) -> None:
        self.shape = shape
        self._uniforms = LazyUniforms(shape, entropy)

    def refine(self, bits: int) -> None:
        """Make sure that at least ``bits`` binary digits of every underlying uniform are known."""
        self._uniforms.refine(bits)

    def enclosures(self) -> arb_mat:
        """Enclose the matrix of variates at the working precision."""
        return arb_mat(*self.shape, [-uniform.log() for uniform in self._uniforms.enclosures()])


def round_to_grid(
    evaluate: Callable[[], arb_mat],
    grid: Fraction,
    refine: Callable[[int], None],
    *,
    first_bits: int = FIRST_BITS,
) -> npt.NDArray[np.object_]:
    """Round a random real matrix to the nearest multiples of ``grid``, correctly.

    The digits and the working precision are doubled until every entry's ball, divided by the grid, lies between two
    neighbouring half-integers. The radius goes to zero with the number of digits, so this ends unless an entry is
    exactly half-way between grid points, which has probability zero for a law without atoms.

    Parameters
    ----------
    evaluate
        Encloses the ideal matrix, given the digits known so far, at the working precision.
    grid
        Spacing of the released values, positive.
    refine
        Draws digits until at least as many as its argument are known.
    first_bits
        Number of digits of the first attempt. It changes the cost, never the law.

    Returns
    -------
    ndarray of int
        The matrix of nearest multiples, in units of ``grid``.

    Raises
    ------
    InvalidParameterError
        If ``grid <= 0``.
    UndecidedError
        If an entry is undecided at `MOST_BITS` digits: the law has an atom half-way between grid points.
    """
    if grid <= 0:
        raise InvalidParameterError("grid", f"{grid} is not positive", "pass a positive rational spacing")
    bits = first_bits
    while bits <= MOST_BITS:
        refine(bits)
        with precision(bits + GUARD_BITS):
            rounded = _nearest_multiples(evaluate(), grid)
        if rounded is not None:
            return rounded
        bits *= 2
    raise UndecidedError(f"the rounding to multiples of {grid} is undecided at {bits // 2} bits")


def _nearest_multiples(matrix: arb_mat, grid: Fraction) -> npt.NDArray[np.object_] | None:
    per_unit = arb(fmpq(grid.denominator, grid.numerator))
    half = arb((1, -1))
    rounded = np.empty((matrix.nrows(), matrix.ncols()), dtype=object)
    for index, entry in enumerate(matrix.entries()):
        # The floor of a ball is an exact integer only when the whole ball has that floor.
        floor = (entry * per_unit + half).floor()
        if not floor.is_exact() or not floor.is_finite():
            return None
        rounded.flat[index] = int(floor.fmpz())
    return rounded
