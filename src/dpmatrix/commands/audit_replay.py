"""Count the event of an earlier audit again, on fresh samples."""

from __future__ import annotations

import json
import secrets
from fractions import Fraction
from pathlib import Path

from dpmatrix.auditing import (
    at_norm_bound,
    confirm,
    delta_lower_bound,
    epsilon_lower_bound,
    seen_at_resolution,
    violation_is_certified,
)
from dpmatrix.auditing.independence.probes import check_independence
from dpmatrix.auditing.independence.replay import FreshCalls, replay
from dpmatrix.auditing.record import event_from_json
from dpmatrix.auditing.targets.adapters import NamedTarget
from dpmatrix.auditing.targets.forms import Form
from dpmatrix.auditing.targets.sampling import entropy_of
from dpmatrix.auditing.targets.target import Guarded, Target
from dpmatrix.auditing.wording import in_words
from dpmatrix.errors import InvalidParameterError


def replayed(path: Path, mechanism: str | None, seed: int | None) -> tuple[bool, str]:
    """Draw as many samples as the audit did, and count its event: whether a violation is certified again, and a report.

    The event and the pair are fixed, so that the verdict stands on the fresh samples alone.

    Raises
    ------
    InvalidParameterError
        If the file is not what ``--json`` writes.
    NoVerdictError
        If the mechanism fails or exits, or its outputs repeat as independent ones do not.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        settings, samples = record["settings"], int(record["counts"]["trials"])
        claim = {name: Fraction(record[name]) for name in ("epsilon", "delta", "failure_probability")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"{path} is no result of an audit ({error})"
        raise InvalidParameterError("replay", problem, "pass the file that --json wrote") from error
    event = event_from_json(record)
    form = None if settings.get("form") is None else Form.from_json(settings["form"])
    bare = at_norm_bound(
        Guarded(NamedTarget(mechanism or settings["mechanism"], form, settings.get("domain"))), settings["norm_bound"]
    )
    target: Target = bare
    if settings["resolution"] is not None:
        target = seen_at_resolution(target, settings["resolution"])
    entropy = secrets.randbits(64) if seed is None else seed
    remark = check_independence(bare, event.feature.pair, entropy=entropy_of(entropy))
    report = replay(target, event.feature.pair, generator=entropy)
    target = FreshCalls(target) if report.wants_fresh_calls else target
    counts = confirm(target, event.feature.pair, event, samples=samples, generator=entropy)
    epsilon, delta, failure = claim["epsilon"], claim["delta"], claim["failure_probability"]
    violated = violation_is_certified(counts, epsilon=epsilon, delta=delta, failure_probability=failure)
    least = epsilon_lower_bound(counts, delta=delta, failure_probability=failure)
    excess = delta_lower_bound(counts, epsilon=epsilon, failure_probability=failure)
    lines = [
        f"event: {in_words(event, form)}",
        f"pair: {event.feature.pair.name}",
        f"counts: {counts.hits} against {counts.other_hits}, of {samples} each",
        f"epsilon is at least {least:.6g} at the claimed delta; delta at least {excess:.6g} at the claimed epsilon",
        *([] if remark is None else [remark]),
        "violated" if violated else "not refuted",
    ]
    return violated, "\n".join(lines)
