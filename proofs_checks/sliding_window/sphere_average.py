"""The norm of a random symmetric matrix by an average over the sphere: a written proof, and its algebra checked.

It gives the rows that a Gaussian sketch needs, and the norm of Gaussian noise. A net would have 9^k where this has 3^k.
"""

from __future__ import annotations

import mpmath
import sympy

EIGHTH = sympy.Rational(1, 8)
"""s^2, s the radius of the cap around the worst direction."""


def check_cap() -> None:
    """Check what an average over the sphere knows of the largest eigenvalue: the share of a cap, and the mean over it.

    Let M be symmetric of order k >= 2, lambda its largest eigenvalue, v a unit eigenvector, 0 < s <= 1 and
    b = s^2/(k + 1). The unit vectors u = y +- sqrt(1 - |y|^2) v, y orthogonal to v with |y| <= s, have on the sphere
    the density 1/(A sqrt(1 - |y|^2)) >= 1/A with respect to dy, A = 2 pi^(k/2)/Gamma(k/2) the area of the sphere. The
    ball of the y has the volume V s^(k-1), V = pi^((k-1)/2)/Gamma((k+1)/2). For them u'Mu = (1 - |y|^2) lambda + y'My.
    The mean of |y|^2 over the ball is s^2 (k-1)/(k+1), so that of y'My is s^2/(k+1) (tr M - lambda), and that of u'Mu -
    b tr M is (1 - s^2 + b) lambda: the trace cancels. By Jensen's inequality, for c > 0 and the uniform law of u,
    E_u exp(c (u'Mu - b tr M)) >= p exp(c (1 - s^2 + b) lambda), p = 2 V s^(k-1)/A = s^(k-1) Gamma(k/2)/(sqrt pi
    Gamma((k+1)/2)) >= s^(k-1)/sqrt(pi k/2), as Gamma(z + 1/2) <= sqrt(z) Gamma(z), Gamma being log-convex.
    With s^2 = 1/8 this is 1/p <= 3^k: (9/8)^k >= e k log(9/8) >= pi k/16.
    """
    k, s, r = sympy.symbols("k s r", positive=True)
    area, volume = 2 * sympy.pi ** (k / 2) / sympy.gamma(k / 2), sympy.pi ** ((k - 1) / 2) / sympy.gamma((k + 1) / 2)
    share = sympy.gamma(k / 2) / (sympy.sqrt(sympy.pi) * sympy.gamma((k + 1) / 2))
    assert sympy.simplify(2 * volume / area - share) == 0
    squares, all_of_it = r ** (k + 1) / (k + 1), r ** (k - 1) / (k - 1)
    assert sympy.simplify(sympy.diff(squares, r) / sympy.diff(all_of_it, r) - r**2) == 0, "areas are like r^(k-2)"
    mean = (squares / all_of_it).subs(r, s)
    assert sympy.simplify(mean - s**2 * (k - 1) / (k + 1)) == 0
    b = s**2 / (k + 1)
    assert sympy.simplify(mean / (k - 1) - b) == 0, "what is left of the trace"
    assert sympy.simplify((1 - mean) - b - (1 - s**2 + b)) == 0, "what is left of lambda"
    for order in range(2, 60):
        part = share.subs(k, order)
        assert (part**2 * sympy.pi * order / 2).evalf(30) > 1
        assert (part**2 * EIGHTH ** (order - 1) * 9**order).evalf(30) > 1
    assert sympy.simplify((sympy.pi * k / 2 * 8 ** (k - 1)) / 9**k - sympy.pi * k / 16 * sympy.Rational(8, 9) ** k) == 0
    assert sympy.E * sympy.log(sympy.Rational(9, 8)) > sympy.pi / 16


def check_sketch_failure() -> None:
    """Pr(some direction is off by more than alpha) <= 2 3^k exp(-t (x - log(1 + x))/2), x = 7 alpha/8, alpha > 0.

    G is t x k with independent N(0, 1) entries, M = G'G - t; s, b and p as in `check_cap`, x = (1 - s^2) alpha.
    *k = 1.* Chernoff's bounds at alpha >= x for chi-square: 2 exp(-t (alpha - log(1 + alpha))/2).
    *k >= 2, lambda(M) > t alpha.* By Markov's inequality at most E exp(c (u'Mu - b tr M)) exp(-c t alpha (1 - s^2 +
    b))/p for one u, as the law of M is invariant under rotations. u'Mu - b tr M = (1 - b)(X - t) - b (Y - (k-1) t), X
    and Y independent chi-square with t and (k-1) t degrees. With c' = c (1 - b) = x/(2 (1 + x)), as (1 - s^2 + b)/(1 -
    b) = 1 - s^2 + b (2 - s^2)/(1 - b), the exponent is at most -t (x - log(1 + x))/2 from X and 1 - s^2, plus
    (k-1) t c'^2 b^2/(1 - b)^2 from Y by log(1 + z) >= z - z^2/2, less c' t alpha b (2 - s^2)/(1 - b). The last term is
    the larger one: (k-1) b/(1 - b) = (k-1) s^2/(k + 1 - s^2) <= s^2, c' <= alpha/2, and s^2/2 <= 2 - s^2.
    *k >= 2, lambda(-M) > t alpha.* Impossible for alpha >= 1. Else the same with c' = x/2: from X and 1 - s^2 comes
    t (-x^2 + x - log(1 + x))/2 <= -t (x - log(1 + x))/2, and from Y, with z = 2 c' b/(1 - b) <= s^2/(3 - s^2) <= 1/2,
    (k-1) t c'^2 b^2/((1 - b)^2 (1 - z)), by -log(1 - z) - z <= z^2/(2 (1 - z)); again it is the smaller term, as
    s^2 (alpha/2)/(1 - z) <= s^2 alpha <= alpha (2 - s^2).
    Both together have 2/p <= 2 3^k.
    """
    check_cap()
    x, t, b, s, z, k = sympy.symbols("x t b s z k", positive=True)
    tilt = x / (2 * (1 + x))
    upper = -tilt * t * x - t / 2 * sympy.log(1 - 2 * tilt) - tilt * t
    assert sympy.simplify(sympy.expand_log(upper + t / 2 * (x - sympy.log(1 + x)), force=True)) == 0
    assert sympy.simplify((1 - s**2 + b) / (1 - b) - (1 - s**2) - b * (2 - s**2) / (1 - b)) == 0
    assert sympy.simplify(sympy.diff(sympy.log(1 + z) - z + z**2 / 2, z) - z**2 / (1 + z)) == 0, "and it vanishes at 0"
    other = (k - 1) * t * (-sympy.log(1 + z) / 2 + z / 2)  # z = 2 c b: the terms of Y
    assert sympy.simplify(other.subs(sympy.log(1 + z), z - z**2 / 2) - (k - 1) * t * (z / 2) ** 2) == 0
    small = s**2 / (k + 1)
    assert sympy.simplify(small / (1 - small) - s**2 / (k + 1 - s**2)) == 0
    assert EIGHTH / 2 <= 2 - EIGHTH
    lower = -x * t * x / 2 - t / 2 * sympy.log(1 + x) + x * t / 2
    assert sympy.simplify(lower - t / 2 * (x - x**2 - sympy.log(1 + x))) == 0
    assert sympy.simplify(-(x**2) + x - (-x) - 2 * (x - x**2 / 2)) == 0, "at most by log(1 + x) >= x - x^2/2"
    rest = z**2 / (2 * (1 - z)) + sympy.log(1 - z) + z
    assert sympy.simplify(sympy.diff(rest, z) - z**2 / (2 * (1 - z) ** 2)) == 0, "and it vanishes at 0"
    largest, kept = EIGHTH / (3 - EIGHTH), 1 - EIGHTH
    assert largest <= sympy.Rational(1, 2)
    assert kept == sympy.Rational(7, 8)
    check_one_direction(x)


def check_one_direction(x: sympy.Symbol) -> None:
    """Chernoff's bounds for chi^2_t/t - 1: x - log(1 + x) above, -log(1 - x) - x >= x - log(1 + x) below."""
    assert sympy.simplify(sympy.diff(x - sympy.log(1 + x), x) - x / (1 + x)) == 0, "it grows with x"
    gap = sympy.diff(-sympy.log(1 - x) - x - (x - sympy.log(1 + x)), x)
    assert sympy.simplify(gap - 2 * x**2 / (1 - x**2)) == 0, "and it vanishes at 0"
    with mpmath.workdps(30):
        for rows in (30, 200):
            for parts in (2, 3, 6):
                half, off = mpmath.mpf(rows) / 2, mpmath.mpf(1) / parts
                inside = mpmath.gammainc(half, half * (1 - off), half * (1 + off), regularized=True)
                assert 1 - inside <= 2 * mpmath.exp(-half * (off - mpmath.log(1 + off))), "the exact law"


def check_noise_norm() -> None:
    """Pr(|N| > zeta) <= 2 3^d exp(-49 zeta^2/(256 v)), N symmetric with independent N(0, v) on and above the diagonal.

    Here k = d and M is N, and then -N, which has the same law. *d = 1.* 2 exp(-zeta^2/(2v)). *d >= 2.* The variance of
    u'Nu - b tr N, |u| = 1, is v times sum (u_i^2 - b)^2 + 4 sum_{i<j} u_i^2 u_j^2 = 2 - sum u_i^4 - 2b + d b^2, at most
    2 v as d b <= s^2 <= 2. By Markov's inequality and `check_cap`, for every c > 0, Pr(lambda(N) > zeta) <= exp(c^2 v -
    c zeta (1 - s^2 + b))/p <= 3^d exp(c^2 v - 7 c zeta/8), at c = 7 zeta/(16 v) 3^d exp(-49 zeta^2/(256 v)).
    """
    check_cap()
    u, b = sympy.symbols("u0:4", real=True), sympy.symbols("b")
    unit = sum(x**2 for x in u)
    mixed = sum(u[i] ** 2 * u[j] ** 2 for j in range(4) for i in range(j))
    variance = sum((x**2 - b) ** 2 for x in u) + 4 * mixed
    assert sympy.expand(variance - (2 * unit**2 - sum(x**4 for x in u) - 2 * b * unit + 4 * b**2)) == 0
    c, v, zeta = sympy.symbols("c v zeta", positive=True)
    exponent = c**2 * v - (1 - EIGHTH) * c * zeta
    assert sympy.expand(exponent.subs(c, 7 * zeta / (16 * v)) + 49 * zeta**2 / (256 * v)) == 0
    assert sympy.Rational(49, 256) < sympy.Rational(1, 2), "d = 1"
