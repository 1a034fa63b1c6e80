"""`compression`: Theorem 3.5, step by step: how fast p may grow with n."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import tails
from dpmatrix.spec.compression.compressed_growth import GrowthPair, OneColumn
from dpmatrix.spec.compression.covariances import inverse_difference, operator_norm
from dpmatrix.tracing import bind_expression
from proofs_checks.compression.compressed_tails import least_rows, logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import INDEFINITE, SKEW, UNIT, sheared
from proofs_checks.compression.nearly_singular import MOST, most_rows, nearly_singular
from proofs_checks.exact_matrices import correlated, diagonal

theorem_3_5 = cite("compression.theorem-3-5@a966aa12")


def family(smallness, least_records) -> GrowthPair:
    """Take m >= 1/s^2 and n so large that p^2 <= s sqrt(n/m)/log n; s at most 1/4."""
    s, power = min(Fraction(str(smallness)), Fraction(1, 4)), 4
    rows = max(least_rows(10**power, 2), int(1 / s**2) + 1)
    while 10**power < int(str(least_records)) or s**2 * 10**power < 17 * rows * (3 * power) ** 2:
        power += 1
        rows = max(least_rows(10**power, 2), int(1 / s**2) + 1)
    return attrs.evolve(nearly_singular(s, power, rows), smallness=smallness, least_records=least_records)


def digits_of_loss(p: GrowthPair) -> mpmath.mpf:
    first, second = real_matrix(p.first), real_matrix(p.second)
    turned = second**-1 - first**-1
    middle = turned * real_matrix(p.reference)
    linear = sum(middle[i, i] for i in range(p.first.nrows()))
    centre = mpmath.mpf(p.rows) / 2 * (mpmath.log(mpmath.det(second) / mpmath.det(first)) + linear)
    radius = mpmath.sqrt(squared_constant() * logarithm(p.records, p.first.nrows()) / p.rows) + real(p.delta_max)
    reach = mpmath.mpf(p.rows) / 2 * radius * sum(abs(x) for x in turned)
    return max(centre + reach, reach - centre)


def plain(n: int, m: int, first, second, **fields) -> GrowthPair:
    delta = abs(Fraction(first) - Fraction(second))
    given = {"records": n, "rows": m, "floor": Fraction(1, 2), "smallness": Fraction(1, 40)}
    given |= {"c_min": Fraction(1, 2), "least_records": 2}
    given = {"reference": correlated((2 * Fraction(first) + second) / 3)} | given | fields
    return GrowthPair(correlated(first), correlated(second), delta, **given)


TIGHT = [
    plain(
        10**6,
        m,
        Fraction(a, 10),
        Fraction(a, 10) + Fraction(1, b),
        smallness=Fraction(1, b),
        floor=Fraction(1, 2 + a % 3),
    )
    for m in (5000, 9000)
    for a in (-4, -2, 1, 3)
    for b in (100, 200, 999)
]
BASE = plain(10**9, 500, Fraction(1, 4), Fraction(1, 4) + Fraction(1, 10**5), smallness=Fraction(1, 16))
"""p^2 log n/sqrt(n/m) = 0.05861, sqrt(log p/n) = 2.63e-5, 2 (C_1 + C_2) ln 2np = 450.7."""
COMMON = {
    "the three covariances are symmetric": attrs.evolve(BASE, first=SKEW),
    "all columns are normalised as in (4)": attrs.evolve(BASE, first=diagonal([2, 1])),
    "max |Sigma_j - Sigma_k| <= Delta_max for all three": attrs.evolve(BASE, delta_max=Fraction(99, 10**7)),
    "records >= 2, an integer": attrs.evolve(BASE, records=1),
    "rows >= 1, an integer": attrs.evolve(BASE, rows=-1),
    "m >= 2 (C_1 + C_2) ln 2np": attrs.evolve(BASE, rows=450),
    "first_mass >= 0": attrs.evolve(BASE, first_mass=-(10**30)),
    "second_mass >= 0": attrs.evolve(BASE, second_mass=-(10**30)),
    "P_1(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(BASE, first_mass=Fraction(11, 10**19)),
    "P_i(E) <= 1/n^2, as Lemma 4.4 has it": attrs.evolve(BASE, second_mass=Fraction(11, 10**19)),
    "Delta_max <= sqrt(log p / n)": attrs.evolve(BASE, delta_max=Fraction(27, 10**6)),
    "p^2 <= s sqrt(n/m)/log n": attrs.evolve(BASE, smallness=Fraction(58, 1000)),
}


def lossy(inside: GrowthPair) -> dict[str, GrowthPair]:
    """Points outside one hypothesis of the repaired theorem alone, at which the loss exceeds the bound."""
    singular = nearly_singular(Fraction(1, 8), 30, least_rows(10**30, 2))
    sides = {"first": sheared(10**9), "second": sheared(10**9, -Fraction(1, 10**6)), "reference": sheared(10**9)}
    return {
        "the three covariances are symmetric": attrs.evolve(inside, **sides),
        "max |Sigma_j - Sigma_k| <= Delta_max for all three": attrs.evolve(inside, second=correlated(0)),
        "lambda_min >= c for all three": attrs.evolve(singular, smallness=Fraction(1, 40)),
        "Delta_max <= sqrt(log p / n)": plain(
            10**30, 1500, Fraction(1, 4), Fraction(7, 20), smallness=Fraction(1, 10**8)
        ),
    }


def assert_common(statement, more, inside) -> None:
    assert sorted(condition.says for condition in statement.given) == sorted(COMMON | more)
    for condition in statement.given:
        assert condition.at((COMMON | more)[condition.says]) is Truth.FALSE, condition.says
    for point in (inside, attrs.evolve(inside, delta_max=Fraction(26, 10**6)), attrs.evolve(inside, rows=451)):
        assert statement.applies(point) is Truth.TRUE
    mass = {"first_mass": Fraction(1, 10**18), "second_mass": Fraction(1, 10**18)}
    assert statement.applies(attrs.evolve(inside, **mass)) is Truth.TRUE
    assert not statement.strict


@theorem_3_5.refutes(grade="derived", region="p = 2, C_min = 1/2: every s and n_0; run from 10^-12 to 10^12")
def test_theorem_3_5_fails_without_a_floor(statement, record_property) -> None:
    """Let Sigma_1(1,2) = 1 - eta and Sigma_2(1,2) = 1 - eta - t with eta^2 = t/(0.9 s), t below sqrt(ln 2/n)/2.

    1/lambda_max > 1/2 and ||Delta|| = t. Gamma is -g = -t/(eta (eta + t)) along (1, -1)/sqrt(2) (1) and below t along
    (1, 1)/sqrt(2), and 0.85 s <= g <= 0.9 s for large n. The corner Sigma_1 + r (1, -1)'(1, -1) of (12), r >= C
    sqrt(L/m), L = ln 4n, is an output, where tr(Gamma (G - Sigma_1)) = -2 r g. So the loss is at least m r g - m A/2 -
    ln(1 + 1/(n^2 - 1)), and m r g >= 4.5 sqrt(m L) 0.85 s >= 3.8 sqrt(L) for m >= 1/s^2. The eigenvalues of Gamma
    Sigma_1 are -t/(eta + t), whose square is at most 0.9 s t, and at most 2 t, so m A tends to 0 as n grows.
    """
    eta, t = sympy.symbols("eta t", positive=True)
    assert sympy.simplify(1 / (eta + t) - 1 / eta + t / (eta * (eta + t))) == 0, "(1)"
    statement.refute(family)
    assert tails.squared_constant().sqrt() >= arb("4.5")
    assert arb("4.5") * arb("0.85") >= arb("3.8")
    losses = []
    for power, least in ((12, 105), (30, 160), (100, 290)):
        with mpmath.workdps(40):
            s = Fraction(str(mpmath.nstr(1 / mpmath.sqrt(power * mpmath.log(10)), 20)))
        p = nearly_singular(s * 10 / 9, power, least_rows(10**power, 2))
        assert statement.applies(p) is Truth.TRUE
        assert statement.formula(p) < -least
        with precision(256):
            share = operator_norm(inverse_difference(p)) / ball(p.smallness)
            assert arb("0.85") <= share <= arb("0.9")
        losses.append(f"n = 10^{power}, least m: loss > {least + 1}")
    record_property("detail", "; ".join(losses))
    for smallness, power in MOST:
        p = nearly_singular(smallness, power, most_rows(smallness, power))
        assert statement.applies(p) is Truth.TRUE, "the pairs of `typical-outputs`"
        assert statement.conclusion(p) is Truth.FALSE
    share = real(p.delta_max) / 2 / mpmath.sqrt(mpmath.log(2) / p.records)
    theorem_3_5.tells("t = {} sqrt(ln 2/n), eta^2 = t sqrt(ln n), m = {} ln 4n", share, squared_constant())
    sizes = (10**4, 10**6, 10**9)
    growth = [mpmath.mpf(n) ** (mpmath.mpf(1) / 6) / mpmath.sqrt(logarithm(n, 2)) for n in sizes]
    theorem_3_5.tells("is {}, {} and {} at p = 2 and n = {}, {}, {}", *growth, *sizes)
    bind_formula(statement, TIGHT, lambda p: 1 - digits_of_loss(p))
    gamma = "||Gamma||_2, ||Delta||_2 <= s, against Sigma_1"
    more = {
        "the three covariances are positive definite": attrs.evolve(BASE, first=INDEFINITE),
        "1/lambda_max(Sigma_1) >= C_min": attrs.evolve(BASE, c_min=Fraction(81, 100)),
        "c_min > 0": attrs.evolve(BASE, c_min=0),
        gamma: attrs.evolve(BASE, smallness=Fraction(1, 10**6)),
        "n >= n_0": attrs.evolve(BASE, least_records=10**9 + 1),
    }
    assert_common(statement, more, attrs.evolve(BASE, smallness=Fraction(59, 1000)))
    for field in ("first", "second", "reference"):
        assert statement.applies(attrs.evolve(BASE, **{field: INDEFINITE})) is Truth.FALSE
    conditions = {condition.says: condition for condition in statement.given}
    still = attrs.evolve(BASE, first=UNIT, second=UNIT, reference=UNIT, delta_max=0, smallness=0, c_min=1)
    single = attrs.evolve(still, first=diagonal([1]), second=diagonal([1]), reference=diagonal([1]))
    singular = attrs.evolve(BASE, first=correlated(1))
    assert conditions["1/lambda_max(Sigma_1) >= C_min"].at(still) is Truth.TRUE
    assert conditions[gamma].at(still) is Truth.TRUE
    assert conditions["Delta_max <= sqrt(log p / n)"].at(single) is Truth.TRUE, "p = 1"
    assert conditions["the three covariances are positive definite"].at(singular) is Truth.FALSE
    assert statement.applies(attrs.evolve(BASE, c_min=Fraction(79, 100))) is Truth.TRUE
    start = correlated(Fraction(1, 4))
    for field in ("first", "second"):
        others = {"first": start, "second": start, "reference": start}
        moved = correlated(Fraction(1, 4) - Fraction(1, 10**5))
        wide = attrs.evolve(BASE, **(others | {field: moved}))
        for condition in statement.given:
            if condition.says == gamma:
                # Gamma and Delta are about 1.78e-5 and 1e-5 here; at Sigma's scale the other one counts.
                assert condition.at(attrs.evolve(wide, smallness=Fraction(17, 10**6))) is Truth.FALSE
                assert condition.at(attrs.evolve(wide, smallness=Fraction(18, 10**6))) is Truth.TRUE
                tenth = {"first": diagonal([9, 9]), "second": diagonal([9, 9]), "reference": diagonal([9, 9])}
                large = attrs.evolve(wide, **(tenth | {field: diagonal([10, 10])}), smallness=Fraction(9, 10))
                assert condition.at(large) is Truth.FALSE, "Delta = I"


@theorem_3_5.supports_repair(
    grade="derived", region="every p, n, m, s under the hypotheses: Theorem 3.2 at 2 s; exact supremum at 24 pairs"
)
def test_theorem_3_5_with_a_floor(statement) -> None:
    """Delta_max p^2 sqrt(m ln 2np) <= sqrt(log p/n) s sqrt(n/m) sqrt(m ln 2np)/log n = s sqrt(log p ln 2np)/log n (1).

    For p <= n log p <= log n and ln 2np <= 3 log n, as n >= 2, so that is at most sqrt(3) s <= 2 s. No covariance of n
    rows has a floor for p > n; of matrices alone the bound holds there too: eigenvalues lie in [c, p], so |ln
    |Sigma_j|/|Sigma_k|| <= p ln(p/c) <= p^2/c, and ||Gamma|| <= 1/c, so the sum of |Gamma| is at most p^(3/2)/c;
    entries of the box are at most 2 + sqrt(log p) <= 3 sqrt(p). So the loss is at most (m/2) 4 p^2/c and the logarithm,
    and s^2 >= p^4 m (log n)^2/n >= 0.48 p^3 m makes 8 s^2/c^2 larger (2).
    """
    n, m, s, a, b, c = sympy.symbols("n m s a b c", positive=True)
    left = sympy.sqrt(a / n) * s * sympy.sqrt(n / m) / c * sympy.sqrt(m * b)
    assert sympy.simplify(left - s * sympy.sqrt(a * b) / c) == 0, "(1)"
    assert sympy.expand(n**3 - 2 * n * n - n**2 * (n - 2)) == 0
    assert arb(2).log() ** 2 > 0.48, "n >= 2"
    assert 8 * 0.48 > 2, "(2): p >= 1 >= c"

    def formula(p: GrowthPair) -> mpmath.mpf:
        small = real(p.smallness)
        bound = (2 * mpmath.sqrt(squared_constant()) * small + 8 * small**2) / real(p.floor) ** 2
        return bound + 2 * mpmath.log(1 + mpmath.mpf(1) / (p.records**2 - 1)) - digits_of_loss(p)

    bind_formula(statement, TIGHT, formula)
    inside = attrs.evolve(BASE, floor=Fraction(74, 100))
    more = {
        "floor > 0": attrs.evolve(BASE, floor=0),
        "lambda_min >= c for all three": attrs.evolve(BASE, floor=Fraction(751, 1000)),
    }
    assert_common(statement, more, inside)
    bind_hypotheses(statement, inside, COMMON | more | lossy(inside))
    assert statement.at(inside) is Truth.TRUE


@theorem_3_5.controls("+repair", grade="interval", region="the floors dropped, n = 10^30; Delta_max = 1/10, n = 10^9")
def test_theorem_3_5_needs_the_floor(statement) -> None:
    free = statement.without("lambda_min >= c for all three")
    p = attrs.evolve(nearly_singular(Fraction(1, 8), 30, least_rows(10**30, 2)), smallness=Fraction(1, 40))
    assert free.at(p) is Truth.FALSE
    far = plain(10**9, 10**4, 0, Fraction(1, 10), smallness=Fraction(1, 32), reference=diagonal([1, 1]))
    loose = statement.without("Delta_max <= sqrt(log p / n)").without("p^2 <= s sqrt(n/m)/log n")
    assert loose.at(far) is Truth.FALSE


def few_rows(least_records) -> OneColumn:
    """Take the least m for K = 1, and X'X/m = A = 1."""
    n = max(int(str(least_records)), 100)
    return OneColumn(n, int(mpmath.ceil(mpmath.log(2 * n))) + 1, 1, 1, least_records)


@theorem_3_5.refutes("normaliser", grade="derived", region="p = 1, K = 1, X'X/m = A: every n_0; run to 10^12")
def test_the_normaliser_must_be_m(statement) -> None:
    """X'X/n = m/n, at most (ln 2n + 2)/n, which is below 1/2 for n >= 100 and falls."""
    assert arb(200).log() + 2 < 50
    statement.refute(few_rows)
    records, rows, entry = sympy.symbols("records rows entry")
    bind_expression(statement, sympy.Rational(1, 2) - sympy.Abs(rows * entry / records - 1))
    inside = OneColumn(10, 4, 1, 1, 10)
    outside = {
        "records >= 1, an integer": attrs.evolve(inside, records=-1),
        "rows >= 1, an integer": attrs.evolve(inside, rows=0),
        "ratio > 0": attrs.evolve(inside, ratio=0),
        "m >= K p^2 ln 2np": attrs.evolve(inside, ratio=Fraction(134, 100)),
        "|X'X/m - A| <= 1/4": attrs.evolve(inside, entry=Fraction(127, 100)),
        "n >= n_0": attrs.evolve(inside, least_records=11),
    }
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, OneColumn(1, 1, 1, 1, 1), outside)
    bind_hypotheses(statement, attrs.evolve(inside, entry=Fraction(5, 4), ratio=Fraction(133, 100)), outside)
    low = outside | {"|X'X/m - A| <= 1/4": attrs.evolve(inside, entry=Fraction(73, 100))}
    bind_hypotheses(statement, attrs.evolve(inside, entry=Fraction(3, 4)), low)
    assert not statement.strict


@theorem_3_5.supports("worst-case", grade="derived", region="every n >= 2, p, s: log n <= ln 2np")
def test_the_sixth_root(statement, record_property) -> None:
    """p^3 <= s sqrt(n) L^(-3/2), L = ln 2np, so p^3 sqrt(L) log n <= s sqrt(n) (log n)/L <= s sqrt(n)."""
    points = [
        plain(n, 1, 0, 0, smallness=s) for n in (2, 50, 10**4, 10**9, 10**15) for s in (Fraction(1, 9), 1, 5, 40, 900)
    ]

    def formula(p: GrowthPair) -> mpmath.mpf:
        growth = p.first.nrows() ** 3 * mpmath.sqrt(logarithm(p.records, p.first.nrows())) * mpmath.log(p.records)
        return real(p.smallness) * mpmath.sqrt(p.records) - growth

    bind_formula(statement, points, formula)
    for p in points:
        if statement.applies(p) is Truth.TRUE:
            assert statement.at(p) is Truth.TRUE
    # At n = 10^9, p = 2: p^6 L^3 / n = 6.9e-4, whose root is 0.0263.
    inside = plain(10**9, 1, 0, 0, smallness=Fraction(27, 1000))
    outside = {
        "records >= 2, an integer": attrs.evolve(inside, records=1),
        "smallness > 0": attrs.evolve(inside, smallness=0),
        "p <= s^(1/3) n^(1/6)/sqrt(ln 2np)": attrs.evolve(inside, smallness=Fraction(26, 1000)),
    }
    bind_hypotheses(statement, inside, outside)
    bind_hypotheses(statement, plain(2, 1, 0, 0, smallness=10**6), outside)
    assert not statement.strict
    allowed = {}
    for power in (4, 6, 9):
        sizes = [p for p in range(1, 200) if p**6 * float(logarithm(10**power, p)) ** 3 <= 10**power]
        allowed[f"n = 10^{power}"] = max(sizes, default=0)
    record_property("detail", f"largest p with p <= n^(1/6)/sqrt(ln 2np): {allowed}")
    assert allowed == {"n = 10^4": 1, "n = 10^6": 2, "n = 10^9": 6}
