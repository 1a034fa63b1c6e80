"""What certifies discrete Gaussian noise: its loss, against sums over the integers that are added up anew.

Every mechanism with such noise asks one profile whether its variance keeps a guarantee, and believes the upper end of
what is answered. Here that end is held against sums of the positive parts of P(k) - e^epsilon Q(k), with 60 digits or
more and no formula for a tail: for one coordinate both ends are close to the sum, and for two the sum over the plane
lies between them. The bound for many coordinates is computed anew from what its proof says, since no sum reaches them.

Nothing is statistical. The controls are the same checks of noise that is a hundredth smaller.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial, reduce
from itertools import product

import mpmath
import numpy as np
import pytest
from flint import arb
from mpmath import mpf

from audit.released.balls import CLOSE, encloses, ends, number
from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import precision, rational
from dpmatrix.privacy.profiles import DiscreteGaussianProfile, GaussianProfile, LaplaceProfile
from dpmatrix.privacy.profiles.enclosure import certified

SMALLER = Fraction(99, 100)
ONE = [
    # Shift, variance, epsilon: noise far below one, ordinary noise, and noise whose sums are compared with integrals.
    (1, Fraction(1, 100), Fraction(40)),
    (1, Fraction(1, 4), Fraction(2)),
    (2, Fraction(3, 4), Fraction(0)),
    (1, Fraction(1), Fraction(1, 7)),
    (3, Fraction(7, 2), Fraction(1)),
    (3, Fraction(9), Fraction(1, 2)),
    (20, Fraction(400), Fraction(1)),
    (12, Fraction(1100), Fraction(3, 2)),
    (1, Fraction(2000), Fraction(1, 100)),
    (70, Fraction(4000), Fraction(1)),
    (70, Fraction(4000), Fraction(1, 10)),
    (3, Fraction(1200), Fraction(6)),
]


def weights(variance: Fraction, first: int, last: int) -> list[mpf]:
    """Return exp(-k^2 / 2v) for each k in a range of integers."""
    rate = 1 / (2 * number(variance))
    return [mpmath.exp(-rate * k * k) for k in range(first, last + 1)]


def deviation_above(variance: Fraction) -> int:
    return math.isqrt(int(variance)) + 1


def far() -> int:
    """Return how many deviations away a density is below all digits."""
    return math.isqrt(5 * mpmath.mp.dps) + 2


def total(variance: Fraction) -> mpf:
    reach = far() * deviation_above(variance)
    return mpmath.fsum(weights(variance, -reach, reach))


def added_up(shift: int, variance: Fraction, epsilon: Fraction) -> mpf:
    """Sum the positive parts of P(k) - e^epsilon Q(k), P around 0 and Q around the shift."""
    # Nothing is positive right of s/2, and far left of where it begins to be all but nothing is left.
    begins = min(0, int(Fraction(shift, 2) - epsilon * variance / shift))
    first, last = begins - far() * deviation_above(variance), shift
    plain = weights(variance, first - shift, last)
    factor = mpmath.exp(number(epsilon))
    parts = (plain[k + shift] - factor * plain[k] for k in range(len(plain) - shift))
    return mpmath.fsum(part for part in parts if part > 0) / total(variance)


@pytest.mark.parametrize(("shift", "variance", "epsilon"), ONE)
def test_the_loss_of_one_coordinate_is_a_sum_over_the_integers(
    shift: int, variance: Fraction, epsilon: Fraction
) -> None:
    with mpmath.workdps(60):
        expected = added_up(shift, variance, epsilon)
        for coordinates in (1, 3) if shift == 1 else (1,):
            assert encloses(DiscreteGaussianProfile(shift**2, variance, coordinates).delta(epsilon), expected)
        smaller = DiscreteGaussianProfile(shift**2, variance * SMALLER).delta(epsilon)
        assert not encloses(smaller, expected), "control"


@pytest.mark.parametrize(
    ("bits", "shift", "variance", "epsilon"),
    [
        (160, 12, Fraction(1100), Fraction(1)),
        (160, 12, Fraction(1100), Fraction(1, 50)),
        (400, 1, Fraction(2, 3), Fraction(1)),
        (400, 9, Fraction(30), Fraction(1)),
    ],
)
def test_with_more_digits_the_loss_is_that_much_closer(
    bits: int, shift: int, variance: Fraction, epsilon: Fraction
) -> None:
    with mpmath.workdps(150), precision(bits):
        expected = added_up(shift, variance, epsilon)
        profile = DiscreteGaussianProfile(shift**2, variance)
        assert encloses(profile.delta(epsilon), expected, mpf(2) ** (14 - bits))
        assert not encloses(profile.delta(epsilon + Fraction(1, 2**40)), expected), "control"


def continuous(square: int | mpf, variance: mpf, epsilon: mpf) -> mpf:
    """Return the loss of real Gaussian noise at an epsilon of either sign, for a change of known square."""
    shift = mpmath.sqrt(square / variance)
    return mpmath.ncdf(shift / 2 - epsilon / shift) - mpmath.exp(epsilon) * mpmath.ncdf(-shift / 2 - epsilon / shift)


def smoothed(square: int, variance: Fraction, coordinates: int, epsilon: Fraction) -> mpf:
    """Return the least of one and e^(n a) D(epsilon - 2 n a), D at the variance v - w, over the w that are tried."""
    found = mpf(1)
    for smoothing in (Fraction(1, 2), Fraction(1), Fraction(2)):
        taken = number(min(smoothing, variance / 2))
        c = 2 * mpmath.fsum(mpmath.exp(-2 * mpmath.pi**2 * taken * j * j) for j in range(1, 40))
        if c < 1:
            a = coordinates * mpmath.log((1 + c) / (1 - c))
            bound = mpmath.exp(a) * continuous(square, number(variance) - taken, number(epsilon) - 2 * a)
            found = min(found, bound)
    return found


@pytest.mark.parametrize(
    ("square", "variance", "coordinates", "epsilon"),
    [
        (2, Fraction(7, 2), 2, Fraction(1, 2)),
        (3, Fraction(8), 6, Fraction(3)),
        (100, Fraction(500), 21, Fraction(1)),
        (5, Fraction(3, 5), 3, Fraction(20)),
        # So many coordinates that their epsilon is used up, and an epsilon of zero.
        (50, Fraction(40), 2000, Fraction(1)),
        (4, Fraction(30), 9, Fraction(0)),
    ],
)
def test_the_loss_of_many_coordinates_is_bounded_as_is_proved(
    square: int, variance: Fraction, coordinates: int, epsilon: Fraction
) -> None:
    with mpmath.workdps(60):
        expected = smoothed(square, variance, coordinates, epsilon)
        assert 0 < expected < 1
        assert expected <= ends(DiscreteGaussianProfile(square, variance, coordinates).delta(epsilon))[1]
        assert ends(DiscreteGaussianProfile(square, variance, coordinates).delta(epsilon))[1] <= expected * mpf("1.001")
        louder = DiscreteGaussianProfile(square, variance / SMALLER, coordinates).delta(epsilon)
        assert ends(louder)[1] < expected, "control"


@pytest.mark.parametrize("variance", [Fraction(1, 100), Fraction(1, 30)])
def test_of_too_little_noise_in_many_coordinates_nothing_is_certified(variance: Fraction) -> None:
    assert DiscreteGaussianProfile(2, variance, 2).delta(3).upper() >= 1
    assert DiscreteGaussianProfile(2, Fraction(1), 2).delta(3).upper() < 1, "control"


@pytest.mark.parametrize(
    ("coordinates", "variance", "epsilon"),
    [
        (2, Fraction(1, 2), Fraction(3)),
        (2, Fraction(6), Fraction(1, 10)),
        (3, Fraction(2), Fraction(0)),
        (6, Fraction(3, 2), Fraction(5)),
        (6, Fraction(40), Fraction(1)),
    ],
)
def test_a_change_by_one_in_every_coordinate_loses_no_more(
    coordinates: int, variance: Fraction, epsilon: Fraction
) -> None:
    """The sum of the numbers tells all that they tell, and its law is the one of one number, folded."""
    reach = 9 * deviation_above(variance) + 9
    one = np.exp(-(np.arange(-reach, reach + 1.0) ** 2) / (2 * float(variance)))
    law = reduce(np.convolve, [one / one.sum()] * coordinates)
    nothing = np.zeros(coordinates)
    differences = np.append(law, nothing) - math.exp(epsilon) * np.append(nothing, law)
    expected = differences[differences > 0].sum()

    def allowed(ball: arb) -> bool:
        low, high = ends(ball)
        return bool(low * (1 - 1e-9) <= expected <= high * (1 + 1e-9))

    assert allowed(DiscreteGaussianProfile(coordinates, variance, coordinates).delta(epsilon))
    assert not allowed(DiscreteGaussianProfile(coordinates, variance * 50, coordinates).delta(epsilon)), "control"


@pytest.mark.parametrize(
    ("shift", "deviation", "epsilon"),
    [(1, Fraction(1), Fraction(1)), (3, Fraction(2), Fraction(0)), (1, Fraction(9), Fraction(2)),
     (7, Fraction(1), Fraction(1)), (1, Fraction(300), Fraction(218)), (1, Fraction(300), Fraction(700))],
)  # fmt: skip
def test_the_loss_of_real_gaussian_noise_is_a_difference_of_two_tails(
    shift: int, deviation: Fraction, epsilon: Fraction
) -> None:
    """Near the centre, far from it, and so far that the tails are e^(-10^9)."""
    with mpmath.workdps(60):
        expected = continuous(shift**2, number(deviation) ** 2, number(epsilon))
        assert encloses(GaussianProfile(shift, deviation).delta(epsilon), expected)
        assert not encloses(GaussianProfile(shift, deviation * SMALLER).delta(epsilon), expected), "control"


def between(first: Fraction, second: Fraction) -> arb:
    """Return a ball of all numbers between two."""
    return arb(rational(first)).union(arb(rational(second)))


def test_the_loss_over_a_range_reaches_from_its_least_to_its_largest() -> None:
    """A change and a deviation that are known up to a range are taken at their worst, and so is an epsilon."""
    changes, deviations, epsilons = (
        (Fraction(9, 10), Fraction(11, 10)),
        (Fraction(2), Fraction(9, 4)),
        (Fraction(1, 2), Fraction(3, 5)),
    )
    with mpmath.workdps(30):
        for varied in product((False, True), repeat=3):
            ranges = [
                pair if is_varied else pair[:1] * 2
                for pair, is_varied in zip((changes, deviations, epsilons), varied, strict=True)
            ]
            change, deviation, epsilon = (one if one == two else between(one, two) for one, two in ranges)
            corners = [
                continuous(number(one) ** 2, number(two) ** 2, number(three)) for one, two, three in product(*ranges)
            ]
            low, high = ends(GaussianProfile(change, deviation).delta(epsilon))
            assert low <= min(corners) * (1 + CLOSE)
            assert max(corners) * (1 - CLOSE) <= high
            assert min(corners) * mpf("0.999") <= low
            assert high <= max(corners) * mpf("1.001")
        for square, variance, coordinates in ((1, 5, 1), (9, 2, 1), (3, 5, 3)):
            profile = DiscreteGaussianProfile(square, variance, coordinates)
            low, high = ends(profile.delta(between(*epsilons)))
            assert low <= ends(profile.delta(epsilons[1]))[0] * (1 + CLOSE)
            assert ends(profile.delta(epsilons[0]))[1] * (1 - CLOSE) <= high


def test_a_value_that_is_never_known_well_enough_is_no_answer() -> None:
    for never in (arb(1, 2.0**-39), arb(0, 1), arb("nan"), arb("+inf"), arb(0)):
        with pytest.raises(UndecidedError):
            certified(partial(arb, never), "a value")
    assert certified(lambda: arb(0), "a value", zero_allowed=True) == 0, "control"
    assert certified(lambda: arb(3, 2.0**-50), "a value").contains(3), "control"


@pytest.mark.parametrize(
    "wrong",
    [arb("nan"), arb("+inf"), arb(1, "inf"), math.inf, arb(0, 1), -1],
    ids=["nan", "infinity", "wide", "float-infinity", "around-zero", "negative"],
)
def test_a_parameter_that_may_lie_outside_its_domain_is_refused(wrong: arb | float) -> None:
    for name, ask in (
        ("sensitivity", lambda: GaussianProfile(wrong, 1)),
        ("standard_deviation", lambda: GaussianProfile(1, wrong)),
        ("epsilon", lambda: GaussianProfile(1, 1).delta(wrong)),
        ("epsilon", lambda: DiscreteGaussianProfile(4, 1).delta(wrong)),
        ("epsilon", lambda: DiscreteGaussianProfile(4, 1, 2).delta(wrong)),
        ("scale", lambda: LaplaceProfile(1, wrong)),
    ):
        with pytest.raises(InvalidParameterError, match=f"^{name}"):
            ask()


def test_noise_of_no_variance_and_changes_of_no_integer_are_refused() -> None:
    for name, ask in (
        ("standard_deviation", lambda: GaussianProfile(1, 0)),
        ("variance", lambda: DiscreteGaussianProfile(4, 0)),
        ("variance", lambda: DiscreteGaussianProfile(4, -1)),
        ("squared_sensitivity", lambda: DiscreteGaussianProfile(2, 1)),
        ("squared_sensitivity", lambda: DiscreteGaussianProfile(-1, 1, 2)),
        ("squared_sensitivity", lambda: DiscreteGaussianProfile(1.5, 1, 2)),  # type: ignore[arg-type]
        ("coordinates", lambda: DiscreteGaussianProfile(4, 1, 0)),
    ):
        with pytest.raises(InvalidParameterError, match=name):
            ask()
    for nothing in (GaussianProfile(0, 1), DiscreteGaussianProfile(0, 1), DiscreteGaussianProfile(0, 1, 3)):
        assert nothing.delta(0) == 0
