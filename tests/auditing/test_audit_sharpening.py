"""The thresholds are chosen again on more outputs where the confirmation can afford rarer events."""

from __future__ import annotations

import math
import time

import numpy as np

from dpmatrix.auditing import AuditPlan, AuditResult, NeighbouringPair, audit
from dpmatrix.auditing import search as searching
from dpmatrix.auditing.sampling import Sampler
from dpmatrix.auditing.sharpening import distinct, sharpened
from dpmatrix.auditing.training import claims_to_choose_by, explore
from dpmatrix.privacy import Adjacency

PAIR = NeighbouringPair("one or zero", Adjacency.REPLACE_ONE, np.ones((1, 1)), np.zeros((1, 1)))


def rare_answer(data: np.ndarray, size: int, generator: np.random.Generator) -> np.ndarray:
    """Return zero, but a large number with a probability that falls with it, steeply on one side: epsilon = 3 at 8."""
    uniform = generator.random(size)
    rates = [0.3, 0.06, 0.012]
    if data[0, 0]:
        rates = [0.6, 0.4, 0.012 * math.e**3]
    return np.select([uniform < rates[2], uniform < rates[1], uniform < rates[0]], [8.0, 4.0, 2.0], 0.0)


def run(**options: object) -> AuditResult:
    plan = AuditPlan(stages=1, tightness=1, **options)
    return audit(rare_answer, [PAIR], epsilon=1, training=40, confirmation=40_000, generator=3, plan=plan)


def test_more_outputs_find_a_rarer_event(monkeypatch) -> None:
    """The last answer has probabilities 0.241 and 0.012, for which 160 outputs are too few and 5,000 are not."""
    sharp = run()
    monkeypatch.setattr(searching, "sharpened", lambda *given, **_: distinct(given[1]))
    blunt = run()
    assert 2.5 < sharp.epsilon_lower_bound < 3
    assert blunt.epsilon_lower_bound < 2.3
    assert sharp.training_samples == 2 * (40 + 4 * 40 + 5000)


def test_no_sharper_event_without_time_or_samples() -> None:
    sampler = Sampler(rare_answer, 5, None, 1, 512)
    claims = claims_to_choose_by(1, 0, (2,))
    chosen = [explore(sampler, PAIR, 0, 40, claims[0], 1.0)[0].event] * len(claims)
    later = time.monotonic() + 600
    assert sharpened(sampler, chosen, claims, size=5000, seen=160, deadline=0.0) == (chosen[0],)
    assert sharpened(sampler, chosen, claims, size=100, seen=160, deadline=later) == (chosen[0],)
    events = sharpened(sampler, chosen, claims, size=5000, seen=160, deadline=later)
    assert [event.threshold for event in events] == [6.0, 3.0]
