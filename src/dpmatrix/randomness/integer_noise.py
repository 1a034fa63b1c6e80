"""Discrete Laplace and discrete Gaussian noise of any rational scale, by the fastest method that is exact there.

Scales from `SMALLEST_SCALE` to `LARGEST_SCALE` are drawn by `fast_discrete`, larger ones by `fast_wide` and smaller
ones by `fast_tiny`. All three have exactly the law of the reference samplers in `discrete`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact
from dpmatrix.randomness import fast_discrete, fast_tiny, fast_wide
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.fast_arguments import array_shape, exact_rational
from dpmatrix.randomness.fast_discrete import LARGEST_SCALE, SMALLEST_SCALE
from dpmatrix.randomness.fast_wide import AnyIntegers


def laplace_integers(scale: Exact, count: int, entropy: Entropy) -> AnyIntegers:
    """Draw independent k with probability proportional to ``exp(-|k| / scale)`` over the integers.

    Parameters
    ----------
    scale
        A positive rational.
    count
        How many, at least zero.
    entropy
        Source of the bits.

    Returns
    -------
    ndarray
        Shape (count,): 64-bit integers where all fit, Python integers otherwise.

    Raises
    ------
    InvalidParameterError
        If the scale is not a positive rational, or the count is negative.
    EntropyError
        If the entropy fails or runs short, or the process is forked in the middle.
    OutOfRangeError
        If a part of a variate does not fit 64 bits: probability below ``exp(-2**22)`` for each, whatever is added to
        the noise.
    """
    exact, size = _positive(scale, "scale"), _size(count)
    if exact > LARGEST_SCALE:
        return fast_wide.wide_laplace(exact, size, entropy)
    draw: Callable[..., AnyIntegers] = (
        fast_discrete.discrete_laplace if exact >= SMALLEST_SCALE else fast_tiny.tiny_laplace
    )
    return draw(exact, size, entropy)


def gaussian_integers(variance: Exact, count: int, entropy: Entropy) -> AnyIntegers:
    """Draw independent k with probability proportional to ``exp(-k**2 / (2 variance))`` over the integers.

    Parameters, result and errors are those of `laplace_integers`, with a variance in place of the scale.
    """
    exact, size = _positive(variance, "variance"), _size(count)
    if exact > LARGEST_SCALE**2:
        return fast_wide.wide_gaussian(exact, size, entropy)
    draw: Callable[..., AnyIntegers] = (
        fast_discrete.discrete_gaussian if exact >= SMALLEST_SCALE**2 else fast_tiny.tiny_gaussian
    )
    return draw(exact, size, entropy)


def discrete_laplace_noise(scale: Exact, count: int, entropy: Entropy) -> list[int]:
    """Draw as `laplace_integers` does, in a list of Python integers, so that a sum with them cannot wrap."""
    values: list[int] = laplace_integers(scale, count, entropy).tolist()
    return values


def discrete_gaussian_noise(variance: Exact, count: int, entropy: Entropy) -> list[int]:
    """Draw as `gaussian_integers` does, in a list of Python integers, so that a sum with them cannot wrap."""
    values: list[int] = gaussian_integers(variance, count, entropy).tolist()
    return values


def _positive(value: Exact, name: str) -> Fraction:
    exact = exact_rational(value, name)
    if exact <= 0:
        raise InvalidParameterError(name, f"{exact} is not positive", f"pass a positive rational {name}")
    return exact


def _size(count: int) -> int:
    (size,) = array_shape(count)
    return size
