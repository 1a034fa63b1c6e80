"""Figure 1 of `near-optimal`: the bound (21) against the number of records, and what MOD-SULQ reaches.

(21) depends on the noise alone, so each curve has a twin: the bound at the minimal noise that keeps the same guarantee.
Beside both is measured what they are said to bound, the mean of |<v^_1, v_1>| on records that all equal v_1.
"""

from __future__ import annotations

from concurrent.futures import as_completed
from fractions import Fraction
from time import perf_counter

import numpy as np

from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.processes import in_process, pool
from dpmatrix.experiments.reproduction import Cell, Effort, Reproduction, Series, Tell
from dpmatrix.experiments.subspaces import least_deviation, noise_deviation, top_subspace
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.sulq_curve import curve

EPSILONS = (0.01, 0.1, 0.5, 2.0)
SULQ_DELTA = 0.01
EXPONENTS = tuple(step / 2 for step in range(4, 15))
"""log10 of n, from 100 to 10 million."""
COLUMNS = (
    "d",
    "epsilon",
    "n",
    "(21), printed noise",
    "(21), minimal noise",
    "measured, printed noise",
    "measured, minimal noise",
)


def bound(dimension: int, records: int, epsilon: float, deviation: float) -> float:
    """Return the right side of (21) for noise of this deviation.

    The printed deviation falls like 1/n, so it is this one at another number of records, up to rounding that number.
    """
    equivalent = round(records * noise_deviation(dimension, records, epsilon, SULQ_DELTA) / deviation)
    return float(curve(ModSulq(dimension, equivalent, Fraction(str(epsilon)), Fraction(str(SULQ_DELTA)))))


def correlation(dimension: int, deviation: float, draws: int, generator: np.random.Generator) -> float:
    """Measure the mean of |<v^_1, v_1>| for A = v_1 v_1' and symmetric Gaussian noise, v_1 the first axis."""
    found = []
    for _ in range(draws):
        noise = np.triu(generator.normal(0.0, deviation, (dimension, dimension)))
        noise = noise + np.triu(noise, 1).T
        noise[0, 0] += 1.0
        found.append(abs(float(top_subspace(noise, 1)[0, 0])))
    return float(np.mean(found))


def _row(dimension: int, epsilon: float, power: float, effort: Effort, seed: list[int]) -> list[Cell]:
    records, generator = round(10**power), np.random.default_rng(seed)
    setting = (dimension, records, epsilon, SULQ_DELTA)
    deviations = (noise_deviation(*setting), least_deviation(*setting))
    bounds = (bound(dimension, records, epsilon, deviation) for deviation in deviations)
    measured = (correlation(dimension, deviation, effort.spikes, generator) for deviation in deviations)
    return [dimension, epsilon, records, *bounds, *measured]


def expected_seconds(effort: Effort, workers: int) -> float:
    """Time one draw of each dimension, and multiply."""
    each = sum(in_process(_draw_seconds, dimension) for dimension in effort.dimensions)
    return each * 2 * effort.spikes * len(EPSILONS) * len(EXPONENTS) / workers


def _draw_seconds(dimension: int) -> float:
    generator = np.random.default_rng(0)
    correlation(2, 1.0, 1, generator)
    begin = perf_counter()
    correlation(dimension, 1.0, 1, generator)
    return perf_counter() - begin


def bound_figure(effort: Effort, partial: Partial, workers: int, tell: Tell) -> Reproduction:
    """Reproduce Figure 1, with bound and correlation at the printed and at the minimal noise."""
    places = [(d, epsilon, power) for d in effort.dimensions for epsilon in EPSILONS for power in EXPONENTS]
    found = {place: before for place in places if (before := partial.found(str(place))) is not None}
    tell(len(found), len(places))
    with pool(workers) as executor:
        waiting = {
            executor.submit(_row, *place, effort, [partial.seed, number]): place
            for number, place in enumerate(places)
            if place not in found
        }
        for future in as_completed(waiting):
            found[waiting[future]] = future.result()
            partial.keep(str(waiting[future]), future.result())
            tell(len(found), len(places))
    rows: list[tuple[Cell, ...]] = [tuple(found[place]) for place in places]
    series = []
    for dimension in effort.dimensions:
        for epsilon in (EPSILONS[0], EPSILONS[-1]):
            chosen = [row for row in rows if row[:2] == (dimension, epsilon)]
            for column in range(3, 7):
                values = [float(row[column] or 0) for row in chosen]
                label = f"{COLUMNS[column]}, epsilon = {epsilon:g}"
                series.append(Series(f"d = {dimension}", label, [float(row[2] or 0) for row in chosen], values))
    notes = (
        f"delta = {SULQ_DELTA}; the document names d = 50 and 1000, epsilon = 0.01 and 2, and no range of n",
        "the last two columns: mean correlation measured on equal records, which a lower bound would have to respect",
        f"{effort.spikes} draws of the noise each",
    )
    return Reproduction(
        "near-optimal.figure-1", COLUMNS, tuple(rows), notes, tuple(series), "n", "|<v^_1, v_1>|", logarithmic=True
    )
