"""Lemma 2 and Corollary 1 of `sliding-window`: the law of the printed output, and what repairs the bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, symbolic
from dpmatrix.exact import ball, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.sketch_bounds import ScaleParameters, SketchDirection
from dpmatrix.spec.sliding_window.sketch_output import ManySketches
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream, meant
from dpmatrix.spec.sliding_window.update_lemmas import StreamRun
from proofs_checks.sliding_window.one_row_outputs import (
    BLIND,
    ONE_ROW_OUTSIDE,
    by_hand,
    lemma_2_ends,
    small_outputs,
)

lemma_2 = cite("sliding-window.lemma-2@ff35a871")
corollary_1 = cite("sliding-window.corollary-1@44be5f7b")

QUARTER = Fraction(1, 4)
HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
MILLIONTH = Fraction(1, 10**6)


@lemma_2.refutes(grade="derived", region="r = 1, eta = 1/4, d = 17: every c, with probability one")
def test_some_direction_is_not_seen(statement) -> None:
    """Here m rows in d > m dimensions leave a direction u with A~u = 0, where the lower bound is positive.

    So for every c the bounds hold with probability zero at m = 16, d = 17. Exact matrices show it for one draw.
    """
    statement.refute(lambda constant: attrs.evolve(BLIND, constant=constant))
    base = fmpq_mat([[*(int(i == j) for j in range(16)), i - 7] for i in range(16)])
    unseen = fmpq_mat([[7 - i] for i in range(16)] + [[1]])
    assert (base * unseen).rank() == 0, "Phi = (I, v) and u = (-v, 1)"
    assert statement.conclusion(attrs.evolve(BLIND, dimension=1, constant=300)) is Truth.FALSE, "d = 1: (9) is rare"
    with mpmath.workdps(60):
        bind(statement, ((p, by_hand(p, *lemma_2_ends(p, 1)) - 1 + real(p.failure)) for p in small_outputs()))
    assert not statement.strict
    outside = ONE_ROW_OUTSIDE | {
        "failure > 0": attrs.evolve(BLIND, failure=0),
        "failure < 1": attrs.evolve(BLIND, failure=1),
    }
    for inside in (BLIND, attrs.evolve(BLIND, row=3)):
        bind_hypotheses(statement, inside, outside)


@corollary_1.refutes(grade="derived", region="no data, d = 1, eps = 1/(1000 c): every c")
def test_epsilon_must_be_squared(statement) -> None:
    """In the empty window S = sigma^2 chi^2_m/m, and the upper bound is (1 + eta) c r log(1/delta)/eps.

    At eps = 1/(1000 c) both are multiples of c^2: 256 r log(4/delta) 10^6 at least, against 1250 r log(1/delta) at eta
    = 1/4, so that S would have to be below 1/200 of its mean, for every c alike.
    """
    line = attrs.evolve(BLIND, dimension=1, failure=TENTH)
    statement.refute(lambda constant: attrs.evolve(line, constant=constant, epsilon=1 / (1000 * rational(constant))))
    assert statement.conclusion(attrs.evolve(line, constant=10**6)) is Truth.TRUE, "eps = 1 and a large c"

    def expected(p):
        log = -mpmath.log(real(p.delta))
        extra = real(p.constant) * p.rank * log / real(p.epsilon) ** 2
        window, e = real(p.row) ** 2, real(p.eta)
        return by_hand(p, (1 - e) * (window - extra), (1 + e) * (window + extra * real(p.epsilon))) - mpmath.mpf(9) / 10

    with mpmath.workdps(60):
        bind(statement, ((p, expected(p)) for p in small_outputs()))
    assert not statement.strict
    bind_hypotheses(statement, BLIND, ONE_ROW_OUTSIDE | {"eta < 3/8": attrs.evolve(BLIND, eta=HALF)})
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 11))) is Truth.TRUE, "4/11 < 3/8"
    assert statement.applies(attrs.evolve(BLIND, eta=Fraction(4, 10))) is Truth.FALSE


k1, k2, n1, n2, w, s2, eta = sympy.symbols("k1 k2 n1 n2 w s2 eta")
SOUND = SketchDirection(5, 4, 8, 7, 5, HALF, 3)
EVENT = {
    "(7) u'K(2)u <= |A_W u|^2 <= u'K(1)u": attrs.evolve(SOUND, window=6),
    "(8) (1 - eta) u'K^(1)u <= u'K^(2)u": attrs.evolve(SOUND, second=0, noisy_second=3),
    "(9) K~(1), K~(2) within 1 +- eta/4 of K^(1), K^(2)": attrs.evolve(SOUND, noisy_first=10),
    "eta >= 0": attrs.evolve(SOUND, eta=-1),
    "eta < 1": attrs.evolve(SOUND, eta=1),
}
SEVEN, EIGHT, NINE, *RANGE = EVENT
NEEDED = {
    10: (NINE,),
    11: (SEVEN, NINE, *RANGE),
    12: (NINE,),
    13: (EIGHT, NINE, *RANGE),
    14: (SEVEN, EIGHT, NINE, *RANGE),
}
STILL = SketchDirection(1, 1, 1, 1, 1, 0, 0)
FORMULAS = {
    10: n1 - (1 - eta / 4) * (k1 + s2),
    11: n1 - (1 - eta / 4) * (w + s2),
    12: (1 + eta / 4) * (k1 + s2) - n1,
    13: (1 + eta / 4) / (1 - eta) * (k2 + s2) - n1,
    14: (1 + eta / 4) / (1 - eta) * (w + s2) - n1,
}


def on_directions(formula: sympy.Expr):
    for a, b, c in product((3, 7), (0, 1, 2), (0, Fraction(1, 5), HALF, Fraction(3, 4))):
        p = SketchDirection(a, b, a + 2, b + 1, a - 1, c, 2 + b)
        numbers = dict(zip((k1, k2, n1, n2, w, eta, s2), (symbolic(v) for v in attrs.astuple(p)), strict=True))
        yield p, formula.subs(numbers).evalf(50)


@lemma_2.supports("equation-10", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-11", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-12", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-13", grade="derived", region="any one direction: an identity, coefficients >= 0")
@lemma_2.supports("equation-14", grade="derived", region="any one direction: an identity, coefficients >= 0")
def test_the_chain_of_lemma_2(statements) -> None:
    """X <= Y means u'Xu <= u'Yu for every unit u, and each line is a sum of hypotheses with coefficients >= 0."""
    low, high = n1 - (1 - eta / 4) * (k1 + s2), (1 + eta / 4) * (k1 + s2) - n1
    old, new, update = k1 - w, w - k2, (k2 + s2) - (1 - eta) * (k1 + s2)
    factor = (1 + eta / 4) / (1 - eta)
    certificates = {
        10: low,
        11: low + (1 - eta / 4) * old,
        12: high,
        13: high + factor * update,
        14: high + factor * update + factor * new,
    }
    for line, formula in FORMULAS.items():
        assert sympy.simplify(formula - certificates[line]) == 0
    chosen = {f"sliding-window.lemma-2/equation-{line}": formula for line, formula in FORMULAS.items()}
    for line, (name, formula) in zip(FORMULAS, chosen.items(), strict=True):
        statement = statements[name]
        bind(statement, on_directions(formula))
        assert statement.at(SOUND) is Truth.TRUE
        assert statement.at(STILL) is Truth.TRUE, "equality is attained"
        assert not statement.strict
        for inside in (SOUND, STILL):
            bind_hypotheses(statement, inside, {says: EVENT[says] for says in NEEDED[line]})
        for beyond in (
            attrs.evolve(SOUND, noisy_first=6),
            attrs.evolve(SOUND, noisy_second=9),
            attrs.evolve(SOUND, noisy_second=5),
        ):
            assert statement.applies(beyond) is Truth.FALSE
    for line in (11, 14):
        assert (
            statements[f"sliding-window.lemma-2/equation-{line}"].applies(attrs.evolve(SOUND, window=3)) is Truth.FALSE
        )


@corollary_1.supports("factor", grade="derived", region="0 < eta <= 3/8: two factors that are not negative")
def test_the_factor_of_the_corollary(statement) -> None:
    """1 + 2 eta - (1+eta/4)/(1-eta) = 2 eta (3/8 - eta)/(1-eta)."""
    gap = 1 + 2 * eta - (1 + eta / 4) / (1 - eta)
    assert sympy.simplify(gap - 2 * eta * (sympy.Rational(3, 8) - eta) / (1 - eta)) == 0
    values = [
        (ScaleParameters(1, Fraction(k, 60), 1, TENTH), gap.subs(eta, sympy.Rational(k, 60)).evalf(50))
        for k in range(1, 23)
    ]
    bind(statement, values)
    assert not statement.strict
    bind_hypotheses(
        statement,
        ScaleParameters(1, Fraction(3, 8), 1, TENTH),
        {"eta > 0": ScaleParameters(1, 0, 1, TENTH), "eta <= 3/8": ScaleParameters(1, Fraction(2, 5), 1, TENTH)},
    )
    assert statement.at(ScaleParameters(1, Fraction(1, 8), 1, TENTH)) is Truth.TRUE


SCALE = ScaleParameters(1, HALF, 1, TENTH)
SCALES = {
    "rank >= 1, an integer": attrs.evolve(SCALE, rank=0),
    "eta > 0": attrs.evolve(SCALE, eta=0),
    "eta < 1": attrs.evolve(SCALE, eta=1),
    "epsilon > 0": attrs.evolve(SCALE, epsilon=0),
    "delta > 0": attrs.evolve(SCALE, delta=0),
    "delta < 1": attrs.evolve(SCALE, delta=1),
}


def scales():
    for rank, e, epsilon, delta in product((1, 3), (Fraction(1, 10), HALF), (HALF, 2), (TENTH, Fraction(1, 100))):
        yield from (ScaleParameters(rank, e, epsilon, delta, c) for c in (1, 7))


@lemma_2.refutes("equation-9", grade="interval", region="d = 1, r = 1, eta = 1/2, 1/10")
@lemma_2.refutes("substitution", grade="derived", region="every parameter and c")
@corollary_1.refutes("one-plus-eta", grade="symbolic", region="eta = 1/100, 1/4, 3/8")
def test_three_steps_fail(statements) -> None:
    """The two requirements on c add up to sigma^2 (1 - (1+eta/4)/(1-eta)) >= 0, which is false for eta > 0."""
    gap = sympy.simplify(1 - (1 + eta / 4) / (1 - eta) + sympy.Rational(5, 4) * eta / (1 - eta))
    assert gap == 0
    sketch, one, factor = (
        statements[f"sliding-window.{name}"]
        for name in ("lemma-2/equation-9", "lemma-2/substitution", "corollary-1/one-plus-eta")
    )
    for e, most in ((HALF, 0.2), (Fraction(1, 10), 0.1)):
        point = attrs.evolve(SCALE, eta=e)
        assert sketch.at(point) is Truth.FALSE
        assert sketch.margin(point) < most - 0.9
    one.refute(lambda constant: attrs.evolve(SCALE, constant=constant))
    for e in (Fraction(1, 100), Fraction(1, 4), Fraction(3, 8)):
        assert factor.at(attrs.evolve(SCALE, eta=e)) is Truth.FALSE
    with mpmath.workdps(60):

        def probability(p: ScaleParameters):
            m = mpmath.mpf(4 * p.rank * p.eta.denominator) / p.eta.numerator
            quarter = real(p.eta) / 4
            low, high = (m * (1 + sign * quarter) / 2 for sign in (-1, 1))
            return mpmath.gammainc(m / 2, low, high, regularized=True) - mpmath.mpf(9) / 10

        bind(sketch, ((p, probability(p)) for p in scales()))
    pairs = []
    for p in scales():
        log, e = sympy.log(4 / symbolic(p.delta)), symbolic(p.eta)
        ridge = ((16 * sympy.sqrt(p.rank * log) + log) / symbolic(p.epsilon)) ** 2
        extra = p.constant * p.rank * sympy.log(symbolic(p.delta)) ** 2 / symbolic(p.epsilon) ** 2
        pairs.append((p, sympy.Min(ridge - extra, extra - (1 + e / 4) / (1 - e) * ridge).evalf(50)))
    bind(one, pairs)
    smaller = 1 + eta - (1 + eta / 4) / (1 - eta)
    bind(
        factor,
        (
            (attrs.evolve(SCALE, eta=Fraction(k, 30)), smaller.subs(eta, sympy.Rational(k, 30)).evalf(50))
            for k in range(1, 23)
        ),
    )
    bind_hypotheses(sketch, SCALE, SCALES)
    bind_hypotheses(one, SCALE, SCALES | {"constant > 0": attrs.evolve(SCALE, constant=0)})
    bind_hypotheses(
        factor, attrs.evolve(SCALE, eta=Fraction(3, 8)), {"eta > 0": SCALES["eta > 0"], "eta <= 3/8": SCALE}
    )
    for statement in statements.values():
        assert not statement.strict


LEFT = SketchedStream(fmpq_mat([[7], [0], [0]]), fmpq_mat([[1]]), fmpq_mat([[1], [1], [1]]), 1, 2)
RUN = {
    "window >= 1, an integer": attrs.evolve(LEFT, window=0),
    "Phi is m x d and every g has length m": attrs.evolve(LEFT, coins=fmpq_mat([[1]])),
    "Update-Approx spares the first and the newest, as printed": attrs.evolve(LEFT, deleted=((2, 2),)),
}


def streams():
    for total, window in product(range(1, 7), range(1, 6)):
        rows = fmpq_mat(total, 2, [fmpq((3 * i * i + 1) % 11 - 4, 2) for i in range(2 * total)])
        base, coins = fmpq_mat([[1, 2]]), fmpq_mat(total, 1, [1] * total)
        for deleted in ((), ((3, 2),), ((4, 3),), ((4, 2), (5, 4))):
            if all(t <= total and s > t - window + 1 for t, s in deleted):
                yield SketchedStream(rows, base, coins, fmpq(3, 2), window, deleted)


@lemma_2.supports("equation-6", grade="derived", region="every A: product of blocks")
@lemma_2.supports("equation-7", grade="derived", region="every stream: stamps below")
@lemma_2.refutes("equation-8", grade="symbolic", region="rows 7, 0, 0, W = 2, sigma = 1")
def test_equations_6_to_8(statements) -> None:
    """(7): one stamp is born at a time, and the printed expiry makes t_2 the first as soon as it is before t - W + 1.

    So t_1 <= max(1, t - W + 1) <= t_2, with equality allowed, and sums over nested stretches of rows are ordered.
    """
    ridge, order, near = (statements[f"sliding-window.lemma-2/equation-{line}"] for line in (6, 7, 8))
    for run in streams():
        assert ridge.at(run) is Truth.TRUE
        assert ridge.margin(run) == 0
        if run.window > 1:
            assert order.at(run) is Truth.TRUE
    assert near.at(LEFT) is Truth.FALSE
    assert near.margin(LEFT) == -48, "1 - (49 + 1)/2, doubled"
    assert near.at(attrs.evolve(LEFT, rows=fmpq_mat([[1], [0], [0]]))) is Truth.TRUE, "1 = (1 + 1)/2"
    bind_hypotheses(ridge, LEFT, {})
    for statement in statements.values():
        assert not statement.strict
    for statement in (order, near):
        bind_hypotheses(statement, LEFT, RUN)


def suffix(rows, stamp: int, time: int, floor) -> fmpq_mat:
    """Sum of a'a over the rows from the stamp to the time, plus the floor."""
    width = len(rows[0])
    return fmpq_mat(
        [
            [
                rational(floor) * int(i == j)
                + sum((rational(row[i]) * rational(row[j]) for row in rows[stamp - 1 : time]), fmpq(0))
                for j in range(width)
            ]
            for i in range(width)
        ]
    )


def run(rows, window, eta, errors, floor=1) -> StreamRun:
    """Build a run whose sketches are off by the given factors, repeated as often as needed."""
    places = [(time, stamp) for time in range(1, len(rows) + 1) for stamp in range(1, time + 1)]
    sketches = tuple(
        rational(errors[k % len(errors)]) * suffix(rows, stamp, time, floor) for k, (time, stamp) in enumerate(places)
    )
    return StreamRun(fmpq_mat([[rational(entry) for entry in row] for row in rows]), window, eta, floor, sketches)


def output_by_hand(p: StreamRun) -> Fraction:
    """Run Algorithms 1 to 3 as repaired in one dimension, and return the first sketch after the last row."""
    sketch = {}
    for k, (time, stamp) in enumerate((t, s) for t in range(1, p.rows.nrows() + 1) for s in range(1, t + 1)):
        sketch[time, stamp] = p.approximations[k][0, 0]
    stamps: list[int] = []
    for time in range(1, p.rows.nrows() + 1):
        stamps = [*stamps, time]
        if len(stamps) >= 2 and stamps[1] <= time - p.window + 1:
            stamps = stamps[1:]
        place = 0
        while place <= len(stamps) - 3:
            near = [
                other
                for other in range(place + 1, len(stamps) - 1)
                if (1 - rational(p.eta) / 2) * sketch[time, stamps[place]] <= sketch[time, stamps[other]]
            ]
            if near:
                stamps = [*stamps[: place + 1], *stamps[near[-1] :]]
            place += 1
    return sketch[p.rows.nrows(), stamps[0]]


def expected(p: StreamRun, high, low):
    """Compute the slacks of low X <= output <= high X in dimension one, where 1 is the largest margin."""
    total, eta = p.rows.nrows(), rational(p.eta)
    rows = [[entry] for entry in p.rows.entries()]
    inside = suffix(rows, max(1, total - p.window + 1), total, p.floor)[0, 0]
    output = output_by_hand(p)
    return min(fmpq(1), output - low(eta) * inside, high(eta) * inside - output)


def narrow_runs():
    """Give runs in one dimension, some with a sketch beyond eta/4."""
    streams = ([[1]], [[0], [QUARTER]], [[1], [0], [0]], [[0], [2], [0], [0]], [[HALF], [0], [QUARTER], [0], [0]])
    patterns = ((Fraction(15, 16), Fraction(17, 16)), (Fraction(17, 16), 1, Fraction(15, 16)), (Fraction(9, 8),))
    for rows, errors, eta in product(streams, patterns, (QUARTER, HALF)):
        yield run(rows, 2 + len(rows) % 2, eta, errors, floor=Fraction(1, 10))


KEPT = run([[3], [1]], 2, QUARTER, (Fraction(15, 16), Fraction(17, 16)))
FOUR = "(4) at every time, for every stamp"
OUTSIDE = {
    "window >= 1, an integer": attrs.evolve(KEPT, window=0),
    "eta > 0": attrs.evolve(KEPT, eta=0),
    "eta < 1": attrs.evolve(KEPT, eta=1),
    "floor >= 0": attrs.evolve(KEPT, floor=-1),
    "no S~, or a symmetric one for every time and stamp": attrs.evolve(KEPT, approximations=KEPT.approximations[1:]),
    FOUR: run([[3], [1]], 2, QUARTER, (Fraction(15, 16), Fraction(9, 8))),
}


@lemma_2.supports("on-the-event", grade="derived", region="every d, T, W, eta, stream: the docstring; 80 short streams")
@corollary_1.supports_repair(
    grade="derived", region="every d, T, W, eta <= 3/8, stream: the docstring; 80 short streams decided exactly"
)
def test_accurate_sketches_give_an_accurate_output(statements) -> None:
    """Lemma 1 as repaired gives the approximate property after every row, with floor sigma^2.

    Definition 3 as repaired then gives both bounds of Lemma 2. Corollary 1 follows by 1 - eta/4 >= 1 - eta and
    (1+eta/4)/(1-eta) <= 1 + 2 eta for eta <= 3/8, its own step. The output is the first sketch of this structure.
    """
    lemma, corollary = (statements[f"sliding-window.{name}"] for name in ("lemma-2/on-the-event", "corollary-1+repair"))
    count = 0
    for total in (1, 2, 3):
        entries = ((0,), (1,), (300,)) if total > 1 else ((0,), (5,))
        for k, (rows, window) in enumerate(product(product(entries, repeat=total), (2, 3))):
            errors = [Fraction(31, 32) if (k * 2654435761 >> bit) & 1 else Fraction(33, 32) for bit in range(5, 11)]
            p = run([list(row) for row in rows], window, Fraction(1, 8), errors, floor=2)
            assert lemma.at(p) is Truth.TRUE
            assert corollary.at(p) is Truth.TRUE
            count += 1
    for rows in ([[1, 0], [0, 500]], [[700, 1], [1, 1], [2, -1]], [[900, 0], [0, 0], [0, 0], [0, 0]]):
        p = run(rows, 2, QUARTER, (Fraction(17, 16), Fraction(15, 16), 1))
        assert lemma.at(p) is Truth.TRUE
        assert corollary.at(p) is Truth.TRUE
    assert count > 70
    bind_formula(lemma, narrow_runs(), lambda p: expected(p, lambda e: (1 + e / 4) / (1 - e), lambda e: 1 - e / 4))
    bind_formula(corollary, narrow_runs(), lambda p: expected(p, lambda e: 1 + 2 * e, lambda e: 1 - e))
    for inside in (KEPT, attrs.evolve(KEPT, window=1)):
        bind_hypotheses(lemma, inside, OUTSIDE)
        bind_hypotheses(corollary, inside, OUTSIDE | {"eta <= 3/8": attrs.evolve(KEPT, eta=HALF)})
    assert corollary.at(run([[3], [1]], 2, Fraction(3, 8), (1,))) is Truth.TRUE
    skew = run([[1, 0]], 2, QUARTER, (1,))
    bent = fmpq_mat([[2, 1], [-1, 1]])
    assert lemma.applies(skew) is Truth.TRUE
    assert lemma.applies(attrs.evolve(skew, approximations=(bent,))) is Truth.FALSE
    assert not lemma.strict
    assert not corollary.strict


@corollary_1.controls("+repair", grade="symbolic", region="1 + eta for 1 + 2 eta; a sketch beyond eta/4")
def test_the_printed_factor_is_not_reached(statement) -> None:
    """With rows 1, 0, 0, W = 2 the row that left the window stays in a checkpoint that is close to the window's."""
    old = run([[HALF], [0], [1], [1]], 2, Fraction(3, 8), (Fraction(35, 32),))
    assert statement.at(old) is Truth.TRUE

    def printed(p):
        return expected(p, lambda e: 1 + e / 8, lambda e: 1 - e)

    assert statement.nudged(margin=lambda p: ball(printed(p))).at(old) is Truth.FALSE
    beyond = run([[1]], 1, QUARTER, (HALF,))
    assert statement.applies(beyond) is Truth.FALSE
    assert statement.without(FOUR).at(beyond) is Truth.FALSE


def least_size(p: ManySketches) -> int:
    with mpmath.workdps(30):
        odds = mpmath.log(p.total * (p.total + 1) / real(p.beta))
        return int(mpmath.ceil(384 * (p.dimension * mpmath.log(9) + odds) / real(p.eta) ** 2))


def drawn(dimension: int, total: int, eta, beta) -> ManySketches:
    """Give the sketches the rows that the union asks for, rounded up."""
    point = ManySketches(dimension, total, 1, eta, beta)
    return attrs.evolve(point, size=least_size(point))


WELL = drawn(1, 1, QUARTER, TENTH)
ROWS = "m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2"
DRAWN_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(WELL, dimension=0),
    "total >= 1, an integer": attrs.evolve(WELL, total=0),
    "size >= 1, an integer": attrs.evolve(WELL, size=0),
    "eta > 0": attrs.evolve(WELL, eta=0),
    "eta < 1": attrs.evolve(WELL, eta=1),
    "beta > 0": attrs.evolve(WELL, beta=0),
    "beta < 1": attrs.evolve(WELL, beta=1),
    ROWS: attrs.evolve(WELL, size=WELL.size - 1),
}


def outside(size: int, distortion) -> mpmath.mpf:
    """Pr(|chi^2_m/m - 1| > a) by the incomplete gamma function of another library."""
    half = mpmath.mpf(size) / 2
    inside = mpmath.gammainc(half, half * (1 - distortion), half * (1 + distortion), regularized=True)
    return 1 - inside


def check_union() -> None:
    """M as in the hypothesis makes T(T+1)/2 times 2 9^d exp(-m (eta/4)^2/24) equal to beta."""
    d, total, beta, eta = sympy.symbols("d T beta eta", positive=True)
    rows = 384 * (d * sympy.log(9) + sympy.log(total * (total + 1) / beta)) / eta**2
    bound = sympy.log(total * (total + 1) / 2) + sympy.log(2) + d * sympy.log(9) - rows * (eta / 4) ** 2 / 24
    assert sympy.simplify(sympy.expand_log(bound - sympy.log(beta), force=True)) == 0


def check_sketch_identity() -> None:
    """Check that sigma Phi + sum of g_u'a_u is (Phi g_s' ... g_t')(sigma I; A): what is stored is a Gaussian sketch."""
    rows = fmpq_mat([[1, 2], [-3, 5], [4, fmpq(1, 2)]])
    base, coins = fmpq_mat([[2, 7], [1, -1], [0, 3]]), fmpq_mat([[1, 4, 2], [8, 5, -7], [3, 3, 1]])
    stream = SketchedStream(rows, base, coins, fmpq(7, 3), 2)
    for stamp, time in ((1, 1), (1, 3), (2, 3)):
        chosen = range(stamp - 1, time)
        wide = fmpq_mat([[*base.tolist()[k], *(coins[u, k] for u in chosen)] for k in range(3)])
        tall = fmpq_mat([[fmpq(7, 3), 0], [0, fmpq(7, 3)], *(rows.tolist()[u] for u in chosen)])
        assert wide * tall == meant(stream, stamp, time)
        assert tall.rank() == 2, "d, whatever the rank of the rows"


def check_entries() -> None:
    """Check that an entry off the diagonal of G'G is half a difference of |Gu|^2 for unit vectors u."""
    a, b = sympy.symbols("a0:3"), sympy.symbols("b0:3")
    plus = sum((x + y) ** 2 / 2 for x, y in zip(a, b, strict=True))
    minus = sum((x - y) ** 2 / 2 for x, y in zip(a, b, strict=True))
    assert sympy.expand((plus - minus) / 2 - sum(x * y for x, y in zip(a, b, strict=True))) == 0


@lemma_2.supports_repair(
    grade="derived",
    region="every d, T, eta, beta by the docstring; d = 1, 2, 3, T <= 3 by chi-square laws alone",
)
@lemma_2.supports("union", grade="derived", region="every d, T, eta, beta: symbolically equal to beta at the least m")
def test_enough_rows_keep_every_sketch(statements) -> None:
    """Fix a time t and a stamp s. What is stored for them is (Phi g_s' ... g_t') times (sigma I; A_[s,t]).

    The left factor has m rows of independent N(0, 1/m), the right one rank d and Gram matrix K + sigma^2 I. So by
    Theorem 9 as repaired the sketch is within 1 +- eta/4 of it but for probability 2 9^d exp(-m eta^2/384), and all
    T(T+1)/2 of them are but for beta: the variates of one pair have this law whether or not the algorithm keeps it.
    Machine alone: the enclosure of the probability is above 1 - beta at the points below. It is exact for d = T = 1;
    else, by `check_entries` and |M| <= d max |M_ij|, a union over T(T+1)/2 d^2 chi-square laws.
    """
    check_union()
    check_sketch_identity()
    check_entries()
    law, union = (statements[f"sliding-window.lemma-2{part}"] for part in ("+repair", "/union"))
    for dimension, total, eta, beta in product((1, 2, 3), (1, 2, 3), (HALF, Fraction(9, 10)), (HALF, TENTH)):
        p = drawn(dimension, total, eta, beta)
        assert law.at(p) is Truth.TRUE
        assert union.at(p) is Truth.TRUE
    values, bounds = [], []
    with mpmath.workdps(60):
        for size, eta, beta in product((16, 40, 400, 5000), (QUARTER, HALF, Fraction(9, 10)), (HALF, TENTH)):
            values.append((ManySketches(1, 1, size, eta, beta), real(beta) - outside(size, real(eta) / 4)))
            for dimension, total in ((1, 1), (2, 3)):
                count = total * (total + 1) * mpmath.mpf(9) ** dimension
                bound = count * mpmath.exp(-size * real(eta) ** 2 / 384)
                bounds.append((ManySketches(dimension, total, size, eta, beta), real(beta) - bound))
        bind(law, values)
        bind(union, bounds)
    few = attrs.evolve(WELL, dimension=4, total=3, size=20)
    quantity = law.law.quantity(few)
    assert quantity.contains(0), "nothing is known from below"
    assert quantity.upper() < 1
    for statement in (law, union):
        assert not statement.strict
        for inside in (WELL, drawn(2, 2, HALF, HALF)):
            bind_hypotheses(statement, inside, DRAWN_OUTSIDE)


@lemma_2.controls("+repair", grade="interval", region="d = T = 1: 4r/eta rows; a thirtieth of the rows")
def test_fewer_rows_are_noticed(statement) -> None:
    assert statement.at(WELL) is Truth.TRUE
    for size in (16, WELL.size // 30):
        few = attrs.evolve(WELL, size=size)
        assert statement.applies(few) is Truth.FALSE
        assert statement.without(ROWS).at(few) is Truth.FALSE, "4r/eta = 16; a constant of 13 for 384"
