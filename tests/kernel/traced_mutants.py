"""Trace statements in copies of their modules in which a constant is changed; run as a program of its own.

It reads a list of module, text and statement in JSON, and writes what each proposition is then, or why there is none.
Each mutant has a process of its own, forked before any module of the specification was imported.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
from importlib.abc import MetaPathFinder
from pathlib import Path

from dpmatrix.claims import claim_of
from dpmatrix.kernel.propositions import proposition


class Exchanged(MetaPathFinder):
    """Finds one module in another file."""

    def __init__(self, name: str, file: Path) -> None:
        self.name, self.file = name, file

    def find_spec(self, fullname, *_):
        """Answer for the one module only."""
        return importlib.util.spec_from_file_location(fullname, self.file) if fullname == self.name else None


def traced(module: str, file: Path, statement: str) -> str:
    """Return the proposition of a statement where a module has another text."""
    sys.meta_path.insert(0, Exchanged(module, file))
    from dpmatrix.spec import load_with_foundations

    try:
        return proposition(load_with_foundations(claim_of(statement))[claim_of(statement)].statements()[statement]).text
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Answer for every mutant."""
    sys.dont_write_bytecode = True
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (module, text, statement) in enumerate(json.load(sys.stdin)):
            file, answer = Path(folder, f"mutant_{number}.py"), Path(folder, f"answer_{number}")
            file.write_text(text, encoding="utf-8")
            child = os.fork()
            if child == 0:
                answer.write_text(traced(module, file, statement), encoding="utf-8")
                os._exit(0)
            os.waitpid(child, 0)
            found.append(answer.read_text(encoding="utf-8"))
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
