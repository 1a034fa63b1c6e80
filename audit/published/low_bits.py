"""Our audit of low bits on one record, where its outputs count to the last bit.

The audit that users run by default rounds outputs, so that its verdict is about the mathematics. What is left below is
the subject of `audit_representation`, which takes numbers of outputs instead of a time. Here they are those with which
`audit/test_representation_leaks.py` finds numpy's noise.
"""

from __future__ import annotations

import math
import secrets
import time

from audit.peers.other_auditors import Row
from audit.published.auditors import ALPHA, Answer
from audit.published.record import Published
from dpmatrix.auditing import audit_representation

LOW_BITS = "dpmatrix, low bits"
TRAINING, CONFIRMATION = 20_000, 80_000


def ask_low_bits(record: Published, generator: int | None = None) -> Answer:
    """Audit the low bits of a record, if they count."""
    if not record.low_bits:
        return Answer(Row(None, math.nan, math.nan, math.nan, "not asked: its outputs count as real numbers"))
    begin = time.process_time()
    result = audit_representation(
        record.mechanism,
        record.inputs,
        epsilon=record.epsilon,
        delta=record.delta,
        training=TRAINING,
        confirmation=CONFIRMATION,
        failure_probability=ALPHA,
        generator=secrets.randbits(64) if generator is None else generator,
    )
    elapsed = time.process_time() - begin
    row = Row(result.leaks, math.nan, result.delta_lower_bound, elapsed, result.pair.name)
    return Answer(row, result.training_samples + 2 * CONFIRMATION)
