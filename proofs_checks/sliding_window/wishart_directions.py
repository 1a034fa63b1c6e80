"""Directions in which the accuracy proof of Theorem 14 of `sliding-window` is followed: shared by the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims.formulas import symbolic
from dpmatrix.spec.sliding_window.wishart_accuracy import WishartDirection

SYMBOLS = k1, k2, n1, n2, w, eta, e1, e2 = sympy.symbols("k1 k2 n1 n2 w eta e1 e2")
FIELDS = {
    "first": k1,
    "second": k2,
    "noisy_first": n1,
    "noisy_second": n2,
    "window": w,
    "error": e1,
    "other_error": e2,
}
SOUND = WishartDirection(5, 3, 6, 4, 4, Fraction(1, 2), 1, 1)
EQUAL = WishartDirection(1, 1, 1, 1, 1, 0, 0, 0)
EDGE = WishartDirection(2, 1, 2, 1, 1, Fraction(1, 2), 0, 1)
"""u'K~(2)u is half of u'K~(1)u."""
CHAIN = {
    "u'K(2)u <= |A_W u|^2 <= u'K(1)u": attrs.evolve(SOUND, window=2),
    "(1 - eta) u'K~(1)u <= u'K~(2)u": WishartDirection(2, 1, 2, 1, 1, 0, 0, 0),
    "|u'(K~(1) - K(1))u| <= c_1 sigma": attrs.evolve(EQUAL, error=-1),
    "|u'(K~(2) - K(2))u| <= c_2 sigma": attrs.evolve(EQUAL, other_error=-1),
    "eta >= 0": attrs.evolve(SOUND, eta=-1),
    "eta < 1": attrs.evolve(SOUND, eta=1),
}


def on_directions(formula: sympy.Expr) -> Iterator[tuple[WishartDirection, sympy.Expr]]:
    """Pair 24 directions with the value of a formula in the symbols there."""
    for a, b, c in product((3, 5, 8), (1, 2), (Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), 0)):
        p = WishartDirection(a, b, a + 1, b + 1, c + b, c, 2 * a, 3 * b)
        yield p, formula.subs(dict(zip(SYMBOLS, map(symbolic, attrs.astuple(p)), strict=True))).evalf(50)
