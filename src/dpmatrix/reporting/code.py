"""The source of what implements or states a claim, as a reader of the report sees it."""

from __future__ import annotations

import importlib
import inspect
from textwrap import dedent
from typing import Any

from attrs import frozen

LONGEST = 12_000
"""Characters of source that are shown; what is longer is cut and says so."""


@frozen
class Source:
    """Where a class or function stands, and its text.

    Attributes
    ----------
    file
        Path of the file below the package, with the line.
    text
        The source.
    """

    file: str
    text: str


def find(name: str) -> Any | None:  # noqa: ANN401 - a class or a function
    """Return the class or function of a dotted name, or None where it cannot be imported."""
    module_name, _, rest = name.rpartition(".")
    while module_name:
        try:
            thing: Any = importlib.import_module(module_name)
        except ImportError:
            module_name, _, head = module_name.rpartition(".")
            rest = f"{head}.{rest}"
            continue
        for part in rest.split("."):
            thing = getattr(thing, part, None)
        return thing
    return None


def source_of(name: str) -> Source | None:
    """Return the source of a dotted name, or None where there is none to be had."""
    thing = find(name)
    try:
        lines, number = inspect.getsourcelines(inspect.unwrap(thing)) if callable(thing) else ([], 0)
    except (OSError, TypeError):
        return None
    if not lines:
        return None
    text = dedent("".join(lines))
    if len(text) > LONGEST:
        text = text[:LONGEST] + "\n... (cut; the file has the rest)\n"
    module = str(getattr(thing, "__module__", "")).replace(".", "/")
    return Source(f"{module}.py, line {number}", text)
