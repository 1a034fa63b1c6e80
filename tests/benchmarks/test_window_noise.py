"""Noise and speed of private windows: a factorisation against dyadic sums, of one guarantee, on one stream.

`python tests/benchmarks/test_window_noise.py` prints a table for windows of 1,000, 10,000 and 100,000 rows in d = 10
dimensions, a thousand leaves each; the benchmark takes one hundred leaves. Errors are those of entries on and above the
diagonal, after each of the last 200 leaves of three windows. Of dyadic sums the error is told twice: that of the rows
that the published sum holds, which is noise, and that of the window, whose beginning it may miss.
"""

from __future__ import annotations

import sys
import time
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.mechanisms.streams import BandedWindowGram, BandedWindowParameters, SlidingWindowGram, WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

DIMENSION = 10
PROMISE = PrivacyGuarantee(1, Fraction(1, 10**6), Adjacency.ADD_REMOVE_ONE)
LOOKS = 200
BANDED, DYADIC = "factorisation", "dyadic sums"


def stream(window: int) -> np.ndarray:
    rows = np.random.default_rng(0).standard_normal((3 * window, DIMENSION))
    return rows / (np.linalg.norm(rows, axis=1, keepdims=True) * 1.0001)


def begun(name: str, window: int, leaves: int) -> BandedWindowGram | SlidingWindowGram:
    leaf = window // leaves
    if name == BANDED:
        return BandedWindowGram(BandedWindowParameters(DIMENSION, window, PROMISE, leaf=leaf))
    return SlidingWindowGram(WindowParameters(DIMENSION, window, PROMISE, leaf=leaf))


def measured(name: str, window: int, leaves: int) -> tuple[float, float, float]:
    """Return rows a second of processor time, and mean squares of the noise and of the error of the window."""
    rows, upper = stream(window), np.triu_indices(DIMENSION)
    sums = np.concatenate((np.zeros((1, DIMENSION, DIMENSION)), np.cumsum(outer_sums(rows, window // leaves), axis=0)))
    found, spent = begun(name, window, leaves), 0.0
    noise, error = [], []
    for place in range(3 * leaves):
        leaf = window // leaves
        start = time.process_time()
        found.add(rows[place * leaf : (place + 1) * leaf])
        spent += time.process_time() - start
        if place >= 3 * leaves - LOOKS:
            output = found.publish().to_numpy()
            begin = place + 1 - leaves
            held = (found.stamps[0] - 1) // leaf if isinstance(found, SlidingWindowGram) else begin
            noise.append((output - sums[place + 1] + sums[held])[upper])
            error.append((output - sums[place + 1] + sums[begin])[upper])
    return len(rows) / spent, float(np.mean(np.square(noise))), float(np.mean(np.square(error)))


def outer_sums(rows: np.ndarray, leaf: int) -> np.ndarray:
    blocks = rows.reshape(-1, leaf, DIMENSION)
    return np.asarray(blocks.transpose(0, 2, 1) @ blocks)


@pytest.mark.benchmark(group=f"a window of 100 leaves, d = {DIMENSION}")
@pytest.mark.parametrize("name", [BANDED, DYADIC])
def test_window(benchmark, name: str) -> None:
    rows = stream(1000)

    def run() -> None:
        begun(name, 1000, 100).add(rows)

    benchmark.pedantic(run, rounds=3)


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'W':>8} {'':16}{'rows/s':>12}{'noise':>12}{'error':>12}{'predicted':>12}\n")
    for window in (1_000, 10_000, 100_000):
        for name in (BANDED, DYADIC):
            speed, noise, error = measured(name, window, 1000)
            told = begun(name, window, 1000).parameters.deviation if name == BANDED else float("nan")
            cells = f"{speed:12.0f}{noise**0.5:12.1f}{error**0.5:12.1f}{told:12.1f}"
            sys.stdout.write(f"{window:8} {name:16}{cells}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
