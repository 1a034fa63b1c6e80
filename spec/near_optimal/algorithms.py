"""Algorithms 1 and 2, line by line, and what is run in their place; records are the columns of X, d x n (section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flint import arb, arb_mat, fmpq_mat, fmpz_mat

from dpmatrix.exact import Exact, precision, rational, square
from dpmatrix.spec.common.algorithms import (
    Integers,
    Reals,
    bounded,
    entries_of_triangle,
    leading_eigenvectors,
    nearest,
    rounded_up,
    second_moment,
    symmetric,
    truncated,
)
from dpmatrix.spec.near_optimal.noise import noise_times_records

_DIGITS = 32
"""Binary digits after the point of the deviation that is run, in units of the grid."""

Bingham: TypeAlias = Callable[[fmpq_mat, int], arb_mat]
"""A source of d x k matrices V with V'V = I and a density proportional to exp(tr V'BV), given B and k."""


def algorithm_1(data: fmpq_mat, epsilon: Exact, delta: Exact, k: int, normal: Reals) -> arb_mat:
    """MOD-SULQ, as printed but for k, which is no input there: Vhat_k, d x k.

    Parameters
    ----------
    data, epsilon, delta, k
        The inputs.
    normal
        Source of variates of N(0, v), given v.

    Raises
    ------
    ValueError
        If A + N has eigenvalues that are not told apart.
    """
    d, n = data.nrows(), data.ncols()
    moment = second_moment(data)  # line 1: A = XX'/n
    beta = noise_times_records(d, epsilon, delta) / n  # line 2: (5)
    noise = arb_mat(symmetric(d, normal(square(beta), entries_of_triangle(d))))  # line 2: N symmetric
    return leading_eigenvectors(arb_mat(moment) + noise, k)  # line 3: V_k(A + N)


def algorithm_1_repaired(
    data: fmpq_mat, epsilon: Exact, delta: Exact, discrete_gaussian: Integers, unit: Exact
) -> fmpq_mat:
    """What is run for it: short records on a grid, integer noise. The matrix is published, and so are its vectors.

    Parameters
    ----------
    data, epsilon, delta
        The inputs.
    discrete_gaussian
        Source of integers j with probability proportional to exp(-j^2/2v), given v.
    unit
        Spacing of the grid of the coordinates.

    Raises
    ------
    ValueError
        If a record is longer than 1.
    """
    d, spacing = data.nrows(), rational(unit) ** 2
    kept = truncated(bounded(data), unit)  # input, changed: |x_i| <= 1, coordinates on a grid
    with precision(256):
        deviation = rounded_up(noise_times_records(d, epsilon, delta) / arb(spacing), _DIGITS)  # line 2: n beta
    noise = fmpq_mat(symmetric(d, discrete_gaussian(deviation**2, entries_of_triangle(d)))) * spacing  # line 2, changed
    return second_moment(kept) + noise / data.ncols()  # lines 1 and 3


def algorithm_2(data: fmpq_mat, epsilon: Exact, k: int, bingham: Bingham) -> arb_mat:
    """PPCA, as printed: Vhat_k, d x k.

    Parameters
    ----------
    data, epsilon, k
        The inputs.
    bingham
        Source of one draw.
    """
    moment = second_moment(data)  # line 1: A = XX'/n
    return bingham(moment * (data.ncols() * rational(epsilon) / 2), k)  # line 2: BMF(n (epsilon/2) A)


def algorithm_2_repaired(data: fmpq_mat, epsilon: Exact, bingham: Bingham, unit: Exact, grid: Exact) -> fmpz_mat:
    """What is run for it at k = 1: short records on a grid, and the direction rounded; in units of the grid.

    Raises
    ------
    ValueError
        If a record is longer than 1, or the draw is not known well enough to be rounded.
    """
    return nearest(algorithm_2(truncated(bounded(data), unit), epsilon, 1, bingham), grid)
