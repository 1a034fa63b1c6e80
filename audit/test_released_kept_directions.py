"""A direction is the first proposal that is kept, and it is kept with the probability that its density leaves.

Which of the proposals is taken, and what its margin is, decides the law. Margins are held against their formula in
balls of 300 bits, and a source says which proposals are kept. Nothing is statistical.
"""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, arb_mat

from audit.released.proposals import EXPONENTS, Choosing, exponent, in_balls, near
from dpmatrix.exact import precision
from dpmatrix.randomness.bingham import BATCH, BinghamSampler, Envelope, LazyDirection, LazyProposals, ScaledIntegers
from dpmatrix.randomness.decisions import positive
from dpmatrix.randomness.entropy import SeededEntropy


@pytest.mark.parametrize("name", EXPONENTS)
def test_the_margin_of_a_proposal_is_its_exponential_and_the_logarithm_of_its_probability(name: str) -> None:
    """The formula of the module, written out with the proposal's own normal variates; no probability is above one."""
    envelope, size = Envelope.of(exponent(name)), len(EXPONENTS[name])
    proposals = LazyProposals(envelope, 7, SeededEntropy(1))
    proposals.refine(400, range(7))
    balls, vectors = proposals.approximate(), proposals.vectors()
    assert balls.shape == proposals.shape == (7,)
    assert vectors.shape == (7, size)
    with precision(300):
        normals, exponentials = proposals.normals.enclose(range(7 * size)), proposals.exponentials.enclose(range(7))
        shift, width, defect = (in_balls(x) for x in (envelope.shift, envelope.width, envelope.defect))
        exact, enclosed = arb_mat(exponent(name)), proposals.enclose(range(7))
        assert len(enclosed) == 7
        for place in range(7):
            z = normals[place * size : (place + 1) * size]
            y = [sum((arb(float(envelope.factor[i, k])) * z[k] for k in range(size)), arb(0)) for i in range(size)]
            length = sum((entry**2 for entry in y), arb(0)).sqrt()
            v = [entry / length for entry in y]
            q = sum((entry**2 for entry in z), arb(0)) / length**2
            form = sum((v[i] * exact[i, j] * v[j] for i in range(size) for j in range(size)), arb(0))
            kept = (form - shift).exp() * q.sqrt() ** size * ((size - width) / 2).exp()
            kept *= (width * (1 - defect) / size).sqrt() ** size
            assert kept <= 1 + arb(2) ** -200
            margin = exponentials[place] + kept.log()
            assert margin.overlaps(enclosed[place])
            assert enclosed[place].rad() < arb(2) ** -150
            assert near(margin, balls.center[place], balls.radius[place], 1e-10)
            for column in range(size):
                assert near(y[column], vectors.center[place, column], vectors.radius[place, column], 1e-11)
        assert [str(ball) for ball in proposals.enclose([5, 2])] == [str(enclosed[5]), str(enclosed[2])]


@pytest.mark.parametrize("defect", ["1/1000", "1/3"])
def test_a_larger_defect_makes_every_probability_smaller(defect: str) -> None:
    """By the power of d / 2 that the proof takes, in floats and in balls."""
    exact = Envelope.of(exponent("three"))
    rho = in_balls(exact.defect), arb(1) / int(defect[2:])
    wider = Envelope(exact.matrix, exact.enclosed, exact.shift, exact.width, exact.factor, type(exact.shift)(defect))
    one, two = (LazyProposals(envelope, 5, SeededEntropy(1)) for envelope in (exact, wider))
    with precision(200):
        expected = ((1 - rho[1]) / (1 - rho[0])).log() * 3 / 2
        for first, second in zip(one.enclose(range(5)), two.enclose(range(5)), strict=True):
            assert abs(second - first - expected) < arb(2) ** -30
    for first, second in zip(one.approximate().center, two.approximate().center, strict=True):
        assert second - first == pytest.approx(float(expected), abs=1e-9)


@pytest.mark.parametrize("entry", range(4))
def test_a_proposal_is_refined_with_its_own_variates(entry: int) -> None:
    proposals = LazyProposals(Envelope.of(exponent("three")), 4, SeededEntropy(2))
    proposals.refine(100, [entry])
    pairs = {index // 2 for index in range(3 * entry, 3 * entry + 3)}
    for uniforms in (proposals.normals.radial, proposals.normals.angular):
        assert {pair for pair in range(6) if uniforms.digits(pair)[1] == 100} == pairs
    digits = [proposals.exponentials.uniforms.digits(index)[1] for index in range(4)]
    assert digits == [100 if index == entry else 64 for index in range(4)]


def test_all_variates_of_a_batch_come_from_its_source() -> None:
    """Normal variates first, and then exponential ones."""
    for seed in (3, 4):
        entropy, same = SeededEntropy(seed), SeededEntropy(seed)
        proposals = LazyProposals(Envelope.of(exponent("three")), 4, entropy)
        found = (proposals.normals.radial, proposals.normals.angular, proposals.exponentials.uniforms)
        assert [uniforms.words().tolist() for uniforms in found] == [same.words(size).tolist() for size in (6, 6, 4)]
        assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize("name", ["one-number", "two", "three", "a-spike-in-five"])
@pytest.mark.parametrize("index", [0, 3])
def test_a_direction_is_a_proposal_of_length_one(name: str, index: int) -> None:
    size = len(EXPONENTS[name])
    proposals = LazyProposals(Envelope.of(exponent(name)), 4, SeededEntropy(4))
    direction = LazyDirection(proposals, index)
    direction.refine(200, [size - 1])
    assert {k for k in range(4) if proposals.exponentials.uniforms.digits(k)[1] == 200} == {index}
    balls = direction.approximate()
    assert balls.shape == direction.shape == (size,)
    with precision(150):
        z, y = proposals.enclose_vector(index)
        assert [str(z[k, 0]) for k in range(size)] == [
            str(ball) for ball in proposals.normals.enclose(range(index * size, (index + 1) * size))
        ]
        entries = [y[k, 0] for k in range(size)]
        length = sum((entry**2 for entry in entries), arb(0)).sqrt()
        for k, ball in enumerate(direction.enclose(range(size))):
            assert ball.overlaps(entries[k] / length)
            assert ball.rad() < arb(2) ** -100
            assert near(ball, balls.center[k], balls.radius[k], 1e-12)
        assert direction.enclose([size - 1])[0].overlaps(entries[-1] / length)


@pytest.mark.parametrize("name", ["two", "a-spike-in-five"])
@pytest.mark.parametrize("seed", range(4))
def test_the_first_proposal_that_is_kept_is_taken(name: str, seed: int) -> None:
    sampler = BinghamSampler(exponent(name))
    direction = sampler.draw(SeededEntropy(seed))
    proposals = LazyProposals(sampler.envelope, BATCH, SeededEntropy(seed))
    kept = np.flatnonzero(positive(proposals))
    expected = LazyDirection(proposals, int(kept[0])).approximate()
    assert (direction.approximate().center == expected.center).all()


@pytest.mark.parametrize(("batch", "kept"), [(0, [5, 7]), (1, [0]), (2, [2, 3, 31]), (3, [31])])
def test_batches_are_proposed_until_one_is_kept(batch: int, kept: list[int]) -> None:
    """A source whose exponential variates refuse all others; of those that are kept the first is taken."""
    sampler, chosen = BinghamSampler(exponent("three")), {batch: kept}
    entropy, same = Choosing(5, chosen), Choosing(5, chosen)
    found = sampler.draw(entropy)
    batches = [LazyProposals(sampler.envelope, BATCH, same) for _ in range(batch + 1)]
    assert [np.flatnonzero(positive(one)).tolist() for one in batches] == [*([] for _ in range(batch)), kept]
    assert (found.approximate().center == LazyDirection(batches[-1], kept[0]).approximate().center).all()
    assert entropy.sizes == same.sizes == [32] * (batch + 1)
    assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize(("count", "size"), [(1, 32), (16, 32), (20, 40), (300, 600), (2047, 4094), (2200, 4096)])
def test_draws_for_studies_are_the_kept_proposals_in_their_order(count: int, size: int) -> None:
    """Floats are not released, but audits draw by them what a release is compared with."""
    sampler = BinghamSampler(exponent("a-spike-in-five"))
    entropy = Choosing(7, {})
    entropy.kept = {0: range(3), 1: range(2), 2: range(size)}
    draws, share = sampler.approximate_draws(count, entropy)
    same = Choosing(7, entropy.kept)
    vectors, proposed = np.empty((0, 5)), 0
    while len(vectors) < count:
        proposals = LazyProposals(sampler.envelope, size, same)
        vectors = np.concatenate([vectors, proposals.vectors().center[positive(proposals)]])
        proposed += size
    assert entropy.sizes == same.sizes
    assert draws.shape == (count, 5)
    assert draws == pytest.approx((vectors / np.sqrt((vectors**2).sum(axis=1, keepdims=True)))[:count], abs=1e-14)
    assert share == len(vectors) / proposed
    assert entropy.bits(64) == same.bits(64)


def test_as_many_draws_as_are_kept_are_enough() -> None:
    """A batch of which as many are kept as are asked for is the last one."""
    entropy = Choosing(8, {0: range(20)})
    draws, share = BinghamSampler(exponent("three")).approximate_draws(20, entropy)
    assert draws.shape == (20, 3)
    assert share == 20 / 40
    assert entropy.sizes == [40]


def test_what_follows_from_the_exponent_is_not_given() -> None:
    """An envelope of another law would be no bound."""
    sampler = BinghamSampler(exponent("two"))
    with pytest.raises(TypeError, match="envelope"):
        BinghamSampler(exponent("two"), envelope=sampler.envelope)
    assert len({sampler, BinghamSampler(exponent("two"))}) == 2
    assert len({sampler.envelope, Envelope.of(exponent("two"))}) == 2
    assert len({sampler.envelope.matrix, ScaledIntegers.of(exponent("two"))}) == 2
