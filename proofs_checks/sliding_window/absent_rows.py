"""Theorem 11 for epsilon from 1 to 4: the tail of a gamma variate against delta, over boxes; no evidence by itself."""

from __future__ import annotations

from fractions import Fraction

import sympy
from flint import arb

from dpmatrix.claims import interval
from dpmatrix.exact import ball


def absent_spare(e: arb, b: arb) -> arb:
    """Give t - a + a log(a/t) - e^2 b/14 + log 4, a = b + 1/2, t = (b + e)/(1 + 2e)."""
    a, t = b + arb(1) / 2, (b + e) / (1 + 2 * e)
    return t - a + a * (a / t).log() - e * e * b / 14 + arb(4).log()


def absent_slope(e: arb, b: arb) -> arb:
    """Give the derivative of `absent_spare` in b: 1/(1 + 2e) + log(1 + 2e) + log r - r - e^2/14, r = a/(b + e)."""
    r = (b + arb(1) / 2) / (b + e)
    return 1 / (1 + 2 * e) + (1 + 2 * e).log() + r.log() - r - e * e / 14


def positive_over(function, e: tuple, b: tuple) -> bool:
    """Whether a function of two balls is positive over a rectangle, by halving the longer side, up to 1/1000."""
    if function(interval(*e), interval(*b)) > 0:
        return True
    sides = [upper - lower for lower, upper in (e, b)]
    if max(sides) < Fraction(1, 1000):
        return False
    if sides[0] > sides[1]:
        middle = (e[0] + e[1]) / 2
        return positive_over(function, (e[0], middle), b) and positive_over(function, (middle, e[1]), b)
    middle = (b[0] + b[1]) / 2
    return positive_over(function, e, (b[0], middle)) and positive_over(function, e, (middle, b[1]))


def check_larger_epsilon() -> None:
    e, b, u = sympy.symbols("e b u", positive=True)
    a, t = b + sympy.Rational(1, 2), (b + e) / (1 + 2 * e)
    assert sympy.simplify(sympy.Rational(1, 2) + (b - sympy.Rational(1, 2)) / (1 + 2 * e) - t) == 0
    assert sympy.expand(a * (1 + 2 * e) - (b + e)) == sympy.expand(2 * e * b + sympy.Rational(1, 2)), "t < a"
    assert sympy.diff(sympy.exp(u) - 1 - u, u) == sympy.exp(u) - 1, "1/(1 - exp(-u)) = 1 + 1/(exp(u) - 1) <= 1 + 1/u"
    spare = t - a + a * sympy.log(a / t) - e**2 * b / 14 + sympy.log(4)
    r = a / (b + e)
    slope = 1 / (1 + 2 * e) + sympy.log(1 + 2 * e) + sympy.log(r) - r - e**2 / 14
    assert sympy.simplify(sympy.expand_log(sympy.diff(spare, b) - slope, force=True)) == 0
    assert sympy.simplify(sympy.diff(r, b) - (e - sympy.Rational(1, 2)) / (b + e) ** 2) == 0, "r increases, to 1"
    assert 7 * arb(4).log() / 8 > 1.2
    one, four, least, large = Fraction(1), Fraction(4), Fraction(6, 5), Fraction(20)
    assert positive_over(absent_spare, (one, four), (least, large))
    assert positive_over(absent_slope, (one, four), (large, large))
    assert not positive_over(absent_spare, (Fraction(4), Fraction(5)), (least, large)), "the bound fails for 5"
    for e_value, b_value in ((2, 3), (Fraction(7, 2), 11)):
        for function, formula in ((absent_spare, spare), (absent_slope, slope)):
            told = formula.subs({e: sympy.Rational(e_value), b: b_value}).evalf(30)
            assert abs(function(ball(e_value), ball(b_value)) - arb(str(told))) < 1e-12
