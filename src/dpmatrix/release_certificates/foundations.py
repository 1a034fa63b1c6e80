"""The claims on which a release rests: verdict, standing, and who or what checked their proofs, in plain words."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from dpmatrix.claims import Grade, Ledger, Outcome, Role, State, Verdict, claim_of, describe
from dpmatrix.claims.evidence import KERNEL_GRADES, MACHINE_GRADES, PROOF_GRADES
from dpmatrix.claims.provenance import RunKind
from dpmatrix.kernel.certificate import Certificate
from dpmatrix.kernel.judging import Proofs
from dpmatrix.kernel.sources import FOLDER, NO_DATE, KernelError
from dpmatrix.reporting.implementations import cited_in_sources
from dpmatrix.reporting.sentences import counted, standing_class, standing_words
from dpmatrix.spec import STANDINGS, accepted_run, load_with_foundations
from dpmatrix.typesetting.statements import Typeset, typeset

_MACHINE = frozenset(grade.value for grade in MACHINE_GRADES - KERNEL_GRADES)
_KERNEL = frozenset(grade.value for grade in KERNEL_GRADES)
NOT_HERE = "not checked here"
_BY_ASSISTANT = "In a proof assistant, about ideal laws of real numbers:"


@frozen
class Theorem:
    """A theorem of a proof assistant that the evidence names.

    Attributes
    ----------
    name
        Its name.
    says
        What it states, in our words.
    seen
        Whether the run at hand checked it, or what certificate there is.
    """

    name: str
    says: str
    seen: str

    @property
    def words(self) -> str:
        """All of it in a sentence."""
        return f"{_BY_ASSISTANT} {self.says} (Theorem {self.name}: {self.seen}.)"


@frozen
class Foundation:
    """A claim, or its repair, that the mechanism implements.

    Attributes
    ----------
    target
        The claim's id, with ``+repair`` where it is the repaired statement that is implemented.
    kind
        What sort of thing the claim is.
    says
        The statement that is implemented, in our words.
    printed
        Of a repair: whether it is confirmed, and what became of the statement as printed; else verdict and standing.
    proof
        Who or what checked the statement that is implemented: one sentence for each kind of evidence but theorems.
    theorems
        Those of a proof assistant.
    standing_class
        The colour of `printed`.
    verdict, standing
        As the report has them; the standing is None where no run saw the claim as it is.
    holds
        Whether a run saw the verdict earned, with proof or samples for the statement that is implemented.
    formulas
        The statement that is implemented as formulas; None where it has none that a person would read.
    """

    target: str
    kind: str
    says: str
    printed: str
    proof: tuple[str, ...]
    theorems: tuple[Theorem, ...]
    standing_class: str
    verdict: str
    standing: str | None
    holds: bool
    formulas: Typeset | None

    @property
    def checked(self) -> tuple[str, ...]:
        """Who or what checked it, where theorems are counted and not stated."""
        seen = Counter(one.seen for one in self.theorems)
        return (*self.proof, *(_counted_theorems(number, how) for how, number in seen.items()))

    def to_json(self) -> dict[str, Any]:
        """Return what a signed statement says of it: in the words of the page."""
        return {
            "statement": self.target,
            "kind": self.kind,
            "verdict": self.verdict,
            "standing": self.printed,
            "proof": [*self.proof, *(one.words for one in self.theorems)],
        }


def _counted_theorems(number: int, seen: str) -> str:
    told = "what it states" if number == 1 else "what they state"
    return f"{_BY_ASSISTANT} {counted(number, 'theorem')} ({seen}); {told} stands in the appendix."


def foundations(targets: Sequence[str], ledger: Ledger | None) -> list[Foundation]:
    """Describe the claims of a mechanism, by the last run where it fits, else by the accepted run.

    Parameters
    ----------
    targets
        What the mechanism cites: ids of claims or of their repairs.
    ledger
        The last run, or None.
    """
    ids = tuple(dict.fromkeys(claim_of(target) for target in targets))
    registry = load_with_foundations(*ids)
    described = {one["id"]: one for one in describe(registry, ledger, cited_in_sources(), accepted_run(), ids)}
    theorems = _theorems(STANDINGS.parents[1] / FOLDER)
    stated = {name: one for claim in registry for name, one in claim.statements().items()}
    return [_foundation(target, described[claim_of(target)], theorems, typeset(stated[target])) for target in targets]


def _foundation(target: str, claim: Mapping[str, Any], theorems: _Theorems, formulas: Typeset | None) -> Foundation:
    repaired = target.endswith("+repair")
    role = Role.SUPPORTS_REPAIR if repaired else Role.SUPPORTS
    items = [one for one in claim["evidence"] if (one["target"], one["role"]) == (target, role.value)]
    passed = [one for one in items if one["outcome"] == Outcome.PASSED.value]
    proof = _proof(claim, passed, repaired=repaired)
    shown = _is_shown(claim, passed)
    return Foundation(
        target=target,
        kind=claim["kind"],
        says=claim["repair"]["says"] if repaired else claim["says"],
        printed=_as_printed(claim, shown=shown if repaired else None),
        proof=tuple(proof),
        theorems=tuple(theorems.named(one, claim["fingerprint"]) for one in items if one["grade"] in _KERNEL),
        standing_class=_colour(claim, repaired=repaired),
        verdict=claim["verdict"],
        standing=claim["standing"],
        holds=claim["standing"] == State.EARNED.value and shown,
        formulas=formulas,
    )


def _is_shown(claim: Mapping[str, Any], passed: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a run saw enough of the statement that is implemented: a refutation says nothing of a repair."""
    grades = {Grade(one["grade"]) for one in passed}
    runs = claim["verdict"] in (Verdict.EXECUTABLE.value, Verdict.EXECUTABLE_WITH_REPAIR.value)
    return bool(grades & PROOF_GRADES) or (runs and Grade.STATISTICAL in grades)


def _as_printed(claim: Mapping[str, Any], *, shown: bool | None) -> str:
    """Say what became of the claim; of a repaired one first whether a run saw the repair, never that it is earned.

    Parameters
    ----------
    claim
        As `dpmatrix.claims.describe` returns it.
    shown
        Of a repair whether a run saw enough of it; None where the claim is implemented as printed.
    """
    if shown is None:
        return f"{claim['verdict']}; standing: {standing_words(claim)}"
    if claim["standing"] == State.EARNED.value and shown:
        run = "the accepted run" if claim["standing_from"] == RunKind.ACCEPTED_RUN.value else "the run at hand"
        return f"the repair is confirmed by {run}; as printed it does not hold: {claim['verdict']}"
    return f"as printed: {claim['verdict']}; {standing_words(claim)}"


def _colour(claim: Mapping[str, Any], *, repaired: bool) -> str:
    found = standing_class(claim)
    return "confirmed" if repaired and found == State.EARNED.value else found


def _proof(claim: Mapping[str, Any], passed: Sequence[Mapping[str, Any]], *, repaired: bool) -> list[str]:
    """Say what a run saw of the proof of the statement that is implemented."""
    grades = {one["grade"] for one in passed}
    words = []
    if grades & _MACHINE:
        words.append("Checked by machine in the regions that the evidence names.")
    if Grade.DERIVED.value in grades:
        steps = 0 if repaired else _checked_steps(claim)
        checked = f", {counted(steps, 'step')} checked by machine" if steps else ", no step checked by machine alone"
        words.append(f"Proved by hand{checked}.")
    if Grade.STATISTICAL.value in grades:
        count = sum(one["grade"] == Grade.STATISTICAL.value for one in passed)
        words.append(f"Tried on samples, at stated confidence: {counted(count, 'item')} passed.")
    return words or ["No run at hand saw a proof of it pass."]


def _checked_steps(claim: Mapping[str, Any]) -> int:
    """Count the sound steps of the printed proof that a machine checked, other than a proof assistant."""
    sound = {f"{claim['id']}/{step['name']}" for step in claim["steps"] if step["sound"]}
    return len(
        {
            one["target"]
            for one in claim["evidence"]
            if one["target"] in sound
            and one["role"] == Role.SUPPORTS.value
            and one["grade"] in _MACHINE
            and one["outcome"] == Outcome.PASSED.value
        }
    )


@functools.cache
def _theorems(folder: Path) -> _Theorems:
    """Read the theorems once in a process."""
    return _Theorems(folder)


class _Theorems:
    """What is at hand of the theorems of a proof assistant: the certificate of the last check, and the files."""

    def __init__(self, folder: Path) -> None:
        try:
            self._certificate = Certificate.read(folder)
            self._proofs = Proofs.read(folder) if folder.is_dir() else None
        except (KernelError, OSError):
            self._certificate, self._proofs = Certificate(NO_DATE, "", (), {}), None

    def named(self, item: Mapping[str, Any], fingerprint: str) -> Theorem:
        """Return the theorem that an item of evidence names, with what is known of it."""
        name, _, says = item["region"].removeprefix("theorem ").partition(":")
        return Theorem(name, says.strip(), self._seen(item, name, fingerprint))

    def _seen(self, item: Mapping[str, Any], name: str, fingerprint: str) -> str:
        if item["outcome"] == Outcome.PASSED.value:
            return "checked in the run at hand"
        entry = self._certificate.theorems.get(name)
        if item["outcome"] != Outcome.UNCHECKED.value or entry is None or self._proofs is None:
            return f"no certificate of it is at hand, and it was {NOT_HERE}"
        wrong = self._certificate.objections(self._proofs, name) if name in self._proofs.theorems else ["it is gone"]
        if wrong or fingerprint not in entry.fingerprints.values():
            return f"the certificate is not of the text as it is, and it was {NOT_HERE}"
        return f"in the kernel's certificate of {self._certificate.date}, {NOT_HERE}"
