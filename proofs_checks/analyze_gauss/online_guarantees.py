"""What the claims about Algorithms 2 and 3 share: the noise, and what lies outside of a guarantee."""

from __future__ import annotations

import attrs
import mpmath

from dpmatrix.claims.formulas import real


def deviation(p) -> mpmath.mpf:
    return (1 + mpmath.sqrt(2 * mpmath.log(1 / real(p.delta)))) / real(p.epsilon)


def sufficient(p) -> mpmath.mpf:
    """Delta, or the positive root t of epsilon t - 1/(2t) = a where that is more."""
    epsilon = real(p.epsilon)
    a = deviation(p) * epsilon - 1
    return deviation(p) if epsilon <= 2 * (1 + a) else (a + mpmath.sqrt(a**2 + 2 * epsilon)) / (2 * epsilon)


def turned(gap, rows: int) -> mpmath.mpf:
    return mpmath.sqrt(2) * mpmath.sin(mpmath.asin(rows / gap) / 2)


GUARANTEE = {
    "epsilon > 0": {"epsilon": 0},
    "delta > 0": {"delta": 0},
    "delta < 1": {"delta": 1},
}


def outside(point, changes: dict[str, dict]) -> dict:
    return {says: attrs.evolve(point, **change) for says, change in changes.items()}
