"""The terms of the generated files have the values of the expressions, and a file is read as it was written.

That the files are a fresh trace, byte for byte, is tested where every statement is traced (`tests/tracing`).
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flint import arb

from dpmatrix.claims import claim_of
from dpmatrix.exact import precision
from dpmatrix.kernel.generated import generate
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.propositions import Proposition
from dpmatrix.kernel.rocq import OPAQUE, identifier, term
from dpmatrix.kernel.sources import FOLDER
from dpmatrix.spec import load
from dpmatrix.tracing import Case, trace
from dpmatrix.tracing.evaluation import BALLS, Evaluator, UndecidedComparisonError
from dpmatrix.tracing.expressions import ARITIES, Apply, Choice, Comparison, Number, Sort, Variable
from dpmatrix.tracing.sampling import BITS, draw
from dpmatrix.tracing.writing import apply
from tests.kernel.rocq_terms import Reader, UndecidedChoiceError

ROOT = Path(__file__).resolve().parents[2]
OPAQUE_FUNCTIONS = {name: (ARITIES[name], BALLS[name]) for name in OPAQUE}


def agreement(case: Case, name: str) -> tuple[int, list[str]]:
    """Count the values of terms that agree with the expressions, and list those that do not."""
    agreed, differing = 0, []
    for values, _ in draw(case, 3, name):
        here = {identifier(variable.name): arb(value) for variable, value in values.items()}
        for asserted in (*case.hypotheses, case.conclusion):
            with precision(BITS):
                try:
                    wanted = Evaluator(values).value(asserted.margin)
                    found = Reader(term(asserted.margin), here, OPAQUE_FUNCTIONS).whole()
                except (UndecidedComparisonError, UndecidedChoiceError, TypeError, ValueError, ZeroDivisionError):
                    continue
                if wanted.is_finite() and found.is_finite():
                    if abs(wanted - found) < arb(10) ** -25 * (1 + abs(wanted)):
                        agreed += 1
                    elif not wanted.overlaps(found):
                        differing.append(f"{name}: {term(asserted.margin)} at {here} is {found}, not {wanted}")
    return agreed, differing


def test_terms_have_the_values_of_the_expressions_that_they_write() -> None:
    registry, agreed, statements = load(), 0, set()
    for name in Proofs.read(ROOT / FOLDER).propositions:
        for case in trace(registry[claim_of(name)].statements()[name]).cases:
            count, differing = agreement(case, name)
            assert differing == []
            agreed += count
            statements |= {name} if count else set()
    assert agreed > 1500
    assert len(statements) > 180


X, N = Variable("x", Sort.REAL), Variable("n", Sort.INTEGER)


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        (apply("-", X, apply("-", X, N)), "x - (x - IZR n)"),
        (apply("/", X, apply("/", X, N)), "x / (x / IZR n)"),
        (apply("neg", apply("^", X, Number(2))), "- x ^ 2"),
        (apply("^", apply("neg", X), Number(2)), "(- x) ^ 2"),
        (apply("^", X, Number(-2)), "/ x ^ 2"),
        (apply("^", apply("^", X, Number(2)), Number(3)), "(x ^ 2) ^ 3"),
        (apply("^", X, apply("-", N, Number(1))), "powerRZ x (n - 1)"),
        (apply("^", X, apply("neg", N)), "powerRZ x (- n)"),
        (apply("^", X, apply("/", N, Number(2))), "Rpower x (IZR n / 2)"),
        (apply("exp", apply("neg", X)), "exp (- x)"),
        (apply("floor", apply("/", N, Number(2))), "IZR (Int_part (IZR n / 2))"),
        (Apply("+", (Choice(Comparison("<", X, N), X, N), X)), "(if Rlt_dec x (IZR n) then x else IZR n) + x"),
    ],
)
def test_brackets_stand_where_rocq_needs_them(expression, written) -> None:
    assert term(expression) == written


def test_a_generated_file_is_read_as_it_was_written() -> None:
    generated = generate([load()["wishart.theorem-2"]])
    (text,) = generated.files().values()
    assert {found.statement: found for found in Proposition.written(text)} == generated.propositions
    assert generated.propositions["wishart.theorem-2"].opaque == ("erfc", "hypgeom_u")
