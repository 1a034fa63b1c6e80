"""Algorithm 1 of `wishart`: why no machine runs it as it is printed, and what conforms to its repair."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import fmpz_mat

from dpmatrix.claims import Truth, bind_hypotheses
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import GridNoise
from dpmatrix.spec.wishart.laplace_algorithm import LaplaceRun
from dpmatrix.tracing import bind_expression

algorithm_1 = cite("wishart.algorithm-1@09bb4df0")

RUN = LaplaceRun(2, 4, 1, 1, 1)
TWO = attrs.evolve(RUN, norm_bound=2)


@algorithm_1.refutes(
    grade="derived",
    region="every h > 0: sinh((h/2 - r)/b) > 0 for r < h/2; h = 10^-12, .., 10^12; the formula as an expression",
)
def test_laplace_noise_is_on_no_grid(statement) -> None:
    """The density is positive everywhere, so a variable is farther than r < h/2 from hZ with positive probability.

    At x from the left end of a cell the densities of both sides of 0, over all cells, sum to a multiple of exp(-x/b) +
    exp((x - h)/b) = 2 exp(-h/(2b)) cosh((x - h/2)/b). Farther than r from the grid is r < x < h - r.
    """
    statement.refute(lambda spacing: GridNoise(1, 1, 1 / spacing, spacing, spacing / 4))
    x, h, r, b, d, n, e = sympy.symbols("x spacing distance b dimension records epsilon", positive=True)
    folded = sympy.cosh((x - h / 2) / b)
    both_sides = sympy.exp(-x / b) + sympy.exp((x - h) / b)
    assert sympy.simplify((both_sides - 2 * sympy.exp(-h / (2 * b)) * folded).rewrite(sympy.exp)) == 0
    mass = sympy.integrate(folded, (x, 0, h))
    probability = sympy.sinh((h / 2 - r) / b) / sympy.sinh(h / (2 * b))
    assert sympy.simplify((sympy.integrate(folded, (x, r, h - r)) - probability * mass).rewrite(sympy.exp)) == 0
    bind_expression(statement, -probability.subs(b, 2 * d / (n * e)))
    inside = GridNoise(1, 1, 1, 1, Fraction(1, 4))
    bind_hypotheses(
        statement,
        inside,
        {
            "dimension >= 1, an integer": attrs.evolve(inside, dimension=0),
            "records >= 1, an integer": attrs.evolve(inside, records=0),
            "epsilon > 0": attrs.evolve(inside, epsilon=0),
            "spacing > 0": attrs.evolve(inside, spacing=0),
            "distance >= 0": attrs.evolve(inside, distance=-1),
            "distance < h/2": attrs.evolve(inside, distance=Fraction(1, 2)),
        },
    )
    for distance in (0, Fraction(499, 1000)):
        assert statement.applies(attrs.evolve(inside, distance=distance)) is Truth.TRUE


@algorithm_1.controls("+repair", grade="symbolic", region="runs written by hand, d <= 2")
def test_a_doctored_run_is_noticed(statement) -> None:
    """What conformance means: a faithful run has margin 0, and every departure from it counts in full."""
    gram, noise = fmpz_mat([[7, 2], [2, 4]]), fmpz_mat([[3, -1], [-1, 5]])
    run = attrs.evolve(RUN, gram=gram, noise=noise, output=gram + noise)
    assert statement.at(run) is Truth.TRUE
    for missing in ("gram", "noise", "output"):
        assert statement.elsewhere().at(attrs.evolve(run, **{missing: None})) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, **{missing: None})) == -1
    assert statement.elsewhere().margin(attrs.evolve(run, dimension=3)) == -1, "matrices of another order"
    for error in (1, -2):
        wrong = attrs.evolve(run, output=gram + noise + fmpz_mat([[0, 0], [0, error]]))
        assert statement.elsewhere().at(wrong) is Truth.FALSE
        assert statement.elsewhere().margin(wrong) == -abs(error)
    lopsided = fmpz_mat([[3, -1], [2, 5]])
    assert statement.elsewhere().margin(attrs.evolve(run, noise=lopsided, output=gram + lopsided)) == -3
    for scale, departure in ((2, -4), (Fraction(1, 2), -2)):
        assert statement.elsewhere().at(attrs.evolve(run, scale=scale)) is Truth.FALSE
        assert statement.elsewhere().margin(attrs.evolve(run, scale=scale)) == departure, "-|b n epsilon - 2d|"
    long = attrs.evolve(run, norm_bound=2)
    assert statement.without("norm_bound <= 1").elsewhere().at(long) is Truth.FALSE, "the scale 1 against sqrt(5)"
    outside = {
        "dimension >= 1, an integer": attrs.evolve(RUN, dimension=0, scale=0),
        "records >= 1, an integer": attrs.evolve(RUN, records=0),
        "epsilon > 0": attrs.evolve(RUN, epsilon=-1, scale=-1),
    }
    bind_hypotheses(statement, attrs.evolve(RUN, dimension=1, records=1), outside | {"norm_bound <= 1": TWO})
