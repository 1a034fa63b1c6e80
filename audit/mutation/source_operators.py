"""Changes of code that releases: what is left out, shared, swapped, or true one time more or less."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from mutation import operators
from mutation.source import Edit, View, callee

ENTROPY = frozenset({"entropy", "source", "_entropy"})
"""Names under which random bits are handed on."""

SHARED = '__import__("dpmatrix.randomness.entropy", fromlist=["entropy"]).SeededEntropy(0)'
KEPT: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Pow: "**",
    ast.Mod: "%",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


def _code(view: View) -> Iterator[ast.AST]:
    """All code but what only an error would say."""
    for node in view.nodes():
        chain = [node, *(parent for parent, _ in view.ancestors(node))]
        if not any(isinstance(parent, ast.Raise) for parent in chain[1:]):
            yield node


def constants(view: View) -> Iterator[Edit]:
    """Each integer one larger and, above one, one smaller; each float doubled; each truth value turned."""
    for node in _code(view):
        if not isinstance(node, ast.Constant):
            continue
        before = view.text(node)
        match node.value:
            case bool():
                others = [str(not node.value)]
            case int():
                others = [str(node.value + 1), *([str(node.value - 1)] if node.value > 1 else [])]
            case float():
                others = [repr(2 * node.value + (node.value == 0))]
            case _:
                continue
        for after in others:
            yield view.edit(node, after, "constant", f"{before} -> {after}")


def forgotten(view: View) -> Iterator[Edit]:
    """Each sum, product, quotient and power with one of its sides alone; what is added to a name, not added."""
    for node in _code(view):
        match node:
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in KEPT and view.in_function(node):
                sides = (left, right) if isinstance(operator, ast.Add | ast.Mult) else (left,)
                for side in sides:
                    after = f"({view.text(side)})"
                    yield view.edit(node, after, "forgotten", f"{view.text(node)} -> {after}")
            case ast.AugAssign():
                yield view.edit(node, "pass", "forgotten", f"{view.text(node)} -> pass")


def dropped(view: View) -> Iterator[Edit]:
    """Each call that stands alone and each refusal, left out."""
    for node in view.nodes():
        match node:
            case ast.Expr(value=ast.Call() as call) if "super()" not in view.text(call.func):
                yield view.edit(node, "pass", "dropped call", f"{view.text(node)} -> pass")
            case ast.Raise(exc=ast.expr()) if view.in_function(node):
                yield view.edit(node, "pass", "dropped refusal", f"{view.text(node)} -> pass")


def arguments(view: View) -> Iterator[Edit]:
    """Each pair of neighbouring arguments swapped; each argument by name, and the last of several, left out."""
    for node in _code(view):
        if not isinstance(node, ast.Call) or any(isinstance(one, ast.Starred) for one in node.args):
            continue
        name = callee(node)
        for first, second in zip(node.args, node.args[1:], strict=False):
            if view.text(first) == view.text(second):
                continue
            span = (view.start(first), view.end(second))
            between = view.source[view.end(first) : view.start(second)]
            after = f"{view.text(second)}{between}{view.text(first)}"
            yield view.edit(
                node, after, "swapped", f"{name}: {view.text(first)}, {view.text(second)} swapped", span=span
            )
        parts = sorted((*node.args, *(keyword for keyword in node.keywords if keyword.arg)), key=view.start)
        for place, part in enumerate(parts):
            if isinstance(part, ast.keyword) or (place > 0 and part is node.args[-1]):
                start = view.end(parts[place - 1]) if place else view.start(part)
                end = view.end(part) if place or len(parts) == 1 else view.start(parts[1])
                yield view.edit(node, "", "left out", f"{name}: without {view.text(part)}", span=(start, end))


def conditions(view: View) -> Iterator[Edit]:
    """Each choice made one way whatever the condition; each branch taken the other way round."""
    for node in _code(view):
        match node:
            case ast.IfExp(body=body, orelse=orelse):
                for side in (body, orelse):
                    after = f"({view.text(side)})"
                    yield view.edit(node, after, "condition", f"{view.text(node)} -> {after}")
            case ast.If(test=test):
                after = f"not ({view.text(test)})"
                yield view.edit(test, after, "condition", f"if {view.text(test)} -> if {after}")


def noises(view: View) -> Iterator[Edit]:
    """Each source of bits that is handed on, made the same known one; each noise that is drawn, taken from itself."""
    for node in _code(view):
        if not isinstance(node, ast.Call) or not view.in_function(node):
            continue
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            name = part.id if isinstance(part, ast.Name) else part.attr if isinstance(part, ast.Attribute) else ""
            if name in ENTROPY:
                yield view.edit(part, SHARED, "shared noise", f"{callee(node)}: {view.text(part)} -> a seed")
        if "noise" in callee(node):
            after = f"(lambda drawn: drawn - drawn)({view.text(node)})"
            yield view.edit(node, after, "removed noise", f"{view.text(node)} -> 0")


OPERATORS: tuple[Callable[[View], Iterator[Edit]], ...] = (
    constants,
    operators.comparisons,
    operators.extrema,
    operators.sums,
    forgotten,
    dropped,
    arguments,
    conditions,
    noises,
)


KINDS = (
    "constant",
    "comparison",
    "extremum",
    "sum",
    "forgotten",
    "dropped call",
    "dropped refusal",
    "swapped",
    "left out",
    "condition",
    "shared noise",
    "removed noise",
)
"""Kinds of change that `OPERATORS` make."""


def edits_of(view: View) -> list[Edit]:
    """Every change that leaves a text of Python and another one, in the order of places."""
    found = []
    for operator in OPERATORS:
        for edit in operator(view):
            after = edit.apply(view.source)
            try:
                same = ast.dump(ast.parse(after)) == ast.dump(view.tree)
            except SyntaxError:
                continue
            if not same:
                found.append(edit)
    return sorted(found, key=lambda edit: edit.start)
