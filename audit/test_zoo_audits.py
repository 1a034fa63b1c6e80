"""The auditor before the suite of `audit.zoo`: faulty mechanisms are certified as violations, correct ones pass.

By default a few of every kind with small budgets; with ``--audit-budget`` all of them, for as long as it says: a faulty
mechanism until it is refuted, a correct one until its time is over. A false alarm has probability at most 1e-6 in each
audit of a correct mechanism. Detection is a matter of power: the budgets are several times what the violations need,
and where the event is as clear as a support violation they are far more.
"""

from __future__ import annotations

import pytest
from attrs import evolve

from audit.zoo import correct_specimens, faulty_specimens, specimen
from audit.zoo.trial import Budget, examine

DETECTING = Budget(training=3000, confirmation=2**17, stages=6, tightness=0.0)
PASSING = Budget(training=1000, confirmation=2**14, stages=3)
DEEP = Budget(training=20_000, confirmation=2**30, stages=20, tightness=0.0)

FAULTY = (
    "laplace-half",
    "laplace-spectral-sensitivity",
    "gaussian-half",
    "gaussian-wrong-adjacency",
    "laplace-off-diagonal-forgotten",
    "laplace-traceless",
    "rows-unclipped",
    "clipped-after-squaring",
    "norm-bound-from-the-data",
    "noise-reused",
    "fixed-seed",
    "truncated-noise",
    "wishart-printed",
    "wishart-printed-10",
    "wishart-singular",
    "symmetrised-wishart-half",
    "sketch-wrong-rows",
    "sketch-without-floor",
    "bingham-normalised-twice",
    "gibbs-stopped-early",
    "noise-of-the-eigengap",
    "sparse-vector-4",
    "sparse-vector-5",
    "noisy-max-value",
    "noisy-max-half",
    "histogram-zero-twice",
    "histogram-one-sided",
    "prefix-sums-one-variate",
    "counts-largest-change",
    "rappor-one-filter",
    "randomised-response-binary",
    "float-laplace-moment",
    "noise-rounded-sum-not",
)
CORRECT = tuple(creature.name for creature in correct_specimens())[::2]
UNITS = {"s": 1, "m": 60, "h": 3600}
A_MINUTE = 60.0
ALL_FAULTY = tuple(creature.name for creature in faulty_specimens() if creature.is_demanded())
ALL_CORRECT = tuple(creature.name for creature in correct_specimens())


def seconds_each(budget: str) -> float | None:
    """Return what one audit may take; None for the default."""
    if budget == "default":
        return None
    if budget == "deep":
        return A_MINUTE
    if budget[-1:] not in UNITS or not budget[:-1].isdecimal() or int(budget[:-1]) == 0:
        raise pytest.UsageError(f"--audit-budget={budget}: write default, deep, or a time such as 30m or 2h")
    return int(budget[:-1]) * UNITS[budget[-1]] / (len(ALL_FAULTY) + len(ALL_CORRECT))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    seconds = seconds_each(metafunc.config.getoption("--audit-budget"))
    deep = None if seconds is None else evolve(DEEP, seconds=seconds)
    faulty = metafunc.function is test_faulty_mechanism_is_found
    names = (FAULTY if faulty else CORRECT) if deep is None else (ALL_FAULTY if faulty else ALL_CORRECT)
    budget = deep or (DETECTING if faulty else PASSING)
    metafunc.parametrize(("name", "budget"), [pytest.param(name, budget, id=name) for name in names])


def words(finding) -> str:
    return (
        f"certified epsilon >= {finding.epsilon:.3f}, delta >= {finding.delta:.3g} after {finding.samples} outputs; "
        f"event: {finding.event}; pair: {finding.pair}; by density epsilon >= {finding.density_epsilon:.3f}"
    )


def test_faulty_mechanism_is_found(name: str, budget: Budget, record_property) -> None:
    finding = examine(specimen(name), budget, generator=2016)
    record_property("detail", words(finding))
    assert finding.refuted
    truth = finding.specimen.truth()
    if truth is not None and truth.exact:
        assert finding.epsilon <= truth.epsilon, "a bound above the truth has probability at most 1e-6"


def test_correct_mechanism_passes(name: str, budget: Budget, record_property) -> None:
    finding = examine(specimen(name), budget, generator=2017)
    record_property("detail", words(finding))
    assert not finding.refuted
    assert not finding.no_verdict
