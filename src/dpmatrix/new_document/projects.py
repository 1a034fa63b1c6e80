"""Make a project for a document: statements, catalogue, evidence, and what runs them on every change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined

from dpmatrix import __version__
from dpmatrix.atomic_files import write_atomically
from dpmatrix.errors import InvalidParameterError
from dpmatrix.reporting.restamp import restamp
from dpmatrix.reporting.specifications import fingerprints

FILES: Mapping[str, str] = {
    "README.md": "readme.txt",
    "statements.py": "statements.txt",
    "catalogue.toml": "catalogue.txt",
    "audit/test_theorem_1.py": "audit/test_theorem_1.txt",
    "pytest.ini": "pytest.txt",
    "requirements.txt": "requirements.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/audit.yml": "workflow.txt",
}
"""The files of a project, and what they are made from."""

_NAME = re.compile(r"[a-z][a-z-]*[a-z]")


def name_of(folder: Path) -> str:
    """Return the name of a document in the folder of this name: letters and hyphens."""
    return re.sub(r"[^a-z]+", "-", folder.resolve().name.lower()).strip("-")


def requirement() -> str:
    """Return what the requirements of a project name."""
    return f"dpmatrix[audit]=={__version__}"


def make_project(folder: Path, name: str, title: str) -> list[Path]:
    """Write a project whose example has evidence, with the present fingerprint of its claim.

    Parameters
    ----------
    folder
        Where it goes: a folder that is empty or does not exist.
    name
        What the document is called in ids of claims, such as ``wishart`` in ``wishart.theorem-4``.
    title
        Its title, in one line.

    Returns
    -------
    The files that were written.

    Raises
    ------
    InvalidParameterError
        If the folder is not empty, or the name or the title cannot be used.
    """
    if not _NAME.fullmatch(name):
        raise InvalidParameterError("name", f"{name!r} is no name of a document", "take lower-case letters and hyphens")
    if not title.strip() or not title.isprintable() or {'"', "\\"} & set(title):
        raise InvalidParameterError(
            "title", f"{title!r} cannot stand in quotes", "write it in one line, without quotes"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidParameterError("folder", f"{str(folder)!r} is not empty", "name a folder that does not exist yet")
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701
    source = files("dpmatrix.new_document") / "files"
    for target, template in FILES.items():
        text = environment.from_string((source / template).read_text(encoding="utf-8"))
        write_atomically(folder / target, text.render(name=name, title=title, requirement=requirement()))
    restamp(folder, fingerprints(folder, "statements"))
    return [folder / target for target in FILES]
