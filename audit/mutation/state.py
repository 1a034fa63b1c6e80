"""The fates of mutants in a file, so that a run goes on where another one stopped."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any, TypeAlias

import attrs

from dpmatrix.atomic_files import write_atomically

FORMAT = "fates of mutants, 1"
PAUSE = 10.0
"""Seconds between two writes: the whole file is written anew."""

Fate: TypeAlias = dict[str, Any]


class StateError(ValueError):
    """The file is no whole record of fates of this specification, or another run has changed it."""


def _dump(specification: str, fates: dict[str, Fate]) -> str:
    body = json.dumps(fates, sort_keys=True, indent=0)
    digest = hashlib.sha256(f"{FORMAT}\n{specification}\n{body}".encode()).hexdigest()
    head = json.dumps({"format": FORMAT, "specification": specification, "digest": digest})
    return f"{head}\n{body}\n"


def _parse(text: str, specification: str, path: Path) -> dict[str, Fate]:
    head_line, _, body = text.partition("\n")
    try:
        head = json.loads(head_line)
        fates: Any = json.loads(body)
    except ValueError as error:
        raise StateError(f"{path} is not a whole file of fates ({error}); name another one, or remove it") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise StateError(f"{path} is of another format than '{FORMAT}'; name another one, or remove it")
    if head.get("specification") != specification:
        raise StateError(f"{path} is about {head.get('specification')!r}, and not about {specification!r}")
    if not isinstance(fates, dict) or _dump(specification, fates) != text:
        raise StateError(f"{path} was changed after it was written; name another one, or remove it")
    return dict(fates)


@attrs.define
class State:
    """Fates by the name of the mutant, each with the digest of what it was judged against.

    Parameters
    ----------
    path
        The file; None keeps nothing.
    specification
        What is mutated.
    """

    path: Path | None
    specification: str
    fates: dict[str, Fate] = attrs.field(factory=dict)
    _written: str | None = attrs.field(default=None, init=False)
    _next: float = attrs.field(default=0.0, init=False)

    @classmethod
    def read(cls, path: Path | None, specification: str) -> State:
        """Read the file; one that does not exist holds no fates.

        Raises
        ------
        StateError
            If it is half written, changed by hand, or about something else.
        """
        state = cls(path, specification)
        if path is not None and path.exists():
            text = path.read_text(encoding="utf-8", errors="replace")
            state.fates = _parse(text, specification, path)
            state._written = text
        return state

    def known(self, name: str, against: str) -> Fate | None:
        """Return the fate of a mutant, if it was judged against the same."""
        fate = self.fates.get(name)
        return fate if fate is not None and fate["against"] == against else None

    def due(self) -> bool:
        """Whether it is time to write."""
        return self.path is not None and time.monotonic() >= self._next

    def write(self) -> None:
        """Write all fates.

        Raises
        ------
        StateError
            If the file is not the one that was read or written last.
        """
        if self.path is None:
            return
        present = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else None
        if present != self._written:
            raise StateError(f"another run has written {self.path} meanwhile; give each run a file of its own")
        text = _dump(self.specification, self.fates)
        write_atomically(self.path, text, "state")
        self._written = text
        self._next = time.monotonic() + PAUSE
