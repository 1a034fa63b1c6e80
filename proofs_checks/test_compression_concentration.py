"""`compression`: Lemma B.1, Lemma 4.4, Lemma 4.5 and Remark 4.3 against exact chi-square and product-normal tails."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import attrs
import mpmath
import pytest
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.spec.compression.gaussian_rows import GaussianDatabases
from dpmatrix.spec.compression.inner_products import Decimal, ProjectedPair
from dpmatrix.spec.compression.truncated_mass import EntryTriangle, RenormalisedRatio, TruncationSetting

DIGITS = 70


def first_constant() -> mpmath.mpf:
    return 4 * mpmath.e / mpmath.sqrt(6 * mpmath.pi)


def second_constant() -> mpmath.mpf:
    return mpmath.sqrt(8) * mpmath.e


def chi_square_tails(m: int, tau: mpmath.mpf) -> mpmath.mpf:
    half = mpmath.mpf(m) / 2
    above = mpmath.gammainc(half, half * (1 + tau), mpmath.inf, regularized=True)
    return above + (mpmath.gammainc(half, 0, half * (1 - tau), regularized=True) if tau < 1 else 0)


@cache
def product_tails(m: int, tau: Fraction, r: Fraction) -> mpmath.mpf:
    """Integrate one gamma variable numerically: Pr(|(1 + r) G - (1 - r) G' - m r| >= m tau)."""
    half = m // 2

    def above(a, b, point) -> mpmath.mpf:
        def integrand(g):
            value = (point + b * g) / a
            tail = mpmath.gammainc(half, value, mpmath.inf, regularized=True) if value > 0 else mpmath.mpf(1)
            return tail * g ** (half - 1) * mpmath.exp(-g) / mpmath.gamma(half)

        kink = -point / b if point < 0 else mpmath.mpf(0)
        ends = [0, kink, kink + 5, kink + 20, kink + 60, mpmath.inf] if kink else [0, 2, 8, 30, 90, mpmath.inf]
        return mpmath.quad(integrand, ends)

    first, second = 1 + real(r), 1 - real(r)
    return above(first, second, m * real(r + tau)) + above(second, first, m * real(tau - r))


def tail(p: ProjectedPair) -> mpmath.mpf:
    distance = Fraction(p.tau) / Fraction(p.norms)
    if abs(p.cosine) == 1:
        return chi_square_tails(p.rows, real(distance))
    return product_tails(p.rows, distance, Fraction(p.cosine))


PAIRS = [
    *(ProjectedPair(m, Fraction(k, 8), s) for m in (1, 2, 5, 40) for k in (1, 7, 8, 20) for s in (1, -1)),
    *(ProjectedPair(m, Fraction(2, 5), r) for m in (2, 4, 6) for r in (Fraction(0), Fraction(-3, 4), Fraction(1, 2))),
    ProjectedPair(4, Fraction(1, 2), 1, Fraction(1, 3)),
    ProjectedPair(4, Fraction(1, 2), Fraction(1, 4), Fraction(2, 3)),
]


def bind_pairs(statement, bound) -> None:
    bind_formula(statement, PAIRS, lambda p: bound(p) - tail(p))


INSIDE = ProjectedPair(2, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
OUTSIDE = {
    "rows >= 1, an integer": attrs.evolve(INSIDE, rows=0),
    "tau > 0": attrs.evolve(INSIDE, tau=0),
    "cosine >= -1": attrs.evolve(INSIDE, cosine=Fraction(-101, 100)),
    "cosine <= 1": attrs.evolve(INSIDE, cosine=Fraction(101, 100)),
    "norms > 0": attrs.evolve(INSIDE, norms=0),
    "norms <= 1": attrs.evolve(INSIDE, norms=Fraction(101, 100)),
}


def assert_domain(statement) -> None:
    for edge in (INSIDE, ProjectedPair(1, 9, -1, 1), ProjectedPair(1, Fraction(1, 99), 1, Fraction(1, 99))):
        bind_hypotheses(statement, edge, OUTSIDE)
    assert not statement.strict


@pytest.mark.evidence(
    "compression.lemma-b-1@934a7d89",
    role="refutes",
    grade="interval",
    region="x = y: (m, tau) = (3500, 0.16), (10000, 0.05), (40000, 0.05), (10^6, 0.01), exact chi-square tails",
)
def test_lemma_b_1_fails_for_many_rows(statement, record_property) -> None:
    for rows, tau in (
        (3500, Fraction(4, 25)),
        (10**4, Fraction(1, 20)),
        (40000, Fraction(1, 20)),
        (10**6, Fraction(1, 100)),
    ):
        assert statement.at(ProjectedPair(rows, tau)) is Truth.FALSE
    record_property("detail", "m = 40000, tau = 1/20: probability 2.04e-12, printed bound 1.85e-15")
    assert statement.at(ProjectedPair(3000, Fraction(4, 25))) is Truth.TRUE
    assert statement.at(ProjectedPair(10**6, Fraction(3, 10))) is Truth.TRUE, "from tau = 0.2975 on it is true"
    assert statement.at(ProjectedPair(40000, Fraction(1, 20), 0)) is Truth.TRUE, "orthogonal vectors: variance 1/m"
    bind_pairs(
        statement,
        lambda p: 2 * mpmath.exp(-p.rows * real(p.tau) ** 2 / (first_constant() + second_constant() * real(p.tau))),
    )
    assert_domain(statement)


@pytest.mark.evidence(
    "compression.lemma-b-1+repair@934a7d89",
    role="supports-repair",
    grade="symbolic",
    region="every m, tau > 0, n, x, y: the docstring's derivation; bound to exact tails at 43 points",
)
def test_lemma_b_1_with_the_true_constants(statement) -> None:
    """Chernoff for W = sum u_i v_i - m r with (u, v) standard normal of correlation r, for unit vectors x, y.

    With a = (1+r)/2, b = (1-r)/2 and h(s) = -s - log(1-2s)/2 = sum_{k>=2} (2s)^k/(2k), the moment generating function
    of W per row is exp(h(as) + h(-bs)). For s in [0, 1/2): h(-bs) <= h(bs), because the odd terms of the series are
    positive (1); h is convex with h(0) = 0, so h(as) + h(bs) <= (a + b) h(s) = h(s) (2). The same holds for -W. So both
    tails are at most inf_s exp(m (h(s) - s tau)) = exp(-m (tau - log(1+tau))/2), at s = tau/(2 (1+tau)) (3). Last, f(t)
    = t - log(1+t) - t^2/(2 + 4t/3) has f(0) = 0 and f'(t) = (4/9) t^3 / ((1+t)(2+4t/3)^2) >= 0 (4). If |x||y| = q < 1,
    the distance tau/q is larger and the bound decreases in tau (5).
    """
    s, t, r = sympy.symbols("s t r", positive=True)
    h = -s - sympy.log(1 - 2 * s) / 2
    assert all(c > 0 for c in sympy.Poly(sympy.series(h, s, 0, 9).removeO(), s).coeffs()), "(1)"
    assert sympy.simplify(sympy.diff(h, s, 2) - 2 / (1 - 2 * s) ** 2) == 0, "(2)"
    best = t / (2 * (1 + t))
    assert sympy.simplify(sympy.diff(h, s).subs(s, best) - t) == 0, "(3)"
    rate = sympy.simplify((best * t - h.subs(s, best)) - (t - sympy.log(1 + t)) / 2)
    assert sympy.simplify(sympy.expand_log(rate, force=True)) == 0, "(3)"
    f = t - sympy.log(1 + t) - t**2 / (2 + 4 * t / 3)
    derivative = sympy.Rational(4, 9) * t**3 / ((1 + t) * (2 + 4 * t / 3) ** 2)
    assert sympy.simplify(sympy.diff(f, t) - derivative) == 0, "(4)"
    assert f.subs(t, 0) == 0, "(4)"
    growth = sympy.diff(t**2 / (4 + 8 * t / 3), t)
    assert sympy.simplify(growth - (8 * t + 8 * t**2 / 3) / (4 + 8 * t / 3) ** 2) == 0, "(5)"
    covariance = sympy.Matrix([[1, r], [r, 1]])
    assert set(covariance.eigenvals()) == {1 + r, 1 - r}, (
        "u + v and u - v are independent, of variance 2 (1 + r), 2 (1 - r)"
    )
    bind_pairs(statement, lambda p: 2 * mpmath.exp(-p.rows * real(p.tau) ** 2 / (4 + 8 * real(p.tau) / 3)))
    for p in PAIRS:
        assert statement.at(p) is Truth.TRUE
    for rows, tau in ((40000, Fraction(1, 20)), (10**6, Fraction(1, 100)), (200, Fraction(1)), (30, Fraction(9))):
        for cosine in (1, -1, Fraction(0), Fraction(99, 100)):
            if abs(cosine) == 1 or rows <= 200:
                assert statement.at(ProjectedPair(rows, tau, cosine)) is Truth.TRUE
    assert_domain(statement)


@pytest.mark.evidence(
    "compression.lemma-b-1+repair@934a7d89",
    role="control",
    grade="interval",
    region="C_1 = 3.6 in place of 4, m = 10^6",
)
def test_a_smaller_first_constant_fails(statement) -> None:
    """The variance is 2/m, so no C_1 below 4 will do: at m = 10^6 the bound with 3.6 is below the probability."""
    p = ProjectedPair(10**6, Fraction(1, 50))
    assert statement.at(p) is Truth.TRUE
    smaller = 2 * (-arb(400) / (arb(fmpq(36, 10)) + arb(fmpq(8, 150)))).exp()
    true = 2 * (-arb(400) / (4 + arb(fmpq(8, 150)))).exp()
    assert statement.nudged(lambda margin: margin - true + smaller).at(p) is Truth.FALSE
    assert statement.without("norms <= 1").at(ProjectedPair(100, Fraction(1), 1, 9)) is Truth.FALSE


@pytest.mark.evidence(
    "compression.lemma-b-1/first-constant@934a7d89", role="supports", grade="interval", region="the printed decimal"
)
def test_first_printed_decimal(statement) -> None:
    assert statement.at(Decimal(Fraction(25044, 10**4))) is Truth.TRUE
    assert statement.conclusion(Decimal(Fraction(25045, 10**4))) is Truth.FALSE
    with mpmath.workdps(DIGITS):
        bind(
            statement,
            [
                (
                    Decimal(Fraction(k, 10)),
                    mpmath.nstr(mpmath.mpf(1) / 20000 - abs(first_constant() - real(Fraction(k, 10))), 55),
                )
                for k in range(15, 36)
            ],
        )
    assert statement.given == ()
    assert not statement.strict


@pytest.mark.evidence(
    "compression.lemma-b-1/second-constant@934a7d89", role="refutes", grade="interval", region="the printed decimal"
)
def test_second_printed_decimal_is_not_the_printed_formula(statement) -> None:
    assert statement.at(Decimal(Fraction(76885, 10**4))) is Truth.FALSE
    assert statement.at(Decimal(Fraction(46633, 10**4))) is Truth.TRUE
    with mpmath.workdps(DIGITS):
        values = [Fraction(k, 10) for k in range(40, 62)]
        formula = mpmath.sqrt(8 * mpmath.e)
        bind(statement, [(Decimal(v), mpmath.nstr(mpmath.mpf(1) / 20000 - abs(formula - real(v)), 55)) for v in values])
        assert abs(second_constant() - mpmath.mpf("7.6885")) < mpmath.mpf("0.00005"), "e sqrt(8) was meant"
    assert statement.given == ()
    assert not statement.strict


def squared_constant() -> mpmath.mpf:
    return 2 * (first_constant() + second_constant())


def tau_of(p: TruncationSetting) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * mpmath.log(2 * p.records * p.columns) / p.rows)


ONE_COLUMN = [TruncationSetting(n, 1, m) for n in (2, 5, 30, 200) for m in (40, 150, 151, 400, 1000, 4000)]
"""One column and Delta_max = 0: the enclosure of P(E) is its exact value. Also outside the lemma's domain."""
SETTING = TruncationSetting(10, 3, 84)
SETTING_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(SETTING, records=0),
    "columns >= 1, an integer": attrs.evolve(SETTING, columns=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SETTING, rows=83),
    "delta_max >= 0": attrs.evolve(SETTING, delta_max=Fraction(-1, 9)),
}


def assert_setting(statement) -> None:
    """2 (C_1 + C_2) ln 60 = 83.47."""
    for edge in (SETTING, TruncationSetting(1, 1, 15), attrs.evolve(SETTING, delta_max=1)):
        bind_hypotheses(statement, edge, SETTING_OUTSIDE)
    assert statement.applies(TruncationSetting(1, 1, 14)) is Truth.FALSE, "2 (C_1 + C_2) ln 2 = 14.13"
    assert not statement.strict


def assert_enclosure(statement, tau) -> None:
    """Compare both ends of the enclosure for several columns: one diagonal entry below, the union bound above."""
    with mpmath.workdps(40):
        for n, p, m, delta in ((10, 3, 90, 0), (10, 4, 200, Fraction(1, 9)), (7, 2, 500, Fraction(1, 5))):
            setting = TruncationSetting(n, p, m, delta)
            t = tau(setting)
            low = chi_square_tails(m, t + real(delta))
            single = 2 * mpmath.exp(-m * (t - mpmath.log(1 + t)) / 2)
            high = p * chi_square_tails(m, t) + p * (p - 1) / mpmath.mpf(2) * single
            margin = statement.margin(setting)
            ends = margin.upper(), margin.lower()
            for end, value in zip(ends, (low, high), strict=True):
                expected = mpmath.mpf(1) / n**2 - value
                assert abs(end - arb(mpmath.nstr(expected, 30))) < arb(2) ** -20 * arb(mpmath.nstr(high, 30))


@pytest.mark.evidence(
    "compression.lemma-4-4@0f4e654d",
    role="supports",
    grade="symbolic",
    region="every n, p, m >= 2 (C_1 + C_2) ln 2np, Delta_max: Lemma B.1 with the constants 4 and 8/3; exactly at p = 1",
)
def test_lemma_4_4(statement) -> None:
    """On E some entry leaves that of Sigma_i by tau, since |Sigma_i - Sigma_1| <= Delta_max.

    m >= 2 (C_1 + C_2) ln 2np gives tau <= 1 and tau^2/(4 + 8 tau/3) >= (3/20) tau^2 (1). So P(E) <= (p (p + 1)/2) 2
    exp(-(3/20) 2 (C_1 + C_2) ln 2np) <= p (p + 1) (2np)^-2 (2), as 0.3 (C_1 + C_2) >= 2, and that is (p + 1)/(4 p n^2)
    <= 1/(2 n^2) (3).
    """
    t, n, p = sympy.symbols("t n p", positive=True)
    slack = sympy.simplify(t**2 / (4 + 8 * t / 3) - 3 * t**2 / 20)
    assert sympy.simplify(slack - t**2 * (1 - t) * 8 / 20 / (4 + 8 * t / 3)) == 0, "(1)"
    constants = 4 * arb(1).exp() / (6 * arb.pi()).sqrt() + arb(1).exp() * arb(8).sqrt()
    assert arb(fmpq(3, 10)) * constants >= 2, "(2)"
    assert sympy.simplify(p * (p + 1) / (2 * n * p) ** 2 - (p + 1) / (4 * p * n**2)) == 0, "(3)"
    assert sympy.simplify(sympy.Rational(1, 2) - (p + 1) / (4 * p) - (p - 1) / (4 * p)) == 0, "(3)"
    with mpmath.workdps(DIGITS):
        bind(
            statement,
            [
                (s, mpmath.nstr(mpmath.mpf(1) / s.records**2 - chi_square_tails(s.rows, tau_of(s)), 55))
                for s in ONE_COLUMN
            ],
        )
    assert_enclosure(statement, tau_of)
    for setting in (
        SETTING,
        *(TruncationSetting(n, p, m) for n in (2, 100, 10**6) for p in (1, 2, 50) for m in (600, 10**5)),
    ):
        assert statement.at(setting) is Truth.TRUE
    assert statement.at(attrs.evolve(SETTING, delta_max=Fraction(1, 3))) is Truth.TRUE
    assert_setting(statement)


@pytest.mark.evidence(
    "compression.lemma-4-4@0f4e654d", role="control", grade="interval", region="too few rows; 1/n^2 replaced by 1/n^7"
)
def test_lemma_4_4_needs_enough_rows(statement) -> None:
    """With C = 4.5 the tail at n = 200, m = 4000 is about n^-5.5; a bound of n^-7 is false, and so is m = 1."""
    p = TruncationSetting(200, 1, 4000)
    assert statement.at(p) is Truth.TRUE
    smaller = arb(fmpq(1, 200**7)) - arb(fmpq(1, 200**2))
    assert statement.nudged(lambda margin: margin + smaller).at(p) is Truth.FALSE
    assert statement.without("m >= 2 (C_1 + C_2) ln 2np").at(TruncationSetting(10**9, 1, 1)) is Truth.FALSE


@pytest.mark.evidence(
    "compression.lemma-4-4/event-without-root@0f4e654d",
    role="refutes",
    grade="interval",
    region="n = 1000, m = 10000, p = 1, 5",
)
def test_the_threshold_without_its_root_is_too_small(statement) -> None:
    for columns in (1, 5):
        assert statement.at(TruncationSetting(1000, columns, 10**4)) is Truth.FALSE

    def rootless(p: TruncationSetting) -> mpmath.mpf:
        return squared_constant() * mpmath.log(2 * p.records * p.columns) / p.rows

    with mpmath.workdps(DIGITS):
        bind(
            statement,
            [
                (s, mpmath.nstr(mpmath.mpf(1) / s.records**2 - chi_square_tails(s.rows, rootless(s)), 55))
                for s in ONE_COLUMN
            ],
        )
    assert_enclosure(statement, rootless)
    assert_setting(statement)


@pytest.mark.evidence(
    "compression.lemma-4-4/single-event@0f4e654d",
    role="refutes",
    grade="interval",
    region="n = 1000, m = 10^4; n = 10^7, m = 10^6; p = 1",
)
def test_the_bound_of_a_single_event_is_false(statement) -> None:
    assert statement.at(TruncationSetting(1000, 1, 10**4)) is Truth.FALSE
    assert statement.at(TruncationSetting(10**7, 1, 10**6)) is Truth.FALSE
    assert statement.at(SETTING) is Truth.TRUE

    def formula(p: TruncationSetting) -> mpmath.mpf:
        t = tau_of(p)
        bound = 2 * mpmath.exp(-p.rows * t**2 / (first_constant() + second_constant() * t))
        return bound - chi_square_tails(p.rows, t)

    with mpmath.workdps(DIGITS):
        points = [*ONE_COLUMN, attrs.evolve(SETTING, columns=7)]
        bind(statement, [(s, mpmath.nstr(formula(s), 55)) for s in points])
    assert_setting(statement)


@pytest.mark.evidence(
    "compression.lemma-4-4/tau-at-most-one@0f4e654d",
    role="supports",
    grade="symbolic",
    region="every n, p, m with tau <= 1",
)
def test_the_exponent_may_drop_tau(statement) -> None:
    """The exponents differ by m tau^2 C_2 (1 - tau) / ((C_1 + C_2 tau)(C_1 + C_2)), and m >= C^2 ln 2np is tau <= 1."""
    t, a, b = sympy.symbols("t a b", positive=True)
    slack = t**2 / (a + b * t) - t**2 / (a + b) - t**2 * b * (1 - t) / ((a + b * t) * (a + b))
    assert sympy.simplify(slack) == 0

    def formula(p: TruncationSetting) -> mpmath.mpf:
        t = tau_of(p)
        cost = p.rows * t**2
        return cost / (first_constant() + second_constant() * t) - cost / (first_constant() + second_constant())

    with mpmath.workdps(DIGITS):
        points = [*ONE_COLUMN, attrs.evolve(SETTING, columns=7)]
        bind(statement, [(s, mpmath.nstr(formula(s), 55)) for s in points])
    for s in (SETTING, TruncationSetting(1, 1, 15)):
        assert statement.at(s) is Truth.TRUE
    assert_setting(statement)


@pytest.mark.evidence(
    "compression.lemma-4-4/union@0f4e654d", role="supports", grade="symbolic", region="every n, p >= 1"
)
def test_union_bound(statement) -> None:
    """Count: p (p + 1)/(2np)^2 = (p + 1)/(4 p n^2) <= 1/(2 n^2) < 1/n^2; exp(-m tau^2/(C_1 + C_2)) = exp(-2 ln 2np)."""
    points = [TruncationSetting(n, p, 1) for n in (1, 2, 3, 10, 99) for p in (1, 2, 3, 8, 70)]
    bind(statement, ((s, Fraction(3 * s.columns - 1, 4 * s.columns * s.records**2)) for s in points))
    for s in points:
        assert statement.at(s) is Truth.TRUE
    names = ("records >= 1, an integer", "columns >= 1, an integer")
    bind_hypotheses(statement, SETTING, {name: SETTING_OUTSIDE[name] for name in names})
    bind_hypotheses(statement, TruncationSetting(1, 1, 1), {name: SETTING_OUTSIDE[name] for name in names})
    assert statement.strict


@pytest.mark.evidence(
    "compression.lemma-4-4/triangle@0f4e654d", role="supports", grade="symbolic", region="every real entry"
)
def test_triangle_inequality_of_an_entry(statement) -> None:
    """|g - s_1| <= |g - s_2| + |s_2 - s_1|."""
    points = [
        EntryTriangle(Fraction(g, 3), Fraction(a, 4), Fraction(b, 5), Fraction(9, 4))
        for g in (-2, 0, 5)
        for a in (-3, 1, 4)
        for b in (-4, 0, 3)
    ]
    bind(
        statement,
        ((p, abs(p.compressed - p.second) + p.delta_max - abs(p.compressed - p.first)) for p in points),
    )
    for p in points:
        assert statement.at(p) is Truth.TRUE
    says = "|Sigma_1(j,k) - Sigma_2(j,k)| <= max |Delta|"
    edge = EntryTriangle(1, 0, Fraction(1, 2), Fraction(1, 2))
    bind_hypotheses(statement, edge, {says: attrs.evolve(edge, delta_max=Fraction(49, 100))})
    bind_hypotheses(statement, edge, {says: EntryTriangle(1, Fraction(3, 2), Fraction(1, 2), Fraction(3, 4))})
    assert statement.at(edge) is Truth.TRUE, "equality"
    assert not statement.strict


RATIO = RenormalisedRatio(Fraction(1, 3), Fraction(1, 2), Fraction(1, 5), Fraction(1, 7), 2)
RATIO_OUTSIDE = {
    "records >= 2, an integer": attrs.evolve(RATIO, records=1),
    "first > 0": attrs.evolve(RATIO, first=0),
    "second > 0": attrs.evolve(RATIO, second=0),
    "first_mass >= 0": attrs.evolve(RATIO, first_mass=Fraction(-1, 9)),
    "second_mass >= 0": attrs.evolve(RATIO, second_mass=Fraction(-1, 9)),
    "P_1(E) <= 1/n^2": attrs.evolve(RATIO, first_mass=Fraction(26, 100)),
    "P_2(E) <= 1/n^2": attrs.evolve(RATIO, second_mass=Fraction(26, 100)),
}
EXTREME = RenormalisedRatio(1, 1, Fraction(1, 4), 0, 2)
RATIOS = [
    RenormalisedRatio(Fraction(a, 3), Fraction(b, 4), Fraction(i, 9 * n * n), Fraction(j, 9 * n * n), n)
    for n in (2, 3, 10)
    for a, b, i, j in ((1, 2, 0, 9), (5, 1, 9, 0), (2, 2, 3, 7), (1, 9, 9, 9), (4, 3, 1, 0), (3, 3, 4, 8), (7, 2, 0, 0))
]


@pytest.mark.evidence(
    "compression.remark-4-3@85e70bd6", role="supports", grade="symbolic", region="every n >= 2 and masses in [0, 1/n^2]"
)
@pytest.mark.evidence(
    "compression.remark-4-3/ratio@85e70bd6", role="supports", grade="symbolic", region="all positive densities"
)
def test_remark_4_3(statements) -> None:
    """(1 - P_2)/(1 - P_1) is monotone in each mass, so it lies between 1 - 1/n^2 and its inverse 1 + 1/(n^2 - 1)."""
    n, a, b, f, g = sympy.symbols("n a b f g", positive=True)
    assert sympy.simplify(1 / (1 - 1 / n**2) - (1 + 1 / (n**2 - 1))) == 0
    assert sympy.simplify(sympy.diff((1 - b) / (1 - a), a) - (1 - b) / (1 - a) ** 2) == 0
    assert sympy.simplify((f / (1 - a)) / (g / (1 - b)) - f * (1 - b) / (g * (1 - a))) == 0
    change, ratio = statements["compression.remark-4-3"], statements["compression.remark-4-3/ratio"]
    with mpmath.workdps(60):
        values = []
        for p in RATIOS:
            epsilon = mpmath.mpf(1) / (p.records**2 - 1)
            moved = abs(mpmath.log(1 - real(p.second_mass)) - mpmath.log(1 - real(p.first_mass)))
            values.append((p, mpmath.nstr(mpmath.log(1 + epsilon) - moved, 55)))
        bind(change, values)
    bind(ratio, ((p, fmpq(0)) for p in RATIOS))
    for statement in (change, ratio):
        for p in RATIOS:
            assert statement.at(p) is not Truth.FALSE
        bind_hypotheses(statement, RATIO, RATIO_OUTSIDE)
        bind_hypotheses(statement, EXTREME, RATIO_OUTSIDE)
        bind_hypotheses(statement, attrs.evolve(EXTREME, first_mass=0, second_mass=Fraction(1, 4)), RATIO_OUTSIDE)
        assert not statement.strict


@pytest.mark.evidence(
    "compression.remark-4-3@85e70bd6", role="control", grade="interval", region="n = 2, masses 1/4 and 0"
)
def test_remark_4_3_is_sharp(statements) -> None:
    statement = statements["compression.remark-4-3"]
    assert statement.at(EXTREME) is not Truth.FALSE, "attained"
    assert statement.nudged(lambda margin: margin - arb(fmpq(1, 50))).at(EXTREME) is Truth.FALSE
    large = attrs.evolve(EXTREME, first_mass=Fraction(1, 3))
    assert statement.without("P_1(E) <= 1/n^2").at(large) is Truth.FALSE


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


@pytest.mark.evidence(
    "compression.lemma-4-5@be3376de",
    role="refutes",
    grade="interval",
    region="p = 1, any size of S_n; p = 2 with K = 1, ..., 20, beta = 1/2 and enough databases",
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


@pytest.mark.evidence(
    "compression.lemma-4-5+repair@be3376de",
    role="supports-repair",
    grade="symbolic",
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


@pytest.mark.evidence(
    "compression.lemma-4-5+repair@be3376de",
    role="control",
    grade="interval",
    region="n = 200, N = 30, s cut to a third",
)
def test_a_third_of_the_distance_is_too_small(statement) -> None:
    p = GaussianDatabases(200, 1, 30, 1, Fraction(1, 50))
    with mpmath.workdps(40):
        low = 1 - (1 - chi_square_tails(200, entry_distance(p) / 3)) ** 30
        true = arb(mpmath.nstr(low, 30))
    assert statement.at(p) is Truth.TRUE
    assert statement.nudged(lambda margin: margin - true).at(p) is Truth.FALSE
