"""Standing: whether a run has earned the verdict of a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

import attrs

from dpmatrix.claims.claim import Claim, Defect, Verdict
from dpmatrix.claims.evidence import MACHINE_GRADES, Evidence, Grade, Outcome, Role
from dpmatrix.claims.registry import Implementation, Registry
from dpmatrix.claims.truth import Truth


class State(Enum):
    """What a run says of a verdict."""

    EARNED = "earned"
    UNEARNED = "unearned"
    VIOLATED = "violated"
    OPEN = "open"


class Basis(Enum):
    """On what an earned verdict rests: the weakest of the grades that it needs, its foundations included."""

    MACHINE = "by machine"
    WRITTEN = "by a written proof"
    SAMPLES = "by samples"


_BASES = tuple(Basis)


def _basis_of(grade: Grade) -> Basis:
    if grade in MACHINE_GRADES:
        return Basis.MACHINE
    return Basis.WRITTEN if grade is Grade.DERIVED else Basis.SAMPLES


@attrs.frozen
class Standing:
    """The state of a claim after a run, with the reasons where it is not earned, and the basis where it is."""

    state: State
    reasons: tuple[str, ...] = ()
    basis: Basis | None = None


SUPPORTED = frozenset(
    {
        Verdict.HOLDS,
        Verdict.HOLDS_PROOF_REPAIRED,
        Verdict.CONDITIONAL,
        Verdict.WELL_POSED,
        Verdict.EXECUTABLE,
        Verdict.REPRODUCED,
    }
)
"""Verdicts under which the printed statement itself can be built upon."""

REPAIRED = frozenset(
    {
        Verdict.HOLDS_WITH_REPAIR,
        Verdict.ILL_POSED,
        Verdict.EXECUTABLE_WITH_REPAIR,
        Verdict.REPRODUCED_WITH_DIFFERENCE,
    }
)
"""Verdicts that need a refutation of the printed statement and support of the repaired one."""

FAILED = frozenset({Verdict.REFUTED, Verdict.NOT_EXECUTABLE, Verdict.NOT_REPRODUCIBLE})
"""Verdicts that need a refutation of the printed statement."""

_CONFORMANCE = frozenset({Verdict.EXECUTABLE, Verdict.EXECUTABLE_WITH_REPAIR})
_REPRODUCTION = frozenset({Verdict.REPRODUCED, Verdict.REPRODUCED_WITH_DIFFERENCE})


def _counts(evidence: Evidence, verdict: Verdict) -> bool:
    """Whether an item is worth enough: proof, or a stated confidence where code or data are the subject."""
    if verdict in _CONFORMANCE | _REPRODUCTION and evidence.grade is Grade.STATISTICAL:
        return evidence.outcome is Outcome.PASSED
    return evidence.proves


def _passing(claim: Claim, evidence: Iterable[Evidence], role: Role, target: str) -> list[Evidence]:
    return [
        item
        for item in evidence
        if item.role is role and item.citation.target == target and _counts(item, claim.verdict)
    ]


def _needs(claim: Claim) -> list[tuple[Role, str, str]]:
    """List the roles and targets that a verdict needs of the statement and of its repair, in words as well."""
    needs = []
    if claim.verdict in SUPPORTED:
        needs.append((Role.SUPPORTS, claim.id, "no proof-grade support of the statement"))
    if claim.verdict in REPAIRED | FAILED:
        needs.append((Role.REFUTES, claim.id, "no certified refutation of the statement"))
    if claim.repair is not None:
        name = claim.repair.statement.name
        needs.append((Role.SUPPORTS_REPAIR, name, "no proof-grade support of the repaired statement"))
    return needs


def _strongest(claim: Claim, evidence: Iterable[Evidence], role: Role, target: str) -> Basis | None:
    passing = _passing(claim, evidence, role, target)
    return min((_basis_of(item.grade) for item in passing), key=_BASES.index, default=None)


def basis(claim: Claim, evidence: Iterable[Evidence]) -> Basis | None:
    """Return on what the verdict of a claim rests, its foundations aside; None if something that it needs is missing.

    Each need counts by its strongest item, and the weakest need decides. A verdict that only refutes needs no more than
    the refutation, whatever repair stands beside it.
    """
    items = list(evidence)
    needs = [need for need in _needs(claim) if claim.verdict not in FAILED or need[0] is Role.REFUTES]
    found = [_strongest(claim, items, role, target) for role, target, _ in needs]
    return None if None in found else _weakest(found)


def _weakest(bases: Iterable[Basis | None]) -> Basis | None:
    return max((one for one in bases if one is not None), key=_BASES.index, default=None)


def _missing(claim: Claim, evidence: list[Evidence], implementations: Iterable[Implementation]) -> list[str]:
    """List what the verdict needs and the run does not have."""
    verdict = claim.verdict
    missing = [words for role, target, words in _needs(claim) if not _passing(claim, evidence, role, target)]
    if verdict in REPAIRED and claim.repair is None:
        missing.append("no repaired statement")
    for role, target, _ in _needs(claim):
        if role is not Role.REFUTES and not _passing(claim, evidence, Role.CONTROL, target):
            missing.append(f"no control of {target}: nothing shows that the check can fail")
    if verdict in _CONFORMANCE and not any(
        citation.claim == claim.id for implementation in implementations for citation in implementation.citations
    ):
        missing.append("no implementation cites it")
    missing += _unjudged_steps(claim, evidence)
    broken = [step.name for step in claim.steps if step.defect not in (None, Defect.REMARK, Defect.SLIP)]
    if verdict is Verdict.HOLDS and broken:
        missing.append(f"the printed proof has broken steps: {', '.join(broken)}")
    if verdict is Verdict.HOLDS_PROOF_REPAIRED and not broken:
        missing.append("no step of the printed proof is shown to be broken")
    return missing


def _settled(claim: Claim, evidence: Iterable[Evidence]) -> list[str]:
    """List what keeps a question from being open: proof or refutation of it, and steps that nobody judged."""
    items = list(evidence)
    settles = {Role.SUPPORTS: "supports", Role.REFUTES: "refutes"}
    found = [
        f"held to be open, yet {item.node} {settles[item.role]} it"
        for item in items
        if item.role in settles and item.citation.target == claim.id and item.proves
    ]
    return found + _unjudged_steps(claim, items)


def _unjudged_steps(claim: Claim, evidence: Iterable[Evidence]) -> list[str]:
    items, missing = list(evidence), []
    for step in claim.steps:
        role = Role.SUPPORTS if step.sound else Role.REFUTES
        if not _passing(claim, items, role, step.statement.name):
            missing.append(f"step {step.name!r} has no proof-grade item that {role.value} it")
    return missing


def held(claim: Claim) -> set[str]:
    """Name the statements that the author holds to be true."""
    names = {step.statement.name for step in claim.steps if step.sound}
    if claim.verdict in SUPPORTED:
        names.add(claim.id)
    if claim.repair is not None:
        names.add(claim.repair.statement.name)
    return names


def held_answer(claim: Claim, name: str) -> Truth | None:
    """Return what a statement is where its verdict shows: true if it is held to be, or false; None if it is open."""
    if name in held(claim):
        return Truth.TRUE
    return None if name == claim.id and claim.verdict is Verdict.OPEN else Truth.FALSE


def _contradictions(claim: Claim, evidence: Iterable[Evidence], failures: Mapping[str, Iterable[str]]) -> list[str]:
    """List the refutations of what the author holds to be true, and whatever else saw it false."""
    believed = held(claim)
    refuting = {
        (item.citation.target, item.node): "refuted by"
        for item in evidence
        if item.role is Role.REFUTES and item.citation.target in believed and _counts(item, claim.verdict)
    }
    failing = {(name, node): "false inside its hypotheses in" for name in believed for node in failures.get(name, ())}
    return [
        f"{name} is held to be true, yet {how} {node}" for (name, node), how in sorted((failing | refuting).items())
    ]


def _foundations(claim: Claim, registry: Registry, earned: Mapping[str, Standing]) -> list[str]:
    """List the claims that this one uses and that cannot carry it."""
    weak = []
    for use in claim.uses:
        used_id, repaired = use.removesuffix("+repair"), use.endswith("+repair")
        if used_id not in registry.claims:
            weak.append(f"uses the unknown claim {used_id!r}")
            continue
        used = registry[used_id]
        verdict = used.verdict
        # A refuted claim may bring a repair of its own, which its standing then has to earn like any other.
        mended = verdict in REPAIRED or (verdict in FAILED and used.repair is not None)
        if not (mended if repaired else verdict in SUPPORTED):
            weak.append(f"uses {use}, whose verdict is {verdict.value!r}")
        elif earned[used_id].state is not State.EARNED:
            weak.append(f"uses {use}, whose standing is {earned[used_id].state.value!r}")
        elif unnamed := set(registry[used_id].assumes) - set(claim.assumes):
            weak.append(f"uses {use}, without its assumptions: {', '.join(sorted(unnamed))}")
    return weak


def standings(
    registry: Registry,
    evidence: Iterable[Evidence],
    implementations: Iterable[Implementation],
    failures: Mapping[str, Iterable[str]] | None = None,
) -> dict[str, Standing]:
    """Compute the standing of every claim from the evidence of one run.

    Parameters
    ----------
    registry, evidence, implementations
        The claims, every item of evidence, and the code that cites claims.
    failures
        Names of unchanged statements that were false at a point inside their hypotheses, with the items that saw it.

    Raises
    ------
    ValueError
        If claims use each other in a circle.
    """
    by_claim: dict[str, list[Evidence]] = {claim.id: [] for claim in registry}
    for item in evidence:
        if item.citation.claim in by_claim:
            by_claim[item.citation.claim].append(item)
    implementations = tuple(implementations)
    found: dict[str, Standing] = {}
    under_way: list[str] = []

    def visit(claim_id: str) -> None:
        if claim_id in found:
            return
        if claim_id in under_way:
            raise ValueError(f"claims use each other in a circle: {' -> '.join([*under_way, claim_id])}")
        under_way.append(claim_id)
        claim = registry[claim_id]
        for use in claim.uses:
            if use.removesuffix("+repair") in registry.claims:
                visit(use.removesuffix("+repair"))
        under_way.pop()
        items = by_claim[claim_id]
        failed = [f"failed: {item.node}" for item in items if item.outcome is Outcome.FAILED]
        failed += _contradictions(claim, items, failures or {})
        reasons = _missing(claim, items, implementations) + _foundations(claim, registry, found)
        if failed:
            found[claim_id] = Standing(State.VIOLATED, tuple(failed))
        elif claim.verdict is Verdict.OPEN and not (settled := _settled(claim, items)):
            found[claim_id] = Standing(State.OPEN)
        elif claim.verdict is Verdict.OPEN:
            found[claim_id] = Standing(State.UNEARNED, tuple(settled))
        elif reasons:
            found[claim_id] = Standing(State.UNEARNED, tuple(reasons))
        else:
            rests_on = [basis(claim, items)]
            for use in claim.uses:
                used = use.removesuffix("+repair")
                rests_on.append(found[used].basis)
                if use != used:
                    rests_on.append(_strongest(registry[used], by_claim[used], Role.SUPPORTS_REPAIR, use))
            found[claim_id] = Standing(State.EARNED, basis=_weakest(rests_on))

    for claim in registry:
        visit(claim.id)
    return found
