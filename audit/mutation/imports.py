"""Which module of the checkout imports which, read from the text: nothing is imported for it."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

import attrs

_HOLDERS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where a statement, a handler or a case keeps its statements."""


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk through the statements and what holds some, not through expressions, which cannot import."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for name in _HOLDERS:
            waiting += getattr(node, name, ())


@attrs.define
class Imports:
    """The modules below some folders, and what each names in an import, wherever in its text.

    Parameters
    ----------
    files
        The file of each module, by its dotted name.
    """

    files: Mapping[str, Path]
    _direct: dict[str, frozenset[str]] = attrs.field(factory=dict, init=False)
    _digests: dict[str, str] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, folders: Mapping[str, Path]) -> Imports:
        """Find the modules of some packages by the folders that hold them."""
        files = {}
        for package, folder in folders.items():
            for path in folder.rglob("*.py"):
                parts = path.relative_to(folder).with_suffix("").parts
                parts = parts[:-1] if parts[-1] == "__init__" else parts
                files[".".join((package, *parts))] = path
        return cls(files)

    def _named(self, name: str) -> Iterator[str]:
        path = self.files[name]
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node in _statements(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package.split(".")
                start = ".".join(above[: len(above) - node.level + 1]) if node.level else ""
                base = ".".join(filter(None, (start, node.module)))
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)

    def direct(self, name: str) -> frozenset[str]:
        """Modules that an import of this one runs by its own text, with the packages that lead to them."""
        if name not in self._direct:
            found: set[str] = set()
            for named in (*self._named(name), name.rpartition(".")[0]):
                parts = named.split(".")
                found.update(".".join(parts[: end + 1]) for end in range(len(parts)))
            self._direct[name] = frozenset(found & self.files.keys())
        return self._direct[name]

    def closure(self, names: Iterable[str]) -> frozenset[str]:
        """Return the modules and all that they import."""
        waiting = [name for name in names if name in self.files]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += self.direct(name)
        return frozenset(found)

    def dependents(self, name: str, among: Collection[str]) -> frozenset[str]:
        """Return those of some modules that import this one, directly or through each other."""
        left = {other: self.direct(other) for other in among if other in self.files}
        found = {name}
        while more := {other for other, named in left.items() if other not in found and not named.isdisjoint(found)}:
            found |= more
        return frozenset(found) & frozenset(among)

    def digest(self, names: Iterable[str]) -> str:
        """Hash the text of the modules and of all that they import."""
        whole = hashlib.sha256()
        for name in sorted(self.closure(names)):
            if name not in self._digests:
                self._digests[name] = hashlib.sha256(self.files[name].read_bytes()).hexdigest()
            whole.update(f"{name} {self._digests[name]}\n".encode())
        return whole.hexdigest()
