"""Theorem 19 of `sliding-window`: coefficients of columns of Y, and what (46) says of entries."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.loewner import squared_norm
from dpmatrix.spec.sliding_window.lower_bound_construction import Planted, planted
from dpmatrix.spec.sliding_window.lower_bound_proof import CHAIN, Chain, columns, psi, tau
from dpmatrix.spec.sliding_window.planted_coefficients import AdditiveError, Coefficients, OffDiagonal
from dpmatrix.tracing import bind_expression
from proofs_checks.steps import by_step

theorem_19 = cite("sliding-window.theorem-19@9132f892")

HUNDREDTH = Fraction(1, 100)
EDGE = OffDiagonal(3, 2, 5)
"""4 + 5 = 9 = Psi."""


@theorem_19.supports("off-diagonal", grade="derived", region="every Psi >= 1: one square is at most the sum")
@theorem_19.refutes(
    "squares-off-diagonal", grade="symbolic", region="Psi = 10^6 and an entry 40; a B near Alice's and Bob's A, k = 2"
)
def test_psi_bounds_the_squares(statements) -> None:
    """From e^2 <= e^2 + others <= Psi and sqrt(Psi) >= 0: e <= |e| <= sqrt(Psi).

    B is the A of W = 6, a = k = 2, l = theta = 1, all of whose columns are in C, with 100 in place of a zero of the
    block: of rank k, at a squared distance of 10^4 <= Psi, where sqrt(Psi) < 10^4.
    """
    by_name = by_step(statements)
    entries, squares = by_name["off-diagonal"], by_name["squares-off-diagonal"]
    root, entry = sympy.symbols("root entry")
    bind_expression(entries, root - entry, points=[EDGE])
    bind_expression(squares, root - entry**2, points=[EDGE])
    assert squares.at(OffDiagonal(1000, 40, 0)) is Truth.FALSE
    chain = Chain(6, 4, 2, 1, 1, Fraction(1, 20), 1)
    assert all(condition.at(chain) is Truth.TRUE for condition in CHAIN)
    signs = fmpq_mat([[1, 1], [1, -1], [-1, 1], [1, 1]])
    original = planted(Planted(signs, chain.blocks, chain.theta, chain.rank, 2 * psi(chain) ** 2), chain.theta)
    other = fmpq_mat(original)
    other[0, 1] += 100
    assert (original.ncols(), original.nrows()) == (columns(chain), chain.window)
    assert other.rank() == chain.rank
    assert squared_norm(original - other) == 10**4 <= tau(chain) + 10**4 <= psi(chain) < 10**8
    assert squares.at(OffDiagonal(math.isqrt(int(psi(chain))), other[0, 1], 0)) is Truth.FALSE
    assert squares.at(EDGE) is Truth.FALSE
    assert squares.at(OffDiagonal(9, 3, 0)) is Truth.TRUE
    full = OffDiagonal(3, 3, 0)
    assert entries.at(full) is Truth.TRUE
    assert entries.margin(full) == 0
    found = [
        OffDiagonal(root, Fraction(k, 2), others)
        for root, k, others in product((1, Fraction(3, 2), 7), range(-14, 15), (0, Fraction(1, 3), 8))
    ]
    inside = [p for p in found if entries.applies(p) is Truth.TRUE]
    assert len(inside) > 40
    assert all(entries.at(p) is Truth.TRUE for p in inside)
    outside = {
        "root >= 1": OffDiagonal(Fraction(49, 50), 0, 0),
        "others >= 0": OffDiagonal(3, 2, -HUNDREDTH),
        "(46): the squares sum to Psi at most": attrs.evolve(EDGE, others=5 + HUNDREDTH),
    }
    for statement in by_name.values():
        assert not statement.strict
        for point in (EDGE, full, OffDiagonal(1, -1, 0)):
            bind_hypotheses(statement, point, outside)
        assert statement.applies(OffDiagonal(3, Fraction(-31, 10), 0)) is Truth.FALSE


@theorem_19.controls("off-diagonal", grade="symbolic", region="(46) dropped; half of sqrt(Psi)")
def test_entries_need_46(statement) -> None:
    assert statement.without("(46): the squares sum to Psi at most").at(OffDiagonal(3, 4, 0)) is Truth.FALSE
    assert statement.without("others >= 0").at(OffDiagonal(3, 4, -8)) is Truth.FALSE
    halved = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, root=Fraction(p.root) / 2)))
    assert halved.at(OffDiagonal(3, 3, 0)) is Truth.FALSE


ROW = Coefficients(2, (9, -1), (2, Fraction(-3, 2)), 17, Fraction(-3, 2))
"""Psi = 4, k = 3: 9 * 2 + 3/2 >= 16."""
ONE = Coefficients(2, (8,), (2,), 16, 2)
"""8 * 2 = 16 = Psi^2, and 8 = Psi^2/sqrt(Psi)."""
POINTS = [
    Coefficients(root, tuple(Fraction(a, 3) for a in some), tuple(Fraction(y, 5) for y in entries), diagonal, other)
    for root, (some, entries), diagonal, other in product(
        (1, Fraction(3, 2)),
        (((30,), (5,)), ((30, -31), (5, -4)), ((29, 7, 8), (5, 0, 3)), ((90, -9, 4, 70), (2, 2, 2, 2))),
        (1, 6, 30),
        (0, Fraction(-9, 10)),
    )
]
WIDE = attrs.evolve(ONE, coefficients=(1,), entries=(16,))
COEFFICIENTS_OUTSIDE = {
    "root >= 1": attrs.evolve(ONE, root=Fraction(49, 50), entries=(0,)),
    "|Y_ij| <= sqrt(Psi), one for each coefficient": attrs.evolve(ONE, entries=(2 + HUNDREDTH,)),
}


@theorem_19.supports("large-coefficient", grade="derived", region="every k and Psi: derivation below")
@theorem_19.supports("largest-term", grade="derived", region="every k and Psi: multiply by |a|")
def test_coefficients_of_a_column(statements) -> None:
    """With the largest |a| the sum of the a_j Y_ij is at most (k - 1)|a| sqrt(Psi), hence |a| >= Psi^2/(k sqrt(Psi)).

    |a Y_jj| >= |a| Psi^2 is Y_jj >= Psi^2 times |a|, and |a_j Y| <= |a| |Y| <= |a| sqrt(Psi).
    """
    by_name = by_step(statements)
    large, terms = by_name["large-coefficient"], by_name["largest-term"]
    root, size, k = sympy.symbols("root size k", positive=True)
    assert sympy.simplify(root**4 / (k * root) - root**3 / k) == 0
    assert sympy.simplify(size - root**3 / k - ((k * size * root - root**4) / (k * root))) == 0

    def most(p: Coefficients) -> Fraction:
        return max(abs(Fraction(a)) for a in p.coefficients)

    def slack(p: Coefficients) -> Fraction:
        on = most(p) * (abs(Fraction(p.diagonal)) - Fraction(p.root) ** 4)
        off = most(p) * p.root - max(abs(a * Fraction(p.other)) for a in p.coefficients)
        return min(on, off)

    bind(large, ((p, most(p) - Fraction(p.root) ** 3 / (len(p.coefficients) + 1)) for p in POINTS))
    bind(terms, ((p, slack(p)) for p in POINTS))
    assert len({slack(p) == most(p) * (p.diagonal - Fraction(p.root) ** 4) for p in POINTS}) == 2, "both decide"
    for statement in by_name.values():
        inside = [p for p in (*POINTS, ROW, ONE) if statement.applies(p) is Truth.TRUE]
        assert len(inside) > 12
        assert all(statement.at(p) is Truth.TRUE for p in inside)
        assert not statement.strict
        assert statement.applies(attrs.evolve(ROW, entries=(2,))) is Truth.FALSE
        assert statement.applies(attrs.evolve(ROW, entries=(), coefficients=())) is Truth.FALSE
        assert statement.applies(attrs.evolve(ROW, entries=(2, -2 - HUNDREDTH))) is Truth.FALSE
    assert terms.margin(ONE) == 0
    assert large.margin(ONE) == 4, "8 - 16/(2 * 2): k in place of k - 1"
    sums = {"sum of a_j Y_ij >= Psi^2": attrs.evolve(ONE, coefficients=(8 - HUNDREDTH,))}
    sizes = {
        "Y_jj >= Psi^2": attrs.evolve(ONE, diagonal=16 - HUNDREDTH),
        "|Y| <= sqrt(Psi) off the diagonal": attrs.evolve(ONE, other=-2 - HUNDREDTH),
    }
    least = Coefficients(1, (1,), (1,), 1, 1)
    long = {"|Y_ij| <= sqrt(Psi), one for each coefficient": WIDE}
    for point in (ROW, ONE, least):
        bind_hypotheses(large, point, COEFFICIENTS_OUTSIDE | sums | long)
        bind_hypotheses(terms, point, COEFFICIENTS_OUTSIDE | sizes)
    assert large.applies(attrs.evolve(ROW, coefficients=(7, 1))) is Truth.FALSE, "14 - 3/2 < 16"


@theorem_19.controls("large-coefficient", grade="symbolic", region="the sum dropped; larger entries; twice the bound")
@theorem_19.controls("largest-term", grade="symbolic", region="a smaller diagonal; a larger entry")
def test_premises_on_coefficients_are_needed(statements) -> None:
    by_name = by_step(statements)
    large, terms = by_name["large-coefficient"], by_name["largest-term"]
    assert large.without("sum of a_j Y_ij >= Psi^2").at(attrs.evolve(ONE, coefficients=(1,))) is Truth.FALSE
    assert large.without("|Y_ij| <= sqrt(Psi), one for each coefficient").at(WIDE) is Truth.FALSE
    doubled = large.nudged(margin=lambda p: large.formula(p) - 5)
    assert doubled.at(ONE) is Truth.FALSE, "more than twice Psi^2/(k sqrt(Psi))"
    assert terms.without("Y_jj >= Psi^2").at(attrs.evolve(ONE, diagonal=15)) is Truth.FALSE
    assert terms.without("|Y| <= sqrt(Psi) off the diagonal").at(attrs.evolve(ONE, other=3)) is Truth.FALSE


ERROR = AdditiveError(5, 3, 7, 1)
"""7 <= 5 + 3 <= 2 * 5."""
SIZE = "tau <= b (W + d)"


@theorem_19.supports("additive-error", grade="derived", region="every b, W, d <= W: W + d <= 2W, times b")
def test_the_additive_error_is_linear_in_the_window(statement) -> None:
    """2 b W - tau is b (W + d) - tau plus b (W - d), and neither is negative."""
    window, dimension, error, factor = sympy.symbols("window dimension error factor")
    rest = 2 * factor * window - error - (factor * (window + dimension) - error) - factor * (window - dimension)
    assert sympy.expand(rest) == 0
    bind_expression(statement, 2 * factor * window - error, points=[ERROR])
    found = [
        AdditiveError(window, dimension, Fraction(error, 2), factor)
        for window, dimension, error, factor in product((2, 7), (1, 2, 7), range(-1, 60, 6), (0, Fraction(1, 3), 1, 9))
    ]
    inside = [p for p in found if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 50
    assert all(statement.at(p) is Truth.TRUE for p in (*inside, ERROR))
    full = AdditiveError(4, 4, 8, 1)
    assert statement.margin(full) == 0
    assert not statement.strict
    outside = {
        "window >= 2, an integer": attrs.evolve(ERROR, window=1),
        "dimension >= 1, an integer": attrs.evolve(ERROR, dimension=0),
        "factor >= 0": attrs.evolve(ERROR, factor=-HUNDREDTH),
        "d <= W": attrs.evolve(ERROR, dimension=6),
        SIZE: attrs.evolve(ERROR, error=8 + HUNDREDTH),
    }
    for point in (ERROR, full, AdditiveError(2, 1, 0, 0)):
        bind_hypotheses(statement, point, outside)


@theorem_19.controls("additive-error", grade="symbolic", region="d above W; a larger error; b W in place of 2 b W")
def test_the_additive_error_needs_a_long_window(statement) -> None:
    assert statement.without("d <= W").at(AdditiveError(5, 9, 14, 1)) is Truth.FALSE
    assert statement.without(SIZE).at(attrs.evolve(ERROR, error=11)) is Truth.FALSE
    assert statement.without("factor >= 0").at(AdditiveError(5, 3, -9, -1)) is Truth.FALSE
    halved = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, factor=Fraction(p.factor) / 2)))
    assert halved.at(ERROR) is Truth.FALSE
