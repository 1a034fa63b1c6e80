"""Theorem 4 of `wishart`: refuted with an exact probability, and the mechanism that repairs it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, interval, redefined
from dpmatrix.exact import ball
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import WishartProfile
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.points import InputPerturbation
from dpmatrix.spec.wishart import wishart_perturbation
from dpmatrix.spec.wishart.sensitivity import RecordPair
from dpmatrix.spec.wishart.wishart_perturbation import SymmetrisedNoise, WishartOutput, symmetrised_scale, wishart_delta
from dpmatrix.tracing import bind_expression

theorem_4 = cite("wishart.theorem-4@f1912fdb")

INPUTS = {
    "dimension >= 1, an integer": InputPerturbation(0, 5, 1),
    "records >= 1, an integer": InputPerturbation(3, 0, 1),
    "epsilon > 0": InputPerturbation(3, 5, 0),
}
e, n, t, w = sympy.symbols("epsilon records t noise", positive=True)
a, b, s = sympy.symbols("v_squared w_squared inner", real=True)
UNIT_BALL = {
    "v_squared >= 0": RecordPair(-1, 0, 0),
    "v_squared <= 1": RecordPair(2, 0, 0),
    "w_squared >= 0": RecordPair(0, -1, 0),
    "w_squared <= 1": RecordPair(0, 2, 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), 1),
}


@theorem_4.refutes(grade="interval", region="every epsilon in [1/1000, 100]; d = 1, 5, 20; n = 1, 1000")
def test_algorithm_2_is_not_private_at_any_epsilon(statement) -> None:
    for d, records in product((1, 5, 20), (1, 1000)):
        for low, high in ((Fraction(1, 1000), 1), (1, 10), (10, 100)):
            assert statement.at(InputPerturbation(d, records, interval(low, high))) is Truth.FALSE
    assert not statement.strict, "a guarantee may be met exactly"


@theorem_4.refutes(
    grade="derived",
    region="every epsilon > 0, d, n: failure probability 1 - exp(-epsilon/3), by the docstring; bound as an expression",
)
def test_failure_probability_is_exact(statement) -> None:
    """With m = d + 1 the density of W is f(w) = exp(-l(w)) / Z on the cone K, l(w) = tr(w) / 2c, and 0 off it.

    For P in K, w -> w + P maps K onto K + P and multiplies f by exp(-l(P)), so Pr(W in K + P) = exp(-l(P)), whatever
    the dimension. Let X hold a unit record v where its neighbour holds 0, and P = vv'/n: all outputs on X, less what
    both share, are in K + P. An output on the neighbour is not with probability 1 - exp(-1/(2nc)), 1 - exp(-epsilon/3)
    at c = 3/(2 n epsilon). That no pair and no event has more is in the notes of the profile, which is compared.
    """
    c = sympy.Rational(3, 2) / (n * e)
    shift = sympy.Symbol("P", positive=True)
    density = sympy.exp(-t / (2 * c)) / (2 * c)
    assert sympy.simplify(density.subs(t, t + shift) / density - sympy.exp(-shift / (2 * c))) == 0
    assert sympy.simplify(sympy.integrate(density, (t, 0, 1 / n)) - (1 - sympy.exp(-e / 3))) == 0, "d = 1"
    bind_expression(statement, -sympy.Max(0, 1 - sympy.exp(-e / 3)))
    bind_hypotheses(statement, InputPerturbation(2, 5, 1), INPUTS)
    assert statement.at(InputPerturbation(5, 100, 1)) is Truth.FALSE
    theorem_4.tells("{} at eps", wishart_delta(InputPerturbation(5, 100, 1)))


def test_what_algorithm_2_does_keep() -> None:
    """(epsilon', delta) holds exactly from delta = 1 - exp(-epsilon/3) on, whatever epsilon' is."""
    for epsilon, multiple in product(
        (Fraction(1, 10), Fraction(1), Fraction(5)), (0, Fraction(1, 9), Fraction(1, 3), 1, 4)
    ):
        profile = WishartProfile(4, 5, Fraction(3, 20) / epsilon, Fraction(1, 10), Adjacency.REPLACE_ONE)
        exact = 1 - (-arb(fmpq(epsilon.numerator, epsilon.denominator)) / 3).exp()
        assert profile.delta(epsilon * multiple).overlaps(exact)


OUTPUT = WishartOutput(Fraction(1, 2), 1, 1, 0, 1)
OUTPUTS = {
    "noise > 0": attrs.evolve(OUTPUT, noise=0),
    "epsilon > 0": attrs.evolve(OUTPUT, epsilon=0),
    "records >= 1, an integer": attrs.evolve(OUTPUT, records=0),
    "v_squared >= 0": attrs.evolve(OUTPUT, v_squared=-1),
    "v_squared <= 1": attrs.evolve(OUTPUT, v_squared=2),
    "w_squared >= 0": attrs.evolve(OUTPUT, w_squared=-1),
    "w_squared <= 1": attrs.evolve(OUTPUT, w_squared=2),
}


@theorem_4.refutes("common-support", grade="symbolic", region="d = n = 1, v = 0, w = 1, W_0 = 1/2")
@theorem_4.refutes("density-ratio", grade="symbolic", region="d = n = 1, v = 0, w = 1, W_0 = 1/2")
@theorem_4.refutes("quotient", grade="symbolic", region="d = n = 1, v = 0, w = 1, W_0 = 1/2")
def test_three_steps_of_the_proof_fail(statements) -> None:
    support, ratio, quotient = (
        statements[f"wishart.theorem-4/{name}"] for name in ("common-support", "density-ratio", "quotient")
    )
    for statement in statements.values():
        assert statement.at(OUTPUT) is Truth.FALSE
    assert support.at(attrs.evolve(OUTPUT, v_squared=1)) is Truth.TRUE
    assert support.strict

    change, rate = (a - b) / n, 2 * n * e / 3
    bind_expression(support, w + change)
    printed = rate * (w + change) / 2 - rate * w
    bind_expression(ratio, -sympy.Abs(printed - rate * change / 2))
    exact = rate * (w + change) / 2 - rate * w / 2
    bind_expression(quotient, -sympy.Abs(exact - printed))
    assert quotient.without("noise > 0").at(WishartOutput(0, Fraction(3, 2), 1, 1, 1)) is Truth.TRUE, "equal at W_0 = 0"
    meant = (rate * (w + change) - rate * w) / 2
    assert sympy.simplify(meant - rate * change / 2) == 0, "with 1/2 before both traces the line is right"
    for statement in statements.values():
        for inside in (OUTPUT, attrs.evolve(OUTPUT, v_squared=1, w_squared=0)):
            bind_hypotheses(statement, inside, OUTPUTS)
    dyadic = WishartOutput(1, Fraction(3, 2), 1, 1, 1)
    assert ratio.without("noise > 0").at(attrs.evolve(dyadic, noise=0)) is Truth.TRUE, (
        "an equation holds at margin zero"
    )


@theorem_4.supports(
    "trace-and-norm",
    grade="derived",
    region="C = cI, every |v|^2, |w|^2 and <v, w>: the squares differ by an identity in these three numbers",
)
@theorem_4.supports(
    "last-line", grade="derived", region="every |v|^2, |w|^2 in [0, 1] and <v, w>: the squares differ by an identity"
)
def test_two_steps_of_the_proof_are_sound(statements) -> None:
    """(a+b)^2 - 4s^2 - (a-b)^2 = 4(ab - s^2) >= 0 by Cauchy-Schwarz, and (a+b)^2 - 4s^2 <= 4 < 9."""
    spread = (a + b) ** 2 - 4 * s**2
    assert sympy.expand(spread - (a - b) ** 2 - 4 * (a * b - s**2)) == 0
    assert sympy.expand(4 - spread - (4 - (a + b) ** 2) - 4 * s**2) == 0
    bind_expression(statements["wishart.theorem-4/trace-and-norm"], sympy.sqrt(spread) - (a - b))
    bind_expression(statements["wishart.theorem-4/last-line"], 3 - sympy.sqrt(spread))
    pair = {says: point for says, point in UNIT_BALL.items() if not says.endswith("<= 1")}
    for inside in (RecordPair(0, 0, 0), RecordPair(1, 1, 1)):
        bind_hypotheses(statements["wishart.theorem-4/trace-and-norm"], inside, pair)
        bind_hypotheses(statements["wishart.theorem-4/last-line"], inside, UNIT_BALL)
    assert statements["wishart.theorem-4/trace-and-norm"].at(RecordPair(1, 0, 0)) is Truth.TRUE, "equality is attained"
    assert not statements["wishart.theorem-4/last-line"].strict


@theorem_4.supports("inverse-scale", grade="symbolic", region="every n, epsilon")
def test_inverse_scale_step(statement) -> None:
    """C = cI has inverse I/c, of norm 1/c."""
    assert sympy.simplify(sympy.Rational(3, 2) / (n * e) * (2 * n * e / 3) - 1) == 0
    bind_expression(statement, sympy.Integer(0))
    assert statement.at(InputPerturbation(1, 3, 1)) is Truth.TRUE, "an equation holds at margin zero"
    for inside in (InputPerturbation(1, 1, 1), InputPerturbation(2, 5, 1)):
        bind_hypotheses(statement, inside, INPUTS)


@theorem_4.controls("inverse-scale", grade="symbolic", region="d = 1 to 5, n = 1, 3, 50, 1000, epsilon = 1/7")
def test_another_scale_has_another_inverse(statement) -> None:
    """The product with ||C^-1||_2 as printed is 4/3 for C = 2/(n eps) I, and 11/10 for a tenth more noise."""

    def four_thirds(p: InputPerturbation) -> arb:
        return arb(2) / (p.records * ball(p.epsilon))

    def a_tenth_more(p: InputPerturbation) -> arb:
        return arb(33) / (20 * p.records * ball(p.epsilon))

    points = [InputPerturbation(d, records, Fraction(1, 7)) for d in range(1, 6) for records in (1, 3, 50, 1000)]
    for scale, gap in ((four_thirds, Fraction(1, 3)), (a_tenth_more, Fraction(1, 10))):
        other = redefined(statement, wishart_perturbation, "printed_wishart_scale", scale)
        bind(other, [(point, -gap) for point in points])
        assert all(other.at(point) is Truth.FALSE for point in points)


REPLACED, REMOVED = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
NOISE = SymmetrisedNoise(2, REPLACED, 1, 1, 1, 0)


@theorem_4.supports_repair(
    grade="derived", region="every d, n, epsilon: derivation below, its exponents checked; d = 1 in closed form"
)
def test_the_difference_of_two_wishart_matrices_is_private(statement) -> None:
    """Shift the positive part of the change into W_1 and the negative part into W_2.

    With m = d + 1 each W_i has the density f(w) = exp(-l(w)) / Z on the cone K, l(w) = tr(w) / 2c. For P in K,
    f(w - P) <= exp(l(P)) f(w): where w - P is in K so is w, and elsewhere the left side is 0. Write the change
    (vv' - ww')/n as P - M, its positive and negative part. The pair (W_1 + P, W_2 + M) has a density of at most
    exp(l(P) + l(M)) times that of (W_1, W_2), and so have the outputs, of which these pairs are processed by one map
    (w_1, w_2) -> A + w_1 - w_2. With P and M exchanged it is the other direction. The loss is thus at most
    (tr P + tr M)/2c, the nuclear norm over 2nc. That is epsilon times the nuclear norm over s at c = s/(2 n epsilon);
    s bounds the nuclear norm: sqrt((a + b)^2 - 4 <v, w>^2) <= 2, and |a - b| <= 1 for d = 1, a <= 1 for a removal.
    """
    c, point, shift = sympy.symbols("c w P", positive=True)
    density = sympy.exp(-point / (2 * c))
    assert sympy.simplify(density.subs(point, point - shift) / density - sympy.exp(shift / (2 * c))) == 0
    x, y = sympy.symbols("x y", positive=True)
    exponential = sympy.exp(-y / (2 * c)) / (2 * c)
    convolution = sympy.integrate(exponential * exponential.subs(y, y + x), (y, 0, sympy.oo))
    assert sympy.simplify(convolution - sympy.exp(-x / (2 * c)) / (4 * c)) == 0, "d = 1: Laplace noise of scale 2c"

    size = sympy.sqrt((a + b) ** 2 - 4 * s**2)
    assert sympy.expand(4 - ((a + b) ** 2 - 4 * s**2) - (4 - (a + b) ** 2) - 4 * s**2) == 0, "s = 2: at most 2"
    assert sympy.simplify(size.subs(s, sympy.sqrt(a * b)) ** 2 - (a - b) ** 2) == 0, "d = 1: |a - b| <= 1"
    assert sympy.simplify(size.subs({s: 0, b: 0}) ** 2 - a**2) == 0, "removal: a <= 1"
    d = sympy.Symbol("dimension")
    least = {
        REPLACED: sympy.Piecewise((1, sympy.Eq(d, 1)), (2, True)),
        REMOVED: sympy.Integer(1),
    }
    bind_expression(statement, lambda fixed: e * (1 - size / least[fixed["adjacency"]]))
    assert statement.at(SymmetrisedNoise(1, REPLACED, 1, 1, Fraction(1, 4), Fraction(1, 2))) is Truth.TRUE
    assert statement.margin(SymmetrisedNoise(1, REPLACED, 1, 1, 0, 0)) == 0, "s = 1 at d = 1"
    outside = {
        "dimension >= 1, an integer": attrs.evolve(NOISE, dimension=0),
        "epsilon > 0": attrs.evolve(NOISE, epsilon=0),
        "v_squared >= 0": attrs.evolve(NOISE, v_squared=-1),
        "v_squared <= 1": attrs.evolve(NOISE, v_squared=2),
        "w_squared >= 0": attrs.evolve(NOISE, w_squared=-1),
        "w_squared <= 1": attrs.evolve(NOISE, w_squared=2),
        "<v, w>^2 <= |v|^2 |w|^2": attrs.evolve(NOISE, inner=2),
        "for d = 1, v and w are parallel": attrs.evolve(NOISE, dimension=1),
        "under add/remove-one, w = 0": attrs.evolve(NOISE, adjacency=REMOVED),
    }
    for inside in (
        NOISE,
        SymmetrisedNoise(1, REPLACED, 1, 0, 0, 0),
        SymmetrisedNoise(1, REPLACED, 1, 1, 1, 1),
        SymmetrisedNoise(3, REMOVED, 1, 1, 0, 0),
    ):
        bind_hypotheses(statement, inside, outside)


def test_the_repair_adds_four_ninths_of_the_mean_squared_noise() -> None:
    """E tr W^2 = m d (m + d + 1) c^2, by Wick's formula; the mean of W is m c I, and variances add for W_1 - W_2."""
    d = sympy.Symbol("d", positive=True)
    m = d + 1
    second_moment = m * d * (m + d + 1)
    printed = second_moment * sympy.Rational(3, 2) ** 2
    repaired = 2 * (second_moment - d * m**2)
    assert sympy.simplify(repaired / printed) == sympy.Rational(4, 9)
    for size in (1, 2, 3):
        freedom = size + 1
        total = sum(
            int(a_ == b_) + int(i == j) + int(a_ == b_ and i == j)
            for i, j in product(range(size), repeat=2)
            for a_, b_ in product(range(freedom), repeat=2)
        )
        assert total == second_moment.subs(d, size), "E sum of g_ia g_ja g_jb g_ib over all indices"


@theorem_4.controls("+repair", grade="symbolic", region="orthogonal unit records, noise cut by a quarter")
def test_less_symmetrised_noise_is_noticed(statement) -> None:
    def quarter_less(p: SymmetrisedNoise) -> arb:
        return symmetrised_scale(p) * 3 / 4

    assert statement.at(NOISE) is Truth.TRUE
    less = redefined(statement, wishart_perturbation, "symmetrised_scale", quarter_less)
    assert less.at(NOISE) is Truth.FALSE
