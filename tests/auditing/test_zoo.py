"""The suite of faulty mechanisms is what it says: shapes, claims, parents, and true values computed by other means.

Simulations compare a mean of independent variables in [0, 1] with its expectation: by Hoeffding's inequality a
deviation of 0.012 among 100,000 of them has probability below 1e-12.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from attrs import evolve
from scipy.integrate import dblquad, quad

from audit.zoo import FLAGRANT, Flag, correct_specimens, faulty_specimens, specimen
from audit.zoo.sparse_vector import pattern_truth
from audit.zoo.sphere import one_record_truth
from audit.zoo.trial import Budget, density_loss, examine
from dpmatrix.errors import InvalidParameterError

CORRECT, FAULTY = correct_specimens(), faulty_specimens()
EVERY = (*CORRECT, *FAULTY)
DRAWS = 100_000
DEVIATION = 0.012


def by_name(found):
    return pytest.mark.parametrize("creature", found, ids=lambda creature: creature.name)


def excess(losses: np.ndarray, epsilon: float) -> float:
    """Estimate the hockey-stick divergence from losses under the likelier law; each term lies in [0, 1]."""
    return float(np.maximum(1 - np.exp(epsilon - losses), 0).mean())


def test_deviation_is_rare() -> None:
    assert 2 * math.exp(-2 * DRAWS * DEVIATION**2) < 1e-12


def test_numbers_of_entries() -> None:
    assert len(FAULTY) >= 40
    assert len(CORRECT) >= 20
    assert sum(creature.is_flagrant() for creature in FAULTY) >= 40


def test_names_are_unique_and_known() -> None:
    assert len({creature.name for creature in EVERY}) == len(EVERY)
    assert specimen("laplace-half").is_faulty
    with pytest.raises(InvalidParameterError):
        specimen("unicorn")


def test_every_kind_of_fault_occurs() -> None:
    assert set().union(*(creature.flags for creature in FAULTY)) == set(Flag)


@by_name(EVERY)
def test_runs_on_all_its_pairs(creature) -> None:
    generator = np.random.default_rng(3)
    shapes = set()
    for pair in creature.pairs():
        assert pair.adjacency is creature.adjacency
        assert {len(pair.data), len(pair.neighbour)} <= {creature.records, creature.records - 1}
        for data in (pair.data, pair.neighbour):
            assert data.shape[1] == creature.dimension
            batch = creature.audited_target()(data, 7, generator)
            assert len(batch) == 7
            assert np.all(np.isfinite(batch))
            shapes.add(batch.shape[1:])
    assert len(shapes) == 1


@by_name(FAULTY)
def test_mutations_keep_the_claim_of_their_parent(creature) -> None:
    parent = specimen(creature.parent)
    assert parent in CORRECT
    assert creature.flags
    assert creature.mutation
    for name in ("epsilon", "delta", "adjacency", "dimension", "records"):
        assert getattr(creature, name) == getattr(parent, name)


@by_name(CORRECT)
def test_correct_ones_are_no_worse_than_they_claim(creature) -> None:
    truth = creature.truth()
    assert not creature.is_faulty
    if truth is not None:
        assert truth.epsilon <= float(creature.epsilon) * (1 + 1e-12)
        assert truth.delta is None or truth.delta <= float(creature.delta)


@by_name(FAULTY)
def test_faulty_ones_are_worse_than_they_claim(creature) -> None:
    truth = creature.truth()
    if truth is None:
        assert creature.is_about_representation or creature.name == "gibbs-stopped-after-three"
    else:
        assert truth.epsilon >= FLAGRANT * float(creature.epsilon) * (1 - 1e-9)
        assert truth.delta is None or truth.delta > float(creature.delta)


# Laplace noise on entries: the loss is the weighted l1 change of a statistic, written here again.
def moment(data):
    return data.T @ data


def bins(data):
    return np.array([np.sum((np.argmax(np.abs(data), axis=1) == k) & np.any(data, axis=1)) for k in range(5)])


def positives(data):
    return (data > 0).sum(axis=0)


LAPLACE = {
    "laplace-half": moment,
    "laplace-half-10": moment,
    "laplace-short-by-a-fifth": moment,
    "laplace-wrong-adjacency": moment,
    "laplace-l2-sensitivity": moment,
    "laplace-l2-sensitivity-10": moment,
    "laplace-spectral-sensitivity": moment,
    "laplace-one-triangle-averaged": moment,
    "rows-unclipped": moment,
    "clipped-after-squaring": lambda data: moment(data) / max(1, np.linalg.norm(moment(data))),
    "clipped-entrywise": lambda data: moment(np.clip(data, -0.5, 0.5)),
    "n-from-the-data": lambda data: moment(data) / len(data),
    "laplace-moment-replace-one-3": moment,
    "laplace-moment-add-remove-one-10": moment,
    "laplace-mean-moment-3": lambda data: moment(data) / 4,
    "laplace-sum-5": lambda data: data.sum(axis=0),
    "histogram-inverted-scale": bins,
    "histogram-wrong-adjacency": bins,
    "prefix-sums-fresh-noise": lambda data: np.cumsum(bins(data)),
    "counts-largest-change": positives,
    "counts-laplace": positives,
}


@pytest.mark.parametrize("name", LAPLACE)
def test_laplace_entries(name: str) -> None:
    """The mean distance from the centre is the scale; of 40,000 draws 4 % is eight standard deviations."""
    creature, statistic = specimen(name), LAPLACE[name]
    first = creature.pairs()[0].data
    distances = np.abs(creature.target(first, 40_000, generator(5)) - statistic(first)).mean(axis=0)
    losses = [np.abs(statistic(pair.data) - statistic(pair.neighbour)) / distances for pair in creature.pairs()]
    totals = [np.triu(loss).sum() if loss.ndim == 2 else loss.sum() for loss in losses]
    assert max(totals) == pytest.approx(creature.truth().epsilon, rel=0.04)


@pytest.mark.parametrize(
    ("name", "mean"),
    [
        ("gaussian-moment-replace-one-3", math.sqrt(2)),
        ("gaussian-half", 2 * math.sqrt(2)),
        ("gaussian-short-by-a-fifth", 1.2 * math.sqrt(2)),
        ("gaussian-one-triangle-averaged", 2),
        ("noise-without-the-eigengap", 2 * math.sqrt(2)),
    ],
)
def test_gaussian_entries_by_simulated_losses(name: str, mean: float) -> None:
    creature = specimen(name)
    deviation = np.std(specimen("gaussian-moment-replace-one-3").target(np.zeros((1, 3)), DRAWS, generator(7))[:, 0, 0])
    shift = mean / float(deviation)
    losses = shift * generator(8).standard_normal(DRAWS) + shift**2 / 2
    truth = creature.truth()
    assert excess(losses, float(creature.epsilon)) == pytest.approx(truth.delta, abs=DEVIATION)
    assert excess(losses, truth.epsilon) == pytest.approx(float(creature.delta), abs=DEVIATION)


def generator(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


IMPOSSIBLE = {
    # The record present in P and absent in Q, an event that is impossible in the latter or the former.
    "wishart-printed": (True, lambda batch: schur(batch) < 1),
    "symmetrised-wishart-one-sided": (True, lambda batch: schur(batch) < 1),
    "laplace-off-diagonal-forgotten": (False, lambda batch: batch[:, 0, 1] != 0),
    "wishart-singular": (False, lambda batch: np.linalg.matrix_rank(batch, tol=1e-8) > 1),
    "histogram-one-sided": (True, lambda batch: batch[:, 0] < 1),
    "histogram-bins-that-occur": (False, lambda batch: batch[:, 0] != 0),
    "laplace-traceless": (False, lambda batch: np.trace(batch, axis1=1, axis2=2) > 0.5),
    "centred-noise": (False, lambda batch: batch.sum(axis=1) > 0.5),
    "fixed-seed": (False, lambda batch: batch.sum(axis=1) - SEEDED > 0.5),
}
SEEDED = float(np.random.default_rng(2016).laplace(scale=math.sqrt(5), size=5).sum())


def schur(batch: np.ndarray) -> np.ndarray:
    return 1 / np.linalg.inv(batch)[:, 0, 0]


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_impossible_outputs(name: str) -> None:
    """The event is as likely as the truth says on one side and never happens on the other."""
    creature = specimen(name)
    on_absent, happens = IMPOSSIBLE[name]
    record = np.zeros((1, creature.dimension))
    record[0, 0] = 1.0
    if name == "laplace-off-diagonal-forgotten":
        record[0, :2] = 0.6
    sides = [np.zeros_like(record), record] if on_absent else [record, np.zeros_like(record)]
    first, second = (happens(creature.target(data, DRAWS // 4, generator(9))).mean() for data in sides)
    # Twice as wide, for a quarter of the draws.
    expected = creature.truth().delta if name != "wishart-printed" else -math.expm1(-1 / 3)
    assert first == pytest.approx(expected, abs=2 * DEVIATION)
    assert second == 0


def all_patterns(threshold_scale: float, query_scale: float, cutoff: int, length: int = 6) -> float:
    """Enumerate all answers and all outputs, with the trapezoidal rule over the noisy threshold."""
    grid = np.linspace(-40 * threshold_scale, 40 * threshold_scale, 24_001)
    density = np.exp(-np.abs(grid) / threshold_scale)
    density /= density.sum()

    def below(answer: int) -> np.ndarray:
        point = 0.5 + grid - answer
        return np.where(point < 0, np.exp(point / query_scale) / 2, 1 - np.exp(-point / query_scale) / 2)

    chances = {(answer, 0): below(answer) for answer in (0, 1)}
    chances |= {(answer, 1): 1 - below(answer) for answer in (0, 1)}
    worst = 0.0
    outputs = set()
    for bits in itertools.product((0, 1), repeat=length):
        tops = np.cumsum(bits)
        end = int(np.argmax(tops >= cutoff)) + 1 if tops[-1] >= cutoff else length
        outputs.add(bits[:end])
    for output in outputs:
        logs = []
        for answers in itertools.product((0, 1), repeat=len(output)):
            product = density.copy()
            for answer, bit in zip(answers, output, strict=True):
                product = product * chances[answer, bit]
            logs.append(math.log(product.sum()))
        worst = max(worst, max(logs) - min(logs))
    return worst


@pytest.mark.parametrize(("scales", "cutoff"), [((2.0, 4.0), 1), ((2.0, 2.0), 3), ((4.0, 4 / 3), 2)])
def test_sparse_vector_by_enumeration(scales, cutoff: int) -> None:
    short = all_patterns(*scales, cutoff)
    assert pattern_truth(*scales, cutoff).epsilon == pytest.approx(short, rel=1e-4)


def test_noisy_max_by_quadrature() -> None:
    """One rises and the rest fall: the probability of the index by scipy's adaptive rule."""
    losing = {True: lambda x: 1 - np.exp(-x) / 2, False: lambda x: np.exp(x) / 2}

    def chance(own: int, others: int) -> float:
        def integrand(noise: float) -> float:
            point = noise + own - others
            return math.exp(-abs(noise)) / 2 * float(losing[point >= 0](point)) ** 4

        return quad(integrand, -30, 30, points=[-1, 0, 1], limit=200)[0]

    expected = math.log(chance(1, 0) / chance(0, 1))
    assert specimen("noisy-max-half").truth().epsilon == pytest.approx(expected, rel=1e-8)


def test_bingham_by_quadrature() -> None:
    def density(polar: float, azimuth: float) -> float:
        return math.exp(2 * math.cos(polar) ** 2) * math.sin(polar) / (4 * math.pi)

    mean = dblquad(density, 0, 2 * math.pi, 0, math.pi)[0]
    expected = max(2 - math.log(mean), math.log(mean))
    assert one_record_truth(2.0, 3).epsilon == pytest.approx(expected, rel=1e-8)


def test_early_stopped_chain_by_simulated_losses() -> None:
    creature = specimen("gibbs-stopped-early")
    batch = creature.target(np.eye(3)[:1], DRAWS, generator(11))
    own, other = (np.arccos(np.sqrt(np.clip(batch[:, k, k], 0, 1))) for k in (0, 2))
    losses = (np.cos(2 * own) - np.cos(2 * other)) / 4 + np.log(np.sin(other) / np.sin(own))
    assert excess(losses, 1.0) == pytest.approx(creature.truth().delta, abs=DEVIATION)


def test_hidden_specimen_is_hidden() -> None:
    """A flat record moves 55 entries; the delta at epsilon = 1 is an expectation of terms below 2e-4 but for 1e-12."""
    creature = specimen("laplace-half-10")
    assert creature.is_hidden
    assert not creature.is_demanded()
    shift = creature.truth().epsilon / 55
    noise = generator(13).laplace(size=(DRAWS, 55))
    losses = (np.abs(noise + shift) - np.abs(noise)).sum(axis=1)
    assert np.mean(losses > 1) < 1e-3


def test_density_ratios_certify_all_of_the_truth_and_no_correct_mechanism() -> None:
    """The loss of Laplace noise is attained where the noise is zero, on the worst pair of `neighbouring_pairs`."""
    known = [creature for creature in (*correct_specimens(), *faulty_specimens()) if creature.density is not None]
    assert {creature.is_faulty for creature in known} == {True, False}
    for creature in known:
        loss, truth = density_loss(creature), creature.truth()
        assert truth is not None
        assert 0.999999 * truth.epsilon < loss <= truth.epsilon * (1 + 1e-12)
        assert (loss > creature.epsilon) is creature.is_faulty


def test_a_trial_reports_the_density_beside_what_outputs_show() -> None:
    creature = specimen("laplace-half-10")
    small = Budget(training=200, confirmation=500, stages=1, learned=False, replay=False)
    found, blind = (examine(one, small, generator=1) for one in (creature, evolve(creature, density=None)))
    assert (found.refuted, blind.refuted) == (True, False)
    assert not found.violated
    assert found.epsilon == blind.epsilon
    assert found.density_epsilon > 1.999
    assert blind.density_epsilon == 0
