"""Ask Rocq about what was compiled: closed types, own definitions, and assumptions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

_QUESTION = "@@ "
_NOISE = re.compile(r"^(?:Fetching opaque proofs .*|Coq <.*|asked_\d+ is defined)$")
CLOSED = "Closed under the global context"


def questions(asked: Mapping[str, str], modules: Iterable[str]) -> str:
    """Return the commands that ask; no name is imported, and nothing is abbreviated."""
    lines = [f"Require {module}." for module in modules]
    lines += ["Set Printing All.", "Set Printing Width 10000000.", "Set Printing Depth 1000000."]
    for key, command in asked.items():
        lines += [f'Goal True. idtac "{_QUESTION}{key}". Abort.', command]
    return "\n".join((*lines, 'Goal True. idtac "@@ ". Abort.', ""))


def answers(output: str) -> dict[str, str]:
    """Return what was answered to each question."""
    found: dict[str, list[str]] = {}
    kept: list[str] | None = None
    for line in output.splitlines():
        if line.startswith(_QUESTION):
            kept = found.setdefault(line.removeprefix(_QUESTION), [])
        elif line == "1 goal":  # the goal of the next question is shown before its name
            kept = None
        elif kept is not None and not _NOISE.match(line):
            kept.append(line)
    return {key: "\n".join(lines).strip() for key, lines in found.items()}


def named_type(answer: str) -> tuple[str, str]:
    """Return the name as it is printed, and the type, from the answer to `Check`; both empty if there is none."""
    name, colon, found = answer.partition(" : ")
    return (name.strip().removeprefix("@"), " ".join(found.split())) if colon else ("", "")


def assumptions(answer: str) -> tuple[str, ...]:
    """Return what a theorem assumes from the answer to `Print Assumptions`: names, or what is not understood."""
    if answer == CLOSED:
        return ()
    lines = [line for line in answer.splitlines() if line and not line.startswith(" ")]
    if lines[:1] == ["Axioms:"]:
        lines = lines[1:]
        return tuple(sorted(line.split(" :")[0].strip() for line in lines)) or ("nothing that is understood",)
    return tuple(lines) or ("nothing that is understood",)


def pinned(stated: str, definitions: Mapping[str, str]) -> str:
    """Return the hash of a closed type, with the text of every own definition that it leads to.

    Parameters
    ----------
    stated
        The closed type.
    definitions
        What Rocq prints of each own definition, by the last part of its name.
    """
    used: dict[str, str] = {}
    waiting: Sequence[str] = [stated]
    while waiting:
        words = {word for text in waiting for word in re.findall(r"[\w']+", text)}
        new = sorted(word for word in words if word in definitions and word not in used)
        used |= {word: definitions[word] for word in new}
        waiting = [definitions[word] for word in new]
    return sha256("\n\n".join((stated, *(used[word] for word in sorted(used)))).encode()).hexdigest()


def binders(stated: str) -> list[tuple[str, str]]:
    """Return name and type of everything over which a closed type quantifies first; premises are called ``_``."""
    found: list[tuple[str, str]] = []
    rest = stated.strip()
    while rest.startswith("forall "):
        head, rest = _split(rest.removeprefix("forall "), ",")
        while head := head.strip():
            if head.startswith("("):
                inside, head = _split(head[1:], ")")
            else:
                inside, head = head, ""
            names, kind = _split(inside, ":")
            found += [(name, kind.strip()) for name in names.split()]
        rest = rest.strip()
    return found


def _split(text: str, at: str) -> tuple[str, str]:
    """Split at the first such sign that stands in no bracket."""
    depth = 0
    for place, sign in enumerate(text):
        if sign == at and not depth:
            return text[:place], text[place + 1 :]
        depth += (sign in "([{") - (sign in ")]}")
    return text, ""


_STRUCTURES = (
    "Real|RealField|RealDomain|NumField|NumDomain|ArchimedeanField|RealClosedField|Field|ComRing|UnitRing|Ring|Zmodule"
)
_INDEX = r"(?:nat|(?:\w+\.)*ordinal [^()]+)"
_NUMBER = (
    r"(?:nat|BinNums\.Z|Z|R|Rdefinitions\.R|int|ssrint\.int|list .*|"
    rf"(?:\w+\.)*(?:{_STRUCTURES})\.sort .*|@(?:\w+\.)*POrder\.sort (?:\w+\.)*ring_display .*|"
    r"(?:\w+\.)*Equality\.sort \((?:\w+\.)*ordinal_eqType .*|(?:\w+\.)*(?:ordinal|matrix) .*)"
)
_PLACE = r"(?:\w+\.)*Equality\.sort \((?:\w+\.)*Finite\.eqType \((?:\w+\.)*ordinal_finType \w+\)\)"
_NUMBERS = re.compile(
    rf"^(?:bool|{_PLACE}|(?:\w+\.)*pred \((?:\w+\.)*ordinal \w+\)|(?:\w+\.)*(?:{_STRUCTURES})\.type|{_NUMBER}|"
    rf"forall (?:_ : {_INDEX}|\(_ : {_INDEX}\)(?: \(_ : {_INDEX}\))*), (?:bool|{_NUMBER}))$"
)
"""Numbers, vectors, matrices, sequences and tables of them or of truth values, and the fields that they are over."""


def abstract(stated: str) -> list[str]:
    """Return over what a closed type quantifies that is no number, vector, matrix or sequence, and may not exist."""
    return [f"{name} : {kind}" for name, kind in binders(stated) if name != "_" and not _NUMBERS.match(kind)]
