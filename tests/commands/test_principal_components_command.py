"""``dpmatrix pca``: what it publishes, what it refuses, and that nothing half-written is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from dpmatrix.__main__ import app
from dpmatrix.commands import readers
from dpmatrix.commands.pca import Choice
from dpmatrix.errors import WorkerLostError
from dpmatrix.files import splitting
from dpmatrix.mechanisms import LaplaceInputPerturbation, LatticeGram
from dpmatrix.mechanisms.choice import AUTO
from dpmatrix.mechanisms.menu import DIRECTIONS, MATRICES
from dpmatrix.mechanisms.partitions import sum_partitions
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.spec import load

RECORDS = np.random.default_rng(8).uniform(-0.5, 0.5, (40, 3))
DELTAS = {"gaussian": "1e-6", "gaussian-orthogonal": "1e-6", "mod-sulq": "1e-6"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    path.write_text("a,b,c\n" + "\n".join(",".join(map(repr, row)) for row in RECORDS.tolist()), encoding="utf-8")
    return path


def run(*arguments: object):
    """Run the command on the file of the fixture, whose first line names the columns, or on another."""
    named = (
        [] if {"--no-header", "--header"} & set(arguments) or "records.csv" not in str(arguments[0]) else ["--header"]
    )
    bound = [] if "--norm-bound" in arguments else ["--norm-bound", "1"]
    return CliRunner().invoke(app, ["pca", *map(str, arguments), *named, *bound])


def test_names_are_those_of_the_menu() -> None:
    assert {choice.value for choice in Choice} == {AUTO, *MATRICES, *DIRECTIONS}


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
    assert (found["norm_bound"], found["over_norm"], found["calibration"]) == ("1", "clip", "tight")
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
    if mechanism not in DIRECTIONS:
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
    monkeypatch.setattr("dpmatrix.files.csv_records.LINES", 7)
    monkeypatch.setattr("dpmatrix.files.streams.PIECE_BYTES", 700)
    original = LatticeGram.integers

    def recorded(gram: LatticeGram):
        matrix = original(gram)
        # The mechanism adds its noise in place.
        seen.append((gram.count, matrix.copy()))
        return matrix

    monkeypatch.setattr(LatticeGram, "integers", recorded)
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


def test_longer_records_are_clipped_and_refused_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("1,0\n0,1\n3,4\n", encoding="utf-8")
    done = run(path, "--epsilon", 1, "--no-clip")
    assert done.exit_code == 2
    assert "long.csv: a record is longer than 1; no guarantee covers this refusal: choose --norm-bound" in done.stderr
    assert "which costs no privacy" in done.stderr
    for more in ([], ["--clip"], ["--no-clip", "--norm-bound", 5]):
        assert run(path, "--epsilon", 1, *more).exit_code == 0


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
    assert "2.09 times what its guarantee needs" in done.stderr
    assert "wishart.theorem-3" in done.stderr


def test_an_interrupt_leaves_the_old_file_alone(tmp_path: Path) -> None:
    output = tmp_path / "release.json"
    output.write_text("old", encoding="utf-8")
    command = [sys.executable, "-m", "dpmatrix", "pca", "-", "--epsilon", "1", "--norm-bound", "1"]
    command += ["--output", str(output), "--overwrite"]
    # A run in the background of a shell ignores interrupts, and its children inherit that.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, preexec_fn=heed, **pipes)
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
    command = [sys.executable, "-m", "dpmatrix", "pca", "-", "--epsilon", "1", "--norm-bound", "1", "--json"]
    done = subprocess.run([*command, "--header"], input=file.read_bytes(), capture_output=True, check=True)
    assert json.loads(done.stdout)["records"] == 40
    assert done.stderr == b""
    done = subprocess.run(command, input=b"1,\xff\n0,1\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert b"line 1, column 2" in done.stderr


@pytest.fixture(scope="module")
def cluster():
    """Start a scheduler and two workers, processes of this machine."""
    distributed = pytest.importorskip("distributed", reason="a cluster is an extra of its own")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as started:
        yield started


# With this epsilon and so small a grid the noise is far below the numbers that are compared.
EXACT = ["--epsilon", "1e9", "--mechanism", "laplace", "--json"]


def matrix(done) -> np.ndarray:
    assert done.exit_code == 0, done.output
    release = json.loads(done.stdout)["release"]
    return np.array(release["integers"], dtype=float) * float(Fraction(release["grid"]))


def test_processes_release_what_one_does(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(splitting, "PART_BYTES", 500)
    assert len(splitting.split_records(str(file), header=True, workers=2).parts) > 4
    done = run(file, *EXACT, "--workers", 2, "--progress")
    assert np.allclose(matrix(done), RECORDS.T @ RECORDS / 40, atol=1e-5)
    assert json.loads(done.stdout)["records"] == 40
    assert set(json.loads(done.stdout)) == set(json.loads(run(file, *EXACT).stdout))


def test_processes_name_the_line(file: Path, tmp_path: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    lines[25] = "0.1,oops,0.1"
    file.write_text("\n".join(lines), encoding="utf-8")
    output = tmp_path / "release.json"
    done = run(file, "--epsilon", 1, "--workers", 2, "--output", output)
    assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
    assert "line 26, column 2 ('b'): it is not a finite number" in done.stderr
    assert "oops" not in done.stderr
    assert not output.exists()


def test_processes_leave_an_interrupt_to_the_command() -> None:
    before = signal.getsignal(signal.SIGINT)
    with readers.readers(2, None) as (pool, workers):
        assert workers == 2
        assert pool.submit(signal.getsignal, signal.SIGINT).result() == signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before

    def interrupted() -> None:
        with readers.readers(2, None) as (pool, _):
            for _ in range(3):
                pool.submit(time.sleep, 600)
            raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    # What was under way is ended, not waited for.
    assert time.monotonic() - start < 300


def test_a_process_that_dies_is_one_line(file: Path, tmp_path: Path) -> None:
    """A part of the file that ends the process which receives it; nothing is released."""
    output = tmp_path / "release.json"
    program = (
        "import os, sys\n"
        "from dpmatrix.files.parts import FilePart\n"
        "import dpmatrix.commands.pca, dpmatrix.__main__, multiprocessing\n"
        "FilePart.__reduce__ = lambda part: (os._exit, (9,))\n"
        "if __name__ == '__main__':\n"
        "    sys.argv[0] = 'dpmatrix'\n"
        "    dpmatrix.__main__.main()\n"
    )
    script = tmp_path / "broken.py"
    script.write_text(program, encoding="utf-8")
    arguments = ["pca", str(file), "--header", "--epsilon", "1", "--norm-bound", "1"]
    arguments += ["--workers", "2", "--output", str(output)]
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["WorkerLostError: a worker ended before its part of the records was summed"]
    assert not output.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "2", "--cluster", "tcp://127.0.0.1:1"], "pass --workers or --cluster"),
        (["--workers", "0"], "workers"),
    ],
)
def test_who_reads_is_one_or_the_other(file: Path, options, words: str) -> None:
    done = run(file, "--epsilon", 1, *options)
    assert done.exit_code == 2
    assert words in done.stderr


def test_the_standard_input_is_read_by_one() -> None:
    done = run("-", "--epsilon", 1, "--workers", 2)
    assert done.exit_code == 2
    assert "cannot be cut into parts" in done.stderr


def test_without_distributed_the_extra_is_named(file: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run(file, "--epsilon", 1, "--cluster", "tcp://127.0.0.1:1")
    assert done.exit_code == 2
    assert done.stderr.startswith("MissingExtraError: distributed is not installed; install dpmatrix[cluster], ")
    assert done.stderr.endswith('pip install -e ".[cluster]"\n')


def test_help_says_who_must_be_trusted() -> None:
    told = " ".join(CliRunner().invoke(app, ["pca", "--help"], env={"COLUMNS": "200"}).stdout.split())
    assert "WITHOUT NOISE" in told
    assert "trust all of them" in told


def test_a_cluster_releases_what_one_process_does(file: Path, cluster, monkeypatch) -> None:
    monkeypatch.setattr(splitting, "PART_BYTES", 500)
    done = run(file, *EXACT, "--cluster", cluster.scheduler_address)
    assert np.allclose(matrix(done), RECORDS.T @ RECORDS / 40, atol=1e-5)
    file.write_text(file.read_text(encoding="utf-8") + "\n0.1,0.1,7\n", encoding="utf-8")
    done = run(file, "--epsilon", 1, "--no-clip", "--cluster", cluster.scheduler_address)
    assert done.exit_code == 2
    assert "a record is longer than 1" in done.stderr


def test_a_cluster_that_cannot_be_used(file: Path, cluster, monkeypatch) -> None:
    monkeypatch.setattr(readers, "CONNECT_SECONDS", 1)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "tcp://nowhere.invalid:8786"):
        done = run(file, "--epsilon", 1, "--cluster", address)
        assert (done.exit_code, len(done.stderr.splitlines())) == (2, 1)
        assert f"no scheduler answers at {address!r}" in done.stderr
    monkeypatch.setattr(readers, "__version__", "0")
    done = run(file, "--epsilon", 1, "--cluster", cluster.scheduler_address)
    assert done.exit_code == 2
    assert "install the same version everywhere" in done.stderr
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as idle:
        done = run(file, "--epsilon", 1, "--cluster", idle.scheduler_address)
    assert done.exit_code == 2
    assert "it has no workers" in done.stderr


def test_a_cluster_that_loses_a_worker(cluster) -> None:
    """Its scheduler tries again elsewhere; a part that ends whoever reads it ends the release."""
    entropy = SeededEntropy(1)
    mechanism = LaplaceInputPerturbation(1)
    deadly = SimpleNamespace(blocks=partial(os._exit, 9))

    def attempt() -> None:
        with readers.readers(1, cluster.scheduler_address) as (pool, workers):
            sums = sum_partitions(mechanism, [deadly], 3, executor=pool, workers=workers)
            mechanism.release_blocks(sums, 3, entropy=entropy)

    with pytest.raises(WorkerLostError):
        attempt()
    assert entropy.bits(64) == SeededEntropy(1).bits(64)
