"""`wishart.theorem-10`: the lower bound that a packing of subspaces gives."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import sympy
from flint import arb, fmpq

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.forms import Number
from dpmatrix.exact import ball, precision, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.wishart import lower_bound
from dpmatrix.spec.wishart.lower_bound import ConstantOutput, PackingBound, packing_radius
from dpmatrix.spec.wishart.lower_bound_proof import ErrorAbove, ProjectorData
from dpmatrix.tracing import bind_expression

theorem_10 = cite("wishart.theorem-10@b3ec4e13")

k_, d_, x_, rate_, gamma_, e_, c_ = sympy.symbols("rank dimension delta rate gamma epsilon constant", positive=True)
LOG_TWO = sympy.log(2)


ONE = ConstantOutput((3, 1, 0), (2, 0, 0), 1, Fraction(1, 2), Fraction(1, 3))
CONSTANTS = [
    ConstantOutput(data, output, rank, epsilon, constant)
    for data, output, rank in (
        ((3, 1, 0), (2, 0, 0), 1),
        ((Fraction(5, 2), 2), (0, 2), 1),
        ((4, 4, 1, 1), (5, 0, 7, 0), 3),
        ((2, 1), (0, 0), 2),
        ((Fraction(1, 20), 0), (0, 0), 1),
    )
    for epsilon, constant in (
        (1, 1),
        (Fraction(1, 9), 2),
        (7, Fraction(1, 50)),
        (3, 3),
        (Fraction(2, 3), 11),
        (5, 6),
        (8, 9),
    )
]


def slack(p: ConstantOutput) -> sympy.Rational:
    """Return lambda_(k+1) + c d / epsilon - max |a_i - o_i|, exactly."""
    exact = sympy.Rational
    error = max(abs(exact(a) - exact(o)) for a, o in zip(p.data, p.output, strict=True))
    return exact([*p.data, 0][p.rank]) + exact(p.constant) * len(p.data) / exact(p.epsilon) - error


@theorem_10.refutes(
    grade="derived", region="every c, d, k and epsilon, as soon as n > c d / epsilon; three d, k, epsilon, 13 c each"
)
def test_a_constant_mechanism_errs_by_the_data(statement) -> None:
    """Publishing 0 errs by n on n copies of e_1, and publishing n e_1 e_1' errs by 0 on them."""
    bind(statement, [(p, slack(p).evalf(60)) for p in CONSTANTS])
    for d, k, epsilon in ((1, 1, 1), (2, 1, Fraction(1, 10)), (9, 5, 3)):
        share = fmpq(d) / rational(epsilon)

        def copies(constant: Number, d: int = d, share: fmpq = share) -> tuple[Number, ...]:
            return int(rational(constant) * share) + 1, *(0,) * (d - 1)

        def zero(constant: Number, d: int = d, k: int = k, epsilon: Number = epsilon) -> ConstantOutput:
            return ConstantOutput(copies(constant), (0,) * d, k, epsilon, constant)

        statement.refute(zero)
        exact = ConstantOutput(copies(1), copies(1), k, epsilon, 1)
        assert statement.conclusion(exact) is Truth.TRUE
    level = ConstantOutput((3, 1, 0), (0, 0, 0), 1, Fraction(3, 2), 1)
    assert statement.conclusion(level) is Truth.TRUE, "equality of the error 3 and 1 + 3 / (3/2)"
    outside = {
        "A is positive semidefinite, its eigenvalues decrease": attrs.evolve(ONE, data=(3, 1, Fraction(-1, 20))),
        "the output has rank at most k": attrs.evolve(ONE, output=(2, 1, 0)),
        "rank >= 1, an integer": attrs.evolve(ONE, rank=0, output=(0, 0, 0)),
        "k <= d": attrs.evolve(ONE, rank=4),
        "epsilon > 0": attrs.evolve(ONE, epsilon=0),
        "constant > 0": attrs.evolve(ONE, constant=0),
    }
    bind_hypotheses(statement, ONE, outside)
    assert statement.applies(attrs.evolve(ONE, data=(1, 3, 0))) is Truth.FALSE


def bound_point(d: int, share: Fraction, epsilon: Fraction, k: int = 1) -> PackingBound:
    """Return gamma epsilon = about ``share`` of (2 d - 3) log 2, from below."""
    gamma = int(share * (2 * d - 3) * Fraction(6931, 10000) / epsilon)
    return PackingBound(d, k, 2 * gamma, gamma, epsilon)


BOUNDS = [
    bound_point(d, share, epsilon, d)
    for d in (2, 3, 5, 20, 1000)
    for share in (Fraction(51, 100), Fraction(99, 100))
    for epsilon in (Fraction(1, 100), Fraction(1, 333), Fraction(1, 7000))
]
PRIVATE = (
    "every d >= 2, k <= d, n >= gamma and epsilon: derivation in the docstring, its algebra checked; group privacy and "
    "Markov's inequality for one random error"
)


@theorem_10.supports_repair(grade="derived", region=PRIVATE)
def test_small_errors_would_need_more_than_all_the_mass(statement) -> None:
    """Let A^i = gamma u_i u_i' with lines from Lemma 5 (k = 1), |u_i u_i' - u_j u_j'| > 2 delta; lambda_(k+1)(A^i) = 0.

    Suppose that E ||A^i - A^_k|| < delta gamma / 2 for every i. By Markov the ball B_i of radius delta gamma about A^i
    has more than half of the mass at A^i, and by group privacy (gamma records differ) more than exp(-gamma eps)/2 at
    A^1. The N balls are disjoint, so (N/2) exp(-gamma eps) < 1. With delta gamma / 2 = (log 2/128) d/eps and
    (2d - 3) log 2 / 2 <= gamma eps, delta <= d / (32 (2d - 3)) <= 1/16, so N >= (1/delta)^((d - 1)/2) >= 4^(d - 1), and
    log((N/2) exp(-gamma eps)) >= (2d - 2) log 2 - log 2 - (2d - 3) log 2 = 0, a contradiction.
    """
    delta = 2 * (LOG_TWO / 128) * d_ / (gamma_ * e_)
    assert sympy.simplify(delta * gamma_ / 2 - LOG_TWO / 128 * d_ / e_) == 0, "half the radius is the error"
    largest = sympy.simplify(delta.subs(e_, (2 * d_ - 3) * LOG_TWO / 2 / gamma_))
    assert sympy.simplify(largest - d_ / (32 * (2 * d_ - 3))) == 0
    assert sympy.factor(sympy.Rational(1, 16) - largest) == sympy.factor(3 * (d_ - 2) / (32 * (2 * d_ - 3)))
    mass = (d_ - 1) * sympy.log(1 / x_) / 2 - gamma_ * e_ - LOG_TWO
    least = mass.subs(x_, sympy.Rational(1, 16)).subs(e_, (2 * d_ - 3) * LOG_TWO / gamma_)
    assert sympy.simplify(sympy.expand_log(least, force=True)) == 0
    formula = mass.subs(x_, delta)
    bind_expression(statement, formula)
    assert all(statement.at(p) is Truth.TRUE for p in BOUNDS)
    assert statement.at(PackingBound(2, 2, 1, 1, Fraction(1, 2))) is Truth.TRUE, "one record, one copy"
    inside = bound_point(4, Fraction(3, 4), Fraction(1, 1000))
    outside = {
        "dimension >= 2, an integer": PackingBound(1, 1, 5, 1, 1),
        "rank >= 1, an integer": attrs.evolve(inside, rank=0),
        "k <= d": attrs.evolve(inside, rank=5),
        "gamma >= 1, an integer": attrs.evolve(inside, gamma=0),
        "gamma <= n": attrs.evolve(inside, records=inside.gamma - 1),
        "epsilon > 0": attrs.evolve(inside, epsilon=0),
        "gamma epsilon <= (2 d - 3) log 2": bound_point(4, Fraction(101, 100), Fraction(1, 1000)),
        "gamma epsilon >= (2 d - 3) log 2 / 2": bound_point(4, Fraction(49, 100), Fraction(1, 1000)),
    }
    coupled = {"dimension >= 2, an integer", "gamma >= 1, an integer", "epsilon > 0"}
    bind_hypotheses(statement, inside, outside)
    for says in outside.keys() - coupled:
        assert statement.without(says).applies(outside[says]) is Truth.TRUE, "it violates one hypothesis alone"


@theorem_10.controls("+repair", grade="interval", region="dropped hypotheses, a larger constant")
def test_the_bound_needs_its_hypotheses(statement) -> None:
    """More copies than the privacy allows, too few copies, or a ninefold error: no contradiction is left."""
    crowded, few = bound_point(40, Fraction(2), Fraction(1, 1000)), bound_point(40, Fraction(1, 200), Fraction(1, 1000))
    assert statement.without("gamma epsilon <= (2 d - 3) log 2").at(crowded) is Truth.FALSE
    assert statement.without("gamma epsilon >= (2 d - 3) log 2 / 2").at(few) is Truth.FALSE

    def ninefold(p: PackingBound) -> arb:
        return 9 * packing_radius(p)

    larger = redefined(statement, lower_bound, "packing_radius", ninefold)
    assert larger.at(bound_point(40, Fraction(99, 100), Fraction(1, 1000))) is Truth.FALSE


LINES = [
    ProjectorData(k, d, gamma, delta, epsilon, rate, constant)
    for k, d in ((1, 2), (2, 5), (6, 7))
    for gamma, delta, epsilon in ((1, Fraction(1, 3), 1), (10, Fraction(1, 10), Fraction(1, 5)), (3, Fraction(2, 5), 2))
    for rate, constant in ((Fraction(1, 2), 1), (1, Fraction(1, 9)), (Fraction(1, 7), 3))
]
HYPOTHESES = {
    "rank >= 1, an integer": {"rank": 0},
    "k < d": {"rank": 2},
    "gamma >= 1, an integer": {"gamma": 0},
    "delta > 0": {"delta": 0},
    "delta < 1": {"delta": 1},
    "epsilon > 0": {"epsilon": 0},
}


def numbers(p: ProjectorData) -> dict[sympy.Symbol, sympy.Rational]:
    exact = sympy.Rational
    return {
        k_: p.rank,
        d_: p.dimension,
        gamma_: p.gamma,
        x_: exact(p.delta),
        e_: exact(p.epsilon),
        rate_: exact(p.rate),
        c_: exact(p.constant),
    }


def check_line(statement, inside: ProjectorData, more: dict[str, dict[str, object]]) -> None:
    bind_hypotheses(
        statement, inside, {says: attrs.evolve(inside, **change) for says, change in (HYPOTHESES | more).items()}
    )


@theorem_10.refutes("small-error", grade="symbolic", region="k = 1, d = 2, gamma = 10, delta = 1/10")
@theorem_10.refutes("projector", grade="symbolic", region="k = 1, d = 2, gamma = 10, delta = 1/10")
@theorem_10.refutes(
    "disjoint-balls", grade="interval", region="lines of the plane, gamma = 1, delta = 1/4, epsilon = 1/100"
)
def test_broken_lines(statements) -> None:
    """Publish 0: error gamma. Publish gamma YY': |gamma YY' - YY'| = gamma - 1. At 4 delta >= 1 every ball is all."""
    small, projector, disjoint = (
        statements[f"wishart.theorem-10/{name}"] for name in ("small-error", "projector", "disjoint-balls")
    )
    point = ProjectorData(1, 2, 10, Fraction(1, 10), 1, 1, 1)
    bind_expression(small, x_ * gamma_ - gamma_)
    bind_expression(projector, 2 * x_ * gamma_ - (gamma_ - 1))
    assert small.at(point) is Truth.FALSE
    assert projector.at(point) is Truth.FALSE
    assert projector.at(attrs.evolve(point, gamma=2, delta=Fraction(1, 4))) is Truth.TRUE, "equality"
    check_line(small, point, {})
    check_line(projector, point, {})
    plane = [
        ProjectorData(1, 2, g, Fraction(1, i), Fraction(1, j), 1, 1)
        for g in (1, 2)
        for i in (3, 4)
        for j in (2, 3, 50, 99, 200)
    ]
    lines = sympy.ceiling(sympy.pi / (2 * sympy.asin(x_))) - 1
    formula = 1 - sympy.exp(-2 * gamma_ * k_ * e_) * lines / 2
    bind(disjoint, [(p, formula.subs(numbers(p)).evalf(60)) for p in plane])
    overlap = ProjectorData(1, 2, 1, Fraction(1, 4), Fraction(1, 100), 1, 1)
    assert disjoint.at(overlap) is Truth.FALSE, "six lines, each ball of radius 1 has all the mass"
    everywhere = "4 delta >= 1: any output is in each ball"
    assert disjoint.applies(attrs.evolve(overlap, delta=Fraction(6, 25))) is Truth.FALSE
    check_line(disjoint.without(everywhere), overlap, {})


LAST = ProjectorData(1, 4, 2, Fraction(1, 16), 1, Fraction(1, 2), Fraction(1, 16))
PREMISE, LOW, FOUR = "(1/2) exp(-2 gamma k eps) N <= 1", "k <= d/2", "N >= 4"
HALF = Fraction(1, 2)


def at_eighth(k: int, d: int, gamma: int, delta, epsilon, rate) -> ProjectorData:
    return ProjectorData(k, d, gamma, delta, epsilon, rate, Fraction(rate) / 8)


LASTS = [
    at_eighth(k, d, gamma, Fraction(1, i), Fraction(e, 3), rate)
    for (k, d), gamma, i, e, rate in product(((1, 2), (1, 9), (3, 7)), (1, 20), (2, 50), (1, 6), (HALF, 2))
]


@theorem_10.supports(
    "last-line", grade="derived", region="every k <= d/2, d, delta, epsilon and rate with N >= 4: the docstring"
)
def test_a_large_family_needs_many_copies(statement) -> None:
    """Log N = rate k (d-k) log(1/delta) <= log 2 + 2 gamma k eps, and log 2 <= (log N)/2 for N >= 4. So 2 gamma k eps
    >= (log N)/2, gamma >= rate (d-k) log(1/delta)/(4 eps) (1), and d - k >= d/2: c = rate/8.
    """  # noqa: D205
    count = rate_ * k_ * (d_ - k_) * sympy.log(1 / x_)
    assert sympy.simplify(count / 2 / (2 * k_ * e_) - rate_ * (d_ - k_) * sympy.log(1 / x_) / (4 * e_)) == 0, "(1)"
    bind_expression(statement, gamma_ - c_ * d_ * sympy.log(1 / x_) / e_)
    inside = [p for p in LASTS if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 5
    assert any(p.dimension == 2 * p.rank for p in inside), "half of d is allowed"
    assert all(statement.at(p) is Truth.TRUE for p in inside)
    outside = {says: change for says, change in HYPOTHESES.items() if says != "k < d"}
    outside |= {
        LOW: {"rank": 3},
        "rate > 0": {"rate": 0, "constant": 0},
        FOUR: {"delta": Fraction(9, 10)},
        PREMISE: {"dimension": 40},
    }
    changed = {says: attrs.evolve(LAST, **change) for says, change in outside.items()}
    bind_hypotheses(statement, LAST, changed)
    assert statement.applies(attrs.evolve(LAST, rank=5, dimension=9, gamma=20)) is Truth.FALSE, "5 is above 9/2"
    for p in LASTS:
        exhibited = statement.exhibiting(attrs.evolve(p, constant=9)).constant
        assert exhibited.overlaps(ball(p.constant)), "c = rate/8"
    bounds = {condition.says: condition.margin for condition in statement.given}
    with precision(256):
        for p in LASTS:
            size = count.subs(numbers(p)).evalf(60)
            mass = (1 - sympy.exp(count - 2 * gamma_ * k_ * e_) / 2).subs(numbers(p)).evalf(60)
            for says, value in ((PREMISE, mass), (FOUR, size - sympy.log(4).evalf(60))):
                assert abs(bounds[says](p) - arb(str(value))) < arb(10) ** -40 * (1 + abs(bounds[says](p)))


@theorem_10.controls("last-line", grade="interval", region="k = d - 1 = 199; five times the constant; a small family")
def test_the_last_line_is_of_low_rank_and_large_families(statement) -> None:
    """At k = d - 1 the premise asks for no growth with d: 199 log 16 / 2 < log 2 + 398."""
    high = at_eighth(199, 200, 1, Fraction(1, 16), 1, HALF)
    assert statement.without(LOW).at(high) is Truth.FALSE
    small = at_eighth(1, 2, 1, HALF, Fraction(1, 100), HALF)
    assert statement.without(FOUR).at(small) is Truth.FALSE

    def five_eighths(rate: Number) -> arb:
        return arb(5) * ball(rate) / 8

    tight = ProjectorData(1, 2, 4, Fraction(1, 55), HALF, 1, Fraction(5, 8))
    assert statement.exhibits(constant=five_eighths).at(tight) is Truth.FALSE


@theorem_10.supports("markov", grade="derived", region="every law of the error")
def test_markov(statement) -> None:
    """The mass q above 2a costs the mean at least q times the conditional error x > 2a: q x <= a, so q <= a/x < 1/2."""
    a, error = sympy.symbols("a error", positive=True)
    assert sympy.simplify(sympy.Rational(1, 2) - a / error - (error - 2 * a) / (2 * error)) == 0
    bind_expression(statement, sympy.Rational(1, 2) - sympy.Symbol("mass"))
    inside = ErrorAbove(1, Fraction(17, 8), Fraction(1, 4))
    assert statement.at(inside) is Truth.TRUE
    assert statement.at(ErrorAbove(0, 1, 0)) is Truth.TRUE, "no error, with probability 1"
    outside = {
        "mean >= 0": ErrorAbove(Fraction(-1, 99), Fraction(-1, 60), 1),
        "error > 4 delta gamma": ErrorAbove(1, 2, Fraction(1, 2)),
        "error mass <= 2 delta gamma": ErrorAbove(1, 3, Fraction(1, 2)),
    }
    bind_hypotheses(statement, inside, outside)
    for says in ("error > 4 delta gamma", "error mass <= 2 delta gamma"):
        assert statement.without(says).at(outside[says]) is Truth.FALSE, "with equality the mass may be one half"


@theorem_10.supports("distance", grade="symbolic", region="every k and gamma")
@theorem_10.supports(
    "group-privacy",
    grade="derived",
    region="every k, gamma, eps > 0: group privacy gives exp(gamma k eps), and the rest is an identity",
)
def test_sound_lines(statements) -> None:
    """2 gamma k - gamma k = gamma k, and exp(2t) - exp(t) = exp(t)(exp(t) - 1) > 0 for t = gamma k eps > 0."""
    distance, group = statements["wishart.theorem-10/distance"], statements["wishart.theorem-10/group-privacy"]
    t = gamma_ * k_ * e_
    assert sympy.expand(sympy.exp(t) * (sympy.exp(t) - 1) - sympy.exp(2 * t) + sympy.exp(t)) == 0
    bind_expression(distance, 2 * gamma_ * k_ - gamma_ * k_)
    assert (2 * gamma_ * k_ - gamma_ * k_).is_positive
    bind_expression(group, sympy.exp(2 * t) - sympy.exp(t))
    for statement in (distance, group):
        assert all(statement.at(p) is Truth.TRUE for p in LINES)
    inside = ProjectorData(1, 2, 1, Fraction(1, 9), 1, 1, 1)
    outside = {
        "rank >= 1, an integer": attrs.evolve(inside, rank=-1),
        "gamma >= 1, an integer": attrs.evolve(inside, gamma=-1),
    }
    bind_hypotheses(distance, inside, outside)
    bind_hypotheses(group, inside, outside | {"epsilon > 0": attrs.evolve(inside, epsilon=0)})
