"""Lemmas 7 and 8 of `sliding-window`: projection costs under perturbation, regression under a bound on the rank."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic, symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.projections import CostPoint
from dpmatrix.spec.sliding_window.regression import RegressionPoint
from dpmatrix.spec.wishart.spectra import diagonal, identity

lemma_7 = cite("sliding-window.lemma-7@17ae8dac")
lemma_8 = cite("sliding-window.lemma-8@a2be1642")


QUARTER = Fraction(1, 4)
AXES = [diagonal([int(i == j) for j in range(3)]) for i in range(3)]
NOTHING = fmpq_mat(3, 3)
TILT = fmpq_mat([[fmpq(9, 25), fmpq(12, 25), 0], [fmpq(12, 25), fmpq(16, 25), 0], [0, 0, 0]])
UNIT = (fmpq(1), fmpq(1), fmpq(1))
HALVED = CostPoint(UNIT, NOTHING, fmpq(-1, 2) * identity(3), AXES[0], 0, QUARTER, 0)


def cost(values, first, second, axis=0, eta_1=QUARTER, eta_2=QUARTER, prime=QUARTER) -> CostPoint:
    """Everything diagonal, P an axis."""
    return CostPoint(
        tuple(map(fmpq, values)),
        diagonal([rational(each) for each in first]),
        diagonal([rational(each) for each in second]),
        AXES[axis],
        eta_1,
        eta_2,
        prime,
    )


COSTS = [
    cost(values, (Fraction(a, 4), 0, Fraction(-a, 5)), (Fraction(b, 3), Fraction(b, 7), Fraction(-1, 6)), axis)
    for values, a, b, axis in product(((3, 2, 1), (5, 1, 1)), (-1, 1), (-1, 0, 1), (0, 1, 2))
]
PLAIN = cost((2, 2, 1), (0, 0, 0), (0, 0, 0))
COMMON_OUTSIDE = {
    "P is an orthogonal projection": attrs.evolve(PLAIN, projection=fmpq(51, 50) * AXES[0]),
    "A'A = diag(values), decreasing, not negative": attrs.evolve(PLAIN, values=(fmpq(2), fmpq(2), fmpq(51, 25))),
    "A~'A~ is positive semidefinite, E_1 and E_2 symmetric": attrs.evolve(PLAIN, second=diagonal([-3, 0, 0])),
    "eta_1 >= 0": attrs.evolve(PLAIN, eta_1=Fraction(-1, 50)),
    "eta_2 >= 0": attrs.evolve(PLAIN, eta_2=Fraction(-1, 50)),
    "eta_2_prime >= 0": attrs.evolve(PLAIN, eta_2_prime=Fraction(-1, 50)),
    "-eta_1 A'A <= E_1 <= eta_1 A'A": attrs.evolve(PLAIN, first=diagonal([fmpq(26, 50), 0, 0])),
    "Tr E_2 <= eta_2' |A - [A]_k|_F^2": attrs.evolve(PLAIN, second=fmpq(26, 100) * identity(3)),
}
FIRST = "|lambda_i(E_2)|, i <= k in decreasing order, sum to at most eta_2 |A - [A]_k|_F^2"
LARGEST = "the k largest |lambda_i(E_2)| sum to at most eta_2 |A - [A]_k|_F^2"
RISING = attrs.evolve(PLAIN, second=diagonal([fmpq(38, 50), fmpq(-1, 10), 0]))
FALLING = attrs.evolve(PLAIN, second=diagonal([fmpq(-38, 50), 0, 0]))
LAST = CostPoint(UNIT, NOTHING, diagonal([0, 0, fmpq(-1, 2)]), AXES[2], 0, 0, 0)
"""lambda(E_2) = (0, 0, -1/2), and every eta is 0."""


def by_hand(p: CostPoint, constant):
    """Slack of the two inequalities for diagonal matrices and an axis, written out."""
    axis = next(i for i in range(3) if p.projection[i, i] == 1)
    rest = [i for i in range(3) if i != axis]
    before = sum(p.values[i] for i in rest)
    after = before + sum(p.first[i, i] + p.second[i, i] for i in rest)
    eta = rational(p.eta_1) + rational(p.eta_2) + rational(p.eta_2_prime)
    total = after + constant(sum((p.second[i, i] for i in range(3)), fmpq(0)))
    return min(total - (1 - eta) * before, (1 + eta) * before - total)


def check_parts(statement, outside) -> None:
    edge = cost((2, 2, 1), (HALF_, HALF_, QUARTER), (Fraction(3, 4), 0, 0))
    low = cost((2, 2, 1), (-HALF_, -HALF_, -QUARTER), (Fraction(-3, 4), 0, 0))
    for inside in (
        PLAIN,
        edge,
        low,
        attrs.evolve(PLAIN, projection=TILT),
        cost((0, 0, 0), (0, 0, 0), (0, 0, 0), 0, 0, 0, 0),
    ):
        bind_hypotheses(statement, inside, COMMON_OUTSIDE | outside)
    assert statement.applies(attrs.evolve(PLAIN, values=(fmpq(2), fmpq(1), fmpq(-1, 50)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, first=diagonal([0, 0, fmpq(-26, 100)]))) is Truth.FALSE
    skew = fmpq_mat([[0, fmpq(1, 50), 0], [0, 0, 0], [0, 0, 0]])
    assert statement.applies(attrs.evolve(PLAIN, first=skew)) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, second=skew)) is Truth.FALSE
    assert statement.applies(attrs.evolve(PLAIN, projection=AXES[0] + skew)) is Truth.FALSE
    two = attrs.evolve(PLAIN, projection=AXES[0] + AXES[1], second=diagonal([fmpq(1, 8), fmpq(-1, 8), 0]))
    assert statement.applies(two) is Truth.TRUE, "k = 2: the tail is 1, and 1/8 + 1/8 = 1/4 of it"
    last = statement.applies(attrs.evolve(two, second=diagonal([fmpq(1, 8), 0, fmpq(-7, 50)])))
    assert last is (Truth.TRUE if FIRST in outside else Truth.FALSE), "1/8 and 0 come first, 7/50 and 1/8 are largest"
    assert statement.applies(attrs.evolve(two, second=diagonal([fmpq(1, 8), fmpq(7, 50), fmpq(-1, 8)]))) is Truth.FALSE
    assert not statement.strict


HALF_ = Fraction(1, 2)


@lemma_7.refutes(grade="symbolic", region="A'A = I_3, E_2 = -I/2, k = 1, eta = 1/4")
def test_the_printed_constant_does_not_give_the_trace_back(statement) -> None:
    assert statement.at(HALVED) is Truth.FALSE
    assert statement.margin(HALVED).overlaps(-arb(1) / 2)
    assert statement.applies(FALLING) is Truth.TRUE, "lambda_1 = 0"
    bind(statement, ((p, by_hand(p, lambda _: fmpq(0))) for p in COSTS))
    check_parts(statement, {FIRST: RISING})


@lemma_7.refutes(
    "order-of-the-eigenvalues",
    grade="symbolic",
    region="A'A = I_3, E_2 = diag(0, 0, -1/2), k = 1, P = e_3 e_3', eta = 0",
)
def test_the_first_eigenvalues_do_not_bound_the_last(statement) -> None:
    """The cost is 2 before and after, c = 1/2, and 5/2 > 2."""
    assert statement.at(LAST) is Truth.FALSE
    assert statement.margin(LAST) == -arb(1) / 2
    assert statement.at(attrs.evolve(LAST, projection=AXES[0])) is Truth.TRUE, "3/2 + 1/2 = 2"
    bind(statement, ((p, by_hand(p, lambda total: -min(fmpq(0), total))) for p in COSTS))
    check_parts(statement, {FIRST: RISING})


@lemma_7.supports_repair(
    grade="derived",
    region="every d, k, A and P, with E_3 = E_4 = 0: three bounds in the docstring; their sum symbolically, d = 3",
)
def test_the_mended_constant_keeps_the_costs(statement) -> None:
    """Y + c - x = Tr((I - P)E_1) + max(0, Tr E_2) - Tr(P E_2), x the cost of P.

    The first is within eta_1 x, since (I - P) +- of -eta_1 A'A <= E_1 <= eta_1 A'A has traces of one sign; the second
    is in [0, eta_2' tail]; |Tr(P E_2)| <= sum l_i p_i with p_i in [0, 1] of sum k, at most the k largest |l_i|, by
    Definition 2 as mended. The tail is at most x, by the same.
    """
    q = sympy.Matrix(3, 3, lambda i, j: sympy.Symbol(f"q{min(i, j)}{max(i, j)}"))
    a, e, f = (sympy.Matrix(3, 3, sympy.symbols(f"{letter}0:9")) for letter in "aef")
    rest, c = sympy.eye(3) - q, sympy.Symbol("c")
    difference = (rest * (a + e + f)).trace() + c - (rest * a).trace()
    assert sympy.expand(difference - ((rest * e).trace() + f.trace() + c - (q * f).trace())) == 0
    for t in (sympy.Symbol("t", nonnegative=True), sympy.Symbol("t", negative=True)):
        assert sympy.Max(0, t) == t - sympy.Min(0, t)
    bind(statement, ((p, by_hand(p, lambda total: -min(fmpq(0), total))) for p in COSTS))
    for p in (HALVED, PLAIN, attrs.evolve(PLAIN, projection=TILT, second=diagonal([fmpq(-7, 10), fmpq(1, 5), 0]))):
        assert statement.at(p) is Truth.TRUE
    for p in COSTS:
        if statement.applies(p) is Truth.TRUE:
            assert statement.conclusion(p) is Truth.TRUE
    check_parts(statement, {LARGEST: FALLING})


@lemma_7.controls(
    "+repair", grade="symbolic", region="E_2 too large for its bound, in the first or in the last eigenvalue"
)
def test_a_larger_error_is_noticed(statement) -> None:
    large = cost((2, 2, 1), (0, 0, 0), (2, -2, 0), axis=0, eta_1=0, prime=0)
    for p in (large, LAST):
        assert statement.applies(p) is Truth.FALSE
        assert statement.without(LARGEST).at(p) is Truth.FALSE
    assert (
        statement.nudged(lambda margin: margin - arb(51) / 100).at(attrs.evolve(HALVED, eta_2=Fraction(1, 4)))
        is Truth.FALSE
    )


TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
TALL = fmpq_mat([[fmpq(3, 5), 0], [fmpq(4, 5), 0], [0, 1]])
WIDE = fmpq_mat([[fmpq(2, 3), fmpq(1, 3), fmpq(2, 3)], [fmpq(-2, 3), fmpq(2, 3), fmpq(1, 3)]])
OUTSIDE_PART = fmpq_mat([[4, -2, 4], [-3, fmpq(3, 2), -3], [0, 0, 0]])


def regression(a, b, k=1, solution=None, extra=0) -> RegressionPoint:
    """C 3 x 2, R 2 x 3, C'FR' = TURN diag(a, b), and a part of F that CXR cannot reach."""
    inner = TURN * diagonal([fmpq(a), fmpq(b)])
    target = TALL * inner * WIDE + fmpq(extra) * OUTSIDE_PART
    other = fmpq_mat(2, 2) if solution is None else solution
    return RegressionPoint(TALL, WIDE, target, TURN, (fmpq(a), fmpq(b)), identity(2), k, other)


SOLUTIONS = [
    fmpq_mat([[fmpq(i, 2) * u, fmpq(i, 2) * v], [j * u, j * v]])
    for i, j in ((1, 2), (-1, 1), (3, -2))
    for u, v in ((1, 0), (2, -1))
]
REGRESSIONS = [regression(a, b, 1, x, e) for a, b, e in ((5, 2, 0), (3, 3, 1), (4, 0, 2), (2, 1, 1)) for x in SOLUTIONS]
BENT = attrs.evolve(regression(3, 1), columns=fmpq(51, 50) * TALL)
REGRESSION_OUTSIDE = {
    "k >= 1, an integer": attrs.evolve(regression(3, 1), k=0),
    "k <= min(p, q)": attrs.evolve(regression(3, 1), k=3),
    "C'C = I and RR' = I": BENT,
    "left diag(values) right' is the decomposition of C'FR'": attrs.evolve(
        regression(3, 1), values=(fmpq(3), fmpq(51, 50))
    ),
}
RANK_OUTSIDE = {"rank X <= k": regression(3, 1, 1, identity(2))}


def norm(matrix) -> sympy.Rational:
    return sum(entry**2 for entry in matrix)


def check_regression(statement, **more) -> None:
    for inside in (regression(3, 1), regression(2, 2, 2), regression(0, 0)):
        bind_hypotheses(statement, inside, REGRESSION_OUTSIDE | more)
    base = regression(3, 1)
    for broken in (
        attrs.evolve(base, rows=fmpq(51, 50) * WIDE),
        attrs.evolve(regression(1, 3)),
        attrs.evolve(base, left=fmpq(51, 50) * TURN),
        attrs.evolve(base, right=fmpq(-1) * identity(2)),
        attrs.evolve(regression(3, -1)),
    ):
        assert statement.applies(broken) is Truth.FALSE
    assert not statement.strict


@lemma_8.refutes(grade="symbolic", region="F = 0, k = 1")
def test_no_matrix_of_rank_one_attains_zero(statement) -> None:
    assert statement.at(regression(0, 0)) is Truth.FALSE
    assert statement.at(regression(3, 1)) is Truth.TRUE
    bind(
        statement,
        (
            (regression(a, b, k), -abs(min(k, (a > 0) + (b > 0)) - k))
            for a, b in ((3, 1), (3, 0), (0, 0), (2, 2))
            for k in (1, 2, 1, 2, 1)
        ),
    )
    check_regression(statement)


@lemma_8.supports_repair(
    grade="derived",
    region="every shape: (30) and (31) split off what X cannot change; the rest is notation-facts/best-rank-k",
)
def test_the_truncation_is_best_among_ranks_up_to_k(statement) -> None:
    """|CXR - F|^2 = |F - CC'F|^2 + |C'F - C'FR'R|^2 + |C'FR' - X|^2, and X = [C'FR']_k minimises the last term."""
    values = []
    for p in REGRESSIONS:
        assert statement.at(p) is Truth.TRUE
        inner = symbolic_matrix(TURN) * sympy.diag(*map(symbolic, p.values))
        gap = norm(inner - symbolic_matrix(p.solution)) - symbolic(p.values[1]) ** 2
        values.append((p, min(gap, 1 - (1 if p.values[0] else 0))))
    bind(statement, ((p, value.evalf(50) if hasattr(value, "evalf") else value) for p, value in values))
    check_regression(statement, **RANK_OUTSIDE)
    assert statement.at(regression(0, 0)) is Truth.TRUE
    assert statement.at(regression(3, 1, 2, identity(2))) is Truth.TRUE


@lemma_8.controls("+repair", grade="symbolic", region="X of a larger rank")
def test_a_larger_rank_does_better(statement) -> None:
    full = regression(3, 1, 1, TURN * diagonal([3, 1]))
    assert statement.applies(full) is Truth.FALSE
    assert statement.without("rank X <= k").at(full) is Truth.FALSE
    unordered = regression(1, 3, 1, TURN * diagonal([0, 3]))
    assert statement.without("left diag(values) right' is the decomposition of C'FR'").at(unordered) is Truth.FALSE


def check_isometries(statement) -> None:
    for inside in (regression(3, 1), regression(0, 0)):
        bind_hypotheses(statement, inside, {"C'C = I and RR' = I": BENT})
    assert statement.applies(attrs.evolve(regression(3, 1), rows=fmpq(51, 50) * WIDE)) is Truth.FALSE
    assert not statement.strict


@lemma_8.supports(
    "first-pythagoras",
    grade="derived",
    region="every shape: <F - CC'F, C(C'F - YR)> = 0 as C'(I - CC') = 0; with symbolic F and Y for C 3 x 2",
)
def test_first_pythagoras(statement) -> None:
    f, y = sympy.Matrix(3, 3, sympy.symbols("f0:9")), sympy.Matrix(2, 2, sympy.symbols("y0:4"))
    c, r = symbolic_matrix(TALL), symbolic_matrix(WIDE)
    gap = norm(f - c * y * r) - norm(f - c * c.T * f) - norm(c.T * f - y * r)
    assert sympy.expand(gap) == 0
    assert all(statement.at(p) is Truth.TRUE for p in REGRESSIONS)
    check_isometries(statement)
    assert statement.without("C'C = I and RR' = I").at(attrs.evolve(BENT, solution=TURN)) is Truth.FALSE


@lemma_8.supports(
    "second-pythagoras",
    grade="derived",
    region="every shape: (C'FR' - Y)R is orthogonal to C'F(I - R'R) as R(I - R'R) = 0; symbolic F and Y for R 2 x 3",
)
def test_second_pythagoras(statement) -> None:
    f, y = sympy.Matrix(3, 3, sympy.symbols("f0:9")), sympy.Matrix(2, 2, sympy.symbols("y0:4"))
    c, r = symbolic_matrix(TALL), symbolic_matrix(WIDE)
    inside = c.T * f * r.T * r
    assert sympy.expand(norm(c.T * f - y * r) - norm(c.T * f - inside) - norm(inside - y * r)) == 0
    assert all(statement.at(p) is Truth.TRUE for p in REGRESSIONS)
    check_isometries(statement)
    bent = attrs.evolve(regression(3, 1, 1, TURN, 1), rows=fmpq(51, 50) * WIDE)
    assert statement.without("C'C = I and RR' = I").at(bent) is Truth.FALSE


@lemma_8.supports(
    "truncation", grade="derived", region="every shape: R is an isometry on row vectors, then Eckart-Young"
)
def test_truncation(statement) -> None:
    y = sympy.Matrix(2, 2, sympy.symbols("y0:4"))
    assert sympy.expand(norm(y * symbolic_matrix(WIDE)) - norm(y)) == 0
    values = []
    for p in REGRESSIONS:
        assert statement.at(p) is Truth.TRUE
        inner = symbolic_matrix(TURN) * sympy.diag(*map(symbolic, p.values))
        values.append((p, (norm(inner - symbolic_matrix(p.solution)) - symbolic(p.values[1]) ** 2).evalf(50)))
    bind(statement, values)
    check_regression(statement, **RANK_OUTSIDE)


@lemma_8.refutes("untransposed", grade="symbolic", region="C a rotation; C 3 x 2")
def test_the_transposes_matter(statement) -> None:
    square = RegressionPoint(TURN, identity(2), diagonal([2, 1]), identity(2), (fmpq(2), fmpq(1)), identity(2), 1, TURN)
    assert statement.at(square) is Truth.FALSE
    assert statement.at(regression(3, 1)) is Truth.FALSE, "CFR does not exist"
    assert statement.at(attrs.evolve(square, columns=identity(2))) is Truth.TRUE
    check_isometries(statement)
