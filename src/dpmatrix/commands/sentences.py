"""``dpmatrix sentences``: what became of everything that the documents print."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.claims.names import claim_of
from dpmatrix.commands.completion import claim_ids, document_names
from dpmatrix.commands.failures import one_line
from dpmatrix.printed.copies import VARIABLE, folder_of_copies, in_words, read_copies, wanted
from dpmatrix.printed.index import FILE, Index, Kind
from dpmatrix.reporting.sentences import counted
from dpmatrix.reporting.terminal import table_text
from dpmatrix.spec import FOLDER, documents, load, places

MOST = 20
"""Differences that are shown."""


def indexes() -> dict[str, Index]:
    """Read the index of each document that has one."""
    found = {name: Index.read(FOLDER / name.replace("-", "_") / FILE) for name in documents()}
    return {name: index for name, index in found.items() if index.entries}


@one_line
def sentences_command(
    claim: Annotated[
        str | None, typer.Argument(help="What the documents print of this claim.", autocompletion=claim_ids)
    ] = None,
    *,
    copies: Annotated[
        Path | None, typer.Option("--documents", help=f"The documents as .txt files; by default {VARIABLE}.")
    ] = None,
    document: Annotated[str | None, typer.Option(help="Only this one.", autocompletion=document_names)] = None,
    unjudged: Annotated[
        bool, typer.Option("--unjudged", help="List what nothing judges, or what data it needs.")
    ] = False,
) -> None:
    """Count what the documents print by what became of it, and compare with the documents. Exit code 1: they differ."""
    folder = copies or folder_of_copies()
    if claim is not None:
        if claim not in places():
            raise load().unknown(claim)
        tell_printed(claim, folder)
        return
    known = indexes()
    if document is not None and document not in known:
        raise typer.BadParameter(f"no index of {document!r}; there are {', '.join(known) or 'none'}")
    chosen = known if document is None else {document: known[document]}
    printed = {} if folder is None else read_copies(folder, chosen)
    for name, index in chosen.items() if unjudged else ():
        for entry in index.entries:
            if entry.kind in (Kind.UNJUDGED, Kind.NEEDS_DATA):
                typer.echo(f"{name}, {entry.place}, {entry.kind.value}: {entry.asserts}")
    statements = {name for one in load() for name in one.statements()}
    unknown = [f"{name}: {line}" for name, index in chosen.items() for line in index.unknown(statements)]
    differences = [f"{name}: {line}" for name, units in printed.items() for line in chosen[name].differences(units)]
    problems = unknown + differences
    typer.echo(_table(chosen), nl=False)
    for line in problems[:MOST]:
        typer.echo(line, err=True)
    if len(problems) > MOST:
        typer.echo(f"and {len(problems) - MOST} more", err=True)
    typer.echo(f"{counted(len(unknown), 'name')} of no statement")
    if printed:
        typer.echo(f"compared with {folder}: {counted(len(differences), 'difference')}")
    else:
        typer.echo(f"not compared with the documents\n{wanted(chosen)}")
    if problems:
        raise typer.Exit(1)


def tell_printed(claim: str, folder: Path | None) -> None:
    """Print what a document says where a claim or its steps judge it, by the reader's copies if there are any."""
    name = claim.partition(".")[0]
    chosen = {document: index for document, index in indexes().items() if name in (document, "cross")}
    printed = {} if folder is None else read_copies(folder, chosen)
    for document, index in chosen.items():
        entries = index.naming(lambda name: claim_of(name) == claim)
        for entry, text in in_words(entries, printed.get(document, ())):
            typer.echo(f"{document}, {entry.place}: {text}\n    {', '.join(entry.names)}")
        typer.echo(f"{counted(len(entries), 'place')} in {document}")
    if chosen and not printed:
        typer.echo(wanted(chosen))


def _table(chosen: Mapping[str, Index]) -> str:
    counts = [index.counts() for index in chosen.values()]
    rows = [(kind.value, *(f"{count[kind]:,}" for count in counts)) for kind in Kind]
    rows.append(("in all", *(f"{len(index.entries):,}" for index in chosen.values())))
    return table_text(("kind", *chosen), rows, "sentences, lines and cells that are printed, by what became of them")
