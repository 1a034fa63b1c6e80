"""Rényi curves and their conversion: parameters from their definitions, the best order, its limits, and refusals."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import (
    bounded_range_rho,
    concentrated,
    discrete_gaussian_rho,
    gaussian_rho,
    laplace_renyi,
    pure_rho,
    renyi_delta,
    renyi_epsilon,
)


def real(value):
    return mpmath.mpf(value.numerator) / value.denominator


def logarithm(order, curve, epsilon):
    """Return the logarithm of exp((a - 1)(curve - epsilon)) (1 - 1/a)^a / (a - 1)."""
    return (order - 1) * (curve - epsilon) + order * mpmath.log(1 - 1 / order) - mpmath.log(order - 1)


def golden(function, lower, upper):
    """Return the least value of a function that falls and then rises, by golden sections."""
    share = (mpmath.sqrt(5) - 1) / 2
    for _ in range(250):
        left, right = upper - share * (upper - lower), lower + share * (upper - lower)
        lower, upper = (lower, right) if function(left) < function(right) else (left, upper)
    return function(lower)


@pytest.mark.parametrize("sensitivity", [0, Fraction(2, 3), 3])
@pytest.mark.parametrize("noise", [Fraction(1, 2), 5])
def test_rho_of_each_noise_is_its_definition(sensitivity, noise) -> None:
    size, scale = Fraction(sensitivity), Fraction(noise)
    rho = size**2 / (2 * scale**2)
    found = gaussian_rho(sensitivity, noise)
    assert abs(found - fmpq(rho.numerator, rho.denominator)) < 1e-12
    assert abs(pure_rho(sensitivity) * 2 - arb(fmpq(size.numerator, size.denominator)) ** 2) < 1e-12
    assert abs(bounded_range_rho(sensitivity) * 8 - arb(fmpq(size.numerator, size.denominator)) ** 2) < 1e-12
    assert discrete_gaussian_rho(6, noise) == 3 / scale
    assert discrete_gaussian_rho(0, noise) == 0
    assert abs(concentrated(noise)(Fraction(7, 2)) - arb(7) / 2 * fmpq(scale.numerator, scale.denominator)) < 1e-12


@pytest.mark.parametrize("order", [Fraction(11, 10), Fraction(3), Fraction(60)])
@pytest.mark.parametrize(("sensitivity", "scale"), [(0, 1), (Fraction(1, 2), 3), (5, 2)])
def test_the_laplace_curve_is_the_formula_of_mironov(sensitivity, scale, order) -> None:
    with mpmath.workdps(60):
        a, level = real(order), real(Fraction(sensitivity) / scale)
        inner = a / (2 * a - 1) * mpmath.exp((a - 1) * level) + (a - 1) / (2 * a - 1) * mpmath.exp(-a * level)
        assert float(laplace_renyi(sensitivity, scale)(order)) == pytest.approx(
            float(mpmath.log(inner) / (a - 1)), rel=1e-12, abs=1e-14
        )


CURVES = {
    "concentrated": (concentrated(Fraction(1, 3)), lambda order: order / 3),
    "constant": (lambda _: arb(2), lambda _: mpmath.mpf(2)),
}


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(3, 2)])
def test_delta_is_the_least_over_all_orders(name, epsilon) -> None:
    curve, values = CURVES[name]
    with mpmath.workdps(40):
        exact = golden(
            lambda exponent: logarithm(1 + 2**exponent, values(1 + 2**exponent), real(epsilon)),
            mpmath.mpf(-40),
            mpmath.mpf(80),
        )
        expected = min(mpmath.mpf(1), mpmath.exp(exact))
    found = renyi_delta(curve, epsilon)
    assert found.is_exact()
    assert float(found) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.parametrize("delta", [Fraction(1, 1000), Fraction(1, 10**9), Fraction(1, 10**40)])
def test_epsilon_is_the_least_over_all_orders(name, delta) -> None:
    curve, values = CURVES[name]

    def bound(exponent):
        order = 1 + mpmath.mpf(2) ** exponent
        return values(order) + (logarithm(order, 0, 0) - mpmath.log(real(delta))) / (order - 1)

    with mpmath.workdps(60):
        expected = float(golden(bound, mpmath.mpf(-40), mpmath.mpf(80)))
    assert float(renyi_epsilon(curve, delta)) == pytest.approx(expected, rel=1e-12)


def test_an_epsilon_is_never_below_zero() -> None:
    found = renyi_epsilon(concentrated(Fraction(1, 10**9)), Fraction(9, 10))
    assert found == 0
    assert renyi_epsilon(lambda _: arb(0), Fraction(1, 2)) == 0


def test_orders_are_sought_up_to_one_and_two_to_the_80() -> None:
    """Where nothing leaks the largest order is the best: (a - 1) epsilon, and log(a - 1) + 1 from the other factors."""
    found = -renyi_delta(lambda _: arb(0), 1).log()
    assert abs(found / arb(2) ** 80 - 1) < 1e-12


def test_orders_are_sought_down_to_one_and_two_to_the_minus_40() -> None:
    """At x = a - 1 near zero a constant curve c gives x (c + log x - 1), which is least at log x = -c."""
    with precision(200), mpmath.workdps(50):
        order = 1 + mpmath.mpf(2) ** -40
        expected = logarithm(order, 28, 0)
        assert mpmath.exp(-28) < order - 1
        found = renyi_delta(lambda _: arb(28), 0).log()
        assert float(found) == pytest.approx(float(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: gaussian_rho(-1, 1), "sensitivity"),
        (lambda: gaussian_rho(1, 0), "standard_deviation"),
        (lambda: discrete_gaussian_rho(1, 0), "variance"),
        (lambda: discrete_gaussian_rho(-1, 1), "squared_sensitivity"),
        (lambda: discrete_gaussian_rho(Fraction(1, 2), 1), "squared_sensitivity"),
        (lambda: pure_rho(-1), "epsilon"),
        (lambda: bounded_range_rho(-1), "width"),
        (lambda: concentrated(-1), "rho"),
        (lambda: laplace_renyi(-1, 1), "sensitivity"),
        (lambda: laplace_renyi(1, 0), "scale"),
        (lambda: renyi_delta(concentrated(1), -1), "epsilon"),
        (lambda: renyi_epsilon(concentrated(1), 0), "delta"),
        (lambda: renyi_epsilon(concentrated(1), 1), "delta"),
        (lambda: renyi_epsilon(concentrated(1), float("nan")), "delta"),
    ],
)
def test_what_is_refused_is_named(call, name) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        call()
    assert caught.value.parameter == name
