"""A run of pytest as the judge sees it: what was collected, what items saw, and the gate at the end."""

from __future__ import annotations

import importlib
from collections.abc import Generator, Mapping
from json import dumps
from pathlib import Path
from typing import Any

import pytest

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims import (
    Catalogue,
    Evidence,
    Ledger,
    Observed,
    Registry,
    observing,
    snapshot,
    standings,
    violations,
)
from dpmatrix.claims.ledger import dump
from dpmatrix.errors import UnknownClaimError
from dpmatrix.reporting.conduct import misconduct, unread
from dpmatrix.reporting.environment import environment
from dpmatrix.reporting.folder import write_report
from dpmatrix.reporting.implementations import implementations
from dpmatrix.reporting.intact import Modules
from dpmatrix.reporting.judgements import judges
from dpmatrix.reporting.kernel_run import KernelRun, NotInstalledError
from dpmatrix.reporting.left_out import LeftOut
from dpmatrix.reporting.objections import empty_support
from dpmatrix.reporting.outcomes import PROPERTY, Outcomes, Specified, seen
from dpmatrix.reporting.part import Part
from dpmatrix.reporting.terminal import excess_table, gate_lines, standings_table
from dpmatrix.reporting.trials import Trials
from dpmatrix.reporting.vacuity import replaced
from dpmatrix.reporting.written import uncollected

MARK = "evidence"
GATE = "audit"
BODY = ("audit", "tests", "proofs_checks")
TRUSTED = ("dpmatrix.exact", "dpmatrix.privacy", "dpmatrix.claims")
"""What statements compute with beside the specification, and what judges them."""
JUDGE = "dpmatrix.reporting"
REGISTRY = pytest.StashKey[Registry]()
WHOLE = pytest.StashKey[Registry]()
"""The claims with the margins that they have, whatever stands in `REGISTRY`."""
TRIALS = pytest.StashKey[Trials]()
BEFORE = pytest.StashKey[Observed]()
"""What was observed in the fixtures of an item."""


def declare(item: pytest.Item) -> list[Evidence]:
    """Read the markers of an item.

    Raises
    ------
    pytest.UsageError
        If a word of a marker is not of the vocabulary.
    """
    try:
        return [Evidence.declare(item.nodeid, *mark.args, **mark.kwargs) for mark in item.iter_markers(MARK)]
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(f"{item.nodeid}: {error}") from error


class Session:
    """What one process knows of the evidence in a run."""

    def __init__(self, config: pytest.Config, *, deciding: bool) -> None:
        self.config = config
        self.deciding = deciding
        self.specification: Any = importlib.import_module(config.getini("specification"))
        self.registry = Registry.of(tuple(self.specification.load()))
        if deciding and not self.is_worker and (found := misconduct(config.rootpath, BODY)):
            raise pytest.UsageError("\n".join(found))
        self.margins: str | None = config.getoption("--margins")
        self.outcomes = Outcomes()
        searched, turn = bool(config.getoption("--hypotheses")), config.getoption("--turn")
        self.trials = Trials(self.margins, searched, turn, crashed=self.outcomes.crashed)
        # Whether evidence alone is run, beside the audits of a run that decides, and somebody asks what it saw.
        self.restricted = bool(
            deciding or config.getoption("--claims") or self.margins is not None or self.trials.hypotheses
        )
        # Now, while the sources on disk are the ones that were imported.
        self.fingerprints = dict(self.registry.fingerprints) if self.restricted else {}
        config.stash[WHOLE] = self.registry
        if self.margins is not None:
            if deciding:
                raise pytest.UsageError("--margins empties the statements; no verdict is earned with it")
            self.registry = replaced(self.registry, self.margins)
        config.stash[REGISTRY] = self.registry
        config.stash[TRIALS] = self.trials
        self.part = self._part(config.getoption("--claims"))
        if self.part is not None:
            self.registry = self.part.registry(self.registry)
            config.pluginmanager.register(LeftOut(config, self.part.names), "dpmatrix-left-out")
        watched = [self.specification.__name__, *TRUSTED] if self.restricted else []
        self.modules = Modules(watched)
        self.judge = Modules([*watched, JUDGE] if watched else [])
        # Now, since an item may write to the file.
        self.committed: Mapping[str, object] = (
            getattr(self.specification, "committed_standings", dict)() if deciding else {}
        )
        self.specified = Specified(self.registry)
        if deciding:
            self._refuse_circles()
        self.declared: dict[tuple[str, ...], Evidence] = {}
        self.malformed: list[str] = []
        self.interrupted = False
        # Now, since an item may change what these read.
        catalogue = getattr(self.specification, "catalogue", None) if deciding else None
        self.catalogue = Catalogue((), frozenset()) if catalogue is None else catalogue()
        self.implementations = tuple(implementations(config.getini("packages"))) if deciding else ()
        if self.part is not None:
            self.committed = self.part.of_claims(self.committed)
            self.catalogue = self.part.catalogue(self.catalogue)
            self.implementations = self.part.implementations(self.implementations)
            self.fingerprints = self.part.of_claims(self.fingerprints)
        self.accepts = bool(config.getoption("--accept-standings"))
        self.kernel = self._kernel(asks=bool(config.getoption("--kernel")))
        self.only_collects = bool(config.option.collectonly)
        self.replaced_in_workers: set[str] = set()
        self.ledger: Ledger | None = None

    def _part(self, words: list[str]) -> Part | None:
        try:
            return Part.of(self.registry, words) if words else None
        except UnknownClaimError as error:
            raise pytest.UsageError(f"--claims: {error}") from error

    def _kernel(self, *, asks: bool) -> KernelRun:
        """Ask Rocq now, while the files are the ones that the run began with; a worker leaves that to who decides."""
        if asks and self.accepts:
            raise pytest.UsageError("--accept-standings writes what every machine can check: run it without --kernel")
        if self.is_worker or not (self.restricted or asks):
            return KernelRun({})
        try:
            return KernelRun.of(self.config.rootpath, self.config.stash[REGISTRY], asks=asks)
        except NotInstalledError as error:
            raise pytest.UsageError(f"--kernel: {error}") from error

    def _refuse_circles(self) -> None:
        try:
            standings(self.registry, (), ())
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error

    @property
    def is_worker(self) -> bool:
        """Whether another process decides."""
        return hasattr(self.config, "workerinput")

    def _note(self, evidence: Evidence) -> None:
        role, grade = evidence.role.value, evidence.grade.value
        self.declared[evidence.node, evidence.citation.target, role, grade, evidence.region] = evidence

    def _declared(self, item: pytest.Item) -> list[Evidence]:
        """Read the markers of an item; a worker cannot refuse a malformed one, so it passes the message on."""
        try:
            return declare(item)
        except pytest.UsageError as error:
            if not self.is_worker:
                raise
            self.malformed.append(str(error))
            return []

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note all evidence before anything is deselected; leave out other folders' ordinary tests."""
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        gate_folder = self.config.rootpath / GATE
        for item in items:
            declared = [
                one for one in self._declared(item) if self.part is None or one.citation.claim in self.part.names
            ]
            for evidence in declared:
                self._note(evidence)
            audits = self.deciding and self.part is None and gate_folder in item.path.parents
            wanted = declared or audits or not self.restricted
            (kept if wanted else left_out).append(item)
        if left_out:
            items[:] = kept
            self.config.hook.pytest_deselected(items=left_out)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, object, object]:
        """Observe which statements fail in the fixtures of an item; what is met there counts for nothing."""
        if not self.restricted:  # nobody asks what an item saw
            return (yield)
        if self.margins is not None and self.trials.is_settled(self._declared(item)):
            pytest.skip("what it is about was noticed already")
        with observing(self.modules.replaced) as observed:
            item.stash[BEFORE] = observed
            return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Observe which statements an item evaluates."""
        if not self.restricted:
            return (yield)
        with observing(self.modules.replaced) as observed:
            raised, crashed = True, False
            try:
                answer = yield
                raised = False
                return answer
            except BaseException as error:
                crashed = not judges(error)
                raise
            finally:
                observed.replaced.update(self.judge.replaced())
                observed.search(self.specified.held_beside(observed.asked))
                observed.vary([one for one in (*observed.values,) if self.specified.has(one)])
                before = item.stash[BEFORE]
                observed.failed |= {statement for statement in before.failed if self.specified.has(statement)}
                observed.replaced |= before.replaced
                told = seen(observed, self.specified) | {"raised": raised, "crashed": crashed}
                if self.trials.hypotheses:
                    told["needs"] = self.trials.needs(self.specified.held_beside(observed.asked), observed)
                # a new list of new pairs: the one that an item had in hand may not be what it looks like
                kept = [(str(name), value) for name, value in item.user_properties if name != PROPERTY]
                item.user_properties = [*kept, (PROPERTY, dumps(told))]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep the outcome of every item that ran, also of those that ran in a worker."""
        self.outcomes.add(report)
        if self.margins is not None:
            self.trials.note(self.outcomes.judge(one) for one in self.declared.values() if one.node == report.nodeid)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:  # noqa: ANN401 - a type of pytest-xdist
        """Take over what a worker collected."""
        output = getattr(node, "workeroutput", {})
        for record in output.get("declared", ()):
            self._note(Evidence.from_json(record))
        self.malformed = sorted({*self.malformed, *output.get("malformed", ())})
        self.replaced_in_workers.update(output.get("replaced", ()))

    def pytest_keyboard_interrupt(self) -> None:
        """Remember that the run did not end by itself."""
        self.interrupted = True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Compute standings, write the ledger and the report, and close the gate."""
        if self.is_worker:
            output: dict[str, object] = self.config.workeroutput  # type: ignore[attr-defined] # added by pytest-xdist
            output["declared"] = [evidence.to_json() for evidence in self.declared.values()]
            output["malformed"] = self.malformed
            output["replaced"] = list(self.judge.replaced())
            return
        if self.malformed:
            session.exitstatus = pytest.ExitCode.USAGE_ERROR
        declared_file = self.config.getoption("--declared-evidence")
        if declared_file:
            records = [evidence.to_json() for evidence in self.declared.values()]
            write_atomically(Path(declared_file), dumps(records))
        if tried := self.config.getoption("--tried"):
            write_atomically(Path(tried), dump(self.trials.to_json(self._judged(), self.outcomes.needs())))
        if (
            self.kernel.wrong is not None
            and not self.deciding
            and any((self.kernel.general, *self.kernel.wrong.values()))
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if not self.deciding or self.only_collects:
            return
        self.interrupted |= session.exitstatus in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR)
        self.ledger = self._decide()
        if not self.interrupted and self.part is None:
            folder = self.config.rootpath / self.config.getoption("--audit-dir")
            write_report(
                folder, self.registry, self.ledger, self.implementations, self.catalogue.pending, self.specification
            )
        if self.ledger.violations and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _judged(self) -> tuple[Evidence, ...]:
        return tuple(self.kernel.judge(self.outcomes.judge(self.declared[key])) for key in sorted(self.declared))

    def _decide(self) -> Ledger:
        evidence = self._judged()
        found = standings(self.registry, evidence, self.implementations, self.outcomes.failures(self.specified.twins()))
        if self.accepts and not self.interrupted and self.part is None:
            write_atomically(self.specification.STANDINGS, dump(snapshot(self.registry, found, evidence)))
            self.committed = self.specification.committed_standings()
        problems = violations(self.registry, self.catalogue, evidence, self.implementations, found, self.committed)
        patterns = self.config.getini("python_files")
        problems += self.outcomes.replacements()
        problems += self.kernel.objections(evidence, self.registry)
        problems += empty_support(self.outcomes, self.specified)
        problems += misconduct(self.config.rootpath, (), unread(self.config.rootpath, (one.node for one in evidence)))
        replaced = {*self.judge.replaced(), *self.replaced_in_workers}
        problems += [f"{name} is not what was imported" for name in sorted(replaced)]
        if self.part is None:
            problems += uncollected(self.config.rootpath, BODY, patterns, evidence)
        verdicts = {claim.id: claim.verdict.value for claim in self.registry}
        audits, facts = self.outcomes.audits(), environment(self.config.rootpath)
        return Ledger(evidence, found, self.fingerprints, tuple(problems), facts, verdicts, audits)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the standing of every claim and what the gate objects to."""
        if self.is_worker:
            return
        for line in self.malformed:
            terminalreporter.write_line(f"ERROR: {line}", red=True)
        if not self.deciding:
            for line in self.kernel.objections(self.declared.values(), self.registry) if self.kernel.wrong else ():
                terminalreporter.write_line(line, red=True)
        if self.ledger is None:
            if any(item.proves or item.outcome is None for item in self.declared.values()):
                terminalreporter.write_line("gate: not asked (run `pytest audit` for standings)")
            return
        terminalreporter.section("claims")
        terminalreporter.write(standings_table(self.registry, self.ledger))
        if missed := excess_table(self.ledger):
            terminalreporter.section("audits of mechanisms")
            terminalreporter.write(missed)
        terminalreporter.section("gate")
        folder = self.config.getoption("--audit-dir")
        written = f"report: {folder}/report.html   ledger: {folder}/ledger.json"
        closing = written if self.part is None else f"gate: {self.part.says}; no ledger and no report is written"
        for line in gate_lines(self.registry, self.ledger, closing):
            terminalreporter.write_line(line)
        if self.interrupted:
            terminalreporter.write_line("gate: the run was interrupted, so the ledger and the report are the old ones")
