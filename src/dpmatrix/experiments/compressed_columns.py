"""How many columns the growth conditions of `compression` allow: Theorem 4.6 at its best, all eigenvalues one."""

from __future__ import annotations

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.exact import positive_integer

RECORDS = (10**4, 10**6, 10**9)


@frozen
class AllowedColumns:
    """Largest p for which the bound of Theorem 4.6 on the loss is at most one; 0 if p = 2 is too many.

    Attributes
    ----------
    records
        n.
    gaussian
        With Delta_max = sqrt(log p / n), as in Theorem 3.5.
    binary
        In the binary game, with Delta_max = 2/n and ||Delta||_F = sqrt(2) p / n.
    """

    records: int
    gaussian: int
    binary: int


def loss_bound(records: int, columns: int, *, binary: bool) -> arb:
    """Enclose the bound, its o(1) left out, at Sigma_1 = I with m the larger of C^2 ln(2 n p) and p^2 ln(2 n p).

    Parameters
    ----------
    records, columns
        n and p, positive integers.
    binary
        Whether one row of signs changes, or Delta_max is that of Gaussian rows.
    """
    n, p = positive_integer(records, "records"), positive_integer(columns, "columns")
    constant = 2 * (4 * arb(1).exp() / (6 * arb.pi()).sqrt() + arb(1).exp() * arb(8).sqrt())
    logarithm = arb(2 * n * p).log()
    rows = (constant.max(arb(p * p)) * logarithm).ceil()
    delta_max = arb(fmpq(2, n)) if binary else (arb(p).log() / n).sqrt()
    frobenius = arb(2).sqrt() * arb(fmpq(p, n)) if binary else p * delta_max
    inner = (constant * logarithm / rows).sqrt() + delta_max + 2 * frobenius / p
    return rows * p * frobenius / 2 * inner


def allowed_columns(records: int) -> AllowedColumns:
    """Count up from p = 2 until the bound exceeds one; it increases with p."""
    found = []
    for binary in (False, True):
        columns = 2
        while loss_bound(records, columns, binary=binary) <= 1:
            columns += 1
        found.append(columns - 1 if columns > 2 else 0)
    return AllowedColumns(records, *found)


def columns_table() -> list[AllowedColumns]:
    """Answer for n = 10^4, 10^6 and 10^9."""
    return [allowed_columns(records) for records in RECORDS]
