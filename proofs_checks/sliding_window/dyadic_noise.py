"""Noise of dyadic sums by the evidence's own formulas: the guarantee for the sums, the error of a window's sums."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import sympy
from flint import arb, fmpq

from dpmatrix.claims.formulas import real
from dpmatrix.privacy.profiles import GaussianProfile
from dpmatrix.spec.sliding_window.dyadic_release import DyadicRelease, WindowCover, cover_margin, sums_with
from dpmatrix.spec.sliding_window.dyadic_release import deviation as printed_deviation
from proofs_checks.sliding_window.sphere_average import check_noise_norm


def shift(p) -> mpmath.mpf:
    """``mu = sqrt(z^2 + 2 eps) - z`` with ``z = sqrt(2 log(1/delta))``."""
    z = mpmath.sqrt(-2 * mpmath.log(real(p.delta)))
    return mpmath.sqrt(z**2 + 2 * real(p.epsilon)) - z


def half_the_noise(p: DyadicRelease) -> arb:
    """Margin of a release that draws half the noise, against delta = 10^-6."""
    return arb(fmpq(1, 10**6)) - GaussianProfile(2, printed_deviation(p) / 2).delta(p.epsilon)


def deviation(p) -> mpmath.mpf:
    """``s = sqrt(h + 1) / mu``."""
    return mpmath.sqrt(p.height + 1) / shift(p)


def blocks(p) -> int:
    """Count the sums of a window by binary digits: a proper prefix of a block has one sum for each digit 1."""
    width = 1 << p.height
    first, last = p.begin // width, (p.end - 1) // width
    ends = [min(p.end, (block + 1) * width) - block * width for block in range(first, last + 1)]
    return (p.begin - first * width).bit_count() + sum(end.bit_count() for end in ends)


def least_bound(p) -> Fraction:
    """Give (16/7) s sqrt(q (d log 3 + log(2/beta))), rounded up to hundredths of a thousandth."""
    with mpmath.workdps(40):
        exponent = p.dimension * mpmath.log(3) + mpmath.log(2 / real(p.beta))
        needed = mpmath.mpf(16) / 7 * deviation(p) * mpmath.sqrt(blocks(p) * exponent)
        return Fraction(int(mpmath.ceil(needed * 10**5)), 10**5)


def check_guarantee() -> None:
    """For s as given mu = sqrt(z^2 + 2 eps) - z, so eps/mu - mu/2 = z, and delta(eps) <= Pr(N > z) <= exp(-z^2/2)/2.

    f = exp(-z^2/2)/2 - Pr(N > z) is 0 at 0 and at infinity, and f' = (1/sqrt(2 pi) - z/2) exp(-z^2/2) changes sign
    once, from + to -. The triangle of a'a has norm at most |a|^2.
    """
    z, eps, root = sympy.symbols("z eps root", positive=True)  # root is sqrt(z^2 + 2 eps)
    mu = 2 * eps / (z + sympy.sqrt(z**2 + 2 * eps))
    assert sympy.simplify(sympy.radsimp(mu) - (sympy.sqrt(z**2 + 2 * eps) - z)) == 0
    assert sympy.simplify(((root**2 - z**2) / 2 / (root - z) - (root - z) / 2) - z) == 0
    f = sympy.exp(-(z**2) / 2) / 2 - sympy.erfc(z / sympy.sqrt(2)) / 2
    assert sympy.simplify(sympy.diff(f, z) - (1 / sympy.sqrt(2 * sympy.pi) - z / 2) * sympy.exp(-(z**2) / 2)) == 0
    assert f.subs(z, 0) == 0
    assert sympy.limit(f, z, sympy.oo) == 0
    u = sympy.symbols("u0:4", real=True)
    fourth, mixed = fourth_and_mixed(u)
    triangle = fourth + mixed
    assert sympy.expand(sum(x**2 for x in u) ** 2 - triangle - mixed) == 0, "mixed is a sum of squares"


def fourth_and_mixed(entries) -> tuple[sympy.Expr, sympy.Expr]:
    """Sum of fourth powers, and of products of two different squares."""
    fourth = sum(x**4 for x in entries)
    return fourth, sum(entries[i] ** 2 * entries[j] ** 2 for j in range(len(entries)) for i in range(j))


def check_bound() -> None:
    """2 3^d exp(-49 zeta^2/(256 q s^2)) = beta at zeta = (16/7) s sqrt(q (d log 3 + log(2/beta))); it falls."""
    d, q, s, beta = sympy.symbols("d q s beta", positive=True)
    zeta = sympy.Rational(16, 7) * s * sympy.sqrt(q * (d * sympy.log(3) + sympy.log(2 / beta)))
    exponent = sympy.log(2) + d * sympy.log(3) - 49 * zeta**2 / (256 * q * s**2) - sympy.log(beta)
    assert sympy.simplify(sympy.expand_log(exponent, force=True)) == 0


def check_release() -> None:
    """Why the release is private, what its windows are, and how large their noise is.

    *Guarantee.* A row enters h + 1 sums, one of each length, and changes the triangle of each by at most |a|^2 <= 1; so
    all sums change by at most sqrt(h + 1) = mu s. For s as given mu = sqrt(z^2 + 2 eps) - z, so eps/mu - mu/2 = z, and
    delta(eps) <= Pr(N > z) <= exp(-z^2/2)/2 = delta/2: f = exp(-z^2/2)/2 - Pr(N > z) is 0 at 0 and at infinity and f'
    changes sign once, from + to -.

    *Cover.* A window of at most 2^h rows meets at most two blocks. In one block it is a prefix minus a prefix; in two
    it is the first block minus a prefix plus a prefix of the second. A proper prefix of a block has one sum for each
    binary digit 1 of its length, of which there are at most h, and a whole block is one sum: at most 2h + 1.

    *Noise.* u'Nu for one sum has variance s^2 (sum u_i^4 + 4 sum_{i<j} u_i^2 u_j^2) = s^2 (2 |u|^4 - sum u_i^4) <=
    2 s^2, and for q distinct independent sums at most 2 q s^2 (equal ones with opposite signs cancel). By
    `check_noise_norm` Pr(|N| > zeta) <= 2 3^d exp(-49 zeta^2/(256 q s^2)).
    """
    check_guarantee()
    u = sympy.symbols("u0:4", real=True)
    fourth, mixed = fourth_and_mixed(u)
    assert sympy.expand(fourth + 4 * mixed - 2 * sum(x**2 for x in u) ** 2 + fourth) == 0
    check_bound()
    check_noise_norm()
    for height in range(5):
        for begin in range(2 << height):
            assert sums_with(begin, height) == height + 1
            for end in range(begin + 1, begin + (1 << height) + 1):
                cover = WindowCover(begin, end, height)
                assert cover_margin(cover) == 2 * height + 1 - blocks(cover) >= 0
