"""Which way the words around a figure point: to numbers above it, below it, or about it."""

from __future__ import annotations

import re

NUMBER = (
    r"(?<![\w.^_/$])(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+|\^-?\d+)?(?: 10\^-?\d+)?(?:[  ]?%)?(?![\w_]|/\d|\.\d)"
)
"""A number as prose has it."""

ABOVE, BELOW, ABOUT = "above", "below", "about"
SENSES = ("", ABOUT, ABOVE, BELOW)
"""What a place for a figure may say; nothing is that a number rounds to it."""

_OPPOSITE = {ABOVE: BELOW, BELOW: ABOVE}
_COMPARATIVES = {
    ABOVE: r"above|over|beyond|at least|exceed(?:s|ed|ing)?|(?:more|larger|greater|longer) than",
    BELOW: r"below|under|within|at most|(?:less|fewer|smaller|shorter) than",
}
_SYMBOLS = {ABOVE: r">=?", BELOW: r"<=?"}
_ABOUT = r"\b(?:about|around|near|nearly|roughly)"
_NOT = r"\b(?:no|not|never|none|nothing|nobody|nowhere|cannot|without)(?: \w+){0,2} "
"""Turns a comparison around, with at most two words between."""
_EVERY = r"\b(?:every|each|any|all) \S+"
"""Begins the range of a parameter, if a symbol follows; that it reaches a figure is that its end lies beyond."""
_NAMED = r" \S+ = "
_LISTED = rf" (?:{NUMBER}(?:, | and | or ))*"


def direction(before: str, after: str) -> str:
    """Return where the words say that a number lies, seen from a figure.

    Parameters
    ----------
    before, after
        The text on both sides of the figure. The word that counts stands before the figure, with nothing between but
        the name of a parameter (``near m =``) or the first figures of a list.

    Returns
    -------
    str
        ``above``, ``below`` or ``about``; empty if the words do not say. ``from M = 500 on`` and ``every M >= 500`` say
        that whatever begins there begins at 500 or below, and ``every M <= 500`` that it ends at 500 or above.
    """
    if re.search(r"\bfrom (?:\S+ = )?$", before) and re.match(r" on\b", after):
        return BELOW
    between = rf"(?:{_NAMED}|{_LISTED})$"
    if re.search(_ABOUT + between, before):
        return ABOUT
    for sense in (ABOVE, BELOW):
        words, symbol = rf"\b(?:{_COMPARATIVES[sense]}){between}", f" {_SYMBOLS[sense]}{between}"
        if re.search(f"{words}|{symbol}", before):
            turned = re.search(f"{_NOT}(?:{words})|{_EVERY}{symbol}", before)
            return _OPPOSITE[sense] if turned else sense
    return ""


def plain_direction(before: str) -> str:
    """Return the side on which a number that rounds to a figure must lie all the same: ``at most 0.35``.

    A symbol, or a parameter with its name, bounds the range of a statement: ``needs d >= 900``, ``below eta = 0.05``.
    """
    found = direction(before, "")
    words = "|".join(_COMPARATIVES.values())
    return found if found in _OPPOSITE and re.search(rf"\b(?:{words}){_LISTED}$", before) else ""
