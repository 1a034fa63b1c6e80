"""The two directions of one record of a sketch, and the chain for two, against integrals and closed forms."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq

from dpmatrix.exact import rational
from dpmatrix.privacy import Adjacency, SketchProfile
from dpmatrix.privacy.profiles.chain import replacement_bound
from dpmatrix.privacy.profiles.sketch import narrow_against_wide, wide_against_narrow

REPLACE = Adjacency.REPLACE_ONE


def real(value):
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("divergence", [narrow_against_wide, wide_against_narrow])
def test_sketches_without_a_record_are_the_same(divergence) -> None:
    assert divergence(fmpq(1, 3), fmpq(0), 4).is_zero()


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("inflation", [Fraction(1, 10), Fraction(3)])
def test_sketches_against_integrals_of_two_gamma_densities(inflation, rows) -> None:
    half, spread = mpmath.mpf(rows) / 2, 1 + real(inflation)

    def narrow(t):
        return t ** (half - 1) * mpmath.exp(-t) / mpmath.gamma(half)

    cut = spread / (spread - 1) * half * mpmath.log(spread)
    distance = mpmath.quad(lambda t: narrow(t) - narrow(t / spread) / spread, [0, cut / 2, cut])
    for divergence in (narrow_against_wide, wide_against_narrow):
        assert abs(float(divergence(fmpq(0), rational(inflation), rows)) - float(distance)) < 1e-8


@pytest.mark.parametrize("epsilon", [Fraction(1, 50), Fraction(1, 2), Fraction(2)])
@pytest.mark.parametrize("inflation", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_sketches_of_two_rows_have_closed_forms(inflation, epsilon) -> None:
    """Half the sum of two squares is exponential, of mean 1 or 1 + l, so that every probability is a power of e."""
    spread, weight = 1 + real(inflation), mpmath.exp(real(epsilon))
    cut = spread / (spread - 1) * (mpmath.log(spread) - real(epsilon))
    shrinking = (1 - mpmath.exp(-cut)) - weight * (1 - mpmath.exp(-cut / spread)) if cut > 0 else mpmath.mpf(0)
    cut = spread / (spread - 1) * (mpmath.log(spread) + real(epsilon))
    growing = mpmath.exp(-cut / spread) - weight * mpmath.exp(-cut)
    found = narrow_against_wide(rational(epsilon), rational(inflation), 2)
    assert float(found) == pytest.approx(float(shrinking), rel=1e-9)
    assert found.is_zero() == (cut <= 0 or shrinking == 0)
    assert float(wide_against_narrow(rational(epsilon), rational(inflation), 2)) == pytest.approx(
        float(growing), rel=1e-9
    )


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1)])
def test_one_row_that_a_long_record_is_added_to(epsilon) -> None:
    """The record is ten times as long as the floor, so that one covariance is 101 times the other."""
    found, at = SketchProfile(1, 1, 10).delta(epsilon), rational(epsilon)
    assert found.overlaps(wide_against_narrow(at, fmpq(100), 1).max(narrow_against_wide(at, fmpq(100), 1)))


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(2)])
def test_two_records_of_a_sketch_are_bounded_by_the_chain(epsilon) -> None:
    inflation, at = fmpq(4, 9), rational(epsilon)
    profile = SketchProfile(4, 3, 2, REPLACE)
    bound = replacement_bound(
        at,
        at,
        lambda part: wide_against_narrow(part, inflation, 4),
        lambda part: narrow_against_wide(part, inflation, 4),
    )
    found, one = profile.delta(epsilon), SketchProfile(4, 3, 2).delta(epsilon)
    assert abs(found.upper() - bound.upper()) < arb(1e-9)
    assert abs(found.lower() - one.lower()) < arb(1e-9)
    assert one.overlaps(wide_against_narrow(at, inflation, 4).max(narrow_against_wide(at, inflation, 4)))
    assert not profile.is_exact
