"""The well-known facts of section 2 of `sliding-window`, one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import symbolic, symbolic_matrix
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window import notation_margins
from dpmatrix.spec.sliding_window.notation_margins import (
    DecomposedPoint,
    MatrixPoint,
    NormalPoint,
    RankPoint,
    StackPoint,
    SymmetricPoint,
    TailPoint,
    WishartLaw,
    least_singular_margin,
)
from dpmatrix.tracing import bind_expression

notation_facts = cite("sliding-window.notation-facts@bb6d61b1")

FRAME = fmpq_mat(
    [[fmpq(2, 3), fmpq(-2, 3), fmpq(1, 3)], [fmpq(1, 3), fmpq(2, 3), fmpq(2, 3)], [fmpq(2, 3), fmpq(1, 3), fmpq(-2, 3)]]
)
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])
SKEW = SymmetricPoint(fmpq_mat([[1, 1], [0, 1]]))
ALL = "every n, d: "
SPECTRA = [tuple(fmpq(each, 2) for each in values) for values in product((-5, -1, 0, 3), (-2, 0, 4), (1, -3))]


def with_values(values) -> SymmetricPoint:
    return SymmetricPoint(FRAME * diagonal(values) * FRAME.transpose())


def check_symmetric(statement) -> None:
    bind_hypotheses(statement, with_values((1, 2, 3)), {"A is symmetric": SKEW})
    assert not statement.strict


@notation_facts.refutes(grade="interval", region="diag(1, 0, -1) in two bases")
def test_least_singular_value_is_not_at_the_ends(statement) -> None:
    assert statement.at(SymmetricPoint(diagonal((1, 0, -1)))) is Truth.FALSE
    assert statement.at(with_values((1, 0, -1))) is Truth.FALSE
    values = []
    for each in SPECTRA:
        ends = min(abs(max(each)), abs(min(each)))
        values.append((with_values(each), -abs(min(map(abs, each)) - ends)))
    bind(statement, values)
    check_symmetric(statement)


@notation_facts.supports_repair(
    grade="derived",
    region=ALL + "A'A = A^2 = sum l_i^2 u_iu_i', so the singular values are the |l_i|; on 24 spectra of order 3",
)
def test_least_singular_value_is_the_least_magnitude(statement) -> None:
    l, x = sympy.symbols("l x")
    block = sympy.diag(l, 2 * l + 1)
    assert sympy.expand((block**2).charpoly(x).as_expr() - (x - l**2) * (x - (2 * l + 1) ** 2)) == 0
    bind(statement, ((with_values(each), 0) for each in SPECTRA))
    golden = (sympy.sqrt(5) - 1) / 2
    squares = {sympy.expand(each) for each in (golden**2, (golden + 1) ** 2)}
    skew = symbolic_matrix(SKEW.matrix)
    assert {sympy.expand(each) for each in (skew.T * skew).eigenvals()} == squares, "both eigenvalues are 1"
    bind(statement, [(SKEW, (golden - 1).evalf(50))], least=1)
    check_symmetric(statement)


@notation_facts.controls("+repair", grade="interval", region="the extreme eigenvalues alone, at diag(1, 0, -1)")
def test_another_least_value_is_noticed(statement) -> None:
    assert statement.nudged(margin=least_singular_margin).at(with_values((1, 0, -1))) is Truth.FALSE
    assert statement.without("A is symmetric").at(SKEW) is Truth.FALSE


@notation_facts.supports(
    "largest-singular-value",
    grade="derived",
    region=ALL + "the largest |l_i| is at an end, as |l| is convex; exactly on 24 spectra of order 3",
)
def test_largest_singular_value(statement) -> None:
    bind(statement, ((with_values(each), 0) for each in SPECTRA))
    bind(statement, [(SKEW, ((1 - sympy.sqrt(5)) / 2).evalf(50))], least=1)
    check_symmetric(statement)
    assert statement.without("A is symmetric").at(SKEW) is Truth.FALSE


@notation_facts.supports(
    "projection-eigenvalues",
    grade="derived",
    region=ALL + "P^2 = P forces l^2 = l, and the multiplicity of 1 is the rank; exactly on eight projections of order "
    "3 in one basis, of all ranks",
)
def test_projection_eigenvalues(statement) -> None:
    l = sympy.symbols("l")
    assert sympy.solve(l**2 - l, l) == [0, 1]
    for values in product((0, 1), repeat=3):
        assert statement.at(with_values(values)) is Truth.TRUE
    outside = {
        "A is symmetric": SymmetricPoint(fmpq_mat([[1, 1], [0, 0]])),
        "P^2 = P": with_values((1, 0, fmpq(51, 50))),
    }
    bind_hypotheses(statement, with_values((1, 1, 0)), outside)
    assert statement.conclusion(with_values((1, 0, fmpq(51, 50)))) is Truth.FALSE
    assert statement.conclusion(with_values((1, 0, fmpq(1, 50)))) is Truth.FALSE


TALL = fmpq_mat([[1, 2], [0, 1], [3, -1]])
MATRICES = [
    fmpq_mat(n, m, [fmpq((5 * i * i + 3 * k) % 11 - 5, 1 + i % 2) for i in range(n * m)])
    for n, m, k in product((1, 2, 3), (1, 2, 3), (1, 2, 4))
]


def vector(size: int, seed: int = 1) -> fmpq_mat:
    return fmpq_mat(size, 1, [fmpq(2 * i + seed, 3) for i in range(size)])


@notation_facts.supports(
    "number-of-singular-values",
    grade="derived",
    region=ALL + "rank A'A = rank A, at most the number of rows and of columns; exactly on 29 matrices of up to 3 x 3",
)
def test_number_of_singular_values(statement) -> None:
    values = []
    for matrix in MATRICES:
        exact = symbolic_matrix(matrix)
        nonzero = exact.cols - (exact.T * exact).charpoly().as_expr().as_poly(sympy.Symbol("lambda")).monoms()[-1][0]
        values.append((MatrixPoint(matrix, vector(matrix.ncols())), min(exact.shape) - nonzero))
        assert statement.at(values[-1][0]) is Truth.TRUE
    lower = fmpq_mat([[1, 2, 3], [2, 4, 6], [fmpq(1, 2), 1, fmpq(3, 2)]])
    values += [(MatrixPoint(lower, vector(3)), 2), (MatrixPoint(0 * TALL, vector(2)), 2)]
    bind(statement, values)
    assert statement.given == ()
    assert not statement.strict


@notation_facts.supports(
    "spectral-norm",
    grade="derived",
    region=ALL + "|Ax|^2 = sum s_i^2 c_i^2 <= s_1^2 sum c_i^2 in right singular vectors, equality at the first",
)
def test_spectral_norm(statement) -> None:
    s, c = sympy.symbols("s1:4"), sympy.symbols("c1:4")
    gap = s[0] ** 2 * sum(each**2 for each in c) - sum((a * b) ** 2 for a, b in zip(s, c, strict=True))
    assert sympy.expand(gap - sum((s[0] ** 2 - s[i] ** 2) * c[i] ** 2 for i in range(3))) == 0
    values = []
    for a, b, k in product((4, 3), (1, 2, 3), range(4)):
        matrix = TURN * diagonal((a, b)) * TURN
        x = TURN.transpose() * fmpq_mat([[k], [2]])
        values.append((MatrixPoint(matrix, x), max(a, b) ** 2 * (k * k + 4) - a * a * k * k - b * b * 4))
    bind(statement, values)
    assert statement.at(MatrixPoint(fmpq_mat([[3, 0], [0, 1]]), vector(2))) is Truth.TRUE
    assert statement.given == ()
    assert not statement.strict


@notation_facts.supports(
    "frobenius-norm", grade="derived", region=ALL + "Tr(A'A) is the sum of its eigenvalues; symbolically for 2 x 2"
)
def test_frobenius_norm(statement) -> None:
    a = sympy.Matrix(2, 2, sympy.symbols("a0:4"))
    roots = sympy.roots((a.T * a).charpoly().as_expr(), sympy.Symbol("lambda"))
    assert sympy.simplify(sum(roots) - sum(entry**2 for entry in a)) == 0
    bind(statement, ((MatrixPoint(matrix, vector(1)), 0) for matrix in MATRICES))
    assert statement.given == ()
    assert not statement.strict


@notation_facts.supports(
    "frobenius-trace", grade="derived", region=ALL + "(A'A)[j, j] = sum_i A[i, j]^2; symbolically for 3 x 2"
)
def test_frobenius_trace(statement) -> None:
    a = sympy.Matrix(3, 2, sympy.symbols("a0:6"))
    assert sympy.expand((a.T * a).trace() - sum(entry**2 for entry in a)) == 0
    bind(statement, ((MatrixPoint(matrix, vector(1)), 0) for matrix in MATRICES))
    assert not statement.strict


@notation_facts.refutes("orthogonal-decomposition", grade="symbolic", region="a rotation")
def test_a_rotation_has_no_spectral_decomposition(statement) -> None:
    assert statement.at(SymmetricPoint(TURN)) is Truth.FALSE
    assert statement.margin(SymmetricPoint(TURN)).overlaps(-arb(16) / 5)
    assert statement.at(SymmetricPoint(identity(2))) is Truth.TRUE
    bind_hypotheses(statement, SymmetricPoint(TURN), {"U'U = I": SKEW})
    x = sympy.Symbol("x")
    assert not any(root.is_real for root in sympy.roots(sympy.Matrix([[0, -1], [1, 0]]).charpoly(x).as_expr(), x))


COLUMNS = fmpq_mat([[FRAME[i, j] for j in range(2)] for i in range(3)])
ORDINARY = DecomposedPoint((fmpq(3), fmpq(1, 2)), COLUMNS, TURN)
DECOMPOSED_OUTSIDE = {
    "x_i and y_i are orthonormal": attrs.evolve(ORDINARY, left=fmpq(51, 50) * COLUMNS),
    "s_i >= 0": attrs.evolve(ORDINARY, values=(fmpq(3), fmpq(-1, 50))),
}
TRIPLES = [
    DecomposedPoint((fmpq(i), fmpq(j, 2)), left, TURN)
    for i in (0, 1, 3)
    for j in (0, fmpq(1, 10), 1, 5)
    for left in (COLUMNS, TURN)
]


def check_decomposed(statement) -> None:
    for inside in (ORDINARY, attrs.evolve(ORDINARY, values=(fmpq(0), fmpq(0)))):
        bind_hypotheses(statement, inside, DECOMPOSED_OUTSIDE)
    assert statement.applies(attrs.evolve(ORDINARY, right=fmpq(51, 50) * TURN)) is Truth.FALSE
    assert not statement.strict


@notation_facts.supports(
    "singular-value-decomposition",
    grade="derived",
    region=ALL + "orthonormality leaves one term of the sum; that every matrix has such a sum is cited",
)
def test_singular_triples(statement) -> None:
    for p in TRIPLES:
        assert statement.at(p) is Truth.TRUE
    check_decomposed(statement)
    bind(statement, ((p, triples(p)) for p in SKEWED))
    wrong = statement.without("x_i and y_i are orthonormal")
    assert wrong.at(DECOMPOSED_OUTSIDE["x_i and y_i are orthonormal"]) is Truth.FALSE
    assert wrong.at(attrs.evolve(ORDINARY, right=fmpq(51, 50) * TURN)) is Truth.FALSE


@notation_facts.refutes(
    "pseudoinverse", grade="symbolic", region="a scaled rotation; a singular value 0; a 3 x 2 matrix"
)
def test_the_printed_pseudoinverse_is_none(statement) -> None:
    square = DecomposedPoint((fmpq(2), fmpq(2)), TURN, identity(2))
    assert statement.at(square) is Truth.FALSE
    turn = symbolic_matrix(TURN)
    gap = sum(abs(entry) for entry in 2 * turn**3 - 2 * turn)
    bind(statement, [(square, gap * -1)], least=1)
    assert statement.at(DecomposedPoint((fmpq(1), fmpq(0)), TURN, identity(2))) is Truth.FALSE, "division by zero"
    assert statement.at(ORDINARY) is Truth.FALSE, "the shapes do not fit"
    for small in (fmpq(1, 3), fmpq(1, 10)):
        assert statement.at(DecomposedPoint((fmpq(2), small), TURN, TURN)) is Truth.TRUE, "right for a positive matrix"
    assert statement.at(DecomposedPoint((fmpq(2), fmpq(0)), TURN, TURN)) is Truth.FALSE, "1/0 is no number"
    check_decomposed(statement)


@notation_facts.supports(
    "pseudoinverse-mended",
    grade="derived",
    region=ALL + "A^+A = sum over s_i > 0 of y_iy_i', AA^+ likewise; s (1/s) s = s decides the rest",
)
def test_the_mended_pseudoinverse(statement) -> None:
    s = sympy.symbols("s", positive=True)
    assert s * (1 / s) * s == s
    for p in TRIPLES:
        assert statement.at(p) is Truth.TRUE
    check_decomposed(statement)
    wrong = statement.without("x_i and y_i are orthonormal")
    assert wrong.at(DECOMPOSED_OUTSIDE["x_i and y_i are orthonormal"]) is Truth.FALSE
    bind(statement, ((p, penrose(p)) for p in SKEWED))


SKEWED = [
    DecomposedPoint((fmpq(a), fmpq(b)), fmpq_mat([[1, c], [0, 1], [c, 2]]), fmpq_mat([[1, 0], [c, fmpq(1, 2)]]))
    for a, b, c in product((1, 3, 4), (0, fmpq(1, 3), 2, 7), (1, -2))
]
"""Columns that are not orthonormal, where none of the four equations of Penrose holds."""


def triples(p: DecomposedPoint):
    """Minus the sum of the absolute differences in A y_i = s_i x_i and A' x_i = s_i y_i, by another library."""
    left, right = symbolic_matrix(p.left), symbolic_matrix(p.right)
    scale = sympy.diag(*map(symbolic, p.values))
    matrix = left * scale * right.T
    gaps = (matrix * right - left * scale, matrix.T * left - right * scale)
    return -sum((abs(entry) for gap in gaps for entry in gap), sympy.Integer(0)).evalf(50)


def penrose(p: DecomposedPoint):
    """Minus the sum of the absolute differences in the four equations, by another library."""
    left, right = symbolic_matrix(p.left), symbolic_matrix(p.right)
    values = [symbolic(value) for value in p.values]
    matrix = left * sympy.diag(*values) * right.T
    inverse = right * sympy.diag(*(1 / value if value else 0 for value in values)) * left.T
    gaps = [matrix * inverse * matrix - matrix, inverse * matrix * inverse - inverse]
    gaps += [product_ - product_.T for product_ in (matrix * inverse, inverse * matrix)]
    return -sum((abs(entry) for gap in gaps for entry in gap), sympy.Integer(0)).evalf(50)


def ranked(a, b, other) -> RankPoint:
    return RankPoint((fmpq(a), fmpq(b)), COLUMNS, TURN, other)


@notation_facts.supports(
    "best-rank-k",
    grade="derived",
    region=ALL + "|A - B|^2 = |A - AP|^2 + |AP - B|^2, P the projection on B's rows; then Definition 2 as mended",
)
def test_best_rank_k(statement) -> None:
    a, b = sympy.Matrix(2, 2, sympy.symbols("a0:4")), sympy.Matrix(2, 2, sympy.symbols("b0:4"))
    p = sympy.Matrix(
        [[sympy.Rational(9, 25), sympy.Rational(12, 25)], [sympy.Rational(12, 25), sympy.Rational(16, 25)]]
    )
    assert p * p == p
    rows = b * p
    cross = ((a - a * p).T * (a * p - rows)).trace()
    assert sympy.expand(cross) == 0, "the two parts are orthogonal"
    values = []
    for i, j, k in product((3, 4), (1, 2), range(-3, 3)):
        other = fmpq(k, 2) * COLUMNS * fmpq_mat([[1, 0], [0, 0]]) * TURN.transpose()
        tail = j * j if k else i * i + j * j
        values.append((ranked(i, j, other), (Fraction(k, 2) - i) ** 2 + j * j - tail))
        assert statement.at(values[-1][0]) is Truth.TRUE
    bind(statement, values)
    outside = {
        "x_i and y_i are orthonormal": attrs.evolve(ranked(3, 1, 0 * COLUMNS), left=fmpq(51, 50) * COLUMNS),
        "s_1 >= s_2 >= ... >= 0": ranked(1, fmpq(51, 50), 0 * COLUMNS),
    }
    for inside in (ranked(3, 1, 0 * COLUMNS), ranked(1, 1, COLUMNS), ranked(0, 0, COLUMNS)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(ranked(1, fmpq(-1, 50), 0 * COLUMNS)) is Truth.FALSE
    swapped = ranked(1, 3, COLUMNS * fmpq_mat([[0, 0], [0, 3]]) * TURN.transpose())
    assert statement.without("s_1 >= s_2 >= ... >= 0").at(swapped) is Truth.FALSE, "order matters"
    assert not statement.strict


@notation_facts.refutes("stack-shape", grade="symbolic", region="25 pairs t_1 <= t_2 with W and d: off by 1 + |W - d|")
def test_the_printed_shape_of_a_stack_misses_a_row(statement) -> None:
    assert statement.at(StackPoint(1, 1, 2, 2)) is Truth.FALSE
    bind(
        statement,
        ((StackPoint(i, i + k, w, d), -(1 + abs(w - d))) for i, k, w, d in product((1, 4), (0, 1, 5), (1, 3), (1, 2))),
    )
    outside = {
        "first >= 1, an integer": StackPoint(0, 1, 2, 2),
        "dimension >= 1, an integer": StackPoint(1, 1, 2, 0),
        "t_1 <= t_2": StackPoint(2, 1, 2, 2),
    }
    bind_hypotheses(statement, StackPoint(1, 1, 1, 1), outside)
    assert not statement.strict


ARGUMENTS = [NormalPoint(Fraction(i, 3), Fraction(j, 5)) for i, j in product(range(-4, 4), (1, 4, 9))]


@notation_facts.supports(
    "normal-density",
    grade="derived",
    region="every x, mu and sigma > 0: it is the derivative of (1 + erf(z/sqrt 2))/2, which runs from 0 to 1",
)
def test_normal_density(statement) -> None:
    x, mu = sympy.symbols("x mu", real=True)
    sigma = sympy.symbols("sigma", positive=True)
    density = sympy.exp(-((x - mu) ** 2) / (2 * sigma**2)) / (sympy.sqrt(2 * sympy.pi) * sigma)
    cumulative = (1 + sympy.erf((x - mu) / (sympy.sqrt(2) * sigma))) / 2
    assert sympy.simplify(sympy.diff(cumulative, x) - density) == 0
    assert sympy.limit(cumulative.subs(mu, 0), x, sympy.oo) == 1
    bind(statement, ((p, 0) for p in ARGUMENTS))
    bind_expression(statement, sympy.Integer(0))
    bind_hypotheses(statement, NormalPoint(0, Fraction(1, 50)), {"sigma > 0": NormalPoint(0, 0)})
    assert not statement.strict


@notation_facts.controls(
    "normal-density", grade="interval", region="24 arguments: sqrt(pi) for sqrt(2 pi); z^2 for z^2/2"
)
def test_another_constant_gives_no_density(statement) -> None:
    """The margin is minus the distance from the density: 1 - 1/sqrt 2 of sqrt(pi) for sqrt(2 pi), at each argument."""

    def without_two(p: NormalPoint) -> arb:
        return (-ball(p.z) * ball(p.z) / 2).exp() / (arb.pi().sqrt() * ball(p.sigma))

    def without_half(p: NormalPoint) -> arb:
        return (-ball(p.z) * ball(p.z)).exp() / ((2 * arb.pi()).sqrt() * ball(p.sigma))

    for changed in (without_two, without_half):
        other = redefined(statement, notation_margins, "normal_density", changed)
        assert other.at(NormalPoint(1, 1)) is Truth.FALSE
        with mpmath.workdps(60):
            values = []
            for p in ARGUMENTS:
                z, sigma = (mpmath.mpf(x.numerator) / x.denominator for x in (p.z, p.sigma))
                density = mpmath.npdf(z * sigma, 0, sigma)
                share = mpmath.sqrt(2) if changed is without_two else mpmath.exp(-z * z / 2)
                values.append((p, mpmath.nstr(-abs(share - 1) * density, 50)))
        bind(other, values)


@notation_facts.refutes("wishart-exponent", grade="interval", region="d = 1, m = 3, t = 6, 9")
def test_the_printed_wishart_density_grows(statement) -> None:
    assert statement.at(TailPoint(6, 9, 3)) is Truth.FALSE
    values = []
    with mpmath.workdps(60):
        for low, step, m in product((9, 12, 15), (1, 4), (1, 2, 3, 5)):
            half = mpmath.mpf(m) / 2
            density = [
                r ** (half - 1) * mpmath.exp(mpmath.mpf(r) / 2) / 2**m / mpmath.gamma(half) for r in (low, low + step)
            ]
            values.append((TailPoint(low, low + step, m), mpmath.nstr(density[0] - density[1], 50)))
    bind(statement, values)
    outside = {
        "degrees_of_freedom > 0": TailPoint(6, 9, 0),
        "t > m + 2": TailPoint(5, 9, 3),
        "T > t": TailPoint(6, 6, 3),
    }
    bind_hypotheses(statement, TailPoint(Fraction(251, 50), Fraction(252, 50), 3), outside)
    assert not statement.strict


@notation_facts.refutes("wishart-constant", grade="interval", region="d = 1, 3; m = 3")
def test_the_printed_wishart_constant_is_too_large(statement) -> None:
    for d in (1, 3):
        assert statement.at(WishartLaw(d, 3)) is Truth.FALSE
    points = [WishartLaw(d, d + Fraction(k, 2)) for d, k in product((1, 2, 3, 5), (-1, 0, 1, 3, 6, 8))]
    bind(
        statement,
        ((p, (2 ** (-sympy.Rational(p.degrees_of_freedom) * p.dimension / 2) - 1).evalf(50)) for p in points),
    )
    outside = {"dimension >= 1, an integer": WishartLaw(0, 3), "m > d - 1": WishartLaw(2, 1)}
    for inside in (WishartLaw(2, Fraction(51, 50)), WishartLaw(1, Fraction(1, 50))):
        bind_hypotheses(statement, inside, outside)
    assert not statement.strict
