"""Pairs of one's own: they reach the mechanism bit for bit, and what is no pair is refused.

Every audit here is wrong with probability at most 1e-6.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import attrs
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from dpmatrix.auditing import NeighbouringPair
from dpmatrix.auditing.pairs.own import own_pairs, pairs_of_data
from dpmatrix.auditing.planning.conditions import LIBRARY, Conditions, Planned, Sizes
from dpmatrix.auditing.targets.target import scaled_records
from dpmatrix.commands.audit import audit_mechanism_command
from dpmatrix.commands.audit_pairs import offered_by
from dpmatrix.commands.supervision import Job
from dpmatrix.errors import DpmatrixError, InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency

REPLACE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
MECHANISMS = """
import numpy as np

def noise_from_the_data(data, size, generator):
    width = data.max() - data.min() if data.any() else 1.0
    return data.mean() + generator.laplace(scale=width / len(data) + 1e-9, size=size)

def ones(data, size, generator):
    return np.sum(data == 1) + generator.laplace(scale=1, size=size)

def exact_share_of_code_7(data, size, generator):
    return np.sum(data == 7) / len(data) + generator.laplace(scale=0.001, size=size)

def share(data, size, generator):
    return data.mean() + generator.laplace(scale=1 / len(data), size=size)

CODES = np.array([[7], [3], [3], [3]])

def codes():
    return CODES

def nothing():
    raise ValueError("secret")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("own")
    (path / "mine.py").write_text(MECHANISMS, encoding="utf-8")
    pairs = [{"name": "one is rich", "data": [[1], [1], [1]], "neighbour": [[1], [1], [1000]]}]
    (path / "pairs.json").write_text(json.dumps(pairs), encoding="utf-8")
    (path / "data.csv").write_text("1\n2\n1\n1\n0\n", encoding="utf-8")
    return path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "dpmatrix", "audit", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


SIZES = ["--training", "300", "--confirmation", "20000", "--seed", "1", "--workers", "1", "--no-learned"]


def test_noise_that_is_scaled_by_the_data_is_found_on_the_pair_that_shows_it(folder: Path) -> None:
    found = run(folder, "mine.py:noise_from_the_data", "--pairs", "pairs.json", "--json", "found.json", *SIZES)
    assert found.returncode == 1, found.stdout + found.stderr
    assert "pair: one is rich" in found.stdout
    assert "tried: pairs of pairs.json by replace-one, n = 3, d = 1" in found.stdout
    assert "these alone; no others were searched" in found.stdout
    assert " [1000.]]" in found.stdout, "the numbers are those of the file"
    assert run(folder, "--replay", "found.json").returncode == 1


def test_a_violation_on_the_library_s_own_data_sets_says_that_they_are(folder: Path) -> None:
    """The mean of numbers in [0, 1] is private at epsilon 1 on these, and not on 1 and -1."""
    size = ["--records", "1", "--dimension", "1", "--norm-bound", "1"]
    found = run(folder, "mine.py:share", *size, "--json", "found.json", *SIZES)
    assert found.returncode == 1, found.stdout + found.stderr
    (line,) = (line for line in found.stdout.splitlines() if line.startswith("data sets: "))
    assert line.startswith("data sets: the library's own, of records in the ball of that norm, with negative entries")
    assert "--pairs or --data-from" in line
    record = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    assert (record["data_sets"], record["pair"]["negative_entries"]) == ("the library's own", True)
    (folder / "shares.json").write_text(json.dumps([{"data": [[1]], "neighbour": [[0]]}]), encoding="utf-8")
    kept = run(folder, "mine.py:share", "--pairs", "shares.json", "--json", "kept.json", *SIZES)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    record = json.loads((folder / "kept.json").read_text(encoding="utf-8"))
    assert (record["data_sets"], record["pair"]["negative_entries"]) == ("pairs of shares.json", False)


@pytest.mark.parametrize(
    ("source", "entry", "line"),
    [
        (LIBRARY, -0.5, "with negative entries in this pair"),
        (LIBRARY, 0.5, "without negative entries in this pair"),
        ("pairs of mine.json", -0.5, "these alone"),
    ],
)
def test_whose_the_data_sets_are_is_said_of_the_pair_that_was_found(source: str, entry: float, line: str) -> None:
    sizes = Sizes(pairs=1, training=1, confirmation=1, stages=1, chunk=1)
    planned = Planned(sizes=sizes, resolution=np.zeros(()), learned=False, replay=True)
    facts = {"adjacency": REPLACE, "records": 1, "dimension": 1, "norm_bound": 1.0, "deleted": 0, "zeroed": 0}
    conditions = Conditions(**facts, offered=1, planned=planned, source=source)
    pair = NeighbouringPair("a pair", REPLACE, np.array([[1.0]]), np.array([[entry]]))
    told = [line for line in conditions.sentences(1, pair) if line.startswith("data sets: ")]
    assert len(told) == 1
    assert line in told[0]
    silent = attrs.evolve(conditions, source=None)
    assert not any(line.startswith("data sets: ") for line in silent.sentences(1, pair))


def test_the_help_says_whose_the_data_sets_are_and_when_the_budget_begins() -> None:
    app = typer.Typer()
    app.command()(audit_mechanism_command)
    told = " ".join(CliRunner().invoke(app, ["--help"]).output.split())
    assert "The data sets are the library's own" in told
    assert "or give your data sets with --pairs or --data-from" in told
    assert "some seconds of it are over before the first pair is tried" in told


def test_records_of_a_file_leave_in_turn(folder: Path) -> None:
    arguments = ["mine.py:ones", "--data-from", "data.csv", "--adjacency", "add-remove-one", *SIZES]
    kept = run(folder, *arguments)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert "tried: changes of a record of data.csv by add-remove-one, n = 5, d = 1" in kept.stdout
    assert run(folder, *arguments, "--epsilon", "0.5").returncode == 1


@pytest.mark.parametrize("place", ["mine.py:codes", "mine.py:CODES"])
def test_codes_reach_the_mechanism_as_they_are(folder: Path, place: str) -> None:
    """A rounded 7 would be no 7, and nothing would be found."""
    found = run(folder, "mine.py:exact_share_of_code_7", "--data-from", place, *SIZES)
    assert found.returncode == 1, found.stdout + found.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pairs", "pairs.json", "--data-from", "data.csv"], "data are given as well"),
        (["--pairs", "pairs.json", "--records", "3"], "have their own"),
        (["--pairs", "pairs.json", "--norm-bound", "2"], "have their own"),
        (["--data-from", "data.csv", "--dimension", "1"], "have their own"),
    ],
)
def test_two_answers_to_one_question_are_refused(arguments: list[str], words: str) -> None:
    app = typer.Typer()
    app.command()(audit_mechanism_command)
    done = CliRunner().invoke(app, ["mine.py:ones", *arguments])
    assert done.exit_code == 2
    assert words in done.output


@pytest.mark.parametrize(
    ("pairs", "data_from", "words"),
    [
        ("nowhere.json", None, "cannot be read"),
        ("text.json", None, "cannot be read"),
        ("number.json", None, "no list"),
        ("fields.json", None, "other fields"),
        (None, "nowhere.csv", "nowhere.csv"),
        (None, "mine.py:gone", "has no gone"),
        (None, "mine.py:nothing", "gives no data: ValueError$"),
    ],
)
def test_files_that_hold_no_data_sets_are_refused_and_tell_nothing(
    folder: Path, monkeypatch, pairs: str | None, data_from: str | None, words: str
) -> None:
    monkeypatch.chdir(folder)
    for name, text in (("text", "[[1"), ("number", "[1]"), ("fields", '[{"data": [[1]], "neighbor": [[2]]}]')):
        Path(f"{name}.json").write_text(text, encoding="utf-8")
    job = Job(**dict.fromkeys(attrs.fields_dict(Job)) | {"adjacency": "replace-one"})
    with pytest.raises((DpmatrixError, OSError), match=words):
        offered_by(attrs.evolve(job, pairs=pairs, data_from=data_from))


def test_the_numbers_are_scaled_without_rounding() -> None:
    generator = np.random.default_rng(1)
    for scale in (1e-3, 1.0, 3.0, 1e200):
        data = scale * generator.standard_normal((5, 3))
        other = data.copy()
        other[2] = scale
        own = own_pairs([("a pair", data, other)], REPLACE)
        (pair,) = own.pairs
        assert np.array_equal(scaled_records(pair.data, own.norm_bound), data)
        assert np.array_equal(scaled_records(pair.neighbour, own.norm_bound), other)
        assert own.norm_bound == 2.0 ** round(np.log2(own.norm_bound))


def test_no_data_set_is_made_of_a_record_that_does_not_occur() -> None:
    data = np.array([[0, 1], [1, 1], [2, 5], [2, 3], [1, 1]])
    for adjacency in Adjacency:
        own = pairs_of_data(data, adjacency)
        assert own.pairs
        for pair in own.pairs:
            for side in (pair.data, pair.neighbour):
                assert set(map(tuple, (side * own.norm_bound).tolist())) <= set(map(tuple, data.tolist()))
    assert {len(pair.neighbour) for pair in pairs_of_data(data, ADD_REMOVE).pairs} == {4}
    zeros = pairs_of_data(data, ADD_REMOVE, zero_rows=True).pairs
    assert all(len(pair.neighbour) == 5 for pair in zeros)
    assert all(not np.all(np.any(pair.neighbour, axis=1)) for pair in zeros)


def test_a_record_may_be_the_only_one() -> None:
    (pair,) = own_pairs([("the last one leaves", [[4.0, 3.0]], [])], ADD_REMOVE).pairs
    assert pair.neighbour.shape == (0, 2)
    assert len(pairs_of_data([[4.0]], ADD_REMOVE).pairs) == 1
    assert len(pairs_of_data(np.arange(1000.0)[:, None], REPLACE, most=7).pairs) == 7


@pytest.mark.parametrize(
    ("data", "neighbour", "adjacency"),
    [
        ([[1.0], [2.0]], [[3.0], [4.0]], REPLACE),
        ([[1.0], [2.0]], [[1.0]], REPLACE),
        ([[1.0], [2.0], [3.0]], [[1.0]], ADD_REMOVE),
        ([[1.0]], [[2.0]], ADD_REMOVE),
        ([[1.0]], [[1.0]], REPLACE),
        ([[1.0]], [[1.0, 2.0]], REPLACE),
        ([[1.0], [1.0, 2.0]], [[1.0]], REPLACE),
        ([["a"]], [["b"]], REPLACE),
        ([[np.nan]], [[1.0]], REPLACE),
        ([1.0], [2.0], REPLACE),
        ([], [], ADD_REMOVE),
        ([[2**53 + 1]], [[1]], REPLACE),
        ([[1e300]], [[1e-300]], REPLACE),
        ([[1.7e308] * 9], [[0.0] * 9], REPLACE),
    ],
)
def test_what_is_no_pair_is_refused(data, neighbour, adjacency) -> None:
    with pytest.raises(InvalidParameterError):
        own_pairs([("a pair", data, neighbour)], adjacency)


@pytest.mark.parametrize("data", [[], [[1.0], [1.0]], np.zeros((3, 0))])
def test_what_has_no_neighbour_is_refused(data) -> None:
    with pytest.raises(InvalidParameterError):
        pairs_of_data(data, REPLACE)
    with pytest.raises(InvalidParameterError, match="there is none"):
        own_pairs([], REPLACE)
