"""Where the documents state claims, and what they state before and after."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from dpmatrix.printed.index import FILE, Index
from dpmatrix.printed.order import FILE as ORDER
from dpmatrix.printed.order import Stated, read_order
from dpmatrix.spec import FOLDER, catalogue

ALGORITHMS = "algorithms.py"
"""Where a document's package has its printed algorithms as functions, each named by the label of its claim."""
_FUNCTION = re.compile(r"def (?P<name>(?P<label>[a-z0-9_]+?)(?:_repaired)?)\(.*")


@cache
def in_order(document: str) -> Sequence[Stated]:
    """Return the claims of a document in its order; those that no document states stand in that of the catalogue.

    Parameters
    ----------
    document
        Its name.
    """
    folder = FOLDER / document.replace("-", "_")
    if (folder / FILE).is_file():
        return read_order(folder / ORDER, document, Index.read(folder / FILE))
    return tuple(Stated(claim) for claim in catalogue().ids if claim.partition(".")[0] == document)


def about_the_place(claim: str) -> dict[str, str | None]:
    """Return the place of a claim in its document, and the claims that the document states before and after it.

    Parameters
    ----------
    claim
        Its id.
    """
    stated = in_order(claim.partition(".")[0])
    here = next((number for number, one in enumerate(stated) if one.claim == claim), None)
    if here is None:
        return {"place": "", "before": None, "after": None}
    return {
        "place": stated[here].place,
        "before": stated[here - 1].claim if here else None,
        "after": stated[here + 1].claim if here + 1 < len(stated) else None,
    }


def line_by_line(claim: str) -> list[str]:
    """Return where a printed algorithm, and what is run in its place, can be read and run line by line.

    Parameters
    ----------
    claim
        Its id.
    """
    document, _, label = claim.partition(".")
    path = FOLDER / document.replace("-", "_") / ALGORITHMS
    text = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    matches = [(number, _FUNCTION.fullmatch(line)) for number, line in enumerate(text, start=1)]
    inside = path.relative_to(FOLDER).as_posix()
    return [
        f"spec/{inside}:{number} {match['name']}"
        for number, match in matches
        if match is not None and match["label"] == label.replace("-", "_")
    ]
