"""Runs on the real data sets, recorded as the raw files may be missing: classification, and PCA of subsets.

`classified` and `of_subsets` compute them again; where the files are at hand a test compares. The seeds are fixed, so
that a run gives the recorded numbers up to the rounding of another machine.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from dpmatrix.experiments.near_optimal_tables import accuracy, drawn_subspace, labels_of, linear_machines
from dpmatrix.experiments.records import INSURANCE_FILES, untouched
from dpmatrix.experiments.reproduction import Effort
from dpmatrix.experiments.subspaces import energy, top_subspace
from dpmatrix.experiments.uci import EXPERIMENTS, Experiment, labelled_census

RECORD = "classified.json"
_TRAINING = "ticdata2000.txt.gz"
TARGETS = {_TRAINING: INSURANCE_FILES[_TRAINING], "tictgts2000.txt.gz": "25befb93"}
"""The training part of the insurance data, whose last column is the class, and the classes of the other part."""

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Of the records, in a subset."""


@frozen
class Rounds:
    """One algorithm on one data set.

    Attributes
    ----------
    data_set, algorithm
        The document's names.
    accuracies
        Share of right answers of a linear SVM after the projection, one for each round.
    majority
        Share of the larger class among the records that are asked about, one for each round.
    kept
        q_F of the subspace over that of the best one, on all records, one for each round.
    """

    data_set: str
    algorithm: str
    accuracies: tuple[float, ...]
    majority: tuple[float, ...]
    kept: tuple[float, ...]


@frozen
class Subsets:
    """PCA of random subsets of one size.

    Attributes
    ----------
    data_set
        The document's name.
    share
        Size of a subset over the number of records.
    kept
        q_F of its PCA over that of the best subspace, on all records, one for each subset.
    """

    data_set: str
    share: float
    kept: tuple[float, ...]


def labelled(name: str, directory: Path) -> Experiment:
    """Load a data set with a class for each record; the document does not say which classes census and insurance have.

    Of census the class is an income above 50,000, of insurance the caravan policy, as their donors have it.

    Raises
    ------
    InvalidParameterError
        If a file is missing or altered.
    """
    if name == "census":
        return labelled_census(directory)
    experiment = EXPERIMENTS[name](directory)
    return evolve(experiment, labels=_caravan(directory)) if name == "insurance" else experiment


def _caravan(directory: Path) -> npt.NDArray[np.bool_]:
    lines: list[str] = []
    for name, digits in TARGETS.items():
        lines += gzip.decompress(untouched(directory, name, digits)).decode("ascii").splitlines()
    return np.array([int(line.split()[-1]) == 1 for line in lines])


def classified(experiment: Experiment, names: Sequence[str], effort: Effort) -> list[Rounds]:
    """Classify after each algorithm, as section 6.4 does: half of the records give the subspace.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    """
    machines, whole, size = linear_machines(), experiment.second_moment(), experiment.records.shape[0]
    best = energy(top_subspace(whole, experiment.rank), whole)
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    for number in range(effort.permutations):
        generator = np.random.default_rng([11, number])
        held, rest = np.split(generator.permutation(size), [size // 2])
        moment, asked = experiment.second_moment(held), labels_of(experiment)[rest[len(rest) // 10 :]]
        majority = max(float(asked.mean()), 1 - float(asked.mean()))
        for name in names:
            for _ in range(1 if name == "PCA" else effort.projections):
                subspace = drawn_subspace(name, moment, len(held), experiment.rank, effort, generator)
                right = accuracy(machines, experiment, subspace, rest)
                found[name].append((right, majority, energy(subspace, whole) / best))
    return [
        Rounds(experiment.name, name, *(tuple(round(one, 6) for one in column) for column in zip(*rows, strict=True)))
        for name, rows in found.items()
    ]


def of_subsets(experiment: Experiment, shares: Sequence[float] = SHARES, subsets: int = 5) -> list[Subsets]:
    """Measure PCA of random subsets of the records on all of them."""
    whole, size = experiment.second_moment(), experiment.records.shape[0]
    best, found = energy(top_subspace(whole, experiment.rank), whole), []
    for share in shares:
        count, kept = round(share * size), []
        for number in range(subsets):
            chosen = np.sort(np.random.default_rng([12, count, number]).choice(size, count, replace=False))
            subspace = top_subspace(experiment.second_moment(chosen), experiment.rank)
            kept.append(round(energy(subspace, whole) / best, 6))
        found.append(Subsets(experiment.name, share, tuple(kept)))
    return found


@cache
def recorded() -> tuple[tuple[Rounds, ...], tuple[Subsets, ...]]:
    """Read the record."""
    record = json.loads((files("dpmatrix.experiments") / RECORD).read_text(encoding="utf-8"))
    rounds = [
        Rounds(row["data_set"], row["algorithm"], *(tuple(row[key]) for key in ("accuracies", "majority", "kept")))
        for row in record["rounds"]
    ]
    subsets = [Subsets(row["data_set"], row["share"], tuple(row["kept"])) for row in record["subsets"]]
    return tuple(rounds), tuple(subsets)
