"""Which claims a change can touch: functions that a description names, and whatever runs on import."""

from __future__ import annotations

import ast
import gc
import importlib
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TypeAlias

import attrs

from dpmatrix.claims import Claim
from dpmatrix.claims.description import describe_statement
from dpmatrix.claims.fingerprint import fingerprint
from mutation.imports import Imports
from mutation.mutants import Mutant

Place: TypeAlias = tuple[str, int | str]
"""A module, with the first line of a function or the name of a class."""


def _module_of_file() -> dict[str, str]:
    return {file: name for name, module in [*sys.modules.items()] if (file := getattr(module, "__file__", None))}


def described(claim: Claim) -> frozenset[Place]:
    """Functions and classes that the fingerprint of a claim reads."""
    seen: dict[int, int] = {}
    for statement in claim.statements().values():
        for _ in describe_statement(statement, seen):
            pass
    modules = _module_of_file()
    found: set[Place] = set()
    gc.unfreeze()  # what is frozen is not among the objects
    for thing in gc.get_objects():
        if id(thing) in seen:
            if isinstance(thing, types.FunctionType) and thing.__code__.co_filename in modules:
                found.add((modules[thing.__code__.co_filename], thing.__code__.co_firstlineno))
            elif isinstance(thing, type):
                found.add((thing.__module__, thing.__qualname__))
    return frozenset(found)


@contextmanager
def noting_calls() -> Iterator[set[types.CodeType]]:
    """Note which functions run, such as the makers of conditions when a specification is imported."""
    called: set[types.CodeType] = set()

    def note(frame: types.FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


def enclosing(source: str) -> Callable[[int], frozenset[int | str]]:
    """Return a function of a line: the functions, by first line, and the classes, by name, around it."""
    around = [
        (min([node.lineno, *(each.lineno for each in node.decorator_list)]), node.end_lineno or 0, node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return lambda line: frozenset(
        node.name if isinstance(node, ast.ClassDef) else first for first, last, node in around if first <= line <= last
    )


def _run_by_itself(source: str) -> frozenset[int]:
    """First lines of functions that the text calls outside of every function."""
    tree = ast.parse(source)
    outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef | ast.ClassDef)]
    calls = [part.func for node in outside for part in ast.walk(node) if isinstance(part, ast.Call)]
    names = {called.id for called in calls if isinstance(called, ast.Name)}
    return frozenset(
        min([node.lineno, *(each.lineno for each in node.decorator_list)])
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in names
    )


@attrs.frozen
class Reach:
    """What the claims as they are consist of.

    Parameters
    ----------
    fingerprints
        Of each claim.
    homes
        The module that holds each claim, of all claims.
    described
        What the fingerprint of each claim reads.
    run
        Functions that run when the specification is imported.
    """

    fingerprints: Mapping[str, str]
    homes: Mapping[str, str]
    described: Mapping[str, frozenset[Place]]
    run: frozenset[Place]

    @classmethod
    def of(cls, claims: Iterable[Claim], chosen: Collection[str], called: Iterable[types.CodeType]) -> Reach:
        """Read claims that this process has imported; only the chosen ones in full, or all."""
        every = {claim.id: claim for claim in claims}
        read = {name: claim for name, claim in every.items() if not chosen or name in chosen}
        modules = _module_of_file()
        homes = {
            value.id: name
            for name, module in [*sys.modules.items()]
            for value in [*vars(module).values()]
            if isinstance(value, Claim) and every.get(value.id) is value and not hasattr(module, "load")
        }
        run = {(modules[code.co_filename], code.co_firstlineno) for code in called if code.co_filename in modules}
        return cls(
            {name: fingerprint(claim) for name, claim in read.items()},
            homes,
            {name: described(claim) for name, claim in read.items()},
            frozenset(run),
        )

    def touched(self, found: Iterable[Mutant], imports: Imports) -> dict[Mutant, tuple[str, ...]]:
        """Return the claims whose fingerprint each mutant may change; whether it does, only an import tells."""
        needs = {claim: imports.closure([self.homes[claim]]) for claim in self.described}
        around: dict[str, Callable[[int], frozenset[int | str]]] = {}
        answers = {}
        run = set(self.run)
        for mutant in found:
            module = mutant.module.name
            if module not in around:
                around[module] = enclosing(mutant.module.source)
                run |= {(module, line) for line in _run_by_itself(mutant.module.source)}
            places: set[Place] = {(module, place) for place in around[module](mutant.edit.line)}
            named = any(isinstance(place, int) for _, place in places)
            if named and not places & run:
                claims = [claim for claim, reads in self.described.items() if places & reads]
            else:
                claims = [claim for claim, modules in needs.items() if module in modules]
            answers[mutant] = tuple(sorted(claims))
        return answers


def claims_now(ids: Collection[str], homes: Mapping[str, str]) -> dict[str, Claim]:
    """Claims as this process imports them, without those that are gone."""
    kind = importlib.import_module("dpmatrix.claims").Claim
    contents = [vars(importlib.import_module(homes[claim])) for claim in ids]
    meant = {*ids}
    every = [value for content in contents for value in [*content.values()] if isinstance(value, kind)]
    return {value.id: value for value in every if value.id in meant}


def fingerprints_now(ids: Collection[str], homes: Mapping[str, str]) -> dict[str, str]:
    """Fingerprints of claims as this process imports them."""
    hashed = importlib.import_module("dpmatrix.claims.fingerprint").fingerprint
    return {name: hashed(claim) for name, claim in claims_now(ids, homes).items()}
