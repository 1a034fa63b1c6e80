"""A module's text and syntax tree, and small replacements in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

import attrs


@attrs.frozen
class Edit:
    """One change of a module's text.

    Parameters
    ----------
    start, end
        Range of characters to replace.
    text
        What stands there afterwards.
    operator
        The kind of change, such as ``literal`` or ``hypothesis``.
    scope
        The function, or the constant and the part of the claim, in which the change happens.
    change
        The change for a reader, ``before -> after``.
    line
        Number of the first changed line, from 1.
    fallback
        Whether to try it only if the edits of the same place made the evidence crash instead of judge.
    """

    start: int
    end: int
    text: str
    operator: str
    scope: str
    change: str
    line: int
    fallback: bool = False

    def apply(self, source: str) -> str:
        """Return the text of the module after the change."""
        return source[: self.start] + self.text + source[self.end :]


class View:
    """A module's source with its tree, the parents of nodes, and their places in the text."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = ast.parse(source)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        for line in self.source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    @cached_property
    def _lines(self) -> list[bytes]:
        return [line.encode() for line in self.source.splitlines(keepends=True)]

    def _offset(self, line: int, column: int) -> int:
        """Place in the text; the tree counts columns in bytes."""
        return self._line_starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def start(self, node: ast.AST) -> int:
        """Return where the node's text starts."""
        return self._offset(node.lineno, node.col_offset)  # type: ignore[attr-defined] # every expression has it

    def end(self, node: ast.AST) -> int:
        """Return where the node's text ends."""
        return self._offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined] # as above

    def text(self, node: ast.AST) -> str:
        """Return the node's text."""
        return self.source[self.start(node) : self.end(node)]

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
        """Walk up: pairs of a parent and the child through which it was reached."""
        while node in self.parents:
            parent = self.parents[node]
            yield parent, node
            node = parent

    def nodes(self) -> Iterator[ast.AST]:
        """All nodes that are code; parts of f-strings have no place in the text, annotations are not evaluated."""
        for node in ast.walk(self.tree):
            if not any(
                isinstance(parent, ast.JoinedStr)
                or child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))
                for parent, child in self.ancestors(node)
            ):
                yield node

    def in_function(self, node: ast.AST) -> bool:
        """Whether the node stands in the body or the defaults of a function."""
        return any(isinstance(parent, ast.FunctionDef) for parent, _ in self.ancestors(node))

    def scope(self, node: ast.AST) -> str:
        """Name of the function or constant around a node, with the part of a claim: ``+repair`` or ``/step``."""
        names: list[str] = []
        part = ""
        chain = [node, *(parent for parent, _ in self.ancestors(node))]
        for parent in chain:
            match parent:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    names.insert(0, name)
                case ast.Assign(targets=[ast.Name(id=name), *_]) | ast.AnnAssign(target=ast.Name(id=name)):
                    if not self.in_function(parent):
                        names.insert(0, name)
                case ast.Call(func=ast.Name(id="Step"), args=[ast.Constant(value=str() as step), *_]):
                    part = f"/{step}"
                case ast.Call(func=ast.Name(id="Repair")):
                    part = "+repair"
        return ".".join(names) + part

    def edit(
        self, node: ast.AST, text: str, operator: str, change: str, *, span: tuple[int, int] | None = None
    ) -> Edit:
        """Replace a node's text, or the given span within it."""
        start, end = span or (self.start(node), self.end(node))
        line = self.source.count("\n", 0, start) + 1
        return Edit(start, end, text, operator, self.scope(node), change, line)


def callee(node: ast.AST) -> str:
    """Name of what a call calls, without its module; empty when the node is no such call."""
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""
