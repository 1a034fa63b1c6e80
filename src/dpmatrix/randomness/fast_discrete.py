"""Arrays of geometric, discrete Laplace and discrete Gaussian variates, exact and vectorised.

The fast twins of `dpmatrix.randomness.discrete`. The laws are the same real numbers, to the last digit; the proof is in
`fast_rectangles` and `fast_tables`. One 64-bit word is spent on a proposal, of which about nine in ten are kept. The
time of a draw depends on how many proposals are refused and on the few that balls decide: it is not constant, and the
proof speaks of the values alone. Tables are kept for the last 32 parameters of each law.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.fast_arguments import Shape, array_shape, exact_rational
from dpmatrix.randomness.fast_rectangles import RectangleSampler
from dpmatrix.randomness.fast_tables import Integers, Layout, Weight

SMALLEST_SCALE = Fraction(1, 1000)
LARGEST_SCALE = Fraction(2**40)
LAPLACE_FINENESS = 8
GAUSSIAN_FINENESS = 16


def geometric(scale: Exact, shape: Shape, entropy: Entropy) -> Integers:
    """Draw an array of independent k >= 0 with probability proportional to ``exp(-k / scale)``.

    Parameters
    ----------
    scale
        A rational from 1/1000 to 2**40.
    shape
        Shape of the array.
    entropy
        Source of the words.

    Raises
    ------
    InvalidParameterError
        If the scale is not a rational within its bounds, or the shape is not one.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle; nothing is returned.
    OutOfRangeError
        If a variate does not fit 64 bits: probability below ``exp(-2**22)`` for each.
    """
    exact = _within(exact_rational(scale, "scale"), SMALLEST_SCALE, LARGEST_SCALE, "scale")
    return _exponential_sampler(exact, two_sided=False).draw(array_shape(shape), entropy)


def discrete_laplace(scale: Exact, shape: Shape, entropy: Entropy) -> Integers:
    """Draw an array of independent k with probability proportional to ``exp(-|k| / scale)`` over the integers.

    Parameters and errors are those of `geometric`.
    """
    exact = _within(exact_rational(scale, "scale"), SMALLEST_SCALE, LARGEST_SCALE, "scale")
    return _exponential_sampler(exact, two_sided=True).draw(array_shape(shape), entropy)


def discrete_gaussian(variance: Exact, shape: Shape, entropy: Entropy) -> Integers:
    """Draw an array of independent k with probability proportional to ``exp(-k**2 / (2 variance))`` over the integers.

    Parameters
    ----------
    variance
        A rational from 1/1000**2 to 2**80.
    shape
        Shape of the array.
    entropy
        Source of the words.

    Raises
    ------
    InvalidParameterError
        If the variance is not a rational within its bounds, or the shape is not one.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle; nothing is returned.
    OutOfRangeError
        If a proposal does not fit 64 bits: probability below ``exp(-2**22)`` for each.
    """
    exact = _within(exact_rational(variance, "variance"), SMALLEST_SCALE**2, LARGEST_SCALE**2, "variance")
    return _gaussian_sampler(exact).draw(array_shape(shape), entropy)


@lru_cache(maxsize=32)
def _exponential_sampler(scale: Fraction, *, two_sided: bool) -> RectangleSampler:
    width = scale.numerator // scale.denominator
    return RectangleSampler(Weight(1 / scale, Fraction(0), two_sided), Layout(block_bits(width // LAPLACE_FINENESS)))


@lru_cache(maxsize=32)
def _gaussian_sampler(variance: Fraction) -> RectangleSampler:
    width = isqrt(variance.numerator // variance.denominator)
    return RectangleSampler(Weight(Fraction(0), 1 / (2 * variance)), Layout(block_bits(width // GAUSSIAN_FINENESS)))


def block_bits(longest: int) -> int:
    """Give the largest s with ``2**s <= longest``, or zero."""
    return max(longest.bit_length() - 1, 0)


def _within(value: Fraction, least: Fraction, most: Fraction, name: str) -> Fraction:
    if not least <= value <= most:
        raise InvalidParameterError(name, f"{float(value):.6g} is out of bounds", f"stay within {least} and {most}")
    return value
