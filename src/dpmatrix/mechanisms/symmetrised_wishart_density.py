"""The density of W1 - W2 for independent W_d(d + 1, c I), where it is known."""

from __future__ import annotations

from fractions import Fraction

from flint import acb, arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import ball, precision
from dpmatrix.mechanisms.second_moment import is_positive_semidefinite, trace

_BITS = 160


def log_density(noise: fmpq_mat, scale: Fraction) -> arb:
    r"""Enclose the log-density of W1 - W2 at a symmetric matrix N, less its value at zero.

    With :math:`I(N) = \int_{W \ge 0, W \ge N} e^{-\mathrm{tr} W/c} dW` it is
    :math:`\mathrm{tr} N/2c + \log I(N) - \log I(0)`. If N >= 0 the region is that of zero translated by N, and if
    N <= 0 it is that of zero; both give :math:`-|\mathrm{tr} N|/2c`, in every dimension. What remains is an
    indefinite N, which has a form for d = 2 (`_log_indefinite`).

    Parameters
    ----------
    noise
        N, symmetric, shape (d, d).
    scale
        c, positive.

    Raises
    ------
    InvalidParameterError
        If d >= 3 and N is indefinite.
    """
    with precision(_BITS):
        if is_positive_semidefinite(noise) or is_positive_semidefinite(-noise):
            return ball(-abs(trace(noise)) / (2 * scale))
        if noise.nrows() > 2:
            problem = "the noise that it implies is indefinite, and no form of the density is known for d >= 3"
            raise InvalidParameterError("output", problem, "choose d <= 2, or an output above or below both matrices")
        return _log_indefinite(noise, scale)


def _log_indefinite(noise: fmpq_mat, scale: Fraction) -> arb:
    r"""Enclose the log-density for d = 2 at N with eigenvalues a > 0 > -b, less its value at zero.

    Write W = [[t + x, y], [y, t - x]]: the cone is t >= |(x, y)|, and tr W = 2t. Integrating over t leaves the plane,
    with t at the larger of two distances, from the apexes of the two cones. In elliptic coordinates with these apexes
    as foci, x = (h s + 1)(a + b)/4 with h = cosh mu >= 1 and s = cos nu, the boundary is s = (a - b)/(a + b), and the
    integral over h gives Bessel functions at k = (a + b)/2c:

    .. math:: \frac{q(N)}{q(0)} = \frac{k^2}{\pi} \left( J(\nu^*) + J(\pi - \nu^*) \right), \quad
       J(u) = \int_0^u e^{k(\cos u - \cos\nu)} \left(K_0(k) \sin^2\nu + K_1(k)/k\right) d\nu, \quad
       \cos\nu^* = \frac{a-b}{a+b} .
    """
    n11, n12, n22 = noise[0, 0], noise[0, 1], noise[1, 1]
    c = fmpq(scale.numerator, scale.denominator)
    width = arb((n11 - n22) ** 2 + 4 * n12**2).sqrt()
    difference = n11 + n22
    angle = arb.atan2(2 * arb(n12**2 - n11 * n22).sqrt(), arb(difference))
    k = width / (2 * arb(c))
    # Bessel functions times exp(k): of moderate size for every k, like the integrand.
    bessel_0, bessel_1 = k.bessel_k(0, scaled=True), k.bessel_k(1, scaled=True)

    def integral(end: arb) -> arb:
        def integrand(nu: acb, _analytic: bool) -> acb:
            return (k * (end.cos() - nu.cos())).exp() * (bessel_0 * nu.sin() ** 2 + bessel_1 / k)

        return acb.integral(integrand, 0, acb(end)).real

    return (k**2 / arb.pi() * (integral(angle) + integral(arb.pi() - angle))).log() - k
