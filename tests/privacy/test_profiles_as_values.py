"""A profile shows its parameters and nothing else, and equal parameters make equal profiles."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from dpmatrix.privacy import (
    Adjacency,
    BoundedRangeProfile,
    ConditionedProfile,
    DiscreteGaussianProfile,
    DiscreteLaplaceProfile,
    GaussianProfile,
    LaplaceProfile,
    PrivacyProfile,
    SketchProfile,
    WishartProfile,
)

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE_ONE, Adjacency.REPLACE_ONE
HALF = Fraction(1, 2)

SHOWN = [
    (lambda: BoundedRangeProfile(2), "BoundedRangeProfile(range=2)"),
    (lambda: GaussianProfile(1, 3), "GaussianProfile(sensitivity=1, standard_deviation=3)"),
    (lambda: LaplaceProfile(2, 3), "LaplaceProfile(sensitivity=2, scale=3, coordinate_sensitivity=None)"),
    (lambda: LaplaceProfile(2, 3, 1), "LaplaceProfile(sensitivity=2, scale=3, coordinate_sensitivity=1)"),
    (
        lambda: DiscreteLaplaceProfile(2, 3),
        "DiscreteLaplaceProfile(sensitivity=2, scale=3, coordinate_sensitivity=None)",
    ),
    (
        lambda: DiscreteGaussianProfile(4, 3),
        "DiscreteGaussianProfile(squared_sensitivity=4, variance=3, coordinates=1)",
    ),
    (lambda: SketchProfile(5, 2), f"SketchProfile(rows=5, floor=2, norm_bound=1, adjacency={ADD_REMOVE!r})"),
    (
        lambda: WishartProfile(3, 6, HALF),
        f"WishartProfile(dimension=3, degrees_of_freedom=6, scale={HALF!r}, squared_norm=1, adjacency={REPLACE!r})",
    ),
    (
        lambda: ConditionedProfile(BoundedRangeProfile(2), HALF),
        "ConditionedProfile(base=BoundedRangeProfile(range=2), acceptance=Fraction(1, 2))",
    ),
]


@pytest.mark.parametrize(("make", "text"), SHOWN, ids=[text.partition("(")[0] for _, text in SHOWN])
def test_a_profile_is_shown_with_its_parameters_alone(make: Callable[[], PrivacyProfile], text: str) -> None:
    assert repr(make()) == text


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (BoundedRangeProfile(HALF), BoundedRangeProfile(0.5), BoundedRangeProfile(1)),
        (GaussianProfile(HALF, 3), GaussianProfile(0.5, 3), GaussianProfile(1, 3)),
        (LaplaceProfile(2, HALF), LaplaceProfile(2, 0.5), LaplaceProfile(2, HALF, 1)),
        (DiscreteLaplaceProfile(2, HALF), DiscreteLaplaceProfile(2, 0.5), DiscreteLaplaceProfile(2, HALF, 1)),
        (SketchProfile(5, HALF), SketchProfile(5, 0.5), SketchProfile(5, HALF, 2)),
        (WishartProfile(3, 6, HALF), WishartProfile(3, 6, 0.5), WishartProfile(3, 6, HALF, 1, ADD_REMOVE)),
    ],
    ids=lambda profile: type(profile).__name__,
)
def test_equal_parameters_make_equal_profiles(one: PrivacyProfile, same: PrivacyProfile, other: PrivacyProfile) -> None:
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
