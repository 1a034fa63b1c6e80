r"""Exact second moments of noise whose law does not change under rotations, and of K-norm noise among them.

For eigenvalues of density proportional to :math:`\prod_{i<j}|x_i - x_j| \prod_i w(x_i)` the normaliser is d! times a
Pfaffian (de Bruijn 1955): of the skew moments of w for even d, and with a row of its moments added for odd d. With the
weight :math:`e^{-x}` above zero and :math:`e^{x/z}` below it is a polynomial :math:`\sum_b F_b z^b` of degree
D = d (d + 1)/2: on the part where the positive eigenvalues have the sum s and the negative ones -t, the density of
(s, t) is a sum of :math:`F_b s^{D-b-1} t^{b-1} / (\Gamma(D-b) \Gamma(b))`. So its coefficients give the integrals of
every function of s and t, and those of its derivative in the direction of :math:`x^2 w` that of |N|_F^2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, isqrt

from attrs import frozen
from flint import fmpq, fmpq_mat


@frozen
class NoiseMoments:
    """Of a symmetric random matrix N of mean zero whose law does not change under rotations.

    Attributes
    ----------
    dimension
        d.
    frobenius
        E |N|_F^2.
    trace
        E (tr N)^2.
    """

    dimension: int
    frobenius: Fraction
    trace: Fraction

    @property
    def off_diagonal(self) -> Fraction | None:
        """Variance of an entry beside the diagonal; None for d = 1.

        Rotations leave E N_ij N_kl = a (I_ik I_jl + I_il I_jk) + b I_ij I_kl, so E |N|_F^2 = d (d + 1) a + d b and
        E (tr N)^2 = 2 d a + d^2 b.
        """
        d = self.dimension
        return None if d == 1 else (d * self.frobenius - self.trace) / (d * (d * d + d - 2))

    @property
    def diagonal(self) -> Fraction:
        """Variance of an entry on the diagonal."""
        return self.frobenius / self.dimension - (self.dimension - 1) * (self.off_diagonal or 0)


@frozen
class KNormMoments(NoiseMoments):
    """Those of K-norm noise of scale 1.

    Attributes
    ----------
    accepted
        Share of pairs P, Q with P + Q >= |P - Q|, of which the noise is made; see `KNormMechanism`.
    """

    accepted: Fraction


@cache
def k_norm_moments(dimension: int, *, replaces: bool) -> KNormMoments:
    """Compute the moments of noise of density proportional to exp(-|N|), exactly.

    Parameters
    ----------
    dimension
        d >= 1; the work grows with its sixth power or so: a second at d = 12.
    replaces
        Whether |N| is the larger trace of the parts of either sign, or else the nuclear norm.
    """
    size = dimension * (dimension + 1) // 2
    masses, squares = _coefficients(dimension)

    def total(parts: Sequence[fmpq], factor: Callable[[int, int], int]) -> fmpq:
        """Integrate: s^i t^j makes c (c + 1)... and b (b + 1)... of the powers c and b, and shifts them."""
        return sum((part * factor(len(parts) - 1 - b, b) for b, part in enumerate(parts)), fmpq(0))

    def weight(above: int, below: int) -> int:
        return comb(above + below, above) if replaces else 1

    def squared_trace(c: int, b: int) -> int:
        rises = c * (c + 1) * weight(c + 2, b) + b * (b + 1) * weight(c, b + 2)
        return rises - 2 * c * b * weight(c + 1, b + 1)

    mass = total(masses, weight)
    proposals = comb(2 * size, size) if replaces else 2**size
    return KNormMoments(
        dimension,
        _fraction(total(squares, weight) / mass),
        _fraction(total(masses, squared_trace) / mass),
        _fraction(mass / (masses[0] * proposals)),
    )


def _coefficients(dimension: int) -> tuple[list[fmpq], list[fmpq]]:
    """Return the coefficients F_b of the normaliser over d!, b = 0, ..., D, and those of the integral of |N|_F^2."""
    size = dimension * (dimension + 1) // 2
    points = [fmpq(point) for point in range(1, size + 4)]
    values = [_pfaffian_and_slope(dimension, point) for point in points]
    masses = _interpolated(points[: size + 1], [mass for mass, _ in values[: size + 1]])
    return masses, _interpolated(points, [slope for _, slope in values])


def _pfaffian_and_slope(dimension: int, z: fmpq) -> tuple[fmpq, fmpq]:
    """Return the Pfaffian for the weight w, and its derivative in the direction of x^2 w."""
    order = dimension + dimension % 2
    skew, change = fmpq_mat(order, order), fmpq_mat(order, order)
    for i in range(order):
        for j in range(order):
            skew[i, j] = _entry(i, j, dimension, z, 0)
            change[i, j] = _entry(i, j, dimension, z, 2)
    square = skew.det()
    pfaffian = fmpq(isqrt(int(square.p)), isqrt(int(square.q)))
    quotient = skew.solve(change)
    slope = sum((quotient[i, i] for i in range(order)), fmpq(0)) / 2
    return pfaffian, pfaffian * slope


def _entry(i: int, j: int, dimension: int, z: fmpq, more: int) -> fmpq:
    """Return an entry of the skew matrix, or of its derivative if ``more`` is 2; past d stands a row of moments."""
    if dimension in (i, j):
        if i == j:
            return fmpq(0)
        return _moment(i + more, z) if j == dimension else -_moment(j + more, z)
    if more:
        pairs = ((i + more, j), (i, j + more))
        return sum((_ordered(a, b, z) - _ordered(b, a, z) for a, b in pairs), fmpq(0))
    return _ordered(i, j, z) - _ordered(j, i, z)


def _moment(i: int, z: fmpq) -> fmpq:
    """Integral of x^i w."""
    found: fmpq = factorial(i) * (1 + (-1) ** i * z ** (i + 1))
    return found


def _ordered(i: int, j: int, z: fmpq) -> fmpq:
    """Integral of x^i y^j w(x) w(y) over x < y: both above zero, both below, or zero between them."""
    alike = _half(i, j) + (-1) ** (i + j) * _half(j, i) * z ** (i + j + 2)
    found: fmpq = alike + (-1) ** i * factorial(i) * factorial(j) * z ** (i + 1)
    return found


@cache
def _half(i: int, j: int) -> fmpq:
    """Integral of x^i y^j e^(-x - y) over 0 < x < y: that over y is j! e^(-x) times the sum of x^m / m!, m <= j."""
    terms = (fmpq(factorial(j) // factorial(m) * factorial(i + m), 2 ** (i + m + 1)) for m in range(j + 1))
    return sum(terms, fmpq(0))


def _interpolated(points: Sequence[fmpq], values: Sequence[fmpq]) -> list[fmpq]:
    """Return the coefficients, the constant first, of the polynomial through points: Newton's divided differences."""
    divided = list(values)
    for step in range(1, len(points)):
        for k in range(len(points) - 1, step - 1, -1):
            divided[k] = (divided[k] - divided[k - 1]) / (points[k] - points[k - step])
    found = [fmpq(0)] * len(points)
    for k in range(len(points) - 1, -1, -1):
        shifted = [fmpq(0), *found[:-1]]
        found = [up - points[k] * same for up, same in zip(shifted, found, strict=True)]
        found[0] += divided[k]
    return found


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))
