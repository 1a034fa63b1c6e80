"""What was tried by machine: emptied statements that nobody notices, hypotheses that nobody needs."""

from __future__ import annotations

import attrs
import pytest
import sympy
from flint import arb

from dpmatrix.claims import (
    Citation,
    Condition,
    Evidence,
    Grade,
    Outcome,
    OutsideHypothesesError,
    Role,
    Statement,
    Truth,
    WrongFormulaError,
    observing,
)
from dpmatrix.claims.tried import Need, Trial, Tried
from dpmatrix.exact import Real, ball
from dpmatrix.reporting.judgements import judges
from dpmatrix.reporting.trials import Trials
from dpmatrix.reporting.vacuity import needs, replaced
from dpmatrix.spec import load
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.tracing import bind_expression, trace
from dpmatrix.tracing.expressions import Number, UntraceableError


@attrs.frozen
class Point:
    """A number, and an integer that it bounds."""

    x: Real
    n: int


def root(p):
    """``sqrt(x) + 2 - n``, which has no value for negative x."""
    return ball(p.x).sqrt() + 2 - p.n


STATEMENT = Statement(
    "n <= sqrt(x) + 2",
    root,
    (
        Condition("x >= 0", lambda p: ball(p.x)),
        Condition("n <= 2", lambda p: arb(2 - p.n)),
        Condition("n >= -9", lambda p: arb(p.n + 9)),
    ),
    name="toy.root",
)


def test_each_hypothesis_is_needed_of_the_domain_or_neither() -> None:
    """Without n <= 2 it is false, for negative x it has no value, and nobody needs n >= -9."""
    with observing() as observed:
        assert STATEMENT.at(Point(1, 2)) is Truth.TRUE
    found = needs(STATEMENT, observed)
    assert found == {"x >= 0": Need.DOMAIN, "n <= 2": Need.NEEDED, "n >= -9": Need.NOT_FOUND}


def test_emptied_statements_keep_their_names_and_hypotheses() -> None:
    registry = load()
    for kind, value in {"zero": 0, "one": 1, "minus-one": -1}.items():
        empty = replaced(registry, kind)
        assert {*empty.claims} == {*registry.claims}
        claim, own = empty["wishart.theorem-4"], registry["wishart.theorem-4"]
        assert claim.statements().keys() == own.statements().keys()
        assert claim.statement.given == own.statement.given
        assert claim.statement.formula is not own.statement.formula
        assert claim.statement.formula(InputPerturbation(2, 5, 1)) == value


def test_an_emptied_margin_is_traced_as_what_stands_in_its_place() -> None:
    """An item that binds by expression compares, and does not end at a name that is not found."""
    name = "near-optimal.theorem-5/gamma"
    for kind, value in {"zero": 0, "one": 1, "minus-one": -1, "sign": 1}.items():
        traced = trace(replaced(load(), kind)["near-optimal.theorem-5"].statements()[name])
        assert [case.conclusion.margin for case in traced.cases] == [Number(value)]


def test_a_law_is_emptied_with_its_bound() -> None:
    """Its quantity can be asked as before; of its numbers and of its expression the difference is the replacement."""
    point = InputPerturbation(2, 5, 1)
    own = load()["wishart.theorem-4"].statement
    for kind, value in {"zero": 0, "one": 1, "minus-one": -1}.items():
        empty = replaced(load(), kind)["wishart.theorem-4"].statement
        assert own.law is not None
        assert empty.law is not None
        assert empty.law.quantity is own.law.quantity
        assert empty.formula(point) == value
        assert empty.law.margin(point).contains(value)
        bind_expression(empty, sympy.Integer(value))


RUNS = {
    "one": [("a", "wishart.theorem-4", "refutes", False), ("b", "wishart.theorem-4+repair", "control", True)],
    "zero": [("a", "wishart.theorem-4", "refutes", True), ("b", "wishart.theorem-4+repair", "control", False)],
}


def test_what_nobody_notices_must_be_explained() -> None:
    given = load()["wishart.theorem-4"].statements()["wishart.theorem-4+repair"].given
    needed = {condition.says: "needed" for condition in given if not condition.of or condition.says == "epsilon > 0"}
    tried = Tried.of(load(), RUNS, {"wishart.theorem-4+repair": needed})
    assert tried.trials["wishart.theorem-4"] == Trial(("zero",), 1, {})
    repaired = tried.trials["wishart.theorem-4+repair"]
    assert repaired.unnoticed == ("one",)
    assert (repaired.needs["epsilon > 0"], repaired.count("needed")) == ("needed", len(needed))
    assert repaired.needs["dimension >= 1, an integer"] == "range"
    assert tried.problems(["wishart.theorem-4"], {}, whole=False) == [
        "wishart.theorem-4: no item of evidence notices a margin replaced by zero",
        "wishart.theorem-4+repair: no item of evidence notices a margin replaced by one",
    ]
    reasons = {"wishart.theorem-4": {"zero": "it is zero"}, "wishart.theorem-4+repair": {"one": "so", "sign": "so"}}
    assert tried.problems(["wishart.theorem-4"], reasons, whole=False) == [
        "wishart.theorem-4+repair: sign is explained, and noticed"
    ]
    assert tried.problems(["wishart.lemma-2"], {}, whole=False) == []


def test_a_hypothesis_that_nothing_needs_must_be_explained() -> None:
    statement = load()["wishart.theorem-7"].statements()["wishart.theorem-7+repair"]
    unmarked = [one.says for one in statement.given if not one.of]
    assert unmarked
    runs = {"one": [("a", statement.name, "supports-repair", False)]}
    silent = Tried.of(load(), runs, {})
    assert silent.problems(["wishart.theorem-7"], {}, whole=False) == [
        f"{statement.name}: no point is known that {says!r} alone excludes, and no reason" for says in unmarked
    ]
    reasons = {statement.name: {"hypotheses": {**dict.fromkeys(unmarked, "so"), "x is y": "so"}}}
    explained = Tried.of(load(), runs, {statement.name: {unmarked[0]: "needed"}}, reasons)
    assert explained.trials[statement.name].count("explained") == len(unmarked) - 1
    assert explained.problems(["wishart.theorem-7"], reasons, whole=False) == [
        f"{statement.name}: {unmarked[0]!r} is explained, and is needed",
        f"{statement.name}: 'x is y' is explained, and is no hypothesis",
    ]


def test_a_summary_counts_and_a_record_is_read_again() -> None:
    tried = Tried.of(load(), RUNS, {})
    assert "replaced by zero: 1 unnoticed" in tried.summary(["wishart.theorem-4"])
    assert Tried.from_json(tried.to_json()) == tried
    assert "wishart.theorem-3" not in tried.trials, "nothing about it ran"


def piece(node, target, outcome) -> Evidence:
    return Evidence(node, Citation.parse(target), Role.SUPPORTS, Grade.INTERVAL, "x", outcome)


def test_what_was_noticed_once_needs_no_other_item() -> None:
    trials = Trials("zero", hypotheses=False)
    both = [piece("one", "toy.a", Outcome.FAILED), piece("one", "toy.b", Outcome.FAILED)]
    assert not trials.is_settled(both)
    trials.note(both)
    assert trials.noticed == {"toy.a"}, "the margin of the other was its own"
    assert trials.is_settled(both)
    assert trials.is_settled([piece("three", "toy.a", None)])
    assert not trials.is_settled([piece("three", "toy.b", None)])
    assert not trials.is_settled([]), "an item without evidence has nothing to do with it"
    told = trials.to_json([*both, piece("five", "toy.a", Outcome.SKIPPED)], {})
    assert told["evidence"] == [["one", "toy.a", "supports", False]]


def test_an_item_that_crashes_notices_nothing() -> None:
    failed = [piece("one", "toy.a", Outcome.FAILED), piece("two", "toy.a", Outcome.FAILED)]
    trials = Trials("zero", hypotheses=False, crashed=lambda node: node == "one")
    trials.note(failed[:1])
    assert trials.noticed == set()
    told = trials.to_json(failed, {})
    assert told["evidence"] == [["one", "toy.a", "supports", True], ["two", "toy.a", "supports", False]]


@pytest.mark.parametrize(
    ("error", "judged"),
    [
        (AssertionError("1 is not 2"), True),
        (OutsideHypothesesError("x >= 0"), True),
        (WrongFormulaError("toy.a at 3"), True),
        (pytest.fail.Exception("did not raise"), True),
        (BaseExceptionGroup("two examples", [ZeroDivisionError(), AssertionError()]), True),
        (BaseExceptionGroup("two examples", [ZeroDivisionError(), TypeError()]), False),
        (KeyError("k"), False),
        (AttributeError("'NoneType' object has no attribute 'quantity'"), False),
        (UntraceableError("a margin that holds on to a method"), False),
        (KeyboardInterrupt(), False),
    ],
)
def test_an_error_judges_or_is_a_crash(error: BaseException, judged: bool) -> None:
    assert judges(error) is judged


def test_each_statement_of_an_item_has_its_turn() -> None:
    second = Trials("zero", hypotheses=False, turn=1)
    both = [piece("one", "toy.b", Outcome.PASSED), piece("one", "toy.a", Outcome.FAILED)]
    assert not second.is_settled(both)
    second.note(both)
    assert second.noticed == set()
    assert second.to_json(both, {})["evidence"] == [["one", "toy.b", "supports", True]]
    assert second.is_settled([piece("three", "toy.a", None)]), "it has no second statement"
    second.note([piece("four", "toy.a", Outcome.PASSED), piece("four", "toy.b", Outcome.UNBOUND)])
    assert second.noticed == {"toy.b"}
    assert second.is_settled(both)


def test_a_hypothesis_that_is_needed_is_not_searched_for_again() -> None:
    trials = Trials(None, hypotheses=True)
    with observing() as observed:
        assert STATEMENT.at(Point(1, 2)) is Truth.TRUE
    first = trials.needs([STATEMENT], observed)["toy.root"]
    assert first == {"x >= 0": "domain", "n <= 2": "needed", "n >= -9": "not found"}
    assert trials.needs([STATEMENT], observed)["toy.root"].keys() == {"x >= 0", "n >= -9"}
    assert trials.needs([attrs.evolve(STATEMENT, name="toy.other")], observed) == {}, "never met"
    assert not Trials(None, hypotheses=False).is_settled([piece("one", "toy.a", None)])
