"""What the documents state: one package per document, one module per subject, no implementation.

Every module holds claims as module-level constants; `load` finds them. `catalogue.toml` lists every id that a
claim must exist for, and `standings.json` is the committed outcome of the last accepted run.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.claims import Catalogue, Claim, Recorded, Registry, claim_of, nearest, read_snapshot
from dpmatrix.claims.traced import Traces
from dpmatrix.claims.tried import Tried
from dpmatrix.errors import UnknownClaimError

FOLDER = Path(__file__).resolve().parent
STANDINGS = FOLDER / "standings.json"
TRIED = FOLDER / "tried.json"
"""What the last trials found; what was only noticed by items outside `proofs_checks` counts as unnoticed so far."""
TRACED = FOLDER / "traced.json"
"""Which statements have an exact expression, as `python -m dpmatrix trace --keep` last found."""
EXAMPLES = FOLDER / "examples.json"
"""A point of most statements that their evidence meets, as `audit/examples.py` last found it."""
_CLAIM_ID = re.compile(r'    id="(?P<id>[a-z0-9.-]+)",')


def load() -> Registry:
    """Import every module of the specification and collect its claims."""
    claims: list[Claim] = []
    for module in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        content = vars(importlib.import_module(module.name))
        claims += [value for value in content.values() if isinstance(value, Claim)]
    order = {claim_id: place for place, claim_id in enumerate(catalogue().ids)}
    return Registry.of(sorted(claims, key=lambda claim: order.get(claim.id, len(order))))


@frozen
class Place:
    """Where a claim is specified.

    Attributes
    ----------
    module
        Dotted name of the module.
    file
        Path of its file, below the folder that holds `spec`.
    line
        Number of the line with the claim's id, counted from 1.
    """

    module: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@cache
def places() -> Mapping[str, Place]:
    """Find where each claim is specified, by its text: nothing is imported."""
    found = {}
    for path in sorted(FOLDER.rglob("*.py")):
        inside = path.relative_to(FOLDER)
        module = ".".join((__name__, *inside.with_suffix("").parts))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = _CLAIM_ID.fullmatch(line)
            if match is not None:
                found[match["id"]] = Place(module, f"spec/{inside.as_posix()}", number)
    return found


def load_with_foundations(*claim_ids: str) -> Registry:
    """Import claims and all that they rest on, and no other module of the specification.

    Raises
    ------
    UnknownClaimError
        If there is no such claim; it names the nearest ids and documents.
    """
    found: dict[str, Claim] = {}
    waiting = list(claim_ids)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        if name not in places():
            raise UnknownClaimError(name, nearest(name, (*documents(), *catalogue().ids)))
        content = vars(importlib.import_module(places()[name].module))
        found[name] = next(value for value in content.values() if isinstance(value, Claim) and value.id == name)
        waiting += [claim_of(use) for use in found[name].uses]
    return Registry(found)


def documents() -> dict[str, str]:
    """Return the title of each document by its name."""
    return {name: entry["title"] for name, entry in _read_catalogue().items()}


def _read_catalogue() -> dict[str, dict[str, Any]]:
    return tomllib.loads((FOLDER / "catalogue.toml").read_text(encoding="utf-8"))


def catalogue() -> Catalogue:
    """Read the list of ids that need a claim, and which of them are declared as not begun."""
    ids: list[str] = []
    pending: set[str] = set()
    for document, entry in _read_catalogue().items():
        labels = [f"{document}.{label}" for label in entry["labels"]]
        ids += labels
        if entry["pending"] is True:
            pending.update(labels)
        elif entry["pending"]:
            pending.update(f"{document}.{label}" for label in entry["pending"])
    return Catalogue(tuple(ids), frozenset(pending))


def committed_standings() -> dict[str, dict[str, Any]]:
    """Read the committed snapshot of standings; empty when there is none."""
    if not STANDINGS.exists():
        return {}
    record: dict[str, dict[str, Any]] = json.loads(STANDINGS.read_text(encoding="utf-8"))
    return record


def accepted_run() -> Mapping[str, Recorded]:
    """Read the committed snapshot of the last accepted run; empty when there is none.

    Raises
    ------
    SnapshotError
        If the file is no snapshot.
    """
    return read_snapshot(STANDINGS.read_text(encoding="utf-8"), STANDINGS.name) if STANDINGS.exists() else {}


def tried() -> Tried | None:
    """Read what was tried on the statements when that was last done; None if it never was."""
    return Tried.from_json(json.loads(TRIED.read_text(encoding="utf-8"))) if TRIED.exists() else None


def traced() -> Traces | None:
    """Read which statements have an exact expression, as it was last found; None if it never was."""
    return Traces.from_json(json.loads(TRACED.read_text(encoding="utf-8"))) if TRACED.exists() else None


def examples() -> Mapping[str, str]:
    """Read a point of each statement that has one, by its name, as ``dpmatrix claims ID --at`` reads it."""
    found: dict[str, str] = json.loads(EXAMPLES.read_text(encoding="utf-8")) if EXAMPLES.exists() else {}
    return found
