"""Where the documents state claims, and what they state before and after."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from dpmatrix.printed.index import FILE, Index
from dpmatrix.printed.order import FILE as ORDER
from dpmatrix.printed.order import Stated, read_order
from dpmatrix.spec import FOLDER, catalogue


@cache
def in_order(document: str) -> Sequence[Stated]:
    """Return the claims of a document in its order; those between the documents stand in that of the catalogue.

    Parameters
    ----------
    document
        Its name.
    """
    folder = FOLDER / document.replace("-", "_")
    if folder.is_dir():
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
