"""Theorem 13 of `near-optimal`: what a small divergence costs on average."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import attrs
import mpmath
import sympy
from flint import arb

from dpmatrix.claims import Statement, Truth, bind_hypotheses
from dpmatrix.claims.formulas import bind_formula, real
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.near_optimal.fano import Estimation, fano_bound, largest_error
from proofs_checks.near_optimal.conditions import bind_condition, bind_needed

theorem_13 = cite("near-optimal.theorem-13@becf390f")

HALF = Fraction(1, 2)


def estimation(laws, errors, separation=1, divergence=1) -> Estimation:
    return Estimation(tuple(map(tuple, laws)), tuple(map(tuple, errors)), separation, divergence)


def blurred(r: int, share: Fraction, divergence) -> Estimation:
    """Observe J itself with chance ``share``, else something uniform; the estimate is the theta that is observed."""
    laws = [[share * (i == j) + (1 - share) / r for i in range(r)] for j in range(r)]
    errors = [[int(i != j) for j in range(r)] for i in range(r)]
    return estimation(laws, errors, 1, divergence)


SKEWED = estimation(
    [
        [HALF, Fraction(1, 3), Fraction(1, 6)],
        [Fraction(1, 4), HALF, Fraction(1, 4)],
        [Fraction(1, 5), Fraction(2, 5), Fraction(2, 5)],
    ],
    [[Fraction(1, 3), 1, Fraction(3, 4)], [1, Fraction(1, 5), 2], [Fraction(5, 4), Fraction(2, 3), Fraction(1, 3)]],
    1,
    Fraction(1, 3),
)
ESTIMATIONS = [
    *(blurred(r, Fraction(k, 10), 2) for r in (2, 3, 6, 9) for k in (1, 4, 6)),
    blurred(4, Fraction(0), 0),
    *(attrs.evolve(SKEWED, separation=Fraction(k, 8), divergence=Fraction(k + 3, 9)) for k in range(9)),
]


def worst_error(p: Estimation) -> Fraction:
    return max(
        sum(Fraction(f) * Fraction(row[j]) for f, row in zip(law, p.errors, strict=True))
        for j, law in enumerate(p.laws)
    )


def fano(p: Estimation) -> mpmath.mpf:
    bracket = 1 - (real(p.divergence) + mpmath.log(2)) / mpmath.log(len(p.laws))
    return real(worst_error(p)) - real(p.separation) / 2 * bracket


def divergence(p: Estimation) -> mpmath.mpf:
    def one(first, second):
        return sum(real(f) * mpmath.log(real(f) / real(g)) for f, g in zip(first, second, strict=True) if f)

    return real(p.divergence) - max(one(first, second) for first, second in permutations(p.laws, 2))


FANO_OUTSIDE = {
    "r laws of the same values, r distances for each value": attrs.evolve(SKEWED, errors=SKEWED.errors[1:]),
    "r >= 2": estimation([[HALF, HALF]], [[0], [1]]),
    "the probabilities are at least 0": attrs.evolve(
        SKEWED, laws=((Fraction(-1, 20), Fraction(21, 20), 0), *SKEWED.laws[1:])
    ),
    "each law sums to 1": attrs.evolve(
        SKEWED, laws=(*SKEWED.laws[:2], (Fraction(1, 5), Fraction(1, 5), Fraction(11, 20)))
    ),
    "distances are at least 0": attrs.evolve(SKEWED, errors=(*SKEWED.errors[:2], (Fraction(-1, 20), 2, 2))),
    "separation >= 0": attrs.evolve(SKEWED, separation=Fraction(-1, 20)),
    "d(e, theta_i) + d(e, theta_j) >= d(theta_i, theta_j) >= tau for i != j": attrs.evolve(
        SKEWED, separation=Fraction(101, 100)
    ),
    "KL(f_i|f_j) <= gamma": attrs.evolve(SKEWED, divergence=Fraction(1, 10)),
}

FANO_NEEDED = {
    "the probabilities are at least 0": estimation([[2, -1]] * 4, [[HALF] * 4, [10] * 4], 1, 0),
    "each law sums to 1": estimation([[0]] * 4, [[HALF] * 4], 1, 0),
    "distances are at least 0": attrs.evolve(
        blurred(2, Fraction(1, 5), Fraction(1, 10)), errors=((-100, 101), (101, -100))
    ),
}
"""Points at which the theorem fails that lacks one hypothesis alone."""


@theorem_13.supports(
    grade="derived",
    region="every family of densities and every pseudo-metric: derivation in the docstring, its identities and scalar "
    "inequalities machine-checked; convexity of the divergence and data processing cited",
)
def test_fano_from_two_coins(statement) -> None:
    """J uniform on 1..r, X ~ f_J, psi the index of the theta nearest to the estimate, p = P(psi != J).

    Where psi != j, tau <= d(theta_psi, theta_j) <= 2 d(estimate, theta_j): E_j d >= (tau/2) P_j(psi != j), and the
    maximum over j is at least the mean (tau/2) p. With M the mean of the f_j, (1/r) sum_j KL(f_j|M) <= (1/r^2) sum_jk
    KL(f_j|f_k) <= gamma by convexity of the divergence in its second argument. The left side is the divergence of the
    law of (J, X) from the product of its marginals; the event psi = J has the chances 1 - p and 1/r, so by data
    processing it is at least kl(1-p, 1/r) = (1-p) log r + p log(r/(r-1)) - h(p) (1), h(p) = -p log p - (1-p) log(1-p)
    <= log 2 (2). Hence p >= 1 - (gamma + log 2)/log r, which is what is asked for when tau >= 0.
    """
    p, r, g = sympy.symbols("p r gamma", positive=True)
    kl = (1 - p) * sympy.log((1 - p) * r) + p * sympy.log(p / (1 - 1 / r))
    h = -p * sympy.log(p) - (1 - p) * sympy.log(1 - p)
    split = (1 - p) * sympy.log(r) + p * sympy.log(r / (r - 1)) - h
    difference = kl - split
    assert max(abs(difference.subs({p: Fraction(k, 9), r: k + 2}).evalf(40)) for k in range(1, 9)) < 1e-30, "(1)"
    assert sympy.simplify(sympy.expand_log(sympy.diff(difference, p), force=True)) == 0, "(1)"
    assert sympy.simplify(sympy.diff(h, p).subs(p, sympy.Rational(1, 2))) == 0, "(2)"
    assert sympy.simplify(h.subs(p, sympy.Rational(1, 2)) - sympy.log(2)) == 0
    assert sympy.simplify(sympy.diff(h, p, 2) + 1 / (p * (1 - p))) == 0, "h is concave"
    solved = sympy.solve(sympy.Eq((1 - p) * sympy.log(r) - sympy.log(2), g), p)[0]
    assert sympy.simplify(solved - (1 - (g + sympy.log(2)) / sympy.log(r))) == 0
    bind_formula(statement, ESTIMATIONS, fano)
    held = [point for point in ESTIMATIONS if statement.applies(point) is Truth.TRUE]
    assert len(held) >= 15
    assert [point for point in held if statement.at(point) is not Truth.TRUE] == []
    bind_hypotheses(statement, SKEWED, FANO_OUTSIDE)
    bind_needed(statement, SKEWED, FANO_OUTSIDE, FANO_NEEDED)
    assert statement.applies(blurred(2, Fraction(0), 0)) is Truth.TRUE, "r = 2, equal laws, gamma = 0"
    assert statement.applies(attrs.evolve(SKEWED, separation=0)) is Truth.TRUE
    assert not statement.strict
    conditions = {given.says: given for given in statement.given}
    assert not any(given.strict for given in statement.given)
    largest = conditions["KL(f_i|f_j) <= gamma"]
    bind_formula(Statement(largest.says, largest.margin), ESTIMATIONS, divergence)
    shapes = "r laws of the same values, r distances for each value"
    told = [(FANO_OUTSIDE[shapes], -1), *((point, 0) for point in ESTIMATIONS)]
    bind_condition(statement, shapes, told)
    singular = estimation([[1, 0], [HALF, HALF]], [[0, 1], [1, 0]], 1, 100)
    assert statement.applies(singular) is Truth.FALSE, "an infinite divergence"
    over = attrs.evolve(SKEWED, laws=(*SKEWED.laws[:2], (Fraction(1, 5), Fraction(2, 5), Fraction(9, 20))))
    assert statement.applies(over) is Truth.FALSE


@theorem_13.controls(grade="interval", region="equal laws, r = 50")
def test_tau_in_place_of_half_tau_is_refused(statement) -> None:
    """Nothing is observed and the estimate is half-way to each theta: tau (1 - log 2/log 50) > tau/2 is false."""
    blind = estimation([[1]] * 50, [[HALF] * 50], 1, 0)
    assert statement.at(blind) is Truth.TRUE

    def whole_separation(p: Estimation) -> arb:
        log_count = arb(len(p.laws)).log()
        return arb(largest_error(p)) - 2 * fano_bound(ball(p.separation), ball(p.divergence), log_count)

    assert statement.nudged(margin=whole_separation).at(blind) is Truth.FALSE
    certain = blurred(50, Fraction(1), 0)
    assert statement.without("KL(f_i|f_j) <= gamma").at(certain) is Truth.FALSE
