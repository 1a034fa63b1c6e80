"""The command line of an audit: its verdicts are exit codes, its findings are replayed, and a kill costs little."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from dpmatrix.commands import audit as command
from dpmatrix.commands.audit import audit_mechanism_command
from dpmatrix.commands.supervision import Job, Outcome
from dpmatrix.documentation import blocks, pages

MECHANISMS = """
import numpy as np
from dpmatrix.mechanisms import LaplaceInputPerturbation

def halved(data):
    return np.sum(data**2) + np.random.default_rng().laplace(scale=0.5)

def from_the_global_generator(data):
    return np.sum(data**2) + np.random.laplace(scale=1.1)

def kept(data, size, generator):
    return np.sum(data**2) + generator.laplace(scale=1.1, size=size)

def cut(data, size, generator):
    return np.sum(data**2) + generator.laplace(scale=0.5, size=size)

def one_output(data, generator):
    return np.sum(data**2) + generator.laplace(scale=0.5)

def failing(data, size, generator):
    return 1 / 0

def four(first, second, third, fourth):
    return 0.0

class Holder:
    inner = LaplaceInputPerturbation(1)

number = 3
"""
COMMAND = (
    "mine.py:noisy_total --epsilon 1 --adjacency replace-one --records 20 --dimension 3 --budget 15s --json out.json"
)
PROGRAM = """
import typer
from dpmatrix.commands.audit import audit_mechanism_command
app = typer.Typer()
app.command()(audit_mechanism_command)
if __name__ == "__main__":
    app()
"""
SMALL = ["--records", "1", "--dimension", "1", "--workers", "1", "--seed", "1"]
CHECKPOINT = "state.checkpoint.json"
SIZED = [*SMALL, "--training", "500", "--confirmation", "20000"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    (tmp_path / "mine.py").write_text(MECHANISMS, encoding="utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(folder: Path, name: str, *arguments: str) -> Result:
    app = typer.Typer()
    app.command()(audit_mechanism_command)
    return CliRunner().invoke(app, [f"{folder}/mine.py:{name}", *arguments])


@pytest.mark.parametrize("name", ["halved", "cut", "one_output"])
def test_a_violation_is_exit_code_1_with_all_that_is_needed_to_see_it_again(folder: Path, name: str) -> None:
    # Events are learned once: that takes most of the time.
    learned = [] if name == "halved" else ["--no-learned"]
    done = run(folder, name, *SIZED, *learned, "--json", "out.json", "--curve", "0.5")
    assert done.exit_code == 1, done.output
    assert "is violated, confidence 1 - 1/1000000" in done.output
    assert "data:\n[[" in done.output
    assert "--replay out.json" in done.output
    record = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    assert record["violated"]
    assert record["counts"]["hits"] > record["counts"]["other_hits"]
    assert [point["epsilon"] for point in record["curve"]] == ["1/2", "1"]
    again = CliRunner().invoke(_app(), ["--replay", "out.json"])
    assert again.exit_code == 1, again.output
    assert "violated" in again.output
    other = CliRunner().invoke(_app(), [f"{folder}/mine.py:kept", "--replay", "out.json"])
    assert other.exit_code == 0, other.output


def _app() -> typer.Typer:
    app = typer.Typer()
    app.command()(audit_mechanism_command)
    return app


@pytest.mark.parametrize("name", ["kept", "from_the_global_generator"])
def test_a_pass_is_exit_code_0_and_says_what_it_means(folder: Path, name: str) -> None:
    done = run(folder, name, *SIZED)
    assert done.exit_code == 0, done.output
    assert "is not refuted" in done.output
    assert "would have been caught with probability 0.99" in done.output
    assert not list(folder.glob("*checkpoint*"))


def test_a_mechanism_of_the_library_is_audited_by_name(folder: Path) -> None:
    arguments = ["--records", "2", "--dimension", "2", "--workers", "1", "--training", "200", "--confirmation", "4000"]
    done = run(folder, "Holder.inner", *arguments)
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("missing", []),
        ("number", []),
        ("Holder", []),
        ("four", []),
        ("failing", []),
        ("kept", ["--epsilon", "0"]),
        ("kept", ["--epsilon", "one"]),
        ("kept", ["--delta", "1"]),
        ("kept", ["--confidence", "1"]),
        ("kept", ["--budget", "soon"]),
        ("kept", ["--budget", "0s"]),
        ("kept", ["--norm-bound", "-1"]),
        ("kept", ["--adjacency", "friends"]),
        ("kept", ["--training", "100"]),
        ("kept", ["--replay", "nowhere.json"]),
        ("kept", ["--no-such-option"]),
    ],
)
def test_wrong_use_is_exit_code_2(folder: Path, name: str, arguments: list[str]) -> None:
    done = run(folder, name, *SMALL, *arguments)
    assert done.exit_code == 2, done.output


@pytest.mark.parametrize("name", ["nowhere:mechanism", "mine.py", ":x", "broken.py:x"])
def test_a_name_that_leads_nowhere_is_exit_code_2(folder: Path, name: str) -> None:
    (folder / "broken.py").write_text("def x(:", encoding="utf-8")
    done = CliRunner().invoke(_app(), [name, *SMALL])
    assert done.exit_code == 2, done.output


def test_the_file_of_the_tutorial_is_refuted_within_a_budget(tmp_path: Path) -> None:
    """Half of the noise is missing: certified after some thousand samples, of which 15 s have many more."""
    page = next(page for page in pages() if page.name == "auditor")
    source = next(block.text for block in blocks(page) if block.file == "mine.py")
    (tmp_path / "mine.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "dpmatrix", "audit", *COMMAND.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert len(source.splitlines()) <= 10
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["epsilon_lower_bound"] > 1


def test_the_budget_is_kept(folder: Path) -> None:
    """A fifth and two seconds more at most, on a clock that starts with the command."""
    begin = time.monotonic()
    done = run(folder, "kept", *SMALL, "--budget", "6s")
    assert time.monotonic() - begin < 6 * 1.2 + 2 + 2, "the two more are for the end of the processes"
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("arguments", "most"),
    [(SIZED, None), ([*SIZED, "--budget", "5m"], 300), (["--records", "1", "--dimension", "1", "--workers", "1"], 60)],
)
def test_who_gives_the_sizes_and_no_budget_waits_for_them(folder: Path, monkeypatch, arguments, most) -> None:
    limits = []

    def stop(job: Job, *, until: float) -> Outcome:
        assert until < job.began + 1.2 * (job.seconds or 24 * 3600) + 3
        limits.append(job.seconds)
        return Outcome(code=130)

    monkeypatch.setattr(command, "supervised", stop)
    assert run(folder, "kept", *arguments).exit_code == 130
    (limit,) = limits
    assert limit == most


def start(folder: Path, workers: int, *more: str) -> subprocess.Popen[str]:
    sizes = ["--no-learned", "--training", "4000", "--confirmation", "800000", "--budget", "10m"]
    command = [sys.executable, "program.py", "mine.py:kept", *SMALL[:4], "--seed", "1", "--workers", str(workers)]
    command += ["--checkpoint", CHECKPOINT]
    return subprocess.Popen(
        [*command, *sizes, "--json", "out.json", *more],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def finished(folder: Path, process: subprocess.Popen[str]) -> dict[str, object]:
    output, _ = process.communicate(timeout=900)
    assert process.returncode == 0, output
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))


def test_kills_at_random_moments_lose_nothing_and_change_nothing(folder: Path) -> None:
    """Eight kills, drawn from a fixed seed; the audit ends with the counts of an undisturbed run.

    A kill comes a moment after some line of progress, so that it strikes every phase however busy the machine is. None
    loses what the checkpoint held: what is explored, the finished stages and the counted chunks never get fewer.
    """
    expected = finished(folder, start(folder, 1))
    moments = random.Random(20160212)
    checkpoint = folder / CHECKPOINT
    kills, progress = 0, (0, 0, 0)
    while kills < 8:
        process = start(folder, 2 if kills % 7 == 6 else 1, "--resume")
        assert process.stdout is not None
        seen = [line for _, line in zip(range(moments.randint(1, 8)), process.stdout, strict=False)]
        time.sleep(moments.uniform(0.0, 0.1))
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        rest, _ = process.communicate(timeout=900)
        assert process.returncode in (0, -signal.SIGKILL), "".join(seen) + rest
        if not checkpoint.exists():
            progress = (0, 0, 0)
            continue
        state = json.loads(checkpoint.read_text(encoding="utf-8"))
        now = (len(state["explored"]), len(state["totals"]), len(state["partial"]))
        assert now >= progress
        progress = now
    last = finished(folder, start(folder, 1, "--resume"))
    assert (last["counts"], last["event"], last["curve"]) == (expected["counts"], expected["event"], expected["curve"])
    assert not checkpoint.exists()


def test_an_interrupt_keeps_what_was_learned_and_an_edit_of_the_mechanism_ends_it(folder: Path) -> None:
    process = start(folder, 1)
    checkpoint = folder / CHECKPOINT
    while not checkpoint.exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.communicate()
    unasked = run(folder, "kept", *SIZED, "--checkpoint", CHECKPOINT)
    assert unasked.exit_code == 2
    assert "--resume" in unasked.output
    (folder / "mine.py").write_text(MECHANISMS + "\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py", "mine.py:kept", *SMALL, "--resume", "--checkpoint", CHECKPOINT],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "another source" in done.stderr
