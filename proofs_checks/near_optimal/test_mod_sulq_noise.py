"""Theorem 5 of `near-optimal`: tails of the noise, and the equations for gamma and beta."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, decimals, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import mod_sulq_noise
from dpmatrix.spec.near_optimal.mod_sulq_noise import Threshold
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.tracing import bind_expression

theorem_5 = cite("near-optimal.theorem-5@6333ff94")

CLAIM = "near-optimal.theorem-5"


def condition(statement: Statement, says: str) -> Statement:
    """One hypothesis as a statement of its own, so that its formula can be bound."""
    given = next(given for given in statement.given if given.says == says)
    return Statement(says, given.margin, strict=given.strict)


def tail(p: Threshold) -> mpmath.mpf:
    return mpmath.ncdf(-real(p.threshold) / real(p.deviation))


def gauss(p: Threshold) -> mpmath.mpf:
    return mpmath.npdf(real(p.threshold) / real(p.deviation))


def loss(p: Threshold, numerator: int) -> mpmath.mpf:
    n, beta = p.records, real(p.deviation)
    inner = mpmath.mpf(2) / n * (p.dimension + 1) * real(p.threshold) + mpmath.mpf(numerator) / n**2
    return inner / (2 * beta**2)


def profile(p: Threshold) -> mpmath.mpf:
    mu, epsilon = (mpmath.sqrt(2) if p.dimension > 1 else 1) / (p.records * real(p.deviation)), loss(p, 3)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


AT = Threshold(3, 1, 1, Fraction(3, 2))
AT_OUTSIDE = {
    "dimension >= 1, an integer": attrs.evolve(AT, dimension=0),
    "records >= 1, an integer": attrs.evolve(AT, records=0),
    "deviation > 0": attrs.evolve(AT, deviation=-1),
    "gamma > beta": attrs.evolve(AT, threshold=1),
}
THRESHOLDS = [
    Threshold(d, n, beta, beta * ratio)
    for d, n, beta, ratio in product((1, 2, 3), (1, 2), (Fraction(1, 2), 1, 2), (Fraction(11, 10), 2))
]


def bind_thresholds(statement: Statement) -> None:
    bind_hypotheses(statement, AT, AT_OUTSIDE)
    bind_hypotheses(statement, Threshold(1, 1, Fraction(1, 20), 1), AT_OUTSIDE)
    assert statement.applies(attrs.evolve(AT, deviation=0)) is Truth.FALSE
    assert condition(statement, "gamma > beta").strict
    bind(condition(statement, "gamma > beta"), [(p, Fraction(p.threshold) - p.deviation) for p in THRESHOLDS])


@theorem_5.refutes("inequality-20", grade="interval", region="d = 3, n = 1, beta = 1, gamma = 3/2")
def test_all_entries_is_too_small_an_event(statement) -> None:
    """With 'for some i, j' (20) is true, one side or not: the profile is at most Q(x) for the x of its exponent.

    x = (d+1) gamma/(c beta) + (3/c - c)/(2 n beta) with c <= sqrt(2) the sensitivity times n, at least gamma/beta as d
    + 1 >= c, and one entry already exceeds gamma with probability Q(gamma/beta).
    """
    assert statement.at(AT) is Truth.FALSE
    bind_formula(statement, THRESHOLDS, lambda p: tail(p) ** (p.dimension * (p.dimension + 1) // 2) - profile(p))
    d, n, gamma, beta, c = sympy.symbols("d n gamma beta c", positive=True)
    epsilon, mu = (2 / n * (d + 1) * gamma + 3 / n**2) / (2 * beta**2), c / (n * beta)
    x = (d + 1) * gamma / (c * beta) + (3 / c - c) / (2 * n * beta)
    assert sympy.simplify(epsilon / mu - mu / 2 - x) == 0
    with mpmath.workdps(30):
        for p in THRESHOLDS:
            assert profile(p) < tail(p)
    bind_thresholds(statement)


@theorem_5.supports("tail", grade="derived", region="every gamma > beta > 0: the docstring; bound as an expression")
@theorem_5.supports(
    "union-bound", grade="derived", region="every d, gamma > beta > 0: the docstring; bound at 36 points"
)
def test_tail_and_union_bounds(statements) -> None:
    """Q(t) <= phi(t)/t <= phi(t) for t >= 1: the difference phi(t)/t - Q(t) falls to zero at infinity.

    And 1 - (1-q)^N <= N q (Bernoulli): both sides vanish at q = 0, with slopes N (1-q)^(N-1) <= N.
    """
    t, q, N = sympy.symbols("t q N", positive=True)
    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    mills = density / t - sympy.erfc(t / sympy.sqrt(2)) / 2
    assert sympy.simplify(sympy.diff(mills, t) + density / t**2) == 0
    assert sympy.limit(mills, t, sympy.oo) == 0
    assert sympy.simplify(sympy.diff(1 - (1 - q) ** N, q) - N * (1 - q) ** (N - 1)) == 0
    one, union = statements[f"{CLAIM}/tail"], statements[f"{CLAIM}/union-bound"]
    at = {t: sympy.Symbol("threshold") / sympy.Symbol("deviation")}
    bind_expression(one, (density - sympy.erfc(t / sympy.sqrt(2)) / 2).subs(at))

    def some(p: Threshold) -> mpmath.mpf:
        count = (p.dimension**2 + p.dimension) // 2
        return count * gauss(p) - (1 - (1 - tail(p)) ** count)

    bind_formula(union, THRESHOLDS, some)
    dimension = sympy.Symbol("dimension")
    entries, chance = sympy.floor((dimension**2 + dimension) / 2), sympy.erfc(t / sympy.sqrt(2)) / 2
    bind_expression(union, (entries * density - (1 - (1 - chance) ** entries)).subs(at))
    for statement in (one, union):
        bind_thresholds(statement)
        assert statement.at(AT) is Truth.TRUE
        assert not statement.strict


@theorem_5.refutes("same-exponent", grade="interval", region="d = 3, n = 1, beta = 1: 1/2 apart")
def test_three_and_two_differ(statement) -> None:
    assert statement.at(AT) is Truth.FALSE
    n, beta = sympy.symbols("records deviation", positive=True)
    bind_expression(statement, -1 / (2 * n**2 * beta**2))
    bind_thresholds(statement)


RANGE = ModSulq(2, 1, 1, Fraction(7, 10))
RANGE_OUTSIDE = {
    "dimension >= 2, an integer": ModSulq(1, 1, 1, Fraction(1, 10)),
    "records >= 1, an integer": attrs.evolve(RANGE, records=0),
    "epsilon > 0": attrs.evolve(RANGE, epsilon=0),
    "delta > 0": attrs.evolve(RANGE, delta=0),
    "delta < 3/sqrt(2 pi e)": attrs.evolve(RANGE, delta=Fraction(73, 100)),
}
RUNS = [
    ModSulq(d, n, epsilon, delta)
    for d, n, epsilon, delta in product((2, 3, 7), (1, 4), (Fraction(1, 9), 3), (Fraction(1, 1000), Fraction(7, 10)))
]


@theorem_5.supports("rearranged", grade="symbolic", region="every d >= 2, delta in range: an identity in d and delta")
@theorem_5.supports(
    "gamma", grade="derived", region="every d >= 2, delta in range: the docstring; bound as an expression"
)
@theorem_5.supports(
    "quadratic", grade="symbolic", region="every d >= 2, n, epsilon, delta: an identity in d, n, epsilon and s"
)
@theorem_5.supports(
    "upper-bound", grade="derived", region="every d >= 2, n, epsilon, delta: the docstring; bound as an expression"
)
def test_gamma_and_beta_solve_their_equations(statements) -> None:
    """s^2 > 2 log(sqrt(e)) = 1 where delta < 3/sqrt(2 pi e) <= N/sqrt(2 pi e), N = (d^2+d)/2 >= 3.

    The root is (a + sqrt(a^2 + 4 eps))/(2 n eps), a = (d+1)s, and sqrt(a^2 + 4 eps) <= a + 2 sqrt(eps).
    """
    d, n, epsilon, s, delta = sympy.symbols("d n epsilon s delta", positive=True)
    N = (d**2 + d) / 2
    log = sympy.log((d**2 + d) / (delta * 2 * sympy.sqrt(2 * sympy.pi)))
    assert sympy.simplify(N / sympy.sqrt(2 * sympy.pi) * sympy.exp(-log) - delta) == 0
    edge = 3 / sympy.sqrt(2 * sympy.pi * sympy.E)
    assert sympy.simplify(log.subs({d: 2, delta: edge}) - sympy.Rational(1, 2)) == 0, (
        "s = 1 there, larger below and for larger d"
    )
    a = (d + 1) * s
    beta = (a + sympy.sqrt(a**2 + 4 * epsilon)) / (2 * n * epsilon)
    equation = epsilon - (2 / n * (d + 1) * beta * s + 2 / n**2) / (2 * beta**2)
    assert sympy.simplify(equation) == 0
    five = a / (n * epsilon) + 1 / (n * sympy.sqrt(epsilon))
    squares = (2 * n * epsilon * five - a) ** 2 - (a**2 + 4 * epsilon)
    assert sympy.simplify(squares - 4 * a * sympy.sqrt(epsilon)) == 0, "positive"
    bind(statements[f"{CLAIM}/rearranged"], [(p, Fraction(0)) for p in RUNS])
    bind(statements[f"{CLAIM}/quadratic"], [(p, Fraction(0)) for p in RUNS])
    multiple = sympy.sqrt(2 * log)
    fields = {"dimension": d, "records": n, "epsilon": epsilon, "delta": delta}
    entries = sympy.floor((d**2 + d) / 2)
    density = sympy.exp(-(multiple**2) / 2) / sympy.sqrt(2 * sympy.pi)
    half = sympy.Symbol("half", integer=True, positive=True)
    for whole in (2 * half, 2 * half + 1):  # even and odd d >= 2
        assert sympy.expand(N.subs(d, whole)).is_integer, "the floor of N is N"
    bind_expression(statements[f"{CLAIM}/rearranged"], -sympy.Abs(delta - entries * density), fields=fields)
    bind_expression(statements[f"{CLAIM}/quadratic"], -sympy.Abs(equation.subs(s, multiple)), fields=fields)
    bind_expression(statements[f"{CLAIM}/gamma"], multiple - 1, fields=fields)
    bind_expression(statements[f"{CLAIM}/upper-bound"], (five - beta).subs(s, multiple), fields=fields)
    limit = decimals(RUNS, lambda p: 3 / mpmath.sqrt(2 * mpmath.pi * mpmath.e) - real(p.delta))
    for statement in statements.values():
        bind_hypotheses(statement, RANGE, RANGE_OUTSIDE)
        bind(condition(statement, "delta < 3/sqrt(2 pi e)"), limit)
        assert condition(statement, "delta < 3/sqrt(2 pi e)").strict
        assert not statement.strict


@theorem_5.controls("rearranged", grade="interval", region="24 points: s + 1 for s, the error to 40 digits")
@theorem_5.controls("quadratic", grade="interval", region="24 points: twice the root, the error to 40 digits")
def test_another_multiple_or_root_is_noticed(statements) -> None:
    multiple, root = mod_sulq_noise.multiple, mod_sulq_noise.root
    rearranged, quadratic = (statements[f"{CLAIM}/{name}"] for name in ("rearranged", "quadratic"))
    farther = redefined(rearranged, mod_sulq_noise, "multiple", lambda p: multiple(p) + 1)
    twice = redefined(quadratic, mod_sulq_noise, "root", lambda p: 2 * root(p))
    assert farther.at(RANGE) is twice.at(RANGE) is Truth.FALSE

    def standard(p: ModSulq) -> mpmath.mpf:
        entries = mpmath.mpf(p.dimension**2 + p.dimension) / 2
        return mpmath.sqrt(2 * mpmath.log(entries / (real(p.delta) * mpmath.sqrt(2 * mpmath.pi))))

    def missed(p: ModSulq) -> mpmath.mpf:
        return mpmath.mpf(p.dimension**2 + p.dimension) / 2 * mpmath.npdf(standard(p) + 1) - real(p.delta)

    def left(p: ModSulq) -> mpmath.mpf:
        a, n, epsilon = (p.dimension + 1) * standard(p), p.records, real(p.epsilon)
        beta = (a + mpmath.sqrt(a**2 + 4 * epsilon)) / (n * epsilon)
        return a / (n * beta) + 1 / (n * beta) ** 2 - epsilon

    bind_formula(farther, RUNS, missed)
    bind_formula(twice, RUNS, left)


@theorem_5.supports(
    "last-display", grade="derived", region="every d >= 2, n, epsilon, delta: the docstring; bound as an expression"
)
@theorem_5.refutes("last-display-is-beta", grade="interval", region="d = 2, n = 4, epsilon = 1, delta = 1/100")
def test_last_line_has_the_root_of_the_number_of_records(statements) -> None:
    """With a = (d+1) s, 2 n eps times the root is a + sqrt(a^2 + 4 eps) <= 2 a + 2 sqrt(eps) <= 2 a + 2 sqrt(n eps).

    (5) has 1/(n sqrt(eps)) for 1/sqrt(n eps): the difference is (sqrt(n) - 1)/(n sqrt(eps)), 0 for n = 1 alone.
    """
    above, equal = statements[f"{CLAIM}/last-display"], statements[f"{CLAIM}/last-display-is-beta"]
    d, n, epsilon, a, delta = sympy.symbols("d n epsilon a delta", positive=True)
    assert sympy.expand((a + 2 * sympy.sqrt(epsilon)) ** 2 - (a**2 + 4 * epsilon) - 4 * a * sympy.sqrt(epsilon)) == 0
    log = sympy.log((d**2 + d) / (delta * 2 * sympy.sqrt(2 * sympy.pi)))
    scaled = (d + 1) * sympy.sqrt(2 * log)
    root = (scaled + sympy.sqrt(2 * (d + 1) ** 2 * log + 4 * epsilon)) / (2 * n * epsilon)
    line = scaled / (n * epsilon) + 1 / sympy.sqrt(n * epsilon)
    fields = {"dimension": d, "records": n, "epsilon": epsilon, "delta": delta}
    bind_expression(above, line - root, fields=fields)
    more = 1 / sympy.sqrt(n * epsilon) - 1 / (n * sympy.sqrt(epsilon))
    assert sympy.simplify(more - (sympy.sqrt(n) - 1) / (n * sympy.sqrt(epsilon))) == 0
    bind_expression(equal, -sympy.Abs(more), fields=fields)
    runs = [attrs.evolve(p, records=k) for p in RUNS[::2] for k in (1, 3)]
    bind_formula(equal, runs, lambda p: -abs(mpmath.sqrt(p.records) - 1) / (p.records * mpmath.sqrt(real(p.epsilon))))
    ordinary = ModSulq(2, 4, 1, Fraction(1, 100))
    assert equal.at(ordinary) is Truth.FALSE
    assert equal.nudged(lambda margin: margin + arb(6) / 25).at(ordinary) is Truth.FALSE, "they differ by 1/4"
    assert all(above.at(p) is Truth.TRUE for p in RUNS)
    for statement in (above, equal):
        bind_hypotheses(statement, RANGE, RANGE_OUTSIDE)
        bind(
            condition(statement, "delta < 3/sqrt(2 pi e)"),
            decimals(RUNS, lambda p: 3 / mpmath.sqrt(2 * mpmath.pi * mpmath.e) - real(p.delta)),
        )
        assert not statement.strict


@theorem_5.supports(
    "less-noise-with-more-records", grade="derived", region="every d >= 2, n, epsilon, delta: the docstring; 24 points"
)
def test_noise_falls_with_records_and_rises_with_the_dimension(statement) -> None:
    """The product n beta has no n and is positive, so beta(n) - beta(n+1) = n beta/(n (n+1)).

    In n beta, d + 1 and the logarithm, which is above 1/2, both rise with d.
    """
    n, d = sympy.symbols("n d", positive=True)
    assert sympy.simplify(1 / n - 1 / (n + 1) - 1 / (n * (n + 1))) == 0
    assert sympy.expand((d + 1) ** 2 + (d + 1) - (d**2 + d)) == 2 * d + 2

    def beta(p: ModSulq) -> mpmath.mpf:
        log = mpmath.log((p.dimension**2 + p.dimension) / (real(p.delta) * 2 * mpmath.sqrt(2 * mpmath.pi)))
        noise = (p.dimension + 1) / real(p.epsilon) * mpmath.sqrt(2 * log) + 1 / mpmath.sqrt(real(p.epsilon))
        return noise / p.records

    def trend(p: ModSulq) -> mpmath.mpf:
        later, wider = attrs.evolve(p, records=p.records + 1), attrs.evolve(p, dimension=p.dimension + 1)
        return min(beta(p) - beta(later), beta(wider) - beta(p))

    bind_formula(statement, RUNS, trend)
    assert all(statement.at(p) is Truth.TRUE for p in RUNS)
    bind_hypotheses(statement, RANGE, RANGE_OUTSIDE)
    limit = decimals(RUNS, lambda p: 3 / mpmath.sqrt(2 * mpmath.pi * mpmath.e) - real(p.delta))
    bind(condition(statement, "delta < 3/sqrt(2 pi e)"), limit)
    assert statement.strict
