"""Theorem 15 of `near-optimal`: which of the lower ends of Phi is the largest."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.sulq_utility_proof import ManyRecords, records_for_third_end
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import beta

theorem_15 = cite("near-optimal.theorem-15@45265fbf")

HALF = Fraction(1, 2)
LEAST = "n is no less than that"


def many(d: int, more: int, epsilon, delta) -> ManyRecords:
    least = records_for_third_end(d, epsilon, delta)
    return ManyRecords(d, least + more, epsilon, delta, least)


POINTS = [
    many(d, more, epsilon, delta)
    for d, more, epsilon, delta in product(
        (2, 3, 60), (0, 7), (Fraction(1, 10), 3), (Fraction(1, 100), Fraction(19, 20))
    )
]


@theorem_15.supports(
    "third-end-from-some-n-on", grade="derived", region="every d >= 2, epsilon and delta: the docstring; 24 points"
)
def test_third_end_is_the_largest_for_many_records(statement) -> None:
    """The third end is at least the second where 2/beta^2 + log 256 >= 2 log(8d), that is 1/beta^2 >= log(d/2).

    1/beta^2 = (n/b)^2 with b = n beta, which has no n: from n = b sqrt(log d) on it is at least log d. The second end
    is never below the first: with x = 2 log(8d)/(d-1) >= 5/(d-1), 1 - exp(-x) >= x/(1+x) >= 5/(d+4) >= 1/(2 pi d).
    """
    d = sympy.symbols("d", positive=True)
    ends = 2 * sympy.log(d / 2) + sympy.log(256) - 2 * sympy.log(8 * d)
    assert sympy.simplify(sympy.expand_log(ends)) == 0
    assert 2 * sympy.log(16) > 5
    x = 5 / (d - 1)
    assert sympy.simplify(x / (1 + x) - 5 / (d + 4)) == 0
    with mpmath.workdps(60):

        def formula(p: ManyRecords) -> mpmath.mpf:
            third = 1 - mpmath.exp(-(2 / beta(p) ** 2 + mpmath.log(256)) / (p.dimension - 1))
            second = 1 - mpmath.exp(-2 * mpmath.log(8 * p.dimension) / (p.dimension - 1))
            return mpmath.sqrt(third) - mpmath.sqrt(max(second, 1 / (2 * mpmath.pi * p.dimension)))

        bind_formula(statement, [attrs.evolve(p, records=1 + p.records // k) for p in POINTS for k in (1, 9)], formula)
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    for p in POINTS[::2]:
        assert (
            beta(p) ** -2 >= mpmath.log(p.dimension) > beta(attrs.evolve(p, records=max(1, p.least - 1))) ** -2
            or p.least == 1
        )
    early = [(attrs.evolve(p, least=p.least + k), p.records - p.least - k) for p in POINTS for k in (0, 1)]
    bind_condition(statement, LEAST, early)
    inside = many(2, 0, Fraction(1, 20), Fraction(1, 20))
    bind_hypotheses(
        statement,
        inside,
        {
            "dimension >= 2, an integer": attrs.evolve(inside, dimension=1),
            "records >= 1, an integer": attrs.evolve(inside, records=0),
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "delta > 0": attrs.evolve(inside, delta=0),
            "delta < 1": attrs.evolve(inside, delta=1),
            "least >= 1, an integer": attrs.evolve(inside, least=0),
            LEAST: attrs.evolve(inside, records=inside.least - 1),
        },
    )
    assert not statement.strict


@theorem_15.controls("third-end-from-some-n-on", grade="interval", region="d = 60, epsilon = 1/10, n = 1")
def test_with_few_records_another_end_is_larger(statement) -> None:
    first = statement.exhibits(least=1)
    assert first.at(ManyRecords(60, 1, Fraction(1, 10), Fraction(1, 100), 1)) is Truth.FALSE
