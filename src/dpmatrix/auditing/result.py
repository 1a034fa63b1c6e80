"""What an audit answers."""

from __future__ import annotations

from attrs import frozen

from dpmatrix.auditing.certify.confidence import EventCounts
from dpmatrix.auditing.certify.confirmation import Look
from dpmatrix.auditing.certify.detectability import Detectable
from dpmatrix.auditing.independence.replay import ReplayReport
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.conditions import Conditions
from dpmatrix.auditing.search.events import Event
from dpmatrix.exact import Exact, fraction


@frozen
class TradeOffPoint:
    """One point below the privacy profile: no smaller delta holds together with this epsilon."""

    epsilon: Exact
    delta_lower_bound: float


@frozen(eq=False)
class AuditResult:
    """What one audit found.

    Attributes
    ----------
    epsilon_lower_bound
        No smaller epsilon holds together with the claimed delta.
    delta_lower_bound_at_epsilon
        No smaller delta holds together with the claimed epsilon.
    violated
        Whether the counts refute the claim. All statements, those of ``curve`` included, are wrong together with at
        most the failure probability, whatever was tried in training.
    epsilon, delta
        The claim.
    pair
        The data sets that were told apart best.
    direction
        Which of them made the event likelier: "data" or "neighbour".
    event
        The event, as a sentence.
    counts
        Of the confirmation, up to the stage that decided; P is the data set that ``direction`` names.
    failure_probability
        Of this audit.
    training_samples
        How many outputs the choice of the event took, at most.
    detectable
        What a pass could have caught.
    curve
        Lower bounds on delta at the claimed epsilon and at those that the plan names, in ascending order.
    looks
        Counts after every stage, with the share of the failure probability that each has.
    decisive
        The place among ``looks`` of the one that ``counts`` shows.
    complete
        Whether the confirmation ended as planned; a run that was out of time may be resumed.
    replay
        What frozen noise showed on the pair, if that was asked for.
    counted_event
        The event as data, to count it again elsewhere.
    pairs_tried
        How many pairs were looked at before the time was over.
    conditions
        What the audit was of, where it planned itself; see `audit_within`.
    """

    epsilon_lower_bound: float
    delta_lower_bound_at_epsilon: float
    violated: bool
    epsilon: Exact
    delta: Exact
    pair: NeighbouringPair
    direction: str
    event: str
    counts: EventCounts
    failure_probability: Exact
    training_samples: int
    detectable: Detectable
    curve: tuple[TradeOffPoint, ...]
    looks: tuple[Look, ...]
    decisive: int
    complete: bool
    replay: ReplayReport | None
    counted_event: Event
    pairs_tried: int
    conditions: Conditions | None = None

    def message(self) -> str:
        """Say in a few lines what was found, or what a pass means."""
        claim = f"({self.epsilon}, {self.delta})-differential privacy"
        lines = [
            f"{claim} is {'violated' if self.violated else 'not refuted'}, confidence 1 - {self.failure_probability}"
        ]
        lines.append(f"pair: {self.pair.name}")
        lines.append(f"event: {self.event}")
        counts = self.counts
        lines.append(
            f"counts: {counts.hits} of {counts.trials} on the {self.direction}, {counts.other_hits} of "
            f"{counts.other_trials} on the other data set"
        )
        lines.append(
            f"epsilon is at least {self.epsilon_lower_bound:.6g} at the claimed delta; delta is at least "
            f"{self.delta_lower_bound_at_epsilon:.6g} at the claimed epsilon"
        )
        claimed = fraction(self.epsilon)
        lines.extend(
            f"at epsilon {float(fraction(point.epsilon)):g} delta is at least {point.delta_lower_bound:.6g}"
            for point in self.curve
            if fraction(point.epsilon) != claimed
        )
        lines.extend(self.replay.sentences() if self.replay is not None else ())
        if self.conditions is not None:
            lines.extend(self.conditions.sentences(self.pairs_tried, self.pair if self.violated else None))
        if not self.violated:
            lines.append(self.detectable.sentence())
        return "\n".join(lines)
