"""``dpmatrix findings``: everything found wrong or loose in the documents, the gravest first."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from dpmatrix.claims import Finding, Severity, findings
from dpmatrix.commands.completion import document_names
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.runs import DEFAULT_LEDGER, AsJson, LedgerPath, read_ledger, runnable_evidence
from dpmatrix.reporting.sentences import counted, opening
from dpmatrix.spec import documents, examples, load

LONGEST = 200
"""Characters of a point that is printed with a finding."""


class Grave(StrEnum):
    """A severity in words."""

    PRIVACY_BROKEN = "privacy broken"
    STATEMENT_FALSE = "statement false"
    HYPOTHESIS_MISSING = "hypothesis missing"
    PROOF_BROKEN = "proof broken"
    REMARK_FALSE = "remark false"
    FORMULA_WRONG = "formula wrong"
    SLIP = "slip"


@one_line
def findings_command(
    *,
    document: Annotated[str | None, typer.Option(help="Only this document.", autocompletion=document_names)] = None,
    severity: Annotated[Grave | None, typer.Option(help="Only this severity.")] = None,
    as_json: AsJson = False,
    ledger: LedgerPath = DEFAULT_LEDGER,
) -> None:
    """List what is wrong or loose in the documents, each with commands that show it again."""
    if document is not None and document not in documents():
        raise typer.BadParameter(f"no document {document!r}; there are {', '.join(documents())}")
    run, registry = read_ledger(ledger), load()
    found = [
        finding
        for finding in findings(registry, runnable_evidence(run, registry))
        if document in (None, finding.claim.partition(".")[0]) and severity in (None, finding.severity.words)
    ]
    if as_json:
        typer.echo(json.dumps([finding.to_json() for finding in found], indent=1, ensure_ascii=False))
        return
    points = examples()
    for finding in found:
        typer.echo(f"{finding.severity.words}: {finding.target} ({finding.label}), {finding.verdict}")
        typer.echo(f"    stated: {' '.join(finding.says.split())}")
        typer.echo(f"    wrong:  {said(finding)}")
        if (point := points.get(finding.target, "")) and len(point) <= LONGEST:
            typer.echo(f"    $ dpmatrix claims {finding.target} --at {shlex.quote(point)}")
        typer.echo(f"    $ {finding.command}\n")
    typer.echo(summary(found))


def said(finding: Finding) -> str:
    """Say what is wrong: the headline, all of a note on a step, or the first sentences of a reason."""
    if finding.headline:
        return finding.headline
    words = " ".join(finding.wrong.split()) if finding.target != finding.claim else opening(finding.wrong)
    return words if re.search(r"[.!?]['\")]*$", words) else f"{words}."


def summary(found: Sequence[Finding]) -> str:
    """Count the findings by severity, in words."""
    counts = Counter(finding.severity for finding in found)
    return f"{counted(len(found), 'finding')}: " + ", ".join(grave.counted(counts[grave]) for grave in Severity)
