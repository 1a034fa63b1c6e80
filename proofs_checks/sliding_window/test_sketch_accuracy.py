"""Lemma 2, Corollary 1 and Theorem 4 of `sliding-window`: the printed bounds at exact runs, and what repairs them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, symbolic
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.private_window import NeighbouringWindows, PrivateMoment
from dpmatrix.spec.sliding_window.sketch_bounds import FourthStep, OneRowSketch, ScaleParameters, SketchDirection
from dpmatrix.spec.sliding_window.sketch_output import SketchedRun
from dpmatrix.spec.sliding_window.sketch_privacy import SketchParameters
from dpmatrix.spec.sliding_window.sketched_stream import SketchedStream, meant
from proofs_checks.sliding_window.dyadic_noise import WINDOW_OUTSIDE, ZETA, check_release, least_bound, released

lemma_2 = cite("sliding-window.lemma-2@974e99a5")
theorem_4 = cite("sliding-window.theorem-4@d99d4183")
corollary_1 = cite("sliding-window.corollary-1@67b806c8")

QUARTER = Fraction(1, 4)
HALF = Fraction(1, 2)
TENTH = Fraction(1, 10)
MILLIONTH = Fraction(1, 10**6)


def kernel_run(constant: int = 1, coin_shift: int = 0, **changes) -> OneRowSketch:
    """16 rows in 17 dimensions: Phi = (I, v), and a direction that Phi and the row do not see."""
    base = fmpq_mat([[*(int(i == j) for j in range(16)), i - 7] for i in range(16)])
    direction = fmpq_mat([[7 - i] for i in range(16)] + [[1]])
    row = fmpq_mat([[1, *([0] * 15), -7]])
    coin = fmpq_mat([[k * k % 5 + coin_shift for k in range(16)]])
    point = OneRowSketch(base, coin, row, direction, 1, QUARTER, 1, MILLIONTH, constant)
    return attrs.evolve(point, **changes)


def line_run(epsilon=1, constant=1, scale: fmpq | int = 1, eta=QUARTER) -> OneRowSketch:
    """One dimension, no data, and a sketch whose squared norm is `scale` squared."""
    rows = int(4 / eta)
    base = fmpq_mat(rows, 1, [scale if k == 0 else 0 for k in range(rows)])
    zero = fmpq_mat([[0]])
    return OneRowSketch(
        base, fmpq_mat(1, rows, [0] * rows), zero, fmpq_mat([[1]]), 1, eta, epsilon, MILLIONTH, constant
    )


DRAWN = {
    "rank >= 1, an integer": kernel_run(rank=0),
    "eta > 0": kernel_run(eta=0),
    "epsilon > 0": kernel_run(epsilon=0),
    "delta > 0": kernel_run(delta=0),
    "delta < 1": kernel_run(delta=1),
    "constant > 0": kernel_run(constant=0),
    "Phi has 4r/eta rows, and the shapes fit": kernel_run(eta=HALF),
}


def small_runs():
    for k, eta, epsilon, constant in product(range(1, 4), (1, HALF), (HALF, 3), (1, 5)):
        rows = int(4 / eta)
        base = fmpq_mat(rows, 2, [fmpq((i * k) % 7 - 3, 2) for i in range(2 * rows)])
        coin = fmpq_mat(1, rows, [fmpq(i - k, 3) for i in range(rows)])
        yield OneRowSketch(
            base, coin, fmpq_mat([[k, -1]]), fmpq_mat([[1], [fmpq(k, 2)]]), 1, eta, epsilon, Fraction(1, 50), constant
        )


def parts(p: OneRowSketch):
    """Compute |A u|^2, |A~ u|^2, |u|^2, eta, log(1/delta), epsilon, c and sigma^2 by sympy."""
    log = sympy.log(4 / symbolic(p.delta))
    sigma = (16 * sympy.sqrt(p.rank * log) + log) / symbolic(p.epsilon)
    u = [symbolic(p.direction[j, 0]) for j in range(p.direction.nrows())]
    dot = sum(symbolic(p.row[0, j]) * u[j] for j in range(len(u)))
    sketched = sum(
        (sigma * sum(symbolic(p.base[k, j]) * u[j] for j in range(len(u))) + symbolic(p.coin[0, k]) * dot) ** 2
        for k in range(p.base.nrows())
    )
    size = sum(entry**2 for entry in u)
    return (
        dot**2,
        sketched,
        size,
        symbolic(p.eta),
        sympy.log(1 / symbolic(p.delta)),
        symbolic(p.epsilon),
        symbolic(p.constant),
        sigma**2,
    )


@lemma_2.refutes(grade="derived", region="r = 1, eta = 1/4, d = 17: every variate and c")
@theorem_4.refutes("algorithm-2", grade="derived", region="r = 1, eta = 1/4, d = 17: every variate, eta c < 1024")
@theorem_4.refutes(
    "semidefinite", grade="derived", region="d > 4r/eta: every variate; d = 1 with a sketch of 1 - eta/4"
)
def test_some_direction_is_not_seen(statements) -> None:
    """Here m rows in d > m dimensions leave a direction u with A~u = 0: both lower bounds are negative there."""
    lemma, theorem, definite = (
        statements[f"sliding-window.{name}"] for name in ("lemma-2", "theorem-4/algorithm-2", "theorem-4/semidefinite")
    )
    for constant, shift in product((Fraction(1, 1000), 1, 900), (0, 3)):
        run = kernel_run(constant, shift)
        assert lemma.at(run) is Truth.FALSE
        assert theorem.at(run) is Truth.FALSE
        assert definite.at(run) is Truth.FALSE
    assert theorem.at(kernel_run(4 * 1024 * 10)) is Truth.TRUE, "an absurd constant"
    short = line_run(scale=fmpq(9, 10))
    assert definite.at(short) is Truth.FALSE, "0.81 where 1 - eta/4 = 0.94 is allowed"
    assert definite.at(line_run(scale=fmpq(31, 32))) is Truth.FALSE, "(31/32)^2 = 0.9385 is within 1 - eta/4 = 0.9375"
    values = {"lemma-2": [], "theorem-4/algorithm-2": [], "theorem-4/semidefinite": []}
    for p in small_runs():
        window, sketched, size, eta, log, eps, c, ridge = parts(p)
        if eta != 1:
            extra = c * log**2 / eps**2 * size
            lower = sketched - (1 - eta / 4) * (window + extra)
            values["lemma-2"].append(
                (p, sympy.Min(lower, (1 + eta / 4) / (1 - eta) * window + extra - sketched).evalf(50))
            )
        change = sketched - ridge * size
        extra = c * eta * log / eps**2 * size
        both = sympy.Min(change - (1 - eta) * window + extra / 4, (1 + eta) * window + extra - change)
        values["theorem-4/algorithm-2"].append((p, both.evalf(50)))
        values["theorem-4/semidefinite"].append((p, change.evalf(50)))
    for name, pairs in values.items():
        statement = statements[f"sliding-window.{name}"]
        bind(statement, pairs, least=12)
        assert not statement.strict
        bind_hypotheses(statement, kernel_run(), DRAWN)
        for wrong in ({"coin": fmpq_mat(1, 3, [1, 2, 3])}, {"row": fmpq_mat([[1]])}, {"direction": fmpq_mat([[1]])}):
            assert statement.applies(kernel_run(**wrong)) is Truth.FALSE


@corollary_1.refutes(
    grade="derived",
    region="no data, a sketch without error, eps = 1/(1000 c): c = 1, 100, 10^6, every c by the docstring",
)
def test_epsilon_must_be_squared(statement) -> None:
    """K~ = sigma^2 exceeds (1 + eta) c log(1/delta)/eps as soon as eps c < 256/(1 + eta) log(4/delta)/log(1/delta)."""
    for constant in (1, 100, 10**6):
        assert statement.at(line_run(Fraction(1, 1000 * constant), constant)) is Truth.FALSE
    assert statement.at(line_run(1, 10**6)) is Truth.TRUE
    pairs = []
    for p in small_runs():
        window, sketched, size, eta, log, eps, c, _ = parts(p)
        lower = sketched - (1 - eta) * (window - c * log / eps**2 * size)
        pairs.append((p, sympy.Min(lower, (1 + eta) * (window + c * log / eps * size) - sketched).evalf(50)))
    bind(statement, pairs)
    assert not statement.strict
    bind_hypotheses(statement, kernel_run(), DRAWN | {"eta < 3/8": line_run(eta=HALF)})
    assert statement.applies(line_run(eta=Fraction(4, 11))) is Truth.TRUE, "4/11 < 3/8"
    assert statement.applies(line_run(eta=Fraction(4, 10))) is Truth.FALSE


k1, k2, n1, n2, w, s2, eta = sympy.symbols("k1 k2 n1 n2 w s2 eta")
SOUND = SketchDirection(5, 4, 8, 7, 5, HALF, 3)
EVENT = {
    "(7) u'K(2)u <= |A_W u|^2 <= u'K(1)u": attrs.evolve(SOUND, window=6),
    "(8) (1 - eta) u'K^(1)u <= u'K^(2)u": attrs.evolve(SOUND, second=0, noisy_second=3),
    "(9) K~(1), K~(2) within 1 +- eta/4 of K^(1), K^(2)": attrs.evolve(SOUND, noisy_first=10),
    "eta >= 0": attrs.evolve(SOUND, eta=-1),
    "eta < 1": attrs.evolve(SOUND, eta=1),
    "ridge >= 0": attrs.evolve(SOUND, ridge=-1),
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


@lemma_2.supports("equation-10", grade="symbolic", region="any one direction: an identity in its seven numbers")
@lemma_2.supports("equation-11", grade="symbolic", region="any one direction: an identity in its seven numbers")
@lemma_2.supports("equation-12", grade="symbolic", region="any one direction: an identity in its seven numbers")
@lemma_2.supports("equation-13", grade="symbolic", region="any one direction: an identity in its seven numbers")
@lemma_2.supports("equation-14", grade="symbolic", region="any one direction: an identity in its seven numbers")
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
    for name, formula in chosen.items():
        statement = statements[name]
        bind(statement, on_directions(formula))
        assert statement.at(SOUND) is Truth.TRUE
        assert statement.at(STILL) is Truth.TRUE, "equality is attained"
        assert not statement.strict
        for inside in (SOUND, STILL):
            bind_hypotheses(statement, inside, EVENT)
        for outside in (
            attrs.evolve(SOUND, window=3),
            attrs.evolve(SOUND, noisy_first=6),
            attrs.evolve(SOUND, noisy_second=9),
            attrs.evolve(SOUND, noisy_second=5),
        ):
            assert statement.applies(outside) is Truth.FALSE


@corollary_1.supports("factor", grade="symbolic", region="0 < eta <= 3/8")
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
    for constant in (Fraction(1, 100), 1, 256, 400, 10**6):
        assert one.at(attrs.evolve(SCALE, constant=constant)) is Truth.FALSE
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


@theorem_4.refutes("last-display", grade="symbolic", region="X > 0, eta < 1: 2X(1 - eta)")
def test_the_last_display_of_theorem_4(statement) -> None:
    """(1-eta)(w-x) - x - (1-eta)w + eta x = -2x(1-eta)."""
    x = sympy.symbols("x")
    difference = sympy.expand((1 - eta) * (w - x) - x - ((1 - eta) * w - eta * x))
    assert sympy.expand(difference + 2 * x * (1 - eta)) == 0
    assert statement.at(FourthStep(5, 1, HALF)) is Truth.FALSE
    assert statement.at(FourthStep(5, 0, HALF)) is Truth.TRUE
    points = [FourthStep(i, j, Fraction(k, 7)) for i, j, k in product((0, 3), (1, 2, 5), (0, 2, 5, 6))]
    bind(statement, ((p, -2 * symbolic(p.extra) * (1 - symbolic(p.eta))) for p in points))
    assert not statement.strict
    bind_hypotheses(statement, FourthStep(5, 0, HALF), {"extra >= 0": FourthStep(5, -1, HALF)})


LEFT = SketchedStream(fmpq_mat([[7], [0], [0]]), fmpq_mat([[1]]), fmpq_mat([[1], [1], [1]]), 1, 2)
RUN = {
    "window >= 1, an integer": attrs.evolve(LEFT, window=0),
    "Phi is m x d and every g has length m": attrs.evolve(LEFT, coins=fmpq_mat([[1]])),
    "Update-Approx spares the first and the newest checkpoint": attrs.evolve(LEFT, deleted=((2, 2),)),
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
    assert ridge.nudged(lambda margin: margin - 1).at(LEFT) is Truth.FALSE
    assert order.nudged(lambda margin: margin - 1).at(LEFT) is Truth.FALSE
    assert near.at(LEFT) is Truth.FALSE
    assert near.margin(LEFT) == -48, "1 - (49 + 1)/2, doubled"
    assert near.at(attrs.evolve(LEFT, rows=fmpq_mat([[1], [0], [0]]))) is Truth.TRUE, "1 = (1 + 1)/2"
    for statement in statements.values():
        assert not statement.strict
        bind_hypotheses(statement, LEFT, RUN)


TOLD = NeighbouringWindows(1, Fraction(1, 20), 1, MILLIONTH, 1)
TOLD_OUTSIDE = {
    "rank >= 1, an integer": attrs.evolve(TOLD, rank=0),
    "eta > 0": attrs.evolve(TOLD, eta=0),
    "eta < 1": attrs.evolve(TOLD, eta=1),
    "epsilon > 0": attrs.evolve(TOLD, epsilon=0),
    "delta > 0": attrs.evolve(TOLD, delta=0),
    "delta < 1": attrs.evolve(TOLD, delta=1),
    "constant > 0": attrs.evolve(TOLD, constant=0),
    "failure >= 0": attrs.evolve(TOLD, failure=-1),
}


@theorem_4.refutes(
    grade="derived",
    region="eps = 1, delta = 10^-6: c = 1, 100, 10^6, every c by eta below 1/(1 + 17.3 c); beta up to 1/4; "
    "every algorithm",
)
def test_no_private_algorithm_meets_theorem_4(statement) -> None:
    """Where no C is right for both rows, "C is right for 0" has probability >= 1 - beta for 0 and <= beta for 1."""
    for constant in (1, 100, 10**6):
        for failure in (0, Fraction(1, 4)):
            point = attrs.evolve(TOLD, constant=constant, eta=Fraction(1, 20 * constant), failure=failure)
            assert statement.at(point) is Truth.FALSE
    assert statement.at(attrs.evolve(TOLD, eta=Fraction(1, 18))) is Truth.TRUE, "4.8 % against 5.47 %"
    assert statement.at(attrs.evolve(TOLD, eta=Fraction(1, 19))) is Truth.FALSE
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(27, 100))) is Truth.TRUE, "1/(1 + e) = 0.2689"
    assert statement.at(attrs.evolve(TOLD, failure=Fraction(26, 100))) is Truth.FALSE
    values = []
    with mpmath.workdps(60):
        for rank, eta, epsilon, failure in product((1, 3), (Fraction(1, 9), HALF), (HALF, 9), (0, Fraction(2, 5))):
            for constant in (Fraction(1, 50), 2):
                p = NeighbouringWindows(rank, eta, epsilon, Fraction(1, 7), constant, failure)
                e, c, beta = real(eta), real(constant), real(failure)
                extra = c * e * rank * mpmath.log(7) / real(epsilon) ** 2
                same = mpmath.exp(real(epsilon)) * beta + mpmath.mpf(1) / 7 - 1 + beta
                values.append((p, max(extra - (1 - e) + extra / 4, same)))
        bind(statement, values)
    assert not statement.strict
    bind_hypotheses(statement, TOLD, TOLD_OUTSIDE)
    assert TOLD.failure == 0, "the theorem's bounds always hold"


@theorem_4.refutes("private", grade="interval", region="r = 1, eta = 1/1000, eps = 1, delta = 10^-6, M = 77")
def test_c_is_no_more_private_than_the_sketch(statement) -> None:
    """At d = 1 the sketch is sqrt(s) times m standard normal variates: |A~|^2 has the likelihood ratio of A~ itself.

    log p_s(x) - log p_s'(x) = (m/2) log(s'/s) + (1/s' - 1/s) |x|^2/2 depends on x through |x|^2 = C + sigma^2 alone.
    """
    s, t, m, x = sympy.symbols("s t m x", positive=True)
    normal = [-m / 2 * sympy.log(2 * sympy.pi * v) - x / (2 * v) for v in (s, t)]
    ratio = sympy.expand_log(normal[0] - normal[1], force=True)
    assert sympy.simplify(ratio - (m / 2 * (sympy.log(t) - sympy.log(s)) + (1 / t - 1 / s) * x / 2)) == 0
    broken = SketchParameters(1, Fraction(1, 1000), 1, MILLIONTH, 77)
    assert statement.at(broken) is Truth.FALSE
    assert 0.016 < float(-statement.margin(broken)) < 0.018
    assert statement.at(attrs.evolve(broken, eta=HALF)) is Truth.TRUE
    assert not statement.strict


SPINS = (fmpq_mat([[1, 0], [0, 1]]), fmpq_mat([[fmpq(3, 5), fmpq(4, 5)], [fmpq(-4, 5), fmpq(3, 5)]]))


def moment(values, spectrum, frame=SPINS[1], **changes) -> PrivateMoment:
    """Window Q diag(values) Q' and noisy moment Q diag(spectrum) Q'."""
    order = len(values)
    frame = frame if order == 2 else fmpq_mat([[1]])
    middle = fmpq_mat(order, order, [rational(values[i]) if i == j else 0 for i in range(order) for j in range(order)])
    fields = {"leaf": 5, "height": 2, "epsilon": 10**4, "delta": HALF, "begin": 5, "end": 9, "beta": HALF, "bound": 1}
    fields |= changes
    return PrivateMoment(
        **fields, dimension=order, window=frame * middle * frame.transpose(), frame=frame, spectrum=tuple(spectrum)
    )


GOOD = moment((2, 0), (Fraction(19, 10), Fraction(-1, 10)))
GOOD = attrs.evolve(GOOD, bound=least_bound(GOOD))
SHAPES = "Q is orthogonal and A_W'A_W positive semidefinite, d x d"


def least_symmetric(gaps):
    """Least elementary symmetric polynomial of the eigenvalues of a difference, 1 among them."""
    return min(1, sum(gaps), mpmath.fprod(gaps))


def moment_by_hand(values, spectrum, p: PrivateMoment):
    """Compute the margin where window and noisy moment have the same eigenvectors."""
    parts = list(released(p))
    bound = real(p.bound)
    pairs = [(real(value), real(noisy)) for value, noisy in zip(values, spectrum, strict=True)]
    if all(abs(noisy - value) <= bound for value, noisy in pairs):
        kept = [max(noisy, mpmath.mpf(0)) for _, noisy in pairs]
        parts.append(least_symmetric([left - (value - bound) for left, (value, _) in zip(kept, pairs, strict=True)]))
        parts.append(least_symmetric([value + 2 * bound - left for left, (value, _) in zip(kept, pairs, strict=True)]))
        parts.append(least_symmetric(kept))
    return min(parts)


@theorem_4.supports_repair(
    grade="derived",
    region="every d, W, T, eps, delta, beta: derivation, each line checked; windows exactly up to 16 rows",
)
def test_the_noisy_moment_is_private_and_accurate(statement) -> None:
    """The release is as in `check_release`. Let C = A_W'A_W + N be the signed sum, and |N| <= zeta.

    C >= A_W'A_W - zeta >= -zeta, so every eigenvalue v of C has v >= -zeta and 0 <= max(v, 0) - v <= zeta: hence
    C <= C_+ <= C + zeta, that is A_W'A_W - zeta <= C_+ <= A_W'A_W + 2 zeta. C_+ is computed from released sums.
    """
    check_release()
    for v, zeta in product((Fraction(k, 4) for k in range(-8, 9)), (HALF, 1, 2)):
        if v >= -zeta:
            assert 0 <= max(v, 0) - v <= zeta
    values = []
    with mpmath.workdps(60):
        spectra = (
            ((2, 0), (Fraction(19, 10), Fraction(1, 10))),
            ((3,), (Fraction(16, 5),)),
            ((0,), (Fraction(-1, 9),)),
        )
        for (exact_values, noisy), epsilon, bound in product(spectra, (1, 10**4), (HALF, Fraction(1, 5), 60)):
            for begin, end, height, delta in ((5, 9, 2, Fraction(9, 10)), (1, 7, 3, HALF), (4, 5, 0, MILLIONTH)):
                p = moment(
                    exact_values,
                    noisy,
                    epsilon=epsilon,
                    bound=bound,
                    begin=begin,
                    end=end,
                    height=height,
                    delta=delta,
                    beta=Fraction(9, 10),
                )
                values.append((p, moment_by_hand(exact_values, noisy, p)))
        edge = (2 - GOOD.bound, 0)
        largest = attrs.evolve(moment((2, 0), edge), bound=GOOD.bound)
        assert moment_by_hand((2, 0), edge, largest) == 0 < min(released(largest))
        bind(statement, [*values, (largest, 0)])
    tilted = fmpq_mat([[2, 1], [1, 1]])
    for frame, spectrum in product(SPINS, ((2, 1), (3, Fraction(1, 3)), (3, Fraction(-1, 10)))):
        p = attrs.evolve(GOOD, window=tilted, frame=frame, spectrum=spectrum, bound=3)
        assert statement.at(p) is Truth.TRUE, "window and noise do not commute"
    assert statement.at(GOOD) is Truth.TRUE
    assert not statement.strict
    outside = {says: attrs.evolve(GOOD, **change) for says, change in WINDOW_OUTSIDE.items()}
    outside |= {
        ZETA: attrs.evolve(GOOD, bound=GOOD.bound - Fraction(1, 10**5)),
        SHAPES: attrs.evolve(GOOD, frame=fmpq_mat([[1, 1], [0, 1]])),
    }
    nine_rows = {"the window has at most 2^h rows": attrs.evolve(GOOD, height=3, end=14)}
    for inside in (GOOD, attrs.evolve(GOOD, leaf=0, begin=0, end=4), attrs.evolve(GOOD, height=0, end=6)):
        bind_hypotheses(statement, inside, outside)
        bind_hypotheses(statement, inside, outside | nine_rows)
    for wrong in (
        {"window": fmpq_mat([[1, 0], [0, -1]])},
        {"window": fmpq_mat([[1]])},
        {"spectrum": (1,)},
        {"frame": fmpq_mat([[1]])},
    ):
        assert statement.applies(attrs.evolve(GOOD, **wrong)) is Truth.FALSE


@theorem_4.controls("+repair", grade="interval", region="zeta a quarter smaller")
def test_a_smaller_bound_on_the_noise_is_noticed(statement) -> None:
    assert statement.at(GOOD) is Truth.TRUE
    small = attrs.evolve(GOOD, bound=GOOD.bound * 3 / 4)
    assert statement.applies(small) is Truth.FALSE
    assert statement.without(ZETA).at(small) is Truth.FALSE
    assert statement.nudged(lambda margin: margin - 1).at(GOOD) is Truth.FALSE


BOTH = ("sliding-window.lemma-2+repair", "sliding-window.corollary-1+repair")


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


def run(rows, window, eta, errors, floor=1, size=10**6, beta=HALF) -> SketchedRun:
    """Build a run whose sketches are off by the given factors, repeated as often as needed."""
    places = [(time, stamp) for time in range(1, len(rows) + 1) for stamp in range(1, time + 1)]
    sketches = tuple(
        rational(errors[k % len(errors)]) * suffix(rows, stamp, time, floor) for k, (time, stamp) in enumerate(places)
    )
    return SketchedRun(
        fmpq_mat([[rational(entry) for entry in row] for row in rows]),
        window,
        eta,
        floor,
        sketches,
        size,
        beta,
        1,
        MILLIONTH,
    )


def output_by_hand(p: SketchedRun) -> Fraction:
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


def expected(p: SketchedRun, high, low):
    """Compute ``beta - T(T+1) 9^d exp(-m eta^2/384)`` and, where (4) holds, the slacks of low X <= output <= high X."""
    total, eta = p.rows.nrows(), rational(p.eta)
    with mpmath.workdps(60):
        exponent = mpmath.mpf(p.size * int(eta.p) ** 2) / (384 * int(eta.q) ** 2)
        slack = real(p.beta)
        slack -= total * (total + 1) * mpmath.mpf(9) * mpmath.exp(-exponent)
    rows = [[entry] for entry in p.rows.entries()]
    exact = [suffix(rows, s, t, p.floor)[0, 0] for t in range(1, total + 1) for s in range(1, t + 1)]
    if any(abs(near[0, 0] - far) > eta / 4 * far for near, far in zip(p.approximations, exact, strict=True)):
        return slack
    inside = suffix(rows, max(1, total - p.window + 1), total, p.floor)[0, 0]
    output = output_by_hand(p)
    margin = min(output - low(eta) * inside, high(eta) * inside - output)
    with mpmath.workdps(60):
        return min(slack, real(margin))


def narrow_runs():
    """Give runs in one dimension, some with too few rows and some with a sketch beyond eta/4."""
    streams = ([[1]], [[0], [QUARTER]], [[1], [0], [0]], [[0], [2], [0], [0]], [[HALF], [0], [QUARTER], [0], [0]])
    patterns = ((Fraction(15, 16), Fraction(17, 16)), (Fraction(17, 16), 1, Fraction(15, 16)), (Fraction(9, 8),))
    for rows, errors, eta, size in product(streams, patterns, (QUARTER, HALF), (10**3, 10**6)):
        yield run(rows, 2 + len(rows) % 2, eta, errors, floor=Fraction(1, 10), size=size, beta=Fraction(3, 5))


def well_drawn(rows, window, eta, errors, beta=HALF, size=None) -> SketchedRun:
    """Give the run the rows that the union asks for, rounded up, and the least whole sigma^2."""
    total, width = len(rows), len(rows[0])
    with mpmath.workdps(30):
        odds = mpmath.log(total * (total + 1) * mpmath.mpf(beta.denominator) / beta.numerator)
        least = 384 * (width * mpmath.log(9) + odds) * (eta.denominator / mpmath.mpf(eta.numerator)) ** 2
        size = int(mpmath.ceil(least)) if size is None else size
        log = mpmath.log(4 * 10**6)
        floor = int(mpmath.ceil((4 * mpmath.sqrt(size * log) + log) ** 2))
    return run(rows, window, eta, errors, floor, size, beta)


DRAWN_WELL = well_drawn([[3], [1]], 2, QUARTER, (Fraction(15, 16), Fraction(17, 16)))
LEAST = {
    "m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2": attrs.evolve(DRAWN_WELL, size=DRAWN_WELL.size - 1),
    "sigma >= w, the w of Theorem 12 for m rows": attrs.evolve(DRAWN_WELL, floor=DRAWN_WELL.floor - 1),
}
OUTSIDE = LEAST | {
    "one symmetric A~'A~ for every time and stamp": attrs.evolve(
        DRAWN_WELL, approximations=DRAWN_WELL.approximations[1:]
    ),
    "window >= 2, an integer": attrs.evolve(DRAWN_WELL, window=1),
    "eta > 0": attrs.evolve(DRAWN_WELL, eta=0),
    "eta < 1": attrs.evolve(DRAWN_WELL, eta=1),
    "beta > 0": attrs.evolve(DRAWN_WELL, beta=0),
    "beta < 1": attrs.evolve(DRAWN_WELL, beta=1),
    "epsilon > 0": attrs.evolve(DRAWN_WELL, epsilon=0),
    "delta > 0": attrs.evolve(DRAWN_WELL, delta=0),
    "delta < 1": attrs.evolve(DRAWN_WELL, delta=1),
    "size >= 1, an integer": attrs.evolve(DRAWN_WELL, size=0),
}


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


@lemma_2.supports_repair(
    grade="derived",
    region="every d, T, W, eta, beta, stream: derivation; union and identities checked, 79 short streams decided",
)
@corollary_1.supports_repair(
    grade="derived",
    region="every d, T, W, eta <= 3/8, beta, stream: derivation; as for lemma-2, with the factor 1 + 2 eta",
)
def test_the_output_of_enough_rows_is_accurate(statements) -> None:
    """Fix a time t and a stamp s. What is stored for them is (Phi g_s' ... g_t') times (sigma I; A_[s,t]).

    The left factor has m rows of independent N(0, 1/m), the right one rank d and Gram matrix K + sigma^2 I. So by
    Theorem 9 as repaired the sketch is within 1 +- eta/4 of it but for probability 2 9^d exp(-m eta^2/384), and all
    T(T+1)/2 of them are but for beta: the variates of one pair have this law whether or not the algorithm keeps it.
    Where they all are, (4) holds at every time for every stamp. Lemma 1 as repaired then gives the approximate
    property after every row, with floor sigma^2, and Definition 3 as repaired both bounds of Lemma 2; Corollary 1
    follows by 1 - eta/4 >= 1 - eta and (1+eta/4)/(1-eta) <= 1 + 2 eta for eta <= 3/8, its own step.
    The output is the first sketch of this structure: Algorithm 2 as repaired.
    """
    check_union()
    check_sketch_identity()
    lemma, corollary = (statements[name] for name in BOTH)
    count = 0
    for total in (1, 2, 3):
        entries = ((0,), (1,), (300,)) if total > 1 else ((0,), (5,))
        for k, (rows, window) in enumerate(product(product(entries, repeat=total), (2, 3))):
            errors = [Fraction(31, 32) if (k * 2654435761 >> bit) & 1 else Fraction(33, 32) for bit in range(5, 11)]
            p = well_drawn([list(row) for row in rows], window, Fraction(1, 8), errors)
            assert lemma.at(p) is Truth.TRUE
            assert corollary.at(p) is Truth.TRUE
            count += 1
    for rows in ([[1, 0], [0, 500]], [[700, 1], [1, 1], [2, -1]], [[900, 0], [0, 0], [0, 0], [0, 0]]):
        p = well_drawn(rows, 2, QUARTER, (Fraction(17, 16), Fraction(15, 16), 1))
        assert lemma.at(p) is Truth.TRUE
        assert corollary.at(p) is Truth.TRUE
    assert count > 70
    check_formulas(lemma, lambda e: (1 + e / 4) / (1 - e), lambda e: 1 - e / 4)
    check_formulas(corollary, lambda e: 1 + 2 * e, lambda e: 1 - e)
    for inside in (DRAWN_WELL, attrs.evolve(DRAWN_WELL, beta=Fraction(49, 50), size=DRAWN_WELL.size)):
        bind_hypotheses(lemma, inside, OUTSIDE)
        bind_hypotheses(corollary, inside, OUTSIDE | {"eta <= 3/8": attrs.evolve(DRAWN_WELL, eta=HALF)})
    edge = well_drawn([[3], [1]], 2, Fraction(3, 8), (1,))
    assert corollary.at(edge) is Truth.TRUE
    lopsided = (*DRAWN_WELL.approximations[:2], fmpq_mat([[1, 2]]))
    for p in (attrs.evolve(DRAWN_WELL, approximations=lopsided), attrs.evolve(DRAWN_WELL, size=DRAWN_WELL.size + 1)):
        assert lemma.applies(p) is Truth.FALSE, "another shape; a sigma that is too small for one row more"
    bare = SketchedRun(DRAWN_WELL.rows, DRAWN_WELL.window, DRAWN_WELL.eta)
    assert (bare.size, bare.beta, bare.epsilon, bare.delta) == (1, 1, 1, 1), "beta and delta have to be given"
    assert lemma.applies(bare) is Truth.FALSE
    skew = well_drawn([[1, 0]], 2, QUARTER, (1,))
    bent = fmpq_mat([[skew.floor + 1, 1], [0, skew.floor]])
    assert lemma.applies(skew) is Truth.TRUE
    assert lemma.applies(attrs.evolve(skew, approximations=(bent,))) is Truth.FALSE


def check_formulas(statement, high, low) -> None:
    bind_formula(statement, narrow_runs(), lambda p: expected(p, high, low))
    assert not statement.strict


@lemma_2.controls("+repair", grade="symbolic", region="4r/eta rows; no union")
@corollary_1.controls("+repair", grade="symbolic", region="4r/eta rows; no union")
def test_fewer_rows_and_smaller_bounds_are_noticed(statements) -> None:
    rows = "m >= 384 (d log 9 + log(T(T+1)/beta))/eta^2"
    for name in BOTH:
        statement = statements[name]
        assert statement.at(DRAWN_WELL) is Truth.TRUE
        for size in (16, DRAWN_WELL.size - 1, DRAWN_WELL.size * 2 // 3):
            few = well_drawn([[3], [1]], 2, QUARTER, (1,), size=size)
            assert statement.applies(few) is Truth.FALSE
            assert statement.without(rows).at(few) is Truth.FALSE, "4r/eta = 16, one row less, no union"
        assert statement.nudged(lambda margin: margin - 1).at(DRAWN_WELL) is Truth.FALSE
