"""The sample size of PPCA in `wishart` and in `near-optimal`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.ppca import PpcaPoint, quoted_sample_size, repaired_sample_size
from dpmatrix.tracing import bind_expression
from proofs_checks.ppca_sizes import outside

ppca_sample_complexity = cite("cross.ppca-sample-complexity@1eb15146")

INSIDE = PpcaPoint(5, 100, Fraction(1, 10), 1, 0, Fraction(3, 10), Fraction(1, 1000))
POINTS = [
    PpcaPoint(d, 1, Fraction(e, 5), Fraction(3, 5), Fraction(k, 10), Fraction(r, 10), Fraction(1, m))
    for d, e, k, r, m in product((2, 7), (1, 9), (0, 3), (1, 8), (2, 1000))
]

d, e, first, second, rho, eta = sympy.symbols("dimension epsilon first second rho eta")


def size(chance: int, outside_log: int, inside_log: int) -> sympy.Expr:
    """Return the sample size of PPCA with three constants."""
    gap = first - second
    bracket = chance * sympy.log(1 / eta) / d + outside_log * sympy.log(inside_log * first / ((1 - rho**2) * gap))
    return d / (e * (1 - rho) * gap) * bracket


@ppca_sample_complexity.refutes(grade="interval", region="d = 5, epsilon = 1/10, A = e_1 e_1'")
def test_the_quoted_size_is_another(statement) -> None:
    assert statement.at(INSIDE) is Truth.FALSE
    bind_expression(statement, -sympy.Abs(size(1, 1, 4) - size(4, 2, 8)))
    bind_hypotheses(statement, INSIDE, outside(INSIDE))


@ppca_sample_complexity.supports_repair(
    grade="derived", region="every d, spectrum, epsilon, rho and eta: two identities, in the variables of the docstring"
)
def test_the_sizes_differ_by_a_factor_between_two_and_four(statement) -> None:
    """With a = log(1/eta)/d > 0 and X = log(l1/((1-rho^2) Delta)) >= 0, as l1 >= Delta."""
    a, x, two = sympy.symbols("a X log2", nonnegative=True)
    quoted, original = a + x + 2 * two, 4 * a + 2 * (x + 3 * two)
    assert sympy.expand(original - 2 * quoted - (2 * a + 2 * two)) == 0
    assert sympy.expand(4 * quoted - original - (2 * x + 2 * two)) == 0
    small, large = size(1, 1, 4), size(4, 2, 8)
    bind_expression(statement, sympy.Min(large - 2 * small, 4 * small - large))
    assert all(statement.at(p) is Truth.TRUE for p in POINTS)
    assert not statement.strict
    bind_hypotheses(statement, INSIDE, outside(INSIDE))


@ppca_sample_complexity.controls("+repair", grade="interval", region="39/10 in place of 4; 5/2 in place of 2")
def test_narrower_factors_fail(statement) -> None:
    small_eta = attrs.evolve(INSIDE, eta=Fraction(1, 10**300))
    below = statement.nudged(margin=lambda p: quoted_sample_size(p) * 39 / 10 - repaired_sample_size(p))
    assert below.at(small_eta) is Truth.FALSE
    likely = attrs.evolve(INSIDE, dimension=50, eta=Fraction(9, 10), first=Fraction(51, 100), second=Fraction(49, 100))
    above = statement.nudged(margin=lambda p: repaired_sample_size(p) - quoted_sample_size(p) * 5 / 2)
    assert above.at(likely) is Truth.FALSE
