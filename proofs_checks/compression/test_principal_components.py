"""`compression`: Theorem 5.1, step by step."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import precision, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import frobenius_norm
from dpmatrix.spec.compression import principal_components
from dpmatrix.spec.compression.principal_components import (
    ChangeOfCovariance,
    CompressedComponents,
    KeptCovariance,
    KeptEntry,
)
from dpmatrix.tracing import bind_expression
from proofs_checks.compression.compressed_tails import chi_square_tails, least_rows, logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import frobenius
from proofs_checks.exact_matrices import correlated, diagonal

theorem_5_1 = cite("compression.theorem-5-1@ed7d243e")

ONE = fmpq_mat([[1, 0], [0, 1]])


def components(n: int, p: int, m: int, ratio, level, delta_max=0) -> CompressedComponents:
    return CompressedComponents(n, p, m, delta_max, ratio=ratio, level=level)


POINTS = [
    components(n, p, m, ratio, level, delta)
    for n, p, m in ((50, 1, 400), (50, 2, 900), (1000, 2, 2000), (200, 3, 5000))
    for ratio, level in ((6, Fraction(1, 2)), (20, Fraction(1, 3)), (9, Fraction(2, 3)))
    for delta in (0, Fraction(1, 30))
]
INSIDE = components(10, 2, 76, 5, Fraction(1, 2))
"""C^2 ln 40 = 75.2 and K p^2 ln 2np = 73.8."""
OUTSIDE = {
    "records >= 2, an integer": attrs.evolve(INSIDE, records=1),
    "columns >= 1, an integer": attrs.evolve(INSIDE, columns=0),
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "delta_max >= 0": attrs.evolve(INSIDE, delta_max=Fraction(-1, 9)),
    "ratio > 0": attrs.evolve(INSIDE, ratio=0),
    "level > 0": attrs.evolve(INSIDE, level=0),
    "m >= K p^2 ln 2np": attrs.evolve(INSIDE, ratio=Fraction(52, 10)),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(INSIDE, rows=75),
}


def deviation(rows: int, tau: mpmath.mpf) -> mpmath.mpf:
    """Chernoff's bound for an entry off the diagonal."""
    return 2 * mpmath.exp(-rows * (tau - mpmath.log(1 + tau)) / 2)


def ends(p: CompressedComponents) -> tuple[mpmath.mpf, mpmath.mpf]:
    """Both ends of the probability: a diagonal entry, and all entries, each given that no more than P(E) is lost."""
    pairs, level = p.columns * (p.columns - 1) / mpmath.mpf(2), real(p.level)
    tau = mpmath.sqrt(squared_constant() * logarithm(p.records, p.columns) / p.rows)
    lost = p.columns * chi_square_tails(p.rows, tau) + pairs * deviation(p.rows, tau)
    share = level / p.columns
    above = p.columns * chi_square_tails(p.rows, share) + pairs * deviation(p.rows, share)
    return chi_square_tails(p.rows, level) - lost, min(mpmath.mpf(1), above / (1 - lost))


@theorem_5_1.supports(
    grade="derived",
    region="every p, n, level, m >= K p^2 ln 2np and >= 2 (C_1 + C_2) ln 2np: the docstring; both ends at 24 points",
)
def test_theorem_5_1_in_probability(statement) -> None:
    """For a Gaussian row u, Var(u_j u_k) = A_jk^2 + A_jj A_kk (1), so E ||B||_F^2 = (||A||_F^2 + tr(A)^2)/m.

    |A_jk| <= 1 for a covariance with unit diagonal, so that is at most 2 p^2/m <= 2/(K ln 2np), and ||B||_F > level has
    a probability of at most 2/(K level^2 ln 2np) by Markov's inequality. For X in S_n the kept outputs have a
    probability of at least 1 - 1/n^2 (Lemma 4.4): n^2/(n^2 - 1) times that, given that the output is kept. It tends to
    0 as n grows.
    """
    r, q, u, v = sympy.symbols("r q u v")
    square = sympy.expand((u * (r * u + q * v)) ** 2)
    moments = square.subs({u**4: 3}).subs({u**3 * v: 0}).subs({u**2 * v**2: 1})
    assert sympy.expand(moments.subs(q**2, 1 - r**2) - r**2 - (1 + r**2)) == 0, "(1)"
    # A level that is hardly ever exceeded, one that always is, and so few rows that much is lost.
    extremes = [components(50, 1, 400, 6, 2), components(50, 2, 900, 6, Fraction(1, 20)), components(2, 1, 8, 1, 1)]
    with mpmath.workdps(60), precision(200):
        for p in [*POINTS, *extremes]:
            n = mpmath.mpf(p.records)
            bound = 2 * n**2 / ((n**2 - 1) * real(p.ratio) * real(p.level) ** 2 * logarithm(p.records, p.columns))
            low, high = ends(p)
            margin, most = statement.formula(p), max(abs(low), abs(high))
            for end, value in ((margin.upper(), low), (margin.lower(), high)):
                assert abs(end - arb(mpmath.nstr(bound - value, 50))) < arb(2) ** -20 * arb(mpmath.nstr(most, 30))
    for p in (*POINTS, components(10**6, 1, 1000, 20, Fraction(1, 4))):
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    for point in (INSIDE, components(2, 1, 29, Fraction(1, 9), 3), attrs.evolve(INSIDE, delta_max=1)):
        bind_hypotheses(statement, point, OUTSIDE)
    assert statement.applies(attrs.evolve(INSIDE, ratio=Fraction(51, 10))) is Truth.TRUE
    assert not statement.strict


@theorem_5_1.controls(grade="interval", region="p = 1, n = 100: too few rows for K; 1/n^2 in place of the bound")
def test_theorem_5_1_needs_its_rows_and_its_rate(statement) -> None:
    p = components(100, 1, 109, 20, Fraction(1, 5))
    assert statement.at(p) is Truth.TRUE
    few = attrs.evolve(p, ratio=2000)
    assert statement.without("m >= K p^2 ln 2np").at(few) is Truth.FALSE
    smaller = statement.nudged(margin=lambda s: arb(fmpq(1, s.records**2)) - principal_components.far_output(s))
    assert smaller.at(p) is Truth.FALSE


def kept(ratio, least_records) -> KeptCovariance:
    """P = 2, A = Sigma_1 = I, and the corner of the box (12): X'X/m = I + r J, r = C sqrt(ln 2np/m) rounded down."""
    n = max(int(str(least_records)), 10**3)
    with mpmath.workdps(400):
        m = max(int(4 * real(ratio) * logarithm(n, 2)) + 1, least_rows(n, 2))
        r = Fraction(int(mpmath.sqrt(squared_constant() * logarithm(n, 2) / m) * 10**200), 10**200)
    corner = fmpq_mat([[1 + rational(r), rational(r)], [rational(r), 1 + rational(r)]])
    return KeptCovariance(ONE, ONE, corner, n, m, 0, ratio, least_records)


@theorem_5_1.refutes("tends-to-zero", grade="derived", region="p = 2, A = I: every K and n_0; run from 10^-12 to 10^12")
def test_kept_outputs_do_not_come_closer(statement) -> None:
    """||r J||_F = 2 r with r^2 = C^2 L/m, L = ln 4n, and m = max(4 K, C^2) L, rounded up: C^2 = 20.4.

    So 2 r is C/sqrt(K) > 4/sqrt(K) for K >= C^2/4, and 2 > 1 below that, but for the rounding of m, which vanishes as n
    grows. The corner is positive definite, so it is X'X/m for some X.
    """
    assert statement.formula(kept(4, 2)) < 0
    statement.refute(kept)
    theorem_5_1.tells("C/sqrt(K), C = {}", mpmath.sqrt(squared_constant()))
    points = [kept(ratio, n) for ratio in (6, 100, 10**4) for n in (10**3, 10**9, 10**30)]
    # Any other radius inside the box, by ||r J||_F = 2 r.
    corners = [(p, Fraction(k, 7)) for p in points for k in (0, 1, 5)]
    moved = [attrs.evolve(p, compressed=ONE + (p.compressed - ONE) * rational(share)) for p, share in corners]
    bind_formula(
        statement, moved, lambda p: min(1, 4 / mpmath.sqrt(real(p.ratio))) - frobenius(real_matrix(p.compressed - ONE))
    )
    p = attrs.evolve(kept(100, 10**9), delta_max=Fraction(1, 8))
    beyond = fmpq_mat([[2, 0], [0, 1]])
    outside = {
        "A and Sigma_1 are covariances of normalised columns": attrs.evolve(p, covariance=diagonal([2, 1])),
        "records >= 2, an integer": attrs.evolve(p, records=1),
        "rows >= 1, an integer": attrs.evolve(p, rows=0),
        "m >= K p^2 ln 2np": attrs.evolve(p, ratio=101),
        "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(p, rows=450),
        "the output is X'X/m": attrs.evolve(p, compressed=ONE * fmpq(1, 1) + fmpq_mat([[0, fmpq(1, 9)], [0, 0]])),
        "the output is kept: (12)": attrs.evolve(p, compressed=beyond),
        "|Sigma_1 - A| <= Delta_max": attrs.evolve(p, reference=correlated(Fraction(1, 7))),
        "n >= n_0": attrs.evolve(p, least_records=10**9 + 1),
    }
    bind_hypotheses(statement, p, outside)
    for wrong in (diagonal([2, 1]), correlated(2), fmpq_mat([[1, 0], [fmpq(1, 7), 1]])):
        for field in ("covariance", "reference"):
            says = {"A and Sigma_1 are covariances of normalised columns": attrs.evolve(p, **{field: wrong})}
            bind_hypotheses(statement, p, outside | says)
    assert statement.applies(attrs.evolve(p, records=2, least_records=2, compressed=ONE)) is Truth.TRUE
    few = {"the output is X'X/m": attrs.evolve(p, rows=1)}
    bind_hypotheses(statement, p, outside | few)
    indefinite = {"the output is X'X/m": attrs.evolve(p, compressed=correlated(Fraction(11, 10)))}
    bind_hypotheses(statement, attrs.evolve(p, reference=correlated(Fraction(1, 9))), outside | indefinite)
    assert statement.applies(attrs.evolve(p, compressed=p.compressed + ONE * fmpq(1, 9))) is Truth.TRUE
    assert statement.applies(attrs.evolve(p, compressed=p.compressed + ONE * fmpq(1, 7))) is Truth.FALSE
    assert not statement.strict


@theorem_5_1.supports("largest-entry", grade="derived", region="every B: p^2 squares; bound at 21 matrices")
def test_the_largest_entry_bounds_the_norm(statement) -> None:
    """||B||_F^2 is a sum of p^2 squares, each at most tau^2."""
    points = [
        ChangeOfCovariance(fmpq_mat([[fmpq(a, 3), fmpq(b, 2)], [fmpq(b, 2), -1]]))
        for a in range(-3, 4)
        for b in range(3)
    ]
    bind_formula(
        statement,
        points,
        lambda p: p.change.nrows() * max(abs(x) for x in real_matrix(p.change)) - frobenius(real_matrix(p.change)),
    )
    for p in points:
        assert statement.at(p) is Truth.TRUE
    assert statement.at(ChangeOfCovariance(diagonal([-1, -1]))) is Truth.TRUE
    bind_hypotheses(statement, points[0], {"B is square": ChangeOfCovariance(fmpq_mat([[1, 1]]))})
    signed = statement.nudged(
        margin=lambda p: p.change.nrows() * arb(max(p.change.entries())) - frobenius_norm(p.change)
    )
    assert signed.at(ChangeOfCovariance(diagonal([-1, -1]))) is Truth.FALSE, "without the absolute value"
    assert not statement.strict


@theorem_5_1.supports("triangle", grade="derived", region="every entry: the triangle inequality")
def test_the_triangle_inequality_of_theorem_5_1(statement) -> None:
    """|g - a| <= |g - s| + |s - a| <= (t + Delta_max) + Delta_max."""
    points = [
        KeptEntry(Fraction(g, 3), Fraction(s, 4), Fraction(a, 5), Fraction(9, 4), Fraction(3, 2))
        for g in (-2, 0, 5)
        for s in (-3, 1, 4)
        for a in (-2, 0, 3)
    ]
    width, delta_max, compressed, own = sympy.symbols("width delta_max compressed own")
    bind_expression(statement, width + 2 * delta_max - sympy.Abs(compressed - own))
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
    bind_hypotheses(statement, KeptEntry(2, 1, Fraction(3, 4), Fraction(3, 4), Fraction(1, 4)), outside)
    bind_hypotheses(statement, KeptEntry(-1, 0, Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)), outside)
    assert not statement.strict
