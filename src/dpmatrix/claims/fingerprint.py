"""Fingerprints: a short hash of what a claim says and computes, so that an edit marks what rested on it."""

from __future__ import annotations

import hashlib
import re

import attrs

from dpmatrix.claims.claim import Claim
from dpmatrix.claims.description import describe_statement

LENGTH = 8

_CITATION = re.compile(
    r"(?P<target>(?P<claim>[a-z0-9.-]+?)(?P<part>\+repair|/[a-z0-9-]+)?)(?:@(?P<fingerprint>[0-9a-f]+))?"
)


@attrs.frozen
class Citation:
    """A reference to a claim, or to one of its statements, at a known fingerprint.

    Written ``wishart.theorem-4@1a2b3c4d``, ``wishart.theorem-6+repair@...`` or ``wishart.theorem-4/support@...``.
    """

    claim: str
    target: str
    fingerprint: str | None

    @classmethod
    def parse(cls, text: str) -> Citation:
        """Read a citation.

        Raises
        ------
        ValueError
            If the text is not of the form ``id``, ``id+repair`` or ``id/step`` with an optional ``@fingerprint``.
        """
        match = _CITATION.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} does not cite a claim; write document.label[+repair|/step]@fingerprint")
        return cls(match["claim"], match["target"], match["fingerprint"])


def fingerprint(claim: Claim) -> str:
    """Hash everything that a claim says and computes: its place, words, foundations, assumptions and statements.

    The verdict and the headline are left out: the snapshot holds the one, and the other repeats the reason.
    """
    digest = hashlib.sha256()
    because = " ".join(claim.because.split())  # where a paragraph ends says nothing of the claim
    parts = [claim.id, claim.kind.value, claim.source.label, claim.source.says, claim.reading, because]
    parts += [f"uses {use}" for use in claim.uses]
    parts += [] if claim.repair is None else [f"changed: {claim.repair.change}"]
    parts += [f"assuming {assumption}" for assumption in claim.assumes]
    seen: dict[int, int] = {}
    for name, statement in claim.statements().items():
        parts += [name, *describe_statement(statement, seen)]
    parts += [f"{step.name}:{step.defect.name if step.defect else step.sound}:{step.note}" for step in claim.steps]
    for part in parts:
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:LENGTH]
