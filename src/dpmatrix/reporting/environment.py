"""Commit, time, versions and machine facts that a reader needs to repeat a run."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dpmatrix.claims.strangers import TRUSTED_BASE
from dpmatrix.reporting.history import commit_of

PACKAGES = ("dpmatrix", "python-flint", "numpy", "scipy", "sympy", "mpmath", "hypothesis", "pytest", "scikit-learn")


_FIRST = {"commit": "commit", "finished": "finished", "dpmatrix": "version of dpmatrix", "python": "version of Python"}


def environment(root: Path) -> dict[str, str]:
    """Return what identifies a run that ends now, and what every statement computed with.

    Parameters
    ----------
    root
        The checkout whose commit it is.

    Returns
    -------
    The commit and the time, package versions, interpreter, platform, core count, and the trusted base.
    """
    now = datetime.datetime.now(datetime.UTC)
    facts = {"commit": commit_of(root), "finished": f"{now:%Y-%m-%d %H:%M} UTC"}
    facts |= {"python": platform.python_version(), "platform": platform.platform(), "cores": str(os.cpu_count())}
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts | {"trusted base": ", ".join(TRUSTED_BASE)}


def run_facts(facts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what tells a run from others, named as a first page does; an old ledger may not have all of it."""
    return [(words, facts[name]) for name, words in _FIRST.items() if name in facts]
