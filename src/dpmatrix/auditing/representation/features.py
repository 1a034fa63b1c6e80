"""What the low bits of an output show: small labels, which are blind to the output's coarse value.

A *low bit* is one at a position at least `HIDDEN_BITS` below the spread of the outputs. A mechanism whose noise has a
density with that spread gives low bits that are all but uniform, whatever the input is. Each label comes with the
output's *cell*, its sign and exponent, so that low bits are only compared between outputs of one cell: for a float, how
fine it can be depends on how large it is, and the coarse value would speak through that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from attrs import frozen

from dpmatrix.auditing.representation.bits import NO_EXPONENT, IntegerArray, Representation

HIDDEN_BITS = 10
"""The low bits begin this far below the spread: an (epsilon, 0)-private density changes across them by about 0.1 %."""

LABELS = 64
_WINDOW = 4
_WINDOWS = 16
_COORDINATES = 16
_FREQUENT = 0.01
_QUARTILES = (25.0, 75.0)


@frozen(eq=False)
class LowBits:
    """A number of few values that is read off the low bits of one coordinate.

    Attributes
    ----------
    name
        What it is, in words.
    position
        The low bits are those below this position.
    select
        Picks the coordinate: maps a batch of shape (b, k) to one of shape (b, 1).
    label
        Maps a batch of shape (b, 1) to labels in ``[0, LABELS)``, shape (b,).
    atoms
        Values that are outputs too often to have low bits, as truncation gives them; they belong to no event.
    describe
        Says what a label means.
    """

    name: str
    position: int
    select: Callable[[Representation], Representation]
    label: Callable[[Representation], IntegerArray]
    atoms: tuple[float, ...]
    describe: Callable[[int], str]

    def codes(self, batch: Representation) -> IntegerArray:
        """Return ``LABELS`` times the cell plus the label of every output, and -1 for an atom; shape (b,)."""
        chosen = self.select(batch)
        cells = 2 * (chosen.exponents[:, 0] - NO_EXPONENT) + (chosen.values[:, 0] < 0)
        codes = cells * LABELS + self.label(chosen)
        if self.atoms:
            codes[np.isin(chosen.values[:, 0], self.atoms)] = -1
        return codes


def cell_of(codes: IntegerArray) -> IntegerArray:
    """Return the cells of codes; that of an atom is -1."""
    return np.asarray(codes // LABELS)


def describe_cell(cell: int) -> str:
    """Say which outputs a cell holds."""
    exponent, sign = cell // 2 + NO_EXPONENT, "-" if cell % 2 else ""
    if abs(exponent) >= -NO_EXPONENT:
        return "zeros" if exponent < 0 else "infinite outputs"
    return f"outputs between {sign}2**{exponent} and {sign}2**{exponent + 1}"


def _spread(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    """Return the distance between the quartiles of the distinct finite values, so that atoms count once."""
    distinct = np.unique(values[np.isfinite(values)])
    if distinct.size < 2:
        return 0.0
    low, high = np.percentile(distinct, _QUARTILES)
    return float(high - low)


def _atoms(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, ...]:
    distinct, counts = np.unique(values, return_counts=True)
    return tuple(float(value) for value in distinct[counts > _FREQUENT * len(values)])


def _valuation_label(top: int) -> Callable[[Representation], IntegerArray]:
    return lambda batch: np.clip(top - batch.valuations[:, 0], 0, LABELS - 1)


def _window_label(position: int) -> Callable[[Representation], IntegerArray]:
    return lambda batch: batch.window(position, _WINDOW)


def _valuation_words(top: int) -> Callable[[int], str]:
    def words(label: int) -> str:
        if label == 0:
            return f"a multiple of 2**{top}"
        return f"2**{top - label}" if label < LABELS - 1 else f"2**{top - label} or finer"

    return words


def _of_coordinate(
    words: str, select: Callable[[Representation], Representation], samples: Sequence[Representation]
) -> list[LowBits]:
    chosen = [select(sample) for sample in samples]
    spreads = [_spread(sample.values[:, 0]) for sample in chosen]
    spread = min((spread for spread in spreads if spread > 0), default=0.0)
    if spread == 0.0:
        return []
    top = min(math.floor(math.log2(spread)) - HIDDEN_BITS, *(sample.bits_below for sample in chosen))
    top = int(top)
    if all(np.all(sample.valuations >= top) for sample in chosen):
        return []
    atoms = tuple(sorted({atom for sample in chosen for atom in _atoms(sample.values[:, 0])}))
    name = f"the least significant set bit of {words}"
    found = [LowBits(name, top, select, _valuation_label(top), atoms, _valuation_words(top))]
    for position in range(top - _WINDOW, top - _WINDOW * (_WINDOWS + 1), -_WINDOW):
        if np.ptp(np.concatenate([sample.window(position, _WINDOW) for sample in chosen])):
            name = f"bits {position} to {position + _WINDOW - 1} of {words}"
            found.append(LowBits(name, top, select, _window_label(position), atoms, "{:04b}".format))
    return found


def _picked(column: int) -> Callable[[Representation], Representation]:
    return lambda batch: batch.coordinate(column)


def low_bits(samples: Sequence[Representation]) -> list[LowBits]:
    """List what can be read off the low bits of outputs like these.

    Parameters
    ----------
    samples
        Training outputs on the two inputs, shape (b, k) each.

    Returns
    -------
    list of LowBits
        Empty where no output has a set bit among the low ones: outputs on a grid that is not much finer than the
        noise show nothing but their coarse value.
    """
    columns = samples[0].values.shape[1]
    shown = np.unique(np.linspace(0, columns - 1, min(columns, _COORDINATES)).astype(int))
    found = [
        feature
        for column in shown
        for feature in _of_coordinate(
            "the output" if columns == 1 else f"coordinate {column}", _picked(int(column)), samples
        )
    ]
    if columns > 1:
        found += _of_coordinate("the coordinate with the finest bit", Representation.least_divisible, samples)
    return found
