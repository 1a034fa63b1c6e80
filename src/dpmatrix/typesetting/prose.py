"""Formulas inside sentences in the signs that they name: ``eps <= sqrt(2) x_1^2`` as ``ε ≤ √(2) x₁²``.

Only what cannot be meant otherwise is changed, sign by sign; everything else stays as it is, and so does what stands
between backticks, which are names.
"""

from __future__ import annotations

import re

from dpmatrix.typesetting.names import GREEK
from dpmatrix.typesetting.notations import SUBSCRIPTS, SUPERSCRIPTS

LETTERS = {
    **GREEK,
    "eps": "ε",
    **dict(
        zip(
            ["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Phi", "Psi", "Omega"], "ΓΔΘΛΞΠΣΦΨΩ", strict=True
        )
    ),
}
"""Letters by the names that sentences have for them."""

FUNCTIONS_TOO = ("Gamma", "gamma", "beta", "zeta")
"""Letters that are left in full where something is in brackets after them, or a word says that they are no letters."""

SIGNS = {">=": "≥", "<=": "≤", "!=": "≠", "->": "→"}

_WORDS = "|".join(sorted(LETTERS, key=len, reverse=True))
_LETTER = re.compile(rf"(?<![\w.])(?<![a-zA-Z]-)({_WORDS})(?![a-zA-Z0-9]|\.\w|_[^\W_]{{2}}|_[a-z]+_)")
_NO_LETTER = re.compile(r"\(|\s+(?:law|distribution|function|variable|integral)")
_SIGN = re.compile(r"(?<![<>=!-])(?:>=|<=|!=|->)(?![=>])")
_ROOT = re.compile(r"\bsqrt(?=\()")
_TIMES = re.compile(r"(?<=\S) \* (?=\S)")
_POWER = re.compile(r"(?<=[\w)|>\]}])\^(-?\d{1,2})(?![\w.^])")
_BELOW = re.compile(r"(?<![\w^~])([A-Za-zα-ωΓΔΘΛΞΠΣΦΨΩ])_(\d{1,2})(?![\w~])")


def in_signs(text: str) -> str:
    """Write the formulas of a text in the signs that they name.

    Parameters
    ----------
    text
        Sentences with formulas in ASCII.
    """
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return _changed(text)
    return "`".join(piece if odd % 2 else _changed(piece) for odd, piece in enumerate(pieces))


def _changed(text: str) -> str:
    text = _LETTER.sub(_letter, text)
    text = _SIGN.sub(lambda found: SIGNS[found[0]], text)
    text = _ROOT.sub("√", text)
    text = _TIMES.sub(" · ", text)
    text = _BELOW.sub(lambda found: found[1] + found[2].translate(SUBSCRIPTS), text)
    return _POWER.sub(lambda found: found[1].translate(SUPERSCRIPTS), text)


def _letter(found: re.Match[str]) -> str:
    name = found[1]
    if name in FUNCTIONS_TOO and _NO_LETTER.match(found.string, found.end()):
        return name
    return LETTERS[name]
