"""Who says how a claim stands: a run on this text of it, the accepted run that is committed, or nobody."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Protocol

import attrs

from dpmatrix.claims.evidence import Evidence
from dpmatrix.claims.names import claim_of
from dpmatrix.claims.registry import Registry
from dpmatrix.claims.snapshots import Recorded
from dpmatrix.claims.standing import Standing


class RunKind(Enum):
    """Where a standing, and the outcome of a piece of evidence, come from."""

    RUN = "run"
    ACCEPTED_RUN = "accepted run"
    """The run whose snapshot is committed beside the specification."""


@attrs.frozen
class Seen:
    """What is known of how a claim stands.

    Parameters
    ----------
    standing
        None where no run saw the claim, and all that it rests on, as they are now.
    run
        Which run says so; None where none does.
    evidence
        What that run saw; an outcome that was seen for another text of the claim is left out.
    note
        Why the standing is not that of the last run; empty where it is.
    """

    standing: Standing | None = None
    run: RunKind | None = None
    evidence: tuple[Evidence, ...] = ()
    note: str = ""


class RunRecord(Protocol):
    """The part of a ledger that this module reads."""

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every item of evidence with its outcome."""

    @property
    def standings(self) -> Mapping[str, Standing]:
        """The standing of every claim."""

    @property
    def fingerprints(self) -> Mapping[str, str]:
        """The fingerprint of every claim at the time of the run."""

    @property
    def verdicts(self) -> Mapping[str, str]:
        """The verdict of every claim at the time of the run."""


def changed(registry: Registry, claim_id: str, known: Mapping[str, tuple[str, str]]) -> str | None:
    """Say which claim has another text or verdict now: the claim itself, or one that it rests on.

    Parameters
    ----------
    registry
        The claims as they are now.
    claim_id
        The claim that is asked about.
    known
        Fingerprint and verdict of each claim as they were.

    Returns
    -------
    str or None
        The id of the first claim that differs or was unknown; None where all are as they were.
    """
    waiting, met = [claim_id], {claim_id}
    while waiting:
        name = waiting.pop()
        claim = registry.claims.get(name)
        if claim is None or known.get(name) != (registry.fingerprints[name], claim.verdict.value):
            return name
        uses = {claim_of(use) for use in claim.uses} - met
        met |= uses
        waiting += sorted(uses)
    return None


def look_up(
    registry: Registry, ledger: RunRecord | None, accepted: Mapping[str, Recorded], claims: Iterable[str]
) -> dict[str, Seen]:
    """Return what is known of claims: from the ledger of a run where it fits, else from the accepted run.

    Parameters
    ----------
    registry
        The claims as they are now, with all that they rest on.
    ledger
        The last run, or None.
    accepted
        The committed snapshot; empty where there is none.
    claims
        The ids that are asked about.
    """
    kept = {name: (entry.fingerprint, entry.verdict) for name, entry in accepted.items()}
    fingerprints = {} if ledger is None else ledger.fingerprints
    ran = {} if ledger is None else {n: (fingerprints[n], v) for n, v in ledger.verdicts.items() if n in fingerprints}
    items: dict[str, list[Evidence]] = {}
    for item in () if ledger is None else ledger.evidence:
        items.setdefault(item.citation.claim, []).append(item)
    found = {}
    for name in claims:
        since_run, since_accepted = changed(registry, name, ran), changed(registry, name, kept)
        note = "" if ledger is None else _note(name, since_run, name in ran, "last run")
        if ledger is not None and since_run is None and name in ledger.standings:
            found[name] = Seen(ledger.standings[name], RunKind.RUN, tuple(items.get(name, ())))
        elif since_accepted is None:
            entry = accepted[name]
            found[name] = Seen(Standing(entry.state, basis=entry.basis), RunKind.ACCEPTED_RUN, entry.items(), note)
        else:
            note = note or _note(name, since_accepted, name in kept, "accepted run")
            found[name] = Seen(None, None, _still(registry, name, items, accepted), note)
    return found


def _still(
    registry: Registry, name: str, items: Mapping[str, list[Evidence]], accepted: Mapping[str, Recorded]
) -> tuple[Evidence, ...]:
    """Return the evidence that is known, with the outcomes that were seen for the claim's present text alone."""
    known = items.get(name) or (accepted[name].items() if name in accepted else ())
    now = registry.fingerprints[name]
    return tuple(item if item.citation.fingerprint == now else attrs.evolve(item, outcome=None) for item in known)


def _note(name: str, which: str | None, known: bool, run: str) -> str:
    """Say why a run does not count for a claim; nothing where it does."""
    if which is None:
        return ""
    if not known:
        return f"the {run} did not see this claim"
    return f"{'the claim' if which == name else which} has changed since the {run}"
