"""The file of a release: refused before anything is spent, or else kept, since it has been paid for."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

import typer

from dpmatrix.atomic_files import refuse_unless_regular, write_atomically, write_new
from dpmatrix.errors import InvalidParameterError


def refuse_taken(output: Path, file: str, *, overwrite: bool) -> None:
    """Make sure that a release can be written to a path, before a record is read.

    Parameters
    ----------
    output
        Where the release is to go.
    file
        The file of records, or ``-``.
    overwrite
        Whether a release that is there may be replaced.

    Raises
    ------
    InvalidParameterError
        If a file is there that may not be replaced, it is the file of records, or it is a link, a directory or the
        like.
    OSError
        If it cannot be looked at.
    """
    refuse_unless_regular(output)
    if not os.path.lexists(output):
        return
    if not overwrite:
        remedy = "give another name, or pass --overwrite to replace it"
        raise InvalidParameterError("output", f"{output} is there already", remedy)
    if file != "-" and Path(file).exists() and output.samefile(file):
        raise InvalidParameterError("output", f"{output} is the file of records", "give another name")


def keep(text: str, output: Path, *, overwrite: bool, printed: bool) -> None:
    """Write a release, which has been paid for: under another name or to the output where its place was taken.

    Parameters
    ----------
    text
        The release.
    output
        Where it is to go.
    overwrite
        Whether a file that is there may be replaced.
    printed
        Whether the release is on the standard output already.

    Raises
    ------
    InvalidParameterError
        If the name was taken since `refuse_taken`. What took it is left alone; the message names the file that has the
        release.
    OSError
        If the release cannot be written. It is on the standard output then.
    """
    try:
        path = _written(f"{text}\n", output, overwrite=overwrite)
    except (InvalidParameterError, OSError):
        if not printed:
            typer.echo(text)
        raise
    if path != output:
        problem = f"{output} was taken while the records were read, and is left as it is"
        raise InvalidParameterError("output", problem, f"find the release, which is paid for, in {path}")
    typer.echo(f"wrote {output}", err=True)


def _written(text: str, output: Path, *, overwrite: bool) -> Path:
    """Write to a path, or beside it under a name that nobody foresees where it was taken; return which it was."""
    with suppress(InvalidParameterError):
        (write_atomically if overwrite else write_new)(output, text)
        return output
    spare = output.with_name(f"{output.stem}-{secrets.token_hex(4)}{output.suffix}")
    write_new(spare, text)
    return spare
