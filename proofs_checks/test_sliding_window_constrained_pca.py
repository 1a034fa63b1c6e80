"""Algorithm 5 and Theorem 7 of `sliding-window`: a least cost that is not attained, and the lost gamma."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real, symbolic
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import constrained_pca
from dpmatrix.spec.sliding_window.constrained_accuracy import Approximation
from dpmatrix.spec.sliding_window.constrained_pca import NonNegative, OpenSet, Sparse
from dpmatrix.spec.sliding_window.projection_summary import SummaryParameters
from dpmatrix.spec.wishart.spectra import diagonal
from proofs_checks.exact_matrices import line

algorithm_5 = cite("sliding-window.algorithm-5@66e14817")
theorem_7 = cite("sliding-window.theorem-7@b9318a99")


ALGORITHM = "sliding-window.algorithm-5"
THEOREM = "sliding-window.theorem-7"
MILLIONTH = Fraction(1, 10**6)


@algorithm_5.refutes(grade="symbolic", region="A~ = (1, 0) and (3, 0): every t > 0, since t^2/(1 + t^2) increases")
def test_an_open_set_has_no_best_projection(statement) -> None:
    t = sympy.Symbol("t", positive=True)
    cost = t**2 / (1 + t**2)
    gain = 3 * t**2 / ((1 + t**2) * (4 + t**2))
    assert sympy.simplify(cost - cost.subs(t, t / 2) - gain) == 0
    values = []
    for first, second, slope in product((1, 3), (0, 1, 2), (fmpq(1, 10**6), fmpq(1, 3), 1, 50)):
        x = symbolic(slope)
        at = [(first * s - second) ** 2 / (1 + s**2) for s in (x / 2, x)]
        values.append((OpenSet(fmpq_mat([[first, second]]), slope), (at[0] - at[1]).evalf(50)))
        if not second:
            assert statement.at(values[-1][0]) is Truth.FALSE
    bind(statement, values)
    inside = OpenSet(fmpq_mat([[0, 1]]), 1)
    assert statement.at(inside) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(
        statement,
        inside,
        {
            "slope > 0": attrs.evolve(inside, slope=0),
            "A~ has two columns": attrs.evolve(inside, sketch=fmpq_mat([[1, 0, 0]])),
        },
    )


MATRIX = fmpq_mat([[2, 1, -1, 0], [1, 3, 0, 2], [-1, 0, -4, 1], [0, 2, 1, 1]])
SPARSE = Sparse(MATRIX, line(0, 2, 0, 1), 2)
SPARSE_HYPOTHESES = {
    "size >= 1, an integer": attrs.evolve(SPARSE, size=0),
    "s <= d": attrs.evolve(SPARSE, size=5),
    "P is an orthogonal projection, C symmetric": attrs.evolve(SPARSE, projection=diagonal((2, 0, 0, 0))),
    "at most s rows of P are not zero": attrs.evolve(SPARSE, size=1),
}


def largest(matrix: sympy.Matrix, k: int) -> sympy.Expr:
    """Sum of the k largest eigenvalues, of order 1 or 2."""
    half = matrix.trace() / 2
    if matrix.rows == k:
        return matrix.trace()
    return half + sympy.sqrt(half**2 - matrix.det())


@algorithm_5.supports_repair(
    grade="derived",
    region="every d, k, s: reduction to algorithm-4 on C_SS in the docstring; bound to its closed form for s <= 2",
)
def test_sparse_projections_are_enumerated(statement) -> None:
    """Let S hold the non-zero rows of P, enlarged to s indices. P is symmetric, so its columns outside S vanish too.

    So P is a projection Q of rank k on the coordinates of S, and 0 elsewhere: Tr(PC) = Tr(Q C_SS), which by
    algorithm-4+repair, in dimension s, is at most the sum of the k largest eigenvalues of C_SS. Conversely the
    projection onto the first k eigenvectors of a C_SS, filled with zeros, is one of those that are compared.
    """
    order, support = 4, (1, 3)
    q = sympy.Matrix(2, 2, lambda i, j: sympy.Symbol(f"q{min(i, j)}{max(i, j)}"))
    c = sympy.Matrix(order, order, lambda i, j: sympy.Symbol(f"c{min(i, j)}{max(i, j)}"))
    filled = sympy.zeros(order, order)
    for i, j in product(range(2), repeat=2):
        filled[support[i], support[j]] = q[i, j]
    inner = c.extract(list(support), list(support))
    assert sympy.expand((filled * c).trace() - (q * inner).trace()) == 0
    assert (filled * filled).extract(list(support), list(support)) == q * q
    whole = sympy.Matrix(4, 4, [symbolic(entry) for entry in MATRIX.entries()])
    values = []
    others = (
        line(0, 2, 0, 1),
        line(1, 0, 0, 0),
        line(1, -3, 0, 0),
        line(0, 0, 1, 4),
        diagonal((0, 1, 0, 1)),
        diagonal((1, 0, 1, 0)),
    )
    for other, factor, size in product(others, (1, -1), (1, 2)):
        k = other.rank()
        if k > size:
            continue
        supports = [(i,) for i in range(4)] if size == 1 else [(i, j) for i in range(4) for j in range(i + 1, 4)]
        best = max(largest((factor * whole).extract(list(s), list(s)), k).evalf(60) for s in supports)
        used = sympy.Matrix(4, 4, [symbolic(entry) for entry in other.entries()])
        point = Sparse(factor * MATRIX, other, size)
        values.append((point, (best - (factor * used * whole).trace()).evalf(50)))
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is not Truth.FALSE
    bind(statement, values)
    assert statement.at(SPARSE) is Truth.TRUE
    assert not statement.strict
    bind_hypotheses(statement, SPARSE, SPARSE_HYPOTHESES)
    assert statement.applies(attrs.evolve(SPARSE, projection=diagonal((1, 1, 1, 0)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(SPARSE, size=4)) is Truth.TRUE
    assert statement.applies(Sparse(MATRIX, line(1, 0, 0, 0), 1)) is Truth.TRUE
    lopsided = fmpq_mat([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    assert statement.applies(attrs.evolve(SPARSE, matrix=lopsided)) is Truth.FALSE


@algorithm_5.controls("+repair", grade="symbolic", region="supports of one index fewer, and one eigenvalue fewer")
def test_a_smaller_enumeration_is_noticed(statement) -> None:
    point = attrs.evolve(SPARSE, projection=line(0, 3, 0, 2))
    assert statement.at(point) is Truth.TRUE

    def smaller(p: Sparse):
        return constrained_pca.sparse_margin(attrs.evolve(p, size=p.size - 1))

    assert statement.nudged(margin=smaller).at(point) is Truth.FALSE
    plane = Sparse(MATRIX, diagonal((1, 0, 0, 1)), 2)
    assert statement.at(plane) is Truth.TRUE

    def fewer(p: Sparse):
        return constrained_pca.best_sparse(attrs.evolve(p, projection=line(1, 0, 0, 0))) - 5

    assert statement.nudged(margin=fewer).at(plane) is Truth.FALSE


def non_negative_points():
    """Columns, and the best value where it is known: C = I - 3vv' with v = (1, 1)/sqrt 2 favours single axes."""
    for a, b, c in product((-3, 0, 2), (-2, 0, 5), (-1, 4)):
        matrix = fmpq_mat([[a, c], [c, b]])
        root = sympy.sqrt(sympy.Rational(a - b) ** 2 / 4 + c**2)
        best = sympy.Rational(a + b) / 2 + root if c > 0 else sympy.Integer(max(a, b))
        for x, y in ((1, 0), (1, 3)):
            value = sympy.Rational(a * x * x + 2 * c * x * y + b * y * y, x * x + y * y)
            yield NonNegative(matrix, fmpq_mat([[x], [y]])), (best - value).evalf(50)
        yield NonNegative(matrix, fmpq_mat([[0, 2], [3, 0]])), sympy.Integer(0)


@algorithm_5.supports(
    "non-negative",
    grade="derived",
    region="every d and k: the argument of the docstring; bound to its closed form for d = 2, checked for d = 3",
)
def test_non_negative_projections_are_enumerated(statement) -> None:
    """Non-negative vectors are orthogonal exactly if their supports are disjoint; so the sum splits over supports.

    For one vector: v'Cv attains its maximum over unit v >= 0 supported in S, a compact set; take a maximiser v whose
    support T is least. Inside T it is positive, so v is critical for v'Cv on the sphere of R^T: C_TT v = l v with l =
    v'Cv. If l were a multiple eigenvalue, some u orthogonal to v had C_TT u = l u, and u has a negative entry, as v is
    positive; then cos(x) v + sin(x) u keeps the value l, and the first x > 0 at which an entry vanishes gives a smaller
    support. So l is simple, its eigenvector is v, and adj(C_TT - l I) is a multiple, not 0, of vv': all its entries
    have one sign. Conversely a simple eigenvalue whose adjugate has one sign has a positive eigenvector, and is a value
    that a non-negative vector attains; so the greatest of them over the T inside S is the maximum over S.
    """
    lam, a, b, c = sympy.symbols("l a b c")
    inner = sympy.Matrix([[a - lam, c], [c, b - lam]])
    assert (inner * inner.adjugate()).applyfunc(sympy.expand) == (inner.det() * sympy.eye(2)).applyfunc(sympy.expand)
    bind(statement, non_negative_points())
    for point, _ in non_negative_points():
        assert statement.at(point) is not Truth.FALSE
    three = fmpq_mat([[2, -1, 1], [-1, 3, 1], [1, 1, 0]])
    for columns in (
        [[1], [0], [1]],
        [[0], [4], [1]],
        [[1], [1], [1]],
        [[1, 0], [0, 2], [0, 1]],
        [[1, 0], [0, 1], [1, 0]],
    ):
        assert statement.at(NonNegative(three, fmpq_mat(columns))) is Truth.TRUE
    whole = NonNegative(fmpq_mat([[2, 1, 1], [1, 2, 1], [1, 1, 2]]), fmpq_mat([[1], [1], [2]]))
    bind(statement, [(whole, sympy.Rational(4) - sympy.Rational(22, 6))], least=1)
    assert not statement.strict
    bind_hypotheses(
        statement,
        whole,
        {"the columns are non-negative, orthogonal, not zero": attrs.evolve(whole, columns=fmpq_mat([[1], [-1], [0]]))},
    )
    for columns in ([[0], [0], [0]], [[1, 1], [0, 1], [0, 0]], [[1], [1]]):
        assert statement.applies(attrs.evolve(whole, columns=fmpq_mat(columns))) is Truth.FALSE
    assert statement.applies(attrs.evolve(whole, matrix=fmpq_mat([[2, 1, 1], [0, 2, 1], [1, 1, 2]]))) is Truth.FALSE


AXES = SummaryParameters(1, 2, Fraction(1, 4), 24, Fraction(1, 10), 1, MILLIONTH, 1, 10**4)


@theorem_7.refutes(grade="derived", region="d = 2, k = 1, beta = 1/4: c = 1, 10^3, 10^6 by growing M; every c")
def test_gamma_is_missing_before_the_additive_term(statement) -> None:
    """With 1 - P = e_1e_1', |A~(1-P)|^2 = |sigma Phi_1 + M g'|^2 and |A~(1-X)|^2 = sigma^2 |Phi_2|^2.

    The three vectors are independent with entries N(0, 1/m), so the first is (sigma^2 + M^2) chi^2_m/m, the second
    sigma^2 chi^2_m/m, independent. At gamma^2 = 1 + M^2/sigma^2, (21) says that the first chi-square is at most the
    second, which has probability 1/2 by symmetry; as gamma >= 1 it does not matter which one attains the minimum.
    """
    s, m, one, other = sympy.symbols("sigma M u v", positive=True)
    gamma = sympy.sqrt(1 + m**2 / s**2)
    assert sympy.simplify((s**2 + m**2) * one - gamma**2 * s**2 * other - (s**2 + m**2) * (one - other)) == 0
    for constant, row in ((1, 10**4), (10**3, 10**6), (10**6, 10**9)):
        assert statement.at(attrs.evolve(AXES, constant=constant, row=row)) is Truth.FALSE
    assert statement.at(attrs.evolve(AXES, row=30)) is Truth.TRUE
    assert statement.at(attrs.evolve(AXES, beta=Fraction(3, 5), rank=16)) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for k, beta, epsilon, constant, row in product(
            (1, 2), (Fraction(1, 4), Fraction(3, 4)), (1, Fraction(1, 3)), (1, 9), (0, 70)
        ):
            more = k + mpmath.log(1 / real(beta))
            bound = constant * mpmath.sqrt(more * 3) * mpmath.log(1 / real(MILLIONTH)) / real(epsilon)
            point = SummaryParameters(k, 3, beta, 1, Fraction(1, 8), epsilon, MILLIONTH, constant, row)
            values.append((point, max(real(beta) - mpmath.mpf(1) / 2, bound - row)))
        bind(statement, values)
    assert not statement.strict
    bind_hypotheses(
        statement,
        AXES,
        {
            "d = 2, k = 1": attrs.evolve(AXES, dimension=3),
            "beta > 0": attrs.evolve(AXES, beta=0),
            "beta < 1": attrs.evolve(AXES, beta=1),
            "r = k'/eta, rounded up": attrs.evolve(AXES, rank=25),
            "eta > 0": attrs.evolve(AXES, eta=0),
            "eta < 1/2": attrs.evolve(AXES, eta=Fraction(1, 2)),
            "4r/eta is an integer": attrs.evolve(AXES, eta=Fraction(7, 69)),
            "epsilon > 0": attrs.evolve(AXES, epsilon=0),
            "delta > 0": attrs.evolve(AXES, delta=0),
            "delta < 1": attrs.evolve(AXES, delta=1),
            "constant > 0": attrs.evolve(AXES, constant=0),
            "row >= 0": attrs.evolve(AXES, row=-1),
        },
    )
    (positive_eta,) = (condition for condition in statement.given if condition.says == "eta > 0")
    assert positive_eta.at(attrs.evolve(AXES, eta=0)) is Truth.FALSE
    assert statement.applies(attrs.evolve(AXES, rank=23)) is Truth.FALSE
    assert statement.applies(attrs.evolve(AXES, eta=Fraction(12, 25), rank=5)) is Truth.FALSE, "4r/eta"
    assert statement.applies(attrs.evolve(AXES, k=2, rank=34)) is Truth.FALSE
    nearly = attrs.evolve(AXES, eta=Fraction(20, 41), rank=5, row=0)
    assert statement.applies(nearly) is Truth.TRUE


x, x_best, y, y_best, y_least, eta, gamma, term, c = sympy.symbols("x xb y yb yl eta gamma K c", nonnegative=True)
START = Approximation(1, 1, 1, 1, 1, fmpq(1, 4), 2, 1)
NORMS = {
    "best >= 0": attrs.evolve(START, best=-1),
    "seen_chosen >= 0": attrs.evolve(START, seen_chosen=-1),
    "seen_best >= 0": attrs.evolve(START, seen_best=-1),
    "seen_least >= 0": attrs.evolve(START, seen_least=-1),
    "extra >= 0": attrs.evolve(START, extra=-1),
    "eta >= 0": attrs.evolve(START, eta=-1),
    "eta < 1/2": attrs.evolve(START, eta=fmpq(1, 2)),
    "gamma >= 1": attrs.evolve(START, gamma=fmpq(19, 20)),
    "constant > 0": attrs.evolve(START, constant=0),
}
ZERO = Approximation(0, 0, 0, 0, 0, 0, 1)


def on_norms(formula: sympy.Expr):
    for a, b, e, g, k in product((2, 7), (1, 5), (fmpq(1, 8), fmpq(2, 5)), (1, 3), (0, 2)):
        p = Approximation(a, b, fmpq(3, 2), a + 1, 2 * b, e, g, k, fmpq(7, 4))
        known = {x: a, x_best: b, y: sympy.Rational(3, 2), y_best: a + 1, y_least: 2 * b, eta: symbolic(e), gamma: g}
        yield p, formula.subs(known | {term: k, c: sympy.Rational(7, 4)}).evalf(50)


RIGHT_24 = (1 + eta) * y + term - x
BOUND_25 = (1 + eta) * gamma * y_least + term - x
LEFT_26 = (x_best + term) / (1 - eta) - y_best
SOUND_END = (1 + eta) / (1 - eta) * gamma * (x_best + term) + term - x


@theorem_7.refutes("equation-24", grade="symbolic", region="eta = 1/4, exact sketch")
@theorem_7.refutes("equation-26", grade="symbolic", region="eta = 1/8 and 1/4")
@theorem_7.refutes(
    "combination", grade="derived", region="eta = 0, OPT = 0, c = 1 and 10^6, every c >= 1 by gamma = 2c"
)
def test_the_printed_equations_do_not_follow(statements) -> None:
    right, left, end = (statements[f"{THEOREM}/{name}"] for name in ("equation-24", "equation-26", "combination"))
    quarter = fmpq(1, 4)
    assert right.at(Approximation(2, 0, 1, 0, 0, quarter)) is Truth.FALSE
    assert right.at(Approximation(fmpq(5, 4), 0, 1, 0, 0, quarter)) is Truth.TRUE
    assert left.at(Approximation(0, 1, 0, 3, 0, fmpq(1, 8))) is Truth.FALSE
    assert left.at(Approximation(0, 0, 0, 10**6, 0, quarter)) is Truth.FALSE
    assert left.at(Approximation(0, 1, 0, 1, 0, quarter)) is Truth.TRUE
    for constant in (1, 10**6):
        factor = 2 * constant
        point = Approximation(factor + 1, 0, factor, 1, 1, 0, factor, 1, constant)
        assert end.at(point) is Truth.FALSE
        assert end.at(attrs.evolve(point, constant=factor + 1)) is Truth.TRUE
    bind(right, on_norms(RIGHT_24))
    bind(left, on_norms(LEFT_26))
    bind(end, on_norms((1 + eta) / (1 - eta) * gamma * x_best + c * term - x))
    for condition, formula in (
        (right.given[-1], (1 + 6 * eta) * y + c * term - x),
        (left.given[-1], x_best + c * term - (1 - 6 * eta) * y_best),
    ):
        for p, value in on_norms(formula):
            assert abs(condition.margin(p) - arb(str(value))) < arb(10) ** -12
    bind_hypotheses(right, ZERO, NORMS | {"Lemma 5, right": attrs.evolve(START, chosen=9)})
    bind_hypotheses(left, ZERO, NORMS | {"Lemma 5, left": attrs.evolve(START, eta=0, seen_best=9)})
    bind_hypotheses(
        end,
        ZERO,
        NORMS
        | {
            "(22)": attrs.evolve(START, seen_best=fmpq(1, 2)),
            "(25)": attrs.evolve(START, chosen=9),
            "(26)": attrs.evolve(START, seen_best=9),
        },
    )
    for statement in statements.values():
        assert not statement.strict
        assert statement.applies(attrs.evolve(ZERO, eta=fmpq(12, 25))) is Truth.TRUE


@theorem_7.supports("equation-25", grade="symbolic", region="all norms: a non-negative combination of hypotheses")
@theorem_7.supports(
    "combination-with-gamma",
    grade="symbolic",
    region="all norms, eta in [0, 1/2), gamma >= 1: a non-negative combination of hypotheses",
)
def test_the_sound_equations_follow(statements) -> None:
    """The coefficients are 1, 1 + eta and (1 + eta) gamma, none of them negative."""
    middle, end = (statements[f"{THEOREM}/{name}"] for name in ("equation-25", "combination-with-gamma"))
    approximate, minimal = gamma * y_least - y, y_best - y_least
    assert sympy.expand(BOUND_25 - RIGHT_24 - (1 + eta) * approximate) == 0
    assert sympy.simplify(SOUND_END - BOUND_25 - (1 + eta) * gamma * (minimal + LEFT_26)) == 0
    bind(middle, on_norms(BOUND_25))
    bind(end, on_norms(SOUND_END))
    assert middle.at(START) is Truth.TRUE
    assert end.at(START) is Truth.TRUE
    bind_hypotheses(
        middle,
        ZERO,
        NORMS | {"(23)": attrs.evolve(START, seen_chosen=3), "(24)": attrs.evolve(START, chosen=3)},
    )
    assert middle.applies(attrs.evolve(START, seen_chosen=2)) is Truth.TRUE
    assert middle.applies(attrs.evolve(START, seen_chosen=fmpq(21, 10))) is Truth.FALSE
    assert middle.applies(attrs.evolve(START, chosen=fmpq(9, 4))) is Truth.TRUE
    assert middle.applies(attrs.evolve(START, chosen=fmpq(23, 10))) is Truth.FALSE
    bind_hypotheses(
        end,
        ZERO,
        NORMS
        | {
            "(22)": attrs.evolve(START, seen_best=fmpq(99, 100)),
            "(25)": attrs.evolve(START, chosen=fmpq(36, 10)),
            "(26)": attrs.evolve(START, seen_best=fmpq(27, 10)),
        },
    )
    assert end.applies(attrs.evolve(START, chosen=fmpq(7, 2))) is Truth.TRUE
    for statement in statements.values():
        assert not statement.strict
