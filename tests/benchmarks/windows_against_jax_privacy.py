"""Windows by factorisation beside the strategies of jax_privacy, at equal privacy.

`python tests/benchmarks/windows_against_jax_privacy.py`, in an environment that has jax_privacy 2.0.0 and this library,
prints a table. *Given to all:* streams of three windows of W parts, of which one changes. *Given back:* how many times
the variance of one sum of equal privacy the last window has, as `per_query_error` of jax_privacy computes it for the
workload of windows, times the squared norm of the strategy. Its strategies are made for sums since the beginning and
not for windows: the optimal one of as many coefficients as there are parts, and banded ones, as its optimiser leaves
them with its defaults. The last lines are of its own workload, sums of n parts.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from dpmatrix.mechanisms.streams.factorisation import WindowFactorisation, least_gain


def product(toeplitz: Any, strategy: np.ndarray, steps: int, leaves: int) -> float:
    """Return the last squared error of windows, times the squared sensitivity."""
    import jax.numpy as jnp

    padded = np.pad(strategy, (0, max(0, steps - len(strategy))))[:steps]
    workload = np.pad(np.ones(min(leaves, steps)), (0, max(0, steps - leaves)))
    errors = toeplitz.per_query_error(
        strategy_coef=jnp.asarray(padded), n=steps, workload_coef=jnp.asarray(workload), skip_checks=True
    )
    return float(errors[-1]) * float(np.sum(padded**2))


def main() -> None:
    """Print the table."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from jax_privacy.matrix_factorization import toeplitz

    def line(workload: str, name: str, value: float, seconds: float) -> None:
        sys.stdout.write(f"{workload:24}{name:44}{value:10.3f}{seconds:10.1f} s\n")
        sys.stdout.flush()

    for leaves in (16, 100, 1000):
        steps, workload = 3 * leaves, f"windows, W = {leaves}"
        bands = (3 * leaves + 1) // 2
        start = time.perf_counter()
        ours = WindowFactorisation(leaves, bands).weights / 2.0**16
        made = time.perf_counter() - start
        line(workload, "this library, 1.5 W bands", product(toeplitz, ours, steps, leaves), made)
        start = time.perf_counter()
        best = np.asarray(toeplitz.optimal_max_error_strategy_coefs(steps))
        made = time.perf_counter() - start
        line(workload, "jax_privacy, optimal for sums", product(toeplitz, best, steps, leaves), made)
        for count in (leaves, bands):
            start = time.perf_counter()
            banded = np.asarray(toeplitz.optimize_banded_toeplitz(n=steps, bands=count))
            made = time.perf_counter() - start
            line(workload, f"jax_privacy, {count} bands for sums", product(toeplitz, banded, steps, leaves), made)
        line(workload, "no fixed weights on a long stream", least_gain(leaves), 0.0)
    for steps in (100, 1000):
        ours = WindowFactorisation(steps, steps).weights / 2.0**16
        line(f"sums, n = {steps}", f"this library, W = bands = {steps}", product(toeplitz, ours, steps, steps), 0.0)
        best = np.asarray(toeplitz.optimal_max_error_strategy_coefs(steps))
        line(f"sums, n = {steps}", "jax_privacy, optimal for sums", product(toeplitz, best, steps, steps), 0.0)


if __name__ == "__main__":
    main()
