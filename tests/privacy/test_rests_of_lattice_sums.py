"""What lattice sums leave out: with less asked for, the ball must be wide enough for it, and no wider than said."""

from __future__ import annotations

import signal
from types import SimpleNamespace

import mpmath
import pytest
from flint import arb, fmpq
from mpmath import mpf

from dpmatrix.exact import precision
from dpmatrix.privacy.profiles import lattice_sums
from dpmatrix.privacy.profiles.lattice_sums import (
    _added_up,
    _euler_maclaurin,
    _positive_hermite,
    _theta,
    total_mass,
    upper_sum,
)

DIGITS = 60
BITS = 160


@pytest.fixture(autouse=True)
def ends():
    """Let a sum without an end fail: each test here takes a tenth of a second, and may take two of processor time."""

    def stop(*_: object) -> None:
        raise AssertionError("the sum does not end")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2.0)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.fixture
def asked(monkeypatch):
    """Let the sums be asked for a few bits, and compute with many."""

    def ask(bits: int) -> None:
        monkeypatch.setattr(lattice_sums, "ctx", SimpleNamespace(prec=bits))

    with precision(BITS), mpmath.workdps(DIGITS):
        yield ask


def real(value: fmpq) -> mpf:
    return mpf(int(value.p)) / int(value.q)


def ends_of(ball: arb) -> tuple[mpf, mpf]:
    low, high = ((int(m), int(e)) for m, e in (ball.lower().man_exp(), ball.upper().man_exp()))
    return mpmath.ldexp(*low), mpmath.ldexp(*high)


def spans(ball: arb, expected: tuple[mpf, mpf], value: mpf) -> bool:
    """Whether a ball holds a value and has these ends, up to the 30 digits that a radius has."""
    low, high = ends_of(ball)
    near = mpf(10) ** -7 * (expected[1] - expected[0])
    return bool(low <= value <= high and abs(low - expected[0]) < near and abs(high - expected[1]) < near)


def tail(start: int, variance: fmpq) -> mpf:
    """Add the terms from a number on until what is left is below 1e-70."""
    last = start + int(mpmath.sqrt(330 * real(variance))) + 330
    return mpmath.fsum(mpmath.exp(-(mpf(k) ** 2) / (2 * real(variance))) for k in range(start, last))


@pytest.mark.parametrize("bits", [-7, -6, -4, 0, 6, 30])
@pytest.mark.parametrize("rate", [fmpq(1, 2), fmpq(51, 100), fmpq(7, 10), fmpq(1), fmpq(3, 2), fmpq(5)])
def test_a_theta_sum_lies_between_what_was_added_and_one_term_more(rate, bits, asked) -> None:
    """It ends at the first term j of rate j > 1 that is below 2^-(bits + 8)."""
    asked(bits)
    terms = [mpmath.exp(-real(rate) * j * j) for j in range(1, 40)]
    last = next(j for j, term in enumerate(terms) if real(rate) * (j + 1) > 1 and term < mpf(2) ** (-bits - 8))
    added = mpmath.fsum(terms[: last + 1])
    assert spans(_theta(arb(rate)), (added, added + terms[last]), mpmath.fsum(terms))


@pytest.mark.parametrize("bits", [-7, -4, 0, 6])
@pytest.mark.parametrize("variance", [fmpq(1, 3), fmpq(1), fmpq(9, 2), fmpq(40)])
@pytest.mark.parametrize("start", [0, 1, 5, 9])
def test_a_sum_of_terms_lies_between_what_was_added_and_a_geometric_series_more(start, variance, bits, asked) -> None:
    """It ends where a term is below 2^-(bits + 8) (1 - ratio) times the sum; ratios fall, so the series is longer."""
    asked(bits)
    added = term = mpmath.exp(-(mpf(start) ** 2) / (2 * real(variance)))
    place, small = start, mpf(2) ** (-bits - 8)
    while True:
        ratio = mpmath.exp(-(2 * mpf(place) + 1) / (2 * real(variance)))
        if term < small * added * (1 - ratio):
            break
        place += 1
        term *= ratio
        added += term
    series = term * ratio / (1 - ratio)
    assert spans(_added_up(start, variance), (added, added + series), tail(start, variance))


@pytest.mark.parametrize("variance", [fmpq(1, 10**4), fmpq(1, 50)])
def test_a_sum_too_small_for_a_ball_is_bounded_by_a_geometric_series(variance) -> None:
    """At a low precision the ball around the first term reaches zero; then the bound is that of a whole series."""
    with precision(3), mpmath.workdps(DIGITS):
        found = _added_up(10**4, variance)
    assert found.contains(0)
    assert found.upper() >= 0
    assert found.is_finite()
    assert found.upper() < arb(2) ** -(10**6)


@pytest.mark.parametrize(("start", "variance"), [(3000, 12007), (4000, 20011), (6000, 30011)])
def test_the_series_is_whole_where_terms_fall_slowly(start, variance) -> None:
    """The ball around the first term, which reaches below zero, times all of 1 + q + q^2 + ...; q is about 0.8."""
    with precision(8):
        found = _added_up(start, fmpq(variance))
        first = (-arb(fmpq(1, 2 * variance)) * start * start).exp()
    assert not first > 0
    _, most = ends_of(first)
    series = 1 / (1 - mpmath.exp(-mpf(2 * start + 1) / (2 * variance)))
    _, high = ends_of(found)
    assert series > 4
    assert 0.95 * most * series < high < 1.25 * most * series
    assert high >= tail(start, fmpq(variance))


@pytest.mark.parametrize("exponent", [75, 90, 120])
def test_a_ball_that_touches_zero_is_as_little_as_one_around_it(exponent) -> None:
    """So far out the lower end of the ball of a term is zero itself, which no sum of terms rises from."""
    with precision(53):
        found = _added_up(2**exponent, fmpq(1, 2))
    assert found.contains(0)
    assert found.upper() < arb(2) ** -(10**6)


def rest(order: int, start: int, variance: fmpq) -> mpf:
    """Bound the rest after p derivatives of odd order, with moments as integrals and the signs of He_2p made positive.

    He_n has coefficients (-1)^j n! / (2^j j! (n - 2j)!), and the integral of z^n exp(-z^2/2) from y on is
    2^((n-1)/2) times an incomplete gamma function.
    """
    n, deviation = 2 * order, mpmath.sqrt(real(variance))
    y = start / deviation

    def moment(k: int) -> mpf:
        return mpf(2) ** (mpf(k - 1) / 2) * mpmath.gammainc(mpf(k + 1) / 2, y * y / 2)

    whole = mpmath.fsum(
        mpmath.factorial(n) / (2**j * mpmath.factorial(j) * mpmath.factorial(n - 2 * j)) * moment(n - 2 * j)
        for j in range(order + 1)
    )
    return 2 * mpmath.zeta(n) / (2 * mpmath.pi * deviation) ** n * deviation * whole


def partial(order: int, start: int, variance: fmpq) -> mpf:
    """Compute the integral, half of the first term, and p terms with derivatives of exp(-x^2/2v) by its own formula."""
    deviation = mpmath.sqrt(real(variance))
    y = start / deviation
    height = mpmath.exp(-y * y / 2)
    found = deviation * mpmath.sqrt(mpmath.pi / 2) * mpmath.erfc(y / mpmath.sqrt(2)) + height / 2
    for j in range(1, order + 1):
        # He_n(z) = 2^(-n/2) H_n(z / sqrt 2), and the derivative of odd order n is -s^-n He_n(z) exp(-z^2/2).
        n = 2 * j - 1
        hermite = mpf(2) ** (-mpf(n) / 2) * mpmath.hermite(n, y / mpmath.sqrt(2))
        found += mpmath.bernoulli(2 * j) / mpmath.factorial(2 * j) * deviation**-n * hermite * height
    return found


def least(order: int, start: int, variance: fmpq) -> mpf:
    return abs(partial(order, start, variance))


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("variance", [fmpq(1, 8), fmpq(1, 2), fmpq(1)])
@pytest.mark.parametrize("start", [0, 1, 2])
def test_a_comparison_with_integrals_is_as_wide_as_the_bound_on_its_rest(start, variance, bits, asked) -> None:
    """So little noise makes rests that do not become small, so one order more is taken than bits are asked for."""
    asked(bits)
    enough = (p for p in range(1, bits + 1) if rest(p, start, variance) < mpf(2) ** -bits * least(p, start, variance))
    order = next(enough, bits + 1)
    centre, radius = partial(order, start, variance), rest(order, start, variance)
    assert spans(_euler_maclaurin(start, variance), (centre - radius, centre + radius), tail(start, variance))


@pytest.mark.parametrize("degree", range(9))
def test_positive_hermite_polynomials_follow_their_recurrence(degree) -> None:
    """With positive signs p_(n+1) = z p_n + n p_(n-1); the moments are any numbers."""
    before, now = [0], [1]
    for n in range(degree):
        raised = [0, *now]
        before, now = now, [raised[k] + n * (before[k] if k < len(before) else 0) for k in range(len(raised))]
    moments = [arb(7) ** k + k for k in range(degree + 1)]
    expected = sum((c * m for c, m in zip(now, moments, strict=True)), arb(0))
    found = _positive_hermite(degree, moments)
    assert found == expected
    assert found.is_exact()


@pytest.mark.parametrize("variance", [fmpq(1, 5), fmpq(99, 100), fmpq(1), fmpq(101, 100), fmpq(3)])
def test_the_whole_mass_is_that_of_all_terms(variance) -> None:
    with precision(BITS), mpmath.workdps(DIGITS):
        low, high = ends_of(total_mass(variance))
        exact = 2 * tail(0, variance) - 1
        assert low <= exact <= high
        assert high - low < exact * mpf(2) ** (8 - BITS)


@pytest.mark.parametrize("variance", [fmpq(1, 1000), fmpq(99, 100), fmpq(1), fmpq(101, 100), fmpq(3, 2), fmpq(1000)])
def test_the_whole_mass_takes_the_sum_that_falls_fast(variance, monkeypatch) -> None:
    """Either formula holds for every variance, and the lesser rate of the two may be tiny."""
    rates: list[arb] = []

    def theta(rate: arb) -> arb:
        rates.append(rate)
        return arb(0)

    monkeypatch.setattr(lattice_sums, "_theta", theta)
    total_mass(variance)
    (rate,) = rates
    assert rate > arb(1) / 2


@pytest.mark.parametrize(
    ("start", "variance", "bits", "added"),
    [
        (0, fmpq(1024), 53, True),
        (0, fmpq(1025), 53, False),
        (1024, fmpq(1025), 53, False),
        (1025, fmpq(1025), 53, True),
        (1026, fmpq(1025), 53, True),
        (7, fmpq(2000), 2000, True),
        (7, fmpq(2001), 2000, False),
        (7, fmpq(1024), 20, True),
    ],
)
def test_which_sums_are_added_up(start, variance, bits, added, monkeypatch) -> None:
    """Those of few terms: from the variance on, and of a variance up to 2^10 or the number of bits."""
    for name in ("_added_up", "_euler_maclaurin"):
        monkeypatch.setattr(lattice_sums, name, lambda *asked, name=name: (name, *asked))
    with precision(bits):
        found = upper_sum(start, variance)
    assert found == ("_added_up" if added else "_euler_maclaurin", start, variance)


@pytest.mark.parametrize(("start", "variance"), [(0, fmpq(5, 2)), (3, fmpq(40)), (17, fmpq(1100)), (1200, fmpq(1100))])
def test_an_upper_sum_is_that_of_its_terms(start, variance) -> None:
    with precision(BITS), mpmath.workdps(DIGITS):
        low, high = ends_of(upper_sum(start, variance))
        exact = tail(start, variance)
        assert low <= exact <= high
        assert high - low < exact * mpf(2) ** (12 - BITS)
