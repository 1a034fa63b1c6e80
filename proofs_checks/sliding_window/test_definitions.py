"""Definitions 2, 4 and 6 of `sliding-window`."""

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
from dpmatrix.spec.sliding_window.definitions import (
    LeadingPoint,
    ProjectionPoint,
    SketchPoint,
    SummaryPoint,
    right_cost,
)
from proofs_checks.exact_matrices import line

definition_2 = cite("sliding-window.definition-2@98289326")
definition_4 = cite("sliding-window.definition-4@2bae22f8")
definition_6 = cite("sliding-window.definition-6@435683f8")

TALL = fmpq_mat([[1, 2], [3, 1], [0, 1]])
AXIS = fmpq_mat([[1, 0], [0, 0]])
SQUARE = fmpq_mat([[2, 1], [1, 3]])
NOT_SYMMETRIC = fmpq_mat([[1, 1], [0, 0]])
NOT_IDEMPOTENT = fmpq_mat([[fmpq(11, 10), 0], [0, 0]])
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


@definition_2.refutes(grade="symbolic", region="W = 3 rows, d = 2 columns")
def test_the_printed_product_does_not_exist(statement) -> None:
    point = ProjectionPoint(TALL, AXIS)
    assert statement.at(point) is Truth.FALSE
    with pytest.raises(ValueError, match="incompatible"):
        AXIS * TALL
    assert statement.margin(point) == -1
    assert statement.at(ProjectionPoint(SQUARE, AXIS)) is Truth.TRUE, "it exists when W = d"
    check_shapes(statement, lambda projection: ProjectionPoint(TALL, projection))


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


@definition_2.controls("+repair", grade="symbolic", region="A = diag(1, 2), P = e_2e_2'")
def test_the_least_cost_is_attained(statement) -> None:
    best = ProjectionPoint(fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[0, 0], [0, 1]]))
    assert statement.at(best) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - arb(1) / 50).at(best) is Truth.FALSE
    oblique = ProjectionPoint(fmpq_mat([[1, 0], [0, 2]]), fmpq_mat([[fmpq(3, 2), 0], [0, fmpq(1, 1)]]))
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
    assert statement.nudged(lambda margin: margin - arb(1) / 50).at(start) is Truth.FALSE
    assert not statement.strict
    says = "Q is orthogonal, scales fall to 0 or more, 1 <= k <= d"
    bind_hypotheses(statement, start, {says: attrs.evolve(start, scales=(2, 3, 1))})
    for wrong in ({"scales": (3, 2, -1)}, {"scales": (3, 2)}, {"rank": 0}, {"rank": 4}, {"frame": 2 * TURN}):
        assert statement.applies(attrs.evolve(start, **wrong)) is Truth.FALSE
    # not orthogonal: the columns of Q are too long, and the cost of k = 1 is another number
    assert statement.without(says).at(attrs.evolve(start, frame=2 * TURN)) is Truth.FALSE


def summary(projection: fmpq_mat = AXIS, eta=HALF) -> SummaryPoint:
    return SummaryPoint(TALL, projection, eta)


ETA_OUTSIDE = {"eta >= 0": summary(eta=Fraction(-1, 20)), "eta < 1": summary(eta=1)}
SUMMARIES = [summary(line(i, j), Fraction(k, 7)) for i, j in LINES for k in (1, 3, 6)]


@definition_4.refutes(grade="symbolic", region="A 3 x 2, P = e_1e_1', eta = 1/2")
def test_data_are_no_summary_of_themselves_as_printed(statement) -> None:
    assert statement.at(summary()) is Truth.FALSE
    assert statement.at(summary(eta=0)) is Truth.TRUE
    bind(
        statement, ((p, -fmpq(p.eta.numerator, p.eta.denominator) * right_cost(TALL, p.projection)) for p in SUMMARIES)
    )
    check_shapes(statement, summary, outside=ETA_OUTSIDE)


@definition_4.supports_repair(grade="derived", region="every A, P and eta")
def test_data_are_a_summary_of_themselves_as_mended(statement) -> None:
    """Both slacks are eta times the cost, which is a squared norm."""
    eta, cost = sympy.symbols("eta cost", nonnegative=True)
    assert sympy.expand(cost - (1 - eta) * cost - eta * cost) == 0
    assert sympy.expand((1 + eta) * cost - cost - eta * cost) == 0
    values = []
    for p in SUMMARIES:
        data, projection = symbolic_matrix(TALL), symbolic_matrix(p.projection)
        loss = data - data * projection
        values.append((p, (sympy.Rational(p.eta) * sum(entry**2 for entry in loss)).evalf(50)))
    bind(statement, values)
    check_shapes(statement, summary, outside=ETA_OUTSIDE)
    assert statement.applies(summary(eta=0)) is Truth.TRUE
    assert statement.applies(summary(eta=Fraction(99, 100))) is Truth.TRUE


@definition_4.controls("+repair", grade="symbolic", region="eta = 0, a smaller factor")
def test_a_smaller_upper_factor_is_noticed(statement) -> None:
    assert statement.nudged(lambda margin: margin - arb(1) / 100).at(summary(eta=0)) is Truth.FALSE


AXES = (fmpq_mat([[0, 0], [0, 1]]), AXIS)
KEPT = SketchPoint(fmpq_mat([[13, 0], [0, 5]]), fmpq_mat([[12, 0], [0, 0]]), AXES[1], AXES[0], 25, 0)


def sketch_point(first: int, second: int, **changes) -> SketchPoint:
    """Take A = diag(i, j) and a sketch that is a tenth shorter, c = 0, eta = 1/4."""
    data = fmpq_mat([[first, 0], [0, second]])
    sketch = fmpq_mat([[fmpq(9 * first, 10), 0], [0, fmpq(9 * second, 10)]])
    chosen = AXES if first < second else AXES[::-1]
    return attrs.evolve(SketchPoint(data, sketch, *chosen, 0, Fraction(1, 4)), **changes)


SKETCHES = [sketch_point(i, j) for i, j in product(range(1, 6), range(6, 11))]
SKETCH_OUTSIDE = {
    "both are orthogonal projections": sketch_point(1, 2, other=NOT_SYMMETRIC),
    "eta >= 0": sketch_point(1, 2, eta=Fraction(-1, 20)),
    "eta < 1": sketch_point(1, 2, eta=1),
    "constant >= 0": sketch_point(1, 2, constant=Fraction(-1, 20)),
    "(1-eta)|A-PA|^2 <= |A~-PA~|^2 + c <= (1+eta)|A-PA|^2": sketch_point(1, 2, eta=Fraction(18, 100)),
}


def check_sketch_hypotheses(statement, **more) -> None:
    outside = SKETCH_OUTSIDE | more
    for inside in (KEPT, sketch_point(1, 2), sketch_point(1, 2, eta=Fraction(20, 100)), sketch_point(0, 0, eta=0)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(sketch_point(1, 2, projection=NOT_IDEMPOTENT)) is Truth.FALSE
    high = fmpq_mat([[fmpq(23, 20), 0], [0, fmpq(23, 10)]])
    assert statement.applies(sketch_point(1, 2, sketch=high)) is Truth.FALSE, "(23/20)^2 is above 5/4"
    low = sketch_point(1, 2, sketch=fmpq_mat([[1, 0], [0, 2]]))
    assert statement.applies(low) is Truth.TRUE
    assert statement.applies(attrs.evolve(low, constant=Fraction(3, 10))) is Truth.FALSE, "c counts above too"
    assert not statement.strict


@definition_6.refutes(grade="interval", region="A = diag(13, 5), A~ = diag(12, 0), c = 25, eta = 0")
def test_squares_matter_when_there_is_a_constant(statement) -> None:
    assert statement.at(KEPT) is Truth.FALSE
    assert statement.conclusion(attrs.evolve(KEPT, eta=Fraction(21, 100))) is Truth.FALSE
    assert statement.conclusion(attrs.evolve(KEPT, eta=Fraction(23, 100))) is Truth.TRUE, "the border is 2/9"
    values = []
    for p in [*SKETCHES, *(attrs.evolve(KEPT, eta=Fraction(k, 20)) for k in range(8))]:
        eta = sympy.Rational(p.eta)
        data, sketch = symbolic_matrix(p.data), symbolic_matrix(p.sketch)
        # the projection onto one axis leaves the norm of the other
        pairs = [(data[0, 0], sketch[0, 0]), (data[1, 1], sketch[1, 1])]
        least = max(max((1 - eta) * before - after, 0) for before, after in pairs)
        values.append((p, (min((1 + eta) * before - after for before, after in pairs) - least).evalf(50)))
    bind(statement, values)
    check_sketch_hypotheses(statement)


@definition_6.supports_repair(
    grade="derived",
    region="every A, A~, c, eta and pair of projections: a chain of three inequalities, added up symbolically",
)
def test_the_best_for_the_sketch_is_good_for_the_data(statement) -> None:
    """(1-eta) x_P <= y_P + c <= y_Q + c <= (1+eta) x_Q; the margin is the sum of the three slacks."""
    eta, c, x, y, u, v = sympy.symbols("eta c x y u v")
    slacks = (y + c - (1 - eta) * x) + (v - y) + ((1 + eta) * u - v - c)
    assert sympy.expand(slacks - ((1 + eta) * u - (1 - eta) * x)) == 0
    values = []
    for p in SKETCHES:
        assert statement.at(p) is Truth.TRUE
        small, large = sorted((Fraction(int(p.data[0, 0].p)) ** 2, Fraction(int(p.data[1, 1].p)) ** 2))
        values.append((p, Fraction(5, 4) * large - Fraction(3, 4) * small))
    bind(statement, values)
    worse = sketch_point(1, 2)
    worse = attrs.evolve(worse, projection=worse.other, other=worse.projection)
    check_sketch_hypotheses(statement, **{"P is no worse than the other for the sketch": worse})
    assert statement.conclusion(worse) is Truth.FALSE, "without the choice nothing follows"


@definition_6.controls("+repair", grade="symbolic", region="a sketch that is exact")
def test_a_smaller_ratio_is_noticed(statement) -> None:
    exact = sketch_point(3, 3, eta=0, sketch=fmpq_mat([[3, 0], [0, 3]]))
    assert statement.at(exact) is Truth.TRUE, "equality"
    assert statement.nudged(lambda margin: margin - arb(1) / 50).at(exact) is Truth.FALSE
