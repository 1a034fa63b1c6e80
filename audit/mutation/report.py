"""Tables and records of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mutation.explanations import Explanations, explained
from mutation.verdicts import KILLED, Outcome, Verdict

COLUMNS = {
    Outcome.ASSERTION: "by assertion",
    Outcome.CRASH: "by crash",
    Outcome.IMPORT: "by import",
    Outcome.TIMEOUT: "by timeout",
}
"""What a mutant may be killed by, and the heading of its column."""


HEADINGS = ("mutants", *COLUMNS.values(), "explained", "survived", "change no claim", "blind")


def _counts(verdicts: Sequence[Verdict], explanations: Explanations) -> list[str]:
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    survivors = [verdict for verdict in verdicts if verdict.outcome is Outcome.SURVIVED]
    reasons = sum(explained(explanations, verdict.mutant) for verdict in survivors)
    counted = sum(outcomes[outcome] for outcome in (*KILLED, Outcome.SURVIVED))
    killed = [outcomes[outcome] for outcome in COLUMNS]
    others = [outcomes[Outcome.UNSEEN], outcomes[Outcome.BLIND]]
    return [str(number) for number in (counted, *killed, reasons, len(survivors) - reasons, *others)]


def counts_table(verdicts: Sequence[Verdict], explanations: Explanations) -> Table:
    """One row per module: mutants, what killed them, survivors."""
    table = Table(title="mutants of the specification, and of what it computes with", show_footer=True)
    table.add_column("module", footer="all")
    for name, total in zip(HEADINGS, _counts(verdicts, explanations), strict=True):
        table.add_column(name, justify="right", footer=total)
    for module in dict.fromkeys(verdict.mutant.module.short for verdict in verdicts):
        table.add_row(module, *_counts([each for each in verdicts if each.mutant.module.short == module], explanations))
    return table


def _rows(verdicts: Sequence[Verdict], explanations: Explanations) -> Iterator[list[str]]:
    kinds = sorted({(verdict.mutant.module.short, verdict.mutant.edit.operator) for verdict in verdicts})
    for kind in kinds:
        of_kind = [each for each in verdicts if (each.mutant.module.short, each.mutant.edit.operator) == kind]
        yield [*kind, *_counts(of_kind, explanations)]
    yield ["all", "all", *_counts(verdicts, explanations)]


def table_file(verdicts: Sequence[Verdict], explanations: Explanations) -> str:
    """Count by module and kind of change, in Markdown; the same for the same fates."""
    headings = ["module", "change", *HEADINGS]
    lines = [headings, ["---", "---", *("--:" for _ in HEADINGS)], *_rows(verdicts, explanations)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


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


def records(verdicts: Sequence[Verdict], explanations: Explanations) -> list[dict[str, Any]]:
    """Everything, for a file."""
    return [
        {
            "module": verdict.mutant.module.short,
            "key": verdict.mutant.key,
            "operator": verdict.mutant.edit.operator,
            "line": verdict.mutant.edit.line,
            "diff": verdict.mutant.diff(),
            "outcome": verdict.outcome.name.lower(),
            "claims": list(verdict.claims),
            "node": verdict.node,
            "reason": verdict.reason,
            "seconds": round(verdict.seconds, 3),
            "explained": explained(explanations, verdict.mutant),
        }
        for verdict in verdicts
    ]


def unnoticed(found: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Return the names of the mutants that a record says no item noticed in time, whatever explains them."""
    noticed = {outcome.name.lower() for outcome in (*KILLED, Outcome.UNSEEN)} - {Outcome.TIMEOUT.name.lower()}
    return frozenset(f"{record['module']} {record['key']}" for record in found if record["outcome"] not in noticed)
