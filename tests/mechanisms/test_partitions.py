"""Sums of partitions: what they add up to, how many are under way, and what becomes of failures."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from fractions import Fraction

import numpy as np
import pytest
from attrs import evolve, frozen

from dpmatrix.errors import InvalidParameterError, WorkerLostError
from dpmatrix.mechanisms import LaplaceInputPerturbation, LatticeGram, partitions
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.partitions import PartialGram, sum_partition, sum_partitions
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

BITS = 20
MECHANISM = LaplaceInputPerturbation(1, Adjacency.ADD_REMOVE_ONE, divisor=1)
RECORDS = np.random.default_rng(7).uniform(-0.5, 0.5, (40, 3))


@frozen(eq=False)
class Rows:
    """Some records, in blocks of seven."""

    records: np.ndarray

    def blocks(self):
        """Read them."""
        for start in range(0, len(self.records), 7):
            yield self.records[start : start + 7]


PARTS = [Rows(part) for part in np.split(RECORDS, [3, 3, 20, 39])]


def matrices(sums) -> list[list[list[int]]]:
    return [part.gram.matrix().tolist() for part in sums]


class AtOnce(Executor):
    """Has every result when it is asked, and counts what it was asked."""

    def __init__(self) -> None:
        self.submitted = 0

    def submit(self, function, /, *arguments, **keywords) -> Future:
        """Run it here."""
        self.submitted += 1
        future: Future = Future()
        future.set_result(function(*arguments, **keywords))
        return future


class Late(Future):
    """Is never done when many are looked at; asked alone it ends as it was told."""

    def __init__(self, end) -> None:
        super().__init__()
        self.end = end

    def result(self, timeout=None):
        """End."""
        assert timeout is None
        if isinstance(self.end, BaseException):
            raise self.end
        return self.end


def failed(error: BaseException) -> Future:
    future: Future = Future()
    future.set_exception(error)
    return future


class Given(Executor):
    """Hands out prepared futures, or raises a prepared error."""

    def __init__(self, *ends: Future | BaseException) -> None:
        self.left = list(ends)

    def submit(self, *_job, **_keywords) -> Future:
        """Hand out the next one."""
        end = self.left.pop(0)
        if isinstance(end, BaseException):
            raise end
        return end


@pytest.fixture(autouse=True)
def _nobody_waits_for_ever(monkeypatch) -> None:
    def impatient(futures, return_when):
        done = wait(futures, 5, return_when)
        assert done.done, "no result comes"
        return done

    monkeypatch.setattr(partitions, "wait", impatient)


def test_each_partition_has_its_exact_sum() -> None:
    expected = [lattice_gram(part.records, BITS).tolist() for part in PARTS]
    assert matrices(sum_partition(MECHANISM, part, 3) for part in PARTS) == expected
    assert matrices(sum_partitions(MECHANISM, PARTS, 3)) == expected
    assert [part.gram.count for part in sum_partitions(MECHANISM, PARTS, 3)] == [3, 0, 17, 19, 1]
    for executor in (AtOnce(), ThreadPoolExecutor(2)):
        with executor:
            sums = matrices(sum_partitions(MECHANISM, PARTS, 3, executor=executor, workers=2))
        assert sorted(sums) == sorted(expected)


def test_a_release_of_sums_is_that_of_the_whole() -> None:
    whole = MECHANISM.release(RECORDS, entropy=SeededEntropy(3))
    for executor in (None, AtOnce()):
        sums = sum_partitions(MECHANISM, PARTS, 3, executor=executor)
        assert MECHANISM.release_blocks(sums, 3, entropy=SeededEntropy(3)) == whole
    mixed = [PARTS[0].records, sum_partition(MECHANISM, PARTS[3], 3), *PARTS[2].blocks(), PARTS[4].records]
    assert MECHANISM.release_blocks(mixed, 3, entropy=SeededEntropy(3)) == whole


def test_without_an_executor_partitions_are_read_one_by_one() -> None:
    read: list[int] = []
    sums = sum_partitions(MECHANISM, (read.append(number) or part for number, part in enumerate(PARTS)), 3)
    assert read == []
    for number in range(len(PARTS)):
        next(sums)
        assert read == [*range(number + 1)]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_one_more_partition_waits_than_there_are_workers(workers) -> None:
    read: list[int] = []
    executor = AtOnce()
    parts = (read.append(number) or part for number, part in enumerate(PARTS * 3))
    sums = sum_partitions(MECHANISM, parts, 3, executor=executor, workers=workers)
    for _ in range(workers + 1):
        next(sums)
        assert executor.submitted == len(read) == workers + 1
    next(sums)
    assert workers + 1 < executor.submitted <= 2 * (workers + 1)
    assert len(list(sums)) == 15 - workers - 2
    assert executor.submitted == 15


def test_one_worker_is_the_default() -> None:
    executor = AtOnce()
    next(sum_partitions(MECHANISM, PARTS, 3, executor=executor))
    assert executor.submitted == 2


def test_of_several_failures_the_first_in_order_is_raised() -> None:
    """Whoever is faster: the second has failed when the first is still at work."""
    slow, after = Late(ValueError("first")), Late(ValueError("third"))
    with pytest.raises(ValueError, match="first"):
        next(sum_partitions(MECHANISM, PARTS, 3, executor=Given(slow, failed(KeyError("second")), after), workers=2))
    assert slow.cancelled()
    assert after.cancelled()
    done = Late(sum_partition(MECHANISM, PARTS[0], 3))
    with pytest.raises(KeyError, match="second"):
        next(sum_partitions(MECHANISM, PARTS, 3, executor=Given(done, failed(KeyError("second"))), workers=1))


def test_what_waits_is_cancelled_when_nobody_asks_any_more() -> None:
    ready, waiting = Future(), Late(None)
    ready.set_result(sum_partition(MECHANISM, PARTS[0], 3))
    sums = sum_partitions(MECHANISM, PARTS[:2], 3, executor=Given(ready, waiting))
    assert next(sums).gram.count == 3
    assert not waiting.cancelled()
    sums.close()
    assert waiting.cancelled()


@pytest.mark.parametrize("error", [BrokenExecutor("gone"), CancelledError()])
def test_a_lost_worker_has_an_error_of_its_own(error) -> None:
    other = Late(None)
    for executor in (Given(failed(error), other), Given(error)):
        with pytest.raises(WorkerLostError, match="ended before") as caught:
            next(sum_partitions(MECHANISM, PARTS, 3, executor=executor))
        assert caught.value.__cause__ is error
    assert other.cancelled()


def test_a_sum_joins_only_what_allows_its_norms() -> None:
    part = sum_partition(MECHANISM, PARTS[0], 3)
    assert part.norm_bound == 1
    total = LatticeGram(3, BITS)
    total.add(RECORDS[3:])
    for bound in (Fraction(1), Fraction(3, 2)):
        joined = part.joined(total, bound)
        assert joined.count == 40
        assert joined.matrix().tolist() == lattice_gram(RECORDS, BITS).tolist()
    with pytest.raises(InvalidParameterError, match="more than 999/1000"):
        part.joined(total, Fraction(999, 1000))
    for other in (LatticeGram(2, BITS), LatticeGram(3, BITS + 1)):
        with pytest.raises(InvalidParameterError, match="other"):
            part.joined(other, Fraction(1))
    smaller = evolve(MECHANISM, norm_bound=Fraction(1, 2))
    with pytest.raises(InvalidParameterError, match="sum them with the mechanism that releases"):
        smaller.release_blocks([part], 3)
    assert MECHANISM.release_blocks([sum_partition(smaller, PARTS[0], 3)], 3).private
    with pytest.raises(TypeError):
        PartialGram(total, Fraction(1))
