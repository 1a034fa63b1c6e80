"""What is computed from a release keeps its guarantee, and says so."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms import PostProcessed, Release
from dpmatrix.privacy import Adjacency, PrivacyGuarantee

GUARANTEE = PrivacyGuarantee(1, 0, Adjacency.REPLACE_ONE)
RELEASE = Release(
    integers=np.array([[2, 1], [1, 4]], dtype=object),
    grid=Fraction(1, 2),
    guarantee=GUARANTEE,
    mechanism="toy",
    adjacency=Adjacency.REPLACE_ONE,
    entropy="none",
)


def trace_of(matrix) -> float:
    return float(np.trace(matrix))


def test_a_chain_keeps_the_guarantee_and_its_trace() -> None:
    found = RELEASE.apply(Release.to_numpy).apply(trace_of).apply(round)
    assert found.value == 3
    assert found.guarantee is GUARANTEE
    assert found.release is RELEASE
    assert found.trace == ("Release.to_numpy", "trace_of", "round")
    assert found.before.value == 3.0


def test_every_function_is_called_once() -> None:
    calls = []

    def count(release: Release) -> int:
        calls.append(release)
        return len(calls)

    first = RELEASE.apply(count)
    assert first.apply(str).value == "1"
    assert first.apply(float).value == 1.0
    assert calls == [RELEASE]


def test_a_release_without_a_guarantee_gives_none() -> None:
    assert attrs.evolve(RELEASE, guarantee=None).apply(Release.to_numpy).guarantee is None


@pytest.mark.parametrize("before", [np.eye(2), None, 3.0])
def test_nothing_else_can_be_the_beginning(before) -> None:
    with pytest.raises(InvalidParameterError, match="no release"):
        PostProcessed(before, np.trace)


def test_it_cannot_be_changed_or_given_a_value() -> None:
    found = RELEASE.apply(Release.to_numpy)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.value = 0
    with pytest.raises(TypeError):
        PostProcessed(RELEASE, Release.to_numpy, np.eye(2))
