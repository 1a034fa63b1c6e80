"""The table of a run on the library: what noticed its mutants, by module and kind of change."""

from __future__ import annotations

from collections.abc import Sequence

from mutation.explanations import Explanations, explained
from mutation.report import COLUMNS
from mutation.source_campaign import UNREACHED
from mutation.verdicts import Outcome, Verdict

HEADINGS = ("module", "change", "mutants", *COLUMNS.values(), "explained", "survived", "of these not run")


def _counts(verdicts: Sequence[Verdict], explanations: Explanations) -> list[str]:
    survivors = [verdict for verdict in verdicts if verdict.outcome is Outcome.SURVIVED]
    left = [verdict for verdict in survivors if not explained(explanations, verdict.mutant)]
    killed = [sum(verdict.outcome is outcome for verdict in verdicts) for outcome in COLUMNS]
    unreached = sum(verdict.reason == UNREACHED for verdict in left)
    return [str(number) for number in (len(verdicts), *killed, len(survivors) - len(left), len(left), unreached)]


def table(verdicts: Sequence[Verdict], explanations: Explanations) -> str:
    """Count in Markdown; the same for the same fates."""
    rows = [list(HEADINGS), ["---", "---", *("--:" for _ in HEADINGS[2:])]]
    for kind in sorted({(verdict.mutant.module.short, verdict.mutant.edit.operator) for verdict in verdicts}):
        of_kind = [each for each in verdicts if (each.mutant.module.short, each.mutant.edit.operator) == kind]
        rows.append([*kind, *_counts(of_kind, explanations)])
    rows.append(["all", "all", *_counts(verdicts, explanations)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
