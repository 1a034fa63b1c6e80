"""Lemma 16 of `near-optimal`: sums of bounded functions of random variables that come one after another."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import concentration
from dpmatrix.spec.near_optimal.concentration import Exponent, Outcome, Sequence, mean_chance
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed

lemma_16 = cite("near-optimal.lemma-16@47d9753d")

HALF = Fraction(1, 2)


def tree(rows, bounds, level) -> Sequence:
    return Sequence(tuple(Outcome(*row) for row in rows), bounds, level)


def coins(chances, level, values=(0, 1)) -> Sequence:
    """Independent f_i with two values, the second with the given chance; bounds are the means."""
    rows = []
    for path in product((0, 1), repeat=len(chances)):
        probability = Fraction(1)
        for side, chance in zip(path, chances, strict=True):
            probability *= chance if side else 1 - chance
        rows.append((path, probability, tuple(values[side] for side in path)))
    means = tuple(values[0] + (values[1] - values[0]) * chance for chance in chances)
    return tree(rows, means, level)


URN = tree(
    [
        ((0, 0), Fraction(1, 6), (0, 0)),
        ((0, 1), Fraction(1, 3), (0, Fraction(3, 4))),
        ((1, 0), Fraction(1, 4), (Fraction(1, 3), Fraction(1, 5))),
        ((1, 1), Fraction(1, 4), (Fraction(1, 3), 1)),
    ],
    (Fraction(1, 5), Fraction(3, 5)),
    Fraction(1, 4),
)
SEQUENCES = [
    coins((Fraction(1, 3),), HALF),
    coins((Fraction(1, 3), Fraction(1, 2), Fraction(1, 5)), Fraction(1, 2)),
    coins((Fraction(1, 50), Fraction(1, 30), Fraction(1, 5), Fraction(1, 9)), Fraction(2, 3), (0, Fraction(9, 10))),
    coins((Fraction(1, 10), Fraction(1, 10)), Fraction(2, 5), (Fraction(1, 7), 1)),
    URN,
    *(attrs.evolve(URN, level=Fraction(k, 12)) for k in range(-4, 14)),
]


def mean_power(p: Sequence, size: int) -> mpmath.mpf:
    return sum(real(z.probability) * 2 ** real(sum(map(Fraction, z.values[:size]))) for z in p.outcomes)


def exceedance(p: Sequence) -> Fraction:
    size = len(p.bounds)
    return sum(
        (Fraction(z.probability) for z in p.outcomes if sum(map(Fraction, z.values)) > size * p.level), Fraction(0)
    )


def scale(p: Sequence) -> mpmath.mpf:
    return 2 ** (-real(len(p.bounds) * Fraction(p.level)))


LENGTHS = "N >= 1, and every outcome has N places and N values f_i"
LONGER = tree([((0,), 1, (0, 1))], (0,), HALF)
SEQUENCE_OUTSIDE = {
    LENGTHS: LONGER,
    "the probabilities are at least 0": coins((Fraction(-1, 20),), HALF),
    "the probabilities sum to 1": tree([((0,), HALF, (0,)), ((1,), Fraction(9, 20), (1,))], (1,), 0),
    "f_i depends on Z_1, ..., Z_i": tree([((0, 0), HALF, (0, 0)), ((0, 1), HALF, (Fraction(1, 20), 0))], (1, 1), 0),
    "0 <= f_i <= 1": coins((HALF,), 0, (0, Fraction(21, 20))),
    "E[f_i | Z_1, ..., Z_(i-1)] <= a_i": attrs.evolve(URN, bounds=(Fraction(1, 5), Fraction(59, 100))),
}
RARE = {"0 <= f_i <= 1": coins((Fraction(1, 10),), Fraction(99, 10), (0, 10))}
"""A value of 10, whose mean is 1."""
COPIES = tree(
    [((0,) * 5 + (side,), chance, (side,) * 6) for side, chance in ((0, Fraction(7, 10)), (1, Fraction(3, 10)))],
    (Fraction(3, 10),) * 6,
    Fraction(99, 100),
)
ANTICIPATED = {"f_i depends on Z_1, ..., Z_i": COPIES}
"""The last coin decides the six values, of which each one has the mean 3/10 whatever came before."""
NEGATIVE = {
    "the probabilities are at least 0": tree(
        [((0,), 10, (Fraction(3, 5),)), ((1,), -5, (1,)), ((2,), -4, (0,))], (1,), HALF
    )
}
SEQUENCE_NEEDED = {
    "near-optimal.lemma-16": RARE | ANTICIPATED,
    "near-optimal.lemma-16/one-step": RARE | ANTICIPATED | NEGATIVE,
    "near-optimal.lemma-16/markov": {
        "the probabilities are at least 0": tree([((0,), -1, (0,)), ((1,), 2, (1,))], (2,), Fraction(99, 100))
    },
}
"""Points at which a line fails that lacks one hypothesis alone."""


@lemma_16.supports(
    grade="derived",
    region="arbitrary random variables: derivation in the docstring, its two scalar inequalities machine-checked, each "
    "line exactly on variables with finitely many values",
)
@lemma_16.supports("monotone", grade="derived", region="x -> 2^x increases")
@lemma_16.supports("markov", grade="derived", region="Markov's inequality")
@lemma_16.supports("tower", grade="derived", region="the tower property")
@lemma_16.supports("one-step", grade="derived", region="as for the lemma")
def test_sums_of_bounded_functions(statements) -> None:
    """Let S_i = f_1 + ... + f_i. P(S_N > N t) = P(2^S_N > 2^(N t)) <= 2^(-N t) E 2^S_N by Markov.

    E 2^S_N = E[2^S_(N-1) E[2^f_N | Z_1, ..., Z_(N-1)]] <= E[2^S_(N-1)] (1 + a_N), as 2^b <= 1 + b on [0, 1] and
    E[f_N | ...] <= a_N almost surely, and 1 + a_N <= exp(a_N). N such steps give 2^(-N t) exp(a_1 + ... + a_N).
    """
    names = (
        "near-optimal.lemma-16",
        *(f"near-optimal.lemma-16/{x}" for x in ("monotone", "markov", "tower", "one-step")),
    )
    lemma, monotone, markov, tower, one_step = (statements[name] for name in names)
    with mpmath.workdps(70):
        exceed = {id(p): real(exceedance(p)) for p in SEQUENCES}

    def bound(p, size, exponent):
        return scale(p) * mpmath.exp(real(exponent)) * mean_power(p, size) - exceed[id(p)]

    bind_formula(lemma, SEQUENCES, lambda p: bound(p, 0, sum(map(Fraction, p.bounds))))
    bind_formula(markov, SEQUENCES, lambda p: bound(p, len(p.bounds), 0))
    bind_formula(one_step, SEQUENCES, lambda p: bound(p, len(p.bounds) - 1, p.bounds[-1]))
    for statement in (monotone, tower):
        bind(statement, [(p, Fraction(0)) for p in SEQUENCES])
    for statement in statements.values():
        bind_hypotheses(statement, SEQUENCES[0], SEQUENCE_OUTSIDE)
        bind_needed(statement, SEQUENCES[0], SEQUENCE_OUTSIDE, SEQUENCE_NEEDED.get(statement.name, {}))
        assert statement.applies(URN) is Truth.TRUE
        assert not statement.strict
        low = coins((HALF,), 0, (Fraction(-1, 20), 1))
        assert statement.applies(low) is Truth.FALSE
    for statement in (lemma, monotone, markov, one_step):
        assert [p for p in SEQUENCES if statement.at(p) is not Truth.TRUE] == []
    assert not any(given.strict for given in lemma.given)
    adapted = next(given for given in lemma.given if "depends" in given.says)
    bind(Statement(adapted.says, adapted.margin), [(p, Fraction(0)) for p in SEQUENCES])
    assert lemma.applies(coins((Fraction(0), Fraction(1)), HALF)) is Truth.TRUE, "what cannot happen asks for nothing"


@lemma_16.supports("power-of-two", grade="derived", region="0 <= b <= 1: convexity, 2^b = 1 + b at both ends")
@lemma_16.supports("exponential", grade="derived", region="every real a: convexity, value and slope 0 at 0")
def test_powers_of_two(statements) -> None:
    """2^b is convex and equals 1 + b at b = 0 and 1; exp(a) - 1 - a is convex with value and slope 0 at 0."""
    power, exponential = (statements[f"near-optimal.lemma-16/{name}"] for name in ("power-of-two", "exponential"))
    b, a = sympy.symbols("b a", real=True)
    assert sympy.simplify(sympy.diff(2**b, b, 2) - sympy.log(2) ** 2 * 2**b) == 0
    assert [(1 + b - 2**b).subs(b, k) for k in (0, 1)] == [0, 0]
    gap = sympy.exp(a) - 1 - a
    assert (gap.subs(a, 0), sympy.diff(gap, a).subs(a, 0), sympy.diff(gap, a, 2)) == (0, 0, sympy.exp(a))
    bind_expression(power, 1 + b - 2**b)
    bind_expression(exponential, gap)
    outside = {"b >= 0": Exponent(Fraction(-1, 20), 0), "b <= 1": Exponent(Fraction(21, 20), 0)}
    bind_hypotheses(power, Exponent(0, 0), outside)
    assert power.applies(Exponent(1, 0)) is Truth.TRUE
    for says, point in outside.items():
        assert power.without(says).at(point) is Truth.FALSE
    assert exponential.given == ()
    assert power.at(Exponent(0, 0)) is exponential.at(Exponent(0, 0)) is Truth.TRUE, "equality"


@lemma_16.controls(grade="interval", region="three certain successes, t = 99/100: log 3 for log 2; half of their means")
def test_a_faster_decay_is_refused(statement) -> None:
    """Three certain successes at t = 99/100 are likelier than the bound with log 3 for log 2, or half their means."""
    certain = tree([((0, 0, 0), 1, (1, 1, 1))], (1, 1, 1), Fraction(99, 100))
    assert statement.at(certain) is Truth.TRUE

    def steeper(p: Sequence) -> arb:
        exponent = -arb(len(p.bounds) * fmpq(p.level.numerator, p.level.denominator)) * arb(3).log() + sum(p.bounds)
        return exponent.exp() - mean_chance(p)

    assert statement.nudged(margin=steeper).at(certain) is Truth.FALSE
    low = attrs.evolve(certain, bounds=(Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)))
    assert statement.applies(low) is Truth.FALSE
    assert statement.without("E[f_i | Z_1, ..., Z_(i-1)] <= a_i").at(low) is Truth.FALSE


@lemma_16.controls(grade="interval", region="one bound and two values")
def test_a_value_without_a_bound_is_not_bounded(statement) -> None:
    """With one bound, 0, and two certain values, 0 and 1, the mean over N = 1 is 1 > 1/2, and 2^(-1/2) < 1."""
    assert statement.applies(LONGER) is Truth.FALSE
    assert statement.without(LENGTHS).at(LONGER) is Truth.FALSE
    lengths = [(LONGER, -1), *((p, Fraction(len(p.bounds) - 1)) for p in SEQUENCES)]
    bind_condition(statement, LENGTHS, lengths)


def chance_above(p: Sequence, bar) -> Fraction:
    """``P(f_1 + ... + f_N > bar)``."""
    return sum((Fraction(z.probability) for z in p.outcomes if sum(map(Fraction, z.values)) > bar), Fraction(0))


@lemma_16.controls("monotone", grade="symbolic", region="23 sequences: 2^t for 2^(N t) on the right, the error exactly")
@lemma_16.controls(
    "tower", grade="interval", region="23 sequences: without the last factor on the right, the error to 40 digits"
)
def test_another_level_or_one_factor_less_is_no_equation(statements) -> None:
    """P(S > N t) and P(S > t) differ, and so do E 2^(S_N) and E 2^(S_(N-1)), by what is computed here."""
    monotone, tower = (statements[f"near-optimal.lemma-16/{name}"] for name in ("monotone", "tower"))
    lower = redefined(
        monotone, concentration, "doubled_chance", lambda p: fmpq(*chance_above(p, p.level).as_integer_ratio())
    )
    differences = [(p, -abs(exceedance(p) - chance_above(p, p.level))) for p in SEQUENCES]
    bind(lower, differences)
    shorter = redefined(tower, concentration, "tower", lambda p: concentration.power_mean(p, len(p.bounds) - 1))

    def lost(p: Sequence) -> mpmath.mpf:
        return scale(p) * (mean_power(p, len(p.bounds) - 1) - mean_power(p, len(p.bounds)))

    bind_formula(shorter, SEQUENCES, lost)
    worst, error = min(differences, key=lambda pair: pair[1])
    assert -1 < error < 0
    assert monotone.at(worst) is Truth.TRUE
    assert lower.at(worst) is shorter.at(worst) is Truth.FALSE
