"""Draws a second of exact noise for pure privacy, against the symmetrised Wishart mechanism: `make bench`.

A draw is a release of one record, so that next to nothing but the noise is computed. Run as a file it prints releases a
second of processor time, and the ratio to the symmetrised Wishart mechanism within the same run, in turns.
"""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest

from dpmatrix.mechanisms import CoupledTracesMechanism, KNormMechanism, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS

KINDS = {
    "symmetrised Wishart": SymmetrisedWishartMechanism,
    "coupled traces": CoupledTracesMechanism,
    "K-norm": KNormMechanism,
}
DIMENSIONS = (2, 5, MOST_COLUMNS, 50)
PLACES = [(name, d) for d in DIMENSIONS for name in KINDS if name != "K-norm" or d <= MOST_COLUMNS]
ROUNDS = 5


def record(dimension: int) -> np.ndarray:
    return np.full((1, dimension), 0.9 / dimension**0.5)


@pytest.mark.benchmark(group="noise of pure privacy")
@pytest.mark.parametrize(("name", "dimension"), PLACES)
def test_draw(benchmark, name: str, dimension: int) -> None:
    mechanism, data = KINDS[name](1), record(dimension)
    benchmark.group = f"noise of pure privacy, d = {dimension}"
    release = benchmark.pedantic(lambda: mechanism.release(data), rounds=ROUNDS, warmup_rounds=1)
    assert release.to_numpy().shape == (dimension, dimension)


def seconds(name: str, dimension: int, draws: int) -> float:
    mechanism, data = KINDS[name](1), record(dimension)
    start = time.process_time()
    for _ in range(draws):
        mechanism.release(data)
    return (time.process_time() - start) / draws


def main() -> None:
    """Print releases a second, and the ratio to the symmetrised Wishart mechanism."""
    for dimension in DIMENSIONS:
        names = [name for name, d in PLACES if d == dimension]
        draws = {name: 2 if name == "K-norm" and dimension > 5 else 20 for name in names}
        rounds = [{name: seconds(name, dimension, draws[name]) for name in names} for _ in range(ROUNDS + 1)][1:]
        for name in names:
            rate = statistics.median(1 / times[name] for times in rounds)
            ratio = statistics.median(times[names[0]] / times[name] for times in rounds)
            print(f"d = {dimension:2}  {name:20} {rate:8.1f} a second  {ratio:7.4f} of {names[0]}")


if __name__ == "__main__":
    main()
