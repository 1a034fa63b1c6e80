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
from dpmatrix.exact import precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.tracing import bind_expression
from proofs_checks.gaussian_profiles import divergence

sulq = cite("near-optimal.sulq@e0b30321")


def sulq_gap(p: ModSulq) -> mpmath.mpf:
    epsilon, delta, d = real(p.epsilon), real(p.delta), p.dimension
    deviation = mpmath.sqrt(8 * d**2 * mpmath.log(d / delta) ** 2 / (p.records**2 * epsilon**2))
    mu = (mpmath.sqrt(2) if d > 1 else mpmath.mpf(1)) / p.records / deviation
    return delta - mpmath.ncdf(mu / 2 - epsilon / mu) + mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


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
    region="d = 2, n = 1, delta = 1/2, epsilon = 2100: by the first eigenvector alone, e_1 "
    "against e_2, by the docstring",
)
def test_the_first_eigenvector_alone_fails_for_larger_epsilon(statement) -> None:
    """Let every |N_ij| <= t < 1/4. Then M = e_1 e_1' + N has real eigenvalues and a first eigenvector near e_1.

    Its discriminant (M_11 - M_22)^2 + 4 M_12 M_21 is at least (1 - 2t)^2 - 4t^2 = 1 - 4t (1) > 0. For the larger
    eigenvalue l, l - M_22 is at least (1 - 2t + sqrt(1 - 4t))/2 > t (2), so |v_2/v_1| = |M_21|/(l - M_22) < 1. With
    e_2 e_2' + N it is |v_1| that is smaller. So the event |v_2| < |v_1| has probability at least 1 - q for the record
    e_1 and at most q for e_2, where q = 8 P(Z > 1/(4 beta)) bounds P(some |N_ij| >= 1/4): delta is at least
    1 - (1 + e^eps) q.
    """
    t = sympy.symbols("t", positive=True)
    assert sympy.expand((1 - 2 * t) ** 2 - 4 * t**2 - (1 - 4 * t)) == 0, "(1)"
    # At t = 1/4 the left side of (2) is 1/4; it falls with t, and t rises.
    least = (1 - 2 * t + sympy.sqrt(1 - 4 * t)) / 2
    assert least.subs(t, sympy.Rational(1, 4)) == sympy.Rational(1, 4), "(2)"
    assert sympy.simplify(sympy.diff(least, t) + 1 + 1 / sympy.sqrt(1 - 4 * t)) == 0, "(2)"
    run = ModSulq(2, 1, 2100, Fraction(1, 2))
    with precision(256):
        beta = arb(8).sqrt() * 2 * arb(4).log() / 2100
        missed = 4 * (1 / (4 * beta) / arb(2).sqrt()).erfc()
        assert 1 - (1 + arb(2100).exp()) * missed > arb(1) / 2
        # Control: at epsilon = 1900 this event shows nothing.
        louder = beta * 2100 / 1900
        assert 1 - (1 + arb(1900).exp()) * 4 * (1 / (4 * louder) / arb(2).sqrt()).erfc() < 0
    assert statement.at(run) is Truth.FALSE


@sulq.supports_repair(
    grade="derived",
    region="every d >= 2, n, delta in (0, 1) and epsilon <= 4 d log(d/delta): derivation in the docstring",
)
def test_quoted_noise_suffices_for_moderate_epsilon(statement) -> None:
    """The profile is at most Q(x), x = eps/mu - mu/2, mu = sqrt(2)/(n beta) = eps/(2 d L), L = log(d/delta) > log 2.

    So x = 2 d L - eps/(4 d L) (1), at least 2 d L - 1 >= 4 L - 1 > 0 in the range. Q(x) <= exp(-x^2/2)/2 for x >= 0, as
    in Theorem 5, and (4L-1)^2/2 - L has derivative 16 L - 5 > 0 and is positive at log 2 (2). Hence Q(x) < exp(-L) =
    delta/d <= delta.
    """
    sulq.tells("which admits every eps <= {above}, it holds", 4 * 2 * arb(2).log())
    d, L, n, eps = sympy.symbols("d L n epsilon", positive=True)
    mu = sympy.sqrt(2) / (n * sympy.sqrt(8 * d**2 * L**2 / (n**2 * eps**2)))
    assert sympy.simplify(eps / mu - mu / 2 - (2 * d * L - eps / (4 * d * L))) == 0, "(1)"
    room = (4 * L - 1) ** 2 / 2 - L
    assert sympy.expand(sympy.diff(room, L) - (16 * L - 5)) == 0
    assert room.subs(L, sympy.log(2)) > 0, "(2)"
    assert 16 * sympy.log(2) > 5
    bind_formula(statement, NOISES, sulq_gap)
    delta = sympy.Symbol("delta", positive=True)
    noise = sympy.sqrt(8) * d * sympy.log(d / delta) / (n * eps)
    formula = delta - divergence(eps, sympy.sqrt(2) / n / noise)
    only = sympy.Piecewise((formula, noise > 0), (sympy.nan, True))
    bind_expression(statement, only, fields={"dimension": d, "records": n})
    limit = "epsilon <= 4 d log(d/delta)"
    outside = SULQ_OUTSIDE | {"dimension >= 2, an integer": ModSulq(1, 1, 1, Fraction(1, 2)), limit: LOUD}
    bind_hypotheses(statement, SULQ_INSIDE, outside)
    given = next(given for given in statement.given if given.says == limit)
    bind_formula(
        Statement(limit, given.margin),
        NOISES,
        lambda p: 4 * p.dimension * mpmath.log(p.dimension / real(p.delta)) - real(p.epsilon),
    )
    assert not given.strict
    assert not statement.strict
    assert statement.at(SULQ_INSIDE) is Truth.TRUE


@sulq.controls("+repair", grade="interval", region="epsilon = 100")
def test_the_range_of_epsilon_is_needed(statement) -> None:
    assert statement.without("epsilon <= 4 d log(d/delta)").at(LOUD) is Truth.FALSE
