"""Density-ratio auditing: search neighbouring data sets and outputs for the greatest exact privacy loss.

No sampling and no confidence: a loss that is found is there, as surely as the density ratio that was passed in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias
from unittest.mock import patch

import numpy as np
from attrs import define, field, frozen
from flint import arb
from hypothesis import Phase, given, settings, target
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers
from scipy.optimize import minimize

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.neighbours import neighbouring_pairs
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.pairs.strategies import adjacent_data_sets
from dpmatrix.auditing.pairs.unit_ball import pulled_into_unit_ball
from dpmatrix.exact import positive_integer
from dpmatrix.privacy.adjacency import Adjacency

LogRatio: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray], arb | float]
OutputMap: TypeAlias = Callable[[NeighbouringPair, FloatArray], FloatArray]

_STARTS = 3
_BOUND = 10.0
_FIRST_STEP = 0.25
_DIRECTIONS = 16
_SEED = 20160212
_FROM_MODULES = "_maybe_draw_constant"
"""Where Hypothesis now and then draws a constant of some module in place of a value; older versions do not."""


@frozen(eq=False)
class WorstLoss:
    """The greatest privacy loss that a search met.

    Attributes
    ----------
    loss
        No more than ``|log f(output | data) / f(output | neighbour)|``, infinite where one density vanishes.
    certified
        Whether the ratio came as a ball, whose lower end the loss is; a loss from a float is only indicative.
    pair, output
        Where it was met.
    evaluations
        How many ratios were computed.
    """

    loss: float
    certified: bool
    pair: NeighbouringPair
    output: FloatArray
    evaluations: int


@frozen(eq=False)
class _Point:
    pair: NeighbouringPair
    parameters: FloatArray
    loss: float
    certified: bool


@define
class _Search:
    log_ratio: LogRatio
    outputs: OutputMap
    points: dict[tuple[bytes, bytes], _Point] = field(factory=dict)
    evaluations: int = 0

    def visit(self, pair: NeighbouringPair, parameters: FloatArray) -> float:
        """Compute and return the loss at a point, and keep the point if it is the worst of its pair."""
        ratio = self.log_ratio(pair.data, pair.neighbour, self.outputs(pair, parameters))
        loss = certain_loss(ratio)
        self.evaluations += 1
        key = (pair.data.tobytes(), pair.neighbour.tobytes())
        if key not in self.points or loss > self.points[key].loss:
            self.points[key] = _Point(pair, parameters, loss, isinstance(ratio, arb))
        return loss

    def worst(self) -> list[_Point]:
        """Return the worst point of each of the `_STARTS` worst pairs."""
        return sorted(self.points.values(), key=lambda point: (-point.loss, not point.certified))[:_STARTS]


def certain_loss(ratio: arb | float) -> float:
    """Return a float that is at most ``|ratio|``: from a ball certainly, from a float as it is.

    An undecided ball counts as no loss, and so does NaN.
    """
    if not isinstance(ratio, arb):
        value = abs(float(ratio))
        return 0.0 if math.isnan(value) else value
    if ratio.is_nan():
        return 0.0
    if ratio.is_finite():
        return max(0.0, math.nextafter(float(ratio.abs_lower()), -math.inf))
    return math.inf if abs(ratio) > arb(2) ** 2000 else 0.0


def _changed_row(pair: NeighbouringPair) -> int | None:
    """Return the row in which data sets of one size differ."""
    if len(pair.data) != len(pair.neighbour):
        return None
    rows = np.flatnonzero(np.any(pair.data != pair.neighbour, axis=1))
    return int(rows[0]) if rows.size else None


def _with_records(pair: NeighbouringPair, row: int, records: FloatArray) -> NeighbouringPair:
    """Replace the two versions of a row, of shape (2, d), pulled into the unit ball; zero stays zero for removals."""
    data, neighbour = pair.data.copy(), pair.neighbour.copy()
    for version, record in zip((data, neighbour), records, strict=True):
        if pair.adjacency is Adjacency.REPLACE_ONE or np.any(version[row]):
            version[row] = pulled_into_unit_ball(record)
    return NeighbouringPair("locally optimised", pair.adjacency, data, neighbour)


def _climb(search: _Search, start: _Point, evaluations: int) -> None:
    """Improve the output and the changed record from a start, without derivatives."""
    size = start.parameters.size
    row = _changed_row(start.pair)
    records = np.zeros(0) if row is None else np.concatenate([start.pair.data[row], start.pair.neighbour[row]])

    def negative_loss(values: FloatArray) -> float:
        pair = start.pair if row is None else _with_records(start.pair, row, values[size:].reshape(2, -1))
        return -min(search.visit(pair, values[:size].copy()), 1e300)

    origin = np.concatenate([start.parameters, records])
    simplex = np.vstack([origin, origin + _FIRST_STEP * np.eye(origin.size)])
    minimize(
        negative_loss,
        origin,
        method="Nelder-Mead",
        options={"maxfev": evaluations, "adaptive": True, "initial_simplex": simplex},
    )


def _try_families(search: _Search, pairs: Sequence[NeighbouringPair], size: int, known: Sequence[FloatArray]) -> None:
    """Visit the adversarial families at the worst outputs so far and at far and near ones in fixed directions."""
    directions = np.random.default_rng(_SEED).standard_normal((_DIRECTIONS, size))
    vectors = [*known, np.zeros(size), *directions, *(_BOUND * np.sign(directions))]
    for pair in pairs:
        for vector in vectors:
            search.visit(pair, vector)


@contextmanager
def _draws_of_its_own() -> Iterator[None]:
    """Let Hypothesis draw what does not depend on the modules that are imported, whose constants it takes for draws."""
    provider = getattr(providers, "HypothesisProvider", None)
    if not hasattr(provider, _FROM_MODULES):
        yield
        return
    with patch.object(provider, _FROM_MODULES, lambda *_choice, **_chance: None):
        yield


def worst_privacy_loss(
    log_ratio: LogRatio,
    outputs: OutputMap,
    *,
    dimension: int,
    records: int,
    adjacency: Adjacency,
    output_parameters: int,
    examples: int = 300,
    refinement: int = 300,
    delete_rows: bool = False,
) -> WorstLoss:
    """Search neighbouring data sets and outputs for the greatest privacy loss; always the same answer.

    Hypothesis draws pairs and outputs and steers by the loss, `neighbouring_pairs` adds its own, and the worst points
    of the three worst pairs are then improved locally.

    Parameters
    ----------
    log_ratio
        Called with (data, neighbour, output); returns ``log f(output | data) - log f(output | neighbour)`` as a ball,
        or as a float if a proof is not needed. It is infinite where one density vanishes, NaN where both do.
    outputs
        Maps a pair and a vector of shape (output_parameters,), with entries of size about 10 or less, to an output.
    dimension, records
        Of the larger data set, shape (n, d).
    adjacency
        Which data sets are neighbours.
    output_parameters
        Length of the vector that ``outputs`` takes, at least one.
    examples
        Points that Hypothesis draws, at least one.
    refinement
        Points that each of the three local searches may visit, at least one.
    delete_rows
        As for `neighbouring_pairs`; where rows are deleted, the local search moves the output alone.

    Raises
    ------
    InvalidParameterError
        If a count is not a positive integer.
    """
    sizes = {"dimension": dimension, "records": records, "output_parameters": output_parameters}
    for name, value in (sizes | {"examples": examples, "refinement": refinement}).items():
        positive_integer(value, name)
    search = _Search(log_ratio, outputs)
    entries = st.floats(-_BOUND, _BOUND, allow_nan=False)
    vectors = st.lists(entries, min_size=output_parameters, max_size=output_parameters).map(np.array)

    @settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=examples,
        phases=(Phase.generate, Phase.target),
    )
    @given(adjacent_data_sets(dimension, records, adjacency, delete_rows=delete_rows), vectors)
    def explore(pair: NeighbouringPair, parameters: FloatArray) -> None:
        target(min(search.visit(pair, parameters), 1e300))

    with _draws_of_its_own():
        explore()
    families = neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows)
    _try_families(search, families, output_parameters, [point.parameters for point in search.worst()])
    for start in search.worst():
        if math.isfinite(search.worst()[0].loss):
            _climb(search, start, refinement)
    worst = search.worst()[0]
    output = outputs(worst.pair, worst.parameters)
    return WorstLoss(worst.loss, worst.certified, worst.pair, output, search.evaluations)
