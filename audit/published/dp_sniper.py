"""The mechanisms on which DP-Sniper was measured: Bichsel, Steffen, Bogunovic and Vechev (2021).

Parameters and inputs are those of their experiments: epsilon is 0.1 where nothing else is said, and the patterns of
StatDP are the inputs, of one, five or ten numbers. The bounds that they report are the greater of the two in the
reference results of their repository, with a logistic classifier and with a network, at confidence 0.9. The twentieth
of their mechanisms, PrefixSum, is tried by them with all ten answers moving, so ten times 0.1 is the claim.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from audit.published.above_threshold import AboveThreshold, facts, falses, fresh_values, reported, values
from audit.published.geometric import geometric_law, geometric_sampler
from audit.published.laws import fresh_value_loss, index_law, pattern_law, shift_in_scales, worst_loss
from audit.published.mechanisms import first_columns, noisy_answers, noisy_max, prefix_sums
from audit.published.patterns import all_differ, one_differs
from audit.published.rappor import FILTER, HASHES, bit_loss, different_bits, rappor
from audit.published.record import FloatArray, Published, Truth
from audit.published.statdp import ALL, ONE, _index, _patterns, total_shift
from dpmatrix.auditing import Target

EPSILON, LONG = 0.1, 10
FIVE, ALONE, TEN, SINGLE = all_differ(5), one_differs(5), all_differ(LONG), one_differs(1)
HALF, QUARTER = EPSILON / 2, EPSILON / 4
NUMBER = "one number, which a change of the data moves by at most 1"
COUNT = "how many of five persons have a property"
PAPER = "Bichsel et al. 2021"

FIRST = AboveThreshold(0.5, 1 / HALF, 2 / HALF, 1)
SECOND = AboveThreshold(1.0, 1 / HALF, 2 / HALF, 1, refreshed_scale=1 / HALF)
THIRD = AboveThreshold(1.0, 1 / HALF, 1 / HALF, 1)
FOURTH = AboveThreshold(1.0, 1 / QUARTER, 1 / (EPSILON - QUARTER), 1)
FIFTH = AboveThreshold(1.0, 1 / HALF, 0.0)
SIXTH = AboveThreshold(1.0, 1 / HALF, 1 / HALF)
NUMERIC = AboveThreshold(1.0, 3 / EPSILON, 12 / EPSILON, 2)
THIRD_OF_TWO = AboveThreshold(1.0, 1 / HALF, 2 / HALF, 2)
FOURTH_OF_TWO = AboveThreshold(1.0, 1 / QUARTER, 1 / (EPSILON - QUARTER), 2)
SMALL, MANY = 0.005, 20


def side_by_side(*targets: Target) -> Target:
    """Run mechanisms on the same data, and release all of their outputs."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.concatenate([np.asarray(one(data, size, generator), dtype=np.float64) for one in targets], axis=1)

    return target


def again(scale: float, times: int) -> Target:
    """Release a number as often as that, each time with noise of its own."""

    def target(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return np.asarray(data[0] + generator.laplace(scale=scale, size=(size, times)))

    return target


def _facts(of: AboveThreshold) -> Truth:
    return worst_loss(TEN, partial(pattern_law, of), _patterns)


def _third_and_fourth() -> Truth:
    """Return what outputs with very low released numbers lose, where both parts speak for the same data.

    Such an output of the third variant loses the sum of the shifts of all answers that were asked over the scale.
    """
    worst = 0.0
    for one in TEN:
        laws = [pattern_law(FOURTH_OF_TWO, row) for row in (one.data[0], one.neighbour[0])]
        for sign in (1, -1):
            falls = sign * np.cumsum(one.neighbour[0] - one.data[0])
            low = max(0.0, float(falls[1:].max())) / THIRD_OF_TWO.query_scale
            logs = max(sign * math.log(chance / laws[1][pattern]) for pattern, chance in laws[0].items())
            worst = max(worst, low + logs)
    return Truth(worst, exact=False, how=f"closed form for released numbers far below; {_patterns}")


def _bits(loss: float) -> Truth:
    """Return the truth of independent bits: each that differs loses the same."""
    bits = max(different_bits(one.data[0, 0], one.neighbour[0, 0]) for one in SINGLE)
    return Truth(bits * loss, exact=True, how="closed form: the bits that differ, times the loss of a bit")


_of = partial(Published, epsilon=EPSILON, domain=ALL, inputs=TEN)

RECORDS = (
    _of(
        name="dp-sniper/laplace",
        source=f"{PAPER}, LaplaceMechanism",
        summary="a number with Laplace noise of scale 1/epsilon",
        domain=NUMBER,
        inputs=SINGLE,
        mechanism=noisy_answers(1 / EPSILON),
        compact=first_columns(1),
        truth=lambda: shift_in_scales(SINGLE, 1 / EPSILON, "closed form: shift over scale"),
        published_bound=0.0976,
    ),
    _of(
        name="dp-sniper/truncated-geometric",
        source=f"{PAPER}, TruncatedGeometricMechanism: GeoSample of Balcer and Vadhan 2018, Algorithm 4.8",
        summary="a count with truncated geometric noise, from one uniform integer; k = 3, which gives ln(9/8)",
        epsilon=math.log(9 / 8),
        domain=COUNT,
        inputs=SINGLE,
        mechanism=geometric_sampler(3, 5),
        truth=lambda: worst_loss(SINGLE, partial(geometric_law, bits=3, persons=5), "closed form of the law"),
        published_bound=0.1155,
    ),
    _of(
        name="dp-sniper/noisy-histogram",
        source=f"{PAPER}, NoisyHist1",
        summary="all counts with Laplace noise of scale 1/epsilon",
        domain=ONE,
        inputs=ALONE,
        mechanism=noisy_answers(1 / EPSILON),
        compact=first_columns(1),
        truth=lambda: shift_in_scales(ALONE, 1 / EPSILON, "closed form: shift over scale"),
        published_bound=0.0977,
    ),
    _of(
        name="dp-sniper/noisy-histogram-inverted-scale",
        source=f"{PAPER}, NoisyHist2",
        summary="all counts with Laplace noise of scale epsilon",
        fault="the scale is epsilon where it should be 1/epsilon",
        domain=ONE,
        inputs=ALONE,
        mechanism=noisy_answers(EPSILON),
        compact=first_columns(1),
        truth=lambda: shift_in_scales(ALONE, EPSILON, "closed form: shift over scale"),
        published_bound=4.602,
    ),
    _of(
        name="dp-sniper/noisy-max-laplace",
        source=f"{PAPER}, ReportNoisyMax1",
        summary="the place of the greatest answer with Laplace noise of scale 2/epsilon",
        inputs=FIVE,
        mechanism=noisy_max(2 / EPSILON),
        truth=lambda: worst_loss(FIVE, partial(index_law, scale=2 / EPSILON, one_sided=False), _index),
        published_bound=0.0925,
    ),
    _of(
        name="dp-sniper/noisy-max-exponential",
        source=f"{PAPER}, ReportNoisyMax2",
        summary="the place of the greatest answer with exponential noise of scale 2/epsilon",
        inputs=FIVE,
        mechanism=noisy_max(2 / EPSILON, one_sided=True),
        truth=lambda: worst_loss(FIVE, partial(index_law, scale=2 / EPSILON, one_sided=True), _index),
        published_bound=0.0979,
    ),
    _of(
        name="dp-sniper/noisy-max-laplace-value",
        source=f"{PAPER}, ReportNoisyMax3",
        summary="the greatest answer with Laplace noise of scale 2/epsilon",
        fault="the noisy answer is released instead of its place",
        inputs=FIVE,
        mechanism=noisy_max(2 / EPSILON, value=True),
        truth=lambda: total_shift(5, 2 / EPSILON),
        published_bound=0.2488,
    ),
    _of(
        name="dp-sniper/noisy-max-exponential-value",
        source=f"{PAPER}, ReportNoisyMax4",
        summary="the greatest answer with exponential noise of scale 2/epsilon",
        fault="the noisy answer is released instead of its place, and it is never below the exact one",
        inputs=FIVE,
        mechanism=noisy_max(2 / EPSILON, one_sided=True, value=True),
        truth=lambda: Truth(math.inf, exact=True, how="noise is positive: a maximum below 2 is impossible on a 2"),
        published_bound=0.3534,
    ),
    _of(
        name="dp-sniper/sparse-vector-1",
        source=f"{PAPER}, SparseVectorTechnique1",
        summary="which answers are above, until one is",
        mechanism=facts(FIRST),
        compact=falses,
        truth=lambda: _facts(FIRST),
        published_bound=0.0857,
    ),
    _of(
        name="dp-sniper/sparse-vector-2",
        source=f"{PAPER}, SparseVectorTechnique2",
        summary="which answers are above, until one is; the threshold would get new noise then",
        mechanism=facts(SECOND),
        compact=falses,
        truth=lambda: _facts(SECOND),
        published_bound=0.0859,
    ),
    _of(
        name="dp-sniper/sparse-vector-3",
        source=f"{PAPER}, SparseVectorTechnique3",
        summary="the first noisy answer above",
        fault="the noisy answer that was compared is released, and half of its noise is missing",
        mechanism=values(THIRD),
        compact=reported,
        truth=lambda: total_shift(LONG, 1 / HALF),
        published_bound=0.1821,
    ),
    _of(
        name="dp-sniper/sparse-vector-4",
        source=f"{PAPER}, SparseVectorTechnique4",
        summary="a quarter of epsilon for the threshold, the rest for the answers",
        fault="the noise on the answers is too small",
        mechanism=facts(FOURTH),
        compact=falses,
        truth=lambda: _facts(FOURTH),
        published_bound=0.1695,
    ),
    _of(
        name="dp-sniper/sparse-vector-5",
        source=f"{PAPER}, SparseVectorTechnique5",
        summary="noise on the threshold alone",
        fault="no noise on the answers, and no end",
        mechanism=facts(FIFTH),
        truth=lambda: _facts(FIFTH),
        published_bound=1.761,
    ),
    _of(
        name="dp-sniper/sparse-vector-6",
        source=f"{PAPER}, SparseVectorTechnique6",
        summary="noise on the threshold and on the answers, for ever",
        fault="no end: every answer above costs",
        mechanism=facts(SIXTH),
        truth=lambda: _facts(SIXTH),
        published_bound=0.2720,
    ),
    _of(
        name="dp-sniper/rappor",
        source=f"{PAPER}, Rappor: Erlingsson, Pihur and Korolova 2014, steps 1 to 3",
        summary="a Bloom filter of 20 bits and 4 hashes, with permanent and instantaneous randomised response",
        epsilon=HASHES * bit_loss(0.75, 0.45, 0.55) * 2,
        domain="one string; any other is its neighbour",
        inputs=SINGLE,
        mechanism=rappor(0.75, 0.45, 0.55),
        truth=lambda: _bits(bit_loss(0.75, 0.45, 0.55)),
        published_bound=0.3008,
    ),
    _of(
        name="dp-sniper/one-time-rappor",
        source=f"{PAPER}, OneTimeRappor: Erlingsson, Pihur and Korolova 2014, steps 1 and 2",
        summary=f"a Bloom filter of {FILTER} bits and {HASHES} hashes, with permanent randomised response",
        epsilon=HASHES * bit_loss(0.95, 0.0, 1.0) * 2,
        domain="one string; any other is its neighbour",
        inputs=SINGLE,
        mechanism=rappor(0.95, 0.0, 1.0),
        truth=lambda: _bits(bit_loss(0.95, 0.0, 1.0)),
        published_bound=0.5998,
    ),
    _of(
        name="dp-sniper/laplace-parallel",
        source=f"{PAPER}, LaplaceParallel",
        summary="a number 20 times, each with Laplace noise for 0.005",
        domain=NUMBER,
        inputs=SINGLE,
        mechanism=again(1 / SMALL, MANY),
        truth=lambda: shift_in_scales(SINGLE, 1 / (SMALL * MANY), "closed form: 20 shifts over their scale"),
        published_bound=0.0349,
    ),
    _of(
        name="dp-sniper/sparse-vector-3-and-4",
        source=f"{PAPER}, SVT34Parallel; the claim is that of both, added up",
        summary="variants 3 and 4 with cutoff 2 on the same answers",
        epsilon=2 * EPSILON,
        fault="both are faulty",
        mechanism=side_by_side(values(THIRD_OF_TWO), facts(FOURTH_OF_TWO)),
        truth=_third_and_fourth,
        published_bound=0.2616,
    ),
    _of(
        name="dp-sniper/prefix-sum",
        source=f"{PAPER}, PrefixSum: Wang et al. 2019",
        summary="running sums of ten answers, each with Laplace noise of scale 10",
        epsilon=LONG * EPSILON,
        mechanism=prefix_sums(1 / EPSILON),
        truth=lambda: shift_in_scales(TEN, 1 / EPSILON, "closed form: the sum of the shifts over the scale"),
        published_bound=0.5774,
    ),
    _of(
        name="dp-sniper/numeric-sparse-vector",
        source=f"{PAPER}, NumericalSVT: Wang et al. 2019",
        summary="the first two answers above, with noise of their own",
        mechanism=fresh_values(NUMERIC, 6 / EPSILON),
        truth=lambda: Truth(
            max(fresh_value_loss(NUMERIC, 6 / EPSILON, one.data[0], one.neighbour[0]) for one in TEN),
            exact=True,
            how=f"{_patterns}, and a closed form for the numbers",
        ),
        published_bound=0.0345,
    ),
)
