"""The example of section 3.3: one record turns the top eigenvector by a right angle."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import equality, whole
from dpmatrix.spec.near_optimal.second_moment import CONVEXITY_STEP, MOMENT_STEP


@attrs.frozen
class Copies:
    """D has m + 1 copies of u and m of u'; D' has m of u and m + 1 of u'.

    Parameters
    ----------
    copies
        The number m, at least 0; n = 2m + 1.
    u, other
        Coordinates of the two records.
    """

    copies: int
    u: tuple[Exact, ...]
    other: tuple[Exact, ...]


def inner(x: tuple[Exact, ...], y: tuple[Exact, ...]) -> fmpq:
    """``<x, y>``."""
    return sum((rational(a) * rational(b) for a, b in zip(x, y, strict=True)), fmpq(0))


def residual(p: Copies, more: tuple[Exact, ...], fewer: tuple[Exact, ...]) -> fmpq:
    """Largest entry of A v - ((m+1)/n) v at v = ``more``, for m + 1 copies of ``more`` and m of ``fewer``."""
    m, n = p.copies, 2 * p.copies + 1
    image = [
        ((m + 1) * inner(more, more) * rational(a) + m * inner(fewer, more) * rational(b)) / n
        for a, b in zip(more, fewer, strict=True)
    ]
    return max(abs(entry - fmpq(m + 1, n) * rational(a)) for entry, a in zip(image, more, strict=True))


def eigengap(p: Copies) -> fmpq:
    """``(m+1)/n - (tr A - (m+1)/n)``: at most the eigengap, the trace less the eigenvalue of v bounds all others."""
    m, n = p.copies, 2 * p.copies + 1
    trace = ((m + 1) * inner(p.u, p.u) + m * inner(p.other, p.other)) / n
    return 2 * fmpq(m + 1, n) - trace


def distance_margin(p: Copies) -> arb:
    """The least of: A u = (m+1)/n u, A'u' = (m+1)/n u', |u -+ u'|^2 = 2, and 1/n within the eigengap."""
    apart = [inner(p.u, p.u) + inner(p.other, p.other) + sign * 2 * inner(p.u, p.other) for sign in (1, -1)]
    errors = [residual(p, p.u, p.other), residual(p, p.other, p.u), *(abs(value - 2) for value in apart)]
    return equality(arb(max(errors)), arb(0)).min(arb(eigengap(p) - fmpq(1, 2 * p.copies + 1)))


def unit_margin(p: Copies) -> arb:
    """Minus the larger of ``||u|^2 - 1|`` and ``||u'|^2 - 1|``."""
    return -arb(max(abs(inner(p.u, p.u) - 1), abs(inner(p.other, p.other) - 1)))


def orthogonal_margin(p: Copies) -> arb:
    """``<u, u'> = 0``."""
    return equality(arb(inner(p.u, p.other)), arb(0))


SENSITIVITY_EXAMPLE = Claim(
    id="near-optimal.sensitivity-example",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "near-optimal",
        "section 3.3",
        "m+1 copies of u and m of u', u orthogonal to u', against m and m+1: |v_1(D) - v_1(D')| = sqrt(2)",
    ),
    statement=Statement(
        "v_1(D) = u and v_1(D') = u', at distance sqrt(2) whatever n = 2m + 1 is",
        distance_margin,
        given=(
            whole("copies", 0),
            Condition("|u| = |u'| = 1", unit_margin),
            Condition("<u, u'> = 0", orthogonal_margin),
        ),
    ),
    verdict=Verdict.HOLDS,
    because=(
        "A u = ((m+1)/n) u and A u' = (m/n) u', so u is the top eigenvector of D with eigengap at least 1/n, and u' "
        "that of D'. The choice of sign does not help: |u + u'| = |u - u'|. The data sets differ in one record. For "
        "even n add a zero record to both."
    ),
    reading=(
        "Data sets are sequences, as records repeat; replace-one adjacency. With the better of its two signs v_1 moves "
        "by at most sqrt(2) between any two data sets, so that this is the global sensitivity for every odd n."
    ),
    steps=(MOMENT_STEP, CONVEXITY_STEP),
    uses=("near-optimal.definition-3",),
)
