"""The pair of laws that dominates a profile, recomputed from its convex hull in 60 digits."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from attrs import define, field
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Real, ball, fraction
from dpmatrix.privacy import BoundedRangeProfile, GaussianProfile, LaplaceProfile
from dpmatrix.privacy.loss_envelope import loss_envelope

TINY = Fraction(1, 10**300)
SLACK = mpmath.mpf(10) ** -30


@define
class Profile:
    """A profile that is a function, and that remembers where it was asked."""

    function: Callable[[Fraction], Fraction]
    asked: list[Fraction] = field(factory=list)

    def delta(self, epsilon: Real) -> arb:
        """Return the value of the function."""
        self.asked.append(fraction(epsilon))
        return ball(self.function(self.asked[-1]))


def staircase(epsilon: Fraction) -> Fraction:
    """Fall in steps, so that most points lie above the convex hull."""
    heights = [Fraction(1, 2), Fraction(1, 2), Fraction(2, 5), Fraction(2, 5), Fraction(1, 10), Fraction(1, 10)]
    return heights[int(4 * epsilon)] if epsilon < Fraction(3, 2) else Fraction(1, 50)


def real(value: Fraction | int) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / value.denominator


def dominating_masses(deltas: list[mpmath.mpf], spacing: Fraction) -> dict[int, mpmath.mpf]:
    """Return the masses of the lower convex hull of (0, 1) and all (e^(k h), f), f(a) = 1 - a (1 - f(1/a)) below 1."""
    last = len(deltas) - 1
    points = {None: (mpmath.mpf(0), mpmath.mpf(1))}
    for k in range(-last, last + 1):
        a = mpmath.exp(k * real(spacing))
        points[k] = (a, deltas[k] if k >= 0 else 1 - a * (1 - deltas[-k]))

    def below_all_chords(k: int) -> bool:
        x, y = points[k]
        left = [point for point in points.values() if point[0] < x]
        right = [point for point in points.values() if point[0] > x]
        steepest = max((y - low) / (x - at) for at, low in left)
        return all((high - y) / (at - x) > steepest + SLACK for at, high in right)

    kept = [None, *(k for k in range(-last, last) if below_all_chords(k)), last]
    slopes = [(points[j][1] - points[i][1]) / (points[j][0] - points[i][0]) for i, j in pairwise(kept)]
    changes = zip(kept[1:], slopes, [*slopes[1:], mpmath.mpf(0)], strict=True)
    masses = {k: points[k][0] * (after - before) for k, before, after in changes}
    return {k: mass for k, mass in masses.items() if mass > SLACK}


def staircase_deltas() -> list[mpmath.mpf]:
    return [real(staircase(Fraction(k, 4))) for k in range(7)]


def laplace_deltas() -> list[mpmath.mpf]:
    return [1 - mpmath.exp((mpmath.mpf(k) / 8 - 1) / 2) for k in range(8)] + [mpmath.mpf(0)]


def range_deltas() -> list[mpmath.mpf]:
    top = 1 - mpmath.exp(-2)
    return [(1 - mpmath.exp((mpmath.mpf(k) / 2 - 2) / 2)) ** 2 / top for k in range(4)] + [mpmath.mpf(0)]


@pytest.mark.parametrize(
    ("profile", "deltas", "spacing"),
    [
        (Profile(staircase), staircase_deltas, Fraction(1, 4)),
        (LaplaceProfile(1, 1), laplace_deltas, Fraction(1, 8)),
        (BoundedRangeProfile(2), range_deltas, Fraction(1, 2)),
        (Profile(lambda epsilon: Fraction(2 * (epsilon < 2), 3)), lambda: [real(Fraction(2, 3))] * 2 + [0], 1),
        (Profile(lambda _: Fraction(1, 3)), lambda: [real(Fraction(1, 3))], 2),
    ],
    ids=["staircase", "laplace", "range", "cliff", "constant"],
)
def test_masses_are_those_of_the_convex_hull_rounded_up(profile, deltas, spacing) -> None:
    found = loss_envelope(profile, spacing, TINY if spacing == 1 else Fraction(1, 10**12))
    with mpmath.workdps(60):
        values = deltas()
        expected = dominating_masses(values, Fraction(spacing))
        assert found.masses.keys() == expected.keys()
        for k, mass in expected.items():
            assert mass * (1 - SLACK) <= mpmath.mpf(found.masses[k]) <= mass * (1 + mpmath.mpf(2) ** -50)
        assert values[-1] <= mpmath.mpf(found.infinity) <= values[-1] * (1 + mpmath.mpf(2) ** -50)
    assert found.spacing == float(spacing)


@pytest.mark.parametrize("tail", [Fraction(1, 3), Fraction(1, 10**4), 1e-9])
def test_losses_are_kept_until_delta_is_within_the_tail_of_the_last(tail) -> None:
    """Gaussian noise has no delta to speak of at 64, and the third profile keeps 1/7 for ever."""
    for add in (0, Fraction(1, 7)):
        profile = Profile(lambda epsilon, add=add: add + Fraction(1, 4) * Fraction(1, 2) ** int(8 * epsilon))
        loss_envelope(profile, Fraction(1, 8), tail)
        first = next(k for k in range(100) if Fraction(1, 4) / 2**k <= Fraction(tail) + Fraction(1, 4) / 2**512)
        assert profile.asked == [64, *(Fraction(k, 8) for k in range(first + 1))]


def test_a_tail_too_small_to_see_keeps_losses_up_to_64() -> None:
    profile = Profile(lambda _: Fraction(1, 3))
    found = loss_envelope(profile, 16, TINY)
    assert profile.asked == [64, 0, 16, 32, 48, 64]
    assert 1 / 3 <= found.infinity < 1 / 3 + 1e-15


def test_what_a_float_can_hold_is_not_rounded_and_what_has_no_mass_is_left_out() -> None:
    """A delta that stays at 1/4: all of the finite loss is at zero, and none at 64."""
    found = loss_envelope(Profile(lambda _: Fraction(1, 4)), 16, TINY)
    assert found.infinity == 0.25
    assert found.masses[0] == pytest.approx(0.75, rel=1e-12)
    assert 4 not in found.masses


def test_no_bound_of_delta_is_above_one() -> None:
    found = loss_envelope(Profile(lambda _: Fraction(3)), 16, TINY)
    assert found.infinity == 1
    assert not found.masses


def test_a_delta_that_is_just_within_the_tail_is_the_last() -> None:
    profile = Profile(lambda epsilon: Fraction(1, 4) / 2 ** int(epsilon) if epsilon < 64 else Fraction(0))
    loss_envelope(profile, 1, Fraction(1, 16))
    assert profile.asked == [64, 0, 1, 2]


def test_no_more_than_65536_losses_are_looked_at() -> None:
    profile = Profile(lambda epsilon: Fraction(1, 3) if epsilon < 64 else Fraction(0))
    with pytest.raises(InvalidParameterError, match="spacing: 1/2048 asks for more than 65536 points"):
        loss_envelope(profile, Fraction(1, 2048), TINY)
    assert profile.asked[0] == 64
    assert len(profile.asked) == 1 + 65536


def test_a_bound_that_rises_is_taken_at_its_least_so_far() -> None:
    """The hull is the same, as what bounds delta at a smaller epsilon bounds it further on."""
    rising = Profile(lambda epsilon: {0: Fraction(3), 1: Fraction(1, 4), 2: Fraction(1, 2)}.get(epsilon, Fraction(0)))
    level = Profile(lambda epsilon: {0: Fraction(1), 1: Fraction(1, 4), 2: Fraction(1, 4)}.get(epsilon, Fraction(0)))
    assert loss_envelope(rising, 1, Fraction(1, 100)) == loss_envelope(level, 1, Fraction(1, 100))


@pytest.mark.parametrize("spacing", [2, 1, 0.5, Fraction(1, 64), fmpq(1, 4)])
def test_powers_of_two_are_spacings(spacing) -> None:
    assert loss_envelope(LaplaceProfile(1, 1), spacing, Fraction(1, 10)).spacing == float(fraction(spacing))


@pytest.mark.parametrize("spacing", [0, -1, -2, 3, 6, Fraction(1, 3), Fraction(2, 3), Fraction(3, 4), 0.1, None])
def test_other_spacings_are_refused(spacing) -> None:
    with pytest.raises(InvalidParameterError, match=r"^spacing: .* is (no power of two|not a real number)"):
        loss_envelope(LaplaceProfile(1, 1), spacing, Fraction(1, 10))


@pytest.mark.parametrize("tail", [0, -1, 1, 2, float("nan"), None])
def test_other_tails_are_refused(tail) -> None:
    with pytest.raises(InvalidParameterError, match=r"^tail: "):
        loss_envelope(GaussianProfile(1, 1), 1, tail)
