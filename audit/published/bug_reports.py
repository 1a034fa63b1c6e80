"""Faults that were reported in public of libraries, reduced to the part that is wrong.

Three reports: the covariance of smartnoise-sdk (issue 622), the selection of NVFlare's SVTPrivacy (issue 343), and the
sensitivity of banded Toeplitz strategies in jax_privacy (pull request 238). Beside each stands what the repair made of
it, but for NVFlare's filter, of which no guarantee is established that the repaired filter could be held to.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.published.mechanisms import first_columns
from audit.published.record import ADD_REMOVE, FloatArray, Input, Published, Truth, answers
from audit.strangers.truth import gaussian_epsilon
from dpmatrix.auditing import Target

RECORDS_OF_TABLE, COLUMNS, LOW, HIGH = 10, 2, 0.0, 1.0
STEPS, BANDS, PARTICIPATIONS, DELTA = 8, (1.0, 0.5), 4, 1e-5
GAMMA, TAU, FRACTION, THRESHOLD_BUDGET, VALUE_BUDGET = 1e-5, 1e-6, 0.4, 0.1, 0.1
WEIGHTS = 5


def covariance(epsilon: float, *, clipped: bool) -> Target:
    """Release the lower triangle of the sample covariance with Laplace noise for data within their bounds."""
    scale = _covariance_scale(epsilon)

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        table = np.clip(data, LOW, HIGH) if clipped else data
        entries = np.cov(table.T)[np.tril_indices(COLUMNS)]
        return np.asarray(entries + generator.laplace(scale=scale, size=(size, entries.size)))

    return target


def _covariance_scale(epsilon: float) -> float:
    entries = COLUMNS * (COLUMNS + 1) // 2
    return 2 * (HIGH - LOW) ** 2 / RECORDS_OF_TABLE / (epsilon / entries)


def _table(first: tuple[float, float], rest: tuple[float, float]) -> FloatArray:
    return np.array([first] + [rest] * (RECORDS_OF_TABLE - 1), dtype=np.float64)


TABLES = (
    Input("a corner becomes the other, the rest in the first", _table((1, 1), (0, 0)), _table((0, 0), (0, 0))),
    Input("corners across, the rest in the middle", _table((1, 0), (0.5, 0.5)), _table((0, 0), (0.5, 0.5))),
    Input("a record far outside becomes a corner", _table((10, 10), (0, 0)), _table((0, 0), (0, 0))),
)


def _covariance_truth(epsilon: float, *, clipped: bool) -> Truth:
    """Return the truth from sums of products: the covariance of n numbers moves by that of the first and the mean."""
    worst = 0.0
    for one in TABLES:
        sums = []
        for table in (one.data, one.neighbour):
            rows = [[min(max(x, LOW), HIGH) if clipped else x for x in row] for row in table.tolist()]
            means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
            sums.append(
                [
                    math.fsum((row[i] - means[i]) * (row[j] - means[j]) for row in rows) / (len(rows) - 1)
                    for i in range(COLUMNS)
                    for j in range(i + 1)
                ]
            )
        move = math.fsum(abs(first - second) for first, second in zip(*sums, strict=True))
        worst = max(worst, move / _covariance_scale(epsilon))
    return Truth(worst, exact=True, how="closed form: the shifts over their scale")


def selected_weights() -> Target:
    """Release weights of a model as NVFlare's filter did, with its default gamma, tau and budgets.

    Weights are compared with a noisy threshold, again and again, until enough are accepted. Of the accepted ones so
    many are drawn, with replacement, and get noise; those never accepted become zero. Any other accepted one stays.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.array([_one_selection(data[0], generator) for _ in range(size)])

    return target


def _one_selection(weights: FloatArray, generator: np.random.Generator) -> FloatArray:
    wanted = math.ceil(FRACTION * len(weights))
    query_scale = GAMMA * 4 * wanted / _query_budget(wanted)
    bar = TAU + generator.laplace(scale=2 * GAMMA / THRESHOLD_BUDGET)
    sizes = np.abs(np.clip(weights, -GAMMA, GAMMA))
    accepted = np.zeros(len(weights), dtype=bool)
    while accepted.sum() < wanted:
        accepted |= sizes + generator.laplace(scale=query_scale, size=len(weights)) >= bar
    drawn = generator.choice(np.flatnonzero(accepted), size=wanted)
    output = np.where(accepted, weights, 0.0)
    noise = generator.laplace(scale=2 * GAMMA / VALUE_BUDGET, size=wanted)
    output[drawn] = np.clip(weights[drawn] + noise, -GAMMA, GAMMA)
    return output


def _query_budget(wanted: int) -> float:
    return float(THRESHOLD_BUDGET * (2 * wanted) ** (2 / 3))


def toeplitz(sensitivity: float) -> Target:
    """Multiply a row by a banded lower triangular Toeplitz matrix, and add normal noise for (1, 1e-5)."""
    deviation = _deviation(sensitivity)
    matrix = sum(band * np.eye(STEPS, k=-place) for place, band in enumerate(BANDS))

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(matrix @ data[0] + generator.normal(scale=deviation, size=(size, STEPS)))

    return target


def _deviation(sensitivity: float) -> float:
    low, high = 0.1 * sensitivity, 100.0 * sensitivity
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_epsilon(sensitivity, middle, DELTA) > 1 else (low, middle)
    return high


def banded_sensitivity(steps: int) -> float:
    """Return the sensitivity over so many steps, where a record takes part at most so often, at least two steps apart.

    The bands are as many, so the columns of a participation do not overlap, and the squares of their norms add up.
    """
    starts = range(0, steps, len(BANDS))
    norms = [sum(band**2 for place, band in enumerate(BANDS) if start + place < steps) for start in starts]
    return math.sqrt(sum(norms[:PARTICIPATIONS]))


ONCE = [1.0] + [0.0] * (STEPS - 1)
STREAMS = (
    answers("at every second step", [1.0, 0.0] * (STEPS // 2), [0.0] * STEPS),
    answers("at the first step", ONCE, [0.0] * STEPS),
)


def _stream_truth(sensitivity: float) -> Truth:
    moves = []
    for one in STREAMS:
        row = (one.data - one.neighbour)[0]
        moved = np.convolve(row, BANDS)[:STEPS]
        moves.append(math.sqrt(math.fsum(moved**2)))
    epsilon = gaussian_epsilon(max(moves), _deviation(sensitivity), DELTA)
    return Truth(epsilon, exact=True, how="closed form: the profile of normal noise at the greatest shift")


_tables = partial(
    Published,
    epsilon=1.0,
    domain="ten records of two numbers, with bounds 0 and 1 that the caller states; a record may lie outside",
    inputs=TABLES,
)
_streams = partial(
    Published,
    epsilon=1.0,
    delta=DELTA,
    relation=ADD_REMOVE,
    domain="a row of sums, one for each of eight steps; a record adds up to 1 at steps at least two apart",
    inputs=STREAMS,
)

RECORDS = (
    _tables(
        name="bug-reports/smartnoise-covariance",
        source="smartnoise-sdk, issue 622: DPcovariance.release",
        summary="the covariance of clipped data, which are then not used, with Laplace noise",
        fault="the data are clipped, and the covariance is computed from those before",
        mechanism=covariance(1.0, clipped=False),
        truth=partial(_covariance_truth, 1.0, clipped=False),
    ),
    _tables(
        name="bug-reports/smartnoise-covariance-repaired",
        source="smartnoise-sdk, issue 622, as it was closed",
        summary="the covariance of clipped data, with Laplace noise",
        mechanism=covariance(1.0, clipped=True),
        truth=partial(_covariance_truth, 1.0, clipped=True),
    ),
    Published(
        name="bug-reports/nvflare-selected-weights",
        source="NVFlare, issue 343: SVTPrivacy; the claim is the sum of its three budgets",
        summary="weights of a model that exceed a noisy threshold, with noise",
        epsilon=THRESHOLD_BUDGET + _query_budget(math.ceil(FRACTION * WEIGHTS)) + VALUE_BUDGET,
        domain="five weights, any two models are neighbours",
        inputs=(
            answers("one weight is larger", [2e-6, 1e-6, 1e-6, 1e-6, 1e-6], [1e-6, 1e-6, 1e-6, 1e-6, 1e-6]),
            answers("all weights are larger", [5e-6] * WEIGHTS, [4e-6] * WEIGHTS),
        ),
        fault="an accepted weight that is not drawn is released as it is",
        mechanism=selected_weights(),
        compact=first_columns(2),
        truth=lambda: Truth(math.inf, exact=True, how="an exact weight of one model is no output of the other"),
    ),
    _streams(
        name="bug-reports/jax-privacy-banded-toeplitz",
        source="jax_privacy, pull request 238: minsep_sensitivity_squared without the number of steps",
        summary="correlated normal noise for eight steps, by a strategy of two bands",
        fault="the steps were taken to be as many as the bands, which hides all participations but the first",
        mechanism=toeplitz(banded_sensitivity(len(BANDS))),
        truth=lambda: _stream_truth(banded_sensitivity(len(BANDS))),
    ),
    _streams(
        name="bug-reports/jax-privacy-banded-toeplitz-repaired",
        source="jax_privacy, pull request 238",
        summary="correlated normal noise for eight steps, by a strategy of two bands",
        mechanism=toeplitz(banded_sensitivity(STEPS)),
        truth=lambda: _stream_truth(banded_sensitivity(STEPS)),
    ),
)
