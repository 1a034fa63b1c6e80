"""``dpmatrix audit --representation``: whether the low bits of a mechanism's outputs give the data away."""

from __future__ import annotations

import math
import secrets
import time
from fractions import Fraction

import numpy as np

from dpmatrix.auditing.independence.probes import check_independence
from dpmatrix.auditing.representation.audit import audit_representation
from dpmatrix.auditing.representation.result import RepresentationAuditResult
from dpmatrix.auditing.targets.adapters import NamedTarget
from dpmatrix.auditing.targets.sampling import entropy_of
from dpmatrix.auditing.targets.target import Guarded, Target, at_norm_bound
from dpmatrix.commands.audit_pairs import Offered
from dpmatrix.commands.supervision import Job, Outcome
from dpmatrix.errors import NoVerdictError

_TRAINING, _CONFIRMATION = 10_000, 80_000
_LEAST = 1000
_TRIED_OUT = 50
_SMALL = 0.5
"""A pass that a larger leak could have had is none."""

_SHARE = 0.3
"""Of the time that is left, what the outputs may take as the first ones did; the rest is for looking at them."""


def low_bits_audited(job: Job, named: NamedTarget, offered: Offered) -> Outcome:
    """Audit the low bits of the outputs on as many pairs as there is time for, and say how that ended.

    Raises
    ------
    NoVerdictError
        If the mechanism fails or exits, its outputs repeat as independent ones do not, or so few are drawn that a pass
        would mean nothing.
    """
    target = at_norm_bound(Guarded(named), offered.norm_bound)
    entropy = secrets.randbits(64) if job.seed is None else job.seed
    remark = check_independence(target, offered.pairs[0], entropy=entropy_of(entropy))
    pairs, training, confirmation = len(offered.pairs), job.training, job.confirmation
    if training is None or confirmation is None:
        pairs, training, confirmation = _sizes(job, _seconds_for_one(target, offered, entropy), pairs)
    result = audit_representation(
        target,
        offered.pairs[:pairs],
        epsilon=Fraction(job.epsilon),
        delta=Fraction(job.delta),
        training=training,
        confirmation=confirmation,
        failure_probability=Fraction(job.failure_probability),
        generator=entropy,
    )
    _check_power(result)
    # The outputs that were counted are those of this pair.
    counted = next(pair for pair in offered.pairs if pair is result.pair)
    if counted is not offered.pairs[0]:
        check_independence(target, counted, entropy=entropy_of(entropy) + 1)
    of_data = f"n = {job.records}, d = {job.dimension}, norms at most {offered.norm_bound:g}"
    of_data = of_data if job.domain is None else f"n = {job.records}, records: {job.domain}"
    of_data = offered.source if offered.digest is not None else of_data
    lines = [
        *_found(result),
        f"tried: neighbours by {job.adjacency}, {of_data}; {pairs} of {len(offered.pairs)} pairs",
        f"outputs: {training} on each data set to choose an event, {confirmation} to count it",
        "low bits: these alone were looked at; without --representation the rest is",
        *([] if remark is None else [remark]),
    ]
    return Outcome(code=int(result.violated), report="\n".join(lines))


def _check_power(result: RepresentationAuditResult) -> None:
    """Raise an error if a pass would mean nothing."""
    if result.violated or result.counts is None or result.detectable is None:
        return
    smallest = result.detectable.smallest_leak
    if smallest > _SMALL:
        passes = f"a leak of probability {smallest:.3g}" if math.isfinite(smallest) else "any leak"
        outputs = result.counts.trials
        raise NoVerdictError(f"only {outputs} outputs on each data set were counted: {passes} would have passed")


def _sizes(job: Job, seconds_for_one: float, pairs: int) -> tuple[int, int, int]:
    """Return how many pairs to try, with how many outputs to train on each, and how many to confirm."""
    if job.seconds is None:
        return pairs, _TRAINING, _CONFIRMATION
    left = _SHARE * (job.seconds - (time.time() - job.began))
    outputs = int(min(left / seconds_for_one, 1e9)) // 4
    if outputs < _LEAST:
        raise NoVerdictError(f"there is time for {max(outputs, 0)} outputs on each data set alone; allow more time")
    pairs = min(pairs, outputs // _LEAST)
    return pairs, min(_TRAINING, outputs // pairs), min(_CONFIRMATION, outputs)


def _seconds_for_one(target: Target, offered: Offered, entropy: int) -> float:
    begin = time.perf_counter()
    target(offered.pairs[0].data, _TRIED_OUT, np.random.default_rng(entropy))
    return max(1e-9, (time.perf_counter() - begin) / _TRIED_OUT)


def _found(result: RepresentationAuditResult) -> list[str]:
    """Say what the audit found, or what a pass means."""
    claim = f"({result.epsilon}, {result.delta})-differential privacy"
    cause = "by the low bits of the outputs" if result.leaks else "and low bits are not shown to be the cause"
    verdict = f"violated {cause}" if result.violated else "not refuted by low bits"
    lines = [f"{claim} is {verdict}, confidence 1 - {result.failure_probability}"]
    counts = result.counts
    if counts is None:
        return [*lines, "on no pair have the outputs of both data sets low bits that could be compared"]
    other = "neighbour" if result.direction == "data" else "data"
    first = f"{counts.hits} of {counts.trials} on the {result.direction}"
    lines += [
        f"pair: {result.pair.name}",
        f"event: {result.event}",
        f"counts: {first}, {counts.other_hits} of {counts.other_trials} on the {other}",
        f"delta is at least {result.delta_lower_bound:.6g} at the claimed epsilon",
    ]
    if result.violated or result.detectable is None:
        return lines
    return [*lines, result.detectable.sentence()]
