"""The noise of SULQ as `near-optimal` quotes it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, precision, square
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.tracing import bind_expression
from proofs_checks.gaussian_profiles import divergence

sulq = cite("near-optimal.sulq@b7bd26d6")


def sulq_gap(p: ModSulq) -> mpmath.mpf:
    epsilon, delta, d = real(p.epsilon), real(p.delta), p.dimension
    deviation = mpmath.sqrt(8 * d**2 * mpmath.log(d / delta) ** 2 / (p.records**2 * epsilon**2))
    mu = (mpmath.sqrt(2) if d > 1 else mpmath.mpf(1)) / p.records / deviation
    return delta - mpmath.ncdf(mu / 2 - epsilon / mu) + mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


def sulq_range(dimension: int, delta: Fraction) -> arb:
    """Give 4 d^2 log(d/delta)^2."""
    return square(2 * dimension * (dimension / ball(delta)).log())


NOISES = [
    ModSulq(d, n, epsilon, delta)
    for d, n in ((1, 1), (1, 5), (2, 1), (2, 4))
    for epsilon, delta in product((1, 5, 20), (Fraction(1, 10), Fraction(1, 2)))
]
LOUD = ModSulq(2, 1, 100, Fraction(1, 2))
SULQ_INSIDE = ModSulq(2, 1, 5, Fraction(1, 2))
SULQ_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(SULQ_INSIDE, records=0),
    "epsilon > 0": attrs.evolve(SULQ_INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(SULQ_INSIDE, delta=0),
    "delta < 1": attrs.evolve(SULQ_INSIDE, delta=1),
}


@sulq.refutes(grade="interval", region="d = 2, n = 1, delta = 1/2, epsilon = 100")
def test_quoted_noise_fails_for_large_epsilon(statement) -> None:
    assert statement.at(LOUD) is Truth.FALSE
    assert statement.margin(LOUD) < -arb(49) / 100
    delta = arb(1) / 2 - statement.margin(LOUD)
    sulq.tells("the noisy matrix has an exact delta above {above};", delta)
    sulq.tells("eps = 100 the exact delta is above {above}, and at", delta)
    bind_formula(statement, NOISES, sulq_gap)
    bind_hypotheses(
        statement,
        attrs.evolve(SULQ_INSIDE, dimension=1),
        SULQ_OUTSIDE | {"dimension >= 1, an integer": ModSulq(0, 1, 1, 0.5)},
    )
    assert not statement.strict


@sulq.refutes(
    grade="derived",
    region="every d >= 2, n, delta <= 1/4 and epsilon >= 8 d^2 log(d/delta)^2: derivation in the docstring",
)
def test_twice_the_range_is_too_much(statement) -> None:
    """With a = eps/mu = 2 d L and b = mu/2 = eps/(4 d L), eps = 2ab and delta is Phi(b-a) - e^eps Q(a+b).

    As Q(x) <= phi(x)/x for x > 0 and e^(2ab) phi(a+b) = phi(b-a) (1), it is at least g = Phi(b-a) - phi(b-a)/(a+b).
    The derivative of g in b is phi(b-a) (1 + (b-a)/(a+b) + 1/(a+b)^2) (2), positive for b >= a, which is eps >= 8 d^2
    L^2. So delta is at least g at b = a, 1/2 - 1/(2a sqrt(2 pi)), which rises with a, and a >= 4 log 8 (3).
    """
    a, b = sympy.symbols("a b", positive=True)
    phi, whole = (sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi) for x in (b - a, a + b))
    assert sympy.simplify(sympy.exp(2 * a * b) * whole / phi) == 1, "(1)"
    least = (1 + sympy.erf((b - a) / sympy.sqrt(2))) / 2 - phi / (a + b)
    assert sympy.simplify(sympy.diff(least, b) / phi - (1 + (b - a) / (a + b) + 1 / (a + b) ** 2)) == 0, "(2)"
    assert sympy.simplify(least.subs(b, a) - (sympy.Rational(1, 2) - 1 / (2 * a * sympy.sqrt(2 * sympy.pi)))) == 0
    assert least.subs(b, a).subs(a, 4 * sympy.log(8)) > sympy.Rational(1, 4), "(3)"
    d, L, n, eps = sympy.symbols("d L n epsilon", positive=True)
    mu = sympy.sqrt(2) / (n * sympy.sqrt(8 * d**2 * L**2 / (n**2 * eps**2)))
    assert sympy.simplify(eps / mu - 2 * d * L) == 0
    assert sympy.simplify(mu / 2 - eps / (4 * d * L)) == 0
    bind_formula(statement, NOISES, sulq_gap)
    for dimension, records, delta in ((2, 1, Fraction(1, 4)), (2, 7, Fraction(1, 10**6)), (9, 3, Fraction(1, 100))):
        twice = 2 * sulq_range(dimension, delta).ceil().unique_fmpz()
        for epsilon in (int(twice), 3 * int(twice)):
            run = ModSulq(dimension, records, epsilon, delta)
            assert statement.at(run) is Truth.FALSE
            assert statement.margin(run) < -arb(1) / 5
    assert statement.at(ModSulq(2, 1, Fraction(125, 2), Fraction(1, 2))) is Truth.FALSE


@sulq.refutes(
    grade="derived",
    region="d = 2, n = 1, delta = 1/2, epsilon = 500: by the first eigenvector alone, e_1 "
    "against e_2, by the docstring",
)
def test_the_first_eigenvector_alone_fails_for_larger_epsilon(statement) -> None:
    """M = e_1 e_1' + N, with entries a, b; c, e, has |v_2| < |v_1| wherever a - e > |b - c| and a + e > 0.

    Its discriminant (a - e)^2 + 4bc exceeds (b - c)^2 + 4bc = (b + c)^2 (1), so that the eigenvalues are real, s > |b +
    c| apart; as a + e > 0 the larger one, l, is also the larger in modulus. From |b - c| + |b + c| >= 2|c| follows l -
    e = (a - e + s)/2 > |c|, and v_2/v_1 = c/(l - e). With e_2 e_2' + N it is |v_1| that is smaller.

    The event is missed only if 1 + N_11 - N_22 <= |N_12 - N_21|, two independent differences of variance 2 beta^2, so
    that one of two normal variates of variance 4 beta^2 is 1 or more; or if 1 + N_11 + N_22 <= 0. So |v_2| < |v_1| has
    probability at least 1 - q for the record e_1 and at most q for e_2, q = 2 P(Z > 1/(2 beta)) + P(Z > 1/(sqrt(2)
    beta)): delta is at least 1 - (1 + e^eps) q.
    """
    b, c = sympy.symbols("b c", real=True)
    assert sympy.expand((b - c) ** 2 + 4 * b * c - (b + c) ** 2) == 0, "(1)"
    with precision(256):

        def least_delta(epsilon: int) -> arb:
            beta = arb(8).sqrt() * 2 * arb(4).log() / epsilon
            missed = (1 / (2 * beta) / arb(2).sqrt()).erfc() + (1 / (2 * beta)).erfc() / 2
            return 1 - (1 + arb(epsilon).exp()) * missed

        assert least_delta(500) > arb("0.9999")
        assert least_delta(480) < 0, "control: at epsilon = 480 this event shows nothing"
    assert statement.at(ModSulq(2, 1, 500, Fraction(1, 2))) is Truth.FALSE


@sulq.supports_repair(
    grade="derived",
    region="every d, n, delta in (0, 1) and epsilon <= 4 d^2 log(d/delta)^2: derivation in the docstring",
)
def test_quoted_noise_suffices_for_moderate_epsilon(statement) -> None:
    """The profile is at most Q(x), x = eps/mu - mu/2, and Q(x) <= exp(-x^2/2)/2 for x >= 0, as in Theorem 5.

    Let L = log(d/delta). For d >= 2 mu = sqrt(2)/(n beta) = eps/(2 d L) and x = 2 d L - eps/(4 d L) (1), at least d L
    in the range. As L > log 2 and d >= 2, d^2 L > 4 log 2 > 2 (2): x^2/2 > L. For d = 1 mu = 1/(n beta) = eps/(sqrt(8)
    L) and x = sqrt(8) L - eps/(4 sqrt(2) L) (3), at least (3/sqrt(2)) L in the range (4), and x^2/2 + log 2 > L, as 9
    L^2/4 - L + log 2 has no real zero (5). Either way Q(x) < exp(-L) = delta/d <= delta.
    """
    sulq.tells("every eps <= {above}. There", 16 * arb(2).log() ** 2)
    sulq.tells("and delta = 1/2 the range ends at {}.", sulq_range(2, Fraction(1, 2)))
    d, L, n, eps = sympy.symbols("d L n epsilon", positive=True)
    beta = sympy.sqrt(8 * d**2 * L**2 / (n**2 * eps**2))
    mu, alone = sympy.sqrt(2) / (n * beta), (1 / (n * beta)).subs(d, 1)
    x, single = eps / mu - mu / 2, eps / alone - alone / 2
    assert sympy.simplify(x - (2 * d * L - eps / (4 * d * L))) == 0, "(1)"
    assert sympy.simplify(x.subs(eps, 4 * d**2 * L**2) - d * L) == 0
    assert 4 * sympy.log(2) > 2, "(2)"
    assert sympy.simplify(single - (sympy.sqrt(8) * L - eps / (4 * sympy.sqrt(2) * L))) == 0, "(3)"
    assert sympy.simplify(single.subs(eps, 4 * L**2) - 3 * L / sympy.sqrt(2)) == 0, "(4)"
    assert sympy.discriminant(sympy.Rational(9, 4) * L**2 - L + sympy.log(2), L) < 0, "(5)"
    bind_formula(statement, NOISES, sulq_gap)
    delta = sympy.Symbol("delta", positive=True)
    noise = sympy.sqrt(8) * d * sympy.log(d / delta) / (n * eps)
    one = sympy.Piecewise((sympy.sqrt(2), d > 1), (1, True))
    formula = delta - divergence(eps, one / n / noise)
    only = sympy.Piecewise((formula, noise > 0), (sympy.nan, True))
    bind_expression(statement, only, fields={"dimension": d, "records": n})
    limit = "epsilon <= 4 d^2 log(d/delta)^2"
    outside = SULQ_OUTSIDE | {"dimension >= 1, an integer": ModSulq(0, 1, 1, Fraction(1, 2)), limit: LOUD}
    bind_hypotheses(statement, SULQ_INSIDE, outside)
    given = next(given for given in statement.given if given.says == limit)
    bind_formula(
        Statement(limit, given.margin),
        NOISES,
        lambda p: 4 * (p.dimension * mpmath.log(p.dimension / real(p.delta))) ** 2 - real(p.epsilon),
    )
    assert not given.strict
    assert not statement.strict
    assert statement.at(SULQ_INSIDE) is Truth.TRUE
    assert statement.at(ModSulq(1, 1, 1, Fraction(1, 2))) is Truth.TRUE


@sulq.controls("+repair", grade="interval", region="d = 2, delta = 1/2, epsilon = 100; twice the range at four points")
def test_the_range_of_epsilon_is_needed(statement) -> None:
    """At twice the range, four times for d = 1, the noise is not private any more."""
    free = statement.without("epsilon <= 4 d^2 log(d/delta)^2")
    assert free.at(LOUD) is Truth.FALSE
    for d, delta in ((1, Fraction(1, 100)), (2, Fraction(1, 4)), (2, Fraction(1, 10**9)), (10, Fraction(1, 10))):
        epsilon = int(sulq_range(d, delta).floor().unique_fmpz())
        assert statement.at(ModSulq(d, 1, epsilon, delta)) is Truth.TRUE
        assert free.at(ModSulq(d, 1, (2 if d > 1 else 4) * (epsilon + 1), delta)) is Truth.FALSE
