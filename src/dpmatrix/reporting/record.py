"""The report as data: what changed, what was found, what was tried, and the certificates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dpmatrix.claims import Changes, Finding, Ledger
from dpmatrix.reporting.certificates import certificates
from dpmatrix.reporting.html import implementing_claims


def report_record(
    described: Sequence[Mapping[str, Any]], ledger: Ledger, found: Sequence[Finding], changes: Changes
) -> dict[str, Any]:
    """Return what the HTML report says, for a machine; the claims with their evidence are in the ledger.

    Parameters
    ----------
    described, ledger, found, changes
        As `dpmatrix.reporting.html.render` takes them.
    """
    return {
        "summary": {
            "claims": len(described),
            "verdicts": dict(Counter(claim["verdict"] for claim in described)),
            "standings": dict(Counter(claim["standing"] or "changed since the run" for claim in described)),
            "pieces_of_evidence": len(ledger.evidence),
            "test_items": len({item.node for item in ledger.evidence}),
            "violations": list(ledger.violations),
        },
        "changes": changes.to_json(),
        "findings": [finding.to_json() for finding in found],
        "audits": [audit.to_json() | {"command": audit.command} for audit in ledger.audits],
        "certificates": [
            certificate.to_json() for certificate in certificates(implementing_claims(described), ledger.audits)
        ],
        "environment": dict(ledger.environment),
    }
