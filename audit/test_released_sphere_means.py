"""The mean of exp(v'Bv) over the sphere is enclosed: a constant of densities, of acceptance and of stated losses.

A ball that misses the constant makes a stated privacy loss too small, or a proposal be kept with another probability.
It is held against closed forms on the line, the circle and around an axis, and against moments that are summed here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import factorial

import mpmath
import pytest
from flint import arb, ctx, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import bingham
from dpmatrix.privacy.bingham import MOST_TERMS, log_bingham_constant

DIGITS = 80
ROTATION = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])


def diagonal(*values: fmpq | int) -> fmpq_mat:
    order = len(values)
    return fmpq_mat(order, order, [fmpq(values[i]) if i == j else fmpq(0) for i, j in product(range(order), repeat=2)])


def real(value: fmpq | int) -> mpmath.mpf:
    exact = fmpq(value)
    return mpmath.mpf(int(exact.p)) / int(exact.q)


def is_about(found: arb, exact: mpmath.mpf, accuracy: float) -> bool:
    """Whether a ball holds a number of 80 digits, and is no wider than it has to be."""
    with mpmath.workdps(DIGITS), precision(300):
        near = arb(arb(mpmath.nstr(exact, DIGITS)), arb(10) ** -60)
        return found.overlaps(near) and float(found.rad()) < accuracy


@pytest.mark.parametrize("value", [0, 3, -7, fmpq(1, 10), 200])
@pytest.mark.parametrize("bits", [53, 200])
def test_on_the_line_the_mean_is_the_exponential(value: fmpq | int, bits: int) -> None:
    width = (1 + abs(float(fmpq(value).p) / float(fmpq(value).q))) * 2.0 ** (8 - bits)
    with precision(bits):
        found = log_bingham_constant(fmpq_mat([[value]]), value)
        assert found.contains(value)
        assert float(found.rad()) <= width
        assert log_bingham_constant(fmpq_mat([[value]])).contains(value)
        assert log_bingham_constant(fmpq_mat([[value]]), value - 1).contains(value)


@pytest.mark.parametrize("bits", [53, 128])
@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 5), (fmpq(-1, 3), fmpq(5, 2)), (-4, -1), (30, 2)])
def test_on_the_circle_it_is_a_bessel_function(first: fmpq | int, second: fmpq | int, bits: int) -> None:
    with mpmath.workdps(DIGITS):
        a, b = real(first), real(second)
        exact = (a + b) / 2 + mpmath.log(mpmath.besseli(0, (a - b) / 2))
    turned = ROTATION * diagonal(first, second) * ROTATION.transpose()
    with precision(bits):
        for matrix in (diagonal(first, second), turned):
            assert is_about(log_bingham_constant(matrix, min(fmpq(first), fmpq(second))), exact, 2.0 ** (16 - bits))


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("value", [fmpq(1, 50), 1, 12, -2])
def test_around_an_axis_it_is_a_confluent_function(size: int, value: fmpq | int) -> None:
    with mpmath.workdps(DIGITS):
        exact = mpmath.log(mpmath.hyp1f1(0.5, mpmath.mpf(size) / 2, real(value)))
    found = log_bingham_constant(diagonal(value, *[0] * (size - 1)))
    assert is_about(found, exact, 1e-11)


def mean(values: Sequence[int], terms: int = 60) -> mpmath.mpf:
    """Sum moments of a diagonal form: those of v_i^2 are Dirichlet's, with parameters one half."""
    with mpmath.workdps(DIGITS):
        half = [mpmath.mpf(1)]
        for order in range(terms):
            half.append(half[-1] * (mpmath.mpf(1) / 2 + order))
        # Coefficients of the product of the series of one coordinate each.
        series = [mpmath.mpf(1)] + [mpmath.mpf(0)] * terms
        for value in values:
            own = [half[order] * mpmath.mpf(value) ** order / factorial(order) for order in range(terms + 1)]
            series = [sum(series[k] * own[order - k] for k in range(order + 1)) for order in range(terms + 1)]
        return sum(
            coefficient / mpmath.rf(mpmath.mpf(len(values)) / 2, order) for order, coefficient in enumerate(series)
        )


@pytest.mark.parametrize("values", [(1, 2, 3), (2, -1, 1, 1), (3, 0, 3, -2, 1), (-1, -1, -2), (1, 1, 1, 1, 1, 4)])
def test_it_is_the_sum_of_its_moments(values: tuple[int, ...]) -> None:
    with mpmath.workdps(DIGITS):
        exact = mpmath.log(mean(values))
    for shift in (0, min(values), fmpq(1, 3)):
        assert is_about(log_bingham_constant(diagonal(*values), shift), exact, 1e-9)


def test_a_shift_changes_nothing_but_the_width() -> None:
    matrix = fmpq_mat([[2, 1, 0], [1, -3, fmpq(1, 2)], [0, fmpq(1, 2), 0]])
    with precision(200):
        narrow = log_bingham_constant(matrix, -3)
    best = log_bingham_constant(matrix, -3)
    for shift in (0, 5, fmpq(-7, 3), -3):
        assert log_bingham_constant(matrix, shift).contains(narrow)
    assert best.rad() < log_bingham_constant(matrix, 5).rad(), "terms of both signs cancel"
    unshifted, zero = log_bingham_constant(matrix), log_bingham_constant(matrix, 0)
    assert (unshifted.mid(), unshifted.rad()) == (zero.mid(), zero.rad())


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("bits", [7, 8, 9, 11, 13, 15])
def test_few_bits_hold_the_constant_as_well(bits: int, size: int) -> None:
    """Where all terms are sums of few powers of two, the rest of the series is all that keeps the ball from missing."""
    for power in range(2, 7):
        for factor in (1, 3, -1, -3):
            value = fmpq(factor, 2**power)
            with mpmath.workdps(DIGITS):
                exact = mpmath.log(mpmath.hyp1f1(0.5, mpmath.mpf(size) / 2, real(value)))
            with precision(bits):
                found = log_bingham_constant(diagonal(value, *[0] * (size - 1)))
            assert is_about(found, exact, 4.0)


@pytest.mark.parametrize(("value", "bits"), [(fmpq(1, 4), 7), (fmpq(1, 8), 7), (fmpq(1, 8), 8)])
def test_few_bits_leave_few_roundings_and_the_rest(value: fmpq, bits: int) -> None:
    """On the line, where three terms are enough: the ball is no wider than three units of its last digit."""
    with precision(bits):
        found = log_bingham_constant(fmpq_mat([[value]]))
    assert is_about(found, real(value), 3 * 2.0**-bits)


# The rest of the series


@pytest.mark.parametrize("values", [(1, 0), (3, -2), (fmpq(-1, 7), fmpq(1, 7), fmpq(1, 9)), (0, 0, -50), (5,)])
def test_the_bound_of_the_norm_is_that_of_a_mean(values: tuple[fmpq | int, ...]) -> None:
    """The trace of the 16th power of B is between the 16th power of the norm and d times it."""
    norm = max(abs(fmpq(value)) for value in values)
    bound = bingham._spectral_bound(diagonal(*values))
    assert bound >= arb(norm)
    assert bound <= arb(len(values)).root(16) * arb(norm) * (1 + arb(2) ** -40)
    trace = sum((fmpq(value) ** 16 for value in values), fmpq(0))
    assert (bound**16).overlaps(arb(trace) * (1 + arb(0, 1e-12)))
    assert bingham._spectral_bound(diagonal(*[0] * len(values))) == 0


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_the_bound_of_the_norm_of_equal_entries_is_their_sum(size: int) -> None:
    for entry in (fmpq(-2), fmpq(1, 10**30), fmpq(10**30)):
        bound = bingham._spectral_bound(fmpq_mat(size, size, [entry] * size**2))
        norm = arb(abs(entry) * size)
        assert bound >= norm
        assert bound <= norm * (1 + arb(2) ** -40)


@pytest.mark.parametrize("bits", [12, 53, 100])
@pytest.mark.parametrize("bound", [0, fmpq(1, 100), fmpq(1, 3), 1, fmpq(7, 2), 60])
def test_as_many_terms_as_the_rest_asks_for(bound: fmpq | int, bits: int) -> None:
    """From 2 bound + 2 terms on the rest is below 2^-prec exp(-bound), and eight terms less would not do."""
    with precision(bits):
        terms = bingham._terms(arb(bound))
    with precision(200):
        ball = arb(bound)
        target = (-ball).exp() * arb(2) ** (-bits)
        least = 2 + int((2 * ball).ceil().upper().fmpz())
        assert terms >= least
        assert (terms - least) % 8 == 0
        rest = sum((ball**order / arb(order).fac() for order in range(terms, terms + 300)), arb(0))
        assert rest <= bingham._tail(ball, terms)
        assert bingham._tail(ball, terms) < target * (1 + arb(2) ** (4 - bits))
        assert terms == least or bingham._tail(ball, terms - 8) >= target * (1 - arb(2) ** (4 - bits))
        # Also where the rest is nearly as large as its bound: from twice as many terms on as the bound.
        if bound:
            assert (bingham._tail(ball, terms) * arb(terms).fac() / ball**terms).overlaps(arb(2))
        assert bingham._tail(arb(0), terms) == 0


@pytest.mark.parametrize("terms", [2, 3, 10, 50, 400])
def test_the_rest_of_the_series_is_at_most_its_bound(terms: int) -> None:
    """Half as large as the number of terms, the exponent makes the rest nearly twice its first term."""
    with precision(400):
        for bound in (Fraction(terms, 2), Fraction(terms, 3), Fraction(1, 7)):
            ball = arb(fmpq(bound.numerator, bound.denominator))
            rest = sum((ball**order / arb(order).fac() for order in range(terms, terms + 900)), arb(0))
            assert rest <= bingham._tail(ball, terms)


# Refusals


@pytest.mark.parametrize("matrix", [fmpq_mat(0, 0), fmpq_mat([[0, 1], [2, 0]]), fmpq_mat([[1, 2]])])
def test_what_is_empty_or_not_symmetric_is_refused(matrix: fmpq_mat) -> None:
    with pytest.raises(InvalidParameterError, match="symmetric"):
        log_bingham_constant(matrix)


def test_a_series_that_is_too_long_is_refused_and_the_cap_is_given_back() -> None:
    before = ctx.cap
    for size in (1, 2):
        with pytest.raises(InvalidParameterError, match="scale the exponent down"):
            log_bingham_constant(diagonal(*[MOST_TERMS] * size))
    assert bingham._terms(arb(MOST_TERMS // 8)) <= MOST_TERMS
    log_bingham_constant(diagonal(1, 0))
    assert ctx.cap == before
