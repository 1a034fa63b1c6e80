"""Calibration: safe, and within the tolerance of the minimal noise."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import (
    Adjacency,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    WishartProfile,
    calibrate,
    calibrate_gaussian,
    calibrate_laplace,
    calibrate_wishart,
    frobenius_sensitivity,
    l1_sensitivity,
    meets,
)

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
GUARANTEES = [
    PrivacyGuarantee(epsilon, delta, relation)
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(8))
    for delta in (Fraction(1, 10), Fraction(1, 10**6), Fraction(1, 10**300))
    for relation in Adjacency
]


@pytest.mark.parametrize("guarantee", GUARANTEES, ids=str)
def test_the_answer_is_safe_and_one_percent_less_is_not_known_to_be(guarantee):
    families = [
        (lambda scale: LaplaceProfile(3, scale), calibrate_laplace(3, guarantee)),
        (lambda scale: GaussianProfile(3, scale), calibrate_gaussian(3, guarantee)),
    ]
    for dimension, degrees in ((1, 2), (3, 4), (3, 8)):
        families.append(
            (
                lambda scale, d=dimension, m=degrees: WishartProfile(d, m, scale, 1, guarantee.adjacency),
                calibrate_wishart(dimension, degrees, guarantee),
            )
        )
    for family, scale in families:
        assert isinstance(scale, Fraction)
        assert meets(family(scale), guarantee)
        assert not meets(family(scale * Fraction(99, 100)), guarantee)


def test_exact_profiles_certainly_fail_one_percent_below():
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), REPLACE)
    scale = calibrate_gaussian(1, guarantee) * Fraction(99, 100)
    assert GaussianProfile(1, scale).delta(1) > arb(fmpq(1, 10**6))


def test_an_interval_has_to_meet_the_guarantee_with_its_upper_end():
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), REPLACE)
    scale = calibrate_wishart(3, 50, guarantee)
    interval = WishartProfile(3, 50, scale).delta(1)
    assert interval.upper() <= arb(fmpq(1, 10**6))
    assert not meets(WishartProfile(3, 50, scale * Fraction(9, 10)), guarantee)
    assert meets(WishartProfile(3, 50, scale * Fraction(9, 10), adjacency=ADD_REMOVE), guarantee)


def test_least_wishart_noise_has_a_closed_form():
    """At m = d + 1, 1 - exp(-1 / 2c) = delta."""
    delta = Fraction(1, 10**5)
    exact = -1 / (2 * (1 - arb(fmpq(1, 10**5))).log())
    scale = calibrate_wishart(4, 5, PrivacyGuarantee(1, delta, REPLACE), tolerance=Fraction(1, 10**9))
    found = arb(fmpq(scale.numerator, scale.denominator))
    assert exact < found < exact * (1 + arb(10) ** -8)


def test_pure_laplace_is_exact():
    assert calibrate_laplace(Fraction(3, 7), PrivacyGuarantee(Fraction(1, 3), 0, REPLACE)) == Fraction(9, 7)
    whole = calibrate(lambda scale: LaplaceProfile(3, scale), PrivacyGuarantee(1, 0, REPLACE))
    assert 3 <= whole <= Fraction(3) * Fraction(101, 100)


def test_irrational_sensitivities_are_taken_at_their_upper_end():
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), REPLACE)
    l2, l1 = frobenius_sensitivity(4, REPLACE), l1_sensitivity(3, REPLACE)
    deviation, scale = calibrate_gaussian(l2, guarantee), calibrate_laplace(l1, PrivacyGuarantee(1, 0, REPLACE))
    assert meets(GaussianProfile(l2, deviation), guarantee)
    assert l1 <= arb(fmpq(scale.numerator, scale.denominator))


def test_printed_gaussian_constant_is_more_than_needed_at_epsilon_one():
    """`wishart.theorem-2` asks for c with c^2 > 2 ln(1.25/delta); at epsilon = 1 the least deviation is smaller."""
    delta = Fraction(1, 10**6)
    printed = (2 * (arb(fmpq(5, 4) * 10**6)).log()).sqrt()
    least = calibrate_gaussian(1, PrivacyGuarantee(1, delta, REPLACE))
    assert arb(fmpq(least.numerator, least.denominator)) < printed * arb(0.9)


def test_noise_without_pure_privacy_says_so():
    with pytest.raises(InvalidParameterError, match="delta"):
        calibrate_gaussian(1, PrivacyGuarantee(1, 0, REPLACE))
    with pytest.raises(InvalidParameterError, match="delta"):
        calibrate_wishart(2, 3, PrivacyGuarantee(1, 0, REPLACE))


@pytest.mark.parametrize("size", [Fraction(1, 2**900), 2**64, 2**900])
def test_the_least_noise_scales_with_the_sensitivity(size):
    guarantee = PrivacyGuarantee(1, Fraction(1, 10**6), REPLACE)
    assert calibrate_gaussian(size, guarantee) == size * calibrate_gaussian(1, guarantee)
    assert calibrate_laplace(size, guarantee) == size * calibrate_laplace(1, guarantee)
    assert calibrate_wishart(3, 9, guarantee, size) == size * calibrate_wishart(3, 9, guarantee)


@pytest.mark.parametrize("unit", [0, -1, float("inf")])
def test_a_bad_unit_is_refused(unit):
    with pytest.raises(InvalidParameterError, match="unit"):
        calibrate(lambda scale: LaplaceProfile(3, scale), PrivacyGuarantee(1, 0, REPLACE), unit=unit)


def test_impossible_and_trivial_guarantees_are_refused():
    for family in (lambda scale: GaussianProfile(1, scale), lambda scale: LaplaceProfile(0, scale)):
        with pytest.raises(InvalidParameterError, match="guarantee"):
            calibrate(family, PrivacyGuarantee(1, 0, REPLACE))


@pytest.mark.parametrize("tolerance", [0, -1, float("nan")])
def test_a_bad_tolerance_is_refused(tolerance):
    with pytest.raises(InvalidParameterError, match="tolerance"):
        calibrate_gaussian(1, PrivacyGuarantee(1, Fraction(1, 10), REPLACE), tolerance)


@pytest.mark.parametrize("sensitivity", [0, -1, float("nan"), arb(0, 1)])
def test_a_bad_sensitivity_is_refused(sensitivity):
    for calibration in (calibrate_gaussian, calibrate_laplace):
        with pytest.raises(InvalidParameterError, match="sensitivity"):
            calibration(sensitivity, PrivacyGuarantee(1, Fraction(1, 10), REPLACE))
