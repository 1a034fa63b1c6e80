"""Private subspace recovery: scales, offsets and variances recomputed from its proof, and its simulations."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError, NotPrivateError
from dpmatrix.mechanisms import PrintedSubspaceRecovery, PrivateSubspaceRecovery
from dpmatrix.mechanisms.analyze_gauss import slide_deviation, sufficient_deviation
from dpmatrix.mechanisms.certified_subspaces import rounded_subspace
from dpmatrix.mechanisms.printed_subspace_recovery import noisy_subspaces
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.guarantee import PrivacyGuarantee
from dpmatrix.privacy.least_noise import calibrate_discrete_gaussian
from dpmatrix.randomness.entropy import SeededEntropy
from tests.secret_bits import SecretSeed

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
WORD = "analyze-gauss.subspace-privacy"
DELTA = Fraction(1, 50)
KINDS = [PrivateSubspaceRecovery, PrintedSubspaceRecovery]


def built(kind: Any, epsilon: Any = 1, adjacency: Adjacency = REPLACED, **options: Any) -> Any:
    more = {"acknowledge": WORD} if kind is PrintedSubspaceRecovery else {}
    return kind(epsilon, adjacency, **{"rank": 1, "delta": DELTA, **more, **options})


def real(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_and_domains(kind: Any) -> None:
    found = built(kind)
    assert (found.coordinate_bits, found.rank, found.delta) == (20, 1, DELTA)
    for name, wrong in (
        ("rank", 0),
        ("rank", 1.5),
        ("delta", 0),
        ("delta", Fraction(1, 2)),
        ("delta", 1),
        ("delta", -DELTA),
        ("delta", "1"),
        ("coordinate_bits", -1),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            built(kind, **{name: wrong})
        assert caught.value.parameter == name
    assert built(kind, delta=Fraction(499, 1000)).delta == Fraction(499, 1000)
    assert built(kind, delta=Fraction(1, 10**9)).delta == Fraction(1, 10**9)
    for arguments in ((1,), (1, DELTA), (1, DELTA, 20)):
        with pytest.raises(TypeError, match="positional"):
            kind(1, REPLACED, *arguments)


def test_what_belongs_to_the_private_form_alone() -> None:
    found = built(PrivateSubspaceRecovery)
    assert (found.calibration, found.projector_bits) == ("tight", 24)
    with pytest.raises(InvalidParameterError, match=r"pass one of \('tight', 'printed'\)"):
        built(PrivateSubspaceRecovery, calibration="loose")
    with pytest.raises(InvalidParameterError):
        built(PrivateSubspaceRecovery, projector_bits=-1)
    for third in ("tight", 24):
        with pytest.raises(TypeError, match="positional"):
            PrivateSubspaceRecovery(1, REPLACED, third, rank=1, delta=DELTA)
    assert [citation.target for citation in Implementation.of(type(found)).citations] == [
        "analyze-gauss.algorithm-2+repair",
        "analyze-gauss.subspace-privacy+repair",
    ]
    for adjacency, factor in ((ADDED, 1), (REPLACED, 2)):
        found = built(PrivateSubspaceRecovery, Fraction(3, 7), adjacency)
        assert found.guarantee == PrivacyGuarantee(Fraction(6, 7), 2 * DELTA, adjacency)
        assert found.relation_factor == factor
        assert found.gap_scale == Fraction(7, 3) * 2 * (2**20 + 2)


def test_the_printed_form_says_which_claim_is_refuted() -> None:
    for wrong in (None, "", "analyze-gauss.algorithm-2"):
        with pytest.raises(NotPrivateError, match=f"not private: {WORD} is refuted.*pass acknowledge='{WORD}'"):
            PrintedSubspaceRecovery(1, rank=1, delta=DELTA, acknowledge=wrong)
    with pytest.raises(InvalidParameterError, match="epsilon"):
        PrintedSubspaceRecovery(0, rank=1, delta=DELTA)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1), DELTA), (Fraction(2, 3), Fraction(1, 10**6))])
def test_the_offset_is_that_of_the_slides(kind: Any, epsilon: Fraction, delta: Fraction) -> None:
    exact = 2 * (1 + mpmath.log(1 / real(delta)) / real(epsilon))
    assert float(built(kind, epsilon, delta=delta).offset()) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1), DELTA), (Fraction(9, 2), Fraction(1, 10**6))])
def test_the_bracket_is_what_the_noise_leaves_for_certain(
    adjacency: Adjacency, epsilon: Fraction, delta: Fraction
) -> None:
    mechanism = built(PrivateSubspaceRecovery, epsilon, adjacency, delta=delta)
    with mpmath.workdps(80):
        largest = int(mpmath.ceil(2 * (2**20 + 2) / real(epsilon) * mpmath.log(1 / real(delta))))
    for noisy in (-5, 0, 10**8, 10**8 + 1):
        assert mechanism.bracket(noisy) == Fraction(noisy - largest - 1, 2**20) - 2


def square_of(mechanism: Any, bracket: Fraction, dimension: int) -> int:
    """Bound the squares of the integers by which a projector changes, in sum: the proof's words."""
    with mpmath.workdps(80):
        sine = mechanism.relation_factor / (2 + real(bracket))
        moved = mpmath.sqrt(2) * mpmath.sin(mpmath.asin(sine) / 2)
        return int(mpmath.floor((moved * 2**mechanism.projector_bits + 2 * dimension) ** 2))


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize(("bracket", "dimension", "bits"), [(Fraction(1, 2), 2, 3), (Fraction(40), 3, 24)])
def test_tight_noise_hides_how_far_the_projector_can_move(
    adjacency: Adjacency, bracket: Fraction, dimension: int, bits: int
) -> None:
    mechanism = built(PrivateSubspaceRecovery, Fraction(3, 2), adjacency, projector_bits=bits)
    promise = PrivacyGuarantee(Fraction(3, 2), Fraction(3, 2) * DELTA, adjacency)
    coordinates = dimension * (dimension + 1) // 2
    expected = calibrate_discrete_gaussian(square_of(mechanism, bracket, dimension), promise, coordinates)
    assert mechanism.noise_variance(bracket, dimension) == expected


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(30)])
@pytest.mark.parametrize("bracket", [Fraction(1, 3), Fraction(50)])
def test_printed_noise_has_the_deviation_of_the_slides_over_the_bracket(
    adjacency: Adjacency, epsilon: Fraction, bracket: Fraction
) -> None:
    mechanism = built(PrivateSubspaceRecovery, epsilon, adjacency, calibration="printed", projector_bits=24)
    with mpmath.workdps(80):
        root = mpmath.sqrt(2 * mpmath.log(1 / real(DELTA)))
        enough = (root + mpmath.sqrt(root**2 + 2 * real(epsilon))) / (2 * real(epsilon))
        deviation = mpmath.sqrt(mechanism.relation_factor) * max((1 + root) / real(epsilon), enough)
        expected = int(mpmath.ceil((deviation / real(bracket) * 2**24) ** 2))
    assert float(mechanism.scaled_deviation()) == pytest.approx(float(deviation), rel=1e-12)
    assert mechanism.noise_variance(bracket, 2) == expected


@pytest.mark.parametrize("calibration", ["tight", "printed"])
def test_nothing_is_released_without_room_or_where_no_proof_covers_it(calibration: str) -> None:
    mechanism = built(PrivateSubspaceRecovery, calibration=calibration, projector_bits=3)
    for bracket in (Fraction(0), Fraction(-1)):
        assert mechanism.noise_variance(bracket, 2) is None
    assert mechanism.noise_variance(Fraction(1, 2**20), 2) is not None
    # The noise falls with the bracket, and the rounding does not.
    assert (mechanism.noise_variance(Fraction(10**6), 2) is None) is (calibration == "printed")


@pytest.mark.parametrize("kind", KINDS)
def test_a_rank_leaves_a_gap(kind: Any) -> None:
    for rank in (2, 3):
        mechanism = built(kind, rank=rank)
        with pytest.raises(InvalidParameterError, match=f"{rank} leaves no gap; pass a rank below 2") as caught:
            mechanism.simulate(np.eye(2), 1, np.random.default_rng(0))
        assert caught.value.parameter == "rank"
    assert built(kind, rank=2).simulate(np.eye(3), 1, np.random.default_rng(0)).shape == (1, 3, 3)


def symmetric_normals(size: int, dimension: int, generator: np.random.Generator) -> np.ndarray:
    """Fill upper triangles row by row, and copy them."""
    noise = np.zeros((size, dimension, dimension))
    drawn = generator.normal(size=(size, dimension * (dimension + 1) // 2))
    for number in range(size):
        values = iter(drawn[number].tolist())
        for i in range(dimension):
            for j in range(i, dimension):
                noise[number, i, j] = noise[number, j, i] = next(values)
    return noise


def projector_onto(matrix: np.ndarray, rank: int) -> np.ndarray:
    values, vectors = np.linalg.eigh(matrix)
    top = vectors[:, np.argsort(values)[::-1][:rank]]
    return top @ top.T


@pytest.mark.parametrize("rank", [1, 2])
def test_noise_of_each_deviation_is_added_and_the_top_is_taken(rank: int) -> None:
    projector = projector_onto(np.diag([3.0, 2.0, 1.0]), rank)
    deviation = np.array([0.0, 0.1, 10.0])
    found = noisy_subspaces(projector, rank, deviation, np.random.default_rng(3))
    noise = symmetric_normals(3, 3, np.random.default_rng(3))
    for number in range(3):
        expected = projector_onto(projector + deviation[number] * noise[number], rank)
        assert np.allclose(found[number], expected, atol=1e-9)


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
@pytest.mark.parametrize("kind", KINDS)
def test_simulations_follow_the_lines(kind: Any, adjacency: Adjacency) -> None:
    """The noisy gap first, then its noise; the private form gives nothing where the offset is not exceeded."""
    epsilon, bound, size, rank = Fraction(3, 2), Fraction(2), 200, 2
    data = np.random.default_rng(1).normal(size=(90, 5)) * [1.0, 0.8, 0.2, 0.15, 0.1]
    lengths = np.linalg.norm(data, axis=1)[:, None]
    data /= np.maximum(1, lengths / 1.999)
    mechanism = built(kind, epsilon, adjacency, rank=rank, norm_bound=bound)
    moment = data.T @ data / 4
    values = np.linalg.eigvalsh(moment)
    gap = values[3] - values[2]
    projector = projector_onto(moment, rank)
    own, other = mechanism.float_spectrum(data)
    assert own == pytest.approx(gap)
    assert np.allclose(other, projector)
    generator = np.random.default_rng(9)
    room = gap + generator.laplace(scale=2 / 1.5, size=size) - float(mechanism.offset())
    noise = symmetric_normals(size, 5, generator)
    found = mechanism.simulate(data, size, np.random.default_rng(9))
    assert found.shape == (size, 5, 5)
    withheld = kind is PrivateSubspaceRecovery
    assert 0.2 < np.mean(room > 0) < 0.9
    assert ((room > 0) & (room < 1)).any()
    printed = float(slide_deviation(epsilon, DELTA))
    scale = math.sqrt(mechanism.relation_factor) * float(sufficient_deviation(epsilon, DELTA)) if withheld else printed
    for number in range(size):
        if withheld and room[number] <= 0:
            assert not found[number].any()
            continue
        expected = projector_onto(projector + scale / abs(room[number]) * noise[number], rank)
        assert np.allclose(found[number], expected, atol=1e-6)


@pytest.mark.parametrize("adjacency", [ADDED, REPLACED])
def test_a_release_is_the_rounded_gap_and_projector_and_their_noise(monkeypatch, adjacency: Adjacency) -> None:
    data = np.diag([1.5, 0.5, 0.25]).repeat(60, axis=0)
    mechanism = built(PrivateSubspaceRecovery, 3, adjacency, rank=1, norm_bound=2, coordinate_bits=6, projector_bits=8)
    asked: list[Any] = []

    def laplace(scale: Fraction, count: int, source: object) -> list[int]:
        asked.append((scale, count, source))
        return [-12345]

    def gaussian(variance: Fraction, count: int, source: object) -> list[int]:
        asked.append((variance, count, source))
        return [1, -20, 300, 4000, 50000, 2**63 + 1]

    seen: list[Any] = []

    def rounded(moment: Any, rank: int, gap_bits: int, projector_bits: int) -> Any:
        seen.append((moment, rank, gap_bits, projector_bits))
        return rounded_subspace(moment, rank, gap_bits, projector_bits)

    module = "dpmatrix.mechanisms.subspace_recovery"
    monkeypatch.setattr(f"{module}.discrete_laplace_noise", laplace)
    monkeypatch.setattr(f"{module}.discrete_gaussian_noise", gaussian)
    monkeypatch.setattr(f"{module}.rounded_subspace", rounded)
    for source in (SecretSeed(1), SeededEntropy(1)):
        asked.clear()
        found = mechanism.release(data, entropy=source)
        gap = round((60 * 1.5**2 - 60 * 0.5**2) / 4 * 2**20)
        assert found.gap == Fraction(gap - 12345, 2**20)
        variance = mechanism.noise_variance(mechanism.bracket(gap - 12345), 3)
        assert asked == [(mechanism.gap_scale, 1, source), (variance, 6, source)]
        assert found.projector.integers.tolist() == [
            [256 + 1, -20, 300],
            [-20, 4000, 50000],
            [300, 50000, 2**63 + 1],
        ]
        assert found.projector.grid == Fraction(1, 2**8)
        promise = mechanism.guarantee if source.private else None
        assert (found.guarantee, found.projector.guarantee) == (promise, promise)
        assert found.projector.mechanism == "private subspace recovery"
        assert found.projector.adjacency is adjacency
    moment, *others = seen[0]
    assert others == [1, 20, 8]
    exact = np.diag([60 * 1.5**2, 60 * 0.5**2, 60 * 0.25**2]) / 4
    assert [[float(entry) for entry in row] for row in moment.tolist()] == exact.tolist()


def test_the_moment_is_exact_whatever_the_bound(monkeypatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(
        "dpmatrix.mechanisms.subspace_recovery.rounded_subspace",
        lambda moment, *others: seen.append(moment) or rounded_subspace(moment, *others),
    )
    mechanism = built(PrivateSubspaceRecovery, norm_bound=Fraction(5, 3), coordinate_bits=3)
    mechanism.release([[1.5, 0.25], [0.0, 1.0]])
    ((first, second), (_, last)) = seen[0].tolist()
    scale = Fraction(9, 25)
    found = [Fraction(int(entry.p), int(entry.q)) for entry in (first, second, last)]
    # The bound is not on the grid, so records on it are not truncated.
    assert found == [scale * Fraction(9, 4), scale * Fraction(3, 8), scale * Fraction(17, 16)]


def test_the_noise_is_asked_for_as_many_entries_as_a_triangle_has(monkeypatch) -> None:
    asked: list[Any] = []
    module = "dpmatrix.mechanisms.subspace_recovery"
    monkeypatch.setattr(f"{module}.calibrate_discrete_gaussian", lambda *given: asked.append(given))
    monkeypatch.setattr(f"{module}.DiscreteGaussianProfile", lambda *given: asked.append(given))
    monkeypatch.setattr(f"{module}.meets", lambda _profile, promise: asked.append(promise) or True)
    promise = PrivacyGuarantee(1, Fraction(3, 2) * DELTA, REPLACED)
    for calibration in ("tight", "printed"):
        mechanism = built(PrivateSubspaceRecovery, calibration=calibration)
        for dimension, entries in ((2, 3), (3, 6), (5, 15)):
            asked.clear()
            variance = mechanism.noise_variance(Fraction(2), dimension)
            square = square_of(mechanism, Fraction(2), dimension)
            if calibration == "tight":
                assert asked == [(square, promise, entries)]
            else:
                assert asked == [(square, variance, entries), promise]


def test_a_release_without_a_source_takes_the_bits_of_the_operating_system() -> None:
    mechanism = built(PrivateSubspaceRecovery, rank=2)
    found = mechanism.release(np.eye(3))
    assert found.guarantee == mechanism.guarantee
    for rank in (2, 3):
        with pytest.raises(InvalidParameterError, match=f"^rank: {rank} leaves no gap; pass a rank below 2$"):
            built(PrivateSubspaceRecovery, rank=rank).release(np.eye(2))


def test_a_gap_that_is_too_small_is_published_alone() -> None:
    mechanism = built(PrivateSubspaceRecovery, 1, ADDED)
    found = mechanism.release(np.zeros((0, 2)), entropy=SeededEntropy(1))
    assert found.projector is None
    assert found.gap.denominator <= 2**20
    other = mechanism.release(np.zeros((0, 2)), entropy=SeededEntropy(2))
    assert other.gap != found.gap
    assert mechanism.release(np.zeros((0, 2)), entropy=SeededEntropy(1)) == found
    with pytest.raises(TypeError, match="positional"):
        type(found)(found.gap, None, None)
