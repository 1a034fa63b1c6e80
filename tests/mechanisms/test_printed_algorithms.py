"""The algorithms of the documents, line by line, and the mechanisms: fed with the same draws, they publish the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz_mat

from dpmatrix.exact import fraction, precision, rational
from dpmatrix.mechanisms import (
    AnalyzeGauss,
    LaplaceInputPerturbation,
    ModSulq,
    OnlinePerturbedLeader,
    Ppca,
    PrivateSubspaceRecovery,
    SymmetrisedWishartMechanism,
    WishartMechanism,
    principal_components,
    wishart_noise,
)
from dpmatrix.mechanisms.protocol import Release
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.bingham import BinghamSampler
from dpmatrix.randomness.entropy import Entropy, SeededEntropy
from dpmatrix.randomness.integer_noise import discrete_gaussian_noise, discrete_laplace_noise
from dpmatrix.randomness.lazy_grams import StandardWishart, StandardWisharts
from dpmatrix.spec.analyze_gauss import algorithms as analyze_gauss
from dpmatrix.spec.common.algorithms import (
    bounded,
    leading_eigenvectors,
    nearest,
    rounded_up,
    second_moment,
    symmetric,
    truncated,
)
from dpmatrix.spec.near_optimal import algorithms as near_optimal
from dpmatrix.spec.wishart import algorithms as wishart

BITS = 12
UNIT = Fraction(1, 2**BITS)
DELTA = Fraction(1, 10**6)
ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
SEEDS = range(12)


def inputs(seed: int) -> tuple[np.ndarray, fmpq_mat, Fraction]:
    """Make records of norm below 1, the same exactly in columns, and epsilon."""
    dimension, records = 1 + seed % 4, 1 + seed % 5
    data = np.random.default_rng(seed).uniform(-0.5, 0.5, (records, dimension))
    return data, fmpq_mat([[rational(entry) for entry in column] for column in data.T.tolist()]), Fraction(1 + seed, 3)


def published(release: Release) -> fmpq_mat:
    return fmpq_mat(release.integers.tolist()) * rational(release.grid)


def laplace_source(entropy: Entropy, run: Fraction) -> Callable[[fmpq, int], Sequence[int]]:
    """Draw as the mechanism does; what is asked for must be the scale that it runs with."""

    def source(scale: fmpq, count: int) -> Sequence[int]:
        assert fraction(scale) == run
        return discrete_laplace_noise(fraction(scale), count, entropy)

    return source


def gaussian_source(entropy: Entropy, run: Fraction) -> Callable[[fmpq, int], Sequence[int]]:
    """Draw as the mechanism does; what is asked for must be the variance that it runs with."""

    def source(variance: fmpq, count: int) -> Sequence[int]:
        assert fraction(variance) == run
        return discrete_gaussian_noise(fraction(variance), count, entropy)

    return source


@pytest.mark.parametrize("seed", SEEDS)
def test_laplace_input_perturbation(seed: int) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = LaplaceInputPerturbation(epsilon, calibration="printed", coordinate_bits=BITS)
    found, scale = published(mechanism.release(data, entropy=SeededEntropy(seed))), mechanism.noise_scale(data.shape[1])
    units = laplace_source(SeededEntropy(seed), scale)
    assert wishart.algorithm_1_repaired(columns, epsilon, units, UNIT) == found
    # As printed, for real noise in place of whole units of the grid: the rest of the difference is the truncation.
    spacing = rational(UNIT) ** 2 / columns.ncols()
    again = laplace_source(SeededEntropy(seed), scale)
    printed = wishart.algorithm_1(
        columns, epsilon, lambda wide, count: [spacing * draw for draw in again(wide / spacing, count)]
    )
    assert found - printed == second_moment(truncated(columns, UNIT)) - second_moment(columns)
    with pytest.raises(AssertionError):
        wishart.algorithm_1_repaired(columns, epsilon * 3 / 4, units, UNIT)
    assert wishart.algorithm_1_repaired(columns, epsilon, lambda _, count: [0] * count, UNIT) != found


class KeptWisharts(StandardWisharts):
    """Remembers every variate that was made, and with how many degrees of freedom."""

    made: list[tuple[int, StandardWishart]] = []  # noqa: RUF012 - emptied before each use

    def __init__(self, count: int, dimension: int, degrees: int, entropy: Entropy) -> None:
        super().__init__(count, dimension, degrees, entropy)
        self.made += [(degrees, part) for part in self.parts()]


@pytest.fixture
def wishart_source(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, fmpq], arb_mat]:
    """Let mechanisms keep what they draw, and give that out again: W_d(m, cI) as c times W_d(m, I)."""
    monkeypatch.setattr(wishart_noise, "StandardWisharts", KeptWisharts)
    KeptWisharts.made.clear()

    def source(degrees: int, scale: fmpq) -> arb_mat:
        drawn_degrees, drawn = KeptWisharts.made.pop(0)
        assert degrees == drawn_degrees
        size = drawn.shape[0]
        drawn.refine(300, range(size * size))
        return arb_mat(size, size, drawn.enclose(range(size * size))) * arb(scale)

    return source


@pytest.mark.parametrize("seed", SEEDS)
def test_the_wishart_mechanism(seed: int, wishart_source) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = WishartMechanism(epsilon, acknowledge="wishart.theorem-4")
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    assert len(KeptWisharts.made) == 1
    with precision(400):
        found = wishart.algorithm_2_repaired(columns, epsilon, wishart_source, release.grid)
    assert found == fmpz_mat(release.integers.tolist())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("adjacency", [REPLACED, ADDED])
def test_the_symmetrised_wishart_mechanism(seed: int, adjacency: Adjacency, wishart_source) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = SymmetrisedWishartMechanism(epsilon, adjacency, divisor=len(data))
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    unit = Fraction(1, 2**mechanism.coordinate_bits)
    assert len(KeptWisharts.made) == 2
    with precision(400):
        found = wishart.theorem_4_repaired(columns, epsilon, wishart_source, unit, release.grid, adjacency)
    assert found == fmpz_mat(release.integers.tolist())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("adjacency", [REPLACED, ADDED])
def test_analyze_gauss(seed: int, adjacency: Adjacency) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = AnalyzeGauss(epsilon, adjacency, calibration="printed", delta=DELTA, coordinate_bits=BITS, divisor=1)
    found = published(mechanism.release(data, entropy=SeededEntropy(seed)))
    rows, units = columns.transpose(), gaussian_source(SeededEntropy(seed), mechanism.noise_variance(data.shape[1]))
    assert analyze_gauss.algorithm_1_repaired(rows, epsilon, DELTA, adjacency, units, UNIT) == found
    with pytest.raises(AssertionError):
        analyze_gauss.algorithm_1_repaired(rows, epsilon, 2 * DELTA, adjacency, units, UNIT)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_printed_gaussian_mechanism_up_to_its_rounding(seed: int) -> None:
    """For a row that is added the deviation that is run is Delta, rounded up in its 32nd digit in units of the grid."""
    data, columns, epsilon = inputs(seed)
    mechanism = AnalyzeGauss(epsilon, ADDED, calibration="printed", delta=DELTA, coordinate_bits=BITS, divisor=1)
    found = published(mechanism.release(data, entropy=SeededEntropy(seed)))
    variance = mechanism.noise_variance(data.shape[1])
    drawn = discrete_gaussian_noise(variance, data.shape[1] * (data.shape[1] + 1) // 2, SeededEntropy(seed))
    with precision(256):
        root = arb(rational(variance)).sqrt()
        printed = analyze_gauss.algorithm_1(
            columns.transpose(),
            epsilon,
            DELTA,
            lambda square, count: [square.sqrt() * draw / root for draw in drawn[:count]],
        )
        kept = truncated(columns, UNIT)
        noise = arb_mat(found - kept * kept.transpose())
        difference = arb_mat(columns * columns.transpose()) + noise - printed
        rounding = arb(2) ** -32 / (root - arb(2) ** -32)
        allowed = [abs(entry) * rounding for entry in noise.entries()]
        pairs = list(zip(difference.entries(), allowed, strict=True))
    assert all(abs(entry) <= bound for entry, bound in pairs if bound != 0)
    assert any(bound > 0 for _, bound in pairs)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adjacency", [REPLACED, ADDED])
def test_the_online_leader(seed: int, adjacency: Adjacency) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = OnlinePerturbedLeader(
        epsilon, adjacency, steps=len(data), calibration="printed", delta=DELTA, coordinate_bits=BITS
    )
    found = [published(release) for release in mechanism.release(data, entropy=SeededEntropy(seed))]
    units = gaussian_source(SeededEntropy(seed), mechanism.noise_variance(data.shape[1]))
    rows = columns.transpose()
    assert analyze_gauss.algorithm_3_repaired(rows, epsilon, DELTA, adjacency, units, UNIT) == found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adjacency", [REPLACED, ADDED])
def test_private_subspace_recovery(seed: int, adjacency: Adjacency) -> None:
    """The integers of the code lie within a unit of the exact gap and near the projector: here they are the nearest."""
    generator, epsilon, delta = np.random.default_rng(seed), Fraction(2), Fraction(1, 10)
    data = generator.uniform(-0.2, 0.2, (40, 3)) + np.array([0.6 if seed % 3 else 0.0, 0, 0])
    mechanism = PrivateSubspaceRecovery(
        epsilon, adjacency, rank=1, delta=delta, calibration="printed", coordinate_bits=BITS
    )
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    entropy, asked = SeededEntropy(seed), []

    def laplace(scale: fmpq, count: int) -> Sequence[int]:
        assert fraction(scale) == mechanism.gap_scale
        return discrete_laplace_noise(fraction(scale), count, entropy)

    def gaussian(variance: fmpq, count: int) -> Sequence[int]:
        asked.append(fraction(variance))
        return discrete_gaussian_noise(fraction(variance), count, entropy)

    units = analyze_gauss.RecoveryUnits(UNIT, Fraction(1, 2**20), Fraction(1, 2**mechanism.projector_bits))
    rows = fmpq_mat([[rational(entry) for entry in row] for row in data.tolist()])
    gap, projector = analyze_gauss.algorithm_2_repaired(rows, 1, epsilon, delta, adjacency, laplace, gaussian, units)
    assert fraction(gap) == release.gap
    if release.projector is None:
        assert projector is None
        assert seed % 3 == 0, "the gap is small"
    else:
        assert projector == published(release.projector)
        assert asked == [mechanism.noise_variance(mechanism.bracket(int(release.gap * 2**20)), 3)]


def test_the_printed_subspace_recovery_publishes_the_identity() -> None:
    rows = fmpq_mat(3, 3, [1, 0, 0, 0, fmpq(1, 2), 0, 0, 0, fmpq(1, 4)])
    for k in (1, 2):
        found = analyze_gauss.algorithm_2(
            rows, k, 1, DELTA, lambda _, count: [40] * count, lambda _, count: [fmpq(j, 100) for j in range(count)]
        )
        identity = arb_mat([[int(i == j) for j in range(k)] for i in range(k)])
        assert found.overlaps(identity)
        assert max(float(entry.rad()) for entry in found.entries()) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_mod_sulq(seed: int) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = ModSulq(epsilon, calibration="printed", delta=DELTA, coordinate_bits=BITS)
    release = mechanism.release(data, entropy=SeededEntropy(seed))
    units = gaussian_source(SeededEntropy(seed), mechanism.noise_variance(data.shape[1]))
    assert near_optimal.algorithm_1_repaired(columns, epsilon, DELTA, units, UNIT) == published(release)
    # The printed vectors of the published matrix, for noise that is what was added, truncation aside.
    noise = published(release) - second_moment(columns)
    upper = [noise[i, j] for i in range(noise.nrows()) for j in range(i, noise.nrows())]
    with precision(256):
        vectors = near_optimal.algorithm_1(columns, epsilon, DELTA, 1, lambda _, count: upper[:count])
        (first,) = principal_components(release, 1).value.T
        cosine = sum(rational(entry) * vectors[i, 0] for i, entry in enumerate(first.tolist()))
    assert abs(abs(cosine) - 1) < 2**-30


@pytest.mark.parametrize("seed", SEEDS)
def test_ppca(seed: int) -> None:
    data, columns, epsilon = inputs(seed)
    mechanism = Ppca(epsilon, calibration="printed", coordinate_bits=BITS)
    release = mechanism.release(data, entropy=SeededEntropy(seed))

    def bingham(exponent: fmpq_mat, k: int) -> arb_mat:
        assert k == 1
        direction, order = BinghamSampler(exponent).draw(SeededEntropy(seed)), exponent.nrows()
        direction.refine(256, range(order))
        return arb_mat(order, 1, direction.enclose(range(order)))

    with precision(300):
        found = near_optimal.algorithm_2_repaired(columns, epsilon, bingham, UNIT, release.grid)
    assert found == fmpz_mat(release.integers.tolist())


def test_the_printed_wishart_mechanism_adds_a_sum_of_outer_products() -> None:
    """W_d(d + 1, cI) is the sum of d + 1 products gg' of vectors with covariance cI: here c = 3/8."""
    factor = fmpq_mat(2, 3, [1, 0, -1, 2, 1, 0])
    asked = []

    def source(degrees: int, scale: fmpq) -> arb_mat:
        asked.append((degrees, scale))
        return arb_mat(factor * factor.transpose() * scale)

    data = fmpq_mat(2, 4, [1, 0, 0, 0, 0, 1, 0, 0])
    found = wishart.algorithm_2(data, 1, source)
    assert asked == [(3, fmpq(3, 8))]
    assert found == arb_mat([[fmpq(1), fmpq(3, 4)], [fmpq(3, 4), fmpq(17, 8)]])


def test_the_printed_online_subspaces() -> None:
    """Without noise each subspace is that of the rows before it; the first is arbitrary, the last is no output."""
    rows = fmpq_mat(3, 2, [fmpq(3, 5), fmpq(4, 5), 1, 0, 0, 1])
    first = arb_mat([[0], [1]])
    subspaces, rewards = analyze_gauss.algorithm_3(rows, 1, 1, DELTA, lambda _, count: [fmpq(0)] * count, first)
    assert len(subspaces) == len(rewards) == 3
    assert [float(entry) for entry in subspaces[1].entries()] == pytest.approx([0.6, 0.8])
    assert [float(reward) for reward in rewards[:2]] == pytest.approx([0.64, 0.36])
    (by_modulus,) = analyze_gauss.algorithm_3(
        fmpq_mat(2, 2), 1, 1, DELTA, lambda _, count: [fmpq(1), fmpq(0), fmpq(-2)][:count], first
    )[0][1:]
    assert [float(entry) for entry in by_modulus.entries()] == pytest.approx([0, 1]), "-2 is the greatest by modulus"


def test_what_cannot_be_run_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fill"):
        symmetric(2, [1, 2])
    assert symmetric(2, [1, 2, 3]) == [[1, 2], [2, 3]]
    long = fmpq_mat(2, 1, [1, fmpq(1, 10)])
    with pytest.raises(ValueError, match="longer than 1"):
        bounded(long)
    assert bounded(long, 2) == long
    with pytest.raises(ValueError, match="longer"):
        wishart.algorithm_1_repaired(long, 1, lambda _, count: [0] * count, UNIT)
    assert wishart.algorithm_1(long, 1, lambda _, count: [0] * count) == second_moment(long), "as printed any record"
    assert truncated(fmpq_mat(1, 3, [fmpq(-7, 4), fmpq(7, 4), 1]), Fraction(1, 2)) == fmpq_mat(
        1, 3, [fmpq(-3, 2), fmpq(3, 2), 1]
    )
    assert rounded_up(arb(1) / 3, 2) == fmpq(1, 2)
    with pytest.raises(ValueError, match="open"):
        rounded_up(arb(1, 0.1), 2)
    assert nearest(arb_mat([[arb(0.7), arb(-0.7)]]), Fraction(1, 2)) == fmpz_mat([[1, -1]])
    with pytest.raises(ValueError, match="either of two"):
        nearest(arb_mat([[arb(0.5, 0.01)]]), 1)
    with pytest.raises(ValueError, match=r"."):
        leading_eigenvectors(arb_mat([[1, 0], [0, 1]]), 1)
