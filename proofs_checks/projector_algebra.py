"""Polynomials in two projectors that do not commute: shared by the evidence, no evidence by itself."""

from __future__ import annotations

import sympy

P, Q = sympy.symbols("P Q", commutative=False)


def reduced(expression: sympy.Expr) -> sympy.Expr:
    """Bring a polynomial in the projectors P and Q to normal form: P^2 = P, Q^2 = Q."""
    before = None
    while before != expression:
        before = expression
        expression = sympy.expand(expression).subs({P**2: P, Q**2: Q})
    return expression
