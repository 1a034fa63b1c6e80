"""Events, which are half-lines of a feature, and the choice of a threshold on training samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.search.features import FeatureFamily
from dpmatrix.auditing.search.tallies import Tally

_LOWEST = -1e300
"""Thresholds below tell only what is finite from what is not."""


@frozen(eq=False)
class Event:
    """The outputs for which a feature lies on one side of a finite threshold.

    Attributes
    ----------
    family, row
        The feature: a number of the family.
    threshold
        Finite.
    at_least
        Whether the event is "feature >= threshold"; else it is the complement.
    on_neighbour
        Whether the event is likelier on the neighbour than on the data.
    """

    family: FeatureFamily
    row: int
    threshold: float
    at_least: bool
    on_neighbour: bool

    def holds(self, batch: FloatArray) -> NDArray[np.bool_]:
        """Tell for each output of a batch, shape (b, ...), whether the event happens; shape (b,)."""
        above = np.asarray(self.family.evaluate(batch, (self.row,))[0] >= self.threshold)
        return above if self.at_least else ~above

    def sentence(self) -> str:
        """Say what happens, and on which data set it is the likelier."""
        where = "neighbour" if self.on_neighbour else "data"
        what = f"is at least {self.threshold:.6g}" if self.at_least else f"is below {self.threshold:.6g}"
        # The numbers of an output that is not finite are minus infinity, and lie below every threshold.
        if not self.family.takes_all and self.threshold <= _LOWEST:
            what = "is a finite number" if self.at_least else "is NaN or infinite"
        elif not self.family.takes_all and not self.at_least:
            what = f"{what} (or NaN, or infinite)"
        return f"{self.family.names[self.row]} {what}, likelier on the {where}"


def best_event(
    family: FeatureFamily,
    row: int,
    values: FloatArray,
    other_values: FloatArray,
    *,
    epsilon: float,
    delta: float,
    confirming: float | None = None,
) -> tuple[float, Event]:
    """Choose the threshold, the side and the likelier data set for one feature and one claim; see `best_events`."""
    return best_events(family, row, values, other_values, [(epsilon, delta)], confirming=confirming)[0]


def best_events(
    family: FeatureFamily,
    row: int,
    values: FloatArray,
    other_values: FloatArray,
    claims: Sequence[tuple[float, float]],
    *,
    confirming: float | None = None,
) -> list[tuple[float, Event]]:
    """Choose the threshold, the side and the likelier data set for one feature, for each of some claims.

    Parameters
    ----------
    family, row
        The feature.
    values, other_values
        Shape (b,) each: the feature on training outputs for the data and for the neighbour; no NaN.
    claims
        Pairs of epsilon and delta.
    confirming
        How many outputs on each data set will confirm the event; without it the choice keeps to what is certain now.

    Returns
    -------
    list of tuple of float and Event
        For every claim a score, minus infinity where nothing was learnt, and the event.
    """
    return [
        (choice.score, Event(family, row, choice.threshold, choice.at_least, choice.on_neighbour))
        for choice in Tally.of(values, other_values).choices(claims, confirming)
    ]
