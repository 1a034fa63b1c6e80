"""The ideal reals behind digits that are known: mpmath computes them from what a source gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
from flint import arb

from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyReals, LazyUniforms

BITS = 400
"""Digits of each uniform variate by which a real is known; mpmath has to work with twice as many."""


class Noted(SeededEntropy):
    """Bits of a seed, in the order in which they were given."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.log: list[Any] = []

    def bits(self, count: int) -> int:
        """Give bits."""
        self.log.append((count, super().bits(count)))
        return int(self.log[-1][1])

    def words(self, count: int) -> Any:
        """Give words."""
        found = super().words(count)
        self.log.append(found.tolist())
        return found


def as_mpf(value: arb) -> Any:
    """Return the middle of a ball, exactly."""
    mantissa, exponent = value.mid().man_exp()
    return mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)


def holds(reals: LazyReals, expected: Sequence[Any], width: float = 2.0**-40) -> None:
    """Make sure that floats and balls enclose what is expected, that they are narrow, and entries are told apart."""
    before = reals.approximate()
    size = len(expected)
    reals.refine(BITS, range(size))
    for floats in (before, reals.approximate()):
        assert floats.shape == reals.shape
        for value, center, radius in zip(expected, floats.center.flat, floats.radius.flat, strict=True):
            assert abs(mpmath.mpf(float(center)) - value) <= mpmath.mpf(float(radius)) + mpmath.mpf(2) ** -200
            assert radius <= width * (1 + abs(center)) or width == np.inf
    with precision(BITS):
        balls = reals.enclose(range(size))
        some = [size - 1, 0, *range(size // 2)]
        again = reals.enclose(some)
    for value, ball in zip([*expected, *(expected[place] for place in some)], [*balls, *again], strict=True):
        radius = as_mpf(ball.rad())
        assert abs(as_mpf(ball) - value) <= radius + mpmath.mpf(2) ** -300
        assert radius < mpmath.mpf(2) ** -200


def uniform(uniforms: LazyUniforms, place: int) -> Any:
    """Return a uniform variate by the first digits of it, and half of the next one."""
    uniforms.refine(BITS, [place])
    known, bits = uniforms.digits(place)
    return mpmath.mpf(2 * known + 1) / mpmath.mpf(2) ** (bits + 1)
