"""Directions in which the accuracy proof of Theorem 14 of `sliding-window` is followed: shared by the evidence."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy

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
