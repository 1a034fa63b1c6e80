"""What counts prove: certified one-sided Clopper-Pearson bounds, and the privacy loss that they imply.

Every bound here is a float on the safe side of the real number that it stands for: scipy proposes it, and ball
arithmetic certifies the binomial tail at exactly that float before it is returned.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from attrs import frozen
from flint import arb

from dpmatrix.auditing.certify.quantiles import beta_quantile
from dpmatrix.auditing.checks import checked_delta, checked_epsilon, checked_failure_probability
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, ball, fraction, precision, whole_number

_PRECISIONS = (128, 512, 2048)


@frozen
class EventCounts:
    """How often one event happened among independent draws under two distributions.

    Attributes
    ----------
    hits, trials
        Under P, the distribution that is claimed not to be much likelier.
    other_hits, other_trials
        Under Q, its neighbour.
    """

    hits: int
    trials: int
    other_hits: int
    other_trials: int

    def __attrs_post_init__(self) -> None:
        for name in ("hits", "trials", "other_hits", "other_trials"):
            whole_number(getattr(self, name), name)
        _check_binomial(self.hits, self.trials)
        _check_binomial(self.other_hits, self.other_trials)


def _check_binomial(successes: int, trials: int) -> None:
    if trials == 0:
        raise InvalidParameterError("trials", "there is no trial", "draw at least one sample")
    if successes > trials:
        raise InvalidParameterError("successes", f"{successes} exceeds {trials} trials", "count each trial once")


def _safer_guesses(guess: float) -> Iterator[float]:
    """Yield the guess moved towards zero by ever larger relative steps, and at last zero."""
    for exponent in range(52, 0, -3):
        yield guess * (1.0 - 2.0**-exponent)
    yield 0.0


def _tail_is_at_most(successes: int, trials: int, probability: float, level: Exact) -> bool:
    """Certify that a binomial variable reaches ``successes`` with at most probability ``level``."""
    for bits in _PRECISIONS:
        with precision(bits):
            tail = arb(probability).beta_lower(successes, trials - successes + 1, 1)
            if tail <= ball(level):
                return True
            if tail > ball(level):
                return False
    return False


def lower_confidence_bound(successes: int, trials: int, failure_probability: Exact) -> float:
    """Bound a success probability from below (Clopper and Pearson 1934).

    Parameters
    ----------
    successes, trials
        Counts of independent trials with one unknown success probability p.
    failure_probability
        In (0, 1); the bound exceeds p with at most this probability, whatever p is.

    Returns
    -------
    float
        In [0, 1]; every p below it reaches ``successes`` with a certified probability of at most
        ``failure_probability``.

    Raises
    ------
    InvalidParameterError
        If the counts or the failure probability are out of their domain.
    """
    successes, trials = whole_number(successes, "successes"), whole_number(trials, "trials")
    _check_binomial(successes, trials)
    return _certified(successes, trials, fraction(checked_failure_probability(failure_probability)))


@lru_cache(maxsize=4096)
def _certified(successes: int, trials: int, level: Fraction) -> float:
    """Certify what scipy proposes; every look at the same counts asks for it again."""
    if successes == 0:
        return 0.0
    proposal = beta_quantile(successes, trials - successes + 1, float(level))
    guesses = _safer_guesses(proposal if math.isfinite(proposal) else 0.0)
    return next(guess for guess in guesses if guess == 0.0 or _tail_is_at_most(successes, trials, guess, level))


def upper_confidence_bound(successes: int, trials: int, failure_probability: Exact) -> float:
    """Bound a success probability from above: one minus the lower bound for the failures, rounded up.

    Parameters, domain and errors are those of `lower_confidence_bound`.
    """
    successes, trials = whole_number(successes, "successes"), whole_number(trials, "trials")
    _check_binomial(successes, trials)
    complement = lower_confidence_bound(trials - successes, trials, failure_probability)
    upper = 1.0 - complement
    # Sterbenz: the difference is exact when the complement is at least one half.
    return upper if complement >= 0.5 or complement == 0.0 else min(1.0, math.nextafter(upper, 2.0))


def _bounds(counts: EventCounts, failure_probability: Exact) -> tuple[arb, arb]:
    """Bound P from below and Q from above; each fails with half the failure probability."""
    half = fraction(checked_failure_probability(failure_probability)) / 2
    lower = lower_confidence_bound(counts.hits, counts.trials, half)
    upper = upper_confidence_bound(counts.other_hits, counts.other_trials, half)
    return arb(lower), arb(upper)


def _below(value: arb) -> float:
    """Return a float that is certainly below the ball, and at least zero."""
    return max(0.0, math.nextafter(float(value.lower()), -math.inf))


def epsilon_lower_bound(counts: EventCounts, *, delta: Exact, failure_probability: Exact) -> float:
    """Bound from below every epsilon for which P is (epsilon, delta)-indistinguishable from Q.

    Returns
    -------
    float
        ``log((p - delta) / q)`` at the confidence bounds p and q, rounded down; zero where that is not positive.

    Raises
    ------
    InvalidParameterError
        If delta is outside [0, 1) or the failure probability outside (0, 1).
    """
    allowance = ball(checked_delta(delta))
    lower, upper = _bounds(counts, failure_probability)
    excess = lower - allowance
    return _below((excess / upper).log()) if excess > 0 else 0.0


def delta_lower_bound(counts: EventCounts, *, epsilon: Exact, failure_probability: Exact) -> float:
    """Bound from below every delta for which P is (epsilon, delta)-indistinguishable from Q.

    Returns
    -------
    float
        ``p - exp(epsilon) * q`` at the confidence bounds p and q, rounded down; zero where that is not positive.

    Raises
    ------
    InvalidParameterError
        If epsilon is not positive or the failure probability outside (0, 1).
    """
    growth = ball(checked_epsilon(epsilon)).exp()
    lower, upper = _bounds(counts, failure_probability)
    return _below(lower - growth * upper)


def violation_is_certified(counts: EventCounts, *, epsilon: Exact, delta: Exact, failure_probability: Exact) -> bool:
    """Tell whether the counts refute (epsilon, delta)-indistinguishability; wrong with at most that probability.

    Raises
    ------
    InvalidParameterError
        If a parameter is out of its domain.
    """
    allowance = fraction(checked_delta(delta))
    excess = delta_lower_bound(counts, epsilon=epsilon, failure_probability=failure_probability)
    return fraction(excess) > allowance
