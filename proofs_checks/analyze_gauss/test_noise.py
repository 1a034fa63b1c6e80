"""The spectral norm of symmetric Gaussian noise: nets of the sphere."""

from __future__ import annotations

import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.analyze_gauss.noise import Ensemble, norm_tail

noise_norm = cite("analyze-gauss.noise-norm@05344f1a")


@noise_norm.supports(
    grade="derived",
    region="every n by the docstring's derivation; the variance with symbolic entries for n <= 4, the tail for every x",
)
def test_noise_norm(statement) -> None:
    """Derivation, for every n, with Delta = 1.

    (1) A maximal set of unit vectors at mutual distance above 1/4 has at most 9^n points: the balls of radius 1/8 about
    them are disjoint and lie in the ball of radius 9/8. (2) Each unit v has a point x of it within 1/4, and for the v
    with |v'Ev| = ||E||_2, |x'Ex - v'Ev| = |(x - v)'Ex + v'E(x - v)| <= ||E||_2 / 2, so ||E||_2 <= 2 max |x'Ex|.
    (3) x'Ex = sum x_i^2 E_ii + 2 sum_{i<j} x_i x_j E_ij has variance sum x_i^4 + 4 sum_{i<j} x_i^2 x_j^2 =
    2 - sum x_i^4 <= 2. (4) Pr(|N(0, 1)| >= z) <= exp(-z^2/2): the difference is 0 at z = 0 and at infinity, and its
    derivative (sqrt(2/pi) - z) exp(-z^2/2) changes sign once, from plus to minus. (5) The union over the net at
    |x'Ex| >= u/2, which is u/(2 sqrt 2) deviations, is 9^n exp(-u^2/16). (6) At u = 7 sqrt(n) this is
    exp(-(49/16 - log 9) n), and 49/16 - log 9 > 4/5.
    """
    for order in (1, 2, 3, 4):
        x = sympy.symbols(f"x:{order}")
        variance = sum(a**4 for a in x) + 4 * sum(x[i] ** 2 * x[j] ** 2 for i in range(order) for j in range(i))
        total = sum(a**2 for a in x)
        assert sympy.expand(variance - (2 * total**2 - sum(a**4 for a in x))) == 0, "(3)"
    z, u = sympy.symbols("z u", positive=True)
    gap = sympy.exp(-(z**2) / 2) - sympy.erfc(z / sympy.sqrt(2))
    slope = (sympy.sqrt(2 / sympy.pi) - z) * sympy.exp(-(z**2) / 2)
    assert sympy.simplify(sympy.diff(gap, z) - slope) == 0, "(4)"
    assert gap.subs(z, 0) == 0
    assert sympy.limit(gap, z, sympy.oo) == 0
    assert sympy.simplify((u / (2 * sympy.sqrt(2))) ** 2 / 2 - u**2 / 16) == 0, "(5)"
    assert arb(49) / 16 - arb(9).log() > arb(4) / 5, "(6)"
    n = sympy.Symbol("n")
    formula = sympy.exp(-4 * n / 5) - sympy.exp(n * sympy.log(9) - 49 * n / 16)
    bind(statement, [(Ensemble(order), formula.subs(n, order).evalf(60)) for order in range(1, 41)])
    assert all(statement.at(Ensemble(order)) is Truth.TRUE for order in (1, 2, 10, 1000))
    bind_hypotheses(statement, Ensemble(1), {"order >= 1, an integer": Ensemble(0)})


@noise_norm.controls(grade="interval", region="n = 10: a constant below sqrt(16 log 9)")
def test_the_net_does_not_give_a_smaller_constant(statement) -> None:
    """With 5.9 in place of 7 the bound 9^n exp(-u^2/16) is exp(0.0217 n), above one."""
    smaller = statement.nudged(
        margin=lambda p: (-arb(4 * p.order) / 5).exp() - norm_tail(p.order, arb(p.order).sqrt() * fmpq(59, 10))
    )
    assert statement.at(Ensemble(10)) is Truth.TRUE
    assert smaller.at(Ensemble(10)) is Truth.FALSE
