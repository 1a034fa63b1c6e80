"""Ask items about a mutant in this process, which was forked for it, and remember which item noticed what."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

from mutation import evidence, substitution
from mutation.imports import Imports
from mutation.mutants import Mutant
from mutation.verdicts import Outcome, Verdict

SECONDS_PER_MUTANT = 60.0
SECONDS_OF_BASELINE = 1200.0

Tell = Callable[[str, int, int], None]
"""Told the phase, how many of its tasks are done, and of how many."""


def unimportable(mutant: Mutant, claims: tuple[str, ...] = ()) -> Verdict:
    """Return the verdict where a changed module raised what is being handled."""
    return Verdict(mutant, Outcome.IMPORT, claims, reason=traceback.format_exc().strip().splitlines()[-1])


def ended(mutant: Mutant, signal: str, claims: tuple[str, ...] = ()) -> Verdict:
    """Return the verdict where a signal ended the process that was asked."""
    return Verdict(mutant, Outcome.CRASH, claims, reason=f"the process ended by {signal}")


def verdict_of(mutant: Mutant, recorder: evidence.Recorder, claims: tuple[str, ...] = ()) -> Verdict:
    """Return the verdict of items that ran up to the first that failed."""
    seconds = sum(recorder.seconds.values())
    if not recorder.failed:
        return Verdict(mutant, Outcome.SURVIVED, claims, seconds=seconds)
    outcome = Outcome.ASSERTION if recorder.judged else Outcome.CRASH
    return Verdict(mutant, outcome, claims, recorder.failed, recorder.reason, seconds)


def ask(root: Path, mutant: Mutant, nodes: Sequence[str], claims: tuple[str, ...] = ()) -> Verdict:
    """Run items in this process, which has imported the mutant, up to the first that notices.

    The first item is asked alone: mostly it notices, and the files of the others need not be read.
    """
    code, recorder, seconds = int(pytest.ExitCode.OK), evidence.Recorder(), 0.0
    for part in filter(None, (nodes[:1], nodes[1:])):
        code, recorder = evidence.run(root, part, first_failure=True)
        seconds += sum(recorder.seconds.values())
        if code != pytest.ExitCode.OK:
            break
    if code == pytest.ExitCode.OK:
        return Verdict(mutant, Outcome.SURVIVED, claims, seconds=seconds)
    if not recorder.failed:
        return Verdict(mutant, Outcome.IMPORT, claims, reason=recorder.reason, seconds=seconds)
    return attrs.evolve(verdict_of(mutant, recorder, claims), seconds=seconds)


def ask_exchanged(root: Path, imports: Imports, mutant: Mutant, nodes: Sequence[str], drafts: Path) -> Verdict:
    """Exchange the module of a mutant in this process, and ask."""
    try:
        substitution.exchange(imports, mutant.module.name, mutant.source, drafts)
    except substitution.StaleError:
        raise
    except Exception:  # whatever the changed module raises
        return unimportable(mutant)
    return ask(root, mutant, nodes)


@attrs.define
class Memory:
    """Which items noticed mutants of a function, and which one noticed a mutant in an earlier run."""

    _kills: dict[tuple[str, str], Counter[str]] = attrs.field(factory=dict, init=False)
    _earlier: dict[str, str] = attrs.field(factory=dict, init=False)

    def keep(self, mutant: Mutant, node: str) -> None:
        """Remember an item that noticed; none is nothing to remember."""
        if node:
            self._kills.setdefault(_scope(mutant), Counter())[node] += 1

    def keep_earlier(self, mutant: Mutant, node: str) -> None:
        """Remember an item that noticed this mutant in an earlier run."""
        self._earlier[mutant.name] = node
        self.keep(mutant, node)

    def order(self, mutant: Mutant, nodes: Iterable[str], seconds: Mapping[str, float]) -> Sequence[str]:
        """Order items by how soon they may notice a mutant."""
        return evidence.in_order(
            nodes, seconds, self._kills.get(_scope(mutant), Counter()), self._earlier.get(mutant.name)
        )


def _scope(mutant: Mutant) -> tuple[str, str]:
    return mutant.module.name, mutant.edit.scope
