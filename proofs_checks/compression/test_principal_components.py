"""`compression`: Theorem 5.1, step by step."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import ball, precision, rational
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
from proofs_checks.compression.compressed_tails import chi_square_tails, logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import frobenius
from proofs_checks.exact_matrices import correlated, diagonal

theorem_5_1 = cite("compression.theorem-5-1@17e42ada")

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


def corner(n: int, ratio, **fields) -> KeptCovariance:
    """P = 2, A = Sigma_1 = I, and the corner of the box (12): X'X/m = I + r J, r = C sqrt(ln 2np/m) rounded down."""
    with mpmath.workdps(400):
        m = int(4 * real(ratio) * logarithm(n, 2)) + 1
        r = Fraction(int(mpmath.sqrt(squared_constant() * logarithm(n, 2) / m) * 10**200), 10**200)
    matrix = fmpq_mat([[1 + rational(r), rational(r)], [rational(r), 1 + rational(r)]])
    return attrs.evolve(KeptCovariance(ONE, ONE, matrix, n, m, 0, ratio), **fields)


def kept_bound(p: KeptCovariance) -> mpmath.mpf:
    size = p.covariance.nrows()
    bound = mpmath.sqrt(squared_constant() / real(p.ratio)) + 2 * size * real(p.delta_max)
    return bound - frobenius(real_matrix(p.compressed - p.covariance))


FAR = fmpq_mat([[2, 0], [0, 1]])


def outside_of(p: KeptCovariance) -> dict[str, KeptCovariance]:
    """Points that leave one hypothesis of `every-kept-output` each."""
    return {
        "records >= 1, an integer": attrs.evolve(p, records=0),
        "rows >= 1, an integer": attrs.evolve(p, rows=0),
        "ratio > 0": attrs.evolve(p, ratio=0),
        "m >= K p^2 ln 2np": attrs.evolve(p, ratio=rational(p.ratio) * 10**6),
        "the output is kept: (12)": attrs.evolve(p, compressed=p.compressed * 100),
        "|Sigma_1 - A| <= Delta_max": attrs.evolve(p, reference=p.reference * 2),
    }


@theorem_5_1.supports(
    "every-kept-output",
    grade="derived",
    region="every p, n, K, m >= K p^2 ln 2np, reference and output: the docstring; bound at 45 points of p = 2",
)
def test_every_kept_output_is_within_the_box(statement) -> None:
    """Each |B_jk| is at most C sqrt(L/m) + 2 Delta_max, L = ln 2np, by `triangle`, and ||B||_F at most p times that.

    p C sqrt(L/m) <= C/sqrt(K) for m >= K p^2 L. At p = 2 and A = I the corner I + r J has ||B||_F = 2 r, which is the
    bound but for the rounding of m.
    """
    big, ratio, size, length = sympy.symbols("C K p L", positive=True)
    at_least = size * big * sympy.sqrt(length / (ratio * size**2 * length))
    assert sympy.simplify(at_least - big / sympy.sqrt(ratio)) == 0
    points = [corner(n, ratio) for ratio in (Fraction(1, 2), 6, 100, 10**4, 10**7) for n in (10**3, 10**9, 10**30)]
    # Any other radius inside the box, and a Delta_max that leaves room.
    corners = [(p, Fraction(k, 7)) for p in points for k in (0, 1, 5)]
    moved = [
        attrs.evolve(p, compressed=ONE + (p.compressed - ONE) * rational(share), delta_max=1 - share)
        for p, share in corners
    ]
    bind_formula(statement, moved, kept_bound)
    for p in [*points, *moved]:
        assert statement.at(p) is Truth.TRUE
    away = attrs.evolve(corner(10**9, 100), delta_max=Fraction(1, 8), covariance=correlated(Fraction(1, 8)))
    assert statement.at(away) is Truth.TRUE
    one = KeptCovariance(*[fmpq_mat([[1]])] * 3, 1, 1, 0, 1)
    few = attrs.evolve(corner(10**3, Fraction(1, 100)), rows=1)
    for inside in (corner(10**9, 100), away, one, few):
        bind_hypotheses(statement, inside, outside_of(inside))
    assert statement.applies(attrs.evolve(away, reference=correlated(Fraction(1, 7)))) is Truth.TRUE
    assert statement.applies(attrs.evolve(away, reference=correlated(Fraction(1, 3)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(corner(10**9, 100), compressed=FAR)) is Truth.FALSE, "one entry is outside"
    assert not statement.strict
    theorem_5_1.tells("by C/sqrt(K), C = {}", mpmath.sqrt(squared_constant()))


@theorem_5_1.controls(
    "every-kept-output",
    grade="interval",
    region="p = 2, A = I, the corner of the box at n = 10^9: 4 for C; each of the last three hypotheses dropped",
)
def test_kept_outputs_do_not_come_closer(statement) -> None:
    p = corner(10**9, 100)
    assert statement.at(p) is Truth.TRUE
    closer = statement.nudged(margin=lambda s: 4 / ball(s.ratio).sqrt() - frobenius_norm(s.compressed - s.covariance))
    assert closer.at(p) is Truth.FALSE
    far = {
        "m >= K p^2 ln 2np": attrs.evolve(p, ratio=10**4),
        "the output is kept: (12)": attrs.evolve(p, compressed=FAR),
        "|Sigma_1 - A| <= Delta_max": attrs.evolve(p, covariance=FAR),
    }
    for says, point in far.items():
        assert statement.without(says).at(point) is Truth.FALSE, says


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
