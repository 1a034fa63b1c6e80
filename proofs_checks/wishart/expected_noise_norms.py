"""Bounds on the expected norm of the two noises, for the evidence on `wishart`: their algebra, checked."""

from __future__ import annotations

import itertools

import sympy
from flint import arb

from dpmatrix.spec.wishart.noise import laplace_trace_moment, walk_length

x_, p_, d_, n_, e_, s_ = sympy.symbols("x p dimension records epsilon s", positive=True)


def mean_chi(n: sympy.Expr) -> sympy.Expr:
    """Give the mean of a chi variate with n degrees of freedom."""
    return sympy.sqrt(2) * sympy.gamma((n + 1) / 2) / sympy.gamma(n / 2)


def check_mean_chi() -> None:
    """Check that a = E chi_n has n - 1/2 < a^2 <= n, so that its variance is below 1/2.

    As a_(n+2) = a_n (n + 1)/n, the quotient a_n^2/(n - 1/2) decreases from n to n + 2; its limit is 1.
    """
    n = sympy.Symbol("n", positive=True)
    assert sympy.simplify(sympy.expand_func(mean_chi(n + 2) / mean_chi(n)) - (n + 1) / n) == 0
    half = sympy.Rational(1, 2)
    assert sympy.expand((n + 1) ** 2 * (n - half) - n**2 * (n + 3 * half)) == -half


def check_comparisons() -> None:
    """Sudakov and Fernique: of two Gaussian processes the one with the larger increments has the larger E sup.

    Unit vectors, r = <u, u'>, t = <v, v'>; G_1, G_2 of size d x (d + 1). u'G_i v has the increments 2 - 2rt, and 2 from
    i = 1 to 2; <g, u> + <h_i, v> has 4 - 2r - 2t and 4 - 2r. So E ||G_1|| <= E|g| + E|h_1|, and E max ||G_i|| <= E|g| +
    E max |h_i|, where E max(X, X') = E X + E|X - X'|/2 <= E X + sqrt(2 Var X)/2 (1).

    Symmetric G: x'Gx and -x'Gx have increments of at most 4(1 - t^2) and, with opposite signs, 4(1 + t^2), t = <x, y>,
    as E<G, D>^2 <= 2 |D|_F^2; 2 <g, x> + 2 z with z, z' ~ N(0, 1) for the signs has 8(1 - t) and 8(1 - t) + 8.
    """
    r, t = sympy.symbols("r t", real=True)
    assert sympy.expand((4 - 2 * r - 2 * t) - (2 - 2 * r * t) - 2 * (1 - r) * (1 - t)) == 0
    assert sympy.expand((4 - 2 * r) - 2 - 2 * (1 - r)) == 0
    assert sympy.sqrt(2 * sympy.Rational(1, 2)) / 2 == sympy.Rational(1, 2), "(1) at Var X = 1/2"
    assert sympy.expand(8 * (1 - t) - 4 * (1 - t**2) - 4 * (1 - t) ** 2) == 0
    assert sympy.expand(8 * (1 - t) + 8 - 4 * (1 + t**2) - 4 * (1 - t) * (3 + t)) == 0
    a = sympy.symbols("a1:4", real=True)
    variance = sum(v**4 for v in a) + 4 * sum(u**2 * v**2 for u, v in itertools.combinations(a, 2))
    assert sympy.expand(2 * sum(v**2 for v in a) ** 2 - variance - sum(v**4 for v in a)) == 0
    density = sympy.exp(-(x_**2) / 2) / sympy.sqrt(2 * sympy.pi)
    absolute = 2 * sympy.integrate(x_ * density, (x_, 0, sympy.oo))
    assert sympy.simplify(absolute - sympy.sqrt(2 / sympy.pi)) == 0, "the lower bound of a Gaussian entry"
    assert sympy.simplify(sympy.sqrt(2) * absolute / 2 - 1 / sympy.sqrt(sympy.pi)) == 0, "E max(z, z')"


def check_least_wishart_norms() -> None:
    """E ||W||_2 >= 2 d c and E ||W_1 - W_2||_2 >= sqrt(2) d c; c = 1, m = d + 1.

    lambda_1 >= tr(W^2)/tr(W). As W/tr(W) and tr(W) are independent, its mean is E tr(W^2) E tr(W)/E (tr W)^2, with
    E tr(W^2) = m d (m + d + 1) and tr(W) ~ chi^2_(dm) (1).

    ||M||_2 >= |M e_1| for M = W_1 - W_2. With s = |g|^2 + |h|^2 for the first rows g, h of the two matrices, M_11 =
    s (2b - 1) with b ~ Beta(m/2, m/2), and the other entries of the column are N(0, s). So E|M e_1| is at least
    sqrt((E|M_11|)^2 + (E chi_2m E chi_(d-1))^2), which is at least sqrt(2) d from d = 2 on (2); at d = 1 it is 2.
    """
    m = d_ + 1
    mean = m * d_ * (m + d_ + 1) * d_ * m / (d_ * m * (d_ * m + 2))
    assert sympy.simplify(mean - 2 * d_ - 2 * d_ * (d_ - 1) / (d_**2 + d_ + 2)) == 0, "(1)"
    b, a = sympy.symbols("b a", positive=True)
    slope = sympy.diff((b * (1 - b)) ** a / a, b)
    assert sympy.simplify(slope / (b * (1 - b)) ** (a - 1) - (1 - 2 * b)) == 0
    spread = 2 * sympy.Rational(1, 4) ** a / a / (sympy.gamma(a) ** 2 / sympy.gamma(2 * a))  # E|2b - 1|
    first = (4 * a * spread).subs(a, m / 2)
    assert all(
        sympy.gammasimp(first / mean_chi(m)).subs(d_, d).equals(2 * sympy.sqrt(2 / sympy.pi)) for d in range(1, 9)
    )
    half, share = sympy.Rational(1, 2), 8 / sympy.pi
    column = share * (m - half) + (2 * m - half) * (d_ - 1 - half)
    rest = sympy.Poly(sympy.expand((column - 2 * d_**2).subs(d_, 2 + x_)), x_)
    assert all(coefficient.evalf(30) > 0 for coefficient in rest.coeffs()), "(2)"
    assert first.subs(d_, 1) == 2


def check_norm_bounds() -> None:
    """Bounds of E ||W||_2, E ||W_1 - W_2||_2 and E ||G||_2.

    -W_2 <= W_1 - W_2 <= W_1, so ||W_1 - W_2||_2 <= c F^2 with F = max ||G_i||_2, and E F^2 = (E F)^2 + Var F. The
    inequality of Poincare gives Var F <= 1, as F has the Lipschitz constant 1; E chi_n <= sqrt(n) does the rest.
    """
    check_mean_chi()
    check_comparisons()
    check_least_wishart_norms()


def check_laplace_expectation() -> None:
    """E ||L|| <= (E tr L^(2p))^(1/2p) <= 4 e^(1/24) sqrt(3d) (3d/(p+1))^(1/2p) b <= 15 sqrt(d) b."""
    largest = 4 * (arb(1) / 24).exp() * arb(3).sqrt() * (arb(3) / 2).sqrt() * (arb(1) / 2).exp()
    assert largest < 15
    for d in (1, 2, 3, 8, 9, 50, 10**4, 10**6):
        p = walk_length(d)
        assert (laplace_trace_moment(d).log() / (2 * p)).exp() < 15 * arb(d).sqrt()


ROOTS = sympy.sqrt(d_) + sympy.sqrt(d_ + 1)
WISHART, DIFFERENCE = ROOTS**2 + 1, (ROOTS + sympy.Rational(1, 2)) ** 2 + 1
"""Upper bounds of E ||W||_2 and E ||W_1 - W_2||_2, c = 1."""


def falls_with_d(size: sympy.Expr) -> bool:
    """Say whether a size over d is a sum of terms that fall as d grows, once it is written out."""
    terms = sympy.expand(sympy.expand(size) / d_).as_ordered_terms()
    return all(sympy.simplify(sympy.diff(sympy.expand(term**2), d_)).is_nonpositive for term in terms)
