"""Run the evidence against every mutant, and note what each one died of."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias

import attrs
import pytest

from mutation import evidence, substitution
from mutation.mutants import Module, Mutant, margin_names, mutants
from mutation.pool import forked
from mutation.source import Edit

SECONDS_PER_MUTANT = 60.0
SECONDS_OF_BASELINE = 1200.0

ROOMS = ("src", "spec", "proofs_checks", "tests", "audit")

Tell = Callable[[str, int, int], None]
"""Told the phase, how many of its tasks are done, and of how many."""

Affected: TypeAlias = tuple[str, ...] | str | None
"""Claims whose fingerprint changes, or the error on import, or None when the import did not end."""


class Outcome(Enum):
    """What became of a mutant."""

    ASSERTION = "killed by assertion"
    CRASH = "killed by a crash"
    IMPORT = "killed by import error"
    TIMEOUT = "killed by timeout"
    SURVIVED = "survived"
    UNSEEN = "changes no claim"
    BLIND = "noticed by evidence, not by a fingerprint"


KILLED = frozenset({Outcome.ASSERTION, Outcome.CRASH, Outcome.IMPORT, Outcome.TIMEOUT})


@attrs.frozen
class Verdict:
    """A mutant and what became of it.

    Parameters
    ----------
    mutant, outcome
        Which, and what.
    claims
        Claims whose fingerprint changed.
    node
        The item of evidence that noticed.
    reason
        What it said, in a line.
    seconds
        Time that the evidence took.
    """

    mutant: Mutant
    outcome: Outcome
    claims: tuple[str, ...] = ()
    node: str = ""
    reason: str = ""
    seconds: float = 0.0


@attrs.frozen
class Campaign:
    """What is to be mutated, and where.

    Parameters
    ----------
    root
        The checkout; pytest runs there.
    package
        Dotted name of the specification; nothing may have imported it.
    workers
        Number of processes.
    timeout
        Seconds of processor time for each mutant, besides three times what its evidence takes on the unchanged text.
    """

    root: Path
    package: str = "dpmatrix.spec"
    workers: int = 2
    timeout: float = SECONDS_PER_MUTANT

    def files(self) -> dict[str, tuple[int, int]]:
        """Size and time of change of every Python file on which a run depends."""
        files = [path for room in ROOMS for path in (self.root / room).rglob("*.py")]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    def modules(self) -> list[Module]:
        """Read every module of the specification."""
        return Module.find(self.package, substitution.folder_of(self.package))

    def _enumerate(self, modules: Sequence[Module]) -> tuple[Mapping[str, str], list[list[Mutant]]]:
        """Import the specification as it is; return its fingerprints, and the mutants of each module."""
        registry = substitution.load(self.package)
        margins = margin_names(self.modules())

        def of(module: Module) -> list[Mutant]:
            names = vars(sys.modules[module.name])
            return mutants(module, margins, lambda text: eval(text, dict(names)))

        return substitution.fingerprints(registry), [of(module) for module in modules]

    def check_substitution(self, modules: Sequence[Module], fingerprints: Mapping[str, str], tell: Tell) -> None:
        """Exchange each module for its own text, which must change no claim.

        Raises
        ------
        RuntimeError
            If it does, so that a mutant could seem to be noticed for nothing.
        """
        unchanged = [Mutant(module, "unchanged", Edit(0, 0, "", "none", "", "", 1)) for module in modules]
        for mutant, claims in zip(unchanged, self.affected(unchanged, fingerprints, tell), strict=True):
            if claims != ():
                raise RuntimeError(f"{mutant.module.name} exchanged for itself: {claims}")

    def enumerate(self, modules: Sequence[Module]) -> tuple[Mapping[str, str], list[Mutant]]:
        """Return the fingerprints of all claims, and every mutant of the modules."""
        [(_, (fingerprints, found))] = forked(self._enumerate, [modules], lambda _: SECONDS_OF_BASELINE, workers=1)
        return fingerprints, [mutant for group in found for mutant in group]

    def _all(
        self,
        phase: str,
        work: Callable[[Any], Any],
        tasks: Sequence[Any],
        tell: Tell,
        extra: Callable[[Any], float] = lambda _: 0.0,
    ) -> list[Any]:
        answers: list[Any] = [None] * len(tasks)
        for done, (place, answer) in enumerate(
            forked(work, tasks, lambda task: self.timeout + extra(task), workers=self.workers), start=1
        ):
            answers[place] = answer
            tell(phase, done, len(tasks))
        return answers

    def affected(self, found: Sequence[Mutant], fingerprints: Mapping[str, str], tell: Tell) -> list[Affected]:
        """Find for each mutant what it changes."""

        def changed(mutant: Mutant) -> tuple[str, ...] | str:
            try:
                registry = substitution.load(self.package, mutant.module.name, mutant.source)
            except Exception:  # whatever the changed module raises
                return traceback.format_exc().strip().splitlines()[-1]
            now = substitution.fingerprints(registry)
            ids = sorted(now.keys() | fingerprints.keys())
            return tuple(claim for claim in ids if now.get(claim) != fingerprints.get(claim))

        return self._all("which claims change", changed, found, tell)

    def baseline(self, nodes: Sequence[str]) -> dict[str, float]:
        """Run the evidence on the specification as it is; return the seconds of each item.

        Raises
        ------
        NoEvidenceError
            If an item fails.
        """

        def run(nodes: Sequence[str]) -> tuple[int, evidence.Recorder]:
            substitution.load(self.package)
            return evidence.run(self.root, nodes, first_failure=False)

        if not nodes:
            raise evidence.NoEvidenceError("no item of evidence speaks about the chosen modules")
        [(_, answer)] = forked(run, [nodes], lambda _: SECONDS_OF_BASELINE, workers=1)
        if answer is None:
            raise evidence.NoEvidenceError(f"the evidence took more than {SECONDS_OF_BASELINE:.0f} s")
        code: int = answer[0]
        recorder: evidence.Recorder = answer[1]
        if code != pytest.ExitCode.OK:
            raise evidence.NoEvidenceError(
                f"the evidence fails before anything is changed (exit code {code}): {recorder.failed} {recorder.reason}"
            )
        return recorder.seconds

    def _judge(self, task: tuple[Mutant, tuple[str, ...], Sequence[str]]) -> Verdict:
        mutant, claims, nodes = task
        substitution.load(self.package, mutant.module.name, mutant.source)
        code, recorder = evidence.run(self.root, nodes, first_failure=True)
        seconds = sum(recorder.seconds.values())
        if code == pytest.ExitCode.OK:
            return Verdict(mutant, Outcome.SURVIVED, claims, seconds=seconds)
        if not recorder.failed:
            return Verdict(mutant, Outcome.IMPORT, claims, reason=recorder.reason, seconds=seconds)
        outcome = Outcome.ASSERTION if recorder.judged else Outcome.CRASH
        return Verdict(mutant, outcome, claims, recorder.failed, recorder.reason, seconds)

    def judge(
        self,
        found: Sequence[Mutant],
        affected: Sequence[Affected],
        nodes_of: Mapping[str, frozenset[str]],
        seconds: Mapping[str, float],
        tell: Tell,
    ) -> list[Verdict]:
        """Run the affected claims' evidence against each mutant.

        A mutant that changes no fingerprint runs against the evidence of all claims that its module affects: it must
        pass, or fingerprints are blind to what evidence sees.
        """
        reach: dict[str, set[str]] = {}
        for mutant, claims in zip(found, affected, strict=True):
            if isinstance(claims, tuple):
                reach.setdefault(mutant.module.name, set()).update(claims)
        verdicts: list[Verdict] = []
        tasks: list[tuple[Mutant, tuple[str, ...], Sequence[str]]] = []
        for mutant, claims in zip(found, affected, strict=True):
            if claims is None:
                verdicts.append(Verdict(mutant, Outcome.TIMEOUT))
            elif isinstance(claims, str):
                verdicts.append(Verdict(mutant, Outcome.IMPORT, reason=claims))
            else:
                asked = claims or sorted(reach[mutant.module.name])
                nodes = {node for claim in asked for node in nodes_of.get(claim, ())}
                if nodes:
                    tasks.append((mutant, claims, evidence.in_order(nodes, seconds)))
                else:
                    verdicts.append(Verdict(mutant, Outcome.SURVIVED, claims, reason="no evidence"))

        def extra(task: tuple[Mutant, tuple[str, ...], Sequence[str]]) -> float:
            return 3 * sum(seconds.get(node, 0.0) for node in task[2])

        answers = self._all("evidence against mutants", self._judge, tasks, tell, extra)
        for (mutant, claims, _), answer in zip(tasks, answers, strict=True):
            verdict = answer or Verdict(mutant, Outcome.TIMEOUT, claims)
            if not claims:
                unseen = Outcome.UNSEEN if verdict.outcome is Outcome.SURVIVED else Outcome.BLIND
                verdict = attrs.evolve(verdict, outcome=unseen)
            verdicts.append(verdict)
        return verdicts
