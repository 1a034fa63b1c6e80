"""Run the evidence against every mutant, and note what each one died of."""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest

from mutation import evidence, substitution
from mutation.asking import SECONDS_OF_BASELINE, SECONDS_PER_MUTANT, Memory, Tell, ask, ended, unimportable
from mutation.imports import Imports
from mutation.mutants import Module, Mutant, margin_names, mutants
from mutation.pool import forked
from mutation.reach import Reach, claims_now, fingerprints_now, noting_calls
from mutation.source import Edit
from mutation.verdicts import Outcome, Verdict

FOLDERS = ("src", "spec", *evidence.FOLDERS)


@attrs.frozen
class Task:
    """A mutant, the claims that it may change, and the claims to ask if it changes none."""

    mutant: Mutant
    claims: tuple[str, ...]
    otherwise: tuple[str, ...] = ()


@attrs.frozen
class Campaign:
    """What is to be mutated, and where.

    Parameters
    ----------
    root
        The checkout; pytest runs there.
    package
        Dotted name of the specification.
    base
        Dotted names of what statements compute with besides.
    drafts
        A folder for the texts of mutants.
    workers
        Number of processes.
    timeout
        Seconds of processor time for each mutant, besides three times what its evidence takes on the unchanged text.
    """

    root: Path
    package: str
    base: tuple[str, ...]
    drafts: Path
    workers: int = 2
    timeout: float = SECONDS_PER_MUTANT
    imports: Imports = attrs.field(init=False)
    memory: Memory = attrs.field(factory=Memory, init=False)

    @imports.default
    def _imports(self) -> Imports:
        folders = {folder: self.root / folder for folder in evidence.FOLDERS}
        library = {name: substitution.folder_of(name) for name in ("dpmatrix", self.package)}
        return Imports.of(folders | library)

    def files(self) -> dict[str, tuple[int, int]]:
        """Size and time of change of every Python file on which a run depends."""
        files = [path for folder in FOLDERS for path in (self.root / folder).rglob("*.py")]
        return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}

    def modules(self) -> list[Module]:
        """Read every module of the specification, and of what statements compute with."""
        found = Module.find(self.package, substitution.folder_of(self.package))
        for name in self.base:
            found += Module.of_base(name, substitution.folder_of(name))
        return found

    def enumerate(self, modules: Sequence[Module], claims: Collection[str]) -> tuple[Reach, list[Mutant]]:
        """Import the specification; return what the chosen claims consist of, and the mutants that may touch them.

        Raises
        ------
        LookupError
            If a chosen claim does not exist.
        """

        def survey(_: None) -> tuple[Reach | list[str], list[Mutant]]:
            with noting_calls() as called:
                registry = importlib.import_module(self.package).load()
            unknown = sorted(set(claims) - {claim.id for claim in registry})
            if unknown:
                return unknown, []
            reach = Reach.of(registry, claims, called)
            needed = self.imports.closure(reach.homes[claim] for claim in reach.described)
            margins = margin_names(module for module in self.modules() if not module.trusted)
            found: list[Mutant] = []
            for module in modules:
                if claims and module.name not in needed:
                    continue
                value = partial(_value, vars(importlib.import_module(module.name)))
                found += mutants(module, margins, value, substitution.VACUOUS)
            return reach, found

        [(_, answer)] = forked(survey, [None], lambda _: SECONDS_OF_BASELINE, workers=1)
        if answer is None:
            raise evidence.NoEvidenceError(f"the specification took more than {SECONDS_OF_BASELINE:.0f} s to read")
        reach, found = answer
        if not isinstance(reach, Reach):
            raise LookupError(f"no claim {', '.join(reach)}")
        return reach, found

    def check_substitution(self, reach: Reach, tasks: Sequence[Task], tell: Tell) -> None:
        """Exchange each module for its own text, which must change no claim.

        Raises
        ------
        RuntimeError
            If it does, so that a mutant could seem to be noticed for nothing.
        """
        claims: dict[Module, set[str]] = {}
        for task in tasks:
            claims.setdefault(task.mutant.module, set()).update(task.claims)

        def changed(module: Module) -> list[str]:
            unchanged = Mutant(module, "unchanged", Edit(0, 0, "", "none", "", "", 1))
            return [*self._exchanged(reach, unchanged, sorted(claims[module]))]

        modules = [*claims]
        for module, found in zip(modules, self._all("unchanged text", changed, modules, tell), strict=True):
            if found != []:
                raise RuntimeError(f"{module.name} exchanged for itself: {found}")

    def _exchanged(
        self, reach: Reach, mutant: Mutant, claims: Sequence[str], gone: frozenset[str] | None = None
    ) -> Iterator[str]:
        """Import the mutant in this process; yield the claims that differ."""
        substitution.exchange(self.imports, mutant.module.name, mutant.source, self.drafts, gone)
        found = fingerprints_now(claims, reach.homes)
        yield from (claim for claim in claims if found.get(claim) != reach.fingerprints[claim])

    def _all(
        self,
        phase: str,
        work: Callable[[Any], Any],
        tasks: Sequence[Any],
        tell: Tell,
        extra: Callable[[Any], float] = lambda _: 0.0,
        note: Callable[[int, Any], None] = lambda *_: None,
        fault: Callable[[Any, str], Any] | None = None,
    ) -> list[Any]:
        answers: list[Any] = [None] * len(tasks)
        found = forked(work, tasks, lambda task: self.timeout + extra(task), workers=self.workers, fault=fault)
        for done, (place, answer) in enumerate(found, start=1):
            answers[place] = answer
            note(place, answer)
            tell(phase, done, len(tasks))
        return answers

    def baseline(self, reach: Reach, nodes: Sequence[str], cited: Collection[str]) -> dict[str, float]:
        """Run the evidence on the specification as it is; return the seconds of each item.

        What it imported is imported here as well, once for all mutants. With claims that the items cite, no other
        claim is loaded.

        Raises
        ------
        NoEvidenceError
            If an item fails.
        """

        def run(nodes: Sequence[str]) -> tuple[int, evidence.Recorder, list[str]]:
            self._restrict(reach, cited)
            code, recorder = evidence.run(self.root, nodes, first_failure=False)
            return code, recorder, [*sys.modules]

        if not nodes:
            return {}
        [(_, answer)] = forked(run, [nodes], lambda _: SECONDS_OF_BASELINE, workers=1)
        if answer is None:
            raise evidence.NoEvidenceError(f"the evidence took more than {SECONDS_OF_BASELINE:.0f} s")
        code: int = answer[0]
        recorder: evidence.Recorder = answer[1]
        if code != pytest.ExitCode.OK:
            raise evidence.NoEvidenceError(
                f"the evidence fails before anything is changed (exit code {code}): {recorder.failed} {recorder.reason}"
            )
        # pytest wants to be the first who imports its plugins and the tests.
        mine = ("dpmatrix", self.package.partition(".")[0])
        substitution.warm_up(
            [name for name in answer[2] if name.partition(".")[0] in mine and not name.endswith("pytest_plugin")]
        )
        self.imports.closure(sys.modules)  # read once here, and not in each process
        gc.collect()
        gc.freeze()  # what all processes share need not be searched for garbage in each
        return recorder.seconds

    def _restrict(self, reach: Reach, cited: Collection[str]) -> None:
        """Let this process know of these claims alone, which spares it the others; of all where none is named."""
        substitution.known_fingerprints(reach.fingerprints)
        if cited:
            substitution.hand_out(self.package, claims_now(cited, reach.homes))

    def remember(self, mutant: Mutant, node: str) -> None:
        """Ask first what noticed a mutant in an earlier run, of it and of others of the same function."""
        self.memory.keep_earlier(mutant, node)

    def judge(
        self,
        reach: Reach,
        tasks: Sequence[Task],
        nodes_of: Mapping[str, frozenset[str]],
        seconds: Mapping[str, float],
        tell: Tell,
        keep: Callable[[Task, Verdict], None],
    ) -> list[Verdict]:
        """Run the changed claims' evidence against each mutant, and hand each verdict on when it is known.

        A mutant of the specification that changes no claim runs against the evidence of all claims that its module
        may touch: it must pass, or fingerprints are blind to what evidence sees.
        """

        def nodes(claims: Sequence[str]) -> set[str]:
            return {node for claim in claims for node in nodes_of.get(claim, ())}

        def work(task: Task) -> Verdict:
            mutant = task.mutant
            try:
                changed = tuple(self._exchanged(reach, mutant, task.claims, gone[mutant.module.name]))
            except substitution.StaleError:
                raise
            except Exception:  # whatever the changed module raises
                return unimportable(mutant)
            asked = nodes(changed or task.otherwise)
            speaking = [claim for claim, own in nodes_of.items() if not own.isdisjoint(asked)]
            if not asked:
                outcome = Outcome.SURVIVED if changed else Outcome.UNSEEN
                return Verdict(mutant, outcome, changed, reason="no evidence" if changed else "")
            order = self.memory.order(mutant, asked, seconds)
            try:
                self._restrict(reach, speaking)
            except Exception:  # a module of another claim that the changed one breaks
                return unimportable(mutant, changed)
            verdict = ask(self.root, mutant, order, changed)
            if not changed:
                unseen = Outcome.UNSEEN if verdict.outcome is Outcome.SURVIVED else Outcome.BLIND
                return attrs.evolve(verdict, outcome=unseen)
            return verdict

        # Read once here, and not in each process: all but the sources of the changed module stays.
        fingerprints_now({claim for task in tasks for claim in task.claims}, reach.homes)
        names = {task.mutant.module.name for task in tasks}
        gone = {name: self.imports.dependents(name, [*sys.modules]) for name in names}

        def extra(task: Task) -> float:
            return 3 * sum(seconds.get(node, 0.0) for node in nodes((*task.claims, *task.otherwise)))

        def note(place: int, answer: Verdict | None) -> None:
            verdict = answer or Verdict(tasks[place].mutant, Outcome.TIMEOUT)
            self.memory.keep(verdict.mutant, verdict.node)
            keep(tasks[place], verdict)

        def fault(task: Task, signal: str) -> Verdict:
            return ended(task.mutant, signal, task.claims)

        answers = self._all("evidence against mutants", work, tasks, tell, extra, note, fault)
        return [answer or Verdict(task.mutant, Outcome.TIMEOUT) for task, answer in zip(tasks, answers, strict=True)]


def _value(names: Mapping[str, object], text: str) -> object:
    return eval(text, dict(names))
