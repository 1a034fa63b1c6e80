"""`compression`: Lemma 4.4 and Remark 4.3 against exact chi-square tails."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import truncated_mass
from dpmatrix.spec.compression.truncated_mass import EntryTriangle, RenormalisedRatio, TruncationSetting, kept
from dpmatrix.tracing import bind_expression
from proofs_checks.compression.compressed_tails import (
    chi_square_tails,
    first_constant,
    logarithm,
    second_constant,
    squared_constant,
)

lemma_4_4 = cite("compression.lemma-4-4@f70de1c6")
remark_4_3 = cite("compression.remark-4-3@9b37c472")

DIGITS = 70


def tau_of(p: TruncationSetting) -> mpmath.mpf:
    return mpmath.sqrt(squared_constant() * logarithm(p.records, p.columns) / p.rows)


ONE_COLUMN = [TruncationSetting(n, 1, m) for n in (2, 5, 30, 200) for m in (40, 150, 151, 400, 1000, 4000)]
"""One column and Delta_max = 0: the enclosure of P(E) is its exact value. Also outside the lemma's domain."""
SETTING = TruncationSetting(10, 3, 84)
SETTING_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(SETTING, records=0),
    "columns >= 1, an integer": attrs.evolve(SETTING, columns=0),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(SETTING, rows=83),
    "delta_max >= 0": attrs.evolve(SETTING, delta_max=Fraction(-1, 9)),
}


SIZED_OUTSIDE = {says: point for says, point in SETTING_OUTSIDE.items() if says != "delta_max >= 0"}


def assert_setting(statement, outside=SETTING_OUTSIDE) -> None:
    """2 (C_1 + C_2) ln 60 = 83.47."""
    assert abs(truncated_mass.squared_constant() * arb(60).log() - arb("83.47")) < arb("0.005")
    for edge in (SETTING, TruncationSetting(1, 1, 15), attrs.evolve(SETTING, delta_max=1)):
        bind_hypotheses(statement, edge, outside)
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


@lemma_4_4.supports(
    grade="derived",
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
    assert arb("0.3") * constants >= 2, "(2)"
    lemma_4_4.tells("(3/20) 2 (C_1 + C_2) = {} exceeds", arb(fmpq(3, 10)) * constants)
    enough = sympy.sqrt(2 / sympy.Rational(3, 20))
    lemma_4_4.tells("sqrt(40/3) = {} would do in place of {}", enough, mpmath.sqrt(squared_constant()))
    other = 2 * (4 * arb(1).exp() / (6 * arb.pi()).sqrt() + (8 * arb(1).exp()).sqrt())
    assert other >= arb(fmpq(40, 3)), "(2) with the other C_2"
    lemma_4_4.tells("sqrt(8 e) for C_2 it holds too: 2 (C_1 + C_2) is {} there", other)
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


@lemma_4_4.controls(grade="interval", region="too few rows; 1/n^2 replaced by 1/n^7")
def test_lemma_4_4_needs_enough_rows(statement) -> None:
    """With C = 4.5 the tail at n = 200, m = 4000 is about n^-5.7; a bound of n^-7 is false, and so is m = 1."""
    p = TruncationSetting(200, 1, 4000)
    assert statement.at(p) is Truth.TRUE
    assert abs(truncated_mass.squared_constant().sqrt() - arb("4.5")) < arb("0.05")
    assert abs(truncated_mass.truncated_mass(p).log() / arb(200).log() + arb("5.7")) < arb("0.05")
    seventh = statement.nudged(margin=lambda s: arb(fmpq(1, s.records**7)) - truncated_mass.truncated_mass(s))
    assert seventh.at(p) is Truth.FALSE
    assert statement.without("m >= 2 (C_1 + C_2) ln 2np").at(TruncationSetting(10**9, 1, 1)) is Truth.FALSE


@lemma_4_4.refutes("event-without-root", grade="interval", region="n = 1000, m = 10000, p = 1, 5")
def test_the_threshold_without_its_root_is_too_small(statement) -> None:
    for columns in (1, 5):
        assert statement.at(TruncationSetting(1000, columns, 10**4)) is Truth.FALSE

    def rootless(p: TruncationSetting) -> mpmath.mpf:
        return squared_constant() * logarithm(p.records, p.columns) / p.rows

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


@lemma_4_4.refutes("single-event", grade="interval", region="n = 1000, m = 10^4; n = 10^7, m = 10^6; p = 1")
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


@lemma_4_4.supports("tau-at-most-one", grade="derived", region="every n, p, m with tau <= 1")
def test_the_exponent_may_drop_tau(statement) -> None:
    """The exponents differ by m tau^2 C_2 (1 - tau) / ((C_1 + C_2 tau)(C_1 + C_2)), and m >= C^2 ln 2np is tau <= 1."""
    t, a, b = sympy.symbols("t a b", positive=True)
    slack = t**2 / (a + b * t) - t**2 / (a + b) - t**2 * b * (1 - t) / ((a + b * t) * (a + b))
    assert sympy.simplify(slack) == 0

    records, columns, rows = sympy.symbols("records columns rows")
    first, second = 4 * sympy.E / sympy.sqrt(6 * sympy.pi), sympy.sqrt(8) * sympy.E
    cost = 2 * (first + second) * sympy.log(2 * records * columns)
    tau = sympy.sqrt(cost / rows)
    bind_expression(statement, cost / (first + second * tau) - cost / (first + second), points=[SETTING])
    for s in (SETTING, TruncationSetting(1, 1, 15)):
        assert statement.at(s) is Truth.TRUE
    assert_setting(statement, SIZED_OUTSIDE)


@lemma_4_4.supports("union", grade="derived", region="every n, p >= 1")
def test_union_bound(statement) -> None:
    """Count: p (p + 1)/(2np)^2 = (p + 1)/(4 p n^2) <= 1/(2 n^2) < 1/n^2; exp(-m tau^2/(C_1 + C_2)) = exp(-2 ln 2np)."""
    records, columns = sympy.symbols("records columns")
    bind_expression(statement, (3 * columns - 1) / (4 * columns * records**2))
    for s in (TruncationSetting(n, p, 1) for n in (1, 2, 3, 10, 99) for p in (1, 2, 3, 8, 70)):
        assert statement.at(s) is Truth.TRUE
    names = ("records >= 1, an integer", "columns >= 1, an integer")
    bind_hypotheses(statement, SETTING, {name: SETTING_OUTSIDE[name] for name in names})
    bind_hypotheses(statement, TruncationSetting(1, 1, 1), {name: SETTING_OUTSIDE[name] for name in names})
    assert statement.strict


@lemma_4_4.supports("triangle", grade="derived", region="every real entry: the triangle inequality")
def test_triangle_inequality_of_an_entry(statement) -> None:
    """|g - s_1| <= |g - s_2| + |s_2 - s_1|."""
    points = [
        EntryTriangle(Fraction(g, 3), Fraction(a, 4), Fraction(b, 5), Fraction(9, 4))
        for g in (-2, 0, 5)
        for a in (-3, 1, 4)
        for b in (-4, 0, 3)
    ]
    compressed, first, second, delta_max = sympy.symbols("compressed first second delta_max")
    bind_expression(statement, sympy.Abs(compressed - second) + delta_max - sympy.Abs(compressed - first))
    for p in points:
        assert statement.at(p) is Truth.TRUE
    says = "|Sigma_1(j,k) - Sigma_2(j,k)| <= max |Delta|"
    edge = EntryTriangle(1, 0, Fraction(1, 2), Fraction(1, 2))
    bind_hypotheses(statement, edge, {says: attrs.evolve(edge, delta_max=Fraction(49, 100))})
    bind_hypotheses(statement, edge, {says: EntryTriangle(1, Fraction(3, 2), Fraction(1, 2), Fraction(3, 4))})
    assert statement.at(edge) is Truth.TRUE, "equality"
    assert statement.at(EntryTriangle(Fraction(1, 3), 1, 1, 0)) is Truth.TRUE, "equal entries"
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


@remark_4_3.supports(grade="derived", region="every n >= 2 and masses in [0, 1/n^2]")
@remark_4_3.supports("ratio", grade="symbolic", region="every density and mass: an identity in the four numbers")
def test_remark_4_3(statements) -> None:
    """(1 - P_2)/(1 - P_1) is monotone in each mass, so it lies between 1 - 1/n^2 and its inverse 1 + 1/(n^2 - 1)."""
    n, a, b = sympy.symbols("n a b", positive=True)
    assert sympy.simplify(1 / (1 - 1 / n**2) - (1 + 1 / (n**2 - 1))) == 0
    assert sympy.simplify(sympy.diff((1 - b) / (1 - a), a) - (1 - b) / (1 - a) ** 2) == 0
    change, ratio = statements["compression.remark-4-3"], statements["compression.remark-4-3/ratio"]
    with mpmath.workdps(60):
        values = []
        for p in RATIOS:
            epsilon = mpmath.mpf(1) / (p.records**2 - 1)
            moved = abs(mpmath.log(1 - real(p.second_mass)) - mpmath.log(1 - real(p.first_mass)))
            values.append((p, mpmath.nstr(mpmath.log(1 + epsilon) - moved, 55)))
        bind(change, values)
    masses = {p: sympy.Symbol(f"{p}_mass", real=True) for p in ("first", "second")}
    plain = {p: sympy.Symbol(p, positive=True) for p in masses}
    renormalised = sympy.log(
        plain["first"] / (1 - masses["first"]) / (plain["second"] / (1 - masses["second"]))
    ) - sympy.log(plain["first"] / plain["second"])
    bound = sympy.log(1 / (1 - 1 / n**2)) - sympy.Abs(renormalised)
    bind_expression(change, bound, fields={"records": n})
    plain = redefined(ratio, truncated_mass, "renormalised", lambda p: (rational(p.first), rational(p.second)))
    assert plain.at(RATIO) is Truth.FALSE, "densities that nobody renormalised"

    def shift(p: RenormalisedRatio) -> Fraction:
        return Fraction(p.first) / p.second * (1 - (1 - Fraction(p.second_mass)) / (1 - p.first_mass))

    bind(plain, [(p, -abs(shift(p))) for p in RATIOS])
    bind_expression(ratio, sympy.Integer(0))
    for statement in (change, ratio):
        for p in RATIOS:
            assert statement.at(p) is not Truth.FALSE
        assert not statement.strict
    for point in (RATIO, EXTREME, attrs.evolve(EXTREME, first_mass=0, second_mass=Fraction(1, 4))):
        bind_hypotheses(change, point, RATIO_OUTSIDE)
    undefined = {
        "second > 0": RATIO_OUTSIDE["second > 0"],
        "first_mass < 1": attrs.evolve(RATIO, first_mass=1),
        "second_mass < 1": attrs.evolve(RATIO, second_mass=1),
    }
    bind_hypotheses(ratio, RATIO, undefined)


@remark_4_3.controls(grade="interval", region="n = 2, masses 1/4 and 0: (1 - P)^2 for 1 - P; a mass of 1/3")
def test_remark_4_3_is_sharp(statements) -> None:
    statement = statements["compression.remark-4-3"]
    assert statement.at(EXTREME) is not Truth.FALSE, "attained"
    squared = redefined(statement, truncated_mass, "kept", lambda p: tuple(x * x for x in kept(p)))
    assert squared.at(EXTREME) is Truth.FALSE, "(1 - P)^2 for 1 - P"
    large = attrs.evolve(EXTREME, first_mass=Fraction(1, 3))
    assert statement.without("P_1(E) <= 1/n^2").at(large) is Truth.FALSE
