"""What `dpmatrix pca` makes of its options: the columns that were asked for and no others, and nothing without secrets.

Nothing is statistical. From bits that are known here and pass for secret, what is printed or written is the release of
the mechanism, built here from what was asked for; and whatever the command refuses, it has printed no number before.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from audit.released.subjects import SecretSeed
from dpmatrix.__main__ import app
from dpmatrix.mechanisms import KNormMechanism, SymmetrisedWishartMechanism, rounded_perturbation
from dpmatrix.privacy import Adjacency
from dpmatrix.randomness.entropy import SeededEntropy

DATA = np.array([[4.0, 0.0, 0.0], [0.0, 2.0, 2.0], [1.0, -1.0, 0.5], [0.0, 0.0, -4.0]])
EPSILON, BOUND = Fraction(1, 2), 4
RELATIONS = list(Adjacency)


@pytest.fixture
def known_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let releases be drawn from known bits that pass for secret."""
    monkeypatch.setattr(rounded_perturbation, "SystemEntropy", lambda: SecretSeed(7))


def written(path: Path, data: np.ndarray, delimiter: str = ",") -> Path:
    """Write records with the names a, b, c."""
    lines = [["a", "b", "c"], *(map(repr, row) for row in data.tolist())]
    path.write_text("".join(delimiter.join(line) + "\n" for line in lines), encoding="utf-8")
    return path


def run(path: Path, adjacency: Adjacency, *more: str) -> Result:
    """Run the command."""
    options = ["--epsilon", str(EPSILON), "--norm-bound", str(BOUND), "--adjacency", adjacency.value]
    return CliRunner().invoke(app, ["pca", str(path), *options, *more])


def released(data: np.ndarray, adjacency: Adjacency, kind: Any = SymmetrisedWishartMechanism) -> list[list[int]]:
    """Return the integers of the same release, made here."""
    mechanism = kind(EPSILON, adjacency=adjacency, norm_bound=BOUND)
    found: list[list[int]] = mechanism.release_blocks([data], data.shape[1], entropy=SeededEntropy(7)).integers.tolist()
    return found


def integers_of(text: str) -> list[list[int]]:
    """Return the integers of a release that was printed or written."""
    return [[int(entry) for entry in row] for row in json.loads(text)["release"]["integers"]]


@pytest.mark.usefixtures("known_bits")
@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize(
    ("more", "places"),
    [
        (["--columns", "a,c"], [0, 2]),
        (["--columns", "c, b"], [2, 1]),
        (["--columns", "b", "--progress"], [1]),
        (["--header", "--delimiter", ";", "--rank", "3"], [0, 1, 2]),
        (["--header", "--output", "release.json"], [0, 1, 2]),
    ],
    ids=["a-c", "c-b", "b", "semicolons", "a-file"],
)
def test_the_columns_that_were_asked_for_are_released_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency, more: list[str], places: list[int]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path / "records.csv", DATA, ";" if ";" in more else ",")
    done = run(path, adjacency, "--json", *more)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert integers_of(done.stdout) == released(DATA[:, places], adjacency)
    assert found["columns"] == ["abc"[place] for place in places]
    assert (found["private"], found["over_norm"]) == (True, "clip")
    assert found.get("records") == (len(DATA) if adjacency is Adjacency.REPLACE_ONE else None)
    if "--output" in more:
        assert (tmp_path / "release.json").read_text(encoding="utf-8") == done.stdout
    assert sorted(one.name for one in tmp_path.iterdir()) == [
        "records.csv",
        *(["release.json"] if "--output" in more else []),
    ]


@pytest.mark.usefixtures("known_bits")
def test_a_file_of_no_record_is_released_as_one_of_a_zero_record_is(tmp_path: Path) -> None:
    """Where records are added and removed, and the number of columns is said, for which there may be no line."""
    path, adjacency = tmp_path / "records.csv", Adjacency.ADD_REMOVE_ONE
    printed = []
    for text in ("", "0,0\n"):
        path.write_text(text, encoding="utf-8")
        done = run(path, adjacency, "--no-header", "--dimension", "2", "--json")
        assert done.exit_code == 0, done.output
        assert integers_of(done.stdout) == released(np.zeros((0, 2)), adjacency)
        printed.append(done.stdout)
    assert printed[0] == printed[1]


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
def test_a_long_record_is_refused_where_it_may_not_be_clipped(tmp_path: Path, adjacency: Adjacency) -> None:
    refused = run(written(tmp_path / "records.csv", DATA * 1.001), adjacency, "--header", "--no-clip", "--json")
    assert (refused.exit_code, refused.stdout) == (2, "")
    taken = run(written(tmp_path / "records.csv", DATA), adjacency, "--header", "--no-clip", "--json")
    assert json.loads(taken.stdout)["over_norm"] == "reject", "control"


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
def test_what_is_drawn_from_known_bits_is_neither_printed_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency
) -> None:
    monkeypatch.setattr(rounded_perturbation, "SystemEntropy", lambda: SeededEntropy(7))
    path, output = written(tmp_path / "records.csv", DATA), tmp_path / "release.json"
    for more in ([], ["--json"], ["--output", str(output)]):
        done = run(path, adjacency, "--header", *more)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "not secret" in done.stderr
        assert not output.exists()


def test_what_can_be_refused_before_the_records_are_read_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release that nobody can keep, or of more directions than columns, would have been drawn for nothing."""
    path = written(tmp_path / "records.csv", DATA)
    drawn: list[str] = []
    whole = SymmetrisedWishartMechanism.release_blocks

    def counted(self: Any, *given: Any, **more: Any) -> Any:
        drawn.append("drawn")
        return whole(self, *given, **more)

    monkeypatch.setattr(SymmetrisedWishartMechanism, "release_blocks", counted)
    link, taken = tmp_path / "link.json", tmp_path / "taken.json"
    link.symlink_to(tmp_path / "elsewhere.json")
    taken.write_text("an earlier release", encoding="utf-8")
    for more in (
        ["--output", str(tmp_path)],
        ["--output", str(link)],
        ["--output", str(taken)],
        ["--output", str(path), "--overwrite"],
        ["--rank", "4"],
        ["--columns", "a", "--rank", "2"],
    ):
        done = run(path, Adjacency.REPLACE_ONE, "--header", *more)
        assert (done.exit_code, done.stdout, drawn) == (2, "", [])
    for option in ("--header", "--no-header"):
        done = run(tmp_path / "records.parquet", Adjacency.REPLACE_ONE, option)
        assert (done.exit_code, "header: " in done.stderr) == (2, True)
    done = CliRunner().invoke(app, ["pca", str(path), "--header", "--epsilon", "1"])
    assert (done.exit_code, done.stdout, "norm-bound: it is missing" in done.stderr, drawn) == (2, "", True, [])
    assert taken.read_text(encoding="utf-8") == "an earlier release"
    assert run(path, Adjacency.REPLACE_ONE, "--header", "--rank", "3").exit_code == 0
    assert drawn == ["drawn"], "control"


@pytest.mark.usefixtures("known_bits")
def test_a_release_that_was_drawn_is_kept_and_one_that_is_there_is_not_replaced_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the name is taken after the draw: who would release again would pay again."""
    path, output = written(tmp_path / "records.csv", DATA), tmp_path / "release.json"
    adjacency = Adjacency.REPLACE_ONE
    whole = SymmetrisedWishartMechanism.release_blocks

    def late(self: Any, *given: Any, **more: Any) -> Any:
        release = whole(self, *given, **more)
        output.write_text("of somebody else", encoding="utf-8")
        return release

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(SymmetrisedWishartMechanism, "release_blocks", late)
        done = run(path, adjacency, "--header", "--output", str(output))
    assert (done.exit_code, done.stdout, output.read_text(encoding="utf-8")) == (2, "", "of somebody else")
    (spare,) = (one for one in tmp_path.iterdir() if one not in (path, output))
    assert str(spare) in done.stderr
    assert integers_of(spare.read_text(encoding="utf-8")) == released(DATA, adjacency)
    assert run(path, adjacency, "--header", "--output", str(output), "--overwrite").exit_code == 0
    assert integers_of(output.read_text(encoding="utf-8")) == released(DATA, adjacency)


@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
def test_a_look_at_the_error_draws_nothing_and_is_the_same_for_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency
) -> None:
    """It is no release: what it prints must not depend on a record, nor on their number."""

    def never(*_given: Any, **_more: Any) -> Any:
        raise AssertionError("a look ahead draws")

    path, printed = tmp_path / "records.csv", set()
    with monkeypatch.context() as alone:
        alone.setattr(SymmetrisedWishartMechanism, "release_blocks", never)
        alone.setattr(rounded_perturbation, "SystemEntropy", never)
        for data in (DATA, DATA[1:], DATA * 1.001, DATA[:0], np.zeros_like(DATA)):
            for more in ([], ["--no-clip"]):
                done = run(written(path, data), adjacency, "--header", "--expected-error", "10", "--json", *more)
                assert done.exit_code == 0, done.output
                printed.add(done.output)
    assert len(printed) == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["records.csv"]
    assert '"integers"' not in printed.pop()
    assert run(written(path, DATA), adjacency, "--header").exit_code == 0, "control"


@pytest.mark.usefixtures("known_bits")
@pytest.mark.parametrize("adjacency", RELATIONS, ids=lambda adjacency: adjacency.value)
def test_a_choice_is_printed_with_what_was_asked_for(tmp_path: Path, adjacency: Adjacency) -> None:
    """Also the delta that was asked for, which the guarantee does not use where the mechanism has none."""
    path = written(tmp_path / "records.csv", DATA)
    for delta in ("0", "1/1000000"):
        done = run(path, adjacency, "--header", "--mechanism", "auto", "--delta", delta, "--json")
        found = json.loads(done.stdout)
        assert integers_of(done.stdout) == released(DATA, adjacency, KNormMechanism)
        assert (found["mechanism"], found["choice"]["asked"]) == (KNormMechanism.name, "auto")
        assert (found["choice"]["delta"], found["guarantee"]["delta"]) == (delta, "0")
