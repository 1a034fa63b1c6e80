"""``dpmatrix reproduce``: a document's tables and figures, from nothing, as CSV, JSON and SVG."""

from __future__ import annotations

import csv
import io
import json
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from attrs import asdict, evolve
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from dpmatrix.atomic_files import write_atomically
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.reproduction_plot import drawing
from dpmatrix.errors import InvalidParameterError, MissingExtraError
from dpmatrix.experiments import (
    approximate_noise,
    compression_utility,
    near_optimal_tables,
    pure_noise,
    regret_curves,
    slides_image,
    sulq_figure,
    trace_figure,
    utility_figures,
    window_noise,
)
from dpmatrix.experiments.near_optimal_tables import data_table
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import QUICK, USUAL, Effort, Reproduction, Tell, versions
from dpmatrix.experiments.sliding_window_tables import component_reproduction, result_reproduction
from dpmatrix.experiments.spectra import recorded_spectra
from dpmatrix.experiments.uci import EXPERIMENTS, Experiment, data_directory
from dpmatrix.reporting.terminal import table_text

DOCUMENT = "near-optimal"
MORE_THAN_MOMENTS = 5.0
"""Seconds from which an estimate is worth a line."""
REPRODUCED = Path("build/reproduced")
"""Where the files go."""
SEED_BITS = 32
"""Of a seed that is drawn where none is given."""
MOST_ROWS = 100
"""Of a table that is printed as well."""


class Run:
    """What a target is given."""

    def __init__(self, effort: Effort, data: Path | None, partial: Partial, workers: int, tell: Tell) -> None:
        self.effort, self.partial, self.workers, self.tell = effort, partial, workers, tell
        self._data = data

    def load(self, *names: str) -> list[Experiment]:
        """Load data sets; says what it reads, since the largest takes half a minute."""
        directory = data_directory(self._data)
        found = []
        for name in names:
            typer.echo(f"reading {name} ...", err=True)
            found.append(EXPERIMENTS[name](directory))
        return found

    def announce(self, seconds: float, workers: int | None = None) -> None:
        """Say how long it will take, before it begins."""
        if seconds > MORE_THAN_MOMENTS:
            processes = self.workers if workers is None else workers
            typer.echo(f"this will take about {seconds / 60:.1f} minutes on {processes} workers", err=True)


def _bounds(run: Run) -> Reproduction:
    run.announce(sulq_figure.expected_seconds(run.effort, run.workers))
    return sulq_figure.bound_figure(run.effort, run.partial, run.workers, run.tell)


def _traces(run: Run) -> Reproduction:
    spectra = [recorded_spectra()[name] for name in ("kddcup", "insurance")]
    run.announce(trace_figure.expected_seconds(spectra, run.effort, run.workers))
    return trace_figure.trace_figure(spectra, run.effort, run.partial, run.workers, run.tell)


def _utilities(target: str, *names: str) -> Callable[[Run], Reproduction]:
    def run_it(run: Run) -> Reproduction:
        experiments = run.load(*names)
        run.announce(utility_figures.expected_seconds(experiments, run.effort, run.workers))
        return utility_figures.utility_figure(target, experiments, run.effort, run.partial, run.workers, run.tell)

    return run_it


def _privacy(run: Run) -> Reproduction:
    return utility_figures.privacy_figure(run.effort, run.partial, run.tell)


def _data_sets(run: Run) -> Reproduction:
    run.tell(1, 1)
    return data_table(list(recorded_spectra().values()))


def _classes(run: Run) -> Reproduction:
    experiments = run.load("kddcup", "localization")
    run.announce(near_optimal_tables.expected_seconds(experiments, run.effort), 1)
    return near_optimal_tables.classification_table(experiments, run.effort, run.partial, run.tell)


def _results(run: Run) -> Reproduction:
    run.tell(1, 1)
    return result_reproduction()


def _components(run: Run) -> Reproduction:
    run.tell(1, 1)
    return component_reproduction()


def _image(run: Run) -> Reproduction:
    return slides_image.image_reproduction(run.partial.seed, run.tell)


def _regret(run: Run) -> Reproduction:
    return regret_curves.regret_reproduction(run.partial.seed, run.tell, repetitions=run.effort.streams)


def _compression(run: Run) -> Reproduction:
    return compression_utility.utility_curves(run.partial.seed, run.tell, run.effort.samples)


def _pure_noise(run: Run) -> Reproduction:
    return pure_noise.pure_noise_figure(run.tell)


def _approximate_noise(run: Run) -> Reproduction:
    return approximate_noise.approximate_noise_figure(run.tell)


def _window_noise(run: Run) -> Reproduction:
    return window_noise.window_noise_figure(run.tell)


TARGETS: dict[str, Callable[[Run], Reproduction]] = {
    f"{DOCUMENT}.figure-1": _bounds,
    f"{DOCUMENT}.figure-2": _traces,
    f"{DOCUMENT}.figure-3": _utilities(f"{DOCUMENT}.figure-3", "census", "kddcup"),
    f"{DOCUMENT}.figure-4": _utilities(f"{DOCUMENT}.figure-4", "localization", "insurance"),
    f"{DOCUMENT}.figure-5": _privacy,
    f"{DOCUMENT}.table-1": _data_sets,
    f"{DOCUMENT}.table-2": _classes,
    "sliding-window.table-1": _results,
    "sliding-window.table-2": _components,
    slides_image.TARGET: _image,
    regret_curves.TARGET: _regret,
    compression_utility.TARGET: _compression,
    pure_noise.TARGET: _pure_noise,
    approximate_noise.TARGET: _approximate_noise,
    window_noise.TARGET: _window_noise,
}
"""What can be reproduced."""


def _targets(incomplete: str) -> list[str]:
    return [target for target in TARGETS if target.startswith(incomplete)]


@one_line
def reproduce(
    target: Annotated[str, typer.Argument(help=f"One of {', '.join(TARGETS)}.", autocompletion=_targets)],
    *,
    output: Annotated[Path, typer.Option(help="Where the files go.")] = REPRODUCED,
    data: Annotated[
        Path | None, typer.Option(help="Directory with the raw files; DPMATRIX_DATA when left out.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a run; recorded in the output.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = 2,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of the chains of figure 2.")] = None,
    traces: Annotated[int | None, typer.Option(min=1, help="Chains for each data set of figure 2.")] = None,
    full: Annotated[bool, typer.Option("--full", help="As often as the document repeats it: hours for some.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A few repetitions of each kind.")] = False,
) -> None:
    """Reproduce a table or a figure: a CSV and a JSON file, and an SVG file for a figure. No output is private.

    The SVG file needs matplotlib, dpmatrix[plots]; the others are written without it.

    What is repeated fits into ten minutes on two cores, and the notes say where that is less than the document's; how
    long it will take is said before it begins. A run that was interrupted goes on where it stopped.
    """
    if target not in TARGETS:
        raise InvalidParameterError("target", f"{target!r} cannot be reproduced", f"pass one of {', '.join(TARGETS)}")
    effort = QUICK if quick else Effort() if full else USUAL
    effort = evolve(effort, steps=steps or effort.steps, traces=traces or effort.traces)
    plan = {"target": target, "effort": json.loads(json.dumps(asdict(effort))), "versions": versions()}
    partial = Partial(output / f"{target}.partial", plan, seed, secrets.randbits(SEED_BITS))
    if partial.resumed:
        typer.echo(f"going on with the run of seed {partial.seed} that was interrupted", err=True)
    bars = (TextColumn(target), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*bars, console=Console(stderr=True)) as progress:
        bar = progress.add_task(target, total=None)
        run = Run(effort, data, partial, workers, lambda done, total: progress.update(bar, completed=done, total=total))
        found = TARGETS[target](run)
    _write(found, output, partial.seed)
    partial.clear()


def _write(found: Reproduction, output: Path, seed: int) -> None:
    # Everything is computed before the first file is written, and each file is written whole.
    table = io.StringIO()
    origin = ", ".join(f"{name} {number}" for name, number in versions().items())
    table.write(f"# {found.target}, not private; seed {seed}; {origin}\n")
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows(found.rows)
    contents = {"csv": table.getvalue(), "json": json.dumps(found.to_json(seed), indent=1, ensure_ascii=False) + "\n"}
    try:
        if found.series:
            contents["svg"] = drawing(found, f"seed {seed}; {origin}")
    except MissingExtraError as error:
        typer.echo(f"no picture: {error}", err=True)
    for kind, content in contents.items():
        path = output / f"{found.target}.{kind}"
        write_atomically(path, content)
        typer.echo(f"wrote {path}", err=True)
    if len(found.rows) <= MOST_ROWS:
        words = [tuple(f"{cell:.4g}" if isinstance(cell, float) else str(cell) for cell in row) for row in found.rows]
        typer.echo(table_text(found.columns, words, "; ".join(found.notes)), nl=False)
