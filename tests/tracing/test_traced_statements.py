"""Every statement of the specification: traced, or with a reason, and the same as its margin."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from zlib import crc32

import attrs
import pytest

import dpmatrix.spec
from dpmatrix.claims import claim_of
from dpmatrix.claims.traced import Traces
from dpmatrix.kernel.generated import generate
from dpmatrix.kernel.judging import Proofs, stale
from dpmatrix.kernel.sources import FOLDER
from dpmatrix.spec import traced
from dpmatrix.tracing import compare, trace
from dpmatrix.tracing.expressions import Number
from dpmatrix.tracing.points import Record
from dpmatrix.tracing.rendering import render
from dpmatrix.tracing.survey import AT_SIZES, EVERYWHERE, NOT, defined_where, kept, reasons, survey
from dpmatrix.tracing.writing import apply

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = dpmatrix.spec.load()
ASKED = 0
ENOUGH = 320
"""Statements that have an expression at every point, at least."""
ENOUGH_CLAIMS = 90
"""Claims whose statement, step and repair aside, has expressions at every point or at small sizes, at least."""


@pytest.fixture(scope="module")
def entries():
    return list(survey(REGISTRY))


def statement(name: str):
    return REGISTRY[name.partition("/")[0].partition("+")[0]].statements()[name]


def test_every_statement_is_traced_or_says_why_not(entries):
    assert len(entries) == sum(len(claim.statements()) for claim in REGISTRY)
    extents = Counter(entry.extent for entry in entries)
    assert extents[EVERYWHERE] >= ENOUGH
    assert extents[AT_SIZES] > 0
    assert sum(entry.role == "main" and entry.traced is not None for entry in entries) >= ENOUGH_CLAIMS
    assert sum(reasons(entries).values()) == extents[NOT]
    assert all(reasons(entries))


def test_the_generated_files_of_proofs_are_this_trace(entries):
    """Byte for byte, for every proposition that a proof may be about."""
    traces = {entry.name: entry.traced for entry in entries if entry.traced is not None}
    assert stale(Proofs.read(ROOT / FOLDER).sources, generate(REGISTRY, traces)) == []


def test_what_is_kept_for_readers_is_what_the_tracer_finds(entries):
    """Of claims that changed since, nothing is taken from what is kept; `python -m dpmatrix trace --keep` renews it."""
    now, before = kept(REGISTRY, entries), traced()
    assert before is not None
    same = {name for name, fingerprint in now.fingerprints.items() if before.fingerprints.get(name) == fingerprint}
    assert {name: one for name, one in now.statements.items() if claim_of(name) in same} == {
        name: one for name, one in before.statements.items() if claim_of(name) in same
    }
    assert all(one.reason for one in now.statements.values() if one.extent != EVERYWHERE)
    assert Traces.from_json(json.loads(json.dumps(now.to_json()))) == now


def test_expressions_have_the_values_of_their_margins(entries):
    complete = [entry.traced for entry in entries if entry.extent == EVERYWHERE]
    agreements = [compare(traced, 2) for traced in complete]
    assert [difference for agreement in agreements for difference in agreement.differences] == []
    assert all(agreement.values for agreement in agreements)


def test_expressions_at_small_sizes_have_the_values_of_their_margins(entries):
    # by name, so that a statement that comes or goes does not change which others are asked
    sized = [entry.traced for entry in entries if entry.extent == AT_SIZES]
    sized = [traced for traced in sized if crc32(traced.statement.name.encode()) % 12 == ASKED]
    agreements = [compare(attrs.evolve(traced, cases=traced.cases[:2]), 2) for traced in sized]
    assert [difference for agreement in agreements for difference in agreement.differences] == []
    assert sum(agreement.values for agreement in agreements) > len(sized)


def test_a_statement_of_square_matrices_and_columns_is_traced_at_both_shapes():
    traced = trace(statement("wishart.psd-preservation"))
    shapes = {
        tuple((grid.rows, grid.columns) for grid in case.layout.fields.values())
        for case in traced.cases
        if isinstance(case.layout, Record)
    }
    assert {(data, factor, (2, 1)) for data in ((2, 2), (2, 1)) for factor in ((2, 2), (2, 1))} <= shapes
    assert compare(attrs.evolve(traced, cases=traced.cases[:4]), 2).differences == ()


def test_points_have_the_record_of_the_hypothesis_that_asks_for_most():
    assert trace(statement("analyze-gauss.eigenvalue-properties/diagonalizable")).sizes == (2,)


def test_the_point_check_finds_another_constant():
    traced = trace(statement("cross.gaussian-constant/slides-for-an-added-row"))
    case = traced.cases[0]
    other = case.conclusion.of(apply("*", Number(1 + Fraction(1, 10**20)), case.conclusion.margin))
    changed = attrs.evolve(traced, cases=(attrs.evolve(case, conclusion=other),))
    assert compare(traced).differences == ()
    assert compare(changed).differences


def test_tracing_twice_gives_the_same(entries):
    for entry in entries[::40]:
        if entry.traced is not None:
            assert trace(entry.traced.statement) == entry.traced


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wishart.nuclear-norm-bound", "3 - sqrt((v_squared + w_squared)^2 - 4 * inner^2)"),
        ("wishart.theorem-4/common-support", "noise + (v_squared - w_squared) / records"),
        (
            "near-optimal.lemma-10",
            (
                "if dimension = 1 then min(1/2 - exp(-(dimension - 1) / 2 * log(2 / (1 - c))) / 2, "
                "exp(-dimension * c^2 / 2) - 1/2) else "
                "min(beta_lower_regularized((dimension - 1) / 2, 1/2, 1 - c^2) / 2 "
                "- exp(-(dimension - 1) / 2 * log(2 / (1 - c))) / 2, "
                "exp(-dimension * c^2 / 2) - beta_lower_regularized((dimension - 1) / 2, 1/2, 1 - c^2) / 2)"
            ),
        ),
    ],
)
def test_the_expression_of_a_statement_reads_as_its_margin(name, text):
    assert render(trace(statement(name)).cases[0].inside.margin) == text


def test_cases_are_the_members_of_an_enumeration_and_hypotheses_go_with_them():
    traced = trace(statement("wishart.theorem-4+repair"))
    assert [str(case.fixed["adjacency"].value) for case in traced.cases] == ["replace-one", "add-remove-one"]
    assert [render(case.hypotheses[-1].margin) for case in traced.cases] == ["0", "-w_squared"]
    assert defined_where(traced.cases[1]) == ("(v_squared + w_squared)^2 - 4 * inner^2 >= 0",)


def test_tuples_and_matrices_are_traced_at_sizes_and_no_more_is_claimed(entries):
    traced = next(entry.traced for entry in entries if entry.name == "analyze-gauss.trace-properties/scalar")
    assert traced.sizes == (2, 3, 4)
    assert not traced.complete
