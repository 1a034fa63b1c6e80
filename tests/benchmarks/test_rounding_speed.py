"""Correct rounding: time, the share that floating point decides, and equality with balls on the same digits.

Run by `make bench`, or as a file for a table.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.randomness.decisions import nearest_multiples, round_to_grid
from dpmatrix.randomness.entropy import SystemEntropy
from dpmatrix.randomness.lazy import LazyNormals, LazyReals
from dpmatrix.randomness.lazy_grams import StandardWisharts
from dpmatrix.randomness.lazy_matrices import LazyProduct

ENTROPY = SystemEntropy()
GRID = Fraction(1, 2**24)
NORMALS = 1_000_000
GENERATOR = np.random.default_rng(1)
RECORDS = GENERATOR.standard_normal((1000, 50))
RECORDS /= np.linalg.norm(RECORDS, axis=1, keepdims=True)

DRAWS: dict[str, Callable[[], LazyReals]] = {
    f"{NORMALS} normal variates": lambda: LazyNormals((NORMALS,), ENTROPY),
    "Wishart, d = 50, m = 51": lambda: StandardWisharts(1, 50, 51, ENTROPY).parts()[0],
    "Johnson-Lindenstrauss, 200 x 1000 times 1000 x 50": lambda: LazyProduct(
        LazyNormals((200, 1000), ENTROPY), RECORDS
    ),
}
FLOATS: dict[str, Callable[[], object]] = {
    f"{NORMALS} normal variates": lambda: GENERATOR.standard_normal(NORMALS),
    "Wishart, d = 50, m = 51": lambda: (lambda g: g @ g.T)(GENERATOR.standard_normal((50, 51))),
    "Johnson-Lindenstrauss, 200 x 1000 times 1000 x 50": lambda: GENERATOR.standard_normal((200, 1000)) @ RECORDS,
}


@pytest.mark.parametrize("floats", [False, True], ids=["correctly rounded", "numpy floats (not private)"])
@pytest.mark.parametrize("name", DRAWS)
def test_rounding(benchmark, name, floats):
    benchmark.group = name
    benchmark.pedantic(
        FLOATS[name] if floats else lambda: round_to_grid(DRAWS[name](), GRID), rounds=3, warmup_rounds=1
    )


def test_release_of_the_symmetrised_wishart_mechanism(benchmark):
    benchmark.group = "release, n = 1000, d = 50"
    mechanism = SymmetrisedWishartMechanism(1, norm_bound=2)
    benchmark.pedantic(lambda: mechanism.release(RECORDS), rounds=3, warmup_rounds=1)


def _seconds(call: Callable[[], object]) -> tuple[float, object]:
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def main() -> None:
    """Print the table."""
    for name, draw in DRAWS.items():
        round_to_grid(draw(), GRID)
        timed = [_seconds(lambda draw=draw: round_to_grid(draw(), GRID))[0] for _ in range(5)]
        floats = [_seconds(FLOATS[name])[0] for _ in range(5)]
        reals = draw()
        share = float(np.mean(nearest_multiples(reals.approximate(), GRID)[1]))
        filtered = round_to_grid(reals, GRID)
        size = filtered.size
        balls = "not compared"
        if size <= 10_000:
            seconds, exact = _seconds(lambda reals=reals: round_to_grid(reals, GRID, filtered=False))
            balls = f"{'equal' if np.array_equal(filtered, exact) else 'DIFFERENT'} (all in balls: {seconds:.3g} s)"
        sys.stdout.write(
            f"{name}\n  {min(timed):.3g} s, {size / min(timed) / 1e6:.3g} million entries a second; numpy floats "
            f"{min(floats):.3g} s; decided by floats {share:.6%}; against balls on the same digits: {balls}\n"
        )


if __name__ == "__main__":
    main()
