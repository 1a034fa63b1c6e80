"""The gate: everything about a run that must not pass in silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dpmatrix.claims.evidence import BOUNDS, Bound, Evidence, Outcome, Role
from dpmatrix.claims.fingerprint import Citation
from dpmatrix.claims.registry import Catalogue, Implementation, Registry
from dpmatrix.claims.snapshots import Piece, accepted_evidence, gated, snapshot
from dpmatrix.claims.standing import Standing, State

_UNBOUND = {
    Role.SUPPORTS: "evaluating {target} unchanged and inside its hypotheses, or although it failed",
    Role.SUPPORTS_REPAIR: "evaluating {target} unchanged and inside its hypotheses, or although it failed",
    Role.REFUTES: "finding a point where the hypotheses of {target} hold and it fails",
    Role.CONTROL: "seeing a changed version of {target} fail",
}
"""What an item that is not bound to its statement left out."""


def _registry_and_catalogue(registry: Registry, catalogue: Catalogue) -> list[str]:
    problems = []
    if not len(registry):
        problems.append("the registry is empty")
    if not catalogue.ids:
        problems.append("the catalogue is empty")
    problems += [f"{claim.id}: not an id of the catalogue" for claim in registry if claim.id not in catalogue.ids]
    problems += [
        f"{claim_id}: in the catalogue, neither specified nor declared as not begun"
        for claim_id in catalogue.ids
        if claim_id not in registry.claims and claim_id not in catalogue.pending
    ]
    problems += [
        f"{claim_id}: declared as not begun, yet specified"
        for claim_id in sorted(catalogue.pending)
        if claim_id in registry.claims
    ]
    problems += [
        f"{claim_id}: pending, but not in the catalogue" for claim_id in sorted(catalogue.pending - {*catalogue.ids})
    ]
    return problems


def _citation(registry: Registry, citation: Citation, where: str) -> list[str]:
    if not registry.knows(citation):
        return [f"{where}: cites {citation.target!r}, which does not exist"]
    if not registry.current(citation):
        now = registry.fingerprints[citation.claim]
        return [f"{where}: suspect, it was written for {citation.target}@{citation.fingerprint}, now @{now}"]
    return []


def _lost(evidence: Iterable[Evidence], committed: Mapping[str, object]) -> list[str]:
    """List the accepted pieces of evidence that are gone, or that no longer say the same."""
    here = {Piece.of(item) for item in evidence}
    return [
        f"{piece.node}: the committed snapshot has its evidence {piece.words!r}, which is gone or says something else"
        for piece in accepted_evidence(committed)
        if piece not in here
    ]


def _loosened(evidence: Iterable[Evidence], committed: Mapping[str, object]) -> list[str]:
    """List the pieces of evidence that passed, and whose formula was bound to the statement more tightly once."""
    here = {Piece.of(item): item.bound for item in evidence if item.outcome is Outcome.PASSED}
    return [
        f"{piece.node}: its formula was bound to {piece.target} {piece.bound}, now {bound.value}"
        for piece in accepted_evidence(committed)
        if piece.bound is not None
        and (bound := here.get(piece)) is not None
        and BOUNDS.index(bound) > BOUNDS.index(Bound(piece.bound))
    ]


def violations(
    registry: Registry,
    catalogue: Catalogue,
    evidence: Iterable[Evidence],
    implementations: Iterable[Implementation],
    found: Mapping[str, Standing],
    committed: Mapping[str, object],
) -> list[str]:
    """List everything that the gate objects to; an empty list opens it.

    Parameters
    ----------
    registry, catalogue
        The claims, and the ids that must have one.
    evidence
        Every item that exists, whether it ran or not.
    implementations
        Every mechanism of the library, with the citations that it makes.
    found
        Standings of this run.
    committed
        The snapshot under version control.
    """
    problems = _registry_and_catalogue(registry, catalogue)
    evidence = tuple(evidence)
    if not evidence:
        problems.append("there is no evidence at all")
    for item in evidence:
        problems += _citation(registry, item.citation, item.node)
        if item.outcome is None:
            problems.append(f"{item.node}: evidence that never ran")
        elif item.outcome is Outcome.UNBOUND:
            problems.append(f"{item.node}: passed without {_UNBOUND[item.role]}".format(target=item.citation.target))
        elif not item.accepted:
            problems.append(f"{item.node}: evidence was {item.outcome.value}")
    for implementation in implementations:
        if not implementation.citations:
            problems.append(f"{implementation.name}: implements no claim")
        for citation in implementation.citations:
            problems += _citation(registry, citation, implementation.name)
    for claim in registry:
        standing = found[claim.id]
        if standing.state not in (State.EARNED, State.OPEN):
            problems += [f"{claim.id}: {standing.state.value}: {reason}" for reason in standing.reasons]
    now = snapshot(registry, found)
    for claim_id in sorted(now.keys() | committed.keys()):
        known, here = gated(committed.get(claim_id)), gated(now.get(claim_id))
        if known != here:
            problems.append(f"{claim_id}: the committed snapshot has {known}, this run {here}")
    return problems + _lost(evidence, committed) + _loosened(evidence, committed)
