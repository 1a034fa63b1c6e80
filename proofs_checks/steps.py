"""The statements of an item of evidence by the names of their steps: shared by the evidence, no evidence by itself."""

from __future__ import annotations

from collections.abc import Mapping

from dpmatrix.claims import Statement


def by_step(statements: Mapping[str, Statement]) -> dict[str, Statement]:
    """Leave out the claim's id: ``near-optimal.lemma-9/union-bound`` is found as ``union-bound``."""
    return {name.partition("/")[2]: statement for name, statement in statements.items()}
