"""Names of claims and of their statements."""

from __future__ import annotations

import re

_ID = re.compile(r"[a-z0-9-]+\.[a-z0-9.-]+")
_STEP = re.compile(r"[a-z0-9-]+")


def claim_of(target: str) -> str:
    """Return the claim that a statement belongs to, from ``id``, ``id+repair`` or ``id/step``."""
    return target.partition("+")[0].partition("/")[0]


def check_id(name: str) -> None:
    """Refuse what is no id of a claim, such as one that looks like the name of a step.

    Raises
    ------
    ValueError
        If the name is not of the form ``document.label`` in small letters, digits and hyphens.
    """
    if type(name) is not str or _ID.fullmatch(name) is None:
        raise ValueError(f"{name!r} is no id of a claim; write document.label in small letters, digits and hyphens")


def check_step(name: str) -> None:
    """Refuse what is no name of a step.

    Raises
    ------
    ValueError
        If the name has anything but small letters, digits and hyphens.
    """
    if type(name) is not str or _STEP.fullmatch(name) is None:
        raise ValueError(f"{name!r} is no name of a step; write it in small letters, digits and hyphens")
