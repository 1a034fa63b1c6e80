"""The normalising constant of the Bingham law against closed forms on the line, the circle and around an axis."""

from __future__ import annotations

from itertools import product

import mpmath
import pytest
from flint import arb, ctx, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.privacy import bingham
from dpmatrix.privacy.bingham import MOST_TERMS, log_bingham_constant

DIGITS = 60
ROTATION = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])


def diagonal(*values: fmpq | int) -> fmpq_mat:
    order = len(values)
    return fmpq_mat(order, order, [fmpq(values[i]) if i == j else fmpq(0) for i, j in product(range(order), repeat=2)])


def real(value: fmpq | int) -> mpmath.mpf:
    exact = fmpq(value)
    return mpmath.mpf(int(exact.p)) / int(exact.q)


def is_about(found: arb, exact: mpmath.mpf, accuracy: float) -> bool:
    """Whether a ball holds a number of 60 digits, and is no wider than it has to be."""
    with mpmath.workdps(DIGITS):
        return found.contains(arb(mpmath.nstr(exact, DIGITS))) and float(found.rad()) < accuracy


@pytest.mark.parametrize("value", [0, 3, -7, fmpq(1, 10), 200])
@pytest.mark.parametrize("bits", [53, 200])
def test_on_the_line_the_mean_is_the_exponential(value, bits) -> None:
    with precision(bits):
        found = log_bingham_constant(fmpq_mat([[value]]), value)
        assert found.contains(value)
        assert float(found.rad()) <= (1 + abs(float(fmpq(value).p) / float(fmpq(value).q))) * 2.0 ** (8 - bits)
        assert log_bingham_constant(fmpq_mat([[value]])).contains(value)


@pytest.mark.parametrize("bits", [53, 128])
@pytest.mark.parametrize(("first", "second"), [(1, 0), (0, 5), (fmpq(-1, 3), fmpq(5, 2)), (-4, -1), (30, 2)])
def test_on_the_circle_it_is_a_bessel_function(first, second, bits) -> None:
    with mpmath.workdps(DIGITS):
        a, b = real(first), real(second)
        exact = (a + b) / 2 + mpmath.log(mpmath.besseli(0, (a - b) / 2))
    turned = ROTATION * diagonal(first, second) * ROTATION.transpose()
    with precision(bits):
        for matrix in (diagonal(first, second), turned):
            assert is_about(log_bingham_constant(matrix, min(fmpq(first), fmpq(second))), exact, 2.0 ** (16 - bits))


@pytest.mark.parametrize("size", [2, 3, 4, 7])
@pytest.mark.parametrize("value", [fmpq(1, 50), 1, 12, -2])
def test_around_an_axis_it_is_a_confluent_function(size, value) -> None:
    with mpmath.workdps(DIGITS):
        exact = mpmath.log(mpmath.hyp1f1(0.5, mpmath.mpf(size) / 2, real(value)))
    found = log_bingham_constant(diagonal(value, *[0] * (size - 1)))
    assert is_about(found, exact, 1e-11)


def test_a_shift_changes_nothing_but_the_width() -> None:
    matrix = fmpq_mat([[2, 1, 0], [1, -3, fmpq(1, 2)], [0, fmpq(1, 2), 0]])
    best = log_bingham_constant(matrix, -3)
    for shift in (0, 5, fmpq(-7, 3)):
        assert log_bingham_constant(matrix, shift).overlaps(best)
    assert best.rad() < log_bingham_constant(matrix, 5).rad(), "terms of both signs cancel"


@pytest.mark.parametrize("values", [(1, 0), (3, -2), (fmpq(-1, 7), fmpq(1, 7), fmpq(1, 9)), (0, 0, -50)])
def test_the_bound_of_the_norm_is_that_of_a_mean(values) -> None:
    """The trace of the 16th power of B is between the 16th power of the norm and d times it."""
    matrix, norm = diagonal(*values), max(abs(fmpq(value)) for value in values)
    bound = bingham._spectral_bound(matrix)
    assert bound >= arb(norm)
    assert bound <= arb(len(values)).root(16) * arb(norm) * (1 + arb(2) ** -40)
    assert bingham._spectral_bound(diagonal(0, 0)) == 0


@pytest.mark.parametrize("size", [2, 3, 5])
def test_the_bound_of_the_norm_of_ones_is_their_number(size) -> None:
    """Entries of one, of which the norm is the size and the trace of the 16th power the 16th power of it."""
    bound = bingham._spectral_bound(fmpq_mat(size, size, [fmpq(-2)] * size**2))
    assert bound >= 2 * size
    assert bound <= 2 * size * (1 + arb(2) ** -40)


@pytest.mark.parametrize("bits", [53, 100])
@pytest.mark.parametrize("bound", [0, fmpq(1, 100), fmpq(1, 3), 1, fmpq(7, 2), 60])
def test_as_many_terms_as_the_rest_asks_for(bound, bits) -> None:
    """From 2 bound + 2 terms on the rest is below 2^-prec exp(-bound), and eight terms less would not do."""
    with precision(bits):
        ball = arb(bound)
        target, terms = (-ball).exp() * arb(2) ** (-bits), bingham._terms(ball)
        least = 2 + int((2 * ball).ceil().upper().fmpz())
        assert terms >= least
        assert (terms - least) % 8 == 0
        rest = sum((ball**order / arb(order).fac() for order in range(terms, terms + 200)), arb(0))
        assert rest <= bingham._tail(ball, terms)
        assert bingham._tail(ball, terms) < target
        assert terms == least or bingham._tail(ball, terms - 8) >= target
        if bound:
            assert (bingham._tail(ball, terms) * arb(terms).fac() / ball**terms).overlaps(arb(2))


def test_no_shift_is_the_shift_by_nothing() -> None:
    matrix = fmpq_mat([[2, 1], [1, fmpq(1, 3)]])
    found, expected = log_bingham_constant(matrix), log_bingham_constant(matrix, 0)
    assert (found.mid(), found.rad()) == (expected.mid(), expected.rad())
    assert log_bingham_constant(matrix, 1).rad() != expected.rad()


def test_a_series_that_is_cut_early_still_holds_the_value(monkeypatch) -> None:
    """Twice as many terms as the norm leave a rest that is seen, and the ball reaches over it."""
    exact = log_bingham_constant(diagonal(3, 0, 0), 0)
    monkeypatch.setattr(bingham, "_terms", lambda bound: int((2 * bound).ceil().upper().fmpz()))
    found = log_bingham_constant(diagonal(3, 0, 0), 0)
    assert found.contains(exact)
    assert 0.01 < float(found.rad()) < 1


def test_the_largest_number_of_terms_is_allowed_and_one_less_would_refuse(monkeypatch) -> None:
    terms = bingham._terms(arb(5))
    assert terms > 12, "more than at the start"
    monkeypatch.setattr(bingham, "MOST_TERMS", terms)
    assert bingham._terms(arb(5)) == terms
    monkeypatch.setattr(bingham, "MOST_TERMS", terms - 1)
    with pytest.raises(InvalidParameterError, match="matrix"):
        bingham._terms(arb(5))


@pytest.mark.parametrize("matrix", [fmpq_mat(0, 0), fmpq_mat([[0, 1], [2, 0]]), fmpq_mat([[1, 2]])])
def test_no_symmetric_matrix_is_refused(matrix) -> None:
    with pytest.raises(InvalidParameterError, match="symmetric"):
        log_bingham_constant(matrix)


def test_a_series_that_is_too_long_is_refused_and_the_cap_is_given_back() -> None:
    before = ctx.cap
    with pytest.raises(InvalidParameterError, match="scale the exponent down"):
        log_bingham_constant(diagonal(MOST_TERMS, 0))
    assert bingham._terms(arb(MOST_TERMS // 8)) <= MOST_TERMS
    log_bingham_constant(diagonal(1, 0))
    assert ctx.cap == before
