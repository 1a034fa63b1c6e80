"""Appendix C of `sliding-window`: drops of singular values, space, and Lemma 10 as a case of Lemma 1."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import stated_counts
from dpmatrix.spec.sliding_window.stated_counts import Checkpoints, Drops, Threshold
from dpmatrix.tracing import bind_expression

lemma_10 = cite("sliding-window.lemma-10@2a6685a9")
theorem_14 = cite("sliding-window.theorem-14@763b3875")

SMALL, LARGE = Fraction(1, 50), Fraction(49, 50)
MANY = Drops(3, 6, 100, 1, Fraction(1, 2))
"""2^6 <= 100 < 2^7."""


@theorem_14.supports("drops", grade="derived", region="every d, n, W, b and eta: -log(1 - eta) >= eta")
def test_drops_of_singular_values(statement) -> None:
    """From n (-log(1 - eta)) <= b log W and -log(1 - eta) >= eta: n <= (b/eta) log W, for each of d values.

    -log(1 - x) - x is 0 at 0 and has the derivative x/(1 - x) >= 0.
    """
    x = sympy.symbols("x")
    assert sympy.simplify(sympy.diff(-sympy.log(1 - x) - x, x) - x / (1 - x)) == 0
    dimension, number, window, power, eta = sympy.symbols("dimension number window power eta")
    formula = dimension * (power * sympy.log(window) / eta - number)
    bind_expression(statement, formula, points=[MANY])
    found = [
        Drops(d, n, w, b, bend)
        for d, n, w, b, bend in product(
            (1, 4), range(0, 40, 3), (2, 1000), (SMALL, 1, 3), (SMALL, Fraction(1, 3), LARGE)
        )
    ]
    inside = [p for p in found if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 50
    assert all(statement.at(p) is Truth.TRUE for p in (*inside, MANY))
    assert not statement.strict
    outside = {
        "dimension >= 1, an integer": attrs.evolve(MANY, dimension=0),
        "number >= 0, an integer": attrs.evolve(MANY, number=-1),
        "window >= 2, an integer": attrs.evolve(MANY, window=1, number=0),
        "power > 0": attrs.evolve(MANY, power=0),
        "eta > 0": attrs.evolve(MANY, eta=0),
        "eta < 1": attrs.evolve(MANY, eta=1),
        "n drops stay in the range": attrs.evolve(MANY, number=7),
    }
    for point in (MANY, Drops(1, 0, 2, SMALL, SMALL), Drops(1, 1, 100, 1, LARGE)):
        bind_hypotheses(statement, point, outside)


@theorem_14.controls("drops", grade="interval", region="the range dropped; half of the bound at eta = 1/50")
def test_drops_need_a_range(statement) -> None:
    assert statement.without("n drops stay in the range").at(attrs.evolve(MANY, number=10)) is Truth.FALSE
    close = Drops(1, 227, 100, 1, SMALL)
    assert statement.at(close) is Truth.TRUE
    halved = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, power=Fraction(1, 2))))
    assert halved.at(close) is Truth.FALSE


@theorem_14.supports("space-product", grade="symbolic", region="every W, d and eta: d^2 (d/eta) = d^3/eta")
def test_space_of_square_matrices(statement) -> None:
    d, eta, log = sympy.symbols("d eta log", positive=True)
    assert sympy.simplify(d**2 * (d / eta * log) - d**3 / eta * log) == 0
    base = Checkpoints(100, 5, Fraction(1, 2))
    bind_expression(statement, sympy.Integer(0), points=[base])
    assert statement.margin(base).contains(0)
    assert statement.concludes(base) is not Truth.FALSE
    assert not statement.strict
    outside = {
        "window >= 2, an integer": attrs.evolve(base, window=1),
        "dimension >= 1, an integer": attrs.evolve(base, dimension=0),
        "eta > 0": attrs.evolve(base, eta=0),
        "eta < 1": attrs.evolve(base, eta=1),
    }
    for inside in (base, Checkpoints(2, 1, SMALL), Checkpoints(2, 1, LARGE)):
        bind_hypotheses(statement, inside, outside)


@theorem_14.controls("space-product", grade="interval", region="(1/eta) log W checkpoints, and half of the logarithm")
def test_other_products_are_noticed(statement) -> None:
    """(1/eta) log W checkpoints have (d^2/eta) log W numbers, (d^3 - d^2)/eta log W too few; half of them half."""
    points = [
        Checkpoints(window, d, eta)
        for window, d, eta in product((2, 100), (2, 3, 5, 8, 20), (SMALL, Fraction(1, 2), LARGE))
    ]

    def one_direction(p: Checkpoints) -> arb:
        return arb(p.window).log() / ball(p.eta)

    def half(p: Checkpoints) -> arb:
        return p.dimension * arb(p.window).log() / (2 * ball(p.eta))

    for count, missing in ((one_direction, lambda d: d**3 - d**2), (half, lambda d: Fraction(d**3, 2))):
        fewer = redefined(statement, stated_counts, "checkpoint_count", count)
        with precision(256):
            bind(fewer, [(p, -arb(p.window).log() * ball(missing(p.dimension) / p.eta)) for p in points])
        assert all(fewer.at(p) is Truth.FALSE for p in points)


EQUAL = Threshold(LARGE, 0, 50, 49, 50, 49)
LOOSE = Threshold(Fraction(3, 4), Fraction(1, 8), 9, 8, 10, 8)
LOWER, COMPARED, UPPER = (
    "(1 - alpha) u'K(i)u <= u'K~(i)u",
    "h u'K~(i)u <= u'K~(i+1)u",
    "u'K~(i+1)u <= (1 + alpha) u'K(i+1)u",
)


@lemma_10.supports(
    "from-lemma-1", grade="derived", region="every h >= 0, alpha in [0, 1) and direction: the chain below"
)
def test_the_chain_of_lemma_1(statement) -> None:
    """The chain is h (1 - alpha) x <= h x~ <= y~ <= (1 + alpha) y, divided by 1 + alpha > 0.

    At h = 1 - eta/2 and alpha = eta/4 the factor is at least 1 - eta, as for Lemma 1, and at h = 1 - eta and alpha = 0
    it is 1 - eta.
    """
    h, alpha, x, y, near_x, near_y, eta = sympy.symbols("threshold error first second near_first near_second eta")
    slacks = (near_x - (1 - alpha) * x, near_y - h * near_x, (1 + alpha) * y - near_y)
    factor = h * (1 - alpha) / (1 + alpha)
    total = (h * slacks[0] + slacks[1] + slacks[2]) / (1 + alpha)
    assert sympy.simplify(y - factor * x - total) == 0
    assert factor.subs({h: 1 - eta, alpha: 0}) == 1 - eta
    spare = sympy.simplify((factor.subs({h: 1 - eta / 2, alpha: eta / 4}) - (1 - eta)) * (1 + eta / 4))
    assert sympy.expand(spare - 3 * eta**2 / 8) == 0
    bind_expression(statement, y - factor * x, points=[EQUAL, LOOSE])
    found = [
        Threshold(bound, error, Fraction(first, 2), Fraction(second, 2), near_first, near_second)
        for bound, error, first, second, near_first, near_second in product(
            (0, Fraction(1, 3), LARGE), (0, Fraction(1, 4), LARGE), (0, 5, 9), (2, 7), (0, 2, 5), (0, 2, 4)
        )
    ]
    inside = [p for p in found if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 80
    assert all(statement.at(p) is Truth.TRUE for p in (*inside, EQUAL, LOOSE))
    assert statement.margin(EQUAL) == 0
    assert not statement.strict
    outside = {
        "threshold >= 0": attrs.evolve(LOOSE, threshold=-SMALL),
        "error >= 0": attrs.evolve(LOOSE, error=-SMALL),
        "error < 1": attrs.evolve(LOOSE, error=1),
        LOWER: attrs.evolve(LOOSE, near_first=7),
        COMPARED: attrs.evolve(LOOSE, near_second=7),
        UPPER: attrs.evolve(LOOSE, near_second=10),
    }
    for point in (EQUAL, LOOSE, Threshold(0, 0, 0, 0, 0, 0), attrs.evolve(LOOSE, threshold=0, error=LARGE)):
        bind_hypotheses(statement, point, outside)


@lemma_10.controls(
    "from-lemma-1", grade="symbolic", region="each hypothesis on K~ dropped; h below 0; 1 - eta/2 for 1 - eta"
)
def test_the_chain_of_lemma_1_needs_its_links(statement) -> None:
    assert statement.without(LOWER).at(attrs.evolve(EQUAL, first=51)) is Truth.FALSE
    assert statement.without(COMPARED).at(attrs.evolve(EQUAL, near_second=48, second=48)) is Truth.FALSE
    assert statement.without(UPPER).at(attrs.evolve(EQUAL, second=48)) is Truth.FALSE
    assert statement.without("threshold >= 0").at(Threshold(-1, 0, 1, -2, 2, -2)) is Truth.FALSE
    halved = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, threshold=(1 + p.threshold) / 2)))
    assert halved.at(EQUAL) is Truth.FALSE, "1 - eta/2 for 1 - eta"
