"""Spectral approximation, subspace embedding and Proposition 10 of `sliding-window`."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, certify, interval, redefined
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import approximation
from dpmatrix.spec.sliding_window.approximation import (
    ApproximationPoint,
    EmbeddingPoint,
    ScalarPoint,
    reversed_approximation_margin,
)
from dpmatrix.tracing import bind_expression

spectral_approximation = cite("sliding-window.spectral-approximation@6aec568e")
definition_5 = cite("sliding-window.definition-5@c16ec260")
proposition_10 = cite("sliding-window.proposition-10@1d06e670")


def scalar(original, approximant, eta, zeta=0) -> ApproximationPoint:
    return ApproximationPoint(fmpq_mat([[rational(original)]]), fmpq_mat([[rational(approximant)]]), eta, zeta)


HALF = Fraction(1, 2)
HALVES, THREE_FIFTHS = (fmpq(1, 2), fmpq(3, 2)), Fraction(3, 5)
SKEW = ApproximationPoint(
    fmpq_mat([[-1, -2], [2, HALVES[1]]]), fmpq_mat([[-HALVES[0], HALVES[0]], [-2, 1]]), THREE_FIFTHS
)
OUTSIDE = {
    "C and S are symmetric, of one order": SKEW,
    "eta >= 0": scalar(-1, -HALF, -HALF),
    "eta < 1": scalar(1, 1, 1),
    "zeta = 0": scalar(1, 1, HALF, Fraction(1, 50)),
    "(1 - eta) C - zeta I <= S <= (1 + eta) C + zeta I": scalar(1, Fraction(8, 5), HALF),
}
INSIDE = [scalar(1, HALF, HALF), scalar(1, Fraction(3, 2), HALF), scalar(1, 1, 0), scalar(0, 0, Fraction(19, 20))]
SCALARS = [scalar(fmpq(i, 4), fmpq(j, 5), Fraction(k, 7)) for i, j, k in product((1, 3, 6), (1, 4, 7), (1, 3, 5))]


def scalar_margin(p: ApproximationPoint, lower, upper):
    """In dimension one the margin of X <= Y is min(1, Y - X)."""
    original, approximant = (Fraction(int(m[0, 0].p), int(m[0, 0].q)) for m in (p.original, p.approximant))
    return min(1, original - lower(p.eta) * approximant, upper(p.eta) * approximant - original)


def check_hypotheses(statement) -> None:
    for inside in INSIDE:
        bind_hypotheses(statement, inside, OUTSIDE)
    assert statement.applies(scalar(1, Fraction(49, 100), HALF)) is Truth.FALSE, "just below (1 - eta) C"
    assert statement.applies(scalar(1, 1, HALF, Fraction(-1, 50))) is Truth.FALSE
    orders = ApproximationPoint(fmpq_mat([[1]]), fmpq_mat([[1, 0], [0, 1]]), HALF)
    assert statement.given[0].at(orders) is Truth.FALSE
    assert statement.applies(scalar(1, 1, Fraction(-1, 20))) is Truth.FALSE
    assert not statement.strict


@spectral_approximation.refutes(grade="symbolic", region="C = 1, S = eta = 1/2")
def test_the_middle_matters(statement) -> None:
    assert statement.at(scalar(1, HALF, HALF)) is Truth.FALSE
    bind(statement, ((p, scalar_margin(p, lambda e: 1 - e, lambda e: 1 + e)) for p in SCALARS))
    check_hypotheses(statement)


@spectral_approximation.supports_repair(
    grade="derived",
    region="every d and 0 <= eta < 1: the order is kept under positive factors and sums; coefficients symbolically",
)
def test_reversal_costs_a_factor(statement) -> None:
    """Write both sides as sums of positive semidefinite matrices, with e = eta/(1 - eta).

    (1 + e)S - C = (S - (1 - eta)C)/(1 - eta); C - (1 - e)S = ((1 + eta)C - S)/(1 + eta) + (e - eta/(1 + eta)) S.
    """
    eta, c, s = sympy.symbols("eta C S")
    e = eta / (1 - eta)
    assert sympy.simplify((1 + e) * s - c - (s - (1 - eta) * c) / (1 - eta)) == 0
    rest = e - eta / (1 + eta)
    assert sympy.simplify(c - (1 - e) * s - ((1 + eta) * c - s) / (1 + eta) - rest * s) == 0
    assert sympy.factor(rest) == sympy.factor(2 * eta**2 / ((1 - eta) * (1 + eta))), "not negative on [0, 1)"
    bind(
        statement,
        ((p, scalar_margin(p, lambda e: 1 - e / (1 - e), lambda e: 1 + e / (1 - e))) for p in SCALARS),
    )
    for k in range(1, 8):
        original = fmpq_mat([[2 + k, 1], [1, 3]])
        approximant = original + fmpq_mat([[fmpq(k, 10), fmpq(1, 5)], [fmpq(1, 5), fmpq(-1, 4)]])
        assert statement.at(ApproximationPoint(original, approximant, Fraction(1, 4))) is Truth.TRUE
    check_hypotheses(statement)


@spectral_approximation.controls(
    "+repair", grade="symbolic", region="S = (1 - eta) C, where the upper side is attained"
)
def test_the_widened_factor_is_sharp(statement) -> None:
    point = scalar(1, HALF, HALF)
    assert statement.at(point) is Truth.TRUE

    def half_the_price(p: ApproximationPoint):
        return reversed_approximation_margin(attrs.evolve(p, eta=rational(p.eta) / (2 - 2 * rational(p.eta))))

    assert statement.nudged(margin=half_the_price).at(point) is Truth.FALSE
    assert statement.without("C and S are symmetric, of one order").at(SKEW) is Truth.FALSE


@spectral_approximation.controls("+repair", grade="symbolic", region="the slack zeta, dropped from the hypotheses")
def test_the_slack_has_to_vanish(statement) -> None:
    assert statement.at(scalar(1, 1, HALF)) is Truth.TRUE
    loose = ApproximationPoint(fmpq_mat([[0]]), fmpq_mat([[1]]), HALF, 1)
    assert statement.applies(loose) is Truth.FALSE
    assert statement.without("zeta = 0").applies(loose) is Truth.TRUE, "zeta enters the hypothesis on both sides"
    low = ApproximationPoint(fmpq_mat([[2]]), fmpq_mat([[0]]), HALF, 1)
    assert statement.without("zeta = 0").at(low) is Truth.FALSE


def line(factor, alpha, eta) -> EmbeddingPoint:
    return EmbeddingPoint(fmpq_mat([[factor]]), fmpq_mat([[1]]), fmpq_mat([[1]]), alpha, eta)


@definition_5.refutes(grade="symbolic", region="E = 6/5, alpha = 1/10, eta = 1/2")
def test_the_display_does_not_bind_alpha(statement) -> None:
    assert statement.at(line(fmpq(6, 5), Fraction(1, 10), HALF)) is Truth.FALSE
    assert statement.at(line(fmpq(4, 5), Fraction(1, 10), HALF)) is Truth.FALSE
    values = []
    for k, a in product(range(4, 15), (1, 3)):
        ratio, alpha = Fraction(k, 10) ** 2, Fraction(a, 10)
        values.append((line(fmpq(k, 10), alpha, HALF), min(ratio - 1 + alpha, 1 + alpha - ratio)))
    bind(statement, values)
    display = "(1 - eta)|x|^2 <= |Ex|^2 <= (1 + eta)|x|^2"
    bind_hypotheses(statement, line(fmpq(6, 5), Fraction(1, 10), HALF), {display: line(fmpq(13, 10), 1, HALF)})
    assert statement.applies(line(fmpq(7, 10), 1, HALF)) is Truth.FALSE, "49/100 is below 1 - eta"
    assert statement.applies(line(fmpq(71, 100), 1, HALF)) is Truth.TRUE
    edge = EmbeddingPoint(fmpq_mat([[1], [fmpq(1, 2)]]), fmpq_mat([[1]]), fmpq_mat([[1]]), 1, Fraction(1, 4))
    assert statement.applies(edge) is Truth.TRUE, "|Ex|^2 = 5/4"
    assert not statement.strict


@definition_5.supports_repair(
    grade="derived",
    region="every dimension: c'(B'E'EB - (1 -+ alpha)B'B)c is the difference of the norms; symbolically for 2 x 2",
)
def test_loewner_form_bounds_every_vector(statement) -> None:
    e, b, c = (sympy.Matrix(2, n, sympy.symbols(f"{letter}0:{2 * n}")) for letter, n in (("e", 2), ("b", 2), ("c", 1)))
    alpha = sympy.Symbol("alpha")
    vector = b * c
    for sign in (-1, 1):
        form = c.T * (b.T * e.T * e * b - (1 + sign * alpha) * b.T * b) * c
        norms = (e * vector).dot(e * vector) - (1 + sign * alpha) * vector.dot(vector)
        assert sympy.expand(form[0] - norms) == 0
    basis = fmpq_mat([[1, 0], [1, 1], [0, 2]])
    embedding = fmpq_mat([[1, fmpq(1, 10), 0], [0, 1, fmpq(-1, 10)], [0, 0, 1]])
    values = []
    for i, j in product(range(-3, 3), repeat=2):
        point = EmbeddingPoint(embedding, basis, fmpq_mat([[i], [j]]), Fraction(1, 3), 0)
        assert statement.at(point) is Truth.TRUE
        x = sympy.Matrix([i, i + j, 2 * j])
        image = sympy.Matrix([[1, sympy.Rational(1, 10), 0], [0, 1, -sympy.Rational(1, 10)], [0, 0, 1]]) * x
        third = sympy.Rational(1, 3)
        low, high = image.dot(image) - (1 - third) * x.dot(x), (1 + third) * x.dot(x) - image.dot(image)
        values.append((point, sympy.Min(low, high).evalf(50)))
    bind(statement, values)
    name = "(1 - alpha) B'B <= B'E'EB <= (1 + alpha) B'B"
    bind_hypotheses(statement, line(fmpq(6, 5), HALF, 0), {name: line(fmpq(13, 10), HALF, 1)})
    assert statement.applies(line(fmpq(7, 10), HALF, 1)) is Truth.FALSE
    edge = EmbeddingPoint(fmpq_mat([[1], [fmpq(1, 2)]]), fmpq_mat([[1]]), fmpq_mat([[1]]), Fraction(1, 4), 1)
    assert statement.applies(edge) is Truth.TRUE, "|Ex|^2 = 5/4"
    assert not statement.strict


@definition_5.controls("+repair", grade="symbolic", region="a direction that is lost")
def test_a_lost_direction_is_noticed(statement) -> None:
    name = "(1 - alpha) B'B <= B'E'EB <= (1 + alpha) B'B"
    lost = EmbeddingPoint(fmpq_mat([[1, 0]]), fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[0], [1]]), Fraction(9, 10), 0)
    assert statement.at(attrs.evolve(lost, embedding=lost.basis)) is Truth.TRUE
    assert statement.without(name).at(lost) is Truth.FALSE
    assert statement.applies(lost) is Truth.FALSE


eta = sympy.Symbol("eta", positive=True)


@proposition_10.supports(grade="symbolic", region="every eta > 0")
def test_proposition_10(statement) -> None:
    """The difference is (3 eta^2/8)/(1 + eta/4)."""
    difference = 3 * eta**2 / 8 / (1 + eta / 4)
    bind_expression(statement, difference)
    assert difference.is_positive
    assert certify(statement, ScalarPoint(interval(Fraction(1, 1000), Fraction(999, 1000)))).answer is Truth.TRUE
    bind_hypotheses(statement, ScalarPoint(Fraction(1, 100)), {"eta > 0": ScalarPoint(0)})
    assert statement.strict


@proposition_10.controls(grade="interval", region="eta = 1/2")
def test_proposition_10_has_no_room_for_the_threshold_itself(statement) -> None:
    """With 1 - 3 eta/4 in place of 1 - eta/2 it fails."""

    def smaller(p: ScalarPoint):
        e = ball(p.eta)
        return (1 - 3 * e / 4) * (1 - e / 4) / (1 + e / 4) - (1 - e)

    assert statement.nudged(margin=smaller).at(ScalarPoint(HALF)) is Truth.FALSE
    assert statement.without("eta > 0").at(ScalarPoint(0)) is Truth.FALSE, "equality at 0"


@proposition_10.supports("left-expansion", grade="symbolic", region="every eta")
def test_left_expansion(statement) -> None:
    bind_expression(statement, sympy.Integer(0))
    assert statement.given == ()
    assert not statement.strict


@proposition_10.supports("expansions-in-order", grade="symbolic", region="every eta")
def test_middle_inequality(statement) -> None:
    difference = 3 * sympy.Symbol("eta", real=True) ** 2 / 8
    bind_expression(statement, difference)
    assert difference.is_nonnegative
    assert not statement.strict


@proposition_10.supports("right-expansion", grade="symbolic", region="every eta")
def test_right_expansion(statement) -> None:
    bind_expression(statement, sympy.Integer(0))
    assert statement.given == ()
    assert not statement.strict


@proposition_10.controls("left-expansion", grade="symbolic", region="40 eta: + eta^2/8 for - eta^2/4; 4/5 for 3/4")
@proposition_10.controls("right-expansion", grade="symbolic", region="40 eta: - eta^2/4 for + eta^2/8; 4/5 for 3/4")
def test_another_coefficient_is_no_expansion(statements) -> None:
    """Of the squares each is the other's plus or minus 3 eta^2/8; 4/5 for 3/4 leaves |eta|/20."""
    points = [ScalarPoint(Fraction(i, 7)) for i in range(-20, 21) if i]
    left, right = approximation.left_expansion, approximation.right_expansion
    for name, own, other in (("left_expansion", left, right), ("right_expansion", right, left)):
        statement = statements[f"sliding-window.proposition-10/{name.replace('_', '-')}"]

        def steeper(p: ScalarPoint, own=own):
            return own(p) - ball(p.eta) / 20

        exchanged, tilted = (redefined(statement, approximation, name, change) for change in (other, steeper))
        bind(exchanged, [(p, -3 * p.eta**2 / 8) for p in points])
        bind(tilted, [(p, -abs(p.eta) / 20) for p in points])
        for changed in (exchanged, tilted):
            assert all(changed.at(p) is Truth.FALSE for p in points)
