"""Lemma 9 of `sliding-window`: post-processing keeps the hockey-stick divergence, and not a tail of the loss."""

from __future__ import annotations

from itertools import product

import attrs
import sympy
from flint import fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.post_processing import Processing
from proofs_checks.sliding_window.processings import BROKEN, channels, laws_after, outside, points, swapped

lemma_9 = cite("sliding-window.lemma-9@d5538afc")


def largest_event(pairs: list[tuple[fmpq, fmpq]], exponential: fmpq) -> fmpq:
    """Return the largest P(S) - E Q(S), every event tried."""
    return max(
        sum((a - exponential * b for (a, b), inside in zip(pairs, event, strict=True) if inside), fmpq(0))
        for event in product((False, True), repeat=len(pairs))
    )


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
    negative = (fmpq(3, 2), fmpq(-1, 2), fmpq(0))
    for wrong in ({"first": negative, "delta": fmpq(9)}, {"channel": (negative, *channels()[-1][1:])}):
        assert statement.applies(attrs.evolve(BROKEN, **wrong)) is Truth.FALSE, "a sum of 1 makes no law"
    certain = Processing((fmpq(1),), (fmpq(1),), ((fmpq(1, 3), fmpq(2, 3)),), fmpq(1), fmpq(0))
    assert statement.at(certain) is Truth.TRUE, "one output, and h draws"


@lemma_9.controls(grade="interval", region="a channel whose rows sum to 2")
def test_a_channel_that_returns_more_than_it_got_is_noticed(statement) -> None:
    doubled = attrs.evolve(BROKEN, channel=tuple((2 * a, 2 * b) for a, b in BROKEN.channel))
    freed = statement.without("h sees the output alone, and returns something")
    assert freed.at(doubled) is Truth.FALSE
    assert freed.at(BROKEN) is Truth.TRUE
