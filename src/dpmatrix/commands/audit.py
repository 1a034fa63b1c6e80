"""``dpmatrix audit``: try to break the guarantee of a mechanism that is given by its name."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from attrs import evolve

from dpmatrix.atomic_files import refuse_unless_regular, write_atomically
from dpmatrix.commands.audit_claims import claim_of
from dpmatrix.commands.audit_files import junit_of, sarif_of
from dpmatrix.commands.audit_setup import failure_probability_of, seconds_of
from dpmatrix.commands.failures import one_line
from dpmatrix.commands.help_texts import Commands
from dpmatrix.commands.numbers import read
from dpmatrix.commands.supervision import Job, Outcome, supervised
from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.time_limits import SLACK, TOLERANCE

_DEFAULT_SECONDS = 60.0
_LONGEST = 24 * 3600.0


def audit_command(
    mechanism: Annotated[
        str | None, typer.Argument(help="package.module:name or file.py:name; f(data), f(data, size, generator), ...")
    ] = None,
    *,
    epsilon: Annotated[str | None, typer.Option(metavar="NUMBER", help="Of the claim. [1]")] = None,
    delta: Annotated[str | None, typer.Option(metavar="NUMBER", help="Of the claim. [0]")] = None,
    gdp: Annotated[
        str | None, typer.Option(metavar="MU", help="The claim is Gaussian differential privacy; at --epsilon [MU].")
    ] = None,
    zcdp: Annotated[
        str | None, typer.Option(metavar="RHO", help="The claim is zero-concentrated privacy; at some --epsilon.")
    ] = None,
    adjacency: Annotated[Adjacency, typer.Option(help="Relation between neighbours.")] = Adjacency.REPLACE_ONE,
    delete_rows: Annotated[
        bool,
        typer.Option("--delete-rows/--zero-rows", help="What a removed record leaves: n - 1 rows, or zeros."),
    ] = True,
    records: Annotated[int | None, typer.Option(min=1, help="Records of a data set. [20]")] = None,
    dimension: Annotated[int | None, typer.Option(min=1, help="Length of a record. [3]")] = None,
    norm_bound: Annotated[float | None, typer.Option(help="Bound on the Euclidean norm of a record. [1]")] = None,
    pairs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Your own pairs: JSON, [{data: rows, neighbour: rows}, ...].")
    ] = None,
    data_from: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Your own data, a CSV file or file.py:name; its records leave or change."),
    ] = None,
    domain: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What a record may be, if no vector in a ball; see above.")
    ] = None,
    confidence: Annotated[str, typer.Option(metavar="NUMBER", help="Of everything that is reported.")] = "0.999999",
    budget: Annotated[
        str | None, typer.Option(metavar="TIME", help="Such as 5m or 1h; 60s, and 24h if both numbers are given.")
    ] = None,
    learned: Annotated[
        bool | None, typer.Option(help="Learn events with scikit-learn as well. [wherever it is installed]")
    ] = None,
    representation: Annotated[
        bool, typer.Option("--representation", help="Audit the low bits of the outputs instead, which floats leak by.")
    ] = False,
    curve: Annotated[list[str] | None, typer.Option(metavar="NUMBER", help="More epsilons to bound delta at.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    training: Annotated[int | None, typer.Option(min=1, help="Instead of a number that fits the budget.")] = None,
    confirmation: Annotated[int | None, typer.Option(min=1, help="The same; give both.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="To draw the same samples again.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the result.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the outcome as JUnit XML.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the outcome as SARIF 2.1.0.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Holds what was learned until the audit is over. [a file named by the audit]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    replay: Annotated[Path | None, typer.Option(metavar="FILE", help="Count the event of a --json file again.")] = None,
) -> None:
    """Try to refute the privacy guarantee of a mechanism. Exit code 0: not refuted; 1: violated; 2: no verdict.

    The data sets are the library's own, reals in the ball of --norm-bound with entries of either sign. If the mechanism
    does not admit these, say what a record may be with --domain, or give your data sets with --pairs or --data-from.

    --domain takes columns: int 0..120, real 0..1, {yes, no} for one of these, set {milk, bread} for any of these. With
    x 3 after it a column is there three times. Numbers make an array, one record a row, or a number each if there is
    one column; texts and sets a list. With names, "age: int 0..120, ill: {yes, no}", a record is a dictionary.

    An output may be of any kind: numbers, texts, dictionaries, lists of any length, tables, None. What is not numbers
    of one shape is read as numbers and facts, which the report lists. An exception is an output where there are others;
    its type counts, not its message. There is no verdict on a mechanism that always fails, exits, hangs, returns
    nothing, or repeats its outputs, nor where so few outputs fit into the budget that a pass would mean nothing.

    Outputs are rounded to about a millionth of their spread, so that the verdict is about the mathematics. The low bits
    of floats are another question: ask it with --representation.

    --gdp and --zcdp make claims of other kinds. Each says something of delta at every epsilon; one epsilon is audited.

    --json, --junit and --sarif write files for programs; the exit code is the same. Without a verdict there is no JSON,
    the test case of JUnit has an error, and SARIF a warning.

    The budget counts from the start of the command; some seconds of it are over before the first pair is tried. It is
    exceeded by a fifth and two seconds at most.
    """
    begin = time.time()
    if replay is None and mechanism is None:
        raise InvalidParameterError("mechanism", "no mechanism is named", "write package.module:name or file.py:name")
    claim = claim_of(epsilon, delta, gdp, zcdp)
    seconds = _limit(budget, training, confirmation)
    if representation:
        kept = {"replay": replay, "json": json_file, "checkpoint": checkpoint, "resume": resume or None}
        _refuse({**kept, "curve": curve, "learned": learned}, "an audit of low bits", "--representation")
    if replay is not None:
        _refuse({"gdp": gdp, "zcdp": zcdp}, "a file that says which claim was audited", "--replay")
    _check_data_sets(records, dimension, norm_bound, pairs, data_from, domain)
    files = {"json": json_file, "junit": junit, "sarif": sarif}
    _check_files(files, checkpoint, resume=resume or replay is not None)
    job = Job(
        mechanism=mechanism,
        replay=None if replay is None else str(replay),
        epsilon=str(claim.epsilon),
        delta=str(claim.delta),
        adjacency=adjacency.value,
        delete_rows=delete_rows,
        records=20 if records is None else records,
        dimension=3 if dimension is None else dimension,
        norm_bound=1.0 if norm_bound is None else norm_bound,
        pairs=None if pairs is None else str(pairs),
        data_from=data_from,
        domain=domain,
        failure_probability=str(failure_probability_of(confidence)),
        began=begin,
        seconds=seconds,
        learned=learned,
        representation=representation,
        curve=[str(read(text, "curve")) for text in curve or ()],
        workers=workers,
        training=training,
        confirmation=confirmation,
        seed=seed,
        checkpoint=None if checkpoint is None else str(checkpoint),
        resume=resume,
    )
    limit = _LONGEST if seconds is None else seconds
    outcome = supervised(job, until=begin + (1 + TOLERANCE) * limit + SLACK)
    if claim.words is not None and outcome.report:
        outcome = evolve(outcome, report=f"{outcome.report}\n{claim.words}")
    _report(outcome, json_file)
    for path, written in ((junit, junit_of), (sarif, sarif_of)):
        if path is not None:
            write_atomically(path, written(job, outcome, time.time()))
    if outcome.over is not None:
        Path(outcome.over).unlink(missing_ok=True)
    raise typer.Exit(outcome.code)


def _limit(budget: str | None, training: int | None, confirmation: int | None) -> float | None:
    """Return the seconds that the audit may take; None, so no limit, where numbers of samples are given and no time.

    Raises
    ------
    InvalidParameterError
        If the budget is no time, or only one of the numbers is given.
    """
    if (training is None) != (confirmation is None):
        raise InvalidParameterError("training", "only one of the sizes is given", "give --training and --confirmation")
    if budget is not None:
        return seconds_of(budget)
    return _DEFAULT_SECONDS if training is None else None


def _refuse(options: Mapping[str, object], what: str, option: str) -> None:
    """Raise an error if an option is given that another one has no use for."""
    for name, value in options.items():
        if value is not None:
            raise InvalidParameterError(name, f"{what} has no use for it", f"leave it or {option} out")


def _check_data_sets(
    records: int | None,
    dimension: int | None,
    norm_bound: float | None,
    pairs: Path | None,
    data_from: str | None,
    domain: str | None,
) -> None:
    if sum(one is not None for one in (pairs, data_from, domain)) > 1:
        raise InvalidParameterError("pairs", "data are given as well", "give --pairs, --data-from or --domain")
    if pairs is None and data_from is None and domain is None:
        return
    for name, value in (("records", records), ("dimension", dimension), ("norm_bound", norm_bound)):
        if value is not None and (domain is None or name != "records"):
            whose = (
                "the data sets that are given have their own" if domain is None else "the domain says what records are"
            )
            raise InvalidParameterError(name, whose, f"leave {name} out")


def _check_files(files: Mapping[str, Path | None], checkpoint: Path | None, *, resume: bool) -> None:
    named = {name: path for name, path in (*files.items(), ("checkpoint", checkpoint)) if path is not None}
    for name, path in named.items():
        if not path.absolute().parent.is_dir():
            raise InvalidParameterError(name, f"there is no folder {path.parent}", "make it, or name another file")
        if name in files:
            refuse_unless_regular(path, name)
    places: dict[Path, str] = {}
    for name, path in named.items():
        other = places.setdefault(path.resolve(), name)
        if other != name:
            raise InvalidParameterError(name, f"{path} is the file of --{other} as well", "name another file")
    if checkpoint is not None and checkpoint.exists() and not resume:
        problem = f"{checkpoint} holds an audit that is not over"
        raise InvalidParameterError("checkpoint", problem, "pass --resume, or delete it")


def _report(outcome: Outcome, json_file: Path | None) -> None:
    """Say what was found."""
    if outcome.report:
        typer.echo(outcome.report)
    if outcome.reason:
        sys.stdout.flush()
        typer.echo(outcome.reason, err=True)
    if outcome.record is not None:
        if json_file is not None:
            write_atomically(json_file, outcome.record)
            typer.echo(f"count the event again: python -m dpmatrix audit --replay {json_file}")
        elif outcome.code == 1:
            typer.echo("--json FILE keeps the event, and --replay FILE counts it again on fresh samples")


audit_mechanism_command = one_line(audit_command)

alone = Commands(pretty_exceptions_enable=False)
"""The command line with this command and no other, which starts without what the others need."""
alone.callback()(lambda: None)
alone.command(name="audit")(audit_mechanism_command)
