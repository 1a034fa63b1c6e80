"""The normaliser of (6): a hypergeometric function of a matrix argument (section 3.2)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Condition, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, whole


@attrs.frozen
class BinghamTerm:
    """The eigenvalues of B, the number k of columns of V, and a degree in B."""

    eigenvalues: tuple[Exact, ...]
    columns: int
    degree: int


def power_sums(p: BinghamTerm) -> tuple[fmpq, fmpq, fmpq]:
    """``tr B``, ``tr B^2`` and ``tr B^3``."""
    values = [rational(value) for value in p.eigenvalues]
    first, second, third = (sum((value**power for value in values), fmpq(0)) for power in (1, 2, 3))
    return first, second, third


def rising(number: fmpq, parts: tuple[int, ...]) -> fmpq:
    """``(a)_kappa``: the product over the parts of so many factors ``a - (i-1)/2``, ``a - (i-1)/2 + 1``, and so on."""
    total = fmpq(1)
    for place, part in enumerate(parts):
        for step in range(part):
            total *= number - fmpq(place, 2) + step
    return total


def zonal(p: BinghamTerm) -> dict[tuple[int, ...], fmpq]:
    """The zonal polynomials of the degree at B, by their partitions; together they are ``(tr B)^degree``.

    Raises
    ------
    KeyError
        If the degree is not 1, 2 or 3.
    """
    one, two, three = power_sums(p)
    tables: dict[int, dict[tuple[int, ...], fmpq]] = {
        1: {(1,): one},
        2: {(2,): (one**2 + 2 * two) / 3, (1, 1): 2 * (one**2 - two) / 3},
        3: {
            (3,): (one**3 + 6 * one * two + 8 * three) / 15,
            (2, 1): 3 * (one**3 + one * two - 2 * three) / 5,
            (1, 1, 1): (one**3 - 3 * one * two + 2 * three) / 3,
        },
    }
    return tables[p.degree]


def series_term(p: BinghamTerm) -> fmpq:
    """Sum over the partitions of ``(k/2)_kappa/(d/2)_kappa C_kappa(B)``, of at most d parts."""
    d = len(p.eigenvalues)
    return sum(
        (
            rising(fmpq(p.columns, 2), parts) / rising(fmpq(d, 2), parts) * value
            for parts, value in zonal(p).items()
            if len(parts) <= d
        ),
        fmpq(0),
    )


def diagonal_moments(p: BinghamTerm) -> tuple[fmpq, fmpq, fmpq, fmpq, fmpq, fmpq]:
    """Means of P_11, P_11^2, P_11^3, P_11 P_22, P_11^2 P_22 and P_11 P_22 P_33 for P = VV'.

    P_11 is the squared length of k coordinates of a uniform unit vector; the others follow from tr P = k.

    Raises
    ------
    ValueError
        If k > d: no V has orthonormal columns.
    """
    d, k = len(p.eigenvalues), p.columns
    if k > d:
        raise ValueError(f"no {k} columns of length {d} are orthonormal")
    first, second, third = (rising(fmpq(k, 2), (power,)) / rising(fmpq(d, 2), (power,)) for power in (1, 2, 3))
    pair, mixed = ((k * one - two) / max(d - 1, 1) for one, two in ((first, second), (second, third)))
    return first, second, third, pair, mixed, (k * pair - 2 * mixed) / max(d - 2, 1)


def mean_power(p: BinghamTerm) -> fmpq:
    """The mean of ``(tr V'BV)^degree = (sum b_i P_ii)^degree`` over uniform V."""
    one, two, three = power_sums(p)
    first, second, third, pair, mixed, triple = diagonal_moments(p)
    return {
        1: first * one,
        2: second * two + pair * (one**2 - two),
        3: third * three + 3 * mixed * (two * one - three) + triple * (one**3 - 3 * one * two + 2 * three),
    }[p.degree]


def series_margin(p: BinghamTerm) -> arb:
    """Minus the distance of the mean from the term of the series."""
    return equality(arb(mean_power(p) - series_term(p)), arb(0))


def degree_margin(p: BinghamTerm) -> arb:
    """The smaller of ``j - 1`` and ``3 - j``."""
    return arb(min(p.degree - 1, 3 - p.degree))


def columns_margin(p: BinghamTerm) -> arb:
    """``d - k``."""
    return arb(len(p.eigenvalues) - p.columns)


SERIES_STEP = Step(
    "normaliser",
    Statement(
        "(6): in the degrees 1 to 3 of B the mean of exp(tr V'BV) over uniform V is the series of 1F1(k/2, d/2, B)",
        series_margin,
        given=(
            whole("columns", 1),
            Condition("k <= d", columns_margin),
            Condition("the degree is 1, 2 or 3", degree_margin, of="degree"),
        ),
    ),
    defect=None,
    note="The density is with respect to the uniform probability. Higher degrees are not judged.",
)
