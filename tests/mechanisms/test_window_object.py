"""What a sliding window is made of: its memory, its name, the bits that it goes on with, and what it publishes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dpmatrix.claims.registry import Implementation
from dpmatrix.errors import InvalidParameterError
from dpmatrix.mechanisms.streams import SlidingWindowGram, WindowParameters
from dpmatrix.mechanisms.streams.dyadic import DyadicSums
from dpmatrix.mechanisms.streams.histogram import WindowCheckpoint
from dpmatrix.mechanisms.streams.window import WindowMemory
from dpmatrix.privacy import Adjacency, PrivacyGuarantee
from dpmatrix.randomness.entropy import SeededEntropy
from tests.secret_bits import SecretSeed

PROMISE = PrivacyGuarantee(1, Fraction(1, 10), Adjacency.ADD_REMOVE_ONE)
SMALL = WindowParameters(2, 4, PROMISE)


def test_a_memory_has_a_name_of_128_bits_and_is_not_private_unless_it_is_said() -> None:
    begun = WindowMemory.begin(SMALL, SecretSeed(1))
    assert begun.private
    assert not WindowMemory.begin(SMALL, SeededEntropy(1)).private
    memory = WindowMemory(begun.sums, begun.held)
    assert (memory.suspensions, memory.private) == (0, False)
    names = {WindowMemory(begun.sums, begun.held).stream for _ in range(20)}
    assert len(names) == 20
    assert {len(bytes.fromhex(name)) for name in names} == {16}
    with pytest.raises(TypeError, match="positional"):
        WindowMemory(begun.sums, begun.held, "name", 0, True)


def test_a_window_implements_the_repair_of_both_algorithms() -> None:
    window = SlidingWindowGram(SMALL, entropy=SeededEntropy(1))
    citations = Implementation.of(type(window)).citations
    assert [citation.target for citation in citations] == [
        "sliding-window.algorithm-7+repair",
        "sliding-window.algorithm-8+repair",
    ]


def test_secret_bits_after_others_are_used_and_promise_nothing() -> None:
    window = SlidingWindowGram(SMALL, entropy=SecretSeed(5), memory=WindowMemory.begin(SMALL, SeededEntropy(1)))
    assert not window.entropy.private
    assert window.guarantee is None
    assert window.entropy.description == f"{SecretSeed(5).description}, after bits that were not secret"
    source = SecretSeed(5)
    assert [window.entropy.bits(64) for _ in range(3)] == [source.bits(64) for _ in range(3)]
    assert (window.entropy.words(9) == source.words(9)).all()
    assert not window.publish().private


def test_every_part_that_is_added_has_rows_up_to_the_end_of_a_leaf(monkeypatch) -> None:
    counts: list[int] = []

    def added(sums: DyadicSums, change: list[int], count: int) -> None:
        counts.append(count)
        assert 0 < count <= 3
        add(sums, change, count)

    add = DyadicSums.add
    monkeypatch.setattr(DyadicSums, "add", added)
    window = SlidingWindowGram(WindowParameters(1, 6, PROMISE, leaf=3), entropy=SeededEntropy(1))
    for count in (2, 5, 0, 1):
        window.add(np.full((count, 1), 0.5))
    assert counts == [2, 1, 3, 1, 1]
    assert window.time == 8


def test_rows_that_cannot_be_read_are_named_so() -> None:
    window = SlidingWindowGram(SMALL, entropy=SeededEntropy(1))
    for wrong in ([[0.5]], [0.5, 0.5], [[np.nan, 0.5]]):
        with pytest.raises(InvalidParameterError) as caught:
            window.add(wrong)
        assert caught.value.parameter == "rows"
    with pytest.raises(InvalidParameterError, match=r"^rows: it has shape \(1, 1\); pass rows of length 2$"):
        window.add([[0.5]])


def test_integers_of_any_size_are_published_as_they_are() -> None:
    for bits in (2, 40):
        parameters = WindowParameters(1, 4, PROMISE, coordinate_bits=bits)
        window = SlidingWindowGram(parameters, entropy=SecretSeed(1))
        release = window.publish()
        assert release.integers.dtype == object
        window.add([[1.0]] * 3)
        release = window.publish()
        assert release.integers.dtype == object
        assert all(type(entry) is int for entry in release.integers.ravel())
        assert release.grid == Fraction(1, 4**bits)
        assert (release.mechanism, release.guarantee, release.adjacency) == (window.name, PROMISE, PROMISE.adjacency)
        assert release.entropy == window.entropy.description
        # The noise has deviation 4 or so.
        assert abs(float(release.integers[0, 0] * release.grid) - 3) < 60


def test_integers_of_64_bits_beside_negative_ones_are_not_rounded() -> None:
    """Together they would be floats for numpy."""
    memory = WindowMemory.begin(SMALL, SeededEntropy(1))
    memory.sums.total = [2**63 + 1, -1, 5]
    held = (WindowCheckpoint(0, [0, 0, 0]),)
    window = SlidingWindowGram(SMALL, entropy=SeededEntropy(1), memory=WindowMemory(memory.sums, held))
    assert window.publish().integers.tolist() == [[2**63 + 1, -1], [-1, 5]]
