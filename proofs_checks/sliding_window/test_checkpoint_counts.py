"""Checkpoints of `sliding-window`: how many are needed, how many are kept, and what they take."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import attrs
import sympy
from flint import fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal
from dpmatrix.spec.sliding_window.checkpoint_counts import GrowingStream, OrderedCheckpoints, Trees
from dpmatrix.tracing import bind_expression

conjecture_1 = cite("sliding-window.conjecture-1@4cb866d5")
theorem_14 = cite("sliding-window.theorem-14@763b3875")
theorem_18 = cite("sliding-window.theorem-18@ad936cce")

SMALL, LARGE, HALF = Fraction(1, 50), Fraction(49, 50), Fraction(1, 2)


def growing(window, eta, extra=0) -> GrowingStream:
    """As many rows as the logarithm asks for, and ``extra``; every stamp of them."""
    number = int(sympy.ceiling(sympy.log(window) / sympy.Rational(eta))) + extra
    return GrowingStream(window, number, eta, tuple(range(window - number + 1, window + 1)))


STREAM = growing(100, HALF)
"""log(100)/(1/2) = 9.2: ten rows."""


@conjecture_1.supports(
    "needed-checkpoints",
    grade="derived",
    region="every W and eta <= 1/2: no row of the last n can be skipped, and -log(1 - eta) <= 2 log(2) eta",
)
def test_a_growing_stream_needs_its_checkpoints(statement) -> None:
    """From each of the last n stamps to the next e falls by 1, so a stamp beyond the next one is not close.

    From W - n + 1 or earlier, where e = n - 1, a close stamp is W - n + 2 at most: the stamps are one of the first
    kind and all of W - n + 2, ..., W, at least n >= log(W)/eta. The largest K has the exponent n - 1 < log(W)/eta, and
    -log(1 - x)/x grows up to 2 log 2 < 2 at 1/2.
    """
    x = sympy.symbols("x", positive=True)
    slope = sympy.diff(-sympy.log(1 - x) / x, x) * x**2 - (x / (1 - x) + sympy.log(1 - x))
    assert sympy.simplify(slope) == 0
    assert sympy.simplify(sympy.diff(x / (1 - x) + sympy.log(1 - x), x) - x / (1 - x) ** 2) == 0, "and 0 at 0"
    assert 2 * sympy.log(2) < 2
    values = []
    for window, eta, extra in product((40, 100, 1000), (HALF, Fraction(1, 3), Fraction(1, 7)), (0, 1, 9)):
        p = growing(window, eta, extra)
        log, drop = sympy.log(window), sympy.log(1 - sympy.Rational(eta))
        margin = sympy.Min(len(p.stamps) - log / sympy.Rational(eta), 2 * log + (p.number - 1) * drop)
        values.append((p, margin.evalf(50)))
    bind(statement, values)
    kept = 0
    for size in range(1, 9):
        for stamps in combinations(range(1, 9), size):
            p = attrs.evolve(growing(8, HALF), stamps=stamps)
            if statement.applies(p) is Truth.TRUE:
                kept += 1
                assert statement.at(p) is Truth.TRUE
    assert growing(8, HALF).number == 5
    assert kept == 15, "1 to 4, some of them, then 5 to 8"
    assert statement.at(STREAM) is Truth.TRUE
    skipped = attrs.evolve(STREAM, stamps=(*STREAM.stamps[:4], *STREAM.stamps[5:]))
    late = attrs.evolve(STREAM, stamps=STREAM.stamps[1:])
    outside = {
        "window >= 2, an integer": attrs.evolve(STREAM, window=1, stamps=(1,), number=1),
        "number >= 1, an integer": attrs.evolve(STREAM, number=0),
        "eta > 0": attrs.evolve(STREAM, eta=0),
        "eta <= 1/2": attrs.evolve(STREAM, eta=Fraction(51, 100)),
        "n >= log(W)/eta": growing(100, HALF, -1),
        "n < log(W)/eta + 1": growing(100, HALF, 5),
        "stamps rise to W, the first at most W - n + 1, adjacent or close": skipped,
    }
    for inside in (STREAM, growing(400, SMALL), growing(2, HALF), attrs.evolve(STREAM, stamps=(1, *STREAM.stamps[1:]))):
        bind_hypotheses(statement, inside, outside)
    for says in list(outside)[4:]:
        assert statement.conclusion(outside[says]) is Truth.FALSE
    twice = (STREAM.stamps[0], *STREAM.stamps)
    for stamps in (late.stamps, STREAM.stamps[:-1], (0, *STREAM.stamps), (), STREAM.stamps[::-1], twice):
        assert statement.applies(attrs.evolve(STREAM, stamps=stamps)) is Truth.FALSE
    assert statement.applies(growing(8, SMALL)) is Truth.FALSE, "104 checkpoints do not fit into 8"
    assert statement.applies(growing(55, HALF)) is Truth.TRUE, "n = 9 is below 8.01 + 1"
    assert statement.applies(growing(20, HALF, 1)) is Truth.FALSE, "n = 7 is above 5.99 + 1"
    assert not statement.strict


def ladder(ratio, length, dimension=1, window=1024, power=1, eta=HALF) -> OrderedCheckpoints:
    """Multiples of the identity, each ``ratio`` times the next, the last of them I."""
    matrices = tuple(rational(ratio) ** (length - 1 - i) * diagonal((1,) * dimension) for i in range(length))
    return OrderedCheckpoints(matrices, eta, window, power, 7)


def mixed() -> OrderedCheckpoints:
    """Halve one of two directions at each second step."""
    pairs = [(8, 8), (8, 4), (4, 4), (4, 2), (2, 2), (2, 1), (1, 1)]
    matrices = tuple(fmpq(51, 50) ** (13 - i) * diagonal(pairs[i // 2]) for i in range(14))
    return OrderedCheckpoints(matrices, HALF, 16, 1, 7)


CHECKPOINTS = ladder(2, 11)


@theorem_14.supports(
    "checkpoints",
    grade="derived",
    region="every d, l, W, b and eta: det K(i+2) < (1 - eta) det K(i), and -log(1 - eta) >= eta",
)
def test_checkpoints_that_are_apart_are_few(statement) -> None:
    """K' <= K and not (1 - eta)K <= K': an eigenvalue of K^(-1/2)K'K^(-1/2) is below 1 - eta, and none exceeds 1.

    So its determinant, det K'/det K, is below 1 - eta. For i = 1, 3, ... up to l - 3 at least (l - 3)/2 such factors
    lead from det K(1) <= W^(bd) to a determinant of at least 1: l <= 3 + 2 b d log(W)/eta, and 3 <= (3/log 2) b d
    log(W)/eta, as W >= 2, b, d >= 1 and eta < 1. 2 + 3/log 2 < 7.
    """
    assert 2 + 3 / sympy.log(2) < 7
    x = sympy.symbols("x")
    assert sympy.simplify(sympy.diff(-sympy.log(1 - x) - x, x) - x / (1 - x)) == 0, "-log(1 - eta) >= eta"
    for length in range(4, 12):
        assert len(range(1, length - 2, 2)) >= (length - 3) / 2
    points = [
        ladder(ratio, length, d, window, power, eta)
        for ratio, length, d, window, power, eta in product(
            (2, Fraction(3, 2)), (1, 7), (1, 2), (16, 1000), (1, 3), (HALF, Fraction(1, 3))
        )
    ]
    values = []
    for p in (*points, mixed()):
        d, eta = p.matrices[0].nrows(), sympy.Rational(p.eta)
        values.append((p, (7 * p.power * d / eta * sympy.log(p.window) - len(p.matrices)).evalf(50)))
    bind(statement, values)
    inside = [p for p in (*points, mixed(), CHECKPOINTS) if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 20
    assert mixed() in inside
    assert all(statement.at(p) is Truth.TRUE for p in inside)
    turns = tuple(diagonal((4, 1) if i % 4 < 2 else (1, 4)) for i in range(40))
    outside = {
        "window >= 2, an integer": attrs.evolve(CHECKPOINTS, window=1, matrices=CHECKPOINTS.matrices[-1:]),
        "power >= 1, an integer": attrs.evolve(CHECKPOINTS, power=0, matrices=CHECKPOINTS.matrices[-1:]),
        "eta > 0": attrs.evolve(CHECKPOINTS, eta=0),
        "eta < 1": attrs.evolve(CHECKPOINTS, eta=1),
        "K(1) >= ... >= K(l), symmetric": OrderedCheckpoints(turns, HALF, 4, 1, 7),
        "no K(i) and K(i+2), i <= l - 3, are close": OrderedCheckpoints((diagonal((1, 1)),) * 40, HALF, 4, 1, 7),
        "all K(i) are between I and W^b I": ladder(4, 10, window=2),
    }
    for point in (CHECKPOINTS, mixed(), ladder(2, 1, window=2, eta=LARGE), ladder(2, 3, eta=SMALL)):
        bind_hypotheses(statement, point, outside)
    for says in list(outside)[4:]:
        others = [condition for condition in statement.given if condition.says != says]
        assert all(condition.at(outside[says]) is Truth.TRUE for condition in others)
        assert statement.conclusion(outside[says]) is Truth.FALSE
    for matrices in (
        (diagonal((1,)), diagonal((2,))),
        (diagonal((2000,)),),
        (diagonal((fmpq(49, 50),)),),
        (fmpq_mat([[2, 1], [0, 2]]),),
        ladder(Fraction(5, 4), 4).matrices,
        ladder(Fraction(7, 5), 4).matrices,
    ):
        assert statement.applies(attrs.evolve(CHECKPOINTS, matrices=matrices)) is Truth.FALSE
    assert statement.applies(ladder(Fraction(5, 4), 3)) is Truth.TRUE, "the last triple is not compared"
    assert not statement.strict
    assert [one.exhibited for one in statement.exists] == [7]


TREES = Trees(100, 3, HALF, 27, 2)
"""6 log(100) = 27.6."""


@theorem_18.supports("space", grade="derived", region="every W, d, eta and l: 2l - 1 < 2 (d/eta) log W")
def test_trees_over_checkpoints(statement) -> None:
    window, d, eta, leaves, constant = sympy.symbols("window dimension eta checkpoints constant", positive=True)
    count = d / eta * sympy.log(window)
    formula = sympy.sqrt(window) * d**2 * (constant * count - (2 * leaves - 1))
    assert sympy.expand((formula - (2 * (count - leaves) + 1) * sympy.sqrt(window) * d**2).subs(constant, 2)) == 0
    bind_expression(statement, formula, points=[TREES])
    assert statement.at(TREES) is Truth.TRUE
    outside = {
        "window >= 2, an integer": attrs.evolve(TREES, window=1),
        "dimension >= 1, an integer": attrs.evolve(TREES, dimension=0),
        "eta > 0": attrs.evolve(TREES, eta=0),
        "eta < 1": attrs.evolve(TREES, eta=1),
        "checkpoints >= 1, an integer": attrs.evolve(TREES, checkpoints=0),
        "l <= (d/eta) log W": attrs.evolve(TREES, checkpoints=29),
    }
    for inside in (TREES, Trees(3, 1, LARGE, 1, 2), Trees(2, 1, SMALL, 34, 2)):
        bind_hypotheses(statement, inside, outside)
    assert statement.conclusion(outside["l <= (d/eta) log W"]) is Truth.FALSE, "57 nodes for 55.3"
    assert statement.applies(attrs.evolve(TREES, checkpoints=28)) is Truth.FALSE
    assert (
        statement.exhibits(constant=Fraction(19, 10)).at(attrs.evolve(TREES, constant=Fraction(19, 10))) is Truth.FALSE
    )
    assert not statement.strict
    assert [one.exhibited for one in statement.exists] == [2]
