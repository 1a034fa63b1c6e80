"""A privacy certificate for each mechanism, read from its own documentation, in the order that an assessor asks.

The topics in the last column are those of NIST SP 800-226 (Guidelines for Evaluating Differential Privacy Guarantees),
in our words.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from dpmatrix.reporting.code import find

_ADJACENCY = (
    "A parameter of the mechanism. replace-one: one record becomes another, and the number of records is public. "
    "add-remove-one: one record appears or disappears, and the number of records is a secret."
)
_UNIT = (
    "One record, a row of the data. A person with k records is protected by the promise for groups of k: "
    "k epsilon for pure promises, and more delta for others (dpmatrix.privacy.group_guarantee)."
)
_TRUST = "Central: whoever runs the mechanism sees the records; whoever sees the release alone does not."
_ASSUMPTIONS = (
    "Every record has Euclidean norm at most norm_bound, a public number. That is decided exactly for each record; a "
    "longer one is refused, or shortened where clipping was chosen. A record's columns, d and the divisor are public."
)
_BITS = (
    "Bits of the operating system, in bulk AES-256-CTR under keys from it: the promise is then a computational one. "
    "Seeded bits void the promise, and the release carries none."
)
_LATTICE = (
    "Coordinates are truncated to a public lattice, which shortens records; sums are exact integers, and the noise is "
    "drawn exactly. The promise is proved for the integers that are released."
)
_ROUNDING = (
    "The ideal real-valued draw is refined until its rounding to a public grid is decided, and that correct rounding "
    "is released: a function of the ideal output, which inherits its promise."
)
_FLOATS = "See the documentation of the mechanism."
_SEVERAL = "Promises of several releases add up (PrivacyBudget); tighter sums are in dpmatrix.privacy.composition."
_OUTSIDE = (
    "Outside of this library: how the records were collected and who may read them, backups and logs, and what is "
    "computed from the records beside the release."
)


_UP_TO_THE_NEXT = r"(.*?)(?=\n\n(?:What the proof|The output|The columns|Parameters\n|Raises\n|See `)|\Z)"


@frozen
class Row:
    """One question to a mechanism, its answer, and the topic that it belongs to."""

    question: str
    answer: str
    topic: str


@frozen
class PrivacyCertificate:
    """What a mechanism promises, and under what conditions.

    Attributes
    ----------
    name
        Dotted name of the class.
    title
        Its name in the field.
    private
        Whether there is a promise at all.
    claims
        Ids of the claims that it implements.
    rows
        Questions and answers.
    """

    name: str
    title: str
    private: bool
    claims: tuple[str, ...]
    rows: tuple[Row, ...]


def certificates(implementations: Mapping[str, Sequence[str]]) -> list[PrivacyCertificate]:
    """Write a certificate for each mechanism among the implementations.

    Parameters
    ----------
    implementations
        For each dotted name the ids of the claims that it cites.
    """
    found = []
    for name, claims in implementations.items():
        thing = find(name)
        if inspect.isclass(thing) and callable(getattr(thing, "release", None)) and hasattr(thing, "guarantee"):
            found.append(_certificate(name, thing, tuple(claims)))
    return found


def _certificate(name: str, mechanism: type, claims: tuple[str, ...]) -> PrivacyCertificate:
    promise = mechanism.__dict__.get("guarantee", getattr(mechanism, "guarantee", None))
    title = str(getattr(mechanism, "name", mechanism.__name__))
    if promise is None:
        words = _first_paragraph(mechanism)
        return PrivacyCertificate(name, title, False, claims, (Row("What is promised?", f"Nothing. {words}", ""),))
    proof = _section(mechanism, r"\*Proof\.\*")
    return PrivacyCertificate(
        name,
        title,
        True,
        claims,
        (
            Row(
                "What is promised?",
                f"Differential privacy with {_plain(inspect.getdoc(promise) or '')}",
                "privacy parameters epsilon and delta",
            ),
            Row("Between which data sets?", _ADJACENCY, "neighbouring data sets"),
            Row("Whose privacy?", _UNIT, "unit of privacy"),
            Row("Who is trusted?", _TRUST, "trust model"),
            Row("Under what assumptions?", _ASSUMPTIONS, "sensitivity and bounded contributions"),
            Row("How much noise?", _calibration(mechanism), "calibration of noise"),
            Row("Why is it true?", proof or "See the claims.", "correctness of the mechanism"),
            Row("Where do random bits come from?", _BITS, "random number generation"),
            Row("What of floating point?", _floating_point(mechanism), "floating-point arithmetic"),
            Row(
                "What is not covered?",
                _section(mechanism, "What the proof does not cover:")
                or "The refusal of data, which is not a release, and the time that it takes.",
                "side channels",
            ),
            Row("What of several releases?", _SEVERAL, "composition"),
            Row("What else must be looked at?", _OUTSIDE, "security, access control and data exposure"),
        ),
    )


def _documents(mechanism: type) -> list[str]:
    """Return the documentation of a class and of those that it extends, the nearest first."""
    return [inspect.cleandoc(base.__doc__) for base in mechanism.__mro__ if base.__doc__ and base is not object]


def _plain(text: str) -> str:
    """Return a paragraph of documentation as one line without its markup."""
    return " ".join(re.sub(r":\w+:`([^`]*)`|`+([^`]*)`+", lambda found: found[1] or found[2] or "", text).split())


def _first_paragraph(mechanism: type) -> str:
    return _plain(" ".join(_documents(mechanism)[0].split("\n\n")[:2]))


def _section(mechanism: type, heading: str) -> str:
    """Return what follows a heading in the documentation, up to the next section."""
    for text in _documents(mechanism):
        found = re.search(heading + _UP_TO_THE_NEXT, text, re.DOTALL)
        if found:
            return _plain(found[1])
    return ""


def _calibration(mechanism: type) -> str:
    for text in _documents(mechanism):
        found = re.search(r"^calibration\n((?:    .*\n?)+)", text, re.MULTILINE)
        if found:
            return _plain(found[1])
    return "The least that the exact sensitivity allows; there is no other calibration."


def _floating_point(mechanism: type) -> str:
    text: Any = " ".join(_documents(mechanism)[:2]).lower()
    roads = []
    if "lattice" in text or hasattr(mechanism, "coordinate_bits"):
        roads.append(_LATTICE)
    if "correct rounding" in text or "correctly" in text:
        roads.append(_ROUNDING)
    return " ".join(roads) or _FLOATS
