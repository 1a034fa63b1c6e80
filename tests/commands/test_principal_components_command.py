"""``dpmatrix pca``: what it publishes, what it refuses, and that nothing half-written is left."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands.pca import Choice
from dpmatrix.mechanisms import LatticeGram
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.spec import load

RECORDS = np.random.default_rng(8).uniform(-0.5, 0.5, (40, 3))
DELTAS = {"gaussian": "1e-6", "mod-sulq": "1e-6"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    path.write_text("a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in RECORDS.tolist()), encoding="utf-8")
    return path


def run(*arguments: object):
    return CliRunner().invoke(app, ["pca", *map(str, arguments)])


def test_names_are_those_of_the_menu() -> None:
    assert {choice.value for choice in Choice} == {*MATRICES, *DIRECTIONS}


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove-one"])
@pytest.mark.parametrize("mechanism", Choice)
def test_what_is_published(file: Path, mechanism: Choice, adjacency: str) -> None:
    delta = DELTAS.get(mechanism, "0")
    settings = ["--epsilon", "1/2", "--delta", delta, "--rank", 2, "--mechanism", mechanism, "--adjacency", adjacency]
    done = run(file, *settings, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["guarantee"] == {"epsilon": "1/2", "delta": str(Fraction(delta)), "adjacency": adjacency}
    assert found["columns"] == ["a", "b", "c"]
    assert (found["norm_bound"], found["over_norm"], found["calibration"]) == ("1", "reject", "tight")
    assert "operating system" in found["entropy"]
    assert {claim.split("+")[0] for claim in found["claims"]} <= set(load().claims)
    # The number of records is published only where neighbours share it.
    assert found.get("records") == (40 if adjacency == "replace-one" else None)
    components = np.array(found["components"])
    assert np.allclose(components @ components.T, np.eye(2), atol=1e-9)
    published = np.array(
        [
            [float(int(entry) * Fraction(found["release"]["grid"])) for entry in row]
            for row in found["release"]["integers"]
        ]
    )
    if mechanism in MATRICES:
        values, vectors = np.linalg.eigh(published)
        assert np.allclose(found["explained_variance"], np.maximum(values[::-1][:2], 0))
        assert np.allclose(np.abs(components), np.abs(vectors[:, ::-1][:, :2].T))
    else:
        assert found["explained_variance"] is None


def test_with_hardly_any_noise_it_finds_the_components(file: Path) -> None:
    found = json.loads(run(file, "--epsilon", "1e9", "--rank", 3, "--json").stdout)
    moment = RECORDS.T @ RECORDS / len(RECORDS)
    values, vectors = np.linalg.eigh(moment)
    # The noise has scale 1 / (40 * 10^9); 3e-6 is far beyond it, and far within the gaps.
    assert np.allclose(found["explained_variance"], values[::-1], atol=3e-6)
    assert np.allclose(np.abs(found["components"]), np.abs(vectors[:, ::-1].T), atol=1e-3)


def test_a_file_in_many_blocks_is_one_data_set(file: Path, monkeypatch) -> None:
    seen = []
    monkeypatch.setattr("dpmatrix.commands.record_files.LINES", 7)
    original = LatticeGram.matrix

    def recorded(gram: LatticeGram):
        matrix = original(gram)
        # The mechanism adds its noise in place.
        seen.append((gram.count, matrix.copy()))
        return matrix

    monkeypatch.setattr(LatticeGram, "matrix", recorded)
    assert run(file, "--epsilon", 1, "--mechanism", "laplace").exit_code == 0
    integers = np.trunc(RECORDS * 2**20).astype(int).astype(object)
    [(count, matrix)] = seen
    assert count == 40
    assert np.array_equal(matrix, integers.T @ integers)


def test_table_and_output(file: Path, tmp_path: Path) -> None:
    done = run(file, "--epsilon", 1, "--columns", "c,1")
    assert done.exit_code == 0
    assert "(1, 0)-differentially private" in " ".join(done.stdout.split())
    assert "wishart.theorem-4+repair" in done.stdout
    output = tmp_path / "folder" / "release.json"
    done = run(file, "--epsilon", 1, "--columns", "c,1", "--output", output)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert json.loads(output.read_text(encoding="utf-8"))["columns"] == ["c", "a"]
    assert [path.name for path in output.parent.iterdir()] == ["release.json"]


def test_clipping_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("1,0\n\n0,1\n3,4\n", encoding="utf-8")
    done = run(path, "--epsilon", 1)
    assert done.exit_code == 2
    assert "line 4: the record is longer than 1" in done.stderr
    assert run(path, "--epsilon", 1, "--clip").exit_code == 0
    assert run(path, "--epsilon", 1, "--norm-bound", 5).exit_code == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--epsilon", "0"], "epsilon"),
        (["--epsilon", "one"], "no number"),
        (["--epsilon", "1", "--delta", "1e-6"], "would be wasted"),
        (["--epsilon", "1", "--mechanism", "gaussian"], "delta"),
        (["--epsilon", "1", "--rank", "4"], "the rank is 4"),
        (["--epsilon", "1", "--rank", "0"], "rank"),
        (["--epsilon", "1", "--norm-bound", "-1"], "norm_bound"),
        (["--epsilon", "1", "--calibration", "printed"], r"wishart.theorem-4"),
        (["--epsilon", "1", "--columns", "d"], "no column"),
        (["--epsilon", "1", "--delimiter", "."], "delimiter"),
    ],
)
def test_wrong_use_is_one_line(file: Path, tmp_path: Path, options, words: str) -> None:
    output = tmp_path / "release.json"
    done = run(file, *options, "--output", output)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not output.exists()
    assert run(tmp_path / "missing.csv", "--epsilon", 1).exit_code == 2


def test_printed_noise_warns(file: Path) -> None:
    done = run(file, "--epsilon", 1, "--mechanism", "laplace", "--calibration", "printed")
    assert done.exit_code == 0
    assert "2.09 times what its promise needs" in done.stderr
    assert "wishart.theorem-3" in done.stderr


def test_an_interrupt_leaves_the_old_file_alone(tmp_path: Path) -> None:
    output = tmp_path / "release.json"
    output.write_text("old", encoding="utf-8")
    command = [sys.executable, "-m", "dpmatrix", "pca", "-", "--epsilon", "1", "--output", str(output)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    # Far more than a pipe holds: once it is written, the command is reading.
    process.stdin.write(b"0.5,0.5\n" * 300_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode not in (0, -signal.SIGKILL)
    assert output.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [output]


def test_a_failed_write_leaves_no_draft(file: Path, tmp_path: Path, monkeypatch) -> None:
    output = tmp_path / "place" / "release.json"
    output.mkdir(parents=True)
    done = run(file, "--epsilon", 1, "--output", output)
    assert done.exit_code == 2
    assert list(output.parent.iterdir()) == [output]


def test_standard_input(file: Path) -> None:
    command = [sys.executable, "-m", "dpmatrix", "pca", "-", "--epsilon", "1", "--json"]
    done = subprocess.run(command, input=file.read_bytes(), capture_output=True, check=True)
    assert json.loads(done.stdout)["records"] == 40
    assert done.stderr == b""
    done = subprocess.run(command, input=b"1,\xff\n0,1\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"line 1, column 2" in done.stderr
