"""Programs of Python, each run in a fork of one process that has imported what they need.

A suite that starts hundreds of programs would spend most of its time on the same imports. What a fork inherits is
modules, with what they hold after their import: a program whose outcome depends on importing them itself, or on options
of the interpreter, is run in a process of its own instead.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from _pytest.config import default_plugins  # what every run of pytest imports

ROOT = Path(__file__).resolve().parents[1]
OF_RUNS = (
    "pytest",
    *(f"_pytest.{name}" for name in default_plugins),
    *(
        f"dpmatrix.reporting.{name}"
        for name in (
            *("conduct", "environment", "html", "implementations", "intact", "kernel_run", "outcomes", "part"),
            *("record", "restamp", "snapshots", "terminal", "vacuity", "written"),
        )
    ),
)
OF_TOOLS = (
    *OF_RUNS,
    *("numpy", "scipy.stats", "scipy.optimize", "sympy", "mpmath", "sklearn.decomposition", "typer.testing"),
    *("mutation.selection", "mutation.source_campaign", "mutation.source_report", "mutation.report", "mutation.table"),
    *("mutation.explanations", "faults.planted", "rich.console", "rich.progress"),
)


class Warm:
    """A process that has imported some modules, in which nothing else runs, and which forks for each program.

    Parameters
    ----------
    modules
        Names of what it imports.
    folders
        Where it looks for them, beside what is installed.
    """

    def __init__(self, modules: Iterable[str], folders: Iterable[Path] = ()) -> None:
        command = [sys.executable, __file__, json.dumps([*modules]), json.dumps([str(folder) for folder in folders])]
        alone = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a process that forks must have no threads
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | alone
        )

    def end(self) -> None:
        """End the process that forks."""
        self._process.kill()
        self._process.communicate()

    def run(
        self,
        arguments: Iterable[str],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        timeout: float = 300.0,
    ) -> subprocess.CompletedProcess[str]:
        """Run a script, or a module after ``-m``, as the interpreter would with these arguments.

        Raises
        ------
        subprocess.TimeoutExpired
            If it takes longer than ``timeout`` seconds; then no further program can be run.
        """
        arguments = [*arguments]
        with tempfile.TemporaryDirectory() as folder:
            printed = [Path(folder) / name for name in ("out", "err")]
            job = {
                "arguments": arguments,
                "cwd": str(cwd or Path.cwd()),
                "env": dict(os.environ if env is None else env),
                "printed": [str(path) for path in printed],
            }
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            watch = threading.Timer(timeout, self._process.kill)
            watch.start()
            try:
                with contextlib.suppress(BrokenPipeError):
                    self._process.stdin.write(json.dumps(job) + "\n")
                    self._process.stdin.flush()
                code = self._process.stdout.readline()
            finally:
                watch.cancel()
            if not code:
                raise subprocess.TimeoutExpired(arguments, timeout)
            texts = [path.read_text(encoding="utf-8") for path in printed]
        return subprocess.CompletedProcess(arguments, int(code), *texts)


@functools.cache
def tools() -> Warm:
    """Return the process for the scripts of ``audit``; it ends with this one."""
    warm = Warm(OF_TOOLS, [ROOT / "audit"])
    atexit.register(warm.end)
    return warm


@functools.cache
def runs() -> Warm:
    """Return the process for runs of pytest that judge claims; it ends with this one."""
    warm = Warm(OF_RUNS)
    atexit.register(warm.end)
    return warm


def _become(job: Mapping[str, Any]) -> None:
    """Turn this process into the program."""
    os.chdir(job["cwd"])
    os.environ.clear()
    os.environ.update(job["env"])
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    for place, path in enumerate(job["printed"], start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), place)
    first, *rest = job["arguments"]
    searched = job["env"].get("PYTHONPATH", "").split(os.pathsep)
    sys.path[1:1] = [folder for folder in searched if folder]
    if first == "-m":
        sys.argv = rest
        sys.path[0] = job["cwd"]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [first, *rest]
        sys.path[0] = str(Path(first).resolve().parent)
        runpy.run_path(first, run_name="__main__")


def main(modules: list[str], folders: list[str]) -> None:
    """Import, then fork for every line that asks for a program, and answer with its exit code."""
    sys.path[1:1] = folders
    for name in modules:
        importlib.import_module(name)
    del sys.path[1 : 1 + len(folders)]
    gc.collect()
    gc.freeze()  # a fork need not look through all of it when it collects
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _become(json.loads(line))
            sys.exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), json.loads(sys.argv[2]))
