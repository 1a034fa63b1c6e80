"""Which figures the items of a file tell, read from its text: nothing is run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TypeGuard

import attrs

from dpmatrix.reporting.citing import Cited, cite

METHOD = Cited.tells.__name__
_SOURCES = (cite.__name__, "page")
"""What makes the claims, and the pages of the documentation, that are told."""
_NUMBERS = frozenset(
    {"Fraction", "Decimal", "Rational", "Integer", "Float", "arb", "fmpq", "fmpz", "mpf", "acb", "array", "float64"}
    | {"ball", "rational", "fraction", "interval", "mid", "lower", "upper", "rad", "evalf", "n", "N", "item"}
    | {"limit_denominator", "as_integer_ratio", "evolve", "subs"}
)
"""What writes a number down otherwise, and computes none."""
_GROWTH = frozenset({"append", "extend", "add", "update"})
_IDLE = _NUMBERS | _GROWTH | frozenset(dir(builtins))
_PLAIN = frozenset({"fractions", "decimal", "flint", "itertools", "typing", "__future__", "pytest"})
"""Modules whose names are no result, unless they are called."""
_ALWAYS = (ast.For, ast.With)
"""What a check may stand in, so that it is met whenever the item runs."""


@attrs.frozen
class Told:
    """One call of `Cited.tells`.

    Attributes
    ----------
    claim, template
        The claim, or the page of the documentation, and the piece of its prose.
    item, line
        The function that it stands in, and its line.
    problem
        Why nobody can rely on it; empty where somebody can.
    """

    claim: str
    template: str
    item: str
    line: int
    problem: str = ""


def told(source: str) -> Iterator[Told]:
    """Yield the calls that a file of tests makes, in the order of its text.

    A number counts as computed if what it is made of, followed through the names of the file, calls something that is
    no other way to write a number, or reads a name that comes from elsewhere. A number that is written down counts
    beside a computed one that is made of it: as the point at which that was computed. Not seen is a computation
    that does not matter, such as one that is multiplied by zero, and a loop over nothing.
    """
    tree = ast.parse(source)
    names = _Names.of(tree.body)
    for item in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        inner = names.within(item)
        for call, always in _calls(item.body, always=_is_run(item, tree)):
            yield _read(call, item, inner, always=always)


def _is_run(item: ast.FunctionDef, tree: ast.Module) -> bool:
    skipped = any(word in ast.unparse(mark) for mark in item.decorator_list for word in ("skip", "xfail"))
    return item in tree.body and item.name.startswith("test_") and not skipped


def _calls(body: list[ast.stmt], *, always: bool) -> Iterator[tuple[ast.Call, bool]]:
    """Find the calls below some statements, each with whether it is met whenever they run."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(statement, ast.Expr) and _is_telling(statement.value):
            yield statement.value, always
            continue
        raising = isinstance(statement, ast.With) and "raises" in ast.unparse(statement.items[0])
        inner = always and isinstance(statement, _ALWAYS) and not raising
        for field in ("body", "orelse", "finalbody"):
            yield from _calls(getattr(statement, field, []), always=inner)
        for handler in getattr(statement, "handlers", []):
            yield from _calls(handler.body, always=False)
        if isinstance(statement, ast.Return | ast.Raise):
            always = False


def _is_telling(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == METHOD


def _read(call: ast.Call, item: ast.FunctionDef, names: _Names, *, always: bool) -> Told:
    claim = names.claim(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    words = call.args[0] if call.args else None
    template = words.value if isinstance(words, ast.Constant) and isinstance(words.value, str) else ""
    values = call.args[1:]
    made = [names.reached(value) for value in values]
    used = set().union(*(found.names for found in made if found.computed))
    written = [
        ast.unparse(value)
        for value, found in zip(values, made, strict=True)
        if not found.computed and (not found.names or not found.names <= used)
    ]
    problem = ""
    if not claim:
        problem = "of no claim that the file cites by its name"
    elif not template:
        problem = "its words are not written there"
    elif not always:
        problem = "it may not be met: it stands in no item, or below a condition"
    elif written:
        problem = f"nothing computes {', '.join(written)}"
    return Told(claim, template, item.name, call.lineno, problem)


@attrs.frozen
class _Reached:
    """What a number is made of: the names of the file, and whether anything is computed."""

    names: frozenset[str]
    computed: bool


@attrs.frozen
class _Names:
    """What the names of a file, or of one function in it, are made of."""

    made: dict[str, list[ast.AST]]
    imported: frozenset[str]
    given: frozenset[str] = frozenset()

    @classmethod
    def of(cls, body: list[ast.stmt]) -> _Names:
        """Read the names that a module defines and imports; those of plain numbers are left out."""
        imported = {
            (alias.asname or alias.name).partition(".")[0]
            for node in body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
            if _root(node, alias) not in _PLAIN
        }
        return cls(_definitions(body), frozenset(imported - _NUMBERS))

    def within(self, item: ast.FunctionDef) -> _Names:
        """Add the names of a function; a parameter is what its marks say, or what pytest hands to it."""
        made = _definitions(item.body)
        parameters = {argument.arg for argument in [*item.args.args, *item.args.kwonlyargs]}
        marks = [mark for mark in item.decorator_list if "parametrize" in ast.unparse(mark)]
        listed: dict[str, list[ast.AST]] = {
            name.strip(): [mark]
            for mark in marks
            if isinstance(mark, ast.Call) and isinstance(mark.args[0], ast.Constant | ast.Tuple)
            for name in ast.unparse(mark.args[0]).strip("()'\"").replace("'", "").split(",")
        }
        here = {name: listed[name] for name in parameters if name in listed}
        hidden = {name: nodes for name, nodes in self.made.items() if name not in made and name not in parameters}
        return _Names({**hidden, **made, **here}, self.imported, frozenset(parameters - here.keys()))

    def claim(self, node: ast.AST) -> str:
        """Return the claim that a name stands for."""
        found = self.made.get(node.id, []) if isinstance(node, ast.Name) else [node]
        for source in found:
            if isinstance(source, ast.Call) and ast.unparse(source.func).rpartition(".")[2] in _SOURCES:
                words = source.args[0] if source.args else None
                return str(words.value).partition("@")[0] if isinstance(words, ast.Constant) else ""
        return ""

    def reached(self, node: ast.AST) -> _Reached:
        """Follow a number through the names of the file."""
        waiting, met, computed = [node], set[str](), False
        while waiting:
            for part in ast.walk(waiting.pop()):
                computed = computed or self._computes(part)
                if isinstance(part, ast.Name) and part.id in self.made and part.id not in met:
                    met.add(part.id)
                    waiting += self.made[part.id]
        return _Reached(frozenset(met), computed)

    def _computes(self, part: ast.AST) -> bool:
        if isinstance(part, ast.Name):
            return (part.id in self.imported and not _is_record(part.id)) or part.id in self.given
        if not isinstance(part, ast.Call):
            return False
        if isinstance(part.func, ast.Attribute):
            return part.func.attr not in _IDLE and "parametrize" not in ast.unparse(part.func)
        called = part.func.id if isinstance(part.func, ast.Name) else ""
        return not (called in _IDLE or called in self.made or _is_record(called))


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return what an assignment of several names to several values gives to each."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _is_growth(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _GROWTH


def _is_record(name: str) -> bool:
    """Whether a name is that of a class, which holds what it is given."""
    return name[:1].isupper() and not name.isupper()


def _root(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    return ((node.module or "") if isinstance(node, ast.ImportFrom) else alias.name).partition(".")[0]


def _definitions(body: list[ast.stmt]) -> dict[str, list[ast.AST]]:
    """Collect what each name is made of: assignments, loops, contexts, and the bodies of functions."""
    found: dict[str, list[ast.AST]] = {}

    def note(target: ast.AST | None, source: ast.AST) -> None:
        for part in ast.walk(target) if target is not None else ():
            if isinstance(part, ast.Name):
                found.setdefault(part.id, []).append(source)

    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            found.setdefault(statement.name, []).extend(statement.body)
            for name, sources in _definitions(statement.body).items():
                found.setdefault(name, []).extend(sources)
            continue
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign):
                for target, value in (pair for each in node.targets for pair in _pairs(each, node.value)):
                    note(target, value)
            elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
                note(node.target, node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                note(node.target, node.iter)
            elif _is_growth(node):
                note(node.func, node)
            elif isinstance(node, ast.withitem):
                note(node.optional_vars, node.context_expr)
    return found
