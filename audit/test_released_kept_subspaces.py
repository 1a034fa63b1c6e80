"""A subspace is the span of the first proposal that is kept, and that is kept with the probability of its density.

Which of the proposals is taken, and what its margin is, decides the law. Margins are held against their formula in
balls of 300 bits, and a source says which proposals are kept. Nothing is statistical.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from audit.released.proposals import Choosing, Silent, exponent, in_floats, near
from dpmatrix.errors import InvalidParameterError, TooSlowError
from dpmatrix.exact import precision
from dpmatrix.randomness.decisions import positive
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls
from dpmatrix.randomness.matrix_bingham import LazyMatrixProposals, LazyProjector, MatrixBinghamSampler
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope

CASES = [("one-number", 1), ("three", 2), ("a-spike-in-five", 3), ("alike", 1), ("two", 2), ("two", 1)]
SPREAD = fmpq_mat([[0, 0], [0, -40]])
"""A law of lines in the plane, of which every proposal is told from its bound by floats."""


def envelope_of(name: str, columns: int) -> MatrixEnvelope:
    """Return an envelope that is no fit, which is found at once and covers the law as well."""
    exact, d = exponent(name), len(in_floats(name))
    vectors = np.linalg.eigh(in_floats(name))[1][:, ::-1].copy()
    scales, weights = 1 / np.arange(1.0, d + 1), d / 2 + 0.25 * np.arange(columns)
    return MatrixEnvelope(exact, columns, FloatBalls.of_rationals(exact.entries(), (d, d)), vectors, scales, weights)


def orthonormal(y: arb_mat) -> arb_mat:
    """Orthonormalise the columns, one after the other."""
    done: list[arb_mat] = []
    for j in range(y.ncols()):
        column = arb_mat(y.nrows(), 1, [y[i, j] for i in range(y.nrows())])
        for other in done:
            column = column - other * (other.transpose() * column)[0, 0]
        done.append(column * (1 / (column.transpose() * column)[0, 0].sqrt()))
    return arb_mat(y.nrows(), y.ncols(), [column[i, 0] for i in range(y.nrows()) for column in done])


@pytest.mark.parametrize(("name", "columns"), CASES)
def test_the_margin_of_a_proposal_is_its_exponential_and_the_logarithm_of_its_probability(
    name: str, columns: int
) -> None:
    """The formula of the envelope, of an orthonormal basis of what the proposal's own normal variates span."""
    envelope = envelope_of(name, columns)
    d, k = envelope.dimension, envelope.columns
    proposals = LazyMatrixProposals(envelope, 5, SeededEntropy(1))
    proposals.refine(400, range(5))
    balls, floats = proposals.approximate(), proposals.matrices()
    assert balls.shape == proposals.shape == (5,)
    assert floats.shape == (5 * k, d)
    with precision(300):
        normals, exponentials = proposals.normals.enclose(range(5 * d * k)), proposals.exponentials.enclose(range(5))
        vectors, enclosed = arb_mat(envelope.vectors.tolist()), proposals.enclose(range(5))
        stretch = arb_mat(np.diag(envelope.scales).tolist())
        inverse = (vectors * stretch * stretch * vectors.transpose()).inv()
        assert len(enclosed) == 5
        for place in range(5):
            entries = normals[place * d * k : (place + 1) * d * k]
            y = vectors * stretch * arb_mat(d, k, [entries[j * d + i] for i in range(d) for j in range(k)])
            v = orthonormal(y)
            form = v.transpose() * arb_mat(exponent(name)) * v
            trace = sum((form[j, j] for j in range(k)), arb(0))
            spread = (v.transpose() * inverse * v).det()
            kept = trace - envelope.constant() + spread.log() * fmpq(d, 2)
            assert kept <= arb(2) ** -40
            margin = exponentials[place] + kept
            assert margin.overlaps(enclosed[place])
            assert enclosed[place].rad() < arb(2) ** -150
            assert near(margin, balls.center[place], balls.radius[place], 1e-8)
            z_enclosed, y_enclosed = proposals.enclose_matrix(place)
            for i in range(d):
                for j in range(k):
                    row = place * k + j
                    assert near(y[i, j], floats.center[row, i], floats.radius[row, i], 1e-11)
                    assert z_enclosed[i, j].overlaps(entries[j * d + i])
                    assert y_enclosed[i, j].overlaps(y[i, j])
        assert [str(ball) for ball in proposals.enclose([4, 2])] == [str(enclosed[4]), str(enclosed[2])]


@pytest.mark.parametrize("entry", range(4))
def test_a_proposal_is_refined_with_its_own_variates(entry: int) -> None:
    proposals = LazyMatrixProposals(envelope_of("three", 2), 4, SeededEntropy(2))
    proposals.refine(100, [entry])
    pairs = set(range(3 * entry, 3 * entry + 3))
    for uniforms in (proposals.normals.radial, proposals.normals.angular):
        assert {pair for pair in range(12) if uniforms.digits(pair)[1] == 100} == pairs
    digits = [proposals.exponentials.uniforms.digits(index)[1] for index in range(4)]
    assert digits == [100 if index == entry else 64 for index in range(4)]


def test_all_variates_of_a_batch_come_from_its_source() -> None:
    """Normal variates first, and then exponential ones."""
    for seed in (3, 4):
        entropy, same = SeededEntropy(seed), SeededEntropy(seed)
        proposals = LazyMatrixProposals(envelope_of("three", 2), 4, entropy)
        found = (proposals.normals.radial, proposals.normals.angular, proposals.exponentials.uniforms)
        assert [uniforms.words().tolist() for uniforms in found] == [same.words(size).tolist() for size in (12, 12, 4)]
        assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize(
    ("name", "columns", "index"), [("three", 2, 0), ("three", 2, 3), ("a-spike-in-five", 3, 2), ("alike", 1, 1)]
)
def test_a_projector_is_that_onto_the_span_of_its_proposal(name: str, columns: int, index: int) -> None:
    proposals = LazyMatrixProposals(envelope_of(name, columns), 4, SeededEntropy(4))
    projector = LazyProjector(proposals, index)
    projector.refine(300, [1])
    assert {k for k in range(4) if proposals.exponentials.uniforms.digits(k)[1] == 300} == {index}
    d = proposals.envelope.dimension
    assert projector.shape == projector.approximate().shape == (d, d)
    assert projector.rank == columns
    assert (projector.approximate().radius == np.inf).all()
    with precision(250):
        v = orthonormal(proposals.enclose_matrix(index)[1])
        expected = (v * v.transpose()).entries()
        found = projector.enclose(range(d * d))
        assert len(found) == d * d
        for one, other in zip(found, expected, strict=True):
            assert one.overlaps(other)
            assert one.rad() < arb(2) ** -150
        assert [str(ball) for ball in projector.enclose([d, 1])] == [str(found[d]), str(found[1])]


def test_what_no_digits_tell_is_left_open() -> None:
    """In balls of three bits the Gram matrices of some proposals may be singular: nothing is said of their entries."""
    proposals, open_ones = LazyMatrixProposals(envelope_of("three", 2), 60, SeededEntropy(1)), 0
    for index in range(60):
        with precision(3):
            rough = LazyProjector(proposals, index).enclose(range(9))
        assert len(rough) == 9
        with precision(200):
            exact = LazyProjector(proposals, index).enclose(range(9))
        open_ones += all(ball.is_nan() for ball in rough)
        assert all(one.is_nan() or one.overlaps(other) for one, other in zip(rough, exact, strict=True))
    assert open_ones > 0


@pytest.mark.parametrize(("name", "columns"), [("one-number", 1), ("three", 1), ("three", 2), ("a-spike-in-five", 1)])
def test_the_expected_share_is_a_mean_over_proposals_from_a_fixed_seed(name: str, columns: int) -> None:
    """The kept share of each of 512, from orthonormal bases that QR gives."""
    sampler = MatrixBinghamSampler(exponent(name), columns)
    envelope, d = sampler.envelope, len(in_floats(name))
    inverse = np.linalg.inv((envelope.vectors * envelope.scales**2) @ envelope.vectors.T)
    shares = []
    for z in np.random.default_rng(0).standard_normal((512, d, columns)):
        v = np.linalg.qr((envelope.vectors * envelope.scales) @ z)[0]
        spread = np.linalg.slogdet(v.T @ inverse @ v)[1]
        shares.append(np.exp(np.trace(v.T @ in_floats(name) @ v) - float(envelope.constant()) + d / 2 * spread))
    assert sampler.expected_share == pytest.approx(np.mean(shares), rel=1e-6)
    assert sampler.most_proposals == 2**20


def same_balls(one: LazyProjector, other: LazyProjector) -> bool:
    """Say whether two projectors are made of the same digits."""
    size = one.shape[0] ** 2
    return [str(ball) for ball in one.enclose(range(size))] == [str(ball) for ball in other.enclose(range(size))]


@pytest.mark.parametrize(("columns", "seed"), [(1, 0), (1, 1), (1, 2), (2, 3)])
def test_the_first_proposal_that_is_kept_is_taken(columns: int, seed: int) -> None:
    sampler = MatrixBinghamSampler(exponent("three"), columns)
    proposals = LazyMatrixProposals(sampler.envelope, 32, SeededEntropy(seed))
    kept = np.flatnonzero(positive(proposals))
    assert same_balls(sampler.draw(SeededEntropy(seed)), LazyProjector(proposals, int(kept[0])))


@pytest.mark.parametrize("most_proposals", [None, 1000])
@pytest.mark.parametrize(("batch", "kept"), [(0, [5, 7]), (1, [0]), (2, [2, 3, 31]), (3, [255])])
def test_batches_are_proposed_until_one_is_kept(most_proposals: int | None, batch: int, kept: list[int]) -> None:
    """A source whose exponential variates refuse all others; of those that are kept the first is taken."""
    sampler, chosen = MatrixBinghamSampler(SPREAD, 1, most_proposals), {batch: kept}
    entropy, same = Choosing(6, chosen), Choosing(6, chosen)
    found = sampler.draw(entropy)
    batches = [LazyMatrixProposals(sampler.envelope, size, same) for size in (32, 64, 128, 256)[: batch + 1]]
    assert [np.flatnonzero(positive(one)).tolist() for one in batches] == [*([] for _ in range(batch)), kept]
    assert same_balls(found, LazyProjector(batches[-1], kept[0]))
    assert entropy.sizes == same.sizes
    assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize(
    ("most_proposals", "sizes"),
    [
        (6212, [32, 64, 128, 256, 512, 1024, 2048, 2048, 100]),
        (6112, [32, 64, 128, 256, 512, 1024, 2048, 2048]),
        (97, [32, 64, 1]),
        (96, [32, 64]),
        (7, [7]),
    ],
)
def test_no_more_proposals_are_made_than_may_be(most_proposals: int, sizes: list[int]) -> None:
    """A source whose exponential variates refuse all; then the draw is refused, and nothing is drawn from it."""
    sampler, entropy = MatrixBinghamSampler(SPREAD, 1, most_proposals), Choosing(5, {})
    with pytest.raises(TooSlowError, match=rf"^a draw would take more than {most_proposals} proposals;"):
        sampler.draw(entropy)
    assert entropy.sizes == sizes


def test_a_draw_for_which_the_proposals_are_not_expected_to_last_is_refused_before_it_begins() -> None:
    """Without a limit none is refused."""
    share = MatrixBinghamSampler(exponent("a-spike-in-five"), 1).expected_share
    enough = int(1 / share) + 1
    assert 2 < enough < 1000
    for most_proposals in (enough - 1, 1):
        sampler = MatrixBinghamSampler(exponent("a-spike-in-five"), 1, most_proposals)
        for draw in (sampler.draw, lambda entropy, one=sampler: one.approximate_draws(1, entropy)):
            with pytest.raises(TooSlowError, match=rf"^a draw would take more than {most_proposals} proposals;"):
                draw(Silent(0))
    for limit in (enough, enough + 1, None):
        sampler = MatrixBinghamSampler(exponent("a-spike-in-five"), 1, limit)
        assert sampler.draw(Choosing(7, {0: [0]})).shape == (5, 5)
        assert sampler.approximate_draws(2, Choosing(7, {0: [0, 1]}))[0].shape == (2, 5, 1)


@pytest.mark.parametrize(
    ("name", "columns", "count"), [("three", 2, 100), ("three", 1, 1), ("three", 1, 20), ("three", 1, 400)]
)
def test_draws_for_studies_are_bases_of_the_kept_proposals_in_their_order(name: str, columns: int, count: int) -> None:
    """The orthonormal matrix nearest to a proposal, whose product with it is symmetric and positive."""
    sampler = MatrixBinghamSampler(exponent(name), columns)
    entropy, same = (Choosing(8, {0: range(3), 1: range(40), 2: range(2048)}) for _ in range(2))
    draws, share = sampler.approximate_draws(count, entropy)
    spans: list[np.ndarray] = []
    proposed = 0
    while len(spans) < count:
        size = min(max(int((count - len(spans)) / sampler.expected_share) + 1, 32), 2048)
        proposals = LazyMatrixProposals(sampler.envelope, size, same)
        rows = proposals.matrices().center
        spans += [rows[columns * i : columns * (i + 1)].T for i in np.flatnonzero(positive(proposals))]
        proposed += size
    assert entropy.sizes == same.sizes
    assert draws.shape == (count, sampler.envelope.dimension, columns)
    assert share == len(spans) / proposed
    for drawn, span in zip(draws, spans, strict=False):
        values, vectors = np.linalg.eigh(span.T @ span)
        assert np.allclose(drawn, span @ (vectors / np.sqrt(values)) @ vectors.T, atol=1e-9)


def test_as_many_draws_as_are_kept_are_enough() -> None:
    sampler = MatrixBinghamSampler(exponent("three"), 1)
    entropy = Choosing(9, {0: range(20)})
    draws, _ = sampler.approximate_draws(20, entropy)
    assert draws.shape == (20, 3, 1)
    assert len(entropy.sizes) == 1


@pytest.mark.parametrize("columns", [0, 3, True, 1.0])
def test_a_subspace_has_from_one_to_all_dimensions(columns: Any) -> None:
    with pytest.raises(InvalidParameterError, match=r"^columns: .* is out of range"):
        MatrixBinghamSampler(fmpq_mat(2, 2), columns)


def test_what_follows_from_the_exponent_is_not_given() -> None:
    """An envelope of another law would be no bound."""
    sampler = MatrixBinghamSampler(exponent("two"), 1)
    follows: dict[str, Any] = {"envelope": sampler.envelope, "expected_share": 0.5}
    for name, value in follows.items():
        with pytest.raises(TypeError, match=name):
            MatrixBinghamSampler(exponent("two"), 1, **{name: value})
    assert len({sampler, MatrixBinghamSampler(exponent("two"), 1)}) == 2
