"""Vocabulary of the project: claims, verdicts, evidence and standing. It knows no mathematics."""

from dpmatrix.claims.audits import AuditRecord, AuditVerdict, Excess, Way, code_name
from dpmatrix.claims.binding import WrongFormulaError, bind, bind_hypotheses, redefined
from dpmatrix.claims.boxes import Certificate, certify, interval
from dpmatrix.claims.changes import Changes, Origin, changes
from dpmatrix.claims.claim import Claim, Defect, Kind, Locator, Repair, Step, Verdict
from dpmatrix.claims.conditions import Condition, OutsideHypothesesError
from dpmatrix.claims.evidence import Evidence, Grade, Outcome, Role
from dpmatrix.claims.findings import GRAVE, Finding, Severity, findings
from dpmatrix.claims.fingerprint import Citation, fingerprint
from dpmatrix.claims.forms import Chosen, Form, Law, NoFamilyError, Range
from dpmatrix.claims.gate import violations
from dpmatrix.claims.ledger import Ledger, describe
from dpmatrix.claims.names import claim_of
from dpmatrix.claims.observation import Observed, observing
from dpmatrix.claims.provenance import look_up
from dpmatrix.claims.records import record_of
from dpmatrix.claims.registry import Catalogue, Implementation, Registry, implements, nearest
from dpmatrix.claims.seen import Seen
from dpmatrix.claims.snapshots import Recorded, read_snapshot, snapshot
from dpmatrix.claims.standing import Basis, Standing, State, basis, held, standings
from dpmatrix.claims.statement import Statement
from dpmatrix.claims.truth import Truth, conjunction, decide

__all__ = [
    "GRAVE",
    "AuditRecord",
    "AuditVerdict",
    "Basis",
    "Catalogue",
    "Certificate",
    "Changes",
    "Chosen",
    "Citation",
    "Claim",
    "Condition",
    "Defect",
    "Evidence",
    "Excess",
    "Finding",
    "Form",
    "Grade",
    "Implementation",
    "Kind",
    "Law",
    "Ledger",
    "Locator",
    "NoFamilyError",
    "Observed",
    "Origin",
    "Outcome",
    "OutsideHypothesesError",
    "Range",
    "Recorded",
    "Registry",
    "Repair",
    "Role",
    "Seen",
    "Severity",
    "Standing",
    "State",
    "Statement",
    "Step",
    "Truth",
    "Verdict",
    "Way",
    "WrongFormulaError",
    "basis",
    "bind",
    "bind_hypotheses",
    "certify",
    "changes",
    "claim_of",
    "code_name",
    "conjunction",
    "decide",
    "describe",
    "findings",
    "fingerprint",
    "held",
    "implements",
    "interval",
    "look_up",
    "nearest",
    "observing",
    "read_snapshot",
    "record_of",
    "redefined",
    "snapshot",
    "standings",
    "violations",
]
