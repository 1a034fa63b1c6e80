"""What audits of rejection samplers share: exponents of laws, and a source that says which proposals are kept."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from dpmatrix.randomness.entropy import SeededEntropy

EXPONENTS: dict[str, list[list[Any]]] = {
    "one-number": [[fmpq(7, 3)]],
    "two": [[fmpq(2), fmpq(1, 2)], [fmpq(1, 2), fmpq(-7)]],
    "three": [[fmpq(9), fmpq(1, 3), 0], [fmpq(1, 3), fmpq(-4), fmpq(2)], [0, fmpq(2), fmpq(1, 7)]],
    "a-spike-in-five": [[fmpq(40 if i == j == 2 else 3 * (i == j) - 1) for j in range(5)] for i in range(5)],
    "alike": [[fmpq(5 * (i == j)) for j in range(4)] for i in range(4)],
}


def exponent(name: str) -> fmpq_mat:
    """Return B."""
    return fmpq_mat(EXPONENTS[name])


def in_floats(name: str) -> np.ndarray:
    """Return B, rounded."""
    values = [int(x.p) / int(x.q) for x in exponent(name).entries()]
    return np.array(values).reshape((len(EXPONENTS[name]),) * 2)


def in_balls(value: Fraction) -> arb:
    """Return a fraction as a ball."""
    return arb(fmpq(value.numerator, value.denominator))


def near(value: arb, center: float, radius: float, width: float) -> bool:
    """Say whether a number is within a radius of a float, and the radius below a width."""
    return bool(abs(value - arb(float(center))) <= arb(float(radius))) and radius < width


class Choosing(SeededEntropy):
    """Normal variates of a seed, and exponential ones that are tiny, or large for the proposals that are to be kept.

    Every third block of words that a sampler draws is of the exponential variates of a batch.
    """

    def __init__(self, seed: int, kept: Mapping[int, Collection[int]]) -> None:
        super().__init__(seed)
        self.kept = kept
        self.blocks = 0
        self.sizes: list[int] = []

    def words(self, count: int) -> Any:
        """Give words."""
        self.blocks += 1
        found = super().words(count)
        if self.blocks % 3 == 0:
            self.sizes.append(count)
            for place in range(count):
                chosen = place in self.kept.get(len(self.sizes) - 1, ())
                found[place] = 1 + place if chosen else 2**64 - 1 - place
        return found


class Silent(SeededEntropy):
    """A source that must not be asked."""

    def words(self, count: int) -> Any:
        """Fail."""
        raise AssertionError(f"{count} random words were used")

    bits = words
