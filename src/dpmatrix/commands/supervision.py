"""A process for the mechanism under audit, and one that watches it: an exit, a crash or a hang is no verdict.

The watching process never imports the mechanism. The other one writes its outcome into a file when it is over; nothing
else that it does, its exit code included, counts as an answer.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from attrs import asdict, frozen

_PROGRAM = "from dpmatrix.commands.audit_process import main; main()"
_GRACE = 10.0
_INTERRUPTED = 130


@frozen(kw_only=True)
class Job:
    """What is to be audited, in plain numbers and texts; the options of the command.

    Attributes
    ----------
    began
        When the command did, by ``time.time``.
    seconds
        That the audit may take from then on; None for all that the sizes take.
    """

    mechanism: str | None
    replay: str | None
    epsilon: str
    delta: str
    adjacency: str
    delete_rows: bool
    records: int
    dimension: int
    norm_bound: float
    pairs: str | None
    data_from: str | None
    domain: str | None
    failure_probability: str
    began: float
    seconds: float | None
    learned: bool | None
    representation: bool
    curve: list[str]
    workers: int
    training: int | None
    confirmation: int | None
    seed: int | None
    checkpoint: str | None
    resume: bool


@frozen(kw_only=True)
class Outcome:
    """How an audit ended.

    Attributes
    ----------
    code
        0: not refuted; 1: violated; 2: no verdict, or wrong use; 130: interrupted.
    report
        For the standard output.
    reason
        For the standard error: why there is no verdict.
    record
        The content of the file that ``--json`` asks for; None without a verdict.
    over
        A checkpoint that is of no use any more.
    """

    code: int
    report: str = ""
    reason: str = ""
    record: str | None = None
    over: str | None = None


def supervised(job: Job, *, until: float) -> Outcome:
    """Run a job in a process of its own, until a time by ``time.time``, and end whatever it started.

    What the mechanism prints goes to the standard error.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "outcome.json"
        path = os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path)
        process = subprocess.Popen(  # noqa: S603 - this interpreter, with a fixed program
            [sys.executable, "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,
        )
        try:
            _write(process, {"answer": str(answer), "job": asdict(job)})
            try:
                process.wait(max(0.0, until - time.time()))
            except KeyboardInterrupt:
                return _interrupted(process, answer)
            except subprocess.TimeoutExpired:
                pass
            return _outcome(answer) or _without_answer(process)
        finally:
            _end(process)


def _write(process: subprocess.Popen[str], message: dict[str, Any]) -> None:
    """Hand over the job; the pipe stays open, and its end tells the process that this one is gone."""
    if process.stdin is not None:
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return  # it has ended without an answer


def _outcome(answer: Path) -> Outcome | None:
    return Outcome(**json.loads(answer.read_text(encoding="utf-8"))) if answer.exists() else None


def _without_answer(process: subprocess.Popen[str]) -> Outcome:
    code = process.poll()
    if code is None:
        return Outcome(code=2, reason="no verdict: the time is over, and the mechanism has not returned")
    how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
    return Outcome(code=2, reason=f"no verdict: the process that ran the mechanism {how} in the middle of the audit")


def _interrupted(process: subprocess.Popen[str], answer: Path) -> Outcome:
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_GRACE)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        return Outcome(code=_INTERRUPTED, reason="interrupted: the mechanism did not return")
    return _outcome(answer) or Outcome(code=_INTERRUPTED, reason="interrupted: nothing was learned")


def _end(process: subprocess.Popen[str]) -> None:
    """End the process and all that it started, which are a session of their own."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    else:
        process.kill()
    process.wait()
    if process.stdin is not None:
        try:
            process.stdin.close()
        except OSError:
            return
