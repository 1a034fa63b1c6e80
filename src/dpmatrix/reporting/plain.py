"""Paragraphs of documentation as plain lines: no markup, and the few formulas that they hold in ordinary signs."""

from __future__ import annotations

import re

_FORMULA = re.compile(r":math:`([^`]*)`|\.\. math::((?:[ ]+\S+|\n[ ]+\S.*)*)")
_MARKED = re.compile(r":\w+:`([^`]*)`|`+([^`]*)`+|(?<![*\w])\*(\w[^*\n]*)\*(?![*\w])")
_SIGNS = {
    r"\propto": "∝",
    r"\le": "≤",
    r"\ge": "≥",
    r"\int": "∫",
    r"\pi": "π",
    r"\nu": "ν",
    r"\cdot": "·",
    r"\,": " ",
    r"\quad": " ",
}
_COMMAND = re.compile(r"\\(?:[a-zA-Z]+|[,;!])")


def formula(text: str) -> str:
    r"""Return a formula in ordinary signs: ``e^{-\mathrm{tr} W} \le 1`` is ``exp(-tr W) ≤ 1``."""
    text = re.sub(r"\\math\w+\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\be\^\{([^{}]*)\}", r"exp(\1)", text)
    text = re.sub(r"\\int_\{([^{}]*)\}", r"∫ over {\1} of ", text)
    text = re.sub(r"([_^])\{([^{}]*)\}", r"\1(\2)", text)
    return " ".join(_COMMAND.sub(lambda found: _SIGNS.get(found[0], found[0].lstrip("\\")), text).split())


def plain(text: str) -> str:
    """Return a text as one line without its markup."""
    text = _FORMULA.sub(lambda found: formula(found[1] or found[2] or ""), text)
    return " ".join(_MARKED.sub(lambda found: found[1] or found[2] or found[3] or "", text).split())
