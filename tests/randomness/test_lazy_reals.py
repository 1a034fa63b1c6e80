"""Lazily refined reals: nested digits, exact laws, and roundings that no further digit can change."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat, fmpq
from scipy.special import erf

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.lazy import LazyExponentials, LazyNormals, LazyUniforms, round_to_grid


class DigitScript:
    """Gives prescribed words, then the bits of a seed."""

    private = False
    description = "script"

    def __init__(self, *words):
        self.words = list(words)
        self.rest = SeededEntropy(99)

    def bits(self, count):
        """Give the next word."""
        return self.words.pop(0) if self.words else self.rest.bits(count)


def test_refinement_extends_digits_and_never_changes_them():
    uniforms = LazyUniforms((3, 4), SeededEntropy(1))
    uniforms.refine(40)
    coarse = uniforms.digits()
    uniforms.refine(20)
    assert uniforms.digits() == coarse
    uniforms.refine(100)
    assert [fine >> 60 for fine in uniforms.digits()] == coarse
    assert uniforms.known_bits == 100


@pytest.mark.parametrize("bits", [0, 1, 3, 64, 200])
def test_enclosure_is_the_dyadic_interval(bits):
    uniforms = LazyUniforms((5,), SeededEntropy(2))
    uniforms.refine(bits)
    for known, enclosure in zip(uniforms.digits(), uniforms.enclosures(), strict=True):
        with precision(300):
            assert all(enclosure.contains(arb(fmpq(end, 2**bits))) for end in (known, known + 1))
            assert enclosure.upper() - enclosure.lower() <= arb(fmpq(1, 2**bits)) * (1 + arb((1, -25)))


def box_muller(radial, angular, bits):
    """Transform digits with mpmath, taking the middle of each interval."""
    entries = []
    for first, second in zip(radial, angular, strict=True):
        u, v = (mpmath.mpf(2 * known + 1) / 2 ** (bits + 1) for known in (first, second))
        radius = mpmath.sqrt(-2 * mpmath.log(u))
        entries += [radius * mpmath.cos(2 * mpmath.pi * v), radius * mpmath.sin(2 * mpmath.pi * v)]
    return entries


def test_normals_agree_with_an_independent_transform_of_the_same_digits():
    normals = LazyNormals((3, 3), SeededEntropy(3))
    normals.refine(150)
    with precision(200), mpmath.workprec(400):
        radial, angular = normals.uniforms()
        expected = box_muller(radial.digits(), angular.digits(), 150)
        for value, enclosure in zip(expected, normals.enclosures().entries(), strict=False):
            assert abs(arb(str(value)) - enclosure) < arb((1, -120))


def empirical_distance(draws, cdf):
    values = np.sort(np.asarray(draws))
    ranks = np.arange(len(values) + 1) / len(values)
    exact = cdf(values)
    return float(max(np.max(np.abs(exact - ranks[1:])), np.max(np.abs(exact - ranks[:-1]))))


@pytest.mark.parametrize(("scale", "accepted"), [(1.0, True), (0.75, False)])
def test_normals_follow_the_normal_law(cdf_radius, scale, accepted):
    # The control's law is 0.069 away and the radius 0.0173: it passes with probability below 1e-90.
    normals = LazyNormals((200, 200), SeededEntropy(4))
    normals.refine(64)
    draws = scale * np.array([float(entry.mid()) for entry in normals.enclosures().entries()])
    reached = empirical_distance(draws, lambda x: (1 + erf(x / np.sqrt(2))) / 2)
    assert (reached <= cdf_radius(draws.size)) is accepted


def test_cosine_and_sine_of_one_pair_are_uncorrelated():
    # Chernoff: the mean of m products xy of independent normals exceeds t < 1 with probability <= exp(-m t**2 / 4).
    normals = LazyNormals((20_000, 2), SeededEntropy(5))
    normals.refine(64)
    draws = np.array([float(entry.mid()) for entry in normals.enclosures().entries()]).reshape(-1, 2)
    bound = np.sqrt(4 * np.log(2e10) / 20_000)
    assert abs(np.mean(draws[:, 0] * draws[:, 1])) <= bound
    assert np.mean(draws[:, 0] * draws[:, 0]) > bound


@pytest.mark.parametrize(("scale", "accepted"), [(1.0, True), (0.75, False)])
def test_exponentials_follow_the_exponential_law(cdf_radius, scale, accepted):
    exponentials = LazyExponentials((100, 200), SeededEntropy(6))
    exponentials.refine(64)
    draws = scale * np.array([float(entry.mid()) for entry in exponentials.enclosures().entries()])
    assert (empirical_distance(draws, lambda x: -np.expm1(-x)) <= cdf_radius(draws.size)) is accepted


def gram(normals):
    factor = normals.enclosures()
    return factor * factor.transpose()


@pytest.mark.parametrize("first_bits", [1, 8, 32, 128])
@pytest.mark.parametrize("grid", [Fraction(1, 3), Fraction(1, 2**30), Fraction(7)])
def test_no_further_digit_changes_a_rounding(first_bits, grid):
    normals = LazyNormals((3, 4), SeededEntropy(7))
    rounded = round_to_grid(lambda: gram(normals), grid, normals.refine, first_bits=first_bits)
    radial, angular = normals.uniforms()
    bits = radial.known_bits
    completions = [0, 2**64 - 1, SeededEntropy(8).bits(64), SeededEntropy(9).bits(64)]
    with mpmath.workprec(800):
        for completion in completions:
            u, v = ([known << 64 | completion for known in lazy.digits()] for lazy in (radial, angular))
            factor = mpmath.matrix(3, 4)
            for index, value in enumerate(box_muller(u, v, bits + 64)):
                factor[index // 4, index % 4] = value
            product = factor * factor.T * grid.denominator / grid.numerator
            expected = [int(mpmath.nint(product[i, j])) for i in range(3) for j in range(3)]
            assert rounded.ravel().tolist() == expected


def test_first_bits_change_no_rounding_of_given_digits():
    # A uniform is below 1/2 by 2**-301: decided only at 512 bits, and then correctly.
    for last, expected in ((0, 0), (1, 1)):
        word = (2**127 - 1) if last == 0 else 2**127
        fill = 2**128 - 1 if last == 0 else 0
        uniforms = LazyUniforms((1, 1), DigitScript(word, fill))
        rounded = round_to_grid(lambda lazy=uniforms: arb_mat(1, 1, lazy.enclosures()), Fraction(1), uniforms.refine)
        assert rounded[0, 0] == expected
        assert uniforms.known_bits == 512
        # Control: binary64 sees exactly one half in both cases.
        assert float(Fraction(uniforms.digits()[0], 2**512)) == 0.5


def test_digits_that_touch_zero_are_refined_until_the_logarithm_is_finite():
    exponentials = LazyExponentials((1, 1), DigitScript(0, 0, 0))
    rounded = round_to_grid(exponentials.enclosures, Fraction(1), exponentials.refine)
    # The first 512 digits are zero, so -log U > 512 log 2 = 354.9.
    assert rounded[0, 0] >= 355


def test_digits_that_touch_one_are_refined():
    normals = LazyNormals((1, 2), DigitScript(2**128 - 1))
    rounded = round_to_grid(normals.enclosures, Fraction(1, 2**20), normals.refine)
    assert rounded.tolist() == [[0, 0]]


def test_an_exact_tie_is_undecided_and_an_exact_integer_is_not():
    half = arb_mat(1, 1, [arb((1, -1))])
    with pytest.raises(UndecidedError):
        round_to_grid(lambda: half + arb_mat(1, 1, [arb(0, 1e-30)]), Fraction(1), lambda _: None)
    assert round_to_grid(lambda: 6 * half, Fraction(1), lambda _: None).tolist() == [[3]]


@pytest.mark.parametrize("grid", [Fraction(0), Fraction(-1, 2)])
def test_grid_must_be_positive(grid):
    with pytest.raises(InvalidParameterError, match="grid"):
        round_to_grid(lambda: arb_mat(1, 1), grid, lambda _: None)


@pytest.mark.parametrize("shape", [(), (-1,), (2, -3)])
def test_shape_must_be_sizes(shape):
    with pytest.raises(InvalidParameterError, match="shape"):
        LazyUniforms(shape, SeededEntropy(0))
