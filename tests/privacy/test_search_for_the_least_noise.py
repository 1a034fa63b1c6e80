"""The searches behind every calibration: where they stop, what they refuse, and how often they ask."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attrs import frozen
from flint import arb

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import Real
from dpmatrix.privacy import Adjacency, PrivacyGuarantee, calibrate, calibrate_integer, meets

ADD = Adjacency.ADD_REMOVE_ONE
HALF, PURE = PrivacyGuarantee(1, Fraction(1, 2), ADD), PrivacyGuarantee(1, 0, ADD)


@frozen
class Known:
    """A profile whose delta is the same at every epsilon."""

    value: arb

    def delta(self, epsilon: Real) -> arb:  # noqa: ARG002 - the same for each
        """Return the value."""
        return self.value


class Undecided:
    """A profile that never becomes precise enough."""

    def delta(self, epsilon: Real) -> arb:
        """Refuse."""
        raise UndecidedError(f"nothing is known at {epsilon}")


def enough_from(threshold: Fraction | int):
    """Return a family that meets everything from a scale on, and nothing below; no search asks ten thousand times."""
    left = iter(range(10_000))

    def family(scale):
        assert next(left, None) is not None, "the search does not end"
        return Known(arb(0 if scale >= threshold else 1))

    return family


@pytest.mark.parametrize(
    ("delta", "half", "pure"),
    [
        (arb(0), True, True),
        (arb(0, 1e-30), True, False),
        (arb(0.25), True, False),
        (arb(0.5), True, False),
        (arb(0.5, 1e-9), False, False),
        (arb(0.75), False, False),
        (arb("nan"), False, False),
    ],
)
def test_a_guarantee_is_met_by_the_upper_end(delta: arb, half: bool, pure: bool) -> None:
    assert meets(Known(delta), HALF) is half
    assert meets(Known(delta), PURE) is pure


def test_what_is_not_decided_is_not_met() -> None:
    assert meets(Undecided(), HALF) is False
    assert meets(Undecided(), PURE) is False


@pytest.mark.parametrize(
    ("threshold", "answer"),
    [
        (Fraction(1001, 1000), Fraction(129, 128)),
        (Fraction(1005, 1000), Fraction(129, 128)),
        (Fraction(199, 100), Fraction(255, 128)),
        (Fraction(3), Fraction(3)),
        (Fraction(301, 100), Fraction(193, 64)),
    ],
)
def test_halving_stops_once_the_scale_is_within_one_part_in_128(threshold: Fraction, answer: Fraction) -> None:
    assert calibrate(enough_from(threshold), PURE) == answer
    assert calibrate(enough_from(5 * threshold), PURE, unit=5) == 5 * answer


@pytest.mark.parametrize("tolerance", [Fraction(1, 3), Fraction(1, 1000), 4])
@pytest.mark.parametrize("threshold", [Fraction(7, 5), Fraction(1, 900), 12345])
def test_the_answer_over_one_plus_the_tolerance_is_not_enough(threshold, tolerance) -> None:
    found = calibrate(enough_from(threshold), PURE, tolerance)
    assert threshold <= found
    assert found / (1 + Fraction(tolerance)) < threshold or found / 2 < threshold


@pytest.mark.parametrize("unit", [1, 3])
def test_scales_from_the_least_to_the_largest_power_of_two_are_tried(unit: int) -> None:
    largest = unit * Fraction(2) ** 4096
    assert calibrate(enough_from(largest), PURE, unit=unit) == largest
    least = unit * Fraction(2) ** -4096
    assert least < calibrate(enough_from(least * Fraction(3, 2)), PURE, unit=unit) <= 2 * least
    for beyond in (2 * largest, least):
        with pytest.raises(InvalidParameterError, match=r"guarantee: no scale between 2\^-4096 and 2\^4096 units"):
            calibrate(enough_from(beyond), PURE, unit=unit)


def test_the_unit_is_one_where_none_is_given() -> None:
    largest = Fraction(2) ** 4096
    assert calibrate(enough_from(largest), PURE) == largest
    with pytest.raises(InvalidParameterError, match="guarantee"):
        calibrate(enough_from(2 * largest), PURE)


@pytest.mark.parametrize("tolerance", [0, -1, float("nan")])
def test_a_search_without_a_tolerance_is_refused(tolerance) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        calibrate(enough_from(Fraction(4, 3)), PURE, tolerance)
    assert caught.value.parameter == "tolerance"


def test_no_more_integers_are_asked_than_doubling_and_halving_need() -> None:
    asked = []

    def family(value: int) -> Known:
        asked.append(value)
        assert len(asked) <= 65
        return Known(arb(0 if value >= 10**9 else 1))

    assert calibrate_integer(family, PURE, 1) == 10**9


def test_integers_are_tried_up_to_two_to_the_62() -> None:
    assert calibrate_integer(enough_from(2**62), PURE, 1) == 2**62
    with pytest.raises(InvalidParameterError, match="guarantee: no integer up to 4611686018427387904 meets it"):
        calibrate_integer(enough_from(2**62 + 1), PURE, 1)
