"""The report of a run as one offline HTML file: claims, code, evidence and counterexamples, two clicks apart."""

from __future__ import annotations

import functools
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dpmatrix.claims import Changes, Finding, Grade, Ledger, Role, Severity, claim_of
from dpmatrix.reporting.anchors import anchor
from dpmatrix.reporting.certificates import certificates
from dpmatrix.reporting.code import source_of
from dpmatrix.reporting.environment import run_facts
from dpmatrix.reporting.figures import Reproduced
from dpmatrix.reporting.graph import picture
from dpmatrix.reporting.sentences import (
    binding_words,
    bounds,
    counted,
    outcome_words,
    paragraphs,
    pieces_of_evidence,
    seen_words,
    standing_class,
    standing_words,
)
from dpmatrix.typesetting.prose import in_signs
from dpmatrix.typesetting.statements import Typeset

SYMBOLS = {Role.SUPPORTS: "+", Role.REFUTES: "−", Role.SUPPORTS_REPAIR: "r", Role.CONTROL: "c"}
"""How the matrix abbreviates roles."""
GRADES = tuple(grade.value for grade in Grade)
FIELD_WORDS = {
    "verdict": "verdict",
    "standing": "standing",
    "fingerprint": "text (fingerprint)",
    "evidence": "pieces of evidence",
}
"""What may change about a claim, for a reader."""
NONE: Mapping[str, Typeset] = MappingProxyType({})


@functools.cache
def templates() -> Environment:
    """Return what the pages are written with, compiled once in a process."""
    found = Environment(
        loader=PackageLoader("dpmatrix.reporting"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    found.globals |= {"anchor": anchor, "bounds": bounds, "counted": counted, "field_words": FIELD_WORDS}
    words = (binding_words, outcome_words, paragraphs, run_facts, seen_words, standing_class, standing_words)
    found.globals |= {function.__name__: function for function in words}
    found.filters["in_signs"] = in_signs
    return found


def render(
    described: Sequence[Mapping[str, Any]],
    ledger: Ledger,
    titles: Mapping[str, str],
    pending: Collection[str],
    constants: Mapping[str, Any] | None = None,
    found: Sequence[Finding] = (),
    figures: Sequence[Reproduced] = (),
    changes: Changes | None = None,
    formulas: Mapping[str, Typeset] = NONE,
) -> str:
    """Render the claims of one run.

    Parameters
    ----------
    described
        Claims as `dpmatrix.claims.describe` returns them.
    ledger
        The run.
    titles
        The title of each document by its name.
    pending
        Ids of the catalogue that have not been begun.
    constants
        The table of printed constants: an ``explanation``, the ``headings`` and the ``rows``; left out by default.
    found
        What was found wrong or loose, as `dpmatrix.claims.findings` lists it.
    figures
        What can be reproduced, and was.
    changes
        What is different from a snapshot; left out by default.
    formulas
        Statements and repairs as formulas, by their names; the others are shown in words alone.
    """
    begun = {claim["document"] for claim in described}
    implementing = implementing_claims(described)
    certified = certificates(implementing, ledger.audits)
    drawn, alone = picture(described)
    return (
        templates()
        .get_template("report.html.j2")
        .render(
            documents={name: titles[name] for name in titles if name in begun},
            claims=[_viewed(claim, described) for claim in described],
            verdicts=Counter(claim["verdict"] for claim in described),
            states=Counter(claim["standing"] and standing_class(claim) for claim in described).most_common(),
            bases=Counter(claim["basis"] for claim in described if claim["basis"]).most_common(),
            grades=GRADES,
            symbols={role.value: symbol for role, symbol in SYMBOLS.items()},
            code=[(name, source_of(name), claims) for name, claims in implementing.items()],
            evidence=_items(described),
            graph=Markup(drawn),  # noqa: S704 - `picture` escapes what it is given
            alone=alone,
            certificates=certified,
            certified={certificate.name for certificate in certified},
            known={claim["id"] for claim in described},
            severities=[(grave, [finding for finding in found if finding.severity is grave]) for grave in Severity],
            found=found,
            pending=sorted(pending),
            constants=constants,
            audits=ledger.audits,
            figures=figures,
            violations=ledger.violations,
            environment=ledger.environment,
            pieces=pieces_of_evidence([item.node for item in ledger.evidence]),
            changes=changes,
            formulas=formulas,
            seconds=sum({item.node: item.seconds for item in ledger.evidence}.values()),
        )
    )


def implementing_claims(described: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Index the claims by the code that implements them."""
    found: dict[str, list[str]] = {}
    for claim in described:
        for name in claim["implementations"]:
            found.setdefault(name, []).append(claim["id"])
    return dict(sorted(found.items()))


def _viewed(claim: Mapping[str, Any], described: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add to a claim what others say of it, and the words that the filters look for."""
    known = {other["id"] for other in described}
    passed = [item for item in claim["evidence"] if item["outcome"] == "passed"]
    matrix: dict[str, Counter[str]] = {grade: Counter() for grade in GRADES}
    for item in passed:
        matrix[item["grade"]][item["role"]] += 1
    return {
        **claim,
        "below": [(use, claim_of(use) if claim_of(use) in known else None) for use in claim["uses"]],
        "above": [other["id"] for other in described if claim["id"] in {claim_of(use) for use in other["uses"]}],
        "steps": [
            {
                **step,
                "items": [item for item in claim["evidence"] if item["target"] == f"{claim['id']}/{step['name']}"],
            }
            for step in claim["steps"]
        ],
        "refuting": sorted(
            (item for item in claim["evidence"] if item["role"] == Role.REFUTES.value),
            key=lambda item: (GRADES.index(item["grade"]), item["target"]),
        ),
        "matrix": matrix,
        "passed_grades": " ".join(sorted({item["grade"] for item in passed})),
        "margin_source": source_of(claim["margin"]),
    }


def _items(described: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Index the evidence by its test item, with all that the item speaks about."""
    found: dict[str, dict[str, Any]] = {}
    for claim in described:
        for item in claim["evidence"]:
            entry = found.setdefault(
                item["node"],
                {
                    "node": item["node"],
                    "command": f"python -m pytest {shlex.quote(item['node'])}",
                    "outcome": item["outcome"],
                    "seconds": item["seconds"],
                    "about": [],
                },
            )
            entry["about"].append({"claim": claim["id"], **item})
    return [found[node] for node in sorted(found)]
