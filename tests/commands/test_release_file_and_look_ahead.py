"""``dpmatrix pca``: a release is kept and replaces nothing unasked, and what is said before it is paid for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from dpmatrix import atomic_files
from dpmatrix.__main__ import app
from dpmatrix.commands import expected_errors, release_files
from dpmatrix.commands import pca as pca_module
from dpmatrix.estimators import DPPCA
from dpmatrix.mechanisms import SymmetrisedWishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SystemEntropy

OPTIONS = ("--epsilon", "1", "--norm-bound", "1")
RECORDS = "a,b,c\n" + "0.5,0.25,0\n0.1,0.2,0.3\n" * 10


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    path.write_text(RECORDS, encoding="utf-8")
    return path


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note every release that is drawn."""
    found: list[str] = []
    whole = SymmetrisedWishartMechanism.release_blocks

    def counted(self: Any, *given: Any, **more: Any) -> Any:
        found.append("drawn")
        return whole(self, *given, **more)

    monkeypatch.setattr(SymmetrisedWishartMechanism, "release_blocks", counted)
    return found


def run(*arguments: object, options: tuple[str, ...] = OPTIONS) -> Result:
    return CliRunner().invoke(app, ["pca", *map(str, arguments), *options])


def refused(done: Result, *words: str) -> None:
    """Make sure that a command was refused in one line that has these words, and printed nothing else."""
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.output
    for word in words:
        assert word in done.stderr


# The file of a release


def test_a_release_that_is_there_is_not_replaced_unasked(file: Path, tmp_path: Path, drawn: list[str]) -> None:
    output = tmp_path / "release.json"
    output.write_text("old", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    refused(
        run(file, "--header", "--output", output),
        f"InvalidParameterError: output: {output} is there already; give another name, or pass --overwrite",
    )
    assert (output.read_text(encoding="utf-8"), drawn) == ("old", [])
    assert sorted(tmp_path.iterdir()) == before
    assert run(file, "--header", "--output", output, "--overwrite").exit_code == 0
    assert json.loads(output.read_text(encoding="utf-8"))["records"] == 20
    assert sorted(tmp_path.iterdir()) == before
    assert drawn == ["drawn"]


def test_an_empty_file_and_one_that_cannot_be_read_are_there_as_well(file: Path, tmp_path: Path) -> None:
    output = tmp_path / "release.json"
    output.touch(mode=0o000)
    refused(run(file, "--header", "--output", output), "is there already")
    assert output.stat().st_size == 0


def test_it_is_refused_before_the_file_of_records_is_looked_for(tmp_path: Path) -> None:
    output = tmp_path / "release.json"
    output.touch()
    refused(run(tmp_path / "missing.csv", "--output", output), "is there already")


@pytest.mark.parametrize("more", [[], ["--overwrite"]])
@pytest.mark.parametrize("kind", ["a symbolic link", "a dangling link", "a directory", "a pipe"])
def test_what_is_no_regular_file_is_never_replaced(
    file: Path, tmp_path: Path, drawn: list[str], kind: str, more: list[str]
) -> None:
    output, victim = tmp_path / "release.json", tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    {
        "a symbolic link": lambda: output.symlink_to(victim),
        "a dangling link": lambda: output.symlink_to(tmp_path / "nothing"),
        "a directory": output.mkdir,
        "a pipe": lambda: os.mkfifo(output),
    }[kind]()
    before = sorted(tmp_path.iterdir())
    refused(run(file, "--header", "--output", output, *more), "only a regular file is replaced")
    assert (sorted(tmp_path.iterdir()), drawn) == (before, [])
    assert victim.read_text(encoding="utf-8") == "precious"


@pytest.mark.parametrize("named", ["records.csv", "./records.csv", "other.csv"])
def test_the_records_are_not_replaced_by_their_release(file: Path, monkeypatch, drawn: list[str], named: str) -> None:
    monkeypatch.chdir(file.parent)
    os.link(file, "other.csv")
    refused(run(file, "--header", "--output", named, "--overwrite"), "is the file of records; give another name")
    assert (file.read_text(encoding="utf-8"), drawn) == (RECORDS, [])


def test_a_file_called_as_the_standard_input_is_may_be_replaced(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").touch()
    told = CliRunner().invoke(
        app, ["pca", "-", "--header", *OPTIONS, "--output", "-", "--overwrite", "--no-progress"], input=RECORDS
    )
    assert told.exit_code in (0, 2)
    assert "is the file of records" not in told.stderr


@pytest.mark.parametrize(
    "broken", ["0.5,x,0\n", "0.5,0.25\n", "\n"], ids=["no number", "another length", "a blank line"]
)
def test_a_run_that_fails_leaves_no_file(file: Path, tmp_path: Path, broken: str) -> None:
    file.write_text(RECORDS + broken, encoding="utf-8")
    output = tmp_path / "folder" / "release.json"
    refused(run(file, "--header", "--output", output))
    assert list(tmp_path.iterdir()) == [file]


def appear(kind: str, output: Path) -> None:
    """Let something take the name of an output."""
    {
        "file": lambda: output.write_text("of somebody else", encoding="utf-8"),
        "dangling link": lambda: output.symlink_to(output.parent / "nothing"),
        "folder": output.mkdir,
    }[kind]()


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("file", []),
        ("dangling link", []),
        ("folder", []),
        ("dangling link", ["--overwrite"]),
        ("folder", ["--overwrite"]),
    ],
)
def test_a_name_that_is_taken_meanwhile_costs_no_release(
    file: Path, tmp_path: Path, monkeypatch, kind: str, more: list[str]
) -> None:
    """The release has been paid for: it is in a file of another name, which the refusal tells."""
    folder = tmp_path / "folder"
    folder.mkdir()
    output = folder / "release.json"
    whole = pca_module.release_record

    def slow(*given: Any) -> Any:
        appear(kind, output)
        return whole(*given)

    monkeypatch.setattr(pca_module, "release_record", slow)
    done = run(file, "--header", "--output", output, *more)
    refused(done, f"InvalidParameterError: output: {output} was taken while the records were read", "is paid for, in ")
    (spare,) = (path for path in folder.iterdir() if path != output)
    assert str(spare) in done.stderr
    assert (spare.name[:8], spare.suffix) == ("release-", ".json")
    assert json.loads(spare.read_text(encoding="utf-8"))["records"] == 20
    if kind == "file":
        assert output.read_text(encoding="utf-8") == "of somebody else"
    assert not (folder / "nothing").exists()


def test_a_file_that_appears_meanwhile_is_replaced_where_that_is_asked_for(
    file: Path, tmp_path: Path, monkeypatch
) -> None:
    output, whole = tmp_path / "release.json", pca_module.release_record

    def slow(*given: Any) -> Any:
        appear("file", output)
        return whole(*given)

    monkeypatch.setattr(pca_module, "release_record", slow)
    assert run(file, "--header", "--output", output, "--overwrite").exit_code == 0
    assert json.loads(output.read_text(encoding="utf-8"))["records"] == 20


@pytest.mark.parametrize("more", [[], ["--json"], ["--overwrite"]])
def test_a_release_that_cannot_be_written_is_printed(file: Path, tmp_path: Path, monkeypatch, more: list[str]) -> None:
    output = tmp_path / "folder" / "release.json"

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_files.os, "fsync", full)
    done = run(file, "--header", "--output", output, *more)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["records"] == 20
    assert done.stderr == "OSError: [Errno 28] No space left on device\n"
    assert list(output.parent.iterdir()) == []


def test_the_other_name_is_not_foreseen(file: Path, tmp_path: Path, monkeypatch) -> None:
    """Whoever takes that one as well leaves the release on the output, and nobody's file is touched."""
    output, whole = tmp_path / "release.json", pca_module.release_record

    def slow(*given: Any) -> Any:
        appear("file", output)
        (tmp_path / "release-00000000.json").touch()
        return whole(*given)

    monkeypatch.setattr(pca_module, "release_record", slow)
    monkeypatch.setattr(release_files.secrets, "token_hex", lambda count: "0" * 2 * count)
    done = run(file, "--header", "--output", output)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["records"] == 20
    assert (tmp_path / "release-00000000.json").stat().st_size == 0


# What is said before anything is spent


@pytest.fixture
def unspent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be drawn, read as a record, or written."""

    def never(*_given: Any, **_more: Any) -> Any:
        raise AssertionError("a look ahead reads, draws or writes")

    monkeypatch.setattr(SystemEntropy, "bits", never)
    monkeypatch.setattr("dpmatrix.files.sources._blocks", never)
    monkeypatch.setattr("dpmatrix.files.csv_records.CsvReader.blocks", never)
    monkeypatch.setattr(atomic_files, "_draft_of", never)
    monkeypatch.setattr(pca_module, "readers", never)


@pytest.mark.usefixtures("unspent")
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize(
    ("mechanism", "delta"), [("symmetrised-wishart", "0"), ("gaussian", "1e-6"), ("laplace", "0"), ("auto", "1e-6")]
)
def test_the_error_is_that_of_the_estimators(file: Path, mechanism: str, delta: str, adjacency: Adjacency) -> None:
    options = ["--epsilon", "1/3", "--delta", delta, "--norm-bound", "5/2", "--adjacency", adjacency.value]
    asked = [file, "--header", "--rank", 2, "--mechanism", mechanism, "--expected-error", 700]
    done = run(*asked, "--json", options=tuple(options))
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    model = DPPCA(
        2,
        epsilon=Fraction(1, 3),
        delta=float(delta),
        data_norm=2.5,
        mechanism=mechanism,
        adjacency=adjacency.value,
    )
    said = model.expected_error(700, 3)
    for name in ("off_diagonal", "diagonal", "frobenius", "lost", "largest", "noise_exceeds_matrix"):
        assert found[name] == getattr(said, name)
    assert (found["records"], found["dimension"], found["rank"]) == (700, 3, 2)
    assert (found["epsilon"], found["norm_bound"], found["adjacency"]) == ("1/3", "5/2", adjacency.value)
    assert found["of"] == ("X'X / n" if adjacency is Adjacency.REPLACE_ONE else "X'X")
    assert done.stderr.endswith("nothing was released, and nothing was spent\n")
    assert ("was chosen for d = 3" in done.stderr) == (mechanism == "auto")
    shown = run(*asked, options=tuple(options))
    told = " ".join(shown.stdout.split())
    for name in ("off_diagonal", "diagonal", "frobenius", "lost", "largest"):
        assert f"{found[name]:.6g}" in told
    assert ("a number that you suppose" in told) == (adjacency is Adjacency.ADD_REMOVE_ONE)
    assert ("as large as the matrix can be" in told) == found["noise_exceeds_matrix"]
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.usefixtures("unspent")
def test_a_file_is_opened_for_its_columns_alone(file: Path, monkeypatch) -> None:
    """It is not opened where the number of columns is said; and no record decides what is printed."""
    opened: list[str] = []
    whole = expected_errors.open_source

    def noted(mechanism: Any, path: str, **more: Any) -> Any:
        opened.append(path)
        return whole(mechanism, path, **more)

    monkeypatch.setattr(expected_errors, "open_source", noted)
    printed = set()
    for more in (
        ["--dimension", 3],
        ["--columns", "1,2,3"],
        ["--columns", "c,b,a"],
        ["--columns", "1,2,3", "--dimension", 3],
    ):
        done = run("nowhere.csv", *more, "--expected-error", 20, "--json")
        assert done.exit_code == 0, done.output
        printed.add(done.stdout)
    assert opened == []
    done = run(file, "--header", "--expected-error", 20, "--json")
    printed.add(done.stdout)
    assert opened == [str(file)]
    for text in ("a,b,c\n", "x,y,z\n9,9,9\n", RECORDS + "no number,nan\n\n"):
        file.write_text(text, encoding="utf-8")
        printed.add(run(file, "--header", "--expected-error", 20, "--json").stdout)
    assert len(printed) == 1


@pytest.mark.usefixtures("unspent")
def test_the_first_record_tells_the_columns_where_a_record_is_replaced_and_not_where_it_may_be_the_only_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bare.csv"
    path.write_text("0.5,0.25\n", encoding="utf-8")
    assert json.loads(run(path, "--expected-error", 5, "--json").stdout)["dimension"] == 2
    refused(
        run(path, "--expected-error", 5, "--adjacency", "add-remove-one"),
        "InvalidParameterError: dimension: ",
        "--dimension",
    )


@pytest.mark.usefixtures("unspent")
@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--expected-error", 0], "expected-error: 0 is not an integer of at least 1"),
        (["--expected-error", 5, "--output", "release.json"], "output: --expected-error writes nothing"),
        (["--expected-error", 5, "--rank", 4], "rank: 4 exceeds the number of columns, 3"),
        (["--expected-error", 5, "--mechanism", "ppca"], "mechanism: 'ppca' draws directions"),
        (["--expected-error", 5, "--columns", "a", "--dimension", 2], "dimension: 2 is not the number of --columns, 1"),
        (["--expected-error", 5, "--delta", "1e-6"], "delta: "),
        (["--expected-error", 10**400, "--adjacency", "add-remove-one"], "n: with it the error cannot be written"),
    ],
)
def test_what_has_no_expected_error_is_refused(file: Path, more: list[object], words: str) -> None:
    refused(run(file, "--header", *more), words)


@pytest.mark.usefixtures("unspent")
def test_noise_that_is_more_than_needed_is_said_beforehand(file: Path) -> None:
    done = run(file, "--header", "--mechanism", "laplace", "--calibration", "printed", "--expected-error", 9)
    assert done.exit_code == 0
    first, last = done.stderr.splitlines()
    assert first.startswith("warning: the printed noise of ")
    assert last == "nothing was released, and nothing was spent"


def test_without_scikit_learn_the_extra_is_named(file: Path, monkeypatch) -> None:
    for name in [*sys.modules]:
        if name == "sklearn" or name.startswith(("sklearn.", "dpmatrix.estimators")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    refused(run(file, "--header", "--expected-error", 9), "MissingExtraError: scikit-learn is not installed")
    assert run(file, "--header").exit_code == 0, "control: a release needs none"


# What is said of the records before a file is opened


def test_a_bound_that_was_forgotten_is_asked_for(file: Path, drawn: list[str]) -> None:
    for more in ([], ["--no-clip"], ["--expected-error", 9], ["--columns", "nowhere"]):
        done = run(file, "--header", *more, options=("--epsilon", "1"))
        refused(done, "InvalidParameterError: norm-bound: it is missing: the public bound on the Euclidean norm")
        assert "Choosing data_norm without looking at the data" in done.stderr
        assert "estimators.html" in done.stderr
    assert drawn == []
    refused(run("nowhere.csv", options=("--epsilon", "1")), "norm-bound: it is missing")


def test_the_page_that_is_named_has_the_section_that_is_named() -> None:
    page = (Path(pca_module.__file__).parents[1] / "documentation" / "pages" / "estimators.md").read_text(
        encoding="utf-8"
    )
    title, *_ = page.splitlines()
    assert title == "# For a data scientist"
    assert "\n## Choosing data_norm without looking at the data\n" in page


@pytest.mark.parametrize("option", ["--header", "--no-header"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_parquet_file_has_no_line_that_names_columns(tmp_path: Path, option: str, exists: bool) -> None:
    path = tmp_path / "records.parquet"
    if exists:
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"a": [0.5, 0.25], "b": [0.1, 0.2]}), path)
        assert run(path).exit_code == 0, "control"
    for more in ([], ["--expected-error", 9]):
        refused(run(path, option, *more), f"InvalidParameterError: header: {option} is about", f"leave {option} out")


Writer = Callable[[Path], None]


def write_csv(path: Path) -> None:
    path.write_text("a,name\n0.5,Ann\n0.25,Bob\n", encoding="utf-8")


def write_parquet(path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is an extra of its own")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": [0.5, 0.25], "name": ["Ann", "Bob"]}), path)


@pytest.mark.parametrize(
    ("name", "write", "more"),
    [("r.csv", write_csv, ["--header"]), ("r.csv", write_csv, []), ("r.parquet", write_parquet, [])],
)
def test_a_column_of_text_is_left_out_by_naming_the_others(
    tmp_path: Path, name: str, write: Writer, more: list[str]
) -> None:
    path = tmp_path / name
    write(path)
    done = run(path, *more)
    refused(done, "--columns (columns=)")
    assert "Ann" not in done.stderr
    done = run(path, *more, "--columns", "a", "--json")
    assert np.shape(json.loads(done.stdout)["components"]) == (1, 1)
