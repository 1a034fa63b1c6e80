"""Theorem 7 of `near-optimal`: how far its size is from that of Theorem 8."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.matching_sizes import Factors, Sizes, quotient
from dpmatrix.spec.near_optimal.private_bound import SampleSize, improvement
from dpmatrix.spec.wishart.ppca import PpcaPoint, repaired_sample_size
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import printed_complement
from proofs_checks.steps import by_step

theorem_7 = cite("near-optimal.theorem-7@92e107a9")

HALF = Fraction(1, 2)
POINTS = [
    Sizes(d, first, second, eta, decay)
    for d, (first, second), eta, decay in product(
        (3, 5, 40),
        ((1, 0), (HALF, Fraction(2, 5))),
        (Fraction(1, 20), Fraction(19, 20)),
        (Fraction(1, 20), 2, 12),
    )
]
INSIDE = Sizes(3, HALF, Fraction(1, 4), HALF, Fraction(1, 20))
OUTSIDE = {
    "dimension >= 3, an integer": attrs.evolve(INSIDE, dimension=2),
    "second >= 0": attrs.evolve(INSIDE, second=Fraction(-1, 20)),
    "lambda_1 > lambda_2": attrs.evolve(INSIDE, second=HALF),
    "lambda_1 + lambda_2 <= 1": attrs.evolve(INSIDE, first=Fraction(4, 5)),
    "eta > 0": attrs.evolve(INSIDE, eta=0),
    "eta < 1": attrs.evolve(INSIDE, eta=1),
    "decay > 0": attrs.evolve(INSIDE, decay=0),
}


def factors(p: Sizes, constant, power: int) -> Factors:
    return Factors(p.dimension, p.first, p.second, p.eta, p.decay, constant, power)


def logarithm(p: Sizes) -> mpmath.mpf:
    rho = 1 - mpmath.exp(-real(p.decay))
    return mpmath.log(8 * real(p.first) / ((1 - rho**2) * (real(p.first) - real(p.second))))


def apart(p: Sizes) -> mpmath.mpf:
    """Divide the two sizes, each as its theorem has it."""
    lost = mpmath.exp(-real(p.decay))
    above = (4 * mpmath.log(1 / real(p.eta)) / p.dimension + 2 * logarithm(p)) / lost
    return above / max(1, mpmath.sqrt(printed_complement(p.dimension) / (80 * lost)))


def without_dimension(p: Sizes) -> mpmath.mpf:
    return 4 * mpmath.log(1 / real(p.eta)) + 2 * logarithm(p)


def check(statement, outside, inside) -> None:
    bind_hypotheses(statement, inside, outside)
    bind_condition(statement, "lambda_1 > lambda_2", [(p, p.first - p.second) for p in POINTS], strict=True)
    bind_condition(statement, "lambda_1 + lambda_2 <= 1", [(p, 1 - p.first - p.second) for p in POINTS])
    assert not statement.strict


@theorem_7.supports(
    "same-in-dimension",
    grade="derived",
    region="every d >= 3, spectrum, eta and rho: the docstring; bound at 36 points",
)
@theorem_7.supports(
    "square-root-in-the-correlation",
    grade="derived",
    region="every d >= 3, spectrum, eta and rho: the docstring; bound at 36 points",
)
def test_sizes_differ_by_a_square_root_and_logarithms(statements) -> None:
    """Let c = 1 - rho, m = max(1, sqrt(x/(80 c))) with x = 1 - phi <= 1, and T = 4 log(1/eta)/d + 2 L.

    L = log(8 l1/((1-rho^2) Delta)) >= log 8, as l1 >= Delta. The quotient is T/(c m). Above: 1/d <= 1, m >= 1 and m >=
    sqrt(x/(80 c)). Below: T >= 2 log 8 > 1 and c m = max(c, sqrt(x c/80)) <= 1.
    """
    steps = by_step(statements)
    alike, root = steps["same-in-dimension"], steps["square-root-in-the-correlation"]
    c, x = sympy.symbols("c x", positive=True)
    assert sympy.simplify(1 / (c * sympy.sqrt(x / (80 * c))) - sympy.sqrt(80 / (x * c))) == 0
    assert 2 * sympy.log(8) > 1
    with mpmath.workdps(60):
        bind_formula(
            alike, POINTS, lambda p: min(apart(p) - 1, without_dimension(p) * mpmath.exp(real(p.decay)) - apart(p))
        )

        def below(p: Sizes) -> mpmath.mpf:
            lost = mpmath.exp(-real(p.decay))
            return mpmath.sqrt(80 / (printed_complement(p.dimension) * lost)) * without_dimension(p) - apart(p)

        bind_formula(root, POINTS, below)
    for statement in (alike, root):
        assert all(statement.at(p) is Truth.TRUE for p in POINTS)
        check(statement, OUTSIDE, INSIDE)
    # The quotient is that of the two theorems, whatever epsilon is.
    for d, first, second, rho, epsilon in product(
        (3, 9), (HALF, Fraction(4, 5)), (0, Fraction(1, 5)), (HALF, Fraction(999, 1000)), (HALF, 3)
    ):
        above = PpcaPoint(d, 1, epsilon, first, second, rho, Fraction(1, 10))
        gap = Fraction(first) - second
        under = d / (ball(epsilon) * ball(gap)) * improvement(SampleSize(d, 1, epsilon, gap, rho))
        point = Sizes(d, first, second, Fraction(1, 10), (1 / (1 - ball(rho))).log())
        assert abs(repaired_sample_size(above) / under / quotient(point) - 1) < arb("1e-9")


def growing(constant, power) -> Factors:
    """Take 1 - rho so small that its square root outweighs the power: d = 3, eigenvalues 1/2 and 1/4, eta = 1/2."""
    size = rational(constant)
    digits = len(str(int(size.ceil()))) + 40
    return Factors(
        3, HALF, Fraction(1, 4), HALF, 40 * (int(power) * (len(str(int(power))) + 4) + digits), constant, power
    )


@theorem_7.refutes(
    "match-up-to-logarithms",
    grade="derived",
    region="every C and m: a family with d = 3, eigenvalues 1/2 and 1/4, eta = 1/2",
)
def test_no_power_of_the_logarithm_is_enough(statement) -> None:
    """With t = log(1/(1-rho)) the quotient is at least 2 log 8 min(e^t, e^(t/2) sqrt(80/x)), x = 1 - phi <= 1.

    Here t = 40 (m (a + 4) + b) for m of a digits and C <= 10^(b - 40), so that t/2 = 20 (m (a + 4) + b). It exceeds
    log C <= 3 b and m log(1 + t) <= m (5 + 3 a + log b): m log b is at most 10 m (a + 4) or, for larger b, at most b.
    """
    statement.refute(growing)
    steps = [factors(p, Fraction(k, 3), k) for k in (1, 2) for p in POINTS]
    with mpmath.workdps(60):
        bind_formula(statement, steps, lambda p: real(p.constant) * (1 + real(p.decay)) ** p.power - apart(p))
    assert statement.conclusion(factors(INSIDE, 100, 1)) is Truth.TRUE, "at one rho any constant may do"
    inside = factors(INSIDE, 1, 1)
    outside = {says: factors(p, 1, 1) for says, p in OUTSIDE.items()} | {
        "constant > 0": factors(INSIDE, 0, 1),
        "power >= 1, an integer": factors(INSIDE, 1, 0),
    }
    check(statement, outside, inside)
