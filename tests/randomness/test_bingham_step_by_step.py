"""Bingham draws step by step: the envelope, the margin of each proposal from its formula, and which one is taken."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.errors import InvalidParameterError, OutOfRangeError
from dpmatrix.exact import precision
from dpmatrix.randomness import bingham
from dpmatrix.randomness.bingham import BATCH, BinghamSampler, Envelope, LazyDirection, LazyProposals, ScaledIntegers
from dpmatrix.randomness.decisions import positive
from dpmatrix.randomness.entropy import SeededEntropy
from dpmatrix.randomness.float_balls import FloatBalls

MATRICES = {
    "one number": [[fmpq(7, 3)]],
    "two": [[fmpq(2), fmpq(1, 2)], [fmpq(1, 2), fmpq(-7)]],
    "three": [[fmpq(9), fmpq(1, 3), 0], [fmpq(1, 3), fmpq(-4), fmpq(2)], [0, fmpq(2), fmpq(1, 7)]],
    "five, spiked": [[fmpq(40 if i == j == 2 else 3 * (i == j) - 1) for j in range(5)] for i in range(5)],
    "four, alike": [[fmpq(5 * (i == j)) for j in range(4)] for i in range(4)],
}


def matrix(name: str) -> fmpq_mat:
    return fmpq_mat(MATRICES[name])


def in_balls(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


@pytest.mark.parametrize("name", MATRICES)
def test_the_defect_bounds_the_row_sums_and_is_no_more_than_rounding(name: str) -> None:
    """``F' Omega F - I`` in balls of 300 bits, with the exact shift, width and factor of the envelope."""
    envelope, size = Envelope.of(matrix(name)), len(MATRICES[name])
    with precision(300):
        shift, width = in_balls(envelope.shift), in_balls(envelope.width)
        exact = arb_mat(matrix(name))
        omega = [
            [(1 + 2 * shift / width) * (i == j) - 2 / width * exact[i, j] for j in range(size)] for i in range(size)
        ]
        factor = arb_mat(envelope.factor.tolist())
        product = factor.transpose() * arb_mat(omega) * factor
        rows = [sum((abs(product[i, j] - (i == j)) for j in range(size)), arb(0)) for i in range(size)]
        assert all(row <= in_balls(envelope.defect) for row in rows)
    assert 0 <= envelope.defect < Fraction(1, 10**11)
    assert envelope.dimension == size


def far_from_inverse(size: int, by: float) -> tuple[FloatBalls, float, float, np.ndarray]:
    """Return a matrix, a shift, a width, and a factor whose defect is about as large as asked for, or larger."""
    generator = np.random.default_rng(size)
    symmetric = generator.uniform(-1, 1, (size, size)) / 64
    factor = np.sqrt(1 + by) * np.eye(size) + generator.uniform(-1, 1, (size, size)) / 512
    return FloatBalls.exactly(symmetric + symmetric.T), 0.0, 2.0, factor


@pytest.mark.parametrize("size", [2, 6, 9])
def test_a_large_defect_is_the_largest_row_sum_enlarged_for_its_roundings(size: int) -> None:
    """The sum of the floats that bound a row, in fractions, and as many of ``2**-50`` as it has terms."""
    matrix_of, shift, width, factor = far_from_inverse(size, 0.25)
    with precision(64):
        defect = bingham._defect(matrix_of, shift, width, factor)
    # With shift zero and width two, Omega is I - B.
    omega = FloatBalls.exactly(np.eye(size)) - matrix_of
    exact = FloatBalls.exactly(factor)
    difference = exact.transposed @ omega @ exact - FloatBalls.exactly(np.eye(size))
    sums = [
        sum(abs(Fraction(c)) + Fraction(r) for c, r in zip(centers, radii, strict=True))
        for centers, radii in zip(difference.center.tolist(), difference.radius.tolist(), strict=True)
    ]
    assert max(sums) > Fraction(1, 4)
    # The sum itself is rounded as often as it has terms, each time by an eighth of that at most.
    assert abs((defect / max(sums) - 1) * 2**50 - size) <= Fraction(size + 4, 8)


def test_a_defect_above_one_is_refused() -> None:
    with pytest.raises(InvalidParameterError, match="not certified"):
        bingham._defect(*far_from_inverse(3, 0.99))
    with pytest.raises(InvalidParameterError, match="not certified"):
        bingham._defect(*far_from_inverse(3, 1.5))


@pytest.mark.parametrize("name", MATRICES)
def test_the_envelope_is_the_best_one_nearly(name: str) -> None:
    """The shift is the largest eigenvalue, and the width solves its equation; they decide how often one is kept."""
    envelope = Envelope.of(matrix(name))
    floats = np.array([[float(Fraction(int(x.p), int(x.q))) for x in map(fmpq, row)] for row in MATRICES[name]])
    eigenvalues = np.linalg.eigvalsh(floats)
    assert float(envelope.shift) == pytest.approx(eigenvalues[-1], abs=1e-9)
    width = float(envelope.width)
    assert 0 < width <= len(floats)
    assert np.sum(1 / (width + 2 * (eigenvalues[-1] - eigenvalues))) == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    "gaps", [[0.0], [0.0, 0.0, 0.0], [0.0, 1e-9], [0.0, 1e9], [0.0, 0.5, 3.0, 100.0], [0.0] + [0.01] * 60]
)
def test_the_width_solves_its_equation_in_a_few_steps(monkeypatch, gaps: list[float]) -> None:
    monkeypatch.setattr(bingham, "MOST_STEPS", 12)
    width = bingham._best_width(np.array(gaps))
    assert np.sum(1 / (width + 2 * np.array(gaps))) == pytest.approx(1, abs=1e-5)
    assert width <= len(gaps)


@pytest.mark.parametrize("name", MATRICES)
def test_the_margin_of_a_proposal_is_its_exponential_and_the_logarithm_of_p(name: str) -> None:
    """The formula of the module for p, written out with the proposal's own normals, at 300 bits."""
    envelope, size = Envelope.of(matrix(name)), len(MATRICES[name])
    proposals = LazyProposals(envelope, 7, SeededEntropy(1))
    proposals.refine(400, range(7))
    balls, vectors = proposals.approximate(), proposals.vectors()
    assert balls.shape == proposals.shape == (7,)
    assert vectors.shape == (7, size)
    with precision(300):
        normals, exponentials = proposals.normals.enclose(range(7 * size)), proposals.exponentials.enclose(range(7))
        shift, width, defect = (in_balls(x) for x in (envelope.shift, envelope.width, envelope.defect))
        exact, enclosed = arb_mat(matrix(name)), proposals.enclose(range(7))
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
            assert abs(margin - arb(float(balls.center[place]))) <= arb(float(balls.radius[place]))
            assert balls.radius[place] < 1e-10
            for column in range(size):
                center, radius = float(vectors.center[place, column]), float(vectors.radius[place, column])
                assert abs(y[column] - arb(center)) <= arb(radius)
                assert radius < 1e-11
        assert [str(ball) for ball in proposals.enclose([5, 2])] == [str(enclosed[5]), str(enclosed[2])]


@pytest.mark.parametrize("entry", range(4))
def test_a_proposal_has_the_digits_of_its_own_variates(entry: int) -> None:
    proposals = LazyProposals(Envelope.of(matrix("three")), 4, SeededEntropy(2))
    proposals.refine(100, [entry])
    pairs = {index // 2 for index in range(3 * entry, 3 * entry + 3)}
    assert {pair for pair in range(6) if proposals.normals.radial.digits(pair)[1] == 100} == pairs
    digits = [proposals.exponentials.uniforms.digits(index)[1] for index in range(4)]
    assert digits == [100 if index == entry else 64 for index in range(4)]


def test_normals_come_from_the_source_and_then_exponentials() -> None:
    entropy, same = SeededEntropy(3), SeededEntropy(3)
    proposals = LazyProposals(Envelope.of(matrix("three")), 4, entropy)
    expected = [same.words(size).tolist() for size in (6, 6, 4)]
    found = (proposals.normals.radial, proposals.normals.angular, proposals.exponentials.uniforms)
    assert [uniforms.words().tolist() for uniforms in found] == expected
    assert entropy.bits(64) == same.bits(64)


@pytest.mark.parametrize("index", [0, 3])
def test_a_direction_is_a_proposal_of_length_one(index: int) -> None:
    proposals = LazyProposals(Envelope.of(matrix("three")), 4, SeededEntropy(4))
    direction = LazyDirection(proposals, index)
    direction.refine(200, [1])
    assert {k for k in range(4) if proposals.exponentials.uniforms.digits(k)[1] == 200} == {index}
    balls = direction.approximate()
    assert balls.shape == direction.shape == (3,)
    with precision(150):
        _, y = proposals.enclose_vector(index)
        entries = [y[k, 0] for k in range(3)]
        length = sum((entry**2 for entry in entries), arb(0)).sqrt()
        for k, ball in enumerate(direction.enclose(range(3))):
            assert ball.overlaps(entries[k] / length)
            assert ball.rad() < arb(2) ** -100
            assert abs(ball - arb(float(balls.center[k]))) <= arb(float(balls.radius[k]))
            assert balls.radius[k] < 1e-13
        assert direction.enclose([2])[0].overlaps(entries[2] / length)


@pytest.mark.parametrize("seed", range(8))
def test_the_first_proposal_that_is_kept_is_taken(seed: int) -> None:
    sampler = BinghamSampler(matrix("five, spiked"))
    direction = sampler.draw(SeededEntropy(seed))
    proposals = LazyProposals(sampler.envelope, BATCH, SeededEntropy(seed))
    kept = np.flatnonzero(positive(proposals))
    expected = LazyDirection(proposals, int(kept[0])).approximate()
    assert (direction.approximate().center == expected.center).all()


def test_batches_are_proposed_until_one_is_kept(monkeypatch) -> None:
    """Two batches are refused, and the third entry of the third is the first one that is kept."""
    monkeypatch.setattr(bingham, "MOST_BATCHES", 3)
    answers = iter([np.zeros(BATCH, bool), np.zeros(BATCH, bool), np.arange(BATCH) >= 2])
    monkeypatch.setattr(bingham, "positive", lambda _: next(answers))
    sampler, entropy = BinghamSampler(matrix("three")), SeededEntropy(5)
    found = sampler.draw(entropy).approximate()
    same = SeededEntropy(5)
    batches = [LazyProposals(sampler.envelope, BATCH, same) for _ in range(3)]
    assert (found.center == LazyDirection(batches[2], 2).approximate().center).all()
    assert entropy.bits(64) == same.bits(64)
    monkeypatch.setattr(bingham, "positive", lambda _: np.zeros(BATCH, bool))
    with pytest.raises(OutOfRangeError, match=f"no proposal was kept in {3 * BATCH}"):
        sampler.draw(SeededEntropy(6))


@pytest.mark.parametrize(("count", "size"), [(1, BATCH), (20, 40), (3000, 4096)])
def test_draws_for_studies_are_the_kept_proposals_in_their_order(count: int, size: int) -> None:
    sampler = BinghamSampler(matrix("five, spiked"))
    draws, share = sampler.approximate_draws(count, SeededEntropy(7))
    same, vectors, proposed = SeededEntropy(7), [], 0
    while len(vectors) < count:
        proposals = LazyProposals(sampler.envelope, size, same)
        kept = positive(proposals)
        vectors += proposals.vectors().center[kept].tolist()
        proposed += size
    assert draws.shape == (count, 5)
    expected = [np.array(vector) / np.linalg.norm(vector) for vector in vectors[:count]]
    assert np.allclose(draws, expected, atol=1e-14)
    assert share == len(vectors) / proposed


def test_as_many_draws_as_are_kept_are_enough(monkeypatch) -> None:
    """A batch of which as many are kept as are asked for is the last one."""
    kept = iter([20, 5])
    monkeypatch.setattr(bingham, "positive", lambda proposals: np.arange(proposals.shape[0]) < next(kept))
    draws, share = BinghamSampler(matrix("three")).approximate_draws(20, SeededEntropy(8))
    assert draws.shape == (20, 3)
    assert share == 20 / 40


def test_a_rational_matrix_is_integers_in_units() -> None:
    scaled = ScaledIntegers.of(matrix("three"))
    assert fmpq_mat(scaled.integers) * scaled.unit == matrix("three")
    assert scaled.unit == fmpq(1, 21)
    enclosed = ScaledIntegers(fmpz_mat([[6, 3], [3, -9]]), fmpq(5, 7)).enclosed()
    for center, radius, value in zip(enclosed.center.ravel(), enclosed.radius.ravel(), (6, 3, 3, -9), strict=True):
        exact = Fraction(5 * value, 7)
        assert abs(Fraction(float(center)) - exact) <= Fraction(float(radius)) <= abs(exact) / 2**52


def test_integers_in_units_are_taken_as_they_are() -> None:
    """A unit with a numerator, which no matrix of reduced rationals has."""
    scaled = ScaledIntegers(fmpz_mat([[6, 2], [2, -9]]), fmpq(5, 7))
    envelope = Envelope.of(scaled)
    assert envelope.matrix is scaled
    other = Envelope.of(fmpq_mat([[fmpq(30, 7), fmpq(10, 7)], [fmpq(10, 7), fmpq(-45, 7)]]))
    assert float(envelope.shift) == pytest.approx(float(other.shift))
    one, two = (LazyProposals(found, 5, SeededEntropy(9)) for found in (envelope, other))
    with precision(100):
        for a, b in zip(one.enclose(range(5)), two.enclose(range(5)), strict=True):
            assert abs(a - b) < arb(2) ** -30


@pytest.mark.parametrize("entry", [fmpq(2) ** 500, -(fmpq(2) ** 500), fmpq(2) ** 501])
def test_an_entry_is_below_a_bound(entry: fmpq) -> None:
    with pytest.raises(InvalidParameterError, match=r"2\*\*500"):
        Envelope.of(fmpq_mat([[1, 0], [0, entry]]))


@pytest.mark.parametrize("entry", [fmpq(2) ** 500 - fmpq(2) ** 447, fmpq(2) ** 60])
def test_an_entry_below_the_bound_is_looked_at(entry: fmpq) -> None:
    """It is refused as well, but since its rounding is greater than one."""
    with pytest.raises(InvalidParameterError, match="not certified"):
        Envelope.of(fmpq_mat([[entry, 0], [0, -entry]]))


def test_an_envelope_that_floats_do_not_certify_is_refused() -> None:
    """Eigenvalues so far apart that the factor is rounded by more than the identity."""
    large = fmpq(10) ** 30
    with pytest.raises(InvalidParameterError, match="not certified"):
        Envelope.of(fmpq_mat([[large, large / 3, 1], [large / 3, -large, 7], [1, 7, 0]]))


def test_what_follows_from_the_matrix_is_not_given() -> None:
    sampler = BinghamSampler(matrix("two"))
    with pytest.raises(TypeError, match="envelope"):
        BinghamSampler(matrix("two"), envelope=sampler.envelope)
    assert len({sampler, BinghamSampler(matrix("two"))}) == 2
    assert len({sampler.envelope, Envelope.of(matrix("two"))}) == 2
    assert len({sampler.envelope.matrix, ScaledIntegers.of(matrix("two"))}) == 2
