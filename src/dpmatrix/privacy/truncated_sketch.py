"""The exact privacy loss of a sketch that is truncated to a box of Gram matrices: `compression.theorem-4-6`."""

from __future__ import annotations

from attrs import frozen
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, rational
from dpmatrix.privacy.domains import dimension_of


@frozen
class TruncatedLoss:
    """The supremum of a log-ratio of densities over a truncated set.

    Attributes
    ----------
    supremum
        Encloses the supremum if ``attained``, and is an upper bound otherwise.
    attained
        Whether the corner of the box that maximises the log-ratio is the Gram matrix of an output.
    """

    supremum: arb
    attained: bool


def truncated_loss(first: fmpq_mat, second: fmpq_mat, reference: fmpq_mat, rows: int, radius: Exact) -> TruncatedLoss:
    r"""Bound log f_1 - log f_2 over the outputs whose Gram matrix is entrywise near that of a reference.

    The output has m independent rows from N(0, S_i), and ``G = Y'Y / m`` is sufficient: the log-ratio is
    :math:`\frac{m}{2}\left(\log\frac{\det S_2}{\det S_1} + \mathrm{tr}\,(S_2^{-1} - S_1^{-1}) G\right)`. It is linear
    in G, so over the box ``|G - R| <= radius`` it is largest at the corner ``R + radius * sign(S_2^-1 - S_1^-1)``. The
    corner is a Gram matrix of m rows when it is positive semidefinite and m is at least its size; then the supremum is
    attained. Densities before renormalisation: the two constants add the logarithm of the ratio of their
    probabilities.

    Parameters
    ----------
    first, second
        S_1 and S_2, shape (p, p), positive definite.
    reference
        R, shape (p, p).
    rows
        m >= 1.
    radius
        Half the width of the box, at least 0.

    Raises
    ------
    InvalidParameterError
        If a matrix is not positive definite or symmetric, the shapes differ, the radius is negative, or m < 1.
    """
    size = first.nrows()
    count, width = dimension_of(rows, "rows"), rational(radius, "radius")
    if width < 0:
        raise InvalidParameterError("radius", f"{radius} is negative", "pass a radius of at least 0")
    for name, matrix in (("first", first), ("second", second), ("reference", reference)):
        if (matrix.nrows(), matrix.ncols()) != (size, size) or matrix != matrix.transpose():
            raise InvalidParameterError(name, "it is not symmetric, or of another shape", "pass symmetric matrices")
    for name, matrix in (("first", first), ("second", second)):
        if not all(_leading_minors(matrix, positive=True)):
            raise InvalidParameterError(name, "it is not positive definite", "pass a positive definite matrix")
    slope = second.inv() - first.inv()
    corner = fmpq_mat(
        size, size, [r + width * _sign(s) for r, s in zip(reference.entries(), slope.entries(), strict=True)]
    )
    trace = sum((s * c for s, c in zip(slope.entries(), corner.entries(), strict=True)), fmpq(0))
    determinants = second.det() / first.det()
    return TruncatedLoss(fmpq(count, 2) * (arb(determinants).log() + trace), count >= size and _semidefinite(corner))


def printed_loss_bound(first: fmpq_mat, second: fmpq_mat, rows: int, tail: Exact, delta_max: Exact) -> arb:
    r"""Enclose the bound of `compression.theorem-4-6`, its o(1) left out.

    :math:`\frac{m p \lVert\Delta\rVert_F}{2 \lambda_2 \lambda_1} \left(t + \Delta_{max} + \frac{2 \lVert\Delta\rVert_F
    \lVert S_1\rVert^2}{p \lambda_2 \lambda_1}\right)`, with :math:`\Delta = S_1 - S_2`, the least eigenvalues
    :math:`\lambda_i`, and t the ``C sqrt(ln(2 n p) / m)`` of the document.

    Parameters
    ----------
    first, second, rows
        As in `truncated_loss`.
    tail, delta_max
        t and the Delta_max of the document, at least 0.
    """
    size = first.nrows()
    difference = first - second
    frobenius = arb(sum((entry * entry for entry in difference.entries()), fmpq(0))).sqrt()
    spectra = [_eigenvalues(matrix) for matrix in (first, second)]
    least = spectra[0][0] * spectra[1][0]
    last = 2 * frobenius * spectra[0][-1] ** 2 / (size * least)
    return rows * size * frobenius / (2 * least) * (rational(tail) + rational(delta_max) + last)


def _eigenvalues(matrix: fmpq_mat) -> list[arb]:
    values = [value.real for value in arb_mat(matrix).eig(multiple=True)]
    return sorted(values, key=lambda value: float(value.mid()))


def _leading_minors(matrix: fmpq_mat, *, positive: bool) -> list[bool]:
    """Give the signs of the coefficients of det(t I + M): all positive if and only if M is positive definite."""
    coefficients = (-matrix).charpoly().coeffs()
    return [coefficient > 0 if positive else coefficient >= 0 for coefficient in coefficients]


def _semidefinite(matrix: fmpq_mat) -> bool:
    return all(_leading_minors(matrix, positive=False))


def _sign(value: fmpq) -> int:
    return int(value > 0) - int(value < 0)
