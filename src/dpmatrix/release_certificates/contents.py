"""What a certificate says, as data: everything is computed from the file, public parameters, and what runs recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attrs import frozen

from dpmatrix.claims import AuditRecord, Ledger, code_name
from dpmatrix.release_certificates.agreement import agreeing_mechanism
from dpmatrix.release_certificates.facts import Fact, details, facts, utility
from dpmatrix.release_certificates.foundations import Foundation, foundations
from dpmatrix.release_certificates.reading import ReleaseFile
from dpmatrix.release_certificates.topics import Topic, page_shows, topics
from dpmatrix.release_certificates.words import GroupRow, group_rows, hazards, promise
from dpmatrix.reporting.excesses import excess_words
from dpmatrix.reporting.sentences import counted

NO_RUN = "no run of the audits is at hand"
UNKNOWN = (
    "that the random bits were secret",
    "that longer records were shortened, or refused, as the file says",
    "that noise of this law and amount was drawn, once, by this library",
    "that epsilon, the bound and the columns were chosen without a look at the records",
    "the day of the release, the names of the columns and, where it is named, the number of records",
)
"""What no computation from the file can show; that whoever released vouches for it, a signature can say."""


@frozen
class Contents:
    """What a certificate says.

    Attributes
    ----------
    file
        The release.
    promise, groups
        The guarantee in words, and for several records; empty where there is none.
    facts, details
        What was bounded, and how it was released: name and words; the details stand in the appendix.
    utility
        The size of the noise: name and words; empty where it is not computed.
    foundations
        What the guarantee rests on.
    audits
        What audits of the mechanism found and would have missed, or that there is no run.
    hazards
        Name and words.
    topics
        Sections of NIST SP 800-226.
    """

    file: ReleaseFile
    promise: tuple[str, ...]
    groups: tuple[GroupRow, ...]
    facts: tuple[Fact, ...]
    details: tuple[Fact, ...]
    utility: tuple[Fact, ...]
    foundations: tuple[Foundation, ...]
    audits: tuple[str, ...]
    hazards: tuple[Fact, ...]
    topics: tuple[Topic, ...]

    @property
    def title(self) -> str:
        """The heading: it says so where the release is not private, or its guarantee does not stand."""
        if not self.file.private:
            return "This release is NOT private"
        return "Certificate of a private release" if self.stands else "NOT certified: a claim does not stand"

    @property
    def stands(self) -> bool:
        """Whether the release has a guarantee, and a run saw everything that it rests on hold."""
        return self.file.private and all(one.holds for one in self.foundations)


def contents(file: ReleaseFile, ledger: Ledger | None) -> Contents:
    """Compute what there is to say of a release.

    Parameters
    ----------
    file
        The release.
    ledger
        The last run, or None.

    Raises
    ------
    InvalidParameterError
        If a number of the release is not what its mechanism gives.
    """
    mechanism = agreeing_mechanism(file)
    given = file.guarantee
    tried = () if ledger is None else tuple(one for one in ledger.audits if one.code == code_name(mechanism))
    told, further, noise = (tuple(tell(file, mechanism)) for tell in (facts, details, utility))
    rests_on, warned = tuple(foundations(file.claims, ledger)), tuple(hazards(given, file.records, file.over_norm))
    shown = page_shows(
        private=file.private,
        facts=[name for name, _ in told],
        details=[name for name, _ in further],
        utility=[name for name, _ in noise],
        claimed=bool(rests_on),
        audited=bool(tried),
        hazards=[name for name, _ in warned],
    )
    return Contents(
        file=file,
        promise=() if given is None else tuple(promise(given)),
        groups=() if given is None else tuple(group_rows(given)),
        facts=told,
        details=further,
        utility=noise,
        foundations=rests_on,
        audits=tuple(_audits(ledger, tried)),
        hazards=warned,
        topics=tuple(topics(file, shown)),
    )


def _audits(ledger: Ledger | None, tried: Sequence[AuditRecord]) -> list[str]:
    if ledger is None:
        return [
            f"Not known: {NO_RUN}. In a checkout, make audit makes one, and the certificate command finds it there."
        ]
    if not tried:
        return ["The run at hand has no audit of this mechanism."]
    controls = [one for one in tried if one.control]
    others = [one for one in tried if not one.control]
    outcomes = sorted({(one.verdict.value, one.outcome or "not run") for one in others})
    found = [
        f"{counted(len(others), 'audit')} of this mechanism in the run at hand, with parameters of their own: "
        + "; ".join(
            f"{sum((one.verdict.value, one.outcome or 'not run') == pair for one in others)} {pair[0]} ({pair[1]})"
            for pair in outcomes
        )
        + f". {counted(len(controls), 'control')} with a planted fault."
    ]
    missed = excess_words(tried)
    found.append(
        f"What they would not have noticed: {missed}" if missed else "What they would not have noticed: not known."
    )
    found.append("Audits can find a fault. That they find none is no proof.")
    return found


def predicate(said: Contents, date: str, page: dict[str, Any]) -> dict[str, Any]:
    """Return what is signed: the guarantee, the mechanism, and the claims as the page has them.

    Parameters
    ----------
    said
        The contents of the page.
    date
        When it was made.
    page
        Name and hash of the page.
    """
    file, given = said.file, said.file.guarantee
    return {
        "certified": date,
        "private": file.private,
        "guarantee": None
        if given is None
        else {"epsilon": str(given.epsilon), "delta": str(given.delta), "adjacency": given.adjacency.value},
        "norm_bound": str(file.norm_bound),
        "over_norm": file.over_norm,
        "mechanism": file.mechanism,
        "calibration": file.calibration,
        "noise": dict(file.noise),
        "released": file.released.isoformat(),
        "dpmatrix": file.version,
        "claims": [one.to_json() for one in said.foundations],
        "not_shown": list(UNKNOWN),
        "page": page,
    }
