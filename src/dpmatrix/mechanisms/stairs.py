r"""The steps of staircase noise: how many there are below a norm, their law, and the width of the first one.

In dimension D, let k have probabilities proportional to :math:`e^{-k\epsilon} (k + g)^D`, and let a point be uniform on
the ball of radius k + g. With the sums :math:`S_m = \sum_k e^{-k\epsilon} (k + g)^m` the mean square of its norm is
:math:`D S_{D+2} / ((D + 2) S_D)`, as that of a uniform point of the unit ball is D / (D + 2).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt
from attrs import frozen
from flint import arb

from dpmatrix.errors import UndecidedError
from dpmatrix.exact import precision, rational
from dpmatrix.randomness.decisions import GUARD_BITS, MOST_BITS
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.lazy import WORD_BITS, LazyUniforms

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 8), Fraction(30)
"""Below the first, steps gain less than a thousandth of the mean square; above the other, a finer width is best."""

_SIMULATED = 2048
"""Steps in floating point: beyond lies less than exp(-40) of the weight, for epsilon of at least 1/8 and d <= 8."""
_BITS = 192
_ROUNDS = 7
"""The width of the first step is a multiple of 2**-21: three digits, and three more in each further round."""


@frozen
class Stairs:
    """Steps of width one; the first one has another width.

    Attributes
    ----------
    power
        D, the dimension of the space.
    epsilon
        Positive: the density falls by a factor of exp(-epsilon) from step to step.
    width
        g, above 0 and at most 1: the width of the first step.
    """

    power: int
    epsilon: Fraction
    width: Fraction

    def step(self, norm: arb) -> arb:
        """Enclose the number of the step on which a norm lies: the least whole number k >= 0 with norm <= k + g."""
        return (norm - rational(self.width)).ceil().max(arb(0))

    def weight(self, k: int) -> arb:
        """Enclose what the probability of step k is proportional to."""
        return (-k * arb(rational(self.epsilon))).exp() * (k + rational(self.width)) ** self.power

    def draw(self, entropy: Entropy) -> int:
        """Draw k exactly: a uniform variate is refined until it is certain between which sums of weights it lies.

        Raises
        ------
        UndecidedError
            If it is uncertain at `MOST_BITS` digits, which has probability zero.
        EntropyError
            If the entropy fails or runs short.
        """
        uniform, bits = LazyUniforms((1,), entropy), WORD_BITS
        while bits <= MOST_BITS:
            uniform.refine(bits, [0])
            with precision(bits + GUARD_BITS):
                (share,) = uniform.enclose([0])
                found = self._found(share * power_sum(self.power, self.epsilon, self.width))
            if found is not None:
                return found
            bits *= 2
        raise UndecidedError(f"the step is undecided at {bits // 2} bits")

    def _found(self, mark: arb) -> int | None:
        """Return the first step at which the sum of weights is above the mark, or None where that is uncertain."""
        total, k = self.weight(0), 0
        while mark > total:
            k += 1
            total += self.weight(k)
        return k if mark < total else None

    def simulate(self, size: int, generator: np.random.Generator) -> npt.NDArray[np.int64]:
        """Draw k in floating point, shape (size,). NEVER for a release."""
        steps = np.arange(_SIMULATED)
        weights = np.exp(self.power * np.log(steps + float(self.width)) - float(self.epsilon) * steps)
        return np.asarray(generator.choice(len(steps), size, p=weights / weights.sum()))

    @property
    def mean_square(self) -> Fraction:
        """The mean square of the norm, rounded up by less than 2**-100 of it."""
        with precision(_BITS):
            quotient = _quotient(self.power, self.epsilon, self.width) * self.power / (self.power + 2)
            mantissa, exponent = quotient.upper().man_exp()
        return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


@cache
def best_stairs(power: int, epsilon: Fraction) -> Stairs:
    """Return the stairs of which the mean square is least, among multiples of 2**-21 near the best multiple of 2**-6.

    Parameters
    ----------
    power
        D >= 1.
    epsilon
        From `LEAST_EPSILON` to `MOST_EPSILON`.
    """

    def size(width: Fraction) -> Fraction:
        return Stairs(power, epsilon, width).mean_square

    unit = Fraction(1, 64)
    best = min((k * unit for k in range(1, 65)), key=size)
    for _ in range(_ROUNDS - 2):
        unit /= 8
        near = (best + k * unit for k in range(-8, 9))
        best = min((width for width in near if 0 < width <= 1), key=size)
    return Stairs(power, epsilon, best)


def _quotient(power: int, epsilon: Fraction, width: Fraction) -> arb:
    return power_sum(power + 2, epsilon, width) / power_sum(power, epsilon, width)


def power_sum(power: int, epsilon: Fraction, width: Fraction) -> arb:
    r"""Enclose :math:`S_m`, with the sums of :math:`e^{-k\epsilon} k^j` of Euler: a polynomial over a power."""
    start, ratio = rational(width), (-arb(rational(epsilon))).exp()
    rest = -(-arb(rational(epsilon))).expm1()
    total = start**power / rest
    for j in range(1, power + 1):
        euler = sum((count * ratio ** (i + 1) for i, count in enumerate(_eulerian(j))), arb(0))
        total += comb(power, j) * start ** (power - j) * euler / rest ** (j + 1)
    return total


@cache
def _eulerian(order: int) -> tuple[int, ...]:
    """Return how many permutations of so many things have 0, 1, ... ascents."""
    if order == 1:
        return (1,)
    last = (*_eulerian(order - 1), 0)
    return tuple((i + 1) * last[i] + (order - i) * (last[i - 1] if i else 0) for i in range(order))
