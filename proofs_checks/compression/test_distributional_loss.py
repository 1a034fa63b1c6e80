"""`compression`: Theorem 3.2 and Remark 4.7, step by step."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real, real_matrix
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.compression import distributional_loss
from dpmatrix.spec.compression.distributional_loss import (
    SmallDeltaMax,
    TailOutput,
    ThreeCovariances,
    log_ratio,
)
from proofs_checks.compression.compressed_tails import logarithm, squared_constant
from proofs_checks.compression.covariance_pairs import (
    INDEFINITE,
    SKEW,
    UNIT,
    WIDE,
    frobenius,
    gamma,
    loss,
    norm,
    sheared,
    trace,
)
from proofs_checks.compression.drawn_outputs import OUTPUTS
from proofs_checks.compression.public_references import (
    LOSSY,
    PRINTED_OUTSIDE,
    SMALL,
    SMALL_OUTSIDE,
    small,
    small_points,
)
from proofs_checks.exact_matrices import correlated

theorem_3_2 = cite("compression.theorem-3-2@5d737aac")
remark_4_7 = cite("compression.remark-4-7@d22d74fa")


def assert_sufficient(statement) -> None:
    bind_hypotheses(statement, SMALL, SMALL_OUTSIDE)
    bind_hypotheses(statement, small(UNIT, UNIT, 0, records=2, rows=50), SMALL_OUTSIDE)
    assert statement.applies(small(UNIT, UNIT, 0, records=2, rows=50, floor=1, smallness=0)) is Truth.TRUE
    for field in ("first", "second", "reference"):
        others = {
            "the three covariances are symmetric": attrs.evolve(SMALL, **{field: SKEW}),
            "all columns are normalised as in (4)": attrs.evolve(SMALL, **{field: WIDE}),
            "lambda_min >= c for all three": attrs.evolve(SMALL, **{field: correlated(Fraction(51, 100))}),
        }
        bind_hypotheses(statement, SMALL, SMALL_OUTSIDE | others)
    away = attrs.evolve(SMALL, first=UNIT, second=UNIT, reference=correlated(Fraction(1, 5000)))
    bind_hypotheses(statement, SMALL, SMALL_OUTSIDE | {"max |Sigma_j - Sigma_k| <= Delta_max for all three": away})
    assert statement.applies(attrs.evolve(SMALL, rows=311)) is Truth.TRUE, "2 (C_1 + C_2) ln 2np = 309.9"
    third = Fraction(74, 100)
    assert statement.applies(attrs.evolve(SMALL, floor=third)) is Truth.TRUE
    assert statement.applies(attrs.evolve(SMALL, smallness=Fraction(1, 19))) is Truth.TRUE, "312/6000 = 1/19.2"
    masses = {"first_mass": Fraction(1, 10**12), "second_mass": Fraction(1, 10**12)}
    assert statement.applies(attrs.evolve(SMALL, **masses)) is Truth.TRUE
    bind_hypotheses(statement, SMALL, SMALL_OUTSIDE | LOSSY)
    assert not statement.strict


@theorem_3_2.supports(
    grade="derived",
    region="every p, n >= 2, m and pair under the hypotheses: Theorem 4.6; exact supremum at 20 pairs, p <= 3",
)
def test_theorem_3_2(statement) -> None:
    """Against X_1: ||Delta||_F <= p Delta_max <= s/(p sqrt(m L)), L = ln 2np >= 1, and l_1, l_i >= c.

    The terms of Theorem 4.6 as sharpened: (m p ||Delta||_F/(2c^2)) C sqrt(L/m) <= C s/(2c^2) (1); (m p ||Delta||_F/(2
    c^2)) Delta_max and (m p ||Delta||_F/(2c^2)) ||Delta||_F/p are at most s^2/(2 c^2 p^2 L) each (2). ln f_i'/f_j' = ln
    f_i'/f_1' + ln f_1'/f_j' (Remark 4.7), so any two databases have at most twice the sum.
    """
    p, m, big, s, c, k = sympy.symbols("p m L s c C", positive=True)
    delta = s / (p**2 * sympy.sqrt(m * big))
    size = p * delta
    assert sympy.simplify(m * p * size / (2 * c**2) * k * sympy.sqrt(big / m) - k * s / (2 * c**2)) == 0, "(1)"
    for term in (delta, size / p):
        assert sympy.simplify(m * p * size / (2 * c**2) * term - s**2 / (2 * c**2 * p**2 * big)) == 0, "(2)"
    assert arb(4).log() >= 1, "n >= 2, p >= 1"

    def formula(point: SmallDeltaMax) -> mpmath.mpf:
        small = real(point.smallness)
        bound = (mpmath.sqrt(squared_constant()) * small + 2 * small**2) / real(point.floor) ** 2
        return bound + 2 * mpmath.log(1 + mpmath.mpf(1) / (point.records**2 - 1)) - loss(point, point.reference)

    bind_formula(statement, small_points(), formula)
    assert statement.at(SMALL) is Truth.TRUE
    half, moved = correlated(*[Fraction(1, 2)] * 6), correlated(*[Fraction(1, 2) + Fraction(1, 10**5)] * 6)
    assert statement.at(small(half, moved, Fraction(1, 10**5), floor=Fraction(49, 100))) is Truth.TRUE, (
        "||Sigma_1|| > 2"
    )
    for point in small_points():
        if statement.applies(point) is Truth.TRUE:
            assert statement.at(point) is Truth.TRUE
    assert_sufficient(statement)


@theorem_3_2.controls(grade="interval", region="(9) dropped: correlation 1/10")
def test_theorem_3_2_needs_a_small_delta_max(statement) -> None:
    far = small(UNIT, correlated(Fraction(1, 10)), Fraction(1, 10), rows=10**6)
    assert statement.without("Delta_max <= s / (p^2 sqrt(m ln 2np))").at(far) is Truth.FALSE


TAIL = TailOutput(3, 5, Fraction(1, 10), 1)
TAIL_OUTSIDE = {
    "rows >= 1, an integer": attrs.evolve(TAIL, rows=0),
    "|r| < 1": attrs.evolve(TAIL, correlation=1),
    "t^2 r >= 2 a": attrs.evolve(TAIL, entry=4),
}


@theorem_3_2.supports(
    "truncation-is-essential",
    grade="derived",
    region="every r, m, t and level: the docstring; bound at 48 points, r from 10^-6 to 10^-9 among them",
)
def test_untruncated_tails_have_an_unbounded_loss(statement) -> None:
    """At rows (t, t) |ln f_1/f_i| is m |t^2 r/(1 + r) - ln(1 - r^2)/2| (1), and -ln(1 - r^2) >= 0.

    For 0 < r < 1 that is at least t^2 r/2, as m >= 1 and 1 + r <= 2; for r <= 0 the level is at most 0.
    """
    r, t = sympy.symbols("r t", positive=True)
    inverse = sympy.Matrix([[1, r], [r, 1]]).inv() - sympy.eye(2)
    row = sympy.Matrix([[t, t]])
    assert sympy.simplify((row * inverse * row.T)[0] + 2 * t**2 * r / (1 + r)) == 0, "(1)"

    def formula(p: TailOutput) -> mpmath.mpf:
        r, t = real(p.correlation), real(p.entry)
        return p.rows * abs(mpmath.log(1 - r**2) / 2 - t**2 * r / (1 + r)) - real(p.level)

    points = [
        TailOutput(m, t, correlation, Fraction(t * t) * correlation / 2)
        for m in (1, 300)
        for correlation in (*(Fraction(1, 10**k) for k in range(6, 10)), Fraction(99, 100), Fraction(-1, 2))
        for t in (1, 10, 10**6, 10**9)
    ]
    bind_formula(statement, points, formula)
    for p in [*points, TAIL]:
        assert statement.at(p) is Truth.TRUE
    for point in (TAIL, attrs.evolve(TAIL, rows=1), attrs.evolve(TAIL, correlation=Fraction(99, 100))):
        bind_hypotheses(statement, point, TAIL_OUTSIDE)
    bind_hypotheses(statement, TAIL, TAIL_OUTSIDE | {"|r| < 1": attrs.evolve(TAIL, correlation=-1)})
    assert not statement.strict


@theorem_3_2.controls(
    "truncation-is-essential", grade="interval", region="p = 2, r = 1/10: no rows; an output of the middle"
)
def test_the_middle_has_a_small_loss(statement) -> None:
    assert statement.without("rows >= 1, an integer").at(attrs.evolve(TAIL, rows=0)) is Truth.FALSE
    assert statement.without("t^2 r >= 2 a").at(attrs.evolve(TAIL, entry=1)) is Truth.FALSE


@theorem_3_2.supports("conditions-16", grade="derived", region="every point: p^2 ln 2np >= 1")
@theorem_3_2.supports("assumption-1", grade="derived", region="every point: (7), (8) and the floor")
def test_the_sound_steps_of_theorem_3_2(statements) -> None:
    """(m p^2 Delta_max^2) p^2 L = (p^2 Delta_max sqrt(m L))^2 <= s^2; ||Gamma|| <= ||Delta||_F/c^2."""
    conditions = statements["compression.theorem-3-2/conditions-16"]
    assumption = statements["compression.theorem-3-2/assumption-1"]

    def growth(p: SmallDeltaMax) -> mpmath.mpf:
        root = mpmath.sqrt(p.rows * logarithm(p.records, p.first.nrows()))
        first = real(p.smallness) - real(p.delta_max) * p.first.nrows() ** 2 * root
        return min(first, real(p.smallness) ** 2 - p.rows * (p.first.nrows() * real(p.delta_max)) ** 2)

    bind_formula(conditions, [*small_points(), SMALL], growth)
    bind_formula(
        assumption,
        small_points(),
        lambda p: p.first.nrows() * real(p.delta_max) / real(p.floor) ** 2 - norm(gamma(p)),
    )
    one = fmpq_mat([[1]])
    alone = small(one, one, 1, records=1, rows=4, smallness=Fraction(17, 10))
    outside = {
        "records >= 2, an integer": alone,
        "delta_max >= 0": attrs.evolve(alone, records=2, delta_max=-1, smallness=1),
        "Delta_max <= s / (p^2 sqrt(m ln 2np))": PRINTED_OUTSIDE["Delta_max <= s / (p^2 sqrt(m ln 2np))"],
    }
    bind_hypotheses(conditions, SMALL, outside)
    bind_hypotheses(conditions, attrs.evolve(SMALL, records=2, delta_max=0), outside)
    low = small(one / 100, one / 50, Fraction(1, 100), floor=1)
    outside = {
        "the three covariances are symmetric": PRINTED_OUTSIDE["the three covariances are symmetric"],
        "max |Sigma_j - Sigma_k| <= Delta_max for all three": small(one, 2 * one, 0, floor=1),
        "floor > 0": attrs.evolve(low, floor=0),
        "lambda_min >= c for all three": low,
    }
    bind_hypotheses(assumption, SMALL, outside)
    skew = {"first": sheared(1000), "second": sheared(1000, -Fraction(1, 100)), "reference": sheared(1000)}
    telling = {"the three covariances are symmetric": attrs.evolve(SMALL, **skew, delta_max=Fraction(1, 100))}
    bind_hypotheses(assumption, SMALL, outside | telling)
    for statement in (conditions, assumption):
        assert statement.at(SMALL) is Truth.TRUE
        assert not statement.strict


@theorem_3_2.refutes("equal-norms", grade="interval", region="p = 2, one correlation changed")
def test_the_norms_of_delta_differ(statement) -> None:
    """At p = 2 the eigenvalues of Delta are t and -t: ||Delta||_2 = t, ||Delta||_F = sqrt(2) t, p Delta_max = 2 t."""
    assert statement.at(SMALL) is Truth.FALSE

    def formula(p: SmallDeltaMax) -> mpmath.mpf:
        change = real_matrix(p.first - p.second)
        bound = p.first.nrows() * real(p.delta_max)
        return -abs(norm(change) - frobenius(change)) - abs(frobenius(change) - bound)

    bind_formula(statement, small_points(), formula)
    assert_sufficient(statement)


def triples() -> list[ThreeCovariances]:
    return [
        ThreeCovariances(p.first, p.second, correlated(*[0] * (1 if p.first.nrows() == 2 else 3)), p.output)
        for p in OUTPUTS
    ]


@remark_4_7.supports(grade="derived", region="every three covariances and output: triangle inequality")
def test_remark_4_7(statement) -> None:
    """Write ln f_k/f_j = (ln f_k - ln f_1) + (ln f_1 - ln f_j); the left side is (15), by the density-ratio step."""

    def density(covariance, p: ThreeCovariances) -> mpmath.mpf:
        inverse, matrix = real_matrix(covariance) ** -1, real_matrix(p.output)
        quadratic = trace(matrix * inverse * matrix.T)
        return -(quadratic + p.output.nrows() * mpmath.log(mpmath.det(real_matrix(covariance)))) / 2

    def formula(p: ThreeCovariances) -> mpmath.mpf:
        k, j, one = (density(m, p) for m in (p.first, p.second, p.reference))
        return abs(one - k) + abs(one - j) - abs(k - j)

    bind_formula(statement, triples(), formula)
    for p in triples():
        assert statement.at(p) is not Truth.FALSE
    p = triples()[1]
    says, symmetric = "the three covariances are positive definite", "the three covariances are symmetric"
    for field in ("first", "second", "reference"):
        skew = attrs.evolve(p, **{field: SKEW})
        bind_hypotheses(statement, p, {says: attrs.evolve(p, **{field: INDEFINITE}), symmetric: skew})
        assert statement.applies(attrs.evolve(p, **{field: correlated(1)})) is Truth.FALSE
    assert not statement.strict


@remark_4_7.controls(grade="interval", region="Sigma_k and Sigma_j on either side")
def test_remark_4_7_is_sharp(statement) -> None:
    """With the reference between the two, the sum is attained, so nine tenths of it fails."""
    p = ThreeCovariances(UNIT * fmpq(1, 2), UNIT * fmpq(2), UNIT, fmpq_mat([[0, 0]]))
    assert statement.at(p) is not Truth.FALSE
    more = redefined(statement, distributional_loss, "log_ratio", lambda *pair: log_ratio(*pair) * fmpq(10, 9))
    assert more.at(p) is Truth.FALSE
