"""Laws of the outputs, computed apart from the mechanisms: closed forms, enumeration, and quadrature over one variate.

Every integrand is a product of the densities and distribution functions of Laplace or exponential noise, so between
its kinks it is a sum of exponentials; panels end at the kinks and are narrow against the least scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from audit.published.above_threshold import AboveThreshold
from audit.published.record import FloatArray, Input, Truth

Law: TypeAlias = Mapping[Any, float]
_NODES, _REACH = 16, 42.0


def density(points: FloatArray, scale: float) -> FloatArray:
    """Return the Laplace density."""
    return np.asarray(np.exp(-np.abs(points) / scale) / (2 * scale))


def survival(points: FloatArray, scale: float) -> FloatArray:
    """Return the probability that Laplace noise is at least a number; of no noise, for scale 0."""
    if scale == 0:
        return np.where(points <= 0, 1.0, 0.0)
    tail = np.exp(-np.abs(points) / scale) / 2
    return np.where(points >= 0, tail, 1 - tail)


def below(points: FloatArray, scale: float) -> FloatArray:
    """Return the probability that Laplace noise is less than a number, without cancellation."""
    if scale == 0:
        return np.where(points > 0, 1.0, 0.0)
    tail = np.exp(-np.abs(points) / scale) / 2
    return np.where(points < 0, tail, 1 - tail)


def quadrature(kinks: Sequence[float], width: float, reach: float) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights.

    Parameters
    ----------
    kinks
        Where panels end.
    width
        No panel is wider.
    reach
        The panels go so far beyond the first and the last kink.
    """
    ends = sorted({float(kink) for kink in kinks})
    ends = [ends[0] - reach, *ends, ends[-1] + reach]
    panels = np.concatenate(
        [np.linspace(start, end, max(1, math.ceil((end - start) / width)) + 1)[:-1] for start, end in pairwise(ends)]
        + [np.array(ends[-1:])]
    )
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half, middle = np.diff(panels) / 2, (panels[1:] + panels[:-1]) / 2
    return (middle[:, None] + half[:, None] * points).ravel(), (half[:, None] * weights).ravel()


def loss(law: Law, other: Law) -> float:
    """Return the least epsilon at delta = 0 for two laws on countable outputs, in both directions."""
    worst = 0.0
    for output in law.keys() | other.keys():
        first, second = law.get(output, 0.0), other.get(output, 0.0)
        if first == second:
            continue
        worst = max(worst, abs(math.log(first / second)) if first and second else math.inf)
    return worst


def worst_loss(inputs: Sequence[Input], law: Callable[[FloatArray], Law], how: str) -> Truth:
    """Return the truth of a mechanism with few outputs, whose law is known for a row of answers."""
    return Truth(max(loss(law(one.data[0]), law(one.neighbour[0])) for one in inputs), exact=True, how=how)


def shift_in_scales(inputs: Sequence[Input], scale: float, how: str) -> Truth:
    """Return the truth of independent Laplace noise on every answer: the greatest sum of the shifts over the scale."""
    shifts = [float(np.abs(one.data - one.neighbour).sum()) for one in inputs]
    return Truth(max(shifts) / scale, exact=True, how=how)


def index_law(row: FloatArray, scale: float, *, one_sided: bool) -> Law:
    """Return the law of the place of the greatest noisy answer, by quadrature over its value."""
    points, weights = quadrature(list(row), scale / 2, _REACH * scale)
    if one_sided:
        above = [np.maximum(points - answer, 0.0) / scale for answer in row]
        densities = [np.where(points > answer, np.exp(-x) / scale, 0.0) for answer, x in zip(row, above, strict=True)]
        lower = [-np.expm1(-x) for x in above]
    else:
        densities = [density(points - answer, scale) for answer in row]
        lower = [below(points - answer, scale) for answer in row]
    law: dict[Any, float] = {}
    for place, own in enumerate(densities):
        others = math.prod((part for index, part in enumerate(lower) if index != place), start=np.ones_like(points))
        law[place] = float(np.sum(weights * own * others))
    return law


def threshold_nodes(of: AboveThreshold, row: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights for an integral over the noise on the threshold."""
    scales = [of.threshold_scale, of.query_scale or of.threshold_scale]
    reach = _REACH * max(of.threshold_scale, of.refreshed_scale or 0.0)
    return quadrature([0.0, *(row - of.threshold)], min(scales) / 2, reach)


def pattern_law(of: AboveThreshold, row: FloatArray) -> dict[tuple[int, ...], float]:
    """Return the law of the facts: 1 above, 0 below, -1 not asked, by quadrature over the noise on the threshold."""
    nodes, weights = threshold_nodes(of, row)
    higher = [survival(of.threshold + nodes - answer, of.query_scale) for answer in row]
    lower = [below(of.threshold + nodes - answer, of.query_scale) for answer in row]
    law: dict[tuple[int, ...], float] = {}

    def go(prefix: tuple[int, ...], state: FloatArray) -> None:
        place = len(prefix)
        if place == len(row) or (of.cutoff is not None and prefix.count(1) == of.cutoff):
            law[prefix + (-1,) * (len(row) - place)] = float(state.sum())
            return
        go((*prefix, 0), state * lower[place])
        above = state * higher[place]
        if of.refreshed_scale is not None:
            above = float(above.sum()) * weights * density(nodes, of.refreshed_scale)
        go((*prefix, 1), above)

    go((), weights * density(nodes, of.threshold_scale))
    return law


def summary_law(of: AboveThreshold, row: FloatArray, summary: Callable[[FloatArray], FloatArray]) -> Law:
    """Return the law of a number made of the facts."""
    law: dict[Any, float] = {}
    for pattern, probability in pattern_law(of, row).items():
        value = float(summary(np.array([pattern], dtype=np.float64))[0])
        law[value] = law.get(value, 0.0) + probability
    return law


def fresh_value_loss(of: AboveThreshold, scale: float, first: FloatArray, second: FloatArray) -> float:
    """Return the loss where answers above are released with noise of their own, which adds what each of them moves."""
    laws = [pattern_law(of, row) for row in (first, second)]
    moves = np.abs(first - second) / scale
    worst = 0.0
    for pattern, probability in laws[0].items():
        own = sum(float(move) for move, fact in zip(moves, pattern, strict=True) if fact == 1)
        worst = max(worst, abs(math.log(probability / laws[1][pattern])) + own)
    return worst
