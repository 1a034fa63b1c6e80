"""Changes of what is supposed: a hypothesis dropped, and strictness exchanged."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dpmatrix.claims import Condition
from mutation.source import Edit, View, callee

Evaluate = Callable[[str], object]
"""Value of an expression among the module's own names; raises `NameError` for the locals of a function."""

STRICT_BY_DEFAULT = {"Statement": False, "Condition": False, "exceeds": True}


def _conditions(view: View, node: ast.expr, evaluate: Evaluate) -> tuple[Condition, ...]:
    """Return the conditions that an expression stands for; none when it is not a tuple of conditions."""
    try:
        value = evaluate(view.text(node))
    except NameError:
        return ()
    if isinstance(value, tuple) and value and all(isinstance(item, Condition) for item in value):
        return value
    return ()


def _places(view: View) -> Iterator[ast.expr]:
    """Expressions that may be tuples of conditions: what ``given`` is, and constants of the module."""
    for node in view.nodes():
        match node:
            case ast.keyword(arg="given", value=value):
                yield value
            case ast.Assign(value=ast.Tuple() as value) | ast.AnnAssign(value=ast.Tuple() as value):
                if not view.in_function(node):
                    yield value


def dropped(view: View, evaluate: Evaluate) -> Iterator[Edit]:
    """Each hypothesis of each statement, and of each shared tuple, left out."""
    for node in _places(view):
        text = view.text(node)
        for place, condition in enumerate(_conditions(view, node, evaluate)):
            after = f"(*({text})[:{place}], *({text})[{place + 1}:])"
            yield view.edit(node, after, "hypothesis", f"drop {condition.says!r}")


def strictness(view: View) -> Iterator[Edit]:
    """Each ``strict`` of a statement or a condition exchanged, also where it is left to its default."""
    for node in view.nodes():
        if isinstance(node, ast.FunctionDef):
            for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
                if argument.arg == "strict" and isinstance(default, ast.Constant):
                    yield view.edit(
                        default, repr(not default.value), "strictness", f"strict={default.value!r} by default"
                    )
        if not isinstance(node, ast.Call) or callee(node) not in STRICT_BY_DEFAULT:
            continue
        given = [keyword.value for keyword in node.keywords if keyword.arg == "strict"]
        if given and isinstance(given[0], ast.Constant):
            after = repr(not given[0].value)
            yield view.edit(given[0], after, "strictness", f"{callee(node)} strict={given[0].value!r} -> {after}")
        elif not given and len(node.args) < 3:
            after = repr(not STRICT_BY_DEFAULT[callee(node)])
            end = view.end(node) - 1
            comma = "" if view.source[:end].rstrip().endswith(",") else ", "
            change = f"{callee(node)} strict={after}"
            yield view.edit(node, f"{comma}strict={after}", "strictness", change, span=(end, end))


def boundaries(view: View, evaluate: Evaluate) -> Iterator[Edit]:
    """Each condition that a combinator makes, such as ``at_most``, with its boundary in or out."""
    for place in _places(view):
        if not isinstance(place, ast.Tuple) or not _conditions(view, place, evaluate):
            continue
        for node in place.elts:
            if not isinstance(node, ast.Call) or callee(node) in STRICT_BY_DEFAULT:
                continue
            condition = evaluate(view.text(node))
            if isinstance(condition, Condition):
                after = f"evolve({view.text(node)}, strict={not condition.strict})"
                word = "open" if not condition.strict else "closed"
                yield view.edit(node, after, "strictness", f"{condition.says!r} made {word}")
