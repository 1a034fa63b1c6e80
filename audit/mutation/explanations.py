"""Survivors that are explained: the file, and what is wrong with it after a run."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path

from mutation.mutants import Mutant
from mutation.verdicts import Outcome, Verdict

Explanations = Mapping[str, Mapping[str, str]]
"""For each module, by its short name, the reason why a mutant, by its key, cannot be noticed."""


def read(path: Path) -> Explanations:
    """Read the file; none is no explanation."""
    if not path.exists():
        return {}
    return tomllib.loads(path.read_text(encoding="utf-8"))


def explained(explanations: Explanations, mutant: Mutant) -> bool:
    """Whether the file gives a reason for this mutant."""
    return bool(explanations.get(mutant.module.short, {}).get(mutant.key, "").strip())


def stale(
    explanations: Explanations,
    found: Collection[Mutant],
    verdicts: Collection[Verdict],
    modules: Collection[str],
    every: Collection[str],
    *,
    all_ran: bool,
) -> list[str]:
    """List explanations without a survivor.

    Parameters
    ----------
    explanations
        The file.
    found
        Every mutant that exists in the chosen modules.
    verdicts
        What became of those that ran.
    modules
        Short names of the chosen modules; explanations of others are left alone.
    every
        Short names of all modules.
    all_ran
        Whether nothing was left out on purpose.
    """
    problems = []
    known = {(mutant.module.short, mutant.key) for mutant in found}
    outcomes = {(verdict.mutant.module.short, verdict.mutant.key): verdict.outcome for verdict in verdicts}
    for module, reasons in explanations.items():
        if module not in every:
            problems.append(f"{module}: explained, but no such module exists")
        if module not in modules:
            continue
        for key, reason in reasons.items():
            where = f"{module} {key}"
            outcome = outcomes.get((module, key))
            if not reason.strip():
                problems.append(f"{where}: the reason is empty")
            if (module, key) not in known:
                problems.append(f"{where}: explained, but no such mutant exists")
            elif outcome is not None and outcome is not Outcome.SURVIVED:
                problems.append(f"{where}: explained, but it is {outcome.value}")
            elif outcome is None and all_ran:
                problems.append(f"{where}: explained, but it never ran")
    return problems
