"""What section 2 of `sliding-window` says of symmetric matrices."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat, fmpq_poly

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common import eigenbases
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window import symmetric_facts as module
from dpmatrix.spec.sliding_window.notation_margins import SymmetricPoint
from dpmatrix.spec.sliding_window.symmetric_facts import Combination

notation_facts = cite("sliding-window.notation-facts@bb6d61b1")

PAIR = Combination(fmpq_mat([[1, 2], [2, -3]]), fmpq_mat([[0, fmpq(1, 2)], [fmpq(1, 2), 5]]), fmpq(-2, 3), 7)
UPPER = fmpq_mat([[1, 1], [0, 2]])
"""Real simple eigenvalues, and eigenvectors that are not orthogonal."""
ROTATION = fmpq_mat([[0, -1], [1, 0]])
FRAME = fmpq_mat([[2, -2, 1], [1, 2, 2], [2, 1, -2]]) * fmpq(1, 3)
SPECTRA = [(fmpq(a), fmpq(b), fmpq(c, 2)) for a, b, c in product((-1, 0, 2), (-1, 2), (0, 3, 4))]


def symmetric_points() -> list[SymmetricPoint]:
    """All multiplicities of three rational eigenvalues, and matrices whose eigenvalues are irrational."""
    turned = [SymmetricPoint(FRAME * diagonal(values) * FRAME.transpose()) for values in SPECTRA]
    plain = [
        SymmetricPoint(fmpq_mat(3, 3, [(i % 3 + 1) * (i // 3 + 1) % 5 + seed for i in range(9)])) for seed in (0, 1)
    ]
    return [*turned, *plain, SymmetricPoint(fmpq_mat([[1, 1], [1, 0]])), SymmetricPoint(fmpq_mat([[7]]))]


def blocks(a: int, b: int) -> tuple[SymmetricPoint, SymmetricPoint]:
    """Return a + bi as a matrix, and a Jordan block."""
    return SymmetricPoint(fmpq_mat([[a, -b], [b, a]])), SymmetricPoint(fmpq_mat([[a, b], [0, a]]))


SIZES = [(a, b) for a in (-2, 0, 3) for b in (-5, 1, 2)]


@notation_facts.supports("vector-space", grade="derived", region="every n, A, B, s and t: (sA + tB)' = sA' + tB'")
def test_symmetric_matrices_are_a_vector_space(statement) -> None:
    """Entry (i, j) of sA + tB minus entry (j, i) is s (a_ij - a_ji) + t (b_ij - b_ji)."""
    s, t, *a = sympy.symbols("s t a:6")
    b = sympy.symbols("b:6")
    first, second = (sympy.Matrix(3, 3, [e[k] for k in (0, 1, 2, 1, 3, 4, 2, 4, 5)]) for e in (a, b))
    assert (s * first + t * second).is_symmetric()
    values = []
    for k, (x, y) in product(range(4), ((0, 0), (1, 0), (2, 5), (-3, 1), (2, -2))):
        point = attrs.evolve(
            PAIR,
            first=PAIR.first + fmpq_mat([[0, x], [0, 0]]),
            second=PAIR.second + fmpq_mat([[0, 0], [y, 0]]),
            factor=k,
        )
        values.append((point, -2 * abs(k * x - 7 * y)))
    bind(statement, values)
    assert statement.at(PAIR) is Truth.TRUE
    assert statement.at(attrs.evolve(PAIR, factor=0, other_factor=0)) is Truth.TRUE, "the zero matrix is one of them"
    assert not statement.strict
    outside = {"A and B are symmetric, of one order": attrs.evolve(PAIR, first=UPPER)}
    for inside in (PAIR, Combination(fmpq_mat([[1]]), fmpq_mat([[0]]), 1, 1)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(PAIR, second=UPPER)) is Truth.FALSE
    assert statement.applies(attrs.evolve(PAIR, second=fmpq_mat([[1]]))) is Truth.FALSE


@notation_facts.controls("vector-space", grade="symbolic", region="A not symmetric; a product in place of the sum")
def test_products_of_symmetric_matrices_are_not_symmetric(statement) -> None:
    skew = attrs.evolve(PAIR, first=UPPER)
    assert statement.without("A and B are symmetric, of one order").at(skew) is Truth.FALSE

    def product_margin(p: Combination):
        return module.disagreement(p.first * p.second, p.second * p.first)

    assert statement.nudged(margin=product_margin).at(PAIR) is Truth.FALSE, "symmetric only where A and B commute"


@notation_facts.supports(
    "real-eigenvalues", grade="derived", region="every n: x*Ax is its own conjugate; at 22 matrices"
)
def test_eigenvalues_of_symmetric_matrices_are_real(statement) -> None:
    """For Ax = l x the number x*Ax = l |x|^2 has the conjugate x*A'x = x*Ax, as A is real and symmetric: l is real.

    In the plane the discriminant of the characteristic polynomial is (a - c)^2 + 4 b^2.
    """
    a, b, c = sympy.symbols("a b c")
    discriminant = sympy.Matrix([[a, b], [b, c]]).charpoly().discriminant()
    assert sympy.expand(discriminant - (a - c) ** 2 - 4 * b**2) == 0
    assert all(statement.at(p) is Truth.TRUE for p in symmetric_points())
    pairs = [(one, -2 * abs(b)) for one, b in ((blocks(a, b)[0], b) for a, b in SIZES)]
    bind(statement, [*((p, 0) for p in symmetric_points()), *pairs])
    assert not statement.strict
    for inside in (symmetric_points()[1], symmetric_points()[-1]):
        bind_hypotheses(statement, inside, {"A is symmetric": SymmetricPoint(ROTATION)})


@notation_facts.controls(
    "real-eigenvalues", grade="symbolic", region="a rotation; all roots in place of the imaginary parts"
)
def test_eigenvalues_of_a_rotation_are_noticed(statement) -> None:
    assert statement.without("A is symmetric").at(SymmetricPoint(ROTATION)) is Truth.FALSE
    tripled = SymmetricPoint(fmpq_mat([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))
    assert statement.without("A is symmetric").at(tripled) is Truth.FALSE, "the cube roots of 1"
    charpoly = SymmetricPoint(fmpq_mat([[0, 1], [1, 0]]))
    assert statement.at(charpoly) is Truth.TRUE

    def squared(p: SymmetricPoint):
        return module.real_values_margin(SymmetricPoint(p.matrix * ROTATION))

    assert statement.nudged(margin=squared).at(SymmetricPoint(fmpq_mat([[1, 0], [0, 1]]))) is Truth.FALSE


@notation_facts.supports(
    "spectral-decomposition", grade="derived", region="every n: projections that are polynomials in A; at 22 matrices"
)
def test_symmetric_matrices_have_a_spectral_decomposition(statement) -> None:
    """Let q have the eigenvalues l_1, ..., l_m of A, all real, as simple roots, and N = q(A), which is symmetric.

    The characteristic polynomial divides q^n, so N^n = 0; a symmetric N with N^2 x = 0 has |Nx|^2 = x'N^2x = 0, and so
    N = 0. Lagrange's P_i = prod_{j != i} (A - l_j)/(l_i - l_j) are then symmetric, P_i P_j = 0, sum P_i = 1 and A P_i
    = l_i P_i: orthonormal bases of their ranges are the columns of U.
    """
    golden = (1 + sympy.sqrt(5)) / 2
    matrix = sympy.Matrix([[1, 1], [1, 0]])
    first = ((matrix - (1 - golden) * sympy.eye(2)) / (2 * golden - 1)).applyfunc(sympy.nsimplify)
    assert (first * first - first).applyfunc(sympy.simplify).is_zero_matrix
    rebuilt = golden * first + (1 - golden) * (sympy.eye(2) - first)
    assert (rebuilt - matrix).applyfunc(sympy.simplify).is_zero_matrix
    assert first.is_symmetric()
    assert all(statement.at(p) is Truth.TRUE for p in symmetric_points())
    turned = [(blocks(a, b)[0], -2 * abs(b)) for a, b in SIZES]
    jordan = [(blocks(a, b)[1], -(abs(b) + 2 * b * b)) for a, b in SIZES]
    bind(statement, [*((p, 0) for p in symmetric_points()), *turned, *jordan])
    assert statement.margin(SymmetricPoint(UPPER)) == -4, "AA' = (2, 2; 2, 4) and A'A = (1, 1; 1, 5)"
    assert not statement.strict
    for inside in (symmetric_points()[1], symmetric_points()[-1]):
        bind_hypotheses(statement, inside, {"A is symmetric": SymmetricPoint(UPPER)})


@notation_facts.controls(
    "spectral-decomposition", grade="symbolic", region="eigenvectors that are not orthogonal or do not span; half of q"
)
def test_matrices_without_a_decomposition_are_noticed(statement) -> None:
    free = statement.without("A is symmetric")
    for matrix in (UPPER, ROTATION, fmpq_mat([[2, 1], [0, 2]])):
        assert free.at(SymmetricPoint(matrix)) is Truth.FALSE
    shorter = redefined(statement, eigenbases, "simple_polynomial", lambda _: fmpq_poly([-1, 1]))
    assert shorter.at(SymmetricPoint(diagonal((1, 2)))) is Truth.FALSE, "x - 1 leaves the eigenvalue 2 out"
