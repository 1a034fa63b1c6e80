"""The graph of what rests on what, as a picture inside the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from dpmatrix.claims import claim_of
from dpmatrix.reporting.sentences import standing_class, standing_words

_COLUMN, _ROW, _WIDTH, _HEIGHT, _MARGIN = 300, 26, 230, 20, 20
STANDINGS = ("earned", "confirmed", "open", "unearned", "violated")
"""Those that have a colour of their own in the style sheet."""


def levels(uses: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return how long the longest chain below each claim is; zero for one that rests on nothing.

    Parameters
    ----------
    uses
        For each claim the claims that it rests on; a cycle counts once.
    """
    found: dict[str, int] = {}

    def level(name: str, above: frozenset[str]) -> int:
        if name not in found:
            below = [use for use in uses.get(name, ()) if use not in above and use in uses]
            found[name] = 1 + max((level(use, above | {name}) for use in below), default=-1)
        return found[name]

    for name in uses:
        level(name, frozenset())
    return found


def _places(uses: Mapping[str, Sequence[str]], depth: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Put each claim into the column of its level, near the rows of what it rests on."""
    place: dict[str, tuple[int, int]] = {}
    for column in range(max(depth.values()) + 1):
        names = [name for name in depth if depth[name] == column]
        heights = {}
        for name in names:
            below = [place[use][1] for use in uses[name] if use in place]
            heights[name] = sum(below) / len(below) if below else 0.0
        for row, name in enumerate(sorted(names, key=heights.__getitem__)):
            place[name] = (_MARGIN + column * _COLUMN, _MARGIN + row * _ROW)
    return place


def picture(claims: Sequence[Mapping[str, Any]]) -> tuple[str, int]:
    """Draw the claims that rest on others, or that others rest on, from left to right.

    Returns
    -------
    str
        An SVG element; empty where no claim rests on another.
    int
        How many claims stand alone and are left out.
    """
    uses = {claim["id"]: [claim_of(use) for use in claim["uses"]] for claim in claims}
    joined = {name for name, below in uses.items() if below} | {use for below in uses.values() for use in below}
    shown = [claim for claim in claims if claim["id"] in joined]
    if not shown:
        return "", len(claims)
    depth = levels({claim["id"]: uses[claim["id"]] for claim in shown})
    place = _places(uses, depth)
    width = _MARGIN + _WIDTH + max(x for x, _ in place.values())
    height = _MARGIN + _ROW + max(y for _, y in place.values())
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg {size} role="group" aria-labelledby="graph-title">',
        '<title id="graph-title">Which claims rest on which; the tables of the claims say the same in words</title>',
    ]
    for claim in shown:
        x, y = place[claim["id"]]
        for use in uses[claim["id"]]:
            if use in place:
                start, end = place[use][0] + _WIDTH, place[use][1] + _HEIGHT // 2
                middle = (start + x) // 2
                curve = f"M{start} {end} C{middle} {end} {middle} {y + _HEIGHT // 2} {x} {y + _HEIGHT // 2}"
                parts.append(f'<path class="edge" d="{curve}"/>')
    for claim in shown:
        x, y = place[claim["id"]]
        standing = standing_words(claim)
        known = standing_class(claim)
        colour = known if known in STANDINGS else "unknown"
        dashes = "" if claim["standing"] == "earned" else ' stroke-dasharray="4 2"'
        link = quoteattr(f"#{claim['id']}")
        parts.append(
            f"<a href={link}><title>{escape(claim['id'])}: {escape(claim['verdict'])}, {escape(standing)}</title>"
            f'<rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="3" class="node node-{colour}"{dashes}/>'
            f'<text x="{x + 6}" y="{y + 14}" font-size="11" class="node-text">{escape(claim["id"])}</text></a>'
        )
    parts.append("</svg>")
    return "\n".join(parts), len(claims) - len(shown)
