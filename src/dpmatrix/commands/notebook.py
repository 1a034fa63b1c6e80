"""``dpmatrix notebook``: a Jupyter notebook of a document, whose cells a reader can change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.atomic_files import refuse_unless_regular, write_atomically
from dpmatrix.commands.completion import document_names
from dpmatrix.commands.failures import one_line
from dpmatrix.errors import InvalidParameterError


@one_line
def notebook_command(
    document: Annotated[str, typer.Argument(help="One of the five documents.", autocompletion=document_names)],
    *,
    output: Annotated[
        Path | None, typer.Option(metavar="FILE.ipynb", help="The file to write, by default DOCUMENT.ipynb.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Write a Jupyter notebook of a document: each claim with its verdict, asked at a point that can be changed.

    At the end a table or a figure of the document is made again where that needs no data, and a release is made on
    made-up data. Jupyter is not needed to write it.
    """
    # Imported here, so that other commands do not wait for it.
    from dpmatrix.notebooks.documents import notebook

    path = Path(f"{document}.ipynb") if output is None else output
    if path.suffix != ".ipynb":
        raise InvalidParameterError("output", f"{str(path)!r} does not end in .ipynb", "name a notebook")
    refuse_unless_regular(path)
    if path.exists() and not overwrite:
        problem = f"{str(path)!r} is there already, and may hold changes of yours"
        raise InvalidParameterError("output", problem, "name another file, or pass --overwrite")
    write_atomically(path, notebook(document))
    typer.echo(f"wrote {path}")
