"""What a representation audit takes and what it answers."""

from __future__ import annotations

from typing import Any, Protocol

from attrs import frozen

from dpmatrix.auditing.certify.confidence import EventCounts
from dpmatrix.auditing.certify.detectability import Detectable
from dpmatrix.exact import Exact


class InputPair(Protocol):
    """Two neighbouring inputs; `NeighbouringPair` and `CentrePair` are such."""

    @property
    def name(self) -> str:
        """What the pair is, in words."""

    @property
    def data(self) -> Any:  # noqa: ANN401 - whatever the target takes
        """One input."""

    @property
    def neighbour(self) -> Any:  # noqa: ANN401 - whatever the target takes
        """Its neighbour."""


@frozen(eq=False)
class RepresentationAuditResult:
    """What a representation audit found.

    Attributes
    ----------
    leaks
        The verdict: the claim is refuted by an event of the low bits, and these tell the inputs apart among outputs of
        equal coarse value. Wrong with at most the failure probability.
    violated
        Whether the counts of the event refute the claim, by whatever part of the output.
    delta_lower_bound
        No smaller delta holds together with the claimed epsilon.
    epsilon, delta
        The claim.
    share_lower_bound, other_share_upper_bound
        Of the event among the outputs of its most telling cell, on the likelier input and on the other.
    pair
        The inputs that were told apart best.
    direction
        Which of them made the event likelier: "data" or "neighbour".
    event
        The event, as a sentence.
    counts, cell_counts
        Of the confirmation, among all outputs and among those of the cell; P is the input that ``direction`` names.
        None where the outputs of no pair have low bits, so that there is nothing to leak.
    failure_probability
        Of this audit.
    training_samples
        How many outputs the choice of the event took.
    detectable
        What a pass could have caught; None without counts. Its leaks are events of one cell: that they break the claim
        and that low bits do it is certified together from epsilon + log(5/4) on, while the cells themselves keep the
        claim.
    """

    leaks: bool
    violated: bool
    delta_lower_bound: float
    epsilon: Exact
    delta: Exact
    share_lower_bound: float
    other_share_upper_bound: float
    pair: InputPair
    direction: str
    event: str
    counts: EventCounts | None
    cell_counts: EventCounts | None
    failure_probability: Exact
    training_samples: int
    detectable: Detectable | None
