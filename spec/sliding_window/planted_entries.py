"""Theorem 19: single sentences about the entries of A and of B (appendix E)."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Defect, Statement, Step
from dpmatrix.exact import Exact, rational
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.sliding_window.loewner import flag, gram, squared_norm
from dpmatrix.spec.sliding_window.lower_bound_construction import PLANTED, Planted, planted, width


@attrs.frozen
class Letters:
    """Two letters of Alice's string, each 1 or -1, and the block i of their places."""

    first: int
    second: int
    block: int


def encoded(letter: int, block: int) -> int:
    """``(-1)^x 10^i``."""
    return (1 - 2 * (letter % 2)) * int(10**block)


def letters_margin(p: Letters) -> arb:
    """Minus the absolute sum of both entries, which is 0 for entries of different signs."""
    return -arb(abs(encoded(p.first, p.block) + encoded(p.second, p.block)))


def different_margin(p: Letters) -> arb:
    """0 for the letters 1 and -1, in either order."""
    return flag((p.first, p.second) in {(1, -1), (-1, 1)})


def planted_norm_margin(p: Planted) -> arb:
    """Minus the largest distance of a squared norm of Bob's columns from ``gamma^2 + (W - a) 100^theta``."""
    matrix, first = planted(p, p.theta), (p.theta - 1) * width(p)
    stated = rational(p.gamma) ** 2 + p.signs.nrows() * fmpq(100) ** p.theta
    norms = [
        sum((matrix[i, j] * matrix[i, j] for i in range(matrix.nrows())), fmpq(0)) for j in range(first, first + p.rank)
    ]
    return -arb(max(abs(norm - stated) for norm in norms))


@attrs.frozen
class Approximated:
    """A, B of its shape, and where Bob planted gamma I in A.

    Parameters
    ----------
    original, approximation
        A and B.
    gamma
        Scale of Bob's entries.
    first, rank
        The k x k block of gamma I begins at row and column ``first``, counted from 1; k.
    """

    original: fmpq_mat
    approximation: fmpq_mat
    gamma: Exact
    first: int
    rank: int


def _block(p: Approximated) -> range:
    return range(p.first - 1, p.first - 1 + p.rank)


def total_error(p: Approximated) -> fmpq:
    """``|A - B|_F^2``."""
    return squared_norm(p.original - p.approximation)


def diagonal_error(p: Approximated) -> arb:
    """(45): ``|A - B|_F^2`` minus the sum of the (Y_jj - gamma)^2."""
    gamma = rational(p.gamma)
    return arb(total_error(p) - sum(((p.approximation[j, j] - gamma) ** 2 for j in _block(p)), fmpq(0)))


def other_error(p: Approximated) -> arb:
    """(46): ``|A - B|_F^2`` minus the sum of the other Y_pj^2."""
    others = (p.approximation[i, j] ** 2 for j in _block(p) for i in _block(p) if i != j)
    return arb(total_error(p) - sum(others, fmpq(0)))


def block_margin(p: Approximated) -> arb:
    """0 when A and B have one shape, and A has gamma I in its block."""
    rows, columns = p.original.nrows(), p.original.ncols()
    if (rows, columns) != (p.approximation.nrows(), p.approximation.ncols()) or _block(p).stop > min(rows, columns):
        return flag(holds=False)
    gamma = rational(p.gamma)
    return flag(all(p.original[i, j] == (gamma if i == j else 0) for i in _block(p) for j in _block(p)))


def emptied(p: Approximated) -> fmpq_mat:
    """B with the columns set to zero in which A is zero."""
    rows, columns = p.original.nrows(), p.original.ncols()
    kept = [any(p.original[i, j] != 0 for i in range(rows)) for j in range(columns)]
    return fmpq_mat([[p.approximation[i, j] if kept[j] else 0 for j in range(columns)] for i in range(rows)])


def emptied_margin(p: Approximated) -> arb:
    """Smaller of what `emptied` takes from the error, and from the rank."""
    other = emptied(p)
    return arb(total_error(p) - squared_norm(p.original - other)).min(arb(p.approximation.rank() - other.rank()))


def emptied_rows(p: Approximated) -> fmpq_mat:
    """B with the rows set to zero in which A is zero."""
    rows, columns = p.original.nrows(), p.original.ncols()
    kept = [any(p.original[i, j] != 0 for j in range(columns)) for i in range(rows)]
    return fmpq_mat([[p.approximation[i, j] if kept[i] else 0 for j in range(columns)] for i in range(rows)])


def emptied_rows_margin(p: Approximated) -> arb:
    """Smaller of what `emptied_rows` takes from the error, and from the rank."""
    other = emptied_rows(p)
    return arb(total_error(p) - squared_norm(p.original - other)).min(arb(p.approximation.rank() - other.rank()))


def planted_columns(p: Approximated) -> fmpq_mat:
    """B(C), the columns of B in which A has its block."""
    return fmpq_mat([[p.approximation[i, j] for j in _block(p)] for i in range(p.approximation.nrows())])


def combination_margin(p: Approximated) -> arb:
    """Minus the squared distance of the columns of B from the span of those of B(C), which are independent."""
    chosen = planted_columns(p)
    spanned = chosen * gram(chosen).inv() * chosen.transpose() * p.approximation
    return -arb(squared_norm(p.approximation - spanned))


def rank_margin(p: Approximated) -> arb:
    """0 when B has rank k, and so has B(C)."""
    inside = _block(p).stop <= p.approximation.ncols()
    return flag(inside and p.approximation.rank() == p.rank == planted_columns(p).rank())


APPROXIMATED = (
    whole("first", 1),
    whole("rank", 1),
    exceeds("A and B have one shape, A has gamma I in its block", block_margin, strict=False),
)


PLANTED_ENTRIES = (
    Step(
        "letters",
        Statement(
            "the entries (-1)^x 10^i of the letters x = 1 and x = -1 have different signs",
            letters_margin,
            given=(whole("block", 1), exceeds("the letters are 1 and -1", different_margin, strict=False)),
        ),
        defect=Defect.SLIP,
        note="Both are -10^i: x 10^i is meant, or letters 0 and 1. A slip: Definition 7 has bits.",
    ),
    Step(
        "planted-norm",
        Statement(
            "the columns of C have squared norm gamma^2 + (n-a) 100^theta, for n = W",
            planted_norm_margin,
            given=PLANTED,
        ),
        defect=None,
    ),
    Step(
        "equation-45",
        Statement("(45): the (Y_jj - gamma)^2 sum to |A - B|_F^2 at most", diagonal_error, given=APPROXIMATED),
        defect=None,
    ),
    Step(
        "equation-46",
        Statement("(46): the other Y_pj^2 sum to |A - B|_F^2 at most", other_error, given=APPROXIMATED),
        defect=None,
    ),
    Step(
        "empty-columns",
        Statement(
            "columns of B may be set to zero where A is zero: neither the error nor the rank grows",
            emptied_margin,
            given=APPROXIMATED,
        ),
        defect=None,
        note="The last d - a columns, where the document has n - a; that B has rank k is no reason.",
    ),
    Step(
        "empty-rows",
        Statement(
            "rows of B may be set to zero where A is zero: neither the error nor the rank grows",
            emptied_rows_margin,
            given=APPROXIMATED,
        ),
        defect=None,
        note="Of the rows 1 to a, those outside R. The document's words take all the other entries of B(C), with V~, "
        "which the proof goes on to use; that the block has rank k is no reason.",
    ),
    Step(
        "column-combinations",
        Statement(
            "each column of B is a combination of the columns of B(C)",
            combination_margin,
            given=(
                whole("first", 1),
                whole("rank", 1),
                exceeds("B has rank k, and so has B(C)", rank_margin, strict=False),
            ),
        ),
        defect=None,
        note="The document says rows for columns. That not all coefficients are zero fails for the columns that were "
        "set to zero, and is not used.",
    ),
)
