"""Theorem 19 of `sliding-window`: the error of the planted matrix and the budget of its approximation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.lower_bound_proof import Chain
from dpmatrix.tracing import bind_expression
from proofs_checks.sliding_window.lower_bound_columns import BLOCKS, COLUMNS, DIMENSION, ETA, RANK, WINDOW, columns
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@9132f892")

CHAINS = [
    Chain(w, d, k, l, theta, eta, c)
    for (w, d), k, l, theta, (eta, c) in product(
        ((900, 90), (10**5, 400)), (1, 3), (4, 7), (1, 2, 4), ((Fraction(1, 3), 1), (Fraction(9, 10), 20))
    )
]
CORNER = Chain(2, 1, 1, 1, 1, Fraction(1, 2), 1)
CHAIN_OUTSIDE = {
    "window >= 2, an integer": attrs.evolve(CORNER, window=1),
    "dimension >= 1, an integer": attrs.evolve(CORNER, dimension=0),
    "rank >= 1, an integer": attrs.evolve(CORNER, rank=0),
    "blocks >= 1, an integer": attrs.evolve(CORNER, blocks=-1),
    "theta >= 1, an integer": attrs.evolve(CORNER, theta=0),
    "theta <= l": attrs.evolve(CORNER, theta=2),
    "eta > 0": attrs.evolve(CORNER, eta=0),
    "eta < 1": attrs.evolve(CORNER, eta=1),
    "a <= d/2": attrs.evolve(CORNER, eta=Fraction(1, 11)),
    "a < W": attrs.evolve(CORNER, eta=Fraction(1, 40), dimension=9),  # a = W
}
NARROW = Chain(1000, 1, 1, 19_000, 1, Fraction(24, 25), 1)
"""One column, and a = 990 of 1000 rows: tau is 10.5 and Psi 356."""
TALL = Chain(2, 10_102, 1, 100_000, 1, Fraction(99, 100), 1)
"""Two rows, and a = 5050: W - a is so far below zero that Psi is too."""
NEEDED = {
    "error-second-line": {
        "a <= d/2": attrs.evolve(NARROW, blocks=9600),  # a = W/2: 2 W d is 2000, and (W-a) a is 250 000
        "a < W": Chain(2, 200, 1000, 1, 1, Fraction(1, 2), 1),
    },
    "large-psi": {"a <= d/2": NARROW, "a < W": TALL},
    "large-tau": {"a <= d/2": NARROW},
    "large-root": {"a < W": TALL},
}
"""Of single steps: points that violate one hypothesis alone, and at which the step is false."""


UNIT = 100 ** sympy.Symbol("theta")
TAU = 2 * UNIT * WINDOW * DIMENSION / BLOCKS
SHARE = UNIT * RANK * (WINDOW - COLUMNS) * (sympy.Rational(1, 10) + sympy.Rational(1, 99))
PSI = 4 * UNIT * WINDOW * DIMENSION / BLOCKS + SHARE + 2 * TAU**2


def powers(p: Chain) -> int:
    return sum(100**block for block in range(1, p.theta))


def remainder(p: Chain) -> Fraction:
    lines = p.window - columns(p)
    width = columns(p) / p.blocks
    taken = (width - p.rank) * lines * 100**p.theta + width * lines * powers(p)
    allowed = Fraction(100**p.theta * p.rank, 5) * lines + p.constant * 100**p.theta * columns(p)
    tau = 2 * 100**p.theta * Fraction(p.window * p.dimension, p.blocks)
    share = 100**p.theta * p.rank * lines * (Fraction(1, 10) + Fraction(1, 99))
    return allowed - 2 * tau - share - 2 * tau**2 + taken


AT_POINTS = {"geometric-sum": lambda p: Fraction(100**p.theta, 99) - powers(p), "columns-of-c": remainder}
"""Sums with theta terms have no expression for every theta."""

FORMULAS = {
    "error-second-line": TAU - UNIT * (WINDOW - COLUMNS) * (COLUMNS * sympy.Rational(100, 99) - RANK) / BLOCKS,
    "multiplicative-part": SHARE - 2 * ETA * TAU,
    "third-line": UNIT * RANK * (WINDOW - COLUMNS) * (sympy.Rational(1, 5) - sympy.Rational(109, 990)),
    "large-psi": PSI - 40 * RANK * WINDOW,
    "large-tau": TAU - 20 * RANK * WINDOW,
    "large-root": PSI - UNIT,
    "fraction": RANK * (WINDOW - COLUMNS) * (sympy.Rational(109, 990) - sympy.Rational(1, 5)),
}


@theorem_19.supports("geometric-sum", grade="derived", region="every theta: (100^theta - 100)/99")
@theorem_19.supports("error-second-line", grade="derived", region="every parameter: a (100/99) <= 2d")
@theorem_19.supports("third-line", grade="derived", region="every parameter: 109/990 <= 1/5")
@theorem_19.supports("large-psi", grade="derived", region="every parameter: d/l >= 2a/l = k/(10 eta)")
@theorem_19.supports(
    "large-tau", grade="derived", region="every parameter: tau = 2 100^theta W d/l >= 100^theta W k/(5 eta)"
)
@theorem_19.supports("large-root", grade="derived", region="every parameter: 2 tau^2 >= 2 (2/5)^2 100^(2 theta)")
@theorem_19.refutes(
    "multiplicative-part",
    grade="symbolic",
    region="48 points: W = 900 and 10^5, k = 1, 3, l = 4, 7, theta = 1, 2, 4, eta = 1/3, 9/10",
)
@theorem_19.refutes("columns-of-c", grade="derived", region="every c, by W = 900 c, rounded up")
@theorem_19.refutes("fraction", grade="derived", region="every parameter: 1/5 > 109/990")
def test_the_budget_of_the_error(statements) -> None:
    """With u = 100^theta/l: the second line is at most a W u (1 + 1/99) <= d W u, as a <= d/2; it may be 2 d W u.

    Psi >= 4 * 100 W d/l >= 400 W k/(10 eta) >= 40 k W, and tau is half of the first term, at least 100^theta W k/5, so
    that Psi >= 2 tau^2 >= 2 (2/5)^2 100^(2 theta) >= 32 * 100^theta. With d >= 2a = k l/(10 eta), 2 eta tau =
    4 eta u W d is at least (2/5) 100^theta k W, more than 109/990 of it.

    Every c of "columns-of-c": Psi has 2 tau^2 >= 2 (2/5)^2 100^(2 theta) k^2 W^2, and the rest of the inequality is at
    most 100^theta (2 d W/l + k W/5 + c d): for d, k, l, theta and eta fixed, W^2 outgrows W and c at W >= 900 c.
    """
    by_name = by_step(statements)
    assert by_name.keys() == FORMULAS.keys() | AT_POINTS.keys()
    for name, statement in by_name.items():
        if name in FORMULAS:
            bind_expression(statement, FORMULAS[name])
        else:
            bind(statement, ((p, AT_POINTS[name](p)) for p in CHAINS))
        assert not statement.strict
        half = attrs.evolve(CORNER, eta=Fraction(1, 10))  # a = d/2
        for inside in (CORNER, half, Chain(50, 40, 2, 3, 3, Fraction(1, 50), Fraction(1, 50))):
            bind_hypotheses(statement, inside, CHAIN_OUTSIDE | NEEDED.get(name, {}))
        for says, outside in NEEDED.get(name, {}).items():
            assert statement.without(says).at(outside) is Truth.FALSE
        sound = name not in ("multiplicative-part", "columns-of-c", "fraction")
        for p in (*CHAINS, CORNER):
            if statement.applies(p) is Truth.TRUE:
                assert (statement.at(p) is Truth.TRUE) is sound
    theta = sympy.symbols("theta", positive=True, integer=True)
    block = sympy.symbols("block")
    assert sympy.simplify(sympy.summation(100**block, (block, 1, theta - 1)) - (100**theta - 100) / 99) == 0
    assert Fraction(1, 10) + Fraction(1, 99) == Fraction(109, 990) < Fraction(1, 5) < Fraction(2, 5)
    u, w, k, l, eta, over = sympy.symbols("u w k l eta over", positive=True)
    wide = k * l / (10 * eta) + over  # d = 2a + over, u = 100^theta
    rest = 2 * u * w * wide / l - u * w * k / 5
    assert sympy.expand(rest - u * w * (k * (1 - eta) / (5 * eta) + 2 * over / l)) == 0
    assert 2 * Fraction(2, 5) ** 2 * 100 == 32, "k >= 1, W >= 2, and 100^(2 theta) >= 100 * 100^theta"
    by_name["columns-of-c"].refute(
        lambda constant: attrs.evolve(CHAINS[0], window=900 * int(rational(constant).ceil()), constant=constant)
    )
