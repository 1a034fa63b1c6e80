"""Shared by the tests: the distance that an empirical distribution keeps from its law, and a run that was invented."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from scipy.stats import ks_1samp

from dpmatrix.claims import Citation, Evidence, Grade, Ledger, Outcome, Registry, Role, describe, standings

ERROR = 1e-10

LONG = tuple(
    f"tests/{file}.py"
    for file in (
        "claims/test_mutation_tool",
        "reporting/adversary/test_attacks",
        "auditing/test_audit_command",
        "reporting/test_gate_refuses_runs",
        "auditing/test_audit_search",
        "auditing/test_no_verdict",
        "auditing/test_audit_budget_option",
        "documentation/test_pages_run",
        "experiments/test_near_optimal_reproductions",
        "reporting/test_gate_opens",
        "reporting/test_gate_refuses_tricks",
        "tracing/test_traced_statements",
        "kernel/test_generated_files",
        "commands/test_principal_components_command",
        "reporting/test_gate_refuses_claims",
        "claims/test_planted_faults",
        "mechanisms/test_ppca",
        "auditing/test_audit_stages",
    )
)
"""The files that take longest, the longest first: begun last, one of them would keep one worker busy alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the items of long files first, which workers that take a file at a time then begin with."""
    places = {file: place for place, file in enumerate(LONG)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(LONG)))


@pytest.fixture
def cdf_radius():
    """Distance that an empirical CDF of ``size`` draws exceeds with probability at most 1e-10 (Massart 1990).

    ``P(sup |F_n - F| > t) <= 2 exp(-2 n t**2)`` for every law, discrete ones included.
    """
    return lambda size: math.sqrt(math.log(2 / ERROR) / (2 * size))


@pytest.fixture
def cdf_distance():
    """Largest distance between the empirical CDF of draws and a continuous CDF, which takes arrays."""
    return lambda draws, cdf: float(ks_1samp(draws, cdf, method="asymp").statistic)


def invented(registry: Registry) -> Iterator[Evidence]:
    """Give every claim one item that supports it, which it shares with the next one, and one that refutes it."""
    number = count()
    for claim in registry:
        shared = f"proofs_checks/test_{next(number) // 4}.py::test_shared"
        for role, node in ((Role.SUPPORTS, shared), (Role.REFUTES, f"audit/test_refutes.py::test_it[{claim.id}]")):
            cited = Citation.parse(f"{claim.id}@{registry.fingerprints[claim.id]}")
            yield Evidence(node, cited, role, Grade.SYMBOLIC, "everywhere", Outcome.PASSED, 0.5)


@pytest.fixture(scope="session")
def invented_run() -> tuple[Registry, Ledger, list[dict[str, Any]]]:
    """Return the specification itself, a run on invented evidence, and its claims as that run leaves them."""
    from dpmatrix.reporting.implementations import implementations
    from dpmatrix.spec import load

    registry, code = load(), implementations()
    evidence = tuple(invented(registry))
    verdicts = {claim.id: claim.verdict.value for claim in registry}
    ledger = Ledger(evidence, standings(registry, evidence, code), registry.fingerprints, (), {}, verdicts)
    return registry, ledger, describe(registry, ledger, code)
