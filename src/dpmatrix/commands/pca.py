"""``dpmatrix pca``: private principal components of a file of records, which need not fit into memory."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from dpmatrix.commands.expected_errors import look
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.numbers import read
from dpmatrix.commands.privacy import Relation
from dpmatrix.commands.readers import readers
from dpmatrix.commands.record_options import norm_bound_of, refuse_header
from dpmatrix.commands.release_files import keep, refuse_taken
from dpmatrix.commands.runs import AsJson
from dpmatrix.errors import EntropyError, RecordFileError
from dpmatrix.exact import positive_integer
from dpmatrix.files import open_source
from dpmatrix.mechanisms.choice import AUTO, resolve, stand_in
from dpmatrix.mechanisms.menu import Settings, excess_words
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.release_certificates.record import release_record
from dpmatrix.reporting.terminal import table_text


class Choice(StrEnum):
    """The names of `dpmatrix.mechanisms.menu`, and what asks for a choice among them."""

    AUTO = AUTO
    SYMMETRISED_WISHART = "symmetrised-wishart"
    COUPLED_TRACES = "coupled-traces"
    K_NORM = "k-norm"
    STAIRCASE = "staircase"
    LAPLACE = "laplace"
    GAUSSIAN_ORTHOGONAL = "gaussian-orthogonal"
    GAUSSIAN = "gaussian"
    MOD_SULQ = "mod-sulq"
    PPCA = "ppca"
    SEQUENTIAL_PPCA = "sequential-ppca"


class Calibration(StrEnum):
    """The least certified noise, or the document's."""

    TIGHT = "tight"
    PRINTED = "printed"


@one_line
def pca(
    file: Annotated[str, typer.Argument(help="A CSV file, a Parquet file (.parquet), or - for CSV on the input.")],
    *,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER", help="Positive, such as 1 or 1/10.")],
    delta: Annotated[
        str, typer.Option(metavar="NUMBER", help="Positive for the Gaussian ones and mod-sulq, any for auto, else 0.")
    ] = "0",
    norm_bound: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Needed: public bound on the norm of a record.")
    ] = None,
    clip: Annotated[bool, typer.Option(help="Shorten longer records, or refuse them without a guarantee.")] = True,
    rank: Annotated[int, typer.Option(help="Number of components.")] = 1,
    mechanism: Annotated[
        Choice, typer.Option(help="How to release; auto: the least error.")
    ] = Choice.SYMMETRISED_WISHART,
    calibration: Annotated[Calibration, typer.Option(help="Minimal noise, or the document's.")] = Calibration.TIGHT,
    adjacency: Relation = Adjacency.REPLACE_ONE,
    header: Annotated[
        bool | None,
        typer.Option(help="Line 1 names the columns, and is published; or it is a record. It is never guessed."),
    ] = None,
    columns: Annotated[str, typer.Option(metavar="A,B,...", help="Names or numbers of the columns to use.")] = "",
    dimension: Annotated[
        int | None, typer.Option(min=1, help="Number of columns: add-remove-one asks for it where nothing else tells.")
    ] = None,
    delimiter: Annotated[str, typer.Option(help="Between the cells of a line.")] = ",",
    workers: Annotated[int, typer.Option(min=1, help="Processes that read parts of the file.")] = 1,
    cluster: Annotated[
        str | None, typer.Option(metavar="tcp://HOST:PORT", help="Scheduler of a `distributed` cluster that reads it.")
    ] = None,
    expected_error: Annotated[
        int | None,
        typer.Option(metavar="RECORDS", help="Print the error to expect with so many records; release nothing."),
    ] = None,
    as_json: AsJson = False,
    output: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the release there, whole.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --output.")] = False,
    progress: Annotated[bool, typer.Option(help="Show how many records were read.")] = sys.stderr.isatty(),
) -> None:
    """Release private principal components of the records of a file, read once and in bounded memory.

    One line is one record of numbers. Records are not centred: subtract a public mean first. A record longer than
    --norm-bound is shortened to it, which costs no privacy; with --no-clip it is refused. Choose --norm-bound without
    looking at the records. Nothing is released when a line is blank, a cell is no finite number, or a record is
    refused. That there is such an error, and the line that it names, depend on the data: the guarantee does not cover
    an error, so show it to nobody who may not see the records.

    With --mechanism auto the release is made by the mechanism of the least expected squared error of the matrix, among
    those that publish one and keep the guarantee; a pure one keeps it for every --delta. The choice follows from the
    options and the number of columns alone, and is in the release with the errors that were compared.

    ppca of rank 2 or more takes as long as it takes, which depends on the data and may be for ever; sequential-ppca
    does not.

    Line 1 is a record unless --header or a name in --columns says that it names the columns.

    A file that --output names is replaced only with --overwrite. Without it a name that is taken is refused before a
    record is read. Where it is taken meanwhile, the release is kept under another name, which the error tells.

    --expected-error spends nothing and writes nothing. What it prints follows from the options, the number of records
    that you name and the number of columns. The file is opened for that number alone, and only where neither
    --dimension nor --columns tell it.

    With --workers or --cluster parts of the file are summed elsewhere, and the release is the same: sums are exact,
    and the noise is drawn here, once. The workers of a cluster need the file under the same path and this version of
    dpmatrix. They see the records and send back exact sums WITHOUT NOISE, which the scheduler passes on and which may
    be left in its workers' files: trust all of them, and the network between (tls://), as you trust the file's disk.
    """
    settings = Settings(
        mechanism=mechanism.value,
        calibration=calibration.value,
        delta=read(delta, "delta"),
        public={
            "epsilon": read(epsilon, "epsilon"),
            "adjacency": adjacency,
            "norm_bound": norm_bound_of(norm_bound),
            "over_norm": "clip" if clip else "reject",
        },
        rank=positive_integer(rank, "rank"),
    )
    reader = stand_in(settings)
    refuse_header(file, header=header)
    names = [name.strip() for name in columns.split(",") if name.strip()]
    if expected_error is not None:
        look(
            settings,
            expected_error,
            file,
            header=header,
            columns=names,
            delimiter=delimiter,
            dimension=dimension,
            output=output,
            as_json=as_json,
        )
        return
    if output is not None:
        # Before anything is released, since a release that cannot be kept has cost its epsilon all the same.
        refuse_taken(output, file, overwrite=overwrite)
    with (
        readers(workers, cluster) as (executor, count),
        open_source(
            reader,
            file,
            header=header,
            columns=names,
            delimiter=delimiter,
            dimension=dimension,
            executor=executor,
            workers=count,
        ) as source,
    ):
        if rank > len(source.columns):
            raise RecordFileError(file, None, None, f"there are {len(source.columns)} columns, and the rank is {rank}")
        chosen, choice = resolve(settings, len(source.columns))
        wasted = excess_words(chosen, len(source.columns))
        if wasted is not None:
            typer.echo(f"warning: {wasted}", err=True)
        counted = [0]
        with _shown(progress, counted) as tell:
            release = chosen.release_blocks(source.read(tell), len(source.columns))
    if not release.private:
        raise EntropyError("the random bits were not secret")
    found = release_record(chosen, release, source.columns, counted[0], rank, choice)
    text = json.dumps(found, indent=1, ensure_ascii=False)
    if as_json:
        typer.echo(text)
    elif output is None:
        typer.echo(_table(found), nl=False)
    if output is not None:
        keep(text, output, overwrite=overwrite, printed=as_json)
    if choice is not None:
        typer.echo(choice.words(), err=True)


@contextmanager
def _shown(wanted: bool, counted: list[int]) -> Iterator[Callable[[int], None]]:
    """Yield what is told the number of records so far; it keeps it, and shows it where that is wanted."""

    def keep(count: int) -> None:
        counted[0] = count

    if not wanted:
        yield keep
        return

    def show(count: int) -> None:
        keep(count)
        bar.update(task, completed=count)

    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.completed:,.0f} records"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task("", total=None)
        yield show


def _table(found: dict[str, Any]) -> str:
    promise = found["guarantee"]
    rank = len(found["components"])
    rows = [
        [name, *(f"{component[place]:+.6f}" for component in found["components"])]
        for place, name in enumerate(found["columns"])
    ]
    if found["explained_variance"] is not None:
        rows.append(["explained variance", *(f"{value:.6g}" for value in found["explained_variance"])])
    caption = (
        f"{found['mechanism']}: ({promise['epsilon']}, {promise['delta']})-differentially private, "
        f"{promise['adjacency']}, records of norm at most {found['norm_bound']} ({found['over_norm']}). "
        f"Rests on {', '.join(found['claims'])}."
    )
    return table_text(["column", *(f"component {place}" for place in range(1, rank + 1))], rows, caption)
