"""Draws of subspaces step by step: the margin of each proposal from its density, which one is taken, and how many."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.errors import TooSlowError
from dpmatrix.exact import precision
from dpmatrix.randomness import matrix_bingham
from dpmatrix.randomness.decisions import Mask, positive
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.matrix_bingham import LazyMatrixProposals, LazyProjector, MatrixBinghamSampler
from dpmatrix.randomness.matrix_envelope import MatrixEnvelope

CASES: dict[str, tuple[list[list[int | fmpq]], int]] = {
    "one number": ([[fmpq(7, 3)]], 1),
    "a plane in three": ([[fmpq(9), fmpq(1, 3), 0], [fmpq(1, 3), fmpq(-4), fmpq(2)], [0, fmpq(2), fmpq(1, 7)]], 2),
    "three in five": ([[fmpq(9 if i == j == 2 else 3 * (i == j) - 1) for j in range(5)] for i in range(5)], 3),
    "a line in four": ([[fmpq(5 * i * (i == j)) for j in range(4)] for i in range(4)], 1),
    "all of two": ([[fmpq(2), fmpq(1, 2)], [fmpq(1, 2), fmpq(-7)]], 2),
}
PLANE = "a plane in three"


def case(name: str) -> tuple[fmpq_mat, int]:
    entries, columns = CASES[name]
    return fmpq_mat(entries), columns


def envelope_of(name: str) -> MatrixEnvelope:
    return MatrixEnvelope.of(*case(name))


def sampler_of(name: str, most_proposals: int | None = 1 << 20, share: float | None = None) -> MatrixBinghamSampler:
    """Return a sampler, which takes this share of proposals to be kept."""
    sampler = MatrixBinghamSampler(*case(name), most_proposals)
    if share is not None:
        object.__setattr__(sampler, "expected_share", share)
    return sampler


def orthonormal(y: arb_mat) -> arb_mat:
    """Orthonormalise the columns, one after the other."""
    done: list[arb_mat] = []
    for j in range(y.ncols()):
        column = arb_mat(y.nrows(), 1, [y[i, j] for i in range(y.nrows())])
        for other in done:
            column = column - other * (other.transpose() * column)[0, 0]
        done.append(column * (1 / (column.transpose() * column)[0, 0].sqrt()))
    return arb_mat(y.nrows(), y.ncols(), [column[i, 0] for i in range(y.nrows()) for column in done])


@pytest.mark.parametrize("name", CASES)
def test_the_margin_of_a_proposal_is_its_exponential_and_the_logarithm_of_p(name: str) -> None:
    """The formula of the envelope for p, of an orthonormal basis of what the proposal's own normals span."""
    envelope = envelope_of(name)
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
            form = v.transpose() * arb_mat(case(name)[0]) * v
            trace = sum((form[j, j] for j in range(k)), arb(0))
            spread = (v.transpose() * inverse * v).det()
            kept = trace - envelope.constant() + spread.log() * fmpq(d, 2)
            assert kept <= arb(2) ** -40
            margin = exponentials[place] + kept
            assert margin.overlaps(enclosed[place])
            assert enclosed[place].rad() < arb(2) ** -150
            assert abs(margin - arb(float(balls.center[place]))) <= arb(float(balls.radius[place]))
            assert balls.radius[place] < 1e-8
            z_enclosed, y_enclosed = proposals.enclose_matrix(place)
            for i in range(d):
                for j in range(k):
                    center, radius = (float(part[place * k + j, i]) for part in (floats.center, floats.radius))
                    assert abs(y[i, j] - arb(center)) <= arb(radius)
                    assert radius < 1e-11
                    assert z_enclosed[i, j].overlaps(entries[j * d + i])
                    assert y_enclosed[i, j].overlaps(y[i, j])
        assert [str(ball) for ball in proposals.enclose([4, 2])] == [str(enclosed[4]), str(enclosed[2])]


@pytest.mark.parametrize("entry", range(4))
def test_a_proposal_has_the_digits_of_its_own_variates(entry: int) -> None:
    proposals = LazyMatrixProposals(envelope_of(PLANE), 4, SeededEntropy(2))
    proposals.refine(100, [entry])
    pairs = set(range(3 * entry, 3 * entry + 3))
    assert {pair for pair in range(12) if proposals.normals.radial.digits(pair)[1] == 100} == pairs
    assert {pair for pair in range(12) if proposals.normals.angular.digits(pair)[1] == 100} == pairs
    digits = [proposals.exponentials.uniforms.digits(index)[1] for index in range(4)]
    assert digits == [100 if index == entry else 64 for index in range(4)]


def test_normals_come_from_the_source_and_then_exponentials() -> None:
    entropy, same = SeededEntropy(3), SeededEntropy(3)
    proposals = LazyMatrixProposals(envelope_of(PLANE), 4, entropy)
    expected = [same.words(size).tolist() for size in (12, 12, 4)]
    found = (proposals.normals.radial, proposals.normals.angular, proposals.exponentials.uniforms)
    assert [uniforms.words().tolist() for uniforms in found] == expected
    assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize(("name", "index"), [(PLANE, 0), (PLANE, 3), ("three in five", 2), ("a line in four", 1)])
def test_a_projector_is_that_onto_the_span_of_its_proposal(name: str, index: int) -> None:
    proposals = LazyMatrixProposals(envelope_of(name), 4, SeededEntropy(4))
    projector = LazyProjector(proposals, index)
    projector.refine(300, [1])
    assert {k for k in range(4) if proposals.exponentials.uniforms.digits(k)[1] == 300} == {index}
    d = proposals.envelope.dimension
    assert projector.shape == projector.approximate().shape == (d, d)
    assert projector.rank == proposals.envelope.columns
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


def test_what_no_digits_tell_is_not_a_number() -> None:
    """A Gram matrix that may be singular solves nothing, in the shape of the right side."""
    unknown = arb_mat(2, 2, [arb(0, 1), arb(0), arb(0), arb(1)])
    solved = matrix_bingham._solved(unknown, arb_mat(2, 3, [1, 2, 3, 4, 5, 6]))
    assert (solved.nrows(), solved.ncols()) == (2, 3)
    assert all(entry.is_nan() for entry in solved.entries())
    solved = matrix_bingham._solved(arb_mat([[2, 0], [0, 4]]), arb_mat(2, 3, [1, 2, 3, 4, 5, 6]))
    assert [float(entry) for entry in solved.entries()] == [0.5, 1, 1.5, 1, 1.25, 1.5]


@pytest.mark.parametrize("name", CASES)
def test_the_expected_share_is_a_mean_over_512_proposals_from_a_fixed_seed(name: str) -> None:
    """The kept share of each, from orthonormal bases that QR gives."""
    sampler = sampler_of(name)
    envelope, k = sampler.envelope, sampler.columns
    d = envelope.dimension
    exact = np.array([float(fmpq(x).p) / float(fmpq(x).q) for row in CASES[name][0] for x in row]).reshape(d, d)
    inverse = np.linalg.inv((envelope.vectors * envelope.scales**2) @ envelope.vectors.T)
    shares = []
    for z in np.random.default_rng(0).standard_normal((512, d, k)):
        v = np.linalg.qr((envelope.vectors * envelope.scales) @ z)[0]
        spread = np.linalg.slogdet(v.T @ inverse @ v)[1]
        shares.append(np.exp(np.trace(v.T @ exact @ v) - float(envelope.constant()) + d / 2 * spread))
    assert sampler.expected_share == pytest.approx(np.mean(shares), rel=1e-6)


def test_no_expected_share_is_above_one() -> None:
    """A constant that is too small by 50 would keep every proposal."""
    envelope = envelope_of(PLANE)
    parts = {name: getattr(envelope, name) for name in ("dimension", "columns", "vectors", "scales", "enclosed")}
    lower = SimpleNamespace(**parts, constant=lambda: envelope.constant() - 50)
    assert matrix_bingham._estimated_share(cast(MatrixEnvelope, lower)) == 1


@pytest.mark.parametrize("seed", range(6))
def test_the_first_proposal_that_is_kept_is_taken(seed: int) -> None:
    sampler = sampler_of(PLANE)
    drawn = sampler.draw(SeededEntropy(seed))
    proposals = LazyMatrixProposals(sampler.envelope, 32, SeededEntropy(seed))
    kept = np.flatnonzero(positive(proposals))
    expected = LazyProjector(proposals, int(kept[0]))
    assert [str(ball) for ball in drawn.enclose(range(9))] == [str(ball) for ball in expected.enclose(range(9))]


def recorder(
    monkeypatch: pytest.MonkeyPatch, kept: Callable[[int, int], Mask] = lambda _, count: np.zeros(count, bool)
) -> list[int]:
    """Decide what is kept by the number of the batch and its size, and record the sizes."""
    sizes: list[int] = []

    def decided(proposals: LazyMatrixProposals) -> Mask:
        sizes.append(proposals.shape[0])
        assert len(sizes) < 20
        return kept(len(sizes), sizes[-1])

    monkeypatch.setattr(matrix_bingham, "positive", decided)
    return sizes


def test_batches_are_doubled_up_to_the_largest_until_the_budget_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, doubled = recorder(monkeypatch), [32, 64, 128, 256, 512, 1024, 2048, 2048]
    with pytest.raises(TooSlowError, match="more than 6212 proposals"):
        sampler_of("one number", 6212).draw(SeededEntropy(5))
    assert sizes == [*doubled, 100]
    sizes.clear()
    with pytest.raises(TooSlowError, match="more than 6112 proposals"):
        sampler_of("one number", 6112).draw(SeededEntropy(5))
    assert sizes == doubled
    sizes.clear()
    with pytest.raises(TooSlowError, match="more than 7 proposals"):
        sampler_of("one number", 7).draw(SeededEntropy(5))
    assert sizes == [7]


@pytest.mark.parametrize("most_proposals", [None, 1000])
def test_batches_are_proposed_until_one_is_kept(monkeypatch: pytest.MonkeyPatch, most_proposals: int | None) -> None:
    """Two batches are refused, and the sixth entry of the third is the first one that is kept."""
    sizes = recorder(monkeypatch, lambda batch, count: (np.arange(count) >= 5) & (batch == 3))
    sampler, entropy, same = sampler_of(PLANE, most_proposals), SeededEntropy(6), SeededEntropy(6)
    drawn = sampler.draw(entropy)
    batches = [LazyMatrixProposals(sampler.envelope, size, same) for size in (32, 64, 128)]
    assert sizes == [32, 64, 128]
    expected = LazyProjector(batches[2], 5)
    assert [str(ball) for ball in drawn.enclose(range(9))] == [str(ball) for ball in expected.enclose(range(9))]
    assert entropy.bits(64) == same.bits(64)


class NoEntropy(SeededEntropy):
    """A source that must not be asked."""

    def words(self, count: int) -> NoReturn:
        """Fail."""
        raise AssertionError(f"{count} random words were used")

    bits = bytes = words


@pytest.mark.parametrize("share", [0.0625, 0.0])
def test_a_draw_for_which_the_budget_is_not_expected_to_last_is_refused(share: float) -> None:
    slow = sampler_of("one number", 15, share)
    with pytest.raises(TooSlowError, match="more than 15 proposals"):
        slow.draw(NoEntropy(0))
    with pytest.raises(TooSlowError, match="more than 15 proposals"):
        slow.approximate_draws(1, NoEntropy(0))


@pytest.mark.parametrize(("most_proposals", "share"), [(None, 0.0), (16, 0.0625)])
def test_without_a_budget_or_with_just_enough_none_is_refused(
    monkeypatch: pytest.MonkeyPatch, most_proposals: int | None, share: float
) -> None:
    """One proposal is expected to be kept of exactly as many as there may be."""
    recorder(monkeypatch, lambda _, count: np.ones(count, bool))
    sampler = sampler_of("one number", most_proposals, share)
    assert sampler.draw(SeededEntropy(7)).shape == (1, 1)
    assert sampler.approximate_draws(2, SeededEntropy(7))[0].shape == (2, 1, 1)


def test_a_draw_takes_about_a_million_proposals_unless_told() -> None:
    assert MatrixBinghamSampler(*case("one number")).most_proposals == 2**20


@pytest.mark.parametrize(("name", "count"), [(PLANE, 1), (PLANE, 300), ("three in five", 20), ("a line in four", 90)])
def test_draws_for_studies_are_bases_of_the_kept_proposals_in_their_order(name: str, count: int) -> None:
    """The orthonormal matrix nearest to a proposal, whose product with it is symmetric and positive."""
    sampler = sampler_of(name)
    d, k = sampler.envelope.dimension, sampler.columns
    draws, share = sampler.approximate_draws(count, SeededEntropy(8))
    spans: list[np.ndarray] = []
    same, proposed = SeededEntropy(8), 0
    while len(spans) < count:
        size = min(max(int((count - len(spans)) / sampler.expected_share) + 1, 32), 2048)
        proposals = LazyMatrixProposals(sampler.envelope, size, same)
        rows = proposals.matrices().center
        spans += [rows[k * index : k * index + k].T for index in np.flatnonzero(positive(proposals))]
        proposed += size
    assert draws.shape == (count, d, k)
    assert share == len(spans) / proposed
    for drawn, span in zip(draws, spans, strict=False):
        values, vectors = np.linalg.eigh(span.T @ span)
        assert np.allclose(drawn, span @ (vectors / np.sqrt(values)) @ vectors.T, atol=1e-9)


def test_batches_for_studies_are_as_large_as_what_is_left_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter is expected; nothing is kept of the first batch, a hundred of the second, and all of the others."""
    kept = {1: 0, 2: 100}
    sizes = recorder(monkeypatch, lambda batch, count: np.arange(count) < kept.get(batch, count))
    draws, share = sampler_of("one number", share=0.25).approximate_draws(500, SeededEntropy(9))
    assert sizes == [2001, 2001, 1601]
    assert draws.shape == (500, 1, 1)
    assert share == 1701 / 5603
    sizes.clear()
    kept.update({1: 10, 2: 10})
    draws, share = sampler_of("one number", share=0.25).approximate_draws(20, SeededEntropy(9))
    assert sizes == [81, 41], "as many as are asked for are enough"
    assert draws.shape == (20, 1, 1)
    assert share == 20 / 122


@pytest.mark.parametrize(("share", "size"), [(1.0, 32), (1e-3, 2048), (0.0, 2048)])
def test_batches_for_studies_are_neither_small_nor_large(
    monkeypatch: pytest.MonkeyPatch, share: float, size: int
) -> None:
    sizes = recorder(monkeypatch, lambda _, count: np.arange(count) < 9)
    draws, _ = sampler_of("one number", None, share).approximate_draws(9, SeededEntropy(9))
    assert sizes == [size]
    assert draws.shape == (9, 1, 1)


def test_what_follows_from_the_matrix_is_not_given() -> None:
    sampler = sampler_of("one number")
    follows: dict[str, Any] = {"envelope": sampler.envelope, "expected_share": 0.5}
    for name, value in follows.items():
        with pytest.raises(TypeError, match=name):
            MatrixBinghamSampler(*case("one number"), **{name: value})
    assert len({sampler, sampler_of("one number")}) == 2
