"""PPCA by exact draws against other libraries' principal components: CPU time and captured variance, in one run.

Where `make peers` has installed the libraries they run in their own interpreter, for a bounded time; where that ends
before the runs, a lower bound is reported. Everyone is given the same records, the same bound on their norm, the origin
as known, and the same epsilon for a replaced record. Not everyone publishes the same: PPCA one direction, for all of
epsilon; the libraries' PCA all eigenvalues too, for half of it, so that their samplers, alone, have lines of their own
(``-vector``). Those samplers draw from a law that is more concentrated than the one that they name, `audit/peers` shows
which: that costs them time, since more proposals are refused, and captures more than the named law would.

As a file it prints a table: ``python tests/benchmarks/test_principal_components.py``, all four cases, or ``... 10
0.1``, the one with d = 10, epsilon = 0.1. With names behind these, ``... 10 0.1 PPCA opendp``, only those methods run;
PPCA has to be one of them, since it is what the others are compared with.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.mechanisms import ModSulq, Ppca, SequentialPpca, principal_components

HERE = Path(__file__).resolve().parent
PEERS = Path(os.environ.get("DPMATRIX_PEERS", HERE.parents[1] / ".venv-peers/bin/python"))
SIZES = [(10, 5000), (50, 10_000)]
EPSILONS = [0.1, 1.0]
LIBRARIES = ("diffprivlib", "diffprivlib-vector", "opendp", "opendp-vector")
BOUND = 20
"""CPU seconds that a library may take for its runs of one case, without its imports."""
RUNS, DRAWS, PEER_RUNS = 100, 1000, 7
OWN = {
    "PPCA": lambda epsilon: lambda data: Ppca(epsilon).release(data).to_numpy()[:, 0],
    "sequential PPCA, first of two": lambda epsilon: (
        lambda data: SequentialPpca(epsilon, rank=2).release(data).to_numpy()[:, 0]
    ),
    "MOD-SULQ as printed, delta = 0.01": lambda epsilon: (
        lambda data: principal_components(ModSulq(epsilon, calibration="printed", delta=0.01).release(data), 1).value[
            :, 0
        ]
    ),
    "MOD-SULQ with the minimal noise, delta = 0.01": lambda epsilon: (
        lambda data: principal_components(ModSulq(epsilon, delta=0.01).release(data), 1).value[:, 0]
    ),
}


def records(dimension: int, count: int) -> np.ndarray:
    """Draw records with eigenvalues 0.5, 0.3, 0.04, 0.02 and little else, as in `near-optimal.figure-5`, norm <= 1."""
    spectrum = np.full(dimension, 0.1 / dimension)
    spectrum[:4] = 0.5, 0.3, 0.04, 0.02
    data = np.random.default_rng(dimension).standard_normal((count, dimension)) * np.sqrt(spectrum / 3)
    return data / np.maximum(1, np.linalg.norm(data, axis=1) * (1 + 1e-12))[:, None]


def measure(data: np.ndarray, direction_of, runs: int) -> list[dict[str, float]]:
    """Return the CPU time and the captured share of the largest eigenvalue of every run."""
    moment, found = data.T @ data, []
    largest = np.linalg.eigvalsh(moment)[-1]
    for _ in range(runs):
        start = time.process_time()
        direction = direction_of(data)
        seconds = time.process_time() - start
        found.append({"seconds": seconds, "captured": direction @ moment @ direction / largest})
    return found


def many_draws(data: np.ndarray, epsilon: float) -> list[dict[str, float]]:
    """Draw `DRAWS` times from one set of records, to float accuracy: decided exactly, and not rounded to a grid."""
    moment = data.T @ data
    start = time.process_time()
    draws = Ppca(epsilon).simulate(data, DRAWS, np.random.default_rng())[:, :, 0]
    seconds = (time.process_time() - start) / DRAWS
    shares = np.einsum("ij,jk,ik->i", draws, moment, draws) / np.linalg.eigvalsh(moment)[-1]
    return [{"seconds": seconds, "captured": float(share)} for share in shares]


def peer(library: str, data: np.ndarray, epsilon: float, runs: int) -> list[dict[str, float]]:
    """Run a library in its own interpreter; fewer runs are returned if it does not finish within `BOUND`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npy"
        np.save(path, data)
        command = [str(PEERS), str(HERE / "peer_principal_components.py"), library, str(path), str(epsilon), str(runs)]
        done = subprocess.run([*command, str(BOUND)], capture_output=True, text=True, timeout=100 * BOUND)
    if done.returncode not in {-signal.SIGXCPU, -signal.SIGKILL}:
        done.check_returncode()
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if not np.allclose([run["epsilon"] for run in found], epsilon):
        raise ValueError(f"{library} did not spend {epsilon}: {found}")
    return found


def typical(found: list[dict[str, float]], wanted: int) -> tuple[float, float, bool]:
    """Return the median and the mean of the CPU time, and whether they are bounds from below.

    They are where a run was ended: it took the rest of `BOUND` and would have taken longer. Runs that were never begun
    do not count.
    """
    seconds = [run["seconds"] for run in found]
    ended = len(seconds) < wanted
    seconds += [BOUND - sum(seconds)] if ended else []
    return float(np.median(seconds)), float(np.mean(seconds)), ended


@pytest.mark.benchmark(group="one principal component")
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("dimension", "count"), SIZES)
def test_ppca(benchmark, dimension: int, count: int, epsilon: float) -> None:
    data = records(dimension, count)
    benchmark(lambda: Ppca(epsilon).release(data))


@pytest.mark.skipif(not PEERS.exists(), reason="no other libraries: make peers")
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.benchmark(group="one principal component")
def test_peers(benchmark, library: str) -> None:
    data = records(*SIZES[0])
    found = benchmark.pedantic(lambda: peer(library, data, 1.0, 1), rounds=1)
    assert all(0 <= run["captured"] <= 1 + 1e-9 for run in found + measure(data, OWN["PPCA"](1.0), 5))


@pytest.mark.skipif(not PEERS.exists(), reason="no other libraries: make peers")
@pytest.mark.parametrize("library", LIBRARIES)
def test_peers_spend_what_ppca_spends(library: str) -> None:
    """Few records and little epsilon, so that each draws at once."""
    (run,) = peer(library, records(4, 10), 0.01, 1)
    assert run["epsilon"] == pytest.approx(0.01)


def row_of(name: str, found: list[dict[str, float]], wanted: int, least: float | None) -> str:
    """Write a row; ``least`` is our median."""
    median, mean, bounded = typical(found, wanted)
    captured = f"{np.mean([run['captured'] for run in found]):.4f}" if found else "-"
    mark = "> " if bounded else ""
    ratio = "" if least is None else f"{mark}{median / least:,.0f}"
    return f"{name} | {len(found)} of {wanted} | {mark}{median:.3g} | {mark}{mean:.3g} | {ratio} | {captured} |"


def main(arguments: list[str]) -> int:
    """Print the table for every case or the one named, ``DIMENSION EPSILON``, and for every method or those named."""
    named = arguments[2:] or [*OWN, *LIBRARIES]
    print("| d, n, epsilon | method | runs | median CPU s | mean CPU s | of our median | captured share |")
    print("|---|---|---|---|---|---|---|")
    for (dimension, count), epsilon in product(SIZES, EPSILONS):
        if arguments and (dimension, epsilon) != (int(arguments[0]), float(arguments[1])):
            continue
        case, data = f"| {dimension}, {count}, {epsilon:g} | ", records(dimension, count)
        rows = {name: measure(data, make(epsilon), RUNS) for name, make in OWN.items() if name in named}
        least = typical(rows["PPCA"], RUNS)[0]
        for name, found in rows.items():
            print(case + row_of(name, found, RUNS, None), flush=True)
        if not arguments[2:]:
            print(case + row_of(f"PPCA, each of {DRAWS} draws", many_draws(data, epsilon), DRAWS, None), flush=True)
        for library in LIBRARIES if PEERS.exists() else ():
            if library not in named:
                continue
            print(case + row_of(library, peer(library, data, epsilon, PEER_RUNS), PEER_RUNS, least), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
