"""Sums of exp(-k^2 / 2v) over integers, of which the loss of discrete Gaussian noise is made, against terms added up.

The loss is believed to the last bit of its ball, so each ball has to hold the sum of all terms, with few bits and with
many, for noise of every size, near the centre and far out. Where a sum is compared with its integral, little noise
makes a rest that never becomes small: there the whole width of the ball is computed anew. Nothing is statistical.
"""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import pytest
from flint import arb, fmpq
from mpmath import mpf

from audit.released.balls import encloses, ends, number
from dpmatrix.exact import precision, rational
from dpmatrix.privacy.profiles import lattice_sums
from dpmatrix.privacy.profiles.lattice_sums import LARGE_VARIANCE, total_mass, upper_sum

VARIANCES = [
    *(Fraction(1, 10**6), Fraction(1, 50), Fraction(1, 5), Fraction(1, 2), Fraction(3, 4), Fraction(99, 100)),
    *(Fraction(1), Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(7, 2), Fraction(9), Fraction(40)),
    *(Fraction(1000), Fraction(1024), Fraction(1025), Fraction(4001, 2), Fraction(5000)),
]


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """Let a sum without an end fail: each item takes a fraction of a second, and may take four of processor time."""

    def stop(*_: object) -> None:
        raise AssertionError("the sum does not end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 4.0)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    signal.signal(signal.SIGVTALRM, before)


def tail(start: int, variance: Fraction) -> mpf:
    """Add the terms from a number on until what is left is below all digits, relative to the first one."""
    with mpmath.workdps(mpmath.mp.dps + 10):
        rate = 1 / (2 * number(variance))
        first = term = mpmath.exp(-rate * start * start)
        ratio, decay, found = mpmath.exp(-rate * (2 * start + 1)), mpmath.exp(-2 * rate), mpf(0)
        while term > first * mpf(10) ** -mpmath.mp.dps:
            found, term, ratio = found + term, term * ratio, ratio * decay
    return found


def close(bits: int, start: int, variance: Fraction) -> mpf:
    """Return how many bits a tail has at least: the exponent of its first term and the number of terms cost some."""
    return mpf(2) ** (12 - bits) * (1 + (start * start / variance) / 2 + variance)


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("bits", [66, 160])
def test_a_tail_is_the_sum_of_its_terms(variance: Fraction, bits: int) -> None:
    """From the centre to far out, with all bits but a few; the control is the sum without its first term."""
    deviation = math.isqrt(int(variance)) + 1
    starts = {0, 1, 2, deviation, 5 * deviation, int(variance) + 1, *((int(variance),) if variance > 1000 else (4,))}
    with mpmath.workdps(60), precision(bits):
        for start in sorted(starts):
            expected, accuracy = tail(start, variance), close(bits, start, variance)
            assert encloses(upper_sum(start, rational(variance)), expected, accuracy)
            assert not encloses(upper_sum(start + 1, rational(variance)), expected, accuracy), "control"


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
@pytest.mark.parametrize("bits", [3, 8, 20, 53, 160])
def test_the_whole_mass_is_that_of_all_integers(variance: Fraction, bits: int) -> None:
    with mpmath.workdps(60), precision(bits):
        exact = 2 * tail(0, variance) - 1
        found = total_mass(rational(variance))
        assert encloses(found, exact, mpf(2) ** (6 - bits))
        assert not encloses(found, exact * (1 + mpf(2) ** (8 - bits)), mpf(2) ** (6 - bits)), "control"


@pytest.mark.parametrize("bits", [16, 17, 18, 20, 24, 30])
def test_with_few_bits_a_ball_still_holds_the_sum(bits: int) -> None:
    """However wide it is, near the centre and further out."""
    with mpmath.workdps(40), precision(bits):
        for variance in (Fraction(1, 3), Fraction(1), Fraction(9, 2), Fraction(40), Fraction(300)):
            for start in (0, 1, 4, 9):
                low, high = ends(upper_sum(start, rational(variance)))
                assert low <= tail(start, variance) <= high
        low, high = ends(upper_sum(3, fmpq(LARGE_VARIANCE + 1)))
        assert low <= tail(3, Fraction(LARGE_VARIANCE + 1)) <= high


@pytest.mark.parametrize("exponent", [-9000, -300, -60, 0, 60, 300, 9000])
def test_noise_of_every_size_has_sums(exponent: int) -> None:
    """Of which the first term is one, and all but it are half of the rest of the mass."""
    variance = fmpq(2) ** exponent
    for found in (total_mass(variance), upper_sum(0, variance)):
        assert found.rel_accuracy_bits() > 40
    assert upper_sum(0, variance).overlaps(upper_sum(1, variance) + 1)
    assert (2 * upper_sum(1, variance) + 1).overlaps(total_mass(variance))


@pytest.mark.parametrize(("start", "variance"), [(3000, 12007), (4000, 20011), (6000, 30011)])
def test_a_term_whose_ball_reaches_zero_stands_for_a_whole_series(start: int, variance: int) -> None:
    """With so few bits that the first term may be zero, the end is that of its ball, times 1 + q + q^2 + ...."""
    with precision(8), mpmath.workdps(30):
        found = lattice_sums._added_up(start, fmpq(variance))
        first = (-arb(fmpq(1, 2 * variance)) * start * start).exp()
        assert not first > 0
        most = ends(first)[1]
        series = 1 / (1 - mpmath.exp(-mpf(2 * start + 1) / (2 * variance)))
        low, high = ends(found)
        assert series > 4
        assert low <= 0
        assert mpf("0.95") * most * series < high < mpf("1.25") * most * series
        assert high >= tail(start, Fraction(variance))


@pytest.mark.parametrize("exponent", [75, 90, 120])
def test_so_far_out_that_a_term_is_all_but_zero_a_ball_is_tiny(exponent: int) -> None:
    with precision(53):
        found = lattice_sums._added_up(2**exponent, fmpq(1, 2))
    assert found.contains(0)
    assert found.upper() < arb(2) ** -(10**6)


def rest(order: int, start: int, variance: Fraction) -> mpf:
    """Bound what is left after p derivatives of odd order: by moments, with the signs of He_2p made positive.

    He_n has coefficients (-1)^j n! / (2^j j! (n - 2j)!), and the integral of z^n exp(-z^2/2) from y on is
    2^((n-1)/2) times an incomplete gamma function.
    """
    n, deviation = 2 * order, mpmath.sqrt(number(variance))
    y = start / deviation

    def moment(k: int) -> mpf:
        return mpf(2) ** (mpf(k - 1) / 2) * mpmath.gammainc(mpf(k + 1) / 2, y * y / 2)

    whole = mpmath.fsum(
        mpmath.factorial(n) / (2**j * mpmath.factorial(j) * mpmath.factorial(n - 2 * j)) * moment(n - 2 * j)
        for j in range(order + 1)
    )
    return 2 * mpmath.zeta(n) / (2 * mpmath.pi * deviation) ** n * deviation * whole


def series(order: int, start: int, variance: Fraction) -> mpf:
    """Return the integral, half of the first term, and p terms with derivatives of exp(-x^2/2v) of odd order."""
    deviation = mpmath.sqrt(number(variance))
    y = start / deviation
    height = mpmath.exp(-y * y / 2)
    found = deviation * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(y / mpmath.sqrt(2)) + height / 2
    for j in range(1, order + 1):
        # He_n(z) = 2^(-n/2) H_n(z / sqrt 2), and the derivative of odd order n is -s^-n He_n(z) exp(-z^2/2).
        n = 2 * j - 1
        hermite = mpf(2) ** (-mpf(n) / 2) * mpmath.hermite(n, y / mpmath.sqrt(2))
        found += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * deviation**-n * hermite * height
    return found


@pytest.mark.parametrize("bits", [32, 41, 60])
@pytest.mark.parametrize("variance", [Fraction(1, 8), Fraction(1, 3), Fraction(1, 2)], ids=str)
@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_comparison_with_integrals_is_as_wide_as_the_bound_on_its_rest(
    start: int, variance: Fraction, bits: int
) -> None:
    """So little noise makes rests that never become small, so that one order more is taken than there are bits."""
    with mpmath.workdps(120):
        with precision(bits):
            low, high = ends(lattice_sums._euler_maclaurin(start, rational(variance)))
        centre, radius = series(bits + 1, start, variance), rest(bits + 1, start, variance)
        assert low <= tail(start, variance) <= high
        assert abs(low - (centre - radius)) <= mpf("1e-5") * radius
        assert abs(high - (centre + radius)) <= mpf("1e-5") * radius


@pytest.mark.parametrize("degree", range(9))
def test_polynomials_with_positive_signs_follow_their_recurrence(degree: int) -> None:
    """They satisfy p_(n+1) = z p_n + n p_(n-1); the moments are any numbers."""
    before, now = [0], [1]
    for n in range(degree):
        raised = [0, *now]
        before, now = now, [raised[k] + n * (before[k] if k < len(before) else 0) for k in range(len(raised))]
    moments = [arb(7) ** k + k for k in range(degree + 1)]
    found = lattice_sums._positive_hermite(degree, moments)
    assert found == sum((c * m for c, m in zip(now, moments, strict=True)), arb(0))
    assert found.is_exact()
