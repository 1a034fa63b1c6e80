"""Figures 3 and 4 of `near-optimal`: the utility q_F of PPCA, MOD-SULQ, random subspaces and PCA."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from functools import partial as partial_function
from itertools import product
from time import perf_counter
from typing import TypeAlias

import numpy as np
from attrs import frozen

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import DELTA, EPSILON, Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import energy, mod_sulq, ppca_by_chain, random_subspace, top_subspace
from dpmatrix.experiments.uci import Experiment

ALGORITHMS = ("PCA", "PPCA", "MOD-SULQ", "MOD-SULQ, minimal noise", "random")
LEAST = "minimal noise: that keeps the guarantee when a record is replaced, certified; PPCA has no tighter calibration"

TIMED = 3


@frozen(eq=False)
class Task:
    """One subset: its second moment and that of all records, for `utilities`, and the guarantee."""

    name: str
    records: int
    rank: int
    part: FloatArray
    whole: FloatArray
    effort: Effort
    seed: np.random.SeedSequence
    epsilon: float = EPSILON
    delta: float = DELTA


@frozen
class Asked:
    """What Figures 3 and 4 are asked for: every epsilon with every delta, and numbers of records or shares of all."""

    records: tuple[int, ...] = ()
    epsilons: tuple[float, ...] = (EPSILON,)
    deltas: tuple[float, ...] = (DELTA,)

    @property
    def guarantees(self) -> list[tuple[float, float]]:
        """Every epsilon with every delta."""
        return list(product(self.epsilons, self.deltas))

    def sizes(self, experiment: Experiment, effort: Effort) -> list[int]:
        """Return the sizes of the subsets of a data set.

        Raises
        ------
        InvalidParameterError
            If the data set has fewer records.
        """
        size = experiment.records.shape[0]
        if self.records and self.records[-1] > size:
            remedy = f"pass numbers up to {size}"
            raise InvalidParameterError("n", f"a subset of {experiment.name} has {size} records at most", remedy)
        return list(self.records) or [round(share * size) for share in effort.sizes]


def utilities(task: Task) -> dict[str, list[float]]:
    """Draw from every algorithm on one subset and measure q_F on all records."""
    generator = np.random.default_rng(task.seed)
    size, rank, effort = len(task.part), task.rank, task.effort
    setting = (task.part, task.records, rank, task.epsilon)
    drawn = {
        "PCA": [top_subspace(task.part, rank)],
        "PPCA": [ppca_by_chain(*setting, effort.burn_in, generator) for _ in range(effort.chains)],
        "MOD-SULQ": [mod_sulq(*setting, task.delta, generator) for _ in range(effort.draws)],
        "MOD-SULQ, minimal noise": [mod_sulq(*setting, task.delta, generator, least=True) for _ in range(effort.draws)],
        "random": [random_subspace(size, rank, generator) for _ in range(effort.draws)],
    }
    return {name: [energy(subspace, task.whole) for subspace in subspaces] for name, subspaces in drawn.items()}


USUAL = Asked()
"""What the document asks."""
Where: TypeAlias = tuple[str, int, float, float]
"""A data set, a number of records, epsilon and delta."""


def _tasks(
    experiments: Sequence[Experiment], effort: Effort, partial: Partial, asked: Asked
) -> Iterator[tuple[str, Where, Callable[[], Task]]]:
    """Name every piece of work, with where it belongs and how to prepare it."""
    seeds = np.random.SeedSequence(partial.seed)
    for experiment in experiments:
        whole, size = experiment.second_moment(), experiment.records.shape[0]
        for count, (epsilon, delta) in product(asked.sizes(experiment, effort), asked.guarantees):
            where = experiment.name, count, epsilon, delta
            for number, seed in enumerate(seeds.spawn(effort.subsets if count < size else 1)):
                ready = partial_function(_prepared, experiment, whole, where, effort, seed)
                yield f"{experiment.name}-{count}-{number}-{epsilon}-{delta}", where, ready


def _prepared(
    experiment: Experiment, whole: FloatArray, where: Where, effort: Effort, seed: np.random.SeedSequence
) -> Task:
    size, (_, count, epsilon, delta) = experiment.records.shape[0], where
    chosen = np.sort(np.random.default_rng(seed).choice(size, count, replace=False))
    part = whole if count == size else experiment.second_moment(chosen)
    return Task(experiment.name, count, experiment.rank, part, whole, effort, seed.spawn(1)[0], epsilon, delta)


def _count(experiments: Sequence[Experiment], effort: Effort, asked: Asked) -> int:
    subsets = [
        effort.subsets if count < experiment.records.shape[0] else 1
        for experiment in experiments
        for count in asked.sizes(experiment, effort)
    ]
    return sum(subsets) * len(asked.guarantees)


def expected_seconds(experiments: Sequence[Experiment], effort: Effort, workers: int, asked: Asked = USUAL) -> float:
    """Time one step of each kind for each data set, and multiply."""
    total = 0.0
    for experiment in experiments:
        chain, draw = in_process(_unit_seconds, experiment.records.shape[1], experiment.rank)
        each = chain * effort.burn_in * effort.chains + 2 * draw * effort.draws
        total += each * _count([experiment], effort, asked)
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
    target: str,
    experiments: Sequence[Experiment],
    effort: Effort,
    partial: Partial,
    workers: int,
    tell: Tell,
    asked: Asked = USUAL,
) -> Reproduction:
    """Reproduce Figure 3 or 4: q_F against the size of random subsets.

    Raises
    ------
    InvalidParameterError
        If a subset is to have more records than its data set.
    """
    found: dict[tuple[Where, str], list[float]] = {}
    total, done = _count(experiments, effort, asked), 0
    tell(done, total)
    measured: dict[str, dict[str, list[float]]] = {}
    places: dict[str, Where] = {}
    with pool(workers) as executor:
        waiting = {}
        for key, where, ready in _tasks(experiments, effort, partial, asked):
            places[key] = where
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
    for key, where in places.items():
        for algorithm, values in measured[key].items():
            found.setdefault((where, algorithm), []).extend(values)
    rows = tuple(
        (*where[:2], algorithm, float(np.mean(values)), float(np.std(values)), len(values), *where[2:])
        for (where, algorithm), values in sorted(
            found.items(), key=lambda item: (item[0][0], ALGORITHMS.index(item[0][1]))
        )
    )
    notes = (
        "subsets without replacement; the subspace is drawn from the subset, q_F is measured on all records",
        f"PPCA: {effort.burn_in} steps of a chain of rotations from a uniform start, in place of 20,000 of Hoff's",
        "the deviation is over subsets and draws together",
        LEAST,
        *effort.less("subsets", "chains", "draws"),
        *(f"{experiment.name}: {experiment.difference}" for experiment in experiments if experiment.difference),
    )
    columns = ("data set", "n", "algorithm", "mean q_F", "deviation", "draws", "epsilon", "delta")
    series = tuple(
        _series(rows, experiment, algorithm, guarantee, one=len(asked.guarantees) == 1)
        for experiment, guarantee in product(experiments, asked.guarantees)
        for algorithm in ALGORITHMS
    )
    return Reproduction(target, columns, rows, notes, series, "n", "q_F(U)")


def _series(
    rows: Sequence[tuple[Cell, ...]],
    experiment: Experiment,
    algorithm: str,
    guarantee: tuple[float, float],
    *,
    one: bool,
) -> Series:
    chosen = [row for row in rows if (row[0], row[2], row[6:]) == (experiment.name, algorithm, guarantee)]
    places, values, deviations = ([float(row[column] or 0) for row in chosen] for column in (1, 3, 4))
    more = "" if one else f", epsilon = {guarantee[0]:g}, delta = {guarantee[1]:g}"
    return Series(f"{experiment.name} (k = {experiment.rank}{more})", algorithm, places, values, deviations)
