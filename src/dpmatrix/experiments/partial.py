"""Finished pieces of a long run, kept in files, so that a run that was interrupted goes on where it stopped."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

from dpmatrix.atomic_files import write_atomically


class Partial:
    """A folder with one file for each finished piece, and what the run was to be.

    Pieces of another plan are of no use and are thrown away with the first new one.

    Parameters
    ----------
    folder
        Where the pieces are; None keeps nothing.
    plan
        What decides the pieces, but for the seed, as JSON can hold it.
    seed
        Of the run. Where it is None that of the pieces is taken, if there are any.
    fresh
        The seed of a run that has neither.
    """

    def __init__(self, folder: Path | None, plan: dict[str, Any], seed: int | None, fresh: int) -> None:
        self._folder = folder
        before = self._read("plan")
        same = before is not None and before["plan"] == plan and seed in {None, before["seed"]}
        self.resumed = same
        self.seed: int = before["seed"] if before is not None and same else fresh if seed is None else seed
        self._plan = {"plan": plan, "seed": self.seed}

    def found(self, name: str) -> Any | None:  # noqa: ANN401
        """Return a piece, or None."""
        return self._read(name) if self.resumed else None

    def keep(self, name: str, piece: object) -> None:
        """Write a piece down."""
        if self._folder is None:
            return
        if not self.resumed:
            self.clear()
            write_atomically(self._path(self._folder, "plan"), json.dumps(self._plan))
            self.resumed = True
        write_atomically(self._path(self._folder, name), json.dumps(piece))

    def clear(self) -> None:
        """Forget all pieces: the run is complete."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, name: str) -> Any | None:  # noqa: ANN401
        if self._folder is None or not self._path(self._folder, name).is_file():
            return None
        return json.loads(self._path(self._folder, name).read_text(encoding="utf-8"))

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        return folder / f"{re.sub(r'[^a-zA-Z0-9.-]', '_', name)}.json"
