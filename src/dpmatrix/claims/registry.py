"""The registry of claims, the catalogue of ids, and the citations that code makes."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

import attrs

from dpmatrix.claims.claim import Claim, Locator
from dpmatrix.claims.fingerprint import Citation, fingerprint
from dpmatrix.errors import UnknownClaimError

T = TypeVar("T")

_ATTRIBUTE = "__implements__"


def implements(*citations: str) -> Callable[[T], T]:
    """Say which claims a class or function implements: ``@implements("wishart.algorithm-2@fc9b6ac5")``.

    Raises
    ------
    ValueError
        If a citation is malformed.
    """
    parsed = tuple(Citation.parse(citation) for citation in citations)

    def attach(thing: T) -> T:
        setattr(thing, _ATTRIBUTE, parsed + vars(thing).get(_ATTRIBUTE, ()))
        return thing

    return attach


@attrs.frozen
class Implementation:
    """A class or function and the claims that it cites."""

    name: str
    citations: tuple[Citation, ...]

    @classmethod
    def of(cls, thing: Any) -> Implementation:  # noqa: ANN401 - a class or a function
        """Read the citations of a class or function; none when it was never decorated."""
        return cls(f"{thing.__module__}.{thing.__qualname__}", vars(thing).get(_ATTRIBUTE, ()))


@attrs.frozen
class Catalogue:
    """Every id that the documents give rise to.

    Parameters
    ----------
    ids
        All ids, in the documents' order.
    pending
        Ids that are declared as not begun; all others must have a claim.
    """

    ids: tuple[str, ...]
    pending: frozenset[str]


def nearest(claim_id: str, ids: Iterable[str], count: int = 4) -> tuple[str, ...]:
    """Return the ids that somebody may have meant: those of this label in any document, then those spelt alike."""
    known = tuple(ids)
    wanted = claim_id.strip().lower().replace("_", "-").replace(" ", "-")
    label = wanted.rpartition(".")[2]
    same = [name for name in known if name.partition(".")[2] == label]
    close = difflib.get_close_matches(wanted, known, n=count, cutoff=0.75)
    alike = [*close, *same] if "." in wanted else [*same, *close]
    return tuple(dict.fromkeys(alike))[:count]


class _Fingerprints(Mapping[str, str]):
    """Fingerprints of claims, each computed when it is first asked for."""

    def __init__(self, claims: Mapping[str, Claim]) -> None:
        self._claims = claims
        self._known: dict[str, str] = {}

    def __getitem__(self, claim_id: str) -> str:
        if claim_id not in self._known:
            self._known[claim_id] = fingerprint(self._claims[claim_id])
        return self._known[claim_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def take(self, known: Mapping[str, str]) -> None:
        """Take fingerprints that somebody computed from the same text."""
        self._known |= {name: value for name, value in known.items() if name in self._claims}

    def __len__(self) -> int:
        return len(self._claims)


@attrs.frozen(slots=False)
class Registry:
    """All claims by id."""

    claims: Mapping[str, Claim]

    @classmethod
    def of(cls, claims: Iterable[Claim]) -> Registry:
        """Collect claims.

        Raises
        ------
        ValueError
            If two claims have one id, or stand at one place of a document and say one thing.
        """
        found: dict[str, Claim] = {}
        places: dict[Locator, str] = {}
        for claim in claims:
            if claim.id in found and found[claim.id] is not claim:
                raise ValueError(f"two claims have the id {claim.id!r}")
            if places.setdefault(claim.source, claim.id) != claim.id:
                raise ValueError(f"{claim.id} stands where {places[claim.source]} stands, and says the same")
            found[claim.id] = claim
        return cls(found)

    @cached_property
    def fingerprints(self) -> _Fingerprints:
        """The fingerprint of each claim."""
        return _Fingerprints(self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims.values())

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, claim_id: str) -> Claim:
        """Return a claim.

        Raises
        ------
        UnknownClaimError
            If there is none of this id; it names the nearest ones.
        """
        try:
            return self.claims[claim_id]
        except KeyError:
            raise self.unknown(claim_id) from None

    def unknown(self, claim_id: str) -> UnknownClaimError:
        """Return the error that says that there is no such claim, and which ids may have been meant."""
        return UnknownClaimError(claim_id, nearest(claim_id, self.claims))

    def knows(self, citation: Citation) -> bool:
        """Whether the cited claim and statement exist."""
        claim = self.claims.get(citation.claim)
        return claim is not None and citation.target in claim.statements()

    def current(self, citation: Citation) -> bool:
        """Whether the citation carries the claim's present fingerprint."""
        return self.fingerprints.get(citation.claim) == citation.fingerprint
