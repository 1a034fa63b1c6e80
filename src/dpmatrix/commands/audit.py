"""``dpmatrix audit``: try to break the promise of a mechanism that is given by its name."""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dpmatrix.atomic_files import write_atomically
from dpmatrix.auditing import AuditPlan, audit, neighbouring_pairs, seen_at_resolution
from dpmatrix.auditing.adapters import NamedTarget
from dpmatrix.auditing.record import result_to_json
from dpmatrix.auditing.result import AuditResult
from dpmatrix.commands.audit_replay import replayed
from dpmatrix.commands.audit_setup import (
    failure_probability_of,
    no_verdict_by_accident,
    plan_sizes,
    planned_settings,
    seconds_of,
)
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.numbers import read
from dpmatrix.commands.processes import processes
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Adjacency

_INTERRUPTED = 130
_DEFAULT_SECONDS = 60.0
DEFAULT_CHECKPOINT = Path("dpmatrix-audit.checkpoint.json")


def audit_command(
    mechanism: Annotated[
        str | None, typer.Argument(help="package.module:name or file.py:name; f(data), f(data, size, generator), ...")
    ] = None,
    *,
    epsilon: Annotated[str, typer.Option(metavar="NUMBER")] = "1",
    delta: Annotated[str, typer.Option(metavar="NUMBER")] = "0",
    adjacency: Annotated[Adjacency, typer.Option(help="Relation between neighbours.")] = Adjacency.REPLACE_ONE,
    delete_rows: Annotated[bool, typer.Option(help="A removed record takes its row along.")] = False,
    records: Annotated[int, typer.Option(min=1, help="Records of a data set.")] = 20,
    dimension: Annotated[int, typer.Option(min=1, help="Length of a record.")] = 3,
    norm_bound: Annotated[float, typer.Option(help="Bound on the Euclidean norm of a record.")] = 1.0,
    confidence: Annotated[str, typer.Option(metavar="NUMBER", help="Of everything that is reported.")] = "0.999999",
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Such as 5m or 1h; 60s, and none if both numbers are given.")
    ] = None,
    learned: Annotated[bool, typer.Option(help="Learn events with scikit-learn as well.")] = False,
    curve: Annotated[list[str] | None, typer.Option(metavar="NUMBER", help="More epsilons to bound delta at.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    training: Annotated[int | None, typer.Option(min=1, help="Instead of a number that fits the budget.")] = None,
    confirmation: Annotated[int | None, typer.Option(min=1, help="The same; give both.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="To draw the same samples again.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the result.")] = None,
    checkpoint: Annotated[
        Path, typer.Option(help="Holds what was learned until the audit is over.")
    ] = DEFAULT_CHECKPOINT,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Count the event of a --json file again.")] = None,
) -> None:
    """Try to refute the privacy promise of a mechanism. Exit code 0: not refuted; 1: violated; 2: wrong use."""
    sys.path.insert(0, str(Path.cwd()))
    if replay is not None:
        raise typer.Exit(int(replayed(replay, mechanism, seed)))
    if mechanism is None:
        raise InvalidParameterError("mechanism", "there is none", "write package.module:name or file.py:name")
    begin, seconds = time.monotonic(), _limit(budget, training, confirmation)
    if checkpoint.exists() and not resume:
        problem = f"{checkpoint} holds an audit that is not over"
        raise InvalidParameterError("checkpoint", problem, "pass --resume, or delete it")
    target = NamedTarget(mechanism)
    given = {
        "mechanism": mechanism,
        "source": target.fingerprint(),
        "adjacency": adjacency.value,
        "delete_rows": delete_rows,
        "records": records,
        "dimension": dimension,
        "norm_bound": norm_bound,
    }
    planned = {} if checkpoint.exists() else plan_sizes(target, given, seconds, workers, training, confirmation)
    planned = planned_settings(checkpoint, given, planned)
    pairs = neighbouring_pairs(dimension, records, adjacency, delete_rows=delete_rows)[: planned["pairs"]]
    entropy = secrets.randbits(64) if seed is None else seed
    try:
        with processes(workers) as pool:
            result = audit(
                target if planned["resolution"] is None else seen_at_resolution(target, planned["resolution"]),
                pairs,
                epsilon=read(epsilon, "epsilon"),
                delta=read(delta, "delta"),
                training=planned["training"],
                confirmation=planned["confirmation"],
                failure_probability=failure_probability_of(confidence),
                generator=entropy,
                plan=AuditPlan(
                    stages=planned["stages"],
                    seconds=None if seconds is None else max(1e-3, seconds - (time.monotonic() - begin)),
                    learned=learned,
                    curve=tuple(read(text, "curve") for text in curve or ()),
                    norm_bound=norm_bound,
                    executor=pool,
                    workers=workers,
                    chunk=planned["chunk"],
                    checkpoint=checkpoint,
                    label=json.dumps({"given": given, "planned": planned}, sort_keys=True),
                    progress=lambda sentence: typer.echo(f"{time.monotonic() - begin:6.1f} s  {sentence}", err=True),
                ),
            )
    except KeyboardInterrupt as error:
        kept = (
            f"{checkpoint} holds what was learned; --resume goes on" if checkpoint.exists() else "nothing was learned"
        )
        typer.echo(f"interrupted: {kept}", err=True)
        raise typer.Exit(_INTERRUPTED) from error
    _report(result, given | planned, json_file, checkpoint)
    raise typer.Exit(int(result.violated))


def _limit(budget: str | None, training: int | None, confirmation: int | None) -> float | None:
    """Return the seconds that the audit may take; who says how many samples to draw, and not how long, gets them all.

    Raises
    ------
    InvalidParameterError
        If the budget is no time.
    """
    if budget is not None:
        return seconds_of(budget)
    return _DEFAULT_SECONDS if training is None or confirmation is None else None


def _report(result: AuditResult, settings: dict[str, Any], json_file: Path | None, checkpoint: Path) -> None:
    """Say what was found, and only then let go of the checkpoint."""
    typer.echo(result.message())
    if result.violated:
        for name, data in (("data", result.pair.data), ("neighbour", result.pair.neighbour)):
            typer.echo(f"{name}:\n{np.array2string(data, floatmode='unique', max_line_width=120)}")
    if json_file is not None:
        record = result_to_json(result) | {"settings": settings}
        write_atomically(json_file, json.dumps(record, indent=1, ensure_ascii=False))
        typer.echo(f"count the event again: python -m dpmatrix audit --replay {json_file}")
    elif result.violated:
        typer.echo("--json FILE keeps the event, and --replay FILE counts it again on fresh samples")
    if result.complete:
        checkpoint.unlink(missing_ok=True)
    else:
        typer.echo(f"the time was over before the samples were; --resume goes on from {checkpoint}")


audit_mechanism_command = one_line(no_verdict_by_accident(audit_command))
