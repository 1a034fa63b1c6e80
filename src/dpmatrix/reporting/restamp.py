"""Rewrite the fingerprints in citations after they have been reviewed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from dpmatrix.atomic_files import write_atomically

FOLDERS = ("src", "audit", "tests", "proofs_checks")
_QUOTED = re.compile(r"\"(?P<target>(?P<claim>[a-z-]+\.[a-z0-9-]+)(?:\+repair|/[a-z0-9-]+)?)@[0-9a-z]*\"")


def restamp(root: Path, fingerprints: Mapping[str, str]) -> dict[Path, int]:
    """Replace the fingerprint in every citation of the given claims.

    Parameters
    ----------
    root
        The checkout; Python files under src, audit, tests and proofs_checks are rewritten.
    fingerprints
        The present fingerprint of each claim to restamp.

    Returns
    -------
    dict
        The number of citations changed in each file that changed.
    """
    changed: dict[Path, int] = {}
    for path, text in _files(root):
        count = 0

        def replace(match: re.Match[str]) -> str:
            nonlocal count
            if match["claim"] not in fingerprints:
                return match[0]
            stamped = f'"{match["target"]}@{fingerprints[match["claim"]]}"'
            count += stamped != match[0]
            return stamped

        stamped_text = _QUOTED.sub(replace, text)
        if count:
            write_atomically(path, stamped_text)
            changed[path] = count
    return changed


def citations(root: Path, claims: Collection[str]) -> int:
    """Count the citations of some claims in the files that `restamp` rewrites."""
    return sum(match["claim"] in claims for _, text in _files(root) for match in _QUOTED.finditer(text))


def _files(root: Path) -> Iterator[tuple[Path, str]]:
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            yield path, path.read_text(encoding="utf-8")
