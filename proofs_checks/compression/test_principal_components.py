"""`compression`: Theorem 5.1, step by step."""

from __future__ import annotations

import random
from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression.principal_components import (
    ChangeOfCovariance,
    CompressedCovariance,
    KeptCovariance,
    KeptEntry,
)
from proofs_checks.compression.compressed_tails import logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import frobenius
from proofs_checks.exact_matrices import correlated, diagonal

theorem_5_1 = cite("compression.theorem-5-1@cda87297")

ENTRIES = random.Random(20041213)
ONE = fmpq_mat([[1, 0], [0, 1]])


def compressed(n: int, size: int, m: int, **fields) -> CompressedCovariance:
    entries = [Fraction(ENTRIES.randint(-9, 9), 30) for _ in range(size * (size - 1) // 2)]
    return CompressedCovariance(correlated(*entries), n, m, **({"ratio": Fraction(1, 3)} | fields))


COVARIANCES = [
    compressed(n, p, m, ratio=Fraction(k, 2), delta_max=Fraction(k, 90))
    for k, (n, p) in enumerate([(50, 2), (50, 3), (1000, 2), (10**6, 3), (10**9, 4), (200, 3), (70, 2)], 1)
    for m in (400, 1000, 9000)
]
COMPRESSED = CompressedCovariance(correlated(Fraction(1, 2)), 10, 76, 5)
"""C^2 ln 40 = 75.2 and K p^2 ln 2np = 73.8."""
COVARIANCE_OUTSIDE = {
    "A is symmetric with unit diagonal": attrs.evolve(COMPRESSED, covariance=diagonal([2, 1])),
    "A is positive semidefinite": attrs.evolve(COMPRESSED, covariance=correlated(2)),
}
ROWS_OUTSIDE = {
    "records >= 2, an integer": attrs.evolve(COMPRESSED, records=1),
    "rows >= 1, an integer": attrs.evolve(COMPRESSED, rows=0),
    "ratio > 0": attrs.evolve(COMPRESSED, ratio=0),
    "m >= K p^2 ln 2np": attrs.evolve(COMPRESSED, ratio=Fraction(52, 10)),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(COMPRESSED, rows=75),
}


def assert_compressed(statement) -> None:
    bind_hypotheses(statement, COMPRESSED, COVARIANCE_OUTSIDE | ROWS_OUTSIDE)
    assert statement.applies(attrs.evolve(COMPRESSED, ratio=Fraction(51, 10))) is Truth.TRUE
    assert statement.applies(CompressedCovariance(correlated(1), 2, 43, Fraction(1, 9))) is Truth.TRUE, "singular A"
    skew = fmpq_mat([[1, 0], [fmpq(1, 7), 1]])
    assert statement.applies(attrs.evolve(COMPRESSED, covariance=skew)) is Truth.FALSE
    assert not statement.strict


@theorem_5_1.supports_repair(
    grade="derived",
    region="every p, n, m >= K p^2 ln 2np and >= 2 (C_1 + C_2) ln 2np: the docstring; bound at 21 points",
)
def test_theorem_5_1_on_average(statement) -> None:
    """For a Gaussian row u, Var(u_j u_k) = A_jk^2 + A_jj A_kk, so E ||B||_F^2 = (||A||_F^2 + tr(A)^2)/m (1).

    |A_jk| <= 1 for a covariance with unit diagonal, so that is at most 2 p^2/m <= 2/(K ln 2np). The kept outputs have
    probability at least 1 - 1/n^2 (Lemma 4.4), so their mean is at most that of all, divided by it.
    """
    r = sympy.Symbol("r")
    u, v = sympy.symbols("u v")
    square = sympy.expand((u * (r * u + sympy.Symbol("q") * v)) ** 2)
    moments = square.subs({u**4: 3}).subs({u**3 * v: 0}).subs({u**2 * v**2: 1})
    assert sympy.expand(moments.subs(sympy.Symbol("q") ** 2, 1 - r**2) - r**2 - (1 + r**2)) == 0, "(1)"

    def formula(p: CompressedCovariance) -> mpmath.mpf:
        size, n = p.covariance.nrows(), mpmath.mpf(p.records)
        mean = (sum(x**2 for x in real_matrix(p.covariance)) + size**2) / p.rows
        return n**2 / (n**2 - 1) * (2 / (real(p.ratio) * logarithm(p.records, size)) - mean)

    bind_formula(statement, COVARIANCES, formula)
    for p in COVARIANCES:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    assert statement.at(CompressedCovariance(correlated(1, 1, 1), 10**6, 10**4, 64)) is Truth.TRUE, "the extreme A = J"
    assert_compressed(statement)


@theorem_5_1.controls("+repair", grade="interval", region="A = J: the bound cut by a tenth; fewer rows")
def test_theorem_5_1_is_sharp_on_average(statement) -> None:
    """At A = J and m = K p^2 ln 2np the mean square is 2/(K ln 2np) but for rounding up m."""
    p = CompressedCovariance(correlated(1, 1, 1), 10**6, 10**5, 711)
    assert statement.at(p) is Truth.TRUE
    tenth = 2 / (arb(711) * arb(6 * 10**6).log()) / 10
    assert statement.nudged(lambda margin: margin - tenth).at(p) is Truth.FALSE
    assert statement.without("m >= K p^2 ln 2np").at(attrs.evolve(p, rows=9 * 10**4)) is Truth.FALSE


def kept(power: int, ratio: int) -> KeptCovariance:
    """P = 2, A = Sigma_1 = I, and the corner of the box (12): X'X/m = I + r J, r = C sqrt(ln 2np/m) rounded down."""
    m = int(4 * ratio * logarithm(10**power, 2)) + 1
    width = mpmath.sqrt(squared_constant() * logarithm(10**power, 2) / m)
    r = Fraction(int(width * 10**12), 10**12)
    corner = fmpq_mat([[1 + rational(r), rational(r)], [rational(r), 1 + rational(r)]])
    level = Fraction(4, 1) / Fraction(int(mpmath.ceil(mpmath.sqrt(ratio) * 1000)), 1000)
    return KeptCovariance(ONE, 10**power, m, ratio, compressed=corner, reference=ONE, level=level)


@theorem_5_1.refutes(
    grade="derived",
    region="p = 2, A = I: K = 6, 100, 10^4 with n = 10^3, 10^9, 10^30, 10^100, every n: a kept "
    "output with ||B||_F > 4/sqrt(K)",
)
def test_kept_outputs_do_not_come_closer(statement) -> None:
    """||r J||_F = 2 r, which is C/sqrt(K) but for rounding m up; C = 4.5."""
    points = [kept(power, ratio) for ratio in (6, 100, 10**4) for power in (3, 9, 30, 100)]
    for p in points:
        assert statement.at(p) is Truth.FALSE
    # Any other radius inside the box, by ||r J||_F = 2 r.
    corners = [(p, Fraction(k, 7)) for p in points for k in (0, 1, 5)]
    bind(
        statement,
        (
            (attrs.evolve(p, compressed=ONE + (p.compressed - ONE) * rational(share), delta_max=share), value)
            for p, share in corners
            for value in [Fraction(p.level) - 2 * share * Fraction(str(p.compressed[0, 1]))]
        ),
    )
    p = attrs.evolve(kept(9, 100), delta_max=Fraction(1, 8))
    beyond = fmpq_mat([[2, 0], [0, 1]])
    outside = {
        name: KeptCovariance(
            other.covariance,
            other.records,
            other.rows,
            other.ratio,
            compressed=other.covariance,
            reference=other.covariance,
            level=1,
        )
        for name, other in (COVARIANCE_OUTSIDE | ROWS_OUTSIDE).items()
    } | {
        "level > 0": attrs.evolve(p, level=0),
        "the output is X'X/m": attrs.evolve(p, compressed=ONE * fmpq(1, 1) + fmpq_mat([[0, fmpq(1, 9)], [0, 0]])),
        "the output is kept: (12)": attrs.evolve(p, compressed=beyond),
        "|Sigma_1 - A| <= Delta_max": attrs.evolve(p, reference=correlated(Fraction(1, 7))),
    }
    bind_hypotheses(statement, p, outside)
    indefinite = attrs.evolve(p, covariance=ONE, compressed=correlated(Fraction(11, 10)), ratio=6, rows=90, records=2)
    assert statement.applies(attrs.evolve(p, reference=correlated(Fraction(1, 9)))) is Truth.TRUE
    assert statement.applies(indefinite) is Truth.FALSE
    assert statement.applies(attrs.evolve(p, compressed=p.compressed + ONE * fmpq(1, 9))) is Truth.TRUE
    assert statement.applies(attrs.evolve(p, compressed=p.compressed + ONE * fmpq(1, 7))) is Truth.FALSE
    assert not statement.strict


@theorem_5_1.refutes(
    "tends-to-zero",
    grade="derived",
    region="m = p^2 ln 2np rounded up (K = 1), p = 5, Delta_max = 0: n = 10^4, 10^9, 10^30, "
    "10^100, every n, as the bound stays near C = 4.5",
)
def test_omega_does_not_make_the_bound_vanish(statement) -> None:
    for power in (4, 9, 30, 100):
        m = int(25 * logarithm(10**power, 5)) + 1
        assert statement.at(CompressedCovariance(correlated(*[0] * 10), 10**power, m, 1)) is Truth.FALSE

    def formula(p: CompressedCovariance) -> mpmath.mpf:
        size = p.covariance.nrows()
        tau = mpmath.sqrt(squared_constant() * logarithm(p.records, size) / p.rows)
        return 1 - size * (tau + 2 * real(p.delta_max))

    bind_formula(statement, COVARIANCES, formula)
    assert_compressed(statement)


@theorem_5_1.refutes("definite", grade="symbolic", region="two equal columns")
def test_the_covariance_may_be_singular(statement) -> None:
    assert statement.at(CompressedCovariance(correlated(1), 10, 100, 1)) is Truth.FALSE
    assert statement.at(COMPRESSED) is Truth.TRUE
    bind_hypotheses(statement, COMPRESSED, COVARIANCE_OUTSIDE)
    bind_hypotheses(statement, attrs.evolve(COMPRESSED, covariance=correlated(1)), COVARIANCE_OUTSIDE)
    assert statement.strict
    points = [attrs.evolve(COMPRESSED, covariance=correlated(Fraction(k, 25))) for k in range(-20, 21)]
    bind(statement, ((p, min(fmpq(1), fmpq(2), p.covariance.det())) for p in points))


@theorem_5_1.refutes("largest-entry", grade="symbolic", region="B = -I")
def test_the_largest_entry_needs_its_absolute_value(statement) -> None:
    assert statement.at(ChangeOfCovariance(diagonal([-1, -1]))) is Truth.FALSE
    assert statement.at(ChangeOfCovariance(ONE)) is Truth.TRUE
    points = [
        ChangeOfCovariance(fmpq_mat([[fmpq(a, 3), fmpq(b, 2)], [fmpq(b, 2), -1]]))
        for a in range(-3, 4)
        for b in range(3)
    ]
    bind_formula(
        statement,
        points,
        lambda p: p.change.nrows() * max(real_matrix(p.change)) - frobenius(real_matrix(p.change)),
    )
    skew = fmpq_mat([[1, 0], [1, 1]])
    bind_hypotheses(statement, ChangeOfCovariance(ONE), {"B is symmetric": ChangeOfCovariance(skew)})
    assert statement.at(ChangeOfCovariance(diagonal([0, 0]))) is Truth.TRUE
    assert not statement.strict


@theorem_5_1.supports("triangle", grade="derived", region="every entry: the triangle inequality; bound at 27 points")
def test_the_triangle_inequality_of_theorem_5_1(statement) -> None:
    """|g - a| <= |g - s| + |s - a| <= (t + Delta_max) + Delta_max."""
    points = [
        KeptEntry(Fraction(g, 3), Fraction(s, 4), Fraction(a, 5), Fraction(9, 4), Fraction(3, 2))
        for g in (-2, 0, 5)
        for s in (-3, 1, 4)
        for a in (-2, 0, 3)
    ]
    bind(statement, ((p, p.width + 2 * p.delta_max - abs(p.compressed - p.own)) for p in points))
    for p in points:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    edge = KeptEntry(1, 0, Fraction(-1, 4), Fraction(3, 4), Fraction(1, 4))
    assert statement.at(edge) is Truth.TRUE, "equality"
    outside = {
        "|X'X/m - Sigma_1| <= C sqrt(ln 2np/m) + Delta_max": attrs.evolve(edge, compressed=Fraction(11, 10)),
        "|Sigma_1 - A| <= Delta_max": attrs.evolve(edge, own=Fraction(-3, 10)),
    }
    bind_hypotheses(statement, edge, outside)
    bind_hypotheses(statement, KeptEntry(-1, 0, Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)), outside)
    assert not statement.strict
