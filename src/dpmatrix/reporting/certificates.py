"""A privacy certificate for each mechanism, in the order that an assessor asks.

Answers are read from the documentation of the code, and what was tried against it from the ledger of a run. Topics are
those of NIST SP 800-226 (Guidelines for Evaluating Differential Privacy Guarantees), in our words.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import asdict, frozen

from dpmatrix.claims import AuditRecord, Implementation
from dpmatrix.reporting.answers import BITS, LATTICE, OUTSIDE, ROUNDING, STREAM, TABLE
from dpmatrix.reporting.code import find
from dpmatrix.reporting.excesses import excess_words
from dpmatrix.reporting.plain import plain

_PARAMETERS = "privacy parameters epsilon and delta"
_FLOATS = "See the documentation of the mechanism."
_UP_TO_THE_NEXT = r"(.*?)(?=\n\n(?:\*|What the proof|The output|The columns|Parameters\n|Raises\n|See `)|\Z)"


@frozen
class Row:
    """One question to a mechanism, its answer, and the topic that it belongs to."""

    question: str
    answer: str
    topic: str


@frozen
class PrivacyCertificate:
    """What a mechanism guarantees, and under what conditions.

    Attributes
    ----------
    name
        Dotted name of the class.
    title
        Its name in the field.
    private
        Whether there is a guarantee at all.
    claims
        Ids of the claims that it implements.
    rows
        Questions and answers.
    audits
        What a run tried against it; empty where it tried nothing.
    repaired
        Those claims of which it implements the repair, and not what is printed.
    """

    name: str
    title: str
    private: bool
    claims: tuple[str, ...]
    rows: tuple[Row, ...]
    audits: tuple[AuditRecord, ...] = ()
    repaired: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        return {
            "name": self.name,
            "title": self.title,
            "private": self.private,
            "claims": list(self.claims),
            "repaired": list(self.repaired),
            "rows": [asdict(row) for row in self.rows],
            "audited": bool(self.audits),
            "audits": [audit.to_json() | {"command": audit.command} for audit in self.audits],
        }


def is_mechanism(thing: object) -> bool:
    """Tell whether a class has a guarantee, or is known to have none, and gives something out."""
    gives = any(callable(getattr(thing, name, None)) for name in ("release", "publish", "simulate"))
    whole = not inspect.isabstract(thing) and not getattr(thing, "_is_protocol", False)
    return inspect.isclass(thing) and gives and whole and hasattr(thing, "guarantee")


def certificates(
    implementations: Mapping[str, Sequence[str]], audits: Iterable[AuditRecord] = ()
) -> list[PrivacyCertificate]:
    """Write a certificate for each mechanism among the implementations.

    Parameters
    ----------
    implementations
        For each dotted name the ids of the claims that it cites.
    audits
        What a run recorded.
    """
    tried: dict[str, list[AuditRecord]] = {}
    for audit in audits:
        tried.setdefault(audit.code, []).append(audit)
    things = ((name, find(name), tuple(claims)) for name, claims in implementations.items())
    return [
        _certificate(name, thing, claims, tuple(sorted(tried.get(name, ()), key=_place)))
        for name, thing, claims in things
        if thing is not None and is_mechanism(thing)
    ]


def _place(audit: AuditRecord) -> tuple[bool, str, str]:
    """Order audits by what was seen, controls last."""
    return audit.control, audit.view, audit.node


def _certificate(
    name: str, mechanism: type, claims: tuple[str, ...], audits: tuple[AuditRecord, ...]
) -> PrivacyCertificate:
    citations = Implementation.of(mechanism).citations
    repaired = tuple(citation.claim for citation in citations if citation.target.endswith("+repair"))
    guarantee = mechanism.__dict__.get("guarantee", getattr(mechanism, "guarantee", None))
    title = str(getattr(mechanism, "name", mechanism.__name__))
    if guarantee is None:
        row = Row("What is guaranteed?", f"Nothing. {_first_paragraph(mechanism)}", _PARAMETERS)
        return PrivacyCertificate(name, title, False, claims, (row,), audits, repaired)
    shared = STREAM if hasattr(mechanism, "publish") else TABLE
    proof = _section(mechanism, r"\*Proof\.\*") or _section(mechanism, r"\*What is guaranteed\.\*")
    words = shared.guarantee or f"Differential privacy with {plain(inspect.getdoc(guarantee) or '')}"
    rows = (
        Row("What is guaranteed?", words, _PARAMETERS),
        Row("Between which data sets?", shared.adjacency, "neighbouring data sets"),
        Row("Whose privacy?", shared.unit, "unit of privacy"),
        Row("Who is trusted?", shared.trust, "trust model"),
        Row("Under what assumptions?", shared.assumptions, "sensitivity and bounded contributions"),
        Row("How much noise?", _calibration(mechanism) or shared.calibration, "calibration of noise"),
        Row("Why is it true?", proof or "See the claims.", "correctness of the mechanism"),
        Row("Where do random bits come from?", BITS, "random number generation"),
        Row("What of floating point?", shared.floats or _floating_point(mechanism), "floating-point arithmetic"),
        Row(
            "What is not covered?",
            _section(mechanism, "What the proof does not cover:") or shared.not_covered,
            "side channels",
        ),
        Row("What of several releases?", shared.several, "composition"),
        Row("What else must be looked at?", OUTSIDE, "security, access control and data exposure"),
        *_missed(audits),
    )
    return PrivacyCertificate(name, title, True, claims, rows, audits, repaired)


def _missed(audits: Sequence[AuditRecord]) -> tuple[Row, ...]:
    words = excess_words(audits)
    return (Row("What would the audits of this run have missed?", words, "testing of the implementation"),) * bool(
        words
    )


def _documents(mechanism: type) -> list[str]:
    """Return the documentation of a class and of those that it extends, the nearest first."""
    return [inspect.cleandoc(base.__doc__) for base in mechanism.__mro__ if base.__doc__ and base is not object]


def _first_paragraph(mechanism: type) -> str:
    return plain(" ".join(_documents(mechanism)[0].split("\n\n")[:2]))


def _section(mechanism: type, heading: str) -> str:
    """Return what follows a heading in the documentation, up to the next section."""
    for text in _documents(mechanism):
        found = re.search(heading + _UP_TO_THE_NEXT, text, re.DOTALL)
        if found:
            words = plain(found[1])
            return words[:1].upper() + words[1:]
    return ""


def _calibration(mechanism: type) -> str:
    for text in _documents(mechanism):
        found = re.search(r"^calibration\n((?:    .*\n?)+)", text, re.MULTILINE)
        if found:
            return plain(found[1])
    return ""


def _floating_point(mechanism: type) -> str:
    text: Any = " ".join(_documents(mechanism)[:2]).lower()
    methods = []
    if "lattice" in text or hasattr(mechanism, "coordinate_bits"):
        methods.append(LATTICE)
    if "correct rounding" in text or "correctly" in text:
        methods.append(ROUNDING)
    return " ".join(methods) or _FLOATS
