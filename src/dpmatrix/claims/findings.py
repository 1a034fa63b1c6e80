"""What was found wrong or loose in the documents: computed from verdicts and judged steps, never listed by hand."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import Any

import attrs

from dpmatrix.claims.claim import FALSE_AS_STATED, Claim, Defect, Verdict
from dpmatrix.claims.evidence import KERNEL_GRADES, Evidence, Grade, Role
from dpmatrix.claims.registry import Registry


class Severity(IntEnum):
    """How much hangs on what is wrong; the gravest first."""

    PRIVACY_BROKEN = 1
    """A released output breaks a privacy guarantee that the document states, at data and parameters that it admits."""
    STATEMENT_FALSE = 2
    """The conclusion of another statement is false."""
    HYPOTHESIS_MISSING = 3
    """A statement that is true once a hypothesis is written out that the sentence leaves unsaid."""
    PROOF_BROKEN = 4
    """A line of a printed proof that is false, and that the proof needs."""
    REMARK_FALSE = 5
    """A sentence that is false, and on which no proof rests."""
    FORMULA_WRONG = 6
    """True under the same hypotheses once a constant, an index or a formula is changed."""
    SLIP = 7
    """A misprint, or a definition, an algorithm or an experiment that cannot be taken as it is printed."""

    @property
    def words(self) -> str:
        """The name in plain words."""
        return self.name.replace("_", " ").lower()

    def counted(self, number: int) -> str:
        """Say how many findings there are: "1 privacy guarantee broken", "2 statements false"."""
        noun, _, fault = _NOUNS[self].partition(" | ")
        return " ".join(filter(None, (str(number), noun if number == 1 else _PLURALS.get(noun, f"{noun}s"), fault)))


_NOUNS = {
    Severity.PRIVACY_BROKEN: "privacy guarantee | broken",
    Severity.STATEMENT_FALSE: "statement | false",
    Severity.HYPOTHESIS_MISSING: "hypothesis | missing",
    Severity.PROOF_BROKEN: "proof step | broken",
    Severity.REMARK_FALSE: "remark | false",
    Severity.FORMULA_WRONG: "formula | wrong",
    Severity.SLIP: "slip",
}
_PLURALS = {"hypothesis": "hypotheses"}
GRAVE = (Severity.PRIVACY_BROKEN, Severity.STATEMENT_FALSE, Severity.HYPOTHESIS_MISSING)
"""Accusations of a statement, which need a headline."""

_UNUSABLE = frozenset(
    {
        Verdict.ILL_POSED,
        Verdict.EXECUTABLE_WITH_REPAIR,
        Verdict.NOT_EXECUTABLE,
        Verdict.REPRODUCED_WITH_DIFFERENCE,
        Verdict.NOT_REPRODUCIBLE,
    }
)
_OF_DEFECT = {
    Defect.LEAK: Severity.PRIVACY_BROKEN,
    Defect.CONCLUSION: Severity.STATEMENT_FALSE,
    Defect.HYPOTHESIS: Severity.HYPOTHESIS_MISSING,
    Defect.FORMULA: Severity.FORMULA_WRONG,
    Defect.PROOF: Severity.PROOF_BROKEN,
    Defect.REMARK: Severity.REMARK_FALSE,
    Defect.SLIP: Severity.SLIP,
}
_GRADES = tuple(Grade)


def severity(claim: Claim) -> Severity | None:
    """Return how grave the verdict of a claim is, its proof aside; None if it stands as it is printed.

    The kind of the claim does not say it: a statement about privacy may be false for want of a hypothesis, and one
    about accuracy may guarantee privacy as well. Where no defect is named, nothing is said of privacy.
    """
    if claim.verdict in _UNUSABLE:
        return Severity.SLIP
    if claim.verdict not in FALSE_AS_STATED:
        return None
    if claim.defect is not None:
        return _OF_DEFECT[claim.defect]
    if claim.verdict is Verdict.REFUTED or claim.repair is None:
        return Severity.STATEMENT_FALSE
    before, after = (
        {condition.says for condition in statement.given} for statement in (claim.statement, claim.repair.statement)
    )
    # A repair that supposes less corrects the formula as well.
    return Severity.FORMULA_WRONG if after <= before else Severity.STATEMENT_FALSE


@attrs.frozen
class Finding:
    """One thing that is wrong or loose.

    Attributes
    ----------
    severity
        How much hangs on it.
    target
        The statement: the id of a claim, or of a step ``id/step``.
    claim
        The id of the claim.
    label
        Where the document prints it.
    says
        What is printed.
    verdict
        The verdict of the claim; of a step, its defect.
    wrong
        What is wrong with it.
    headline
        The same in one sentence; empty where nobody wrote one.
    command
        One line that shows it again.
    """

    severity: Severity
    target: str
    claim: str
    label: str
    says: str
    verdict: str
    wrong: str
    command: str
    headline: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        return attrs.asdict(self) | {"severity": self.severity.words}


def findings(registry: Registry, evidence: Iterable[Evidence] = ()) -> list[Finding]:
    """List everything found, the gravest first and then in the order of the documents.

    Parameters
    ----------
    registry
        The claims.
    evidence
        Items from which the commands are taken; without them a command shows the claim.
    """
    refuting: dict[str, list[Evidence]] = {}
    for item in evidence:
        if item.role is Role.REFUTES:
            refuting.setdefault(item.citation.target, []).append(item)
    found = [finding for claim in registry for finding in _of_claim(claim, refuting)]
    return sorted(found, key=lambda finding: finding.severity)


def _of_claim(claim: Claim, refuting: dict[str, list[Evidence]]) -> Iterator[Finding]:
    grave = severity(claim)

    def command(target: str) -> str:
        return _command(claim.id, refuting.get(target, ()))

    if grave is not None:
        yield Finding(
            grave,
            claim.id,
            claim.id,
            claim.source.label,
            claim.source.says,
            claim.verdict.value,
            claim.because,
            command(claim.id),
            claim.headline,
        )
    for step in claim.steps:
        if step.defect is not None:
            target = step.statement.name
            wrong = step.note or claim.because
            yield Finding(
                _OF_DEFECT[step.defect],
                target,
                claim.id,
                claim.source.label,
                step.statement.says,
                step.defect.value,
                wrong,
                command(target),
            )


def _command(claim_id: str, items: Sequence[Evidence]) -> str:
    """Return the command that runs the best refutation: by grade, then by time; a theorem's item shows no failure."""
    items = [item for item in items if item.grade not in KERNEL_GRADES]
    if not items:
        return f"python -m dpmatrix claims {claim_id}"
    best = min(items, key=lambda item: (_GRADES.index(item.grade), item.seconds, item.node))
    return f"python -m pytest {shlex.quote(best.node)}"
