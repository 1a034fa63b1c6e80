"""Events of the low bits, chosen on training samples by what they tell within cells of equal coarse value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.representation.bits import IntegerArray, Representation
from dpmatrix.auditing.representation.features import LABELS, LowBits, cell_of, describe_cell

MARGIN = 1.25
"""Low bits tell the inputs apart if, given the cell, an event is more likely by this factor on one of them."""

_DEVIATIONS = (0.0, 1.0, 2.0, 4.0)
_CLEARLY = 10.0
_SHOWN = 3


@frozen(eq=False)
class LowBitEvent:
    """The outputs whose cell and low bits are among given ones.

    Attributes
    ----------
    feature
        What is read.
    codes
        Sorted: the pairs of cell and label that belong to the event.
    cell
        The cell in which the low bits are most telling.
    on_neighbour
        Whether the event is likelier on the neighbour than on the data.
    """

    feature: LowBits
    codes: IntegerArray
    cell: int
    on_neighbour: bool

    def holds(self, codes: IntegerArray) -> NDArray[np.bool_]:
        """Tell for each code of the feature whether the event happens."""
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.asarray(self.codes[places] == codes)

    def sentence(self) -> str:
        """Say what happens, and on which input it is the likelier."""
        labels = np.unique(self.codes[cell_of(self.codes) == self.cell] % LABELS)
        shown = ", ".join(self.feature.describe(int(label)) for label in labels[:_SHOWN])
        shown += f" or {len(labels) - _SHOWN} more values" if len(labels) > _SHOWN else ""
        others = len(np.unique(cell_of(self.codes))) - 1
        beside = f", and the like in {others} more cells" if others else ""
        where = "neighbour" if self.on_neighbour else "data"
        return f"{self.feature.name} is {shown} among {describe_cell(self.cell)}{beside}; likelier on the {where}"


@frozen(eq=False)
class Tally:
    """How often each code was met on two inputs, with equally many outputs of each.

    Attributes
    ----------
    codes, counts, other_counts
        Shape (m,); the counts are floats.
    trials
        Outputs on each input.
    """

    codes: IntegerArray
    counts: FloatArray
    other_counts: FloatArray
    trials: int

    @classmethod
    def of(cls, codes: IntegerArray, other_codes: IntegerArray) -> Tally:
        """Count the codes of two batches of one size; atoms are left out."""
        distinct, places = np.unique(np.concatenate([codes, other_codes]), return_inverse=True)
        sides = [
            np.bincount(part, minlength=len(distinct)).astype(np.float64)
            for part in (places[: len(codes)], places[len(codes) :])
        ]
        kept = distinct >= 0
        return cls(distinct[kept], sides[0][kept], sides[1][kept], len(codes))

    def swapped(self) -> Tally:
        """Return the counts with the inputs exchanged."""
        return Tally(self.codes, self.other_counts, self.counts, self.trials)

    def inside(self, chosen: IntegerArray) -> tuple[float, float]:
        """Return how often the chosen codes were met on the two inputs."""
        member = np.isin(self.codes, chosen)
        return float(self.counts[member].sum()), float(self.other_counts[member].sum())

    def of_cells(self) -> tuple[FloatArray, FloatArray]:
        """Return for every code how often its cell was met on the two inputs."""
        _, places = np.unique(cell_of(self.codes), return_inverse=True)
        counts, other_counts = (
            np.asarray(np.bincount(places, weights=side)[places], dtype=np.float64)
            for side in (self.counts, self.other_counts)
        )
        return counts, other_counts


def _likelier(tally: Tally, growth: float, deviations: float) -> IntegerArray:
    """Return the codes that break the claim by so many standard deviations, and whose low bits have a part in it."""
    noise = np.sqrt(tally.counts + growth**2 * (tally.other_counts + 1.0))
    beyond = tally.counts - growth * tally.other_counts > deviations * noise
    cells, other_cells = tally.of_cells()
    telling = tally.counts * other_cells > MARGIN * (tally.other_counts + 0.5) * cells
    return tally.codes[beyond & telling]


def _most_telling_cell(tally: Tally, chosen: IntegerArray) -> tuple[float, int]:
    """Return the cell in which the event depends most on the input, with the deviations by which it does."""
    member = np.isin(tally.codes, chosen)
    if not member.any():
        return -math.inf, -1
    cells, places = np.unique(cell_of(tally.codes), return_inverse=True)
    shares = []
    for counts in (tally.counts, tally.other_counts):
        sizes = np.bincount(places, weights=counts) + 1.0
        share = np.bincount(places, weights=counts * member) / sizes
        shares.append((share, (share + 1.0 / sizes) / sizes))
    (share, variance), (other, other_variance) = shares
    scores = (share - MARGIN * other) / np.sqrt(variance + MARGIN**2 * other_variance)
    best = int(np.argmax(scores))
    return float(scores[best]), int(cells[best])


def _score(tally: Tally, chosen: IntegerArray, growth: float, delta: float) -> float:
    hits, other_hits = tally.inside(chosen)
    excess = hits - growth * other_hits - delta * tally.trials
    return excess / math.sqrt(hits + growth**2 * (other_hits + 1.0) + 1.0)


def best_low_bit_event(
    features: Sequence[LowBits], samples: tuple[Representation, Representation], *, epsilon: float, delta: float
) -> tuple[float, LowBitEvent] | None:
    """Choose an event: its codes on one half of the training outputs, by its score on the other half.

    Parameters
    ----------
    features
        What may be read off the outputs.
    samples
        Training outputs on the data and on the neighbour, equally many.
    epsilon, delta
        The claim.

    Returns
    -------
    tuple of float and LowBitEvent, or None
        About how many standard deviations the event breaks the claim by, and the event; nothing where no event was
        likelier on one input than the claim allows.
    """
    half = len(samples[0].values) // 2
    growth = math.exp(min(epsilon, 700.0))
    best: tuple[float, LowBitEvent] | None = None
    for feature in features:
        codes, other_codes = (feature.codes(sample) for sample in samples)
        first, second = Tally.of(codes[:half], other_codes[:half]), Tally.of(codes[half:], other_codes[half:])
        for on_neighbour in (False, True):
            choosing, judging = (first.swapped(), second.swapped()) if on_neighbour else (first, second)
            for deviations in _DEVIATIONS:
                chosen = _likelier(choosing, growth, deviations)
                if chosen.size == 0:
                    break
                _, cell = _most_telling_cell(choosing, chosen)
                telling = _most_telling_cell(judging, chosen[cell_of(chosen) == cell])[0]
                score = _score(judging, chosen, growth, delta)
                score = score if telling > _CLEARLY else min(score, telling)
                if best is None or score > best[0]:
                    best = score, LowBitEvent(feature, chosen, cell, on_neighbour)
    return best
