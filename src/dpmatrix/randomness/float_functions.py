r"""Exponential and normal variates in floating point from the first 64 digits of uniform ones, with proved errors.

A word w of 64 bits is the cell ``[w, w + 1] / 2**64`` of a uniform real U. The functions here enclose ``-log U``, and
the cosine and sine of ``2 pi U``, for every U of the cell. They use additions, multiplications, roots and comparisons
of IEEE doubles rounded to nearest, exact conversions of integers below ``2**53``, and tables that ball arithmetic
certifies; no logarithm or cosine of a library. ``u = 2**-53`` throughout.

*Logarithm.* The two halves of w are exact floats, and so is the upper one times ``2**32``; their sum f has relative
error at most u. For ``w >= 1``, ``0 <= log(w + 1) - log w <= 1/w <= 2/f``. ``frexp`` gives ``f = m 2**e`` exactly, with
m in [1/2, 1), and the first 8 bits of m choose ``c``, a float near ``1/m``: ``|m c - 1| < 2**-7.9``. The product
``m c`` is rounded by at most 1.01 u, and 1 is taken from it without error (Sterbenz), which gives r. Then
``log f = e log 2 + T + log(1 + r)`` with ``T = -log c``, rounded by at most u/2. The series to degree 6 leaves
``|r|**7 / (7 (1 - |r|)) < 2**-57 = u/16``; all its terms but r are below ``2**-16``, so that its roundings stay below
``2**-7 u`` together. So ``p = log(1 + r)`` is known up to ``1.1 u + 0.07 u``, ``T + p`` adds u/2, and
``-log U = (64 - e) log 2 - (T + p)``. The upper part of log 2 has 40 bits, and its product with ``|64 - e| <= 64`` is
exact; the lower part is below ``2**-41``, and its errors, ``2**-35 u``, vanish. Two additions
remain, each with an error below u times the result (or ``0.8 u`` for the first, if that is smaller than 1). With the
error of f, 1.01 u, the sum of all is below ``(5 + 2 s) u`` for a result s. The radius is ``(8 + 4 s) u + 2/f``.

*Cosine and sine.* The first 8 bits choose one of 256 sectors, whose middle ``phi`` has a certified cosine C and sine S,
each rounded by at most u/2. The next 52 bits, less ``2**51``, are an exact float; times ``2 pi / 2**60`` they are the
angle ``t`` from the middle, ``|t| <= 2 pi / 512 < 0.0123``, up to ``0.025 u``; the digits that are left out, and those
after the word, move the angle by less than ``2 pi 2**-60 < 0.06 u``. The polynomial of degree 5 for ``sin t`` errs by
``t**7 / 5040 < 0.08 u``, that of degree 6 for ``cos t - 1`` by ``2**-65``. Their roundings are below ``0.05 u``
together, since ``|t|`` is small. ``C + (C (cos t - 1) - S sin t)`` is rounded once more by at most u. The sum is below
2 u; the radius is 4 u.

*Normals.* Box and Muller's transform, ``sqrt(-2 log U)`` times the cosine or the sine of ``2 pi V``, by the rules of
`float_balls`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from flint import arb, fmpq

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision
from dpmatrix.randomness.float_balls import UNIT, FloatArray, FloatBalls

Value = TypeVar("Value")
Words = npt.NDArray[np.uint64]

CHUNK = 1 << 14
TABLE_BITS = 8
SMALLEST_NORMAL = 2.0**-1000
TABLE_PRECISION = 200
"""Bits with which the entries of the tables are computed."""

_ENOUGH_BITS = 128
"""Bits that an entry must have; the proofs need 54."""

_ATTEMPTS = 100
_UPPER_BITS = 40
_SERIES = tuple((-1) ** (k + 1) / k for k in range(6, 1, -1))
_ANGLE_BITS = 52


@cache
def logarithm_table() -> tuple[FloatArray, FloatArray]:
    """Give c, a float near 1/m for each cell of m, and the certified nearest float of ``-log c``."""
    half = 1 << (TABLE_BITS - 1)
    factors = [2 * half / (half + index + 0.5) for index in range(half)]
    return np.array(factors), np.array([_nearest_float(lambda c: -arb(c).log(), factor) for factor in factors])


@cache
def logarithm_of_two() -> tuple[float, float]:
    """Split log 2 into a float of 40 bits and a float that is the rest, up to ``2**-94``."""
    upper = math.floor(math.ldexp(_nearest_float(lambda _: arb.const_log2(), 2), _UPPER_BITS)) / 2**_UPPER_BITS
    return upper, _nearest_float(lambda part: arb.const_log2() - arb(part), upper)


@cache
def sector_tables() -> tuple[FloatArray, FloatArray]:
    """Give the certified nearest floats of the cosine and the sine at the middle of each sector."""
    sectors = 1 << TABLE_BITS
    angles = [fmpq(2 * index + 1, sectors) for index in range(sectors)]
    cosines = [_nearest_float(lambda x: arb(x).cos_pi(), angle) for angle in angles]
    sines = [_nearest_float(lambda x: arb(x).sin_pi(), angle) for angle in angles]
    return np.array(cosines), np.array(sines)


def _nearest_float(function: Callable[[Value], arb], argument: Value) -> float:
    """Round the value of a function that is computed at `TABLE_PRECISION`, once its ball shows that it was.

    The precision is one number for all threads of a process: another one may change it in the middle. A table is kept
    for the life of the process, so what was computed with fewer bits is computed again.

    Raises
    ------
    UndecidedError
        If it never had enough of them.
    """
    for _ in range(_ATTEMPTS):
        with precision(TABLE_PRECISION):
            found = function(argument)
        if found.rel_accuracy_bits() >= _ENOUGH_BITS:
            return float(found.mid())
    raise UndecidedError("other threads change the precision of ball arithmetic; make the first draw before them")


def _reduced_logarithm(f: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Give e and p with ``log f = e log 2 + p`` up to 3.1 u, for positive floats; any finite numbers for zeros."""
    factors, logarithms = logarithm_table()
    m, e = np.frexp(f)
    # The cell of m = 0 is any.
    cell = np.maximum((m * 2.0**TABLE_BITS).astype(np.int64) - (1 << (TABLE_BITS - 1)), 0)
    r = m * factors.take(cell)
    r -= 1.0
    q = np.full_like(r, _SERIES[0])
    for coefficient in _SERIES[1:]:
        q *= r
        q += coefficient
    p = q * r * r
    p += r
    p += logarithms.take(cell)
    return e.astype(np.float64), p


def logarithms_of(balls: FloatBalls) -> FloatBalls:
    """Enclose the logarithms of positive reals.

    The steps are those for words, without the error of f, and with ``|e| <= 1075`` in place of 64: the product with
    the upper part of log 2 is still exact. For ``|x - a| <= r <= a / 4``, ``|log(x / a)| <= (r / a) / (1 - r / a)``,
    at most ``1.34 r / a``. Where the ball is wider, or the float tiny, nothing is said.
    """
    upper, lower = logarithm_of_two()
    with np.errstate(all="ignore"):
        known = (balls.center > SMALLEST_NORMAL) & (balls.radius <= balls.center / 4)
        f = np.where(known, balls.center, 1.0)
        e, p = _reduced_logarithm(f)
        value = e * upper
        value += p
        value += e * lower
        radius = (8 + 4 * np.abs(value)) * UNIT + 1.5 * balls.radius / f
        return FloatBalls(value, np.where(known, radius, np.inf))


def negative_logarithms(words: Words) -> FloatBalls:
    """Enclose ``-log U`` for the uniform reals that begin with the given digits, shape (n,)."""
    upper, lower = logarithm_of_two()
    f = (words >> np.uint64(32)).astype(np.float64) * 2.0**32
    f += (words & np.uint64(0xFFFFFFFF)).astype(np.float64)
    e, p = _reduced_logarithm(f)
    turns = 64.0 - e
    value = turns * upper
    value -= p
    value += turns * lower
    # For w = 0 nothing is known: the radius is infinite.
    with np.errstate(divide="ignore"):
        radius = (8 + 4 * np.abs(value)) * UNIT + 2 / f
    return FloatBalls(value, radius)


def cosines_and_sines(words: Words) -> tuple[FloatBalls, FloatBalls]:
    """Enclose the cosine and the sine of ``2 pi V`` for uniform reals V that begin with the given digits."""
    cosines, sines = sector_tables()
    sector = (words >> np.uint64(64 - TABLE_BITS)).astype(np.int64)
    shift = np.uint64(64 - TABLE_BITS - _ANGLE_BITS)
    kept = (words >> shift) & np.uint64((1 << _ANGLE_BITS) - 1)
    t = (kept.astype(np.int64) - (1 << (_ANGLE_BITS - 1))).astype(np.float64)
    t *= float(2 * np.pi) * 2.0 ** -(TABLE_BITS + _ANGLE_BITS)
    square = t * t
    sine = (square / 120 - 1 / 6) * square * t + t
    less = ((square * (-1 / 720) + 1 / 24) * square - 0.5) * square
    C, S = cosines.take(sector), sines.take(sector)
    radius = np.full(len(words), 4 * UNIT)
    cosine = FloatBalls(C + (C * less - S * sine), radius)
    return cosine, FloatBalls(S + (S * less + C * sine), radius)


def normals(radial: Words, angular: Words) -> FloatBalls:
    """Enclose pairs of normal variates, shape (2 n,): entries 2 i and 2 i + 1 come from word i of each array."""
    center, radius = np.empty((len(radial), 2)), np.empty((len(radial), 2))
    for start in range(0, len(radial), CHUNK):
        part = slice(start, start + CHUNK)
        minus_log = negative_logarithms(radial[part])
        # Twice a float is exact.
        lengths = FloatBalls(2 * minus_log.center, 2 * minus_log.radius).square_root()
        for column, direction in enumerate(cosines_and_sines(angular[part])):
            product = lengths * direction
            center[part, column], radius[part, column] = product.center, product.radius
    return FloatBalls(center.ravel(), radius.ravel())
