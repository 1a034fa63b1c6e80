"""Outputs of any kind as vectors: dictionaries, texts, lists of any length, None, tables, exceptions.

A form is chosen once, from sample outputs, before anything is counted. To put an output into it is post-processing, so
that what is certified of the vectors is certified of the outputs.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray

MOST = 256
"""Places and facts that get a coordinate: those that most sample outputs have."""
DEEPEST = 6
LONGEST = 60
"""Characters of a value in a fact."""
WHOLE = "the output"
RAISED = " is raised"
ELSE = "the output has something that no sample had, or lacks what all had"


@frozen
class Raised:
    """An exception as an output: its type, and not its message, in which every number could be another one."""

    kind: str


def caught(call: Callable[[], object]) -> object:
    """Return what a call returns, or which exception it raises; an exit or an interrupt is none."""
    try:
        return call()
    except Exception as error:  # whatever the mechanism raises, somebody sees it
        return Raised(type(error).__name__)


@frozen
class Form:
    """What each coordinate of an output says.

    Attributes
    ----------
    numbers
        Places where a number may stand; the coordinate is 0 where none does.
    optional
        Those of the places where there is not always one: a coordinate says whether there is.
    facts
        Statements about the output, each 1 or 0.
    always
        Places and facts that every sample had.
    unseen
        How many places and facts the samples had that get no coordinate.
    """

    numbers: tuple[str, ...]
    optional: tuple[str, ...]
    facts: tuple[str, ...]
    always: frozenset[str]
    unseen: int = 0

    @classmethod
    def of(cls, samples: Sequence[object]) -> Form:
        """Choose the form from sample outputs, at least one."""
        read = [dict(parts(sample)) for sample in samples]
        counts = Counter(name for found in read for name in found)
        kept = [name for name, _ in counts.most_common(MOST)]
        numeric = {name for found in read for name, value in found.items() if value is not None}
        always = frozenset(name for name in kept if counts[name] == len(read))
        return cls(
            tuple(name for name in kept if name in numeric),
            tuple(name for name in kept if name in numeric and name not in always),
            tuple(name for name in kept if name not in numeric),
            always,
            len(counts) - len(kept),
        )

    @property
    def coordinates(self) -> tuple[str, ...]:
        """What each coordinate says, in words."""
        return (*self.numbers, *(f"{place} is there" for place in self.optional), *self.facts, ELSE)

    def sentences(self) -> tuple[str, ...]:
        """Say what is looked at, and what is not."""
        words = "; ".join(f"{place} {says}" for place, says in enumerate(self.coordinates))
        found = [f"an output as a vector: {words}"]
        if any(fact.endswith(RAISED) for fact in self.facts):
            found.append("exceptions: outputs like any other; their type is looked at, not their message")
        if self.unseen:
            found.append(f"not looked at: {self.unseen} more places and facts that sample outputs had")
        return tuple(found)

    def __call__(self, output: object) -> FloatArray:
        """Return an output as a vector, shape (k,)."""
        found = dict(parts(output))
        known = {*self.numbers, *self.facts}
        strange = not found.keys() <= known or not self.always <= found.keys()
        return np.array(
            [
                *(found.get(place) or 0.0 for place in self.numbers),
                *(float(place in found) for place in self.optional),
                *(float(fact in found) for fact in self.facts),
                float(strange),
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return {
            "numbers": list(self.numbers),
            "optional": list(self.optional),
            "facts": list(self.facts),
            "always": sorted(self.always),
            "unseen": self.unseen,
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Form:
        """Read a form again.

        Raises
        ------
        KeyError, TypeError
            If it is none.
        """
        names = [tuple(map(str, told[name])) for name in ("numbers", "optional", "facts", "always")]
        return cls(names[0], names[1], names[2], frozenset(names[3]), int(told["unseen"]))


def parts(output: object, place: str = WHOLE, depth: int = 0) -> Iterator[tuple[str, float | None]]:
    """Yield the numbers of an output, with their places, and facts about it, with None."""
    if isinstance(output, Raised):
        yield f"{output.kind}{RAISED}", None
    elif output is None or isinstance(output, str | bytes) or depth == DEEPEST:
        yield f"{place} is {_short(output)}", None
    elif isinstance(output, bool | np.bool_):
        yield place, float(output)
    elif isinstance(output, complex | np.complexfloating):
        yield from _number(output.real, f"the real part of {place}")
        yield from _number(output.imag, f"the imaginary part of {place}")
    elif isinstance(output, Mapping):
        yield f"the length of {place}", float(len(output))
        for key, value in output.items():
            yield from parts(value, f"{place}[{_short(key)}]", depth + 1)
    elif isinstance(output, Set):
        yield f"the length of {place}", float(len(output))
        yield from ((f"{place} holds {_short(value)}", None) for value in output)
    elif isinstance(output, np.ndarray) and output.ndim:
        yield from parts(output.tolist(), place, depth)
    elif isinstance(output, Sequence):
        yield f"the length of {place}", float(len(output))
        for index, value in enumerate(output):
            yield from parts(value, f"{place}[{index}]", depth + 1)
    elif callable(told := getattr(output, "to_dict", None)):
        yield from parts(told(), place, depth + 1)
    elif hasattr(type(output), "__float__"):
        yield from _number(output, place)
    elif not isinstance(output, type) and (fields := getattr(output, "__dict__", None)):
        yield from parts(dict(fields), place, depth + 1)
    else:
        yield f"{place} is {_short(output)}", None


def _number(value: Any, place: str) -> Iterator[tuple[str, float | None]]:  # noqa: ANN401 - whatever turns into a float
    try:
        number = float(value)
    except (OverflowError, TypeError, ValueError):
        yield f"{place} is no float", None
        return
    yield (place, number) if math.isfinite(number) else (f"{place} is {number}", None)


def _short(value: object) -> str:
    # The usual words have an address in them, which is another one in each process.
    plain = type(value).__repr__ is object.__repr__
    text = f"of type {type(value).__name__}" if plain else repr(value)
    # What is cut off is told apart by its digest: a record could hide in the tail of a text.
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 11]}...{digest}"


def in_form(outputs: Iterable[object], form: Form) -> FloatArray:
    """Return a batch of outputs as vectors, shape (size, k)."""
    return np.stack([form(output) for output in outputs])
