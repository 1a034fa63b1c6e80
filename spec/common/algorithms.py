"""What the lines of several algorithms do: symmetric noise, second moments, records on a grid, rounding, eigenvectors.

An algorithm is a function of its inputs and of its draws: where a line draws, the function asks a source, which is
given the parameter of the law and how many variates, and returns them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from flint import acb, acb_mat, arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.exact import Exact, ball, rational

Number = TypeVar("Number")
Reals: TypeAlias = Callable[[arb, int], Sequence[int | fmpq | arb]]
"""A source of real variates of a law with this parameter, as many as asked for."""

Rationals: TypeAlias = Callable[[fmpq, int], Sequence[Exact]]
"""The same for a law whose parameter is rational, and variates that are given as rational numbers."""

Integers: TypeAlias = Callable[[fmpq, int], Sequence[int]]
"""A source of integers of a law with this parameter, as many as asked for."""


def entries_of_triangle(order: int) -> int:
    """How many entries of a d x d matrix are on or above the diagonal."""
    return (order * order + order) // 2


def symmetric(order: int, upper: Sequence[Number]) -> list[list[Number]]:
    """Rows of the symmetric matrix with these entries on and above the diagonal, row by row; the rest is copied.

    Raises
    ------
    ValueError
        If there are not d (d + 1)/2 of them.
    """
    if len(upper) != entries_of_triangle(order):
        raise ValueError(f"{len(upper)} draws do not fill the upper triangle of order {order}")
    places = dict(zip(_triangle(order), upper, strict=True))
    return [[places[min(i, j), max(i, j)] for j in range(order)] for i in range(order)]


def _triangle(order: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(order) for j in range(i, order)]


def second_moment(data: fmpq_mat) -> fmpq_mat:
    """``XX'/n`` of records in columns, d x n."""
    return data * data.transpose() / fmpq(data.ncols())


def bounded(data: fmpq_mat, norm_bound: Exact = 1) -> fmpq_mat:
    """The records, in columns, if none is longer than the bound.

    Raises
    ------
    ValueError
        If one is.
    """
    squares = data.transpose() * data
    if any(squares[i, i] > rational(norm_bound) * rational(norm_bound) for i in range(data.ncols())):
        raise ValueError(f"a record is longer than {norm_bound}")
    return data


def truncated(data: fmpq_mat, unit: Exact) -> fmpq_mat:
    """Every entry cut towards zero to a multiple of the unit."""
    return fmpq_mat(data.nrows(), data.ncols(), [_whole_units(entry, rational(unit)) for entry in data.entries()])


def _whole_units(entry: fmpq, unit: fmpq) -> fmpq:
    count = fmpq((abs(entry) / unit).floor())
    return (count if entry >= 0 else -count) * unit


def rounded_up(value: arb, digits: int) -> fmpq:
    """The least multiple of ``2^-digits`` that is not below a real number.

    Raises
    ------
    ValueError
        If the ball leaves open which one it is.
    """
    above = (value * arb(2) ** digits).ceil()
    if not above.is_exact():
        raise ValueError(f"{value} leaves its {digits}th binary digit open")
    return fmpq(above.fmpz()) / fmpq(2) ** digits


def nearest(matrix: arb_mat, grid: Exact) -> fmpz_mat:
    """The nearest multiples of the grid, as integers.

    Raises
    ------
    ValueError
        If a ball leaves open which one it is.
    """
    floors = [(entry / ball(grid) + ball(fmpq(1, 2))).floor() for entry in matrix.entries()]
    if not all(floor.is_exact() for floor in floors):
        raise ValueError("an entry may be nearest to either of two grid points")
    return fmpz_mat(matrix.nrows(), matrix.ncols(), [floor.fmpz() for floor in floors])


def leading_eigenvectors(matrix: arb_mat, k: int, *, by_modulus: bool = False) -> arb_mat:
    """Unit eigenvectors of the k greatest eigenvalues of a symmetric matrix, as the columns of a d x k matrix.

    The sign of each is that of a column of its projector vv'.

    Parameters
    ----------
    matrix, k
        The matrix, d x d, and how many eigenvectors.
    by_modulus
        Whether the eigenvalues of greatest modulus are meant, which are the singular values.

    Raises
    ------
    ValueError
        If the eigenvalues are not told apart.
    """
    values, right = acb_mat(matrix).eig(right=True)
    sizes = [float((abs(value) if by_modulus else value.real).mid()) for value in values]
    order = sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)
    columns = [_unit(right, number) for number in order[:k]]
    return arb_mat([[column[i] for column in columns] for i in range(matrix.nrows())])


def _unit(right: acb_mat, number: int) -> list[arb]:
    """Scale an eigenvector to length 1; what it was multiplied with drops out of its projector."""
    vector = [right[i, number] for i in range(right.nrows())]
    length = sum((entry * entry for entry in vector), acb(0))
    largest = max(range(len(vector)), key=lambda i: float(abs(vector[i]).mid()))
    projected = [(entry * vector[largest] / length).real for entry in vector]
    return [entry / projected[largest].sqrt() for entry in projected]
