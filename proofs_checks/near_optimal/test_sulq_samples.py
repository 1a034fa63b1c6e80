"""Theorem 9 of `near-optimal`: the samples that MOD-SULQ needs."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind, bind_hypotheses, redefined
from dpmatrix.claims.formulas import bind_formula, decimals, real
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal import sulq_samples_proof
from dpmatrix.spec.near_optimal.noise import ModSulq
from dpmatrix.spec.near_optimal.sulq_bound import SulqBound
from dpmatrix.spec.near_optimal.sulq_samples import SulqCopies, most_records
from dpmatrix.spec.near_optimal.sulq_samples_proof import Dimension, PhiRate, Rearranged, Root, ThetaRate
from dpmatrix.tracing import bind_expression
from proofs_checks.near_optimal.conditions import bind_condition
from proofs_checks.near_optimal.formulas import beta, beta_expression

theorem_9 = cite("near-optimal.theorem-9@edcdb04b")

HALF = Fraction(1, 2)
CENT = Fraction(1, 100)


def threshold(p) -> mpmath.mpf:
    return 1 / beta(p) ** 2 + mpmath.log(2)


def relative(p) -> mpmath.mpf:
    """Give the deviation of the noise in units of the eigengap."""
    return beta(p) / real(p.eigengap)


def axis_loss(p) -> mpmath.mpf:
    shift = mpmath.erf(1 / (2 * mpmath.sqrt(2) * relative(p)))
    return 1 - 1 / mpmath.sqrt(p.dimension) - shift


def fano_loss(p) -> mpmath.mpf:
    log_count = mpmath.mpf(p.dimension - 1) / 10 - mpmath.log(8)
    part = 1 - (1 / relative(p) ** 2 + mpmath.log(2)) / log_count
    return (
        (1 - mpmath.sqrt(1 - mpmath.exp(-mpmath.mpf(1) / 5))) / 4 * part**2 if log_count > 0 < part else mpmath.mpf(0)
    )


def proved(p) -> mpmath.mpf:
    """Give the loss on copies of a vector that is proved, less what is allowed; or the most that is lost, so."""
    least = max(axis_loss(p), fano_loss(p)) - real(1 - p.rho)
    return least if least > 0 else 2 * (p.dimension * relative(p)) ** 2 - real(1 - p.rho)


def sample(d, n, epsilon, delta, gap, eigengap=1) -> SulqCopies:
    return SulqCopies(d, n, epsilon, delta, 1 - Fraction(gap), Fraction(1, 20), 9, eigengap)


GAPS = (Fraction(1, 100), Fraction(1, 12))
SAMPLES = [
    sample(d, n, epsilon, delta, gap)
    for d, (n, epsilon), delta, gap in product(
        (2, 3, 7, 40, 300), ((1, Fraction(1, 90)), (3, Fraction(1, 1000))), (CENT, HALF), GAPS
    )
]
SHORT = [attrs.evolve(p, eigengap=Fraction(2, 3)) for p in SAMPLES[::3]] + [
    sample(d, 100, Fraction(1, 100), CENT, Fraction(1, 12), Fraction(1, 20)) for d in (2, 3, 5)
]
"""Shorter vectors; of the last three there are more than of unit vectors."""
FAR = [sample(d, 4000, epsilon, CENT, Fraction(1, 12)) for d, epsilon in ((2, 10), (3, 10), (5, 20), (2, 20))]
"""So little noise that little is lost."""
WIDE = [
    sample(d, 1000, epsilon, CENT, Fraction(1, 10**4))
    for d, epsilon in ((300, 6), (1000, 18), (1000, 23), (1000, 40), (1000, Fraction(279, 5)))
]
"""Here Fano's inequality gives more than the axes do; at the last point its bracket is 1/20."""
FEW_LINES = sample(21, 1, 1, CENT, CENT)
"""The log of the number of lines is a little below 0."""
BEYOND = sample(1000, 1000, Fraction(117, 2), CENT, Fraction(1, 10**4))
"""The bracket is a little below 0."""
INSIDE = sample(2, 1, Fraction(1, 20), HALF, CENT)
SIZE = "n < c (d^(3/2) sqrt(log(d/delta))/eps) (1 - c' (1-rho))"
SHORT_SIZE = "n < c (d^(3/2) sqrt(log(d/delta))/(eps Delta)) (1 - c' (1-rho))"
NOISE = "delta <= (d^2 + d)/(2 sqrt(2 pi))"
SHARED_OUTSIDE = {
    "records >= 1, an integer": attrs.evolve(INSIDE, records=0),
    "epsilon > 0": attrs.evolve(INSIDE, epsilon=0),
    "delta > 0": attrs.evolve(INSIDE, delta=0),
    "delta < 1": attrs.evolve(INSIDE, delta=1),
    "rho < 1": attrs.evolve(INSIDE, rho=1),
}


def check(statement: Statement, says: str, more: dict) -> None:
    bind_hypotheses(statement, INSIDE, SHARED_OUTSIDE | {says: attrs.evolve(INSIDE, records=7)} | more)
    size = next(given for given in statement.given if given.says == says)

    def largest(p):
        root = mpmath.mpf(p.dimension) ** mpmath.mpf("1.5") * mpmath.sqrt(mpmath.log(p.dimension / real(p.delta)))
        scale = real(p.epsilon) * (real(p.eigengap) if says == SHORT_SIZE else 1)
        return real(p.small) * root / scale * (1 - p.large * real(1 - p.rho)) - p.records

    bind_formula(Statement(says, size.margin), [*SAMPLES, *SHORT], largest)
    assert size.strict
    assert not statement.strict
    assert statement.applies(attrs.evolve(INSIDE, epsilon=Fraction(1, 5))) is Truth.FALSE
    assert statement.applies(attrs.evolve(INSIDE, epsilon=Fraction(1, 50))) is Truth.TRUE


def alone(small, large) -> SulqCopies:
    """Give a point of dimension 1 that meets the condition with the constants."""
    tight = rational(large) if rational(large) > 1 else rational(1)
    return SulqCopies(1, 1, rational(small) / 4, Fraction(1, 10), 1 - 1 / (2 * tight), small, large, 1)


@theorem_9.refutes(
    grade="derived", region="d = 1: every c > 0 and c' > 0 by the docstring, run at constants of all sizes"
)
def test_one_dimension_has_one_eigenvector(statement) -> None:
    """Whatever c and c' are, take d = n = 1, delta = 1/10, eps = c/4 and 1 - rho = 1/(2 max(1, c')).

    The condition holds: c sqrt(log 10)/eps (1 - c' (1-rho)) >= 4 sqrt(log 10)/2 > 1. The only unit vectors are 1 and
    -1, so that E|<v^, v>| = 1 > rho on every data set.
    """
    statement.refute(alone)
    assert sympy.log(10) > 1
    bind(statement, [(alone(1, large), -Fraction(1, 2 * large)) for large in range(1, 25)])
    coordinates = {2: 2 / mpmath.pi, 3: mpmath.mpf(1) / 2}
    plain = [p for p in SAMPLES if p.dimension in coordinates]
    for p in plain:
        assert abs(statement.formula(p) - arb(mpmath.nstr(1 - coordinates[p.dimension] - real(1 - p.rho), 30))) < 1e-12
    near = [sample(2, 1, 1, CENT, gap) for gap in (Fraction(3, 10), Fraction(2, 5))]
    assert [statement.conclusion(p) for p in near] == [Truth.TRUE, Truth.UNDECIDED], "1 - 2/pi = 0.363"
    more = {
        "dimension >= 1, an integer": attrs.evolve(INSIDE, dimension=0),
        NOISE: attrs.evolve(INSIDE, dimension=1),
    }
    check(statement, SIZE, more)


@theorem_9.supports_repair(
    grade="derived",
    region="every d >= 2, n, epsilon, delta, rho and Delta <= 1, with c = 1/20 and c' = 9: derivation in the "
    "docstring, its estimates machine-checked",
)
def test_axes_and_one_phi_are_enough(statement) -> None:
    """The condition has 1 - rho < 1/9 and n eps Delta < d^(3/2) sqrt(log(d/delta))/20. Let x = Delta^2/beta^2.

    The output is the top eigenvector of Delta mu mu' + N, or of mu mu' + N/Delta, whose noise has the deviation
    beta/Delta: (5) with n Delta for n. By the step `noise`, for whose proof n may be any positive number, x < 2 (n
    Delta eps)^2/(d^2 log(d/delta)) < d/200.

    d <= 500: mu = e_i shifts the entry N_ii/Delta by 1, and the other entries not at all, so that the laws of the
    output with it and without any data are at most erf(sqrt(x/8)) <= sqrt(x/(2 pi)) apart in total variation (1).
    Without data the E|<v^, e_i>| sum to E|v^|_1 <= sqrt(d). So some i has at most 1/sqrt(d) + sqrt(x/(2 pi)), and loses
    more than f(u) = 1 - 1/u - u/(20 sqrt(pi)), u = sqrt(d), which is concave and above 1/9 at both ends (2).

    d >= 136: Theorem 13 for the lines of Lemma 11 at 1 - phi^2 = exp(-1/5), as for Theorem 15, gives a loss of at
    least ((1-phi)/4) (1 - (x + log 2)/L)^2, L = (d-1)/10 - log 8, if the bracket is positive. As x < d/200 the bracket
    exceeds 1 - (d/200 + log 2)/((d-1)/10 - log 8), which increases with d (3); at d = 136 the loss exceeds 1/9 (4).
    """
    t, u, d = sympy.symbols("t u d", positive=True)
    slope = sympy.diff(t / sympy.sqrt(2 * sympy.pi) - sympy.erf(t / (2 * sympy.sqrt(2))), t)
    assert sympy.simplify(slope - (1 - sympy.exp(-(t**2) / 8)) / sympy.sqrt(2 * sympy.pi)) == 0, "(1), t = Delta/beta"
    f = 1 - 1 / u - u / (20 * sympy.sqrt(sympy.pi))
    assert sympy.simplify(f - (1 - 1 / u - sympy.sqrt(u**2 / 200 / (2 * sympy.pi)))) == 0
    assert sympy.diff(f, u, 2) == -2 / u**3
    assert all(f.subs(u, sympy.sqrt(end)) > sympy.Rational(1, 9) for end in (2, 500)), "(2)"
    fraction = (d / 200 + sympy.log(2)) / ((d - 1) / 10 - sympy.log(8))
    falling = sympy.simplify(sympy.diff(fraction, d) * ((d - 1) / 10 - sympy.log(8)) ** 2)
    assert sympy.simplify(falling + sympy.Rational(1, 2000) + sympy.log(8) / 200 + sympy.log(2) / 10) == 0, "(3)"
    phi = sympy.sqrt(1 - sympy.exp(-sympy.Rational(1, 5)))
    assert ((1 - phi) / 4 * (1 - fraction.subs(d, 136)) ** 2).evalf(30) > sympy.Rational(1, 9), "(4)"
    root = sympy.lambdify(d, sympy.sqrt((1 - phi) / 4) * (1 - fraction))
    theorem_9.tells("from d = {} on by (21)", next(k for k in range(100, 500) if root(k) > 1 / 3))
    bind_formula(statement, [*SAMPLES, *SHORT, *FAR, *WIDE, FEW_LINES], proved)
    assert all(fano_loss(p) > axis_loss(p) for p in WIDE)
    assert statement.conclusion(BEYOND) is Truth.UNDECIDED
    with mpmath.workdps(30):
        most = 2 * (FAR[0].dimension * beta(FAR[0])) ** 2
    little = attrs.evolve(FAR[0], rho=1 - Fraction(str(most)) * Fraction(9, 10))
    assert statement.conclusion(little) is Truth.UNDECIDED, "at most a little more is lost than is allowed"
    assert statement.conclusion(sample(2, 40, 10, CENT, Fraction(1, 10**4))) is Truth.UNDECIDED
    spare = sample(7, 1, Fraction(1, 1000), CENT, Fraction(3, 5))
    bind_formula(statement, [spare], proved, least=1)
    assert statement.speaks_of(INSIDE), "of c = 1/20 and c' = 9"
    bind(statement, [(alone(1, 9), -Fraction(1, 18))], least=1)
    held = [p for p in [*SAMPLES, *SHORT] if statement.applies(p) is Truth.TRUE]
    assert len(held) >= 20
    assert [p for p in held if statement.at(p) is not Truth.TRUE] == []
    assert set(SHORT[-3:]) <= set(held)
    assert not any(statement.applies(attrs.evolve(p, eigengap=1)) is Truth.TRUE for p in SHORT[-3:])
    more = {
        "dimension >= 2, an integer": alone(1, 9),
        "eigengap > 0": attrs.evolve(INSIDE, eigengap=0),
        "eigengap <= 1": attrs.evolve(INSIDE, eigengap=Fraction(21, 20)),
    }
    check(statement, SHORT_SIZE, more)


@theorem_9.controls(
    "+repair", grade="interval", region="d = 1; d = 2 with c = 100, or 1/Delta^2 for 1/Delta, by the most that is lost"
)
def test_samples_control(statement) -> None:
    """With little noise v^ is near: 1 - E|<v^, mu>| <= 2 E|N|_F^2 = 2 d^2 beta^2; with c = 100 that is too little."""
    one = attrs.evolve(alone(Fraction(1, 20), 9), delta=Fraction(1, 10))
    assert statement.without("dimension >= 2, an integer").at(one) is Truth.FALSE
    rich = SulqCopies(2, 4 * 10**6, Fraction(1, 10**4), Fraction(1, 10**12), Fraction(19, 20), 100, 9, 1)
    for eigengap in (1, Fraction(1, 2)):
        point = attrs.evolve(rich, records=rich.records / Fraction(eigengap), eigengap=eigengap)
        assert statement.exhibits(small=100).at(attrs.evolve(point, records=int(point.records))) is Truth.FALSE
    squared = sample(2, 10**7, 1, CENT, Fraction(1, 20), Fraction(1, 10**4))
    assert most_records(squared) / arb(squared.eigengap.numerator) * 10**8 > squared.records, "1/Delta^2 for 1/Delta"
    assert statement.without(SHORT_SIZE).at(squared) is Truth.FALSE
    assert statement.conclusion(sample(2, 30, 1, CENT, Fraction(1, 3))) is Truth.UNDECIDED, "between the two bounds"


@theorem_9.supports(
    "any-gap", grade="derived", region="every d >= 2: derivation in the docstring; bound for d = 2 to 25"
)
def test_without_a_gap_the_sentence_is_empty(statement) -> None:
    """Let m_d = Gamma(d/2)/(sqrt(pi) Gamma((d+1)/2)) be the mean of |U_1| on the sphere (1); m_2 = 2/pi.

    A uniform unit vector of R^(d+1) has the first coordinate R U_1 with R <= 1 independent of U, uniform on the sphere
    of R^d: m_(d+1) <= m_d. On n copies of t mu the output is the top eigenvector of t^2 mu mu' + N; it tends to that of
    N as t -> 0, almost surely. Its mean correlation with mu, averaged over mu uniform on the sphere, tends to m_d by
    bounded convergence: for any positive error some t and mu have at most m_d plus it, whatever n, eps and delta are.
    """
    theta = sympy.symbols("theta", positive=True)
    for d in (3, 4, 5):
        weight = sympy.sin(theta) ** (d - 2)
        mean = sympy.integrate(sympy.cos(theta) * weight, (theta, 0, sympy.pi / 2)) / sympy.integrate(
            weight, (theta, 0, sympy.pi / 2)
        )
        formula = sympy.gamma(sympy.Rational(d, 2)) / (sympy.sqrt(sympy.pi) * sympy.gamma(sympy.Rational(d + 1, 2)))
        assert sympy.simplify(mean - formula) == 0, "(1)"
    bind_formula(
        statement,
        [Dimension(d) for d in range(2, 26)],
        lambda p: (
            2 / mpmath.pi
            - mpmath.gamma(mpmath.mpf(p.dimension) / 2)
            / (mpmath.sqrt(mpmath.pi) * mpmath.gamma(mpmath.mpf(p.dimension + 1) / 2))
        ),
    )
    assert all(statement.at(Dimension(d)) is Truth.TRUE for d in (3, 50, 1000))
    half = sympy.Symbol("dimension") / 2
    mean = sympy.gamma(half) / (sympy.sqrt(sympy.pi) * sympy.gamma(half + sympy.Rational(1, 2)))
    bind_expression(statement, 2 / sympy.pi - mean)
    assert statement.is_equality(Dimension(2))
    bind_hypotheses(statement, Dimension(2), {"dimension >= 2, an integer": Dimension(1)})
    assert statement.without("dimension >= 2, an integer").at(Dimension(1)) is Truth.FALSE
    assert not statement.strict


SULQS = [
    ModSulq(d, n, epsilon, delta)
    for d, n, epsilon, delta in product((2, 3, 8), (1, 8, 20), (Fraction(1, 4), 1), (CENT, HALF))
]
SULQ = ModSulq(2, 1, Fraction(1, 20), HALF)
SULQ_OUTSIDE = {
    "dimension >= 2, an integer": attrs.evolve(SULQ, dimension=1),
    "records >= 1, an integer": attrs.evolve(SULQ, records=0),
    "epsilon > 0": attrs.evolve(SULQ, epsilon=0),
    "delta > 0": attrs.evolve(SULQ, delta=0),
    "delta < 1": attrs.evolve(SULQ, delta=1),
}


def phi(p) -> mpmath.mpf:
    """2 (1/beta^2 + log 2) = (d-1) log(1/sqrt(1-phi^2)) - log 8."""
    return mpmath.sqrt(1 - mpmath.exp(-2 * (2 * threshold(p) + mpmath.log(8)) / (p.dimension - 1)))


def share(p) -> mpmath.mpf:
    return 1 / (beta(p) ** 2 * p.dimension)


RATES = [PhiRate(p.dimension, p.records, p.epsilon, p.delta, k) for p in SULQS[:12] for k in (HALF, 3)]


def near_one(p: ModSulq) -> SulqBound:
    return SulqBound(p.dimension, p.records, p.epsilon, p.delta, 1 - Fraction(1, 10**12))


@theorem_9.refutes("minimum", grade="interval", region="d = 3, n = 30, 1 - phi = 1e-12")
@theorem_9.refutes("phi-rate", grade="derived", region="every k > 0 by the docstring, run at constants of all sizes")
def test_lines_that_do_not_hold(statements) -> None:
    """For k > 0 take d = 2, eps = 1, delta = 1/100 and n > 15/k: n beta < 21/2 (1), so k^2/(beta^2 d) > 1 > phi^2."""
    names = ("minimum", "phi-rate")
    minimum, rate = (statements[f"near-optimal.theorem-9/{name}"] for name in names)
    least = near_one(ModSulq(3, 30, 1, CENT))
    assert minimum.at(least) is Truth.FALSE
    assert beta(ModSulq(2, 1, 1, CENT)) < 10.5, "(1); 15^2/(2 (21/2)^2) > 1"
    assert Fraction(15**2, 2) / Fraction(21, 2) ** 2 > 1
    rate.refute(lambda constant: PhiRate(2, int(15 / rational(constant)) + 1, 1, CENT, constant))
    assert rate.conclusion(PhiRate(2, 1, 1, CENT, HALF)) is Truth.TRUE

    def above(p):
        gap = 1 - threshold(p) / ((p.dimension - 1) * mpmath.log(1 / mpmath.sqrt(1 - real(p.phi) ** 2)) - mpmath.log(8))
        return mpmath.sqrt(1 - real(p.phi)) * gap - mpmath.sqrt(1 - phi(p)) / 2

    bind_formula(minimum, [near_one(p) for p in SULQS], above)
    first = decimals([near_one(p) for p in SULQS], lambda p: real(p.phi) - 1 / mpmath.sqrt(2 * mpmath.pi * p.dimension))
    bind_condition(minimum, "phi >= 1/sqrt(2 pi d)", first)

    bind_formula(rate, RATES, lambda p: phi(p) - real(p.constant) * mpmath.sqrt(share(p)))
    low = {says: near_one(p) for says, p in SULQ_OUTSIDE.items()} | {"phi < 1": attrs.evolve(least, phi=1)}
    ends = ("1/sqrt(2 pi d)", "sqrt(1 - exp(-2 log(8d)/(d-1)))", "sqrt(1 - exp(-(2/beta^2 + log 256)/(d-1)))")
    bind_hypotheses(minimum, least, low | {f"phi >= {end}": attrs.evolve(least, phi=Fraction(1, 20)) for end in ends})
    inside = PhiRate(2, 1, Fraction(1, 20), HALF, Fraction(1, 20))
    outside = {says: PhiRate(p.dimension, p.records, p.epsilon, p.delta, 1) for says, p in SULQ_OUTSIDE.items()}
    bind_hypotheses(rate, inside, outside)
    assert not any(statement.strict for statement in statements.values())


def above_basis(p) -> mpmath.mpf:
    return phi(p) - mpmath.sqrt(1 - mpmath.exp(-2 * mpmath.log(8 * p.dimension) / (p.dimension - 1)))


MANY = "2/beta^2 >= log(d/4)"
PLENTY = ModSulq(2, 300, 1, CENT)
FEW = ModSulq(8, 1, 1, CENT)


@theorem_9.supports("admissible", grade="derived", region="d >= 2, 2/beta^2 >= log(d/4): the docstring; 36 points")
def test_the_chosen_phi_is_admissible(statement) -> None:
    """At the chosen phi log K + log 8 = (d-1) log(1/sqrt(1-phi^2)) = 2/beta^2 + 5 log 2, at the second end of (22) it
    is log(8d), and log(8d) - 5 log 2 = log(d/4) (1). The third end has log K = 1/beta^2 + log 2, which is half of it,
    and the first is below the second: 1 - e^-x >= min(x/2, 1/2), x = 2 log(8d)/(d-1) >= 2 log(16)/d (2).
    """  # noqa: D205
    d = sympy.Symbol("d", positive=True)
    assert sympy.simplify(sympy.expand_log(sympy.log(8 * d) - 5 * sympy.log(2) - sympy.log(d / 4))) == 0, "(1)"
    assert arb(16).log() > 1 / (2 * arb.pi()), "(2): x/2 >= log(16)/d"
    assert 1 / (4 * arb.pi()) < arb(1) / 2, "(2)"
    bind_formula(statement, [*SULQS, FEW, PLENTY], above_basis)
    inside = [p for p in [*SULQS, PLENTY] if statement.applies(p) is Truth.TRUE]
    assert len(inside) > 3
    assert all(statement.at(p) is Truth.TRUE for p in inside)
    bind_hypotheses(statement, PLENTY, SULQ_OUTSIDE | {MANY: FEW})
    share = next(given for given in statement.given if given.says == MANY)
    bind_formula(
        Statement(share.says, share.margin),
        SULQS,
        lambda p: 2 / beta(p) ** 2 - mpmath.log(mpmath.mpf(p.dimension) / 4),
    )
    assert not statement.strict


@theorem_9.controls("admissible", grade="interval", region="d = 8, n = 1")
def test_few_records_put_phi_below_the_second_end(statement) -> None:
    assert statement.without(MANY).at(FEW) is Truth.FALSE


@theorem_9.supports("bracket-at-phi", grade="derived", region="every d >= 2, beta: the docstring; bound at 36 points")
@theorem_9.supports("rate", grade="derived", region="d >= 2, 1/beta^2 >= 1: the docstring; bound at 36 points")
@theorem_9.supports("noise", grade="derived", region="d >= 2, delta < 1: the docstring; bound at 36 points")
def test_lines_about_the_noise(statements) -> None:
    """At log K = 2g the bracket is 1 - g/(2g) = 1/2. With x = 1/beta^2, log(1/sqrt(1-phi^2)) = (2x+5 log 2)/(d-1) (1).

    It is above 2x/d, and for x >= 1 at most (2 + 5 log 2) x/(d-1) <= 2 (2 + 5 log 2) x/d < 11 x/d, as d/(d-1) <= 2. Let
    l be the log of (5): l - log(d/delta)/4 = (3/4) log(1/delta) + log((d+1) d^(3/4)/(2 sqrt(2 pi))) > 0 (2), as
    3 2^(3/4) > 2 sqrt(2 pi). So beta^2 > (d+1)^2 2 l/(n eps)^2 > d^2 2 (log(d/delta)/4)/(n eps)^2.
    """
    quarter, rate, noise = (
        statements[f"near-optimal.theorem-9/{name}"] for name in ("bracket-at-phi", "rate", "noise")
    )
    x = sympy.Symbol("x", positive=True)
    exponent = sympy.expand_log(2 * (x + sympy.log(2)) + sympy.log(8))
    assert sympy.expand(exponent - 2 * x - 5 * sympy.log(2)) == 0, "(1)"
    assert 2 * (2 + 5 * sympy.log(2)) < 11
    theorem_9.tells("The constants are 2 and {}", sympy.ceiling(2 * (2 + 5 * sympy.log(2))))
    g, d, delta = sympy.symbols("g d delta", positive=True)
    assert sympy.simplify(1 - g / (2 * g)) == sympy.Rational(1, 2)
    l = sympy.log((d**2 + d) / (delta * 2 * sympy.sqrt(2 * sympy.pi)))
    part = (d + 1) * d ** sympy.Rational(3, 4) / (2 * sympy.sqrt(2 * sympy.pi))
    split = -sympy.log(delta) * sympy.Rational(3, 4) + sympy.log(part)
    assert sympy.simplify(sympy.expand_log(l - sympy.log(d / delta) / 4 - split, force=True)) == 0, "(2)"
    assert 3 * sympy.Integer(2) ** sympy.Rational(3, 4) > 2 * sympy.sqrt(2 * sympy.pi)
    bind(quarter, [(p, Fraction(0)) for p in SULQS])
    n, epsilon = sympy.symbols("records epsilon", positive=True)
    low, high, constant = sympy.symbols("low high constant")
    fields, squared = {"dimension": d}, beta_expression(d, n, epsilon, delta) ** 2
    level = 2 * (1 / squared + sympy.log(2))
    top = sympy.sqrt(1 - sympy.exp(-2 * (level + sympy.log(8)) / (d - 1)))
    reached = sympy.log(1 / sympy.sqrt(1 - top**2))
    bracket = 1 - level / 2 / ((d - 1) * reached - sympy.log(8))
    bind_expression(quarter, -sympy.Abs((2 * bracket - 1) * sympy.sqrt(1 - top)), fields=fields)
    slacks = reached - low / (squared * d), high / (squared * d) - reached
    bind_expression(rate, sympy.Min(*slacks), fields=fields)
    bind_expression(noise, squared - constant * (d / (n * epsilon)) ** 2 * sympy.log(d / delta), fields=fields)

    def slack(p):
        log = mpmath.log(1 / mpmath.sqrt(1 - phi(p) ** 2))
        return min(log - real(p.low) * share(p), real(p.high) * share(p) - log)

    def noise_slack(p):
        scale = p.dimension / (p.records * real(p.epsilon))
        return beta(p) ** 2 - real(p.constant) * scale**2 * mpmath.log(p.dimension / real(p.delta))

    thetas = [ThetaRate(p.dimension, p.records, p.epsilon, p.delta, 2, 11) for p in SULQS]
    bind_formula(rate, [*thetas, *(attrs.evolve(p, low=3, high=7) for p in thetas[:9])], slack)
    halves = [PhiRate(p.dimension, p.records, p.epsilon, p.delta, HALF) for p in SULQS]
    bind_formula(noise, [*halves, *RATES], noise_slack)
    bind_hypotheses(quarter, SULQ, SULQ_OUTSIDE)
    outside = {says: PhiRate(p.dimension, p.records, p.epsilon, p.delta, HALF) for says, p in SULQ_OUTSIDE.items()}
    bind_hypotheses(noise, halves[0], outside)
    rich = ThetaRate(2, 300, Fraction(1, 20), HALF, 2, 11)
    outside = {
        says: ThetaRate(p.dimension, max(p.records, 0) * 300, p.epsilon, p.delta, 2, 11)
        for says, p in SULQ_OUTSIDE.items()
    }
    bind_hypotheses(rate, rich, outside | {"1/beta^2 >= 1": attrs.evolve(rich, records=1)})
    large = rate.given[-1]
    bind_formula(Statement(large.says, large.margin), SULQS, lambda p: 1 / beta(p) ** 2 - 1)
    assert (quarter.strict, rate.strict, noise.strict) == (False, False, True)
    assert not large.strict
    assert rate.speaks_of(rich), "of the constants 2 and 11"
    assert noise.speaks_of(halves[0]), "of c_1 = 1/2"
    held = [p for p in thetas if rate.applies(p) is Truth.TRUE]
    assert len(held) >= 6
    assert all(rate.at(p) is Truth.TRUE for p in held)
    assert all(noise.at(p) is Truth.TRUE for p in halves)


@theorem_9.controls("rate", grade="interval", region="d = 2, n = 40: 5 for 2, and 11/3 for 11")
@theorem_9.controls("noise", grade="interval", region="d = 2, n = 1: 20 for 1/2")
def test_other_constants_of_the_rates_do_not_do(statements) -> None:
    rate, noise = (statements[f"near-optimal.theorem-9/{name}"] for name in ("rate", "noise"))
    point = ThetaRate(2, 40, 1, CENT, 2, 11)
    assert rate.at(point) is Truth.TRUE
    assert rate.exhibits(low=5).at(attrs.evolve(point, low=5)) is Truth.FALSE
    assert rate.exhibits(high=Fraction(11, 3)).at(attrs.evolve(point, high=Fraction(11, 3))) is Truth.FALSE
    assert noise.exhibits(constant=20).at(PhiRate(2, 1, Fraction(1, 20), HALF, 20)) is Truth.FALSE


@theorem_9.controls("bracket-at-phi", grade="interval", region="36 points: phi = 99/100, the error to 40 digits")
def test_at_another_phi_the_bracket_is_not_a_half(statement) -> None:
    other = redefined(statement, sulq_samples_proof, "chosen_phi", lambda _: arb(99) / 100)
    assert other.at(ModSulq(3, 30, 1, CENT)) is Truth.FALSE

    def missed(p: ModSulq) -> mpmath.mpf:
        high = mpmath.mpf(99) / 100
        log_count = (p.dimension - 1) * mpmath.log(1 / mpmath.sqrt(1 - high**2)) - mpmath.log(8)
        return -mpmath.sqrt(1 - high) * abs(1 - 2 * threshold(p) / log_count)

    bind_formula(other, SULQS, missed)


REARRANGED = [Rearranged(Fraction(i, 6), 1 - Fraction(j, 64)) for i, j in product(range(7), (1, 2, 5, 40))]
ROOTS = [Root(Fraction(i, 5), Fraction(j, 4)) for i, j in product(range(7), (0, 1, 3, 6))]


@theorem_9.supports("square-of-phi", grade="derived", region="phi >= 0: the docstring; bound as an expression")
@theorem_9.supports("square-root", grade="derived", region="x >= 0, y >= 0: the docstring; bound as an expression")
def test_scalar_lines(statements) -> None:
    """With u = 16 (1-rho): if u >= 1 then 1 - 2u < 0; else phi^2 >= (1-u)^2 = 1 - 2u + u^2.

    If x < 1 - y, then x^2 < (1-y)^2 <= 1 - y for y in [0, 1]; for y > 1 the claim is x >= 1 - y < 0.
    """
    squared, root = (statements[f"near-optimal.theorem-9/{name}"] for name in ("square-of-phi", "square-root"))
    u, y = sympy.symbols("u y", real=True)
    assert sympy.expand((1 - u) ** 2 - (1 - 2 * u) - u**2) == 0
    assert sympy.factor((1 - y) - (1 - y) ** 2 - y * (1 - y)) == 0
    phi, rho, x = sympy.symbols("phi rho x")
    bind_expression(squared, phi**2 - 1 + 32 * (1 - rho))
    theorem_9.tells("So c' is at least {} by this route", -16 * sympy.Poly((1 - u) ** 2, u).coeff_monomial(u))
    bind_expression(root, x - 1 + y)
    outside = {"phi >= 0": Rearranged(Fraction(-1, 20), 0), "phi >= 1 - 16 (1-rho)": Rearranged(HALF, 1)}
    bind_hypotheses(squared, Rearranged(0, HALF), outside)
    line = squared.given[-1]
    bind(Statement(line.says, line.margin), [(p, p.phi - 1 + 16 * (1 - p.rho)) for p in REARRANGED])
    outside = {
        "x >= 0": Root(Fraction(-1, 20), 2),
        "y >= 0": Root(2, Fraction(-1, 20)),
        "x^2 >= 1 - y": Root(HALF, HALF),
    }
    bind_hypotheses(root, Root(0, 1), outside)
    assert root.applies(Root(1, 0)) is Truth.TRUE
    line = root.given[-1]
    bind(Statement(line.says, line.margin), [(p, p.x**2 - 1 + p.y) for p in ROOTS])
    assert root.at(Root(1, 0)) is squared.at(Rearranged(1, 1)) is Truth.TRUE, "equality"
    for statement, points in ((squared, REARRANGED), (root, ROOTS)):
        assert not statement.strict
        assert not statement.given[-1].strict
        assert all(statement.at(p) is Truth.TRUE for p in points if statement.applies(p) is Truth.TRUE)
