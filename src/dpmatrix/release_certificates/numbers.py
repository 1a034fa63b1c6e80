"""The numbers of a certificate: rounded to the side on which the sentence stays true."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context
from decimal import Decimal as Number
from fractions import Fraction

from flint import arb

from dpmatrix.exact import precision, rational
from dpmatrix.mechanisms.noise_sizes import upper

DIGITS = 3
_LARGEST_EPSILON, _MOST_DIGITS, _LONGEST = 1000, 12, 40


def decimal(value: Fraction, rounding: str = ROUND_HALF_EVEN, digits: int = DIGITS) -> str:
    """Write a number with a few significant digits."""
    context = Context(prec=digits, rounding=rounding, Emin=-(10**9), Emax=10**9)
    found = context.divide(Number(value.numerator), Number(value.denominator))
    if found and -4 <= found.adjusted() < 7:
        return f"{found:f}"
    return f"{found.normalize()}".replace("E", "e") if found else "0"


def at_most(value: Fraction) -> str:
    """Write a number rounded up."""
    return decimal(value, ROUND_CEILING)


def shown(value: Fraction) -> str:
    """Write an exact number as a decimal where it is a short one, else as a fraction beside a rounded decimal."""
    text = decimal(value, digits=12)
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    if Fraction(text) == value:
        return text
    exact = str(value)
    return exact if len(exact) <= 24 else f"about {decimal(value, digits=4)}"


def is_brief(value: Fraction) -> bool:
    """Whether an exact number is short enough for a line of the certificate."""
    return len(str(value)) <= _LONGEST


def brief(value: Fraction) -> str:
    """Write an exact number, or what `shown` has for it where it is a long one."""
    return str(value) if is_brief(value) else shown(value)


def odds_factor(epsilon: Fraction) -> str:
    """Write e^epsilon, rounded up; with more digits where it is close to one."""
    if epsilon > _LARGEST_EPSILON:
        return f"more than {odds_factor(Fraction(_LARGEST_EPSILON))}"
    digits = DIGITS
    while digits < _MOST_DIGITS and epsilon * 10 ** (digits - DIGITS + 1) < 1:
        digits += 1
    return decimal(upper(arb(rational(epsilon)).exp()), ROUND_CEILING, digits)


def even_odds(epsilon: Fraction) -> str:
    """Write e^epsilon / (1 + e^epsilon) in per cent, rounded up and never above 100."""
    if epsilon > _LARGEST_EPSILON:
        return "100"
    with precision(64 + 2 * int(epsilon)):
        share = upper(100 / (1 + (-arb(rational(epsilon))).exp()))
    return at_most(min(share, Fraction(100)))
