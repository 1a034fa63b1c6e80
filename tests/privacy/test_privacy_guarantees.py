"""Relations and guarantees: what they accept, refuse and imply."""

from __future__ import annotations

from fractions import Fraction

import pytest
from attrs.exceptions import FrozenInstanceError
from flint import fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

REPLACE = Adjacency.REPLACE_ONE


def test_numbers_are_kept_exactly():
    guarantee = PrivacyGuarantee(0.1, fmpq(1, 10**9), REPLACE)
    assert guarantee.epsilon == Fraction(*(0.1).as_integer_ratio())
    assert guarantee.delta == Fraction(1, 10**9)
    assert not guarantee.is_pure
    assert PrivacyGuarantee(1, 0, REPLACE).is_pure


def test_guarantees_are_values():
    guarantee = PrivacyGuarantee(1, Fraction(1, 2), REPLACE)
    assert guarantee == PrivacyGuarantee(1.0, 0.5, REPLACE)
    assert hash(guarantee) == hash(PrivacyGuarantee(1.0, 0.5, REPLACE))
    with pytest.raises(FrozenInstanceError):
        guarantee.epsilon = Fraction(2)


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), 1j, None, [], "one"])
def test_epsilon_outside_its_domain_is_refused(epsilon):
    with pytest.raises(InvalidParameterError, match="epsilon"):
        PrivacyGuarantee(epsilon, 0, REPLACE)


@pytest.mark.parametrize("delta", [1, -0.1, 2, float("nan"), float("-inf"), 1j, None])
def test_delta_outside_its_domain_is_refused(delta):
    with pytest.raises(InvalidParameterError, match="delta"):
        PrivacyGuarantee(1, delta, REPLACE)


@pytest.mark.parametrize("adjacency", ["replace-one", None, 1])
def test_an_unknown_relation_is_refused(adjacency):
    with pytest.raises(InvalidParameterError, match="adjacency"):
        PrivacyGuarantee(1, 0, adjacency)


def test_implication_is_monotone_and_keeps_the_relation():
    strong, weak = PrivacyGuarantee(1, 0, REPLACE), PrivacyGuarantee(2, Fraction(1, 10), REPLACE)
    assert strong.implies(weak)
    assert strong.implies(strong)
    assert not weak.implies(strong)
    assert not PrivacyGuarantee(1, Fraction(1, 2), REPLACE).implies(PrivacyGuarantee(2, 0, REPLACE))
    assert not strong.implies(PrivacyGuarantee(2, 0, Adjacency.ADD_REMOVE_ONE))
