"""Vocabulary of the project: claims, verdicts, evidence and standing. It knows no mathematics."""

from dpmatrix.claims.audits import AuditRecord, AuditVerdict
from dpmatrix.claims.binding import WrongFormulaError, bind, bind_hypotheses
from dpmatrix.claims.boxes import Certificate, certify, interval
from dpmatrix.claims.claim import Claim, Kind, Locator, Repair, Step, Verdict
from dpmatrix.claims.evidence import Evidence, Grade, Outcome, Role
from dpmatrix.claims.findings import Finding, Severity, findings
from dpmatrix.claims.fingerprint import Citation, fingerprint
from dpmatrix.claims.gate import violations
from dpmatrix.claims.ledger import Ledger, describe, snapshot
from dpmatrix.claims.registry import Catalogue, Implementation, Registry, implements
from dpmatrix.claims.standing import Standing, State, standings
from dpmatrix.claims.statement import Condition, Observed, OutsideHypothesesError, Statement, observing
from dpmatrix.claims.truth import Truth, conjunction, decide

__all__ = [
    "AuditRecord",
    "AuditVerdict",
    "Catalogue",
    "Certificate",
    "Citation",
    "Claim",
    "Condition",
    "Evidence",
    "Finding",
    "Grade",
    "Implementation",
    "Kind",
    "Ledger",
    "Locator",
    "Observed",
    "Outcome",
    "OutsideHypothesesError",
    "Registry",
    "Repair",
    "Role",
    "Severity",
    "Standing",
    "State",
    "Statement",
    "Step",
    "Truth",
    "Verdict",
    "WrongFormulaError",
    "bind",
    "bind_hypotheses",
    "certify",
    "conjunction",
    "decide",
    "describe",
    "findings",
    "fingerprint",
    "implements",
    "interval",
    "observing",
    "snapshot",
    "standings",
    "violations",
]
