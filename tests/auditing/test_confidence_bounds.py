"""Confidence bounds: certified, tight, and of the coverage that they state, by exact enumeration."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmatrix.auditing import (
    EventCounts,
    delta_lower_bound,
    epsilon_lower_bound,
    lower_confidence_bound,
    upper_confidence_bound,
    violation_is_certified,
)
from dpmatrix.errors import InvalidParameterError

LEVELS = [0.05, 1e-6, 5e-10, 1e-12]
COUNTS = [(1, 1), (1, 20), (19, 20), (20, 20), (3, 2000), (1000, 2000), (1, 10**6), (10**6 - 1, 10**6), (283000, 10**6)]


def tail(successes: int, trials: int, probability: float) -> mpmath.mpf:
    """Return P(Bin(trials, probability) >= successes) to 40 digits, by mpmath's incomplete beta function."""
    with mpmath.workdps(60):
        return mpmath.betainc(successes, trials - successes + 1, 0, mpmath.mpf(probability), regularized=True)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("successes", "trials"), COUNTS)
def test_lower_bound_has_the_stated_tail_and_no_less(successes: int, trials: int, level: float) -> None:
    bound = lower_confidence_bound(successes, trials, level)
    if trials > 10**5 and 1000 < successes < trials - 1000:
        # mpmath's series is too slow here; certified elsewhere by a ball, and near the normal approximation.
        rate = successes / trials
        deviations = (rate - bound) / math.sqrt(rate * (1 - rate) / trials)
        assert deviations == pytest.approx(-mpmath_normal_quantile(level), rel=0.01)
        return
    assert tail(successes, trials, bound) <= mpmath.mpf(level)
    assert tail(successes, trials, bound * (1 + 1e-9)) > mpmath.mpf(level)


def mpmath_normal_quantile(level: float) -> float:
    with mpmath.workdps(40):
        return float(mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(level) - 1))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trials", [1, 7, 1000, 10**6])
def test_bounds_at_no_and_at_all_successes_have_a_closed_form(trials: int, level: float) -> None:
    with mpmath.workdps(50):
        exact = mpmath.mpf(level) ** (mpmath.mpf(1) / trials)
        lowest, highest = lower_confidence_bound(trials, trials, level), upper_confidence_bound(0, trials, level)
        assert mpmath.mpf(lowest) <= exact
        assert mpmath.mpf(highest) >= 1 - exact
        assert lowest == pytest.approx(float(exact), rel=1e-12)
        assert highest == pytest.approx(float(1 - exact), rel=1e-9)
    assert lower_confidence_bound(0, trials, level) == 0.0
    assert upper_confidence_bound(trials, trials, level) == 1.0


def failure_rate(bounds: list[float], trials: int, probability: Fraction) -> Fraction:
    """Return the exact probability that the bound exceeds the truth."""
    mass = (math.comb(trials, k) * probability**k * (1 - probability) ** (trials - k) for k in range(trials + 1))
    return sum((m for m, bound in zip(mass, bounds, strict=True) if Fraction(bound) > probability), Fraction(0))


def test_coverage_is_kept_at_every_probability_and_lost_by_the_normal_interval() -> None:
    trials, level = 25, Fraction(1, 100)
    grid = [Fraction(i, 200) for i in range(1, 200)]
    bounds = [lower_confidence_bound(k, trials, level) for k in range(trials + 1)]
    assert all(failure_rate(bounds, trials, p) <= level for p in grid)
    # Just below a bound the failure probability is as large as it may be: the level is used up.
    assert failure_rate(bounds, trials, Fraction(bounds[12]) - Fraction(1, 10**12)) > level * Fraction(99, 100)
    wald = [k / trials - 2.3263 * math.sqrt(k * (trials - k) / trials) / trials for k in range(trials + 1)]
    assert any(failure_rate(wald, trials, p) > level for p in grid)


@given(st.integers(1, 3000), st.data())
@settings(derandomize=True, database=None, deadline=None, max_examples=60)
def test_bounds_bracket_the_rate_and_mirror_each_other(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    lower, upper = (bound(successes, trials, 1e-9) for bound in (lower_confidence_bound, upper_confidence_bound))
    assert 0.0 <= lower <= successes / trials <= upper <= 1.0
    assert upper >= 1 - Fraction(lower_confidence_bound(trials - successes, trials, 1e-9))


def test_privacy_bounds_are_the_formulas_at_the_bounds_and_on_the_safe_side() -> None:
    counts = EventCounts(6000, 20000, 20, 20000)
    lower, upper = lower_confidence_bound(6000, 20000, 5e-10), upper_confidence_bound(20, 20000, 5e-10)
    with mpmath.workdps(40):
        epsilon = mpmath.log((mpmath.mpf(lower) - mpmath.mpf(0.01)) / upper)
        delta = mpmath.mpf(lower) - mpmath.exp(1) * upper
        found = epsilon_lower_bound(counts, delta=0.01, failure_probability=1e-9)
        assert epsilon - mpmath.mpf("1e-12") < found < epsilon
        found = delta_lower_bound(counts, epsilon=1, failure_probability=1e-9)
        assert delta - mpmath.mpf("1e-12") < found < delta
    assert violation_is_certified(counts, epsilon=1, delta=0, failure_probability=1e-9)
    assert not violation_is_certified(counts, epsilon=1, delta=0.29, failure_probability=1e-9)


def test_no_evidence_gives_zero() -> None:
    even = EventCounts(500, 1000, 500, 1000)
    assert epsilon_lower_bound(even, delta=0, failure_probability=1e-9) == 0.0
    assert epsilon_lower_bound(even, delta=0.9, failure_probability=1e-9) == 0.0
    assert delta_lower_bound(even, epsilon=1, failure_probability=1e-9) == 0.0
    assert not violation_is_certified(even, epsilon=1e-6, delta=0, failure_probability=1e-9)


@pytest.mark.parametrize("bad", [0, 1, -0.5, 2, math.nan, math.inf, "x", 1j])
def test_failure_probability_outside_its_domain_is_refused(bad: object) -> None:
    with pytest.raises(InvalidParameterError):
        lower_confidence_bound(1, 2, bad)
    with pytest.raises(InvalidParameterError):
        epsilon_lower_bound(EventCounts(1, 2, 1, 2), delta=0, failure_probability=bad)


@pytest.mark.parametrize("bad", [(3, 2), (-1, 2), (0, 0), (1.5, 2), (True, 2), (math.nan, 2)])
def test_counts_outside_their_domain_are_refused(bad: tuple[object, object]) -> None:
    with pytest.raises(InvalidParameterError):
        upper_confidence_bound(*bad, 0.1)
    with pytest.raises(InvalidParameterError):
        EventCounts(1, 2, *bad)


def test_claims_outside_their_domain_are_refused() -> None:
    counts = EventCounts(1, 2, 1, 2)
    for delta in (-0.1, 1, math.nan):
        with pytest.raises(InvalidParameterError):
            epsilon_lower_bound(counts, delta=delta, failure_probability=0.1)
    for epsilon in (0, -1, math.inf, math.nan):
        with pytest.raises(InvalidParameterError):
            delta_lower_bound(counts, epsilon=epsilon, failure_probability=0.1)
