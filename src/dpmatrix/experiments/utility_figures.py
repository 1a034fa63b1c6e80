"""Figures 3, 4 and 5 of `near-optimal`: the utility q_F of PPCA, MOD-SULQ, random subspaces and PCA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from fractions import Fraction
from time import perf_counter

import numpy as np
from attrs import frozen
from flint import fmpq, fmpq_mat

from dpmatrix.exact import rational
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import DELTA, EPSILON, Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import energy, mod_sulq, ppca_by_chain, random_subspace, top_subspace
from dpmatrix.experiments.uci import Experiment
from dpmatrix.randomness.entropy import Entropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

ALGORITHMS = ("PCA", "PPCA", "MOD-SULQ", "random")

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
        "random": [random_subspace(size, rank, generator) for _ in range(effort.draws)],
    }
    return {name: [energy(subspace, task.whole) for subspace in subspaces] for name, subspaces in drawn.items()}


def _tasks(experiments: Sequence[Experiment], effort: Effort, seeds: np.random.SeedSequence) -> Iterator[Task]:
    for experiment in experiments:
        whole, size = experiment.second_moment(), experiment.records.shape[0]
        for share in effort.sizes:
            count = round(share * size)
            for seed in seeds.spawn(effort.subsets if count < size else 1):
                chosen = np.sort(np.random.default_rng(seed).choice(size, count, replace=False))
                part = whole if count == size else experiment.second_moment(chosen)
                yield Task(experiment.name, count, experiment.rank, part, whole, effort, seed.spawn(1)[0])


def _count(experiments: Sequence[Experiment], effort: Effort) -> int:
    return len(experiments) * sum(effort.subsets if share < 1 else 1 for share in effort.sizes)


def expected_seconds(experiments: Sequence[Experiment], effort: Effort, workers: int) -> float:
    """Time one step of each kind for each data set, and multiply."""
    total = 0.0
    for experiment in experiments:
        chain, draw = in_process(_unit_seconds, experiment.records.shape[1], experiment.rank)
        total += (chain * effort.burn_in * effort.chains + draw * effort.draws) * _count([experiment], effort)
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
    target: str, experiments: Sequence[Experiment], effort: Effort, seed: int | None, workers: int, tell: Tell
) -> Reproduction:
    """Reproduce Figure 3 or 4: q_F against the size of random subsets, epsilon = 0.1, delta = 0.01."""
    found: dict[tuple[str, int, str], list[float]] = {}
    total = _count(experiments, effort)
    tell(0, total)
    with pool(workers) as executor:
        waiting = {
            executor.submit(utilities, task): (task.name, task.records)
            for task in _tasks(experiments, effort, np.random.SeedSequence(seed))
        }
        for done, future in enumerate(as_completed(waiting), start=1):
            for algorithm, values in future.result().items():
                found.setdefault((*waiting[future], algorithm), []).extend(values)
            tell(done, total)
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
        *(f"{experiment.name}: {experiment.difference}" for experiment in experiments if experiment.difference),
    )
    columns = ("data set", "n", "algorithm", "mean q_F", "deviation", "draws")
    return Reproduction(target, columns, rows, notes, series, "n", "q_F(U)")


def _series(rows: Sequence[tuple[Cell, ...]], panel: str, name: str, algorithm: str) -> Series:
    chosen = [row for row in rows if row[0] == name and row[2] == algorithm]
    places, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (1, 3, 4))
    return Series(panel, algorithm, places, values, deviations)


def synthetic_moment(seed: int | None) -> FloatArray:
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


def privacy_figure(effort: Effort, seed: int | None, entropy: Entropy, tell: Tell) -> Reproduction:
    """Reproduce Figure 5: q_F against epsilon, with exact draws of PPCA."""
    moment = synthetic_moment(seed)
    generator = np.random.default_rng(None if seed is None else [seed, 5])
    best = energy(top_subspace(moment, SYNTHETIC_RANK), moment)
    rows: list[tuple[Cell, ...]] = []
    for done, epsilon in enumerate(EPSILONS):
        tell(done, len(EPSILONS))
        sampler = MatrixBinghamSampler(exponent(moment, SYNTHETIC_RECORDS, epsilon), SYNTHETIC_RANK)
        exact, share = sampler.approximate_draws(effort.samples, entropy)
        noisy = [
            mod_sulq(moment, SYNTHETIC_RECORDS, SYNTHETIC_RANK, epsilon, SYNTHETIC_DELTA, generator)
            for _ in range(effort.samples)
        ]
        for algorithm, subspaces in (("PPCA", list(exact)), ("MOD-SULQ", noisy)):
            values = [energy(subspace, moment) for subspace in subspaces]
            kept = share if algorithm == "PPCA" else None
            rows.append((epsilon, algorithm, float(np.mean(values)), float(np.std(values)), kept))
        rows.append((epsilon, "PCA", best, 0.0, None))
    tell(len(EPSILONS), len(EPSILONS))
    series = []
    for algorithm in ("PCA", "PPCA", "MOD-SULQ"):
        chosen = [row for row in rows if row[1] == algorithm]
        places, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (0, 2, 3))
        series.append(Series("", algorithm, places, values, deviations))
    notes = (
        "records are clipped to norm 1, which the privacy of both algorithms needs and the document does not mention",
        f"PPCA is drawn exactly, {effort.samples} times; no burn-in; 'kept' is the share of proposals that was kept",
        "the document does not say which epsilons it plots",
    )
    columns = ("epsilon", "algorithm", "mean q_F", "deviation", "kept")
    return Reproduction(
        "near-optimal.figure-5", columns, tuple(rows), notes, tuple(series), "epsilon", "q_F(U)", logarithmic=True
    )
