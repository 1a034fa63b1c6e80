"""Sentences of reasons that were false once, each beside the number that decides it."""

from __future__ import annotations

from math import exp, log, sqrt

import mpmath
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpmatrix.reporting.citing import cite
from dpmatrix.spec import load

REGISTRY = load()
theorem_2 = cite("wishart.theorem-2@930fd741")


def gaussian_delta(epsilon: float, delta: float) -> float:
    """Compute the exact delta of the Gaussian mechanism with the constant sqrt(2 ln(1.25/delta))."""
    shift = epsilon / sqrt(2 * log(1.25 / delta))
    return norm.cdf(shift / 2 - epsilon / shift) - exp(epsilon) * norm.cdf(-shift / 2 - epsilon / shift)


def test_the_gaussian_constant_first_fails_near_a_large_epsilon() -> None:
    deltas = [k / 200 for k in range(1, 200)]
    assert all(gaussian_delta(3.78, delta) < delta for delta in deltas)
    assert next(delta for delta in deltas if gaussian_delta(3.8, delta) > delta) > 0.85

    def most(epsilon: float) -> float:
        return max(gaussian_delta(epsilon, delta) - delta for delta in deltas)

    first = brentq(most, 1, 10)
    where = max(deltas, key=lambda delta: gaussian_delta(first, delta) - delta)
    theorem_2.tells("first fails near epsilon = {}, at delta near {}", first, where)


def ppca_loss(records: int, epsilon: float) -> float:
    """Compute the privacy loss of PPCA in the plane where one of so many records e_1 becomes e_2."""

    def log_normaliser(first: int, second: int) -> mpmath.mpf:
        most = max(first, second)
        integral = mpmath.quad(
            lambda t: mpmath.exp(
                epsilon / 2 * ((first - most) * mpmath.cos(t) ** 2 + (second - most) * mpmath.sin(t) ** 2)
            ),
            mpmath.linspace(0, mpmath.pi / 2, 9),
        )
        return epsilon / 2 * most + mpmath.log(integral)

    centre = log_normaliser(records, 0) - log_normaliser(records - 1, 1)
    return float(max(abs(epsilon / 2 - centre), abs(-epsilon / 2 - centre)))


def test_no_pair_of_data_sets_attains_the_loss_of_ppca() -> None:
    because = REGISTRY["near-optimal.theorem-6"].because
    assert "with equality" not in because
    assert "No pair of data sets attains it" in because
    assert ppca_loss(1, 1.0) == pytest.approx(0.5), "half of it at n = 1"
    assert 0.99 < ppca_loss(200, 1.0) < 1, "and it is approached"


@pytest.mark.parametrize(
    ("claim", "false"),
    [
        ("wishart.theorem-4", "let S be the output on the neighbour. Then"),
        ("compression.remark-4-7", "does not say"),
        ("near-optimal.theorem-8", "For epsilon > d the databases would have to differ in less than one point, and it"),
        ("near-optimal.theorem-8", "from about d = 450 on"),
        ("near-optimal.table-2", "is no merit of PCA"),
        ("sliding-window.lemma-4", "log t and not log W"),
        ("sliding-window.lemma-4", "have no such bound"),
        ("sliding-window.lemma-5", "without looking at the sketch"),
        ("near-optimal.theorem-7", "n eps < 2"),
    ],
)
def test_what_was_not_shown_is_not_said(claim: str, false: str) -> None:
    assert false not in REGISTRY[claim].because


def test_a_constant_output_is_accurate_where_the_window_is_short() -> None:
    """The bounds of Theorem 3 at a direction of energy w <= W, zeta = c r log^2(1/delta)/eps^2, c = 1, and C = zeta."""
    because = REGISTRY["sliding-window.conjecture-1"].because
    assert not because.startswith("Open in its regime.")
    assert "an additive error of the order of W/eta is met by a constant" in because
    eta, zeta = 0.1, 100 * log(1e6) ** 2 / 0.5**2
    longest = zeta * (eta / 4) / (1 - eta / 4)
    assert 1957 < longest < 1958
    for energy in (0.0, 1.0, longest / 2, longest * 0.999999):
        assert (1 - eta / 4) * (energy + zeta) <= zeta <= (1 + eta / 4) ** 2 / (1 - eta) * energy + zeta
    assert (1 - eta / 4) * (1.01 * longest + zeta) > zeta, "and no longer beyond"


def test_figure_4_is_judged_on_the_panel_whose_data_are_whole() -> None:
    figure = REGISTRY["near-optimal.figure-4"]
    assert "localization" not in figure.statement.says
    assert [step.name for step in figure.steps] == ["part-of-localization"]
