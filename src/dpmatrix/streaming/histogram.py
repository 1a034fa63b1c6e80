"""Spectral histograms: a few stamped Gram matrices that stand for every suffix of a stream."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise, takewhile

import attrs
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, implements
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, positive_integer, rational
from dpmatrix.streaming.loewner import precedes

Closeness = Callable[[int, int], bool]


@implements("sliding-window.algorithm-1@cd4b304e", "sliding-window.algorithm-6@37851ddc")
def thin(count: int, close: Closeness, *, ordered: bool = False) -> list[int]:
    """Choose the checkpoints that remain: `sliding-window.algorithm-1` and `sliding-window.algorithm-6`, repaired.

    Parameters
    ----------
    count
        Number of checkpoints, at least 0.
    close
        ``close(i, p)`` for places ``i < p`` from 0: whether (1 - eta) K(i), or its approximation with eta/2, precedes
        K(p).
    ordered
        Whether the matrices are in Loewner order, so that whatever lies before a close checkpoint is close too. Then
        about 2 ``count`` comparisons suffice; otherwise every pair may be asked about.

    Returns
    -------
    list of int
        Places that remain, in order. The first and the two last are always among them.
    """
    kept = list(range(count))
    place = 0
    while between := kept[place + 1 : -1]:
        from_here = partial(close, kept[place])
        if ordered:
            reached = sum(1 for _ in takewhile(from_here, between))
        else:
            reached = max((steps for steps, p in enumerate(between, start=1) if from_here(p)), default=0)
        del kept[place + 1 : place + reached]
        place += 1
    return kept


def histogram_parameters(dimension: object, window: object, eta: Exact, floor: Exact) -> tuple[int, int, fmpq, fmpq]:
    """Read the parameters of a spectral histogram; see `SpectralHistogram`.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.
    """
    accuracy, least = rational(eta, "eta"), rational(floor, "floor")
    if not 0 < accuracy < 1:
        raise InvalidParameterError("eta", f"{eta} is outside (0, 1)", "pass a number between 0 and 1")
    if least < 0:
        raise InvalidParameterError("floor", f"{floor} is negative", "pass 0 or more")
    return positive_integer(dimension, "dimension"), positive_integer(window, "window"), accuracy, least


@attrs.frozen
class Checkpoint:
    """The Gram matrix of the rows from a time on, plus the floor.

    Parameters
    ----------
    stamp
        Time of its first row, from 1.
    matrix
        Symmetric d x d rational matrix.
    """

    stamp: int
    matrix: fmpq_mat


class SpectralHistogram:
    """The exact spectral histogram of a stream: `sliding-window.definition-8` and `sliding-window.lemma-10`, repaired.

    Nothing here is private: it holds the rows' own Gram matrices.

    Parameters
    ----------
    dimension
        Length d >= 1 of a row.
    window
        Size W >= 1 of the window.
    eta
        Accuracy in (0, 1): the first matrix K has (1 - eta) K <= A_W'A_W + f I <= K.
    floor
        The f >= 0 of which every matrix carries f I; a positive floor bounds the number of checkpoints.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.
    """

    def __init__(self, dimension: int, window: int, eta: Exact, floor: Exact = 0) -> None:
        read = histogram_parameters(dimension, window, eta, floor)
        self._dimension, self._window, self._eta, self._floor = read
        self._time = 0
        self._checkpoints: list[Checkpoint] = []

    @property
    def time(self) -> int:
        """Number of rows seen."""
        return self._time

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The checkpoints, oldest first."""
        return tuple(self._checkpoints)

    @property
    def approximation(self) -> fmpq_mat:
        """The oldest checkpoint's matrix K: (1 - eta) K <= A_W'A_W + f I <= K; f I before the first row."""
        return self._checkpoints[0].matrix if self._checkpoints else self._raised()

    def _raised(self) -> fmpq_mat:
        size = self._dimension
        return fmpq_mat(size, size, [self._floor if i == j else fmpq(0) for i in range(size) for j in range(size)])

    def observe(self, row: Sequence[Exact]) -> None:
        """Add a row of length d: to every checkpoint, and as a new one; then expire and thin out.

        Raises
        ------
        InvalidParameterError
            If the row has another length or an entry that is no finite number; the structure is unchanged.
        """
        if len(row) != self._dimension:
            raise InvalidParameterError("row", f"it has {len(row)} entries", f"pass {self._dimension} numbers")
        vector = fmpq_mat([[rational(entry, "row") for entry in row]])
        outer = vector.transpose() * vector
        self._time += 1
        held = [attrs.evolve(checkpoint, matrix=checkpoint.matrix + outer) for checkpoint in self._checkpoints]
        held.append(Checkpoint(self._time, self._raised() + outer))
        if len(held) > 1 and held[1].stamp <= self._time - self._window + 1:
            del held[0]
        self._checkpoints = [held[place] for place in thin(len(held), self._closeness(held), ordered=True)]

    def _closeness(self, held: Sequence[Checkpoint]) -> Closeness:
        factor = 1 - self._eta
        return lambda i, p: precedes(factor * held[i].matrix, held[p].matrix) is Truth.TRUE

    def check(self) -> None:
        """Check the property in full, exactly; for tests, and for a structure that was read from elsewhere.

        Raises
        ------
        AssertionError
            With the part of the property that fails.
        """
        held, start = self._checkpoints, max(1, self._time - self._window + 1)
        close = self._closeness(held)
        if not held:
            return
        stamps = [checkpoint.stamp for checkpoint in held]
        if not all(earlier < later for earlier, later in pairwise(stamps)):
            raise AssertionError(f"stamps do not increase: {stamps}")
        if not stamps[0] <= start or (len(stamps) > 1 and stamps[1] <= start):
            raise AssertionError(f"the window's start {start} is not in the first checkpoint alone: {stamps}")
        for i in range(len(held) - 1):
            if stamps[i + 1] != stamps[i] + 1 and not close(i, i + 1):
                raise AssertionError(f"checkpoints {stamps[i]} and {stamps[i + 1]} are neither adjacent nor close")
        for i in range(len(held) - 3):
            if close(i, i + 2):
                raise AssertionError(f"checkpoint {stamps[i + 1]} is superfluous")


def checkpoint_bound(dimension: int, window: int, eta: float, floor: float, row_norm: float = 1.0) -> int:
    """Bound the number of checkpoints: ``3 + 2 d log((W R^2 + d f) / ((1 - eta) d f)) / -log(1 - eta)``, rounded up.

    Of `sliding-window.lemma-10`, repaired: det K_l >= f^d, and (1 - eta) K_1 <= A_W'A_W + f I bounds the trace of K_1,
    hence its determinant.

    Parameters
    ----------
    dimension, window, eta, floor
        As in `SpectralHistogram`, floor positive.
    row_norm
        Bound R on the Euclidean norm of a row.
    """
    energy = (window * row_norm**2 + dimension * floor) / ((1 - eta) * dimension * floor)
    return 3 + math.ceil(2 * dimension * math.log(energy) / -math.log1p(-eta))
