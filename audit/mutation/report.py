"""Tables and records of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mutation.explanations import Explanations, explained
from mutation.mutants import Module, Mutant
from mutation.verdicts import CRASHED, KILLED, Outcome, Verdict

COLUMNS = {
    Outcome.ASSERTION: "by assertion",
    Outcome.CRASH: "by crash",
    Outcome.IMPORT: "by import",
    Outcome.TIMEOUT: "by timeout",
}
"""What a mutant may be killed by, and the heading of its column."""


Record: TypeAlias = dict[str, Any]
"""One mutant and its fate, as a file has it."""

_NOTICED = frozenset(one.word for one in (*KILLED, Outcome.UNSEEN) if one is not Outcome.TIMEOUT)

HEADINGS = ("mutants", *COLUMNS.values(), "explained", "survived", "change no claim", "blind")


def counts(found: Sequence[Record]) -> list[int]:
    """Count records by what became of their mutants, in the order of `HEADINGS`."""
    outcomes = Counter(Outcome[record["outcome"].upper()] for record in found)
    reasons = sum(record["explained"] for record in found if record["outcome"] == Outcome.SURVIVED.word)
    counted = sum(outcomes[outcome] for outcome in (*KILLED, Outcome.SURVIVED))
    killed = [outcomes[outcome] for outcome in COLUMNS]
    others = [outcomes[Outcome.UNSEEN], outcomes[Outcome.BLIND]]
    return [counted, *killed, reasons, outcomes[Outcome.SURVIVED] - reasons, *others]


def counts_table(found: Sequence[Record]) -> Table:
    """One row per module: mutants, what killed them, survivors."""
    table = Table(title="mutants of the specification, and of what it computes with", show_footer=True)
    table.add_column("module", footer="all")
    for name, total in zip(HEADINGS, counts(found), strict=True):
        table.add_column(name, justify="right", footer=str(total))
    for module in dict.fromkeys(record["module"] for record in found):
        table.add_row(module, *map(str, counts([record for record in found if record["module"] == module])))
    return table


def unexplained(verdicts: Sequence[Verdict], explanations: Explanations) -> list[Verdict]:
    """Return the survivors without a reason."""
    survivors = [verdict for verdict in verdicts if verdict.outcome is Outcome.SURVIVED]
    return [verdict for verdict in survivors if not explained(explanations, verdict.mutant)]


def print_problems(console: Console, problems: Sequence[str]) -> None:
    """Print what is wrong with the explanations."""
    for problem in problems:
        console.print(f"[red]explanation:[/red] {problem}", soft_wrap=True)


def print_verdicts(console: Console, title: str, verdicts: Sequence[Verdict]) -> None:
    """Print each mutant with its changed lines and the claims that it touches."""
    if not verdicts:
        return
    console.rule(f"{title}: {len(verdicts)}")
    for verdict in verdicts:
        mutant = verdict.mutant
        console.print(f"[bold]{escape(mutant.name)}[/bold] (line {mutant.edit.line})", soft_wrap=True)
        for line in mutant.diff():
            console.print(f"    [{'red' if line[0] == '-' else 'green'}]{escape(line)}", soft_wrap=True)
        about = ", ".join(verdict.claims) or "no claim"
        console.print(f"    {about}; {verdict.node} {escape(verdict.reason)}", soft_wrap=True)


def records(verdicts: Sequence[Verdict], explanations: Explanations) -> list[Record]:
    """Everything, for a file."""
    codes = {module: module.code for module in {verdict.mutant.module for verdict in verdicts}}
    return [
        {
            "module": verdict.mutant.module.short,
            "code": codes[verdict.mutant.module],
            "key": verdict.mutant.key,
            "operator": verdict.mutant.edit.operator,
            "line": verdict.mutant.edit.line,
            "diff": verdict.mutant.diff(),
            "outcome": verdict.outcome.word,
            "claims": list(verdict.claims),
            "node": verdict.node,
            "reason": verdict.reason,
            "seconds": round(verdict.seconds, 3),
            "explained": explained(explanations, verdict.mutant),
        }
        for verdict in verdicts
    ]


def read_records(path: Path) -> list[Record]:
    """Read what an earlier run wrote.

    Raises
    ------
    LookupError
        If the file holds no records.
    """
    try:
        found: list[Record] = json.loads(path.read_text(encoding="utf-8"))
        fates = [Outcome[record["outcome"].upper()] for record in found]  # a word for none is a KeyError
        known = [record for record in found if record["module"] and record["key"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise LookupError(f"{path} holds no records of a run with --json ({error!r}); name another file") from error
    if len(known) < len(fates):
        raise LookupError(f"{path} has a record without a mutant; name another file")
    return found


def _name(record: Record) -> str:
    return f"{record['module']} {record['key']}"


def current(earlier: Sequence[Record], modules: Iterable[Module]) -> list[Record]:
    """Return what was recorded of modules that compute today what they computed then."""
    codes = {module.short: module.code for module in modules}
    return [record for record in earlier if record.get("code", "") == codes.get(record["module"])]


def stands(earlier: Sequence[Record], explanations: Explanations) -> dict[str, bool]:
    """Whether an item noticed a mutant in time, or its survival was explained then and still is, by its name."""
    return {
        _name(record): record["outcome"] in _NOTICED
        or bool(record.get("explained") and record["key"] in explanations.get(record["module"], {}))
        for record in earlier
    }


def crashed(records: Sequence[Record]) -> frozenset[str]:
    """Return the names of the mutants that made the evidence crash, or could not be imported."""
    words = {outcome.word for outcome in CRASHED}
    return frozenset(_name(record) for record in records if record["outcome"] in words)


def renewed(earlier: Sequence[Record], judged: Sequence[Record], found: Collection[Mutant]) -> list[Record]:
    """Return an earlier record with what was judged again in the place of what nobody had noticed.

    What is said there of mutants that do not exist any more is left out.
    """
    names = {mutant.name for mutant in found} - {_name(record) for record in judged}
    return [record for record in earlier if _name(record) in names] + [*judged]
