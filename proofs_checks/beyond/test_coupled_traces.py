"""Noise of coupled traces: private by its density, drawn as it is stated, and less than two Wishart matrices."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.beyond import coupled_traces
from dpmatrix.spec.beyond.coupled_traces import CoupledPair, Order, TracesPoint
from dpmatrix.spec.common.spectra import trace
from dpmatrix.tracing import bind_expression

privacy = cite("beyond.coupled-traces-privacy@7713d6c2")
sampler = cite("beyond.coupled-traces-sampler@20b626a7")
noise = cite("beyond.coupled-traces-noise@b09eae56")

RECORDS = (
    ((1, 0), (0, 1)),
    ((Fraction(3, 5), Fraction(4, 5)), (Fraction(-4, 5), Fraction(3, 5))),
    ((0, 0), (Fraction(1, 2), Fraction(1, 3))),
    ((Fraction(-1, 4), 0), (0, 0)),
)
SEMIDEFINITE = (
    fmpq_mat([[3, 1], [1, 2]]),
    fmpq_mat([[fmpq(1, 2), 0], [0, fmpq(1, 7)]]),
    fmpq_mat([[5, fmpq(-7, 2)], [fmpq(-7, 2), 9]]),
)


def pairs() -> Iterator[tuple[CoupledPair, Fraction]]:
    """Yield pairs of densities that both live, made from semidefinite matrices, and the margin from their traces."""
    for (v, w), first, second, (records, epsilon) in product(
        RECORDS, SEMIDEFINITE, SEMIDEFINITE, ((1, Fraction(1)), (5, Fraction(7, 3)))
    ):
        added = [fmpq_mat(2, 2, [rational(x) * rational(y) / records for x in r for y in r]) for r in (v, w)]
        point = CoupledPair(first + added[0], second + added[1], v, w, records, epsilon)
        before, after = ((trace(first), trace(second)), (trace(point.first), trace(point.second)))
        fall = max(after) - max(before)
        yield point, epsilon * (1 - records * Fraction(int(fall.p), int(fall.q)))


POINT = next(point for point, _ in pairs())
OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(POINT, records=0),
    "epsilon > 0": attrs.evolve(POINT, epsilon=0),
    "|v| <= 1": attrs.evolve(POINT, v=(1, Fraction(1, 100))),
    "|w| <= 1": attrs.evolve(POINT, w=(Fraction(1, 100), 1)),
}


@privacy.supports(
    grade="derived",
    region="every d, P, Q, v, w, n and epsilon, by the docstring; 72 exact points, d = 2, and both ends of the cone",
)
def test_the_density_changes_by_at_most_the_guarantee(statement) -> None:
    """Where P - vv'/n and Q - ww'/n are semidefinite, so are P and Q: sums of semidefinite matrices are.

    There the log of the quotient is n epsilon times max(a, b) - max(a - x, b - y), with a = tr P, b = tr Q, x = |v|^2/n
    and y = |w|^2/n. If a is the larger, max(a - x, b - y) >= a - x (1), else it is at least b - y: so the difference is
    at most max(x, y), which is at most 1/n. Elsewhere the first density is zero.
    """
    a, b, x, y = sympy.symbols("a b x y", real=True)
    least = sympy.Max(a - x, b - y)
    for larger, change in ((a, x), (b, y)):
        assert (larger - change) in least.args, "(1)"
    bind(statement, pairs())
    bind_hypotheses(statement, POINT, OUTSIDE)
    assert statement.at(POINT) is Truth.TRUE, "met exactly"
    assert not statement.strict
    outside = attrs.evolve(POINT, first=fmpq_mat([[fmpq(49, 50), 0], [0, 1]]))
    assert statement.margin(outside).overlaps(arb(1).exp()), "P - vv' is indefinite"
    end = attrs.evolve(POINT, first=fmpq_mat([[1, 0], [0, 0]]), second=fmpq_mat([[0, 0], [0, 1]]))
    assert statement.margin(end) == 0, "P - vv' and Q - ww' are zero, which is semidefinite"
    crooked = attrs.evolve(POINT, first=fmpq_mat([[4, 1], [0, 4]]))
    assert statement.margin(crooked).overlaps(arb(1).exp()), "not symmetric"


@privacy.controls(grade="interval", region="the sum of the traces in place of the larger; longer records; one matrix")
def test_other_densities_and_longer_records_lose_more(statement) -> None:
    def sum_of_traces(first: fmpq_mat, second: fmpq_mat) -> arb:
        return arb(trace(first) + trace(second))

    assert statement.at(POINT) is Truth.TRUE
    assert redefined(statement, coupled_traces, "larger_trace", sum_of_traces).at(POINT) is Truth.FALSE
    for says, field in (("|v| <= 1", "v"), ("|w| <= 1", "w")):
        longer = attrs.evolve(POINT, **{field: (Fraction(11, 10), 0)}, first=20 * POINT.first, second=20 * POINT.first)
        other = attrs.evolve(longer, **{"w" if field == "v" else "v": (Fraction(1), 0)})
        larger = attrs.evolve(other, **{"first" if field == "v" else "second": 21 * POINT.first})
        assert statement.without(says).at(larger) is Truth.FALSE
    # with the records' matrices subtracted there are pairs that the neighbour alone can give
    removed = redefined(statement, coupled_traces, "outer", lambda record, records=1: -minus(record, records))
    assert removed.at(attrs.evolve(POINT, first=fmpq_mat([[fmpq(-1, 2), 0], [0, 0]]))) is Truth.FALSE


def minus(record, records):
    entries = [rational(entry) for entry in record]
    return fmpq_mat(len(entries), len(entries), [x * y / records for x in entries for y in entries])


TRACES = [
    TracesPoint(d, larger, larger * share)
    for d, larger, share in product((1, 2, 3, 8), (Fraction(1, 3), 7, 90), (Fraction(1, 50), Fraction(9, 10)))
]
TRACES_OUTSIDE = {
    "dimension >= 1, an integer": TracesPoint(0, 2, 1),
    "smaller > 0": TracesPoint(2, 2, 0),
    "smaller < larger": TracesPoint(2, 2, 2),
}


@sampler.supports(grade="derived", region="every d, l and s < l, by the docstring; 24 points, d = 1, 2, 3, 8")
def test_the_traces_are_drawn_from_their_density(statement) -> None:
    """The density of (M, V), V = U^(1/D), is m^(2D-1) e^(-m) / Gamma(2D) times D v^(D-1) (1). With l = m and s = m v of
    Jacobian l it is D (l s)^(D-1) e^(-l) / Gamma(2D) (2), and D / Gamma(2D) is one over the integral (3).
    """  # noqa: D205
    m, v, size = sympy.symbols("m v D", positive=True)
    u = sympy.Symbol("u", positive=True)
    assert sympy.simplify(sympy.diff(v**size, v) - size * v ** (size - 1)) == 0, "(1): V <= v where U <= v^D"
    drawn = m ** (2 * size - 1) * size * v ** (size - 1) / m
    larger, smaller = sympy.symbols("l s", positive=True)
    ratio = drawn.subs(v, smaller / m).subs(m, larger) / (size * (larger * smaller) ** (size - 1))
    assert sympy.simplify(sympy.expand_power_base(ratio, force=True)) == 1, "(2)"
    for number in (1, 3, 6):
        inner = sympy.integrate((larger * u) ** (number - 1), (u, 0, larger))
        whole = sympy.integrate(inner * sympy.exp(-larger), (larger, 0, sympy.oo))
        assert whole == sympy.gamma(2 * number) / number, "(3)"
    for p in TRACES:
        # D counts the entries on and above the diagonal, l and s are the point's
        degree = sum(range(1, p.dimension + 1))
        l_, s_ = arb(rational(p.larger)), arb(rational(p.smaller))
        stated = (degree - 1) * (l_ * s_).log() - l_ - (arb(2 * degree).gamma() / degree).log()
        assert coupled_traces.stated_log_density(p).overlaps(stated)
    bind(statement, ((p, 0) for p in TRACES))
    bind_hypotheses(statement, TRACES[3], TRACES_OUTSIDE)
    assert not statement.strict


@sampler.controls(grade="interval", region="powers 1/(D + 1) and 1/(D - 1); M of shape 2 D + 1")
def test_other_powers_have_another_density(statement) -> None:
    assert statement.conclusion(TRACES[9]) is Truth.UNDECIDED, "an equation"
    formula = coupled_traces.drawn_log_density
    for changed in (
        lambda p: formula(p) + (arb(rational(p.smaller)) / arb(rational(p.larger))).log(),
        lambda p: formula(p) - (arb(rational(p.smaller)) / arb(rational(p.larger))).log(),
        lambda p: formula(p) + arb(rational(p.larger)).log() - arb(p.dimension * (p.dimension + 1)).log(),
    ):
        other = redefined(statement, coupled_traces, "drawn_log_density", changed)
        assert [other.at(p) for p in TRACES[6:]].count(Truth.FALSE) >= 15


d_ = sympy.Symbol("dimension", positive=True, integer=True)
SIZE = d_ * (d_ + 1)
COUPLED = 2 * (d_ + 1) * SIZE**2 * (SIZE + 1) / ((SIZE + 2) * (SIZE + 4))
DIMENSION = {"dimension >= 1, an integer": Order(0)}


@noise.supports(grade="symbolic", region="every d >= 1: an identity in d, and positive coefficients")
@noise.supports("closed-form", grade="symbolic", region="every d >= 1: an identity in d")
def test_coupled_traces_are_less_noise_for_a_replaced_record(statements) -> None:
    """The quotient is k (k + 1) / ((k + 2) (k + 4)), and (k + 2)(k + 4) - k (k + 1) = 5 k + 8."""
    main = statements["beyond.coupled-traces-noise"]
    closed = statements["beyond.coupled-traces-noise/closed-form"]
    bind_expression(closed, sympy.Integer(0))
    symmetrised = 2 * d_ * (d_ + 1) ** 2
    bind_expression(main, sympy.Piecewise((symmetrised - COUPLED, d_ > 1), (symmetrised / 4 - COUPLED, True)))
    k = sympy.Symbol("k", positive=True)
    assert sympy.simplify(COUPLED / symmetrised - SIZE * (SIZE + 1) / ((SIZE + 2) * (SIZE + 4))) == 0
    assert sympy.expand((k + 2) * (k + 4) - k * (k + 1)) == 5 * k + 8
    assert (symmetrised / 4 - COUPLED).subs(d_, 1) == 0, "for d = 1 both are Laplace noise"
    for one in (main, closed):
        bind_hypotheses(one, Order(1), DIMENSION)
        assert not one.strict
    noise.tells("{} at d = 2", sympy.Rational(COUPLED.subs(d_, 2) / symmetrised.subs(d_, 2)))


@noise.controls("closed-form", grade="interval", region="d = 1, 2, 5: 1 % more or less")
def test_another_closed_form_is_not_the_mean_square(statement) -> None:
    for dimension, share in product((1, 2, 5), (fmpq(101, 100), fmpq(99, 100))):
        other = redefined(
            statement,
            coupled_traces,
            "closed_form",
            lambda p, share=share: share * coupled_traces.coupled_mean_square(p),
        )
        assert other.at(Order(dimension)) is Truth.FALSE


@noise.controls(grade="interval", region="d = 2, 5: twice the moment of the smaller trace; the shape of W_d(d, I)")
def test_with_another_moment_the_noise_would_be_more(statement) -> None:
    assert statement.at(Order(5)) is Truth.TRUE
    doubled = redefined(statement, coupled_traces, "shape_square", lambda d: 2 * arb(1) / d + arb(fmpq(2, d + 1)))
    assert doubled.at(Order(5)) is Truth.FALSE
    assert doubled.at(Order(2)) is Truth.FALSE


def test_moments_of_traces_by_quadrature() -> None:
    """For d = 1, 2, 3: of the density (p q)^(D-1) exp(-max(p, q)), with E tr U^2 and tr (E U)^2 of Wishart matrices."""
    for dimension in (1, 2, 3):
        size = mpmath.mpf(dimension * (dimension + 1)) / 2

        def moment(i: int, j: int, size: mpmath.mpf = size) -> mpmath.mpf:
            inner = size + j
            return mpmath.quad(lambda l: l ** (size - 1 + i) * mpmath.exp(-l) * l**inner / inner, [0, 10, 40, 200])

        mass = moment(0, 0)
        squares, product_ = (moment(2, 0) + moment(0, 2)) / mass, moment(1, 1) / mass
        k = 2 * size
        total = squares * 2 * (dimension + 1) / (k + 2) - 2 * product_ / dimension
        assert abs(total - mpmath.mpf(str(sympy.N(COUPLED.subs(d_, dimension), 30)))) < 1e-6 * total
