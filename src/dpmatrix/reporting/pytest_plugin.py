"""The pytest plugin: options, the marker, and the fixtures that hand statements to items of evidence.

``pytest audit`` alone runs every item of evidence under ``audit``, ``tests`` and ``proofs_checks``, computes the
standing of every claim from that run and nothing else, and fails unless the gate is satisfied.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from dpmatrix.claims import Registry, Statement
from dpmatrix.reporting.implementations import PACKAGES
from dpmatrix.reporting.session import BODY, GATE, REGISTRY, TRIALS, WHOLE, Session, declare
from dpmatrix.reporting.vacuity import MARGINS


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the gate."""
    group = parser.getgroup("dpmatrix")
    group.addoption("--accept-standings", action="store_true", help="write this run's standings as the snapshot")
    group.addoption("--kernel", action="store_true", help="have Rocq check every theorem in this run")
    group.addoption("--audit-dir", default="build/audit", help="where the report and the ledger are written")
    group.addoption("--declared-evidence", metavar="FILE", help="write the evidence that exists, without outcomes")
    group.addoption("--claims", nargs="+", default=[], metavar="ID", help="judge these claims or documents alone")
    group.addoption("--margins", choices=sorted(MARGINS), help="run evidence on statements with another margin")
    group.addoption("--turn", type=int, default=0, metavar="N", help="of the statements of an item, empty number N")
    group.addoption("--hypotheses", action="store_true", help="search for the need of each hypothesis")
    group.addoption("--tried", metavar="FILE", help="write what --margins or --hypotheses found")
    parser.addini("specification", "module that holds the claims", default="dpmatrix.spec")
    parser.addini("packages", "packages that hold implementations", type="args", default=list(PACKAGES))


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker; when all of ``audit`` is asked for, run the whole body of evidence."""
    config.addinivalue_line(
        "markers", "evidence(citation, role, grade, region): the item speaks about a statement of the specification"
    )
    asked = {Path(arg).resolve() for arg in config.args}
    deciding = (config.rootpath / GATE).resolve() in asked
    if deciding:
        if sys.flags.optimize:
            raise pytest.UsageError("python -O drops assertions, and evidence with them; run without it")
        config.args += [
            str(folder)
            for name in BODY
            if (folder := config.rootpath / name).is_dir() and folder.resolve() not in asked
        ]
    config.pluginmanager.register(Session(config, deciding=deciding), "dpmatrix-session")


@pytest.fixture
def statements(request: pytest.FixtureRequest) -> dict[str, Statement]:
    """Return the statements that the item's evidence markers name, by target."""
    stash, evidence_of_item = request.config.stash, declare(request.node)
    emptied = stash[TRIALS].target(evidence_of_item)
    found: dict[str, Statement] = {}
    for evidence in evidence_of_item:
        registry: Registry = stash[REGISTRY if evidence.citation.target == emptied else WHOLE]
        if not registry.knows(evidence.citation):
            pytest.fail(f"no statement {evidence.citation.target!r} in the specification", pytrace=False)
        found[evidence.citation.target] = registry[evidence.citation.claim].statements()[evidence.citation.target]
    return found


@pytest.fixture
def statement(statements: dict[str, Statement]) -> Statement:
    """Return the one statement that the item's evidence marker names."""
    if len(statements) != 1:
        pytest.fail("the fixture `statement` needs exactly one target; use `statements`", pytrace=False)
    return next(iter(statements.values()))
