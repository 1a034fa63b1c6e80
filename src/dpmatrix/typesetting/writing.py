"""Formulas in a notation: which operations stand between, above or before what they are applied to.

A notation says how each construction looks. This module decides where brackets are needed, in all notations alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

import attrs

from dpmatrix.tracing.expressions import Apply, Choice, Expression, Number, Undefined, Variable
from dpmatrix.typesetting.formulas import Cases, Formula, Joined, Relation, Settled, branches, flattened
from dpmatrix.typesetting.names import Symbol

LOOSE, SUM, PRODUCT, POWER, ATOM = range(5)
"""How firmly the parts of a text hold together."""


class Notation(Protocol):
    """How constructions look. Every method takes and returns texts of the notation."""

    quotient: int
    """How firmly a quotient holds together: a fraction with a bar needs no brackets in a product."""

    def number(self, value: int) -> str:
        """Write an integer that is not negative."""
        ...

    def symbol(self, symbol: Symbol) -> str:
        """Write what stands for a number."""
        ...

    def constant(self, name: str) -> str:
        """Write pi or infinity."""
        ...

    def sum(self, left: str, sign: str, right: str) -> str:
        """Write a sum, or a difference."""
        ...

    def negative(self, inside: str) -> str:
        """Write a sign before something."""
        ...

    def product(self, left: str, right: str, *, close: bool) -> str:
        """Write a product, without a sign where the factors may stand close to each other."""
        ...

    def over(self, above: str, below: str) -> str:
        """Write a quotient."""
        ...

    def power(self, base: str, exponent: str, *, firm: bool) -> str:
        """Write a power; ``firm`` where the exponent needs no brackets."""
        ...

    def root(self, inside: str, *, firm: bool) -> str:
        """Write a square root; ``firm`` where what is inside needs no brackets."""
        ...

    def fenced(self, left: str, inside: str, right: str) -> str:
        """Write something between two brackets of a kind."""
        ...

    def applied(self, function: str, arguments: Sequence[str]) -> str:
        """Write a function, by its name in `FUNCTIONS`, and what it is applied to."""
        ...

    def relation(self, left: str, sign: str, right: str) -> str:
        """Write a relation."""
        ...

    def joined(self, parts: Sequence[str], word: str) -> str:
        """Write several formulas with a word between them."""
        ...

    def cases(self, rows: Sequence[tuple[str, str | None]]) -> str:
        """Write a value for each condition; the last one has none."""
        ...

    def words(self, text: str) -> str:
        """Write words inside a formula."""
        ...


@attrs.frozen
class Function:
    """How an operation is called in formulas, and what it is in words where that is not known to all."""

    name: str
    says: str = ""


FUNCTIONS: Mapping[str, Function] = {
    **{name: Function(name) for name in ("min", "max", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{name: Function(f"arc{name[1:]}") for name in ("asin", "acos", "atan")},
    "erf": Function("erf", "the error function"),
    "erfc": Function("erfc", "the complementary error function, 1 - erf(x)"),
    "gamma": Function("Γ", "the gamma function"),
    "lgamma": Function("log Γ", "the logarithm of the gamma function"),
    "gamma_upper": Function("Γ", "with two arguments the upper incomplete gamma function"),
    "gamma_lower": Function("γ", "the lower incomplete gamma function"),
    "gamma_upper_regularized": Function("Q", "the regularised upper incomplete gamma function Q(s, x)"),
    "gamma_lower_regularized": Function("P", "the regularised lower incomplete gamma function P(s, x)"),
    "beta_lower": Function("B", "the incomplete beta function B(a, b, x)"),
    "beta_lower_regularized": Function("I", "the regularised incomplete beta function I(a, b, x)"),
    "hypgeom_u": Function("U", "Tricomi's confluent hypergeometric function U(a, b, x)"),
    "zeta": Function("ζ", "Riemann's zeta function"),
    "numerator": Function("numerator", "of a fraction in lowest terms"),
    "denominator": Function("denominator", "of a fraction in lowest terms"),
}
"""The functions by the names of their operations."""

NOT_DEFINED = "not defined"
FENCES = {"abs": ("|", "|"), "floor": ("⌊", "⌋")}


@attrs.frozen
class Writer:
    """Writes expressions and formulas in a notation.

    Parameters
    ----------
    notation
        How constructions look.
    symbols
        What each variable is called.
    """

    notation: Notation
    symbols: Mapping[Variable, Symbol]

    def expression(self, expression: Expression) -> str:
        """Write an expression."""
        return self._text(expression, LOOSE)

    def formula(self, formula: Formula) -> str:
        """Write a formula."""
        match formula:
            case Relation(sign, left, right):
                return self.notation.relation(self._text(left, SUM), sign, self._text(right, SUM))
            case Joined(every, formulas):
                return self.notation.joined([self._joint(one) for one in formulas], "and" if every else "or")
            case Cases(rows):
                return self.notation.cases([(self.formula(one), self._condition(condition)) for condition, one in rows])
            case Settled(holds):
                return self.notation.words({True: "true", False: "false", None: NOT_DEFINED}[holds])

    def _condition(self, condition: Formula | None) -> str | None:
        return None if condition is None else self.formula(condition)

    def _joint(self, formula: Formula) -> str:
        text = self.formula(formula)
        return self.notation.fenced("(", text, ")") if isinstance(formula, Joined) else text

    def _text(self, expression: Expression, least: int) -> str:
        text, firmness = self._parts(expression)
        return text if firmness >= least else self.notation.fenced("(", text, ")")

    def _parts(self, expression: Expression) -> tuple[str, int]:
        notation = self.notation
        match expression:
            case Number(value):
                return self._number(value)
            case Variable():
                return notation.symbol(self.symbols[expression]), ATOM
            case Apply("+" | "-" as sign, (left, right)):
                return notation.sum(self._text(left, SUM), sign, self._text(right, PRODUCT)), SUM
            case Apply("neg", (inside,)):
                return notation.negative(self._text(inside, PRODUCT)), SUM
            case Apply("*", (left, right)):
                close = self._is_light(right) and self._is_light(_last(left))
                close &= not isinstance(right, Number)
                return notation.product(self._text(left, PRODUCT), self._text(right, POWER), close=close), PRODUCT
            case Apply("/", (above, below)):
                least = LOOSE if notation.quotient > PRODUCT else PRODUCT
                over = notation.over(self._text(above, least), self._text(below, least and POWER))
                return over, notation.quotient
            case Apply("^", (base, exponent)):
                text, firmness = self._parts(exponent)
                return notation.power(self._text(base, ATOM), text, firm=firmness == ATOM), POWER
            case Apply("sqrt", (inside,)):
                text, firmness = self._parts(inside)
                return notation.root(text, firm=firmness == ATOM), ATOM
            case Apply("abs" | "floor" as name, (inside,)):
                opening, closing = FENCES[name]
                return notation.fenced(opening, self._text(inside, LOOSE), closing), ATOM
            case Apply("pi" | "infinity" as name, ()):
                return notation.constant(name), ATOM
            case Apply("min" | "max" as name, _):
                return notation.applied(name, [self._text(one, LOOSE) for one in flattened(name, expression)]), ATOM
            case Apply(name, arguments):
                return notation.applied(name, [self._text(argument, LOOSE) for argument in arguments]), ATOM
            case Choice():
                rows = [(self._text(one, SUM), self._condition(asked)) for asked, one in branches(expression)]
                return notation.cases(rows), LOOSE
            case Undefined():
                return notation.words(NOT_DEFINED), ATOM
        raise TypeError(f"no notation for {expression!r}")

    def _number(self, value: Fraction) -> tuple[str, int]:
        notation = self.notation
        if value < 0:
            return notation.negative(self._number(-value)[0]), SUM
        if value.denominator == 1:
            return notation.number(value.numerator), ATOM
        return notation.over(notation.number(value.numerator), notation.number(value.denominator)), notation.quotient

    def _is_light(self, expression: Expression) -> bool:
        match expression:
            case Number(value):
                return value.denominator == 1 and value >= 0
            case Variable():
                return self.symbols[expression].is_letter
            case Apply("^", (base, Number())):
                return isinstance(base, Variable) and self._is_light(base)
        return False


def _last(expression: Expression) -> Expression:
    while isinstance(expression, Apply) and expression.name == "*":
        expression = expression.arguments[1]
    return expression
