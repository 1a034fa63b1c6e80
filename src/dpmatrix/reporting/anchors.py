"""Names of places in the report: letters, digits and hyphens, whatever the things are called."""

from __future__ import annotations

import hashlib


def anchor(kind: str, name: str) -> str:
    """Return the id of a section, such as ``evidence-0a1b2c3d4e``."""
    return f"{kind}-{hashlib.sha256(name.encode()).hexdigest()[:10]}"
