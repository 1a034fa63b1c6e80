"""Exact matrices as sympy has them."""

from __future__ import annotations

import sympy
from flint import fmpq_mat

from dpmatrix.claims.formulas import symbolic


def matrix(values: fmpq_mat) -> sympy.Matrix:
    return sympy.Matrix(values.nrows(), values.ncols(), [symbolic(entry) for entry in values.entries()])
