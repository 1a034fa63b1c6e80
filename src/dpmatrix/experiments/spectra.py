"""Eigenvalues of the second moments of the data sets, recorded from the raw files, which may be missing.

`measured` computes them again; where the files are at hand a test compares. What depends on a data set through its
spectrum alone (the columns of Table 1, the law of PPCA's utility) can be judged from the record.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

import numpy as np
from attrs import frozen

from dpmatrix.experiments.uci import Experiment

RECORD = "spectra.json"


@frozen
class Spectrum:
    """What is known of the second moment of a data set.

    Attributes
    ----------
    name
        The document's name.
    records, rank
        Number n of records, and the document's k, or d - 1 if that is less.
    eigenvalues
        All d eigenvalues, the largest first; floats, negative ones of rounding taken for 0.
    difference
        What is not as in the document.
    """

    name: str
    records: int
    rank: int
    eigenvalues: tuple[float, ...]
    difference: str

    @property
    def dimension(self) -> int:
        """Number d of features."""
        return len(self.eigenvalues)


def measured(experiment: Experiment) -> Spectrum:
    """Compute the spectrum of a data set."""
    values = np.maximum(np.linalg.eigvalsh(experiment.second_moment())[::-1], 0.0)
    rounded = tuple(float(f"{value:.12g}") for value in values)
    return Spectrum(experiment.name, experiment.records.shape[0], experiment.rank, rounded, experiment.difference)


@cache
def recorded_spectra() -> dict[str, Spectrum]:
    """Read the record, by name."""
    record = json.loads((files("dpmatrix.experiments") / RECORD).read_text(encoding="utf-8"))
    return {
        entry["name"]: Spectrum(
            entry["name"], entry["records"], entry["rank"], tuple(entry["eigenvalues"]), entry["difference"]
        )
        for entry in record
    }
