"""Speed of exact noise against peers and against its own ceilings: `make bench`, or run this file for a table of rates.

Peers that are not installed are left out. A peer that needs minutes for a vector draws a shorter one; rates are
variates a second of processor time, which other work on the machine disturbs less than wall time, and ratios are
formed within one run, with the rounds of all contenders taken in turn.
"""

from __future__ import annotations

import importlib
import os
import statistics
import sys
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.randomness import discrete, fast_discrete
from dpmatrix.randomness.entropy import SystemEntropy

ENTROPY = SystemEntropy()
SIZE = 100_000
LARGE = 1_000_000


def _module(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _opendp(law: str, scale: float, size: int):
    package = _module("opendp.prelude")
    if package is None:
        return None
    package.enable_features("contrib")
    distance = package.l1_distance(T=int) if law == "Laplace" else package.l2_distance(T=float)
    space = package.vector_domain(package.atom_domain(T=int)), distance
    make = package.m.make_laplace if law == "Laplace" else package.m.make_gaussian
    mechanism, zeros = make(*space, scale=scale), [0] * size
    return lambda: mechanism(zeros)


def _diffprivlib(law: str, scale: float, size: int):
    package = _module("diffprivlib.mechanisms")
    if package is None:
        return None
    if law == "Laplace":
        mechanism = package.Geometric(epsilon=1 / scale, sensitivity=1)
    else:
        mechanism = package.GaussianDiscrete(epsilon=0.5, delta=0.1, sensitivity=1)
        # It offers no scale, only the one that it calibrates.
        mechanism._scale = scale
    return lambda: [mechanism.randomise(0) for _ in range(size)]


def contenders(law: str, scale: int, size: int) -> dict[str, tuple[Callable[[], object], int]]:
    """Give the samplers of one law, with the number of variates that a call draws."""
    parameter = Fraction(scale) if law == "Laplace" else Fraction(scale) ** 2
    fast = fast_discrete.discrete_laplace if law == "Laplace" else fast_discrete.discrete_gaussian
    reference = discrete.discrete_laplace if law == "Laplace" else discrete.discrete_gaussian
    generator = np.random.default_rng()
    floats = generator.laplace if law == "Laplace" else generator.normal
    few = 2 if law == "Gaussian" and scale > 1000 else 1000
    all_of_them = {
        "dpmatrix fast": (lambda: fast(parameter, size, ENTROPY), size),
        "numpy floats (not private)": (lambda: floats(0, scale, size), size),
        "dpmatrix reference": (lambda: [reference(parameter, ENTROPY) for _ in range(500)], 500),
        "opendp": (_opendp(law, float(scale), min(size, SIZE)), min(size, SIZE)),
        "diffprivlib": (_diffprivlib(law, float(scale), few), few),
    }
    return {name: contender for name, contender in all_of_them.items() if contender[0] is not None}


SOURCES = {
    "words": lambda: ENTROPY.words(LARGE),
    "words, 2**14 at a time": lambda: [ENTROPY.words(1 << 14) for _ in range(61)],
    "os.urandom": lambda: os.urandom(8 * LARGE),
    "numpy PCG64 (not private)": lambda: np.random.default_rng().bytes(8 * LARGE),
}


@pytest.mark.benchmark(group="8 MB of entropy")
@pytest.mark.parametrize("source", SOURCES)
def test_entropy(benchmark, source):
    benchmark(SOURCES[source])


@pytest.mark.parametrize("name", ["dpmatrix fast", "numpy floats (not private)", "opendp", "diffprivlib"])
@pytest.mark.parametrize("scale", [10, 10**6])
@pytest.mark.parametrize("law", ["Laplace", "Gaussian"])
def test_sampler(benchmark, law, scale, name):
    those = contenders(law, scale, SIZE)
    if name not in those:
        pytest.skip(f"{name} is not installed")
    call, count = those[name]
    benchmark.group = f"discrete {law}, scale {scale}, {SIZE} variates (diffprivlib fewer)"
    call()
    benchmark.pedantic(call, rounds=3)
    benchmark.extra_info["variates a second"] = count / benchmark.stats.stats.median


def rates(calls: dict[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, tuple[float, float]]:
    """Measure the best and the median rate of each in processor time, in turns, after one uncounted round."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + 1):
        for name, (call, _) in calls.items():
            # What takes long is measured twice only.
            if number > 2 and times[name][0] > 0.2:
                continue
            start = time.process_time()
            call()
            if number:
                times[name].append(time.process_time() - start)
    return {name: (calls[name][1] / min(t), calls[name][1] / statistics.median(t)) for name, t in times.items()}


def main(rounds: int) -> None:
    """Print the table."""
    write = sys.stdout.write
    for name, (best, median) in rates({name: (call, 8 * LARGE) for name, call in SOURCES.items()}, rounds).items():
        write(f"{name:28} best {best / 1e9:7.3f} median {median / 1e9:7.3f} GB/s\n")
    for law in ("Laplace", "Gaussian"):
        for scale in (10, 10**6):
            for size in (SIZE, LARGE):
                measured = rates(contenders(law, scale, size), rounds)
                ours = measured["dpmatrix fast"]
                write(f"discrete {law}, scale {scale}, vector of {size}\n")
                for name, (best, median) in measured.items():
                    ratios = f"{ours[0] / best:12.4g} {ours[1] / median:12.4g}"
                    write(f"  {name:28} best {best:14.1f} median {median:14.1f} /s   ours/this {ratios}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
