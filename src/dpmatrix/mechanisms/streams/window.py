"""The repair of the sliding-window algorithms: one guarantee for stamps, comparisons and outputs at all times."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.claims import implements
from dpmatrix.errors import InvalidParameterError, SingleUseError
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.mechanisms.records import bounded_records
from dpmatrix.mechanisms.streams.dyadic import DyadicSums, triangle_of
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint, difference, updated
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.randomness.entropy import Entropy, SystemEntropy
from dpmatrix.single_use import SingleUse


@frozen
class WindowMemory:
    """All that a window holds, and which stream it belongs to.

    Parameters
    ----------
    sums
        Noisy sums, complete and under way.
    held
        Checkpoints, oldest first.
    stream
        Name of the stream, drawn when it begins; public, and independent of the rows and of the noise.
    suspensions
        How often the stream has been suspended so far, attempts included.
    private
        Whether the noise in the sums was drawn from secret bits.
    """

    sums: DyadicSums
    held: tuple[WindowCheckpoint, ...]
    stream: str = field(factory=lambda: secrets.token_hex(16))
    suspensions: int = 0
    private: bool = field(default=False, kw_only=True)

    @classmethod
    def begin(cls, parameters: WindowParameters, entropy: Entropy) -> WindowMemory:
        """Begin a stream: noise first."""
        sums = DyadicSums.begin(parameters, entropy)
        return cls(sums, (WindowCheckpoint(0, sums.total),), private=entropy.private)


class _NotPrivate:
    """Bits that were not secret before the window was suspended void the guarantee of what follows."""

    private = False

    def __init__(self, entropy: Entropy) -> None:
        self._entropy = entropy

    @property
    def description(self) -> str:
        return f"{self._entropy.description}, after bits that were not secret"

    def bits(self, count: int) -> int:
        return self._entropy.bits(count)

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        return self._entropy.words(count)


@implements("sliding-window.algorithm-7+repair@7007ea37", "sliding-window.algorithm-8+repair@2c7e5094")
class SlidingWindowGram(SingleUse):
    r"""Private A_W'A_W over a sliding window, at every time.

    A window keeps noise that is under way, so it is used once: by the process that made it and not by its forks, not by
    copies, which are refused, and by one thread at a time; see `dpmatrix.single_use`.

    Parameters
    ----------
    parameters
        Public parameters.
    entropy
        Source of the random bits; the operating system by default. With a source that is not private there is no
        guarantee.
    memory
        What another window handed over, which no third one may take; see `resume`.

    Raises
    ------
    InvalidParameterError
        If the memory was made with other parameters.
    SingleUseError
        If another window holds the memory, or it was made in another process.

    Notes
    -----
    *What is guaranteed.* Rows are truncated to a grid, their sums are exact, and the noisy sums of `DyadicSums` are the
    only thing that depends on them. A row enters at most h + 1 of these sums and changes each by at most 1 in
    Frobenius norm, by at most the root of 2 where it is replaced; the noise of all of them together is a discrete
    Gaussian vector. Outputs, time stamps and the number of checkpoints, at all times, are computed from published sums.
    So the guarantee is that of one release, however often is published: *continual release*, *time stamps revealed*.
    Since noise is drawn before the data, and a source of bits such as `SystemEntropy` keeps none that it gave out, no
    exact sum can be computed from what the window and its source hold: all of it at one time, between two calls, and
    all outputs up to that time are covered by the same guarantee (*pan-privacy* against one intrusion). Storage that
    was freed is not wiped, so a core dump may show more. Memory and later outputs are not covered: a part seen under
    way, and seen again complete, gives away what was added in between. Streams are fixed in advance; time of arrival,
    time of computing and the refusal of a row are not protected.

    *What it is worth.* With e the norm of the error and z the slack, an output S has ``A_W'A_W - e <= S <= (A_W'A_W +
    z + (2 - eta) e)/(1 - eta) + e``; when the first sum begins with the window, ``A_W'A_W - e <= S <= A_W'A_W + e``.
    """

    name: ClassVar[str] = "private sliding window"
    what: ClassVar[str] = "a window"
    remedy: ClassVar[str] = DyadicSums.remedy

    def __init__(
        self,
        parameters: WindowParameters,
        *,
        entropy: Entropy | None = None,
        memory: WindowMemory | None = None,
    ) -> None:
        super().__init__()
        self.parameters = parameters
        source: Entropy = SystemEntropy() if entropy is None else entropy
        memory = WindowMemory.begin(parameters, source) if memory is None else memory
        if memory.sums.parameters != parameters:
            raise InvalidParameterError("memory", "it was made with other parameters", "pass these")
        memory.sums.take(self)
        self._entropy = _NotPrivate(source) if source.private and not memory.private else source
        self._sums, self._held = memory.sums, memory.held
        self._stream, self._suspensions = memory.stream, memory.suspensions
        self._interrupted = False

    @property
    def entropy(self) -> Entropy:
        """Source of the random bits."""
        return self._entropy

    @property
    def guarantee(self) -> PrivacyGuarantee | None:
        """The guarantee for everything that is ever published; None if the bits are not secret."""
        return self.parameters.guarantee if self._entropy.private else None

    @property
    def grid(self) -> Fraction:
        """Spacing of the published values."""
        return Fraction(1, 4**self.parameters.coordinate_bits)

    @property
    def time(self) -> int:
        """Number of rows read."""
        return self._sums.leaf * self.parameters.leaf + self._sums.rows

    @property
    def stamps(self) -> tuple[int, ...]:
        """Times, counted from 1, of the rows at which the sums begin; public."""
        return tuple(pair.leaf * self.parameters.leaf + 1 for pair in self._held)

    def add(self, rows: npt.ArrayLike) -> None:
        """Read rows, all of them or none where an error ends the call.

        Parameters
        ----------
        rows
            Shape (m, d), of norm at most 1; m may be zero.

        Raises
        ------
        InvalidParameterError
            If the rows are malformed, or one is too long and may not be clipped.
        SingleUseError
            If the window was suspended: what goes on from it is the resumed one. In a child process, and from within
            another use of the window.
        """
        with self._turn():
            self._add(rows)

    def _add(self, rows: npt.ArrayLike) -> None:
        records = bounded_records(rows, Fraction(1), self.parameters.over_norm, none_allowed=True, parameter="rows")
        if records.shape[1] != self.parameters.dimension:
            problem = f"it has shape {records.shape}"
            raise InvalidParameterError("rows", problem, f"pass rows of length {self.parameters.dimension}")
        # Whatever interrupts the next lines leaves sums that nobody should go on from.
        self._interrupted = True
        while len(records):
            part = records[: self.parameters.leaf - self._sums.rows]
            records = records[len(part) :]
            self._sums.add(triangle_of(lattice_gram(part, self.parameters.coordinate_bits)), len(part))
            if self._sums.rows == self.parameters.leaf:
                self._sums.close_leaf(self._entropy)
                self._held = updated(self._held, self._sums.total, self._sums.leaf, self.parameters)
                self._held = (*self._held, WindowCheckpoint(self._sums.leaf, self._sums.total))
        self._interrupted = False

    @contextmanager
    def _turn(self) -> Iterator[None]:
        with self.turn():
            self._sums.check_held_by(self)
            if self._interrupted:
                raise SingleUseError("this window was interrupted: its noise must not be used twice", "begin a new one")
            yield

    def hand_over(self) -> WindowMemory:
        """Return the memory to be stored and refuse to go on: used by `suspend`.

        Raises
        ------
        SingleUseError
            As in `add`.
        """
        with self._turn():
            self._sums.give(self)
            private = self._entropy.private
            # Also where nothing comes to be written: a counter may have been told of this number.
            self._suspensions += 1
            return WindowMemory(self._sums, self._held, self._stream, self._suspensions, private=private)

    def take_back(self) -> None:
        """Go on after all: only for a memory that was handed over and stored nowhere.

        Raises
        ------
        SingleUseError
            If another window took the memory.
        """
        self._sums.take(self)

    @property
    def memory(self) -> tuple[int, ...]:
        """Every number in memory that depends on the rows, as integers; protected as the class says."""
        parts = [value for part in self._sums.parts if part is not None for triangle in part for value in triangle]
        return (*self._sums.total, *parts, *(value for pair in self._held for value in pair.before))

    def publish(self) -> Release:
        """Publish the first sum: that of a stretch of rows that contains the window, up to the last complete leaf.

        Raises
        ------
        SingleUseError
            As in `add`.
        """
        with self._turn():
            integers = difference(self._sums.total, self._held[0].before, self.parameters.dimension)
        return Release(
            integers=np.array(integers, dtype=object),
            grid=self.grid,
            guarantee=self.guarantee,
            mechanism=self.name,
            adjacency=self.parameters.guarantee.adjacency,
            entropy=self._entropy.description,
        )
