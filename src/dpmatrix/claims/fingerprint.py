"""Fingerprints: a short hash of what a claim says and computes, so that an edit marks what rested on it."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import re
import textwrap
import types
from collections.abc import Iterator
from typing import Any

import attrs

from dpmatrix.claims.claim import Claim
from dpmatrix.claims.statement import Condition, Statement

LENGTH = 8
SPECIFICATION = "dpmatrix.spec"

_CITATION = re.compile(
    r"(?P<target>(?P<claim>[a-z0-9.-]+?)(?P<part>\+repair|/[a-z0-9-]+)?)(?:@(?P<fingerprint>[0-9a-f]+))?"
)


@attrs.frozen
class Citation:
    """A reference to a claim, or to one of its statements, at a known fingerprint.

    Written ``wishart.theorem-4@1a2b3c4d``, ``wishart.theorem-6+repair@...`` or ``wishart.theorem-4/support@...``.
    """

    claim: str
    target: str
    fingerprint: str | None

    @classmethod
    def parse(cls, text: str) -> Citation:
        """Read a citation.

        Raises
        ------
        ValueError
            If the text is not of the form ``id``, ``id+repair`` or ``id/step`` with an optional ``@fingerprint``.
        """
        match = _CITATION.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} does not cite a claim; write document.label[+repair|/step]@fingerprint")
        return cls(match["claim"], match["target"], match["fingerprint"])


def _without_docstrings(tree: ast.AST) -> ast.AST:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return tree


@functools.cache
def _normal_source(thing: Any) -> str:  # noqa: ANN401 - a function or a class
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    return ast.unparse(_without_docstrings(tree))


def _describe_value(value: object, seen: set[int]) -> Iterator[str]:
    if isinstance(value, types.FunctionType):
        yield from _describe_function(value, seen)
    else:
        yield repr(value)


def _describe_function(function: types.FunctionType, seen: set[int]) -> Iterator[str]:
    """Source of a function, of what it closes over, and of the functions of the specification that it names."""
    if id(function) in seen:
        return
    seen.add(id(function))
    yield _normal_source(function)
    for cell in function.__closure__ or ():
        yield from _describe_value(cell.cell_contents, seen)
    for name in sorted(function.__code__.co_names):
        value = function.__globals__.get(name)
        if isinstance(value, types.FunctionType) and value.__module__.startswith(SPECIFICATION):
            yield from _describe_function(value, seen)
        elif type(value).__module__ == "flint" or isinstance(value, int | str):
            yield f"{name}={value!r}"


def _describe_condition(condition: Condition | Statement, seen: set[int]) -> Iterator[str]:
    yield condition.says
    yield str(condition.strict)
    yield from _describe_value(condition.margin, seen)
    if isinstance(condition, Statement):
        for hypothesis in condition.given:
            yield from _describe_condition(hypothesis, seen)


def fingerprint(claim: Claim) -> str:
    """Hash everything that a claim says and computes: its place, reading, statements, repair and steps."""
    digest = hashlib.sha256()
    parts = [claim.id, claim.kind.value, claim.source.label, claim.source.says, claim.reading]
    seen: set[int] = set()
    for name, statement in claim.statements().items():
        parts += [name, *_describe_condition(statement, seen)]
    parts += [f"{step.name}:{step.sound}" for step in claim.steps]
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:LENGTH]
