"""What can be reproduced, and which parameters each target takes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TypeAlias

from attrs import evolve, frozen

from dpmatrix.experiments import (
    approximate_noise,
    compression_utility,
    near_optimal_tables,
    privacy_figure,
    pure_noise,
    regret_curves,
    slides_image,
    sulq_figure,
    trace_figure,
    utility_figures,
    window_noise,
)
from dpmatrix.experiments.parameters import Parameter, Parameters, columns, deltas, epsilons, records
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import DELTA, EPSILON, Effort, Reproduction, Tell
from dpmatrix.experiments.sliding_window_tables import COMPONENTS, RESULTS, component_reproduction, result_reproduction
from dpmatrix.experiments.spectra import recorded_spectra
from dpmatrix.experiments.uci import EXPERIMENTS, Experiment, data_directory
from dpmatrix.spec.sliding_window.component_table import ComponentSetting
from dpmatrix.spec.sliding_window.table_entries import TableSetting

DOCUMENT = "near-optimal"
Say: TypeAlias = Callable[[str], None]


def _silent(_said: str) -> None:
    """Say nothing."""


@frozen
class Run:
    """What a target is given.

    Attributes
    ----------
    effort, partial, workers, tell
        How often it repeats, what is kept of an interrupted run, processes at a time, and who is told of progress.
    parameters
        What the reader chose.
    data
        The directory with the raw files; None where none is named.
    say
        Told of what takes long.
    announce
        Told the expected seconds and the number of processes.
    """

    effort: Effort
    partial: Partial
    workers: int
    tell: Tell
    parameters: Parameters
    data: Path | None = None
    say: Say = _silent
    announce: Callable[[float, int], None] = lambda _seconds, _workers: None

    def load(self, *names: str) -> list[Experiment]:
        """Load data sets; says what it reads, since the largest takes half a minute."""
        if self.parameters.data is not None:
            return [self.parameters.data.experiment]
        directory = data_directory(self.data)
        found = []
        for name in names:
            self.say(f"reading {name} ...")
            found.append(EXPERIMENTS[name](directory))
        return found


def _bounds(run: Run) -> Reproduction:
    asked, effort = run.parameters, run.effort
    grid = sulq_figure.Grid(asked.integers("n"), asked.integers("d"), asked.values("epsilons"), asked.values("deltas"))
    run.announce(sulq_figure.expected_seconds(effort, run.workers, grid), run.workers)
    return sulq_figure.bound_figure(effort, run.partial, run.workers, run.tell, grid)


def _traces(run: Run) -> Reproduction:
    spectra = [recorded_spectra()[name] for name in ("kddcup", "insurance")]
    run.announce(trace_figure.expected_seconds(spectra, run.effort, run.workers), run.workers)
    return trace_figure.trace_figure(spectra, run.effort, run.partial, run.workers, run.tell)


def _utilities(target: str, *names: str) -> Callable[[Run], Reproduction]:
    def run_it(run: Run) -> Reproduction:
        chosen, workers = run.parameters, run.workers
        asked = utility_figures.Asked(chosen.integers("n"), chosen.values("epsilons"), chosen.values("deltas"))
        experiments = run.load(*names)
        run.announce(utility_figures.expected_seconds(experiments, run.effort, workers, asked), workers)
        return utility_figures.utility_figure(target, experiments, run.effort, run.partial, workers, run.tell, asked)

    return run_it


def _privacy(run: Run) -> Reproduction:
    chosen = run.parameters
    asked = privacy_figure.Asked(chosen.integers("n"), chosen.values("epsilons"), chosen.values("deltas"))
    return privacy_figure.privacy_figure(run.effort, run.partial, run.tell, asked)


def _data_sets(run: Run) -> Reproduction:
    run.tell(1, 1)
    return near_optimal_tables.data_table(list(recorded_spectra().values()))


def _classes(run: Run) -> Reproduction:
    guarantees = list(product(run.parameters.values("epsilons"), run.parameters.values("deltas")))
    experiments = run.load("kddcup", "localization")
    run.announce(near_optimal_tables.expected_seconds(experiments, run.effort, len(guarantees)), 1)
    return near_optimal_tables.classification_table(experiments, run.effort, run.partial, run.tell, guarantees)


def _results(run: Run) -> Reproduction:
    run.tell(1, 1)
    window, dimension, epsilon, delta = _one_setting(run.parameters)
    return result_reproduction(evolve(RESULTS, window=window, dimension=dimension, epsilon=epsilon, delta=delta))


def _components(run: Run) -> Reproduction:
    run.tell(1, 1)
    window, dimension, epsilon, delta = _one_setting(run.parameters)
    return component_reproduction(evolve(COMPONENTS, window=window, dimension=dimension, epsilon=epsilon, delta=delta))


def _one_setting(chosen: Parameters) -> tuple[int, int, Fraction, Fraction]:
    (window,), (dimension,) = chosen.integers("n"), chosen.integers("d")
    (epsilon,), (delta,) = chosen.values("epsilons"), chosen.values("deltas")
    return window, dimension, Fraction(str(epsilon)), Fraction(str(delta))


def _image(run: Run) -> Reproduction:
    return slides_image.image_reproduction(run.partial.seed, run.tell)


def _regret(run: Run) -> Reproduction:
    chosen = run.parameters
    (steps,), (dimension,), (delta,) = chosen.integers("n"), chosen.integers("d"), chosen.values("deltas")
    return regret_curves.regret_reproduction(
        run.partial.seed,
        run.tell,
        repetitions=run.effort.streams,
        steps=steps,
        dimension=dimension,
        epsilons=chosen.values("epsilons"),
        delta=delta,
    )


def _compression(run: Run) -> Reproduction:
    asked = compression_utility.Asked(run.parameters.integers("n"), run.parameters.integers("d"))
    return compression_utility.utility_curves(run.partial.seed, run.tell, run.effort.samples, asked)


def _pure_noise(run: Run) -> Reproduction:
    return pure_noise.pure_noise_figure(run.tell, run.parameters.integers("d"), run.parameters.values("epsilons"))


def _approximate_noise(run: Run) -> Reproduction:
    chosen = run.parameters
    return approximate_noise.approximate_noise_figure(
        run.tell, chosen.integers("d"), chosen.values("epsilons"), chosen.values("deltas")
    )


def _window_noise(run: Run) -> Reproduction:
    return window_noise.window_noise_figure(run.tell, run.parameters.integers("n"))


@frozen
class Target:
    """A table or a figure.

    Attributes
    ----------
    make
        What makes it.
    takes
        The parameters that it takes.
    own_data
        Whether it takes a file of the reader's own records.
    """

    make: Callable[[Run], Reproduction]
    takes: tuple[Parameter, ...] = ()
    own_data: bool = False

    def parameters(self, effort: Effort) -> tuple[Parameter, ...]:
        """Return what it takes, with the usual values at an effort: a small one has other dimensions in Figure 1."""
        if self.make is not _bounds:
            return self.takes
        return tuple(evolve(one, usual=effort.dimensions) if one.name == "d" else one for one in self.takes)


def _window_setting(usual: TableSetting | ComponentSetting, least_columns: int) -> tuple[Parameter, ...]:
    """Return what a table of bounds for windows takes: one value of each."""
    return (
        records((usual.window,), 2, 10**12, "rows of a window", count=1),
        columns((usual.dimension,), least_columns, 10**9, count=1),
        epsilons(float(usual.epsilon), count=1),
        deltas(float(usual.delta), count=1),
    )


_SHARES = f"shares {', '.join(f'{share:g}' for share in Effort().sizes)} of the records; fewer with --quick"
_SUBSETS = (
    records((), 10, 10**7, "records of a subset", instead=_SHARES),
    epsilons(EPSILON),
    deltas(DELTA),
)
TARGETS: dict[str, Target] = {
    f"{DOCUMENT}.figure-1": Target(
        _bounds,
        (
            records(sulq_figure.RECORDS, 1, 10**12),
            columns(Effort().dimensions, 2, 2000),
            epsilons(*sulq_figure.EPSILONS),
            deltas(sulq_figure.SULQ_DELTA),
        ),
    ),
    f"{DOCUMENT}.figure-2": Target(_traces),
    f"{DOCUMENT}.figure-3": Target(_utilities(f"{DOCUMENT}.figure-3", "census", "kddcup"), _SUBSETS, own_data=True),
    f"{DOCUMENT}.figure-4": Target(
        _utilities(f"{DOCUMENT}.figure-4", "localization", "insurance"), _SUBSETS, own_data=True
    ),
    f"{DOCUMENT}.figure-5": Target(
        _privacy,
        (
            records((privacy_figure.SYNTHETIC_RECORDS,), 10, 10**6),
            epsilons(*privacy_figure.EPSILONS),
            deltas(privacy_figure.SYNTHETIC_DELTA),
        ),
    ),
    f"{DOCUMENT}.table-1": Target(_data_sets),
    f"{DOCUMENT}.table-2": Target(_classes, (epsilons(EPSILON), deltas(DELTA))),
    "sliding-window.table-1": Target(
        _results,
        _window_setting(RESULTS, RESULTS.rank),
    ),
    "sliding-window.table-2": Target(
        _components,
        _window_setting(COMPONENTS, COMPONENTS.target),
    ),
    slides_image.TARGET: Target(_image),
    regret_curves.TARGET: Target(
        _regret,
        (
            records((regret_curves.STEPS,), 10, 5000, "steps of a stream", count=1),
            columns((regret_curves.DIMENSION,), 2, 50, count=1),
            epsilons(regret_curves.EPSILON),
            deltas(regret_curves.DELTA, count=1),
        ),
    ),
    compression_utility.TARGET: Target(
        _compression,
        (records(compression_utility.RECORDS, 1000, 10**6), columns(compression_utility.COLUMNS, 2, 50)),
    ),
    pure_noise.TARGET: Target(
        _pure_noise, (columns(pure_noise.DIMENSIONS, 1, 1000, count=200), epsilons(*pure_noise.EPSILONS))
    ),
    approximate_noise.TARGET: Target(
        _approximate_noise,
        (
            columns(approximate_noise.COLUMNS, 1, 1000, count=200),
            epsilons(*approximate_noise.EPSILONS),
            deltas(*approximate_noise.DELTAS),
        ),
    ),
    window_noise.TARGET: Target(_window_noise, (records(window_noise.WINDOWS, 1, 10**5, "leaves of a window"),)),
}
"""What can be reproduced."""
