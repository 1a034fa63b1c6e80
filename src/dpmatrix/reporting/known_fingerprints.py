"""Fingerprints that were computed before, for commands that only look something up.

To compute all of them takes most of a second or two: each reads the source of whatever a statement names. They depend
on nothing but that source. So they are kept beside the specification, with a digest of every file that can matter, and
count only while the files are those. The gate never reads them.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import flint

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import Registry
from dpmatrix.claims.ledger import dump
from dpmatrix.spec import STANDINGS

KNOWN = STANDINGS.with_name("fingerprints.json")
_PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = (STANDINGS.parent, _PACKAGE / "privacy", _PACKAGE / "claims", _PACKAGE / "exact.py", _PACKAGE / "errors.py")
"""Whatever a fingerprint can depend on: the specification, the trusted base, and what describes a claim."""


def sources_digest(sources: tuple[Path, ...] = SOURCES) -> str:
    """Return a hash of the names and contents of all Python files in files and folders."""
    digest = hashlib.sha256()
    for source in sources:
        files = [source] if source.is_file() else sorted(source.rglob("*.py"))
        for file in files:
            content = file.read_bytes()
            digest.update(f"{file.relative_to(source.parent).as_posix()} {len(content)}\n".encode())
            digest.update(content)
    return digest.hexdigest()


def computed_with() -> str:
    """Return the versions that may write the same source or constant in other words."""
    return f"Python {'.'.join(platform.python_version_tuple()[:2])}, python-flint {flint.__version__}"


def keep(registry: Registry, path: Path = KNOWN) -> None:
    """Compute the fingerprints of all claims and write them down.

    Parameters
    ----------
    registry
        All claims.
    path
        The file.
    """
    record = {"sources": sources_digest(), "with": computed_with(), "fingerprints": dict(registry.fingerprints)}
    write_atomically(path, dump(record))


def known_fingerprints(*, exactly: bool, path: Path = KNOWN) -> Mapping[str, str]:
    """Return what was kept, where it was computed from the files that are here; empty otherwise.

    Parameters
    ----------
    exactly
        Whether versions have to be the same as well: so where fingerprints of a run on this machine are compared. The
        accepted run is compared with the files, whatever reads them now.
    path
        The file.
    """
    try:
        record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        current = record["sources"] == sources_digest() and (not exactly or record["with"] == computed_with())
        return dict(record["fingerprints"]) if current else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
