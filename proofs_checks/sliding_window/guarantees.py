"""What an (epsilon, delta) guarantee forbids, and what lies outside of it."""

from __future__ import annotations

import attrs
import mpmath
import sympy

from dpmatrix.claims.formulas import real

EPSILON, DELTA, FAILURE = sympy.symbols("epsilon delta failure")
CONFUSION = sympy.exp(EPSILON) * FAILURE + DELTA - 1 + FAILURE
"""What `told_apart` computes."""
CHANGES = sympy.Symbol("changes")
FAR_CONFUSION = sympy.exp(CHANGES * EPSILON) * FAILURE + FAILURE - 1
FAR_CONFUSION += DELTA * (sympy.exp(CHANGES * EPSILON) - 1) / (sympy.exp(EPSILON) - 1)
"""The same after several changes of one row, by the guarantee for groups."""


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
