"""Inequalities for sums and products of matrices that the Wishart paper quotes: von Neumann, singular values, Weyl."""

from __future__ import annotations

import attrs
from flint import arb, fmpq_mat

from dpmatrix.claims import Claim, Condition, Defect, Kind, Locator, Repair, Statement, Verdict
from dpmatrix.spec.common.conditions import exceeds, whole
from dpmatrix.spec.common.spectra import disagreement, eigenvalues, ranked, singular_values, trace
from dpmatrix.spec.wishart.singular_values import SINGULAR_VALUES


@attrs.frozen
class MatrixPair:
    """Two d x d rational matrices A and B."""

    first: fmpq_mat
    second: fmpq_mat


def square_margin(p: MatrixPair | IndexedMatrixPair) -> arb:
    """Zero exactly when both matrices are d x d."""
    d = p.first.nrows()
    return -arb(abs(p.first.ncols() - d) + abs(p.second.nrows() - d) + abs(p.second.ncols() - d))


SQUARE = exceeds("A and B are d x d", square_margin, strict=False)


def paired_singular_values(p: MatrixPair) -> arb:
    """``sum_i sigma_i(A) sigma_i(B)``."""
    total = arb(0)
    for left, right in zip(singular_values(p.first), singular_values(p.second), strict=True):
        total += left * right
    return total


def trace_inequality_margin(p: MatrixPair) -> arb:
    """``sum_i sigma_i(A) sigma_i(B) - |tr(AB)|``."""
    return paired_singular_values(p) - abs(arb(trace(p.first * p.second)))


TRACE_INEQUALITY = Claim(
    id="wishart.trace-inequality",
    kind=Kind.LEMMA,
    source=Locator(
        "wishart", "proof of Theorem 4", "|tr(AB)| <= sum_{i=1}^d sigma_i(A) sigma_i(B), A and B real d x d"
    ),
    statement=Statement("|tr(AB)| <= sum over i of sigma_i(A) sigma_i(B)", trace_inequality_margin, given=(SQUARE,)),
    verdict=Verdict.HOLDS,
    because=(
        "Von Neumann's inequality. Write both matrices in singular form; tr(AB) becomes sum sigma_j tau_k P_jk Q_kj "
        "with P and Q orthogonal, |P_jk Q_kj| is at most the mean of two squares, and these means have row and column "
        "sums 1. Summation by parts then gives the bound, because the leading i x l block of such a matrix has sum at "
        "most min(i, l)."
    ),
)


@attrs.frozen
class IndexedMatrixPair:
    """Two d x d rational matrices A and B, and two ranks counted from 1."""

    first: fmpq_mat
    second: fmpq_mat
    i: int
    j: int


def joint_rank(p: IndexedMatrixPair) -> int:
    """``i + j - 1``."""
    return p.i + p.j - 1


def singular_value_margin(p: IndexedMatrixPair) -> arb:
    """``sigma_i(A) + sigma_j(B) - sigma_{i+j-1}(A + B)``."""
    largest = ranked(singular_values(p.first), p.i) + ranked(singular_values(p.second), p.j)
    return largest - ranked(singular_values(p.first + p.second), joint_rank(p))


def index_exists_margin(p: IndexedMatrixPair) -> arb:
    """``d - (i + j - 1)``."""
    return arb(p.first.ncols() - joint_rank(p))


SINGULAR_VALUE_INEQUALITY = Claim(
    id="wishart.singular-value-inequality",
    kind=Kind.LEMMA,
    source=Locator("wishart", "proof of Theorem 4", "sigma_{i+j-1}(A + B) <= sigma_i(A) + sigma_j(B)"),
    statement=Statement(
        "sigma_{i+j-1}(A + B) <= sigma_i(A) + sigma_j(B)",
        singular_value_margin,
        given=(SQUARE, whole("i", 1), whole("j", 1), Condition("i + j - 1 <= d", index_exists_margin)),
    ),
    verdict=Verdict.HOLDS,
    reading="The document gives no range of indices; the one adopted is that in which sigma_{i+j-1} exists.",
    because=(
        "Three subspaces of dimensions i + j - 1, d - i + 1 and d - j + 1 have a common unit vector u; on them |(A + "
        "B)u| is at least sigma_{i+j-1}(A + B), |Au| at most sigma_i(A) and |Bu| at most sigma_j(B)."
    ),
    steps=SINGULAR_VALUES,
)


@attrs.frozen
class HermitianPair:
    """Hermitian d x d matrices H and P, by real and imaginary parts, an index i counted from 1, and n records."""

    first: fmpq_mat
    first_imaginary: fmpq_mat
    second: fmpq_mat
    second_imaginary: fmpq_mat
    i: int
    n: int


def hermitian_eigenvalues(real: fmpq_mat, imaginary: fmpq_mat) -> list[arb]:
    """Eigenvalues of R + iS: the symmetric matrix [[R, -S], [S, R]] has each of them twice."""
    top = [row + [-entry for entry in other] for row, other in zip(real.tolist(), imaginary.tolist(), strict=True)]
    bottom = [other + row for row, other in zip(real.tolist(), imaginary.tolist(), strict=True)]
    return eigenvalues(fmpq_mat(top + bottom))[::2]


def weyl_margin(p: HermitianPair) -> arb:
    """The lesser of ``mu_i - (nu_i + rho_d)`` and ``nu_i + rho_1 - mu_i``; -1 where there is no i-th eigenvalue."""
    if p.i > p.first.nrows():
        return arb(-1)
    mu = ranked(hermitian_eigenvalues(p.first + p.second, p.first_imaginary + p.second_imaginary), p.i)
    nu = ranked(hermitian_eigenvalues(p.first, p.first_imaginary), p.i)
    rho = hermitian_eigenvalues(p.second, p.second_imaginary)
    return (mu - (nu + rho[-1])).min(nu + rho[0] - mu)


def hermitian_margin(p: HermitianPair) -> arb:
    """Zero exactly when all parts are d x d, the real ones symmetric and the imaginary ones antisymmetric."""
    d, parts = p.first.nrows(), (p.first, p.first_imaginary, p.second, p.second_imaginary)
    shapes = sum(abs(part.nrows() - d) + abs(part.ncols() - d) for part in parts)
    if shapes:
        return -arb(shapes)
    real = disagreement(p.first, p.first.transpose()) + disagreement(p.second, p.second.transpose())
    return (
        real
        + disagreement(p.first_imaginary, -p.first_imaginary.transpose())
        + disagreement(p.second_imaginary, -p.second_imaginary.transpose())
    )


def order_margin(p: HermitianPair) -> arb:
    """``d - i``."""
    return arb(p.first.nrows() - p.i)


def printed_range_margin(p: HermitianPair) -> arb:
    """``n - i``."""
    return arb(p.n - p.i)


HERMITIAN = (exceeds("H and P are Hermitian d x d matrices", hermitian_margin, strict=False), whole("i", 1))


LEMMA_4 = Claim(
    id="wishart.lemma-4",
    kind=Kind.LEMMA,
    source=Locator("wishart", "Lemma 4", "M = H + P Hermitian d x d, i in [n]: nu_i + rho_d <= mu_i <= nu_i + rho_1"),
    statement=Statement(
        "for every i in [n], nu_i + rho_d <= mu_i <= nu_i + rho_1 for the eigenvalues mu of H + P, nu of H, rho of P",
        weyl_margin,
        given=(*HERMITIAN, Condition("i <= n", printed_range_margin)),
    ),
    verdict=Verdict.HOLDS_WITH_REPAIR,
    defect=Defect.FORMULA,
    headline="The index must range over [d] and not [n]: for n > d there is no i-th eigenvalue.",
    reading="The sentence 'If ... such that M = H + P.' is read as one with the next; eigenvalues decrease.",
    because=(
        "The range of i is printed [n], the number of records, where [d] is meant: for n > d there is no i-th "
        "eigenvalue, and for n <= k the range is too short for the use of the lemma at k + 1. With [d] it is Weyl's "
        "inequality: the span of the top i eigenvectors of M meets that of the last d - i + 1 of H in a unit vector u, "
        "and mu_i <= u*Mu = u*Hu + u*Pu <= nu_i + rho_1; exchanging the roles of M and H gives the other side."
    ),
    repair=Repair(
        "i in [d] for i in [n]",
        Statement(
            "for every i in [d], nu_i + rho_d <= mu_i <= nu_i + rho_1",
            weyl_margin,
            given=(*HERMITIAN, Condition("i <= d", order_margin)),
        ),
    ),
)
