"""Theorem 14 of `sliding-window`: exact profiles of the Wishart mechanism, and each step of the printed proof."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.eigenvalue_laws import wishart_within
from dpmatrix.spec.sliding_window.wishart_accuracy import Tail, rare
from dpmatrix.spec.sliding_window.wishart_stream import NoisyStream
from dpmatrix.spec.sliding_window.wishart_window import WishartParameters
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import scalars
from proofs_checks.sliding_window.chi_square_losses import shifted_delta
from proofs_checks.sliding_window.wishart_directions import (
    CHAIN,
    EDGE,
    EQUAL,
    FIELDS,
    SOUND,
    e1,
    e2,
    eta,
    k1,
    k2,
    n1,
    n2,
    w,
)

theorem_14 = cite("sliding-window.theorem-14@763b3875")

MILLIONTH = Fraction(1, 10**6)
HALF = Fraction(1, 2)
LONG_ROW = WishartParameters(1, 1, MILLIONTH, 194, 10)
PARAMETERS = {
    "dimension >= 1, an integer": attrs.evolve(LONG_ROW, dimension=0),
    "epsilon > 0": attrs.evolve(LONG_ROW, epsilon=0),
    "delta > 0": attrs.evolve(LONG_ROW, delta=0),
    "delta < 1": attrs.evolve(LONG_ROW, delta=1),
    "degrees >= 1, an integer": attrs.evolve(LONG_ROW, degrees=0),
    "row >= 0": attrs.evolve(LONG_ROW, row=-1),
    "tau >= floor(d + 14 log(1/delta)/eps^2)": attrs.evolve(LONG_ROW, degrees=193),
}
INSIDE = (attrs.evolve(LONG_ROW, row=0), LONG_ROW)


def points():
    for d, epsilon, degrees, row in product((1, 2), (1, Fraction(7, 2)), (12, 194, 201), (0, 2)):
        yield WishartParameters(d, epsilon, Fraction(1, 50), degrees, row)


def support_failure(p: WishartParameters):
    with mpmath.workdps(60):
        return mpmath.gammainc(real(p.degrees - p.dimension + 1) / 2, 0, mpmath.mpf(1) / 2, regularized=True)


@theorem_14.refutes(grade="interval", region="d = 1, eps = 1, delta = 10^-6, M = 2, 10, 50")
def test_a_long_row_is_revealed(statement) -> None:
    for row, least in ((2, Fraction(12, 10**5)), (10, Fraction(17, 100)), (50, Fraction(98, 100))):
        point = attrs.evolve(LONG_ROW, row=row)
        assert statement.at(point) is Truth.FALSE
        assert -statement.margin(point) > float(least)
    short, long, longer = (attrs.evolve(LONG_ROW, row=row) for row in (2, 10, 50))
    deltas = [ball(p.delta) - statement.margin(p) for p in (short, long, longer)]
    theorem_14.tells(
        "a row of length {} that becomes {} costs an exact delta of {} at", short.row, short.row + 1, deltas[0]
    )
    theorem_14.tells("the exact delta is {} at M = 2, {} at M = 10 and {} at M = 50", *deltas)
    assert statement.at(attrs.evolve(LONG_ROW, dimension=3, degrees=196)) is Truth.FALSE
    for row in (0, 1):
        assert statement.at(attrs.evolve(LONG_ROW, row=row)) is Truth.TRUE
    bind_formula(
        statement,
        points(),
        lambda p: real(p.delta) - shifted_delta(p.degrees - p.dimension + 1, 2 * p.row + 1, p.epsilon),
    )
    assert not statement.strict
    for inside in INSIDE:
        bind_hypotheses(statement, inside, PARAMETERS)


@theorem_14.refutes(
    "unit-rows", grade="interval", region="delta = 10^-6, eps = 4, 5, 6, d = 1 and 3 with the least tau of line 6"
)
@theorem_14.refutes(
    "post-processing", grade="interval", region="delta = 10^-6, eps = 4, 5, 6, d = 1 and 3 with the least tau of line 6"
)
def test_a_row_of_the_ball_is_revealed_for_large_epsilon(statements) -> None:
    single = statements["sliding-window.theorem-14/unit-rows"]
    double = statements["sliding-window.theorem-14/post-processing"]
    for epsilon, degrees, factor in ((4, 13, 2), (5, 8, 1750), (6, 6, 14_000)):
        for dimension in (1, 3):
            point = WishartParameters(dimension, epsilon, MILLIONTH, degrees + dimension - 1)
            assert single.at(point) is Truth.FALSE
            assert -single.margin(point) > factor * float(MILLIONTH)
            assert double.at(point) is Truth.FALSE
            assert single.applies(attrs.evolve(point, degrees=point.degrees - 1)) is Truth.FALSE
    five = WishartParameters(1, 5, MILLIONTH, 8)
    theorem_14.tells(
        "that the neighbour cannot give is about {about} delta", 1 - single.margin(five) / ball(five.delta)
    )
    assert single.at(WishartParameters(1, 3, MILLIONTH, 22)) is Truth.TRUE
    with mpmath.workdps(60):
        bind(single, ((p, real(p.delta) - support_failure(p)) for p in points()))
        bind(double, ((p, support_failure(p) - (1 - (1 - support_failure(p)) ** 2)) for p in points()))
    for statement in statements.values():
        assert not statement.strict
        for inside in INSIDE:
            bind_hypotheses(statement, inside, PARAMETERS)


@theorem_14.refutes("rank-one", grade="symbolic", region="M = 10, and M = k/3 for k = 1 to 19")
@theorem_14.refutes("theorem-11", grade="interval", region="d = 1, eps = 1, delta = 10^-6, tau = 194 and 426")
def test_two_premises_fail(statements) -> None:
    norm, degrees = (statements[f"sliding-window.theorem-14/{name}"] for name in ("rank-one", "theorem-11"))
    assert norm.at(LONG_ROW) is Truth.FALSE
    assert norm.at(attrs.evolve(LONG_ROW, row=0)) is Truth.TRUE
    assert degrees.at(LONG_ROW) is Truth.FALSE
    assert degrees.at(attrs.evolve(LONG_ROW, degrees=427)) is Truth.TRUE
    assert degrees.at(attrs.evolve(LONG_ROW, degrees=426)) is Truth.FALSE
    assert norm.margin(WishartParameters(1, 3, MILLIONTH, 22)) == 0, "a row of norm 1, present or absent"
    thirteenth = attrs.evolve(LONG_ROW, delta=Fraction(1, 13), degrees=36)
    assert degrees.applies(thirteenth) is Truth.TRUE, "36 is the integer part of 1 + 14 log 13 = 36.91"
    assert degrees.applies(attrs.evolve(thirteenth, degrees=35)) is Truth.FALSE
    assert degrees.applies(WishartParameters(1, 10, HALF, 1)) is Truth.TRUE, "1.1: one degree is enough"
    d, epsilon, delta, tau, row = sympy.symbols("dimension epsilon delta degrees row")
    bind_expression(norm, -2 * row, points=INSIDE)
    bind_expression(degrees, tau - d - 28 * sympy.log(4 / delta) / epsilon**2, points=INSIDE)
    for statement in statements.values():
        assert not statement.strict
        for inside in INSIDE:
            bind_hypotheses(statement, inside, PARAMETERS)


ONES = NoisyStream(fmpq_mat([[1], [1]]), scalars(3, 3), 2)
GONE = NoisyStream(fmpq_mat([[7], [0], [0]]), scalars(3, 2, 1), 2)
RUN = {
    "window >= 1, an integer": attrs.evolve(ONES, window=0),
    "there is one d x d noise for each row": attrs.evolve(ONES, noise=scalars(3)),
    "Update spares the first and the newest checkpoint": attrs.evolve(ONES, deleted=((2, 2),)),
    "every noise is positive semidefinite": attrs.evolve(ONES, noise=scalars(1, -1)),
}


@theorem_14.refutes("equation-35", grade="symbolic", region="rows 1, 1 with W = 2")
@theorem_14.refutes("equation-36", grade="symbolic", region="rows 7, 0, 0 with W = 2")
def test_two_equations_fail_for_the_printed_lines(statements) -> None:
    order, adjacent = (statements[f"sliding-window.theorem-14/equation-{number}"] for number in (35, 36))
    assert order.at(ONES) is Truth.FALSE
    assert order.margin(ONES) == -1
    assert order.at(attrs.evolve(ONES, rows=fmpq_mat([[1], [0]]))) is Truth.TRUE
    assert order.at(NoisyStream(fmpq_mat([[1], [0], [2]]), scalars(9, 8, 1), 1)) is Truth.FALSE, (
        "K(1) against the last row"
    )
    assert order.at(NoisyStream(fmpq_mat([[3], [2], [0]]), scalars(9, 8, 1), 1)) is Truth.TRUE, "4 and 0 around 0"
    longer, shorter = fmpq(2, 3), fmpq(1, 2)
    for rows, slack in (((0, shorter, 0, longer), fmpq(-7, 36)), ((0, longer, 0, shorter), fmpq(0))):
        four = NoisyStream(fmpq_mat(4, 1, rows), scalars(9, 7, 3, 1), 2)
        assert order.margin(four).overlaps(arb(slack)), "stamp 2 has rows 2 and 3, stamp 3 rows 3 and 4: the window"
    two = NoisyStream(fmpq_mat([[longer], [shorter]]), scalars(5, 1), 1)
    assert order.margin(two) == 0, "the second is the window"
    late = NoisyStream(fmpq_mat([[3], [0], [0]]), scalars(1, 1, 1), 3)
    assert order.at(late) is Truth.TRUE
    assert adjacent.at(GONE) is Truth.FALSE
    assert adjacent.margin(GONE) == -24, "2 - (49 + 3)/2"
    four = NoisyStream(fmpq_mat([[0], [1], [0], [fmpq(1, 2)]]), scalars(2, fmpq(1, 4), fmpq(1, 8), 1), 2)
    assert adjacent.margin(four) == arb(-3) / 8, "1/4 + 1/8 - (1 + 1/4 + 1/4)/2, after the third expired the first"
    assert adjacent.margin(NoisyStream(fmpq_mat([[1], [0]]), scalars(0, 0), 2)) == arb(-1) / 2
    assert adjacent.margin(NoisyStream(fmpq_mat([[1]]), scalars(0), 2)) == 0, "one pair has no other"
    assert adjacent.at(attrs.evolve(GONE, rows=fmpq_mat([[1], [0], [0]]))) is Truth.TRUE, "2 - (1 + 3)/2 = 0"
    for statement in statements.values():
        assert not statement.strict
        for inside in (ONES, attrs.evolve(ONES, noise=scalars(0, 0))):
            bind_hypotheses(statement, inside, RUN)


@theorem_14.supports(
    "equation-37",
    grade="derived",
    region="every d, tau >= max(3, d), k: derivation below; the tail of lambda_1 is cited",
)
def test_the_largest_eigenvalue_of_the_noise(statement) -> None:
    """The tail: Pr(lambda_1 > (sqrt tau + sqrt d + t)^2) <= exp(-t^2/2), with t^2 = 2k log d (Davidson and Szarek).

    (x + y + t)^2 <= 3(x^2 + y^2 + t^2), as the difference is a sum of three squares. Then tau + d + 2k log d is at most
    (2 + 2k) tau, because d <= tau and log d <= d, and log tau >= 1 from 3 on.
    """
    x, y, t = sympy.symbols("x y t")
    squares = (x - y) ** 2 + (y - t) ** 2 + (x - t) ** 2
    assert sympy.expand(3 * (x**2 + y**2 + t**2) - (x + y + t) ** 2 - squares) == 0
    assert sympy.log(3) > 1
    d = sympy.symbols("d", positive=True)
    assert sympy.solve(sympy.diff(d - sympy.log(d), d), d) == [1], "least value of d - log d: 1, at d = 1"
    for size, degrees, power in product((2, 7), (7, 30, 500), (0, 1, 3)):
        root = sympy.sqrt(degrees) + sympy.sqrt(size) + sympy.sqrt(2 * power * sympy.log(size))
        assert (6 + 6 * power) * degrees * sympy.log(degrees) > root**2
        assert statement.at(Tail(size, degrees, power)) is Truth.TRUE
    values = []
    with mpmath.workdps(60):
        for degrees, power in product((3, 4, 7, 10, 15, 20, 30), (0, 1, 3)):
            bound = (6 + 6 * power) * degrees * mpmath.log(degrees)
            larger = mpmath.gammainc(mpmath.mpf(degrees) / 2, bound / 2, mpmath.inf, regularized=True)
            values.append((Tail(1, degrees, power), mpmath.nstr(1 - larger, 50)))
    bind(statement, values)
    assert statement.at(Tail(3, 3, 0)) is Truth.TRUE

    def smaller(p: Tail):
        inside = wishart_within(p.dimension, p.degrees, 0, p.degrees * arb(p.degrees).log())
        return rare(p) - (1 - inside)

    assert statement.at(Tail(3, 3, 2)) is Truth.TRUE
    assert statement.nudged(margin=smaller).at(Tail(3, 3, 2)) is Truth.FALSE, "c = 1"
    assert not statement.strict
    bind_hypotheses(
        statement,
        Tail(3, 3, 0),
        {
            "dimension >= 1, an integer": Tail(0, 3, 0),
            "degrees >= 1, an integer": Tail(3, 0, 0),
            "power >= 0, an integer": Tail(3, 3, -1),
            "tau >= max(3, d)": Tail(4, 3, 0),
        },
    )
    assert statement.applies(Tail(1, 2, 0)) is Truth.FALSE
    assert statement.applies(Tail(1, 3, 0)) is Truth.TRUE


@theorem_14.supports("equation-38", grade="derived", region="any one direction: an identity, coefficients >= 0")
@theorem_14.supports("equation-39", grade="derived", region="any one direction: an identity, coefficients >= 0")
@theorem_14.supports("equation-40", grade="derived", region="any one direction: an identity, coefficients >= 0")
@theorem_14.supports("equation-41", grade="derived", region="any one direction: an identity, coefficients >= 0")
def test_the_chain_of_the_accuracy_proof(statements) -> None:
    """X <= Y in the Loewner order means u'Xu <= u'Yu for every unit u; each conclusion is a sum of hypotheses.

    The coefficients are 1, 1 - eta and 1/(1 - eta), none of them negative.
    """
    upper, lower = w - k2, k1 - w
    update, high2, low1 = n2 - (1 - eta) * n1, e2 - (n2 - k2), e1 - (k1 - n1)
    formulas = {
        38: w + e2 - (1 - eta) * (k1 - e1),
        39: w / (1 - eta) + e1 + e2 / (1 - eta) - k1,
        40: w / (1 - eta) + e1 + e2 / (1 - eta) - n1,
        41: n1 - w + e1,
    }
    certificates = {
        38: upper + high2 + update + (1 - eta) * low1,
        39: (upper + high2 + update) / (1 - eta) + low1,
        40: (upper + high2 + update) / (1 - eta) + e1,
        41: lower + low1,
    }
    for number, formula in formulas.items():
        assert sympy.simplify(formula - certificates[number]) == 0
        statement = statements[f"sliding-window.theorem-14/equation-{number}"]
        bind_expression(statement, formula, fields=FIELDS, points=[SOUND])
        assert statement.at(SOUND) is Truth.TRUE
        assert not statement.strict
        for inside in (SOUND, EQUAL):
            bind_hypotheses(statement, inside, CHAIN)
        for change in (
            {"window": 6},
            {"noisy_first": 4, "error": HALF},
            {"error": HALF},
            {"other_error": HALF},
            {"eta": Fraction(1, 5)},
        ):
            assert statement.applies(attrs.evolve(SOUND, **change)) is Truth.FALSE
        assert statement.at(EQUAL) is Truth.TRUE, "equality is attained"
        assert statement.applies(EDGE) is Truth.TRUE
        assert statement.applies(attrs.evolve(EDGE, noisy_second=Fraction(63, 64))) is Truth.FALSE
