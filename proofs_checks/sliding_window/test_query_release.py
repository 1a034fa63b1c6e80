"""What becomes of Theorem 5 of `sliding-window`: few queries, answered from one noisy release of the window."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, rational
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.query_release import FixedQueries, ReleasedRow, noise_variance
from proofs_checks.sliding_window.dyadic_noise import check_guarantee, fourth_and_mixed, shift

theorem_5 = cite("sliding-window.theorem-5@cffb2333")

HALF, MILLIONTH = Fraction(1, 2), Fraction(1, 10**6)
SLANTED, FLAT, LEVEL = (fmpq(3, 5), fmpq(4, 5)), (fmpq(5, 13), fmpq(-12, 13)), (1, 0)


def least_error(p: FixedQueries) -> Fraction:
    """Give 2 s sqrt(log(q/beta)), rounded up to hundredths of a thousandth."""
    with mpmath.workdps(40):
        least = 2 / shift(p) * mpmath.sqrt(mpmath.log(p.directions.nrows() / real(p.beta)))
        return Fraction(int(mpmath.ceil(least * 10**5)), 10**5)


def queries(*directions, epsilon=1, delta=MILLIONTH, beta=HALF) -> FixedQueries:
    p = FixedQueries(fmpq_mat([list(x) for x in directions]), epsilon, delta, beta, 1)
    return attrs.evolve(p, bound=least_error(p))


def missed_by_hand(p: FixedQueries, query) -> mpmath.mpf:
    """Pr(|x'Nx| > E) for N = (a, b; b, c): a x_1^2 + 2 b x_1 x_2 + c x_2^2."""
    one, other = (real(x) for x in query)
    spread = mpmath.sqrt(one**4 + 4 * (one * other) ** 2 + other**4) / shift(p)
    return 2 * mpmath.ncdf(-real(p.bound) / spread)


MANY = queries(SLANTED, FLAT, LEVEL)
ERROR = "E >= 2 s sqrt(log(q/beta))"
OUTSIDE = {
    "the queries are unit vectors": attrs.evolve(MANY, directions=fmpq_mat([[1, 0], [3, 4]])),
    "epsilon > 0": attrs.evolve(MANY, epsilon=0),
    "delta > 0": attrs.evolve(MANY, delta=0),
    "delta < 1": attrs.evolve(MANY, delta=1),
    "beta > 0": attrs.evolve(MANY, beta=0),
    "beta < 1": attrs.evolve(MANY, beta=1),
    ERROR: attrs.evolve(MANY, bound=MANY.bound - Fraction(1, 10**4)),
}


@theorem_5.supports_repair(
    grade="derived", region="every q, d, queries, eps, delta, beta by the docstring; up to 40 queries exactly enclosed"
)
def test_few_queries_are_answered_from_one_release(statement) -> None:
    """X'Nx is normal with mean 0 and variance s^2 (sum x_i^4 + 4 sum_{i<j} x_i^2 x_j^2) = s^2 (2 - sum x_i^4) <= 2 s^2.

    Pr(|Z| > t) <= exp(-t^2/2), so each error exceeds E = 2 s sqrt(log(q/beta)) with probability at most exp(-E^2/(4
    s^2)) = beta/q. No dimension is in it; that the queries are fixed before is what makes the law of x'Nx normal.
    """
    u = sympy.symbols("u0:4", real=True)
    fourth, mixed = fourth_and_mixed(u)
    assert sympy.expand(2 * sum(x**2 for x in u) ** 2 - fourth - (fourth + 4 * mixed)) == 0
    t = sympy.symbols("t", positive=True)
    gap = sympy.exp(-(t**2) / 2) - sympy.erfc(t / sympy.sqrt(2))
    assert gap.subs(t, 0) == 0
    assert sympy.limit(gap, t, sympy.oo) == 0
    slope = (sympy.sqrt(2 / sympy.pi) - t) * sympy.exp(-(t**2) / 2)
    assert sympy.simplify(sympy.diff(gap, t) - slope) == 0, "it rises and then falls: it is not negative"
    values = []
    with mpmath.workdps(60):
        for query, epsilon, bound in product((SLANTED, FLAT, LEVEL), (1, Fraction(1, 3)), (1, 5, 20, 90)):
            p = attrs.evolve(queries(query, epsilon=epsilon, beta=Fraction(1, 3)), bound=bound)
            values.append((p, 1 - missed_by_hand(p, query) - 1 + real(p.beta)))
        bind(statement, values)
        for bound in (3, 9):
            for directions in ((SLANTED, FLAT, LEVEL), (LEVEL, SLANTED, FLAT), (FLAT, LEVEL, SLANTED)):
                p = attrs.evolve(queries(*directions), bound=bound)
                missed = [missed_by_hand(p, query) for query in directions]
                found = statement.law.quantity(p)
                assert abs(found.lower() - arb(mpmath.nstr(1 - sum(missed), 30))) < arb(10) ** -6, "the union bound"
                assert abs(found.upper() - arb(mpmath.nstr(1 - max(missed), 30))) < arb(10) ** -6, "the worst query"
    axes = [[int(i == j) for j in range(40)] for i in range(40)]
    for beta, epsilon, delta in product((HALF, Fraction(1, 100), Fraction(99, 100)), (1, 10), (HALF, MILLIONTH)):
        for directions in ((SLANTED,), (SLANTED, FLAT), (LEVEL, FLAT, SLANTED), axes):
            assert statement.at(queries(*directions, epsilon=epsilon, delta=delta, beta=beta)) is Truth.TRUE
    even = [fmpq(1, 4)] * 16
    assert statement.at(queries(even)) is Truth.TRUE, "a query with a variance near 2 s^2"
    assert not statement.strict
    for inside in (MANY, queries(SLANTED)):
        bind_hypotheses(statement, inside, OUTSIDE)
    (unit,) = (condition for condition in statement.given if condition.says == "the queries are unit vectors")
    assert unit.at(attrs.evolve(MANY, directions=fmpq_mat(0, 2, []))) is Truth.FALSE, "no query"
    assert unit.at(attrs.evolve(MANY, directions=fmpq_mat([[3, 4], [1, 0]]))) is Truth.FALSE, "the first query"


@theorem_5.controls("+repair", grade="interval", region="q = 1 and 3: half of E")
def test_a_smaller_error_is_noticed(statement) -> None:
    for p in (queries(SLANTED, beta=Fraction(1, 100)), queries([fmpq(1, 4)] * 16, beta=Fraction(1, 100))):
        assert statement.at(p) is Truth.TRUE
        small = attrs.evolve(p, bound=p.bound / 2)
        assert statement.applies(small) is Truth.FALSE
        assert statement.without(ERROR).at(small) is Truth.FALSE
    quiet = attrs.evolve(MANY, bound=MANY.bound / 9)
    assert statement.without(ERROR).at(quiet) is Truth.FALSE


def released(row, epsilon=1, delta=MILLIONTH) -> ReleasedRow:
    return ReleasedRow(fmpq_mat([list(row)]), epsilon, delta)


def spare_by_hand(p: ReleasedRow):
    """Delta minus the profile of a normal law moved by mu times the norm of the triangle of a'a."""
    entries, epsilon = [real(entry) for entry in p.row.entries()], real(p.epsilon)
    moved = shift(p) * mpmath.sqrt(sum((a * b) ** 2 for i, a in enumerate(entries) for b in entries[i:]))
    profile = mpmath.ncdf(moved / 2 - epsilon / moved) - mpmath.exp(epsilon) * mpmath.ncdf(-moved / 2 - epsilon / moved)
    return real(p.delta) - profile


WHOLE = released(LEVEL)
TENTH = (fmpq(1, 5),) * 9 + (fmpq(1, 10),) * 7
"""The squares of the triangle of a'a sum to 1/10."""
ROW = "one row, of norm at most 1"


@theorem_5.supports(
    "one-release", grade="derived", region="every window, row, d, epsilon, delta: the docstring and `check_guarantee`"
)
def test_one_release_is_private(statement) -> None:
    """A_W'A_W changes by a'a, whose triangle has norm at most |a|^2 <= 1; s is 1/mu for the mu of `check_guarantee`."""
    check_guarantee()
    rows = (LEVEL, SLANTED, (fmpq(1, 2), fmpq(1, 3)), (0, fmpq(-1, 7)), TENTH)
    points = [released(a, e, d) for a, e, d in product(rows, (1, 8, Fraction(1, 10)), (MILLIONTH, Fraction(1, 3)))]
    with mpmath.workdps(60):
        bind_formula(statement, points, spare_by_hand)
    for p in (*points, released((0, 0)), released((fmpq(2, 3), fmpq(1, 3), fmpq(-2, 3)))):
        assert statement.at(p) is Truth.TRUE
    assert statement.margin(released((0, 0), delta=HALF)) == fmpq(1, 2), "nothing changes"
    assert not statement.strict
    outside = {
        ROW: released((1, fmpq(1, 100))),
        "epsilon > 0": attrs.evolve(WHOLE, epsilon=0),
        "delta > 0": attrs.evolve(WHOLE, delta=0),
        "delta < 1": attrs.evolve(WHOLE, delta=1),
    }
    for inside in (WHOLE, released(SLANTED)):
        bind_hypotheses(statement, inside, outside)
    assert statement.applies(attrs.evolve(WHOLE, row=fmpq_mat([[1, 0], [0, 0]]))) is Truth.FALSE, "two rows"


@theorem_5.controls("one-release", grade="interval", region="half the noise; a row of norm 2")
def test_the_noise_of_the_release_is_needed(statement) -> None:
    assert statement.at(WHOLE) is Truth.TRUE

    def half_the_noise(p: ReleasedRow) -> arb:
        return ball(p.delta) - GaussianProfile(1, noise_variance(p.epsilon, p.delta).sqrt() / 2).delta(p.epsilon)

    assert statement.nudged(margin=half_the_noise).at(WHOLE) is Truth.FALSE
    long = released((rational(2), 0))
    assert statement.applies(long) is Truth.FALSE
    assert statement.without(ROW).at(long) is Truth.FALSE
