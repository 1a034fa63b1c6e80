"""`wishart.theorem-7` against `wishart.theorem-8`: whether the two sample sizes are of one order."""

from __future__ import annotations

from fractions import Fraction

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.forms import Number
from dpmatrix.claims.formulas import real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.sample_sizes import SampleSizes, TwoDataSets, constant_of

theorem_7 = cite("wishart.theorem-7@bc303e85")

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
POINTS = [
    SampleSizes(d, first, second, rho, eta, constant)
    for d, eta in ((2, HALF), (2, Fraction(1, 100)), (5, Fraction(1, 5)), (60, Fraction(1, 9)), (10**6, THIRD))
    for first, second, rho in (
        (HALF, 0, HALF),
        (Fraction(2, 5), THIRD, Fraction(9, 10)),
        (HALF, HALF / 2, Fraction(1, 99)),
    )
    for constant in (1, 12)
]


def by_hand(p: SampleSizes) -> str:
    """Write both sample sizes at epsilon = 1 again."""
    with mpmath.workdps(70):
        d, rho, eta, gap = p.dimension, real(p.rho), real(p.eta), real(p.first) - real(p.second)
        theta = mpmath.log(d / eta)
        tail = d + 1 + mpmath.sqrt(2 * (d + 1) * (d + 2) * theta) + 2 * d * theta
        wishart = 3 * tail / (2 * (1 - rho**2) * gap)
        bracket = mpmath.log(1 / eta) / d + mpmath.log(4 * real(p.first) / ((1 - rho**2) * gap))
        exponential = d * bracket / ((1 - rho) * gap)
        return mpmath.nstr(real(p.constant) * mpmath.log(d) * exponential - wishart, 55)


INSIDE = SampleSizes(2, HALF, 0, Fraction(9, 10), Fraction(501, 1000), 12)
OUTSIDE = {
    "dimension >= 2, an integer": {"dimension": 1},
    "second >= 0": {"second": Fraction(-1, 99)},
    "lambda_1 > lambda_2": {"second": HALF},
    "lambda_1 + lambda_2 <= 1": {"first": Fraction(101, 100)},
    "rho > 0": {"rho": 0},
    "rho < 1": {"rho": 1},
    "eta > 0": {"eta": 0},
    "eta < 1": {"eta": 1},
    "constant > 0": {"constant": 0},
}


def check_hypotheses(statement, more: dict[str, dict[str, object]]) -> None:
    """Ask for each hypothesis on its own, at a point on the edge of those that may be met with equality."""
    outside = {says: attrs.evolve(INSIDE, **change) for says, change in (OUTSIDE | more).items()}
    bind_hypotheses(statement, INSIDE, outside)
    bind_hypotheses(statement, attrs.evolve(INSIDE, first=Fraction(3, 5), second=Fraction(2, 5)), outside)


def small_eta(constant: Number) -> SampleSizes:
    """Take eta = 2^(-10 d), and d so large that d > K log d: a power of 2."""
    d = 4
    while not d > rational(constant) * 2 * d.bit_length():
        d *= 2
    return SampleSizes(d, HALF, 0, HALF, arb(2) ** (-10 * d), constant)


def allowed(eta: Number) -> str:
    """Write the constant of an eta again."""
    with mpmath.workdps(70):
        unit = mpmath.log(2)
        times = 1 + mpmath.log(1 / real(eta)) / unit
        tail = 3 / (2 * unit) + mpmath.sqrt(6 * times / unit) + 2 * times
        return mpmath.nstr(3 * tail / (2 * mpmath.log(4)), 60)


@theorem_7.supports(
    "within-a-logarithm",
    grade="derived",
    region="every eta, d >= 2, rho and eigenvalues, by the docstring; its inequalities in d and theta checked",
)
@theorem_7.controls(
    "within-a-logarithm",
    grade="interval",
    region="K = 12 at eta = 2^(-10 d) for some d, and each K = 10^-12, .., 10^12 likewise; K(eta)/10 at d = 10^6",
)
def test_the_sample_sizes_are_within_a_logarithm_at_each_eta(statement) -> None:
    """With a = log(1/eta)/log 2, theta = log d + a log 2 <= (1 + a) log d (1) for d >= 2.

    With d + 1 <= 3d/2, (d + 1)(d + 2) <= 3 d^2 and l = log d >= log 2 the tail factor is at most d (3/2 +
    sqrt(6 (1 + a) l) + 2 (1 + a) l) <= d l (3/(2 log 2) + sqrt(6 (1 + a)/log 2) + 2 (1 + a)) (2). The quotient of the
    sizes is 3 (tail factor)/(2 (1 + rho)(log(1/eta) + d log(4 lambda_1/((1 - rho^2) gap)))), at most 3 (tail factor)/
    (2 d log 4), as lambda_1 >= gap. So K(eta) is 3/(2 log 4) times the last bracket of (2).

    No K serves every eta: at lambda_2 = 0, rho = 1/2 and eta = 2^(-10 d) the first size is at least
    (3/2)(4/3) 2 d log(1/eta) = 4 d log(1/eta), the second one 2 (log(1/eta) + d log(16/3)) < 2 log(1/eta) (1 + 1/4), as
    log(16/3) < 1.7 and 10 log 2 > 6.9. So the quotient exceeds 8 d/5, and d > K log d.
    """
    d, a = sympy.symbols("d a", positive=True)
    two, level = sympy.log(2), sympy.log(d)
    assert sympy.expand((1 + a) * level - (level + a * two) - a * (level - two)) == 0, "(1)"
    assert sympy.expand(3 * d**2 - (d + 1) * (d + 2) - ((2 * d + 1) * (d - 2))) == 0
    assert (arb(16) / 3).log() < arb("1.7")
    assert 10 * arb(2).log() > arb("6.9")
    etas = (HALF, Fraction(999, 1000), THIRD, Fraction(1, 20), Fraction(1, 10**9))
    points = [attrs.evolve(p, eta=eta, constant=constant_of(eta)) for p in POINTS for eta in etas]
    points += [SampleSizes(2, HALF, 0, Fraction(1, 1000), eta, constant_of(eta)) for eta in etas]
    for p in points:
        assert statement.at(p) is Truth.TRUE
        assert statement.exhibiting(attrs.evolve(p, constant=1)).constant.overlaps(p.constant)
    for eta in etas:
        assert abs(constant_of(eta) - arb(allowed(eta))) < arb(10) ** -9, "K(eta)"
    bind(statement, [(p, by_hand(p)) for p in POINTS])
    check_hypotheses(statement, {})

    def any_constant(constant: Number) -> Truth:
        return statement.exhibits(constant=constant).at(small_eta(constant))

    assert all(any_constant(constant) is Truth.FALSE for constant in (12, *(fmpq(10) ** k for k in range(-12, 13))))
    tenth = statement.exhibits(constant=lambda eta: constant_of(eta) / 10)
    many = SampleSizes(10**6, HALF, 0, Fraction(1, 1000), HALF, constant_of(HALF) / 10)
    assert tenth.at(many) is Truth.FALSE


@theorem_7.supports(
    "within-a-logarithm-for-moderate-eta",
    grade="derived",
    region="every d >= 2, eta > 1/d, rho and eigenvalues, by the docstring; its constants as balls",
)
@theorem_7.controls("within-a-logarithm-for-moderate-eta", grade="interval", region="d = 10^6, K = 1")
def test_the_sample_sizes_are_within_a_logarithm_for_moderate_eta(statement) -> None:
    """The quotient is less than 12 log d, of which the constant is made of three inequalities.

    For d >= 2, theta <= 2 log d, d + 1 <= 3d/2 and (d + 1)(d + 2) <= 3 d^2. With l = log d >= log 2 the tail factor is
    at most d (3/2 + sqrt(12 l) + 4 l) <= d l (3/(2 log 2) + sqrt(12/log 2) + 4) (1). The quotient of the sizes is
    3 (tail factor) / (2 (1 + rho)(log(1/eta) + d log(4 lambda_1/((1 - rho^2) gap)))), at most 3 (tail factor)/
    (2 d log 4), as lambda_1 >= gap (2). The factors 3/(2 log 4) and (1) multiply to less than 12 (3).
    """
    two = arb(2).log()
    tail = fraction(3, 2) / two + (12 / two).sqrt() + 4
    assert 3 * tail / (2 * arb(4).log()) < 12, "(3)"
    assert all((d + 1) * (d + 2) <= 3 * d * d and 2 * (d + 1) <= 3 * d for d in range(2, 50))
    points = [attrs.evolve(p, constant=12) for p in POINTS if p.eta * p.dimension > 1]
    points += [
        SampleSizes(d, HALF, 0, Fraction(1, 1000), Fraction(1001, 1000 * d), 12) for d in (2, 3, 10, 1000, 10**9)
    ]
    for p in points:
        assert statement.at(p) is Truth.TRUE
    bind(statement, [(p, by_hand(p)) for p in [*points, *POINTS]])
    assert statement.exhibiting(attrs.evolve(INSIDE, constant=1)) == INSIDE
    assert statement.exhibits(constant=1).at(SampleSizes(10**6, HALF, 0, HALF, Fraction(2, 10**6), 1)) is Truth.FALSE
    check_hypotheses(statement, {"eta > 1/d": {"eta": HALF}})
    small = small_eta(12)
    check_hypotheses(statement, {"eta > 1/d": attrs.asdict(small)})
    assert statement.without("eta > 1/d").at(small) is Truth.FALSE
    moderate = "eta > 1/d"
    far = attrs.evolve(small_eta(12), constant=12)
    assert statement.without(moderate).at(far) is Truth.FALSE


@theorem_7.supports("gap-against-dimension", grade="derived", region="every d >= 2; d = 2, .., 25 from records")
def test_either_order_of_gap_and_dimension_occurs(statement) -> None:
    """The quotient is 1 < d for records e_1 alone, and 2d > d for 2d records e_1, 2d - 1 records e_2 and a zero one."""
    values = []
    for d in range(2, 26):
        quotients = []
        for copies in ((1,), (2 * d, 2 * d - 1, 1)):
            moments = sorted((Fraction(count, sum(copies)) for count in copies[:2]), reverse=True)
            first, second = [*moments, Fraction(0)][:2]
            quotients.append(first / (first - second))
        assert quotients == [1, 2 * d]
        assert statement.at(TwoDataSets(d)) is Truth.TRUE
        values.append((TwoDataSets(d), min(d - quotients[0], quotients[1] - d)))
    bind(statement, values)
    assert statement.strict
    bind_hypotheses(statement, TwoDataSets(2), {"dimension >= 2, an integer": TwoDataSets(1)})
    assert statement.without("dimension >= 2, an integer").at(TwoDataSets(1)) is Truth.FALSE


def fraction(numerator: int, denominator: int) -> arb:
    return arb(numerator) / denominator
