"""Choose mutants, run them, and try whole numbers where a fraction made the evidence crash."""

from __future__ import annotations

import random
from collections.abc import Sequence

import attrs

from mutation import evidence
from mutation.campaign import Affected, Campaign, Outcome, Tell, Verdict
from mutation.mutants import Mutant

SEED = 20160205


@attrs.frozen
class Selection:
    """Which mutants to run.

    Parameters
    ----------
    modules
        Short names; empty for all.
    claims
        Ids of which a mutant must change at least one, and whose evidence alone is asked; empty for all.
    sample
        How many mutants to draw; None for all.
    """

    modules: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    sample: int | None = None

    @property
    def everything(self) -> bool:
        """Whether no mutant of the chosen modules is left out."""
        return not self.claims and self.sample is None

    def of_claims(self, found: Sequence[Mutant], affected: Sequence[Affected]) -> tuple[list[Mutant], list[Affected]]:
        """Keep the mutants that change a chosen claim, or that cannot be imported."""
        if not self.claims:
            return list(found), list(affected)
        kept: list[tuple[Mutant, Affected]] = []
        for mutant, ids in zip(found, affected, strict=True):
            chosen = tuple(claim for claim in ids if claim in self.claims) if isinstance(ids, tuple) else ids
            if chosen != ():
                kept.append((mutant, chosen))
        return [mutant for mutant, _ in kept], [ids for _, ids in kept]


def run(campaign: Campaign, selection: Selection, tell: Tell) -> tuple[list[Mutant], list[Verdict]]:
    """Return every mutant of the chosen modules, and the fate of those that were chosen, in the order of the text.

    Raises
    ------
    LookupError
        If a chosen module or claim does not exist.
    NoEvidenceError
        If the evidence cannot be collected, or fails as it is.
    """
    files = campaign.files()
    every = campaign.modules()
    unknown = selection.modules - {module.short for module in every}
    if unknown:
        raise LookupError(f"no module {', '.join(sorted(unknown))}; there are {[module.short for module in every]}")
    modules = [module for module in every if not selection.modules or module.short in selection.modules]
    nodes_of = evidence.collect(campaign.root)
    fingerprints, found = campaign.enumerate(modules)
    campaign.check_substitution(modules, fingerprints, tell)
    if selection.claims - fingerprints.keys():
        raise LookupError(f"no claim {', '.join(sorted(selection.claims - fingerprints.keys()))}")
    first = [mutant for mutant in found if not mutant.edit.fallback]
    if selection.sample is not None:
        first = random.Random(SEED).sample(first, min(selection.sample, len(first)))
    chosen, affected = selection.of_claims(first, campaign.affected(first, fingerprints, tell))
    touched = {claim for ids in affected if isinstance(ids, tuple) for claim in ids}
    seconds = campaign.baseline(sorted({node for claim in touched for node in nodes_of.get(claim, ())}))
    verdicts = campaign.judge(chosen, affected, nodes_of, seconds, tell)
    crashed = {verdict.mutant.place for verdict in verdicts if verdict.outcome in (Outcome.CRASH, Outcome.IMPORT)}
    whole = [mutant for mutant in found if mutant.edit.fallback and mutant.place in crashed]

    def tell_again(phase: str, done: int, total: int) -> None:
        tell(f"{phase} (whole numbers)", done, total)

    chosen, affected = selection.of_claims(whole, campaign.affected(whole, fingerprints, tell_again))
    verdicts += campaign.judge(chosen, affected, nodes_of, seconds, tell_again)
    if campaign.files() != files:
        raise evidence.NoEvidenceError("files were changed during the run, which says nothing therefore; run it again")
    order = {mutant: place for place, mutant in enumerate(found)}
    return found, sorted(verdicts, key=lambda verdict: order[verdict.mutant])
