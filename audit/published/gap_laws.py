"""Losses of variants of the sparse vector technique that end at the first answer above and release a number of it.

An output is the place of that answer with a number, or that none was above. Its density is an integral over the noise
on the threshold; the loss is looked at on a grid of numbers that reaches far into both tails, where it settles.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from attrs import frozen

from audit.published.laws import below, density, quadrature
from audit.published.record import FloatArray, Input, Truth

Reported: TypeAlias = Callable[[FloatArray, float, float], FloatArray]
"""Noisy thresholds, an answer, a number: the density of the number being released for the answer, given these."""
Missed: TypeAlias = Callable[[FloatArray, float], FloatArray]
"""Noisy thresholds and an answer to the probability that the answer is not above."""
_REACH, _GRID = 42.0, 81


@frozen(eq=False)
class OneReport:
    """A variant that ends at the first answer above.

    Attributes
    ----------
    threshold, threshold_scale
        As in `AboveThreshold`.
    missed, reported
        See the types.
    kinks
        An answer and a number to the noisy thresholds at which the two have kinks.
    least_scale, largest_scale
        Of all Laplace noise.
    least
        The least number that can be released; None if there is none.
    """

    threshold: float
    threshold_scale: float
    missed: Missed
    reported: Reported
    kinks: Callable[[float, float], tuple[float, ...]]
    least_scale: float
    largest_scale: float
    least: float | None

    def numbers(self) -> FloatArray:
        """Return the grid: dense near zero, and far beyond all scales."""
        positive = np.concatenate([[0.0], np.geomspace(1e-3, 12 * self.largest_scale, _GRID)])
        return positive if self.least is not None else np.concatenate([-positive[:0:-1], positive])

    def logs(self, row: FloatArray, numbers: FloatArray | None = None) -> FloatArray:
        """Return the logarithms of the density, number after number and place after place, and last of no report.

        The numbers are those of the grid if none are given.
        """
        found, none = [], math.nan
        for number in self.numbers() if numbers is None else numbers:
            bends = [bar - self.threshold for answer in row for bar in self.kinks(float(answer), float(number))]
            nodes, weights = quadrature([0.0, *bends], self.least_scale, _REACH * self.threshold_scale)
            bars = self.threshold + nodes
            state = weights * density(nodes, self.threshold_scale)
            for answer in row:
                mass = float(np.sum(state * self.reported(bars, answer, number)))
                found.append(math.log(mass) if mass > 0 else -math.inf)
                state = state * self.missed(bars, answer)
            none = math.log(float(state.sum()))
        return np.array([*found, none])


def worst_report(inputs: Sequence[Input], of: OneReport, how: str) -> Truth:
    """Return the greatest loss on the grid, which the loss can exceed, if at all, between its points."""
    worst = 0.0
    for one in inputs:
        first, second = of.logs(one.data[0]), of.logs(one.neighbour[0])
        with np.errstate(invalid="ignore"):
            losses = np.abs(first - second)
        worst = max(worst, float(np.nanmax(losses)))
    return Truth(worst, exact=False, how=how)


def gap(threshold: float, threshold_scale: float, query_scale: float) -> OneReport:
    """Describe the variant that releases by how much the noisy answer exceeds the noisy threshold."""

    def reported(bars: FloatArray, answer: float, number: float) -> FloatArray:
        return density(number + bars - answer, query_scale) * float(number >= 0)

    return OneReport(
        threshold,
        threshold_scale,
        lambda bars, answer: below(bars - answer, query_scale),
        reported,
        lambda answer, number: (answer, answer - number),
        min(threshold_scale, query_scale),
        max(threshold_scale, query_scale),
        0.0,
    )


def two_sided_adaptive(
    threshold: float, threshold_scale: float, coarse: float, fine: float, margin: float, *, value: bool
) -> OneReport:
    """Describe the adaptive variant: an answer far above, by ``margin``, is found with more noise, others with less.

    Parameters
    ----------
    coarse, fine
        Scales of the noise on an answer that is compared with the threshold and the margin, and without the margin.
    value
        Whether the noisy answer is released in the first case, instead of the gap that is released in the second.
    """

    def reported(bars: FloatArray, answer: float, number: float) -> FloatArray:
        if value:
            far = density(np.full_like(bars, number - answer), coarse) * (bars <= number - margin)
        else:
            far = density(number + bars - answer, coarse) * float(number >= margin)
        near = below(margin + bars - answer, coarse) * density(number + bars - answer, fine)
        return np.asarray(far + near * float(number >= 0))

    return OneReport(
        threshold,
        threshold_scale,
        lambda bars, answer: below(margin + bars - answer, coarse) * below(bars - answer, fine),
        reported,
        lambda answer, number: (answer, answer - margin, answer - number, number - margin),
        min(threshold_scale, coarse, fine),
        max(threshold_scale, coarse, fine),
        None if value else 0.0,
    )
