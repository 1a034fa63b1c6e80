"""Noise in floating point, in batches and from fixed words, and which outputs its rounding makes impossible.

Each comparison with sampled outputs is wrong with probability at most 1e-9.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import islice

import numpy as np
import pytest
from scipy.stats import kstest, laplace, norm

from audit.published import PUBLISHED, delta_siege, float_attacks, float_noise, words
from audit.published.auditors import Answer
from audit.published.low_bits import CONFIRMATION, TRAINING, ask_low_bits
from audit.published.ziggurat import ACCEPTED, AREA, BASE, DENSITIES, EDGES, LAYERS, WIDTHS
from audit.strangers.truth import gaussian_epsilon
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.fast_discrete import discrete_gaussian
from tests.audit_published.frequencies import implausibility

BY_NAME = {record.name: record for record in PUBLISHED}
LOW_BITS = [record for record in PUBLISHED if record.low_bits]
FAULTY = [record for record in LOW_BITS if not record.right]
SIZE, RARE = 200_000, 1e-9
SCALE = 3.0
METHODS = {
    "inversion": (float_noise.laplace(SCALE, 32), words.laplace(SCALE, 32), laplace),
    "four uniforms": (float_noise.laplace_of_four(SCALE), words.laplace_of_four(SCALE), laplace),
    "all floats": (float_noise.dense_laplace(SCALE), words.dense_laplace(SCALE), laplace),
    "Box and Muller": (float_noise.box_muller(SCALE, 32), words.box_muller(SCALE, 32), norm),
    "polar": (float_noise.polar(SCALE, 32), words.polar(SCALE, 32), norm),
    "ziggurat": (float_noise.ziggurat(SCALE, 32), words.ziggurat(SCALE, 32), norm),
    "two normals": (float_noise.two_normals(SCALE), words.two_normals(SCALE), norm),
    "four singles": (float_noise.four_singles(SCALE), words.four_singles(SCALE), norm),
}


@pytest.mark.parametrize("method", METHODS)
def test_batches_and_words_have_the_law_of_their_method(method: str) -> None:
    batch, one, law = METHODS[method]
    source = words.fixed_words(method)
    drawn = [batch(SIZE, np.random.default_rng(1)), [one(source) for _ in range(SIZE // 20)]]
    for numbers in drawn:
        assert kstest(numbers, law(scale=SCALE).cdf).pvalue > RARE
    assert kstest(drawn[0], law(scale=0.9 * SCALE).cdf).pvalue < RARE


def test_both_numbers_of_box_and_muller_are_normal_and_independent() -> None:
    both = float_noise.box_muller(SCALE, 32, both=True)(SIZE, np.random.default_rng(2))
    assert all(kstest(column, norm(scale=SCALE).cdf).pvalue > RARE for column in both.T)
    angles = np.arctan2(both[:, 1], both[:, 0]) / (2 * math.pi) + 0.5
    assert kstest(angles, "uniform").pvalue > RARE


def test_pieces_of_the_ziggurat_have_one_area_and_end_at_the_top() -> None:
    tail = math.sqrt(2 * math.pi) * norm.sf(BASE)
    assert BASE * DENSITIES[-1] + tail == pytest.approx(AREA, rel=1e-9)
    heights = DENSITIES[:-1] - DENSITIES[1:]
    assert (EDGES[1:] * heights)[1:] == pytest.approx(np.full(LAYERS - 2, AREA), rel=1e-9)
    # The narrowest piece ends at the top of the curve, but for the digits of the published constants.
    assert EDGES[1] * heights[0] == pytest.approx(AREA, rel=1e-6)
    assert WIDTHS[0] * DENSITIES[-1] == pytest.approx(AREA, rel=1e-12)
    assert np.all((ACCEPTED >= 0) & (ACCEPTED < 1))


def test_fixed_words_are_fixed_and_look_even() -> None:
    first = list(islice(words.fixed_words("a"), 2000))
    assert first == list(islice(words.fixed_words("a"), 2000))
    assert not set(first) & set(islice(words.fixed_words("b"), 2000))
    assert kstest(np.array(first) / 2.0**64, "uniform").pvalue > RARE


@pytest.mark.parametrize("single", [False, True])
def test_fine_numbers_near_zero_are_no_sum_of_one_and_a_float(single: bool) -> None:
    """Tried on noise next to every power of two and where a sum is near zero, besides the argument in words."""
    kind, digits = (np.float32, 24) if single else (np.float64, 53)
    steps = np.arange(-2000, 2000)
    near = [
        sign * 2.0**power * (1 + steps * 2.0 ** (1 - digits)) for sign in (1, -1) for power in range(-2 * digits, 3)
    ]
    noise = np.concatenate([*near, -1 + steps * 2.0**-digits, -0.5 - steps * 2.0**-digits]).astype(kind)
    sums = (kind(1) + noise).astype(np.float64)
    assert np.count_nonzero(np.abs(sums) < 0.5) > 1000
    assert not any(words.is_fine(one, single=single) for one in sums.tolist())
    # On a 0 the same noise comes out as it is.
    alone = (kind(0) + noise).astype(np.float64).tolist()
    assert sum(words.is_fine(one, single=single) for one in alone) > 1000


@pytest.mark.parametrize("record", FAULTY, ids=lambda record: record.name)
def test_outputs_that_cannot_be_are_seen_on_one_input_alone(record) -> None:
    single = "single" in record.fault
    shares = []
    for data in (record.inputs[0].data, record.inputs[0].neighbour):
        outputs = np.asarray(record.mechanism(data, SIZE // 10, np.random.default_rng(3))).reshape(SIZE // 10, -1)[:, 0]
        shares.append(np.mean([words.is_fine(one, single=single) for one in outputs.tolist()]))
    assert shares[0] > 0.01
    assert shares[1] == 0
    assert math.isinf(record.truth().epsilon)


def test_noise_on_a_coarse_grid_proves_nothing() -> None:
    def coarse(source: words.Words) -> float:
        return words.uniform(source, 20) - 0.5

    truth = words.finer(coarse, 0.0)
    assert (truth.epsilon, truth.exact) == (0.0, False)

    def rare(source: words.Words) -> float:
        return 2.0**6 * words.uniform(source, 60)

    assert words.finer(rare, 0.0).exact
    assert not words.finer(rare, 0.01).exact


def test_the_least_deviation_and_variance_keep_the_claim_and_no_less_does() -> None:
    deviation, variance = delta_siege.analytic(), delta_siege.discrete_variance()
    epsilon, delta = delta_siege.EPSILON, delta_siege.DELTA
    assert gaussian_epsilon(1.0, deviation, delta) <= epsilon < gaussian_epsilon(1.0, deviation - 1e-8, delta)
    smaller = variance - Fraction(1, 2**19)
    assert delta_siege.discrete_epsilon(variance, delta) <= epsilon < delta_siege.discrete_epsilon(smaller, delta)
    assert gaussian_epsilon(1.0, delta_siege.CLASSIC, delta) < epsilon
    # Its law is close to that of normal numbers of the same variance, so the two are close.
    assert math.sqrt(variance) == pytest.approx(deviation, rel=0.05)


def test_the_profile_of_integers_is_that_of_the_law_that_is_drawn() -> None:
    variance = delta_siege.discrete_variance()
    places = range(-60, 61)
    weights = {place: math.exp(-(place**2) / (2 * variance)) for place in places}
    law = {place: weight / math.fsum(weights.values()) for place, weight in weights.items()}
    drawn = discrete_gaussian(variance, (SIZE,), SeededEntropy(4))
    assert implausibility(drawn.tolist(), law) > RARE
    epsilon = delta_siege.discrete_epsilon(variance, delta_siege.DELTA)
    excess = math.fsum(max(0.0, law[place] - math.exp(epsilon) * law.get(place + 1, 0.0)) for place in places)
    assert excess == pytest.approx(delta_siege.DELTA, rel=1e-9)


def test_outputs_of_the_right_ones_are_on_their_grids() -> None:
    grids = {
        "delta-siege/laplace-pydp": 2.0**-40,
        "delta-siege/gaussian-discrete-diffprivlib": 1.0,
        "mironov/snapping": 1.0,
    }
    assert {record.name for record in LOW_BITS if record.right} == set(grids)
    for name, unit in grids.items():
        record = BY_NAME[name]
        for data in (record.inputs[0].data, record.inputs[0].neighbour):
            outputs = np.asarray(record.mechanism(data, 5000, np.random.default_rng(5)))
            assert np.all(np.fmod(outputs, unit) == 0)
    number = np.array([[0.3]])
    drawn = np.asarray(delta_siege.on_a_grid(number, SIZE, np.random.default_rng(6)))
    assert kstest(drawn, laplace(loc=0.3).cdf).pvalue > RARE


def test_snapped_numbers_have_their_law_and_it_ends_at_the_bound() -> None:
    for number, bound in ((0.0, 32), (1.0, 32), (0.3, 2), (-5.0, 4)):
        law = float_attacks.snapped_law(min(max(number, -bound), bound), 1.0, bound)
        assert math.fsum(law.values()) == pytest.approx(1, abs=1e-14)
        drawn = np.asarray(float_attacks.snapping(1.0, bound)(np.array([[number]]), SIZE, np.random.default_rng(9)))
        assert implausibility(drawn.tolist(), law) > RARE
    wider = np.asarray(float_attacks.snapping(0.9, 2)(np.array([[0.3]]), SIZE, np.random.default_rng(9)))
    assert implausibility(wider.tolist(), float_attacks.snapped_law(0.3, 1.0, 2)) < RARE
    # The far cells lose all of the shift.
    assert BY_NAME["mironov/snapping"].truth().epsilon == pytest.approx(1.0, abs=1e-12)


def test_counts_have_the_noise_that_their_share_of_rho_asks_for() -> None:
    rho = delta_siege.concentrated(3.0, 1e-6)
    # Simpler, and weaker: rho + 2 sqrt(rho log(1/delta)) is an epsilon as well, so what it allows is less.
    weaker = (math.sqrt(math.log(1e6) + 3.0) - math.sqrt(math.log(1e6))) ** 2
    assert weaker < rho < 1.5 * weaker
    spent = [10 / (2 * delta_siege.mst_deviation() ** 2), 160 / (2 * delta_siege.aim_deviation() ** 2)]
    assert spent == pytest.approx([rho / 3, 0.9 * rho], rel=1e-12)
    rows = np.asarray(
        BY_NAME["delta-siege/mst-marginals"].mechanism(np.ones((3, 10)), SIZE // 10, np.random.default_rng(3))
    )
    assert rows.shape == (SIZE // 10, 10)
    assert all(kstest(column, norm(3, delta_siege.mst_deviation()).cdf).pvalue > RARE for column in rows.T)
    assert np.abs(np.corrcoef(rows.T) - np.eye(10)).max() < 7 / math.sqrt(SIZE // 10)


def asked(name: str) -> Answer:
    return ask_low_bits(BY_NAME[name], generator=1)


def test_our_audit_of_low_bits_tells_the_faulty_ones_from_the_right_ones() -> None:
    for record in LOW_BITS:
        answer = asked(record.name)
        assert answer.row.detected != record.right
        assert answer.outputs == 2 * (TRAINING + CONFIRMATION)
        assert answer.row.remark == record.inputs[0].name


def test_low_bits_are_not_asked_about_where_noise_counts_as_real_numbers() -> None:
    answer = asked("statdp/histogram")
    assert answer.row.detected is None
    assert answer.row.remark.startswith("not asked: ")


def test_a_batch_has_the_size_that_is_asked_for() -> None:
    for method in METHODS.values():
        sizes = [method[0](size, np.random.default_rng(7)).shape for size in (0, 1, 1000)]
        assert sizes == [(0,), (1,), (1000,)]
    number = partial(float_noise.added(METHODS["polar"][0]), np.array([[1.0]]))
    assert np.asarray(number(5, np.random.default_rng(8))).shape == (5,)
