"""The spectral histogram of a long stream of rows on a grid: the same checkpoints as the exact one, decided by floats.

*Sums.* Coordinates are integers in units of ``2**-b``, so Gram matrices are integer matrices in units of ``4**-b``.
They are kept in binary64 while their diagonal is below ``2**52``, where all of them are exact: every partial sum of an
entry (i, j) is at most the root of the product of two diagonal entries. A checkpoint holds the sum of all rows before
it, and its matrix is a difference, so a row costs one addition, not one for every checkpoint.

*What is asked.* Between two checkpoints the next one is superfluous if ``M = K_p - (1 - eta) K_i`` is positive
semidefinite. New rows add ``eta a'a`` to M: once close, always close. A vector v with ``v'Mv < 0`` shows that the pair
is not close, and ``v'Mv`` grows by ``eta (v a')**2`` with a row; until it reaches zero, nothing is decided anew.

*How it is decided.* Let S be the sum of the traces of K_i and K_p, floors included, and u = 2**-53. The computed M is
off by at most ``8 u S`` in spectral norm, as the Frobenius norm of a positive semidefinite matrix is at most its trace.
If the Cholesky factorisation of ``M - c I`` runs to its end in floats, ``M - c I`` is positive semidefinite up to
``(d + 2) u S`` (Higham 2002, theorem 10.3), so with ``c = 8 (d + 8) u S`` M itself is. If ``v'Mv``, computed in floats
for ``|v|`` of nearly 1, is below ``-c``, M is not: evaluation is off by at most ``(2 d + 4) u S``. What neither settles
is decided in rational numbers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, positive_integer
from dpmatrix.streaming.histogram import Checkpoint, histogram_parameters
from dpmatrix.streaming.loewner import precedes

FloatArray = npt.NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53
_EXACT_BELOW = 2.0**52
_LARGEST_BITS = 24


def truncated(rows: npt.ArrayLike, coordinate_bits: int) -> FloatArray:
    """Round coordinates to multiples of ``2**-b`` towards zero, which makes no row longer."""
    unit = math.ldexp(1.0, -coordinate_bits)
    result: FloatArray = np.trunc(np.asarray(rows, dtype=np.float64) / unit) * unit
    return result


class FastSpectralHistogram:
    """The spectral histogram of `SpectralHistogram` for rows on a grid, at thousands of rows a second.

    Nothing here is private.

    Parameters
    ----------
    dimension
        Length d >= 1 of a row.
    window
        Size W >= 1 of the window, a multiple of the leaf.
    eta
        Accuracy in (0, 1): the first matrix K has (1 - eta) K <= A_W'A_W + f I <= K.
    floor
        The f >= 0 of which every matrix carries f I; a positive floor bounds the number of checkpoints.
    leaf
        Number of rows that come together: checkpoints begin where leaves do.
    coordinate_bits
        b, from 0 to 24.

    Raises
    ------
    InvalidParameterError
        If a parameter leaves its domain.
    """

    def __init__(
        self, dimension: int, window: int, eta: Exact, floor: Exact = 0, *, leaf: int = 1, coordinate_bits: int = 14
    ) -> None:
        read = histogram_parameters(dimension, window, eta, floor)
        self._dimension, self._window, self._eta, self._floor = read
        self._leaf = positive_integer(leaf, "leaf")
        if window % leaf:
            raise InvalidParameterError("leaf", f"{leaf} does not divide the window", "pass a divisor of it")
        if type(coordinate_bits) is not int or not 0 <= coordinate_bits <= _LARGEST_BITS:
            raise InvalidParameterError("coordinate_bits", f"{coordinate_bits!r} is out of range", "pass 0 to 24")
        self._bits = coordinate_bits
        # In units of 4**-b, as all matrices below.
        self._raised = float(self._floor * 4**coordinate_bits)
        self._kept, self._loss = float(1 - self._eta), float(self._eta)
        self._time = 0
        self._total = np.zeros((dimension, dimension))
        self._stamps: list[int] = []
        self._before: list[FloatArray] = []
        # Row i shows that checkpoints i and i + 2 are not close while growth[i] < 0; infinity asks for a decision.
        self._witness = np.zeros((8, dimension))
        self._growth = np.full(8, math.inf)
        self.exact_decisions = 0

    @property
    def time(self) -> int:
        """Number of rows seen."""
        return self._time

    @property
    def stamps(self) -> tuple[int, ...]:
        """Times of the first rows of the checkpoints, from 1, oldest first."""
        return tuple(self._stamps)

    @property
    def checkpoints(self) -> tuple[Checkpoint, ...]:
        """The checkpoints with their exact matrices, oldest first."""
        return tuple(Checkpoint(stamp, self._exact(i)) for i, stamp in enumerate(self._stamps))

    @property
    def approximation(self) -> FloatArray:
        """The oldest checkpoint's matrix K, shape (d, d), each entry rounded once; f I before the first row."""
        return self.matrix(0) if self._stamps else float(self._floor) * np.eye(self._dimension)

    @property
    def stored_numbers(self) -> int:
        """How many numbers are held: sums, witnesses and stamps."""
        places = len(self._stamps)
        return self._total.size * (places + 1) + places * (self._dimension + 2)

    def matrix(self, place: int) -> FloatArray:
        """Return the matrix of a checkpoint, each entry rounded once."""
        result: FloatArray = (self._total - self._before[place]) / 4.0**self._bits
        result[np.diag_indices(self._dimension)] += float(self._floor)
        return result

    def observe(self, rows: npt.ArrayLike) -> None:
        """Add rows, a leaf at a time: to every checkpoint, and as new ones; then expire and thin out.

        Parameters
        ----------
        rows
            Shape (m, d), m a multiple of the leaf, every coordinate a multiple of ``2**-b``; see `truncated`.

        Raises
        ------
        InvalidParameterError
            If the rows are malformed, off the grid, or too long for exact sums; the structure is unchanged.
        """
        units = self._units(rows)
        for start in range(0, len(units), self._leaf):
            self._add_leaf(units[start : start + self._leaf])

    def _units(self, rows: npt.ArrayLike) -> FloatArray:
        try:
            array = np.asarray(rows, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise InvalidParameterError("rows", "they are no array of numbers", "pass an array (m, d)") from error
        if array.ndim != 2 or array.shape[1] != self._dimension or len(array) % self._leaf:
            shape = f"(m, {self._dimension}), m a multiple of {self._leaf}"
            raise InvalidParameterError("rows", f"they have shape {array.shape}", f"pass {shape}")
        if not np.isfinite(array).all():
            raise InvalidParameterError("rows", "they hold NaN or an infinity", "remove or repair the row")
        with np.errstate(over="ignore"):
            units: FloatArray = array * 2.0**self._bits
            energy = float(np.square(units).sum())
        if (units != np.rint(units)).any():
            raise InvalidParameterError("rows", f"a coordinate is no multiple of 2**-{self._bits}", "truncate them")
        # What the window and one more stretch as long may hold, so that differences of sums stay exact.
        if not energy + self._reach() < _EXACT_BELOW:
            raise InvalidParameterError("rows", "their sums are too large for exact floats", "pass shorter rows")
        return units

    def _reach(self) -> float:
        """Energy of the rows since the oldest checkpoint, after moving the origin of all sums there."""
        if self._before and np.trace(self._total) >= _EXACT_BELOW / 2:
            origin = self._before[0]
            self._before = [before - origin for before in self._before]
            self._total = self._total - origin
        return float(np.trace(self._total))

    def _add_leaf(self, block: FloatArray) -> None:
        self._stamps.append(self._time + 1)
        self._before.append(self._total)
        change = np.outer(block[0], block[0]) if len(block) == 1 else block.T @ block
        self._total = self._total + change
        self._time += len(block)
        self._grow(block, float(np.trace(change)))
        if len(self._stamps) > 1 and self._stamps[1] <= self._time - self._window + 1:
            self._drop(0)
        self._thin()

    def _grow(self, block: FloatArray, energy: float) -> None:
        count = len(self._stamps)
        if count > len(self._growth):
            self._witness = np.concatenate([self._witness, np.zeros_like(self._witness)])
            self._growth = np.concatenate([self._growth, np.full_like(self._growth, math.inf)])
        # Upper bounds: of each product, which is off by at most 2 (d + 1) u |v||a|, and of the sum of their squares.
        off = 2 * (self._dimension + 1) * UNIT_ROUNDOFF * math.sqrt(energy)
        products = np.abs(self._witness[:count] @ block.T) + off
        added = self._loss * (1 + 1e-12) * np.square(products).sum(axis=1)
        self._growth[:count] = np.nextafter(self._growth[:count] + added, math.inf)

    def _drop(self, place: int) -> None:
        """Remove a checkpoint, and the witness of the pair that begins with it."""
        del self._stamps[place], self._before[place]
        self._witness[place:-1] = self._witness[place + 1 :]
        self._growth[place:-1] = self._growth[place + 1 :]
        self._growth[-1] = math.inf

    def _thin(self) -> None:
        """Delete every checkpoint between two close ones, the oldest first; the newest is never asked about."""
        place = 0
        while True:
            pairs = len(self._stamps) - 3
            undecided = np.flatnonzero(self._growth[place : max(pairs, place)] >= 0)
            if not len(undecided):
                return
            place += int(undecided[0])
            if self._close(place, place + 2):
                # The checkpoint before has a later partner now; it is further from it, so its witness still serves.
                self._drop(place + 1)
            else:
                place += 1

    def _close(self, i: int, p: int) -> bool:
        """Decide whether (1 - eta) K_i <= K_p; leave a witness if not."""
        older, newer = self._total - self._before[i], self._total - self._before[p]
        size = self._dimension
        scale = float(np.trace(older) + np.trace(newer)) + 2 * size * self._raised
        margin = 8 * (size + 8) * UNIT_ROUNDOFF * scale
        gap = newer - self._kept * older
        diagonal = np.diag_indices(size)
        gap[diagonal] += self._loss * self._raised - margin
        try:
            np.linalg.cholesky(gap)
        except np.linalg.LinAlgError:
            pass
        else:
            return True
        gap[diagonal] += margin
        vector = np.linalg.eigh(gap)[1][:, 0]
        found = float(vector @ gap @ vector) + margin
        if found < 0:
            self._witness[i], self._growth[i] = vector, found
            return False
        self.exact_decisions += 1
        self._growth[i] = math.inf
        return precedes((1 - self._eta) * self._exact(i), self._exact(p)) is Truth.TRUE

    def _exact(self, place: int) -> fmpq_mat:
        size, unit = self._dimension, fmpq(1, 4**self._bits)
        whole = (self._total - self._before[place]).tolist()
        return fmpq_mat(
            [[unit * int(whole[i][j]) + (self._floor if i == j else 0) for j in range(size)] for i in range(size)]
        )
