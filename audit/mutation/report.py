"""Tables and records of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mutation.campaign import KILLED, Outcome, Verdict
from mutation.explanations import Explanations, explained

COLUMNS = {
    Outcome.ASSERTION: "by assertion",
    Outcome.CRASH: "by crash",
    Outcome.IMPORT: "by import",
    Outcome.TIMEOUT: "by timeout",
}
"""What a mutant may be killed by, and the heading of its column."""


def counts_table(verdicts: Sequence[Verdict], explanations: Explanations) -> Table:
    """One row per module: mutants, what killed them, survivors."""
    table = Table(title="mutants of the specification", show_footer=True)
    counted = [verdict for verdict in verdicts if verdict.outcome in KILLED or verdict.outcome is Outcome.SURVIVED]
    modules = list(dict.fromkeys(verdict.mutant.module.short for verdict in verdicts))

    def row(chosen: Sequence[Verdict]) -> list[str]:
        outcomes = Counter(verdict.outcome for verdict in chosen)
        survivors = [verdict for verdict in chosen if verdict.outcome is Outcome.SURVIVED]
        reasons = sum(explained(explanations, verdict.mutant) for verdict in survivors)
        numbers = [len(chosen), *(outcomes[outcome] for outcome in COLUMNS), reasons, len(survivors) - reasons]
        return [str(number) for number in numbers]

    names = ["mutants", *COLUMNS.values(), "explained", "survived"]
    table.add_column("module", footer="all")
    for name, total in zip(names, row(counted), strict=True):
        table.add_column(name, justify="right", footer=total)
    for module in modules:
        table.add_row(module, *row([verdict for verdict in counted if verdict.mutant.module.short == module]))
    return table


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
