"""The Loewner order, exactly for rationals and with three answers for balls."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.claims import Truth
from dpmatrix.errors import InvalidParameterError
from dpmatrix.spec.common.spectra import nonnegative_spectrum
from dpmatrix.streaming import positive_semidefinite, precedes

SMALL = st.integers(-3, 3)


def symmetric(entries: list[int], order: int) -> fmpq_mat:
    places = iter(entries)
    matrix = fmpq_mat(order, order)
    for i in range(order):
        for j in range(i + 1):
            matrix[i, j] = matrix[j, i] = fmpq(next(places), 2)
    return matrix


@settings(max_examples=300, deadline=None)
@given(st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.lists(SMALL, min_size=10, max_size=10))))
def test_rationals_agree_with_the_signs_of_the_characteristic_polynomial(case) -> None:
    order, entries = case
    matrix = symmetric(entries, order)
    expected = Truth.TRUE if nonnegative_spectrum(matrix) >= 0 else Truth.FALSE
    assert positive_semidefinite(matrix) is expected
    assert positive_semidefinite(matrix * matrix) is Truth.TRUE
    answer = positive_semidefinite(arb_mat(matrix))
    assert answer in {expected, Truth.UNDECIDED}, "balls around exact entries never contradict"


def test_singular_matrices_are_decided_exactly() -> None:
    vector = fmpq_mat([[fmpq(1, 3), fmpq(2, 7), -1]])
    outer = vector.transpose() * vector
    assert positive_semidefinite(outer) is Truth.TRUE
    assert precedes(outer, outer) is Truth.TRUE
    tiny = fmpq(1, 10**40)
    assert positive_semidefinite(outer - tiny * fmpq_mat([[1, 0, 0], [0, 0, 0], [0, 0, 0]])) is Truth.FALSE
    assert positive_semidefinite(fmpq_mat([[0, 1], [1, 0]])) is Truth.FALSE, "a zero diagonal with something beside it"
    assert positive_semidefinite(fmpq_mat(2, 2)) is Truth.TRUE


def test_balls_may_be_undecided() -> None:
    wide = arb(0, 1e-9)
    assert positive_semidefinite(arb_mat([[1 + wide, wide], [wide, 1 + wide]])) is Truth.TRUE
    assert positive_semidefinite(arb_mat([[1, wide], [wide, wide]])) is Truth.UNDECIDED
    assert positive_semidefinite(arb_mat([[wide, 1], [1, wide]])) is Truth.FALSE
    assert positive_semidefinite(arb_mat([[1, 2 + wide], [2 + wide, 1]])) is Truth.FALSE
    assert precedes(arb_mat([[wide]]), arb_mat([[wide]])) is Truth.UNDECIDED


def test_a_minor_of_two_by_two_decides_where_no_pivot_is_certain() -> None:
    for small, large in ((0, 1), (1, 0)):
        sides = {small: arb(0, 0.01), large: arb(0, 10)}
        for beside in (1, -1):
            matrix = arb_mat([[sides[0], beside], [beside, sides[1]]])
            assert positive_semidefinite(matrix) is Truth.FALSE, "a product below 0.1, less one"
    tiny = arb(0, 1e-9)
    # What the first pivot leaves beside the diagonal is -1.
    assert positive_semidefinite(fmpq_mat([[4, 2, 2], [2, 1, 0], [2, 0, 1]])) is Truth.FALSE
    assert positive_semidefinite(arb_mat([[4, 2, 2], [2, 1 + tiny, 0], [2, 0, 1 + tiny]])) is Truth.FALSE
    assert positive_semidefinite(arb_mat([[tiny, tiny], [tiny, tiny]])) is Truth.UNDECIDED
    assert positive_semidefinite(arb_mat([[0, 0, tiny], [0, 0, tiny], [tiny, tiny, tiny]])) is Truth.UNDECIDED


@pytest.mark.parametrize(
    ("entries", "radius"),
    [([[34, 15, 10], [15, 10, 5], [10, 5, 5]], 0.5), ([[73, 70, 6], [70, 72, 6], [6, 6, 5]], 0.5)],
)
def test_the_largest_pivot_keeps_balls_narrow(entries, radius) -> None:
    """From the last or the least entry on, what is left would be too wide for an answer."""
    matrix = arb_mat([[arb(entry, radius) for entry in line] for line in entries])
    assert positive_semidefinite(matrix) is Truth.TRUE


@settings(max_examples=100, deadline=None)
@given(st.lists(SMALL, min_size=6, max_size=6), st.integers(0, 8))
def test_a_certain_answer_for_balls_holds_at_their_centres_and_corners(entries, exponent) -> None:
    centre = symmetric(entries, 3)
    radius = Fraction(1, 2**exponent)
    boxes = arb_mat([[arb(centre[i, j], float(radius)) for j in range(3)] for i in range(3)])
    answer = positive_semidefinite(boxes)
    for sign in (-1, 0, 1):
        step = fmpq(sign * radius.numerator, radius.denominator)
        corner = fmpq_mat([[centre[i, j] + step for j in range(3)] for i in range(3)])
        if answer is not Truth.UNDECIDED:
            assert positive_semidefinite(corner) is answer


def test_refuses_what_is_not_symmetric() -> None:
    with pytest.raises(InvalidParameterError, match="square"):
        positive_semidefinite(fmpq_mat([[1, 2]]))
    with pytest.raises(InvalidParameterError, match="symmetric"):
        positive_semidefinite(fmpq_mat([[1, 2], [3, 4]]))
