"""Tie a proof about a formula to the statement that it is meant to prove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import ModuleType
from typing import Any

from flint import arb, ctx, fmpq

from dpmatrix.claims.observation import tell_comparison, tell_excluded
from dpmatrix.claims.statement import Statement
from dpmatrix.claims.truth import Truth
from dpmatrix.exact import ball

DIGITS = 40


class WrongFormulaError(AssertionError):
    """A proof was given for a formula that is not the statement's margin."""


def bind(statement: Statement, values: Iterable[tuple[Any, Any]], *, least: int = 20) -> None:
    """Check that a statement's margin is the formula that was proved, at many points and 40 digits.

    Parameters
    ----------
    statement
        The statement; evaluating it here also marks it as examined.
    values
        Pairs of a point and the formula's value there, as anything whose ``str`` is a decimal number with at
        least 45 correct digits (a sympy ``evalf(50)``, an mpmath number), as an exact rational, or as a ball.
    least
        The least number of pairs: fewer would not tell the formula from a neighbouring one.

    Raises
    ------
    WrongFormulaError
        If a value differs from the margin, or there are too few.
    """
    count = 0
    before = ctx.prec
    try:
        ctx.prec = 256
        for point, value in values:
            count += 1
            statement.conclusion(point)
            tell_comparison(statement)
            ctx.prec = 256
            margin = statement.formula(point)
            expected = ball(value) if isinstance(value, arb | fmpq | Fraction) else arb(str(value))
            allowed = (1 + abs(expected)) * arb(10) ** -DIGITS
            if not abs(margin - expected) < allowed:
                raise WrongFormulaError(f"{statement.name} at {point}: margin {margin}, formula {expected}")
    finally:
        ctx.prec = before
    if count < least:
        raise WrongFormulaError(f"{statement.name}: bound at {count} points, need {least}")


def redefined(statement: Statement, module: ModuleType, name: str, other: object) -> Statement:
    """Return the statement with a name of its module standing for something else: for controls.

    Parameters
    ----------
    statement
        The statement; it stays what it is.
    module, name
        Where the margin finds what is to be changed.
    other
        What to put there while the margin is evaluated.
    """

    def margin(point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
        before = getattr(module, name)
        setattr(module, name, other)
        try:
            return statement.formula(point)
        finally:
            setattr(module, name, before)

    return statement.nudged(margin=margin)


def bind_hypotheses(statement: Statement, inside: Any, outside: Mapping[str, Any]) -> None:  # noqa: ANN401
    """Check that a statement has exactly the named hypotheses, and that each excludes a given point.

    Parameters
    ----------
    statement
        The statement.
    inside
        A point that meets every hypothesis.
    outside
        For each hypothesis, by its sentence, a point that certainly violates it.

    Raises
    ------
    WrongFormulaError
        If a hypothesis is missing, superfluous, or does not separate its points.
    """
    names = [condition.says for condition in statement.given]
    if sorted(names) != sorted(outside):
        raise WrongFormulaError(f"{statement.name}: hypotheses {sorted(names)}, expected {sorted(outside)}")
    if statement.applies(inside) is not Truth.TRUE:
        raise WrongFormulaError(f"{statement.name}: {inside} does not meet the hypotheses")
    for says, point in outside.items():
        # the other hypotheses may not even be defined at this point, such as 1 / eta at eta = 0
        answers = [condition.at(point) for condition in statement.given if condition.says == says]
        if Truth.FALSE not in answers:
            raise WrongFormulaError(f"{statement.name} at {point}: {says!r} is not violated, {answers}")
    tell_excluded(statement, outside)
