"""What cannot be judged ends without a verdict: exit code 2 of the command, `NoVerdictError` of the assertion.

Every audit is wrong with probability at most 1e-6, and a repetition is seen in independent outputs with less than 1e-9.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dpmatrix.auditing import PrivacyViolationError, audit_mechanism
from dpmatrix.errors import NoVerdictError
from dpmatrix.privacy.adjacency import Adjacency

MECHANISMS = """
import hashlib, os, sys, time
import numpy as np

STREAM = np.random.default_rng(7)
KEPT = {}
BEGUN = []

def exits(data):
    sys.exit(0)

def leaves(data):
    os._exit(0)

def forgets_to_return(data):
    np.sum(data)

def none_for_a_record(data):
    return None if data[-1].any() else float(np.random.default_rng().laplace())

def begins_without_noise(data, generator):
    noise = generator.laplace(scale=3) if BEGUN else 0.0
    BEGUN.append(None)
    return np.sum(data**2) + noise

def begins_without_noise_on_each(data, generator):
    noise = generator.laplace(scale=3) if data.tobytes() in KEPT else 0.0
    KEPT[data.tobytes()] = True
    return np.sum(data**2) + noise

def begins_slowly_and_without_noise_on_each(data, generator):
    BEGUN.append(None)
    time.sleep(0.003 if len(BEGUN) < 100 else 0)  # so that the first looks see few outputs, as on a busy machine
    return begins_without_noise_on_each(data, generator)

def hangs(data):
    time.sleep(10**6)

def fails(data, size, generator):
    raise ValueError("bad\\ndata")

def noise(scale):
    return np.random.default_rng().laplace(scale=scale)

def is_called_wrongly(data):
    return np.sum(data**2) + noise(scale=1, size=3)

def shape_of_the_data(data, size, generator):
    return generator.laplace(size=(size, 2 if data[-1].any() else 4))

def text(data):
    return "a"

def one_stream(data):
    return np.sum(data**2) + STREAM.laplace(scale=3)

def one_stream_of_batches(data, size, generator):
    return np.sum(data**2) + STREAM.laplace(scale=3, size=size)

def one_stream_of_coins(data, size, generator):
    return (STREAM.random(size) < 0.3).astype(float)

def cached(data):
    if data.tobytes() not in KEPT:
        KEPT[data.tobytes()] = np.sum(data**2) + np.random.default_rng().laplace(scale=3)
    return KEPT[data.tobytes()]

def cached_in_part(data):
    return np.array([cached(data), np.random.default_rng().laplace()])

def seeded_by_the_data(data, size, generator):
    seed = int.from_bytes(hashlib.sha256(data.tobytes()).digest()[:8], "big")
    return np.sum(data**2) + np.random.default_rng(seed).laplace(scale=3, size=size)

def seeded_in_each_call(data):
    return np.sum(data**2) + np.random.default_rng(3).laplace(scale=3)

def without_noise(data):
    return float(np.sum(data**2))

def prints(data, size, generator):
    os.write(1, b"noise from below\\n")
    print("debug", len(data))
    return np.sum(data**2) + generator.laplace(scale=2, size=size)

def kept(data, size, generator):
    return np.sum(data**2) + generator.laplace(scale=2, size=size)

def response(data, size, generator):
    return (generator.random(size) < (0.7 if data[-1].any() else 0.3)).astype(float)

def zero(data):
    return 0.0

def number_of_records(data, size, generator):
    return np.stack([np.full(size, float(len(data))), generator.laplace(size=size)], axis=1)

def hidden_flag(data, size, generator):
    flag = np.full(size, float(data.any()))
    return np.stack([2e7 * (np.sum(data**2) + generator.laplace(scale=2, size=size)), flag], axis=1)

def not_a_number(data, size, generator):
    outputs = generator.laplace(size=size)
    return np.where(generator.random(size) < (0.5 if data[-1].any() else 0.01), np.nan, outputs)

def infinite_or_not_a_number(data, size, generator):
    rare = generator.random(size) < 0.5
    return np.where(rare, np.inf if data[-1].any() else np.nan, generator.laplace(size=size))
"""
SIZES = ["--training", "300", "--confirmation", "4000", "--records", "2", "--dimension", "1", "--seed", "1"]
FASTER = ["--no-learned", *SIZES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("mechanisms")
    (path / "mine.py").write_text(MECHANISMS, encoding="utf-8")
    (path / "leaving.py").write_text(MECHANISMS + "\nsys.exit(0)\n", encoding="utf-8")
    (path / "gone.py").write_text(MECHANISMS + "\nos._exit(0)\n", encoding="utf-8")
    return path


def run(folder: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    name = name if ":" in name else f"mine.py:{name}"
    done = subprocess.run(
        [sys.executable, "-m", "dpmatrix", "audit", name, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not list(folder.glob("*checkpoint*"))
    return done


REASONS = {
    "exits": "calls exit(0)",
    "leaves": "ended in the middle of a call|ends in a call|exited with code 0",
    "leaving.py:kept": "calls exit(0) when it is imported",
    "gone.py:kept": "exited with code 0 in the middle of the audit",
    "forgets_to_return": "returned None",
    "fails": "raised ValueError: bad data (mine.py, line ",
    "is_called_wrongly": "raised TypeError: noise",
    "shape_of_the_data": "have shape",
    "one_stream": "two processes draw the same outputs",
    "one_stream_of_batches": "two processes draw the same outputs",
    "one_stream_of_coins": "two processes draw the same outputs",
    # In one process alone a kept output looks like no noise at all.
    "cached": "drawn once and then kept|every output on the data is the same",
    "cached_in_part": "drawn once and then kept",
    "seeded_by_the_data": "repeat|the same outputs",
    "seeded_in_each_call": "every output on the data is the same",
    "without_noise": "every output on the data is the same",
    "begins_without_noise": "the first output of every process on a data set is the same",
    "begins_without_noise_on_each": "the first output of every process on a data set is the same",
    "begins_slowly_and_without_noise_on_each": "the first output of every process on a data set is the same",
}


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("name", REASONS)
def test_there_is_no_verdict_and_one_line_says_why(folder: Path, name: str, workers: str) -> None:
    done = run(folder, name, *FASTER, "--workers", workers)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("no verdict: ")
    assert any(reason in last for reason in REASONS[name].split("|")), last
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("name", ["begins_without_noise", "begins_without_noise_on_each"])
def test_a_module_that_is_imported_once_has_no_second_beginning(folder: Path, name: str, workers: str) -> None:
    """A form of outputs is chosen in the process of the audit, whose first output then is gone."""
    done = run(folder, f"mine:{name}", *FASTER, "--workers", workers)
    assert done.returncode == 2, done.stdout + done.stderr
    assert REASONS[name] in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_mechanism_that_hangs_is_given_up(folder: Path, workers: str) -> None:
    """The budget is kept but for a fifth and two seconds, and for the start of Python on a busy machine."""
    begin = time.monotonic()
    done = run(folder, "hangs", "--budget", "5s", "--workers", workers)
    assert done.returncode == 2
    assert "no verdict: " in done.stderr
    assert time.monotonic() - begin < 60, "nobody waits for a mechanism that does not return"


@pytest.mark.parametrize("name", ["response", "zero", "kept", "text"])
def test_honest_repetitions_are_no_fault(folder: Path, name: str) -> None:
    done = run(folder, name, *FASTER, "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is not refuted" in done.stdout
    assert "share" not in done.stdout
    for words in ("neighbours by replace-one, n = 2, d = 1, norms at most 1", "pairs", "rounded", "low bits"):
        assert words in done.stdout


def test_what_the_mechanism_prints_is_not_in_the_report(folder: Path) -> None:
    done = run(folder, "prints", *FASTER, "--workers", "2", "--curve", "0.25", "--curve", "2")
    assert done.returncode == 0, done.stderr
    assert "debug" in done.stderr
    assert "debug" not in done.stdout
    assert "noise from below" not in done.stdout
    assert "at epsilon 0.25 delta is at least" in done.stdout
    assert "at epsilon 2 delta is at least" in done.stdout


def test_a_number_of_records_that_is_published_is_found_by_default(folder: Path) -> None:
    done = run(folder, "number_of_records", "--adjacency", "add-remove-one", *FASTER)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the row is deleted" in done.stdout
    assert "the row of the record deleted in" in done.stdout
    kept = run(folder, "number_of_records", "--adjacency", "add-remove-one", "--zero-rows", *FASTER)
    assert kept.returncode == 0, kept.stdout + kept.stderr
    assert "deleted in 0 of the pairs" in kept.stdout


def test_a_flag_beside_large_noise_is_not_rounded_away(folder: Path) -> None:
    done = run(folder, "hidden_flag", *FASTER)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "[1] not" in done.stdout


def test_none_that_tells_a_record_is_a_violation(folder: Path) -> None:
    done = run(folder, "none_for_a_record", *FASTER)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "the output is None" in done.stdout.partition("an output as a vector: ")[2].splitlines()[0]


def test_an_event_about_what_is_not_finite_says_so(folder: Path) -> None:
    done = run(folder, "not_a_number", *FASTER)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NaN" in done.stdout.partition("event: ")[2].splitlines()[0]
    done = run(folder, "infinite_or_not_a_number", *FASTER)
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_result_needs_a_folder_to_go_to(folder: Path) -> None:
    done = run(folder, "kept", *FASTER, "--json", "nowhere/out.json")
    assert done.returncode == 2
    assert "there is no folder nowhere" in done.stderr
    assert not (folder / "nowhere").exists()


def test_a_checkpoint_that_was_left_blocks_nobody(folder: Path) -> None:
    """That of another audit has another name; that of the same one is begun anew, unless it is to be resumed."""
    sizes = ["--no-learned", "--training", "300", "--confirmation", "3000000", *SIZES[4:], "--workers", "1"]
    command = [sys.executable, "-m", "dpmatrix", "audit", "mine.py:kept", *sizes]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if "stage" in line:
            break
    process.kill()
    process.communicate()
    (left,) = folder.glob("*checkpoint*")
    other = subprocess.run(
        [sys.executable, "-m", "dpmatrix", "audit", "mine.py:response", *FASTER],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert other.returncode == 0, other.stderr
    assert list(folder.glob("*checkpoint*")) == [left]
    question = ["--representation", "--training", "200", "--confirmation", "2000", *SIZES[4:], "--workers", "1"]
    bits = subprocess.run([*command[:5], *question], cwd=folder, capture_output=True, text=True, check=False)
    assert "violated by the low bits of the outputs" in bits.stdout
    assert list(folder.glob("*checkpoint*")) == [left]
    again = run(folder, "kept", *FASTER)
    assert again.returncode == 0, again.stderr
    assert "begins anew" in again.stderr


REPLACE = Adjacency.REPLACE_ONE
SMALL = {"epsilon": 1, "adjacency": REPLACE, "records": 2, "dimension": 1, "learned": False, "generator": 1}
QUICK = SMALL | {"seconds": 2, "clock": time.process_time}
CACHE: dict[bytes, float] = {}
SHARED = np.random.default_rng()


def of_a_fixed_stream(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) + _stream().laplace(scale=3, size=size)


_STREAMS: list[np.random.Generator] = []


def _stream() -> np.random.Generator:
    if not _STREAMS:
        _STREAMS.append(np.random.default_rng(7))
    return _STREAMS[0]


def of_a_copied_stream(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    return np.sum(data**2) + SHARED.laplace(scale=3, size=size)


def cached(data: np.ndarray) -> float:
    return CACHE.setdefault(data.tobytes(), float(np.sum(data**2) + np.random.default_rng().laplace()))


def exiting(data: np.ndarray) -> float:
    raise SystemExit(0)


def missing(data: np.ndarray) -> None:
    return None


def broken(data: np.ndarray) -> float:
    return 1 / 0


def stuck(data: np.ndarray) -> float:
    time.sleep(60)
    return 0.0


def private(data: np.ndarray, size: int = 1, generator: np.random.Generator | None = None) -> np.ndarray:
    assert generator is not None
    return np.sum(data**2) + generator.laplace(scale=2, size=size)


def total(data: np.ndarray) -> float:
    return float(data.sum())


@pytest.mark.parametrize("mechanism", [of_a_fixed_stream, cached, exiting, missing, broken, total])
def test_the_assertion_raises_an_error_of_its_own(mechanism) -> None:
    with pytest.raises(NoVerdictError) as caught:
        audit_mechanism(mechanism, **QUICK)
    assert not isinstance(caught.value, AssertionError)


def test_the_assertion_gives_up_what_hangs() -> None:
    begin = time.monotonic()
    with pytest.raises(NoVerdictError):
        audit_mechanism(stuck, **SMALL, seconds=2)
    assert time.monotonic() - begin < 30


def test_copies_of_a_generator_in_forked_workers_are_found() -> None:
    with ProcessPoolExecutor(2) as pool, pytest.raises(NoVerdictError, match="two processes draw the same outputs"):
        audit_mechanism(of_a_copied_stream, **QUICK, executor=pool)


def test_too_little_time_is_no_pass() -> None:
    def slow(data: np.ndarray) -> float:
        time.sleep(0.05)
        return float(np.sum(data**2) + np.random.default_rng().laplace(scale=3))

    with pytest.raises(NoVerdictError, match=r"only .* outputs on each data set"):
        audit_mechanism(slow, **SMALL, seconds=6)


def test_parameters_with_defaults_are_what_their_names_say() -> None:
    result = audit_mechanism(private, **QUICK)
    assert not result.violated
    assert "new processes" not in result.message()


def test_the_assertion_removes_a_row_or_zeroes_it() -> None:
    def counts(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.stack([np.full(size, float(len(data))), generator.laplace(size=size)], axis=1)

    with pytest.raises(PrivacyViolationError, match="the row is deleted"):
        audit_mechanism(counts, **(QUICK | {"adjacency": Adjacency.ADD_REMOVE_ONE}))
    kept = audit_mechanism(counts, **(QUICK | {"adjacency": Adjacency.ADD_REMOVE_ONE, "delete_rows": False}))
    assert "deleted in 0 of the pairs" in kept.message()


def test_a_zero_that_counts_as_a_record_is_none_that_was_removed() -> None:
    def majority(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.sum(np.where(data[:, 0] > 0.5, 1, -1)) + generator.laplace(size=size)

    added = QUICK | {"adjacency": Adjacency.ADD_REMOVE_ONE}
    assert not audit_mechanism(majority, **added).violated
    with pytest.raises(PrivacyViolationError, match="epsilon is at least 1"):
        audit_mechanism(majority, **(added | {"delete_rows": False}))
