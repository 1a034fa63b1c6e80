"""Theorems 6 and 7 of `sliding-window` as repaired: the cost of a projection chosen by a near matrix, axis by axis."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations, product

import attrs
from flint import fmpq

from dpmatrix.claims import Truth, bind
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window.noisy_choice import NoisyChoice

theorem_6 = cite("sliding-window.theorem-6@0da31879")
theorem_7 = cite("sliding-window.theorem-7@c989c9b7")

theorem_16 = cite("sliding-window.theorem-16@9a4d524b")

ALL_PAIRS = "d = 4, all pairs of coordinate projections of rank 1, 2 and 3"
WEIGHTS = (9, 4, 2, fmpq(1, 2))
SEEN = (9, 4, 2, fmpq(7, 4))
"""A_W'A_W and C~ on the axes; they differ by 5/4."""

ZETA = fmpq(3, 2)
Axes = Collection[int]


def axes(kept: Axes):
    return diagonal([int(axis in kept) for axis in range(4)])


def choice(chosen: Axes, other: Axes, bound=ZETA, **gamma) -> NoisyChoice:
    return NoisyChoice(diagonal(WEIGHTS), diagonal(SEEN), axes(chosen), axes(other), bound, **gamma)


def lost(weights, kept: Axes):
    """Add up the weights of the axes that a projection onto others maps to zero."""
    return sum((weights[axis] for axis in range(4) if axis not in kept), fmpq(0))


def pairs():
    """Every two coordinate projections of one rank from 1 to 3."""
    for rank in (1, 2, 3):
        yield from ((rank, *both) for both in product(combinations(range(4), rank), repeat=2))


@theorem_6.supports_repair(grade="derived", region=ALL_PAIRS)
@theorem_16.supports("on-the-event", grade="derived", region=ALL_PAIRS)
def test_the_error_of_the_best_choice_has_the_smaller_rank(statements) -> None:
    """As many eigenvalues of P - X are positive as negative: at most k, and at most d - k."""
    values = []
    for rank, chosen, other in pairs():
        extra = 2 * {1: 1, 2: 2, 3: 1}[rank] * ZETA
        values.append((choice(chosen, other), lost(WEIGHTS, other) + extra - lost(WEIGHTS, chosen)))
    for statement in statements.values():
        bind(statement, values)
        best = [p for p, _ in values if statement.applies(p) is Truth.TRUE]
        assert len(best) >= 20
        assert all(statement.at(p) is Truth.TRUE for p in best)


@theorem_7.supports_repair(grade="derived", region="d = 4, all pairs of coordinate projections, gamma = 1 and 2")
def test_the_error_of_an_approximate_choice_has_the_other_rank(statement) -> None:
    """Both are charged zeta on the axes that one of them alone maps to zero, and X gamma^2 - 1 times on all its own."""
    values = []
    for rank, chosen, other in pairs():
        for gamma, more in ((1, {}), (2, {"gamma": 2})):
            slack = gamma**2 * lost(WEIGHTS, other) - lost(WEIGHTS, chosen)
            extra = (gamma**2 - 1) * (4 - rank) + 2 * {1: 1, 2: 2, 3: 1}[rank]
            values.append((choice(chosen, other, **more), slack + extra * ZETA))
    bind(statement, values)
    good = [p for p, _ in values if statement.applies(p) is Truth.TRUE]
    assert len(good) >= 20
    assert all(statement.at(p) is Truth.TRUE for p in good)


@theorem_7.controls("+repair", grade="symbolic", region="costs 4 and 5 under C~, gamma = 2, against 1")
def test_a_choice_is_within_the_square_of_gamma(statement) -> None:
    """With two axes and C~ = diag(c, 1) the wrong axis costs c, and the right one 1: c = 4 is allowed, c = 5 is not."""
    moments = [diagonal((cost, 1)) for cost in (4, 5)]
    near, far = (NoisyChoice(m, m, diagonal((0, 1)), diagonal((1, 0)), 0, 2) for m in moments)
    assert statement.applies(near) is Truth.TRUE
    assert statement.at(near) is Truth.TRUE
    assert statement.applies(far) is Truth.FALSE
    assert statement.without("Tr((I - P) C~) <= gamma^2 Tr((I - X) C~)").at(far) is Truth.FALSE
    assert statement.applies(attrs.evolve(far, gamma=3)) is Truth.TRUE
