"""The result of an audit as a file, from which its event can be counted again."""

from __future__ import annotations

from typing import Any

from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.search.portable import PortableEvent, pair_from_json, pair_to_json
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import fraction


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
        "pair": pair_to_json(result.pair),
        "event": result.event,
        "direction": result.direction,
        "portable_event": result.portable.to_json(),
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


def event_from_json(record: dict[str, Any]) -> PortableEvent:
    """Read the event of what `result_to_json` returned.

    Raises
    ------
    InvalidParameterError
        If the record is of another kind.
    """
    try:
        return PortableEvent.from_json(record["portable_event"], pair_from_json(record["pair"]))
    except (KeyError, TypeError, ValueError) as error:
        problem = f"it is no result of an audit ({error})"
        raise InvalidParameterError("record", problem, "pass the file that --json wrote") from error
