"""PPCA by exact draws, in one step and one direction at a time."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat, fmpz_mat
from scipy.integrate import quad
from scipy.special import erf, erfi

from dpmatrix.errors import InvalidParameterError, TooSlowError
from dpmatrix.mechanisms import Mechanism, Ppca, Release, SequentialPpca, principal_components
from dpmatrix.mechanisms.sequential_ppca import direction, mirror, reflection, turned_within
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.bingham import log_bingham_constant
from dpmatrix.randomness import decisions, matrix_bingham
from dpmatrix.randomness.bingham import BinghamSampler, ScaledIntegers
from dpmatrix.randomness.decisions import round_to_grid
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.matrix_bingham import MatrixBinghamSampler

BOTH = list(Adjacency)
KINDS = [Ppca, SequentialPpca]
SPIKED = np.array([[1.0, 0.0, 0.0]] * 12)


def distance(cosines, strength):
    """Compare cosines in three dimensions with the density proportional to exp(strength t^2)."""

    def odd_integral(at):
        return np.sqrt(np.pi / strength) / 2 * erfi(np.sqrt(strength) * at)

    values = np.sort(np.clip(cosines, -1, 1))
    exact = (1 + odd_integral(values) / odd_integral(1.0)) / 2
    ranks = np.arange(len(values) + 1) / len(values)
    return float(max(np.abs(exact - ranks[1:]).max(), np.abs(exact - ranks[:-1]).max()))


@pytest.mark.parametrize(
    ("kind", "rank", "strength"), [(Ppca, 1, 6.0), (SequentialPpca, 1, 6.0), (SequentialPpca, 2, 3.0)]
)
def test_first_directions_follow_the_law(kind, rank, strength, cdf_radius):
    mechanism, entropy = kind(1, rank=rank), SystemEntropy()
    cosines = np.array([mechanism.release(SPIKED, entropy=entropy).to_numpy()[0, 0] for _ in range(1200)])
    assert distance(cosines, strength) <= cdf_radius(1200) + 1e-5
    # Control: half the weight, or twice.
    assert distance(cosines, 3.0 if strength == 6.0 else 6.5) > cdf_radius(1200)


def test_second_directions_follow_the_law_in_the_complement(cdf_radius):
    # The exponent is s diag(1, 1, 0). In the plane orthogonal to the first direction u its eigenvalues are s, along
    # the cross product of u and e_3, and s u_3^2. The probability integral of the angle to the former is uniform.
    data, strength = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] * 20), 5.0
    mechanism, entropy = SequentialPpca(1, rank=2), SystemEntropy()
    frames = np.array([mechanism.release(data, entropy=entropy).to_numpy() for _ in range(700)])

    def share(frame, scale):
        u, v = frame.T
        across = np.cross(u, [0.0, 0.0, 1.0])
        gap = scale * strength * (1 - u[2] ** 2)
        angle = np.arccos(min(1.0, abs(v @ across) / np.linalg.norm(across)))
        below, total = (quad(lambda t: np.exp(gap * np.cos(t) ** 2), 0, end)[0] for end in (angle, np.pi / 2))
        return below / total

    for scale, accepted in ((1.0, True), (0.0, False)):
        values = np.sort([share(frame, scale) for frame in frames])
        ranks = np.arange(len(values) + 1) / len(values)
        gap = max(np.abs(values - ranks[1:]).max(), np.abs(values - ranks[:-1]).max())
        assert bool(gap <= cdf_radius(len(values)) + 1e-5) is accepted


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjacency", BOTH)
def test_releases_say_what_they_are(kind, adjacency):
    mechanism = kind(0.5, adjacency)
    release = mechanism.release(SPIKED)
    assert release.guarantee == mechanism.guarantee
    assert (release.guarantee.epsilon, release.guarantee.delta) == (0.5, 0)
    assert release.integers.shape == (3, 1)
    assert release.grid == mechanism.grid == Fraction(1, 2**40)
    assert abs(np.linalg.norm(release.to_numpy()) - 1) < 1e-11
    assert not mechanism.release(SPIKED, entropy=SeededEntropy(1)).private
    first, second = (mechanism.release(SPIKED, entropy=SeededEntropy(2)) for _ in range(2))
    assert first == second
    blocks = [SPIKED[:5], SPIKED[:0], SPIKED[5:]]
    assert mechanism.release_blocks(blocks, 3, entropy=SeededEntropy(2)) == first


def test_ppca_is_a_mechanism_and_its_simulation_has_its_law(cdf_radius):
    mechanism = Ppca(1)
    assert isinstance(mechanism, Mechanism)
    draws = mechanism.simulate(SPIKED, 20_000, np.random.default_rng(3))
    assert draws.shape == (20_000, 3, 1)
    sample = draws[:2000, 0, 0]
    assert distance(sample, 6.0) <= cdf_radius(2000) + 1e-5
    assert distance(sample, 3.0) > cdf_radius(2000)


@pytest.mark.parametrize(
    ("kind", "adjacency", "calibration", "weight"),
    [
        (Ppca, BOTH[0], "printed", Fraction(1, 18)),
        (Ppca, BOTH[0], "tight", Fraction(1, 18)),
        (Ppca, BOTH[1], "printed", Fraction(1, 18)),
        (Ppca, BOTH[1], "tight", Fraction(1, 9)),
    ],
)
def test_weights(kind, adjacency, calibration, weight):
    # epsilon = 1/4, norm bound 3/2: epsilon / (2 r^2) = 1/18.
    mechanism = kind(Fraction(1, 4), adjacency, calibration, norm_bound=Fraction(3, 2))
    assert mechanism.weight(5) == weight
    assert mechanism.exponent([[[0.5, 1.0]], [[0.5, 0.0]]], 2) == fmpq_mat([[1, 1], [1, 2]]) / 2 * fmpq(
        weight.numerator, weight.denominator
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data",
    [
        [[0.5]],
        [[0.0]],
        [[0.25, 0.5, -0.5]],
        np.zeros((4, 3)),
        np.full((1000, 5), 0.25),
        np.eye(6),
        np.eye(2)[[0, 1] * 50],
        [[1.0, 0.0]] * 100_000,
    ],
    ids=["d=1", "d=1 zero", "n=1", "zero", "constant", "all eigenvalues equal", "two equal", "a long spike"],
)
def test_degenerate_data_have_an_answer(kind, data):
    direction = kind(1).release(data).to_numpy()
    assert abs(np.linalg.norm(direction) - 1) < 1e-10
    if np.shape(data) == (100_000, 2):
        assert abs(direction[0, 0]) > 0.99


def test_no_records_are_a_data_set_only_where_their_number_is_secret():
    nothing = np.zeros((0, 4))
    for kind in KINDS:
        assert kind(1, Adjacency.ADD_REMOVE_ONE).release(nothing).private
        with pytest.raises(InvalidParameterError):
            kind(1).release(nothing)


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
def test_every_rank_up_to_d_in_steps(dimension):
    data = np.eye(dimension)[np.arange(30) % dimension]
    for rank in range(1, dimension + 1):
        mechanism = SequentialPpca(1, rank=rank, direction_bits=50)
        frame = mechanism.release(data).to_numpy()
        assert frame.shape == (dimension, rank)
        assert np.allclose(frame.T @ frame, np.eye(rank), atol=1e-13)
        assert mechanism.steps(dimension) == min(rank, dimension - 1)


@pytest.mark.parametrize(
    "column", [[3, 4], [-3, 4], [0, 5], [0, -1, 0], [1, 2, 2], [-(2**40), 3, 7, 11], [7], [-7], [1, 1]]
)
def test_reflections_are_orthogonal_and_point_along_the_column(column):
    size = len(column)
    matrix = reflection(fmpz_mat(size, 1, column))
    identity = fmpq_mat(size, size, [int(i == j) for i in range(size) for j in range(size)])
    assert matrix * matrix.transpose() == identity
    first = np.array([float(matrix[i, 0].p) / float(matrix[i, 0].q) for i in range(size)])
    # The root of t't is taken downwards, so the direction is off by less than 1/|t|.
    assert np.linalg.norm(first - np.array(column) / np.linalg.norm(column)) <= 1 / np.linalg.norm(column)
    if column == [3, 4]:
        assert [matrix[i, 0] for i in range(2)] == [fmpq(3, 5), fmpq(4, 5)]


def test_no_direction_no_reflection():
    with pytest.raises(InvalidParameterError, match="zero"):
        reflection(fmpz_mat(2, 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "data", [[[2.0, 0.0]], [[np.nan, 0.0]], np.zeros((0, 2)), [[1j, 0]], [0.5], [["a", "b"]], [[0.5], [0.5, 0.5]]]
)
def test_bad_data_are_refused(kind, data):
    with pytest.raises(InvalidParameterError):
        kind(1, over_norm="reject").release(data)


@pytest.mark.parametrize(
    "wrong",
    [
        {"rank": 0},
        {"rank": 1.0},
        {"direction_bits": 15},
        {"direction_bits": 513},
        {"coordinate_bits": -1},
        {"epsilon": 0},
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_bad_parameters_are_refused(kind, wrong):
    with pytest.raises(InvalidParameterError, match=next(iter(wrong))):
        kind(**{"epsilon": 1, **wrong})


def test_ranks_without_an_answer_are_refused():
    for kind in KINDS:
        with pytest.raises(InvalidParameterError, match="exceeds d = 2"):
            kind(1, rank=3).release([[0.5, 0.5]])
    for use in (
        lambda m: m.simulate(SPIKED, 1, np.random.default_rng(0)),
        lambda m: m.log_density_ratio(SPIKED, SPIKED, [[1], [0], [0]]),
    ):
        with pytest.raises(InvalidParameterError, match="rank"):
            use(Ppca(1, rank=2))


def test_the_normalising_constant():
    # In the plane it is e^((a + b)/2) I_0((a - b)/2); in three dimensions the law of one coordinate is uniform.
    plane = float(log_bingham_constant(fmpq_mat([[3, 0], [0, -1]])))
    assert abs(plane - np.log(quad(lambda t: np.exp(3 * np.cos(t) ** 2 - np.sin(t) ** 2), 0, np.pi)[0] / np.pi)) < 1e-12
    space = fmpq_mat([[7, 0, 0], [0, 0, 0], [0, 0, 0]])
    assert abs(float(log_bingham_constant(space)) - np.log(quad(lambda t: np.exp(7 * t * t), 0, 1)[0])) < 1e-12
    turned = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5), 0], [fmpq(4, 5), fmpq(3, 5), 0], [0, 0, 1]])
    same = turned * space * turned.transpose()
    assert log_bingham_constant(same).overlaps(log_bingham_constant(space))
    assert log_bingham_constant(same, 1).overlaps(log_bingham_constant(space))
    assert log_bingham_constant(fmpq_mat([[7]])).contains(7)
    assert log_bingham_constant(fmpq_mat(4, 4)) == 0
    for wrong in (fmpq_mat(0, 0), fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[10**6]])):
        with pytest.raises(InvalidParameterError, match="matrix"):
            log_bingham_constant(wrong)


def test_the_loss_is_that_of_the_density():
    mechanism = Ppca(1)
    # One record each: the normalisers agree by symmetry.
    assert mechanism.log_density_ratio([[1, 0]], [[0, 1]], [[0], [2]]).overlaps(fmpq(-1, 2))
    assert mechanism.log_density_ratio([[1, 0]], [[0, 1]], [[1], [1]]).overlaps(0)
    for wrong in ([[0], [0]], [[1, 0]], [1, 0]):
        with pytest.raises(InvalidParameterError, match="output"):
            mechanism.log_density_ratio([[1, 0]], [[0, 1]], wrong)
    with pytest.raises(InvalidParameterError, match="neighbour"):
        mechanism.log_density_ratio([[1, 0]], [[0, 1, 0]], [[1], [0]])


def test_planes_follow_the_law_and_are_released_as_projectors(cdf_radius):
    # In three dimensions a plane is the complement of a line w with density exp(-w'Bw): here exp(-100 w_1^2).
    mechanism, entropy = Ppca(1, rank=2), SystemEntropy()
    data = np.tile(SPIKED[:1], (200, 1))
    releases = [mechanism.release(data, entropy=entropy) for _ in range(120)]
    assert all(release.private and (release.integers == release.integers.T).all() for release in releases)
    projectors = np.array([release.to_numpy() for release in releases])
    assert np.abs(projectors @ projectors - projectors).max() < 1e-11
    assert np.abs(np.trace(projectors, axis1=1, axis2=2) - 2).max() < 1e-11
    moduli = np.sort(np.sqrt(1 - projectors[:, 0, 0]))
    for strength, accepted in ((100.0, True), (1.5, False)):
        exact = erf(np.sqrt(strength) * moduli) / erf(np.sqrt(strength))
        ranks = np.arange(len(moduli) + 1) / len(moduli)
        gap = max(np.abs(exact - ranks[1:]).max(), np.abs(exact - ranks[:-1]).max())
        assert bool(gap <= cdf_radius(len(moduli)) + 1e-6) is accepted
    frame = principal_components(releases[0], 2)
    assert frame.guarantee == mechanism.guarantee
    assert np.allclose(frame.value @ frame.value.T, projectors[0])


@pytest.mark.parametrize("rank", [2, 3])
def test_projectors_of_degenerate_data(rank):
    for data in (np.eye(3), np.zeros((2, 3)), [[0.5, 0.5, 0.5]]):
        release = Ppca(1, rank=rank).release(data)
        assert abs(np.trace(release.to_numpy()) - rank) < 1e-11
    first, second = (Ppca(1, rank=rank).release(SPIKED, entropy=SeededEntropy(5)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize("limit", [None, 1 << 20])
def test_data_are_refused_for_a_slow_draw_only_where_that_is_asked_for(monkeypatch, limit):
    """Whatever the share of proposals that is expected: here it is said to be nothing."""
    monkeypatch.setattr(matrix_bingham, "_estimated_share", lambda _envelope: 0.0)
    mechanism = Ppca(1, rank=2, most_proposals=limit)
    if limit is None:
        assert mechanism.release(SPIKED).guarantee == mechanism.guarantee
        return
    with pytest.raises(TooSlowError):
        mechanism.release(SPIKED)


def test_a_draw_goes_on_beyond_any_number_of_batches(monkeypatch):
    """Until a proposal is kept; the first hundred thousand are not."""
    proposed = []

    def kept(proposals):
        proposed.append(proposals.shape[0])
        return decisions.positive(proposals) if sum(proposed) > 100_000 else np.zeros(proposals.shape, dtype=bool)

    monkeypatch.setattr(matrix_bingham, "positive", kept)
    monkeypatch.setattr(matrix_bingham, "BATCH", 2048)
    assert abs(np.trace(Ppca(1, rank=2).release(SPIKED).to_numpy()) - 2) < 1e-9
    assert sum(proposed) > 100_000
    proposed.clear()
    with pytest.raises(TooSlowError):
        Ppca(1, rank=2, most_proposals=50_000).release(SPIKED)
    with pytest.raises(InvalidParameterError, match="most_proposals"):
        Ppca(1, rank=2, most_proposals=0)


def test_how_slow_a_draw_can_be():
    """What the documentation says of d = 10 and k = 2."""
    for eigenvalue, least, most in ((320, 1e-8, 1e-6), (1280, 1e-18, 1e-14)):
        matrix = fmpq_mat(10, 10, [fmpq(eigenvalue * (place == 0)) for place in range(100)])
        assert least < MatrixBinghamSampler(matrix, 2).expected_share < most


def test_a_refusal_says_nothing_of_the_data_but_that_it_happened():
    """Two data sets of very different shares of kept proposals, and so of estimates, are refused in the same words."""
    messages = set()
    for weight in (20, 40):
        with pytest.raises(TooSlowError) as caught:
            Ppca(1, rank=10, most_proposals=1 << 20).release(np.repeat(np.eye(20), np.arange(20) * weight, axis=0))
        messages.add(str(caught.value))
    assert len(messages) == 1


def test_documentation_says_what_no_guarantee_covers():
    for text in (Ppca.__doc__, Release.__doc__):
        assert "does not cover" in " ".join(text.split())


@pytest.mark.parametrize("size", [2, 3, 6])
def test_reflecting_integers_is_reflecting_the_matrix(size):
    generator = np.random.default_rng(size)
    for sign in (-1, 1):
        square = generator.integers(-(10**6), 10**6, (size, size))
        integers = fmpz_mat((square + square.T).tolist())
        column = fmpz_mat(size, 1, [sign * 2**39, *generator.integers(-(2**40), 2**40, size - 1).tolist()])
        axis, _ = mirror(column)
        found = turned_within(ScaledIntegers(integers, fmpq(3, 7)), axis)
        turned = reflection(column) * fmpq_mat(integers) * reflection(column) * fmpq(3, 7)
        expected = [turned[i, j] for i in range(1, size) for j in range(1, size)]
        assert (fmpq_mat(found.integers) * found.unit).entries() == expected


def test_a_first_coordinate_of_zero_counts_as_positive():
    axis, sign = mirror(fmpz_mat([[0], [3]]))
    assert (axis.entries(), sign) == ([3, 3], 1)


def test_a_direction_is_a_column_of_all_coordinates():
    """Without a reflection it is a basis vector."""
    column = direction([], 3, 1)
    assert (column.nrows(), column.ncols()) == (3, 1)
    assert column.entries() == [0, 1, 0]


def test_coordinates_of_sixty_four_digits_are_not_rounded_to_floats():
    """No type of integers of numpy holds both a number beyond 2**63 and a negative one."""
    mechanism, data = SequentialPpca(100, direction_bits=64), [[0.9, -0.3]] * 50
    drawn = [mechanism.release(data, entropy=SeededEntropy(seed)).integers.ravel().tolist() for seed in range(8)]
    assert any(first > 2**63 > -second > 0 for first, second in drawn)
    assert all(integer % 1024 for integers in drawn for integer in integers)


@pytest.mark.parametrize("bits", [40, 64])
def test_a_frame_is_that_of_the_steps_in_rational_matrices(bits):
    """The same bits, with the exact basis carried along: every published integer is the same, beyond 2**63 as well."""
    data = np.random.default_rng(8).uniform(-0.3, 0.3, (12, 5))
    for rank in (1, 3, 4, 5):
        mechanism = SequentialPpca(20, rank=rank, direction_bits=bits)
        release, entropy = mechanism.release(data, entropy=SeededEntropy(rank)), SeededEntropy(rank)
        steps, exponent = mechanism.steps(5), mechanism.exponent([data], 5)
        frame = fmpq_mat(5, 5, [int(i == j) for i in range(5) for j in range(5)])
        for step in range(steps):
            basis = fmpq_mat(5, 5 - step, [frame[i, j] for i in range(5) for j in range(step, 5)])
            inner = basis.transpose() * exponent * basis * fmpq(1, steps)
            drawn = round_to_grid(BinghamSampler(inner).draw(entropy), mechanism.grid)
            turned = basis * reflection(fmpz_mat(5 - step, 1, drawn.tolist()))
            for i in range(5):
                for j in range(5 - step):
                    frame[i, step + j] = turned[i, j]
        per_unit = fmpq(mechanism.grid.denominator, mechanism.grid.numerator)
        expected = [[int((frame[i, j] * per_unit + fmpq(1, 2)).floor()) for j in range(rank)] for i in range(5)]
        assert release.integers.tolist() == expected
