"""Records that are made as they are read: rows a second of a streamed release against numpy's plain Gram product.

As a file it prints a table: ``python tests/benchmarks/test_streamed_components.py`` for 0.1 GB of binary records, with
``--full`` for 5 GB (6,250,000 records of 100 numbers), none of which is ever on disk or in memory as a whole. The same
blocks go to both contenders in turn, and the time to make them is not counted. Another line reads a part of them as
CSV. Memory is the growth of the peak of the process, over the blocks that both are given; later lines grow from there.
The last lines are ``dpmatrix pca`` of a CSV file, by the clock and with all that starts and ends it, read by one
process and by two, which takes two idle cores.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.files import open_records
from dpmatrix.mechanisms.menu import MATRICES

DIMENSION = 100
ROWS = 50_000
"""Records that are made at a time: 40 MB."""
SMALL, FULL = 125_000, 6_250_000
TEXT_ROWS = 20_000
FILE_ROWS = 400_000


def made(count: int) -> Iterator[np.ndarray]:
    """Make records of norm below one: a block of random ones, its columns turned a little further each time."""
    block = np.random.default_rng(0).uniform(-1, 1, (ROWS, DIMENSION)) / np.sqrt(DIMENSION)
    for start in range(0, count, ROWS):
        yield np.ascontiguousarray(np.roll(block, start // ROWS, axis=1)[: count - start])


class Watch:
    """Blocks on their way to a contender, and the processor time that passes outside of their making."""

    def __init__(self, count: int) -> None:
        self.blocks = made(count)
        self.spent = 0.0
        self.plain = np.zeros((DIMENSION, DIMENSION))
        self.plain_spent = 0.0
        self.before = 0

    def __iter__(self) -> Iterator[np.ndarray]:
        for block in self.blocks:
            start = time.process_time()
            self.plain += block.T @ block
            self.plain_spent += time.process_time() - start
            self.before = self.before or peak()
            start = time.process_time()
            yield block
            self.spent += time.process_time() - start


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def stream(mechanism: str, count: int) -> tuple[float, float, int, float]:
    """Return processor seconds of the release and of numpy, KiB that the peak grew, and the distance of the results."""
    watch = Watch(count)
    options = {"delta": 1e-6} if mechanism in {"gaussian", "gaussian-orthogonal", "mod-sulq"} else {}
    # With a huge epsilon the release is the matrix, and shows that the same records were read.
    release = MATRICES[mechanism](epsilon=1e6, **options).release_blocks(watch, DIMENSION)
    distance = float(np.abs(release.to_numpy() - watch.plain / count).max())
    return watch.spent, watch.plain_spent, peak() - watch.before, distance


def text_rate(count: int) -> float:
    """Return records a second of processor time that are read as CSV, by way of a pipe."""
    reader, writer = os.pipe()
    lines = [",".join(map(repr, row)) + "\n" for row in next(made(2000)).tolist()]
    text = "".join(lines).encode()

    def write() -> None:
        with os.fdopen(writer, "wb") as pipe:
            for _ in range(count // len(lines)):
                pipe.write(text)

    thread = threading.Thread(target=write)
    thread.start()
    start = time.process_time()
    with open_records(f"/dev/fd/{reader}") as source:
        found = sum(len(block.records) for block in source.blocks)
    thread.join()
    os.close(reader)
    assert found == count
    return count / (time.process_time() - start)


def file_rate(path: Path, count: int, workers: int) -> float:
    """Return records a second of the clock that the command releases from a file."""
    command = [sys.executable, "-m", "dpmatrix", "pca", str(path), "--epsilon", "1", "--norm-bound", "1"]
    command += ["--mechanism", "laplace", "--json"]
    start = time.monotonic()
    done = subprocess.run([*command, "--workers", str(workers)], capture_output=True, check=True)
    assert json.loads(done.stdout)["records"] == count
    return count / (time.monotonic() - start)


def write_file(path: Path, count: int) -> None:
    lines = [",".join(map(repr, row)) + "\n" for row in next(made(2000)).tolist()]
    with path.open("w", encoding="ascii") as handle:
        for _ in range(count // len(lines)):
            handle.writelines(lines)


@pytest.mark.benchmark(group=f"streamed records, d = {DIMENSION}")
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_stream(benchmark, mechanism: str) -> None:
    spent, plain, grown, distance = benchmark.pedantic(lambda: stream(mechanism, SMALL), rounds=1)
    benchmark.extra_info["processor time over numpy's"] = spent / plain
    assert distance < 1e-3
    assert grown < 400_000


@pytest.mark.benchmark(group="records read as CSV")
def test_text(benchmark) -> None:
    benchmark.pedantic(lambda: text_rate(TEXT_ROWS), rounds=1)


@pytest.mark.benchmark(group="a CSV file")
@pytest.mark.parametrize("workers", [1, 2])
def test_file(benchmark, tmp_path: Path, workers: int) -> None:
    write_file(tmp_path / "records.csv", TEXT_ROWS)
    benchmark.pedantic(lambda: file_rate(tmp_path / "records.csv", TEXT_ROWS, workers), rounds=1)


def main(count: int) -> int:
    print(f"{count} records of {DIMENSION} numbers, {count * DIMENSION * 8 / 1e9:.1f} GB")
    for mechanism in ("laplace", "gaussian", "symmetrised-wishart"):
        spent, plain, grown, distance = stream(mechanism, count)
        print(
            f"{mechanism:20} {count / spent:10,.0f} rows/s, {spent / plain:.2f} x numpy's {count / plain:,.0f}; "
            f"peak memory + {grown / 1024:.0f} MiB; farthest entry {distance:.1e}",
            flush=True,
        )
    print(f"{'CSV, 17 digits':20} {text_rate(TEXT_ROWS):10,.0f} rows/s")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.csv"
        write_file(path, FILE_ROWS if count == FULL else TEXT_ROWS)
        print(f"a CSV file of {path.stat().st_size / 1e9:.2f} GB")
        for workers in (1, 2):
            rate = file_rate(path, FILE_ROWS if count == FULL else TEXT_ROWS, workers)
            print(f"{f'{workers} of its readers':20} {rate:10,.0f} rows/s by the clock", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(FULL if "--full" in sys.argv[1:] else SMALL))
