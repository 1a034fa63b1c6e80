"""Reproduced figures and tables in the report, each with the command that makes it."""

from __future__ import annotations

import json
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

MOST_ROWS = 40
"""Of a table that the report shows; longer ones stay in their file."""
MOST_BYTES = 400_000
"""Of a drawing that the report shows."""


@frozen
class Reproduced:
    """What the report shows of a reproduced figure or table.

    Attributes
    ----------
    target
        Its name, such as ``near-optimal.figure-5``.
    command
        What makes it.
    seed, notes
        As its file says; None and empty where nobody has made it.
    drawing
        A data URI of the SVG file, or None.
    columns, rows
        Of a short table.
    """

    target: str
    command: str
    seed: int | None = None
    notes: tuple[str, ...] = ()
    drawing: str | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


def reproduced(targets: Iterable[str], directory: Path) -> list[Reproduced]:
    """Read what was reproduced into a directory; a target that was not keeps its command alone.

    Raises
    ------
    ValueError
        If a file in the directory is no record of a reproduction.
    """
    return [_read(target, directory) for target in targets]


def _read(target: str, directory: Path) -> Reproduced:
    command = f"python -m dpmatrix reproduce {target}"
    record, picture = directory / f"{target}.json", directory / f"{target}.svg"
    if not record.exists():
        return Reproduced(target, command)
    try:
        made = json.loads(record.read_text())
        seed, notes, rows = made["seed"], tuple(made["notes"]), made["rows"]
        options = _options(made)
        columns = tuple(rows[0]) if rows else ()
        words = tuple(tuple(_words(row[name]) for name in columns) for row in rows)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{record} is not the record of a reproduction; make it again: {command}") from error
    drawing = None
    if picture.exists() and picture.stat().st_size <= MOST_BYTES:
        # An image runs no scripts and reaches for nothing outside.
        drawing = f"data:image/svg+xml;base64,{b64encode(picture.read_bytes()).decode()}"
    shown: Sequence[Any] = words if drawing is None and len(words) <= MOST_ROWS else ()
    return Reproduced(target, f"{command} --seed {seed}{options}", seed, notes, drawing, columns, tuple(shown))


def _options(made: Mapping[str, Any]) -> str:
    """Return the options that give a run the parameters and the records that are not the usual ones."""
    chosen = [f" --{name} {','.join(map(str, made['parameters'][name]))}" for name in made.get("own_parameters", ())]
    if data := made.get("own_data"):
        chosen.append(f" --data {shlex.quote(data['file'])} --rank {data['rank']}")
        chosen.append(" --header" if data["header"] else "")
    return "".join(chosen)


def _words(cell: object) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
