"""What a shell is offered to complete arguments with; options, commands and choices it learns from typer itself."""

from __future__ import annotations

from dpmatrix.spec import catalogue, committed_standings, documents

Offered = list[tuple[str, str]]
"""Words, each with a line about it that some shells show."""


def claim_ids(incomplete: str) -> Offered:
    """Offer ids of claims with their verdicts, from the catalogue: to import all of the specification takes longer."""
    verdicts = committed_standings()
    return [
        (claim, verdicts.get(claim, {}).get("verdict", "")) for claim in catalogue().ids if claim.startswith(incomplete)
    ]


def document_names(incomplete: str) -> Offered:
    """Offer names of documents with their titles."""
    return [(name, title) for name, title in documents().items() if name.startswith(incomplete)]


def claims_and_documents(incomplete: str) -> Offered:
    """Offer ids of claims, and names of documents."""
    return [*document_names(incomplete), *claim_ids(incomplete)]
