"""What is promised where nothing was asked for, and the profile that a window names of itself.

Nothing is statistical: a default that were another one would promise less than the documentation does.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.estimators import DPPCA, DPSecondMoment
from dpmatrix.mechanisms import Ppca, SequentialPpca, SymmetrisedWishartMechanism
from dpmatrix.mechanisms.streams import WindowParameters
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.privacy.profiles import DiscreteGaussianProfile
from dpmatrix.randomness.entropy import SeededEntropy

REPLACED = Adjacency.REPLACE_ONE
DATA = np.array([[0.5, 0.25], [-0.25, 0.5], [3.0, 4.0]])


@pytest.mark.parametrize("kind", [DPSecondMoment, DPPCA])
def test_an_estimator_of_nothing_but_data_promises_one(kind: type) -> None:
    """Epsilon 1, delta 0, one record replaced, records clipped to norm 1 about zero, and bits that are secret."""
    fit = kind().fit(DATA)
    assert fit.guarantee_ == fit.release_.guarantee == PrivacyGuarantee(1, 0, REPLACED)
    assert (fit.expense_.data_norm, fit.expense_.over_norm, fit.expense_.calibration) == (1, "clip", "tight")
    assert np.array_equal(fit.mean_, [0, 0])
    with pytest.warns(UserWarning, match="guarantee"):
        known = kind(random_state=3).fit(DATA)
    expected = SymmetrisedWishartMechanism(1, REPLACED, norm_bound=1).release(DATA, entropy=SeededEntropy(3))
    assert known.release_.integers.tolist() == expected.integers.tolist()
    assert known.guarantee_ is None


@pytest.mark.parametrize("kind", [Ppca, SequentialPpca, SymmetrisedWishartMechanism])
def test_a_mechanism_of_nothing_but_epsilon_is_for_records_of_norm_one_that_are_replaced(kind: type) -> None:
    mechanism = kind(2)
    assert mechanism.guarantee == PrivacyGuarantee(2, 0, REPLACED)
    assert (mechanism.norm_bound, mechanism.over_norm) == (1, "clip")
    assert getattr(mechanism, "calibration", "tight") == "tight"
    assert getattr(mechanism, "rank", 1) == 1
    clipped = kind(2, norm_bound=1).release(DATA, entropy=SeededEntropy(3))
    assert mechanism.release(DATA, entropy=SeededEntropy(3)).integers.tolist() == clipped.integers.tolist()


@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_profile_that_a_window_names_is_that_of_all_its_sums(adjacency: Adjacency) -> None:
    for dimension, window, sums in ((1, 1, 1), (2, 8, 4), (3, 5, 4)):
        promise = PrivacyGuarantee(2, Fraction(1, 100), adjacency)
        parameters = WindowParameters(dimension, window, promise, coordinate_bits=0)
        changes = 2 if adjacency is REPLACED and dimension > 1 else 1
        coordinates = sums * dimension * (dimension + 1) // 2
        assert parameters.profile == DiscreteGaussianProfile(sums * changes, parameters.variance, coordinates)
