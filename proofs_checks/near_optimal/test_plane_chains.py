"""Figure 2 of `near-optimal`: Hoff's sampler in the plane has its law after one step."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import numpy as np
import sympy

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.experiments.gibbs import HoffChain
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.plane_chains import TwoMatrices, TwoScales
from proofs_checks.near_optimal.conditions import bind_condition

figure_2 = cite("near-optimal.figure-2@3e4a8d34")

HALF, FIFTH = Fraction(1, 2), Fraction(1, 5)
SCALES = [
    TwoScales(first, second, t, steps, t + more)
    for first, second in ((1, 0), (Fraction(7, 10), FIFTH))
    for t, more in product((HALF, 3), (1, 20))
    for steps in (0, 1, 5)
]
MATRICES = [
    TwoMatrices(first, 1 - first, t, steps, other, 1 - other)
    for first, other in ((HALF, 1), (Fraction(3, 5), Fraction(4, 5)), (HALF, Fraction(9, 10)), (FIFTH, 1))
    for t in (1, 7)
    for steps in (0, 1, 4)
]


def from_uniform(first, second, t):
    """Half the integral of the absolute difference of the densities of the doubled angle."""
    kappa = abs(real(t) * (real(first) - real(second)) / 2)
    if kappa == 0:
        return mpmath.mpf(0)
    mass = mpmath.besseli(0, kappa)
    edge = mpmath.acos(mpmath.log(mass) / kappa)
    inside = mpmath.quad(lambda x: mpmath.exp(kappa * mpmath.cos(x)) / mass - 1, [0, edge / 2, edge])
    return inside / mpmath.pi


def after(first, second, t, steps):
    return from_uniform(first, second, t) if steps == 0 else mpmath.mpf(0)


def check_one_step_is_enough():
    """Draws of the chain itself from a fixed start: mean and mean square of v_1^2 against I_1/I_0 and I_2/I_0.

    With x the doubled angle v_1^2 = (1 + cos x)/2. Hoeffding at 1e-9; the start at e_2 has v_1^2 = 0.
    """
    kappa, count, generator = 1.5, 4000, np.random.default_rng(3)
    start = np.array([[0.0], [1.0]])
    draws = [HoffChain(np.array([2 * kappa, 0.0]), start, generator).step()[0, 0] ** 2 for _ in range(count)]
    radius = np.sqrt(np.log(2e9) / (2 * count))
    ratios = [float(mpmath.besseli(order, kappa) / mpmath.besseli(0, kappa)) for order in (1, 2)]
    assert abs(np.mean(draws) - (1 + ratios[0]) / 2) < radius
    assert abs(np.mean(np.square(draws)) - (3 + 4 * ratios[0] + ratios[1]) / 8) < radius
    x = sympy.symbols("x")
    assert sympy.simplify(((1 + sympy.cos(x)) / 2) ** 2 - (3 + 4 * sympy.cos(x) + sympy.cos(2 * x)) / 8) == 0


@figure_2.refutes(
    "slower-with-more-records", grade="derived", region="d = 2, k = 1, one step: no distance is left at any n"
)
def test_more_records_need_not_take_more_steps(statement) -> None:
    """For d = 2 a step draws v_1^2 given the proportions of the others, of which there is one: from its law."""
    check_one_step_is_enough()
    for p in SCALES:
        assert statement.at(p) is (Truth.TRUE if p.steps == 0 else Truth.FALSE)
    bind_formula(
        statement,
        SCALES,
        lambda p: after(p.first, p.second, p.other, p.steps) - after(p.first, p.second, p.scale, p.steps),
    )
    inside = SCALES[0]
    outside = {
        "second >= 0": attrs.evolve(inside, second=-1),
        "l_1 > l_2": attrs.evolve(inside, second=1),
        "scale > 0": attrs.evolve(inside, scale=0),
        "the second t is larger": attrs.evolve(inside, other=HALF),
        "steps >= 0, an integer": attrs.evolve(inside, steps=-1),
    }
    bind_hypotheses(statement, inside, outside)
    bind_condition(statement, "l_1 > l_2", [(p, p.first - p.second) for p in SCALES], strict=True)
    bind_condition(statement, "the second t is larger", [(p, p.other - p.scale) for p in SCALES], strict=True)
    assert statement.strict


@figure_2.refutes(
    "sooner-with-a-small-residual", grade="derived", region="d = 2, k = 1: equal eigenvalues against rank one"
)
def test_equal_eigenvalues_begin_in_their_law(statement) -> None:
    """For l_1 = l_2 the law of PPCA is the uniform one, from which the chain starts."""
    equal = TwoMatrices(HALF, HALF, 7, 0, 1, 0)
    assert statement.at(equal) is Truth.FALSE
    assert statement.at(attrs.evolve(equal, steps=1)) is Truth.TRUE, "both have their law"
    assert statement.margin(equal) < -0.5
    bind_formula(
        statement,
        MATRICES,
        lambda p: after(p.first, p.second, p.scale, p.steps) - after(p.other_first, p.other_second, p.scale, p.steps),
    )
    outside = {
        "second >= 0": attrs.evolve(equal, first=2, second=-1),
        "other_second >= 0": attrs.evolve(equal, other_first=2, other_second=-1),
        "the traces are the same": attrs.evolve(equal, other_first=2),
        "the second residual is smaller": attrs.evolve(equal, other_first=HALF, other_second=HALF),
        "scale > 0": attrs.evolve(equal, scale=0),
        "steps >= 0, an integer": attrs.evolve(equal, steps=-1),
    }
    bind_hypotheses(statement, equal, outside)
    traces = [
        (attrs.evolve(p, other_first=p.other_first + more), -abs(more)) for p in MATRICES[::2] for more in (0, 2, -HALF)
    ]
    bind_condition(statement, "the traces are the same", traces)
    least = [(p, min(p.first, p.second) - min(p.other_first, p.other_second)) for p in MATRICES]
    bind_condition(statement, "the second residual is smaller", least, strict=True)
    assert not statement.strict
