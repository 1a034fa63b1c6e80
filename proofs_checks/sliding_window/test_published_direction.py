"""Theorems 6 and 7 of `sliding-window`: the projection that is published alone breaks the guarantee."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import attrs
import mpmath
import sympy

from dpmatrix.claims import Truth, bind, bind_hypotheses
from dpmatrix.claims.formulas import real
from dpmatrix.exact import ball
from dpmatrix.reporting.citing import cite
from dpmatrix.spec.sliding_window.published_direction import PublishedDirection

theorem_6 = cite("sliding-window.theorem-6@0da31879")
theorem_7 = cite("sliding-window.theorem-7@c989c9b7")

MILLIONTH, TENTH, HALF = Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 2)


def long_row(inverse_eta: int, rank: int, shift: int) -> PublishedDirection:
    """Take rows of length 10^5 and the line through (10^5, shift), at beta = 1/10 and r = k'/eta."""
    eta = Fraction(1, inverse_eta)
    return PublishedDirection(1, 2, TENTH, rank, eta, 1, MILLIONTH, 1, 10**5, slope=Fraction(shift, 10**5))


BROKEN = long_row(1000, 3303, 1)
ORDINARY = long_row(100, 331, 10)
EDGE = long_row(60, 199, 17)


def sign_probability(ratio, size):
    """Pr(Z < x sqrt(chi^2_m)), by Student's law."""
    share = ratio**2 / (1 + ratio**2)
    half = mpmath.betainc(mpmath.mpf(1) / 2, real(size) / 2, 0, share, regularized=True) / 2
    return mpmath.mpf(1) / 2 + mpmath.sign(ratio) * half


def mean_of_normal(ratio, size):
    """Return the same as the mean of the normal distribution function over the chi-square variate."""
    shape = real(size) / 2

    def part(s):
        density = mpmath.exp((shape - 1) * mpmath.log(s / 2) - s / 2 - mpmath.loggamma(shape)) / 2
        return density * mpmath.ncdf(ratio * mpmath.sqrt(s))

    return mpmath.quad(part, [0, size, 2 * size, 4 * size, 8 * size])


def by_hand(p: PublishedDirection):
    """Return the margin, with the turn as one by an angle."""
    size, log = 4 * p.rank / Fraction(p.eta), mpmath.log(4 / real(p.delta))
    ridge = ((16 * mpmath.sqrt(p.rank * log) + log) / real(p.epsilon)) ** 2
    row, angle = real(p.row), mpmath.atan(real(p.slope))

    def probability(b):
        turned = (row * mpmath.cos(angle) + b * mpmath.sin(angle)) * (b * mpmath.cos(angle) - row * mpmath.sin(angle))
        return sign_probability(turned / mpmath.sqrt(ridge * (ridge + row**2 + b**2)), size)

    half = mpmath.mpf(1) / 2
    return mpmath.exp(real(p.epsilon)) * probability(-half) + real(p.delta) - probability(half)


def small_sketches() -> list:
    found = []
    with mpmath.workdps(60):
        shapes = ((Fraction(3), -1), (Fraction(400), 2), (Fraction(1, 3), 0))
        for inverse, epsilon, (row, shift) in product((Fraction(5, 2), 3, 8, 30), (1, 4), shapes):
            eta = 1 / Fraction(inverse)
            rank = int(mpmath.ceil((1 + mpmath.log(2)) / real(eta)))
            p = PublishedDirection(
                1, 2, Fraction(1, 2), rank, eta, epsilon, Fraction(1, 9), 1, row, slope=shift / row / 3
            )
            found.append((p, by_hand(p)))
    for ratio, size in product((mpmath.mpf(1) / 3, mpmath.mpf(-1) / 9), (20, 50)):
        assert abs(sign_probability(ratio, size) - mean_of_normal(ratio, size)) < 1e-12
    return found


@theorem_6.refutes("privacy", grade="interval", region="eps = 1, delta = 10^-6, M = 10^5, eta = 1/1000, 1/100, 1/60")
@theorem_7.refutes("privacy", grade="interval", region="eps = 1, delta = 10^-6, M = 10^5, eta = 1/1000, 1/100, 1/60")
def test_the_projection_alone_breaks_the_guarantee(statements) -> None:
    """With C = sigma^2 I + a'a and C~ = RCR', R the turn by the angle w of (1, t): A~R' has the rows N(0, C~/m).

    The first eigenvector of a symmetric 2 x 2 matrix K has its angle between 0 and a quarter turn exactly if K_12 > 0,
    so that X~ is in the quarter turn after w exactly if <u, v> > 0 for the columns u and v of A~R'. Given u, v is
    normal about u C~_12/C~_11 with variance det C/(m C~_11) in each entry, and m |u|^2/C~_11 is chi-square with m
    degrees: <u, v> has the sign of Z + x sqrt(chi^2_m), x = C~_12/sqrt(det C), and T = Z/sqrt(chi^2_m/m) is Student's.
    """
    s, m, b, w = sympy.symbols("s M b w", real=True)
    turn = sympy.Matrix([[sympy.cos(w), sympy.sin(w)], [-sympy.sin(w), sympy.cos(w)]])
    row = sympy.Matrix([[m, b]])
    law = s * sympy.eye(2) + row.T * row
    assert sympy.simplify(law.det() - s * (s + m**2 + b**2)) == 0
    slope = sympy.Symbol("t")
    mixed = sympy.expand((turn * law * turn.T)[0, 1], trig=False)
    stated = (m + b * slope) * (b - m * slope) / (1 + slope**2)
    assert sympy.simplify(mixed - stated.subs(slope, sympy.tan(w))) == 0
    values = small_sketches()
    for name in ("theorem-6", "theorem-7"):
        check_direction(statements[f"sliding-window.{name}/privacy"], values)
    statement = statements["sliding-window.theorem-6/privacy"]
    losses = [ball(MILLIONTH) - statement.margin(p) for p in (BROKEN, ORDINARY, EDGE)]
    theorem_6.tells("X~ alone has delta at least {} at eta = 1/1000", losses[0])
    theorem_6.tells("1/1000, {} delta at eta = 1/100", losses[1] / ball(MILLIONTH))
    theorem_6.tells("and {} delta at eta = 1/60", losses[2] / ball(MILLIONTH))
    theorem_7.tells("X~ alone has delta at least {} at eta = 1/1000", losses[0])
    theorem_7.tells("1/1000, {} delta at eta = 1/100", losses[1] / ball(MILLIONTH))
    theorem_7.tells("and {} delta at eta = 1/60", losses[2] / ball(MILLIONTH))


def check_direction(statement, values) -> None:
    with mpmath.workdps(60):
        bind(statement, values)
    for p in (BROKEN, ORDINARY, EDGE):
        assert statement.at(p) is Truth.FALSE
    assert statement.at(long_row(40, 133, 20)) is Truth.TRUE
    assert not statement.strict
    outside = {
        "d = 2, k = 1": attrs.evolve(BROKEN, dimension=3),
        "beta > 0": attrs.evolve(BROKEN, beta=0),
        "beta < 1": attrs.evolve(BROKEN, beta=1),
        "r = k'/eta, rounded up": attrs.evolve(BROKEN, rank=3305),
        "eta > 0": attrs.evolve(BROKEN, eta=0),
        "eta < 1/2": attrs.evolve(BROKEN, eta=Fraction(1, 2), rank=7),
        "4r/eta is an integer": attrs.evolve(BROKEN, eta=Fraction(7, 7001)),
        "epsilon > 0": attrs.evolve(BROKEN, epsilon=0),
        "delta > 0": attrs.evolve(BROKEN, delta=0),
        "delta < 1": attrs.evolve(BROKEN, delta=1),
    }
    bind_hypotheses(statement, BROKEN, outside)
