"""The confirmation in stages: its budget adds up, it stops early, it bounds the whole curve, and alarms stay rare."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from dpmatrix.auditing import AuditPlan, AuditResult, NeighbouringPair, Target, audit, neighbouring_pairs
from dpmatrix.auditing.certify.stages import stages
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Adjacency, GaussianProfile

PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))
TRUTH = math.log(3)


def randomised_response(keep: float) -> Target:
    """Tell the only bit with probability ``keep``, else its opposite: epsilon = log(keep / (1 - keep))."""

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.where(generator.random(size) < keep, data[0, 0], 1.0 - data[0, 0])

    return target


def discrete_laplace(rate: float) -> Target:
    """Add the difference of two geometric variables to the bit: epsilon = rate."""

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        draws = generator.geometric(-math.expm1(-rate), (2, size))
        return data[0, 0] + draws[0] - draws[1]

    return target


@pytest.mark.parametrize("number", [1, 2, 7, 40])
@pytest.mark.parametrize("samples", [1, 3, 1000])
def test_the_shares_of_the_stages_add_up(number: int, samples: int) -> None:
    plan = stages(samples, number, Fraction(1, 1000))
    assert sum(stage.failure_probability for stage in plan) == Fraction(1, 1000)
    assert plan[-1].size == samples
    assert all(first.size < second.size for first, second in itertools.pairwise(plan))
    assert len(plan) <= number
    assert len(plan) == 1 or plan[-1].failure_probability == Fraction(1, 2000)


@pytest.mark.parametrize("likely", [1, 7, 130, 300, 999, 1000, 5000])
@pytest.mark.parametrize("number", [1, 2, 4, 11])
def test_the_stage_that_is_likely_to_be_the_last_has_the_largest_share(number: int, likely: int) -> None:
    plan = stages(1000, number, Fraction(1, 1000), likely)
    assert sum(stage.failure_probability for stage in plan) == Fraction(1, 1000)
    assert plan[-1].size == 1000
    assert all(first.size < second.size for first, second in itertools.pairwise(plan))
    assert plan[0].size >= 1000 / 2 ** (number - 1)
    largest = max(stage.failure_probability for stage in plan)
    assert largest >= Fraction(1, 3000)
    if 1000 / 2 ** (number - 1) <= likely <= 1000:
        assert next(stage for stage in plan if stage.size == likely).failure_probability == largest


def small(target: Target, epsilon: object, seed: int, **options: object) -> AuditResult:
    plan = AuditPlan(stages=3, replay=False, tightness=0.0, **options)
    return audit(
        target,
        [PAIR],
        epsilon=epsilon,
        training=60,
        confirmation=400,
        failure_probability=0.05,
        generator=seed,
        plan=plan,
    )


@pytest.mark.parametrize(
    ("private", "broken", "epsilon"),
    [
        (randomised_response(0.75), randomised_response(0.87), Fraction(TRUTH) + Fraction(1, 10**15)),
        (discrete_laplace(1.0), discrete_laplace(1.9), 1),
    ],
    ids=["randomised response", "discrete laplace"],
)
def test_false_alarms_stay_within_the_stated_probability(private: Target, broken: Target, epsilon: object) -> None:
    """Of 1000 audits at failure probability 0.05 more than 97 raise an alarm with probability below 1e-9.

    The event attains epsilon exactly. The control is just far enough above it to be seen with 400 samples: the bound
    on its alarms would be passed by an auditor that is right about one audit in ten.
    """
    assert binom.sf(97, 1000, 0.05) < 1e-9
    alarms = sum(small(private, epsilon, seed).violated for seed in range(1000))
    assert alarms <= 97
    control = sum(small(broken, epsilon, seed).violated for seed in range(1000))
    assert control > 97


def test_a_certain_violation_stops_the_sampling() -> None:
    quick = small(randomised_response(0.99), 1, 0)
    assert quick.violated
    assert quick.counts.trials == 100
    assert quick.complete
    assert len(quick.looks) == 1
    patient = small(randomised_response(0.75), 1.2, 0)
    assert not patient.violated
    assert patient.counts.trials == 400
    assert [look.counts.trials for look in patient.looks] == [100, 200, 400]


def test_tightness_asks_for_a_bound_near_the_truth() -> None:
    """At 0.9 of its estimate, which is within a percent of log 99 = 4.595 with these samples but for 1e-9."""
    plan = AuditPlan(stages=12, tightness=0.9)
    result = audit(
        randomised_response(0.99), [PAIR], epsilon=1, training=500, confirmation=400_000, generator=1, plan=plan
    )
    assert 0.85 * math.log(99) < result.epsilon_lower_bound < math.log(99)
    assert result.counts.trials < 400_000


def test_the_bound_is_that_of_the_event_with_the_largest_ratio_beyond_delta() -> None:
    """A shift by one deviation at delta = 1/100: epsilon is 2.32, of which the event that refutes best shows 1.4."""

    def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return data[0, 0] + generator.normal(size=size)

    result = audit(target, [PAIR], epsilon=1, delta=0.01, training=5000, confirmation=200_000, generator=1)
    truth = next(epsilon for epsilon in np.arange(1, 9, 1e-3) if GaussianProfile(1, 1).delta(float(epsilon)) < 0.01)
    assert truth == pytest.approx(2.32, abs=0.01)
    assert 0.8 * truth < result.epsilon_lower_bound < truth
    assert result.delta_lower_bound_at_epsilon > 0.8 * float(GaussianProfile(1, 1).delta(1))


def test_an_event_that_is_impossible_on_one_side_needs_no_further_samples() -> None:
    """No bound comes near an infinite estimate; five above the claim is enough, here with a quarter of the samples."""

    def without_noise(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
        return np.full(size, data[0, 0])

    plan = AuditPlan(stages=12, tightness=0.9)
    result = audit(without_noise, [PAIR], epsilon=1, training=100, confirmation=2**16, generator=1, plan=plan)
    assert result.epsilon_lower_bound > 6
    assert result.counts.trials == 2**14


def test_one_confirmation_bounds_the_whole_curve() -> None:
    """The profile of randomised response is (p - exp(epsilon) (1 - p)), which the bounds approach from below."""
    plan = AuditPlan(curve=(0.25, Fraction(1, 2), 2))
    result = audit(
        randomised_response(0.75), [PAIR], epsilon=1, training=500, confirmation=40_000, generator=1, plan=plan
    )
    assert [float(point.epsilon) for point in result.curve] == [0.25, 0.5, 1.0, 2.0]
    for point in result.curve:
        truth = max(0.0, 0.75 - 0.25 * math.exp(float(point.epsilon)))
        assert max(0.0, truth - 0.06) <= point.delta_lower_bound <= truth
    assert sum(look.failure_probability for look in result.looks) <= Fraction(1e-9)
    assert len(result.looks) == 1, "one event is the best at every epsilon, and has all of the failure probability"


def test_a_curve_has_events_of_its_own() -> None:
    """The event of discrete Laplace noise is "at least one", of probabilities 1/(1 + e^-1) and e^-1/(1 + e^-1)."""
    plan = AuditPlan(curve=(0.1, 0.9))
    result = audit(
        discrete_laplace(1.0), [PAIR], epsilon=1, training=5000, confirmation=200_000, generator=1, plan=plan
    )
    upper, lower = 1 / (1 + math.exp(-1)), math.exp(-1) / (1 + math.exp(-1))
    for point in result.curve[:2]:
        truth = upper - math.exp(float(point.epsilon)) * lower
        assert 0.6 * truth < point.delta_lower_bound <= truth
    assert not result.violated


def test_a_budget_of_no_time_still_finishes_the_first_stage() -> None:
    plan = AuditPlan(stages=4, seconds=1e-9)
    result = audit(randomised_response(0.75), [PAIR], epsilon=2, training=50, confirmation=8000, generator=1, plan=plan)
    assert result.counts.trials == 1000
    assert not result.complete
    assert "not refuted" in result.message()


def test_additive_noise_that_is_cut_would_have_been_noticed() -> None:
    """A pass names a factor, and an audit of the same size catches noise that is cut a little further."""

    def laplace(scale: float) -> Target:
        def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
            return np.rint((np.sum(data**2) + generator.laplace(scale=scale, size=size)) * 2**30) / 2**30

        return target

    pairs = neighbouring_pairs(1, 1, Adjacency.REPLACE_ONE)
    passed = audit(laplace(1.0), pairs, epsilon=1, training=2000, confirmation=20_000, generator=1)
    factor = passed.detectable.noise_factor
    assert not passed.violated
    assert factor is not None
    assert 0.65 < factor < 0.95
    assert f"noise cut to {factor:.3g}" in passed.message()
    caught = audit(laplace(0.97 * factor), pairs, epsilon=1, training=2000, confirmation=20_000, generator=2)
    assert caught.violated
    assert caught.detectable.noise_factor is None


@pytest.mark.parametrize(
    "options",
    [{"stages": 0}, {"tightness": 1.5}, {"seconds": 0.0}, {"norm_bound": math.inf}, {"curve": (-1,)}, {"chunk": 0}],
)
def test_options_outside_their_domain_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidParameterError):
        AuditPlan(**options)


def test_records_of_another_norm_are_audited_at_that_norm() -> None:
    """With records of norm 3 the sum of squares moves by 9: noise for 1 is far too small, noise for 9 is right."""

    def laplace(scale: float) -> Target:
        def target(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
            assert np.all(np.abs(data) <= 3.0)
            noise = generator.geometric(-math.expm1(-1 / (64 * scale)), (2, size))
            return np.rint(64 * np.sum(data**2)) / 64 + (noise[0] - noise[1]) / 64

        return target

    pairs = neighbouring_pairs(1, 1, Adjacency.REPLACE_ONE)[:1]
    plan = AuditPlan(norm_bound=3.0)
    for scale, violated in ((1.0, True), (9.1, False)):
        result = audit(laplace(scale), pairs, epsilon=1, training=500, confirmation=20_000, generator=1, plan=plan)
        assert result.violated is violated
