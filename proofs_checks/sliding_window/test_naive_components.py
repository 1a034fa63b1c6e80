"""Principal components from a spectral approximation in `sliding-window`, and second moments of projected sketches."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window import naive_components as module
from dpmatrix.spec.sliding_window.naive_components import NaiveChoice, ProjectedSketch
from dpmatrix.tracing import bind_expression

lemma_5 = cite("sliding-window.lemma-5@a69d4638")

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


IDENTITY = fmpq_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
LOST = ProjectedSketch(IDENTITY, IDENTITY, fmpq_mat([[1, 0, 0], [0, 1, 0]]), 1, HALF)
LINE = ProjectedSketch(fmpq_mat([[1]]), fmpq_mat([[1]]), fmpq_mat([[1], [0]]), 1, HALF)


@lemma_5.refutes("projected-moments", grade="derived", region="k = 1, eta = 1/2, A_W of rank 3: every P with two rows")
def test_projected_sketches_lose_a_direction(statement) -> None:
    """P A~ has two rows, so that P A~u = 0 for some u != 0, where u'A_W'A_W u > 0: the lower bound fails."""
    for entries in product((-1, 0, 2), repeat=3):
        a, b, c = entries
        assert statement.at(attrs.evolve(LOST, projection=fmpq_mat([[1, a, b], [c, 1, a - b]]))) is Truth.FALSE
    values = []
    for size, eta in product((Fraction(k, 8) for k in range(4, 14)), (HALF, Fraction(1, 4))):
        rows = fmpq_mat([[rational(size)], *[[fmpq(0)]] * (int(1 / eta) - 1)])
        near = size**2
        value = min(Fraction(1), near - (1 - eta / 4), (1 + eta / 4) - near)
        values.append((attrs.evolve(LINE, projection=rows, eta=eta), value))
    bind(statement, values)
    for p, value in values:
        assert statement.at(p) is (Truth.TRUE if value >= 0 else Truth.FALSE)
    assert not statement.strict
    outside = {
        "target >= 1, an integer": attrs.evolve(LOST, target=0),
        "eta > 0": attrs.evolve(LOST, eta=0),
        "eta < 1": attrs.evolve(LOST, eta=1),
        "P has k/eta rows": attrs.evolve(LOST, target=2),
        "(4): A~'A~ is an eta/4 approximation of A_W'A_W": attrs.evolve(LOST, sketch=IDENTITY * 2),
    }
    tall = ProjectedSketch(fmpq_mat([[1]]), fmpq_mat([[1]]), fmpq_mat([[1]] * 50), 49, LARGE)
    thin = attrs.evolve(tall, target=1, eta=SMALL)
    for inside in (LOST, LINE, tall, thin):
        bind_hypotheses(statement, inside, outside)
