"""Theorem 6 of `near-optimal`: PPCA keeps its promise for every k, and the printed proof covers k = 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.ppca import PpcaPair, ScoreChange, ScoreMechanism

theorem_6 = cite("near-optimal.theorem-6@ab31c2c3")

CLAIM = "near-optimal.theorem-6"
INSIDE = PpcaPair(1, 1, 0, 3, 2, Fraction(1, 2))
OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(INSIDE, dimension=0),
    "rank >= 1, an integer": attrs.evolve(INSIDE, rank=0),
    "k <= d": attrs.evolve(INSIDE, rank=4),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "v_squared >= 0": attrs.evolve(INSIDE, v_squared=-1),
    "v_squared <= 1": attrs.evolve(INSIDE, v_squared=2),
    "w_squared >= 0": attrs.evolve(INSIDE, w_squared=-1),
    "w_squared <= 1": attrs.evolve(INSIDE, w_squared=2),
    "<v, w>^2 <= |v|^2 |w|^2": attrs.evolve(INSIDE, inner=2),
}
PAIRS = [
    PpcaPair(Fraction(i, 6), Fraction(j, 5), Fraction(i * j * k, 100), d, rank, Fraction(i + j, 3))
    for i, j, k in product((1, 4, 6), (2, 5), (-1, 0, 2))
    for d, rank in ((1, 1), (2, 1), (4, 3), (4, 4))
]


def rational(value) -> sympy.Rational:
    return sympy.Rational(Fraction(value))


def loss_margin(p: PpcaPair) -> sympy.Expr:
    """Compute eps - (eps/2)(l_1 - l_2) with the two eigenvalues from trace and determinant of a 2 x 2 compression."""
    a, b, s, epsilon = (rational(value) for value in (p.v_squared, p.w_squared, p.inner, p.epsilon))
    if p.rank == p.dimension:
        return epsilon
    trace, determinant = a - b, -(a * b - s**2)
    return epsilon - epsilon / 2 * sympy.sqrt(trace**2 - 4 * determinant)


@theorem_6.supports(
    grade="derived",
    region="every d, k <= d, n, epsilon and pair of records: derivation in the docstring, its algebra machine-checked",
)
def test_range_of_the_score_is_at_most_two(statement) -> None:
    """The score tr V'MV is a sum of the eigenvalues of M with weights in [0, 1] that sum to k.

    M = vv' - ww' has at most one positive and one negative eigenvalue, l_1 >= 0 >= l_2, and zeros; for k < d the sum
    ranges over [l_2, l_1] at most. l_1 and l_2 are the eigenvalues of [[a, s], [-s, -b]] (M maps v to a v - s w and w
    to s v - b w), so (l_1 - l_2)^2 = (a+b)^2 - 4 s^2 <= 4. The log-ratio is (eps/2) tr V'MV plus a constant, thus in
    an interval of length (eps/2)(l_1 - l_2) <= eps; it contains 0, or one density would exceed the other everywhere.
    """
    a, b, s = sympy.symbols("a b s", real=True)
    matrix = sympy.Matrix([[a, s], [-s, -b]])
    assert sympy.expand(matrix.det() - (s**2 - a * b)) == 0, "not positive by Cauchy-Schwarz: opposite signs"
    assert sympy.expand(matrix.trace() ** 2 - 4 * matrix.det() - ((a + b) ** 2 - 4 * s**2)) == 0
    v, w = sympy.Matrix(sympy.symbols("v:3", real=True)), sympy.Matrix(sympy.symbols("w:3", real=True))
    change = v * v.T - w * w.T
    assert (change * v - (v.dot(v) * v - v.dot(w) * w)).expand() == sympy.zeros(3, 1)
    assert (change * w - (v.dot(w) * v - w.dot(w) * w)).expand() == sympy.zeros(3, 1)
    assert sympy.expand(4 - ((a + b) ** 2 - 4 * s**2) - ((2 - a - b) * (2 + a + b) + 4 * s**2)) == 0
    bind(statement, [(p, loss_margin(p).evalf(50)) for p in PAIRS])
    for point in PAIRS:
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is Truth.TRUE
    assert statement.at(INSIDE) is Truth.TRUE, "orthogonal unit records: equality"
    assert not statement.strict
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    bind_hypotheses(statement, PpcaPair(0, 0, 0, 1, 1, 1), OUTSIDE)
    ranks = next(given for given in statement.given if given.says == "k <= d")
    bind(Statement("k <= d", ranks.margin), [(p, Fraction(p.dimension - p.rank)) for p in PAIRS])


@theorem_6.controls(
    grade="symbolic", region="orthogonal unit records, the loss 1/100 too large; a record of norm sqrt(2)"
)
def test_a_sharper_density_breaks_the_promise(statement) -> None:
    assert statement.nudged(lambda margin: margin - ball(Fraction(1, 100))).at(INSIDE) is Truth.FALSE
    assert statement.at(attrs.evolve(INSIDE, rank=3)) is Truth.TRUE
    longer = attrs.evolve(INSIDE, v_squared=2)
    assert statement.without("v_squared <= 1").at(longer) is Truth.FALSE, "a record of norm sqrt(2)"


@theorem_6.refutes("one-column", grade="symbolic", region="d = 3, k = 2")
def test_two_columns_are_no_vector(statement) -> None:
    assert statement.at(INSIDE) is Truth.FALSE
    assert statement.at(attrs.evolve(INSIDE, rank=1)) is Truth.TRUE
    bind(statement, [(p, Fraction(1 - p.rank)) for p in PAIRS])
    bind_hypotheses(statement, INSIDE, OUTSIDE)


CHANGES = [
    ScoreChange(Fraction(i, 3), Fraction(j, 7), Fraction(k, 5))
    for i, j, k in product((0, 2, 5), (-6, 1, 3), (-4, 0, 5))
]


@theorem_6.supports(
    "score-difference", grade="symbolic", region="every v, n and data, through the inner products: an identity"
)
@theorem_6.supports(
    "score-bound", grade="derived", region="every v and pair of records: the docstring; bound at 27 points"
)
def test_one_record_changes_the_score_by_at_most_one(statements) -> None:
    """Here n v'Av = sum <v, x_i>^2, and both squares lie in [0, 1], so 1 - (p - q) = (1 - p) + q."""
    rest, p, q = sympy.symbols("R p q")
    assert sympy.expand((rest + p) - (rest + q) - (p - q)) == 0
    assert sympy.expand(1 - (p - q) - ((1 - p) + q)) == 0
    difference, bound = statements[f"{CLAIM}/score-difference"], statements[f"{CLAIM}/score-bound"]
    bind(difference, [(point, Fraction(0)) for point in CHANGES])
    bind(bound, [(point, 1 - abs(point.new**2 - point.old**2)) for point in CHANGES])
    for point in CHANGES:
        assert difference.at(point) is Truth.TRUE
    assert difference.given == ()
    assert not difference.strict
    assert not bound.strict
    assert bound.at(ScoreChange(0, 0, 1)) is Truth.TRUE, "attained"
    names = {
        "|<v, x_n>| <= 1": ScoreChange(0, Fraction(21, 20), 0),
        "|<v, x'_n>| <= 1": ScoreChange(0, 0, Fraction(21, 20)),
    }
    bind_hypotheses(bound, ScoreChange(0, 1, -1), names)
    for says, field in (("|<v, x_n>| <= 1", "old"), ("|<v, x'_n>| <= 1", "new")):
        given = next(given for given in bound.given if given.says == says)
        bind(Statement(says, given.margin), [(point, 1 - getattr(point, field) ** 2) for point in CHANGES])


@theorem_6.supports(
    "exponential-mechanism", grade="derived", region="every epsilon and score: the docstring; bound at 25 points"
)
def test_exponential_mechanism(statement) -> None:
    """The density changes by a factor of at most exp(eps D/2) and so does its integral: a loss of at most eps D."""
    epsilon, change = sympy.symbols("epsilon D", positive=True)
    assert (
        sympy.simplify(sympy.exp(epsilon * change / 2) / sympy.exp(-epsilon * change / 2) - sympy.exp(epsilon * change))
        == 0
    )
    points = [ScoreMechanism(Fraction(i, 3), Fraction(j, 4)) for i, j in product((1, 2, 7, 9, 12), (0, 1, 3, 4, 5))]
    bind(statement, [(p, p.epsilon * (1 - p.sensitivity)) for p in points])
    assert statement.at(ScoreMechanism(1, 1)) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(
        statement,
        ScoreMechanism(Fraction(1, 2), 1),
        {"epsilon > 0": ScoreMechanism(0, 1), "sensitivity <= 1": ScoreMechanism(1, Fraction(21, 20))},
    )


def test_a_sampler_close_in_total_variation_pays_twice() -> None:
    """Section 7 promises delta for a sampler within delta of the exact law; here the excess is (1 + e^eps) delta."""
    growth, delta, p = 2, Fraction(1, 20), Fraction(1, 4)
    exact, other = growth * p, p
    assert exact - growth * other <= 0, "the exact laws meet (log 2, 0) on this event; on its complement too"
    assert (1 - other) - growth * (1 - exact) <= 0
    assert (exact + delta) - growth * (other - delta) == (1 + growth) * delta
