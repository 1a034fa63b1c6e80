"""Margins of the well-known facts of section 2; `notation` holds the claim."""

from __future__ import annotations

from itertools import pairwise

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Condition
from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.common.conditions import equality
from dpmatrix.spec.common.spectra import diagonal, disagreement, eigenvalues, identity, singular_values, trace
from dpmatrix.spec.sliding_window.loewner import flag, gram, squared_norm
from dpmatrix.spec.wishart.laws import multivariate_gamma_log


@attrs.frozen
class SymmetricPoint:
    """A symmetric rational matrix."""

    matrix: fmpq_mat


def symmetric_margin(p: SymmetricPoint) -> arb:
    """Zero exactly for a symmetric matrix."""
    return disagreement(p.matrix, p.matrix.transpose())


SYMMETRIC = (Condition("A is symmetric", symmetric_margin),)


def extreme_magnitudes(p: SymmetricPoint) -> tuple[arb, arb]:
    """``|lambda_max|`` and ``|lambda_min|``."""
    values = eigenvalues(p.matrix)
    return abs(values[0]), abs(values[-1])


def largest_singular_margin(p: SymmetricPoint) -> arb:
    """s_max against max(|lambda_max|, |lambda_min|)."""
    high, low = extreme_magnitudes(p)
    return equality(singular_values(p.matrix)[0], high.max(low))


def least_singular_margin(p: SymmetricPoint) -> arb:
    """s_min against min(|lambda_max|, |lambda_min|), as printed."""
    high, low = extreme_magnitudes(p)
    return equality(singular_values(p.matrix)[-1], high.min(low))


def least_magnitude_margin(p: SymmetricPoint) -> arb:
    """s_min against the least |lambda_i|."""
    least = abs(eigenvalues(p.matrix)[0])
    for value in eigenvalues(p.matrix)[1:]:
        least = least.min(abs(value))
    return equality(singular_values(p.matrix)[-1], least)


@attrs.frozen
class MatrixPoint:
    """A rational matrix and a rational vector x (m x 1)."""

    matrix: fmpq_mat
    vector: fmpq_mat


def count_margin(p: MatrixPoint) -> arb:
    """min(n, m) minus the number of non-zero singular values, which is the rank."""
    return arb(min(p.matrix.nrows(), p.matrix.ncols()) - p.matrix.rank())


def spectral_bound_margin(p: MatrixPoint) -> arb:
    """s_max^2 |x|^2 - |Ax|^2: no vector is stretched more than s_max."""
    largest = square(singular_values(p.matrix)[0])
    return largest * arb(squared_norm(p.vector)) - arb(squared_norm(p.matrix * p.vector))


def frobenius_margin(p: MatrixPoint) -> arb:
    """Sum of the squared entries against the sum of the squared singular values."""
    total = sum((square(value) for value in singular_values(p.matrix)), arb(0))
    return equality(arb(squared_norm(p.matrix)), total)


def frobenius_trace_margin(p: MatrixPoint) -> arb:
    """Sum of the squared entries against Tr(A'A), exactly."""
    return arb(-abs(squared_norm(p.matrix) - trace(gram(p.matrix))))


def projection_values_margin(p: SymmetricPoint) -> arb:
    """Zero exactly when the characteristic polynomial is x^(n-k) (x - 1)^k, k the rank."""
    order, rank = p.matrix.nrows(), p.matrix.rank()
    expected = diagonal([int(i < rank) for i in range(order)]).charpoly()
    return flag(p.matrix.charpoly() == expected)


def idempotent_margin(p: SymmetricPoint) -> arb:
    """Zero exactly when P^2 = P."""
    return disagreement(p.matrix * p.matrix, p.matrix)


def orthogonal_margin(p: SymmetricPoint) -> arb:
    """Zero exactly when U'U = I."""
    return disagreement(gram(p.matrix), identity(p.matrix.nrows()))


@attrs.frozen
class DecomposedPoint:
    """A = sum s_i x_i y_i' with rational s_i >= 0 and orthonormal columns x_i of ``left``, y_i of ``right``."""

    values: tuple[fmpq, ...]
    left: fmpq_mat
    right: fmpq_mat


def composed(left: fmpq_mat, values: tuple[fmpq, ...], right: fmpq_mat) -> fmpq_mat:
    """``left diag(values) right'``."""
    return left * diagonal(values) * right.transpose()


def decomposed_matrix(p: DecomposedPoint) -> fmpq_mat:
    """``A``."""
    return composed(p.left, p.values, p.right)


def inverse_values(p: DecomposedPoint) -> tuple[fmpq, ...]:
    """1/s_i where s_i > 0, and 0 elsewhere."""
    return tuple(1 / value if value > 0 else fmpq(0) for value in p.values)


def printed_pseudoinverse_margin(p: DecomposedPoint) -> arb:
    """A A^+ A against A, with A^+ = sum x_i y_i' / s_i: -1 where a singular value is 0 or the shapes do not fit."""
    matrix = decomposed_matrix(p)
    if min(p.values) == 0 or matrix.nrows() != matrix.ncols():
        return flag(holds=False)
    inverse = composed(p.left, inverse_values(p), p.right)
    return disagreement(matrix * inverse * matrix, matrix)


def pseudoinverse_margin(p: DecomposedPoint) -> arb:
    """The four equations of Penrose, with A^+ = sum over s_i > 0 of y_i x_i' / s_i."""
    matrix = decomposed_matrix(p)
    inverse = composed(p.right, inverse_values(p), p.left)
    first, second = matrix * inverse, inverse * matrix
    return (
        disagreement(first * matrix, matrix)
        + disagreement(second * inverse, inverse)
        + disagreement(first, first.transpose())
        + disagreement(second, second.transpose())
    )


def singular_triples_margin(p: DecomposedPoint) -> arb:
    """A y_i = s_i x_i and A' x_i = s_i y_i for all i."""
    matrix, scale = decomposed_matrix(p), diagonal(p.values)
    forward = disagreement(matrix * p.right, p.left * scale)
    return forward + disagreement(matrix.transpose() * p.left, p.right * scale)


def orthonormal_margin(p: DecomposedPoint) -> arb:
    """Zero exactly when both sets of columns are orthonormal and as many as the values."""
    unit = identity(len(p.values))
    return disagreement(gram(p.left), unit) + disagreement(gram(p.right), unit)


def nonnegative_values_margin(p: DecomposedPoint) -> arb:
    """Least singular value."""
    return arb(min(p.values))


DECOMPOSED = (
    Condition("x_i and y_i are orthonormal", orthonormal_margin),
    Condition("s_i >= 0", nonnegative_values_margin),
)


@attrs.frozen
class StackPoint:
    """Times t_1 <= t_2, window W and dimension d."""

    first: int
    last: int
    window: int
    dimension: int


def stack_shape_margin(p: StackPoint) -> arb:
    """Minus the distance of the printed shape (t_2 - t_1) x W from that of the stack of a_{t_1}, ..., a_{t_2}."""
    rows = len(range(p.first, p.last + 1))
    return -arb(abs(p.last - p.first - rows) + abs(p.window - p.dimension))


def times_margin(p: StackPoint) -> arb:
    """``t_2 - t_1``."""
    return arb(p.last - p.first)


@attrs.frozen
class WishartLaw:
    """d and m of a Wishart law with C = I."""

    dimension: int
    degrees_of_freedom: Real


def wishart_total_margin(p: WishartLaw) -> arb:
    """1 minus the integral of the printed density where its sign in the exponent is mended: 2^(md) for 2^(md/2)."""
    m, d = ball(p.degrees_of_freedom), p.dimension
    mended = m * d / 2 * arb(2).log() + multivariate_gamma_log(d, m / 2)
    printed = m * d * arb(2).log() + multivariate_gamma_log(d, m / 2)
    return equality((mended - printed).exp(), arb(1))


def degrees_margin(p: WishartLaw) -> arb:
    """``m - (d - 1)``."""
    return ball(p.degrees_of_freedom) - (p.dimension - 1)


@attrs.frozen
class TailPoint:
    """Two traces t < T of positive definite 1 x 1 matrices, and m."""

    low: Real
    high: Real
    degrees_of_freedom: Real


def printed_density(value: Real, degrees: Real) -> arb:
    """R^(m/2 - 1) exp(+R/2) / (2^m Gamma(m/2)): the printed density for d = 1, C = 1."""
    half, point = ball(degrees) / 2, ball(value)
    return point ** (half - 1) * (point / 2).exp() / (arb(2) ** ball(degrees) * half.gamma())


def decreasing_tail_margin(p: TailPoint) -> arb:
    """Density at t minus density at T: an integrable one must fall somewhere beyond every point."""
    return printed_density(p.low, p.degrees_of_freedom) - printed_density(p.high, p.degrees_of_freedom)


def far_margin(p: TailPoint) -> arb:
    """``t - (m + 2)``."""
    return ball(p.low) - ball(p.degrees_of_freedom) - 2


def beyond_margin(p: TailPoint) -> arb:
    """``T - t``."""
    return ball(p.high) - ball(p.low)


@attrs.frozen
class NormalPoint:
    """A standardised argument z and a standard deviation sigma; the density integrates to the error function."""

    z: Real
    sigma: Real


def normal_density(p: NormalPoint) -> arb:
    """``exp(-z^2/2) / (sqrt(2 pi) sigma)``."""
    return (-square(ball(p.z)) / 2).exp() / ((2 * arb.pi()).sqrt() * ball(p.sigma))


def normal_mass_margin(p: NormalPoint) -> arb:
    """Derivative of the normal distribution function Phi((x - mu)/sigma) against the printed density."""
    z, sigma = ball(p.z), ball(p.sigma)
    derivative = 2 / arb.pi().sqrt() * (-square(z / arb(2).sqrt())).exp() / (2 * arb(2).sqrt() * sigma)
    return equality(normal_density(p), derivative)


@attrs.frozen
class RankPoint:
    """A matrix with its singular values, as in `DecomposedPoint`, and a matrix B of the same shape."""

    values: tuple[fmpq, ...]
    left: fmpq_mat
    right: fmpq_mat
    other: fmpq_mat


def best_rank_margin(p: RankPoint) -> arb:
    """|A - B|_F^2 minus the sum of s_i^2 beyond the rank of B, for values in decreasing order."""
    rest = sum((value * value for value in p.values[p.other.rank() :]), fmpq(0))
    return arb(squared_norm(composed(p.left, p.values, p.right) - p.other) - rest)


def decreasing_values_margin(p: RankPoint) -> arb:
    """Least drop from one singular value to the next; the last one counts too."""
    drops = [large - small for large, small in pairwise((*p.values, fmpq(0)))]
    return arb(min(drops))


def rank_orthonormal_margin(p: RankPoint) -> arb:
    """Zero exactly when both sets of columns are orthonormal."""
    return orthonormal_margin(DecomposedPoint(p.values, p.left, p.right))
