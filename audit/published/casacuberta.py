"""Sums whose sensitivity is not that of the real numbers: Casacuberta, Shoemate, Vadhan and Wagaman (2022).

They attack sums of bounded numbers in libraries: integers that wrap around, and floats that are rounded at every step,
so that one record decides how all that follow are rounded. The inputs here are made anew after their attacks, small
enough to be summed often: theirs in double precision need more records than an audit can repeat. Their attacks by the
order of the records are not here, since neighbours are compared by position.

The float sum is of single precision. The first records are ones: as many as a power of two, at which the unit in the
last place doubles. Then come pairs: a little more than half of the unit, which is rounded up to it, and a third of it
back, which is rounded away. Each pair adds a unit. Where a first record is -1, the sum stays below the power of two;
both steps are whole units of half the size there, and the pairs add nothing.
"""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np

from audit.published.record import FloatArray, Input, Published, Truth
from dpmatrix.auditing import Target

EPSILON = 1.0
WORD, TOP, RECORDS_OF_INTEGERS = 2**32, 2.0**20, 2**11
ONES, STEPS = 2**12, 6144
UNIT = 2.0**-11
"""In the last place of a float of single precision from 4096 on."""


def wrapping_total(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Sum integers of 32 bits, and add Laplace noise for numbers from 0 to the top."""
    with np.errstate(over="ignore"):
        total = int(np.sum(data[:, 0].astype(np.int32), dtype=np.int32))
    return np.asarray(total + generator.laplace(scale=TOP / EPSILON, size=size))


def whole_total(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
    """Sum integers without a bound, and add the same noise."""
    total = sum(map(int, data[:, 0]))
    return np.asarray(total + generator.laplace(scale=TOP / EPSILON, size=size))


def float_total(*, single: bool) -> Target:
    """Add Laplace noise for numbers in [-1, 1] to their sum, one after the other in single precision, or exact."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        numbers = data[:, 0]
        total = float(np.add.accumulate(numbers.astype(np.float32))[-1]) if single else math.fsum(numbers)
        return np.asarray(total + generator.laplace(scale=2 / EPSILON, size=size))

    return target


def _integers() -> Input:
    data = np.full((RECORDS_OF_INTEGERS, 1), TOP)
    neighbour = data.copy()
    neighbour[0] = 0.0
    return Input("the greatest integers, of which one becomes 0", data, neighbour)


def _floats() -> Input:
    steps = np.tile([0.5625 * UNIT, -0.3125 * UNIT], STEPS)
    data = np.concatenate([np.ones(ONES), steps]).reshape(-1, 1)
    neighbour = data.copy()
    neighbour[0] = -1.0
    return Input("a one becomes -1, which halves the unit in the last place", data, neighbour)


INTEGERS, FLOATS = _integers(), _floats()


def _wrapped(total: int) -> int:
    return (total + WORD // 2) % WORD - WORD // 2


def rounded(total: float, digits: int = 24) -> float:
    """Round a number to so many binary digits, ties to even, by integers alone."""
    mantissa, exponent = math.frexp(total)
    return math.ldexp(round(math.ldexp(mantissa, digits)), exponent - digits)


@cache
def float_shift() -> float:
    """Return how far apart the sums of single precision are, by rounding after every addition.

    A sum of two such numbers is exact in double precision here.
    """
    totals = []
    for side in (FLOATS.data, FLOATS.neighbour):
        total = 0.0
        for number in side[:, 0].tolist():
            total = rounded(total + number)
        totals.append(total)
    return abs(totals[0] - totals[1])


def _over(shift: float, scale: float) -> Truth:
    return Truth(shift / scale, exact=True, how="closed form: the shift of the sum over the scale")


def _integer_shift(*, wraps: bool) -> int:
    totals = [sum(map(int, side[:, 0])) for side in (INTEGERS.data, INTEGERS.neighbour)]
    return abs(_wrapped(totals[0]) - _wrapped(totals[1])) if wraps else abs(totals[0] - totals[1])


_of = partial(Published, epsilon=EPSILON)
_whole = partial(_of, domain=f"integers between 0 and {TOP:.0f}, of which one changes", inputs=(INTEGERS,))
_real = partial(_of, domain="numbers in [-1, 1], of which one changes", inputs=(FLOATS,))

RECORDS = (
    _whole(
        name="casacuberta/integers-wrap",
        source="Casacuberta et al. 2022: sums of integers with modular arithmetic",
        summary="the sum of bounded integers in 32 bits, with Laplace noise for one of them",
        fault="the sum wraps around, and a record moves it by almost 2^32",
        mechanism=wrapping_total,
        truth=lambda: _over(_integer_shift(wraps=True), TOP / EPSILON),
    ),
    _whole(
        name="casacuberta/integers-checked",
        source="Casacuberta et al. 2022: a word that is long enough for every sum",
        summary="the exact sum of bounded integers, with Laplace noise for one of them",
        mechanism=whole_total,
        truth=lambda: _over(_integer_shift(wraps=False), TOP / EPSILON),
    ),
    _real(
        name="casacuberta/floats-rounded",
        source="Casacuberta et al. 2022: sums of floats, one after the other",
        summary="the sum of bounded numbers in single precision, with Laplace noise for one of them",
        fault="a record decides how those after it are rounded",
        mechanism=float_total(single=True),
        truth=lambda: _over(float_shift(), 2 / EPSILON),
    ),
    _real(
        name="casacuberta/floats-exact",
        source="Casacuberta et al. 2022: a sum without such rounding",
        summary="the exact sum of bounded numbers, rounded once, with Laplace noise for one of them",
        mechanism=float_total(single=False),
        truth=lambda: _over(2.0, 2 / EPSILON),
    ),
)
