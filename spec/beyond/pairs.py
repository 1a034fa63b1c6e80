"""Semidefinite pairs and the parts of their difference, exactly or enclosed."""

from __future__ import annotations

from collections.abc import Sequence

from flint import arb, fmpq, fmpq_mat

from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.spectra import eigenvalues, trace


def outer(record: Sequence[Exact], divisor: Exact = 1) -> fmpq_mat:
    """``vv' / n``."""
    entries = [rational(entry) for entry in record]
    return fmpq_mat(len(entries), len(entries), [a * b for a in entries for b in entries]) / rational(divisor)


def squared_norm(record: Sequence[Exact]) -> arb:
    """``|v|^2``, exact."""
    return arb(sum((rational(entry) ** 2 for entry in record), fmpq(0)))


def larger_trace(first: fmpq_mat, second: fmpq_mat) -> arb:
    """``max(tr P, tr Q)``, exact."""
    return arb(max(trace(first), trace(second)))


def is_semidefinite(matrix: fmpq_mat) -> bool:
    """Whether a rational M is symmetric without a negative eigenvalue: det(t I + M) has no negative coefficient."""
    return matrix == matrix.transpose() and all(entry >= 0 for entry in (-matrix).charpoly().coeffs())


def signed_traces(matrix: fmpq_mat) -> tuple[arb, arb]:
    """``tr N_+`` and ``tr N_-`` of a symmetric rational matrix: its eigenvalues above and below zero, by size."""
    values = eigenvalues(matrix)
    zero = arb(0)
    return sum((value.max(zero) for value in values), zero), sum(((-value).max(zero) for value in values), zero)
