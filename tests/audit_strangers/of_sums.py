"""Witnesses against sums, means, counts, Gaussian noise and models."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad
from scipy.stats import gamma, norm

from audit.strangers.record import Array
from tests.audit_strangers.witness import N, U, V, Witness, X, Y, Z, above, equals, first, rows, tails

OUT = 1 / math.sqrt(3)
HALF = math.sqrt(0.5)
PLUS = (math.cos(math.pi / 8), math.sin(math.pi / 8), 0.0)
MINUS = (math.cos(5 * math.pi / 8), math.sin(5 * math.pi / 8), 0.0)
CLASSIC = math.sqrt(2 * math.log(1.25 / 1e-5))


def four_noises_above(bar: float) -> float:
    """Return the probability that four standard Laplace variables add up to more than the bar."""
    return float(quad(lambda y: gamma.pdf(y, 4) * gamma.sf(y + bar, 4), 0, 60)[0])


def constant_noise(output: Array) -> bool:
    noise = np.random.default_rng(2024).laplace(scale=1 / 20)
    return bool(abs(output - 0.5 - noise) < 1e-12)


def shifted(shift: float, bar: float) -> tuple[float, float]:
    """Return p and q of normal noise above a bar, in standard deviations from the centre of the unlikely side."""
    return float(norm.sf(bar - shift)), float(norm.sf(bar))


def signed_excess(output: Array) -> bool:
    statistic = (output[:3].sum() - output[3:].sum()) / math.sqrt(6)
    return bool(statistic > -3 / math.sqrt(6) + 2 * math.sqrt(2 * math.log(125)))


SALARIES = {
    "payroll_total": Witness(first(X, N), first(N, N), above(100_000), *tails(20)),
    "mean_salary": Witness(first(X, N), first(N, N), above(5000), *tails(1)),
    "average_age": Witness(first(Z, Z), first(X, Z), equals(45), 1, 0),
    "bonus_clipped_late": Witness(rows((11, X), (9, N)), rows((10, X), (10, N)), above(0.1), *tails(4)),
    "bonus_clipped_early": Witness(first(X, Z), first(N, Z), above(0.0125), *tails(1)),
    "hours_worked": Witness(first(X, Z), first(N, Z), above(840), *tails(2)),
    "overtime": Witness(first(X, Z), first(Z, Z), above(1), *tails(2)),
    "expenses": Witness(first(X, N), first(N, N), above(1), *tails(math.sqrt(2))),
    "pay_gap": Witness(
        first((0.0, -0.5, 0.0), (0.0, -0.5, 0.0)),
        first((0.5, -0.5, 0.0), (0.0, -0.5, 0.0)),
        lambda output: bool(abs(output[0] - output[1] + 10) < 1e-9),
        1,
        0,
    ),
    "tips_and_tables": Witness(rows((20, X)), rows((19, X)), above(20, 20), *tails(1, 1)),
    "mean_raise": Witness(rows((19, X)), first(N, X), above(1), *tails(2), attains=False),
    "balance_in_cents": Witness(
        rows((3, X), (0.2767, 0.0, 0.0), (16, Z)),
        rows((3, X), (0.2767, 0.0, 0.0), (0.0001, 0.0, 0.0), (15, Z)),
        above(32_767),
        *tails(65_535 / 20_000),
    ),
    "reproducible_mean": Witness(first(Z, Z), first(X, Z), constant_noise, 1, 0),
}

CLICKS = {
    "clicks_geometric": Witness(
        rows((20, X)), rows((19, X)), above(19.5), 1 / (1 + math.exp(-1)), math.exp(-1) / (1 + math.exp(-1))
    ),
    "clicks_whole": Witness(
        rows((20, X)), rows((19, X)), equals(20), 1 - math.exp(-1), math.exp(-1) * (1 - math.exp(-1)) / 2
    ),
    "clicks_rounded": Witness(rows(X, (19, Z)), rows((19, Z)), above(1.5), math.exp(-0.5) / 2, math.exp(-1.5) / 2),
    "clicks_best_of_five": Witness(rows((20, X)), rows((19, X)), above(20), *tails(5)),
    "clicks_averaged": Witness(
        rows((20, X)), rows((19, X)), above(21), four_noises_above(4), four_noises_above(8), attains=False
    ),
    "symptom_dashboard": Witness(first(U, V), first(V, V), above(1, 1, 1, 1), *tails(*4 * [0.5])),
    "symptoms_by_weight": Witness(first(U, V), first(V, V), above(1, 1, 1), *tails(0.5, 0.25, 0.25)),
    "symptoms_by_squares": Witness(first(U, V), first(V, V), above(1, 1, 1), *tails(*3 * [1 / math.sqrt(3)])),
    "visits": Witness(first(U, V), first(V, V), above(3), *tails(3)),
    "cases_suppressed": Witness(rows((4, X), (15, Z)), rows((5, X), (15, Z)), equals(0), 1, 0),
    "cases_suppressed_after": Witness(rows((6, X), (14, Z)), rows((5, X), (14, Z)), above(6), *tails(1)),
}

MODELS = {
    "column_sums": Witness(first(U, Z), rows((19, Z)), above(OUT, OUT, OUT), *tails(OUT, OUT, OUT)),
    "column_sums_together": Witness(first(U, Z), rows((19, Z)), above(OUT, OUT, OUT), *tails(*3 * [1 / 3])),
    "scatter": Witness(first(U, Z), rows((19, Z)), lambda output: bool(np.all(output > 1 / 3)), *tails(*6 * [1 / 3])),
    "first_component_blurred": Witness(
        rows((10, X), (9, Y), Z),
        rows((9, X), (10, Y), Z),
        lambda output: bool(output[0] > 1 and output[1] < 0),
        *tails(10, 10),
    ),
    "mean_direction": Witness(first(U, Z), first(V, Z), above(OUT, OUT, OUT), *tails(*3 * [20 * OUT])),
    "mean_of_scaled": Witness(first(N, Z), first(Z, Z), above(0.95), *tails(19)),
    "slope": Witness(first((0.1, 0.9, 0.0), Z), first(Z, Z), above(9), *tails(90), attains=False),
    "line_statistics": Witness(first(PLUS, Z), first(MINUS, Z), above((1 + HALF) / 2, HALF / 2), *tails(HALF, HALF)),
    "correlation": Witness(first((HALF, HALF, 0.0), Z), first((HALF, -HALF, 0.0), Z), above(1), *tails(20)),
    "churn_model": Witness(first(Z, Z), first(Y, Z), equals(0, 1), 1, 0),
    "class_sums": Witness(first(X, Z), first(N, Z), lambda output: bool(output[1] > 1), *tails(1)),
}

GAUSSIANS = {
    "normal_total": Witness(first(X, Z), first(N, Z), above(3), *shifted(1, 2), attains=False),
    "total_without_delta": Witness(
        first(X, Z),
        first(N, Z),
        above(-1 + 3 * 2 * math.sqrt(2 * math.log(25))),
        *shifted(1 / math.sqrt(2 * math.log(25)), 3),
        attains=False,
    ),
    "mean_change": Witness(
        first(X, Z),
        first(N, Z),
        above(-0.05 + 2.75 * 0.01 * CLASSIC**2),
        *shifted(10 / CLASSIC**2, 2.75),
        attains=False,
    ),
    "total_change": Witness(first(X, Z), first(N, Z), above(5), *shifted(1, 3), attains=False),
    "covariance": Witness(
        first(X, Z),
        first(Y, Z),
        lambda output: bool((output[0, 0] - output[1, 1] + 1) / math.sqrt(2) > 3.7 * CLASSIC),
        *shifted(math.sqrt(2) / CLASSIC, 3.7),
        attains=False,
    ),
    "accounts_up_and_down": Witness(
        first(U, Z), first(V, Z), signed_excess, *shifted(math.sqrt(6 / (2 * math.log(125))), 2), attains=False
    ),
}

WITNESSES = SALARIES | CLICKS | MODELS | GAUSSIANS
