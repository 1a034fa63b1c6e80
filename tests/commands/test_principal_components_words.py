"""What ``dpmatrix pca`` says, where it says it, and what it passes on, with bits that repeat themselves."""

from __future__ import annotations

import contextlib
import json
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest
from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands import pca as pca_module
from dpmatrix.files import csv_records, streams
from dpmatrix.mechanisms import GaussianOrthogonal, KNormMechanism
from dpmatrix.mechanisms.choice import resolve
from dpmatrix.mechanisms.menu import excess_words
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.release_certificates.record import release_record
from tests.secret_bits import SecretSeed


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    path.write_text("é;b;c\n" + "0.5;0.25;0\n0.1;0.2;0.3\n" * 10, encoding="utf-8")
    return path


@pytest.fixture
def settings(monkeypatch) -> list[Any]:
    """Let every release have the same noise, and return what mechanisms were built of."""
    asked = []

    def resolved(settings, dimension):
        asked.append(settings)
        chosen, choice = resolve(settings, dimension)
        return Seeded(chosen, SecretSeed), choice

    monkeypatch.setattr(pca_module, "resolve", resolved)
    monkeypatch.setattr(pca_module, "excess_words", lambda chosen, width: excess_words(chosen.mechanism, width))
    monkeypatch.setattr(pca_module, "release_record", lambda chosen, *others: release_record(chosen.mechanism, *others))
    return asked


class Seeded:
    """A mechanism that is given its bits."""

    def __init__(self, mechanism: Any, kind: type[SeededEntropy]) -> None:
        self.mechanism, self.kind = mechanism, kind

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)

    def release_blocks(self, blocks: Any, dimension: int) -> Any:
        """Release with these bits."""
        return self.mechanism.release_blocks(blocks, dimension, entropy=self.kind(1))


def run(*arguments: object) -> Any:
    bound = [] if "--norm-bound" in arguments else ["--norm-bound", "1"]
    return CliRunner().invoke(app, ["pca", *map(str, arguments), *bound])


def test_what_is_not_said_has_the_defaults_of_the_documentation(file: Path, settings, monkeypatch) -> None:
    asked = []

    @contextlib.contextmanager
    def readers(workers: int, cluster: str | None):
        asked.append((workers, cluster))
        yield None, workers

    monkeypatch.setattr(pca_module, "readers", readers)
    done = run(file, "--epsilon", "1/2", "--delimiter", ";", "--header")
    assert done.exit_code == 0, done.output
    assert run(file, "--epsilon", 1, "--cluster", "tcp://x:1", "--delimiter", ";", "--header").exit_code == 0
    assert asked == [(1, None), (1, "tcp://x:1")]
    first = settings[0]
    assert (first.mechanism, first.calibration, first.delta, first.rank) == ("symmetrised-wishart", "tight", 0, 1)
    assert {name: str(value) for name, value in first.public.items()} == {
        "epsilon": "1/2",
        "adjacency": "Adjacency.REPLACE_ONE",
        "norm_bound": "1",
        "over_norm": "clip",
    }


class Counting(Executor):
    """Works at once, and counts what it was given."""

    count = 0

    def submit(self, work: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Do it."""
        self.count += 1
        future: Future[Any] = Future()
        future.set_result(work(*arguments, **options))
        return future


def test_parts_are_read_by_those_who_were_asked_for(file: Path, settings, monkeypatch) -> None:
    executor = Counting()
    monkeypatch.setattr(pca_module, "readers", lambda workers, _cluster: contextlib.nullcontext((executor, workers)))
    done = run(file, "--epsilon", 1, "--delimiter", ";", "--header", "--workers", 3, "--json")
    assert json.loads(done.stdout)["records"] == 20
    assert executor.count == 3


def test_what_is_said_is_passed_on(file: Path, settings) -> None:
    options = ["--delta", "1e-3", "--norm-bound", "3/2", "--no-clip", "--rank", 2, "--adjacency", "add-remove-one"]
    more = ["--mechanism", "gaussian", "--calibration", "printed", "--delimiter", ";", "--columns", "c, é ,"]
    done = run(file, "--epsilon", 2, *options, *more, "--json")
    assert done.exit_code == 0, done.output
    (found,) = settings
    assert (found.mechanism, found.calibration, str(found.delta), found.rank) == ("gaussian", "printed", "1/1000", 2)
    assert [str(value) for value in found.public.values()] == ["2", "Adjacency.ADD_REMOVE_ONE", "3/2", "reject"]
    assert json.loads(done.stdout)["columns"] == ["c", "é"]


@pytest.mark.parametrize("name", ["epsilon", "delta", "norm-bound"])
def test_what_is_no_number_is_named_as_the_option_is(file: Path, name: str) -> None:
    done = run(file, "--epsilon", 1, f"--{name}", "one")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"InvalidParameterError: {name}: ")
    assert "'one'" in done.stderr


def test_a_rank_is_at_least_one_and_at_most_the_number_of_columns(file: Path, settings) -> None:
    done = run(file, "--epsilon", 1, "--rank", 0)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("InvalidParameterError: rank: ")
    assert not settings
    options = ["--epsilon", 1, "--delimiter", ";", "--header", "--json"]
    done = run(file, *options, "--rank", 4)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"RecordFileError: {file}: there are 3 columns, and the rank is 4\n"
    assert len(json.loads(run(file, *options, "--rank", 3).stdout)["components"]) == 3


def test_json_is_printed_and_written_alike(file: Path, tmp_path: Path, settings) -> None:
    output = tmp_path / "release.json"
    options = ["--epsilon", 1, "--delimiter", ";", "--header"]
    printed = run(file, *options, "--json")
    assert printed.stderr == ""
    assert printed.stdout == json.dumps(json.loads(printed.stdout), indent=1, ensure_ascii=False) + "\n"
    assert '\n "columns": [\n  "é",' in printed.stdout
    assert json.loads(printed.stdout)["records"] == 20
    for more in ([], ["--json"]):
        written = run(file, *options, "--output", output, "--overwrite", *more)
        assert written.stdout == (printed.stdout if more else "")
        assert written.stderr == f"wrote {output}\n"
        assert output.read_text(encoding="utf-8") == printed.stdout


def test_a_table_shows_what_json_says(file: Path, settings) -> None:
    for mechanism in ("laplace", "sequential-ppca"):
        options = [file, "--epsilon", "1/2", "--delimiter", ";", "--header", "--rank", 2, "--mechanism", mechanism]
        table, found = run(*options), json.loads(run(*options, "--json").stdout)
        assert (table.exit_code, table.stderr) == (0, "")
        lines = table.stdout.splitlines()
        assert table.stdout.endswith("\n")
        assert not table.stdout.endswith("\n\n")
        cells = [line.replace("│", " ").replace("┃", " ").split() for line in lines]
        assert ["column", "component", "1", "component", "2"] in cells
        for place, name in enumerate(["é", "b", "c"]):
            assert [name, *(f"{component[place]:+.6f}" for component in found["components"])] in cells
        shown = [each[2:] for each in cells if each[:2] == ["explained", "variance"]]
        variances = found["explained_variance"]
        assert shown == ([[f"{value:.6g}" for value in variances]] if mechanism == "laplace" else [])
        assert (variances is None) == (mechanism != "laplace")
        said = " ".join(table.stdout.split())
        assert "(1/2, 0)-differentially private, replace-one, records of norm at most 1 (clip). Rests on " in said
        assert found["mechanism"] in said


def test_noise_that_is_more_than_needed_is_a_warning_beside_the_release(file: Path, settings) -> None:
    options = [file, "--epsilon", 1, "--delimiter", ";", "--header", "--json"]
    plain = run(*options, "--mechanism", "laplace")
    assert plain.stderr == ""
    printed = run(*options, "--mechanism", "laplace", "--calibration", "printed")
    assert printed.stderr.startswith("warning: ")
    assert len(printed.stderr.splitlines()) == 1
    assert json.loads(printed.stdout)["calibration"] == "printed"


def test_bits_that_were_not_secret_release_nothing(file: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(
        pca_module, "resolve", lambda settings, width: (Seeded(resolve(settings, width)[0], SeededEntropy), None)
    )
    monkeypatch.setattr(pca_module, "excess_words", lambda _chosen, _width: None)
    monkeypatch.setattr(pca_module, "release_record", None)
    output = tmp_path / "release.json"
    done = run(file, "--epsilon", 1, "--delimiter", ";", "--header", "--output", output)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "EntropyError: the random bits were not secret\n"
    assert not output.exists()


def test_an_output_that_cannot_be_replaced_is_refused_before_the_file_is_looked_for(tmp_path: Path) -> None:
    done = run(tmp_path / "missing.csv", "--epsilon", 1, "--output", tmp_path)
    assert done.exit_code == 2
    assert done.stderr.startswith("InvalidParameterError: output: ")


def test_an_empty_file_is_released_where_its_dimension_is_said(tmp_path: Path, settings) -> None:
    path = tmp_path / "empty.csv"
    path.touch()
    options = [path, "--epsilon", 1, "--adjacency", "add-remove-one", "--json"]
    assert run(*options).exit_code == 2
    for more in (["--dimension", 2], ["--columns", "1,2"], ["--dimension", 2, "--no-header"]):
        found = json.loads(run(*options, *more).stdout)
        assert found["columns"] == ["column 1", "column 2"]
        assert "records" not in found


class Bar:
    """What is told how many records there were, in place of the one on the screen."""

    made: list[Bar] = []  # noqa: RUF012 - of the class on purpose

    def __init__(self, *columns: object, **options: Any) -> None:
        self.columns, self.options, self.said = columns, options, []
        self.made.append(self)

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.said.append("end")

    def add_task(self, *words: object, **options: object) -> int:
        """Begin."""
        self.said.append((words, options))
        return 7

    def update(self, task: int, **options: object) -> None:
        """Go on."""
        self.said.append((task, options))


def test_progress_is_shown_on_the_error_output_and_goes_away(file: Path, settings, monkeypatch) -> None:
    monkeypatch.setattr(pca_module, "Progress", Bar)
    monkeypatch.setattr(csv_records, "LINES", 8)
    monkeypatch.setattr(streams, "PIECE_BYTES", 100)
    monkeypatch.setattr(Bar, "made", [])
    options = [file, "--epsilon", 1, "--delimiter", ";", "--header", "--json"]
    for more in ([], ["--no-progress"], ["--progress"]):
        assert json.loads(run(*options, *more).stdout)["records"] == 20
    (bar,) = Bar.made
    assert [type(column) for column in bar.columns] == [SpinnerColumn, TextColumn, TimeElapsedColumn]
    assert bar.options.keys() == {"console", "transient"}
    assert bar.options["console"].stderr
    assert bar.options["transient"] is True
    begin, *told, end = bar.said
    assert begin == (("",), {"total": None})
    assert end == "end"
    assert told[-1] == (7, {"completed": 20})
    counts = [options["completed"] for _, options in told]
    assert counts == sorted(counts)
    assert len(counts) > 1


@pytest.mark.parametrize(("epsilon", "delta", "chosen"), [("1", "0", "k-norm"), ("1/10", "2/5", "gaussian-orthogonal")])
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove-one"])
def test_what_was_chosen_is_in_the_release_and_on_the_screen(
    file: Path, tmp_path: Path, settings, epsilon: str, delta: str, chosen: str, adjacency: str
) -> None:
    """And two processes that sum the records, whoever will release, sum them alike."""
    options = [file, "--epsilon", epsilon, "--delta", delta, "--delimiter", ";", "--header", "--mechanism", "auto"]
    options += ["--adjacency", adjacency]
    alone, shared = (run(*options, "--json", "--workers", workers) for workers in (1, 2))
    assert alone.exit_code == 0, alone.output
    found, other = json.loads(alone.stdout), json.loads(shared.stdout)
    assert found["release"] == other["release"]
    kind = {"k-norm": KNormMechanism, "gaussian-orthogonal": GaussianOrthogonal}[chosen]
    assert found["mechanism"] == kind.name
    assert found["guarantee"]["delta"] == (delta if chosen == "gaussian-orthogonal" else "0")
    choice = resolve(settings[0], 3)[1]
    assert choice is not None
    assert found["choice"] == choice.record()
    assert choice.mechanism == chosen
    assert alone.stderr == f"{choice.words()}\n"
    output = tmp_path / "release.json"
    written = run(*options, "--output", output)
    assert (written.stdout, written.stderr) == ("", f"wrote {output}\n{choice.words()}\n")
    assert json.loads(output.read_text(encoding="utf-8"))["choice"] == choice.record()
    shown = run(*options)
    assert kind.name in shown.stdout
    assert shown.stderr == f"{choice.words()}\n"


def test_what_was_asked_for_by_name_was_not_chosen(file: Path, settings) -> None:
    done = run(file, "--epsilon", 1, "--delimiter", ";", "--header", "--json")
    assert "choice" not in json.loads(done.stdout)
    assert done.stderr == ""


def test_a_choice_that_cannot_be_made_is_refused_before_the_file_is_looked_for(tmp_path: Path) -> None:
    done = run(tmp_path / "missing.csv", "--epsilon", 1, "--mechanism", "auto", "--calibration", "printed")
    assert done.exit_code == 2
    assert done.stderr.startswith("InvalidParameterError: calibration: 'printed' is no choice")
    assert done.stdout == ""
