"""Evaluate expressions with balls."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from flint import arb, fmpq

from dpmatrix.tracing.expressions import Apply, Choice, Comparison, Expression, Number, Undefined, Variable

LARGEST_POWER = 64
"""Powers of rationals beyond are computed with balls: their digits are of no use."""


def _power(base: arb, exponent: arb) -> arb:
    power = exponent.unique_fmpz() if exponent.is_exact() and exponent.is_integer() else None
    if power is not None and base.contains(0) and 0 < power <= LARGEST_POWER:
        return arb(math.prod([base] * int(power)))  # flint takes logarithms, which are no numbers here
    return base**exponent if power is None else base**power


BALLS: Mapping[str, Callable[..., arb]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": _power,
    "neg": lambda a: -a,
    "abs": abs,
    "min": arb.min,
    "max": arb.max,
    "floor": arb.floor,
    "sqrt": arb.sqrt,
    "exp": arb.exp,
    "log": arb.log,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": arb.tan,
    "asin": arb.asin,
    "acos": arb.acos,
    "atan": arb.atan,
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "pi": arb.pi,
    "infinity": arb.pos_inf,
    "erf": arb.erf,
    "erfc": arb.erfc,
    "gamma": arb.gamma,
    "lgamma": arb.lgamma,
    "gamma_upper": lambda s, x: x.gamma_upper(s),
    "gamma_lower": lambda s, x: x.gamma_lower(s),
    "gamma_upper_regularized": lambda s, x: x.gamma_upper(s, 1),
    "gamma_lower_regularized": lambda s, x: x.gamma_lower(s, 1),
    "beta_lower": lambda a, b, x: x.beta_lower(a, b),
    "beta_lower_regularized": lambda a, b, x: x.beta_lower(a, b, regularized=True),
    "hypgeom_u": lambda a, b, x: x.hypgeom_u(a, b),
    "zeta": arb.zeta,
    "numerator": lambda _: arb.nan(),
    "denominator": lambda _: arb.nan(),
}


class UndecidedComparisonError(ArithmeticError):
    """A comparison on the way to a value that the working precision does not settle."""


Values = Mapping[Variable, fmpq]
"""What each variable stands for."""


EXACTLY: Mapping[str, Callable[..., fmpq]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "abs": abs,
    "min": min,
    "max": max,
    "floor": lambda a: fmpq(a.floor()),
    "numerator": lambda a: fmpq(a.p),
    "denominator": lambda a: fmpq(a.q),
}
"""The operations that take rationals to rationals, and are decided there without rounding."""


class Evaluator:
    """Values of expressions at one point, at the working precision; what was computed is kept."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._known: dict[Expression, fmpq | arb] = {}

    def value(self, expression: Expression) -> arb:
        """Enclose the value of an expression; not a number where it is undefined.

        Raises
        ------
        UndecidedComparisonError
            If it depends on a comparison of numbers that agree to the working precision.
        """
        return arb(self._number(expression))

    def rational(self, expression: Expression) -> fmpq | None:
        """Return the value of an expression where it is known without rounding; errors as in `value`."""
        found = self._number(expression)
        return found if isinstance(found, fmpq) else None

    def holds(self, comparison: Comparison) -> bool:
        """Whether a comparison is true; errors as in `value`."""
        left, right = self._number(comparison.left), self._number(comparison.right)
        if isinstance(left, fmpq) and isinstance(right, fmpq):
            return bool(left < right) if comparison.relation == "<" else bool(left == right)
        if arb(left) < arb(right) or arb(left) > arb(right):
            return comparison.relation == "<" and bool(arb(left) < arb(right))
        if comparison.left == comparison.right and arb(left).is_finite():
            return comparison.relation == "="
        raise UndecidedComparisonError(f"{left} {comparison.relation} {right}")

    def _number(self, expression: Expression) -> fmpq | arb:
        # Not by recursion: expressions are nested more deeply than Python's calls may be.
        pending = [expression]
        while pending:
            if pending[-1] in self._known:
                pending.pop()
            elif unknown := [inner for inner in self._needed(pending[-1]) if inner not in self._known]:
                pending += unknown
            else:
                self._known[pending[-1]] = self._compute(pending[-1])
        return self._known[expression]

    def _needed(self, expression: Expression) -> tuple[Expression, ...]:
        """Return the expressions whose values decide the next step towards that of an expression."""
        match expression:
            case Apply(_, arguments):
                return arguments
            case Choice(condition, then, otherwise):
                sides = condition.left, condition.right
                if any(side not in self._known for side in sides):
                    return sides
                return (then if self.holds(condition) else otherwise,)
        return ()

    def _compute(self, expression: Expression) -> fmpq | arb:
        match expression:
            case Number(value):
                return fmpq(value.numerator, value.denominator)
            case Variable():
                return self._values[expression]
            case Apply(name, arguments):
                numbers = [self._number(argument) for argument in arguments]
                exact = [number for number in numbers if isinstance(number, fmpq)]
                if len(exact) == len(numbers):
                    if name in EXACTLY:
                        return EXACTLY[name](*exact)
                    if name == "/" and exact[1] != 0:
                        return exact[0] / exact[1]
                    if (
                        name == "^"
                        and exact[1].q == 1
                        and abs(exact[1]) <= LARGEST_POWER
                        and (exact[0] or exact[1] > 0)
                    ):
                        return exact[0] ** int(exact[1].p)
                return BALLS[name](*map(arb, numbers))
            case Choice(condition, then, otherwise):
                return self._number(then if self.holds(condition) else otherwise)
            case Undefined():
                return arb.nan()


def evaluate(expression: Expression, values: Values) -> arb:
    """Enclose the value of an expression at a point; errors as in `Evaluator.value`."""
    return Evaluator(values).value(expression)
