"""What the noise of a mechanism claims, for an auditor that tries other claims than the stated one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from audit.peers.claims import (
    FEW_STEPS,
    STEPS,
    classic,
    concentrated_delta,
    crossing,
    integer_delta,
    least,
    normal_delta,
    pure,
)
from audit.peers.other_auditors import Row, Task
from audit.published import PUBLISHED, auditors, delta_siege
from audit.published.auditors import Other, all_finite, ask_other, task_of
from audit.published.siege import ask_delta_siege, deltas
from audit.strangers.truth import gaussian_epsilon

BY_NAME = {record.name: record for record in PUBLISHED}
KNOWN = [record for record in PUBLISHED if record.claims() is not None]
RULES = [record for record in PUBLISHED if record.noise_claims is not None]


@pytest.mark.parametrize("record", KNOWN, ids=lambda record: record.name)
def test_the_stated_claim_is_one_of_the_noise(record) -> None:
    claims = record.claims()
    found = claims.epsilon_at(record.delta)
    assert found is not None
    # The noise on counts was found on ten times as many orders, which gives a claim that is better by less than 1e-4.
    assert record.epsilon * (1 - 1e-3) <= found <= record.epsilon * (1 + 1e-4)


@pytest.mark.parametrize("record", RULES, ids=lambda record: record.name)
def test_claims_of_one_noise_need_that_noise_and_weaker_ones_less(record) -> None:
    claims = record.claims()
    noise = claims.needed(record.epsilon, record.delta)
    tried = [delta for delta in np.logspace(-8, -1, 8) if claims.epsilon_at(float(delta)) is not None]
    assert len(tried) >= 3
    for delta in map(float, tried):
        epsilon = claims.epsilon_at(delta)
        assert claims.needed(epsilon, delta) == pytest.approx(noise, rel=1e-3)
        assert claims.needed(1.1 * epsilon, delta) < claims.needed(epsilon, delta) < claims.needed(epsilon / 1.1, delta)
        assert claims.needed(epsilon, 1.5 * delta) < claims.needed(epsilon, delta)
    assert claims.epsilon_at(0.0) is None
    assert math.isinf(claims.needed(1.0, 0.0))


def test_claims_of_no_delta_are_the_stated_one() -> None:
    claims = pure(0.5)
    assert (claims.epsilon_at(0.0), claims.epsilon_at(1e-6)) == (0.5, None)
    assert claims.needed(2.0, 0.0) == 0.5
    assert BY_NAME["bug-reports/jax-privacy-banded-toeplitz"].claims() is None


def test_the_textbook_rule_ends_at_one() -> None:
    claims = classic(delta_siege.CLASSIC)
    assert claims.epsilon_at(delta_siege.DELTA) == pytest.approx(1.0)
    assert claims.epsilon_at(delta_siege.DELTA / 2) is None
    assert claims.needed(1.0, delta_siege.DELTA) == pytest.approx(delta_siege.CLASSIC)


def test_deltas_of_noise_are_those_of_their_laws() -> None:
    deviation = delta_siege.analytic()
    for delta in (1e-6, 1e-3, 0.1):
        epsilon = gaussian_epsilon(1.0, deviation, delta)
        assert normal_delta(deviation, epsilon) == pytest.approx(delta, rel=1e-6)
    variance = delta_siege.discrete_variance()
    for delta in (1e-5, 1e-3):
        epsilon = delta_siege.discrete_epsilon(variance, delta)
        assert integer_delta(float(variance), epsilon) == pytest.approx(delta, rel=1e-6)
    rho = delta_siege.concentrated(3.0, 1e-6)
    assert concentrated_delta(1 / rho, 3.0) == pytest.approx(1e-6, rel=1e-2)


def test_a_crossing_is_an_end_where_there_is_none() -> None:
    assert crossing(lambda place: 2.0 - place, 0.0, 10.0) == pytest.approx(2.0)
    assert crossing(lambda place: -1.0 - place, 0.0, 10.0) == 0.0
    assert crossing(lambda place: 100.0 - place, 0.0, 10.0) == pytest.approx(10.0)
    assert least(normal_delta, 1.0, 1e6).needed(1.0, 1.0) == 0.0
    assert least(normal_delta, 1.0, 1e6).epsilon_at(1.0) is None


def test_delta_siege_is_told_the_claims_and_not_asked_without() -> None:
    other = Other((), ask_delta_siege, searches=False, whole=True)
    record = BY_NAME["delta-siege/gaussian-analytic-diffprivlib"]
    task = task_of(record, other, 0)
    assert task.claims is not None
    assert task.claims.epsilon_at(1e-3) == pytest.approx(1.0, rel=1e-6)
    row = ask_delta_siege(task_of(BY_NAME["bug-reports/jax-privacy-banded-toeplitz"], other, 0))
    assert row.detected is None
    assert row.remark.startswith("not asked: takes all claims of the noise")


def test_deltas_that_are_tried_hold_the_stated_one() -> None:
    tried = deltas(1e-3, STEPS)
    assert (len(tried), tried[0], tried[1]) == (902, 0.0, 1e-3)
    assert (tried[2], tried[-1]) == pytest.approx((1e-9, 1.0))
    counts = BY_NAME["delta-siege/mst-marginals"].claims()
    assert counts is not None
    assert (counts.steps, FEW_STEPS) == (90, 90)


def test_an_output_that_is_no_number_is_shown_to_those_that_take_it(monkeypatch: pytest.MonkeyPatch) -> None:
    record = BY_NAME["dp-recorder/missing-number"]
    seen: list[int] = []

    def ask(task: Task) -> Row:
        seen.append(task.outputs)
        return Row(True, 1.0, math.nan, 0.0)

    strict = Other(("numpy",), ask, searches=False, whole=True)
    lenient = Other(("numpy",), ask, searches=False, whole=True, finite=False)
    monkeypatch.setattr(auditors, "OTHERS", {"strict": strict, "lenient": lenient})
    assert not all_finite(task_of(record, strict, 0))
    assert ask_other("strict", record, 0).row.remark == "not asked: takes finite numbers"
    assert seen == []
    assert ask_other("lenient", record, 0).row.detected
    assert seen == [4_000]
    assert ask_other("strict", BY_NAME["dp-recorder/count"], 0).row.detected
