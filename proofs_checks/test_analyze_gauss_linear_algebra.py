"""The slides on eigenvalues, traces and decompositions, bullet by bullet."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.decompositions import Decomposition
from dpmatrix.spec.analyze_gauss.eigenvalues import Factorisation
from dpmatrix.spec.analyze_gauss.traces import TracePoint
from proofs_checks.exact_matrices import cayley, diagonal

eigenvalue_properties = cite("analyze-gauss.eigenvalue-properties@1cf54431")
trace_properties = cite("analyze-gauss.trace-properties@ede0a9b6")
svd_relations = cite("analyze-gauss.svd-relations@a8b3cf2a")


DRAWS = random.Random(20140531)


def drawn(rows: int, columns: int) -> fmpq_mat:
    return fmpq_mat(rows, columns, [fmpq(DRAWS.randint(-4, 4), DRAWS.randint(1, 3)) for _ in range(rows * columns)])


def unit(order: int) -> fmpq_mat:
    return fmpq_mat(order, order, [int(i == j) for i in range(order) for j in range(order)])


def orthogonal(order: int) -> fmpq_mat:
    return cayley(drawn(order, order))


def similar(middle: fmpq_mat) -> Factorisation:
    frame = drawn(middle.nrows(), middle.nrows())
    while frame.det() == 0:
        frame = drawn(middle.nrows(), middle.nrows())
    return Factorisation(frame * middle * frame.inv(), frame, middle)


NILPOTENT = fmpq_mat([[0, 1], [0, 0]])
BLOCK = fmpq_mat([[2, 1, 0], [0, 2, 0], [0, 0, 0]])
BAD = Factorisation(NILPOTENT, unit(2), NILPOTENT)
GOOD = Factorisation(diagonal([1, 0]), unit(2), diagonal([1, 0]))
SQUARE = {"A, X and Lambda are square and of one order": attrs.evolve(GOOD, matrix=fmpq_mat([[1, 0, 0], [0, 0, 0]]))}
FACTORED = SQUARE | {
    "X is invertible": attrs.evolve(GOOD, frame=fmpq_mat([[1, 1], [0, 0]])),
    "A = X Lambda X^-1": attrs.evolve(GOOD, matrix=diagonal([2, 0])),
}
DIAGONALIZED = [
    similar(diagonal([DRAWS.randint(-2, 2) for _ in range(order)])) for order in (1, 2, 3, 4) for _ in range(7)
]
ANY = [Factorisation(m, unit(m.nrows()), m) for m in (drawn(n, n) for n in (1, 2, 3, 4) for _ in range(7))]


def roots(matrix: fmpq_mat) -> dict[sympy.Expr, int]:
    return symbolic_matrix(matrix).eigenvals()


@eigenvalue_properties.refutes(grade="symbolic", region="A = [[0, 1], [0, 0]] = Lambda, X = I")
@eigenvalue_properties.refutes("rank", grade="symbolic", region="A = [[0, 1], [0, 0]]: rank 1, eigenvalues 0 and 0")
@eigenvalue_properties.refutes("diagonalizable", grade="symbolic", region="A = [[0, 1], [0, 0]] = Lambda, X = I")
def test_a_nilpotent_matrix_breaks_two_bullets(statements) -> None:
    name = "analyze-gauss.eigenvalue-properties"
    rank, definition = statements[f"{name}/rank"], statements[f"{name}/diagonalizable"]
    for statement in (statements[name], rank, definition):
        assert statement.at(BAD) is Truth.FALSE
        assert all(statement.at(p) is Truth.TRUE for p in DIAGONALIZED)
    assert not symbolic_matrix(NILPOTENT).is_diagonalizable()
    block = Factorisation(BLOCK, unit(3), BLOCK)
    bind(rank, [*((p, 0) for p in DIAGONALIZED), (BAD, -1), (block, 0), (similar(diagonal([0, 0, 5])), 0)])
    assert definition.at(block) is Truth.FALSE
    two_links = fmpq_mat([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    bind(rank, [(Factorisation(two_links, unit(3), two_links), -2)], least=1)
    bind_hypotheses(rank, GOOD, SQUARE)
    for statement in (statements[name], definition):
        bind_hypotheses(statement, GOOD, FACTORED)


@eigenvalue_properties.supports(
    "determinant",
    grade="derived",
    region="every n: det(tI - A) = prod (t - lambda_i) at t = 0; symbolic for n <= 3, exact at 28 points, n <= 4",
)
def test_determinant_bullet(statement) -> None:
    """det(-A) = (-1)^n det A, as det is linear in each of n rows; it is prod (-lambda_i) = (-1)^n prod lambda_i."""
    t = sympy.Symbol("t")
    for order in (1, 2, 3):
        matrix = sympy.Matrix(order, order, sympy.symbols(f"a:{order * order}"))
        at_zero = (t * sympy.eye(order) - matrix).det(method="berkowitz").subs(t, 0)
        assert sympy.expand(at_zero - (-1) ** order * matrix.det(method="berkowitz")) == 0
    for p in ANY:
        assert statement.at(p) is Truth.TRUE
        product = sympy.prod(root**count for root, count in roots(p.matrix).items()) if p.matrix.nrows() < 4 else None
        if product is not None:
            assert sympy.Abs(sympy.N(product - symbolic_matrix(p.matrix).det(), 30)) < 1e-20
    bind(statement, [(p, 0) for p in ANY])
    bind_hypotheses(statement, GOOD, SQUARE)
    empty = fmpq_mat(0, 0)
    assert statement.applies(Factorisation(empty, empty, empty)) is Truth.FALSE


@eigenvalue_properties.supports(
    "diagonal",
    grade="derived",
    region="every n: det(tI - D) is the product of its diagonal; symbolic entries for n <= 4, exact at 28 points",
)
def test_diagonal_bullet(statement) -> None:
    """The Leibniz sum of a diagonal matrix has one term that is not zero."""
    t = sympy.Symbol("t")
    for order in (1, 2, 3, 4):
        entries = sympy.symbols(f"d:{order}")
        found = (t * sympy.eye(order) - sympy.diag(*entries)).det(method="berkowitz")
        assert sympy.expand(found - sympy.prod(t - entry for entry in entries)) == 0
    points = [attrs.evolve(p, matrix=p.middle) for p in DIAGONALIZED]
    bind(statement, [(p, 0) for p in points])
    assert all(statement.at(p) is Truth.TRUE for p in points)
    bind_hypotheses(statement, GOOD, SQUARE | {"A is diagonal": attrs.evolve(GOOD, matrix=fmpq_mat([[1, 1], [0, 0]]))})


@eigenvalue_properties.supports_repair(
    grade="derived", region="every n by the docstring's derivation; exact at 28 points with ties and zeros, n <= 4"
)
def test_bullets_of_diagonalizable_matrices(statement) -> None:
    """A = X Lambda X^-1 has det(tI - A) = det(tI - Lambda), so its eigenvalues are the l_i; rank A = rank Lambda is the
    number of l_i that are not zero; and q(A) = X q(Lambda) X^-1 = 0 for q the product of (t - l) over distinct l.
    """  # noqa: D205
    t, q = sympy.symbols("t q")
    frame = sympy.Matrix(2, 2, sympy.symbols("x:4"))
    middle = sympy.diag(*sympy.symbols("l:2"))
    matrix = frame * middle * frame.inv()
    assert sympy.simplify((t * sympy.eye(2) - matrix).det() - (t * sympy.eye(2) - middle).det()) == 0
    assert sympy.simplify(matrix**2 + q * matrix - frame * (middle**2 + q * middle) * frame.inv()) == sympy.zeros(2)
    for p in DIAGONALIZED:
        assert statement.at(p) is Truth.TRUE
        assert p.matrix.rank() == sum(p.middle[i, i] != 0 for i in range(p.middle.nrows()))
        assert symbolic_matrix(p.matrix).is_diagonalizable()
    bind(statement, [(p, 0) for p in DIAGONALIZED])
    wrong = {"Lambda is diagonal": BAD}
    bind_hypotheses(statement, GOOD, FACTORED | wrong)


@eigenvalue_properties.controls("+repair", grade="symbolic", region="Lambda not diagonal; one bullet broken at a time")
def test_each_eigenvalue_bullet_can_fail(statement) -> None:
    assert statement.without("Lambda is diagonal").at(BAD) is Truth.FALSE
    assert statement.nudged(lambda margin: margin - 1).at(GOOD) is Truth.FALSE
    block = Factorisation(fmpq_mat([[2, 1], [0, 2]]), unit(2), fmpq_mat([[2, 1], [0, 2]]))
    assert statement.conclusion(block) is Truth.FALSE, "only the last bullet fails here"


def idempotent(order: int, rank: int) -> fmpq_mat:
    return similar(diagonal([int(i < rank) for i in range(order)])).matrix


def trace_point(order: int = 3) -> TracePoint:
    return TracePoint(
        drawn(order, order),
        drawn(order, order),
        Fraction(DRAWS.randint(-9, 9), 7),
        drawn(order, 2),
        drawn(2, 4),
        drawn(4, order),
        tuple(drawn(order, order) for _ in range(4)),
        idempotent(order, DRAWS.randint(0, order)),
    )


TRACES = [trace_point(order) for order in (1, 2, 3, 4) for _ in range(6)]
ILL_SHAPED = {
    "the shapes fit": attrs.evolve(TRACES[-1], left=drawn(4, 3)),
}
ILL_SHAPES = [
    attrs.evolve(TRACES[-1], second=drawn(4, 3)),
    attrs.evolve(TRACES[-1], right=drawn(4, 3)),
    attrs.evolve(TRACES[-1], curve=(drawn(3, 3),)),
    attrs.evolve(TRACES[-1], idempotent=unit(3)),
    attrs.evolve(TRACES[-1], first=drawn(4, 3)),
]
NOT_IDEMPOTENT = {"P = P^2": attrs.evolve(TRACES[-1], idempotent=2 * unit(4))}
BULLETS = ("sum", "scalar", "product", "cyclic", "transpose", "differential", "idempotent")
TRACE = "analyze-gauss.trace-properties"


def symbols(name: str, rows: int, columns: int) -> sympy.Matrix:
    return sympy.Matrix(rows, columns, sympy.symbols(f"{name}:{rows * columns}"))


def check_trace_algebra() -> None:
    """Check the seven identities with symbolic entries."""
    c, t = sympy.symbols("c t")
    for n, m, k in ((1, 2, 1), (2, 3, 2), (3, 2, 2)):
        a, b = symbols("a", n, n), symbols("b", n, n)
        left, middle, right = symbols("l", n, m), symbols("m", m, k), symbols("r", k, n)
        assert sympy.expand((a + b).trace() - a.trace() - b.trace()) == 0
        assert sympy.expand((c * a).trace() - c * a.trace()) == 0
        other = middle * right
        assert sympy.expand((left * other).trace() - (other * left).trace()) == 0
        assert sympy.expand((left * middle * right).trace() - (right * left * middle).trace()) == 0
        assert sympy.expand(a.trace() - a.T.trace()) == 0
        curve = a + t * b + t**2 * a * b
        assert sympy.expand(sympy.diff(curve.trace(), t) - sympy.diff(curve, t).trace()) == 0


@trace_properties.supports(
    grade="derived",
    region="every shape by the docstring's index sums; symbolic entries for n <= 3; exact at 24 points, n <= 4",
)
@trace_properties.supports("sum", grade="derived", region="every n, as the whole")
@trace_properties.supports("scalar", grade="derived", region="every n, as the whole")
@trace_properties.supports("product", grade="derived", region="every shape, as the whole")
@trace_properties.supports("cyclic", grade="derived", region="every shape, as the whole")
@trace_properties.supports("transpose", grade="derived", region="every n, as the whole")
@trace_properties.supports(
    "differential",
    grade="derived",
    region="every polynomial curve, by linearity; of degree two symbolically for n <= 3",
)
@trace_properties.supports("idempotent", grade="derived", region="every n, as the whole")
def test_trace_bullets(statements) -> None:
    """sum_i (a_ii + b_ii), c sum_i a_ii and sum_i a_ii' are linear in the entries, and the transpose has the same ones.
    tr(AB) = sum_ij a_ij b_ji = tr(BA); with AB in place of A and C in place of B this is tr(ABC) = tr(CAB). A P of rank
    r is UV with U of r independent columns and V of r independent rows; P^2 = P says U(VU - I)V = 0, and U can be
    cancelled from the left and V from the right, so VU = I_r and tr P = tr(UV) = tr(VU) = r.
    """  # noqa: D205
    check_trace_algebra()
    for p in TRACES:
        rank = p.idempotent.rank()
        if rank:
            reduced, _ = p.idempotent.rref()
            rows = fmpq_mat(reduced.tolist()[:rank])
            columns = p.idempotent * rows.transpose() * (rows * rows.transpose()).inv()
            assert columns * rows == p.idempotent
            assert rows * columns == unit(rank)
    for statement in statements.values():
        assert all(statement.at(p) is Truth.TRUE for p in TRACES)
        bind(statement, [(p, 0) for p in TRACES])
        assert all(statement.applies(p) is Truth.FALSE for p in ILL_SHAPES)
    for bullet in BULLETS[:-1]:
        bind_hypotheses(statements[f"{TRACE}/{bullet}"], TRACES[-1], ILL_SHAPED)
    for name in (TRACE, f"{TRACE}/idempotent"):
        bind_hypotheses(statements[name], TRACES[-1], ILL_SHAPED | NOT_IDEMPOTENT)


@trace_properties.controls(grade="symbolic", region="P = 2I; a permutation that is not cyclic")
def test_trace_bullets_can_fail(statement) -> None:
    point = NOT_IDEMPOTENT["P = P^2"]
    assert statement.without("P = P^2").at(point) is Truth.FALSE
    bind(statement, [(point, -4)], least=1)
    first, second = fmpq_mat([[0, 1], [0, 0]]), fmpq_mat([[0, 0], [1, 0]])
    third = fmpq_mat([[1, 0], [0, 0]])

    def trace(matrix: fmpq_mat) -> fmpq:
        return matrix[0, 0] + matrix[1, 1]

    assert trace(first * second * third) != trace(first * third * second)


def decomposition(rows: int, values) -> Decomposition:
    columns = fmpq_mat([row[: len(values)] for row in orthogonal(rows).tolist()])
    return Decomposition(columns, tuple(values), orthogonal(len(values)))


FULL = [
    decomposition(order + extra, sorted((Fraction(DRAWS.randint(1, 9), 4) for _ in range(order)), reverse=True))
    for order in (1, 2, 3)
    for extra in (0, 1)
    for _ in range(4)
]
DEFICIENT = [decomposition(3, (Fraction(5, 2), 0)), decomposition(2, (0, 0)), decomposition(4, (3, 3, 0))]
SCALED = Decomposition(unit(2), (2, 1), unit(2))
HYPOTHESES = {
    "the columns of U and V are orthonormal": attrs.evolve(SCALED, right=diagonal([1, 2])),
    "s_1 >= ... >= s_n >= 0": attrs.evolve(SCALED, values=(1, 2)),
}
SVD = "analyze-gauss.svd-relations"


@svd_relations.refutes(grade="symbolic", region="A = S = diag(2, 1), U = V = I")
@svd_relations.refutes("gram", grade="symbolic", region="A = S = diag(2, 1), U = V = I")
@svd_relations.refutes("left", grade="symbolic", region="A = S = diag(2, 1), U = V = I")
def test_one_s_does_not_fit_all(statements) -> None:
    """At diag(2, 1) the entries differ by |4 - 2|; all three agree where every singular value is 1."""
    isometry = Decomposition(unit(2), (1, 1), unit(2))
    scales = [Decomposition(unit(1), (Fraction(i, 4),), unit(1)) for i in range(21)]
    one = [(p, *map(sympy.Rational, p.values)) for p in scales]
    formulas = {
        f"{SVD}/gram": [(p, -abs(s**2 - s)) for p, s in one],
        f"{SVD}/left": [(p, -abs(1 - s**2)) for p, s in one],
        SVD: [(p, -abs(s**2 - s) - abs(1 - s**2)) for p, s in one],
    }
    for name, statement in statements.items():
        assert statement.at(SCALED) is Truth.FALSE
        assert statement.at(isometry) is Truth.TRUE
        bind(statement, [(p, sympy.N(value, 50)) for p, value in formulas[name]])
        bind_hypotheses(statement, SCALED, HYPOTHESES)
        assert statement.applies(attrs.evolve(SCALED, values=(2, -1))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SCALED, left=fmpq_mat([[1, 1], [0, 1]]))) is Truth.FALSE
        assert statement.applies(attrs.evolve(SCALED, right=unit(3))) is Truth.FALSE


@svd_relations.supports_repair(
    grade="derived", region="every m >= n, by substitution of U'U = V'V = I; exact at 24 points, n <= 3"
)
@svd_relations.supports(
    "existence",
    grade="derived",
    region="every m >= n, from the spectral theorem for A'A; exact at 27 points, some rank-deficient, n <= 3",
)
def test_repaired_relations(statements) -> None:
    """A'A = V S U'U S V' = V S^2 V'. A V = U S V'V = U S, so A V S^-1 = U where S is invertible.

    Existence: take V and S^2 from the spectral theorem for A'A, which is positive semidefinite. |A v_i|^2 = s_i^2, and
    A v_i and A v_j are orthogonal, so the u_i = A v_i / s_i with s_i > 0 are orthonormal; A v_i = 0 = s_i u_i with any
    u_i where s_i = 0. So U S V' = A V V' = A.
    """
    cosine, sine, first, second = sympy.symbols("c s s1 s2", positive=True)
    turn = sympy.Matrix([[cosine, -sine], [sine, cosine]])
    middle = sympy.diag(first, second)
    matrix = turn * middle * turn.T

    def vanishes(difference: sympy.Matrix) -> bool:
        return all(sympy.rem(sympy.expand(x), sine**2 + cosine**2 - 1, sine) == 0 for x in difference)

    assert vanishes(matrix.T * matrix - turn * middle**2 * turn.T)
    assert vanishes(matrix * turn * middle.inv() - turn)
    repaired, existence = statements[f"{SVD}+repair"], statements[f"{SVD}/existence"]
    assert all(repaired.at(p) is Truth.TRUE for p in FULL)
    assert all(existence.at(p) is Truth.TRUE for p in FULL + DEFICIENT)
    bind(repaired, [(p, 0) for p in FULL])
    bind(existence, [(p, 0) for p in FULL + DEFICIENT])
    bind_hypotheses(existence, DEFICIENT[0], HYPOTHESES)
    bind_hypotheses(repaired, SCALED, HYPOTHESES | {"s_n > 0": DEFICIENT[0]})


@svd_relations.controls("+repair", grade="symbolic", region="a rank-deficient matrix; U scaled")
def test_rank_matters_for_the_left_factor(statement) -> None:
    assert statement.without("s_n > 0").at(DEFICIENT[0]) is Truth.FALSE
    scaled = attrs.evolve(SCALED, left=diagonal([1, Fraction(11, 10)]))
    assert statement.conclusion(scaled) is Truth.FALSE
