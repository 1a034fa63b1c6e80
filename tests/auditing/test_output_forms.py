"""Outputs of any kind: what a form reads of them, when one is chosen, and that audits see faults through it."""

from __future__ import annotations

import json
import pickle
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix import __main__ as command_line
from dpmatrix.auditing import PrivacyViolationError, audit_mechanism
from dpmatrix.auditing.targets.adapters import NamedTarget, as_target, form_of
from dpmatrix.auditing.targets.forms import ELSE, MOST, Form, Raised, in_form, parts
from dpmatrix.auditing.targets.target import draw_batch
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Adjacency

REPLACE = Adjacency.REPLACE_ONE
DATA = np.zeros((4, 2))


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (2, {"the output": 2.0}),
        (True, {"the output": 1.0}),
        (np.bool_(False), {"the output": 0.0}),
        (Fraction(1, 2), {"the output": 0.5}),
        (Decimal("0.25"), {"the output": 0.25}),
        (np.float32(1.5), {"the output": 1.5}),
        (np.array(3.0), {"the output": 3.0}),
        (1 + 2j, {"the real part of the output": 1.0, "the imaginary part of the output": 2.0}),
        (float("nan"), {"the output is nan": None}),
        (-np.inf, {"the output is -inf": None}),
        (10**400, {"the output is no float": None}),
        (None, {"the output is None": None}),
        ("ill", {"the output is 'ill'": None}),
        (b"ill", {"the output is b'ill'": None}),
        (Raised("ValueError"), {"ValueError is raised": None}),
        ([], {"the length of the output": 0.0}),
        ((1, "a"), {"the length of the output": 2.0, "the output[0]": 1.0, "the output[1] is 'a'": None}),
        (np.array([[1, 2]]), {
            "the length of the output": 1.0,
            "the length of the output[0]": 2.0,
            "the output[0][0]": 1.0,
            "the output[0][1]": 2.0,
        }),
        ({"a": None}, {"the length of the output": 1.0, "the output['a'] is None": None}),
        ({3: {"b": 1}}, {
            "the length of the output": 1.0,
            "the length of the output[3]": 1.0,
            "the output[3]['b']": 1.0,
        }),
        ({"x", "y"}, {"the length of the output": 2.0, "the output holds 'x'": None, "the output holds 'y'": None}),
        (SimpleNamespace(mean=1.5), {"the length of the output": 1.0, "the output['mean']": 1.5}),
        (SimpleNamespace(to_dict=lambda: {"column": [1]}), {
            "the length of the output": 1.0,
            "the length of the output['column']": 1.0,
            "the output['column'][0]": 1.0,
        }),
        (range, {"the output is <class 'range'>": None}),
        (object(), {"the output is of type object": None}),
    ],
)  # fmt: skip
def test_everything_is_read_as_numbers_and_facts(output: object, found: dict[str, float | None]) -> None:
    assert dict(parts(output)) == found


def test_what_is_deep_or_long_is_cut() -> None:
    nest: Any = 1
    for _ in range(50):
        nest = [nest]
    deepest = list(dict(parts(nest)))[-1]
    assert deepest.startswith("the output[0][0][0][0][0][0] is [[[[")
    assert deepest[-11:-8] == "..."
    (fact,) = dict(parts("x" * 1000))
    assert len(fact) == len("the output is ") + 60
    (other,) = dict(parts("x" * 999 + "y"))
    assert other != fact, "they differ in what is cut off"


def test_a_form_has_a_coordinate_for_each_place_and_fact() -> None:
    samples: list[object] = [{"n": 3, "word": "low"}, {"n": 4, "word": "high", "extra": 1.5}, {"n": 5, "word": "low"}]
    form = Form.of(samples)
    assert form.coordinates == (
        "the length of the output",
        "the output['n']",
        "the output['extra']",
        "the output['extra'] is there",
        "the output['word'] is 'low'",
        "the output['word'] is 'high'",
        ELSE,
    )
    assert in_form(samples, form).tolist() == [
        [2, 3, 0, 0, 1, 0, 0],
        [3, 4, 1.5, 1, 0, 1, 0],
        [2, 5, 0, 0, 1, 0, 0],
    ]
    assert form({"n": 1, "word": "middle"}).tolist() == [2, 1, 0, 0, 0, 0, 1], "a word that no sample had"
    assert form(None).tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert form({"word": "low"}).tolist() == [1, 0, 0, 0, 1, 0, 1], "without what all samples had"
    assert Form.from_json(json.loads(json.dumps(form.to_json()))) == form


def test_no_form_has_more_coordinates_than_it_may() -> None:
    form = Form.of([{f"key {number}": number for number in range(3 * MOST)}, {"key 7": 1}])
    assert len(form.numbers) == MOST
    assert form.unseen == 2 * MOST + 1, "places of 3 MOST keys, and the length"
    assert Form.from_json(form.to_json()) == form
    assert "the output['key 7']" in form.numbers, "what most samples have comes first"
    assert len(form.coordinates) <= 2 * MOST + 1


def words(data: np.ndarray, generator: np.random.Generator) -> str:
    return "high" if generator.random() > 0.5 else "low"


@pytest.mark.parametrize(
    "numbers",
    [
        lambda _data, generator: generator.random(),
        lambda _data, generator: [1.0, generator.random()],
        lambda _data: np.eye(2),
        lambda _data, size, generator: generator.random(size),
        lambda _data, _generator: 1 / 0,
        lambda _data, _generator: None,
    ],
)
def test_no_form_is_chosen_for_numbers_of_one_shape_nor_where_nothing_is_returned(numbers: Any) -> None:
    assert form_of(as_target(numbers), [DATA]) is None


def test_a_form_is_chosen_for_what_is_no_number_of_one_shape() -> None:
    form = form_of(as_target(words), [DATA])
    assert form is not None
    assert set(form.facts) == {"the output is 'high'", "the output is 'low'"}
    batch = as_target(words, form)(DATA, 50, np.random.default_rng(0))
    assert batch.shape == (50, 3)
    assert np.array_equal(batch[:, :2].sum(axis=1), np.ones(50))
    with pytest.raises(InvalidParameterError, match="type str"):
        as_target(words)(DATA, 2, np.random.default_rng(0))
    lengths = form_of(as_target(lambda _data, rng: [1.0] * int(rng.integers(1, 3))), [DATA])
    assert lengths is not None
    assert "the output[1] is there" in lengths.coordinates


def leaking_word(data: np.ndarray, generator: np.random.Generator) -> dict[str, object]:
    total = data[:, 0].sum() + generator.laplace(scale=2.0)
    return {"total": total, "sign": "above" if data[:, 0].sum() > 0 else "below"}


def careful_word(data: np.ndarray, generator: np.random.Generator) -> dict[str, object]:
    total = data[:, 0].sum() + generator.laplace(scale=2.0)
    return {"total": float(total), "sign": "above" if total > 0 else "below", "more": [1.0] if total > 3 else []}


def test_an_audit_sees_a_leak_in_a_word_of_a_dictionary() -> None:
    """A false alarm has probability at most 1e-9; the leak is certain, and found by any audit that looks at words."""
    with pytest.raises(PrivacyViolationError):
        audit_mechanism(leaking_word, epsilon=1, adjacency=REPLACE, records=5, dimension=1, seconds=9, generator=0)


def test_an_audit_passes_a_dictionary_without_a_fault() -> None:
    """An alarm has probability at most 1e-9."""
    result = audit_mechanism(careful_word, epsilon=1, adjacency=REPLACE, records=5, dimension=1, seconds=9, generator=0)
    assert not result.violated


def test_the_assertion_says_what_an_output_is_read_as_and_what_is_left_out(monkeypatch: Any) -> None:
    """An alarm has probability at most 1e-9. Outputs have six places and facts, of which four get a coordinate."""
    monkeypatch.setattr("dpmatrix.auditing.targets.forms.MOST", 4)
    settings: dict[str, Any] = {"epsilon": 1, "adjacency": REPLACE, "records": 1, "dimension": 1, "learned": False}
    result = audit_mechanism(careful_word, **settings, seconds=2, clock=time.process_time, generator=0)
    assert not result.violated
    lines = result.message().splitlines()
    assert "not looked at: 2 more places and facts that sample outputs had" in lines
    assert any(line.startswith("an output as a vector: 0 the ") for line in lines)


def test_the_command_says_what_its_coordinates_are_and_counts_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "def f(data, generator):\n"
        "    return {'total': generator.random(), 'sign': 'above' if data[:, 0].sum() > 0 else 'below'}\n"
    )
    target = ["audit", "mine.py:f", "--epsilon", "1", "--adjacency", "replace-one", "--budget", "15s"]
    done = CliRunner().invoke(command_line.app, [*target, "--json", "result.json"])
    assert done.exit_code == 1, done.stdout
    said = " ".join(done.stdout.split())
    assert "an output as a vector:" in said
    assert "the output['sign'] is 'above'" in said
    kept = json.loads((tmp_path / "result.json").read_text())["settings"]["form"]
    assert "the output['total']" in Form.from_json(kept).numbers
    again = CliRunner().invoke(command_line.app, ["audit", "mine.py:f", "--replay", "result.json"])
    assert again.exit_code == 1, again.stdout


def test_a_named_target_takes_its_form_along(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine_words.py").write_text(
        "def f(data, generator):\n    return 'a' if generator.random() > 0.5 else 'b'\n"
    )
    bare = NamedTarget("mine_words.py:f")
    form = form_of(bare, [DATA])
    assert form is not None
    target = pickle.loads(pickle.dumps(NamedTarget("mine_words.py:f", form)))
    assert target(DATA, 10, np.random.default_rng(0)).shape == (10, 3)


def test_arrays_of_any_shape_are_read_row_by_row() -> None:
    generator = np.random.default_rng(0)
    for shape, read in (((2, 3), (6,)), ((2, 2), (2, 2)), ((2, 2, 2), (8,)), ((3,), (3,)), ((), ())):
        array = np.arange(np.prod(shape)).reshape(shape)
        batch = draw_batch(as_target(lambda _data, _generator, array=array: array), DATA, 5, generator)
        assert batch.shape == (5, *read)
        assert np.array_equal(batch[2].ravel(), array.ravel())
    with pytest.raises(InvalidParameterError, match="it returned shape"):
        draw_batch(as_target(lambda _data, _generator: []), DATA, 5, generator)


def test_a_slow_mechanism_is_called_once_where_the_time_is_over() -> None:
    calls: list[int] = []

    def slow(data: np.ndarray, generator: np.random.Generator) -> str:
        calls.append(len(data))
        return "a" if generator.random() > 0.5 else "b"

    assert form_of(as_target(slow), [DATA] * 16, seconds=0.0) is not None
    assert len(calls) == 1
