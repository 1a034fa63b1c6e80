"""What the wrong acceptance test of diffprivlib's and opendp's Bingham sampler costs: more than epsilon, by quadrature.

`test_bingham_samplers` shows by samples that both libraries draw from ``exp(-a) (1 + 2a/b)**(-d)`` with ``a = (epsilon
/ 4) u'(lambda_max I - C)u`` instead of ``exp(-a)``; the cause is named there, with file and line.

The exponent has slack: a replaced record moves ``u'Cu`` by at most one, up or down, which costs at most half of epsilon
under the law that is named. The factor that the code adds costs up to two times as much again, and from d = 5 on the
whole exceeds the claim: with records (w, v) against (w, w), v and w orthonormal, the loss is above 8.9 where 8 is
claimed, and delta at epsilon = 8 is 0.013. In two and three dimensions, and where a record is added or removed, no loss
above the claim was found. To certify it by samples on this pair takes some ten million of them. With many more records
along w and v the odd record costs far more, and few samples show it, see `test_diffprivlib_mathematics`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

NODES = 400


def log_density(points: np.ndarray, moment: np.ndarray, epsilon: float, power: float) -> np.ndarray:
    """Return, up to a constant, the log-density ``-a + power log(1 + 2a/b)`` at squared coordinates, for a diagonal C.

    Without a power that is the Bingham law; as coded the power is -d.
    """
    rates = epsilon * (moment.max() - moment) / 4
    width = brentq(lambda b: np.sum(1 / (b + 2 * rates)) - 1, 1, len(moment))
    a = points @ rates
    return -a + power * np.log1p(2 * a / width)


def uniform(dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Return squared coordinates, all but two of them equal on average, with log-weights of the uniform law."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    angles = (nodes + 1) * math.pi / 4
    first, second = np.meshgrid(angles, angles, indexing="ij")
    squares = np.stack([np.cos(first) ** 2, np.sin(first) ** 2 * np.cos(second) ** 2], axis=-1).reshape(-1, 2)
    area = np.sin(first) ** (dimension - 2) * np.sin(second) ** (dimension - 3)
    mass = (area * np.outer(weights, weights)).ravel()
    rest = (1 - squares.sum(axis=1, keepdims=True)) / (dimension - 2)
    return np.concatenate([squares, np.tile(rest, (1, dimension - 2))], axis=1), np.log(mass / mass.sum())


def losses(dimension: int, epsilon: float, power: float, others: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return log-masses of cells and their log-ratios.

    Without other records for (w, v) against (w, w); else for w against v beside so many records along w and along v.
    """
    points, base = uniform(dimension)
    laws = []
    for moment in ([others + 1.0, others], [others, others + 1.0]) if others else ([1.0, 1.0], [2.0, 0.0]):
        logs = log_density(points, np.array([*moment, *[0.0] * (dimension - 2)]), epsilon, power) + base
        laws.append(logs - np.logaddexp.reduce(logs))
    return laws[0], laws[0] - laws[1]


@pytest.mark.parametrize(("dimension", "epsilon", "loss"), [(5, 4.0, 4.005), (5, 8.0, 8.9), (20, 32.0, 38.0)])
def test_law_as_coded_loses_more_than_epsilon(dimension: int, epsilon: float, loss: float) -> None:
    _, ratios = losses(dimension, epsilon, -dimension)
    assert np.max(np.abs(ratios)) > loss


def test_it_does_so_with_noticeable_probability() -> None:
    logs, ratios = losses(5, 8.0, -5)
    assert np.sum(np.exp(logs) * np.maximum(1 - np.exp(8.0 - ratios), 0)) > 0.013


def test_two_strong_axes_cost_more() -> None:
    """160 records along each of two axes in six dimensions: a loss of 3.3 and a delta of 0.18 where 2 is claimed."""
    logs, ratios = losses(6, 2.0, -6, others=160)
    assert np.max(np.abs(ratios)) == pytest.approx(3.32, abs=0.01)
    assert np.sum(np.exp(logs) * np.maximum(1 - np.exp(2.0 - ratios), 0)) == pytest.approx(0.185, abs=0.001)
    _, named = losses(6, 2.0, 0, others=160)
    assert np.max(np.abs(named)) <= 2.0 / 2


@pytest.mark.parametrize(("dimension", "epsilon"), [(3, 1.0), (5, 4.0), (5, 8.0), (20, 32.0)])
def test_bingham_law_has_slack(dimension: int, epsilon: float) -> None:
    _, ratios = losses(dimension, epsilon, 0)
    assert np.max(np.abs(ratios)) <= epsilon / 2 + 1e-9


def test_three_dimensions_keep_the_claim_on_this_pair() -> None:
    _, ratios = losses(3, 8.0, -3)
    assert np.max(np.abs(ratios)) < 8
