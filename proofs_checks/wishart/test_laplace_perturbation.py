"""Lemma 2 and Theorem 3 of `wishart`, against the exact sensitivity; sign matrices attain it."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, precision, whole_number
from dpmatrix.privacy import Adjacency, Entries, l1_sensitivity
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart import laplace_perturbation
from dpmatrix.spec.wishart.laplace_perturbation import (
    FlatRecords,
    full_sensitivity,
    laplace_perturbation_slack,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.sign_matrices import exceeds_or_attains, squared_formula

lemma_2 = cite("wishart.lemma-2@0be11a46")
theorem_3 = cite("wishart.theorem-3@ec1ddeda")

d, n = sympy.symbols("dimension records", positive=True)
step = sympy.symbols("step", nonnegative=True)
INPUTS = {
    "dimension >= 1, an integer": InputPerturbation(0, 5, 1),
    "records >= 1, an integer": InputPerturbation(3, 0, 1),
    "epsilon > 0": InputPerturbation(3, 5, 0),
}
SIZES = {says: point for says, point in INPUTS.items() if says != "epsilon > 0"}
EVERY_D = (
    "every d and n: the sensitivity by the notes of `l1_sensitivity`, its inequality with the bound as a polynomial"
)


def inputs() -> list[InputPerturbation]:
    return [InputPerturbation(k, 10 * k + 3, Fraction(k, 7)) for k in range(1, 40)]


def full(k):
    """Exact l1 sensitivity of all entries, unnormalised."""
    return sympy.sqrt(2 * k**2 - k % 2)


FULL = sympy.sqrt(2 * d**2 - d + 2 * sympy.floor(d / 2))
"""The same in one symbol: d mod 2 is d - 2 floor(d/2)."""


def triangle(k: int):
    """Exact l1 sensitivity of the upper triangle, unnormalised."""
    return sympy.Integer(1) if k == 1 else sympy.sqrt((k + 2) ** 2 + k**2 - k % 2) / 2


def nonnegative_for_nonnegative_step(polynomial) -> bool:
    """All coefficients in ``step`` are non-negative, so the polynomial is."""
    return all(coefficient >= 0 for coefficient in sympy.Poly(sympy.expand(polynomial), step).all_coeffs())


@lemma_2.refutes(grade="symbolic", region="d = 1, n = 7: s_1 = 1/n = d/n")
def test_strict_lower_bound_fails_in_dimension_one(statement) -> None:
    assert statement.at(InputPerturbation(1, 7, 1)) is Truth.FALSE
    bind_expression(statement, sympy.Min((FULL - d) / n, (2 * d - FULL) / n))
    bind_hypotheses(statement, InputPerturbation(1, 7, 1), SIZES)


@lemma_2.supports_repair(grade="derived", region=EVERY_D)
@lemma_2.supports("lower-bound", grade="derived", region=EVERY_D)
@lemma_2.supports("upper-bound", grade="derived", region=EVERY_D)
def test_sensitivity_lies_between_the_bounds(statements) -> None:
    """Squares: 2d^2 - 1 - d^2 = (d - 1)(d + 1), zero at d = 1 alone, and 2d^2 < 4d^2; 2d^2 is that of sqrt(2) d."""
    for parity in (0, 1):
        square = 2 * d**2 - parity
        assert nonnegative_for_nonnegative_step((square - d**2).subs(d, 1 + step))
        assert nonnegative_for_nonnegative_step((square - d**2 - 1).subs(d, 2 + step)), "above d from d = 2 on"
        assert nonnegative_for_nonnegative_step((4 * d**2 - square - 1).subs(d, 1 + step))
        assert 2 * d**2 - square == parity, "zero for even d"
    assert (full(1) - 1) == 0
    lower, upper, sharp = (FULL - d) / n, (2 * d - FULL) / n, (sympy.sqrt(2) * d - FULL) / n
    repaired = statements["wishart.lemma-2+repair"]
    bind_expression(statements["wishart.lemma-2/lower-bound"], lower)
    bind_expression(statements["wishart.lemma-2/upper-bound"], upper)
    bind_expression(repaired, sympy.Min(lower, sharp))
    assert not repaired.strict
    assert statements["wishart.lemma-2/upper-bound"].strict
    assert not statements["wishart.lemma-2/lower-bound"].strict
    for statement in (statements["wishart.lemma-2/lower-bound"], repaired):
        assert statement.at(InputPerturbation(1, 1, 1)) is Truth.TRUE, "equality on the left"
    for p in inputs():
        assert repaired.at(p) is (Truth.TRUE if p.dimension % 2 else Truth.UNDECIDED), "equality for even d"
    for statement in statements.values():
        bind_hypotheses(statement, InputPerturbation(1, 1, 1), SIZES)


@lemma_2.controls("+repair", grade="symbolic", region="d = 2, n = 1: an upper bound of 4d/(3n)")
def test_an_upper_bound_below_the_exact_value_is_noticed(statement) -> None:
    def narrower(p: InputPerturbation) -> arb:
        return (arb(4 * p.dimension) / 3 - full_sensitivity(p)) / p.records

    assert statement.at(InputPerturbation(2, 1, 1)) is not Truth.FALSE, "sqrt(2) d is attained, not exceeded"
    assert statement.nudged(margin=narrower).at(InputPerturbation(2, 1, 1)) is Truth.FALSE
    check_domain_of_the_sensitivity()


def check_domain_of_the_sensitivity() -> None:
    """Check that records of norm 0 are all alike, no norm is negative, and records and coordinates are counted."""
    for size in (1, 2, 3):
        assert l1_sensitivity(size, Adjacency.REPLACE_ONE, norm_bound=0) == 0
        with pytest.raises(InvalidParameterError, match="norm_bound"):
            l1_sensitivity(size, Adjacency.REPLACE_ONE, norm_bound=Fraction(-1, 20))
    for none in (0, Fraction(3, 2)):
        with pytest.raises(InvalidParameterError, match="dimension"):
            l1_sensitivity(none, Adjacency.REPLACE_ONE)
    assert whole_number(0, "records") == 0
    with pytest.raises(InvalidParameterError, match="records"):
        whole_number(-1, "records")


@lemma_2.refutes("triangle-inequality", grade="symbolic", region="d = 4, p flat, q = 0")
@lemma_2.refutes("doubling", grade="symbolic", region="d = 4, p flat, q = 0")
def test_two_printed_lines_fail_at_the_pair_of_the_lower_bound(statements) -> None:
    zero, half = FlatRecords(4, 0), FlatRecords(4, Fraction(1, 2))
    triangle_inequality = statements["wishart.lemma-2/triangle-inequality"]
    doubling = statements["wishart.lemma-2/doubling"]
    assert triangle_inequality.at(zero) is Truth.FALSE
    assert doubling.at(zero) is Truth.FALSE
    assert triangle_inequality.at(half) is Truth.TRUE
    assert triangle_inequality.applies(FlatRecords(1, 0)) is Truth.TRUE
    assert doubling.at(FlatRecords(4, 1)) is Truth.TRUE
    t = sympy.symbols("t")
    for statement, formula in (
        (triangle_inequality, d * (1 + t**2) - d * sympy.Abs(1 - t**2)),
        (doubling, -sympy.Abs(d * (1 + t**2) - 2 * d)),
    ):
        bind_expression(statement, formula)
        bind_hypotheses(
            statement,
            half,
            {
                "dimension >= 1, an integer": FlatRecords(0, 0),
                "t >= 0": FlatRecords(4, -1),
                "t <= 1": FlatRecords(4, 2),
            },
        )


@lemma_2.refutes("factor-n", grade="symbolic", region="d = 3, n = 2")
def test_the_factor_n_is_dropped(statement) -> None:
    assert statement.at(InputPerturbation(3, 2, 1)) is Truth.FALSE
    assert statement.at(InputPerturbation(3, 1, 1)) is Truth.TRUE, "at n = 1 both sides agree"
    bind_expression(statement, 2 * d / n - 2 * d)
    bind_hypotheses(statement, InputPerturbation(2, 5, 1), SIZES)


@theorem_3.supports(
    grade="derived",
    region="every d, n, epsilon: the sensitivity by the notes of `l1_sensitivity`, its inequality with the "
    "scale as a polynomial",
)
@theorem_3.supports(
    "scale-exceeds-sensitivity",
    grade="derived",
    region="every d, n: 4 d^2 > 2 d^2, as for lemma-2/upper-bound; bound at 39 points",
)
def test_printed_scale_covers_the_upper_triangle(statements) -> None:
    """The divergence is 0 where the loss, sensitivity / scale, is at most epsilon (`wishart.theorem-1`).

    For d >= 2, 16 d^2 - ((d+2)^2 + d^2) = 14 d^2 - 4d - 4 > 0, and 1 < 2 at d = 1.
    """
    assert nonnegative_for_nonnegative_step((16 * d**2 - ((d + 2) ** 2 + d**2) - 1).subs(d, 1 + step))
    bind(statements["wishart.theorem-3"], ((p, 0) for p in inputs()))
    odd = d - 2 * sympy.floor(d / 2)
    sensitivity = sympy.Piecewise((sympy.sqrt(((d + 2) ** 2 + d**2 - odd) / 4), d > 1), ((d + 1) / 2, True)) / n
    epsilon = sympy.Symbol("epsilon", positive=True)
    loss = sensitivity / (2 * d / (n * epsilon))
    lost = sympy.Piecewise((sympy.exp((epsilon - loss) / 2) - 1, epsilon < loss), (0, True))
    bind_expression(statements["wishart.theorem-3"], lost)
    with precision(256):
        for p in inputs():
            slack = (sympy.Rational(p.epsilon) * (1 - triangle(p.dimension) / (2 * p.dimension))).evalf(50)
            assert abs(laplace_perturbation_slack(p) - arb(str(slack))) < arb(10) ** -40
    bind_expression(statements["wishart.theorem-3/scale-exceeds-sensitivity"], (2 * d - FULL) / n)
    assert statements["wishart.theorem-3/scale-exceeds-sensitivity"].strict
    assert not statements["wishart.theorem-3"].strict, "a guarantee may be met exactly"
    assert statements["wishart.theorem-3"].at(InputPerturbation(1, 1, 1)) is Truth.TRUE
    bind_hypotheses(statements["wishart.theorem-3"], InputPerturbation(2, 5, 1), INPUTS)
    bind_hypotheses(statements["wishart.theorem-3/scale-exceeds-sensitivity"], InputPerturbation(2, 5, 1), SIZES)


@theorem_3.controls(grade="interval", region="d = 50, n = 10, epsilon = 1: scale divided by 3")
def test_a_third_of_the_printed_scale_is_too_little(statement) -> None:
    """The printed scale has slack 2 sqrt(2); a third of it must fail, three quarters must not."""
    point, printed = InputPerturbation(50, 10, 1), laplace_perturbation.printed_laplace_scale

    def with_share(share: Fraction) -> Statement:
        return redefined(statement, laplace_perturbation, "printed_laplace_scale", lambda p: printed(p) * ball(share))

    third = with_share(Fraction(1, 3))
    assert with_share(Fraction(3, 4)).at(point) is Truth.TRUE
    assert third.at(point) is Truth.FALSE
    values = []
    for p in (InputPerturbation(k, 7, Fraction(k, 30)) for k in range(50, 70)):
        loss = 3 * triangle(p.dimension) / (2 * p.dimension)  # in units of epsilon
        values.append((p, (sympy.exp(sympy.Rational(p.epsilon) * (1 - loss) / 2) - 1).evalf(50)))
    bind(third, values)


EXACT = (
    "the sensitivity in the margin, entries and d as in the item's name: every sign matrix, to which the notes of "
    "`l1_sensitivity` reduce it"
)


@lemma_2.supports_repair(grade="derived", region=EXACT)
@theorem_3.supports(grade="derived", region=EXACT)
@pytest.mark.parametrize("entries", Entries)
@pytest.mark.parametrize("dimension", [2, 3, 4, 5])
def test_every_sign_matrix_stays_within_the_formula_and_one_attains_it(statements, dimension, entries):
    """The margins of Lemma 2 and Theorem 3 take the sensitivities from these formulas."""
    point, spread = InputPerturbation(dimension, 1, 1), full(dimension)
    assert statements["wishart.theorem-3"].at(point) is Truth.TRUE
    assert statements["wishart.lemma-2+repair"].at(point) is (Truth.TRUE if dimension % 2 else Truth.UNDECIDED)
    least = sympy.Min(spread - dimension, sympy.sqrt(2) * dimension - spread).evalf(50)
    bind(statements["wishart.lemma-2+repair"], [(point, least)], least=1)
    bind(statements["wishart.theorem-3"], [(point, 0)], least=1)
    with precision(128):
        assert exceeds_or_attains(dimension, entries, squared_formula(dimension, entries)) == (False, True)
