"""Profiles at a point are one number, and over a ball of parameters they enclose both ends."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import rational
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    SketchProfile,
    WishartProfile,
)
from dpmatrix.privacy.composition import privacy_loss
from dpmatrix.privacy.profiles.chain import replacement_bound
from dpmatrix.privacy.profiles.chi_square import absent_against_present, outside_support, present_against_absent
from dpmatrix.privacy.profiles.enclosure import hull, over_box
from dpmatrix.privacy.profiles.protocol import Direction
from dpmatrix.privacy.profiles.wishart import support_failure

EPSILONS = Fraction(1, 4), Fraction(1, 2)
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
DIVERGENCES = [present_against_absent, absent_against_present]


def between(low: Fraction, high: Fraction) -> arb:
    """Return the ball from low to high, whose middle and radius are binary fractions."""
    middle, radius = (low + high) / 2, abs(high - low) / 2
    return arb(float(middle), float(radius))


def real(value):
    return mpmath.mpf(value.numerator) / value.denominator


def lines(profile):
    """Return delta as a function of a parameter and of epsilon, and two values of the parameter."""
    return {
        "gaussian": (lambda change, at: GaussianProfile(change, 1).delta(at), 1, Fraction(3, 2)),
        "laplace": (lambda change, at: LaplaceProfile(change, 1).delta(at), 1, Fraction(3, 2)),
        "laplace scale": (lambda scale, at: LaplaceProfile(3, scale).delta(at), Fraction(3, 2), 1),
        "discrete laplace": (lambda scale, at: DiscreteLaplaceProfile(3, scale).delta(at), Fraction(3, 2), 1),
        "bounded range": (lambda width, at: BoundedRangeProfile(width).delta(at), 1, Fraction(3, 2)),
        "sketch": (lambda norm, at: SketchProfile(3, 1, norm).delta(at), 1, Fraction(3, 2)),
        "sketch floor": (lambda floor, at: SketchProfile(3, floor, 2).delta(at), Fraction(3, 2), 1),
        "wishart": (lambda norm, at: WishartProfile(3, 6, 1, norm, ADD_REMOVE).delta(at), 2, 3),
        "wishart present": (
            lambda norm, at: WishartProfile(3, 6, 1, norm).hockey_stick(at, Direction.PRESENT_AGAINST_ABSENT),
            2,
            3,
        ),
        "wishart absent": (
            lambda norm, at: WishartProfile(3, 6, 1, norm).hockey_stick(at, Direction.ABSENT_AGAINST_PRESENT),
            2,
            3,
        ),
    }[profile]


def encloses(found: arb, ends: list[arb]) -> bool:
    """Whether a ball reaches both ends, and not much beyond."""
    union = ends[0].union(ends[1])
    return found.overlaps(ends[0]) and found.overlaps(ends[1]) and bool(found.rad() < union.rad() * 1.01)


LINES = "gaussian", "laplace", "laplace scale", "discrete laplace", "bounded range", "sketch", "sketch floor"


@pytest.mark.parametrize("name", [*LINES, "wishart", "wishart present", "wishart absent"])
def test_a_point_gives_a_number_and_a_ball_gives_all_between_its_ends(name) -> None:
    delta, low, high = lines(name)
    for parameter in (low, high):
        for epsilon in EPSILONS:
            assert delta(parameter, epsilon).rel_accuracy_bits() >= 40
        assert encloses(delta(parameter, between(*EPSILONS)), [delta(parameter, epsilon) for epsilon in EPSILONS])
    wide = between(Fraction(low), Fraction(high))
    for epsilon in EPSILONS:
        assert encloses(delta(wide, epsilon), [delta(low, epsilon), delta(high, epsilon)])
    least, largest = delta(low, EPSILONS[1]), delta(high, EPSILONS[0])
    assert least < largest
    assert encloses(delta(wide, between(*EPSILONS)), [least, largest])


def test_a_pure_guarantee_over_a_ball_of_sensitivities() -> None:
    assert LaplaceProfile(Fraction(3, 4), 2).pure_epsilon() == arb(fmpq(3, 8))
    found = LaplaceProfile(between(Fraction(1, 2), Fraction(3, 4)), 2).pure_epsilon()
    assert encloses(found, [arb(0.25), arb(0.375)])


@pytest.mark.parametrize(("smallest", "largest"), [(arb(1), arb(2)), (arb(0), arb(0.5))])
def test_a_hull_of_two_exact_numbers_reaches_both(smallest, largest) -> None:
    assert encloses(hull(smallest, largest), [smallest, largest])
    assert hull(smallest, arb(smallest)).is_exact()
    wide = arb(smallest, 0.25)
    assert hull(wide, wide) is wide


def test_discrete_gaussian_noise_over_a_ball_of_epsilons() -> None:
    profile = DiscreteGaussianProfile(4, 3)
    ends = [profile.delta(epsilon) for epsilon in EPSILONS]
    assert all(end.rel_accuracy_bits() >= 40 for end in ends)
    assert encloses(profile.delta(between(*EPSILONS)), ends)


def test_at_a_point_the_other_corner_is_not_computed() -> None:
    def other() -> arb:
        raise AssertionError("a point has one corner")

    assert over_box(lambda: arb(3), other, is_point=True) == 3
    assert encloses(over_box(lambda: arb(3), lambda: arb(4), is_point=False), [arb(3), arb(4)])


@pytest.mark.parametrize(("degrees", "norm"), [(between(4, 5), 1), (4, between(1, 2)), (between(4, 5), between(1, 2))])
def test_the_mass_outside_a_support_over_balls(degrees, norm) -> None:
    ends = [
        support_failure(3, 5 if isinstance(degrees, arb) else degrees, 1, 1),
        support_failure(3, 4, 1, 2 if isinstance(norm, arb) else norm),
    ]
    assert all(end.rel_accuracy_bits() >= 40 for end in ends)
    assert ends[0] < ends[1]
    assert encloses(support_failure(3, degrees, 1, norm), ends)


def test_one_coordinate_may_change_by_all_of_the_sensitivity() -> None:
    both = LaplaceProfile(1, 2, coordinate_sensitivity=1)
    assert both.delta(0).overlaps(LaplaceProfile(1, 2).delta(0))
    with pytest.raises(InvalidParameterError, match="coordinate_sensitivity"):
        LaplaceProfile(1, 2, coordinate_sensitivity=Fraction(11, 10))
    whole = DiscreteLaplaceProfile(3, 2, coordinate_sensitivity=3)
    assert whole.delta(0).overlaps(DiscreteLaplaceProfile(3, 2).delta(0))
    assert whole.delta(0).rel_accuracy_bits() >= 40


@pytest.mark.parametrize("degrees", [1, Fraction(9, 5), 2, Fraction(11, 5), 5])
@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_a_translate_by_nothing_cannot_be_told_apart(divergence, degrees) -> None:
    assert divergence(fmpq(1, 3), fmpq(0), rational(degrees)).is_zero()
    assert outside_support(fmpq(0), rational(degrees)).is_zero()


@pytest.mark.parametrize("degrees", [Fraction(9, 5), Fraction(11, 5), 3, 4])
@pytest.mark.parametrize("shift", [Fraction(1, 10), Fraction(3, 2)])
@pytest.mark.parametrize("epsilon", [0, Fraction(1, 20), Fraction(1, 10)])
def test_translates_of_gamma_variables_against_integrals_of_their_densities(epsilon, shift, degrees) -> None:
    """A positive part is integrated between the points where it changes its sign, p = k/2 - 1.

    The densities are t^p e^-t over Gamma(k/2). Where the log-ratio x + p log((t - x)/t) is e, t is
    x/(1 - e^((e - x)/p)).
    """
    half, x, weight = real(degrees) / 2, real(shift), mpmath.exp(real(epsilon))

    def density(t):
        return t ** (half - 1) * mpmath.exp(-t) / mpmath.gamma(half)

    def positive_part(first, second, sign):
        value = x - sign * real(epsilon)
        cut = x / (1 - mpmath.exp(-value / (half - 1))) if value / (half - 1) > 0 else x
        pieces = [0, x, max(cut, x + mpmath.mpf("1e-30")), cut + 5, cut + 60]
        return mpmath.quad(lambda t: max(first(t) - weight * second(t), 0), pieces)

    def present(t):
        return density(t - x) if t > x else mpmath.mpf(0)

    expected = {
        present_against_absent: positive_part(present, density, 1),
        absent_against_present: positive_part(density, present, -1),
    }
    for divergence, value in expected.items():
        found = divergence(rational(epsilon), rational(shift), rational(degrees))
        assert abs(float(found) - float(value)) < 1e-6
    assert (
        abs(float(outside_support(rational(shift), rational(degrees))) - float(mpmath.gammainc(half, 0, x, True)))
        < 1e-12
    )


def test_a_bound_by_a_chain_is_never_above_one() -> None:
    """Two divergences of 3/4 add up to more than one; two of 1/40 and 19/20 to something between 9/10 and one."""
    assert replacement_bound(fmpq(0), fmpq(0), lambda _: arb(0.75), lambda _: arb(0.75)) == 1
    found = replacement_bound(fmpq(0), fmpq(0), lambda _: arb(fmpq(1, 40)), lambda _: arb(fmpq(19, 20)))
    assert found.overlaps(arb(fmpq(39, 40)))


def test_the_better_chain_is_the_one_of_the_least_upper_end() -> None:
    """Both balls overlap: through nothing it is 1/4 + e (1 +- 0.9)/100, and through both e is not paid."""
    unsure = arb(0.01, 0.009)
    found = replacement_bound(fmpq(1), fmpq(1), lambda _: arb(0.25), lambda _: unsure)
    assert found.upper() < arb(0.25) + unsure.upper() + 1e-6


def test_a_chain_finds_the_best_split_to_one_part_in_128() -> None:
    """The search halves its interval around the best of the quarters, six times."""
    asked = []

    def vanish(part):
        asked.append(part)
        return (arb(part) - arb(fmpq(2, 7))) ** 2

    found = replacement_bound(fmpq(1), fmpq(1), vanish, lambda _: arb(0))
    assert min(abs(one - other) for one in asked for other in asked if one != other) == fmpq(1, 128)
    assert found < arb(fmpq(1, 256)) ** 2


def test_a_chain_spends_no_more_than_all_of_epsilon_and_no_less_than_none() -> None:
    """A split outside the interval would ask for a divergence at a negative epsilon."""
    asked = []

    def falling(part):
        asked.append(part)
        return (-arb(part)).exp() / 8

    for vanish, appear in ((falling, lambda _: arb(0)), (lambda _: arb(0), falling)):
        replacement_bound(fmpq(1), fmpq(1), vanish, appear)
    assert asked
    assert min(asked) == 0
    assert max(asked) == 1


@pytest.mark.parametrize("excess", [Fraction(-1, 5), Fraction(1, 5)])
def test_two_records_are_bounded_by_the_chain_where_one_does_not_decide(excess) -> None:
    degrees, shift, epsilon = rational(2 + excess), fmpq(1, 2), fmpq(1, 4)
    profile = WishartProfile(2, 3 + excess, 1, 1, REPLACE)
    bound = replacement_bound(
        epsilon,
        epsilon,
        lambda part: present_against_absent(part, shift, degrees),
        lambda part: absent_against_present(part, shift, degrees),
    )
    assert abs(profile.delta(epsilon).upper() - bound.upper()) < arb(1e-9)
    assert profile.delta(epsilon).rel_accuracy_bits() < 40


@pytest.mark.parametrize(("dimension", "degrees"), [(1, 4), (2, 3)])
def test_two_records_are_as_one_on_the_line_and_for_one_degree_more(dimension, degrees) -> None:
    profile = WishartProfile(dimension, degrees, 1, 1, REPLACE)
    ends = [profile.delta(epsilon) for epsilon in EPSILONS]
    assert all(end.rel_accuracy_bits() >= 40 for end in ends)
    wide = profile.delta(between(*EPSILONS))
    assert abs(wide.upper() - ends[0].upper()) < arb(1e-9)


def test_noise_of_hardly_enough_degrees_of_freedom_has_a_density() -> None:
    assert WishartProfile(2, Fraction(21, 20), 1, 1, ADD_REMOVE).delta(1) < 1
    with pytest.raises(InvalidParameterError, match="degrees_of_freedom"):
        WishartProfile(2, 1, 1)


def test_a_composition_counts_what_its_transforms_may_have_lost() -> None:
    """Four transforms, each off by 32 units in the last place in each of its stages, on twice the number of losses."""
    once = privacy_loss(GaussianProfile(1, 4), Fraction(1, 16))
    twice = once.repeated(2)
    stages, norm = math.log2(4 * once.size) + 1, once.norm
    lost = math.sqrt(2 * once.size) * 4 * 16 * 2.0**-52 * stages * norm
    assert once.rounding == 0
    assert twice.rounding == pytest.approx(lost, rel=1e-9, abs=0)
