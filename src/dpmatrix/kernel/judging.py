"""What is wrong with the proofs: by their texts alone, on every machine, and by what Rocq says of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import attrs

from dpmatrix.claims import Grade, Registry, Role
from dpmatrix.kernel.answers import abstract
from dpmatrix.kernel.checking import Compiled, Found
from dpmatrix.kernel.generated import Generated, generate
from dpmatrix.kernel.propositions import Proposition
from dpmatrix.kernel.refusals import refused, refused_flags
from dpmatrix.kernel.sources import Sources, module_of, without_comments
from dpmatrix.kernel.theorems import GENERATED, MARGINS, Theorem, read_axioms, read_propositions, read_theorems, stated

PROJECT = "_CoqProject"
TWICE = 2
"""How often a name stands in the files that is stated once and used once."""


@attrs.frozen
class Proofs:
    """Everything that is written of the proofs in a checkout.

    Parameters
    ----------
    folder
        Where they stand.
    sources, propositions, axioms, theorems
        The files; the propositions that they define, by statement; the sets of axioms; the theorems.
    """

    folder: Path
    sources: Sources
    propositions: Mapping[str, Proposition]
    axioms: Mapping[str, tuple[str, ...]]
    theorems: Mapping[str, Theorem]

    @classmethod
    def read(cls, folder: Path) -> Proofs:
        """Read the proofs; nothing is traced.

        Raises
        ------
        KernelError
            If files or tables cannot be read.
        """
        sources = Sources.read(folder)
        propositions = {found.statement: found for found in read_propositions(sources).values()}
        return cls(folder, sources, propositions, read_axioms(folder), read_theorems(folder, sources))

    def objections(self, registry: Registry) -> list[str]:
        """List what is wrong by the texts alone, and by a fresh trace of the statements."""
        project = self.folder / PROJECT
        found = refused_flags(project.read_text(encoding="utf-8") if project.is_file() else "")
        found += [one for file, text in self.sources.texts.items() for one in refused(file, text)]
        found += stale(self.sources, generate(registry))
        found += self._unlisted()
        for name, theorem in self.theorems.items():
            found += [f"{name}: no set of axioms {theorem.axioms!r}"] if theorem.axioms not in self.axioms else []
            found += _unfit(name, theorem, registry)
            if theorem.instance and not any(theorem.instance in stated(text) for text in self.sources.texts.values()):
                found.append(f"{name}: its instance {theorem.instance} is stated nowhere")
        return found

    def _unlisted(self) -> list[str]:
        """List the theorems that no table tells of and nothing else names; lemmas need neither, nor do instances."""
        told = {(theorem.file, theorem.name) for theorem in self.theorems.values()}
        instances = {theorem.instance for theorem in self.theorems.values()}
        words = Counter(
            word for text in self.sources.texts.values() for word in re.findall(r"[\w']+", without_comments(text))
        )
        return [
            f"{file}: the theorem {name} is in no table, and nothing uses it"
            for file, text in self.sources.texts.items()
            if not file.startswith(MARGINS)
            for name in stated(text, "Theorem")
            if (file, name) not in told and name not in instances and words[name] < TWICE
        ]

    @property
    def instances(self) -> dict[str, Theorem]:
        """The theorems that apply others to structure that there is, as theorems of the same axioms."""
        places = {name: file for file, text in self.sources.texts.items() for name in stated(text)}
        return {
            theorem.instance: attrs.evolve(
                theorem, name=theorem.instance, file=places[theorem.instance], instance="", proposition=""
            )
            for theorem in self.theorems.values()
            if theorem.instance in places
        }


def stale(sources: Sources, generated: Generated) -> list[str]:
    """List the generated files that are not what a trace gives now, byte for byte."""
    now = generated.files()
    here = {file for file in sources.texts if file.startswith(GENERATED)}
    return [
        f"{file}: it differs from a fresh trace of the specification"
        for file in sorted(here | now.keys())
        if sources.texts.get(file) != now.get(file)
    ]


def _unfit(name: str, theorem: Theorem, registry: Registry) -> list[str]:
    known = {statement for claim in registry for statement in claim.statements()}
    found = [f"{name}: there is no statement {one}" for one in theorem.statements if one not in known]
    found += [f"{name}: speaks of no statement"] if not theorem.statements else []
    for statement in theorem.statements:
        of_repair = statement.endswith("+repair")
        if theorem.role is Role.CONTROL or (theorem.role, of_repair) in (
            (Role.SUPPORTS, True),
            (Role.SUPPORTS_REPAIR, False),
        ):
            found.append(f"{name}: the role {theorem.role.value} does not fit {statement}")
    return found


def allowed(assumed: Iterable[str], axioms: Iterable[str]) -> tuple[tuple[str, ...], list[str]]:
    """Return the entries of a set of axioms that are used, and what is assumed beyond them."""
    axioms = tuple(axioms)
    matches = {name: next((entry for entry in axioms if fnmatchcase(name, entry)), None) for name in assumed}
    used = {entry for entry in matches.values() if entry is not None}
    return tuple(sorted(used)), [name for name, entry in matches.items() if entry is None]


def told_by_rocq(proofs: Proofs, compiled: Compiled) -> dict[str, list[str]]:
    """List for each theorem what is wrong with it by what Rocq says."""
    return {name: _told(proofs, theorem, compiled.found) for name, theorem in proofs.theorems.items()}


def _told(proofs: Proofs, theorem: Theorem, found: Mapping[str, Found]) -> list[str]:
    here = found.get(theorem.full_name)
    if here is None or not here.stated:
        return ["Rocq has no such theorem"]
    _, beyond = allowed(here.assumed, proofs.axioms.get(theorem.axioms, ()))
    problems = [f"assumes {name}, which is not in the set {theorem.axioms!r}" for name in beyond]
    if theorem.kind is Grade.KERNEL_MARGIN:
        return problems + _about(theorem, here)
    if not theorem.instance:
        return problems + [f"speaks of any {one}, and names no instance" for one in abstract(here.stated)]
    instance = proofs.instances[theorem.instance]
    there = found.get(instance.full_name)
    if there is None or not there.stated:
        return [*problems, f"Rocq has no instance {theorem.instance}"]
    _, beyond = allowed(there.assumed, proofs.axioms.get(theorem.axioms, ()))
    problems += [f"its instance assumes {name}, which is not in the set {theorem.axioms!r}" for name in beyond]
    problems += [f"its instance speaks of any {one}" for one in abstract(there.stated)]
    if f"{module_of(theorem.file)}.{theorem.name}" not in there.uses:
        problems.append(f"its instance {theorem.instance} does not use it")
    return problems


def _about(theorem: Theorem, here: Found) -> list[str]:
    """Say whether a theorem about a margin states the generated definition, or denies it, and nothing else."""
    rest = here.stated.rpartition(", ")[2] if here.stated.startswith("forall ") else here.stated
    words = rest.replace("(", " ").replace(")", " ").split()
    if theorem.role is Role.REFUTES:
        if words[:1] != ["not"]:
            return [f"states {here.stated}"]
        words = words[1:]
    return [] if words[:1] == [here.proposition] and here.proposition else [f"states {here.stated}"]
