"""Figures 3, 4 and 5 of `near-optimal`: the utility q_F of PPCA, MOD-SULQ, random subspaces and PCA."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from fractions import Fraction
from functools import partial as partial_function
from time import perf_counter

import numpy as np
from attrs import frozen
from flint import fmpq, fmpq_mat

from dpmatrix.exact import rational
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import DELTA, EPSILON, Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import energy, mod_sulq, ppca_by_chain, random_subspace, top_subspace
from dpmatrix.experiments.uci import Experiment
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

ALGORITHMS = ("PCA", "PPCA", "MOD-SULQ", "MOD-SULQ, minimal noise", "random")
LEAST = "minimal noise: that keeps the guarantee when a record is replaced, certified; PPCA has no tighter calibration"

SPECTRUM = tuple(map(Fraction, ("0.5", "0.30", "0.04", "0.03", "0.02", "0.01", "0.004", "0.003", "0.001", "0.001")))
"""Eigenvalues of the covariance, (27)."""
SYNTHETIC_RECORDS, SYNTHETIC_RANK, SYNTHETIC_DELTA = 5000, 2, 0.05
TIMED = 3
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0)


@frozen(eq=False)
class Task:
    """One subset: its second moment and that of all records, for `utilities`."""

    name: str
    records: int
    rank: int
    part: FloatArray
    whole: FloatArray
    effort: Effort
    seed: np.random.SeedSequence


def utilities(task: Task) -> dict[str, list[float]]:
    """Draw from every algorithm on one subset and measure q_F on all records."""
    generator = np.random.default_rng(task.seed)
    size, rank, effort = len(task.part), task.rank, task.effort
    drawn = {
        "PCA": [top_subspace(task.part, rank)],
        "PPCA": [
            ppca_by_chain(task.part, task.records, rank, EPSILON, effort.burn_in, generator)
            for _ in range(effort.chains)
        ],
        "MOD-SULQ": [mod_sulq(task.part, task.records, rank, EPSILON, DELTA, generator) for _ in range(effort.draws)],
        "MOD-SULQ, minimal noise": [
            mod_sulq(task.part, task.records, rank, EPSILON, DELTA, generator, least=True) for _ in range(effort.draws)
        ],
        "random": [random_subspace(size, rank, generator) for _ in range(effort.draws)],
    }
    return {name: [energy(subspace, task.whole) for subspace in subspaces] for name, subspaces in drawn.items()}


def _tasks(
    experiments: Sequence[Experiment], effort: Effort, partial: Partial
) -> Iterator[tuple[str, str, int, Callable[[], Task]]]:
    """Name every piece of work, with its data set and number of records, and how to prepare it."""
    seeds = np.random.SeedSequence(partial.seed)
    for experiment in experiments:
        whole, size = experiment.second_moment(), experiment.records.shape[0]
        for share in effort.sizes:
            count = round(share * size)
            for number, seed in enumerate(seeds.spawn(effort.subsets if count < size else 1)):
                ready = partial_function(_prepared, experiment, whole, count, effort, seed)
                yield f"{experiment.name}-{count}-{number}", experiment.name, count, ready


def _prepared(
    experiment: Experiment, whole: FloatArray, count: int, effort: Effort, seed: np.random.SeedSequence
) -> Task:
    size = experiment.records.shape[0]
    chosen = np.sort(np.random.default_rng(seed).choice(size, count, replace=False))
    part = whole if count == size else experiment.second_moment(chosen)
    return Task(experiment.name, count, experiment.rank, part, whole, effort, seed.spawn(1)[0])


def _count(experiments: Sequence[Experiment], effort: Effort) -> int:
    return len(experiments) * sum(effort.subsets if share < 1 else 1 for share in effort.sizes)


def expected_seconds(experiments: Sequence[Experiment], effort: Effort, workers: int) -> float:
    """Time one step of each kind for each data set, and multiply."""
    total = 0.0
    for experiment in experiments:
        chain, draw = in_process(_unit_seconds, experiment.records.shape[1], experiment.rank)
        total += (chain * effort.burn_in * effort.chains + 2 * draw * effort.draws) * _count([experiment], effort)
    return total / workers


def _unit_seconds(size: int, rank: int) -> tuple[float, float]:
    generator = np.random.default_rng(0)
    moment = np.diag(np.linspace(1, 0, size)) / size
    ppca_by_chain(moment, 1000, rank, EPSILON, 1, generator)
    begin = perf_counter()
    ppca_by_chain(moment, 1000, rank, EPSILON, TIMED, generator)
    middle = perf_counter()
    for _ in range(TIMED):
        mod_sulq(moment, 1000, rank, EPSILON, DELTA, generator)
    return (middle - begin) / TIMED, (perf_counter() - middle) / TIMED


def utility_figure(
    target: str, experiments: Sequence[Experiment], effort: Effort, partial: Partial, workers: int, tell: Tell
) -> Reproduction:
    """Reproduce Figure 3 or 4: q_F against the size of random subsets, epsilon = 0.1, delta = 0.01."""
    found: dict[tuple[str, int, str], list[float]] = {}
    total, done = _count(experiments, effort), 0
    tell(done, total)
    measured: dict[str, dict[str, list[float]]] = {}
    places: dict[str, tuple[str, int]] = {}
    with pool(workers) as executor:
        waiting = {}
        for key, name, count, ready in _tasks(experiments, effort, partial):
            places[key] = name, count
            before = partial.found(key)
            if before is None:
                waiting[executor.submit(utilities, ready())] = key
            else:
                measured[key], done = before, done + 1
                tell(done, total)
        for future in as_completed(waiting):
            measured[waiting[future]], done = future.result(), done + 1
            partial.keep(waiting[future], future.result())
            tell(done, total)
    for key, place in places.items():
        for algorithm, values in measured[key].items():
            found.setdefault((*place, algorithm), []).extend(values)
    keys = sorted(found, key=lambda key: (key[0], key[1], ALGORITHMS.index(key[2])))
    rows = tuple((*key, float(np.mean(found[key])), float(np.std(found[key])), len(found[key])) for key in keys)
    series = tuple(
        _series(rows, f"{experiment.name} (k = {experiment.rank})", experiment.name, algorithm)
        for experiment in experiments
        for algorithm in ALGORITHMS
    )
    notes = (
        "subsets without replacement; the subspace is drawn from the subset, q_F is measured on all records",
        f"PPCA: {effort.burn_in} steps of a chain of rotations from a uniform start, in place of 20,000 of Hoff's",
        "the deviation is over subsets and draws together",
        LEAST,
        *effort.less("subsets", "chains", "draws"),
        *(f"{experiment.name}: {experiment.difference}" for experiment in experiments if experiment.difference),
    )
    columns = ("data set", "n", "algorithm", "mean q_F", "deviation", "draws")
    return Reproduction(target, columns, rows, notes, series, "n", "q_F(U)")


def _series(rows: Sequence[tuple[Cell, ...]], panel: str, name: str, algorithm: str) -> Series:
    chosen = [row for row in rows if row[0] == name and row[2] == algorithm]
    places, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (1, 3, 4))
    return Series(panel, algorithm, places, values, deviations)


def synthetic_moment(seed: int) -> FloatArray:
    """Draw 5,000 Gaussian records with the covariance (27), clip each to norm 1, and return X'X / n."""
    generator = np.random.default_rng(seed)
    records = generator.standard_normal((SYNTHETIC_RECORDS, len(SPECTRUM))) * np.sqrt([float(x) for x in SPECTRUM])
    records /= np.maximum(np.linalg.norm(records, axis=1, keepdims=True), 1.0)
    moment: FloatArray = records.T @ records / SYNTHETIC_RECORDS
    return (moment + moment.T) / 2


def exponent(moment: FloatArray, records: int, epsilon: float) -> fmpq_mat:
    """Return ``n (eps / 2) A`` without rounding, epsilon read as the decimal that it prints."""
    factor = rational(Fraction(str(epsilon))) * fmpq(records, 2)
    rows, columns = moment.shape
    return fmpq_mat(rows, columns, [rational(entry) * factor for entry in moment.ravel().tolist()])


def privacy_row(moment: FloatArray, epsilon: float, effort: Effort, seed: int) -> list[tuple[Cell, ...]]:
    """Draw from every algorithm at one epsilon: epsilon, algorithm, mean and deviation of q_F, share kept."""
    place = EPSILONS.index(epsilon)
    generator = np.random.default_rng([seed, place])
    sampler = MatrixBinghamSampler(exponent(moment, SYNTHETIC_RECORDS, epsilon), SYNTHETIC_RANK)
    exact, share = sampler.approximate_draws(effort.samples, SeededEntropy(seed * len(EPSILONS) + place))
    setting = (moment, SYNTHETIC_RECORDS, SYNTHETIC_RANK, epsilon, SYNTHETIC_DELTA, generator)
    drawn = {
        "PPCA": list(exact),
        "MOD-SULQ": [mod_sulq(*setting) for _ in range(effort.samples)],
        "MOD-SULQ, minimal noise": [mod_sulq(*setting, least=True) for _ in range(effort.samples)],
    }
    rows: list[tuple[Cell, ...]] = [(epsilon, "PCA", energy(top_subspace(moment, SYNTHETIC_RANK), moment), 0.0, None)]
    for algorithm, subspaces in drawn.items():
        values = [energy(subspace, moment) for subspace in subspaces]
        kept = share if algorithm == "PPCA" else None
        rows.append((epsilon, algorithm, float(np.mean(values)), float(np.std(values)), kept))
    return rows


def privacy_figure(effort: Effort, partial: Partial, tell: Tell) -> Reproduction:
    """Reproduce Figure 5: q_F against epsilon, with exact draws of PPCA."""
    moment = synthetic_moment(partial.seed)
    rows: list[tuple[Cell, ...]] = []
    for done, epsilon in enumerate(EPSILONS):
        tell(done, len(EPSILONS))
        before = partial.found(str(epsilon))
        found = privacy_row(moment, epsilon, effort, partial.seed) if before is None else [tuple(row) for row in before]
        partial.keep(str(epsilon), found)
        rows += found
    tell(len(EPSILONS), len(EPSILONS))
    series = []
    for algorithm in ALGORITHMS[:-1]:
        chosen = [row for row in rows if row[1] == algorithm]
        places, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (0, 2, 3))
        series.append(Series("", algorithm, places, values, deviations))
    notes = (
        "records are clipped to norm 1, which the privacy of both algorithms needs and the document does not mention",
        f"PPCA is drawn exactly, {effort.samples} times; no burn-in; 'kept' is the share of proposals that was kept",
        LEAST,
        "the document does not say which epsilons it plots",
        *effort.less("samples"),
    )
    columns = ("epsilon", "algorithm", "mean q_F", "deviation", "kept")
    return Reproduction(
        "near-optimal.figure-5", columns, tuple(rows), notes, tuple(series), "epsilon", "q_F(U)", logarithmic=True
    )
