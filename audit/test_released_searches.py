"""Which noise is taken: the searches for the least of it, and the question whether a noise is enough.

A profile may leave it open whether a guarantee is kept, at a precision that is not enough or by an interval with the
promised delta inside, and it may find no value at all. Whatever is not certain is not taken, neither by a search nor by
a mechanism whose noise is printed. Nothing is statistical. The controls are profiles that decide the same questions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen
from flint import arb

from dpmatrix.errors import InvalidParameterError, UndecidedError
from dpmatrix.exact import Real
from dpmatrix.privacy import (
    Adjacency,
    PrivacyGuarantee,
    calibrate,
    calibrate_integer,
    meets,
)
from dpmatrix.privacy.profiles.enclosure import over_box

ADDED = Adjacency.ADD_REMOVE_ONE
HALF, PURE = PrivacyGuarantee(1, Fraction(1, 2), ADDED), PrivacyGuarantee(1, 0, ADDED)


@frozen
class Known:
    """A profile whose delta is the same at every epsilon, or is not found where it is None."""

    value: arb | None

    def delta(self, epsilon: Real) -> arb:
        """Return the value."""
        if self.value is None:
            raise UndecidedError(f"nothing is known at {epsilon}")
        return self.value


@pytest.mark.parametrize(
    ("value", "half", "pure"),
    [
        (arb(0), True, True),
        (arb(0, 1e-30), True, False),
        (arb(0.25, 0.125), True, False),
        (arb(0.5, 1e-9), False, False),
        (arb(0.25, 0.5), False, False),
        (arb(0.75), False, False),
        (arb("nan"), False, False),
        (arb("+inf"), False, False),
        (None, False, False),
    ],
)
def test_only_a_loss_that_is_certainly_small_enough_is_enough(value: arb | None, half: bool, pure: bool) -> None:
    assert meets(Known(value), HALF) is half
    assert meets(Known(value), PURE) is pure


def counted(family: Callable[[Any], arb | None]) -> Callable[[Any], Known]:
    """Return a family of profiles that is not asked ten thousand times."""
    left = iter(range(10_000))

    def at(scale: Any) -> Known:
        assert next(left, None) is not None, "the search does not end"
        return Known(family(scale))

    return at


@pytest.mark.parametrize("threshold", [Fraction(1, 3**40), Fraction(5, 7), Fraction(1), Fraction(2), Fraction(3**30)])
@pytest.mark.parametrize("tolerance", [Fraction(1, 128), Fraction(3), Fraction(1, 10**6)])
@pytest.mark.parametrize("unit", [Fraction(1), Fraction(2**20), Fraction(1, 3)])
def test_a_search_ends_at_a_scale_that_was_enough_and_close_to_one_that_was_not(
    threshold: Fraction, tolerance: Fraction, unit: Fraction
) -> None:
    family = counted(lambda scale: arb(0) if scale >= threshold else None)
    found = calibrate(family, HALF, tolerance, unit)
    assert threshold <= found < threshold * (1 + tolerance) * (1 + Fraction(1, 10**9)) or found == threshold
    assert found <= threshold * 2
    assert ((found / unit).denominator & ((found / unit).denominator - 1)) == 0


def test_a_search_that_has_no_end_is_refused() -> None:
    for everywhere in (arb(0), arb(1), None):
        with pytest.raises(InvalidParameterError, match="guarantee"):
            calibrate(counted(lambda _, value=everywhere: value), HALF)  # type: ignore[misc]
    for end in (Fraction(2) ** exponent for exponent in (-4095, 4095)):
        assert calibrate(counted(lambda scale, end=end: arb(0 if scale >= end else 1)), HALF) == end  # type: ignore[misc]
    for wrong in (0, -1):
        with pytest.raises(InvalidParameterError, match="tolerance: "):
            calibrate(counted(lambda s: arb(0 if s >= 1 else 1)), HALF, tolerance=wrong)
        with pytest.raises(InvalidParameterError, match="unit: "):
            calibrate(counted(lambda s: arb(0 if s >= 1 else 1)), HALF, unit=wrong)


@pytest.mark.parametrize("threshold", [-9, 3, 4, 5, 6, 7, 8, 63, 64, 65, 1000, 12344, 12345])
def test_the_least_integer_that_is_enough(threshold: int) -> None:
    asked: list[int] = []

    def family(value: int) -> arb | None:
        asked.append(value)
        return arb(0) if value >= threshold else None

    assert calibrate_integer(counted(family), PURE, 3, 12345) == max(3, threshold)
    assert 3 <= min(asked) <= max(asked) <= 12345
    assert calibrate_integer(counted(family), PURE, 3) == max(3, threshold)
    for least, largest in ((3, 12345), (5, 4), (4, 4)):
        with pytest.raises(InvalidParameterError, match="guarantee" if largest >= least else "largest"):
            calibrate_integer(counted(lambda _: None), PURE, least, largest)
    assert calibrate_integer(counted(lambda value: arb(0) if value >= 4 else None), PURE, 4, 4) == 4


def test_an_answer_over_a_range_reaches_both_of_its_ends() -> None:
    """Ends that are known exactly too; an end that is both is one number."""
    for low, high in ((arb(0), arb(1)), (arb(0), arb(1, 0.125)), (arb(0.25, 0.125), arb(1))):
        found = over_box(lambda low=low: low, lambda high=high: high, False)  # type: ignore[misc]
        assert found.contains(low)
        assert found.contains(high)
        assert over_box(lambda low=low: low, lambda low=low: low, False) == low or not low.is_exact()  # type: ignore[misc]
