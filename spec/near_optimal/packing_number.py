"""How many lines of R^d meet pairwise at a large angle: an enclosure from caps, and a bound from polynomials."""

from __future__ import annotations

import attrs
from flint import arb, fmpq

from dpmatrix.exact import Real, ball, square
from dpmatrix.spec.near_optimal.spheres import Cap, cap_measure


@attrs.frozen
class Lines:
    """Families of unit vectors in dimension d with ``|<mu, nu>| <= phi`` for distinct members."""

    dimension: int
    phi: Real


def simple_count(p: Lines) -> arb:
    """K of (12): ``exp((d-1) log(1/sqrt(1-phi^2)))/8``."""
    return ((p.dimension - 1) * (1 / (1 - square(ball(p.phi))).sqrt()).log()).exp() / 8


def covering_share(p: Lines) -> arb:
    """``2 P(<U, u> >= phi)``: a family with all ``|<mu, nu>| < phi`` that cannot grow has at least 1/share members.

    Nothing can be added, so the closed double caps ``|<v, mu>| >= phi`` around its members cover the sphere.
    """
    return 2 * cap_measure(Cap(p.dimension, p.phi))


def packing_share(p: Lines) -> arb:
    """``2 P(<U, u> >= sqrt((1+phi)/2))``: no family with all ``|<mu, nu>| <= phi`` has more than 1/share members.

    The open double caps of half the least angle are disjoint, and cos(t/2)^2 = (1 + cos t)/2.
    """
    return 2 * cap_measure(Cap(p.dimension, ((1 + ball(p.phi)) / 2).sqrt()))


def share_of_each(p: Lines) -> arb:
    """One over the size of the largest family, 0 < phi < 1, enclosed between the packing and the covering share."""
    return packing_share(p).union(covering_share(p))


def log_largest_family(p: Lines) -> arb:
    """Log of the size of the largest family, enclosed."""
    return (-covering_share(p).log()).union(-packing_share(p).log())


def recurrence(dimension: int, degree: int) -> arb:
    """Coefficient b_m of ``t p_(m-1) = b_m p_m + b_(m-1) p_(m-2)`` for zonal polynomials, of mean square 1, d >= 3."""
    index = fmpq(dimension - 2, 2)
    return arb(degree * (degree + 2 * index - 1) / (4 * (degree + index) * (degree + index - 1))).sqrt()


def polynomial_count(p: Lines) -> arb:
    """Delsarte's bound on the number of lines, d >= 3, by one polynomial.

    With k the last degree for which p_0(s), ..., p_k(s) are positive, s = phi, take
    ``f(t) = (p_(k+1)(t) p_k(s) - p_k(t) p_(k+1)(s))^2/(t - s)``. It is not positive on [-1, s]. By the
    Christoffel-Darboux formula it is the product of that difference and of ``sum_(i<=k) p_i(s) p_i(t)/b_(k+1)``, two
    combinations of zonal polynomials with coefficients that are not negative, hence is one itself, with constant term
    ``f_0 = -p_(k+1)(s) p_k(s)/b_(k+1)``. So ``f_0 |C|^2 <= sum f(<x, y>) <= |C| f(1)`` for the code C of both unit
    vectors on each line, and there are at most ``f(1)/(2 f_0)`` lines.
    """
    s, degree = ball(p.phi), 1
    first = recurrence(p.dimension, 1)
    at_s, at_one = (arb(1), s / first), (arb(1), 1 / first)
    while at_s[1] > 0:
        step, following = recurrence(p.dimension, degree), recurrence(p.dimension, degree + 1)
        at_s = (at_s[1], (s * at_s[1] - step * at_s[0]) / following)
        at_one = (at_one[1], (at_one[1] - step * at_one[0]) / following)
        degree += 1
    difference = at_one[1] * at_s[0] - at_one[0] * at_s[1]
    constant = -at_s[0] * at_s[1] / recurrence(p.dimension, degree)
    return square(difference) / (1 - s) / constant / 2
