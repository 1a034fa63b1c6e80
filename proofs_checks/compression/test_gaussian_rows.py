"""`compression`: Lemma 4.5 against exact chi-square tails."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, ctx

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball, rational
from dpmatrix.privacy.profiles.incomplete_gamma import upper_tail
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import gaussian_rows
from dpmatrix.spec.compression.gaussian_rows import GaussianDatabases
from proofs_checks.compression.compressed_tails import chi_square_tails

lemma_4_5 = cite("compression.lemma-4-5@42bcf1e2")

DATABASES = GaussianDatabases(100, 2, 3, 5, Fraction(1, 2), 1)
DATABASES_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(DATABASES, records=0),
    "databases >= 1, an integer": attrs.evolve(DATABASES, databases=0),
    "doublings >= 0, an integer": attrs.evolve(DATABASES, doublings=-1),
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
            number = p.databases * mpmath.mpf(2) ** p.doublings
            low = 1 - (1 - one) ** number
            other = 2 * mpmath.exp(-p.records * (s - mpmath.log(1 + s)) / 2)
            high = min(mpmath.mpf(1), number * (p.columns * one + p.columns * (p.columns - 1) * other / 2))
            margin = statement.margin(p)
            for end, value in ((margin.upper(), low), (margin.lower(), max(low, high))):
                assert abs(end - arb(mpmath.nstr(real(p.failure) - value, 30))) < arb(2) ** -20


def many(constant) -> GaussianDatabases:
    """Take n = 100, p = 2, beta = 1/2, and 2/q databases or more, q = Pr(chi^2_100 > 100 (1 + d)), d the distance."""
    with ctx.workprec(1024):
        distance = ball(rational(constant)) * (arb(2).log() / 100).sqrt() / 2
        doublings = max(0, int((-upper_tail(50 * (1 + distance), arb(50)).log() / arb(2).log()).upper().ceil().fmpz()))
    return GaussianDatabases(100, 2, 2, constant, Fraction(1, 2), doublings)


@lemma_4_5.refutes(
    grade="derived", region="beta = 1/2, n = 100, p = 2: every K by enough databases; run from 10^-12 to 10^12"
)
def test_the_rate_of_lemma_4_5_ignores_the_number_of_databases(statement) -> None:
    """A diagonal entry of X'X/n exceeds 1 + d with a probability q > 0, d = K sqrt(log 2 / n)/2.

    So N >= 2/q independent databases have Delta_max > K sqrt(log 2 / n) with a probability of at least 1 - (1 - q)^N >=
    1 - exp(-2) > 1/2.
    """
    statement.refute(many)
    one = GaussianDatabases(1000, 2, 1, 20, Fraction(1, 2))
    assert statement.conclusion(one) is Truth.TRUE, "one database"

    def distance(p: GaussianDatabases) -> mpmath.mpf:
        return real(p.constant) * mpmath.sqrt(mpmath.log(p.columns) / p.records) / 2

    grid = [
        GaussianDatabases(n, p, size, constant, Fraction(1, 9))
        for n in (50, 400)
        for p in (2, 7)
        for size in (1, 30)
        for constant in (2, 4, Fraction(13, 2))
    ]
    assert_ends(statement, distance, [*grid, DATABASES])
    # A distance of almost nothing is exceeded for sure, also where no ball tells its probability from 1.
    assert_ends(statement, distance, [attrs.evolve(DATABASES, constant=Fraction(1, 10**k)) for k in (1, 30)])
    # One database misses it now and then: with probability 0.02 at d = 0.004.
    assert_ends(statement, distance, [attrs.evolve(DATABASES, databases=1, doublings=0, constant=Fraction(1, 10))])
    large = attrs.evolve(DATABASES, failure=Fraction(99, 100))
    small = GaussianDatabases(1, 1, 1, Fraction(1, 9), Fraction(1, 100))
    more = {"columns >= 2, an integer": small}
    assert_databases(statement, more, (DATABASES, large, attrs.evolve(small, columns=2)))


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
    too_few = {
        "s <= 1": GaussianDatabases(11, 1, 1, 0, Fraction(1, 3)),
        "columns >= 1, an integer": attrs.evolve(DATABASES, columns=0),
    }
    assert_databases(statement, too_few, edges)


@lemma_4_5.controls("+repair", grade="interval", region="log p for log(p (p + 1) N / beta), n = 200, N = 2^30; s > 1")
def test_the_number_of_databases_counts(statement) -> None:
    def printed(p: GaussianDatabases) -> arb:
        return (ball(rational(Fraction(20, 3))) * arb(p.columns).log() / p.records).sqrt()

    p = GaussianDatabases(3000, 2, 1, 1, Fraction(1, 50), 30)
    assert statement.at(p) is Truth.TRUE
    assert redefined(statement, gaussian_rows, "entry_distance", printed).at(p) is Truth.FALSE
    far = GaussianDatabases(1, 1, 1, 1, Fraction(1, 10**6))
    assert statement.without("s <= 1").at(far) is Truth.FALSE
