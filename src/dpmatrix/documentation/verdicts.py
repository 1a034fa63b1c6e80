"""What the registry says of a document, for the tables and sections of its page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from dpmatrix.claims import Claim, Registry, Severity, Verdict, claim_of, describe, findings
from dpmatrix.reporting.implementations import implementations
from dpmatrix.reporting.sentences import opening, standing_class, standing_words
from dpmatrix.spec import accepted_run, documents, load

AS_PRINTED = frozenset(
    {
        Verdict.HOLDS,
        Verdict.HOLDS_PROOF_REPAIRED,
        Verdict.WELL_POSED,
        Verdict.EXECUTABLE,
        Verdict.REPRODUCED,
    }
)
"""Verdicts of what may be used as it is printed."""

GROUPS: Mapping[str, frozenset[Verdict]] = {
    "as stated": AS_PRINTED,
    "with a named change": frozenset(
        {Verdict.HOLDS_WITH_REPAIR, Verdict.EXECUTABLE_WITH_REPAIR, Verdict.REPRODUCED_WITH_DIFFERENCE}
    ),
    "refuted": frozenset({Verdict.REFUTED, Verdict.NOT_EXECUTABLE}),
    "ill posed": frozenset({Verdict.ILL_POSED}),
    "open or not reproducible": frozenset({Verdict.OPEN, Verdict.CONDITIONAL, Verdict.NOT_REPRODUCIBLE}),
}
"""Verdicts in few columns, for a table of the documents; each verdict is in one of them."""


@frozen
class Entry:
    """One claim as its page shows it.

    Attributes
    ----------
    claim
        The claim.
    described
        The same as `dpmatrix.claims.describe` returns it.
    standing
        What the committed snapshot says, in words, or ``changed since`` where the claim has changed.
    because
        What fails, in a sentence, or the first sentences of its reason.
    """

    claim: Claim
    described: Mapping[str, Any]
    standing: str
    because: str

    @property
    def as_printed(self) -> bool:
        """Whether it may be used as it is printed."""
        return self.claim.verdict in AS_PRINTED

    @property
    def shade(self) -> str:
        """The colour of the standing."""
        return standing_class(self.described)

    @property
    def code(self) -> list[str]:
        """What implements it."""
        return list(self.described["implementations"])


@frozen
class Contents:
    """All claims, with what was found in each document."""

    registry: Registry
    entries: tuple[Entry, ...]
    titles: Mapping[str, str]

    @classmethod
    def read(cls) -> Contents:
        """Load the specification and the committed snapshot."""
        registry = load()
        entries = []
        for described in describe(registry, None, implementations(), accepted_run()):
            claim = registry[described["id"]]
            standing = "changed since" if described["standing"] is None else standing_words(described)
            entries.append(Entry(claim, described, standing, claim.headline or opening(claim.because)))
        return cls(registry, tuple(entries), documents())

    def of(self, document: str) -> list[Entry]:
        """List the claims of a document, in its order."""
        return [entry for entry in self.entries if entry.claim.document == document]

    def knows(self, target: str) -> bool:
        """Whether a claim, a repair ``id+repair`` or a step ``id/step`` of this name exists."""
        claim = self.registry.claims.get(claim_of(target))
        return claim is not None and target in claim.statements()

    def severities(self, document: str) -> list[str]:
        """Say how many things were found wrong or loose in a document, the gravest first: "1 proof step broken"."""
        counts = Counter(
            finding.severity for finding in findings(self.registry) if claim_document(finding.claim) == document
        )
        return [grave.counted(counts[grave]) for grave in Severity if counts[grave]]


def verdict_counts(entries: Iterable[Entry]) -> list[tuple[str, int]]:
    """Count verdicts, in the order in which they are defined."""
    counts = Counter(entry.claim.verdict for entry in entries)
    return [(verdict.value, counts[verdict]) for verdict in Verdict if counts[verdict]]


def group_counts(entries: Iterable[Entry]) -> list[int]:
    """Count the claims in each of `GROUPS`."""
    verdicts = [entry.claim.verdict for entry in entries]
    return [sum(verdict in group for verdict in verdicts) for group in GROUPS.values()]


def claim_document(claim: str) -> str:
    """Return the document that states a claim."""
    return claim.partition(".")[0]
