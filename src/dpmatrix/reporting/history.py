"""What git knows of a checkout."""

from __future__ import annotations

import subprocess
from pathlib import Path

UNKNOWN = "not known: no checkout"


def git_says(folder: Path, *arguments: str) -> str | None:
    """Return what git says about a folder; None where it refuses, or where there is none."""
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - no shell, a fixed program
        return done.stdout.decode("utf-8") if done.returncode == 0 else None
    except (OSError, UnicodeDecodeError):
        return None


def commit_of(folder: Path) -> str:
    """Return the commit of a checkout, and whether files differ from it."""
    commit, changed = git_says(folder, "rev-parse", "HEAD"), git_says(folder, "status", "--porcelain")
    if commit is None or changed is None:
        return UNKNOWN
    return commit.strip() + (", and files that differ from it" if changed.strip() else "")
