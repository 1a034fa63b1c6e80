"""The result of an audit as a file, from which its event can be counted again."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.search.events import Event
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction
from dpmatrix.privacy.adjacency import Adjacency


def result_to_json(result: AuditResult) -> dict[str, Any]:
    """Return everything that an audit found, in plain numbers and texts; exact numbers are quotients as texts."""
    counts, power = result.counts, result.detectable
    return {
        "violated": result.violated,
        "complete": result.complete,
        "epsilon": str(fraction(result.epsilon)),
        "delta": str(fraction(result.delta)),
        "failure_probability": str(fraction(result.failure_probability)),
        "epsilon_lower_bound": result.epsilon_lower_bound,
        "delta_lower_bound_at_epsilon": result.delta_lower_bound_at_epsilon,
        "curve": [
            {"epsilon": str(fraction(point.epsilon)), "delta_lower_bound": point.delta_lower_bound}
            for point in result.curve
        ],
        "data_sets": None if result.conditions is None else result.conditions.source,
        "pair": _pair_to_json(result.pair),
        "event": result.event,
        "direction": result.direction,
        "portable_event": result.counted_event.to_json(),
        "counts": {
            "hits": counts.hits,
            "trials": counts.trials,
            "other_hits": counts.other_hits,
            "other_trials": counts.other_trials,
        },
        "training_samples": result.training_samples,
        "power": {
            "probability": power.power,
            "largest_epsilon": power.largest_epsilon,
            "smallest_epsilon": _finite(power.smallest_epsilon),
            "smallest_epsilon_of_event": _finite(power.smallest_epsilon_of_event),
            "smallest_leak": _finite(power.smallest_leak),
            "noise_factor": power.noise_factor,
        },
        "frozen_noise": list(result.replay.sentences()) if result.replay is not None else [],
        "message": result.message(),
    }


def _finite(value: float) -> float | None:
    return value if value < float("inf") else None


def _pair_to_json(pair: NeighbouringPair) -> dict[str, Any]:
    return {
        "name": pair.name,
        "adjacency": pair.adjacency.value,
        "dimension": pair.data.shape[1],
        "data": pair.data.tolist(),
        "neighbour": pair.neighbour.tolist(),
        "negative_entries": pair.has_negative_entries(),
    }


def _pair_from_json(record: dict[str, Any]) -> NeighbouringPair:
    sides = [_rows(record[side], record["dimension"]) for side in ("data", "neighbour")]
    return NeighbouringPair(record["name"], Adjacency(record["adjacency"]), *sides)


def _rows(rows: list[list[float]], dimension: int) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), dimension)


def event_from_json(record: dict[str, Any]) -> Event:
    """Read the event of what `result_to_json` returned.

    Raises
    ------
    InvalidParameterError
        If the record is of another kind.
    """
    try:
        return Event.from_json(record["portable_event"], _pair_from_json(record["pair"]))
    except (KeyError, TypeError, ValueError) as error:
        problem = f"it is no result of an audit ({error})"
        raise InvalidParameterError("record", problem, "pass the file that --json wrote") from error
