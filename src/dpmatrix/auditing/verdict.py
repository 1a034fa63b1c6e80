"""From the counts of a confirmation to the result of an audit."""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import evolve, frozen

from dpmatrix.auditing.certify.checkpoint import AuditState
from dpmatrix.auditing.certify.confirmation import Look, looks
from dpmatrix.auditing.certify.detectability import ConfirmationPlan, Detectable, detectable
from dpmatrix.auditing.certify.noise_cut import largest_caught_factor
from dpmatrix.auditing.certify.stages import Stage
from dpmatrix.auditing.independence.replay import ReplayReport, replay
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.result import AuditResult, TradeOffPoint
from dpmatrix.auditing.search.events import first_features
from dpmatrix.auditing.search.sharpening import MOST_SHARPENING, SHARPENING_SHARE
from dpmatrix.auditing.search.training import REFINEMENT, finalists_of, outputs
from dpmatrix.auditing.targets.sampling import Sampler
from dpmatrix.exact import Exact, fraction

_MEASURING = 3
_LEAST_TO_MEASURE = 2048
_MOST_ENTRIES = 2**18


@frozen(eq=False)
class Setting:
    """What is fixed before an audit begins."""

    epsilon: Exact
    delta: Exact
    training: int
    confirmation: int
    failure_probability: Exact
    stages: tuple[Stage, ...]

    @property
    def sharpening(self) -> int:
        """Outputs from each data set on which the last thresholds are chosen; none if that is no more than before."""
        size = min(MOST_SHARPENING, self.confirmation // SHARPENING_SHARE)
        return size if size > REFINEMENT * self.training else 0


def _decisive(found: Sequence[Look], setting: Setting) -> int:
    """Return the place of the strongest violation; where there is none, of the last look at the first event."""
    certain = [place for place, look in enumerate(found) if look.violates(setting.epsilon, setting.delta)]
    if certain:
        return max(certain, key=lambda place: found[place].epsilon_lower_bound(setting.delta))
    return max(place for place, look in enumerate(found) if look.event == 0)


def _noise_factor(
    sampler: Sampler, setting: Setting, plan: AuditPlan, look: Look, pair: NeighbouringPair, report: ReplayReport
) -> float | None:
    if not report.additive or report.difference is None:
        return None
    entries = max(1, math.prod(report.difference.shape))
    size = min(REFINEMENT * setting.training, max(_LEAST_TO_MEASURE, _MOST_ENTRIES // entries))
    batches = outputs(sampler, pair, size, (_MEASURING, 0))
    confirmation = ConfirmationPlan(
        look.counts.trials,
        float(fraction(setting.epsilon)),
        float(fraction(setting.delta)),
        float(fraction(look.failure_probability)),
    )
    features = first_features(pair, batches[0].shape[1:], plan.norm_bound)
    return largest_caught_factor(features, *batches, report.difference, confirmation)


def concluded(sampler: Sampler, setting: Setting, plan: AuditPlan, state: AuditState) -> AuditResult:
    """Draw the conclusions from a state in which at least one stage is over."""
    found = looks(state.events, setting.stages, state.totals)
    decisive = _decisive(found, setting)
    look = found[decisive]
    event = state.events[look.event]
    pair = event.feature.pair
    violated = look.violates(setting.epsilon, setting.delta)
    report = replay(sampler.target, pair, generator=state.entropy) if plan.replay else None
    power: Detectable = detectable(
        look.counts, epsilon=setting.epsilon, delta=setting.delta, failure_probability=look.failure_probability
    )
    if report is not None and not violated:
        power = evolve(power, noise_factor=_noise_factor(sampler, setting, plan, look, pair, report))
    epsilons = sorted({fraction(epsilon): epsilon for epsilon in (setting.epsilon, *plan.curve)}.items())
    curve = tuple(
        TradeOffPoint(epsilon, max(one.delta_lower_bound(epsilon) for one in found)) for _, epsilon in epsilons
    )
    finalists = finalists_of(state.explored)
    return AuditResult(
        epsilon_lower_bound=max(one.epsilon_lower_bound(setting.delta) for one in found),
        delta_lower_bound_at_epsilon=max(one.delta_lower_bound(setting.epsilon) for one in found),
        violated=violated,
        epsilon=setting.epsilon,
        delta=setting.delta,
        pair=pair,
        direction="neighbour" if event.on_neighbour else "data",
        event=event.sentence(),
        counts=look.counts,
        failure_probability=setting.failure_probability,
        training_samples=2 * setting.training * (len(state.explored) + REFINEMENT * len(finalists)) + state.sharpened,
        detectable=power,
        curve=curve,
        looks=tuple(found),
        decisive=decisive,
        complete=violated or len(state.totals) == len(setting.stages),
        replay=report,
        counted_event=event,
        pairs_tried=len(state.explored),
    )
