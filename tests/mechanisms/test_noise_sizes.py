"""How large noise is said to be: roots of its second moments, rounded up by hardly anything."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb

from dpmatrix.mechanisms import (
    AnalyzeGauss,
    CoupledTracesMechanism,
    GaussianOrthogonal,
    KNormMechanism,
    LaplaceInputPerturbation,
    Ppca,
    SymmetrisedWishartMechanism,
)
from dpmatrix.mechanisms.noise_sizes import NoiseSize, noise_size, upper
from dpmatrix.privacy.adjacency import Adjacency

GRID = Fraction(3, 7)
HAIR = Fraction(1, 2**48)


def rounds_up_root(found: Fraction | None, square: Fraction) -> bool:
    return found is not None and square <= found**2 <= square * (1 + HAIR)


def size_of(mechanism: Any, dimension: int, divisor: int = 5) -> NoiseSize:
    found = noise_size(mechanism, dimension, divisor, GRID)
    assert found is not None
    return found


@pytest.mark.parametrize("kind", [SymmetrisedWishartMechanism, CoupledTracesMechanism, KNormMechanism])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_rounded_noise_has_the_moments_that_its_mechanism_knows(kind: Callable[..., Any], dimension: int) -> None:
    """Times its scale, whatever the grid is; one entry has no other beside it."""
    mechanism = kind(Fraction(1, 3))
    found, moments = size_of(mechanism, dimension), mechanism.moments(dimension)
    square = mechanism.noise_scale(dimension, 5) ** 2
    assert rounds_up_root(found.diagonal, moments.diagonal * square)
    assert rounds_up_root(found.frobenius, moments.frobenius * square)
    if dimension == 1:
        assert found.off_diagonal is None
    else:
        assert rounds_up_root(found.off_diagonal, moments.off_diagonal * square)


@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_gaussian_noise_has_at_most_its_parameter(dimension: int) -> None:
    mechanism = AnalyzeGauss(1, delta=Fraction(1, 1000), coordinate_bits=3)
    found, square = size_of(mechanism, dimension), mechanism.noise_variance(dimension) * GRID**2
    assert rounds_up_root(found.diagonal, square)
    assert rounds_up_root(found.frobenius, square * dimension**2)
    assert found.off_diagonal == (found.diagonal if dimension > 1 else None)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_orthogonal_noise_has_at_most_its_moments(dimension: int, adjacency: Adjacency) -> None:
    """In units of the lattice over the divisor, whatever the grid is."""
    mechanism = GaussianOrthogonal(1, adjacency, delta=Fraction(1, 1000), coordinate_bits=3)
    found, moments = size_of(mechanism, dimension), mechanism.moments(dimension)
    square = mechanism.noise_variance(dimension) / Fraction(5 * 4**3) ** 2
    diagonal = Fraction(dimension, dimension + 1) if adjacency is Adjacency.REPLACE_ONE else Fraction(1)
    assert moments.diagonal == diagonal
    assert rounds_up_root(found.diagonal, diagonal * square)
    assert rounds_up_root(found.frobenius, moments.frobenius * square)
    if dimension == 1:
        assert found.off_diagonal is None
    else:
        assert moments.off_diagonal == Fraction(1, 2)
        assert rounds_up_root(found.off_diagonal, square / 2)


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(64), Fraction(3, 2) * 4**4])
@pytest.mark.parametrize("dimension", [1, 2, 4])
def test_laplace_noise_has_the_variance_of_its_integers(epsilon: Fraction, dimension: int) -> None:
    """That is the sum of k^2 q^|k| over that of q^|k|, q = exp(-1/t): scales from 1/2 to 2,000 units of the grid."""
    mechanism = LaplaceInputPerturbation(epsilon, coordinate_bits=4)
    with mpmath.workdps(40):
        q = mpmath.exp(-mpmath.mpf(1) / mpmath.mpmathify(mechanism.noise_scale(dimension)))
        variance = mpmath.nsum(lambda k: 2 * k**2 * q**k, [1, mpmath.inf]) * (1 - q) / (1 + q)
        square = Fraction(*mpmath.libmp.to_rational(variance._mpf_)) * GRID**2
    found = size_of(mechanism, dimension)
    least = square * (1 - HAIR)
    assert least <= found.diagonal**2 <= square * (1 + 4 * HAIR)
    assert least * dimension**2 <= found.frobenius**2 <= square * dimension**2 * (1 + 4 * HAIR)
    assert found.off_diagonal == (found.diagonal if dimension > 1 else None)


def test_laplace_noise_of_hardly_any_scale_counts_as_that_of_one_two_thousandth() -> None:
    """Its variance is at most 1 / (2 sinh(1000)^2), which is not zero; from there on upwards it is its own."""
    least, less, more = (
        size_of(LaplaceInputPerturbation(epsilon, calibration="printed", coordinate_bits=0), 1)
        for epsilon in (4000, 4001, 3999)
    )
    assert 0 < less.diagonal == least.diagonal < more.diagonal
    assert least.diagonal < Fraction(1, 2**1000)


def test_directions_have_no_noise_of_a_size() -> None:
    assert noise_size(Ppca(1, rank=1), 3, 5, GRID) is None


def test_the_upper_end_of_a_ball_is_a_fraction() -> None:
    assert 4 <= upper(arb(3, 1)) < 4 + Fraction(1, 2**28)
    assert upper(arb((-3, -2))) == Fraction(-3, 4)
    assert upper(arb((5, 70))) == 5 * 2**70
    assert upper(arb(0)) == 0
