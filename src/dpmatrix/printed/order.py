"""Where each document states its claims, and in which order."""

from __future__ import annotations

import tomllib
from pathlib import Path

from attrs import frozen

from dpmatrix.printed.index import Index, SentencesError

FILE = "order.toml"


@frozen
class Stated:
    """Where a document states a claim.

    Attributes
    ----------
    claim
        Its id.
    key
        The key of the unit in which the statement begins: its label, or else its first sentence.
    place
        Where that stands, in the document's own numbering; empty where no document does.
    """

    claim: str
    key: str = ""
    place: str = ""


def read_order(path: Path, document: str, index: Index) -> tuple[Stated, ...]:
    """Read where a document states its claims, in its order.

    Parameters
    ----------
    path
        The file: labels of claims, as their ids end, with the keys of units.
    document
        Its name.
    index
        All that it prints.

    Raises
    ------
    SentencesError
        If a key is of no unit, or the claims are not in the order of their units.
    """
    try:
        keys = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SentencesError(f"{path}: {error}") from error
    positions = {entry.key: number for number, entry in enumerate(index.entries)}
    found: list[Stated] = []
    last = -1
    for label, key in keys.items():
        if key not in positions:
            raise SentencesError(f"{path}: {label}: {key!r} is no unit of {document}")
        if positions[key] < last:
            raise SentencesError(f"{path}: {label} is stated before {found[-1].claim}")
        last = positions[key]
        found.append(Stated(f"{document}.{label}", key, index.entries[last].place))
    return tuple(found)
