"""``dpmatrix claims ID --at field=value,...``: a statement at a point of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from dpmatrix.claims import Statement
from dpmatrix.claims.evaluation import NoValueError, evaluate
from dpmatrix.commands.children import in_a_child
from dpmatrix.errors import InvalidParameterError
from dpmatrix.points.asking import EXHIBITED, read_point, statement_of, written


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
