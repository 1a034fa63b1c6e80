"""Tables 1 and 2 of `near-optimal`: the data sets, and classification in a private subspace."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from itertools import product
from math import sqrt
from time import perf_counter

import numpy as np
import numpy.typing as npt

from dpmatrix.errors import MissingExtraError
from dpmatrix.exact import fraction
from dpmatrix.experiments.gibbs import FloatArray
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import DELTA, EPSILON, Cell, Effort, Reproduction, Tell
from dpmatrix.experiments.spectra import Spectrum
from dpmatrix.experiments.subspaces import mod_sulq, ppca_by_chain, random_subspace, top_subspace
from dpmatrix.experiments.uci import Experiment
from dpmatrix.experiments.utility_figures import ALGORITHMS, LEAST
from dpmatrix.spec.near_optimal.data_sets import PRINTED_ROWS

PRINTED_TABLE_1 = {
    row.name: (row.instances, row.dimensions, row.rank, float(fraction(row.captured)), float(fraction(row.ratio)))
    for row in PRINTED_ROWS
}
"""Instances, dimensions, k, q_F(V_k) and q_F(V_k) / ||A||_F, as printed."""


def data_table(spectra: Sequence[Spectrum]) -> Reproduction:
    """Reproduce Table 1, with both norms that the last column may mean."""
    rows: list[tuple[Cell, ...]] = []
    for spectrum in spectra:
        captured, values = sum(spectrum.eigenvalues[: spectrum.rank]), spectrum.eigenvalues
        by_trace, by_norm = captured / sum(values), captured / sqrt(sum(value * value for value in values))
        sizes = (spectrum.records, spectrum.dimension, spectrum.rank)
        rows.append((spectrum.name, *sizes, captured, by_trace, by_norm, *PRINTED_TABLE_1[spectrum.name]))
    columns = ("data set", "n", "d", "k", "q_F", "q_F / tr A", "q_F / ||A||_F")
    printed = ("printed n", "printed d", "printed k", "printed q_F", "printed q_F / ||A||_F")
    notes = (
        "features scaled to largest absolute value 1, then records by one factor; no centring",
        *(f"{spectrum.name}: {spectrum.difference}" for spectrum in spectra if spectrum.difference),
    )
    return Reproduction("near-optimal.table-1", columns + printed, tuple(rows), notes)


def expected_seconds(experiments: Sequence[Experiment], effort: Effort, guarantees: int = 1) -> float:
    """Time the projection onto one random subspace and its classifier for each data set, and multiply."""
    total, machines = 0.0, linear_machines()
    for experiment in experiments:
        size = experiment.records.shape[1]
        generator = np.random.default_rng(0)
        order = generator.permutation(experiment.records.shape[0])
        moment = np.diag(np.linspace(1, 0, size)) / size
        begin = perf_counter()
        accuracy(machines, experiment, random_subspace(size, experiment.rank, generator), order[: len(order) // 2])
        middle = perf_counter()
        ppca_by_chain(moment, len(order), experiment.rank, EPSILON, 3, generator)
        step = (perf_counter() - middle) / 3
        each = len(ALGORITHMS) * (middle - begin) + step * effort.burn_in
        total += each * effort.permutations * effort.projections * guarantees
    return total


def linear_machines() -> object:
    """Return the module of linear classifiers.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    """
    try:
        return import_module("sklearn.svm")
    except ImportError as error:
        raise MissingExtraError("scikit-learn", "audit") from error


def classification_table(
    experiments: Sequence[Experiment],
    effort: Effort,
    partial: Partial,
    tell: Tell,
    guarantees: Sequence[tuple[float, float]] = ((EPSILON, DELTA),),
) -> Reproduction:
    """Reproduce Table 2: accuracy of a linear SVM after projection, in per cent, at each epsilon and delta.

    Half of the records give the subspace; of the others, a tenth trains the classifier and the rest tests it.

    Raises
    ------
    MissingExtraError
        If scikit-learn is not installed.
    """
    machines = linear_machines()
    rows: list[tuple[Cell, ...]] = []
    total, done = len(experiments) * len(guarantees) * effort.permutations, 0
    tell(0, total)
    for (place, experiment), (turn, guarantee) in product(enumerate(experiments), enumerate(guarantees)):
        found: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
        for number in range(effort.permutations):
            key = f"{experiment.name}-{number}-{guarantee[0]}-{guarantee[1]}"
            before = partial.found(key)
            generator = np.random.default_rng([partial.seed, place, number, *([turn] if turn else [])])
            accuracies = _permuted(machines, experiment, effort, generator, guarantee) if before is None else before
            partial.keep(key, accuracies)
            for name, values in accuracies.items():
                found[name] += values
            done += 1
            tell(done, total)
        rows += [
            (experiment.name, name, float(np.mean(values)), float(np.std(values)), len(values), *guarantee)
            for name, values in found.items()
        ]
        labels = labels_of(experiment)
        majority = 100 * max(float(labels.mean()), 1 - float(labels.mean()))
        rows.append((experiment.name, "the larger class always", majority, 0.0, 1, *guarantee))
    listed = "; ".join(f"epsilon = {epsilon:g}, delta = {delta:g}" for epsilon, delta in guarantees)
    notes = (
        f"{listed}; the document says neither, nor the SVM's parameters (here C = 1)",
        f"PPCA: {effort.burn_in} steps of a chain of rotations from a uniform start",
        LEAST,
        *effort.less("permutations", "projections"),
        "the features of localization contain the activity that is classified: without it d cannot be the printed 44",
        *(f"{experiment.name}: {experiment.difference}" for experiment in experiments if experiment.difference),
    )
    columns = ("data set", "algorithm", "mean accuracy", "deviation", "rounds", "epsilon", "delta")
    return Reproduction("near-optimal.table-2", columns, tuple(rows), notes)


def _permuted(
    machines: object,
    experiment: Experiment,
    effort: Effort,
    generator: np.random.Generator,
    guarantee: tuple[float, float],
) -> dict[str, list[float]]:
    """Measure every algorithm on one division of the records."""
    held, rest = np.split(generator.permutation(experiment.records.shape[0]), [experiment.records.shape[0] // 2])
    moment = experiment.second_moment(held)
    found: dict[str, list[float]] = {name: [] for name in ALGORITHMS}
    for _ in range(effort.projections):
        for name in ALGORITHMS:
            subspace = drawn_subspace(name, moment, len(held), experiment.rank, effort, generator, guarantee)
            found[name].append(100 * accuracy(machines, experiment, subspace, rest))
    return found


def labels_of(experiment: Experiment) -> npt.NDArray[np.bool_]:
    """Return the classes of the records, shape (n,).

    Raises
    ------
    ValueError
        If there are none.
    """
    if experiment.labels is None:
        raise ValueError(f"{experiment.name} has no classes")
    return experiment.labels


def drawn_subspace(
    name: str,
    moment: FloatArray,
    records: int,
    rank: int,
    effort: Effort,
    generator: np.random.Generator,
    guarantee: tuple[float, float] = (EPSILON, DELTA),
) -> FloatArray:
    """Draw a subspace by one of `ALGORITHMS`, at epsilon and delta; shape (d, k). NEVER private."""
    epsilon, delta = guarantee
    if name == "PCA":
        return top_subspace(moment, rank)
    if name == "PPCA":
        return ppca_by_chain(moment, records, rank, epsilon, effort.burn_in, generator)
    if name.startswith("MOD-SULQ"):
        return mod_sulq(moment, records, rank, epsilon, delta, generator, least=name != "MOD-SULQ")
    return random_subspace(len(moment), rank, generator)


def accuracy(machines: object, experiment: Experiment, subspace: FloatArray, rows: npt.NDArray[np.intp]) -> float:
    """Train on the projections of the first tenth of the rows, and return the share of right answers on the others."""
    labels = labels_of(experiment)[rows]
    projected = experiment.records[rows] @ subspace
    cut = len(rows) // 10
    machine = machines.LinearSVC(dual=False)  # type: ignore[attr-defined] # a module that is imported late
    machine.fit(projected[:cut], labels[:cut])
    return float(np.mean(machine.predict(projected[cut:]) == labels[cut:]))
