"""`compression`: Lemma 4.5 against exact chi-square tails."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.gaussian_rows import GaussianDatabases
from proofs_checks.compression.compressed_tails import chi_square_tails

lemma_4_5 = cite("compression.lemma-4-5@1c1ae611")

DATABASES = GaussianDatabases(100, 2, 3, 5, Fraction(1, 2))
DATABASES_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(DATABASES, records=0),
    "columns >= 1, an integer": attrs.evolve(DATABASES, columns=0),
    "databases >= 1, an integer": attrs.evolve(DATABASES, databases=0),
    "failure > 0": attrs.evolve(DATABASES, failure=0),
    "failure < 1": attrs.evolve(DATABASES, failure=1),
}


def assert_databases(statement, more, edges) -> None:
    for edge in edges:
        bind_hypotheses(statement, edge, DATABASES_OUTSIDE | more)
    assert not statement.strict


def assert_ends(statement, distance, points) -> None:
    """Compare both ends of the enclosure of the probability with formulas of their own."""
    with mpmath.workdps(40):
        for p in points:
            s = distance(p)
            one = chi_square_tails(p.records, s)
            low = 1 - (1 - one) ** p.databases
            entries = p.databases * p.columns * (p.columns + 1)
            high = min(mpmath.mpf(1), entries * mpmath.exp(-p.records * s**2 / (4 + 8 * s / 3)))
            margin = statement.margin(p)
            for end, value in ((margin.upper(), low), (margin.lower(), max(low, high))):
                assert abs(end - arb(mpmath.nstr(real(p.failure) - value, 30))) < arb(2) ** -20


@lemma_4_5.refutes(
    grade="derived",
    region="p = 1: n = 100, one database, K = 5, every K as the rate is 0; p = 2, n = 1000: K = "
    "1, 3, 5, 10, 20, beta = 1/2 and enough databases",
)
def test_the_rate_of_lemma_4_5_ignores_the_number_of_databases(statement) -> None:
    """At p = 1 the rate is 0 and Delta_max > 0; at p = 2, N = 1/q databases exceed any bound of probability q < 1."""
    assert statement.at(GaussianDatabases(100, 1, 1, 5, Fraction(1, 2))) is Truth.FALSE
    with mpmath.workdps(50):
        for constant in (1, 3, 5, 10, 20):
            one = chi_square_tails(1000, constant * mpmath.sqrt(mpmath.log(2) / 1000) / 2)
            size = int(1 / one) + 1
            assert statement.at(GaussianDatabases(1000, 2, size, constant, Fraction(1, 2))) is Truth.FALSE
    assert statement.at(GaussianDatabases(1000, 2, 1, 20, Fraction(1, 2))) is Truth.TRUE, "one database"

    def distance(p: GaussianDatabases) -> mpmath.mpf:
        return real(p.constant) * mpmath.sqrt(mpmath.log(p.columns) / p.records) / 2

    grid = [
        GaussianDatabases(n, p, size, constant, Fraction(1, 9))
        for n in (50, 400)
        for p in (2, 7)
        for size in (1, 30)
        for constant in (2, 4, Fraction(13, 2))
    ]
    assert_ends(statement, distance, grid)
    large = attrs.evolve(DATABASES, failure=Fraction(99, 100))
    small = GaussianDatabases(1, 1, 1, Fraction(1, 9), Fraction(1, 100))
    assert_databases(statement, {"constant > 0": attrs.evolve(DATABASES, constant=0)}, (DATABASES, large, small))


def entry_distance(p: GaussianDatabases) -> mpmath.mpf:
    many = p.columns * (p.columns + 1) * p.databases / real(p.failure)
    return mpmath.sqrt(mpmath.mpf(20) * mpmath.log(many) / (3 * p.records))


@lemma_4_5.supports_repair(
    grade="derived",
    region="every n, p, N, beta with s <= 1: Lemma B.1 with 4 and 8/3 for the columns, m = n, and a union bound",
)
def test_lemma_4_5_with_the_number_of_databases(statement) -> None:
    """An entry of X'X/n - Sigma* has the law of Lemma B.1 with m = n.

    So it exceeds s with probability at most 2 exp(-(3/20) n s^2) for s <= 1, and N p (p + 1)/2 of these make
    N p (p + 1) exp(-ln(p (p + 1) N/beta)) = beta.
    """
    many, beta, n = sympy.symbols("M beta n", positive=True)
    s = sympy.sqrt(sympy.Rational(20, 3) * sympy.log(many / beta) / n)
    assert sympy.simplify(many * sympy.exp(-sympy.Rational(3, 20) * n * s**2) - beta) == 0
    grid = [
        GaussianDatabases(n, p, size, 1, beta)
        for n in (200, 3000)
        for p in (1, 2, 7)
        for size in (1, 30)
        for beta in (Fraction(1, 3), Fraction(1, 50))
    ]
    assert_ends(statement, entry_distance, grid)
    for p in grid:
        assert statement.at(p) is Truth.TRUE
    # s^2 = (20/3) ln(6) / n and its like: 11.95 at p = 1, N = 1, beta = 1/3.
    edges = (grid[0], GaussianDatabases(12, 1, 1, 0, Fraction(1, 3)), GaussianDatabases(300, 1, 1, 0, Fraction(9, 10)))
    too_few = {"s <= 1": GaussianDatabases(11, 1, 1, 0, Fraction(1, 3))}
    assert_databases(statement, too_few, edges)


@lemma_4_5.controls("+repair", grade="interval", region="n = 200, N = 30, s cut to a third")
def test_a_third_of_the_distance_is_too_small(statement) -> None:
    p = GaussianDatabases(200, 1, 30, 1, Fraction(1, 50))
    with mpmath.workdps(40):
        low = 1 - (1 - chi_square_tails(200, entry_distance(p) / 3)) ** 30
        true = arb(mpmath.nstr(low, 30))
    assert statement.at(p) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - true).at(p) is Truth.FALSE
