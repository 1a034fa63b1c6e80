"""Profiles of discrete noise against plain sums over the integers, of numbers and of vectors, and simulation."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from mpmath import mp, mpf

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import (
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
)
from dpmatrix.privacy.profiles import lattice_sums
from dpmatrix.privacy.profiles.lattice_sums import total_mass, upper_sum

DRAWS = 1_000_000


def as_mpf(number):
    number = Fraction(number)
    return mpf(number.numerator) / number.denominator


def random_fraction(generator, lower, upper):
    return Fraction(int(generator.integers(int(1000 * lower), int(1000 * upper))), 1000)


def masses(weight, reach):
    """Probabilities of -reach to reach, from weights of the non-negative integers; beyond, less than 1e-60 is left."""
    half = [weight(k) for k in range(reach + 1)]
    total = 2 * mpmath.fsum(half) - half[0]
    return [half[abs(k)] / total for k in range(-reach, reach + 1)]


def laplace_masses(scale):
    ratio = mpmath.exp(-1 / scale)
    return masses(lambda k: ratio**k, int(150 * scale) + 2)


def gaussian_masses(variance):
    return masses(lambda k: mpmath.exp(-k * k / (2 * variance)), int(mpmath.sqrt(700 * variance)) + 2)


def plain_sum(law, shift, epsilon):
    """Sum the positive part of law(k) - e^epsilon law(k - shift) over the integers."""
    weight, padding = mpmath.exp(epsilon), [mpf(0)] * shift
    return mpmath.fsum(max(p - weight * q, 0) for p, q in zip(law + padding, padding + law, strict=True))


@pytest.mark.parametrize("seed", range(4))
def test_two_hundred_discrete_laplace_profiles_contain_the_plain_sum(seed, agrees):
    generator, missed = np.random.default_rng(seed), 0
    for _ in range(50):
        shift, scale = int(generator.integers(1, 8)), random_fraction(generator, 0.2, 4)
        epsilon = shift / scale * int(generator.integers(0, 98)) / 100
        expected = plain_sum(laplace_masses(as_mpf(scale)), shift, as_mpf(epsilon))
        assert agrees(DiscreteLaplaceProfile(shift, scale).delta(epsilon), expected)
        missed += not agrees(DiscreteLaplaceProfile(shift, scale * Fraction(101, 100)).delta(epsilon), expected)
    assert missed == 50  # control


@pytest.mark.parametrize("limit", [1024, 4])
@pytest.mark.parametrize("seed", range(2))
def test_four_hundred_discrete_gaussian_profiles_contain_the_plain_sum(seed, limit, agrees, monkeypatch):
    """Two hundred by adding up, and two hundred with the comparison with integrals forced early."""
    monkeypatch.setattr(lattice_sums, "LARGE_VARIANCE", limit)
    generator, missed = np.random.default_rng(20 + seed), 0
    for _ in range(100):
        shift = int(generator.integers(1, 8))
        variance = random_fraction(generator, *((0.05, 20) if limit == 1024 else (80, 120)))
        epsilon = random_fraction(generator, 0, min(3, 0.7 * shift))
        expected = plain_sum(gaussian_masses(as_mpf(variance)), shift, as_mpf(epsilon))
        assert agrees(DiscreteGaussianProfile(shift**2, variance).delta(epsilon), expected)
        worse = DiscreteGaussianProfile(shift**2, variance * Fraction(101, 100)).delta(epsilon)
        missed += not agrees(worse, expected)
    assert missed == 100  # control


@pytest.mark.parametrize("variance", [Fraction(1, 10), Fraction(2), Fraction(1000), Fraction(1025), Fraction(5000)])
def test_lattice_sums_contain_plain_sums(variance, agrees):
    """Two hundred tails and the total, on both sides of the change of algorithm and far out."""
    width = as_mpf(variance)
    reach = int(mpmath.sqrt(320 * width)) + 60
    terms = [mpmath.exp(-(mpf(k) ** 2) / (2 * width)) for k in range(reach)]
    assert agrees(total_mass(fmpq(variance.numerator, variance.denominator)), 2 * mpmath.fsum(terms) - 1)
    generator = np.random.default_rng(3)
    for start in {int(x) for x in generator.integers(0, reach // 2, 40)}:
        found = upper_sum(start, fmpq(variance.numerator, variance.denominator))
        assert agrees(found, mpmath.fsum(terms[start:]))
        with precision(200):
            sharp = upper_sum(start, fmpq(variance.numerator, variance.denominator))
        assert agrees(sharp, mpmath.fsum(terms[start:]))
        assert sharp.rel_accuracy_bits() > 120
        assert not agrees(sharp, mpmath.fsum(terms[start + 1 :]))  # control: one term less


@pytest.mark.parametrize("exponent", [-9000, -300, -60, 0, 60, 300, 9000])
def test_lattice_sums_end_at_every_size_of_variance(exponent):
    variance = fmpq(2) ** exponent
    assert total_mass(variance).rel_accuracy_bits() > 40
    assert upper_sum(0, variance).rel_accuracy_bits() > 40
    assert upper_sum(0, variance).overlaps(upper_sum(1, variance) + 1)
    assert (2 * upper_sum(1, variance) + 1).overlaps(total_mass(variance))


def vector_divergence(law, shift, epsilon):
    """Sum the positive part over a box of integer vectors: masses of float accuracy, in extended precision."""
    reach, size = len(law) // 2, len(shift)
    moved = []
    for step in shift:
        line = np.zeros(len(law) + 16, dtype=np.longdouble)
        line[8 + step : 8 + step + len(law)] = law
        moved.append(line)
    still = np.zeros(2 * reach + 17, dtype=np.longdouble)
    still[8:-8] = law
    first, second = np.ones(1, dtype=np.longdouble), np.ones(1, dtype=np.longdouble)
    for line in moved:
        first, second = np.multiply.outer(first, still), np.multiply.outer(second, line)
    assert first.ndim == size + 1
    return float(np.maximum(first - np.exp(np.longdouble(epsilon)) * second, 0).sum())


def extended(law):
    keep = [p for p in law if p > mpf(10) ** -22]
    return np.array([np.longdouble(mpmath.nstr(p, 25)) for p in keep])


ROUNDING = 1e-15
"""Bound on the error of a sum of less than a million products of extended floats, and of the mass that is cut off."""

SHIFTS = {
    25: [(5, 0), (3, 4), (4, -3)],
    9: [(3, 0, 0), (2, 2, 1), (1, -2, 2)],
    3: [(1, 1, 1), (1, -1, 1)],
    2: [(1, 1), (1, -1)],
    1: [(1, 0), (0, 0, 1)],
}


@pytest.mark.parametrize("square", SHIFTS)
@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(6)])
def test_discrete_gaussian_vectors_lie_within_the_interval(square, variance, fifty_digits):
    law = extended(gaussian_masses(as_mpf(variance)))
    for epsilon in (0, 0.5, 1.25, 3):
        for shift in SHIFTS[square]:
            value = vector_divergence(law, shift, epsilon)
            interval = DiscreteGaussianProfile(square, variance, len(shift)).delta(epsilon)
            assert interval.lower() <= value + ROUNDING
            assert value - ROUNDING <= interval.upper()


def continuous(epsilon, square, variance):
    """Profile of N(0, variance) at an epsilon of either sign, from its two tails."""
    shift = mpmath.sqrt(square / variance)
    return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)


def log_factor(smoothing):
    c = 2 * mpmath.nsum(lambda j: mpmath.exp(-2 * mpmath.pi**2 * smoothing * j**2), [1, 30])
    return mpmath.log((1 + c) / (1 - c))


@pytest.mark.parametrize(("square", "coordinates"), [(4, 2), (30, 8), (500, 3), (500, 10**6), (9, 2)])
@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(3, 2), Fraction(20), Fraction(200)])
def test_the_ends_of_the_interval_are_the_two_derived_bounds(square, coordinates, variance, fifty_digits):
    """Both bounds written out with their factors; the intervals are wide, so containment alone would not see them."""
    v, n = as_mpf(variance), coordinates
    for epsilon in (mpf(0), mpf(1) / 8, mpf(1)):
        above, below = [mpf(1)], [mpf(0)]
        for w in (mpf(1) / 2, mpf(1), mpf(2)):
            taken = min(w, v / 2)
            a, b = n * log_factor(taken), n * log_factor(v * w / (v + w))
            above.append(mpmath.exp(a) * continuous(epsilon - 2 * a, square, v - taken))
            below.append(mpmath.exp(-b) * continuous(epsilon + 2 * b, square, v + w))
        if v <= 16:
            step = int(mpmath.ceil(mpmath.sqrt(mpf(square) / n)))
            below.append(plain_sum(gaussian_masses(v), step, epsilon))
        found = DiscreteGaussianProfile(square, variance, n).delta(Fraction(float(epsilon)))
        assert float(found.upper()) == pytest.approx(float(min(above)), rel=1e-8)
        assert float(found.lower()) == pytest.approx(float(max(below)), rel=1e-6, abs=2e-8 * float(found.upper()))


def test_directions_of_one_norm_differ_and_the_interval_says_so(fifty_digits):
    """Control: the value of one coordinate alone would not enclose the other directions."""
    law = extended(gaussian_masses(mpf(1)))
    one, other = (vector_divergence(law, shift, 1.25) for shift in ((5, 0), (3, 4)))
    assert abs(one - other) > 1e-4
    assert one == pytest.approx(float(DiscreteGaussianProfile(25, 1).delta(1.25)), abs=1e-12)


def test_the_interval_of_many_coordinates_narrows_with_the_variance():
    relative = []
    for variance in (100, 10_000, 10**6, 10**8):
        square = int(variance // 25)
        value = DiscreteGaussianProfile(square, variance, 100).delta(1)
        relative.append(float(value.rad() / value.mid()))
        assert value.overlaps(GaussianProfile(arb(square).sqrt(), arb(variance).sqrt()).delta(1))
    assert relative[0] < 0.2
    assert relative[-1] < 1e-5
    assert sorted(relative, reverse=True) == relative


def test_many_coordinates_at_and_near_epsilon_zero():
    for variance in (2, 100, 10**6):
        at_zero = DiscreteGaussianProfile(4, variance, 3).delta(0)
        near_zero = DiscreteGaussianProfile(4, variance, 3).delta(Fraction(1, 2**130))
        assert at_zero.overlaps(near_zero)
        assert at_zero.upper() < 1
        assert at_zero.overlaps(GaussianProfile(2, arb(variance).sqrt()).delta(0))


@pytest.mark.parametrize("variance", [Fraction(1, 2**300), Fraction(1, 100), Fraction(1, 20)])
def test_many_coordinates_of_little_noise(variance):
    value = DiscreteGaussianProfile(7, variance, 5).delta(Fraction(1, 2))
    assert value.upper() > 0.9
    assert value.lower() >= DiscreteGaussianProfile(4, variance).delta(Fraction(1, 2)).lower() * (1 - arb(10) ** -12)


def test_a_squared_sensitivity_of_one_is_exact_in_any_number_of_coordinates():
    one, many = DiscreteGaussianProfile(1, 3), DiscreteGaussianProfile(1, 3, 50)
    assert many.is_exact
    assert many.delta(1).overlaps(one.delta(1))
    assert many.delta(1).rel_accuracy_bits() >= 40
    assert not DiscreteGaussianProfile(2, 3, 50).is_exact


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(2)])
def test_discrete_laplace_vectors_never_exceed_one_coordinate(scale, fifty_digits):
    law, attained = extended(laplace_masses(as_mpf(scale))), 0.0
    shifts = [shift for shift in product(range(4), repeat=2) if sum(shift) == 3]
    shifts += [(1, 2, 0), (1, 1, 1)] if scale <= Fraction(1, 2) else []
    for epsilon in (0, 0.3, 1, 1.6, 2.5):
        if epsilon * scale >= 3:
            continue
        bound = float(DiscreteLaplaceProfile(3, scale).delta(epsilon))
        enclosure = DiscreteLaplaceProfile(3, scale, coordinate_sensitivity=1).delta(epsilon)
        for shift in shifts:
            value = vector_divergence(law, shift, epsilon)
            assert value <= bound + ROUNDING
            assert enclosure.lower() - ROUNDING <= value <= enclosure.upper() + ROUNDING
            attained = max(attained, value / bound)
            if min(shift) > 0 and scale > 1:
                assert value < bound - 1e-6  # the test can tell a spread shift from a whole one
    assert attained == pytest.approx(1, abs=1e-9)


def test_discrete_laplace_touches_the_continuous_profile():
    for shift, scale in ((5, Fraction(3)), (4, Fraction(7, 3))):
        for step in range(1, 2 * shift):
            epsilon = Fraction(step, 2) / scale
            discrete, continuous = (p(shift, scale).delta(epsilon) for p in (DiscreteLaplaceProfile, LaplaceProfile))
            if (shift - epsilon * scale) % 2 == 0:
                assert discrete.overlaps(continuous)
            else:
                assert discrete > continuous


def gaussian_draws(variance, generator):
    """Rejection from discrete Laplace proposals, in floats."""
    scale = int(np.sqrt(variance)) + 1
    chance = 1 - np.exp(-1 / scale)
    proposals = generator.geometric(chance, DRAWS) - generator.geometric(chance, DRAWS)
    keep = generator.random(DRAWS) < np.exp(-((np.abs(proposals) - variance / scale) ** 2) / (2 * variance))
    return proposals[keep]


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize(("shift", "size", "epsilon"), [(2, 4, 0.25), (3, 2, 0.0)])
def test_simulated_noise_agrees(kind, shift, size, epsilon, probability_interval):
    """Two intervals of error 1e-10 each; noise 15 % off is outside."""
    generator, ends = np.random.default_rng(30), []
    for moved in (0, shift):
        if kind == "laplace":
            chance = 1 - np.exp(-1 / size)
            draws = generator.geometric(chance, DRAWS) - generator.geometric(chance, DRAWS)
            profile = lambda scale: DiscreteLaplaceProfile(shift, size * scale)  # noqa: E731
        else:
            draws = gaussian_draws(size, generator)
            profile = lambda scale: DiscreteGaussianProfile(shift**2, size * scale**2)  # noqa: E731
        draws = draws + moved
        if kind == "laplace":
            loss = (np.abs(draws - shift) - np.abs(draws)) / size
        else:
            loss = ((draws - shift) ** 2 - draws**2) / (2 * size)
        ends.append(probability_interval(int(np.count_nonzero(loss > epsilon)), len(draws)))
    (low, high), (low_other, high_other) = ends
    lower, upper = low - np.exp(epsilon) * high_other, high - np.exp(epsilon) * low_other
    assert lower <= float(profile(Fraction(1)).delta(epsilon)) <= upper
    assert float(profile(Fraction(115, 100)).delta(epsilon)) < lower
    assert float(profile(Fraction(85, 100)).delta(epsilon)) > upper


@pytest.mark.parametrize(
    ("profile", "epsilon"),
    [
        (DiscreteGaussianProfile(1, 1), 45),
        (DiscreteGaussianProfile(1, 2000), 20),
        (DiscreteGaussianProfile(1, 2**32), 10),
        (DiscreteGaussianProfile(1, 2**120), Fraction(1, 2**55)),
        (DiscreteGaussianProfile(1, 2**120), 0),
        (DiscreteGaussianProfile(1, 2**120), 1),
        (DiscreteGaussianProfile(2**120, 2**120), 1),
        (DiscreteGaussianProfile(1, Fraction(1, 2**60)), 0),
        (DiscreteGaussianProfile(1, Fraction(1, 2**60)), 2**60),
        (DiscreteGaussianProfile(1, Fraction(1, 2**300)), 20),
        (DiscreteLaplaceProfile(1, 2**60), 0),
        (DiscreteLaplaceProfile(3, 2**60), Fraction(5, 2**61)),
        (DiscreteLaplaceProfile(1, 1), 1 - Fraction(1, 10**401)),
        (DiscreteLaplaceProfile(3, Fraction(1, 2**60)), 7),
        (DiscreteLaplaceProfile(2**80, 2**60), 7),
    ],
    ids=str,
)
def test_extreme_parameters_keep_relative_accuracy(profile, epsilon):
    value = profile.delta(epsilon)
    assert 0 < value < 1.001
    assert value.rad() <= value.abs_lower() * arb(2) ** -40
    with precision(300):
        sharper = profile.delta(epsilon)
    assert sharper.overlaps(value)
    assert sharper.rel_accuracy_bits() > 280


def test_tiny_deltas_contain_the_plain_sum(agrees):
    value = DiscreteGaussianProfile(4, 3).delta(60)
    assert 0 < value < arb(10) ** -400
    with mp.workdps(600):
        expected = plain_sum(gaussian_masses_of_many_digits(3), 2, mpf(60))
    assert agrees(value, expected)
    near = DiscreteLaplaceProfile(1, 1).delta(1 - Fraction(1, 10**400))
    with mp.workdps(500):
        q = mpmath.exp(-1)
        expected = 1 - (q + mpmath.exp(1 - mpf(10) ** -400) * q) / (1 + q)
    assert agrees(near, expected)
    assert 0 < near < arb(10) ** -399


def gaussian_masses_of_many_digits(variance):
    return masses(lambda k: mpmath.exp(-(mpf(k) ** 2) / (2 * variance)), 130)


def test_exact_zeros():
    assert DiscreteGaussianProfile(0, 1).delta(0).is_zero()
    assert DiscreteGaussianProfile(0, 1, 3).delta(5).is_zero()
    assert DiscreteLaplaceProfile(0, 1).delta(0).is_zero()
    assert DiscreteLaplaceProfile(3, Fraction(7, 5)).delta(Fraction(15, 7)).is_zero()
    assert DiscreteLaplaceProfile(3, 2**60).delta(1).is_zero()


def test_boxes_enclose_their_points():
    generator = np.random.default_rng(4)
    laplace = DiscreteLaplaceProfile(3, arb(2, 0.25)).delta(arb(0.5, 0.125))
    gaussian, vectors = (DiscreteGaussianProfile(9, 2, size).delta(arb(0.5, 0.125)) for size in (1, 4))
    for scale, epsilon in zip(generator.uniform(1.75, 2.25, 40), generator.uniform(0.375, 0.625, 40), strict=True):
        assert laplace.contains(DiscreteLaplaceProfile(3, scale).delta(epsilon))
        assert gaussian.contains(DiscreteGaussianProfile(9, 2).delta(epsilon))
        assert vectors.contains(DiscreteGaussianProfile(9, 2, 4).delta(epsilon))
    assert not laplace.contains(DiscreteLaplaceProfile(3, 1).delta(0.5))
    assert not gaussian.contains(DiscreteGaussianProfile(9, 1).delta(0.5))


@pytest.mark.parametrize("kind", [int, np.int64, np.int8])
def test_kinds_of_number(kind):
    for scale in (Fraction(2), 2.0, np.float32(2), fmpq(2), kind(2)):
        assert DiscreteLaplaceProfile(kind(3), scale).delta(kind(1)).overlaps(DiscreteLaplaceProfile(3, 2).delta(1))
        gaussian = DiscreteGaussianProfile(kind(9), scale, kind(1))
        assert gaussian.delta(kind(1)).overlaps(DiscreteGaussianProfile(9, 2).delta(1))
        assert isinstance(gaussian, PrivacyProfile)
    assert DiscreteGaussianProfile(9, arb(2)).delta(1).overlaps(DiscreteGaussianProfile(9, 2).delta(1))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 1), "squared_sensitivity"),
        ((True, 1), "squared_sensitivity"),
        ((1.0, 1), "squared_sensitivity"),
        ((2, 1), "squared_sensitivity"),
        ((1, 0), "variance"),
        ((1, -1), "variance"),
        ((1, float("nan")), "variance"),
        ((1, arb(2, 0.5)), "variance"),
        ((1, arb("inf")), "variance"),
        ((1, np.longdouble(1) / 3), "variance"),
        ((1, Decimal("0.1")), "variance"),
        ((1, arb(2) ** 60 + 1), "variance"),
        ((1, "1"), "variance"),
        ((2, 1, 0), "coordinates"),
        ((2, 1, 2.0), "coordinates"),
        ((2, 1, True), "coordinates"),
    ],
)
def test_bad_gaussian_parameters_are_refused(arguments, name):
    with pytest.raises(InvalidParameterError) as caught:
        DiscreteGaussianProfile(*arguments)
    assert caught.value.parameter == name


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((-1, 1), "sensitivity"),
        ((True, 1), "sensitivity"),
        ((Fraction(3, 2), 1), "sensitivity"),
        ((1, 0), "scale"),
        ((1, arb(0, 1)), "scale"),
        ((1, float("inf")), "scale"),
        ((1, None), "scale"),
        ((1, 1, 2), "coordinate_sensitivity"),
        ((1, 1, -1), "coordinate_sensitivity"),
        ((1, 1, 1.0), "coordinate_sensitivity"),
    ],
)
def test_bad_laplace_parameters_are_refused(arguments, name):
    with pytest.raises(InvalidParameterError) as caught:
        DiscreteLaplaceProfile(*arguments)
    assert caught.value.parameter == name


@pytest.mark.parametrize("epsilon", [-1, float("nan"), arb(0, 1), None, 1j])
def test_a_bad_epsilon_is_refused(epsilon):
    for profile in (
        DiscreteLaplaceProfile(1, 1),
        DiscreteLaplaceProfile(0, 1),
        DiscreteGaussianProfile(1, 1),
        DiscreteGaussianProfile(0, 1),
        DiscreteGaussianProfile(5, 1, 2),
    ):
        with pytest.raises(InvalidParameterError, match="epsilon"):
            profile.delta(epsilon)
