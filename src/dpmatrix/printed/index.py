"""The index of what a document prints: what each unit became, and whether the index is of a document at hand."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.errors import DpmatrixError
from dpmatrix.printed.units import Unit

FILE = "sentences.toml"


class SentencesError(DpmatrixError, ValueError):
    """An index that cannot be read, or a document that is not found; the text says which, and why."""


class Kind(Enum):
    """What became of something that a document prints."""

    JUDGED = "judged"
    """Claims or steps judge what it asserts."""
    UNJUDGED = "unjudged"
    """It asserts something, and no claim or step judges that."""
    NEEDS_DATA = "needs-data"
    """It asserts something of an experiment that cannot be run: data or parameters of it could not be had."""
    SETTING = "setting"
    """An assumption, a choice, or how something was done: a premise and no finding."""
    NOTATION = "notation"
    MOTIVATION = "motivation"
    """Why one should care, or praise without a criterion."""
    OUTLINE = "outline"
    """What the text does, and where."""
    RELATED_WORK = "related-work"
    """What others did or stated."""
    FUTURE_WORK = "future-work"
    HEADING = "heading"
    """Titles, labels, numbers alone, page furniture."""
    REFERENCE = "reference"
    CONNECTIVE = "connective"
    """A fragment without content of its own."""


_WORDS = {kind.value: kind for kind in Kind if kind not in (Kind.JUDGED, Kind.UNJUDGED, Kind.NEEDS_DATA)}
_ASSERTED = {kind.value: kind for kind in (Kind.UNJUDGED, Kind.NEEDS_DATA)}


@frozen
class Entry:
    """What one unit became.

    Attributes
    ----------
    key
        The key of the unit.
    place
        Where it stands, in the document's own numbering.
    kind
        What it is.
    names
        The claims, repairs and steps that judge it.
    asserts
        What it asserts, in our words, where nothing judges it; where data are missing, with what is missing.
    """

    key: str
    place: str
    kind: Kind
    names: tuple[str, ...] = ()
    asserts: str = ""


@frozen
class Index:
    """What everything that a document prints became, in the document's order."""

    entries: tuple[Entry, ...]

    @classmethod
    def read(cls, path: Path) -> Index:
        """Read an index; one that does not exist has no entries.

        Raises
        ------
        SentencesError
            If a key stands twice, or a value is none of the kinds.
        """
        if not path.is_file():
            return cls(())
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise SentencesError(f"{path}: {error}") from error
        entries = [
            _entry(f"{path}: {key}", key, place, value)
            for place, table in tables.items()
            for key, value in table.items()
        ]
        if twice := [key for key, count in Counter(entry.key for entry in entries).items() if count > 1]:
            raise SentencesError(f"{path}: {', '.join(sorted(twice))} stands twice")
        return cls(tuple(entries))

    def unknown(self, statements: Collection[str]) -> list[str]:
        """List the names that are of no claim, repair or step."""
        return [
            f"{entry.key} ({entry.place}): there is no statement {name}"
            for entry in self.entries
            for name in entry.names
            if name not in statements
        ]

    def differences(self, units: Sequence[Unit]) -> list[str]:
        """List what a document prints and the index has not, what the index has and the document does not print."""
        here, order = [unit.key for unit in units], [entry.key for entry in self.entries]
        known, printed = set(order), set(here)
        found = [f"{one.key} (paragraph {one.paragraph}) is not in the index" for one in units if one.key not in known]
        found += [f"{one.key} ({one.place}) is not in the document" for one in self.entries if one.key not in printed]
        if not found and here != order:
            found = [f"{next(key for key, other in zip(order, here, strict=True) if key != other)} is out of order"]
        return found

    def counts(self) -> Mapping[Kind, int]:
        """Count the units of each kind."""
        found = Counter(entry.kind for entry in self.entries)
        return {kind: found[kind] for kind in Kind}

    def naming(self, wanted: Callable[[str], bool]) -> list[Entry]:
        """Return the entries of which some name is wanted."""
        return [entry for entry in self.entries if any(map(wanted, entry.names))]


def _entry(where: str, key: str, place: str, value: Any) -> Entry:  # noqa: ANN401 - as TOML has it
    if isinstance(value, str) and value in _WORDS:
        return Entry(key, place, _WORDS[value])
    if isinstance(value, list) and value and all(isinstance(name, str) for name in value):
        return Entry(key, place, Kind.JUDGED, names=tuple(value))
    if isinstance(value, dict) and len(value) == 1:
        ((word, asserts),) = value.items()
        if word in _ASSERTED and isinstance(asserts, str) and asserts.strip():
            return Entry(key, place, _ASSERTED[word], asserts=asserts)
    raise SentencesError(
        f"{where}: {value!r} is no list of names, no assertion that is unjudged or needs data, and none of "
        f"{', '.join(sorted(_WORDS))}"
    )


def of_documents(
    folder: Path, indexes: Mapping[str, Index], units: Mapping[Path, Sequence[Unit]]
) -> Mapping[str, Path]:
    """Tell which file of a folder is which document, by what they print. Each index has entries.

    Raises
    ------
    SentencesError
        If a document is in none of the files, or in several.
    """
    found = {}
    printed = {path: {unit.key for unit in printed} for path, printed in units.items()}
    for name, index in indexes.items():
        keys = {entry.key for entry in index.entries}
        files = [path for path, there in printed.items() if 2 * len(keys & there) > len(keys)]
        if len(files) != 1:
            said = " and ".join(str(path) for path in files) or "no file"
            raise SentencesError(f"{folder}: {said} holds most of what {name} prints; one .txt file of it is needed")
        found[name] = files[0]
    return found
