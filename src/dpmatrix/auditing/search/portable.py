"""Events that travel: to other processes, into a file and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.counted import CountedScore
from dpmatrix.auditing.search.events import Event
from dpmatrix.auditing.search.features import FeatureFamily, feature_families
from dpmatrix.auditing.search.learned import LearnedScore
from dpmatrix.auditing.search.tallies import Choice
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency


@frozen(eq=False)
class PortableEvent:
    """An event by what defines it, so that the same event can be built anywhere.

    Attributes
    ----------
    pair, output_shape, norm_bound
        Arguments of `feature_families`.
    family
        Place of the family among them; that of a learned score is ignored.
    row, threshold, at_least, on_neighbour
        As for `Event`.
    learned
        A learned score, which then is the feature.
    """

    pair: NeighbouringPair
    output_shape: tuple[int, ...]
    norm_bound: float
    family: int
    row: int
    threshold: float
    at_least: bool
    on_neighbour: bool
    learned: LearnedScore | CountedScore | None = None

    def feature(self) -> FeatureFamily:
        """Build the family of the feature."""
        if isinstance(self.learned, CountedScore):
            return self.learned.family()
        families = feature_families(self.pair, self.output_shape, self.norm_bound)
        if self.learned is None and not self.family < len(families):
            raise InvalidParameterError("event", "its feature is unknown", "use the version that wrote the file")
        return families[self.family] if self.learned is None else self.learned.family(families)

    def build(self) -> Event:
        """Build the event."""
        return Event(self.feature(), self.row, self.threshold, at_least=self.at_least, on_neighbour=self.on_neighbour)

    def family_key(self) -> tuple[int, int]:
        """Return what events of one pair have in common exactly if they read numbers of one family."""
        return (self.family, 0) if self.learned is None else (-1, id(self.learned))

    def feature_key(self) -> tuple[int, int, int]:
        """Return what events of one pair have in common exactly if they read the same number."""
        return (*self.family_key(), self.row)

    def with_choice(self, choice: Event | Choice) -> PortableEvent:
        """Return the event of the same feature with a chosen threshold and sides."""
        return evolve(self, threshold=choice.threshold, at_least=choice.at_least, on_neighbour=choice.on_neighbour)

    def to_json(self) -> dict[str, Any]:
        """Return what defines the event but the pair; floats keep every bit."""
        return {
            "feature": self.feature().names[self.row],
            "output_shape": list(self.output_shape),
            "norm_bound": self.norm_bound,
            "family": self.family,
            "row": self.row,
            "threshold": self.threshold,
            "at_least": self.at_least,
            "on_neighbour": self.on_neighbour,
            "learned": None if self.learned is None else self.learned.to_json(),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], pair: NeighbouringPair) -> PortableEvent:
        """Read what `to_json` returned, given the pair.

        Raises
        ------
        InvalidParameterError
            If the feature is not at its place, as in a file that another version of the library wrote.
        """
        learned = record["learned"]
        event = cls(
            pair,
            tuple(record["output_shape"]),
            record["norm_bound"],
            record["family"],
            record["row"],
            record["threshold"],
            record["at_least"],
            record["on_neighbour"],
            None if learned is None else _score_from_json(learned),
        )
        names = event.feature().names
        if not event.row < len(names) or names[event.row] != record["feature"]:
            problem = f"the feature {record['feature']!r} is not at its place"
            raise InvalidParameterError("event", problem, "use the version of the library that wrote the file")
        return event


def values_of(events: Sequence[PortableEvent], batch: FloatArray) -> FloatArray:
    """Evaluate the features of events of one pair, every family once; shape (events, b)."""
    rows: dict[tuple[int, int], dict[int, PortableEvent]] = {}
    for event in events:
        rows.setdefault(event.family_key(), {}).setdefault(event.row, event)
    values: dict[tuple[int, int, int], FloatArray] = {}
    for some in rows.values():
        found = next(iter(some.values())).feature().evaluate(batch, tuple(some))
        values |= {event.feature_key(): one for event, one in zip(some.values(), found, strict=True)}
    return np.stack([values[event.feature_key()] for event in events])


def _score_from_json(record: dict[str, Any]) -> LearnedScore | CountedScore:
    return CountedScore.from_json(record) if record["method"] == "counting" else LearnedScore.from_json(record)


def pair_to_json(pair: NeighbouringPair) -> dict[str, Any]:
    """Return a pair of data sets; floats keep every bit."""
    return {
        "name": pair.name,
        "adjacency": pair.adjacency.value,
        "dimension": pair.data.shape[1],
        "data": pair.data.tolist(),
        "neighbour": pair.neighbour.tolist(),
    }


def pair_from_json(record: dict[str, Any]) -> NeighbouringPair:
    """Read what `pair_to_json` returned.

    Raises
    ------
    InvalidParameterError
        If the data sets are no neighbours.
    """
    sides = [_rows(record[side], record["dimension"]) for side in ("data", "neighbour")]
    return NeighbouringPair(record["name"], Adjacency(record["adjacency"]), *sides)


def _rows(rows: list[list[float]], dimension: int) -> FloatArray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), dimension)
