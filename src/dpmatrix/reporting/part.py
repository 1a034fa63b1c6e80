"""A part of the claims, to be judged alone: those asked for, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import attrs

from dpmatrix.claims import Catalogue, Implementation, Registry, claim_of

Value = TypeVar("Value")


@attrs.frozen
class Part:
    """The claims of a run that judges a part.

    Parameters
    ----------
    words
        What was asked for: ids of claims, or names of documents.
    names
        Ids of the claims that it stands for, and of those that they use.
    whole
        How many claims there are in all.
    """

    words: tuple[str, ...]
    names: frozenset[str]
    whole: int

    @classmethod
    def of(cls, registry: Registry, words: Iterable[str]) -> Part:
        """Find what some words stand for.

        Raises
        ------
        UnknownClaimError
            If a word is neither the id of a claim nor a document.
        """
        words = tuple(words)
        found: set[str] = set()
        for word in words:
            of_document = [claim.id for claim in registry if claim.document == word]
            found.update(of_document or [registry[word].id])
        waiting = list(found)
        while waiting:
            new = {claim_of(use) for use in registry[waiting.pop()].uses} - found
            found |= new
            waiting += new
        return cls(words, frozenset(found), len(registry))

    def registry(self, registry: Registry) -> Registry:
        """Keep the claims of the part."""
        return Registry({name: claim for name, claim in registry.claims.items() if name in self.names})

    def catalogue(self, catalogue: Catalogue) -> Catalogue:
        """Keep the ids of the part."""
        kept = tuple(name for name in catalogue.ids if name in self.names)
        return Catalogue(kept, catalogue.pending & self.names)

    def of_claims(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Keep the values of the part's claims."""
        return {name: value for name, value in values.items() if name in self.names}

    def implementations(self, found: Iterable[Implementation]) -> tuple[Implementation, ...]:
        """Keep the code that cites the part, with these citations alone."""
        kept = []
        for one in found:
            citations = tuple(citation for citation in one.citations if citation.claim in self.names)
            if citations:
                kept.append(attrs.evolve(one, citations=citations))
        return tuple(kept)

    @property
    def says(self) -> str:
        """That it is a part, and of what."""
        return f"a part: {len(self.names)} of {self.whole} claims ({' '.join(self.words)}, and what they use)"
