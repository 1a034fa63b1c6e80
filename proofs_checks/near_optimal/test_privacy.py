"""Definitions 3 and 4 of `near-optimal`: what they ask of the laws on two data sets."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import privacy
from dpmatrix.spec.near_optimal.privacy import TwoLaws, hockey_stick, largest_excess, pointwise, supremum_at_most
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed

definition_3 = cite("near-optimal.definition-3@d7dbb120")
definition_4 = cite("near-optimal.definition-4@ee4e7b9e")

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
ROWS = [
    (HALF, Fraction(1, 3), Fraction(1, 6)),
    (Fraction(0), QUARTER, 3 * QUARTER),
    (Fraction(1), Fraction(0), Fraction(0)),
]
PAIRS = [
    TwoLaws(first, second, exponential)
    for first, second in product(ROWS, repeat=2)
    for exponential in (HALF, Fraction(1), Fraction(3, 2), Fraction(4))
]
MILD = TwoLaws((HALF, HALF), (QUARTER, 3 * QUARTER), Fraction(2))
OUTSIDE = {
    "P and Q are of the same outputs": attrs.evolve(MILD, second=(Fraction(1),)),
    "the probabilities are at least 0": attrs.evolve(MILD, first=(Fraction(-1, 20), Fraction(21, 20))),
    "the probabilities of each data set sum to 1": attrs.evolve(MILD, second=(QUARTER, HALF)),
    "exponential > 0": attrs.evolve(MILD, exponential=0),
}


def bounded(p: TwoLaws) -> bool:
    """Decide by the largest ratio of an output; from 1 on, as a law cannot be below another everywhere."""
    ratios = [a / b if b else (sympy.oo if a else 0) for a, b in zip(p.first, p.second, strict=True)]
    return p.exponential >= 1 and max(ratios) <= p.exponential


@definition_3.supports(
    grade="derived", region="every two laws and epsilon: the docstring; 36 pairs on three outputs, all eight events"
)
def test_the_supremum_is_decided_output_by_output(statement) -> None:
    """If p <= E q for each output (density), P(S) <= E Q(S) for each S by summing (integrating), and E >= 1 by S = all.

    So the ratio is at most E where Q(S) > 0; where Q(S) = 0, P(S) = 0 and the ratio is 1 <= E. Conversely, let every
    ratio be at most E. The empty set has 0/0 = 1, so E >= 1. A set S on which p > E q has P(S) > E Q(S) unless it has
    probability 0 under both: the ratio exceeds E where Q(S) > 0, and is infinite where Q(S) = 0 < P(S).
    """
    bind(statement, [(p, Fraction(0)) for p in PAIRS])
    for p in PAIRS:
        assert statement.at(p) is Truth.TRUE
        assert supremum_at_most(p) == pointwise(p) == bounded(p)
    assert {bounded(p) for p in PAIRS} == {True, False}
    bind_hypotheses(statement, MILD, OUTSIDE)
    signed = TwoLaws((2, -1), (1, 0), 2)  # no output is more than twice as probable, but -1/0 has no bound
    massless = TwoLaws((Fraction(0),), (Fraction(0),), HALF)
    needed = {"the probabilities are at least 0": signed, "the probabilities of each data set sum to 1": massless}
    bind_needed(statement, MILD, OUTSIDE, needed)
    low = [
        (attrs.evolve(MILD, first=(Fraction(k, 9), 1 - Fraction(k, 9))), min(Fraction(k, 9), QUARTER)) for k in range(3)
    ]
    low += [(TwoLaws((), (), HALF), -1)]
    bind_condition(statement, "the probabilities are at least 0", low, least=4)
    assert not statement.strict


@definition_3.controls(grade="symbolic", region="laws without mass, and the empty set read as 0/0 = 0")
def test_the_convention_and_the_total_matter(statement) -> None:
    """Nothing at all has 0/0 = 1 above E = 1/2, and no output; with 0/0 = 0 the supremum of equal laws is missed."""
    empty = TwoLaws((Fraction(0),), (Fraction(0),), HALF)
    free = statement.without("the probabilities of each data set sum to 1")
    bind(statement, [(attrs.evolve(empty, exponential=Fraction(k, 20)), -1) for k in range(20)])
    assert free.at(empty) is free.at(attrs.evolve(empty, exponential=Fraction(19, 20))) is Truth.FALSE

    def infinite(above: fmpq, under: fmpq, bound: fmpq) -> bool:
        return under != 0 and above / under <= bound

    equal = TwoLaws((HALF, HALF), (HALF, HALF), Fraction(1))
    assert statement.at(equal) is Truth.TRUE
    assert redefined(statement, privacy, "ratio_at_most", infinite).at(equal) is Truth.FALSE


SIGNED = [
    TwoLaws(
        (Fraction(i, 3), Fraction(-j, 5), Fraction(1)), (Fraction(j, 7), Fraction(i, 4), Fraction(k)), Fraction(k, 2)
    )
    for i, j, k in product((1, 2, 3), (1, 4), (-1, 1, 2))
]


@definition_4.supports(
    grade="derived", region="every two laws, epsilon and delta: the docstring; 54 pairs on three outputs, all events"
)
def test_the_least_delta_is_a_sum_over_outputs(statement) -> None:
    """The excess of S is the sum (integral) of p - E q over S: at most that of its positive part over all outputs.

    It is attained by the set of the outputs with p > E q. So P(S) <= E Q(S) + delta for every S exactly when the sum
    is at most delta. Nothing is used of p and q but that they are summable.
    """
    x = sympy.symbols("x", real=True)
    assert sympy.expand((sympy.Max(0, x) - x - sympy.Max(0, -x)).rewrite(sympy.Abs)) == 0, (
        "no term exceeds its positive part"
    )
    for p in (*PAIRS, *SIGNED):
        assert statement.at(p) is Truth.TRUE
        positive = [max(a - p.exponential * b, Fraction(0)) for a, b in zip(p.first, p.second, strict=True)]
        assert largest_excess(p) == hockey_stick(p) == fmpq(sum(positive).numerator, sum(positive).denominator)
    bind(statement, [(p, Fraction(0)) for p in (*PAIRS, *SIGNED)])
    bind_hypotheses(statement, MILD, {"P and Q are of the same outputs": OUTSIDE["P and Q are of the same outputs"]})
    assert not statement.strict


@definition_4.controls(
    grade="symbolic", region="two outputs: all excesses, negative ones included, and half the sum of moduli"
)
def test_other_sums_are_not_the_least_delta(statement) -> None:
    def total(p: TwoLaws) -> Fraction:
        return sum((a - p.exponential * b for a, b in zip(p.first, p.second, strict=True)), Fraction(0))

    def half_of_moduli(p: TwoLaws) -> Fraction:
        return sum((abs(a - p.exponential * b) for a, b in zip(p.first, p.second, strict=True)), Fraction(0)) / 2

    for wrong in (total, half_of_moduli):
        changed = statement.nudged(
            margin=lambda p, wrong=wrong: -abs(arb(largest_excess(p)) - arb(str(float(wrong(p)))))
        )
        assert changed.at(attrs.evolve(MILD, exponential=Fraction(3, 2))) is Truth.FALSE
