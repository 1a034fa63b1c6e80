"""The copies in which margins run on symbols, and the functions that are trusted there."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from flint import arb, ctx, fmpq

import dpmatrix.spec
from dpmatrix.claims import Condition, Statement
from dpmatrix.exact import rational
from dpmatrix.reporting.intact import Modules
from dpmatrix.tracing import UntraceableError, trace
from dpmatrix.tracing.copies import copies
from dpmatrix.tracing.evaluation import evaluate
from dpmatrix.tracing.expressions import Number, Sort, Variable
from dpmatrix.tracing.rendering import render
from dpmatrix.tracing.symbolic import Symbolic
from dpmatrix.tracing.trusted import TRUSTED

REGISTRY = dpmatrix.spec.load()
X = Variable("x", Sort.REAL)


def test_tracing_leaves_every_module_as_it_is():
    modules = Modules(["dpmatrix", "flint"])
    names = set(sys.modules)
    for claim in ("wishart.theorem-4", "near-optimal.lemma-10", "analyze-gauss.theorem-4"):
        for statement in REGISTRY[claim].statements().values():
            try:
                trace(statement)
            except UntraceableError:
                continue
    assert modules.replaced() == ()
    assert not {name for name in set(sys.modules) - names if name.startswith("dpmatrix.spec")}


def test_a_copy_is_made_from_the_text_of_its_module():
    name = "dpmatrix.spec.wishart.sensitivity"
    original, copy = importlib.import_module(name), copies().module(name)
    assert copy is not original
    assert copy.nuclear_norm.__code__.co_code == original.nuclear_norm.__code__.co_code
    assert copy.arb is not original.arb


def test_every_trusted_function_stands_for_one_of_the_module_and_says_why():
    for module, functions in TRUSTED.items():
        for name, (_, reason) in functions.items():
            assert callable(getattr(importlib.import_module(module), name))
            assert reason


@pytest.mark.parametrize("name", ["ball", "rational", "fraction", "square", "nonnegative_root"])
def test_a_trusted_function_has_the_value_of_the_code(name):
    own, (trusted, _) = getattr(importlib.import_module("dpmatrix.exact"), name), TRUSTED["dpmatrix.exact"][name]
    for value in (fmpq(0), fmpq(3, 7), fmpq(25)):
        given = arb(value) if name in ("square", "nonnegative_root") else value
        found = evaluate(trusted(Symbolic(X)).expression, {X: value})
        expected = own(given)
        assert found.overlaps(expected if isinstance(expected, arb) else arb(rational(expected)))


@pytest.mark.parametrize(("name", "shape"), [("upper_tail", 3), ("lower_tail", 3), ("lower_tail", 80)])
def test_trusted_tails_are_those_of_the_code(name, shape):
    module = "dpmatrix.privacy.profiles.incomplete_gamma"
    own, (trusted, _) = getattr(importlib.import_module(module), name), TRUSTED[module][name]
    found = evaluate(trusted(Symbolic(X), Symbolic(Number(shape))).expression, {X: fmpq(11, 2)})
    assert abs(found - own(arb(fmpq(11, 2)), arb(shape))) < arb(2) ** (10 - ctx.prec)


def test_a_changed_statement_is_traced_as_changed():
    statement = REGISTRY["wishart.nuclear-norm-bound"].statement
    changed = trace(statement.nudged(lambda margin: margin - 1))
    assert render(changed.cases[0].conclusion.margin) == f"{render(trace(statement).cases[0].conclusion.margin)} - 1"
    fewer = trace(statement.without("v_squared >= 0"))
    assert len(fewer.cases[0].hypotheses) == len(statement.given) - 1


def test_a_margin_that_leaves_its_module_is_not_traced():
    point = importlib.import_module("dpmatrix.spec.wishart.sensitivity").RecordPair

    def margin(p) -> arb:
        return arb(p.v_squared)

    def other(p) -> arb:
        return arb(p.w_squared)

    margin.__annotations__["p"] = other.__annotations__["p"] = point
    with pytest.raises(UntraceableError):
        trace(Statement("elsewhere", margin, given=(Condition("there", other),)))


ROOT = Path(__file__).resolve().parents[2]
CHANGED = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
from mutation.substitution import Substitute, folder_of

source = (folder_of("dpmatrix.spec") / "wishart/sensitivity.py").read_text(encoding="utf-8")
changed = Path(sys.argv[2]) / "changed.py"
changed.write_text(source.replace("return 3 - nuclear", "return fmpq(4) - nuclear"), encoding="utf-8")
sys.meta_path.insert(0, Substitute("dpmatrix.spec.wishart.sensitivity", changed))

from dpmatrix.spec import load
from dpmatrix.tracing import trace
from dpmatrix.tracing.rendering import render

print(render(trace(load()["wishart.nuclear-norm-bound"].statement).cases[0].conclusion.margin))
"""


def test_a_module_that_is_loaded_from_another_text_is_copied_from_that_text(tmp_path):
    command = [sys.executable, "-c", CHANGED, str(ROOT / "audit"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "4 - sqrt((v_squared + w_squared)^2 - 4 * inner^2)"
