"""Small rational matrices, drawn, and factorisations A = S M S^-1 of them."""

from __future__ import annotations

import random

from flint import fmpq, fmpq_mat

from dpmatrix.spec.analyze_gauss.eigenvalues import Factorisation


def drawn(draws: random.Random, rows: int, columns: int) -> fmpq_mat:
    return fmpq_mat(rows, columns, [fmpq(draws.randint(-4, 4), draws.randint(1, 3)) for _ in range(rows * columns)])


def unit(order: int) -> fmpq_mat:
    return fmpq_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])


def similar(draws: random.Random, middle: fmpq_mat) -> Factorisation:
    frame = drawn(draws, middle.nrows(), middle.nrows())
    while frame.det() == 0:
        frame = drawn(draws, middle.nrows(), middle.nrows())
    return Factorisation(frame * middle * frame.inv(), frame, middle)
