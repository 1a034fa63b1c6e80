"""Principal components from a spectral approximation in `sliding-window`, and the rank of projected sketches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import naive_components as module
from dpmatrix.spec.sliding_window.loewner import gram, precedes
from dpmatrix.spec.sliding_window.naive_components import NaiveChoice, ProjectedSketch
from dpmatrix.tracing import bind_expression

lemma_5 = cite("sliding-window.lemma-5@15c43418")

HALF, SMALL, LARGE = Fraction(1, 2), Fraction(1, 50), Fraction(49, 50)
CHOICE = NaiveChoice(1, HALF, 1, Fraction(1, 10**6))
MANY = NaiveChoice(10**8, Fraction(1, 1000), 1, HALF)


@lemma_5.supports(
    "linear-in-rank", grade="derived", region="every r, eta, eps and delta: sigma^2 >= 256 r log(4/delta)/eps^2"
)
def test_the_loss_may_be_linear_in_the_rank(statement) -> None:
    """B <= (3/2) eta sigma^2, and (1 + eta/4)/(1 - eta) - (1 - eta/4)(1 + 3 eta/2) is positive for 0 < eta < 1.

    It is eta^2 (13 - 3 eta)/(8 (1 - eta)). Every S~ = x I, x between both bounds, is allowed; e_2e_2' is best for it.
    """
    eta = sympy.symbols("eta")
    slack = (1 + eta / 4) / (1 - eta) - (1 - eta / 4) * (1 + 3 * eta / 2)
    assert sympy.simplify(slack - eta**2 * (13 - 3 * eta) / (8 * (1 - eta))) == 0
    rank, epsilon, delta = sympy.symbols("rank epsilon delta", positive=True)
    log = sympy.log(4 / delta)
    ridge = ((16 * sympy.sqrt(rank * log) + log) / epsilon) ** 2
    loss = 384 * eta * rank * log / epsilon**2
    formula = (1 + eta / 4) / (1 - eta) * ridge - (1 - eta / 4) * (loss + ridge)
    bind_expression(statement, formula, points=[CHOICE])
    for r, bend, eps, rare in product((1, 50), (SMALL, HALF, LARGE), (HALF, 3), (Fraction(1, 10**9), LARGE)):
        assert statement.at(NaiveChoice(r, bend, eps, rare)) is Truth.TRUE
    assert statement.at(MANY) is Truth.TRUE
    assert statement.strict
    outside = {
        "rank >= 1, an integer": attrs.evolve(CHOICE, rank=0),
        "eta > 0": attrs.evolve(CHOICE, eta=0),
        "eta < 1": attrs.evolve(CHOICE, eta=1),
        "epsilon > 0": attrs.evolve(CHOICE, epsilon=0),
        "delta > 0": attrs.evolve(CHOICE, delta=0),
        "delta < 1": attrs.evolve(CHOICE, delta=1),
    }
    for inside in (CHOICE, NaiveChoice(1, SMALL, SMALL, SMALL), NaiveChoice(1, LARGE, 1, LARGE)):
        bind_hypotheses(statement, inside, outside)


@lemma_5.controls(
    "linear-in-rank", grade="interval", region="a loss 1.01 times as large at r = 10^8; bounds without eta"
)
def test_a_larger_loss_is_noticed(statement) -> None:
    loss = module.linear_loss
    assert redefined(statement, module, "linear_loss", lambda p: loss(p) * arb("1.01")).at(MANY) is Truth.FALSE
    exact = statement.nudged(margin=lambda p: statement.formula(attrs.evolve(p, eta=0)) - loss(p))
    assert exact.at(CHOICE) is Truth.FALSE, "with sigma^2 alone no axis can catch up"


FIVE = fmpq_mat(5, 5, [int(i == j) for i in range(5) for j in range(5)])
LOST = ProjectedSketch(FIVE, 1, Fraction(1, 4))
"""Five rows e_1 to e_5, and k/eta = 4."""


def keeps(p: ProjectedSketch, projected: fmpq_mat) -> bool:
    """Whether a second moment is at least 1 - eta/4 times that of the window."""
    return precedes((1 - rational(p.eta) / 4) * gram(p.window), gram(projected))


@lemma_5.refutes(
    "projected-moments", grade="derived", region="k = 1, eta = 1/4, A_W = I_5: every M of rank 4, every S_1"
)
def test_projected_sketches_lose_a_direction(statement) -> None:
    """(4) for S_1 >= A_W'A_W gives M'M >= (1 - eta/4) A_W'A_W. M u = 0 for some u, and A_W u is not 0: that fails.

    M = PA~ or A~P, P of rank 4. Where A_W has rank k/eta or less M = A_W itself is one that keeps the property.
    """
    assert statement.at(LOST) is Truth.FALSE
    assert statement.margin(LOST) == -1
    assert keeps(LOST, FIVE), "without a projection"
    for seed in range(1, 9):
        sketch = fmpq_mat(7, 5, [(i * i * seed + i) % 11 - 5 for i in range(35)])
        left = fmpq_mat(4, 7, [(3 * i * i + seed) % 7 - 3 for i in range(28)])
        right = fmpq_mat(5, 4, [(i * i + seed * i) % 5 - 2 for i in range(20)])
        for size in (1, 1000):
            assert not keeps(LOST, size * left * sketch)
            assert not keeps(LOST, size * sketch * right * right.transpose())
    values = []
    for rank, target, share in product((0, 1, 4, 5), (1, 2), (3, 4, 5)):
        window = fmpq_mat(5, 5, [int(i == j < rank) for i in range(5) for j in range(5)])
        p = ProjectedSketch(window, target, Fraction(1, share))
        values.append((p, target * share - rank))
        assert statement.at(p) is (Truth.TRUE if rank <= target * share else Truth.FALSE)
        assert keeps(p, window)
    bind(statement, values)
    assert not statement.strict
    outside = {
        "target >= 1, an integer": attrs.evolve(LOST, target=0),
        "eta > 0": attrs.evolve(LOST, eta=0),
        "eta < 1/2": attrs.evolve(LOST, eta=HALF),
    }
    for inside in (LOST, attrs.evolve(LOST, eta=SMALL), attrs.evolve(LOST, eta=Fraction(49, 100))):
        bind_hypotheses(statement, inside, outside)
