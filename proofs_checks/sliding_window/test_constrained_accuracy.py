"""Theorem 7 of `sliding-window`: what it loses, and the projection of a private window that repairs it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import isclose

import attrs
import mpmath
import sympy
from flint import arb, fmpq, fmpq_mat
from scipy.special import betainc

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real, symbolic, symbolic_matrix
from dpmatrix.exact import rational
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.common.spectra import diagonal, identity
from dpmatrix.spec.sliding_window.constrained_accuracy import Approximation, TwoAxes, printed_extra
from dpmatrix.spec.sliding_window.noisy_choice import NoisyChoice, noisy_cost_margin
from dpmatrix.spec.sliding_window.one_row_output import OneRowOutput
from dpmatrix.spec.sliding_window.projection_costs import cost
from dpmatrix.tracing import bind_expression
from proofs_checks.exact_matrices import line
from proofs_checks.sliding_window.misled_choices import DEAR, E_1, FREE, NO_PROJECTION, SEEN_ALIKE, SKEW_NOISE
from proofs_checks.sliding_window.one_row_outputs import ridge, whole_above

theorem_7 = cite("sliding-window.theorem-7@c989c9b7")

THEOREM = "sliding-window.theorem-7"
MILLIONTH = Fraction(1, 10**6)


AXES = TwoAxes(1, 2, Fraction(1, 4), 24, Fraction(1, 10), 1, MILLIONTH, 1, 393, gamma=2)
ORDINARY = attrs.evolve(AXES, rank=10, eta=Fraction(1, 4), row=260)
"""M^2 is 1.5 sigma^2 at both, at eta = 1/10 and 1/4."""


def chosen_by_hand(p: TwoAxes):
    """Pr(X/(X + Y) <= t/(1 + t)), t = gamma^2 sigma^2/(sigma^2 + M^2), by the incomplete beta function."""
    log = mpmath.log(4 / real(p.delta))
    ridge = ((16 * mpmath.sqrt(p.rank * log) + log) / real(p.epsilon)) ** 2
    ratio = real(p.gamma) ** 2 * ridge / (ridge + real(p.row) ** 2)
    half = 2 * p.rank / real(p.eta)
    return mpmath.betainc(half, half, 0, ratio / (1 + ratio), regularized=True)


def small_eta(constant) -> TwoAxes:
    """Take eta = 1/(4 s^2) and M = 250 s for s = ceil(c), and the r that Theorem 7 asks for."""
    size = whole_above(constant)
    with mpmath.workdps(150):
        rank = int(mpmath.ceil((1 + mpmath.log(4)) * 4 * size**2))
    return attrs.evolve(AXES, constant=constant, rank=rank, eta=Fraction(1, 4 * size**2), row=250 * size)


@theorem_7.refutes(
    grade="derived",
    region="d = 2, k = 1, beta = 1/4, eps = 1, delta = 10^-6, gamma = 2: every c by eta = 1/(4 s^2), M = 250 s, "
    "s = ceil(c)",
)
def test_the_additive_term_does_not_grow_with_sigma(statement) -> None:
    """With 1 - P = e_1e_1', |A~(1-P)|^2 = |sigma Phi_1 + M g'|^2 and |A~(1-X)|^2 = sigma^2 |Phi_2|^2.

    The three vectors are independent with entries N(0, 1/m), so the first is (sigma^2 + M^2) chi^2_m/m, the second
    sigma^2 chi^2_m/m, independent: X and Y. (21) says (sigma^2 + M^2) X <= gamma^2 sigma^2 Y; as gamma >= 1 it does not
    matter which one attains the minimum. X/(X + Y) has the law Beta(m/2, m/2), so (21) has probability 1/2 at gamma^2 =
    1 + M^2/sigma^2. M exceeds the additive error, which is 30.2 c here. In the family sigma is at least 16 sqrt(r
    log(4/delta)) > 192 s, so M^2/sigma^2 < 1.7, and (21) has at least the probability of X < 4 Y/2.7, with m >= 160.
    Chernoff: E exp(u(X - tY)) = ((1 - 2u)(1 + 2ut))^(-m/2), least at u = (t - 1)/(4t): (4t/(1 + t)^2)^(m/2).
    """
    s, m, one, other = sympy.symbols("sigma M u v", positive=True)
    gamma = sympy.sqrt(1 + m**2 / s**2)
    assert sympy.simplify((s**2 + m**2) * one - gamma**2 * s**2 * other - (s**2 + m**2) * (one - other)) == 0
    assert abs(printed_extra(AXES) - arb("30.2")) < arb("0.05")
    assert 16 * (4 * (1 + arb(4).log()) * (4 / arb("1e-6")).log()).sqrt() > 192
    assert Fraction(250, 192) ** 2 < Fraction("1.7")
    assert 4 * small_eta(1).rank / small_eta(1).eta == 160
    u, t = sympy.symbols("u t", positive=True)
    mean = (1 - 2 * u) * (1 + 2 * u * t)
    assert sympy.expand(4 * t * mean - (1 + t) ** 2 + (4 * u * t - (t - 1)) ** 2) == 0
    statement.refute(small_eta)
    assert statement.margin(AXES) < -fmpq(3, 4) + fmpq(1, 10**6), "(21) has a probability near 1"
    met, dear = 1 - statement.law.quantity(ORDINARY), ORDINARY.row / printed_extra(ORDINARY)
    theorem_7.tells("eta = 1/4 the probability is {} and c up to {} is refuted", met, dear)
    for point, most in ((ORDINARY, Fraction(86, 10)), (AXES, 13)):
        assert statement.at(attrs.evolve(point, constant=most)) is Truth.FALSE
        assert statement.at(attrs.evolve(point, constant=most + Fraction(1, 10))) is Truth.TRUE
    assert statement.at(attrs.evolve(ORDINARY, gamma=Fraction(4, 3))) is Truth.TRUE, "(21) is rare"
    assert statement.conclusion(attrs.evolve(AXES, row=30)) is Truth.TRUE
    assert statement.conclusion(attrs.evolve(AXES, gamma=1)) is Truth.TRUE, "(21) is never met"
    values = []
    with mpmath.workdps(60):
        for k, beta, epsilon, constant, g in product(
            (1, 2), (Fraction(1, 4), Fraction(3, 4)), (1, Fraction(1, 3)), (1, 9), (1, Fraction(6, 5))
        ):
            more = k + mpmath.log(1 / real(beta))
            bound = constant * mpmath.sqrt(more * 3) * mpmath.log(1 / real(MILLIONTH)) / real(epsilon)
            near = int(100 * bound)
            for row in (0, 170, Fraction(near - 5, 100), Fraction(near + 5, 100)):
                point = TwoAxes(k, 3, beta, 1, Fraction(1, 8), epsilon, MILLIONTH, constant, row, gamma=g)
                success = mpmath.mpf(1) if real(row) <= bound else 1 - chosen_by_hand(point)
                values.append((point, success - 1 + real(beta)))
        bind(statement, values)
    for gamma in (1.98, 1.99, 2.0, 2.01, 2.02):
        many = attrs.evolve(AXES, rank=263, eta=Fraction(1, 110), row=1779, gamma=Fraction(gamma))
        ratio = float(gamma**2 / (1 + 1779**2 / ridge(OneRowOutput(263, many.eta, 2, 1, MILLIONTH, 0, 1, HALF))))
        share = ratio / (1 + ratio)
        exact, found = 1 - betainc(57860, 57860, share), statement.law.quantity(many)
        assert float(found.lower()) <= exact <= float(found.upper()), "115,720 degrees: Chernoff"
        assert isclose(2 * float(found.rad()), (4 * share * (1 - share)) ** 57860, rel_tol=1e-6)
        assert gamma == 2 or float(found.rad()) < 1 / 4
        assert gamma != 1.99 or exact > 0.8
    assert not statement.strict
    assert statement.applies(attrs.evolve(AXES, gamma=1)) is Truth.TRUE
    bind_hypotheses(
        statement,
        AXES,
        {
            "d = 2, k = 1": attrs.evolve(AXES, dimension=3),
            "beta > 0": attrs.evolve(AXES, beta=0),
            "beta < 1": attrs.evolve(AXES, beta=1),
            "r = k'/eta, rounded up": attrs.evolve(AXES, rank=25),
            "eta > 0": attrs.evolve(AXES, eta=0),
            "eta < 1/2": attrs.evolve(AXES, eta=Fraction(1, 2)),
            "4r/eta is an integer": attrs.evolve(AXES, eta=Fraction(7, 69)),
            "epsilon > 0": attrs.evolve(AXES, epsilon=0),
            "delta > 0": attrs.evolve(AXES, delta=0),
            "delta < 1": attrs.evolve(AXES, delta=1),
            "constant > 0": attrs.evolve(AXES, constant=0),
            "row >= 0": attrs.evolve(AXES, row=-1),
            "gamma >= 1": attrs.evolve(AXES, gamma=Fraction(9, 10)),
        },
    )
    (positive_eta,) = (condition for condition in statement.given if condition.says == "eta > 0")
    assert positive_eta.at(attrs.evolve(AXES, eta=0)) is Truth.FALSE
    assert statement.applies(attrs.evolve(AXES, rank=23)) is Truth.FALSE
    assert statement.applies(attrs.evolve(AXES, eta=Fraction(12, 25), rank=5)) is Truth.FALSE, "4r/eta"
    assert statement.applies(attrs.evolve(AXES, k=2, rank=34)) is Truth.FALSE
    nearly = attrs.evolve(AXES, eta=Fraction(20, 41), rank=5, row=0)
    assert statement.applies(nearly) is Truth.TRUE


chosen, best, seen_chosen, seen_best, seen_least = sympy.symbols("chosen best seen_chosen seen_best seen_least")
eta, gamma, extra, constant = sympy.symbols("eta gamma extra constant")
START = Approximation(1, 1, 1, 1, 1, fmpq(1, 4), 2, 1, 1)
NORMS = {
    "best >= 0": attrs.evolve(START, best=-1),
    "seen_chosen >= 0": attrs.evolve(START, seen_chosen=-1),
    "seen_best >= 0": attrs.evolve(START, seen_best=-1),
    "seen_least >= 0": attrs.evolve(START, seen_least=-1),
    "extra >= 0": attrs.evolve(START, extra=-1),
    "eta >= 0": attrs.evolve(START, eta=-1),
    "eta < 1/2": attrs.evolve(START, eta=fmpq(1, 2)),
    "gamma >= 1": attrs.evolve(START, gamma=fmpq(19, 20)),
    "constant > 0": attrs.evolve(START, constant=0),
}
ZERO = Approximation(0, 0, 0, 0, 0, 0, 1, 0, 1)


RIGHT_24 = (1 + eta) * seen_chosen + extra - chosen
BOUND_25 = (1 + eta) * gamma * seen_least + extra - chosen
LEFT_26 = (best + extra) / (1 - eta) - seen_best
SOUND_END = (1 + eta) / (1 - eta) * gamma * (best + extra) + extra - chosen


@theorem_7.refutes("equation-24", grade="symbolic", region="eta = 1/4, exact sketch")
@theorem_7.refutes("equation-26", grade="symbolic", region="eta = 1/8 and 1/4")
def test_the_printed_equations_do_not_follow(statements) -> None:
    right, left = (statements[f"{THEOREM}/{name}"] for name in ("equation-24", "equation-26"))
    quarter = fmpq(1, 4)
    seen = attrs.evolve(ZERO, seen_chosen=1, eta=quarter)
    assert right.at(attrs.evolve(seen, chosen=2)) is Truth.FALSE
    assert right.at(attrs.evolve(seen, chosen=fmpq(5, 4))) is Truth.TRUE
    assert left.at(attrs.evolve(ZERO, best=1, seen_best=3, eta=fmpq(1, 8))) is Truth.FALSE
    assert left.at(attrs.evolve(ZERO, seen_best=10**6, eta=quarter)) is Truth.FALSE
    assert left.at(attrs.evolve(ZERO, best=1, seen_best=1, eta=quarter)) is Truth.TRUE
    bind_expression(right, RIGHT_24)
    bind_expression(left, LEFT_26)
    for condition, formula in (
        (right.given[-1], (1 + 6 * eta) * seen_chosen + constant * extra - chosen),
        (left.given[-1], best + constant * extra - (1 - 6 * eta) * seen_best),
    ):
        bind_expression(attrs.evolve(right, margin=condition.margin, given=right.given[:-1]), formula)
    bind_hypotheses(right, ZERO, NORMS | {"Lemma 5, right": attrs.evolve(START, chosen=9)})
    bind_hypotheses(left, ZERO, NORMS | {"Lemma 5, left": attrs.evolve(START, eta=0, seen_best=9)})
    for statement in statements.values():
        assert not statement.strict
        assert statement.applies(attrs.evolve(ZERO, eta=fmpq(12, 25))) is Truth.TRUE


@theorem_7.supports("equation-25", grade="derived", region="all norms: a non-negative combination of hypotheses")
@theorem_7.supports(
    "combination-with-gamma",
    grade="derived",
    region="all norms, eta >= 0, gamma >= 1: a non-negative combination of hypotheses",
)
def test_the_sound_equations_follow(statements) -> None:
    """The coefficients are 1, 1 + eta and (1 + eta) gamma, none of them negative."""
    middle, end = (statements[f"{THEOREM}/{name}"] for name in ("equation-25", "combination-with-gamma"))
    approximate, minimal = gamma * seen_least - seen_chosen, seen_best - seen_least
    assert sympy.expand(BOUND_25 - RIGHT_24 - (1 + eta) * approximate) == 0
    assert sympy.simplify(SOUND_END - BOUND_25 - (1 + eta) * gamma * (minimal + LEFT_26)) == 0
    bind_expression(middle, BOUND_25)
    bind_expression(end, SOUND_END)
    assert middle.at(START) is Truth.TRUE
    assert end.at(START) is Truth.TRUE
    bind_hypotheses(
        middle,
        ZERO,
        {
            "eta >= 0": attrs.evolve(ZERO, seen_least=1, eta=-2),
            "(23)": attrs.evolve(START, seen_chosen=3),
            "(24)": attrs.evolve(START, chosen=3),
        },
    )
    assert middle.applies(attrs.evolve(START, seen_chosen=2)) is Truth.TRUE
    assert middle.applies(attrs.evolve(START, seen_chosen=fmpq(21, 10))) is Truth.FALSE
    assert middle.applies(attrs.evolve(START, chosen=fmpq(9, 4))) is Truth.TRUE
    assert middle.applies(attrs.evolve(START, chosen=fmpq(23, 10))) is Truth.FALSE
    bind_hypotheses(
        end,
        ZERO,
        {
            "eta >= 0": attrs.evolve(ZERO, best=3, seen_best=1, eta=-2),
            "gamma >= 1": NORMS["gamma >= 1"],
            "(22)": attrs.evolve(ZERO, seen_least=1, chosen=1),
            "(25)": attrs.evolve(START, chosen=fmpq(36, 10)),
            "(26)": attrs.evolve(START, seen_best=fmpq(27, 10)),
        },
    )
    assert end.applies(attrs.evolve(START, chosen=fmpq(7, 2))) is Truth.TRUE
    assert end.applies(attrs.evolve(START, seen_best=fmpq(99, 100))) is Truth.FALSE, "(22)"
    for statement in statements.values():
        assert not statement.strict


HALF = Fraction(1, 2)


def check_cost_identity() -> None:
    """Check that Tr((1-P)X) is a squared norm for X = B'B, and that the margin is the sum of three terms."""
    entries, u = sympy.Matrix(2, 3, sympy.symbols("b0:6")), sympy.Matrix(sympy.symbols("u0:3"))
    rest = sympy.eye(3) - u * u.T / (u.T * u)[0, 0]
    assert sympy.simplify((rest * entries.T * entries).trace() - ((entries * rest).T * (entries * rest)).trace()) == 0
    window, published, chosen, other = (
        sympy.Matrix(3, 3, lambda i, j, name=name: sympy.Symbol(f"{name}{min(i, j)}{max(i, j)}")) for name in "gcpx"
    )
    g, zeta = sympy.symbols("gamma zeta")
    unit = sympy.eye(3)
    noise, extra = published - window, sympy.Symbol("m")
    above = ((unit - other) * (zeta * unit - noise)).trace()
    apart = 2 * extra * zeta - ((chosen - other) * noise).trace()
    ratio = g**2 * ((unit - other) * published).trace() - ((unit - chosen) * published).trace()
    margin = g**2 * ((unit - other) * window).trace() - ((unit - chosen) * window).trace()
    margin += ((g**2 - 1) * (unit - other).trace() + 2 * extra) * zeta
    assert sympy.expand(margin - apart - (g**2 - 1) * above - ratio) == 0


def noisy(window, published, chosen, other, bound, gamma=1) -> NoisyChoice:
    return NoisyChoice(window, published, chosen, other, bound, gamma)


def leaning(gamma: int, bound=HALF) -> NoisyChoice:
    """C~ prefers the wrong axis by exactly the noise: e_2 has the cost gamma^2 + (1 + gamma^2) zeta, e_1 the cost 1."""
    zeta = rational(bound)
    least = gamma**2 + (1 + gamma**2) * zeta
    published = diagonal((least - zeta, 1 + zeta))
    return noisy(diagonal((least, 1)), published, line(0, 1), line(1, 0), zeta, gamma)


def leaning_most(rank: int, gamma: int, bound=HALF) -> NoisyChoice:
    """Take rank axes of five for P, as many others for X as there are, and the noise that misleads most."""
    zeta, order = rational(bound), 5
    chosen, other = ([int(axis < rank) for axis in range(order)], [int(axis >= order - rank) for axis in range(order)])
    signs = [gamma**2 * (1 - x) - (1 - p) for p, x in zip(chosen, other, strict=True)]
    noise = [zeta * ((sign > 0) - (sign < 0)) for sign in signs]
    seen = [1 + zeta + each for each in noise]
    paid = next(axis for axis in range(order) if other[axis] and not chosen[axis])
    dear = sum(seen[axis] for axis in range(order) if not chosen[axis])
    seen[paid] += gamma**2 * sum(seen[axis] for axis in range(order) if not other[axis]) - dear
    window = [one - each for one, each in zip(seen, noise, strict=True)]
    return noisy(*(diagonal(entries) for entries in (window, seen, chosen, other)), zeta, gamma)


NEAR = noisy(diagonal((9, 4)), fmpq_mat([[9, fmpq(1, 7)], [fmpq(1, 7), 4]]), line(1, 0), line(1, 2), fmpq(1, 2), 2)
SMALL_GAMMA = noisy(identity(3), 0 * identity(3), diagonal((1, 0, 0)), diagonal((0, 1, 0)), 1, 0)
NOISE_EVENT = "|C~ - A_W'A_W| <= zeta"
MISLED = {
    "A_W'A_W and C~ are symmetric, d x d": NoisyChoice(SEEN_ALIKE, SEEN_ALIKE + SKEW_NOISE, DEAR, FREE, 1),
    "both are orthogonal projections of rank k": NoisyChoice(diagonal((1, 2)), diagonal((2, 1)), NO_PROJECTION, E_1, 1),
}
PREFERRED = "Tr((I - P) C~) <= gamma^2 Tr((I - X) C~)"


def cost_by_hand(p: NoisyChoice):
    """Compute gamma^2 |A(1-X)|^2 + (1 + gamma^2) zeta - |A(1-P)|^2 for lines in the plane."""
    unit = sympy.eye(2)
    window, chosen, other = (symbolic_matrix(m) for m in (p.window, p.chosen, p.other))
    g, zeta = symbolic(p.gamma), symbolic(p.bound)
    cost = g**2 * ((unit - other) * window).trace() + (1 + g**2) * zeta - ((unit - chosen) * window).trace()
    return cost.evalf(50)


@theorem_7.supports_repair(
    grade="derived", region="every d, k, gamma >= 1, zeta and C~: a sum of three non-negative terms"
)
def test_a_projection_chosen_by_a_near_matrix_is_cheap(statement) -> None:
    """C~ = A'A + N, |N| <= zeta, so A'A - zeta <= C~ <= A'A + zeta.

    For a projection Q = 1 - X and M = B'B, Tr(QM) = |BQ|_F^2 >= 0. The margin is (gamma^2 - 1) Tr((1-X)(zeta - N)),
    with Tr(1-X) = d - k, and 2 min(k, d-k) zeta - Tr((P-X)N), and gamma^2 Tr((1-X)C~) - Tr((1-P)C~). The first is not
    negative for gamma >= 1; the second is not, as P - X has positive and negative eigenvalues that sum to at most
    min(k, d-k) each. The event is of theorem-4's repair and no projection enters it, so P may depend on C~.

    The constant is the least: gamma^2 (1-X) - (1-P) has that trace norm for projections onto axes with as few in common
    as possible, and N may be zeta times its sign.
    """
    check_cost_identity()
    values = []
    for (a, b, c), (x, y), gamma, zeta in product(
        ((9, 4, 0), (3, 5, 1), (2, 2, fmpq(1, 3))), ((1, 0), (1, 2), (2, -1)), (1, fmpq(3, 2)), (0, fmpq(1, 2))
    ):
        window = fmpq_mat([[a, c], [c, b]])
        values.append(noisy(window, window, line(x, y), line(0, 1), zeta, gamma))
    bind(statement, ((p, cost_by_hand(p)) for p in values))
    assert statement.at(NEAR) is Truth.TRUE
    for gamma in (1, 2, 5):
        assert statement.at(leaning(gamma)) is Truth.TRUE, "equality"
        assert statement.margin(leaning(gamma)) == 0
    for rank, gamma in product(range(1, 5), (1, 2, 5)):
        p = leaning_most(rank, gamma)
        assert statement.at(p) is Truth.TRUE, "equality in d = 5"
        assert statement.margin(p) == 0
    wide = NoisyChoice(diagonal((9, 4, 1)), diagonal((9, 4, 2)), diagonal((1, 1, 0)), diagonal((1, 0, 1)), 1)
    assert statement.at(wide) is Truth.TRUE
    assert not statement.strict
    outside = MISLED | {
        NOISE_EVENT: attrs.evolve(NEAR, bound=fmpq(1, 8)),
        "gamma >= 1": SMALL_GAMMA,
        PREFERRED: attrs.evolve(NEAR, chosen=line(0, 1), gamma=1),
    }
    bind_hypotheses(statement, NEAR, outside)
    for wrong in ({"published": fmpq_mat([[9, 1], [0, 4]])}, {"other": identity(2)}):
        assert statement.applies(attrs.evolve(NEAR, **wrong)) is Truth.FALSE
    for says, p in MISLED.items():
        assert statement.without(says).at(p) is Truth.FALSE
    assert statement.without("gamma >= 1").at(SMALL_GAMMA) is Truth.FALSE
    for says in (NOISE_EVENT, PREFERRED):
        worse = noisy(diagonal((9, 1)), diagonal((9, 1)), line(0, 1), line(1, 0), fmpq(1, 4))
        worse = worse if says == PREFERRED else attrs.evolve(worse, published=diagonal((0, 1)))
        assert statement.applies(worse) is Truth.FALSE
        assert statement.without(says).at(worse) is Truth.FALSE


@theorem_7.controls("+repair", grade="symbolic", region="without (gamma^2 - 1)(d-k) zeta; gamma for gamma^2")
def test_the_error_must_carry_gamma(statement) -> None:
    p = leaning(2)
    assert statement.at(p) is Truth.TRUE

    def without_gamma(point: NoisyChoice):
        return noisy_cost_margin(point) + (1 - point.gamma**2) * rational(point.bound)

    def unsquared(point: NoisyChoice):
        return noisy_cost_margin(point) + (point.gamma - point.gamma**2) * cost(point.window, point.other)

    for changed in (without_gamma, unsquared):
        assert statement.nudged(margin=changed).at(p) is Truth.FALSE
