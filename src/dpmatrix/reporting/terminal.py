"""What a run and a claim look like in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from dpmatrix.claims import Basis, Evidence, Ledger, Outcome, Registry, Role, State
from dpmatrix.claims.provenance import RunKind
from dpmatrix.reporting.excesses import CAPTION, HEADINGS, excess_rows
from dpmatrix.reporting.sentences import (
    binding_words,
    counted,
    outcome_words,
    paragraphs,
    pieces_of_evidence,
    seen_words,
    standing_class,
    standing_words,
)
from dpmatrix.typesetting.prose import in_signs
from dpmatrix.typesetting.statements import Typeset

NONE: Mapping[str, Typeset] = MappingProxyType({})
_COLOURS = {"earned": "green", "confirmed": "bold", "open": "yellow", "unearned": "red", "violated": "bold red"}
_SYMBOLS = {Role.SUPPORTS: "+", Role.REFUTES: "-", Role.SUPPORTS_REPAIR: "r", Role.CONTROL: "c"}
_WIDTH = 118


def _summary(items: list[Evidence]) -> str:
    passed = Counter(
        f"{_SYMBOLS[item.role]}{item.grade.value}{'(not-checked-here)' if item.outcome is Outcome.UNCHECKED else ''}"
        for item in items
        if item.accepted
    )
    return " ".join(f"{key}{'' if count == 1 else f'×{count}'}" for key, count in sorted(passed.items()))


def _to_text(renderable: Table | Group, *, width: int = _WIDTH) -> str:
    console = Console(width=width, highlight=False)
    with console.capture() as capture:
        console.print(renderable, crop=False)
    return capture.get()


def table_text(headings: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return a table of plain words, with a caption below."""
    table = Table(caption=escape(caption), caption_justify="left")
    for index, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=index == 0)
    for row in rows:
        table.add_row(*map(escape, row))
    return _to_text(table)


def standings_table(registry: Registry, ledger: Ledger) -> str:
    """Return the table of claims: id, verdict, standing, evidence that passed (+ - r c and grade)."""
    table = Table(caption="+ supports, - refutes, r supports the repair, c control", caption_justify="left")
    for heading in ("claim", "verdict", "standing", "evidence"):
        table.add_column(heading, overflow="fold")
    for claim in registry:
        standing = ledger.standings[claim.id]
        kind = standing_class({"standing": standing.state.value, "verdict": claim.verdict.value})
        stands = "refutation confirmed" if kind == "confirmed" else standing.state.value
        shown = ", ".join(filter(None, [stands, standing.basis and standing.basis.value]))
        items = [item for item in ledger.evidence if item.citation.claim == claim.id]
        table.add_row(claim.id, claim.verdict.value, Text(shown, style=_COLOURS[kind]), _summary(items))
    return _to_text(table)


def excess_table(ledger: Ledger) -> str:
    """Return the table of what the audits would not have noticed; nothing where none knows."""
    rows = excess_rows(ledger.audits)
    return table_text(HEADINGS, rows, CAPTION) if rows else ""


def gate_lines(registry: Registry, ledger: Ledger, closing: str) -> list[str]:
    """Return the closing lines of a run, the last of which says where it is written."""
    earned = [standing for standing in ledger.standings.values() if standing.state is State.EARNED]
    bases = Counter(standing.basis for standing in earned)
    shares = ", ".join(f"{bases[basis]} {basis.value}" for basis in Basis if bases[basis])
    pieces = pieces_of_evidence([item.node for item in ledger.evidence])
    told = f" ({shares})" if shares else ""
    lines = [f"{len(earned)} of {len(registry)} claims have earned their verdict{told}, on {pieces}"]
    lines += [f"gate: {violation}" for violation in ledger.violations]
    lines.append(f"gate: {'CLOSED, ' + counted(len(ledger.violations), 'objection') if ledger.violations else 'open'}")
    return [*lines, closing]


def claims_table(described: Sequence[Mapping[str, Any]]) -> str:
    """Return the list of claims for a person."""
    table = Table()
    for heading in ("claim", "kind", "verdict", "standing"):
        table.add_column(heading, overflow="fold")
    for claim in described:
        standing = Text(standing_words(claim), style=_COLOURS[standing_class(claim)])
        table.add_row(claim["id"], claim["kind"], claim["verdict"], standing)
    return _to_text(table)


def index_table(described: Sequence[Mapping[str, Any]], document: str, title: str) -> str:
    """Return the claims of a document for a person, each with its label, its place and where it is specified."""
    caption = f"{escape(title)}\nin the order of the document; `claims {document}.LABEL` shows one"
    table = Table(caption=caption, caption_justify="left")
    for heading in ("stated in", "as", "claim", "verdict", "standing", "specified in"):
        table.add_column(heading, overflow="fold", no_wrap=heading == "claim")
    for claim in described:
        standing = Text(standing_words(claim), style=_COLOURS[standing_class(claim)])
        label = claim["id"].partition(".")[2]
        module = claim["specified_in"].rpartition("/")[2]
        table.add_row(claim["place"], escape(claim["label"]), label, claim["verdict"], standing, module)
    return _to_text(table)


def _stated(claim: Mapping[str, Any]) -> str:
    """Say where a document states a claim, and what it states before and after."""
    before, after = (claim.get(side) for side in ("before", "after"))
    lines = [claim.get("place", ""), before and f"before it {before}", after and f"after it {after}"]
    return "\n".join(filter(None, lines))


def _outcome(item: Mapping[str, Any]) -> str:
    accepted = item["from"] == RunKind.ACCEPTED_RUN.value
    return outcome_words(item) + (" in the accepted run" if accepted and item["outcome"] == "passed" else "")


def _item(item: Mapping[str, Any]) -> list[str | Text]:
    """Return the lines about an item of evidence; its name is not broken, so that it can be copied."""
    words = f"[{_outcome(item)}] {item['role']}, {item['grade']}\n    region, in the author's words: {item['region']}"
    for more in (f"seen in the run: {seen_words(item)}" if item["seen"] else "", binding_words(item)):
        words += f"\n    {more}" if more else ""
    proof = [f"proved in {item['proved_in']}"] if "proved_in" in item else []
    after = "".join(f"\n    {more}" for more in (*proof, item["detail"]) if more)[1:]
    name = Text(f"    {item['node']}", no_wrap=True, overflow="ignore")
    return [escape(words), name, *([escape(after)] if after else [])]


def claim_page(claim: Mapping[str, Any], formulas: Mapping[str, Typeset] = NONE) -> str:
    """Return one claim for a person: statement, verdict, counterexample or repair, steps, evidence, code.

    Parameters
    ----------
    claim
        As `dpmatrix.claims.describe` returns it.
    formulas
        Its statements as formulas, by their names, where there are some.
    """
    parts: list[Any] = [f"[bold]{claim['id']}[/bold]  {claim['kind']}, {escape(claim['label'])}"]

    def add(heading: str, text: str) -> None:
        if text:
            parts.append(f"\n[bold]{heading}[/bold]\n{escape(text)}")

    def add_words(heading: str, text: str) -> None:
        add(in_signs(heading), in_signs(text))

    def add_formulas(heading: str, name: str) -> None:
        add(heading, formulas[name].text if name in formulas else "")

    add("Specified in", claim.get("specified_in", ""))
    add("Line by line", "\n".join(claim.get("line_by_line", [])))
    add("Place in the document", _stated(claim))
    add_words("As stated, in our words", claim["printed"])
    add_words("Statement", claim["says"])
    add_words("Given", "\n".join(claim["given"]))
    add_formulas("In symbols, as it is computed", claim["id"])
    add_words("Reading", claim["reading"])
    add("Verdict", f"{claim['verdict']} (standing: {standing_words(claim)})")
    if claim["standing"] is not None:
        add("Of the last run", claim["standing_note"])
    add_words("In short", claim["headline"])
    add_words("Why", "\n\n".join(paragraphs(claim["because"])))
    if claim["repair"]:
        add_words("Repair", f"{claim['repair']['change']}\n{claim['repair']['says']}")
        add_words("Repair, given", "\n".join(claim["repair"]["given"]))
        add_formulas("The repair in symbols, as it is computed", f"{claim['id']}+repair")
    for step in claim["steps"]:
        note = f"\n{step['note']}" if step["note"] else ""
        add_words(f"Step {step['name']}: {step['defect'] or 'sound'}", step["says"] + note)
    add("Rests on", "\n".join(claim["uses"]))
    add("Not settled", "\n".join(claim["reasons"]))
    if claim["evidence"]:
        parts.append("\n[bold]Evidence[/bold]")
    for item in claim["evidence"]:
        parts.extend(_item(item))
    add("Implemented by", "\n".join(claim["implementations"]))
    return _to_text(Group(*parts))
