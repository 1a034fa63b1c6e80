"""Algorithm 5 of `sliding-window`: a least cost that is not attained, and the lost gamma."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window import constrained_pca
from dpmatrix.spec.sliding_window.constrained_pca import NonNegative, OpenSet, Sparse
from proofs_checks.exact_matrices import line

algorithm_5 = cite("sliding-window.algorithm-5@ce4131fa")


@algorithm_5.refutes(grade="derived", region="A~ = (1, 0): every t > 0, by t' = t/2, since t^2/(1 + t^2) increases")
def test_an_open_set_has_no_best_projection(statement) -> None:
    """The cost of the line (1, t) is t^2/(1 + t^2), and with t/2 it is less by 3 t^2/((1 + t^2)(4 + t^2))."""
    t = sympy.Symbol("t", positive=True)
    cost = t**2 / (1 + t**2)
    gain = 3 * t**2 / ((1 + t**2) * (4 + t**2))
    assert sympy.simplify(cost - cost.subs(t, t / 2) - gain) == 0
    line_of = fmpq_mat([[1, 0]])
    statement.refute(lambda slope: OpenSet(line_of, slope, rational(slope) / 2))
    values = []
    for first, second, slope, other in product((1, 3), (0, 1, 2), (fmpq(1, 10**6), fmpq(1, 3), 1, 50), (2, fmpq(1, 7))):
        costs = [(first * s - second) ** 2 / (1 + s**2) for s in (symbolic(other), symbolic(slope))]
        values.append((OpenSet(fmpq_mat([[first, second]]), slope, other), (costs[0] - costs[1]).evalf(50)))
    bind(statement, values)
    inside = OpenSet(fmpq_mat([[1, 1]]), 1, 2)
    assert statement.conclusion(inside) is Truth.TRUE, "(1, 1) is best for itself"
    assert not statement.strict
    bind_hypotheses(
        statement,
        inside,
        {
            "slope > 0": attrs.evolve(inside, slope=0),
            "other > 0": attrs.evolve(inside, other=0),
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
            yield NonNegative(matrix / 50, fmpq_mat([[x], [y]])), ((best - value) / 50).evalf(50)
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
    small = attrs.evolve(whole, matrix=whole.matrix / 50)
    # the double eigenvalue 3 has no positive eigenvector
    double = NonNegative(fmpq_mat([[2, -1, -1], [-1, 2, -1], [-1, -1, 2]]), fmpq_mat([[1], [0], [0]]))
    bind(statement, [(whole, fmpq(1, 3)), (small, fmpq(1, 150)), (double, fmpq(0))], least=3)
    assert not statement.strict
    bind_hypotheses(
        statement,
        whole,
        {
            "the columns are non-negative, orthogonal, not zero": attrs.evolve(
                whole, columns=fmpq_mat([[1], [fmpq(-1, 20)], [0]])
            )
        },
    )
    for columns in ([[0], [0], [0]], [[1, 1], [0, 1], [0, 0]], [[1], [1]]):
        assert statement.applies(attrs.evolve(whole, columns=fmpq_mat(columns))) is Truth.FALSE
    assert statement.applies(attrs.evolve(whole, matrix=fmpq_mat([[2, 1, 1], [0, 2, 1], [1, 1, 2]]))) is Truth.FALSE
