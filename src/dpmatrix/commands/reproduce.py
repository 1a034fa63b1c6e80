"""``dpmatrix reproduce``: a document's tables and figures, from nothing, as CSV, JSON and SVG."""

from __future__ import annotations

import csv
import io
import json
import secrets
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer
from attrs import asdict, evolve
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from dpmatrix.atomic_files import write_atomically
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.numbers import read
from dpmatrix.commands.reproduction_plot import drawing
from dpmatrix.errors import MissingExtraError
from dpmatrix.experiments.again import SEED_BITS, made, parameters_of, target_of
from dpmatrix.experiments.parameters import listed
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import QUICK, USUAL, Effort, Reproduction, versions
from dpmatrix.experiments.targets import TARGETS, Run
from dpmatrix.reporting.terminal import table_text

MORE_THAN_MOMENTS = 5.0
"""Seconds from which an estimate is worth a line."""
REPRODUCED = Path("build/reproduced")
"""Where the files go, and where the report looks for them."""
OWN = "own"
"""The folder in it for parameters of the reader's own, so that they never replace a figure of a document."""
MOST_ROWS = 100
"""Of a table that is printed as well."""


def announce(seconds: float, workers: int) -> None:
    """Say how long it will take, before it begins."""
    if seconds > MORE_THAN_MOMENTS:
        typer.echo(f"this will take about {seconds / 60:.1f} minutes on {workers} workers", err=True)


def values_of(text: str | None, name: str) -> list[Fraction] | None:
    """Read numbers with commas between them; None where nothing is given.

    Raises
    ------
    InvalidParameterError
        If one of them is no number.
    """
    return None if text is None else [read(part, name) for part in text.split(",")]


def _targets(incomplete: str) -> list[str]:
    return [target for target in TARGETS if target.startswith(incomplete)]


@one_line
def reproduce(
    target: Annotated[str, typer.Argument(help=f"One of {', '.join(TARGETS)}.", autocompletion=_targets)],
    *,
    output: Annotated[
        Path | None,
        typer.Option(help="Where the files go; by default build/reproduced, or its folder own for values of your own."),
    ] = None,
    n: Annotated[str | None, typer.Option(metavar="N,N,...", help="Numbers of records, rows, steps or leaves.")] = None,
    d: Annotated[str | None, typer.Option(metavar="D,D,...", help="Numbers of columns.")] = None,
    epsilons: Annotated[str | None, typer.Option(metavar="E,E,...", help="Such as 0.1,0.5,1.")] = None,
    deltas: Annotated[str | None, typer.Option(metavar="D,D,...", help="Such as 1e-6.")] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="Directory with the raw files, DPMATRIX_DATA when left out; for figures 3 and 4 of near-optimal "
            "also a CSV or Parquet file of your own records."
        ),
    ] = None,
    rank: Annotated[
        int | None, typer.Option(min=1, help="With a file of your own records: directions that are looked for.")
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="With a file of your own records: whether line 1 names the columns."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a run; recorded in the output.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = 2,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of the chains of figure 2.")] = None,
    traces: Annotated[int | None, typer.Option(min=1, help="Chains for each data set of figure 2.")] = None,
    full: Annotated[bool, typer.Option("--full", help="As often as the document repeats it: hours for some.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="A few repetitions of each kind.")] = False,
    show_takes: Annotated[
        bool, typer.Option("--takes", help="Say which parameters the target takes, and make nothing.")
    ] = False,
) -> None:
    """Reproduce a table or a figure: a CSV and a JSON file, and an SVG file for a figure. No output is private.

    --n, --d, --epsilons and --deltas take values of your own, in place of the document's; the files say so. A target
    refuses what it does not take: `dpmatrix reproduce TARGET --takes` lists what it does, and the ranges.

    The SVG file needs matplotlib, dpmatrix[plots]; the others are written without it.

    What is repeated fits into ten minutes on two cores, and the notes say where that is less than the document's; how
    long it will take is said before it begins. A run that was interrupted goes on where it stopped.
    """
    effort = QUICK if quick else Effort() if full else USUAL
    effort = evolve(effort, steps=steps or effort.steps, traces=traces or effort.traces)
    if show_takes:
        typer.echo(_takes_of(target, effort), nl=False)
        return
    given = {"n": n, "d": d, "epsilons": epsilons, "deltas": deltas}
    read_values = {name: values_of(text, name) for name, text in given.items()}
    parameters = parameters_of(target, effort, read_values, data, rank, header=header)
    # Pieces of a run with other parameters, or of other records, belong to another plan.
    plan = {"target": target, "effort": json.loads(json.dumps(asdict(effort))), "versions": versions()}
    plan |= parameters.to_json()
    if output is None:
        output = REPRODUCED / OWN if parameters.note else REPRODUCED
    partial = Partial(output / f"{target}.partial", plan, seed, secrets.randbits(SEED_BITS))
    if partial.resumed:
        typer.echo(f"going on with the run of seed {partial.seed} that was interrupted", err=True)
    bars = (TextColumn(target), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*bars, console=Console(stderr=True)) as progress:
        bar = progress.add_task(target, total=None)
        found = made(
            Run(
                effort,
                partial,
                workers,
                lambda done, total: progress.update(bar, completed=done, total=total),
                parameters,
                data,
                say=lambda said: typer.echo(said, err=True),
                announce=announce,
            )
        )
    _write(found, output, partial.seed)
    partial.clear()


def _takes_of(target: str, effort: Effort) -> str:
    """Return a table of the parameters that a target takes."""
    rows = [
        (
            f"--{one.name}",
            one.means,
            f"{one.least} to {one.most}",
            str(one.count),
            listed(one.usual) or one.instead,
        )
        for one in target_of(target).parameters(effort)
    ]
    if not rows:
        return f"{target} takes no parameters\n"
    return table_text(("option", "of", "range", "values at most", "usual"), rows, target)


def _write(found: Reproduction, output: Path, seed: int) -> None:
    # Everything is computed before the first file is written, and each file is written whole.
    table = io.StringIO()
    origin = ", ".join(f"{name} {number}" for name, number in versions().items())
    origin += f"; {found.own}" if found.own else ""
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
