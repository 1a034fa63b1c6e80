"""``dpmatrix pca --expected-error``: what the noise will do, from public numbers alone, before anything is spent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import positive_integer
from dpmatrix.files import open_source
from dpmatrix.mechanisms.choice import resolve, stand_in
from dpmatrix.mechanisms.menu import Settings, excess_words
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.terminal import table_text

_UNITS = {Adjacency.REPLACE_ONE: "X'X / n", Adjacency.ADD_REMOVE_ONE: "X'X"}


def look(
    settings: Settings,
    records: int,
    file: str,
    *,
    header: bool | None,
    columns: Sequence[str],
    delimiter: str,
    dimension: int | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Print the error that is to be expected of a release; it follows from public numbers, and nothing is written.

    Parameters
    ----------
    settings
        What is asked for, with a rank.
    records
        Number n of records, which is never counted: under replace-one it is public, and under add-remove-one it is a
        secret, so that this is a number that is supposed.
    file, header, columns, delimiter, dimension
        As in `dpmatrix.files.release_file`. The file is opened for the number d of its columns alone, and only where
        neither columns nor a dimension are given. Then it is refused where a release of it would be: under
        add-remove-one, if a file without records would not tell the number.
    output
        None.
    as_json
        Whether to print JSON.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain, an output is named, there are less columns than components, or the
        mechanism publishes no matrix.
    RecordFileError, OSError
        As `dpmatrix.files.release_file`.
    MissingExtraError
        If scikit-learn is not installed, whose conventions the estimators follow.
    """
    if output is not None:
        raise InvalidParameterError("output", "--expected-error writes nothing", "leave one of the two out")
    count = positive_integer(records, "expected-error")
    width = _dimension_of(settings, file, header, columns, delimiter, dimension)
    rank = settings.rank or 1
    if rank > width:
        raise InvalidParameterError("rank", f"{rank} exceeds the number of columns, {width}", "pass a smaller one")
    _tell(settings, count, width, rank, as_json=as_json)


def _dimension_of(
    settings: Settings, file: str, header: bool | None, columns: Sequence[str], delimiter: str, dimension: int | None
) -> int:
    if dimension is not None and columns and len(columns) != dimension:
        problem = f"{dimension} is not the number of --columns, {len(columns)}"
        raise InvalidParameterError("dimension", problem, "leave it out")
    if dimension is not None or columns:
        return dimension or len(columns)
    with open_source(stand_in(settings), file, header=header, delimiter=delimiter) as source:
        return len(source.columns)


def _tell(settings: Settings, records: int, dimension: int, rank: int, *, as_json: bool) -> None:
    # Imported here, so that a release does not wait for scikit-learn and does not need it.
    from dpmatrix.estimators import DPPCA

    public = settings.public
    mechanism, choice = resolve(settings, dimension)
    model = DPPCA(
        rank,
        epsilon=public["epsilon"],
        delta=settings.delta,
        data_norm=public["norm_bound"],
        over_norm=public["over_norm"],
        mechanism=settings.mechanism,
        calibration=settings.calibration,
        adjacency=public["adjacency"].value,
    )
    error = model.expected_error(records, dimension)
    wasted = excess_words(mechanism, dimension)
    if wasted is not None:
        typer.echo(f"warning: {wasted}", err=True)
    found: dict[str, Any] = {
        "mechanism": mechanism.name,
        "epsilon": str(mechanism.guarantee.epsilon),
        "delta": str(mechanism.guarantee.delta),
        "adjacency": mechanism.adjacency.value,
        "norm_bound": str(mechanism.norm_bound),
        "records": records,
        "dimension": dimension,
        "rank": rank,
        "of": _UNITS[mechanism.adjacency],
        "off_diagonal": error.off_diagonal,
        "diagonal": error.diagonal,
        "frobenius": error.frobenius,
        "lost": error.lost,
        "largest": error.largest,
        "noise_exceeds_matrix": error.noise_exceeds_matrix,
    }
    typer.echo(json.dumps(found, indent=1) if as_json else _table(found), nl=as_json)
    if choice is not None:
        typer.echo(choice.words(), err=True)
    typer.echo("nothing was released, and nothing was spent", err=True)


def _table(found: dict[str, Any]) -> str:
    supposed = ", a number that you suppose" if found["adjacency"] == Adjacency.ADD_REMOVE_ONE.value else ""
    rows = [
        ["noise of an entry beside the diagonal, standard deviation", f"{found['off_diagonal']:.6g}"],
        ["noise of an entry of the diagonal, standard deviation", f"{found['diagonal']:.6g}"],
        ["noise of the matrix, root of the expected squared Frobenius norm", f"{found['frobenius']:.6g}"],
        ["what the published directions hold less than the best, on average at most", f"{found['lost']:.6g}"],
        ["trace of the matrix without noise, at most", f"{found['largest']:.6g}"],
    ]
    caption = (
        f"{found['mechanism']}: ({found['epsilon']}, {found['delta']})-differentially private, {found['adjacency']}, "
        f"{found['records']} records{supposed}, of norm at most {found['norm_bound']}, {found['dimension']} columns, "
        f"components: {found['rank']}."
    )
    if found["noise_exceeds_matrix"]:
        caption += " The noise is as large as the matrix can be, both in Frobenius norm."
    return table_text(["expected error", f"of {found['of']}"], rows, caption)
