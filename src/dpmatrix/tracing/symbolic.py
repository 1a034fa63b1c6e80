"""Numbers that write down what is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

import flint

from dpmatrix.tracing.expressions import (
    ARITIES,
    ELEMENTARY,
    INFINITY,
    ONE,
    SPECIAL,
    ZERO,
    Comparison,
    Expression,
    Number,
    Undefined,
    UnknownCountError,
    UntraceableError,
    is_integer,
    variables,
)
from dpmatrix.tracing.paths import ask, count_operation
from dpmatrix.tracing.rendering import render
from dpmatrix.tracing.writing import INFINITE, MINUS_INFINITY, apply, rational_number


def expression_of(value: object) -> Expression:
    """Return the expression of a number, symbolic or not.

    Raises
    ------
    UntraceableError
        If it is none that is known exactly.
    """
    if isinstance(value, Symbolic):
        return value.expression
    found = rational_number(value)
    if found is not None:
        return Number(found)
    if isinstance(value, float | flint.arb) and value == value and abs(value) == float("inf"):
        return INFINITY if value > 0 else MINUS_INFINITY
    raise UntraceableError(f"a number is wanted where a {type(value).__name__} is")


def binary(name: str, left: object, right: object) -> Symbolic:
    """Apply an operation to two numbers; errors as in `expression_of`."""
    count_operation()
    return Symbolic(apply(name, expression_of(left), expression_of(right)))


def _operator(name: str, *, reflected: bool = False) -> Callable[[Symbolic, object], Symbolic]:
    """Return an operator that leaves what is no number, such as a matrix, to the other side."""

    def operate(self: Symbolic, other: object) -> Symbolic:
        if not isinstance(other, NUMBERS):
            return NotImplemented  # type: ignore[no-any-return]  # as operators answer
        return binary(name, other, self) if reflected else binary(name, self, other)

    return operate


class Symbolic:
    """A number as an expression: the stand-in for balls, rationals and integers."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    def __repr__(self) -> str:
        return render(self.expression)

    def __hash__(self) -> int:
        if isinstance(self.expression, Number):
            return hash(self.expression.value)
        raise UntraceableError("an unknown number as a key")

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        if isinstance(self.expression, Number) and self.expression.value.denominator == 1:
            return int(self.expression.value)
        if is_integer(self.expression):
            raise UnknownCountError(variables(self.expression)[0])
        raise UntraceableError("an unknown number as an index")

    __int__ = __index__

    def __float__(self) -> float:
        raise UntraceableError("an unknown number as a float")

    def __getattr__(self, name: str) -> Callable[..., Symbolic]:
        if name in METHODS:
            return partial(METHODS[name], self)
        if name.startswith("__"):
            raise AttributeError(name)
        raise UntraceableError(f"`{name}` of an unknown number")

    def min(self, other: object) -> Symbolic:
        """Return the smaller number."""
        return binary("min", self, other)

    def max(self, other: object) -> Symbolic:
        """Return the larger number."""
        return binary("max", self, other)

    def is_finite(self) -> bool:
        """Whether this is a number: it is, where it is defined."""
        return self.expression not in INFINITE and not isinstance(self.expression, Undefined)

    def is_nan(self) -> bool:
        """Whether this is certainly not a number."""
        return isinstance(self.expression, Undefined)

    def is_exact(self) -> bool:
        """Whether the number is known without rounding: here it always is."""
        return True

    def is_zero(self) -> bool:
        """Whether the number is zero."""
        return self == 0

    def is_integer(self) -> bool:
        """Whether the number is an integer."""
        return bool(self == self.floor())

    def bit_length(self) -> int:
        """Return the number of binary digits of an integer that has a value."""
        return int(self).bit_length()

    def unique_fmpz(self) -> Symbolic:
        """Return the integer that this is."""
        return self.p

    def union(self, other: Symbolic) -> Symbolic:
        """Return the smallest ball around two numbers, when they are one."""
        if self.expression != other.expression:
            raise UntraceableError("an interval in place of a number")
        return self

    @property
    def p(self) -> Symbolic:
        """Numerator of a rational."""
        return self if is_integer(self.expression) else Symbolic(apply("numerator", self.expression))

    @property
    def q(self) -> Symbolic:
        """Denominator of a rational."""
        return Symbolic(ONE if is_integer(self.expression) else apply("denominator", self.expression))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NUMBERS):
            return NotImplemented
        return _compare("=", self, other)

    def __lt__(self, other: object) -> bool:
        return _compare("<", self, other)

    def __gt__(self, other: object) -> bool:
        return _compare("<", other, self)

    def __le__(self, other: object) -> bool:
        return _numbers(self, other) and not _compare("<", other, self)

    def __ge__(self, other: object) -> bool:
        return _numbers(self, other) and not _compare("<", self, other)

    def __pos__(self) -> Symbolic:
        return self

    def __neg__(self) -> Symbolic:
        return Symbolic(apply("neg", self.expression))

    def __abs__(self) -> Symbolic:
        return Symbolic(apply("abs", self.expression))

    __add__, __radd__ = _operator("+"), _operator("+", reflected=True)
    __sub__, __rsub__ = _operator("-"), _operator("-", reflected=True)
    __mul__, __rmul__ = _operator("*"), _operator("*", reflected=True)
    __truediv__, __rtruediv__ = _operator("/"), _operator("/", reflected=True)
    __pow__, __rpow__ = _operator("^"), _operator("^", reflected=True)

    def __floordiv__(self, other: object) -> Symbolic:
        return (self / other).floor()

    def __rfloordiv__(self, other: object) -> Symbolic:
        return (other / self).floor()

    def __mod__(self, other: object) -> Symbolic:
        return self - other * (self // other)

    def __rmod__(self, other: object) -> Symbolic:
        return other - self * (other // self)

    def __lshift__(self, places: object) -> Symbolic:
        return self * 2 ** _count(places)

    def __rlshift__(self, number: object) -> Symbolic:
        return number * 2 ** _count(self)

    def __rshift__(self, places: object) -> Symbolic:
        return self // 2 ** _count(places)

    def __rrshift__(self, number: object) -> Symbolic:
        return number // 2 ** _count(self)


NUMBERS = (Symbolic, int, float, Fraction, flint.fmpz, flint.fmpq, flint.arb)


def _numbers(*values: object) -> bool:
    return not any(isinstance(expression_of(value), Undefined) for value in values)


def _compare(relation: str, left: object, right: object) -> bool:
    """Answer a comparison on the present path; what is not defined compares as nothing, as flint has it."""
    if not _numbers(left, right):
        return False
    one, other = expression_of(left), expression_of(right)
    if one == other:
        return relation == "="
    if one in INFINITE or other in INFINITE:
        return relation == "<" and (one == MINUS_INFINITY or other == INFINITY)
    return ask(Comparison(relation, one, other))


def _count(places: object) -> Symbolic:
    number = Symbolic(expression_of(places))
    if number < 0:
        raise ValueError("negative shift count")
    return number


def _named(name: str) -> Callable[..., Symbolic]:
    """Return a function of its point and then its parameters, as flint has them, by the name that it has here."""

    def call(point: Symbolic, *parameters: object, regularized: object = False) -> Symbolic:
        given = [expression_of(parameter) for parameter in parameters]
        full = name
        if name in REGULARIZED and len(given) == SPECIAL[name]:
            regularized = given.pop() != ZERO
        if regularized:
            full = f"{name}_regularized"
        return Symbolic(apply(full, *given, point.expression))

    return call


REGULARIZED = ("gamma_upper", "gamma_lower", "beta_lower")
METHODS: Mapping[str, Callable[..., Symbolic]] = {
    **{name: _named(name) for name in (*ELEMENTARY, *SPECIAL) if name.isidentifier() and ARITIES[name]},
    "pow": lambda x, exponent: x**exponent,
    "expm1": lambda x: x.exp() - 1,
    "log1p": lambda x: (x + 1).log(),
    "log_base": lambda x, base: x.log() / Symbolic(expression_of(base)).log(),
    "rsqrt": lambda x: 1 / x.sqrt(),
    "ceil": lambda x: -((-x).floor()),
    "lower": lambda x: x,
    "upper": lambda x: x,
    "mid": lambda x: x,
    "abs_lower": abs,
    "abs_upper": abs,
    "rad": lambda _: Symbolic(ZERO),
    "nonnegative_part": lambda x: x.max(0),
}
"""Methods of flint's numbers; a ball here is one number, so both its ends and its middle are the number itself."""


def constant(name: str) -> Symbolic:
    """Return an operation without arguments."""
    return Symbolic(apply(name))
