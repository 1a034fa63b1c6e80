"""Sums of Gaussian densities over the integers: enclosed by Euler and Maclaurin, and added up term by term."""

from __future__ import annotations

import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.exact import precision
from dpmatrix.privacy.profiles.lattice_sums import LARGE_VARIANCE, _euler_maclaurin, upper_sum


@pytest.mark.parametrize("variance", [fmpq(30), fmpq(LARGE_VARIANCE + 1), fmpq(20001, 7)])
def test_euler_maclaurin_encloses_exact_sums(variance):
    """Against sums added up term by term with a certified rest, at starts up to v, at 66 and 300 bits."""
    for bits in (66, 300):
        with precision(bits):
            reach = int(30 * float(variance) ** 0.5 * (bits / 66) ** 0.5)
            terms = [(-arb(k * k) / (2 * arb(variance))).exp() for k in range(reach)]
            beyond = (-(arb(reach) ** 2) / (2 * arb(variance))).exp() / (1 - (-arb(reach) / arb(variance)).exp())
            tails = {reach: beyond.union(arb(0))}
            for k in range(reach - 1, -1, -1):
                tails[k] = tails[k + 1] + terms[k]
            top = min(int(variance), reach // 3)
            for start in {0, 1, 2, top // 3, top // 2, top}:
                found = _euler_maclaurin(start, variance)
                assert found.overlaps(tails[start])
                assert found.rel_accuracy_bits() > bits - 30
                assert not found.overlaps(tails[start + 1])


@pytest.mark.parametrize("variance", [fmpq(1, 2), fmpq(1), fmpq(3)])
def test_the_rest_of_euler_maclaurin_counts_where_the_series_diverges(variance):
    """Little variance, where the series never gets small: a ball that excludes the truth would mean a wrong rest."""
    for bits in (10, 20, 66):
        with precision(bits):
            for start in (0, 1, 3):
                found = _euler_maclaurin(start, variance)
                with precision(200):
                    exact = sum((_term(k, variance) for k in range(start, 60)), arb(0, 1e-40))
                assert found.contains(exact)
                assert found.rad() > 1e-8  # so the rest is what makes it true


def test_two_ways_to_add_up_agree_beyond_the_change():
    for variance in (fmpq(LARGE_VARIANCE), fmpq(LARGE_VARIANCE) + fmpq(1, 10**6)):
        for start in (0, 1, 17, 500, LARGE_VARIANCE - 1, LARGE_VARIANCE, LARGE_VARIANCE + 2, 10**4):
            assert upper_sum(start, variance).overlaps(upper_sum(start + 1, variance) + _term(start, variance))


def _term(k: int, variance: fmpq) -> arb:
    return (-arb(k * k) / (2 * arb(variance))).exp()


def test_hermite_polynomials_are_the_derivatives():
    """The recurrences and signs of the Euler-Maclaurin terms, and the moments of its rest, for the first orders."""
    x, s, y = sympy.symbols("x s y", positive=True)
    density = sympy.exp(-(x**2) / (2 * s**2))
    before, polynomial = sympy.Integer(1), y
    for n in range(1, 7):
        derivative = sympy.diff(density, x, n) / density
        assert sympy.simplify(derivative - (-1) ** n * s**-n * polynomial.subs(y, x / s)) == 0
        before, polynomial = polynomial, sympy.expand(y * polynomial - n * before)
    z = sympy.symbols("z", positive=True)
    for n in range(2, 6):
        moment = sympy.integrate(z**n * sympy.exp(-(z**2) / 2), (z, y, sympy.oo))
        lower = sympy.integrate(z ** (n - 2) * sympy.exp(-(z**2) / 2), (z, y, sympy.oo))
        assert sympy.simplify(moment - y ** (n - 1) * sympy.exp(-(y**2) / 2) - (n - 1) * lower) == 0
