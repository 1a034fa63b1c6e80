"""Attempts to break a guarantee, on anybody's mechanism: neighbours, events, confidence, and two searches.

`audit` looks at outputs alone and answers at a confidence level; `audit_representation` does the same for their low
bits, where floating point gives inputs away. `audit_within` is the audit within a time, with outputs rounded and tested
for repetitions; the command line runs it, and `audit_mechanism` is the same as an assertion. Views show stateful
mechanisms from several sides. `dpmatrix.auditing.density` searches an exact density ratio; it and
`dpmatrix.auditing.pairs.strategies` need Hypothesis and are imported by their own names.

An audit draws outputs of a mechanism (`targets`) on neighbouring inputs (`pairs`), sees whether they are independent
(`independence`), looks for an event that tells the inputs apart (`search`) and proves what it can from fresh counts of
it (`certify`). `planning` divides the time, and `representation` is all of that for low bits.
"""

from dpmatrix.auditing.assertion import PrivacyViolationError, audit_mechanism
from dpmatrix.auditing.certify.confidence import (
    EventCounts,
    delta_lower_bound,
    epsilon_lower_bound,
    lower_confidence_bound,
    upper_confidence_bound,
    violation_is_certified,
)
from dpmatrix.auditing.certify.detectability import Detectable, detectable
from dpmatrix.auditing.independence.replay import ObservedSensitivity, ReplayReport, observed_sensitivity, replay
from dpmatrix.auditing.pairs.centres import CentrePair, adversarial_centres
from dpmatrix.auditing.pairs.neighbours import neighbouring_pairs, neighbours_of
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.planning.plan import AuditPlan
from dpmatrix.auditing.representation.audit import audit_representation
from dpmatrix.auditing.representation.bits import RepresentationTarget
from dpmatrix.auditing.representation.reachability import reachable
from dpmatrix.auditing.representation.result import InputPair, RepresentationAuditResult
from dpmatrix.auditing.result import AuditResult, TradeOffPoint
from dpmatrix.auditing.search.events import Event, Feature
from dpmatrix.auditing.search.family import FeatureFamily
from dpmatrix.auditing.search.features import feature_families
from dpmatrix.auditing.statistical import audit, confirm
from dpmatrix.auditing.targets.adapters import NamedTarget, as_target
from dpmatrix.auditing.targets.target import Target, at_norm_bound, from_single_draw, seen_at_resolution
from dpmatrix.auditing.targets.views import Stopwatch, StreamMechanism, Transcript, View, all_views, seen_through, timed
from dpmatrix.auditing.within import audit_within

__all__ = [
    "AuditPlan",
    "AuditResult",
    "CentrePair",
    "Detectable",
    "Event",
    "EventCounts",
    "Feature",
    "FeatureFamily",
    "InputPair",
    "NamedTarget",
    "NeighbouringPair",
    "ObservedSensitivity",
    "PrivacyViolationError",
    "ReplayReport",
    "RepresentationAuditResult",
    "RepresentationTarget",
    "Stopwatch",
    "StreamMechanism",
    "Target",
    "TradeOffPoint",
    "Transcript",
    "View",
    "adversarial_centres",
    "all_views",
    "as_target",
    "at_norm_bound",
    "audit",
    "audit_mechanism",
    "audit_representation",
    "audit_within",
    "confirm",
    "delta_lower_bound",
    "detectable",
    "epsilon_lower_bound",
    "feature_families",
    "from_single_draw",
    "lower_confidence_bound",
    "neighbouring_pairs",
    "neighbours_of",
    "observed_sensitivity",
    "reachable",
    "replay",
    "seen_at_resolution",
    "seen_through",
    "timed",
    "upper_confidence_bound",
    "violation_is_certified",
]
