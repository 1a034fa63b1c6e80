"""Decisions about random reals: the nearest grid point, and whether a uniform variate lies below a probability.

Both are functions of the ideal real numbers. Floating point decides an entry when its proved enclosure leaves one
answer; the few others are evaluated in balls, with more digits each time, until one answer is left. So a result does
not depend on the filter, on the precision, or on the order of the work, and a release by rounding is post-processing
of the ideal real-valued output.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.fast_wide import AnyIntegers
from dpmatrix.randomness.float_balls import UNIT, FloatBalls
from dpmatrix.randomness.lazy import Indices, LazyReals, LazyUniforms

Mask: TypeAlias = npt.NDArray[np.bool_]
Integers: TypeAlias = npt.NDArray[np.int64]
Answer = TypeVar("Answer")

GUARD_BITS = 32
FIRST_BITS = 128
MOST_BITS = 1 << 20
LARGEST_MULTIPLE = 2.0**50
"""Multiples up to this size are rounded in floating point, where the distance to an integer is exact."""


def round_to_grid(
    reals: LazyReals, grid: Fraction, *, filtered: bool = True, first_bits: int = FIRST_BITS
) -> npt.NDArray[np.object_]:
    """Round random reals to the nearest multiples of ``grid``, correctly.

    The digits and the working precision of an entry are doubled until its ball, divided by the grid, lies between two
    neighbouring half-integers. The radius goes to zero with the number of digits, so this ends unless the entry is
    exactly half-way between grid points, which has probability zero for a law without atoms.

    Parameters
    ----------
    reals
        Array of random reals.
    grid
        Spacing of the rounded values, positive.
    filtered
        Whether floating point decides what it can (`nearest_multiples`). It changes the cost, never the result.
    first_bits
        Number of digits of the first attempt in balls. It changes the cost, never the result.

    Returns
    -------
    ndarray of int
        The nearest multiples in units of ``grid``, Python integers, of the shape of ``reals``.

    Raises
    ------
    InvalidParameterError
        If ``grid <= 0``.
    UndecidedError
        If an entry is undecided at `MOST_BITS` digits: the law has an atom half-way between grid points.
    EntropyError
        If the entropy fails or runs short, or the process was forked since the digits were drawn.
    """
    return rounded_integers(reals, grid, filtered=filtered, first_bits=first_bits).astype(object)


def rounded_integers(
    reals: LazyReals, grid: Fraction, *, filtered: bool = True, first_bits: int = FIRST_BITS
) -> AnyIntegers:
    """Round as `round_to_grid` does, to 64-bit integers where all fit, else to Python integers."""
    if grid <= 0:
        raise InvalidParameterError("grid", f"{grid} is not positive", "pass a positive rational spacing")
    size = prod(reals.shape)
    rounded: AnyIntegers = np.zeros(size, dtype=np.int64)
    decided = np.zeros(size, dtype=np.bool_)
    if filtered:
        multiples, mask = nearest_multiples(reals.approximate(), grid)
        rounded, decided = multiples.ravel(), mask.ravel()
    per_unit, half = fmpq(grid.denominator, grid.numerator), fmpq(1, 2)

    def nearest(ball: arb) -> int | None:
        # The floor of a ball is an exact integer only when the whole ball has that floor.
        floor = (ball * per_unit + half).floor()
        return int(floor.fmpz()) if floor.is_finite() and floor.is_exact() else None

    answers = _decide(reals, np.flatnonzero(~decided).tolist(), nearest, first_bits)
    if any(not -(2**63) <= answer < 2**63 for answer in answers.values()):
        rounded = rounded.astype(object)
    for index, answer in answers.items():
        rounded[index] = answer
    return rounded.reshape(reals.shape)


def nearest_multiples(balls: FloatBalls, grid: Fraction) -> tuple[Integers, Mask]:
    """Round in floating point, and say for which entries the result is certain.

    With ``v`` the float ``1 / grid`` and ``x`` within r of a centre c, ``x / grid`` is within ``(r + 3 u |c|) v (1 + 4
    u)`` of the float ``c v``, and the distance of that to the nearest integer is exact. An entry is decided when the
    sum of both is less than ``1/2 - 2**-40``.

    Returns
    -------
    tuple
        Integers, and a mask of the entries for which they are the nearest multiples of the ideal reals.
    """
    undecided = np.zeros(balls.shape, dtype=np.int64), np.zeros(balls.shape, dtype=np.bool_)
    if not Fraction(1, 2**900) <= grid <= 2**900:
        return undecided
    per_unit = float(1 / grid)
    with np.errstate(all="ignore"):
        scaled = balls.center * per_unit
        nearest = np.rint(scaled)
        spread = (balls.radius + 3 * UNIT * np.abs(balls.center)) * per_unit
        # Written so that a radius that is not a number decides nothing.
        decided = (np.abs(scaled - nearest) + spread < 0.5 - 2.0**-40) & (np.abs(scaled) <= LARGEST_MULTIPLE)
    return np.where(decided, nearest, 0.0).astype(np.int64), decided


def positive(reals: LazyReals, *, filtered: bool = True) -> Mask:
    """Decide for each real whether it is above zero.

    Parameters
    ----------
    reals
        Array of random reals.
    filtered
        Whether floating point decides what it can. It changes the cost, never the result.

    Raises
    ------
    UndecidedError
        If an entry is undecided at `MOST_BITS` digits: the law has an atom at zero.
    EntropyError
        If the entropy fails or runs short, or the process was forked since the digits were drawn.
    """
    size = prod(reals.shape)
    answers = np.zeros(size, dtype=np.bool_)
    decided = np.zeros(size, dtype=np.bool_)
    if filtered:
        balls = reals.approximate()
        with np.errstate(all="ignore"):
            answers = (balls.center > balls.radius).ravel()
            decided = answers | (balls.center < -balls.radius).ravel()
    for index, answer in _decide(reals, np.flatnonzero(~decided).tolist(), _positive, FIRST_BITS).items():
        answers[index] = answer
    return answers.reshape(reals.shape)


def accepted(probabilities: LazyReals, entropy: Entropy, *, filtered: bool = True) -> Mask:
    """Decide for each probability whether a fresh uniform variate lies below it: the step of a rejection sampler.

    Given the random reals p, an entry is True with probability p exactly, independently of the others; a real below 0
    is never accepted, one above 1 always.

    Parameters
    ----------
    probabilities
        Array of random reals.
    entropy
        Source of the digits of the uniform variates.
    filtered
        Whether floating point decides what it can. It changes the cost, never the law.

    Raises
    ------
    UndecidedError
        If an entry is undecided at `MOST_BITS` digits, which has probability zero.
    EntropyError
        If the entropy fails or runs short, or the process was forked since the digits were drawn.
    """
    return positive(_Excess(probabilities, LazyUniforms(probabilities.shape, entropy)), filtered=filtered)


class _Excess:
    """The probabilities less the uniform variates."""

    def __init__(self, probabilities: LazyReals, uniforms: LazyUniforms) -> None:
        self.shape = probabilities.shape
        self.probabilities, self.uniforms = probabilities, uniforms

    def approximate(self) -> FloatBalls:
        return self.probabilities.approximate() - self.uniforms.approximate()

    def refine(self, bits: int, entries: Indices) -> None:
        self.probabilities.refine(bits, entries)
        self.uniforms.refine(bits, entries)

    def enclose(self, entries: Indices) -> list[arb]:
        both = zip(self.probabilities.enclose(entries), self.uniforms.enclose(entries), strict=True)
        return [probability - uniform for probability, uniform in both]


def _positive(ball: arb) -> bool | None:
    return True if ball > 0 else False if ball < 0 else None


def _decide(
    reals: LazyReals, entries: list[int], answer: Callable[[arb], Answer | None], first_bits: int
) -> dict[int, Answer]:
    """Answer for each entry, with more digits for those that are undecided."""
    answers: dict[int, Answer] = {}
    bits = first_bits
    while entries:
        if bits > MOST_BITS:
            raise UndecidedError(f"entry {entries[0]} is undecided at {bits // 2} bits")
        reals.refine(bits, entries)
        with precision(bits + GUARD_BITS):
            found = zip(entries, [answer(ball) for ball in reals.enclose(entries)], strict=True)
            answers.update({index: value for index, value in found if value is not None})
        entries = [index for index in entries if index not in answers]
        bits *= 2
    return answers
