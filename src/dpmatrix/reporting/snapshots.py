"""The snapshot to compare a run with: the committed one, or an older one that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dpmatrix.claims import Changes, Ledger, Origin, Recorded, changes, read_snapshot
from dpmatrix.errors import SnapshotError
from dpmatrix.reporting.history import git_says


def changes_since(ledger: Ledger, path: Path, since: str | None = None) -> Changes:
    """Compare a run with a snapshot.

    Parameters
    ----------
    ledger
        The run.
    path
        Where the specification keeps its snapshot.
    since
        A revision, or a file; by default the snapshot as it was last committed, or the file where there is no history.

    Raises
    ------
    SnapshotError
        If ``since`` is neither, or holds no snapshot. Without it a missing or broken snapshot is a problem that the
        answer names.
    """
    if since is not None:
        return changes(ledger, *_asked(since, path))
    try:
        return changes(ledger, *_committed(path))
    except SnapshotError as error:
        return changes(ledger, {}, Origin(path.name, problem=str(error)))


def _committed(path: Path) -> tuple[Mapping[str, Recorded], Origin]:
    """Read the snapshot as it was last committed; the file where nothing is known of commits."""
    last = git_says(path.parent, "log", "-1", "--format=%H %cI", "--", path.name) if path.parent.is_dir() else None
    if last:
        commit, _, date = last.strip().partition(" ")
        text = git_says(path.parent, "show", f"{commit}:./{path.name}")
        if text is not None:
            return read_snapshot(text, _name(path)), Origin(_name(path), commit, date)
    if not path.is_file():
        raise SnapshotError("no snapshot has been accepted yet: `make snapshot` writes one")
    return _of_file(path), Origin(_name(path))


def _asked(since: str, path: Path) -> tuple[Mapping[str, Recorded], Origin]:
    file = Path(since)
    if file.is_file():
        return _of_file(file), Origin(since)
    commit = git_says(path.parent, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{since}^{{commit}}")
    if not commit:
        raise SnapshotError(f"{since!r} is neither a file nor a revision of the checkout that holds {_name(path)}")
    commit = commit.strip()
    text = git_says(path.parent, "show", f"{commit}:./{path.name}")
    if text is None:
        raise SnapshotError(f"revision {since!r} holds no {_name(path)}")
    name = f"{_name(path)} at {since}"
    date = git_says(path.parent, "show", "--no-patch", "--format=%cI", commit) or ""
    return read_snapshot(text, name), Origin(name, commit, date.strip())


def _of_file(path: Path) -> Mapping[str, Recorded]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SnapshotError(f"{path} cannot be read: {error}") from error
    return read_snapshot(text, str(path))


def _name(path: Path) -> str:
    """Folder and file: enough to know it, and nothing about the machine."""
    return f"{path.parent.name}/{path.name}"
