"""What every mechanism of a guarantee adds to second moments, at least: `beyond.approximate-noise`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import attrs
import numpy as np
from flint import arb, fmpq
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, vstack

from dpmatrix.exact import positive_integer, precision, rational
from dpmatrix.mechanisms.lower_bounds import BITS, least_squared_error, lower
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee

KINDS = 3
"""Records of the kind t count t/3."""
NODES = 12
"""Of a test function, to the unit, for epsilon up to 2; for a larger one in proportion."""
MOST_NODES = 96
"""To the unit, for any epsilon."""
REACH = 12
"""Test functions vanish beyond as many units over epsilon, or beyond half as many units, if that is more."""
GROUPED = Fraction(1, 4)
"""Below this epsilon, so many records are taken together that they reach it."""
DENOMINATOR = 1 << 48
"""Of the heights of test functions."""
MOST_EPSILON = 32
"""Beyond it nothing is searched: the bound would be zero."""
LEAST_DELTA = 1e-12
"""What the search takes for a delta that is less: the bound is computed for the true one."""


def least_squared_error_under(guarantee: PrivacyGuarantee, dimension: int, *, divisor: int = 1) -> Fraction:
    """Return a number that no mechanism of a guarantee has a mean squared Frobenius error below.

    The error is that of X'X over the divisor, for the data set of records in the unit ball that is worst for the
    mechanism, among those of every size. A linear programme searches for test functions, in floating point; the bound
    that they give is computed in exact and ball arithmetic. Source: `beyond.approximate-noise`, `beyond.one-number`,
    and `beyond.least-noise` where delta is zero.

    Parameters
    ----------
    guarantee
        Epsilon greater than zero, delta, and the neighbouring relation.
    dimension
        d >= 1.
    divisor
        The public number by which X'X is divided, at least 1.

    Returns
    -------
    Fraction
        Zero where nothing was found.

    Raises
    ------
    InvalidParameterError
        If a number is out of its range.
    """
    d = positive_integer(dimension, "dimension")
    square = positive_integer(divisor, "divisor") ** 2
    found = _times(d, guarantee.adjacency) * least_square_of_one(guarantee.epsilon, guarantee.delta) / square
    if guarantee.is_pure:
        pure = least_squared_error(guarantee.epsilon, d, guarantee.adjacency, divisor=divisor)
        return max(found, pure)
    return found


def _times(dimension: int, adjacency: Adjacency) -> Fraction:
    """Return how many times the mean square of one number a matrix has at least: exactly, or rounded down."""
    d = dimension
    if adjacency is Adjacency.REPLACE_ONE:
        return Fraction(d * (d * d + 2 * d - 1), d + 1)
    with precision(BITS):
        return lower(((d - 1) * arb(fmpq(d + 2, 2)).sqrt() + 1) ** 2 / d)


@cache
def least_square_of_one(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return what the mean square of the error of one number is not below, if one record changes it by at most 1.

    Where j records are one step, the guarantee is that of a group: j epsilon, and delta times the sum of e^(i epsilon)
    over i < j. A step is then j, and a square j^2.
    """
    if epsilon > MOST_EPSILON:
        return Fraction(0)
    together = max(1, math.ceil(GROUPED / epsilon))
    with precision(BITS):
        eps = arb(rational(epsilon))
        lost = arb(rational(delta)) * (together * eps).expm1() / eps.expm1()
        functions = searched(float(together * epsilon), float(lost.mid()))
        bound = lower(functions.gain(together * eps) - arb(functions.cost()) * lost)
    return max(together**2 * bound, Fraction(0))


@attrs.frozen
class Functions:
    """Functions that are linear between their nodes, and zero from those beyond the last ones on.

    Parameters
    ----------
    k
        Nodes to the unit, a multiple of `KINDS`.
    heights
        For each kind of records the values at the nodes -N/k to N/k, times `DENOMINATOR`.
    """

    k: int
    heights: tuple[tuple[int, ...], ...]

    def gain(self, epsilon: arb) -> arb:
        """Least of x^2 and the functions at x and -x, less e^epsilon times those a step before, over all x."""
        factor = epsilon.exp()
        last = len(self.heights[0]) // 2
        sums = [self._sums(node, last) for node in range(last + self.k + 2)]
        least = arb.pos_inf()
        for near, far in sums:
            least = least.min(arb(near) - factor * far)
        return least - arb(fmpq(1, 4 * self.k**2))

    def cost(self) -> fmpq:
        """Twice the sum of their greatest values."""
        return fmpq(2 * sum(max(row) for row in self.heights), DENOMINATOR)

    def _sums(self, node: int, last: int) -> tuple[fmpq, fmpq]:
        def height(row: Sequence[int], place: int) -> int:
            return row[place + last] if abs(place) <= last else 0

        near = sum(height(row, node) + height(row, -node) for row in self.heights)
        steps = zip(_steps(self.k), self.heights, strict=True)
        far = sum(height(row, node - step) + height(row, -node - step) for step, row in steps)
        return fmpq(node * node, self.k * self.k) + fmpq(near, DENOMINATOR), fmpq(far, DENOMINATOR)


def _steps(k: int) -> list[int]:
    """Return what one record of each kind counts, in nodes."""
    return [k * kind // KINDS for kind in range(1, KINDS + 1)]


def searched(epsilon: float, delta: float) -> Functions:
    """Search for the test functions of the greatest bound; any that are found give a bound."""
    k = min(MOST_NODES, NODES * max(1, math.ceil(epsilon / 2)))
    last = k * math.ceil(max(REACH / epsilon, REACH / 2))
    size, count = 2 * last + 1, KINDS
    heights = size * count
    sums, squares = _sums_below(epsilon, k, last)
    owner = np.repeat(np.arange(count), size)
    tops = csr_matrix((np.full(heights, -1.0), (np.arange(heights), owner)), shape=(heights, count))
    capped = hstack([identity(heights), csr_matrix((heights, 1)), tops])
    rows = vstack([hstack([sums, csr_matrix((len(squares), count))]), capped], format="csr")
    costs = np.concatenate([np.zeros(heights), [-1.0], np.full(count, 2 * max(delta, LEAST_DELTA))])
    limits = [(0.0, None)] * heights + [(None, None)] + [(0.0, None)] * count
    answer = linprog(costs, rows, np.concatenate([squares, np.zeros(heights)]), bounds=limits, method="highs")
    values = np.zeros(heights) if answer.x is None else np.maximum(answer.x[:heights], 0)
    whole = [int(value) for value in np.floor(values * DENOMINATOR)]
    return Functions(k, tuple(tuple(whole[begin : begin + size]) for begin in range(0, heights, size)))


def _sums_below(epsilon: float, k: int, last: int) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Return rows, one for each node from 0 on, and x^2 there: the heights and their least sum are below it."""
    size = 2 * last + 1
    nodes = np.arange(last + k + 2)
    places = [np.full(len(nodes), size * KINDS)]
    values = [np.ones(len(nodes))]
    for own, step in enumerate(_steps(k)):
        for node, weight in ((nodes, -1.0), (-nodes, -1.0), (nodes - step, 1.0), (-nodes - step, 1.0)):
            inside = np.abs(node) <= last
            places.append(np.where(inside, node + last + own * size, 0))
            values.append(np.where(inside, weight if weight < 0 else math.exp(epsilon), 0.0))
    which = np.tile(nodes, len(places))
    shape = (len(nodes), size * KINDS + 1)
    rows = csr_matrix((np.concatenate(values), (which, np.concatenate(places))), shape=shape)
    return rows, (nodes / k) ** 2
