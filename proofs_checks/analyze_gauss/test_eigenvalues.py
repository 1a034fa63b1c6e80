"""The slide on eigenvalues, bullet by bullet."""

from __future__ import annotations

import random

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss import eigenvalues
from dpmatrix.spec.analyze_gauss.eigenvalues import Factorisation, SquareMatrix
from dpmatrix.spec.analyze_gauss.points import same
from proofs_checks.analyze_gauss.drawn_matrices import drawn, similar, unit
from proofs_checks.exact_matrices import diagonal

eigenvalue_properties = cite("analyze-gauss.eigenvalue-properties@197f0c74")

DRAWS = random.Random(20140531)


NILPOTENT = fmpq_mat([[0, 1], [0, 0]])
BLOCK = fmpq_mat([[2, 1, 0], [0, 2, 0], [0, 0, 0]])
BAD = Factorisation(NILPOTENT, unit(2), NILPOTENT)
GOOD = Factorisation(diagonal([1, 0]), unit(2), diagonal([1, 0]))
SQUARE = {"A is square": attrs.evolve(GOOD, matrix=fmpq_mat([[1, 0, 0], [0, 0, 0]]))}
FACTORED = {
    "X is invertible": Factorisation(NILPOTENT, diagonal([0, 0]), diagonal([0, 0])),
    "A = X Lambda X^-1": Factorisation(NILPOTENT, unit(2), diagonal([0, 0])),
}
DIAGONALIZED = [
    similar(DRAWS, diagonal([DRAWS.randint(-2, 2) for _ in range(order)])) for order in (1, 2, 3, 4) for _ in range(7)
]
ANY = [SquareMatrix(m) for m in (drawn(DRAWS, n, n) for n in (1, 2, 3, 4) for _ in range(7))]


def roots(matrix: fmpq_mat) -> dict[sympy.Expr, int]:
    return symbolic_matrix(matrix).eigenvals()


@eigenvalue_properties.refutes(grade="symbolic", region="A = [[0, 1], [0, 0]]: rank 1, eigenvalues 0 and 0")
@eigenvalue_properties.refutes("rank", grade="symbolic", region="A = [[0, 1], [0, 0]]: rank 1, eigenvalues 0 and 0")
def test_a_nilpotent_matrix_breaks_the_bullet_on_the_rank(statements) -> None:
    name = "analyze-gauss.eigenvalue-properties"
    rank = statements[f"{name}/rank"]
    for statement in (statements[name], rank):
        assert statement.at(BAD) is Truth.FALSE
        assert all(statement.at(p) is Truth.TRUE for p in DIAGONALIZED)
    assert not symbolic_matrix(NILPOTENT).is_diagonalizable()
    block = Factorisation(BLOCK, unit(3), BLOCK)
    bind(rank, [*((p, 0) for p in DIAGONALIZED), (BAD, -1), (block, 0), (similar(DRAWS, diagonal([0, 0, 5])), 0)])
    two_links = fmpq_mat([[0, 1, 0], [0, 0, 1], [0, 0, 0]])
    for statement in (statements[name], rank):
        bind(statement, [(Factorisation(two_links, unit(3), two_links), -2)], least=1)
        bind_hypotheses(statement, GOOD, SQUARE)


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
    assert statement.applies(SquareMatrix(empty)) is Truth.FALSE


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
    off_diagonal = attrs.evolve(GOOD, matrix=fmpq_mat([[1, 1], [1, 1]]))
    bind_hypotheses(statement, GOOD, SQUARE | {"A is diagonal": off_diagonal})
    assert statement.without("A is diagonal").at(off_diagonal) is Truth.FALSE, "t^2 - 2 t against (t - 1)^2"


def links(*sizes: int) -> fmpq_mat:
    """Join nilpotent blocks with ones above the diagonal, of these sizes; a size 0 stands for the number 3."""
    order = sum(max(size, 1) for size in sizes)
    found, begin = fmpq_mat(order, order), 0
    for size in sizes:
        if not size:
            found[begin, begin] = 3
        for i in range(begin, begin + size - 1):
            found[i, i + 1] = 1
        begin += max(size, 1)
    return found


LINKED = [
    SquareMatrix(similar(DRAWS, links(*sizes)).matrix)
    for sizes in ((2,), (1, 0), (2, 0), (2, 1), (3,), (1, 1, 0), (2, 2), (3, 0), (2, 0, 0), (4,), (2, 1, 0), (1, 3))
]


@eigenvalue_properties.supports_repair(
    grade="derived",
    region="every n by the docstring's derivation; exact at 69 points, some with nilpotent parts, n <= 4",
)
@eigenvalue_properties.supports(
    "diagonalizable", grade="derived", region="every n by the docstring; exact at 28 points with ties and zeros, n <= 4"
)
def test_the_rank_and_the_eigenvalues(statements) -> None:
    """Let r = rank A^n. In a basis of the kernel and the image of A^n, which are complementary (Fitting), A is diag(N,
    B) with N nilpotent and B invertible of order r, so det(tI - A) = t^(n-r) det(tI - B) has r roots that are not zero.
    rank A = r + rank N, and rank A^2 = r + rank N^2. If rank N^2 = rank N, the image of N is that of N^2, and so of
    N^n = 0: so rank A = r exactly if the ranks of A and A^2 agree. The other two bullets need no more than their items
    say. A = X Lambda X^-1 has A^2 = X Lambda^2 X^-1, and Lambda^2 has the rank of the diagonal Lambda.
    """  # noqa: D205
    name = "analyze-gauss.eigenvalue-properties"
    repaired, factored = statements[f"{name}+repair"], statements[f"{name}/diagonalizable"]
    values = []
    for p in [*ANY, *DIAGONALIZED, *LINKED, BAD]:
        assert repaired.at(p) is Truth.TRUE
        whole, square = p.matrix, p.matrix * p.matrix
        rest = fmpq_mat(whole) ** whole.nrows()
        values.append((p, 0 if square.rank() == whole.rank() else min(0, whole.rank() - rest.rank() - 1)))
    bind(repaired, values)
    for p in DIAGONALIZED:
        assert factored.at(p) is Truth.TRUE
        assert p.matrix.rank() == sum(p.middle[i, i] != 0 for i in range(p.middle.nrows()))
        assert symbolic_matrix(p.matrix).is_diagonalizable()
    bind(factored, [(p, 0) for p in DIAGONALIZED])
    bind_hypotheses(factored, GOOD, FACTORED | {"Lambda is diagonal": BAD})
    assert factored.applies(SQUARE["A is square"]) is Truth.FALSE
    bind_hypotheses(repaired, GOOD, SQUARE)
    two_links = links(3)
    bind(factored, [(Factorisation(two_links, unit(3), two_links), -2)], least=1)


@eigenvalue_properties.controls("determinant", grade="symbolic", region="n = 3: det(tI - 2A) for det(tI - A)")
@eigenvalue_properties.controls("diagonal", grade="symbolic", region="n = 3: det(tI - 2A) for det(tI - A)")
def test_the_eigenvalues_of_twice_the_matrix_are_others(statements) -> None:
    """At A = 3 I: 8 det A for det A, and (t - 6)^3 for (t - 3)^3."""
    three = Factorisation(diagonal([3] * 3), unit(3), diagonal([3] * 3))
    for name, value in (("determinant", 8 * 27 - 27), ("diagonal", (18 - 9) + (108 - 27) + (216 - 27))):
        statement = statements[f"analyze-gauss.eigenvalue-properties/{name}"]
        twice = redefined(statement, eigenvalues, "characteristic", lambda matrix: (2 * matrix).charpoly())
        assert statement.at(three) is Truth.TRUE
        assert twice.at(three) is Truth.FALSE
        assert twice.formula(three) == -value


@eigenvalue_properties.controls("diagonalizable", grade="symbolic", region="Lambda not diagonal; no multiplicity")
def test_the_bullet_on_the_rank_can_fail(statement) -> None:
    assert statement.without("Lambda is diagonal").at(BAD) is Truth.FALSE
    twice = Factorisation(diagonal([2, 2]), unit(2), diagonal([2, 2]))
    assert statement.at(twice) is Truth.TRUE

    def without_multiplicity(p: Factorisation) -> arb:
        different = {p.middle[i, i] for i in range(p.middle.nrows())} - {fmpq(0)}
        return same(fmpq(p.matrix.rank()), fmpq(len(different)))

    assert statement.nudged(margin=without_multiplicity).at(twice) is Truth.FALSE


@eigenvalue_properties.controls(
    "+repair",
    grade="symbolic",
    region="equality whatever the rank of A^2, or if A^3 has the rank of A^2; no excess of the rank; det(tI - 2A)",
)
def test_each_eigenvalue_bullet_can_fail(statement) -> None:
    """[[0, 1], [0, 0]] has rank 1, A^2 and A^3 have rank 0, and no eigenvalue is not zero."""
    assert statement.at(BAD) is Truth.TRUE
    assert statement.nudged(margin=eigenvalues.rank_margin).at(BAD) is Truth.FALSE

    def later(p: SquareMatrix) -> arb:
        square = p.matrix * p.matrix
        if (square * p.matrix).rank() == square.rank():
            return eigenvalues.rank_margin(p)
        return arb(p.matrix.rank() - eigenvalues.non_zero_eigenvalues(p.matrix) - 1)

    assert statement.nudged(margin=later).at(BAD) is Truth.FALSE
    level = redefined(statement, eigenvalues, "non_zero_eigenvalues", lambda matrix: matrix.rank())
    assert level.at(BAD) is Truth.FALSE
    assert level.formula(BAD) == -1, "the rank exceeds such a number by 0, and not by 1"
    twice = SquareMatrix(diagonal([2, 2]))
    assert statement.at(twice) is Truth.TRUE
    doubled = redefined(statement, eigenvalues, "characteristic", lambda matrix: (2 * matrix).charpoly())
    assert doubled.formula(twice) == -(8 - 4) - (16 - 4), "(t - 4)^2 for (t - 2)^2, the larger error of two"
