"""Lemma 8 of `sliding-window`: regression under a bound on the rank."""

from __future__ import annotations

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic, symbolic_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.regression import RegressionPoint

lemma_8 = cite("sliding-window.lemma-8@d48f109c")

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
ISOMETRIES = "C'C = I and RR' = I"
REGRESSION_OUTSIDE = {
    "k >= 1, an integer": attrs.evolve(regression(3, 1), k=0),
    "k <= min(p, q)": attrs.evolve(regression(3, 1), k=3),
    ISOMETRIES: BENT,
    "left diag(values) right' is the decomposition of C'FR'": attrs.evolve(
        regression(3, 1), values=(fmpq(3), fmpq(51, 50))
    ),
}
RANK_OUTSIDE = {"rank X <= k": regression(3, 1, 1, identity(2))}
UNIT, TWICE = fmpq_mat([[1]]), fmpq_mat([[2]])
LONG = RegressionPoint(TWICE, UNIT, UNIT, UNIT, (fmpq(2),), UNIT, 1, fmpq_mat([[fmpq(1, 2)]]))
"""C = 2 and F = R = 1: C'FR' = 2 gives |4 - 1|, and X = 1/2 gives 0."""
CUBE = RegressionPoint(
    *(identity(3), identity(3), diagonal([3, 2, 1]), identity(3)),
    (fmpq(3), fmpq(2), fmpq(1)),
    *(identity(3), 1, fmpq_mat(3, 3)),
)
UNEVEN = RegressionPoint(
    identity(2),
    diagonal([1, 10]),
    diagonal([2, fmpq(1, 10)]),
    identity(2),
    (fmpq(2), fmpq(1)),
    identity(2),
    1,
    diagonal([0, 1]),
)
"""C'FR' = diag(2, 1), and R stretches the second axis tenfold: diag(0, 1) is nearer than diag(2, 0)."""


def norm(matrix) -> sympy.Rational:
    return sum(entry**2 for entry in matrix)


def check_regression(statement, **more) -> None:
    for inside in (regression(3, 1), regression(2, 2, 2), regression(0, 0)):
        bind_hypotheses(statement, inside, REGRESSION_OUTSIDE | more)
    assert statement.applies(BENT) is Truth.FALSE
    assert statement.applies(attrs.evolve(LONG, columns=UNIT, target=TWICE)) is Truth.TRUE, "one singular value"
    assert statement.applies(CUBE) is Truth.TRUE, "three of them"
    nothing = regression(0, 0)
    for side in ({"left": 2 * TURN}, {"right": 2 * identity(2)}):
        assert statement.applies(attrs.evolve(nothing, **side)) is Truth.FALSE, "0 whatever stands beside the zeros"
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
    assert statement.margin(regression(0, 0, 1, TURN * diagonal([fmpq(1, 2), 0]))).contains(fmpq(1, 4))
    check_regression(statement, **RANK_OUTSIDE, **{ISOMETRIES: LONG})
    assert statement.without(ISOMETRIES).at(LONG) is Truth.FALSE
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
        bind_hypotheses(statement, inside, {ISOMETRIES: BENT})
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
    assert statement.without(ISOMETRIES).at(attrs.evolve(BENT, solution=TURN)) is Truth.FALSE


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
    assert statement.without(ISOMETRIES).at(bent) is Truth.FALSE


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
    check_regression(statement, **RANK_OUTSIDE, **{ISOMETRIES: UNEVEN})
    assert statement.without(ISOMETRIES).at(UNEVEN) is Truth.FALSE


@lemma_8.refutes("untransposed", grade="symbolic", region="C a rotation; C 3 x 2")
def test_the_transposes_matter(statement) -> None:
    square = RegressionPoint(TURN, identity(2), diagonal([2, 1]), identity(2), (fmpq(2), fmpq(1)), identity(2), 1, TURN)
    assert statement.at(square) is Truth.FALSE
    assert statement.margin(square).contains(-fmpq(8, 5) * (2 + 1))
    assert statement.at(regression(3, 1)) is Truth.FALSE, "CFR does not exist"
    assert statement.at(attrs.evolve(square, columns=identity(2))) is Truth.TRUE
    check_isometries(statement)
