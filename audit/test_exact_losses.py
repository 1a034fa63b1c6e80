"""Audits by exact density ratio: Hypothesis searches neighbours and outputs for the greatest privacy loss."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpmatrix.auditing.density import worst_privacy_loss
from dpmatrix.claims import Truth
from dpmatrix.mechanisms import LaplaceInputPerturbation, SymmetrisedWishartMechanism, WishartMechanism
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise

theorem_4 = cite("wishart.theorem-4@f1912fdb")
theorem_3 = cite("wishart.theorem-3@ec1ddeda")


EPSILON = 1
RECORDS = 3
RELATIVE = 1e-9
"""A float scale or a rounded sensitivity may exceed the exact one by this much; a violation is larger by orders."""


def around_the_data(pair, parameters: np.ndarray) -> np.ndarray:
    """Map a vector to a symmetric output around the second-moment matrix of the data."""
    dimension = pair.data.shape[1]
    noise = np.zeros((dimension, dimension))
    noise[np.triu_indices(dimension)] = parameters
    noise = np.triu(noise) + np.triu(noise, 1).T
    return pair.data.T @ pair.data / len(pair.data) + noise


def semidefinite_noise(pair, parameters: np.ndarray) -> np.ndarray:
    """Map a vector to an output that the data themselves can produce: a positive definite noise."""
    dimension = pair.data.shape[1]
    factor = parameters.reshape(dimension, dimension) / 10
    return pair.data.T @ pair.data / len(pair.data) + factor @ factor.T + 1e-6 * np.eye(dimension)


def search(mechanism, outputs, dimension: int, parameters: int, *, refinement: int = 150):
    return worst_privacy_loss(
        mechanism.log_density_ratio,
        outputs,
        dimension=dimension,
        records=RECORDS,
        adjacency=Adjacency.REPLACE_ONE,
        output_parameters=parameters,
        examples=100,
        refinement=refinement,
    )


@theorem_4.refutes(grade="interval", region="epsilon = 1, n = 3, d as in the item's name")
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_search_finds_an_output_that_one_neighbour_cannot_give(
    statement, record_property, record_loss, dimension: int
) -> None:
    mechanism = WishartMechanism(EPSILON, acknowledge="wishart.theorem-4")
    worst = search(mechanism, semidefinite_noise, dimension, dimension**2, refinement=20)
    record_property("detail", f"loss {worst.loss} on '{worst.pair.name}' after {worst.evaluations} ratios")
    record_loss(worst, mechanism, f"density ratio, d = {dimension}", epsilon=EPSILON)
    assert math.isinf(worst.loss)
    assert statement.at(InputPerturbation(dimension, RECORDS, EPSILON)) is Truth.FALSE


@theorem_3.supports(grade="numeric", region="epsilon = 1, n = 3, d as in the item's name, adversarial pairs")
@pytest.mark.parametrize(("dimension", "sensitivity"), [(1, 1.0), (2, math.sqrt(5)), (4, math.sqrt(13))])
def test_laplace_loss_reaches_its_sensitivity_and_no_more(
    statement, record_property, record_loss, dimension: int, sensitivity: float
) -> None:
    parameters = dimension * (dimension + 1) // 2
    lavish, least = LaplaceInputPerturbation(EPSILON, calibration="printed"), LaplaceInputPerturbation(EPSILON)
    printed, tight = (search(mechanism, around_the_data, dimension, parameters) for mechanism in (lavish, least))
    record_loss(printed, lavish, f"density ratio, printed noise, d = {dimension}", epsilon=EPSILON)
    record_loss(tight, least, f"density ratio, tight noise, d = {dimension}", epsilon=EPSILON, slack=RELATIVE)
    record_property("detail", f"printed: loss {printed.loss:.6f} of 1; tight: {tight.loss:.6f} of 1")
    assert tight.loss <= EPSILON * (1 + RELATIVE)
    assert tight.loss > 0.99 * EPSILON, "the search finds the extremal pair"
    assert printed.loss <= EPSILON * sensitivity / (2 * dimension) * (1 + RELATIVE)
    assert statement.at(InputPerturbation(dimension, RECORDS, EPSILON)) is Truth.TRUE


@theorem_4.supports_repair(grade="numeric", region="epsilon = 1, n = 3, d as in the item's name, adversarial pairs")
@pytest.mark.parametrize("dimension", [1, 2])
def test_symmetrised_wishart_loss_stays_below_epsilon(statement, record_property, record_loss, dimension: int) -> None:
    mechanism = SymmetrisedWishartMechanism(EPSILON)
    worst = search(mechanism, around_the_data, dimension, dimension * (dimension + 1) // 2, refinement=60)
    record_property("detail", f"loss {worst.loss:.6f} of 1 on '{worst.pair.name}' after {worst.evaluations} ratios")
    record_loss(worst, mechanism, f"density ratio, d = {dimension}", epsilon=EPSILON, slack=RELATIVE)
    assert worst.loss <= EPSILON * (1 + RELATIVE)
    assert worst.loss > 0.9 * EPSILON, "and comes close, so less noise would not do"
    assert statement.at(SymmetrisedNoise(dimension, Adjacency.REPLACE_ONE, EPSILON, 1, 0, 0)) is Truth.TRUE
