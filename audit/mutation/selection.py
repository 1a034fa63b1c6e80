"""Choose mutants, run them, and try whole numbers where a fraction made the evidence crash."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import random
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import attrs

from mutation import evidence
from mutation.asking import Tell
from mutation.campaign import Campaign, Task
from mutation.mutants import Module, Mutant
from mutation.reach import Reach
from mutation.source_campaign import SourceCampaign
from mutation.state import State
from mutation.verdicts import CRASHED, Outcome, Verdict

SEED = 20160205
OPERATORS = ("literal", "hypothesis", "sign", "strictness", "comparison", "extremum", "sum")
"""The kinds of change that are tried unless others are asked for."""
VACUOUS = "vacuous"
"""Empty margins, function by function; `audit/vacuity.py` tries them statement by statement."""
TOOL = Path(__file__).resolve().parent


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
    operators
        Kinds of change.
    earlier
        Whether the fate of a mutant in an earlier run stands, by its name; a mutant that is not there is judged, and a
        name without a mutant is passed over. None without an earlier run.
    crashed
        The mutants that crashed in the earlier run: at their places whole numbers are tried.
    """

    modules: frozenset[str] = frozenset()
    claims: frozenset[str] = frozenset()
    sample: int | None = None
    operators: frozenset[str] = frozenset(OPERATORS)
    earlier: Mapping[str, bool] | None = None
    crashed: frozenset[str] = frozenset()

    @property
    def everything(self) -> bool:
        """Whether no mutant of the chosen modules is left out."""
        whole = self.sample is None and self.earlier is None
        return whole and not self.claims and self.operators >= {*OPERATORS}

    def wants(self, mutant: Mutant) -> bool:
        """Whether its kind is chosen, and its fate open."""
        return mutant.edit.operator in self.operators and not (self.earlier or {}).get(mutant.name, False)

    def tasks(self, found: Sequence[Mutant], touched: Mapping[Mutant, tuple[str, ...]]) -> list[Task]:
        """Return what to do: with chosen claims, nothing about mutants that touch none of them."""
        if self.claims:
            return [Task(mutant, touched[mutant]) for mutant in found if touched[mutant]]
        of_module: dict[Module, set[str]] = {}
        for mutant, claims in touched.items():
            of_module.setdefault(mutant.module, set()).update(claims)
        return [
            Task(mutant, touched[mutant], () if mutant.module.trusted else tuple(sorted(of_module[mutant.module])))
            for mutant in found
        ]


@attrs.frozen
class Run:
    """Judge tasks, as far as their fates are not known.

    Parameters
    ----------
    campaign, reach, nodes_of, state, tell
        As they are called elsewhere.
    cited
        The claims of which the evidence needs to know; empty for all.
    files
        The files as they were at the start.
    tests
        What judges the mutants of what statements compute with: the items of its own tests that run the changed line.
        None where the evidence judges them too.
    """

    campaign: Campaign
    reach: Reach
    nodes_of: Mapping[str, frozenset[str]]
    cited: frozenset[str]
    state: State
    tell: Tell
    files: Mapping[str, tuple[int, int]]
    tests: SourceCampaign | None = None

    def against(self, task: Task) -> str:
        """Digest of the change and of every Python file that has a say in its fate."""
        claims = sorted({*task.claims, *task.otherwise})
        nodes = sorted({node for claim in claims for node in self.nodes_of.get(claim, ())})
        files = {node.partition("::")[0] for node in nodes}
        names = {".".join(Path(file).with_suffix("").parts) for file in files}
        names |= {f"{name.rpartition('.')[0]}.conftest" for name in names}
        names |= {f"{folder}.conftest" for folder in evidence.FOLDERS}
        names |= {self.reach.homes[claim] for claim in claims} | {task.mutant.module.name}
        names |= {self.campaign.package, "dpmatrix.reporting.pytest_plugin"}
        said = [task.mutant.diff(), task.mutant.edit.operator, task.claims, task.otherwise, nodes]
        whole = json.dumps([said, self.campaign.imports.digest(names), _surroundings()])
        return hashlib.sha256(whole.encode()).hexdigest()

    def check_files(self) -> None:
        """Refuse what was found while files changed.

        Raises
        ------
        NoEvidenceError
            If one did.
        """
        if self.campaign.files() != self.files:
            raise evidence.NoEvidenceError("files were changed during the run; run it again")

    def _keep(self, task: Task, verdict: Verdict) -> None:
        self.state.fates[task.mutant.name] = verdict.fate() | {"against": self.against(task)}
        if self.state.due():
            self.write()

    def write(self) -> None:
        """Write the fates, unless a file has changed meanwhile."""
        self.check_files()
        self.state.write()

    def verdicts(self, tasks: Sequence[Task]) -> list[Verdict]:
        """Return the fate of each, known or found."""
        idle = [Verdict(task.mutant, Outcome.UNSEEN) for task in tasks if not task.claims and not task.otherwise]
        tasks = [task for task in tasks if task.claims or task.otherwise]
        base = [task.mutant for task in tasks if self.tests and task.mutant.module.trusted]
        tasks = [task for task in tasks if not (self.tests and task.mutant.module.trusted)]
        fates = {task.mutant: self.state.known(task.mutant.name, self.against(task)) for task in tasks}
        old = [Verdict.of(mutant, fate) for mutant, fate in fates.items() if fate is not None]
        left = [task for task in tasks if fates[task.mutant] is None]
        for task in left:
            if node := self.state.fates.get(task.mutant.name, {}).get("node"):
                self.campaign.remember(task.mutant, node)
        asked = {claim for task in left for claim in (*task.claims, *task.otherwise)}
        nodes = sorted({node for claim in asked for node in self.nodes_of.get(claim, ())})
        seconds = self.campaign.baseline(self.reach, nodes, self.cited)
        self.campaign.check_substitution(self.reach, left, self.tell)
        try:
            found = self.campaign.judge(self.reach, left, self.nodes_of, seconds, self.tell, self._keep)
        finally:
            self.write()
        if self.tests and base:
            self.tests.check_unchanged(sorted({mutant.module for mutant in base}, key=lambda module: module.name))
            found += self.tests.verdicts(base, self.state, self.tell)
        return idle + old + found


@functools.cache
def _surroundings() -> list[str]:
    own = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(TOOL.glob("*.py")))).hexdigest()
    return [platform.python_version(), *(version(name) for name in ("python-flint", "pytest", "sympy")), own]


def run(
    campaign: Campaign, selection: Selection, state: State, tell: Tell, tests: SourceCampaign | None = None
) -> tuple[list[Mutant], list[Verdict]]:
    """Return every mutant of the chosen modules, and the fate of those that were chosen, in the order of the text.

    The evidence judges them, and where tests are given, these judge what statements compute with.

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
    reach, found = campaign.enumerate(modules, selection.claims)
    nodes_of = evidence.collect(campaign.root, selection.claims)
    asked = frozenset[str]().union(*(nodes_of.get(claim, ()) for claim in selection.claims))
    cited = frozenset(claim for claim, nodes in nodes_of.items() if nodes & asked)
    touched = reach.touched(found, campaign.imports)
    at_work = Run(campaign, reach, nodes_of, cited, state, tell, files, tests)
    chosen = [mutant for mutant in found if selection.wants(mutant)]
    places = {mutant.place for mutant in found if mutant.name in selection.crashed}
    due = {mutant for mutant in chosen if mutant.place in places or mutant.name in (selection.earlier or ())}
    first = [mutant for mutant in chosen if not mutant.edit.fallback or mutant in due]
    if selection.sample is not None:
        first = [mutant for mutant in first if touched[mutant] or not selection.claims]
        first = random.Random(SEED).sample(first, min(selection.sample, len(first)))
    tasks = selection.tasks(first, touched)
    if not tasks and any(mutant.edit.operator in OPERATORS for mutant in found):
        raise LookupError("no mutant of the chosen modules, claims and kinds exists: nothing was judged")
    verdicts = at_work.verdicts(tasks)
    crashed = {verdict.mutant.place for verdict in verdicts if verdict.outcome in CRASHED}
    left = [mutant for mutant in chosen if mutant.edit.fallback and mutant not in {*first}]
    whole = [mutant for mutant in left if mutant.place in crashed]
    verdicts += at_work.verdicts(selection.tasks(whole, touched))
    at_work.check_files()
    return found, _in_order(verdicts, found, only_changes=bool(selection.claims))


def _in_order(verdicts: Iterable[Verdict], found: Sequence[Mutant], *, only_changes: bool) -> list[Verdict]:
    order = {mutant: place for place, mutant in enumerate(found)}
    kept = [verdict for verdict in verdicts if not (only_changes and verdict.outcome is Outcome.UNSEEN)]
    return sorted(kept, key=lambda verdict: order[verdict.mutant])
