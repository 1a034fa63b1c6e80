"""What an (epsilon, delta) guarantee forbids, and what lies outside of it."""

from __future__ import annotations

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims.formulas import real

EPSILON, DELTA, FAILURE = sympy.symbols("epsilon delta failure")
CONFUSION = sympy.exp(EPSILON) * FAILURE + DELTA - 1 + FAILURE
"""What `told_apart` computes."""
CHANGES = sympy.Symbol("changes")
FAR_CONFUSION = sympy.exp(CHANGES * EPSILON) * FAILURE + FAILURE - 1
FAR_CONFUSION += DELTA * (sympy.exp(CHANGES * EPSILON) - 1) / (sympy.exp(EPSILON) - 1)
"""The same after several changes of one row, by the guarantee for groups."""


def far_delta(changes: int) -> arb:
    """``2^-(3g/2 + 3)`` for an even g, small enough that g changes do not make it matter: see `check_far_delta`."""
    return arb(2) ** -(3 * changes // 2 + 3)


def check_far_delta(dimension: int) -> None:
    """At eps = 1 it is below e^-g/8, so that delta (e^g - 1)/(e - 1) is below 1/13, and tau below 40 g for even g."""
    assert sympy.Rational(3, 2) * sympy.log(2) > 1, "2^(3/2) > e"
    assert 8 * (sympy.E - 1) > 13
    assert dimension + 14 * sympy.log(2) * (5 + 3) < 80, "tau < 40 g at g = 2"
    assert 21 * sympy.log(2) < 40, "and tau grows less than 40 g"


def told_apart(p):
    """Compute e^eps beta + delta - (1 - beta)."""
    return mpmath.exp(real(p.epsilon)) * real(p.failure) + real(p.delta) - 1 + real(p.failure)


def guarantee(p) -> dict:
    return {
        "epsilon > 0": attrs.evolve(p, epsilon=0),
        "delta > 0": attrs.evolve(p, delta=0),
        "delta < 1": attrs.evolve(p, delta=1),
        "constant > 0": attrs.evolve(p, constant=0),
    }
