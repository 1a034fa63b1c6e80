"""The sample size of PPCA and its failure probability, by formulas of the evidence's own, for three documents."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import mpmath

from dpmatrix.claims.formulas import real
from dpmatrix.spec.wishart.ppca import PpcaPoint

SETTING: dict[str, dict[str, Any]] = {
    "dimension >= 2, an integer": {"dimension": 1},
    "records >= 1, an integer": {"records": 0},
    "epsilon > 0": {"epsilon": 0},
    "second >= 0": {"second": Fraction(-1, 100)},
    "lambda_1 > lambda_2": {"first": Fraction(1, 4), "second": Fraction(1, 4)},
    "lambda_1 + lambda_2 <= 1": {"first": Fraction(101, 100)},
    "rho > 0": {"rho": 0},
    "rho < 1": {"rho": 1},
    "eta > 0": {"eta": 0},
    "eta < 1": {"eta": 1},
}


def outside(inside: PpcaPoint, **others: object) -> dict[str, object]:
    """Violate each hypothesis of the setting in turn."""
    violations = {says: attrs.evolve(inside, **change) for says, change in SETTING.items()}
    return {**violations, **others}


def needed(p: PpcaPoint, outer: int, inner: int, within: int) -> mpmath.mpf:
    """Compute ``d/(eps (1-rho) g) (outer log(1/eta)/d + inner log(within l1/((1-rho^2) g)))``."""
    rho, gap = real(p.rho), real(p.first) - real(p.second)
    logarithm = mpmath.log(within * real(p.first) / ((1 - rho**2) * gap))
    total = outer * mpmath.log(1 / real(p.eta)) / p.dimension + inner * logarithm
    return p.dimension / (real(p.epsilon) * (1 - rho) * gap) * total


def failure(p: PpcaPoint) -> mpmath.mpf:
    """Compute the failure probability from the density s^((d-3)/2) (1-s)^(-1/2) exp(-kappa s) of s = 1 - <vhat, v_1>^2.

    The total is a confluent hypergeometric function; the part s > 1 - rho^2 is an integral over c = sqrt(1 - s) < rho.
    """
    kappa = p.records * real(p.epsilon) * (real(p.first) - real(p.second)) / 2
    a = mpmath.mpf(p.dimension - 1) / 2
    total = mpmath.beta(a, mpmath.mpf(1) / 2) * mpmath.hyp1f1(a, a + mpmath.mpf(1) / 2, -kappa)
    missed = mpmath.quad(lambda c: 2 * (1 - c * c) ** (a - 1) * mpmath.exp(-kappa * (1 - c * c)), [0, real(p.rho)])
    return missed / total
