"""Truths of mechanisms that release a number: closed forms and grids, against densities and sampled outputs.

Each comparison with sampled outputs is wrong with probability at most 1e-9.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from audit.published import PUBLISHED, bug_reports, checkdp, dp_sniper, lyu_su_li, statdp
from audit.published.above_threshold import BELOW, NOT_ASKED, AboveThreshold, fresh_values, gaps, reported, values
from audit.published.gap_laws import OneReport, gap, two_sided_adaptive
from audit.published.laws import below, density, fresh_value_loss, pattern_law
from audit.published.mechanisms import noisy_max
from audit.strangers.truth import gaussian_epsilon
from tests.audit_published.frequencies import Silent, implausibility, rows

BY_NAME = {record.name: record for record in PUBLISHED}
SIZE, RARE = 200_000, 1e-9
EDGES = [-60.0, -8.0, -2.0, 0.0, 1.0, 3.0, 8.0, 16.0, 24.0, 60.0]


def value(of: AboveThreshold) -> OneReport:
    """Describe the variant that releases the noisy answer which was compared."""
    return OneReport(
        of.threshold,
        of.threshold_scale,
        lambda bars, answer: below(bars - answer, of.query_scale),
        lambda bars, answer, number: density(np.full_like(bars, number - answer), of.query_scale) * (bars <= number),
        lambda answer, number: (answer, number),
        min(of.threshold_scale, of.query_scale),
        max(of.threshold_scale, of.query_scale),
        None,
    )


def binned(report: OneReport, row: np.ndarray) -> dict[tuple[int, int], float]:
    """Integrate the density over bins of the number, for every place; what is left is no report, or beyond the bins."""
    points, weights = np.polynomial.legendre.leggauss(12)
    law: dict[tuple[int, int], float] = {}
    for bin_, (start, end) in enumerate(pairwise(EDGES)):
        panels = np.linspace(start, end, 2 + int((end - start) / 4))
        for low, high in pairwise(panels):
            numbers = (low + high) / 2 + (high - low) / 2 * points
            densities = np.exp(report.logs(row, numbers)[:-1]).reshape(len(numbers), len(row))
            for place, mass in enumerate(weights @ densities * (high - low) / 2):
                law[place, bin_] = law.get((place, bin_), 0.0) + float(mass)
    law[-1, -1] = 1 - sum(law.values())
    # The panels end at no kink of the density but zero, so masses of 1e-12 are rounding.
    return {cell: 0.0 if abs(mass) < 1e-12 else mass for cell, mass in law.items()}


def cells(outputs: np.ndarray) -> list[tuple[int, int]]:
    above = outputs > BELOW
    place = np.where(above.any(axis=1), above.argmax(axis=1), -1)
    number = outputs[np.arange(len(outputs)), place]
    bins = np.searchsorted(EDGES, number, side="right") - 1
    kept = (place >= 0) & (bins >= 0) & (bins < len(EDGES) - 1)
    return [(int(p), int(b)) if k else (-1, -1) for p, b, k in zip(place, bins, kept, strict=True)]


REPORTS = {
    "gap": (gaps(checkdp.PLAIN), gap(1.0, 2.0, 4.0)),
    "adaptive": (checkdp.adaptive(value=False), two_sided_adaptive(1.0, 2.0, 8.0, 4.0, 16.0, value=False)),
    "bad adaptive": (checkdp.adaptive(value=True), two_sided_adaptive(1.0, 2.0, 8.0, 4.0, 16.0, value=True)),
    "value": (values(checkdp.PLAIN), value(checkdp.PLAIN)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_reports_of_a_number_have_the_density_of_the_quadrature(name: str) -> None:
    mechanism, report = REPORTS[name]
    for row in ([1.0, 2.0, 0.0], [3.0, 0.0, 12.0]):
        law = binned(report, np.array(row))
        outputs = np.asarray(mechanism(np.array([row]), SIZE, np.random.default_rng(1)))
        assert implausibility(cells(outputs), law) > RARE
    less = np.asarray(mechanism(np.array([[2.5, 0.0, 12.0]]), SIZE, np.random.default_rng(1)))
    assert implausibility(cells(less), law) < RARE


def test_the_grid_is_fine_enough_for_the_losses_on_record() -> None:
    """Between the points of the grid the loss exceeds the greatest on it by less than a hundredth."""
    one = checkdp.FIVE[4]
    for _, report in (REPORTS["gap"], REPORTS["adaptive"]):
        coarse = np.abs(report.logs(one.data[0]) - report.logs(one.neighbour[0])).max()
        finer = np.linspace(0.0, 60.0, 400)
        fine = np.abs(report.logs(one.data[0], finer) - report.logs(one.neighbour[0], finer)).max()
        assert fine <= coarse + 0.01


@pytest.mark.parametrize(
    ("name", "of", "inputs"),
    [
        ("checkdp/bad-gap-sparse-vector", checkdp.PLAIN, checkdp.FIVE),
        ("statdp/sparse-vector-4", statdp.VALUE, statdp.TEN),
        ("dp-sniper/sparse-vector-3", dp_sniper.THIRD, dp_sniper.TEN),
    ],
)
def test_released_answers_lose_the_closed_form_far_below_and_nowhere_more(name, of, inputs) -> None:
    report = value(of)
    losses = [np.abs(report.logs(one.data[0]) - report.logs(one.neighbour[0])) for one in inputs[4:7]]
    assert max(map(np.nanmax, losses)) == pytest.approx(BY_NAME[name].truth().epsilon, rel=1e-4)


def test_a_released_answer_of_two_loses_the_closed_form_too() -> None:
    """Of eight answers the second one above is the last: below all of them every factor has its whole shift."""
    record = BY_NAME["lyu-su-li/algorithm-3"]
    scale = lyu_su_li.THIRD.query_scale
    moves = [np.abs(one.data - one.neighbour).sum() / scale for one in lyu_su_li.INPUTS]
    assert record.truth().epsilon == max(moves) == pytest.approx(2.0)
    outputs = np.asarray(record.mechanism(lyu_su_li.INPUTS[3].data, SIZE, np.random.default_rng(2)))
    low = (outputs > BELOW) & (outputs < -3)
    assert np.all((outputs > BELOW).sum(axis=1) <= 2)
    assert low.any()


@pytest.mark.parametrize("scale", [2.0, 20.0])
def test_a_released_maximum_loses_the_closed_form_far_below(scale: float) -> None:
    def chance(row: np.ndarray, bar: float) -> float:
        return math.prod(float(part) for part in below(bar - row, scale))

    ones, twos = np.ones(5), np.full(5, 2.0)
    far = math.log(chance(ones, -30 * scale) / chance(twos, -30 * scale))
    assert far == pytest.approx(statdp.total_shift(5, scale).epsilon, rel=1e-9)
    outputs = noisy_max(scale, value=True)(ones[None], SIZE, np.random.default_rng(3))
    law = {True: chance(ones, 3.0), False: 1 - chance(ones, 3.0)}
    assert implausibility((outputs < 3.0).tolist(), law) > RARE


def test_one_sided_noise_makes_outputs_impossible() -> None:
    """A maximum between 1 and 2 has probability (1 - exp(-1/b))^5 on five ones, and 0 on five twos."""
    scale = statdp.DOUBLE
    sides = [np.ones((1, 5)), np.full((1, 5), 2.0)]
    low, high = (noisy_max(scale, one_sided=True, value=True)(side, SIZE, np.random.default_rng(4)) for side in sides)
    chance = (-math.expm1(-1 / scale)) ** 5
    assert implausibility((low < 2).tolist(), {True: chance, False: 1 - chance}) > RARE
    assert np.all(high >= 2)


def test_numbers_with_noise_of_their_own_add_their_shifts() -> None:
    row = np.array([2.0, 0.0, 1.0])
    of = checkdp.NUMERIC
    outputs = np.asarray(fresh_values(of, 3.0)(row[None], SIZE, np.random.default_rng(5)))
    seen = np.where(outputs == NOT_ASKED, -1, (outputs > BELOW).astype(int))
    assert implausibility(rows(seen), pattern_law(of, row)) > RARE
    first = outputs[seen[:, 0] == 1, 0]
    law = {True: float(below(np.array(3.0 - row[0]), 3.0)), False: float(below(np.array(row[0] - 3.0), 3.0))}
    assert implausibility((first < 3.0).tolist(), law) > RARE
    # All answers rise: the first report loses less of what was above, and all of the shift of its number.
    laws = [pattern_law(of, side) for side in (row, row + 1)]
    logs = {pattern: abs(math.log(chance / laws[1][pattern])) for pattern, chance in laws[0].items()}
    expected = max(log + (1 in pattern) / 3 for pattern, log in logs.items())
    assert fresh_value_loss(of, 3.0, row, row + 1) == pytest.approx(expected, rel=1e-12)


def test_counts_and_the_last_entry_are_those_of_the_list() -> None:
    record = BY_NAME["statdp/sparse-vector-4"]
    row = statdp.TEN[0].data
    outputs = np.asarray(record.mechanism(row, 1000, np.random.default_rng(6)))
    whole = reported(np.asarray(values(statdp.VALUE)(row, 1000, np.random.default_rng(6))))
    assert np.array_equal(outputs, whole)


@pytest.mark.parametrize("clipped", [False, True])
def test_the_covariance_moves_by_what_is_on_record(clipped: bool) -> None:
    """Read off the mechanism: centres without noise, and the scale."""
    moves = []
    for one in bug_reports.TABLES:
        silent = Silent()
        centres = [bug_reports.covariance(1.0, clipped=clipped)(d, 1, silent) for d in (one.data, one.neighbour)]
        moves.append(float(np.abs(centres[0] - centres[1]).sum()) / silent.scales[0])
    suffix = "-repaired" if clipped else ""
    assert BY_NAME[f"bug-reports/smartnoise-covariance{suffix}"].truth().epsilon == pytest.approx(max(moves), rel=1e-12)


@pytest.mark.parametrize(("steps", "suffix"), [(2, ""), (8, "-repaired")])
def test_correlated_noise_has_the_epsilon_on_record(steps: int, suffix: str) -> None:
    record = BY_NAME[f"bug-reports/jax-privacy-banded-toeplitz{suffix}"]
    losses = []
    for one in record.inputs:
        silent = Silent()
        centres = [np.asarray(record.mechanism(d, 1, silent))[0] for d in (one.data, one.neighbour)]
        losses.append(gaussian_epsilon(float(np.linalg.norm(centres[0] - centres[1])), silent.scales[0], record.delta))
    assert record.truth().epsilon == pytest.approx(max(losses), rel=1e-9)
    matrix = np.eye(steps) + 0.5 * np.eye(steps, k=-1)
    parts = [np.bincount(range(start, steps, 2), minlength=steps) for start in (0, 1)]
    worst = max(np.linalg.norm(matrix @ part) for part in parts if part.sum())
    assert bug_reports.banded_sensitivity(steps) == pytest.approx(worst, rel=1e-12)


def test_weights_of_a_model_come_out_as_they_are() -> None:
    record = BY_NAME["bug-reports/nvflare-selected-weights"]
    one = record.inputs[0]
    own, other = (np.asarray(record.mechanism(d, 2000, np.random.default_rng(7))) for d in (one.data, one.neighbour))
    assert np.sum(own[:, 0] == 2e-6) > 100
    assert not np.any(other[:, 0] == 2e-6)
