"""What becomes of Theorem 8 of `sliding-window`: the best regression for a near second moment with a ridge."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic, symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.noisy_regression import (
    NoisyRegression,
    noisy_regression_margin,
    ridged,
    stacked,
)

theorem_8 = cite("sliding-window.theorem-8@2cc1e781")

HALF = Fraction(1, 2)


def number(x) -> fmpq_mat:
    return fmpq_mat([[rational(x)]])


def best_for(moment: fmpq_mat, responses: int) -> fmpq_mat:
    """Solve the normal equations of the blocks of a matrix."""
    features = moment.nrows() - responses
    rows = moment.tolist()
    corner = fmpq_mat([row[:features] for row in rows[:features]])
    side = fmpq_mat([row[features:] for row in rows[:features]])
    return corner.inv() * side


def solved(window, noise, other, bound) -> NoisyRegression:
    """Take X~ for C~ + zeta I."""
    draft = NoisyRegression(window, window + noise, other, other, bound)
    return attrs.evolve(draft, chosen=best_for(ridged(draft), other.ncols()))


def moment(*rows) -> fmpq_mat:
    a = fmpq_mat([list(row) for row in rows])
    return a.transpose() * a


TURNED = fmpq_mat([[fmpq(-7, 25), fmpq(24, 25)], [fmpq(24, 25), fmpq(7, 25)]])
"""A reflection: noise of norm 1."""
ROWS = moment((1, 1), (fmpq(1, 2), 0), (0, fmpq(1, 3)))
GOOD = solved(ROWS, fmpq(1, 2) * TURNED, number(2), HALF)


def by_hand(p: NoisyRegression):
    """Compute the margin by sympy from the blocks of K: Tr(X'EX) - 2 Tr(X'F) + Tr(G)."""
    k, features = symbolic_matrix(p.window), p.chosen.nrows()
    corner, side, end = k[:features, :features], k[:features, features:], k[features:, features:]

    def cost(solution):
        x = symbolic_matrix(solution)
        return (x.T * corner * x).trace() - 2 * (x.T * side).trace() + end.trace()

    length = sum(symbolic(x) ** 2 for x in p.other.entries()) + p.other.ncols()
    return (cost(p.other) + 2 * symbolic(p.bound) * length - cost(p.chosen)).evalf(50)


SHAPES = "K and C~ are symmetric, of order d + p, and X~ and X d x p"
EVENT = "|C~ - K| <= zeta"
CHOSEN = "X~ costs no more than X under C~ + zeta I"


def far(zeta) -> NoisyRegression:
    """X~ = 1 and X = -1 are as good for C~ + zeta I, whose side is 0, and the noise turns both by all of zeta.

    Along (1, -1) C~ is K - zeta, along (-1, -1) it is K + zeta: so X~ costs 2 zeta more and X as much less.
    """
    z = rational(zeta)
    window = fmpq_mat([[3 * z, -z], [-z, 3 * z]])
    return NoisyRegression(window, diagonal((3 * z, 3 * z)), number(1), number(-1), zeta)


@theorem_8.supports_repair(
    grade="derived", region="every d, p, window, C~ and zeta: an identity of three terms that are not negative"
)
def test_the_best_regression_for_a_near_moment_is_cheap(statement) -> None:
    """Let Y = (X; -I), Y~ = (X~; -I), K - zeta <= C~ <= K + zeta.

    The margin is Tr(Y~'(C~ + zeta - K)Y~) + [Tr(Y'(C~ + zeta)Y) - Tr(Y~'(C~ + zeta)Y~)] + Tr(Y'(K + zeta - C~)Y), as
    Tr(Y'Y) = |X|_F^2 + p; no term is negative. C~ + zeta >= K >= 0, so that a best X~ exists.
    """
    z = sympy.Symbol("zeta")
    for features, responses in ((1, 1), (2, 1), (1, 2)):
        order = features + responses
        k, c = (
            sympy.Matrix(order, order, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}"))
            for name in "kc"
        )
        ends = [
            sympy.Matrix(features, responses, sympy.symbols(f"{name}0:{features * responses}")).col_join(
                -sympy.eye(responses)
            )
            for name in "xy"
        ]
        unit = sympy.eye(order)
        other, chosen = ends
        parts = (chosen.T * (c + z * unit - k) * chosen).trace() + (other.T * (k + z * unit - c) * other).trace()
        parts += (other.T * (c + z * unit) * other).trace() - (chosen.T * (c + z * unit) * chosen).trace()
        length = sum(x**2 for x in other[:features, :]) + responses
        margin = (other.T * k * other).trace() + 2 * z * length - (chosen.T * k * chosen).trace()
        assert sympy.expand(margin - parts) == 0
    values = []
    for (a, b), tilt, x, zeta in product(((3, 1), (2, 5)), (0, fmpq(1, 2)), (0, fmpq(3, 2), -2), (HALF, 2)):
        p = solved(moment((a, 1), (1, b)), fmpq(tilt) * TURNED, number(x), zeta)
        values.append((p, by_hand(p)))
    wide = moment((1, 2, 0), (0, 1, 1), (2, 1, 3))
    for other in (fmpq_mat([[1], [2]]), fmpq_mat([[1, -1]])):
        p = solved(wide, diagonal((fmpq(1, 2), fmpq(-1, 2), 0)), other, HALF)
        values.append((p, by_hand(p)))
        swapped = attrs.evolve(p, chosen=other, other=p.chosen)
        values.append((swapped, by_hand(swapped)))
    bind(statement, values)
    good = [p for p, _ in values if statement.applies(p) is Truth.TRUE]
    assert len(good) >= 20
    assert all(statement.at(p) is Truth.TRUE for p in good)
    for zeta in (HALF, 3):
        assert statement.at(far(zeta)) is Truth.TRUE, "equality"
        assert statement.margin(far(zeta)) == 0
    assert not statement.strict
    outside = {
        SHAPES: attrs.evolve(GOOD, other=fmpq_mat([[1], [2]])),
        EVENT: attrs.evolve(GOOD, bound=fmpq(1, 4)),
        CHOSEN: attrs.evolve(GOOD, chosen=number(9)),
    }
    bind_hypotheses(statement, GOOD, outside)
    for condition in statement.given:
        assert condition.at(outside[SHAPES]) is Truth.FALSE, "no cost is defined"
    ridge = NoisyRegression(0 * identity(2), 0 * identity(2), number(0), number(1), 1)
    assert statement.at(ridge) is Truth.TRUE, "of the ridge alone 0 is best"
    assert statement.applies(attrs.evolve(ridge, chosen=number(1), other=number(0))) is Truth.FALSE
    for wrong in ({"published": fmpq_mat([[1, 2], [0, 1]])}, {"window": fmpq_mat([[1, 2], [0, 1]])}):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE
    for wrong in ({"window": identity(3)}, {"published": identity(1)}, {"other": fmpq_mat([[1, 2]])}):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE
    assert stacked(number(3)) == fmpq_mat([[3], [-1]])
    ridge = NoisyRegression(identity(2), identity(2), number(0), number(HALF), 2)
    assert statement.applies(ridge) is Truth.TRUE, "C~ + zeta = 3: X~ = 0 costs 3, and X = 1/2 costs 15/4"
    assert statement.applies(attrs.evolve(ridge, chosen=ridge.other, other=ridge.chosen)) is Truth.FALSE


@theorem_8.controls("+repair", grade="symbolic", region="zeta for 2 zeta; without |X|^2; no noise bound; no choice")
def test_the_length_of_the_solution_is_needed(statement) -> None:
    p = far(HALF)

    def half(point: NoisyRegression) -> arb:
        return noisy_regression_margin(attrs.evolve(point, bound=rational(point.bound) / 2))

    def without_length(point: NoisyRegression) -> arb:
        return noisy_regression_margin(point) - arb(
            2 * rational(point.bound) * sum((x * x for x in point.other.entries()), fmpq(0))
        )

    assert statement.at(p) is Truth.TRUE
    for changed in (half, without_length):
        assert statement.nudged(margin=changed).at(p) is Truth.FALSE
    worse = attrs.evolve(GOOD, chosen=number(9))
    assert statement.without(CHOSEN).at(worse) is Truth.FALSE
    loud = solved(ROWS, -40 * TURNED, number(1), HALF)
    assert statement.applies(loud) is Truth.FALSE
    assert statement.without(EVENT).at(loud) is Truth.FALSE
