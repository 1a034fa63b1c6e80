"""Changes inside formulas: literals, signs, comparisons, minima, and sums."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from fractions import Fraction

import attrs

from mutation.source import Edit, View, callee

COMPARISONS: dict[type[ast.cmpop], tuple[str, tuple[str, ...]]] = {
    ast.Eq: ("==", ("!=",)),
    ast.NotEq: ("!=", ("==",)),
    ast.Lt: ("<", ("<=", ">=")),
    ast.LtE: ("<=", ("<", ">")),
    ast.Gt: (">", (">=", "<=")),
    ast.GtE: (">=", (">", "<")),
    ast.Is: ("is", ("is not",)),
    ast.IsNot: ("is not", ("is",)),
    ast.In: ("in", ("not in",)),
    ast.NotIn: ("not in", ("in",)),
}


def _counts(view: View, node: ast.AST) -> bool:
    """Whether a literal is an index, a bound of a range, a shape, or an exponent: only whole numbers make sense."""
    for parent, child in view.ancestors(node):
        if isinstance(parent, ast.Subscript) and child is parent.slice:
            return True
        if callee(parent) == "range":
            return True
        if isinstance(parent, ast.Call) and callee(parent).endswith("_mat"):
            return child in parent.args[:2]
        if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and child is parent.right:
            return callee(child) == ""
        if isinstance(parent, ast.stmt):
            return False
    return False


def _signed(value: int) -> str:
    return str(value) if value >= 0 else f"({value})"


def literals(view: View) -> Iterator[Edit]:
    """Each number a tenth larger and a tenth smaller; where whole numbers are due, one larger."""
    for node in view.nodes():
        if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
            continue
        before = view.text(node)
        if isinstance(node.value, int) and _counts(view, node):
            after = _signed(node.value + 1)
            yield view.edit(node, after, "literal", f"{before} -> {after}")
            continue
        exact = Fraction(before.replace("_", ""))
        tenth = abs(exact) / 10 or Fraction(1, 10)
        for nudged in (exact + tenth, exact - tenth):
            after = f"fmpq({nudged.numerator}, {nudged.denominator})"
            yield view.edit(node, after, "literal", f"{before} -> {after}")
        if isinstance(node.value, int):
            for other in (node.value + 1, node.value - 1):
                after = _signed(other)
                yield attrs.evolve(view.edit(node, after, "literal", f"{before} -> {after}"), fallback=True)


def margins(view: View) -> frozenset[str]:
    """Names of the functions that a module hands to a statement or a condition."""
    found: set[str] = set()
    for node in ast.walk(view.tree):
        if isinstance(node, ast.Call) and callee(node) in ("Statement", "Condition", "exceeds"):
            handed = node.args[1:2] + [keyword.value for keyword in node.keywords if keyword.arg == "margin"]
            found.update(value.id for value in handed if isinstance(value, ast.Name))
    return frozenset(found)


def _within(view: View, node: ast.Return) -> str:
    return next(parent.name for parent, _ in view.ancestors(node) if isinstance(parent, ast.FunctionDef))


def signs(view: View, names: frozenset[str]) -> Iterator[Edit]:
    """Each margin function with its value negated."""
    for node in view.nodes():
        if isinstance(node, ast.Return) and node.value is not None and _within(view, node) in names:
            if isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.USub):
                continue  # the minus sign itself is changed elsewhere
            start, end = view.start(node) + len("return"), view.end(node)
            value = view.source[start:end].strip()
            yield view.edit(node, f" -({value})", "sign", "return X -> return -(X)", span=(start, end))


def emptied(view: View, names: frozenset[str], vacuous: Mapping[str, str]) -> Iterator[Edit]:
    """Each margin function with something empty as its value: a constant, or a sign."""
    for node in view.nodes():
        if isinstance(node, ast.Return) and node.value is not None and _within(view, node) in names:
            start, end = view.start(node) + len("return"), view.end(node)
            for kind, function in vacuous.items():
                after = f" {function}({view.source[start:end].strip()})"
                yield view.edit(node, after, "vacuous", f"return X -> return {kind}", span=(start, end))


def comparisons(view: View) -> Iterator[Edit]:
    """Each comparison made strict or not, and negated."""
    for node in view.nodes():
        if not isinstance(node, ast.Compare) or not view.in_function(node):
            continue
        sides = [node.left, *node.comparators]
        for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
            before, others = COMPARISONS[type(operator)]
            start = view.source.index(before, view.end(left))
            for after in others:
                edit = view.edit(node, after, "comparison", "", span=(start, start + len(before)))
                yield attrs.evolve(edit, change=f"{view.text(left)} {before} -> {after} {view.text(right)}")


def extrema(view: View) -> Iterator[Edit]:
    """Each minimum made a maximum, and the reverse."""
    swapped = {"min": "max", "max": "min"}
    for node in view.nodes():
        if isinstance(node, ast.Call) and callee(node) in swapped:
            after, end = swapped[callee(node)], view.end(node.func)
            yield view.edit(node, after, "extremum", f"{callee(node)} -> {after}", span=(end - 3, end))


def sums(view: View) -> Iterator[Edit]:
    """Each + made -, each - made +, between terms and before them."""
    for node in view.nodes():
        if not view.in_function(node):
            continue
        match node:
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
                before, after = ("+", "-") if isinstance(operator, ast.Add) else ("-", "+")
                start = view.source.index(before, view.end(left))
                change = f"{view.text(left)} {before} -> {after} {view.text(right)}"
                yield view.edit(node, after, "sum", change, span=(start, start + 1))
            case ast.UnaryOp(op=ast.USub()):
                start = view.start(node)
                yield view.edit(node, "+", "sum", f"{view.text(node)}: - -> +", span=(start, start + 1))
            case ast.AugAssign(target=target, op=ast.Add() | ast.Sub() as operator):
                before, after = ("+=", "-=") if isinstance(operator, ast.Add) else ("-=", "+=")
                start = view.source.index(before, view.end(target))
                change = f"{view.text(target)} {before} -> {after}"
                yield view.edit(node, after, "sum", change, span=(start, start + 2))
