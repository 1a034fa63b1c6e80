"""The density of a difference of Wishart matrices is what its definition gives, so that a loss is what it says.

A loss that is told too small makes a guarantee of too little noise. The definition is integrated in polar coordinates
around both apexes, which leaves an integral over an angle that mpmath takes to 40 digits. Nothing is statistical.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.mechanisms.symmetrised_wishart_density import log_density

ONE, THIRD, SMALL, LARGE = Fraction(1), Fraction(1, 3), Fraction(2, 700), Fraction(50)
Entries = tuple[fmpq | int, fmpq | int, fmpq | int]


def by_definition(entries: Entries, scale: Fraction) -> Any:
    """Compute the logarithm of the density at an indefinite matrix of shape (2, 2), less that at zero.

    ``W = [[t + x, y], [y, t - x]]`` is above both matrices where t is at least r, the distance of (x, y) from zero, and
    ``t_0 + s``, s that from the place of N. An integral over t leaves ``exp(-2 max(r, t_0 + s)/c)`` over the plane.
    Where r is the larger, it exceeds ``(rho^2 - t_0^2) / 2 (rho cos a - t_0)`` in direction a; where it is the smaller,
    s does so with -t_0 in the place of t_0. An integral over the length leaves one over the direction.
    """
    n11, n12, n22 = (mpmath.mpf(int(fmpq(entry).p)) / int(fmpq(entry).q) for entry in entries)
    c = mpmath.mpf(scale.numerator) / scale.denominator
    height, distance = (n11 + n22) / 2, mpmath.hypot((n11 - n22) / 2, n12)

    def beyond(level: Any) -> Any:
        def tail(angle: Any) -> Any:
            room = distance * mpmath.cos(angle) - level
            if room <= 0:
                return mpmath.mpf(0)
            least = (distance**2 - level**2) / (2 * room)
            return c / 2 * (least + c / 2) * mpmath.exp(-2 * least / c)

        return 2 * mpmath.quad(tail, mpmath.linspace(0, mpmath.acos(level / distance), 9))

    whole = beyond(height) + mpmath.exp(-2 * height / c) * beyond(-height)
    return height / c + mpmath.log(whole / (2 * mpmath.pi * (c / 2) ** 2))


INDEFINITE: list[Entries] = [
    (3, 1, -2),
    (fmpq(1, 2), 2, 1),
    (1, fmpq(1, 3), fmpq(-1, 7)),
    (-5, fmpq(1, 2), 2),
    (0, 1, 0),
    (2, 0, -2),
    (4, 0, fmpq(-1, 9)),
    (fmpq(1, 9), 0, -4),
    (-3, 4, -5),
]


@pytest.mark.parametrize("scale", [ONE, THIRD, Fraction(7, 2)], ids=str)
@pytest.mark.parametrize("entries", INDEFINITE, ids=str)
def test_the_density_at_an_indefinite_matrix_is_that_of_the_definition(entries: Entries, scale: Fraction) -> None:
    n11, n12, n22 = entries
    found = log_density(fmpq_mat([[n11, n12], [n12, n22]]), scale)
    assert float(found.rad()) < 1e-30
    with mpmath.workdps(40):
        mantissa, exponent = found.mid().man_exp()
        value = mpmath.mpf(int(mantissa)) * mpmath.mpf(2) ** int(exponent)
        assert abs(value - by_definition(entries, scale)) < mpmath.mpf(10) ** -25


@pytest.mark.parametrize("scale", [SMALL, ONE, LARGE], ids=str)
def test_the_density_is_even_and_does_not_know_directions(scale: Fraction) -> None:
    """Also for scales at which the plain Bessel functions are as small as no float."""
    matrix = fmpq_mat([[3, 1], [1, -2]])
    turned = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
    value = log_density(matrix, scale)
    assert float(value.rad()) < 1e-25
    for other in (-matrix, turned * matrix * turned.transpose()):
        assert abs(float(value - log_density(other, scale))) < 1e-25
    # Less than the nuclear norm, which is the square root of 29, and more than that of each part.
    assert -(29**0.5) / float(2 * scale) < float(value) < 0


@pytest.mark.parametrize("scale", [SMALL, THIRD, ONE, LARGE], ids=str)
@pytest.mark.parametrize(
    "rows",
    [
        [[0]],
        [[5]],
        [[fmpq(1, 3)]],
        [[0, 0], [0, 0]],
        [[2, 1], [1, fmpq(1, 2)]],
        [[2, 1], [1, 7]],
        [[1, 0, 0], [0, 0, 0], [0, 0, 2]],
        [[2, -1, 0], [-1, 2, -1], [0, -1, 2]],
    ],
    ids=str,
)
def test_the_density_at_a_semidefinite_matrix_is_that_of_its_trace(rows: list[list[Any]], scale: Fraction) -> None:
    """In every dimension, and on either side of zero."""
    matrix = fmpq_mat(rows)
    trace = sum((fmpq(row[place]) for place, row in enumerate(rows)), fmpq(0))
    expected = -trace * fmpq(scale.denominator, 2 * scale.numerator)
    for one in (matrix, -matrix):
        found = log_density(one, scale)
        with precision(400):
            assert found.contains(expected)
        assert float(found.rad()) <= 1e-40 * (1 + abs(float(found)))


@pytest.mark.parametrize("rows", [[[1, 0, 0], [0, -1, 0], [0, 0, 0]], [[1, 2, 0], [2, 1, 0], [0, 0, 5]]])
def test_an_indefinite_matrix_of_more_than_two_dimensions_has_no_known_density(rows: list[list[int]]) -> None:
    larger = fmpq_mat(4, 4, [rows[i][j] if max(i, j) < 3 else 0 for i in range(4) for j in range(4)])
    for matrix in (fmpq_mat(rows), larger):
        with pytest.raises(InvalidParameterError, match=r"^output: .* no form of the density is known for d >= 3"):
            log_density(matrix, ONE)
