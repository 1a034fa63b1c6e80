"""The theorems: which statement each speaks of, and what it may rest on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

from dpmatrix.claims import Grade, Role
from dpmatrix.kernel.generated import document_of
from dpmatrix.kernel.propositions import Proposition
from dpmatrix.kernel.sources import KernelError, Sources, module_of, sentences

TABLE, AXIOMS = "theorems.toml", "axioms.toml"
GENERATED, MARGINS = "generated/", "margins/"
MARGIN_AXIOMS = "interval"
"""The set of axioms of the theorems about margins."""

_FIELDS = {"file", "kind", "statement", "role", "says", "not_covered", "axioms", "instance"}
_OPTIONAL = {"instance", "not_covered"}
_STATED = re.compile(
    r"^(?P<word>Theorem|Lemma|Corollary|Proposition|Fact|Remark)\s+(?P<name>[\w']+)\s*(?P<rest>.*)$", re.DOTALL
)
_MARGIN = re.compile(
    r"^:\s*(?:forall\s+(?P<functions>[\w ]+),\s*)?(?P<negated>~\s*)?"
    r"(?P<document>\w+)\.(?P<name>\w+)(?P<given>(?:\s+\w+)*)$"
)
FAILS = "_fails"
"""How the name of a theorem ends that refutes a statement."""


@attrs.frozen
class Theorem:
    """A theorem, and what it is to the statements of the specification.

    Parameters
    ----------
    name, file
        The last part of its name, and the file in which it is proved.
    kind
        `Grade.KERNEL_LAW` or `Grade.KERNEL_MARGIN`.
    statements
        Names of the statements that it speaks of.
    role
        What it says about them.
    says, not_covered
        What is proved, and what is not, for a reader.
    axioms
        The set of axioms that it may use.
    instance
        The theorem that applies it to structure that there is; empty where it speaks of numbers alone.
    proposition
        Of a margin, the full name of the generated definition.
    """

    name: str
    file: str
    kind: Grade
    statements: tuple[str, ...]
    role: Role
    says: str
    not_covered: str
    axioms: str
    instance: str = ""
    proposition: str = ""

    @property
    def key(self) -> str:
        """What it is called in tables: margins are told apart by their document too."""
        return f"{self.proposition.split('.')[-2]}.{self.name}" if self.proposition else self.name

    @property
    def full_name(self) -> str:
        """The name by which any file may call it."""
        return f"{module_of(self.file)}.{self.name}"


def read_axioms(folder: Path) -> Mapping[str, tuple[str, ...]]:
    """Read the sets of axioms."""
    found = tomllib.loads((folder / AXIOMS).read_text(encoding="utf-8"))
    return {name: tuple(axioms) for name, axioms in found.items()}


def stated(text: str, word: str = "") -> dict[str, str]:
    """Return what each theorem of a file states, as it is written there, by name: those that begin with a word."""
    matches = filter(None, map(_STATED.match, sentences(text)))
    return {match["name"]: match["rest"] for match in matches if word in ("", match["word"])}


def read_propositions(sources: Sources) -> dict[tuple[str, str], Proposition]:
    """Read what the generated files define, by the last part of the file's module and the name of the definition."""
    return {
        (Path(file).stem, proposition.name): proposition
        for file, text in sources.texts.items()
        if file.startswith(GENERATED)
        for proposition in Proposition.written(text)
    }


def read_theorems(folder: Path, sources: Sources) -> dict[str, Theorem]:
    """Read the table of theorems, and the theorems about margins from their files.

    Raises
    ------
    KernelError
        If a table or a theorem is not of the form that is asked for, or two have one name.
    """
    try:
        tables = tomllib.loads((folder / TABLE).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise KernelError(f"{TABLE}: {error}") from error
    propositions = read_propositions(sources)
    found = {name: _of_table(name, table, sources) for name, table in tables.items()}
    for file, text in sources.texts.items():
        if file.startswith(MARGINS):
            found |= {theorem.key: theorem for theorem in _margins(file, text, propositions)}
    return found


def _of_table(name: str, table: Mapping[str, Any], sources: Sources) -> Theorem:
    if missing := _FIELDS - _OPTIONAL - table.keys():
        raise KernelError(f"{TABLE}: {name} has no {', '.join(sorted(missing))}")
    if other := table.keys() - _FIELDS:
        raise KernelError(f"{TABLE}: {name} has {', '.join(sorted(other))}, which means nothing here")
    if table["file"] not in sources.texts or name not in stated(sources.texts[table["file"]]):
        raise KernelError(f"{TABLE}: {table['file']} states no theorem {name}")
    if table["kind"] != "law":
        raise KernelError(f"{TABLE}: {name} is no law; theorems about margins stand in {MARGINS} and need no table")
    statements = (table["statement"],) if isinstance(table["statement"], str) else tuple(table["statement"])
    words = (table["says"], table.get("not_covered", ""), table["axioms"], table.get("instance", ""))
    return Theorem(name, table["file"], Grade.KERNEL_LAW, statements, Role(table["role"]), *words)


def _margins(file: str, text: str, propositions: Mapping[tuple[str, str], Proposition]) -> Iterator[Theorem]:
    for name, rest in stated(text, "Theorem").items():
        match = _MARGIN.match(rest)
        proposition = propositions.get((match["document"], match["name"])) if match else None
        if match is None or proposition is None:
            raise KernelError(
                f"{file}: the theorem {name} is about no generated definition; what is on the way is a lemma"
            )
        functions = tuple((match["functions"] or "").split())
        if functions != proposition.opaque or tuple(match["given"].split()) != functions:
            raise KernelError(f"{file}: {name} is to speak of all functions {', '.join(proposition.opaque)}")
        if name != match["name"] + (FAILS if match["negated"] else ""):
            raise KernelError(
                f"{file}: the theorem {name} is to be called as its definition is, {FAILS} if it denies it"
            )
        statement = proposition.statement
        holding = Role.SUPPORTS_REPAIR if statement.endswith("+repair") else Role.SUPPORTS
        says = f"{statement} {'fails somewhere' if match['negated'] else 'holds'}: its margin, traced, at every point"
        full = f"{module_of(GENERATED + match['document'])}.{match['name']}"
        role = Role.REFUTES if match["negated"] else holding
        yield Theorem(name, file, Grade.KERNEL_MARGIN, (statement,), role, says, "", MARGIN_AXIOMS, proposition=full)


def documents(theorems: Mapping[str, Theorem]) -> tuple[str, ...]:
    """Return the documents that theorems speak of."""
    return tuple(sorted({document_of(name) for theorem in theorems.values() for name in theorem.statements}))
