"""Laws of published mechanisms, computed apart from them, against sampled outputs.

Each comparison is wrong with probability at most 1e-9: a p-value for each possible output, times their number. With as
many outputs it tells a law from one whose noise is a fifth smaller, which the controls show.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from attrs import evolve
from scipy.stats import kstest, laplace

from audit.published import checkdp, dp_sniper, lyu_su_li, statdp
from audit.published.above_threshold import AboveThreshold, distance_from_half, facts, falses, summarised
from audit.published.geometric import cumulated, geometric_law, geometric_sampler
from audit.published.laws import index_law, pattern_law, summary_law
from audit.published.mechanisms import noisy_max, prefix_sums, smart_sums
from audit.published.rappor import bit_loss, bloom_filter, different_bits, murmur3, rappor
from tests.audit_published.frequencies import implausibility, rows

SIZE = 100_000
RARE = 1e-9
ROWS = [lyu_su_li.INPUTS[0].data, lyu_su_li.INPUTS[2].neighbour]
VARIANTS = {
    name: getattr(module, name)
    for module in (lyu_su_li, dp_sniper, checkdp, statdp)
    for name in dir(module)
    if isinstance(getattr(module, name), AboveThreshold)
}
SEVERAL = [
    lyu_su_li.FIRST,
    lyu_su_li.SECOND,
    lyu_su_li.FOURTH,
    lyu_su_li.FIFTH,
    lyu_su_li.SIXTH,
    statdp.RIGHT,
    statdp.TOO_LITTLE,
    dp_sniper.FOURTH_OF_TWO,
]


def patterns(of: AboveThreshold, row: np.ndarray, seed: int) -> Counter[tuple[int, ...]]:
    return rows(np.asarray(facts(of)(row, SIZE, np.random.default_rng(seed))))


@pytest.mark.parametrize("of", SEVERAL)
@pytest.mark.parametrize("place", range(len(ROWS)))
def test_answers_above_a_threshold_have_the_law_of_the_enumeration(of: AboveThreshold, place: int) -> None:
    law = pattern_law(of, ROWS[place][0])
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    assert implausibility(patterns(of, ROWS[place], place), law) > RARE


@pytest.mark.parametrize("of", [one for one in SEVERAL if one.query_scale])
def test_noise_smaller_by_a_fifth_is_told_from_the_law(of: AboveThreshold) -> None:
    """On answers so far from the threshold that the noise decides about some of them."""
    row = of.threshold + of.query_scale * np.array([[-2.0, -1.0, 0.0, 1.0]])
    assert implausibility(patterns(of, row, 9), pattern_law(of, row[0])) > RARE
    smaller = evolve(of, query_scale=0.8 * of.query_scale, threshold_scale=0.8 * of.threshold_scale)
    assert implausibility(patterns(smaller, row, 9), pattern_law(of, row[0])) < RARE


@pytest.mark.parametrize("name", VARIANTS)
def test_every_law_of_the_records_is_one(name: str) -> None:
    assert sum(pattern_law(VARIANTS[name], np.array([1.0, 2.0, 0.0, 1.0])).values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("summary", [falses, distance_from_half])
def test_numbers_made_of_the_answers_have_their_law(summary) -> None:
    for one in statdp.TEN[2:5]:
        outputs = summarised(statdp.TOO_LITTLE, summary)(one.neighbour, SIZE, np.random.default_rng(3))
        assert implausibility(outputs.tolist(), summary_law(statdp.TOO_LITTLE, one.neighbour[0], summary)) > RARE


@pytest.mark.parametrize("one_sided", [False, True])
def test_the_place_of_the_greatest_answer_has_its_law(one_sided: bool) -> None:
    for one in statdp.FIVE:
        law = index_law(one.neighbour[0], 1.5, one_sided=one_sided)
        assert sum(law.values()) == pytest.approx(1, abs=1e-12)
        outputs = noisy_max(1.5, one_sided=one_sided)(one.neighbour, SIZE, np.random.default_rng(4))
        assert implausibility(outputs.tolist(), law) > RARE
    apart = noisy_max(1.2, one_sided=one_sided)(statdp.FIVE[2].neighbour, SIZE, np.random.default_rng(4))
    assert implausibility(apart.tolist(), index_law(statdp.FIVE[2].neighbour[0], 1.5, one_sided=one_sided)) < RARE


@pytest.mark.parametrize("count", range(6))
def test_integers_of_the_geometric_sampler_have_its_law_exactly(count: int) -> None:
    steps = cumulated(count, 3, 5)
    chances = [Fraction(after - before, steps[-1]) for before, after in zip([0, *steps], steps, strict=False)]
    law = geometric_law(np.array([float(count)]), bits=3, persons=5)
    assert [float(chance) for chance in chances] == pytest.approx(list(law.values()), rel=1e-14)
    outputs = geometric_sampler(3, 5)(np.array([[float(count)]]), SIZE, np.random.default_rng(5))
    assert implausibility(outputs.tolist(), law) > RARE


@pytest.mark.parametrize(
    ("text", "seed", "value"),
    [
        (b"", 1, 0x514E28B7),
        (b"test", 0, 0xBA6BD213),
        (b"Hello, world!", 0, 0xC0363E43),
        (b"aaa", 0x9747B28C, 0x283E0130),
    ],
)
def test_the_hash_is_murmur3(text: bytes, seed: int, value: int) -> None:
    """The values are published test vectors of the function."""
    assert murmur3(text, seed) == value


@pytest.mark.parametrize("chances", [(0.75, 0.45, 0.55), (0.95, 0.0, 1.0)])
def test_bits_of_rappor_have_the_law_of_their_closed_form(chances: tuple[float, float, float]) -> None:
    permanent, zero, one = chances
    outputs = rappor(*chances)(np.array([[1.0]]), SIZE, np.random.default_rng(6))
    for bit, column in zip(bloom_filter(1.0), outputs.T, strict=True):
        stays = one if bit else zero
        high = permanent / 2 * (zero + one) + (1 - permanent) * stays
        assert implausibility(column.tolist(), {1.0: high, 0.0: 1 - high}) > RARE / 20
    high, low = (permanent / 2 * (zero + one) + (1 - permanent) * stays for stays in (one, zero))
    assert bit_loss(*chances) == pytest.approx(math.log(high / low)) == pytest.approx(math.log((1 - low) / (1 - high)))
    assert different_bits(1.0, 1.0) == 0 < different_bits(1.0, 0.0) <= 8


def laplace_like(values: np.ndarray, scale: float) -> float:
    return float(kstest(values, laplace(scale=scale).cdf).pvalue)


def test_running_sums_are_as_good_as_their_noisy_parts() -> None:
    """What the closed forms suppose; fifteen tests at 1e-11 each."""
    row = np.array([[1.0, 2.0, 0.0, 1.0, 3.0]])
    generator = np.random.default_rng(7)
    parts = np.diff(prefix_sums(2.0)(row, SIZE, generator), axis=1, prepend=0.0) - row
    assert min(laplace_like(part, 2.0) for part in parts.T) > 1e-11
    assert laplace_like(parts[:, 0], 1.6) < 1e-11
    sums = smart_sums(2.0, 2, 3.0)(row, SIZE, generator)
    inside = [sums[:, 0] - 1, sums[:, 2] - sums[:, 1], sums[:, 4] - sums[:, 3] - 3]
    blocks = [sums[:, 1] - 3, sums[:, 3] - 1]
    assert min(laplace_like(part, 2.0) for part in inside) > 1e-11
    assert min(laplace_like(part, 3.0) for part in blocks) > 1e-11
    together = np.corrcoef(np.array([*inside, *blocks]))
    assert np.max(np.abs(together - np.eye(5))) < 6.5 / math.sqrt(SIZE)
    exact = smart_sums(2.0, 2, 0.0)(row, 100, generator)
    assert np.all(exact[:, [1, 3]] == [3, 1])


def test_index_law_of_two_answers_is_the_closed_form() -> None:
    """P(first wins) for one-sided noise and a lead of 1 is 1 - exp(-1/b)/2."""
    law = index_law(np.array([1.0, 0.0]), 2.0, one_sided=True)
    assert law[0] == pytest.approx(1 - math.exp(-0.5) / 2, rel=1e-12)
    assert partial(index_law, scale=2.0, one_sided=False)(np.array([0.0, 0.0]))[0] == pytest.approx(0.5, rel=1e-12)
