"""Figure 1 of `near-optimal`: the bound (21) against the number of records, and what MOD-SULQ reaches.

(21) depends on the noise alone, so each curve has a twin: the bound at the minimal noise that keeps the same guarantee.
Beside both is measured what they are said to bound, the mean of |<v^_1, v_1>| on records that all equal v_1.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import as_completed
from fractions import Fraction
from itertools import product
from time import perf_counter
from typing import TypeAlias

import numpy as np
from attrs import frozen

from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import least_deviation, noise_deviation, top_subspace
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.sulq_curve import curve

Place: TypeAlias = tuple[int, float, float, int]
EPSILONS = (0.01, 0.1, 0.5, 2.0)
SULQ_DELTA = 0.01
RECORDS = tuple(round(10 ** (step / 2)) for step in range(4, 15))
"""From 100 to 10 million, in equal ratios."""
COLUMNS = (
    "d",
    "epsilon",
    "n",
    "(21), printed noise",
    "(21), minimal noise",
    "measured, printed noise",
    "measured, minimal noise",
    "delta",
)


@frozen
class Grid:
    """Where the curves are computed: every d with every epsilon, delta and n."""

    records: tuple[int, ...] = RECORDS
    dimensions: tuple[int, ...] = Effort().dimensions
    epsilons: tuple[float, ...] = EPSILONS
    deltas: tuple[float, ...] = (SULQ_DELTA,)

    @property
    def places(self) -> list[Place]:
        """Every d, epsilon, delta and n."""
        return list(product(self.dimensions, self.epsilons, self.deltas, self.records))


def bound(dimension: int, records: int, epsilon: float, deviation: float, delta: float = SULQ_DELTA) -> float:
    """Return the right side of (21) for noise of this deviation.

    The printed deviation falls like 1/n, so it is this one at another number of records, up to rounding that number.
    """
    equivalent = round(records * noise_deviation(dimension, records, epsilon, delta) / deviation)
    return float(curve(ModSulq(dimension, equivalent, Fraction(str(epsilon)), Fraction(str(delta)))))


def correlation(dimension: int, deviation: float, draws: int, generator: np.random.Generator) -> float:
    """Measure the mean of |<v^_1, v_1>| for A = v_1 v_1' and symmetric Gaussian noise, v_1 the first axis."""
    found = []
    for _ in range(draws):
        noise = np.triu(generator.normal(0.0, deviation, (dimension, dimension)))
        noise = noise + np.triu(noise, 1).T
        noise[0, 0] += 1.0
        found.append(abs(float(top_subspace(noise, 1)[0, 0])))
    return float(np.mean(found))


def _row(place: Place, effort: Effort, seed: list[int]) -> list[Cell]:
    dimension, epsilon, delta, records = place
    generator, setting = np.random.default_rng(seed), (dimension, records, epsilon, delta)
    deviations = (noise_deviation(*setting), least_deviation(*setting))
    bounds = (bound(dimension, records, epsilon, deviation, delta) for deviation in deviations)
    measured = (correlation(dimension, deviation, effort.spikes, generator) for deviation in deviations)
    return [dimension, epsilon, records, *bounds, *measured, delta]


def expected_seconds(effort: Effort, workers: int, grid: Grid | None = None) -> float:
    """Time one draw of each dimension, and multiply."""
    grid = Grid(dimensions=effort.dimensions) if grid is None else grid
    each = sum(in_process(_draw_seconds, dimension) for dimension in grid.dimensions)
    return each * 2 * effort.spikes * len(grid.places) / len(grid.dimensions) / workers


def _draw_seconds(dimension: int) -> float:
    generator = np.random.default_rng(0)
    correlation(2, 1.0, 1, generator)
    begin = perf_counter()
    correlation(dimension, 1.0, 1, generator)
    return perf_counter() - begin


def bound_figure(effort: Effort, partial: Partial, workers: int, tell: Tell, grid: Grid | None = None) -> Reproduction:
    """Reproduce Figure 1, with bound and correlation at the printed and at the minimal noise."""
    grid = Grid(dimensions=effort.dimensions) if grid is None else grid
    places = grid.places
    found = {place: before for place in places if (before := partial.found(str(place))) is not None}
    tell(len(found), len(places))
    with pool(workers) as executor:
        waiting = {
            executor.submit(_row, place, effort, [partial.seed, number]): place
            for number, place in enumerate(places)
            if place not in found
        }
        for future in as_completed(waiting):
            found[waiting[future]] = future.result()
            partial.keep(str(waiting[future]), future.result())
            tell(len(found), len(places))
    rows: list[tuple[Cell, ...]] = [tuple(found[place]) for place in places]
    deltas = ", ".join(f"{delta:g}" for delta in grid.deltas)
    notes = (
        f"delta = {deltas}; the document names d = 50 and 1000, epsilon = 0.01 and 2, and no range of n",
        "the measured columns: mean correlation on equal records, which a lower bound would have to respect",
        f"{effort.spikes} draws of the noise each",
    )
    return Reproduction(
        "near-optimal.figure-1", COLUMNS, tuple(rows), notes, tuple(_lines(rows, grid)), "n", "|<v^_1, v_1>|", True
    )


def _lines(rows: list[tuple[Cell, ...]], grid: Grid) -> Iterator[Series]:
    """Yield the curves of each panel, at the least and at the largest epsilon."""
    for dimension, delta in product(grid.dimensions, grid.deltas):
        panel = f"d = {dimension}" + (f", delta = {delta:g}" if len(grid.deltas) > 1 else "")
        for epsilon in dict.fromkeys((grid.epsilons[0], grid.epsilons[-1])):
            chosen = [row for row in rows if (row[0], row[1], row[-1]) == (dimension, epsilon, delta)]
            for column in range(3, 7):
                values = [float(row[column] or 0) for row in chosen]
                label = f"{COLUMNS[column]}, epsilon = {epsilon:g}"
                yield Series(panel, label, [float(row[2] or 0) for row in chosen], values)
