"""Noise of Wishart matrices, added to integers that no float holds."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.mechanisms.wishart_noise import NoiseParts, public_grid, rounded_noisy_moment, standard_wisharts
from dpmatrix.randomness.entropy import SeededEntropy


@pytest.mark.parametrize("symmetrised", [True, False])
def test_integers_beyond_the_floats_stay_integers(symmetrised: bool) -> None:
    """With the same digits, a shift of the matrix by multiples of the grid shifts the output by just that."""
    near, far = (np.array([[0, base], [base, base + 1]], dtype=object) for base in (0, 2**60))

    def noise() -> NoiseParts:
        first, second = standard_wisharts(2, 2, SeededEntropy(3))
        return NoiseParts((first,), (second,) if symmetrised else ())

    first, grid = rounded_noisy_moment(near, Fraction(1), Fraction(1), noise())
    second, same = rounded_noisy_moment(far, Fraction(1), Fraction(1), noise())
    assert grid == same == Fraction(1, grid.denominator)
    assert all(isinstance(entry, int) for matrix in (first, second) for entry in matrix.ravel().tolist())
    assert (second - first == (far - near) * grid.denominator).all()


def test_the_grid_is_as_coarse_as_stated() -> None:
    """2**-25 of the scale one below d = 16, then four times as much whenever d doubles, but below 2**-12."""
    for dimension, exponent in ((1, 25), (15, 25), (16, 23), (31, 23), (32, 21), (255, 17), (512, 13), (2048, 13)):
        assert public_grid(Fraction(1), dimension) == Fraction(1, 2**exponent)
        for scale in (Fraction(3, 7), Fraction(8, 7), Fraction(7, 8), Fraction(10**30), Fraction(1, 10**30)):
            share = public_grid(scale, dimension) / scale * 2**exponent
            assert Fraction(1, 2) < share < 2
            assert public_grid(4 * scale, dimension) == 4 * public_grid(scale, dimension)
