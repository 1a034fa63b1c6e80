"""The slide on eigenvalues: determinant, rank, diagonal matrices, diagonalizable matrices."""

from __future__ import annotations

import attrs
from flint import arb, fmpq, fmpq_mat, fmpq_poly

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Step, Verdict
from dpmatrix.spec.analyze_gauss.points import same
from dpmatrix.spec.common.spectra import disagreement


@attrs.frozen
class SquareMatrix:
    """A, rational n x n; its eigenvalues are the roots of det(tI - A) with multiplicity."""

    matrix: fmpq_mat


@attrs.frozen
class Factorisation(SquareMatrix):
    """A, and X and Lambda of the last bullet, rational n x n.

    Parameters
    ----------
    frame
        X.
    middle
        Lambda.
    """

    frame: fmpq_mat
    middle: fmpq_mat


def shapes_fit(p: Factorisation) -> bool:
    """Whether the three matrices are square and of one order, at least one."""
    shapes = {(m.nrows(), m.ncols()) for m in (p.matrix, p.frame, p.middle)}
    order = p.matrix.nrows()
    return shapes == {(order, order)} and bool(order)


def square_margin(p: SquareMatrix) -> arb:
    """Zero exactly when A is n x n, n >= 1."""
    shape = (p.matrix.nrows(), p.matrix.ncols())
    return -arb(int(shape[0] != shape[1] or not shape[0]))


def invertible_margin(p: Factorisation) -> arb:
    """``|det X|``, exact; minus infinity where the shapes do not fit."""
    return arb(abs(p.frame.det())) if shapes_fit(p) else arb("-inf")


def factorised_margin(p: Factorisation) -> arb:
    """Zero exactly when AX = X Lambda."""
    return disagreement(p.matrix * p.frame, p.frame * p.middle) if shapes_fit(p) else arb("-inf")


def is_diagonal(matrix: fmpq_mat) -> bool:
    """Whether every entry off the diagonal is zero."""
    order = matrix.nrows()
    return all(matrix[i, j] == 0 for i in range(order) for j in range(order) if i != j)


def diagonal_matrix_margin(p: SquareMatrix) -> arb:
    """Zero when A is diagonal."""
    return -arb(int(not is_diagonal(p.matrix)))


def diagonal_middle_margin(p: Factorisation) -> arb:
    """Zero when Lambda is diagonal."""
    return -arb(int(not is_diagonal(p.middle)))


def characteristic(matrix: fmpq_mat) -> fmpq_poly:
    """``det(tI - A)``."""
    return matrix.charpoly()


def eigenvalue_product_margin(p: SquareMatrix) -> arb:
    """Equality of det A and the product of the roots, (-1)^n times the constant coefficient of det(tI - A)."""
    product = (-1) ** p.matrix.nrows() * characteristic(p.matrix)[0]
    return same(p.matrix.det(), product)


def non_zero_eigenvalues(matrix: fmpq_mat) -> int:
    """Number of non-zero roots of det(tI - A), with multiplicity."""
    coefficients = characteristic(matrix).coeffs()
    zeros = next(power for power, coefficient in enumerate(coefficients) if coefficient != 0)
    return matrix.nrows() - zeros


def rank_margin(p: SquareMatrix) -> arb:
    """Equality of the rank and the number of non-zero eigenvalues."""
    return same(fmpq(p.matrix.rank()), fmpq(non_zero_eigenvalues(p.matrix)))


def repaired_rank_margin(p: SquareMatrix) -> arb:
    """Zero or more when the rank is that number if A^2 has the same rank, and is larger by one at least if not."""
    rank = p.matrix.rank()
    if (p.matrix * p.matrix).rank() == rank:
        return rank_margin(p)
    return arb(rank - non_zero_eigenvalues(p.matrix) - 1)


def diagonal_entries_margin(p: SquareMatrix) -> arb:
    """Equality of det(tI - A) and the product of the (t - a_ii)."""
    product = fmpq_poly([1])
    for i in range(p.matrix.nrows()):
        product *= fmpq_poly([-p.matrix[i, i], 1])
    return -arb(sum(abs(x) for x in (characteristic(p.matrix) - product).coeffs()))


def bullets_margin(p: SquareMatrix) -> arb:
    """Smallest of the margins: zero exactly when the bullets hold, the third one where A is diagonal."""
    least = eigenvalue_product_margin(p).min(rank_margin(p))
    return least.min(diagonal_entries_margin(p)) if is_diagonal(p.matrix) else least


def repaired_margin(p: SquareMatrix) -> arb:
    """Smallest of the margins with the repaired bullet on the rank, the third one where A is diagonal."""
    least = eigenvalue_product_margin(p).min(repaired_rank_margin(p))
    return least.min(diagonal_entries_margin(p)) if is_diagonal(p.matrix) else least


SQUARE = Condition("A is square", square_margin)
INVERTIBLE = Condition("X is invertible", invertible_margin, strict=True)
FACTORISED = Condition("A = X Lambda X^-1", factorised_margin)
DIAGONAL_MIDDLE = Condition("Lambda is diagonal", diagonal_middle_margin)

EIGENVALUE_PROPERTIES = Claim(
    id="analyze-gauss.eigenvalue-properties",
    kind=Kind.LEMMA,
    source=Locator(
        "analyze-gauss",
        "slide Eigenvalue Properties",
        "|A| = prod lambda_i; rank = number of non-zero eigenvalues; eigenvalues of diag(a_ii); A = X Lambda X^-1",
    ),
    statement=Statement(
        "for every square A the first three bullets hold",
        bullets_margin,
        given=(SQUARE,),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.HYPOTHESIS,
    headline=(
        "The bullet on the rank fails where A^2 has a smaller rank: [[0, 1], [0, 0]] has rank 1 and no non-zero "
        "eigenvalue."
    ),
    reading=(
        "A is square, which the slides do not say (elsewhere A is m x n); eigenvalues are complex, with algebraic "
        "multiplicity. The fourth bullet is a definition, Lambda the diagonal matrix that the letter stands for; it is "
        "a hypothesis of the step `diagonalizable`. Points are rational, roots are compared through their polynomial; "
        "for other matrices the repaired statement rests on the derivation."
    ),
    because=(
        "[[0, 1], [0, 0]] has rank 1 and no non-zero eigenvalue. The rank of A is never below the number of its "
        "non-zero eigenvalues, which is the rank of A^n, and it is that number exactly if A^2 has the rank of A. Such "
        "are invertible matrices, and all A = X Lambda X^-1 of the last bullet. The determinant and diagonal matrices "
        "need no repair."
    ),
    repair=Repair(
        "the rank is at least the number of non-zero eigenvalues, with equality exactly if A^2 has the rank of A",
        Statement(
            "for every square A that bullet, the one on the determinant and the one on diagonal matrices hold",
            repaired_margin,
            given=(SQUARE,),
        ),
    ),
    steps=(
        Step(
            "determinant",
            Statement("|A| is the product of the eigenvalues", eigenvalue_product_margin, given=(SQUARE,)),
            defect=None,
        ),
        Step(
            "rank",
            Statement("the rank is the number of non-zero eigenvalues", rank_margin, given=(SQUARE,)),
            defect=Defect.HYPOTHESIS,
            note="true if A^2 has the rank of A",
        ),
        Step(
            "diagonalizable",
            Statement(
                "where A = X Lambda X^-1, Lambda diagonal, the rank is the number of non-zero eigenvalues",
                rank_margin,
                given=(INVERTIBLE, FACTORISED, DIAGONAL_MIDDLE),
            ),
            defect=None,
            note="symmetric matrices, of which the slides make use, are such",
        ),
        Step(
            "diagonal",
            Statement(
                "the eigenvalues of a diagonal matrix are its diagonal entries",
                diagonal_entries_margin,
                given=(SQUARE, Condition("A is diagonal", diagonal_matrix_margin)),
            ),
            defect=None,
        ),
    ),
)
