"""What an audit of a given size could have caught: the meaning of a pass."""

from __future__ import annotations

import math

from attrs import frozen

from dpmatrix.auditing.certify.confidence import EventCounts, epsilon_lower_bound
from dpmatrix.auditing.certify.quantiles import beta_quantile, binomial_quantile
from dpmatrix.exact import Exact, fraction

POWER = 0.99


@frozen
class Detectable:
    """Violations that the confirmation certifies with probability `POWER`, if training finds their event.

    These numbers are computed in floating point; they plan an audit and prove nothing.

    Attributes
    ----------
    largest_epsilon
        The bound when the event always happens on one data set and never on the other; no audit of this size can
        report more.
    smallest_leak
        The smallest probability that is certified of an event that is impossible on the other data set; infinite if
        even a sure one is not.
    smallest_epsilon
        The smallest loss that is certified on an event of probability one half on the likelier data set; infinite if
        none is.
    smallest_epsilon_of_event
        The same for the probability that the chosen event showed.
    power
        The probability of being caught to which these refer.
    noise_factor
        For additive noise: the largest factor to which the noise could have been cut and be noticed on the chosen pair;
        zero if none, None where the noise is not known to be additive or a violation was found anyway.
    """

    largest_epsilon: float
    smallest_leak: float
    smallest_epsilon: float
    smallest_epsilon_of_event: float
    power: float = POWER
    noise_factor: float | None = None

    def sentence(self) -> str:
        """Say what a pass means."""
        words = (
            f"would have been caught with probability {self.power}: epsilon {self.smallest_epsilon_of_event:.4g} on "
            f"this event, epsilon {self.smallest_epsilon:.4g} on an event of probability one half, a leak of "
            f"probability {self.smallest_leak:.3g}"
        )
        if self.noise_factor is None:
            return words
        return f"{words}, noise cut to {self.noise_factor:.3g} of what it is" if self.noise_factor else words


@frozen
class ConfirmationPlan:
    """A confirmation with so many samples of each data set, in floating point."""

    trials: int
    epsilon: float
    delta: float
    failure_probability: float

    def certifies(self, hits: int, other_hits: int) -> bool:
        """Tell whether such counts refute the claim, by the Clopper-Pearson bounds as scipy gives them."""
        half = self.failure_probability / 2
        lower = beta_quantile(hits, self.trials - hits + 1, half) if hits else 0.0
        if lower <= self.delta:
            return False
        failures = self.trials - other_hits
        upper = beta_quantile(other_hits + 1, failures, 1.0 - half) if failures else 1.0
        return math.log(lower - self.delta) > self.epsilon + math.log(upper)


def _smallest_leak(plan: ConfirmationPlan) -> float:
    """Find the fewest hits that are certified against none, then the probability that reaches them."""
    low, high = 0, plan.trials
    if not plan.certifies(high, 0):
        return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if plan.certifies(middle, 0) else (middle, high)
    return beta_quantile(high, plan.trials - high + 1, POWER)


def _smallest_epsilon(plan: ConfirmationPlan, probability: float) -> float:
    """Find the most hits of the other data set that are certified against unluckily few of this one.

    Bad luck on the two sides shares the probability of a miss.
    """
    miss = (1.0 - POWER) / 2
    hits = binomial_quantile(miss, plan.trials, probability)
    low, high = 0, hits
    if not plan.certifies(hits, low):
        return math.inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if plan.certifies(hits, middle) else (low, middle)
    other = beta_quantile(low + 1, plan.trials - low, miss)
    return math.log((probability - plan.delta) / other)


def detectable(counts: EventCounts, *, epsilon: Exact, delta: Exact, failure_probability: Exact) -> Detectable:
    """Say what a confirmation with as many samples as in ``counts`` could have certified.

    Parameters
    ----------
    counts
        The confirmation; both data sets had as many trials.
    epsilon, delta
        The claim under audit.
    failure_probability
        Of the confirmation.
    """
    trials = min(counts.trials, counts.other_trials)
    separated = EventCounts(trials, trials, 0, trials)
    rough = [float(fraction(value)) for value in (epsilon, delta, failure_probability)]
    plan = ConfirmationPlan(trials, *rough)
    return Detectable(
        largest_epsilon=epsilon_lower_bound(separated, delta=delta, failure_probability=failure_probability),
        smallest_leak=_smallest_leak(plan),
        smallest_epsilon=_smallest_epsilon(plan, 0.5),
        smallest_epsilon_of_event=_smallest_epsilon(plan, counts.hits / counts.trials),
    )
