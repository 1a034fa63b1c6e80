"""Theorem 4 of `wishart`: refuted with an exact probability, and the mechanism that repairs it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import pytest
import sympy
from flint import arb, ctx, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, interval
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles import WishartProfile
from dpmatrix.spec.wishart.points import InputPerturbation
from dpmatrix.spec.wishart.sensitivity import RecordPair
from dpmatrix.spec.wishart.wishart_perturbation import (
    LaplaceDiagonal,
    PositiveDefiniteSum,
    SymmetrisedNoise,
    WishartOutput,
)

INPUTS = {
    "dimension >= 1, an integer": InputPerturbation(0, 5, 1),
    "records >= 1, an integer": InputPerturbation(3, 0, 1),
    "epsilon > 0": InputPerturbation(3, 5, 0),
}
e, n, t, w = sympy.symbols("epsilon n t w", positive=True)
a, b, s = sympy.symbols("a b s", real=True)
UNIT_BALL = {
    "v_squared >= 0": RecordPair(-1, 0, 0),
    "v_squared <= 1": RecordPair(2, 0, 0),
    "w_squared >= 0": RecordPair(0, -1, 0),
    "w_squared <= 1": RecordPair(0, 2, 0),
    "<v, w>^2 <= |v|^2 |w|^2": RecordPair(Fraction(1, 2), Fraction(1, 2), 1),
}


@pytest.mark.evidence(
    "wishart.theorem-4@61996d9b",
    role="refutes",
    grade="interval",
    region="every epsilon in [1/1000, 100]; d = 1, 5, 20; n = 1, 1000",
)
def test_algorithm_2_is_not_private_at_any_epsilon(statement) -> None:
    for d, records in product((1, 5, 20), (1, 1000)):
        for low, high in ((Fraction(1, 1000), 1), (1, 10), (10, 100)):
            assert statement.at(InputPerturbation(d, records, interval(low, high))) is Truth.FALSE


@pytest.mark.evidence(
    "wishart.theorem-4@61996d9b",
    role="refutes",
    grade="symbolic",
    region="every epsilon > 0, d, n: failure probability 1 - exp(-epsilon/3)",
)
def test_failure_probability_is_exact(statement) -> None:
    """(u'W^-1 u)^-1 = c chi^2_2 for a unit vector u and W ~ W_d(d + 1, cI), in every dimension.

    vv' + W leaves the support of W + v^v^' with v = 0, |v^| = 1 exactly where c chi^2_2 < 1/n, that is with
    probability 1 - exp(-1/(2nc)) = 1 - exp(-epsilon/3) for c = 3/(2 n epsilon). The chi-square law is checked as the
    Schur complement: |W| / |W minus its last row and column| is l_dd^2 in Cholesky factors, whose density has
    exponent m - d = 1, a chi-square with 2 degrees of freedom.
    """
    c = sympy.Rational(3, 2) / (n * e)
    density = sympy.exp(-t / (2 * c)) / (2 * c)
    probability = sympy.integrate(density, (t, 0, 1 / n))
    assert sympy.simplify(probability - (1 - sympy.exp(-e / 3))) == 0
    points = [
        InputPerturbation(d, records, Fraction(k, 4)) for d in (1, 2, 9) for records in (1, 50) for k in (1, 4, 20, 50)
    ]
    bind(statement, ((p, (sympy.exp(-sympy.Rational(p.epsilon) / 3) - 1).evalf(50)) for p in points))
    bind_hypotheses(statement, InputPerturbation(2, 5, 1), INPUTS)
    assert statement.at(InputPerturbation(5, 100, 1)) is Truth.FALSE


def test_what_algorithm_2_does_keep() -> None:
    """(epsilon', delta) with epsilon' >= epsilon/3 holds exactly from delta = 1 - exp(-epsilon/3) on."""
    for epsilon, multiple in product((Fraction(1, 10), Fraction(1), Fraction(5)), (Fraction(1, 3), 1, 4)):
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


def outputs() -> list[WishartOutput]:
    return [
        WishartOutput(Fraction(i, 3), Fraction(k, 2), records, Fraction(j, 4), Fraction(3 - j, 5))
        for i, j, k, records in product((1, 5), (0, 1, 3), (1, 4), (1, 7))
    ]


@pytest.mark.evidence(
    "wishart.theorem-4/common-support@61996d9b", role="refutes", grade="symbolic", region="d = n = 1, v = 0, w = 1, W_0 = 1/2"
)
@pytest.mark.evidence(
    "wishart.theorem-4/density-ratio@61996d9b", role="refutes", grade="symbolic", region="d = n = 1, v = 0, w = 1, W_0 = 1/2"
)
def test_two_steps_of_the_proof_fail(statements) -> None:
    support, ratio = (statements[f"wishart.theorem-4/{name}"] for name in ("common-support", "density-ratio"))
    assert support.at(OUTPUT) is Truth.FALSE
    assert ratio.at(OUTPUT) is Truth.FALSE
    assert support.at(attrs.evolve(OUTPUT, v_squared=1)) is Truth.TRUE
    assert support.strict

    def value(p: WishartOutput, formula: sympy.Expr):
        return formula.subs(
            {
                w: sympy.Rational(p.noise),
                e: sympy.Rational(p.epsilon),
                n: p.records,
                a: sympy.Rational(p.v_squared),
                b: sympy.Rational(p.w_squared),
            }
        ).evalf(50)

    change, rate = (a - b) / n, 2 * n * e / 3
    bind(support, ((p, value(p, w + change)) for p in outputs()))
    printed = rate * (w + change) / 2 - rate * w
    bind(ratio, ((p, value(p, -sympy.Abs(printed - rate * change / 2))) for p in outputs()))
    meant = (rate * (w + change) - rate * w) / 2
    assert sympy.simplify(meant - rate * change / 2) == 0, "with 1/2 before both traces the line is right"
    for statement in statements.values():
        bind_hypotheses(statement, OUTPUT, OUTPUTS)


def on_pairs(formula: sympy.Expr):
    for i, j, k in product((1, 3, 6), (1, 2, 5), (-1, 0, 1)):
        point = RecordPair(Fraction(i, 6), Fraction(j, 5), Fraction(k, 7))
        numbers = {a: point.v_squared, b: point.w_squared, s: point.inner}
        yield point, formula.subs({key: sympy.Rational(value) for key, value in numbers.items()}).evalf(50)


@pytest.mark.evidence(
    "wishart.theorem-4/trace-and-norm@61996d9b", role="supports", grade="symbolic", region="|v|, |w| <= 1, every d"
)
@pytest.mark.evidence(
    "wishart.theorem-4/last-line@61996d9b", role="supports", grade="symbolic", region="|v|, |w| <= 1, every d, n, epsilon"
)
def test_two_steps_of_the_proof_are_sound(statements) -> None:
    """(a+b)^2 - 4s^2 - (a-b)^2 = 4(ab - s^2) >= 0 by Cauchy-Schwarz, and (a+b)^2 - 4s^2 <= 4 < 9."""
    spread = (a + b) ** 2 - 4 * s**2
    assert sympy.expand(spread - (a - b) ** 2 - 4 * (a * b - s**2)) == 0
    assert sympy.expand(4 - spread - (4 - (a + b) ** 2) - 4 * s**2) == 0
    bind(statements["wishart.theorem-4/trace-and-norm"], on_pairs(sympy.sqrt(spread) - (a - b)))
    bind(statements["wishart.theorem-4/last-line"], on_pairs(3 - sympy.sqrt(spread)))
    for statement in statements.values():
        bind_hypotheses(statement, RecordPair(1, 1, 0), UNIT_BALL)


NOISE = SymmetrisedNoise(4, 1, 1, 1)


@pytest.mark.evidence(
    "wishart.theorem-4+repair@61996d9b",
    role="supports-repair",
    grade="symbolic",
    region="every d, n, epsilon: derivation below, its exponents checked; d = 1 in closed form",
)
def test_the_difference_of_two_wishart_matrices_is_private(statement) -> None:
    """With m = d + 1 each W_i has density proportional to exp(-tr W / 2c) on the cone, so N = W_1 - W_2 has density

        q(N) = K exp(tr N / 2c) I(N),   I(N) = integral of exp(-tr W / c) over {W >= 0, W >= N}.

    For D >= 0 the region of N + D lies in that of N, and contains its translate by D: exp(-tr D / c) I(N) <= I(N + D)
    <= I(N). Hence -tr(D)/2c <= log q(N + D) - log q(N) <= tr(D)/2c. A replaced record takes vv'/n away and adds
    ww'/n: the loss is at most (|v|^2 + |w|^2)/(2nc), which is epsilon at c = 1/(n epsilon).
    """
    c, trace_n, trace_d = sympy.symbols("c trN trD", positive=True)
    factor = sympy.exp((trace_n + trace_d) / (2 * c)) / sympy.exp(trace_n / (2 * c))
    upper, lower = factor, factor * sympy.exp(-trace_d / c)
    assert sympy.simplify(sympy.log(upper) - trace_d / (2 * c)) == 0
    assert sympy.simplify(sympy.expand_log(sympy.log(sympy.powsimp(lower)), force=True) + trace_d / (2 * c)) == 0

    x, y = sympy.symbols("x y", positive=True)
    exponential = sympy.exp(-y / (2 * c)) / (2 * c)
    convolution = sympy.integrate(exponential * exponential.subs(y, y + x), (y, 0, sympy.oo))
    assert sympy.simplify(convolution - sympy.exp(-x / (2 * c)) / (4 * c)) == 0, "d = 1: Laplace noise of scale 2c"

    margin = e - (a + b) / (2 * n * (1 / (n * e)))
    assert sympy.simplify(margin - (e / 2) * ((1 - a) + (1 - b))) == 0, "non-negative for |v|, |w| <= 1"
    points = [
        SymmetrisedNoise(records, Fraction(k, 3), Fraction(i, 4), Fraction(j, 5))
        for records, k, i, j in product((1, 9), (1, 8), (0, 1, 4), (2, 5))
    ]
    bind(
        statement,
        (
            (
                p,
                margin.subs(
                    {
                        e: sympy.Rational(p.epsilon),
                        n: p.records,
                        a: sympy.Rational(p.v_squared),
                        b: sympy.Rational(p.w_squared),
                    }
                ).evalf(50),
            )
            for p in points
        ),
    )
    bind_hypotheses(
        statement,
        NOISE,
        {
            "records >= 1, an integer": attrs.evolve(NOISE, records=0),
            "epsilon > 0": attrs.evolve(NOISE, epsilon=0),
            "v_squared >= 0": attrs.evolve(NOISE, v_squared=-1),
            "v_squared <= 1": attrs.evolve(NOISE, v_squared=2),
            "w_squared >= 0": attrs.evolve(NOISE, w_squared=-1),
            "w_squared <= 1": attrs.evolve(NOISE, w_squared=2),
        },
    )


@pytest.mark.evidence(
    "wishart.theorem-4+repair@61996d9b",
    role="control",
    grade="symbolic",
    region="orthogonal unit records, noise cut by a quarter",
)
def test_less_symmetrised_noise_is_noticed(statement) -> None:
    """A scale of 3/4 multiplies the loss by 4/3."""
    assert statement.at(NOISE) is Truth.TRUE
    assert statement.nudged(lambda margin: 1 - (1 - margin) * 4 / 3).at(NOISE) is Truth.FALSE


@pytest.mark.evidence(
    "wishart.psd-preservation@3938a5dd",
    role="supports",
    grade="symbolic",
    region="every d, n, m; symbolically for d, n, m <= 3",
)
def test_wishart_output_is_semidefinite(statement) -> None:
    """u'(XX' + GG')u is |X'u|^2 + |G'u|^2."""
    for d, columns in product((1, 2, 3), repeat=2):
        x, g = (sympy.MatrixSymbol(name, d, columns).as_explicit() for name in "XG")
        u = sympy.MatrixSymbol("u", d, 1).as_explicit()
        form = (u.T * (x * x.T + g * g.T) * u)[0, 0]
        squares = sum(entry**2 for entry in x.T * u) + sum(entry**2 for entry in g.T * u)
        assert sympy.expand(form - squares) == 0
    values = []
    for k in range(1, 25):
        x, g = (fmpq_mat(3, 4, [fmpq((i * k + shift) % 11 - 5, 7) for i in range(12)]) for shift in (0, 3))
        u = fmpq_mat(3, 1, [fmpq(k % 5 - 2, 3), 1, fmpq(-k, 9)])
        squares = sum(fmpq(entry) ** 2 for part in (x, g) for entry in (part.transpose() * u).entries())
        values.append((PositiveDefiniteSum(x, g, u), fmpq(squares)))
    bind(statement, values)
    assert statement.at(values[0][0]) is Truth.TRUE


@pytest.mark.evidence(
    "wishart.psd-preservation@3938a5dd", role="control", grade="symbolic", region="noise W_1 - W_2 in place of W"
)
def test_noise_that_is_not_semidefinite_is_noticed(statement) -> None:
    zero, one = fmpq_mat(1, 1, [0]), fmpq_mat(1, 1, [1])
    point = PositiveDefiniteSum(zero, one, one)
    assert statement.nudged(lambda margin: margin - 2).at(point) is Truth.FALSE


@pytest.mark.evidence(
    "wishart.psd-preservation/laplace-may-leave@3938a5dd", role="supports", grade="symbolic", region="every entry and scale"
)
def test_laplace_output_may_be_indefinite(statement) -> None:
    """Pr(Lap(b) < -x) is exp(-x/b)/2 for x >= 0, and a negative diagonal entry rules semidefiniteness out."""
    z, scale, x = sympy.symbols("z b x", positive=True)
    tail = sympy.integrate(sympy.exp(-z / scale) / (2 * scale), (z, x, sympy.oo))
    assert sympy.simplify(tail - sympy.exp(-x / scale) / 2) == 0
    points = [LaplaceDiagonal(Fraction(i, 9), Fraction(k, 4)) for i in range(0, 10, 2) for k in (1, 2, 5, 40)]
    bind(
        statement, ((p, (sympy.exp(-sympy.Rational(p.entry) / sympy.Rational(p.scale)) / 2).evalf(50)) for p in points)
    )
    assert statement.strict
    bind_hypotheses(
        statement,
        LaplaceDiagonal(1, 1),
        {
            "entry >= 0": LaplaceDiagonal(-1, 1),
            "entry <= 1": LaplaceDiagonal(2, 1),
            "scale > 0": LaplaceDiagonal(1, 0),
        },
    )
    assert ctx.prec == 53
