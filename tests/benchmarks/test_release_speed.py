"""Speed of private releases against numpy with insecure float noise: `make bench`, or run this file for a table.

The peer computes X'X in floats and adds the same law from numpy's generator: the least that anybody could do. Ratios
are formed within one run, with the contenders taken in turn, in processor time. The file prints every matrix mechanism
at n = 2000 but K-norm noise, which stops at d = 8; where opendp is installed, its discrete noise on as many integers,
in lists as it takes them; the exact sum of streamed records against numpy's product of the same blocks,
sequential PPCA, and what one odd record costs. It takes dimensions as arguments.
"""

from __future__ import annotations

import importlib
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from dpmatrix.mechanisms import (
    AnalyzeGauss,
    CoupledTracesMechanism,
    GaussianOrthogonal,
    LaplaceInputPerturbation,
    ModSulq,
    SequentialPpca,
    Sulq,
)
from dpmatrix.mechanisms import SymmetrisedWishartMechanism as Wishart

RECORDS = 2000
DIMENSIONS = (50, 100, 200, 400, 800)
GENERATOR = np.random.default_rng(0)
MECHANISMS = {
    "Analyze Gauss": AnalyzeGauss(1, delta=1e-6),
    "MOD-SULQ": ModSulq(1, delta=1e-6),
    "SULQ": Sulq(1, delta=1e-6),
    "Gaussian orthogonal": GaussianOrthogonal(1, delta=1e-6),
    "Laplace": LaplaceInputPerturbation(1),
    "symmetrised Wishart": Wishart(1),
    "coupled traces": CoupledTracesMechanism(1),
}
OF_RANDOM_MATRICES = ("symmetrised Wishart", "coupled traces")


def make_records(count: int, dimension: int) -> np.ndarray:
    """Make records of norm just below 1."""
    records = GENERATOR.standard_normal((count, dimension))
    return np.asarray(records / (np.linalg.norm(records, axis=1, keepdims=True) * 1.001))


def entries(noise: Callable[..., np.ndarray], records: np.ndarray) -> np.ndarray:
    """Add noise of numpy to the upper triangle of X'X."""
    gram = records.T @ records
    upper = np.triu_indices(len(gram))
    gram[upper] += noise(size=len(upper[0]))
    gram.T[upper] = gram[upper]
    return gram


def wishart(records: np.ndarray) -> np.ndarray:
    """Add the difference of two Wishart matrices of numpy to X'X."""
    gram = records.T @ records
    for sign in (1, -1):
        factor = GENERATOR.standard_normal((len(gram), len(gram) + 1))
        gram += sign * (factor @ factor.T)
    return gram


def peer(name: str, records: np.ndarray) -> Callable[[], object]:
    """Give the insecure twin of a mechanism."""
    if name in OF_RANDOM_MATRICES:
        return lambda: wishart(records)
    if name in ("SULQ", "Gaussian orthogonal"):
        return lambda: records.T @ records + GENERATOR.normal(size=(records.shape[1],) * 2)
    return lambda: entries(GENERATOR.laplace if name == "Laplace" else GENERATOR.normal, records)


def noise_of_opendp(law: str, count: int) -> Callable[[], object] | None:
    """Give opendp's discrete noise of a scale like that of a release, on as many integers, if it is installed."""
    try:
        package = importlib.import_module("opendp.prelude")
    except ImportError:
        return None
    package.enable_features("contrib")
    distance = package.l1_distance(T=int) if law == "Laplace" else package.l2_distance(T=float)
    make = package.m.make_laplace if law == "Laplace" else package.m.make_gaussian
    mechanism = make(package.vector_domain(package.atom_domain(T=int)), distance, scale=2.0**40)
    zeros = [0] * count
    return lambda: mechanism(zeros)


def ratios(plain: Callable[[], object], ours: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Measure the median time of ours, and of its ratio to the plain one, in turns, after one uncounted round."""
    times = []
    for _ in range(rounds + 1):
        pair = []
        for call in (plain, ours):
            start = time.process_time()
            call()
            pair.append(time.process_time() - start)
        times.append(pair)
    return statistics.median(own for _, own in times[1:]), statistics.median(own / base for base, own in times[1:])


@pytest.mark.benchmark(group=f"release of {RECORDS} records")
@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("name", list(MECHANISMS))
def test_release(benchmark, name: str, dimension: int) -> None:
    records = make_records(RECORDS, dimension)

    def release() -> object:
        return MECHANISMS[name].release(records)

    release()
    benchmark.pedantic(release, rounds=3)
    benchmark.extra_info["processor time over numpy's"] = ratios(peer(name, records), release, 5)[1]


def write(name: str, measured: tuple[float, float]) -> None:
    sys.stdout.write(f"{name:44} {1000 * measured[0]:9.2f} ms {measured[1]:7.2f} x\n")
    sys.stdout.flush()


def main(dimensions: tuple[int, ...], rounds: int = 9) -> None:
    """Print the table."""
    for dimension in dimensions:
        records = make_records(RECORDS, dimension)
        for name, mechanism in MECHANISMS.items():
            found = ratios(peer(name, records), lambda m=mechanism, x=records: m.release(x), rounds)
            write(f"d = {dimension:4}  {name}, over numpy", found)
        for law, twin in (("Gaussian", "Analyze Gauss"), ("Laplace", "Laplace")):
            noise = noise_of_opendp(law, dimension * (dimension + 1) // 2)
            if noise is not None:
                write(f"d = {dimension:4}  opendp's {law} noise, over numpy", ratios(peer(twin, records), noise, 3))
    for dimension in dimensions:
        blocks = [make_records(4096, dimension) for _ in range(4)]
        for name in ("Laplace", "symmetrised Wishart"):
            found = ratios(
                lambda b=blocks: sum(block.T @ block for block in b),
                lambda m=MECHANISMS[name], b=blocks, d=dimension: m.partial_gram(b, d),
                rounds,
            )
            write(f"d = {dimension:4}  sum of blocks, {name}, over numpy", found)
    usual = make_records(10 * RECORDS, 50) / 2
    odd = usual.copy()
    odd[17] = 0.5 * (1 - 2.0**-53) * 2.0 ** (-21.0 * np.arange(50))
    release = MECHANISMS["symmetrised Wishart"].release
    write("an odd record among 20,000, over none", ratios(lambda: release(usual), lambda: release(odd), rounds))
    plain, records = SequentialPpca(1, rank=5), make_records(RECORDS, 300)
    write("sequential PPCA, d = 300, k = 5, over eigh", ratios(
        lambda: np.linalg.eigh(records.T @ records), lambda: plain.release(records), 3
    ))  # fmt: skip


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or DIMENSIONS)
