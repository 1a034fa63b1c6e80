"""What a run knows of theorems: which there are, and, if it asked Rocq, what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from dpmatrix.claims import Evidence, Outcome, Registry
from dpmatrix.claims.evidence import KERNEL_GRADES
from dpmatrix.kernel.certificate import Certificate
from dpmatrix.kernel.checking import installed
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import FOLDER, KernelError
from dpmatrix.kernel.theorems import Theorem
from dpmatrix.kernel.whole import check


class NotInstalledError(Exception):
    """A run is to ask Rocq, which is not there."""


Spoken = tuple[str, str, str, str]
"""Statement, role, grade and region of an item about a theorem: whatever it says otherwise is another item."""


def spoken(theorem: Theorem) -> dict[str, Spoken]:
    """Return what an item about each statement of a theorem has to say."""
    region = f"theorem {theorem.key}: {theorem.says}"
    return {name: (name, theorem.role.value, theorem.kind.value, region) for name in theorem.statements}


@attrs.frozen
class KernelRun:
    """What a run knows of theorems.

    Parameters
    ----------
    theorems
        For everything that an item may say: the theorem that says it.
    wrong
        What is wrong with each theorem, by its name; None in a run that does not ask Rocq.
    general
        What is wrong with the proofs, and of no theorem alone.
    date
        That of the certificate.
    stale
        Why the certificate is not of a theorem as it is written, by the theorem's name.
    """

    theorems: Mapping[Spoken, str]
    wrong: Mapping[str, tuple[str, ...]] | None = None
    general: tuple[str, ...] = ()
    date: str = ""
    stale: Mapping[str, tuple[str, ...]] = attrs.Factory(dict)

    @classmethod
    def of(cls, root: Path, registry: Registry, *, asks: bool) -> KernelRun:
        """Read the proofs of a checkout, and have Rocq check all of them if it is to be asked.

        Raises
        ------
        NotInstalledError
            If Rocq is to be asked and is not there.
        """
        folder = root / FOLDER
        if not folder.is_dir():
            return cls({})
        try:
            proofs, certificate = Proofs.read(folder), Certificate.read(folder)
        except KernelError as error:
            return cls({}, general=(str(error),))
        theorems = proofs.theorems
        known = {said: name for name, theorem in theorems.items() for said in spoken(theorem).values()}
        stale = {name: tuple(certificate.objections(proofs, name)) for name in theorems}
        if not asks:
            return cls(known, general=tuple(certificate.strangers(proofs)), date=certificate.date, stale=stale)
        if not installed():
            raise NotInstalledError(f"Rocq is not installed; {FOLDER}/debian-packages.txt lists what it needs")
        report = check(folder, registry, lambda _: None)
        wrong = {name: report.wrong_theorems.get(name, ()) for name in theorems}
        return cls(known, wrong, report.general, certificate.date, stale)

    def judge(self, evidence: Evidence) -> Evidence:
        """Return evidence as far as theorems decide about it: nothing is earned by one that Rocq did not check here."""
        if evidence.grade not in KERNEL_GRADES or evidence.outcome is not Outcome.PASSED:
            return evidence
        theorem = self.theorems.get(_says(evidence))
        if theorem is None:
            return attrs.evolve(evidence, outcome=Outcome.UNBOUND)
        if stale := self.stale.get(theorem):
            return attrs.evolve(evidence, outcome=Outcome.FAILED, detail="; ".join(stale))
        if self.wrong is None:
            said = f"theorem {theorem}: certificate of {self.date}, not checked here"
            return attrs.evolve(evidence, outcome=Outcome.UNCHECKED, detail=said)
        if wrong := (*self.general, *self.wrong[theorem]):
            return attrs.evolve(evidence, outcome=Outcome.FAILED, detail="; ".join(wrong))
        return attrs.evolve(evidence, detail=f"theorem {theorem}: checked by Rocq in this run")

    def objections(self, evidence: Iterable[Evidence], registry: Registry) -> list[str]:
        """List the theorems without an item and the items without a theorem, and what is wrong with all of them.

        Parameters
        ----------
        evidence
            Every item of evidence that exists.
        registry
            The claims of this run.
        """
        here = {_says(item): item.node for item in evidence if item.grade in KERNEL_GRADES}
        found = [f"kernel: {problem}" for problem in self.general]
        found += [f"kernel: {name}: {problem}" for name, wrong in (self.wrong or {}).items() for problem in wrong]
        found += [
            f"{node}: says of {said[0]} what no theorem says"
            for said, node in here.items()
            if said not in self.theorems
        ]
        statements = {name for claim in registry for name in claim.statements()}
        return found + [
            f"kernel: the theorem {name} has no item about {said[0]}"
            for said, name in self.theorems.items()
            if said not in here and said[0] in statements
        ]


def _says(evidence: Evidence) -> Spoken:
    return evidence.citation.target, evidence.role.value, evidence.grade.value, evidence.region
