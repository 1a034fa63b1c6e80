"""Pairs of random semidefinite matrices whose traces are drawn together, as lazily refined reals."""

from __future__ import annotations

from functools import cached_property

from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.randomness.entropy import Entropy, process_identity
from dpmatrix.randomness.fast_rectangles import check_same_process
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.lazy import WORD_BITS, Indices, LazyExponentials
from dpmatrix.randomness.lazy_grams import StandardWisharts


class CoupledTraces:
    r"""Semidefinite P and Q with a density proportional to :math:`e^{-\max(\mathrm{tr} P, \mathrm{tr} Q)}`.

    Let :math:`D = d(d+1)/2`, and W1 and W2 be independent variates of W_d(d + 1, I): with a density proportional to
    :math:`e^{-\mathrm{tr} W/2}`, so that half a trace is a gamma variate of shape D, independent of W / tr W. Let M be
    half of tr W1 + tr W2, E an exponential variate of mean one, and

    .. math:: L = M \frac{W_1}{\mathrm{tr} W_1}, \quad S = M e^{-E/D} \frac{W_2}{\mathrm{tr} W_2} .

    A fair coin says which of the two is P. The shapes W / tr W are those of a density that depends on the trace alone.
    The traces of L and S are M, a gamma variate of shape 2 D, and M times a power of a uniform variate: their density
    is proportional to :math:`l^{D-1} s^{D-1} e^{-l}` for s < l (`beyond.coupled-traces-sampler`).

    Parameters
    ----------
    dimension
        d >= 1.
    entropy
        Source of the digits.

    Raises
    ------
    InvalidParameterError
        If d < 1.
    EntropyError
        If the entropy fails or runs short.
    """

    def __init__(self, dimension: int, entropy: Entropy) -> None:
        self.matrices = StandardWisharts(2, dimension, dimension + 1, entropy).parts()
        self.exponential = LazyExponentials((1,), entropy)
        self.coin = entropy.bits(1)
        self._process = process_identity()
        self._size = dimension * (dimension + 1) // 2

    def parts(self) -> tuple[LazyPart, LazyPart]:
        """Return P and Q, each of shape (d, d)."""
        larger, smaller = LazyPart(self, 0), LazyPart(self, 1)
        return (smaller, larger) if self.coin else (larger, smaller)

    def refine(self, bits: int) -> None:
        """Make sure that ``bits`` digits are known of every uniform variate behind the pair."""
        for matrix in self.matrices:
            matrix.refine(bits, range(matrix.shape[0] ** 2))
        self.exponential.refine(bits, [0])

    def approximations(self) -> tuple[FloatBalls, FloatBalls]:
        """Enclose W1 and W2 in floating point, each of shape (d, d).

        Raises
        ------
        EntropyError
            In a child of the process that drew them.
        """
        check_same_process(self._process)
        return self._approximations

    @cached_property
    def _approximations(self) -> tuple[FloatBalls, FloatBalls]:
        first, second = self.matrices
        return first.approximate(), second.approximate()

    def approximate_factor(self, place: int) -> FloatBalls:
        """Enclose in floating point what W1 (place 0) or W2 (place 1) is multiplied by; shape ()."""
        diagonals = (FloatBalls(part.center.diagonal(), part.radius.diagonal()) for part in self.approximations())
        first, second = (diagonal.total() for diagonal in diagonals)
        own, other = (second, first) if place else (first, second)
        half = FloatBalls.exactly(0.5)
        factor = half + half * (other / own)
        if place == 0:
            return factor
        with precision(WORD_BITS):
            return factor * FloatBalls.enclosing([self._shrinkage()], ())

    def factor(self, place: int) -> arb:
        """Enclose the same at the working precision."""
        own, other = (self.matrices[k].trace() for k in (place, 1 - place))
        factor = (1 + other / own) / 2
        return factor if place == 0 else factor * self._shrinkage()

    def _shrinkage(self) -> arb:
        (exponential,) = self.exponential.enclose([0])
        return (-exponential * fmpq(1, self._size)).exp()


class LazyPart:
    """One matrix of a pair of coupled traces.

    Parameters
    ----------
    pair
        The pair.
    place
        0 for the matrix of the larger trace, 1 for the other one.

    Raises
    ------
    InvalidParameterError
        If the place is another.
    """

    def __init__(self, pair: CoupledTraces, place: int) -> None:
        if place not in (0, 1):
            raise InvalidParameterError("place", f"{place!r} is no place in a pair", "pass 0 or 1")
        self._pair, self._place = pair, place
        self._matrix = pair.matrices[place]
        self.shape = self._matrix.shape

    def approximate(self) -> FloatBalls:
        """Enclose the matrix in floating point."""
        return self._pair.approximations()[self._place] * self._pair.approximate_factor(self._place)

    def refine(self, bits: int, entries: Indices) -> None:
        """Make sure that ``bits`` digits are known of all that entries are made of: a trace takes the whole pair."""
        if entries:
            self._pair.refine(bits)

    def enclose(self, entries: Indices) -> list[arb]:
        """Enclose these entries."""
        factor = self._pair.factor(self._place)
        return [factor * entry for entry in self._matrix.enclose(entries)]
