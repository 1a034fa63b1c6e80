"""``dpmatrix claims``: what the documents state, the verdicts, and how far a run has earned them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from dpmatrix.claims import Ledger, Outcome, Registry, describe
from dpmatrix.commands.completion import claims_and_documents
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.places import about_the_place, in_order, line_by_line
from dpmatrix.commands.runs import DEFAULT_LEDGER, LedgerPath, read_ledger
from dpmatrix.commands.sentences import tell_printed
from dpmatrix.errors import InvalidParameterError
from dpmatrix.kernel.sources import FOLDER, Sources, recorded
from dpmatrix.printed.copies import folder_of_copies
from dpmatrix.reporting.bindings import add_bindings, bindings_text
from dpmatrix.reporting.implementations import cited_in_sources
from dpmatrix.reporting.known_fingerprints import known_fingerprints
from dpmatrix.reporting.search import search
from dpmatrix.reporting.sentences import counted
from dpmatrix.reporting.survey import survey, survey_table
from dpmatrix.reporting.terminal import claim_page, claims_table, index_table
from dpmatrix.spec import (
    STANDINGS,
    accepted_run,
    catalogue,
    documents,
    load,
    load_with_foundations,
    places,
    traced,
    tried,
)
from dpmatrix.typesetting.registries import typeset_claims

_PART = re.compile(r"(?P<claim>[a-z-]+\.[a-z0-9-]+)(\+repair)?(/[a-z0-9-]+)?(@(?P<print>[0-9a-f]+))?")
_THEOREM = re.compile(r"theorem (?P<name>[\w.]+): ")
MOST = 20
"""Claims that a person is shown of those that have some words."""


def exit_code(described: Iterable[Mapping[str, Any]]) -> int:
    """Return 1 when a run left a claim violated or unearned."""
    return int(any(claim["standing"] in ("violated", "unearned") for claim in described))


@one_line
def claims_command(
    claim: Annotated[
        str | None,
        typer.Argument(
            help="One claim, such as wishart.theorem-4, or one document, such as wishart; all when left out.",
            autocompletion=claims_and_documents,
        ),
    ] = None,
    *,
    find: Annotated[
        str | None, typer.Option("--find", help="Claims that have all these words, the best first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    table: Annotated[bool, typer.Option("--table", help="One row a claim: form, support, hypotheses, trials.")] = False,
    bindings: Annotated[
        bool,
        typer.Option("--bindings", help="Count how formulas of proofs are bound to statements, and why not better."),
    ] = False,
    at: Annotated[
        list[str] | None,
        typer.Option("--at", metavar="FIELD=VALUE,...", help="Evaluate ID, ID+repair or ID/STEP there."),
    ] = None,
    chosen: Annotated[
        list[str] | None,
        typer.Option("--with", metavar="CONSTANT=VALUE", help="With --at: a number that the statement says exists."),
    ] = None,
    fields: Annotated[bool, typer.Option("--fields", help="Say which fields --at takes, and give an example.")] = False,
    as_latex: Annotated[
        bool, typer.Option("--latex", help="Print one claim as LaTeX, with entries of BibTeX for it and its document.")
    ] = False,
    seconds: Annotated[int, typer.Option("--seconds", min=1, help="With --at: processor time at most.")] = 60,
    ledger: LedgerPath = DEFAULT_LEDGER,
) -> None:
    """List the claims, those of a document, or those with some words, or show one, as the last run left them."""
    if at is not None or chosen is not None or fields:
        both = fields and (at is not None or chosen is not None)
        _refuse({"--find": find is not None, "--table": table, "--bindings": bindings, "--fields": both})
        _about_one(claim, at or [], chosen or [], seconds, fields=fields, as_json=as_json)
        return
    claim = None if claim is None else _whole(claim)
    if as_latex:
        _refuse_beside(
            "--latex", {"--find": find is not None, "--table": table, "--bindings": bindings, "--json": as_json}
        )
        _print_latex(claim)
        return
    registry, wanted = _chosen(claim, find)
    more = 0
    if find is not None and not as_json:
        more, wanted = max(0, len(wanted) - MOST), wanted[:MOST]
    one = find is None and wanted == (claim,)
    if table:
        rows = {row["id"]: row for row in survey(registry, accepted_run(), tried())}
        shown = [rows[name] for name in wanted]
        typer.echo(json.dumps(shown, indent=1, ensure_ascii=False) if as_json else survey_table(shown))
        return
    run = read_ledger(ledger)
    registry.fingerprints.take(known_fingerprints(exactly=run is not None))
    described = describe(registry, run, cited_in_sources(), accepted_run(), wanted)
    ordered = claim is not None and find is None and not one
    # A mere list shows none of this, and is what a newcomer asks for first.
    for entry in described if one or ordered or as_json or bindings else ():
        entry["specified_in"] = str(places().get(entry["id"], ""))
        entry |= about_the_place(entry["id"]) | {"line_by_line": line_by_line(entry["id"])}
        _date_certificates(entry["evidence"])
    if one:
        _name_proofs(described[0]["evidence"])
    if one or as_json or bindings:
        add_bindings(described, registry, traced())
    for line in _remarks(run, described):
        typer.echo(line, err=True)
    if bindings:
        rows_of_bindings = [row for entry in described for row in entry["bindings"]]
        text = json.dumps(rows_of_bindings, indent=1, ensure_ascii=False) if as_json else bindings_text(described)
        typer.echo(text, nl=as_json)
    elif as_json:
        typer.echo(json.dumps(described[0] if one else described, indent=1, ensure_ascii=False))
    elif one:
        typer.echo(claim_page(described[0], typeset_claims(Registry.of([registry[wanted[0]]]))), nl=False)
        if (copies := folder_of_copies()) is not None:
            typer.echo("\nPrinted, by your copy")
            tell_printed(described[0]["id"], copies)
    elif claim is not None and ordered:
        typer.echo(index_table(described, claim, documents()[claim]), nl=False)
    else:
        typer.echo(claims_table(described), nl=False)
        if more:
            typer.echo(f"and {counted(more, 'claim')} more; look for more words, or in one document")
    raise typer.Exit(exit_code(described))


def _whole(name: str) -> str:
    """Return the claim of which this names a part: a repair, a step, or a citation with a fingerprint, which is said.

    A name that is no part of a claim is returned as it is.
    """
    cited = _PART.fullmatch(name)
    if cited is None or cited["claim"] == name or cited["claim"] not in catalogue().ids:
        return name
    registry = load_with_foundations(cited["claim"])
    part = name.partition("@")[0]
    if part not in registry[cited["claim"]].statements():
        return name
    if part != cited["claim"]:
        typer.echo(f"{part} is shown with its claim, {cited['claim']}", err=True)
    now = registry.fingerprints[cited["claim"]]
    if cited["print"] not in (None, now):
        typer.echo(f"cited at {cited['print']}; the claim has changed since: it is at {now}", err=True)
    return str(cited["claim"])


def _refuse(options: Mapping[str, bool]) -> None:
    """Refuse options that do not go with --at, --with and --fields; errors as in `_refuse_beside`."""
    for name, given in options.items():
        _refuse_beside("--at and --with" if name == "--fields" else "--at, --with and --fields", {name: given})


def _refuse_beside(one: str, options: Mapping[str, bool]) -> None:
    """Refuse options that do not go with another one.

    Raises
    ------
    InvalidParameterError
        If one is given.
    """
    for name in (name for name, given in options.items() if given):
        raise InvalidParameterError(name, f"it does not go with {one}", "leave one out")


def _print_latex(claim: str | None) -> None:
    """Print a claim for a paper.

    Raises
    ------
    typer.BadParameter
        If no claim is named.
    """
    if claim is None or claim in documents():
        raise typer.BadParameter("name one claim, such as wishart.theorem-4", param_hint="--latex")
    from dpmatrix.typesetting.papers import latex

    registry = load_with_foundations(claim)
    found = registry[claim]
    typer.echo(latex(found, registry.fingerprints[claim], documents()[found.document]))


def _about_one(
    target: str | None, at: list[str], chosen: list[str], seconds: int, *, fields: bool, as_json: bool
) -> None:
    """Say what points of a statement are, or evaluate it at one; other look-ups start without what that needs."""
    if fields:
        from dpmatrix.commands.record_fields import show_fields

        show_fields(target, as_json=as_json)
    else:
        from dpmatrix.commands.statements import evaluate_at

        evaluate_at(target, at, chosen, seconds, as_json=as_json)


def _chosen(what: str | None, find: str | None) -> tuple[Registry, tuple[str, ...]]:
    """Return the claims that are shown, in their order, and a registry that holds them and all that they rest on.

    Raises
    ------
    UnknownClaimError
        If there is no such claim or document.
    NothingFoundError
        If no claim has all the words.
    """
    document = what if what in documents() else None
    if find is not None and what is not None and document is None:
        raise typer.BadParameter(f"{what!r} is no document; words are looked for in one document or in all")
    if find is not None:
        registry = load()
        searched = [one for one in registry if document in (None, one.document)]
        return registry, tuple(one.id for one in search(searched, find, documents()))
    if document is not None:
        wanted = tuple(stated.claim for stated in in_order(document))
        return load_with_foundations(*wanted), wanted
    if what is not None:
        return load_with_foundations(what), (what,)
    registry = load()
    return registry, tuple(registry.claims)


def _date_certificates(evidence: list[dict[str, Any]]) -> None:
    """Say of which day the certificate of a theorem is where the accepted run is shown, which keeps no details."""
    unchecked = [item for item in evidence if item["outcome"] == Outcome.UNCHECKED.value and not item["detail"]]
    if unchecked:
        date = recorded(STANDINGS.parents[1] / FOLDER)["date"]
        for item in unchecked:
            item["detail"] = f"certificate of {date}, not checked here"


def _name_proofs(evidence: list[dict[str, Any]]) -> None:
    """Say in which file of the checkout a proof assistant's proof stands."""
    kernel = [item for item in evidence if item["grade"].startswith("kernel")]
    folder = STANDINGS.parents[1] / FOLDER
    if kernel and folder.is_dir():
        from dpmatrix.kernel.theorems import read_theorems

        theorems = read_theorems(folder, Sources.read(folder))
        for item in kernel:
            named = _THEOREM.match(item["region"])
            if named is not None and named["name"] in theorems:
                item["proved_in"] = (FOLDER / theorems[named["name"]].file).as_posix()


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
