"""The eigengap and the principal projector of an exact matrix, each with a certified error.

Floating point proposes eigenvectors; balls bound what is wrong with them. Where that bound is too large, the
proposal is made again with more digits.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision, square

IntegerMatrix = npt.NDArray[np.object_]

BALL_BITS = 320
FIRST_DIGITS = 40
DOUBLINGS = 4
"""From 40 to 640 decimal digits, more than an error of ``2**-512`` asks for."""


@frozen
class Subspace:
    """What is known of the top k eigenvectors of a symmetric matrix.

    Attributes
    ----------
    gap
        Enclosure of ``lambda_k - lambda_{k+1}``.
    projector
        Approximate projector onto the top k eigenvectors, shape (n, n).
    error
        Bound of its Frobenius distance from the projector; infinite where the gap is not certainly positive.
    """

    gap: arb
    projector: arb_mat
    error: arb


def certify_subspace(matrix: fmpq_mat, rank: int, proposed: arb_mat, bits: int = BALL_BITS) -> Subspace:
    r"""Certify the gap and the projector from proposed eigenvectors, the columns of V in falling order.

    For ``e >= 1`` neither the gap nor the error is finite.

    *Proof.* Let e bound ``|V'V - I|_F``, d be the diagonal of V'CV and f bound ``|V'CV - diag(d)|_F``. For e < 1 the
    i-th eigenvalue of V'CV is within f of the i-th greatest d (Weyl), and is lambda_i(C) times a number in [1 - e, 1 +
    e] (Ostrowski), which encloses lambda_i and the gap. With V_k the first k columns, Z = V_k (V_k'V_k)^(-1/2) and
    R = C V_k - V_k diag(d_1..d_k): ``|CZ - Z(Z'CZ)|_F <= |R|_F / sqrt(1 - e)``, as Z'CZ makes the left side least, so
    for the projector P sought ``|(I - P)Z|_F <= |R|_F / (sqrt(1 - e) g)`` if every eigenvalue of Z'CZ exceeds
    lambda_{k+1} by g > 0. Those are at least ``(d_k - f) / (1 + e)``, or over ``1 - e`` when that is negative. The
    projectors ZZ' and P have rank k, so their distance is sqrt(2) times that, and ``|ZZ' - V_k V_k'|_F <=
    (1 + e) e / (1 - e)``.

    Parameters
    ----------
    matrix
        C, symmetric and rational.
    rank
        k, from 1 to n - 1.
    proposed
        V, n x n, exact.
    bits
        Working precision.
    """
    order = matrix.nrows()
    with precision(bits):
        centre = arb_mat(matrix)
        unit = arb_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])
        transposed = proposed.transpose()
        skew = frobenius(transposed * proposed - unit)
        product = centre * proposed
        inside = transposed * product
        middle = [inside[i, i] for i in range(order)]
        values = arb_mat(order, order, [middle[i] if i == j else 0 for i in range(order) for j in range(order)])
        off = frobenius(inside - values)
        # The i-th greatest number lies between the i-th greatest lower end and the i-th greatest upper end.
        lows, highs = (sorted(map(end, middle), reverse=True) for end in (arb.lower, arb.upper))
        # For e >= 1 this ball holds zero, and nothing finite comes of the divisions.
        scale = arb(1).union(1 + skew).union(1 - skew)
        spread = arb(0).union(off).union(-off)
        upper, lower = ((lows[i].union(highs[i]) + spread) / scale for i in (rank - 1, rank))
        top = arb_mat(order, rank, [proposed[i, j] for i in range(order) for j in range(rank)])
        chosen = arb_mat(rank, rank, [inside[i, i] if i == j else 0 for i in range(rank) for j in range(rank)])
        rest = centre * top - top * chosen
        least = min(inside[i, i].lower() for i in range(rank)) - off
        ritz = (least / (1 + skew)).min(least / (1 - skew))
        separation = ritz - lower.upper()
        error = arb("inf")
        if separation > 0:
            turned = arb(2).sqrt() * frobenius(rest) / ((1 - skew).sqrt() * separation)
            error = turned + (1 + skew) * skew / (1 - skew)
        return Subspace(upper - lower, top * top.transpose(), error)


def frobenius(matrix: arb_mat) -> arb:
    """Upper bound of the Frobenius norm."""
    return sum((square(entry) for entry in matrix.entries()), arb(0)).upper().sqrt().upper()


def float_eigenvectors(matrix: fmpq_mat) -> arb_mat:
    """Propose eigenvectors by binary64, in falling order of the eigenvalues."""
    largest = max(abs(entry) for entry in matrix.entries()) or fmpq(1)
    rows = [[float(Fraction(int(x.p), int(x.q))) for x in row] for row in (matrix / largest).tolist()]
    _, vectors = np.linalg.eigh(np.array(rows))
    return arb_mat([[arb(x) for x in reversed(row)] for row in vectors.tolist()])


def precise_eigenvectors(matrix: fmpq_mat, digits: int) -> arb_mat:
    """Propose eigenvectors with so many decimal digits."""
    with mpmath.workdps(digits):
        rows = [[mpmath.mpf(int(x.p)) / int(x.q) for x in row] for row in matrix.tolist()]
        _, vectors = mpmath.eigsy(mpmath.matrix(rows))
    # A ball around a number of mpmath is exact, whatever the working precision.
    return arb_mat([[arb(x) for x in reversed(row)] for row in vectors.tolist()])


def rounded_subspace(matrix: fmpq_mat, rank: int, gap_bits: int, projector_bits: int) -> tuple[int, IntegerMatrix]:
    """Round the gap to within one unit of ``2**-g`` and the projector to within n units of ``2**-b``, certified.

    Parameters
    ----------
    matrix
        C, symmetric and rational, n x n.
    rank
        k, from 1 to n - 1.
    gap_bits, projector_bits
        g and b.

    Returns
    -------
    int
        An integer within 1 of ``2**g (lambda_k - lambda_{k+1})``.
    ndarray of int
        Shape (n, n), symmetric, within n in Frobenius norm of ``2**b`` times the projector. Zero where the gap is not
        certainly above 1: a matrix with a gap of 2 or more is never among these.

    Raises
    ------
    UndecidedError
        If several hundred digits do not suffice: only for eigenvalues or bits far beyond those of `mechanisms`.
    """
    order = matrix.nrows()
    for digits in (0, *(FIRST_DIGITS << step for step in range(DOUBLINGS + 1))):
        proposed = precise_eigenvectors(matrix, digits) if digits else float_eigenvectors(matrix)
        bits = BALL_BITS + 4 * digits
        found = certify_subspace(matrix, rank, proposed, bits)
        with precision(bits):
            units = found.gap * 2**gap_bits
            narrow = units.is_finite() and units.rad() < arb(1) / 4
            # Rounding moves an entry by half a unit at most, and the matrix by n / 2 units.
            close = found.error * 2**projector_bits < arb(order) / 4
            if narrow and (close or not found.gap > 1):
                return _nearest(units), _rounded(found, projector_bits)
    raise UndecidedError("the eigenvectors of the data could not be certified")


def _rounded(found: Subspace, bits: int) -> IntegerMatrix:
    order = found.projector.nrows()
    rounded = np.zeros((order, order), dtype=object)
    if found.gap > 1:
        for i in range(order):
            for j in range(i, order):
                rounded[i, j] = rounded[j, i] = _nearest(found.projector[i, j] * 2**bits)
    return rounded


def _nearest(value: arb) -> int:
    middle = value.mid()
    mantissa, exponent = middle.man_exp()
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return math.floor(exact + Fraction(1, 2))
