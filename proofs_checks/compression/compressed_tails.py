"""Constants and tails of compressed rows, for the evidence on `compression`; mpmath, at its working precision."""

from __future__ import annotations

import mpmath


def first_constant() -> mpmath.mpf:
    return 4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi)


def second_constant() -> mpmath.mpf:
    return mpmath.sqrt(8) * mpmath.e


def squared_constant() -> mpmath.mpf:
    """``C^2 = 2 (C_1 + C_2)``."""
    return 2 * (first_constant() + second_constant())


def logarithm(records: int, columns: int) -> mpmath.mpf:
    """``ln 2np``."""
    return mpmath.log(2 * records * columns)


def least_rows(records: int, columns: int) -> int:
    """Return the least number of rows above ``2 (C_1 + C_2) ln 2np``."""
    with mpmath.workdps(40):
        return int(squared_constant() * logarithm(records, columns)) + 1


def chi_square_tails(m: int, tau: mpmath.mpf) -> mpmath.mpf:
    """``Pr(|chi^2_m / m - 1| >= tau)``."""
    half = mpmath.mpf(m) / 2
    above = mpmath.gammainc(half, half * (1 + tau), mpmath.inf, regularized=True)
    return above + (mpmath.gammainc(half, 0, half * (1 - tau), regularized=True) if tau < 1 else 0)
