"""The pair that refutes Theorem 3.5: two columns that are nearly equal, for the evidence on `compression`."""

from __future__ import annotations

from fractions import Fraction

import mpmath

from dpmatrix.claims.formulas import real
from dpmatrix.spec.compression.compressed_growth import GrowthPair
from proofs_checks.exact_matrices import correlated


def nearly_singular(smallness: Fraction, power: int, rows: int) -> GrowthPair:
    """eta^2 = t/(0.9 s) with t = 0.45 sqrt(ln 2/n), rounded to rationals; n = 10^power."""
    n, unit = 10**power, 10 ** (2 * power)
    with mpmath.workdps(3 * power + 40):
        t = Fraction(int(unit * real(Fraction("0.45")) * mpmath.sqrt(mpmath.log(2) / n)), unit)
        eta = Fraction(int(unit * mpmath.sqrt(real(t) / real(smallness * Fraction("0.9")))), unit)
    fields = {"records": n, "rows": rows, "floor": Fraction(1, 2), "smallness": smallness, "c_min": Fraction(1, 2)}
    fields |= {"least_records": 2}
    first = correlated(1 - eta)
    return GrowthPair(first, correlated(1 - eta - t), 2 * t, reference=first, **fields)


def most_rows(smallness: Fraction, power: int) -> int:
    """Return the largest m with p^2 <= s sqrt(n/m)/log n at p = 2, n = 10^power."""
    with mpmath.workdps(60):
        return int(real(smallness) ** 2 * mpmath.mpf(10) ** power / (16 * (power * mpmath.log(10)) ** 2))


MOST = ((Fraction(1, 4), 20), (Fraction(1, 4), 40), (Fraction(1, 100), 40))
"""s and the power of 10 that n is, for pairs with the most rows that the theorem admits."""
