"""A statement and a point of it, by the texts that a person writes for them."""

from __future__ import annotations

from collections.abc import Container
from types import SimpleNamespace
from typing import Any

from dpmatrix.claims import Claim, Range, Statement, claim_of, nearest
from dpmatrix.claims.decisions import LAST_PRECISION
from dpmatrix.claims.evaluation import Evaluation, evaluate
from dpmatrix.claims.records import defaults_of, record_of
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
from dpmatrix.points.reading import build, check_complete, fields
from dpmatrix.points.text import parse
from dpmatrix.points.writing import UnwritableError, write_point
from dpmatrix.spec import documents, load_with_foundations

EXHIBITED = "exhibited"
_SOME = {Range.POSITIVE: "1", Range.WHOLE: "1", Range.SHARE: "0.5"}


def statement_of(target: str | None) -> tuple[Claim, Statement]:
    """Return a claim and one of its statements, ``id``, ``id+repair`` or ``id/step``.

    Raises
    ------
    UnknownClaimError
        If there is no such claim.
    InvalidParameterError
        If no claim is named, or it has no such statement.
    """
    if target is None or target in documents():
        problem = "no claim is named" if target is None else f"{target!r} is a document"
        raise InvalidParameterError("CLAIM", problem, "name a statement, such as wishart.theorem-4+repair")
    claim = load_with_foundations(claim_of(target))[claim_of(target)]
    statements = claim.statements()
    if target not in statements:
        close = [name for name in nearest(target, statements) if name != claim.id]
        remedy = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(statements)}"
        raise InvalidParameterError("CLAIM", f"there is no statement {target!r}", remedy)
    return claim, statements[target]


def written(point: Any, without: Container[str] = ()) -> str | None:  # noqa: ANN401 - points are the statement's own
    """Write a point, without some fields, as --at takes it; None if that cannot be."""
    try:
        return write_point(point, without)
    except UnwritableError:
        return None  # an exhibited number may be none that a person writes


def read_point(statement: Statement, at: str, chosen: str = "") -> tuple[Any, dict[str, str]]:
    """Read a point of a statement.

    Parameters
    ----------
    statement
        The statement.
    at, chosen
        ``field=value,...``; the second holds fields whose values the statement says exist. Such a field may also stand
        in the first. Where it stands in neither, it has the exhibited value.

    Returns
    -------
    tuple
        The point, and for each value that the statement says exists, where it is from.

    Raises
    ------
    InvalidParameterError
        If a field is unknown, missing or of another type, or the record does not accept the point.
    """
    record, exist = record_of(statement), {one.field: one for one in statement.exists}
    given, with_ = parse(at, "--at"), parse(chosen, "--with")
    for name in with_.keys() - exist.keys():
        known = f"its constants are {', '.join(exist)}" if exist else "it says of none that it exists"
        raise InvalidParameterError(name, f"{statement.name} has no such constant", f"{known}; pass others in --at")
    for name in with_.keys() & given.keys():
        raise InvalidParameterError(name, "it is given twice", "give it in --at or in --with")
    values = fields(record, {**given, **with_})
    check_complete(record, values | dict.fromkeys(exist))
    notes = dict.fromkeys(exist.keys() & values.keys(), "given")
    around = SimpleNamespace(**{**defaults_of(record), **values})
    for name, one in exist.items():
        if name in values:
            continue
        with precision(LAST_PRECISION):  # a ball that is wider than the margin would leave it undecided
            value = one.value(around)
        if value is None:
            problem = f"{statement.name} says that {_depending(name, one.after)} exists, and none is exhibited"
            raise InvalidParameterError(name, problem, f"choose {one.range.value}: --with {name}={_SOME[one.range]}")
        values[name], notes[name] = value, EXHIBITED
    return build(record, values), notes


def _depending(name: str, after: tuple[str, ...]) -> str:
    return f"some {name}" + (f", which may depend on {', '.join(after)}," if after else "")


def ask(name: str, at: str, chosen: str = "") -> Evaluation:
    """Ask a statement at a point, as ``dpmatrix claims NAME --at AT --with CHOSEN`` does.

    Parameters
    ----------
    name
        ``id``, ``id+repair`` or ``id/step``, such as ``wishart.theorem-4+repair``.
    at, chosen
        As in `read_point`; numbers are read exactly. Line breaks and spaces between fields are allowed.

    Returns
    -------
    Evaluation
        Each hypothesis, the conclusion with its margin, and what the point says of the statement.

    Raises
    ------
    UnknownClaimError
        If there is no such claim.
    InvalidParameterError
        If it has no such statement, or the text is no point of it.
    NoValueError
        If the conclusion has no value there.
    """
    _, statement = statement_of(name)
    point, _ = read_point(statement, at, chosen)
    return evaluate(statement, point)
