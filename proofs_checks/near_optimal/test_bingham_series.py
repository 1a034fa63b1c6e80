"""The normaliser of the matrix Bingham law of `near-optimal`, degree by degree."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import bingham_series
from dpmatrix.spec.near_optimal.bingham_series import BinghamTerm, series_term
from proofs_checks.near_optimal.conditions import bind_condition

algorithm_2 = cite("near-optimal.algorithm-2@7d677fd9")

VALUES = ((3,), (2, -1), (1, Fraction(1, 2), 4), (3, -2, 0, Fraction(7, 3)), (1, 1, 5, -1, 2))
POINTS = [BinghamTerm(values, k, j) for values in VALUES for k in range(1, len(values) + 1) for j in (1, 2, 3)]
INSIDE = BinghamTerm(VALUES[2], 2, 2)


def rises(number, count):
    return sympy.prod(number + i for i in range(count))


def zonal_sum(degree, k, d, one, two, three):
    """Give the series in d variables, for all of its partitions, from the tables of zonal polynomials."""
    half_k, half_d = k / sympy.Integer(2), d / sympy.Integer(2)
    lower, lowest = (half_k - sympy.Rational(1, 2), half_d - sympy.Rational(1, 2)), (half_k - 1, half_d - 1)

    def quotient(*parts):
        pairs = ((half_k, half_d), lower, lowest)
        return sympy.prod(rises(a, n) / rises(b, n) for (a, b), n in zip(pairs, parts, strict=False))

    if degree == 1:
        return quotient(1) * one
    if degree == 2:
        return quotient(2) * (one**2 + 2 * two) / 3 + quotient(1, 1) * 2 * (one**2 - two) / 3
    return (
        quotient(3) * (one**3 + 6 * one * two + 8 * three) / 15
        + quotient(2, 1) * 3 * (one**3 + one * two - 2 * three) / 5
        + quotient(1, 1, 1) * (one**3 - 3 * one * two + 2 * three) / 3
    )


@algorithm_2.supports(
    "normaliser",
    grade="derived",
    region="every d, k and B in the degrees 1 to 3: symbolically for d >= 3, the docstring; 45 points exactly",
)
def test_normaliser_is_a_hypergeometric_function(statement) -> None:
    """A row of V is k coordinates of a uniform unit vector, so that P_11 for P = VV' has the law Beta(k/2, (d-k)/2).

    The law of P is the same for every order of the coordinates, and tr P = k: k E P_11 = E P_11^2 + (d-1) E P_11 P_22,
    and so with P_11^2 and P_11 P_22 as factors. These are all moments of degree 3 at most, and (tr V'BV)^j is a
    polynomial of that degree.
    """
    k, d = sympy.symbols("k d", positive=True)
    one, two, three = sympy.symbols("p:3")
    first, second, third = (rises(k / 2, n) / rises(d / 2, n) for n in (1, 2, 3))
    pair, mixed = (k * first - second) / (d - 1), (k * second - third) / (d - 1)
    triple = (k * pair - 2 * mixed) / (d - 2)
    # Over distinct places: sum b_i b_j = p1^2 - p2, sum b_i^2 b_j = p2 p1 - p3, sum b_i b_j b_l as below.
    means = {
        1: first * one,
        2: second * two + pair * (one**2 - two),
        3: third * three + 3 * mixed * (two * one - three) + triple * (one**3 - 3 * one * two + 2 * three),
    }
    for degree, mean in means.items():
        assert sympy.cancel(sympy.together(mean - zonal_sum(degree, k, d, one, two, three))) == 0
    # The zonal polynomials of a degree sum to the power of the trace: k = d, where V'BV has the trace of B.
    assert all(sympy.cancel(sympy.together(means[j].subs(k, d) - one**j)) == 0 for j in means)
    # Beta(k/2, (d-k)/2): the moments by the integral, for k = 4 and d = 10.
    x = sympy.symbols("x")
    weight = sympy.expand(x * (1 - x) ** 2)
    total = sympy.integrate(weight, (x, 0, 1))
    for n in (1, 2, 3):
        mean = sympy.integrate(sympy.expand(x**n * weight), (x, 0, 1)) / total
        assert mean == (rises(k / 2, n) / rises(d / 2, n)).subs({k: 4, d: 10})
    bind(statement, [(p, Fraction(0)) for p in POINTS])
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    outside = {
        "columns >= 1, an integer": attrs.evolve(INSIDE, columns=-1),
        "k <= d": attrs.evolve(INSIDE, columns=4),
        "the degree is 1, 2 or 3": attrs.evolve(INSIDE, degree=4),
    }
    bind_hypotheses(statement, INSIDE, outside)
    bind_condition(statement, "k <= d", [(p, len(p.eigenvalues) - p.columns) for p in POINTS])
    degrees = [(attrs.evolve(INSIDE, degree=j), min(j - 1, 3 - j)) for j in range(-8, 12)]
    bind_condition(statement, "the degree is 1, 2 or 3", degrees)
    assert not statement.strict


@algorithm_2.controls("normaliser", grade="symbolic", region="1F1(k, d/2, B) in place of 1F1(k/2, d/2, B)")
def test_another_parameter_is_told(statement) -> None:
    """The margin with the wrong series is minus the distance of the two series, whose terms are computed here."""

    def wrong(p: BinghamTerm) -> fmpq:
        return series_term(attrs.evolve(p, columns=2 * p.columns))

    def term(p: BinghamTerm, columns: int) -> sympy.Rational:
        sums = (sum(sympy.Rational(value) ** power for value in p.eigenvalues) for power in (1, 2, 3))
        return zonal_sum(p.degree, columns, len(p.eigenvalues), *sums)

    changed = redefined(statement, bingham_series, "series_term", wrong)
    points = [p for p in POINTS if len(p.eigenvalues) > 2]
    distances = [(p, abs(term(p, 2 * p.columns) - term(p, p.columns))) for p in points]
    bind(changed, [(p, -Fraction(int(far.p), int(far.q))) for p, far in distances])
    assert all(changed.at(attrs.evolve(INSIDE, degree=degree)) is Truth.FALSE for degree in (1, 2, 3))
