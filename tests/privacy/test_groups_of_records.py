"""What one record's guarantee says of a group: sums in exact terms, parameters that are multiplied, and refusals."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from flint import arb

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import precision, rational
from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    ChainedProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyGuarantee,
    WishartProfile,
    group_guarantee,
    group_profile,
)

ADD = Adjacency.ADD_REMOVE_ONE
TENTH = Fraction(0.1)
"""The float 0.1 as the number that it is: three times it is not the float 0.3."""


@pytest.mark.parametrize("records", [1, 2, 3, 9])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(3, 2)])
def test_a_group_has_the_sum_of_the_single_steps(epsilon: Fraction, records: int) -> None:
    delta = Fraction(1, 10**7)
    found = group_guarantee(PrivacyGuarantee(epsilon, delta, ADD), records)
    with mpmath.workdps(40):
        step, slack = (mpmath.mpf(number.numerator) / number.denominator for number in (epsilon, delta))
        total = mpmath.fsum(mpmath.exp(step * k) for k in range(records)) * slack
        above = mpmath.mpf(found.delta.numerator) / found.delta.denominator
        assert total * (1 - mpmath.mpf(10) ** -35) <= above <= total * (1 + mpmath.mpf(2) ** -45)
    assert found.epsilon == records * epsilon
    assert records > 1 or found.delta == delta


def test_a_group_to_which_the_sum_leaves_nothing_is_refused() -> None:
    """1/3 (1 + e^(1/10) + e^(1/5)) is 1.1, and two records still have 0.7."""
    one = PrivacyGuarantee(Fraction(1, 10), Fraction(1, 3), ADD)
    assert group_guarantee(one, 2).delta < Fraction(3, 4)
    with pytest.raises(InvalidParameterError, match="records: to 3 of them nothing is guaranteed"):
        group_guarantee(one, 3)


def test_a_sum_that_rounding_carries_to_one_is_refused() -> None:
    """With eight bits 2385/8192 (1 + e^(1/10) + e^(1/5)), which is below one, is rounded up to it."""
    one = PrivacyGuarantee(Fraction(1, 10), Fraction(2385, 8192), ADD)
    assert group_guarantee(one, 3).delta < 1
    with precision(8), pytest.raises(InvalidParameterError, match="records: to 3 of them"):
        group_guarantee(one, 3)


@pytest.mark.parametrize(
    ("one", "three"),
    [
        (GaussianProfile(0.1, 2), GaussianProfile(3 * TENTH, 2)),
        (GaussianProfile(Fraction(2, 3), 2), GaussianProfile(2, 2)),
        (LaplaceProfile(0.1, 2), LaplaceProfile(3 * TENTH, 2)),
        (LaplaceProfile(2, 3, 0.1), LaplaceProfile(6, 3, 3 * TENTH)),
        (LaplaceProfile(2, 3, 1), LaplaceProfile(6, 3, 3)),
        (DiscreteLaplaceProfile(2, 3), DiscreteLaplaceProfile(6, 3)),
        (DiscreteLaplaceProfile(4, 3, 2), DiscreteLaplaceProfile(12, 3, 6)),
        (DiscreteGaussianProfile(4, 7), DiscreteGaussianProfile(36, 7)),
        (DiscreteGaussianProfile(5, 7, 2), DiscreteGaussianProfile(45, 7, 2)),
        (BoundedRangeProfile(0.1), BoundedRangeProfile(3 * TENTH)),
    ],
    ids=lambda profile: type(profile).__name__,
)
def test_every_change_of_the_group_is_three_times_that_of_one_record_exactly(one, three) -> None:
    found = group_profile(one, 3)
    assert type(found) is type(three)
    for name in ("sensitivity", "coordinate_sensitivity", "squared_sensitivity", "range"):
        change, expected = getattr(found, name, None), getattr(three, name, None)
        assert change == expected if expected is None else rational(change) == rational(expected)
    assert found.delta(Fraction(1, 20)).overlaps(three.delta(Fraction(1, 20)))


@pytest.mark.parametrize("records", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1), Fraction(7, 2)])
def test_a_chain_of_single_steps_is_enclosed_from_one_record_to_the_sum(records: int, epsilon: Fraction) -> None:
    base = WishartProfile(2, 90, 1, 1, ADD)
    found = ChainedProfile(base, records).delta(epsilon)
    part = rational(epsilon) / records
    total = base.delta(part) * sum((arb(part * k).exp() for k in range(records)), arb(0))
    assert abs(found.upper() - total.upper()) < total * arb(1e-8)
    assert abs(found.lower() - base.delta(epsilon).lower()) < total * arb(1e-8)
    assert total < 1


def test_a_chain_is_never_above_one() -> None:
    """One record of Laplace noise with a change of half a scale has the delta 1 - e^(-1/4) at zero, above 1/5."""
    found = ChainedProfile(LaplaceProfile(1, 2), 6).delta(0)
    assert abs(found.upper() - 1) < 1e-8


@pytest.mark.parametrize("records", [0, -1, 2.0, True, None])
def test_a_group_of_no_whole_number_of_records_is_refused(records) -> None:
    profile, guarantee = LaplaceProfile(1, 2), PrivacyGuarantee(1, Fraction(1, 10**6), ADD)
    for call in (
        lambda: ChainedProfile(profile, records),
        lambda: group_profile(profile, records),
        lambda: group_guarantee(guarantee, records),
    ):
        with pytest.raises(InvalidParameterError, match="records"):
            call()
