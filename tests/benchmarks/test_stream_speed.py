"""Speed, memory and accuracy of sliding windows against numpy's exact update: `make bench`, or run this file.

The peer keeps every row of the window and adds and subtracts outer products in floats: exact up to rounding, not
private, and of memory W d. Ratios are formed within one run, with the contenders taken in turn. The benchmark takes
10,000 rows in d = 50 dimensions; the file by itself prints a table of streams of ten windows, at most 1,000,000 rows;
it takes this number and the windows as arguments.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.streaming import FastSpectralHistogram, checkpoint_bound, truncated

DIMENSION = 50
ETA = Fraction(1, 4)
FLOOR = 20
PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
CHUNK = 1000
PLAIN = "numpy, all rows kept"


class PlainWindow:
    """Peer: the exact Gram matrix of the window, one row in and one row out."""

    def __init__(self, window: int) -> None:
        self.rows = np.zeros((window, DIMENSION))
        self.gram = np.zeros((DIMENSION, DIMENSION))
        self.place = 0

    def add(self, rows: np.ndarray) -> None:
        """Add rows one by one, and take the oldest ones out."""
        for row in rows:
            old = self.rows[self.place]
            self.gram += np.outer(row, row) - np.outer(old, old)
            old[:] = row
            self.place = (self.place + 1) % len(self.rows)

    def numbers(self) -> int:
        """Count what is held."""
        return self.rows.size + self.gram.size


def chunks(count: int, window: int) -> Iterator[np.ndarray]:
    """Make rows of norm just below 1 on the grid, whose spectrum turns round in four windows."""
    generator = np.random.default_rng(0)
    for start in range(0, count, CHUNK):
        turn = np.roll(np.linspace(1, 0.1, DIMENSION), start * DIMENSION // (4 * window))
        rows = generator.standard_normal((CHUNK, DIMENSION)) * turn
        yield truncated(rows / (np.linalg.norm(rows, axis=1, keepdims=True) * 1.0001), 14)


def histogram(window: int, leaf: int) -> FastSpectralHistogram:
    return FastSpectralHistogram(DIMENSION, window, ETA, FLOOR, leaf=leaf)


def private(window: int, leaves: int) -> SlidingWindowGram:
    return SlidingWindowGram(WindowParameters(DIMENSION, window, PROMISE, leaf=window // leaves))


def contenders(window: int) -> dict[str, Callable[[], Callable[[np.ndarray], None]]]:
    return {
        PLAIN: lambda: PlainWindow(window).add,
        "histogram, row by row": lambda: histogram(window, 1).observe,
        "histogram, leaves of 100": lambda: histogram(window, 100).observe,
        "private window, 100 leaves": lambda: private(window, 100).add,
    }


@pytest.mark.benchmark(group=f"10000 rows, d = {DIMENSION}, W = 10000")
@pytest.mark.parametrize("method", list(contenders(100)))
def test_stream(benchmark, method: str) -> None:
    rows, ratios = list(chunks(10_000, 10_000)), []
    makers = contenders(10_000)

    def run(name: str) -> float:
        add = makers[name]()
        start = time.process_time()
        for chunk in rows:
            add(chunk)
        return time.process_time() - start

    def in_turn() -> None:
        plain = run(PLAIN)
        ratios.append(run(method) / plain)

    in_turn()
    benchmark.pedantic(lambda: run(method), rounds=3)
    in_turn()
    in_turn()
    benchmark.extra_info["processor time over numpy's"] = statistics.median(ratios)


def test_memory_grows_like_the_logarithm_of_the_window() -> None:
    """Each tenfold window adds about as much, within the proved bound; the peer's memory grows tenfold."""
    numbers = []
    for window in (1_000, 10_000, 100_000):
        found = histogram(window, 100)
        for chunk in chunks(2 * window, window):
            found.observe(chunk)
        assert len(found.stamps) <= checkpoint_bound(DIMENSION, window, float(ETA), FLOOR)
        numbers.append(found.stored_numbers)
    assert numbers[0] < numbers[1] < numbers[2] < numbers[1] + 1.5 * (numbers[1] - numbers[0])


def resident() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def measured(
    add: Callable[[np.ndarray], None], stream: tuple[int, int], look: Callable[[], None]
) -> tuple[float, float]:
    """Measure rows a second of processor time in adding, and the growth of the resident memory at its peak, in MiB."""
    begin, spent, peak = resident(), 0.0, 0
    for chunk in chunks(*stream):
        start = time.process_time()
        add(chunk)
        spent += time.process_time() - start
        peak = max(peak, resident())
        look()
    return stream[0] / spent, (peak - begin) / 2**20


class Look:
    """Compare a window with the exact one now and then, at 20 times in all, and count its checkpoints."""

    def __init__(self, window: int, count: int, judge: FastSpectralHistogram | SlidingWindowGram) -> None:
        self.source, self.judge = chunks(count, window), judge
        self.recent: list[np.ndarray] = []
        self.window, self.every, self.seen = window, max(1, count // CHUNK // 20), 0
        self.most = 0
        self.errors: list[float] = []

    def __call__(self) -> None:
        """Take the next chunk of the same stream, and compare if it is time."""
        self.seen += 1
        self.recent = [*self.recent, next(self.source)][-(self.window // CHUNK) :]
        self.most = max(self.most, len(self.judge.stamps))
        if self.seen % self.every == 0 and self.seen * CHUNK >= self.window:
            exact = sum(chunk.T @ chunk for chunk in self.recent)
            if isinstance(self.judge, SlidingWindowGram):
                output = self.judge.publish().to_numpy()
            else:
                output = self.judge.approximation - FLOOR * np.eye(DIMENSION)
            self.errors.append(float(np.linalg.norm(output - exact, 2) / np.linalg.norm(exact, 2)))


def main(longest: int, windows: tuple[int, ...]) -> None:
    """Print the table.

    Errors are in spectral norm, over that of the exact matrix; the histogram's floor is taken off first. The printed
    bound is O(d log(W) / eta) and is shown with the constant 1.
    """
    heads = ("rows/s", "+ MiB", "numbers", "most checkpoints", "bound (repaired)", "d log(W)/eta", "error", "worst")
    sys.stdout.write(f"{'':>8} {'':28}" + "".join(f"{head:>18}" for head in heads) + "\n")
    for window in windows:
        count = min(longest, 10 * window)
        repaired = checkpoint_bound(DIMENSION, window, float(ETA), FLOOR)
        printed = math.ceil(DIMENSION * math.log(window) / float(ETA))
        plain = PlainWindow(window)
        speed, memory = measured(plain.add, (count, window), lambda: None)
        write(window, PLAIN, speed, memory, plain.numbers())
        for leaf in (1, 100):
            found = histogram(window, leaf)
            look = Look(window, count, found)
            speed, memory = measured(found.observe, (count, window), look)
            write(window, f"histogram, leaf = {leaf}", speed, memory, found.stored_numbers, look, repaired, printed)
        for leaves in (20, 100, 500):
            released = private(window, leaves)
            look = Look(window, count, released)
            speed, memory = measured(released.add, (count, window), look)
            write(window, f"private, {leaves} leaves", speed, memory, len(released.memory), look, leaves + 2)


def write(window: int, name: str, speed: float, memory: float, numbers: int, look: Look | None = None,
          repaired: int = 0, printed: int = 0) -> None:  # fmt: skip
    cells = [f"{speed:.0f}", f"{memory:.1f}", f"{numbers}"]
    if look is not None:
        cells += [f"{look.most}", f"{repaired}", f"{printed or ''}"]
        cells += [f"{np.mean(look.errors):.4f}", f"{max(look.errors):.4f}"]
    sys.stdout.write(f"{window:8} {name:28}" + "".join(f"{cell:>18}" for cell in cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    arguments = [int(argument) for argument in sys.argv[1:]]
    main(arguments[0] if arguments else 1_000_000, tuple(arguments[1:]) or (1_000, 10_000, 100_000))
