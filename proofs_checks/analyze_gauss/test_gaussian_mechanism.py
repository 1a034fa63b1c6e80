"""The constant Delta of Algorithm 1: where it fails, and the proof of where it suffices."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpz_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import (
    GaussianPromise,
    GaussianRun,
    MovedRow,
    printed_divergence,
    repaired_divergence,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.gaussian_profiles import divergence

algorithm_1 = cite("analyze-gauss.algorithm-1@bc0272e1")

ADDED, REPLACED = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
GRID = [
    GaussianPromise(epsilon, delta, bound, adjacency)
    for epsilon, delta, bound, adjacency in product(
        (Fraction(1, 10), 1, 7, 20), (Fraction(1, 2), Fraction(1, 10**6)), (Fraction(1, 2), 1, 2), (ADDED, REPLACED)
    )
]
INSIDE = GaussianPromise(1, Fraction(1, 1000), 1, ADDED)
OUTSIDE = {
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
    "norm_bound > 0": attrs.evolve(INSIDE, norm_bound=0),
}
UNIT = {"norm_bound <= 1": attrs.evolve(INSIDE, norm_bound=Fraction(11, 10))}
LARGE = GaussianPromise(20, Fraction(1, 2), 1, ADDED)
"""The repaired deviation exceeds Delta from epsilon = 4.36 on."""
SWAPPED = GaussianPromise(1, Fraction(1, 10**8), 1, REPLACED)


def deviation(p: GaussianPromise, repaired: bool) -> mpmath.mpf:
    """Delta, or the positive root t of epsilon t - 1/(2t) = a where that is more."""
    epsilon, delta = real(p.epsilon), Fraction(p.delta)
    root = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(delta.denominator) / delta.numerator))
    if not repaired or epsilon <= 2 * (1 + root):
        return (1 + root) / epsilon
    return (root / epsilon + mpmath.sqrt((root / epsilon) ** 2 + 2 / epsilon)) / 2


def exact_delta(p: GaussianPromise, repaired: bool) -> mpmath.mpf:
    """Profile of Gaussian noise by its textbook formula, at the working precision."""
    epsilon = real(p.epsilon)
    bound = real(p.norm_bound)
    sensitivity = bound**2 * (mpmath.sqrt(2) if p.adjacency is REPLACED else 1)
    mu = sensitivity / (deviation(p, repaired) * (sensitivity if repaired else 1))
    return mpmath.ncdf(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def bind_printed(statement) -> None:
    with mpmath.workdps(80):
        values = [(p, mpmath.mpf(1) * p.delta.numerator / p.delta.denominator - exact_delta(p, False)) for p in GRID]
        bind(statement, [(p, mpmath.nstr(value, 60)) for p, value in values])


@algorithm_1.refutes(grade="interval", region="a row of norm 5, epsilon = 1, delta = 1e-6")
def test_rows_without_a_bound_are_given_away(statement) -> None:
    point = GaussianPromise(1, Fraction(1, 10**6), 5, ADDED)
    assert statement.at(point) is Truth.FALSE
    assert statement.margin(point) < -arb(92) / 100
    algorithm_1.tells("delta above {above} at epsilon", printed_divergence(point))
    assert statement.at(INSIDE) is Truth.TRUE
    bind_printed(statement)
    bind_hypotheses(statement, INSIDE, OUTSIDE)


@algorithm_1.refutes(grade="interval", region="unit rows, e_2 for e_1, epsilon = 1, delta = 1e-8")
def test_a_replaced_row_costs_more(statement) -> None:
    assert statement.at(SWAPPED) is Truth.FALSE
    algorithm_1.tells("costs {} at epsilon", printed_divergence(SWAPPED))
    assert statement.at(attrs.evolve(SWAPPED, adjacency=ADDED)) is Truth.TRUE


@algorithm_1.refutes(
    grade="derived", region="e_2 for e_1, every epsilon from some delta down, by the docstring; four epsilon and delta"
)
def test_a_replaced_row_costs_too_much_at_every_epsilon(statement) -> None:
    """Here mu = sqrt(2) epsilon/(1 + a), and with c = epsilon/mu - mu/2 the exact delta is phi(c) (M(c) - M(c + mu)),
    M Mills' ratio, whose slope is at least 1/(x^2 + 3) downwards: at least phi(c) mu/((c + mu)^2 + 3). As delta falls a
    grows, c <= (1 + a)/sqrt(2), and exp(-(1 + a)^2/4) outweighs delta = exp(-a^2/2) and the other factors.
    """  # noqa: D205
    for epsilon, digits in ((Fraction(1, 100), 20), (Fraction(1, 2), 9), (2, 6), (10, 2)):
        assert statement.at(attrs.evolve(SWAPPED, epsilon=epsilon, delta=Fraction(1, 10**digits))) is Truth.FALSE
    a = sympy.Symbol("a", positive=True)
    assert sympy.limit(a**2 / 2 - (1 + a) ** 2 / 4 - 4 * sympy.log(a), a, sympy.oo) == sympy.oo


@algorithm_1.refutes("row-added", grade="interval", region="unit rows, epsilon = 20, delta = 1/2")
def test_large_epsilon_fails(statement) -> None:
    assert statement.at(GaussianPromise(20, Fraction(1, 2), 1, ADDED)) is Truth.FALSE
    assert statement.at(INSIDE) is Truth.TRUE
    bind_printed(statement)
    added = {"one row is added or removed": attrs.evolve(INSIDE, adjacency=REPLACED)}
    bind_hypotheses(statement, INSIDE, OUTSIDE | UNIT | added)


@algorithm_1.supports_repair(
    grade="derived",
    region="every R, delta < 1 and epsilon, both relations, by the docstring; the formula as an expression, 48 points",
)
def test_half_of_delta_suffices(statement) -> None:
    """Let a = sqrt(2 log(1/delta)), t = Delta' = 1/mu. The exact delta is at most Phi(mu/2 - epsilon/mu), and the
    distance f(t) = epsilon t - 1/(2t) rises with t. It is a at t = (a + sqrt(a^2 + 2 epsilon))/(2 epsilon) (1), below
    which Delta' never is. So the delta is at most Phi(-a) = erfc(a / sqrt 2) / 2 <= exp(-a^2/2) / 2 = delta/2 (2):
    erfc(x) = 2/pi int_0^{pi/2} exp(-x^2/sin^2 u) du <= exp(-x^2). (3) That t is at most Delta exactly up to the epsilon
    of the words, as f(Delta) - a = 1 - epsilon/(2 (1 + a)).
    """  # noqa: D205
    epsilon, a, delta = sympy.symbols("epsilon a delta", positive=True)
    least = (a + sympy.sqrt(a**2 + 2 * epsilon)) / (2 * epsilon)
    assert sympy.simplify(epsilon * least - 1 / (2 * least) - a) == 0, "(1)"
    root = sympy.sqrt(2 * sympy.log(1 / delta))
    assert sympy.simplify(sympy.exp(-(root**2) / 2) / 2 - delta / 2) == 0, "(2)"
    slide = (1 + a) / epsilon
    assert sympy.simplify(epsilon * slide - 1 / (2 * slide) - a - (1 - epsilon / (2 * (1 + a)))) == 0, "(3)"
    with mpmath.workdps(80):
        halves = [(p, real(p.delta) / 2 - exact_delta(p, True)) for p in GRID]
        bind(statement, [(p, mpmath.nstr(value, 60)) for p, value in halves])
    bind_expression(statement, delta / 2 - divergence(epsilon, 1 / sympy.Max(slide, least).subs(a, root)))
    assert all(statement.at(p) is Truth.TRUE for p in GRID)
    assert statement.at(LARGE) is Truth.TRUE
    bind_hypotheses(statement, INSIDE, OUTSIDE)


@algorithm_1.controls(
    "+repair",
    grade="interval",
    region="epsilon = 20, delta = 1/2: Delta in place of Delta'; epsilon = 9.43, delta = 1/1000: a hundredth of delta",
)
def test_less_noise_or_less_delta_fails(statement) -> None:
    def printed(p: GaussianPromise) -> arb:
        return ball(p.delta) / 2 - printed_divergence(p)

    assert statement.nudged(margin=printed).at(LARGE) is Truth.FALSE
    small = statement.nudged(margin=lambda p: ball(p.delta) / 200 - repaired_divergence(p))
    assert small.at(attrs.evolve(INSIDE, epsilon=Fraction(943, 100))) is Truth.FALSE


def moved(x, y) -> Fraction:
    """Squared change of the upper triangle, through the whole matrix: (|yy' - xx'|^2 + sum of squared diagonal)/2."""
    before, after = (sum((a * a for a in row), Fraction(0)) for row in (x, y))
    inner = sum((a * b for a, b in zip(x, y, strict=True)), Fraction(0))
    diagonal = sum(((b * b - a * a) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0))
    return (before**2 + after**2 - 2 * inner**2 + diagonal) / 2


@algorithm_1.supports(
    "sensitivity", grade="derived", region="every n, R, x and y by the docstring; 49 pairs of rows exactly"
)
def test_one_row_moves_the_second_moment_by_the_sensitivity(statement) -> None:
    """The upper triangle of M = yy' - xx' is at most |M|_F, and |M|_F^2 = |x|^4 + |y|^4 - 2 (x'y)^2 <= 2 R^4; with
    x = 0 or y = 0 it is |y|^4 or |x|^4 <= R^4. e_1 replaced by e_2 attains the first one, and e_1 the second.
    """  # noqa: D205
    rows = [tuple(Fraction(a, 5) for a in row) for row in product((-3, 0, 4), repeat=2)]
    rows = [row for row in rows if row != (4, 4)][:7]
    values = []
    for x, y in product(rows, repeat=2):
        factor = 2 if any(x) and any(y) else 1
        values.append((MovedRow(x, y, 2), factor * 16 - moved(x, y)))
    bind(statement, values)
    assert all(statement.at(p) is Truth.TRUE for p, _ in values)
    for attained in (MovedRow((1, 0), (0, 1), 1), MovedRow((0, 0), (1, 0), 1)):
        assert statement.margin(attained) == 0
        assert statement.at(attained) is Truth.TRUE
    inside = MovedRow((1, 0), (0, 1), 1)
    for change in ({"norm_bound": -1}, {"x": (Fraction(101, 100), 0)}, {"y": (0, Fraction(101, 100))}):
        bind_hypotheses(
            statement,
            inside,
            {
                "the rows have one length": attrs.evolve(inside, y=(1,)),
                "rows have norm at most R": attrs.evolve(inside, **change),
            },
        )


@algorithm_1.controls(
    "output",
    grade="interval",
    region="48 invented runs: the least variance; an output that is no sum, and noise that is not symmetric",
)
def test_the_least_variance_of_a_run(statement) -> None:
    """(s Delta')^2; a sum that is wrong or noise that is not symmetric fails whatever its variance."""
    zero, skew = fmpz_mat(2, 2), fmpz_mat([[0, 1], [2, 0]])
    runs = [GaussianRun(p, 400, zero, zero, zero) for p in GRID]
    with mpmath.workdps(80):
        values = []
        for run in runs:
            p = run.promise
            square = (2 if p.adjacency is REPLACED else 1) * real(p.norm_bound) ** 4
            values.append((run, mpmath.nstr(400 - square * deviation(p, True) ** 2, 60)))
        bind(statement.elsewhere(), values)
    enough = attrs.evolve(runs[0], variance=10**9)
    assert statement.at(enough) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(enough, noise=skew, output=skew)) is Truth.FALSE
    assert statement.elsewhere().at(attrs.evolve(enough, output=skew)) is Truth.FALSE
    noise = fmpz_mat([[3, 1], [1, -2]])
    assert statement.at(attrs.evolve(enough, moment=skew, noise=noise, output=skew + noise)) is Truth.TRUE
    assert statement.elsewhere().at(attrs.evolve(enough, moment=skew, noise=noise, output=skew - noise)) is Truth.FALSE
    least = attrs.evolve(runs[0], promise=GaussianPromise(1, 1, 2, ADDED), variance=16)
    assert statement.at(least) is Truth.TRUE, "at delta = 1 Delta is rational, and exactly (s Delta')^2 will do"
    bind_hypotheses(statement, enough, {"n >= 1": attrs.evolve(enough, output=fmpz_mat(0, 0))})
    one = fmpz_mat(1, 1)
    assert statement.applies(GaussianRun(GRID[0], 1, one, one, one)) is Truth.TRUE
