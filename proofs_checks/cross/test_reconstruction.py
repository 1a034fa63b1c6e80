"""The lower bound for private low-rank approximation in `sliding-window`, repaired: what a projection gives away."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.cross_reconstruction import (
    Guarantee,
    Guess,
    TabledMechanism,
    many_moves_margin,
    worst_cost,
)
from dpmatrix.tracing import bind_expression

low_rank_lower_bounds = cite("cross.low-rank-lower-bounds@c26559bc")


def onto(*rows) -> fmpq_mat:
    """Orthogonal projection onto the span of independent rows."""
    span = fmpq_mat([[fmpq(entry) for entry in each] for each in rows])
    return span.transpose() * (span * span.transpose()).inv() * span


def law(*shares) -> tuple[fmpq, ...]:
    return tuple(fmpq(each) for each in shares)


LINES = (onto((1, fmpq(1, 2))), onto((1, fmpq(-1, 2))), onto((1, 0)))
HONEST = TabledMechanism(1, 1, 1, 1, LINES, (law(0, 1, 0), law(1, 0, 0)), fmpq(3), fmpq(0))
"""Publishes the row space itself."""
RESPONSE = attrs.evolve(HONEST, laws=(law(fmpq(1, 4), fmpq(3, 4), 0), law(fmpq(3, 4), fmpq(1, 4), 0)))
"""Publishes the right row space with probability 3/4: (log 3, 0)-private."""
FAR = (onto((2, 1)), onto((2, -1)))
MIDDLE = law(fmpq(1, 2), fmpq(1, 2))
TWO_MOVES = TabledMechanism(
    1, 1, 2, 2, FAR, (law(fmpq(1, 4), fmpq(3, 4)), MIDDLE, law(fmpq(3, 4), fmpq(1, 4))), fmpq(2), fmpq(0)
)
"""For a sign that is worth two moves: (log 2, 0)-private, and right with probability 3/4 at both ends."""


def cross_product(one, other):
    return sum((one[i] * other[j] - one[j] * other[i]) ** 2 for i in range(len(one)) for j in range(i))


def tables():
    """Mechanisms with k = 1, m = 1 and 2, on lines through given points, with their margins by the sine of an angle."""
    source = random.Random(11)
    for columns, exponential, delta, gamma, moves in product(
        (1, 2), (1, 3), (Fraction(0), Fraction(1, 3)), (3, Fraction(7, 2)), (1, 2)
    ):
        points = [(2, *(source.randrange(-4, 5) for _ in range(columns))) for _ in range(3)]
        shares = [[source.randrange(1, 9) for _ in points] for _ in range((moves + 1) ** columns)]
        laws = [[Fraction(share, sum(each)) for share in each] for each in shares]
        levels, costs = (-1, 1) if moves == 1 else (-2, 0, 2), []
        for doubled, each in zip(product(levels, repeat=columns), laws, strict=True):
            if 0 in doubled:
                continue
            row = (Fraction(gamma), *(Fraction(one, 2) for one in doubled))
            sines = [Fraction(cross_product(row, point), 1) / sum(x * x for x in point) for point in points]
            costs.append(sum(share * sine for share, sine in zip(each, sines, strict=True)))
        table = TabledMechanism(
            1,
            columns,
            moves,
            gamma,
            tuple(onto(point) for point in points),
            tuple(law(*(fmpq(x.numerator, x.denominator) for x in each)) for each in laws),
            fmpq(exponential),
            fmpq(delta.numerator, delta.denominator),
        )
        if moves == 1:
            bound = (1 - delta) * columns / (20 * (1 + exponential))
        else:
            bound = (1 - delta * (1 + exponential)) * columns / (5 * (1 + exponential**2))
        yield table, max(costs) - bound


PLANES = (onto((1, 0, fmpq(1, 2)), (0, 1, fmpq(1, 2))), onto((1, 0, 0), (0, 1, 0)))
PLANE = TabledMechanism(2, 1, 1, 2, PLANES, (law(fmpq(1, 2), fmpq(1, 2)),) * 4, fmpq(1), fmpq(0))
SILENT = TabledMechanism(1, 1, 1, 1, LINES[2:], (law(1),) * 2, fmpq(1), fmpq(0))
"""Publishes the same line whatever the signs are."""
TABLE_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(RESPONSE, rank=0, laws=(law(1, 0, 0),)),
    "columns >= 1, an integer": attrs.evolve(RESPONSE, columns=0, laws=(law(1, 0, 0),)),
    "moves >= 1, an integer": attrs.evolve(RESPONSE, moves=0, laws=(law(1, 0, 0),)),
    "there is a law for each B": attrs.evolve(RESPONSE, laws=(law(fmpq(1, 4), fmpq(3, 4), fmpq(1, 50)),) * 2),
    "outputs are projections of rank k": attrs.evolve(SILENT, outputs=(onto((1, 0), (0, 1)),)),
    "gamma >= t sqrt(km)": attrs.evolve(SILENT, outputs=(onto((0, 1)),), gamma=0),
    "e^eps >= 1": attrs.evolve(RESPONSE, exponential=fmpq(49, 50)),
    "delta >= 0": attrs.evolve(RESPONSE, delta=fmpq(-1, 50)),
    "delta <= 1": attrs.evolve(RESPONSE, delta=fmpq(51, 50)),
    "laws of neighbours are (eps, delta)-close": HONEST,
}
NEEDED = ("outputs are projections of rank k", "gamma >= t sqrt(km)", "laws of neighbours are (eps, delta)-close")


@low_rank_lower_bounds.supports_repair(
    grade="derived",
    region="every k, m, t, eps, delta: the step `reconstruction`, and three lines on each sign (docstring)",
)
def test_private_projections_cost(statement) -> None:
    """Let B be uniform on the matrices of t/2 and -t/2, t times those of the step `reconstruction`.

    From P alone all but 20 |A - AP|_F^2/t^2 signs can be told, as (A - AP)/t is what that step has. Two matrices that
    differ in one sign are t moves of length 1 apart, through the entries between: P_0(S) <= E P_1(S) + delta for each
    gives P_0(S) <= E^t P_t(S) + delta_t by induction, delta_(t+1) = E delta_t + delta, E = e^eps. The sign is told
    rightly with probabilities p and q under the two, so that p <= E^t (1 - q) + delta_t and q <= E^t (1 - p) + delta_t.
    The sum: (p + q)/2 <= (E^t + delta_t)/(1 + E^t), so each sign is wrong with probability at least (1 - delta_t)/(1 +
    E^t), on average over B. Hence 20 E|A - AP|_F^2/t^2 >= km (1 - delta_t)/(1 + E^t) on average, and for some B.
    """
    p, q, e, delta = sympy.symbols("p q e delta")
    first, second_line = e * (1 - q) + delta - p, e * (1 - p) + delta - q
    average = (e + delta) / (1 + e) - (p + q) / 2
    assert sympy.simplify(average - (first + second_line) / (2 * (1 + e))) == 0
    assert sympy.simplify(1 - (e + delta) / (1 + e) - (1 - delta) / (1 + e)) == 0
    one, t = sympy.symbols("E t", positive=True)
    many = delta * (one**t - 1) / (one - 1)
    assert sympy.simplify(many.subs(t, t + 1) - (one * many + delta)) == 0
    assert sympy.simplify(many.subs(t, 1) - delta) == 0
    bind(statement, tables())
    for k, m in ((1, 1), (1, 2), (2, 1), (2, 2)):
        point = TabledMechanism(
            k,
            m,
            1,
            2,
            (onto(*([int(i == j) for j in range(k + m)] for i in range(k))),),
            (law(1),) * 2 ** (k * m),
            fmpq(1),
            fmpq(0),
        )
        assert statement.at(point) is Truth.TRUE
        bound = Fraction(k * m, 4) - Fraction(k * m, 40)
        lost = arb(fmpq(bound.numerator, bound.denominator))
        assert statement.margin(point).overlaps(lost), "B is lost: each entry costs 1/4"
    for point in (RESPONSE, PLANE, attrs.evolve(HONEST, delta=fmpq(1)), TWO_MOVES):
        assert statement.at(point) is Truth.TRUE
    assert statement.margin(PLANE).contains(fmpq(7, 4) - fmpq(1, 20)), "at worst (3 + 1/2)/2; the bound is 2/40"
    assert statement.margin(TWO_MOVES).contains(fmpq(4, 5) - fmpq(1, 25)), "the other line at 16/5; the bound is 4/100"
    checked = [table for table, _ in tables() if statement.applies(table) is Truth.TRUE]
    assert len(checked) >= 5
    assert all(statement.at(table) is Truth.TRUE for table in checked)
    assert not statement.strict
    for inside in (RESPONSE, attrs.evolve(RESPONSE, laws=(law(0, 0, 1),) * 2, exponential=fmpq(1), delta=fmpq(1))):
        bind_hypotheses(statement, inside, TABLE_OUTSIDE)
    for wrong in (
        attrs.evolve(RESPONSE, laws=RESPONSE.laws[:1] * 3),
        attrs.evolve(RESPONSE, laws=(law(fmpq(21, 20), fmpq(-1, 20), 0),) * 2, exponential=fmpq(1)),
        attrs.evolve(RESPONSE, laws=(law(fmpq(1, 2), fmpq(1, 2)),) * 2),
        attrs.evolve(RESPONSE, exponential=fmpq(29, 10)),
        attrs.evolve(TWO_MOVES, exponential=fmpq(19, 10)),
        attrs.evolve(TWO_MOVES, gamma=Fraction(199, 100)),
        attrs.evolve(TWO_MOVES, laws=(TWO_MOVES.laws[0], TWO_MOVES.laws[2], TWO_MOVES.laws[2])),
        attrs.evolve(RESPONSE, outputs=(onto((1, 0), (0, 1)), *LINES[1:])),
        attrs.evolve(RESPONSE, outputs=(fmpq(51, 50) * LINES[0], *LINES[1:])),
        attrs.evolve(RESPONSE, outputs=(onto((1, 0, 0)), *LINES[1:])),
        attrs.evolve(RESPONSE, outputs=(fmpq_mat([[1, 1], [0, 0]]), *LINES[1:])),
        attrs.evolve(RESPONSE, gamma=-2),
        attrs.evolve(RESPONSE, gamma=Fraction(49, 50)),
        attrs.evolve(PLANE, laws=(law(1, 0), law(1, 0), law(1, 0), law(0, 1))),
    ):
        assert statement.applies(wrong) is Truth.FALSE


@low_rank_lower_bounds.controls(
    "+repair",
    grade="symbolic",
    region="the row space itself, the whole space, gamma = 0; randomised response, 1 in place of 20",
)
def test_the_row_space_itself_costs_nothing(statement) -> None:
    for says in NEEDED:
        bare = statement.without(says)
        assert bare.at(TABLE_OUTSIDE[says]) is Truth.FALSE, "the cost is 0"
        assert bare.at(RESPONSE) is Truth.TRUE
    assert statement.margin(RESPONSE) == arb(fmpq(1, 5) - fmpq(1, 80)), "E 3/4 right: 1/4 of the squared sine, 4/5"
    without_twenty = statement.nudged(
        margin=lambda p: arb(worst_cost(p) - (1 - p.delta) * p.rank * p.columns / (1 + p.exponential))
    )
    assert without_twenty.at(RESPONSE) is Truth.FALSE, "1/5 against 1/4"


@low_rank_lower_bounds.controls(
    "+repair", grade="symbolic", region="t = 2: delta for delta_2; without 20, e^eps for e^(2 eps)"
)
def test_two_moves_leak_more_than_one(statement) -> None:
    """A delta of 1/2 pays for telling the ends of two moves apart, at no cost; eps = log 2 for 4 right guesses in 5."""
    told = attrs.evolve(TWO_MOVES, laws=(law(0, 1), MIDDLE, law(1, 0)), exponential=fmpq(1), delta=fmpq(1, 2))

    def with_bound(share) -> Statement:
        return statement.nudged(margin=lambda p: arb(worst_cost(p) - 4 * share(p)))

    assert statement.at(told) is Truth.TRUE
    assert with_bound(lambda p: (1 - p.delta) / (20 * (1 + p.exponential**2))).at(told) is Truth.FALSE
    assert with_bound(lambda p: 1 / (1 + p.exponential**2)).at(TWO_MOVES) is Truth.TRUE, "4/5 and 4/5"
    assert with_bound(lambda p: 1 / (1 + p.exponential)).at(TWO_MOVES) is Truth.FALSE


def guesses():
    """Spans near the row space of (gamma I, B), and others, for k, m in 1, 2, 3."""
    source = random.Random(5)
    for k, m in product((1, 2, 3), repeat=2):
        for spread in (0, 0, 1, 3, 8):
            signs = fmpq_mat(k, m, [fmpq(source.choice((-1, 1)), 2) for _ in range(k * m)])
            gamma = k * m + source.randrange(2)
            rows = [[gamma * int(i == j) for j in range(k)] + list(signs.tolist()[i]) for i in range(k)]
            near = fmpq_mat([[fmpq(x) + fmpq(source.randrange(-9, 10) * spread, 36) for x in each] for each in rows])
            if near.rank() == k:
                yield Guess(signs, gamma, near)


def guess_by_hand(p: Guess):
    """Least squares by sympy, and the signs of the guess from the reduced rows of the span."""
    rows = symbolic_matrix(p.span)
    signs = symbolic_matrix(p.signs)
    data = sympy.eye(p.rank).row_join(signs) if p.gamma == 1 else (p.gamma * sympy.eye(p.rank)).row_join(signs)
    cost = sum(entry**2 for entry in data - data * rows.T * (rows * rows.T).inv() * rows)
    reduced, pivots = rows.rref()
    plain = pivots == tuple(range(p.rank))
    guess = reduced[:, p.rank :] if plain else sympy.zeros(p.rank, p.columns)
    wrong = sum((one > 0) != (other >= 0) for one, other in zip(signs, guess, strict=True))
    value = 20 * cost - wrong
    return Fraction(int(value.p), int(value.q))


TRUE_SPAN = Guess(fmpq_mat([[fmpq(1, 2)]]), 1, fmpq_mat([[2, 1]]))


@low_rank_lower_bounds.supports(
    "reconstruction",
    grade="derived",
    region="every k, m, B and P: derivation in the docstring, its algebra checked; 45 spans with k, m <= 3 exactly",
)
def test_the_row_space_gives_the_signs_away(statement) -> None:
    """Let e = |A - AP|_F and AP = CU, U = (U_1, U_2) the span; A - CU = (E_1, E_2) with |E_1|^2 + |E_2|^2 = e^2.

    If e > gamma/2, then 20 e^2 > 5 km, and there are only km signs. Otherwise C U_1 = gamma (I - E_1/gamma) has an
    inverse, hence so have C and U_1, and the guess is gamma (C U_1)^-1 C U_2 = (I - E_1/gamma)^-1 (B - E_2). Minus B
    that is (I - E_1/gamma)^-1 (E_1 B/gamma - E_2), of Frobenius norm at most 2 (|E_1|/2 + |E_2|) <= sqrt(5) e, because
    |B|_2 <= sqrt(km)/2 <= gamma/2. Each wrong sign costs at least 1/4 of its square: at most 4 * 5 e^2 are wrong.
    """
    gamma = sympy.Symbol("gamma", positive=True)
    one, two, b = (sympy.Matrix(2, 2, sympy.symbols(f"{letter}0:4")) for letter in "xyb")
    inner = sympy.eye(2) - one / gamma
    assert (inner * b + (one * b / gamma - two) - (b - two)).expand() == sympy.zeros(2, 2)
    s, t = sympy.symbols("s t")
    assert sympy.expand(4 * (Fraction(5, 4) * (s**2 + t**2) - (s / 2 + t) ** 2) - (2 * s - t) ** 2) == 0
    assert 4 * (2 * sympy.sqrt(5) / 2) ** 2 == 20
    found = list(guesses())
    assert all(statement.at(p) is Truth.TRUE for p in found)
    assert any(statement.margin(p) < 0.2 for p in found if statement.margin(p) > 0)
    bind(statement, ((p, guess_by_hand(p)) for p in found))
    singular = Guess(fmpq_mat([[fmpq(-1, 2)]]), 1, fmpq_mat([[0, 1]]))
    assert statement.margin(singular) == 19, "20 * 1 - 1"
    assert statement.margin(TRUE_SPAN) == 0
    outside = {
        "entries of B are 1/2 or -1/2": attrs.evolve(TRUE_SPAN, signs=fmpq_mat([[fmpq(51, 100)]])),
        "the span has k independent rows": attrs.evolve(TRUE_SPAN, span=fmpq_mat([[2, 1], [4, 2]])),
        "gamma >= sqrt(km)": Guess(fmpq_mat([[fmpq(-1, 2)]]), 0, fmpq_mat([[0, 1]])),
    }
    for inside in (TRUE_SPAN, attrs.evolve(TRUE_SPAN, signs=fmpq_mat([[fmpq(-1, 2)]]))):
        bind_hypotheses(statement, inside, outside)
    scale = "gamma >= sqrt(km)"
    assert statement.without(scale).at(outside[scale]) is Truth.FALSE, "the line of (0, -1/2) is that of (0, 1/2)"
    assert statement.applies(attrs.evolve(TRUE_SPAN, gamma=Fraction(49, 50))) is Truth.FALSE
    assert statement.applies(attrs.evolve(TRUE_SPAN, span=fmpq_mat([[0, 0]]))) is Truth.FALSE
    assert statement.applies(attrs.evolve(TRUE_SPAN, span=fmpq_mat([[1, 0, 0]]))) is Truth.FALSE
    assert not statement.strict


@low_rank_lower_bounds.supports(
    "order-in-epsilon", grade="derived", region="every eps in (0, 1] and delta <= eps/10: derivation in the docstring"
)
def test_many_moves_give_the_order_in_epsilon(statement) -> None:
    """Let t = floor(2/eps) >= 2 and x = t eps: x <= 2, and x > 2t/(t+1) >= 4/3 as 2/eps < t + 1.

    delta_t = delta (e^x - 1)/(e^eps - 1) <= (e^2 - 1)/10, as e^eps - 1 >= eps >= 10 delta. x^2/(1 + e^x) has the
    derivative x (2 + (2 - x) e^x)/(1 + e^x)^2 (1), positive up to 2: it is at least its value at 4/3. The product of
    that and 1 - delta_t, over 20 eps^2, is above 1/(150 eps^2) (2).
    """
    x = sympy.Symbol("x", positive=True)
    share = x**2 / (1 + sympy.exp(x))
    slope = x * (2 + (2 - x) * sympy.exp(x)) / (1 + sympy.exp(x)) ** 2
    assert sympy.simplify(sympy.diff(share, x) - slope) == 0, "(1)"
    least = share.subs(x, sympy.Rational(4, 3)) * (1 - (sympy.exp(2) - 1) / 10) / 20
    assert least > sympy.Rational(1, 150), "(2)"
    eps, delta = sympy.symbols("epsilon delta", positive=True)
    moves = sympy.floor(2 / eps)
    leaked = delta * (sympy.exp(moves * eps) - 1) / (sympy.exp(eps) - 1)
    formula = moves**2 * (1 - leaked) / (20 * (1 + sympy.exp(moves * eps))) - 1 / (150 * eps**2)
    bind_expression(statement, formula)
    inside = Guarantee(Fraction(1, 2), Fraction(1, 32))
    outside = {
        "epsilon > 0": Guarantee(0, 0),
        "epsilon <= 1": Guarantee(Fraction(21, 10), Fraction(1, 20)),
        "delta >= 0": Guarantee(Fraction(1, 2), Fraction(-1, 20)),
        "delta <= eps/10": Guarantee(Fraction(1, 2), Fraction(51, 1000)),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.at(inside) is Truth.TRUE
    assert statement.at(Guarantee(1, Fraction(99, 1000))) is Truth.TRUE, "near the edge of both ranges"
    edge = Guarantee(Fraction(5, 8), Fraction(1, 16))
    assert statement.applies(edge) is Truth.TRUE, "delta = eps/10"
    assert statement.at(edge) is Truth.TRUE
    assert not statement.strict


@low_rank_lower_bounds.controls(
    "order-in-epsilon", grade="interval", region="eps = 3; eps = 1/8, delta = eps/5; 1/100 for 1/150 at eps = 1/1024"
)
def test_the_order_in_epsilon_needs_a_small_delta(statement) -> None:
    """No move fits at eps = 3, and at delta = eps/5 delta_t is above 1."""
    assert statement.without("epsilon <= 1").at(Guarantee(3, Fraction(1, 10))) is Truth.FALSE
    assert statement.without("delta <= eps/10").at(Guarantee(Fraction(1, 8), Fraction(1, 40))) is Truth.FALSE
    small = Guarantee(Fraction(1, 1024), Fraction(97, 10**6))
    assert statement.at(small) is Truth.TRUE
    extra = fmpq(1, 100) - fmpq(1, 150)
    larger = statement.nudged(margin=lambda p: many_moves_margin(p) - extra / rational(p.epsilon) ** 2)
    assert larger.at(small) is Truth.FALSE
