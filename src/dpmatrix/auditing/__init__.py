"""Attempts to break a guarantee, on anybody's mechanism: neighbours, events, confidence, and two searches.

`audit` looks at outputs alone and answers at a confidence level; `audit_representation` does the same for their low
bits, where floating point gives inputs away. `audit_within` is the audit within a time, with outputs rounded and tested
for repetitions; the command line runs it, and `audit_mechanism` is the same as an assertion. Views show stateful
mechanisms from several sides. `dpmatrix.auditing.density` searches an exact density ratio; it and
`dpmatrix.auditing.strategies` need Hypothesis and are imported by their own names.
"""

from dpmatrix.auditing.adapters import NamedTarget, as_target
from dpmatrix.auditing.assertion import PrivacyViolationError, audit_mechanism
from dpmatrix.auditing.centres import CentrePair, adversarial_centres
from dpmatrix.auditing.confidence import (
    EventCounts,
    delta_lower_bound,
    epsilon_lower_bound,
    lower_confidence_bound,
    upper_confidence_bound,
    violation_is_certified,
)
from dpmatrix.auditing.detectability import Detectable, detectable
from dpmatrix.auditing.events import Event
from dpmatrix.auditing.features import FeatureFamily, feature_families
from dpmatrix.auditing.neighbours import neighbouring_pairs, neighbours_of
from dpmatrix.auditing.pairs import NeighbouringPair
from dpmatrix.auditing.plan import AuditPlan
from dpmatrix.auditing.reachability import reachable
from dpmatrix.auditing.replay import ObservedSensitivity, ReplayReport, observed_sensitivity, replay
from dpmatrix.auditing.representation import audit_representation
from dpmatrix.auditing.representation_bits import RepresentationTarget
from dpmatrix.auditing.representation_result import InputPair, RepresentationAuditResult
from dpmatrix.auditing.result import AuditResult, TradeOffPoint
from dpmatrix.auditing.search import audit, confirm
from dpmatrix.auditing.targets import Target, at_norm_bound, from_single_draw, seen_at_resolution
from dpmatrix.auditing.views import Stopwatch, StreamMechanism, Transcript, View, all_views, seen_through, timed
from dpmatrix.auditing.within import audit_within

__all__ = [
    "AuditPlan",
    "AuditResult",
    "CentrePair",
    "Detectable",
    "Event",
    "EventCounts",
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
