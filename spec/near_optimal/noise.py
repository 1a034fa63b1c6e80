"""The noise of Algorithm 1, MOD-SULQ: beta of (5)."""

from __future__ import annotations

import attrs
from flint import arb

from dpmatrix.claims import Condition
from dpmatrix.exact import Real, ball
from dpmatrix.spec.common.conditions import below, positive, whole


def noise_logarithm(dimension: int, delta: Real) -> arb:
    """``log((d^2 + d)/(delta 2 sqrt(2 pi)))``."""
    return ((dimension**2 + dimension) / (ball(delta) * 2 * (2 * arb.pi()).sqrt())).log()


def noise_times_records(dimension: int, epsilon: Real, delta: Real) -> arb:
    """``n beta`` of (5): ``(d+1)/eps sqrt(2 log((d^2+d)/(delta 2 sqrt(2 pi)))) + 1/sqrt(eps)``."""
    root = (2 * noise_logarithm(dimension, delta)).sqrt()
    return (dimension + 1) / ball(epsilon) * root + 1 / ball(epsilon).sqrt()


@attrs.frozen
class ModSulq:
    """Inputs of MOD-SULQ that its noise depends on: dimension d, number of records n, epsilon and delta."""

    dimension: int
    records: int
    epsilon: Real
    delta: Real


def logarithm(p: ModSulq) -> arb:
    """The logarithm under the root of (5)."""
    return noise_logarithm(p.dimension, p.delta)


def printed_deviation(p: ModSulq) -> arb:
    """``beta`` of (5)."""
    return noise_times_records(p.dimension, p.epsilon, p.delta) / p.records


INPUTS = (
    whole("dimension", 1),
    whole("records", 1),
    positive("epsilon"),
    positive("delta"),
    below("delta", 1),
)
REAL_NOISE = Condition("delta <= (d^2 + d)/(2 sqrt(2 pi))", logarithm)
