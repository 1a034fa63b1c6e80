"""Run against every mutant of the library the items that run its line, and note what each one died of."""

from __future__ import annotations

import ast
import hashlib
import random
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from pathlib import Path

import attrs
import pytest

from mutation import evidence, in_place, substitution
from mutation.asking import SECONDS_OF_BASELINE, SECONDS_PER_MUTANT, Memory, Tell, ask_exchanged, ended
from mutation.imports import Imports
from mutation.line_coverage import Coverage
from mutation.mutants import Module, Mutant, numbered
from mutation.pool import forked, streamed
from mutation.source import View
from mutation.source_operators import edits_of
from mutation.state import State
from mutation.verdicts import Outcome, Verdict

SEED = 0
UNREACHED = "no item of the suite runs this line"


def modules_of(package: str, library: str = "dpmatrix") -> list[Module]:
    """Read the modules of a part of the library, such as ``mechanisms``, or one module of it."""
    name = f"{library}.{package}"
    return [attrs.evolve(found, trusted=False) for found in Module.of_base(name, substitution.folder_of(name))]


def mutants_of(module: Module) -> list[Mutant]:
    """Return every mutant of a module."""
    return numbered(module, edits_of(View(module.source)))


@attrs.frozen
class SourceCampaign:
    """What is mutated, and who is asked.

    Parameters
    ----------
    root
        The checkout; pytest runs there.
    coverage
        Which items run which lines.
    drafts
        A folder for the texts of mutants.
    workers
        Number of processes.
    library
        The package whose modules are mutated.
    patience
        Seconds that the items asked about a mutant may take together, as they took when they were traced: the most
        promising first. None to ask all.
    others
        Packages elsewhere that are imported anew as well where they import what is exchanged: slower, and needed where
        an item passes them an object of a class that is exchanged.
    """

    root: Path
    coverage: Coverage
    drafts: Path
    workers: int = 1
    library: str = "dpmatrix"
    patience: float | None = None
    others: tuple[str, ...] = ()
    _imports: Imports = attrs.field(init=False)
    _memory: Memory = attrs.field(factory=Memory, init=False)
    _asked: dict[tuple[str, int], frozenset[str]] = attrs.field(factory=dict, init=False)

    @_imports.default
    def _imports_default(self) -> Imports:
        folders = {folder: self.root / folder for folder in evidence.FOLDERS}
        packages = ("dpmatrix", self.library, *self.others)
        return Imports.of(folders | {name: substitution.folder_of(name) for name in packages})

    def asked(self, mutant: Mutant) -> frozenset[str]:
        """Return the items that run the line of a mutant."""
        place = mutant.module.name, mutant.edit.line
        if place not in self._asked:
            file = str(self._imports.files[mutant.module.name])
            self._asked[place] = self.coverage.items(file, ast.parse(mutant.module.source), mutant.edit.line)
        return self._asked[place]

    def _judge(self, mutant: Mutant) -> Verdict:
        return ask_exchanged(self.root, self._imports, mutant, self._affordable(mutant), self.drafts)

    def _affordable(self, mutant: Mutant) -> Sequence[str]:
        order = self._memory.order(mutant, self.asked(mutant), self.coverage.seconds)
        if self.patience is None:
            return order
        sums = accumulate(self.coverage.seconds[node] for node in order)
        return order[: max(1, sum(total <= self.patience for total in sums))]

    def _said(self, verdict: Verdict) -> Verdict:
        """Say of a survivor how many items were asked, where these are not all."""
        if verdict.outcome is Outcome.SURVIVED:
            count, whole = len(self._affordable(verdict.mutant)), len(self.asked(verdict.mutant))
            return attrs.evolve(verdict, reason=f"{count} of {whole} items were asked") if count < whole else verdict
        return verdict

    def _judged(self, mutants: Sequence[Mutant]) -> Iterator[Verdict]:
        """Judge mutants: where they stand as far as that says the same as an import, and by an import."""
        groups: dict[str, list[Mutant]] = {}
        for mutant in mutants:
            if self.asked(mutant):
                groups.setdefault(mutant.module.name, []).append(mutant)
            else:
                yield Verdict(mutant, Outcome.SURVIVED, reason=UNREACHED)
        for name, group in groups.items():
            self._imports.dependents(name, [*sys.modules])  # so that no process reads these texts again
            left: list[Mutant] = []
            for said in streamed(partial(self._in_place, group)):
                match said:
                    case str():
                        raise evidence.NoEvidenceError(said)
                    case int():
                        left.append(group[said])
                    case _:
                        yield said
            for place, answer in forked(self._judge, left, self._limit, workers=self.workers, fault=ended):
                yield self._said(answer or Verdict(left[place], Outcome.TIMEOUT))

    def _in_place(self, group: Sequence[Mutant], say: Callable[[Verdict | int | str], None]) -> None:
        """Say which mutants of a module are noticed where they stand, which not by their places, or what is wrong.

        It is done in this process, which was forked for it.
        """

        def tell(place: int, verdict: Verdict | None) -> None:
            if verdict is not None:
                self._memory.keep(verdict.mutant, verdict.node)
            say(place if verdict is None else verdict)

        module = group[0].module
        try:
            in_place.judge_all(
                self.root,
                lambda: substitution.exchange(self._imports, module.name, module.source, self.drafts),
                group,
                self._affordable,
                sorted({node.partition("::")[0] for mutant in group for node in self.asked(mutant)}),
                self._limit,
                tell,
                workers=self.workers,
            )
        except evidence.NoEvidenceError as error:
            say(str(error))

    def _limit(self, mutant: Mutant) -> float:
        if self.patience is not None:
            return 5 * self.patience  # who takes longer is asked again when patience does not count
        return SECONDS_PER_MUTANT + 3 * sum(self.coverage.seconds[node] for node in self.asked(mutant))

    def check_unchanged(self, modules: Sequence[Module]) -> None:
        """Exchange each module for its own text, and ask of each file of items that run it the quickest one.

        Raises
        ------
        NoEvidenceError
            If one fails, so that mutants could seem to be noticed for nothing.
        """

        def asked(module: Module) -> list[str]:
            quickest: dict[str, str] = {}
            for node in sorted(self._file_items(module), key=self.coverage.seconds.__getitem__, reverse=True):
                quickest[node.partition("::")[0]] = node
            return sorted(quickest.values())

        def failing(module: Module) -> str:
            substitution.exchange(self._imports, module.name, module.source, self.drafts)
            code, recorder = evidence.run(self.root, asked(module), first_failure=True)
            return "" if code == pytest.ExitCode.OK else f"{recorder.failed} {recorder.reason}"

        some = [module for module in modules if asked(module)]
        for place, problem in forked(failing, some, lambda _: SECONDS_OF_BASELINE, workers=self.workers):
            if problem != "":
                raise evidence.NoEvidenceError(f"{some[place].name} exchanged for itself: {problem}")

    def _file_items(self, module: Module) -> frozenset[str]:
        lines = self.coverage.lines.get(str(self._imports.files[module.name]), {})
        return frozenset[str]().union(*lines.values())

    def against(self, mutant: Mutant) -> str:
        """Digest of what a mutant is judged against."""
        return hashlib.sha256(f"{self.coverage.against}\n{mutant.source}".encode()).hexdigest()

    def verdicts(self, mutants: Sequence[Mutant], state: State, tell: Tell) -> list[Verdict]:
        """Judge every mutant that the state does not know, and keep each fate."""
        known = {mutant: state.known(mutant.name, self.against(mutant)) for mutant in mutants}
        found = {mutant: Verdict.of(mutant, fate) for mutant, fate in known.items() if fate is not None}
        for verdict in found.values():
            self._memory.keep(verdict.mutant, verdict.node)
        left = [mutant for mutant in mutants if mutant not in found]
        for verdict in self._judged(left):
            mutant = verdict.mutant
            found[mutant] = verdict
            self._memory.keep(verdict.mutant, verdict.node)
            state.fates[mutant.name] = {**verdict.fate(), "against": self.against(mutant)}
            if state.due():
                state.write()
            tell("mutants", len(found), len(mutants))
        state.write()
        return [found[mutant] for mutant in mutants]


def sample(mutants: Iterable[Mutant], size: int | None) -> list[Mutant]:
    """Draw some mutants with a fixed seed, in their order; all where no number is given."""
    every = list(mutants)
    if size is None or size >= len(every):
        return every
    chosen = set(random.Random(SEED).sample(range(len(every)), size))
    return [mutant for place, mutant in enumerate(every) if place in chosen]
