"""A constant that is changed in the text of a statement changes its proposition, so that no theorem is about it."""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpmatrix.claims import Grade, claim_of
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import FOLDER
from dpmatrix.spec import load

ROOT = Path(__file__).resolve().parents[2]
WANTED = 30


def constants(function: ast.FunctionDef) -> Iterator[ast.Constant]:
    """Yield the integers that a function returns a multiple, a sum or a power of, or a fraction with."""
    for returned in ast.walk(function):
        for place in ast.walk(returned) if isinstance(returned, ast.Return) else ():
            fraction = isinstance(place, ast.Call) and ast.unparse(place.func) == "fmpq"
            operands = (place.left, place.right) if isinstance(place, ast.BinOp) else place.args if fraction else ()
            yield from (one for one in operands if isinstance(one, ast.Constant) and type(one.value) is int)


def changed(function) -> Iterator[tuple[str, str]]:
    """Yield the line, and the text of a function's module, with one such constant made one larger; nothing without."""
    module = Path(inspect.getsourcefile(function)).read_text(encoding="utf-8")
    lines, first = inspect.getsourcelines(function)
    span = range(first, first + len(lines))
    nodes = [one for one in ast.walk(ast.parse(module)) if isinstance(one, ast.FunctionDef) and one.lineno in span]
    for place in constants(nodes[0]):
        text = module.splitlines(keepends=True)
        line = text[place.lineno - 1].encode()
        other = line[: place.col_offset] + str(place.value + 1).encode() + line[place.end_col_offset :]
        text[place.lineno - 1] = other.decode()
        yield other.decode().strip(), "".join(text)
        return


def mutants() -> list[tuple[str, str, str, str]]:
    """Return module, line, text and statement of each: one for each function that a theorem about a margin is of."""
    registry, found = load(), {}
    for theorem in Proofs.read(ROOT / FOLDER).theorems.values():
        if theorem.kind is Grade.KERNEL_MARGIN:
            name = theorem.statements[0]
            function = inspect.unwrap(
                getattr(source := registry[claim_of(name)].statements()[name].source, "func", source)
            )
            if function.__module__.startswith("dpmatrix.spec.") and function not in found:
                found[function] = [(function.__module__, line, text, name) for line, text in changed(function)]
    return [mutant for one in found.values() for mutant in one][:WANTED]


@pytest.fixture(scope="module")
def answers() -> list[tuple[str, str, str]]:
    """Return line, statement and proposition of every mutant."""
    made = mutants()
    jobs = json.dumps([(module, text, name) for module, _, text, name in made])
    program = [sys.executable, str(Path(__file__).with_name("traced_mutants.py"))]
    done = subprocess.run(program, input=jobs, capture_output=True, text=True, check=True, cwd=ROOT)
    return [(line, name, answer) for (_, line, _, name), answer in zip(made, json.loads(done.stdout), strict=True)]


def test_thirty_changed_constants_change_thirty_propositions(answers) -> None:
    written = Proofs.read(ROOT / FOLDER).propositions
    assert len(answers) == WANTED
    assert [line for line, name, answer in answers if answer == written[name].text] == []


def test_most_changed_statements_still_have_a_proposition(answers) -> None:
    assert sum(answer.startswith("(* ") for _, _, answer in answers) > WANTED // 2
