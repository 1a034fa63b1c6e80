"""How the fields of a point are called in formulas: by a letter where they have a usual one, else in full."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import attrs

from dpmatrix.tracing.expressions import Variable

GREEK = {
    **dict(zip(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"], "αβγδεζηθ", strict=True)),
    **dict(zip(["iota", "kappa", "lambda", "mu", "nu", "xi", "omicron", "pi"], "ικλμνξοπ", strict=True)),
    **dict(zip(["rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"], "ρστυφχψω", strict=True)),
}
"""Letters by their names."""

USUAL = {"dimension": "d", "records": "n", "rank": "k", "degrees_of_freedom": "m", "rotation": "Q"}
"""Letters of the field, where no other field has them."""

_INDICES = re.compile(r"\[([^\]]*)\]")


@attrs.frozen
class Symbol:
    """What stands for a number in a formula.

    Parameters
    ----------
    letter
        One letter, or words.
    below
        What stands below it on the right; may be empty.
    """

    letter: str
    below: str = ""

    @property
    def is_letter(self) -> bool:
        """Whether it is a single letter, with or without something below."""
        return len(self.letter) == 1


def symbols(variables: Iterable[Variable]) -> Mapping[Variable, Symbol]:
    """Name variables, each by a symbol of its own.

    A path is shortened to its last part, and a field is called by its usual letter, where no two variables become one.
    """
    given = tuple(dict.fromkeys(variables))
    found: dict[Variable, Symbol] = {}
    for way in (_usual, _last, _whole):
        tried = {variable: way(variable.name) for variable in given if variable not in found}
        count = Counter([*tried.values(), *found.values()])
        for variable, symbol in tried.items():
            others = {_last(other.name) for other in given if other != variable}
            if way is _whole or (count[symbol] == 1 and symbol not in others):
                found[variable] = symbol
    return {variable: found[variable] for variable in given}


def _split(path: str) -> tuple[str, str]:
    return _INDICES.sub("", path), ";".join(_INDICES.findall(path))


def _usual(path: str) -> Symbol:
    name, indices = _split(path)
    letter = USUAL.get(name.rpartition(".")[2])
    return Symbol(letter, indices) if letter else _last(path)


def _last(path: str) -> Symbol:
    name, indices = _split(path)
    return _of_words(name.rpartition(".")[2], indices)


def _whole(path: str) -> Symbol:
    name, indices = _split(path)
    return Symbol(name.replace("_", " "), indices)


def _of_words(name: str, indices: str) -> Symbol:
    first, _, rest = name.partition("_")
    letter = GREEK.get(first, first)
    if len(letter) > 1:
        return Symbol(name.replace("_", " "), indices)
    return Symbol(letter, ", ".join(filter(None, (rest.replace("_", " "), indices))))
