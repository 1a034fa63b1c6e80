"""What the documents state: one package per document, one module per subject, no implementation.

Every module holds claims as module-level constants; `load` finds them. `catalogue.toml` lists every id that a
claim must exist for, and `standings.json` is the committed outcome of the last accepted run.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import tomllib
from pathlib import Path
from typing import Any

from dpmatrix.claims import Catalogue, Claim, Registry

FOLDER = Path(__file__).resolve().parent
STANDINGS = FOLDER / "standings.json"


def load() -> Registry:
    """Import every module of the specification and collect its claims."""
    claims: list[Claim] = []
    for module in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        content = vars(importlib.import_module(module.name))
        claims += [value for value in content.values() if isinstance(value, Claim)]
    return Registry.of(sorted(claims, key=lambda claim: _order().get(claim.id, len(_order()))))


def _order() -> dict[str, int]:
    return {claim_id: place for place, claim_id in enumerate(catalogue().ids)}


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
