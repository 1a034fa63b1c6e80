"""``dpmatrix documentation``: pages for readers, tutorials and the reference, as offline HTML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.commands.failures import one_line


@one_line
def documentation_command(
    *, output: Annotated[Path, typer.Option(help="The folder to write.")] = Path("build/documentation")
) -> None:
    """Write the documentation: a page for each document, one for each kind of reader, the reference."""
    from dpmatrix.documentation import write

    files = write(output)
    typer.echo(f"wrote {len(files)} pages; begin with {output / 'index.html'}")
