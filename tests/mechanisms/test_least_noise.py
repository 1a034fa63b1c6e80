"""Coupled traces and K-norm noise: scales, correct rounding, losses, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.integrate import quad

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.mechanisms import CoupledTracesMechanism, KNormMechanism, Mechanism, SymmetrisedWishartMechanism, k_norm
from dpmatrix.mechanisms.k_norm import MOST_COLUMNS, signed_traces
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.randomness.dominance import sum_dominates
from dpmatrix.randomness.entropy import SeededEntropy, SystemEntropy
from dpmatrix.randomness.lazy_matrices import LazyWishart
from dpmatrix.randomness.lazy_traces import CoupledTraces
from dpmatrix.spec import load

REPLACE, ADD = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
PREFIXES = {CoupledTracesMechanism: "beyond.coupled-traces-", KNormMechanism: "beyond.k-norm-"}
KINDS = (CoupledTracesMechanism, KNormMechanism)
every_kind = pytest.mark.parametrize("kind", KINDS)
both_relations = pytest.mark.parametrize("adjacency", [REPLACE, ADD])


@every_kind
@both_relations
def test_the_scale_is_the_squared_bound_over_n_epsilon(kind: Any, adjacency: Adjacency) -> None:
    for dimension in (1, 2, 8):
        assert kind(2, adjacency).noise_scale(dimension, 5) == Fraction(1, 10)
        assert kind(2, adjacency, norm_bound=Fraction(3)).noise_scale(dimension, 5) == Fraction(9, 10)
        error = kind(2, adjacency, norm_bound=Fraction(3)).mean_squared_error(dimension, 5)
        assert error == kind(2, adjacency).moments(dimension).frobenius * Fraction(81, 100)


@every_kind
@both_relations
def test_a_release_carries_the_guarantee_and_its_mechanism_cites_every_claim_about_it(
    kind: Any, adjacency: Adjacency
) -> None:
    mechanism = kind(Fraction(1, 2), adjacency)
    release = mechanism.release([[0.5, 0.5]])
    assert release.guarantee == mechanism.guarantee
    assert (release.guarantee.epsilon, release.guarantee.delta) == (Fraction(1, 2), 0)
    assert release.mechanism == mechanism.name
    assert isinstance(mechanism, Mechanism)
    cited = {citation.claim for citation in Implementation.of(type(mechanism)).citations}
    assert cited == {claim.id for claim in load() if claim.id.startswith(PREFIXES[kind])}


def drawn(kind: Any, adjacency: Adjacency, entropy: SeededEntropy) -> tuple[Any, Any]:
    """Draw the pair of a release from its bits, by the definition."""
    if kind is CoupledTracesMechanism:
        return CoupledTraces(2, entropy).parts()
    while True:
        if adjacency is REPLACE:
            first, second = CoupledTraces(2, entropy).parts()
        else:
            first, second = (LazyWishart(2, 3, Fraction(1, 2), entropy) for _ in range(2))
        if sum_dominates(first, second):
            return first, second


@every_kind
@both_relations
def test_a_release_is_the_correct_rounding_of_the_ideal_output(kind: Any, adjacency: Adjacency) -> None:
    mechanism = kind(Fraction(1, 3), adjacency, divisor=3)
    data = np.array([[0.5, -0.25], [0.25, 0.125], [0.5, 0.5]])
    moment = fmpq_mat((data.T @ data * 64).astype(int).tolist()) / 192
    scale = mechanism.noise_scale(2, 3)
    for seed in range(6):
        release = mechanism.release(data, entropy=SeededEntropy(seed))
        parts = drawn(kind, adjacency, SeededEntropy(seed))
        # further digits, whatever they are, must not change the rounding
        for part in parts:
            part.refine(1500, range(4))
        with precision(1600):
            noise = [a - b for a, b in zip(*(part.enclose(range(4)) for part in parts), strict=True)]
            unit = arb(fmpq(scale.numerator, scale.denominator))
            ideal = [arb(fixed) + unit * value for fixed, value in zip(moment.entries(), noise, strict=True)]
            per_unit = arb(fmpq(release.grid.denominator, release.grid.numerator))
            expected = [int((entry * per_unit + arb((1, -1))).floor().unique_fmpz()) for entry in ideal]
        assert release.integers.ravel().tolist() == expected


@every_kind
def test_blocks_publish_the_same(kind: Any) -> None:
    data = np.random.default_rng(4).uniform(-0.4, 0.4, (20, 3))
    mechanism = kind(2)
    expected = mechanism.release(data, entropy=SeededEntropy(3))
    for cuts in ([], [7], [1, 1, 19]):
        assert mechanism.release_blocks(np.split(data, cuts), 3, entropy=SeededEntropy(3)) == expected
        parts = [mechanism.partial_gram([part], 3) for part in np.split(data, cuts)]
        assert mechanism.release_blocks(parts, 3, entropy=SeededEntropy(3)) == expected
    with pytest.raises(InvalidParameterError, match=r"^block: it has shape"):
        mechanism.partial_gram([data], 2)


@every_kind
def test_no_records_are_a_data_set_only_where_their_number_is_secret(kind: Any) -> None:
    assert kind(1, ADD).release(np.zeros((0, 2))).private
    with pytest.raises(InvalidParameterError, match=r"^data: "):
        kind(1, REPLACE).release(np.zeros((0, 2)))


@pytest.mark.parametrize("kind", [*KINDS, SymmetrisedWishartMechanism])
@both_relations
def test_simulated_outputs_are_the_second_moment_plus_scaled_noise(kind: Any, adjacency: Adjacency) -> None:
    mechanism, data = kind(2, adjacency, divisor=3), np.array([[0.5, -0.25], [0.25, 0.125], [0.5, 0.5]])
    outputs = mechanism.simulate(data, 5, np.random.default_rng(1))
    noise = mechanism.float_noise(5, 2, np.random.default_rng(1)) * float(mechanism.noise_scale(2, 3))
    assert outputs == pytest.approx(noise + data.T @ data / 3, abs=1e-12)


@every_kind
@both_relations
def test_a_release_draws_from_the_system_unless_told_otherwise(kind: Any, adjacency: Adjacency) -> None:
    mechanism = kind(1, adjacency)
    first, second = (mechanism.release(np.eye(3)) for _ in range(2))
    assert first != second
    assert first.entropy == SystemEntropy().description != SeededEntropy(1).description


def test_more_columns_than_can_be_drawn_are_refused_before_anything_is_read() -> None:
    def unread() -> Any:
        raise AssertionError("a block was read")
        yield

    wide = MOST_COLUMNS + 1
    for adjacency, instead in ((REPLACE, "CoupledTracesMechanism"), (ADD, "SymmetrisedWishartMechanism")):
        mechanism = KNormMechanism(1, adjacency)
        refusal = rf"^dimension: 9 is above 8.*choose {instead}$"
        for ask in (
            lambda mechanism=mechanism: mechanism.release_blocks(unread(), wide),
            lambda mechanism=mechanism: mechanism.partial_gram(unread(), wide),
            lambda mechanism=mechanism: mechanism.release(np.zeros((2, wide))),
            lambda mechanism=mechanism: mechanism.moments(wide),
            lambda mechanism=mechanism: mechanism.noise_sampler(wide),
            lambda mechanism=mechanism: mechanism.simulate(np.zeros((2, wide)), 1, np.random.default_rng(1)),
        ):
            with pytest.raises(InvalidParameterError, match=refusal):
                ask()
    CoupledTracesMechanism(1).release(np.zeros((2, MOST_COLUMNS + 1)))


def record(generator: np.random.Generator, dimension: int) -> np.ndarray:
    vector = generator.standard_normal(dimension)
    return np.asarray(vector / np.linalg.norm(vector) * generator.uniform() ** 0.1 * (1 - 1e-12))


@every_kind
@both_relations
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(5)])
def test_no_loss_exceeds_epsilon(kind: Any, adjacency: Adjacency, epsilon: Fraction) -> None:
    """At random outputs and pairs: K-norm in three dimensions, coupled traces in two, where the density is known."""
    mechanism, dimension = kind(epsilon, adjacency, divisor=2), 3 if kind is KNormMechanism else 2
    generator, scale = np.random.default_rng(6), float(mechanism.noise_scale(2, 2))
    for _ in range(60):
        common, first, other = (record(generator, dimension) for _ in range(3))
        neighbour = [common, other] if adjacency is REPLACE else [common]
        square = generator.standard_normal((dimension, dimension)) * scale * generator.choice([0.3, 1, 5])
        loss = mechanism.log_density_ratio([common, first], neighbour, square + square.T)
        assert abs(loss) <= arb(fmpq(epsilon.numerator, epsilon.denominator))


@every_kind
@pytest.mark.parametrize("factor", [Fraction(1), Fraction(21, 20)])
def test_the_loss_reaches_epsilon_so_that_less_noise_breaks_it(kind: Any, factor: Fraction) -> None:
    """One record against zero, far above: epsilon itself, for both relations. The control has noise for 1.05 of it."""
    for adjacency, neighbour in ((REPLACE, [[0.0, 0.0]]), (ADD, np.zeros((0, 2)))):
        loss = kind(factor, adjacency, divisor=1).log_density_ratio([[1.0, 0.0]], neighbour, 9 * np.eye(2))
        assert loss.overlaps(arb(fmpq(factor.numerator, factor.denominator)))
        assert (loss > 1) is (factor > 1)


def test_coupled_traces_have_the_density_of_their_difference() -> None:
    """For d = 2 and a diagonal N the integral over Q of exp(-max(tr(N + Q), tr Q)), Q >= 0, Q >= -N, is known.

    With tr Q = t the semidefinite Q fill a disc; those with N + Q >= 0 another, and both are cut by quadrature in t.
    """
    mechanism = CoupledTracesMechanism(1, divisor=1)

    def lens(first: float, second: float, distance: float) -> float:
        if min(first, second) <= 0 or distance >= first + second:
            return 0.0
        if distance <= abs(first - second):
            return float(np.pi * min(first, second) ** 2)
        a = (distance**2 + first**2 - second**2) / (2 * distance * first)
        b = (distance**2 + second**2 - first**2) / (2 * distance * second)
        area = first**2 * np.arccos(a) + second**2 * np.arccos(b)
        product = (first + second - distance) * (distance + first - second)
        return float(area - 0.5 * np.sqrt(product * (distance - first + second) * (distance + first + second)))

    def density(x: float, y: float) -> float:
        # Q = [[u + p, q], [q, u - p]] with |(p, q)| <= u; N + Q has u + (x + y)/2 and p + (x - y)/2 in their places
        height, shift = (x + y) / 2, abs(x - y) / 2

        def slice_at(u: float) -> float:
            return lens(u, u + height, shift) * np.exp(-2 * max(u, u + height))

        kink = max(0.0, -height, (shift - height) / 2)
        return sum(quad(slice_at, *ends, epsabs=1e-12, limit=200)[0] for ends in ((0, kink), (kink, kink + 25)))

    reference = [[0.0, 0.0], [0.0, 0.0]]
    for x, y in ((1.0, -2.0), (3.0, -0.5), (2.0, 1.0)):
        loss = mechanism.log_density_ratio([[0.0, 0.0]], [[0.5, 0.0]], [[x, 0.0], [0.0, y]])
        expected = np.log(density(x, y)) - np.log(density(x - 0.25, y))
        assert float(loss) == pytest.approx(expected, abs=1e-5)
        assert mechanism.log_density_ratio(reference, reference, [[x, 0.0], [0.0, y]]).overlaps(arb(0))


def test_signed_traces_are_those_of_the_eigenvalues() -> None:
    matrix = fmpq_mat([[1, 2, 0], [2, -3, 1], [0, 1, 1]])
    values = np.linalg.eigvalsh(np.array(matrix.tolist(), dtype=float))
    above, below = signed_traces(matrix)
    assert float(above) == pytest.approx(values[values > 0].sum())
    assert float(below) == pytest.approx(-values[values < 0].sum())
    assert [float(part) for part in signed_traces(fmpq_mat([[2, 0], [0, 2]]))] == [4, 0], "a double eigenvalue"


def test_one_column_has_laplace_noise() -> None:
    """For d = 1 all three have one density, of scale 1 over n epsilon."""
    for output in (-1.0, 0.1, 0.3, 0.7, 4.0):
        losses = [
            kind(1).log_density_ratio([[0.5], [1.0]], [[0.5], [0.0]], [[output]])
            for kind in (*KINDS, SymmetrisedWishartMechanism)
        ]
        assert all(abs(loss - losses[0]) < arb((1, -40)) for loss in losses)


def test_a_double_negative_eigenvalue_counts_twice_and_which_norm_is_asked_depends_on_the_relation() -> None:
    matrix = fmpq_mat([[4, 0, 0], [0, -3, 0], [0, 0, -3]])
    assert [float(part) for part in signed_traces(matrix)] == [4, 6]
    assert float(KNormMechanism(1, REPLACE).norm(matrix)) == 6
    assert float(KNormMechanism(1, REPLACE).norm(-matrix)) == 6
    assert float(KNormMechanism(1, ADD).norm(matrix)) == 10
    assert float(KNormMechanism(1, ADD).norm(-matrix)) == 10


@both_relations
def test_pairs_are_drawn_one_after_the_other_until_one_is_accepted(
    adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three are refused, by decree; the fourth is the noise, and none is drawn after it."""
    asked: list[Any] = []

    def decree(first: Any, second: Any) -> bool:
        asked.append((first, second))
        return len(asked) == 4

    monkeypatch.setattr(k_norm, "sum_dominates", decree)
    entropy, same = SeededEntropy(7), SeededEntropy(7)
    noise = KNormMechanism(1, adjacency).noise_sampler(2)(entropy)
    assert (noise.added, noise.subtracted) == (asked[3][:1], asked[3][1:])
    for pair in asked:
        expected: tuple[Any, ...]
        if adjacency is REPLACE:
            expected = CoupledTraces(2, same).parts()
        else:
            expected = tuple(LazyWishart(2, 3, Fraction(1, 2), same) for _ in range(2))
        for found, wanted in zip(pair, expected, strict=True):
            assert np.array_equal(found.approximate().center, wanted.approximate().center)
    assert entropy.bits(64) == same.bits(64)


@both_relations
def test_simulated_pairs_are_kept_if_what_remains_is_semidefinite_up_to_rounding(
    adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P = diag(1, 3) and Q = diag(-x, 3) leave diag(-2x, 6): a billionth below zero is taken for zero."""
    tops = ((1.0,) * 5, (0.5, 0.0, -0.4e-9, -0.6e-9, -0.5))
    parts = [np.array([np.diag([top, 3.0]) for top in each]) for each in tops]
    given: list[tuple[int, int]] = []

    def pairs(size: int, dimension: int) -> tuple[np.ndarray, np.ndarray]:
        given.append((size, dimension))
        assert len(given) <= 2, "two blocks hold enough"
        assert dimension == 2 < size
        return parts[0], parts[1]

    def coupled(size: int, dimension: int, _: object) -> tuple[np.ndarray, np.ndarray]:
        return pairs(size, dimension)

    halves: list[np.ndarray] = []

    def wishart(size: int, dimension: int, scale: Fraction, _: object) -> np.ndarray:
        assert scale == Fraction(1, 2)
        if not halves:
            halves.extend(pairs(size, dimension))
        return halves.pop(0)

    monkeypatch.setattr(k_norm, "simulate_coupled_traces", coupled)
    monkeypatch.setattr(k_norm, "simulate_wishart", wishart)
    noise = KNormMechanism(1, adjacency).float_noise(5, 2, np.random.default_rng(1))
    expected = [parts[0][place] - parts[1][place] for place in (0, 1, 2, 0, 1)]
    assert np.array_equal(noise, expected)
