"""The same losses read off the functions themselves: a generator without noise returns centres and keeps the scales."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from audit.strangers import DIMENSION, RECORDS, STRANGERS
from audit.strangers.record import REPLACE, Array
from audit.strangers.truth import gaussian_epsilon
from tests.audit_strangers.of_choices import WITNESSES as OF_CHOICES
from tests.audit_strangers.of_sums import GAUSSIANS
from tests.audit_strangers.witness import U, X, Y, Z, first

BY_NAME = {stranger.name: stranger for stranger in STRANGERS}
# Those whose outputs are centres plus independent Laplace noise of scales that do not depend on the data.
RIGHT_SUMS = [
    "mean_salary",
    "bonus_clipped_early",
    "symptoms_by_weight",
    "ward_histogram",
    "ward_histogram_open",
    "ward_histogram_present",
    "wards_occupied",
    "local_noise_on_scores",
    "column_sums_together",
    "class_sums",
    "score_with_gaps_at_zero",
]
FAULTY_SUMS = ["payroll_total", "hours_worked", "symptom_dashboard", "local_noise", "contacts"]
RIGHT_CHOICES = ["best_price", "favourite_clinic_halved", "median_rent_drawn"]


class Silent:
    """A generator whose noise is 0; it keeps the scales, and the probabilities of the last choice."""

    def __init__(self) -> None:
        self.scales: list[float] = []
        self.probabilities = np.zeros(0)

    def laplace(self, loc: float = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return the centre, and keep the scale of each entry."""
        shape = np.shape(scale) if size is None else size
        self.scales += list(np.broadcast_to(scale, shape).ravel())
        return loc + np.zeros(shape)

    normal = laplace

    def choice(self, options: Array, p: Array) -> float:
        """Return the first option, and keep the probabilities."""
        self.probabilities = p
        return float(np.ravel(options)[0])


def centre(name: str, data: Array) -> tuple[Array, Array]:
    """Return the output without noise and the scales of the noise, of a symmetric matrix its upper triangle."""
    silent, stranger = Silent(), BY_NAME[name]
    arguments = (1, silent) if "size" in stranger.takes else (silent,)
    output = np.asarray(stranger.mechanism(data, *arguments))
    scales = np.reshape(silent.scales, output.shape)
    if output.shape == (DIMENSION, DIMENSION):
        upper = np.triu_indices(DIMENSION)
        return output[upper], scales[upper]
    return output.ravel(), scales.ravel()


def chances(name: str, data: Array) -> Array:
    silent = Silent()
    BY_NAME[name].mechanism(data, silent)
    return silent.probabilities


def neighbours(name: str) -> Iterator[tuple[Array, Array]]:
    """Yield many pairs of neighbours, half of them with records that are alike but for four of them."""
    generator, stranger = np.random.default_rng(7), BY_NAME[name]
    for i in range(400):
        pool = generator.normal(size=(RECORDS + 1, DIMENSION))
        pool /= np.linalg.norm(pool, axis=1, keepdims=True)
        pool *= generator.choice([0.0, 0.3, 1.0], size=(RECORDS + 1, 1), p=[0.2, 0.3, 0.5])
        if i % 2:
            pool = pool[generator.integers(0, 4, size=RECORDS + 1)]
        one, rest = pool[:RECORDS], pool[1:RECORDS]
        if stranger.adjacency is REPLACE:
            yield one, np.vstack([pool[RECORDS:], rest])
        elif i % 4 < 2 or stranger.note:
            yield one, rest
        else:
            yield one, np.vstack([np.zeros((1, DIMENSION)), rest])


@pytest.mark.parametrize("name", RIGHT_SUMS)
def test_no_pair_shifts_a_right_sum_by_more_than_its_scale_allows(name: str) -> None:
    losses = []
    for one, two in neighbours(name):
        (start, scales), (end, same) = centre(name, one), centre(name, two)
        assert np.array_equal(scales, same)
        losses.append(float(np.sum(np.abs(start - end) / scales)))
    assert max(losses) <= BY_NAME[name].epsilon * (1 + 1e-9)


@pytest.mark.parametrize("name", FAULTY_SUMS)
def test_some_pair_shifts_a_faulty_sum_by_more_than_its_scale_allows(name: str) -> None:
    losses = []
    for one, two in neighbours(name):
        (start, scales), (end, _) = centre(name, one), centre(name, two)
        losses.append(float(np.sum(np.abs(start - end) / scales)))
    assert BY_NAME[name].epsilon < max(losses) <= (BY_NAME[name].exactly or 0) * (1 + 1e-9)


@pytest.mark.parametrize("name", RIGHT_CHOICES)
def test_no_pair_changes_a_right_choice_by_more_than_its_claim(name: str) -> None:
    worst = max(float(np.max(np.abs(np.log(chances(name, one) / chances(name, two))))) for one, two in neighbours(name))
    assert 0.2 < worst <= BY_NAME[name].epsilon


def test_a_clinic_is_chosen_with_the_probabilities_on_record() -> None:
    for name in ("favourite_clinic", "favourite_clinic_halved", "favourite_charity"):
        witness = OF_CHOICES[name]
        assert chances(name, witness.likely)[0] == pytest.approx(witness.p, rel=1e-12)
        assert chances(name, witness.unlikely)[0] == pytest.approx(witness.q, rel=1e-12)


@pytest.mark.parametrize("name", ["mean_change", "total_change", "covariance", "accounts_up_and_down"])
def test_normal_noise_has_the_epsilon_on_record(name: str) -> None:
    witness, stranger = GAUSSIANS[name], BY_NAME[name]
    (start, scales), (end, _) = centre(name, witness.likely), centre(name, witness.unlikely)
    shift = float(np.linalg.norm((start - end) / scales))
    assert gaussian_epsilon(shift, 1.0, stranger.delta) == pytest.approx(stranger.exactly, rel=1e-9)


def test_right_normal_noise_has_the_scale_for_its_claim() -> None:
    exact, classic = BY_NAME["sums_with_exact_scale"], BY_NAME["covariance_replaced"]
    (start, scales), (end, _) = centre(exact.name, first(U, Z)), centre(exact.name, first((-U[0], -U[1], -U[2]), Z))
    assert gaussian_epsilon(float(np.linalg.norm((start - end) / scales)), 1.0, exact.delta) == pytest.approx(
        1, rel=1e-9
    )
    (start, scales), (end, _) = centre(classic.name, first(X, Z)), centre(classic.name, first(Y, Z))
    shift = float(np.linalg.norm((start - end) / scales))
    assert shift * float(scales[0]) == pytest.approx(math.sqrt(2))
    assert gaussian_epsilon(shift, 1.0, classic.delta) < classic.epsilon


def test_zeros_in_the_place_of_a_removed_record_count_as_a_patient() -> None:
    """The note of this mechanism: it is right where rows come and go, and loses 2 where a row becomes zeros."""
    (start, scales), (end, _) = centre("ward_histogram_open", first(X, X)), centre("ward_histogram_open", first(Z, X))
    assert BY_NAME["ward_histogram_open"].note
    assert np.sum(np.abs(start - end) / scales) == 2
