"""``dpmatrix claims ID --at field=value,...``: a statement at a point of one's own."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import typer

from dpmatrix.claims import Claim, Range, Statement, claim_of, nearest
from dpmatrix.claims.decisions import LAST_PRECISION
from dpmatrix.claims.evaluation import NoValueError, evaluate
from dpmatrix.claims.records import defaults_of, record_of
from dpmatrix.commands.children import in_a_child
from dpmatrix.commands.point_reading import build, check_complete, fields
from dpmatrix.commands.point_text import parse
from dpmatrix.commands.point_writing import UnwritableError, write_point
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision
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


def evaluate_at(target: str | None, at: list[str], chosen: list[str], seconds: int, *, as_json: bool) -> None:
    """Evaluate a statement at a point and print what is found.

    Raises
    ------
    InvalidParameterError
        If the statement, the point or a field is not what can be asked, or the margin cannot be computed there.
    """
    _, statement = statement_of(target)
    point, notes = read_point(statement, ",".join(at), ",".join(chosen))
    exhibited = [name for name, origin in notes.items() if origin == EXHIBITED]
    found = in_a_child(lambda: _found(statement, point, exhibited), seconds)
    if "error" in found:
        remedy = "change the point; --fields says what the fields are"
        raise InvalidParameterError("point", found["error"], remedy)
    found["constants"] = notes
    typer.echo(json.dumps(found, indent=1, ensure_ascii=False) if as_json else "\n".join(_page(found)))


def _found(statement: Statement, point: Any, exhibited: list[str]) -> dict[str, Any]:  # noqa: ANN401 - the statement's own
    try:
        return {"at": written(point) or written(point, exhibited)} | evaluate(statement, point).to_json()
    except NoValueError as error:
        return {"error": str(error)}


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


def _page(found: Mapping[str, Any]) -> Iterator[str]:
    yield f"{found['statement']}: {found['says']}"
    if found["at"] is not None:
        yield f"at {found['at']}"
    for name, origin in found["constants"].items():
        yield f"{name}, which the statement says exists, is {origin}"
    yield ""
    for one in found["hypotheses"]:
        yield f"{one['answer']:<11} {one['says']}" + (f" ({one['why']})" if "why" in one else "")
    conclusion, bound = found["conclusion"], found["bound"]
    yield f"{conclusion['answer']:<11} the conclusion: margin {_shown(conclusion)}"
    if bound is not None:
        sense = "at most" if bound["at_most"] else "at least"
        yield f"{'':<11} {_shown(found['quantity'])} is to be {sense} {_shown(bound)}"
    yield f"\n{found['verdict']}"


def _shown(value: Mapping[str, Any]) -> str:
    lower, upper = value["lower"], value["upper"]
    if lower is None:
        return str(value["ball"])
    return str(lower) if lower == upper else f"{value['ball']}, from {lower} to {upper}"
