"""Features and events by what defines them, so that they travel: to other processes, into a file and back.

A feature is one of the numbers that `feature_families` lists for a pair, or a score that was learned. An event is a
half-line of a feature.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve, frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.search.counted import CountedScore
from dpmatrix.auditing.search.family import FeatureFamily
from dpmatrix.auditing.search.features import feature_families
from dpmatrix.auditing.search.learned import LearnedScore
from dpmatrix.errors import InvalidParameterError

_LOWEST = -1e300
"""Thresholds below tell only what is finite from what is not."""


@frozen(eq=False)
class Feature:
    """A number that is read off an output.

    Attributes
    ----------
    pair, output_shape, norm_bound
        Arguments of `feature_families`.
    index
        Of the family among them; that of a learned score is ignored.
    row
        A number of the family.
    learned
        A learned score, which then is the family.
    """

    pair: NeighbouringPair
    output_shape: tuple[int, ...]
    norm_bound: float
    index: int = 0
    row: int = 0
    learned: LearnedScore | CountedScore | None = None

    @property
    def family(self) -> FeatureFamily:
        """The numbers that are computed together with this one.

        Raises
        ------
        InvalidParameterError
            If there is no family of this index, as in a file that another version of the library wrote.
        """
        if isinstance(self.learned, CountedScore):
            return self.learned.family()
        families = feature_families(self.pair, self.output_shape, self.norm_bound)
        if self.learned is not None:
            return self.learned.family(families)
        if not self.index < len(families):
            raise InvalidParameterError("event", "its feature is unknown", "use the version that wrote the file")
        return families[self.index]

    @property
    def plain(self) -> bool:
        """Whether it is a single coordinate of the output."""
        return self.family.names[self.row].startswith("coordinate ")

    def of_family(self) -> list[Feature]:
        """List all numbers of the family."""
        return [evolve(self, row=row) for row in range(len(self.family.names))]

    def family_key(self) -> tuple[int, int]:
        """Return what features of one pair have in common exactly if they are numbers of one family."""
        return (self.index, 0) if self.learned is None else (-1, id(self.learned))

    def key(self) -> tuple[int, int, int]:
        """Return what features of one pair have in common exactly if they are the same number."""
        return (*self.family_key(), self.row)


def first_features(pair: NeighbouringPair, output_shape: tuple[int, ...], norm_bound: float) -> list[Feature]:
    """List the first number of every family; parameters as for `feature_families`."""
    families = feature_families(pair, output_shape, norm_bound)
    return [Feature(pair, output_shape, norm_bound, index) for index in range(len(families))]


def values_of(features: Sequence[Feature], batch: FloatArray) -> FloatArray:
    """Evaluate features of one pair, every family once; shape (features, b)."""
    rows: dict[tuple[int, int], dict[int, Feature]] = {}
    for feature in features:
        rows.setdefault(feature.family_key(), {}).setdefault(feature.row, feature)
    values: dict[tuple[int, int, int], FloatArray] = {}
    for some in rows.values():
        found = next(iter(some.values())).family.evaluate(batch, tuple(some))
        values |= {feature.key(): one for feature, one in zip(some.values(), found, strict=True)}
    return np.stack([values[feature.key()] for feature in features])


@frozen(eq=False)
class Event:
    """The outputs for which a feature lies on one side of a finite threshold.

    Attributes
    ----------
    feature
        What is read off an output.
    threshold
        Finite.
    at_least
        Whether the event is "feature >= threshold"; else it is the complement.
    on_neighbour
        Whether the event is likelier on the neighbour than on the data.
    score
        The smaller end of what the confirmation may be expected to show, as training may have overrated the event;
        minus infinity where nothing was learnt.
    hope
        The larger end, as training may have underrated the event.
    """

    feature: Feature
    threshold: float
    at_least: bool
    on_neighbour: bool
    score: float = -math.inf
    hope: float = -math.inf

    def holds(self, batch: FloatArray) -> NDArray[np.bool_]:
        """Tell for each output of a batch, shape (b, ...), whether the event happens; shape (b,)."""
        above = np.asarray(values_of([self.feature], batch)[0] >= self.threshold)
        return above if self.at_least else ~above

    def rank(self) -> tuple[float, int]:
        """Return what puts the best event first, and of equals the one that is read most easily.

        That is one that says of a single coordinate that it is large; what states a fact comes last among these.
        """
        return -self.score, -1 - self.feature.row if self.feature.plain and self.at_least else 0

    def key(self) -> tuple[object, ...]:
        """Return what events of one pair have in common exactly if they are the same."""
        return (*self.feature.key(), self.threshold, self.at_least, self.on_neighbour)

    def sentence(self) -> str:
        """Say what happens, and on which data set it is the likelier."""
        family = self.feature.family
        where = "neighbour" if self.on_neighbour else "data"
        what = f"is at least {self.threshold:.6g}" if self.at_least else f"is below {self.threshold:.6g}"
        # The numbers of an output that is not finite are minus infinity, and lie below every threshold.
        if not family.takes_all and self.threshold <= _LOWEST:
            what = "is a finite number" if self.at_least else "is NaN or infinite"
        elif not family.takes_all and not self.at_least:
            what = f"{what} (or NaN, or infinite)"
        return f"{family.names[self.feature.row]} {what}, likelier on the {where}"

    def to_json(self) -> dict[str, Any]:
        """Return what defines the event but the pair; floats keep every bit."""
        feature = self.feature
        return {
            "feature": feature.family.names[feature.row],
            "output_shape": list(feature.output_shape),
            "norm_bound": feature.norm_bound,
            "family": feature.index,
            "row": feature.row,
            "threshold": self.threshold,
            "at_least": self.at_least,
            "on_neighbour": self.on_neighbour,
            "learned": None if feature.learned is None else feature.learned.to_json(),
        }

    @classmethod
    def from_json(cls, record: dict[str, Any], pair: NeighbouringPair) -> Event:
        """Read what `to_json` returned, given the pair.

        Raises
        ------
        InvalidParameterError
            If the feature is not at its place, as in a file that another version of the library wrote.
        """
        learned = record["learned"]
        feature = Feature(
            pair,
            tuple(record["output_shape"]),
            record["norm_bound"],
            record["family"],
            record["row"],
            None if learned is None else _score_from_json(learned),
        )
        names = feature.family.names
        if not feature.row < len(names) or names[feature.row] != record["feature"]:
            problem = f"the feature {record['feature']!r} is not at its place"
            raise InvalidParameterError("event", problem, "use the version of the library that wrote the file")
        return cls(feature, record["threshold"], record["at_least"], record["on_neighbour"])


def _score_from_json(record: dict[str, Any]) -> LearnedScore | CountedScore:
    return CountedScore.from_json(record) if record["method"] == "counting" else LearnedScore.from_json(record)
