"""What a reproduced table or figure consists of, and how large a reproduction is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from attrs import field, frozen

Cell: TypeAlias = str | int | float | None
Tell: TypeAlias = Callable[[int, int], None]
"""Told how much is done, of how much."""


@frozen
class Series:
    """A line of a panel, with a standard deviation at every place where there is one."""

    panel: str
    label: str
    places: Sequence[float]
    values: Sequence[float]
    deviations: Sequence[float] = ()


@frozen
class Reproduction:
    """A table, and the lines of a figure.

    Attributes
    ----------
    target
        The claim whose table or figure this is.
    columns, rows
        The numbers.
    notes
        What was chosen where the document is silent, and what could not be had.
    series
        Lines; empty for a table.
    across, along
        What the axes show.
    logarithmic
        Whether the horizontal axis is logarithmic.
    """

    target: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    series: tuple[Series, ...] = ()
    across: str = ""
    along: str = ""
    logarithmic: bool = False

    def to_json(self, seed: int | None) -> dict[str, Any]:
        """Return what JSON can hold, and that nothing of it is private."""
        return {
            "target": self.target,
            "private": False,
            "why_not_private": "drawn in floating point, from a chain of unknown convergence or from a seed",
            "seed": seed,
            "notes": list(self.notes),
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }


@frozen
class Effort:
    """How much is repeated; the defaults are the document's numbers.

    Attributes
    ----------
    steps, traces
        Of the Gibbs sampler in Figure 2.
    subsets, chains, draws
        Subsets of each size, restarts of PPCA, and draws of MOD-SULQ and of random projections in Figures 3 and 4.
    samples
        Draws of each algorithm at each epsilon in Figure 5.
    permutations, projections
        Of Table 2.
    burn_in
        Steps of a chain before its state is used; the document has 20,000 of another chain.
    """

    steps: int = 40_000
    traces: int = 5
    subsets: int = 5
    chains: int = 10
    draws: int = 100
    samples: int = 100
    permutations: int = 5
    projections: int = 5
    burn_in: int = 60
    sizes: tuple[float, ...] = field(default=(0.05, 0.1, 0.2, 0.4, 0.7, 1.0))


QUICK = Effort(
    steps=300,
    traces=2,
    subsets=1,
    chains=2,
    draws=5,
    samples=10,
    permutations=1,
    projections=1,
    burn_in=30,
    sizes=(0.1, 1.0),
)
"""A small one, to see that everything runs."""
EPSILON, DELTA = 0.1, 0.01
"""Of section 6.3."""
