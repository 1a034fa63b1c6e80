"""Which statements of a document a notebook asks, and at which points."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from dpmatrix.claims import Claim, Statement, Truth
from dpmatrix.claims.evaluation import Evaluation, NoValueError
from dpmatrix.claims.standing import held_answer
from dpmatrix.errors import InvalidParameterError
from dpmatrix.points.asking import ask
from dpmatrix.spec import examples


@frozen
class Question:
    """A statement that is asked at a point.

    Attributes
    ----------
    statement
        The statement.
    point
        The point, as ``dpmatrix claims ID --at`` reads it.
    answer
        What the verdict says of it, and what it is there.
    """

    statement: Statement
    point: str
    answer: Truth


def questions(claim: Claim) -> Iterator[Question]:
    """Yield the statement of a claim and its repair, each at the point that is kept of it, if that shows the verdict.

    It does where every hypothesis holds there, and the answer is what the verdict says: false where the document's
    statement is false, true elsewhere. Of some statements no such point is kept.
    """
    repaired = [] if claim.repair is None else [claim.repair.statement]
    for statement in (claim.statement, *repaired):
        point, answer = examples().get(statement.name), held_answer(claim, statement.name)
        if point is None or answer is None:
            continue
        found = _asked(statement.name, point)
        if found is not None and found.applies is Truth.TRUE and found.answer is answer:
            yield Question(statement, point, answer)


def _asked(name: str, point: str) -> Evaluation | None:
    try:
        return ask(name, point)
    except (InvalidParameterError, NoValueError):
        return None  # the statement has changed since the point was kept


def fields_of(point: str) -> list[str]:
    """Split a point at the commas between its fields."""
    found, depth, quoted = [""], 0, False
    for character in point:
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "[(") - (character in "])")
        if character == "," and depth == 0 and not quoted:
            found.append("")
        else:
            found[-1] += character
    return found
