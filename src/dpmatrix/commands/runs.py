"""The last run, and the evidence that exists without one."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.claims import Evidence, Ledger

LedgerPath = Annotated[Path, typer.Option(help="The ledger of a run; `make audit` writes it.")]
DEFAULT_LEDGER = Path("build/audit/ledger.json")


def read_ledger(path: Path) -> Ledger | None:
    """Read the ledger of a run; None if there is none.

    Raises
    ------
    BadParameter
        If the file is no ledger.
    """
    if not path.exists():
        return None
    try:
        return Ledger.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise typer.BadParameter(f"{path} is not a ledger ({error}); run `make audit` to write a new one") from error


def declared_evidence() -> list[Evidence]:
    """Ask pytest which evidence exists, when the checkout is at hand."""
    if not Path("audit").is_dir():
        return []
    with tempfile.TemporaryDirectory() as folder:
        listing = Path(folder) / "declared.json"
        command = [sys.executable, "-m", "pytest", "audit", "--collect-only", "-q", "--declared-evidence", str(listing)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - a fixed command
        if not listing.exists():
            typer.echo(f"the evidence could not be collected:\n{done.stdout[-2000:]}{done.stderr[-2000:]}", err=True)
            return []
        return [Evidence.from_json(record) for record in json.loads(listing.read_text(encoding="utf-8"))]
