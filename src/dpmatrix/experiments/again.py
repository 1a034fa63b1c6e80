"""A table or a figure made again, with the usual parameters or with a reader's own. Nothing of it is private."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from attrs import evolve

from dpmatrix.errors import InvalidParameterError
from dpmatrix.experiments.own_data import read_own
from dpmatrix.experiments.parameters import Parameters
from dpmatrix.experiments.partial import Partial
from dpmatrix.experiments.reproduction import QUICK, Effort, Reproduction
from dpmatrix.experiments.targets import TARGETS, Run, Target

SEED_BITS = 32
"""Of a seed that is drawn where none is given."""
Number: TypeAlias = int | float | Fraction


def _untold(_done: int, _total: int) -> None:
    """Tell nobody."""


def target_of(name: str) -> Target:
    """Return a target.

    Raises
    ------
    InvalidParameterError
        If there is none of this name.
    """
    if name not in TARGETS:
        raise InvalidParameterError("target", f"{name!r} cannot be reproduced", f"pass one of {', '.join(TARGETS)}")
    return TARGETS[name]


def parameters_of(
    name: str,
    effort: Effort,
    given: Mapping[str, Iterable[Fraction] | None],
    data: Path | None = None,
    rank: int | None = None,
    *,
    header: bool | None = None,
) -> Parameters:
    """Read what a reader chooses for a target.

    Parameters
    ----------
    name, effort
        The target, and how often it repeats.
    given
        Values by the names of the parameters, None for what is not given.
    data
        A directory with raw files, or a file of the reader's own records.
    rank, header
        Of the reader's own records: how many directions are looked for, and whether line 1 names the columns.

    Raises
    ------
    InvalidParameterError
        If there is no such target, it does not take a parameter or own records, or a value is not one that it takes.
    RecordFileError
        If a file of records is none.
    """
    target = target_of(name)
    own = data is not None and data.is_file()
    if own and not target.own_data:
        takers = " and ".join(one for one, other in TARGETS.items() if other.own_data)
        raise InvalidParameterError("data", f"{name} takes no records of your own", f"{takers} do")
    for option, there in {"rank": rank is not None, "header": header is not None}.items():
        if there and not own:
            raise InvalidParameterError(
                option, "it is of records of your own", "name their file by --data, or leave it out"
            )
    chosen = Parameters.of(name, target.parameters(effort), given)
    return evolve(chosen, data=read_own(data, rank, header=header)) if data is not None and own else chosen


def made(run: Run) -> Reproduction:
    """Make a target, with what a reader has to know of the parameters in front of its notes."""
    found, note = target_of(run.parameters.target).make(run), run.parameters.note
    return evolve(found, parameters=run.parameters, notes=(note, *found.notes) if note else found.notes)


def make_again(
    name: str,
    *,
    n: Iterable[Number] | None = None,
    d: Iterable[Number] | None = None,
    epsilons: Iterable[Number] | None = None,
    deltas: Iterable[Number] | None = None,
    seed: int | None = None,
    effort: Effort = QUICK,
    workers: int = 1,
    data: Path | None = None,
    rank: int | None = None,
) -> Reproduction:
    """Make a table or a figure in this process, and write nothing. Nothing of it is private.

    Parameters
    ----------
    name
        The target, such as ``near-optimal.figure-5``.
    n, d, epsilons, deltas
        Values of the parameters that the target takes; floats are read as the decimals that they print.
    seed
        Repeats a run; drawn where none is given.
    effort
        How often it repeats.
    workers
        Processes at a time, for targets that use some.
    data, rank
        As in `parameters_of`.

    Raises
    ------
    InvalidParameterError
        As in `parameters_of`.
    """
    given = {"n": n, "d": d, "epsilons": epsilons, "deltas": deltas}
    exact = {one: None if values is None else [_exact(one, value) for value in values] for one, values in given.items()}
    chosen = parameters_of(name, effort, exact, data, rank)
    nothing_kept = Partial(None, {}, seed, secrets.randbits(SEED_BITS))
    return made(Run(effort, nothing_kept, workers, _untold, chosen, data))


def _exact(name: str, value: Number) -> Fraction:
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise InvalidParameterError(name, "a value is no finite number", "pass numbers") from error
