"""A statement at one point: every hypothesis, the conclusion with its margin, and what that says of the statement."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import attrs
from flint import arb

from dpmatrix.claims.conditions import Condition
from dpmatrix.claims.decisions import FIRST_PRECISION, decided
from dpmatrix.claims.statement import Statement
from dpmatrix.claims.truth import Truth, conjunction
from dpmatrix.exact import precision

NOWHERE = (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, MemoryError, RecursionError)
"""What a margin raises where it is not defined."""
DIGITS = 6
_LONGEST_EXPONENT = 10**15


class NoValueError(ValueError):
    """The conclusion has no value at the point."""


@attrs.frozen
class Asked:
    """A hypothesis, and what was found of it at the point.

    Parameters
    ----------
    says
        The hypothesis.
    answer
        True, false or undecided; None where it is not defined.
    margin
        Its signed margin; None where it is not defined.
    why
        Why it is not defined.
    """

    says: str
    answer: Truth | None
    margin: arb | None
    why: str = ""

    @classmethod
    def of(cls, condition: Condition, point: Any) -> Asked:  # noqa: ANN401 - points are the statement's own
        """Ask a hypothesis."""
        try:
            answer, value = decided(condition.margin, point, strict=condition.strict)
        except NOWHERE as error:
            return cls(condition.says, None, None, raised(error))
        return cls(condition.says, answer, value)

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        found = {"says": self.says, "answer": "not defined" if self.answer is None else self.answer.value}
        return found | (enclosed(self.margin) if self.margin is not None else {"why": self.why})


@attrs.frozen
class Evaluation:
    """A statement at a point.

    Parameters
    ----------
    statement, point
        What was asked, and where.
    hypotheses
        What was found of each.
    answer, margin
        The conclusion, whatever the hypotheses say.
    """

    statement: Statement
    point: Any
    hypotheses: tuple[Asked, ...]
    answer: Truth
    margin: arb

    @property
    def applies(self) -> Truth:
        """Whether all hypotheses hold; one that is not defined does not."""
        return conjunction([Truth.FALSE if one.answer is None else one.answer for one in self.hypotheses])

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object."""
        law = self.statement.law
        return {
            "statement": self.statement.name,
            "says": self.statement.says,
            "forms": [form.value for form in self.statement.forms],
            "hypotheses": [one.to_json() for one in self.hypotheses],
            "quantity": None if law is None else enclosed(_at(law.quantity, self.point)),
            "bound": None if law is None else enclosed(_at(law.bound, self.point)) | {"at_most": law.at_most},
            "conclusion": {"answer": self.answer.value, "strict": self.statement.strict} | enclosed(self.margin),
            "verdict": self.verdict,
        }

    @property
    def verdict(self) -> str:
        """What the point says of the statement."""
        if self.applies is not Truth.TRUE:
            whether = "does not hold" if self.applies is Truth.FALSE else "is undecided"
            return (
                f"a hypothesis {whether} here: the statement says nothing of this point"
                f" (the conclusion alone is {self.answer.value})"
            )
        start = f"the hypotheses hold and the conclusion is {self.answer.value} here"
        if not self.hypotheses:
            start = f"there are no hypotheses, and the conclusion is {self.answer.value} here"
        return f"{start}: {self._meaning}"

    @property
    def _meaning(self) -> str:
        statement = self.statement
        if statement.data and self.point not in statement.data:
            return "the document speaks of its own data alone, so this says nothing of the statement"
        if self.answer is Truth.UNDECIDED:
            return self._undecided
        if statement.exists:
            return self._of_chosen
        if statement.instance and not statement.data:
            return _OF_RUNS[self.answer]
        return _OF_POINTS[self.answer]

    @property
    def _undecided(self) -> str:
        if self.statement.one_sided and self.margin >= 0:
            return "a margin that is not negative proves nothing of this statement, a negative one would refute it"
        if self.statement.is_equality(self.point):
            return "both sides agree to 128 binary digits, and no precision tells whether they are equal"
        return "the margin is not known well enough to tell its sign"

    @property
    def _of_chosen(self) -> str:
        chosen = ", ".join(f"{one.field} = {getattr(self.point, one.field)}" for one in self.statement.exists)
        exhibited = all(one.agrees(self.point) for one in self.statement.exists)
        if self.answer is Truth.TRUE:
            after = "the exhibited choice" if exhibited else "this choice"
            return f"this point agrees with {after}, {chosen}; whether it does for every point, one point cannot say"
        return f"the choice {chosen} does not do; the statement is refuted where no choice does, which no point can say"


_OF_POINTS = {
    Truth.TRUE: "this point agrees with the statement, which is about every such point",
    Truth.FALSE: "this point refutes the statement",
}
_OF_RUNS = {
    Truth.TRUE: "a run that ends like this agrees with the statement, which is about runs of the implementation",
    Truth.FALSE: "a run that ends like this would refute the statement, which is about runs of the implementation",
}


def evaluate(statement: Statement, point: Any) -> Evaluation:  # noqa: ANN401 - points are the statement's own
    """Ask a statement at a point, inside and outside its hypotheses; nobody who observes is told.

    Raises
    ------
    NoValueError
        If the conclusion has no value there; it names the hypotheses that do not hold.
    """
    hypotheses = tuple(Asked.of(condition, point) for condition in statement.given)
    try:
        answer, margin = statement.answers(point)
    except NOWHERE as error:
        raise NoValueError(_no_value(raised(error), hypotheses)) from error
    if margin.is_nan():
        raise NoValueError(_no_value("it is no number", hypotheses))
    return Evaluation(statement, point, hypotheses, answer, margin)


def _no_value(why: str, hypotheses: tuple[Asked, ...]) -> str:
    failed = [one.says for one in hypotheses if one.answer in (Truth.FALSE, None)]
    outside = f", outside the hypotheses {', '.join(map(repr, failed))}" if failed else ""
    return f"the margin cannot be computed there{outside} ({why})"


def raised(error: Exception) -> str:
    """Write an error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")


def _at(function: Callable[[Any], arb], point: Any) -> arb:  # noqa: ANN401 - points are the statement's own
    with precision(FIRST_PRECISION):
        return function(point)


def enclosed(value: arb) -> dict[str, Any]:
    """Return a ball as flint prints it, and the least and greatest number in it as decimals; null if it has no end."""
    return {"ball": value.str(15)} | dict(zip(("lower", "upper"), ends(value), strict=True))


def ends(value: arb) -> tuple[str | None, str | None]:
    """Return short decimals, of `DIGITS` digits where the ball is narrow, between which all of a ball lies."""
    if not value.is_finite():
        return None, None
    middle, radius, exponent = (int(part) for part in value.mid_rad_10exp(DIGITS))
    if abs(exponent) > _LONGEST_EXPONENT:
        return None, None
    most = DIGITS if radius else 2 * DIGITS
    return _decimal(middle - radius, exponent, most, up=False), _decimal(middle + radius, exponent, most, up=True)


def _decimal(number: int, exponent: int, most: int, *, up: bool) -> str:
    """Write ``number * 10^exponent`` with at most so many digits, rounded up or down where there are more."""
    while number and number % 10 == 0:
        number, exponent = number // 10, exponent + 1
    excess = len(str(abs(number))) - most
    if excess > 0:
        unit = 10**excess
        return _decimal(-(-number // unit) if up else number // unit, exponent + excess, most, up=up)
    value = Decimal(f"{number}e{exponent}")
    return format(value, "f" if -DIGITS < value.adjusted() < 2 * DIGITS else "e")
