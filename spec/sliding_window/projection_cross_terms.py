"""Lemma 7, conditions 3 and 4: errors whose columns or rows lie in the span of A'A."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition, Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import at_least
from dpmatrix.spec.common.spectra import diagonal, disagreement, identity, trace
from dpmatrix.spec.sliding_window.loewner import flag


@attrs.frozen
class CrossTerm:
    """A'A = diag(values), one error E_3 or E_4, and a projection P of rank k.

    Parameters
    ----------
    values
        Eigenvalues of A'A in decreasing order, not negative.
    error
        E, d x d, not necessarily symmetric.
    projection
        P, orthogonal of rank k.
    bound
        eta_3 of the condition on E.
    share
        The eta_3 or eta_4 that E adds to eta.
    """

    values: tuple[fmpq, ...]
    error: fmpq_mat
    projection: fmpq_mat
    bound: Exact
    share: Exact


def change_margin(p: CrossTerm) -> arb:
    """``share |A - AP|_F^2 - |Tr((I - P)E)|``."""
    rest = identity(len(p.values)) - p.projection
    return arb(rational(p.share) * trace(rest * diagonal(p.values)) - abs(trace(rest * p.error)))


def weighted(values: tuple[fmpq, ...], error: fmpq_mat) -> fmpq:
    """``Tr(E'(A'A)^+ E)``."""
    rows = zip(values, error.tolist(), strict=True)
    return sum((entry * entry / value for value, row in rows if value > 0 for entry in row), fmpq(0))


def within_bound(p: CrossTerm, size: fmpq) -> arb:
    """``bound^2 |A - [A]_k|_F^2 - size``."""
    tail = sum(p.values[p.projection.rank() :], fmpq(0))
    return arb(rational(p.bound) ** 2 * tail - size)


def columns_margin(p: CrossTerm) -> arb:
    """``eta_3^2 |A - [A]_k|_F^2 - Tr(E'(A'A)^+ E)``."""
    return within_bound(p, weighted(p.values, p.error))


def rows_margin(p: CrossTerm) -> arb:
    """``eta_4^2 |A - [A]_k|_F^2 - Tr(E (A'A)^+ E')``."""
    return within_bound(p, weighted(p.values, p.error.transpose()))


def column_span_margin(p: CrossTerm) -> arb:
    """0 when the columns of E lie in the span of those of A'A."""
    return flag(all(value > 0 or not any(row) for value, row in zip(p.values, p.error.tolist(), strict=True)))


def row_span_margin(p: CrossTerm) -> arb:
    """0 when the rows of E lie in the span of those of A'A."""
    return column_span_margin(attrs.evolve(p, error=p.error.transpose()))


def projection_margin(p: CrossTerm) -> arb:
    """Zero exactly for an orthogonal projection."""
    square_of = p.projection * p.projection
    return disagreement(square_of, p.projection) + disagreement(p.projection, p.projection.transpose())


def spectrum_margin(p: CrossTerm) -> arb:
    """Least of the drops between eigenvalues and the last eigenvalue."""
    drops = [p.values[i] - p.values[i + 1] for i in range(len(p.values) - 1)]
    return arb(min([*drops, p.values[-1]]))


def same_share_margin(p: CrossTerm) -> arb:
    """Minus the distance of the share from the bound."""
    return -arb(abs(rational(p.share) - rational(p.bound)))


PROJECTED = (
    Condition("P is an orthogonal projection", projection_margin),
    Condition("A'A = diag(values), decreasing, not negative", spectrum_margin),
    at_least("bound", 0),
    at_least("share", 0),
)
COLUMN_SPAN = Condition("columns of E lie in the span of A'A", column_span_margin)
ROW_SPAN = Condition("rows of E lie in the span of A'A", row_span_margin)
BY_COLUMNS = Condition("Tr(E'(A'A)^+ E) <= eta_3^2 |A - [A]_k|_F^2", columns_margin)
BY_ROWS = Condition("Tr(E (A'A)^+ E') <= eta_4^2 |A - [A]_k|_F^2", rows_margin)
SAME = Condition("the share is that of the bound", same_share_margin)

CROSS_TERMS = (
    Step(
        "third-part",
        Statement(
            "condition 3: |Tr((I - P)E_3)| <= eta_3 |A - AP|_F^2",
            change_margin,
            given=(*PROJECTED, COLUMN_SPAN, BY_COLUMNS, SAME),
        ),
        defect=None,
    ),
    Step(
        "fourth-part",
        Statement(
            "condition 4 as printed, and item 5: |Tr((I - P)E_4)| <= eta_4 |A - AP|_F^2",
            change_margin,
            given=(*PROJECTED, ROW_SPAN, BY_COLUMNS),
        ),
        defect=Defect.SLIP,
        note="It repeats the inequality of condition 3, with eta_3: eta_4 bounds nothing.",
    ),
    Step(
        "fourth-part-transposed",
        Statement(
            "with Tr(E_4(A'A)^+ E_4') <= eta_4^2 |A - [A]_k|_F^2: |Tr((I - P)E_4)| <= eta_4 |A - AP|_F^2",
            change_margin,
            given=(*PROJECTED, ROW_SPAN, BY_ROWS, SAME),
        ),
        defect=None,
        note="What the source has.",
    ),
)
