"""Scores that count: log-likelihood ratios of entries, of patterns of repeated values, and numbers within a pattern.

Outputs that are partly discrete (answers, bits, "nothing") tell two data sets apart by which values occur together. An
entry's *atoms* are the values that it takes again and again; the *pattern* of an output says for every entry which atom
it is, or that it is none. Counts of training outputs give three kinds of numbers:

- the sum over the entries of the log-likelihood ratio of each, by its atom or by the bin that it lies in;
- the log-likelihood ratio of the whole pattern;
- for each of the patterns that distinguish most, an entry that is no atom, or its negative; minus infinity for outputs
  with another pattern.

Each ratio is moved towards zero by the uncertainty of its counts, so that rare patterns are not overrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.search.family import FeatureFamily

_MOST_ENTRIES = 64
_MOST_ATOMS = 32
_LEAST_SHARE = 1 / 200
_BINS = 16
_MOST_PATTERNS = 4096
_TELLING_PATTERNS = 6
_ENTRIES_WITHIN = 4
_SCORE_STEPS = 2.0**6
_ENTRY_DEVIATIONS, _PATTERN_DEVIATIONS = 1.0, 2.0
_HASH = np.uint64(0x9E3779B97F4A7C15)
NO_ATOM = 0
_OF_ENTRIES, _OF_PATTERNS = 0, 1

Codes = NDArray[np.int64]


@frozen(eq=False)
class CountedScore:
    """What was counted; plain numbers, so that it travels.

    Attributes
    ----------
    symmetric
        Whether only the upper triangle of the outputs, which are symmetric matrices, is read.
    atoms
        For every entry its repeated values, in growing order.
    edges
        For every entry where the bins of its other values end.
    entry_ratios
        For every entry the log-likelihood ratios of its atoms, then those of its bins.
    pattern_ratios
        Log-likelihood ratios by pattern.
    within
        Patterns and entries to look at within them.
    """

    symmetric: bool
    atoms: tuple[tuple[float, ...], ...]
    edges: tuple[tuple[float, ...], ...]
    entry_ratios: tuple[tuple[float, ...], ...]
    pattern_ratios: tuple[tuple[int, float], ...]
    within: tuple[tuple[int, int], ...]

    def names(self) -> tuple[str, ...]:
        """Say what the numbers are."""
        return (
            "the log-likelihood ratio learned by counting entries",
            "the log-likelihood ratio learned by counting patterns",
            *(
                f"{sign}entry {entry} within pattern {number}, learned by counting patterns"
                for number, (_, entry) in enumerate(self.within)
                for sign in ("", "minus ")
            ),
        )

    def family(self) -> FeatureFamily:
        """Return the scores as features, greater where the data are the likelier."""

        def compute_rows(batch: FloatArray, rows: Sequence[int]) -> FloatArray:
            entries = entries_of(batch, symmetric=self.symmetric)
            codes = codes_of(entries, self.atoms)
            patterns = patterns_of(codes) if any(row != _OF_ENTRIES for row in rows) else None
            return np.stack([self._row(row, entries, codes, patterns) for row in rows])

        everything = range(len(self.names()))
        return FeatureFamily(self.names(), lambda batch: compute_rows(batch, everything), compute_rows)

    def _row(self, row: int, entries: FloatArray, codes: Codes, patterns: Codes | None) -> FloatArray:
        """Return one number, in the order of the names."""
        if patterns is None:
            return self._of_entries(entries, codes)
        if row in (_OF_ENTRIES, _OF_PATTERNS):
            return self._of_entries(entries, codes) if row == _OF_ENTRIES else self._of_patterns(patterns)
        number, is_negative = divmod(row - _OF_PATTERNS - 1, 2)
        pattern, entry = self.within[number]
        values = -entries[:, entry] if is_negative else entries[:, entry]
        return np.where(patterns == pattern, values, -np.inf)

    def _of_entries(self, entries: FloatArray, codes: Codes) -> FloatArray:
        total = np.zeros(len(entries))
        for place, ratios in enumerate(self.entry_ratios):
            total += np.array(ratios)[bins_of(entries[:, place], codes[:, place], self.atoms[place], self.edges[place])]
        return np.asarray(np.rint(total * _SCORE_STEPS) / _SCORE_STEPS)

    def _of_patterns(self, patterns: Codes) -> FloatArray:
        if not self.pattern_ratios:
            return np.zeros(len(patterns))
        known, ratios = (np.array(part) for part in zip(*self.pattern_ratios, strict=True))
        place = np.minimum(np.searchsorted(known, patterns), len(known) - 1)
        return np.where(known[place] == patterns, ratios[place], 0.0)

    def to_json(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "method": "counting",
            "symmetric": self.symmetric,
            "atoms": [list(part) for part in self.atoms],
            "edges": [list(part) for part in self.edges],
            "entry_ratios": [list(part) for part in self.entry_ratios],
            "pattern_ratios": [list(part) for part in self.pattern_ratios],
            "within": [list(part) for part in self.within],
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> CountedScore:
        """Read what `to_json` returned."""
        atoms, edges, ratios = (tuple(map(tuple, record[name])) for name in ("atoms", "edges", "entry_ratios"))
        patterns = tuple((int(pattern), float(ratio)) for pattern, ratio in record["pattern_ratios"])
        within = tuple((int(pattern), int(entry)) for pattern, entry in record["within"])
        return cls(record["symmetric"], atoms, edges, ratios, patterns, within)


def entries_of(batch: FloatArray, *, symmetric: bool) -> FloatArray:
    """Return the first entries of outputs, shape (b, k)."""
    if symmetric:
        rows, columns = np.triu_indices(batch.shape[1])
        return np.asarray(batch[:, rows[:_MOST_ENTRIES], columns[:_MOST_ENTRIES]])
    return batch.reshape(len(batch), -1)[:, :_MOST_ENTRIES]


def codes_of(entries: FloatArray, atoms: tuple[tuple[float, ...], ...]) -> Codes:
    """Tell for every entry which atom it is, counted from one; zero for none."""
    codes = np.zeros(entries.shape, dtype=np.int64)
    for place, values in enumerate(atoms):
        if values:
            known = np.array(values)
            nearest = np.minimum(np.searchsorted(known, entries[:, place]), len(known) - 1)
            codes[:, place] = np.where(known[nearest] == entries[:, place], nearest + 1, NO_ATOM)
    return codes


def patterns_of(codes: Codes) -> Codes:
    """Hash the codes of every output to one integer; a collision makes a poor feature and no wrong verdict."""
    with np.errstate(over="ignore"):
        weights = np.cumprod(np.full(codes.shape[1], _HASH, dtype=np.uint64))
        return np.asarray((codes.astype(np.uint64) @ weights).view(np.int64))


def bins_of(values: FloatArray, codes: Codes, atoms: tuple[float, ...], edges: tuple[float, ...]) -> Codes:
    """Return, for the values of one entry, the number of the atom, or of the bin after all atoms."""
    bins = np.searchsorted(np.array(edges), values, side="right") + len(atoms)
    return np.where(codes == NO_ATOM, bins, codes - 1)


def cautious_ratio(hits: FloatArray, other_hits: FloatArray, deviations: float) -> FloatArray:
    """Return log-likelihood ratios of equally many outputs, moved towards zero by so many standard deviations."""
    first, second = hits + 0.5, other_hits + 0.5
    ratio = np.log(first / second)
    slack = deviations * np.sqrt(1.0 / first + 1.0 / second)
    return np.asarray(np.sign(ratio) * np.maximum(np.abs(ratio) - slack, 0.0))


def _atoms(values: FloatArray) -> tuple[float, ...]:
    distinct, frequencies = np.unique(values, return_counts=True)
    repeated = distinct[frequencies >= max(2.0, _LEAST_SHARE * len(values))]
    return tuple(float(value) for value in repeated) if len(repeated) <= _MOST_ATOMS else ()


def has_atoms(batch: FloatArray, other_batch: FloatArray) -> bool:
    """Tell whether an entry of the outputs takes some value again and again."""
    both = np.concatenate([batch, other_batch])
    columns = entries_of(both, symmetric=False).T
    return any(_atoms(column[np.isfinite(column)]) for column in columns)


def _edges(values: FloatArray) -> tuple[float, ...]:
    if len(values) < 2 * _BINS:
        return ()
    return tuple(float(edge) for edge in np.unique(np.quantile(values, np.arange(1, _BINS) / _BINS)))


def count_scores(batch: FloatArray, other_batch: FloatArray) -> CountedScore:
    """Count training outputs on the data and on the neighbour.

    Parameters
    ----------
    batch, other_batch
        Outputs, equally many.
    """
    both = np.concatenate([batch, other_batch])
    both = np.where(np.isfinite(both), both, 0.0)
    symmetric = both.ndim == 3 and bool(np.array_equal(both, np.swapaxes(both, 1, 2)))
    entries = entries_of(both, symmetric=symmetric)
    atoms = tuple(_atoms(column) for column in entries.T)
    codes = codes_of(entries, atoms)
    size, edges, entry_ratios = len(batch), [], []
    for place in range(entries.shape[1]):
        column, marks = entries[:, place], codes[:, place]
        edges.append(_edges(column[marks == NO_ATOM]))
        bins = bins_of(column, marks, atoms[place], edges[-1])
        number = len(atoms[place]) + len(edges[-1]) + 1
        counts = [np.bincount(part, minlength=number).astype(float) for part in (bins[:size], bins[size:])]
        entry_ratios.append(tuple(map(float, cautious_ratio(counts[0], counts[1], _ENTRY_DEVIATIONS))))
    patterns = patterns_of(codes)
    table, telling = _table(patterns, size)
    return CountedScore(
        symmetric, atoms, tuple(edges), tuple(entry_ratios), table, _within(telling, patterns, codes, atoms)
    )


def _table(patterns: Codes, size: int) -> tuple[tuple[tuple[int, float], ...], list[int]]:
    """Return the ratios of the frequent patterns, in growing order, and the most telling of them."""
    known, place = np.unique(patterns, return_inverse=True)
    counts = [np.bincount(part, minlength=len(known)).astype(float) for part in (place[:size], place[size:])]
    frequent = np.sort(np.argsort(-(counts[0] + counts[1]), kind="stable")[:_MOST_PATTERNS])
    ratios = cautious_ratio(counts[0][frequent], counts[1][frequent], _PATTERN_DEVIATIONS)
    found = [(int(pattern), float(ratio)) for pattern, ratio in zip(known[frequent], ratios, strict=True)]
    most = np.argsort(-np.abs(ratios), kind="stable")
    return tuple(found), [found[index][0] for index in most]


def _within(
    telling: list[int], patterns: Codes, codes: Codes, atoms: tuple[tuple[float, ...], ...]
) -> tuple[tuple[int, int], ...]:
    """List entries to look at within the most telling patterns that fix some entries and leave others free."""
    if not any(atoms):
        return ()
    found: list[tuple[int, int]] = []
    taken = 0
    for pattern in telling:
        free = np.flatnonzero(codes[int(np.argmax(patterns == pattern))] == NO_ATOM)
        if 0 < free.size < codes.shape[1]:
            found.extend((pattern, int(entry)) for entry in free[:_ENTRIES_WITHIN])
            taken += 1
        if taken == _TELLING_PATTERNS:
            break
    return tuple(found)
