"""How large the noise of a mechanism is, from public parameters alone."""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.exact import fraction, rational
from dpmatrix.mechanisms.gaussian import GaussianPerturbation
from dpmatrix.mechanisms.gaussian_orthogonal import GaussianOrthogonal
from dpmatrix.mechanisms.laplace import LaplaceInputPerturbation
from dpmatrix.mechanisms.menu import AnyMechanism
from dpmatrix.mechanisms.noise_moments import NoiseMoments
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation


@frozen
class NoiseSize:
    """Root mean squares of a noise of mean zero, in the units of the published matrix, rounded up.

    Attributes
    ----------
    off_diagonal, diagonal
        Standard deviation of an entry there; ``off_diagonal`` is None for d = 1, where there is none.
    frobenius
        Root of the expected square of the Frobenius norm, which the expected norm does not exceed.
    """

    off_diagonal: Fraction | None
    diagonal: Fraction
    frobenius: Fraction


def noise_size(mechanism: AnyMechanism, dimension: int, divisor: int, grid: Fraction) -> NoiseSize | None:
    """Compute the size of the noise, before the rounding of at most half a grid; None of a mechanism that adds none.

    Noise that is rounded correctly has second moments that its mechanism knows.
    The discrete Laplace law of scale t, with probabilities proportional to exp(-|k|/t), has variance
    ``1 / (2 sinh(1/2t)**2)``, and a discrete Gaussian at most its parameter. These two are copied from the upper
    triangle to the lower, so that each of d**2 entries has that variance.
    """
    match mechanism:
        case RoundedPerturbation():
            roots = _by_moments(mechanism.moments(dimension), mechanism.noise_scale(dimension, divisor) ** 2)
        case GaussianOrthogonal():
            square = Fraction(1, divisor * 4**mechanism.coordinate_bits) ** 2
            roots = _by_moments(mechanism.moments(dimension), mechanism.noise_variance(dimension) * square)
        case LaplaceInputPerturbation():
            # It falls with the half: one that is beyond reason is cut, which bounds the variance from above.
            half = arb(rational(min(1 / (2 * mechanism.noise_scale(dimension)), Fraction(1000))))
            roots = _alike(upper(1 / (2 * half.sinh() ** 2)), dimension, grid)
        case GaussianPerturbation():
            roots = _alike(mechanism.noise_variance(dimension), dimension, grid)
        case _:
            return None
    return NoiseSize(roots[0] if dimension > 1 else None, roots[1], roots[2])


def _by_moments(moments: NoiseMoments, square: Fraction) -> list[Fraction]:
    return [_root(size * square) for size in (moments.off_diagonal or 0, moments.diagonal, moments.frobenius)]


def _alike(variance: Fraction, dimension: int, grid: Fraction) -> list[Fraction]:
    square = variance * grid**2
    return [_root(square), _root(square), _root(square * dimension**2)]


def _root(value: Fraction) -> Fraction:
    return upper(arb(rational(value)).sqrt())


def upper(value: arb) -> Fraction:
    """Return the upper end of a ball."""
    mantissa, exponent = value.upper().man_exp()
    return fraction(fmpq(mantissa) * fmpq(2) ** int(exponent))
