"""``dpmatrix trace``: the statements as exact expressions, and why some have none."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.traced import EXTENTS
from dpmatrix.commands.completion import claim_ids
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.runs import AsJson
from dpmatrix.spec import TRACED, load, load_with_foundations
from dpmatrix.tracing import Agreement, compare
from dpmatrix.tracing.survey import Entry, case_record, counts, kept, reasons, survey


@one_line
def trace_command(
    claim: Annotated[
        str | None,
        typer.Argument(help="One claim, such as wishart.theorem-4; all when left out.", autocompletion=claim_ids),
    ] = None,
    *,
    as_json: AsJson = False,
    check: Annotated[
        bool, typer.Option("--check", help="Compare the expressions with the margins at random points.")
    ] = False,
    keep: Annotated[
        bool,
        typer.Option("--keep", help="Write beside the claims which statements have an expression, and why others not."),
    ] = False,
) -> None:
    """Write statements as exact expressions, or count how many can be written and why others cannot."""
    if keep and claim is not None:
        raise typer.BadParameter("--keep is about all claims")
    claims = load() if claim is None else [load_with_foundations(claim)[claim]]
    entries = list(survey(claims))
    if keep:
        write_atomically(TRACED, dump(kept(load(), entries).to_json()))
    agreement = sum((compare(entry.traced) for entry in entries if entry.traced), Agreement()) if check else None
    if as_json:
        record = [entry.to_json() for entry in entries]
        typer.echo(json.dumps(record, indent=1, ensure_ascii=False))
    elif claim is None:
        _print_table(entries)
    else:
        for entry in entries:
            _print_entry(entry)
    if agreement is not None:
        typer.echo(_said(agreement), err=as_json)
        raise typer.Exit(int(bool(agreement.differences)))


def _print_table(entries: list[Entry]) -> None:
    console = Console(width=100)
    for by in ("document", "role"):
        table = Table(by, *(f"traced {extent}" if extent != EXTENTS[-1] else "not traced" for extent in EXTENTS), "all")
        for name, found in counts(entries, by).items():
            table.add_row(name, *(str(found[extent]) for extent in EXTENTS), str(found.total()))
        total = Counter(entry.extent for entry in entries)
        table.add_row("all", *(str(total[extent]) for extent in EXTENTS), str(total.total()))
        console.print(table)
    table = Table("not traced", "reason")
    for reason, count in reasons(entries).most_common():
        table.add_row(str(count), reason)
    console.print(table)


def _print_entry(entry: Entry) -> None:
    if entry.traced is None:
        typer.echo(f"{entry.name}: not traced: {entry.reason}\n")
        return
    typer.echo(f"{entry.name}: traced {entry.extent}")
    for case in entry.traced.cases:
        _print_case(case_record(case))


def _print_case(record: Mapping[str, Mapping[str, str]]) -> None:
    fixed = ", ".join(f"{name} = {value}" for name, value in record["fixed"].items())
    names = ", ".join(f"{name} {sort}" for name, sort in record["variables"].items())
    typer.echo(f"  for {names or 'no variables'}{'; ' if fixed else ''}{fixed}")
    for hypothesis in record["hypotheses"].values():
        typer.echo(f"    given {hypothesis}")
    typer.echo(f"    {record['conclusion']}")
    if record["defined_where"]:
        typer.echo(f"    defined where {'; '.join(record['defined_where'])}")
    typer.echo("")


def _said(agreement: Agreement) -> str:
    counted = (
        f"{agreement.terms} expressions at random points, {agreement.inside} of which are inside the hypotheses: "
        f"{agreement.values} values agree, {agreement.undefined} are no number, {agreement.open} are not decided, "
        f"{len(agreement.differences)} differ"
    )
    return "\n".join((counted, *agreement.differences))
