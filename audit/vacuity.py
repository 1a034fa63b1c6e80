"""Run the evidence on emptied statements, and look at each hypothesis alone; write what was noticed beside the claims.

Run as ``python audit/vacuity.py``. Each statement stands with 0, 1, -1 and the sign of its own margin in its place in
turn: some item of evidence about it must notice. The exit code is 0 only if each replacement of each statement is
noticed, or explained in ``vacuity_survivors.toml`` next to this file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims.ledger import dump
from dpmatrix.claims.tried import Tried
from dpmatrix.reporting.vacuity import MARGINS
from dpmatrix.spec import TRIED, load

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", nargs="+", default=[], metavar="ID", help="these claims alone, by their files")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--survivors", type=Path, default=HERE / "vacuity_survivors.toml", help="the explanations")
    return parser.parse_args()


def _run(folder: Path, paths: Iterable[str], workers: int, *options: str) -> dict[str, Any]:
    """Run evidence with an option of the plugin, and return what it wrote."""
    written = folder / "tried.json"
    written.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider", "--no-header"]
    done = subprocess.run(
        [*command, *options, "--tried", str(written), *paths], cwd=ROOT, capture_output=True, text=True
    )
    if not written.exists():
        raise SystemExit(f"no answer from {' '.join(options)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
    return found


def _paths(claims: Iterable[str]) -> list[str]:
    """Files that hold evidence of these claims, or all of it."""
    words = [f'"{claim}@' for claim in claims] or ["= cite(", ".evidence("]
    files = [path for folder in ("proofs_checks", "tests", "audit") for path in (ROOT / folder).rglob("test_*.py")]
    named = [path for path in files if any(word in path.read_text(encoding="utf-8") for word in words)]
    return sorted(str(path.relative_to(ROOT)) for path in named)


def main() -> int:
    """Run, write, print, and return the exit code."""
    arguments = _arguments()
    paths = _paths(arguments.claims)
    with tempfile.TemporaryDirectory() as name:
        runs = {kind: _run(Path(name), paths, arguments.workers, "--margins", kind) for kind in MARGINS}
        hypotheses = _run(Path(name), paths, arguments.workers, "--hypotheses")
    registry = load()
    tried = Tried.of(registry, {kind: run["evidence"] for kind, run in runs.items()}, hypotheses["needs"])
    if not arguments.claims:
        write_atomically(TRIED, dump(tried.to_json()))
    reasons: Mapping[str, Mapping[str, str]] = tomllib.loads(arguments.survivors.read_text(encoding="utf-8"))
    wanted = [claim.id for claim in registry if not arguments.claims or claim.id in arguments.claims]
    problems = tried.problems(wanted, reasons, whole=not arguments.claims)
    print(tried.summary(wanted))
    print(*problems, sep="\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
