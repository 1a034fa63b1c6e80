"""Lemma 14 of `near-optimal`: the divergence of two Gaussian laws."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.exact import fraction, rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import divergence
from dpmatrix.spec.near_optimal.divergence import GaussianPair, expectation, form, mean_form

lemma_14 = cite("near-optimal.lemma-14@68d9c51f")

IDENTITY = fmpq_mat(2, 2, [1, 0, 0, 1])
PLAIN = GaussianPair((1, 0), (0, 2), IDENTITY)
SHAPE = "a and b have d >= 1 coordinates, Sigma is d x d"
GAUSS_OUTSIDE = {
    SHAPE: attrs.evolve(PLAIN, b=(0, 2, 1)),
    "Sigma = Sigma'": attrs.evolve(PLAIN, covariance=fmpq_mat(2, 2, [1, fmpq(1, 20), 0, 1])),
    "Sigma is positive definite": attrs.evolve(PLAIN, covariance=fmpq_mat(2, 2, [1, 1, 1, 1])),
}


def pairs() -> list[GaussianPair]:
    covariances = [fmpq_mat(2, 2, [2, fmpq(k, 3), fmpq(k, 3), 1]) for k in (-2, 0, 1, 5)]
    return [
        GaussianPair((i, Fraction(j, 3)), (Fraction(1, 2), i - j), covariance)
        for covariance in covariances
        for i, j in product((-1, 0, 2), (1, 4))
    ]


@lemma_14.supports(
    grade="derived", region="every d, a, b, Sigma: the docstring; expanded for d <= 3, 18 pairs of the plane exactly"
)
@lemma_14.supports(
    "expansion",
    grade="derived",
    region="every d, a, b, Sigma: the docstring; expanded for d <= 3, 18 pairs of the plane exactly",
)
@lemma_14.supports(
    "square",
    grade="derived",
    region="every d, a, b, Sigma: the docstring; expanded for d <= 3, 18 pairs of the plane exactly",
)
def test_divergence_of_two_gaussians(statements) -> None:
    """With y = x - a, (x-b)'P(x-b) - (x-a)'P(x-a) = 2 y'P(a-b) + (a-b)'P(a-b), P = Sigma^-1 symmetric, and E y = 0.

    The identities hold entry by entry for symbolic P; they are expanded for d <= 3.
    """
    for d in (1, 2, 3):
        P = sympy.Matrix(d, d, lambda i, j: sympy.Symbol(f"p{min(i, j)}{max(i, j)}"))
        a, b, y = (sympy.Matrix(sympy.symbols(f"{name}:{d}")) for name in "aby")
        gap = ((y + a - b).T * P * (y + a - b) - y.T * P * y)[0, 0]
        form = ((a - b).T * P * (a - b))[0, 0]
        assert sympy.expand(gap - 2 * (y.T * P * (a - b))[0, 0] - form) == 0
        four = (a.T * P * a - a.T * P * b - b.T * P * a + b.T * P * b)[0, 0]
        assert sympy.expand(four - form) == 0
    for statement in statements.values():
        valid = [p for p in pairs() if statement.applies(p) is Truth.TRUE]
        assert len(valid) == 18
        for point in valid:
            assert statement.at(point) is Truth.TRUE
        bind(statement, [(p, Fraction(0)) for p in pairs()])
        bind_hypotheses(statement, PLAIN, GAUSS_OUTSIDE)
        assert all(mean_form(p, fmpq_mat(2, 1, [*map(rational, p.a)])) == 2 for p in pairs()), "E (x-a)'P(x-a) = d"
        negative = fmpq_mat(2, 2, [-1, 0, 0, -1])
        assert statement.applies(attrs.evolve(PLAIN, covariance=negative)) is Truth.FALSE, "every minor counts"
        assert not statement.strict
        assert statement.at(GaussianPair((1,), (0,), fmpq_mat(1, 1, [2]))) is Truth.TRUE, "d = 1"
        shape, symmetric, definite = statement.given
        bind(Statement(SHAPE, shape.margin), [(GAUSS_OUTSIDE[SHAPE], -1), *((p, Fraction(1)) for p in pairs())])
        assert definite.strict
        bent = [fmpq_mat(2, 2, [1, fmpq(k, 30), 0, 1]) for k in range(1, 25)]
        shears = [(attrs.evolve(PLAIN, covariance=m), -fmpq(k, 30)) for k, m in enumerate(bent, start=1)]
        bind(Statement(symmetric.says, symmetric.margin), shears)
        minors = [(p, min(fmpq(p.covariance[0, 0]), p.covariance.det())) for p in pairs()]
        bind(Statement(definite.says, definite.margin), minors)


@lemma_14.controls(grade="symbolic", region="two pairs in the plane: without the half, and with Sigma for its inverse")
def test_a_divergence_without_the_half_is_noticed(statement) -> None:
    """The divergence of PLAIN is 5/2, and the form without the half is 5; Sigma = I is its own inverse, 2 I is not."""

    def whole_form(p: GaussianPair) -> arb:
        gap = gap_of(p)
        return -abs(arb(expectation(p) - form(p, gap, gap)))

    def not_inverted(p: GaussianPair) -> arb:
        gap = gap_of(p)
        return -abs(arb(expectation(p) - (gap.transpose() * p.covariance * gap)[0, 0] / 2))

    def gap_of(p: GaussianPair) -> fmpq_mat:
        return fmpq_mat(2, 1, [x - y for x, y in zip(p.a, p.b, strict=True)])

    assert statement.nudged(margin=whole_form).at(PLAIN) is Truth.FALSE
    wide = attrs.evolve(PLAIN, covariance=2 * IDENTITY)
    assert statement.at(wide) is Truth.TRUE
    assert statement.nudged(margin=not_inverted).at(wide) is Truth.FALSE
    assert statement.nudged(margin=not_inverted).at(PLAIN) is Truth.TRUE


def by_hand(p: GaussianPair, x, y) -> Fraction:
    """``x' Sigma^-1 y`` in the plane."""
    (a, b), (_, c) = ([fraction(entry) for entry in row] for row in p.covariance.tolist())
    return (c * x[0] * y[0] - b * (x[0] * y[1] + x[1] * y[0]) + a * x[1] * y[1]) / (a * c - b * b)


@lemma_14.controls(grade="symbolic", region="24 pairs of the plane: half of the expectation, the error exactly")
@lemma_14.controls("expansion", grade="symbolic", region="24 pairs of the plane: without the mixed forms, exactly")
@lemma_14.controls("square", grade="symbolic", region="24 pairs of the plane: without the mixed forms, exactly")
def test_half_of_the_mean_or_of_the_forms_is_noticed(statements) -> None:
    """Half of the expectation is (a-b)'P(a-b)/4 short, and (a'Pa + b'Pb)/2 has a'Pb too much."""

    def pure_forms(p: GaussianPair) -> fmpq:
        value = (by_hand(p, p.a, p.a) + by_hand(p, p.b, p.b)) / 2
        return fmpq(value.numerator, value.denominator)

    whole, *lines = (statements[f"near-optimal.lemma-14{name}"] for name in ("", "/expansion", "/square"))
    half = redefined(whole, divergence, "expectation", lambda p: expectation(p) / 2)
    gaps = [(p, [x - y for x, y in zip(p.a, p.b, strict=True)]) for p in pairs()]
    bind(half, [(p, -abs(by_hand(p, gap, gap)) / 4) for p, gap in gaps])
    for line in lines:
        pure = redefined(line, divergence, "four_forms", pure_forms)
        bind(pure, [(p, -abs(by_hand(p, p.a, p.b))) for p in pairs()])
        assert pure.at(pairs()[0]) is Truth.FALSE
    assert half.at(PLAIN) is Truth.FALSE


def integrated(a: Fraction, b: Fraction, variance: Fraction) -> mpmath.mpf:
    """Integrate the density times the log-ratio over 40 standard deviations on either side, d = 1."""
    first, second, square = (mpmath.mpf(x.numerator) / x.denominator for x in (a, b, variance))
    deviation = mpmath.sqrt(square)

    def weighted(x):
        return mpmath.npdf(x, first, deviation) * ((x - second) ** 2 - (x - first) ** 2) / (2 * square)

    return mpmath.quad(weighted, [first - 40 * deviation, first, first + 40 * deviation])


def test_the_expectation_is_an_integral() -> None:
    for numbers in ((0, 1, 1), (2, -1, 3), (1, Fraction(3, 2), Fraction(1, 4))):
        a, b, variance = map(Fraction, numbers)
        value = expectation(GaussianPair((a,), (b,), fmpq_mat(1, 1, [fmpq(variance.numerator, variance.denominator)])))
        with mpmath.workdps(30):
            assert abs(integrated(a, b, variance) - mpmath.mpf(int(value.p)) / int(value.q)) < 1e-15
