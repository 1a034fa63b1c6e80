"""Specifications of other projects, found by the name that their `pytest.ini` has for them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def fingerprints(root: Path, name: str) -> dict[str, str]:
    """Return the fingerprint of each claim of a project, as its files are now; no module of it is kept.

    Parameters
    ----------
    root
        Folder of the project, in which its modules are found first.
    name
        The module with the claims, such as ``statements``.

    Raises
    ------
    ModuleNotFoundError
        If there is none of this name.
    """
    first, place = name.partition(".")[0], str(root.resolve())
    before = {key: sys.modules.pop(key) for key in list(sys.modules) if key.partition(".")[0] == first}
    sys.path.insert(0, place)
    try:
        importlib.invalidate_caches()
        return dict(importlib.import_module(name).load().fingerprints)
    finally:
        sys.path.remove(place)
        for key in [key for key in sys.modules if key.partition(".")[0] == first]:
            del sys.modules[key]
        sys.modules |= before
