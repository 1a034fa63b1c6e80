"""Sums that are not those of the real numbers, and the examples of dp-recorder, against what is on record of them."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from audit.published import PUBLISHED, casacuberta, dp_recorder
from audit.published.above_threshold import NOT_ASKED
from audit.published.auditors import ask_ours
from tests.audit_published.frequencies import Silent

BY_NAME = {record.name: record for record in PUBLISHED}
SHIFTED = [
    "casacuberta/integers-wrap",
    "casacuberta/integers-checked",
    "casacuberta/floats-rounded",
    "casacuberta/floats-exact",
    "dp-recorder/sum-not-clipped",
    "dp-recorder/budget-spent-twice",
    "dp-recorder/count",
]


def centres(name: str) -> tuple[list[np.ndarray], list[float]]:
    """Return what each input gives without noise, and the scales of the noise that was left away."""
    silent = Silent()
    one = BY_NAME[name].inputs[0]
    found = [np.asarray(BY_NAME[name].mechanism(data, 1, silent))[0] for data in (one.data, one.neighbour)]
    return found, silent.scales


@pytest.mark.parametrize("name", SHIFTED)
def test_truths_of_shifts_are_those_of_the_mechanism_without_noise(name: str) -> None:
    (own, other), scales = centres(name)
    (scale,) = set(scales)
    assert BY_NAME[name].truth().epsilon == pytest.approx(float(np.abs(own - other).sum()) / scale, rel=1e-12)


def test_sums_of_the_real_numbers_move_by_what_the_noise_is_for() -> None:
    for one, most in ((casacuberta.INTEGERS, 2**20), (casacuberta.FLOATS, 2)):
        totals = [sum(map(Fraction, side[:, 0].tolist())) for side in (one.data, one.neighbour)]
        assert abs(totals[0] - totals[1]) == most
    assert np.all(np.abs(casacuberta.FLOATS.data) <= 1)
    assert np.all((casacuberta.INTEGERS.data >= 0) & (casacuberta.INTEGERS.data <= casacuberta.TOP))


def test_every_pair_of_steps_adds_a_unit_above_the_power_of_two_and_nothing_below() -> None:
    totals = [
        np.add.accumulate(side[:, 0].astype(np.float32))
        for side in (casacuberta.FLOATS.data, casacuberta.FLOATS.neighbour)
    ]
    for total, start, step in zip(totals, (4096.0, 4094.0), (casacuberta.UNIT, 0.0), strict=True):
        kept = total[casacuberta.ONES - 1 :: 2].astype(np.float64)
        assert np.array_equal(kept, start + step * np.arange(casacuberta.STEPS + 1))


@pytest.mark.parametrize("digits", [24, 53])
def test_numbers_are_rounded_as_floats_are(digits: int) -> None:
    generator = np.random.default_rng(1)
    numbers = [*generator.normal(scale=1000, size=2000), 1.5, -0.75, 1 + 2.0**-24, 1 + 3 * 2.0**-24]
    for number in map(float, numbers):
        expected = float(np.float32(number)) if digits == 24 else number
        assert casacuberta.rounded(number, digits) == expected


def test_the_tail_of_a_mean_loses_without_a_bound() -> None:
    """The centres are the same, and the scales are those of three and of two records."""
    (own, other), scales = centres("dp-recorder/mean-by-the-size")
    assert own == other == 0.5
    losses = [math.log(3 / 2) - (3 - 2) * far / scales[0] for far in (1.0, 10.0, 100.0)]
    assert np.all(np.diff(losses) < -8)


def test_a_class_that_is_not_there_has_no_count() -> None:
    (own, other), scales = centres("dp-recorder/classes-from-the-data")
    assert own.tolist() == [2, 1, 1]
    assert other.tolist() == [2, 1, NOT_ASKED]
    assert scales == [3.0] * 3 + [2.0] * 2


def test_a_missing_number_makes_a_missing_sum_and_others_are_clipped() -> None:
    (own, other), _ = centres("dp-recorder/missing-number")
    assert own == 3.0
    assert math.isnan(other)
    clipped = dp_recorder.clipped_total(np.array([[9.0], [-1.0]]), 2, Silent())
    assert clipped.tolist() == [4.0, 4.0]


def test_without_noise_there_is_no_verdict_but_its_words_say_so() -> None:
    (own, other), scales = centres("dp-recorder/no-noise")
    assert (own, other) == (2.0, 1.0)
    assert set(scales) == {0.0}
    row = ask_ours(BY_NAME["dp-recorder/no-noise"], 1.0, generator=1).row
    assert row.detected is None
    assert "either there is no noise" in row.remark


@pytest.mark.parametrize("name", ["dp-recorder/missing-number", "casacuberta/floats-rounded"])
def test_these_faults_are_found_in_a_second(name: str) -> None:
    row = ask_ours(BY_NAME[name], 1.0, generator=1).row
    assert row.detected
    assert row.epsilon <= BY_NAME[name].truth().epsilon
