"""The last run, the accepted one, and the options that commands share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from dpmatrix.claims import Evidence, Ledger, Registry
from dpmatrix.spec import accepted_run, documents

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
LedgerPath = Annotated[Path, typer.Option(help="The ledger of a run; `make audit` writes it.")]
DEFAULT_LEDGER = Path("build/audit/ledger.json")


def read_ledger(path: Path) -> Ledger | None:
    """Read the ledger of a run; None if there is none, or if it is of another specification, which is said.

    Raises
    ------
    BadParameter
        If the file is no ledger.
    """
    if not path.exists():
        return None
    try:
        found = Ledger.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise typer.BadParameter(f"{path} is not a ledger ({error}); run `make audit` to write a new one") from error
    if found.fingerprints and not any(claim.partition(".")[0] in documents() for claim in found.fingerprints):
        typer.echo(f"{path} is the ledger of another specification: it is left aside", err=True)
        return None
    return found


def runnable_evidence(run: Ledger | None, registry: Registry) -> list[Evidence]:
    """Return evidence that a command can run again here: of the last run if it knows all claims, else the accepted one.

    Parameters
    ----------
    run
        The last run, or None.
    registry
        The claims.
    """
    if run is not None and set(registry.claims) <= set(run.fingerprints):
        evidence = list(run.evidence)
    else:
        evidence = [item for recorded in accepted_run().values() for item in recorded.items()]
    present = {file: Path(file).is_file() for file in {item.node.partition("::")[0] for item in evidence}}
    return [item for item in evidence if present[item.node.partition("::")[0]]]
