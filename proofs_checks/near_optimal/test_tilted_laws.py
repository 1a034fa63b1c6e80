"""Theorem 7 and Figure 2 of `near-optimal`: the exponential mechanism on finitely many outputs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.experiments.gibbs import HoffChain
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.tilted_laws import MoreRecords, Shortfall
from proofs_checks.near_optimal.conditions import bind_condition

theorem_7 = cite("near-optimal.theorem-7@92e107a9")
figure_2 = cite("near-optimal.figure-2@11916ec4")

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
BASES = ((THIRD, HALF, Fraction(1, 6)), (Fraction(1, 10), Fraction(1, 10), Fraction(4, 5)))
SCORES = ((0, HALF, 1), (Fraction(7, 10), Fraction(1, 5), Fraction(1, 5)), (Fraction(-1, 3), 2, 1))
LESS = [MoreRecords(b, s, t, t + u) for b, s, t, u in product(BASES, SCORES, (THIRD, 2), (HALF, 1, 5))]
MISSED = [Shortfall(b, s, t, u) for b, s, t, u in product(BASES, SCORES, (1, 6), (Fraction(1, 20), Fraction(1, 4), 1))]
INSIDE = LESS[0]
SHARES = {
    "one score for each output": attrs.evolve(INSIDE, scores=(0, 1)),
    "each output has a positive share": attrs.evolve(INSIDE, base=(HALF, HALF, Fraction(0))),
    "the shares sum to 1": attrs.evolve(INSIDE, base=(HALF, HALF, Fraction(1, 20))),
}


SIGNED = MoreRecords((-1, 2), (1, 0), 1, 2)
"""No law: with e for exp(t), the first output has e/(e - 2), which falls to 1."""


def chances(p, scale) -> list[mpmath.mpf]:
    weights = [real(b) * mpmath.exp(real(scale) * real(s)) for b, s in zip(p.base, p.scores, strict=True)]
    return [weight / mpmath.fsum(weights) for weight in weights]


def mean(p, scale) -> mpmath.mpf:
    return mpmath.fsum(chance * real(s) for chance, s in zip(chances(p, scale), p.scores, strict=True))


def variation(p, scale) -> mpmath.mpf:
    return mpmath.fsum(max(chance - real(b), 0) for chance, b in zip(chances(p, scale), p.base, strict=True))


def check(statement, inside, outside) -> None:
    bind_hypotheses(statement, inside, outside)
    others = [attrs.evolve(inside, base=(Fraction(i, 9), Fraction(j, 9))) for i in range(-1, 4) for j in range(4)]
    bind_condition(statement, "each output has a positive share", [(p, min(p.base)) for p in others], strict=True)
    bind_condition(statement, "the shares sum to 1", [(p, -abs(sum(p.base) - 1)) for p in others])
    lengths = [(p, -abs(3 - k)) for k in range(20) for p in [attrs.evolve(inside, base=(HALF,) * k)]]
    bind_condition(statement, "one score for each output", lengths)
    assert not statement.strict


@theorem_7.supports(
    "utility-rises-with-records", grade="derived", region="every law and score: the docstring; bound at 36 points"
)
def test_utility_rises_with_the_scale(statement) -> None:
    """With p the law at t and w = exp((t' - t) s), E_t'[s] - E_t[s] is the covariance of s and w under p over E[w].

    The covariance is the sum over i < j of p_i p_j (s_i - s_j)(w_i - w_j), expanded here for three outputs; no term
    is negative, as w increases with s. For laws with a density the sum is an integral.
    """
    p, s, w = (sympy.symbols(f"{name}:3") for name in "psw")
    first = sum(a * b * c for a, b, c in zip(p, s, w, strict=True)) * sum(p)
    second = sum(a * b for a, b in zip(p, s, strict=True)) * sum(a * c for a, c in zip(p, w, strict=True))
    pairs = sum(p[i] * p[j] * (s[i] - s[j]) * (w[i] - w[j]) for i in range(3) for j in range(i + 1, 3))
    assert sympy.expand(first - second - pairs) == 0
    bind_formula(statement, LESS, lambda q: mean(q, q.other) - mean(q, q.scale))
    assert all(statement.at(q) is Truth.TRUE for q in LESS)
    outside = SHARES | {
        "each output has a positive share": SIGNED,
        "the second t is no less": attrs.evolve(INSIDE, other=Fraction(3, 10)),
    }
    check(statement, INSIDE, outside)
    assert statement.without("each output has a positive share").at(SIGNED) is Truth.FALSE
    bind_condition(statement, "the second t is no less", [(q, q.other - q.scale) for q in LESS])
    assert statement.at(attrs.evolve(INSIDE, scale=-1, other=1)) is Truth.TRUE, "below 0 as well"


@theorem_7.controls("utility-rises-with-records", grade="interval", region="three outputs, fewer records")
def test_fewer_records_have_less_utility(statement) -> None:
    fewer = attrs.evolve(INSIDE, other=Fraction(3, 10))
    assert statement.without("the second t is no less").at(fewer) is Truth.FALSE


@theorem_7.supports(
    "exponential-mechanism-gap", grade="derived", region="every law and score: the docstring; bound at 37 points"
)
def test_few_outputs_fall_short(statement) -> None:
    """Let m be the best t s. The weights of the bad outputs sum to at most exp(m - 2u), as the shares sum to 1.

    The total is at least that of the outputs with t s >= m - u, exp(m - u) times their share.
    """
    m, u, share = sympy.symbols("m u share", positive=True)
    assert sympy.simplify(sympy.exp(m - 2 * u) / (share * sympy.exp(m - u)) - sympy.exp(-u) / share) == 0

    def formula(p: Shortfall) -> mpmath.mpf:
        gaps = [p.scale * (max(p.scores) - s) for s in p.scores]
        bad = mpmath.fsum(c for c, gap in zip(chances(p, p.scale), gaps, strict=True) if gap > 2 * p.missed)
        near = sum(b for b, gap in zip(p.base, gaps, strict=True) if gap <= p.missed)
        return mpmath.exp(-real(p.missed)) / real(near) - bad

    edge = Shortfall(BASES[0], (0, HALF, 1), 1, HALF)
    bind_formula(statement, [*MISSED, attrs.evolve(edge, missed=Fraction(49, 100))], formula)
    assert all(statement.at(p) is Truth.TRUE for p in MISSED)
    assert abs(statement.formula(edge) - (-arb(HALF.numerator) / 2).exp() * 3 / 2) < 1e-12, "a gap of 2u is not bad"
    inside = Shortfall(INSIDE.base, INSIDE.scores, Fraction(1, 20), Fraction(1, 20))
    outside = {says: Shortfall(p.base, p.scores, 1, 1) for says, p in SHARES.items()}
    outside |= {"scale > 0": attrs.evolve(inside, scale=0), "missed > 0": attrs.evolve(inside, missed=0)}
    heavy = Shortfall((1, 100), (Fraction(1, 4), 0), 1, Fraction(1, 10))  # bad outputs of more than all the share
    outside |= {"the shares sum to 1": heavy}
    check(statement, inside, outside)
    assert statement.without("the shares sum to 1").at(heavy) is Truth.FALSE


@theorem_7.supports(
    "utility-tends-to-the-best", grade="derived", region="every law and score: the docstring; bound at 36 points"
)
@theorem_7.controls("utility-tends-to-the-best", grade="interval", region="without the logarithm")
def test_utility_tends_to_the_best(statement) -> None:
    """Let Z(t) be the mean of exp(t s) over the shares. (log Z)' = E_t[s] does not fall, and log Z(0) = 0.

    So t E_t[s] >= log Z(t) for t > 0, and Z(t) >= mu exp(t (best - u)).
    """
    t, s, best, u, mu = sympy.symbols("t s best u mu", positive=True)
    b, c = sympy.symbols("b c", positive=True)
    z = b * sympy.exp(t * s) + c
    assert sympy.simplify(sympy.diff(sympy.log(z), t) - b * s * sympy.exp(t * s) / z) == 0, "E_t[s], scores s and 0"
    assert sympy.simplify(sympy.expand_log(sympy.log(mu * sympy.exp(t * (best - u)))) / t - best + u) == (
        sympy.log(mu) / t
    )

    def formula(p: Shortfall) -> mpmath.mpf:
        best = max(p.scores)
        share = sum(b for b, s in zip(p.base, p.scores, strict=True) if best - s <= p.missed)
        return real(p.missed) - mpmath.log(real(share)) / real(p.scale) - real(best) + mean(p, p.scale)

    bind_formula(statement, MISSED, formula)
    assert all(statement.at(p) is Truth.TRUE for p in MISSED)
    assert statement.at(attrs.evolve(MISSED[0], missed=0)) is Truth.TRUE
    exact = Shortfall(BASES[0], (0, HALF, 1), 1, HALF)
    assert abs(statement.formula(exact) - statement.formula(attrs.evolve(exact, missed=Fraction(51, 100)))) < 0.02

    bare = statement.nudged(margin=lambda p: statement.formula(p) + arb(1).log() - arb(6).log() / 6)
    assert bare.at(Shortfall(BASES[0], (0, HALF, 1), 6, 0)) is Truth.FALSE, "mu = 1/6, t = 6"
    inside = Shortfall(INSIDE.base, INSIDE.scores, Fraction(1, 20), Fraction(1, 20))
    outside = {says: Shortfall(p.base, p.scores, 1, 1) for says, p in SHARES.items()}
    outside |= {"scale > 0": attrs.evolve(inside, scale=0), "missed >= 0": attrs.evolve(inside, missed=-1)}
    check(statement, inside, outside)


def check_one_step_is_enough():
    """Draws of the chain itself from a fixed start: mean and mean square of v_1^2 against I_1/I_0 and I_2/I_0.

    With x the doubled angle v_1^2 = (1 + cos x)/2. Hoeffding at 1e-9; the start at e_2 has v_1^2 = 0.
    """
    count, generator = 4000, np.random.default_rng(3)
    radius = np.sqrt(np.log(2 / 1e-9) / (2 * count))
    start = np.array([[0.0], [1.0]])
    for kappa in (1.5, 15.0):
        draws = [HoffChain(np.array([2 * kappa, 0.0]), start, generator).step()[0, 0] ** 2 for _ in range(count)]
        ratios = [float(mpmath.besseli(order, kappa) / mpmath.besseli(0, kappa)) for order in (1, 2)]
        assert abs(np.mean(draws) - (1 + ratios[0]) / 2) < radius
        assert abs(np.mean(np.square(draws)) - (3 + 4 * ratios[0] + ratios[1]) / 8) < radius
    x = sympy.symbols("x")
    assert sympy.simplify(((1 + sympy.cos(x)) / 2) ** 2 - (3 + 4 * sympy.cos(x) + sympy.cos(2 * x)) / 8) == 0


@figure_2.supports(
    "farther-from-uniform", grade="derived", region="every law and score: the docstring; bound at 36 points"
)
def test_more_records_are_farther_from_uniform(statement) -> None:
    """The distance at t is P_t(S) - mu(S) for S the outputs with P_t > mu, those whose score exceeds some number.

    For t' >= t, P_t'(S) >= P_t(S): with w = exp((t' - t) s), P_t'(S) is E_t[w; S]/E_t[w], the covariance of w and the
    indicator of S is not negative, as both increase with s, by the sum over pairs of test_utility_rises_with_the_scale.
    And the distance at t' is at least P_t'(S) - mu(S).

    That a chain takes longer does not follow: for d = 2 a step of Hoff's sampler draws v_1^2 given the proportions of
    the others, of which there is one, and so from its law.
    """
    check_one_step_is_enough()
    bind_formula(statement, LESS, lambda q: variation(q, q.other) - variation(q, q.scale))
    assert all(statement.at(q) is Truth.TRUE for q in LESS)
    inside = attrs.evolve(INSIDE, scale=Fraction(1, 20))
    outside = SHARES | {
        "each output has a positive share": SIGNED,
        "the second t is no less": attrs.evolve(INSIDE, other=Fraction(3, 10)),
        "scale > 0": attrs.evolve(INSIDE, scale=0),
    }
    check(statement, inside, outside)
    assert statement.without("each output has a positive share").at(SIGNED) is Truth.FALSE
    bind_condition(statement, "the second t is no less", [(q, q.other - q.scale) for q in LESS])


@figure_2.controls("farther-from-uniform", grade="interval", region="three outputs, fewer records, and t below 0")
def test_fewer_records_are_nearer_to_uniform(statement) -> None:
    assert statement.without("the second t is no less").at(attrs.evolve(INSIDE, other=Fraction(3, 10))) is Truth.FALSE
    assert statement.without("scale > 0").at(attrs.evolve(INSIDE, scale=-3, other=Fraction(1, 20))) is Truth.FALSE
