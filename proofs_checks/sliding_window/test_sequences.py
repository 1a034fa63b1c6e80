"""Definition 1 of `sliding-window`: one output, a sequence of outputs, and the tail of the loss."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import sequences as module
from dpmatrix.spec.sliding_window.post_processing import Processing
from dpmatrix.spec.sliding_window.sequences import (
    KeyBit,
    OneOutput,
    TwoReleases,
    joint_divergence,
    masked,
    single_divergence,
)
from proofs_checks.sliding_window.processings import BROKEN, laws_after, outside, points, swapped

definition_1 = cite("sliding-window.definition-1@e54f71e9")

MASKED = TwoReleases(
    fmpq_mat([[fmpq(1, 2), 0], [0, fmpq(1, 2)]]), fmpq_mat([[0, fmpq(1, 2)], [fmpq(1, 2), 0]]), Fraction(3)
)
OUTSIDE = {
    "both are probability laws": TwoReleases(fmpq_mat([[1, 1]]), fmpq_mat([[1, 0]]), 2),
    "exponential >= 1": TwoReleases(MASKED.first, MASKED.second, Fraction(19, 20)),
}
SIGNED = TwoReleases(fmpq_mat([[2, -1]]), fmpq_mat([[1, 0]]), 2)


def laws() -> list[TwoReleases]:
    found = []
    for k in range(1, 25):
        numbers = [[(k * (i + 1) * (j + 2) + i * j) % 7 + 1 for j in range(3)] for i in range(2)]
        others = [[(k * (i + 2) + 3 * j * k + i) % 5 + 1 for j in range(3)] for i in range(2)]
        tables = []
        for table in (numbers, others):
            total = sum(map(sum, table))
            tables.append(fmpq_mat([[fmpq(entry, total) for entry in line] for line in table]))
        found.append(TwoReleases(*tables, Fraction(5 + k, 5)))
        found.append(TwoReleases(*(table.transpose() for table in tables), Fraction(5 + k, 5)))
    return found


def divergences(p: TwoReleases) -> tuple[Fraction, Fraction]:
    """Hockey-stick divergence of the pair of outputs, and the largest of one output; written out again."""
    first, second = (
        [[Fraction(int(e.p), int(e.q)) for e in line] for line in law.tolist()] for law in (p.first, p.second)
    )

    def excess(one, two):
        return sum(max(a - Fraction(p.exponential) * b, 0) for a, b in zip(one, two, strict=True))

    rows = excess(map(sum, first), map(sum, second))
    columns = excess(map(sum, zip(*first, strict=True)), map(sum, zip(*second, strict=True)))
    return sum(map(excess, first, second)), max(rows, columns)


FAIR = KeyBit(Fraction(1, 2), 1)
KEYS = [KeyBit(Fraction(k, 20), e) for k in range(1, 20) for e in (1, Fraction(11, 10), 3, 50)]
NO_KEY = {
    "chance > 0": KeyBit(0, 1),
    "chance < 1": KeyBit(1, 1),
    "exponential >= 1": KeyBit(Fraction(1, 2), Fraction(19, 20)),
}


@definition_1.supports("sequence", grade="derived", region="every chance of the key bit and every epsilon")
def test_masked_outputs_tell_more_together(statement) -> None:
    """Stream (0, 0): the outputs are (b, b) for the key bit b; stream (0, 1): they are (b, 1 - b).

    No pair is possible for both, so that the pair has divergence 1. The first output has one law for both, the second
    has the law of b and of 1 - b, whose divergence max(0, x - E (1 - x)), x the larger chance, is below 1 for x < 1.
    """
    assert divergences(MASKED) == (1, 0), "delta 0 for each output, 1 for the pair"
    assert divergences(masked(FAIR)) == (1, 0)
    for p in KEYS:
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, (lambda d: d[0] - d[1])(divergences(masked(p)))) for p in KEYS))
    assert statement.strict
    for inside in (FAIR, KeyBit(Fraction(1, 50), 7), KeyBit(Fraction(49, 50), 7)):
        bind_hypotheses(statement, inside, NO_KEY)


@definition_1.controls("sequence", grade="symbolic", region="a key bit that is always 0 or always 1")
def test_without_a_key_one_output_tells_everything(statement) -> None:
    for says in ("chance > 0", "chance < 1"):
        assert statement.without(says).at(NO_KEY[says]) is Truth.FALSE


@definition_1.supports(
    "each-output",
    grade="derived",
    region="every finite joint law: max(0, x + y) <= max(0, x) + max(0, y) cell by cell; every law by approximation",
)
def test_a_guarantee_for_the_sequence_covers_each_output(statement) -> None:
    x, y = sympy.symbols("x y", real=True)
    slack = (sympy.Abs(x) + x + sympy.Abs(y) + y - sympy.Abs(x + y) - (x + y)) / 2
    assert sympy.expand(slack - (sympy.Abs(x) + sympy.Abs(y) - sympy.Abs(x + y)) / 2) == 0, "the triangle inequality"
    for p in laws():
        assert statement.at(p) is Truth.TRUE
    bind(statement, ((p, (lambda d: d[0] - d[1])(divergences(p))) for p in laws()))
    bind_hypotheses(statement, MASKED, OUTSIDE)
    assert statement.applies(TwoReleases(MASKED.first, MASKED.second, 1)) is Truth.TRUE, "epsilon = 0 is allowed"
    assert not statement.strict


@definition_1.controls(
    "each-output", grade="symbolic", region="1.01 times the divergence of one output, which tells all"
)
def test_a_larger_share_of_one_output_is_noticed(statement) -> None:
    plain = TwoReleases(fmpq_mat([[1, 0]]), fmpq_mat([[0, 1]]), 2)
    assert statement.at(plain) is Truth.TRUE, "equality: the second output tells everything"

    def larger(p: TwoReleases):
        return arb(joint_divergence(p) - fmpq(101, 100) * single_divergence(p))

    assert statement.nudged(margin=larger).at(plain) is Truth.FALSE


SINGLE = OneOutput((fmpq(1, 10), fmpq(4, 10), fmpq(5, 10)), (fmpq(0), fmpq(2, 10), fmpq(8, 10)), 2)


@definition_1.supports(
    grade="derived", region="every finite law: exchange argument in the docstring; every event of 96 pairs of laws"
)
def test_one_number_decides_the_definition(statement) -> None:
    """Adding an output to S adds p - E q, and leaving one out subtracts it: the best S has exactly those with p > E q.

    For laws with densities the sum is an integral, and the best event is {p > E q} by the same exchange.
    """
    found = [
        OneOutput(tuple(p.first.entries()), tuple(p.second.entries()), exponential)
        for p in laws()
        for exponential in (1, p.exponential)
    ]
    for p in (*found, SINGLE):
        assert statement.at(p) is Truth.TRUE
        assert statement.margin(p) == 0
    best = {(1, 0, 0): fmpq(1, 10), (1, 1, 0): fmpq(1, 10), (0, 1, 0): 0, (1, 1, 1): -1, (0, 0, 0): 0}
    for event, gap in best.items():
        assert sum(inside * (p - 2 * q) for inside, p, q in zip(event, SINGLE.first, SINGLE.second, strict=True)) == gap
    assert not statement.strict
    outside = {
        "both are probability laws": attrs.evolve(SINGLE, first=(fmpq(1), fmpq(1), fmpq(0))),
        "exponential >= 1": attrs.evolve(SINGLE, exponential=Fraction(19, 20)),
    }
    for inside in (SINGLE, attrs.evolve(SINGLE, exponential=1)):
        bind_hypotheses(statement, inside, outside)
    negative = attrs.evolve(SINGLE, first=(fmpq(3, 2), fmpq(-1, 2), fmpq(0)))
    assert statement.applies(negative) is Truth.FALSE
    assert statement.applies(attrs.evolve(SINGLE, second=(fmpq(3, 2), fmpq(-1, 2), fmpq(0)))) is Truth.FALSE
    assert statement.applies(attrs.evolve(SINGLE, second=(fmpq(1, 2), fmpq(1, 4), fmpq(0)))) is Truth.FALSE


@definition_1.controls(grade="symbolic", region="single outputs in place of events")
def test_events_of_one_output_are_not_enough(statement) -> None:
    """With the law (1/3, 1/3, 1/3) against (0, 0, 1) no single output has the excess of the first two together."""
    spread = OneOutput((fmpq(1, 3),) * 3, (fmpq(0), fmpq(0), fmpq(1)), 2)
    assert statement.at(spread) is Truth.TRUE

    def single(p: OneOutput) -> fmpq:
        return max(one - 2 * other for one, other in zip(p.first, p.second, strict=True))

    singles = redefined(statement, module, "largest_event", single)
    assert singles.at(spread) is Truth.FALSE
    assert singles.margin(spread).overlaps(-arb(1) / 3), "1/3 in place of 2/3"


def tail(pairs: list[tuple[fmpq, fmpq]], exponential: fmpq) -> fmpq:
    return sum((a for a, b in pairs if (b == 0 and a > 0) or (b > 0 and a / b > exponential)), fmpq(0))


TAIL = "the loss exceeds eps with probability at most delta"
SUFFICIENT = [
    attrs.evolve(
        p,
        first=tuple(one),
        second=tuple(other),
        delta=max(tail(pairs, p.exponential), tail(swapped(pairs), p.exponential)),
    )
    for p in points()
    for pairs in [laws_after(p)]
    for one, other in [zip(*pairs, strict=True)]
]
"""Laws of two and of three outputs, each with the larger of its two tails for delta."""


@definition_1.supports("tail-of-the-loss", grade="derived", region="every finite law: term by term")
def test_the_tail_of_the_loss_is_enough(statement) -> None:
    """max(0, p - E q) is at most p where p > E q, and 0 elsewhere; so the sum is at most the tail."""
    assert len(SUFFICIENT) > 50
    values = []
    for p in SUFFICIENT:
        assert statement.at(p) is Truth.TRUE
        sums = [
            sum((a - p.exponential * b for a, b in pairs if a > p.exponential * b), fmpq(0))
            for pairs in (list(zip(p.first, p.second, strict=True)), list(zip(p.second, p.first, strict=True)))
        ]
        values.append((p, p.delta - max(sums)))
    bind(statement, values)
    beyond = outside(TAIL, BROKEN)
    del beyond["h sees the output alone, and returns something"]
    bind_hypotheses(statement, BROKEN, beyond)
    assert not statement.strict


@definition_1.controls("tail-of-the-loss", grade="symbolic", region="half of the tail, with no mass on the other side")
def test_less_than_the_tail_is_not_enough(statement) -> None:
    apart = Processing((fmpq(1, 10), fmpq(9, 10)), (fmpq(0), fmpq(1)), ((fmpq(1),), (fmpq(1),)), fmpq(2), fmpq(1, 5))
    assert statement.at(apart) is Truth.TRUE
    less = attrs.evolve(apart, delta=fmpq(1, 20))
    assert statement.applies(less) is Truth.FALSE
    assert statement.without(TAIL).at(less) is Truth.FALSE
