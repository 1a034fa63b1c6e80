"""All mutants of a module of the specification, each with a key that survives edits elsewhere."""

from __future__ import annotations

import ast
import difflib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import attrs

from mutation import hypotheses, operators
from mutation.source import Edit, View


@attrs.frozen
class Module:
    """A module of the specification, or of what statements compute with.

    Parameters
    ----------
    name
        Its dotted name.
    short
        Its name within the specification; the dotted name of another module.
    source
        Its text.
    trusted
        Whether statements compute with it, and it is no part of the specification.
    """

    name: str
    short: str
    source: str
    trusted: bool = False

    @classmethod
    def find(cls, package: str, folder: Path) -> list[Module]:
        """Read every module of a package except the package's own ``__init__``."""
        found = []
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            if parts == ("__init__",):
                continue
            parts = parts[:-1] if parts[-1] == "__init__" else parts
            found.append(cls(".".join((package, *parts)), ".".join(parts), path.read_text(encoding="utf-8")))
        return found

    @classmethod
    def of_base(cls, package: str, path: Path) -> list[Module]:
        """Read a module, or every module of a package, with which statements compute."""
        if path.is_file():
            return [cls(package, package, path.read_text(encoding="utf-8"), trusted=True)]
        return [attrs.evolve(module, short=module.name, trusted=True) for module in cls.find(package, path)]

    @property
    def code(self) -> str:
        """Digest of what the module computes, without its words: these are no subject of a change."""
        tree = ast.parse(self.source)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = ""
        return hashlib.sha256(ast.dump(tree).encode()).hexdigest()[:16]


@attrs.frozen
class Mutant:
    """One edit of one module.

    Parameters
    ----------
    module
        The module.
    key
        ``scope: change``, numbered where that is not unique; unique within the module.
    edit
        The change.
    """

    module: Module
    key: str
    edit: Edit

    @property
    def source(self) -> str:
        """The module's whole text after the change."""
        return self.edit.apply(self.module.source)

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the change happens; alternatives share it."""
        return self.module.name, self.edit.start, self.edit.end

    @property
    def name(self) -> str:
        """The key with the module's short name."""
        return f"{self.module.short} {self.key}"

    def diff(self) -> list[str]:
        """Lines that go and lines that come, with their sign."""
        before, after = self.module.source.splitlines(), self.source.splitlines()
        lines = difflib.unified_diff(before, after, lineterm="", n=0)
        return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def _keys(edits: Iterable[Edit]) -> list[str]:
    seen: Counter[str] = Counter()
    keys = []
    for edit in edits:
        key = f"{edit.scope}: {' '.join(edit.change.split())}"
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key} #{seen[key]}")
    return keys


def numbered(module: Module, edits: Iterable[Edit]) -> list[Mutant]:
    """Return the mutants of some edits, each with its key."""
    every = list(edits)
    return [Mutant(module, key, edit) for edit, key in zip(every, _keys(every), strict=True)]


def mutants(
    module: Module,
    margins: frozenset[str],
    evaluate: Callable[[str], object],
    vacuous: Mapping[str, str],
) -> list[Mutant]:
    """Return every mutant of a module.

    Parameters
    ----------
    module
        The module.
    margins
        Names of margin functions of the whole specification.
    evaluate
        Value of an expression among the names of the unchanged module.
    vacuous
        For each kind of an empty margin the function that makes it.
    """
    view = View(module.source)
    edits = [
        *operators.literals(view),
        *hypotheses.dropped(view, evaluate),
        *operators.signs(view, margins),
        *operators.emptied(view, margins, vacuous),
        *hypotheses.strictness(view),
        *hypotheses.boundaries(view, evaluate),
        *operators.comparisons(view),
        *operators.extrema(view),
        *operators.sums(view),
    ]
    edits.sort(key=lambda edit: edit.start)  # stable: alternatives of one place keep their order
    return [Mutant(module, key, edit) for edit, key in zip(edits, _keys(edits), strict=True)]


def margin_names(modules: Iterable[Module]) -> frozenset[str]:
    """Names of all functions that some module uses as a margin."""
    return frozenset[str]().union(*(operators.margins(View(module.source)) for module in modules))
