"""A reader of the terms of Rocq that the generated files hold, which computes them with balls.

It knows the grammar of Rocq's real numbers and nothing of how the terms were written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from flint import arb, fmpq

_TOKEN = re.compile(r"\d+|[A-Za-z_]\w*|[-+*/^()]")
FUNCTIONS = {
    "Rabs": abs,
    "Rmin": arb.min,
    "Rmax": arb.max,
    "sqrt": arb.sqrt,
    "exp": arb.exp,
    "ln": arb.log,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": arb.tan,
    "asin": arb.asin,
    "acos": arb.acos,
    "atan": arb.atan,
    "sinh": arb.sinh,
    "cosh": arb.cosh,
    "tanh": arb.tanh,
    "Int_part": arb.floor,
    "IZR": lambda x: x,
    "Rpower": lambda base, power: (power * base.log()).exp(),
    "powerRZ": lambda base, power: base ** power.unique_fmpz(),
}
ARITIES = {"Rmin": 2, "Rmax": 2, "Rpower": 2, "powerRZ": 2}


class UndecidedChoiceError(ArithmeticError):
    """A comparison on the way that balls do not decide."""


class Reader:
    """Computes a term, by the levels of Rocq's notations: - / of one argument 35, ^ 30, * / 40, + - 50.

    A choice takes the branch that balls decide, or that exact numbers do.
    """

    def __init__(self, text: str, values: Mapping[str, arb], functions: Mapping[str, tuple[int, object]]) -> None:
        self.words, self.place = [*_TOKEN.findall(text), ""], 0
        self.values = values
        self.functions = {name: (ARITIES.get(name, 1), one) for name, one in FUNCTIONS.items()} | dict(functions)

    @property
    def next(self) -> str:
        """The word ahead."""
        return self.words[self.place]

    def take(self, wanted: str = "") -> str:
        """Go on by a word."""
        word = self.next
        assert wanted in ("", word), f"{wanted} expected, not {word} in {self.words}"
        self.place += 1
        return word

    def whole(self) -> arb:
        """Compute all of it."""
        value = self.sum()
        assert not self.next, f"{self.next} left over"
        return value

    def sum(self) -> arb:
        """Compute a sum, or a choice."""
        if self.next == "if":
            return self.choice()
        value = self.product()
        while self.next in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> arb:
        """Compute a product."""
        value = self.signed()
        while self.next in ("*", "/"):
            value = value * self.signed() if self.take() == "*" else value / self.signed()
        return value

    def signed(self) -> arb:
        """Compute what stands behind a sign, or 1 over it."""
        if self.next == "-":
            self.take()
            return -self.signed()
        if self.next == "/":
            self.take()
            return 1 / self.signed()
        base = self.applied()
        if self.next != "^":
            return base
        self.take()
        return base ** int(self.take())

    def applied(self) -> arb:
        """Compute a function of its arguments, or an atom."""
        if self.next not in self.functions:
            return self.atom()
        count, function = self.functions[self.take()]
        return function(*[self.atom() for _ in range(count)])

    def atom(self) -> arb:
        """Compute a number, a name or what stands in brackets."""
        word = self.take()
        if word == "(":
            value = self.sum()
            self.take(")")
            return value
        if word == "PI":
            return arb.pi()
        return arb(fmpq(int(word))) if word.isdigit() else self.values[word]

    def choice(self) -> arb:
        """Compute the branch that is taken; the other one is read, whatever it gives."""
        self.take("if")
        relation, left, right = self.take(), self.atom(), self.atom()
        if not (left < right or left >= right):
            raise UndecidedChoiceError
        answer = bool(left < right) if relation == "Rlt_dec" else bool(left == right)
        self.take("then")
        then = self.sum()
        self.take("else")
        otherwise = self.sum()
        return then if answer else otherwise
