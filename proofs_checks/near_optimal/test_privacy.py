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
from dpmatrix.spec.near_optimal.privacy import (
    ChosenRank,
    LargerPair,
    PrivateLaws,
    TwoLaws,
    hockey_stick,
    largest_excess,
    pointwise,
    supremum_at_most,
)
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed

definition_3 = cite("near-optimal.definition-3@23232d68")
definition_4 = cite("near-optimal.definition-4@2531721d")

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
        changed = redefined(
            statement, privacy, "hockey_stick", lambda p, wrong=wrong: fmpq(*wrong(p).as_integer_ratio())
        )
        bind(changed, [(p, -abs(excess(p.first, p.second, p.exponential) - wrong(p))) for p in (*PAIRS, *SIGNED)])
        assert changed.at(attrs.evolve(MILD, exponential=Fraction(3, 2))) is Truth.FALSE


def excess(first, second, exponential) -> Fraction:
    return sum((max(a - exponential * b, Fraction(0)) for a, b in zip(first, second, strict=True)), Fraction(0))


CHOSEN = [
    ChosenRank((a, 1 - a), (b, 1 - b), e, ((t, 1 - t), (Fraction(1),)), ((1 - t, t), (Fraction(1),)))
    for a, b, e, t in product(
        (Fraction(0), Fraction(2, 5), Fraction(1)),
        (Fraction(1, 7), HALF),
        (1, Fraction(6, 5)),
        (QUARTER, Fraction(1, 3)),
    )
]


@definition_3.supports(
    "choice-of-k", grade="derived", region="every law of k and of the subspaces: the docstring; 24 pairs of laws"
)
def test_a_choice_of_k_shows_in_the_subspace(statement) -> None:
    """Let p_k > E q_k. The set of all subspaces of dimension k has P(S) - E Q(S) = p_k - E q_k > 0.

    That is the sum of p_k a_j - E q_k b_j over them, as the a_j, and the b_j, sum to 1.
    """
    p, q, e, a = sympy.symbols("p q E a", real=True)
    b = sympy.Symbol("b", real=True)
    assert sympy.expand(p * a - e * q * b + p * (1 - a) - e * q * (1 - b) - (p - e * q)) == 0

    def spread(ranks, subspaces):
        return [chance * share for chance, row in zip(ranks, subspaces, strict=True) for share in row]

    def formula(c: ChosenRank) -> Fraction:
        return excess(spread(c.first, c.first_subspaces), spread(c.second, c.second_subspaces), Fraction(c.exponential))

    def over(c: ChosenRank) -> Fraction:
        return max(x - c.exponential * y for x, y in zip(c.first, c.second, strict=True))

    bind(statement, [(c, formula(c)) for c in CHOSEN])
    bind_condition(statement, "p_k > e^eps q_k for some k", [(c, over(c)) for c in CHOSEN], strict=True)
    held = [c for c in CHOSEN if statement.applies(c) is Truth.TRUE]
    assert len(held) >= 12
    for c in held:
        assert statement.at(c) is Truth.TRUE
        assert formula(c) >= over(c)
    inside = ChosenRank((HALF, HALF), (QUARTER, 3 * QUARTER), Fraction(3, 2), ((HALF, HALF), (1,)), ((1, 0), (1,)))
    outside = {
        "the subspaces of each dimension sum to 1": attrs.evolve(inside, second_subspaces=((1, Fraction(1, 20)), (1,))),
        "p_k > e^eps q_k for some k": attrs.evolve(inside, exponential=2),
        "for each k both laws are of the same subspaces": attrs.evolve(inside, second_subspaces=((1,), (1, 0))),
    }
    bind_hypotheses(statement, inside, outside)
    short = [
        (
            attrs.evolve(inside, first_subspaces=((Fraction(k, 9), Fraction(j, 7)), (1,))),
            -abs(Fraction(k, 9) + Fraction(j, 7) - 1),
        )
        for k in range(5)
        for j in range(5)
    ]
    bind_condition(statement, "the subspaces of each dimension sum to 1", short)
    counts = [
        (attrs.evolve(inside, second_subspaces=((1,) * i, (1,) * j)), 0 if (i, j) == (2, 1) else -1)
        for i in range(5)
        for j in range(4)
    ]
    bind_condition(statement, "for each k both laws are of the same subspaces", counts)
    assert statement.strict
    crossed = attrs.evolve(inside, first=(Fraction(9, 10), Fraction(1, 10)), second=(HALF, HALF))
    crossed = attrs.evolve(crossed, second_subspaces=((1,), (Fraction(7, 10), Fraction(3, 10))))
    assert statement.without("for each k both laws are of the same subspaces").at(crossed) is Truth.FALSE
    none = ((Fraction(0),), (Fraction(0),))
    assert (
        statement.without("the subspaces of each dimension sum to 1").at(
            attrs.evolve(inside, first_subspaces=none, second_subspaces=none)
        )
        is Truth.FALSE
    )
    assert (
        statement.conclusion(
            attrs.evolve(inside, first=(HALF, HALF), second=(HALF, HALF), second_subspaces=inside.first_subspaces)
        )
        is Truth.FALSE
    )


LARGER = [
    LargerPair(
        p.first,
        p.second,
        p.exponential,
        hockey + Fraction(i, 9),
        p.exponential + Fraction(j, 5),
        hockey + Fraction(k, 9),
    )
    for p in PAIRS[::3]
    for hockey in (excess(p.first, p.second, p.exponential),)
    for i, j, k in ((0, 0, 0), (1, 2, 1), (-1, 3, 2), (2, -1, 1))
]
PROMISED = "P(S) <= e^eps Q(S) + delta for every S"


def slack(p) -> Fraction:
    return p.delta - excess(p.first, p.second, p.exponential)


@definition_4.supports(
    "larger-pair",
    grade="derived",
    region="every two laws and pairs: the docstring; 48 cases on three outputs, all events",
)
def test_a_guarantee_holds_for_larger_pairs(statement) -> None:
    """P(S) <= E Q(S) + delta <= E' Q(S) + delta', as (E' - E) Q(S) >= 0 and delta' >= delta."""
    e, f, q, delta, more = sympy.symbols("E F q delta more", nonnegative=True)
    assert sympy.expand((e + f) * q + delta + more - (e * q + delta) - (f * q + more)) == 0, (
        "a sum of terms of at least 0"
    )
    bind(statement, [(p, p.other_delta - excess(p.first, p.second, p.other_exponential)) for p in LARGER])
    bind_condition(statement, PROMISED, [(p, slack(p)) for p in LARGER])
    bind_condition(statement, "eps' >= eps", [(p, p.other_exponential - p.exponential) for p in LARGER])
    bind_condition(statement, "delta' >= delta", [(p, p.other_delta - p.delta) for p in LARGER])
    held = [p for p in LARGER if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 20
    assert all(statement.at(p) is Truth.TRUE for p in held)
    inside = LargerPair(MILD.first, MILD.second, 2, Fraction(1, 5), 3, QUARTER)
    signed = LargerPair((0, 1), (-1, 2), 1, 1, 2, 1)
    bind_hypotheses(
        statement,
        inside,
        {
            "P and Q are of the same outputs": attrs.evolve(inside, second=(1,)),
            "the probabilities are at least 0": signed,
            PROMISED: attrs.evolve(inside, exponential=1),
            "eps' >= eps": attrs.evolve(inside, other_exponential=Fraction(19, 10)),
            "delta' >= delta": attrs.evolve(inside, other_delta=Fraction(3, 20)),
        },
    )
    # Each is needed: without it, a point at which all the others hold and the conclusion fails.
    fair = LargerPair(
        (HALF, HALF), (QUARTER, 3 * QUARTER), Fraction(3, 2), Fraction(1, 8), Fraction(3, 2), Fraction(1, 8)
    )
    assert statement.at(fair) is Truth.TRUE, "equality"
    for says, point in {
        PROMISED: attrs.evolve(fair, delta=Fraction(1, 9), other_delta=Fraction(1, 9)),
        "eps' >= eps": attrs.evolve(fair, other_exponential=Fraction(7, 5)),
        "delta' >= delta": attrs.evolve(fair, other_delta=Fraction(1, 9)),
        "the probabilities are at least 0": signed,
    }.items():
        assert statement.without(says).at(point) is Truth.FALSE
    assert not statement.strict


def failures(p) -> tuple[list[Fraction], Fraction]:
    """Return what is left of each probability without the failures, and the mass of the failures."""
    left = [min(a, p.exponential * b) for a, b in zip(p.first, p.second, strict=True)]
    return left, sum(p.first, Fraction(0)) - sum(left, Fraction(0))


@definition_4.supports(
    "delta-as-chance-of-failure",
    grade="derived",
    region="every two laws, epsilon and delta: the docstring; 72 pairs on three outputs, exactly",
)
@definition_4.controls(
    "delta-as-chance-of-failure",
    grade="symbolic",
    region="two outputs, e^epsilon = 3/2: half of delta; no failures; a loss above epsilon for one",
)
def test_delta_bounds_the_probability_of_a_failure(statement) -> None:
    """Let G = min(p, E q) and F = p - G = max(0, p - E q): F(all) is P(S) - E Q(S) for S = {p > E q}, at most delta.

    The loss of the output with 1/2 against 1/4 is log 2, and the laws are (log 3/2, 1/8)-close: F has 1/8 of the 1/2.
    """
    p, bound = sympy.symbols("p b", real=True)
    least, most = (p + bound - sympy.Abs(p - bound)) / 2, (p - bound + sympy.Abs(p - bound)) / 2
    assert sympy.expand(p - least - most) == 0
    points = [
        PrivateLaws(pair.first, pair.second, pair.exponential, failures(pair)[1] + more)
        for pair in PAIRS
        for more in (Fraction(0), Fraction(1, 11))
    ]
    even = (Fraction(1, 3),) * 3
    points += [PrivateLaws(ROWS[0], even, Fraction(3), Fraction(k, 5)) for k in (0, 1, 2)]
    values = []
    for point in points:
        assert statement.at(point) is Truth.TRUE
        left, mass = failures(point)
        under = [point.exponential * b - g for g, b in zip(left, point.second, strict=True)]
        values.append((point, min(point.delta - mass, *under, *left)))
    bind(statement, values)
    bind_condition(statement, PROMISED, [(p, slack(p)) for p in points])
    fair = PrivateLaws((HALF, HALF), (QUARTER, 3 * QUARTER), Fraction(3, 2), Fraction(1, 8))
    assert statement.at(fair) is Truth.TRUE
    negative = PrivateLaws((Fraction(1),), (Fraction(1),), -1, 2)
    signed = attrs.evolve(fair, second=(Fraction(-1, 20), Fraction(21, 20)), delta=1)
    outside = {
        "P and Q are of the same outputs": attrs.evolve(fair, second=(1,)),
        "the probabilities are at least 0": signed,
        "exponential > 0": negative,
        PROMISED: attrs.evolve(fair, delta=Fraction(1, 9)),
    }
    bind_hypotheses(statement, fair, outside)
    for says in ("the probabilities are at least 0", "exponential > 0", PROMISED):
        assert statement.without(says).at(outside[says]) is Truth.FALSE
    assert statement.without(PROMISED).at(attrs.evolve(fair, delta=Fraction(1, 16))) is Truth.FALSE
    assert statement.applies(attrs.evolve(negative, exponential=0)) is Truth.FALSE, "e^eps is positive"

    def without_failures(p: PrivateLaws) -> arb:
        least = min(p.exponential * b - a for a, b in zip(p.first, p.second, strict=True))
        return arb(fmpq(least.numerator, least.denominator))

    def chance(p) -> Fraction:
        pairs = zip(p.first, p.second, strict=True)
        return sum((a for a, b in pairs if a > p.exponential * b), Fraction(0))

    def every_loss(p: PrivateLaws) -> arb:
        above = chance(p)
        return arb(fmpq(p.delta.numerator, p.delta.denominator) - fmpq(above.numerator, above.denominator))

    assert chance(fair) == HALF
    assert all(chance(p) >= failures(p)[1] for p in points), "that delta bounds the chance of the loss is enough"
    for wrong in (without_failures, every_loss):
        assert statement.nudged(margin=wrong).at(fair) is Truth.FALSE
    assert not statement.strict
