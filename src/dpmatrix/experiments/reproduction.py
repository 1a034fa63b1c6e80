"""What a reproduced table or figure consists of, and how large a reproduction is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from platform import python_version
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from attrs import field, frozen

from dpmatrix.experiments.parameters import Parameters

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


@frozen(eq=False)
class Picture:
    """A grey picture of a figure: its title, and levels from 0 to 255, shape (rows, columns)."""

    title: str
    levels: npt.NDArray[np.float64] = field(repr=False)


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
    pictures
        Shown beside the lines.
    parameters
        What the numbers were computed for, where the target takes parameters.
    """

    target: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...]
    series: tuple[Series, ...] = ()
    across: str = ""
    along: str = ""
    logarithmic: bool = False
    pictures: tuple[Picture, ...] = ()
    parameters: Parameters | None = None

    @property
    def own(self) -> str:
        """What a reader has to know of the parameters; empty where they are the usual ones."""
        return "" if self.parameters is None else self.parameters.note

    def to_json(self, seed: int) -> dict[str, Any]:
        """Return what JSON can hold, and that nothing of it is private."""
        return {
            "target": self.target,
            "private": False,
            "why_not_private": "drawn in floating point, from a chain of unknown convergence or from a seed",
            "seed": seed,
            "versions": versions(),
            **({} if self.parameters is None else self.parameters.to_json()),
            "notes": list(self.notes),
            "rows": [dict(zip(self.columns, row, strict=True)) for row in self.rows],
        }


def versions() -> dict[str, str]:
    """Return the versions on which the numbers depend."""
    return {"python": python_version(), **{name: version(name) for name in ("dpmatrix", "numpy", "scipy")}}


@frozen
class Effort:
    """How much is repeated; the defaults are the document's numbers where it gives any.

    Attributes
    ----------
    spikes, dimensions
        Draws of the noise for each measured correlation in Figure 1, and its panels.
    streams
        Runs of each policy of `analyze-gauss.regret-online`.
    steps, traces
        Of the Gibbs sampler in Figure 2.
    subsets, chains, draws
        Subsets of each size, restarts of PPCA, and draws of MOD-SULQ and of random projections in Figures 3 and 4.
    samples
        Draws of each algorithm at each epsilon in Figure 5, and in the curves of `compression.theorem-5-1`.
    permutations, projections
        Of Table 2.
    burn_in
        Steps of a chain before its state is used; the document has 20,000 of another chain.
    """

    spikes: int = 20
    streams: int = 20
    dimensions: tuple[int, ...] = (50, 200, 500, 1000)
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

    def less(self, *names: str) -> tuple[str, ...]:
        """Say of which of these there are fewer than in the document."""
        full = Effort()
        pairs = [(name, getattr(self, name), getattr(full, name)) for name in names]
        fewer = [f"{mine} of {theirs} {name.replace('_', ' ')}" for name, mine, theirs in pairs if mine != theirs]
        return (f"less than the document: {', '.join(fewer)}",) if fewer else ()


USUAL = Effort(spikes=5, steps=2000, traces=3, subsets=3, chains=4, draws=30, permutations=2, projections=2)
"""What fits into ten minutes on two cores."""
QUICK = Effort(
    spikes=2,
    streams=2,
    dimensions=(10, 50),
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
