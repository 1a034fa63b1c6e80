"""The theorems of the kernel for a reader who knows no Rocq."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from dpmatrix.claims import Registry, claim_of
from dpmatrix.kernel.certificate import Certificate
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import FOLDER
from dpmatrix.kernel.theorems import Theorem, stated
from dpmatrix.spec import STANDINGS

CHECKOUT = STANDINGS.parents[1]
"""Where the proofs are; an installed library has none."""


@frozen
class Shown:
    """A theorem beside the statement that it speaks of.

    Attributes
    ----------
    name, statement
        What they are called.
    kind, role, says, not_covered
        What sort of theorem it is, and what it says.
    given, mathematics, python
        The statement: its hypotheses and its assertion in our words, and the function that computes its margin.
    fingerprint
        Of the claim, at the time of the check.
    rocq
        What Rocq has checked, as it is written.
    axioms, checked
        By the certificate.
    """

    name: str
    statement: str
    kind: str
    role: str
    says: str
    not_covered: str
    given: tuple[str, ...]
    mathematics: str
    python: str
    fingerprint: str
    rocq: str
    axioms: tuple[str, ...]
    checked: str


def theorems(registry: Registry, checkout: Path = CHECKOUT) -> list[Shown]:
    """Return every theorem once for each statement that it speaks of, in the order of the claims."""
    folder = checkout / FOLDER
    if not folder.is_dir():
        return []
    proofs, certificate = Proofs.read(folder), Certificate.read(folder)
    order = {name: place for place, name in enumerate(one for claim in registry for one in claim.statements())}
    found = [
        _shown(theorem, name, proofs, certificate, registry)
        for theorem in proofs.theorems.values()
        for name in theorem.statements
        if name in order
    ]
    return sorted(found, key=lambda shown: (order[shown.statement], shown.name))


def _shown(theorem: Theorem, name: str, proofs: Proofs, certificate: Certificate, registry: Registry) -> Shown:
    statement, entry = registry[claim_of(name)].statements()[name], certificate.theorems.get(theorem.key)
    current = entry is not None and not certificate.objections(proofs, theorem.key)
    source = statement.source
    return Shown(
        theorem.key,
        name,
        theorem.kind.value,
        theorem.role.value,
        theorem.says,
        theorem.not_covered,
        tuple(condition.says for condition in statement.given),
        statement.says,
        f"{getattr(source, '__module__', '')}.{getattr(source, '__qualname__', '')}".strip("."),
        entry.fingerprints.get(claim_of(name), "") if entry is not None else "",
        _rocq(theorem, name, proofs),
        entry.axioms if entry is not None else (),
        f"by Rocq {certificate.rocq} on {certificate.date}" if current else "not since it was changed",
    )


def _rocq(theorem: Theorem, name: str, proofs: Proofs) -> str:
    said = stated(proofs.sources.texts[theorem.file])[theorem.name]
    written = f"Theorem {theorem.name}{'' if said.startswith(':') else ' '}{said}."
    return f"{proofs.propositions[name].text}\n{written}" if theorem.proposition else written
