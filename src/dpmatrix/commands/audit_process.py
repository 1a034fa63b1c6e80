"""The process of an audit: it imports the mechanism, runs the audit, and writes down how that ended."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from attrs import asdict, evolve

from dpmatrix.atomic_files import write_atomically
from dpmatrix.auditing import AuditPlan
from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.certify.checkpoint import facts_of
from dpmatrix.auditing.pairs.domains import domain_of
from dpmatrix.auditing.planning.conditions import Planned
from dpmatrix.auditing.raising import begun_again
from dpmatrix.auditing.record import result_to_json
from dpmatrix.auditing.result import AuditResult
from dpmatrix.auditing.targets.adapters import MOST_PILOTED, NamedTarget, form_of
from dpmatrix.auditing.targets.forms import Form
from dpmatrix.auditing.targets.target import MechanismRaisedError, scaled_records
from dpmatrix.auditing.within import audit_within, given_sizes
from dpmatrix.commands.audit_low_bits import low_bits_audited
from dpmatrix.commands.audit_pairs import Offered, offered_by
from dpmatrix.commands.audit_replay import replayed
from dpmatrix.commands.processes import processes
from dpmatrix.commands.supervision import Job, Outcome
from dpmatrix.errors import DpmatrixError, InvalidParameterError, NoVerdictError

_INTERRUPTED = 130


def main() -> None:
    """Read a job from the standard input, and leave an outcome in the file that it names."""
    message = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    # Standard output is for the report of the process that watches.
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.path.insert(0, str(Path.cwd()))
    job = Job(**message["job"])
    outcome = _run(job)
    write_atomically(Path(message["answer"]), json.dumps(asdict(outcome)))
    sys.stderr.flush()
    # A process that is stuck in a call is not waited for.
    os._exit(0)


def _leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(1)


def _run(job: Job) -> Outcome:
    place = [None if job.checkpoint is None else Path(job.checkpoint)]
    try:
        return _asked(job, place)
    except KeyboardInterrupt:
        kept = place[0]
        learned = (
            f"{kept} holds what was learned; --resume goes on" if kept and kept.exists() else "nothing was learned"
        )
        return Outcome(code=_INTERRUPTED, reason=f"interrupted: {learned}")
    except MechanismRaisedError as error:
        return _no_verdict(f"{error}{_as_records(job.domain)}", job, place[0])
    except NoVerdictError as error:
        return _no_verdict(str(error), job, place[0])
    except BrokenProcessPool:
        return _no_verdict("a process that ran the mechanism ended in the middle of a call", job, place[0])
    except InvalidParameterError as error:
        if error.parameter == "target":
            return _no_verdict(f"{error.problem}; {error.remedy}", job, place[0])
        return Outcome(code=2, reason=f"{type(error).__name__}: {error}")
    except (DpmatrixError, OSError) as error:
        return Outcome(code=2, reason=f"{type(error).__name__}: {error}")
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        return _no_verdict(f"the audit failed: {type(error).__name__}: {error}", job, place[0])


def _asked(job: Job, place: list[Path | None]) -> Outcome:
    if job.replay is not None:
        return _replayed(job)
    return _low_bits(job) if job.representation else _audited(job, place)


def _as_records(domain: str | None) -> str:
    """Say what the mechanism was given where the domain has names, which make dictionaries of records."""
    named = domain is not None and any(column.name is not None for column in domain_of(domain).columns)
    return "; --domain names columns, so it was given a list of dictionaries" if named else ""


def _no_verdict(reason: str, job: Job, checkpoint: Path | None) -> Outcome:
    over = None if checkpoint is None or job.checkpoint is not None else str(checkpoint)
    return Outcome(code=2, reason=f"no verdict: {reason}", over=over)


def _replayed(job: Job) -> Outcome:
    violated, report = replayed(Path(job.replay or ""), job.mechanism, job.seed)
    return Outcome(code=int(violated), report=report)


def _low_bits(job: Job) -> Outcome:
    offered = offered_by(job)
    bare = NamedTarget(str(job.mechanism), None, job.domain)
    return low_bits_audited(job, evolve(bare, form=form_of(bare, _piloted(offered))), offered)


def _given(job: Job, target: NamedTarget, offered: Offered) -> dict[str, Any]:
    return {
        "mechanism": job.mechanism,
        "source": target.fingerprint(),
        "adjacency": job.adjacency,
        "delete_rows": job.delete_rows,
        "records": job.records,
        "dimension": job.dimension,
        "norm_bound": offered.norm_bound,
        "pairs": offered.digest,
        "domain": job.domain,
        "form": None if target.form is None else target.form.to_json(),
    }


def _in_its_form(target: NamedTarget, offered: Offered, checkpoint: Path) -> NamedTarget:
    """Return the target, in a form where its outputs are not all numbers of one shape; an earlier run chose its own."""
    if checkpoint.exists():
        given = json.loads(facts_of(checkpoint)["target"]).get("given", {})
        return target if given.get("form") is None else evolve(target, form=Form.from_json(given["form"]))
    return evolve(target, form=form_of(target, _piloted(offered)))


def _piloted(offered: Offered) -> list[FloatArray]:
    sets = [data for pair in offered.pairs[:MOST_PILOTED] for data in (pair.data, pair.neighbour)]
    return [scaled_records(data, offered.norm_bound) for data in sets]


def _checkpoint_of(job: Job) -> Path:
    """Name the file of an audit by what is audited, so that audits of other mechanisms do not meet in it."""
    told = asdict(job)
    names = ("mechanism", "epsilon", "delta", "adjacency", "delete_rows", "records", "dimension", "norm_bound", "pairs")
    digest = hashlib.sha256(json.dumps([told[name] for name in (*names, "data_from", "domain")]).encode()).hexdigest()
    return Path(f"dpmatrix-audit.{digest[:8]}.checkpoint.json")


def _told_since(began: float) -> Callable[[str], None]:
    def tell(sentence: str) -> None:
        sys.stderr.write(f"{time.time() - began:6.1f} s  {sentence}\n")
        sys.stderr.flush()

    return tell


def _audited(job: Job, place: list[Path | None]) -> Outcome:
    tell = _told_since(job.began)
    checkpoint = place[0] = _checkpoint_of(job) if place[0] is None else place[0]
    if checkpoint.exists() and not job.resume:
        tell(f"{checkpoint} was left by an audit that was interrupted; this one begins anew (--resume would go on)")
        checkpoint.unlink()
    offered = offered_by(job)
    bare = NamedTarget(str(job.mechanism), None, job.domain)
    target = _in_its_form(bare, offered, checkpoint)

    def run(form: Form | None) -> Outcome:
        if form != target.form:
            tell("the mechanism raised an exception: begun again, with exceptions as outputs")
            checkpoint.unlink(missing_ok=True)
        return _run_of(job, evolve(bare, form=form), offered, checkpoint, tell)

    return begun_again(run, target.form, bare, _piloted(offered))


def _run_of(job: Job, target: NamedTarget, offered: Offered, checkpoint: Path, tell: Callable[[str], None]) -> Outcome:
    given = _given(job, target, offered)
    kept = _planned_settings(checkpoint, given)
    pairs = offered.pairs
    sizes = None
    if job.training is not None and job.confirmation is not None:
        sizes = given_sizes(len(pairs), job.training, job.confirmation)
    with processes(job.workers) as pool:
        result = audit_within(
            target,
            pairs,
            epsilon=Fraction(job.epsilon),
            delta=Fraction(job.delta),
            seconds=None if job.seconds is None else max(0.1, job.seconds - (time.time() - job.began)),
            failure_probability=Fraction(job.failure_probability),
            generator=secrets.randbits(64) if job.seed is None else job.seed,
            plan=AuditPlan(
                curve=tuple(Fraction(text) for text in job.curve),
                norm_bound=offered.norm_bound,
                executor=pool,
                workers=job.workers,
                checkpoint=checkpoint,
                progress=tell,
            ),
            learned=job.learned,
            sizes=sizes,
            planned=None if kept is None else Planned.from_json(kept),
            given=given,
            source=offered.source,
            domain=job.domain,
        )
        return _verdict(result, given, job, checkpoint)


def _planned_settings(checkpoint: Path, given: dict[str, Any]) -> dict[str, Any] | None:
    """Return what an earlier run planned that had the same things given; None if there is no checkpoint.

    Raises
    ------
    InvalidParameterError
        If the file is no checkpoint, or one of another audit.
    """
    if not checkpoint.exists():
        return None
    try:
        settings = json.loads(facts_of(checkpoint)["target"])
        kept = dict(settings["planned"])
        earlier = dict(settings["given"])
    except (KeyError, TypeError, ValueError) as error:
        problem = f"{checkpoint} was written by something else"
        raise InvalidParameterError("checkpoint", problem, "name another file") from error
    for name, value in given.items():
        if earlier.get(name) != value:
            problem = f"{checkpoint} belongs to an audit with another {name}: {earlier.get(name)}"
            raise InvalidParameterError("checkpoint", problem, "repeat the arguments, or name another file")
    return kept


def _shown(data: FloatArray, domain: str | None) -> str:
    records = data if domain is None else domain_of(domain).records(data)
    if isinstance(records, list):
        return "\n".join(map(str, records))
    return np.array2string(records, floatmode="unique", max_line_width=120)


def _verdict(result: AuditResult, given: dict[str, Any], job: Job, checkpoint: Path) -> Outcome:
    lines = [result.message()]
    if result.violated:
        bound = given["norm_bound"]
        for name, data in (("data", result.pair.data), ("neighbour", result.pair.neighbour)):
            lines.append(f"{name}:\n{_shown(scaled_records(data, bound), job.domain)}")
    planned = {} if result.conditions is None else result.conditions.planned.to_json()
    record = result_to_json(result) | {"settings": given | planned}
    over = str(checkpoint)
    if not result.complete:
        lines.append("the time was over before all samples were drawn that were planned")
        if job.checkpoint is not None:
            lines.append(f"--resume goes on from {checkpoint}")
            over = ""
    outcome = Outcome(
        code=int(result.violated),
        report="\n".join(lines),
        record=json.dumps(record, indent=1, ensure_ascii=False),
        over=over,
    )
    return outcome if over else evolve(outcome, over=None)
