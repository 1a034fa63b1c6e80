"""PPCA by exact draws against other libraries' principal components: CPU time and captured variance, in one run.

Where `make peers` has installed the libraries they run in their own interpreter, for a bounded time; a library that
does not finish is reported as such. As a file: ``python tests/benchmarks/test_principal_components.py`` prints a table.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.mechanisms import ModSulq, Ppca, SequentialPpca, principal_components

HERE = Path(__file__).resolve().parent
PEERS = Path(os.environ.get("DPMATRIX_PEERS", HERE.parents[1] / ".venv-peers/bin/python"))
SIZES = [(10, 5000), (50, 10_000)]
EPSILONS = [0.1, 1.0]
LIBRARIES = ("diffprivlib", "diffprivlib-vector", "opendp", "opendp-vector")
BOUND = 60
"""CPU seconds that a library may take for its runs of one case."""
RUNS = 20
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
    "MOD-SULQ with the least noise, delta = 0.01": lambda epsilon: (
        lambda data: principal_components(ModSulq(epsilon, delta=0.01).release(data), 1).value[:, 0]
    ),
}


def records(dimension: int, count: int) -> np.ndarray:
    """Draw records with eigenvalues 0.5, 0.3, 0.04, 0.02 and little else, as in `near-optimal.figure-5`, norm <= 1."""
    spectrum = np.full(dimension, 0.1 / dimension)
    spectrum[:4] = 0.5, 0.3, 0.04, 0.02
    data = np.random.default_rng(dimension).standard_normal((count, dimension)) * np.sqrt(spectrum / 3)
    return data / np.maximum(1, np.linalg.norm(data, axis=1) * (1 + 1e-12))[:, None]


def measure(data: np.ndarray, direction_of, runs: int) -> dict[str, float]:
    """Return the median CPU time and the mean share of the largest eigenvalue that is captured."""
    moment, seconds, captured = data.T @ data, [], []
    largest = np.linalg.eigvalsh(moment)[-1]
    for _ in range(runs):
        start = time.process_time()
        direction = direction_of(data)
        seconds.append(time.process_time() - start)
        captured.append(direction @ moment @ direction / largest)
    return {"seconds": float(np.median(seconds)), "captured": float(np.mean(captured))}


def peer(library: str, data: np.ndarray, epsilon: float, runs: int) -> dict[str, float] | None:
    """Run a library in its own interpreter; None if it does not finish in time."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.npy"
        np.save(path, data)
        command = [str(PEERS), str(HERE / "peer_principal_components.py"), library, str(path), str(epsilon), str(runs)]
        command.append(str(BOUND))
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=20 * BOUND)
        except subprocess.TimeoutExpired:
            return None
    if done.returncode in {-signal.SIGXCPU, -signal.SIGKILL}:
        return None
    done.check_returncode()
    return json.loads(done.stdout.splitlines()[-1])


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
    ours = measure(data, OWN["PPCA"](1.0), 5)
    assert found is None or 0 <= found["captured"] <= 1 + 1e-9
    assert 0 <= ours["captured"] <= 1 + 1e-9


def main() -> int:
    print("| d, n, epsilon | method | runs | median CPU s | share of the top eigenvalue |\n|---|---|---|---|---|")
    for dimension, count in SIZES:
        data = records(dimension, count)
        for epsilon in EPSILONS:
            own = ((name, RUNS, measure(data, make(epsilon), RUNS)) for name, make in OWN.items())
            libraries = LIBRARIES if PEERS.exists() else ()
            for name, runs, row in chain(own, ((library, 2, peer(library, data, epsilon, 2)) for library in libraries)):
                found = f"{row['seconds']:.4f} | {row['captured']:.4f}" if row else f"over {BOUND} in all | -"
                print(f"| {dimension}, {count}, {epsilon:g} | {name} | {runs} | {found} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
