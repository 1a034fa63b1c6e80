"""Lemmas 10 and 14 of `near-optimal`, and the noise of SULQ."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, certify, interval
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball, precision
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.divergence import GaussianPair
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure, lower_bound

lemma_10 = cite("near-optimal.lemma-10@775ff0f5")
lemma_14 = cite("near-optimal.lemma-14@0341af12")
sulq = cite("near-optimal.sulq@bfdac4a5")


CAPS = [Cap(d, Fraction(k, 20)) for d in (1, 2, 3, 4, 5, 9, 30) for k in (0, 1, 5, 9, 14, 19)]


def measure(p: Cap) -> mpmath.mpf:
    """Compute 1/2 less the share of (1 - t^2)^((d-3)/2) from 0 to c, as a hypergeometric function."""
    if p.dimension == 1:
        return mpmath.mpf(1) / 2
    c, half = real(p.c), mpmath.mpf(1) / 2
    share = c * mpmath.hyp2f1(half, mpmath.mpf(3 - p.dimension) / 2, 3 * half, c * c)
    return half - share / mpmath.beta(mpmath.mpf(p.dimension - 1) / 2, half)


def cap_gap(p: Cap) -> mpmath.mpf:
    c, d = real(p.c), p.dimension
    below = measure(p) - ((1 - c) / 2) ** (mpmath.mpf(d - 1) / 2) / 2
    return min(below, mpmath.exp(-d * c**2 / 2) - measure(p))


@lemma_10.supports(
    grade="derived",
    region="every d and 0 <= c < 1: derivation in the docstring, its identities machine-checked for symbolic d, its "
    "estimates for d <= 3 in balls",
)
def test_caps_lie_between_the_bounds(statement) -> None:
    """Derivation. P = F(1 - c^2)/2, F(x) the integral of u^(a-1) (1-u)^(-1/2)/B(a, 1/2) up to x, a = (d-1)/2.

    Below: d = 1 is 1/2 >= 1/2; d = 2 with c = cos t, t <= pi/2, is t/pi >= sin(t/2)/2, as sin(t/2) <= t/2 and pi < 4.
    d >= 3: (1-u)^(-1/2) >= 1 gives F(x) >= x^a/b_d, b_d = a B(a, 1/2) (1), and x^a >= (1-c)^a. b_3 = 2 (2), b_d b_{d+1}
    = pi d/2 (3) and b increases (it is the mean of (1-u)^(-1/2) under the density a u^(a-1), whose mass moves up with
    a), so b_d^2 <= pi d/2 <= 2^(d-1) for d >= 4 (4). Hence b_d <= 2^a and F/2 >= ((1-c)/2)^a/2.

    Above: d = 1 is 1/2 <= exp(-1/2). Let h(c) = exp(-d c^2/2) - P, h' = (1-c^2)^((d-3)/2)/B - d c exp(-d c^2/2) (5).
    The ratio of the two terms has the logarithmic derivative -(d c^4 - 4 c^2 + 1)/(c (1-c^2)) (6), not positive for d
    >= 4 as the discriminant 16 - 4d is not (7): h rises, then falls, so h >= min(h(0), h(1)) = min(1/2, exp(-d/2)) > 0.
    d = 2, 3: P = arccos(c)/pi, (1-c)/2 decrease. At c = 1/2 P = 1/3, 1/4, and exp(-d c^2/2) >= 1/2 for c <= 1/2;
    for 1/2 <= c <= 4/5, exp(-d 16/50) is at least 1/3 and 1/4; for c >= 4/5, P(4/5) < exp(-d/2) (8).
    """
    d, c, u, t = sympy.symbols("d c u t", positive=True)
    a = (d - 1) / 2
    B = sympy.gamma(a) * sympy.gamma(sympy.Rational(1, 2)) / sympy.gamma(a + sympy.Rational(1, 2))
    assert sympy.simplify(sympy.diff(u**a / (a * B), u) * B / u ** (a - 1)) == 1, "(1)"
    b = a * B
    assert sympy.simplify(b.subs(d, 3)) == 2, "(2)"
    assert sympy.gammasimp(b * b.subs(d, d + 1)) == sympy.pi * d / 2, "(3)"
    assert sympy.pi * 4 / 2 <= 8, "(4): d = 4; then d grows by less than a factor of 2"
    density = (1 - c**2) ** (a - 1) / c / B * 2 * c / 2
    assert sympy.simplify(density / ((1 - c**2) ** ((d - 3) / 2) / B)) == 1, "(5): u = 1 - c^2"
    ratio = (d - 3) / 2 * sympy.log(1 - c**2) + d * c**2 / 2 - sympy.log(c)
    slope = sympy.simplify(sympy.diff(ratio, c) + (d * c**4 - 4 * c**2 + 1) / (c * (1 - c**2)))
    assert slope == 0, "(6)"
    assert sympy.discriminant(d * t**2 - 4 * t + 1, t) == 16 - 4 * d, "(7)"
    third, quarter, far = arb(1) / 3, arb(1) / 4, arb(4) / 5
    for k, at_half, at_far in ((2, third, far.acos() / arb.pi()), (3, quarter, (1 - far) / 2)):
        assert (-arb(k) / 8).exp() > arb(1) / 2, "(8)"
        assert (-arb(16 * k) / 50).exp() > at_half
        assert at_far < (-arb(k) / 2).exp()
    assert abs((arb(1) / 2).acos() / arb.pi() - third) < arb(2) ** -40
    bind_formula(statement, CAPS, cap_gap)
    assert statement.at(Cap(7, Fraction(2, 5))) is Truth.TRUE
    bind_hypotheses(
        statement,
        Cap(1, 0),
        {"dimension >= 1, an integer": Cap(0, 0), "c >= 0": Cap(3, Fraction(-1, 20)), "c < 1": Cap(3, 1)},
    )
    assert not statement.strict, "the lower bound is attained for d = 1 and c = 0"
    assert statement.applies(Cap(3, Fraction(19, 20))) is Truth.TRUE
    box = certify(statement, Cap(5, interval(Fraction(1, 2), Fraction(9, 10))))
    assert box.answer is Truth.TRUE, "a second way, d = 5"


@lemma_10.controls(grade="interval", region="d = 3 and 10")
def test_sharper_bounds_on_caps_fail(statement) -> None:
    """Three times the lower bound is 3/4 at d = 3, c = 0, where a cap is half of the sphere; at d = 10, c = 4/5 a cap
    has 0.00156 of it, more than exp(-11/10 d c^2) = 0.00088, and less than exp(-d c^2/2).
    """  # noqa: D205
    half, narrow = Cap(3, 0), Cap(10, Fraction(4, 5))

    def triple(p: Cap) -> arb:
        return cap_measure(p) - 3 * lower_bound(p)

    def steep(p: Cap) -> arb:
        return (-fmpq(11, 10) * p.dimension * ball(p.c) ** 2).exp() - cap_measure(p)

    for point, margin in ((half, triple), (narrow, steep)):
        assert statement.at(point) is Truth.TRUE
        assert statement.nudged(margin=margin).at(point) is Truth.FALSE


IDENTITY = fmpq_mat(2, 2, [1, 0, 0, 1])
PLAIN = GaussianPair((1, 0), (0, 2), IDENTITY)
GAUSS_OUTSIDE = {
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
        negative = fmpq_mat(2, 2, [-1, 0, 0, -1])
        assert statement.applies(attrs.evolve(PLAIN, covariance=negative)) is Truth.FALSE, "every minor counts"
        assert not statement.strict
        symmetric, definite = statement.given
        assert definite.strict
        bent = [fmpq_mat(2, 2, [1, fmpq(k, 30), 0, 1]) for k in range(1, 25)]
        shears = [(attrs.evolve(PLAIN, covariance=m), -fmpq(k, 30)) for k, m in enumerate(bent, start=1)]
        bind(Statement(symmetric.says, symmetric.margin), shears)
        minors = [(p, min(fmpq(p.covariance[0, 0]), p.covariance.det())) for p in pairs()]
        bind(Statement(definite.says, definite.margin), minors)


@lemma_14.controls(grade="symbolic", region="one pair in the plane")
def test_a_divergence_without_the_half_is_noticed(statement) -> None:
    """The divergence of PLAIN is 5/2."""
    assert statement.nudged(lambda margin: margin - arb(fmpq(5, 2))).at(PLAIN) is Truth.FALSE


def sulq_gap(p: ModSulq) -> mpmath.mpf:
    epsilon, delta, d = real(p.epsilon), real(p.delta), p.dimension
    deviation = mpmath.sqrt(8 * d**2 * mpmath.log(d / delta) ** 2 / (p.records**2 * epsilon**2))
    mu = (mpmath.sqrt(2) if d > 1 else mpmath.mpf(1)) / p.records / deviation
    return delta - mpmath.ncdf(mu / 2 - epsilon / mu) + mpmath.exp(epsilon) * mpmath.ncdf(-mu / 2 - epsilon / mu)


NOISES = [
    ModSulq(d, n, epsilon, delta)
    for d, n in ((1, 1), (1, 5), (2, 1), (2, 4))
    for epsilon, delta in product((1, 5, 20), (Fraction(1, 10), Fraction(1, 2)))
]
LOUD = ModSulq(2, 1, 100, Fraction(1, 2))
SULQ_INSIDE = ModSulq(2, 1, 5, Fraction(1, 2))
SULQ_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(SULQ_INSIDE, records=0),
    "epsilon > 0": attrs.evolve(SULQ_INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(SULQ_INSIDE, delta=0),
    "delta < 1": attrs.evolve(SULQ_INSIDE, delta=1),
}


@sulq.refutes(grade="interval", region="d = 2, n = 1, delta = 1/2, epsilon = 100")
def test_quoted_noise_fails_for_large_epsilon(statement) -> None:
    assert statement.at(LOUD) is Truth.FALSE
    assert statement.margin(LOUD) < -arb(49) / 100
    bind_formula(statement, NOISES, sulq_gap)
    bind_hypotheses(
        statement,
        attrs.evolve(SULQ_INSIDE, dimension=1),
        SULQ_OUTSIDE | {"dimension >= 1, an integer": ModSulq(0, 1, 1, 0.5)},
    )
    assert not statement.strict


@sulq.refutes(
    grade="derived",
    region="d = 2, n = 1, delta = 1/2, epsilon = 2100: by the first eigenvector alone, e_1 "
    "against e_2, by the docstring",
)
def test_the_first_eigenvector_alone_fails_for_larger_epsilon(statement) -> None:
    """Let every |N_ij| <= t < 1/4. Then M = e_1 e_1' + N has real eigenvalues and a first eigenvector near e_1.

    Its discriminant (M_11 - M_22)^2 + 4 M_12 M_21 is at least (1 - 2t)^2 - 4t^2 = 1 - 4t (1) > 0. For the larger
    eigenvalue l, l - M_22 is at least (1 - 2t + sqrt(1 - 4t))/2 > t (2), so |v_2/v_1| = |M_21|/(l - M_22) < 1. With
    e_2 e_2' + N it is |v_1| that is smaller. So the event |v_2| < |v_1| has probability at least 1 - q for the record
    e_1 and at most q for e_2, where q = 8 P(Z > 1/(4 beta)) bounds P(some |N_ij| >= 1/4): delta is at least
    1 - (1 + e^eps) q.
    """
    t = sympy.symbols("t", positive=True)
    assert sympy.expand((1 - 2 * t) ** 2 - 4 * t**2 - (1 - 4 * t)) == 0, "(1)"
    # At t = 1/4 the left side of (2) is 1/4; it falls with t, and t rises.
    least = (1 - 2 * t + sympy.sqrt(1 - 4 * t)) / 2
    assert least.subs(t, sympy.Rational(1, 4)) == sympy.Rational(1, 4), "(2)"
    assert sympy.simplify(sympy.diff(least, t) + 1 + 1 / sympy.sqrt(1 - 4 * t)) == 0, "(2)"
    run = ModSulq(2, 1, 2100, Fraction(1, 2))
    with precision(256):
        beta = arb(8).sqrt() * 2 * arb(4).log() / 2100
        missed = 4 * (1 / (4 * beta) / arb(2).sqrt()).erfc()
        assert 1 - (1 + arb(2100).exp()) * missed > arb(1) / 2
        # Control: at epsilon = 1900 this event shows nothing.
        louder = beta * 2100 / 1900
        assert 1 - (1 + arb(1900).exp()) * 4 * (1 / (4 * louder) / arb(2).sqrt()).erfc() < 0
    assert statement.at(run) is Truth.FALSE


@sulq.supports_repair(
    grade="derived",
    region="every d >= 2, n, delta in (0, 1) and epsilon <= 4 d log(d/delta): derivation in the docstring",
)
def test_quoted_noise_suffices_for_moderate_epsilon(statement) -> None:
    """The profile is at most Q(x), x = eps/mu - mu/2, mu = sqrt(2)/(n beta) = eps/(2 d L), L = log(d/delta) > log 2.

    So x = 2 d L - eps/(4 d L) (1), at least 2 d L - 1 >= 4 L - 1 > 0 in the range. Q(x) <= exp(-x^2/2)/2 for x >= 0, as
    in Theorem 5, and (4L-1)^2/2 - L has derivative 16 L - 5 > 0 and is positive at log 2 (2). Hence Q(x) < exp(-L) =
    delta/d <= delta.
    """
    d, L, n, eps = sympy.symbols("d L n epsilon", positive=True)
    mu = sympy.sqrt(2) / (n * sympy.sqrt(8 * d**2 * L**2 / (n**2 * eps**2)))
    assert sympy.simplify(eps / mu - mu / 2 - (2 * d * L - eps / (4 * d * L))) == 0, "(1)"
    room = (4 * L - 1) ** 2 / 2 - L
    assert sympy.expand(sympy.diff(room, L) - (16 * L - 5)) == 0
    assert room.subs(L, sympy.log(2)) > 0, "(2)"
    assert 16 * sympy.log(2) > 5
    bind_formula(statement, NOISES, sulq_gap)
    limit = "epsilon <= 4 d log(d/delta)"
    outside = SULQ_OUTSIDE | {"dimension >= 2, an integer": ModSulq(1, 1, 1, Fraction(1, 2)), limit: LOUD}
    bind_hypotheses(statement, SULQ_INSIDE, outside)
    given = next(given for given in statement.given if given.says == limit)
    bind_formula(
        Statement(limit, given.margin),
        NOISES,
        lambda p: 4 * p.dimension * mpmath.log(p.dimension / real(p.delta)) - real(p.epsilon),
    )
    assert not given.strict
    assert not statement.strict
    assert statement.at(SULQ_INSIDE) is Truth.TRUE


@sulq.controls("+repair", grade="interval", region="epsilon = 100")
def test_the_range_of_epsilon_is_needed(statement) -> None:
    assert statement.without("epsilon <= 4 d log(d/delta)").at(LOUD) is Truth.FALSE
