"""`wishart.lemma-5`: a packing of subspaces."""

from __future__ import annotations

from fractions import Fraction

import attrs
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import identity, spectral_norm
from dpmatrix.spec.wishart.packing import Packing, separated_family
from dpmatrix.tracing import bind_expression

lemma_5 = cite("wishart.lemma-5@2f934ea7")

k_, d_, x_, rate_ = sympy.symbols("rank dimension delta rate", positive=True)


def block(top: fmpq_mat, bottom: fmpq_mat) -> fmpq_mat:
    """Stack two matrices."""
    return fmpq_mat(top.nrows() + bottom.nrows(), top.ncols(), [*top.entries(), *bottom.entries()])


def graph(m: fmpq_mat) -> fmpq_mat:
    return block(identity(m.ncols()), m)


def projector_onto(columns: fmpq_mat) -> fmpq_mat:
    return columns * (columns.transpose() * columns).inv() * columns.transpose()


def contraction(rows: int, columns: int, seed: int) -> fmpq_mat:
    """Return a matrix of Frobenius norm, hence of spectral norm, at most 1."""
    entries = [fmpq((seed * (7 * i + 3) + i * i) % 11 - 5, 6 * rows * columns) for i in range(rows * columns)]
    return fmpq_mat(rows, columns, entries)


PACKINGS = [
    Packing(k, d, delta, Fraction(1, 2))
    for k, d in ((1, 2), (1, 5), (2, 4), (3, 4), (2, 2))
    for delta in (Fraction(1, 16), Fraction(1, 17), Fraction(1, 40), Fraction(3, 1000))
]
SMALL_BALLS = (
    "every 1 <= k <= d, 0 < delta <= 1/16: derivation in the docstring, its identities checked exactly for d <= 5"
)


@lemma_5.supports_repair(grade="derived", region=SMALL_BALLS)
def test_graphs_of_contractions_are_a_packing(statement) -> None:
    """Y_M = span of [I; M] with M of shape (d - k) x k, ||M||_2 <= 1, has complement span of [-M'; I].

    [-M'; I]'[I; N] = N - M, and the orthonormal frames are those blocks times (I + MM')^(-1/2) and (I + N'N)^(-1/2),
    of smallest singular value at least 2^(-1/2). So ||P_M - P_N|| >= ||(I - P_M) P_N|| >= ||M - N|| / 2. Take a maximal
    set of M in the unit ball of the spectral norm, pairwise more than 4 delta apart: balls of radius 4 delta around its
    members cover, hence N (4 delta)^D >= 1 with D = k(d - k), and projectors are pairwise more than 2 delta apart.
    (1/(4 delta))^D >= (1/delta)^(D/2) says 16 delta <= 1. In the plane lines at an angle u have projectors sin(u)
    apart, so N of them, equally spaced, are more than 2 delta apart if pi/N > arcsin(2 delta), and no more can be.
    """
    for k, d in ((1, 2), (1, 4), (2, 3), (2, 4), (3, 5)):
        for seed in (1, 2, 3):
            m, n = contraction(d - k, k, seed), contraction(d - k, k, seed + 4)
            normal = block(-1 * m.transpose(), identity(d - k))
            assert (normal.transpose() * graph(n) - (n - m)).entries() == [fmpq(0)] * (k * (d - k))
            assert (normal.transpose() * graph(m)).rank() == 0
            apart = spectral_norm(projector_onto(graph(m)) - projector_onto(graph(n)))
            assert apart > spectral_norm(m - n) / 2, "strict, as these M are inside the ball"
    power = (1 / (4 * x_)) ** (k_ * (d_ - k_)) / (1 / x_) ** (k_ * (d_ - k_) / 2)
    base = 1 / (4 * sympy.sqrt(x_))
    assert sympy.simplify(sympy.expand_log(sympy.log(power) - k_ * (d_ - k_) * sympy.log(base), force=True)) == 0
    assert sympy.simplify(base.subs(x_, sympy.Rational(1, 16)) - 1) == 0
    assert sympy.simplify(sympy.diff(base, x_)).is_negative
    plane = sympy.ceiling(sympy.pi / sympy.asin(2 * x_)) - 1
    volume = (1 / (4 * x_)) ** (k_ * (d_ - k_))
    asked = 2 ** (rate_ * k_ * (d_ - k_) * sympy.log(1 / x_, 2))
    in_the_plane = sympy.And(sympy.Eq(k_, 1), sympy.Eq(d_, 2))
    bind_expression(statement, sympy.Piecewise((plane - asked, in_the_plane), (volume - asked, True)))
    for p in PACKINGS:
        spaced = int(separated_family(p).unique_fmpz()) if (p.rank, p.dimension) == (1, 2) else 0
        if spaced:
            least = arb.sin_pi(1 / arb(spaced))
            assert least > 2 * ball(p.delta)
            assert not arb.sin_pi(1 / arb(spaced + 1)) > 2 * ball(p.delta)
        if p.delta == Fraction(1, 16) and not spaced:
            chosen = statement.exhibiting(p)
            assert statement.margin(chosen).contains(0), "equality: the volume bound allows no rate above one half"
        else:
            assert statement.at(p) is Truth.TRUE
    inside = Packing(1, 3, Fraction(1, 100), Fraction(1, 2))
    outside = {
        "rank >= 1, an integer": attrs.evolve(inside, rank=0),
        "k <= d": attrs.evolve(inside, rank=4),
        "delta > 0": attrs.evolve(inside, delta=0),
        "delta <= 1/16": attrs.evolve(inside, delta=Fraction(1, 15)),
        "rate > 0": attrs.evolve(inside, rate=0),
    }
    bind_hypotheses(statement, inside, outside)
    assert statement.applies(Packing(1, 1, Fraction(1, 16), Fraction(1, 2))) is Truth.TRUE


@lemma_5.controls("+repair", grade="interval", region="rate 3 in the plane; rate 1, and delta slightly above 1/16")
def test_rate_one_half_needs_small_balls(statement) -> None:
    """A rate of 3 is false of lines; of a larger rate or delta than stated the volume bound says nothing."""
    lines = Packing(1, 2, Fraction(1, 16), 3)
    assert statement.exhibits(rate=3).at(lines) is Truth.FALSE, "25 lines, not 4096"
    wide, fast = statement.without("delta <= 1/16"), statement.exhibits(rate=1)
    for k, d in ((2, 5), (4, 5)):
        assert wide.at(Packing(k, d, Fraction(1, 15), Fraction(1, 2))) is Truth.FALSE
        assert fast.at(Packing(k, d, Fraction(1, 20), 1)) is Truth.FALSE


@lemma_5.refutes(
    grade="derived",
    region="every rate > 0: sqrt(1/2) <= delta < 1 and all 1 <= k < d, by the docstring; rates 10^-12, .., 10^12",
)
def test_no_two_large_balls_are_disjoint(statement) -> None:
    """Turn a basis half way: principal vectors c e + s f of angle t have the midpoint of angle t/2, sin(t/2)^2 <= 1/2.

    In the plane of one principal pair, and so in all of them together, projectors of angle u are sin(u) apart. Hence
    N = 1 for delta^2 >= 1/2, while (1/delta)^(rate k (d - k)) > 1 for delta < 1 and every rate > 0.
    """
    t, u = sympy.symbols("t u", real=True)
    first, second = (sympy.Matrix([sympy.cos(a), sympy.sin(a)]) for a in (t, u))
    difference = first * first.T - second * second.T
    assert sympy.simplify(difference.trace()) == 0
    assert sympy.simplify(difference.det() + sympy.sin(t - u) ** 2) == 0, "eigenvalues are +- sin of the angle"
    assert sympy.sin(sympy.pi / 4) ** 2 == sympy.Rational(1, 2), "t/2 <= pi/4"
    for delta in (Fraction(3, 4), Fraction(99, 100), Fraction(7072, 10000)):
        for k, d in ((1, 2), (2, 4), (5, 9), (1, 40)):
            statement.refute(lambda rate, k=k, d=d, delta=delta: Packing(k, d, delta, rate))
    lines = [Fraction(i, 29) for i in range(1, 21)]
    bind(
        statement,
        [
            (
                Packing(1, 2, delta, 1),
                sympy.ceiling(sympy.pi / (2 * sympy.asin(sympy.Rational(delta))))
                - 1
                - 1 / sympy.Rational(delta).evalf(60),
            )
            for delta in lines
        ],
    )
    bind(
        statement,
        [
            (
                Packing(k, k + 2, Fraction(i, 20), Fraction(1, 7)),
                1 - (20 / sympy.Integer(i)) ** sympy.Rational(2 * k, 7).evalf(60),
            )
            for i in (15, 16, 17, 18, 19)
            for k in (1, 2, 3, 4)
        ],
    )
    inside = Packing(1, 3, Fraction(1, 100), 1)
    outside = {
        "rank >= 1, an integer": attrs.evolve(inside, rank=0),
        "k <= d": attrs.evolve(inside, rank=4),
        "delta > 0": attrs.evolve(inside, delta=0),
        "rate > 0": attrs.evolve(inside, rate=0),
    }
    bind_hypotheses(statement, inside, outside)


@lemma_5.refutes(grade="interval", region="lines of the plane, every rate, delta = 0.7072, just over sqrt(1/2)")
def test_small_balls_in_the_plane_are_disjoint(statement) -> None:
    """The refutation is no artefact of the margin: it starts at sqrt(1/2); below, two lines have disjoint balls."""
    statement.refute(lambda rate: Packing(1, 2, Fraction(7072, 10000), rate))
    assert statement.conclusion(Packing(1, 2, Fraction(7071, 10000), Fraction(1, 2))) is Truth.TRUE
    assert statement.conclusion(Packing(1, 2, Fraction(1, 10), 1)) is Truth.TRUE
    for delta in (Fraction(9, 10), Fraction(1, 10)):
        assert statement.conclusion(Packing(2, 2, delta, 1)) is Truth.TRUE, "k = d: one subspace, exponent 0"
    unknown = statement.conclusion(Packing(2, 5, Fraction(1, 10), 1))
    assert unknown is Truth.UNDECIDED, "not known exactly, so not claimed"
