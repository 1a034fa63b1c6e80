"""How far one row moves the eigengap and the principal subspace of A'A: what Algorithm 2 takes for granted."""

from __future__ import annotations

from typing import cast

import attrs
from flint import acb, arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.claims import Condition
from dpmatrix.exact import square
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import eigenvalues, nonnegative_spectrum, ranked


@attrs.frozen
class ChangedMoment:
    """A'A of a data set, a row of it that leaves, a row that comes, and the rank of the subspace.

    Parameters
    ----------
    moment
        A'A, rational, n x n.
    removed, added
        Rows as n x 1 matrices; zero for none.
    k
        Rank.
    """

    moment: fmpq_mat
    removed: fmpq_mat
    added: fmpq_mat
    k: int


def neighbour(p: ChangedMoment) -> fmpq_mat:
    """A'A of the neighbour."""
    return p.moment - p.removed * p.removed.transpose() + p.added * p.added.transpose()


def eigengap(matrix: fmpq_mat, k: int) -> arb:
    """``lambda_k - lambda_{k+1}``."""
    values = eigenvalues(matrix)
    return ranked(values, k) - ranked(values, k + 1)


def gap(p: ChangedMoment) -> arb:
    """The eigengap of A'A."""
    return eigengap(p.moment, p.k)


def top_projector(matrix: fmpq_mat, k: int) -> arb_mat:
    """Projector onto the top k eigenvectors, by interpolation at the distinct eigenvalues; needs a positive gap."""
    roots = cast("list[tuple[acb, int]]", matrix.charpoly().complex_roots())
    ordered = sorted(((root.real, count) for root, count in roots), key=lambda pair: pair[0].mid(), reverse=True)
    order = matrix.nrows()
    unit = arb_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])
    balls, total, taken = arb_mat(matrix), arb_mat(order, order), 0
    for value, count in ordered:
        if taken >= k:
            break
        part = unit
        for other, _ in ordered:
            if other is not value:
                part = part * (balls - unit * other) * (1 / (value - other))
        total, taken = total + part, taken + count
    return total


def projector_distance(p: ChangedMoment) -> arb:
    """``||V_k V_k' - V'_k V'_k'||_F`` between the two data sets."""
    difference = top_projector(p.moment, p.k) - top_projector(neighbour(p), p.k)
    total = arb(0)
    for entry in difference.entries():
        total += square(entry)
    return total.nonnegative_part().sqrt()


def gap_change(p: ChangedMoment) -> arb:
    """Absolute change of the eigengap."""
    return abs(gap(p) - eigengap(neighbour(p), p.k))


def gap_added_margin(p: ChangedMoment) -> arb:
    """``1 - |change of the gap|``."""
    return 1 - gap_change(p)


def gap_replaced_margin(p: ChangedMoment) -> arb:
    """``2 - |change of the gap|``."""
    return 2 - gap_change(p)


def projector_margin(p: ChangedMoment) -> arb:
    """``1 / (gap - 2)`` minus the distance of the projectors."""
    return 1 / (gap(p) - 2) - projector_distance(p)


def projector_bound(gap_of_data: arb, rows: int) -> arb:
    """``sqrt(2) sin(arcsin(x) / 2)``, x = rows/gap: for a row added or removed, and two where one is replaced."""
    sine = rows / gap_of_data
    return sine / (1 + (1 - square(sine)).sqrt()).sqrt()


def projector_bound_margin(p: ChangedMoment) -> arb:
    """The bound minus the distance of the projectors."""
    return projector_bound(gap(p), rows_changed(p)) - projector_distance(p)


def squared_norm(row: fmpq_mat) -> fmpq:
    """Squared Euclidean norm of a row."""
    return sum((entry * entry for entry in row.entries()), fmpq(0))


def replaced(p: ChangedMoment) -> bool:
    """Whether a row leaves and another one comes."""
    return bool(squared_norm(p.removed) * squared_norm(p.added))


def rows_changed(p: ChangedMoment) -> int:
    """Return 2 where a row is replaced, 1 where one is added or removed."""
    return 2 if replaced(p) else 1


def single(p: ChangedMoment) -> arb:
    """Zero exactly when one of the two rows is zero."""
    return -arb(int(replaced(p)))


def norms_margin(p: ChangedMoment) -> arb:
    """One minus the larger squared norm."""
    return arb(1 - max(squared_norm(p.removed), squared_norm(p.added)))


def present_margin(p: ChangedMoment) -> arb:
    """Non-negative exactly when A'A without the removed row is positive semidefinite."""
    return nonnegative_spectrum(p.moment - p.removed * p.removed.transpose())


def rank_margin(p: ChangedMoment) -> arb:
    """``n - k``."""
    return arb(p.moment.nrows() - p.k)


def gap_above_two_margin(p: ChangedMoment) -> arb:
    """``gap - 2``."""
    return gap(p) - 2


def gap_above_rows_margin(p: ChangedMoment) -> arb:
    """Gap minus the number of rows that change."""
    return gap(p) - rows_changed(p)


SHORT_ROWS = (
    whole("k", 1),
    exceeds("k < n", rank_margin),
    Condition("rows have norm at most 1", norms_margin),
)
ROWS = (*SHORT_ROWS, Condition("the removed row is a row of A", present_margin))
SINGLE = Condition("one row is added or removed, not both", single)
GAP = exceeds("the gap exceeds 2", gap_above_two_margin)
GAP_OF_ROWS = exceeds("the gap exceeds 1, and 2 if a row is replaced", gap_above_rows_margin)
