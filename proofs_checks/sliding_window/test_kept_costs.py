"""Definitions 4 and 6 of `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import kept_costs
from dpmatrix.spec.sliding_window.definitions import left_cost, right_cost
from dpmatrix.spec.sliding_window.kept_costs import OwnSummary, SketchPoint, SummaryPoint
from dpmatrix.spec.sliding_window.private_matrix import TwoPublishers
from proofs_checks.exact_matrices import line

definition_4 = cite("sliding-window.definition-4@9e9b3641")
definition_6 = cite("sliding-window.definition-6@8452477e")

TALL = fmpq_mat([[1, 2], [3, 1], [0, 1]])
AXIS = fmpq_mat([[1, 0], [0, 0]])
NOT_SYMMETRIC = fmpq_mat([[1, 1], [0, 0]])
NOT_IDEMPOTENT = fmpq_mat([[fmpq(21, 20), 0], [0, 0]])
HALF = Fraction(1, 2)
LINES = [(i, j) for i, j in product(range(1, 6), range(-2, 3)) if (i, j) != (0, 0)]
OWN = OwnSummary(TALL, AXIS, HALF, 1)


@definition_4.refutes(
    "own-summary", grade="derived", region="eta = 1/2, A 3 x 2, P = e_1e_1': every tau_2, by multiples of A"
)
def test_data_are_no_summary_of_themselves_as_printed(statement) -> None:
    """The upper inequality needs tau_2 >= eta |A - AP|_F^2, and s A in place of A multiplies the right side by s^2.

    Here |A - AP|_F^2 = 6, and with s = 1 + tau_2 the right side is 3 (1 + tau_2)^2 > tau_2.
    """
    statement.refute(lambda upper: attrs.evolve(OWN, upper=upper, data=(1 + rational(upper)) * TALL))
    assert statement.conclusion(attrs.evolve(OWN, upper=3)) is Truth.TRUE
    values = []
    for (i, j), k in product(LINES, (1, 3, 6)):
        p = OwnSummary(TALL, line(i, j), Fraction(k, 7), Fraction(k, 5))
        values.append((p, rational(p.upper) - rational(p.eta) * right_cost(TALL, p.projection)))
    bind(statement, values)
    assert not statement.strict
    outside = {
        "P is d x d": attrs.evolve(OWN, projection=fmpq_mat([[1]])),
        "P is an orthogonal projection": attrs.evolve(OWN, projection=NOT_IDEMPOTENT),
        "eta >= 0": attrs.evolve(OWN, eta=-1),
        "eta < 1": attrs.evolve(OWN, eta=1),
    }
    for inside in (OWN, attrs.evolve(OWN, eta=0)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(OWN, projection=NOT_SYMMETRIC)) is Truth.FALSE


def summarised(shrink=Fraction(9, 10), **changes) -> SummaryPoint:
    """Take a summary of one row more, which is a little shorter than the data."""
    summary = fmpq_mat([*(rational(shrink) * TALL).tolist(), [0, 0]])
    point = SummaryPoint(
        TALL, summary, fmpq_mat([[fmpq(4, 5), fmpq(2, 5)], [fmpq(2, 5), fmpq(1, 5)]]), AXIS, HALF, 0, 0
    )
    return attrs.evolve(point, **changes)


SUMMARISED = summarised()
SHAPES = "A~ has d columns, and P and X are d x d projections"
SUMMARY = "A~ is a summary of A for P and X, with 1 + eta"
PREFERS = "|A~ - A~P| <= |A~ - A~X|"


@definition_4.supports(
    grade="derived", region="every A, A~, P, X, eta, tau_1, tau_2: three slacks added up symbolically"
)
def test_a_summary_serves_its_purpose(statement) -> None:
    """(1-eta) x_P - tau_1 <= y_P <= y_X <= (1+eta) x_X + tau_2; the margin is the sum of the three slacks."""
    eta, x, y, u, v, low, high = sympy.symbols("eta x y u v tau_1 tau_2")
    slacks = (y + low - (1 - eta) * x) + (v - y) + ((1 + eta) * u + high - v)
    assert sympy.expand(slacks - ((1 + eta) * u + low + high - (1 - eta) * x)) == 0
    values = []
    for (i, j), k in product(LINES, (1, 3)):
        p = SummaryPoint(TALL, TALL, line(i, j), line(j, 1 + i), Fraction(k, 7), Fraction(k, 2), Fraction(1, k))
        data, chosen, other = (symbolic_matrix(m) for m in (TALL, p.projection, p.other))
        costs = [(data - data * each).norm() ** 2 for each in (chosen, other)]
        e = sympy.Rational(k, 7)
        extra = sympy.Rational(k, 2) + sympy.Rational(1, k)
        values.append((p, ((1 + e) * costs[1] + extra - (1 - e) * costs[0]).evalf(50)))
    bind(statement, values)
    for shrink, low, high in product((fmpq(9, 10), fmpq(1), fmpq(11, 10)), (0, 1), (0, HALF)):
        assert statement.at(summarised(shrink, lower=low, upper=high)) is Truth.TRUE
    assert not statement.strict
    outside = {
        SHAPES: attrs.evolve(SUMMARISED, summary=fmpq_mat([[1]])),
        SUMMARY: attrs.evolve(SUMMARISED, eta=Fraction(1, 10)),
        PREFERS: attrs.evolve(SUMMARISED, projection=AXIS, other=SUMMARISED.projection),
    }
    bind_hypotheses(statement, SUMMARISED, outside)
    for wrong in ({"projection": NOT_SYMMETRIC}, {"other": NOT_IDEMPOTENT}, {"other": fmpq_mat([[1]])}):
        assert statement.applies(attrs.evolve(SUMMARISED, **wrong)) is Truth.FALSE


@definition_4.controls(grade="symbolic", region="1 - eta on both sides, as stated; tau_1 dropped; no choice")
def test_a_smaller_upper_factor_is_noticed(statement) -> None:
    data, summary = fmpq_mat([[3, 0], [0, 1]]), fmpq_mat([[2, 0], [0, 2]])
    edge = SummaryPoint(data, summary, fmpq_mat([[0, 0], [0, 1]]), AXIS, HALF, HALF, fmpq(5, 2))
    assert statement.at(edge) is Truth.TRUE
    assert statement.margin(edge) == 0, "(1 - 1/2) 9 = (1 + 1/2) 1 + 1/2 + 5/2"

    def printed(p: SummaryPoint):
        return kept_costs.use_of_summary_margin(p) - 2 * rational(p.eta) * right_cost(p.data, p.other)

    def without_tau_1(p: SummaryPoint):
        return kept_costs.use_of_summary_margin(p) - rational(p.lower)

    for changed in (printed, without_tau_1):
        assert statement.nudged(margin=changed).at(edge) is Truth.FALSE
    assert statement.applies(attrs.evolve(edge, upper=fmpq(49, 20))) is Truth.FALSE, "(1 + 1/2) 1 + 5/2 = 4"
    free = attrs.evolve(edge, lower=0, upper=0, data=fmpq_mat([[9, 0], [0, 1]]), summary=fmpq_mat([[9, 0], [0, 1]]))
    assert statement.applies(free) is Truth.FALSE
    assert statement.without(PREFERS).at(free) is Truth.FALSE, "the summary is exact, the choice is the worse one"


ALWAYS, COPY = ((fmpq(1), fmpq(0)),) * 2, ((fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)))
PUBLISHERS = TwoPublishers(ALWAYS, COPY, 3, Fraction(1, 10**6))


@definition_4.refutes("private-matrix", grade="interval", region="one always publishes A~, the other copies the data")
def test_a_copy_and_a_constant_are_one_matrix(statement) -> None:
    """Whatever eps and delta < 1 are: the constant loses nothing, and the copy tells both streams apart for sure."""
    for exponential, delta in product((1, 3, 10**6), (0, Fraction(1, 10**6), Fraction(999, 1000))):
        p = attrs.evolve(PUBLISHERS, exponential=exponential, delta=delta)
        assert statement.at(p) is Truth.FALSE
        bind(statement, [(p, delta - 1)], least=1)
    leaning = ((fmpq(1), fmpq(0)), (fmpq(2, 3), fmpq(1, 3)))
    shares = [Fraction(k, 5) for k in (1, 2, 4)]
    bind(statement, [(attrs.evolve(PUBLISHERS, other=leaning, delta=k), k - Fraction(1, 3)) for k in shares], least=3)
    bind(statement, [(attrs.evolve(PUBLISHERS, other=ALWAYS, delta=HALF), HALF)], least=1)
    outside = {
        "both publish A~ on the stream": attrs.evolve(PUBLISHERS, other=((fmpq(1, 2), fmpq(1, 2)),) * 2),
        "exponential >= 1": attrs.evolve(PUBLISHERS, exponential=Fraction(1, 2), private=ALWAYS),
        "delta >= 0": attrs.evolve(PUBLISHERS, delta=-1),
        "delta < 1": attrs.evolve(PUBLISHERS, delta=1),
        "the first is (eps, delta)-private": attrs.evolve(PUBLISHERS, private=COPY),
    }
    bind_hypotheses(statement, attrs.evolve(PUBLISHERS, delta=HALF), outside)
    not_a_law = attrs.evolve(PUBLISHERS, private=((fmpq(1), fmpq(1)), (fmpq(1), fmpq(0))))
    short = attrs.evolve(PUBLISHERS, other=((fmpq(1),), (fmpq(1),)))
    assert all(statement.applies(p) is Truth.FALSE for p in (not_a_law, short))
    (published,) = (condition for condition in statement.given if condition.says == "both publish A~ on the stream")
    nearly, negative = ((fmpq(19, 20), fmpq(1, 20)),) * 2, ((fmpq(1), fmpq(0)), (fmpq(2), fmpq(-1)))
    for laws, side in product((COPY[::-1], nearly, negative, not_a_law.private), ("private", "other")):
        assert published.at(attrs.evolve(PUBLISHERS, **{side: laws})) is Truth.FALSE
    assert not statement.strict


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


@definition_6.refutes("as-cited", grade="interval", region="A = diag(13, 5), A~ = diag(12, 0), c = 25, eta = 0")
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
    numbers = {
        "eta >= 0": sketch_point(1, 2, eta=Fraction(-1, 20)),
        "eta < 1": sketch_point(1, 2, eta=1),
        "constant >= 0": sketch_point(1, 2, constant=Fraction(-1, 20)),
    }
    check_sketch_hypotheses(statement, **numbers)


@definition_6.supports(
    "squared",
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


PRINTED = "(1-eta)|A-PA| <= |A~-PA~| + c <= (1+eta)|A-PA|"


@definition_6.supports(
    grade="derived",
    region="every A, A~, c, eta and pair of projections: a chain of three inequalities, added up symbolically",
)
def test_the_printed_sense_serves_its_purpose(statement) -> None:
    """(1-eta) x_P <= y_P + c <= y_Q + c <= (1+eta) x_Q for norms too; the margin is the sum of the three slacks."""
    eta, c, x, y, u, v = sympy.symbols("eta c x y u v")
    slacks = (y + c - (1 - eta) * x) + (v - y) + ((1 + eta) * u - v - c)
    assert sympy.expand(slacks - ((1 + eta) * u - (1 - eta) * x)) == 0
    values = []
    for p in SKETCHES:
        assert statement.at(p) is Truth.TRUE
        small, large = sorted((abs(int(p.data[0, 0].p)), abs(int(p.data[1, 1].p))))
        values.append((p, Fraction(5, 4) * large - Fraction(3, 4) * small))
    bind(statement, values)
    worse = sketch_point(1, 2)
    worse = attrs.evolve(worse, projection=worse.other, other=worse.projection)
    outside = {
        "both are orthogonal projections": sketch_point(1, 2, other=NOT_SYMMETRIC),
        PRINTED: sketch_point(1, 2, eta=Fraction(9, 100)),
        "P is no worse than the other for the sketch": worse,
    }
    for inside in (sketch_point(1, 2), sketch_point(1, 2, constant=Fraction(3, 10))):
        bind_hypotheses(statement, inside, outside)
    for eta, kept in ((Fraction(1, 4), Truth.TRUE), (Fraction(6, 25), Truth.FALSE)):
        equal = attrs.evolve(sketch_point(3, 4, eta=eta), sketch=fmpq(5, 4) * fmpq_mat([[3, 0], [0, 4]]))
        assert statement.applies(equal) is kept, "(1 + eta) cost, exactly"
    (keeps,) = (condition for condition in statement.given if condition.says == PRINTED)
    for first, second in ((fmpq(9, 2), 4), (3, 6)):
        one = attrs.evolve(sketch_point(3, 4), sketch=fmpq_mat([[first, 0], [0, second]]))
        assert keeps.at(one) is Truth.FALSE, "on one of two axes"
    assert statement.applies(KEPT) is Truth.FALSE, "kept with squares, not without"
    assert not statement.strict


@definition_6.controls(grade="interval", region="1 + eta alone for (1 + eta)/(1 - eta); a sketch beyond eta")
def test_a_smaller_ratio_is_noticed(statement) -> None:
    """The sketch prefers the axis of cost 5/4 to that of cost 3/4: both look like 15/16 at eta = 1/4."""
    data, sketch = fmpq_mat([[5, 0], [0, 3]]), fmpq_mat([[fmpq(15, 4), 0], [0, fmpq(15, 4)]])
    edge = SketchPoint(data, sketch, AXES[0], AXES[1], 0, Fraction(1, 4))
    assert statement.is_equality(edge)

    def one_sided(p: SketchPoint):
        chosen, other = (arb(left_cost(p.data, each)).sqrt() for each in (p.projection, p.other))
        return (1 + ball(p.eta)) * other - chosen

    assert statement.nudged(margin=one_sided).at(edge) is Truth.FALSE
    beyond = attrs.evolve(edge, eta=Fraction(1, 5))
    assert statement.applies(beyond) is Truth.FALSE
    assert statement.without(PRINTED).at(beyond) is Truth.FALSE
