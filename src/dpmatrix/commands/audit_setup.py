"""What an audit on the command line needs before it begins: its arguments read, its sizes planned."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import typer

from dpmatrix.auditing import AuditPlan, NamedTarget, neighbouring_pairs
from dpmatrix.auditing.budget import Sizes, resolution_for, sizes_within, stages_for
from dpmatrix.auditing.checkpoint import facts_of
from dpmatrix.commands.numbers import read
from dpmatrix.errors import DpmatrixError, InvalidParameterError
from dpmatrix.privacy import Adjacency

Parameters = ParamSpec("Parameters")

_UNITS = {"s": 1, "m": 60, "h": 3600}


def no_verdict_by_accident(command: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """Let a command whose mechanism fails leave with the exit code 2, since 1 would read as a violation."""

    @wraps(command)
    def guarded(*arguments: Parameters.args, **options: Parameters.kwargs) -> None:
        try:
            command(*arguments, **options)
        except (DpmatrixError, OSError, typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            typer.echo(f"{traceback.format_exc()}the mechanism or the audit failed: there is no verdict", err=True)
            raise typer.Exit(2) from error

    return guarded


def seconds_of(text: str) -> float:
    """Read a time such as 60s, 5m or 1h.

    Raises
    ------
    InvalidParameterError
        If it is none.
    """
    unit = _UNITS.get(text[-1:], 0)
    amount = float(read(text[:-1] if unit else text, "budget")) * (unit or 1)
    if amount <= 0:
        raise InvalidParameterError("budget", f"{text!r} is no time", "write for instance 60s, 5m or 1h")
    return amount


def failure_probability_of(confidence: str) -> Fraction:
    """Return one minus a confidence, exactly.

    Raises
    ------
    InvalidParameterError
        If the confidence is outside (0, 1).
    """
    value = 1 - read(confidence, "confidence")
    if not 0 < value < 1:
        raise InvalidParameterError("confidence", f"{confidence!r} is outside (0, 1)", "write for instance 0.999999")
    return value


def planned_settings(checkpoint: Path, given: dict[str, Any], planned: dict[str, Any]) -> dict[str, Any]:
    """Return what was planned, or what an earlier run planned that had the same things given."""
    if not checkpoint.exists():
        return planned
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


def plan_sizes(
    target: NamedTarget,
    given: dict[str, Any],
    seconds: float | None,
    workers: int,
    training: int | None,
    confirmation: int | None,
) -> dict[str, Any]:
    """Plan the sizes by the budget, or take those that are given.

    Raises
    ------
    InvalidParameterError
        If only one of the two numbers of samples is given.
    """
    pairs = neighbouring_pairs(
        given["dimension"], given["records"], Adjacency(given["adjacency"]), delete_rows=given["delete_rows"]
    )
    norm_bound = given["norm_bound"]
    if training is not None and confirmation is not None:
        sizes = Sizes(len(pairs), training, confirmation, stages_for(confirmation), AuditPlan().chunk)
    elif training is None and confirmation is None and seconds is not None:
        sizes = sizes_within(target, pairs, seconds=seconds, workers=workers, norm_bound=norm_bound)
    else:
        raise InvalidParameterError("training", "only one of the sizes is given", "give --training and --confirmation")
    return {
        "pairs": sizes.pairs,
        "training": sizes.training,
        "confirmation": sizes.confirmation,
        "stages": sizes.stages,
        "chunk": sizes.chunk,
        "resolution": resolution_for(target, pairs[0], norm_bound),
    }
