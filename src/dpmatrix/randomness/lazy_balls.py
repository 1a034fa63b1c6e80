"""Uniform points of the unit ball of a norm of symmetric matrices, scaled, as lazily refined reals."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import WORD_BITS, Indices, LazyExponentials, LazyReals


class LazyBallPoint:
    r"""The point :math:`r U^{1/D} N / |N|` of a ball of radius r, N = P - Q symmetric and U uniform on (0, 1).

    D = d (d + 1)/2 is the dimension of symmetric matrices. Let N have a density that depends on \|N\| alone. Then
    N / \|N\| does not depend on \|N\|, and has the same law as for the uniform law on the unit ball, whose norm is
    :math:`U^{1/D}`. So the point is uniform on the ball of radius r.

    Parameters
    ----------
    first, second
        P and Q, symmetric, each of shape (d, d); entries above the diagonal are read.
    norm
        Encloses a norm of a symmetric rational matrix. It is at most the nuclear norm.
    radius
        r, positive.
    entropy
        Source of the digits of U.

    Raises
    ------
    InvalidParameterError
        If the radius is not positive, or the shapes are not one square.
    EntropyError
        If the entropy fails or runs short.
    """

    def __init__(
        self,
        first: LazyReals,
        second: LazyReals,
        norm: Callable[[fmpq_mat], arb],
        radius: Fraction,
        entropy: Entropy,
    ) -> None:
        if radius <= 0:
            raise InvalidParameterError("radius", f"{radius} is not positive", "pass a positive rational")
        if len(first.shape) != 2 or first.shape[0] != first.shape[1] or first.shape != second.shape:
            problem = f"shapes {first.shape} and {second.shape} are not those of square matrices of one size"
            raise InvalidParameterError("second", problem, "pass two matrices of shape (d, d)")
        self.shape = first.shape
        self._parts, self._norm, self._radius = (first, second), norm, fmpq(radius.numerator, radius.denominator)
        self._exponential = LazyExponentials((1,), entropy)
        order = self.shape[0]
        self._upper = [i * order + j for i in range(order) for j in range(i, order)]

    def approximate(self) -> FloatBalls:
        """Enclose the point in floating point."""
        with precision(WORD_BITS):
            return FloatBalls.enclosing(self.enclose(range(self.shape[0] ** 2)), self.shape)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits are known of all that entries are made of: the norm takes the whole matrix."""
        if entries:
            for part in self._parts:
                part.refine(bits, self._upper)
            self._exponential.refine(bits, [0])

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        order = self.shape[0]
        both = zip(*(part.enclose(self._upper) for part in self._parts), strict=True)
        values = dict(zip(self._upper, (a - b for a, b in both), strict=True))
        factor = self._factor(values)
        places = (sorted(divmod(index, order)) for index in entries)
        return [factor * values[row * order + column] for row, column in places]

    def _factor(self, values: dict[int, arb]) -> arb:
        r"""Enclose :math:`r U^{1/D} / |N|`.

        The centres C of the entries form a rational matrix. \|N\| differs from \|C\| by at most the nuclear norm of
        N - C, which is at most :math:`d^{1/2}` times the Frobenius norm.
        """
        if not all(value.is_finite() for value in values.values()):
            return arb("nan")
        order = self.shape[0]
        center, square = fmpq_mat(order, order), arb(0)
        for index, value in values.items():
            row, column = divmod(index, order)
            center[row, column] = center[column, row] = _middle(value)
            square += (1 if row == column else 2) * arb(value.rad()) ** 2
        norm = self._norm(center) + arb(0, (order * square).sqrt().upper())
        (exponential,) = self._exponential.enclose([0])
        return self._radius * (-exponential / len(self._upper)).exp() / norm


def _middle(value: arb) -> fmpq:
    """Return the centre of a ball, exactly."""
    mantissa, exponent = value.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)
