"""What Gaussian noise on the lattice is calibrated to, recomputed from the formulas of its docstrings."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import ModSulq, Sulq
from dpmatrix.mechanisms.gaussian import GaussianPerturbation, gaussian_delta, squared_sensitivity
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.randomness.entropy import SeededEntropy

BOTH = list(Adjacency)
DELTA = Fraction(1, 50)
BOUNDS = [Fraction(1), Fraction(3, 2), Fraction(1, 3), Fraction(2) ** 20]


def square_of(dimension: int, adjacency: Adjacency, bound: Fraction, bits: int) -> int:
    """Two orthogonal records are exchanged, if there are two; else one record comes or goes."""
    records = 2 if adjacency is Adjacency.REPLACE_ONE and dimension > 1 else 1
    return math.floor(records * bound**4 * 16**bits)


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("dimension", [1, 2, 7])
@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("bits", [0, 1, 3, 20, 200, 512])
def test_the_sensitivity_is_exact_in_units_of_the_grid(
    adjacency: Adjacency, dimension: int, bound: Fraction, bits: int
) -> None:
    """Of one entry it is the square of an integer."""
    exact = square_of(dimension, adjacency, bound, bits)
    assert squared_sensitivity(dimension, adjacency, bound, bits, one=False) == exact
    assert squared_sensitivity(dimension, adjacency, bound, bits, one=True) == math.isqrt(exact) ** 2


@pytest.mark.parametrize("bound", [Fraction(2) ** 400, Fraction(3) ** 200, Fraction(1, 2**400)])
def test_the_sensitivity_is_on_the_safe_side_of_every_bound(bound: Fraction) -> None:
    for bits in (0, 20, 512):
        exact = 2 * bound**4 * 16**bits
        found = squared_sensitivity(2, Adjacency.REPLACE_ONE, bound, bits, one=False)
        assert math.floor(exact) <= found <= exact * (1 + Fraction(1, 2**200))


@pytest.mark.parametrize("kind", [ModSulq, Sulq])
@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize(("bound", "bits"), [(Fraction(3, 2), 0), (Fraction(3, 2), 2), (Fraction(1, 4), 0)])
def test_tight_noise_is_the_least_for_the_sensitivity_and_the_number_of_entries(
    kind: Any, adjacency: Adjacency, dimension: int, bound: Fraction, bits: int
) -> None:
    """Where no record can change the matrix by a unit, the noise is that of a unit."""
    mechanism = kind(Fraction(1, 2), adjacency, delta=DELTA, norm_bound=bound, coordinate_bits=bits)
    square = square_of(dimension, adjacency, bound, bits)
    coordinates = dimension**2 if kind is Sulq else dimension * (dimension + 1) // 2
    square = max(1, math.isqrt(square) ** 2 if coordinates == 1 else square)
    promise = PrivacyGuarantee(Fraction(1, 2), DELTA, adjacency)
    assert mechanism.guarantee == promise
    assert mechanism.noise_variance(dimension) == calibrate_discrete_gaussian(square, promise, coordinates)
    assert mechanism.release(np.ones((2, dimension)), entropy=SeededEntropy(1)).integers.shape == (dimension,) * 2


def deviation_of(kind: Any, dimension: int, epsilon: Fraction, delta: Fraction) -> mpmath.mpf:
    """Compute the documents' deviation on X'X, for records of norm at most 1."""
    real_epsilon, real_delta = (mpmath.mpf(value.numerator) / value.denominator for value in (epsilon, delta))
    if kind is Sulq:
        return mpmath.sqrt(8) * dimension * mpmath.log(dimension / real_delta) / real_epsilon
    square = 2 * mpmath.log((dimension**2 + dimension) / (real_delta * 2 * mpmath.sqrt(2 * mpmath.pi)))
    return (dimension + 1) / real_epsilon * mpmath.sqrt(square) + 1 / mpmath.sqrt(real_epsilon)


@pytest.mark.parametrize("kind", [ModSulq, Sulq])
@pytest.mark.parametrize("dimension", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 3), Fraction(2)])
@pytest.mark.parametrize(("bound", "bits"), [(Fraction(3, 2), 0), (Fraction(1, 7), 6), (Fraction(1), 20)])
def test_printed_noise_is_rounded_up_in_its_thirty_second_digit(
    kind: Any, dimension: int, epsilon: Fraction, bound: Fraction, bits: int
) -> None:
    parameters = {"calibration": "printed", "norm_bound": bound, "coordinate_bits": bits}
    mechanism = kind(epsilon, delta=DELTA, **parameters)
    with mpmath.workdps(100):
        unit = mpmath.mpf((bound**2).numerator) / (bound**2).denominator * 4**bits
        units = int(mpmath.ceil(deviation_of(kind, dimension, epsilon, DELTA) * unit * 2**32))
    assert mechanism.noise_variance(dimension) == Fraction(units, 2**32) ** 2


@pytest.mark.parametrize("calibration", ["tight", "printed"])
@pytest.mark.parametrize("shape", [(3,), (2, 5)])
def test_float_noise_is_normal_with_the_variance_of_the_integers(calibration: str, shape: tuple[int, ...]) -> None:
    mechanism = ModSulq(1, calibration=calibration, delta=DELTA, coordinate_bits=3)
    found = mechanism.float_noise(2, shape, np.random.default_rng(7))
    standard = np.random.default_rng(7).standard_normal(shape)
    assert found.shape == shape
    assert np.allclose(found, math.sqrt(mechanism.noise_variance(2)) * standard, rtol=1e-14)


@pytest.mark.parametrize("kind", [ModSulq, Sulq])
def test_parameters_out_of_their_domains_are_refused_by_name(kind: Any) -> None:
    for wrong in ("loose", "", None):
        with pytest.raises(InvalidParameterError, match=r"^calibration: .*; pass one of \('tight', 'printed'\)"):
            kind(1, calibration=wrong, delta=DELTA)
    for wrong in (0, 1, -DELTA, "0.1"):
        with pytest.raises(InvalidParameterError, match=r"^delta: "):
            gaussian_delta(wrong)
    assert kind(1, delta=DELTA).calibration == "tight"
    with pytest.raises(TypeError, match="positional"):
        kind(1, Adjacency.REPLACE_ONE, "tight", DELTA)


def test_the_claims_that_are_implemented() -> None:
    claims = {
        ModSulq: ["near-optimal.algorithm-1+repair", "near-optimal.theorem-5"],
        Sulq: ["near-optimal.sulq+repair"],
    }
    for kind, expected in claims.items():
        mechanism: GaussianPerturbation = kind(1, delta=DELTA)
        assert mechanism.guarantee.delta == DELTA
        assert [citation.target for citation in Implementation.of(type(mechanism)).citations] == expected
