"""What the sums behind discrete Gaussian noise leave out: a ball is wide enough for it, with few digits asked or many.

A loss is certified from sums over the integers that are cut off somewhere, with a bound on the rest. Asked for as many
digits as it has, a sum hides a rest that is forgotten behind its rounding. Here it is asked for a few bits and computed
with many, so that the rest is most of the ball, and it is held against the sum of all terms that matter. Nothing is
statistical. The controls are balls without their upper half.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace

import mpmath
import pytest
from flint import arb, fmpq
from mpmath import mpf

from dpmatrix.exact import precision
from dpmatrix.privacy.profiles import lattice_sums

BITS, DIGITS = 160, 60
VARIANCES = (fmpq(1, 8), fmpq(1, 2), fmpq(1), fmpq(9, 2), fmpq(40))


@pytest.fixture(autouse=True)
def many_digits() -> Iterator[None]:
    with precision(BITS), mpmath.workdps(DIGITS):
        yield


def ask(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Let sums end as if so many bits were computed with."""
    monkeypatch.setattr(lattice_sums, "ctx", SimpleNamespace(prec=bits))


def real(value: fmpq) -> mpf:
    return mpf(int(value.p)) / int(value.q)


def ends(ball: arb) -> tuple[mpf, mpf]:
    low, high = (mpmath.ldexp(*(int(part) for part in end.man_exp())) for end in (ball.lower(), ball.upper()))
    return low, high


def terms(rate: mpf, start: int) -> mpf:
    """Add exp(-rate k^2) from a number on, until nothing is left."""
    last = start + int(mpmath.sqrt(200 / rate)) + 2
    return mpmath.fsum(mpmath.exp(-rate * k * k) for k in range(start, last))


@pytest.mark.parametrize("bits", [-7, -4, 0, 6])
def test_a_sum_that_ends_early_is_enclosed_with_its_rest(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    ask(monkeypatch, bits)
    for variance, start in product(VARIANCES, (0, 1, 5, 9)):
        exact = terms(1 / (2 * real(variance)), start)
        low, high = ends(lattice_sums._added_up(start, variance))
        assert low <= exact <= high
        assert (low + high) / 2 != exact, "control"
        assert high - low <= exact * mpf(2) ** (-bits - 6)
    for rate in (fmpq(51, 100), fmpq(7, 10), fmpq(3, 2), fmpq(5)):
        exact = terms(real(rate), 1)
        low, high = ends(lattice_sums._theta(arb(rate)))
        assert low <= exact <= high
        assert high - low <= mpf(2) ** (-bits - 7)


@pytest.mark.parametrize("bits", [0, 1, 2, 3, 6])
def test_an_integral_in_place_of_a_sum_is_enclosed_with_its_rest(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Of so little noise rests never become small; the series is cut off where the bits that were asked for end."""
    ask(monkeypatch, bits)
    for variance, start in product((fmpq(1, 8), fmpq(1, 2), fmpq(1), fmpq(40)), (0, 1, 2, 7)):
        exact = terms(1 / (2 * real(variance)), start)
        low, high = ends(lattice_sums._euler_maclaurin(start, variance))
        assert low <= exact <= high
        radius = (
            rest(1, start, variance) if variance == 40 else max(rest(p, start, variance) for p in range(1, bits + 2))
        )
        assert high - low <= 2 * radius * (1 + mpf(10) ** -6)


def rest(order: int, start: int, variance: fmpq) -> mpf:
    """Bound what p derivatives of odd order leave: the moments are integrals, and all signs of He_2p are positive."""
    n, deviation = 2 * order, mpmath.sqrt(real(variance))
    below = (start / deviation) ** 2 / 2
    whole = mpmath.fsum(
        mpmath.factorial(n)
        / (2**j * mpmath.factorial(j) * mpmath.factorial(n - 2 * j))
        * mpf(2) ** (mpf(n - 2 * j - 1) / 2)
        * mpmath.gammainc(mpf(n - 2 * j + 1) / 2, below)
        for j in range(order + 1)
    )
    return 2 * mpmath.zeta(n) / (2 * mpmath.pi * deviation) ** n * deviation * whole


@pytest.mark.parametrize("bits", [0, 1, 2, 3])
def test_the_bound_on_a_rest_is_the_integral_of_a_derivative(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """At one order, the one at which the bits that were asked for end, a ball is as wide as what is proved."""
    ask(monkeypatch, bits)
    for variance, start in product((fmpq(1, 8), fmpq(1, 4)), (0, 1, 2)):
        low, high = ends(lattice_sums._euler_maclaurin(start, variance))
        widths = [2 * rest(order, start, variance) for order in range(1, bits + 2)]
        assert any(abs(high - low - width) <= width * mpf(10) ** -6 for width in widths)
        assert not any(abs(high - low - width * mpf("1.1")) <= width * mpf(10) ** -6 for width in widths), "control"


@pytest.mark.parametrize(
    "variance", [fmpq(1, 1000), fmpq(1, 5), fmpq(99, 100), fmpq(1), fmpq(101, 100), fmpq(3), fmpq(30)]
)
def test_the_whole_mass_is_that_of_all_integers(variance: fmpq) -> None:
    exact = 2 * terms(1 / (2 * real(variance)), 0) - 1
    low, high = ends(lattice_sums.total_mass(variance))
    assert low <= exact <= high
    assert high - low < exact * mpf(2) ** (8 - BITS)


@pytest.mark.parametrize(("start", "variance"), [(0, fmpq(5, 2)), (3, fmpq(40)), (17, fmpq(1100)), (1200, fmpq(1100))])
def test_a_tail_is_that_of_its_terms(start: int, variance: fmpq) -> None:
    exact = terms(1 / (2 * real(variance)), start)
    low, high = ends(lattice_sums.upper_sum(start, variance))
    assert low <= exact <= high
    assert high - low < exact * mpf(2) ** (12 - BITS)


@pytest.mark.parametrize("variance", [fmpq(1, 10**4), fmpq(1, 50), fmpq(1, 2)])
def test_a_tail_that_is_too_small_for_a_ball_is_as_little_as_a_bound_on_it(variance: fmpq) -> None:
    """At a low precision the first term is a ball around zero, whatever is added; all of them are near it."""
    for bits, start in ((3, 10**4), (53, 2**75), (53, 2**90)):
        with precision(bits):
            found = lattice_sums._added_up(start, variance)
        assert found.contains(0)
        assert found.is_finite()
        assert 0 <= found.upper() < arb(2) ** -(10**6)
    for start, wide in ((3000, fmpq(12007)), (6000, fmpq(30011))):
        with precision(8):
            found = lattice_sums._added_up(start, wide)
        assert ends(found)[1] >= terms(1 / (2 * real(wide)), start)
        first = mpmath.exp(-mpf(start * start) / (2 * real(wide)))
        ratio = mpmath.exp(-mpf(2 * start + 1) / (2 * real(wide)))
        assert ends(found)[1] >= first / (1 - ratio)
