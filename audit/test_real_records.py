"""Audits and releases on real records: the insurance data where a directory is given, else a bundled data set."""

from __future__ import annotations

import numpy as np
import pytest

from dpmatrix.auditing import neighbours_of, seen_at_resolution
from dpmatrix.claims import Truth
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism, WishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.entropy import SystemEntropy
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise

theorem_4 = cite("wishart.theorem-4@f1912fdb")
theorem_3 = cite("wishart.theorem-3@ec1ddeda")


EPSILON = 1
PAIRS = 4
RESOLUTION = 2.0**-40


@pytest.fixture
def audited_on_records(audited, records):
    def run(mechanism):
        target = seen_at_resolution(mechanism.simulate, RESOLUTION)
        subject = (mechanism, "simulation in floats, seen at 2^-40, on real records")
        pairs = neighbours_of(records.records, Adjacency.REPLACE_ONE)[:PAIRS]
        return audited(target, pairs, epsilon=EPSILON, training=100, confirmation=1000, seed=2000, subject=subject)

    return run


@theorem_4.refutes(grade="statistical", region="real records, epsilon = 1; confidence 1 - 1e-9")
def test_wishart_failure_is_found_on_real_records(statement, audited_on_records, records) -> None:
    result = audited_on_records(WishartMechanism(EPSILON, acknowledge="wishart.theorem-4"))
    assert result.violated
    n, d = records.records.shape
    assert statement.at(InputPerturbation(d, n, EPSILON)) is Truth.FALSE


@theorem_3.supports(grade="statistical", region="real records, epsilon = 1; no alarm at 1e-9")
def test_laplace_raises_no_alarm_on_real_records(statement, audited_on_records, records) -> None:
    result = audited_on_records(LaplaceInputPerturbation(EPSILON))
    assert not result.violated
    n, d = records.records.shape
    assert statement.at(InputPerturbation(d, n, EPSILON)) is Truth.TRUE


@theorem_4.supports_repair(grade="statistical", region="real records, epsilon = 1; no alarm at 1e-9")
def test_symmetrised_wishart_raises_no_alarm_on_real_records(statement, audited_on_records, records) -> None:
    result = audited_on_records(SymmetrisedWishartMechanism(EPSILON))
    assert not result.violated
    assert (
        statement.at(SymmetrisedNoise(records.records.shape[1], Adjacency.REPLACE_ONE, EPSILON, 1, 1, 0)) is Truth.TRUE
    )


@pytest.mark.parametrize("mechanism", [LaplaceInputPerturbation(EPSILON), SymmetrisedWishartMechanism(EPSILON)])
def test_real_records_are_released_under_a_guarantee(records, mechanism) -> None:
    """Both safe methods run on all of the records with secret bits, and give a symmetric lattice matrix."""
    release = mechanism.release(records.records[:, :30], entropy=SystemEntropy())
    assert release.private
    assert release.guarantee.epsilon == EPSILON
    assert release.guarantee.delta == 0
    exact = records.records[:, :30].T @ records.records[:, :30] / len(records.records)
    error = release.to_numpy() - exact
    assert np.array_equal(release.integers, release.integers.T)
    assert np.linalg.norm(error) > 0
