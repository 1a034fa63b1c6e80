"""Exact sensitivities of the second-moment matrix X'X, unnormalised, for records in a ball.

Replacing a record v by w changes X'X by vv' - ww'. Every sensitivity is the largest norm of that difference over
|v|, |w| <= norm_bound, so it scales with norm_bound squared; a normalised statistic divides it by its divisor.
`dpmatrix.privacy.differences` has records that attain each one.
"""

from __future__ import annotations

from enum import Enum

from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, ball
from dpmatrix.privacy.adjacency import Adjacency, replaces
from dpmatrix.privacy.domains import dimension_of, nonnegative


class Entries(Enum):
    """Which entries of a symmetric matrix a mechanism perturbs with independent noise."""

    FULL = "full"
    """All d * d entries."""

    UPPER_TRIANGLE = "upper-triangle"
    """The d (d + 1) / 2 entries on and above the diagonal: `wishart.algorithm-1`."""


def only_triangle(entries: Entries) -> bool:
    """Whether only the upper triangle counts.

    Raises
    ------
    InvalidParameterError
        If the choice is no member of `Entries`.
    """
    if not isinstance(entries, Entries):
        raise InvalidParameterError("entries", f"{entries!r} is no choice of entries", "pass a member of Entries")
    return entries is Entries.UPPER_TRIANGLE


def l1_sensitivity(dimension: int, adjacency: Adjacency, entries: Entries = Entries.FULL, norm_bound: Real = 1) -> arb:
    r"""Return the largest l1 norm of vv' - ww', over all entries or over the upper triangle with the diagonal.

    Replace-one, full: :math:`\sqrt{2d^2 - (d \bmod 2)}`. Replace-one, upper triangle:
    :math:`\tfrac12\sqrt{(d+2)^2 + d^2 - (d \bmod 2)}` for d >= 2, and 1 for d = 1.
    Add/remove: d and (d + 1) / 2, attained by the vector of equal entries (Cauchy-Schwarz).

    Parameters
    ----------
    dimension
        Length d >= 1 of a record.
    adjacency, entries
        Relation, and the entries that count.
    norm_bound
        Public bound on the Euclidean norm of a record, at least zero.

    Raises
    ------
    InvalidParameterError
        If the dimension is no positive integer, the bound is negative or not finite, or an option is unknown.

    Notes
    -----
    *Upper triangle.* Let D = vv' - ww', let I hold the p coordinates with v_i^2 >= w_i^2 and J the other q. Write X, Y
    and Z for the l2 norms of the blocks I x I, J x J and I x J of D, so that X^2 + Y^2 + 2 Z^2 = |D|_F^2 <= 2. By
    Cauchy-Schwarz the l1 norms of the blocks are at most p X, q Y and sqrt(pq) Z. A block on the diagonal has one
    eigenvalue of either sign at most, so its trace is at most X or Y; both traces are opposite, say x and -x, for unit
    vectors, and the diagonal of D has l1 norm 2x. Twice the norm of the triangle is hence at most
    p X + q Y + 2 sqrt(pq) Z + 2x with x <= X and x <= Y, whose square is at most (d+2)^2 + d^2 - (d mod 2): replace
    the first, second and last term by (p + q + 2)(X + Y)/2 if |p - q| <= 1, by p X + (q + 2) Y if p >= q + 2, by
    (p + 2) X + q Y if q >= p + 2, and use Cauchy-Schwarz again. For shorter vectors D is a mean of such differences
    and of vv', -ww' and 0, whose norms are at most (d + 1)/2. A constant off-diagonal block and |p - q| = d mod 2
    attain the bound. That it is one, for every d, is checked in the kernel (`laplace_release_is_private`).

    *Full.* The l1 norm is the maximum of v'Sv - w'Sw over symmetric matrices S of signs, so for d >= 2 the sensitivity
    is the largest spread lambda_1 - lambda_d of such an S. At a maximiser the sign of v_i v_j - w_i w_j is that of
    v_i v_j on I x I, and on J x J that of -w_i w_j. Flipping signs of coordinates keeps the spread and makes the
    diagonal blocks of S equal to J_p and -J_q (J_p the matrix of ones). Always spread^2 = 2 tr S^2 - 2 (sum of the
    squares of the other eigenvalues) - (lambda_1 + lambda_d)^2, and tr S^2 = d^2. If the off-diagonal block is
    constant, spread^2 = d^2 + 4pq, at most 2d^2 - (d mod 2). Otherwise a row or a column of it has both signs, and S
    contains [[1,1,1],[1,1,-1],[1,-1,-1]] (eigenvalues 2, 1, -2) or its negative, up to order and signs of the
    coordinates. By interlacing another eigenvalue of S has modulus at least 1, so spread^2 <= 2d^2 - 2. The same
    choice as for the triangle attains the bound.
    """
    size = dimension_of(dimension)
    triangle = only_triangle(entries)
    if replaces(adjacency) and size > 1:
        squared = fmpq((size + 2) ** 2 + size**2 - size % 2, 4) if triangle else fmpq(2 * size**2 - size % 2)
        unit = arb(squared).sqrt()
    else:
        unit = arb(fmpq(size + 1, 2)) if triangle else arb(size)
    return unit * _scale(norm_bound)


def frobenius_sensitivity(dimension: int, adjacency: Adjacency, norm_bound: Real = 1) -> arb:
    """Return the largest l2 norm of vv' - ww': of the full matrix, and equally of its upper triangle.

    The squared norm is |v|^4 + |w|^4 - 2 <v,w>^2, so replace-one gives sqrt(2) at orthonormal records (1 for d = 1)
    and add/remove gives 1. The triangle counts fewer entries and attains the same at the first two unit vectors.
    Parameters and errors as in `l1_sensitivity`.
    """
    size = dimension_of(dimension)
    both = replaces(adjacency) and size > 1
    return arb(2 if both else 1).sqrt() * _scale(norm_bound)


def nuclear_sensitivity(dimension: int, adjacency: Adjacency, norm_bound: Real = 1) -> arb:
    """Return the largest nuclear norm of vv' - ww': 2 for replace-one (1 for d = 1), 1 for add/remove.

    Parameters and errors as in `l1_sensitivity`; `nuclear_distance` gives the norm for given records.
    """
    size = dimension_of(dimension)
    both = replaces(adjacency) and size > 1
    return arb(2 if both else 1) * _scale(norm_bound)


def spectral_sensitivity(dimension: int, adjacency: Adjacency, norm_bound: Real = 1) -> arb:
    """Return the largest spectral norm of vv' - ww': 1 for both relations, as -ww' <= vv' - ww' <= vv'.

    Parameters and errors as in `l1_sensitivity`.
    """
    dimension_of(dimension)
    replaces(adjacency)
    return arb(1) * _scale(norm_bound)


def _scale(norm_bound: Real) -> arb:
    nonnegative(norm_bound, "norm_bound")
    return ball(norm_bound, "norm_bound") ** 2
