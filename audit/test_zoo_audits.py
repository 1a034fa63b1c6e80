"""The auditor before the zoo: faulty mechanisms are certified as violations, correct ones pass.

By default a few of every kind with small budgets; with DPMATRIX_LONG=1 all of them with large ones. A false alarm has
probability at most 1e-6 in each audit of a correct mechanism. Detection is a matter of power: the budgets are several
times what the violations need, and where the event is as clear as a support violation they are far more.
"""

from __future__ import annotations

import os

import pytest

from dpmatrix.auditing.zoo import correct_specimens, faulty_specimens, specimen
from dpmatrix.auditing.zoo.trial import Budget, examine

LONG = os.environ.get("DPMATRIX_LONG") == "1"
DETECTING = Budget(training=3000, confirmation=2**17, stages=6, tightness=0.0)
DETECTING_LONG = Budget(training=20_000, confirmation=2**21, stages=7, tightness=0.0, seconds=60.0)
PASSING = Budget(training=1000, confirmation=2**14, stages=3)

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
if LONG:
    FAULTY = tuple(creature.name for creature in faulty_specimens() if creature.is_demanded())
    CORRECT = tuple(creature.name for creature in correct_specimens())


def words(finding) -> str:
    return (
        f"certified epsilon >= {finding.epsilon:.3f}, delta >= {finding.delta:.3g} after {finding.samples} outputs; "
        f"event: {finding.event}; pair: {finding.pair}"
    )


@pytest.mark.parametrize("name", FAULTY)
def test_faulty_mechanism_is_found(name: str, record_property) -> None:
    finding = examine(specimen(name), DETECTING_LONG if LONG else DETECTING, generator=2016)
    record_property("detail", words(finding))
    assert finding.violated
    truth = finding.specimen.truth()
    if truth is not None and truth.exact:
        assert finding.epsilon <= truth.epsilon, "a bound above the truth has probability at most 1e-6"


@pytest.mark.parametrize("name", CORRECT)
def test_correct_mechanism_passes(name: str, record_property) -> None:
    finding = examine(specimen(name), PASSING, generator=2017)
    record_property("detail", words(finding))
    assert not finding.violated
