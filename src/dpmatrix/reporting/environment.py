"""Versions and machine facts that a reader needs to repeat a run."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

from dpmatrix.claims.strangers import TRUSTED_BASE

PACKAGES = ("dpmatrix", "python-flint", "numpy", "scipy", "sympy", "mpmath", "hypothesis", "pytest", "scikit-learn")


def environment() -> dict[str, str]:
    """Return package versions, interpreter, platform, core count, and what every statement computes with."""
    facts = {"python": platform.python_version(), "platform": platform.platform(), "cores": str(os.cpu_count())}
    for package in PACKAGES:
        try:
            facts[package] = version(package)
        except PackageNotFoundError:
            facts[package] = "not installed"
    return facts | {"trusted base": ", ".join(TRUSTED_BASE)}
