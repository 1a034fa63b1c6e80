"""Every figure in a docstring of evidence stands in the code below it, or is told there of the claim, or is excepted.

A measured number in words grows old in silence; one that an assertion has beside it does not. The exceptions stand in
`untold_in_docstrings.toml`, by file and function, each with the reason.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from dpmatrix.reporting.citing import METHODS, Cited
from dpmatrix.reporting.prose import Figure, figures
from tests.house.told_spans import excepted, spans

ROOT = Path(__file__).resolve().parents[2]
EVIDENCE = "proofs_checks"
"""Where every docstring is one of evidence; elsewhere only those of items that cite a claim."""
EXCEPTIONS = Path(__file__).parent / "untold_in_docstrings.toml"
_WRITTEN = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?:e-?\d+)?(?![\w.])")


def _value(words: str) -> Fraction:
    return Fraction(words.replace("_", ""))


def _docstring(node: ast.FunctionDef) -> list[ast.stmt]:
    """Return the statement that is the docstring, if there is one."""
    first = node.body[0]
    return [first] if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else []


def numbers(nodes: list[ast.stmt] | list[ast.expr]) -> set[Fraction]:
    """Return the numbers that code computes with, those in texts that it passes on included."""
    found = set[Fraction]()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # a text or a number that goes nowhere
        for part in ast.walk(node):
            if not isinstance(part, ast.Constant) or isinstance(part.value, bool):
                continue
            if isinstance(part.value, int | float):
                found.add(_value(repr(part.value)))
            elif isinstance(part.value, str):
                found |= {_value(words) for words in _WRITTEN.findall(part.value)}
    return found


def _named(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _code(item: ast.FunctionDef, tree: ast.Module) -> tuple[set[Fraction], list[str]]:
    """Return the numbers of an item, and the pieces of prose that it tells.

    Its numbers are those of its body, of the values it is run at and of the constants of the file that it names.
    """
    body = item.body[len(_docstring(item)) :]
    runs = [mark for mark in item.decorator_list if "parametrize" in ast.unparse(mark)]
    used = _named(body) | _named(runs)
    constants: list[ast.stmt] = [
        node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and _targets(node) & used
    ]
    calls = [part for node in body for part in ast.walk(node) if isinstance(part, ast.Call)]
    told = [
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr == Cited.tells.__name__
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    ]
    return numbers(body) | numbers(runs) | numbers(constants), told


def _targets(node: ast.Assign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}


def _cites(item: ast.FunctionDef) -> bool:
    marks = [mark.func for mark in item.decorator_list if isinstance(mark, ast.Call)]
    return any(isinstance(mark, ast.Attribute) and mark.attr in METHODS for mark in marks)


def _stands(figure: Figure, known: set[Fraction]) -> bool:
    """Whether the code has the number: a percentage as it is written or as a part of one, a power by its base too."""
    value, base = figure.parts[0], figure.words.partition("^")[0]
    plain = {_value(base)} if "^" in figure.words and base.isdecimal() else set()
    percent = {value * 100} if figure.words.endswith("%") else set()
    return bool(known & ({value} | plain | percent))


def untold(source: str, phrases: Mapping[str, Mapping[str, str]], *, every: bool = True) -> Iterator[tuple[str, str]]:
    """Yield the figures that no code has: the function, and the words around the figure.

    Parameters
    ----------
    source
        The text of a file of tests.
    phrases
        The exceptions, by function.
    every
        Whether docstrings of functions count that cite no claim.
    """
    tree = ast.parse(source)
    for item in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        if not (every or _cites(item)):
            continue
        text = " ".join((ast.get_docstring(item) or "").split())
        known, templates = _code(item, tree)
        told, free = spans(text, templates), excepted(text, phrases.get(item.name, ()))
        for figure in figures(text):
            here = any(figure.start in part for part in free)
            if not here and (figure.start, figure.end) not in told and not _stands(figure, known):
                yield item.name, f"...{text[max(0, figure.start - 50) : figure.end + 20]}..."


def _files() -> Iterator[tuple[str, str, bool]]:
    for folder in (EVIDENCE, "tests", "audit"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.is_relative_to(ROOT / "audit" / "peers"):
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"), folder == EVIDENCE


@cache
def exceptions() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return tomllib.loads(EXCEPTIONS.read_text(encoding="utf-8"))


def test_every_figure_of_a_docstring_stands_in_its_code() -> None:
    assert [
        f"{name}::{item}: {words}"
        for name, source, every in _files()
        for item, words in untold(source, exceptions().get(name, {}), every=every)
    ] == []


def test_exceptions_are_needed_and_have_reasons() -> None:
    idle = []
    for name, source, every in _files():
        known = exceptions().get(name, {})
        for item, phrases in known.items():
            for phrase, reason in phrases.items():
                fewer = {**known, item: {other: why for other, why in phrases.items() if other != phrase}}
                needed = set(untold(source, fewer, every=every)) - set(untold(source, known, every=every))
                idle += [] if needed and reason.strip() else [f"{name}::{item}: {phrase}"]
    assert idle == []
    assert exceptions().keys() <= {name for name, *_ in _files()}


ITEM = '''
BOUND = 0.75
OTHER = 0.81

@theorem_4.supports(grade="derived", region="{region}")
def test_mass(statement):
    """{words}"""
    {body}
'''


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("It is 0.28 of the bound.", "assert value < 0.28"),
        ("It is 28 % of the bound.", "assert value < 0.28"),
        ("It is 0.28 of the bound.", 'assert value < arb("0.28")'),
        ("It is 0.75 of the bound.", "assert value < BOUND"),
        ("It is 1,500 times the bound.", "assert value < 1500"),
        ("It is 10^-15 of the bound.", "assert value < fmpq(1, 10) ** 15"),
        ("It is 0.28 at eps.", 'theorem_4.tells("{} at eps", value)'),
        ("At Theorem 4.2 of the text, n = 3 and seven rows.", "assert value"),
    ],
)
def test_a_figure_that_the_code_has_is_not_found(words: str, body: str) -> None:
    source = ITEM.replace("{words}", words).replace("{body}", body).replace("{region}", "all")
    assert list(untold(source, {})) == []


@pytest.mark.parametrize(
    ("words", "body"),
    [
        ("It is 0.28 of the bound.", "assert value < 0.29"),
        ("It is 0.28 of the bound.", "assert value < 1  # 0.28"),
        ("It is 0.28 of the bound.", "0.28\n    assert value"),
        ("It is 0.28 of the bound.", '"0.28"\n    assert value'),
        ("It is 0.81 of the bound.", "assert value < BOUND"),
        ("It is 0.28 at delta.", 'theorem_4.tells("{} at eps", value)'),
        ("It is 0.5 of the bound.", "assert value < 1"),
    ],
)
def test_a_figure_that_no_code_has_is_found(words: str, body: str) -> None:
    source = ITEM.replace("{words}", words).replace("{body}", body).replace("{region}", "0.5 and 0.28")
    ((item, _),) = untold(source, {})
    assert item == "test_mass"
    assert list(untold(source, {"test_mass": {words[:15]: "a reason"}})) == []
