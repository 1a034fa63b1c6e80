"""Records in partitions that are summed elsewhere: exact integer Gram matrices, and one release where they meet.

A partition's sum is a matrix of integers, so the sum over all partitions depends neither on how the records were cut
nor on the order in which the parts arrive, and a release from it is that of the whole: the same bits of entropy give
the same release. Noise is drawn once, by whoever releases, after the last part has arrived.

What travels is not private. A partition's sum is an exact statistic of its records (of a single record, the record
itself up to its sign), so workers, and whatever carries their results, must be trusted as much as the place where the
records lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from fractions import Fraction
from typing import Protocol, TypeAlias

import numpy.typing as npt
from attrs import frozen

from dpmatrix.errors import InvalidParameterError, WorkerLostError
from dpmatrix.mechanisms.lattice import LatticeGram


@frozen(kw_only=True)
class PartialGram:
    """The exact sum of records that were read, checked and truncated elsewhere. NOT private.

    Attributes
    ----------
    gram
        Their number, and the integer matrix.
    norm_bound
        What no record's norm exceeds, as the one who summed them made sure.
    """

    gram: LatticeGram
    norm_bound: Fraction

    def joined(self, total: LatticeGram, norm_bound: Fraction) -> LatticeGram:
        """Return a sum with this one added.

        Raises
        ------
        InvalidParameterError
            If this one was made for a longer norm, another d or other digits.
        """
        if self.norm_bound > norm_bound:
            problem = f"its records were allowed a norm of {self.norm_bound}, more than {norm_bound}"
            raise InvalidParameterError("blocks", problem, "sum them with the mechanism that releases")
        return total.merge(self.gram)


Blocks: TypeAlias = Iterable[npt.ArrayLike | PartialGram]
"""Arrays of shape (m, d), and sums of records of length d, in any order."""


class Partition(Protocol):
    """Some of the records; it travels to whoever sums them, so it can be pickled and holds no records itself."""

    def blocks(self) -> Iterable[npt.ArrayLike]:
        """Read them: arrays of shape (m, d)."""
        ...


class SumsRecords(Protocol):
    """A mechanism whose release depends on the records by their exact sum."""

    def partial_gram(self, blocks: Blocks, dimension: int) -> PartialGram:
        """Sum records of length d."""
        ...


def sum_partition(mechanism: SumsRecords, partition: Partition, dimension: int) -> PartialGram:
    """Sum one partition: the work of a worker."""
    return mechanism.partial_gram(partition.blocks(), dimension)


def sum_partitions(
    mechanism: SumsRecords,
    partitions: Iterable[Partition],
    dimension: int,
    *,
    executor: Executor | None = None,
    workers: int = 1,
) -> Iterator[PartialGram]:
    """Sum every partition and yield the sums as they are done, for `release_blocks` of the mechanism.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> import numpy as np
    >>> from attrs import frozen
    >>> from dpmatrix.mechanisms import LaplaceInputPerturbation
    >>> @frozen
    ... class Repeated:
    ...     count: int
    ...     def blocks(self):
    ...         yield np.full((self.count, 2), 0.5)
    >>> mechanism = LaplaceInputPerturbation(epsilon=1)
    >>> with ThreadPoolExecutor(2) as pool:
    ...     sums = sum_partitions(mechanism, [Repeated(3), Repeated(0), Repeated(4)], 2, executor=pool, workers=2)
    ...     release = mechanism.release_blocks(sums, 2)
    >>> release.private, release.grid.denominator == 7 * 4**mechanism.coordinate_bits
    (True, True)

    Parameters
    ----------
    mechanism
        The one that will release.
    partitions
        Read one after the other; every record must be in exactly one of them.
    dimension
        Length d of a record.
    executor
        Any executor of `concurrent.futures`, or that of a cluster: ``distributed.Client.get_executor()``. By default
        the partitions are summed here. Its workers see the records, and their results are not private.
    workers
        How many partitions it works on at a time; one more is kept waiting.

    Raises
    ------
    WorkerLostError
        If a worker ended without a result.
    Exception
        What the reading of a partition raised. Of several, that of the first partition in order, whoever is faster.
    """
    if executor is None:
        for partition in partitions:
            yield sum_partition(mechanism, partition, dimension)
        return
    waiting: dict[Future[PartialGram], int] = {}
    queue = enumerate(partitions)
    try:
        while True:
            while len(waiting) <= workers and (job := next(queue, None)) is not None:
                waiting[executor.submit(sum_partition, mechanism, job[1], dimension)] = job[0]
            if not waiting:
                return
            done, _ = wait(waiting, return_when=FIRST_COMPLETED)
            if any(future.exception() is not None for future in done):
                # Those before the one that failed are under way or done; the first failure in order is reported.
                for future in sorted(waiting, key=waiting.__getitem__):
                    future.result()
            for future in done:
                del waiting[future]
                yield future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise WorkerLostError("a worker ended before its part of the records was summed") from error
    finally:
        for future in waiting:
            future.cancel()
