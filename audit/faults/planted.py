"""Faults as data, and what becomes of each in a process of its own."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
from mutation import evidence, substitution
from mutation.asking import ask_exchanged
from mutation.imports import Imports
from mutation.mutants import Module, Mutant
from mutation.pool import forked
from mutation.source import Edit
from mutation.verdicts import Outcome, Verdict

HERE = Path(__file__).resolve().parent
CATALOGUE = HERE / "faults.toml"
SECONDS = 900.0
"""Processor time for one fault."""


class FaultError(ValueError):
    """A fault that cannot be planted, or whose items object to the text without it."""


@attrs.frozen
class Fault:
    """One line that weakens a guarantee.

    Parameters
    ----------
    name
        A few words with hyphens.
    file
        Its place below the folder of the library.
    why
        What is wrong with it.
    before, after
        The text that occurs once in the file, and what takes its place.
    asked
        Items of pytest, of which one must object.
    """

    name: str
    file: str
    why: str
    before: str
    after: str
    asked: tuple[str, ...] = attrs.field(converter=tuple)

    def mutant(self, library: str) -> Mutant:
        """Return the module with the fault.

        Raises
        ------
        FaultError
            If the text does not occur exactly once.
        """
        path = substitution.folder_of(library) / self.file
        (module,) = Module.of_base(".".join((library, *Path(self.file).with_suffix("").parts)), path)
        places = module.source.count(self.before)
        if places != 1 or self.before == self.after:
            raise FaultError(f"{self.name}: its text occurs {places} times in {self.file}, and must change")
        start = module.source.index(self.before)
        line = module.source.count("\n", 0, start) + 1
        edit = Edit(start, start + len(self.before), self.after, "fault", self.name, self.why, line)
        return Mutant(attrs.evolve(module, trusted=False), self.name, edit)


def read(path: Path = CATALOGUE) -> list[Fault]:
    """Read faults from a file.

    Raises
    ------
    FaultError
        If two have one name.
    """
    found = [Fault(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["fault"]]
    if len({fault.name for fault in found}) < len(found):
        raise FaultError("two faults have one name")
    return found


@attrs.frozen
class Finding:
    """What became of a fault.

    Parameters
    ----------
    fault
        Which.
    verdict
        What its items said.
    """

    fault: Fault
    verdict: Verdict

    @property
    def red(self) -> bool:
        """Whether an item objected: a module that cannot be imported is no objection."""
        return self.verdict.outcome in (Outcome.ASSERTION, Outcome.CRASH) and bool(self.verdict.node)

    def row(self) -> str:
        """Return a line of a table in Markdown."""
        said = self.verdict.node.replace("|", "/") or self.verdict.reason[:100] or "nobody objects"
        return f"| {self.fault.name} | {self.fault.why} | {'red' if self.red else 'GREEN'} | {said} |\n"


def plant(root: Path, faults: Sequence[Fault], library: str, drafts: Path, *, workers: int) -> Iterator[Finding]:
    """Ask of each fault its items, and of the item that objects whether it passes without the fault.

    Raises
    ------
    FaultError
        If it does not, so that it objects to nothing in particular; or as `Fault.mutant`.
    """
    folders = {folder: root / folder for folder in evidence.FOLDERS}
    imports = Imports.of(folders | {name: substitution.folder_of(name) for name in ("dpmatrix", library)})
    mutants = [fault.mutant(library) for fault in faults]

    def judge(place: int) -> Verdict:
        return ask_exchanged(root, imports, mutants[place], faults[place].asked, drafts)

    def unchanged(finding: Finding) -> bool:
        mutant = finding.verdict.mutant
        same = attrs.evolve(mutant, edit=attrs.evolve(mutant.edit, text=finding.fault.before))
        return ask_exchanged(root, imports, same, [finding.verdict.node], drafts).outcome is Outcome.SURVIVED

    for place, answer in forked(judge, range(len(faults)), lambda _: SECONDS, workers=workers):
        finding = Finding(faults[place], answer or Verdict(mutants[place], Outcome.TIMEOUT))
        if finding.red:
            for _, passes in forked(unchanged, [finding], lambda _: SECONDS, workers=1):
                if not passes:
                    raise FaultError(f"{finding.fault.name}: {finding.verdict.node} fails without the fault as well")
        yield finding
