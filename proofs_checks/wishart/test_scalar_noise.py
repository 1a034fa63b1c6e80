"""Theorems 1 and 2 of `wishart`: Laplace noise suffices as printed, Gaussian noise only for small epsilon."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, ctx

from dpmatrix.claims import Condition, Statement, Truth, bind, bind_hypotheses, certify, interval
from dpmatrix.privacy.profiles.enclosure import hull
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart.scalar_noise import GaussianNoise, LaplaceNoise, gaussian_delta
from dpmatrix.tracing import bind_expression
from proofs_checks.gaussian_profiles import cdf, divergence, phi

theorem_1 = cite("wishart.theorem-1@dec3ccb1")
theorem_2 = cite("wishart.theorem-2@930fd741")

e, s, scale, shift, z = sympy.symbols("epsilon s lambda t z", positive=True)


def condition(statement: Statement, says: str) -> Condition:
    """One hypothesis of a statement, by its sentence."""
    return next(given for given in statement.given if given.says == says)


def as_statement(statement: Statement, says: str) -> Statement:
    """One hypothesis of a statement as a statement of its own, so that its formula can be bound."""
    return Statement(says, condition(statement, says).margin)


@theorem_1.supports(
    grade="derived",
    region="every epsilon, s_1, lambda and dimension: the loss by the triangle inequality, its bound by an identity",
)
def test_laplace_noise_suffices(statement) -> None:
    """The loss is the sum of (|z_i - t_i| - |z_i|) / lambda, at most |t|_1 / lambda by the triangle inequality.

    Then epsilon - s/lambda = (epsilon/lambda) (lambda - s/epsilon), positive by hypothesis. A loss of at most epsilon
    everywhere makes the divergence at epsilon 0. The formula is bound also where it is positive.
    """
    slack = e - s / scale
    assert sympy.simplify(slack - (e / scale) * (scale - s / e)) == 0
    divergence = sympy.Max(0, 1 - sympy.exp(slack / 2))
    points = [
        LaplaceNoise(Fraction(i, 3), Fraction(j, 2), Fraction(k, 5))
        for i, j, k in product((1, 4, 9), (0, 1, 7), (2, 9, 31))
    ]
    bind(
        statement,
        (
            (
                p,
                -divergence.subs(
                    {e: sympy.Rational(p.epsilon), s: sympy.Rational(p.sensitivity), scale: sympy.Rational(p.scale)}
                ).evalf(50),
            )
            for p in points
        ),
    )
    moved, spread = sympy.symbols("sensitivity scale", real=True)
    lost = sympy.Piecewise((sympy.exp((e - moved / spread) / 2) - 1, e < moved / spread), (0, True))
    bind_expression(statement, sympy.Piecewise((lost, spread > 0), (sympy.nan, True)))
    bind_hypotheses(
        statement,
        LaplaceNoise(1, 1, 2),
        {
            "epsilon > 0": LaplaceNoise(-1, 1, 2),
            "sensitivity >= 0": LaplaceNoise(1, -1, 2),
            "lambda > s_1 / epsilon": LaplaceNoise(1, 1, 1),
        },
    )
    assert condition(statement, "epsilon > 0").at(LaplaceNoise(0, 1, 2)) is Truth.FALSE
    assert statement.applies(LaplaceNoise(1, 0, Fraction(1, 9))) is Truth.TRUE, "nothing is released, anything hides it"
    assert statement.applies(LaplaceNoise(1, 1, Fraction(10, 9))) is Truth.TRUE
    bind(
        as_statement(statement, "lambda > s_1 / epsilon"),
        ((p, sympy.Rational(p.scale) - sympy.Rational(p.sensitivity) / sympy.Rational(p.epsilon)) for p in points),
    )


@theorem_1.controls(grade="interval", region="s_1 = epsilon = 1, noise cut by a quarter")
def test_less_laplace_noise_does_not_suffice(statement) -> None:
    less = statement.without("lambda > s_1 / epsilon")
    assert less.at(LaplaceNoise(1, 1, 1)) is Truth.TRUE, "equality suffices"
    assert less.at(LaplaceNoise(1, 1, Fraction(3, 4))) is Truth.FALSE


def printed_gap(c: arb, epsilon: arb) -> arb:
    """Return delta - profile at sigma = c s / epsilon and delta = 1.25 exp(-c^2 / 2): the hypotheses with equality."""
    near, far = epsilon / (2 * c) - c, -epsilon / (2 * c) - c
    root_two = arb(2).sqrt()
    profile = ((-near / root_two).erfc() - epsilon.exp() * (-far / root_two).erfc()) / 2
    return arb("1.25") * (-c * c / 2).exp() - profile


@attrs.frozen
class Boundary:
    """A point on the boundary of the hypotheses, at epsilon = 15/4."""

    c: arb


CENT = Fraction(1, 100)
INSIDE = GaussianNoise(1, Fraction(1, 10), 1, Fraction(23, 10), Fraction(231, 100))
OUTSIDE = {
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=-1),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "sensitivity > 0": attrs.evolve(INSIDE, sensitivity=0),
    "c > 0": attrs.evolve(INSIDE, c=Fraction(-23, 10)),
    "c^2 > 2 ln(1.25 / delta)": attrs.evolve(INSIDE, c=2),
    "sigma > c s_2 / epsilon": attrs.evolve(INSIDE, sigma=2),
}


def assert_printed_hypotheses(statement: Statement) -> None:
    """Check that the two printed inequalities are strict, and are the printed formulas; so are the signs."""
    boundary = attrs.evolve(INSIDE, c=Fraction(5, 2), sigma=Fraction(5, 2))
    assert condition(statement, "sigma > c s_2 / epsilon").at(boundary) is Truth.FALSE
    edge = attrs.evolve(INSIDE, c=0, delta=Fraction(5, 4))
    assert condition(statement, "c^2 > 2 ln(1.25 / delta)").at(edge) is Truth.FALSE, "0 > 0 at c = 0, delta = 1.25"
    assert condition(statement, "c > 0").at(edge) is Truth.FALSE
    assert condition(statement, "epsilon > 0").at(attrs.evolve(INSIDE, epsilon=0)) is Truth.FALSE
    points = [
        GaussianNoise(Fraction(i, 3), Fraction(j, 10), Fraction(k, 2), Fraction(i + k, 2), Fraction(j, 4))
        for i, j, k in product((1, 4, 9), (1, 5, 9), (1, 2, 7))
    ]
    bind(
        as_statement(statement, "c^2 > 2 ln(1.25 / delta)"),
        (
            (p, (sympy.Rational(p.c) ** 2 - 2 * sympy.log(sympy.Rational(5, 4) / sympy.Rational(p.delta))).evalf(50))
            for p in points
        ),
    )
    bind(
        as_statement(statement, "sigma > c s_2 / epsilon"),
        (
            (p, sympy.Rational(p.sigma) - sympy.Rational(p.c * p.sensitivity) / sympy.Rational(p.epsilon))
            for p in points
        ),
    )
    assert not statement.strict, "a guarantee may be met exactly"


@theorem_2.refutes(grade="interval", region="epsilon = 10, delta = 1/10, c = 2.3, sigma = 0.231")
def test_gaussian_constant_fails_for_large_epsilon(statement) -> None:
    point = attrs.evolve(INSIDE, epsilon=10, sigma=Fraction(231, 1000))
    assert statement.at(point) is Truth.FALSE
    assert -arb(1) / 2 < statement.margin(point) < -arb(1) / 4, "the exact delta is above 0.35"
    delta = gaussian_delta(point)
    theorem_2.tells("c = {} the exact delta exceeds {above}", point.c, delta)
    theorem_2.tells("c = {} the exact delta is above {above}", point.c, delta)
    assert statement.at(INSIDE) is Truth.TRUE
    bind_hypotheses(statement, INSIDE, OUTSIDE)
    bind_hypotheses(statement, point, OUTSIDE)
    assert_printed_hypotheses(statement)


LIMIT, MOST = "epsilon <= 15/4", Fraction(15, 4)
MOVED, EPSILON = sympy.symbols("mu epsilon", positive=True)


def profile(mu: sympy.Expr) -> sympy.Expr:
    """Give the divergence at epsilon of two standard normal laws mu apart."""
    return cdf(mu / 2 - EPSILON / mu) - sympy.exp(EPSILON) * cdf(-mu / 2 - EPSILON / mu)


@theorem_2.supports_repair(
    grade="derived",
    region="every epsilon <= 15/4, every delta in (0, 1); the docstring's argument; subdivision for c <= 3",
)
def test_gaussian_constant_suffices_up_to_fifteen_quarters(statement) -> None:
    """The profile grows with mu = s/sigma (1), so equality in the hypotheses is the worst: mu = epsilon/c.

    There it grows with epsilon: with z = c + epsilon/(2c) and x = c - epsilon/(2c) its derivative is phi(x)/c -
    exp(epsilon) Phi(-z) (2), and exp(epsilon) Phi(-z) <= exp(epsilon) phi(z)/z = phi(x)/z <= phi(x)/c (3), by Mills'
    ratio. So epsilon = 15/4 is the worst. For c <= 3 the gap is positive by subdivision; c^2 > 2 ln(1.25/delta) > 2 ln
    1.25 bounds c from below. For c >= 3, x >= 19/8 and the profile is at most phi(x)/x <= exp(-c^2/2) exp(15/8) /
    (sqrt(2 pi) 19/8), below 1.25 exp(-c^2/2) (4).
    """
    growth = sympy.diff(profile(MOVED), MOVED)
    assert sympy.simplify(growth - phi(MOVED / 2 - EPSILON / MOVED)) == 0, "(1): positive for every mu and epsilon"
    c = sympy.Symbol("c", positive=True)
    low, high = c - EPSILON / (2 * c), c + EPSILON / (2 * c)
    along = sympy.diff(profile(EPSILON / c), EPSILON)
    assert sympy.simplify(along - phi(low) / c + sympy.exp(EPSILON) * cdf(-high)) == 0, "(2)"
    assert sympy.expand(-(low**2) / 2 - EPSILON + high**2 / 2) == 0, "(3)"
    least = (2 * (arb(5) / 4).log()).sqrt().lower()
    gap = Statement("gap", lambda p: printed_gap(p.c, arb(15) / 4), strict=True)
    certificate = certify(gap, Boundary(interval(arb(least), 3)))
    assert certificate.answer is Truth.TRUE
    assert (arb(15) / 8).exp() / ((2 * arb.pi()).sqrt() * arb(19) / 8) < arb(5) / 4, "(4)"

    def on_boundary():
        for c, epsilon in product((1, 2, 3, 5), (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), 1, 7)):
            with_prec = arb(c)
            delta = 5 * (-with_prec * with_prec / 2).exp() / 4
            ratio = arb(epsilon.numerator) / epsilon.denominator
            yield GaussianNoise(epsilon, delta, 3, c, Fraction(3 * c) / epsilon), printed_gap(with_prec, ratio)

    before, ctx.prec = ctx.prec, 300
    try:
        pairs = list(on_boundary())
    finally:
        ctx.prec = before
    bind(statement, pairs)
    delta, moved, sigma = sympy.symbols("delta sensitivity sigma", real=True)
    covered = delta - divergence(EPSILON, moved / sigma)
    bind_expression(statement, sympy.Piecewise((covered, sigma > 0), (sympy.nan, True)))
    for epsilon, digits in product((Fraction(1, 100), Fraction(1, 2), 1, MOST), (1, 3, 9)):
        c = Fraction(math.ceil(1000 * math.sqrt(2 * math.log(1.25 * 10**digits))) + 1, 1000)
        assert statement.at(GaussianNoise(epsilon, Fraction(1, 10**digits), 3, c, 3 * c / epsilon + CENT)) is Truth.TRUE
    too_little = {
        "c^2 > 2 ln(1.25 / delta)": GaussianNoise(1, Fraction(1, 100_000), 1, 1, Fraction(11, 10)),
        LIMIT: attrs.evolve(INSIDE, epsilon=10, sigma=Fraction(231, 1000)),
    }
    bind_hypotheses(statement, INSIDE, OUTSIDE | too_little)
    assert_printed_hypotheses(statement)
    assert_enclosed_divergence()


def assert_enclosed_divergence() -> None:
    """Over deviations from 2 to 3 all divergences are enclosed, those of both ends too; without a shift it is 0."""
    found = gaussian_delta(attrs.evolve(INSIDE, sigma=interval(2, 3)))
    for sigma in (2, Fraction(9, 4), 3):
        assert found.contains(gaussian_delta(attrs.evolve(INSIDE, sigma=sigma)))
    assert gaussian_delta(attrs.evolve(INSIDE, sensitivity=0)) == 0
    assert hull(arb(0), arb(1)).contains(arb(1) / 2)


@theorem_2.controls("+repair", grade="interval", region="epsilon = 1, delta = 1e-5, noise cut by a third")
def test_a_third_less_gaussian_noise_does_not_suffice(statement) -> None:
    point = GaussianNoise(1, Fraction(1, 100_000), 1, 5, Fraction(501, 100))
    assert statement.at(point) is Truth.TRUE
    less = attrs.evolve(point, sigma=Fraction(2, 3) * point.sigma)
    assert statement.without("sigma > c s_2 / epsilon").at(less) is Truth.FALSE
    small = attrs.evolve(point, c=1, sigma=Fraction(11, 10))
    assert statement.without("c^2 > 2 ln(1.25 / delta)").at(small) is Truth.FALSE
    beyond = GaussianNoise(Fraction(19, 5), Fraction(179, 200), 1, Fraction(8175, 10000), Fraction(21514, 100_000))
    assert statement.without(LIMIT).at(beyond) is Truth.FALSE, "epsilon = 3.8 is too large"
    large = attrs.evolve(INSIDE, epsilon=10, sigma=Fraction(231, 1000))
    assert statement.without(LIMIT).at(large) is Truth.FALSE
    assert statement.applies(attrs.evolve(point, epsilon=MOST)) is Truth.TRUE


def lifted(epsilon: Fraction | int, digits: int, least: bool = True) -> GaussianNoise:
    """Take c just above the least one for delta = 10^-digits, and sigma so too, or twice as large, at s_2 = 3."""
    c = Fraction(math.ceil(1000 * math.sqrt(2 * math.log(1.25 * 10**digits))) + 1, 1000)
    sigma = 3 * (float(c) + math.sqrt(float(c * c + 2 * epsilon))) / (2 * float(epsilon))
    shown = Fraction(math.ceil(10**6 * sigma), 10**6)
    return GaussianNoise(epsilon, Fraction(1, 10**digits), 3, c, shown if least else 2 * shown)


LIFTED = "sigma >= s_2 (c + sqrt(c^2 + 2 epsilon)) / (2 epsilon)"
EVERY_EPSILON = (Fraction(1, 100), 1, 10, 100, 1000)


@theorem_2.supports(
    "every-epsilon", grade="derived", region="every epsilon > 0, delta in (0, 1) and s_2, by the docstring; 16 points"
)
def test_a_larger_deviation_suffices_for_every_epsilon(statement) -> None:
    """With t = sigma/s_2 the profile is at most Phi(-(epsilon t - 1/(2t))), and that argument grows with t.

    At t = (c + sqrt(c^2 + 2 epsilon))/(2 epsilon) it is c (1), and Phi(-c) <= exp(-c^2/2)/2 < (delta/1.25)/2 (2): the
    derivative of exp(-c^2/2)/2 - Phi(-c) is phi(c) - c exp(-c^2/2)/2 (3), positive and then negative, and the
    difference is 0 at c = 0 and in the limit. The deviation is at most 1 + epsilon/(2c^2) times c s_2/epsilon (4).
    """
    c = sympy.Symbol("c", positive=True)
    t = (c + sympy.sqrt(c**2 + 2 * EPSILON)) / (2 * EPSILON)
    assert sympy.simplify(EPSILON * t - 1 / (2 * t) - c) == 0, "(1)"
    assert sympy.Rational(4, 5) / 2 == sympy.Rational(2, 5), "(2)"
    half = sympy.exp(-(c**2) / 2) / 2
    assert sympy.simplify(sympy.diff(half - cdf(-c), c) - (phi(c) - c * half)) == 0, "(3)"
    assert (half - cdf(-c)).subs(c, 0) == 0, "(3)"
    assert sympy.limit(half - cdf(-c), c, sympy.oo) == 0, "(3)"
    assert sympy.expand((c + EPSILON / c) ** 2 - (c**2 + 2 * EPSILON) - (EPSILON / c) ** 2) == 0, "(4)"
    for epsilon, digits in product(EVERY_EPSILON, (1, 3, 9)):
        assert statement.at(lifted(epsilon, digits)) is Truth.TRUE
    delta, moved, sigma = sympy.symbols("delta sensitivity sigma", real=True)
    covered = 2 * delta / 5 - divergence(EPSILON, moved / sigma)
    bind_expression(statement, sympy.Piecewise((covered, sigma > 0), (sympy.nan, True)))
    points = [lifted(*choice) for choice in product(EVERY_EPSILON, (1, 9), (True, False))]
    root = ((p, sympy.sqrt(sympy.Rational(p.c) ** 2 + 2 * sympy.Rational(p.epsilon))) for p in points)
    margins = ((p, p.sigma - p.sensitivity * (p.c + value) / (2 * sympy.Rational(p.epsilon))) for p, value in root)
    bind(as_statement(statement, LIFTED), ((p, value.evalf(60)) for p, value in margins))
    inside = lifted(10, 1)
    outside = {says: point for says, point in OUTSIDE.items() if says != "sigma > c s_2 / epsilon"}
    outside["c^2 > 2 ln(1.25 / delta)"] = attrs.evolve(inside, c=Fraction(1, 10), sigma=Fraction(7, 10))
    bind_hypotheses(statement, inside, outside | {LIFTED: attrs.evolve(inside, sigma=Fraction(1, 2))})
    least = GaussianNoise(4, Fraction(9, 10), 1, 1, Fraction(1, 2))
    assert statement.at(least) is Truth.TRUE, "sigma = (1 + sqrt(9))/8"


@theorem_2.controls("every-epsilon", grade="interval", region="epsilon = 10, delta = 1/10, noise cut by a third")
def test_the_larger_deviation_is_needed(statement) -> None:
    point = lifted(10, 1)
    assert statement.at(point) is Truth.TRUE
    less = attrs.evolve(point, sigma=Fraction(2, 3) * point.sigma)
    assert statement.without(LIFTED).at(less) is Truth.FALSE
    assert (
        statement.without("c^2 > 2 ln(1.25 / delta)").at(attrs.evolve(point, c=Fraction(1, 10), sigma=Fraction(7, 10)))
        is Truth.FALSE
    )
