"""Parts of the records that workers sum: each counts once, in whatever order they come, and a lost one is an error.

Nothing is statistical.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from dpmatrix.errors import WorkerLostError
from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.partitions import sum_partitions
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

MECHANISM = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, norm_bound=64)
RECORDS = np.random.default_rng(1).integers(-16, 17, (8, 3)) / 1.0


class Part:
    """A record as a partition; it may wait for another one, or fail."""

    def __init__(self, place: int, *, after: threading.Event | None = None, fails: bool = False) -> None:
        self.place, self.after, self.fails = place, after, fails
        self.read = threading.Event()

    def blocks(self) -> Iterator[np.ndarray]:
        """Read the record."""
        if self.after is not None:
            self.after.wait(10)
        self.read.set()
        if self.fails:
            raise OSError(5, f"part {self.place}")
        yield RECORDS[self.place : self.place + 1]


def summed(parts: list[Part], executor: Executor | None, workers: int) -> list[list[int]]:
    sums = sum_partitions(MECHANISM, parts, 3, executor=executor, workers=workers)
    return MECHANISM.release_blocks(sums, 3, entropy=SeededEntropy(2)).integers.tolist()


@pytest.mark.parametrize("workers", [1, 2, 3, 20])
def test_every_part_counts_once(workers: int) -> None:
    whole = MECHANISM.release_blocks([RECORDS], 3, entropy=SeededEntropy(2)).integers.tolist()
    parts = [Part(place) for place in range(8)]
    late = [Part(0), *(Part(place) for place in range(1, 8))]
    late[0].after = late[1].read
    with ThreadPoolExecutor(2) as pool:
        assert summed(parts, pool, workers) == whole
        assert summed(late, pool, workers) == whole, "the first one is the last"
        assert summed([*parts, Part(3)], pool, workers) != whole, "control"
        assert summed(parts[1:], pool, workers) != whole, "control"
    assert summed(parts, None, workers) == whole


def test_a_part_that_fails_ends_the_sum_with_the_first_failure() -> None:
    """Whoever is faster: the failure of a later part does not tell that an earlier one has none."""
    parts = [Part(place, fails=place in (0, 1)) for place in range(4)]
    parts[0].after = parts[1].read
    with ThreadPoolExecutor(2) as pool, pytest.raises(OSError, match="part 0"):
        summed(parts, pool, 2)
    with ThreadPoolExecutor(2) as pool, pytest.raises(OSError, match="part 2"):
        summed([Part(place, fails=place == 2) for place in range(4)], pool, 1)


class Lost(Executor):
    """An executor of which every worker is lost."""

    def submit(self, *_: Any, **__: Any) -> Future:
        """Return what never was summed."""
        future: Future = Future()
        future.set_exception(BrokenExecutor("gone"))
        return future


def test_a_worker_that_is_lost_is_an_error_of_its_own() -> None:
    with pytest.raises(WorkerLostError):
        summed([Part(0)], Lost(), 1)
