"""The six variants of the sparse vector technique that Lyu, Su and Li (2017) compare in their Algorithms 1 to 6.

Two are private and four are not. The inputs follow those with which the authors disprove variants, all of them eight
answers long here, and every variant is asked about all of them. The cutoff is 2 and the threshold 0, as in the proofs.
"""

from __future__ import annotations

from functools import partial

from audit.published.above_threshold import AboveThreshold, facts, reported, values
from audit.published.laws import pattern_law, worst_loss
from audit.published.record import Published, Truth, answers
from audit.published.statdp import ALL, _patterns, total_shift

EPSILON, CUTOFF, LENGTH = 1.0, 2, 8
HALF = EPSILON / 2

INPUTS = (
    answers("0 1 against 1 0, and again", [0.0, 1.0] * 4, [1.0, 0.0] * 4),
    answers("0 but for the last against 1 but for the last", [0.0] * 7 + [1.0], [1.0] * 7 + [0.0]),
    answers("all 0 against half 1, half -1", [0.0] * 8, [1.0] * 4 + [-1.0] * 4),
    answers("all 0 against all 1", [0.0] * 8, [1.0] * 8),
    answers("half 1, half 0 against half 0, half 1", [1.0] * 4 + [0.0] * 4, [0.0] * 4 + [1.0] * 4),
)

FIRST = AboveThreshold(0.0, 1 / HALF, 2 * CUTOFF / HALF, CUTOFF)
SECOND = AboveThreshold(0.0, CUTOFF / HALF, 2 * CUTOFF / HALF, CUTOFF, refreshed_scale=CUTOFF / HALF)
THIRD = AboveThreshold(0.0, 1 / HALF, CUTOFF / HALF, CUTOFF)
FOURTH = AboveThreshold(0.0, 4 / EPSILON, 4 / (3 * EPSILON), CUTOFF)
FIFTH = AboveThreshold(0.0, 1 / HALF, 0.0)
SIXTH = AboveThreshold(0.0, 1 / HALF, 1 / HALF)

_of = partial(Published, epsilon=EPSILON, domain=ALL, inputs=INPUTS)


def _truth(of: AboveThreshold) -> Truth:
    return worst_loss(INPUTS, partial(pattern_law, of), _patterns)


RECORDS = (
    _of(
        name="lyu-su-li/algorithm-1",
        source="Lyu, Su and Li 2017, Algorithm 1, theirs",
        summary="noise on the threshold once, and on the answers in proportion to the cutoff",
        mechanism=facts(FIRST),
        truth=lambda: _truth(FIRST),
    ),
    _of(
        name="lyu-su-li/algorithm-2",
        source="Lyu, Su and Li 2017, Algorithm 2, of Dwork and Roth's book",
        summary="new noise on the threshold after each answer above, in proportion to the cutoff",
        mechanism=facts(SECOND),
        truth=lambda: _truth(SECOND),
    ),
    _of(
        name="lyu-su-li/algorithm-3",
        source="Lyu, Su and Li 2017, Algorithm 3, of Roth's lecture notes",
        summary="the noisy answers that are above",
        fault="the noisy answer that was compared is released, and half of its noise is missing",
        mechanism=values(THIRD),
        compact=reported,
        truth=lambda: total_shift(LENGTH, CUTOFF / HALF),
    ),
    _of(
        name="lyu-su-li/algorithm-4",
        source="Lyu, Su and Li 2017, Algorithm 4, of Lee and Clifton",
        summary="a quarter of epsilon for the threshold, the rest for the answers",
        fault="the noise on the answers does not grow with the cutoff",
        mechanism=facts(FOURTH),
        truth=lambda: _truth(FOURTH),
    ),
    _of(
        name="lyu-su-li/algorithm-5",
        source="Lyu, Su and Li 2017, Algorithm 5, of Stoddard and others",
        summary="noise on the threshold alone",
        fault="no noise on the answers, and no end",
        mechanism=facts(FIFTH),
        truth=lambda: _truth(FIFTH),
    ),
    _of(
        name="lyu-su-li/algorithm-6",
        source="Lyu, Su and Li 2017, Algorithm 6, of Chen and others",
        summary="noise on the threshold and on the answers, for ever",
        fault="no end: every answer above costs",
        mechanism=facts(SIXTH),
        truth=lambda: _truth(SIXTH),
    ),
)
