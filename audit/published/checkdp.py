"""The programs that CheckDP verifies or disproves: Wang, Ding, Kifer and Zhang (2020), table 1.

Nine are right and eight faulty. The authors' inputs are found by a solver and bound to its run, so the patterns of
StatDP, five answers long, stand in for them; epsilon is 1. Programs that end after so many answers above end after one.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.published.above_threshold import (
    BELOW,
    NOT_ASKED,
    AboveThreshold,
    facts,
    falses,
    fresh_values,
    gaps,
    reported,
    values,
)
from audit.published.gap_laws import gap, two_sided_adaptive, worst_report
from audit.published.laws import fresh_value_loss, index_law, pattern_law, shift_in_scales, worst_loss
from audit.published.mechanisms import first_columns, noisy_max, noisy_total, smart_sums
from audit.published.patterns import all_differ, one_differs, one_way
from audit.published.record import FloatArray, Published, Truth
from audit.published.statdp import ALL, ONE, _index, _patterns, total_shift
from dpmatrix.auditing import Target

EPSILON, LENGTH, BLOCK = 1.0, 5, 2
THRESHOLD, MARGIN = 1.0, 16.0
FIVE, ALONE = all_differ(LENGTH), one_differs(LENGTH)
INCREASING, DECREASING = one_way(LENGTH, up=True), one_way(LENGTH, up=False)
ONE_WAY = "a row of answers to counting queries, all of which a change of the data moves by at most 1 in one direction"

PLAIN = AboveThreshold(THRESHOLD, 2 / EPSILON, 4 / EPSILON, 1)
ONE_WAY_NOISE = AboveThreshold(THRESHOLD, 2 / EPSILON, 2 / EPSILON, 1)
NUMERIC = AboveThreshold(THRESHOLD, 3 / EPSILON, 6 / EPSILON, 1)
NO_NOISE = AboveThreshold(THRESHOLD, 2 / EPSILON, 0.0)
NO_END = AboveThreshold(THRESHOLD, 2 / EPSILON, 2 / EPSILON)
TOO_LITTLE = AboveThreshold(THRESHOLD, 4 / EPSILON, 4 / (3 * EPSILON), 1)


def adaptive(*, value: bool) -> Target:
    """Find an answer far above with much noise, and any other with less; release one of them and end.

    Released is by how much it exceeds the noisy threshold; with ``value``, where it is far above, the noisy answer.
    """

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        row = data[0]
        bar = THRESHOLD + generator.laplace(scale=2 / EPSILON, size=size)
        output = np.full((size, len(row)), NOT_ASKED)
        asked = np.full(size, True)
        for place, answer in enumerate(row):
            coarse = answer + generator.laplace(scale=8 / EPSILON, size=size)
            fine = answer + generator.laplace(scale=4 / EPSILON, size=size)
            far = coarse - bar >= MARGIN
            near = ~far & (fine >= bar)
            number = np.where(far, coarse if value else coarse - bar, np.where(near, fine - bar, BELOW))
            output[asked, place] = number[asked]
            asked &= ~(far | near)
        return output

    return target


def _sums(scales: tuple[float, float]) -> Truth:
    """Return the truth of smart sums, whose outputs are as good as noisy answers and noisy sums of blocks."""
    worst = 0.0
    for one in ALONE:
        moves = np.abs(one.data[0] - one.neighbour[0])
        ends = np.arange(1, LENGTH + 1) % BLOCK == 0
        inside = float(moves[~ends].sum()) / scales[0]
        blocks = sum(moves[start : start + BLOCK].sum() for start in range(0, LENGTH - BLOCK + 1, BLOCK))
        worst = max(worst, inside + (math.inf if blocks and not scales[1] else blocks / (scales[1] or 1.0)))
    return Truth(worst, exact=True, how="closed form: each noisy part has a shift over its scale")


_of = partial(Published, epsilon=EPSILON, domain=ALL, inputs=FIVE)


RECORDS = (
    _of(
        name="checkdp/noisy-max",
        source="Wang et al. 2020, ReportNoisyMax",
        summary="the place of the greatest answer with Laplace noise of scale 2/epsilon",
        mechanism=noisy_max(2 / EPSILON),
        truth=lambda: worst_loss(FIVE, partial(index_law, scale=2 / EPSILON, one_sided=False), _index),
    ),
    _of(
        name="checkdp/partial-sum",
        source="Wang et al. 2020, PartialSum",
        summary="the sum of the answers with Laplace noise of scale 1/epsilon",
        domain=ONE,
        inputs=ALONE,
        mechanism=noisy_total(1 / EPSILON),
        truth=lambda: shift_in_scales(ALONE, 1 / EPSILON, "closed form: shift over scale"),
    ),
    _of(
        name="checkdp/smart-sum",
        source="Wang et al. 2020, SmartSum",
        summary="running sums from noisy answers and noisy sums of blocks, for twice epsilon",
        epsilon=2 * EPSILON,
        domain=ONE,
        inputs=ALONE,
        mechanism=smart_sums(1 / EPSILON, BLOCK, 1 / EPSILON),
        compact=first_columns(2),
        truth=lambda: _sums((1 / EPSILON, 1 / EPSILON)),
    ),
    _of(
        name="checkdp/sparse-vector",
        source="Wang et al. 2020, SparseVector",
        summary="which answers are above, until one is",
        mechanism=facts(PLAIN),
        compact=falses,
        truth=lambda: worst_loss(FIVE, partial(pattern_law, PLAIN), _patterns),
    ),
    _of(
        name="checkdp/increasing-sparse-vector",
        source="Wang et al. 2020, MonotonicSVT, increasing",
        summary="which answers are above, until one is, with half of the noise, as all move in one direction",
        domain=ONE_WAY,
        inputs=INCREASING,
        mechanism=facts(ONE_WAY_NOISE),
        compact=falses,
        truth=lambda: worst_loss(INCREASING, partial(pattern_law, ONE_WAY_NOISE), _patterns),
    ),
    _of(
        name="checkdp/decreasing-sparse-vector",
        source="Wang et al. 2020, MonotonicSVT, decreasing",
        summary="which answers are above, until one is, with half of the noise, as all move in one direction",
        domain=ONE_WAY,
        inputs=DECREASING,
        mechanism=facts(ONE_WAY_NOISE),
        compact=falses,
        truth=lambda: worst_loss(DECREASING, partial(pattern_law, ONE_WAY_NOISE), _patterns),
    ),
    _of(
        name="checkdp/numeric-sparse-vector",
        source="Wang et al. 2020, NumSVT",
        summary="the first answer above, with noise of its own",
        mechanism=fresh_values(NUMERIC, 3 / EPSILON),
        compact=reported,
        truth=lambda: Truth(
            max(fresh_value_loss(NUMERIC, 3 / EPSILON, one.data[0], one.neighbour[0]) for one in FIVE),
            exact=True,
            how=f"{_patterns}, and a closed form for the number",
        ),
    ),
    _of(
        name="checkdp/gap-sparse-vector",
        source="Wang et al. 2020, GapSVT",
        summary="by how much the first noisy answer above exceeds the noisy threshold",
        mechanism=gaps(PLAIN),
        compact=reported,
        truth=lambda: worst_report(
            FIVE, gap(THRESHOLD, 2 / EPSILON, 4 / EPSILON), "quadrature on a grid of gaps; the greatest on the grid"
        ),
    ),
    _of(
        name="checkdp/adaptive-sparse-vector",
        source="Wang et al. 2020, AdaptiveSVT",
        summary="the gap of the first answer above, with more noise where it is far above",
        mechanism=adaptive(value=False),
        compact=reported,
        truth=lambda: worst_report(
            FIVE,
            two_sided_adaptive(THRESHOLD, 2 / EPSILON, 8 / EPSILON, 4 / EPSILON, MARGIN, value=False),
            "quadrature on a grid of gaps; the greatest on the grid",
        ),
    ),
    _of(
        name="checkdp/bad-noisy-max",
        source="Wang et al. 2020, BadNoisyMax",
        summary="the greatest answer with Laplace noise of scale 2/epsilon",
        fault="the noisy answer is released instead of its place",
        mechanism=noisy_max(2 / EPSILON, value=True),
        truth=lambda: total_shift(LENGTH, 2 / EPSILON),
    ),
    _of(
        name="checkdp/bad-partial-sum",
        source="Wang et al. 2020, BadPartialSum",
        summary="the sum of the answers with Laplace noise of scale 1/(2 epsilon)",
        fault="half of the noise",
        domain=ONE,
        inputs=ALONE,
        mechanism=noisy_total(1 / (2 * EPSILON)),
        truth=lambda: shift_in_scales(ALONE, 1 / (2 * EPSILON), "closed form: shift over scale"),
    ),
    _of(
        name="checkdp/bad-smart-sum",
        source="Wang et al. 2020, BadSmartSum",
        summary="running sums from noisy answers and exact sums of blocks, for twice epsilon",
        fault="no noise on the sum of a block",
        epsilon=2 * EPSILON,
        domain=ONE,
        inputs=ALONE,
        mechanism=smart_sums(1 / EPSILON, BLOCK, 0.0),
        compact=first_columns(2),
        truth=lambda: _sums((1 / EPSILON, 0.0)),
    ),
    _of(
        name="checkdp/bad-sparse-vector-1",
        source="Wang et al. 2020, BadSVT1",
        summary="which answers are above",
        fault="no noise on the answers, and no end",
        mechanism=facts(NO_NOISE),
        truth=lambda: worst_loss(FIVE, partial(pattern_law, NO_NOISE), _patterns),
    ),
    _of(
        name="checkdp/bad-sparse-vector-2",
        source="Wang et al. 2020, BadSVT2",
        summary="which answers are above",
        fault="no end, and noise on the answers as if there were one",
        mechanism=facts(NO_END),
        truth=lambda: worst_loss(FIVE, partial(pattern_law, NO_END), _patterns),
    ),
    _of(
        name="checkdp/bad-sparse-vector-3",
        source="Wang et al. 2020, BadSVT3",
        summary="which answers are above, until one is",
        fault="the noise on the answers is too small",
        mechanism=facts(TOO_LITTLE),
        compact=falses,
        truth=lambda: worst_loss(FIVE, partial(pattern_law, TOO_LITTLE), _patterns),
    ),
    _of(
        name="checkdp/bad-gap-sparse-vector",
        source="Wang et al. 2020, BadGapSVT",
        summary="the first noisy answer above",
        fault="the noisy answer is released instead of its gap",
        mechanism=values(PLAIN),
        compact=reported,
        truth=lambda: total_shift(LENGTH, 4 / EPSILON),
    ),
    _of(
        name="checkdp/bad-adaptive-sparse-vector",
        source="Wang et al. 2020, BadAdaptiveSVT",
        summary="the gap of the first answer above; where it is far above, the answer with more noise",
        fault="where it is far above, the noisy answer is released instead of its gap",
        mechanism=adaptive(value=True),
        compact=reported,
        truth=lambda: worst_report(
            FIVE,
            two_sided_adaptive(THRESHOLD, 2 / EPSILON, 8 / EPSILON, 4 / EPSILON, MARGIN, value=True),
            "quadrature on a grid of numbers; the greatest on the grid",
        ),
    ),
)
