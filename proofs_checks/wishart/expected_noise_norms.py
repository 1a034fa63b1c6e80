"""Bounds on the expected norm of the two noises, for the evidence on `wishart`: their algebra, checked."""

from __future__ import annotations

import itertools

import sympy
from flint import arb

from dpmatrix.spec.wishart.noise import laplace_trace_moment, walk_length

x_, p_, d_, n_, e_, s_ = sympy.symbols("x p dimension records epsilon s", positive=True)


def check_net_bounds() -> None:
    """Take a 1/4-net: it has at most (1 + 8)^d points, ||M|| <= 2 max |x'Mx| on it for symmetric M.

    x'Wx ~ c chi^2_(d+1): E max <= (d log 9 - (d + 1) log(1 - 2s)/2)/s at s = 2/5. x'Gx ~ N(0, v), v <= 2 s^2, so
    E max |x'Gx| <= sqrt(2 (2 s^2) log(2 9^d)). Below, E lambda_1(W) >= E tr(W)/d = (d + 1) c; E|N(0,1)| = sqrt(2/pi).
    """
    s = sympy.Rational(2, 5)
    net, radius = (1 + 2 / sympy.Rational(1, 4)), 1 / (1 - 2 * sympy.Rational(1, 4))
    assert (net, radius) == (9, 2)
    log = sympy.log
    maximum = radius * (d_ * log(net) - (d_ + 1) / 2 * log(1 - 2 * s)) / s
    assert sympy.simplify(maximum - 5 * (d_ * log(9) + (d_ + 1) * log(5) / 2)) == 0
    a = sympy.symbols("a1:4", real=True)
    variance = sum(v**4 for v in a) + 4 * sum(u**2 * v**2 for u, v in itertools.combinations(a, 2))
    assert sympy.expand(2 * sum(v**2 for v in a) ** 2 - variance - sum(v**4 for v in a)) == 0
    gaussian = radius * sympy.sqrt(2 * 2 * s_**2 * (log(2) + d_ * log(9)))
    assert sympy.simplify(gaussian - 4 * sympy.sqrt(log(2) + d_ * log(9)) * s_) == 0
    density = sympy.exp(-(x_**2) / 2) / sympy.sqrt(2 * sympy.pi)
    assert sympy.simplify(2 * sympy.integrate(x_ * density, (x_, 0, sympy.oo)) - sympy.sqrt(2 / sympy.pi)) == 0


def check_laplace_expectation() -> None:
    """E ||L|| <= (E tr L^(2p))^(1/2p) <= 4 e^(1/24) sqrt(3d) (3d/(p+1))^(1/2p) b <= 15 sqrt(d) b."""
    largest = 4 * (arb(1) / 24).exp() * arb(3).sqrt() * (arb(3) / 2).sqrt() * (arb(1) / 2).exp()
    assert largest < 15
    for d in (1, 2, 3, 8, 9, 50, 10**4, 10**6):
        p = walk_length(d)
        assert (laplace_trace_moment(d).log() / (2 * p)).exp() < 15 * arb(d).sqrt()


WISHART = 5 * (d_ * sympy.log(9) + (d_ + 1) * sympy.log(5) / 2)
