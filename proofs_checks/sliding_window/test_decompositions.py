"""Section 2 of `sliding-window`: singular value decompositions, and what is nearest in unitarily invariant norms."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window import decompositions
from dpmatrix.spec.sliding_window.decompositions import AnyMatrix, NormPoint, is_diagonalised

notation_facts = cite("sliding-window.notation-facts@bb6d61b1")

MATRICES = [
    fmpq_mat(n, d, [fmpq((7 * i * i + 2 * k) % 9 - 4, 1 + i % 3) for i in range(n * d)])
    for n, d, k in product((1, 2, 3), (1, 2, 3), (0, 1, 3))
]


@notation_facts.supports(
    "every-decomposition",
    grade="derived",
    region="every n, d: A'A is symmetric, and A = sum A y_iy_i' over an orthonormal basis of its eigenvectors",
)
def test_every_matrix_has_a_singular_value_decomposition(statement) -> None:
    """An eigenvalue l of M = A'A with the complex vector z has l |z|^2 = z*A'Az = |Az|^2: it is real and at least 0.

    |(M - l)z|^2 = z'(M - l)^2 z, so (M - l)^2 z = 0 forces (M - l)z = 0, and every factor of the characteristic
    polynomial is needed once only: their product is zero, and eigenvectors span. (l - m) y'z = y'Mz - y'Mz = 0 makes
    those of different eigenvalues orthogonal. With y_i an orthonormal basis of them, x_i'x_j = y_i'A'Ay_j/(s_i s_j) is
    1 for i = j and 0 else, and A = sum (Ay_i)y_i', where Ay_i = s_i x_i, or 0 as |Ay_i|^2 = s_i^2 = 0.
    """
    a, b, c, l, u, v = sympy.symbols("a b c l u v", real=True)
    shifted, z = sympy.Matrix([[a - l, b], [b, c - l]]), sympy.Matrix([u, v])
    assert sympy.expand((z.T * shifted**2 * z)[0] - (shifted * z).dot(shifted * z)) == 0
    for matrix in MATRICES:
        assert statement.at(AnyMatrix(matrix)) is Truth.TRUE
    bind(statement, ((AnyMatrix(matrix), 0) for matrix in MATRICES))
    assert is_diagonalised(diagonal((2, 2, 0)))
    assert not is_diagonalised(fmpq_mat([[1, 1], [0, 1]])), "a double root that needs its factor twice"
    assert not is_diagonalised(fmpq_mat([[0, -1], [1, 0]])), "roots that are not real"
    assert not is_diagonalised(diagonal((1, fmpq(-1, 20)))), "a negative root"
    for tilt in (1, fmpq(1, 50)):
        oblique = fmpq_mat([[1, 0], [tilt, 2]])
        assert not is_diagonalised(oblique), "eigenvectors that are not orthogonal"
        without_square = redefined(statement, decompositions, "gram", lambda matrix: matrix)
        assert without_square.at(AnyMatrix(oblique)) is Truth.FALSE, "A itself for A'A"
    data = sympy.Matrix([[3, 0], [4, 5]])
    pairs = [(sympy.sqrt(value), basis[0].normalized()) for value, _, basis in (data.T * data).eigenvects()]
    assert sum((s * (data * y / s) * y.T for s, y in pairs), sympy.zeros(2)).applyfunc(sympy.simplify) == data
    assert sorted(s**2 for s, _ in pairs) == [5, 45]
    assert statement.given == ()
    assert not statement.strict


FRAME = fmpq_mat([[fmpq(2, 3), fmpq(-2, 3)], [fmpq(1, 3), fmpq(2, 3)], [fmpq(2, 3), fmpq(1, 3)]])
TURN = fmpq_mat([[fmpq(3, 5), fmpq(-4, 5)], [fmpq(4, 5), fmpq(3, 5)]])


def away(values, other, weights, left=FRAME) -> NormPoint:
    """B has the numbers ``other`` where A has its singular values."""
    exact = tuple(fmpq(value) for value in values)
    return NormPoint(exact, left, TURN, FRAME * diagonal(other) * TURN.transpose(), tuple(map(fmpq, weights)))


ORDINARY = away((3, 1), (2, 0), (2, 1))


@notation_facts.supports(
    "best-rank-k-every-norm",
    grade="derived",
    region="every n, d, k and w >= 0: s_i(A - B) >= s_{i+k}(A) for each i, by a space of i dimensions",
)
def test_the_leading_part_is_nearest_in_every_norm(statement) -> None:
    """The span of y_1, ..., y_{i+k} meets the kernel of B, of d - k dimensions at least, in i dimensions or more.

    There |(A - B)x| = |Ax| >= s_{i+k}|x|, so that s_i(A - B) >= s_{i+k}(A) by the min-max principle, for i + k up to
    the number of singular values; beyond, s_{i+k} is 0. Weights that are not negative keep each of the inequalities.
    """
    c = sympy.symbols("c1:4", real=True)
    s = sympy.symbols("s1:4", nonnegative=True)
    slack = sum((s[j] * c[j]) ** 2 for j in range(3)) - s[2] ** 2 * sum(each**2 for each in c)
    assert sympy.expand(slack - sum((s[j] ** 2 - s[2] ** 2) * c[j] ** 2 for j in range(3))) == 0, "|Ax| >= s_{i+k}|x|"
    values = []
    for a, b, x, y, w in product((5, 4), (1, 3), (0, 2, 7), (0, 4), ((1, 0), (1, 1), (0, 2), (fmpq(1, 2), 3))):
        gaps = sorted((abs(a - x), abs(b - y)), reverse=True)
        beyond = (a, b, 0, 0)[(x != 0) + (y != 0) :]
        point = away((a, b), (x, y), w)
        values.append((point, sum(w[i] * (gaps[i] - beyond[i]) for i in range(2))))
        assert statement.at(point) is not Truth.FALSE
    bind(statement, values)
    assert statement.at(ORDINARY) is Truth.TRUE
    wide = NormPoint((fmpq(3), fmpq(1)), TURN, FRAME, 0 * FRAME.transpose(), (fmpq(1), fmpq(2), fmpq(3)))
    assert statement.margin(wide).contains(0), "two singular values in three dimensions"
    outside = {
        "x_i and y_i are orthonormal": away((3, 1), (0, 0), (1, 1), left=fmpq(49, 50) * FRAME),
        "s_1 >= s_2 >= ... >= 0": away((1, fmpq(51, 50)), (0, fmpq(51, 50)), (1, 0)),
        "w_i >= 0": away((3, 1), (-5, 0), (fmpq(-1, 50), 0)),
    }
    for inside in (ORDINARY, away((1, 1), (0, 0), (0, 0)), away((0, 0), (1, 1), (1, 2))):
        bind_hypotheses(statement, inside, outside)
    for point in outside.values():
        assert statement.conclusion(point) is Truth.FALSE
    assert statement.applies(attrs.evolve(ORDINARY, weights=(fmpq(1), fmpq(-1, 50)))) is Truth.FALSE
    assert not statement.strict
