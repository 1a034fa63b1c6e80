"""Weights of noisy combinations of the last leaves of a stream, and how much noise a window has that is read off them.

With a(x) = (1 - x^W)/(1 - x), the sum of the last W, and c(x) the weights, the noise of a window is that of a(x)/c(x).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from flint import fmpz_poly
from scipy.signal import fftconvolve

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer

FloatVector = npt.NDArray[np.float64]
WEIGHT_BITS = 16
"""The first weight is ``2**16``, the others are rounded to integers."""

QUOTIENT_BITS = 48
"""Quotients are rounded to multiples of ``2**-48``."""

STABLE = Fraction(1, 1 << 20)
"""Bound on the l1 norm of what a quotient leaves over."""

MOST_LEAVES = 1 << 20
"""Leaves of a window at most."""

MOST_BANDS = 8
"""Times the leaves of a window, which a combination holds at most."""

LONGEST_SERIES = 1 << 24
"""Terms of a quotient at most."""

LARGEST_TERM = 2.0**12
"""A quotient with a larger term, or a larger sum of its first terms, adds noise up."""


def root_weights(leaves: int, bands: int) -> FloatVector:
    """Expand ``((1 - x^W)/(1 - x))^(1/2)``, the weights of the least noise, to so many terms, rounded.

    Parameters
    ----------
    leaves
        W, at least 1.
    bands
        Number of terms, at least 1.

    Returns
    -------
    ndarray
        Shape (bands,); the first term is 1.
    """
    places = np.arange(1, bands)
    slow = np.concatenate(([1.0], np.cumprod((2 * places - 1) / (2 * places))))
    found, factor = np.zeros(bands), 1.0
    for turn, start in enumerate(range(0, bands, leaves)):
        found[start:] += factor * slow[: bands - start]
        factor *= (turn - 0.5) / (turn + 1)
    return found


def reciprocal(weights: FloatVector, terms: int) -> FloatVector:
    """Expand 1/c(x), c(0) = 1, to so many terms, by Newton's iteration in floating point.

    Raises
    ------
    InvalidParameterError
        If a term is very large.
    """
    found = np.ones(1)
    while len(found) < terms:
        if np.abs(found).max() > LARGEST_TERM:
            raise _unbounded()
        count = min(2 * len(found), terms)
        correction = np.zeros(count)
        product = fftconvolve(weights[:count], found)[:count]
        correction[: len(product)] = -product
        correction[0] += 2
        found = fftconvolve(found, correction)[:count]
    return found


def _unbounded() -> InvalidParameterError:
    problem = "noise of these weights is not shown to stay bounded"
    return InvalidParameterError("bands", problem, "pass another number: as many as leaves, or half as many again")


def left_over(weights: list[int], quotient: list[int]) -> Fraction:
    """Compute the l1 norm of ``c(x) q(x) - 1`` exactly; units are 2^-16 for weights and 2^-48 for the quotient."""
    product = fmpz_poly(weights) * fmpz_poly(quotient)
    product[0] -= 1 << WEIGHT_BITS + QUOTIENT_BITS
    return Fraction(sum(abs(int(value)) for value in product.coeffs()), 1 << WEIGHT_BITS + QUOTIENT_BITS)


@frozen(slots=False)
class WindowFactorisation:
    """Integer weights c_0, ..., c_(w-1) of a moving combination of leaves, from which window sums are read off.

    Parameters
    ----------
    leaves
        W, the number of leaves in the window.
    bands
        w, the number of leaves that a combination holds. More are nearer to the least noise, up to about 1.5 W.

    Raises
    ------
    InvalidParameterError
        If a number is not positive or too large, or 1/c(x) cannot be shown to be bounded, so that noise might add up
        for ever.

    Notes
    -----
    Let q(x) be the quotient found for 1/c(x), and r the l1 norm of c q - 1: it is computed exactly, and at most 2^-20.
    Then the squares of all terms of a/c sum to at most ``(|a q|/(1 - r))^2`` (`beyond.window-estimates`).
    """

    leaves: int
    bands: int
    weights: npt.NDArray[np.int64] = field(init=False, repr=False, eq=False)

    def __attrs_post_init__(self) -> None:
        if positive_integer(self.leaves, "leaves") > MOST_LEAVES:
            raise InvalidParameterError("leaves", f"{self.leaves} is more than {MOST_LEAVES}", "pass longer leaves")
        if positive_integer(self.bands, "bands") > MOST_BANDS * self.leaves:
            problem = f"{self.bands} is more than {MOST_BANDS} times the leaves of the window"
            raise InvalidParameterError(
                "bands", problem, "pass fewer: half as many again as leaves are nearly the best"
            )
        rounded = np.rint(np.ldexp(root_weights(self.leaves, self.bands), WEIGHT_BITS)).astype(np.int64)
        found = np.trim_zeros(rounded, "b")
        found.setflags(write=False)
        object.__setattr__(self, "weights", found)

    @property
    def squared_norm(self) -> int:
        """``c_0^2 + ... + c_(w-1)^2``, exactly: a row changes all combinations together by so much, times its own."""
        return sum(weight * weight for weight in self.weights.tolist())

    @property
    def total(self) -> int:
        """``|c_0| + ... + |c_(w-1)|``, exactly."""
        return sum(abs(weight) for weight in self.weights.tolist())

    @cached_property
    def _quotient(self) -> tuple[npt.NDArray[np.int64], Fraction]:
        """Find q and r, in units of ``2**-48``."""
        weights = np.ldexp(self.weights.astype(np.float64), -WEIGHT_BITS)
        terms = 4 * (self.leaves + len(weights))
        while terms <= LONGEST_SERIES:
            found = reciprocal(weights, terms)
            if np.abs(np.cumsum(found)).max() > LARGEST_TERM:
                break
            quotient = np.rint(np.ldexp(found, QUOTIENT_BITS)).astype(np.int64)
            rest = left_over(self.weights.tolist(), quotient.tolist())
            if rest <= STABLE:
                return quotient, rest
            terms *= 2
        raise _unbounded()

    def gains(self, count: int) -> FloatVector:
        """Return how many times the variance of one combination, in units of ``4**-16``, windows have.

        Parameters
        ----------
        count
            After how many leaves of the stream, 1 to 2^24.

        Returns
        -------
        ndarray
            Shape (count,): after 1, ..., count leaves; rounded. `gain` bounds all of them.

        Raises
        ------
        InvalidParameterError
            If the count is out of range, or noise grows.
        """
        if positive_integer(count, "count") > LONGEST_SERIES:
            raise InvalidParameterError("count", f"{count} is more than {LONGEST_SERIES}", "pass fewer")
        weights = np.ldexp(self.weights.astype(np.float64), -WEIGHT_BITS)
        return np.cumsum(np.square(self._windows(reciprocal(weights, count))[:count]))

    @cached_property
    def gain(self) -> float:
        """Bound on how many times the variance of one combination any window has, at all times; units as `gains`.

        Raises
        ------
        InvalidParameterError
            If noise is not shown to stay bounded.
        """
        quotient, rest = self._quotient
        norm = np.linalg.norm(np.ldexp(self._windows(quotient).astype(np.float64), -QUOTIENT_BITS))
        # The factor is more than floats lose in so many terms.
        return (float(norm) / float(1 - rest)) ** 2 * (1 + 2.0**-20)

    @property
    def excess(self) -> float:
        """How many times the least variance, `least_gain`, a window has at equal privacy; at least 1, rounded."""
        return self.gain * math.ldexp(self.squared_norm, -2 * WEIGHT_BITS) / least_gain(self.leaves)

    def _windows(self, quotient: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Multiply by a(x)."""
        sums = np.cumsum(np.concatenate((quotient, np.zeros(self.leaves, dtype=quotient.dtype))))
        sums[self.leaves :] -= sums[: -self.leaves].copy()
        return sums


def least_gain(leaves: int) -> float:
    """Return the square of the l1 norm of a(x) on the unit circle, over 2 pi: no time-invariant weights have less.

    `beyond.window-noise`. The norm is that of a Dirichlet kernel, a Lebesgue constant, 4/pi^2 log W and a bounded part.

    Parameters
    ----------
    leaves
        W, at least 1.

    Returns
    -------
    float
        Rounded.

    Raises
    ------
    InvalidParameterError
        If W is no positive integer.
    """
    count = positive_integer(leaves, "leaves")
    # Half of (2/pi) times the integral of |sin(W u)|/sin(u) from 0 to pi, between one zero and the next.
    nodes, shares = np.polynomial.legendre.leggauss(24)
    steps = (nodes + 1) / 2
    arches = np.sin(np.pi * steps) / np.sin(np.pi / count * (np.arange(count)[:, None] + steps))
    return float((arches.sum(axis=0) @ shares / 2 / count) ** 2)
