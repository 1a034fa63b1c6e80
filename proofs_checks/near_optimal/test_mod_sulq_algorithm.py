"""Algorithm 1 of `near-optimal` on raw data."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.mod_sulq_algorithm import ModSulqRun

algorithm_1 = cite("near-optimal.algorithm-1@44fb5a6d")

RAW = ModSulqRun(2, 1, 1, Fraction(1, 100), norm_bound=10)


def excess(p: ModSulqRun) -> mpmath.mpf:
    """Compute delta minus the Gaussian profile at the shift R^2 sqrt(2) / (n beta), or R^2 / (n beta) for d = 1."""
    d, epsilon, delta = p.dimension, real(p.epsilon), real(p.delta)
    logarithm = mpmath.log((d * d + d) / (delta * 2 * mpmath.sqrt(2 * mpmath.pi)))
    noise = (d + 1) / epsilon * mpmath.sqrt(2 * logarithm) + 1 / mpmath.sqrt(epsilon)
    shift = real(p.norm_bound) ** 2 * mpmath.sqrt(2 if d > 1 else 1) / noise
    near, far = shift / 2 - epsilon / shift, -shift / 2 - epsilon / shift

    def tail(x):
        return mpmath.erfc(-x / mpmath.sqrt(2)) / 2

    return delta - (tail(near) - mpmath.exp(epsilon) * tail(far))


@algorithm_1.refutes(grade="interval", region="d = 2, n = 1, epsilon = 1, delta = 1/100, records of norm up to 10")
def test_longer_records_break_mod_sulq(statement) -> None:
    assert statement.at(RAW) is Truth.FALSE
    assert ModSulqRun(2, 1, 1, Fraction(1, 2)) == ModSulqRun(2, 1, 1, Fraction(1, 2), norm_bound=1, deviation=1)
    assert statement.nudged(lambda margin: margin + ball(Fraction(49, 50))).at(RAW) is Truth.FALSE, (
        "delta is above 0.99"
    )
    assert statement.at(attrs.evolve(RAW, norm_bound=1)) is Truth.TRUE
    with mpmath.workdps(60):
        points = [
            ModSulqRun(d, n, Fraction(e, 2), Fraction(1, m), norm_bound=Fraction(r, 2))
            for (d, n), e, m, r in product(((1, 1), (2, 3), (5, 1)), (1, 5), (3, 100), (1, 9))
        ]
        bind(statement, [(p, mpmath.nstr(excess(p), 55)) for p in points])
    bind_hypotheses(
        statement,
        RAW,
        {
            "dimension >= 1, an integer": attrs.evolve(RAW, dimension=0),
            "records >= 1, an integer": attrs.evolve(RAW, records=0),
            "epsilon > 0": attrs.evolve(RAW, epsilon=0),
            "delta > 0": attrs.evolve(RAW, delta=0),
            "delta < 1": attrs.evolve(RAW, delta=1),
            "delta <= (d^2 + d)/(2 sqrt(2 pi))": attrs.evolve(RAW, dimension=1, delta=Fraction(1, 2)),
        },
    )
