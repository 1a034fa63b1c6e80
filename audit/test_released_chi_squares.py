"""What certifies Wishart noise: its loss, against the masses of the events that lose most, which are searched for anew.

A record shifts a chi-square variable. The event that tells most about it is where the ratio of two densities is large,
and its ends are found here by halving an interval in which the ratio of the densities passes the threshold, with 55
digits; masses are incomplete gamma functions of another library. The bound for a record that replaces another one is
held against the best of two chains on a fine grid. Nothing is statistical.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from flint import arb, fmpq
from mpmath import mpf

from audit.released.balls import CLOSE, encloses, ends, number
from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision, rational
from dpmatrix.privacy import Adjacency, Direction, WishartProfile, support_failure
from dpmatrix.privacy.profiles.chi_square import absent_against_present, outside_support, present_against_absent

PRESENT, ABSENT = Direction.PRESENT_AGAINST_ABSENT, Direction.ABSENT_AGAINST_PRESENT
REPLACED, ADDED = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE_ONE
EPSILONS = [Fraction(0), Fraction(1, 20), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(7)]
SHIFTS = [Fraction(1, 30), Fraction(1, 2), Fraction(1), Fraction(7, 2)]
DEGREES = [Fraction(1, 2), Fraction(1), Fraction(9, 5), Fraction(2), Fraction(11, 5), Fraction(3), Fraction(4)]
MANY = [Fraction(19, 2), Fraction(40), Fraction(150)]


def mass(low: mpf, high: mpf, half: mpf) -> mpf:
    """Return the probability of Gamma(half) between two points; below zero there is none."""
    return mpmath.gammainc(half, max(low, 0), max(high, 0), regularized=True)


def loss(point: mpf, shift: mpf, half: mpf) -> mpf:
    """Return the logarithm of the ratio of density of shift + Gamma(half) to that of Gamma(half), beyond the shift."""
    return shift + (half - 1) * mpmath.log((point - shift) / point)


def crossing(level: mpf, shift: mpf, half: mpf) -> mpf:
    """Search for the point beyond the shift at which the loss passes a level that it takes somewhere."""
    low, high = shift, 2 * shift
    rises = half > 1
    while (loss(high, shift, half) < level) == rises:
        low, high = high, 2 * high
    for _ in range(mpmath.mp.prec + 10):
        middle = (low + high) / 2
        if (loss(middle, shift, half) < level) == rises:
            low = middle
        else:
            high = middle
    return low


def divergence(epsilon: mpf, shift: mpf, half: mpf, direction: Direction) -> mpf:
    """Return the mass of the best event under one law, less e^epsilon times that under the other one."""
    nothing, end = (shift, shift), mpf(10) ** 7
    if direction is PRESENT:
        if half > 1:
            event = (crossing(epsilon, shift, half), end) if epsilon < shift else nothing
        elif half == 1:
            event = (shift, end) if epsilon < shift else nothing
        else:
            event = (shift, crossing(epsilon, shift, half)) if epsilon > shift else (shift, end)
    else:
        event = (mpf(0), crossing(-epsilon, shift, half) if half > 1 else shift)
    moved, still = mass(event[0] - shift, event[1] - shift, half), mass(*event, half)
    first, second = (moved, still) if direction is PRESENT else (still, moved)
    return first - mpmath.exp(epsilon) * second


def is_the_number(found: arb, expected: mpf) -> bool:
    return bool(found.is_zero()) if expected == 0 else encloses(found, expected)


@pytest.mark.parametrize("degrees", [*DEGREES, *MANY], ids=str)
def test_the_loss_of_a_shifted_variable_is_the_mass_of_its_best_event(degrees: Fraction) -> None:
    """In both directions, and where the threshold is the shift itself; the control is a tenth more of the shift."""
    functions: list[tuple[Direction, Callable[[fmpq, fmpq, fmpq], arb]]] = [
        (PRESENT, present_against_absent),
        (ABSENT, absent_against_present),
    ]
    with mpmath.workdps(55):
        for epsilon, shift in product(EPSILONS[::2] if degrees in MANY else EPSILONS, SHIFTS):
            for direction, function in functions:
                expected = divergence(number(epsilon), number(shift), number(degrees) / 2, direction)
                found = function(rational(epsilon), rational(shift), rational(degrees))
                assert is_the_number(found, expected), (epsilon, shift, direction)
                other = function(rational(epsilon), rational(shift * Fraction(11, 10)), rational(degrees))
                assert expected == 0 or not is_the_number(other, expected), "control"
        for function in (present_against_absent, absent_against_present):
            for epsilon in EPSILONS:
                assert function(rational(epsilon), fmpq(0), rational(degrees)).is_zero(), "nothing is shifted"


@pytest.mark.parametrize("degrees", [*DEGREES, *MANY], ids=str)
def test_what_the_other_law_never_gives_is_the_mass_below_the_shift(degrees: Fraction) -> None:
    with mpmath.workdps(55):
        for shift in SHIFTS:
            expected = mass(mpf(0), number(shift), number(degrees) / 2)
            assert encloses(outside_support(rational(shift), rational(degrees)), expected)
        assert outside_support(fmpq(0), rational(degrees)).is_zero()


def test_with_more_digits_the_loss_is_that_much_closer() -> None:
    with mpmath.workdps(90), precision(200):
        for degrees in (Fraction(1), Fraction(2), Fraction(7, 2)):
            for direction, function in ((PRESENT, present_against_absent), (ABSENT, absent_against_present)):
                expected = divergence(mpf(1) / 4, mpf(3) / 2, number(degrees) / 2, direction)
                found = function(fmpq(1, 4), fmpq(3, 2), rational(degrees))
                assert encloses(found, expected, mpf(2) ** -186)


WISHART = [
    # Dimension, degrees of freedom, scale and square of the norm of a record.
    (1, Fraction(2), Fraction(1, 2), Fraction(1)),
    (1, Fraction(7, 2), Fraction(2), Fraction(3)),
    (1, Fraction(1, 2), Fraction(1, 2), Fraction(1)),
    (2, Fraction(2), Fraction(1, 3), Fraction(1)),
    (2, Fraction(5, 2), Fraction(1), Fraction(2)),
    (2, Fraction(3), Fraction(1, 4), Fraction(1, 2)),
    (2, Fraction(4), Fraction(1), Fraction(1)),
    (2, Fraction(5), Fraction(2), Fraction(1)),
    (3, Fraction(4), Fraction(3), Fraction(5)),
    (3, Fraction(5), Fraction(1, 5), Fraction(1)),
    (3, Fraction(6), Fraction(1, 3), Fraction(1, 3)),
    (4, Fraction(25), Fraction(1, 4), Fraction(2)),
]


@pytest.mark.parametrize(("dimension", "degrees", "scale", "square"), WISHART, ids=str)
def test_the_loss_of_one_record_is_that_of_its_chi_square(
    dimension: int, degrees: Fraction, scale: Fraction, square: Fraction
) -> None:
    """Of m - d + 1 degrees of freedom, shifted by r / 2c; the larger of both directions counts."""
    profile = WishartProfile(dimension, degrees, scale, square, ADDED)
    assert profile.is_exact
    with mpmath.workdps(55):
        shift, half = number(square / (2 * scale)), number(degrees - dimension + 1) / 2
        for epsilon in EPSILONS[:5]:
            values = [divergence(number(epsilon), shift, half, direction) for direction in (PRESENT, ABSENT)]
            for direction, expected in zip((PRESENT, ABSENT), values, strict=True):
                assert is_the_number(profile.hockey_stick(epsilon, direction), expected)
            assert encloses(profile.delta(epsilon), max(values))
        failure = mass(mpf(0), shift, half)
        assert encloses(profile.support_failure(), failure)
        assert encloses(support_failure(dimension, degrees, scale, square), failure)


def chained(epsilon: mpf, shift: mpf, half: mpf) -> mpf:
    """Return the least of one and of both chains on a grid: a record vanishes and one appears, or the reverse."""
    found = mpf(1)
    for place in range(17 if epsilon else 1):
        part = epsilon * place / 16
        rest = epsilon - part
        vanish, appear = divergence(part, shift, half, PRESENT), divergence(rest, shift, half, ABSENT)
        found = min(found, vanish + mpmath.exp(part) * appear, appear + mpmath.exp(rest) * vanish)
    return found


@pytest.mark.parametrize(("dimension", "degrees", "scale", "square"), WISHART, ids=str)
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(3)])
def test_a_record_that_replaces_another_loses_no_more_than_a_chain(
    dimension: int, degrees: Fraction, scale: Fraction, square: Fraction, epsilon: Fraction
) -> None:
    """One record is all for d = 1 and for m = d + 1; otherwise it is the lower end, and a chain the upper one."""
    profile = WishartProfile(dimension, degrees, scale, square, REPLACED)
    assert profile == WishartProfile(dimension, degrees, scale, square)
    exact = dimension == 1 or degrees == dimension + 1
    assert profile.is_exact == exact
    with mpmath.workdps(20):
        shift, half = number(square / (2 * scale)), number(degrees - dimension + 1) / 2
        one = max(divergence(number(epsilon), shift, half, direction) for direction in (PRESENT, ABSENT))
        low, high = ends(profile.delta(epsilon))
        if exact:
            assert encloses(profile.delta(epsilon), one)
            return
        assert one * (1 - mpf("1e-6")) <= low <= one * (1 + CLOSE)
        best = chained(number(epsilon), shift, half)
        assert best * mpf("0.98") <= high <= best * mpf("1.001")
        louder = ends(WishartProfile(dimension, degrees, scale * Fraction(11, 10), square).delta(epsilon))[1]
        assert best > mpf("0.97") or louder < best * mpf("0.98"), "control"


def between(first: Fraction, second: Fraction) -> arb | Fraction:
    """Return a ball of all numbers between two."""
    return first if first == second else arb(rational(first)).union(arb(rational(second)))


@pytest.mark.parametrize(("dimension", "added"), [(1, 0), (2, 0), (2, Fraction(-1)), (3, Fraction(-5, 2))], ids=str)
@pytest.mark.parametrize("adjacency", Adjacency, ids=lambda adjacency: adjacency.value)
def test_a_loss_over_a_range_reaches_from_its_least_to_its_largest(
    adjacency: Adjacency, dimension: int, added: Fraction
) -> None:
    """Each of the degrees, the scale, the norm and epsilon is known up to a range, or exactly."""
    ranges = (
        (dimension + 3 + added, dimension + Fraction(7, 2) + added),
        (Fraction(1, 2), Fraction(3, 4)),
        (Fraction(1), Fraction(5, 4)),
        (Fraction(1, 4), Fraction(1, 2)),
    )
    alone = [tuple(place == other for other in range(4)) for place in range(4)]
    for varied in ((False,) * 4, (True,) * 4, *alone):
        pairs = [pair if wide else (pair[0], pair[0]) for pair, wide in zip(ranges, varied, strict=True)]
        degrees, scale, square, epsilon = (between(*pair) for pair in pairs)
        profile = WishartProfile(dimension, degrees, scale, square, adjacency)
        corners = [(WishartProfile(dimension, *point[:3], adjacency), point[3]) for point in set(product(*pairs))]
        asked: list[tuple[arb, list[arb]]] = [
            (profile.delta(epsilon), [corner.delta(at) for corner, at in corners]),
            (profile.support_failure(), [corner.support_failure() for corner, _ in corners]),
        ]
        asked.extend(
            (profile.hockey_stick(epsilon, direction), [one.hockey_stick(at, direction) for one, at in corners])
            for direction in Direction
        )
        with mpmath.workdps(30):
            for found, values in asked:
                low, high = ends(found)
                lows, highs = zip(*map(ends, values), strict=True)
                # The radius of a ball has thirty bits.
                assert min(lows) * (1 - mpf("1e-6")) <= low <= min(lows) * (1 + mpf("1e-8"))
                assert max(highs) * (1 - mpf("1e-8")) <= high <= max(highs) * (1 + mpf("1e-6"))
        assert not (profile.is_exact and any(varied[:3]))


def test_of_too_few_degrees_and_of_no_noise_nothing_is_certified() -> None:
    wide = arb(2, 0.1)
    for dimension, degrees in ((3, 2), (3, Fraction(199, 100)), (3, wide), (1, 0), (3, float("nan")), (2, arb("inf"))):
        for ask in (WishartProfile, support_failure):
            with pytest.raises(InvalidParameterError, match=r"^degrees_of_freedom"):
                ask(dimension, degrees, 1)
    for dimension in (0, -1, True, 2.0):
        for ask in (WishartProfile, support_failure):
            with pytest.raises(InvalidParameterError, match=r"^dimension"):
                ask(dimension, 7, 1)
    for wrong in (0, -1, float("inf"), float("nan"), arb(0, 1), arb(1, "inf")):
        for ask in (WishartProfile, support_failure):
            with pytest.raises(InvalidParameterError, match=r"^scale"):
                ask(2, 5, wrong)
            with pytest.raises(InvalidParameterError, match=r"^squared_norm"):
                ask(2, 5, 1, wrong)
    assert support_failure(3, Fraction(201, 100), 1) > 0, "control"
    profile = WishartProfile(2, 5, 1)
    for wrong in (-1, float("nan"), arb(0, 1), arb("inf")):
        with pytest.raises(InvalidParameterError, match=r"^epsilon"):
            profile.delta(wrong)
        for direction in Direction:
            with pytest.raises(InvalidParameterError, match=r"^epsilon"):
                profile.hockey_stick(wrong, direction)


def test_a_relation_or_a_direction_that_is_none_is_refused() -> None:
    for wrong in ("replace-one", None, PRESENT, True):
        with pytest.raises(InvalidParameterError, match=r"^adjacency"):
            WishartProfile(2, 5, 1, 1, wrong)
    for other in ("present-against-absent", None, ADDED, True):
        with pytest.raises(InvalidParameterError, match=r"^direction"):
            WishartProfile(2, 5, 1).hockey_stick(1, other)


def test_a_record_has_norm_one_unless_it_is_said() -> None:
    for epsilon in (Fraction(0), Fraction(1, 2)):
        assert ends(WishartProfile(2, 5, 1).delta(epsilon)) == ends(WishartProfile(2, 5, 1, 1).delta(epsilon))
    assert ends(support_failure(2, 5, 1)) == ends(support_failure(2, 5, 1, 1))
    assert ends(WishartProfile(2, 5, 1).support_failure()) == ends(support_failure(2, 5, 1, 1))
    assert WishartProfile(2, 5, 1).adjacency is REPLACED
    assert WishartProfile(2, 5, 1) != WishartProfile(2, 5, 1, 2)
    assert "Range" not in repr(WishartProfile(2, 5, 1))
