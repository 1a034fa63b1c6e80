"""Speed and memory of exact Gram matrices against numpy's plain product: `make bench`, or run this file for a table.

Ratios are formed within one run, with the contenders taken in turn; the matrix of the benchmark is a tenth of the one
of the table, which is n = 1,000,000 and d = 100 (800 MB).
"""

from __future__ import annotations

import statistics
import sys
import threading
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.mechanisms import LaplaceInputPerturbation
from dpmatrix.mechanisms.lattice import lattice_gram
from dpmatrix.mechanisms.records import bounded_records
from dpmatrix.mechanisms.second_moment import second_moment

DIMENSION = 100
RECORDS = 100_000
PLAIN = "numpy X'X (rounded)"
EXACT = "second_moment, exact"


def make_records(count: int) -> np.ndarray:
    """Make records of lengths between 0.2 and 0.999, in place."""
    generator, records = np.random.default_rng(0), np.empty((count, DIMENSION))
    for start in range(0, count, 10_000):
        part = records[start : start + 10_000]
        part[:] = generator.standard_normal(part.shape)
        part *= generator.uniform(0.2, 0.999, (len(part), 1)) / np.linalg.norm(part, axis=1, keepdims=True)
    return records


def contenders(records: np.ndarray) -> dict[str, Callable[[], object]]:
    mechanism = LaplaceInputPerturbation(1)
    return {
        PLAIN: lambda: records.T @ records,
        "lattice_gram, b = 8": lambda: lattice_gram(records, 8),
        "lattice_gram, b = 20": lambda: lattice_gram(records, 20),
        "lattice_gram, b = 40": lambda: lattice_gram(records, 40),
        "norms and copy": lambda: bounded_records(records, Fraction(1), "reject").shape,
        "release, b = 20": lambda: mechanism.release(records),
        EXACT: lambda: second_moment(records, len(records)),
    }


@pytest.fixture(scope="module")
def records() -> np.ndarray:
    return make_records(RECORDS)


@pytest.mark.benchmark(group=f"Gram matrix of {RECORDS} records, d = {DIMENSION}")
@pytest.mark.parametrize("method", list(contenders(np.zeros((1, 1)))))
def test_gram(benchmark, records, method: str) -> None:
    calls, ratios = contenders(records), []
    calls[PLAIN]()

    def in_turn() -> None:
        times = []
        for name in (PLAIN, method):
            start = time.process_time()
            calls[name]()
            times.append(time.process_time() - start)
        ratios.append(times[1] / times[0])

    in_turn()
    benchmark.pedantic(calls[method], rounds=3)
    in_turn()
    in_turn()
    benchmark.extra_info["processor time over numpy's"] = statistics.median(ratios)


@pytest.mark.benchmark(group="release at d = 200")
@pytest.mark.parametrize("bits", [8, 20, 40])
def test_release_of_many_entries(benchmark, bits: int) -> None:
    data, mechanism = np.full((100, 200), 0.01), LaplaceInputPerturbation(1, coordinate_bits=bits)
    benchmark.pedantic(lambda: mechanism.release(data), rounds=5, warmup_rounds=1)


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def watched(call: Callable[[], object]) -> tuple[float, float, int]:
    """Measure wall time, processor time, and the growth of the resident memory at its peak."""
    start = resident()
    peak, done = [start], threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=watch)
    watcher.start()
    wall, processor = time.perf_counter(), time.process_time()
    call()
    spent = time.perf_counter() - wall, time.process_time() - processor
    done.set()
    watcher.join()
    return *spent, peak[0] - start


def main(count: int, rounds: int) -> None:
    """Print the table: best wall time, rows a second, processor time over numpy's taken in turn, peak of new memory."""
    calls = contenders(make_records(count))
    if count > RECORDS:
        # It takes minutes.
        del calls[EXACT]
    for name, call in calls.items():
        pairs = [(watched(calls[PLAIN]), watched(call)) for _ in range(rounds)]
        best, memory = min(ours[0] for _, ours in pairs), max(ours[2] for _, ours in pairs) / 2**20
        ratio = statistics.median(ours[1] / plain[1] for plain, ours in pairs)
        sys.stdout.write(
            f"{name:24} {best:8.3f} s {count / best:12.0f} rows/s {ratio:7.2f} x numpy  + {memory:.0f} MiB\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
