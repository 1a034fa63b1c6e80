"""Sources of bits that are broken: the samplers end in an error that says so, and do not go on for ever."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.errors import EntropyError
from dpmatrix.randomness import discrete, fast_bernoulli
from dpmatrix.randomness.entropy import Entropy, SeededEntropy

MOST_CALLS = 10_000
"""More than any draw asks for: one that goes on for ever fails here."""


class Constant:
    """Zeros alone, or ones alone."""

    private = False
    description = "a broken source"

    def __init__(self, value: int) -> None:
        self.value = value
        self.calls = 0

    def bits(self, count: int) -> int:
        """Return so many bits."""
        self.calls += 1
        assert self.calls <= MOST_CALLS, "the draw goes on for ever"
        return ((1 << count) - 1) * self.value

    def words(self, count: int) -> np.ndarray:
        """Return so many words."""
        return np.full(count, self.bits(64), dtype=np.uint64)


class TooWide(SeededEntropy):
    """Gives a bit more than it is asked for, or less than none."""

    def __init__(self, excess: Callable[[int], int]) -> None:
        super().__init__(1)
        self.excess = excess

    def bits(self, count: int) -> int:
        """Return what is out of range."""
        return self.excess(count)


DRAWS: dict[str, Callable[[Entropy], object]] = {
    "laplace": lambda entropy: discrete.discrete_laplace(Fraction(5, 3), entropy),
    "geometric": lambda entropy: discrete.geometric(Fraction(5, 3), entropy),
    "gaussian": lambda entropy: discrete.discrete_gaussian(Fraction(5, 3), entropy),
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("value", [0, 1])
def test_constant_bits_end_in_an_error(draw: str, value: int) -> None:
    with pytest.raises(EntropyError, match="a broken source gave no bits"):
        DRAWS[draw](Constant(value))


def test_ones_alone_are_never_below_a_bound_that_is_no_power_of_two() -> None:
    assert discrete.uniform_below(4, Constant(1)) == 3
    with pytest.raises(EntropyError, match="a broken source gave no bits"):
        discrete.uniform_below(5, Constant(1))


@pytest.mark.parametrize("excess", [lambda count: 1 << count, lambda _: -1, lambda count: 5 << count])
def test_bits_out_of_range_are_refused(excess: Callable[[int], int]) -> None:
    with pytest.raises(EntropyError, match="gave more than"):
        discrete.uniform_below(6, TooWide(excess))
    with pytest.raises(EntropyError):
        discrete.discrete_laplace(Fraction(5, 3), TooWide(excess))


def test_control_every_draw_ends_with_fair_bits() -> None:
    for draw in DRAWS.values():
        assert len({draw(SeededEntropy(seed)) for seed in range(40)}) > 3


@pytest.mark.parametrize("rate", [2**11, 2**200, 2**2000, Fraction(2**200, 3)])
def test_an_exponential_of_a_huge_rate_is_never_drawn(rate: Fraction | int) -> None:
    assert not fast_bernoulli.bernoulli_exp(rate, 4, SeededEntropy(1)).any()
    assert not discrete.bernoulli_exp(Fraction(rate), SeededEntropy(1))
