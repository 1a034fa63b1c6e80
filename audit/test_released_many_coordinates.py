"""The loss of discrete Gaussian noise in many coordinates: both ends of what is answered, computed from their proofs.

For little noise the way over real Gaussian noise and back costs a factor that is far from one, so that each part of the
bound shows. For one coordinate the loss is the largest difference over all half-lines, of masses that are added up.
Nothing is statistical.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

import mpmath
import pytest
from flint import fmpq
from mpmath import mpf

from audit.released.balls import encloses, ends, number
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.privacy.profiles.discrete_gaussian import discrete_gaussian_hockey_stick

SMOOTHINGS = (Fraction(1, 2), Fraction(1), Fraction(2))


def continuous(square: int, variance: mpf, epsilon: mpf) -> mpf:
    """Return the loss of real Gaussian noise at an epsilon of either sign, for a change of known square."""
    shift = mpmath.sqrt(square / variance)
    return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)


def logarithm(smoothing: mpf, *, whole: bool) -> mpf | None:
    """Return log((1 + c)/(1 - c)), c the sum over 2 exp(-2 pi^2 w j^2) or a geometric series above it."""
    term = mpmath.exp(-2 * mpmath.pi**2 * smoothing)
    c = 2 * mpmath.fsum(term ** (j * j) for j in range(1, 60)) if whole else 2 * term / (1 - term**3)
    return mpmath.log((1 + c) / (1 - c)) if c < 1 else None


def above(square: int, variance: Fraction, coordinates: int, epsilon: Fraction, *, whole: bool) -> mpf:
    """Return the least of one and e^(n a) D(epsilon - 2 n a), D at the variance v - w, over the w that are tried."""
    found = mpf(1)
    for smoothing in SMOOTHINGS:
        taken = number(min(smoothing, variance / 2))
        a = logarithm(taken, whole=whole)
        if a is not None:
            a *= coordinates
            bound = mpmath.exp(a) * continuous(square, number(variance) - taken, number(epsilon) - 2 * a)
            found = min(found, bound)
    return found


def below(square: int, variance: Fraction, coordinates: int, epsilon: Fraction) -> mpf:
    """Return the largest of e^(-n a) D(epsilon + 2 n a), D at v + w, and of one coordinate that changes enough."""
    found = mpf(0)
    for smoothing in SMOOTHINGS:
        a = logarithm(number(variance * smoothing / (variance + smoothing)), whole=False)
        if a is not None:
            a *= coordinates
            bound = mpmath.exp(-a) * continuous(square, number(variance + smoothing), number(epsilon) + 2 * a)
            found = max(found, bound)
    if variance <= 16:
        least = math.isqrt(-(-square // coordinates))
        change = least if least * least * coordinates >= square else least + 1
        found = max(found, half_line(change, variance, epsilon))
    return found


def half_line(shift: int, variance: Fraction, epsilon: Fraction) -> mpf:
    """Return the largest difference over all half-lines to the left, of masses that are added up."""
    reach = 18 * (math.isqrt(int(variance)) + 1) + 2 * shift
    rate = 1 / (2 * number(variance))
    sums = list(accumulate(mpmath.exp(-rate * k * k) for k in range(-reach, reach + 1)))
    weight = mpmath.exp(number(epsilon))
    return max((sums[last] - weight * sums[last - shift]) / sums[-1] for last in range(shift, 2 * reach + 1))


CASES = [
    # Square, variance, coordinates and epsilon: a factor that is large, moderate, and next to none.
    (2, Fraction(1, 10), 2, Fraction(50)),
    (2, Fraction(1, 8), 2, Fraction(40)),
    (3, Fraction(1, 7), 3, Fraction(60)),
    (2, Fraction(1, 5), 2, Fraction(20)),
    (8, Fraction(1, 4), 3, Fraction(40)),
    (9, Fraction(1, 3), 2, Fraction(25)),
    (5, Fraction(3, 5), 3, Fraction(20)),
    (7, Fraction(1), 40, Fraction(12)),
    (20, Fraction(3, 2), 3000, Fraction(22)),
    (2, Fraction(3), 2, Fraction(1, 3)),
    (9, Fraction(4), 2, Fraction(1)),
    (10, Fraction(16), 3, Fraction(1)),
    (40, Fraction(20), 12, Fraction(0)),
    (40, Fraction(20), 1 << 20, Fraction(1, 4)),
    (500, Fraction(200), 6, Fraction(2)),
]


@pytest.mark.parametrize(("square", "variance", "coordinates", "epsilon"), CASES, ids=str)
def test_both_ends_of_a_loss_are_those_of_their_proofs(
    square: int, variance: Fraction, coordinates: int, epsilon: Fraction
) -> None:
    """The upper end is never below its proof, with the sum itself in the place of the series above it."""
    profile = DiscreteGaussianProfile(square, variance, coordinates)
    assert not profile.is_exact
    with mpmath.workdps(60):
        low, high = ends(profile.delta(epsilon))
        upper = above(square, variance, coordinates, epsilon, whole=False)
        assert mpf(10) ** -60 < upper < 1
        assert above(square, variance, coordinates, epsilon, whole=True) <= high
        assert upper * (1 - mpf("1e-10")) <= high <= upper * (1 + mpf("1e-8"))
        lower = below(square, variance, coordinates, epsilon)
        # An end is what the radius of a ball leaves of it, which has thirty bits of the other end.
        assert abs(low - lower) <= mpf("1e-8") * high
        smaller = ends(DiscreteGaussianProfile(square, variance * Fraction(101, 100), coordinates).delta(epsilon))
        assert smaller[1] < upper * (1 - mpf("1e-6")), "control"


@pytest.mark.parametrize("shift", [1, 2, 5])
@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1, 4), Fraction(1), Fraction(9, 2)], ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 4), Fraction(1), Fraction(2), Fraction(8)], ids=str)
def test_the_loss_of_one_coordinate_is_that_of_the_best_half_line(
    epsilon: Fraction, variance: Fraction, shift: int
) -> None:
    with mpmath.workdps(160):
        expected = half_line(shift, variance, epsilon)
    with mpmath.workdps(50):
        at, noise = rational(epsilon), rational(variance)
        assert encloses(discrete_gaussian_hockey_stick(at, shift, noise), expected)
        for coordinates in (1, 4) if shift == 1 else (1,):
            profile = DiscreteGaussianProfile(shift**2, variance, coordinates)
            assert profile.is_exact
            assert encloses(profile.delta(epsilon), expected)
        assert discrete_gaussian_hockey_stick(at, 0, noise).is_zero()
        assert DiscreteGaussianProfile(0, variance).delta(epsilon).is_zero()


@pytest.mark.parametrize(("variance", "shift"), [(Fraction(1500), 90), (Fraction(3000), 7), (Fraction(2100), 300)])
def test_the_loss_of_one_coordinate_under_much_noise_is_that_of_the_best_half_line(
    variance: Fraction, shift: int
) -> None:
    """Sums over the integers are then compared with integrals."""
    for epsilon in (Fraction(0), Fraction(1, 100), Fraction(1, 2)):
        with mpmath.workdps(60):
            expected = half_line(shift, variance, epsilon)
            found = discrete_gaussian_hockey_stick(rational(epsilon), shift, rational(variance))
            assert encloses(found, expected)
        assert DiscreteGaussianProfile(0, variance, 5).delta(epsilon).is_zero()


def test_numbers_that_are_none_are_refused() -> None:
    """By their names, and with one coordinate unless another number of them is said."""
    for variance in (0, -1, float("nan"), float("inf"), None):
        with pytest.raises(InvalidParameterError, match=r"^variance"):
            DiscreteGaussianProfile(4, variance)
    for square in (-1, True, 4.0, None, Fraction(4)):
        for coordinates in (1, 2):
            with pytest.raises(InvalidParameterError, match=r"^squared_sensitivity"):
                DiscreteGaussianProfile(square, 1, coordinates)
    for square in (2, 3, 5, 8, 24, 26):
        with pytest.raises(InvalidParameterError, match=r"^squared_sensitivity"):
            DiscreteGaussianProfile(square, 1)
        assert DiscreteGaussianProfile(square, 1, 2).coordinates == 2, "control"
    for coordinates in (0, -1, True, 2.0, None):
        with pytest.raises(InvalidParameterError, match=r"^coordinates"):
            DiscreteGaussianProfile(4, 1, coordinates)
    for epsilon in (-1, float("nan"), None):
        for profile in (DiscreteGaussianProfile(0, 1), DiscreteGaussianProfile(4, 1), DiscreteGaussianProfile(4, 1, 2)):
            with pytest.raises(InvalidParameterError, match=r"^epsilon"):
                profile.delta(epsilon)
    found = DiscreteGaussianProfile(9, Fraction(1, 2))
    assert (found.squared_sensitivity, found.variance, found.coordinates) == (9, fmpq(1, 2), 1)
    assert type(found.variance) is fmpq
