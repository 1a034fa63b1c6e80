"""Item 2 of Theorems 17 and 18 of `sliding-window`: the noise of a window in the tree, and of sub-windows."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import real
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import tree_errors as module
from dpmatrix.spec.sliding_window.tree_errors import SubWindows, TreeWindow, tree_constant

theorem_17 = cite("sliding-window.theorem-17@96889bd7")
theorem_18 = cite("sliding-window.theorem-18@ad936cce")

MILLIONTH, SMALL, LARGE = Fraction(1, 10**6), Fraction(1, 50), Fraction(49, 50)
HALF = Fraction(1, 2)


def printed(p):
    """Compute d + 14 log(1/delta)/eps^2."""
    return p.dimension - 14 * mpmath.log(real(p.delta)) / real(p.epsilon) ** 2


def tree(d: int, epsilon, delta, window: int, *, nodes: int | None = None, power: int = 1) -> TreeWindow:
    """Give as many nodes as there may be, if no number is given, and the integer part for tau_0."""
    degrees = int(mpmath.floor(d - 14 * mpmath.log(real(delta)) / real(epsilon) ** 2))
    most = 2 * (window - 1).bit_length() + 1
    return TreeWindow(d, epsilon, delta, degrees, window, nodes or most, power, tree_constant(power))


def disjoint_nodes(begin: int, end: int, height: int) -> list[range]:
    """Cover the leaves from ``begin`` to ``end`` (not included) by dyadic parts of blocks of 2^height leaves."""
    found = []
    while begin < end:
        size = height
        while begin % (1 << size) or begin + (1 << size) > end:
            size -= 1
        found.append(range(begin, begin + (1 << size)))
        begin += 1 << size
    return found


BASE = tree(2, 100, HALF, 2)
"""tau_0 = 2, three nodes, and tau = 2.001 log^(3/2) 2 = 1.155: the noise is Wis_2(6)."""
INTEGER, COVER = "tau_0 is the integer part of d + 14 log(1/delta)/eps^2", "m <= 2h + 1"


@theorem_17.supports(
    "item-2",
    grade="derived",
    region="every d, W >= 2, eps, delta and k, c = 396 (1 + k): derivation below; the tail of lambda_1 is cited",
)
def test_the_noise_of_a_window_in_the_tree(statement) -> None:
    """A window of at most 2^h leaves ends one block of 2^h and begins the next, or lies in one: h nodes on each side.

    The sum of m independent Wis_d(n, 1) is Wis_d(mn, 1), semidefinite, and grows with m; let q = 2h + 1 and t = d + 14
    log(1/delta)/eps^2, so that n <= t, t > 2 and q n >= max(3, d). By equation-37 its largest eigenvalue exceeds (6 +
    6k) q n log(q n) <= (6 + 6k) q t log(q t) with probability d^-k at most. With a = log(W)^(3/2), tau = a t, and the
    quotient q t log(q t)/(tau log tau) is q/a times log(q t)/log(a t): at most 1 where q <= a; else it falls as t
    grows, and as a does, and is at most its value at t = 2 and the least W > 2^(h-1), which is below 66, at h = 1. From
    h = 18 on a >= q.
    """
    for height in range(1, 6):
        leaves = range(1 << height)
        windows = [(first, first + size) for first in leaves for size in (*leaves[1:], 1 << height)]
        covers = [disjoint_nodes(first, last, height) for first, last in windows]
        assert max(map(len, covers)) <= 2 * height + 1
        assert all([x for part in c for x in part] == list(range(*w)) for c, w in zip(covers, windows, strict=True))
    q, a, t = sympy.symbols("q a t", positive=True)
    slope = sympy.diff(sympy.log(q * t) / sympy.log(a * t), t)
    assert sympy.simplify(slope - (sympy.log(a * t) - sympy.log(q * t)) / (t * sympy.log(a * t) ** 2)) == 0
    quotients = []
    for height in range(1, 18):
        least, most = arb((1 << (height - 1)) + 1).log(), 2 * height + 1
        width = least * least.sqrt()
        assert 2 * width > 1
        if not width > most:
            quotients.append(most / width * (2 * arb(most)).log() / (2 * width).log())
    assert max(quotients, key=arb.mid) < 66
    height = sympy.symbols("h", positive=True)
    beyond = (height + 17) * sympy.log(2)
    assert beyond.subs(height, 0) ** 3 > (2 * 18 + 1) ** 2
    rest = sympy.diff((height + 17) ** 3 * sympy.Rational(33, 100) - (2 * (height + 18) + 1) ** 2, height, 2)
    assert sympy.Rational(33, 100) < sympy.log(2) ** 3
    assert sympy.expand(rest).coeff(height, 1) > 0
    assert rest.subs(height, 0) > 0
    assert sympy.diff((height + 17) ** 3 * sympy.Rational(33, 100) - (2 * (height + 18) + 1) ** 2).subs(height, 0) > 0
    assert [tree_constant(k) for k in range(4)] == [66 * (6 + 6 * k) for k in range(4)]
    values = []
    with mpmath.workdps(60):
        for epsilon, window, nodes, constant in product((2, 4, 100), (2, 3, 40), (1, 3), (HALF, 2, 20)):
            p = attrs.evolve(tree(1, epsilon, HALF, window, nodes=nodes), constant=constant)
            tau = printed(p) * mpmath.log(window) ** 1.5
            bound = real(constant) * tau * mpmath.log(tau)
            if bound > 0:
                freedom = mpmath.mpf(nodes * p.degrees)
                values.append((p, mpmath.gammainc(freedom / 2, 0, bound / 2, regularized=True)))
        bind(statement, [(p, mpmath.nstr(value, 50)) for p, value in values])
    assert any(real(SMALL) < value < real(LARGE) for _, value in values), "here the bound decides"
    assert statement.at(BASE) is Truth.TRUE
    points = [
        tree(d, epsilon, delta, window, power=power)
        for d, epsilon, delta, window, power in product((2, 3), (10, 100), (HALF, MILLIONTH), (2, 3, 100), (0, 1, 3))
    ]
    assert all(statement.at(p) is Truth.TRUE for p in points)
    assert not statement.strict
    outside = {
        "dimension >= 2, an integer": attrs.evolve(BASE, dimension=1),
        "epsilon > 0": attrs.evolve(BASE, epsilon=0),
        "delta > 0": attrs.evolve(BASE, delta=0),
        "delta < 1": attrs.evolve(BASE, delta=1),
        "degrees >= 1, an integer": attrs.evolve(BASE, degrees=0),
        "window >= 2, an integer": attrs.evolve(BASE, window=1),
        "nodes >= 1, an integer": attrs.evolve(BASE, nodes=0),
        "power >= 0, an integer": attrs.evolve(BASE, power=-1),
        INTEGER: attrs.evolve(BASE, degrees=600),
        COVER: attrs.evolve(BASE, nodes=300),
    }
    for inside in (BASE, tree(2, SMALL, LARGE, 2, nodes=1, power=0), tree(5, 1, LARGE, 9, nodes=9)):
        bind_hypotheses(statement, inside, outside)
    for other in (
        attrs.evolve(BASE, degrees=1),
        attrs.evolve(BASE, degrees=3),
        attrs.evolve(BASE, nodes=4),
        tree(2, 100, HALF, 32, nodes=12),
    ):
        assert statement.applies(other) is Truth.FALSE


@theorem_17.controls("item-2", grade="interval", region="c = 15 (1 + k); 300 nodes; tau_0 = 600")
def test_larger_noise_in_the_tree_is_noticed(statement) -> None:
    smaller = attrs.evolve(BASE, constant=30)
    assert statement.exhibits(constant=lambda power: 15 * (1 + power)).at(smaller) is Truth.FALSE
    assert statement.without(COVER).at(attrs.evolve(BASE, nodes=300)) is Truth.FALSE
    assert statement.without(INTEGER).at(attrs.evolve(BASE, degrees=600)) is Truth.FALSE


FULL = SubWindows(1, 1, HALF, 0, 1, (5, 7), (5, 7))


def one_error(p: SubWindows):
    """Compute tau_0 log tau_0."""
    return printed(p) * mpmath.log(printed(p))


def slack(p: SubWindows):
    tau = printed(p) * mpmath.mpf(len(p.sums)) ** 1.5
    error = real(p.constant) * tau * mpmath.log(tau)
    low, high = real(sum(p.outputs)) - real(sum(p.sums)), real(Fraction(sum(p.sums)) / (1 - Fraction(p.eta)))
    return min(low + error, high - real(sum(p.outputs)) + error)


EACH = "each sub-window has its bounds"


@theorem_18.supports(
    "item-2", grade="derived", region="every W = n^2, d, eps, delta, eta and c: sums of n bounds, and n <= n^(3/2)"
)
def test_the_error_of_sub_windows(statement) -> None:
    """The sums of n = sqrt(W) lower and of n upper bounds have the error n c tau_0 log tau_0, with the same eta.

    As tau_0 >= 1 and W >= 1, tau log tau = n^(3/2) tau_0 (log tau_0 + (3/2) log n) is at least n tau_0 log tau_0. The
    sub-windows partition the window, so that the sum of their A_j'A_j is A_W'A_W.
    """
    n, size = sympy.symbols("n size", positive=True)
    tau = size * n ** sympy.Rational(3, 2)
    rest = tau * (sympy.log(size) + sympy.Rational(3, 2) * sympy.log(n)) - n * size * sympy.log(size)
    parts = n * size * sympy.log(size) * (sympy.sqrt(n) - 1) + tau * sympy.Rational(3, 2) * sympy.log(n)
    assert sympy.simplify(sympy.expand(rest - parts)) == 0
    points = [
        SubWindows(d, epsilon, delta, eta, constant, sums, tuple(x + off for x in sums))
        for (d, epsilon, delta), eta, constant, sums, off in product(
            ((1, 1, HALF), (3, 2, MILLIONTH)), (0, HALF), (0, SMALL, 1), ((5,), (4, 9), (0, 1, 2, 30)), (-1, 0, 1, 99)
        )
    ]
    with mpmath.workdps(60):
        bind(statement, ((p, slack(p)) for p in points))
    inside = [p for p in points if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 60
    assert all(statement.at(p) is Truth.TRUE for p in inside)
    assert not statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(FULL, dimension=0),
        "epsilon > 0": attrs.evolve(FULL, epsilon=0),
        "delta > 0": attrs.evolve(FULL, delta=0),
        "delta < 1": attrs.evolve(FULL, delta=1),
        "eta >= 0": attrs.evolve(FULL, eta=-SMALL),
        "eta < 1": attrs.evolve(FULL, eta=1),
        "constant >= 0": attrs.evolve(FULL, constant=-SMALL),
        EACH: attrs.evolve(FULL, outputs=(5, 70)),
    }
    for point in (FULL, attrs.evolve(FULL, epsilon=SMALL, delta=LARGE, eta=LARGE), attrs.evolve(FULL, constant=0)):
        bind_hypotheses(statement, point, outside)
    assert statement.applies(attrs.evolve(FULL, outputs=(5, 32))) is Truth.TRUE, "tau_0 log tau_0 is 25.4"
    assert statement.applies(attrs.evolve(FULL, outputs=(5, 34))) is Truth.FALSE
    for wrong in (attrs.evolve(FULL, outputs=(5,)), attrs.evolve(FULL, sums=(), outputs=())):
        assert statement.applies(wrong) is Truth.FALSE


@theorem_18.controls("item-2", grade="interval", region="W^(1/4) for W^(3/4); a sub-window that misses its bounds")
def test_a_smaller_error_of_sub_windows_is_noticed(statement) -> None:
    with mpmath.workdps(30):
        lost = int(one_error(FULL))
    many = attrs.evolve(FULL, sums=(lost,) * 100, outputs=(0,) * 100)
    assert statement.at(many) is Truth.TRUE
    slower = redefined(statement, module, "power_growth", lambda p: arb(len(p.sums)).sqrt())
    assert slower.at(many) is Truth.FALSE
    assert statement.without(EACH).at(attrs.evolve(FULL, outputs=(5, 7000))) is Truth.FALSE
