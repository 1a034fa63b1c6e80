"""What records may be: how it is written, what a mechanism is given, and that faults of each kind of record are found.

Every audit here is wrong with probability at most 1e-6.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix.auditing import AuditPlan, PrivacyViolationError, as_target, audit, audit_mechanism
from dpmatrix.auditing.pairs.domains import domain_of
from dpmatrix.auditing.pairs.of_domain import MOST_PAIRS, Reading, pairs_of_domain
from dpmatrix.auditing.targets.adapters import form_of
from dpmatrix.auditing.targets.target import scaled_records
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Adjacency

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE


@pytest.mark.parametrize(
    ("text", "codes", "found"),
    [
        ("int 0..120", [[0], [7]], np.array([0, 7])),
        ("int -9007199254740992..9007199254740992", [[-(2.0**53)]], np.array([-(2**53)])),
        ("real 0.1..0.3", [[0.1], [0.3]], np.array([0.1, 0.3])),
        ("real -1..1 x 2", [[-1, 0.5]], np.array([[-1, 0.5]])),
        ("{yes, no}", [[0], [1], [1]], np.array(["yes", "no", "no"])),
        ("{-1, 1}", [[0], [1]], np.array([-1, 1])),
        ("{0.5, 2}", [[0], [1]], np.array([0.5, 2.0])),
        ("int 0..9, real 0..1, {-1, 1}", [[3, 0.25, 0]], np.array([[3, 0.25, -1]])),
        ("int 0..9, {-1, 1}", [[3, 1]], np.array([[3, 1]])),
        ("set {milk, bread}", [[0], [2], [3]], [frozenset(), frozenset({"bread"}), frozenset({"milk", "bread"})]),
        ("int 0..9, {a, b}", [[3, 1]], [(3, "b")]),
        ("age: int 0..120, ill: {yes, no}", [[40, 1]], [{"age": 40, "ill": "no"}]),
        ("a b: real 0..1,c:set {1, 2}", [[0.5, 1]], [{"a b": 0.5, "c": frozenset({1})}]),
        ("{x: y, z}", [[0]], np.array(["x: y"])),
        ("{2 x 3, 4}", [[0]], np.array(["2 x 3"])),
    ],
)
def test_codes_are_read_as_records(text: str, codes: list[list[float]], found: Any) -> None:
    records = domain_of(text).records(np.array(codes, dtype=np.float64))
    if isinstance(found, np.ndarray):
        assert records.dtype == found.dtype
        assert records.shape == found.shape
        assert np.array_equal(records, found)
    else:
        assert records == found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no kind of column"),
        ("int", "no kind of column"),
        ("int 0..", "no range"),
        ("int 0..1.5", "no range"),
        ("int 3..3", "more than one number"),
        ("real 1..0", "more than one number"),
        ("real 0..inf", "more than one number"),
        ("real 0..nan", "more than one number"),
        ("int 0..9007199254740993000", "is no float"),
        ("float 0..1", "no kind of column"),
        ("{a}", "only one"),
        ("{a, a}", "repeated"),
        ("{a, }", "empty"),
        ("{a, b", "braces"),
        ("{a, {b}}", "braces"),
        ("a}, {b", "braces"),
        ("set 1..2", "no kind of column"),
        ("set {" + ", ".join(map(str, range(60))) + "}", "60 items"),
        ("a: int 0..1, int 0..1", "some columns have names"),
        ("a: int 0..1, a: int 0..1", "one name"),
        ("a: int 0..1 x 2", "stands for 2 columns"),
        ("int 0..1 x 0", "stands for 0 columns"),
        ("int 0..1 x 600, int 0..1 x 600", "1200 columns"),
        (":int 0..1", "no kind of column|empty name"),
        (" : int 0..1", "empty name|no kind of column"),
    ],
)
def test_what_is_no_domain_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InvalidParameterError, match=problem) as refused:
        domain_of(text)
    assert refused.value.parameter == "domain"


DOMAINS = [
    "int -3..120",
    "real 0.1..0.7 x 2",
    "{a, b, c}",
    "{0, 1}",
    "set {milk, bread, eggs}",
    "i: int 0..9, s: set {a, b}",
]


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("text", DOMAINS)
@pytest.mark.parametrize("records", [1, 2, 20])
def test_data_sets_are_of_the_domain_bit_for_bit(text: str, adjacency: Adjacency, records: int) -> None:
    domain = domain_of(text)
    own = pairs_of_domain(domain, records, adjacency)
    assert 0 < len(own.pairs) <= MOST_PAIRS
    for pair in own.pairs:
        assert len(pair.data) == records
        assert len(pair.neighbour) == records - (adjacency is ADD_REMOVE)
        for side in (pair.data, pair.neighbour):
            codes = scaled_records(side, own.norm_bound)
            for column, values in zip(domain.columns, codes.T, strict=True):
                assert np.all((values >= column.low) & (values <= column.high))
                assert column.kind == "real" or np.array_equal(values, np.rint(values))
    if adjacency is REPLACE and records == 20:
        firsts = np.concatenate([scaled_records(pair.data, own.norm_bound) for pair in own.pairs])
        for column, values in zip(domain.columns, firsts.T, strict=True):
            assert {column.low, column.high} <= set(values.tolist()), "the ends are there, exactly"


def mean(data: np.ndarray, size: int, generator: np.random.Generator, scale: float = 120.0) -> Any:
    return data.mean() + generator.laplace(scale=scale / len(data), size=size)


def box(data: np.ndarray, size: int, generator: np.random.Generator, scale: float = 3.0) -> Any:
    return data.sum() + generator.laplace(scale=scale, size=size)


def smokers(data: np.ndarray, size: int, generator: np.random.Generator, scale: float = 1.0) -> Any:
    return np.sum(data == "yes") + generator.laplace(scale=scale, size=size)


def labels(data: np.ndarray, size: int, generator: np.random.Generator, scale: float = 2.0) -> Any:
    return (data[:, 0] * data[:, 1]).sum() + generator.laplace(scale=scale, size=size)


def items(data: list[Any], size: int, generator: np.random.Generator, scale: float = 2.0) -> Any:
    return sum(len(basket) for basket in data) + generator.laplace(scale=scale, size=size)


def ages_of_the_ill(data: list[dict[str, Any]], size: int, generator: np.random.Generator, scale: float = 120.0) -> Any:
    total = sum(record["age"] for record in data if record["ill"] == "yes")
    return total + generator.laplace(scale=scale, size=size)


CASES = [
    ("int 0..120", mean),
    ("real 0..1 x 3", box),
    ("{yes, no}", smokers),
    ("real 0..1, {-1, 1}", labels),
    ("set {milk, bread}", items),
    ("age: int 0..120, ill: {yes, no}", ages_of_the_ill),
]


def audited(text: str, mechanism: Callable[..., Any], adjacency: Adjacency) -> Any:
    own = pairs_of_domain(domain_of(text), 6, adjacency)
    plan = AuditPlan(norm_bound=own.norm_bound, elsewhere=2)
    sizes: dict[str, Any] = {"epsilon": 1, "training": 400, "confirmation": 20_000, "failure_probability": 1e-7}
    return audit(as_target(mechanism, None, text), own.pairs, **sizes, generator=1, plan=plan)


@pytest.mark.parametrize(("text", "mechanism"), CASES)
def test_a_right_mechanism_on_each_kind_of_records_is_not_refuted_and_a_wrong_one_is(
    text: str, mechanism: Callable[..., Any]
) -> None:
    default = inspect.signature(mechanism).parameters["scale"].default
    right = audited(text, lambda data, size, generator: mechanism(data, size, generator, default), REPLACE)
    assert not right.violated
    assert right.epsilon_lower_bound > 0.5, "the worst neighbours are among the pairs"
    wrong = audited(text, lambda data, size, generator: mechanism(data, size, generator, default / 2), REPLACE)
    assert wrong.violated


def share_of_milk(data: list[Any], size: int, generator: np.random.Generator) -> Any:
    """Publish the exact number of records: right where one is replaced, wrong where one leaves."""
    return len(data) + 0.0 * generator.laplace(size=size)


def test_a_record_that_leaves_takes_its_row_along() -> None:
    assert not audited("set {milk, bread}", share_of_milk, REPLACE).violated
    assert audited("set {milk, bread}", share_of_milk, ADD_REMOVE).violated


def test_each_call_is_given_records_of_its_own() -> None:
    def spoils(data: list[Any], generator: np.random.Generator) -> float:
        seen.append(len(data))
        data.clear()
        return float(generator.laplace())

    seen: list[int] = []
    target = as_target(spoils, None, "set {a, b}")
    target(np.zeros((3, 1)), 4, np.random.default_rng(0))
    assert seen == [3, 3, 3, 3]


def test_the_signature_and_the_outputs_are_those_of_the_mechanism() -> None:
    class Simulates:
        def simulate(self, data: Any, size: int, generator: np.random.Generator) -> Any:
            return (data == "b").sum() + 0 * generator.random(size)

    assert as_target(Simulates(), None, "{a, b}")(np.ones((3, 1)), 2, np.random.default_rng(0)).tolist() == [3, 3]
    named = as_target(lambda data, *, rng=None: (data.tolist(), rng.random())[0], None, "{a, b}")
    form = form_of(named, [np.zeros((2, 1)), np.ones((2, 1))])
    assert form is not None
    assert "the output[0] is 'b'" in form.facts
    with pytest.raises(InvalidParameterError, match="no kind of column"):
        Reading(mean, "nothing")


def test_the_assertion_takes_a_domain_and_says_it() -> None:
    settings: dict[str, Any] = {"epsilon": 1, "adjacency": REPLACE, "records": 8, "seconds": 4, "generator": 1}
    with pytest.raises(PrivacyViolationError) as found:
        audit_mechanism(
            lambda data, size, generator: mean(data, size, generator, 40.0),
            **settings,
            domain="int 0..120",
            learned=False,
        )
    said = str(found.value)
    assert "n = 8, records: int 0..120;" in said
    assert "data sets: the library's own, of records of that domain" in said
    assert "in other rows, " in said
    for wrong in ({"dimension": 2}, {"norm_bound": 1.0}, {"delete_rows": False}):
        with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
            audit_mechanism(mean, **settings, domain="int 0..120", **wrong)
    with pytest.raises(InvalidParameterError, match="dimension: it is not known"):
        audit_mechanism(mean, **settings)


COMMAND = ["audit", "mine.py:f", "--training", "300", "--confirmation", "6000", "--workers", "1", "--no-learned"]


def test_the_command_takes_a_domain_shows_its_records_and_counts_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def f(data, size, generator):\n"
        "    return sum(one['ill'] == 'yes' for one in data) + generator.laplace(scale=0.4, size=size)\n"
    )
    text = "age: int 0..120, ill: {yes, no}"
    arguments = [*COMMAND, "--domain", text, "--records", "3", "--json", "found.json"]
    done = CliRunner().invoke(command_line.app, arguments)
    assert done.exit_code == 1, done.output
    assert f"n = 3, records: {text};" in done.stdout
    assert "{'age': " in done.stdout
    assert json.loads((tmp_path / "found.json").read_text())["settings"]["domain"] == text
    again = CliRunner().invoke(command_line.app, ["audit", "--replay", "found.json"])
    assert again.exit_code == 1, again.output


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--domain", "int 0..x"], "domain: 'int 0..x' has no range of its kind"),
        (["--domain", "int 0..9", "--dimension", "2"], "dimension: the domain says what records are"),
        (["--domain", "int 0..9", "--norm-bound", "2"], "norm_bound: the domain says what records are"),
        (["--domain", "int 0..9", "--pairs", "p.json"], "data are given as well"),
        (["--domain", "int 0..9", "--zero-rows", "--adjacency", "add-remove-one"], "zeros need not be in the domain"),
    ],
)
def test_the_command_refuses_a_wrong_domain_in_one_line(
    tmp_path: Path, monkeypatch: Any, arguments: list[str], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(data, generator):\n    return generator.laplace()\n")
    done = CliRunner().invoke(command_line.app, [*COMMAND, *arguments])
    assert done.exit_code == 2
    assert problem in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_who_is_called_with_dictionaries_and_expects_numbers_is_told(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    source = "\n\ndef f(data, generator):\n    return float(data[0]) + generator.laplace()\n"
    (tmp_path / "mine.py").write_text(source)
    done = CliRunner().invoke(command_line.app, [*COMMAND, "--domain", "age: int 0..120", "--records", "3"])
    assert done.exit_code == 2
    said = " ".join(done.stderr.split())
    assert "raised TypeError: " in said
    assert said.endswith("(mine.py, line 4); --domain names columns, so it was given a list of dictionaries")
