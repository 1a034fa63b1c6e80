"""How little noise one number can have: test functions, carried from law to law."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

import attrs
import mpmath
import numpy as np
import pytest
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import one_number
from dpmatrix.spec.beyond.one_number import Cell, Functions, Runs, Transport

one = cite("beyond.one-number@b2b253f0")

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
HAT = Functions(1, (1,), ((0, 1, 2, 4, 5, 3, 1, 0, 0),))
TWO = Functions(2, (1, 2), ((0, HALF, 1, 0, 0), (0, 0, HALF, 1, 2, 2, 1, THIRD, 0)))
NONE = Functions(3, (), ())


def geometric(functions: Functions, count: int, reach: int, base: int, spread: int) -> Runs:
    """Noise in whole nodes, cut off, with weights that fall by a factor each: private but for what is cut off."""
    counts = [*product(range(count + 1), repeat=len(functions.steps))]
    centres = [sum(c * r for c, r in zip(each, functions.steps, strict=True)) for each in counts]
    places = range(-reach, max(centres) + reach + 1)
    weights = tuple(
        tuple(base ** (spread - abs(place - centre)) if abs(place - centre) <= spread else 0 for place in places)
        for centre in centres
    )
    outputs = tuple(Fraction(place, functions.k) for place in places)
    return Runs(functions, count, outputs, weights, Fraction(7, 5), Fraction(0))


def with_delta(p: Runs) -> Runs:
    """State a delta that is a thousandth more than is needed, at most."""
    spare = float(-one_number.private_margin(attrs.evolve(p, delta=0)).lower())
    return attrs.evolve(p, delta=Fraction(int(max(spare, 0) * 1000) + 1, 1000))


def small() -> Functions:
    """Test functions with a positive gain: a tenth at zero pays for what the steps before take."""
    return Functions(4, (4,), ((0, Fraction(1, 10), 0),))


FAR = (
    (Functions(1, (1,), ((90,),)), 1),
    (Functions(1, (1, 1), ((0,), (0, 0, 0, 0, 90))), 3),
    (Functions(3, (1, 3), ((0,), (90,))), 3),
    (Functions(1, (1,), ((0,) * 12 + (90,),)), 7),
)
"""Functions that are ninety at one node, and the node where what is taken for it is the most."""


def exact_answers() -> Runs:
    """Answer each count without noise."""
    laws = tuple(tuple(int(count == answer) for answer in range(13)) for count in range(13))
    return Runs(small(), 12, tuple(range(13)), laws, Fraction(1), Fraction(0))


UNEQUAL = Runs(HAT, 1, (0, 1, 2), ((3, 1, 0), (1, 1, 1)), Fraction(1), Fraction(1))
RUNS = [
    UNEQUAL,
    *(
        with_delta(geometric(functions, count, 6, base, spread))
        for functions in (HAT, TWO)
        for count in (0, 1, 3)
        for base, spread in ((2, 5), (3, 4), (1, 2))
    ),
]
CONSTANT = Runs(HAT, 0, (0,), ((1,),), Fraction(1), Fraction(0))
OUTSIDE = {
    "count >= 0, an integer": attrs.evolve(RUNS[4], count=-1),
    "epsilon > 0": attrs.evolve(RUNS[4], epsilon=Fraction(0)),
    "delta >= 0": attrs.evolve(RUNS[4], delta=Fraction(-1, 10)),
    "test functions are of the form that is described": attrs.evolve(
        RUNS[4], functions=attrs.evolve(HAT, heights=((0, -1, 0),))
    ),
    "each count has a law": attrs.evolve(RUNS[4], weights=RUNS[4].weights[:1]),
    "neighbours are within epsilon and delta": exact_answers(),
}


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(Fraction(value).numerator) / Fraction(value).denominator


def function(heights: Sequence[Fraction | int], k: int, x: Fraction) -> Fraction:
    """Interpolate between the nodes, of which the next beyond the last are zero."""
    padded = [Fraction(0), *map(Fraction, heights), Fraction(0)]
    place = x * k + (len(padded) - 1) // 2
    below = place.__floor__()
    if not 0 <= below < len(padded) - 1:
        return Fraction(0)
    share = place - below
    return padded[below] * (1 - share) + padded[below + 1] * share


def sum_at(functions: Functions, epsilon: Fraction, x: Fraction) -> mpmath.mpf:
    """Give the sum of which g is the least, at any x."""
    total = real(x * x)
    for r, heights in zip(functions.steps, functions.heights, strict=True):
        y = partial(function, heights, functions.k)
        shift = Fraction(r, functions.k)
        total += real(y(x) + y(-x)) - mpmath.exp(real(epsilon)) * real(y(x - shift) + y(-x - shift))
    return total


def bound(p: Runs) -> mpmath.mpf:
    """Give the bound, from every node of a wide range on both sides."""
    k = p.functions.k
    g = min(sum_at(p.functions, Fraction(p.epsilon), Fraction(node, k)) for node in range(-12 * k, 12 * k + 1))
    tops = sum(max(map(Fraction, heights)) for heights in p.functions.heights)
    lost = (1 + p.count * Fraction(p.delta)) / (p.count + 1)
    return g - real(Fraction(1, 4 * k * k)) - real(2 * tops * lost)


def margins() -> Iterator[tuple[Runs, str]]:
    """Yield runs, and by how much the greatest mean square exceeds the bound."""
    with mpmath.workdps(60):
        for p in [*RUNS, CONSTANT, attrs.evolve(CONSTANT, functions=small())]:
            squares = []
            for counts, law in zip(product(range(p.count + 1), repeat=len(p.functions.steps)), p.weights, strict=True):
                value = sum(Fraction(c * r, p.functions.k) for c, r in zip(counts, p.functions.steps, strict=True))
                errors = [weight * (Fraction(x) - value) ** 2 for weight, x in zip(law, p.outputs, strict=True)]
                squares.append(sum(errors) / sum(law))
            yield p, mpmath.nstr(real(max(squares)) - bound(p), 50)


def divergence(first: Sequence[int], second: Sequence[int], epsilon: Fraction) -> float:
    p, q = (np.array(law, dtype=float) / sum(law) for law in (first, second))
    return float(np.maximum(p - np.exp(float(epsilon)) * q, 0).sum())


@one.supports(
    grade="derived",
    region="every mechanism, T, m and test functions, by the docstring; 21 tables of laws, T = 1 and 2, m = 0, 1, 3",
)
def test_no_private_mechanism_has_less_than_the_test_functions_say(statement) -> None:
    """Let X_c = M(c) - s.c. For every x, x^2 >= g - sum_t (y_t(x) + y_t(-x) - e^eps (y_t(x - s_t) + y_t(-x - s_t))), by
    `between-nodes` on each cell. Take it at X_c, and the mean over all c of {0, ..., m}^T. Where c_t < m, let c' = c +
    e_t, so that X_c' = M(c') - s.c - s_t. By `transport`, with f(z) = y_t(z - s.c - s_t) as function of the output, E
    y_t(X_c') <= e^eps E y_t(X_c - s_t) + mu_t delta; and with f(z) = y_t(s.c - z), E y_t(-X_c) <= e^eps E y_t(-X_c' -
    s_t) + mu_t delta. Each term y_t(X_c) with c_t > 0, and y_t(-X_c) with c_t < m, is bounded so, by another term each;
    there are m (m + 1)^(T-1) of each kind. Each of the (m + 1)^(T-1) others is mu_t at most, and what is left of the
    terms with e^eps is not negative. So the mean is at least g - sum_t 2 mu_t (1 + m delta)/(m + 1), and the greatest
    mean square is no less. An output need not be a number: what it is not within a bounded set, or what is no number,
    has an infinite error, and then there is nothing to show.
    """  # noqa: D205
    bind(statement, margins())
    bind_hypotheses(statement, RUNS[4], OUTSIDE)
    assert not statement.strict
    for p in RUNS:
        assert statement.at(p) is Truth.TRUE
        given = [divergence(a, b, p.epsilon) for pair in one_number.neighbours(p) for a, b in (pair, pair[::-1])]
        least = one_number.private_margin(p)
        assert float(least.mid()) == pytest.approx(float(p.delta) - max(given, default=0.0), abs=1e-12)
    size = len(list(one_number.neighbours(RUNS[-1])))
    assert size == 2 * 3 * 4, "m (m + 1)^(T-1) for each kind"
    assert [one_number.height((2, 1, 3), node) for node in range(-3, 4)] == [0, 0, 2, 1, 3, 0, 0]
    for functions, node in FAR:
        square = fmpq(node, functions.k) ** 2 - fmpq(1, 4 * functions.k**2)
        lowest = arb(square) - one_number.gain(functions, 1)
        assert float(lowest.mid()) == pytest.approx(90 * math.e), "the least is at the last node where a step takes"
    assert one_number.gain(attrs.evolve(NONE, k=2), 1) == arb(fmpq(-1, 16))
    assert one_number.functions_margin(NONE) == 0
    assert one_number.functions_margin(attrs.evolve(HAT, k=0)) == -1
    assert one_number.functions_margin(attrs.evolve(HAT, steps=(0,))) == -1
    assert one_number.functions_margin(attrs.evolve(HAT, steps=(2,))) == -1
    assert one_number.functions_margin(attrs.evolve(HAT, steps=(1, 1))) == -1
    assert one_number.functions_margin(attrs.evolve(HAT, heights=((1, 1),))) == -1
    assert one_number.laws_margin(attrs.evolve(CONSTANT, weights=((0,),))) == -1
    assert one_number.laws_margin(attrs.evolve(CONSTANT, weights=((1, 1),))) == -1
    assert one_number.laws_margin(attrs.evolve(CONSTANT, outputs=(0, 1), weights=((2, -1),))) == -1
    assert one_number.laws_margin(attrs.evolve(CONSTANT, count=-1, weights=())) == -1


@one.controls(
    grade="interval", region="no records; 100 records and weights that fall by half: a gain of half as much again"
)
def test_what_is_lost_at_the_ends_counts(statement) -> None:
    """A mechanism that answers the one possible value has no error."""
    assert statement.at(CONSTANT) is Truth.TRUE
    assert statement.conclusion(exact_answers()) is Truth.FALSE, "without privacy there need be no error"
    free = redefined(statement, one_number, "lost", lambda _delta, _count: fmpq(0))
    assert free.at(attrs.evolve(CONSTANT, functions=small())) is Truth.FALSE
    halves = geometric(geometric_functions(), 100, 20, 2, 20)
    private = attrs.evolve(halves, epsilon=Fraction(69315, 10**5), delta=Fraction(1, 10**6))
    assert statement.at(private) is Truth.TRUE
    gain = one_number.gain
    more = redefined(statement, one_number, "gain", lambda functions, epsilon: gain(functions, epsilon) * 3 / 2)
    assert more.at(private) is Truth.FALSE


def geometric_functions() -> Functions:
    """Solve x^2 + y(x) - 2 y(x - 1) = g from y(0) = g/2 on, until y is negative; laws that halve have more than g."""
    heights = [Fraction(39, 20)]
    while heights[-1] > 0:
        heights.append(2 * heights[-1] + Fraction(39, 10) - len(heights) ** 2)
    heights[-1] = Fraction(0)
    return Functions(1, (1,), ((0,) * (len(heights) - 1) + tuple(heights),))


TRANSPORTS = [
    Transport(first, second, values, epsilon)
    for first, second in (
        ((1, 2, 3), (3, 2, 1)),
        ((0, 1, 5), (4, 1, 0)),
        ((1, 1, 1), (1, 1, 1)),
        ((9, 1, 0), (1, 1, 1)),
    )
    for values in ((0, 1, 2), (Fraction(1, 3), 0, 1), (0, 0, 0))
    for epsilon in (Fraction(1, 10), Fraction(2))
]
TRANSPORT_OUTSIDE = {
    "epsilon > 0": attrs.evolve(TRANSPORTS[0], epsilon=Fraction(0)),
    "both are laws on one set": attrs.evolve(TRANSPORTS[0], second=(1, 2)),
    "f is not negative": attrs.evolve(TRANSPORTS[0], values=(-1, 0, 1)),
}


def transport_margins() -> Iterator[tuple[Transport, str]]:
    with mpmath.workdps(60):
        for p in TRANSPORTS:
            factor = mpmath.exp(real(p.epsilon))
            laws = [[real(Fraction(weight, sum(law))) for weight in law] for law in (p.first, p.second)]
            delta = sum(max(a - factor * b, mpmath.mpf(0)) for a, b in zip(*laws, strict=True))
            values = [real(value) for value in p.values]
            means = [sum(q * f for q, f in zip(law, values, strict=True)) for law in laws]
            yield p, mpmath.nstr(factor * means[1] + max(values) * delta - means[0], 50)


@one.supports("transport", grade="derived", region="all laws and functions, by the docstring; 24 on three places")
def test_a_mean_is_carried_from_law_to_law(statement) -> None:
    """P f - e^eps Q f is the sum of f (P - e^eps Q), at most that of f over the places where P > e^eps Q, and there f
    is mu at most. For other laws the sum is an integral against a measure that dominates both.
    """  # noqa: D205
    bind(statement, transport_margins())
    bind_hypotheses(statement, TRANSPORTS[0], TRANSPORT_OUTSIDE)
    assert not statement.strict
    for p in TRANSPORTS:
        assert statement.margin(p).upper() >= 0
    assert one_number.two_laws_margin(Transport((), (), (), 1)) == -1
    assert one_number.two_laws_margin(Transport((2, -1), (1, 1), (1, 1), 1)) == -1
    assert one_number.function_margin(Transport((), (), (), 1)) == -1
    assert one_number.two_laws_margin(Transport((0,), (1,), (1,), 1)) == -1
    assert one_number.two_laws_margin(Transport((1,), (0,), (1,), 1)) == -1


@one.controls("transport", grade="interval", region="half the divergence")
def test_half_the_divergence_is_too_little(statement) -> None:
    """With f one where P is more, both sides are equal."""
    p = Transport((9, 1, 0), (1, 1, 1), (1, 0, 0), Fraction(1, 10))
    whole = one_number.divergence
    half = redefined(statement, one_number, "divergence", lambda a, b, epsilon: whole(a, b, epsilon) / 2)
    assert statement.margin(p).contains(0)
    assert half.at(p) is Truth.FALSE


CELLS = [
    Cell(node, k, left, right, share)
    for node, k in ((0, 1), (-3, 2), (4, 5))
    for left, right in ((0, 0), (1, Fraction(-1, 3)), (0, 7))
    for share in (Fraction(0), HALF, Fraction(2, 3), Fraction(1))
]
CELL_OUTSIDE = {
    "k >= 1, an integer": attrs.evolve(CELLS[0], k=-1),
    "x is between the nodes": attrs.evolve(CELLS[0], share=Fraction(5, 4)),
}


def cell_value(p: Cell) -> str:
    begin, end = Fraction(p.node, p.k), Fraction(p.node + 1, p.k)
    x = begin + (end - begin) * Fraction(p.share)
    line = Fraction(p.left) + (Fraction(p.right) - Fraction(p.left)) * Fraction(p.share)
    least = min(begin**2 + p.left, end**2 + p.right)
    with mpmath.workdps(60):
        return mpmath.nstr(real(x * x + line - least + Fraction(1, 4 * p.k**2)), 50)


@one.supports("between-nodes", grade="derived", region="all numbers, by the docstring; 36 places")
def test_a_square_bends_little_between_nodes(statement) -> None:
    """Between the nodes u and u + h, h = 1/k, x^2 is the chord of x^2 less (x - u)(u + h - x), of h^2/4 at most. The
    chord and the linear function make one that is linear, and no less than the lesser of its ends.
    """  # noqa: D205
    bind(statement, ((p, cell_value(p)) for p in CELLS))
    bind_hypotheses(statement, CELLS[0], CELL_OUTSIDE)
    assert not statement.strict
    for p in CELLS:
        assert statement.margin(p).upper() >= 0
    assert one_number.share_margin(Cell(0, 1, 0, 0, Fraction(7, 8))) == arb(fmpq(1, 8))


@one.controls("between-nodes", grade="interval", region="steps of 1/(2 k), in the middle between equal sums")
def test_less_than_a_quarter_does_not_do(statement) -> None:
    p = Cell(0, 1, 1, 0, HALF)
    assert statement.margin(p) == 0
    narrow = redefined(statement, one_number, "bend", lambda k: fmpq(1, 8 * k**2))
    assert narrow.at(p) is Truth.FALSE
