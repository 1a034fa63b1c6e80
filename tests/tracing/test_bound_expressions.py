"""Formulas of proofs are compared with margins exactly: right ones are accepted, all others refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy

import dpmatrix.spec
from dpmatrix.claims import WrongFormulaError, bind, observing
from dpmatrix.claims.evidence import Bound
from dpmatrix.exact import precision
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.outcomes import Specified, seen
from dpmatrix.reporting.vacuity import replaced
from dpmatrix.spec.near_optimal.spheres import Cap
from dpmatrix.tracing import UndecidedFormulaError, UntraceableError, bind_expression, trace
from dpmatrix.tracing.binding import POINTS
from dpmatrix.tracing.points import point
from dpmatrix.tracing.sampling import draw

REGISTRY = dpmatrix.spec.load()
V, W, INNER, EPSILON, DELTA, DIMENSION, C = sympy.symbols("v_squared w_squared inner epsilon delta dimension c")


def statement(name: str):
    return REGISTRY[name.partition("/")[0].partition("+")[0]].statements()[name]


def half(value):
    return value / sympy.Integer(2)


CAP = sympy.Piecewise(
    (sympy.Rational(1, 2), sympy.Eq(DIMENSION, 1)),
    (half(sympy.betainc_regularized(half(DIMENSION - 1), sympy.Rational(1, 2), 0, 1 - C**2)), True),
)
LOWER, UPPER = half(half(1 - C) ** half(DIMENSION - 1)), sympy.exp(half(-DIMENSION * C**2))
FIRST = 2 * sympy.sqrt(sympy.log(sympy.Rational(5, 4) / DELTA)) / EPSILON
THIRD = (sympy.sqrt(2) + 2 * sympy.sqrt(-sympy.log(DELTA))) / EPSILON
RIGHT = {
    "wishart.nuclear-norm-bound": 3 - sympy.sqrt((V - W) ** 2 + 4 * V * W - 4 * INNER**2),
    "wishart.nuclear-norm-bound/three-maxima": sympy.Abs(V - W),
    "near-optimal.lemma-10": sympy.Min(CAP - LOWER, UPPER - CAP),
    "cross.gaussian-constant/slides-for-a-replaced-row": THIRD - FIRST,
    "cross.gaussian-constant/slides-for-an-added-row": FIRST - THIRD / sympy.sqrt(2),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_formula_that_is_written_another_way_is_accepted(name):
    with observing() as observed:
        bind_expression(statement(name), RIGHT[name])
    assert statement(name) in observed.evaluated
    assert statement(name) in {*observed.met} | observed.failed


def test_a_formula_that_differs_at_a_point_is_refused_whatever_the_margin_is_in_symbols():
    """The sign of a margin is 1 in symbols and -1 at points: its trace is not the margin, but the formula is wrong."""
    ratio = replaced(REGISTRY, "sign")["wishart.theorem-4"].statements()["wishart.theorem-4/density-ratio"]
    rate = 2 * sympy.Symbol("records") * EPSILON / 3
    with pytest.raises(WrongFormulaError, match="the margin is -1"):
        bind_expression(ratio, -rate * sympy.Symbol("noise") / 2)
    with pytest.raises(UntraceableError, match="is not the margin"):
        bind_expression(ratio, sympy.Integer(-1))


def test_how_a_formula_was_bound_is_seen():
    """A margin that is compared by expression, at points, or not at all; a formula that is refused binds nothing."""
    bound = statement("cross.gaussian-constant/slides-for-a-replaced-row")
    (case,) = trace(bound).cases
    inside = [point(case.layout, values) for values, meets in draw(case, POINTS, "points") if meets]

    with precision(256):
        values = [(one, bound.formula(one)) for one in inside]

    def how(examine) -> Bound:
        with observing() as observed:
            examine()
        return Bound.of(seen(observed, Specified(REGISTRY))["met"][bound.name])

    def refused() -> None:
        with pytest.raises(WrongFormulaError):
            bind_expression(bound, THIRD + FIRST)

    assert how(lambda: bind_expression(bound, THIRD - FIRST)) is Bound.EXPRESSION
    assert how(lambda: bind(bound, values, least=1)) is Bound.POINTS
    assert how(lambda: bound.at(inside[0])) is Bound.NOTHING
    assert how(refused) is Bound.NOTHING


def changed_constants(formula):
    """Each number of a formula, wherever it stands, made a tenth larger."""
    for place in sympy.preorder_traversal(formula):
        if place.is_Number and place not in (0, -1):
            yield formula.xreplace({place: place * sympy.Rational(11, 10)})


@pytest.mark.parametrize("name", RIGHT)
def test_a_formula_with_another_constant_is_refused(name):
    changed = [formula for formula in changed_constants(RIGHT[name]) if formula != RIGHT[name]]
    for formula in changed:
        with pytest.raises(WrongFormulaError):
            bind_expression(statement(name), formula)


def test_a_formula_that_agrees_wherever_it_is_evaluated_is_refused():
    name = "wishart.nuclear-norm-bound"
    case = trace(statement(name)).cases[0]
    drawn = [values for values, inside in draw(case, POINTS, name) if inside]
    places = [value for values in drawn for variable, value in values.items() if variable.name == "inner"]
    bump = sympy.prod(INNER - sympy.Rational(int(place.p), int(place.q)) for place in places)
    with pytest.raises(UndecidedFormulaError):
        bind_expression(statement(name), RIGHT[name] + bump)


def test_a_difference_that_no_digits_show_is_refused():
    name = "wishart.nuclear-norm-bound"
    with pytest.raises(UndecidedFormulaError):
        bind_expression(statement(name), RIGHT[name] + sympy.Rational(1, 10**80))


@pytest.mark.parametrize(
    ("then", "condition", "otherwise", "right"),
    [(V - W, V >= W, W - V, True), (V - W, V < W, W - V, False), (V - W, V >= 2 * W, W - V, False)],
)
def test_branches_have_to_be_the_right_ones(then, condition, otherwise, right):
    formula = sympy.Piecewise((then, condition), (otherwise, True))
    bound = statement("wishart.nuclear-norm-bound/three-maxima")
    if right:
        bind_expression(bound, formula)
    else:
        with pytest.raises(WrongFormulaError):
            bind_expression(bound, formula)


def test_a_branch_that_only_one_point_is_in_counts():
    formula = sympy.Min(CAP - LOWER, UPPER - CAP)
    without = formula.xreplace({CAP: CAP.args[1][0]})
    with pytest.raises(UndecidedFormulaError, match="dimension = 1"):
        bind_expression(statement("near-optimal.lemma-10"), without, points=[Cap(2, Fraction(1, 3))])


def test_a_formula_may_depend_on_the_members_of_an_enumeration():
    root = sympy.sqrt((V + W) ** 2 - 4 * INNER**2)
    one = sympy.Piecewise((EPSILON * (1 - root), sympy.Eq(DIMENSION, 1)), (EPSILON * (1 - root / 2), True))
    formulas = {Adjacency.REPLACE_ONE: one, Adjacency.ADD_REMOVE_ONE: EPSILON * (1 - root)}
    bound = statement("wishart.theorem-4+repair")
    bind_expression(bound, lambda fixed: formulas[fixed["adjacency"]])
    with pytest.raises(WrongFormulaError):
        bind_expression(bound, one)


def test_symbols_may_have_other_names_but_have_to_be_fields():
    bound, a, b = statement("wishart.nuclear-norm-bound/three-maxima"), *sympy.symbols("a b", positive=True)
    bind_expression(bound, sympy.Abs(a - b), fields={"v_squared": a, "w_squared": b})
    with pytest.raises(WrongFormulaError, match="not understood"):
        bind_expression(bound, sympy.Abs(a - b))


def test_a_formula_that_is_not_real_is_refused():
    with pytest.raises(WrongFormulaError):
        bind_expression(statement("wishart.nuclear-norm-bound"), sympy.Max(sympy.sqrt(-1 - V), V))


def test_an_assumption_of_the_proof_that_no_hypothesis_makes_helps_nothing():
    bound, inner = statement("wishart.nuclear-norm-bound"), sympy.Symbol("inner", positive=True)
    bind_expression(bound, 3 - sympy.sqrt((V + W) ** 2 - 4 * inner * sympy.Abs(inner)))
    with pytest.raises(WrongFormulaError):
        bind_expression(bound, 3 - sympy.sqrt((V + W) ** 2 - 4 * INNER * sympy.Abs(INNER)))


@pytest.mark.parametrize("name", ["wishart.lemma-3", "analyze-gauss.trace-properties/scalar"])
def test_a_statement_without_an_expression_for_all_points_says_so(name):
    with pytest.raises(UntraceableError, match=r"\w+ \w+"):
        bind_expression(statement(name), sympy.Integer(0))


def test_points_that_are_given_are_examined():
    bound, place = statement("near-optimal.lemma-10"), Cap(1, Fraction(0))
    with observing() as observed:
        bind_expression(bound, RIGHT["near-optimal.lemma-10"], points=[place])
    assert bound in observed.evaluated
