"""``dpmatrix claims``: what the documents state, the verdicts, and how far a run has earned them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from dpmatrix.claims import Ledger, Outcome, describe
from dpmatrix.commands.completion import claim_ids
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.runs import DEFAULT_LEDGER, LedgerPath, read_ledger
from dpmatrix.commands.sentences import tell_printed
from dpmatrix.kernel.sources import FOLDER, recorded
from dpmatrix.printed.copies import folder_of_copies
from dpmatrix.reporting.bindings import add_bindings, bindings_text
from dpmatrix.reporting.implementations import cited_in_sources
from dpmatrix.reporting.sentences import counted
from dpmatrix.reporting.survey import survey, survey_table
from dpmatrix.reporting.terminal import claim_page, claims_table
from dpmatrix.spec import STANDINGS, accepted_run, load, load_with_foundations, places, traced, tried


def exit_code(described: Iterable[Mapping[str, Any]]) -> int:
    """Return 1 when a run left a claim violated or unearned."""
    return int(any(claim["standing"] in ("violated", "unearned") for claim in described))


@one_line
def claims_command(
    claim: Annotated[
        str | None,
        typer.Argument(help="One claim, such as wishart.theorem-4; all when left out.", autocompletion=claim_ids),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    table: Annotated[bool, typer.Option("--table", help="One row a claim: form, support, hypotheses, trials.")] = False,
    bindings: Annotated[
        bool,
        typer.Option("--bindings", help="Count how formulas of proofs are bound to statements, and why not better."),
    ] = False,
    ledger: LedgerPath = DEFAULT_LEDGER,
) -> None:
    """List the claims, or show one, with what the last run says of them, or else the accepted one."""
    if table:
        rows = survey(load() if claim is None else load_with_foundations(claim), accepted_run(), tried())
        shown = rows if claim is None else [row for row in rows if row["id"] == claim]
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False) if as_json else survey_table(shown))
        return
    run = read_ledger(ledger)
    registry = load() if claim is None else load_with_foundations(claim)
    wanted = None if claim is None else (claim,)
    described = describe(registry, run, cited_in_sources(), accepted_run(), wanted)
    for entry in described:
        entry["specified_in"] = str(places().get(entry["id"], ""))
        _date_certificates(entry["evidence"])
    add_bindings(described, registry, traced())
    for line in _remarks(run, described):
        typer.echo(line, err=True)
    if bindings:
        rows = [row for entry in described for row in entry["bindings"]]
        typer.echo(json.dumps(rows, indent=1, ensure_ascii=False) if as_json else bindings_text(described), nl=as_json)
    elif as_json:
        typer.echo(json.dumps(described if claim is None else described[0], indent=1, ensure_ascii=False))
    else:
        typer.echo(claims_table(list(described)) if claim is None else claim_page(described[0]), nl=False)
        if claim is not None and (copies := folder_of_copies()) is not None:
            typer.echo("\nPrinted, by your copy")
            tell_printed(claim, copies)
    raise typer.Exit(exit_code(described))


def _date_certificates(evidence: list[dict[str, Any]]) -> None:
    """Say of which day the certificate of a theorem is where the accepted run is shown, which keeps no details."""
    unchecked = [item for item in evidence if item["outcome"] == Outcome.UNCHECKED.value and not item["detail"]]
    if unchecked:
        date = recorded(STANDINGS.parents[1] / FOLDER)["date"]
        for item in unchecked:
            item["detail"] = f"certificate of {date}, not checked here"


def _remarks(run: Ledger | None, described: list[dict[str, Any]]) -> list[str]:
    """Say where the standings come from, unless all of them are those of the last run."""
    accepted = sum(claim["standing_from"] == "accepted run" for claim in described)
    unknown = sum(claim["standing"] is None for claim in described)
    older = sum(bool(claim["standing_note"]) for claim in described)
    lines = []
    if run is None and accepted:
        lines.append("no run here: standings are those of the accepted run, spec/standings.json; `make audit` runs it")
    elif run is not None and older:
        lines.append(f"the last run is older than {counted(older, 'claim')}, or than what they rest on; see there")
    if unknown:
        lines.append(f"{counted(unknown, 'claim')}, or what they rest on, changed since any run: no standing")
    return lines
