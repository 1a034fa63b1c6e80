"""Definition 2 of `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import pytest
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import eigenvalues
from dpmatrix.spec.sliding_window.definitions import LeadingPoint, ProjectionPoint, right_cost
from dpmatrix.spec.sliding_window.loewner import gram
from proofs_checks.exact_matrices import diagonal, line

definition_2 = cite("sliding-window.definition-2@c9929922")

TALL = fmpq_mat([[1, 2], [3, 1], [0, 1]])
AXIS = fmpq_mat([[1, 0], [0, 0]])
SQUARE = fmpq_mat([[2, 1], [1, 3]])
NOT_SYMMETRIC = fmpq_mat([[1, 1], [0, 0]])
NOT_IDEMPOTENT = fmpq_mat([[fmpq(21, 20), 0], [0, 0]])
HALF = Fraction(1, 2)


SHAPES = {
    "P is d x d": ProjectionPoint(TALL, fmpq_mat([[1]])),
    "P is an orthogonal projection": ProjectionPoint(TALL, NOT_IDEMPOTENT),
}
LINES = [(i, j) for i, j in product(range(1, 6), range(-2, 3)) if (i, j) != (0, 0)]


def check_shapes(statement, make, **more) -> None:
    """Each hypothesis on P excludes a point; ``make`` builds a point from a projection."""
    outside = {says: make(p.projection) for says, p in SHAPES.items()} | more.get("outside", {})
    for inside in (AXIS, line(3, 4), fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[0, 0], [0, 0]])):
        bind_hypotheses(statement, make(inside), outside)
    assert statement.applies(make(NOT_SYMMETRIC)) is Truth.FALSE
    assert statement.applies(make(fmpq_mat([[1, 0]]))) is Truth.FALSE, "one row too few"
    assert not statement.strict


@definition_2.refutes(grade="symbolic", region="W = 3 rows, d = 2 columns; one projection of each order 1, 2, 3")
def test_the_printed_difference_does_not_exist(statement) -> None:
    """XP is square, so A - XP exists for no order of the projections unless A is square."""
    for projection in (AXIS, fmpq_mat([[1]]), diagonal((1, 0, 0))):
        point = ProjectionPoint(TALL, projection)
        assert statement.at(point) is Truth.FALSE
        with pytest.raises(ValueError, match="incompatible"):
            TALL - projection * projection
    assert statement.margin(ProjectionPoint(TALL, AXIS)) == -1
    assert statement.margin(ProjectionPoint(TALL, fmpq_mat([[1]]))) == -3
    assert statement.at(ProjectionPoint(SQUARE, AXIS)) is Truth.TRUE, "it exists when W = d"
    assert not statement.strict
    projection = "P is an orthogonal projection"
    for inside in (AXIS, line(3, 4), diagonal((1, 1, 1))):
        bind_hypotheses(statement, ProjectionPoint(TALL, inside), {projection: ProjectionPoint(TALL, NOT_SYMMETRIC)})
    assert statement.applies(ProjectionPoint(TALL, NOT_IDEMPOTENT)) is Truth.FALSE
    assert statement.applies(ProjectionPoint(TALL, fmpq_mat([[1, 0]]))) is Truth.FALSE, "not square"


@definition_2.supports_repair(
    grade="derived",
    region="every d, k and A: |A - AP|^2 = sum_i l_i (1 - p_i) with p_i = u_i'Pu_i; the identity symbolically, d <= 6",
)
def test_least_cost_of_a_projection(statement) -> None:
    """With eigenpairs (l_i, u_i) of A'A, p_i in [0, 1] and sum p_i = k, so cost minus tail is a sum of non-negatives.

    sum_i l_i (1 - p_i) - sum_{i>k} l_i = sum_{i<=k} (l_i - l_k)(1 - p_i) + sum_{i>k} (l_k - l_i) p_i.
    """
    for d, k in product(range(2, 7), range(1, 6)):
        if k >= d:
            continue
        values, weights = list(sympy.symbols(f"l1:{d + 1}")), list(sympy.symbols(f"p1:{d + 1}"))
        weights[-1] = k - sum(weights[:-1])
        cost = sum(l * (1 - w) for l, w in zip(values, weights, strict=True))
        pivot = values[k - 1]
        terms = sum((values[i] - pivot) * (1 - weights[i]) for i in range(k))
        terms += sum((pivot - values[i]) * weights[i] for i in range(k, d))
        assert sympy.expand(cost - sum(values[k:]) - terms) == 0
    a, q = sympy.Matrix(3, 2, sympy.symbols("a0:6")), sympy.Matrix(2, 2, sympy.symbols("q0 q1 q1 q2"))
    difference = (a - a * q).T * (a - a * q) - (a.T * a - a.T * a * q - q * a.T * a + q * a.T * a * q)
    assert difference.expand() == sympy.zeros(2, 2), "the cost is tr(A'A (I - P)) once P^2 = P"
    values = []
    for i, j in LINES:
        point = ProjectionPoint(TALL, line(i, j))
        assert statement.at(point) is Truth.TRUE
        a, projection = symbolic_matrix(TALL), symbolic_matrix(point.projection)
        tail = min((a.T * a).eigenvals(), key=lambda value: value.evalf(50))
        values.append((point, (((a - a * projection).T * (a - a * projection)).trace() - tail).evalf(50)))
    bind(statement, values)
    check_shapes(statement, lambda projection: ProjectionPoint(TALL, projection))
    assert statement.at(ProjectionPoint(TALL, fmpq_mat([[0, 0], [0, 0]]))) is not Truth.FALSE, "k = 0: equality"


@definition_2.controls("+repair", grade="symbolic", region="one eigenvalue more in the sum, at diag(1, 2) and e_2e_2'")
def test_the_least_cost_is_attained(statement) -> None:
    best = ProjectionPoint(fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[0, 0], [0, 1]]))
    assert statement.at(best) is Truth.TRUE

    def without_the_smallest_gap(p: ProjectionPoint):
        """All but the k - 1 largest eigenvalues."""
        values = eigenvalues(gram(p.data))
        return arb(right_cost(p.data, p.projection)) - sum(values[p.projection.rank() - 1 :], arb(0))

    assert statement.nudged(margin=without_the_smallest_gap).at(best) is Truth.FALSE
    oblique = ProjectionPoint(fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[0, 0], [fmpq(1, 4), 1]]))
    assert statement.applies(oblique) is Truth.FALSE


TURN = fmpq_mat(
    [[fmpq(1, 3), fmpq(2, 3), fmpq(2, 3)], [fmpq(2, 3), fmpq(1, 3), fmpq(-2, 3)], [fmpq(2, 3), fmpq(-2, 3), fmpq(1, 3)]]
)


@definition_2.supports(
    "attained",
    grade="derived",
    region="every A and k: A - AP = diag(0, .., 0, s_{k+1}, .., s_d) Q', of the norm of its diagonal; d = 3 exactly",
)
def test_the_leading_eigenvectors_attain_the_least_cost(statement) -> None:
    """With A = U diag(s) Q' any U cancels in the cost, and Q'(I - Q_k Q_k') has the rows k + 1 to d of Q'."""
    a, b, c = sympy.symbols("a b c")
    q = symbolic_matrix(TURN)
    scaled = sympy.diag(a, b, c) * q.T
    for k, tail in ((1, b**2 + c**2), (2, c**2), (3, 0)):
        rest = scaled * (sympy.eye(3) - q[:, :k] * q[:, :k].T)
        assert sympy.expand((rest.T * rest).trace() - tail) == 0
    start = LeadingPoint(TURN, (3, 2, Fraction(1, 2)), 1)
    for scales, k in product(((3, 2, Fraction(1, 2)), (2, 2, 0), (5, 1, 1)), (1, 2, 3)):
        point = LeadingPoint(TURN, scales, k)
        assert statement.at(point) is Truth.TRUE
        assert statement.margin(point) == 0
    assert not statement.strict
    says = "Q is orthogonal, scales fall to 0 or more, 1 <= k <= d"
    bind_hypotheses(statement, start, {says: attrs.evolve(start, scales=(2, 3, 1))})
    for wrong in (
        {"scales": (3, 2, Fraction(-1, 20))},
        {"scales": (3, 2)},
        {"rank": 0},
        {"rank": 4},
        {"frame": 2 * TURN},
    ):
        assert statement.applies(attrs.evolve(start, **wrong)) is Truth.FALSE
    # not orthogonal: the columns of Q are too long, and the cost of k = 1 is another number
    assert statement.without(says).at(attrs.evolve(start, frame=2 * TURN)) is Truth.FALSE
