"""Lower bounds for low-rank approximation in `wishart` and in `sliding-window`, compared and repaired."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.cross_adjacency import ChangedRow, moved_by_one
from dpmatrix.spec.cross_low_rank import PrivateError, error_constant
from dpmatrix.spec.cross_reconstruction import Guess, TabledMechanism, worst_cost
from dpmatrix.tracing import bind_expression

low_rank_lower_bounds = cite("cross.low-rank-lower-bounds@50245c22")

MILLIONTH = Fraction(1, 10**6)
HALF = Fraction(1, 2)
INSIDE = PrivateError(2, 2, Fraction(1, 50), Fraction(49, 50), Fraction(1, 50))
SETTING = {
    "dimension >= 2, an integer": attrs.evolve(INSIDE, dimension=1),
    "rank >= 1, an integer": attrs.evolve(INSIDE, rank=0),
    "k <= d": attrs.evolve(INSIDE, rank=3),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
    "constant > 0": attrs.evolve(INSIDE, constant=0),
}


def at_least(value: fmpq) -> int:
    """Return the least dimension that is at least this, and at least 2."""
    return max(2, int(value.ceil()))


k, d, e, delta, c, z = sympy.symbols("rank dimension epsilon delta constant z", positive=True)
POSITIVE_ROOT = (z + sympy.sqrt(z**2 + 2 * e)) / (2 * e)
DEVIATION = POSITIVE_ROOT.subs(z, sympy.sqrt(-2 * sympy.log(delta)))
"""The positive root of eps s^2 - z s - 1/2, z = sqrt(2 log(1/delta))."""
NOISE = 4 * DEVIATION * sympy.sqrt(d * sympy.log(9) + sympy.log(d))
"""The bound on the norm of the noise that a net of 9^d points gives with probability 1 - 1/d."""
SECOND = c * sympy.sqrt(k * d)


def check_errors(statement, formula) -> None:
    bind_expression(statement, formula)
    assert not statement.strict
    for inside in (INSIDE, PrivateError(9, 1, 3, Fraction(1, 50), 2)):
        bind_hypotheses(statement, inside, SETTING)


@low_rank_lower_bounds.refutes(
    grade="derived", region="eps = 1, delta = 10^-6, k = 1: c from 1e-12 to 1e12 by machine; every c by growing d"
)
def test_rows_of_the_unit_ball_cost_less(statement) -> None:
    """The top-k space P of A'A + N: Tr(P A'A) >= Tr(P* A'A) - Tr((P* - P)N) >= Tr(P* A'A) - 2k|N|, P* the best.

    So |A - AP|_F^2 <= |A - AP*|_F^2 + 2k|N|, and sqrt(x + y) <= sqrt(x) + sqrt(y). |N| and the privacy of the release
    are those of the repaired theorem-15 of sliding-window, with probability 1 - 1/d. sqrt(2 * 4 * 6 * 1.6) d^(1/4) <
    9 d^(1/4) <= c d^(1/2) from d = (9/c)^4 on.
    """
    statement.refute(lambda constant: PrivateError(at_least((9 / rational(constant)) ** 4), 1, 1, MILLIONTH, constant))
    wide = PrivateError(at_least((900 / rational(1)) ** 4), 5, 1, MILLIONTH, Fraction(1, 100))
    assert statement.conclusion(wide) is Truth.FALSE, "for other ranks as well"
    assert statement.at(PrivateError(10, 1, 1, MILLIONTH, 1)) is Truth.UNDECIDED, "an upper bound proves nothing"
    check_errors(statement, sympy.sqrt(2 * k * NOISE) - SECOND)


@low_rank_lower_bounds.refutes(
    "second-for-every-epsilon", grade="derived", region="every c: eps = 200/c^2, 200 for c > 1, delta = 10^-6"
)
def test_rows_with_little_noise_cost_little(statement) -> None:
    """A + E has rank at most k, so AP = (A + E)P - EP and A - AP = -E(I - P); E|E|_F^2 = s^2 kd, and s < 1 at
    eps = 200, s < c at eps = 200/c^2 for c <= 1.
    """  # noqa: D205
    assert sympy.expand(e * POSITIVE_ROOT**2 - z * POSITIVE_ROOT - HALF) == 0
    statement.refute(
        lambda constant: PrivateError(50, 5, 200 / min(rational(constant), fmpq(1)) ** 2, MILLIONTH, constant)
    )
    check_errors(statement, DEVIATION * sympy.sqrt(k * d) - SECOND)


def with_a_delta(dimension: int, epsilon, share) -> PrivateError:
    """Choose C."""
    return PrivateError(dimension, 1, epsilon, share, error_constant(share))


ERRORS = [with_a_delta(*p) for p in product((2, 3, 50, 10**6), (Fraction(1, 10), 1), (MILLIONTH, HALF))]
ONE_AT_MOST = "epsilon <= 1"


@low_rank_lower_bounds.supports(
    "error-with-a-delta", grade="derived", region="every d >= 2, eps <= 1 and delta: the docstring; 16 points"
)
def test_a_delta_buys_an_error_below_the_dimension(statement) -> None:
    """S eps = (z + sqrt(z^2 + 2 eps))/2 grows with eps, and is (z + sqrt(z^2 + 2))/2 at eps = 1. log d <= d/2 for
    d >= 1, as log d - d/2 is largest at d = 2: 2|N| <= 8 s sqrt(d (log 9 + 1/2)) (1).
    """  # noqa: D205
    assert sympy.simplify(2 * e * POSITIVE_ROOT - z - sympy.sqrt(z**2 + 2 * e)) == 0
    x = sympy.Symbol("x", positive=True)
    assert sympy.solve(sympy.diff(sympy.log(x) - x / 2, x), x) == [2]
    assert arb(2).log() < 1
    chosen = 4 * (z + sympy.sqrt(z**2 + 2)) * sympy.sqrt(sympy.log(9) + HALF)
    bound = 8 * POSITIVE_ROOT.subs(e, 1) * sympy.sqrt(d * (sympy.log(9) + HALF))
    assert sympy.simplify(bound - chosen * sympy.sqrt(d)) == 0, "(1)"
    bind_expression(statement, c * sympy.sqrt(d) / e - 2 * NOISE)
    for p in ERRORS:
        level = sympy.sqrt(-2 * sympy.log(sympy.Rational(p.delta)))
        assert abs(float(p.constant) / float(chosen.subs(z, level)) - 1) < 1e-12, "C"
        assert statement.at(p) is Truth.TRUE
    inside = with_a_delta(2, HALF, HALF)
    outside = {says: SETTING[says] for says in ("dimension >= 2, an integer", "epsilon > 0", "delta > 0", "delta < 1")}
    bind_hypotheses(statement, inside, outside | {ONE_AT_MOST: attrs.evolve(inside, epsilon=2)})
    assert not statement.strict


@low_rank_lower_bounds.controls("error-with-a-delta", grade="interval", region="nine tenths of C; eps = 100")
def test_the_error_with_a_delta_needs_its_constant(statement) -> None:
    """At d = 2, eps = 1 the bound is 0.97 of C sqrt(d); at large eps the noise falls like eps^(-1/2) only."""

    def less(delta) -> arb:
        return error_constant(delta) * 9 / 10

    assert statement.exhibits(constant=less).at(PrivateError(2, 1, 1, HALF, less(HALF))) is Truth.FALSE
    assert statement.without(ONE_AT_MOST).at(with_a_delta(2, 100, HALF)) is Truth.FALSE


def onto(*rows) -> fmpq_mat:
    """Orthogonal projection onto the span of independent rows."""
    span = fmpq_mat([[fmpq(entry) for entry in each] for each in rows])
    return span.transpose() * (span * span.transpose()).inv() * span


def law(*shares) -> tuple[fmpq, ...]:
    return tuple(fmpq(each) for each in shares)


LINES = (onto((1, fmpq(1, 2))), onto((1, fmpq(-1, 2))), onto((1, 0)))
HONEST = TabledMechanism(1, 1, 1, LINES, (law(0, 1, 0), law(1, 0, 0)), fmpq(3), fmpq(0))
"""Publishes the row space itself."""
RESPONSE = attrs.evolve(HONEST, laws=(law(fmpq(1, 4), fmpq(3, 4), 0), law(fmpq(3, 4), fmpq(1, 4), 0)))
"""Publishes the right row space with probability 3/4: (log 3, 0)-private."""


def cross_product(one, other):
    return sum((one[i] * other[j] - one[j] * other[i]) ** 2 for i in range(len(one)) for j in range(i))


def tables():
    """Mechanisms with k = 1, m = 1 and 2, on lines through given points, with their margins by the sine of an angle."""
    source = random.Random(11)
    for columns, exponential, delta, gamma in product(
        (1, 2), (1, 3), (Fraction(0), Fraction(1, 3)), (2, Fraction(7, 2))
    ):
        for _ in range(2):
            points = [(2, *(source.randrange(-4, 5) for _ in range(columns))) for _ in range(3)]
            shares = [[source.randrange(1, 9) for _ in points] for _ in range(2**columns)]
            laws = [[Fraction(share, sum(each)) for share in each] for each in shares]
            costs = []
            for signs, each in zip(product((-1, 1), repeat=columns), laws, strict=True):
                row = (Fraction(gamma), *(Fraction(sign, 2) for sign in signs))
                sines = [Fraction(cross_product(row, point), 1) / sum(x * x for x in point) for point in points]
                costs.append(sum(share * sine for share, sine in zip(each, sines, strict=True)))
            table = TabledMechanism(
                1,
                columns,
                gamma,
                tuple(onto(point) for point in points),
                tuple(law(*(fmpq(x.numerator, x.denominator) for x in each)) for each in laws),
                fmpq(exponential),
                fmpq(delta.numerator, delta.denominator),
            )
            yield table, max(costs) - (1 - delta) * columns / (20 * (1 + exponential))


PLANES = (onto((1, 0, fmpq(1, 2)), (0, 1, fmpq(1, 2))), onto((1, 0, 0), (0, 1, 0)))
PLANE = TabledMechanism(2, 1, 2, PLANES, (law(fmpq(1, 2), fmpq(1, 2)),) * 4, fmpq(1), fmpq(0))
SILENT = TabledMechanism(1, 1, 1, LINES[2:], (law(1),) * 2, fmpq(1), fmpq(0))
"""Publishes the same line whatever the signs are."""
TABLE_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(RESPONSE, rank=0, laws=(law(1, 0, 0),)),
    "columns >= 1, an integer": attrs.evolve(RESPONSE, columns=0, laws=(law(1, 0, 0),)),
    "there is a law for each B": attrs.evolve(RESPONSE, laws=(law(fmpq(1, 4), fmpq(3, 4), fmpq(1, 50)),) * 2),
    "outputs are projections of rank k": attrs.evolve(SILENT, outputs=(onto((1, 0), (0, 1)),)),
    "gamma >= sqrt(km)": attrs.evolve(SILENT, outputs=(onto((0, 1)),), gamma=0),
    "e^eps >= 1": attrs.evolve(RESPONSE, exponential=fmpq(49, 50)),
    "delta >= 0": attrs.evolve(RESPONSE, delta=fmpq(-1, 50)),
    "delta <= 1": attrs.evolve(RESPONSE, delta=fmpq(51, 50)),
    "laws of neighbours are (eps, delta)-close": HONEST,
}
NEEDED = ("outputs are projections of rank k", "gamma >= sqrt(km)", "laws of neighbours are (eps, delta)-close")


@low_rank_lower_bounds.supports_repair(
    grade="derived",
    region="every k, m, eps, delta: the step `reconstruction`, and two lines on each sign (docstring), machine-checked",
)
def test_private_projections_cost(statement) -> None:
    """Let B be uniform. From P alone all but 20 |A - AP|_F^2 signs can be told, by the step `reconstruction`.

    A sign is told rightly with probabilities p and q under the two matrices that differ in it alone, by 1 in one entry,
    and privacy gives p <= e^eps (1 - q) + delta and q <= e^eps (1 - p) + delta. The sum of the two: (p + q)/2 <= (e^eps
    + delta)/(1 + e^eps), so each sign is wrong with probability at least (1 - delta)/(1 + e^eps), on average over B.
    Hence 20 E|A - AP|_F^2 >= km (1 - delta)/(1 + e^eps) on average, and for some B.
    """
    p, q, e, delta = sympy.symbols("p q e delta")
    first, second_line = e * (1 - q) + delta - p, e * (1 - p) + delta - q
    average = (e + delta) / (1 + e) - (p + q) / 2
    assert sympy.simplify(average - (first + second_line) / (2 * (1 + e))) == 0
    assert sympy.simplify(1 - (e + delta) / (1 + e) - (1 - delta) / (1 + e)) == 0
    bind(statement, tables())
    for k, m in ((1, 1), (1, 2), (2, 1), (2, 2)):
        point = TabledMechanism(
            k,
            m,
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
    for point in (RESPONSE, PLANE, attrs.evolve(HONEST, delta=fmpq(1))):
        assert statement.at(point) is Truth.TRUE
    assert statement.margin(PLANE).contains(fmpq(7, 4) - fmpq(1, 20)), "at worst (3 + 1/2)/2; the bound is 2/40"
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


@low_rank_lower_bounds.supports("two-moves", grade="derived", region="every pair: |x - 0| = |x|; 36 by 8 pairs exactly")
def test_a_replaced_row_is_two_moves(statement) -> None:
    rows = [(Fraction(a, 5), Fraction(b, 5)) for a, b in product(range(-5, 6, 2), repeat=2)]
    pairs = [ChangedRow(x, y) for x in rows for y in rows[::5]]
    moved = [(p, 1 - max(p.x[0] ** 2 + p.x[1] ** 2, p.y[0] ** 2 + p.y[1] ** 2)) for p in pairs]
    bind(statement, moved)
    assert all(statement.at(p) is Truth.TRUE for p, value in moved if value >= 0)
    at_the_edge = ChangedRow((1, 0), (0, 1))
    assert statement.at(at_the_edge) is Truth.TRUE
    assert moved_by_one(ChangedRow(at_the_edge.x, (0, 0))), "a move of length 1 is allowed"
    bind_hypotheses(
        statement, ChangedRow((1, 0), (-1, 0)), {"|x| <= 1 and |y| <= 1": ChangedRow((1, Fraction(1, 50)), (0, 0))}
    )
    assert statement.applies(ChangedRow((0, 0), (1, 1))) is Truth.FALSE
    assert not statement.strict
