"""``dpmatrix new-document``: a small project for a document of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.commands.failures import one_line


@one_line
def new_document_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that is empty or does not exist.")],
    *,
    name: Annotated[
        str | None, typer.Option(help="What the document is called in ids, such as wishart; by default as the folder.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Its title; by default its name.")] = None,
) -> None:
    """Make a project for a document: one theorem with its evidence, judged by the gate and shown in the report."""
    from dpmatrix.new_document.projects import make_project, name_of, requirement

    called = name_of(folder) if name is None else name
    written = make_project(folder, called, called if title is None else title)
    typer.echo(f"wrote {len(written)} files to {folder}; now run there: python -m pytest audit --accept-standings")
    typer.echo(f"requirements.txt names {requirement()}, which is in no package index yet;")
    typer.echo(
        "before you install from it, write the path of a checkout or a wheel of dpmatrix there instead: PATH[audit]"
    )
    typer.echo("the workflow installs from it as well, and needs a path within the project")
