"""Random real numbers whose digits are drawn when they are needed.

A uniform variate is an infinite sequence of fair bits. At any moment finitely many are known, and the variate is known
to lie in a dyadic interval; more bits narrow the interval and never contradict it (Karney 2016). Other variates are
functions of uniform ones, evaluated in balls, so that the ideal real number is always inside.

Every array here is a `LazyReals`: it encloses its entries in floating point from their first 64 digits, vectorised and
with proved errors, and in balls of any precision from as many digits as have been drawn. `decisions` turns such arrays
into rounded values and into yes or no; what it returns is a function of the ideal real numbers alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Protocol, TypeAlias

import numpy as np
from flint import arb, arb_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_rectangles import check_same_process, take_words
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.float_functions import Words, negative_logarithms, normals

WORD_BITS = 64

Indices: TypeAlias = Sequence[int]


class LazyReals(Protocol):
    """An array of random reals of which more digits can be drawn; its entries are numbered row by row."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        ...

    def approximate(self) -> FloatBalls:
        """Enclose all entries in floating point, given the first 64 digits of what they are made of."""
        ...

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits are known of every uniform variate from which these entries are made."""
        ...

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries, given all digits known so far, at the working precision."""
        ...


class LazyUniforms:
    """Independent uniform variates on (0, 1).

    Parameters
    ----------
    shape
        Shape of the array of variates.
    entropy
        Source of the digits. The first 64 of each variate are drawn in one block, the others when they are needed.

    Raises
    ------
    InvalidParameterError
        If the shape is not one.
    EntropyError
        If the entropy fails or runs short.
    """

    def __init__(self, shape: tuple[int, ...], entropy: Entropy) -> None:
        if not shape or min(shape) < 0:
            raise InvalidParameterError("shape", f"{shape} is not the shape of an array", "pass sizes of at least 0")
        self.shape = shape
        self._entropy = entropy
        self._process = process_identity()
        self._words = take_words(entropy, prod(shape))
        self._continued: dict[int, tuple[int, int]] = {}

    def words(self) -> Words:
        """Give the first 64 digits of each variate, row by row.

        Raises
        ------
        EntropyError
            In a child of the process that drew them.
        """
        check_same_process(self._process)
        return self._words

    def digits(self, index: int) -> tuple[int, int]:
        """Give the known digits of one variate as ``(known, bits)``: it lies in ``[known, known + 1] / 2**bits``."""
        check_same_process(self._process)
        return self._continued.get(index) or (int(self._words[index]), WORD_BITS)

    def approximate(self) -> FloatBalls:
        """Enclose all variates in floating point."""
        # The upper 53 bits are an exact float, and the other digits move the variate by less than 2**-53.
        center = (self.words() >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return FloatBalls(center, np.full_like(center, 2.0**-53)).reshaped(*self.shape)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of these variates are known."""
        for index in entries:
            known, have = self.digits(index)
            if have < bits:
                self._continued[index] = (known << (bits - have) | self._entropy.bits(bits - have), bits)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these variates."""
        balls = []
        for index in entries:
            known, bits = self.digits(index)
            balls.append(arb(arb((2 * known + 1, -bits - 1)), arb((1, -bits - 1))))
        return balls


class LazyExponentials:
    """Independent exponential variates of mean one: ``-log U`` of lazily refined uniforms."""

    def __init__(self, shape: tuple[int, ...], entropy: Entropy) -> None:
        self.shape = shape
        self.uniforms = LazyUniforms(shape, entropy)

    def approximate(self) -> FloatBalls:
        """Enclose all variates in floating point."""
        return negative_logarithms(self.uniforms.words()).reshaped(*self.shape)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these variates are known."""
        self.uniforms.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these variates."""
        return [-uniform.log() for uniform in self.uniforms.enclose(entries)]


class LazyNormals:
    """Independent standard normal variates, exact by Box and Muller's transform of lazily refined uniforms.

    ``sqrt(-2 log U)`` times the cosine and the sine of ``2 pi V`` are two independent standard normals. The transform
    is applied to the ideal uniforms, through balls, so the law is exactly normal. A ball that still touches U = 0 or
    U = 1 gives an indeterminate value, which more digits cure: the two end points have probability zero. Pair i makes
    the entries 2 i (cosine) and 2 i + 1 (sine).
    """

    def __init__(self, shape: tuple[int, ...], entropy: Entropy) -> None:
        self.shape = shape
        pairs = (prod(shape) + 1) // 2
        self.radial = LazyUniforms((pairs,), entropy)
        self.angular = LazyUniforms((pairs,), entropy)

    def approximate(self) -> FloatBalls:
        """Enclose all variates in floating point."""
        both = normals(self.radial.words(), self.angular.words())
        size = prod(self.shape)
        return FloatBalls(both.center[:size], both.radius[:size]).reshaped(*self.shape)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits of the uniforms behind these variates are known."""
        pairs = sorted({index // 2 for index in entries})
        self.radial.refine(bits, pairs)
        self.angular.refine(bits, pairs)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these variates."""
        pairs = sorted({index // 2 for index in entries})
        both = {}
        for pair, radial, angular in zip(pairs, self.radial.enclose(pairs), self.angular.enclose(pairs), strict=True):
            length = (-2 * radial.log()).sqrt()
            sine, cosine = (2 * angular).sin_cos_pi()
            both[pair] = (length * cosine, length * sine)
        return [both[index // 2][index % 2] for index in entries]


class LazyFunction:
    """A matrix computed in balls from other random reals, all of it at a time and without floating point.

    Parameters
    ----------
    shape
        Shape (p, q) of the matrix.
    evaluate
        Encloses the matrix at the working precision, given the digits known so far.
    refine
        Draws digits until at least as many as its argument are known of everything that ``evaluate`` uses.
    """

    def __init__(self, shape: tuple[int, int], evaluate: Callable[[], arb_mat], refine: Callable[[int], None]) -> None:
        self.shape = shape
        self._evaluate = evaluate
        self._refine = refine

    def approximate(self) -> FloatBalls:
        """Say nothing: every entry is left to the balls."""
        return FloatBalls.unknown(self.shape)

    def refine(self, bits: int, entries: Indices) -> None:  # noqa: ARG002
        """Make sure that ``bits`` digits are known."""
        self._refine(bits)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        values: list[arb] = self._evaluate().entries()
        return [values[index] for index in entries]
