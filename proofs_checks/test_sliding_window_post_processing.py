"""Lemma 9 of `sliding-window`: post-processing keeps the hockey-stick divergence, and not a tail of the loss."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.post_processing import Processing

definition_1 = cite("sliding-window.definition-1@b58cbb60")
lemma_9 = cite("sliding-window.lemma-9@01efb877")


MERGED = ((fmpq(1), fmpq(0)), (fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)))
"""h cannot tell the first output from the second."""

BROKEN = Processing(
    (fmpq(1, 10), fmpq(4, 10), fmpq(5, 10)), (fmpq(0), fmpq(2, 10), fmpq(8, 10)), MERGED, fmpq(2), fmpq(1, 10)
)


def channels() -> list[tuple[tuple[fmpq, ...], ...]]:
    """Functions of three outputs and randomised ones, onto two and three results."""
    rows = [(fmpq(1), fmpq(0)), (fmpq(0), fmpq(1)), (fmpq(1, 3), fmpq(2, 3))]
    onto_two = [tuple(choice) for choice in product(rows, repeat=3)]
    mixed = ((fmpq(1, 2), fmpq(1, 4), fmpq(1, 4)), (fmpq(0), fmpq(1), fmpq(0)), (fmpq(1, 5), fmpq(1, 5), fmpq(3, 5)))
    return [*onto_two, mixed]


def points() -> list[Processing]:
    return [
        attrs.evolve(BROKEN, channel=channel, exponential=exponential, delta=delta)
        for channel in channels()
        for exponential, delta in ((fmpq(2), fmpq(1, 10)), (fmpq(1), fmpq(3, 10)), (fmpq(3, 2), fmpq(1, 4)))
    ]


def laws_after(p: Processing) -> list[tuple[fmpq, fmpq]]:
    """Both probabilities of every result, column by column."""
    return [
        (
            sum((a * x for a, x in zip(p.first, column, strict=True)), fmpq(0)),
            sum((b * x for b, x in zip(p.second, column, strict=True)), fmpq(0)),
        )
        for column in zip(*p.channel, strict=True)
    ]


def tail(pairs: list[tuple[fmpq, fmpq]], exponential: fmpq) -> fmpq:
    return sum((a for a, b in pairs if (b == 0 and a > 0) or (b > 0 and a / b > exponential)), fmpq(0))


def largest_event(pairs: list[tuple[fmpq, fmpq]], exponential: fmpq) -> fmpq:
    """Return the largest P(S) - E Q(S), every event tried."""
    return max(
        sum((a - exponential * b for (a, b), inside in zip(pairs, event, strict=True) if inside), fmpq(0))
        for event in product((False, True), repeat=len(pairs))
    )


def swapped(pairs: list[tuple[fmpq, fmpq]]) -> list[tuple[fmpq, fmpq]]:
    return [(b, a) for a, b in pairs]


def outside(statement_hypothesis: str, broken: Processing) -> dict[str, Processing]:
    """Points that violate one hypothesis each."""
    heavier = (*broken.first[:-1], broken.first[-1] + fmpq(1, 100))
    return {
        "P and Q are probability laws": attrs.evolve(broken, first=heavier, delta=fmpq(1)),
        "h sees the output alone, and returns something": attrs.evolve(
            broken, channel=((fmpq(1), fmpq(1)), *broken.channel[1:])
        ),
        "exponential > 0": attrs.evolve(broken, exponential=fmpq(0), delta=fmpq(1)),
        statement_hypothesis: attrs.evolve(broken, delta=fmpq(1, 20)),
    }


@definition_1.refutes("tail-of-the-loss", grade="interval", region="three outputs, h a function")
def test_the_tail_of_the_loss_grows_when_outputs_are_merged(statement) -> None:
    assert statement.at(BROKEN) is Truth.FALSE
    values = []
    for p in points():
        pairs = laws_after(p)
        values.append((p, p.delta - max(tail(pairs, p.exponential), tail(swapped(pairs), p.exponential))))
    bind(statement, values)
    bind_hypotheses(statement, BROKEN, outside("the loss exceeds eps with probability at most delta", BROKEN))
    kept = attrs.evolve(BROKEN, channel=tuple(tuple(fmpq(int(i == j)) for j in range(3)) for i in range(3)))
    assert statement.at(kept) is Truth.TRUE, "a function that forgets nothing changes nothing"


@lemma_9.supports(
    grade="derived",
    region="every pair of laws and every channel: derivation, its two inequalities by machine; 84 points in full",
)
def test_the_hockey_stick_divergence_is_kept(statement) -> None:
    """A result j has the excess sum_i K_ij x_i with x_i = p_i - E q_i, and the rows of K sum to 1.

    So sum_j max(0, sum_i K_ij x_i) <= sum_j sum_i K_ij max(0, x_i) = sum_i max(0, x_i), by (a) max(0, x + y) <=
    max(0, x) + max(0, y) and (b) max(0, k x) = k max(0, x) for k >= 0. With max(0, x) = (x + |x|)/2, (a) says |x + y|
    <= |x| + |y|, and the square of the right side exceeds that of the left by 2 (|xy| - xy). For laws with densities
    the sums are integrals.
    """
    x, y = sympy.symbols("x y", real=True)
    k = sympy.symbols("k", nonnegative=True)
    assert sympy.expand((abs(x) + abs(y)) ** 2 - (x + y) ** 2 - 2 * (abs(x) * abs(y) - x * y)) == 0
    assert sympy.simplify(abs(k * x) - k * abs(x)) == 0
    assert sympy.simplify((sympy.Max(0, x) - (x + abs(x)) / 2).rewrite(sympy.Piecewise)) == 0
    values = []
    for p in points():
        pairs = laws_after(p)
        after = max(largest_event(pairs, p.exponential), largest_event(swapped(pairs), p.exponential))
        before = list(zip(p.first, p.second, strict=True))
        assert after <= max(largest_event(before, p.exponential), largest_event(swapped(before), p.exponential))
        values.append((p, p.delta - after))
        assert statement.at(p) is Truth.TRUE
    bind(statement, values)
    bind_hypotheses(statement, BROKEN, outside("sum max(0, P - E Q) <= delta", BROKEN))


@lemma_9.controls(grade="interval", region="a channel whose rows sum to 2")
def test_a_channel_that_returns_more_than_it_got_is_noticed(statement) -> None:
    doubled = attrs.evolve(BROKEN, channel=tuple((2 * a, 2 * b) for a, b in BROKEN.channel))
    freed = statement.without("h sees the output alone, and returns something")
    assert freed.at(doubled) is Truth.FALSE
    assert freed.at(BROKEN) is Truth.TRUE
