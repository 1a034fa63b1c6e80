"""Decisions about ideal reals: no further digit, precision or filter changes them."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, arb_mat

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.randomness.decisions import accepted, nearest_multiples, round_to_grid, rounded_integers
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import LazyExponentials, LazyFunction, LazyNormals, LazyUniforms
from dpmatrix.randomness.lazy_entries import LazyMultiples

HALF = 2**63


class DigitScript:
    """Gives one word to all variates, then digits that are all zero or all one for some calls, then a seed's."""

    private = False
    description = "script"

    def __init__(self, word, *, ones=False, calls=2):
        self.word, self.ones, self.calls = word, ones, calls
        self.rest = SeededEntropy(99)

    def words(self, count):
        """Give the word again and again."""
        return np.full(count, self.word, dtype=np.uint64)

    def bits(self, count):
        """Give the next digits."""
        self.calls -= 1
        if self.calls < 0:
            return self.rest.bits(count)
        return 2**count - 1 if self.ones else 0


def just_below_half():
    return DigitScript(HALF - 1, ones=True)


def just_above_half():
    return DigitScript(HALF)


class Known:
    """Probabilities that are numbers."""

    def __init__(self, *values):
        self.shape = (len(values),)
        self.values = values

    def approximate(self):
        """Round each to the nearest float."""
        return FloatBalls.enclosing([arb(value.numerator) / value.denominator for value in self.values], self.shape)

    def refine(self, bits, entries):
        """Do nothing."""

    def enclose(self, entries):
        """Divide."""
        return [arb(self.values[index].numerator) / self.values[index].denominator for index in entries]


@pytest.mark.parametrize("filtered", [True, False])
@pytest.mark.parametrize("grid", [Fraction(1, 3), Fraction(1, 2**30), Fraction(7), Fraction(1, 2**60)])
def test_no_further_digit_changes_a_rounding(grid, filtered):
    normals = LazyNormals((3, 4), SeededEntropy(7))
    rounded = round_to_grid(normals, grid, filtered=filtered)
    completions = [0, 2**64 - 1, SeededEntropy(8).bits(64), SeededEntropy(9).bits(64)]
    with mpmath.workprec(800):
        for completion in completions:
            expected = []
            for pair in range(6):
                u, v = (lazy.digits(pair) for lazy in (normals.radial, normals.angular))
                u, v = (mpmath.mpf(2 * (known << 64 | completion) + 1) / 2 ** (bits + 65) for known, bits in (u, v))
                radius = mpmath.sqrt(-2 * mpmath.log(u)) * grid.denominator / grid.numerator
                expected += [radius * mpmath.cos(2 * mpmath.pi * v), radius * mpmath.sin(2 * mpmath.pi * v)]
            assert rounded.ravel().tolist() == [int(mpmath.nint(value)) for value in expected]


@pytest.mark.parametrize("first_bits", [1, 64, 128, 1000])
def test_first_bits_change_no_rounding_of_given_digits(first_bits):
    # Two calls of digits are spent before the uniform is told from 1/2; binary64 sees exactly 1/2 in both cases.
    for script, expected in ((just_below_half(), 0), (just_above_half(), 1)):
        uniforms = LazyUniforms((1, 1), script)
        assert round_to_grid(uniforms, Fraction(1), first_bits=first_bits)[0, 0] == expected
        known, bits = uniforms.digits(0)
        assert bits > 64
        assert float(Fraction(known, 2**bits)) == 0.5


def test_filter_and_balls_agree_on_the_same_digits():
    # Near 2**-46 a good part of the entries is left to balls, near 2**-20 none.
    for exponent, least, most in ((-20, 1.0, 1.0), (-46, 0.2, 0.95), (-70, 0.0, 0.0)):
        grid = Fraction(2) ** exponent
        normals = LazyNormals((40, 50), SeededEntropy(11))
        multiples, decided = nearest_multiples(normals.approximate(), grid)
        assert least <= np.mean(decided) <= most
        exact = round_to_grid(normals, grid, filtered=False)
        assert (multiples[decided] == exact[decided]).all()
        assert (round_to_grid(normals, grid) == exact).all()


def test_a_filter_without_its_radius_is_wrong_somewhere():
    normals = LazyNormals((100, 100), SeededEntropy(12))
    grid = Fraction(1, 2**50)
    balls = normals.approximate()
    careless, _ = nearest_multiples(FloatBalls.exactly(balls.center), grid)
    assert (careless != round_to_grid(normals, grid)).any()


@pytest.mark.parametrize("grid", [Fraction(1, 2**1000), Fraction(2**1000), Fraction(1, 2**1100)])
def test_grids_beyond_the_floats_are_left_to_balls(grid):
    normals = LazyNormals((2, 2), SeededEntropy(13))
    _, decided = nearest_multiples(normals.approximate(), grid)
    assert not decided.any()
    rounded = round_to_grid(normals, grid)
    assert all(abs(int(value)) * grid < 100 for value in rounded.ravel())


def test_large_multiples_are_left_to_balls():
    _, decided = nearest_multiples(FloatBalls.exactly(np.array([2.0**50, 2.0**50 + 1, -(2.0**51)])), Fraction(1))
    assert decided.tolist() == [True, False, False]


def test_digits_that_touch_zero_are_refined_until_the_logarithm_is_finite():
    exponentials = LazyExponentials((1, 1), DigitScript(0, calls=3))
    # The first 512 digits are zero, so -log U > 512 log 2 = 354.9.
    assert round_to_grid(exponentials, Fraction(1))[0, 0] >= 355


def test_digits_that_touch_one_are_refined():
    normals = LazyNormals((1, 2), DigitScript(2**64 - 1, ones=True))
    assert round_to_grid(normals, Fraction(1, 2**20)).tolist() == [[0, 0]]


def test_an_exact_tie_is_undecided_and_an_exact_integer_is_not():
    half = arb_mat(1, 1, [arb((1, -1))])
    blurred = LazyFunction((1, 1), lambda: half + arb_mat(1, 1, [arb(0, 1e-30)]), lambda _: None)
    with pytest.raises(UndecidedError):
        round_to_grid(blurred, Fraction(1))
    assert round_to_grid(LazyFunction((1, 1), lambda: 6 * half, lambda _: None), Fraction(1)).tolist() == [[3]]


@pytest.mark.parametrize("grid", [Fraction(0), Fraction(-1, 2)])
def test_grid_must_be_positive(grid):
    with pytest.raises(InvalidParameterError, match="grid"):
        round_to_grid(LazyNormals((1, 1), SeededEntropy(0)), grid)


@pytest.mark.parametrize("filtered", [True, False])
def test_acceptance_is_decided_at_the_last_digit(filtered):
    for script, expected in ((just_below_half(), True), (just_above_half(), False)):
        assert accepted(Known(Fraction(1, 2)), script, filtered=filtered).tolist() == [expected]
        # The digits of the script are used up: it was not decided earlier.
        assert script.calls < 0


def test_certain_events_are_certain():
    answers = accepted(Known(*[Fraction(0), Fraction(1), Fraction(-1), Fraction(2)] * 1000), SeededEntropy(1))
    assert answers.tolist() == [False, True, False, True] * 1000


@pytest.mark.parametrize(
    ("probability", "accepts"), [(Fraction(1, 3), True), (Fraction(1, 3) + Fraction(1, 50), False)]
)
def test_acceptance_has_the_stated_probability(probability, accepts):
    # Hoeffding with error 1e-10: 0.0077 for 200,000 draws; the control is 0.02 away.
    answers = accepted(Known(*[probability] * 200_000), SeededEntropy(21))
    radius = np.sqrt(np.log(2e10) / (2 * 200_000))
    assert bool(abs(np.mean(answers) - 1 / 3) <= radius) is accepts


def test_acceptance_of_random_probabilities_agrees_with_and_without_the_filter():
    # exp(-E) is uniform: accepted with probability 1/2 (Hoeffding, error 1e-10).
    def decide(filtered):
        uniforms = LazyUniforms((2000,), SeededEntropy(22))
        return accepted(uniforms, SeededEntropy(23), filtered=filtered)

    assert (decide(True) == decide(False)).all()
    assert abs(np.mean(decide(True)) - 0.5) <= np.sqrt(np.log(2e10) / 4000)


@pytest.mark.parametrize("filtered", [True, False])
def test_integers_beyond_64_bits_are_those_of_python(filtered):
    known = LazyMultiples(np.array([[2**40, 2**62], [-(2**63), 5]], dtype=object), Fraction(1))
    assert rounded_integers(known, Fraction(1), filtered=filtered).dtype == np.int64
    assert rounded_integers(known, Fraction(1), filtered=filtered).tolist() == [[2**40, 2**62], [-(2**63), 5]]
    doubled = rounded_integers(known, Fraction(1, 2), filtered=filtered)
    assert doubled.tolist() == [[2**41, 2**63], [-(2**64), 10]]
    assert all(type(value) is int for value in doubled.flat)
    assert round_to_grid(known, Fraction(1), filtered=filtered).dtype == object
