"""Random reals of which all is known to who asks, and a source whose digits are written down beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls

LAST_BITS = 2**20
"""Digits after which a decision gives up."""


class Known:
    """Numbers of which floats know what they are told, and balls so many digits, or all from some number on."""

    def __init__(
        self, values: Sequence[Fraction], floats: FloatBalls | None = None, *, exact: int | None = None, lost: int = 0
    ) -> None:
        self.values, self.exact, self.lost = list(values), exact, lost
        self.floats = FloatBalls.unknown((len(values),)) if floats is None else floats
        self.shape = self.floats.shape
        self.log: list[Any] = []
        self.bits = 0

    def approximate(self) -> FloatBalls:
        """Give what floats know."""
        self.log.append("floats")
        return self.floats

    def refine(self, bits: int, entries: Sequence[int]) -> None:
        """Know so many digits."""
        assert bits <= LAST_BITS
        assert len(self.log) < 100, "it ends"
        self.log.append((bits, list(entries)))
        self.bits = bits

    def enclose(self, entries: Sequence[int]) -> list[arb]:
        """Enclose to as many digits as are known, with arithmetic that carries more."""
        assert ctx.prec > self.bits
        radius = arb(0) if self.exact is not None and self.bits >= self.exact else arb((1, -self.bits))
        chosen = [self.values[index] for index in entries]
        balls = [arb(arb(fmpq(value.numerator, value.denominator)), radius) for value in chosen]
        return balls[: len(balls) - self.lost]


class Script:
    """A source whose first words are given, and whose later digits are all zeros or all ones for some calls."""

    private, description = False, "script"

    def __init__(self, words: Sequence[int], *, ones: bool, calls: int) -> None:
        self.given, self.ones, self.calls = list(words), ones, calls
        self.rest = SeededEntropy(99)

    def words(self, count: int) -> Any:
        """Give the first words."""
        assert count == len(self.given)
        return np.array(self.given, dtype=np.uint64)

    def bits(self, count: int) -> int:
        """Give later digits."""
        self.calls -= 1
        return self.rest.bits(count) if self.calls < 0 else (2**count - 1) * self.ones
