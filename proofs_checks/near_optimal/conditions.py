"""The hypotheses of a statement: compared with formulas of their own, and needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses


def bind_condition(statement: Statement, says: str, values, *, strict: bool = False, least: int = 20) -> None:
    given = next(given for given in statement.given if given.says == says)
    assert given.strict is strict
    bind(Statement(says, given.margin), values, least=least)


def bind_needed(statement: Statement, inside: Any, outside: Mapping[str, Any], needed: Mapping[str, Any]) -> None:
    """Bind the hypotheses, and show that the statement fails without each of the needed ones.

    ``needed`` gives, for some of the hypotheses, a point that meets all others, at which the conclusion is false.
    """
    bind_hypotheses(statement, inside, {**outside, **needed})
    for says, point in needed.items():
        assert statement.without(says).at(point) is Truth.FALSE, says
