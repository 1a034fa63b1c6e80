"""One hypothesis of a statement, compared with a formula of its own."""

from __future__ import annotations

from dpmatrix.claims import Statement, bind


def bind_condition(statement: Statement, says: str, values, *, strict: bool = False, least: int = 20) -> None:
    given = next(given for given in statement.given if given.says == says)
    assert given.strict is strict
    bind(Statement(says, given.margin), values, least=least)
