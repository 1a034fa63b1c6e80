"""The check of all proofs by Rocq: compile every file from its text, and ask what each theorem says and assumes."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import attrs

from dpmatrix.kernel.answers import answers, assumptions, named_type, pinned, questions
from dpmatrix.kernel.sources import LIBRARY, Sources, module_of
from dpmatrix.kernel.theorems import Theorem

MINUTES = 30
"""After so long a file counts as one that does not compile."""

_DEFINED = re.compile(r"^(?:def|ind|rec|class|inst|proj|constr|abbrev) \d+:\d+ <> (?P<name>[\w']+)$", re.MULTILINE)
_OBJECT = re.compile(r"^(?P<kind>\w+) (?P<start>\d+):\d+ (?:\S+) (?P<name>[\w']+)$", re.MULTILINE)
_REFERENCE = re.compile(r"^R(?P<start>\d+):\d+ (?P<module>\S+) <> (?P<name>[\w']+) \w+$", re.MULTILINE)


@attrs.frozen
class Found:
    """What Rocq says of a theorem.

    Parameters
    ----------
    stated
        Its closed type, with nothing abbreviated.
    proposition
        The generated definition that it is about, as Rocq prints its name there; empty where it is about none.
    pin
        Hash of the closed type and of the own definitions that it leads to.
    assumed
        Axioms that it rests on; of a margin, those that some theorem of its file rests on.
    uses
        Own theorems that its proof names.
    """

    stated: str
    proposition: str
    pin: str
    assumed: tuple[str, ...]
    uses: frozenset[str] = frozenset()


@attrs.frozen
class Compiled:
    """What came of compiling all files.

    Parameters
    ----------
    seconds
        How long each took.
    errors
        What Rocq said of those that do not compile, and that others were not tried for that.
    found
        What it says of each theorem, by its full name.
    """

    seconds: Mapping[str, float]
    errors: tuple[str, ...]
    found: Mapping[str, Found]


def installed() -> bool:
    """Whether Rocq is on this machine."""
    return all(shutil.which(program) for program in ("coqc", "coqtop"))


def version() -> str:
    """Return the version of Rocq."""
    done = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=True)  # noqa: S607
    return done.stdout.partition("version ")[2].split()[0]


def packages(wanted: Iterable[str]) -> tuple[str, ...]:
    """Return, as ``name=version``, the packages of this machine that have the names of those wanted.

    A machine without Debian's package manager has none: there Rocq and its libraries are of other origin.
    """
    if not shutil.which("dpkg-query"):
        return ()
    names = [one.partition("=")[0] for one in wanted]
    done = subprocess.run(  # noqa: S603 - no shell, a fixed program
        ["dpkg-query", "-W", "-f", "${Package}=${Version} ${db:Status-Status}\n", *names],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,  # it fails where it does not know one of them
    )
    lines = (line.partition(" ") for line in done.stdout.splitlines())
    return tuple(sorted(package for package, _, status in lines if status == "installed"))


def compile_all(
    sources: Sources, theorems: Iterable[Theorem], tell: Callable[[str], None], *, independent: bool = False
) -> Compiled:
    """Compile every file in an empty folder, and ask about theorems.

    Parameters
    ----------
    sources, theorems
        The files, and the theorems to ask about.
    tell
        Called with one line for each file.
    independent
        Whether a second program reads what was compiled.
    """
    with tempfile.TemporaryDirectory(prefix="kernel-") as name:
        folder = Path(name)
        seconds: dict[str, float] = {}
        errors: dict[str, str] = {}
        for file in sources.order:
            if failed := [other for other in sources.required(file) if other in errors]:
                errors[file] = f"{file}: not tried, since {', '.join(sorted(failed))} does not compile"
                continue
            path = folder / file
            path.parent.mkdir(exist_ok=True)
            path.write_text(sources.texts[file], encoding="utf-8")
            began = time.perf_counter()
            problem = _run(folder, "coqc", file)
            seconds[file] = round(time.perf_counter() - began, 1)
            tell(f"{file}: {seconds[file]} s{' FAILED' if problem else ''}")
            if problem:
                errors[file] = f"{file}: {problem}"
        whole = [file for file in sources.order if file not in errors]
        asked = [theorem for theorem in theorems if theorem.file in whole]
        if independent and (problem := _read_again(folder, whole)):
            errors["coqchk"] = f"coqchk: {problem}"
        return Compiled(seconds, tuple(errors.values()), _ask(folder, whole, asked))


def _environment(folder: Path) -> dict[str, str]:
    """Leave out what would change what Rocq reads or believes."""
    return {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LC_ALL": "C.UTF-8"}


def _run(folder: Path, program: str, file: str) -> str:
    """Compile a file; return what went wrong."""
    command = [program, "-q", "-w", "none", "-R", ".", LIBRARY, file]
    try:
        done = subprocess.run(  # noqa: S603 - no shell, a fixed program
            command, cwd=folder, env=_environment(folder), capture_output=True, text=True, timeout=60 * MINUTES
        )
    except subprocess.TimeoutExpired:
        return f"not compiled in {MINUTES} minutes"
    return "" if done.returncode == 0 else " ".join(done.stderr.split())[:2000] or "no message"


def _read_again(folder: Path, files: Iterable[str]) -> str:
    """Have the independent checker read all modules and what they rest on; return what went wrong."""
    command = ["coqchk", "-silent", "-R", ".", LIBRARY, *map(module_of, files)]
    done = subprocess.run(  # noqa: S603 - no shell, a fixed program
        command, cwd=folder, env=_environment(folder), capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else " ".join(done.stderr.split())[-2000:] or "no message"


def _ask(folder: Path, files: Iterable[str], theorems: Iterable[Theorem]) -> dict[str, Found]:
    files, theorems = tuple(files), tuple(theorems)
    notes = {file: (folder / file).with_suffix(".glob").read_text(encoding="utf-8") for file in files}
    own = {
        f"{module_of(file)}.{match['name']}": match["name"]
        for file, note in notes.items()
        if not file.startswith(("generated/", "margins/"))
        for match in _DEFINED.finditer(note)
    }
    asked = {f"print {name}": f"Print {name}." for name in own}
    for theorem in theorems:
        asked[f"type {theorem.full_name}"] = f"Check @{theorem.full_name}."
        if theorem.proposition:
            asked[f"type {theorem.proposition}"] = f"Check @{theorem.proposition}."
    for number, (key, group) in enumerate(_together(theorems).items()):
        tuple_of_all = functools.reduce(lambda one, other: f"({one}, {other})", (f"@{one.full_name}" for one in group))
        asked[f"axioms {key}"] = f"Definition asked_{number} := {tuple_of_all}.\nPrint Assumptions asked_{number}."
    command = ["coqtop", "-q", "-quiet", "-w", "none", "-R", ".", LIBRARY]
    done = subprocess.run(  # noqa: S603 - likewise
        command,
        cwd=folder,
        env=_environment(folder),
        input=questions(asked, map(module_of, files)),
        capture_output=True,
        text=True,
        timeout=60 * MINUTES,
        check=False,
    )
    told = answers(done.stdout)
    printed: dict[str, str] = {}
    for name, last in own.items():
        printed[last] = f"{printed.get(last, '')}{told.get(f'print {name}', '')}\n"
    uses = {file: _uses(note) for file, note in notes.items()}
    found = {}
    for theorem in theorems:
        _, stated = named_type(told.get(f"type {theorem.full_name}", ""))
        proposition, _ = named_type(told.get(f"type {theorem.proposition}", ""))
        assumed = assumptions(told.get(f"axioms {_group(theorem)}", ""))
        used = uses[theorem.file].get(theorem.name, frozenset())
        found[theorem.full_name] = Found(stated, proposition, pinned(stated, printed), assumed, used)
    return found


def _group(theorem: Theorem) -> str:
    """Return with which others a theorem is asked what it assumes: those about the margins of a file are asked at once.

    Each question reads all libraries again. What one of a group assumes then counts as assumed by all.
    """
    return theorem.file if theorem.proposition else theorem.full_name


def _together(theorems: Iterable[Theorem]) -> dict[str, list[Theorem]]:
    found: dict[str, list[Theorem]] = {}
    for theorem in theorems:
        found.setdefault(_group(theorem), []).append(theorem)
    return found


def _uses(glob: str) -> dict[str, frozenset[str]]:
    """Return the full names that each theorem and definition of a file refers to, from what Rocq notes of it."""
    places = sorted((int(match["start"]), match["name"]) for match in _OBJECT.finditer(glob) if match["kind"] in _KINDS)
    found: dict[str, set[str]] = {name: set() for _, name in places}
    for match in _REFERENCE.finditer(glob):
        before = [name for start, name in places if start <= int(match["start"])]
        if before:
            found[before[-1]].add(f"{match['module']}.{match['name']}")
    return {name: frozenset(used) for name, used in found.items()}


_KINDS = frozenset({"prf", "def", "thm", "inst"})
