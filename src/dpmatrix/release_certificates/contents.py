"""What a certificate says, as data: everything is computed from the file, public parameters, and what runs recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from attrs import frozen

from dpmatrix.claims import AuditRecord, Ledger, code_name
from dpmatrix.mechanisms.menu import AnyMechanism, excess
from dpmatrix.mechanisms.noise_sizes import noise_size
from dpmatrix.mechanisms.rounded_perturbation import RoundedPerturbation
from dpmatrix.privacy.adjacency import replaces
from dpmatrix.release_certificates.agreement import agreeing_mechanism
from dpmatrix.release_certificates.foundations import Foundation, foundations
from dpmatrix.release_certificates.numbers import at_most, decimal, shown
from dpmatrix.release_certificates.reading import ReleaseFile
from dpmatrix.release_certificates.topics import Topic, page_shows, topics
from dpmatrix.release_certificates.words import GroupRow, group_rows, hazards, promise
from dpmatrix.reporting.answers import BITS, LATTICE, ROUNDING
from dpmatrix.reporting.certificates import certificates
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

_BIAS = (
    "Records that were shortened, and digits that were cut off, make the matrix smaller; by how much depends on the "
    "records. The largest eigenvalues of a noisy matrix are too large on average, and of negative ones the file says "
    "zero."
)

_COMPUTED = (
    "What is computed from it",
    "It keeps the guarantee, if nothing else of the records is used. The components in the file are computed so.",
)


@frozen
class Contents:
    """What a certificate says.

    Attributes
    ----------
    file
        The release.
    promise, groups
        The guarantee in words, and for several records; empty where there is none.
    facts
        What was bounded, and how it was released: name and words.
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
    facts: tuple[tuple[str, str], ...]
    utility: tuple[tuple[str, str], ...]
    foundations: tuple[Foundation, ...]
    audits: tuple[str, ...]
    hazards: tuple[tuple[str, str], ...]
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
    facts, utility = tuple(_facts(file, mechanism)), tuple(_utility(file, mechanism))
    rests_on, warned = tuple(foundations(file.claims, ledger)), tuple(hazards(given, file.records, file.over_norm))
    shown = page_shows(
        private=file.private,
        facts=[name for name, _ in facts],
        utility=[name for name, _ in utility],
        claimed=bool(rests_on),
        audited=bool(tried),
        hazards=[name for name, _ in warned],
    )
    return Contents(
        file=file,
        promise=() if given is None else tuple(promise(given)),
        groups=() if given is None else tuple(group_rows(given)),
        facts=facts,
        utility=utility,
        foundations=rests_on,
        audits=tuple(_audits(ledger, tried)),
        hazards=warned,
        topics=tuple(topics(file, shown)),
    )


def _facts(file: ReleaseFile, mechanism: AnyMechanism) -> list[tuple[str, str]]:
    replacing, dimension = replaces(file.adjacency), file.dimension
    neighbours = (
        "Two data sets are neighbours where one record becomes any other (replace-one). Their number n is public."
        if replacing
        else "Two data sets are neighbours where one record appears or disappears (add-remove-one). The number n of "
        "records is a secret, and stands neither here nor in the file."
    )
    longer = "shortened to it" if file.over_norm == "clip" else "refused, and nothing was released then"
    n = f"n = {file.records:,} records; " if file.records is not None else ""
    drawn = [] if file.private else [("Random bits", "They are not known to be secret: see the file.")]
    return [
        (
            "Unit of privacy",
            "One record, which is a row of numbers. Whether a person has one record is not known here.",
        ),
        ("Neighbours", neighbours),
        ("Bound", f"Every record has Euclidean norm at most {shown(file.norm_bound)}; a longer one is {longer}."),
        ("Size", f"{n}d = {dimension:,} columns; {counted(len(file.components), 'component')}."),
        ("Mechanism", f"{file.mechanism}. {_published(mechanism)}"),
        *([] if file.choice is None else [("Choice", _choice(file.choice))]),
        ("Calibration", _calibration(file, mechanism)),
        ("Noise", _noise(file)),
        ("Grid", f"Published numbers are integers times {_grid(file)}. It was known before the records were seen."),
        (
            "Arithmetic",
            f"Coordinates are cut to {file.coordinate_bits} binary digits after the point. {_arithmetic(mechanism)}",
        ),
        *(drawn or [("Random bits", BITS)]),
        *_documented(mechanism),
        *([_COMPUTED] if file.private else []),
        ("Trust", "Whoever ran the mechanism saw the records (central model)."),
    ]


def _documented(mechanism: AnyMechanism) -> list[tuple[str, str]]:
    """Quote the documentation of the mechanism: why what is released is private, and what that does not cover."""
    [found] = certificates({code_name(mechanism): ()})
    wanted = {
        "Why is it true?": "Why that holds of the released integers (a written proof, read by people)",
        "What is not covered?": "What the proof does not cover",
    }
    return [(wanted[row.question], row.answer) for row in found.rows if row.question in wanted]


def _published(mechanism: AnyMechanism) -> str:
    if hasattr(mechanism, "rank"):
        return "It publishes directions, and no matrix."
    return "It publishes the matrix X'X of the records, divided by n where that is public, with noise."


def _calibration(file: ReleaseFile, mechanism: AnyMechanism) -> str:
    if isinstance(mechanism, RoundedPerturbation):
        return "The scale that the exact sensitivity asks for; there is no other."
    if file.calibration == "tight":
        return "tight: the least noise that is certified to keep the guarantee, to the fineness of its search."
    times = excess(mechanism, file.dimension)
    return f"printed: the noise of the document, {times:.3g} times what the guarantee needs."


def _choice(choice: Mapping[str, Any]) -> str:
    """Say by what the mechanism was chosen; the numbers were computed again, see `agreement`."""
    errors = ", ".join(f"{name} {error}" for name, error in choice["squared_errors"].items())
    left_out = "".join(f" Without {name}, {reason}." for name, reason in choice["left_out"].items())
    return (
        f"It was chosen by the {choice['compared']}, which is at most, for delta = {choice['delta']} or less: {errors}."
        f"{left_out} Computed again from the parameters: it agrees. No record has a part in it."
    )


def _noise(file: ReleaseFile) -> str:
    told = [
        f"{name.replace('_', ' ')} {value if len(value) <= 12 else shown(Fraction(value))}"
        for name, value in file.noise.items()
        if name != "law"
    ]
    return f"{file.noise['law']}; {', '.join(told)}. Computed again from the parameters: it agrees."


def _grid(file: ReleaseFile) -> str:
    value = file.grid
    exact = str(value)
    return exact if len(exact) <= 24 else f"about {decimal(value)} (the file has it exactly)"


def _arithmetic(mechanism: AnyMechanism) -> str:
    if isinstance(mechanism, RoundedPerturbation) or hasattr(mechanism, "rank"):
        return ROUNDING
    return LATTICE


def _utility(file: ReleaseFile, mechanism: AnyMechanism) -> list[tuple[str, str]]:
    size = noise_size(mechanism, file.dimension, file.divisor, file.grid)
    if size is None:
        return []
    entry = f"Standard deviation at most {at_most(size.diagonal)}"
    if size.off_diagonal not in (None, size.diagonal):
        entry += f" on the diagonal, and {at_most(size.off_diagonal)} off it"
    found = [
        ("Noise of an entry", f"{entry}. The noise has mean zero."),
        (
            "Noise as a whole",
            f"Expected Frobenius norm at most {at_most(size.frobenius)} (the root of its expected square).",
        ),
    ]
    if file.records is not None:
        square = file.norm_bound**2
        found.append(
            ("To compare with", f"The trace of the matrix without noise is at most the bound squared, {shown(square)}.")
        )
    return [*found, ("Bias", _BIAS)]


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
