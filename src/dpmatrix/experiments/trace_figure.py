"""Figure 2 of `near-optimal`: the mean of a Gibbs chain's states, as the document judges convergence by it."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, as_completed
from math import sqrt
from time import perf_counter
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.experiments.gibbs import FloatArray, HoffChain, uniform_start
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import EPSILON, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.spectra import Spectrum

PIECES = 20
POINTS = 10
TIMED = 5


@frozen(eq=False)
class Trace:
    """A chain under way, with the sum of its states and F at some of its steps."""

    name: str
    number: int
    chain: HoffChain
    total: FloatArray
    steps: int
    points: tuple[tuple[int, float], ...]


def statistic(total: FloatArray, steps: int) -> float:
    """Return ``F = |sum of the states| / (T sqrt(k))``."""
    return float(np.linalg.norm(total)) / (steps * sqrt(total.shape[1]))


def advanced(trace: Trace, steps: int) -> Trace:
    """Run a chain on, and note F ten times on the way."""
    total, points = trace.total.copy(), list(trace.points)
    for done in range(1, steps + 1):
        total += trace.chain.step()
        if done == steps or done % max(steps // POINTS, 1) == 0:
            points.append((trace.steps + done, statistic(total, trace.steps + done)))
    return Trace(trace.name, trace.number, trace.chain, total, trace.steps + steps, tuple(points))


def begin(spectrum: Spectrum, number: int, seed: np.random.SeedSequence) -> Trace:
    """Start a chain uniformly, for PPCA with epsilon = 0.1 on all records."""
    generator = np.random.default_rng(seed)
    exponents = spectrum.records * EPSILON / 2 * np.array(spectrum.eigenvalues)
    start = uniform_start(spectrum.dimension, spectrum.rank, generator)
    chain = HoffChain(exponents, start, generator)
    return Trace(spectrum.name, number, chain, np.zeros_like(start), 0, ())


def recorded(trace: Trace) -> dict[str, Any]:
    """Write down where a chain is, as JSON can hold it."""
    return {
        "state": trace.chain.state.tolist(),
        "generator": trace.chain.generator.bit_generator.state,
        "total": trace.total.tolist(),
        "steps": trace.steps,
        "points": trace.points,
    }


def restored(trace: Trace, record: dict[str, Any]) -> Trace:
    """Put a chain that has just begun where it was when the record was made."""
    trace.chain.state = np.array(record["state"])
    trace.chain.generator.bit_generator.state = record["generator"]
    points = tuple((int(steps), float(value)) for steps, value in record["points"])
    return Trace(trace.name, trace.number, trace.chain, np.array(record["total"]), record["steps"], points)


def expected_seconds(spectra: Sequence[Spectrum], effort: Effort, workers: int) -> float:
    """Time a few steps for each data set, and multiply."""
    each = [in_process(_step_seconds, spectrum) for spectrum in spectra]
    return sum(each) * effort.steps * effort.traces / workers


def _step_seconds(spectrum: Spectrum) -> float:
    trace = begin(spectrum, 0, np.random.SeedSequence(0))
    advanced(trace, 1)
    before = perf_counter()
    advanced(trace, TIMED)
    return (perf_counter() - before) / TIMED


def _key(trace: Trace) -> str:
    return f"{trace.name}-{trace.number}"


def trace_figure(
    spectra: Sequence[Spectrum], effort: Effort, partial: Partial, workers: int, tell: Tell
) -> Reproduction:
    """Reproduce Figure 2. The chain's law depends on the data through n and the spectrum alone, up to a rotation."""
    seeds = iter(np.random.SeedSequence(partial.seed).spawn(len(spectra) * effort.traces))
    traces = [begin(spectrum, number, next(seeds)) for spectrum in spectra for number in range(1, effort.traces + 1)]
    traces = [restored(trace, record) if (record := partial.found(_key(trace))) else trace for trace in traces]
    piece = max(effort.steps // PIECES, 1)
    finished = [trace for trace in traces if trace.steps >= effort.steps]
    total, done = len(traces) * effort.steps, sum(trace.steps for trace in traces)
    tell(done, total)
    with pool(workers) as executor:
        waiting: set[Future[Trace]] = {
            executor.submit(advanced, trace, min(piece, effort.steps - trace.steps))
            for trace in traces
            if trace.steps < effort.steps
        }
        while waiting:
            future = next(as_completed(waiting))
            waiting.remove(future)
            trace = future.result()
            partial.keep(_key(trace), recorded(trace))
            if trace.steps < effort.steps:
                waiting.add(executor.submit(advanced, trace, min(piece, effort.steps - trace.steps)))
            else:
                finished.append(trace)
            done += piece if trace.steps % piece == 0 else trace.steps % piece
            tell(done, total)
    finished.sort(key=lambda trace: (trace.name, trace.number))
    rows = tuple((trace.name, trace.number, *point) for trace in finished for point in trace.points)
    series = [
        Series(
            trace.name,
            f"trace {trace.number}",
            [float(steps) for steps, _ in trace.points],
            [float(np.log(value)) for _, value in trace.points],
        )
        for trace in finished
    ]
    for spectrum in spectra:
        places = [float(x) for x in np.geomspace(piece / POINTS or 1, effort.steps, 50)]
        series.append(Series(spectrum.name, "T^(-1/2)", places, [-0.5 * float(np.log(x)) for x in places]))
    notes = (
        "epsilon = 0.1 on all records; the document does not say which epsilon or n",
        "the exponent of PPCA is the largest that is private when a record is replaced: there is no tighter curve",
        *effort.less("steps", "traces"),
        "the mean square of F is 1/T for this chain whatever the data and the start, by the signs alone",
        *(f"{spectrum.name}: {spectrum.difference}" for spectrum in spectra if spectrum.difference),
    )
    columns = ("data set", "trace", "T", "F")
    return Reproduction("near-optimal.figure-2", columns, rows, notes, tuple(series), "T", "log F(T)")
