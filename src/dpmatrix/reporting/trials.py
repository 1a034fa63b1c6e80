"""What a run with ``--margins`` or ``--hypotheses`` found so far, and what it need not try again."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from dpmatrix.claims import Evidence, Observed, Outcome, Statement
from dpmatrix.claims.evidence import KERNEL_GRADES
from dpmatrix.claims.tried import Need
from dpmatrix.reporting.vacuity import needs


@attrs.define
class Trials:
    """The trials of one process.

    Parameters
    ----------
    margins
        What the margins are replaced by; None where they stand as they are.
    hypotheses
        Whether the need of each hypothesis is searched for.
    turn
        Which of the statements that an item is about has the replaced margin.
    crashed
        Whether an item, by its node, failed otherwise than by an objection: it noticed nothing.
    noticed
        The statements whose replaced margin some item noticed.
    needed
        The hypotheses that were found to be needed, by statement.
    """

    margins: str | None
    hypotheses: bool
    turn: int = 0
    crashed: Callable[[str], bool] = attrs.field(default=lambda _: False, kw_only=True)
    noticed: set[str] = attrs.Factory(set)
    needed: set[tuple[str, str]] = attrs.Factory(set)

    def is_settled(self, evidence: Iterable[Evidence]) -> bool:
        """Whether an item with this evidence has nothing left to notice."""
        evidence = [*evidence]
        target = self.target(evidence)
        return self.margins is not None and bool(evidence) and (target is None or target in self.noticed)

    def target(self, evidence: Iterable[Evidence]) -> str | None:
        """Return the statement that is emptied for an item with this evidence; None if its turn is past."""
        targets = turns(one.citation.target for one in evidence)
        return targets[self.turn] if self.turn < len(targets) else None

    def note(self, evidence: Iterable[Evidence]) -> None:
        """Note what became of the evidence of an item."""
        if self.margins is not None:
            evidence = [*evidence]
            target = self.target(evidence)
            self.noticed |= {target for one in evidence if one.citation.target == target and self.notices(one)}

    def needs(self, statements: Iterable[Statement], observed: Observed) -> dict[str, dict[str, str]]:
        """Search for the need of the hypotheses of statements that an item met, but of those known to be needed."""
        found = {}
        for one in statements:
            if one in observed.met:
                here = needs(one, observed, {says for name, says in self.needed if name == one.name})
                self.needed |= {(one.name, says) for says, need in here.items() if need is Need.NEEDED}
                found[one.name] = {says: need.value for says, need in here.items()}
        return found

    def notices(self, evidence: Evidence) -> bool:
        """Whether an item that ran no longer shows what it is evidence of.

        An item about a theorem compares the text of its statement, and would notice any change, whether it matters or
        not.
        """
        failed = evidence.outcome in (Outcome.FAILED, Outcome.UNBOUND) and not self.crashed(evidence.node)
        return failed and evidence.grade not in KERNEL_GRADES

    def to_json(self, evidence: Iterable[Evidence], found: dict[str, dict[str, str]]) -> dict[str, object]:
        """Return what became of each piece of evidence that was tried, and the needs that were found, by statement."""
        by_node: dict[str, list[Evidence]] = {}
        for item in evidence:
            by_node.setdefault(item.node, []).append(item)
        pieces = [
            [item.node, item.citation.target, item.role.value, not self.notices(item)]
            for items in by_node.values()
            for item in items
            if self.margins is None or item.citation.target == self.target(items)
            if item.outcome not in (Outcome.DESELECTED, Outcome.SKIPPED) and item.grade not in KERNEL_GRADES
        ]
        return {"margins": self.margins, "evidence": pieces, "needs": found}


def turns(targets: Iterable[str]) -> list[str]:
    """Return the statements that an item is about in the order in which they are emptied."""
    return sorted({*targets})
