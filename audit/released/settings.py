"""Public parameters at which every mechanism is audited, and adversarial pairs of data sets at them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import evolve, frozen

from dpmatrix.auditing import NeighbouringPair, neighbouring_pairs
from dpmatrix.privacy.adjacency import Adjacency

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE


@frozen
class Setting:
    """What is public: epsilon, delta where the mechanism has one, relation, norm bound, d, and n where it is public."""

    epsilon: Fraction
    delta: Fraction
    adjacency: Adjacency
    norm_bound: Fraction
    dimension: int
    records: int

    def __str__(self) -> str:
        return (
            f"epsilon = {self.epsilon}, {self.adjacency.value}, norm bound {self.norm_bound}, d = {self.dimension}, "
            f"n = {self.records}"
        )

    @property
    def factor(self) -> float:
        """Scale of data sets of the unit ball: the norm bound, a power of two so that nothing is rounded."""
        return float(self.norm_bound)

    def empty(self, rows: int | None = None) -> np.ndarray:
        """Return zero records."""
        return np.zeros((self.records if rows is None else rows, self.dimension))


def settings(adjacency: Adjacency) -> tuple[Setting, ...]:
    """List the settings for one relation: four epsilons, deltas and norm bounds, d = 1, 2, 3, 5 and n = 1, 2, 3, 9."""
    return (
        Setting(Fraction(1), Fraction(1, 10**6), adjacency, Fraction(1), 2, 2),
        Setting(Fraction(1, 4), Fraction(1, 10**3), adjacency, Fraction(4), 3, 1),
        Setting(Fraction(3), Fraction(1, 10), adjacency, Fraction(1, 2), 1, 3),
        Setting(Fraction(8), Fraction(1, 10**9), adjacency, Fraction(64), 5, 9),
    )


def pairs_at(setting: Setting) -> tuple[NeighbouringPair, ...]:
    """Return adversarial pairs in the unit ball; where records are removed, so are their rows, down to none."""
    pairs = neighbouring_pairs(setting.dimension, setting.records, setting.adjacency, delete_rows=True)
    if setting.adjacency is ADDED and setting.records > 1:
        pairs += pairs_at(evolve(setting, records=1))
    return pairs


@frozen
class LongPair:
    """A pair as `NeighbouringPair`, in which a record may be longer than the bound."""

    name: str
    adjacency: Adjacency
    data: np.ndarray
    neighbour: np.ndarray


def beyond(pair: NeighbouringPair) -> list[LongPair]:
    """Return pairs that differ in the same record, by a third longer than before or by nearly as much as floats go.

    Where a record is replaced one of the two is longer, or both are.
    """
    sides = pair.data, pair.neighbour
    rows = min(map(len, sides))
    differs = np.flatnonzero((sides[0][:rows] != sides[1][:rows]).any(axis=1))
    place = int(differs[0]) if len(differs) else rows
    found = []
    for factor in (4 / 3, 2.0**900):
        for chosen in ((0,), (1,), (0, 1)):
            longer = [side.copy() for side in sides]
            for which in chosen:
                longer[which][place : place + 1] *= factor
            found.append(LongPair(f"{pair.name}, longer by {factor:.3g} in {chosen}", pair.adjacency, *longer))
    return found


def changes(setting: Setting) -> list[np.ndarray]:
    """Return the changes of X'X that the pairs make at the norm bound, shape (d, d)."""
    return [
        (pair.data.T @ pair.data - pair.neighbour.T @ pair.neighbour) * setting.factor**2 for pair in pairs_at(setting)
    ]


def largest_l1(setting: Setting) -> float:
    """Return the largest l1 norm of the upper triangle of a change, met by the pairs."""
    upper = np.triu_indices(setting.dimension)
    return max(float(np.abs(change[upper]).sum()) for change in changes(setting))


def largest_l2(setting: Setting) -> float:
    """Return the largest Frobenius norm of a change, met by the pairs."""
    return max(float(np.linalg.norm(change)) for change in changes(setting))


def largest_nuclear(setting: Setting) -> float:
    """Return the largest nuclear norm of a change, met by the pairs."""
    return max(float(np.abs(np.linalg.eigvalsh(change)).sum()) for change in changes(setting))


def largest_part(setting: Setting) -> float:
    """Return the largest trace of the part of either sign of a change, met by the pairs."""
    spectra = [np.linalg.eigvalsh(change) for change in changes(setting)]
    return max(float(np.abs(values[values * sign > 0]).sum()) for values in spectra for sign in (1, -1))


def largest_spread(setting: Setting) -> float:
    """Return the largest range of v'(change)v over unit vectors v, met by the pairs."""
    spectra = [np.linalg.eigvalsh(change) for change in changes(setting)]
    return max(float(values[-1] - values[0]) for values in spectra)
