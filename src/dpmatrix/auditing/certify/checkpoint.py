"""What an audit has learned so far, in a file that is replaced as a whole.

*Why a resumed audit keeps its guarantee.* Everything that the guarantee needs to be fixed in advance (claim, failure
probability, sizes of the stages, pairs) is written into the file, and an audit that differs in any of it refuses to go
on. The chosen events are written before the first of their confirming samples is drawn and never chosen again. Every
chunk of the confirmation has a place (stage, data set, number); a chunk with a place in the file is never drawn again,
and one that was lost is drawn by the generator of its place, so that a target that takes its randomness from the
generator gives the very counts of an uninterrupted run. For a target with entropy of its own the lost chunk is replaced
by a fresh one, which is as good unless somebody interrupts runs for what their unfinished chunks hold. An audit that is
over gives its result again and draws nothing: there is no second confirmation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from dpmatrix.atomic_files import write_atomically
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.search.rows import pairs_elsewhere
from dpmatrix.errors import InvalidParameterError

_VERSION = 3

SideCounts = tuple[tuple[int, ...], tuple[int, ...]]
"""Hits of every event on the data, and on the neighbour."""


@frozen(eq=False)
class AuditState:
    """A point between the beginning and the end of an audit.

    Attributes
    ----------
    facts
        What must not change before the audit is over; plain numbers and texts.
    entropy
        Of all generators.
    explored
        For every pair that has been looked at, its best events.
    place, events
        The pair and the events under confirmation, the first for the claim itself; none before training is over.
    sharpened
        Outputs that the last step of training took.
    likely
        Where the confirmation is likely to end, by which its stages are planned; zero before that is known.
    totals
        For every finished stage, the counts from the beginning.
    partial
        Hits of the finished chunks of the stage under way, by place "data set:chunk".
    """

    facts: dict[str, Any]
    entropy: int
    explored: tuple[tuple[Event, ...], ...] = ()
    place: int = -1
    events: tuple[Event, ...] = ()
    sharpened: int = 0
    likely: int = 0
    totals: tuple[SideCounts, ...] = ()
    partial: dict[str, list[int]] = field(factory=dict)


def save(path: Path, state: AuditState) -> None:
    """Write the whole state or nothing, as `write_atomically`."""
    record = {
        "version": _VERSION,
        "facts": state.facts,
        "entropy": str(state.entropy),
        "explored": [[_scored_to_json(event) for event in found] for found in state.explored],
        "place": state.place,
        "events": [event.to_json() for event in state.events],
        "sharpened": state.sharpened,
        "likely": state.likely,
        "totals": state.totals,
        "partial": state.partial,
    }
    write_atomically(path, json.dumps(record), "checkpoint")


def _scored_to_json(event: Event) -> dict[str, Any]:
    """Return an event with its score, of which minus infinity becomes nothing."""
    return {"score": event.score if math.isfinite(event.score) else None, "event": event.to_json()}


def _scored_from_json(record: dict[str, Any], pair: NeighbouringPair) -> Event:
    score = record["score"]
    return evolve(Event.from_json(record["event"], pair), score=-math.inf if score is None else score)


def _explored(pairs: Sequence[NeighbouringPair], records: Sequence[Any]) -> tuple[tuple[Event, ...], ...]:
    """Read what was found on the first pairs, as far as they were looked at."""
    return tuple(
        tuple(_scored_from_json(one, pair) for one in found) for pair, found in zip(pairs, records, strict=False)
    )


def _read(path: Path) -> dict[str, Any]:
    problem = f"{path} is no checkpoint of an audit"
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidParameterError("checkpoint", f"{problem} ({error})", "name another file") from error
    if not isinstance(record, dict) or record.get("version") != _VERSION:
        raise InvalidParameterError("checkpoint", problem, "name another file")
    return record


def facts_of(path: Path) -> dict[str, Any]:
    """Return the facts that a checkpoint holds.

    Raises
    ------
    InvalidParameterError
        If the file is no checkpoint.
    """
    facts: dict[str, Any] = _read(path)["facts"]
    return facts


def load(path: Path, facts: dict[str, Any], pairs: Sequence[NeighbouringPair]) -> AuditState:
    """Read a state.

    Raises
    ------
    InvalidParameterError
        If the file is no checkpoint, or one of an audit with other facts.
    """
    record = _read(path)
    for name, value in facts.items():
        if record["facts"].get(name) != value:
            problem = f"{path} belongs to an audit with another {name}"
            raise InvalidParameterError("checkpoint", problem, "repeat the arguments, or name another file")
    place = record["place"]
    explored = _explored(pairs, record["explored"])
    offered = (*pairs, *pairs_elsewhere(pairs, explored, facts["elsewhere"]))
    return AuditState(
        facts,
        int(record["entropy"]),
        (*explored, *_explored(offered[len(pairs) :], record["explored"][len(pairs) :])),
        place,
        tuple(Event.from_json(event, offered[place]) for event in record["events"]),
        record["sharpened"],
        record["likely"],
        tuple((tuple(first), tuple(second)) for first, second in record["totals"]),
        record["partial"],
    )
