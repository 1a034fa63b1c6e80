"""Noisy sums over dyadic parts of a stream, noise first."""

from __future__ import annotations

import weakref
from typing import Any, ClassVar

from attrs import define, field

from dpmatrix.errors import SingleUseError
from dpmatrix.mechanisms.protocol import IntegerMatrix
from dpmatrix.mechanisms.streams.parameters import WindowParameters
from dpmatrix.randomness import discrete, fast_discrete
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.single_use import SingleUse

Triangle = list[int]


def triangle_of(matrix: IntegerMatrix) -> Triangle:
    """Read the entries on and below the diagonal, row by row."""
    return [int(matrix[i, j]) for i in range(len(matrix)) for j in range(i + 1)]


def noise_triangle(parameters: WindowParameters, entropy: Entropy) -> Triangle:
    """Draw the noise of one sum: exact, as Python integers."""
    if parameters.variance <= fast_discrete.LARGEST_SCALE**2:
        noise: Triangle = fast_discrete.discrete_gaussian(parameters.variance, parameters.entries, entropy).tolist()
        return noise
    return [discrete.discrete_gaussian(parameters.variance, entropy) for _ in range(parameters.entries)]


@define(eq=False)
class DyadicSums(SingleUse):
    """The running noisy prefix of a block and the noisy sums that are under way.

    A part of 2^k leaves that begins where 2^(k+1) does is opened with noise alone; rows are added to it; when it is
    complete, the prefix of the block becomes the prefix at its beginning plus the part. So no exact sum is ever held,
    and the noise of a part is drawn once. The other parts are never needed for prefixes and are not formed.

    At most one window holds the sums at a time, in the process that drew or read them.

    Parameters
    ----------
    parameters
        Public parameters.
    leaf
        Number of complete leaves since the beginning of the stream.
    rows
        Number of rows in the leaf under way.
    total
        Noisy sum of all complete leaves: finished blocks plus the prefix of the block.
    parts
        For each size k the part under way, as (noisy total where it begins, noisy sum); None if it is not formed.
    """

    what: ClassVar[str] = "the memory of a window"
    remedy: ClassVar[str] = "suspend the window and resume it where it is to go on, or begin one window for each stream"

    parameters: WindowParameters
    leaf: int = 0
    rows: int = 0
    total: Triangle = field(factory=list)
    parts: list[tuple[Triangle, Triangle] | None] = field(factory=list)
    _holder: weakref.ref[Any] | None = field(default=None, init=False)

    def __attrs_pre_init__(self) -> None:
        super().__init__()

    def take(self, holder: object) -> None:
        """Let an object hold the sums.

        Raises
        ------
        SingleUseError
            If another one holds them, or held them and is gone, or in a child process.
        """
        with self.turn():
            if self._holder is not None:
                raise SingleUseError(
                    f"{self.what} is held by another one: its noise must not be used twice", self.remedy
                )
            self._holder = weakref.ref(holder)

    def give(self, holder: object) -> None:
        """End the hold of an object; raises as `check_held_by`."""
        with self.turn():
            self.check_held_by(holder)
            self._holder = None

    def check_held_by(self, holder: object) -> None:
        """Refuse whoever does not hold the sums.

        Raises
        ------
        SingleUseError
            If it never did, or does no longer.
        """
        if self._holder is None or self._holder() is not holder:
            raise SingleUseError("this window was suspended: its noise must not be used twice", self.remedy)

    @classmethod
    def begin(cls, parameters: WindowParameters, entropy: Entropy) -> DyadicSums:
        """Open the parts of the first block."""
        sums = cls(parameters, total=[0] * parameters.entries, parts=[None] * (parameters.height + 1))
        sums.open_parts(entropy)
        return sums

    def open_parts(self, entropy: Entropy) -> None:
        """Open every part that begins at the next leaf and will be needed."""
        place = self.leaf % (1 << self.parameters.height)
        for size in range(self.parameters.height + 1):
            if place % (1 << size) == 0:
                needed = size == self.parameters.height or (place >> size) % 2 == 0
                self.parts[size] = (self.total, noise_triangle(self.parameters, entropy)) if needed else None

    def add(self, change: Triangle, count: int) -> None:
        """Add the sum of some rows of the leaf under way to every part under way."""
        for size, part in enumerate(self.parts):
            if part is not None:
                start, value = part
                self.parts[size] = (start, [a + b for a, b in zip(value, change, strict=True)])
        self.rows += count

    def close_leaf(self, entropy: Entropy) -> None:
        """End a leaf: publish the longest part that ends here, and open the next ones."""
        self.leaf += 1
        self.rows = 0
        place = self.leaf % (1 << self.parameters.height)
        ending = (place & -place).bit_length() - 1 if place else self.parameters.height
        part = self.parts[ending]
        if part is None:
            raise AssertionError("the part that ends here was not formed")
        start, value = part
        self.total = [a + b for a, b in zip(start, value, strict=True)]
        self.open_parts(entropy)
