"""A plugin of pytest: the files that take longest come first, for workers that take a file at a time."""

from __future__ import annotations

import pytest

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
        "typesetting/test_typeset_statements",
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
