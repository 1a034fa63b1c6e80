"""Samples in chunks, each with a generator of its own, drawn here or by an executor.

Chunk j of a purpose gets the generator seeded by ``SeedSequence(entropy, spawn_key=(purpose, ..., j))``, which is how
`SeedSequence.spawn` makes independent children. What a chunk holds is therefore the same whoever draws it, in whatever
order, and again after an interrupt, as long as the target takes its randomness from the generator alone.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any, TypeVar

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.targets.target import Target, draw_batch
from dpmatrix.errors import NoVerdictError

Key = tuple[int, ...]
Clock = Callable[[], float]
Result = TypeVar("Result")


def generator_for(entropy: int, key: Key) -> np.random.Generator:
    """Return the generator of one chunk."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))


def entropy_of(generator: np.random.Generator | int) -> int:
    """Return the number from which all generators of an audit are made."""
    if isinstance(generator, np.random.Generator):
        high, low = (int(part) for part in generator.integers(2**63, size=2))
        return (high << 63) | low
    return int(np.random.SeedSequence(generator).generate_state(2, np.uint64)[0])


def chunks(size: int, chunk: int) -> list[int]:
    """Cut a size into chunks."""
    return [min(chunk, size - start) for start in range(0, size, chunk)]


def draw_chunk(target: Target, data: FloatArray, size: int, entropy: int, key: Key) -> FloatArray:
    """Draw one chunk of outputs."""
    return draw_batch(target, data, size, generator_for(entropy, key))


@frozen(eq=False)
class Sampler:
    """Draws for one audit.

    Attributes
    ----------
    target
        The algorithm.
    entropy
        Of the whole audit.
    executor, workers, chunk, clock
        As in `AuditPlan`.
    limit
        By ``time.monotonic``; nothing is asked for, or waited for, after it.
    """

    target: Target
    entropy: int
    executor: Executor | None
    workers: int
    chunk: int
    clock: Clock = time.monotonic
    limit: float = math.inf

    def outputs(self, data: FloatArray, size: int, key: Key) -> FloatArray:
        """Draw outputs for training, shape (size, ...)."""
        jobs = [
            (self.target, data, part, self.entropy, (*key, place))
            for place, part in enumerate(chunks(size, self.chunk))
        ]
        drawn = sorted(self.run(draw_chunk, enumerate(jobs)), key=lambda item: item[0])
        return np.concatenate([batch for _, batch in drawn])

    def run(
        self,
        work: Callable[..., Result],
        jobs: Iterable[tuple[Any, tuple[Any, ...]]],
    ) -> Iterator[tuple[Any, Result]]:
        """Yield the name and result of every job as it is done; a few are under way at any time.

        A caller that stops asking lets those under way finish unheard.

        Raises
        ------
        NoVerdictError
            After the limit.
        """
        if self.executor is None:
            for name, arguments in jobs:
                self._check_limit()
                yield name, work(*arguments)
            return
        waiting: dict[Future[Result], Any] = {}
        queue = iter(jobs)
        try:
            exhausted = False
            while True:
                while not exhausted and len(waiting) < self.workers + 1:
                    job = next(queue, None)
                    exhausted = job is None
                    if job is not None:
                        waiting[self.executor.submit(work, *job[1])] = job[0]
                if not waiting:
                    return
                self._check_limit()
                timeout = None if math.isinf(self.limit) else max(0.0, self.limit - time.monotonic())
                done, _ = wait(waiting, timeout, return_when=FIRST_COMPLETED)
                for future in done:
                    yield waiting.pop(future), future.result()
        finally:
            for future in waiting:
                future.cancel()

    def _check_limit(self) -> None:
        if time.monotonic() > self.limit:
            raise NoVerdictError("the time is over, and the mechanism has not returned enough outputs")
