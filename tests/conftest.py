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
