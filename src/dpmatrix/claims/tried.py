"""What was tried by machine on each statement: empty margins, and each hypothesis alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

import attrs

from dpmatrix.claims.conditions import Condition
from dpmatrix.claims.names import claim_of
from dpmatrix.claims.registry import Registry
from dpmatrix.claims.standing import held

HYPOTHESES = "hypotheses"
"""What the table of explained hypotheses of a statement is called."""

Reasons = Mapping[str, Mapping[str, str | Mapping[str, str]]]
"""For each statement, why a replacement of its margin cannot be noticed, and its table of hypotheses."""

Pieces = Iterable[tuple[str, str, str, bool]]
"""Item, statement, role, and whether it still shows what it did."""


class Need(Enum):
    """What became of the search for a point that a hypothesis alone excludes; the most telling first."""

    NEEDED = "needed"
    """Without it the statement is false: a point is known."""
    DOMAIN = "domain"
    """Outside it the statement is not defined: a point is known at which it has no value."""
    RANGE = "range"
    """It states the range of one parameter, for which the sentence is meant; no point is known that needs it."""
    EXPLAINED = "explained"
    """No point is known, and the reason why there is none, or why it is stated all the same, is written down."""
    NOT_FOUND = "not found"


NEEDS = tuple(need.value for need in Need)


@attrs.frozen
class Trial:
    """What was tried on one statement.

    Parameters
    ----------
    unnoticed
        The replacements of its margin that no item of evidence about it notices.
    items
        How many items ran; those that had nothing left to notice did not.
    needs
        Each hypothesis of a statement that is held to be true, and what was found of it.
    """

    unnoticed: tuple[str, ...]
    items: int
    needs: Mapping[str, str]

    def count(self, word: str) -> int:
        """Count the hypotheses of which this was found."""
        return sum(found == word for found in self.needs.values())


def _found(condition: Condition, needs: Mapping[str, str], explained: Mapping[str, str]) -> str:
    found = needs.get(condition.says, Need.NOT_FOUND.value)
    if found != Need.NOT_FOUND.value:
        return found
    if condition.of:
        return Need.RANGE.value
    return Need.EXPLAINED.value if condition.says in explained else found


def explained_hypotheses(reasons: Reasons, name: str) -> Mapping[str, str]:
    """Return the hypotheses of a statement whose reasons are written down."""
    table = reasons.get(name, {}).get(HYPOTHESES, {})
    return {} if isinstance(table, str) else table


@attrs.frozen
class Tried:
    """What was tried on the statements with evidence, with the fingerprints of the claims at that time."""

    trials: Mapping[str, Trial]
    fingerprints: Mapping[str, str]

    @classmethod
    def of(
        cls,
        registry: Registry,
        runs: Mapping[str, Pieces],
        needs: Mapping[str, Mapping[str, str]],
        reasons: Reasons = MappingProxyType({}),
    ) -> Tried:
        """Sum up runs of the evidence.

        Parameters
        ----------
        registry
            The claims.
        runs
            For each replacement, what became of the items.
        needs
            For each statement, what was found of its hypotheses.
        reasons
            What is explained of statements.
        """
        noticed: dict[str, set[str]] = {}
        items: dict[str, set[str]] = {}
        for kind, pieces in runs.items():
            for node, target, _, still in pieces:
                items.setdefault(target, set()).add(node)
                if not still:
                    noticed.setdefault(target, set()).add(kind)
        trials = {
            name: Trial(
                tuple(sorted(runs.keys() - noticed.get(name, set()))),
                len(items.get(name, ())),
                {
                    one.says: _found(one, needs.get(name, {}), explained_hypotheses(reasons, name))
                    for one in statement.given
                    if name in held(claim)
                },
            )
            for claim in registry
            for name, statement in claim.statements().items()
            if name in items
        }
        return cls(trials, dict(registry.fingerprints))

    def problems(self, claims: Iterable[str], reasons: Reasons, *, whole: bool) -> list[str]:
        """List what is neither noticed, nor found, nor explained, and explanations that explain nothing.

        Parameters
        ----------
        claims
            Ids of the claims that were run.
        reasons
            What is explained of statements; those that `of` was given.
        whole
            Whether all claims were run.
        """
        wanted = set(claims)
        found = [
            f"{name}: no item of evidence notices a margin replaced by {kind}"
            for name, trial in sorted(self.trials.items())
            if claim_of(name) in wanted
            for kind in trial.unnoticed
            if kind not in reasons.get(name, {})
        ]
        found += [
            f"{name}: no point is known that {says!r} alone excludes, and no reason"
            for name, trial in sorted(self.trials.items())
            if claim_of(name) in wanted
            for says, need in trial.needs.items()
            if need == Need.NOT_FOUND.value
        ]
        for name, kinds in sorted(reasons.items()):
            if not whole and claim_of(name) not in wanted:
                continue
            trial = self.trials.get(name, Trial((), 0, {}))
            found += [
                f"{name}: {kind} is explained, and noticed"
                for kind in kinds
                if kind not in {*trial.unnoticed, HYPOTHESES}
            ]
            found += [
                f"{name}: {says!r} is explained, and is {trial.needs.get(says, 'no hypothesis')}"
                for says in explained_hypotheses(reasons, name)
                if trial.needs.get(says) != Need.EXPLAINED.value
            ]
        return found

    def summary(self, claims: Iterable[str]) -> str:
        """Say in a few lines how many statements notice, and how many hypotheses are needed."""
        wanted = set(claims)
        trials = [trial for name, trial in self.trials.items() if claim_of(name) in wanted]
        kinds = sorted({kind for trial in trials for kind in trial.unnoticed})
        lines = [f"{len(trials)} statements with evidence"]
        lines += [f"replaced by {kind}: {sum(kind in one.unnoticed for one in trials)} unnoticed" for kind in kinds]
        counts = {word: sum(trial.count(word) for trial in trials) for word in NEEDS}
        return "\n".join([*lines, "hypotheses: " + ", ".join(f"{count} {word}" for word, count in counts.items())])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object; the inverse of `from_json`."""
        return {
            "fingerprints": dict(self.fingerprints),
            "statements": {
                name: {"unnoticed": list(one.unnoticed), "items": one.items, "needs": dict(one.needs)}
                for name, one in sorted(self.trials.items())
            },
        }

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Tried:
        """Read what `to_json` wrote."""
        trials = {
            name: Trial(tuple(one["unnoticed"]), one["items"], one["needs"])
            for name, one in record["statements"].items()
        }
        return cls(trials, record["fingerprints"])
