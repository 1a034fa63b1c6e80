"""The algorithms on which StatDP was measured: Ding, Wang, Wang, Zhang and Kifer (2018), Algorithms 5 to 15.

Noisy maxima, histograms, and sparse vectors, of which the authors let a number of the list of answers be released.
The claim is the middle one of the three that they try, 0.7. Rows have 5 answers, or 10 of the sparse vector technique,
which are the two lengths that their search tries. Their repository has these eleven.
"""

from __future__ import annotations

import math
from functools import partial

from audit.published.above_threshold import AboveThreshold, distance_from_half, falses, falses_and_last, summarised
from audit.published.laws import index_law, shift_in_scales, summary_law, worst_loss
from audit.published.mechanisms import first_noisy_answer, noisy_max
from audit.published.patterns import all_differ, one_differs
from audit.published.record import Published, Truth

EPSILON = 0.7
SHORT, LONG = 5, 10
ALL = "a row of answers to counting queries, each of which a change of the data moves by at most 1"
ONE = "a row of counts, one of which a change of the data moves by 1"
FIVE, FIVE_ALONE, TEN = all_differ(SHORT), one_differs(SHORT), all_differ(LONG)
DOUBLE = 2 / EPSILON

_of = partial(Published, epsilon=EPSILON, domain=ALL, inputs=FIVE)
_index = "quadrature over the greatest noisy answer"
_patterns = "enumeration of the answers, each by quadrature over the noise on the threshold"
RIGHT = AboveThreshold(0.5, DOUBLE, 2 * DOUBLE, 1)
NO_NOISE = AboveThreshold(1.0, DOUBLE, 0.0)
NO_END = AboveThreshold(1.0, DOUBLE, DOUBLE)
TOO_LITTLE = AboveThreshold(1.0, 4 / EPSILON, 4 / (3 * EPSILON), 1)
VALUE = AboveThreshold(1.0, DOUBLE, DOUBLE, 1)


def total_shift(length: int, scale: float) -> Truth:
    """Return the truth where noise on all answers shows in one number far below all of them.

    There every one of the densities has fallen by its whole shift, if all answers move down, and no output can lose
    more than the sum of the shifts.
    """
    return Truth(length / scale, exact=True, how="closed form: the limit of numbers far below, which no output exceeds")


RECORDS = (
    _of(
        name="statdp/noisy-max-laplace",
        source="Ding et al. 2018, Algorithm 5",
        summary="the place of the greatest answer with Laplace noise of scale 2/epsilon",
        mechanism=noisy_max(DOUBLE),
        truth=lambda: worst_loss(FIVE, partial(index_law, scale=DOUBLE, one_sided=False), _index),
    ),
    _of(
        name="statdp/noisy-max-exponential",
        source="Ding et al. 2018, Algorithm 6",
        summary="the place of the greatest answer with exponential noise of scale 2/epsilon",
        mechanism=noisy_max(DOUBLE, one_sided=True),
        truth=lambda: worst_loss(FIVE, partial(index_law, scale=DOUBLE, one_sided=True), _index),
    ),
    _of(
        name="statdp/noisy-max-laplace-value",
        source="Ding et al. 2018, Algorithm 7",
        summary="the greatest answer with Laplace noise of scale 2/epsilon",
        fault="the noisy answer is released instead of its place",
        mechanism=noisy_max(DOUBLE, value=True),
        truth=lambda: total_shift(SHORT, DOUBLE),
    ),
    _of(
        name="statdp/noisy-max-exponential-value",
        source="Ding et al. 2018, Algorithm 8",
        summary="the greatest answer with exponential noise of scale 2/epsilon",
        fault="the noisy answer is released instead of its place, and it is never below the exact one",
        mechanism=noisy_max(DOUBLE, one_sided=True, value=True),
        truth=lambda: Truth(math.inf, exact=True, how="noise is positive: a maximum below 2 is impossible on a 2"),
    ),
    _of(
        name="statdp/histogram",
        source="Ding et al. 2018, Algorithm 9",
        summary="the first count with Laplace noise of scale 1/epsilon",
        domain=ONE,
        inputs=FIVE_ALONE,
        mechanism=first_noisy_answer(1 / EPSILON),
        truth=lambda: shift_in_scales(FIVE_ALONE, 1 / EPSILON, "closed form: shift over scale"),
    ),
    _of(
        name="statdp/histogram-inverted-scale",
        source="Ding et al. 2018, Algorithm 10",
        summary="the first count with Laplace noise of scale epsilon",
        fault="the scale is epsilon where it should be 1/epsilon",
        domain=ONE,
        inputs=FIVE_ALONE,
        mechanism=first_noisy_answer(EPSILON),
        truth=lambda: shift_in_scales(FIVE_ALONE, EPSILON, "closed form: shift over scale"),
    ),
    _of(
        name="statdp/sparse-vector",
        source="Ding et al. 2018, Algorithm 11",
        summary="how many answers are below before the first one above",
        inputs=TEN,
        mechanism=summarised(RIGHT, falses),
        truth=lambda: worst_loss(TEN, partial(summary_law, RIGHT, summary=falses), _patterns),
    ),
    _of(
        name="statdp/sparse-vector-1",
        source="Ding et al. 2018, Algorithm 12",
        summary="in how many places the answers differ from half above, half below",
        fault="no noise on the answers, and no end",
        inputs=TEN,
        mechanism=summarised(NO_NOISE, distance_from_half),
        truth=lambda: worst_loss(TEN, partial(summary_law, NO_NOISE, summary=distance_from_half), _patterns),
    ),
    _of(
        name="statdp/sparse-vector-2",
        source="Ding et al. 2018, Algorithm 13",
        summary="in how many places the answers differ from half above, half below",
        fault="no end, and noise on the answers as if there were one",
        inputs=TEN,
        mechanism=summarised(NO_END, distance_from_half),
        truth=lambda: worst_loss(TEN, partial(summary_law, NO_END, summary=distance_from_half), _patterns),
    ),
    _of(
        name="statdp/sparse-vector-3",
        source="Ding et al. 2018, Algorithm 14",
        summary="in how many places the answers differ from half above, half below",
        fault="the noise on the answers is too small",
        inputs=TEN,
        mechanism=summarised(TOO_LITTLE, distance_from_half),
        truth=lambda: worst_loss(TEN, partial(summary_law, TOO_LITTLE, summary=distance_from_half), _patterns),
    ),
    _of(
        name="statdp/sparse-vector-4",
        source="Ding et al. 2018, Algorithm 15",
        summary="how many answers are below before the first one above, and that one with its noise",
        fault="the noisy answer is released instead of the fact that it is above",
        inputs=TEN,
        mechanism=falses_and_last(VALUE),
        truth=lambda: total_shift(LONG, DOUBLE),
    ),
)
