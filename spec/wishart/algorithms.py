"""Algorithms 1 and 2, line by line, and what is run in their place; records are the columns of X, d x n (section 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flint import arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.sensitivity import nuclear_sensitivity
from dpmatrix.spec.common.algorithms import (
    Integers,
    Rationals,
    bounded,
    entries_of_triangle,
    nearest,
    second_moment,
    symmetric,
    truncated,
)

Wishart: TypeAlias = Callable[[int, fmpq], arb_mat]
"""A source of variates of W_d(m, cI), given m and c."""


def algorithm_1(data: fmpq_mat, epsilon: Exact, laplace: Rationals) -> fmpq_mat:
    """Laplace input perturbation, as printed.

    Parameters
    ----------
    data, epsilon
        The inputs.
    laplace
        Source of variates of Lap(0, b), given b.
    """
    d, n = data.nrows(), data.ncols()
    draws = laplace(fmpq(2 * d, n) / rational(epsilon), entries_of_triangle(d))  # line 2: Lap(0, 2d/(n epsilon))
    noise = fmpq_mat(symmetric(d, [rational(draw) for draw in draws]))  # line 2: above the diagonal, copied below
    moment = second_moment(data)  # line 3: A = XX'/n
    return moment + noise  # lines 4, 5: A + L


def algorithm_1_repaired(data: fmpq_mat, epsilon: Exact, discrete_laplace: Integers, unit: Exact) -> fmpq_mat:
    """What is run for it: short records on a grid, integer noise.

    Parameters
    ----------
    data, epsilon
        The inputs.
    discrete_laplace
        Source of integers k with probability proportional to exp(-|k|/t), given t.
    unit
        Spacing of the grid of the coordinates.

    Raises
    ------
    ValueError
        If a record is longer than 1.
    """
    d, n = data.nrows(), data.ncols()
    kept = truncated(bounded(data), unit)  # line 1, changed: |x_i| <= 1, coordinates on a grid
    spacing = rational(unit) ** 2 / n
    draws = discrete_laplace(fmpq(2 * d, n) / rational(epsilon) / spacing, entries_of_triangle(d))  # line 2, changed
    noise = fmpq_mat(symmetric(d, draws)) * spacing
    return second_moment(kept) + noise  # lines 3 to 5


def algorithm_2(data: fmpq_mat, epsilon: Exact, wishart: Wishart) -> arb_mat:
    """Wishart input perturbation, as printed; it is not private, see ``wishart.theorem-4``.

    Parameters
    ----------
    data, epsilon
        The inputs.
    wishart
        Source of one d x d variate.
    """
    d, n = data.nrows(), data.ncols()
    noise = wishart(d + 1, fmpq(3, 2 * n) / rational(epsilon))  # line 2: W_d(d + 1, C), C = 3/(2 n epsilon) I
    moment = second_moment(data)  # line 3: A = XX'/n
    return arb_mat(moment) + noise  # lines 4, 5: A + W


def algorithm_2_repaired(data: fmpq_mat, epsilon: Exact, wishart: Wishart, grid: Exact) -> fmpz_mat:
    """What is run for it: short records, and the output rounded; in units of the grid. As private as the printed one.

    Raises
    ------
    ValueError
        If a record is longer than 1, or the draw is not known well enough to be rounded.
    """
    return nearest(algorithm_2(bounded(data), epsilon, wishart), grid)  # lines 1 and 5, changed


def theorem_4_repaired(
    data: fmpq_mat,
    epsilon: Exact,
    wishart: Wishart,
    unit: Exact,
    grid: Exact,
    adjacency: Adjacency = Adjacency.REPLACE_ONE,
) -> fmpz_mat:
    """What has the guarantee of Theorem 4: the difference of two variates, rounded; in units of the grid.

    Parameters
    ----------
    data, epsilon
        The inputs.
    wishart
        Source of d x d variates, asked twice.
    unit
        Spacing of the grid of the coordinates.
    grid
        Spacing of what is published.
    adjacency
        Neighbouring relation.

    Raises
    ------
    ValueError
        If a record is longer than 1, or a draw is not known well enough to be rounded.
    """
    d, n = data.nrows(), data.ncols()
    kept = truncated(bounded(data), unit)
    sensitivity = fmpq(nuclear_sensitivity(d, adjacency).fmpz())
    scale = sensitivity / (2 * n * rational(epsilon))
    added, subtracted = wishart(d + 1, scale), wishart(d + 1, scale)
    return nearest(arb_mat(second_moment(kept)) + added - subtracted, grid)
