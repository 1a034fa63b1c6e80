"""The transformation (4) and Procedure 4.1, line by line, and what is run in their place; records are rows of X, n x p.

Procedure 4.2 is the law of the output of Procedure 4.1, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.exact import Exact, ball
from dpmatrix.spec.common.algorithms import nearest
from dpmatrix.spec.compression.transformation import squared_columns
from dpmatrix.spec.compression.truncated_mass import TruncationSetting, threshold

Normals: TypeAlias = Callable[[fmpq, int], Sequence[arb]]
"""A source of variates of N(0, v), given v, as many as asked for."""


def transformation(data: fmpq_mat, m: int, normal: Normals) -> arb_mat:
    """Compress a database, as printed: Phi X, m x p.

    Parameters
    ----------
    data, m
        X, and the number of rows of Phi.
    normal
        Source of the entries of Phi, row by row.
    """
    n, p = data.nrows(), data.ncols()
    scale = [(n / arb(square)).sqrt() for square in squared_columns(data)]
    wide = arb_mat(data)
    normalised = arb_mat(n, p, [wide[i, j] * scale[j] for i in range(n) for j in range(p)])  # |X_j|^2 = n
    phi = arb_mat(m, n, normal(fmpq(1, n), m * n))  # entries N(0, 1/n)
    return phi * normalised


def admitted(data: fmpq_mat, m: int) -> fmpq_mat:
    """The data, if they can be compressed to m rows.

    Raises
    ------
    ValueError
        If a column is zero, which cannot be normalised, or m is larger than n.
    """
    if m > data.nrows() or not all(square > 0 for square in squared_columns(data)):
        raise ValueError(f"these data cannot be compressed to {m} rows")
    return data


def transformation_repaired(data: fmpq_mat, m: int, normal: Normals, grid: Exact) -> fmpz_mat:
    """What is run for it: no zero column, m <= n, and the output rounded; in units of the grid.

    Raises
    ------
    ValueError
        If the data cannot be compressed, or the draws are not known well enough to be rounded.
    """
    return nearest(transformation(admitted(data, m), m, normal), grid)


def kept(data: fmpq_mat, output: arb_mat, reference: fmpq_mat, delta_max: Exact) -> bool:
    """(12): every entry of Y'Y/m is within C sqrt(ln 2np / m) + Delta_max of that of Sigma_1.

    Raises
    ------
    ValueError
        If the output is not known well enough to be decided.
    """
    m = output.nrows()
    setting = TruncationSetting(data.nrows(), data.ncols(), m, delta_max)
    radius = threshold(setting) + ball(delta_max)
    gaps = (output.transpose() * output / m - arb_mat(reference)).entries()
    if all(abs(gap) <= radius for gap in gaps):
        return True
    if any(abs(gap) > radius for gap in gaps):
        return False
    raise ValueError("the output may lie on either side of (12)")


def procedure_4_1(data: fmpq_mat, m: int, reference: fmpq_mat, delta_max: Exact, normal: Normals) -> arb_mat:
    """Truncation of the tail, as printed: it may repeat for ever.

    Parameters
    ----------
    data, m
        X, and the number of rows of Phi.
    reference, delta_max
        Sigma_1 and Delta_max.
    normal
        Source of the entries of each Phi, row by row.
    """
    output = transformation(data, m, normal)
    while not kept(data, output, reference, delta_max):  # throw it away
        output = transformation(data, m, normal)  # a new random draw
    return output


def procedure_4_1_repaired(
    data: fmpq_mat, m: int, reference: fmpq_mat, delta_max: Exact, normal: Normals, attempts: int, grid: Exact
) -> fmpz_mat | None:
    """What is run for it: public Sigma_1 and Delta_max, so many attempts, and the output rounded; or None, a refusal.

    Raises
    ------
    ValueError
        If the data cannot be compressed, or the draws are not known well enough.
    """
    for _ in range(attempts):
        output = transformation(admitted(data, m), m, normal)
        if kept(data, output, reference, delta_max):
            return nearest(output, grid)
    return None
